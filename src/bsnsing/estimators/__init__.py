"""The scikit-learn estimators: parameters, fit, predict."""

"""What only the table tells an estimator: whose numbers are levels, and labels as they are."""

from __future__ import annotations

from typing import Any

from bsnsing.cli.cells import plain_text
from bsnsing.cli.errors import Refusal
from bsnsing.cli.training import Training
from bsnsing.estimators.classifier import BsnsingClassifier
from bsnsing.estimators.ensemble import BsnsingEnsemble


def prepare(model: Any, training: Training) -> Any:
    """Set the parameters of an estimator that name columns or labels, and return it."""
    is_tree = isinstance(model, BsnsingClassifier)
    if not is_tree and model.estimator is None:
        if not training.categories:
            return model
        is_ensemble = isinstance(model, BsnsingEnsemble)
        made = BsnsingEnsemble.default_estimator() if is_ensemble else BsnsingClassifier()
        model.set_params(estimator=made)
    tree = model if is_tree else model.estimator
    if training.categories:
        given = tree.categorical_features
        named = [] if isinstance(given, str) or given is None else list(given)
        tree.set_params(categorical_features=[*named, *training.categories])
    if isinstance(tree.class_weight, dict):
        tree.set_params(class_weight=_weights_of(tree.class_weight, training))
    return model


def _weights_of(weights: dict[str, float], training: Training) -> dict[Any, float]:
    """Labels are text on the command line; find those they stand for."""
    labels = {plain_text(label): label for label in dict.fromkeys(training.labels.tolist())}
    unknown = [name for name in weights if name not in labels]
    if unknown:
        raise Refusal(
            f"--class-weight names the label {unknown[0]!r}, which {training.target!r} does not "
            "have.",
            f"its labels are {', '.join(map(repr, list(labels)[:8]))}.",
        )
    return {labels[name]: weight for name, weight in weights.items()}

"""Our estimators in pipelines that skl2onnx converts."""

from __future__ import annotations

from bsnsing.estimators.classifier import BsnsingClassifier
from bsnsing.estimators.cv import BsnsingClassifierCV
from bsnsing.estimators.ensemble import BsnsingEnsemble


def register_onnx() -> None:
    """Tell skl2onnx how to convert the estimators of bsnsing, alone and in pipelines.

    Trees are of the operators of ai.onnx.ml 3, the last that skl2onnx knows, with double
    thresholds. Probabilities are worked out in doubles, and come as floats where the pipeline's
    input has floats: give it doubles for the bits of ``predict_proba``. Text that is missing is
    "". A model alone is better written by :func:`bsnsing.export_onnx`.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.

    Examples
    --------
    >>> import skl2onnx
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bsnsing import BsnsingClassifier, register_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> pipeline = make_pipeline(StandardScaler(), BsnsingClassifier.plain()).fit(X, y)
    >>> register_onnx()
    >>> model = skl2onnx.to_onnx(pipeline, X, options={"zipmap": False})
    >>> [output.name for output in model.graph.output]
    ['label', 'probabilities']
    """
    from bsnsing.export.onnx.pipeline import register_converters

    register_converters(BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble)

"""Curves that tell what models are worth on cases: through scikit-learn's displays."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bsnsing.export.direction import in_line
from bsnsing.export.event import place_of_event
from bsnsing.export.form import titled_trees
from bsnsing.export.palette import base_colour, class_colours
from bsnsing.export.plot import need_matplotlib
from bsnsing.tree.model import check_tree_model
from bsnsing.tree.prune import pruning_path
from bsnsing.tree.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LETTERS_BELOW = 30  # of all labels, that stand side by side below a confusion matrix
_DASHES: dict[str, Any] = {"color": "#8A8F98", "linestyle": "--", "linewidth": 1.0}


def plot_roc(
    models: Any, X: Any, y: ArrayLike, *, event: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw the ROC curve of one model or several, with the area under it.

    Parameters
    ----------
    models : classifier, sequence of classifiers, or mapping from names to classifiers
        Fitted models, also others than this package's, with ``predict_proba``.
    X : table
        Cases, best such as no model has learnt from.
    y : array-like of shape (n_rows,)
        Their labels.
    event : class label, default=None
        The class whose probability is judged. None is the second of two classes; of more, each
        class against the others.
    ax : matplotlib.axes.Axes, default=None
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    from sklearn.metrics import RocCurveDisplay

    ax = axes_for("plot_roc", ax)
    for name, colour, truth, chance in _judged(models, X, y, event):
        display = RocCurveDisplay.from_predictions(truth, chance, name=name, ax=ax)
        display.line_.set(color=colour, linewidth=1.8)
    ax.plot([0, 1], [0, 1], **_DASHES)
    ax.set(xlabel="False positive rate", ylabel="True positive rate")
    ax.legend(loc="lower right", frameon=False)
    return ax


def plot_calibration(
    models: Any,
    X: Any,
    y: ArrayLike,
    *,
    event: Any = None,
    n_bins: int = 10,
    strategy: str = "quantile",
    ax: Axes | None = None,
) -> Axes:
    """Draw how often the event comes about, against the probability that models gave it.

    Parameters
    ----------
    models : classifier, sequence of classifiers, or mapping from names to classifiers
        Fitted models, also others than this package's, with ``predict_proba``.
    X : table
        Cases, best such as no model has learnt from.
    y : array-like of shape (n_rows,)
        Their labels.
    event : class label, default=None
        The class whose probability is judged: see :func:`plot_roc`.
    n_bins : int, default=10
        Groups of cases.
    strategy : {"quantile", "uniform"}, default="quantile"
        Whether groups are of about equal cases, or of equal widths in probability.
    ax : matplotlib.axes.Axes, default=None
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    from sklearn.calibration import CalibrationDisplay

    ax = axes_for("plot_calibration", ax)
    for name, colour, truth, chance in _judged(models, X, y, event):
        CalibrationDisplay.from_predictions(
            truth,
            chance,
            n_bins=n_bins,
            strategy=strategy,
            name=name,
            ax=ax,
            color=colour,
            ref_line=False,
        )
    ax.plot([0, 1], [0, 1], **_DASHES)
    ax.set(xlabel="Probability given", ylabel="Share of cases with the event")
    ax.legend(loc="upper left", frameon=False)
    return ax


def plot_confusion(
    model: Any, X: Any, y: ArrayLike, *, normalize: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the confusion matrix: how many cases of each class were taken for which.

    Parameters
    ----------
    model : classifier
        A fitted model.
    X : table
        Cases.
    y : array-like of shape (n_rows,)
        Their labels.
    normalize : {"true", "pred", "all"}, default=None
        Shares of each row, of each column or of all, instead of counts.
    ax : matplotlib.axes.Axes, default=None
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    from sklearn.metrics import ConfusionMatrixDisplay

    ax = axes_for("plot_confusion", ax)
    labels = [plain_label(label) for label in model.classes_]
    ConfusionMatrixDisplay.from_predictions(
        np.asarray(y),
        model.predict(X),
        labels=model.classes_,
        display_labels=labels,
        normalize=normalize,
        values_format=None if normalize is None else ".0%",
        cmap="Blues",
        colorbar=False,
        xticks_rotation="vertical" if sum(map(len, labels)) > _LETTERS_BELOW else "horizontal",
        ax=ax,
    )
    return ax


def plot_pruning_path(
    model: Any, X: Any = None, y: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the cost-complexity path: the leaves of the best subtree at each penalty per leaf.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model; grow it with ``ccp_alpha=0`` to see the whole path. Several trees have a
        line each.
    X, y : table and labels, default=None
        Cases on which the accuracy of each subtree of a BsnsingClassifier is drawn too.
    ax : matplotlib.axes.Axes, default=None
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn; the accuracy is in its twin.
    """
    check_tree_model(model, "plot_pruning_path")
    ax = axes_for("plot_pruning_path", ax)
    least = 1.0
    for i, (title, tree) in enumerate(titled_trees(model)):
        path = pruning_path(tree)
        least = min([least, *path.ccp_alphas[path.ccp_alphas > 0]])
        alphas = np.append(path.ccp_alphas, path.ccp_alphas[-1] * 1.1)
        leaves = np.append(path.n_leaves, path.n_leaves[-1])
        label = plain_label(title or "leaves")
        ax.step(alphas, leaves, where="post", color=base_colour(i), marker=".", label=label)
    # Penalties cover orders of magnitude, and begin at 0: a power of ten, so that ticks stay apart.
    ax.set_xscale("symlog", linthresh=10.0 ** np.ceil(np.log10(least)))
    ax.set(
        xlabel="Penalty per leaf (ccp_alpha)", ylabel="Leaves of the best subtree", xlim=(0, None)
    )
    if X is not None and y is not None:
        _draw_scores(model, X, y, ax)
    elif ax.get_legend_handles_labels()[1] != ["leaves"]:
        ax.legend(frameon=False)
    return ax


def _draw_scores(model: Any, X: Any, y: ArrayLike, ax: Axes) -> None:
    if isinstance(model, Tree) or not hasattr(model, "pruning_path"):
        raise TypeError(
            "Scores along the path are those of a fitted BsnsingClassifier. Leave X and y out, or "
            f"give its best_estimator_ or one of its estimators_. Got {type(model).__name__}."
        )
    alphas = model.pruning_path().ccp_alphas
    scores = [copy.deepcopy(model).prune(ccp_alpha=float(a)).score(X, y) for a in alphas]
    twin = ax.twinx()
    twin.step(
        np.append(alphas, alphas[-1] * 1.1),
        np.append(scores, scores[-1]),
        where="post",
        color=base_colour(1),
        marker=".",
        label="accuracy",
    )
    twin.set_ylabel("Accuracy")
    lines = [*ax.get_lines(), *twin.get_lines()]
    ax.legend(lines, [str(line.get_label()) for line in lines], frameon=False, loc="lower left")


# --- What is judged ---


def _judged(
    models: Any, X: Any, y: ArrayLike, event: Any
) -> Iterable[tuple[str, str, NDArray[np.bool_], NDArray[np.float64]]]:
    """Name, colour, truth and probability of each curve."""
    truth = np.asarray(y)
    named = _named(models)
    curves = []
    for name, model in named:
        classes = list(model.classes_)
        if event is not None:
            place_of_event(event, classes)
        own = [event] if event is not None else classes[1:] if len(classes) == 2 else classes
        shares = np.asarray(model.predict_proba(X))
        for label in own:
            words = [name if len(named) > 1 or len(own) == 1 else "", str(label)]
            title = ": ".join(filter(None, words if len(own) > 1 else words[:1]))
            colour = class_colours(classes)[label].strong if len(named) == 1 else ""
            curves.append((title, colour, truth == label, shares[:, classes.index(label)]))
    return [
        (plain_label(title), colour or base_colour(i), is_event, chance)
        for i, (title, colour, is_event, chance) in enumerate(curves)
    ]


def _named(models: Any) -> list[tuple[str, Any]]:
    if isinstance(models, Mapping):
        return [(str(name), model) for name, model in models.items()]
    if not isinstance(models, Sequence) or hasattr(models, "predict_proba"):
        return [(type(models).__name__, models)]
    names = [type(model).__name__ for model in models]
    return [
        (f"{name} {i + 1}" if names.count(name) > 1 else name, model)
        for i, (name, model) in enumerate(zip(names, models, strict=True))
    ]


def axes_for(caller: str, ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return where to draw, which is a new figure unless it is given."""
    need_matplotlib(caller)
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def plain_label(text: Any) -> str:
    """Return a name that Matplotlib takes for no formula."""
    return in_line(str(text).replace("$", r"\$"))

"""The nodes of a model as a data frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bsnsing.export.conditions import condition_texts, ways
from bsnsing.export.form import TreeForm, model_form, renamed
from bsnsing.export.frames import make_frame
from bsnsing.tree.rule import Rule
from bsnsing.tree.text import show_class

# Of a tree, as they are.
_ARRAYS = (
    "impurity",
    "objective",
    "bound",
    "optimal",
    "own_objective",
    "best_own_objective",
    "own_optimal",
)


def nodes_frame(
    model: Any,
    *,
    path: bool = True,
    full_levels: bool = False,
    feature_names: Sequence[str] | None = None,
    library: str | None = None,
) -> Any:
    """Return the nodes of a model as a data frame, a row for each.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    path : bool, default=True
        Whether to write what leads to each node. In a tree of very many levels this is most of
        the frame.
    full_levels : bool, default=False
        List all levels of a group, instead of the first few and their number.
    feature_names : sequence of str, default=None
        Names to write for the columns, instead of those the model was fitted with.
    library : {"pandas", "polars", "pyarrow", "records"}, default=None
        Whose frame to make; "records" is a list of dicts. None is the first that is installed.

    Returns
    -------
    data frame
        ``tree`` (position in ``model.trees_``) and ``title``; ``node``, ``parent`` (-1 at the
        root), ``depth`` and ``is_leaf``; ``rule`` (None at leaves), ``n_questions`` and
        ``origins`` (where each question came from: "own", "user" or the model that lent it);
        ``yes`` and ``no`` (the children, -1 at leaves); ``cases`` and ``share`` (of all cases);
        ``label`` and its ``probability``; ``impurity`` (times cases, of what the tree was learnt
        from); ``objective``, ``bound``, ``optimal``, ``own_objective``, ``best_own_objective`` and
        ``own_optimal`` as in :class:`Tree` (NaN at leaves); ``path``, all that leads to the node;
        and for each class ``cases_<class>`` and ``probability_<class>``.

    Raises
    ------
    TypeError
        If the model is of another kind.
    NotFittedError
        If the model is not fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y)
    >>> nodes_frame(model)[["node", "parent", "cases", "label", "cases_2"]].values.tolist()[:2]
    [[0.0, -1.0, 150.0, 0.0, 50.0], [1.0, 0.0, 100.0, 1.0, 50.0]]
    """
    form = model_form(model, "nodes_frame")
    rows: list[dict[str, Any]] = []
    for number, own in enumerate(form.trees):
        named = TreeForm(own.title, renamed(own.tree, feature_names))
        rows += _rows_of(named, number, path, full_levels)
    # One tree per class: each has classes of its own.
    names = dict.fromkeys(name for row in rows for name in row)
    if len(form.trees) > 1:
        rows = [{name: row.get(name, np.nan) for name in names} for row in rows]
    return make_frame(rows, library, "nodes_frame")


def _rows_of(form: TreeForm, number: int, path: bool, full_levels: bool) -> list[dict[str, Any]]:
    tree = form.tree
    columns = {column.name: column for column in tree.columns}
    rows = [
        {"tree": number, "title": form.title, "node": i} | own
        for i, own in enumerate(_facts(form, full_levels))
    ]
    if path:
        for node, way in ways(form):
            texts = condition_texts(way, columns, full_levels=full_levels)
            rows[node.id]["path"] = " and ".join(texts)
    for position in range(len(tree.classes)):
        name = show_class(tree, position)
        for row, count, value in zip(
            rows, tree.counts[:, position].tolist(), tree.value[:, position].tolist(), strict=True
        ):
            row[f"cases_{name}"], row[f"probability_{name}"] = count, value
    return rows


def _facts(form: TreeForm, full_levels: bool) -> Iterator[dict[str, Any]]:
    """What is known of each node, as plain Python values."""
    tree = form.tree
    cases = tree.counts.sum(axis=1)
    best = tree.labels
    labels = tree.classes.tolist()
    rules = [None if rule is None else rule.text(full_levels=full_levels) for rule in tree.rules]
    columns: dict[str, list[Any]] = {
        "parent": tree.parent.tolist(),
        "depth": tree.depth.tolist(),
        "is_leaf": tree.is_leaf.tolist(),
        "rule": rules,
        "n_questions": np.diff(tree.first_question).tolist(),
        "origins": [_origins(rule) for rule in tree.rules],
        "yes": tree.children_left.tolist(),
        "no": tree.children_right.tolist(),
        "cases": cases.tolist(),
        "share": (cases / max(float(cases[0]), 1e-300)).tolist(),
        "label": [labels[k] for k in best],
        "probability": tree.value[np.arange(tree.n_nodes), best].tolist(),
    }
    for name in _ARRAYS:
        columns[name] = getattr(tree, name).tolist()
    for i in range(tree.n_nodes):
        yield {name: values[i] for name, values in columns.items()}


def _origins(rule: Rule | None) -> str | None:
    """Where the questions of a rule came from, in their order; None at a leaf."""
    return None if rule is None else ", ".join(str(own.origin) for own in rule.questions)

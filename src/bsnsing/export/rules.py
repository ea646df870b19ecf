"""The leaves of a model as a list of rules: as text, and as a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bsnsing.export.conditions import condition_texts, ways
from bsnsing.export.form import TreeForm, model_form, renamed
from bsnsing.export.frames import make_frame
from bsnsing.export.text import places_of
from bsnsing.questions.question import OWN
from bsnsing.tree.text import (
    lent_questions,
    show_class,
    show_count,
    show_probability,
    show_small_probability,
)
from bsnsing.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class LeafRule:
    """One leaf: what leads to it, and what it says."""

    tree: int  # position in ``model.trees_``
    title: str  # of the tree, "" where it is the only one
    leaf: int  # number of the node, as ``model.apply`` gives it
    order: int  # place among the leaves of the tree as printed
    conditions: tuple[str, ...]  # all of which hold
    label: Any
    probability: float  # of the label or, where one is asked for, of the event
    cases: float
    share: float  # of all cases
    origins: tuple[str, ...]  # of the questions on the way, each once
    text: str

    def __str__(self) -> str:
        return self.text


_ORDERS: dict[str, Callable[[LeafRule], Any]] = {
    "cases": lambda rule: (-rule.cases, rule.order),
    "probability": lambda rule: (-rule.probability, -rule.cases, rule.order),
    "order": lambda rule: rule.order,
    "class": lambda rule: (-rule.cases, rule.order),  # within each class
}


def leaf_rules(
    model: Any,
    *,
    sort_by: str = "cases",
    event: Any = None,
    full_levels: bool = False,
    feature_names: Sequence[str] | None = None,
    show_origins: bool = False,
) -> list[LeafRule]:
    """Return the rule of every leaf, tree by tree; see :func:`export_rules`."""
    form = model_form(model, "export_rules")
    if sort_by not in _ORDERS:
        raise ValueError(
            f"sort_by={sort_by!r} is not known. Use one of {', '.join(map(repr, _ORDERS))}."
        )
    places = places_of(event, [own.tree for own in form.trees])
    found: list[LeafRule] = []
    for number, (own, place) in enumerate(zip(form.trees, places, strict=True)):
        named = TreeForm(own.title, renamed(own.tree, feature_names))
        rules = sorted(
            _rules_of(named, number, place, full_levels, show_origins), key=_ORDERS[sort_by]
        )
        if sort_by == "class":
            position = {label: i for i, label in enumerate(own.tree.classes.tolist())}
            rules.sort(key=lambda rule: position[rule.label])
        found += rules
    return found


def export_rules(
    model: Any,
    *,
    sort_by: str = "cases",
    event: Any = None,
    full_levels: bool = False,
    feature_names: Sequence[str] | None = None,
    show_origins: bool = False,
) -> str:
    """Write the leaves of a model as a list of rules, one line each.

    A rule is all that leads to its leaf, joined by "and": bounds on the same column are merged,
    and questions that the others settle are left out. Every case whose answers are known meets
    just one rule of a tree.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it. Where there are several trees, each has a title.
    sort_by : {"cases", "probability", "order", "class"}, default="cases"
        Most cases first, most probable first, as printed, or by class and most cases first.
    event : class label, default=None
        Write (and sort by) the probability of this class in place of the label's own. With one
        tree per class, in its own tree.
    full_levels : bool, default=False
        List all levels of a group, instead of the first few and their number.
    feature_names : sequence of str, default=None
        Names to write for the columns, instead of those the model was fitted with.
    show_origins : bool, default=False
        Write where the questions on the way to a leaf came from that were given by hand or lent by
        another model.

    Returns
    -------
    str
        One line per leaf: its conditions, label, probability, cases, and share of all cases.

    Raises
    ------
    ValueError
        If the order or the event is not known.
    TypeError
        If the model is of another kind.
    NotFittedError
        If the model is not fitted.

    See Also
    --------
    rules_frame : The same as a data frame.
    nodes_frame : All nodes as a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> X = X.iloc[:, 2:].set_axis(["length", "width"], axis=1)
    >>> model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y)
    >>> print(export_rules(model, sort_by="class"))
    if length <= 2.45 then 0 100%, 50 cases, 33% of all
    if 2.45 < length <= 4.95 and width <= 1.65 then 1 100%, 47 cases, 31% of all
    if length > 2.45 and (length > 4.95 or width > 1.65) then 2 94%, 53 cases, 35% of all
    """
    parts: dict[str, list[str]] = {}
    for rule in leaf_rules(
        model,
        sort_by=sort_by,
        event=event,
        full_levels=full_levels,
        feature_names=feature_names,
        show_origins=show_origins,
    ):
        parts.setdefault(rule.title, []).append(rule.text)
    return "\n\n".join(
        "\n".join([f"[{title}]", *lines] if title else lines) for title, lines in parts.items()
    )


def rules_frame(
    model: Any,
    *,
    sort_by: str = "cases",
    event: Any = None,
    full_levels: bool = False,
    feature_names: Sequence[str] | None = None,
    show_origins: bool = False,
    library: str | None = None,
) -> Any:
    """Return the leaves of a model as a data frame, a row for each; see :func:`export_rules`.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    sort_by, event, full_levels, feature_names, show_origins
        As for :func:`export_rules`.
    library : {"pandas", "polars", "pyarrow", "records"}, default=None
        Whose frame to make; "records" is a list of dicts. None is the first that is installed.

    Returns
    -------
    data frame
        Columns tree, title, leaf, rule, n_conditions, label, probability, cases, share, origins
        (where the questions on the way came from: "own", "user" or the model that lent them), text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y)
    >>> rules_frame(model)[["leaf", "label", "cases"]].to_dict("records")[0]
    {'leaf': 3, 'label': 2, 'cases': 53.0}
    """
    rules = leaf_rules(
        model,
        sort_by=sort_by,
        event=event,
        full_levels=full_levels,
        feature_names=feature_names,
        show_origins=show_origins,
    )
    rows = [
        {
            "tree": rule.tree,
            "title": rule.title,
            "leaf": rule.leaf,
            "rule": " and ".join(rule.conditions),
            "n_conditions": len(rule.conditions),
            "label": rule.label,
            "probability": rule.probability,
            "cases": rule.cases,
            "share": rule.share,
            "origins": ", ".join(rule.origins),
            "text": rule.text,
        }
        for rule in rules
    ]
    return make_frame(rows, library, "rules_frame")


def _rules_of(
    form: TreeForm, number: int, event: int | None, full_levels: bool, show_origins: bool
) -> Iterator[LeafRule]:
    tree = form.tree
    columns = {column.name: column for column in tree.columns}
    cases = tree.counts.sum(axis=1)
    best = tree.labels
    labels = tree.classes.tolist()
    origins = _origins_on_the_way(tree, full_levels, show_origins)
    order = 0
    for node, way in ways(form):
        if not node.is_leaf:
            continue
        conditions = tuple(condition_texts(way, columns, full_levels=full_levels))
        share = float(cases[node.id] / cases[0]) if cases[0] > 0 else 0.0
        shown = int(best[node.id]) if event is None else event
        text = _rule_text(tree, node.id, conditions, int(best[node.id]), event, share)
        known, lent = origins[node.id]
        yield LeafRule(
            tree=number,
            title=form.title,
            leaf=node.id,
            order=order,
            conditions=conditions,
            label=labels[best[node.id]],
            probability=node.value[shown],
            cases=float(cases[node.id]),
            share=share,
            origins=tuple(known),
            text=f"{text}   [{'; '.join(lent)}]" if lent else text,
        )
        order += 1


_Told = dict[str, None]  # texts in their order, each once


def _origins_on_the_way(
    tree: Tree, full_levels: bool, show_origins: bool
) -> list[tuple[_Told, _Told]]:
    """Origins of the questions above each node and, where asked for, the lent ones in words."""
    found: list[tuple[_Told, _Told]] = [({}, {})] * tree.n_nodes
    for node, rule in enumerate(tree.rules):  # parents come before their children
        if rule is None:
            continue
        known, lent = found[node]
        own = {question.origin or OWN: None for question in rule.questions}
        words = lent_questions(rule, full_levels) if show_origins else []
        below = (
            known if own.keys() <= known.keys() else known | own,
            lent | dict.fromkeys(words) if words else lent,
        )
        found[tree.children_left[node]] = found[tree.children_right[node]] = below
    return found


def _rule_text(
    tree: Tree, leaf: int, conditions: tuple[str, ...], best: int, event: int | None, share: float
) -> str:
    start = f"if {' and '.join(conditions)} then " if conditions else "always "
    says = show_class(tree, best)
    if event is None:
        says += f" {show_probability(float(tree.value[leaf, best]))}"
    else:
        probability = show_small_probability(float(tree.value[leaf, event]))
        says += f" [{show_class(tree, event)} {probability}]"
    n_cases = show_count(float(tree.counts[leaf].sum()))
    unit = "case" if n_cases == "1" else "cases"
    return f"{start}{says}, {n_cases} {unit}, {show_small_probability(share)} of all"

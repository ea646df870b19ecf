"""What experts know of columns: from an estimator's parameters to what a tree keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo
from bsnsing.grow.first import asks
from bsnsing.rules.knowledge import Knowledge
from bsnsing.tree.monotone import keep_order
from bsnsing.tree.rule import Rule
from bsnsing.tree.tree import Tree

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier

# Criteria that are sums over cases, to which what is paid for each case can be added.
_PER_CASE = ("gini", "entropy", "misclassification")


def read_knowledge(
    model: BsnsingClassifier,
    given: Sequence[ColumnInfo],
    classes: NDArray[Any],
    *,
    label_order: NDArray[Any],
) -> Knowledge | None:
    """Return what the parameters say of the columns of the given table; None where they do not.

    ``label_order`` are the classes in the order in which users know them, ``classes`` those of the
    cases that a tree is grown on.
    """
    signs, label = read_monotone(model.monotonic_cst, given, label_order)
    costs = _read_column_costs(model.column_costs, given)
    if not signs and not costs and model.max_columns is None:
        return None
    names = {
        "monotonic_cst": bool(signs),
        "column_costs": bool(costs),
        "max_columns": model.max_columns is not None,
    }
    what = next(name for name, is_given in names.items() if is_given)
    if model.solver not in ("enum", "greedy"):
        raise ValueError(
            f"solver={model.solver!r} cannot keep {what}, which its programs do not say. Use "
            "solver='enum' or 'greedy'."
        )
    is_ovr = model.multiclass == "ovr" and len(classes) > 2
    if signs and is_ovr:
        raise ValueError(
            "multiclass='ovr' divides the scores of one tree per class by their sum, so that "
            "monotonic_cst cannot be kept. Use multiclass='native'."
        )
    if model.max_columns is not None and is_ovr:
        raise ValueError(
            "max_columns counts the columns of one tree, and multiclass='ovr' grows one per class. "
            "Use multiclass='native'."
        )
    if costs and model.criterion not in _PER_CASE:
        raise ValueError(
            f"column_costs are paid for each case, and criterion={model.criterion!r} is no sum "
            f"over cases. Use one of {', '.join(map(repr, _PER_CASE))}."
        )
    target = classes.tolist().index(label) if signs else 0
    return Knowledge(signs=signs, target=target, max_columns=model.max_columns, costs=costs)


def read_monotone(
    monotonic_cst: Any, columns: Sequence[ColumnInfo], labels: NDArray[Any]
) -> tuple[dict[str, int], Any]:
    """Return the sign of each column that has one, and the class whose probability it is about."""
    if monotonic_cst is None or len(labels) < 2:
        return {}, None
    given = _by_name(monotonic_cst, columns)
    known = labels.tolist()
    kinds = {column.name: column.kind for column in columns}
    signs: dict[str, int] = {}
    named: dict[Any, str] = {}
    for name, entry in given.items():
        label, sign = _label_and_sign(name, entry, known)
        if sign == 0:
            continue
        if kinds[name] == "categorical":
            raise ValueError(
                f"monotonic_cst names the column {name!r}, whose levels have no order. Leave it "
                "out, or give it as numbers."
            )
        if len(known) == 2 and label == known[0]:  # the same of the second class
            label, sign = known[1], -sign
        signs[name] = sign
        named.setdefault(label, name)
    if len(named) > 1:
        first, second = list(named)[:2]
        raise ValueError(
            f"monotonic_cst is about the classes {first!r} (column {named[first]!r}) and "
            f"{second!r} (column {named[second]!r}). Name the same class for all columns."
        )
    return signs, next(iter(named), None)


def ordered(model: BsnsingClassifier, tree: Tree) -> Tree:
    """Return a tree whose probabilities keep ``monotonic_cst``."""
    if model.monotonic_cst is None:
        return tree
    signs, label = read_monotone(model.monotonic_cst, tree.columns, model.classes_)
    return keep_order(tree, signs, model.classes_.tolist().index(label)) if signs else tree


def check_columns(model: BsnsingClassifier, tree: Tree) -> None:
    """Refuse a tree of given rules that asks about more than ``max_columns``."""
    asked = {column for q in range(tree.n_questions) for column in tree.columns_of(q)}
    if model.max_columns is not None and len(asked) > model.max_columns:
        names = ", ".join(repr(tree.columns[column].name) for column in sorted(asked)[:10])
        raise ValueError(
            f"The tree asks about {len(asked)} columns ({names}), and max_columns is "
            f"{model.max_columns}. Raise it, or change the rules."
        )


def read_first_rules(given: Any) -> tuple[Rule, ...]:
    """Return the rules of the first levels, each of which may be in words."""
    return tuple(Rule.parse(rule) if isinstance(rule, str) else rule for rule in given or ())


def check_first_rule(model: BsnsingClassifier, trees: Sequence[Tree]) -> None:
    """Refuse trees that could not begin with the rule that they should begin with."""
    rules = read_first_rules(model.first_rules)
    for tree in trees if rules else ():
        if (tree.counts[0] > 0).sum() < 2 or asks(tree, 0, rules[0]):
            continue
        raise ValueError(
            f"first_rules begins with '{rules[0]}', which the tree cannot: it breaks a constraint, "
            f"or max_depth or max_leaf_nodes, or leaves fewer than {model.min_samples_leaf_} cases "
            "on one side. Change one of them, or min_samples_leaf."
        )


def _by_name(given: Any, columns: Sequence[ColumnInfo]) -> dict[str, Any]:
    names = [column.name for column in columns]
    if isinstance(given, Mapping):
        known = set(names)
        for name in given:
            if name not in known:
                raise ValueError(
                    f"monotonic_cst names the column {name!r}, which the table does not have. "
                    f"Its first columns are {', '.join(map(repr, names[:10]))}."
                )
        return dict(given)
    if len(given) != len(names):
        raise ValueError(
            f"monotonic_cst must have one entry for each of the {len(names)} columns. "
            f"Got {len(given)}: or give a dict of those that matter."
        )
    return dict(zip(names, given, strict=True))


def _label_and_sign(name: str, entry: Any, labels: list[Any]) -> tuple[Any, int]:
    label, sign = labels[-1], entry
    if isinstance(entry, Mapping):
        if len(entry) != 1:
            raise ValueError(
                f"monotonic_cst gives the column {name!r} {len(entry)} classes. Give one."
            )
        ((label, sign),) = entry.items()
        if label not in labels:
            raise ValueError(
                f"monotonic_cst names the class {label!r}, which is not in y. "
                f"The labels are {labels[:10]}."
            )
    elif len(labels) > 2 and entry != 0:
        raise ValueError(
            f"monotonic_cst must name the class whose probability it is about, since y has "
            f"{len(labels)}. Write {{{name!r}: {{{labels[-1]!r}: {entry!r}}}}}."
        )
    is_whole = isinstance(sign, int | np.integer) and not isinstance(sign, bool)
    if not is_whole or sign not in (-1, 0, 1):
        raise ValueError(
            f"monotonic_cst gives the column {name!r} the direction {sign!r}. Give 1, -1 or 0."
        )
    return label, int(sign)


def _read_column_costs(
    given: Mapping[str, float] | None, columns: Sequence[ColumnInfo]
) -> dict[str, float]:
    names = [column.name for column in columns]
    known = set(names)
    costs: dict[str, float] = {}
    for name, cost in (given or {}).items():
        if name not in known:
            raise ValueError(
                f"column_costs names the column {name!r}, which the table does not have. "
                f"Its first columns are {', '.join(map(repr, names[:10]))}."
            )
        if not (np.isfinite(cost) and cost >= 0):
            raise ValueError(
                f"column_costs gives {name!r} the cost {cost!r}. Give a finite number of at least "
                "0."
            )
        if cost > 0:
            costs[name] = float(cost)
    return costs

"""keep_order(): probabilities that only rise, or only fall, with the columns that must do so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bsnsing.tree.rule import Rule
from bsnsing.tree.tree import Tree


def keep_order(tree: Tree, signs: Mapping[str, int], target: int) -> Tree:
    """Return the tree with probabilities of a class that keep the order of columns.

    As a column of sign 1 grows and all other cells stay, the probability of the class at position
    ``target`` never falls; of sign -1 it never rises. That holds for every subtree with the same
    root too, and where further cells are unknown. Probabilities that keep the order already are not
    touched, and the others moved no further than to the middle of what the two sides of a rule say.

    Raises
    ------
    ValueError
        If a rule has no order by such a column: it asks for equality, or whether one of two
        questions holds but not both, or its questions look both ways.
    """
    value = tree.value.copy()
    low, high = np.zeros(tree.n_nodes), np.ones(tree.n_nodes)
    shares = value[:, target]
    for node, rule in enumerate(tree.rules):  # children come after their parents
        own = min(max(shares[node], low[node]), high[node])
        if own != shares[node]:
            _set_share(value[node], target, own)
        if rule is None:
            continue
        yes, no = int(tree.children_left[node]), int(tree.children_right[node])
        low[[yes, no]], high[[yes, no]] = low[node], high[node]
        order = rule_order(rule, signs, tree)
        if order == 0:
            continue
        above, below = (yes, no) if order > 0 else (no, yes)
        ends = np.clip(tree.value[[below, above], target], low[node], high[node])
        middle = ends.mean() if ends[0] <= ends[1] else own
        low[above], high[below] = middle, middle
    return tree if (value == tree.value).all() else replace(tree, value=value)


def rule_order(rule: Rule, signs: Mapping[str, int], tree: Tree) -> int:
    """Return 1 if "yes" may only raise the probability, -1 if it may only lower it, else 0."""
    orders = set[int]()
    for question, negated in zip(rule.questions, rule.negated, strict=True):
        column = question.column
        names = {column} if isinstance(column, str) else {column.first, column.second}
        if not names & signs.keys() or question.test == "is missing":
            continue
        if not isinstance(column, str):
            raise ValueError(_no_order(rule, f"asks about '{column}', made of two columns"))
        sign = signs[column]
        if question.test == "==" and _is_flag(tree, column):
            way = sign if question.value else -sign
        elif question.test in (">", ">="):
            way = sign
        elif question.test in ("<", "<="):
            way = -sign
        else:
            raise ValueError(_no_order(rule, f"asks for {question.test!r} of {column!r}"))
        orders.add(-way if negated else way)
    if len(orders) > 1:
        raise ValueError(_no_order(rule, "asks in both directions"))
    if orders and rule.operator == "xor" and len(rule.questions) > 1:
        raise ValueError(_no_order(rule, "joins its questions by 'xor'"))
    return orders.pop() if orders else 0


def _is_flag(tree: Tree, name: str) -> bool:
    return any(column.name == name and column.kind == "boolean" for column in tree.columns)


def _no_order(rule: Rule, why: str) -> str:
    return (
        f"The rule '{rule}' {why}, so that monotonic_cst cannot be kept. Change the rule, or take "
        "the column out of monotonic_cst."
    )


def _set_share(shares: NDArray[np.float64], target: int, wanted: float) -> None:
    """Change the share of one class in place; the others keep their proportions."""
    rest = 1.0 - shares[target]
    others = np.arange(len(shares)) != target
    if len(shares) == 2 or rest <= 0:
        shares[others] = (1.0 - wanted) / max(1, len(shares) - 1)
    else:
        shares[others] *= (1.0 - wanted) / rest
    shares[target] = wanted

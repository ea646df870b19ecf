"""What a page knows of a model: columns by position, questions and nodes as lists of numbers.

Names and levels are text that the page shows and never looks things up by; rows are not in it.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo, Level
from bsnsing.data.scales import Scale
from bsnsing.data.show import (
    is_printable,
    plainly,
    show_column,
    show_exactly,
    show_level,
    show_name,
)
from bsnsing.export.conditions import MOST_LEAVES, condition_texts, ways
from bsnsing.export.direction import in_line
from bsnsing.export.form import AskedQuestion, ModelForm, TreeForm
from bsnsing.export.page.sheets import MEASURES, picture_data
from bsnsing.export.palette import class_colours, rest_colour
from bsnsing.export.picture import TreePicture
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import OWN, Question
from bsnsing.tree.importances import impurity_reductions
from bsnsing.tree.text import show_class, show_origin
from bsnsing.tree.tree import Tree

_LONGEST_CONDITION = 400
_SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠", "==": "="}
# The text of a setting is cut off here.
_LONGEST_SETTING = 200


def model_data(form: ModelForm, pictures: Sequence[TreePicture]) -> dict[str, Any]:
    """Return the model as what JSON can carry: to be evaluated by the page, and to be drawn."""
    place = {column.name: i for i, column in enumerate(form.asked_columns)}
    pairs = {pair: len(place) + i for i, pair in enumerate(form.asked_pairs)}
    codes = {
        name: {level: code for code, level in enumerate(levels)}
        for name, levels in form.asked_levels.items()
    }
    colours = {label: c.strong for label, c in class_colours(form.classes).items()}
    rest = rest_colour().strong  # of "not setosa", in a tree of one class
    had_missing = {
        column.name
        for own in form.trees
        for column, missing in zip(own.tree.columns, own.tree.has_missing, strict=False)
        if missing  # pairs come behind the columns
    }
    numbers = iter(range(len(form.trees)))
    return {
        "classes": [in_line(_show_label(label)) for label in form.classes],
        "colours": list(colours.values()),
        "voting": form.voting,
        "costs": form.costs,
        "columns": [_column_data(column, had_missing) for column in form.asked_columns],
        "pairs": [
            [
                place[pair.first],
                pair.sign,
                place[pair.second],
                pair.factor,
                in_line(plainly(str(pair))),
            ]
            for pair in form.asked_pairs
        ],
        "members": [[next(numbers) for _ in member] for member in form.members],
        "trees": [
            {
                **_tree_data(own, place, pairs, codes),
                "colours": [colours.get(label, rest) for label in own.tree.classes.tolist()],
                **picture_data(picture),
            }
            for own, picture in zip(form.trees, pictures, strict=True)
        ],
        "measures": MEASURES,
        "columnsUsed": _columns_used(form),
        "nColumns": len(form.columns),
        "kinds": Counter(
            column.kind if column.scale is None else column.scale.kind for column in form.columns
        ),
        "nMissing": len(had_missing),
    }


def settings_of(model: Any) -> list[list[Any]]:
    """Return name, value and whether it is the default of each setting; none of a Tree.

    Values that hold data, such as arrays, are named by their type alone.
    """
    if not hasattr(model, "get_params"):
        return []
    usual = {
        name: parameter.default
        for name, parameter in inspect.signature(type(model)).parameters.items()
        if parameter.default is not parameter.empty
    }
    settings = []
    for name, value in model.get_params(deep=False).items():
        is_usual = name in usual and repr(usual[name]) == repr(value)
        settings.append([name, _show_setting(value), is_usual])
    return settings


def _show_setting(value: Any) -> str:
    if hasattr(value, "shape") or hasattr(value, "__dataframe__"):
        return f"{type(value).__name__} of shape {getattr(value, 'shape', '?')}"
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST_SETTING else text[: _LONGEST_SETTING - 1] + "…"


def _show_label(label: Any) -> str:
    return show_name(label) if isinstance(label, str) else show_level(label)


def _column_data(column: ColumnInfo, had_missing: set[str]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": in_line(plainly(show_column(column.name))),
        "kind": column.kind,
        "missing": column.name in had_missing,
    }
    if column.scale is not None:
        data |= {"scale": column.scale.kind, "zoned": column.scale.zone is not None}
    if column.kind == "categorical":
        data["levels"] = level_texts(column.levels)
        data["numbers"] = [_level_number(level) for level in column.levels]
        data["shown"] = _shown_levels(column.levels)
    return data


def level_texts(levels: Sequence[Level]) -> list[str]:
    """Return what is typed for each level: text as it is, numbers with all their digits.

    No two are the same: what looks like a level of plain text says that it is not.
    """
    taken = {level for level in levels if isinstance(level, str) and _can_be_typed(level)}
    typed = []
    for level in levels:
        if isinstance(level, str) and level in taken:
            typed.append(level)
            continue
        is_text = isinstance(level, str)
        text = json.dumps(level) if is_text else show_exactly(level)
        while text in taken:
            text += " (text)" if is_text else " (number)"
        taken.add(text)
        typed.append(text)
    return typed


def _can_be_typed(level: str) -> bool:
    # A line to type in holds no line ends, and nothing typed is a missing cell.
    return bool(level.strip()) and is_printable(level)


def _level_number(level: Level) -> float | int | None:
    """Return the number that a level is, where the page has that very number; else None."""
    if isinstance(level, str | bool) or not abs(level) < 2**1000:
        return None
    return level if float(level) == level else None


def _shown_levels(levels: Sequence[Level]) -> list[str]:
    """Write levels as rules do, with as many digits as tell them apart."""
    shown = [plainly(show_level(level)) for level in levels]
    n_alike = Counter(shown)
    return [
        in_line(text if n_alike[text] == 1 else show_exactly(level))
        for text, level in zip(shown, levels, strict=True)
    ]


def _tree_data(
    form: TreeForm,
    place: dict[str, int],
    pairs: dict[ColumnPair, int],
    codes: dict[str, dict[Level, int]],
) -> dict[str, Any]:
    tree = form.tree
    nodes = form.nodes
    weighted = bool((tree.class_weight != tree.class_weight[0]).any())
    scales = {column.name: column.scale for column in tree.columns if column.scale is not None}
    return {
        "title": in_line(form.title),
        "classes": [in_line(show_class(tree, k)) for k in range(len(tree.classes))],
        "taught": tree.is_taught,
        "nSynthetic": int(tree.n_synthetic),
        "weights": tree.class_weight.tolist() if weighted else None,
        "costs": None if tree.costs is None else tree.costs.tolist(),
        "yes": tree.children_left.tolist(),
        "no": tree.children_right.tolist(),
        "share": [node.yes_share if not node.is_leaf else 0 for node in nodes],
        "value": [
            list(node.value) if node.is_leaf else [round(v, 6) for v in node.value]
            for node in nodes
        ],
        "counts": [[_short(count) for count in row] for row in tree.counts.tolist()],
        "operator": [node.operator if not node.is_leaf else "" for node in nodes],
        "questions": [
            [_question_data(asked, place, pairs, codes, scales) for asked in node.questions]
            for node in nodes
        ],
        "proof": _proof_data(tree),
        "rules": _leaf_rules(form) if tree.n_leaves <= MOST_LEAVES else None,
    }


def _leaf_rules(form: TreeForm) -> list[list[str] | None]:
    """Return the conditions of each leaf in words, None at other nodes."""
    columns = {column.name: column for column in form.tree.columns}
    found: list[list[str] | None] = [None] * len(form.nodes)
    for node, way in ways(form):
        if node.is_leaf:
            found[node.id] = [_with_signs(text) for text in condition_texts(way, columns)]
    return found


def _with_signs(text: str) -> str:
    """Write comparisons with the signs of mathematics; names in quotes stay as they are."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<= )[<>=!]=(?= )", lambda sign: _SIGNS[sign.group()], parts[i])
    return in_line(plainly("".join(parts))[:_LONGEST_CONDITION])


def _question_data(
    asked: AskedQuestion,
    place: dict[str, int],
    pairs: dict[ColumnPair, int],
    codes: dict[str, dict[Level, int]],
    scales: dict[str, Scale],
) -> list[Any]:
    """Subject, test, value, negated, answers to missing and unseen cells; test, value in words.

    Last, where the question came from, unless the tree asked it of itself.
    """
    question = asked.question
    column, value = question.column, question.value
    test, text = question.test, ""
    plain: Any = None
    if isinstance(column, str) and column in codes and question.test != "is missing":
        levels = value if isinstance(value, tuple) else (value,)
        plain = sorted(codes[column][level] for level in levels)  # type: ignore[index]
    elif question.test != "is missing":
        plain = float(value)  # type: ignore[arg-type]
        test, shown = _in_moments(question, scales).plainest()  # type: ignore[assignment]
        text = show_level(shown)
    return [
        pairs[column] if isinstance(column, ColumnPair) else place[column],
        question.test,
        plain,
        int(asked.negated),
        _answer(asked.when_missing),
        _answer(asked.when_unseen),
        test,
        text,
        None if question.origin in (None, OWN) else show_origin(question.origin),
    ]


def _in_moments(question: Question, scales: dict[str, Scale]) -> Question:
    """Return a question about microseconds as one about the moment that they stand for."""
    scale = scales.get(question.column) if isinstance(question.column, str) else None
    if scale is None:
        return question
    test, value = scale.value(float(question.value), question.test)  # type: ignore[arg-type]
    return replace(question, test=test, value=value)  # type: ignore[arg-type]


def _answer(answer: bool | None) -> int | None:
    return None if answer is None else int(answer)


def _proof_data(tree: Tree) -> dict[str, Any]:
    return {
        "optimal": tree.optimal.astype(int).tolist(),
        "ownOptimal": tree.own_optimal.astype(int).tolist(),
        "bestOwnProven": tree.best_own_proven.astype(int).tolist(),
        "objective": _numbers(tree.objective),
        "bound": _numbers(tree.bound),
        "own": _numbers(tree.own_objective),
        "bestOwn": _numbers(tree.best_own_objective),
        "rules": _numbers(tree.n_counted + tree.n_excluded),
    }


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    """Return numbers of seven digits, and null for those that JSON does not have."""
    return [
        _short(float(f"{value:.7g}")) if math.isfinite(value) else None for value in values.tolist()
    ]


def _short(number: float) -> float | int:
    return int(number) if number == int(number) and abs(number) < 2**53 else number


def _columns_used(form: ModelForm) -> list[list[Any]]:
    """Return place, rules and share of the impurity reduction of each column asked about."""
    positions = {column.name: i for i, column in enumerate(form.columns)}
    shares = np.zeros(len(form.columns))
    n_rules = np.zeros(len(form.columns), dtype=int)
    for own in form.trees:
        reductions = impurity_reductions(own.tree)
        whole = reductions.sum()
        shares += reductions / whole if whole > 0 else 0.0
        for rule in own.tree.rules:
            for position in _columns_of(rule, positions):
                n_rules[position] += 1
    whole = shares.sum()
    shares = shares / whole if whole > 0 else shares
    return [
        [i, int(n_rules[positions[c.name]]), round(float(shares[positions[c.name]]), 6)]
        for i, c in enumerate(form.asked_columns)
    ]


def _columns_of(rule: Any, positions: dict[str, int]) -> set[int]:
    names: set[str] = set()
    for question in () if rule is None else rule.questions:
        column = question.column
        is_pair = isinstance(column, ColumnPair)
        names.update((column.first, column.second) if is_pair else (column,))
    return {positions[name] for name in names}

"""A tree as an object of JSON, and back: the inner part of formats 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.scales import Scale
from bsnsing.export.json_read import ModelFileError, Place, as_number
from bsnsing.export.json_rule import JoinedQuestions, scales_of
from bsnsing.export.json_values import (
    columns_from_json,
    columns_to_json,
    labels_from_json,
    labels_to_json,
    pair_from_json,
    pair_to_json,
    question_from_json,
    question_to_json,
)
from bsnsing.questions.coded import CodedQuestion
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import OWN, TESTS, Question
from bsnsing.tree.check import check_tree
from bsnsing.tree.rule import OPERATORS, Rule
from bsnsing.tree.tree import Tree, origin_arrays, starts_of

_TREE = ("classes", "class_weight", "is_taught", "n_synthetic", "missing_in", "nodes")
_NODE = ("id", "probabilities", "counts", "impurity", "weighted_cases", "proof")
_SPLIT = ("operator", "questions", "yes", "no")
_SEARCH = ("optimal", "n_counted", "n_excluded")
_OBJECTIVES = ("objective", "bound", "own_objective", "best_own_objective")


# --- Writing ---


def tree_to_json(tree: Tree, shared: Sequence[ColumnInfo] | None = None) -> dict[str, Any]:
    """Write a tree; its columns too, unless they are those that the trees of a model share."""
    n_columns = len(tree.columns)
    written: dict[str, Any] = {}
    if shared is None or tree.columns != tuple(shared):
        written["columns"] = columns_to_json(tree.columns)
    written["classes"] = labels_to_json(tree.classes)
    written["class_weight"] = tree.class_weight.tolist()
    if tree.costs is not None:
        written["costs"] = tree.costs.tolist()
    written["is_taught"] = bool(tree.is_taught)
    written["n_synthetic"] = int(tree.n_synthetic)
    written["missing_in"] = [
        column.name
        for column, missing in zip(tree.columns, tree.has_missing[:n_columns], strict=True)
        if missing
    ]
    if tree.pairs:
        written["pairs"] = [
            pair_to_json(pair) | {"has_missing": bool(missing)}
            for pair, missing in zip(tree.pairs, tree.has_missing[n_columns:], strict=True)
        ]
    written["nodes"] = _nodes_to_json(tree)
    return written


def _nodes_to_json(tree: Tree) -> list[dict[str, Any]]:
    listed = {
        name: getattr(tree, name).tolist()
        for name in (
            *("children_left", "children_right", "value", "counts", "impurity", "weighted_cases"),
            *(*_SEARCH, *_OBJECTIVES, "best_own_proven"),
        )
    }
    # Moments and ordered levels are numbers, as the engines have them; only the text has words.
    bare = tuple(replace(column, scale=None) for column in tree.columns)
    rules = replace(tree, columns=bare).rules
    scales = scales_of(tree.columns)
    return [_node_to_json(i, rule, scales, listed) for i, rule in enumerate(rules)]


def _node_to_json(
    i: int, rule: Rule | None, scales: dict[str, Scale], listed: dict[str, list[Any]]
) -> dict[str, Any]:
    node: dict[str, Any] = {"id": i}
    proof = {name: listed[name][i] for name in _SEARCH}
    if rule is not None:
        node["rule"] = JoinedQuestions(
            rule.questions, rule.negated, rule.operator, rule.has_missing
        ).text(scales)
        node["operator"] = rule.operator
        node["questions"] = [
            question_to_json(question, negated=negated)
            for question, negated in zip(rule.questions, rule.negated, strict=True)
        ]
        node["yes"], node["no"] = listed["children_left"][i], listed["children_right"][i]
        proof |= {name: as_number(listed[name][i]) for name in _OBJECTIVES}
        proof["best_own_proven"] = listed["best_own_proven"][i]
    node["probabilities"], node["counts"] = listed["value"][i], listed["counts"][i]
    node["impurity"] = listed["impurity"][i]
    node["weighted_cases"] = listed["weighted_cases"][i]
    node["proof"] = proof
    return node


# --- Reading ---


class _ReadNode(NamedTuple):
    """What a node's object says, in the terms of the arrays."""

    left: int
    right: int
    operator: int
    questions: list[CodedQuestion]
    negated: list[bool]
    origins: list[str]
    numbers: dict[str, Any]


class _Subjects:
    """What questions can be about: the columns and pairs of a tree."""

    def __init__(
        self,
        columns: Sequence[ColumnInfo],
        pairs: Sequence[ColumnPair],
        has_missing: Sequence[bool],
    ) -> None:
        self.columns = columns
        self.has_missing = has_missing
        self.scales = scales_of(columns, in_utc=True)
        subjects: list[str | ColumnPair] = [column.name for column in columns]
        self.position = {subject: i for i, subject in enumerate([*subjects, *pairs])}
        # Levels by type too, as True is 1 to Python.
        self.code = {
            column.name: {(type(level), level): i for i, level in enumerate(column.levels)}
            for column in columns
        }

    def coded(self, place: Place) -> tuple[CodedQuestion, Question, bool]:
        """Read a question, and translate it to positions."""
        question, negated = question_from_json(place)
        if question.column not in self.position:
            raise ModelFileError(
                f"{place.where} is about {str(question.column)[:60]!r}, which is no column of the "
                "model, or no pair of the tree. Give a file that model.save wrote."
            )
        position, test = self.position[question.column], TESTS.index(question.test)
        is_column = position < len(self.columns)
        is_of_levels = is_column and self.columns[position].kind == "categorical"
        if question.test == "is missing":
            return (position, test, 0.0, []), question, negated
        if is_of_levels != (question.test == "in") and question.test != "==":
            place.fail("a question whose test fits its column")
        if not is_of_levels:
            written = Place(place.value["value"], f"{place.where}.value")
            number = written.number(finite=question.test != "==")
            return (
                (position, test, number, []),
                replace(question, value=number),
                negated,
            )
        code = self.code[self.columns[position].name]
        wanted = question.value if isinstance(question.value, tuple) else (question.value,)
        for level in wanted:
            if (type(level), level) not in code:
                place.fail(f"about levels of its column, which has no {str(level)[:60]!r}")
        codes = [code[type(level), level] for level in wanted]  # type: ignore[index]
        number = float(codes[0]) if question.test == "==" else 0.0  # as engines have it
        return (position, test, number, codes), question, negated


def tree_from_json(place: Place, shared: tuple[ColumnInfo, ...] | None = None) -> Tree:
    """Read a tree and check that it is one."""
    required = _TREE if shared is not None else ("columns", *_TREE)
    fields = place.fields(required, ("pairs", "columns", "costs"))
    columns = columns_from_json(fields["columns"]) if "columns" in fields else shared or ()
    classes = labels_from_json(fields["classes"])
    missing_in = {own.text() for own in fields["missing_in"].items()}
    if unknown := missing_in - {column.name for column in columns}:
        fields["missing_in"].fail(f"a list of columns, and {min(unknown)[:60]!r} is none")
    pair_places = list(fields["pairs"].items()) if "pairs" in fields else []
    pairs = tuple(pair_from_json(own) for own in pair_places)
    has_missing = [column.name in missing_in for column in columns]
    for own in pair_places:
        pair_fields = own.fields(("first", "sign", "second", "has_missing"), ("factor",))
        has_missing.append(pair_fields["has_missing"].flag())
    subjects = _Subjects(columns, pairs, has_missing)
    n_classes = len(classes)
    class_weight = fields["class_weight"].numbers(n_classes, 0.0)
    n_synthetic = fields["n_synthetic"].integer(0, 2**53)
    is_taught = fields["is_taught"].flag()
    nodes = [
        _read_node(own, i, n_classes, subjects) for i, own in enumerate(fields["nodes"].items())
    ]
    if not nodes:
        fields["nodes"].fail("a list of nodes")
    try:
        tree = Tree(
            columns=columns,
            pairs=pairs,
            has_missing=tuple(has_missing),
            classes=classes,
            class_weight=class_weight,
            is_taught=is_taught,
            n_synthetic=n_synthetic,
            **_arrays(nodes),
            costs=_read_costs(fields.get("costs"), n_classes),
        )
        check_tree(tree)
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"{place.where or 'The model'}: {error}") from None
    return tree


def _read_costs(place: Place | None, n_classes: int) -> NDArray[np.float64] | None:
    if place is None:
        return None
    rows = [own.numbers(n_classes, 0.0) for own in place.items()]
    if len(rows) != n_classes:
        place.fail("a row of costs for each class")
    return np.array(rows)


def _read_node(place: Place, i: int, n_classes: int, subjects: _Subjects) -> _ReadNode:
    is_split = type(place.value) is dict and "questions" in place.value
    fields = place.fields((*_NODE, *_SPLIT) if is_split else _NODE, ("rule",) if is_split else ())
    if fields["id"].integer(0) != i:
        fields["id"].fail(f"{i}, the node's position")
    proof_fields = (*_SEARCH, *_OBJECTIVES, "best_own_proven") if is_split else _SEARCH
    proof = fields["proof"].fields(proof_fields)
    numbers: dict[str, Any] = {
        "value": fields["probabilities"].numbers(n_classes, 0.0),
        "counts": fields["counts"].numbers(n_classes, 0.0),
        "impurity": fields["impurity"].number(),
        "weighted_cases": fields["weighted_cases"].number(0.0),
        "optimal": proof["optimal"].flag(),
        "n_counted": proof["n_counted"].number(0.0),
        "n_excluded": proof["n_excluded"].number(0.0),
    }
    for name in _OBJECTIVES:
        numbers[name] = proof[name].number(finite=False) if is_split else math.nan
    numbers["best_own_proven"] = proof["best_own_proven"].flag() if is_split else False
    if not is_split:
        return _ReadNode(-1, -1, 0, [], [], [], numbers)
    operator = fields["operator"].one_of(OPERATORS)
    read = [subjects.coded(own) for own in fields["questions"].items()]
    negated = [own[2] for own in read]
    if "rule" in fields:
        missing = [subjects.has_missing[coded[0]] for coded, _, _ in read]
        joined = JoinedQuestions([own[1] for own in read], negated, operator, missing)
        if not joined.are_said_by(fields["rule"].text(), subjects.scales):
            raise ModelFileError(
                f"{fields['rule'].where} reads {shown_text(fields['rule'].text())}, but the "
                f"questions beside it say {shown_text(joined.text(subjects.scales))}. Change both "
                "alike, or remove the text: the questions count."
            )
    return _ReadNode(
        fields["yes"].integer(0),
        fields["no"].integer(0),
        OPERATORS.index(operator),
        [own[0] for own in read],
        negated,
        [own[1].origin or OWN for own in read],
        numbers,
    )


def shown_text(text: str) -> str:
    """Write text in quotes, cut off where it is long."""
    return repr(text if len(text) <= 200 else f"{text[:200]}...")


def _arrays(nodes: list[_ReadNode]) -> dict[str, Any]:
    """The arrays of a tree, from its nodes."""
    left, right = np.array([[node.left, node.right] for node in nodes], dtype=np.int32).T
    depth = np.zeros(len(nodes), dtype=np.int32)
    for i, node in enumerate(nodes):
        for child in (node.left, node.right):
            if 0 <= child < len(nodes):  # whether it comes after its parent is checked later
                depth[child] = depth[i] + 1
    questions = [question for node in nodes for question in node.questions]
    origins = [origin for node in nodes for origin in node.origins]
    types = dict.fromkeys(("optimal", "best_own_proven"), np.bool_)
    return {
        "children_left": left.copy(),
        "children_right": right.copy(),
        "depth": depth,
        **{
            name: np.array([node.numbers[name] for node in nodes], dtype=types.get(name))
            for name in nodes[0].numbers
        },
        "operator": np.array([node.operator for node in nodes], dtype=np.uint8),
        "first_question": starts_of([len(node.questions) for node in nodes]),
        "question_column": np.array([question[0] for question in questions], dtype=np.int32),
        "question_test": np.array([question[1] for question in questions], dtype=np.uint8),
        "question_value": np.array([question[2] for question in questions], dtype=np.float64),
        "question_negated": np.array([n for node in nodes for n in node.negated], dtype=np.uint8),
        "first_level": starts_of([len(question[3]) for question in questions]),
        "levels": np.array([code for question in questions for code in question[3]], np.int32),
        **origin_arrays(origins),
    }

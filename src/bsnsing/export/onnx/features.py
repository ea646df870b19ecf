"""What trees read: one matrix of doubles, made of the columns and pairs that rules ask about.

A missing cell is NaN. A column of levels holds their positions, and UNSEEN for all others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Level
from bsnsing.export.code.program import ColumnCell, PairCell, Program
from bsnsing.export.levels import texts_of_levels
from bsnsing.export.onnx.graph import ML_DOMAIN, ML_OPSET, Graph

UNSEEN = -2.0
_LEAST_POWER = -324
_LN10 = 2.302585092994046


def is_text(levels: tuple[Level, ...] | None) -> bool:
    """Whether a column of these levels comes as text: all levels do where one is text."""
    return levels is not None and (not levels or any(isinstance(v, str) for v in levels))


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where columns come from: each of shape (n_rows, 1), or all in one matrix of doubles."""

    columns: dict[str, str]  # by name; of a matrix, none
    matrix: str | None
    n_rows_of: str  # a value that has all rows


@dataclass(frozen=True, slots=True)
class Features:
    """The matrix, and the column that each cell is in, and each group of levels of a cell."""

    value: str
    column: dict[str, int]
    width: int
    groups: dict[tuple[str, int], int] = field(default_factory=dict)


def add_features(graph: Graph, program: Program, inputs: Inputs, missing_text: str) -> Features:
    """Add the matrix of all cells that rules read."""
    position = {column.name: i for i, column in enumerate(program.form.columns)}
    # A matrix is taken as it is, since to pick columns takes longer than to walk a tree.
    parts = [] if inputs.matrix is None else [inputs.matrix]
    width = 0 if inputs.matrix is None else len(position)
    number: dict[str, int] = {}
    single: dict[str, str] = {}

    def value_of(column: ColumnCell) -> str:
        if column.identifier not in single:
            single[column.identifier] = (
                inputs.columns[column.name]
                if inputs.matrix is None
                else graph.gather(inputs.matrix, [position[column.name]], 1)
            )
        return single[column.identifier]

    for column in program.columns:
        if inputs.matrix is not None and column.levels is None:
            number[column.identifier] = position[column.name]
            continue
        value = value_of(column)
        if column.levels is not None:
            value = _positions(graph, column, value, missing_text)
        number[column.identifier] = width + len(parts) - (inputs.matrix is not None)
        parts.append(value)
    known = {column.identifier: column for column in program.columns}
    for pair in program.pairs:
        first, second = (value_of(known[name]) for name in (pair.first, pair.second))
        number[pair.identifier] = width + len(parts) - (inputs.matrix is not None)
        parts.append(_pair(graph, pair, first, second))
    whole = parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)
    return Features(whole, number, width + len(parts) - (inputs.matrix is not None))


def _positions(graph: Graph, column: ColumnCell, value: str, missing_text: str) -> str:
    nan = graph.constant(np.nan)
    levels = column.levels or ()
    if is_text(levels):
        texts = texts_of_levels(column.name, levels, "ONNX")
        places = list(range(len(texts)))
        if missing_text not in texts:
            texts, places = [*texts, missing_text], [*places, -1]
        code = graph.add(
            "LabelEncoder",
            value,
            domain=ML_DOMAIN,
            keys_strings=texts,
            values_int64s=places,
            default_int64=int(UNSEEN),
        )
        code = graph.cast(code, "DOUBLE")
        return graph.add("Where", graph.add("Equal", code, graph.constant(-1.0)), nan, code)
    numbers = np.array([float(level) for level in levels])
    if graph.ml_opset < 4:
        code = _position_of(graph, value, numbers)
    else:
        tensor = graph.onnx.numpy_helper.from_array
        code = graph.add(
            "LabelEncoder",
            value,
            domain=ML_DOMAIN,
            keys_tensor=tensor(numbers),
            values_tensor=tensor(np.arange(float(len(levels)))),
            default_tensor=tensor(np.array([UNSEEN])),
        )
    return graph.add("Where", graph.add("IsNaN", value), nan, code)


def _position_of(graph: Graph, value: str, numbers: NDArray[np.float64]) -> str:
    """Where each number is among some; labels of doubles came late to ONNX."""
    is_level = graph.cast(graph.add("Equal", value, graph.constant(numbers[None])), "INT32")
    place = graph.cast(graph.add("ArgMax", is_level, axis=1, keepdims=1), "DOUBLE")
    is_any = graph.cast(graph.add("ReduceMax", is_level, graph.whole(1), keepdims=1), "BOOL")
    return graph.add("Where", is_any, place, graph.constant(UNSEEN))


def with_groups(graph: Graph, program: Program, features: Features) -> Features:
    """Add columns of 1 and 0 for questions about groups, where trees cannot ask for a group."""
    asked = {
        (test.cell, int(test.operands[0])): None
        for tree in program.form.trees
        for node in tree.nodes
        for test in program.tests(node)
        if test.name == "among"
    }
    if not asked or graph.ml_opset >= ML_OPSET:
        return features
    levels = {column.identifier: column.levels or () for column in program.columns}
    found = [features.value]
    for cell, group in asked:
        table = np.zeros(len(levels[cell]))
        table[list(program.groups[group])] = 1.0
        code = graph.gather(features.value, [features.column[cell]], 1)
        is_known = graph.add("GreaterOrEqual", code, graph.constant(0.0))
        place = graph.add("Where", is_known, code, graph.constant(0.0))
        member = graph.add("Gather", graph.constant(table), graph.cast(place, "INT64"))
        found.append(graph.add("Where", is_known, member, graph.constant(0.0)))
    return Features(
        graph.add("Concat", *found, axis=1),
        features.column,
        features.width + len(asked),
        {key: features.width + i for i, key in enumerate(asked)},
    )


def _pair(graph: Graph, cell: PairCell, first: str, second: str) -> str:
    scaled = graph.add("Mul", graph.constant(cell.pair.factor), second)
    operator = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}[cell.pair.sign]
    number = graph.add(operator, first, scaled)
    if cell.is_rounded:
        number = _rounded(graph, number, first, scaled)
    return graph.add("Where", graph.is_finite(number), number, graph.constant(np.nan))


def _rounded(graph: Graph, number: str, first: str, second: str) -> str:
    """Round to twelve decimal digits of the greater part of a sum, as ColumnPair does."""
    add, one = graph.add, graph.constant(1, np.int64)
    powers = graph.constant([float(f"1e{n}") for n in range(_LEAST_POWER, 310)])
    size = add("Max", add("Abs", first), add("Abs", second))
    usable = add("And", add("Greater", size, graph.constant(0.0)), graph.is_finite(size))
    size = add("Where", usable, size, graph.constant(1.0))
    guess = add("Ceil", add("Div", add("Log", size), graph.constant(_LN10)))
    place = add("Sub", graph.cast(guess, "INT64"), graph.constant(_LEAST_POWER, np.int64))
    # The logarithm may have been rounded to the other side of a power of ten.
    above = add("Greater", size, add("Gather", powers, place))
    place = add("Add", place, graph.cast(above, "INT64"))
    lower = add("Max", add("Sub", place, one), graph.constant(0, np.int64))
    beyond = add("Greater", size, add("Gather", powers, lower))
    place = add("Sub", place, graph.cast(add("Not", beyond), "INT64"))
    digits = add("Sub", graph.constant(12 - _LEAST_POWER, np.int64), place)
    zero, limit = graph.constant(0, np.int64), graph.constant(300, np.int64)
    origin = graph.constant(-_LEAST_POWER, np.int64)
    scale = []
    for signed in (digits, add("Neg", digits)):
        exponent = add("Min", add("Max", signed, zero), limit)
        scale.append(add("Gather", powers, add("Add", exponent, origin)))
    up, down = scale
    whole = add("Round", add("Div", add("Mul", number, up), down))
    rounded = add("Mul", add("Div", whole, up), down)
    return add("Where", graph.is_finite(rounded), rounded, number)

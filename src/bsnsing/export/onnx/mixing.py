"""Probabilities of rows that some rule may leave unknown, by plain operators.

All questions are answered at once, for some rows at a time; then trees are gone through level by
level from below, where each node takes from its children what its rule says, or both.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.export.code.program import CellTest, Program
from bsnsing.export.form import NodeForm, TreeForm
from bsnsing.export.onnx.features import UNSEEN, Features
from bsnsing.export.onnx.graph import Graph

NO, UNKNOWN, YES = 0, 1, 2
_ANSWER = {False: NO, None: UNKNOWN, True: YES}
# Cells that are worked out at a time, of rows and questions.
_CELLS_AT_A_TIME = 1_000_000
# Deeper trees are gone through node by node: a runtime takes long to load many operators.
_MOST_LEVELS = 200


def add_open_rows(graph: Graph, program: Program, features: Features) -> tuple[str, str]:
    """Add the positions of rows that may meet an unknown, and their features."""
    levels = {c.identifier for c in program.columns if c.levels is not None}
    missing = {
        test.cell
        for tree in program.form.trees
        for node in tree.nodes
        for test in program.tests(node)
        if test.when_missing is None
    }
    unknown: list[str] = []
    if levels:
        is_unseen = graph.add("Equal", features.value, graph.constant(UNSEEN))
        unknown.append(_only(graph, is_unseen, levels, features))
    if missing:
        is_missing = graph.add("IsNaN", features.value)
        unknown.append(_only(graph, is_missing, missing, features))
    whole = graph.cast(graph.any_of(unknown), "INT32")
    is_open = graph.add("ReduceMax", whole, graph.whole(1), keepdims=0)
    positions = graph.add("NonZero", is_open)  # of shape (1, n_open)
    rows = graph.add("Squeeze", positions, graph.whole(0))
    return rows, graph.add("Gather", features.value, rows, axis=0)


def _only(graph: Graph, cells: str, names: set[str], features: Features) -> str:
    """What is true of cells in these columns."""
    wanted = np.zeros((1, features.width), dtype=bool)
    wanted[0, [features.column[name] for name in names]] = True
    return cells if wanted.all() else graph.add("And", cells, graph.constant(wanted, np.bool_))


def add_mixing(
    graph: Graph, program: Program, tree: TreeForm, known: str, rows: str, features: Features
) -> str:
    """Put the probabilities of the open rows into those that complete rows get."""
    n_open = graph.add("Size", rows)
    is_any = graph.add("Greater", n_open, graph.constant(0, np.int64))
    then, otherwise = graph.inner(), graph.inner()
    mixed = _add_loop(then, program, tree, n_open, features)
    places = then.add("Unsqueeze", rows, then.whole(1))
    put = then.add("ScatterND", known, places, mixed)
    same = otherwise.add("Identity", known)
    shape = [None, len(tree.nodes[0].value)]
    return graph.add(
        "If",
        is_any,
        then_branch=then.proto("open_rows", [], [then.value_info(put, "DOUBLE", shape)]),
        else_branch=otherwise.proto("none", [], [otherwise.value_info(same, "DOUBLE", shape)]),
    )


def _add_loop(
    graph: Graph, program: Program, tree: TreeForm, n_open: str, features: Features
) -> str:
    """Work through the rows a few at a time, so that memory does not grow with them."""
    n_tests = sum(len(node.questions) for node in tree.nodes)
    n_values = len(tree.nodes[0].value)
    if tree.tree.max_depth > _MOST_LEVELS:  # each node copies what all of them have
        n_tests = 16 * len(tree.nodes) * n_values
    step = max(_CELLS_AT_A_TIME // n_tests, 1)
    rounds = graph.add("Add", n_open, graph.constant(step - 1, np.int64))
    rounds = graph.add("Div", rounds, graph.constant(step, np.int64))
    body = graph.inner()
    number, go_on, done = body.name("round"), body.name("go_on"), body.name("done")
    start = body.add("Mul", number, body.constant(step, np.int64))
    end = body.add("Add", start, body.constant(step, np.int64))
    places = [body.add("Unsqueeze", value, body.whole(0)) for value in (start, end)]
    own = body.add("Slice", features.value, *places, body.whole(0))
    more = body.add(
        "Concat", done, _mixed(body, program, tree, replace(features, value=own)), axis=0
    )
    still = body.add("Identity", go_on)
    shape = [None, n_values]
    proto = body.proto(
        "some_rows",
        [
            body.value_info(number, "INT64", []),
            body.value_info(go_on, "BOOL", []),
            body.value_info(done, "DOUBLE", shape),
        ],
        [body.value_info(still, "BOOL", []), body.value_info(more, "DOUBLE", shape)],
    )
    none = graph.constant(np.empty((0, n_values)))
    return graph.add("Loop", rounds, graph.constant(True, np.bool_), none, body=proto)


def _mixed(graph: Graph, program: Program, tree: TreeForm, features: Features) -> str:
    """What rows of these features get, of shape (n_rows, n_values)."""
    inner = [node for node in tree.nodes if not node.is_leaf]
    place = {node.id: i for i, node in enumerate(inner)}
    answers = _rule_answers(graph, program, inner, features)
    n_rows = graph.add("Slice", graph.add("Shape", features.value), graph.whole(0), graph.whole(1))
    if tree.tree.max_depth > _MOST_LEVELS:
        return _node_by_node(graph, tree, inner, answers, n_rows)
    levels: list[list[NodeForm]] = [[tree.nodes[0]]]
    while below := [tree.nodes[c] for n in levels[-1] if not n.is_leaf for c in (n.yes, n.no)]:
        levels.append(below)
    values = ""
    column: dict[int, int] = {}
    for level in reversed(levels):
        values, column = _level(graph, level, values, column, answers, place, n_rows)
    return graph.add("Squeeze", values, graph.whole(1))


def _level(
    graph: Graph,
    level: list[NodeForm],
    below: str,
    column: dict[int, int],
    answers: str,
    place: dict[int, int],
    n_rows: str,
) -> tuple[str, dict[int, int]]:
    """Values of the nodes of a level, of shape (n_rows, n_nodes, n_values), and their columns."""
    inner = [node for node in level if not node.is_leaf]
    leaves = [node for node in level if node.is_leaf]
    parts = []
    if inner:
        yes = graph.gather(below, [column[node.yes] for node in inner], 1)
        no = graph.gather(below, [column[node.no] for node in inner], 1)
        answer = graph.gather(answers, [place[node.id] for node in inner], 1)
        answer = graph.add("Unsqueeze", answer, graph.whole(2))
        shares = graph.constant([[[node.yes_share] for node in inner]])
        parts.append(_either_way(graph, answer, yes, no, shares))
    if leaves:
        shape = graph.add("Concat", n_rows, graph.whole(1), graph.whole(1), axis=0)
        values = graph.constant([[node.value for node in leaves]])
        parts.append(graph.add("Expand", values, shape))
    found = parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)
    return found, {node.id: i for i, node in enumerate([*inner, *leaves])}


def _node_by_node(
    graph: Graph, tree: TreeForm, inner: list[NodeForm], answers: str, n_rows: str
) -> str:
    """What rows get, by a loop over the nodes; children come after their parents."""
    shape = graph.add("Concat", graph.whole(1), n_rows, graph.whole(1), axis=0)
    start = graph.add("Expand", graph.constant([[node.value] for node in tree.nodes]), shape)
    body = graph.inner()
    number, go_on, values = body.name("round"), body.name("go_on"), body.name("values")

    def own(column: list[Any], dtype: Any) -> str:
        return body.add("Gather", body.constant(column, dtype), number, axis=0)

    order = inner[::-1]
    yes, no = (
        body.add("Gather", values, own(children, np.int64), axis=0)
        for children in ([node.yes for node in order], [node.no for node in order])
    )
    place = own(list(range(len(inner)))[::-1], np.int64)
    answer = body.add("Gather", answers, place, axis=1)
    answer = body.add("Unsqueeze", answer, body.whole(1))
    share = own([node.yes_share for node in order], np.float64)
    mixed = _either_way(body, answer, yes, no, share)
    at = own([[[node.id]] for node in order], np.int64)
    put = body.add("ScatterND", values, at, body.add("Unsqueeze", mixed, body.whole(0)))
    still = body.add("Identity", go_on)
    n_values = len(tree.nodes[0].value)
    info = body.value_info
    proto = body.proto(
        "node",
        [
            info(number, "INT64", []),
            info(go_on, "BOOL", []),
            info(values, "DOUBLE", [len(tree.nodes), None, n_values]),
        ],
        [info(still, "BOOL", []), info(put, "DOUBLE", [len(tree.nodes), None, n_values])],
    )
    rounds = graph.constant(len(inner), np.int64)
    found = graph.add("Loop", rounds, graph.constant(True, np.bool_), start, body=proto)
    return graph.add("Gather", found, graph.constant(0, np.int64), axis=0)


def _either_way(graph: Graph, answer: str, yes: str, no: str, share: str) -> str:
    """What comes of yes, of no, or where the answer is unknown of both."""
    mixed = graph.add("Add", no, graph.add("Mul", share, graph.add("Sub", yes, no)))
    is_yes, is_no = (
        graph.add("Equal", answer, graph.constant(said, np.int32)) for said in (YES, NO)
    )
    return graph.add("Where", is_yes, yes, graph.add("Where", is_no, no, mixed))


def _rule_answers(graph: Graph, program: Program, inner: list[NodeForm], features: Features) -> str:
    """The answer of each node's rule to each row, of shape (n_rows, n_inner)."""
    tests = [test for node in inner for test in program.tests(node)]
    answers = _test_answers(graph, program, tests, features)
    # Two columns more, of NO and YES, fill rules up to the same number of questions.
    ends = graph.constant([[NO, YES]], np.int32)
    n_rows = graph.add("Slice", graph.add("Shape", features.value), graph.whole(0), graph.whole(1))
    ends = graph.add("Expand", ends, graph.add("Concat", n_rows, graph.whole(1), axis=0))
    answers = graph.add("Concat", answers, ends, axis=1)
    most, at, table = max(len(node.questions) for node in inner), 0, []
    for node in inner:
        n = len(node.questions)
        filling = len(tests) + (node.operator == "and")
        table.append([*range(at, at + n), *[filling] * (most - n)])
        at += n
    asked = graph.gather(answers, np.array(table), 1)  # n_rows, n_inner, most
    found = ""
    for operator in dict.fromkeys(node.operator for node in inner):
        joined = _joined(graph, operator, asked)
        if found:
            is_own = graph.constant([[node.operator == operator for node in inner]], np.bool_)
            found = graph.add("Where", is_own, joined, found)
        else:
            found = joined
    return found


def _joined(graph: Graph, operator: str, asked: str) -> str:
    """Three-valued logic over the last axis."""
    axis = graph.whole(2)
    if operator != "xor":
        name = "ReduceMax" if operator == "or" else "ReduceMin"
        return graph.add(name, asked, axis, keepdims=0)
    is_yes = graph.cast(graph.add("Equal", asked, graph.constant(YES, np.int32)), "INT64")
    is_open = graph.cast(graph.add("Equal", asked, graph.constant(UNKNOWN, np.int32)), "INT32")
    any_open = graph.cast(graph.add("ReduceMax", is_open, axis, keepdims=0), "BOOL")
    n_yes = graph.add("ReduceSum", is_yes, axis, keepdims=0)
    parity = graph.add("Mod", n_yes, graph.constant(2, np.int64))
    answer = graph.cast(graph.add("Mul", parity, graph.constant(YES, np.int64)), "INT32")
    return graph.add("Where", any_open, graph.constant(UNKNOWN, np.int32), answer)


def _test_answers(graph: Graph, program: Program, tests: list[CellTest], features: Features) -> str:
    """The answer of each question to each row: NO, UNKNOWN or YES, of shape (n_rows, n_tests)."""
    cells = graph.gather(features.value, [features.column[test.cell] for test in tests], 1)
    holds = _hold(graph, program, tests, cells)
    plain = _row(graph, [NO if not test.negated else YES for test in tests])
    swapped = _row(graph, [YES if not test.negated else NO for test in tests])
    answer = graph.add("Where", holds, swapped, plain)
    levels = {c.identifier for c in program.columns if c.levels is not None}
    is_level = [test.cell in levels and test.name != "blank" for test in tests]
    if any(is_level):
        is_unseen = graph.add("Equal", cells, graph.constant(UNSEEN))
        is_unseen = graph.add("And", is_unseen, graph.constant([is_level], np.bool_))
        answer = graph.add("Where", is_unseen, graph.constant(UNKNOWN, np.int32), answer)
    missing = [
        said if not test.negated else YES - said
        for test in tests
        for said in [YES if test.name == "blank" else _ANSWER[test.when_missing]]
    ]
    return graph.add("Where", graph.add("IsNaN", cells), _row(graph, missing), answer)


def _row(graph: Graph, answers: list[int]) -> str:
    return graph.constant([answers], np.int32)


def _hold(graph: Graph, program: Program, tests: list[CellTest], cells: str) -> str:
    """Whether the plain questions hold, where cells are neither missing nor unseen."""
    intervals = [_intervals(test) for test in tests]
    found = []
    for i in range(max(map(len, intervals))):
        ends = np.array([own[i] if i < len(own) else (1.0, 0.0) for own in intervals])
        low, high = graph.constant(ends[None, :, 0]), graph.constant(ends[None, :, 1])
        below, above = graph.add("Less", cells, low), graph.add("Greater", cells, high)
        found.append(graph.add("Not", graph.add("Or", below, above)))
    holds = graph.any_of(found)
    asks_group = [test.name == "among" for test in tests]
    if any(asks_group):
        members = _members(graph, program, tests, cells)
        members = graph.add("And", graph.constant([asks_group], np.bool_), members)
        holds = graph.add("Or", holds, members)
    return holds


def _intervals(test: CellTest) -> list[tuple[float, float]]:
    """The numbers that answer yes, as intervals with both their ends."""
    operands: Any = test.operands
    if test.name == "above":
        return [(float(np.nextafter(operands[0], np.inf)), math.inf)]
    if test.name == "below":
        return [(-math.inf, float(np.nextafter(operands[0], -np.inf)))]
    if test.name == "within":
        return list(zip(operands[::2], operands[1::2], strict=True))
    if test.name in ("equal", "level"):
        return [(float(operands[0]), float(operands[0]))]
    return []


def _members(graph: Graph, program: Program, tests: list[CellTest], cells: str) -> str:
    """Whether positions of levels are in the group that each question asks for."""
    width = max(len(column.levels or ()) for column in program.columns)
    table: NDArray[np.bool_] = np.zeros((len(tests), width), dtype=bool)
    for i, test in enumerate(tests):
        if test.name == "among":
            table[i, list(program.groups[int(test.operands[0])])] = True
    is_place = graph.add("GreaterOrEqual", cells, graph.constant(0.0))  # else missing or unseen
    is_place = graph.add("And", is_place, graph.add("Less", cells, graph.constant(float(width))))
    safe = graph.add("Where", is_place, cells, graph.constant(0.0))
    starts = graph.constant([np.arange(len(tests)) * width], np.int64)
    at = graph.add("Add", graph.cast(safe, "INT64"), starts)
    return graph.add("Gather", graph.constant(table.ravel(), np.bool_), at)

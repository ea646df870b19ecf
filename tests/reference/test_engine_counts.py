"""What the engine counts, against NumPy over the codes of its columns."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from bsnsing import _core

GREATER, LESS, EQUAL, IN, MISSING = range(5)
Fields = tuple[int, int, float, list[int]]


class Rule(NamedTuple):
    """A rule as a named tuple, which is a tuple like any other."""

    questions: list[Fields]
    negated: list[bool]
    operator: int


def options(**changed: Any) -> dict[str, Any]:
    search = {
        "max_rules": 2,
        "criterion": "gini",
        "operators": ["or", "and"],
        "min_samples_leaf": 1.0,
        "distinct_children": False,
        "time_limit": np.inf,
        "n_threads": 1,
    }
    return {
        "ask": _core.AskOptions(n_segments=6, max_levels=5, max_values_as_levels=4, bin_size=3.0),
        "search": _core.SearchOptions(**(search | changed)),
    }


@dataclass
class Table:
    """Columns of every kind, with missing cells, and their codes."""

    numbers: list[NDArray[np.float64]]
    levels: NDArray[np.int32]
    n_levels: int
    classes: NDArray[np.int32]
    n_classes: int
    weights: NDArray[np.int64] | None

    def columns(self) -> _core.ColumnList:
        columns = _core.ColumnList()
        columns.add_numbers(self.numbers[:2], 0, None, 1)
        columns.add_numbers(self.numbers[2:], 16, None, 1)
        columns.add_levels(self.levels, self.n_levels)
        return columns

    def engine(self, **changed: Any) -> _core.Engine:
        cases = _core.Cases(self.classes, n_classes=self.n_classes, weights=self.weights)
        return _core.Engine(self.columns(), cases, **options(**changed))

    def codes(self) -> list[NDArray[np.uint32]]:
        columns = self.columns()
        return [columns.codes(c) for c in range(columns.n_columns)]

    @property
    def cases(self) -> NDArray[np.int64]:
        return np.ones(len(self.classes), np.int64) if self.weights is None else self.weights

    def answer(self, question: Fields) -> NDArray[np.bool_]:
        """The answer of each row, from the user's own numbers."""
        column, test, value, levels = question
        if column == len(self.numbers):
            return self.levels < 0 if test == MISSING else np.isin(self.levels, levels)
        numbers = self.numbers[column]
        with np.errstate(invalid="ignore"):
            answers: dict[int, Callable[[], NDArray[np.bool_]]] = {
                GREATER: lambda: numbers > value,
                LESS: lambda: numbers < value,
                EQUAL: lambda: numbers == value,
                MISSING: lambda: np.isnan(numbers),
            }
            return answers[test]()

    def follows(self, rule: Rule) -> NDArray[np.bool_]:
        literals = [
            self.answer(q) != negated
            for q, negated in zip(rule.questions, rule.negated, strict=True)
        ]
        join = (np.logical_or, np.logical_and, np.logical_xor)[rule.operator]
        return join.reduce(literals)

    def count(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        counts = np.zeros(self.n_classes, np.int64)
        np.add.at(counts, self.classes[rows], self.cases[rows])
        return counts


def make_table(seed: int) -> Table:
    random = np.random.default_rng(seed)
    n_rows = int(random.choice([1, 3, 64, 300]))
    n_classes = int(random.choice([2, 3, 12]))
    numbers = [
        random.normal(size=n_rows),  # as many values as rows
        random.integers(0, 2, n_rows).astype(float),
        random.normal(size=n_rows).round(1),  # in bins
        random.integers(0, 2, n_rows).astype(float) + 3,
    ]
    for column in numbers[: int(random.integers(0, 5))]:
        column[random.random(n_rows) < 0.2] = np.nan
    weighted = random.random() < 0.6
    return Table(
        numbers,
        random.integers(-1, 7, n_rows).astype(np.int32),
        7,
        random.integers(0, n_classes, n_rows).astype(np.int32),
        n_classes,
        random.integers(0, 70, n_rows) if weighted else None,
    )


def some_rules(engine: _core.Engine, random: np.random.Generator, n: int) -> list[Rule]:
    questions = engine.ask([0])[0]
    rules = []
    for _ in range(n if questions else 0):
        chosen = random.integers(0, len(questions), int(random.integers(1, 4)))
        rules.append(
            Rule(
                [questions[i] for i in chosen],
                (random.random(len(chosen)) < 0.4).tolist(),
                int(random.integers(3)),
            )
        )
    return rules


def grown(table: Table) -> tuple[_core.Engine, dict[int, NDArray[np.bool_]]]:
    """An engine with a few nodes, and the rows of those that are open."""
    engine, random = table.engine(), np.random.default_rng(0)
    rows = {0: table.cases > 0}
    for rule in some_rules(engine, random, 3):
        node = int(random.choice(list(rows)))
        parent = rows.pop(node)
        ((yes, no),) = engine.split([node], [rule])
        rows[yes], rows[no] = parent & table.follows(rule), parent & ~table.follows(rule)
    return engine, rows


SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_and_totals(seed: int) -> None:
    table = make_table(seed)
    engine, rows = grown(table)
    assert engine.n_rows == len(table.classes)
    assert engine.n_classes == table.n_classes
    nodes = list(rows)
    for node, listed in zip(nodes, engine.rows_of(nodes), strict=True):
        np.testing.assert_array_equal(listed, np.flatnonzero(rows[node]))
        assert engine.class_totals(node) == table.count(rows[node]).tolist()
    twice = engine.rows_of([nodes[0], nodes[0]])
    np.testing.assert_array_equal(twice[0], twice[1])


@pytest.mark.parametrize("seed", SEEDS)
def test_cells(seed: int) -> None:
    table = make_table(seed)
    engine, rows = grown(table)
    for node, own in rows.items():
        numbers, codes = engine.cells(node)
        # A row stands there once for each power of two in its weight.
        times = [bin(n).count("1") for n in table.cases.tolist()]
        expected = np.repeat(np.flatnonzero(own), np.array(times)[own])
        np.testing.assert_array_equal(np.sort(numbers), expected)
        for found, whole in zip(codes, table.codes(), strict=True):
            np.testing.assert_array_equal(found, whole[numbers])


def test_cells_outlive_their_engine_and_cannot_be_changed() -> None:
    table = make_table(3)
    numbers, codes = table.engine().cells(0)
    others = [table.engine() for _ in range(3)]
    for found, whole in zip(codes, table.codes(), strict=True):
        np.testing.assert_array_equal(found, whole[numbers])
    assert not numbers.flags.writeable
    with pytest.raises(ValueError, match="there is no node 5"):
        others[0].cells(5)


def test_join_codes() -> None:
    for dtype in (np.uint8, np.uint16, np.uint32):
        pieces = [np.arange(n, dtype=dtype) for n in (3, 0, 200)]
        joined = _core.join_codes(pieces)
        assert joined.dtype == dtype
        np.testing.assert_array_equal(joined, np.concatenate(pieces))
    odd = np.frombuffer(b"-" + np.arange(9, dtype=np.uint16).tobytes(), np.uint16, 9, offset=1)
    assert not odd.flags.aligned
    np.testing.assert_array_equal(_core.join_codes([odd, odd[3:]]), [*range(9), *range(3, 9)])
    large = [np.full(n, n % 7, np.uint8) for n in (800_000, 3, 700_000)]
    np.testing.assert_array_equal(_core.join_codes(large), np.concatenate(large))
    for wrong in (
        [np.zeros(3, np.uint8), np.zeros(3, np.uint16)],
        [np.zeros(3)],
        [np.zeros(6, np.uint8)[::2]],
    ):
        with pytest.raises(ValueError, match="contiguous unsigned integers of one size"):
            _core.join_codes(wrong)


@pytest.mark.parametrize("seed", SEEDS)
def test_histograms(seed: int) -> None:
    table = make_table(seed)
    engine, rows = grown(table)
    schema = table.columns().schema()
    for node, histograms in zip(rows, engine.histograms(list(rows)), strict=True):
        for column, (codes, histogram) in enumerate(zip(table.codes(), histograms, strict=True)):
            expected = np.zeros((table.n_classes, schema.n_codes(column) + 1), np.int64)
            chosen = rows[node]
            np.add.at(expected, (table.classes[chosen], codes[chosen]), table.cases[chosen])
            np.testing.assert_array_equal(histogram, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_pair_counts_and_answers(seed: int) -> None:
    table = make_table(seed)
    engine, rows = grown(table)
    nodes = list(rows)
    questions = engine.ask(nodes)
    for node, asked, counts in zip(
        nodes, questions, engine.pair_counts(nodes, questions), strict=True
    ):
        answers, listed = engine.answers(node, asked)
        np.testing.assert_array_equal(listed, np.flatnonzero(rows[node]))
        assert answers.shape == (len(listed), len(asked))
        for i, question in enumerate(asked):
            np.testing.assert_array_equal(answers[:, i], table.answer(question)[listed])
        weighted = answers * table.cases[listed, None]
        for j in range(table.n_classes):
            own = table.classes[listed] == j
            expected = answers[own].T.astype(np.int64) @ weighted[own].astype(np.int64)
            np.testing.assert_array_equal(counts[j], expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_rule_counts(seed: int) -> None:
    table = make_table(seed)
    engine, rows = grown(table)
    random = np.random.default_rng(seed)
    rules = some_rules(table.engine(), random, 80)
    for node, counts in zip(rows, engine.rule_counts(list(rows), [rules] * len(rows)), strict=True):
        assert counts.shape == (len(rules), table.n_classes)
        for rule, counted in zip(rules, counts, strict=True):
            np.testing.assert_array_equal(counted, table.count(rows[node] & table.follows(rule)))
            account = engine.evaluate(node, rule)
            if account is not None:
                assert account[4] == counted.tolist()


def test_codes_and_schema() -> None:
    columns = _core.ColumnList()
    x = np.array([3.0, np.nan, 1.0, 3.0])
    columns.add_numbers([x, np.array([0.0, 1.0, 1.0, 0.0])], 0, None, 1)
    columns.add_levels(np.array([2, -1, 0, 0], np.int32), 3)
    assert columns.n_columns == 3
    assert [columns.codes(c).tolist() for c in range(3)] == [
        [1, 2, 0, 1],
        [0, 1, 1, 0],
        [2, 3, 0, 0],
    ]
    schema = columns.schema()
    assert [schema.kind(c) for c in range(3)] == ["numeric", "boolean", "categorical"]
    assert [schema.n_codes(c) for c in range(3)] == [2, 2, 3]
    assert [schema.has_missing(c) for c in range(3)] == columns.has_missing()
    assert schema.values(0).tolist() == [1, 3]
    assert schema.lowest(0).tolist() == []


def test_bins_of_a_schema() -> None:
    columns = _core.ColumnList()
    columns.add_numbers([np.arange(100.0)], 10, None, 1)
    schema = columns.schema()
    assert schema.n_codes(0) == len(schema.lowest(0)) == 10
    assert (schema.lowest(0) <= schema.values(0)).all()


class TestErrors:
    """Every mistake gets an error that names it, and does no harm."""

    @pytest.fixture
    def table(self) -> Table:
        return next(t for t in map(make_table, itertools.count()) if len(t.classes) == 300)

    def test_options(self) -> None:
        for name in ("max_rules", "n_threads"):
            with pytest.raises(
                ValueError, match=f"{name} must be at least 1( and at most 2147483647)?; got 0"
            ):
                options(**{name: 0})
        with pytest.raises(ValueError, match="criterion"):
            options(criterion="luck")
        with pytest.raises(ValueError, match="operator"):
            options(operators=["nor"])
        with pytest.raises(ValueError, match="operators"):
            options(operators=[])
        with pytest.raises(TypeError):
            _core.AskOptions(1, 2, 3, 4.0)  # type: ignore[misc]

    def test_cases(self) -> None:
        codes = np.array([0, 1, 7], np.int32)
        with pytest.raises(ValueError, match=r"0\.\.1; got 7"):
            _core.Cases(codes, n_classes=2)
        with pytest.raises(ValueError, match="at least 2; got 1"):
            _core.Cases(codes, n_classes=1)
        with pytest.raises(ValueError, match="2 weights for 3 rows"):
            _core.Cases(codes, n_classes=8, weights=np.array([1, 2]))
        with pytest.raises(ValueError, match="negative; got -4"):
            _core.Cases(codes, n_classes=8, weights=np.array([1, 2, -4]))
        with pytest.raises(ValueError, match="2 for 8 classes"):
            _core.Cases(codes, n_classes=8, class_weights=[1.0, 2.0])
        with pytest.raises(ValueError, match="unit"):
            _core.Cases(codes, n_classes=8, unit=0.0)

    def test_columns_are_taken_once(self, table: Table) -> None:
        columns = table.columns()
        cases = _core.Cases(table.classes, n_classes=table.n_classes)
        _core.Engine(columns, cases, **options())
        with pytest.raises(ValueError, match="taken these columns over"):
            _core.Engine(columns, cases, **options())
        with pytest.raises(ValueError, match="taken these columns over"):
            columns.codes(0)
        with pytest.raises(ValueError, match="taken these columns over"):
            columns.add_levels(np.zeros(300, np.int32), 2)
        assert columns.schema().n_columns == columns.n_columns == 5

    def test_a_refused_engine_takes_nothing(self, table: Table) -> None:
        columns = table.columns()
        few = _core.Cases(table.classes[:9], n_classes=table.n_classes)
        with pytest.raises(ValueError, match="300 rows for 9 cases"):
            _core.Engine(columns, few, **options())
        cases = _core.Cases(table.classes, n_classes=table.n_classes)
        with pytest.raises(ValueError, match="no column 9"):
            _core.Engine(columns, cases, **options(), extra_questions=[(9, 0, 1.0, [])])
        with pytest.raises(ValueError, match="column 5 cannot be forbidden"):
            _core.Engine(columns, cases, **options(), limits=_core.ColumnLimits(forbidden=[5]))
        with pytest.raises(ValueError, match="2 coefficients for 5 columns"):
            _core.Engine(
                columns,
                cases,
                **options(),
                limits=_core.ColumnLimits(linear=[([1.0, 2.0], 0.0, 1.0)]),
            )
        assert _core.Engine(columns, cases, **options()).n_rows == 300

    def test_column_numbers(self, table: Table) -> None:
        columns = table.columns()
        for column in (5, -1):
            with pytest.raises(ValueError, match=f"no column {column}"):
                columns.codes(column)
            with pytest.raises(ValueError, match=f"no column {column}"):
                columns.schema().values(column)
        with pytest.raises(ValueError, match="no level 7"):
            _core.ColumnList().add_levels(np.array([7], np.int32), 7)

    def test_error_needs_two_classes(self, table: Table) -> None:
        table.n_classes = 13
        with pytest.raises(ValueError, match="two classes apart; got 13"):
            table.engine(criterion="error")

    @pytest.mark.parametrize("node", [7, -1])
    def test_nodes_that_do_not_exist(self, table: Table, node: int) -> None:
        engine = table.engine()
        rule = Rule(engine.ask([0])[0][:1], [False], 0)
        calls: list[Callable[[], Any]] = [
            lambda: engine.class_totals(node),
            lambda: engine.ask([0, node]),
            lambda: engine.answers(node, []),
            lambda: engine.histograms([node]),
            lambda: engine.pair_counts([node], [[]]),
            lambda: engine.rule_counts([node], [[rule]]),
            lambda: engine.best_rules([node]),
            lambda: engine.evaluate(node, rule),
            lambda: engine.split([node], [rule]),
            lambda: engine.rows_of([0, node]),
            lambda: engine.close([node]),
        ]
        for call in calls:
            with pytest.raises(ValueError, match=f"no node {node}"):
                call()

    def test_nodes_that_are_gone(self, table: Table) -> None:
        engine = table.engine()
        rule = Rule(engine.ask([0])[0][:1], [False], 0)
        ((yes, no),) = engine.split([0], [rule])
        engine.close([no])
        for node in (0, no):
            for call in (engine.class_totals, lambda n: engine.split([n], [rule])):
                with pytest.raises(ValueError, match=f"node {node} has no rows any more"):
                    call(node)
        with pytest.raises(ValueError, match=f"node {yes} cannot be split twice"):
            engine.split([yes, yes], [rule, rule])
        assert sum(engine.class_totals(yes)) == table.cases[engine.rows_of([yes])[0]].sum()

    def test_lengths(self, table: Table) -> None:
        engine = table.engine()
        with pytest.raises(ValueError, match="0 rules for 1 nodes"):
            engine.split([0], [])
        with pytest.raises(ValueError, match="2 lists of rules for 1 nodes"):
            engine.rule_counts([0], [[], []])
        with pytest.raises(ValueError, match="0 lists of questions for 1 nodes"):
            engine.pair_counts([0], [])
        with pytest.raises(ValueError, match="no class 99"):
            engine.ask([0], 99)

    @pytest.mark.parametrize(
        ("question", "message"),
        [
            ((5, 0, 1.0, []), "no column 5"),
            ((-1, 0, 1.0, []), "no column -1"),
            ((0, 5, 1.0, []), "no test 5"),
            ((0, 3, 1.0, [0]), "column 0 has numbers"),
            ((0, 0, float("nan"), []), "column 0 compares with NaN"),
            ((4, 2, 0.0, [7]), "column 4 has no level 7"),
            ((4, 3, 0.0, [-2]), "no level -2"),
            ((4, 0, 1.0, []), "column 4 is categorical"),
        ],
    )
    def test_questions(self, table: Table, question: Fields, message: str) -> None:
        engine = table.engine()
        with pytest.raises(ValueError, match=message):
            engine.answers(0, [question])
        with pytest.raises(ValueError, match=message):
            engine.split([0], [Rule([question], [False], 0)])
        assert engine.rows_of([0])[0].size > 0

    def test_rules(self, table: Table) -> None:
        engine = table.engine()
        question = engine.ask([0])[0][0]
        with pytest.raises(ValueError, match="0 questions and 0 negations"):
            engine.evaluate(0, ([], [], 0))
        with pytest.raises(ValueError, match="1 questions and 2 negations"):
            engine.evaluate(0, ([question], [True, False], 0))
        with pytest.raises(ValueError, match="no operator 3"):
            engine.evaluate(0, ([question], [True], 3))

    def test_matrix(self) -> None:
        cases = _core.Cases(np.array([0, 1], np.int32), n_classes=2)
        search = options()["search"]
        with pytest.raises(ValueError, match="answers of 3 rows for 2 cases"):
            _core.best_rule(np.zeros((3, 1), np.uint8), cases, search=search)
        with pytest.raises(ValueError, match="1 columns for 2 questions"):
            _core.best_rule(
                np.zeros((2, 2), np.uint8),
                cases,
                search=search,
                limits=_core.QuestionLimits(column_of=[0]),
            )

    def test_trees(self) -> None:
        arrays: dict[str, Any] = {
            "yes": np.array([1, -1, -1], np.int32),
            "no": np.array([2, -1, -1], np.int32),
            "operators": np.zeros(3, np.uint8),
            "first_literal": np.array([0, 1, 1, 1], np.int32),
            "literal_columns": np.array([0], np.int32),
            "tests": np.array([GREATER], np.uint8),
            "values": np.array([0.5]),
            "negated": np.zeros(1, np.uint8),
            "first_level": np.zeros(2, np.int32),
            "levels": np.zeros(0, np.int32),
            "n_levels": [-1],
            "has_missing": [False],
        }
        x = np.array([0.0, 1.0, np.nan])
        tree = _core.FlatTree(**arrays)
        ends, stopped = tree.find_leaves([x], n_rows=3, n_threads=1)
        assert (ends.tolist(), stopped.tolist()) == ([2, 1, 0], [2])
        with pytest.raises(ValueError, match="asks about column 0, which is not given"):
            tree.find_leaves([None], n_rows=3, n_threads=1)
        with pytest.raises(ValueError, match="knows 1 columns, not 2"):
            tree.find_leaves([x, x], n_rows=3, n_threads=1)
        with pytest.raises(ValueError, match="column 0 has 3 rows, not 4"):
            tree.find_leaves([x], n_rows=4, n_threads=1)
        with pytest.raises(ValueError, match="arrays per column differ in length"):
            _core.FlatTree(**(arrays | {"has_missing": []}))
        with pytest.raises(ValueError, match="child does not come after its parent"):
            _core.FlatTree(**(arrays | {"yes": np.array([0, -1, -1], np.int32)}))

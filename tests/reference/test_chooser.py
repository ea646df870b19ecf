"""A chooser that sees counts alone finds what the engine finds from the rows."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bsnsing import _core

Account = tuple[Any, ...]
CRITERIA = ("gini_squared", "gini", "entropy", "misclassification", "error")
OPERATORS = (("or",), ("and",), ("xor",), ("or", "and"), ("or", "xor"), ("or", "and", "xor"))


class Problem:
    """A random table with classes, weights, and options for asking and searching."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        random = self.random
        self.n_rows = int(random.integers(20, 150))
        self.criterion = CRITERIA[seed % len(CRITERIA)]
        self.n_classes = (
            2 if self.criterion == "error" else int(random.choice([2, 2, 3, 5, 12, 20]))
        )
        self.classes = random.integers(0, self.n_classes, self.n_rows).astype(np.int32)
        self.weights = (
            random.integers(0, 6, self.n_rows).astype(np.int64) if random.random() < 0.4 else None
        )
        self.numbers, self.levels = self._columns()
        self.shared = {
            "n_classes": self.n_classes,
            "unit": 1.0,
            "class_weights": (
                random.choice([0.5, 1.0, 2.5], self.n_classes).tolist()
                if random.random() < 0.3
                else None
            ),
        }
        self.max_rules = int(random.integers(1, 5))
        self.options = {
            "ask": _core.AskOptions(
                n_segments=int(random.integers(1, 5)),
                max_levels=3,
                max_values_as_levels=3,
                bin_size=2.0,
            ),
            "search": self.search_options(),
            "limits": self._limits(),
        }
        if random.random() < 0.3:
            self.options["extra_questions"] = [(0, 0, 0.5, []), (3, 3, 0.0, [0, 2])]
            self.options["own_questions"] = bool(random.random() < 0.7)

    def search_options(self, greedy_level: float | None = None) -> _core.SearchOptions:
        random = self.random
        return _core.SearchOptions(
            max_rules=self.max_rules,
            criterion=self.criterion,
            operators=OPERATORS[int(random.integers(len(OPERATORS)))],
            min_samples_leaf=float(random.integers(1, 8)),
            distinct_children=bool(random.random() < 0.3),
            time_limit=np.inf,
            n_threads=1,
            greedy_level=greedy_level,
        )

    def _columns(self) -> tuple[list[NDArray[np.float64]], NDArray[np.int32]]:
        random, n = self.random, self.n_rows
        lean = self.classes / self.n_classes
        numbers = [
            random.normal(size=n) + lean,
            (random.random(n) < 0.3 + 0.4 * lean).astype(float),
            random.integers(0, 4, n).astype(float),
        ]
        for column in numbers[1:]:
            if random.random() < 0.5:
                column[random.random(n) < 0.2] = np.nan
        numbers[1][:2] = 0, 1
        return numbers, random.integers(-1, 6, n).astype(np.int32)

    def _limits(self) -> _core.ColumnLimits | None:
        random = self.random
        if random.random() < 0.6:
            return None
        costs = random.integers(0, 3, 4).astype(float).tolist()
        return _core.ColumnLimits(
            forbidden=[2] if random.random() < 0.5 else [],
            linear=[(costs, -np.inf, 4.0)] if random.random() < 0.7 else [],
            one_per_column=bool(random.random() < 0.5),
        )

    def columns(self) -> _core.ColumnList:
        columns = _core.ColumnList()
        columns.add_numbers(self.numbers, 0, None, 1)
        columns.add_levels(self.levels, 6)
        return columns

    def engine(self, weights: NDArray[np.int64] | None) -> _core.Engine:
        cases = _core.Cases(self.classes, weights=weights, **self.shared)
        return _core.Engine(self.columns(), cases, **self.options)

    def chooser(self) -> _core.Chooser:
        return _core.Chooser(self.columns().schema(), **self.shared, **self.options)

    def parts(self) -> list[_core.Engine]:
        """Engines over parts of the rows: other rows have no weight."""
        weights = np.ones(self.n_rows, np.int64) if self.weights is None else self.weights
        part_of = self.random.integers(0, 3, self.n_rows)
        return [self.engine(np.where(part_of == part, weights, 0)) for part in range(3)]


class Counts:
    """Counts of one node, summed over engines that hold parts of its rows."""

    def __init__(self, engines: Sequence[_core.Engine]) -> None:
        self.engines = engines
        self.nodes = [0] * len(engines)
        self.totals = self._sum([[e.class_totals(0)] for e in engines])[0].astype(np.int64)
        self.histograms = [
            np.sum(same, axis=0)
            for same in zip(*(e.histograms([0])[0] for e in engines), strict=True)
        ]

    @staticmethod
    def _sum(counts: list[Any]) -> NDArray[Any]:
        return np.sum([np.asarray(c) for c in counts], axis=0)

    def pairs(self, questions: list[Any]) -> NDArray[np.int64]:
        return self._sum([e.pair_counts([0], [questions])[0] for e in self.engines])

    def rules(self, rules: list[Any]) -> NDArray[np.int64]:
        return self._sum([e.rule_counts([0], [rules])[0] for e in self.engines])


def search(chooser: _core.Chooser, counts: Counts) -> tuple[Account, int]:
    """The best rule from counts, and in how many rounds."""
    questions = chooser.ask(counts.histograms)
    found = chooser.search(counts.totals, counts.histograms, questions, counts.pairs(questions))
    n_rounds = 0
    while wanted := found.wanted():
        found.take(counts.rules(wanted))
        n_rounds += 1
    return found.found(), n_rounds


def n_rules(account: Account) -> float:
    return float(account[8] + account[9])


@pytest.mark.parametrize("seed", range(600))
def test_counts_of_parts_lead_to_the_rule_of_the_engine(seed: int) -> None:
    problem = Problem(seed)
    engine, chooser = problem.engine(problem.weights), problem.chooser()
    counts = Counts(problem.parts())
    assert chooser.ask(counts.histograms) == engine.ask([0])[0]
    for target in range(problem.n_classes):
        assert chooser.ask(counts.histograms, target) == engine.ask([0], target)[0]
    (expected,) = engine.best_rules([0])
    found, n_rounds = search(chooser, counts)
    assert found[:8] == expected[:8]
    assert n_rounds == 0 or problem.max_rules > 2
    if problem.max_rules <= 2:
        assert found[8:10] == expected[8:10]


@pytest.mark.parametrize("seed", range(150))
def test_greedy_growth_from_counts(seed: int) -> None:
    problem = Problem(seed)
    problem.options["search"] = problem.search_options(greedy_level=0.9)
    (expected,) = problem.engine(problem.weights).best_rules([0])
    found, _ = search(problem.chooser(), Counts(problem.parts()))
    assert found[:10] == expected[:10]


@pytest.mark.parametrize("seed", range(100))
def test_rules_are_evaluated_alike(seed: int) -> None:
    problem = Problem(seed)
    engine, chooser = problem.engine(problem.weights), problem.chooser()
    counts = Counts(problem.parts())
    questions = engine.ask([0])[0]
    if not questions:
        return
    random = problem.random
    for _ in range(20):
        chosen = [
            questions[i]
            for i in random.choice(len(questions), min(len(questions), int(random.integers(1, 4))))
        ]
        rule = (chosen, (random.random(len(chosen)) < 0.5).tolist(), int(random.integers(3)))
        left = counts.rules([rule])[0]
        ours = chooser.evaluate(counts.totals, counts.histograms, rule, left)
        assert ours == engine.evaluate(0, rule)
        if ours is not None:
            assert ours[6] == ours[5]
            assert not ours[7]


def larger_pool() -> tuple[_core.Engine, _core.Chooser]:
    random = np.random.default_rng(5)
    classes = random.integers(0, 2, 400).astype(np.int32)
    numbers = [random.normal(size=400) + 0.8 * classes for _ in range(6)]

    def columns() -> _core.ColumnList:
        made = _core.ColumnList()
        made.add_numbers(numbers, 0, None, 1)
        return made

    options = {
        "ask": _core.AskOptions(
            n_segments=10, max_levels=30, max_values_as_levels=10, bin_size=5.0
        ),
        "search": _core.SearchOptions(
            max_rules=4,
            criterion="gini",
            operators=["or", "and"],
            min_samples_leaf=5.0,
            distinct_children=False,
            time_limit=np.inf,
            n_threads=1,
        ),
    }
    engine = _core.Engine(columns(), _core.Cases(classes, n_classes=2), **options)
    return engine, _core.Chooser(columns().schema(), n_classes=2, **options)


def test_larger_pools_take_few_counts() -> None:
    engine, chooser = larger_pool()
    (expected,) = engine.best_rules([0])
    found, _ = search(chooser, Counts([engine]))
    assert found[:8] == expected[:8]
    assert n_rules(found) == n_rules(expected)
    assert found[8] < n_rules(found) / 50


def test_searches_without_time_are_not_proven() -> None:
    engine, chooser = larger_pool()
    counts = Counts([engine])
    asked = chooser.ask(counts.histograms)
    given = (counts.totals, counts.histograms, asked, counts.pairs(asked))
    hurried = chooser.search(*given, time_limit=0.0)
    assert not hurried.wanted(), "no time for more"
    assert not hurried.found()[7], "and so no proof"
    with pytest.raises(ValueError, match="time_limit must be a number"):
        chooser.search(*given, time_limit=np.nan)
    (unsearched,) = engine.best_rules([0], 0.0)
    assert (unsearched[0], unsearched[1], unsearched[7]) == (False, [], False)
    with pytest.raises(ValueError, match="time_limit must be a number"):
        engine.best_rules([0], np.nan)


def test_schema_travels() -> None:
    problem = Problem(3)
    schema = problem.columns().schema()
    again = pickle.loads(pickle.dumps(schema))
    assert again.n_columns == schema.n_columns == 4
    for column in range(4):
        assert again.kind(column) == schema.kind(column)
        assert again.n_codes(column) == schema.n_codes(column)
        assert again.has_missing(column) == schema.has_missing(column)
        np.testing.assert_array_equal(again.values(column), schema.values(column))
        np.testing.assert_array_equal(again.lowest(column), schema.lowest(column))


class TestErrors:
    """Counts that cannot be are refused."""

    @pytest.fixture
    def given(self) -> tuple[_core.Chooser, Counts, list[Any]]:
        problem = Problem(3)
        counts = Counts([problem.engine(problem.weights)])
        return problem.chooser(), counts, problem.engine(problem.weights).ask([0])[0]

    def test_histograms(self, given: tuple[_core.Chooser, Counts, list[Any]]) -> None:
        chooser, counts, _ = given
        with pytest.raises(ValueError, match="3 histograms for 4 columns"):
            chooser.ask(counts.histograms[:3])
        with pytest.raises(ValueError, match=r"column 1 must be of shape \("):
            chooser.ask([counts.histograms[0]] * 4)
        doubled = [*counts.histograms[:3], 2 * counts.histograms[3]]
        with pytest.raises(ValueError, match="column 3 and that of column 0 count different"):
            chooser.ask(doubled)
        with pytest.raises(ValueError, match="column 0 has a count of -"):
            chooser.ask([-1 - h for h in counts.histograms])

    def test_target(self, given: tuple[_core.Chooser, Counts, list[Any]]) -> None:
        chooser, counts, _ = given
        with pytest.raises(ValueError, match="no class 99"):
            chooser.ask(counts.histograms, 99)

    def test_pair_counts(self, given: tuple[_core.Chooser, Counts, list[Any]]) -> None:
        chooser, counts, questions = given
        pairs = counts.pairs(questions)
        with pytest.raises(ValueError, match=f"{len(questions) - 1} questions for"):
            chooser.search(counts.totals, counts.histograms, questions, pairs[:, 1:, 1:].copy())
        with pytest.raises(ValueError, match="counts for"):
            chooser.search(counts.totals[1:], counts.histograms, questions, pairs)
        pairs[0, 0, 0] += 1000
        with pytest.raises(ValueError, match="contradict"):
            chooser.search(counts.totals, counts.histograms, questions, pairs)

    def test_rule_counts(self) -> None:
        problem = next(p for p in map(Problem, range(100)) if p.max_rules > 2 and _asks(p))
        counts = Counts([problem.engine(problem.weights)])
        chooser = problem.chooser()
        questions = chooser.ask(counts.histograms)
        found = chooser.search(counts.totals, counts.histograms, questions, counts.pairs(questions))
        with pytest.raises(ValueError, match="counts must be of shape"):
            found.take(np.zeros((1, 1), np.int64))
        with pytest.raises(ValueError, match="and it has fewer"):
            found.take(counts.rules(found.wanted()) + 10_000)
        assert not found.found()[7]

    def test_left(self, given: tuple[_core.Chooser, Counts, list[Any]]) -> None:
        chooser, counts, questions = given
        rule = (questions[:1], [False], 0)
        with pytest.raises(ValueError, match="and it has fewer"):
            chooser.evaluate(counts.totals, counts.histograms, rule, counts.totals + 1)
        with pytest.raises(ValueError, match="-1 cases"):
            chooser.evaluate(
                counts.totals, counts.histograms, rule, np.full_like(counts.totals, -1)
            )


def _asks(problem: Problem) -> bool:
    counts = Counts([problem.engine(problem.weights)])
    chooser = problem.chooser()
    questions = chooser.ask(counts.histograms)
    found = chooser.search(counts.totals, counts.histograms, questions, counts.pairs(questions))
    return bool(found.wanted())

"""The search, on every kernel, against the judge that tries all rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any

import judge
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import bsnsing
from bsnsing import _core

KERNELS = list(_core.available_kernels())
ALL = judge.OPERATORS
OPERATOR_SETS = list(chain.from_iterable(combinations(judge.OPERATORS, k) for k in (1, 2, 3)))


@pytest.fixture(scope="module", autouse=True)
def best_kernels_afterwards() -> Iterator[None]:
    yield
    _core.use_kernels(KERNELS[0])


@dataclass(frozen=True)
class Problem:
    """A pool, its labels and weights, and the options of the search."""

    answers: NDArray[np.bool_]
    y: NDArray[np.int64]
    options: dict[str, Any]

    @property
    def has_exact_counts(self) -> bool:
        """Whole and quarter weights add up without rounding, so even float ties are certain."""
        weight = self.options.get("sample_weight")
        return weight is None or bool(np.all(weight * 4 == np.floor(weight * 4)))


def check(problem: Problem) -> None:
    """Hold the search on every kernel against the judge."""
    expected = judge.best_rule(problem.answers, problem.y, **problem.options)
    for kernels in KERNELS:
        _core.use_kernels(kernels)
        split = bsnsing.best_rule(problem.answers, problem.y, **problem.options)
        if expected is None:
            assert split is None, kernels
        else:
            assert split is not None, kernels
            check_split(problem, split, expected)


def check_split(problem: Problem, split: bsnsing.Split, expected: judge.Candidate) -> None:
    rule = judge.Rule(tuple(split.questions), tuple(split.negated), split.operator)
    weight = problem.options.get("sample_weight")
    cases = judge.cases_by_class(problem.y, weight)
    left, right = judge.split_counts(rule.is_true(problem.answers), cases)

    if isinstance(expected.objective, int):
        assert split.objective == expected.objective
    else:
        size = sum(expected.left) + sum(expected.right)
        assert split.objective == pytest.approx(expected.objective, rel=1e-9, abs=1e-12 * size)
        recomputed = judge.CRITERIA[problem.options["criterion"]](left, right)
        assert split.objective == pytest.approx(recomputed, rel=1e-9, abs=1e-12 * size)
    if problem.has_exact_counts:
        assert rule == expected.rule
        assert (tuple(split.left_counts), tuple(split.right_counts)) == (left, right)
    else:
        assert tuple(split.left_counts) == pytest.approx(left)
        assert tuple(split.right_counts) == pytest.approx(right)
    assert split.optimal
    assert split.bound == split.objective
    assert split.n_counted >= 1
    assert split.n_excluded >= 0


def pool(rng: np.random.Generator, n_rows: int, n_questions: int) -> NDArray[np.bool_]:
    """Answers to common, rare, constant, repeated, nearly repeated and overlapping questions."""
    columns: list[NDArray[np.bool_]] = []
    for _ in range(n_questions):
        common, rare = rng.random(n_rows) < 0.3, rng.random(n_rows) < 0.08
        earlier = columns[rng.integers(len(columns))] if columns else common
        alike = [earlier, ~earlier, earlier ^ rare, earlier & common, earlier | rare]
        constant = np.full(n_rows, rng.random() < 0.5)
        kinds = [common, common, common, rare, constant, alike[rng.integers(len(alike))]]
        columns.append(kinds[rng.integers(len(kinds))])
    return np.column_stack(columns)


def labels(rng: np.random.Generator, answers: NDArray[np.bool_], n_classes: int) -> NDArray[Any]:
    """Every class occurs; often the first is where none of some questions says yes (or no)."""
    n_rows, n_questions = answers.shape
    asked = rng.permutation(n_questions)[: rng.integers(1, 5)]
    hidden = (answers[:, asked] ^ (rng.random(len(asked)) < 0.3)).any(axis=1)
    noise = rng.random(n_rows) < rng.choice([0.0, 0.1, 0.3, 1.0])
    y = np.where(hidden ^ noise, rng.integers(1, n_classes, size=n_rows), 0)
    y[:n_classes] = np.arange(n_classes)
    return y


def weights(rng: np.random.Generator, y: NDArray[Any], kind: str) -> NDArray[Any] | None:
    """Whole numbers and quarters with zeros among them, or any floats; no class without weight."""
    if kind == "none":
        return None
    if kind == "any":
        return rng.uniform(0.1, 3.0, size=len(y))
    weight = rng.integers(0, 6, size=len(y))
    weight[np.unique(y, return_index=True)[1]] += 1
    return weight if kind == "whole" else weight / 4


@st.composite
def small_problems(draw: st.DrawFn, criterion: str) -> Problem:
    def one_of(choices: Sequence[Any]) -> Any:  # uniform, where st.integers prefers the ends
        return draw(st.sampled_from(choices))

    n_classes = 2 if criterion == "error" else one_of([2, 2, 3, 4])
    n_rows = one_of(range(n_classes, 61))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    answers = pool(rng, n_rows, one_of(range(1, 8)))
    y = labels(rng, answers, n_classes)
    options = {
        "criterion": criterion,
        "max_rules": one_of([1, 2, 3, 4]),
        "operators": one_of(OPERATOR_SETS),
        "min_samples_leaf": one_of([1, 2, 4, max(1, n_rows // 4), max(1, n_rows // 2)]),
        "distinct_children": one_of([False, False, True]),
        "sample_weight": weights(rng, y, one_of(["none", "whole", "quarters", "any"])),
    }
    return Problem(answers, y, options)


@pytest.mark.parametrize("criterion", judge.CRITERIA)
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_small_pools(criterion: str, data: st.DataObject) -> None:
    check(data.draw(small_problems(criterion)))


def large_problem(
    seed: int, n_rows: int, n_questions: int, n_classes: int, *, rate: float = 0.4, **options: Any
) -> Problem:
    """Questions that tell a little about the class; a quarter are near copies of others.

    The lower the rate of yes answers, the longer are the best rules. Half the questions are turned
    round where rules may do the same.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, size=n_rows)
    rates = rng.uniform(0.02, rate, size=(n_classes, n_questions))
    answers = rng.random((n_rows, n_questions)) < rates[y]
    n_copies = n_questions // 4
    flips = rng.random((n_rows, n_copies)) < 0.03
    answers[:, -n_copies:] = answers[:, :n_copies] ^ flips
    if "and" in options.get("operators", ()):
        answers ^= rng.random(n_questions) < 0.5
    return Problem(answers, y, {"criterion": "gini_squared", **options})


def contest(seed: int, n_rows: int, n_questions: int, n_classes: int, **options: Any) -> Problem:
    """A rule that is easy to find, and one as good or a little better that is well hidden.

    Both cover the same rows, give or take a few. The easy one starts with a question that settles
    most of them. The hidden one is made of equal, overlapping parts which look poor alone, beside
    decoys that look better. So a bound that cuts too much, or a tie that is decided too early,
    loses the best rule.
    """
    rng = np.random.default_rng(seed)

    def some(rate: float) -> NDArray[np.bool_]:
        return rng.random(n_rows) < rate

    cases = some(rng.choice([0.2, 0.5, 0.8]))
    covered = cases | some(rng.choice([0.0, 0.1, 0.4]))
    flawed = covered.copy()
    flawed[rng.integers(n_rows, size=rng.integers(0, 3))] ^= True
    n_easy, n_hidden = options["max_rules"] - (rng.random(2) < 0.25)
    shares = 0.4 ** np.arange(n_easy)
    easy = rng.choice(n_easy, size=n_rows, p=shares / shares.sum())
    hidden = rng.integers(n_hidden, size=n_rows)
    shared = some(0.5)
    columns = [flawed & (easy == part) for part in range(n_easy)]
    overlap = rng.choice(["none", "any", "all", "next"])
    for part in range(n_hidden):
        also = {
            "none": False,
            "any": some(0.3),
            "all": shared,
            "next": shared & (hidden + 1 == part),
        }
        columns.append(covered & ((hidden == part) | also[overlap]))
    n_decoys = n_questions - len(columns)
    columns += [(cases & some(0.6)) | some(0.1) for _ in range(n_decoys)]
    answers = np.column_stack(columns)[:, rng.permutation(n_questions)]
    if "and" in options.get("operators", ()):
        answers ^= rng.random(n_questions) < rng.choice([0.0, 0.5, 1.0])
        cases = cases ^ (rng.random() < 0.5)  # "yes" may be the lesser label, too
    noisy = cases ^ some(rng.choice([0.0, 0.05, 0.2]))
    y = np.where(noisy, rng.integers(1, n_classes, size=n_rows), 0)
    y[:n_classes] = np.arange(n_classes)
    return Problem(answers, y, options)


# Rows, questions and classes, options, and seeds with which searches that were made wrong on
# purpose (a bound too tight, a tie decided too early, a mirror image forgotten) lost the rule.
CONTESTS: list[tuple[tuple[int, int, int], dict[str, Any], tuple[int, ...]]] = [
    ((500, 36, 2), {"max_rules": 3}, (32, 368, 391)),
    ((1000, 30, 2), {"max_rules": 3}, (7, 8, 70, 127, 326)),
    ((200, 14, 2), {"max_rules": 4}, (2, 58)),
    ((500, 14, 2), {"max_rules": 4}, (8, 36, 116, 242)),
    ((500, 12, 2), {"max_rules": 3, "operators": ALL}, (83, 129, 139, 190, 385)),
    ((12, 8, 2), {"max_rules": 3, "operators": ALL}, (122, 278, 298)),
    ((200, 14, 4), {"max_rules": 3}, (132, 157, 202, 316, 367)),
]


@pytest.mark.parametrize("criterion", judge.CRITERIA)
def test_hidden_rules(criterion: str) -> None:
    for (n_rows, n_questions, n_classes), options, seeds in CONTESTS:
        if criterion == "error" and n_classes > 2:
            continue
        for seed in seeds:
            check(contest(seed, n_rows, n_questions, n_classes, criterion=criterion, **options))


@pytest.mark.parametrize("criterion", judge.CRITERIA)
def test_few_rows_and_many_ties(criterion: str) -> None:
    for seed in range(30):
        n_rows = 8 + seed % 8
        check(contest(seed, n_rows, 7, 2, max_rules=3, criterion=criterion, operators=ALL))


def test_xor_of_a_negation_is_a_rule_of_its_own() -> None:
    """Where sides matter, a question may be worth asking although its negation is asked too."""
    first, second = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, dtype=bool).T
    answers = np.column_stack([first, second, ~second])
    check(Problem(answers, first == second, {"criterion": "error", "operators": ALL}))


@pytest.mark.parametrize("criterion", judge.CRITERIA)
@pytest.mark.parametrize("min_samples_leaf", [1, 60])
def test_many_questions(criterion: str, min_samples_leaf: int) -> None:
    options = {"criterion": criterion, "min_samples_leaf": min_samples_leaf}
    check(large_problem(1, 500, 25, 2, rate=0.2, max_rules=3, **options))


@pytest.mark.parametrize("criterion", [name for name in judge.CRITERIA if name != "error"])
@pytest.mark.parametrize("n_classes", [3, 10])
def test_many_classes(criterion: str, n_classes: int) -> None:
    check(large_problem(2, 300, 20, n_classes, max_rules=3, criterion=criterion))


@pytest.mark.parametrize("criterion", judge.CRITERIA)
@pytest.mark.parametrize("distinct_children", [False, True])
def test_negations(criterion: str, distinct_children: bool) -> None:
    options = {"criterion": criterion, "distinct_children": distinct_children}
    check(large_problem(8, 450, 12, 2, rate=0.3, max_rules=3, operators=ALL, **options))


@pytest.mark.parametrize("criterion", judge.CRITERIA)
@pytest.mark.parametrize("max_rules", [4, 5])
def test_long_rules(criterion: str, max_rules: int) -> None:
    options = {"criterion": criterion, "max_rules": max_rules}
    check(large_problem(4, 500, 12, 2, rate=0.1, min_samples_leaf=20, **options))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_long_rules_with_negations(n_classes: int) -> None:
    options = {"operators": ALL, "min_samples_leaf": 10}
    check(large_problem(5, 150, 9, n_classes, rate=0.2, max_rules=5, **options))


@pytest.mark.parametrize("n_rows", [63, 64, 65, 127, 128, 511, 512, 513, 1025])
def test_rows_around_the_width_of_a_word(n_rows: int) -> None:
    check(large_problem(n_rows, n_rows, 10, 2, max_rules=3, operators=("or", "and")))


@pytest.mark.parametrize("criterion", judge.CRITERIA)
def test_weights_on_many_rows(criterion: str) -> None:
    weight = np.random.default_rng(6).uniform(0.0, 2.0, size=400)
    options = {"criterion": criterion, "sample_weight": weight, "min_samples_leaf": 25.5}
    check(large_problem(6, 400, 15, 2, max_rules=3, **options))


def test_pool_whose_pair_counts_are_too_many_to_keep() -> None:
    """Questions to which just two negatives say yes spoil a good rule: the judge need not see them.

    Kept, the pair counts of 6,000 questions would take more than half a gigabyte.
    """
    small = contest(32, 500, 36, 2, max_rules=3)
    rng = np.random.default_rng(7)
    pairs = list(combinations(np.flatnonzero(small.y == 0), 2))
    answers = np.zeros((500, 6000), dtype=bool)
    for question, pair in enumerate(rng.permutation(pairs)[:6000]):
        answers[pair, question] = True
    positions = np.sort(rng.permutation(6000)[:36])
    answers[:, positions] = small.answers
    split = bsnsing.best_rule(answers, small.y, max_rules=3)
    expected = judge.best_rule(small.answers, small.y, max_rules=3)
    assert split.questions == tuple(positions[list(expected.rule.questions)])
    assert split.objective == expected.objective
    assert split.optimal

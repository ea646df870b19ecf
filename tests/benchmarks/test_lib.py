"""Growth, targets and timing: what the benchmarks judge by."""

from __future__ import annotations

import pytest

from benchmarks.lib import targets
from benchmarks.lib.exponents import factor_per_step, fit_power
from benchmarks.lib.targets import Target, geometric_mean, hardest
from benchmarks.lib.timing import Turn, median_seconds, take_turns


@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.7, 2.0])
def test_exponent_of_a_power(exponent: float) -> None:
    sizes = [10.0**k for k in range(3, 8)]
    law = fit_power(sizes, [3e-6 * size**exponent for size in sizes])
    assert law.exponent == pytest.approx(exponent, abs=1e-9)
    assert law.factor == pytest.approx(3e-6)
    assert law.first_size == 1e5
    assert law.at([100.0])[0] == pytest.approx(3e-6 * 100**exponent)


def test_exponent_looks_past_fixed_costs() -> None:
    sizes = [10.0**k for k in range(2, 9)]
    costs = [1.0 + 1e-4 * size for size in sizes]
    assert fit_power(sizes, costs).exponent == pytest.approx(1, abs=0.03)
    assert fit_power(sizes[::-1], costs[::-1]).exponent == fit_power(sizes, costs).exponent


def test_exponent_needs_points() -> None:
    with pytest.raises(ValueError, match="two or more points above zero"):
        fit_power([10, 100, 1000], [1.0, 0.0, 2.0])


def test_factor_per_step() -> None:
    assert factor_per_step([1, 2, 4], [0.5, 1.5, 13.5]) == pytest.approx(3)


@pytest.mark.parametrize(
    ("bound", "value", "is_met"),
    [
        ("at least", 3.0, True),
        ("at least", 2.999, False),
        ("at most", 3.0, True),
        ("at most", 3.001, False),
        ("at most", None, None),
        ("at least", float("nan"), None),
    ],
)
def test_target_is_met(bound: str, value: float | None, is_met: bool | None) -> None:
    assert Target("work", bound, 3, value).is_met is is_met


def test_hardest_takes_the_worst() -> None:
    values = {"a": 4.0, "b": 2.0, "c": 9.0}
    assert hardest("w", "at least", 3, values) == Target("w", "at least", 3, 2.0, "b")
    assert hardest("w", "at most", 3, values) == Target("w", "at most", 3, 9.0, "c")


def test_hardest_is_open_while_one_is_missing() -> None:
    unknown = hardest("w", "at least", 3, {"a": 4.0, "b": None})
    assert unknown.is_met is None
    assert unknown.where == "not measured: b"
    assert hardest("w", "at least", 3, {"a": 2.0, "b": None}).is_met is False
    assert hardest("w", "at least", 3, {"b": None}).is_met is None


def test_target_table_says_no() -> None:
    goals = {
        "fits": [Target("slow", "at least", 3, 1.5)],
        "small": [Target("fast", "at most", 2, 1.0), Target("open", "at most", 2, None)],
    }
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in targets.table(goals).splitlines()[2:]
    ]
    assert cells == [
        ["slow", "at least 3x", "1.5x", "**no**", "", "fits"],
        ["fast", "at most 2x", "1x", "yes", "", "small"],
        ["open", "at most 2x", "-", "not measured", "", "small"],
    ]


def test_geometric_mean() -> None:
    assert geometric_mean([2, 8]) == pytest.approx(4)


def test_turns_alternate_and_medians_are_of_them() -> None:
    calls: list[str] = []
    turns = take_turns({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 3, 0)
    assert calls == ["a", "b"] * 4  # one round warms up
    assert [len(of_one) for of_one in turns.values()] == [3, 3]
    assert len(take_turns({"a": lambda: None}, 2, 0, warm_up=False)["a"]) == 2
    some = [Turn(None, wall, cpu) for wall, cpu in ((3.0, 1.0), (1.0, 1.0), (9.0, 0.5))]
    assert median_seconds(some) == 3.0
    assert median_seconds(some, cpu=True) == 1.0

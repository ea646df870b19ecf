"""The fuzzer itself, a fixed number of its cases, and all cases that it ever found a fault with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import judge
import numpy as np
import pytest

from bsnsing import BsnsingClassifier, Rule
from fuzz import oracles, pools
from fuzz.oracles import ORACLES, check_plan
from fuzz.plan import ALWAYS, OFTEN, SELDOM, SOMETIMES, draw_plan, make_table
from fuzz.runner import fuzz
from fuzz.shrink import shrink
from fuzz.targets import CASES, TARGETS, failure, read_case, shrunk, write_case

pytestmark = pytest.mark.filterwarnings("ignore")  # which the oracles look at themselves

N_CASES = {"tables": 250, "pools": 1000, "texts": 600, "calls": 500}


@pytest.mark.parametrize("name", TARGETS)
def test_a_fixed_number_of_cases_holds(name: str) -> None:
    target = TARGETS[name]
    results = [target.check(target.draw(seed)) for seed in range(N_CASES[name])]
    assert len(set(results)) == 2, "what is drawn is both accepted and refused"


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
def test_what_once_failed_holds(path: Path) -> None:
    name, case = read_case(path)
    TARGETS[name].check(case)


def test_every_oracle_is_asked() -> None:
    assert set(ORACLES) | {"input_unchanged"} == {*ALWAYS, *OFTEN, *SOMETIMES, *SELDOM}


def test_a_case_is_its_seed() -> None:
    for target in TARGETS.values():
        assert target.draw(7) == target.draw(7)
        assert target.draw(7) != target.draw(8)


@pytest.mark.parametrize("seed", range(150))
def test_the_judge_in_arrays_is_the_judge(seed: int) -> None:
    pool = pools.draw_pool(seed)
    answers = np.array([[cell == "1" for cell in row] for row in pool["answers"]])
    weights = None if pool["weights"] is None else np.array(pool["weights"])
    y, options = np.array(pool["y"]), pool["options"]
    expected = judge.best_rule(answers, y, sample_weight=weights, **options)
    found = pools.best_rule(answers, y, weights, **options)
    if expected is None:
        assert found is None
        return
    rule = expected.rule
    assert found[:3] == (rule.questions, rule.negated, rule.operator)
    assert found[3] == pytest.approx(expected.objective, rel=1e-12, abs=1e-9)


def wrong_shares(model: Any, X: Any) -> Any:
    return model._scores(X) * 0.999


def other_classes(model: Any, X: Any) -> Any:
    return np.roll(model._scores(X), 1, axis=1)


@pytest.mark.parametrize("broken", [wrong_shares, other_classes])
def test_a_wrong_prediction_is_found_and_shrunk(
    broken: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(BsnsingClassifier, "predict_proba", broken)
    plan = next(
        plan
        for plan in map(draw_plan, range(100))
        if plan["estimator"] == "plain"
        and len(plan["columns"]) > 2
        and failure(TARGETS["tables"], plan) is not None
    )
    error = failure(TARGETS["tables"], plan)
    assert error is not None
    small = shrunk("tables", plan, error)
    assert len(small["columns"]) < len(plan["columns"])
    assert len(small["rows"]) < plan["n_rows"]
    assert small["oracles"] == ["probabilities"]
    path = write_case("tables", small, str(error), tmp_path)
    assert read_case(path) == ("tables", small)
    monkeypatch.undo()
    assert check_plan(small) == "fitted"


def test_a_tree_that_depends_on_the_order_of_rows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = draw_plan(3) | {"estimator": "plain", "parameters": {}, "oracles": ["row_order"]}
    assert check_plan(plan) == "fitted"
    fit = BsnsingClassifier.fit

    def by_first_row(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return fit(self.set_params(max_depth=0 if y[0] == min(y) else 3), X, y, sample_weight)

    monkeypatch.setattr(BsnsingClassifier, "fit", by_first_row)
    plans = [
        draw_plan(seed) | {"estimator": "plain", "oracles": ["row_order"]} for seed in range(40)
    ]
    with pytest.raises(oracles.Fault, match="another order"):
        list(map(check_plan, plans))


def test_a_wrong_rule_of_a_pool_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pools.bsnsing.best_rule

    def shortsighted(answers: Any, y: Any, *, max_rules: int, **options: Any) -> Any:
        return whole(answers, y, max_rules=1, **options)

    monkeypatch.setattr(pools.bsnsing, "best_rule", shortsighted)
    with pytest.raises(AssertionError, match="instead of"):
        list(map(pools.check_pool, map(pools.draw_pool, range(50))))


def test_a_parser_that_breaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> Rule:
        return [][len(text)]

    monkeypatch.setattr(Rule, "parse", staticmethod(broken))
    case = {"seed": 0, "reader": "rule", "text": "age > 30 or bmi > 2"}
    error = failure(TARGETS["texts"], case)
    assert isinstance(error, IndexError)
    assert shrunk("texts", case, error)["text"] == ""


def test_shrinking_ends_where_nothing_can_be_taken_away() -> None:
    case = {"seed": 0, "reader": "rule", "text": "abcdefgh"}
    assert shrink(case, lambda smaller: "d" in smaller["text"])["text"] == "d"


def test_the_runner_counts_what_it_runs(tmp_path: Path) -> None:
    (tally,) = fuzz(["pools"], seconds=300, seed=5, workers=2, most=30, folder=tmp_path)
    assert (tally.results.total(), tally.first, tally.next) == (30, 5, 35)
    assert not tally.faults
    assert not list(tmp_path.iterdir())


def test_tables_come_from_every_library() -> None:
    kinds = {
        type(make_table(draw_plan(seed)).built.X).__module__.split(".")[0] for seed in range(99)
    }
    assert {"numpy", "pandas", "polars", "pyarrow", "scipy", "builtins"} <= kinds


def test_atheris_finds_nothing_in_a_few_texts(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris has packages for some versions of Python only")
    command = [sys.executable, "-m", "fuzz.guided", str(tmp_path / "texts"), "-runs=2000"]
    done = subprocess.run(
        command, cwd=CASES.parents[1], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Done 2000 runs" in done.stderr
    assert "NEW" in done.stderr  # it sees which lines are run

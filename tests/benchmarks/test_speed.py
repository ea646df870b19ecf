"""The parts of the steps that could be wrong without anybody noticing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

from benchmarks.datasets import published, recorded
from benchmarks.lib import step
from benchmarks.speed import fits, instructions, memory, run
from benchmarks.speed.instructions import Count


@pytest.mark.skipif(not published.is_here(), reason="the benchmark data are not here")
def test_every_published_set_has_recorded_seconds() -> None:
    found = recorded.cpu_seconds(recorded.WHOLE_TREE)
    assert all((name, 2) in found for _, name in fits.SETS)


@pytest.mark.parametrize(("suite", "name"), fits.SETS)
def test_made_up_sets_stand_in(suite: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "MANIFEST", Path("nowhere"))
    made_up = published.load_or_make(suite, name)
    assert (made_up.name, made_up.suite) == (f"made-{name}", suite)
    codes = fits.as_matrix(made_up.X)
    assert codes.shape == made_up.X.shape
    assert codes.dtype == np.float32


def test_ordinal_codes_keep_missing_levels_apart() -> None:
    table = pd.DataFrame({"n": [1.5, np.nan, 3], "t": pd.Categorical(["b", None, "a"])})
    codes = fits.as_matrix(table)
    assert codes[:, 1].tolist() == [1, -1, 0]
    assert np.isnan(codes[1, 0])


@pytest.mark.skipif(not memory.CLEAR.exists(), reason="the system does not tell a peak of memory")
def test_peak_is_what_came_and_went() -> None:
    size = 64 * 2**20
    with memory.peak_memory() as peak:
        np.ones(size, dtype=np.uint8)
    with memory.peak_memory() as later:
        pass
    assert 0.9 * size < peak.beyond < 1.3 * size
    assert later.beyond < 0.2 * size


def count(n: int, result: str = "44 leaves") -> Count:
    return Count(n, result)


@pytest.mark.parametrize(
    ("now", "old", "is_bad"),
    [
        (count(1049), count(1000), False),
        (count(1051), count(1000), True),
        (count(900), count(1000), False),
        (count(1000, "43 leaves"), count(1000), True),
        (count(1000), None, True),
    ],
)
def test_instruction_counts_are_judged(now: Count, old: Count | None, is_bad: bool) -> None:
    assert instructions.judge(now, old).is_bad is is_bad


def test_fewer_instructions_should_be_put_on_file() -> None:
    assert "put on file" in instructions.judge(count(900), count(1000)).words


def test_a_reason_is_due_for_growth_and_for_other_work() -> None:
    old = {"fit": count(1000), "search": count(10)}
    assert not instructions.needs_reason({"fit": count(1049), "search": count(5)}, old)
    assert not instructions.needs_reason({"new": count(7)}, old)
    assert instructions.needs_reason({"fit": count(1051)}, old)
    assert instructions.needs_reason({"fit": count(1000, "43 leaves")}, old)


def test_reasons_are_on_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "RECORDS", tmp_path / "instructions.json")
    instructions.write_records("a compiler", {"fit": count(1000)}, "")
    assert "why" not in json.loads(instructions.RECORDS.read_text())
    instructions.write_records("another", {"fit": count(2000)}, "more is proven")
    assert json.loads(instructions.RECORDS.read_text())["why"] == "more is proven"
    assert instructions.read_records("a compiler") == {"fit": count(1000)}
    assert instructions.read_records("another") == {"fit": count(2000)}


def test_callgrind_total() -> None:
    assert instructions.read_total("events: Ir\nfn=(1)\n\ntotals: 12345\n") == 12345
    for text in ("events: Ir\n", "totals: 0\n"):
        with pytest.raises(ValueError, match="counted nothing"):
            instructions.read_total(text)


def test_report_is_written_from_what_steps_left(tmp_path: Path) -> None:
    work = {
        "rounds": 5,
        "seconds": {"ours": 0.002, "sklearn": 0.001},
        "cpu_seconds": {"ours": 0.001, "sklearn": 0.001},
    }
    record = {
        "step": "small",
        "command": "python -m benchmarks.speed.small",
        "quick": False,
        "machine": "a machine",
        "commit": "abc",
        "load_before": 0.1,
        "seconds": 12.0,
        "data": {
            "work": {"fit iris": work, "import": work},
            "predict_leaves": {"ours": 3, "sklearn": 4},
        },
    }
    (tmp_path / "small.json").write_text(json.dumps(record))
    records = run.read_records(tmp_path)
    assert records == [record]
    text = run.write_report(tmp_path, records, quick=False).read_text()
    assert "a machine" in text
    assert "`python -m benchmarks.speed.small`" in text
    assert text.count("**no**") == 2
    assert "| fit iris, time over scikit-learn's" in text


def rules_record() -> dict[str, Any]:
    def found(three: float, four: float) -> dict[str, Any]:
        seconds = {"2": 1.0, "3": three, "4": four}
        return {
            "rows": 5,
            "columns": 2,
            "rounds": 5,
            "leaves": {"2": 2, "3": 2, "4": 2},
            "cut_short": {"2": 0, "3": 0, "4": 1},
            "seconds": seconds,
            "cpu_seconds": seconds,
        }

    return {
        "step": "rules",
        "command": "python -m benchmarks.speed.rules",
        "machine": "a machine",
        "commit": "abc",
        "load_before": None,
        "seconds": 1.0,
        "data": {"sets": {"a": found(2, 30), "b": found(4, 90), "c": found(50, 200)}},
    }


def test_larger_rules_are_judged_by_the_median_of_the_sets() -> None:
    goals = step.load("rules").targets(rules_record()["data"])
    assert [(goal.limit, goal.value, goal.is_met) for goal in goals] == [
        (10, 4.0, True),
        (100, 90.0, True),
    ]


def test_steps_name_their_machine_if_told_so() -> None:
    assert "a machine" not in step.section(rules_record())
    assert "a machine" in step.section(rules_record(), with_machine=True)


def test_every_step_keeps_the_form() -> None:
    for name in run.STEPS:
        module = step.load(name)
        for part in ("TITLE", "measure", "targets", "tables"):
            assert hasattr(module, part), f"{name} has no {part}"

"""The paper's experiments: what is done with outcomes, and whether each has its report."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.lib.paths import RESULTS, ROOT
from benchmarks.paper import optimal, rivals
from benchmarks.paper.__main__ import EXPERIMENTS, _options

REPORTS = RESULTS / "paper"
FITS = pd.DataFrame(
    [
        ("vote", "ours", 0, 1.0),
        ("vote", "ours", 1, 0.0),
        ("vote", "theirs", 0, 0.5),
        ("yeast", "ours", 0, 0.8),
        ("yeast", "theirs", 0, np.nan),
    ],
    columns=["set", "learner", "split", "accuracy"],
)


@pytest.mark.skipif(not REPORTS.exists(), reason="a source distribution has no results")
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_report_that_the_site_shows(name: str) -> None:
    text = (REPORTS / f"{name}.md").read_text(encoding="utf-8")
    assert f"`python -m benchmarks.paper {name}" in text
    assert text.count("\n|") > 2 or "![" in text, "neither table nor picture"
    page = (ROOT / "docs" / "explanation" / "paper.md").read_text(encoding="utf-8")
    assert f'paper_report("{name}")' in page


def test_a_rivals_failure_is_an_outcome_and_stays_on_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = []

    def fail(job: dict[str, object]) -> dict[str, object]:
        calls.append(job["split"])
        raise MemoryError("no more")

    monkeypatch.setattr(rivals, "ON_FILE", tmp_path / "rivals.jsonl")
    monkeypatch.setattr(rivals, "_run", fail)
    for _ in range(2):
        found = rivals.judge(["dl85"], ["vote"], [3], 2, 60.0)
        assert found["accuracy"].isna().all()
        assert set(found["said"]) == {"MemoryError: no more"}
    assert calls == [0, 1]


def test_means_are_over_the_splits_that_all_managed() -> None:
    said = optimal.compared(FITS)
    assert said == "Means over the 1 splits of 1 sets that all managed: ours 1.0000, theirs 0.5000."
    assert "theirs gave no tree in 1 fits (yeast)." in optimal.note(FITS, 60)


def test_a_report_names_the_options_that_made_it() -> None:
    assert _options(argparse.Namespace(splits=20, limit=60.0)) == ""
    assert _options(argparse.Namespace(splits=3, limit=60.0)) == " --splits 3"

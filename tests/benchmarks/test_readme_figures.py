"""The figures of the README are those of the reports that it names."""

from __future__ import annotations

import re

import pytest

from benchmarks.lib.paths import RESULTS, ROOT

NOW = RESULTS / "NOW.md"
README = (ROOT / "README.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(not NOW.exists(), reason="a source distribution has no results")


def cells(text: str, name: str) -> list[str]:
    """The first row of that name in a table."""
    row = re.search(rf"^\| {re.escape(name)} *\|(.*)\|$", text, re.MULTILINE)
    assert row is not None, name
    return [cell.strip() for cell in row[1].split("|")]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("`BsnsingClassifier()`", "bsnsing"),
        ("`BsnsingClassifier.paper()`", "bsnsing paper()"),
        ("scikit-learn's tree, pruned by 5-fold cross-validation", "CART CV-pruned"),
        ("scikit-learn's tree, leaves of at least 5", "CART leaf 5"),
        ("imodels' shrunken tree (HSTreeCV)", "HSTreeCV"),
        ("exact trees of depth 3 (STreeD)", "STreeD depth 3"),
    ],
)
def test_scores_are_those_on_file(here: str, there: str) -> None:
    accuracy, auc, _log_loss, leaves = (float(cell) for cell in cells(README, here))
    found = cells(NOW.read_text(encoding="utf-8"), there)
    assert accuracy == pytest.approx(float(found[0]), abs=6e-4)
    assert auc == pytest.approx(float(found[2]), abs=6e-4)
    assert leaves == pytest.approx(float(found[4]), abs=0.5)


def test_log_loss_questions_and_time_are_those_on_file() -> None:
    said = re.search(
        r"Log loss of ours: ([\d.]+)\. Questions in the median tree: ([\d.]+)\. "
        r"CPU seconds: ([\d.]+) in the median, ([\d.]+) at most",
        NOW.read_text(encoding="utf-8"),
    )
    assert said is not None
    log_loss, questions, median, most = map(float, said.groups())
    assert float(cells(README, "`BsnsingClassifier()`")[2]) == pytest.approx(log_loss, abs=0.006)
    assert f"count those too: {questions:.0f} in the median tree" in README
    assert f"takes {median:g} CPU seconds on these 72 sets in the median, and {most:.1f}" in README

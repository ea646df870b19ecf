"""Are chances of rare classes judged by what they should be?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

from benchmarks.datasets import made
from benchmarks.datasets.dataset import Dataset
from benchmarks.quality import rare
from benchmarks.quality.contestants import Task, cart_pruned
from benchmarks.quality.pruned_cart import fit_pruned_cart


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_rare_tables_have_their_rate(n_classes: int) -> None:
    _, y = made.rare_table(40_000, 0.1, strength=0.4, n_classes=n_classes)
    shares = np.bincount(y, minlength=n_classes) / len(y)
    assert shares[1:] == pytest.approx(0.1 / (n_classes - 1), rel=0.1)


@pytest.mark.parametrize(("rate", "n_classes"), [(0.3, 2), (0.02, 2), (0.4, 3)])
def test_quick_pruning_gives_the_trees_of_the_search(rate: float, n_classes: int) -> None:
    X, y = made.rare_table(400, rate, strength=0.8, n_classes=n_classes)
    everything = np.arange(400)
    searched = cart_pruned(Task(Dataset("m", "m", pd.DataFrame(X), y), everything, everything))
    quick = fit_pruned_cart(X, y)
    assert quick.get_n_leaves() == searched.n_leaves
    np.testing.assert_array_equal(quick.predict_proba(X), searched.shares)


def test_thinned_rows_keep_the_larger_class() -> None:
    codes = np.repeat([0, 1], [98, 60])
    rows = rare.thinned(np.arange(158), codes, np.random.default_rng(0))
    assert np.bincount(codes[rows]).tolist() == [98, 2]


def outcome(auc: list[float], means: list[float], rates: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "auc": auc,
            "log_loss": 0.1,
            "n_train": 10_000,
            "train_rate": [[rate] for rate in rates],
            "test_rate": [[rate] for rate in rates],
            "train_mean": [[mean] for mean in means],
            "new_mean": [[mean] for mean in means],
            "bins": [[[10_000.0, 1.0, 1.0]]] * len(auc),
        }
    )


def test_verdicts_say_what_is_not_met() -> None:
    good = outcome([0.8, 0.8], [0.1, 0.1], [0.1, 0.1])
    assert rare.verdict(dict.fromkeys(rare.LEARNERS, good)) == []
    rival = outcome([0.9, 0.91], [0.1, 0.1], [0.1, 0.1])
    assert rare.verdict({rare.OURS: good, rare.PRUNED: good, rare.TWELVE: rival}) == ["AUC"]
    mixed = outcome([0.7, 0.91], [0.1, 0.1], [0.1, 0.1])
    assert rare.verdict({rare.OURS: good, rare.PRUNED: mixed, rare.TWELVE: good}) == ["AUC?"]
    off = outcome([0.8, 0.8], [0.2, 0.2], [0.1, 0.1])
    assert rare.verdict(dict.fromkeys(rare.LEARNERS, off)) == ["train", "new", "test rate"]


def test_outcomes_are_kept_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(rare, "RESULTS", tmp_path)
    monkeypatch.setattr(rare, "TEST_ROWS", 300)
    monkeypatch.setattr(rare, "KINDS", [(2, "strong")])
    monkeypatch.setattr(rare, "RATES", (0.05,))
    monkeypatch.setattr(rare, "ROWS", (2000,))
    monkeypatch.setattr(rare, "rare_sets", lambda: ["binary/made"])
    monkeypatch.setattr(rare, "thinned_sets", lambda: ["binary/made"])
    X, y = made.rare_table(200, 0.1, strength=0.8)
    data = Dataset("made", "made", pd.DataFrame(X, columns=list("abcde")), y)
    monkeypatch.setattr(rare.datasets, "load", lambda *_: data)
    monkeypatch.setattr(rare.published, "n_rows", lambda *_: len(y))
    file = tmp_path / "rare.jsonl"
    rare.main(["--file", str(file), "--seeds", "1", "--splits", "1"])
    rare.set_task.cache_clear()
    lines = file.read_text()
    assert len(lines.splitlines()) == 9
    assert "| binary/made |" in (tmp_path / "RARE.md").read_text()
    assert (tmp_path / "figures" / "rare_calibration.png").exists()
    rare.main(["--file", str(file), "--seeds", "1", "--splits", "1"])
    assert file.read_text() == lines


def test_how_far_ratios_are_off_is_shown_of_the_worst() -> None:
    assert rare.farthest(["1.000", "0.922", "1.047"]) == pytest.approx(0.078)

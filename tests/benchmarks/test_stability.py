"""Are trees that differ told from trees that do not?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

from benchmarks.datasets.dataset import Dataset
from benchmarks.quality import stability
from bsnsing import BsnsingClassifier


def test_pairs_of_fits_are_compared() -> None:
    first = np.array([[0.8, 0.2], [0.4, 0.6]]), frozenset("ab"), 2
    second = np.array([[0.6, 0.4], [0.6, 0.4]]), frozenset("b"), 3
    assert stability.compared(first, second) == pytest.approx(
        {"agreement": 0.5, "difference": 0.2, "same_root": 0.0, "shared_root": 1.0}
    )
    nothing = first[0], frozenset[str](), 1
    assert stability.compared(nothing, nothing)["shared_root"] == 1.0


def test_roots_are_about_columns_of_the_table() -> None:
    X = pd.DataFrame({"sort": pd.Categorical(["u", "v", None, "w"]), "size": [1.0, 2, 3, 4]})
    data = Dataset("made", "made", X, np.array([0, 1, 0, 1]))
    assert stability.sources_of(data) == ["size", *["sort"] * 4]
    assert len(stability.sources_of(data)) == data.numbers.shape[1]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    model = BsnsingClassifier.plain(max_rules=1).fit(X, X["b"] > 0)
    assert stability.root_columns(model.tree_) == {"b"}
    assert stability.root_columns(model.fit(X, np.arange(80) < 0).tree_) == frozenset()


def test_outcomes_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    data = Dataset("made", "made", X, (X["a"] + rng.normal(size=60) > 0).to_numpy())
    monkeypatch.setattr(stability, "RESULTS", tmp_path)
    monkeypatch.setattr(stability, "some_sets", lambda: ["made/1", "made/2"])
    monkeypatch.setattr(stability.datasets, "load", lambda *_: data)
    file = tmp_path / "stability.jsonl"
    stability.main(["--file", str(file), "--fits", "2"])
    lines = file.read_text()
    assert len(lines.splitlines()) == 4 * len(stability.LEARNERS)
    assert "| seeds " in (tmp_path / "STABILITY.md").read_text()
    stability.main(["--file", str(file), "--fits", "2", "--again", stability.CART])
    assert sorted(file.read_text().splitlines()) == sorted(lines.splitlines())

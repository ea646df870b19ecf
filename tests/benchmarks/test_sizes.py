"""Is it seen where more rows make a tree worse, and what does it cost?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

from benchmarks.datasets import made
from benchmarks.quality import sizes


def test_tables_are_as_hard_as_they_say() -> None:
    X, y = made.noisy_table(2000)
    assert X.shape == (2000, 20)
    assert 0.4 < y.mean() < 0.5
    clean, noisy = (made.ruled_table(4000, noise=noise)[1] for noise in (0.0, 0.05))
    assert (clean != noisy).mean() == pytest.approx(0.05, abs=0.015)


def test_error_of_auc_is_that_of_many_draws() -> None:
    found, errors = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        is_event = rng.random(300) < 0.3
        chance = np.round(rng.normal(size=300) + is_event, 1)  # with ties
        found.append(sizes.scores.auc(np.stack([-chance, chance], axis=1), is_event.astype(int)))
        errors.append(sizes.auc_error(chance, is_event))
    assert np.mean(errors) == pytest.approx(np.std(found), rel=0.15)


def test_falls_are_said() -> None:
    lines = []
    for rows, ours, plain in ((1000, 0.8, 0.7), (2000, 0.75, 0.7), (5000, 0.9, 0.95)):
        for learner, accuracy in ((sizes.OURS, ours), ("teacher=None", 0.5), ("plain()", plain)):
            line = {"part": "sizes", "table": "noisy", "rows": rows, "seed": 0, "learner": learner}
            for metric in sizes.METRICS:
                line |= {metric: accuracy if metric == "accuracy" else 0.5}
                line |= {f"{metric}_error": 0.01}
            lines.append(line)
    assert list(sizes.falls(sizes.mean_of(pd.DataFrame(lines)))) == [
        "- noisy, accuracy: 5.00 points (5 standard errors) worse at 2,000 rows than at 1,000.",
        "- noisy, accuracy: 5.00 points (5 standard errors) worse than plain() at 5,000 rows.",
    ]


def test_outcomes_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "RESULTS", tmp_path)
    monkeypatch.setattr(sizes, "SIZES", (100, 200))
    monkeypatch.setattr(sizes, "TEST_ROWS", 300)
    monkeypatch.setattr(sizes, "SEEDS", 1)
    smallest = min(sizes.protocol.all_sets(), key=lambda key: sizes.published.n_rows(*key))
    monkeypatch.setattr(sizes.protocol, "all_sets", lambda: [smallest])
    file = tmp_path / "sizes.jsonl"
    sizes.main(["--file", str(file), "--most", "100"])
    sizes.test_table.cache_clear()
    lines = file.read_text()
    assert len(lines.splitlines()) == 2 * len(sizes.LEARNERS) + 1
    assert "geometric mean" in (tmp_path / "SIZES.md").read_text()
    sizes.main(["--file", str(file), "--most", "100"])
    assert file.read_text() == lines

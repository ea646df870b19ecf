"""Trees from files are those from all rows at once, with little of them in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from same_trees import assert_same

from bsnsing import BsnsingClassifier
from bsnsing.estimators.files import read_memory_limit
from tests.training_sets import varied

pytest.importorskip("pyarrow.parquet")


def write_files(folder: Path, n: int, n_columns: int, rows_per_group: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(n, n_columns)), columns=[*"abcdefghij"][:n_columns])
    table["site"] = rng.choice(["north", "south"], n)
    table["weight"] = rng.integers(0, 3, n)
    table["y"] = np.where((table["a"] > 0) ^ (rng.random(n) < 0.1), "yes", "no")
    for i, rows in enumerate(np.array_split(np.arange(n), 3)):
        path = folder / f"part-{i}.parquet"
        table.iloc[rows].to_parquet(path, row_group_size=rows_per_group, index=False)
    return table


def test_files_give_the_tree_of_all_rows(tmp_path: Path) -> None:
    table = write_files(tmp_path, 3000, 3, 400)
    model = BsnsingClassifier.plain(max_depth=3)
    model.fit_files(tmp_path / "part-*.parquet", target="y", sample_weight="weight")
    X = table.drop(columns=["y", "weight"])
    expected = BsnsingClassifier.plain(max_depth=3).fit(
        X, table["y"], sample_weight=table["weight"]
    )
    assert_same(model.tree_, expected.tree_)
    np.testing.assert_array_equal(model.predict(table.drop(columns="weight")), expected.predict(X))


def test_the_default_learns_from_files_too(tmp_path: Path) -> None:
    table = write_files(tmp_path, 600, 3, 100)
    model = BsnsingClassifier().fit_files(
        tmp_path / "*.parquet", target="y", sample_weight="weight"
    )
    X = table.drop(columns=["y", "weight"])
    expected = BsnsingClassifier().fit(X, table["y"], sample_weight=table["weight"])
    assert expected.is_taught_
    assert_same(model.tree_, expected.tree_)


@pytest.mark.parametrize("limit", ["100MB", "1GiB"])
def test_rows_are_worked_on_some_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """Whether nodes are gathered or counted, and with a teacher of a sample."""
    monkeypatch.setattr("bsnsing.estimators.files._FEWEST_ROWS", 100)
    monkeypatch.setattr("bsnsing.estimators.files._MOST_ROWS", 100)
    monkeypatch.setattr("bsnsing.estimators.scattered.FEW_CELLS", 0)
    monkeypatch.setattr("bsnsing.engine.scattered._FEW_ROWS", 50)
    if limit == "100MB":  # for all that are to be gathered
        monkeypatch.setattr("bsnsing.estimators.files._OF_GATHERED", 1e-4)
    table = write_files(tmp_path, 900, 3, 400)
    X, y = table.drop(columns=["y", "weight"]), table["y"]
    for learner in (BsnsingClassifier.plain, varied(most_taught=300, n_trees=5)):
        model = learner().fit_files(tmp_path / "*.parquet", "y", "weight", memory_limit=limit)
        expected = learner().fit(X, y, sample_weight=table["weight"])
        assert expected.get_n_leaves() > 2
        assert_same(model.tree_, expected.tree_)


PEAK = """
import sys
from bsnsing import BsnsingClassifier

def read(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024

path, small, limit = sys.argv[1:]
BsnsingClassifier.plain(max_depth=2).fit_files(small, "y", memory_limit=limit)
before = read("VmRSS")
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
BsnsingClassifier.plain(max_depth=2).fit_files(path, "y", memory_limit=limit)
print(read("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux tells peaks")
def test_the_memory_limit_is_kept(tmp_path: Path) -> None:
    rng, limit = np.random.default_rng(0), 100_000_000
    for name, n in (("small", 10_000), ("large", 800_000)):
        table = pd.DataFrame(rng.normal(size=(n, 16)), columns=[f"x{i}" for i in range(16)])
        table["y"] = (table["x0"] > 0).astype(int)
        table.to_parquet(tmp_path / f"{name}.parquet", row_group_size=50_000, index=False)
    assert table.to_numpy().nbytes > limit
    paths = [str(tmp_path / f"{name}.parquet") for name in ("large", "small")]
    command = [sys.executable, "-c", PEAK, *paths, str(limit)]
    peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert peak < limit


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (10**9, 10**9),
        ("2GB", 2e9),
        ("1.5 GiB", 1.5 * 2**30),
        ("512mb", 512e6),
        ("200000000", 2e8),
    ],
)
def test_memory_limits_in_words(given: Any, expected: float) -> None:
    assert read_memory_limit(given) == expected


@pytest.mark.parametrize("given", ["much", "5iB", True, [1], "-3GB"])
def test_memory_limits_that_are_none(given: Any) -> None:
    with pytest.raises(ValueError, match="memory_limit must be a number of bytes, or a text such"):
        read_memory_limit(given)


def test_a_memory_limit_too_small_for_counts() -> None:
    with pytest.raises(ValueError, match=r"must be at least 100 MB, for counts. Got 5"):
        read_memory_limit(5)


def test_progress_is_shown_and_goes_away(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal
    write_files(tmp_path, 300, 2, 100)
    BsnsingClassifier.plain().fit_files(tmp_path / "*.parquet", "y", progress=True)
    assert "fitting" in capsys.readouterr().err
    assert not caplog.records
    with caplog.at_level("INFO", "bsnsing"):
        BsnsingClassifier.plain(verbose=1).fit_files(tmp_path / "*.parquet", "y")
    told = [record.getMessage() for record in caplog.records]
    assert "reading: 3 of 3 parts" in told


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file .*none\.parquet"):
        BsnsingClassifier.plain().fit_files(tmp_path / "none.parquet", target="y")
    write_files(tmp_path, 300, 2, 100)
    with pytest.raises(ValueError, match="The files have no column 'z'"):
        BsnsingClassifier.plain().fit_files(tmp_path / "*.parquet", target="z")

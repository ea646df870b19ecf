"""Files that past versions wrote are read by this one, and predict what they did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bsnsing

FOLDER = Path(__file__).parent / "fixtures"
FILES = sorted(path for path in FOLDER.glob("*.json") if not path.name.endswith(".rows.json"))


def test_there_are_files_of_every_type() -> None:
    types = {json.loads(path.read_text(encoding="utf-8"))["model"]["type"] for path in FILES}
    assert types == {"BsnsingClassifier", "BsnsingClassifierCV", "BsnsingEnsemble"}
    assert len(FILES) >= 12


def test_files_of_format_2_tell_origins_and_scales() -> None:
    for path in FILES:
        trees = bsnsing.load(path).trees_
        origins = {name for tree in trees for name in tree.origins}
        is_lent = path.name == "donors.v2.json"
        assert origins == ({"own", "user", "DecisionTreeClassifier"} if is_lent else {"own"})
        scales = {column.scale.kind for column in trees[0].columns if column.scale is not None}
        is_scaled = path.name in ("scales.v2.json", "words.v2.json")
        assert scales == ({"moment", "duration", "order"} if is_scaled else set())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_old_files_predict_what_they_did(path: Path) -> None:
    model = bsnsing.load(path)
    beside = json.loads(path.with_suffix(".rows.json").read_text(encoding="utf-8"))
    cells = pd.DataFrame(beside["rows"], columns=list(beside["columns"]), dtype=object)
    kinds = {name: "object" if kind == "str" else kind for name, kind in beside["columns"].items()}
    rows = cells.astype(kinds)
    told = [[share.hex() for share in row] for row in model.predict_proba(rows).tolist()]
    assert told == beside["probabilities"]
    assert [str(label) for label in model.predict(rows)] == beside["labels"]
    assert [share.hex() for share in model.feature_importances_.tolist()] == beside["importances"]
    assert np.isfinite(model.predict_proba(rows)).all()
    assert model.get_params()

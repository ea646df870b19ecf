"""The neutral form says what predict_proba says: its three rules, followed word by word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bsnsing import BsnsingClassifier, BsnsingEnsemble
from bsnsing.export.form import AskedQuestion, ModelForm, TreeForm, model_form
from bsnsing.questions.pair import ColumnPair
from bsnsing.tree.rule import Rule


def is_missing(cell: Any) -> bool:
    return cell is None or cell != cell


def answer(form: ModelForm, asked: AskedQuestion, row: dict[str, Any]) -> bool | None:
    column = asked.question.column
    if isinstance(column, ColumnPair):
        cells: Any = ([row[column.first]], [row[column.second]])
        cell = float(column.combine(*cells)[0])
    else:
        cells = [row[column]]
        cell = row[column]
    if is_missing(cell):
        return asked.when_missing
    if (
        isinstance(column, str)
        and column in form.asked_levels
        and cell not in form.asked_levels[column]
    ):
        return asked.when_unseen
    return bool(asked.question.answer(cells)[0])


def tree_value(form: ModelForm, own: TreeForm, row: dict[str, Any], node: int = 0) -> np.ndarray:
    at = own.nodes[node]
    if at.is_leaf:
        return np.array(at.value)
    rule = Rule(
        tuple(asked.question for asked in at.questions),
        tuple(asked.negated for asked in at.questions),
        at.operator,
    )
    holds = rule.holds([answer(form, asked, row) for asked in at.questions])
    if holds is not None:
        return tree_value(form, own, row, at.yes if holds else at.no)
    yes, no = (tree_value(form, own, row, child) for child in (at.yes, at.no))
    return no + at.yes_share * (yes - no)


def probabilities(form: ModelForm, row: dict[str, Any]) -> np.ndarray:
    """Follow the docstrings of the form: slowly, and one row at a time."""
    total = np.zeros(len(form.classes))
    for member in form.members:
        values = [tree_value(form, own, row) for own in member]
        if len(values) == 1:
            total = total + values[0]
            continue
        own = [value[1] for value in values]
        whole = 0.0
        for score in own:
            whole += score
        total = total + (np.array(own) / whole if whole > 0 else 1 / len(own))
    return total / len(form.members)


def mixed_table(n_rows: int = 300, n_classes: int = 3) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.RandomState(0)
    table = pd.DataFrame(
        {
            "age": random.randint(20, 80, n_rows).astype(float),
            "income / month": random.lognormal(8, 1, n_rows),
            "debt": random.lognormal(7, 1, n_rows),
            "city": random.choice(["Bonn", "Kiel", "Ulm", "O'Hara"], n_rows),
            "smokes": random.rand(n_rows) < 0.3,
        }
    )
    table.loc[random.rand(n_rows) < 0.1, "age"] = np.nan
    ratio = table["debt"] / table["income / month"]
    score = (
        ratio.rank() / n_rows
        + (table["city"] == "Kiel")
        + 0.3 * table["smokes"]
        + (table["age"] > 50)
    )
    return table, pd.qcut(score + random.rand(n_rows) / 3, n_classes, labels=False).to_numpy()


def hostile_rows(table: pd.DataFrame, random: np.random.RandomState) -> pd.DataFrame:
    """Blank and unseen cells, anywhere."""
    rows = table.astype(object).copy()
    rows = rows.mask(random.rand(*rows.shape) < 0.25, None)
    rows.loc[random.rand(len(rows)) < 0.1, "city"] = "Atlantis"
    for name in ("age", "income / month", "debt"):
        rows[name] = rows[name].astype(float)
    rows["smokes"] = rows["smokes"].astype("boolean")
    return rows


MODELS: dict[str, Any] = {
    "default": BsnsingClassifier(random_state=0),
    "plain": BsnsingClassifier.plain(max_rules=3),
    "leaf": BsnsingClassifier.plain(max_leaf_nodes=1),
    "ovr": BsnsingClassifier.plain(multiclass="ovr"),
    "ensemble": BsnsingEnsemble(n_estimators=3, random_state=0),
    "ensemble of ovr": BsnsingEnsemble(
        estimator=BsnsingClassifier.plain(multiclass="ovr"), n_estimators=3
    ),
}


def test_names_that_repeat_are_refused() -> None:
    table, labels = mixed_table()
    form = model_form(BsnsingClassifier.plain().fit(table, labels))
    with pytest.raises(ValueError, match="feature_names has 'z' more than once"):
        form.renamed(["a", "z", "b", "c", "z"])
    with pytest.raises(ValueError, match="feature_names has '1' more than once"):
        form.renamed(["a", "b", "c", "1", 1])  # type: ignore[list-item]


@pytest.mark.parametrize("name", MODELS)
def test_form_followed_word_by_word_equals_predict_proba(name: str) -> None:
    table, labels = mixed_table()
    model = MODELS[name].fit(table, labels)
    rows = hostile_rows(table, np.random.RandomState(1))
    form = model_form(model)
    cells: Sequence[dict[str, Any]] = [
        {key: None if cell is pd.NA else cell for key, cell in row.items()}
        for row in rows.to_dict("records")
    ]
    ours = np.array([probabilities(form, row) for row in cells])
    np.testing.assert_array_equal(ours, model.predict_proba(rows))


def test_form_names_what_is_asked() -> None:
    table, labels = mixed_table()
    form = model_form(BsnsingClassifier.plain().fit(table, labels))
    assert form.is_single
    assert form.classes == (0, 1, 2)
    assert {c.name for c in form.asked_columns} <= set(table.columns)
    assert form.asked_levels.get("city", ("Bonn", "Kiel", "O'Hara", "Ulm")) == (
        "Bonn",
        "Kiel",
        "O'Hara",
        "Ulm",
    )


def test_form_of_other_things_is_refused() -> None:
    with pytest.raises(TypeError, match="export_sql takes a fitted"):
        model_form(3, "export_sql")

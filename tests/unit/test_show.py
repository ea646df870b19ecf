"""Names and levels as people read them, and as the grammar reads them back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bsnsing import BsnsingClassifier, parse_question
from bsnsing.data.show import is_printable, quoted, show_column, show_level, show_name

PERSIAN = "می\u200cشود"  # a word whose parts a joiner keeps from joining
NURSE = "👩\u200d⚕️ nurses"  # one picture made of three


@pytest.mark.parametrize("name", [PERSIAN, NURSE])
def test_joiners_are_part_of_words_and_pictures(name: str) -> None:
    assert show_name(name) == show_column(name) == name
    assert show_level(name) == f'"{name}"'
    assert parse_question(f"{show_column(name)} > 3").column == name
    assert parse_question(f"city == {show_level(name)}").value == name


@pytest.mark.parametrize(
    "name", ["a\u200db", f"{PERSIAN}\u200c", f"\u200d{NURSE}", "ب\u200d\u200dب"]
)
def test_joiners_that_join_nothing_are_seen(name: str) -> None:
    assert not is_printable(name)
    assert "\\u200" in quoted(name)
    assert parse_question(f"{show_column(name)} > 3").column == name


def test_a_tree_with_joiners_is_read_back() -> None:
    random = np.random.RandomState(0)
    X = pd.DataFrame({PERSIAN: random.randint(0, 50, 300), "who": random.choice([NURSE, "b"], 300)})
    y = (X[PERSIAN] > 20) & (X["who"] != NURSE)
    model = BsnsingClassifier.plain().fit(X, y)
    assert "\\u" not in str(model)
    assert (BsnsingClassifier.from_text(str(model), X, y).predict(X) == y).all()

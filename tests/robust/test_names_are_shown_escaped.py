"""Control characters and marks that turn the direction of writing reach nobody's screen or file."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bsnsing
from bsnsing import BsnsingClassifier, Rule

# A colour of a terminal, a bell, marks of direction, ends of lines that few know, a tag.
HOSTILE = "\x1b[31m\x07\u202eevil\u2066\u200f\u2028\x85\ufeff\U000e0001"
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        f"a{HOSTILE}": RNG.normal(size=300),
        "x > 3 or y": RNG.normal(size=300),
        f"t{HOSTILE}": RNG.choice([f"one{HOSTILE}", "two", "</script><b>", "a or b"], 300),
    }
)
NAMES = list(X)
Y = np.where(
    (X[NAMES[0]] > 0) ^ (X[NAMES[2]] == "two"),
    f"yes{HOSTILE}",
    np.where(X[NAMES[1]] > 0.5, "no", "perhaps"),
)
MODEL = BsnsingClassifier.plain(min_samples_leaf=5).fit(X, Y)
SHOWN: dict[str, Callable[[], Any]] = {
    "str": lambda: str(MODEL),
    "rule": lambda: str(MODEL.tree_.rule(0)),
    "node": lambda: str(MODEL.tree_.node(0)),
    "notebook": lambda: MODEL._repr_html_(),
    "explain": lambda: "\n".join(map(str, MODEL.explain(X[:5]))),
    "summary": lambda: str(MODEL.summary(X, Y)),
    "alternatives": lambda: str(MODEL.alternatives(0, X, Y)),
    "export_json": lambda: bsnsing.export_json(MODEL),
} | {
    name: lambda name=name: getattr(bsnsing, name)(MODEL)
    for name in (
        "export_text", "export_rules", "export_svg", "export_html", "export_latex",
        "export_graphviz", "export_python", "export_java", "export_javascript",
    )
}  # fmt: skip
REFUSED: dict[str, Callable[[], Any]] = {
    "unknown column": lambda: MODEL.predict(X.rename(columns={NAMES[0]: f"b{HOSTILE}"})),
    "text for numbers": lambda: MODEL.predict(X.assign(**{NAMES[0]: HOSTILE})),
    "infinity": lambda: MODEL.predict(X.assign(**{NAMES[0]: np.inf})),
    "question": lambda: bsnsing.parse_question(f"a{HOSTILE} >"),
    "categorical_features": lambda: BsnsingClassifier.plain(categorical_features=[HOSTILE]).fit(
        X, Y
    ),
    "column of labels": lambda: BsnsingClassifier.plain().fit(X, HOSTILE),
    "constraints": lambda: BsnsingClassifier.plain(constraints={"forbidden": [HOSTILE]}).fit(X, Y),
    "parameter": lambda: BsnsingClassifier.plain(criterion=HOSTILE).fit(X, Y),
    "model file": lambda: bsnsing.from_json(f'{{"a{HOSTILE}": 1}}'),
    "event": lambda: bsnsing.export_text(MODEL, event=HOSTILE),
    "unknown in XML": lambda: bsnsing.export_pmml(MODEL),
}


def unseen(text: str) -> set[str]:
    """Characters that are not seen as what they are, but for ends of lines."""
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return {ascii(c) for c in set(text) - {"\n"} if unicodedata.category(c) in kinds}


@pytest.mark.parametrize("what", SHOWN)
def test_what_is_shown_has_no_unseen_characters(what: str) -> None:
    text = SHOWN[what]()
    assert "evil" in text
    assert not unseen(text)


@pytest.mark.parametrize("what", REFUSED)
def test_errors_have_no_unseen_characters(what: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        REFUSED[what]()
    assert not unseen(str(caught.value))


def test_what_is_escaped_is_read_back() -> None:
    for rule in MODEL.tree_.rules:
        assert rule is None or Rule.parse(str(rule)) == rule
    loaded = bsnsing.from_json(bsnsing.export_json(MODEL))
    assert list(loaded.feature_names_in_) == NAMES
    np.testing.assert_array_equal(loaded.predict(X), MODEL.predict(X))


def test_names_that_look_like_rules_are_quoted() -> None:
    assert '"x > 3 or y" > ' in str(MODEL)
    assert '"a or b"' in str(Rule.parse(f'"{NAMES[1]}" > 1 or t == "a or b"'))

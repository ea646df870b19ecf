"""Calls that go wrong, as users make them; the page of messages shows what each says."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

_SETUP = """
import numpy as np
import pandas as pd
import bsnsing
from bsnsing import BsnsingClassifier, Rule, best_rule, parse_question
X = pd.DataFrame({"age": np.arange(40.0), "plan": ["a", "b"] * 20})
y = np.array(["stay", "stay", "leave", "stay"] * 10)
model = BsnsingClassifier.plain(max_leaf_nodes=2).fit(X, y)
"""


@dataclass(frozen=True)
class Call:
    """A call, and what to do about its message."""

    shown: str
    advice: str
    code: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "code", self.code or self.shown)


CALLS = {
    "Parameters": [
        Call(
            "BsnsingClassifier(max_rules=0).fit(X, y)",
            "Parameters are checked at `fit`, not before, so that `set_params` is checked too. "
            "[Parameters](parameters.md) has what each takes.",
        ),
        Call(
            "BsnsingClassifier(max_leafs=5)",
            "Names are those of scikit-learn where they mean the same: `max_leaf_nodes`.",
        ),
        Call(
            'BsnsingClassifier(solver="highs").fit(X, y)',
            "Mixed-integer solvers have two criteria and take labels as they are: "
            '`BsnsingClassifier.plain(solver="highs", criterion="gini_squared")`. See '
            "[solvers](../solvers.md).",
        ),
        Call(
            'BsnsingClassifier(cost={("stay", "go"): 3}).fit(X, y)',
            "Costs name pairs of labels, the actual one first.",
        ),
    ],
    "Tables": [
        Call(
            "BsnsingClassifier().fit(X, y[:10])",
            "Every row needs a label.",
        ),
        Call(
            "BsnsingClassifier().fit(X.assign(joined=[[2024, 1]] * 40), y)",
            "Turn what is neither number nor text into one of them before the fit.",
        ),
        Call(
            'model.predict(X.drop(columns="plan"))',
            "Prediction needs the columns of fit, by name; others are ignored only if they held "
            "the labels.",
        ),
        Call(
            'model.predict(X.assign(age="old"))',
            "A column keeps its kind: what was a number at fit must be a number later.",
        ),
        Call(
            "BsnsingClassifier().fit(X, [None] * 40)",
            "Drop the rows whose label is not known.",
        ),
        Call(
            'BsnsingClassifier().fit(X.assign(id=[f"C{i}" for i in range(40)]), y)',
            "A warning, not an error: the fit goes on without the column. Drop it, or raise "
            "`max_levels` if its levels will come again.",
        ),
    ],
    "Models": [
        Call(
            "BsnsingClassifier().predict(X)",
            "Fit it first. A fit that failed leaves the model as it was before.",
        ),
        Call(
            'bsnsing.from_json(model.to_json().replace("0.", "1."))',
            "The file was changed or damaged. Write it anew from the model.",
        ),
        Call(
            'bsnsing.from_json(\'{"format": "bsnsing", "format_version": 99}\')',
            "The file comes from a later version: update the package.",
        ),
    ],
    "Questions and rules in words": [
        Call(
            'parse_question("age >> 3")',
            "The mark points at the place. Names and levels that could be misread stand in double "
            "quotes.",
        ),
        Call(
            'BsnsingClassifier.plain(extra_questions=["weight > 80"]).fit(X, y)',
            "Questions can only be about columns of the table.",
        ),
        Call(
            'BsnsingClassifier(constraints={"forbidden": ["weight"]}).fit(X, y)',
            "So can constraints.",
        ),
    ],
    "The search by itself": [
        Call(
            "best_rule([[0, 2], [1, 0]], [0, 1])",
            "`best_rule` takes answers, not cells: make them with `ask_questions(X, y)`.",
        ),
        Call(
            'best_rule([[0, 1], [1, 0]], [0, 1], solver="gurobbi")',
            "`python -m bsnsing.solvers` says which solvers can be used, and why not the rest.",
        ),
    ],
}


def message_of(code: str) -> tuple[str, str]:
    """Run a call and return the kind and the text of what it raises or warns of."""
    names: dict[str, Any] = {}
    exec(_SETUP, names)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(code, names)
    except (Exception, Warning) as error:
        return type(error).__name__, str(error)
    raise AssertionError(f"{code} raises nothing.")

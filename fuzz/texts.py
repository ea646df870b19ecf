"""Texts: what reads model files and questions, given damaged and made-up ones.

The reader of models may raise ModelFileError and the parser ParseError; nothing else, and what is
read must be usable.
"""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import bsnsing
from bsnsing import BsnsingClassifier, ModelFileError, ParseError, Rule
from fuzz.cells import WORDS

_SIGNS = (
    "or", "and", "not", "in", "is missing", "<", ">", "<=", ">=", "==", "!=", "(", ")", "{", "}",
    ",", '"', "'", "*", "/", "+", "-", "1e308", "1e-400", "-0", "0x1", "NaN", "inf", "\\", "#", "?",
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**63, -(2**63) - 1, 10**400, 1.5, -0.0, 1e308, "", "x", "\ud800",
    [], [[]], {}, {"type": "Tree"}, "NaN", "Infinity", [None] * 3, "0" * 50,
)  # fmt: skip


@cache
def models() -> tuple[str, ...]:
    """Whole models as texts: one tree, one per class, an ensemble, and a tree alone."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.normal(size=60), "b": rng.choice(list("xyz"), 60), "c": rng.random(60) < 0.5}
    )
    y = np.where((X["a"] > 0) ^ (X["b"] == "x"), "yes", np.where(X["c"], "no", "perhaps"))
    plain = BsnsingClassifier.plain(min_samples_leaf=2)
    one = plain.fit(X, y)
    per_class = BsnsingClassifier.plain(multiclass="ovr").fit(X, y)
    few = bsnsing.BsnsingEnsemble(2, estimator=BsnsingClassifier.plain()).fit(X, y)
    return tuple(map(bsnsing.export_json, (one, per_class, few, one.tree_)))


def draw_text(seed: int) -> dict[str, Any]:
    """Draw a text from its seed: half of them models with a few changes, half rules."""
    rng = np.random.default_rng(seed)
    if rng.random() < 0.5:
        words = rng.choice([*WORDS, *_SIGNS, *_SIGNS], rng.integers(0, 10))
        text = str(rng.choice(["", " "])).join(words.tolist())
        return {"seed": seed, "reader": "rule", "text": text}
    text = models()[int(rng.integers(4))]
    changed = _damaged(text, rng) if rng.random() < 0.3 else _edited(text, rng)
    return {"seed": seed, "reader": "model", "text": changed}


def _damaged(text: str, rng: np.random.Generator) -> str:
    """Cut off, or some characters changed, doubled or lost."""
    characters = list(text)
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(len(characters)))
        characters[place] = str(rng.choice(["", "]", "}", '"', "9", "-", "\x00", ",", "e9"]))
    return "".join(characters)[: None if rng.random() < 0.7 else int(rng.integers(len(text)))]


def _edited(text: str, rng: np.random.Generator) -> str:
    """Valid JSON in which some values are others, are gone, or occur twice."""
    model = json.loads(text)
    for _ in range(int(rng.integers(1, 4))):
        place: Any = model
        for _ in range(int(rng.integers(1, 9))):
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = keys[int(rng.integers(len(keys)))]
            below = place[key]
            if isinstance(below, dict | list) and below and rng.random() < 0.85:
                place = below
                continue
            _change(place, key, rng)
            break
    return json.dumps(model)


def _change(place: Any, key: Any, rng: np.random.Generator) -> None:
    kind = rng.integers(4)
    if kind == 0:
        del place[key]
    elif kind == 1 and isinstance(place, list):
        place.append(deepcopy(place[key]))
    elif kind == 2 and isinstance(place[key], int | float):
        place[key] += int(rng.choice([-1, 1, 1000]))
    else:
        place[key] = deepcopy(_VALUES[int(rng.integers(len(_VALUES)))])  # it may be changed next


def check_text(case: dict[str, Any]) -> str:
    """Read the text; what is read must predict, be written, and be read again as the same."""
    if case["reader"] == "rule":
        try:
            rule = Rule.parse(case["text"])
        except ParseError:
            return "refused"
        if str(Rule.parse(str(rule))) != str(rule):
            raise AssertionError("a rule is read back as another")
        return "read"
    try:
        model = bsnsing.from_json(case["text"])
    except ModelFileError:
        return "refused"
    written = bsnsing.export_json(model)
    if bsnsing.export_json(bsnsing.from_json(written)) != written:
        raise AssertionError("a model is read back as another")
    bsnsing.export_text(model)
    if hasattr(model, "predict_proba"):
        columns = model.trees_[0].columns
        rows = pd.DataFrame({c.name: [None, None] for c in columns}, dtype=object)
        sums = model.predict_proba(rows).sum(axis=1)
        if not np.allclose(sums, 1):
            raise AssertionError("shares do not sum to one")
    return "read"

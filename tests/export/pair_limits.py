"""Models of odd questions: pairs at the limits of doubles, and levels that are none of fit's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from bsnsing import BsnsingClassifier, ColumnPair, Question
from bsnsing.questions.question import TESTS

_SPECIAL = [0.0, -0.0, 5e-324, 1e-300, 0.001, 0.0010000000000000002, 0.1, 0.3, 1.0]
_SPECIAL += [99.99999999999999, 100.0, 1e23, 1e308, -1e308, 1.7976931348623157e308]


def pair_limits() -> tuple[BsnsingClassifier, pd.DataFrame]:
    """Return a model of pairs of all signs, and rows next to limits and to powers of ten."""
    random = np.random.RandomState(0)
    size = 10.0 ** random.randint(-300, 300, (400, 2))
    table = pd.DataFrame(random.randn(400, 2) * size, columns=["a", "b"])
    crossed = pd.DataFrame([(x, y) for x in _SPECIAL for y in _SPECIAL], columns=["a", "b"])
    questions = []
    for sign, factor in (("*", 1), ("/", 1), ("+", 1), ("-", 1), ("-", 2.5), ("+", 1e-9)):
        pair = ColumnPair("a", sign, "b", factor)
        numbers = pair.combine(table["a"], table["b"])
        thresholds = [*np.nanquantile(numbers, [0.3, 0.5, 0.7]), 0.0, 1e-3, 0.2]
        questions += [Question(pair, ">", float(t)) for t in thresholds]
    model = BsnsingClassifier.plain(
        extra_questions=questions, own_questions=False, min_samples_leaf=2, max_rules=2
    ).fit(table, random.randint(0, 2, 400))
    assert {pair.sign for pair in model.tree_.pairs} == {"*", "/", "+", "-"}
    return model, pd.concat([table, crossed], ignore_index=True)


def question_of_no_level() -> tuple[BsnsingClassifier, pd.DataFrame]:
    """Return a model whose first rule has a question about no level of fit, and rows."""
    random = np.random.RandomState(0)
    table = pd.DataFrame({"x": random.rand(60), "city": random.choice(["Bonn", "Kiel"], 60)})
    model = BsnsingClassifier.plain(max_rules=2).fit(
        table, (table["x"] > 0.5) | (table["city"] == "Kiel")
    )
    tree = model.tree_
    rule = tree.rules[0]
    assert rule is not None
    place = [question.column for question in rule.questions].index("city")
    # As if the question's only level had been none of the column's.
    starts = tree.first_level.copy()
    starts[place + 1 :] -= 1
    levels = np.delete(tree.levels, tree.first_level[place])
    tests = tree.question_test.copy()
    tests[place] = TESTS.index("in")
    changed = replace(tree, first_level=starts, levels=levels, question_test=tests)
    model._keep([changed])
    cells = [(x, city) for x in (0.1, 0.9, None) for city in ("Bonn", "Kiel", "Ulm", None)]
    rows = pd.DataFrame(cells, columns=["x", "city"])
    return model, rows.astype({"x": float})

"""Explanations: the way that the model goes, and changes than which none is nearer."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from large_trees import balanced_tree, chain_tree, model_of
from sklearn.base import clone

from bsnsing import BsnsingClassifier, BsnsingEnsemble, Question, explain, parse_question
from bsnsing.export.cells import Span
from bsnsing.export.change import Flip
from bsnsing.export.flip import FlipSearch
from bsnsing.export.form import ModelForm, TreeForm, model_form
from bsnsing.export.solve import near_number, solve_pair
from bsnsing.questions.pair import ColumnPair
from bsnsing.tree.rule import Rule
from bsnsing.tree.text import show_probability

from .test_form import MODELS, answer, hostile_rows, is_missing, mixed_table

LEVELS = ["p", "q", "r"]


def small_table(seed: int, n_rows: int = 240) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.RandomState(seed)
    table = pd.DataFrame(
        {
            "a": random.randint(0, 8, n_rows).astype(float),
            "b": random.randint(1, 7, n_rows).astype(float),
            "c": random.choice(LEVELS, n_rows),
            "d": random.rand(n_rows) < 0.4,
        }
    )
    y = 2 * (table["a"] > 3) + (table["c"] == "q") * (table["b"] > 3) + table["d"]
    table.loc[random.rand(n_rows) < 0.15, "a"] = np.nan
    return table, pd.qcut(y + random.rand(n_rows), 3, labels=False).to_numpy()


def representatives(form: ModelForm) -> dict[str, list[Any]]:
    """Values of each column between, on and beyond all thresholds; all levels."""
    values: dict[str, list[Any]] = {}
    questions = [q for own in form.trees for q in own.tree.asked_questions()]
    for column in form.asked_columns:
        if column.kind == "categorical":
            values[column.name] = list(column.levels)
        elif column.kind == "boolean":
            values[column.name] = [False, True]
        else:
            asked = [q.value for q in questions if q.column == column.name]
            cuts = sorted({float(value) for value in asked if isinstance(value, float)})
            between = [(low + high) / 2 for low, high in itertools.pairwise(cuts)]
            ends = [cuts[0] - 1, cuts[-1] + 1] if cuts else [0.0]
            values[column.name] = sorted({*cuts, *between, *ends})
    return values


def path_of(
    form: ModelForm, own: TreeForm, row: dict[str, Any]
) -> list[tuple[int, list[bool | None]]]:
    """Nodes with the answers there, by the words of the form; ends at an unknown."""
    nodes, i, path = own.nodes, 0, []
    while not nodes[i].is_leaf:
        answers = [answer(form, asked, row) for asked in nodes[i].questions]
        path.append((i, answers))
        holds = Rule(
            tuple(asked.question for asked in nodes[i].questions),
            tuple(asked.negated for asked in nodes[i].questions),
            nodes[i].operator,
        ).holds(answers)
        if holds is None:
            return path
        i = nodes[i].yes if holds else nodes[i].no
    return [*path, (i, [])]


def label_of(model: Any, form: ModelForm, row: dict[str, Any]) -> Any:
    """The label of a row, by the model itself."""
    columns = {
        name: pd.Series([cell], dtype=object if isinstance(cell, str) else None)
        for name, cell in row.items()
    }
    return model.predict(pd.DataFrame(columns)).tolist()[0]


def nearest_by_trying(
    model: Any, row: dict[str, Any], label: Any, fixed: tuple[str, ...] = ()
) -> tuple[int, int, float] | None:
    """Answers, columns and cases of the nearest change, over all combinations of values.

    Of several trees the columns come first.
    """
    form = model_form(model)
    values = representatives(form)
    names = [name for name in values if name not in fixed]
    labels: dict[tuple[int, ...], Any] = {}  # by the leaves of all trees
    best = None
    for n_columns in range(1, len(names) + 1):
        for changed in itertools.combinations(names, n_columns):
            for cells in itertools.product(*(values[name] for name in changed)):
                if any(cell == row[name] for name, cell in zip(changed, cells, strict=True)):
                    continue
                new = row | dict(zip(changed, cells, strict=True))
                paths = [path_of(form, own, new) for own in form.trees]
                ends = tuple(path[-1][0] for path in paths)
                if not all(own.nodes[e].is_leaf for own, e in zip(form.trees, ends, strict=True)):
                    continue
                if ends not in labels:
                    labels[ends] = label_of(model, form, new)
                if labels[ends] == label:
                    continue
                n_answers = sum(
                    now != answer(form, asked, row)
                    for own, path in zip(form.trees, paths, strict=True)
                    for i, answers in path[:-1]
                    for now, asked in zip(answers, own.nodes[i].questions, strict=True)
                )
                n_cases = sum(
                    float(own.tree.counts[e].sum()) for own, e in zip(form.trees, ends, strict=True)
                )
                cost = (n_answers, n_columns) if form.is_single else (n_columns, n_answers)
                found = (*cost, -n_cases)
                best = found if best is None else min(best, found)
    return best


def changed_rows(rows: pd.DataFrame, flips: list[Flip]) -> pd.DataFrame:
    new = rows.copy()
    for i, flip in enumerate(flips):
        for change in flip.changes:
            new.loc[new.index[i], change.column] = change.example
    return new


SETTINGS: dict[str, dict[str, Any]] = {
    "or, and": {"max_rules": 2},
    "three questions": {"max_rules": 3},
    "xor": {"max_rules": 2, "operators": ("xor",)},
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("seed", range(2))
def test_no_change_is_nearer(name: str, seed: int) -> None:
    table, y = small_table(seed)
    model = BsnsingClassifier.plain(min_samples_leaf=8, **SETTINGS[name]).fit(table, y)
    assert model.get_n_leaves() > 6
    rows = table.iloc[:12].copy()
    rows.loc[rows.index[:2], "c"] = [None, "unseen"]
    rows.loc[rows.index[2:4], "b"] = np.nan  # of which fit had none: answers are unknown
    labels = model.predict(rows)
    for fixed in ((), ("a",)):
        found = explain(model, rows, fixed=fixed)
        tree = model.tree_
        for i, row in enumerate(rows.to_dict("records")):
            expected = nearest_by_trying(model, row, labels[i], fixed)
            flip = found[i].flip
            assert flip is not None
            assert flip.is_exact
            if expected is None:
                assert not flip.is_found
                assert "without changing fixed columns" in flip.reason
                continue
            cases = float(tree.counts[flip.leaf].sum())
            assert (flip.n_answers, len(flip.changes), -cases) == expected
            assert not {change.column for change in flip.changes} & set(fixed)
        kept = [i for i, own in enumerate(found) if own.flip and own.flip.is_found]
        new = changed_rows(rows.iloc[kept], [found[i].flip for i in kept])  # type: ignore[misc]
        assert (model.predict(new) != labels[kept]).all()
        assert model.apply(new).tolist() == [found[i].flip.leaf for i in kept]  # type: ignore[union-attr]
        assert model.predict(new).tolist() == [found[i].flip_label for i in kept]


# Four answers about one column lead to the label "far", two about two columns to "near".
ONE_COLUMN_OR_TWO = """
a > 1 ?
  yes: a > 2 ?
    yes: a > 3 ?
      yes: a > 4 ?
        yes: far
        no: home
      no: home
    no: home
  no: b > 1 ?
    yes: c > 1 ?
      yes: near
      no: home
    no: home
"""


def one_column_or_two() -> tuple[BsnsingClassifier, pd.DataFrame]:
    cells = itertools.product(range(6), range(3), range(3))
    table = pd.DataFrame(cells, columns=list("abc")).astype(float)
    near = (table["b"] > 1) & (table["c"] > 1)
    y = np.where(table["a"] > 4, "far", np.where((table["a"] <= 1) & near, "near", "home"))
    return BsnsingClassifier.from_text(ONE_COLUMN_OR_TWO, table, y, shrinkage=1), table


def test_fewer_questions_are_nearer_than_fewer_columns() -> None:
    model, table = one_column_or_two()
    row = table.head(1)  # all is 0
    (found,) = explain(model, row)
    assert found.flip is not None
    assert [change.column for change in found.flip.changes] == ["b", "c"]
    assert (found.flip.n_answers, found.flip_label) == (2, "near")
    expected = nearest_by_trying(model, row.to_dict("records")[0], "home")
    assert expected is not None
    assert expected[:2] == (2, 2)
    (fixed,) = explain(model, row, fixed=["c"])
    assert fixed.flip is not None
    assert (fixed.flip.n_answers, fixed.flip_label) == (4, "far")


PLAIN = BsnsingClassifier.plain
TOGETHER = [{"max_rules": 1}, {"max_rules": 2}, {"max_leaf_nodes": 3}]
COST = {(0, 1): 4.0, (1, 2): 0.5, (2, 0): 3.0}
SEVERAL: dict[str, Any] = {
    "one tree per class": PLAIN(min_samples_leaf=12, multiclass="ovr"),
    "ensemble": BsnsingEnsemble(estimator=PLAIN(min_samples_leaf=12), settings=TOGETHER),
    "voting": BsnsingEnsemble(
        estimator=PLAIN(min_samples_leaf=12), settings=TOGETHER, voting="hard"
    ),
    "cost": BsnsingEnsemble(estimator=PLAIN(min_samples_leaf=12, cost=COST), settings=TOGETHER),
    "cost, one tree per class": PLAIN(min_samples_leaf=12, multiclass="ovr", cost=COST),
    "ensemble, one tree per class": BsnsingEnsemble(
        estimator=PLAIN(min_samples_leaf=25, multiclass="ovr"), settings=TOGETHER[:2]
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_no_change_is_nearer_where_several_trees_decide(name: str) -> None:
    table, y = small_table(1)
    model = clone(SEVERAL[name]).fit(table, y)
    rows = table.iloc[:6].copy()
    rows.loc[rows.index[0], "c"] = None
    labels = model.predict(rows).tolist()
    found = explain(model, rows)
    for i, row in enumerate(rows.to_dict("records")):
        expected = nearest_by_trying(model, row, labels[i])
        flip = found[i].flip
        assert flip is not None
        assert flip.is_exact
        assert flip.is_found == (expected is not None)
        if expected is None:
            continue
        pairs = zip(model.trees_, flip.leaves, strict=True)
        cases = sum(float(tree.counts[leaf].sum()) for tree, leaf in pairs)
        assert (len(flip.changes), flip.n_answers, -cases) == expected
        new = changed_rows(rows.iloc[[i]], [flip])
        assert model.predict(new).tolist() == [found[i].flip_label] != [labels[i]]
        place = model.classes_.tolist().index(found[i].flip_label)
        shown = show_probability(model.predict_proba(new)[0, place])
        assert f"It would be {found[i].flip_label} ({shown}) if" in found[i].text


def one_column_flips(model: Any, row: Any, label: Any, fixed: tuple[str, ...]) -> bool:
    """Whether some value of a single column, of many, flips the label."""
    grids = []
    for name in set(row.index) - set(fixed):
        grid = pd.DataFrame([row] * 241).reset_index(drop=True)
        grid[name] = np.linspace(-30, 30, 241)
        grids.append(grid)
    new = pd.concat(grids)
    return bool(((model.predict(new) != label) & (model.unknown_at(new) < 0)).any())


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
def test_changes_of_pairs_flip_the_label(sign: Any) -> None:
    random = np.random.RandomState(0)
    table = pd.DataFrame(random.normal(0, 3, (400, 3)).round(1), columns=["a", "b", "c"])
    pair = ColumnPair("a", sign, "b", 2.0 if sign in "+-" else 1.0)
    number = pair.combine(table["a"], table["b"])
    y = (number > 1) ^ (table["c"] > 1)
    questions = [Question(pair, ">", t) for t in (-2.0, 1.0, 3.0)]
    questions += [Question("c", ">", 1.0), Question("a", ">", 0.0)]
    model = BsnsingClassifier.plain(
        own_questions=False, extra_questions=questions, min_samples_leaf=5
    ).fit(table, y)
    assert model.tree_.pairs == (pair,)
    rows = table.head(60)
    labels = model.predict(rows)
    n_alone = 0
    for fixed in ((), ("c",), ("a", "c"), ("b", "c")):
        found = explain(model, rows, fixed=fixed)
        kept = [i for i, own in enumerate(found) if own.flip and own.flip.is_found]
        assert len(kept) > 40
        new = changed_rows(rows.iloc[kept], [found[i].flip for i in kept])  # type: ignore[misc]
        assert (model.predict(new) != labels[kept]).all()
        assert model.apply(new).tolist() == [found[i].flip.leaf for i in kept]  # type: ignore[union-attr]
        for i, own in enumerate(found[:25]):
            alone = one_column_flips(model, rows.iloc[i], labels[i], fixed)
            n_alone += alone
            assert own.flip is not None
            assert not alone or len(own.flip.changes) == 1
    assert n_alone > 40
    json.loads(explain(model, rows).to_json())


def test_both_columns_of_a_pair_change_where_they_must() -> None:
    table = pd.DataFrame(
        [(a, b) for a in range(1, 21) for b in range(1, 21)], columns=["a", "b"], dtype=float
    )
    y = (table["a"] * table["b"] > 50) & (table["a"] < 6) & (table["b"] < 15)
    model = BsnsingClassifier.plain(
        own_questions=False,
        operators=("and",),
        max_rules=3,
        min_samples_leaf=1,
        extra_questions=[
            Question(ColumnPair("a", "*", "b"), ">", 50.0),
            Question("a", "<", 6.0),
            Question("b", "<", 15.0),
        ],
    ).fit(table, y)
    (found,) = explain(model, pd.DataFrame({"a": [20.0], "b": [20.0]}))
    assert found.flip is not None
    assert [change.column for change in found.flip.changes] == ["a", "b"]
    a, b = (float(change.example) for change in found.flip.changes)
    assert a * b > 50
    assert a < 6
    assert b < 15
    assert "a * b > 50" in found.flip_text
    assert found.to_dict()["flip"]["changes"][0]["pairs"][0]["pair"] == "a * b"


@pytest.mark.parametrize("name", MODELS)
def test_ways_are_those_of_the_model(name: str) -> None:
    table, y = mixed_table()
    model = MODELS[name].fit(table, y)
    rows = hostile_rows(table, np.random.RandomState(1)).head(60)
    found = explain(model, rows, flip=False)
    probabilities, labels = model.predict_proba(rows), model.predict(rows)
    stops = model.unknown_at(rows).reshape(len(rows), -1)
    members = getattr(model, "estimators_", [model])
    ends = np.column_stack([member.apply(rows).reshape(len(rows), -1) for member in members])
    for i, own in enumerate(found):
        assert own.label == labels[i]
        assert [p for _, p in own.probabilities] == probabilities[i].tolist()
        assert own.flip is None
        for way, tree, end, stop in zip(own.ways, model.trees_, ends[i], stops[i], strict=True):
            assert way.leaf == (end if stop < 0 else -1)
            passed = [step.node for step in way.steps]
            expected = [] if tree.parent[end] < 0 else nodes_above(tree, end)
            assert passed == (expected if stop < 0 else [*expected, end])
            position = tree.classes.tolist().index(way.shown)
            assert list(way.probabilities[:-1]) == tree.value[passed, position].tolist()
            if len(model.trees_) == 1:
                assert way.probability == probabilities[i, position]
        assert own.text.splitlines()[0].startswith(f"Case {i}: {labels[i]} ")


def nodes_above(tree: Any, node: int) -> list[int]:
    path: list[int] = []
    while (node := int(tree.parent[node])) >= 0:
        path.insert(0, node)
    return path


def test_probabilities_of_a_tree_of_several_are_its_own() -> None:
    table, y = mixed_table()
    model = MODELS["ovr"].fit(table, y)
    rows = hostile_rows(table, np.random.RandomState(1)).head(80)
    scores = np.array([[way.probability for way in own.ways] for own in explain(model, rows)])
    np.testing.assert_array_equal(scores, model._scores(rows))


def fitted(operators: tuple[str, ...], y: Any, *questions: Question) -> BsnsingClassifier:
    table = pd.DataFrame({"age": [20.0, 30, 40, 50], "bmi": [20.0, 35, 20, 35]})
    table["area"] = table["age"] * 100
    model = BsnsingClassifier.plain(
        operators=operators, min_samples_leaf=1, own_questions=False, extra_questions=questions
    )
    return model.fit(table, y)


AGE, BMI, AREA = Question("age", ">", 35), Question("bmi", ">", 30), Question("area", ">", 2500.5)


def test_sentences_name_the_questions_that_decided() -> None:
    either = fitted(("or",), [0, 1, 1, 1], AGE, BMI)
    rows = pd.DataFrame({"age": [50.0, 40, 20, 20], "bmi": [20.0, 35, 35, 20], "area": [1.0] * 4})
    because = [" and ".join(own.way.because) for own in explain(either, rows)]
    assert because == [
        "age is 50 (> 35)",
        "age is 40 (> 35) and bmi is 35 (> 30)",
        "bmi is 35 (> 30)",
        "age is 20 (<= 35) and bmi is 20 (<= 30)",
    ]
    decides = [[a.decides for a in own.way.steps[0].answers] for own in explain(either, rows)]
    assert decides == [[True, False], [True, True], [False, True], [True, True]]
    whole = fitted(("or",), [0, 1, 1, 1], parse_question("age >= 35"), parse_question("bmi >= 30"))
    assert explain(whole, rows)[0].way.because == ("age is 50 (>= 35)",)
    assert explain(whole, rows)[3].way.because == ("age is 20 (< 35)", "bmi is 20 (< 30)")
    both = fitted(("and",), [0, 0, 0, 1], AGE, BMI)
    assert explain(both, rows)[3].way.because == ("age is 20 (<= 35)", "bmi is 20 (<= 30)")
    assert explain(both, rows)[2].way.because == ("age is 20 (<= 35)",)


def test_text_of_a_case() -> None:
    model = fitted(("or",), ["no", "yes", "yes", "yes"], AREA)
    row = pd.DataFrame({"age": [20.0, 20], "bmi": [20.0, 20], "area": [12345.5, np.nan]})
    assert str(explain(model, row)) == (
        "Case 0: yes 100%\n"
        "  because area is 12,345.5 (> 2,500.5)\n"
        "  yes on the way: 75%, 100%\n"
        "  It would be no (100%, 1 case) if area <= 2,500.5 (now 12,345.5; for instance 2,000).\n"
        "\n"
        "Case 1: yes 75%\n"
        "  because area is not known, so that both ways count: as in training, 75% yes and 25% no\n"
        "  yes on the way: 75%, 75%\n"
        "  It would be no (100%, 1 case) if area <= 2,500.5 (now not known; for instance 2,500)."
    )
    shown = explain(model, row, event="no", flip=False)
    assert "no on the way: 25%, 0%" in shown[0].text
    assert "would be" not in shown[0].text


def test_frames_and_json() -> None:
    table, y = mixed_table()
    model = MODELS["plain"].fit(table, y)
    found = explain(model, table.head(30))
    frame = found.to_frame()
    assert frame["label"].tolist() == model.predict(table.head(30)).tolist()
    assert frame["leaf"].tolist() == model.apply(table.head(30)).tolist()
    assert isinstance(found.to_frame(library="polars"), pl.DataFrame)
    plain = json.loads(found.to_json())
    assert len(plain) == 30
    assert plain[0]["flip"]["changes"][0]["column"] in table.columns
    assert plain[0]["trees"][0]["steps"][0]["rule"] == model.tree_.rules[0].text()
    assert len(found[:5]) == 5
    assert str(found).endswith("... and 10 more cases")
    assert len(str(found[:3]).split("\n\n")) == 3
    ensemble = MODELS["ensemble"].fit(table, y)
    several = explain(ensemble, table.head(2), flip=False)
    assert len(several.to_frame()) == 2 * len(ensemble.trees_)
    assert several[0].flip is None
    with pytest.raises(ValueError, match="There are 3 trees"):
        _ = several[0].way


def test_searches_that_take_long_say_so() -> None:
    form = model_form(balanced_tree(64))
    search = FlipSearch(form, most_states=3)
    flip = search.find({"x0": 5.0}, 1)
    assert not flip.is_found
    assert not flip.is_exact
    assert flip.reason == "the search stopped after 3 states"
    # A little later some change is known, and later still the nearest.
    later = [FlipSearch(form, most_states=n).find({"x0": 5.0}, 1) for n in range(3, 40)]
    stages = [(own.is_found, own.is_exact) for own in later]
    assert list(dict.fromkeys(stages)) == [(False, False), (True, False), (True, True)]
    assert all(search.walks[0].leaf_of({"x0": float(own.changes[0].example)}) == own.leaf
               for own in later if own.is_found)  # fmt: skip


def test_deep_and_wide_trees_are_explained() -> None:
    for tree in (chain_tree(3000), balanced_tree(4096)):
        (found,) = explain(model_of(tree), [[17.0]])
        assert found.label == 1
        assert found.flip is not None
        assert found.flip.is_exact
        assert len(found.flip.changes) == 1
        assert model_of(tree).predict([[found.flip.changes[0].example]]) == [0]
        assert len(found.way.because) == 1


def test_hostile_names_stay_on_their_line() -> None:
    table = pd.DataFrame({"a\nb": [1.0, 2, 3, 4], "x": ["u\nv", "w", "u\nv", "w"]})
    y = ["one\ntwo", "three", "one\ntwo", "three"]
    model = BsnsingClassifier.plain(min_samples_leaf=1, max_rules=1).fit(table, y)
    for own in explain(model, table):
        assert len(own.text.splitlines()) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fixed": ["weight"]}, "fixed names column 'weight', which the model does not have"),
        ({"fixed": "age"}, r"fixed is the text 'age'. Give a list of names, such as \['age'\]"),
        ({"event": 7}, "event=7 is no class"),
    ],
)
def test_unknown_names_are_refused(options: dict[str, Any], message: str) -> None:
    table, y = mixed_table()
    model = MODELS["plain"].fit(table, y)
    with pytest.raises(ValueError, match=message):
        explain(model, table, **options)
    with pytest.raises(TypeError, match="Got a Tree, which cannot read a table"):
        explain(model.tree_, table)


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
@pytest.mark.parametrize("first", [True, False])
def test_pairs_are_solved_for_one_column(sign: Any, first: bool) -> None:
    pair = ColumnPair("a", sign, "b", -3.0 if sign in "+-" else 1.0)
    random = np.random.RandomState(0)
    wanted = [(Span(-np.inf, 2.0, False, True),), (Span(-1.5, 4.0),), (Span(1.0, np.inf),),
              (Span(-np.inf, -0.5), Span(0.25, 1.0))]  # fmt: skip
    for spans in wanted:
        for other in (-2.0, 0.0, 0.7, 5.0):
            solved = solve_pair(pair, spans, first=first, other=other)
            for value in [*random.normal(0, 5, 60), *random.normal(0, 0.5, 60)]:
                cells = ([value], [other]) if first else ([other], [value])
                number = float(pair.combine(*cells)[0])
                inside = not is_missing(number) and any(span.holds(number) for span in spans)
                assert any(span.holds(value) for span in solved) == inside, (spans, other, value)


@pytest.mark.parametrize(
    ("span", "present", "expected"),
    [
        (Span(-np.inf, 945.55, False, True), 1203.0, 945.0),
        (Span(-np.inf, 49.5), 53.0, 49.0),
        (Span(-np.inf, 49.0), 53.0, 48.0),
        (Span(0.2262, np.inf), 0.1, 0.23),
        (Span(2.0, 2.0, True, True), 7.0, 2.0),
        (Span(3.0, np.inf), None, 4.0),
        (Span(-np.inf, np.inf), None, 0.0),
        (Span(1.0000001, 1.0000002), 5.5, 1.00000019),
    ],
)
def test_examples_are_short_and_near(span: Span, present: float | None, expected: float) -> None:
    assert near_number((span,), present) == pytest.approx(expected, abs=1e-12)

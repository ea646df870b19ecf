"""Fits with donors: rules are the best over own and lent questions, which know their origin."""

from __future__ import annotations

import json
import re
import threading
from copy import deepcopy
from pathlib import Path
from typing import Any

import judge
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import bsnsing
from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    BsnsingEnsemble,
    ColumnPair,
    Question,
    RuleConstraints,
    ask_questions,
    export_graphviz,
    export_html,
    export_latex,
    export_rules,
    export_svg,
    export_text,
    nodes_frame,
    plot_tree,
    questions_of,
    rules_frame,
)
from bsnsing.data.table import read_training_table
from bsnsing.estimators.donors import read_extra_questions
from bsnsing.tree.check import check_tree
from bsnsing.tree.tree import Tree


def mixed(seed: int, n_rows: int = 90, n_classes: int = 2) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": np.round(rng.normal(size=n_rows), 1),
            "b": np.where(rng.random(n_rows) < 0.15, np.nan, np.round(rng.random(n_rows), 2)),
            "town": rng.choice(["u", "v", "w"], n_rows),
        }
    )
    score = frame["a"] + 2 * frame["b"].fillna(0.2) + (frame["town"] == "v")
    score += rng.normal(0, 0.5, n_rows)
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return frame, np.searchsorted(edges, score)


def answers_to(questions: list[Question], X: pd.DataFrame) -> Any:
    columns = [question.answer(X[question.column].to_numpy(dtype=object)) for question in questions]
    return np.column_stack(columns)


def rows_by_node(model: BsnsingClassifier, X: pd.DataFrame) -> list[Any]:
    path = model.decision_path(X)
    assert not isinstance(path, tuple)
    return [path[:, v].nonzero()[0] for v in range(model.tree_.n_nodes)]


# --- Exactness ---


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gini_squared"])
@pytest.mark.parametrize("operators", [("or",), ("or", "and")])
@pytest.mark.parametrize("own", [False, True])
def test_rules_are_the_best_over_own_and_lent_questions(
    criterion: str, operators: tuple[str, ...], own: bool
) -> None:
    """Every split of the tree against all rules over the pool, tried one by one."""
    X, y = mixed(1)
    donor = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[["b", "a"]], y)
    settings = {"n_segments": 3, "max_levels": 30, "max_values_as_levels": 0}
    model = BsnsingClassifier.plain(
        extra_questions=donor,
        own_questions=own,
        criterion=criterion,
        operators=operators,
        min_samples_leaf=6,
        max_bins=None,
        **settings,
    ).fit(X, y)
    lent = read_extra_questions(donor).on(read_training_table(BaseEstimator(), X, "from_dtype"))
    assert model.tree_.n_nodes > 3
    for node, rows in enumerate(rows_by_node(model, X)):
        if model.tree_.is_leaf[node]:
            continue
        here = X.iloc[rows]
        pool = list(lent)
        if own:
            negation = "and" in operators
            pool = ask_questions(here, y[rows], negation=negation, **settings).questions + pool
        best = judge.best_rule(
            answers_to(pool, here),
            y[rows],
            criterion=criterion,
            operators=operators,
            min_samples_leaf=6,
        )
        assert best is not None
        assert model.tree_.objective[node] == pytest.approx(best.objective)
        assert model.tree_.optimal[node]


@pytest.mark.parametrize("own", [False, True])
def test_learners_at_each_node(own: bool) -> None:
    """The donor fitted here to the rows of each node, and all rules over what it asks."""
    X, y = mixed(2, 120)
    X = X[["a", "b"]]
    learner = DecisionTreeClassifier(max_depth=2, random_state=0)
    settings = {"n_segments": 2, "max_values_as_levels": 0}
    model = BsnsingClassifier.plain(
        extra_questions=learner,
        donors_per_node=True,
        own_questions=own,
        min_samples_leaf=8,
        operators=("or",),
        **settings,
    ).fit(X, y)
    assert model.tree_.n_nodes > 3
    for node, rows in enumerate(rows_by_node(model, X)):
        if model.tree_.is_leaf[node]:
            continue
        here = X.iloc[rows]
        tree = clone(learner).fit(here.to_numpy(), y[rows]).tree_
        pool = []
        for feature, threshold in zip(tree.feature, tree.threshold, strict=True):
            if feature >= 0 and np.isfinite(threshold):
                name = X.columns[feature]
                pool.append(Question(name, ">", float(threshold)))
                pool.append(Question(name, "<", float(np.nextafter(threshold, np.inf))))
        asked = {question.column for question in pool}
        pool += [Question(name, "is missing") for name in asked if here[name].isna().any()]
        if own:
            pool = ask_questions(here, y[rows], **settings).questions + pool
        best = judge.best_rule(
            answers_to(pool, here), y[rows], criterion="gini", min_samples_leaf=8
        )
        assert best is not None
        assert model.tree_.objective[node] == pytest.approx(best.objective)
        assert model.tree_.optimal[node]


def test_lent_questions_never_make_a_split_worse() -> None:
    for seed in range(4):
        X, y = mixed(seed, 150, n_classes=3)
        own = BsnsingClassifier.plain(max_depth=1).fit(X, y)
        for donor in (
            RandomForestClassifier(5, random_state=0),
            GradientBoostingClassifier(n_estimators=5, random_state=0),
            ExtraTreesClassifier(5, random_state=0),
        ):
            both = BsnsingClassifier.plain(max_depth=1, extra_questions=donor).fit(X, y)
            assert both.tree_.objective[0] <= own.tree_.objective[0] + 1e-9


def test_nothing_changes_without_donors() -> None:
    X, y = mixed(3, 200)
    for make in (BsnsingClassifier, BsnsingClassifier.plain, BsnsingClassifier.paper):
        plain = make().fit(X, y).tree_
        other = make(donors_per_node=True, extra_questions=[]).fit(X, y).tree_
        assert str(plain) == str(other)
        assert np.array_equal(plain.question_value, other.question_value)
        assert plain.origins == other.origins == ("own",)


@pytest.mark.parametrize(
    "empty",
    [
        {"extra_questions": ()},
        {"extra_questions": [[], set()]},
        {"constraints": {}},
        {"constraints": {"forbidden": [], "required": frozenset()}},
        {"constraints": RuleConstraints()},
        {"monotonic_cst": {}},
        {"column_costs": {}},
    ],
)
def test_what_is_empty_says_nothing(empty: dict[str, Any]) -> None:
    X, y = mixed(3, 200)
    X = X.assign(again=X["a"], constant=1.0)  # which a teacher leaves out unless columns are named
    expected = BsnsingClassifier().fit(X, y).tree_
    assert str(BsnsingClassifier(**empty).fit(X, y).tree_) == str(expected)


# --- Learners ---


class Counted(DecisionTreeClassifier):
    """A stump that remembers on how many rows of what weight it was fitted, over all copies."""

    fits: list[tuple[int, float]] = []  # noqa: RUF012
    failing_below = 0

    def __init__(self, random_state: int | None = None) -> None:
        super().__init__(max_depth=2, random_state=random_state)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Counted:
        weight = float(len(X)) if sample_weight is None else float(np.sum(sample_weight))
        Counted.fits.append((len(X), weight))
        assert self.random_state is not None
        assert set(np.unique(y)) == set(range(len(np.unique(y))))
        if len(X) < Counted.failing_below:
            raise RuntimeError("too few rows for me")
        super().fit(X, y, sample_weight)
        return self


@pytest.fixture(autouse=True)
def _forget_fits() -> None:
    Counted.fits, Counted.failing_below = [], 0


def test_learners_are_fitted_once_or_at_each_node() -> None:
    X, y = mixed(4, 200)
    learner = Counted()
    BsnsingClassifier.plain(extra_questions=learner).fit(X, y)
    assert Counted.fits == [(200, 200.0)]
    assert not hasattr(learner, "tree_")
    Counted.fits = []
    weights = np.arange(200) % 3
    BsnsingClassifier.plain(extra_questions=learner).fit(X, y, weights)
    assert Counted.fits == [(int((weights > 0).sum()), float(weights.sum()))]
    Counted.fits = []
    model = BsnsingClassifier.plain(extra_questions=learner, donors_per_node=True).fit(X, y)
    sizes = sorted(n for n, _ in Counted.fits)
    searched = [int(n) for n in model.tree_.counts[~model.tree_.is_leaf].sum(axis=1)]
    assert set(searched) <= set(sizes)
    assert len(sizes) <= model.tree_.n_nodes


def test_the_same_seed_lends_the_same_questions() -> None:
    X, y = mixed(5, 150)
    for learner in (ExtraTreesClassifier(3), [RandomForestClassifier(3)]):
        for per_node in (False, True):
            models = [
                BsnsingClassifier.plain(
                    extra_questions=learner, donors_per_node=per_node, random_state=seed
                ).fit(X, y)
                for seed in (1, 1, 2)
            ]
            assert str(models[0]) == str(models[1])
    state = np.random.RandomState(3)
    BsnsingClassifier.plain(extra_questions=ExtraTreesClassifier(3), random_state=state).fit(X, y)


@pytest.mark.parametrize("per_node", [False, True])
def test_learners_with_a_teacher_and_one_tree_per_class(per_node: bool) -> None:
    X, y = mixed(6, 150, n_classes=3)
    learner = DecisionTreeClassifier(max_depth=3, random_state=0)
    for settings in ({}, {"multiclass": "ovr", "teacher": None}, {"solver": "greedy"}):
        model = BsnsingClassifier(
            extra_questions=learner,
            donors_per_node=per_node,
            own_questions=False,
            **settings,  # type: ignore[arg-type]
        ).fit(X, y)
        for tree in model.trees_:
            check_tree(tree)
            assert set(tree.origins) <= {"own", "DecisionTreeClassifier"}
        assert any(len(tree.origins) == 2 for tree in model.trees_)
        if model.is_taught_:
            inner = ~model.tree_.is_leaf
            own, best = model.tree_.own_objective[inner], model.tree_.best_own_objective[inner]
            assert (best <= own + 1e-9).all()
            assert model.tree_.best_own_proven[inner].all() or model.solver == "greedy"


def test_learners_meet_levels_and_missing_cells() -> None:
    X, y = mixed(7, 200)
    X["many"] = [f"level {i % 40}" for i in range(200)]
    y = np.where(X["many"] == "level 7", 1, y)
    for learner in (
        DecisionTreeClassifier(max_depth=6, random_state=0),
        HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2),
        GradientBoostingClassifier(n_estimators=5, random_state=0),  # takes no missing numbers
        BsnsingClassifier.plain(max_rules=1),
    ):
        model = BsnsingClassifier.plain(
            extra_questions=learner, own_questions=False, min_samples_leaf=2
        ).fit(X, y)
        asked = {question.column for question in model.tree_.asked_questions()}
        assert asked & {"town", "many"}
        assert set(model.tree_.origins) == {"own", type(learner).__name__}


def test_constraints_hold_for_lent_questions() -> None:
    X, y = mixed(8, 150)
    learner = DecisionTreeClassifier(random_state=0)
    for per_node in (False, True):
        model = BsnsingClassifier.plain(
            extra_questions=learner,
            donors_per_node=per_node,
            constraints={"forbidden": ["a"]},
            min_samples_leaf=5,
        ).fit(X, y)
        assert "a" not in {question.column for question in model.tree_.asked_questions()}
        model = BsnsingClassifier.plain(
            extra_questions=learner,
            donors_per_node=per_node,
            monotonic_cst={"a": 1},
            min_samples_leaf=5,
        ).fit(X, y)
        sweep = pd.concat([X.iloc[:1]] * 50).assign(a=np.linspace(-3, 3, 50))
        assert (np.diff(model.predict_proba(sweep)[:, 1]) >= 0).all()


def test_mixed_integer_solvers_ask_lent_questions_too() -> None:
    pytest.importorskip("highspy", reason="HiGHS is not installed")
    X, y = mixed(9, 80)
    learner = DecisionTreeClassifier(max_depth=2, random_state=0)
    for per_node in (False, True):
        settings: dict[str, Any] = {
            "extra_questions": learner,
            "donors_per_node": per_node,
            "max_depth": 1,
            "own_questions": False,
        }
        exact = BsnsingClassifier.paper(**settings).fit(X, y).tree_
        solved = BsnsingClassifier.paper(solver="highs", **settings).fit(X, y).tree_
        assert solved.objective[0] == exact.objective[0]
        assert solved.origins == ("own", "DecisionTreeClassifier")


def test_a_learner_that_fails_says_so() -> None:
    X, y = mixed(10, 150)
    Counted.failing_below = 1000
    message = "The Counted in extra_questions could not be fitted to 150 rows: too few rows for me"
    with pytest.raises(ValueError, match=message):
        BsnsingClassifier.plain(extra_questions=Counted()).fit(X, y)
    with pytest.raises(ValueError, match=message):
        BsnsingClassifier.plain(extra_questions=Counted(), donors_per_node=True).fit(X, y)
    Counted.failing_below = 100
    with pytest.warns(
        UserWarning, match="could not be fitted to .* It lends nothing there"
    ) as said:
        model = BsnsingClassifier.plain(extra_questions=Counted(), donors_per_node=True).fit(X, y)
    assert len(said) == 1
    assert model.tree_.n_nodes > 1


def test_learners_in_threads_and_folds() -> None:
    X, y = mixed(11, 150)
    model = BsnsingClassifier.plain(
        extra_questions=RandomForestClassifier(3, random_state=0), donors_per_node=True
    )
    expected = str(clone(model).fit(X, y))
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(str(clone(model).fit(X, y)))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3
    assert cross_val_score(model, X, y, cv=3).min() > 0.5
    chosen = BsnsingClassifierCV(model, cv=3, max_rules=[1]).fit(X, y)
    assert "RandomForestClassifier" in chosen.best_estimator_.tree_.origins
    voters = BsnsingEnsemble(estimator=model, n_estimators=2, random_state=0).fit(X, y)
    assert len(voters.estimators_) == 2


# --- Origins ---


def lent_model(**settings: Any) -> tuple[BsnsingClassifier, pd.DataFrame, Any]:
    X, y = mixed(12, 200)
    donor = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X[["a"]], y)
    model = BsnsingClassifier.plain(
        extra_questions=[donor, "b >= 0.31", Question("town", "in", ("v", "w"))],
        n_segments=1,
        min_samples_leaf=5,
        **settings,
    )
    return model.fit(X, y), X, y


def test_every_question_knows_where_it_came_from() -> None:
    asking = {"n_segments": 1, "max_values_as_levels": 0}
    model, X, y = lent_model(max_values_as_levels=0)
    tree = model.tree_
    assert set(tree.origins) == {"own", "user", "DecisionTreeClassifier"}
    lent = set(questions_of(model.extra_questions[0]))
    given = {Question("b", ">", float(np.nextafter(0.31, 0))), Question("town", "in", ("v", "w"))}
    rows = rows_by_node(model, X)
    for node, rule in enumerate(tree.rules):
        for question in rule.questions if rule else ():
            own = ask_questions(X.iloc[rows[node]], y[rows[node]], negation=True, **asking)
            cells = X.iloc[rows[node]][question.column].to_numpy(dtype=object)
            told = question.answer(cells)
            # What the node asks of itself with the same answers comes first.
            is_own = any(
                np.array_equal(told, answers) or np.array_equal(told, ~answers)
                for answers in own.answers.astype(bool).T
            )
            if question.origin == "own":
                assert is_own
            else:
                assert not is_own
                assert question in (given if question.origin == "user" else lent)


def test_pictures_and_rules_tell_where_questions_came_from() -> None:
    model, *_ = lent_model()
    tree = model.tree_
    assert set(tree.origins) == {"own", "user", "DecisionTreeClassifier"}
    for write in (export_svg, export_latex, export_graphviz, export_rules):
        text = " ".join(re.sub(r"<[^>]*>|\\\\|\\n", " ", write(model, show_origins=True)).split())
        assert "from the user" in text, write
        assert "from DecisionTreeClassifier" in text, write
        assert "from the user" not in write(model)
    frame = rules_frame(model)
    above = nodes_frame(model).set_index("node")
    for leaf, origins in zip(frame["leaf"], frame["origins"], strict=True):
        wanted, node = set(), leaf
        while node > 0:
            node = above.loc[node, "parent"]
            wanted |= set(above.loc[node, "origins"].split(", "))
        assert set(origins.split(", ")) == wanted
    ax = plot_tree(model, ax=Figure().add_subplot(), show_origins=True)
    drawn = " ".join(text.get_text() for text in ax.texts)
    assert "from the user" in drawn


def test_origins_follow_the_questions() -> None:
    model, X, _ = lent_model()
    tree = model.tree_
    smaller = deepcopy(model).prune(max_leaf_nodes=4).tree_
    kept = [
        (str(question), question.origin)
        for rule in smaller.rules
        if rule
        for question in rule.questions
    ]
    whole = [
        (str(question), question.origin)
        for rule in tree.rules
        if rule
        for question in rule.questions
    ]
    assert kept
    assert set(kept) <= set(whole)
    root = deepcopy(model).prune(max_leaf_nodes=1)
    assert root.tree_.origins == ("own",)
    for pruned in (root, deepcopy(model).prune(max_leaf_nodes=3)):
        loaded = bsnsing.from_json(pruned.to_json()).tree_
        assert loaded.origins == pruned.tree_.origins
        assert np.array_equal(loaded.question_origin, pruned.tree_.question_origin)
    rounded = model.round_thresholds(X)
    assert [q.origin for q in rounded.tree_.asked_questions()] == [origin for _, origin in whole]
    loaded = bsnsing.from_json(model.to_json()).tree_
    assert loaded.origins == tree.origins
    assert np.array_equal(loaded.question_origin, tree.question_origin)
    alone = bsnsing.from_json(bsnsing.export_json(tree))
    assert [q.origin for q in alone.asked_questions()] == [origin for _, origin in whole]


def test_origins_are_written_where_they_are_asked_for() -> None:
    model, _, _ = lent_model()
    assert "from" not in export_text(model)
    text = export_text(model, show_origins=True)
    assert "from DecisionTreeClassifier" in text
    assert "from the user" in text
    again = BsnsingClassifier.from_text(text, *lent_model()[1:])
    assert again.tree_.rules[0].text() == model.tree_.rules[0].text()
    frame = nodes_frame(model)
    for node, origins in zip(frame["node"], frame["origins"], strict=True):
        rule = model.tree_.rules[node]
        expected = None if rule is None else ", ".join(str(q.origin) for q in rule.questions)
        assert origins == expected or (expected is None and origins != origins)
    page = export_html(model)
    data = json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])
    told = [asked[8] for tree in data["trees"] for node in tree["questions"] for asked in node]
    assert set(told) == {None, "the user", "DecisionTreeClassifier"}


def test_rules_that_experts_choose_keep_their_origins() -> None:
    model, X, y = lent_model()
    origins = {
        question.origin
        for own in model.alternatives(0, X, y, k=30)
        for question in own.rule.questions
    }
    assert origins == {"own", "user", "DecisionTreeClassifier"}
    swapped = model.swap(0, "a > 0.05 and b < 0.7", X, y)
    assert [question.origin for question in swapped.tree_.rules[0].questions] == ["user", "user"]
    untouched = swapped.tree_.children_left[0]
    if swapped.tree_.rules[untouched] is not None:
        before = model.tree_.rules[model.tree_.children_left[0]]
        after = swapped.tree_.rules[untouched]
        assert [q.origin for q in after.questions] == [q.origin for q in before.questions]
    written = Tree.from_text("a > 0.1 ?\n  yes: 1\n  no: 0", X, y)
    assert written.origins == ("own", "user")
    per_node = clone(model).set_params(
        extra_questions=DecisionTreeClassifier(max_depth=3, random_state=0), donors_per_node=True
    )
    ranked = per_node.fit(X, y).alternatives(0, X, y, k=30)
    assert "DecisionTreeClassifier" in {q.origin for own in ranked for q in own.rule.questions}


def test_fitted_models_stay_fitted_where_an_expert_edits() -> None:
    X, y = mixed(12, 200)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X[["a"]], y)
    model = BsnsingClassifier.plain(extra_questions=forest, min_samples_leaf=5).fit(X, y)
    asked = set(questions_of(forest))
    for own in model.alternatives(0, X, y, k=20):
        lent = [q for q in own.rule.questions if q.origin == "RandomForestClassifier"]
        assert set(lent) <= asked
    for edited in (model.cut(1), model.swap(0, "a > 0.05", X, y), model.regrow(0, X, y)):
        assert edited.extra_questions is forest


def test_votes_of_pipelines_are_read_pipeline_by_pipeline() -> None:
    X, y = mixed(12, 200)
    members = [
        (str(depth), make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=depth)))
        for depth in (1, 2)
    ]
    vote = VotingClassifier(members).fit(X[["a"]], y)
    each = {question for own in vote.estimators_ for question in questions_of(own)}
    assert set(questions_of(vote)) == each


def test_questions_taken_out_of_a_tree_are_the_users_own() -> None:
    model, X, y = lent_model()
    asked = list(model.tree_.asked_questions())
    again = BsnsingClassifier.plain(extra_questions=asked, own_questions=False).fit(X, y)
    assert set(again.tree_.origins) <= {"own", "user", "DecisionTreeClassifier"}
    assert 0 not in again.tree_.question_origin


# --- Files ---


def test_files_of_saved_models_lend(tmp_path: Path) -> None:
    X, y = mixed(13, 150)
    lender = BsnsingClassifier.plain(max_rules=1).fit(X, y)
    path = tmp_path / "risk 2019.json"
    lender.save(path)
    for extra in (path, str(path), [path], {str(path)}):
        model = BsnsingClassifier.plain(extra_questions=extra, own_questions=False).fit(X, y)
        assert set(model.tree_.origins) == {"own", "risk 2019.json"}
        assert set(model.tree_.asked_questions()) <= set(questions_of(lender))
    (tmp_path / "no model.json").write_text("{}")
    with pytest.raises(bsnsing.ModelFileError, match="no model of bsnsing"):
        BsnsingClassifier.plain(extra_questions=tmp_path / "no model.json").fit(X, y)
    with pytest.raises(FileNotFoundError):
        questions_of("nowhere.json")
    assert questions_of("town == a.json") == [Question("town", "==", "a.json")]


def test_what_a_file_keeps_of_donors(tmp_path: Path) -> None:
    X, y = mixed(14, 150)
    donor = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[["a", "b"]], y)
    lender = BsnsingClassifier.plain(max_rules=1).fit(X, y)
    lender.save(tmp_path / "own.json")
    model = BsnsingClassifier.plain(
        extra_questions=[donor, Question("a", ">", 0.5), "b >= 0.31", tmp_path / "own.json"],
        donors_per_node=True,
    ).fit(X, y)
    loaded = bsnsing.from_json(model.to_json())
    questions, by_hand, words, path = loaded.extra_questions
    assert questions == questions_of(donor)
    assert {question.origin for question in questions} == {"DecisionTreeClassifier"}
    assert (by_hand, words, path) == (
        Question("a", ">", 0.5),
        "b >= 0.31",
        str(tmp_path / "own.json"),
    )
    assert loaded.donors_per_node
    again = clone(loaded).fit(X, y)
    assert str(again) == str(model)
    r = bsnsing.RLearner("rpart", {"cp": 0.01})
    model.set_params(extra_questions=["rpart", r])
    assert bsnsing.from_json(model.to_json()).extra_questions == ["rpart", r]
    model.set_params(extra_questions=RandomForestClassifier())
    with pytest.warns(UserWarning, match="a note only of extra_questions=RandomForestClassifier"):
        text = model.to_json()
    with pytest.raises(TypeError, match="Got NotStored"):
        bsnsing.from_json(text).fit(X, y)


def test_rows_in_parts_take_questions_but_no_models(tmp_path: Path) -> None:
    X, y = mixed(15, 60)
    X.assign(label=y).to_parquet(tmp_path / "part.parquet")
    donor = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[["a"]], y)
    for extra, name in ((donor, "DecisionTreeClassifier"), ("rpart", "rpart")):
        with pytest.raises(ValueError, match=rf"holds a model \({name}\).*questions_of\(model\)"):
            BsnsingClassifier.plain(extra_questions=extra).fit_files(
                tmp_path / "part.parquet", "label"
            )
    given = questions_of(donor)
    parts = BsnsingClassifier.plain(extra_questions=given).fit_files(
        tmp_path / "part.parquet", "label"
    )
    whole = BsnsingClassifier.plain(extra_questions=given).fit(X, y)
    assert str(parts) == str(whole)
    assert parts.tree_.origins == whole.tree_.origins


def test_lent_pairs_of_columns() -> None:
    X, y = mixed(16, 200)
    X["b"] = X["b"].fillna(0.5) + 0.5
    ratio = ColumnPair("a", "/", "b")
    lender = BsnsingClassifier.plain(
        extra_questions=Question(ratio, ">", 0.4), own_questions=False, min_samples_leaf=5
    ).fit(X, y)
    model = BsnsingClassifier.plain(extra_questions=lender, own_questions=False).fit(X, y)
    assert model.tree_.pairs == (ratio,)
    assert model.tree_.origins == ("own", "BsnsingClassifier")

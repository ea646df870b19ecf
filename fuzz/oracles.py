"""What must hold of every table: each oracle gets a fitted model and raises if it does not."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.sparse import issparse

import bsnsing
from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble, Rule, _core
from bsnsing.data.show import is_printable
from fuzz.containers import reference_frame
from fuzz.plan import Plan, Table, make_table
from fuzz.pools import best_objective


class Quick(BsnsingClassifier):
    """The classifier with a small teacher, so that many tables can be tried."""

    _distill_config = replace(BsnsingClassifier._distill_config, n_trees=3, times_rows=1)


Oracle = Callable[[Table, Any], None]
ORACLES: dict[str, Oracle] = {}
KERNELS = list(_core.available_kernels())
# Parameters that name columns by their place.
BY_PLACE = {"constraints", "monotonic_cst", "categorical_features"}


class Fault(AssertionError):
    """Something that must hold does not."""


def oracle(function: Oracle) -> Oracle:
    ORACLES[function.__name__] = function
    return function


def check_plan(plan: Plan) -> str:
    """Fit the plan's table and ask its oracles; what came of it in a word, or an exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)  # numbers that went wrong on the way
        table = make_table(plan)
        before = _snapshot(table.built.X)
        try:
            model = fitted(table)
        except (ValueError, TypeError) as error:
            if table.is_plain and not _may_refuse(table, error):
                raise
            _check_message(error)
            return "refused"
        for name in plan["oracles"]:
            if name == "input_unchanged":
                must(_snapshot(table.built.X) == before, "fit has changed its input")
            elif name in ORACLES:
                ORACLES[name](table, model)
    return "fitted"


def _snapshot(X: Any) -> bytes:
    """The cells and their types, without what libraries remember of them for speed."""
    if isinstance(X, pd.DataFrame):
        return pickle.dumps((X.dtypes.astype(str).tolist(), [X[name].tolist() for name in X]))
    if isinstance(X, pa.Table | pa.RecordBatch):  # of whose buffers some bytes are left to chance
        X = (str(X.schema), X.to_pydict())
    if issparse(X):
        X = (X.format, X.toarray())
    return pickle.dumps(X)


def must(holds: Any, what: str) -> None:
    if not holds:
        raise Fault(what)


def _check_message(error: BaseException) -> None:
    text = str(error)
    must(text and len(text) < 2000, f"an error of {len(text)} characters says too little or much")


def _may_refuse(table: Table, error: BaseException) -> bool:
    """Refusals that are said in the documents, by the words of their messages."""
    text, plan = str(error), table.plan
    single = plan["estimator"] in ("cv", "ensemble") or len(np.unique(table.y)) < 2
    rounding = plan["labels"]["kind"] == "float" and "continuous" in text
    folds = plan["estimator"] == "cv" and ("fold" in text or "n_splits" in text or "class" in text)
    words = ("mixes text with other values", "monotonic_cst ")
    words += ("max_columns counts the columns of one tree", "categorical_features is None")
    said = any(word in text for word in words)
    return rounding or folds or said or (single and "class" in text)


def estimator(plan: Plan, **changes: Any) -> Any:
    """The unfitted estimator of a plan."""
    given = {"time_limit": None} | plan["parameters"] | changes
    kind = plan["estimator"]
    if kind == "plain":
        return BsnsingClassifier.plain(**given)
    if kind == "paper":
        return BsnsingClassifier.paper(**given)
    if kind == "default":
        return BsnsingClassifier(**given)
    if kind == "taught":
        return Quick(**given)
    inner = BsnsingClassifier.plain(**given)
    if kind == "ensemble":
        return BsnsingEnsemble(3, estimator=inner, random_state=0)
    return BsnsingClassifierCV(inner, cv=2, max_rules=(1, 2), shrinkages=(0, 1), random_state=0)


def fitted(table: Table, X: Any = None, y: Any = None, weights: Any = None, **changes: Any) -> Any:
    """The plan's estimator, fitted to its table or to another."""
    own = X is None
    return estimator(table.plan, **changes).fit(
        table.built.X if own else X,
        table.y if own else y,
        sample_weight=table.weights if own else weights,
    )


def same_model(one: Any, other: Any, why: str) -> None:
    must(str(one) == str(other), f"{why}: another tree")
    for tree, same in zip(one.trees_, other.trees_, strict=True):
        for name in ("counts", "value", "objective", "bound", "optimal"):
            is_same = np.array_equal(
                getattr(tree, name), getattr(same, name), equal_nan=name != "optimal"
            )
            must(is_same, f"{why}: other {name}")


def _single(table: Table) -> bool:
    return table.plan["estimator"] in ("plain", "paper")


@oracle
def probabilities(table: Table, model: Any) -> None:
    """They are shares that sum to one, and the most probable class is predicted."""
    shares = model.predict_proba(table.built.X)
    must(shares.shape == (table.n_rows, len(model.classes_)), "shape of probabilities")
    must(np.isfinite(shares).all() and (shares >= 0).all() and (shares <= 1).all(), "no shares")
    must(np.abs(shares.sum(axis=1) - 1).max() < 1e-12, "shares do not sum to one")
    if table.plan["estimator"] != "ensemble":
        best = model.classes_[shares.argmax(axis=1)]
        must((model.predict(table.built.X) == best).all(), "predict is not the most probable class")


@oracle
def bookkeeping(table: Table, model: Any) -> None:
    """Counts of children sum to their parent's, and leaves hold the rows that end there."""
    for tree in getattr(model, "trees_", []):
        inner = np.flatnonzero(~tree.is_leaf)
        sums = tree.counts[tree.children_left[inner]] + tree.counts[tree.children_right[inner]]
        must(np.allclose(sums, tree.counts[inner], rtol=1e-9), "children's counts")
        must((tree.bound[inner] <= tree.objective[inner]).all(), "a bound above its objective")
    if not _single(table) or len(model.trees_) > 1:
        return
    tree = model.tree_
    ends = model.apply(table.built.X)
    weights = np.ones(table.n_rows) if table.weights is None else table.weights.astype(float)
    if table.plan["weights"] == "any":
        weights = weights / weights.mean()
    seen = weights > 0
    must((model.unknown_at(table.built.X)[seen] == -1).all(), "a training row meets an unknown")
    codes = np.searchsorted(model.classes_.astype(table.y.dtype), table.y)
    counted = np.zeros_like(tree.counts)
    np.add.at(counted, (ends[seen], codes[seen]), weights[seen])
    leaves = tree.is_leaf
    must(np.allclose(counted[leaves], tree.counts[leaves], rtol=1e-9), "leaves' counts")


@oracle
def row_order(table: Table, model: Any) -> None:
    if table.plan["estimator"] in ("ensemble", "cv"):
        return  # which draw rows by their place
    order = np.random.default_rng(table.plan["seed"]).permutation(table.n_rows)
    frame = _reference(table)
    weights = None if table.weights is None else table.weights
    one = fitted(table, frame, table.y, weights)
    other = fitted(
        table, frame.iloc[order], table.y[order], None if weights is None else weights[order]
    )
    same_model(one, other, "rows in another order")


@oracle
def column_order(table: Table, model: Any) -> None:
    """The root of a plain tree is as good; which of equal columns it asks about may differ."""
    if not _single(table) or table.plan["parameters"].get("solver") == "greedy":
        return
    if BY_PLACE & set(table.plan["parameters"]) or len(model.trees_) > 1:
        return  # which name columns by their place
    if {"ccp_alpha", "max_leaf_nodes"} & set(table.plan["parameters"]):
        return  # below equal columns other splits may pay, or not, and take the root with them
    frame = _reference(table)
    turned = fitted(table, frame[frame.columns[::-1]], table.y, table.weights)
    must(
        _near(model.tree_.objective[0], turned.tree_.objective[0]), "another objective at the root"
    )


def _near(one: float, other: float) -> bool:
    return bool(np.isclose(one, other, rtol=1e-9, equal_nan=True))


@oracle
def weights_are_repeats(table: Table, model: Any) -> None:
    if table.plan["weights"] not in ("whole", "zeros") or table.plan["estimator"] in (
        "ensemble",
        "cv",
    ):
        return
    frame, weights = _reference(table), table.weights
    assert weights is not None
    rows = np.repeat(np.arange(table.n_rows), weights)
    weighted = fitted(table, frame, table.y, weights)
    repeated = fitted(table, frame.iloc[rows], table.y[rows], None)
    same_model(weighted, repeated, "weights instead of repeated rows")


@oracle
def threads(table: Table, model: Any) -> None:
    n_jobs = 1 if "n_jobs" in table.plan["parameters"] else 3
    same_model(model, fitted(table, n_jobs=n_jobs), "other threads")


@oracle
def kernels(table: Table, model: Any) -> None:
    try:
        for name in KERNELS[1 + table.plan["seed"] % 2 :: 2]:
            _core.use_kernels(name)
            same_model(model, fitted(table), f"kernels {name}")
    finally:
        _core.use_kernels(KERNELS[0])


def _reference(table: Table) -> pd.DataFrame:
    return reference_frame(table.plan, table.cells, table.built.names)


@oracle
def libraries(table: Table, model: Any) -> None:
    """The tree depends on the cells, not on who holds them."""
    if not table.is_plain:
        return
    frame = _reference(table)
    same_model(model, fitted(table, frame, table.y, table.weights), "another library")
    if hasattr(model, "feature_names_in_"):
        shares = model.predict_proba(table.built.X)
        must((shares == model.predict_proba(frame)).all(), "another library predicts otherwise")


@oracle
def save_and_load(table: Table, model: Any) -> None:
    shares = model.predict_proba(table.built.X)
    for again in (bsnsing.from_json(bsnsing.export_json(model)), pickle.loads(pickle.dumps(model))):
        must((again.predict_proba(table.built.X) == shares).all(), "loaded, it predicts otherwise")
        must(str(again) == str(model), "loaded, it is another tree")
        must(
            bsnsing.export_json(again) == bsnsing.export_json(model),
            "loaded, it is saved otherwise",
        )


@oracle
def exports(table: Table, model: Any) -> None:
    """Exported Python says what the model says; texts of all kinds can be written."""
    if not table.is_plain:
        return  # code takes no dates and times
    space: dict[str, Any] = {}
    exec(compile(bsnsing.export_python(model), "<export>", "exec"), space)
    names = [column.name for column in model.trees_[0].columns]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*_cells_as_read(table), strict=True)]
    shares = model.predict_proba(table.built.X)
    for row, expected in zip(rows, shares, strict=True):
        got = space["predict_proba"](row)
        must(np.array_equal(list(got), expected), "exported Python has other probabilities")
    for name in ("export_text", "export_svg", "export_html", "export_graphviz", "export_latex"):
        must(getattr(bsnsing, name)(model), f"{name} is empty")


def _cells_as_read(table: Table) -> list[list[Any]]:
    frame = _reference(table)
    return [[None if pd.isna(c) else c for c in frame[name].tolist()] for name in frame.columns]


@oracle
def best_root(table: Table, model: Any) -> None:
    """No rule over the root's questions is better: all of them are tried."""
    given = table.plan["parameters"]
    if not _single(table) or given.get("solver") == "greedy" or len(model.trees_) > 1:
        return
    unlike = {"class_weight", "column_pairs", "max_bins", "max_columns", *BY_PLACE}
    if unlike & set(given) or len(model.classes_) < 2:
        return
    tree, frame = model.tree_, _reference(table)
    if tree.is_leaf[0] or table.plan["weights"] == "any":
        return
    for name in model.left_out_:  # of columns that name rows, only whether they are known is asked
        frame[name] = np.where(frame[name].isna(), None, "known")
    operators = model.operators
    n_segments = model.n_segments if model.n_segments != "auto" else 8
    pool = bsnsing.ask_questions(
        frame, table.y, n_segments=n_segments, max_levels=model.max_levels,
        max_values_as_levels=model.max_values_as_levels, bin_size=model.bin_size,
        negation="and" in operators, sample_weight=table.weights,
    )  # fmt: skip
    if pool.answers.shape[1] > (40 if model.max_rules < 3 else 10) or len(frame) > 255:
        return
    best = best_objective(
        pool.answers.astype(bool), _with_target_last(table), table.weights,
        max_rules=model.max_rules, operators=operators, criterion=model.criterion,
        min_samples_leaf=model.min_samples_leaf_, distinct_children=model.distinct_children,
    )  # fmt: skip
    must(best is not None, "a split where no rule is feasible")
    must(
        np.isclose(best, tree.objective[0], rtol=1e-9, atol=1e-9),
        f"{tree.objective[0]} is not {best}",
    )


def _with_target_last(table: Table) -> np.ndarray:
    """Labels, of two so that the node's majority, which "yes" stands for, is the second."""
    classes, codes = np.unique(table.y, return_inverse=True)
    totals = np.bincount(codes, weights=table.weights, minlength=2)
    return 1 - codes if len(classes) == 2 and totals[0] > totals[1] else codes


@oracle
def strange_rows(table: Table, model: Any) -> None:
    """Rows of missing cells and unseen levels get shares too."""
    frame = _reference(table)
    strange = frame.astype(object).iloc[[0, 0]].reset_index(drop=True)
    strange.iloc[0] = None
    for place, column in enumerate(model.trees_[0].columns):
        strange.iloc[1, place] = "never seen \ud800" if column.kind == "categorical" else 1e308
    if any(column.kind == "boolean" for column in model.trees_[0].columns):
        strange = strange.iloc[:1]
    if (
        not table.is_plain
        or table.plan["container"] == "polars"
        or "categorical_features" in table.plan["parameters"]
    ):
        strange = strange.iloc[:1]  # to which text or numbers may be no cells at all
    X = strange if hasattr(model, "feature_names_in_") else strange.to_numpy()
    shares = model.predict_proba(X)
    must(np.abs(shares.sum(axis=1) - 1).max() < 1e-12, "shares do not sum to one")


WRONG: tuple[Any, ...] = (
    "", "x" * 500, -1, 0, 2**70, 1e309, float("nan"), -0.5, [], {}, (), object(), None, True, b"x",
    np.float32(0.5), np.array([1, 2]), [[1]], {"a": float("nan")}, lambda: 0, "\ud800", complex(1),
)  # fmt: skip


@oracle
def wrong_parameter(table: Table, model: Any) -> None:
    """Any value of any parameter either works or is refused with a clear error."""
    rng = np.random.default_rng(table.plan["seed"])
    inner = estimator(table.plan)
    names = sorted(inner.get_params(deep=False))
    name = str(rng.choice(names))
    value = WRONG[int(rng.integers(len(WRONG)))]
    try:
        inner.set_params(**{name: value}).fit(table.built.X, table.y)
    except (ValueError, TypeError, ImportError) as error:
        _check_message(error)


@oracle
def wrong_labels(table: Table, model: Any) -> None:
    """Labels and weights that make no sense are refused with a clear error."""
    rng = np.random.default_rng(table.plan["seed"])
    n = table.n_rows
    labels: list[Any] = [
        None, [], "label", [0] * (n + 1), [None] * n, [float("nan")] * n, [[0]] * n, [{}] * n, 3,
        [b"a"] * n, ["a", 1] * n, np.zeros((n, 2)), [float("inf")] * n, [2**70] * n,
        pd.Series(["a"] * n, dtype="category"),
    ]  # fmt: skip
    weights: list[Any] = [
        None, [], "a", [-1] * n, [float("nan")] * n, [0] * n, [1e308] * n, [2**62] * n, [[1]] * n,
        ["1"] * n, [None] * n,
    ]  # fmt: skip
    y, w = labels[int(rng.integers(len(labels)))], weights[int(rng.integers(len(weights)))]
    try:
        estimator(table.plan).fit(table.built.X, y, sample_weight=w)
    except (ValueError, TypeError) as error:
        _check_message(error)


@oracle
def pruning(table: Table, model: Any) -> None:
    """The path ends in the root alone, and its subtrees shrink."""
    if not _single(table) or len(model.trees_) > 1:
        return
    path = model.pruning_path()
    must((np.diff(path.ccp_alphas) >= 0).all(), "penalties do not rise")
    must((np.diff(path.n_leaves) < 0).all() and path.n_leaves[-1] == 1, "subtrees do not shrink")
    cut = pickle.loads(pickle.dumps(model)).prune(ccp_alpha=1e300)
    must(cut.get_n_leaves() == 1, "a great penalty leaves more than the root")


@oracle
def rules_are_read_back(table: Table, model: Any) -> None:
    for tree in model.trees_:
        for rule in tree.rules:
            if rule is not None:
                text = str(rule)
                must(is_printable(text), "a rule has characters that cannot be shown")
                must(str(Rule.parse(text)) == text, "a rule is read back as another")

"""Trees from parts are those from all rows, to the last bit; no cluster is needed for that."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from in_parts import COUNTED, GATHERED, SOME_GATHERED, fit_in_parts
from numpy.typing import NDArray
from same_trees import assert_same

from bsnsing import BsnsingClassifier, ColumnPair, Question
from bsnsing.data.parts import agree, facts_of, merge_facts, read_part
from bsnsing.engine import parts
from bsnsing.engine.workers import Here, Room
from bsnsing.estimators.scattered import fit_parts
from bsnsing.tree.tree import Tree


def random_table(seed: int, n_classes: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Numbers of few and many values, 0/1, levels with rare ones, missing cells, noise."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 1500))
    X = pd.DataFrame(
        {
            "many": rng.normal(size=n),
            "skewed": np.exp(5 * rng.normal(size=n)).round(2),
            "few": rng.integers(0, 6, n).astype(float),
            "bit": rng.integers(0, 2, n),
            "truth": rng.random(n) < 0.3,
            "level": rng.choice(list("aaabbccdefghij"), n),
            "kind": pd.Categorical(rng.choice(list("uvw"), n), categories=list("wvuz")),
        }
    )
    signal = 2 * (X["many"] > 0) + X["bit"] * (X["few"] > 1) + X["level"].isin(["a", "c"])
    y = np.rint(signal + rng.normal(0, 0.7, n)).clip(0, n_classes - 1).astype(int).to_numpy()
    if seed % 2:
        X = X.mask(rng.random(X.shape) < 0.1)
    return X, y


PLAIN: dict[str, Any] = {"teacher": None, "min_samples_leaf": 3, "n_segments": 6, "max_rules": 2}


@pytest.mark.parametrize("seed", range(12))
def test_any_table_in_any_parts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = random_table(seed, 2 + seed % 4)
    settings = PLAIN | {
        "criterion": ["gini", "entropy", "gini_squared"][seed % 3],
        "operators": [("or",), ("or", "and"), ("or", "and", "xor")][seed % 3],
        "max_bins": [255, 16, None][seed // 2 % 3],
    }
    weight = None if seed % 3 else rng.integers(0, 4, len(y)) * [1, 0.37][seed % 2]
    expected = BsnsingClassifier(**settings).fit(X, y, sample_weight=weight)
    room = (COUNTED, SOME_GATHERED, GATHERED)[seed % 3]
    found = fit_in_parts(BsnsingClassifier(**settings), X, y, weight, n_parts=1 + seed, room=room)
    assert expected.get_n_leaves() > 2
    assert_same_models(found, expected)


def assert_same_models(found: BsnsingClassifier, expected: BsnsingClassifier) -> None:
    np.testing.assert_array_equal(found.classes_, expected.classes_)
    assert found.classes_.dtype == expected.classes_.dtype
    for name in ("n_features_in_", "min_samples_leaf_", "ccp_alpha_", "left_out_", "is_taught_"):
        assert getattr(found, name) == getattr(expected, name), name
    trees: list[tuple[Tree, Tree]] = list(zip(found.trees_, expected.trees_, strict=True))
    for mine, theirs in trees:
        assert_same(mine, theirs)


@pytest.mark.parametrize(
    "settings",
    [
        {"max_rules": 3, "n_segments": 3},
        {"criterion": "error"},
        {"distinct_children": True},
        {"class_weight": "balanced"},
        {"class_weight": {0: 1.0, 1: 3.5}, "multiclass": "ovr"},
        {"constraints": {"forbidden": ["few"], "one_per_column": True}},
        {"constraints": {"costs": {"many": 3, "level": 1}, "max_cost": 4}},
        {"extra_questions": [Question("many", ">", 0.123), Question("level", "in", ("a", "b"))]},
        {"extra_questions": [Question(ColumnPair("many", "*", "few"), ">", 0.5)]},
        {"solver": "greedy", "max_rules": 3},
        {"max_leaf_nodes": 4, "ccp_alpha": 0.001},
        {"categorical_features": ["few", "bit"]},
        {"max_depth": 2},
        {"cost": {(0, 1): 5}},
        {"cost": {(0, 1): 5}, "multiclass": "ovr"},
        {"monotonic_cst": {"many": 1}},
        {"max_columns": 2},
        {"column_costs": {"many": 0.01}},
        {"first_rules": ["many > 0.1", "few <= 2 or bit == 1"]},
        {"constraints": {"apart": [["many", "few"]], "along_paths": True}},
    ],
    ids=str,
)
def test_whatever_is_asked_for(settings: dict[str, Any]) -> None:
    X, y = random_table(5, 2)
    expected = BsnsingClassifier(**PLAIN | settings).fit(X, y)
    assert expected.get_n_leaves() > 1
    for room in (COUNTED, SOME_GATHERED):
        found = fit_in_parts(BsnsingClassifier(**PLAIN | settings), X, y, room=room)
        assert_same_models(found, expected)


@pytest.mark.parametrize("preset", [BsnsingClassifier.plain, BsnsingClassifier.paper])
def test_presets(preset: Any) -> None:
    X, y = random_table(7, 3)
    assert_same_models(fit_in_parts(preset(), X, y, n_parts=4), preset().fit(X, y))


@pytest.mark.filterwarnings("ignore:Column 'id' is left out")
@pytest.mark.parametrize("has_missing", [False, True])
def test_columns_that_name_rows_are_left_out(has_missing: bool) -> None:
    X, y = random_table(4, 2)
    X["id"] = [f"row {i}" for i in range(len(y))]
    if has_missing:
        X.loc[::7, "id"] = None
    expected = BsnsingClassifier(**PLAIN).fit(X, y)
    assert expected.left_out_ == ["id"]
    assert_same_models(fit_in_parts(BsnsingClassifier(**PLAIN), X, y, n_parts=4), expected)


@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": "error"},
        {"class_weight": {"c": 2.0}},
        {"constraints": {"forbidden": ["height"]}},
        {"extra_questions": [Question("height", ">", 1)]},
        {"column_pairs": [["many", "height"]]},
        {"categorical_features": None},
        {"max_bins": 1},
    ],
    ids=str,
)
def test_errors_are_those_of_one_machine(settings: dict[str, Any]) -> None:
    X, y = random_table(4, 3)
    messages = []
    for fit in (BsnsingClassifier.fit, fit_in_parts):
        with pytest.raises(ValueError, match=r"[a-z]") as error:
            fit(BsnsingClassifier(**PLAIN | settings), X, y)
        messages.append(str(error.value).replace(" This is in part 0 (the first is 0).", ""))
    assert messages[0] == messages[1]


def test_labels_that_no_class_can_be_made_of() -> None:
    X, _ = random_table(4, 2)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        fit_in_parts(BsnsingClassifier(**PLAIN), X, X["many"].fillna(0.5).to_numpy())


@pytest.mark.parametrize("label", [1, "a", True, 2.0])
def test_one_class_is_one_leaf(label: Any) -> None:
    X, _ = random_table(4, 2)
    y = np.array([label] * len(X))
    expected = BsnsingClassifier(**PLAIN).fit(X, y)
    assert_same_models(fit_in_parts(BsnsingClassifier(**PLAIN), X, y), expected)


@pytest.mark.parametrize(
    "labels", [["b", "a", "c"], [True, False], [3, 1, 2**40], [1.0, 4.0, 2.0]], ids=str
)
def test_labels_of_any_type(labels: list[Any]) -> None:
    X, y = random_table(6, len(labels))
    kinds = [None] if isinstance(labels[0], float) else [None, object]  # fit refuses such objects
    for named in (np.array(labels, dtype=kind)[y] for kind in kinds):
        expected = BsnsingClassifier(**PLAIN, max_depth=2).fit(X, named)
        found = fit_in_parts(BsnsingClassifier(**PLAIN, max_depth=2), X, named, n_parts=30)
        assert_same_models(found, expected)


def test_parts_may_lack_cells_that_others_have() -> None:
    X, y = random_table(4, 2)
    half = len(y) // 2
    X.loc[:half, "level"] = None
    X.loc[half:, "few"] = np.nan
    X["truth"] = X["truth"].astype(object)
    X.loc[:half, "truth"] = None
    expected = BsnsingClassifier(**PLAIN).fit(X, y)
    rows = [np.arange(half), np.arange(half, half), np.arange(half, len(y))]
    found = fit_in_parts(BsnsingClassifier(**PLAIN), X, y, rows=rows)
    assert_same_models(found, expected)


def dated_table() -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Moments with and without a time zone, durations and ordered levels; some are missing."""
    rng, n = np.random.default_rng(0), 600
    hours = rng.integers(0, 20_000, n)
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(hours, "h")
    X = pd.DataFrame(
        {
            "when": when,
            "there": pd.DatetimeIndex(when).tz_localize("Asia/Tokyo"),
            "took": pd.to_timedelta(rng.integers(0, 90, n), "min"),
            "size": pd.Categorical(
                rng.choice(list("SMLX"), n), categories=[*"SMLX", "XX"], ordered=True
            ),
        }
    )
    y = (hours > 9000) & (X["took"] > pd.Timedelta("30min")) | (X["size"] >= "L")
    return X.mask(rng.random(X.shape) < 0.05), y.to_numpy() ^ (rng.random(n) < 0.05)


def test_dates_and_ordered_levels() -> None:
    X, y = dated_table()
    X.loc[:250, "when"] = pd.NaT
    expected = BsnsingClassifier(**PLAIN).fit(X, y)
    assert {"when", "took", "size"} <= {own.name for own in expected.tree_.columns}
    for rows in (None, [np.arange(200), np.arange(200, 200), np.arange(200, 600)]):
        found = fit_in_parts(BsnsingClassifier(**PLAIN), X, y, n_parts=5, rows=rows)
        assert_same_models(found, expected)


def test_parts_of_other_scales_are_an_error_that_names_them() -> None:
    X, y = dated_table()
    other = X.assign(
        when=X["when"].dt.tz_localize("Europe/Paris"), took=1.5, size=X["size"].astype(str)
    )
    messages = {
        "when": "holds dates in part 0 and dates of the time zone Europe/Paris in part 1",
        "took": "holds durations in part 0 and numbers in part 1",
        "size": "holds levels in the order S < M < L < X < XX in part 0 and text or categories in",
    }
    for name, message in messages.items():
        tables = [X, X.assign(**{name: other[name]})]
        read = [read_part(own, y, number=i, names=list(X)) for i, own in enumerate(tables)]
        with pytest.raises(ValueError, match=f"Column '{name}' {message}"):
            agree(merge_facts([facts_of(part) for part in read]))


@pytest.mark.parametrize("as_frame", [False, True])
def test_parts_at_odd_addresses_are_copied_once(as_frame: bool) -> None:
    """What comes over a network may lie anywhere; native code would make a copy in each pass."""
    numbers = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
    odd = np.frombuffer(b"." + numbers.tobytes(), np.float32, offset=1).reshape(numbers.shape)
    assert not odd.flags.aligned
    X: Any = pd.DataFrame(odd, copy=False) if as_frame else odd
    names = [0, 1, 2] if as_frame else None
    part = read_part(X, numbers[:, 0] > 0, number=0, names=names)
    for column, own in zip(part.table.columns, numbers.T, strict=True):
        cells = column.native_numbers()
        assert cells is column.cells
        assert cells.dtype == np.float32
        np.testing.assert_array_equal(cells, own)


def test_nodes_are_counted_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = random_table(2, 3)
    asked = list[int]()
    counted = parts.pair_counts

    def noted(nodes: Any, *, wanted: Any, questions: Any) -> Any:
        asked.append(len(wanted))
        return counted(nodes, wanted=wanted, questions=questions)

    monkeypatch.setattr(parts, "pair_counts", noted)
    expected = BsnsingClassifier(**PLAIN).fit(X, y)
    for most_counts, most_nodes in ((1, 1), (2**40, 2**40)):
        asked.clear()
        monkeypatch.setattr("bsnsing.engine.scattered._MOST_COUNTS", most_counts)
        found = fit_in_parts(BsnsingClassifier(**PLAIN), X, y, room=COUNTED)
        assert_same(found.tree_, expected.tree_)
        assert max(asked) <= most_nodes
    assert max(asked) > 1


class Noted(Here):
    """Works here, and notes what it was called for."""

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.called = list[str]()

    def each(self, function: Any, *handles: Any, **messages: Any) -> list[Any]:
        self.called.append(function.__name__)
        return super().each(function, *handles, **messages)

    def call(self, function: Any, *arguments: Any, **messages: Any) -> Any:
        self.called.append(function.__name__)
        return super().call(function, *arguments, **messages)


@pytest.mark.parametrize(
    ("room", "is_whole"),
    [
        (Room(), True),
        (Room(n_bytes=100_000), False),  # which have no room for all rows
        (Room(n_calls=2), False),  # of whom the other would wait
    ],
)
def test_nobody_else_need_count_what_one_can_fit_alone(room: Room, is_whole: bool) -> None:
    X, y = random_table(3, 2)
    workers = Noted(room)
    with patch("bsnsing.estimators.scattered.FEW_CELLS", 1):
        model = BsnsingClassifier(**PLAIN)
        rows = [np.arange(0, len(y), 2), np.arange(1, len(y), 2)]
        read = [
            read_part(X.iloc[own], y[own], number=k, names=list(X)) for k, own in enumerate(rows)
        ]
        fit_parts(model, workers, read)
    assert ("fit_cases" in workers.called, "encode_part" in workers.called) == (
        is_whole,
        not is_whole,
    )
    assert_same_models(model, BsnsingClassifier(**PLAIN).fit(X, y))

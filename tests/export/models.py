"""The models that every export is tried on, and the rows that it is tried with.

``@pytest.mark.parametrize("name", NAMES)``, then ``model = fitted(name)`` and
``rows = trial_rows(name)``: an export must say of ``rows`` what ``model.predict_proba(rows)`` says.
Import it as ``from export.models import NAMES, fitted, trial_rows``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from export.moment_models import MOMENT_TRIALS
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier, BsnsingEnsemble, ColumnPair, Question, Tree
from bsnsing.data.columns import ColumnInfo
from bsnsing.data.scales import beside
from bsnsing.tree.predict import passed_nodes
from bsnsing.tree.tree import starts_of

Model = BsnsingClassifier | BsnsingEnsemble

UNSEEN = "Atlantis"  # a level that no fit has seen
UNSEEN_NUMBER = -99  # the same where levels are numbers

ODD_NAMES = (
    "select",
    'say "when"',
    "it's",
    "two words",
    "naïve 😀 列",
    "Age",
    "age",
    "a\\b",
    "line\nbreak\ttab",
    "</script><b>&amp;",
    "%s {0} ${x} #1",
    "long" * 2500,
)
ODD_LEVELS = (
    "",
    " ",
    "NULL",
    "NaN",
    "1",
    "1.0",
    "true",
    "it's",
    'a "b"',
    "back\\slash",
    "naïve 😀",
    "line\nbreak",
    "</script>",
    "-- '; DROP TABLE x",
    "other",
)
ODD_LABELS = ("it's", 'no "way"', "naïve 😀\nnew line")


@dataclass(frozen=True)
class Trial:
    """A model to be fitted, and to what."""

    model: Model
    table: pd.DataFrame
    labels: NDArray[Any]


def mixed_table(n_rows: int = 300, n_classes: int = 3, seed: int = 0) -> Trial:
    """Numbers with missing cells, money, levels and Booleans; the labels depend on all of them."""
    random = np.random.RandomState(seed)
    table = pd.DataFrame(
        {
            "age": random.randint(20, 80, n_rows).astype(float),
            "income / month": random.lognormal(8, 1, n_rows),
            "debt": random.lognormal(7, 1, n_rows),
            "city": random.choice(["Bonn", "Kiel", "Ulm", "O'Hara", "Trier"], n_rows),
            "smokes": random.rand(n_rows) < 0.3,
        }
    )
    table.loc[random.rand(n_rows) < 0.1, "age"] = np.nan
    ratio = table["debt"] / table["income / month"]
    score = (
        ratio.rank() / n_rows
        + table["city"].isin(["Kiel", "Ulm"])
        + 0.3 * table["smokes"]
        + (table["age"] > 50)
    )
    noisy = score + random.rand(n_rows) / 3
    labels = pd.qcut(noisy, n_classes, labels=False).to_numpy()
    return Trial(BsnsingClassifier(), table, labels)


def _on_mixed(model: Model, n_rows: int = 300, n_classes: int = 3) -> Trial:
    return replace(mixed_table(n_rows, n_classes), model=model)


def _noise(n_rows: int, n_columns: int, model: Model) -> Trial:
    random = np.random.RandomState(0)
    table = pd.DataFrame(random.rand(n_rows, n_columns)).rename(columns="x{}".format)
    return Trial(model, table, random.randint(0, 2, n_rows))


def _pairs() -> Trial:
    given = mixed_table()
    income, debt = "income / month", "debt"
    pairs = [
        ColumnPair(debt, "/", income),
        ColumnPair(debt, "*", "age"),
        ColumnPair(income, "-", debt, 2.5),
        ColumnPair(income, "+", "age", 0.1),
    ]
    questions = []
    for pair in pairs:
        numbers = pair.combine(given.table[pair.first], given.table[pair.second])
        questions += [
            Question(pair, ">", float(q)) for q in np.nanquantile(numbers, [0.2, 0.4, 0.6, 0.8])
        ]
    model = BsnsingClassifier.plain(
        extra_questions=questions, own_questions=False, min_samples_leaf=5
    )
    return replace(given, model=model)


def _missing() -> Trial:
    random = np.random.RandomState(3)
    n_rows = 400
    table = pd.DataFrame(
        {
            "dose": random.rand(n_rows).round(2),
            "site": random.choice(["a", "b", "c", "d"], n_rows).astype(object),
            "treated": pd.array(random.rand(n_rows) < 0.5, dtype="boolean"),
            "whole": random.rand(n_rows).round(3),
        }
    )
    for name in ("dose", "site", "treated"):
        table.loc[random.rand(n_rows) < 0.2, name] = None if name == "site" else pd.NA
    table["dose"] = table["dose"].astype(float)
    score = (
        table["dose"].isna() * 1.0
        + (table["site"] == "b")
        + table["site"].isna()
        + table["treated"].fillna(False).astype(float)
        + (table["whole"] > 0.5)
    )
    labels = np.where(score + random.rand(n_rows) > 1.8, "yes", "no").astype(object)
    return Trial(BsnsingClassifier.plain(max_rules=3, min_samples_leaf=4), table, labels)


def _levels() -> Trial:
    random = np.random.RandomState(4)
    n_rows = 500
    table = pd.DataFrame(
        {
            "code": random.randint(-3, 9, n_rows),
            "half": random.choice([0.5, 1.0, 2.5, 1e10, -0.25], n_rows),
            "flag": random.rand(n_rows) < 0.5,
            "word": random.choice([f"w{i}" for i in range(60)], n_rows),
        }
    )
    score = (
        table["code"].isin([1, 3, 7]) * 1.0
        + table["half"].isin([2.5, -0.25])
        + table["flag"]
        + table["word"].str[1:].astype(int) % 7 / 5
    )
    labels = score + random.rand(n_rows) > score.median() + 0.5
    model = BsnsingClassifier.plain(
        categorical_features=["code", "half", "flag", "word"], max_rules=3, min_samples_leaf=5
    )
    return Trial(model, table, labels.to_numpy())


def _odd_names() -> Trial:
    random = np.random.RandomState(5)
    n_rows = 900
    numbers = {name: random.rand(n_rows).round(3) for name in ODD_NAMES}
    table = pd.DataFrame(numbers)
    table["group by"] = random.choice(list(ODD_LEVELS), n_rows)
    place = table["group by"].map({level: i for i, level in enumerate(ODD_LEVELS)})
    # Each column decides by turns, so that most are asked about.
    turn = random.randint(0, len(ODD_NAMES), n_rows)
    own = table[list(ODD_NAMES)].to_numpy()[np.arange(n_rows), turn]
    score = 1.5 * own + (place % 3) + random.rand(n_rows) / 5
    labels = pd.qcut(score, 3, labels=False).to_numpy()
    model = BsnsingClassifier.plain(max_rules=3, min_samples_leaf=6)
    return Trial(model, table, np.array(ODD_LABELS, dtype=object)[labels])


def _weighted() -> Trial:
    given = mixed_table()
    labels = np.array([1.0, 2.0, 4.0])[given.labels]
    weight = {1.0: 1.0, 2.0: 3.7, 4.0: 0.21}
    return Trial(BsnsingClassifier(class_weight=weight, random_state=1), given.table, labels)


def _numbers() -> Trial:
    """Numbers of all sizes, and thresholds that take all their digits."""
    random = np.random.RandomState(6)
    n_rows = 600
    exponent = random.randint(-300, 300, n_rows)
    table = pd.DataFrame(
        {
            "any": random.randn(n_rows) * 10.0**exponent,
            "tiny": random.rand(n_rows) * 1e-320,
            "third": random.randint(-30, 30, n_rows) / 3,
            "few": random.choice([0.0, 0.1, 0.2, 0.30000000000000004], n_rows),
        }
    )
    score = (
        (table["any"] > 1e-50) * 1.0
        + (table["tiny"] > 5e-321)
        + (table["third"] > 0.3)
        + (table["few"] == 0.1)
    )
    labels = (score + random.rand(n_rows) > 2.3).to_numpy().astype(np.int8)
    return Trial(BsnsingClassifier.plain(max_rules=3, min_samples_leaf=4), table, labels)


_PLAIN = BsnsingClassifier.plain
# Of saying the second label of a case of the first; other errors cost 1.
_COST = {(0, 2): 5.5, (1, 0): 0.3, (2, 0): 17.0, (2, 1): 7.0 / 3}
TRIALS: dict[str, Callable[[], Trial]] = {
    "leaf": lambda: _on_mixed(_PLAIN(max_leaf_nodes=1)),
    "default": lambda: _on_mixed(BsnsingClassifier()),
    "plain": lambda: _on_mixed(_PLAIN(max_rules=3)),
    "and": lambda: _on_mixed(_PLAIN(operators=("and",), max_rules=3, min_samples_leaf=5)),
    "xor": lambda: _on_mixed(_PLAIN(operators=("xor",), max_rules=3, min_samples_leaf=5)),
    "missing": _missing,
    "levels": _levels,
    "numbers": _numbers,
    "odd names": _odd_names,
    "pairs": _pairs,
    "weighted": _weighted,
    "60 leaves": lambda: _on_mixed(_PLAIN(min_samples_leaf=3, max_leaf_nodes=60), 1500),
    "12 classes": lambda: _on_mixed(_PLAIN(min_samples_leaf=5), 600, 12),
    "one tree per class": lambda: _on_mixed(_PLAIN(multiclass="ovr")),
    "ensemble": lambda: _on_mixed(BsnsingEnsemble(n_estimators=3)),
    "voting": lambda: _on_mixed(
        BsnsingEnsemble(
            estimator=_PLAIN(),
            settings=[{"max_rules": 1}, {"max_rules": 2}, {"min_samples_leaf": 5}],
            voting="hard",
        )
    ),
    "ensemble, one tree per class": lambda: _on_mixed(
        BsnsingEnsemble(
            estimator=_PLAIN(multiclass="ovr"), settings=[{"max_rules": 1}, {"max_rules": 2}]
        )
    ),
    "cost": lambda: _on_mixed(BsnsingClassifier(cost=_COST)),
    "cost, one tree per class": lambda: _on_mixed(_PLAIN(multiclass="ovr", cost=_COST)),
    "cost, voting": lambda: _on_mixed(
        BsnsingEnsemble(
            estimator=_PLAIN(cost=_COST),
            settings=[{"max_rules": 1}, {"max_rules": 2}, {"min_samples_leaf": 5}],
            voting="hard",
        )
    ),
    "5000 leaves": lambda: _noise(
        16000, 3, _PLAIN(max_rules=1, min_samples_leaf=1, max_bins=None, stop_prob=1.0)
    ),
}
NAMES = tuple(TRIALS)
LARGE = "5000 leaves"
SMALL_NAMES = tuple(name for name in NAMES if name != LARGE)
# Not one of NAMES: a tree deeper than the stack of Python, for what must not recurse.
DEEP = "1500 deep"


@cache
def trial(name: str) -> Trial:
    """The table and labels of a model, with the model fitted to them."""
    if name == DEEP:
        return _deep(1500)
    own = Trial(*MOMENT_TRIALS[name]()) if name in MOMENT_TRIALS else TRIALS[name]()
    return replace(own, model=own.model.fit(own.table, own.labels))


def fitted(name: str) -> Model:
    """One of the models, fitted; do not change it."""
    return trial(name).model


@cache
def trial_rows(name: str, most: int | None = None) -> pd.DataFrame:
    """Rows that go everywhere in a model; at most ``most``, drawn at random.

    For each question of each node there are rows that reach the node and have, in the column asked
    about, cells next to the threshold on both sides and at it, a missing cell, each level of the
    question, another one and one that fit never saw. Beside them a row for each leaf, rows with
    several cells missing or unseen, and rows without any cell. Numbers are float64 with NaN,
    Booleans pandas' "boolean" with NA, levels and moments objects with None.
    """
    own = trial(name)
    random = np.random.RandomState(0)
    columns = own.model.trees_[0].columns
    table = own.table.astype(object).where(own.table.notna(), None)
    parts = [table.iloc[:50], *_blanked(table, columns, random)]
    for tree, ends in zip(own.model.trees_, _ends(own.model, own.table), strict=True):
        changes = list(_changes(tree, ends, table))
        rows = table.iloc[[row for row, _ in changes]].reset_index(drop=True)
        cells = {column: rows[column].to_numpy(copy=True) for column in rows}
        for place, (_, changed) in enumerate(changes):
            for column, cell in changed.items():
                cells[column][place] = cell
        parts.append(pd.DataFrame(cells, columns=rows.columns))
    rows = pd.concat(parts, ignore_index=True)
    if most is not None and len(rows) > most:
        rows = rows.iloc[np.sort(random.permutation(len(rows))[:most])].reset_index(drop=True)
    return _typed(rows, columns)


def cells_of(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain Python: float, bool, str or int by the name of the column; missing is None."""
    columns = {}
    for name in rows.columns:
        cells = rows[name].astype(object)
        columns[name] = cells.where(rows[name].notna(), None).tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _ends(model: Model, table: pd.DataFrame) -> Iterator[NDArray[np.int64]]:
    for member in getattr(model, "estimators_", [model]):
        yield from member.apply(table).reshape(len(table), -1).T


def _changes(
    tree: Tree, ends: NDArray[np.int64], table: pd.DataFrame
) -> Iterator[tuple[int, dict[str, Any]]]:
    """A row of the table that reaches each node, and cells to be put into it."""
    passed = passed_nodes(tree, ends).tocsc()
    kinds = {column.name: column for column in tree.columns}
    for node, rule in enumerate(tree.rules):
        if passed.indptr[node] == passed.indptr[node + 1]:
            continue
        row = int(passed.indices[passed.indptr[node]])
        if rule is None:
            yield row, {}
            continue
        for question in rule.questions:
            if isinstance(question.column, ColumnPair):
                for cells in _pair_cells(question, table.iloc[row]):
                    yield row, cells
            else:
                for cell in _cells_near(question, kinds[question.column]):
                    yield row, {question.column: cell}
        asked = [question.column for question in rule.questions]
        yield row, {name: None for name in asked if isinstance(name, str)}


def _cells_near(question: Question, column: ColumnInfo) -> list[Any]:
    if column.kind == "boolean":
        return [True, False, None]
    if column.scale is not None and question.value is not None:
        near = (beside(question.value, way) for way in (-1, 1))
        return [*(cell for cell in near if cell is not None), question.value, None]
    if column.kind == "numeric":
        return [] if column.scale is not None else [*_neighbours(question.value), None]
    levels = question.value if isinstance(question.value, tuple) else (question.value,)
    others = [level for level in column.levels if level not in levels]
    return [*levels[:5], *others[:2], _unseen(column), None]


def _neighbours(value: Any) -> list[float]:
    if value is None:
        return [0.0]
    below, above = (float(np.nextafter(value, end)) for end in (-math.inf, math.inf))
    return [cell for cell in (below, float(value), above) if math.isfinite(cell)]


def _pair_cells(question: Question, row: Any) -> Iterator[dict[str, Any]]:
    """Cells of the two columns that bring the pair's number to the threshold and beside it."""
    pair = question.column
    assert isinstance(pair, ColumnPair)
    yield {pair.first: None}
    yield {pair.second: None}
    yield {pair.second: 0.0}
    yield {pair.first: 0.0, pair.second: 0.0}
    yield {pair.first: 1e308, pair.second: -1e308}
    second = row[pair.second]
    if question.value is None or second is None or second == 0:
        return
    target, scaled = float(question.value), pair.factor * second
    first = {"+": target - scaled, "-": target + scaled, "*": target / second, "/": target * second}
    for part in (0.0, 1e-13, 1e-12, 1e-11, -1e-13, -1e-12, -1e-11):
        yield {pair.first: first[pair.sign] * (1 + part)}


def _unseen(column: ColumnInfo) -> Any:
    return UNSEEN if any(isinstance(level, str) for level in column.levels) else UNSEEN_NUMBER


def _blanked(
    table: pd.DataFrame, columns: tuple[ColumnInfo, ...], random: np.random.RandomState
) -> Iterator[pd.DataFrame]:
    """Rows with some cells missing or unseen, or none left."""
    rows = table.iloc[random.permutation(len(table))[:100]].reset_index(drop=True)
    cells = {name: rows[name].to_numpy(copy=True) for name in rows}
    for column in columns:
        if column.kind == "categorical":
            cells[column.name][random.rand(len(rows)) < 0.2] = _unseen(column)
        cells[column.name][random.rand(len(rows)) < 0.3] = None
    yield pd.DataFrame(cells, columns=rows.columns)
    yield pd.DataFrame({name: [None] for name in rows}, dtype=object)


def _typed(rows: pd.DataFrame, columns: tuple[ColumnInfo, ...]) -> pd.DataFrame:
    typed = {}
    for column in columns:
        cells = rows[column.name]
        if column.kind == "boolean":
            typed[column.name] = cells.astype("boolean")
        elif column.scale is not None:
            plain = [
                None if is_missing else _plain_moment(cell)
                for cell, is_missing in zip(cells, cells.isna(), strict=True)
            ]
            typed[column.name] = pd.Series(plain, dtype=object)
        elif column.kind == "numeric":
            typed[column.name] = cells.astype(float)
        else:
            typed[column.name] = pd.Series(cells.tolist(), dtype=object)
    return pd.DataFrame(typed)


def _plain_moment(cell: Any) -> Any:
    """Python's own moment or duration for that of pandas."""
    if isinstance(cell, pd.Timestamp):
        return cell.to_pydatetime()
    return cell.to_pytimedelta() if isinstance(cell, pd.Timedelta) else cell


def _deep(depth: int) -> Trial:
    """A chain: node 2 i asks whether x0 > i, and goes on if not so."""
    table = pd.DataFrame({"x0": np.arange(depth + 1.0)})
    labels = np.arange(depth + 1) % 2
    model = _PLAIN(max_leaf_nodes=1).fit(table, labels)
    n_nodes = 2 * depth + 1
    inner = np.arange(0, n_nodes - 1, 2)
    left, right = np.full((2, n_nodes), -1, dtype=np.int32)
    left[inner], right[inner] = inner + 1, inner + 2
    is_inner = left >= 0
    counts = np.ones((n_nodes, 2))
    for node in range(n_nodes - 1, -1, -1):
        if is_inner[node]:
            counts[node] = counts[node + 1] + counts[node + 2]
        else:
            counts[node] = np.eye(2)[node // 2 % 2]
    of_rules = np.where(is_inner, 0.5, np.nan)
    one = model.tree_
    tree = replace(
        one,
        children_left=left,
        children_right=right,
        depth=(np.arange(n_nodes, dtype=np.int32) + 1) // 2,
        counts=counts,
        value=counts / counts.sum(axis=1, keepdims=True),
        impurity=np.zeros(n_nodes),
        weighted_cases=counts.sum(axis=1),
        operator=np.zeros(n_nodes, dtype=np.uint8),
        objective=of_rules,
        bound=of_rules,
        optimal=np.ones(n_nodes, dtype=bool),
        own_objective=of_rules,
        best_own_objective=of_rules,
        best_own_proven=is_inner,
        n_counted=np.ones(n_nodes),
        n_excluded=np.zeros(n_nodes),
        first_question=starts_of(is_inner.astype(np.int32)),
        question_column=np.zeros(depth, dtype=np.int32),
        question_test=np.zeros(depth, dtype=np.uint8),
        question_value=np.arange(depth, 0, -1) - 0.5,
        question_negated=np.zeros(depth, dtype=np.uint8),
        first_level=np.zeros(depth + 1, dtype=np.int32),
        levels=np.zeros(0, dtype=np.int32),
    )
    model._keep([tree])
    return Trial(model, table, labels)

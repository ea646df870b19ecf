"""fit_parts(): trees from rows that lie in parts, the same as from all rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.columns import Column, ColumnInfo
from bsnsing.data.parts import (
    Agreed,
    agree,
    agreed_info,
    align_cases,
    cases_of,
    facts_of,
    joined_cases,
    levels_of,
    merge_facts,
    merge_levels,
)
from bsnsing.data.regroup import Regrouping
from bsnsing.data.row_keys import row_keys
from bsnsing.data.row_names import may_name_rows, names_rows, which_labels
from bsnsing.data.table import Table
from bsnsing.distill.level_order import order_counted_levels
from bsnsing.engine.bounds import number_codes
from bsnsing.engine.numbers import Asked, encode_part
from bsnsing.engine.parts import Shape, add_up, make_schema
from bsnsing.engine.table import EncodedTable
from bsnsing.engine.workers import Handles, Workers, cheap
from bsnsing.estimators.donors import read_extra_questions
from bsnsing.estimators.encoded import grow_encoded
from bsnsing.estimators.grown import is_taught_by, tree_options, with_first_rules
from bsnsing.estimators.options import distill_options
from bsnsing.estimators.rounding import PartsRounding
from bsnsing.estimators.unasked import Unasked, leave_columns_out
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.progress import is_wanted, report
from bsnsing.questions.question import Question
from bsnsing.rules.parameters import check_parameters

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier

# What these make takes less to make again than to keep.
cheap(cases_of)
cheap(align_cases)

# Up to this many cells that other workers could take over, all rows are fitted in one place, if it
# has room: less is gained by working side by side than is lost by waiting.
FEW_CELLS = 4_000_000
# Bytes that a fit in one place takes for each cell and for each row, and one with a teacher.
_PLAIN_BYTES, _TAUGHT_BYTES = (16, 100), (32, 200)


@dataclass(frozen=True, slots=True, eq=False)
class Scattered:
    """Cases in parts, and what is known of all of them."""

    workers: Workers
    cases: Handles  # of Cases
    agreed: Agreed
    info: tuple[ColumnInfo, ...]
    has_missing: list[bool]  # of categorical columns
    label_counts: NDArray[np.int64]
    n_rows: int  # with a weight

    @property
    def table(self) -> Table:
        """The columns without rows but, where a level is missing, one such cell."""
        columns = (
            Column(info, np.full(int(is_missing), -1, np.int32))
            if info.kind == "categorical"
            else Column(info, np.empty(0))
            for info, is_missing in zip(self.info, self.has_missing, strict=True)
        )
        return Table(tuple(columns), 0)

    def n_bytes(self, n_rows: int, *, is_taught: bool) -> int:
        """Bytes that a fit of ``n_rows`` rows in one place takes."""
        per_cell, per_row = _TAUGHT_BYTES if is_taught else _PLAIN_BYTES
        return n_rows * (per_cell * len(self.info) + per_row)


def check_scattered(model: BsnsingClassifier) -> None:
    """Check the parameters, before any work."""
    parameters = {key: getattr(model, key) for key in model._stored_parameters}
    check_parameters(type(model).__name__, model._stored_parameters, parameters)


def fit_parts(model: BsnsingClassifier, workers: Workers, parts: Handles) -> None:
    """Grow and prune trees on parts that were read, and set the model's fitted attributes.

    The trees are those of the model's own fit on all rows, whatever the parts and their order.
    The list of parts is taken over, and emptied as soon as the parts are not needed any more: then
    workers hold codes, a byte a cell, in place of what was read.
    """
    questions = with_first_rules(model, _questions_in_place(model))
    whole = _agree_on_cases(workers, parts, is_wanted(model.verbose))
    model._set_classes(whole.agreed.classes)
    model.n_features_in_ = len(whole.info)
    model.__dict__.pop("feature_names_in_", None)
    if whole.agreed.has_names:
        model.feature_names_in_ = np.asarray(whole.agreed.names, dtype=object)
    distill_options(model, whole.info)  # which checks column_pairs
    n_labels = int(np.count_nonzero(whole.label_counts))
    is_taught = is_taught_by(model, whole.n_rows, n_labels, model.n_classes_)
    if _fits_one_place(model, whole, is_taught=is_taught):
        _fit_in_one_place(model, whole)
        return
    _refuse(model, whole, is_taught=is_taught)
    rounding = None
    if model.decimals is not None:
        rounding = PartsRounding.of_cases(workers, whole.cases, whole.table)
    asked, rest = _without_unasked(model, whole, questions, is_taught=is_taught)
    totals = whole.label_counts / whole.agreed.unit
    options = tree_options(model, asked.info, model.classes_, totals, questions)
    table = _encode(asked, options)
    growth = grow_encoded(model, table, model.classes_, questions, is_taught=is_taught)
    if rest is not None:
        growth = growth.ungrouped(rest, _given_table(whole, rest, table))
    model._take(model._note(replace(growth, rounding=rounding)))


def _given_table(whole: Scattered, rest: Unasked, asked: EncodedTable) -> Table:
    """All columns, with a missing cell where there are some, now that numbers were read too."""
    columns = list(whole.table.columns)
    for place, column in zip(rest.regrouping.kept, asked.table.columns, strict=True):
        if columns[place].info == column.info:
            columns[place] = column
    return Table(tuple(columns), 0)


def _refuse(model: BsnsingClassifier, whole: Scattered, *, is_taught: bool) -> None:
    """Refuse what needs rows in one place, of which there are too many."""
    name, n_rows = type(model).__name__, f"{whole.n_rows:,} rows"
    if model.solver not in ("enum", "greedy"):
        raise ValueError(
            f"solver={model.solver!r} works on rows in one place, and {name} leaves {n_rows} where "
            "they are. Use solver='enum', whose rules are as good."
        )
    if isinstance(model.decimals, int):
        raise ValueError(
            f"decimals={model.decimals!r} rounds by rows in one place, and {name} leaves {n_rows} "
            "where they are. Use decimals='auto', and round_thresholds with some rows."
        )
    if not is_taught:
        return
    most = model._distill_config.most_taught
    if not isinstance(model.teacher, str) and whole.n_rows > most:
        raise ValueError(
            f"The teacher {type(model.teacher).__name__} learns rows in one place, and {n_rows} "
            f"are more than the {most:,} that {name} brings there. Use teacher='forest', which "
            "learns a sample, or teacher=None."
        )
    needed = whole.n_bytes(min(most, whole.n_rows), is_taught=True)
    room = whole.workers.room().most_bytes
    if needed > room:
        raise ValueError(
            f"A teacher learns up to {most:,} rows in one place. Of {len(whole.info):,} columns "
            f"they take about {needed / 2**30:.2f} GiB, and there are {room / 2**30:.2f}. Give the "
            "fit more memory, or use teacher=None."
        )


def _questions_in_place(model: BsnsingClassifier) -> tuple[Question, ...]:
    """Questions given by hand; what models lend depends on rows in one place."""
    extra = read_extra_questions(model.extra_questions)
    names = [own.name for own in extra.lenders] + [own.name for own in extra.learners]
    if names:
        raise ValueError(
            f"extra_questions holds a model ({names[0]}), whose cuts are merged by rows in one "
            f"place, and {type(model).__name__} leaves rows where they are. Give "
            "questions_of(model) of a fitted one."
        )
    return extra.given


def _agree_on_cases(workers: Workers, parts: Handles, is_reported: bool) -> Scattered:
    """Make the parts cases of one table."""
    agreed = agree(workers.merged(facts_of, merge_facts, parts))
    aligned = workers.each(cases_of, parts, agreed=agreed)
    info = agreed_info(agreed)
    if "categorical" in agreed.kinds:
        info = agreed_info(agreed, workers.merged(levels_of, merge_levels, aligned))
        aligned = workers.each(align_cases, aligned, info=info)
    n_classes = len(agreed.classes)
    counts, missing, n_rows = workers.merged(sums_of, add_up, aligned, n_classes=n_classes)
    report(is_reported, "%d rows of %d columns in %d parts", n_rows[0], len(info), len(parts))
    parts.clear()
    return Scattered(workers, aligned, agreed, info, (missing > 0).tolist(), counts, int(n_rows[0]))


def sums_of(cases: Cases, *, n_classes: int) -> list[NDArray[np.int64]]:
    """Cases of each class, missing cells of each categorical column, and rows."""
    missing = [
        int((column.codes() < 0).sum()) if column.info.kind == "categorical" else 0
        for column in cases.table.columns
    ]
    totals = np.zeros(n_classes, dtype=np.int64)
    counts = cases.weights.counts
    np.add.at(totals, cases.labels, 1 if counts is None else counts)
    return [totals, np.array(missing, dtype=np.int64), np.array([cases.table.n_rows])]


# --- Few rows, in one place ---


def _fits_one_place(model: BsnsingClassifier, whole: Scattered, *, is_taught: bool) -> bool:
    """Whether all rows are to be fitted in one place.

    That is so if there are few of them, or as many as are taught, or if nobody else is there.
    """
    room, n_bytes = whole.workers.room(), whole.n_bytes(whole.n_rows, is_taught=is_taught)
    if is_taught and whole.n_rows <= model._distill_config.most_taught:
        return n_bytes <= room.most_bytes
    n_of_others = whole.n_rows * len(whole.info) * (1 - 1 / room.n_calls)
    return n_of_others < FEW_CELLS and n_bytes <= room.n_bytes


def _fit_in_one_place(model: BsnsingClassifier, whole: Scattered) -> None:
    room = whole.workers.room()
    handle = whole.workers.call(fit_cases, whole.cases, model=model, n_jobs=room.n_threads)
    whole.cases.clear()
    model.__dict__.update(whole.workers.fetch(handle))
    model._keep(model.trees_)


def fit_cases(several: Sequence[Cases], *, model: BsnsingClassifier, n_jobs: int) -> dict[str, Any]:
    """Fit a model to the cases of all parts; return what the fit sets."""
    jobs, model.n_jobs = model.n_jobs, n_jobs
    model._take(model._grow_cases(joined_cases(several)))
    model.n_jobs = jobs
    names = ("trees_", "is_taught_", "left_out_", "min_samples_leaf_", "ccp_alpha_")
    found = {name: getattr(model, name) for name in names}
    if isinstance(model.random_state, np.random.RandomState):  # which was drawn from
        found["random_state"] = model.random_state
    return found


# --- Columns that nothing can be learnt from ---


def _without_unasked(
    model: BsnsingClassifier, whole: Scattered, questions: Sequence[Question], *, is_taught: bool
) -> tuple[Scattered, Unasked | None]:
    """Leave out text columns that name rows, and silent ones, as the fit on all rows does."""
    asked = {question.column for question in questions}
    named = [
        position
        for position in _find_row_names(whole, model.max_levels)
        if whole.info[position].name not in asked
    ]
    left_out = set(named)
    if is_taught:
        left_out |= _find_silent(model, whole, asked)
    rest = leave_columns_out(model, whole.table, named, left_out)
    if rest is None:
        return whole, None
    regrouping = rest.regrouping
    left = whole.workers.each(regrouped, whole.cases, regrouping=regrouping)
    whole.cases.clear()
    info = regrouping.table(whole.table).info
    missing = [whole.has_missing[i] for i in regrouping.kept]
    return replace(whole, cases=left, info=info, has_missing=missing), rest


@cheap
def regrouped(cases: Cases, *, regrouping: Regrouping) -> Cases:
    """Leave columns of a part out."""
    return replace(cases, table=regrouping.table(cases.table))


def _find_silent(model: BsnsingClassifier, whole: Scattered, asked: set[Any]) -> set[int]:
    """Columns of many levels of which none has a say."""
    many = [
        i
        for i, info in enumerate(whole.info)
        if info.kind == "categorical" and len(info.levels) > model.max_levels
    ]
    if not many:
        return set()
    counted = whole.workers.merged(
        count_levels,
        add_up,
        whole.cases,
        columns=many,
        n_labels=len(whole.label_counts),
        is_whole=whole.agreed.unit == 1.0,
    )
    ordered = order_counted_levels(
        whole.info,
        dict(zip(many, counted, strict=True)),
        model.max_levels,
        asked,
    )
    return {i for i, groups in ordered.groups.items() if not groups.any()}


def count_levels(
    cases: Cases, *, columns: Sequence[int], n_labels: int, is_whole: bool
) -> list[NDArray[np.int64]]:
    """Count the cases of each label and level of some columns; whole weights are repeats."""
    counts = cases.weights.counts if is_whole else None
    counted = []
    for column in (cases.table.columns[i] for i in columns):
        own = np.zeros((n_labels, len(column.info.levels) + 1), dtype=np.int64)
        np.add.at(own, (cases.labels, column.codes()), 1 if counts is None else counts)
        counted.append(own)
    return counted


def _find_row_names(whole: Scattered, most_levels: int) -> list[int]:
    suspects = [
        i
        for i, info in enumerate(whole.info)
        if info.kind == "categorical" and len(info.levels) > most_levels
    ]
    if suspects:
        n_labels = len(whole.agreed.classes)
        occurs = whole.workers.merged(
            labels_of_levels, any_of, whole.cases, columns=suspects, n_labels=n_labels
        )
        suspects = [
            i for i, own in zip(suspects, occurs, strict=True) if may_name_rows(own, most_levels)
        ]
    if not suspects:
        return []
    # Different rows meet on a worker; only what they say of the columns comes here.
    rows = whole.workers.reduced(different_rows, all_different, whole.cases, columns=suspects)
    are_names = whole.workers.fetch(whole.workers.call(which_name_rows, rows))
    return [i for i, is_name in zip(suspects, are_names, strict=True) if is_name]


def which_name_rows(rows: Sequence[NDArray[Any]]) -> list[bool]:
    """Whether each column names rows, by keys of the different rows and their codes."""
    return [names_rows(codes) for codes in rows[1:]]


def labels_of_levels(
    cases: Cases, *, columns: Sequence[int], n_labels: int
) -> list[NDArray[np.bool_]]:
    """Which labels the levels of some columns have."""
    own = [cases.table.columns[i] for i in columns]
    return [
        which_labels(column.codes(), cases.labels, len(column.info.levels), n_labels)
        for column in own
    ]


def any_of(several: Sequence[list[NDArray[np.bool_]]]) -> list[NDArray[np.bool_]]:
    """Merge which labels levels have."""
    return [np.any(own, axis=0) for own in zip(*several, strict=True)]


def different_rows(cases: Cases, *, columns: Sequence[int]) -> list[NDArray[Any]]:
    """Keys of the different rows, and their codes in some columns."""
    codes = [cases.table.columns[i].codes() for i in columns]
    return all_different([[row_keys(cases), *codes]])


def all_different(several: Sequence[list[NDArray[Any]]]) -> list[NDArray[Any]]:
    """Merge different rows."""
    together = [np.concatenate(own) for own in zip(*several, strict=True)]
    _, first = np.unique(together[0], return_index=True)
    return [own[first] for own in together]


# --- Codes ---


def _encode(whole: Scattered, options: GrowOptions) -> EncodedTable:
    """Encode each part once, in codes that all parts share."""
    engine_options = options.engine_options(whole.table)
    pairs, workers = tuple(engine_options.pairs), whole.workers
    levels = [i for i, own in enumerate(whole.info) if own.kind == "categorical"]
    n_columns = len(whole.info) + len(pairs)
    numeric = tuple(i for i in range(n_columns) if i not in levels)
    asked = Asked(pairs, numeric, workers.room().n_threads)
    unbinned = sorted({question[0] for question in engine_options.extra_questions})
    found = number_codes(workers, whole.cases, asked, engine_options.max_bins, unbinned)
    dealt = [] if found.dealt is None else [found.dealt]
    encoded = workers.each(
        encode_part, whole.cases, *dealt, asked=asked, codes=found.codes, levels=levels
    )
    whole.cases.clear()
    shapes: dict[int, Shape] = dict(
        zip(asked.columns, (own.shape for own in found.codes), strict=True)
    )
    shapes |= {i: (2, len(whole.info[i].levels), whole.has_missing[i], (), ()) for i in levels}
    counts = whole.agreed.counts
    return EncodedTable(
        workers,
        encoded,
        make_schema([shapes[i] for i in range(n_columns)]),
        whole.info,
        whole.label_counts,
        whole.n_rows,
        whole.agreed.unit,
        None if counts is None else np.unique(counts[counts > 0]),
    )

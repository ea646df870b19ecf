"""Taught trees of large tables: the teacher learns a sample, and tells what it knows of all rows.

Rows may lie in parts. Columns, levels and classes are put in the order that their content decides
(:mod:`bsnsing.distill.content`), the sample is chosen by content too, and all that is summed over
rows is whole numbers. So the tree depends neither on where rows lie nor on their order, nor on
names and units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.data.columns import ColumnInfo
from bsnsing.data.regroup import Regrouping
from bsnsing.distill.canonical import CanonicalForm
from bsnsing.distill.content import (
    CanonicalOrder,
    KeyTables,
    Repeats,
    canonical_order,
    count_codes,
    key_tables,
    print_columns,
    repeated_columns,
    row_keys,
    sum_keys,
    with_labels,
)
from bsnsing.distill.lesson import (
    FINE,
    LessonFacts,
    Subject,
    facts_of_lesson,
    learn,
    soften,
    sum_tallies,
    tell,
)
from bsnsing.distill.level_order import order_counted_levels
from bsnsing.distill.options import Grown
from bsnsing.distill.proof import TaughtProof
from bsnsing.distill.sample import sample_rows
from bsnsing.engine.base import CaseCounts
from bsnsing.engine.parts import EncodedPart, Shape, add_up, make_schema
from bsnsing.engine.table import EncodedTable
from bsnsing.engine.workers import Handle, Handles, cheap
from bsnsing.grow.grow import grow_tree
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.tallies import NodeTallies
from bsnsing.tree.decide import split_weights
from bsnsing.tree.probabilities import Evidence, with_evidence
from bsnsing.tree.tree import Tree
from bsnsing.tree.ungroup import ungroup


@dataclass(frozen=True, slots=True, eq=False)
class OrderedTable:
    """A table in canonical order, and keys of its rows."""

    table: EncodedTable
    form: CanonicalForm
    keys: Handles
    counted: list[CaseCounts]  # cases of each class and code, per column
    repeats: Repeats


def put_in_order(table: EncodedTable, *, keeps_all: bool) -> OrderedTable:
    """Put a table in canonical order; ``keeps_all`` keeps columns that say nothing new, too."""
    workers, n_labels = table.workers, len(table.label_counts)
    repeats = Repeats.of(table.weights, table.unit)
    n_columns = len(table.info)
    n_codes = [table.schema.n_codes(i) for i in range(n_columns)]
    sizes = {"n_codes": n_codes, "n_labels": n_labels, "repeats": repeats}
    has_levels = [info.kind == "categorical" for info in table.info]
    counted = workers.merged(count_codes, add_up, table.parts, **sizes)
    tables = key_tables(counted, has_levels)
    repeated = _find_repeated(table, tables, n_codes, has_levels)
    tables = tables.without(repeated)
    keys = workers.each(row_keys, table.parts, tables=tables, repeats=repeats)
    sums = workers.merged(sum_keys, add_up, table.parts, keys, **sizes)
    order = canonical_order(sums, has_levels, tables, repeated, keeps_all=keeps_all)
    told = {"labels": order.label_keys, "cells": order.cell_keys}
    keys = workers.each(with_labels, table.parts, keys, **told)
    info = tuple(
        _reordered(table.info[column], levels)
        for column, levels in zip(order.columns, order.levels, strict=True)
    )
    shapes = table.schema.__getstate__()
    kept = [*order.columns.tolist(), *range(n_columns, len(shapes))]
    ordered = replace(
        table,
        parts=workers.each(recode, table.parts, order=order),
        schema=make_schema([shapes[i] for i in kept]),
        info=info,
        label_counts=table.label_counts[order.labels],
    )
    form = CanonicalForm(ordered.cases, table.table, order.columns, order.levels, order.labels)
    in_order = [
        _taken(counted[column][order.labels], levels)
        for column, levels in zip(order.columns, order.levels, strict=True)
    ]
    return OrderedTable(ordered, form, keys, in_order, repeats)


def _find_repeated(
    table: EncodedTable, tables: KeyTables, n_codes: Sequence[int], has_levels: Sequence[bool]
) -> set[int]:
    """Columns that repeat an earlier one: a pass over the rows where some may."""
    alike = [place for group in tables.alike for place in group]
    if not alike:
        return set()
    prints = table.workers.merged(
        print_columns, add_up, table.parts, columns=alike, n_codes=n_codes
    )
    return repeated_columns(dict(zip(alike, prints, strict=True)), tables, has_levels)


def _reordered(info: ColumnInfo, levels: NDArray[np.intp] | None) -> ColumnInfo:
    if levels is None:
        return info
    return replace(info, levels=tuple(info.levels[place] for place in levels))


def _taken(counts: CaseCounts, levels: NDArray[np.intp] | None) -> CaseCounts:
    return counts if levels is None else counts[:, np.append(levels, len(levels))]


@cheap
def recode(part: EncodedPart, *, order: CanonicalOrder) -> EncodedPart:
    """Put a part in order."""
    return order.recoded(part)


def teach(ordered: OrderedTable, subject: Subject, random_state: Any) -> tuple[Handle, LessonFacts]:
    """Let the forest learn a sample; return what stands for the lesson, and facts about it."""
    table, config = ordered.table, subject.config
    n_cases = table.n_rows
    if ordered.repeats.weights is None and table.weights is not None:
        n_cases = int(table.label_counts.sum())  # whole weights are repeats
    sample = sample_rows(
        table.workers, table.parts, ordered.keys, n_cases, config.most_taught, ordered.repeats
    )
    lesson = table.workers.call(
        learn,
        sample,
        subject=subject,
        random_state=random_state,
        n_threads=table.workers.room().n_threads,
    )
    return lesson, table.workers.fetch(table.workers.call(facts_of_lesson, lesson))


def subject_of(ordered: OrderedTable, n_segments: int, max_levels: int, config: Any) -> Subject:
    """What is to be taught."""
    table = ordered.table
    return Subject(
        info=table.info,
        n_codes=tuple(table.schema.n_codes(i) for i in range(len(table.info))),
        n_classes=len(table.label_counts),
        unit=table.unit,
        n_segments=n_segments,
        max_levels=max_levels,
        config=config,
    )


def tell_all(ordered: OrderedTable, lesson: Handle, subject: Subject) -> Handles:
    """Have soft labels told of all rows."""
    table = ordered.table
    lessons = [lesson] * len(table.parts)
    return table.workers.each(tell, table.parts, ordered.keys, lessons, subject=subject)


def grow_told(
    ordered: OrderedTable,
    told: Handles,
    subject: Subject,
    facts: LessonFacts,
    options: GrowOptions,
    classes: NDArray[Any],
    class_of: NDArray[np.int32],
) -> Grown:
    """Grow a tree on what a teacher told of all rows, with the real cases as its counts."""
    table = ordered.table
    asked = {question.column for question in options.extra_questions}
    levels = order_counted_levels(
        table.info,
        dict(enumerate(ordered.counted)),
        options.max_levels,
        asked,
    )
    asked_columns = np.array(facts.asked_columns)
    own_options = replace(options, asked_columns=None if asked_columns.all() else asked_columns)
    weights = split_weights(options.weights(len(classes)), options.costs)
    soft = _softened(table, told, subject, levels, class_of, weights)
    sums = soft.workers.merged(sum_tallies, add_up, soft.parts)
    n_cases = float((sums[: len(classes)] / FINE * weights).sum())
    tracker = NodeTallies(weights, FINE, n_cases)
    make_engine = soft.engine_maker(class_of)
    tree = grow_tree(
        soft.cases, classes, replace(own_options, make_engine=make_engine), tracker=tracker
    )
    tree = _with_cases(ungroup(tree, levels), tracker, table.unit)
    learnt = tracker.learnt(tree.n_nodes)
    n_real = tree.counts[0].sum()
    scaled = learnt * (n_real / learnt[0].sum())
    # A node of a table this large has cases enough to tell its shares without the teacher.
    evidence = Evidence(tree.counts, scaled, learnt_weight=1.0)
    real_maker = table.engine_maker(class_of)
    proof = TaughtProof(
        training=soft.cases,
        levels=levels,
        training_options=own_options,
        real=table.cases,
        real_options=replace(own_options, make_engine=real_maker),
    )
    return Grown(with_evidence(tree, evidence, options.shrinkage), evidence, proof)


def _with_cases(tree: Tree, tracker: NodeTallies, unit: float) -> Tree:
    """The tree with real cases as its counts, and nothing proven of these yet."""
    unknown = np.full(tree.n_nodes, np.nan)
    return replace(
        tree,
        is_taught=True,
        counts=tracker.counts(tree.n_nodes) / unit,
        own_objective=unknown,
        best_own_objective=unknown,
        best_own_proven=np.zeros(tree.n_nodes, dtype=bool),
    )


def _softened(
    table: EncodedTable,
    told: Handles,
    subject: Subject,
    levels: Regrouping,
    class_of: NDArray[np.int32],
    split_weight: NDArray[np.float64],
) -> EncodedTable:
    """The table to grow on: soft labels, and columns of many levels in order."""
    parts = table.workers.each(
        soften, table.parts, told, subject=subject, class_of=class_of, split_weight=split_weight
    )
    shapes: list[Shape] = list(table.schema.__getstate__())
    info = list(table.info)
    for position, groups in levels.groups.items():
        info[position] = ColumnInfo(info[position].name, "numeric")
        shapes[position] = _shape_of_groups(groups, bool(shapes[position][2]))
    if levels.groups:
        parts = table.workers.each(regroup_codes, parts, groups=dict(levels.groups))
    totals = table.workers.merged(sum_soft, add_up, parts)
    return replace(
        table,
        parts=parts,
        schema=make_schema(shapes),
        info=tuple(info),
        label_counts=totals,
        unit=subject.soft_unit,
        is_soft=True,
    )


def _shape_of_groups(groups: NDArray[np.intp], has_missing: bool) -> Shape:
    """What native code makes of the numbers of groups."""
    numbers = np.append(np.unique(groups), np.nan) if has_missing else np.unique(groups)
    columns = _core.ColumnList()
    columns.add_numbers([numbers.astype(np.float64)], 0, None, 1)
    (shape,) = columns.schema().__getstate__()
    return shape


@cheap
def regroup_codes(part: EncodedPart, *, groups: dict[int, NDArray[np.intp]]) -> EncodedPart:
    """Put the numbers of groups in place of levels."""
    codes = list(part.codes)
    for position, own in groups.items():
        n_groups = int(own.max(initial=-1)) + 1
        dtype = np.uint8 if n_groups < 2**8 else np.uint16 if n_groups < 2**16 else np.uint32
        codes[position] = np.append(own, n_groups).astype(dtype)[codes[position]]
    return replace(part, codes=codes)


def sum_soft(part: EncodedPart) -> NDArray[np.int64]:
    """Sum up soft labels."""
    assert part.soft is not None
    sums: NDArray[np.int64] = part.soft.sum(axis=0, dtype=np.int64)
    return sums

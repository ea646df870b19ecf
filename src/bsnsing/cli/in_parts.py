"""Files larger than memory: Parquet that is read, and fitted to, some rows at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bsnsing.cli.cells import is_text_type
from bsnsing.cli.errors import Refusal
from bsnsing.cli.fitting import prepare
from bsnsing.cli.moments import kind_of_type
from bsnsing.cli.sources import expand_paths
from bsnsing.cli.table_formats import packing_of, table_format_of
from bsnsing.cli.table_options import ReadOptions, TypeOptions
from bsnsing.cli.tables import check_names, read_column
from bsnsing.cli.training import Training, check_labels, labels_of, plain_labels, read_weights
from bsnsing.data.parts import Part, read_part
from bsnsing.data.show import show_level
from bsnsing.estimators.classifier import BsnsingClassifier
from bsnsing.estimators.files import (
    Parquet,
    fit_on_disk,
    machine_memory,
    read_memory_limit,
    rows_at_a_time,
)
from bsnsing.estimators.scattered import check_scattered

# Bytes of a table as arrow has it, and as a learner does, together, for each byte of its cells.
_TIMES = 3


@dataclass(frozen=True, slots=True)
class PartsPlan:
    """Which files are fitted to in parts, and what their columns are for."""

    files: Parquet
    schema: Any  # of arrow
    target: str
    weight: str | None
    types: TypeOptions
    skip_unlabelled: bool
    memory_limit: float

    @property
    def features(self) -> list[str]:
        """Columns to ask about."""
        skipped = {name for name, kind in self.types.types.items() if kind == "skip"}
        left_out = {self.target, self.weight, *self.types.drop, *skipped}
        return [name for name in self.files.names if name not in left_out]

    def describe(self) -> str:
        """Write what was found of the columns."""
        lines = [
            f"{name}  {self.schema.field(name).type}"
            + ("  (to learn)" if name == self.target else "")
            for name in [*self.features, self.target]
        ]
        return "\n".join([f"{self.files.n_rows:,} rows, in parts", *lines])


def plan_parts(
    patterns: Sequence[str],
    read: ReadOptions,
    types: TypeOptions,
    *,
    target: str,
    weight: str | None,
    skip_unlabelled: bool,
    memory_limit: str | None,
) -> PartsPlan | None:
    """Return how to fit in parts, if that is wanted or needed; None if the table fits memory."""
    paths = expand_paths(patterns)
    if not all(_is_parquet(path, read) for path in paths):
        if memory_limit is not None:
            raise Refusal(
                "--memory-limit is for Parquet files, which are read some rows at a time.",
                "convert the table to Parquet first.",
            )
        return None
    try:
        files = Parquet.listed(paths)
        n_bytes, schema = _size_of(files)
    except (OSError, ValueError) as error:  # also what arrow cannot read
        if memory_limit is None:  # then it is read as any other table, which says what is wrong
            return None
        raise Refusal(f"{paths[0]!r} cannot be read as parquet: {error}") from error
    if memory_limit is None and _TIMES * n_bytes < machine_memory():
        return None
    try:
        limit = read_memory_limit(memory_limit)
    except ValueError as error:
        raise Refusal(str(error).replace("memory_limit", "--memory-limit")) from error
    check_names([target], files.names, "--target")
    check_names([weight] if weight else [], files.names, "--weight")
    check_names(types.types, files.names, "--type")
    check_names(types.drop, files.names, "--drop")
    plan = PartsPlan(files, schema, target, weight, types, skip_unlabelled, limit)
    _check_types(plan)
    return plan


def _is_parquet(path: str, read: ReadOptions) -> bool:
    """Whether a file can be read some rows at a time, by its name or as the user says."""
    if not os.path.isfile(path) or packing_of(path) is not None:
        return False
    try:
        return (read.format or table_format_of(path)) == "parquet"
    except Refusal:
        return False


def _size_of(files: Parquet) -> tuple[int, Any]:
    """Bytes of all cells, and the schema of the first file."""
    from pyarrow.parquet import ParquetFile

    n_bytes, schema = 0, None
    for path in files.paths:
        with ParquetFile(path) as file:
            schema = file.schema_arrow if schema is None else schema
            groups = (file.metadata.row_group(i) for i in range(file.num_row_groups))
            n_bytes += sum(group.total_byte_size for group in groups)
    return n_bytes, schema


def _check_types(plan: PartsPlan) -> None:
    """Refuse columns whose kind only all of their cells would tell."""
    if not plan.features:
        raise Refusal("There is no column to learn from.", "give a table with more columns.")
    for name in plan.features:
        kind = plan.schema.field(name).type
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        is_known = is_number or pa.types.is_boolean(kind) or pa.types.is_decimal(kind)
        is_known = is_known or kind_of_type(kind) is not None
        if not (is_known or is_text_type(kind) or name in plan.types.types):
            raise Refusal(
                f"Column {name!r} is of type {kind}, which is not read in parts.",
                f"say --drop {show_level(name)}, or --type {show_level(name)}=text.",
            )


def fit_in_parts(model: Any, plan: PartsPlan) -> None:
    """Fit a tree to files, some of whose rows are in memory at a time."""
    if not isinstance(model, BsnsingClassifier):
        raise Refusal("Files in parts are for one tree.", "say --learner tree, or leave it out.")
    check_scattered(model)
    labels = _all_labels(plan)
    check_labels(labels, plan.target, plan.files.n_rows)
    categories = [
        name
        for name in plan.features
        if plan.types.types.get(name) == "category" and not is_text_type(_type_of(plan, name))
    ]
    prepare(model, Training(None, labels, None, categories, plan.target))
    model.label_name_ = plan.target
    n_rows = rows_at_a_time(plan.memory_limit, len(plan.files.names))
    n_parts = -(-plan.files.n_rows // n_rows)
    fit_on_disk(model, _parts(model, plan, n_rows), n_parts, plan.memory_limit)


def _type_of(plan: PartsPlan, name: str) -> Any:
    return plan.schema.field(name).type


def _all_labels(plan: PartsPlan) -> Any:
    """The different labels of all files."""
    found: dict[Any, None] = {}
    n_missing = 0
    for rows in plan.files.batches(1_000_000, [plan.target]):
        labels = labels_of(_column(plan, plan.target, rows))
        n_missing += labels.null_count
        found |= dict.fromkeys(pc.unique(labels.drop_null()).to_pylist())
    if n_missing and not plan.skip_unlabelled:
        raise Refusal(
            f"{n_missing:,} rows have no label in the column {plan.target!r}.",
            "say --skip-unlabelled to leave them out.",
        )
    return np.array(list(found), dtype=object)


def _column(plan: PartsPlan, name: str, rows: Any) -> Any:
    array = rows.column(name).combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.nulls(0, array.type)
    return read_column(name, array, "typed", plan.types)


def _parts(model: BsnsingClassifier, plan: PartsPlan, n_rows: int) -> Iterator[Part]:
    for number, rows in enumerate(plan.files.batches(n_rows)):
        labels = labels_of(_column(plan, plan.target, rows))
        weights = None
        if plan.weight is not None:
            weights = read_weights(_column(plan, plan.weight, rows))
        table = pa.table({name: _column(plan, name, rows).array for name in plan.features})
        if labels.null_count:
            is_known = labels.is_valid()
            table, labels = table.filter(is_known), labels.filter(is_known)
            mask = is_known.to_numpy(zero_copy_only=False)
            weights = None if weights is None else weights[mask]
        yield read_part(
            table,
            plain_labels(labels),
            weights,
            number=number,
            names=plan.features,
            categorical_features=model.categorical_features,
        )

"""New rows as a model knows its columns: the model says what each holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bsnsing.cli.cells import plain_text, texts_of
from bsnsing.cli.errors import Refusal
from bsnsing.cli.kinds import TextColumn
from bsnsing.cli.moments import KIND_OF_SCALE, kind_of_type
from bsnsing.cli.sources import Batch
from bsnsing.cli.table_formats import Style
from bsnsing.cli.table_options import TypeOptions
from bsnsing.data.columns import ColumnInfo
from bsnsing.data.scales import Scale
from bsnsing.export.form import model_form


class ModelColumns:
    """The columns of a fitted model, and how to read them from a file."""

    def __init__(self, model: Any, types: TypeOptions) -> None:
        form = model_form(model, "predict")
        self.columns: tuple[ColumnInfo, ...] = form.columns
        self._asked = {column.name for column in form.asked_columns}
        self._has_names = hasattr(model, "feature_names_in_")
        self._types = types
        self._rows_before = 0

    def read(self, batch: Batch, style: Style, rows_before: int | None = None) -> Any:
        """Return the rows of a batch as the table that ``predict_proba`` takes.

        A column that no rule asks about may be absent. Other columns of the file are left alone.
        ``rows_before`` are the rows of the file before it, where batches are not read in turn.
        """
        if rows_before is not None:
            self._rows_before = rows_before
        found = self._found(batch.columns)
        arrays = {
            known.name: self._cells(known, found.get(known.name), style, batch.n_rows)
            for known in self.columns
        }
        self._rows_before += batch.n_rows
        if self._has_names:
            return pa.table(arrays)
        # A model that was fitted to an array knows columns by their places.
        return np.column_stack([_objects(array) for array in arrays.values()])

    def _found(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Columns of the file that the model knows, by name, else by place."""
        names = [known.name for known in self.columns]
        if not self._has_names and len(columns) == len(names) and set(names) != set(columns):
            return dict(zip(names, columns.values(), strict=True))
        lacking = [name for name in names if name in self._asked and name not in columns]
        if lacking:
            listed = ", ".join(map(repr, lacking[:8])) + (", ..." if len(lacking) > 8 else "")
            raise Refusal(
                f"The table lacks {listed}, which the model asks about.",
                "give the columns of the fit; those that no rule asks about may be absent.",
            )
        return {name: columns[name] for name in names if name in columns}

    def _cells(self, known: ColumnInfo, array: Any, style: Style, n_rows: int) -> Any:
        if array is None:
            return pa.nulls(n_rows, _type_of(known))
        if style == "typed" and _is_as_known(array.type, known):
            return array
        try:
            texts, _ = texts_of(array, style)
        except ValueError as error:
            raise Refusal(f"Column {known.name!r} holds lists or objects: {error}") from error
        # What the model knows as a level is one, also if it looks like a mark.
        marks = set(self._types.marks) - {level for level in known.levels if isinstance(level, str)}
        cells = TextColumn.read(known.name, texts, marks, self._types.decimal)
        if known.scale is not None:
            return self._moments(cells, known.scale)
        if known.kind == "numeric" or _are_numbers(known.levels):
            return cells.numbers(self._rows_before)
        if known.kind == "boolean" or _are_booleans(known.levels):
            return cells.booleans(self._rows_before)
        return cells.texts()

    def _moments(self, cells: TextColumn, scale: Scale) -> Any:
        """Moments in one type, whatever the rows of a batch have in common."""
        if not cells.levels:
            return pa.nulls(len(cells.codes), _type_of_scale(scale))
        read = cells.moments(
            KIND_OF_SCALE[scale.kind], self._rows_before, with_offset=scale.zone is not None
        )
        return read.cast(_type_of_scale(scale))


def label_of(model: Any, text: str, place: str) -> Any:
    """Return the label of a model that a text stands for."""
    labels = {plain_text(label): label for label in model.classes_.tolist()}
    if text not in labels:
        raise Refusal(
            f"{place} names the label {text!r}, which the model does not have.",
            f"its labels are {', '.join(map(repr, list(labels)[:8]))}.",
        )
    return labels[text]


def labels_of_rows(model: Any, array: Any, style: Style, types: TypeOptions) -> NDArray[Any]:
    """Return the labels of rows as the model has them; what it does not know stays text."""
    texts, _ = texts_of(array, style)
    cells = TextColumn.read("label", texts, types.marks).texts().to_pylist()
    known = {plain_text(label): label for label in model.classes_.tolist()}
    found = np.empty(len(cells), dtype=object)
    found[:] = [known.get(cell, cell) for cell in cells]
    if None in cells:
        raise Refusal(f"Row {cells.index(None) + 1} has no label.", "leave such rows out.")
    return found


_ARROW_TYPES = {"numeric": pa.float64(), "boolean": pa.bool_(), "categorical": pa.string()}


def _type_of(known: ColumnInfo) -> Any:
    return _ARROW_TYPES[known.kind] if known.scale is None else _type_of_scale(known.scale)


def _type_of_scale(scale: Scale) -> Any:
    if scale.kind == "moment":
        return pa.timestamp("us", tz=scale.zone)
    return pa.time64("us") if scale.kind == "time" else pa.duration("us")


def _is_as_known(kind: Any, known: ColumnInfo) -> bool:
    """Whether cells of a type of arrow can be taken as they are."""
    if known.scale is None:
        return known.kind != "categorical" and _is_number(kind)
    return kind_of_type(kind) == KIND_OF_SCALE[known.scale.kind]


def _is_number(kind: Any) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
    )


def _are_booleans(levels: tuple[Any, ...]) -> bool:
    return bool(levels) and all(isinstance(level, bool) for level in levels)


def _are_numbers(levels: tuple[Any, ...]) -> bool:
    return bool(levels) and not any(isinstance(level, bool | str) for level in levels)


def _objects(array: Any) -> Any:
    cells = np.empty(len(array), dtype=object)
    cells[:] = array.to_pylist()
    return cells

"""What ``bsnsing explain`` does."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from bsnsing.cli.cells import plain_text
from bsnsing.cli.errors import Refusal
from bsnsing.cli.files import check_output, whole_file
from bsnsing.cli.models import load_estimator
from bsnsing.cli.progress import progress
from bsnsing.cli.rows import ModelColumns, label_of
from bsnsing.cli.sources import Batch, open_source
from bsnsing.cli.table_options import ReadOptions, TypeOptions
from bsnsing.export.explanations import Explanations, explain


def run(
    *,
    model: str,
    table: str,
    rows: tuple[range, ...] | None,
    fixed: tuple[str, ...],
    event: str | None,
    no_change: bool,
    form: str,
    output: str,
    force: bool,
    read: ReadOptions,
    types: TypeOptions,
    quiet: bool,
) -> None:
    """Say why rows get their labels, and what would change them."""
    check_output(output, force=force)
    loaded = load_estimator(model)
    settings: dict[str, Any] = {
        "fixed": fixed,
        "event": None if event is None else label_of(loaded, event, "--event"),
        "flip": not no_change,
    }
    n_explained = 0
    with open_source(table, read) as source:
        columns = ModelColumns(loaded, types)
        parts = _parts(source.batches, rows)
        with progress("explaining", quiet=quiet) as tell, whole_file(output) as file:
            for batch, numbers in parts:
                found = explain(
                    loaded, columns.read(batch, source.style, numbers[0] - 1), **settings
                )
                text = _FORMS[form](found, numbers, is_first=n_explained == 0)
                file.write(text.encode())
                n_explained += len(numbers)
                tell(f"{n_explained:,} rows")
    if rows is not None and n_explained < len({row for own in rows for row in own}):
        missing = f"The table has not all rows that --rows names: {n_explained:,} were explained."
        raise Refusal(missing, "rows count from 1.")


# Rows that are explained in one go: few, so that the first are soon seen.
_AT_ONCE = 200


def _parts(
    batches: Iterator[Batch], rows: tuple[range, ...] | None
) -> Iterator[tuple[Batch, list[int]]]:
    """Chosen rows of all batches, with their numbers in the table."""
    n_before = 0
    last = None if rows is None else max(own[-1] for own in rows)
    for batch in batches:
        numbers = range(n_before + 1, n_before + batch.n_rows + 1)
        chosen = [n for n in numbers if rows is None or any(n in own for own in rows)]
        for start in range(0, len(chosen), _AT_ONCE):
            own = chosen[start : start + _AT_ONCE]
            places = [number - n_before - 1 for number in own]
            taken = {name: array.take(places) for name, array in batch.columns.items()}
            yield Batch(taken, len(own)), own
        n_before += batch.n_rows
        if last is not None and n_before >= last:
            return


def _as_text(found: Explanations, numbers: list[int], *, is_first: bool) -> str:
    parts = [
        re.sub(r"^Case \d+", f"Row {number}", own.text)
        for own, number in zip(found, numbers, strict=True)
    ]
    return ("" if is_first else "\n") + "\n\n".join(parts) + "\n"


def _as_json_lines(found: Explanations, numbers: list[int], *, is_first: bool) -> str:
    rows = [
        own | {"row": number, "text": re.sub(r"^Case \d+", f"Row {number}", own["text"])}
        for own, number in zip(found.to_dict(), numbers, strict=True)
    ]
    return "".join(
        json.dumps(row, ensure_ascii=False, allow_nan=False, default=plain_text) + "\n"
        for row in rows
    )


def _as_csv(found: Explanations, numbers: list[int], *, is_first: bool) -> str:
    records: list[dict[str, Any]] = found.to_frame("records")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    if is_first:
        rows.writerow(records[0])
    for record in records:
        record["row"] = numbers[record["row"]]
        rows.writerow("" if cell is None else plain_text(cell) for cell in record.values())
    return text.getvalue()


_FORMS = {"text": _as_text, "jsonl": _as_json_lines, "csv": _as_csv}

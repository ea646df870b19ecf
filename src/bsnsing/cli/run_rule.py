"""What ``bsnsing rule`` does."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from bsnsing.cli.errors import Refusal
from bsnsing.cli.parameters import read_value
from bsnsing.cli.progress import progress
from bsnsing.cli.table_options import ReadOptions, TypeOptions
from bsnsing.cli.tables import ReadColumn, check_names, read_columns, read_table
from bsnsing.cli.training import labels_of
from bsnsing.data.show import show_level, show_name
from bsnsing.rules.split import Split
from bsnsing.solvers.best_rule import best_rule
from bsnsing.solvers.parameters import BEST_RULE_PARAMETERS


def run(
    *,
    table: tuple[str, ...],
    target: str,
    as_json: bool,
    read: ReadOptions,
    types: TypeOptions,
    quiet: bool,
    **parameters: str | None,
) -> None:
    """Find the best rule of a table of 0 and 1."""
    given = {
        name: read_value(name, text, BEST_RULE_PARAMETERS)
        for name, text in parameters.items()
        if text is not None
    }
    columns = {column.name: column for column in read_columns(read_table(table, read), types)}
    check_names([target], columns, "--target")
    labels = columns.pop(target)
    if labels.n_missing:
        raise Refusal(
            f"{labels.n_missing:,} rows have no label in the column {target!r}.",
            "leave these rows out.",
        )
    if not columns:
        raise Refusal("There is no column to ask about.", "give a table with more columns.")
    y = np.array(labels_of(labels).to_pylist())
    answers = np.column_stack([_answers(column) for column in columns.values()])
    with progress("searching", quiet=quiet):
        found = best_rule(answers, y, **given)
    splits = found if isinstance(found, list) else [] if found is None else [found]
    if not splits:
        raise Refusal("No rule is feasible.", "ask for fewer cases in each child.")
    names, labels = list(columns), np.unique(y).tolist()
    if as_json:
        records = [_as_record(split, names, labels) for split in splits]
        whole: Any = records if isinstance(found, list) else records[0]
        click.echo(json.dumps(whole, indent=2, default=lambda value: value.item()))
    else:
        texts = (_as_text(split, names, labels, rank) for rank, split in enumerate(splits))
        click.echo("\n\n".join(texts))


def _answers(column: ReadColumn) -> NDArray[np.uint8]:
    """Cells as 0 and 1."""
    if column.kind not in ("number", "boolean") or column.n_missing:
        what = "misses cells" if column.n_missing else f"holds {column.kind}"
        raise Refusal(
            f"Column {column.name!r} {what}, and is to be 0 or 1 in each row.",
            f"say --drop {show_level(column.name)}, or use `bsnsing fit`, which asks questions "
            "about any column.",
        )
    cells: NDArray[np.float64] = pc.cast(column.array, "float64", safe=False).to_numpy(
        zero_copy_only=False
    )
    wrong = np.flatnonzero((cells != 0) & (cells != 1))
    if len(wrong):
        raise Refusal(
            f"Column {column.name!r} holds {show_level(float(cells[wrong[0]]))} in row "
            f"{wrong[0] + 1}, and is to be 0 or 1.",
            f"say --drop {show_level(column.name)}, or use `bsnsing fit`, which asks questions "
            "about any column.",
        )
    return cells.astype(np.uint8)


def _rule(split: Split, names: list[str]) -> str:
    parts = [
        f"{'not ' if negated else ''}{show_name(names[question])}"
        for question, negated in zip(split.questions, split.negated, strict=True)
    ]
    return f" {split.operator} ".join(parts)


def _as_text(split: Split, names: list[str], labels: list[Any], rank: int) -> str:
    counts = [
        f"  {answer:3}  "
        + ", ".join(f"{n:g} of {show_level(label)}" for n, label in zip(own, labels, strict=True))
        for answer, own in (("yes", split.left_counts), ("no", split.right_counts))
    ]
    better = "no rule of the space is" if rank == 0 else "of the space only those above are"
    proof = (
        f"proven optimal: {better} better"
        if split.optimal
        else f"not proven optimal: no rule of the space is below {split.bound:,}"
    )
    return "\n".join(
        [
            _rule(split, names),
            *counts,
            f"objective {split.objective:,}; {proof}",
            *_searched(split),
        ]
    )


def _searched(split: Split) -> list[str]:
    """How the proof came about; rules that were ranked together have no counts of their own."""
    if split.n_nodes:
        work = f"{split.n_nodes:,} nodes of branch and bound"
    elif split.n_counted or split.n_excluded:
        work = f"{split.n_counted:,} rules counted, {split.n_excluded:,} excluded by bounds"
    else:
        return []
    return [f"{work}, by {split.solver}, in {split.seconds:.3g} s"]


def _as_record(split: Split, names: list[str], labels: list[Any]) -> dict[str, Any]:
    return {
        "rule": _rule(split, names),
        "questions": [names[question] for question in split.questions],
        "negated": list(split.negated),
        "operator": split.operator,
        "objective": split.objective,
        "bound": split.bound,
        "optimal": split.optimal,
        "labels": labels,
        "yes": split.left_counts.tolist(),
        "no": split.right_counts.tolist(),
        "n_counted": split.n_counted,
        "n_excluded": split.n_excluded,
        "n_nodes": split.n_nodes,
        "solver": split.solver,
        "seconds": split.seconds,
    }

"""Write a program as an LP or MPS file, for any solver that reads one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bsnsing.solvers.model import Model

# A column fixed at one carries the objective's constant: readers disagree on other ways.
_CONSTANT = "constant"
_LINE = 200  # characters; some readers stop at 255


def write_file(model: Model, path: str | Path) -> Path:
    """Write a program to ``path``; its ending, .lp or .mps, says in which format."""
    target = Path(path)
    writers = {".lp": _lp_lines, ".mps": _mps_lines}
    if target.suffix.lower() not in writers:
        raise ValueError(f"The path must end in .lp or .mps. Got {str(path)!r}.")
    with target.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(line + "\n" for line in writers[target.suffix.lower()](model))
    return target


def _number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(int(value)) if value == int(value) else repr(float(value))


def _row_kinds(model: Model) -> list[str]:
    """E, G, L, N (says nothing) or R (two ends) for each row."""
    low, high = np.isfinite(model.row_lower), np.isfinite(model.row_upper)
    equal = low & high & (model.row_lower == model.row_upper)
    kinds = np.select([equal, low & high, low, high], ["E", "R", "G", "L"], default="N")
    return [str(kind) for kind in kinds]


def _lp_lines(model: Model) -> Iterator[str]:
    yield "\\ a rule search of bsnsing: w are questions (n: negated), z groups of rows"
    yield f"\\ the objective is the criterion divided by {model.unit}"
    yield "Minimize"
    costs = np.flatnonzero(model.cost)
    terms = [(model.cost[i], model.names[i]) for i in costs] + [(model.offset, _CONSTANT)]
    yield from _expression(" obj:", terms)
    yield "Subject To"
    for row, kind in enumerate(_row_kinds(model)):
        yield from _lp_row(model, row, kind)
    yield "Bounds"
    yield f" {_CONSTANT} = 1"
    for name, lower, upper in zip(model.names, model.lower, model.upper, strict=True):
        if not np.isfinite(lower) and not np.isfinite(upper):
            yield f" {name} free"
        else:
            low = _number(lower) if np.isfinite(lower) else "-inf"
            yield f" {low} <= {name}" + (f" <= {_number(upper)}" if np.isfinite(upper) else "")
    yield "Generals"
    pairs = zip(model.names, model.is_integer, strict=True)
    yield from _wrapped([name for name, whole in pairs if whole])
    yield "End"


def _lp_row(model: Model, row: int, kind: str) -> Iterator[str]:
    """One line, or for a row with two ends one for each."""
    matrix = model.matrix
    span = slice(matrix.indptr[row], matrix.indptr[row + 1])
    names = (model.names[i] for i in matrix.indices[span])
    terms = list(zip(matrix.data[span], names, strict=True))
    low, high = (">=", model.row_lower[row]), ("<=", model.row_upper[row])
    ends = {"E": [("=", high[1])], "G": [low], "L": [high], "R": [low, high], "N": []}[kind]
    for i, (sign, end) in enumerate(ends):
        *lines, last = _expression(f" c{row}{'r' * i}:", terms)
        yield from lines
        yield f"{last} {sign} {_number(end)}"


def _expression(head: str, terms: list[tuple[float, str]]) -> list[str]:
    words = [f"{'-' if c < 0 else '+'} {_number(abs(c))} {name}" for c, name in terms]
    return _wrapped(words, head)


def _wrapped(words: list[str], head: str = "") -> list[str]:
    lines = [head]
    for word in words:
        if len(lines[-1]) + len(word) > _LINE:
            lines.append("")
        lines[-1] += " " + word
    return lines


def _mps_lines(model: Model) -> Iterator[str]:
    kinds = _row_kinds(model)
    yield f"* the objective is the criterion divided by {model.unit}"
    yield "NAME bsnsing"
    yield "ROWS"
    yield " N obj"
    yield from (f" {'L' if kind == 'R' else kind} c{row}" for row, kind in enumerate(kinds))
    yield "COLUMNS"
    yield from _mps_columns(model)
    yield "RHS"
    ends = np.where(np.isfinite(model.row_upper), model.row_upper, model.row_lower)
    for i in np.flatnonzero(np.isfinite(ends) & (ends != 0)):
        yield f" rhs c{i} {_number(ends[i])}"
    ranged = [row for row, kind in enumerate(kinds) if kind == "R"]
    if ranged:
        yield "RANGES"
        for row in ranged:
            yield f" rng c{row} {_number(model.row_upper[row] - model.row_lower[row])}"
    yield "BOUNDS"
    yield f" FX bnd {_CONSTANT} 1"
    for name, lower, upper in zip(model.names, model.lower, model.upper, strict=True):
        if not np.isfinite(lower):
            yield f" {'MI' if np.isfinite(upper) else 'FR'} bnd {name}"
        elif lower != 0:
            yield f" LO bnd {name} {_number(lower)}"
        if np.isfinite(upper):
            yield f" UP bnd {name} {_number(upper)}"
    yield "ENDATA"


def _mps_columns(model: Model) -> Iterator[str]:
    columns = model.matrix.tocsc()
    was_integer = False
    for i, name in enumerate(model.names):
        if model.is_integer[i] != was_integer:
            yield f" MARKER 'MARKER' '{'INTEND' if was_integer else 'INTORG'}'"
            was_integer = bool(model.is_integer[i])
        if model.cost[i] != 0:
            yield f" {name} obj {_number(model.cost[i])}"
        for entry in range(columns.indptr[i], columns.indptr[i + 1]):
            yield f" {name} c{columns.indices[entry]} {_number(columns.data[entry])}"
    if was_integer:
        yield " MARKER 'MARKER' 'INTEND'"
    yield f" {_CONSTANT} obj {_number(model.offset)}"

"""Exported code, compiled or run: rows go in as text, probabilities and labels come back.

Cells are written as ``-`` where missing, ``n`` and a number's bits, ``b0`` and ``b1`` for Booleans,
or ``t`` and the bytes of a text, so that nothing is lost on the way; moments, times and durations
as ``m`` (``z`` where they have a time zone), ``h`` or ``d``, and microseconds.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from export.models import cells_of

from bsnsing.data.scales import in_steps, scale_of
from bsnsing.export.code.c import C, _is_text, export_c
from bsnsing.export.code.java import export_java
from bsnsing.export.code.javascript import export_javascript
from bsnsing.export.code.program import Program
from bsnsing.export.code.python import export_python
from bsnsing.export.code.r import export_r
from bsnsing.export.form import model_form

DRIVERS = Path(__file__).parent / "drivers"


@dataclass(frozen=True)
class Answers:
    """What exported code says of rows."""

    probabilities: np.ndarray
    labels: list[str]


@dataclass(frozen=True)
class Job:
    """A model, and rows to try its code with."""

    model: Any
    rows: pd.DataFrame


Runner = Callable[[Sequence[Job], Path], list[Answers]]


def bits_of(number: float) -> str:
    return struct.pack(">d", number).hex()


def token(cell: Any) -> str:
    if cell is None or cell != cell:
        return "-"
    if isinstance(cell, str):
        return "t" + cell.encode().hex()
    if isinstance(cell, bool | np.bool_):
        return f"b{int(cell)}"
    if scale_of(cell) is not None:
        is_zoned = getattr(cell, "tzinfo", None) is not None
        letter = "z" if is_zoned else {"moment": "m", "time": "h", "duration": "d"}[scale_of(cell)]
        return f"{letter}{in_steps(cell)}"
    return "n" + bits_of(float(cell))


def program_of(job: Job) -> Program:
    return Program(model_form(job.model))


def write_rows(job: Job, path: Path) -> None:
    """A line of names, then a line for each row."""
    columns = [column.name for column in program_of(job).columns]
    lines = [" ".join(token(name) for name in columns)]
    lines += [" ".join(token(row[name]) for name in columns) for row in cells_of(job.rows)]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def read_answers(text: str, n_classes: int) -> Answers:
    """Lines of bits of probabilities, and the bytes of a label."""
    probabilities, labels = [], []
    for line in text.splitlines():
        *numbers, label = line.split()
        assert len(numbers) == n_classes
        probabilities.append([struct.unpack(">d", bytes.fromhex(n))[0] for n in numbers])
        labels.append(bytes.fromhex(label[1:]).decode())
    return Answers(np.array(probabilities), labels)


def run(command: Sequence[Any], folder: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def n_classes_of(job: Job) -> int:
    return len(program_of(job).form.classes)


def run_python(jobs: Sequence[Job], folder: Path) -> list[Answers]:
    answers = []
    for job in jobs:
        module: dict[str, Any] = {}
        exec(compile(export_python(job.model), "model.py", "exec"), module)
        cells = cells_of(job.rows)
        answers.append(
            Answers(
                np.array([module["predict_proba"](row) for row in cells]),
                [str(module["predict"](row)) for row in cells],
            )
        )
    return answers


def run_c(
    jobs: Sequence[Job], folder: Path, flags: Sequence[str] = ("-O0", "-std=c99")
) -> list[Answers]:
    answers = []
    for i, job in enumerate(jobs):
        own = folder / f"c{i}"
        own.mkdir()
        (own / "model.c").write_text(export_c(job.model), encoding="utf-8")
        (own / "driver.c").write_text(_c_driver(job), encoding="utf-8")
        write_rows(job, own / "rows.txt")
        checks = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
        run(["gcc", *flags, *checks, "-o", "driver", "driver.c", "-lm"], own)
        answers.append(read_answers(run(["./driver"], own), n_classes_of(job)))
    return answers


def _c_driver(job: Job) -> str:
    readers = ""
    program = program_of(job)
    for column in program.columns:
        kind = "text" if _is_text(column) else "number"
        kind = kind if column.moment_kind is None else "moment"
        field = C(program, "bsnsing").row_fields[column.identifier]
        readers += f"        row.{field} = read_{kind}();\n"
    driver = (DRIVERS / "driver.c").read_text(encoding="utf-8")
    return driver.replace("        /* READERS */\n", readers)


def run_javascript(jobs: Sequence[Job], folder: Path) -> list[Answers]:
    shutil.copy(DRIVERS / "driver.mjs", folder)
    answers = []
    for i, job in enumerate(jobs):
        (folder / f"model_{i}.mjs").write_text(export_javascript(job.model), encoding="utf-8")
        write_rows(job, folder / f"rows_{i}.txt")
        text = run(["node", "driver.mjs", f"./model_{i}.mjs", f"rows_{i}.txt"], folder)
        answers.append(read_answers(text, n_classes_of(job)))
    return answers


def run_java(jobs: Sequence[Job], folder: Path) -> list[Answers]:
    """One compilation and one process for all, as each takes a second to begin."""
    shutil.copy(DRIVERS / "Driver.java", folder)
    for i, job in enumerate(jobs):
        text = export_java(job.model, class_name=f"Model{i}")
        (folder / f"Model{i}.java").write_text(text, encoding="utf-8")
        write_rows(job, folder / f"rows_{i}.txt")
    names = [f"Model{i}.java" for i in range(len(jobs))]
    run(["javac", "-Xlint:all", "-Werror", "-encoding", "UTF-8", "Driver.java", *names], folder)
    run(["java", "-Xshare:auto", "Driver", len(jobs)], folder)
    return [
        read_answers((folder / f"out_{i}.txt").read_text(), n_classes_of(job))
        for i, job in enumerate(jobs)
    ]


def run_r(jobs: Sequence[Job], folder: Path) -> list[Answers]:
    shutil.copy(DRIVERS / "driver.R", folder)
    for i, job in enumerate(jobs):
        (folder / f"model_{i}.R").write_text(export_r(job.model), encoding="utf-8")
        write_rows(job, folder / f"rows_{i}.txt")
    run(["Rscript", "--vanilla", "driver.R", len(jobs)], folder)
    return [
        read_answers((folder / f"out_{i}.txt").read_text(), n_classes_of(job))
        for i, job in enumerate(jobs)
    ]


# Language, what it needs to be run, and what runs it.
LANGUAGES: dict[str, tuple[tuple[str, ...], Runner]] = {
    "python": ((), run_python),
    "c": (("gcc",), run_c),
    "javascript": (("node",), run_javascript),
    "java": (("javac", "java"), run_java),
    "r": (("Rscript",), run_r),
}

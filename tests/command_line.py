"""What tests of the command line share: a table with all kinds of columns, and how runs end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def rows_of_people(n_rows: int = 240) -> list[dict[str, Any]]:
    """Rows with numbers, text, codes, Booleans and missing cells; who churns can be told."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(n_rows):
        age, plan = int(rng.integers(18, 80)), str(rng.choice(["basic", "pro", "free tier"]))
        calls = None if i % 11 == 0 else float(np.round(rng.gamma(2.0, 2.0), 2))
        member = bool(rng.integers(2))
        churned = (plan == "basic" and (calls or 0) > 4) or (age > 60 and not member)
        rows.append(
            {
                "age": age,
                "plan": plan,
                "zip": f"{int(rng.integers(0, 20)):05d}",
                "calls": calls,
                "member": member,
                "churned": "yes" if churned else "no",
            }
        )
    return rows


def csv_of(rows: list[dict[str, Any]], delimiter: str = ",", missing: str = "NA") -> str:
    def cell(value: Any) -> str:
        return missing if value is None else str(value).lower() if value in (True, False) else value

    lines = [delimiter.join(rows[0])]
    lines += [delimiter.join(str(cell(value)) for value in row.values()) for row in rows]
    return "\n".join(lines) + "\n"

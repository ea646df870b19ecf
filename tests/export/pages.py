"""Fitted models whose pages are tested, and what a reader types into them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from export.test_form import MODELS, mixed_table
from sklearn.base import clone

from bsnsing.export.form import model_form

Open = Callable[..., Any]  # the fixture open_page


@cache
def fitted(name: str) -> tuple[Any, pd.DataFrame, np.ndarray]:
    table, labels = mixed_table()
    return clone(MODELS[name]).fit(table, labels), table, labels


def typed(model: Any, rows: pd.DataFrame) -> list[list[str | None]]:
    """What a reader types for each row, column by column of those that the page asks for."""
    columns = []
    for info in model_form(model).asked_columns:
        cells: list[str | None] = []
        for cell in rows[info.name].tolist():
            if cell is None or cell is pd.NA or cell != cell:
                cells.append(None)
            elif info.kind == "categorical":
                cells.append(typed_level(cell))
            elif info.kind == "boolean":
                cells.append("true" if cell else "false")
            else:
                cells.append(repr(float(cell)))
        columns.append(cells)
    return (
        [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in rows.index]
    )


def typed_level(level: Any) -> str:
    """A number as Python writes it, text as it is: in quotes where a line cannot hold it."""
    if not isinstance(level, str):
        return repr(level)
    return level if level.isprintable() and level.strip() else json.dumps(level)


def type_case(page: Any, texts: list[str | None]) -> None:
    for place, text in enumerate(texts):
        if text is None:
            page.check(f"#unknown-{place}")
        elif page.locator(f"select#cell-{place}").count():
            page.select_option(f"#cell-{place}", text)
        else:
            page.fill(f"#cell-{place}", text)
    page.wait_for_timeout(120)

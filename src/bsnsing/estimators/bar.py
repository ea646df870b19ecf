"""progress_bar(): how far a fit is, on standard error, by what the library reports."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOGGER = logging.getLogger("bsnsing")


class _Bar(logging.Handler):
    """Moves a bar with each message that says how far the work is."""

    def __init__(self, bar: Any, task: Any) -> None:
        super().__init__(logging.INFO)
        self._bar, self._task = bar, task

    def emit(self, record: logging.LogRecord) -> None:
        """Show one message, and what share of its stage is done."""
        share = getattr(record, "share", None)
        shown = {} if share is None else {"completed": share}
        self._bar.update(self._task, description=record.getMessage(), **shown)


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show a bar while something is fitted, and what is being done; it goes away at the end."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    except ImportError as error:
        raise ImportError(
            "A progress bar needs rich, which is not installed. Run `pip install bsnsing[cli]`."
        ) from error
    columns = (
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    level, propagates = _LOGGER.level, _LOGGER.propagate
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        handler = _Bar(bar, bar.add_task("fitting", total=1.0))
        _LOGGER.addHandler(handler)
        _LOGGER.setLevel(logging.DEBUG)  # at which models report without being told to
        _LOGGER.propagate = False
        try:
            yield
        finally:
            _LOGGER.removeHandler(handler)
            _LOGGER.setLevel(level)
            _LOGGER.propagate = propagates

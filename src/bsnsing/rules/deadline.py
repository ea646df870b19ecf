"""Deadline: seconds for work in pieces, each of which gets its part of what is left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

# A piece gets at least this, so that what is begun comes to something.
LEAST_SECONDS = 0.01


class Deadline:
    """When work must be over, counted from now."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left; negative when it is over."""
        return self._ends - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.left() <= 0

    def share(self, n_waiting: int) -> float:
        """Seconds for the next of ``n_waiting`` pieces that are still to be done."""
        return max(LEAST_SECONDS, self.left() / n_waiting)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count what is done meanwhile."""
        start = time.monotonic()
        try:
            yield
        finally:
            self._ends += time.monotonic() - start

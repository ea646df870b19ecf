"""Fair timing: contestants take turns, so that a busy moment of the machine hits all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Turn:
    """One call: what it returned, and how long it took."""

    result: Any
    seconds: float
    cpu_seconds: float  # of this thread, without the time in which the system ran something else

    @property
    def share(self) -> float:
        """How much of a core the call had."""
        return min(1.0, self.cpu_seconds / self.seconds)


def take_turns(
    contestants: dict[str, Callable[[], Any]],
    n_rounds: int,
    at_least: float = 0.2,
    *,
    warm_up: bool = True,
) -> dict[str, list[Turn]]:
    """Call the contestants in turn, once to warm up, then in ``n_rounds`` measured rounds.

    There are more rounds where those take less than ``at_least`` seconds.
    """
    for call in contestants.values() if warm_up else ():
        call()
    turns: dict[str, list[Turn]] = {name: [] for name in contestants}
    begin = time.perf_counter()
    while n_rounds > 0 or time.perf_counter() - begin < at_least:
        n_rounds -= 1
        for name, call in contestants.items():
            cpu, wall = time.thread_time(), time.perf_counter()
            result = call()
            turns[name].append(Turn(result, time.perf_counter() - wall, time.thread_time() - cpu))
    return turns


def median_seconds(turns: list[Turn], *, cpu: bool = False) -> float:
    return statistics.median(turn.cpu_seconds if cpu else turn.seconds for turn in turns)

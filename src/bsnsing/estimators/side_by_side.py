"""side_by_side(): calls in threads of their own, which all end when one fails or Ctrl-C comes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from sklearn.utils.parallel import Parallel, delayed

from bsnsing import _core

Result = TypeVar("Result")

# Further threads would only wait, and the system may refuse to start them.
_MOST_THREADS = max(64, 2 * (os.cpu_count() or 1))


def side_by_side(
    n_jobs: int | None, function: Callable[..., Result], calls: Iterable[tuple[Any, ...]]
) -> list[Result]:
    """Return what the function returns for the arguments of each call, in order.

    Where one fails, or the user stops it, no thread works on for nothing: native work hears of it
    within a fraction of a second.
    """
    sign = _core.StopSign()
    n_jobs = None if n_jobs is None else min(n_jobs, _MOST_THREADS)
    try:
        results = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_call)(sign, function, arguments) for arguments in calls
        )
    except BaseException:
        sign.stop()
        raise
    return list(results)


def _call(
    sign: _core.StopSign, function: Callable[..., Result], arguments: tuple[Any, ...]
) -> Result | None:
    try:
        with sign:
            return function(*arguments)
    except KeyboardInterrupt:
        if sign.is_stopped:  # nobody waits for the result any more
            return None
        raise

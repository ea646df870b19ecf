"""Run a solver so that Ctrl-C reaches it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_PAUSE = 0.05  # seconds between looks at the keyboard


def run_interruptibly(work: Callable[[], T], stop: Callable[[], object]) -> T:
    """Do ``work`` in a thread of its own; at Ctrl-C call ``stop``, wait for it, then raise.

    Python handles signals between its own instructions in the main thread only, which a solver
    would keep busy. Elsewhere than in the main thread there is no Ctrl-C to handle.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    result: list[T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            result.append(work())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=target, name="bsnsing-solver", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_PAUSE)
    except KeyboardInterrupt:
        stop()
        thread.join()
        raise
    if failure:
        raise failure[0]
    return result[0]

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
    # Thread.join would do, but in some releases takes an interrupted wait for the thread's end.
    is_done = threading.Event()

    def target() -> None:
        try:
            result.append(work())
        except BaseException as error:
            failure.append(error)
        finally:
            is_done.set()

    thread = threading.Thread(target=target, name="bsnsing-solver", daemon=True)
    thread.start()
    try:
        while not is_done.wait(_PAUSE):
            pass
    except KeyboardInterrupt:
        stop()
        is_done.wait()
        raise
    if failure:
        raise failure[0]
    return result[0]

"""Runs the cases of some seeds; says on standard output which one is at hand and which failed."""

from __future__ import annotations

import json
import signal
import sys
import traceback
from pathlib import Path
from types import FrameType

from fuzz.targets import TARGETS, shrunk, signature, write_case

MOST_SECONDS = 60  # of its own time; a case that takes longer is a fault


def run(name: str, first: int, last: int, folder: Path) -> None:
    """Check the cases of the seeds from first up to last."""
    target = TARGETS[name]
    signal.signal(signal.SIGPROF, _too_long)
    known: set[str] = set()
    for seed in range(first, last):
        _say("at", seed)
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
        case = target.draw(seed)
        try:
            _say("result", target.check(case))
            signal.setitimer(signal.ITIMER_PROF, 0)
        except Exception as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            kind = signature(error)
            _say("failed", [seed, kind])
            if kind not in known:  # one case of each fault is enough of a run
                known.add(kind)
                text = "".join(traceback.format_exception_only(error)).strip()[-500:]
                _say("kept", str(write_case(name, shrunk(name, case, error), text, folder)))


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"A case takes more than {MOST_SECONDS} seconds.")


def _say(what: str, value: object) -> None:
    print(json.dumps([what, value]), flush=True)


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))

"""``python -m fuzz``: fuzz for a while, or repeat one case."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from fuzz.runner import fuzz
from fuzz.targets import CASES, TARGETS, failure, read_case, shrunk


def main() -> int:
    """Parse the command line and run; 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument(
        "targets", nargs="*", default=[], help="tables, pools, texts, calls; or all"
    )
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long (3600)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--workers", type=int, default=1, help="processes at a time (1)")
    parser.add_argument("--most", type=int, help="most cases of each target")
    parser.add_argument("--folder", type=Path, default=CASES, help="where failures are kept")
    parser.add_argument("--case", help="a seed or a file: repeat that one, and shrink it")
    given = parser.parse_args()
    names = given.targets or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        parser.error(f"there is no target {sorted(unknown)[0]!r}; choose from {', '.join(TARGETS)}")
    if given.case is not None:
        return _repeat(names[0], given.case)
    tallies = fuzz(
        names,
        seconds=given.seconds,
        seed=given.seed,
        workers=given.workers,
        most=given.most,
        folder=given.folder,
    )
    return int(any(tally.faults for tally in tallies))


def _repeat(name: str, which: str) -> int:
    if which.lstrip("-").isdigit():
        case = TARGETS[name].draw(int(which))
    else:
        name, case = read_case(Path(which))
    error = failure(TARGETS[name], case)
    if error is None:
        print(f"{name}: {TARGETS[name].check(case)}")
        return 0
    print(json.dumps(shrunk(name, case, error), indent=1))
    raise error


if __name__ == "__main__":
    sys.exit(main())

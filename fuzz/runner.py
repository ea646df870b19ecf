"""Many seeds, in processes of their own, so that one that dies is a finding and not the end."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from fuzz.targets import CASES, TARGETS, write_case

# Cases that a process checks before the next begins, so that it starts seldom and grows little.
AT_ONCE = {"tables": 10_000, "pools": 50_000, "texts": 20_000, "calls": 20_000}
# Share of the time that each target gets.
SHARES = {"tables": 0.65, "pools": 0.2, "texts": 0.1, "calls": 0.05}


@dataclass
class Tally:
    """What came of the cases of one target."""

    name: str
    first: int
    next: int
    results: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    lock: Lock = field(default_factory=Lock)

    def __str__(self) -> str:
        n = self.results.total() + self.faults.total()
        what = ", ".join(f"{count:,} {result}" for result, count in sorted(self.results.items()))
        return (
            f"{self.name}: {n:,} cases of the seeds {self.first} to {self.next - 1} in "
            f"{self.seconds:.0f} s ({what}); {self.faults.total():,} failed"
        )


def fuzz(
    names: list[str],
    *,
    seconds: float,
    seed: int,
    workers: int,
    most: int | None,
    folder: Path = CASES,
) -> list[Tally]:
    """Check cases of the targets until time is up or enough of each were tried."""
    shares = sum(SHARES[name] for name in names)
    tallies = []
    for name in names:
        tally = Tally(name, seed, seed)
        tallies.append(tally)
        end = time.monotonic() + seconds * SHARES[name] / shares
        began = time.monotonic()
        with ThreadPoolExecutor(workers) as pool:
            for _ in range(workers):
                pool.submit(_work, tally, end, most, folder)
        tally.seconds = time.monotonic() - began
        print(tally, flush=True)
        for fault, count in tally.faults.most_common():
            print(f"  {count:,} times {fault}", flush=True)
    return tallies


def _work(tally: Tally, end: float, most: int | None, folder: Path) -> None:
    while time.monotonic() < end:
        with tally.lock:
            first = tally.next
            last = first + AT_ONCE[tally.name]
            if most is not None:
                last = min(last, tally.first + most)
            if last <= first:
                return
            tally.next = last
        _run(tally, first, last, end, folder)


def _run(tally: Tally, first: int, last: int, end: float, folder: Path) -> None:
    """Run one process over some seeds; begin anew behind a case that ends the process."""
    command = [sys.executable, "-m", "fuzz.worker", tally.name]
    while first < last:
        process = subprocess.Popen(
            [*command, str(first), str(last), str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        at, is_done = first, False
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            what, value = json.loads(line)
            with tally.lock:
                if what == "at":
                    at, is_done = value, False
                elif what == "result":
                    tally.results[value] += 1
                    is_done = True
                elif what == "failed":
                    tally.faults[value[1]] += 1
                    print(f"{tally.name} --case {value[0]}: {value[1]}", flush=True)
                elif what == "kept":
                    print(f"  kept as {value}", flush=True)
            if time.monotonic() > end and what == "result":
                process.kill()
                process.wait()
                with tally.lock:
                    tally.next = max(at + 1, tally.first)
                return
        errors = process.stderr.read()
        if process.wait() == 0:
            return
        with tally.lock:
            fault = f"the process ended with {process.returncode}"
            tally.faults[fault] += 1
            print(f"{tally.name} --case {at}: {fault}\n{errors[-3000:]}", flush=True)
            if not is_done:
                write_case(tally.name, TARGETS[tally.name].draw(at), fault, folder)
        first = at + 1

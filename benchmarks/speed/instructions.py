"""A guard against slow changes that does not look at the clock: instructions, counted by valgrind.

Run: make instructions. Counts the instructions of the rule search and of a whole fit
(benchmarks/native/instructions.cpp), with every set of kernels that valgrind knows, and compares
them with those on file: more than 5 % more fails, also in CI. `make instructions RECORD=1` puts the
counts of now on file; where they have grown, or the work is another one, it must be said why, and
the reason is on file with them: `make instructions RECORD=1 WHY="rules of XOR are searched too"`.
Counts depend on the compiler, so each has its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.lib import native_build, report
from benchmarks.lib.paths import RESULTS, ROOT

RECORDS = RESULTS / "instructions.json"
WORKS = ("search-pairs", "search-triples", "fit", "fit-classes")
# AVX-512 is unknown to valgrind, which also hides it from the dispatcher.
KERNELS = {"x86_64": ("avx2", "scalar"), "aarch64": ("neon", "scalar")}
TOLERANCE = 0.05


@dataclass(frozen=True)
class Count:
    """Instructions of one piece of work, and what the work found."""

    instructions: int
    result: str


@dataclass(frozen=True)
class Verdict:
    """A count beside the one on file."""

    change: float | None  # None: nothing on file
    words: str
    is_bad: bool


def judge(now: Count, recorded: Count | None) -> Verdict:
    """More than on file, beyond the tolerance, is bad; fewer should be put on file."""
    if recorded is None:
        return Verdict(None, "not on file", True)
    change = now.instructions / recorded.instructions - 1
    if now.result != recorded.result:
        words = f"other work: found {now.result}, on file {recorded.result}"
        return Verdict(change, words, True)
    if change > TOLERANCE:
        return Verdict(change, "MORE", True)
    return Verdict(change, "fewer: put on file" if change < -TOLERANCE else "same", False)


def read_total(text: str) -> int:
    """The sum in a file of callgrind."""
    found = re.search(r"^totals: (\d+)$", text, re.MULTILINE)
    if found is None or int(found[1]) == 0:
        raise ValueError("callgrind counted nothing. Was counted_work() called?")
    return int(found[1])


def count(program: Path, work: str, kernels: str) -> Count:
    """Run one piece of work under callgrind, which looks only into counted_work()."""
    file = native_build.FOLDER / f"callgrind.{work}.{kernels}"
    done = subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            "--quiet",
            "--toggle-collect=counted_work",
            f"--callgrind-out-file={file}",
            str(program),
            work,
        ],
        env=os.environ | {"BSNSING_KERNELS": kernels},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{work} with {kernels} kernels failed under valgrind:\n{done.stderr}")
    return Count(read_total(file.read_text(encoding="utf-8")), done.stdout.strip())


def count_all(program: Path) -> dict[str, Count]:
    names = [
        (work, kernels)
        for kernels in KERNELS.get(platform.machine(), ("scalar",))
        for work in WORKS
    ]
    counts = {}
    for work, kernels in report.tracked(names, "counting instructions"):
        counts[f"{work}, {kernels}"] = count(program, work, kernels)
    return counts


def read_records(compiler: str) -> dict[str, Count]:
    if not RECORDS.exists():
        return {}
    found = json.loads(RECORDS.read_text(encoding="utf-8")).get(compiler, {})
    return {name: Count(**entry) for name, entry in found.items()}


def needs_reason(counts: dict[str, Count], recorded: dict[str, Count]) -> bool:
    """Whether counts that are to be put on file are worse than those there, or of other work."""
    return any(
        name in recorded and judge(now, recorded[name]).is_bad for name, now in counts.items()
    )


def write_records(compiler: str, counts: dict[str, Count], why: str) -> None:
    every = json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.exists() else {}
    every[compiler] = {name: asdict(found) for name, found in counts.items()}
    if why:
        every["why"] = why
    RECORDS.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def compare(counts: dict[str, Count], recorded: dict[str, Count]) -> int:
    """Print counts beside those on file; returns how many are bad."""
    rows, n_bad = [], 0
    for name, now in counts.items():
        old = recorded.get(name)
        verdict = judge(now, old)
        n_bad += verdict.is_bad
        rows.append(
            [
                name,
                f"{now.instructions:,}",
                f"{old.instructions:,}" if old else "-",
                "-" if verdict.change is None else f"{verdict.change:+.2%}",
                verdict.words,
            ]
        )
    print(report.markdown(["work, kernels", "instructions", "on file", "change", ""], rows))
    return n_bad


ADVICE = """
Where they went: callgrind_annotate build/bench/callgrind.<work>.<kernels>
If the change is meant, put the counts of now on file, and say why they grew:
make instructions RECORD=1 WHY=..."""

NOTHING_ON_FILE = """
No counts of this compiler are on file. At a commit you trust, run: make instructions RECORD=1"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="put the counts of now on file")
    parser.add_argument("--why", default="", help="what they grew for; goes on file with them")
    parser.add_argument(
        "--skip-unknown",
        action="store_true",
        help="succeed where no counts of this compiler are on file",
    )
    args = parser.parse_args()
    if shutil.which("valgrind") is None:
        parser.exit(
            2,
            "Instructions are counted with valgrind, which is not here. "
            "On Debian or Ubuntu: apt install valgrind\n",
        )
    program = native_build.build("instructions")
    found = subprocess.run([program, "compiler"], capture_output=True, text=True, check=True)
    compiler = f"{platform.machine()}, compiler {found.stdout.strip()}"
    recorded = read_records(compiler)
    if args.skip_unknown and not recorded:
        print(f"Instructions are not counted: none are on file for {compiler}.")
        return
    print(f"Instructions of the native code ({compiler})\n", flush=True)
    counts = count_all(program)
    n_bad = compare(counts, recorded)
    if args.record:
        if needs_reason(counts, recorded) and not args.why.strip():
            print('\nSay why, so that it is on file: make instructions RECORD=1 WHY="..."')
            sys.exit(1)
        write_records(compiler, counts, args.why.strip())
        print(f"\nPut on file: {RECORDS.relative_to(ROOT)}")
    elif n_bad:
        print(ADVICE if recorded else NOTHING_ON_FILE)
        sys.exit(1)


if __name__ == "__main__":
    main()

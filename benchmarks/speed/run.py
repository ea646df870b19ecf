"""Everything `make bench` measures, in one report. Run: python -m benchmarks.speed.

Each step runs in a process of its own and leaves its numbers in benchmarks/results/<step>.json; the
report, RESULTS.md beside them, is then written from all of these, so `--only scale` renews the part
of one step. `--quick` (two minutes) measures less and writes to build/bench-quick/ instead.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.lib import step, targets
from benchmarks.lib.paths import BUILD, FIGURES, RESULTS, ROOT

STEPS = ("fits", "scale", "small", "rules", "growth", "limits")
QUICK_RESULTS = BUILD / "bench-quick"


def measure_step(name: str, results: Path, quick: bool) -> bool:
    """Run a step in its own process; True if it left its numbers."""
    # The old numbers stay until there are new ones.
    fresh = results / f"{name}.json.new"
    words = [sys.executable, "-m", step.module_name(name), "--json", str(fresh)]
    done = subprocess.run(words + ["--quick"] * quick, cwd=ROOT, check=False)
    if done.returncode == 0:
        os.replace(fresh, results / f"{name}.json")
    return done.returncode == 0


def read_records(results: Path) -> list[dict[str, Any]]:
    """What the steps left, in the order of the report."""
    paths = [results / f"{name}.json" for name in STEPS]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]


def draw_figures(record: dict[str, Any], folder: Path) -> list[str]:
    """Draw a step's pictures; their paths as the report in ``folder`` names them."""
    module = step.load(record["step"])
    if not hasattr(module, "draw"):
        return []
    drawn = module.draw(record["data"], folder / FIGURES)
    return [path.relative_to(folder).as_posix() for path in drawn]


HEAD = """# Results

Written by `{command}`; every section names the command that makes its numbers alone, and
`benchmarks/README.md` says how each is measured. Medians; contestants take turns in one run.

"""


def write_report(folder: Path, records: list[dict[str, Any]], quick: bool) -> Path:
    command = "make bench-quick" if quick else "make bench"
    text = HEAD.format(command=command)
    if quick:
        text += "A quick run: smaller tables and fewer rounds, so targets are only hinted at.\n\n"
    machines = {record["machine"] for record in records}
    several = len(machines) > 1  # or several versions: then each step names its own
    text += "" if several else "".join(f"{machine}\n\n" for machine in machines)
    goals = {r["step"]: step.load(r["step"]).targets(r["data"]) for r in records}
    text += "## Targets\n\n" + targets.table(goals) + "\n\n"
    text += "\n".join(
        step.section(r, draw_figures(r, folder), with_machine=several) for r in records
    )
    path = folder / "RESULTS.md"
    path.write_text(text, encoding="utf-8")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="two minutes; other files")
    parser.add_argument("--only", nargs="+", choices=STEPS, metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--report", action="store_true", help="measure nothing, write the report")
    args = parser.parse_args()
    results = QUICK_RESULTS if args.quick else RESULTS
    results.mkdir(parents=True, exist_ok=True)

    started, failed = time.perf_counter(), []
    for name in () if args.report else args.only or STEPS:
        elapsed = time.perf_counter() - started
        print(f"{elapsed:8.0f} s  {name}: {step.load(name).TITLE}", file=sys.stderr, flush=True)
        if not measure_step(name, results, args.quick):
            failed.append(name)
    path = write_report(results, read_records(results), args.quick)
    if args.quick:
        print(path.read_text(encoding="utf-8"))
    elapsed = time.perf_counter() - started
    print(f"{elapsed:8.0f} s  wrote {path.relative_to(ROOT)}", file=sys.stderr)
    if failed:
        sys.exit(f"These steps failed, and their parts of the report are old: {', '.join(failed)}")

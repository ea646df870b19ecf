"""What the stable ABI of Python costs: the same calls with the extension built in several ways.

Run: python -m benchmarks.speed.abi WHEEL WHEEL ..., with an interpreter that all of them fit. Each
wheel is unpacked into a folder of its own; a process per wheel and round makes the calls, in turns,
so that all meet the same load. Wheels are built by pip wheel, by default with the stable ABI, and

    with the ABI of one version    pip wheel --no-deps -C wheel.py-api= .
    in nanobind's split mode       pip wheel --no-deps -C wheel.py-api=cp310
                                     -C cmake.define.BSNSING_SPLIT_ABI=ON .

The last needs the package nanobind-backend at run time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROUNDS = 15

# The smallest calls, where the way into native code weighs most, and a fit, where it should not.
CALLS = """
import json, time
import numpy as np
from bsnsing import BsnsingClassifier, _core, best_rule
rng = np.random.default_rng(0)
X = rng.normal(size=(500, 6))
y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
answers = X > 0
model = BsnsingClassifier.plain().fit(X, y)
works = {
    "call that does nothing": (lambda: _core.active_kernels(), 20000),
    "best_rule, 500 x 6": (lambda: best_rule(answers, y), 100),
    "predict_proba, 1 row": (lambda: model.predict_proba(X[:1]), 60),
    "plain fit, 500 x 6": (lambda: BsnsingClassifier.plain().fit(X, y), 10),
}
found = {}
for name, (work, n) in works.items():
    work()
    start = time.process_time()
    for _ in range(n):
        work()
    found[name] = (time.process_time() - start) / n
print(json.dumps(found))
"""


def measure(folder: Path) -> dict[str, float]:
    """Seconds of CPU per call, in a fresh process that takes the package from this folder."""
    done = subprocess.run(
        [sys.executable, "-c", CALLS],
        env=os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folders = {}
        for i, wheel in enumerate(args.wheels):
            folders[i] = Path(name) / str(i)
            zipfile.ZipFile(wheel).extractall(folders[i])
        rounds = [{i: measure(folder) for i, folder in folders.items()} for _ in range(args.rounds)]
    for i, wheel in enumerate(args.wheels):
        print(f"{wheel.parent.name}/{wheel.name}, {wheel.stat().st_size / 1e6:.2f} MB")
        for call in rounds[0][0]:
            # Load comes and goes between rounds, so that each round is compared within itself.
            ratio = statistics.median(r[i][call] / r[0][call] for r in rounds)
            least = min(r[i][call] for r in rounds)
            print(
                f"  {call}: {least * 1e6:.2f} microseconds at best, {ratio:.3f} times the first's"
            )


if __name__ == "__main__":
    main()

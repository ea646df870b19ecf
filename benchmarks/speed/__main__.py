"""Runs `benchmarks.speed.run`: python -m benchmarks.speed."""

import sys

from benchmarks.speed import run

try:
    run.main()
except KeyboardInterrupt:
    sys.exit("Stopped. Steps that were done keep their numbers; --report writes the report.")

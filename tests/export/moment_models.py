"""Tables and models of dates, times and durations, which every export is tried on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from bsnsing import BsnsingClassifier, BsnsingEnsemble

ZONE = "Europe/Berlin"
Given = tuple[Any, pd.DataFrame, np.ndarray]  # a model to be fitted, and to what


def moments_table(n_rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Moments without and with a zone, times of day, durations and numbers; some are missing."""
    random = np.random.RandomState(seed)
    seconds = random.randint(0, 4 * 365 * 86400, (2, n_rows)) * 1_000_000
    micros = seconds + random.randint(0, 1_000_000, (2, n_rows))
    day = np.datetime64("2019-01-01", "us")
    clock = random.randint(0, 86_400_000_000, n_rows)
    table = pd.DataFrame(
        {
            "visit": pd.Series(day + micros[0].astype("m8[us]")),
            "seen": pd.Series(day + micros[1].astype("m8[us]")).dt.tz_localize("UTC"),
            "arrival": [
                (dt.datetime.min + dt.timedelta(microseconds=int(c))).time() for c in clock
            ],
            "wait": pd.Series((random.randint(-(10**12), 10**13, n_rows)).astype("m8[us]")),
            "dose": random.rand(n_rows).round(2),
        }
    )
    table["seen"] = table["seen"].dt.tz_convert(ZONE)
    table["arrival"] = table["arrival"].astype(object)
    for name in ("seen", "wait"):
        table.loc[random.rand(n_rows) < 0.15, name] = pd.NaT
    score = (
        (table["visit"] > "2021-03-01").astype(float)
        + (table["seen"] > pd.Timestamp("2020-07-01", tz=ZONE))
        + (pd.Series(clock) > 14.5 * 3600e6)
        + (table["wait"] > pd.Timedelta(days=30))
        + table["dose"] / 2
    )
    labels = pd.qcut(score + random.rand(n_rows) / 2, 3, labels=["a", "b", "c"]).to_numpy()
    return table, labels.astype(object)


def _with(model: Any) -> Callable[[], Given]:
    return lambda: (model, *moments_table())


# Thresholds that users may write: to the microsecond, before 1970, below zero, at ends of a day.
WORDS = """\
visit > 2021-03-01T09:30:00.000001 or seen < 1969-12-31T23:59:59.999999+00:00 ?
  yes: wait < -1d 2h 3min 4.000005s or arrival > 00:00 ?
    yes: seen before 2020-10-25T02:30+01:00 ?
      yes: visit since 2022-01-01 ?
        yes:
        no:
      no:
    no:
  no: wait >= 0.001s and arrival < 23:59:59.999999 ?
    yes: arrival >= 12:00:00.5 ?
      yes:
      no:
    no: visit before 2020-02-29T12:34:56.789 xor wait is missing ?
      yes: arrival > 23:59:59.999999 or dose > 0.5 ?
        yes:
        no:
      no: not (arrival > 23:59:59.999999) and dose > 0.5 ?
        yes:
        no:
"""


class InWords:
    """Fits by reading a tree in words."""

    def fit(self, table: pd.DataFrame, labels: np.ndarray) -> BsnsingClassifier:
        return BsnsingClassifier.from_text(WORDS, table, labels)


def _far() -> Given:
    """Moments so far from 1970 that doubles do not tell all microseconds apart."""
    random = np.random.RandomState(1)
    n_rows = 300
    years = random.choice([2, 800, 1500, 1684, 2255, 2300, 5000, 9998], n_rows)
    days = [
        dt.datetime(int(y), 1, 1) + dt.timedelta(microseconds=int(m))
        for y, m in zip(years, random.randint(0, 365 * 86400 * 10**6, n_rows), strict=True)
    ]
    table = pd.DataFrame({"made": pd.Series(np.array(days, dtype="M8[us]"))})
    labels = np.where(random.rand(n_rows) < 0.1, 1, years % 3 % 2)
    return BsnsingClassifier.plain(max_rules=3, min_samples_leaf=3), table, labels


MOMENT_TRIALS: dict[str, Callable[[], Given]] = {
    "moments": _with(BsnsingClassifier.plain(max_rules=3, min_samples_leaf=4)),
    "moments, rounded": _with(BsnsingClassifier(random_state=0)),
    "moments in words": _with(InWords()),
    "moments, one tree per class": _with(BsnsingClassifier.plain(multiclass="ovr")),
    "moments, ensemble": _with(BsnsingEnsemble(n_estimators=2, random_state=0)),
    "far moments": _far,
}
MOMENT_NAMES = tuple(MOMENT_TRIALS)

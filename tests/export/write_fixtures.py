"""Writes the model files that later versions are tested with; see fixtures/README.md."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "fixtures"
# Small ones, and all that the format has.
NAMES = (
    *("leaf", "default", "and", "xor", "missing", "levels", "numbers", "pairs", "weighted"),
    *("one tree per class", "voting"),
)


def write(name: str, model: Any, rows: Any, version: int = 1) -> None:
    from export.models import cells_of

    path = FOLDER / f"{name.replace(' ', '_')}.v{version}.json"
    if path.exists():
        print(f"{path.name} is there and stays")
        return
    model.save(path)
    shares = model.predict_proba(rows)
    beside = {
        "columns": {column: str(rows[column].dtype) for column in rows},
        "rows": [list(row.values()) for row in cells_of(rows)],
        "probabilities": [[share.hex() for share in row] for row in shares.tolist()],
        "labels": [str(label) for label in model.predict(rows)],
        "importances": [share.hex() for share in model.feature_importances_.tolist()],
    }
    text = json.dumps(beside, ensure_ascii=True, default=str).replace("], [", "],\n [")
    path.with_suffix(".rows.json").write_text(text + "\n", encoding="utf-8")
    print(f"wrote {path.name}")


def main() -> None:
    from export.models import TRIALS, fitted, mixed_table, trial_rows
    from sklearn.tree import DecisionTreeClassifier

    from bsnsing import BsnsingClassifier, BsnsingClassifierCV, Question, RuleConstraints

    FOLDER.mkdir(exist_ok=True)
    for name in NAMES:
        write(name, fitted(name), trial_rows(name, most=60))
    odd = TRIALS["odd names"]()
    short = odd.table[[name for name in odd.table if len(name) < 100]]
    model = BsnsingClassifier.plain(max_rules=3).fit(short, odd.labels)
    write("odd names", model, trial_rows("odd names", most=60)[list(short)])
    trial = mixed_table()
    own = BsnsingClassifier.plain(
        constraints=RuleConstraints(forbidden=["city"]),
        extra_questions=(Question("age", ">", 33.0), Question("city", "in", ("Ulm", "Kiel"))),
        class_weight={0: 1.0, 1: 2.0, 2: 1.5},
    )
    chosen = BsnsingClassifierCV(own, cv=3, max_rules=[1, 2]).fit(trial.table, trial.labels)
    write("chosen", chosen, trial_rows("default", most=60))
    donor = DecisionTreeClassifier(max_depth=3, random_state=0)
    donor.fit(trial.table[["age"]], trial.labels)
    lent = BsnsingClassifier.plain(extra_questions=[donor, "city in {Ulm, Kiel}"])
    rows = trial_rows("default", most=60)
    write("donors", lent.fit(trial.table, trial.labels), rows, version=2)
    write("scales", *_scales(), version=2)
    write("words", *_scales("Europe/Berlin"), version=2)


def _scales(zone: str | None = None) -> tuple[Any, Any]:
    """A model of dates, durations and ordered levels, and rows to predict."""
    import numpy as np
    import pandas as pd

    from bsnsing import BsnsingClassifier

    random, n_rows = np.random.RandomState(0), 300
    sizes = ["small", "medium", "large"]
    table = pd.DataFrame(
        {
            "day": np.datetime64("2020-01-01", "D") + random.randint(0, 1000, n_rows),
            "wait": (random.randint(0, 5000, n_rows) * 60_000_000).astype("timedelta64[us]"),
            "size": pd.Categorical(random.choice(sizes, n_rows), categories=sizes, ordered=True),
        }
    )
    table["day"] = table["day"].dt.tz_localize(zone)
    score = (table["day"] > "2021-05-01") * 1 + (table["size"] > "small") * 1
    labels = score + (table["wait"] > pd.Timedelta(hours=30)) > 1
    model = BsnsingClassifier.plain(min_samples_leaf=5).fit(table, labels.to_numpy())
    rows = table.iloc[:50].assign(size=table["size"].astype(object))
    rows.loc[:5, "day"], rows.loc[3:8, "wait"], rows.loc[7:10, "size"] = pd.NaT, pd.NaT, None
    return model, rows


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()

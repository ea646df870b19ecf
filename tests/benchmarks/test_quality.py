"""Do changed defaults count, and is every set judged once?"""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

from benchmarks.datasets import more_tables, published
from benchmarks.datasets.dataset import Dataset
from benchmarks.quality import defaults, others, protocol, tables, variations
from benchmarks.quality.contestants import Contestant, Outcome, Task, ours
from bsnsing import BsnsingClassifier
from bsnsing.distill.config import DistillConfig


@pytest.mark.parametrize("name", variations.NUMBERS)
def test_numbers_that_are_changed_to_see_what_they_do_differ(name: str) -> None:
    before = BsnsingClassifier._distill_config
    assert all(getattr(before, f) != value for f, value in variations.NUMBERS[name].items())


def test_every_number_is_changed_both_ways() -> None:
    changed = [field for number in variations.NUMBERS.values() for field in number]
    assert sorted(changed) == sorted(2 * [field.name for field in fields(DistillConfig)])


@pytest.mark.parametrize(
    ("value", "half", "twice", "text"),
    [
        (3, 1, 6, "3"),
        (1, 1, 2, "1"),
        (12_000, 6000, 24_000, "12,000"),
        (0.3, 0.15, 0.6, "0.3"),
        ((2, 4, 8), (1, 2, 4), (4, 8, 16), "2 to 8"),
    ],
)
def test_numbers_are_halved_and_doubled(value: Any, half: Any, twice: Any, text: str) -> None:
    assert (variations.times(value, 0.5), variations.times(value, 2)) == (half, twice)
    assert variations.shown(value) == text


def test_changed_numbers_count_in_fits_and_only_in_theirs() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    y = (X["a"] + rng.normal(size=120) > 0).to_numpy().astype(int)
    data = Dataset("made", "made", X, y)
    task = Task(data, np.arange(60), np.arange(60, 120))
    learners = defaults.contestants()
    default = learners[variations.DEFAULT].learn(task)
    # Half the logarithm of the cases is then more than a leaf can save.
    dear = ours(variations.varied(replace(DistillConfig(), penalty_from=1e-80)))(task)
    again = learners[variations.DEFAULT].learn(task)
    assert dear.n_leaves == 1 < default.n_leaves == again.n_leaves
    name = next(name for name, number in variations.NUMBERS.items() if "own_cases" in number)
    assert not np.allclose(learners[name].learn(task).shares, default.shares)


def test_no_set_from_elsewhere_comes_twice() -> None:
    keys = [key for _, sets in others.PARTS.values() for key in sets]
    assert len(keys) == len(set(keys)) == 101
    names = [name.lower() for _, name in keys]
    assert len(set(names)) == len(names)
    assert not {name.lower() for _, name in protocol.all_sets()} & set(names)
    sources = [source[0] for source in (more_tables.CHOOSING | more_tables.JUDGING).values()]
    assert len(set(sources)) == len(sources)


def test_outcomes_on_file_are_not_run_again(tmp_path: Path) -> None:
    calls: list[str] = []

    def learner(name: str) -> Contestant:
        def learn(task: Task) -> Outcome:
            calls.append(name)
            if name == "fails":
                raise ValueError("on purpose")
            return Outcome(np.eye(task.data.n_classes)[task.data.codes[task.test]])

        return Contestant(name, learn, "tree")

    sets = [min(protocol.all_sets(), key=lambda key: published.n_rows(*key))]
    learners = {name: learner(name) for name in ("right", "fails")}
    file = ["--file", str(tmp_path / "new" / "outcomes.jsonl")]
    parser = protocol.options("some", "A run.")
    outcomes = protocol.run(parser.parse_args(file), learners, sets, 2)
    assert calls == ["right", "fails"] * 2
    table = tables.as_frame(outcomes)
    assert table["learner"].tolist() == ["right", "right"]
    assert tables.means(table)["accuracy"].tolist() == [1.0]
    protocol.run(parser.parse_args(file), learners, sets, 2)
    assert len(calls) == 4
    protocol.run(parser.parse_args([*file, "--again", "right"]), learners, sets, 2)
    assert calls[4:] == ["right"] * 2
    protocol.run(parser.parse_args([*file, "--again", "all"]), learners, sets, 1)
    assert calls[6:] == ["right", "fails"]

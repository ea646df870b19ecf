"""Calls of the native module: right arguments of which some are changed.

Whatever the arguments, a call returns or raises a Python error; none ends the process, which the
runner would report as a finding.
"""

from __future__ import annotations

import math
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from bsnsing import _core

Arguments = dict[str, Any]
N = 40
_LEAST_ROOM = 4 << 30  # bytes of addresses for a call, so that one that wants all is refused
_HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2, 7, 255, 256, 2**31 - 1, 2**31, 2**32, 2**62, 2**63, 2**64, -(2**63),
    1.5, -0.0, 1e308, math.inf, -math.inf, math.nan, "", "gini", "or", b"x", [], (), {}, [None],
    [[]], [-1], [2**40], np.int64(3), np.float32(0.5), object(), np.zeros(0), np.zeros((0, 3)),
    np.zeros((3, 0), np.uint8), np.zeros(3, np.int32), np.full(N, -1, np.int32),
    np.full(N, 2**31 - 1, np.int32), np.full(N, math.nan), np.zeros((N, 2), np.uint8),
    np.broadcast_to(np.zeros(1), (N,)), np.zeros(N, object), np.zeros(N, "U3"), np.zeros(N, ">f8"),
)  # fmt: skip


def _numbers() -> list[np.ndarray]:
    return list(np.random.default_rng(0).normal(size=(3, N)).round(1))


def _labels() -> np.ndarray:
    return (np.arange(N) % 3 == 0).astype(np.int32)


def _codes() -> np.ndarray:
    return (np.arange(2 * N).reshape(2, N) % 5).astype(np.uint8)


def _ask() -> _core.AskOptions:
    return _core.AskOptions(**_RECIPES["AskOptions"]()[1])


def _search() -> _core.SearchOptions:
    return _core.SearchOptions(**_RECIPES["SearchOptions"]()[1])


def _columns() -> _core.ColumnList:
    columns = _core.ColumnList()
    columns.add_numbers(_numbers(), 0, None, 1)
    columns.add_levels((np.arange(N) % 4).astype(np.int32), 4)
    return columns


def _engine() -> _core.Engine:
    cases = _core.Cases(_labels(), n_classes=2)
    return _core.Engine(_columns(), cases, ask=_ask(), search=_search())


def _chooser() -> tuple[_core.Chooser, Arguments]:
    engine = _engine()
    questions = engine.ask([0])[0]
    chooser = _core.Chooser(_columns().schema(), n_classes=2, ask=_ask(), search=_search())
    return chooser, {
        "totals": np.array(engine.class_totals(0)).astype(np.int64),
        "histograms": engine.histograms([0])[0],
        "questions": questions,
        "pair_counts": engine.pair_counts([0], [questions])[0],
    }


def _tree() -> Arguments:
    """Two splits: x0 > 0.1, then not x3 in {1, 2} or x1 < 0."""
    return {
        "yes": np.array([1, -1, 3, -1, -1], np.int32),
        "no": np.array([2, -1, 4, -1, -1], np.int32),
        "operators": np.zeros(5, np.uint8),
        "first_literal": np.array([0, 1, 1, 3, 3, 3], np.int32),
        "literal_columns": np.array([0, 3, 1], np.int32),
        "tests": np.array([0, 2, 1], np.uint8),
        "values": np.array([0.1, 0.0, 0.0]),
        "negated": np.array([0, 1, 0], np.uint8),
        "first_level": np.array([0, 0, 2, 2], np.int32),
        "levels": np.array([1, 2], np.int32),
        "n_levels": [-1, -1, -1, 4],
        "has_missing": [False] * 4,
    }


def _cells() -> list[Any]:
    return [*_numbers(), (np.arange(N) % 4).astype(np.int32)]


def _forest() -> _core.Forest:
    call, arguments = _RECIPES["grow_forest"]()
    return call(**arguments)  # type: ignore[no-any-return]


def _dealt() -> list[Any]:
    bounds = [np.array([-0.5, 0.5])] * 3
    dealt = _core.deal_columns(_numbers(), bounds, None, 1)
    return [(one[0], bounds[0], np.array([1, 0, 1], np.uint8)) for one in dealt]


def _rule() -> Any:
    return _engine().best_rules([0])[0][1:4]


def _set_state(kind: type, state: Any) -> tuple[Callable[..., Any], Arguments]:
    def load(state: Any) -> Any:
        made = kind.__new__(kind)
        made.__setstate__(state)
        return made

    return load, {"state": state}


def _in_turn(made: Any, *names: str) -> Callable[..., Any]:
    """Calls methods of one object in turn: each argument is called method.name."""

    def call(**given: Any) -> None:
        for name in names:
            own = {key.partition(".")[2]: v for key, v in given.items() if key.startswith(name)}
            getattr(made, name)(**own)

    return call


def _engine_calls() -> tuple[Callable[..., Any], Arguments]:
    """Count, search, split and close the nodes of an engine, one after the other."""
    rule, questions = _rule(), _engine().ask([0])[0]
    return _in_turn(
        _engine(), "class_totals", "answers", "histograms", "pair_counts", "rule_counts", "give",
        "evaluate", "best_rules", "split", "ask", "rows_of", "cells", "close",
    ), {
        "class_totals.node": 0, "answers.node": 0, "answers.questions": questions,
        "histograms.nodes": [0], "pair_counts.nodes": [0], "pair_counts.questions": [questions],
        "rule_counts.nodes": [0], "rule_counts.rules": [[rule]], "give.node": 0,
        "give.questions": questions[:1], "evaluate.node": 0, "evaluate.rule": rule,
        "best_rules.nodes": [0], "best_rules.time_limit": 5.0, "best_rules.limits": [],
        "split.nodes": [0], "split.rules": [rule], "ask.nodes": [1, 2], "ask.target": 1,
        "rows_of.nodes": [1, 2], "cells.node": 1, "close.nodes": [1],
    }  # fmt: skip


def _search_by_counts() -> tuple[Callable[..., Any], Arguments]:
    chooser, given = _chooser()

    def call(counts: Any, **arguments: Any) -> None:
        search = chooser.search(**arguments)
        search.wanted()
        search.take(counts)
        search.found()

    return call, {**given, "time_limit": 5.0, "limits": _core.NodeLimits(), "n_given": 0} | {
        "counts": np.ones((0, 2), np.int64)
    }


def _evaluate_by_counts() -> tuple[Callable[..., Any], Arguments]:
    chooser, given = _chooser()
    left = np.array([3, 2], np.int64)
    own = {"totals": given["totals"], "histograms": given["histograms"]}
    return chooser.evaluate, {**own, "rule": _rule(), "left": left}


_RECIPES: dict[str, Callable[[], tuple[Callable[..., Any], Arguments]]] = {
    "AskOptions": lambda: (
        _core.AskOptions,
        {"n_segments": 4, "max_levels": 5, "max_values_as_levels": 3, "bin_size": 1.0},
    ),
    "SearchOptions": lambda: (
        _core.SearchOptions,
        {
            "max_rules": 2,
            "criterion": "gini",
            "operators": ["or"],
            "min_samples_leaf": 1.0,
            "distinct_children": False,
            "time_limit": 5.0,
            "n_threads": 2,
            "greedy_level": None,
        },
    ),
    "Cases": lambda: (
        _core.Cases,
        {
            "classes": _labels(),
            "n_classes": 2,
            "weights": np.ones(N, np.int64),
            "unit": 1.0,
            "class_weights": [1.0, 2.0],
        },
    ),
    "ColumnLimits": lambda: (
        lambda **own: _core.Engine(
            _columns(),
            _core.Cases(_labels(), n_classes=2),
            ask=_ask(),
            search=_search(),
            limits=_core.ColumnLimits(**own),
        ).best_rules([0]),
        {
            "forbidden": [1],
            "linear": [([1.0] * 4, 0.0, 2.0)],
            "one_per_column": True,
            "apart": [(0, 2)],
            "group_of": [0, 1, 2, 3],
            "monotone": [1, 0, -1, 0],
            "ordered_class": 0,
        },
    ),
    "NodeLimits": lambda: (
        lambda **own: _engine().best_rules([0], 5.0, [_core.NodeLimits(**own)]),
        {
            "low": 0.0,
            "high": 1.0,
            "max_new": 2,
            "used": [0],
            "prices": [0.0] * 4,
            "closed": [1],
        },
    ),
    "add_numbers": lambda: (
        _core.ColumnList().add_numbers,
        {"numbers": _numbers(), "max_bins": 5, "weights": np.ones(N, np.int64), "n_threads": 1},
    ),
    "add_levels": lambda: (
        _core.ColumnList().add_levels,
        {"codes": (np.arange(N) % 4).astype(np.int32), "n_levels": 4},
    ),
    "add_codes": lambda: (
        _core.ColumnList().add_codes,
        {
            "schema": _columns().schema(),
            "codes": [_columns().codes(i).astype(np.uint8) for i in range(4)],
        },
    ),
    "codes": lambda: (_columns().codes, {"column": 1}),
    "schema": lambda: (_columns().schema().values, {"column": 1}),
    "schema state": lambda: _set_state(
        _core.ColumnSchema, list(_columns().schema().__getstate__())
    ),
    "outline_columns": lambda: (
        _core.outline_columns,
        {"numbers": _numbers(), "weights": None, "n_sampled": 5, "n_threads": 1},
    ),
    "deal_columns": lambda: (
        _core.deal_columns,
        {
            "numbers": _numbers(),
            "bounds": [np.array([-0.5, 0.5])] * 3,
            "weights": None,
            "n_threads": 1,
        },
    ),
    "values_in": lambda: (
        _core.values_in,
        {"numbers": _numbers(), "dealt": _dealt(), "weights": None, "n_threads": 1},
    ),
    "encode_from": lambda: (
        _core.encode_from,
        {"numbers": _numbers(), "begins": [np.array([-9.0, 0.0])] * 3, "n_threads": 1},
    ),
    "join_codes": lambda: (_core.join_codes, {"pieces": list(_codes())}),
    "encode_dealt": lambda: (
        _core.encode_dealt,
        {
            "numbers": _numbers(),
            "dealt": _dealt(),
            "begins": [np.array([-9.0, 0.0])] * 3,
            "n_threads": 1,
        },
    ),
    "Engine": lambda: (
        _core.Engine,
        {
            "columns": _columns(),
            "cases": _core.Cases(_labels(), n_classes=2),
            "ask": _ask(),
            "search": _search(),
            "limits": None,
            "own_questions": True,
            "extra_questions": _engine().ask([0])[0],
        },
    ),
    "engine": _engine_calls,
    "Chooser": lambda: (
        _core.Chooser,
        {
            "schema": _columns().schema(),
            "n_classes": 2,
            "unit": 1.0,
            "class_weights": [1.0, 1.0],
            "ask": _ask(),
            "search": _search(),
            "limits": None,
            "own_questions": True,
            "extra_questions": _engine().ask([0])[0],
        },
    ),
    "chooser ask": lambda: (
        _chooser()[0].ask,
        {"histograms": _chooser()[1]["histograms"], "target": 1},
    ),
    "chooser evaluate": _evaluate_by_counts,
    "chooser search": _search_by_counts,
    "best_rule": lambda: (
        lambda **own: _core.best_rule(own.pop("answers"), own.pop("cases"), **own),
        {
            "answers": np.ascontiguousarray(_codes().T % 2),
            "cases": _core.Cases(_labels(), n_classes=2),
            "search": _search(),
            "limits": _core.QuestionLimits(linear=[([1.0, 1.0], 0.0, 2.0)], column_of=[0, 1]),
        },
    ),
    "QuestionLimits": lambda: (
        lambda **own: _core.ranked_rules(
            np.ascontiguousarray(_codes().T % 2),
            _core.Cases(_labels(), n_classes=2),
            search=_search(),
            n_best=own.pop("n_best"),
            limits=_core.QuestionLimits(**own),
        ),
        {"linear": [([1.0, 1.0], 0.0, 2.0)], "column_of": [0, 1], "n_best": 5},
    ),
    "use_kernels": lambda: (_core.use_kernels, {"name": _core.active_kernels()}),
    "FlatTree": lambda: (
        lambda **own: _core.FlatTree(**own).find_leaves(_cells(), n_rows=N, n_threads=2),
        _tree(),
    ),
    "find_leaves": lambda: (
        _core.FlatTree(**_tree()).find_leaves,
        {"columns": _cells(), "n_rows": N, "n_threads": 2},
    ),
    "mix_leaves": lambda: (
        _core.FlatTree(**_tree()).mix_leaves,
        {
            "columns": _cells(),
            "rows": np.arange(N),
            "starts": np.zeros(N, np.int64),
            "values": np.full((5, 2), 0.5),
            "yes_share": np.full(5, 0.5),
            "n_rows": N,
            "n_threads": 2,
        },
    ),
    "Bins": lambda: (_core.Bins, {"numbers": np.ones((2, N), np.float32), "n_threads": 1}),
    "bins": lambda: (
        _core.Bins(np.ones((2, N), np.float32), n_threads=1).codes,
        {"numbers": np.ones((2, N), np.float32), "n_threads": 1},
    ),
    "bins state": lambda: _set_state(_core.Bins, [[0.5, 1.0], [2.0]]),
    "grow_forest": lambda: (
        _core.grow_forest,
        {
            "codes": _codes(),
            "labels": _labels(),
            "weights": np.ones(N),
            "n_classes": 2,
            "n_best_trees": 1,
            "n_best_columns": 1,
            "n_random_trees": 1,
            "n_random_columns": 1,
            "n_draws": N,
            "seed": 0,
            "n_threads": 1,
        },
    ),
    "forest": lambda: (
        _in_turn(_forest(), "out_of_bag", "predict", "cut_back", "tree"),
        {
            "out_of_bag.codes": _codes(),
            "out_of_bag.leaf_rows": [1, 2],
            "out_of_bag.n_threads": 1,
            "predict.codes": _codes(),
            "predict.n_threads": 1,
            "cut_back.leaf_rows": 2,
            "tree.number": 1,
        },
    ),
    "forest state": lambda: (
        lambda state: _loaded_forest(state).predict(_codes(), n_threads=1),
        {"state": _forest().__getstate__()},
    ),
}


def _loaded_forest(state: Any) -> _core.Forest:
    forest = _core.Forest.__new__(_core.Forest)
    forest.__setstate__(state)
    return forest


def draw_call(seed: int) -> dict[str, Any]:
    """Draw a call, as plain JSON, from its seed: which arguments are changed, and how by a seed."""
    rng = np.random.default_rng(seed)
    recipe = list(_RECIPES)[int(rng.integers(len(_RECIPES)))]
    names = list(_RECIPES[recipe]()[1])
    n_changes = int(rng.integers(1, 4))
    changes = [
        [names[int(rng.integers(len(names)))], int(rng.integers(2**32))] for _ in range(n_changes)
    ]
    return {"seed": seed, "recipe": recipe, "changes": changes}


def check_call(case: dict[str, Any]) -> str:
    """Call it; "called" or "refused", or an error that is none of Python's usual ones."""
    call, arguments = _RECIPES[case["recipe"]]()
    for name, seed in case["changes"]:
        arguments[name] = _changed(arguments[name], np.random.default_rng(seed))
    kernels = _core.active_kernels()
    try:
        with _little_room():
            call(**arguments)
    except (TypeError, ValueError, OverflowError, IndexError, MemoryError, RuntimeError) as error:
        if not str(error) and not isinstance(error, MemoryError):
            raise AssertionError("an error without a word") from error
        return "refused"
    finally:
        _core.use_kernels(kernels)
    return "called"


@contextmanager
def _little_room() -> Iterator[None]:
    """Let the process have some more addresses than it has, and no more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + _LEAST_ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _changed(value: Any, rng: np.random.Generator) -> Any:
    """Another value in the place of one: of any kind, or the same with a part of it changed."""
    if rng.random() < 0.3:
        return _HOSTILE[int(rng.integers(len(_HOSTILE)))]
    if isinstance(value, np.ndarray):
        return _changed_array(value, rng)
    if isinstance(value, list | tuple) and value:
        items = list(value)
        place = int(rng.integers(len(items)))
        kind = rng.integers(6)
        if kind == 0:
            del items[place]
        elif kind == 1:
            items.insert(place, items[place])
        else:
            items[place] = _changed(items[place], rng)
        return type(value)(items) if rng.random() < 0.9 else items
    return _HOSTILE[int(rng.integers(len(_HOSTILE)))]


def _changed_array(array: np.ndarray, rng: np.random.Generator) -> Any:
    kind = int(rng.integers(7))
    if kind < 3 and array.size:  # one number of it, which may be beyond its bounds
        array = array.copy()
        ends: list[Any] = [0, 1, 2, 3, N]
        if array.dtype.kind in "iu":
            ends += [np.iinfo(array.dtype).min, np.iinfo(array.dtype).max]
            ends += [-1] if array.dtype.kind == "i" else []
        elif array.dtype.kind == "f":
            ends += [-1, np.nan, np.inf, -np.inf, 1e38]
        array.flat[int(rng.integers(array.size))] = ends[int(rng.integers(len(ends)))]
        return array
    if kind == 3 and array.dtype.kind in "iuf":
        types = ("i1", "u1", "i4", "u4", "i8", "f4", "f8", ">i4", "?")
        with np.errstate(invalid="ignore"):
            return array.astype(types[int(rng.integers(len(types)))])
    if kind == 4:
        return array[: int(rng.integers(len(array) + 1))] if array.ndim else array
    if kind == 5:
        return np.concatenate([array, array]) if array.ndim else array
    return np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array  # with steps

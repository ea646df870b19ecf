"""A fit that fails or is stopped leaves the estimator exactly as it was."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bsnsing
from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble
from tests.training_sets import varied

PLAIN = BsnsingClassifier.plain
Quick = varied(n_trees=3, times_rows=1)
PACKAGE = str(Path(bsnsing.__file__).parent)
MAKERS: dict[str, Callable[[], Any]] = {
    "taught": lambda: Quick(random_state=np.random.RandomState(0)),
    "plain": lambda: PLAIN(min_samples_leaf=2),
    "per class": lambda: PLAIN(multiclass="ovr"),
    "ensemble": lambda: BsnsingEnsemble(
        2, estimator=PLAIN(), random_state=np.random.RandomState(0)
    ),
    "cv": lambda: BsnsingClassifierCV(
        PLAIN(), cv=2, shrinkages=(1,), random_state=np.random.RandomState(0)
    ),
}


def frame(n_columns: int = 3, n_rows: int = 60) -> pd.DataFrame:
    cells = np.random.default_rng(0).integers(0, 9, (n_rows, n_columns))
    return pd.DataFrame(cells, columns=[f"c{i}" for i in range(n_columns)])


X = frame()
Y = np.where(X["c0"] > 4, "yes", np.where(X["c1"] > 4, "no", "maybe"))
# Everything that a fit sets differs: columns, their names, classes, whether labels had a name.
OTHER = frame(2).set_axis(["a", "b"], axis=1).assign(label=(X["c2"] > 3).to_numpy())


def state_of(model: Any) -> dict[str, Any]:
    """All attributes, with the state of what is drawn from."""
    drawn_from = getattr(model, "random_state", None)
    is_drawn_from = isinstance(drawn_from, np.random.RandomState)
    return model.__dict__ | ({"state": str(drawn_from.get_state())} if is_drawn_from else {})


@contextmanager
def unchanged(model: Any) -> Iterator[None]:
    """Look before and after: the same attributes, each the same object, and the same answers."""
    before, answers, text = dict(state_of(model)), model.predict_proba(X), str(model.trees_[0])
    yield
    after = state_of(model)
    assert list(after) == list(before)
    assert all(after[name] is before[name] for name in before if name != "state")
    assert after.get("state") == before.get("state")
    np.testing.assert_array_equal(model.predict_proba(X), answers)
    assert str(model.trees_[0]) == text


BAD_INPUT: dict[str, Callable[[], tuple[Any, Any, Any]]] = {
    "negative weights": lambda: (OTHER, "label", np.full(60, -1.0)),
    "weights of another length": lambda: (OTHER, "label", [1, 2]),
    "no weight at all": lambda: (OTHER, "label", np.zeros(60)),
    "no labels": lambda: (OTHER, None, None),
    "labels of another length": lambda: (OTHER, [0, 1], None),
    "missing label": lambda: (OTHER, [None, *"ab" * 29, "a"], None),
    "unknown column of labels": lambda: (OTHER, "nothing", None),
    "infinity": lambda: (OTHER.assign(a=np.inf), "label", None),
    "complex numbers": lambda: (OTHER.assign(a=1j), "label", None),
    "no rows": lambda: (OTHER.iloc[:0], "label", None),
    "no columns": lambda: (OTHER[["label"]], "label", None),
    "no table": lambda: (None, Y, None),
}


@pytest.mark.parametrize("bad", BAD_INPUT)
@pytest.mark.parametrize("kind", MAKERS)
def test_refused_input_changes_nothing(kind: str, bad: str) -> None:
    model = MAKERS[kind]().fit(X, Y)
    table, labels, weights = BAD_INPUT[bad]()
    with unchanged(model), pytest.raises((ValueError, TypeError)):
        model.fit(table, labels, sample_weight=weights)


@pytest.mark.parametrize("kind", MAKERS)
def test_refused_parameters_change_nothing(kind: str) -> None:
    model = MAKERS[kind]().fit(X, Y)
    model.n_jobs = "many"
    with unchanged_but_for_jobs(model), pytest.raises(ValueError, match="n_jobs"):
        model.fit(OTHER, "label")


@contextmanager
def unchanged_but_for_jobs(model: Any) -> Iterator[None]:
    before = dict(state_of(model))
    yield
    assert {name: id(v) for name, v in state_of(model).items() if name != "state"} == {
        name: id(v) for name, v in before.items() if name != "state"
    }


def test_a_warning_made_an_error_changes_nothing() -> None:
    ids = pd.DataFrame({"id": [f"row {i}" for i in range(60)], "c": X["c0"]})
    for kind in MAKERS:
        model = MAKERS[kind]().fit(X, Y)
        with unchanged(model), warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="'id'"):
                model.fit(ids, Y)


class LineCounter:
    """Counts the lines of the package that run, and raises at one of them."""

    def __init__(self, stop_at: int | None = None, error: type[BaseException] = MemoryError):
        self.n_lines, self.stop_at, self.error = 0, stop_at, error

    def __enter__(self) -> LineCounter:
        self.before = sys.gettrace()
        sys.settrace(self._enter_frame)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self.before)

    def _enter_frame(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._next_line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _next_line(self, frame: FrameType, event: str, arg: Any) -> Any:
        is_over = frame.f_code.co_name == "take_over" and "return" in source_line(frame)
        if event == "line" and not is_over:
            self.n_lines += 1
            if self.n_lines == self.stop_at:
                raise self.error("injected")
        return self._next_line


def source_line(frame: FrameType) -> str:
    return Path(frame.f_code.co_filename).read_text().split("\n")[frame.f_lineno - 1]


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize("kind", MAKERS)
def test_a_fit_that_stops_at_any_line_changes_nothing(
    kind: str, error: type[BaseException]
) -> None:
    model = MAKERS[kind]().fit(X, Y)
    deepcopy(model).fit(OTHER, "label")  # what is remembered between fits is remembered now
    refitted = deepcopy(model)
    with LineCounter() as counter:
        refitted.fit(OTHER, "label")
    # Some from anywhere, and all of the last, where attributes change hands.
    n_lines = counter.n_lines
    places = {*np.linspace(1, n_lines, 25, dtype=int).tolist(), *range(n_lines - 9, n_lines + 1)}
    for place in sorted(places):
        with unchanged(model), LineCounter(place, error), pytest.raises(error, match="injected"):
            model.fit(OTHER, "label")


@pytest.fixture
def lone_garbage_collector() -> Iterator[None]:
    """No callbacks of other libraries such as Hypothesis, where Python drops a signal."""
    callbacks = list(gc.callbacks)
    gc.callbacks.clear()
    yield
    gc.callbacks.extend(callbacks)


@pytest.mark.usefixtures("lone_garbage_collector")
# The same of finalizers, where Python says so by a warning, and the fit goes on.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", MAKERS)
def test_a_fit_stopped_by_a_signal_at_any_moment_changes_nothing(kind: str) -> None:
    large = np.random.default_rng(0).random((20_000, 10))
    labels = (large.sum(axis=1) > 5).astype(int)
    model = MAKERS[kind]().fit(X, Y)
    fresh = MAKERS[kind]()
    start = time.perf_counter()
    fresh.fit(large, labels)
    seconds = time.perf_counter() - start

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        n_stopped = 0
        for part in (0.01, 0.1, 0.3, 0.5, 0.7):
            kept = dict(state_of(model))
            try:
                signal.setitimer(signal.ITIMER_REAL, max(part * seconds, 1e-4))
                model.fit(large, labels)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                n_stopped += 1
                assert {name: id(value) for name, value in model.__dict__.items()} == {
                    name: id(value) for name, value in kept.items() if name != "state"
                }
                assert state_of(model).get("state") == kept.get("state")
            else:  # sooner done than stopped
                model.fit(X, Y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert n_stopped > 0


OUT_OF_MEMORY = textwrap.dedent(
    """
    import resource
    import numpy as np
    from bsnsing import BsnsingClassifier

    rng = np.random.default_rng(0)
    X, y = rng.random((200, 4)), rng.integers(0, 2, 200)
    large, labels = rng.random((300_000, 20)).astype(np.float32), rng.integers(0, 3, 300_000)
    n_failed = 0
    for make in (BsnsingClassifier, BsnsingClassifier.plain):
        model = make(time_limit=1.0).fit(X, y)
        for megabytes in (1, 3, 10, 20, 30, 40):
            before = dict(model.__dict__)
            size = 4096 * int(open("/proc/self/statm").read().split()[0])
            limits = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (size + megabytes * 2**20, limits[1]))
            try:
                model.fit(large, labels)
            except MemoryError:
                n_failed += 1
                assert list(model.__dict__) == list(before)
                assert all(model.__dict__[name] is before[name] for name in before)
            finally:
                resource.setrlimit(resource.RLIMIT_AS, limits)
    print("failed", n_failed)
    """
)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's limits of memory")
def test_a_fit_that_runs_out_of_memory_changes_nothing() -> None:
    run = subprocess.run(
        [sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout.split()[1]) >= 4


def test_a_second_fit_forgets_the_first() -> None:
    for kind in MAKERS:
        model = MAKERS[kind]().fit(X, Y)
        model.fit(X.to_numpy(), (X["c0"] > 3).to_numpy())
        fresh = MAKERS[kind]().fit(X.to_numpy(), (X["c0"] > 3).to_numpy())
        assert set(model.__dict__) == set(fresh.__dict__)
        assert model.get_params().keys() == fresh.get_params().keys()


def test_a_fit_draws_from_the_random_state_that_was_given() -> None:
    drawn_from = np.random.RandomState(7)
    model = Quick(random_state=drawn_from).fit(X, Y)
    assert model.random_state is drawn_from
    assert str(drawn_from.get_state()) != str(np.random.RandomState(7).get_state())

"""Ctrl-C stops the threads of a fit, and Python may end while threads still work."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from bsnsing import BsnsingClassifier, BsnsingEnsemble, _core
from bsnsing.estimators.side_by_side import side_by_side

LONG = textwrap.dedent(
    """
    import os, signal, sys, threading, time
    import numpy as np
    from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble

    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 40)), rng.integers(0, 2, 20_000)
    slow = BsnsingClassifier.plain(max_rules=5, min_samples_leaf=2)

    def interrupt_soon():
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    def in_background(work):
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
    """
)
ENDINGS = {
    "ensemble": """
        interrupt_soon()
        try:
            BsnsingEnsemble(4, estimator=slow, n_jobs=2).fit(X, y)
        except KeyboardInterrupt:
            print("stopped")
        """,
    "fit": "in_background(lambda: slow.fit(X, y)); print('stopped')",
    "fit by threads": """
        in_background(lambda: slow.set_params(n_jobs=2).fit(X, y))
        print("stopped")
        """,
    "forest": "in_background(lambda: BsnsingClassifier().fit(X, y)); print('stopped')",
    "predictions": """
        model = BsnsingClassifier.plain().fit(X[:2000], y[:2000])
        def predict_on():
            while True:
                model.predict(X[:2000])
        for _ in range(4):
            in_background(predict_on)
        print("stopped")
        """,
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_python_ends_in_peace_while_threads_work(ending: str) -> None:
    code = LONG + textwrap.dedent(ENDINGS[ending])
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300
    )
    assert (run.returncode, run.stdout.strip(), run.stderr) == (0, "stopped", "")


def test_python_waits_for_a_thread_that_is_in_the_package_but_not_in_native_code() -> None:
    """Other libraries leave Python too, and may not survive that Python ends a thread of theirs."""
    code = """
        from sklearn.tree import DecisionTreeClassifier
        ends = threading.Event()
        class Slow(DecisionTreeClassifier):
            def fit(self, X, y, sample_weight=None):
                if not ends.is_set():
                    ends.wait()
                    time.sleep(0.3)
                return super().fit(X, y, sample_weight)
        def fit():
            try:
                BsnsingClassifier(teacher=Slow()).fit(X[:200], y[:200])
            finally:
                print("left", flush=True)
        in_background(fit)
        print("ends", flush=True)
        ends.set()
        """
    run = subprocess.run(
        [sys.executable, "-c", LONG + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, ["ends", "left"], "")


def test_python_does_not_wait_for_ever() -> None:
    code = """
        class Stuck:
            def __array__(self, *_, **__):
                threading.Event().wait()
        in_background(lambda: BsnsingClassifier.plain().fit(Stuck(), y))
        print("ends", flush=True)
        """
    run = subprocess.run(
        [sys.executable, "-c", LONG + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, ["ends"], "")


def test_a_model_may_be_fitted_as_python_ends() -> None:
    code = """
        def last_words():
            print(BsnsingClassifier.plain().fit(X, y).predict(X[:1]).shape)
        """
    # What is registered before the package is imported runs after its own ending.
    before = "import atexit\natexit.register(lambda: last_words())\n"
    run = subprocess.run(
        [sys.executable, "-c", before + LONG + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout.strip(), run.stderr) == (0, "(1,)", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_copy_of_a_process_ends_though_threads_of_the_first_work() -> None:
    code = """
        in_background(lambda: slow.fit(X, y))
        child = os.fork()
        if child == 0:
            sys.exit(7)
        print("child ended with", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LONG + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (run.returncode, run.stdout.strip()) == (0, "child ended with 7"), run.stderr


def test_one_failure_stops_all_others() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 40)), rng.integers(0, 2, 20_000)
    slow = BsnsingClassifier.plain(max_rules=5, min_samples_leaf=2, time_limit=300)
    is_working, ended = threading.Event(), threading.Event()

    def work(kind: str) -> None:
        if kind == "fails":
            is_working.wait()
            raise ArithmeticError("on purpose")
        try:
            is_working.set()
            slow.fit(X, y)
        finally:
            ended.set()

    with pytest.raises(ArithmeticError, match="on purpose"):
        side_by_side(2, work, [("works",), ("fails",)])
    assert ended.wait(60)  # without a stop it would take minutes


def test_ctrl_c_stops_the_trees_of_an_ensemble() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 40)), rng.integers(0, 2, 20_000)
    slow = BsnsingClassifier.plain(max_rules=5, min_samples_leaf=2, time_limit=300)
    before = set(threading.enumerate())
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        BsnsingEnsemble(4, estimator=slow, n_jobs=2).fit(X, y)
    started = [thread for thread in threading.enumerate() if thread not in before]
    for thread in started:
        thread.join(60)
    assert not any(thread.is_alive() for thread in started)


def test_a_sign_concerns_those_under_it_only() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((2000, 20)), rng.integers(0, 2, 2000)
    model, sign, other = BsnsingClassifier.plain(), _core.StopSign(), _core.StopSign()
    sign.stop()
    with other:
        model.fit(X, y)
    with pytest.raises(KeyboardInterrupt), other, sign:
        model.fit(X, y)
    model.fit(X, y)
    assert (sign.is_stopped, other.is_stopped) == (True, False)


def test_a_sign_can_be_sent_to_another_process() -> None:
    sign = _core.StopSign()
    assert not pickle.loads(pickle.dumps(sign)).is_stopped
    sign.stop()
    assert pickle.loads(pickle.dumps(sign)).is_stopped


def test_encoding_hears_of_ctrl_c() -> None:
    """All of a long encoding is one native call, in which the signal comes."""
    numbers = [np.random.default_rng(c).random(1_000_000) for c in range(8)]
    heard: list[float] = []

    def stop(*_: object) -> None:
        heard.append(time.perf_counter())
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            _core.ColumnList().add_numbers(numbers, 0, None, 1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    columns = _core.ColumnList()
    columns.add_numbers([n[:1000] for n in numbers], 0, None, 1)
    assert (len(heard), columns.n_columns) == (1, 8)

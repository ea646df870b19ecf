"""Full disks, little memory, other processes, clocks and sums at their limits."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import bsnsing
from bsnsing import BsnsingClassifier
from bsnsing.rules.deadline import Deadline

X = np.random.default_rng(0).normal(size=(300, 4))
Y = (X[:, 0] > 0) ^ (X[:, 1] > 0.5)


def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own, which has a package to import and a limit."""
    package = str(Path(bsnsing.__file__).parent.parent)
    head = f"import sys; sys.path.insert(0, {package!r})\n"
    return subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_full_disk_leaves_no_half_of_a_model(overwrite: bool, tmp_path: Path) -> None:
    # No file may grow beyond some bytes: as on a full disk, a write comes back with an error.
    path = tmp_path / "model.json"
    if overwrite:
        path.write_text("what was there")
    done = run(
        """
        import resource, signal, numpy as np
        from bsnsing import BsnsingClassifier
        X = np.random.default_rng(0).normal(size=(300, 4))
        model = BsnsingClassifier.plain().fit(X, X[:, 0] > 0)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
        try:
            model.save(sys.argv[1], overwrite=True)
        except OSError as error:
            print("refused", error.errno)
        assert model.predict_proba(X).shape == (300, 2)
        """,
        path,
    )
    assert done.stdout.split() == ["refused", "27"], done.stderr
    assert [own.name for own in tmp_path.iterdir()] == (["model.json"] if overwrite else [])
    assert not overwrite or path.read_text() == "what was there"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
@pytest.mark.parametrize("spare", [4, 40, 120])
def test_too_little_memory_is_an_error_and_no_crash(spare: int) -> None:
    # The limit lies a little above what is in use, so that some step of the fit meets it.
    done = run(
        """
        import resource, numpy as np
        from bsnsing import BsnsingClassifier
        X = np.random.default_rng(0).normal(size=(200_000, 20))
        y = X[:, 0] > 0
        model = BsnsingClassifier.plain().fit(X[:500], y[:500])
        before = str(model)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]) * 2**20, hard))
        try:
            model.fit(X, y)
            print("fitted")
        except MemoryError:
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
            assert str(model) == before
            print("refused", model.predict(X[:9]).shape)
        """,
        spare,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] in ("fitted", "refused")
    assert spare > 4 or done.stdout.startswith("refused")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_grow_the_same_tree(method: str) -> None:
    model = BsnsingClassifier.plain(n_jobs=2)
    expected = str(model.fit(X, Y))  # threads have run here before the fork
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert str(pool.apply(model.fit, (X, Y))) == expected


def test_a_clock_that_goes_backwards_changes_no_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 10**9)
    deadline = Deadline(100.0)
    monkeypatch.setattr(time, "time", lambda: now - 2 * 10**9)
    assert 90 < deadline.left() <= 100
    assert BsnsingClassifier.plain(time_limit=100).fit(X, Y).tree_.optimal.all()


def test_the_end_of_the_interpreter_ends_a_fit_in_a_thread() -> None:
    done = run(
        """
        import threading, numpy as np
        from bsnsing import BsnsingClassifier
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20_000, 30)), rng.integers(0, 2, 20_000)
        work = lambda: BsnsingClassifier.plain(max_rules=3, n_jobs=2).fit(X, y)
        threading.Thread(target=work, daemon=True).start()
        """
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("total", [2**31 - 1, 2**31, 2**32 + 2, 2**40])
def test_sums_of_weights_beyond_32_bits_are_exact(total: int) -> None:
    half = total // 2
    weights = np.array([half, 1, 1, total - half - 2])
    cells = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = BsnsingClassifier.plain(min_samples_leaf=1).fit(cells, [0, 1, 0, 1], weights)
    assert model.tree_.counts[0].tolist() == [half + 1, total - half - 1]
    assert sorted(model.tree_.counts[1:].tolist()) == [[1, total - half - 2], [half, 1]]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says how much memory a process has")
def test_memory_that_is_kept_for_later_is_given_back_where_it_is_needed() -> None:
    done = run(
        """
        import resource, numpy as np
        from bsnsing import _core
        codes = np.zeros(8 << 20, np.uint8)
        held = [_core.join_codes([codes]) for _ in range(50)]
        for _ in range(12):
            _core.join_codes([codes])
        some = [_core.join_codes([codes]) for _ in range(12)]
        del some
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (30 << 20), -1))
        print(len(_core.join_codes([codes] * 8)) == 64 << 20)
        """
    )
    assert done.stdout.split() == ["True"], done.stderr

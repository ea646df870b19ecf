"""A fresh interpreter: what an import pulls in, and how a search ends at Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bsnsing import BsnsingClassifier, BsnsingEnsemble

SOLVERS = ["highspy", "ortools", "pyscipopt", "gurobipy", "cplex", "pulp"]
OPTIONAL = ["pandas", "polars", "pyarrow", "matplotlib", *SOLVERS]


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()


# Some releases of scikit-learn import pandas where it is there, before we can do anything about it.
ADDED = f"""
import sys, numpy, scipy.sparse, sklearn.base
before = set(sys.modules)
{{use}}
print([name for name in {OPTIONAL} if name in set(sys.modules) - before])
"""
FIT = """
from bsnsing import BsnsingClassifier
X = numpy.arange(40.0).reshape(-1, 2)
model = BsnsingClassifier.plain().fit(X, X[:, 0] > 15)
assert model.predict_proba(X).shape == (20, 2) and str(model)
"""


@pytest.mark.parametrize("use", ["import bsnsing", FIT], ids=["import", "fit"])
def test_no_extra_is_pulled_in(use: str) -> None:
    assert run(ADDED.format(use=use)) == "[]"


def test_the_package_alone_imports_no_library() -> None:
    code = "import sys, bsnsing; print([n for n in ('numpy', 'sklearn') if n in sys.modules])"
    assert run(code) == "[]"


# What saving, donors, rows in parts, trees of experts and teachers need.
LATE = [
    "estimators.store",
    "export",
    "questions.donors",
    "grow.donors",
    "engine.parts",
    "engine.scattered",
    "tree.sketch",
    "distill.canonical",
    "distill.teacher",
]


def test_a_plain_fit_waits_for_nothing_that_it_does_not_need() -> None:
    code = f"""
import sys, numpy
{FIT.replace("and str(model)", "")}
loaded = [name.removeprefix("bsnsing.") for name in sys.modules if name.startswith("bsnsing.")]
late = tuple(name + "." for name in {LATE})
print([name for name in loaded if (name + ".").startswith(late) and name != "export"])
"""
    assert run(code) == "[]"


def test_every_public_name_is_there_on_its_first_use() -> None:
    code = """
import bsnsing
print([name for name in bsnsing.__all__ if not hasattr(bsnsing, name)])
assert bsnsing.solvers.available()["enum"].is_usable
try:
    bsnsing.nothing
except AttributeError as error:
    print(error)
"""
    assert run(code).splitlines() == ["[]", "module 'bsnsing' has no attribute 'nothing'"]


def test_files_are_read_by_who_has_imported_no_estimator(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    rows, labels = [[1.0], [2.0], [3.0], [4.0]] * 9, [0, 0, 1, 1] * 9
    BsnsingEnsemble(estimator=BsnsingClassifier.plain(), n_estimators=2).fit(rows, labels).save(
        path
    )
    assert run(f"import bsnsing; print(len(bsnsing.load({str(path)!r}).trees_))") == "2"
    wrong = f"""
from bsnsing import BsnsingClassifier, ModelFileError
try:
    BsnsingClassifier.load({str(path)!r})
except ModelFileError as error:
    print(error)
"""
    assert run(wrong).startswith("The file holds a BsnsingEnsemble, not a BsnsingClassifier.")


def test_a_tree_is_drawn_in_a_notebook_that_has_shown_nothing_else() -> None:
    code = """
from bsnsing import BsnsingClassifier
model = BsnsingClassifier.plain().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
print("<svg" in model.tree_._repr_html_())
"""
    assert run(code) == "True"


@pytest.mark.parametrize("name", OPTIONAL)
def test_no_extra_is_needed(name: str) -> None:
    code = f"""
import sys
class Refuse:
    def find_spec(self, fullname, path=None, target=None):
        if fullname.split(".")[0] == {name!r}:
            raise ModuleNotFoundError(fullname)
sys.meta_path.insert(0, Refuse())
from bsnsing import BsnsingClassifier
print(BsnsingClassifier.plain().fit([[1.0, "a"], [2.0, "b"]] * 5, [0, 1] * 5).predict([[1.0, "a"]]))
"""
    assert run(code) == "[0]"


LONG_SEARCH = """
import numpy as np
from bsnsing import BsnsingClassifier, _core, best_rule
rng = np.random.default_rng(0)
answers = rng.random((3000, 400)) < 0.1
y = rng.integers(0, 2, 3000)
print("searching", flush=True)
{call}
print("finished", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "call",
    [
        "best_rule(answers, y, max_rules=6, n_jobs={n_jobs})",
        "BsnsingClassifier.plain(max_rules=6, time_limit=None, n_jobs={n_jobs}).fit(answers, y)",
        "_core.grow_forest(np.uint8(answers), np.int32(y[:400]), None, n_classes=2, n_draws=400, "
        "n_best_trees=10**6, n_best_columns=50, n_random_trees=0, n_random_columns=0, seed=0, "
        "n_threads={n_jobs})",
    ],
    ids=["best_rule", "fit", "forest"],
)
def test_interrupt_ends_a_search(call: str, n_jobs: int) -> None:
    code = LONG_SEARCH.format(call=call.format(n_jobs=n_jobs))
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "searching\n"
        time.sleep(1)
        assert child.poll() is None, "the search is too short to be interrupted"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)  # left alone it would go on for minutes
    finally:
        child.kill()
    assert "finished" not in out
    assert err.splitlines()[-1].startswith("KeyboardInterrupt")
    assert child.returncode != 0

"""R's learners, in a process of its own; and what is said where there is no R."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bsnsing import BsnsingClassifier, RLearner, questions_of
from bsnsing.questions.donors.cuts import LevelCut, ThresholdCut
from bsnsing.questions.donors.r_c50 import cuts_in, levels_in

HERE = Path(__file__).parent


def test_learners_of_r() -> None:
    if shutil.which("R") is None:
        pytest.skip("R is not installed: apt install r-base-core r-cran-rpart r-cran-party")
    if importlib.util.find_spec("rpy2") is None:
        pytest.skip("rpy2 is not installed: pip install '.[r]'")
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, str(HERE / "r_cases.py")],
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    print(done.stdout)  # what was skipped, and why
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ passed", done.stdout)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ImportError, match=r"R is not installed.*r-base-core"):
        BsnsingClassifier.plain(extra_questions="rpart").fit([[0.0], [1.0]] * 9, [0, 1] * 9)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/R")
    monkeypatch.setitem(sys.modules, "rpy2", None)
    monkeypatch.setitem(sys.modules, "rpy2.rinterface", None)
    with pytest.raises(ImportError, match=r"pip install bsnsing\[r\]"):
        BsnsingClassifier.plain(extra_questions="rpart").fit([[0.0], [1.0]] * 9, [0, 1] * 9)


def test_learners_are_named_and_set() -> None:
    assert RLearner("rpart") == RLearner("rpart", {})
    with pytest.raises(ValueError, match="There is no learner 'cart' of R here"):
        RLearner("cart")
    with pytest.raises(ValueError, match=r"Settings of 'rpart' are numbers.* Got 'cp': \[1\]"):
        RLearner("rpart", {"cp": [1]})
    with pytest.raises(ValueError, match="cart"):
        BsnsingClassifier.plain(extra_questions="cart").fit([[0.0], [1.0]] * 9, [0, 1] * 9)
    with pytest.raises(ValueError, match="rpart is not fitted"):
        questions_of("rpart")


def test_the_text_of_c50_is_read_without_r() -> None:
    levels = levels_in('a\\: b: continuous.\n"odd: x\\,y,z\\.,w.\n| c: no.\noutcome.\n')
    assert levels == {'"odd': ["x,y", "z.", "w"]}
    lines = 'type="2" att="a \\"b\\"" forks="3" cut="1.5"\ntype="9" att="x"\ntype="0" class="0"'
    (cut,) = cuts_in(lines, {}, is_ours=False)
    assert isinstance(cut, ThresholdCut)
    assert (cut.column, cut.value) == ('a "b"', 1.5)
    (cut, *others) = cuts_in(
        'type="1" att="x2" forks="4" freq="3,4"', {"x2": list("012")}, is_ours=True
    )
    assert isinstance(cut, LevelCut)
    assert (cut.column, cut.levels, len(others), cut.gain) == (2, frozenset([0.0]), 2, 7.0)

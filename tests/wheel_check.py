"""Judges an installed bsnsing by itself, with no test tools and no optional package.

``python tests/wheel_check.py`` uses the package that Python finds, which must not be a checkout.
It prints one line of JSON with what was found; the same line, but for ``here``, is due from every
Python, every release of the dependencies and every processor. ``make wheel-test`` compares them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
import tempfile
import threading
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bsnsing
from bsnsing import BsnsingClassifier, _core, best_rule, show_versions


def made_table(n_rows: int, n_columns: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A table of whole numbers from a formula, which no release of NumPy draws otherwise."""
    cells = np.arange(n_rows * n_columns, dtype=np.uint64) * np.uint64(2654435761)
    X = ((cells >> np.uint64(7)) % np.uint64(101)).astype(np.float64).reshape(n_rows, n_columns)
    noise = np.arange(n_rows) % 11 == 0
    y = ((X[:, 0] > 60) | (X[:, 1] * X[:, 2] > 3000)) ^ noise
    return X, y.astype(np.int64)


def check_files() -> None:
    """The wheel holds its types, its bill of materials, its license and one version."""
    files = {str(path).replace("\\", "/"): path for path in metadata.files("bsnsing") or ()}
    assert "bsnsing/py.typed" in files
    assert any(name.endswith("licenses/LICENSE") for name in files)
    (bill,) = [path for name, path in files.items() if name.endswith("sboms/bsnsing.cdx.json")]
    named = json.loads(bill.read_text(encoding="utf-8"))
    assert (named["bomFormat"], named["specVersion"]) == ("CycloneDX", "1.6")
    assert named["metadata"]["component"]["version"] == bsnsing.__version__
    assert metadata.version("bsnsing") == bsnsing.__version__
    assert "site-packages" in Path(bsnsing.__file__).parts, f"a checkout: {bsnsing.__file__}"


def check_best_rule() -> None:
    """The best OR of two questions, against all of them counted by hand."""
    X, y = made_table(200, 12)
    answers = X > 50
    found = best_rule(answers, y, max_rules=2)
    n_yes, n_no = int(y.sum()), int((1 - y).sum())
    least = n_yes * n_no
    for a, b in itertools.combinations_with_replacement(range(answers.shape[1]), 2):
        says_yes = answers[:, a] | answers[:, b]
        wrong = int((says_yes & (y == 0)).sum())
        missed = int((~says_yes & (y == 1)).sum())
        least = min(least, n_yes * wrong + n_no * missed - 2 * wrong * missed)
    assert found.optimal
    assert found.objective == least, f"found {found.objective}, the best is {least}"


def fitted(X: NDArray[np.float64], y: NDArray[np.int64]) -> str:
    """A plain tree as text to the last bit."""
    return str(json.dumps(json.loads(bsnsing.export_json(BsnsingClassifier.plain().fit(X, y)))))


def check_threads(X: NDArray[np.float64], y: NDArray[np.int64], expected: str) -> None:
    """Fits at the same time do not disturb each other; without interpreter lock they truly meet."""
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(fitted(X, y)), daemon=True) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * len(threads)


def check_taught_tree(X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    """The default learns, and comes back from a file as it was."""
    model = BsnsingClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) > max(y.mean(), 1 - y.mean())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        again = bsnsing.load(path)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def main() -> None:
    check_files()
    check_best_rule()
    X, y = made_table(1500, 6)
    text = fitted(X, y)
    for kernels in _core.available_kernels():
        _core.use_kernels(kernels)
        assert fitted(X, y) == text, f"another tree with {kernels} kernels"
    _core.use_kernels(_core.available_kernels()[0])
    check_threads(X, y, text)
    check_taught_tree(X, y)
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    system = show_versions.versions()["system"]
    here = {name: system[name] for name in ("python", "kernels", "extension")}
    here["lock"] = "on" if has_lock else "off"
    here["numpy"], here["scikit-learn"] = np.__version__, metadata.version("scikit-learn")
    tree = hashlib.sha256(text.encode()).hexdigest()
    print(json.dumps({"version": bsnsing.__version__, "tree": tree, "here": here}))


if __name__ == "__main__":
    main()

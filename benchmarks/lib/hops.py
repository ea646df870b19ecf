"""How often a fit goes from one layer to another. Run: python -m benchmarks.lib.hops.

A layer is a folder of the package or, beside the folders, a module. A hop is a Python call of a
function whose nearest caller within the package lies in another layer; what lies between the two,
scikit-learn say, does not matter. Calls from outside the package, comprehensions, class bodies and
functions that dataclasses generate are no hops, and what happens while a module is imported is not
the fit's.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import bsnsing
from benchmarks.lib import report
from bsnsing import BsnsingClassifier

PACKAGE = Path(bsnsing.__file__).parent
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}

Hops = Counter[tuple[str, str]]  # how often, by layer from which and to which


def layer_of(path: str, package: Path = PACKAGE) -> str | None:
    """The layer that a file is in; None outside the package and for code without a file."""
    if not Path(path).is_relative_to(package):
        return None
    first, *inside = Path(path).relative_to(package).parts
    return first if inside else Path(first).stem.strip("_")


def is_function(code: CodeType) -> bool:
    """Whether a call of this code is a call of a function that somebody wrote."""
    # Only code of functions and comprehensions has its own fast locals: class bodies and modules
    # do not.
    return bool(code.co_flags & inspect.CO_OPTIMIZED) and code.co_name not in COMPREHENSIONS


class HopCounter:
    """A profile function that counts hops."""

    def __init__(self, package: Path = PACKAGE) -> None:
        self.package = package
        self.hops: Hops = Counter()
        self._layers: dict[str, str | None] = {}
        self._started: set[FrameType] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not is_function(frame.f_code) or self._goes_on(frame):
            return
        here = self._layer(frame)
        there = self._caller(frame) if here is not None else None
        if there is not None and there != here:
            self.hops[there, here] += 1

    def _goes_on(self, frame: FrameType) -> bool:
        """Whether this is a generator after one of its yields, which looks like a call."""
        if not frame.f_code.co_flags & inspect.CO_GENERATOR:
            return False
        is_known = frame in self._started
        self._started.add(frame)
        return is_known

    def _caller(self, frame: FrameType) -> str | None:
        """The layer of the nearest caller within the package; None if there is none."""
        caller = frame.f_back
        while caller is not None and caller.f_code.co_flags & inspect.CO_OPTIMIZED:
            layer = self._layer(caller)
            if layer is not None:
                return layer
            caller = caller.f_back
        return None  # from outside, or an import, whatever has started it

    def _layer(self, frame: FrameType) -> str | None:
        path = frame.f_code.co_filename
        if path not in self._layers:
            self._layers[path] = layer_of(path, self.package)
        return self._layers[path]


@contextmanager
def counted(package: Path = PACKAGE) -> Iterator[Hops]:
    """Count the hops of what this thread does meanwhile."""
    counter = HopCounter(package)
    before = sys.getprofile()
    sys.setprofile(counter)
    try:
        yield counter.hops
    finally:
        sys.setprofile(before)


def count_fit(make: Callable[[], Any], X: Any, y: Any) -> Hops:
    """Hops of one fit; another one before it pays for imports and caches."""
    make().fit(X, y)
    model = make()
    with counted() as hops:
        model.fit(X, y)
    return hops


def describe(title: str, hops: Hops) -> str:
    rows = [[f"{there} -> {here}", n] for (there, here), n in hops.most_common()]
    head = f"## {title}: {hops.total()} hops between {len(hops)} pairs of layers\n\n"
    return head + report.markdown(["from -> to", "hops"], rows)


def main() -> None:
    data = load_breast_cancer()
    X, _, y, _ = train_test_split(
        data.data, data.target, test_size=0.3, random_state=0, stratify=data.target
    )
    print(f"# Layer hops of a fit ({len(X)} x {X.shape[1]}, breast cancer)\n\n{report.machine()}\n")
    fits = {
        "BsnsingClassifier.plain().fit": BsnsingClassifier.plain,
        "BsnsingClassifier().fit": BsnsingClassifier,
    }
    print("\n\n".join(describe(title, count_fit(make, X, y)) for title, make in fits.items()))


if __name__ == "__main__":
    main()

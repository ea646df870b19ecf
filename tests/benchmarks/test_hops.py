"""Which calls are hops from layer to layer?"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.lib.hops import counted, layer_of

FILES = {
    "__init__.py": "",
    "_flat.py": """
from dataclasses import dataclass
from functools import reduce
from layered.room.first import add, each, square

@dataclass
class Pair:
    a: int
    b: int

    @property
    def total(self):
        return add(self.a, self.b)

def same_layer():
    return 0

def fit():
    class Local:
        size = 3
    same_layer()
    squares = [square(k) for k in range(Local.size)]
    reduce(add, squares)
    list(each(squares))
    return Pair(1, 2).total
""",
    "room/__init__.py": "",
    "room/first.py": """
from layered.room.second import double

def add(a, b):
    return a + b

def square(a):
    return double(a) * a

def each(items):
    for item in items:
        yield item
""",
    "room/second.py": """
def double(a):
    from layered import _flat
    _flat.same_layer()
    return 2 * a
""",
}


def test_hops_are_calls_into_another_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "layered"
    for name, text in FILES.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    fit = import_module("layered._flat").fit
    with counted(package) as hops:
        fit()
    # Three squares, two sums by way of functools, one generator, and one sum by a property.
    assert hops == {("flat", "room"): 7, ("room", "flat"): 3}


def test_a_layer_is_a_folder_or_a_module(tmp_path: Path) -> None:
    assert layer_of(str(tmp_path / "tree" / "deep" / "node.py"), tmp_path) == "tree"
    assert layer_of(str(tmp_path / "_table.py"), tmp_path) == "table"
    assert layer_of(str(tmp_path.parent / "elsewhere.py"), tmp_path) is None
    assert layer_of("<string>", tmp_path) is None

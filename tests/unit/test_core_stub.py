"""The committed typed face of the native module names what its bindings have."""

import ast
from pathlib import Path

import pytest

import bsnsing
from bsnsing import _core

stubgen = pytest.importorskip("nanobind.stubgen", reason="nanobind writes the stub to compare with")


def parameter_names(stub: str) -> dict[str, list[str]]:
    """Functions and methods with their parameters; layout and docstrings depend on nanobind."""
    names = {}
    for node in ast.walk(ast.parse(stub)):
        for item in (
            getattr(node, "body", []) if isinstance(node, ast.ClassDef | ast.Module) else []
        ):
            if isinstance(item, ast.FunctionDef):
                owner = getattr(node, "name", "")
                names[f"{owner}.{item.name}"] = [a.arg for a in item.args.args]
    return names


def test_stub_is_current() -> None:
    generator = stubgen.StubGen(_core)
    generator.put(_core)
    committed = (Path(bsnsing.__file__).parent / "_core.pyi").read_text()
    assert parameter_names(committed) == parameter_names(generator.get()), "run `make stubs`"

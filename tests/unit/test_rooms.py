"""The rooms of the package: imports run in one direction, and within a room in no circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import bsnsing

ROOT = Path(bsnsing.__file__).parent
ROOMS = (
    "data",
    "questions",
    "tree",
    "rules",
    "engine",
    "solvers",
    "grow",
    "distill",
    "estimators",
)
# What each room may import from, besides itself and the native module.
MAY_IMPORT = {room: set(ROOMS[:i]) for i, room in enumerate(ROOMS)}
MAY_IMPORT["export"] = {"data", "questions", "tree"}
MAY_IMPORT["estimators"].add("export")
MAY_IMPORT["cli"] = {*ROOMS, "export", "demo"}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, *, for_types: bool) -> Iterator[str]:
    """Modules of the package that a module imports, anywhere in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    only_types = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if not for_types and id(node) in only_types:
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("bsnsing"))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively, which this test does not follow"
            if (node.module or "").split(".")[0] == "bsnsing":
                for name in node.names:
                    full = f"{node.module}.{name.name}"
                    is_module = (ROOT.parent / Path(*full.split("."))).with_suffix(".py").exists()
                    yield full if is_module else str(node.module)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_rooms_import_leftwards_only(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    for module in imports(path, for_types=True):
        if module in ("bsnsing", "bsnsing._core"):  # the native module; see the next test
            continue
        assert module.split(".")[1] in MAY_IMPORT[room] | {room}, f"{path} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_rooms_import_no_names_of_the_package_itself(path: Path) -> None:
    """From ``bsnsing`` there is only the native module to import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "bsnsing":
            assert [name.name for name in node.names] == ["_core"]
        if isinstance(node, ast.Import):
            assert not any(name.name.split(".")[0] == "bsnsing" for name in node.names)


def test_modules_import_each_other_in_no_circle() -> None:
    """Not even inside functions; names for types alone do not count."""
    known = {name_of(path) for path in MODULES}
    graph = {
        name_of(path): {m for m in imports(path, for_types=False) if m in known} for path in MODULES
    }
    assert len(list(TopologicalSorter(graph).static_order())) == len(known)


def test_every_folder_is_a_room() -> None:
    folders = {path.relative_to(ROOT).parts[0] for path in MODULES}
    assert folders == set(MAY_IMPORT)


def test_the_map_names_every_room_in_order() -> None:
    assert bsnsing.__doc__ is not None
    drawn = bsnsing.__doc__.split("\n\n", 2)[2].strip().splitlines()
    assert len(drawn) == 6
    named = [room for line in drawn for room in line[:19].replace(",", " ").split()]
    assert named == [*ROOMS, "export", "cli"]

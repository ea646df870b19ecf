"""What a release says about itself agrees with what it is."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import wheels

from bsnsing import show_versions

ROOT = Path(__file__).resolve().parents[2]
# Extras for work on the package, which need no explanation to its users.
OURS = show_versions._OURS
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def extras() -> set[str]:
    listed = re.search(
        r"^\[project.optional-dependencies\]\n(.*?)^\[tool", read("pyproject.toml"), re.M | re.S
    )
    assert listed is not None
    return set(re.findall(r"^(\w+) = \[", listed[1], re.MULTILINE))


def test_the_table_names_every_extra() -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", read("docs/install.md"), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(named) == len(set(named))
    assert extras() - OURS <= set(named) <= extras()


PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_figure_was_left_to_fill_in(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"\b(TODO|TBD|FIXME|XXX+|[A-Z]{2,}PCT)\b", text)


def test_the_tolerance_of_counts_is_the_one_that_pages_name() -> None:
    """CI fails where instructions grow by more than this."""
    (share,) = re.findall(r"^TOLERANCE = (.+)$", read("benchmarks/speed/instructions.py"), re.M)
    named = f"{100 * float(share):g} %"
    assert f"more than {named} above the one on file" in read("benchmarks/README.md")
    assert f"and {named} more fail" in read("CONTRIBUTING.md")


def test_the_changelog_is_by_kind() -> None:
    text = read("CHANGELOG.md")
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= KINDS
    for version in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        kinds = re.findall(r"^### (.+)$", version, re.MULTILINE)
        assert len(kinds) == len(set(kinds)), f"a kind twice in {version.splitlines()[0]}"


def test_every_dependency_has_a_lower_bound() -> None:
    limits = wheels.lower_bounds(read("pyproject.toml"))
    assert {limit.split("==")[0] for limit in limits} == {
        "numpy",
        "scipy",
        "scikit-learn",
        "narwhals",
    }
    assert all(re.fullmatch(r"[\w-]+==\d+(\.\d+)+\.\*", limit) for limit in limits)
    with pytest.raises(AssertionError, match="no lower bound"):
        wheels.lower_bounds('dependencies = [\n    "numpy",\n]\n')


def test_pythons_are_those_that_the_package_takes() -> None:
    major, minor = wheels.OLDEST
    assert f'requires-python = ">={major}.{minor}"' in read("pyproject.toml")
    stable = "".join(str(number) for number in wheels.STABLE_SINCE)
    assert f'wheel.py-api = "cp{stable}"' in read("pyproject.toml")
    assert f'"cp{major}{minor}-*"' in read("pyproject.toml")


def test_interpreters_are_looked_at() -> None:
    here = wheels.look_at(sys.executable)
    assert here is not None
    assert here.version == sys.version_info[:2]
    assert wheels.look_at(str(ROOT / "README.md")) is None


def test_workflows_run_targets_that_exist() -> None:
    """A job that calls a target which is gone would only be seen to fail on the forge."""
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = workflow.read_text(encoding="utf-8")
        called = {
            target
            for line in re.findall(r"run: make ([a-z -]+)$", text, re.MULTILINE)
            for target in line.split()
        }
        for listed in re.findall(r"^ +target: \[(.+)\]$", text, re.MULTILINE):
            called |= set(listed.split(", "))
        assert called, workflow.name
        assert called <= targets, f"{workflow.name} calls {called - targets}"

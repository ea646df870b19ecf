"""The code in the guides runs as it stands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from sklearn.datasets import load_breast_cancer

from bsnsing import BsnsingClassifier, demo
from bsnsing.cli import main as command_line

DOCS = Path(__file__).resolve().parents[2] / "docs"
README = DOCS.parent / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GUIDES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if "```python\n" in page.read_text(encoding="utf-8") and page.name != "from-r.md"
]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_the_code_of_a_guide_runs(
    guide: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """What pages print and draw is shown on the site, which `make docs` builds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))  # what draws and lists for the pages
    plt.switch_backend("agg")
    blocks = BLOCK.findall(guide.read_text(encoding="utf-8"))
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(guide), "exec"), names)
        plt.close("all")
    assert "None" not in capsys.readouterr().out.splitlines()


def test_the_code_of_the_guide_from_r_runs(tmp_path: Path) -> None:
    """In a process of its own: where there is R, it starts and stays."""
    guide = DOCS / "from-r.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    script = tmp_path / "from_r.py"
    script.write_text("\n".join(["import matplotlib", "matplotlib.use('agg')", *blocks]))
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "from RandomForestClassifier" in done.stdout


def test_the_code_of_the_readme_runs() -> None:
    (block,) = BLOCK.findall(README.read_text(encoding="utf-8"))
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    names: dict[str, object] = {"X": X, "y": y, "X_new": X.head(3)}
    exec(compile(block, str(README), "exec"), names)
    assert isinstance(names["model"], BsnsingClassifier)


def test_the_demo_prints_the_tree_of_the_readme(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demo.main()
    printed = capsys.readouterr().out
    (shown,) = re.findall(
        r"^```\n(Splits proven best.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S
    )
    for line in shown.splitlines():
        assert line in printed


def test_the_commands_of_the_guide_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = load_breast_cancer(as_frame=True)
    table = data.data.iloc[:, :4]
    table.assign(churned=data.target).to_csv("customers.csv", index=False)
    table.head(5).to_csv("new.csv", index=False)
    guide = (DOCS / "ship.md").read_text(encoding="utf-8")
    commands = re.findall(r"^bsnsing (.+)$", guide, re.MULTILINE)
    assert len(commands) > 3
    for command in commands:
        assert command_line(shlex.split(command)) == 0, capsys.readouterr().err
    assert (tmp_path / "scored.csv").exists()
    assert (tmp_path / "model.sql").exists()


def test_links_of_the_guides_lead_somewhere() -> None:
    pages = [page for page in DOCS.rglob("*.md") if "_made" not in page.parts]
    for guide in pages:
        for target in re.findall(r"\]\(([^)#:]+)\)", guide.read_text(encoding="utf-8")):
            assert (guide.parent / target).exists(), f"{guide.name}: {target}"

"""The README's first screen shows what the demo prints and draws now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bsnsing import demo

ROOT = Path(__file__).parents[2]


def test_readme_shows_the_tree_that_the_demo_prints_and_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "tree.svg"
    demo.main([str(picture)])
    printed = capsys.readouterr().out
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```\n(Splits proven best.*?)```$", readme, re.DOTALL | re.MULTILINE)
    assert shown.strip() in printed, "copy what python -m bsnsing.demo prints into README.md"
    (path,) = re.findall(r"^!\[.*\]\((docs/pictures/.*\.svg)\)$", readme, re.MULTILINE)
    drawn = picture.read_text(encoding="utf-8")
    assert (ROOT / path).read_text(encoding="utf-8") == drawn, f"write the demo's picture to {path}"

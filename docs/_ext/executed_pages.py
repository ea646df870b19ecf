"""Runs the Python blocks of every Markdown page, and puts what they print and draw below them.

A block after the line ``<!-- result only -->`` is not shown itself: what it prints is Markdown, a
part of the page. Text after a colon there describes the picture.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import bsnsing

BLOCK = re.compile(
    r"^(?P<only><!-- result only(?:: (?P<told>[^\n]*?))? -->\n)?```python\n(?P<code>.*?)^```\n",
    re.DOTALL | re.MULTILINE,
)
_LINK = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<target>\.\./[^)#:]+)(?:#[^)]*)?\)")
PICTURES = "_made"
# What pages show comes from these too: a change of them is a change of the page.
_SOURCES = [
    *Path(__file__).parent.glob("*.py"),
    *Path(bsnsing.__file__).parent.rglob("*.py"),
    *(Path(__file__).parents[2] / "benchmarks" / "results" / "paper").glob("*.md"),
]
_SECONDS = 300


def name_files(app: Sphinx, page: str, source: list[str]) -> None:
    """Name files of the repository that are no pages, where a link would lead nowhere."""
    site, folder = Path(app.srcdir), (Path(app.srcdir) / page).parent

    def named(link: re.Match[str]) -> str:
        target = (folder / link["target"]).resolve()
        if target.is_relative_to(site) or not target.is_relative_to(site.parent):
            return link[0]
        path = f"`{target.relative_to(site.parent).as_posix()}`"
        return path if link["text"].strip("`") == path.strip("`") else f"{link['text']} ({path})"

    source[0] = _LINK.sub(named, source[0])


def run_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Run the blocks of a page that is being read."""
    blocks = list(BLOCK.finditer(source[0]))
    if not blocks or Path(app.env.doc2path(page)).suffix != ".md":
        return
    for file in _SOURCES:
        app.env.note_dependency(str(file))
    folder = Path(app.srcdir) / PICTURES / page.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        outcomes_file = Path(work) / "outcomes.json"
        done = subprocess.run(
            [
                sys.executable,
                Path(__file__).with_name("run_blocks.py"),
                outcomes_file,
                folder / "p",
            ],
            input=json.dumps([block["code"] for block in blocks]),
            capture_output=True,
            text=True,
            cwd=work,
            env={**os.environ, "PYTHONWARNINGS": "ignore", "COLUMNS": "92"},
            timeout=_SECONDS,
            check=False,
        )
        if done.returncode:
            raise ExtensionError(f"The code of page {page} fails:\n{done.stderr}")
        outcomes = json.loads(outcomes_file.read_text(encoding="utf-8"))
    answers = iter(outcomes)
    base = f"/{PICTURES}/{folder.name}"
    source[0] = BLOCK.sub(lambda block: _with_outcome(block, next(answers), base), source[0])


def _with_outcome(block: re.Match[str], outcome: dict[str, Any], base: str) -> str:
    parts = []
    if block["only"]:
        parts.append(outcome["printed"])
    else:
        parts.append(f"```python\n{block['code']}```\n")
        text = outcome["printed"] + outcome.get("value", "")
        if text.strip():
            parts.append(f"```{{code-block}} text\n:class: output\n\n{text.rstrip()}\n```\n")
    if "table" in outcome:
        parts.append(f"```{{raw}} html\n<div class='output'>{outcome['table']}</div>\n```\n")
    for picture in outcome["pictures"]:
        told = block["told"] or picture["title"] or "What the code above draws"
        image = f"```{{image}} {base}/{picture['file']}\n:alt: {told}\n```"
        parts.append(f":::{{container}} picture\n{image}\n:::\n")
    return "\n".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", name_files)
    app.connect("source-read", run_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Lists of pages, in the order of their readers."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
# Of each folder's index; "/" is the folder of the site. What is not there is left out.
LISTED = {
    "how-to": [
        "/install",
        "size",
        "rare-and-costs",
        "missing-cells",
        "many-levels",
        "/knowledge",
        "/see",
        "/ship",
        "large-tables",
        "/gpu",
        "reproducible",
    ],
    "explanation": [
        "search-steps",
        "/how-it-works",
        "proof",
        "teacher",
        "/solvers",
        "/scale",
        "comparison",
        "paper",
        "/security",
    ],
    "reference": [
        "api",
        "parameters",
        "model-file",
        "command-line",
        "messages",
        "/versions",
        "changelog",
    ],
}


def toctree(folder: str) -> str:
    """The pages of a folder's index; pages of the site that no list has close the reference."""
    names = [name for name in LISTED[folder] if name == "api" or _file(folder, name).exists()]
    if folder == "reference":
        known = {name for own in LISTED.values() for name in own} | {"/index", "/coming-from"}
        found = [f"/{page.stem}" for page in sorted(DOCS.glob("*.md"))]
        names += [name for name in found if name not in known and not name.startswith("/from-")]
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```", ""])


def changelog() -> str:
    """The changelog, with links as they are from the page that shows it."""
    text = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](../")
    return re.sub(r"\[([^\]]+)\]\((?!\.\./|\w+:|#)[^)]+\)", r"\1", text)


def _file(folder: str, name: str) -> Path:
    own = DOCS / folder / name if name[0] != "/" else DOCS / name[1:]
    return own.with_suffix(".md")

"""Puts the reports of ``python -m benchmarks.paper`` into a page, as the commands wrote them."""

from __future__ import annotations

import re
from pathlib import Path

REPORTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "paper"
# From the folder of the page to that of the reports.
_WAY = "../../benchmarks/results"
_TABLE = re.compile(r"^\|.*(?:\n\|.*)*$", re.MULTILINE)


def paper_report(name: str) -> str:
    """One report without its title; headings one level lower, pictures where they lie.

    Tables are in a container of their own, which the style sheet keeps from wrapping cells.
    """
    path = REPORTS / f"{name}.md"
    if not path.exists():  # a source distribution has no results
        return f"`python -m benchmarks.paper {name}` makes this part; its report is not here.\n"
    _title, _, text = path.read_text(encoding="utf-8").partition("\n")
    text = re.sub(r"^#", "##", text.strip(), flags=re.MULTILINE)
    text = re.sub(r"\]\(\.\./", f"]({_WAY}/", text)
    return _TABLE.sub(r":::{container} report\n\n\g<0>\n\n:::", text) + "\n"

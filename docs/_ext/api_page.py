"""Writes the page that lists every public name, from what the modules say is public."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

# Module, heading, and which of its public names; what no group takes comes last.
_GROUPS = [
    ("bsnsing", "Classifiers", r"Bsnsing\w+"),
    (
        "bsnsing",
        "Questions, rules and the search",
        r"(best_rule|ask_questions|parse_question|questions_of|Pool|Question|Rule|RuleConstraints|Split|ColumnPair|Alternative)$",
    ),
    ("bsnsing", "Fitted trees", r"(Tree|Node)$"),
    (
        "bsnsing",
        "Read and explain",
        r"(export_text|export_rules|rules_frame|nodes_frame|summary|explain|decision_threshold|DecisionThreshold)$",
    ),
    ("bsnsing", "Pictures", r"(plot_\w+|export_svg|export_latex|export_graphviz|export_html)$"),
    (
        "bsnsing",
        "Model files",
        r"(load|from_json|export_json|json_schema|ModelFileError|NotStored)$",
    ),
    ("bsnsing", "Other programs", r"(export_\w+|to_sklearn|register_onnx)$"),
    ("bsnsing", "Errors and the rest", r"\w+"),
    (
        "bsnsing.export",
        "bsnsing.export",
        r"(export|Explanation|Explanations|Summary|PictureOptions)$",
    ),
    ("bsnsing.solvers", "bsnsing.solvers", r"(?!MIP_SOLVERS|SOLVERS)\w+"),
    ("bsnsing.dask", "bsnsing.dask", r"\w+"),
]
_HEAD = """Every public name
=================

What is not listed here may change in any release. Rules, trees and splits are frozen data;
nothing here prints.
"""


def api_page() -> str:
    """The page as reStructuredText."""
    parts, listed = [_HEAD], set()
    for module, heading, pattern in _GROUPS:
        public = importlib.import_module(module).__all__
        names = [n for n in public if re.match(pattern, n) and (module, n) not in listed]
        listed |= {(module, name) for name in names}
        rows = "\n".join(f"   {module}.{name}" for name in names)
        directive = ".. autosummary::\n   :toctree: generated\n   :nosignatures:\n"
        parts.append(f"{heading}\n{'-' * len(heading)}\n\n{directive}\n{rows}\n")
    return "\n".join(parts)


def write_page(app: Sphinx, config: Config) -> None:
    """Write the page, unless it is there already: a new time would mean a new build."""
    path, text = Path(app.srcdir) / "reference" / "api.rst", api_page()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""One neutral form of a model, one module per format, one registry; none reads the estimator.

Formats are imported when they are asked for, so that none costs those who do not use it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bsnsing.export.code.c import export_c
    from bsnsing.export.code.java import export_java
    from bsnsing.export.code.javascript import export_javascript
    from bsnsing.export.code.python import export_python
    from bsnsing.export.code.r import export_r
    from bsnsing.export.curves import plot_calibration, plot_confusion, plot_pruning_path, plot_roc
    from bsnsing.export.explanations import Explanation, Explanations, explain
    from bsnsing.export.graphviz import export_graphviz
    from bsnsing.export.importances import plot_importances
    from bsnsing.export.latex import export_latex
    from bsnsing.export.nodes import nodes_frame
    from bsnsing.export.notebook import notebook_picture
    from bsnsing.export.onnx.model import export_onnx
    from bsnsing.export.page import export_html
    from bsnsing.export.partition import plot_partition
    from bsnsing.export.picture_options import PictureOptions
    from bsnsing.export.plot import plot_tree
    from bsnsing.export.pmml import export_pmml
    from bsnsing.export.registry import FORMATS, export
    from bsnsing.export.rules import export_rules, rules_frame
    from bsnsing.export.sklearn_tree import to_sklearn
    from bsnsing.export.spreadsheet import export_spreadsheet
    from bsnsing.export.sql import export_sql
    from bsnsing.export.summaries import summary
    from bsnsing.export.summary_page import Summary, TreeSummaries
    from bsnsing.export.svg import export_svg
    from bsnsing.export.text import export_text
    from bsnsing.export.workbook import export_xlsx

# Where each name comes from; the same as above, for those that run.
_HOME = {
    "Explanation": "explanations",
    "Explanations": "explanations",
    "FORMATS": "registry",
    "PictureOptions": "picture_options",
    "Summary": "summary_page",
    "TreeSummaries": "summary_page",
    "explain": "explanations",
    "export": "registry",
    "export_c": "code.c",
    "export_graphviz": "graphviz",
    "export_html": "page",
    "export_java": "code.java",
    "export_javascript": "code.javascript",
    "export_latex": "latex",
    "export_onnx": "onnx.model",
    "export_pmml": "pmml",
    "export_python": "code.python",
    "export_r": "code.r",
    "export_rules": "rules",
    "export_spreadsheet": "spreadsheet",
    "export_sql": "sql",
    "export_svg": "svg",
    "export_text": "text",
    "export_xlsx": "workbook",
    "nodes_frame": "nodes",
    "notebook_picture": "notebook",
    "plot_calibration": "curves",
    "plot_confusion": "curves",
    "plot_importances": "importances",
    "plot_partition": "partition",
    "plot_pruning_path": "curves",
    "plot_roc": "curves",
    "plot_tree": "plot",
    "rules_frame": "rules",
    "summary": "summaries",
    "to_sklearn": "sklearn_tree",
}

__all__ = [
    "FORMATS",
    "Explanation",
    "Explanations",
    "PictureOptions",
    "Summary",
    "TreeSummaries",
    "explain",
    "export",
    "export_c",
    "export_graphviz",
    "export_html",
    "export_java",
    "export_javascript",
    "export_latex",
    "export_onnx",
    "export_pmml",
    "export_python",
    "export_r",
    "export_rules",
    "export_spreadsheet",
    "export_sql",
    "export_svg",
    "export_text",
    "export_xlsx",
    "nodes_frame",
    "notebook_picture",
    "plot_calibration",
    "plot_confusion",
    "plot_importances",
    "plot_partition",
    "plot_pruning_path",
    "plot_roc",
    "plot_tree",
    "rules_frame",
    "summary",
    "to_sklearn",
]


def __getattr__(name: str) -> Any:
    """Import a name on its first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

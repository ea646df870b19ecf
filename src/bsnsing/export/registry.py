"""The formats that a model can be written in: a new one is a module and a line here."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bsnsing.export.files import write_whole


@dataclass(frozen=True, slots=True)
class Format:
    """One format. Its function takes a model, and options by keyword, and returns what is written.

    Modules are imported when they are asked for, so that none costs those who do not use it.
    """

    name: str  # as people write it
    suffix: str  # of its files
    module: str
    function: str
    is_binary: bool = False
    extra: str | None = None  # of the package, where the format needs a library
    stem_option: str | None = None  # of the function: what must be called as the file is

    def load(self) -> Callable[..., Any]:
        """Return the function that writes the format."""
        function: Callable[..., Any] = getattr(importlib.import_module(self.module), self.function)
        return function

    def options_for(self, path: str | os.PathLike[str]) -> dict[str, str]:
        """Return the options that follow from the name of a file."""
        return {} if self.stem_option is None else {self.stem_option: Path(path).stem}


# In the order in which help and docs list them.
FORMATS = (
    Format("text", ".txt", "bsnsing.export.text", "export_text"),
    # With the estimators, since they are read back whole.
    Format("JSON", ".json", "bsnsing.estimators.store", "export_json"),
    Format("SVG", ".svg", "bsnsing.export.svg", "export_svg"),
    Format("PNG", ".png", "bsnsing.export.png", "export_png", is_binary=True, extra="plot"),
    Format("Graphviz", ".dot", "bsnsing.export.graphviz", "export_graphviz"),
    Format("LaTeX", ".tex", "bsnsing.export.latex", "export_latex"),
    Format("PDF", ".pdf", "bsnsing.export.latex", "export_pdf", is_binary=True),
    Format("HTML", ".html", "bsnsing.export.page", "export_html"),
    Format("PMML", ".pmml", "bsnsing.export.pmml", "export_pmml"),
    Format("SQL", ".sql", "bsnsing.export.sql", "export_sql"),
    Format("Python", ".py", "bsnsing.export.code.python", "export_python"),
    Format("C", ".c", "bsnsing.export.code.c", "export_c"),
    Format("JavaScript", ".js", "bsnsing.export.code.javascript", "export_javascript"),
    Format("Java", ".java", "bsnsing.export.code.java", "export_java", stem_option="class_name"),
    Format("R", ".R", "bsnsing.export.code.r", "export_r"),
    Format("Excel", ".xlsx", "bsnsing.export.workbook", "export_xlsx", is_binary=True),
    Format(
        "ONNX", ".onnx", "bsnsing.export.onnx.model", "export_onnx", is_binary=True, extra="onnx"
    ),
)


def format_of(path: str | os.PathLike[str]) -> Format:
    """Return the format that a file's suffix asks for."""
    suffix = Path(path).suffix
    for known in FORMATS:
        if known.suffix.lower() == suffix.lower():
            return known
    raise ValueError(
        f"No format has the suffix {suffix!r} of {str(path)!r}. "
        f"Use one of {', '.join(known.suffix for known in FORMATS)}."
    )


def export(
    model: Any, path: str | os.PathLike[str], *, overwrite: bool = False, **options: Any
) -> None:
    """Write a fitted model to a file, in the format that the file's suffix names.

    The file appears whole or not at all.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    path : path
        Where to write.
    overwrite : bool, default=False
        Whether a file that is there may be replaced.
    **options
        Those of the format's own function, such as :func:`bsnsing.export_text`. A class of Java
        is called as its file is, unless ``class_name`` says otherwise.

    Raises
    ------
    FileExistsError
        If the file is there and may not be replaced.
    ValueError
        If no format has that suffix.
    """
    wanted = format_of(path)
    content = wanted.load()(model, **(wanted.options_for(path) | options))
    write_whole(path, content, overwrite=overwrite)

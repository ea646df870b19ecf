"""Runs blocks of Python in one namespace and tells what each printed, returned and drew.

The blocks come as JSON on standard input, the outcomes go as JSON to the file named first; pictures
go to files that begin with the second argument.
"""

from __future__ import annotations

import ast
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")
mpl.rcParams.update({"svg.hashsalt": "bsnsing", "savefig.bbox": "tight", "figure.dpi": 100})
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of what draws)


def run(code: str, names: dict[str, Any]) -> Any:
    """Run a block, and return the value of its last line if that is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<page>", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "<page>", "eval"), names)


def shown(value: Any) -> dict[str, str]:
    """What a reader sees of a value: data frames as tables, what is drawn not at all."""
    module = type(value).__module__
    if value is None or module.startswith("matplotlib"):
        return {}
    if hasattr(value, "to_html"):
        return {"table": value.to_html(border=0, max_rows=12, float_format="{:.6g}".format)}
    return {"value": repr(value)}


def draw(beginning: str) -> list[dict[str, str]]:
    """Write the open figures to files and close them."""
    pictures = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        path = Path(f"{beginning}-{len(list(Path(beginning).parent.glob('*.svg')))}.svg")
        figure.savefig(path, metadata={"Date": None})
        titles = [ax.get_title() or ax.get_title(loc="left") for ax in figure.axes]
        pictures.append({"file": path.name, "title": "; ".join(filter(None, titles))})
    plt.close("all")
    return pictures


def main() -> None:
    outcomes_file, beginning = sys.argv[1:]
    names: dict[str, Any] = {"__name__": "__page__"}
    outcomes = []
    for code in json.load(sys.stdin):
        printed = io.StringIO()
        with redirect_stdout(printed):
            value = run(code, names)
        outcome = {"printed": printed.getvalue(), **shown(value), "pictures": draw(beginning)}
        outcomes.append(outcome)
    Path(outcomes_file).write_text(json.dumps(outcomes), encoding="utf-8")


if __name__ == "__main__":
    main()

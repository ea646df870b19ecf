"""Writes the parameters of an estimator as Markdown: what each takes, defaults, how to choose."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

_ROLE = re.compile(r":(?:class|meth|func):`~?([^`]+)`")


def told(estimator: type) -> dict[str, str]:
    """The paragraphs of each parameter in the docstring, in their order."""
    text = inspect.cleandoc(estimator.__doc__ or "")
    part = text.split("Parameters\n----------\n")[1].split("\nAttributes\n")[0]
    found: dict[str, str] = {}
    names: list[str] = []
    for line in part.splitlines():
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.split(" : ")[0].split(",")]
            found.update(dict.fromkeys(names, ""))
        else:
            for name in names:
                found[name] += line.removeprefix("    ") + "\n"
    return found


def as_markdown(text: str) -> str:
    """Turn the reStructuredText of a docstring into Markdown, literal blocks included."""
    text = _ROLE.sub(lambda role: f"`{role[1]}`", text).replace("``", "`")
    lines = []
    for line in text.splitlines():
        if line.startswith("Measured: "):
            lines += ["", f"*Measured:* {line.removeprefix('Measured: ')}"]
        elif line.endswith("::"):
            lines.append(line[:-1])
        else:
            lines.append(line)
    return "\n".join(lines).strip()


def shown(value: Any) -> str:
    """Write a default as code."""
    return f"`{value!r}`"


def parameter_table(estimator: Any, takes: Mapping[str, tuple[Any, str]]) -> str:
    """A table of defaults, then a definition for each parameter."""
    paragraphs = told(estimator)
    defaults = estimator().get_params(deep=False)
    presets = {
        name: getattr(estimator, name)().get_params(deep=False)
        for name in ("plain", "paper")
        if hasattr(estimator, name)
    }
    head = ["parameter", "default", *(f"`{preset}()`" for preset in presets)]
    rows = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for name in (own for own in paragraphs if own in defaults and presets):
        cells = [shown(defaults[name])]
        for given in presets.values():
            cells.append("" if repr(given[name]) == repr(defaults[name]) else shown(given[name]))
        rows.append(f"| `{name}` | " + " | ".join(cells) + " |")
    parts = ["\n".join(rows)] if len(rows) > 2 else []
    for name in (own for own in paragraphs if own in defaults):
        default = defaults[name]
        words = [f"`{name}`", f": default {shown(default)}"]
        for preset, given in presets.items():
            if repr(given[name]) != repr(default):
                words[-1] += f"; in `{preset}()` {shown(given[name])}"
        if name in takes:
            words[-1] += f". Takes {takes[name][1]}."
        body = as_markdown(paragraphs[name])
        indented = "\n".join(f"  {line}".rstrip() for line in body.splitlines())
        parts.append("\n".join(words) + "\n\n" + indented)
    return "\n\n".join(parts) + "\n"

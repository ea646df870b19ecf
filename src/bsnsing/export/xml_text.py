"""XML elements as plain data, and a document of them, written without recursion."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.sax.saxutils import escape

# What XML 1.0 cannot hold, not even escaped.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SPECIAL = re.compile('[&<>"\x00-\x1f\ud800-\udfff\ufffe\uffff]')
_ESCAPED = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its attributes, and either children or text."""

    tag: str
    attributes: dict[str, str]
    children: tuple[Element, ...]
    text: str = ""


def element(
    tag: str, attributes: dict[str, str] | None = None, *children: Element, text: str = ""
) -> Element:
    """Make an element."""
    return Element(tag, attributes or {}, children, text)


def write_document(root: Element) -> str:
    """Write a document, with one element per line."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    todo: list[tuple[Element | str, int]] = [(root, 0)]
    while todo:
        item, depth = todo.pop()
        spaces = "  " * min(depth, 40)
        if isinstance(item, str):
            lines.append(f"{spaces}</{item}>")
            continue
        attributes = "".join(f' {name}="{safe_text(v)}"' for name, v in item.attributes.items())
        start = f"{spaces}<{item.tag}{attributes}"
        if item.text:
            lines.append(f"{start}>{safe_text(item.text)}</{item.tag}>")
        elif not item.children:
            lines.append(f"{start}/>")
        else:
            lines.append(f"{start}>")
            todo.append((item.tag, depth))
            todo.extend((child, depth + 1) for child in reversed(item.children))
    return "\n".join(lines) + "\n"


def safe_text(text: str) -> str:
    """Return text as XML has it; ValueError where it cannot hold it."""
    if not _SPECIAL.search(text):
        return text
    if _FORBIDDEN.search(text):
        raise ValueError(
            f"The text {text!r:.60} has a character that XML cannot write. Rename it before fit."
        )
    return escape(text, _ESCAPED)

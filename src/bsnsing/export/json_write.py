"""JSON as people like to read it: what fits on a line is on one."""

from __future__ import annotations

import json
import re
from typing import Any

_WIDTH = 100


def write_json(value: Any) -> str:
    """Write a value as strict JSON; each float in the fewest digits that give it back.

    Values nest only as deep as the format has it, so that recursion is safe.
    """
    text = "".join(_parts(value, 0, 0)) + "\n"
    return re.sub(r"[^\x00-\x7e]", _escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """A character that can be seen as it is, and what cannot (or has no bytes in UTF-8) escaped."""
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]


def _parts(value: Any, indent: int, n_used: int) -> list[str]:
    """Pieces of the text of a value that begins after ``n_used`` characters of its line."""
    if not isinstance(value, dict | list) or _room(value, _WIDTH - indent - n_used) >= 0:
        return [_dumps(value)]
    inside = "\n" + " " * (indent + 2)
    parts = ["{" if isinstance(value, dict) else "["]
    for i, item in enumerate(value):
        parts.append(f",{inside}" if i else inside)
        if isinstance(value, dict):
            key = f"{_dumps(item)}: "
            parts.append(key)
            parts += _parts(value[item], indent + 2, len(key))
        else:
            parts += _parts(item, indent + 2, 0)
    parts.append("\n" + " " * indent + ("}" if isinstance(value, dict) else "]"))
    return parts


def _room(value: Any, room: int) -> int:
    """Characters left of a line after a value; negative, and no more looked at, if it is full."""
    if not isinstance(value, dict | list):
        return room - (len(value) + 2 if isinstance(value, str) else len(repr(value)))
    room -= 2
    for item in value:
        if room < 0:
            return room
        room -= 2
        if isinstance(value, dict):
            room = _room(value[item], room - len(item) - 4)
        else:
            room = _room(item, room)
    return room


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

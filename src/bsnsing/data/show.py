"""Names, levels and numbers as people read them."""

from __future__ import annotations

import json
import re

from bsnsing.data.columns import Level


def show_name(name: str) -> str:
    """Write a column's name so that it stays on its line."""
    return name if name.isprintable() else json.dumps(name)


def show_column(name: str, *, in_pair: bool = False) -> str:
    """Write a column's name so that it is not taken for what is made of two columns."""
    is_like_pair = re.search(r" [-+*/] ", name) or (in_pair and re.search(r"[*/]", name))
    return (
        json.dumps(name, ensure_ascii=not name.isprintable()) if is_like_pair else show_name(name)
    )


def show_level(level: Level) -> str:
    """Write a number short, and text in quotes where it would be misread without."""
    if isinstance(level, str):
        is_plain = re.fullmatch(r"[\w.+-]+", level) and not _reads_as_other(level)
        return level if is_plain else json.dumps(level, ensure_ascii=not level.isprintable())
    if isinstance(level, float):
        return _show_number(level)
    return str(level)


def _show_number(number: float) -> str:
    """Write six digits, or as many more as tell it to ten million parts and to hundredths."""
    for digits in range(6, 17):
        text = format(number, f".{digits}g")
        if abs(float(text) - number) <= min(1e-7 * abs(number), 0.005):
            break
    return format(float(text), f".{digits}f").rstrip("0").rstrip(".") if _is_long(text) else text


def _is_long(text: str) -> bool:
    # 20240101.5 reads better than 2.02401015e+07.
    return "e+" in text and abs(float(text)) < 1e15


def _reads_as_other(text: str) -> bool:
    """Whether text would be taken for a number or a word of the rule."""
    try:
        float(text)
    except ValueError:
        return text.lower() in {"or", "and", "xor", "not", "in", "is", "true", "false", "none"}
    return True

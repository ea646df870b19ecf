"""Outlines of letters, each worked out once, and of lines of text made of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Outline = tuple[NDArray[np.float64], NDArray[np.uint8], float]  # points, codes of them, advance
_UNIT = 100.0  # size that outlines are worked out in
_FONT = "DejaVu Sans"  # which comes with Matplotlib, and which widths are those of


def text_outline(text: str, size: float, *, bold: bool) -> Outline:
    """Return the outline of a line of text that begins at 0 on its baseline; y grows upwards."""
    points, codes, x = [np.empty((0, 2))], [np.empty(0, dtype=np.uint8)], 0.0
    for character in text:
        own, kinds, advance = _outline(character, bold)
        points.append(own + np.array([x, 0.0]))
        codes.append(kinds)
        x += advance
    scale = size / _UNIT
    return np.concatenate(points) * scale, np.concatenate(codes), x * scale


@cache
def _outline(character: str, bold: bool) -> Outline:
    from matplotlib.ft2font import LoadFlags

    font = _font_for(character, bold)
    font.set_size(_UNIT, 72.0)
    glyph = font.load_char(ord(character), flags=LoadFlags.NO_HINTING)
    points, codes = font.get_path()
    advance = glyph.linearHoriAdvance / 65536.0
    return np.asarray(points, dtype=np.float64).reshape(-1, 2), np.asarray(codes, np.uint8), advance


def _font_for(character: str, bold: bool) -> Any:
    """Return the usual font, or another that is installed and has the letter."""
    usual = _font(_usual_path(bold))
    if usual.get_char_index(ord(character)):
        return usual
    for path in _other_paths():
        other = _font(path)
        if other is not None and other.get_char_index(ord(character)):
            return other
    return usual  # whose sign for letters that it does not have is drawn


@cache
def _usual_path(bold: bool) -> str:
    from matplotlib.font_manager import FontProperties, findfont

    return str(findfont(FontProperties(family=_FONT, weight="bold" if bold else "normal")))


@cache
def _other_paths() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager

    plain = [font for font in fontManager.ttflist if font.style == "normal"]
    return tuple(dict.fromkeys(font.fname for font in sorted(plain, key=lambda own: own.fname)))


@cache
def _font(path: str) -> Any:
    from matplotlib.ft2font import FT2Font

    try:
        return FT2Font(path)
    except (OSError, RuntimeError):  # no outlines, or no file any more
        return None

"""How wide text is, and where it wraps: from a table of widths, so that no font is needed."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from bsnsing.export.direction import in_line

# Widths in thousandths of the font size, of DejaVu Sans: the widest of the usual sans-serif fonts,
# so that text fits its box in all of them. From the space to the tilde.
_ASCII = (
    (318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337)
    + (636,) * 10
    + (337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295)
    + (656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390)
    + (337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278)
    + (974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838)
)
_WIDE = 1050  # Chinese, Japanese, Korean, emoji
_SMALL, _CAPITAL = 700, 850  # other scripts: more than most of their letters
_BOLD = 1.15  # how much wider bold text is
ELLIPSIS = "\u2026"
_COMPARISONS = frozenset([">", "<", ">=", "<=", "==", "!="])
_MARKS = "_-./,;:|"  # a long word is cut after one of these
_TO_SPACES = str.maketrans(_MARKS, " " * len(_MARKS))


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a line of text, in the units of the font's size.

    Examples
    --------
    >>> text_width("iii", 10) < text_width("mmm", 10)
    True
    """
    thousandths = sum(map(_width, text))
    return thousandths * size / 1000 * (_BOLD if bold else 1.0)


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    place = ord(character) - 32
    if 0 <= place < len(_ASCII):
        return _ASCII[place]
    category = unicodedata.category(character)
    if category in ("Mn", "Me", "Cf"):  # drawn over the letter before, or not at all
        return 0
    if unicodedata.east_asian_width(character) in "WF" or category == "So":
        return _WIDE
    return _CAPITAL if character.isupper() else _SMALL


def wrap(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Break a text into lines that fit a width: between words, and inside those that are too long.

    A comparison stays with its number where both fit. Every line holds a character at least, so
    that no width is too small to end. Names from right to left are marked as such, line by line.
    """
    lines: list[str] = []
    line, used = "", 0.0
    space = text_width(" ", size, bold=bold)
    for word in _words(text, width, size, bold):
        wide = text_width(word, size, bold=bold)
        if line and used + space + wide <= width:
            line, used = f"{line} {word}", used + space + wide
            continue
        if wide <= width:
            lines += [line] if line else []
            line, used = word, wide
            continue
        *whole, line = _pieces(f"{line} {word}" if line else word, width, size, bold)
        lines += whole
        used = text_width(line, size, bold=bold)
    return [in_line(line) for line in [*lines, line]]


def cuts_words(text: str, width: float, size: float, *, bold: bool = False) -> bool:
    """Whether a width is so small that words must be cut where no mark is."""
    parts = text.translate(_TO_SPACES).split()
    return any(text_width(part, size, bold=bold) > width for part in parts)


def _words(text: str, width: float, size: float, bold: bool) -> list[str]:
    words: list[str] = []
    for word in text.split(" "):
        together = f"{words[-1]} {word}" if words else ""
        if words and words[-1] in _COMPARISONS and text_width(together, size, bold=bold) <= width:
            words[-1] = together
        else:
            words.append(word)
    return words


def _pieces(word: str, width: float, size: float, bold: bool) -> list[str]:
    """Cut a word that is too long for a line, after a mark between its parts where there is one."""
    pieces = []
    factor = size / 1000 * (_BOLD if bold else 1.0)
    start, used, mark = 0, 0.0, 0
    i = 0
    while i < len(word):
        wide = _width(word[i]) * factor
        if used + wide > width and i > start:
            end = mark if mark > start else i
            pieces.append(word[start:end])
            start = i = end
            used, mark = 0.0, 0
            continue
        used += wide
        if word[i] in _MARKS:
            mark = i + 1
        i += 1
    pieces.append(word[start:])
    return pieces


def shorten(lines: list[str], most: int, width: float, size: float) -> list[str]:
    """Keep the first lines, the last of which then ends in an ellipsis."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and text_width(last + ELLIPSIS, size) > width:
        last = last[:-1]
    return [*lines[: most - 1], last + ELLIPSIS]

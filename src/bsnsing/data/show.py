"""Names, levels and numbers as people read them, and as the grammar reads them back."""

from __future__ import annotations

import json
import math
import re

from bsnsing.data.columns import Level
from bsnsing.data.scales import reads_as_moment, scale_of, show_moment

# Words that end a column's name; names that hold one are quoted.
KEYWORDS = ("or", "and", "xor", "not", "in", "is", "before", "after", "since", "until")
_END_OF_NAME = re.compile(
    rf"[<>{{}}\"]|[=!]=|\s=\s|\s(?:[-+*/]|{'|'.join(KEYWORDS)})(?=[\s(]|$)", re.IGNORECASE
)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_OTHER_QUOTES = (("“", "”"), ("«", "»"))
# Signs that shape the letters beside them, as in Persian words, or make one picture of several.
_JOINERS = re.compile("(?<=[^\x00-\x7f\u200c\u200d])[\u200c\u200d](?=[^\x00-\x7f\u200c\u200d])")
# Digits that ">= 30" saves beside "> 29.999999999999996".
_FEWER_DIGITS = 8
_STARTS_LIKE_OTHER = re.compile(
    rf"[\s(#\[]|(?:yes|no):|(?:{'|'.join(KEYWORDS)})(?:[\s(]|$)", re.IGNORECASE
)


def quoted(text: str) -> str:
    r"""Write text in double quotes, as JSON has it; what can be printed stays as it is.

    Examples
    --------
    >>> print(quoted('naïve "😀"\n'))
    "naïve \"😀\"\n"
    """
    if is_printable(text) and not {'"', "\\"} & set(text):
        return f'"{text}"'
    kept = {found.start() for found in _JOINERS.finditer(text)}
    signs = (c if i in kept or _is_plain_sign(c) else _escaped(c) for i, c in enumerate(text))
    return "".join(['"', *signs, '"'])


def is_printable(text: str) -> bool:
    r"""Whether all of a text is seen; joiners between letters beyond ASCII are part of these.

    Examples
    --------
    >>> is_printable("\u0645\u06cc\u200c\u0634\u0648\u062f"), is_printable("a\u200cb")
    (True, False)
    """
    return text.isprintable() or _JOINERS.sub("", text).isprintable()


def _is_plain_sign(character: str) -> bool:
    return character.isprintable() and character not in '"\\'


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


def plainly(text: str) -> str:
    r"""Return the text of a rule as pictures show it: without signs that only keep quotes apart.

    Where a name in quotes has quotes or backslashes of its own, it is put between others.

    Examples
    --------
    >>> print(plainly(r'"say \"when\"" > 3 or "two / words" < 1'))
    “say "when"” > 3 or "two / words" < 1
    """
    return _QUOTED.sub(_between_others, text) if "\\" in text else text


def _between_others(found: re.Match[str]) -> str:
    inner = str(json.loads(found.group(), strict=False))
    if "\\" in found.group() and is_printable(inner):
        for first, last in _OTHER_QUOTES:
            if not {first, last} & set(inner):
                return f"{first}{inner}{last}"
    return found.group()


def show_name(name: str) -> str:
    """Write a name so that it stays on its line and is seen: a blank one in quotes."""
    is_seen = is_printable(name) and bool(name.strip())
    return name if is_seen else quoted(name)


def show_column(name: str, *, in_pair: bool = False) -> str:
    """Write a column's name so that it is taken for nothing else: in quotes where it must be."""
    is_plain = is_printable(name) and _is_plain(name) and not (in_pair and re.search("[*/]", name))
    return name if is_plain else quoted(name)


def end_of_name(text: str, start: int = 0) -> int:
    """Return where a name without quotes ends that begins at ``start``.

    That is before a test, a sign or a keyword, or a parenthesis that the name has not opened.
    """
    found = _END_OF_NAME.search(text, start)
    end = found.start() if found else len(text)
    depth = 0
    for place in range(start, end):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth < 0:
            return place
    return end


def show_level(level: Level) -> str:
    """Write a number short, and text in quotes where it would be misread without."""
    if scale_of(level) is not None:
        return show_moment(level)  # type: ignore[arg-type]
    if isinstance(level, str):
        is_plain = re.fullmatch(r"[\w.+-]+", level) and not _reads_as_other(level)
        return level if is_plain else quoted(level)
    return _show_number(level) if isinstance(level, float) else str(level)


def show_exactly(level: Level) -> str:
    """Write a level or a number so that it can be read back: numbers with all their digits."""
    if not isinstance(level, float):
        return show_level(level)
    text = repr(float(level) + 0.0)  # -0.0 is 0
    return text[:-2] if text.endswith(".0") else text


def show_bound(level: str) -> str:
    """Write a level that others are compared with: in quotes unless it begins with a letter."""
    return show_level(level) if level[:1].isalpha() else quoted(level)


def plainer_beside(number: float, towards: float) -> float | None:
    """Return the next double in a direction, if it takes far fewer digits; None if it does not.

    ``x > 29.999999999999996`` is ``x >= 30``, and reads better so.
    """
    if not math.isfinite(number):
        return None
    beside = math.nextafter(number, towards) + 0.0
    is_plainer = len(repr(beside)) + _FEWER_DIGITS <= len(repr(float(number)))
    return beside if beside == 0 or (is_plainer and math.isfinite(beside)) else None


def reads_as_number(text: str) -> bool:
    """Whether text would be taken for a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_plain(name: str) -> bool:
    """Whether a name is read back whole without quotes."""
    return (
        bool(name)
        and name == name.strip()
        and not _STARTS_LIKE_OTHER.match(name)
        and not reads_as_number(name)
        and not reads_as_moment(name)
        and name.count("(") == name.count(")")
        and end_of_name(name + " > 0") == len(name) + 1
    )


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
    words = (*KEYWORDS, "true", "false", "none", "missing")
    return reads_as_number(text) or text.lower() in words

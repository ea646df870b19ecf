"""Names that are written from right to left, in lines that are read from left to right.

Without a mark, a program that draws ``age > 50`` with a Hebrew name takes the sign and the number
for part of the name, and puts them at its other side.
"""

from __future__ import annotations

import re

# Before and after a name: what follows is read from left to right again. It is not drawn.
MARK = "\u200e"
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
# Words of one name, and a number at its end: one with a sign of per cent is no part of it.
_NAME = re.compile(
    rf"{_LETTER}+(?:[-_./' \d\u200c\u200d]*{_LETTER}+)*(?:[-_ ]?\d+(?![\d.,]*[\s\u00a0]?%))?"
)


def in_line(text: str) -> str:
    r"""Return a line of text with marks around its parts that are written from right to left.

    Examples
    --------
    >>> in_line("age > 50")
    'age > 50'
    >>> print(ascii(in_line("\u05d2\u05d9\u05dc > 50")))
    '\u200e\u05d2\u05d9\u05dc\u200e > 50'
    """
    return text if text.isascii() else _NAME.sub(rf"{MARK}\g<0>{MARK}", text)

r"""Any text as LaTeX that prints it and does nothing else.

What is written is ASCII, so that it does not depend on encodings. What pdflatex's standard fonts
have no letter for is written as its code, such as [U+4E2D].
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ASCII = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"{$<$}",
    ">": r"{$>$}",
    "|": r"{$|$}",
    '"': "{''}",  # the standard fonts have no straight one
    "*": r"{*}",
    "[": "{[}",  # not taken for an option
    "]": "{]}",
    # No ligatures: two hyphens are two hyphens.
    "-": "{-}",
    "'": r"{\textquotesingle}",
    "`": r"{\textasciigrave}",
    ",": "{,}",
    "?": "{?}",
    "!": "{!}",
}
_ACCENTS = {
    0x300: r"\`",
    0x301: r"\'",
    0x302: r"\^",
    0x303: r"\~",
    0x304: r"\=",
    0x306: r"\u",
    0x307: r"\.",
    0x308: r"\"",
    0x30A: r"\r",
    0x30B: r"\H",
    0x30C: r"\v",
    0x323: r"\d",
    0x327: r"\c",
    0x328: r"\c",  # the standard fonts have no ogonek, and the cedilla is next to it
    0x331: r"\b",
}
_GREEK_ACCENTS = {0x300: r"\grave", 0x301: r"\acute", 0x308: r"\ddot", 0x342: r"\tilde"}
_NAMED = {
    "ß": r"\ss",
    "ẞ": "SS",
    "æ": r"\ae",
    "Æ": r"\AE",
    "œ": r"\oe",
    "Œ": r"\OE",
    "ø": r"\o",
    "Ø": r"\O",
    "ł": r"\l",
    "Ł": r"\L",
    "\u0131": r"\i",
    "§": r"\S",
    "¶": r"\P",
    "©": r"\copyright",
    "£": r"\pounds",
    "…": r"\ldots",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u00a0": "~",
}
_SYMBOLS = {
    "°": r"^\circ",
    "±": r"\pm",
    "\u00d7": r"\times",
    "÷": r"\div",
    "·": r"\cdot",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "≈": r"\approx",
    "∞": r"\infty",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "²": "^2",
    "³": "^3",
    "¹": "^1",
    "µ": r"\mu",
    "¬": r"\neg",
    "∑": r"\sum",
    "√": r"\surd",
    "∈": r"\in",
}
# Greek letters by their names; capitals that look Latin have no command of their own.
_GREEK = frozenset(
    re.findall(
        r"\w+",
        "ALPHA BETA GAMMA DELTA EPSILON ZETA ETA THETA IOTA KAPPA LAMBDA MU NU XI PI RHO SIGMA "
        "TAU UPSILON PHI CHI PSI OMEGA",
    )
)
_LATIN_CAPITALS = {"ALPHA": "A", "BETA": "B", "EPSILON": "E", "ZETA": "Z", "ETA": "H", "IOTA": "I"}
_LATIN_CAPITALS |= {"KAPPA": "K", "MU": "M", "NU": "N", "RHO": "P", "TAU": "T", "CHI": "X"}


def latex_text(text: str) -> str:
    r"""Write a text so that LaTeX prints it as it is.

    Examples
    --------
    >>> print(latex_text(r"50% of R&D_costs"))
    50\% of R\&D\_costs
    """
    return "".join(map(_character, text))


def printed(text: str) -> str:
    """Return the text as it will look: with the codes of letters that cannot be printed.

    Examples
    --------
    >>> printed("caf\u00e9 \u4e2d")
    'caf\u00e9 [U+4E2D]'
    """
    return "".join(c if _known(c) else f"[U+{ord(c):04X}]" for c in text)


def _character(character: str) -> str:
    return _known(character) or f"{{[}}U+{ord(character):04X}{{]}}"


@lru_cache(maxsize=4096)
def _known(character: str) -> str | None:
    """How a character is written, where there is a way."""
    if character in _ASCII:
        return _ASCII[character]
    if " " <= character <= "~":
        return character
    if character in _NAMED:
        return f"{{{_NAMED[character]}}}"
    if character in _SYMBOLS:
        return f"{{${_SYMBOLS[character]}$}}"
    return _greek(character) or _accented(character)


def _greek(character: str) -> str | None:
    name = unicodedata.name(character, "").split(" ")
    if len(name) != 4 or name[0] != "GREEK" or name[2] != "LETTER":
        return None
    letter = {"LAMDA": "LAMBDA"}.get(name[3], name[3])
    if letter == "OMICRON":
        return "o" if name[1] == "SMALL" else "O"
    if letter not in _GREEK:
        return None
    if name[1] == "SMALL":
        return f"{{$\\{letter.lower()}$}}"
    return _LATIN_CAPITALS.get(letter, f"{{$\\{letter.capitalize()}$}}")


def _accented(character: str) -> str | None:
    """A letter with its accents, or what a compatible character is made of."""
    base, *marks = list(unicodedata.normalize("NFKD", character))
    if base.isascii() and base.isalnum():
        if marks and all(" " < mark <= "~" for mark in marks):
            return "".join(map(_character, (base, *marks)))  # a ligature, such as of f and i
        text, accents = ({"i": r"\i", "j": r"\j"}.get(base, base) if marks else base), _ACCENTS
    else:
        text, accents = (_greek(base) or "").strip("{$}"), _GREEK_ACCENTS
    if not text or any(ord(mark) not in accents for mark in marks):
        return None
    for mark in marks:
        text = f"{accents[ord(mark)]}{{{text}}}"
    return f"{{{text}}}" if accents is _ACCENTS else f"{{${text}$}}"

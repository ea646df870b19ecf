r"""Any text as LaTeX that prints it and does nothing else.

What is written is ASCII, so that it does not depend on encodings. What pdflatex's standard fonts
have no letter for is written by its code: pdflatex prints that, such as [U+4E2D], and XeLaTeX and
LuaLaTeX print the letter where a font of the system has it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby

from bsnsing.export.direction import MARK

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
    parts = []
    for is_from_right, run in groupby(_in_words(text.replace(MARK, "")), key=_is_from_right):
        written = "".join(map(_character, run))
        parts.append(rf"\fromright{{{written}}}" if is_from_right else written)
    return "".join(parts)


def printed(text: str) -> str:
    """Return the text as pdflatex prints it: with the codes of letters that it lacks.

    Examples
    --------
    >>> printed("caf\u00e9 \u4e2d")
    'caf\u00e9 [U+4E2D]'
    """
    text = text.replace(MARK, "")
    return "".join(c if _known(c) is not None else f"[U+{ord(c):04X}]" for c in text)


def either(letters: str, codes: str) -> str:
    r"""Write LaTeX for programs that print all letters, and for pdflatex, which does not."""
    return letters if letters == codes else rf"\either{{{letters}}}{{{codes}}}"


def letter_commands(document: str) -> str:
    """Return the commands that a document needs whose letters pdflatex lacks; else nothing.

    Of the fonts named, the last one that has a letter prints it.
    """
    codes = set(re.findall(r"\\letter(?:\[\w+\])?\{([0-9A-F]+)\}", document))
    scripts = {unicodedata.name(chr(int(code, 16)), "").split(" ")[0] for code in codes}
    own = {f"Noto Sans {script.title()}" for script in scripts if script.isalpha()}
    fonts = ",".join([*sorted(own - _NO_FONTS), "Noto Sans CJK SC", "DejaVu Sans"])
    return _COMMANDS.replace("FONTS", fonts) if codes else ""


# Scripts whose letters change beside each other, by the names that fonts know them by.
_SCRIPTS = {
    **{"ARABIC": "arab", "BENGALI": "beng", "DEVANAGARI": "deva", "GUJARATI": "gujr"},
    **{"GURMUKHI": "guru", "HEBREW": "hebr", "KANNADA": "knda", "KHMER": "khmr", "LAO": "laoo"},
    **{"MALAYALAM": "mlym", "MYANMAR": "mymr", "ORIYA": "orya", "SINHALA": "sinh"},
    **{"SYRIAC": "syrc", "TAMIL": "taml", "TELUGU": "telu", "THAI": "thai", "TIBETAN": "tibt"},
}
_NO_FONTS = {f"Noto Sans {name}" for name in ("Cjk", "Cyrillic", "Hangul", "Hiragana", "Katakana")}
# Fonts that the system lacks are left out once, as looking for one takes long; the others are made
# once for each size, so that letters beside each other are joined.
_COMMANDS = r"""\makeatletter
\ifdefined\suppressfontnotfounderror % XeTeX and LuaTeX
\suppressfontnotfounderror=1
\def\letterfonts{}
\@for\name:=FONTS\do{\font\own="\name"\relax
\ifx\own\nullfont\else\edef\letterfonts{\letterfonts\ifx\letterfonts\@empty\else,\fi\name}\fi}
\newcommand{\letter}[2][DFLT]{\begingroup\def\found{[U+#2]}%
\@for\name:=\letterfonts\do{%
\edef\own{\name\ifdefined\directlua:mode=harf;script=#1\fi}\edef\sized{\own/\f@size}%
\ifcsname\sized\endcsname\else
\global\expandafter\font\csname\sized\endcsname="\own" at \f@size pt\relax\fi
\expandafter\iffontchar\csname\sized\endcsname"#2\relax
\expandafter\let\expandafter\first\csname\sized\endcsname\def\found{\first\char"#2\relax}\fi}%
\found\endgroup}
\ifdefined\directlua\newcommand{\fromright}[1]{{\textdir TRT#1}}
\else\TeXXeTstate=1 \newcommand{\fromright}[1]{\beginR#1\endR}\fi
\newcommand{\either}[2]{#1}
\else\newcommand{\either}[2]{#2}\fi
\makeatother"""


def _in_words(letters: str) -> list[str]:
    """Return letters, and spaces between those from right to left with the letter after them."""
    joined: list[str] = []
    for letter in letters:
        is_inside = len(joined) > 1 and joined[-1] == " " and _is_from_right(joined[-2])
        if is_inside and _is_from_right(letter):
            joined[-1] += letter
        else:
            joined.append(letter)
    return joined


def _is_from_right(letters: str) -> bool:
    return unicodedata.bidirectional(letters[-1]) in ("R", "AL") or (
        "\u0590" <= letters[-1] <= "\u08ff" and unicodedata.category(letters[-1]) == "Mn"
    )


def _character(letters: str) -> str:
    spaces, letter = letters[:-1], letters[-1]
    written = _known(letter)
    if written is None:
        script = _SCRIPTS.get(unicodedata.name(letter, "").split(" ")[0])
        written = rf"\letter{f'[{script}]' if script else ''}{{{ord(letter):04X}}}"
    return spaces + written


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

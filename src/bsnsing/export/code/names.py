"""Names and comments that no language stumbles over, whatever the columns are called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# Words that some language keeps for itself: as a field's name, of C, C++, Java, JavaScript, Python
# or R. All languages get the same names, so that who knows one export can read the others.
_RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
        abstract alignas alignof and and_eq any arguments as asm assert async atomic auto await
        bitand bitor bool boolean break byte case catch char class classes compl complex concept
        const const_cast consteval constexpr constinit constructor continue debugger decltype
        def default del delete do double dynamic_cast elif else enum errno eval except explicit
        export extends extern f false final finally float for friend from function global goto
        i386 if imaginary implements import in inf inherits inline instanceof int interface is
        lambda let linux long mutable na namespace nan native new next no noexcept none nonlocal
        not not_eq null nullptr operator or or_eq package pass permits private protected
        prototype public raise record register reinterpret_cast repeat requires restrict return
        sealed self short signed sizeof static static_assert static_cast strictfp struct super
        switch synchronized t template this thread_local throw throws transient true try type
        typedef typeid typename typeof undefined union unix unknown unsigned using var virtual
        void volatile wchar_t while with xor xor_eq yes yield
        """,
    )
)
# Macros of C that a field cannot be called: those of its headers, and of the file itself.
_MACROS = re.compile(
    r"(?:E(?:DOM|ILSEQ|OF|RANGE)|BUFSIZ|DOMAIN|HUGE|HUGE_VAL[FL]?|I|INFINITY|MAXFLOAT|NAN|NULL"
    r"|OVERFLOW|PLOSS|SING|TLOSS|UNDERFLOW|[A-Z]+_[A-Z0-9_]+|.*_N_CLASSES)"
)
_LONGEST = 40
_LONGEST_COMMENT = 160


def identifiers(names: Iterable[str]) -> list[str]:
    """Return a name for each that is an identifier everywhere, short, and no other's.

    Examples
    --------
    >>> identifiers(["age", "Age", "petal length (cm)", "class", "größe", "😀"])
    ['age', 'Age_2', 'petal_length_cm', 'class_', 'grosse', 'x']
    """
    taken: set[str] = set()
    found = []
    for name in names:
        spelt = name[: 4 * _LONGEST].replace("ß", "ss")
        plain = unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode()
        base = re.sub(r"[^A-Za-z0-9]+", "_", plain)[:_LONGEST].strip("_") or "x"
        base = base if base[0].isalpha() else f"x{base}"
        is_kept = base.lower() in _RESERVED or _MACROS.fullmatch(base)
        base = f"{base}_" if is_kept else base
        number, own = 1, base
        while own.lower() in taken:  # some file systems and databases do not tell a from A
            number += 1
            own = f"{base}_{number}"
        taken.add(own.lower())
        found.append(own)
    return found


def as_comment(text: str) -> str:
    """Return what a comment can say in any language without coming to its end.

    Text of models is printable: line breaks and the like have been written as escapes. Backslashes
    are doubled, as Java reads escapes in comments too; signs that begin or end comments and
    trigraphs are set apart.
    """
    text = text if text.isprintable() else ascii(text)
    if len(text) > _LONGEST_COMMENT:
        half = _LONGEST_COMMENT // 2
        text = f"{text[:half]} ... {text[-half:]}"
    text = text.replace("\\", "\\\\")
    for sign in ("*/", "/*", "//", "??"):
        while sign in text:
            text = text.replace(sign, " ".join(sign))
    return text

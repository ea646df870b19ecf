"""Names of a format's own, beside columns that may be called anything."""

from __future__ import annotations

from collections.abc import Sequence


def free_prefix(names: Sequence[str]) -> str:
    """Return the beginning of names that none of these has.

    Examples
    --------
    >>> free_prefix(["age", "_p1"])
    '__'
    """
    prefix = "_"
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    return prefix

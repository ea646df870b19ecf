"""Levels as formats need them: as text where columns hold one type, or with all digits."""

from __future__ import annotations

from collections.abc import Sequence

from bsnsing.data.columns import Level


def whole_numbers(levels: Sequence[Level]) -> list[Level]:
    """Return levels with all that are whole numbers as integers, which keep all their digits."""
    return [
        int(level)
        if isinstance(level, bool) or (isinstance(level, float) and level % 1 == 0)
        else level
        for level in levels
    ]


def check_doubles_tell_apart(name: str, levels: Sequence[Level], format_name: str) -> None:
    """Raise ValueError where levels of a column that are numbers are the same as doubles."""
    numbers = [level for level in levels if not isinstance(level, str)]
    if len({float(level) for level in numbers}) < len(numbers):
        raise ValueError(
            f"Column {name!r} has levels that are integers beyond 2**53, which numbers of "
            f"{format_name} cannot tell apart. Fit the model on them as text."
        )


def texts_of_levels(name: str, levels: Sequence[Level], format_name: str) -> list[str]:
    """Return the levels of a column, numbers as Python writes them.

    Raises
    ------
    ValueError
        If a number and a text are then the same.

    Examples
    --------
    >>> texts_of_levels("size", (1, 2.5, "large"), "C")
    ['1', '2.5', 'large']
    """
    texts = [level if isinstance(level, str) else str(level) for level in levels]
    if len(set(texts)) < len(texts):
        raise ValueError(
            f"Column {name!r:.60} has levels that differ only in being a number or text, which "
            f"{format_name} gets as text alone. Fit the model on one kind of them."
        )
    return texts

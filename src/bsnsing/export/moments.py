"""Questions about moments, times and durations, as formats ask them that have such types.

A column holds whole microseconds to the tree, as doubles. Every question parts them at one place,
and is asked by the first that lies above it: ``visit >= 2021-03-01`` or ``visit < 2021-03-01``.
Asked so, cells that are finer than microseconds get the answers of those that are cut off to them.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass

from bsnsing.data.scales import Moment, Scale, in_steps
from bsnsing.questions.question import Question

STEPS_PER_SECOND = 1_000_000
STEPS_PER_DAY = 86_400 * STEPS_PER_SECOND


@dataclass(frozen=True, slots=True)
class Cut:
    """The place at which a question parts the cells of a column."""

    asks_above: bool  # whether cells above it answer yes
    first: int  # the first above it, in microseconds
    # The same as a moment, time or duration; None where Python has none, nor cells that lie there.
    value: Moment | None

    @property
    def is_above_all(self) -> bool:
        """Whether no cell lies above it, if there is no value."""
        return self.first > 0


def cut_of(question: Question, scale: Scale) -> Cut:
    """Return the place at which a question with "<" or ">" parts a column of moments.

    Examples
    --------
    >>> cut_of(Question("wait", ">", 59_999_999.0), Scale("duration")).value
    datetime.timedelta(seconds=60)
    """
    asks_above = question.test == ">"
    first = first_step(float(question.value), asks_above=asks_above)  # type: ignore[arg-type]
    value = scale.at(first)
    return Cut(asks_above, first, value if in_steps(value) == first else None)


def first_step(threshold: float, *, asks_above: bool) -> int:
    """Return the first microsecond that ``>`` a threshold holds for, or ``<`` does not."""
    return _least(math.nextafter(threshold, math.inf) if asks_above else threshold)


def _least(number: float) -> int:
    """Return the least whole number that is no less than a double, once it is one itself."""
    found = math.ceil(number)
    below = math.ceil(math.nextafter(number, -math.inf))  # which is less as a double
    while found - below > 1:
        middle = (found + below) // 2
        if float(middle) < number:
            below = middle
        else:
            found = middle
    return found


def in_whole_minutes(value: datetime.datetime) -> datetime.datetime:
    """Return a moment with an offset from UTC of whole minutes, as most readers ask for."""
    offset = value.utcoffset()
    if offset is None or offset % datetime.timedelta(minutes=1) == datetime.timedelta():
        return value
    return value.astimezone(datetime.timezone.utc)

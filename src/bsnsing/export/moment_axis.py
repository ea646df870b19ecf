"""Axes of moments, times of day and durations: where marks stand, and what is written at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bsnsing.data.scales import Scale, zone_of
from bsnsing.export.moments import STEPS_PER_DAY, STEPS_PER_SECOND

if TYPE_CHECKING:
    from matplotlib.axis import Axis

_SECOND, _MINUTE, _HOUR = STEPS_PER_SECOND, 60 * STEPS_PER_SECOND, 3600 * STEPS_PER_SECOND
# Distances of marks in microseconds, beyond days by ones, twos and fives of them.
_DISTANCES = (
    *(n * 10**k for k in range(6) for n in (1, 2, 5)),
    *(n * unit for unit in (_SECOND, _MINUTE) for n in (1, 2, 5, 10, 15, 30)),
    *(n * _HOUR for n in (1, 2, 3, 6, 12)),
    *(n * 10**k * STEPS_PER_DAY for k in range(9) for n in (1, 2, 5)),
)
_MOST_MARKS = 6


def show_on_axis(axis: Axis, scale: Scale, low: float, high: float) -> None:
    """Let an axis of days, as Matplotlib has dates, say what it shows; its ends are in days."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    if scale.kind == "moment":
        zone: Any = None if scale.zone is None else zone_of(scale.zone)
        locator = AutoDateLocator(tz=zone)  # type: ignore[no-untyped-call]
        axis.set_major_locator(locator)
        shown = ConciseDateFormatter(locator, tz=zone)  # type: ignore[no-untyped-call]
        axis.set_major_formatter(shown)
        return
    width = (high - low) * STEPS_PER_DAY / _MOST_MARKS
    distance = next((own for own in _DISTANCES if own >= width), _DISTANCES[-1])
    axis.set_major_locator(MultipleLocator(distance / STEPS_PER_DAY))
    axis.set_major_formatter(FuncFormatter(lambda days, _: _shown(scale, days)))


def _shown(scale: Scale, days: float) -> str:
    if scale.kind == "time" and not 0 <= days < 1:  # which is no time of a day
        return "24:00" if days == 1 else ""
    return scale.show(days * STEPS_PER_DAY)

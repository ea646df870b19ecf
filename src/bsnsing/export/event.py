"""The class whose probability an export tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def place_of_event(event: Any, classes: Sequence[Any]) -> int:
    """Return the position of a class among those of a model.

    Raises
    ------
    ValueError
        If the model does not have it.
    """
    labels = list(classes)
    if event not in labels:
        raise ValueError(
            f"event={event!r} is no class of the model. Its classes are "
            f"{', '.join(map(repr, labels[:10]))}{', ...' if len(labels) > 10 else ''}."
        )
    return labels.index(event)

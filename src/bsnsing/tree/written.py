"""Trees that are written as text. Cases are up to a later room, which leaves word here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_READERS: list[Callable[..., Any]] = []


def set_text_reader(reader: Callable[..., Any]) -> None:
    """Say what makes a fitted model of a text and cases."""
    _READERS[:] = [reader]


def model_from_text(text: str, X: Any, y: Any, sample_weight: Any, parameters: Any) -> Any:
    """Return the fitted model of a tree that a text describes."""
    return _READERS[0](text, X, y, sample_weight, **parameters)

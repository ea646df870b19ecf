"""Workers: who works on the parts of a table, wherever these lie.

The work on a part is a plain function of the part and of small messages. What it returns either
stays where the part is, or is merged with that of the other parts and comes here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

# Stands for something that may lie elsewhere: the thing itself, or a claim to it on a cluster.
Handle: TypeAlias = Any
Handles: TypeAlias = list[Any]  # one of each part
Result = TypeVar("Result")


Function = TypeVar("Function", bound=Callable[..., Any])


def cheap(function: Function) -> Function:
    """Mark a function whose result takes more to keep than to make again."""
    function.is_cheap = True  # type: ignore[attr-defined]
    return function


def is_cheap(function: Callable[..., Any]) -> bool:
    """Whether a function was marked as cheap."""
    return bool(getattr(function, "is_cheap", False))


class Room(NamedTuple):
    """How many calls can be worked on at a time, and what each may take."""

    n_calls: int = 1
    n_bytes: float = float("inf")  # of rows that are gathered, where they need not be
    n_threads: int = 1
    most_bytes: float = float("inf")  # where they must be


class Workers(Protocol):
    """Calls functions on every part.

    Functions are given by name, so that they can be sent elsewhere, and always return the same for
    the same arguments: a result that was lost is computed again.
    """

    def room(self) -> Room:
        """Return how much can be done at a time."""
        ...

    def each(self, function: Callable[..., Any], *parts: Handles, **messages: Any) -> Handles:
        """Call ``function(*own, **messages)`` for each part; results stay where they are."""
        ...

    def reduced(
        self,
        function: Callable[..., Result],
        merge: Callable[[Sequence[Result]], Result],
        *parts: Handles,
        **messages: Any,
    ) -> Handle:
        """Call the function for each part and merge the results in any order; the end stays."""
        ...

    def call(self, function: Callable[..., Any], *arguments: Any, **messages: Any) -> Handle:
        """Call a function once, on handles or lists of them; the result stays."""
        ...

    def fetch(self, handle: Handle) -> Any:
        """Return what a handle stands for."""
        ...

    def merged(
        self,
        function: Callable[..., Result],
        merge: Callable[[Sequence[Result]], Result],
        *parts: Handles,
        **messages: Any,
    ) -> Result:
        """Call the function for each part, merge the results in any order and return the end."""
        ...


_ALL = Room()


class Here:
    """Works on parts in this process, one after the other.

    Parameters
    ----------
    room : Room, default=Room()
        How much it says can be done at a time.
    """

    def __init__(self, room: Room = _ALL) -> None:
        self._room = room

    def room(self) -> Room:
        """One call at a time, of any size."""
        return self._room

    def each(self, function: Callable[..., Any], *parts: Handles, **messages: Any) -> Handles:
        """Call the function for each part."""
        return [function(*own, **messages) for own in zip(*parts, strict=True)]

    def reduced(
        self,
        function: Callable[..., Result],
        merge: Callable[[Sequence[Result]], Result],
        *parts: Handles,
        **messages: Any,
    ) -> Result:
        """Call the function for each part and merge the results two by two."""
        own = zip(*parts, strict=True)
        merged = function(*next(own), **messages)
        for others in own:
            merged = merge([merged, function(*others, **messages)])
        return merged

    def call(self, function: Callable[..., Result], *arguments: Any, **messages: Any) -> Result:
        """Call the function."""
        return function(*arguments, **messages)

    def fetch(self, handle: Any) -> Any:
        """Return the thing itself."""
        return handle

    merged = reduced

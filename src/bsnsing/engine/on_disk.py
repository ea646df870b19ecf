"""OnDisk: works on one part after the other, and keeps what is not at work in files."""

from __future__ import annotations

import itertools
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from bsnsing.engine.workers import Handles, Room, is_cheap

Result = TypeVar("Result")
# Told what is being done, how many parts are done, and of how many.
Progress = Callable[[str, int, int], None]


class Kept:
    """Something in a file, which goes with it."""

    def __init__(self, path: Path, thing: Any) -> None:
        self._path = path
        with path.open("wb") as file:
            pickle.dump(thing, file, protocol=5)

    def load(self) -> Any:
        """Return the thing."""
        with self._path.open("rb") as file:
            return pickle.load(file)

    def __del__(self) -> None:
        if self._path.exists():
            os.unlink(self._path)


class Made:
    """Something that is made anew each time it is needed."""

    def __init__(
        self, function: Callable[..., Any], arguments: Sequence[Any], messages: dict[str, Any]
    ) -> None:
        self._function, self._arguments, self._messages = function, arguments, messages

    def load(self) -> Any:
        """Return the thing."""
        return self._function(*map(_loaded, self._arguments), **self._messages)


class OnDisk:
    """Works on parts in this process: of all parts, one at a time is in memory.

    Parameters
    ----------
    folder : Path
        An empty folder, for this process alone.
    room : Room
        What one call may take.
    progress : callable, default=None
        Told what is being done.
    """

    def __init__(self, folder: Path, room: Room, progress: Progress | None = None) -> None:
        self._folder, self._numbers = folder, itertools.count()
        self._room, self._progress = room, progress

    def room(self) -> Room:
        """One call at a time."""
        return self._room

    def keep(self, things: Iterable[Any], name: str, n_all: int) -> Handles:
        """Keep things as they come; about ``n_all`` of them."""
        kept = []
        for thing in things:
            kept.append(Kept(self._path(name), thing))
            self._tell(name, len(kept), max(n_all, len(kept)))
        return kept

    def each(self, function: Callable[..., Any], *parts: Handles, **messages: Any) -> Handles:
        """Call the function for each part, and keep what it returns."""
        if is_cheap(function):
            return [Made(function, own, messages) for own in zip(*parts, strict=True)]
        return [
            Kept(self._path(function.__name__), function(*map(_loaded, own), **messages))
            for own in self._told(function.__name__, parts)
        ]

    def reduced(
        self,
        function: Callable[..., Result],
        merge: Callable[[Sequence[Result]], Result],
        *parts: Handles,
        **messages: Any,
    ) -> Result:
        """Call the function for each part and merge the results two by two."""
        own = self._told(function.__name__, parts)
        merged = function(*map(_loaded, next(own)), **messages)
        for others in own:
            merged = merge([merged, function(*map(_loaded, others), **messages)])
        return merged

    def call(self, function: Callable[..., Any], *arguments: Any, **messages: Any) -> Any:
        """Call a function once; what it returns is small, and stays in memory."""
        self._tell(function.__name__, 0, 1)
        result = function(*map(_loaded, arguments), **messages)
        self._tell(function.__name__, 1, 1)
        return result

    def fetch(self, handle: Any) -> Any:
        """Return what is kept."""
        return _loaded(handle)

    merged = reduced

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}-{next(self._numbers)}"

    def _told(self, name: str, parts: Sequence[Handles]) -> Iterator[tuple[Any, ...]]:
        """The handles of each part, and how far the work on them is."""
        for i, own in enumerate(zip(*parts, strict=True)):
            self._tell(name, i, len(parts[0]))
            yield own
        self._tell(name, len(parts[0]), len(parts[0]))

    def _tell(self, name: str, n_done: int, n_all: int) -> None:
        if self._progress is not None:
            self._progress(name, n_done, n_all)


def _loaded(handle: Any) -> Any:
    if isinstance(handle, list):
        return [_loaded(own) for own in handle]
    return handle.load() if isinstance(handle, Kept | Made) else handle

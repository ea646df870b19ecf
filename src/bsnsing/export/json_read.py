"""From the text of a model file to checked values: no code is run, and errors name the place."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

# Of an integer: levels may be as large as floats are.
_MOST_DIGITS = 400
# Different values of one hash: even large tables have hardly two.
_MOST_COLLISIONS = 100
# JSON has no word for these.
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class ModelFileError(ValueError):
    """What a file holds is no model, or not one that this version can read."""


def read_bytes(path: str | os.PathLike[str], max_bytes: int | None) -> bytes:
    """Return what a file holds; an error if that is too much, before it is read."""
    with open(path, "rb") as file:
        data = file.read() if max_bytes is None else file.read(max_bytes + 1)
    check_size(data, max_bytes)
    return data


def check_size(data: str | bytes, max_bytes: int | None) -> None:
    """Raise ModelFileError for too long a text."""
    if max_bytes is not None and len(data) > max_bytes:
        raise ModelFileError(
            f"The model takes more than {max_bytes:,} bytes, which is the limit. "
            "If you trust where it is from, raise max_bytes."
        )


def parse(data: str | bytes) -> Any:
    """Read JSON strictly: no NaN, no key twice, no endless numbers and no deep nesting."""
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        return json.loads(
            text,
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse_constant,
            parse_int=_read_int,
        )
    except ModelFileError:
        raise
    except RecursionError:
        raise ModelFileError("This is no model: its JSON is nested too deeply.") from None
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"This is no model: byte {error.start} is not UTF-8 text. Give a file that "
            "model.save wrote."
        ) from None
    except ValueError as error:
        raise ModelFileError(
            f"This is no model: it is not JSON ({error}). Give a file that model.save wrote, "
            "whole and unchanged."
        ) from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        seen = set[str]()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ModelFileError(f"The field {shown(twice)} occurs twice in one object. Remove one.")
    return fields


def _refuse_constant(word: str) -> NoReturn:
    raise ModelFileError(f"{word} is not JSON. Write it as the text {json.dumps(word)}.")


def _read_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ModelFileError(f"A number of {len(digits)} digits is out of range.")
    return int(digits)


def shown(value: Any) -> str:
    """Write a value short, for messages."""
    text = repr(value)[:61] if isinstance(value, str | int | float) else type(value).__name__
    names = {"dict": "an object", "list": "a list", "NoneType": "null"}
    return text[:60] + "..." if len(text) > 60 else names.get(text, text)


class Place:
    """A value of a file, and where it stands, which errors name.

    Each reader returns the plain value, or raises ModelFileError.
    """

    __slots__ = ("value", "where")

    def __init__(self, value: Any, where: str = "") -> None:
        self.value = value
        self.where = where

    def fail(self, wanted: str) -> NoReturn:
        """Raise for a value that is not what it must be."""
        raise ModelFileError(
            f"{self.where or 'The model'} must be {wanted}. Got {shown(self.value)}."
        )

    def fields(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Place]:
        """Read an object with these fields and no other."""
        own = self.value
        if type(own) is not dict:
            self.fail("an object")
        for name in required:
            if name not in own:
                raise ModelFileError(
                    f"{self.where or 'The model'} lacks the field {name!r}. "
                    "Give a file that model.save wrote, whole and unchanged."
                )
        if len(own) > len(required):
            known = {*required, *optional}
            for name in own:
                if name not in known:
                    raise ModelFileError(
                        f"{self.where or 'The model'} has the unknown field {shown(name)}. "
                        f"Its fields are {', '.join([*required, *optional])}."
                    )
        before = f"{self.where}." if self.where else ""
        return {name: Place(value, before + name) for name, value in own.items()}

    def items(self, n_items: int | None = None) -> Iterator[Place]:
        """Read a list, perhaps of a known length; one by one, as there may be millions."""
        if type(self.value) is not list:
            self.fail("a list")
        if n_items is not None and len(self.value) != n_items:
            raise ModelFileError(
                f"{self.where} must have {n_items} entries. Got {len(self.value)}."
            )
        return (Place(value, f"{self.where}[{i}]") for i, value in enumerate(self.value))

    def pairs(self) -> Iterator[tuple[str, Place]]:
        """Read an object of any fields."""
        if type(self.value) is not dict:
            self.fail("an object")
        for name, value in self.value.items():
            yield name, Place(value, f"{self.where}.{shown(name)[1:-1]}")

    def text(self) -> str:
        """Read text."""
        if type(self.value) is not str:
            self.fail("text")
        return str(self.value)

    def one_of(self, words: Sequence[str]) -> str:
        """Read one of a few words."""
        if type(self.value) is not str or self.value not in words:
            self.fail(f"one of {', '.join(map(repr, words))}")
        return str(self.value)

    def flag(self) -> bool:
        """Read true or false."""
        if type(self.value) is not bool:
            self.fail("true or false")
        return bool(self.value)

    def integer(self, low: int, high: int = 2**31 - 1) -> int:
        """Read an integer in a range."""
        if type(self.value) is not int or not low <= self.value <= high:
            self.fail(f"an integer from {low} to {high}")
        return int(self.value)

    def number(self, low: float = -math.inf, *, finite: bool = True) -> float:
        """Read a number; if it need not be finite, also the words for those that are not."""
        number = self.value
        if not finite and type(number) is str and number in _NOT_FINITE:
            return _NOT_FINITE[number]
        if type(number) is not float and type(number) is not int:
            self.fail("a number")
        try:
            number = float(number)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number) or number < low:
            self.fail(f"a finite number{'' if low == -math.inf else f' of at least {low:g}'}")
        return number

    def numbers(self, n_items: int, low: float = -math.inf) -> NDArray[np.float64]:
        """Read a list of finite numbers of a known length."""
        own = self.value
        if type(own) is list and len(own) == n_items and set(map(type, own)) <= {float, int}:
            try:
                found = np.array(own, dtype=np.float64)
            except OverflowError:
                found = np.array([math.inf])
            if np.isfinite(found).all() and (found >= low).all():
                return found
        return np.array([place.number(low) for place in self.items(n_items)], dtype=np.float64)

    def scalar(self) -> str | int | float | bool:
        """Read text, true, false or a finite number."""
        if type(self.value) not in (str, int, float, bool):
            self.fail("text, a number, true or false")
        if type(self.value) is float:
            return self.number()
        own: str | int | bool = self.value
        return own


def are_distinct(values: Sequence[str | int | float | bool]) -> bool:
    """Whether no value occurs twice, nor too many that Python's sets take for near to equal.

    Integers can be chosen so that a set of them takes forever.
    """
    hashes = np.fromiter(map(hash, values), dtype=np.int64, count=len(values))
    _, counts = np.unique(hashes, return_counts=True)
    return int(counts.max(initial=0)) <= _MOST_COLLISIONS and len(set(values)) == len(values)


def as_number(number: float) -> float | str:
    """Return a number as JSON can hold it."""
    number = float(number)
    if math.isfinite(number):
        return number
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"

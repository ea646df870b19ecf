"""Values of parameters as JSON, and back; what is not ours to write leaves a note of itself."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bsnsing.export.json_read import ModelFileError, Place, are_distinct, as_number
from bsnsing.export.json_values import (
    pair_from_json,
    pair_to_json,
    question_from_json,
    question_to_json,
)
from bsnsing.questions.donors.extra import read_extra
from bsnsing.questions.donors.place import MOST_CUTS
from bsnsing.questions.donors.r import RLearner
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question
from bsnsing.rules.constraints import RuleConstraints
from bsnsing.solvers.mip_options import MipOptions

_MOST_NESTED = 20
_MOST_STEPS = 1000  # of a range, whose checks go through all of them
_MT_WORDS = 624  # of the state of a RandomState
_RECORDS: dict[str, type] = {
    "RuleConstraints": RuleConstraints,
    "MipOptions": MipOptions,
    "RLearner": RLearner,
}


@dataclass(frozen=True, slots=True)
class NotStored:
    """What stands in a loaded model for the value of a parameter that no file can hold.

    Such values are objects of other packages, for instance a teacher of your own, a splitter or a
    scorer. The model predicts as before. To fit it again, give the parameter a value first.

    Attributes
    ----------
    text : str
        How the value described itself.
    """

    text: str

    def __repr__(self) -> str:
        return f"<not stored: {self.text}>"


class ValueWriter:
    """Writes values, and remembers of which there is only a note."""

    def __init__(self, write_estimator: Callable[[Any, ValueWriter], Any]) -> None:
        self.notes: list[str] = []
        self._write_estimator = write_estimator  # None for what is no estimator of ours

    def parameter(self, name: str, value: Any) -> Any:
        """Write the value of a parameter."""
        if name == "extra_questions":
            value = _as_questions(value)
        if name == "first_rules" and isinstance(value, Sequence):
            value = [str(rule) for rule in value]  # exact, and read back as rules
        return self.value(value, name)

    def value(self, value: Any, where: str, depth: int = 0) -> Any:
        """Write a value: as it is where JSON has it, else as an object with one "$" field."""
        plain = value.item() if isinstance(value, np.generic) else value
        if plain is None or type(plain) in (bool, int, str):
            return plain
        if type(plain) is float:
            return plain if math.isfinite(plain) else {"$float": as_number(plain)}
        if depth >= _MOST_NESTED:
            return self._note(value, where)

        def inner(item: Any) -> Any:
            return self.value(item, where, depth + 1)

        if type(value) is list:
            return [inner(item) for item in value]
        if type(value) is tuple:
            return {"$tuple": [inner(item) for item in value]}
        if type(value) in (set, frozenset):
            name = "$set" if type(value) is set else "$frozenset"
            return {name: [inner(item) for item in sorted(value, key=repr)]}
        if type(value) is range and len(value) <= _MOST_STEPS:
            return {"$range": [value.start, value.stop, value.step]}
        if type(value) is dict:
            if all(type(key) is str and not key.startswith("$") for key in value):
                return {key: inner(item) for key, item in value.items()}
            return {"$dict": [[inner(key), inner(item)] for key, item in value.items()]}
        return self._ours(value, where, inner)

    def _ours(self, value: Any, where: str, inner: Callable[[Any], Any]) -> Any:
        if isinstance(value, NotStored):
            return {"$not_stored": value.text}
        if isinstance(value, Question):
            return {"$Question": question_to_json(value)}
        if isinstance(value, ColumnPair):
            return {"$ColumnPair": pair_to_json(value)}
        for name, kind in _RECORDS.items():
            if type(value) is kind:
                return {f"${name}": {f.name: inner(getattr(value, f.name)) for f in fields(kind)}}
        if type(value) is np.ndarray and value.ndim == 1 and value.dtype.kind in "biufU":
            return {"$array": {"dtype": value.dtype.name, "values": inner(value.tolist())}}
        if type(value) is np.random.RandomState:
            return {"$RandomState": _state_of(value)}
        estimator = self._write_estimator(value, self)
        return self._note(value, where) if estimator is None else {"$estimator": estimator}

    def _note(self, value: Any, where: str) -> dict[str, Any]:
        try:
            text = repr(value)
        except Exception as error:  # of whatever it is, which must not keep a model from its file
            text = f"{type(value).__name__}, whose repr fails with {type(error).__name__}"
        self.notes.append(f"{where}={text[:60]}")
        return {"$not_stored": text[:1000]}

    def warn(self, stacklevel: int) -> None:
        """Say what there is only a note of."""
        if self.notes:
            warnings.warn(
                f"The file has a note only of {', '.join(dict.fromkeys(self.notes))}, which JSON "
                "cannot hold. The loaded model predicts as this one; to fit it again, set "
                "that anew.",
                stacklevel=stacklevel + 1,
            )


def _as_questions(given: Any) -> Any:
    """Put the questions of fitted models, those of the cuts they use most, in their place."""
    if given is None or isinstance(given, str | Question | NotStored | Iterator | RLearner):
        return given
    if isinstance(given, os.PathLike):
        return os.fspath(given)
    if type(given) in (list, tuple):
        return type(given)(_as_questions(item) for item in given)
    try:
        (lender,) = read_extra(given).lenders
        return list(dict.fromkeys(lender.questions(MOST_CUTS)))
    except Exception:  # what cannot be read, or is not fitted, leaves a note
        return given


def _state_of(random: np.random.RandomState) -> dict[str, Any]:
    name, words, position, has_gauss, cached = random.get_state()
    return {
        "algorithm": name,
        "words": np.asarray(words).tolist(),
        "position": int(position),
        "has_gauss": bool(has_gauss),
        "cached": float(cached),
    }


# --- Reading ---


def read_value(place: Place, read_estimator: Callable[[Place], Any], depth: int = 0) -> Any:
    """Read a value that :class:`ValueWriter` wrote."""
    if depth > 2 * _MOST_NESTED + 4:
        place.fail("nested less deeply")
    own = place.value
    if own is None:
        return None
    if type(own) is list:
        return [read_value(item, read_estimator, depth + 1) for item in place.items()]
    if type(own) is not dict:
        return place.scalar()
    kinds = [name for name in own if name.startswith("$")]
    if not kinds:
        return {name: read_value(v, read_estimator, depth + 1) for name, v in place.pairs()}
    if len(own) > 1 or kinds[0] not in _READERS:
        place.fail(f"an object with one field of {', '.join(_READERS)}")
    (inner,) = place.fields(kinds).values()
    return _READERS[kinds[0]](inner, _Nested(read_estimator, depth + 1))


@dataclass(frozen=True, slots=True)
class _Nested:
    """Reads what a value is made of."""

    read_estimator: Callable[[Place], Any]
    depth: int

    def value(self, place: Place) -> Any:
        return read_value(place, self.read_estimator, self.depth)

    def values(self, place: Place) -> list[Any]:
        return [self.value(item) for item in place.items()]


def _read_set(kind: type) -> Callable[[Place, _Nested], Any]:
    def read(place: Place, nested: _Nested) -> Any:
        values = nested.values(place)
        try:
            if are_distinct(values):
                return kind(values)
        except TypeError:
            pass
        place.fail("a list of what a set can hold, each once")

    return read


def _read_dict(place: Place, nested: _Nested) -> dict[Any, Any]:
    keys, values = [], []
    for item in place.items():
        key, value = (nested.value(part) for part in item.items(2))
        keys.append(key)
        values.append(value)
    try:
        if are_distinct(keys):
            return dict(zip(keys, values, strict=True))
    except TypeError:
        pass
    place.fail("a list of keys, each once, and values")


def _read_range(place: Place, _: _Nested) -> range:
    start, stop, step = (item.integer(-(2**31)) for item in place.items(3))
    if step == 0 or len(steps := range(start, stop, step)) > _MOST_STEPS:
        place.fail(f"a range of at most {_MOST_STEPS} steps, none of them 0")
    return steps


def _read_array(place: Place, nested: _Nested) -> Any:
    parts = place.fields(("dtype", "values"))
    values = nested.values(parts["values"])
    name = parts["dtype"].text()
    kinds: dict[str, set[type]] = {
        "b": {bool},
        "i": {int},
        "u": {int},
        "f": {float, int},
        "s": {str},
    }
    if not set(map(type, values)) <= kinds.get(name[:1], set()):
        parts["values"].fail("a list that fits its dtype")
    try:
        array = np.array(values, dtype=str if name.startswith("str") else name)
    except (TypeError, ValueError, OverflowError):
        parts["values"].fail("a list that fits its dtype")
    if array.dtype.name != name and not name.startswith("str"):
        parts["dtype"].fail("the name of a type of numbers")
    return array


def _read_random_state(place: Place, _: _Nested) -> np.random.RandomState:
    parts = place.fields(("algorithm", "words", "position", "has_gauss", "cached"))
    parts["algorithm"].one_of(("MT19937",))
    words = [item.integer(0, 2**32 - 1) for item in parts["words"].items(_MT_WORDS)]
    random = np.random.RandomState(0)
    random.set_state(
        (
            "MT19937",
            np.array(words, dtype=np.uint32),
            parts["position"].integer(0, _MT_WORDS),
            int(parts["has_gauss"].flag()),
            parts["cached"].number(),
        )
    )
    return random


def _read_record(kind: type) -> Callable[[Place, _Nested], Any]:
    names = [f.name for f in fields(kind)]

    def read(place: Place, nested: _Nested) -> Any:
        parts = place.fields((), names)
        try:
            return kind(**{name: nested.value(part) for name, part in parts.items()})
        except ModelFileError:
            raise
        except (TypeError, ValueError):
            place.fail(f"the fields of a {kind.__name__}")

    return read


def _read_question(place: Place, _: _Nested) -> Question:
    question, negated = question_from_json(place)
    if negated:
        place.fail("a question that is not negated")
    return question


_READERS: dict[str, Callable[[Place, _Nested], Any]] = {
    "$float": lambda place, _: place.number(finite=False),
    "$tuple": lambda place, nested: tuple(nested.values(place)),
    "$set": _read_set(set),
    "$frozenset": _read_set(frozenset),
    "$range": _read_range,
    "$dict": _read_dict,
    "$array": _read_array,
    "$RandomState": _read_random_state,
    "$Question": _read_question,
    "$ColumnPair": lambda place, _: pair_from_json(place),
    **{f"${name}": _read_record(kind) for name, kind in _RECORDS.items()},
    "$estimator": lambda place, nested: nested.read_estimator(place),
    "$not_stored": lambda place, _: NotStored(place.text()),
}

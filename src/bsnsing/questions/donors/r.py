"""The way to R: calls through rpy2, in which nothing is evaluated from text of the user's."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import shutil
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bsnsing.questions.donors.base import Donor, Form, is_of

# What R has to say; errors of R are exceptions here, with its message.
_LOGGER = logging.getLogger("bsnsing.r")


@dataclass(frozen=True, slots=True)
class RLearner:
    """A learner of R, for ``extra_questions``: "rpart", "ctree" (of party), "C50" or "tree".

    The name alone does for one with R's own settings: ``extra_questions="rpart"``.

    Attributes
    ----------
    name : str
        Which learner.
    settings : mapping
        Arguments of its function in R that are numbers, text or Booleans: ``{"cp": 0.001}``.

    Examples
    --------
    >>> RLearner("rpart", {"cp": 0.001})
    RLearner(name='rpart', settings={'cp': 0.001})
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what R has not, or cannot be given."""
        if self.name not in R_LEARNERS:
            raise ValueError(
                f"There is no learner {self.name!r} of R here. Use one of "
                f"{', '.join(map(repr, R_LEARNERS))}."
            )
        for name, value in self.settings.items():
            if not isinstance(name, str) or not isinstance(value, bool | int | float | str):
                raise ValueError(
                    f"Settings of {self.name!r} are numbers, text or Booleans by name. Got "
                    f"{name!r}: {value!r:.60}."
                )


# The package and the function of each.
R_LEARNERS: dict[str, tuple[str, str]] = {
    "rpart": ("rpart", "rpart"),
    "ctree": ("party", "ctree"),
    "C50": ("C50", "C5.0"),
    "tree": ("tree", "tree"),
}


class RDonor(Donor):
    """What the adapters of R's trees share; a subclass reads one kind of fitted object."""

    respells: ClassVar[bool] = True  # R writes dots for what its names cannot have
    form: ClassVar[Form] = "columns"
    learner: ClassVar[str]  # a key of R_LEARNERS
    r_class: ClassVar[str]  # of fitted objects

    def takes(self, model: Any) -> bool:
        """Whether this is the learner, or an object that it has fitted."""
        if isinstance(model, RLearner):
            return model.name == self.learner
        return is_of(model, "rpy2") and self.r_class in tuple(getattr(model, "rclass", ()))

    def is_fitted(self, model: Any) -> bool:
        """Objects of R are."""
        return not isinstance(model, RLearner)

    def name(self, model: Any) -> str:
        """The name of the learner."""
        return self.learner

    def takes_missing(self, learner: Any) -> bool:
        """All of them do."""
        return True

    def columns(self, model: Any) -> None:
        """Cuts have names already."""
        return

    def arguments(self, r: R, settings: dict[str, Any]) -> dict[str, Any]:
        """Return settings as arguments of the function: as they are, or in an object of R."""
        return settings

    def fit(self, learner: RLearner, X: Any, y: Any, weights: Any) -> Any:
        """Fit to columns x0, x1, ... and codes of levels, whatever the table calls them."""
        with r_session() as r:
            package, function = R_LEARNERS[learner.name]
            columns = {
                f"x{i}": r.numbers(part) if n_levels is None else r.factor(part, n_levels)
                for i, (part, n_levels) in enumerate(X)
            }
            frame = r.call("base", "data.frame", **columns, y=r.factor(y, int(y.max()) + 1))
            settings = {name: r.scalar(value) for name, value in learner.settings.items()}
            settings = self.arguments(r, settings)
            if weights is not None:
                settings["weights"] = r.numbers(weights)
            formula = r.call("stats", "as.formula", r.text("y ~ ."))
            return _Fitted(r.call(package, function, formula, data=frame, **settings))


class _Fitted:
    """An object of R that was fitted to columns x0, x1, ... here."""

    def __init__(self, object_: Any) -> None:
        self.object_ = object_


def fitted_object(model: Any) -> tuple[Any, bool]:
    """Return an object of R, and whether its names are those that a fit here gave."""
    return (model.object_, True) if isinstance(model, _Fitted) else (model, False)


def subject(name: str, *, is_ours: bool) -> int | str:
    """What a name in an object of R stands for: a position where a fit here gave the names."""
    return int(name[1:]) if is_ours else name


def level(name: str, *, is_ours: bool) -> float | str:
    """What a level in an object of R stands for: a code where a fit here gave the levels."""
    return float(name) if is_ours else name


class R:
    """A session of R, as far as trees need one."""

    def __init__(self, rinterface: Any) -> None:
        self._ri = rinterface

    def text(self, value: str) -> Any:
        """Text as a vector of one."""
        return self._ri.StrSexpVector([value])

    def scalar(self, value: Any) -> Any:
        """A setting as a vector of one."""
        if isinstance(value, bool):
            return self._ri.BoolSexpVector([value])
        if isinstance(value, int):
            return self._ri.IntSexpVector([value])
        return self._ri.FloatSexpVector([value]) if isinstance(value, float) else self.text(value)

    def numbers(self, values: NDArray[Any]) -> Any:
        """Numbers as a vector; NaN is NA."""
        floats = np.ascontiguousarray(values, dtype=np.float64)
        return self._ri.FloatSexpVector.from_memoryview(floats.data)

    def factor(self, codes: NDArray[Any], n_levels: int) -> Any:
        """Codes from 0 as a factor with the levels "0", "1", ...; -1 is NA."""
        missing = np.iinfo(np.int32).min  # R's own code of NA
        numbers = np.where(codes < 0, missing, codes + 1).astype(np.int32)
        vector = self._ri.IntSexpVector.from_memoryview(numbers.data)
        names = self._ri.StrSexpVector([str(code) for code in range(n_levels)])
        return self.call(
            "base", "structure", vector, levels=names, **{"class": self.text("factor")}
        )

    def has(self, package: str) -> bool:
        """Whether R has a package."""
        load = self._ri.baseenv["requireNamespace"]
        return bool(load(self.text(package), quietly=self.scalar(True))[0])

    def call(self, package: str, function: str, *arguments: Any, **named: Any) -> Any:
        """Call a function of a package; an error of R is a RuntimeError with its message."""
        if not self.has(package):
            raise ImportError(
                f"R has no package {package!r}. Install it in R, or leave it out of "
                "extra_questions."
            )
        found = self._ri.baseenv["getExportedValue"](self.text(package), self.text(function))
        try:
            return found(*arguments, **named)
        except self._ri.embedded.RRuntimeError as error:
            raise RuntimeError(str(error).strip()) from error

    def levels(self, fit: Any) -> dict[str, list[str]]:
        """Levels of the columns that are factors, where rpart and tree keep them."""
        listed = self.call("base", "attr", fit, self.text("xlevels"))
        if not isinstance(listed, self._ri.ListSexpVector):
            return {}
        named = zip(listed.names, listed, strict=True)
        return {n: list(own) for n, own in named if isinstance(own, self._ri.StrSexpVector)}

    def part(self, object_: Any, name: str) -> Any:
        """An element of a list by its name."""
        return object_[list(object_.names).index(name)]


@contextmanager
def r_session() -> Iterator[R]:
    """Enter R, one thread at a time; an ImportError says what is missing."""
    if shutil.which("R") is None:
        raise ImportError(
            "R is not installed, or not on the path, and extra_questions asks for a learner of R. "
            "Install R (on Debian: apt install r-base-core), or leave it out."
        )
    if importlib.util.find_spec("_rinterface_cffi_api") is None:
        os.environ.setdefault("RPY2_CFFI_MODE", "ABI")  # else rpy2 says that it must do so
    try:
        rinterface = importlib.import_module("rpy2.rinterface")
        openrlib = importlib.import_module("rpy2.rinterface_lib.openrlib")
        callbacks: Any = importlib.import_module("rpy2.rinterface_lib.callbacks")
    except ImportError as error:
        raise ImportError(
            "Learners of R are reached through rpy2, which is not installed. Run "
            "`pip install bsnsing[r]`."
        ) from error
    with openrlib.rlock:
        said = callbacks.consolewrite_print, callbacks.consolewrite_warnerror
        callbacks.consolewrite_print = callbacks.consolewrite_warnerror = _LOGGER.debug
        try:
            _start(rinterface)
            yield R(rinterface)
        finally:
            callbacks.consolewrite_print, callbacks.consolewrite_warnerror = said


def _start(rinterface: Any) -> None:
    """Start R, unless it runs; what Ctrl-C does stays as it was."""
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="R is not initialized by the main thread")
        rinterface.initr()
    if is_main and signal.getsignal(signal.SIGINT) is not handler:
        signal.signal(signal.SIGINT, handler)

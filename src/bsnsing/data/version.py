"""Pickles that carry the version of the package."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import sklearn.exceptions

from bsnsing.data.release import __version__

_ENTRY = "_bsnsing_version"


class InconsistentVersionWarning(sklearn.exceptions.InconsistentVersionWarning):
    """A pickle was written by another version of bsnsing."""

    def __str__(self) -> str:
        return (
            f"This {self.estimator_name} was pickled by bsnsing {self.original_sklearn_version}, "
            f"and this is bsnsing {self.current_sklearn_version}: it may fail or predict "
            "otherwise. Fit it anew, or keep models with model.save and bsnsing.load, whose files "
            "all later versions read."
        )


def with_version(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a pickle is to hold, with the version."""
    return {**state, _ENTRY: __version__}


def without_version(state: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what a pickle held of an object of this name; warn if another version wrote it."""
    written_by = state.get(_ENTRY, "of an unknown version")
    if written_by != __version__:
        warnings.warn(
            InconsistentVersionWarning(
                estimator_name=name,
                current_sklearn_version=__version__,
                original_sklearn_version=written_by,
            ),
            stacklevel=3,
        )
    return {entry: value for entry, value in state.items() if entry != _ENTRY}

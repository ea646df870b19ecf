"""Estimators as files of JSON, and back.

A file is an object with these fields; ``bsnsing.json_schema()`` has all of them::

    {
      "format": "bsnsing",
      "format_version": 2,
      "written_by": "bsnsing 0.1.0",
      "columns": [{"name": "age", "kind": "numeric"}, ...],
      "model": {"type": "BsnsingClassifier", "parameters": {...}, "fitted": {"trees_": [...], ...}}
    }

The version is raised when readers of the old one would misread or refuse what is written. Every
version that ever was stays readable. Format 2 has what 1 has, and scales of columns, origins of
questions and the parameter ``donors_per_node``.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.release import __version__
from bsnsing.estimators.stored import MAX_BYTES, Sort, StoredModel
from bsnsing.estimators.values import NotStored, ValueWriter, read_value
from bsnsing.export.json_read import ModelFileError, Place, check_size, parse, read_bytes
from bsnsing.export.json_tree import tree_from_json, tree_to_json
from bsnsing.export.json_values import (
    columns_from_json,
    columns_to_json,
    labels_from_json,
    labels_to_json,
)
from bsnsing.export.json_write import write_json
from bsnsing.rules.parameters import check_parameters
from bsnsing.tree.model import check_tree_model
from bsnsing.tree.tree import Tree

FORMAT_VERSION = 2
_READABLE = (1, FORMAT_VERSION)
_FORMAT = "bsnsing"
_MOST_NESTED = 10  # estimators in the parameters of estimators
# Where the estimators are that files hold; they import this module.
_HOMES = ("classifier", "cv", "ensemble")
_Own = TypeVar("_Own", bound=StoredModel)


def load(path: str | os.PathLike[str], *, max_bytes: int | None = MAX_BYTES) -> Any:
    """Read a model from a file that ``model.save`` wrote.

    No code of the file is run, and all that it holds is checked: a file that is damaged, or was
    made to harm, gives a ModelFileError.

    Parameters
    ----------
    path : path
        The file.
    max_bytes : int or None, default=67108864
        Largest file to read; None is no limit. Reading may take some hundred times its size in
        memory, if the file is made to.

    Returns
    -------
    BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        The fitted model.

    Raises
    ------
    ModelFileError
        If the file holds no model, or one that only a later version can read.

    Examples
    --------
    >>> import bsnsing, os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = bsnsing.BsnsingClassifier.plain().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.json")
    ...     model.save(path)
    ...     loaded = bsnsing.load(path)
    >>> (loaded.predict_proba(X) == model.predict_proba(X)).all()
    np.True_
    """
    return _from_json(read_bytes(path, max_bytes))


def from_json(text: str | bytes, *, max_bytes: int | None = MAX_BYTES) -> Any:
    """Read a model from the text of such a file; see :func:`load`."""
    check_size(text, max_bytes)
    return _from_json(text)


def export_json(model: Any) -> str:
    """Write a fitted model, or a tree, as JSON that :func:`bsnsing.load` reads.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.

    Returns
    -------
    str
        The same as ``model.to_json()``.
    """
    return to_json(model, stacklevel=3)


# --- Writing ---


class _Writer:
    """Writes the models of one file, whose trees share their columns."""

    def __init__(self, columns: tuple[ColumnInfo, ...]) -> None:
        self.columns = columns
        self.values = ValueWriter(_parameters_to_json)

    def model(self, model: Any) -> dict[str, Any]:
        if isinstance(model, Tree):
            return {"type": "Tree", "tree": tree_to_json(model, self.columns)}
        check_is_fitted(model)
        own = _parameters_to_json(model, self.values) or {}
        own["fitted"] = {
            "classes_": labels_to_json(model.classes_),
            "label_name_": model.label_name_,
            "has_feature_names": hasattr(model, "feature_names_in_"),
        } | {
            name: _SORTS[sort].write(getattr(model, name), self)
            for name, sort in model._kept.items()
        }
        return own


def _parameters_to_json(model: Any, values: ValueWriter) -> dict[str, Any] | None:
    """Write the settings of an estimator; None for what is no estimator of ours."""
    if not isinstance(model, StoredModel):
        return None
    kind = StoredModel._classes_by_name[model._stored_as]
    given = {name: getattr(model, name) for name in kind._get_param_names()}  # type: ignore[attr-defined]
    _check_parameters(kind, given)
    written = {name: values.parameter(name, value) for name, value in given.items()}
    own = set(type(model)._get_param_names()) - set(given) - model._of_session  # type: ignore[attr-defined]
    values.notes += [f"{name}={getattr(model, name)!r:.60}" for name in sorted(own)]
    return {"type": model._stored_as, "parameters": written}


def to_json(model: Any, stacklevel: int) -> str:
    """Return what files hold of a model; warnings are about who called, ``stacklevel`` up."""
    check_tree_model(model, "export_json")
    columns = model.columns if isinstance(model, Tree) else model.trees_[0].columns
    writer = _Writer(columns)
    written = {
        "format": _FORMAT,
        "format_version": FORMAT_VERSION,
        "written_by": f"bsnsing {__version__}",
        "columns": columns_to_json(columns),
        "model": writer.model(model),
    }
    writer.values.warn(stacklevel)
    return write_json(written)


# --- Reading ---


class _Reader:
    """Reads the models of one file."""

    def __init__(self, columns: tuple[ColumnInfo, ...]) -> None:
        self.columns = columns
        self.n_around = 0  # estimators in whose parameters the one at hand is

    def value(self, place: Place) -> Any:
        """Read a value, which may be an estimator."""
        return read_value(place, lambda own: self.unfitted(own.fields(("type", "parameters"))))

    def model(self, place: Place, wanted: type[StoredModel] | None = None) -> Any:
        """Read a model; of a class that is made from the file's one, if that is wanted."""
        if type(place.value) is dict and place.value.get("type") == "Tree":
            return tree_from_json(place.fields(("type", "tree"))["tree"], self.columns)
        fields = place.fields(("type", "parameters", "fitted"))
        model = self.unfitted(fields, wanted)
        kept = {name: _SORTS[sort].read for name, sort in model._kept.items()}
        always = ("classes_", "label_name_", "has_feature_names")
        fitted = fields["fitted"].fields((*always, *kept))
        model.classes_ = labels_from_json(fitted["classes_"])
        label_name = fitted["label_name_"]
        model.label_name_ = None if label_name.value is None else label_name.text()
        for name, read in kept.items():
            setattr(model, name, read(fitted[name], self))
        columns = model.trees_[0].columns
        model.n_features_in_ = len(columns)
        if fitted["has_feature_names"].flag():
            model.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
        try:
            model._restore()
        except ValueError as error:
            raise ModelFileError(f"{fields['fitted'].where}: {error}") from None
        return model

    def member(self, place: Place) -> Any:
        """Read a model that others are made of."""
        fields = place.fields(("type", "parameters", "fitted"))
        fields["type"].one_of(("BsnsingClassifier",))
        return self.model(place)

    def unfitted(self, fields: dict[str, Place], wanted: type[StoredModel] | None = None) -> Any:
        """Make an estimator with the parameters that the file has; others are the defaults."""
        for home in _HOMES:
            importlib.import_module(f"bsnsing.estimators.{home}")
        name = fields["type"].one_of(tuple(StoredModel._classes_by_name))
        kind = StoredModel._classes_by_name[name]
        known = kind._get_param_names()  # type: ignore[attr-defined]
        places = fields["parameters"].fields((), known)
        if self.n_around >= _MOST_NESTED:
            fields["parameters"].fail("of an estimator inside fewer others")
        self.n_around += 1
        given = {parameter: self.value(own) for parameter, own in places.items()}
        self.n_around -= 1
        model = kind(**given)
        try:
            _check_parameters(kind, {parameter: getattr(model, parameter) for parameter in known})
        except (ValueError, TypeError) as error:
            message = str(error)
            short = message if len(message) <= 300 else f"{message[:300]}..."
            raise ModelFileError(f"{fields['parameters'].where}: {short}") from None
        if wanted is None or not issubclass(wanted, kind) or wanted is kind:
            return model
        return wanted(**given)


def _check_parameters(kind: type[StoredModel], values: dict[str, Any]) -> None:
    table = {
        name: check
        for name, check in kind._stored_parameters.items()
        if not isinstance(values[name], NotStored)
    }
    check_parameters(kind.__name__, table, values)


def _from_json(data: str | bytes, wanted: type[StoredModel] | None = None) -> Any:
    try:
        return _read_file(Place(parse(data)), wanted)
    except RecursionError:  # where the caller has left little of the stack
        raise ModelFileError("This is no model: it is nested too deeply.") from None


def read_as(kind: type[_Own], data: str | bytes) -> _Own:
    """Read a model that must be of a kind."""
    model = _from_json(data, kind)
    if not isinstance(model, kind):
        raise ModelFileError(
            f"The file holds a {type(model).__name__}, not a {kind.__name__}. "
            "Use bsnsing.load, which reads any."
        )
    return model


def _read_file(place: Place, wanted: type[StoredModel] | None) -> Any:
    own = place.value
    if type(own) is not dict or own.get("format") != _FORMAT:
        raise ModelFileError(
            "This is JSON, but no model of bsnsing. Give a file that model.save wrote."
        )
    version = own.get("format_version")
    if type(version) is int and version > FORMAT_VERSION:
        raise ModelFileError(
            f"This model is of format {version}, and bsnsing {__version__} reads formats up to "
            f"{FORMAT_VERSION}. Upgrade bsnsing."
        )
    if version not in _READABLE or type(version) is not int:
        Place(version, "format_version").fail(" or ".join(map(str, _READABLE)))
    fields = place.fields(("format", "format_version", "written_by", "columns", "model"))
    fields["written_by"].text()
    return _Reader(columns_from_json(fields["columns"])).model(fields["model"], wanted)


# --- The sorts of fitted attributes ---


@dataclass(frozen=True, slots=True)
class _Kept:
    """How a fitted attribute is written, and how it is read."""

    write: Callable[[Any, _Writer], Any]
    read: Callable[[Place, _Reader], Any]


def _some(place: Place) -> Iterator[Place]:
    if place.value == []:
        place.fail("a list that is not empty")
    return place.items()


_SORTS: dict[Sort, _Kept] = {
    "flag": _Kept(lambda value, _: bool(value), lambda place, _: place.flag()),
    "count": _Kept(lambda value, _: int(value), lambda place, _: place.integer(0)),
    "size": _Kept(lambda value, _: float(value), lambda place, _: place.number(0.0)),
    "value": _Kept(
        lambda value, writer: writer.values.value(value, "a result"),
        lambda place, reader: reader.value(place),
    ),
    "names": _Kept(
        lambda value, _: list(value), lambda place, _: [own.text() for own in place.items()]
    ),
    "trees": _Kept(
        lambda trees, writer: [tree_to_json(tree, writer.columns) for tree in trees],
        lambda place, reader: [tree_from_json(own, reader.columns) for own in _some(place)],
    ),
    "member": _Kept(
        lambda model, writer: writer.model(model), lambda place, reader: reader.member(place)
    ),
    "members": _Kept(
        lambda models, writer: [writer.model(model) for model in models],
        lambda place, reader: [reader.member(own) for own in _some(place)],
    ),
}

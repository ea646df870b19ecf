"""The page: static parts and the model's data, in one file."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from bsnsing.export.code.javascript import rounding_script
from bsnsing.export.event import place_of_event
from bsnsing.export.form import ModelForm, model_form
from bsnsing.export.page.data import model_data, settings_of
from bsnsing.export.page.figures import figures_on
from bsnsing.export.picture import tree_pictures
from bsnsing.export.picture_options import PictureOptions

# In the order in which the page runs them, inside one function.
_SCRIPTS = (
    "model.js",
    "answers.js",
    "words.js",
    "spans.js",
    "moments.js",
    "nearest.js",
    "sheets.js",
    "dom.js",
    "picture.js",
    "outline.js",
    "node.js",
    "case.js",
    "tables.js",
    "main.js",
)


def export_html(
    model: Any,
    *,
    title: str | None = None,
    X: Any = None,
    y: Any = None,
    event: Any = None,
    fixed: Sequence[str] = (),
    feature_names: Sequence[str] | None = None,
) -> str:
    """Write a model as one page for the browser, which needs neither network nor server.

    The page draws the tree, tells each node's rule, cases and proof, answers cases that the reader
    types in exactly as ``predict_proba`` does, says what would change the answer, and lists the
    rules of all leaves. It holds the tree and its counts, and no rows.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    title : str, default=None
        Heading of the page.
    X, y : table and labels, default=None
        Cases that the page's model card gives figures on: accuracy, AUC, log loss, confusion, and
        what was found in each leaf. Best are cases that the model was not fitted on. Only the
        figures become part of the page. ``y`` may be the name of a column of ``X``.
    event : class label, default=None
        Class whose probability each leaf tells.
    fixed : sequence of str, default=()
        Columns that the nearest change may not change, such as a person's age. Readers may choose
        others.
    feature_names : sequence of str, default=None
        Names to write for the columns, instead of those the model was fitted with.

    Returns
    -------
    str
        The page. Write it to a file in UTF-8, or use :func:`bsnsing.export.export`.

    Raises
    ------
    TypeError
        If the model is of another kind.
    NotFittedError
        If the model is not fitted.
    ValueError
        If ``event`` is no class or ``fixed`` no column of the model, or one of ``X`` and ``y`` is
        given alone.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> page = export_html(BsnsingClassifier.plain().fit(X, y), title="Irises", X=X, y=y)
    >>> page[:15], "<title>Irises</title>" in page
    ('<!doctype html>', True)
    """
    form = model_form(model, "export_html").renamed(feature_names)
    options = PictureOptions(max_leaves=None, event=event, feature_names=feature_names)
    data = model_data(form, tree_pictures(model, "export_html", options))
    data["title"] = _clean(title) if title is not None else _usual_title(form)
    data["event"] = _event_of(form, event)
    data["fixed"] = _fixed_of(form, fixed)
    data["kind"] = type(model).__name__
    data["settings"] = settings_of(model)
    data["figures"] = figures_on(model, form, X, y)
    return _page_of(data)


def _page_of(data: dict[str, Any]) -> str:
    style, script = _static_parts()
    parts = {
        "title": html.escape(data["title"]),
        "policy": (
            f"default-src 'none'; script-src '{_hash_of(script)}'; style-src '{_hash_of(style)}'; "
            "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
        ),
        "style": style,
        "script": script,
        "data": embedded_json(data),
    }
    page = _static("page.html")
    pieces = page.split("{{")  # so that no part is looked at for the marks of others
    out = [pieces[0]]
    for piece in pieces[1:]:
        name, rest = piece.split("}}", 1)
        out += [parts[name], rest]
    return "".join(out)


def embedded_json(data: Any) -> str:
    """Return JSON that can stand inside a script element: no tag, comment or line ends there."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@cache
def _static_parts() -> tuple[str, str]:
    scripts = "\n".join([rounding_script(), *map(_static, _SCRIPTS)])
    return _static("page.css"), f'(() => {{\n"use strict";\n{scripts}\n}})();\n'


@cache
def _static(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text(encoding="utf-8")


def _hash_of(text: str) -> str:
    """Return what the page's policy knows an inline part by; no other script or style may run."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _clean(title: str) -> str:
    return str(title).encode("utf-8", "replace").decode()  # halves of pairs cannot be written


def _usual_title(form: ModelForm) -> str:
    return "Decision tree" if form.is_single else f"{len(form.trees)} decision trees"


def _event_of(form: ModelForm, event: Any) -> int | None:
    return None if event is None else place_of_event(event, form.classes)


def _fixed_of(form: ModelForm, fixed: Sequence[str]) -> list[int]:
    """Return the places of fixed columns among those asked about; others change nothing."""
    if isinstance(fixed, str):
        raise ValueError(f"fixed must be a list of columns. Got {fixed!r}; write [{fixed!r}].")
    names = [column.name for column in form.columns]
    for name in fixed:
        if name not in names:
            raise ValueError(
                f"fixed names column {name!r}, which the model does not have. "
                f"Its first columns are {', '.join(map(repr, names[:10]))}."
            )
    return [i for i, column in enumerate(form.asked_columns) if column.name in set(fixed)]

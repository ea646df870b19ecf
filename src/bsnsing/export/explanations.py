"""Why cases get their labels: the way down in words, and the nearest change that flips them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from bsnsing.data.table import Table, read_prediction_table
from bsnsing.export.aim import told_by
from bsnsing.export.case_way import CaseWay, case_way
from bsnsing.export.change import Cell, Flip, Row
from bsnsing.export.flip import FlipSearch
from bsnsing.export.form import ModelForm, TreeForm, model_form
from bsnsing.export.frames import make_frame
from bsnsing.export.phrases import change_phrase
from bsnsing.export.summary_page import show_label
from bsnsing.export.text import places_of
from bsnsing.tree.text import show_count, show_probability, show_small_probability
from bsnsing.tree.tree import Tree

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one case gets its label."""

    row: int  # position in the table
    label: Any
    probabilities: tuple[tuple[Any, float], ...]  # each class with its probability
    ways: tuple[CaseWay, ...]  # one per tree
    flip: Flip | None  # None where it was not looked for
    flip_label: Any  # None where there is no change
    flip_text: str
    text: str

    @property
    def way(self) -> CaseWay:
        """The way through the tree, where there is one alone."""
        if len(self.ways) != 1:
            raise ValueError(f"There are {len(self.ways)} trees. Read their ways in `ways`.")
        return self.ways[0]

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as what JSON can carry."""
        flip = self.flip
        return {
            "row": self.row,
            "label": self.label,
            "probabilities": [
                {"label": label, "probability": own} for label, own in self.probabilities
            ],
            "trees": [way.to_dict() for way in self.ways],
            "flip": flip
            and {
                "label": self.flip_label,
                "leaf": flip.leaf,
                "leaves": list(flip.leaves),
                "changes": [change.to_dict() for change in flip.changes],
                "n_answers": flip.n_answers,
                "is_exact": flip.is_exact,
                "reason": flip.reason,
                "text": self.flip_text,
            },
            "text": self.text,
        }

    def to_json(self) -> str:
        """Return the same as text."""
        return json.dumps(self.to_dict(), allow_nan=False)


class Explanations(Sequence[Explanation]):
    """One explanation for each row of a table. Print it, or read one by its position."""

    def __init__(self, explanations: Sequence[Explanation]) -> None:
        self._all = tuple(explanations)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, i: int) -> Explanation: ...
    @overload
    def __getitem__(self, i: slice) -> Explanations: ...
    def __getitem__(self, i: int | slice) -> Explanation | Explanations:
        return Explanations(self._all[i]) if isinstance(i, slice) else self._all[i]

    def __str__(self) -> str:
        parts = [own.text for own in self._all[:_MOST_SHOWN]]
        if len(self) > _MOST_SHOWN:
            parts.append(f"... and {len(self) - _MOST_SHOWN} more cases")
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} cases>"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what JSON can carry, a dict for each case."""
        return [own.to_dict() for own in self._all]

    def to_json(self) -> str:
        """Return the same as text."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame, a row for each case and tree.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow", "records"}, default=None
            Whose frame to make; "records" is a list of dicts. None is the first that is installed.
        """
        rows = [
            {
                "row": own.row,
                "label": own.label,
                "probability": dict(own.probabilities)[own.label],
                "tree": way.tree,
                "title": way.title,
                "leaf": way.leaf,
                "because": " and ".join(way.because),
                "path": " > ".join(f"#{step.node}" for step in way.steps),
                "probabilities_on_the_way": _shares(way),
                "flip_label": own.flip_label,
                "flip_columns": _flip_columns(own.flip),
                "flip": own.flip_text,
            }
            for own in self._all
            for way in own.ways
        ]
        return make_frame(rows, library, "to_frame")


def explain(
    model: Any,
    X: Any,
    *,
    fixed: Collection[str] = (),
    event: Any = None,
    flip: bool = True,
) -> Explanations:
    """Say for each case why it gets its label, and what would change it.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV or BsnsingEnsemble
        A fitted model. With several trees, each tells its own way.
    X : array, sparse matrix or dataframe of shape (n_rows, n_columns)
        The cases, as for ``predict``.
    fixed : collection of str, default=()
        Names of columns that no change may touch, such as an age.
    event : class label, default=None
        Whose probability to tell on the way; None is the label that the case gets.
    flip : bool, default=True
        Whether to look for the nearest change that flips the label. Of all changes of cells that
        lead to another label, with every rule on the way answered, it is the one that changes the
        answers of the fewest questions on the way there; of equals the one of the fewest columns,
        then the one whose leaves have most cases. Where several trees decide, which ask about the
        same column over and over, the fewest columns come first. It is exact over the whole model;
        where two columns of a pair must both change, or the search gets long, as it may with
        several trees, it says that it is not proven. No cell is made missing.

    Returns
    -------
    Explanations
        A sequence of :class:`Explanation`, with ``str()``, ``to_frame()``, ``to_dict()`` and
        ``to_json()``.

    Raises
    ------
    TypeError
        If the model is of another kind, or a Tree, which does not know how to read a table.
    NotFittedError
        If the model is not fitted.
    ValueError
        If a fixed column or the event is not known.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X, y = X[["worst area", "worst texture"]], y.map({0: "bad", 1: "good"})
    >>> print(explain(BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y), X.head(1)))
    Case 0: bad 97%
      because worst area is 2,019 (> 923.95) and worst texture is 17.33 (> 16.49)
      bad on the way: 37%, 97%
      It would be good (96%, 350 cases) if worst texture <= 16.49 (now 17.33; for instance 16.49).
    """
    form = model_form(model, "explain")
    if isinstance(model, Tree):
        raise TypeError("explain takes a fitted model. Got a Tree, which cannot read a table.")
    _check_fixed(fixed, form)
    places = places_of(event, [own.tree for own in form.trees])
    table = read_prediction_table(model, X, form.columns)
    search = FlipSearch(form, frozenset(fixed))
    probabilities = model.predict_proba(X)
    labels = model.predict(X).tolist()
    found = []
    for i, row in enumerate(rows_of(form, table)):
        shown = dict(zip(form.classes, probabilities[i].tolist(), strict=True))
        ways = tuple(
            case_way(walk, row, number, _class_shown(form, walk.form, place, labels[i]))
            for number, (walk, place) in enumerate(zip(search.walks, places, strict=True))
        )
        nearest = search.find(row, form.classes.index(labels[i])) if flip else None
        text = _flip_text(nearest, form)
        found.append(_explanation(i, labels[i], shown, ways, nearest, text, form))
    return Explanations(found)


def _class_shown(form: ModelForm, tree: TreeForm, event: int | None, label: Any) -> int:
    own = tree.tree.classes.tolist()
    if event is not None:
        return event
    # With one tree per class, a tree tells of its own class, which comes last.
    return own.index(label) if own == list(form.classes) else len(own) - 1


def _explanation(
    i: int,
    label: Any,
    probabilities: dict[Any, float],
    ways: tuple[CaseWay, ...],
    flip: Flip | None,
    flip_text: str,
    form: ModelForm,
) -> Explanation:
    flip_label = None
    if flip is not None and flip.is_found:
        flip_label = form.classes[told_by(form, flip.leaves)[1]]
    lines = [f"Case {i}: {show_label(label)} {show_probability(probabilities[label])}"]
    for way in ways:
        indent = "    " if way.title else "  "
        if way.title:
            lines.append(f"  [{way.title}]")
        because = " and ".join(way.because)
        lines.append(f"{indent}{f'because {because}' if because else 'as every case'}")
        lines.append(f"{indent}{show_label(way.shown)} on the way: {_shares(way)}")
    if flip_text:
        lines.append(f"  {flip_text}")
    return Explanation(
        row=i,
        label=label,
        probabilities=tuple(probabilities.items()),
        ways=ways,
        flip=flip,
        flip_label=flip_label,
        flip_text=flip_text,
        text="\n".join(lines),
    )


def _flip_text(flip: Flip | None, form: ModelForm) -> str:
    if flip is None:
        return ""
    if not flip.is_found:
        return f"No change found that flips the label: {flip.reason}."
    columns = {column.name: column for column in form.columns}
    changes = " and ".join(change_phrase(own, columns[own.column]) for own in flip.changes)
    probabilities, best = told_by(form, flip.leaves)
    told = show_probability(probabilities[best])
    if form.is_single:
        n_cases = show_count(float(form.trees[0].tree.counts[flip.leaf].sum()))
        told += f", {n_cases} case{'' if n_cases == '1' else 's'}"
    doubt = "" if flip.is_exact else " A nearer change is not excluded."
    return f"It would be {show_label(form.classes[best])} ({told}) if {changes}.{doubt}"


def _flip_columns(flip: Flip | None) -> str | None:
    if flip is None or not flip.is_found:
        return None
    return ", ".join(change.column for change in flip.changes)


def _shares(way: CaseWay) -> str:
    return ", ".join(map(show_small_probability, way.probabilities))


def rows_of(form: ModelForm, table: Table) -> Iterator[Row]:
    """The cells that rules ask about: numbers, positions of levels, None where missing."""
    asked = {column.name for column in form.asked_columns}
    cells: dict[str, list[Cell]] = {}
    for column in table.columns:
        if column.info.name not in asked:
            continue
        if column.info.kind == "categorical":
            codes = column.codes().tolist()
            cells[column.info.name] = [None if code < 0 else code for code in codes]
        else:
            numbers = column.numbers()
            known = (~np.isnan(numbers)).tolist()
            cells[column.info.name] = [
                number if is_known else None
                for number, is_known in zip(numbers.tolist(), known, strict=True)
            ]
    for i in range(table.n_rows):
        yield {name: own[i] for name, own in cells.items()}


def _check_fixed(fixed: Collection[str], form: ModelForm) -> None:
    if isinstance(fixed, str):
        raise ValueError(f"fixed is the text {fixed!r}. Give a list of names, such as [{fixed!r}].")
    names = [column.name for column in form.columns]
    for name in fixed:
        if name not in names:
            listed = ", ".join(map(repr, names[:8]))
            raise ValueError(
                f"fixed names column {name!r}, which the model does not have. "
                f"Its first columns are {listed}{', ...' if len(names) > 8 else ''}."
            )

"""Cells as small integers that trees of scikit-learn, which read float32, take without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.columns import ColumnInfo, Level
from bsnsing.data.scales import Scale
from bsnsing.data.show import show_level
from bsnsing.data.table import Table, read_prediction_table
from bsnsing.export.form import AskedQuestion, ModelForm
from bsnsing.export.moments import first_step
from bsnsing.questions.pair import ColumnPair, pair_columns
from bsnsing.questions.question import Question

MISSING, UNSEEN = -1, -2  # codes; those of known cells begin at 0
YES, NO, UNKNOWN = 1, 0, -1


@dataclass(frozen=True, eq=False)
class SubjectCodes:
    """The codes of one column or pair: cells that answer all questions alike share one."""

    subject: str | ColumnPair
    edges: NDArray[np.float64] | None  # a number's code is how many of these it reaches
    level_codes: NDArray[np.int64]  # of each level of a categorical column
    n_codes: int
    answers: dict[AskedQuestion, NDArray[np.int8]]  # to the plain question, from UNSEEN on
    lowest: int  # code that a model which knows all cells can meet

    @property
    def unknown_codes(self) -> list[int]:
        """Codes that leave some question unanswered."""
        kinds = (UNSEEN, MISSING) if self.edges is None else (MISSING,)
        return [
            code
            for code in kinds
            if any(answer[code - UNSEEN] == UNKNOWN for answer in self.answers.values())
        ]

    def meanings(self, levels: Sequence[Level], scale: Scale | None = None) -> dict[int, str]:
        """Say what each code stands for."""
        if not self.answers:
            return {0: "any cell, as no rule asks"}
        if self.edges is None:
            known = {
                code: ", ".join(
                    show_level(level)
                    for level, own in zip(levels, self.level_codes.tolist(), strict=True)
                    if own == code
                )
                for code in range(self.n_codes)
            }
            return {UNSEEN: "a level that fit never saw", MISSING: "missing"} | known
        ends = [self._ends(edge, scale) for edge in self.edges.tolist()]
        lower, upper = [""] + [end[0] for end in ends], [end[1] for end in ends] + [""]
        ranges = [
            " and ".join(filter(None, both)) or "any number"
            for both in zip(lower, upper, strict=True)
        ]
        return {MISSING: "missing"} | dict(enumerate(ranges))

    def _ends(self, edge: float, scale: Scale | None) -> tuple[str, str]:
        """How numbers from an edge on are written, and those below it."""
        if scale is not None:
            shown = scale.show(first_step(edge, asks_above=False))
            return f">= {shown}", f"< {shown}"
        below = float(np.nextafter(edge, -np.inf))
        asked = {own.question.value for own in self.answers if own.question.test in (">", "==")}
        if below in asked:  # which only larger numbers are told apart from
            return f"> {below!r}", f"<= {below!r}"
        return f">= {edge!r}", f"< {edge!r}"

    def encode(self, cells: NDArray[Any]) -> NDArray[np.float32]:
        """Return the code of each cell: of numbers, or of positions among the levels."""
        if self.edges is None:
            # Missing is -1 there, and unseen is past the last level.
            codes = np.append(self.level_codes, [UNSEEN, MISSING])[cells]
        else:
            codes = np.searchsorted(self.edges, cells, side="right")
            codes[np.isnan(cells)] = MISSING
        coded: NDArray[np.float32] = codes.astype(np.float32)
        return coded


def subject_codes(form: ModelForm) -> list[SubjectCodes]:
    """Return the codes of each column of the table, and then of each pair that is asked about."""
    asked: dict[str | ColumnPair, dict[AskedQuestion, None]] = {
        column.name: {} for column in form.columns
    } | {pair: {} for pair in form.asked_pairs}
    for tree in form.trees:
        for node in tree.nodes:
            for own in node.questions:
                asked[own.question.column][own] = None
    columns = {column.name: column for column in form.columns}
    return [
        _codes_of(subject, columns.get(subject) if isinstance(subject, str) else None, list(own))
        for subject, own in asked.items()
    ]


def _codes_of(
    subject: str | ColumnPair, column: ColumnInfo | None, asked: list[AskedQuestion]
) -> SubjectCodes:
    if column is not None and column.kind == "categorical":
        edges = None
        answers = np.array(
            [[_holds(own.question, level) for level in column.levels] for own in asked], dtype=bool
        ).reshape(len(asked), len(column.levels))
        # Levels of one code answer all questions alike.
        distinct, codes = np.unique(answers.T, axis=0, return_inverse=True)
        level_codes = np.asarray(codes, dtype=np.int64).reshape(-1)
        known, n_codes = distinct.T, len(distinct)
    else:
        level_codes = np.zeros(0, dtype=np.int64)
        edges = np.unique([edge for own in asked for edge in _edges(own.question)])
        n_codes = len(edges) + 1
        # A number of each code: below all edges, or at one.
        numbers = np.append(-np.inf, edges)
        known = np.array([_compare(own.question, numbers) for own in asked], dtype=bool)
        known = known.reshape(len(asked), n_codes)
    outside = {True: YES, False: NO, None: UNKNOWN}
    table = {
        own: np.concatenate([[outside[own.when_unseen], outside[own.when_missing]], answer]).astype(
            np.int8
        )
        for own, answer in zip(asked, known, strict=True)
    }
    plain = SubjectCodes(subject, edges, level_codes, n_codes, table, 0)
    refused = plain.unknown_codes
    # Down to the lowest code that all questions know; the two below 0 stand side by side.
    lowest = 0 if MISSING in refused else MISSING
    if lowest == MISSING and edges is None and UNSEEN not in refused:
        lowest = UNSEEN
    return SubjectCodes(subject, edges, level_codes, n_codes, table, lowest)


def _edges(question: Question) -> list[float]:
    """Numbers from which on the answer is another."""
    if question.test == "is missing":
        return []
    value = float(question.value)  # type: ignore[arg-type]
    above = float(np.nextafter(value, np.inf))
    return {">": [above], "<": [value], "==": [value, above]}[question.test]


def _compare(question: Question, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    if question.test == "is missing":
        return np.zeros(len(numbers), dtype=bool)
    value = float(question.value)  # type: ignore[arg-type]
    compare = {">": np.greater, "<": np.less, "==": np.equal}[question.test]
    answers: NDArray[np.bool_] = compare(numbers, value)
    return answers


def _holds(question: Question, level: Any) -> bool:
    if question.test == "is missing":
        return False
    wanted = question.value if isinstance(question.value, tuple) else (question.value,)
    return any(type(own) is type(level) and own == level for own in wanted)


class CellCodes(TransformerMixin, BaseEstimator):
    """Turns a table into the codes that the tree behind it asks about; made by :func:`to_sklearn`.

    Each column becomes small integers. The code of a number is how many thresholds it has
    passed, levels that no rule tells apart share a code, a missing cell is -1 and a level that fit
    never saw -2. After the columns come the pairs of columns that rules ask about.

    Parameters
    ----------
    columns : tuple of ColumnInfo
        The table.
    codes : list of SubjectCodes
        The codes of each column and pair.
    has_names : bool
        Whether the columns had these names at fit.
    label_name : str or None
        Name of the column of labels, which is ignored.
    unknown : {"error", "mix", "larger"}
        What to do with cells whose answer is unknown: refuse them, or not.
    """

    def __init__(
        self,
        columns: Sequence[ColumnInfo],
        codes: Sequence[SubjectCodes],
        has_names: bool = True,
        label_name: str | None = None,
        unknown: str = "error",
    ) -> None:
        self.columns = columns
        self.codes = codes
        self.has_names = has_names
        self.label_name = label_name
        self.unknown = unknown

    def fit(self, X: Any = None, y: Any = None) -> CellCodes:
        """Take the names of the columns; nothing is learnt from the rows."""
        self.n_features_in_ = len(self.columns)
        self.label_name_ = self.label_name
        if self.has_names:
            names = [column.name for column in self.columns]
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Return the codes of a table's cells, of shape (n_rows, n_columns + n_pairs)."""
        check_is_fitted(self)
        table = read_prediction_table(self, X, tuple(self.columns))
        coded = np.zeros((table.n_rows, len(self.codes)), dtype=np.float32)
        for place, own in enumerate(self.codes):
            if not own.answers:
                continue  # no rule asks about it
            coded[:, place] = own.encode(_cells(table, place, own.subject))
            if self.unknown == "error":
                self._refuse_unknown(own, coded[:, place])
        return coded

    def _refuse_unknown(self, own: SubjectCodes, codes: NDArray[np.float32]) -> None:
        is_bad = np.isin(codes, own.unknown_codes)
        if not is_bad.any():
            return
        row = int(np.flatnonzero(is_bad)[0])
        what = "a missing cell" if codes[row] == MISSING else "a level that fit never saw"
        raise ValueError(
            f"Column {str(own.subject)[:60]!r} has {what} in row {row}, whose answer is unknown "
            "to the model: it takes the mean of both ways. Leave such rows out, or use "
            "to_sklearn(model, unknown='mix'), a larger tree that gives the mean, or "
            "unknown='larger', which sends them the way that most cases went."
        )

    def meanings(self, column: str) -> dict[int, str]:
        """Return what each code of a column, or of a pair by its text, stands for.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bsnsing import BsnsingClassifier, to_sklearn
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y)
        >>> to_sklearn(model)["codes"].meanings("petal length (cm)")
        {-1: 'missing', 0: '<= 2.45', 1: '> 2.45 and <= 4.95', 2: '> 4.95'}
        """
        names = [str(own.subject) for own in self.codes]
        if column not in names:
            raise ValueError(f"{column!r:.60} is no column of the model.")
        place = names.index(column)
        if place >= len(self.columns):
            return self.codes[place].meanings(())
        own = self.columns[place]
        return self.codes[place].meanings(own.levels, own.scale)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns, and then of the pairs."""
        return np.array([str(own.subject) for own in self.codes], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _cells(table: Table, place: int, subject: str | ColumnPair) -> NDArray[Any]:
    if isinstance(subject, ColumnPair):
        return pair_columns(table, [subject])[0].numbers()
    column = table.columns[place]
    return column.codes() if column.info.kind == "categorical" else column.numbers()

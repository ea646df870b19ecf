"""find_row_names(): columns that name rows, such as ids, from which nothing is to be learnt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.row_keys import row_keys

# By the estimate of Good and Turing, the share of rows that are the only one of their level is the
# share of new rows whose level fit has not seen, and of which no question about levels knows
# anything. Above this share all that could be learnt is what single rows say of themselves.
_NEARLY_EVERY = 0.9


def find_row_names(cases: Cases, most_levels: int) -> list[int]:
    """Positions of the categorical columns in which nearly every row has a level of its own.

    These have more than ``most_levels`` levels, and more than nine of ten rows are the only one of
    their level. Copies of a row are the same row, so that neither repeats nor weights matter.
    """
    suspects = [
        (position, column.codes())
        for position, column in enumerate(cases.table.columns)
        if column.info.kind == "categorical" and len(column.info.levels) > most_levels
    ]
    suspects = [item for item in suspects if _may_name_rows(item[1], cases.labels, most_levels)]
    if not suspects:
        return []
    _, first = np.unique(row_keys(cases), return_index=True)  # of each row that occurs
    return [position for position, codes in suspects if names_rows(codes[first])]


def _may_name_rows(codes: NDArray[np.int32], labels: NDArray[np.int32], most_levels: int) -> bool:
    n_levels, n_labels = codes.max(initial=-1) + 1, labels.max(initial=0) + 1
    return may_name_rows(which_labels(codes, labels, n_levels, n_labels), most_levels)


def which_labels(
    codes: NDArray[np.int32], labels: NDArray[np.int32], n_levels: int, n_labels: int
) -> NDArray[np.bool_]:
    """Which labels the rows of each level have; shape (n_levels, n_labels)."""
    occurs = np.zeros((n_levels + 1, n_labels), dtype=bool)
    occurs[codes, labels] = True  # missing is -1, which is the last
    return occurs[:-1]


def may_name_rows(occurs: NDArray[np.bool_], most_levels: int) -> bool:
    """Whether labels allow it: a level of rows with different labels is of two rows or more."""
    n_labels = occurs.sum(axis=1)
    n_levels, n_mixed = np.count_nonzero(n_labels), np.count_nonzero(n_labels > 1)
    is_enough = n_levels - n_mixed > _NEARLY_EVERY * (n_levels + n_mixed)
    return bool(n_levels > most_levels and is_enough)


def names_rows(codes: NDArray[np.int32]) -> bool:
    """Whether nearly every one of some different rows is the only one of its level."""
    known = codes[codes >= 0]
    n_alone = np.count_nonzero(np.bincount(known) == 1)
    return bool(n_alone > _NEARLY_EVERY * len(known))


def message_about(names: Sequence[str]) -> str:
    """Say which columns are left out, why, and what to do."""
    listed = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    subject = f"Column {listed} is" if len(names) == 1 else f"Columns {listed} are"
    return (
        f"{subject} left out of the rules: more than nine of ten rows are the only one of their "
        "level there, as with ids, and what is learnt of such a level says nothing of other rows. "
        "Drop what only names rows, and make columns of what free text says, such as counts of "
        "words (CountVectorizer of scikit-learn); questions of your own about it can be given as "
        "extra_questions."
    )

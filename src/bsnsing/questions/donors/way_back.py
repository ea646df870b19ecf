"""way_back(): a cut behind a transformer, as cuts of the columns that went into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Level
from bsnsing.questions.donors.base import is_of
from bsnsing.questions.donors.cuts import Cut, LevelCut, MissingCut, ThresholdCut

_Back: TypeAlias = Callable[[Any, Cut, str], Iterator[Cut]]


def way_back(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    """Return cuts of a transformer's input that say what a cut of its output says.

    Mostly it is one; none where the cut tells nothing apart, and two where a column of the output
    stands for what lies between two numbers.

    Parameters
    ----------
    transformer : transformer or "passthrough"
        One of scikit-learn's, fitted.
    cut : Cut
        About a position among the columns of its output.
    step : str
        What messages call the transformer.

    Raises
    ------
    ValueError
        If a column of the output is not made of one column of the input in a way that is known;
        the message names the step.
    """
    if isinstance(transformer, str) and transformer == "passthrough":
        return iter([cut])
    for name, back in _WAYS.items():
        if is_of(transformer, "sklearn", name):
            return back(transformer, cut, step)
    raise ValueError(
        f"The step {step} ({type(transformer).__name__}) cannot be followed back: what it makes of "
        "the columns is no question about one of them. Known are scikit-learn's encoders, scalers, "
        "imputers, selectors, KBinsDiscretizer, Binarizer and ColumnTransformer. Leave the step "
        "out, or fit the model to columns that are made beforehand."
    )


def follow_back(steps: Sequence[tuple[str, Any]], cut: Cut) -> Iterator[Cut]:
    """The same for steps that follow each other."""
    cuts = [cut]
    for name, transformer in reversed(steps):
        if transformer is not None:
            cuts = [own for later in cuts for own in way_back(transformer, later, repr(name))]
    return iter(cuts)


def _position(cut: Cut) -> int:
    assert isinstance(cut.column, int)  # names come with the first step
    return cut.column


# --- Columns moved, chosen and left as they are ---


class Part(NamedTuple):
    """A part of a ColumnTransformer, and a cut of its output as one of its own columns."""

    name: str
    transformer: Any
    cut: Cut
    given: list[int]  # positions of the columns that the part was given


def part_of(transformer: Any, cut: Cut) -> Part:
    """Return the part of a ColumnTransformer that has made the column of a cut."""
    position = _position(cut)
    for name, part, columns in transformer.transformers_:
        place = transformer.output_indices_[name]
        if place.start <= position < place.stop:
            own = replace(cut, column=position - place.start)
            return Part(name, part, own, _positions(columns, transformer))
    raise ValueError(f"A ColumnTransformer has no column {position} in its output.")


def _column_transformer(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    name, part, own, given = part_of(transformer, cut)
    for before in way_back(part, own, f"{step}, part {name!r}"):
        yield replace(before, column=given[_position(before)])


def _positions(columns: Any, transformer: Any) -> list[int]:
    """Positions of the columns that a part of a ColumnTransformer was given."""
    n_columns = transformer.n_features_in_
    names = getattr(transformer, "feature_names_in_", None)
    place = {name: i for i, name in enumerate(names)} if names is not None else {}
    if isinstance(columns, str):
        return [place[columns]]
    if isinstance(columns, slice):
        start, stop = columns.start, columns.stop
        start = place[start] if isinstance(start, str) else start
        stop = place[stop] + 1 if isinstance(stop, str) else stop  # a name is included
        return list(range(n_columns)[slice(start, stop, columns.step)])
    listed: list[Any] = np.ravel(columns).tolist()
    if listed and all(isinstance(own, bool) for own in listed):
        return [i for i, is_taken in enumerate(listed) if is_taken]
    return [place[own] if isinstance(own, str) else range(n_columns)[int(own)] for own in listed]


def _pipeline(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    named = [(f"{step.strip(chr(39))}: {name}", own) for name, own in transformer.steps]
    return follow_back(named, cut)


def _selector(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    yield replace(cut, column=int(transformer.get_support(indices=True)[_position(cut)]))


def _function(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    if transformer.func is not None:
        raise ValueError(
            f"The step {step} (FunctionTransformer) applies a function of yours, and nobody knows "
            "which cells lie behind a cut. Apply it to the table beforehand."
        )
    yield cut


# --- Numbers that keep their order ---


def _monotone(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    """A cut of numbers that were scaled, or bent, column by column."""
    if not isinstance(cut, ThresholdCut):
        yield cut
        return
    bare = copy(transformer)
    bare.__dict__.pop("feature_names_in_", None)  # so that it takes plain numbers without a word
    position = _position(cut)

    def through(numbers: NDArray[np.float64], direction: str) -> NDArray[np.float64]:
        # Each column by itself, so that all may have the same numbers.
        same = np.repeat(np.asarray(numbers, np.float64)[:, None], bare.n_features_in_, axis=1)
        with np.errstate(all="ignore"):
            moved = np.asarray(getattr(bare, direction)(same))  # it may give a frame
        column: NDArray[np.float64] = moved[:, position]
        return column

    yield ThresholdCut(
        column=position,
        value=float(through(np.array([cut.value]), "inverse_transform")[0]),
        is_closed=cut.is_closed,
        is_low=lambda numbers: cut.low(through(numbers, "transform")),
        gain=cut.gain,
    )


def _bins(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    """A cut of bins: at the edges where one side meets the other."""
    n_bins = transformer.n_bins_.tolist()
    if transformer.encode == "ordinal":
        column = _position(cut)
        is_low = cut.low(np.arange(n_bins[column]))
    else:
        column, bin_ = _owner(_position(cut), n_bins)
        zero, one = cut.low([0.0, 1.0]).tolist()
        is_low = np.full(n_bins[column], zero)
        is_low[bin_] = one
    for place in np.flatnonzero(is_low[1:] != is_low[:-1]):
        edge = float(transformer.bin_edges_[column][place + 1])
        yield ThresholdCut(column=column, value=edge, is_closed=False, gain=cut.gain)


def _binarizer(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    if len(set(cut.low([0.0, 1.0]).tolist())) > 1:
        yield ThresholdCut(column=cut.column, value=float(transformer.threshold), gain=cut.gain)


# --- Cells that were filled in ---


def _imputer(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    """A cut of columns whose missing cells were filled in, and of those that tell which were."""
    position, n_columns = _position(cut), transformer.n_features_in_
    kept = list(range(n_columns))
    if not transformer.keep_empty_features:
        is_empty = [own != own for own in np.asarray(transformer.statistics_, object).tolist()]
        kept = [i for i in kept if not is_empty[i]]
    if position < len(kept):
        yield replace(cut, column=kept[position])
    elif len(set(cut.low([0.0, 1.0]).tolist())) > 1:
        marked = transformer.indicator_.features_.tolist()
        yield MissingCut(column=marked[position - len(kept)], gain=cut.gain)


def _indicator(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    if len(set(cut.low([0.0, 1.0]).tolist())) > 1:
        yield MissingCut(column=int(transformer.features_[_position(cut)]), gain=cut.gain)


# --- Levels that got numbers ---


def _one_hot(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    """A cut of 0/1 columns, each of which stands for a level or for all rare ones."""
    if len(set(cut.low([0.0, 1.0]).tolist())) < 2:
        return
    listed = [_groups(transformer, i) for i in range(transformer.n_features_in_)]
    dropped = getattr(transformer, "drop_idx_", None)
    for i, groups in enumerate(listed):
        if dropped is not None and dropped[i] is not None:
            level = transformer.categories_[i].tolist()[dropped[i]]
            listed[i] = [own for own in groups if level not in own]
    column, place = _owner(_position(cut), [len(groups) for groups in listed])
    known = {level for level in transformer.categories_[column].tolist() if not _is_missing(level)}
    yield from _level_cut(column, listed[column][place], known, cut.gain)


def _ordinal(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    """A cut of codes, each of which stands for a level or for all rare ones."""
    column = _position(cut)
    groups = _groups(transformer, column)
    is_low = cut.low(np.arange(len(groups)))
    low = [level for group, own in zip(groups, is_low, strict=True) if own for level in group]
    known = {level for group in groups for level in group if not _is_missing(level)}
    yield from _level_cut(column, low, known, cut.gain)


def _target_encoder(transformer: Any, cut: Cut, step: str) -> Iterator[Cut]:
    """A cut of means, of which each level has one for each class (one alone of two classes)."""
    n_each = max(1, len(transformer.encodings_) // transformer.n_features_in_)
    column = _position(cut) // n_each
    known = [level for level in transformer.categories_[column].tolist() if not _is_missing(level)]
    means = transformer.encodings_[_position(cut)][: len(known)]
    low = [level for level, own in zip(known, cut.low(means), strict=True) if own]
    yield from _level_cut(column, low, set(known), cut.gain)


def _groups(encoder: Any, column: int) -> list[list[Level]]:
    """Levels by the column, or code, that an encoder has for them; rare ones share the last."""
    levels = encoder.categories_[column].tolist()
    rare_of = getattr(encoder, "infrequent_categories_", None)
    rare = None if rare_of is None else rare_of[column]
    if rare is None or len(rare) == 0:
        return [[level] for level in levels]
    listed = rare.tolist()
    return [[level] for level in levels if level not in listed] + [listed]


def _level_cut(column: int, low: Sequence[Any], known: set[Any], gain: float) -> Iterator[Cut]:
    levels = frozenset(level for level in low if not _is_missing(level))
    if levels and levels != known:
        yield LevelCut(column=column, levels=levels, others=frozenset(known) - levels, gain=gain)
    elif len(levels) < len(low):  # missing cells alone
        yield MissingCut(column=column, gain=gain)


def _is_missing(level: Any) -> bool:
    return level is None or level != level


def _owner(position: int, widths: Sequence[int]) -> tuple[int, int]:
    """The column that a column of the output was made of, and its place among those of it."""
    ends = np.cumsum(widths)
    column = int(np.searchsorted(ends, position, side="right"))
    return column, int(position - (ends[column] - widths[column]))


_WAYS: dict[str, _Back] = {
    "ColumnTransformer": _column_transformer,
    "Pipeline": _pipeline,
    "SelectorMixin": _selector,
    "FunctionTransformer": _function,
    "StandardScaler": _monotone,
    "MinMaxScaler": _monotone,
    "MaxAbsScaler": _monotone,
    "RobustScaler": _monotone,
    "PowerTransformer": _monotone,
    "QuantileTransformer": _monotone,
    "KBinsDiscretizer": _bins,
    "Binarizer": _binarizer,
    "SimpleImputer": _imputer,
    "MissingIndicator": _indicator,
    "OneHotEncoder": _one_hot,
    "OrdinalEncoder": _ordinal,
    "TargetEncoder": _target_encoder,
}

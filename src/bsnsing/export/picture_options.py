"""What a picture of a tree shows: the options of all pictures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

from bsnsing.export.palette import Palette

Drawing = TypeVar("Drawing", bound=Callable[..., Any])

SHOWS = ("counts", "classes", "shares", "probabilities")


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOptions:
    """What a picture shows. The words that :func:`bsnsing.export_text` knows mean the same here.

    Attributes
    ----------
    feature_names : sequence of str, default=None
        Names to write for the columns, instead of those the model was fitted with.
    max_depth : int, default=None
        Draw nodes up to this depth; what is below is one node that tells its size.
    max_leaves : int, default=60
        Leaves to draw at most. Where there are more, the subtrees of fewest cases are drawn as one
        node each, which tells its size. None draws all.
    shows : str or sequence of str, default="counts"
        What nodes tell of their cases: "counts" how many there are and how many of the leaf's
        class, "classes" how many of each class, "shares" the share of all cases that comes here,
        "probabilities" the probability of each class.
    event : class label, default=None
        Tell the probability of this class at each node, and of no other.
    show_probabilities : bool, default=False
        The same as "probabilities" in ``shows``.
    digits : int, default=None
        Significant digits of thresholds, for a picture that is looked at and not reckoned with.
        None writes as many as tell the cases apart.
    full_levels : bool, default=False
        List all levels of a group, instead of the first few and their number.
    show_missing : bool, default=False
        Tell which way missing cells go, where the column had some at fit.
    show_numbers : bool, default=False
        Write the number of each node, as in ``model.apply`` and ``tree.node``.
    show_origins : bool, default=False
        Tell where questions came from that were given by hand or lent by another model.
    show_proof : bool, default=False
        Tell each split's objective, and how many rules it was proven against. A split that is
        not proven to be the best is marked in any case.
    leaves : {"depth", "bottom"}, default="depth"
        Draw leaves at their own depth, or all at the bottom.
    palette : mapping or sequence of str, default=None
        Colours of the classes as ``"#rrggbb"``, by label or in the order of classes.
    case : row, default=None
        Light up the way of one case: a dict, a sequence of cells in the order of the columns, a
        Series or a dataframe of one row. Both ways are lit where its cells leave a rule unknown.
    path : sequence of int, default=None
        Light up these nodes, by their numbers; for a model of one tree.
    title : str, default=None
        A heading.
    """

    feature_names: Sequence[str] | None = None
    max_depth: int | None = None
    max_leaves: int | None = 60
    shows: str | Sequence[str] = "counts"
    event: Any = None
    show_probabilities: bool = False
    digits: int | None = None
    full_levels: bool = False
    show_missing: bool = False
    show_numbers: bool = False
    show_origins: bool = False
    show_proof: bool = False
    leaves: Literal["depth", "bottom"] = "depth"
    palette: Palette | None = None
    case: Any = None
    path: Sequence[int] | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is none of the choices."""
        for word in self.shown:
            if word not in SHOWS:
                raise ValueError(f"'shows' is made of the words {SHOWS}. Got {word!r}.")
        if self.leaves not in ("depth", "bottom"):
            raise ValueError(f"'leaves' must be 'depth' or 'bottom'. Got {self.leaves!r}.")
        for name, least in (("max_depth", 0), ("max_leaves", 1), ("digits", 1)):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < least):
                raise ValueError(f"'{name}' must be None or an int from {least}. Got {value!r}.")

    @property
    def shown(self) -> tuple[str, ...]:
        """What nodes tell of their cases."""
        words = (self.shows,) if isinstance(self.shows, str) else tuple(self.shows)
        return (*words, "probabilities") if self.show_probabilities else words


def tells_options(*kinds: type[Any]) -> Callable[[Drawing], Drawing]:
    """Give a function's docstring, after its ``**options``, the fields of these classes of options.

    So ``help()`` tells each of them, in the same words everywhere.
    """

    def told(function: Drawing) -> Drawing:
        if function.__doc__ is None or any(kind.__doc__ is None for kind in kinds):
            return function  # Python runs without docstrings
        listed = "\n".join(
            inspect.cleandoc(kind.__doc__ or "").split("----------\n", 1)[1] for kind in kinds
        )
        head, mark, tail = inspect.cleandoc(function.__doc__).partition("**options\n")
        own, blank, rest = tail.partition("\n\n")
        function.__doc__ = f"{head}{mark}{own}\n{listed}{blank}{rest}"
        return function

    return told


def read_options(caller: str, options: dict[str, Any]) -> PictureOptions:
    """Return the options of a picture, given by keyword."""
    known = [field.name for field in fields(PictureOptions)]
    for name in options:
        if name not in known:
            raise TypeError(f"{caller} has no option {name!r}. Its options are {', '.join(known)}.")
    return PictureOptions(**options)

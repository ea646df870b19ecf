"""Tidy placing of a binary tree: as narrow as can be with nothing overlapping, in linear time.

After Reingold and Tilford, with nodes of any width. Subtrees are moved together until their
outlines touch. An outline is two lists of one entry per row, deepest row first, and the shorter one
is merged into the longer: all merges together then cost as much as there are nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Outline:
    """Leftmost and rightmost of each row of a subtree, from its root; ``shift`` is still to add."""

    lefts: list[float] = field(default_factory=list)
    rights: list[float] = field(default_factory=list)
    shift: float = 0.0


def tidy_positions(
    yes: Sequence[int],
    no: Sequence[int],
    left_extent: Sequence[float],
    right_extent: Sequence[float],
    *,
    gap: float,
    hanging_rows: Sequence[int] | None = None,
    stem: float = 0.0,
) -> list[float]:
    """Return the x of each node, such that nothing overlaps in any row; the least edge is 0.

    Parameters
    ----------
    yes, no : sequence of int
        Children of each node, -1 at leaves. Children come after their parents.
    left_extent, right_extent : sequence of float
        How far each node reaches to either side of its x.
    gap : float
        Free space between neighbours.
    hanging_rows : sequence of int, default=None
        Rows that each leaf is moved down by; its edge passes them, and ``stem`` is kept free
        around it there.
    """
    n_nodes = len(yes)
    outlines: dict[int, _Outline] = {}
    from_parent = [0.0] * n_nodes
    for node in range(n_nodes - 1, -1, -1):
        reach, stand = left_extent[node], right_extent[node]
        if yes[node] >= 0:
            left, right = outlines.pop(yes[node]), outlines.pop(no[node])
            apart = _distance(left, right) + gap
            from_parent[yes[node]], from_parent[no[node]] = -apart / 2, apart / 2
            outline = _merged(left, right, apart / 2)
        else:
            n_rows = 0 if hanging_rows is None else hanging_rows[node]
            outline = _Outline([-reach], [stand]) if n_rows else _Outline()
            outline.lefts += [-stem] * (n_rows - 1)
            outline.rights += [stem] * (n_rows - 1)
            reach, stand = (stem, stem) if n_rows else (reach, stand)
        outline.lefts.append(-reach - outline.shift)
        outline.rights.append(stand - outline.shift)
        outlines[node] = outline
    x = [0.0] * n_nodes
    for node in range(n_nodes):
        if yes[node] >= 0:
            for child in (yes[node], no[node]):
                x[child] = x[node] + from_parent[child]
    leftmost = min(at - reach for at, reach in zip(x, left_extent, strict=True))
    return [at - leftmost for at in x]


def _distance(left: _Outline, right: _Outline) -> float:
    """How far apart two roots must be for their outlines to touch."""
    shifts = left.shift - right.shift
    n_rows = min(len(left.rights), len(right.lefts))
    return max(left.rights[-i] - right.lefts[-i] for i in range(1, n_rows + 1)) + shifts


def _merged(left: _Outline, right: _Outline, half: float) -> _Outline:
    """The outline of two subtrees whose roots are ``half`` to either side of the parent."""
    left.shift -= half
    right.shift += half
    n_left, n_right = len(left.lefts), len(right.lefts)
    if n_left >= n_right:
        moved = right.shift - left.shift
        left.rights[n_left - n_right :] = [at + moved for at in right.rights]
        return left
    moved = left.shift - right.shift
    right.lefts[n_right - n_left :] = [at + moved for at in left.lefts]
    return right

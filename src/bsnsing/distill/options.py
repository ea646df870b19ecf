"""DistillOptions and Grown: what a taught tree is to find out, and what comes of growing one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bsnsing.distill.config import DistillConfig
from bsnsing.tree.probabilities import Evidence
from bsnsing.tree.tree import Tree

if TYPE_CHECKING:  # plain trees have no proof to complete
    from bsnsing.distill.proof import TaughtProof


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillOptions:
    """What is to be found out beside the tree itself."""

    config: DistillConfig
    try_column_pairs: bool  # where they pay
    try_longer_rules: bool
    same_unit: tuple[tuple[str, ...], ...] = ()  # groups of columns that may be summed


class Grown(NamedTuple):
    """An unpruned tree with the cases it was learnt from, and what completes a taught one."""

    tree: Tree
    evidence: Evidence
    proof: TaughtProof | None

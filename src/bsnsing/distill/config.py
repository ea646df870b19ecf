"""DistillConfig: every number of the teacher's part, each with its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillConfig:
    """The numbers behind ``teacher``, ``ccp_alpha="auto"`` and the other "auto" of a taught tree.

    ``python -m benchmarks.quality.defaults`` measures what changing one of them does.
    """

    # --- Large tables ---
    # Rows that are taught as they are. Of more, the forest learns this many, chosen by content, and
    # tells what it knows of all; more of them teach it little that its trees can hold.
    most_taught: int = 200_000

    # --- The forest ---
    n_trees: int = 50  # of each kind; more are no better beyond noise
    rows_per_tree: int = 20_000  # drawn at most: time grows with rows, and labels abound
    leaf_rows: tuple[int, ...] = (2, 4, 8, 16)  # to choose among: noise needs larger leaves

    # --- Soft labels and synthetic rows ---
    label_share: float = 0.5  # of a label in its soft label: both it and the teacher may err
    real_weight: int = 6  # what a real row counts beside a synthetic one: its cells did occur
    parts: int = 8  # of a case, among which a search divides soft labels: 16 take longer
    times_rows: int = 2  # rows in all, in multiples of the real ones
    most_rows: int = 12_000  # rows in all with synthetic ones, for the time of the search
    swap_chance: float = 0.3  # that a cell is another row's: new, and near enough to what occurs

    # --- The tree ---
    # Of a node, outside its most frequent class, from which on labels outweigh the teacher's word.
    own_cases: int = 200
    penalty_from: int = 2000  # cases from which on a leaf must save more (complexity_penalty)

    # --- Richer rules, and bounds on work ---
    leaves_saved: float = 4.0  # penalties of leaves that richer rules must save to be taken
    n_paired: int = 4  # most important numeric columns that are paired: 12 pairs to read
    most_work: float = 2.5e8  # of a search (see work.search_work): hundredths of a second

    def complexity_penalty(self, n_cases: float) -> float:
        """Impurity per case, in nats, that each leaf of a taught tree must save.

        A nat for each leaf, as Akaike has it; beyond ``penalty_from`` cases it grows like half the
        logarithm of their number, as Schwarz has it.
        """
        return (1 + math.log(1 + n_cases / self.penalty_from) / 2) / n_cases

    def labels_and_word(
        self, labels: NDArray[np.float64], told: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Cases per node and class: those it has, and what a teacher says of as many.

        Labels count q / (q + ``own_cases``), the teacher's word the rest, where q are the cases
        that it puts outside the node's most frequent class: many cases tell little of a rare class.
        """
        q = (told.sum(axis=1) - told.max(axis=1))[:, None]
        share = q / (q + self.own_cases)
        both: NDArray[np.float64] = share * labels + (1 - share) * told
        return both

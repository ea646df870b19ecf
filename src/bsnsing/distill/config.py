"""DistillConfig: every number of the teacher's part, each with its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillConfig:
    """The numbers behind ``teacher``, ``ccp_alpha="auto"`` and the other "auto" of a taught tree.

    ``python -m benchmarks.quality.defaults`` measures what changing one of them does.
    """

    # --- When a forest is asked ---
    most_rows_to_teach: int = 50_000  # with more a forest takes minutes, and labels abound
    most_cells_to_teach: int = 5_000_000  # the same for wide tables

    # --- The forest ---
    n_trees: int = 50  # of each kind; more are no better beyond noise
    tree_rows: int = 80_000  # rows times trees of each kind: fewer trees in larger tables
    fewest_trees: int = 25  # of each kind: every row needs trees that have not seen it
    extra_columns: float = 3.0  # square roots of the columns tried: random cuts differ enough
    leaf_rows: tuple[int, ...] = (
        1,
        2,
        4,
        8,
        16,
    )  # to choose among: noisy tables need larger leaves
    most_shares: float = 2e7  # rows times classes: with more, memory allows one leaf size only
    n_folds: int = 5  # for teachers without out-of-bag probabilities: as many fits more
    most_levels: int = 30  # a teacher sees per categorical column: rarer ones only cost time

    # --- Soft labels and synthetic rows ---
    label_share: float = 0.5  # of a label in its soft label: both it and the teacher may err
    real_weight: int = 3  # what a real row counts beside a synthetic one: its cells did occur
    parts: int = 8  # parts of a case among which soft labels are divided: 4 lose, 16 take longer
    times_rows: int = 4  # rows in all, in multiples of the real ones
    most_rows: int = 12_000  # rows in all with synthetic ones, for the time of the search
    low_brier: float = 0.2  # with a Brier score below this a teacher is heard about more rows ...
    times_more_rows: float = 2.0  # ... up to this many times as many, as the score falls
    swap_chance: float = 0.3  # that a cell is another row's: new, and near enough to what occurs

    # --- Columns with more than max_levels levels ---
    level_evidence: tuple[float, ...] = tuple(2.0**i for i in range(13))  # further cases to try
    fewest_level_cases: float = 2.0  # to have a say: one case can be confirmed by none

    # --- Bounds on the work of a search (see work.search_work) ---
    most_work: float = 3e9  # with more, columns that matter less are left out ...
    most_work_by_choice: float = 8e8  # ... until it is this
    most_cells: float = 2e7  # of a training set, for memory
    enough_rows: int = 4000  # no column is left out to make room for more rows than this

    # --- Complexity penalty of a leaf: Gini impurity, in cases ---
    penalty: float = 0.8  # for two classes, where more leaves predict no better; times 2/k for k
    large_table: int = 2000  # cases from which on more splits save some by chance ...
    penalty_per_doubling: float = 4.0  # ... in proportion to what the teacher leaves unexplained
    quiet_brier: float = 0.1  # below this few cases are more likely to be more than chance ...
    least_penalty_share: float = 0.5  # ... and the penalty falls in proportion, to this share
    hardly_explained: float = (
        0.7  # where a teacher leaves more unexplained, there is little to save
    )
    penalty_fall: float = 2.0  # by which the penalty falls, times the excess

    # --- The tree ---
    min_samples_leaf: int = 2  # real cases in each child: synthetic ones speak for them too
    shrinkage: float = 1.0  # cases that a parent counts for: little, as labels are soft already
    learnt_weight: float = 2.0  # what a node's soft labels count for in that unit: few real cases
    cv_penalty_share: float = 0.125  # of the penalty below which cross-validation grows nothing

    # --- Richer rules ---
    penalties_saved: float = 2.0  # leaves' penalties that richer rules must save to be taken
    n_paired: int = 4  # most important numeric columns that are paired: 24 pairs to read
    most_pair_work: float = 1e9  # of a search with pairs, which is then a tenth of a second
    most_triple_work: float = 2e9  # of a search for rules of three, which bounds make quick

    def complexity_penalty(
        self, n_cases: float, n_classes: int, brier: float, unexplained: float
    ) -> float:
        """Gini impurity per case that each leaf of a taught tree must save.

        ``brier`` is the Brier score of the teacher's out-of-bag probabilities, and ``unexplained``
        the same as a share of the labels' own impurity.
        """
        n_doublings = math.log2(max(1.0, n_cases / self.large_table))
        share = min(1.0, max(self.least_penalty_share, brier / self.quiet_brier))
        cases = self.penalty * 2 / max(2, n_classes)
        if self.hardly_explained < unexplained < 1:
            cases *= 1 - self.penalty_fall * (unexplained - self.hardly_explained)
        return cases * max(share, self.penalty_per_doubling * unexplained * n_doublings) / n_cases

    def has_many_labels(self, n_cases: float, n_columns: int) -> bool:
        """Whether a forest would take minutes, and labels abound."""
        return n_cases > self.most_rows_to_teach or n_cases * n_columns > self.most_cells_to_teach

"""From an estimator's parameters to the options of the stages; what "auto" stands for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.options import DistillOptions
from bsnsing.engine.cuda.maker import engine_on
from bsnsing.estimators.donors import NOTHING_LENT, Lent
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.progress import is_wanted
from bsnsing.questions.question import Question
from bsnsing.rules.constraints import check_constraints
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.knowledge import Knowledge
from bsnsing.rules.options import SearchOptions, effective_n_threads, seconds
from bsnsing.solvers.mip_options import read_mip_options
from bsnsing.solvers.nodes import SolverOptions
from bsnsing.solvers.registry import MIP_SOLVERS
from bsnsing.tree.rule import Rule

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier

# Questions per rule, to begin with.
_MAX_RULES = 2
# Cases that a parent's shares count for, without a teacher and with one.
_SHRINKAGE = 10.0
TAUGHT_SHRINKAGE = 1.0
# Without a teacher, "auto" leaves are larger above this many cases.
_MANY_CASES = 50_000
# From this verbosity on, solvers print their logs.
_SOLVER_LOGS = 2


def read_options(
    model: BsnsingClassifier,
    leaf_rows: int | None,
    n_cases: float,
    *,
    class_weight: NDArray[np.float64] | None = None,
    costs: NDArray[np.float64] | None = None,
    questions: tuple[Question, ...] = (),
    lent: Lent = NOTHING_LENT,
    knowledge: Knowledge | None = None,
    first_rules: tuple[Rule, ...] = (),
) -> GrowOptions:
    """Return the checked parameters as options, and in place of "auto" what suits the cases.

    ``leaf_rows`` are those that a leaf of the teacher's forest needs, None without a teacher;
    ``questions`` and ``lent`` those of ``extra_questions``, which may be read once only.
    """
    config = model._distill_config
    shrinkage = model.shrinkage
    if shrinkage == "auto":
        shrinkage = _SHRINKAGE if leaf_rows is None else TAUGHT_SHRINKAGE
    return GrowOptions(
        make_engine=engine_on(model.device, type(model)._make_engine),
        search=SearchOptions(
            max_rules=_MAX_RULES if model.max_rules == "auto" else int(model.max_rules),
            criterion=model.criterion,
            operators=tuple(model.operators),
            min_samples_leaf=float(leaf_size(model.min_samples_leaf, n_cases, leaf_rows)),
            distinct_children=bool(model.distinct_children),
            time_limit=seconds(model.time_limit),
            greedy_level=float(model.greedy_level) if model.solver == "greedy" else None,
            n_threads=effective_n_threads(model.n_jobs),
        ),
        n_segments="auto" if model.n_segments == "auto" else int(model.n_segments),
        max_levels=model.max_levels,
        max_values_as_levels=model.max_values_as_levels,
        bin_size=float(model.bin_size),
        solver=SolverOptions(
            name=model.solver,
            hybrid_cap=float(model.hybrid_cap),
            mip=read_mip_options(model.solver_options, tuple(MIP_SOLVERS)),
            verbose=int(model.verbose) >= _SOLVER_LOGS,
        ),
        max_bins=model.max_bins,
        max_depth=np.inf if model.max_depth is None else model.max_depth,
        stop_prob=float(model.stop_prob),
        ccp_alpha=_penalty(model, leaf_rows, config, n_cases),
        max_leaf_nodes=model.max_leaf_nodes,
        shrinkage=float(shrinkage),
        class_weight=class_weight,
        costs=costs,
        own_questions=bool(model.own_questions),
        extra_questions=questions,
        learners=lent.learners,
        donor_seed=lent.seed,
        first_rules=first_rules,
        knowledge=knowledge,
        constraints=check_constraints(model.constraints),
        deadline=Deadline(seconds(model.time_limit)),
        reports_progress=is_wanted(model.verbose),
    )


def distill_options(model: BsnsingClassifier, columns: Sequence[ColumnInfo]) -> DistillOptions:
    """Return what a taught tree is to find out."""
    pairs = model.column_pairs
    return DistillOptions(
        config=model._distill_config,
        try_column_pairs=pairs is not None,
        try_longer_rules=model.max_rules == "auto",
        same_unit=() if pairs is None or isinstance(pairs, str) else _groups(pairs, columns),
    )


def _groups(
    pairs: Sequence[Sequence[str]], columns: Sequence[ColumnInfo]
) -> tuple[tuple[str, ...], ...]:
    """Check that the columns that share a unit are numeric columns of the table."""
    kinds = {
        column.name: column.kind if column.scale is None else f"one of {column.scale.words}"
        for column in columns
    }
    for name in (name for group in pairs for name in group):
        if name not in kinds:
            raise ValueError(
                f"column_pairs names the column {name!r}, which the table does not have. "
                f"Its first columns are {', '.join(map(repr, list(kinds)[:10]))}."
            )
        if kinds[name] != "numeric":
            raise ValueError(
                f"column_pairs names the column {name!r}, which is {kinds[name]}. "
                "Only numeric columns share a unit."
            )
    return tuple(tuple(group) for group in pairs)


def leaf_size(
    min_samples_leaf: str | float,
    n_cases: float,
    leaf_rows: int | None,
) -> int:
    """Cases that each child needs."""
    if min_samples_leaf == "auto" and leaf_rows is not None:
        # Where a forest has to average over this many rows, one tree has to at least.
        return leaf_rows
    if min_samples_leaf == "sqrt" or (min_samples_leaf == "auto" and n_cases > _MANY_CASES):
        return max(1, math.isqrt(int(n_cases)))
    if min_samples_leaf == "auto":
        return max(1, math.floor(math.sqrt(math.sqrt(n_cases)) + 0.5))
    size = cast(float, min_samples_leaf)
    return int(size) if size >= 1 else max(1, math.ceil(size * n_cases))


def _penalty(
    model: BsnsingClassifier, leaf_rows: int | None, config: DistillConfig, n_cases: float
) -> float:
    if model.ccp_alpha != "auto":
        return float(model.ccp_alpha)
    if leaf_rows is None:
        return 0.0
    return config.complexity_penalty(n_cases)

"""OPT-G and OPT-E as the paper has them: a theta for each pair of a positive and a negative row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bsnsing.solvers.literals import add_limit_rows, choice_names, choice_vector, useful_literals
from bsnsing.solvers.model import Model, ModelBuilder, Rows
from bsnsing.solvers.problem import RuleProblem

# Two rows and a column each: beyond this the matrix alone takes gigabytes.
MOST_PAIRS = 2_000_000


def paper_model(problem: RuleProblem) -> Model:
    """Build the paper's program; rows of several cases count as that many.

    Its rows ``B_ik w_k <= z_i`` are written for ``B_ik = 1`` only, as the others say nothing.
    Of equal questions one is kept, which the paper leaves open. That ``z`` ends up whole follows
    from ``w`` being whole.
    """
    positive, negative = np.flatnonzero(problem.is_positive), np.flatnonzero(~problem.is_positive)
    n_pairs = len(positive) * len(negative)
    if problem.criterion == "gini_squared" and n_pairs > MOST_PAIRS:
        raise ValueError(
            f"The paper's formulation has a variable for each of the {n_pairs:,} pairs of a "
            f"positive and a negative row; at most {MOST_PAIRS:,} can be built. Use "
            "formulation='strong' or solver='enum'."
        )
    literals = useful_literals(problem)
    holds = problem.literals[:, literals]
    n_rows = len(holds)
    n_p, n_n = problem.n_positives, problem.n_negatives
    builder = ModelBuilder()
    w = builder.add_columns(choice_names(problem, literals), is_integer=True)
    # The sum of (1 - z_i + z_j) over all pairs of cases.
    cost = np.where(problem.is_positive, -n_n, n_p) * problem.cases
    z = builder.add_columns([f"z{i}" for i in range(n_rows)], cost=cost)
    row, column = np.nonzero(holds)
    every = np.arange(len(row))
    links = Rows(len(row)).put(every, w[column], 1.0).put(every, z[row], -1.0)
    builder.add_rows(links, -np.inf, 0.0)
    covers = Rows(n_rows).put(row, w[column], 1.0).put(np.arange(n_rows), z, -1.0)
    builder.add_rows(covers, 0.0, np.inf)
    builder.add_rows(Rows(1).put(0, w, 1.0), -np.inf, problem.max_rules)
    _add_child_rows(builder, problem, z)
    add_limit_rows(builder, problem, w, literals)
    if problem.criterion == "gini_squared":
        _add_pairs(builder, problem, z[positive], z[negative])
    return builder.build(literals=literals, offset=float(n_p * n_n))


def _add_child_rows(builder: ModelBuilder, problem: RuleProblem, z: NDArray[np.int64]) -> None:
    """MinNodeSize on both sides, and children of different majority."""
    n_p, n_n = problem.n_positives, problem.n_negatives
    builder.add_rows(
        Rows(1).put(0, z, problem.cases), problem.min_leaf, n_p + n_n - problem.min_leaf
    )
    if problem.distinct_children:
        weight_n, weight_p = problem.class_weights
        signed = np.where(problem.is_positive, weight_p, -weight_n) * problem.cases
        least = max(0.0, weight_p * n_p - weight_n * n_n)
        builder.add_rows(Rows(1).put(0, z, signed), least, np.inf)


def _add_pairs(
    builder: ModelBuilder,
    problem: RuleProblem,
    positive: NDArray[np.int64],
    negative: NDArray[np.int64],
) -> None:
    """Theta, free, below both ``1 - z_i`` and ``z_j``; minimising pushes it up to their product."""
    cases_p, cases_n = problem.cases[problem.is_positive], problem.cases[~problem.is_positive]
    i = np.repeat(np.arange(len(positive)), len(negative))
    j = np.tile(np.arange(len(negative)), len(positive))
    theta = builder.add_columns(
        [f"t{a}_{b}" for a, b in zip(i.tolist(), j.tolist(), strict=True)],
        lower=-np.inf,
        upper=np.inf,
        cost=-2.0 * cases_p[i] * cases_n[j],
    )
    every = np.arange(len(theta))
    builder.add_rows(
        Rows(len(theta)).put(every, theta, 1.0).put(every, positive[i], 1.0), -np.inf, 1.0
    )
    builder.add_rows(
        Rows(len(theta)).put(every, theta, 1.0).put(every, negative[j], -1.0), -np.inf, 0.0
    )


def complete(problem: RuleProblem, model: Model, rule: Sequence[int]) -> NDArray[np.float64] | None:
    """The solution that stands for a rule."""
    w = choice_vector(model.literals, rule)
    if w is None:
        return None
    z = np.asarray(problem.literals[:, list(rule)].any(axis=1), dtype=np.float64)
    if problem.criterion != "gini_squared":
        return np.concatenate([w, z])
    is_missed = np.outer(1 - z[problem.is_positive], z[~problem.is_positive])
    return np.concatenate([w, z, is_missed.ravel()])

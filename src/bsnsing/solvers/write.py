"""write_model(): a rule search as a file for any solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from bsnsing.rules.constraints import RuleConstraints
from bsnsing.rules.options import SearchOptions
from bsnsing.rules.parameters import SEARCH_PARAMETERS, check_parameters
from bsnsing.solvers.best_rule import read_pool
from bsnsing.solvers.files import write_file
from bsnsing.solvers.mip import build_model


def write_model(
    path: str | Path,
    answers: ArrayLike,
    y: ArrayLike,
    *,
    max_rules: int = 2,
    min_samples_leaf: float = 1,
    criterion: str = "gini_squared",
    operators: Sequence[str] = ("or",),
    distinct_children: bool = False,
    sample_weight: ArrayLike | None = None,
    constraints: RuleConstraints | Mapping[str, Any] | None = None,
    formulation: str = "strong",
    mirrored: bool = False,
) -> Path:
    """Write the program of :func:`bsnsing.best_rule` to an LP or MPS file.

    The columns ``w3`` and ``w3n`` of the program stand for question 3 and its negation; a rule
    takes those that are one. The objective is the criterion divided by a common factor of its
    values, which a comment at the top of the file gives.

    Parameters
    ----------
    path : str or Path
        Where to write; the ending, ``.lp`` or ``.mps``, says in which format.
    answers, y, max_rules, min_samples_leaf, criterion, operators, distinct_children, \
sample_weight, constraints
        As in :func:`bsnsing.best_rule`; criterion "gini_squared" or "error".
    formulation : {"strong", "paper"}, default="strong"
        Ours, or the paper's.
    mirrored : bool, default=False
        With "and" and a criterion or constraint to which it matters which child is "yes", ORs
        and ANDs are two programs. True writes that of the ANDs: of the negated questions, with
        the classes swapped.

    Returns
    -------
    Path
        The file.
    """
    given = {
        "max_rules": max_rules,
        "min_samples_leaf": min_samples_leaf,
        "criterion": criterion,
        "operators": operators,
        "distinct_children": distinct_children,
    }
    check_parameters("write_model", {name: SEARCH_PARAMETERS[name] for name in given}, given)
    options = SearchOptions(
        max_rules=max_rules,
        min_samples_leaf=float(min_samples_leaf),
        criterion=criterion,
        operators=tuple(operators),
        distinct_children=bool(distinct_children),
    )
    pool = read_pool(
        answers,
        y,
        options,
        sample_weight=sample_weight,
        constraints=constraints,
        mip_solver="write_model",
    )
    problem = pool.search.problem()
    return write_file(build_model(problem.mirrored() if mirrored else problem, formulation), path)

"""best_rule(): the best rule over a 0/1 matrix of answers, with its proof."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from bsnsing.data.labels import read_labels
from bsnsing.data.weights import read_weights
from bsnsing.rules.constraints import (
    QuestionLimits,
    RuleConstraints,
    check_constraints,
    resolve_constraints,
)
from bsnsing.rules.criteria import check_n_classes
from bsnsing.rules.options import SearchOptions, effective_n_threads, seconds
from bsnsing.rules.parameters import check_parameters
from bsnsing.rules.split import PoolRule, Split, split_from_rule
from bsnsing.solvers.mip_options import MipOptions, read_mip_options
from bsnsing.solvers.parameters import BEST_RULE_PARAMETERS
from bsnsing.solvers.pool import MipRule, PoolSearch, check_mip
from bsnsing.solvers.ranking import rank_rules
from bsnsing.solvers.registry import MIP_SOLVERS


def best_rule(
    answers: ArrayLike,
    y: ArrayLike,
    *,
    max_rules: int = 2,
    min_samples_leaf: float = 1,
    criterion: str = "gini_squared",
    operators: Sequence[str] = ("or",),
    distinct_children: bool = False,
    sample_weight: ArrayLike | None = None,
    solver: str = "enum",
    greedy_level: float = 0.9,
    hybrid_cap: float = 40000,
    solver_options: MipOptions | Mapping[str, Any] | None = None,
    constraints: RuleConstraints | Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    n_best: int | None = None,
) -> Split | list[Split] | None:
    """Find the best rule of at most ``max_rules`` questions.

    The search is exact: unless ``time_limit`` cuts it short or ``solver`` is "greedy", no feasible
    rule has a smaller objective. With "enum" ties go to fewer questions, then to smaller positions
    (then to fewer negations, and to "or" before "and" before "xor"), so the result depends neither
    on the order of the rows nor on ``n_jobs``. Criteria that are sums of products of counts
    ("gini_squared", "error", "misclassification") are compared exactly; the others to 12 digits of
    their largest value, and rules that differ by less count as tied. At most 2^31 - 1 rows can be
    counted.

    Parameters
    ----------
    answers : array-like of shape (n_rows, n_questions)
        0 or 1 for each row and question; the positions of its columns name the questions.
    y : array-like of shape (n_rows,)
        Class labels. Of two, the greater is the positive one.
    max_rules : int, default=2
        Most questions in a rule, 1 to 10.
    min_samples_leaf : int or float, default=1
        Cases (sum of weights) that each child needs.
    criterion : str, default="gini_squared"
        What is minimised: "gini_squared" (half the sum over both children of \
``|child|^2 - sum n_j^2``), "gini" (``|child| - sum n_j^2 / |child|``), "entropy"
        (``-sum n_j ln(n_j / |child|)``), "misclassification" (cases outside their child's
        majority class) or, for two classes, "error" (``P * FP + N * FN``).
    operators : sequence of str, default=("or",)
        "or" joins questions. "and" closes the pool under negation: any OR (if "or" is there too)
        and any AND of questions and negated questions. "xor" adds exclusive pairs.
    distinct_children : bool, default=False
        Ask for children with different majority classes. With two classes "yes" must be at least
        half positive and "no" at least half negative.
    sample_weight : array-like of shape (n_rows,), default=None
        Integers count as repeated rows, exactly. Other weights are rounded to 2^-52 of their sum,
        which makes their sums independent of the order of the rows, and take some 15 times as
        long to count.
    solver : str, default="enum"
        Who searches. "enum" is exact and fast. "greedy" adds one question at a time. "highs",
        "cpsat", "scip", "cbc", "gurobi", "cplex" and "lpsolve" solve a mixed-integer program, for
        "gini_squared" and "error" with two classes; which of several best rules they return is
        theirs to choose. "hybrid" is one of these for small pools and "enum" for large ones.
        ``bsnsing.solvers.available()`` says which can be used here.
    greedy_level : float, default=0.9
        "greedy" adds a question if the reduction it leaves, times this, exceeds the reduction
        without it.
    hybrid_cap : float, default=40000
        "hybrid" takes a pool for small if the product of the cases of the two classes is at most
        this.
    solver_options : dict, default=None
        How mixed-integer solvers work: see :class:`bsnsing.solvers.MipOptions`.
    constraints : RuleConstraints or dict, default=None
        Further limits on the questions of a rule.
    time_limit : float, default=None
        Seconds after which the best rule so far is returned with its bound and
        ``optimal=False``. Reading ``answers`` is not cut short.
    n_jobs : int, default=None
        Threads; None is 1 and -1 is all.
    verbose : bool, default=False
        Whether mixed-integer solvers print their logs.
    n_best : int, default=None
        Return that many of the best rules, in order. Passed over are rules of which a question
        changes no answer, and of two rules that are each other's opposite the less simple one
        (but with "error", which tells "yes" from "no"). For ``solver="enum"`` alone.

    Returns
    -------
    Split or None
        None if no rule is feasible, or (with a warning) if time ran out before one was met. With
        ``n_best`` a list of Splits, best first, which is empty if no rule is feasible; ``optimal``
        says of each that no better rule is missing before it.

    Examples
    --------
    >>> from bsnsing import best_rule
    >>> split = best_rule([[1, 0], [1, 0], [0, 1], [0, 0], [0, 0]], [1, 1, 1, 0, 0])
    >>> split.questions, split.operator, split.objective, split.optimal
    ((0, 1), 'or', 0, True)
    """
    given = {
        "max_rules": max_rules,
        "min_samples_leaf": min_samples_leaf,
        "criterion": criterion,
        "operators": operators,
        "distinct_children": distinct_children,
        "time_limit": time_limit,
        "n_jobs": n_jobs,
        "solver": solver,
        "greedy_level": greedy_level,
        "hybrid_cap": hybrid_cap,
        "verbose": verbose,
        "n_best": n_best,
    }
    check_parameters("best_rule", BEST_RULE_PARAMETERS, given)
    if n_best is not None and solver != "enum":
        raise ValueError(
            f"solver={solver!r} finds one rule, and n_best={n_best} are wanted. Use solver='enum'."
        )
    mip_options = read_mip_options(solver_options, tuple(MIP_SOLVERS))
    options = SearchOptions(
        max_rules=max_rules,
        min_samples_leaf=float(min_samples_leaf),
        criterion=criterion,
        operators=tuple(operators),
        distinct_children=bool(distinct_children),
        time_limit=seconds(time_limit),
        n_threads=effective_n_threads(n_jobs),
    )
    is_native = solver in ("enum", "greedy")
    pool = read_pool(
        answers,
        y,
        options,
        sample_weight=sample_weight,
        constraints=constraints,
        mip_solver=None if is_native else solver,
    )
    if n_best is not None:
        return [
            split_from_rule(rule, pool.totals, pool.search.weights, criterion, pool.n_classes)
            for rule in rank_rules(pool.search, n_best)
        ]
    name = solver
    if solver == "hybrid":
        n_pairs = float(np.prod(pool.totals))
        name = mip_options.hybrid_solver if n_pairs <= hybrid_cap else "enum"
    n_nodes = 0
    if name in MIP_SOLVERS:
        chosen = pool.search.mip(MIP_SOLVERS[name], mip_options, bool(verbose))
        rule, n_nodes = _counted(pool.search, chosen), chosen.answer.n_nodes
    else:
        rule = pool.search.native(greedy_level if name == "greedy" else None)
    if not rule.questions:
        if not rule.optimal and name != "greedy":
            warnings.warn(
                "time_limit ended the search before it met a feasible rule: None does not mean "
                "that there is none.",
                stacklevel=2,
            )
        return None
    split = split_from_rule(
        rule, pool.totals, pool.search.weights, options.criterion, pool.n_classes
    )
    return replace(split, solver=name, n_nodes=n_nodes)


class PoolReading(NamedTuple):
    """A pool as it was read, ready to be searched."""

    search: PoolSearch
    n_classes: int  # of y; the search knows at least two
    totals: NDArray[np.float64]  # cases per class


def read_pool(
    answers: ArrayLike,
    y: ArrayLike,
    options: SearchOptions,
    *,
    sample_weight: ArrayLike | None = None,
    constraints: RuleConstraints | Mapping[str, Any] | None = None,
    mip_solver: str | None = None,
) -> PoolReading:
    """Read a pool and what is asked of its rules; ``mip_solver`` is who shall search, if one is."""
    matrix = read_answers(answers)
    classes, labels = read_labels(y, len(matrix))
    check_n_classes(options.criterion, len(classes), "Use 'misclassification' or 'gini'.")
    weights = read_weights(sample_weight, len(matrix))
    if mip_solver is not None:
        check_mip(mip_solver, options.criterion, options.operators, len(classes), weights.unit)
    given = check_constraints(constraints)
    limits = resolve_constraints(given, matrix.shape[1], options.max_rules)
    n_classes = max(2, len(classes))  # a single class gets an empty partner
    search = PoolSearch(
        answers=matrix,
        labels=labels,
        n_classes=n_classes,
        weights=weights,
        options=options,
        limits=QuestionLimits() if limits is None else limits.for_questions(),
    )
    return PoolReading(search, len(classes), weights.class_totals(labels, n_classes))


def _counted(search: PoolSearch, rule: MipRule) -> PoolRule:
    """A rule of a mixed-integer solver with its cases counted."""
    answer = rule.answer
    left = [0.0] * search.n_classes
    if rule.questions:
        literals = search.answers[:, list(rule.questions)].astype(bool) ^ np.array(rule.negated)
        yes = literals.all(axis=1) if rule.operator == "and" else literals.any(axis=1)
        counts = search.weights.counts
        counted = None if counts is None else counts[yes]
        left = np.bincount(search.labels[yes], counted, search.n_classes).tolist()
    return PoolRule(
        questions=rule.questions,
        negated=rule.negated,
        operator=rule.operator,
        left=left,
        objective=answer.objective,
        bound=answer.bound,
        optimal=answer.optimal,
        n_counted=int(bool(rule.questions)),
        n_excluded=0,
        seconds=answer.seconds,
    )


def read_answers(answers: ArrayLike) -> NDArray[np.uint8]:
    """Read a 0/1 matrix as C-ordered bytes; what is not 0 or 1 is an error."""
    if issparse(answers):
        raise TypeError("answers is a sparse matrix. Give a dense one: answers.toarray().")
    matrix = np.asarray(answers)
    if matrix.ndim != 2:
        raise ValueError(
            "answers must be a matrix, rows x questions. "
            f"Got an array of {matrix.ndim} dimension(s)."
        )
    if len(matrix) == 0:
        raise ValueError("answers has no rows. Give at least one.")
    if matrix.dtype == np.bool_:
        return np.ascontiguousarray(matrix).view(np.uint8)
    if matrix.dtype.kind not in "iufO":
        raise ValueError(f"answers must be 0 or 1. Got dtype {matrix.dtype}.")
    is_wrong = ~((matrix == 0) | (matrix == 1))
    if is_wrong.any():
        row, column = np.argwhere(is_wrong)[0]
        raise ValueError(
            f"answers must be 0 or 1. Got {matrix[row, column]} in row {row}, question {column}."
        )
    return np.ascontiguousarray(matrix, dtype=np.uint8)

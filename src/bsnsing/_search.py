"""best_rule(): the best rule over a 0/1 matrix of answers, with its proof."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from bsnsing._labels import read_labels
from bsnsing._params import checked_search_options, effective_n_threads
from bsnsing._weights import CaseWeights, read_weights
from bsnsing.constraints import QuestionLimits, read_constraints
from bsnsing.solvers import MIP_SOLVERS
from bsnsing.solvers.mip import read_mip_options
from bsnsing.solvers.pool import MipRule, PoolSearch, check_mip


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A rule with the cases it sends each way, its objective and the proof of it.

    Attributes
    ----------
    questions : tuple of int
        Positions of the questions in the pool, ascending.
    negated : tuple of bool
        Which of them enter the rule negated.
    operator : {"or", "and", "xor"}
        What joins them; "or" for a single question.
    objective : int or float
        Value of the criterion; the smaller, the better.
    bound : int or float
        Proven lower bound on the objective of every rule of the space.
    optimal : bool
        True if the search was not cut short: no rule of the space is better.
    left_counts, right_counts : ndarray of shape (n_classes,)
        Cases per class for which the rule holds, and for which it does not.
    n_counted : int
        Rules whose cases were counted.
    n_excluded : int
        Rules that bounds excluded without counting.
    seconds : float
        Time of the search.
    solver : str
        Who found the rule.
    n_nodes : int
        Nodes of a mixed-integer solver's branch and bound.
    """

    questions: tuple[int, ...]
    negated: tuple[bool, ...]
    operator: str
    objective: float
    bound: float
    optimal: bool
    left_counts: NDArray[Any]
    right_counts: NDArray[Any]
    n_counted: int
    n_excluded: int
    seconds: float
    solver: str = "enum"
    n_nodes: int = 0


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
    solver_options: Any = None,
    constraints: Any = None,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Split | None:
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

    Returns
    -------
    Split or None
        None if no rule is feasible, or (with a warning) if time ran out before one was met.

    Examples
    --------
    >>> from bsnsing import best_rule
    >>> split = best_rule([[1, 0], [1, 0], [0, 1], [0, 0], [0, 0]], [1, 1, 1, 0, 0])
    >>> split.questions, split.operator, split.objective, split.optimal
    ((0, 1), 'or', 0, True)
    """
    options = checked_search_options(
        max_rules=max_rules,
        min_samples_leaf=min_samples_leaf,
        criterion=criterion,
        operators=operators,
        distinct_children=distinct_children,
        solver=solver,
        greedy_level=greedy_level,
        hybrid_cap=hybrid_cap,
        verbose=verbose,
        time_limit=time_limit,
        n_jobs=n_jobs,
    )
    mip_options = read_mip_options(solver_options, tuple(MIP_SOLVERS))
    search, reading = read_pool_search(
        answers, y, sample_weight=sample_weight, constraints=constraints, **options
    )
    name = solver
    if solver == "hybrid":
        n_pairs = float(np.prod(reading.totals))
        name = mip_options.hybrid_solver if n_pairs <= hybrid_cap else "enum"
    if name in MIP_SOLVERS:
        rule = search.mip(MIP_SOLVERS[name], mip_options, bool(verbose))
        found = _found_by_mip(search, rule)
    else:
        found = search.native(greedy_level if name == "greedy" else None)
    questions, optimal = found[0], found[6]
    if not questions:
        if not optimal and name != "greedy":
            warnings.warn(
                "time_limit ended the search before it met a feasible rule: None does not mean "
                "that there is none.",
                stacklevel=2,
            )
        return None
    split = split_from_found(
        found, reading.totals, reading.weights, search.criterion, reading.n_classes
    )
    n_nodes = rule.answer.n_nodes if name in MIP_SOLVERS else 0
    return replace(split, solver=name, n_nodes=n_nodes)


class Reading(NamedTuple):
    """What reading the labels and weights of a pool told."""

    n_classes: int  # of y; the search knows at least two
    weights: CaseWeights
    totals: NDArray[np.float64]  # cases per class


def read_pool_search(
    answers: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None,
    constraints: Any,
    solver: str,
    criterion: str,
    max_rules: int,
    operators: Sequence[str],
    time_limit: float | None = None,
    n_jobs: int | None = None,
    min_samples_leaf: float,
    distinct_children: bool,
    **_: Any,
) -> tuple[PoolSearch, Reading]:
    """Read a pool and what is asked of its rules."""
    matrix = read_answers(answers)
    classes, codes = read_labels(y, len(matrix))
    if criterion == "error" and len(classes) > 2:
        raise ValueError(
            f"criterion='error' is defined for two classes, and y has {len(classes)}. "
            "Use 'misclassification' or 'gini'."
        )
    weights = read_weights(sample_weight, len(matrix))
    if solver not in ("enum", "greedy"):
        check_mip(solver, criterion, operators, len(classes), weights.unit)
    limits = read_constraints(constraints, matrix.shape[1], max_rules)
    n_classes = max(2, len(classes))  # a single class gets an empty partner
    search = PoolSearch(
        answers=matrix,
        codes=codes,
        n_classes=n_classes,
        counts=weights.counts,
        unit=weights.unit,
        max_rules=max_rules,
        min_samples_leaf=min_samples_leaf,
        criterion=criterion,
        operators=tuple(operators),
        distinct_children=bool(distinct_children),
        limits=QuestionLimits() if limits is None else limits.for_questions(),
        time_limit=np.inf if time_limit is None else float(time_limit),
        n_threads=effective_n_threads(n_jobs),
    )
    return search, Reading(len(classes), weights, weights.class_totals(codes, n_classes))


def _found_by_mip(search: PoolSearch, rule: MipRule) -> tuple[Any, ...]:
    """A rule of a mixed-integer solver in the form of the native account."""
    answer = rule.answer
    left = [0.0] * search.n_classes
    if rule.questions:
        literals = search.answers[:, list(rule.questions)].astype(bool) ^ np.array(rule.negated)
        yes = literals.all(axis=1) if rule.operator == "and" else literals.any(axis=1)
        counted = None if search.counts is None else search.counts[yes]
        left = np.bincount(search.codes[yes], weights=counted, minlength=search.n_classes).tolist()
    return (
        rule.questions,
        rule.negated,
        rule.operator,
        left,
        answer.objective,
        answer.bound,
        answer.optimal,
        int(bool(rule.questions)),
        0,
        answer.seconds,
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


def split_from_found(
    found: tuple[Any, ...],
    totals: NDArray[np.float64],
    weights: CaseWeights,
    criterion: str,
    n_classes: int,
) -> Split:
    """Turn the native account of a rule into a Split, in the units of the user's weights."""
    questions, negated, operator, left, value, bound, optimal, counted, excluded, seconds = found
    power = 2 if criterion in ("gini_squared", "error") else 1
    left_counts = weights.to_cases(np.asarray(left))
    right_counts = weights.to_cases(totals - np.asarray(left))
    is_whole = weights.unit == 1.0 and criterion in ("gini_squared", "error", "misclassification")
    objective = float(value / weights.unit**power)
    lower = float(min(bound, value) / weights.unit**power)
    if is_whole:
        objective = exact_objective(criterion, left_counts, right_counts)
        lower = objective if optimal else min(int(np.ceil(lower)), objective)
    return Split(
        questions=questions,
        negated=negated,
        operator=operator,
        objective=objective,
        bound=objective if optimal else lower,
        optimal=optimal,
        left_counts=left_counts[:n_classes],
        right_counts=right_counts[:n_classes],
        n_counted=int(counted),
        n_excluded=int(excluded),
        seconds=seconds,
    )


def exact_objective(criterion: str, left: NDArray[Any], right: NDArray[Any]) -> int:
    """Work the whole-number criteria out in Python's integers, which cannot overflow."""
    children = [[int(n) for n in left], [int(n) for n in right]]
    if criterion == "misclassification":
        return sum(sum(n) - max(n) for n in children)
    if criterion == "gini_squared":
        return sum(sum(n) ** 2 - sum(k * k for k in n) for n in children) // 2
    (false_positives, positives_left), (negatives_right, false_negatives) = children
    positives = positives_left + false_negatives
    negatives = false_positives + negatives_right
    return positives * false_positives + negatives * false_negatives

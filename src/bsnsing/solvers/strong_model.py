"""The same program, smaller and stronger: rows of one answer pattern share a variable.

Three things make its relaxation tight:

1. *Linking.* At most R = ``max_rules`` literals are chosen, so where a pattern says yes to the set
   S of literals, ``sum of w over S <= R z`` holds beside ``z <= sum of w over S``. Unlike
   ``w <= z`` for each literal, which the paper has, it holds a choice spread thinly over many
   literals to account. Where S has at most R literals, ``w <= z`` is the stronger, and is used.
2. *Boxes.* Let U be the objective of a known rule. With OPT-E, P FP <= U and N FN <= U. With
   OPT-G, ``nu = P FP + N FN - 2 FP FN = P N / 2 + 2 (FP - N/2) (P/2 - FN)``, so if U < P N / 2, a
   rule that is no worse has either FP < N/2 and FN < P/2, or both above. In the first half
   ``nu >= P FP`` (as 2 FP FN <= N FN) and ``nu >= N FN``, hence FP <= U/P and FN <= U/N; in the
   second half the same holds of TN and TP. A binary *switch* says which half is meant.
3. *Products.* FP FN is a sum over patterns of d_g FP with d_g = 1 - z_g (or of z_g FN, whichever
   has fewer patterns). With FP in [low, high], ``u_g <= high d_g`` together with
   ``u_g <= FP - low (1 - d_g)`` is exact for d_g in {0, 1}; minimising pushes u_g up to the
   product. The sum of all u_g also keeps McCormick's two bounds on FP FN over the box.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing.solvers.literals import add_limit_rows, choice_names, choice_vector, useful_literals
from bsnsing.solvers.model import Floats, Ints, Model, ModelBuilder, Rows
from bsnsing.solvers.problem import RuleProblem


@dataclass(frozen=True, slots=True)
class Patterns:
    """Rows with the same answers to all literals of the program, as one."""

    holds: NDArray[np.bool_]  # patterns x literals
    positives: Ints
    negatives: Ints
    of_row: Ints


def merge_rows(problem: RuleProblem, literals: Ints) -> Patterns:
    """Group the rows by what they answer."""
    answers = problem.literals[:, literals]
    packed = np.packbits(answers, axis=1)
    _, first, pattern = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    pattern = pattern.ravel()
    count = [
        np.bincount(pattern, weights=problem.cases * side, minlength=len(first)).astype(np.int64)
        for side in (problem.is_positive, ~problem.is_positive)
    ]
    return Patterns(answers[first], count[0], count[1], pattern)


@dataclass(frozen=True, slots=True)
class Term:
    """One factor of FP FN, as a sum over patterns: ``total`` = sum of weight_g d_g."""

    total: int  # its column
    most: int  # its greatest value
    limit: int  # its greatest value in the first half


def strong_model(problem: RuleProblem, known: float = math.inf) -> Model:
    """Build the program for rules with an objective of at most ``known``."""
    literals = useful_literals(problem)
    patterns = merge_rows(problem, literals)
    n_p, n_n = problem.n_positives, problem.n_negatives
    is_gini = problem.criterion == "gini_squared"
    builder = ModelBuilder()
    w = builder.add_columns(choice_names(problem, literals), is_integer=True)
    z = _add_links(builder, patterns, w, problem.max_rules)
    has_halves = is_gini and known < n_p * n_n / 2
    limit_fp, limit_fn = n_n, n_p
    if math.isfinite(known) and (has_halves or not is_gini):
        limit_fp = min(n_n, int(known // max(n_p, 1)))
        limit_fn = min(n_p, int(known // max(n_n, 1)))
    upper = (n_n, n_p) if has_halves else (limit_fp, limit_fn)
    fp, fn = builder.add_columns(["FP", "FN"], upper=upper, cost=(n_p, n_n))
    _add_counts(builder, patterns, z, int(fp), int(fn), n_p)
    builder.add_rows(Rows(1).put(0, w, 1.0), 1.0, problem.max_rules)
    _add_child_rows(builder, problem, int(fp), int(fn))
    add_limit_rows(builder, problem, w, literals)
    switch = None
    if is_gini:
        false_positives = Term(int(fp), n_n, limit_fp)
        false_negatives = Term(int(fn), n_p, limit_fn)
        switch = int(builder.add_columns(["half"], is_integer=True)[0]) if has_halves else None
        _add_product(builder, patterns, z, false_positives, false_negatives, switch)
    unit = math.gcd(n_p, n_n, 2) if is_gini else math.gcd(n_p, n_n)
    return builder.build(literals=literals, unit=max(unit, 1), switch=switch)


def _add_links(builder: ModelBuilder, patterns: Patterns, w: Ints, max_rules: int) -> Ints:
    """Return the column of each pattern's z; -1 where it is always zero.

    A pattern that says yes to a single literal needs no variable of its own.
    """
    n_yes = patterns.holds.sum(axis=1)
    column = np.full(len(n_yes), -1, dtype=np.int64)
    single, literal = np.nonzero(patterns.holds & (n_yes == 1)[:, None])
    column[single] = w[literal]
    several = np.flatnonzero(n_yes > 1)
    column[several] = builder.add_columns([f"z{g}" for g in several], is_integer=True)
    row, literal = np.nonzero(patterns.holds[several])
    z = column[several]
    every = np.arange(len(several))
    below = Rows(len(several)).put(row, w[literal], 1.0).put(every, z, -1.0)
    builder.add_rows(below, 0.0, np.inf)
    wide = n_yes[several] > max_rules
    number = np.cumsum(wide) - 1
    in_wide = wide[row]
    above = Rows(int(wide.sum())).put(number[row[in_wide]], w[literal[in_wide]], 1.0)
    builder.add_rows(above.put(number[wide], z[wide], -float(max_rules)), -np.inf, 0.0)
    pairs = np.arange(int((~in_wide).sum()))
    each = Rows(len(pairs)).put(pairs, w[literal[~in_wide]], 1.0).put(pairs, z[row[~in_wide]], -1.0)
    builder.add_rows(each, -np.inf, 0.0)
    return column


def _add_counts(
    builder: ModelBuilder, patterns: Patterns, z: Ints, fp: int, fn: int, n_positives: int
) -> None:
    """FP and FN as sums over patterns."""
    some = z >= 0
    builder.add_rows(Rows(1).put(0, z[some], patterns.negatives[some]).put(0, fp, -1.0), 0.0, 0.0)
    builder.add_rows(
        Rows(1).put(0, z[some], patterns.positives[some]).put(0, fn, 1.0), n_positives, n_positives
    )


def _add_child_rows(builder: ModelBuilder, problem: RuleProblem, fp: int, fn: int) -> None:
    """Each child has ``min_leaf`` cases; where asked, children lean to different classes."""
    n_p, n_n = problem.n_positives, problem.n_negatives
    difference = Rows(1).put(0, fp, 1.0).put(0, fn, -1.0)  # cases that answer yes, less P
    builder.add_rows(difference, problem.min_leaf - n_p, n_n - problem.min_leaf)
    if problem.distinct_children:
        weight_n, weight_p = problem.class_weights
        least = max(0.0, weight_p * n_p - weight_n * n_n)
        signed = Rows(1).put(0, fn, -weight_p).put(0, fp, -weight_n)
        builder.add_rows(signed, least - weight_p * n_p, np.inf)


def _add_product(
    builder: ModelBuilder, patterns: Patterns, z: Ints, fp: Term, fn: Term, switch: int | None
) -> None:
    """FP FN as a sum over the patterns of the class that has fewer."""
    by_positives = _is_by_positives(patterns)
    weight = patterns.positives if by_positives else np.where(z >= 0, patterns.negatives, 0)
    of, other = (fn, fp) if by_positives else (fp, fn)
    g = np.flatnonzero(weight)
    u = builder.add_columns([f"u{i}" for i in g], upper=other.most, cost=-2.0 * weight[g])
    # d_g = base + slope * z_g
    base, slope = (1.0, -1.0) if by_positives else (0.0, 1.0)
    for half in (0, 1) if switch is not None else (0,):
        boxes = [
            (t.most - t.limit, t.most) if half else (0, t.limit if switch is not None else t.most)
            for t in (of, other)
        ]
        for rows, upper in _half_rows(u, z[g], weight[g], base, slope, (of, other), boxes):
            if switch is None:
                builder.add_rows(rows, -np.inf, upper)
            else:
                builder.add_switched_rows(rows, upper, switch, half)


def _is_by_positives(patterns: Patterns) -> bool:
    """Whether fewer patterns have positive cases than have negative ones that may answer yes."""
    n_negative = np.count_nonzero(patterns.negatives[patterns.holds.any(axis=1)])
    return bool(np.count_nonzero(patterns.positives) <= n_negative)


def _half_rows(
    u: Ints,
    z: Ints,
    weight: Ints,
    base: float,
    slope: float,
    terms: tuple[Term, Term],
    boxes: list[tuple[int, int]],
) -> list[tuple[Rows, Floats | float]]:
    """Boxes of both factors, the products, and McCormick's bounds on their sum."""
    (of, other), ((of_low, of_high), (low, high)) = terms, boxes
    every = np.arange(len(u))
    some = z >= 0
    below_other = Rows(len(u)).put(every, u, 1.0).put(every, other.total, -1.0)
    below_own = Rows(len(u)).put(every, u, 1.0)
    below_other.put(every[some], z[some], -low * slope)
    below_own.put(every[some], z[some], -high * slope)
    total = [
        Rows(1).put(0, u, weight).put(0, other.total, -of_end).put(0, of.total, -end)
        for of_end, end in ((of_high, low), (of_low, high))
    ]
    rows: list[tuple[Rows, Floats | float]] = [
        (Rows(1).put(0, term.total, sign), sign * end)
        for term, box in zip(terms, boxes, strict=True)
        for sign, end in ((-1.0, box[0]), (1.0, box[1]))
    ]
    return [
        *rows,
        (below_other, np.full(len(u), -low * (1 - base))),
        (below_own, np.full(len(u), high * base)),
        (total[0], float(-of_high * low)),
        (total[1], float(-of_low * high)),
    ]


def complete(problem: RuleProblem, model: Model, rule: Sequence[int]) -> NDArray[np.float64] | None:
    """The solution that stands for a rule."""
    w = choice_vector(model.literals, rule)
    if w is None:
        return None
    patterns = merge_rows(problem, model.literals)
    z = (patterns.holds @ w.astype(np.bool_)).astype(np.float64)
    tp, fp = problem.counts(rule)
    fn = problem.n_positives - tp
    values = {"FP": float(fp), "FN": float(fn), "half": float(2 * fp > problem.n_negatives)}
    products = (1 - z) * fp if _is_by_positives(patterns) else z * fn
    x = np.empty(len(model.names))
    x[: len(w)] = w
    for i in range(len(w), len(x)):
        name = model.names[i]
        if name in values:
            x[i] = values[name]
        else:
            x[i] = (z if name[0] == "z" else products)[int(name[1:])]
    return x

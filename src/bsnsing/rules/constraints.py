"""RuleConstraints: what a rule may ask, beyond its size; and its form for one pool."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core

# Sums of decimal fractions are rounded: 0.1 + 0.2 keeps a limit of 0.3.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleConstraints:
    """Limits on the questions of each rule, kept exactly by every solver.

    In :func:`best_rule` a question is named by its position in the pool. In
    :class:`BsnsingClassifier`, where each node asks questions of its own, limits are put on
    columns, by name or position, and hold for every question about that column.

    Parameters
    ----------
    forbidden : collection, default=()
        Questions (columns) that no rule may ask (about).
    required : collection, default=()
        Questions that every rule must ask, each of them; columns that every rule must ask about.
        Where that is not possible there is no rule, and a node stays a leaf.
    costs : sequence or mapping, default=None
        What a question costs: one number each, or a mapping with zero for those not in it.
    max_cost : float, default=None
        Most that the questions of a rule may cost together. Each question counts, also a second
        one about the same column.
    one_per_column : bool, default=False
        At most one question about any column in a rule.
    columns : sequence, default=None
        For :func:`best_rule` with ``one_per_column``: the column of each question.
    apart : collection of pairs, default=()
        Pairs of questions (columns) that no rule may ask (about) together.
    groups : sequence of collections, default=()
        Groups of questions (columns) that no rule may mix; what is in no group goes with all.
    along_paths : bool, default=False
        Whether ``apart`` and ``groups`` hold for all rules on the way to a leaf together, and not
        only within each rule. For trees, with the "enum" or "greedy" solver.
    linear : sequence of (coefficients, lower, upper), default=()
        Further limits: the sum of the coefficients of a rule's questions is at least ``lower``
        and at most ``upper`` (None for no limit). Coefficients are given like costs.

    Examples
    --------
    >>> from bsnsing import RuleConstraints, best_rule
    >>> answers = [[1, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0]]
    >>> best_rule(answers, [1, 1, 1, 0]).questions
    (0, 1)
    >>> cheap = RuleConstraints(costs=[5, 1, 1], max_cost=4)
    >>> best_rule(answers, [1, 1, 1, 0], constraints=cheap).questions
    (1, 2)
    """

    forbidden: Collection[Any] = ()
    required: Collection[Any] = ()
    costs: Sequence[float] | Mapping[Any, float] | None = None
    max_cost: float | None = None
    one_per_column: bool = False
    columns: Sequence[Any] | None = None
    apart: Collection[tuple[Any, Any]] = ()
    groups: Sequence[Collection[Any]] = ()
    along_paths: bool = False
    linear: Sequence[tuple[Sequence[float] | Mapping[Any, float], float | None, float | None]] = ()


class LinearLimit(NamedTuple):
    """The sum of a rule's coefficients lies between two ends."""

    coefficients: NDArray[np.float64]
    lower: float
    upper: float

    def as_tuple(self) -> tuple[list[float], float, float]:
        """The same for native code."""
        return self.coefficients.tolist(), self.lower, self.upper


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """Constraints on the rules over one pool: a coefficient, and perhaps a column, per question."""

    linear: tuple[LinearLimit, ...] = ()
    column_of: NDArray[np.int64] | None = None  # at most one question of each
    allowed: NDArray[np.bool_] | None = None  # which questions may be asked, if not all

    def allow(self, questions: Sequence[int]) -> bool:
        """Whether a rule over these questions keeps all limits."""
        chosen = list(questions)
        if self.allowed is not None and not self.allowed[chosen].all():
            return False
        if self.column_of is not None and len(set(self.column_of[chosen].tolist())) < len(chosen):
            return False
        return all(
            limit.lower <= limit.coefficients[chosen].sum() <= limit.upper for limit in self.linear
        )

    def native(self) -> _core.QuestionLimits:
        """The same for native code, if all questions may be asked."""
        return _core.QuestionLimits(
            linear=[limit.as_tuple() for limit in self.linear],
            column_of=[] if self.column_of is None else self.column_of.tolist(),
        )

    def take(self, positions: NDArray[np.int64]) -> QuestionLimits:
        """The limits for some of the questions, all of which may be asked."""
        return QuestionLimits(
            tuple(
                LinearLimit(limit.coefficients[positions], limit.lower, limit.upper)
                for limit in self.linear
            ),
            None if self.column_of is None else self.column_of[positions],
        )


@dataclass(frozen=True, slots=True)
class SubjectLimits:
    """Constraints over what users name: the questions of a pool, or the columns of a table."""

    allowed: NDArray[np.bool_]
    linear: tuple[LinearLimit, ...] = ()
    column_of: NDArray[np.int64] | None = None  # of each, where a rule may ask one of each column
    apart: tuple[tuple[int, int], ...] = ()  # that no rule may ask about together
    group_of: NDArray[np.int64] | None = None  # those of different groups are apart; 0 is in none
    # Whether "more" of a column may only raise (1) or lower (-1) the share of a class.
    monotone: NDArray[np.int8] | None = None
    ordered_class: int = 0
    max_rules: int = 1  # questions of a rule
    along_paths: bool = False  # what is apart is so on the whole way to a leaf

    def for_questions(self, subject_of: NDArray[np.int64] | None = None) -> QuestionLimits:
        """The same limits over a pool whose questions are these, or about these columns."""
        subjects = np.arange(len(self.allowed)) if subject_of is None else subject_of
        mixed = tuple(self._unmixed(subjects))
        if subject_of is None:
            is_free = bool(self.allowed.all())
            return QuestionLimits(
                self.linear + mixed, self.column_of, None if is_free else self.allowed
            )
        taken = QuestionLimits(self.linear, self.column_of).take(subject_of)
        return QuestionLimits(taken.linear + mixed, taken.column_of)

    def closed_by(self, asked: Collection[int]) -> list[int]:
        """What is apart from some of those that have been asked about."""
        closed = {b if a in asked else a for a, b in self.apart if (a in asked) != (b in asked)}
        if self.group_of is not None:
            groups = {int(self.group_of[own]) for own in asked} - {0}
            if groups:
                is_other = (self.group_of > 0) & ~np.isin(self.group_of, list(groups))
                closed |= set(np.flatnonzero(is_other).tolist())
        return sorted(closed)

    def _unmixed(self, subjects: NDArray[np.int64]) -> Iterator[LinearLimit]:
        """Say in sums what may not be asked together: one question, or some of those it rules out.

        With r questions in a rule, r times the one plus all of the others is at most r.
        """
        for place, subject in enumerate(subjects.tolist()):
            others = [b if a == subject else a for a, b in self.apart if subject in (a, b)]
            is_out = np.isin(subjects, others)
            if self.group_of is not None and self.group_of[subject] > 0:
                groups = self.group_of[subjects]
                is_out |= (groups > 0) & (groups != self.group_of[subject])
            if is_out.any():
                coefficients = is_out.astype(np.float64)
                coefficients[place] = self.max_rules
                yield LinearLimit(coefficients, -math.inf, float(self.max_rules))

    def reordered(self, places: NDArray[np.intp]) -> SubjectLimits:
        """The same limits where each is at another place: ``places`` are those they come from."""
        here = np.argsort(places)
        return SubjectLimits(
            self.allowed[places],
            tuple(limit._replace(coefficients=limit.coefficients[places]) for limit in self.linear),
            None if self.column_of is None else self.column_of[places],
            tuple((int(here[a]), int(here[b])) for a, b in self.apart),
            None if self.group_of is None else self.group_of[places],
            max_rules=self.max_rules,
            along_paths=self.along_paths,
        )


def check_constraints(
    constraints: RuleConstraints | Mapping[str, Any] | None,
) -> RuleConstraints | None:
    """Return constraints that may have been given as a dict of their entries; None if empty."""
    if constraints is None:
        return None
    if isinstance(constraints, Mapping):
        known = {f.name for f in fields(RuleConstraints)}
        unknown = sorted(set(constraints) - known)
        if unknown:
            raise ValueError(
                f"constraints has no entry {unknown[0]!r}. Its entries are {sorted(known)}."
            )
        constraints = RuleConstraints(**constraints)
    if not isinstance(constraints, RuleConstraints):
        raise TypeError(
            "constraints must be a RuleConstraints, a dict of its entries or None. "
            f"Got {constraints!r}."
        )
    return None if _is_empty(constraints) else constraints


def _is_empty(constraints: RuleConstraints) -> bool:
    entries = (getattr(constraints, each.name) for each in fields(RuleConstraints))
    return all(
        own is None or own is False or (isinstance(own, Sized) and len(own) == 0) for own in entries
    )


def resolve_constraints(
    constraints: RuleConstraints | None, names: Sequence[str] | int, max_rules: int
) -> SubjectLimits | None:
    """Resolve what constraints name; None where there are none.

    ``names`` are the columns of a table, or the number of questions of a pool.
    """
    return None if constraints is None else _Reader(names).read(constraints, max_rules)


class _Reader:
    """Turns names or positions into positions, with errors that name the value."""

    def __init__(self, names: Sequence[str] | int) -> None:
        self.names = list(names) if not isinstance(names, int) else []
        self.place_of = {name: place for place, name in enumerate(self.names)}
        self.n_subjects = names if isinstance(names, int) else len(self.names)
        self.what = "question" if isinstance(names, int) else "column"

    def read(self, given: RuleConstraints, max_rules: int) -> SubjectLimits:
        forbidden = self.positions(given.forbidden, "forbidden")
        required = self.positions(given.required, "required")
        both = sorted(set(required) & set(forbidden))
        if both:
            raise ValueError(
                f"constraints both forbids and requires {self.what} {self.named(both[0])!r}. "
                "Take it out of one of them."
            )
        if len(required) > max_rules:
            raise ValueError(
                f"constraints requires {len(required)} {self.what}s in each rule, and max_rules is "
                f"{max_rules}. Raise max_rules or require fewer."
            )
        allowed = np.ones(self.n_subjects, dtype=np.bool_)
        allowed[forbidden] = False
        limits = [self.indicator(position) for position in required]
        limits += self.cost_limit(given)
        limits += [self.linear_limit(entry) for entry in given.linear]
        if not isinstance(given.one_per_column, bool | np.bool_):
            raise ValueError(
                f"constraints: one_per_column must be True or False. Got {given.one_per_column!r}."
            )
        return SubjectLimits(
            allowed,
            tuple(limits),
            self.column_of(given),
            self.apart(given.apart),
            self.group_of(given.groups),
            max_rules=max_rules,
            along_paths=self.along_paths(given),
        )

    def along_paths(self, given: RuleConstraints) -> bool:
        if not isinstance(given.along_paths, bool | np.bool_):
            raise ValueError(
                f"constraints: along_paths must be True or False. Got {given.along_paths!r}."
            )
        if given.along_paths and self.what == "question":
            raise ValueError(
                "constraints: along_paths is about trees, and here is one rule. Leave it out."
            )
        return bool(given.along_paths)

    def apart(self, given: Any) -> tuple[tuple[int, int], ...]:
        pairs = []
        for pair in given:
            is_pair = isinstance(pair, Collection) and not isinstance(pair, str) and len(pair) == 2
            if not is_pair:
                raise ValueError(
                    f"constraints: each entry of apart must be a pair of {self.what}s. "
                    f"Got {pair!r}."
                )
            first, second = (self.position(name, "apart") for name in pair)
            if first == second:
                raise ValueError(
                    f"constraints: apart names the {self.what} {self.named(first)!r} twice in one "
                    "pair. Use forbidden to leave it out, or one_per_column."
                )
            pairs.append((first, second))
        return tuple(pairs)

    def group_of(self, given: Any) -> NDArray[np.int64] | None:
        groups = np.zeros(self.n_subjects, dtype=np.int64)
        for number, group in enumerate(given, start=1):
            for position in self.positions(group, "groups"):
                if groups[position]:
                    raise ValueError(
                        f"constraints: groups names the {self.what} {self.named(position)!r} in "
                        "two groups. Leave it in one, or in none to let it go with all."
                    )
                groups[position] = number
        return groups if len(given) else None

    def column_of(self, given: RuleConstraints) -> NDArray[np.int64] | None:
        if not given.one_per_column:
            return None
        if self.what == "column":
            return np.arange(self.n_subjects)
        if given.columns is None or len(given.columns) != self.n_subjects:
            raise ValueError(
                "constraints: one_per_column needs columns, the column of each of the "
                f"{self.n_subjects} questions. Got {given.columns!r}."
            )
        first: dict[str, int] = {}  # question about each column
        for place, name in enumerate(given.columns):
            first.setdefault(str(name), place)
        return np.array([first[str(name)] for name in given.columns], dtype=np.int64)

    def positions(self, given: Any, entry: str) -> list[int]:
        if isinstance(given, str) or not isinstance(given, Collection | np.ndarray):
            raise TypeError(
                f"constraints: {entry} must be a collection of {self.what}s. Got {given!r}."
            )
        return sorted({self.position(name, entry) for name in given})

    def position(self, name: Any, entry: str) -> int:
        if isinstance(name, str) and name in self.place_of:
            return self.place_of[name]
        is_int = isinstance(name, int | np.integer) and not isinstance(name, bool)
        if is_int and 0 <= name < self.n_subjects:
            return int(name)
        wanted = (
            f"a position from 0 to {self.n_subjects - 1}"
            if self.what == "question"
            else f"one of {self.names[:10]} or a position from 0 to {self.n_subjects - 1}"
        )
        raise ValueError(
            f"constraints: {entry} names the {self.what} {name!r}, which is not there. "
            f"Give {wanted}."
        )

    def named(self, position: int) -> Any:
        return self.names[position] if self.names else position

    def indicator(self, position: int) -> LinearLimit:
        coefficients = np.zeros(self.n_subjects)
        coefficients[position] = 1
        return LinearLimit(coefficients, 1.0, math.inf)

    def coefficients(self, given: Any, entry: str) -> NDArray[np.float64]:
        if isinstance(given, Mapping):
            numbers = np.zeros(self.n_subjects)
            for name, value in given.items():
                numbers[self.position(name, entry)] = value
        else:
            numbers = np.asarray(given, dtype=np.float64)
            if numbers.shape != (self.n_subjects,):
                raise ValueError(
                    f"constraints: {entry} must have one number for each of the "
                    f"{self.n_subjects} {self.what}s. Got shape {numbers.shape}."
                )
        if not np.isfinite(numbers).all():
            raise ValueError(f"constraints: {entry} must be finite numbers. Got {given!r}.")
        return numbers

    def cost_limit(self, given: RuleConstraints) -> list[LinearLimit]:
        if given.max_cost is None:
            return []
        if given.costs is None:
            raise ValueError(
                f"constraints: max_cost={given.max_cost!r} needs costs. Give what each "
                f"{self.what} costs."
            )
        costs = self.coefficients(given.costs, "costs")
        if (costs < 0).any():
            raise ValueError(f"constraints: costs must not be negative. Got {costs.min()}.")
        return [self.linear_limit((costs, None, given.max_cost))]

    def linear_limit(self, entry: Any) -> LinearLimit:
        try:
            given, lower, upper = entry
        except (TypeError, ValueError):
            raise ValueError(
                "constraints: each entry of linear must be (coefficients, lower, upper). "
                f"Got {entry!r}."
            ) from None
        low = -math.inf if lower is None else float(lower)
        high = math.inf if upper is None else float(upper)
        if math.isnan(low) or math.isnan(high) or low > high:
            raise ValueError(
                f"constraints: a limit must be a number, and the lower one not above the upper "
                f"one. Got {lower!r} and {upper!r}."
            )
        return LinearLimit(
            self.coefficients(given, "linear"),
            low - _ROUNDING * max(1.0, abs(low)) if math.isfinite(low) else low,
            high + _ROUNDING * max(1.0, abs(high)) if math.isfinite(high) else high,
        )

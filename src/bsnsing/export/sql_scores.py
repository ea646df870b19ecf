"""From leaves to probabilities and labels, as SQL: sums over trees, shares, votes and costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from bsnsing.export.form import ModelForm
from bsnsing.export.sql_dialects import Dialect
from bsnsing.export.sql_mixing import Mixing
from bsnsing.export.sql_trees import Trees

_MOST_JOINS = 30  # SQLite joins 64 tables


@dataclass(frozen=True)
class Scores:
    """Writes the steps from the leaves of all trees to the columns p1, p2, ... of the model."""

    trees: Trees
    mixing: Mixing | None  # None: cases that met an unknown get NULL
    keys: Sequence[str]  # columns that are kept

    @property
    def form(self) -> ModelForm:
        """The model."""
        return self.trees.form

    @property
    def dialect(self) -> Dialect:
        """How the database writes things."""
        return self.trees.dialect

    @property
    def _places(self) -> range:
        return range(1, len(self.form.classes) + 1)

    @cached_property
    def _has_own_trees(self) -> bool:
        """Whether there is one tree per class."""
        return any(len(member) > 1 for member in self.form.members)

    def own(self, word: str) -> str:
        """Quote a name of the statement's own."""
        return self.trees.own(word)

    def steps(self) -> list[str]:
        """Write all steps."""
        parts = self._added_up()
        if self._has_own_trees:
            parts += self._shares()
        if self.form.costs is not None:
            saved = self._saved([self.own(f"p{k}") for k in self._places])
            lines = [f"{own} AS {self.own(f'e{k}')}" for k, own in enumerate(saved, start=1)]
            parts.append(_adding("expected", lines, self._averaged))
        if self.form.voting == "hard":
            parts.append(self._counted_votes())
        return parts

    @property
    def _averaged(self) -> str:
        """The name of the table that has the mean over members."""
        return "averaged" if self._has_own_trees else "scored"

    @property
    def result(self) -> str:
        """The name of the last table."""
        if self.form.voting == "hard":
            return "votes"
        return "expected" if self.form.costs is not None else self._averaged

    @property
    def label(self) -> str:
        """Write the label that the last table decides for."""
        labels = [
            self.dialect.literal(v if isinstance(v, bool | int | float | str) else str(v))
            for v in self.form.classes
        ]
        word = "w" if self.form.voting == "hard" else "p" if self.form.costs is None else "e"
        return self._greatest([self.own(f"{word}{k}") for k in self._places], labels)

    # --- Trees ---

    def _added_up(self) -> list[str]:
        """Write what members of one tree give together, or each tree of one per class by itself."""
        if self.mixing is None:
            return self._joined("found", "scored")
        columns = ", ".join(self._result_columns())
        return [
            *self._joined("found", "whole"),
            *self._mixed(self.mixing),
            f"scored AS (\n  SELECT {columns} FROM whole\n"
            f"  UNION ALL\n  SELECT {columns} FROM mixed\n)",
        ]

    @property
    def _groups(self) -> list[range]:
        """The numbers of some trees at a time."""
        trees = range(1, len(self.form.trees) + 1)
        return [trees[i : i + _MOST_JOINS] for i in range(0, len(trees), _MOST_JOINS)]

    def _joined(self, source: str, name: str) -> list[str]:
        """Write the joins of the trees' leaves, a few at a time."""
        kind = "LEFT JOIN" if self.mixing is None else "JOIN"
        parts = []
        for place, group in enumerate(self._groups, start=1):
            joins = [
                f"{kind} leaves AS l{number} ON l{number}.node = f.{self.own(f'n{number}')}"
                for number in group
            ]
            target = name if place == len(self._groups) else f"{name}{place}"
            parts.append(self._step(source, target, place, joins, lambda n, k: f"l{n}.p{k}"))
            source = target
        return parts

    def _mixed(self, mixing: Mixing) -> list[str]:
        """Write the same for cases that went both ways."""
        parts, source = [], mixing.source
        for place, group in enumerate(self._groups, start=1):
            parts += mixing.group_steps(place, group)
            target = "mixed" if place == len(self._groups) else f"mixed{place}"
            parts.append(self._step(source, target, place, mixing.joins(place), mixing.value))
            source = target
        return parts

    def _step(
        self,
        source: str,
        target: str,
        place: int,
        joins: Sequence[str],
        value: Callable[[int, int], str],
    ) -> str:
        columns = ",\n    ".join(self._sums(self._groups[place - 1], place, value))
        tables = "\n  ".join([f"FROM {source} AS f", *joins])
        # Kept, as SQLite would make one join of the joins of all steps.
        kept = self.dialect.materialized if place < len(self._groups) else ""
        return f"{target} AS {kept}(\n  SELECT f.*,\n    {columns}\n  {tables}\n)"

    def _sums(self, group: range, place: int, value: Callable[[int, int], str]) -> list[str]:
        """Write the columns that come of these trees: scores, running sums and votes."""
        if self._has_own_trees:
            return [f"{value(number, 1)} AS {self.own(f'v{number}')}" for number in group]
        columns = []
        is_last = group[-1] == len(self.form.trees)
        for k in self._places:
            terms = [value(number, k) for number in group]
            if place > 1:
                terms.insert(0, f"f.{self.own(f's{place - 1}_{k}')}")
            total = " + ".join(terms)
            if is_last and len(self.form.members) > 1:
                total = f"({total}) / {self.dialect.number(len(self.form.members))}"
            columns.append(f"{total} AS {self.own(f'p{k}' if is_last else f's{place}_{k}')}")
        if self.form.voting == "hard":
            for number in group:
                vote = self._decided([value(number, k) for k in self._places])
                columns.append(f"{vote} AS {self.own(f'vote{number}')}")
        return columns

    def _result_columns(self) -> list[str]:
        """Columns that both kinds of cases need from here on."""
        numbers = range(1, len(self.form.trees) + 1)
        words = [f"n{number}" for number in numbers]
        if self._has_own_trees:
            words += [f"v{number}" for number in numbers]
        else:
            words += [f"p{k}" for k in self._places]
            if self.form.voting == "hard":
                words += [f"vote{number}" for number in numbers]
        return [self.dialect.quote(name) for name in self.keys] + [self.own(w) for w in words]

    def _shares(self) -> list[str]:
        """Write the steps where there is one tree per class: each member's shares, and the mean."""
        members: list[list[str]] = []
        number = 0
        for member in self.form.members:
            members.append([self.own(f"v{number + k}") for k in range(1, len(member) + 1)])
            number += len(member)
        sums, shares, means = [], [], []
        uniform = self.dialect.number(1 / len(self.form.classes))
        for m, scores in enumerate(members, start=1):
            total = self.own(f"total{m}")
            sums.append(f"{' + '.join(scores)} AS {total}")
            for k, score in enumerate(scores, start=1):
                share = (
                    f"CASE WHEN {total} > 0 THEN {score} / {total} "
                    f"WHEN {total} IS NOT NULL THEN {uniform} END"
                )
                shares.append(f"{share} AS {self.own(f'm{m}_{k}')}")
        for k in self._places:
            terms = [self.own(f"m{m}_{k}") for m in range(1, len(members) + 1)]
            mean = " + ".join(terms)
            if len(terms) > 1:
                mean = f"({mean}) / {self.dialect.number(len(terms))}"
            means.append(f"{mean} AS {self.own(f'p{k}')}")
        if self.form.voting == "hard":
            for m in range(1, len(members) + 1):
                vote = self._decided([self.own(f"m{m}_{k}") for k in self._places])
                means.append(f"{vote} AS {self.own(f'vote{m}')}")
        return [
            _adding("summed", sums, "scored"),
            _adding("shares", shares, "summed"),
            _adding("averaged", means, "shares"),
        ]

    # --- Labels ---

    def _counted_votes(self) -> str:
        """Write how many members are for each class; what is less than a vote decides on equals."""
        costs = self.form.costs
        unit = self.dialect.number(2 if costs is None else 2 * max(map(max, costs)))
        votes = []
        for k in self._places:
            own = [
                f"CASE WHEN {self.own(f'vote{m}')} = {k} THEN 1 ELSE 0 END"
                for m in range(1, len(self.form.members) + 1)
            ]
            other = f"{self.own(f'p{k}' if costs is None else f'e{k}')} / {unit}"
            votes.append(f"({' + '.join(own)}) + {other} AS {self.own(f'w{k}')}")
        return _adding("votes", votes, self._averaged if costs is None else "expected")

    def _decided(self, shares: Sequence[str]) -> str:
        """Write the place of the class that probabilities decide for."""
        return self._greatest(shares if self.form.costs is None else self._saved(shares))

    def _saved(self, shares: Sequence[str]) -> list[str]:
        """Write what each class is expected to cost if it is said, with a minus."""
        number = self.dialect.number
        return [
            " - ".join(
                [f"-{shares[0]} * {number(column[0])}"]
                + [f"{p} * {number(cost)}" for p, cost in zip(shares[1:], column[1:], strict=True)]
            )
            for column in zip(*(self.form.costs or ()), strict=True)
        ]

    def _greatest(self, numbers: Sequence[str], words: Sequence[str] | None = None) -> str:
        """Write which of numbers is greatest, of equals the first: its place, or its word."""
        words = words or [str(k) for k in range(1, len(numbers) + 1)]
        if len(numbers) == 1:
            return f"CASE WHEN {numbers[0]} IS NOT NULL THEN {words[0]} END"
        cases = [f"\n    WHEN {n} THEN {w}" for n, w in zip(numbers, words, strict=True)]
        return f"CASE {self.dialect.most(numbers)}{''.join(cases)} END"


def _adding(name: str, lines: Sequence[str], source: str) -> str:
    inner = ",\n    ".join(lines)
    return f"{name} AS (\n  SELECT *,\n    {inner}\n  FROM {source}\n)"

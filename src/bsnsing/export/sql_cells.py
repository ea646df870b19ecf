"""The cells that rules ask about, and the rules themselves, as SQL expressions.

Cells are cleaned once: numbers become doubles, dates get the type of moments, NaN and levels that
fit never saw become NULL. So rules are what they are on paper, and the three-valued logic of SQL is
that of the form.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bsnsing.data.columns import ColumnInfo, Level
from bsnsing.data.show import plainer_beside
from bsnsing.export.form import AskedQuestion, ModelForm, NodeForm
from bsnsing.export.levels import texts_of_levels
from bsnsing.export.moments import cut_of
from bsnsing.export.pair_cut import yes_intervals
from bsnsing.export.sql_dialects import Dialect
from bsnsing.export.sql_moments import moment_type
from bsnsing.export.sql_parts import DatePart, written_part
from bsnsing.questions.pair import SCALE_FREE, ColumnPair

_MAX = sys.float_info.max
# x + _MAGIC - _MAGIC is x rounded to a whole number, of equals the even one.
_MAGIC = 6755399441055744.0
_NEGATED = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "<>", "IN": "NOT IN"}


@dataclass
class Cells:
    """Writes cells and rules of one model in one dialect.

    ``prefix`` begins all names of the statement's own columns, and no other column's name.
    """

    form: ModelForm
    dialect: Dialect
    names: Mapping[str, str]  # of the model's columns in the database
    prefix: str
    parts: Mapping[str, DatePart] = field(default_factory=dict)  # columns that the table lacks
    columns: dict[str, ColumnInfo] = field(init=False)
    aliases: dict[str, str] = field(init=False)  # of cleaned cells, quoted
    flags: dict[str, str] = field(init=False)  # whether a level is missing, and not unseen
    pair_aliases: dict[ColumnPair, str] = field(init=False)

    def __post_init__(self) -> None:
        """Name the columns that are asked about."""
        columns = self.form.asked_columns
        for column in columns:
            texts_of_levels(column.name, column.levels, "SQL")
        self.columns = {column.name: column for column in columns}
        words = _aliases([column.name for column in columns], self.prefix)
        quote = self.dialect.quote
        self.aliases = {
            column.name: quote(word) for column, word in zip(columns, words, strict=True)
        }
        self.flags = {
            column.name: quote(f"{self.prefix}missing{place}")
            for place, column in enumerate(columns, start=1)
            if column.kind == "categorical" and column.name in self._told_apart()
        }
        self.pair_aliases = {
            pair: quote(f"{self.prefix}pair{place}")
            for place, pair in enumerate(self.form.asked_pairs, start=1)
        }

    def _told_apart(self) -> set[str]:
        """Columns whose missing cells do not answer all questions as unseen levels do."""
        return {
            asked.question.column
            for tree in self.form.trees
            for node in tree.nodes
            for asked in node.questions
            if isinstance(asked.question.column, str) and asked.when_missing is not None
        }

    # --- Cells ---

    def source(self, name: str) -> str:
        """Write a column of the user's table; its alias keeps SQLite from taking it for text."""
        return f"c.{self.dialect.quote(self.names.get(name, name))}"

    def cleaned(self) -> list[str]:
        """Write the cleaned cells of all columns asked about."""
        lines = []
        for column in self.form.asked_columns:
            lines.append(f"{self._cleaned(column)} AS {self.aliases[column.name]}")
            if column.name in self.flags:
                lines.append(f"{self._missing(column)} AS {self.flags[column.name]}")
        return lines

    def _cleaned(self, column: ColumnInfo) -> str:
        source = self.source(column.name)
        if column.name in self.parts:
            own = self.parts[column.name]
            return written_part(own, self.source(own.source.name), self.dialect)
        if column.scale is not None:
            return moment_type(column, self.dialect.name).cell.format(source)
        if column.kind == "numeric":
            return self._double(source)
        if column.kind == "boolean":
            return self.dialect.cast(self._integer(source), self.dialect.double)
        cell = self._level_cell(column)
        if not column.levels:  # all were missing at fit
            return "NULL"
        return f"CASE WHEN {cell} IN ({self._levels(column, column.levels)}) THEN {cell} END"

    def _missing(self, column: ColumnInfo) -> str:
        source = self.source(column.name)
        if _holds(column, float, int) and self.dialect.has_nan:
            return f"{self._double(source)} IS NULL"
        return f"{source} IS NULL"

    def _level_cell(self, column: ColumnInfo) -> str:
        source = self.source(column.name)
        if _holds(column, bool):
            return self._integer(source)
        if any(isinstance(level, str) for level in column.levels):
            return f"{self.dialect.cast(source, self.dialect.string)}{self.dialect.collate}"
        return source  # compared as it is, so that large whole numbers keep all digits

    def _levels(self, column: ColumnInfo, levels: Sequence[Level]) -> str:
        written = [int(v) if isinstance(v, bool) else v for v in levels]
        if any(isinstance(level, str) for level in column.levels):
            written = [str(level) for level in written]
        return ", ".join(self.dialect.literal(level) for level in written)

    def _double(self, source: str) -> str:
        number = self.dialect.cast(source, self.dialect.double)
        if not self.dialect.has_nan:
            return number
        written = self.dialect.nan_to_null.replace("{double}", self.dialect.double)
        return written.replace("{number}", number)

    def _integer(self, source: str) -> str:
        return self.dialect.cast(source, self.dialect.integer)

    # --- Pairs ---

    def pair_steps(self) -> list[list[str]]:
        """Write the numbers of pairs as columns to be added step by step."""
        products = [pair for pair in self.pair_aliases if pair.sign in SCALE_FREE]
        sums = [pair for pair in self.pair_aliases if pair.sign not in SCALE_FREE]
        steps = [[f"{self._product(pair)} AS {self.pair_aliases[pair]}" for pair in products]]
        if sums:
            written = [self._sum_steps(pair) for pair in sums]
            steps += [
                [line for lines in step for line in lines] for step in zip(*written, strict=True)
            ]
        return [step for step in steps if step]

    def _product(self, pair: ColumnPair) -> str:
        a, b = self.aliases[pair.first], self.aliases[pair.second]
        if pair.sign == "/":
            b = f"NULLIF({b}, 0)"
        number = f"{a} {pair.sign} {b}"
        if self.dialect.raises_overflow:
            return _guarded(self.dialect, a, pair.sign, b)
        return f"CASE WHEN ABS({number}) <= {self.dialect.number(_MAX)} THEN {number} END"

    def _sum_steps(self, pair: ColumnPair) -> list[list[str]]:
        """Write the steps of rounding a sum: see :mod:`bsnsing.export.pair_cut`."""
        dialect, number, cast = self.dialect, self.dialect.number, self.dialect.cast
        place = list(self.pair_aliases).index(pair) + 1
        quoted = dialect.quote
        part, total, size, guess, exponent = (
            quoted(f"{self.prefix}{word}{place}")
            for word in ("part", "sum", "size", "guess", "exponent")
        )
        a, b = self.aliases[pair.first], self.aliases[pair.second]
        scaled = b
        if pair.factor != 1:
            scaled = f"{number(pair.factor)} * {b}"
            if dialect.raises_overflow:
                scaled = _guarded(dialect, cast(number(pair.factor), dialect.double), "*", b)
        added = f"{a} {pair.sign} {part}"
        if dialect.raises_overflow:
            added = _guarded(dialect, a, pair.sign, part)
        else:
            added = f"CASE WHEN ABS({added}) <= {number(_MAX)} THEN {added} END"

        def power(of: str) -> str:
            return cast(f"'1e' || {cast(of, dialect.string)}", dialect.double)

        up = power(dialect.most([f"12 - {exponent}", "0"]))
        down = power(dialect.most([f"{exponent} - 12", "0"]))
        magic = number(_MAGIC)
        logarithm = cast(f"CEIL(LOG10({size}))", dialect.integer)
        least = f"CASE WHEN {size} > {number(1e-288)} THEN {logarithm} ELSE -287 END"
        return [
            [f"{scaled} AS {part}"],
            [
                f"{added} AS {total}",
                f"{dialect.most([f'ABS({a})', f'ABS({part})'])} AS {size}",
            ],
            [
                f"CASE WHEN {size} > {number(1e308)} THEN 308 ELSE {least} END AS {guess}",
            ],
            [
                f"CASE WHEN {size} = 0 THEN 0 WHEN {size} > {power(guess)} THEN {guess} + 1 "
                f"WHEN {size} <= {power(f'({guess} - 1)')} THEN {guess} - 1 "
                f"ELSE {guess} END AS {exponent}",
            ],
            [
                f"(({total} * {up} / {down} + {magic}) - {magic}) / {up} * {down} "
                f"AS {self.pair_aliases[pair]}",
            ],
        ]

    # --- Rules ---

    def rule(self, node: NodeForm) -> str:
        """Write the rule of a node: TRUE, FALSE, or NULL where it is unknown."""
        parts = [self.answer(asked) for asked in node.questions]
        if len(parts) == 1:
            return parts[0]
        if node.operator != "xor":
            return f" {node.operator.upper()} ".join(f"({part})" for part in parts)
        joined = f"({parts[0]})"
        for part in parts[1:]:
            joined = f"({joined} <> ({part}))"
        return joined

    def answer(self, asked: AskedQuestion) -> str:
        """Write one question of a rule, negated if it is."""
        question, column = asked.question, asked.question.column
        if isinstance(column, ColumnPair):
            cell, is_missing = self.pair_aliases[column], f"{self.pair_aliases[column]} IS NULL"
        else:
            cell = self.aliases[column]
            is_missing = self.flags.get(column, f"{cell} IS NULL")
        if question.test == "is missing":
            return f"NOT ({is_missing})" if asked.negated else is_missing
        if isinstance(column, ColumnPair) and column.sign in SCALE_FREE:
            plain = self._between(cell, asked)
            negated = f"NOT ({plain})"
        else:
            sign, value = self._comparison(asked)
            if not value:  # no cell is there, or all are
                words = ("TRUE", "FALSE") if sign == "ALL" else ("FALSE", "TRUE")
                plain, negated = (f"CASE WHEN {cell} IS NOT NULL THEN {word} END" for word in words)
            else:
                plain, negated = f"{cell} {sign} {value}", f"{cell} {_NEGATED[sign]} {value}"
        answer = negated if asked.negated else plain
        if asked.when_missing is None:
            return answer
        known = "TRUE" if asked.when_missing != asked.negated else "FALSE"
        if isinstance(column, str) and column in self.flags:
            return f"CASE WHEN {is_missing} THEN {known} ELSE {answer} END"
        return f"COALESCE({answer}, {known})"

    def _comparison(self, asked: AskedQuestion) -> tuple[str, str]:
        """Write the sign and what is compared with, which is "" where it says the same of all."""
        question = asked.question
        column = self.columns.get(question.column)  # type: ignore[arg-type]
        if column is not None and column.scale is not None:
            return self._moment_comparison(asked, column)
        if column is None or column.kind != "categorical":
            sign, number = _plainest(question.test, float(question.value))  # type: ignore[arg-type]
            return sign, self.dialect.number(number)
        levels = question.value if isinstance(question.value, tuple) else (question.value,)
        known = [level for level in levels if level in column.levels]
        if len(known) == 1:
            return "=", self._levels(column, known)
        written = self._levels(column, known)
        return "IN", f"({written})" if known else ""

    def _moment_comparison(self, asked: AskedQuestion, column: ColumnInfo) -> tuple[str, str]:
        assert column.scale is not None
        cut = cut_of(asked.question, column.scale)
        if cut.value is None:
            return "NONE" if cut.is_above_all == cut.asks_above else "ALL", ""
        own = moment_type(column, self.dialect.name)
        return ">=" if cut.asks_above else "<", own.literal.format(own.text(cut.value))

    def _between(self, cell: str, asked: AskedQuestion) -> str:
        parts = []
        for low, high in yes_intervals(asked.question):
            bounds = [] if low == -_MAX else [f"{cell} >= {self.dialect.number(low)}"]
            bounds += [] if high == _MAX else [f"{cell} <= {self.dialect.number(high)}"]
            parts.append(" AND ".join(bounds) or f"{cell} = {cell}")
        if not parts:
            return f"{cell} <> {cell}"
        return " OR ".join(f"({part})" for part in parts) if len(parts) > 1 else parts[0]


def _plainest(test: str, number: float) -> tuple[str, float]:
    """Return sign and number as people read them: ``>= 30`` for ``> 29.999999999999996``."""
    if test == "==":
        return "=", number
    beside = plainer_beside(number, math.inf if test == ">" else -math.inf)
    return (test, number) if beside is None else (f"{test}=", beside)


def _aliases(names: Sequence[str], prefix: str) -> list[str]:
    """Give the columns short names that tell which they are, where their own names are plain.

    All of them begin with c_ or are a "column" with a number; the statement's other columns are
    neither, whatever the table's are called.
    """
    words, taken = [], set()
    for place, name in enumerate(names, start=1):
        word = f"{prefix}c_{name}"
        is_plain = re.fullmatch(r"[\w .()%/+-]{1,40}", name, re.ASCII)
        if not is_plain or word.lower() in taken:
            word = f"{prefix}column{place}"
        taken.add(word.lower())
        words.append(word)
    return words


def _holds(column: ColumnInfo, *types: type) -> bool:
    """Whether the levels of a categorical column are of these types."""
    return bool(column.levels) and all(type(level) in types for level in column.levels)


def _guarded(dialect: Dialect, a: str, sign: str, b: str) -> str:
    """Write a calculation for databases that stop where a double would overflow or underflow.

    Too large is missing, too small is zero. Near the limits, factors of two tell exactly.
    """
    number = dialect.number
    if sign in "+-":
        halves = f"ABS({a} * {number(0.5)} {sign} {b} * {number(0.5)})"
        smaller = f"LEAST(ABS({a}), ABS({b}))"
        is_large = f"CASE WHEN {smaller} > {number(1e290)} THEN {halves} >= {number(2.0**1023)} END"
        return (
            f"CASE WHEN {a} IS NULL OR {b} IS NULL OR {is_large} THEN NULL ELSE {a} {sign} {b} END"
        )
    scale = number(2.0**-512)
    second = f"({b} * {scale})" if sign == "*" else f"({b} * {number(2.0**512)})"
    scaled = f"ABS(({a} * {scale}) {sign} {second})"
    logarithm = f"LN(ABS({a})) {'+' if sign == '*' else '-'} LN(ABS({b}))"
    is_large = (
        f"CASE WHEN {logarithm} > 720 THEN TRUE WHEN {logarithm} > 709 THEN {scaled} >= 1 "
        "ELSE FALSE END"
    )
    is_zero = f"{a} = 0" if sign == "/" else f"{a} = 0 OR {b} = 0"
    return (
        f"CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL WHEN {is_zero} THEN 0 "
        f"WHEN {logarithm} < -700 THEN 0 WHEN {is_large} THEN NULL ELSE {a} {sign} {b} END"
    )

"""What SQL dialects say differently: names, text, numbers, types and small tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bsnsing.data.columns import Level


def _doubled(text: str, mark: str) -> str:
    return mark + text.replace(mark, 2 * mark) + mark


def _escaped(text: str, mark: str) -> str:
    """Write text with backslashes, as BigQuery and its kin read it."""
    for plain, written in (("\\", "\\\\"), (mark, "\\" + mark), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(plain, written)
    return mark + text + mark


def _postgresql_text(text: str) -> str:
    # E'' reads backslashes alike whatever standard_conforming_strings is.
    if "\\" in text:
        return "E" + _doubled(text.replace("\\", "\\\\"), "'")
    return _doubled(text, "'")


def _as_is(number: str) -> str:
    return number


def sqlite_double(digits: str) -> str:
    """Write a double for SQLite, which before 3.43 rounds to 64 bits first, and then to 53.

    Of few digits, some lie so near to the middle of two doubles that this gives the other one; of
    seventeen, none does.
    """
    number = float(digits)
    if number == 0 or _nearest(_nearest(Fraction(digits), 64), 53) == number:
        return digits
    exact = f"{number:.17g}"
    return exact if "e" in exact else f"{exact}e0"


def _nearest(number: Fraction, n_bits: int) -> Fraction:
    """Return the nearest number that has so long a mantissa, of equals the even one."""
    exponent = abs(number.numerator).bit_length() - number.denominator.bit_length() - n_bits
    if abs(number) >= Fraction(2) ** (exponent + n_bits):
        exponent += 1
    unit = Fraction(2) ** exponent
    return round(number / unit) * unit


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one database writes what the statement is made of."""

    name: str
    double: str = "DOUBLE PRECISION"
    integer: str = "INTEGER"
    string: str = "VARCHAR"
    has_nan: bool = True  # as a number that compares with others
    raises_overflow: bool = False  # where a double would become infinite, or zero
    ignores_case: bool = False  # in names, even in quoted ones
    most_bytes: int | None = None  # of a name
    materialized: str = ""
    greatest: str = "GREATEST"
    write_name: Callable[[str, str], str] = _doubled
    name_mark: str = '"'
    write_text: Callable[[str], str] = lambda text: _doubled(text, "'")
    write_double: Callable[[str], str] = _as_is  # of digits with an exponent
    infinity: str = "CAST('Infinity' AS {double})"
    values: str = "plain"  # "plain", "select" or "unnest"
    nan_to_null: str = "NULLIF({number}, CAST('NaN' AS {double}))"
    collate: str = ""  # compare text by its bytes, whatever the column says
    replaced: str = ""  # beginning of what is replaced before a query is parsed

    def quote(self, name: str) -> str:
        """Write a name so that no character of it can end it."""
        if "\0" in name:
            raise ValueError(f"The name {name!r:.60} has a NUL character, which SQL cannot write.")
        if not name:
            raise ValueError("A column or table without a name cannot be asked about in SQL.")
        if self.replaced and self.replaced in name:
            raise ValueError(
                f"The name {name!r:.60} has {self.replaced!r}, which {self.name} takes for a "
                "variable. Say what the column is called in a view, with names={...}."
            )
        if self.most_bytes is not None and len(name.encode()) > self.most_bytes:
            raise ValueError(
                f"The name {name!r:.60} is longer than the {self.most_bytes} bytes that "
                f"{self.name} allows. Say what the column is called there, with names={{...}}."
            )
        return self.write_name(name, self.name_mark)

    def literal(self, level: Level) -> str:
        """Write a level or label."""
        if isinstance(level, bool):
            return "TRUE" if level else "FALSE"
        if isinstance(level, int):
            return str(level)
        if isinstance(level, float):
            return self.number(level)
        if "\0" in str(level):
            raise ValueError(f"The text {level!r:.60} has a NUL character, which SQL cannot write.")
        return self.write_text(str(level))

    def number(self, number: float) -> str:
        """Write a double so that it is read as this double, and not as a decimal number."""
        if math.isinf(number):
            infinity = self.infinity.format(double=self.double)
            return infinity if number > 0 else f"-{infinity}"
        digits = repr(float(number))
        return self.write_double(digits if "e" in digits else digits.removesuffix(".0") + "e0")

    def cast(self, what: str, kind: str) -> str:
        """Write a cast."""
        return f"CAST({what} AS {kind})"

    def most(self, numbers: Sequence[str]) -> str:
        """Write the greatest of numbers."""
        while len(numbers) > 1:  # SQLite takes a hundred
            groups = [numbers[i : i + 50] for i in range(0, len(numbers), 50)]
            numbers = [
                f"{self.greatest}({', '.join(group)})" if len(group) > 1 else group[0]
                for group in groups
            ]
        return numbers[0]

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Write a small table as a common table expression."""
        if self.values == "unnest":
            first = ", ".join(f"{cell} AS {c}" for cell, c in zip(rows[0], columns, strict=True))
            lines = [f"STRUCT({first})", *(f"({', '.join(row)})" for row in rows[1:])]
            inner = ",\n    ".join(lines)
            return f"{name} AS (\n  SELECT * FROM UNNEST([\n    {inner}\n  ])\n)"
        inner = ",\n    ".join(f"({', '.join(row)})" for row in rows)
        start = "SELECT * FROM VALUES" if self.values == "select" else "VALUES"
        return f"{name}({', '.join(columns)}) AS (\n  {start}\n    {inner}\n)"


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "sqlite",
            double="REAL",
            string="TEXT",
            has_nan=False,
            ignores_case=True,
            materialized="MATERIALIZED ",
            greatest="MAX",
            write_double=sqlite_double,
            infinity="9e999",
            collate=" || ''",  # an expression, unlike a column, compares by bytes
        ),
        Dialect(
            "duckdb",
            double="DOUBLE",
            ignores_case=True,
            materialized="MATERIALIZED ",
        ),
        Dialect(
            "postgresql",
            string="text",
            raises_overflow=True,
            most_bytes=63,
            materialized="MATERIALIZED ",
            write_text=_postgresql_text,
            collate=' COLLATE "C"',
        ),
        Dialect(
            "bigquery",
            double="FLOAT64",
            integer="INT64",
            string="STRING",
            raises_overflow=True,
            ignores_case=True,
            most_bytes=300,
            write_name=_escaped,
            name_mark="`",
            write_text=lambda text: _escaped(text, "'"),
            values="unnest",
            nan_to_null="IF(IS_NAN({number}), NULL, {number})",  # NaN is not NaN there
        ),
        Dialect(
            "snowflake",
            double="DOUBLE",
            most_bytes=255,
            write_text=lambda text: _doubled(text.replace("\\", "\\\\"), "'"),
            write_double=lambda digits: f"'{digits}'::DOUBLE",
            infinity="'inf'::DOUBLE",
            values="select",
        ),
        Dialect(
            "spark",
            double="DOUBLE",
            integer="INT",
            string="STRING",
            ignores_case=True,
            name_mark="`",
            write_text=lambda text: _escaped(text, "'").replace("${", "\\u0024{"),
            write_double=lambda digits: f"{digits}D",
            replaced="${",  # even inside quotes
        ),
        Dialect("ansi"),
    )
}


def dialect_of(name: str) -> Dialect:
    """Return a dialect by its name."""
    if name not in DIALECTS:
        raise ValueError(f"dialect={name!r} is not known. Use one of {', '.join(DIALECTS)}.")
    return DIALECTS[name]

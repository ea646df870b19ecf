"""A model as one file of C99 without allocation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from bsnsing.export.code.c_text import (
    ANSWERS,
    BY_COST,
    BY_PROBABILITY,
    HELPERS,
    MEMBER_OF_ONE,
    MEMBER_OF_SEVERAL,
    MIXED,
    TYPES,
)
from bsnsing.export.code.language import Language, plain_label
from bsnsing.export.code.moment_text import C as MOMENTS
from bsnsing.export.code.names import identifiers
from bsnsing.export.code.program import (
    ColumnCell,
    PairCell,
    Program,
    check_levels_are_doubles,
    power_literals,
)
from bsnsing.export.form import model_form
from bsnsing.export.levels import texts_of_levels

# Compilers need not take longer literals.
_LONGEST_LITERAL = 4000


def export_c(model: Any, *, prefix: str = "bsnsing") -> str:
    """Write a model as one file of C99 without allocation, which gives the same probabilities.

    The file has the type ``bsnsing_row``, with a field for each column that some rule asks about,
    ``bsnsing_predict_proba``, ``bsnsing_predict`` and the names ``bsnsing_classes``; a comment at
    its head says how to call them. A missing number is NAN, missing text NULL; text is UTF-8.
    Levels that are numbers are given as numbers; where a column has both, as text. Moments, times
    of day and durations are an ``int64_t`` of microseconds (moments since 1970, in UTC where the
    model knows a time zone); their fields end with ``_us``, and ``bsnsing_MISSING_US`` is missing.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    prefix : str, default="bsnsing"
        What public names begin with, so that a program can hold several models.

    Returns
    -------
    str
        The text of the file.

    Raises
    ------
    ValueError
        If the prefix is no name in C, or C cannot tell the levels of a column apart.

    Examples
    --------
    >>> from bsnsing import BsnsingClassifier
    >>> model = BsnsingClassifier.plain().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> "void risk_predict_proba(const risk_row *row" in export_c(model, prefix="risk")
    True
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,30}", prefix):
        raise ValueError(
            f"prefix must be a short name in C: letters, digits and '_'. Got {prefix!r}."
        )
    program = Program(model_form(model, "export_c"))
    check_levels_are_doubles(program, "C")
    return C(program, prefix).file()


class C(Language):
    """C99."""

    field = "c->{}"
    note = "/* {} */"

    def __init__(self, program: Program, prefix: str) -> None:
        super().__init__(program)
        self.prefix = prefix
        self._long_texts: list[str] = []

    @cached_property
    def row_fields(self) -> dict[str, str]:
        """Fields of the row by columns; the unit of those that have one is part of their name."""
        own = [column.identifier for column in self.program.columns]
        named = [
            f"{column.identifier}_us" if column.moment_kind else column.identifier
            for column in self.program.columns
        ]
        return dict(zip(own, identifiers(named), strict=True))

    def text(self, text: str) -> str:
        """A literal of text in UTF-8, or the name of a constant where it is long."""
        data = text.encode("utf-8", "surrogatepass")
        if 0 in data:
            raise ValueError(
                f"Text of C ends at a NUL, which {text[:60]!r} holds. Rename that level or label."
            )
        if len(data) > _LONGEST_LITERAL:
            signs = (f"'{_escaped(byte)}'" for byte in data)
            name = f"LONG_TEXT_{len(self._long_texts)}"
            array = f"static const char {name}[] = {{\n{self.wrapped([*signs, '0'])}\n}};\n"
            self._long_texts.append(array)
            return name
        return f'"{"".join(map(_escaped, data))}"'

    def number(self, number: float) -> str:
        """A literal of a double."""
        return repr(number).replace("inf", "INFINITY")

    def leaf_line(self, values: Sequence[float]) -> str:
        """The line that returns the probabilities of a leaf."""
        return f"{{ static const double p[] = {{{self.numbers(values)}}}; return p; }}"

    def call_line(self, tree: int, part: int) -> str:
        """The line that goes on in another part of the tree."""
        return f"w->next = tree_{tree}_{part}; return NULL;"

    def file(self) -> str:
        """The whole text."""
        form = self.program.form
        code = self._read_cells() + self._trees() + MIXED
        code += MEMBER_OF_ONE if len(form.members[0]) == 1 else MEMBER_OF_SEVERAL
        by_cost = BY_PROBABILITY if form.costs is None else BY_COST
        code += ANSWERS.replace("PREFIX", self.prefix).replace("DECIDED\n", by_cost)
        labels = self.wrapped(self.text(str(plain_label(label))) for label in form.classes)
        constants = f"const char *const {self.prefix}_classes[] = {{\n{labels}\n}};\n"
        if form.costs is not None:
            rows = self.wrapped(f"{{{self.numbers(row)}}}" for row in form.costs)
            constants += "/* What it costs to say a class (column) of a case of another (row). */\n"
            constants += f"static const double COSTS[N_CLASSES][N_CLASSES] = {{\n{rows}\n}};\n"
            constants += f"static const double DEAREST_COST = {max(map(max, form.costs))!r};\n"
        constants += self._levels()
        for i, group in enumerate(self.program.groups):
            numbers = self.wrapped(map(str, [len(group), *group]))
            constants += f"static const int GROUP_{i}[] = {{\n{numbers}\n}};\n"
        if any(pair.is_rounded for pair in self.program.pairs):
            for name, table in zip(("BOUNDS", "POWERS"), power_literals(), strict=True):
                listed = self.wrapped(table)
                constants += f"static const double {name}[] = {{\n{listed}\n}};\n"
        text = self._head() + "".join(self._long_texts) + constants + TYPES + self._cells_type()
        return text + self.needed(HELPERS | MOMENTS.helpers, code) + code + "\n#endif\n"

    def _head(self) -> str:
        form, prefix = self.program.form, self.prefix
        n_values = max(len(tree.nodes[0].value) for tree in form.trees)
        guard = f"{prefix.upper()}_MODEL"
        fields = "".join(self._row_field(column) for column in self.program.columns)
        fields = fields or "    int unused; /* the model asks about no column */\n"
        example = next(iter(self.row_fields.values()), "unused")
        has_moments = any(column.moment_kind for column in self.program.columns)
        of_moments = (
            ""
            if not has_moments
            else f"""
 * Moments, times of day and durations are whole microseconds: moments since 1970 (of those with a
 * time zone, in UTC), times since midnight. Where they are missing: {prefix}_MISSING_US."""
        )
        moment_types = (
            ""
            if not has_moments
            else f"""
#include <stdint.h>

#define {prefix}_MISSING_US INT64_MIN
"""
        )
        about = "\n".join(f" * {line}" for line in self.about())
        return f"""/*
{about}
 *
 *     {prefix}_row row;
 *     double p[{prefix}_N_CLASSES];
 *     row.{example} = ...;
 *     {prefix}_predict_proba(&row, p);          probabilities, in the order of {prefix}_classes
 *     {prefix}_classes[{prefix}_predict(&row)]    the class decided for
 *
 * A missing number is NAN, missing text NULL; text is UTF-8. C99 with math.h (-lm), no allocation;
 * safe for threads. Do not compile it with -ffast-math, which takes NAN for a number.{of_moments}
 * To get the declarations alone, define {guard}_DECLARATIONS before including this file.
 */
#ifndef {guard}
#define {guard}
{moment_types}
#define {prefix}_N_CLASSES {len(form.classes)}

typedef struct {{
{fields}}} {prefix}_row;

extern const char *const {prefix}_classes[{prefix}_N_CLASSES];

void {prefix}_predict_proba(const {prefix}_row *row, double out[{prefix}_N_CLASSES]);
int {prefix}_predict(const {prefix}_row *row);

#endif
#ifndef {guard}_DECLARATIONS

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {{
    N_CLASSES = {prefix}_N_CLASSES,
    N_MEMBERS = {len(form.members)},
    N_VALUES = {n_values}, /* of a leaf */
    N_OPEN = {max(self.program.n_open, 1)}, /* most rules on a path that can be unknown */
    N_BOUNDS = {len(power_literals()[0])},
    IS_HARD = {int(form.voting == "hard")}
}};

"""

    def _row_field(self, column: ColumnCell) -> str:
        kind = "const char *" if _is_text(column) else "double "
        kind = kind if column.moment_kind is None else "int64_t "
        name = self.row_fields[column.identifier]
        return f"    {kind}{name}; {self.comment(self.describe(column))}\n"

    def _levels(self) -> str:
        text = ""
        if any(_is_text(column) for column in self.program.columns):
            text += "typedef struct {\n    const char *text;\n    int position;\n} text_level;\n"
        for column in self.program.columns:
            if column.levels is None:
                continue
            if _is_text(column):
                kind = "text_level"
                items = [
                    f"{{{self.text(level)}, {position}}}"
                    for level, position in _sorted_texts(column)
                ]
            else:
                kind = "double"
                items = [self.number(float(level)) for level in column.levels]
            listed = self.wrapped(items or ["{NULL, 0}" if kind == "text_level" else "0"])
            text += f"static const {kind} LEVELS_{column.identifier}[] = {{\n{listed}\n}};\n"
        return text

    def _cells_type(self) -> str:
        fields = [
            f"    {'double' if column.levels is None else 'int'} {column.identifier};\n"
            for column in self.program.columns
        ]
        fields += [f"    double {pair.identifier};\n" for pair in self.program.pairs]
        listed = "".join(fields) or "    int unused;\n"
        return (
            "\nstruct cells { /* what rules read: numbers, and positions of levels */\n"
            f"{listed}}};\n"
        )

    def _read_cells(self) -> str:
        text = f"\nstatic void read_cells(const {self.prefix}_row *row, cells *c) {{\n"
        for column in self.program.columns:
            name = column.identifier
            value = f"row->{self.row_fields[name]}"
            if column.moment_kind is not None:
                value = f"microseconds({value}, {self.prefix}_MISSING_US)"
            elif column.levels is not None:
                kind = "text" if _is_text(column) else "number"
                value = f"level_of_{kind}({value}, LEVELS_{name}, {len(column.levels)})"
            text += f"    c->{name} = {value};\n"
        text += "".join(self._pair_lines(pair) for pair in self.program.pairs)
        if not self.program.columns:
            text += "    (void)row;\n    c->unused = 0;\n"
        return text + "}\n"

    def _pair_lines(self, cell: PairCell) -> str:
        text = f"    {{ {self.comment(self.describe(cell))}\n"
        text += f"        const double a = c->{cell.first};\n"
        text += f"        volatile double b = {self.number(cell.pair.factor)} * c->{cell.second};\n"
        number = f"a {cell.pair.sign} b"
        value = f"rounded({number}, a, b)" if cell.is_rounded else f"defined({number})"
        return text + f"        c->{cell.identifier} = {value};\n    }}\n"

    def _trees(self) -> str:
        declared, defined, names = "\n", "", []
        for number, tree in enumerate(self.program.form.trees):
            for part, steps in enumerate(self.program.parts(tree)):
                head = f"static const double *tree_{number}_{part}(const cells *c, walk *w)"
                lines = "\n".join(self.part_lines(tree, number, steps))
                unused = "".join(
                    f"    (void){name};\n"
                    for name, sign in (("c", r"\bc->"), ("w", r"\(w, |\bw->"))
                    if not re.search(sign, lines)
                )
                declared += f"{head};\n" if part else ""
                title = "" if part else f"{self.title(tree)}\n"
                defined += f"\n{title}{head} {{\n{unused}{lines}\n}}\n"
            names.append(f"tree_{number}_0")
        table = f"\nstatic const part TREES[] = {{\n{self.wrapped(names)}\n}};\n"
        return (declared if declared.strip() else "") + defined + table


def _is_text(column: ColumnCell) -> bool:
    levels = column.levels
    return levels is not None and (not levels or any(isinstance(level, str) for level in levels))


def _sorted_texts(column: ColumnCell) -> Iterator[tuple[str, int]]:
    """The levels of a column as text, in the order of their bytes, with their positions."""
    texts = texts_of_levels(column.name, column.levels or (), "C")
    placed = [(text, position) for position, text in enumerate(texts)]
    yield from sorted(placed, key=lambda item: item[0].encode("utf-8", "surrogatepass"))


def _escaped(byte: int) -> str:
    """A byte of a literal; question marks are escaped, as two begin a trigraph."""
    if chr(byte) in "\"\\?'":
        return f"\\{chr(byte)}"
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"

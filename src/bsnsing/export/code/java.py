"""A model as one class of Java."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from bsnsing.export.code.java_text import (
    ANSWERS,
    BY_COST,
    BY_PROBABILITY,
    CONSTANTS,
    HELPERS,
    POWERS,
)
from bsnsing.export.code.language import Language, plain_label
from bsnsing.export.code.moment_text import JAVA
from bsnsing.export.code.program import ColumnCell, PairCell, Program
from bsnsing.export.form import model_form
from bsnsing.export.levels import whole_numbers

_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
    abstract assert boolean break byte case catch char class const continue default do double else
    enum extends false final finally float for goto if implements import instanceof int interface
    long native new null package permits private protected public record return sealed short static
    strictfp super switch synchronized this throw throws transient true try var void volatile while
    yield
    """,
    )
)
# Classes that the file makes or uses.
_OWN_NAMES = (
    r"ArrayList|Arrays|BitSet|Boolean|Cells|Collections|Costs|CostsFill\d+|Double|Float|Grown|HashMap|Integer|List|Map"
    r"|IllegalArgumentException|Math|Number|NumberFormatException|Object|Open|Override|String|Walk"
    r"|(Group|Levels)\d+(Fill\d+)?|Tree\d+Part\d+"
)

# Most constants of a class or a method: what Java takes, with some to spare.
_MOST_ITEMS = 2000


def export_java(model: Any, *, class_name: str = "Model", package: str | None = None) -> str:
    """Write a model as one class of Java, which gives the same probabilities.

    The class has ``predictProba(row)`` and ``predict(row)`` for a row given as a
    ``Map<String, ?>`` of cells by column, where null and NaN are missing, and ``CLASSES``. It
    needs Java 8 or newer and no library, and is safe for threads. Cells of dates, times and
    durations are those of ``java.time``: LocalDateTime or LocalDate; Instant, ZonedDateTime or
    OffsetDateTime where the model knows a time zone; LocalTime; Duration. Nanoseconds are cut off
    to microseconds, as the model does.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    class_name : str, default="Model"
        Name of the class; its file must have the same name.
    package : str, default=None
        Package of the class, such as "com.example.risk".

    Returns
    -------
    str
        The text of the file.

    Raises
    ------
    ValueError
        If the name of the class or package is none in Java.

    Examples
    --------
    >>> from bsnsing import BsnsingClassifier
    >>> model = BsnsingClassifier.plain().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> "public final class Risk {" in export_java(model, class_name="Risk")
    True
    """
    word = "[A-Za-z][A-Za-z0-9_]*"
    is_own = re.fullmatch(_OWN_NAMES, class_name)
    if not re.fullmatch(word, class_name) or class_name in _KEYWORDS or is_own:
        raise ValueError(
            "class_name, which is also the name of the file, must be the name of a class in Java, "
            f"and none that the file has for another, as in 'Model'. Got {class_name!r}."
        )
    is_package = package is None or (
        re.fullmatch(rf"{word}(\.{word})*", package) and not _KEYWORDS & set(package.split("."))
    )
    if not is_package:
        raise ValueError(f"package must be the name of a package in Java. Got {package!r}.")
    text = Java(Program(model_form(model, "export_java"))).file(class_name)
    return text if package is None else f"package {package};\n\n{text}"


class Java(Language):
    """Java 8 or newer."""

    group = "Group{}.ALL"

    def text(self, text: str) -> str:
        """A literal of text, in ASCII."""
        return json.dumps(text)  # which escapes as Java does

    def number(self, number: float) -> str:
        """A literal of a double."""
        return repr(number).replace("inf", "Double.POSITIVE_INFINITY")

    def leaf_line(self, values: Sequence[float]) -> str:
        """The line that returns the probabilities of a leaf."""
        return f"return new double[] {{{self.numbers(values)}}};"

    def call_line(self, tree: int, part: int) -> str:
        """The line that goes on in another part of the tree."""
        return f"w.next = Tree{tree}Part{part}::leaf; return null;"

    def file(self, class_name: str) -> str:
        """The whole text."""
        form, program = self.program.form, self.program
        code = self._cells() + self._trees()
        code += (BY_PROBABILITY if form.costs is None else BY_COST) + ANSWERS
        text = "import java.util.ArrayList;\nimport java.util.Arrays;\nimport java.util.BitSet;\n"
        text += "import java.util.Collections;\nimport java.util.HashMap;\nimport java.util.List;\n"
        text += "import java.util.Map;\n\n/**\n"
        text += "".join(f" * {line}\n" for line in self.about())
        text += f" */\npublic final class {class_name} {{\n    private {class_name}() {{}}\n\n"
        labels = self.wrapped(map(self._label, form.classes), "        ")
        text += "    /** The classes, in the order of the probabilities. */\n"
        text += "    public static final List<Object> CLASSES = Collections.unmodifiableList("
        text += f"Arrays.<Object>asList(\n{labels}\n    ));\n"
        text += (
            f"    private static final boolean IS_HARD = {str(form.voting == 'hard').lower()};\n"
        )
        text += CONSTANTS
        if form.costs is not None:
            text += self._costs(form.costs)
        for i, column in enumerate(program.columns):
            if column.levels is not None:
                text += self._levels(i, column)
        for i, group in enumerate(program.groups):
            puts = [f"all.set({position});" for position in group]
            text += self._filled(f"Group{i}", "BitSet", "BitSet", puts)
        if any(pair.is_rounded for pair in program.pairs):
            text += POWERS
        return text + self.needed(HELPERS | JAVA.helpers, code) + code

    def _costs(self, costs: Sequence[Sequence[float]]) -> str:
        rows = [f"all.add(new double[] {{{self.numbers(row)}}});" for row in costs]
        at_once = max(_MOST_ITEMS // len(costs), 1)
        text = "\n    // What it costs to say a class (column) of a case of another (row).\n"
        text += f"    private static final double DEAREST_COST = {max(map(max, costs))!r};\n"
        return text + self._filled("Costs", "List<double[]>", "ArrayList<>", rows, at_once)

    def _filled(
        self, name: str, kind: str, made: str, puts: Sequence[str], at_once: int = _MOST_ITEMS
    ) -> str:
        """A class that holds a collection, which others fill: none can hold very much."""
        fills = ""
        runs = [puts[i : i + at_once] for i in range(0, len(puts), at_once)]
        text = ""
        for i, run in enumerate(runs):
            fills += f"            {name}Fill{i}.into(ALL);\n"
            lines = "".join(f"            {put}\n" for put in run)
            text += f"\n    private static final class {name}Fill{i} {{\n"
            text += f"        static void into({kind} all) {{\n{lines}        }}\n    }}\n"
        text += f"\n    private static final class {name} {{\n"
        text += f"        static final {kind} ALL = new {made}();\n\n"
        return text + f"        static {{\n{fills}        }}\n    }}\n"

    def _levels(self, number: int, column: ColumnCell) -> str:
        levels = whole_numbers(column.levels or ())
        puts = [f"all.put({self._level(v)}, {i});" for i, v in enumerate(levels)]
        kind = "Map<Object, Integer>"
        return self._filled(f"Levels{number}", kind, "HashMap<>", puts)

    def _level(self, level: Any) -> str:
        if isinstance(level, str):
            return self.text(level)
        if isinstance(level, int) and abs(level) >= 2**53:
            return f'new java.math.BigInteger("{level}")'
        return self.number(float(level))

    def _label(self, label: Any) -> str:
        plain = plain_label(label)
        if isinstance(plain, str):
            return self.text(plain)
        if isinstance(plain, bool):
            return str(plain).lower()
        if isinstance(plain, int):
            is_long = -(2**63) <= plain < 2**63
            return f"{plain}L" if is_long else f'new java.math.BigInteger("{plain}")'
        return "Double.NaN" if math.isnan(plain) else self.number(plain)

    def _cells(self) -> str:
        program = self.program
        text = "\n    private static final class Cells { // what rules read\n"
        for column in program.columns:
            kind = "double" if column.levels is None else "int"
            text += f"        final {kind} {column.identifier};\n"
        text += "".join(f"        final double {pair.identifier};\n" for pair in program.pairs)
        text += "\n        Cells(Map<String, ?> row) {\n"
        for i, column in enumerate(program.columns):
            name = self.text(column.name)
            value = f"levelOf(row, {name}, Levels{i}.ALL)"
            if column.moment_kind is not None:
                value = JAVA.readers[column.moment_kind].format(name)
            elif column.levels is None:
                value = f"number(row, {name})"
            text += f"            {self.comment(self.describe(column))}\n"
            text += f"            this.{column.identifier} = {value};\n"
        text += "".join(self._pair_lines(pair) for pair in program.pairs)
        return text + "        }\n    }\n"

    def _pair_lines(self, cell: PairCell) -> str:
        text = f"            {{ {self.comment(self.describe(cell))}\n"
        text += f"                double a = this.{cell.first};\n"
        text += f"                double b = {self.number(cell.pair.factor)}"
        text += f" * this.{cell.second};\n"
        number = f"a {cell.pair.sign} b"
        value = f"rounded({number}, a, b)" if cell.is_rounded else f"defined({number})"
        return text + f"                this.{cell.identifier} = {value};\n            }}\n"

    def _trees(self) -> str:
        text, names, number = "", [], 0
        for member in self.program.form.members:
            own = []
            for tree in member:
                for part, steps in enumerate(self.program.parts(tree)):
                    title = "" if part else f"    {self.title(tree)}\n"
                    lines = "\n".join(self.part_lines(tree, number, steps, depth=3))
                    text += f"\n{title}    private static final class Tree{number}Part{part} {{\n"
                    text += f"        static double[] leaf(Cells c, Walk w) {{\n{lines}\n"
                    text += "        }\n    }\n"
                own.append(f"Tree{number}Part0::leaf")
                number += 1
            names.append(f"{{{', '.join(own)}}}")
        listed = self.wrapped(names, "        ")
        return text + f"\n    private static final Grown[][] MEMBERS = {{\n{listed}\n    }};\n"

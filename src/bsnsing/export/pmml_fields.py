"""Fields of PMML: what columns hold, numbers made of two, and rules as predicates and numbers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cached_property

from bsnsing.data.columns import ColumnInfo, Level
from bsnsing.export.form import AskedQuestion, ModelForm, NodeForm
from bsnsing.export.levels import texts_of_levels
from bsnsing.export.moments import cut_of
from bsnsing.export.own_names import free_prefix
from bsnsing.export.pair_cut import yes_intervals
from bsnsing.export.pmml_elements import (
    NEGATED,
    apply,
    compound,
    constant,
    derived,
    field_ref,
    never,
    simple,
)
from bsnsing.export.pmml_moments import cut_holds, cut_predicate, moment_type
from bsnsing.export.xml_text import Element, element
from bsnsing.questions.pair import SCALE_FREE, ColumnPair

_MAX = sys.float_info.max
_MAGIC = 6755399441055744.0  # see bsnsing.export.pair_cut
_OPERATORS = {">": "greaterThan", "<": "lessThan", "==": "equal"}


class Fields:
    """Writes the fields and rules of one model."""

    def __init__(self, form: ModelForm, target: str) -> None:
        self.form = form
        for column in form.asked_columns:
            texts_of_levels(column.name, column.levels, "PMML")
        self.columns = {column.name: column for column in form.asked_columns}
        # A document needs a field; a single leaf asks about none.
        self.fields = form.asked_columns or form.columns[:1]
        self.prefix = free_prefix([target, *(column.name for column in self.fields)])
        self.pairs = {
            pair: self.own(f"pair{i}") for i, pair in enumerate(form.asked_pairs, start=1)
        }

    def own(self, word: str) -> str:
        """Return a name of the document's own, which no column has."""
        return f"{self.prefix}{word}"

    @cached_property
    def told_apart(self) -> dict[str, str]:
        """Fields of the levels that fit has seen, of columns whose missing cells are no unseen."""
        asked = {
            asked.question.column
            for tree in self.form.trees
            for node in tree.nodes
            for asked in node.questions
            if asked.when_missing is not None
        }
        return {
            column.name: self.own(f"seen{place}")
            for place, column in enumerate(self.form.asked_columns, start=1)
            if column.kind == "categorical" and column.name in asked
        }

    # --- Columns ---

    def dictionary(self) -> Iterator[Element]:
        """Write what the columns hold."""
        for column in self.fields:
            attributes = {"name": column.name, "optype": "continuous", "dataType": "double"}
            if column.scale is not None:
                yield element("DataField", attributes | moment_type(column.scale))
                continue
            if column.kind == "numeric":
                yield element("DataField", attributes)
                continue
            attributes |= {"optype": "categorical", "dataType": _type_of(column)}
            values = [element("Value", {"value": _written(v)}) for v in column.levels]
            yield element("DataField", attributes, *values)

    def mining_fields(self) -> list[Element]:
        """Write how the columns are used."""
        fields = []
        for column in self.fields:
            treatment = "asIs" if column.name in self.told_apart else "asMissing"
            if column.scale is not None:  # a day without its time is no missing moment
                treatment = "returnInvalid"
            attributes = {"name": column.name, "invalidValueTreatment": treatment}
            fields.append(element("MiningField", attributes))
        return fields

    def cleaned(self) -> Iterator[Element]:
        """Write the fields that rules ask about beside the columns."""
        for name, field in self.told_apart.items():
            column = self.columns[name]
            kind = _type_of(column)
            known = apply("isIn", field_ref(name), *self._constants(column, column.levels))
            yield derived(
                field, apply("if", known, field_ref(name)), kind=kind, optype="categorical"
            )
        for pair, field in self.pairs.items():
            yield from self._pair(pair, field)

    def _pair(self, pair: ColumnPair, field: str) -> Iterator[Element]:
        a, b = field_ref(pair.first), field_ref(pair.second)
        if pair.sign in SCALE_FREE:
            raw = apply(pair.sign, a, b)
            if pair.sign == "/":
                raw = apply("if", apply("notEqual", b, constant(0.0)), raw)
                raw = apply("if", apply("isNotMissing", b), raw)
            yield derived(f"{field}_raw", raw)
            yield derived(field, _finite(field_ref(f"{field}_raw")))
            return
        part, total, size, up, down = (
            f"{field}_{word}" for word in ("part", "sum", "size", "up", "down")
        )
        yield derived(part, apply("*", constant(pair.factor), b))
        yield derived(f"{total}_raw", apply(pair.sign, a, field_ref(part)))
        yield derived(total, _finite(field_ref(f"{total}_raw")))
        sizes = apply("max", apply("abs", a), apply("abs", field_ref(part)))
        yield derived(size, apply("if", apply("isNotMissing", field_ref(total)), sizes))
        yield derived(up, _power(size, 1))
        yield derived(down, _power(size, -1))
        scaled = apply("/", apply("*", field_ref(total), field_ref(up)), field_ref(down))
        magic = constant(_MAGIC)
        whole = apply("-", apply("+", scaled, magic), magic)
        yield derived(field, apply("*", apply("/", whole, field_ref(up)), field_ref(down)))

    # --- Rules as predicates ---

    def predicate(self, node: NodeForm, *, holds: bool) -> Element:
        """Write that a node's rule holds, or that it does not."""
        if node.operator == "xor":
            parts = [self._answer(a, a.negated) for a in node.questions]
            if not holds:
                parts[0] = self._answer(node.questions[0], not node.questions[0].negated)
            return compound("xor", *parts)
        operator = node.operator if holds else {"or": "and", "and": "or"}[node.operator]
        return compound(operator, *(self._answer(a, a.negated == holds) for a in node.questions))

    def _answer(self, asked: AskedQuestion, negated: bool) -> Element:
        name = self._field(asked)
        column = asked.question.column
        source = column if isinstance(column, str) else name
        if asked.question.test == "is missing":
            return simple(source, "isNotMissing" if negated else "isMissing")
        answer = self._comparison(name, asked, negated)
        if asked.when_missing is None:
            return answer
        if asked.when_missing != negated:
            return compound("or", simple(source, "isMissing"), answer)
        return compound("and", simple(source, "isNotMissing"), answer)

    def _field(self, asked: AskedQuestion) -> str:
        column = asked.question.column
        if isinstance(column, ColumnPair):
            return self.pairs[column]
        return self.told_apart.get(column, column)

    def _comparison(self, name: str, asked: AskedQuestion, negated: bool) -> Element:
        question = asked.question
        column = None if isinstance(question.column, ColumnPair) else self.columns[question.column]
        if column is not None and column.kind != "numeric":
            return _among(name, self._levels(asked), column, negated)
        if column is not None and column.scale is not None:
            return cut_predicate(name, cut_of(question, column.scale), column.scale, negated)
        if column is None and question.column.sign in SCALE_FREE:  # type: ignore[union-attr]
            parts = [_between(name, low, high, negated) for low, high in yes_intervals(question)]
            if not parts:
                return never(name, negated, "0.0")
            return compound("and" if negated else "or", *parts)
        operator = _OPERATORS[question.test]
        value = repr(float(question.value))  # type: ignore[arg-type]
        return simple(name, NEGATED[operator] if negated else operator, value)

    def _levels(self, asked: AskedQuestion) -> list[Level]:
        """Levels that answer yes."""
        question = asked.question
        column = self.columns[question.column]  # type: ignore[index]
        if column.kind == "boolean":
            value = float(question.value)  # type: ignore[arg-type]
            holds = {">": value.__lt__, "<": value.__gt__, "==": value.__eq__}[question.test]
            return [cell for cell in (True, False) if holds(float(cell))]
        wanted = question.value if isinstance(question.value, tuple) else (question.value,)
        return [level for level in wanted if level in column.levels]

    # --- Rules as numbers ---

    def certainty(self, node: NodeForm) -> Element:
        """Write 1 where a rule holds, 0 where not, and 0.5 where it is unknown."""
        parts = [self._certainty(asked) for asked in node.questions]
        if len(parts) == 1:
            return parts[0]
        if node.operator != "xor":
            return apply("max" if node.operator == "or" else "min", *parts)
        joined = parts[0]
        half = constant(0.5)
        for part in parts[1:]:
            is_open = apply("or", apply("equal", joined, half), apply("equal", part, half))
            joined = apply("if", is_open, half, apply("abs", apply("-", joined, part)))
        return joined

    def _certainty(self, asked: AskedQuestion) -> Element:
        name, column = self._field(asked), asked.question.column
        source = field_ref(column if isinstance(column, str) else name)
        yes, no = (
            (constant(0.0), constant(1.0)) if asked.negated else (constant(1.0), constant(0.0))
        )
        is_missing = apply("isMissing", source)
        if asked.question.test == "is missing":
            return apply("if", is_missing, yes, no)
        known = apply("if", self._holds(name, asked), yes, no)
        if isinstance(column, str) and column in self.told_apart:
            known = apply("if", apply("isMissing", field_ref(name)), constant(0.5), known)
        answers = {True: yes, False: no, None: constant(0.5)}
        return apply("if", is_missing, answers[asked.when_missing], known)

    def _holds(self, name: str, asked: AskedQuestion) -> Element:
        question, field = asked.question, field_ref(name)
        column = None if isinstance(question.column, ColumnPair) else self.columns[question.column]
        if column is not None and column.kind != "numeric":
            levels = self._levels(asked)
            if not levels:
                return apply("isMissing", field)
            return apply("isIn", field, *self._constants(column, levels))
        if column is not None and column.scale is not None:
            return cut_holds(field, cut_of(question, column.scale), column.scale)
        if column is None and question.column.sign in SCALE_FREE:  # type: ignore[union-attr]
            parts = [
                apply(
                    "and",
                    apply("greaterOrEqual", field, constant(low)),
                    apply("lessOrEqual", field, constant(high)),
                )
                for low, high in yes_intervals(question)
            ]
            if not parts:
                return apply("isMissing", field)
            return parts[0] if len(parts) == 1 else apply("or", *parts)
        value = constant(float(question.value))  # type: ignore[arg-type]
        return apply(_OPERATORS[question.test], field, value)

    def _constants(
        self, column: ColumnInfo, levels: tuple[Level, ...] | list[Level]
    ) -> list[Element]:
        return [constant(_written(level), _type_of(column)) for level in levels]


def _type_of(column: ColumnInfo) -> str:
    if column.kind == "boolean":
        return "boolean"
    kinds = {type(level) for level in column.levels}
    if str in kinds or not kinds:
        return "string"
    if kinds == {bool}:
        return "boolean"
    # Integers of evaluators have 32 bits.
    is_short = all(isinstance(level, int) and abs(level) < 2**31 for level in column.levels)
    return "integer" if is_short else "double"


def _written(level: Level) -> str:
    if isinstance(level, bool):
        return "true" if level else "false"
    return repr(level) if isinstance(level, float) else str(level)


def _among(name: str, levels: list[Level], column: ColumnInfo, negated: bool) -> Element:
    written = [_written(level) for level in levels]
    if not written:
        return never(name, negated, _written(column.levels[0] if column.levels else True))
    if len(written) > 1 and all(re.fullmatch(r"[\w.+-]+", text) for text in written):
        kind = {"integer": "int", "double": "real"}.get(_type_of(column), "string")
        array = element("Array", {"n": str(len(written)), "type": kind}, text=" ".join(written))
        operator = "isNotIn" if negated else "isIn"
        return element("SimpleSetPredicate", {"field": name, "booleanOperator": operator}, array)
    operator = "notEqual" if negated else "equal"
    return compound("and" if negated else "or", *(simple(name, operator, w) for w in written))


def _between(name: str, low: float, high: float, negated: bool) -> Element:
    parts = [] if low == -_MAX else [("greaterOrEqual", low)]
    parts += [] if high == _MAX else [("lessOrEqual", high)]
    parts = parts or [("greaterOrEqual", low)]
    written = [simple(name, NEGATED[op] if negated else op, repr(end)) for op, end in parts]
    return compound("or" if negated else "and", *written)


def _finite(number: Element) -> Element:
    is_finite = apply("lessOrEqual", apply("abs", number), constant(_MAX))
    return apply("if", apply("isNotMissing", number), apply("if", is_finite, number))


def _power(size: str, sign: int) -> Element:
    """Write the power of ten that a number of this size is multiplied or divided by."""
    bins = []
    exponents = range(-288, 309)
    edges = [("-288", 0.0, 1e-288)]
    edges += [(str(n), float(f"1e{n - 1}"), float(f"1e{n}")) for n in exponents if n > -288]
    edges.append(("309", 1e308, _MAX))
    merged: list[tuple[str, float, float]] = []
    for exponent, low, high in edges:
        value = f"1e{max(sign * (12 - int(exponent)), 0)}"
        if merged and merged[-1][0] == value:
            merged[-1] = (value, merged[-1][1], high)
        else:
            merged.append((value, low, high))
    zero = f"1e{12 if sign > 0 else 0}"
    interval = {"closure": "closedClosed", "leftMargin": "0.0", "rightMargin": "0.0"}
    bins.append(element("DiscretizeBin", {"binValue": zero}, element("Interval", interval)))
    for value, low, high in merged:
        interval = {"closure": "openClosed", "leftMargin": repr(low), "rightMargin": repr(high)}
        bins.append(element("DiscretizeBin", {"binValue": value}, element("Interval", interval)))
    return element("Discretize", {"field": size, "dataType": "double"}, *bins)

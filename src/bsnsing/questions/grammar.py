"""The grammar of questions: text -> questions, by a parser that evaluates nothing.

    rule      literal ("or" literal)* | literal ("and" literal)* | literal ("xor" literal)*
    literal   "not" "(" question ")" | question | range
    question  subject (test value | ["not"] "in" set | "is" ["not"] ("missing" | "true" | "false"))
    range     value ("<" | "<=" | ">" | ">=") subject (the same way) value
    subject   name | name ("+" | "-" | "*" | "/") [number "*"] name
    test      ">" | ">=" | "<" | "<=" | "after" | "since" | "before" | "until" | "==" | "=" | "!="
    set       "{" value ("," value)* "}"
    value     a number, true, false, a word, or text in double quotes; to compare with also a
              moment (2021-03-01, 2021-03-01T14:30+01:00), a time of day (14:30) or a duration
              (2d 3h 15min 2.5s), and of words those that begin with a letter
    name      text in double quotes, or as it is where nothing else could be meant

It is what rules are printed in. ``a >= 3`` is the question whether a is more than the greatest
number below 3, and is printed as it was written; so is ``visit since 2021-03-01``, which is after
the last microsecond of the day before. Words are levels of a column that has an order.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NamedTuple

from bsnsing.data.columns import Level
from bsnsing.data.scales import Moment, beside, read_moment, scale_of
from bsnsing.data.show import end_of_name
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question, Test

_COMPARISON = re.compile(r"<=|>=|==|!=|<|>|=")
_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf)(?![\w.])")
_WORD = re.compile(r"[\w.+-]+")
_BOUND_WORD = re.compile(r"[^\W\d_][\w.+-]*")
_COMPARING_WORDS = {"after": ">", "since": ">=", "before": "<", "until": "<="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class ParseError(ValueError):
    """A text that is no rule, with the place where it stops being one."""

    def __init__(self, message: str, text: str, place: int) -> None:
        """Point at the place, below the text."""
        line = "".join(c if c.isprintable() else "\ufffd" for c in text)
        super().__init__(f"{message}\n  {line}\n  {' ' * place}^")
        self.text = text
        self.place = place


class Literal(NamedTuple):
    """A question of a rule, perhaps negated."""

    question: Question
    negated: bool


class _Bound(NamedTuple):
    """What cells are compared with, a number, moment or level, and where it stands."""

    value: float | Moment | str
    place: int


class ParsedRule(NamedTuple):
    """What a text says."""

    literals: list[Literal]
    operator: str


def parse_rule(text: str) -> ParsedRule:
    """Read a rule: questions joined by one operator.

    Raises
    ------
    ParseError
        If the text is no rule; the message points at the place.
    """
    scanner = _Scanner(text)
    parsed = _rule(scanner)
    scanner.expect_end()
    return parsed


def parse_rule_at(text: str, start: int = 0) -> tuple[ParsedRule, int]:
    """Read the rule that begins at ``start``; return it and where it ends."""
    scanner = _Scanner(text, start)
    return _rule(scanner), scanner.place


def parse_questions(text: str) -> list[Question]:
    """Read a question, or the two of a range such as ``30 < age <= 65``.

    Raises
    ------
    ParseError
        If the text is no such thing; the message points at the place.
    """
    scanner = _Scanner(text)
    literals = _literal(scanner)
    scanner.expect_end()
    if any(literal.negated for literal in literals):
        raise ParseError("A question is asked without its negation. Write it as it is.", text, 0)
    return [literal.question for literal in literals]


def parse_question(text: str) -> Question:
    """Read a question in words, such as ``bmi >= 30``; nothing is evaluated.

    Parameters
    ----------
    text : str
        Such as ``bmi >= 30``, ``stage in {III, IV}``, ``marker is missing``,
        ``debt / income > 0.4``, ``visit before 2021-03-01``, ``wait > 2d 3h`` or, of levels that
        have an order, ``grade >= C``. Names and levels that could be misread are put in double
        quotes.

    Returns
    -------
    Question
        The same as its text says: ``parse_question(str(question)) == question``.

    Raises
    ------
    ParseError
        If the text is no question; the message points at the place.

    Examples
    --------
    >>> parse_question("stage in {III, IV}")
    Question(column='stage', test='in', value=('III', 'IV'))
    >>> str(parse_question("debt / income >= 0.4"))
    'debt / income >= 0.4'
    """
    found = parse_questions(text)
    if len(found) != 1:
        raise ParseError("A range is two questions. Read it with Rule.parse.", text, 0)
    return found[0]


class _Scanner:
    """A text and how far it has been read."""

    def __init__(self, text: str, place: int = 0) -> None:
        if not isinstance(text, str):
            raise TypeError(f"A rule is read from text. Got {type(text).__name__}.")
        self.text = text
        self.place = place
        self.skip_spaces()

    def skip_spaces(self) -> None:
        while self.place < len(self.text) and self.text[self.place].isspace():
            self.place += 1

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Read what the pattern matches here, and the spaces behind it."""
        found = pattern.match(self.text, self.place)
        if found is None:
            return None
        self.place = found.end()
        self.skip_spaces()
        return found.group()

    def take_word(self, *words: str) -> str | None:
        """Read one of these words, which no letter may follow."""
        taken = self.take(re.compile(rf"(?:{'|'.join(words)})(?!\w)", re.IGNORECASE))
        return None if taken is None else taken.lower()

    def take_mark(self, mark: str) -> bool:
        return self.take(re.compile(re.escape(mark))) is not None

    def expect_mark(self, mark: str) -> None:
        if not self.take_mark(mark):
            raise self.error(f"Expected {mark!r} here.")

    def expect_end(self) -> None:
        if self.place < len(self.text):
            raise self.error("Expected the end of the rule here, or 'or', 'and' or 'xor'.")

    def take_quoted(self) -> str | None:
        """Read text in double quotes, as JSON has it."""
        if not self.text.startswith('"', self.place):
            return None
        try:
            value, end = json.JSONDecoder().raw_decode(self.text, self.place)
        except json.JSONDecodeError as error:
            raise self.error("The text in quotes that begins here is not complete.") from error
        self.place = end
        self.skip_spaces()
        return str(value)

    def error(self, message: str) -> ParseError:
        return ParseError(message, self.text, self.place)


def _rule(scanner: _Scanner) -> ParsedRule:
    first = _literal(scanner)
    literals, operator = list(first), "and" if len(first) == 2 else None
    while True:
        before = scanner.place
        joined = scanner.take_word("or", "and", "xor")
        if joined is None:
            return ParsedRule(literals, operator or "or")
        if operator not in (None, joined):
            scanner.place = before
            raise scanner.error(
                f"A rule has one operator. Its first is {operator!r}, and here is {joined!r}."
            )
        operator = joined
        before = scanner.place
        further = _literal(scanner)
        if len(further) == 2 and operator != "and":
            scanner.place = before
            raise scanner.error(f"A range is two questions joined by 'and', but here is {joined!r}")
        literals += further


def _literal(scanner: _Scanner) -> list[Literal]:
    """One question or, of a range, two."""
    before = scanner.place
    if not scanner.take_word("not"):
        return _plain_literal(scanner)
    scanner.expect_mark("(")
    inside = scanner.place
    is_twice = scanner.take_word("not") is not None  # seen before going any deeper
    scanner.place = inside
    inner = [] if is_twice else _plain_literal(scanner)
    if len(inner) != 1 or inner[0].negated:
        scanner.place = before
        raise scanner.error("'not' takes one question that is not negated itself.")
    scanner.expect_mark(")")
    return [Literal(inner[0].question, True)]


def _plain_literal(scanner: _Scanner) -> list[Literal]:
    """One question or, of a range, two, without "not" before them."""
    before = scanner.place
    try:
        bound = _number_or_moment(scanner)
    except ParseError:  # no such day: a name that begins with digits, or an error further on
        bound = None
    if bound is not None:
        comparison = scanner.take(_COMPARISON)
        if comparison in _FLIPPED:
            return _range(scanner, bound, comparison)
    scanner.place = before  # a name that begins with a number
    subject = _subject(scanner)
    return [_question(scanner, subject)]


def _range(scanner: _Scanner, bound: _Bound, comparison: str) -> list[Literal]:
    """``30 < age`` or ``30 < age <= 65``, from the column on."""
    subject = _subject(scanner)
    literals = [_compared(scanner, subject, _FLIPPED[comparison], bound)]
    before = scanner.place
    other = scanner.take(_COMPARISON)
    if other is None:
        return literals
    if other[0] != comparison[0]:
        scanner.place = before
        raise scanner.error(f"A range goes one way. It begins with {comparison!r}.")
    literals.append(_compared(scanner, subject, other, _bound(scanner)))
    return literals


def _question(scanner: _Scanner, subject: str | ColumnPair) -> Literal:
    comparison = scanner.take(_COMPARISON)
    if comparison in ("==", "=", "!="):
        return Literal(Question(subject, "==", _value(scanner)), comparison == "!=")
    if comparison is not None:
        return _compared(scanner, subject, comparison, _bound(scanner))
    word = scanner.take_word(*_COMPARING_WORDS)
    if word is not None:
        return _compared(scanner, subject, _COMPARING_WORDS[word], _bound(scanner))
    if scanner.take_word("is"):
        negated = scanner.take_word("not") is not None
        word = scanner.take_word("missing", "true", "false")
        if word is None:
            raise scanner.error("Expected 'missing', 'true' or 'false' here.")
        if word == "missing":
            return Literal(Question(subject, "is missing"), negated)
        return Literal(Question(subject, "==", word == "true"), negated)
    negated = scanner.take_word("not") is not None
    if scanner.take_word("in"):
        return Literal(Question(subject, "in", _levels(scanner)), negated)
    raise scanner.error(
        "Expected a test here: '>', '>=', '<', '<=', '==', '!=', 'in {...}', 'is missing' or, of "
        "dates, 'before' or 'since'."
    )


def _compared(
    scanner: _Scanner, subject: str | ColumnPair, comparison: str, bound: _Bound
) -> Literal:
    test: Test = ">" if comparison[0] == ">" else "<"
    value, is_closed = bound.value, comparison in (">=", "<=")
    if isinstance(value, str) or scale_of(value) is not None:
        if isinstance(subject, ColumnPair):
            scanner.place = bound.place
            raise scanner.error("A number made of two columns is compared with a number.")
        if isinstance(value, str):
            return Literal(Question(subject, comparison, value), False)  # type: ignore[arg-type]
        moment = beside(value, -1 if test == ">" else 1) if is_closed else value  # type: ignore
        if moment is None:
            scanner.place = bound.place
            raise scanner.error("No cell is beyond this. Leave the question out.")
        return Literal(Question(subject, test, moment), False)  # type: ignore[arg-type]
    number = float(value)  # type: ignore[arg-type]
    if is_closed and math.isfinite(number):
        number = math.nextafter(number, -math.inf if test == ">" else math.inf)
    if not math.isfinite(number):
        scanner.place = bound.place
        raise scanner.error("This number is too large: no cell is beyond it. Write a smaller one.")
    return Literal(Question(subject, test, number), False)


def _subject(scanner: _Scanner) -> str | ColumnPair:
    first = _name(scanner)
    sign: Any = scanner.take(re.compile(r"[-+*/](?=\s)"))
    if sign is None:
        return first
    before = scanner.place
    factor = 1.0
    number = scanner.take(_NUMBER)
    if number is not None and sign in "+-" and scanner.take_mark("*"):
        factor = float(number)
    else:
        scanner.place = before
    second = _name(scanner)
    try:
        return ColumnPair(first, sign, second, factor)
    except ValueError as error:
        scanner.place = before
        raise scanner.error(str(error)) from error


def _name(scanner: _Scanner) -> str:
    quoted = scanner.take_quoted()
    if quoted is not None:
        return quoted
    end = end_of_name(scanner.text, scanner.place)
    name = scanner.text[scanner.place : end].rstrip()
    if not name:
        raise scanner.error("Expected the name of a column here.")
    scanner.place = end
    scanner.skip_spaces()
    return name


def _bound(scanner: _Scanner) -> _Bound:
    place = scanner.place
    bound = _number_or_moment(scanner)
    if bound is not None:
        return bound
    level = scanner.take_quoted()
    if level is None:
        level = scanner.take(_BOUND_WORD)
    if level is None:
        raise scanner.error("Expected a number here, a date such as 2021-03-01, or a level.")
    return _Bound(level, place)


def _number_or_moment(scanner: _Scanner) -> _Bound | None:
    place = scanner.place
    try:
        moment = read_moment(scanner.text, place)
    except ValueError as error:
        raise scanner.error(f"There is no such day or time: {error}.") from error
    if moment is not None:
        scanner.place = moment[1]
        scanner.skip_spaces()
        return _Bound(moment[0], place)
    number = scanner.take(_NUMBER)
    return None if number is None else _Bound(float(number), place)


def _levels(scanner: _Scanner) -> tuple[Level, ...]:
    scanner.expect_mark("{")
    levels: list[Level] = []
    while not scanner.take_mark("}"):
        if levels:
            scanner.expect_mark(",")
        levels.append(_value(scanner))
    return tuple(levels)


def _value(scanner: _Scanner) -> Level:
    quoted = scanner.take_quoted()
    if quoted is not None:
        return quoted
    word = scanner.take(_WORD)
    if word is None:
        raise scanner.error("Expected a level here: a word, a number, or text in double quotes.")
    if _NUMBER.fullmatch(word):  # the whole word: 30-39 is none
        is_whole = re.fullmatch(r"[-+]?\d{1,4000}", word)
        return int(word) if is_whole else float(word)
    return {"true": True, "false": False}.get(word.lower(), word)

"""A model as a Python module that imports nothing but Python's own modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bsnsing.export.code.language import Language, plain_label
from bsnsing.export.code.moment_text import PYTHON
from bsnsing.export.code.program import Program
from bsnsing.export.form import model_form

_HELPERS = '''
NO, UNKNOWN, YES = 0, 1, 2
MISSING, UNSEEN = -1, -2  # positions of levels begin with 0


def _number(row, name):
    cell = row[name]
    if isinstance(cell, str):
        raise TypeError(f"Column {name!r} holds numbers. Got the text {cell!r}.")
    return math.nan if cell is None or type(cell).__name__ == "NAType" else float(cell)


def _level(row, name, levels):
    cell = row[name]
    if cell is None or type(cell).__name__ == "NAType" or cell != cell:
        return MISSING
    return levels.get(cell, UNSEEN)


def _above(x, threshold, missing):
    return missing if x != x else YES if x > threshold else NO


def _below(x, threshold, missing):
    return missing if x != x else YES if x < threshold else NO


def _within(x, low, high, missing):
    return missing if x != x else YES if low <= x <= high else NO


def _equal(x, value, missing):
    return missing if x != x else YES if x == value else NO


def _level_is(x, level, missing):
    return missing if x == MISSING else UNKNOWN if x == UNSEEN else YES if x == level else NO


def _among(x, group, missing):
    return missing if x == MISSING else UNKNOWN if x == UNSEEN else YES if x in group else NO


def _blank(x):
    return YES if x != x else NO


def _blank_level(x):
    return YES if x == MISSING else NO


def _negate(answer):
    return YES - answer


def _either(one, other):
    return max(one, other)


def _both(one, other):
    return min(one, other)


def _odd(one, other):
    return UNKNOWN if UNKNOWN in (one, other) else YES if one != other else NO


class _Open:
    """A rule that is unknown: what yes counts, what came of it, and where to ask again."""

    def __init__(self, share, part, at):
        self.share, self.goes_no, self.yes = share, False, None
        self.part, self.at = part, at


class _Walk:
    def __init__(self):
        self.open, self.at = [], 0
        self.part, self.start = None, 0  # where it is, and how many were open above


def _way(walk, answer, share):
    if answer != UNKNOWN:
        return answer == YES
    if walk.at == len(walk.open):
        walk.open.append(_Open(share, walk.part, walk.start))
    walk.at += 1
    return not walk.open[walk.at - 1].goes_no


def _mixed(part, cells):
    """Probabilities by a tree; where a rule is unknown both ways, by what each counts."""
    walk = _Walk()
    while True:
        walk.part, walk.start = part, walk.at
        p = part(cells, walk)
        if callable(p):  # the tree goes on there
            part = p
            continue
        while walk.open and walk.open[-1].goes_no:
            last = walk.open.pop()
            p = [no + last.share * (yes - no) for no, yes in zip(p, last.yes)]
        if not walk.open:
            return p
        last = walk.open[-1]
        last.yes, last.goes_no = p, True
        part, walk.at = last.part, last.at
'''

_ROUNDING = '''

# Powers of ten: of the sizes that are rounded alike, and what numbers are scaled by.
_BOUNDS = [float(f"1e{n}") for n in range(-288, 309)]
_POWERS = [float(f"1e{n}") for n in range(301)]

def _rounded(number, size):
    """Round to twelve decimal digits of the greater part of a sum."""
    if not math.isfinite(number):
        return math.nan
    place = 300 - bisect.bisect_left(_BOUNDS, size)
    up, down = _POWERS[max(place, 0)], _POWERS[max(-place, 0)]
    rounded = float(round(number * up / down)) / up * down
    return rounded if math.isfinite(rounded) else number
'''

_ANSWERS = '''

def _members(row):
    """The probabilities that each member of the model gives."""
    cells = _cells(row)
    members = []
    for trees in _MEMBERS:
        values = [_mixed(tree, cells) for tree in trees]
        if len(values) > 1:  # one tree per class
            scores = [value[1] for value in values]
            total = 0.0
            for score in scores:
                total += score
            values = [[score / total if total > 0 else 1 / len(scores) for score in scores]]
        members.append(values[0])
    return members


def _mean(members):
    sums = list(members[0])
    for member in members[1:]:
        sums = [total + p for total, p in zip(sums, member)]
    return [total / len(members) for total in sums]


def predict_proba(row):
    """Return the probability of each of CLASSES. A row is a dict of cells by column."""
    return _mean(_members(row))


def predict(row):
    """Return the class decided for; of equals the first."""
    members = _members(row)
    mean = _mean(members)
    if not IS_HARD:
        return CLASSES[_decided(mean)]
    votes = [0.0] * len(CLASSES)
    for member in members:
        votes[_decided(member)] += 1
    scores = [n + own for n, own in zip(votes, _between_equals(mean))]
    return CLASSES[scores.index(max(scores))]
'''

_BY_PROBABILITY = '''

def _decided(p):
    """The position of the most probable class."""
    return p.index(max(p))


def _between_equals(p):
    """What decides where votes do not: less than one vote."""
    return [own / 2 for own in p]
'''

_BY_COST = '''

def _expected(p):
    """What each class is expected to cost if it is said."""
    costs = [p[0] * cost for cost in COSTS[0]]
    for share, own in zip(p[1:], COSTS[1:]):
        costs = [total + share * cost for total, cost in zip(costs, own)]
    return costs


def _decided(p):
    """The position of the class that is expected to cost least."""
    costs = _expected(p)
    return costs.index(min(costs))


def _between_equals(p):
    """What decides where votes do not: less than one vote."""
    return [-cost / (2 * max(map(max, COSTS))) for cost in _expected(p)]
'''


def export_python(model: Any) -> str:
    """Write a model as a Python module without dependencies, which gives the same probabilities.

    The module has ``predict_proba(row)`` and ``predict(row)`` for a row given as a dict of cells
    by column, where None, NaN and NaT are missing, and ``CLASSES``. Rules stand as nested ifs.
    Dates, moments, times and durations are those of the module ``datetime``, of pandas or NumPy.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.

    Returns
    -------
    str
        The text of the module.

    Examples
    --------
    >>> from bsnsing import BsnsingClassifier
    >>> model = BsnsingClassifier.plain().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> module = {}
    >>> exec(export_python(model), module)
    >>> module["predict_proba"]({"x0": 3.5}), module["predict"]({"x0": 3.5})
    ([0.0, 1.0], 1)
    """
    return Python(Program(model_form(model, "export_python"))).module()


class Python(Language):
    """Python 3.8 or newer."""

    helper = "_{}"
    note = "# {}"
    else_line = "else:"
    end_line = None

    def text(self, text: str) -> str:
        """A literal of text, in ASCII."""
        return ascii(text)

    def number(self, number: float) -> str:
        """A literal of a double."""
        return repr(number) if abs(number) < float("inf") else f"float('{number}')"

    def if_line(self, condition: str) -> str:
        """The line that opens an if."""
        return f"if {condition}:"

    def leaf_line(self, values: Sequence[float]) -> str:
        """The line that returns the probabilities of a leaf."""
        return f"return [{self.numbers(values)}]"

    def call_line(self, tree: int, part: int) -> str:
        """The line that goes on in another part of the tree."""
        return f"return _tree_{tree}_{part}"

    def _call(self, name: str) -> str:
        return super()._call("level_is" if name == "level" else name)

    def module(self) -> str:
        """The whole text."""
        has_sums = any(pair.is_rounded for pair in self.program.pairs)
        about = "\n".join(self.about())
        text = f'"""{about}\n"""\n\n'
        has_moments = any(column.moment_kind for column in self.program.columns)
        text += "import bisect\n" if has_sums else ""
        text += "import datetime\nimport math\n" if has_moments else "import math\n"
        text += f"\nCLASSES = [\n{self.wrapped(map(self._label, self.program.form.classes))}\n]\n"
        text += f"IS_HARD = {self.program.form.voting == 'hard'}\n"
        if self.program.form.costs is not None:
            rows = (f"[{self.numbers(row)}]" for row in self.program.form.costs)
            text += "# What it costs to say a class (column) of a case of another (row).\n"
            text += f"COSTS = [\n{self.wrapped(rows)}\n]\n"
        text += _HELPERS + (PYTHON.text if has_moments else "")
        if has_sums:
            text += _ROUNDING
        by_cost = self.program.form.costs is not None
        text += self._cells() + self._trees()
        return text + (_BY_COST if by_cost else _BY_PROBABILITY) + _ANSWERS

    def _label(self, label: Any) -> str:
        plain = plain_label(label)
        return self.text(plain) if isinstance(plain, str) else repr(plain)

    def _cells(self) -> str:
        program = self.program
        text = "\n\n"
        for column in program.columns:
            if column.levels is not None:
                items = (f"{self._label(level)}: {i}" for i, level in enumerate(column.levels))
                text += f"_LEVELS_{column.identifier} = {{\n{self.wrapped(items)}\n}}\n"
        for i, group in enumerate(program.groups):
            text += f"GROUP_{i} = frozenset([\n{self.wrapped(map(str, group))}\n])\n"
        text += "\n\nclass _Cells:\n    pass\n\n\ndef _cells(row):\n    c = _Cells()\n"
        for column in program.columns:
            name = self.text(column.name)
            text += f"    {self.comment(self.describe(column))}\n    c.{column.identifier} = "
            if column.moment_kind is not None:
                text += PYTHON.readers[column.moment_kind].format(name) + "\n"
            elif column.levels is None:
                text += f"_number(row, {name})\n"
            else:
                text += f"_level(row, {name}, _LEVELS_{column.identifier})\n"
        for pair in program.pairs:
            text += f"    {self.comment(self.describe(pair))}\n    a, b = c.{pair.first}, "
            text += f"{self.number(pair.pair.factor)} * c.{pair.second}\n"
            text += f"    c.{pair.identifier} = {self._pair(pair.pair.sign)}\n"
        return text + "    return c\n"

    def _pair(self, sign: str) -> str:
        if sign in "+-":
            return f"_rounded(a {sign} b, max(abs(a), abs(b)))"
        defined = " if b != 0 else math.nan" if sign == "/" else ""
        return f"_defined(a {sign} b{defined})"

    def _trees(self) -> str:
        form = self.program.form
        text = "\n\ndef _defined(x):\n    return x if math.isfinite(x) else math.nan\n"
        names, number = [], 0
        for member in form.members:
            own = []
            for tree in member:
                for part, steps in enumerate(self.program.parts(tree)):
                    text += f"\n\ndef _tree_{number}_{part}(c, w):\n"
                    if part == 0:
                        text += f"    {self.title(tree)}\n"
                    text += "\n".join(self.part_lines(tree, number, steps)) + "\n"
                own.append(f"_tree_{number}_0")
                number += 1
            names.append(f"({', '.join(own)},)")
        return text + f"\n\n_MEMBERS = [\n{self.wrapped(names)}\n]\n"

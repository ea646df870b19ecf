"""A model as an ES module of JavaScript."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from bsnsing.export.code.language import Language, plain_label
from bsnsing.export.code.moment_text import JAVASCRIPT
from bsnsing.export.code.program import ColumnCell, PairCell, Program
from bsnsing.export.form import model_form
from bsnsing.export.levels import whole_numbers

_CONSTANTS = """
const NO = 0, UNKNOWN = 1, YES = 2;
const MISSING = -1, UNSEEN = -2; // positions of levels begin with 0
"""

_HELPERS = {
    "cellOf": """
function cellOf(row, name) {
  if (!(name in row)) throw new Error("The row lacks the column " + JSON.stringify(name) + ".");
  return row[name];
}
""",
    "number": """
function number(row, name) {
  const cell = cellOf(row, name);
  if (typeof cell === "string")
    throw new TypeError("Column " + JSON.stringify(name) + " holds numbers. Got text.");
  return cell === null || cell === undefined ? NaN : Number(cell);
}
""",
    "levelOf": """
function levelOf(row, name, levels) {
  let cell = cellOf(row, name);
  if (cell === null || cell === undefined || cell !== cell) return MISSING;
  if (typeof cell === "boolean") cell = Number(cell);
  const isLarge = !Number.isSafeInteger(Number(cell)); // levels so large are BigInt, others Number
  if (typeof cell === "bigint" && !isLarge) cell = Number(cell);
  if (Number.isInteger(cell) && isLarge) cell = BigInt(cell);
  const position = levels.get(cell);
  return position === undefined ? UNSEEN : position;
}
""",
    "above": """
function above(x, threshold, missing) {
  return x !== x ? missing : x > threshold ? YES : NO;
}
""",
    "below": """
function below(x, threshold, missing) {
  return x !== x ? missing : x < threshold ? YES : NO;
}
""",
    "within": """
function within(x, low, high, missing) {
  return x !== x ? missing : low <= x && x <= high ? YES : NO;
}
""",
    "equal": """
function equal(x, value, missing) {
  return x !== x ? missing : x === value ? YES : NO;
}
""",
    "level": """
function level(x, wanted, missing) {
  return x === MISSING ? missing : x === UNSEEN ? UNKNOWN : x === wanted ? YES : NO;
}
""",
    "among": """
function among(x, group, missing) {
  return x === MISSING ? missing : x === UNSEEN ? UNKNOWN : group.has(x) ? YES : NO;
}
""",
    "blank": """
function blank(x) {
  return x !== x ? YES : NO;
}
""",
    "blank_level": """
function blank_level(x) {
  return x === MISSING ? YES : NO;
}
""",
    "negate": """
function negate(answer) {
  return YES - answer;
}
""",
    "either": """
function either(one, other) {
  return one > other ? one : other;
}
""",
    "both": """
function both(one, other) {
  return one < other ? one : other;
}
""",
    "odd": """
function odd(one, other) {
  return one === UNKNOWN || other === UNKNOWN ? UNKNOWN : one !== other ? YES : NO;
}
""",
    "defined": """
function defined(x) {
  return Number.isFinite(x) ? x : NaN;
}
""",
    "way": """
// Whether to go the way of yes. Where the answer is unknown: first so, then not so.
function way(w, answer, share) {
  if (answer !== UNKNOWN) return answer === YES;
  if (w.at === w.open.length)
    w.open.push({ share, goesNo: false, yes: null, part: w.part, at: w.start });
  return !w.open[w.at++].goesNo;
}
""",
}

_ANSWERS = """
// Probabilities by a tree; where a rule is unknown both ways, by what each counts.
function mixed(tree, c) {
  const w = { open: [], at: 0, part: tree, start: 0 };
  for (;;) {
    w.start = w.at; // how many were open above
    let p = w.part(c, w);
    if (typeof p === "function") { // the tree goes on there
      w.part = p;
      continue;
    }
    while (w.open.length > 0 && w.open[w.open.length - 1].goesNo) {
      const last = w.open.pop();
      p = p.map((no, k) => no + last.share * (last.yes[k] - no));
    }
    if (w.open.length === 0) return p;
    const last = w.open[w.open.length - 1];
    last.yes = p;
    last.goesNo = true;
    w.part = last.part;
    w.at = last.at;
  }
}

// The probabilities that each member of the model gives.
function membersOf(row) {
  const c = cellsOf(row);
  return MEMBERS.map((trees) => {
    const values = trees.map((tree) => mixed(tree, c));
    if (values.length === 1) return values[0];
    const scores = values.map((value) => value[1]); // one tree per class
    let total = 0;
    for (const score of scores) total += score;
    return scores.map((score) => (total > 0 ? score / total : 1 / scores.length));
  });
}

function meanOf(members) {
  let sums = members[0];
  for (const member of members.slice(1)) sums = sums.map((sum, k) => sum + member[k]);
  return sums.map((sum) => sum / members.length);
}

function best(scores) {
  let first = 0;
  for (let k = 1; k < scores.length; k++) if (scores[k] > scores[first]) first = k;
  return first;
}

/** The probability of each of `classes`. A row is an object of cells by column. */
export function predictProba(row) {
  return meanOf(membersOf(row));
}

/** The class decided for; of equals the first. */
export function predict(row) {
  const members = membersOf(row);
  const mean = meanOf(members);
  if (!IS_HARD) return classes[decided(mean)];
  const votes = classes.map(() => 0);
  for (const member of members) votes[decided(member)] += 1;
  const other = betweenEquals(mean);
  return classes[best(votes.map((n, k) => n + other[k]))];
}
"""

_BY_PROBABILITY = """
// The position of the most probable class.
function decided(p) {
  return best(p);
}

// What decides where votes do not: less than one vote.
function betweenEquals(p) {
  return p.map((own) => own / 2);
}
"""

_BY_COST = """
// What each class is expected to cost if it is said.
function expected(p) {
  return classes.map((_, j) => {
    let total = p[0] * COSTS[0][j];
    for (let i = 1; i < p.length; i++) total += p[i] * COSTS[i][j];
    return total;
  });
}

// The position of the class that is expected to cost least.
function decided(p) {
  return best(expected(p).map((cost) => -cost));
}

// What decides where votes do not: less than one vote.
function betweenEquals(p) {
  const dearest = Math.max(...COSTS.map((own) => Math.max(...own)));
  return expected(p).map((cost) => -cost / (2 * dearest));
}
"""


def export_javascript(model: Any) -> str:
    """Write a model as an ES module of JavaScript, which gives the same probabilities.

    The module exports ``predictProba(row)`` and ``predict(row)`` for a row given as an object of
    cells by column, where null, undefined and NaN are missing, and ``classes``. It needs no
    library, and runs in browsers and in Node.

    Moments are text such as 2021-03-01 or 2021-03-01T14:30:00.5+01:00 (with an offset where the
    model knows a time zone, and only there), Date, or milliseconds since 1970. Where the model
    knows no zone, Date and milliseconds stand for what clocks show in UTC. Times of day are text
    such as 14:30 or milliseconds, durations milliseconds, to the microsecond.

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
    >>> "export function predictProba(row)" in export_javascript(model)
    True
    """
    return JavaScript(Program(model_form(model, "export_javascript"))).module()


@cache
def rounding_script() -> str:
    """Return ``rounded(x, size)`` in JavaScript, which pages of a model share: as pairs round."""
    return files(__package__).joinpath("rounding.js").read_text(encoding="utf-8")


class JavaScript(Language):
    """ECMAScript 2020."""

    indent = "  "

    def text(self, text: str) -> str:
        """A literal of text, in ASCII; "</" is written so that it ends no script of a page."""
        return json.dumps(text).replace("</", "<\\/")

    def number(self, number: float) -> str:
        """A literal of a double."""
        return repr(number).replace("inf", "Infinity")

    def truth(self, answer: str) -> str:
        """Whether an answer that is never unknown is yes."""
        return f"{answer} === YES"

    def leaf_line(self, values: Sequence[float]) -> str:
        """The line that returns the probabilities of a leaf."""
        return f"return [{self.numbers(values)}];"

    def call_line(self, tree: int, part: int) -> str:
        """The line that goes on in another part of the tree."""
        return f"return tree_{tree}_{part};"

    def module(self) -> str:
        """The whole text."""
        form = self.program.form
        code = self._cells() + self._trees()
        code += (_BY_PROBABILITY if form.costs is None else _BY_COST) + _ANSWERS
        labels = self.wrapped(map(self._label, form.classes), "  ")
        text = "".join(f"// {line}\n" for line in self.about())
        text += f"\nexport const classes = [\n{labels}\n];\n"
        text += f"const IS_HARD = {str(form.voting == 'hard').lower()};\n{_CONSTANTS}"
        if form.costs is not None:
            rows = (f"[{self.numbers(row)}]" for row in form.costs)
            text += "// What it costs to say a class (column) of a case of another (row).\n"
            text += f"const COSTS = [\n{self.wrapped(rows, '  ')}\n];\n"
        for column in self.program.columns:
            if column.levels is not None:
                text += self._levels(column)
        for i, group in enumerate(self.program.groups):
            text += f"const GROUP_{i} = new Set([\n{self.wrapped(map(str, group), '  ')}\n]);\n"
        if any(pair.is_rounded for pair in self.program.pairs):
            text += "\n" + rounding_script()
        return text + self.needed(_HELPERS | JAVASCRIPT.helpers, code) + code

    def _label(self, label: Any) -> str:
        plain = plain_label(label)
        if isinstance(plain, str):
            return self.text(plain)
        if isinstance(plain, bool):
            return str(plain).lower()
        if isinstance(plain, int):
            return f"{plain}n" if abs(plain) >= 2**53 else str(plain)
        return "NaN" if math.isnan(plain) else self.number(plain)

    def _levels(self, column: ColumnCell) -> str:
        levels = whole_numbers(column.levels or ())
        items = [f"[{self._label(level)}, {i}]" for i, level in enumerate(levels)]
        listed = self.wrapped(items, "  ")
        return f"const LEVELS_{column.identifier} = new Map([\n{listed}\n]);\n"

    def _cells(self) -> str:
        text = "\nfunction cellsOf(row) {\n  const c = {};\n"
        for column in self.program.columns:
            name = self.text(column.name)
            value = f"levelOf(row, {name}, LEVELS_{column.identifier})"
            if column.moment_kind is not None:
                value = JAVASCRIPT.readers[column.moment_kind].format(name)
            elif column.levels is None:
                value = f"number(row, {name})"
            text += f"  {self.comment(self.describe(column))}\n  c.{column.identifier} = {value};\n"
        text += "".join(self._pair_lines(pair) for pair in self.program.pairs)
        return text + "  return c;\n}\n"

    def _pair_lines(self, cell: PairCell) -> str:
        text = f"  {{ {self.comment(self.describe(cell))}\n    const a = c.{cell.first}, "
        text += f"b = {self.number(cell.pair.factor)} * c.{cell.second};\n"
        number = f"a {cell.pair.sign} b"
        size = "Math.max(Math.abs(a), Math.abs(b))"
        value = f"rounded({number}, {size})" if cell.is_rounded else f"defined({number})"
        return text + f"    c.{cell.identifier} = {value};\n  }}\n"

    def _trees(self) -> str:
        text, names, number = "", [], 0
        for member in self.program.form.members:
            own = []
            for tree in member:
                for part, steps in enumerate(self.program.parts(tree)):
                    title = "" if part else f"{self.title(tree)}\n"
                    lines = "\n".join(self.part_lines(tree, number, steps))
                    text += f"\n{title}function tree_{number}_{part}(c, w) {{\n{lines}\n}}\n"
                own.append(f"tree_{number}_0")
                number += 1
            names.append(f"[{', '.join(own)}]")
        return text + f"\nconst MEMBERS = [\n{self.wrapped(names, '  ')}\n];\n"

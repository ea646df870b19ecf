"""A model as a file of R that needs no package."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from bsnsing.export.code.language import Language, plain_label
from bsnsing.export.code.moment_text import R as MOMENTS
from bsnsing.export.code.program import (
    ColumnCell,
    PairCell,
    Program,
    check_levels_are_doubles,
    power_literals,
)
from bsnsing.export.form import model_form
from bsnsing.export.levels import texts_of_levels

_CONSTANTS = """
  NO <- 0
  UNKNOWN <- 1
  YES <- 2
  MISSING <- -1 # positions of levels begin with 0
  UNSEEN <- -2
"""

_HELPERS = {
    "number": """
  number <- function(cell, name) {
    if (is.null(cell) || is.na(cell)) return(NaN)
    if (is.character(cell)) stop("Column '", name, "' holds numbers. Got text.")
    as.numeric(cell)
  }
""",
    "level_of": """
  level_of <- function(cell, texts, numbers) {
    if (is.null(cell) || is.na(cell)) return(MISSING)
    position <- if (is.character(cell)) {
      match(cell, texts)
    } else {
      match(as.numeric(cell), numbers)
    }
    if (is.na(position)) UNSEEN else position - 1
  }
""",
    "above": """
  above <- function(x, threshold, missing) {
    if (is.nan(x)) missing else if (x > threshold) YES else NO
  }
""",
    "below": """
  below <- function(x, threshold, missing) {
    if (is.nan(x)) missing else if (x < threshold) YES else NO
  }
""",
    "within": """
  within <- function(x, low, high, missing) {
    if (is.nan(x)) missing else if (low <= x && x <= high) YES else NO
  }
""",
    "equal": """
  equal <- function(x, value, missing) {
    if (is.nan(x)) missing else if (x == value) YES else NO
  }
""",
    "level": """
  level <- function(x, wanted, missing) {
    if (x == MISSING) missing else if (x == UNSEEN) UNKNOWN else if (x == wanted) YES else NO
  }
""",
    "among": """
  among <- function(x, group, missing) {
    if (x == MISSING) missing else if (x == UNSEEN) UNKNOWN else if (x %in% group) YES else NO
  }
""",
    "blank": """
  blank <- function(x) if (is.nan(x)) YES else NO
""",
    "blank_level": """
  blank_level <- function(x) if (x == MISSING) YES else NO
""",
    "negate": """
  negate <- function(answer) YES - answer
""",
    "either": """
  either <- function(one, other) max(one, other)
""",
    "both": """
  both <- function(one, other) min(one, other)
""",
    "odd": """
  odd <- function(one, other) {
    if (one == UNKNOWN || other == UNKNOWN) UNKNOWN else if (one != other) YES else NO
  }
""",
    "defined": """
  defined <- function(x) if (is.finite(x)) x else NaN
""",
    "rounded": """
  rounded <- function(x, a, b) { # to twelve decimal digits of the greater part of a sum
    if (!is.finite(x)) return(NaN)
    place <- 300 - sum(bounds < max(abs(a), abs(b)))
    up <- powers[[max(place, 0) + 1]]
    down <- powers[[max(-place, 0) + 1]]
    result <- round(x * up / down) / up * down
    if (is.finite(result)) result else x
  }
""",
    "way": """
  # Whether to go the way of yes. Where the answer is unknown: first so, then not so.
  way <- function(w, answer, share) {
    if (answer != UNKNOWN) return(answer == YES)
    w$at <- w$at + 1
    if (w$at > w$n_open) {
      w$n_open <- w$at
      w$share[[w$at]] <- share
      w$goes_no[[w$at]] <- FALSE
      w$parts[[w$at]] <- w$part # where to ask it again
      w$starts[[w$at]] <- w$start
    }
    !w$goes_no[[w$at]]
  }
""",
}

_ANSWERS = """
  # Probabilities by a tree; where a rule is unknown both ways, by what each counts.
  mixed <- function(tree, c) {
    w <- new.env()
    w$part <- tree
    w$at <- w$n_open <- 0
    w$share <- w$goes_no <- w$starts <- numeric()
    w$parts <- w$yes <- list()
    repeat {
      w$start <- w$at # how many were open above
      p <- w$part(c, w)
      if (is.function(p)) { # the tree goes on there
        w$part <- p
        next
      }
      while ((n <- w$n_open) > 0 && w$goes_no[[n]]) {
        p <- p + w$share[[n]] * (w$yes[[n]] - p)
        w$n_open <- n - 1
      }
      if (n == 0) return(p)
      w$yes[[n]] <- p
      w$goes_no[[n]] <- TRUE
      w$part <- w$parts[[n]]
      w$at <- w$starts[[n]]
    }
  }

  # The probabilities that each member of the model gives.
  members_of <- function(row) {
    c <- cells_of(row)
    lapply(members, function(trees) {
      values <- lapply(trees, mixed, c)
      if (length(values) == 1) return(values[[1]])
      scores <- vapply(values, function(value) value[[2]], 0) # one tree per class
      total <- 0
      for (score in scores) total <- total + score
      if (total > 0) scores / total else rep(1 / length(scores), length(scores))
    })
  }

  mean_of <- function(own) Reduce(`+`, own) / length(own)

  rows_of <- function(rows) {
    lacking <- setdiff(needed, names(rows))
    if (length(lacking) > 0) stop("The rows lack the column '", lacking[[1]], "'.")
    columns <- lapply(rows[needed], function(x) if (is.factor(x)) as.character(x) else x)
    n <- if (is.data.frame(rows)) nrow(rows) else max(0, lengths(rows))
    # Of a difftime, older versions of R would lose the unit.
    cell <- function(x, i) if (inherits(x, "difftime")) x[i] else x[[i]]
    lapply(seq_len(n), function(i) lapply(columns, cell, i))
  }

  predict_proba <- function(rows) {
    said <- lapply(rows_of(rows), function(row) mean_of(members_of(row)))
    matrix(unlist(said), ncol = length(classes), byrow = TRUE,
           dimnames = list(NULL, as.character(classes)))
  }

  predict <- function(rows) {
    best <- vapply(rows_of(rows), function(row) {
      own <- members_of(row)
      mean <- mean_of(own)
      if (!is_hard) return(decided(mean))
      votes <- numeric(length(classes))
      for (member in own) {
        first <- decided(member)
        votes[[first]] <- votes[[first]] + 1
      }
      which.max(votes + between_equals(mean))
    }, 0L)
    classes[best]
  }

  list(classes = classes, predict_proba = predict_proba, predict = predict)
})
"""

_BY_PROBABILITY = """
  # The position of the most probable class.
  decided <- function(p) which.max(p)

  # What decides where votes do not: less than one vote.
  between_equals <- function(p) p / 2
"""

_BY_COST = """
  # What each class is expected to cost if it is said.
  expected <- function(p) {
    total <- p[[1]] * costs[1, ]
    for (i in seq_along(p)[-1]) total <- total + p[[i]] * costs[i, ]
    total
  }

  # The position of the class that is expected to cost least.
  decided <- function(p) which.min(expected(p))

  # What decides where votes do not: less than one vote.
  between_equals <- function(p) -expected(p) / (2 * max(costs))
"""


def export_r(model: Any) -> str:
    """Write a model as a file of R without packages, which gives the same probabilities.

    Sourcing the file makes the list ``bsnsing_model`` of ``predict_proba(rows)`` (a matrix of one
    row each), ``predict(rows)`` and ``classes``. Rows are a data frame, or a list of columns; NA
    and NaN are missing. Factors are read by their labels. Where a column has levels of both kinds,
    numbers may come as text, as Python writes them.

    Dates and moments are Date or POSIXct, by what the clocks of their time zone show, and POSIXct
    of any zone where the model knows one; durations are difftime, and so are times of day, since
    midnight, as package hms has them. R keeps seconds as doubles, which tell microseconds apart up
    to the year 2100.

    Numbers that R would read with an error in the last bit are written in hexadecimal.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.

    Returns
    -------
    str
        The text of the file.

    Raises
    ------
    ValueError
        If R cannot hold a name, level or label, or cannot tell the levels of a column apart.

    Examples
    --------
    >>> from bsnsing import BsnsingClassifier
    >>> model = BsnsingClassifier.plain().fit([[1.5], [2.0], [3.0], [4.5]], [0, 0, 1, 1])
    >>> "above(c$x0, 2.5, UNKNOWN)" in export_r(model)
    True
    """
    program = Program(model_form(model, "export_r"))
    check_levels_are_doubles(program, "R")
    return R(program).file()


class R(Language):
    """R 3.5 or newer. The file is in ASCII, so that no locale changes it."""

    field = "c${}"
    group = "group_{}"
    note = "# {}"
    indent = "  "

    def text(self, text: str) -> str:
        """A literal of text."""
        return f'"{"".join(map(self._sign, text))}"'

    def number(self, number: float) -> str:
        """A literal of a double."""
        if abs(number) == float("inf"):
            return "Inf" if number > 0 else "-Inf"
        is_exact = Decimal(repr(number)) == Decimal(number) and len(repr(number)) <= 15
        return repr(number).removesuffix(".0") if is_exact else number.hex()

    def comment(self, text: str) -> str:
        """A line of comment."""
        return super().comment(text).encode("ascii", "backslashreplace").decode()

    def leaf_line(self, values: Sequence[float]) -> str:
        """The line that returns the probabilities of a leaf."""
        return f"c({self.numbers(values)})"

    def call_line(self, tree: int, part: int) -> str:
        """The line that goes on in another part of the tree."""
        return f"tree_{tree}_{part}"

    def file(self) -> str:
        """The whole text."""
        form, program = self.program.form, self.program
        code = self._cells() + self._trees()
        code += (_BY_PROBABILITY if form.costs is None else _BY_COST) + _ANSWERS
        text = "".join(f"# {line}\n" for line in self.about())
        text += "# bsnsing_model$predict_proba(rows) and $predict(rows) take a data frame.\n\n"
        text += "bsnsing_model <- local({\n"
        text += self._vector("classes", map(self._label, form.classes))
        text += f"  is_hard <- {str(form.voting == 'hard').upper()}\n{_CONSTANTS}"
        if form.costs is not None:
            text += "  # What it costs to say a class (column) of a case of another (row).\n"
            numbers = (self.number(cost) for row in form.costs for cost in row)
            text += self._vector("costs", numbers)
            text += f"  costs <- matrix(costs, {len(form.classes)}, byrow = TRUE)\n"
        for column in program.columns:
            if column.levels is not None:
                text += self._levels(column)
        for i, group in enumerate(program.groups):
            text += self._vector(f"group_{i}", map(str, group))
        if any(pair.is_rounded for pair in program.pairs):
            for name, table in zip(("bounds", "powers"), power_literals(), strict=True):
                text += self._vector(name, (self.number(float(power)) for power in table))
        return text + self.needed(_HELPERS | MOMENTS.helpers, code) + code

    def _sign(self, sign: str) -> str:
        if sign == "\0" or "\ud800" <= sign <= "\udfff":
            raise ValueError(f"Text of R cannot hold {sign!r}. Rename the column, level or label.")
        if sign in '"\\':
            return f"\\{sign}"
        if " " <= sign <= "~":
            return sign
        return f"\\u{{{ord(sign):04x}}}" if ord(sign) < 0x10000 else f"\\U{{{ord(sign):08x}}}"

    def _vector(self, name: str, items: Any) -> str:
        return f"  {name} <- c(\n{self.wrapped(items)}\n  )\n"

    def _label(self, label: Any) -> str:
        plain = plain_label(label)
        if isinstance(plain, str):
            return self.text(plain)
        if isinstance(plain, bool):
            return str(plain).upper()
        return self.number(float(plain))

    def _levels(self, column: ColumnCell) -> str:
        levels = column.levels or ()
        # A vector of R that has text has numbers as text too.
        has_text = any(isinstance(level, str) for level in levels)
        texts = map(self.text, texts_of_levels(column.name, levels, "R") if has_text else ())
        numbers = [self.number(float(v)) for v in levels if not isinstance(v, str)]
        return self._vector(
            f"texts_{column.identifier}", list(texts) or ["character()"]
        ) + self._vector(f"numbers_{column.identifier}", numbers or ["numeric()"])

    def _cells(self) -> str:
        names = [self.text(column.name) for column in self.program.columns]
        if '""' in names:
            raise ValueError("R reads cells by name, and a column has none. Name it.")
        text = self._vector("needed", names or ["character()"])
        text += "\n  cells_of <- function(row) {\n    c <- list()\n"
        for column in self.program.columns:
            cell, name = f"row[[{self.text(column.name)}]]", column.identifier
            value = f"level_of({cell}, texts_{name}, numbers_{name})"
            if column.moment_kind is not None:
                reader = MOMENTS.readers[column.moment_kind]
                value = reader.format(cell=cell, name=self.text(column.name))
            elif column.levels is None:
                value = f"number({cell}, {self.text(column.name)})"
            text += f"    {self.comment(self.describe(column))}\n    c${name} <- {value}\n"
        text += "".join(self._pair_lines(pair) for pair in self.program.pairs)
        return text + "    c\n  }\n"

    def _pair_lines(self, cell: PairCell) -> str:
        text = f"    {self.comment(self.describe(cell))}\n    a <- c${cell.first}\n"
        text += f"    b <- {self.number(cell.pair.factor)} * c${cell.second}\n"
        number = f"a {cell.pair.sign} b"
        value = f"rounded({number}, a, b)" if cell.is_rounded else f"defined({number})"
        return text + f"    c${cell.identifier} <- {value}\n"

    def _trees(self) -> str:
        text, names, number = "", [], 0
        for member in self.program.form.members:
            own = []
            for tree in member:
                for part, steps in enumerate(self.program.parts(tree)):
                    title = "" if part else f"  {self.title(tree)}\n"
                    lines = "\n".join(self.part_lines(tree, number, steps, depth=2))
                    text += f"\n{title}  tree_{number}_{part} <- function(c, w) {{\n{lines}\n  }}\n"
                own.append(f"tree_{number}_0")
                number += 1
            names.append(f"list({', '.join(own)})")
        return text + f"\n  members <- list(\n{self.wrapped(names)}\n  )\n"

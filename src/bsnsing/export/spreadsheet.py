"""A small model as a formula of a spreadsheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bsnsing.export.code.program import Program
from bsnsing.export.event import place_of_event
from bsnsing.export.form import TreeForm, model_form
from bsnsing.export.spreadsheet_rules import (
    Rules,
    column_letters,
    in_milliseconds,
    written_number,
)

_LONGEST = 8192  # characters of a formula in Excel


def export_spreadsheet(
    model: Any, *, event: Any = None, cells: Mapping[str, str] | None = None
) -> str:
    """Write a small model as a formula, which gives the probability of a class.

    The formula is of Excel and LibreOffice with English names. A blank cell is missing, Booleans
    are TRUE and FALSE or 1 and 0. Dates, times of day and durations are those of spreadsheets, and
    are compared to the millisecond; moments that had a time zone at fit are to be given in UTC.
    Each node is (weight of yes) * yes + (weight of no) * no, where
    the weights are 1 and 0, or where the rule is unknown what each child counts.

    Cases whose rules are known get what ``predict_proba`` gives, to the last bit in LibreOffice;
    means of both ways are right to fifteen digits. Excel keeps fifteen digits of the numbers in a
    formula. The workbook of :func:`bsnsing.export_xlsx` is exact, and has no limit to its length.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    event : class label, default=None
        The class whose probability is wanted; the last one by default.
    cells : mapping of str to str, default=None
        The cell of each column that is asked about, such as ``{"age": "A2"}``. By default these
        columns are A2, B2 and so on, in the order of the table.

    Returns
    -------
    str
        The formula.

    Raises
    ------
    ValueError
        If the formula would be longer than 8,192 characters, a column has no cell, or the model
        asks about sums or differences of columns.

    Examples
    --------
    >>> from bsnsing import BsnsingClassifier
    >>> model = BsnsingClassifier.plain().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> export_spreadsheet(model, cells={"x0": "B7"}).split("*")[0]
    '=CHOOSE(1+IF(ISBLANK(B7),1,2'
    """
    form = model_form(model, "export_spreadsheet")
    place = len(form.classes) - 1 if event is None else place_of_event(event, form.classes)
    program = Program(form)
    rules = _OneFormula(program, cells)
    members = []
    for member in form.members:
        if len(member) == 1:
            members.append(_tree(rules, member[0], place))
        else:  # one tree per class: each tells its own, the second of two
            members.append(_share([_tree(rules, tree, 1) for tree in member], place))
    formula = members[0] if len(members) == 1 else f"({'+'.join(members)})/{len(members)}"
    if 1 + len(formula) > _LONGEST:
        n_leaves = sum(tree.tree.n_leaves for tree in form.trees)
        raise ValueError(
            f"The formula of {n_leaves} leaves has {1 + len(formula)} characters, and spreadsheets "
            f"take {_LONGEST}. Write a workbook (export_xlsx), or use a smaller tree "
            "(max_leaf_nodes)."
        )
    return f"={formula}"


class _OneFormula(Rules):
    """Rules over cells as they stand in the sheet."""

    def __init__(self, program: Program, given: Mapping[str, str] | None) -> None:
        super().__init__(program)
        names = [column.name for column in program.columns]
        known = given or {name: f"{column_letters(i)}2" for i, name in enumerate(names)}
        for name in names:
            if name not in known:
                raise ValueError(f"cells has no cell for the column {name!r}. Add it.")
        self.place = {column.identifier: known[column.name] for column in program.columns}
        # N makes numbers of TRUE and FALSE.
        self.booleans = {c.identifier for c in program.columns if c.kind == "boolean"}
        self.pairs = {pair.identifier: pair for pair in program.pairs}
        for pair in program.pairs:
            if pair.is_rounded:
                raise ValueError(
                    f"The model asks about '{pair.pair}', which a formula cannot round. Write a "
                    "workbook (export_xlsx), or export code or SQL."
                )

    def cell(self, name: str) -> str:
        """Write the number of a column or pair."""
        if name in self.pairs:
            pair = self.pairs[name]
            return f"({self.place[pair.first]}{pair.pair.sign}{self.place[pair.second]})"
        if name in self.moments:
            return in_milliseconds(self.place[name])
        return f"N({self.place[name]})" if name in self.booleans else self.place[name]

    def is_missing(self, name: str) -> str:
        """Write whether a cell is blank."""
        if name not in self.pairs:
            return f"ISBLANK({self.place[name]})"
        pair = self.pairs[name]
        blank = ",".join(f"ISBLANK({self.place[own]})" for own in (pair.first, pair.second))
        return f"OR({blank},ISERROR({self.cell(name)}))"

    def is_seen(self, name: str) -> str:
        """Write whether a cell is one of all levels."""
        return self.is_among(name, range(len(self.levels[name])))

    def is_among(self, name: str, positions: Sequence[int]) -> str:
        """Write whether a cell is one of some levels."""
        cell, levels = self.place[name], [self.levels[name][i] for i in positions]
        # EXACT, as signs of equality do not tell a from A.
        texts = [_quoted(level) for level in levels if isinstance(level, str)]
        numbers = [written_number(float(v)) for v in levels if not isinstance(v, str)]
        is_text = f"SUMPRODUCT(EXACT({cell},{{{';'.join(texts)}}})*1)"
        is_number = "+".join(f"DELTA(N({cell}),{number})" for number in numbers)
        if not numbers:
            return f"({is_text})" if texts else "0"
        return f"IF(ISTEXT({cell}),{is_text if texts else 0},{is_number})"


def _quoted(text: str) -> str:
    """Write text so that no character of it can end it."""
    return f'"{text.replace(chr(34), 2 * chr(34))}"'


def _tree(rules: Rules, tree: TreeForm, k: int) -> str:
    """Write what a tree gives a class; children come after their parents."""
    text: dict[int, str] = {}
    for node in reversed(tree.nodes):
        if node.is_leaf:
            text[node.id] = written_number(node.value[k])
            continue
        yes, no = (_in_brackets(text.pop(child)) for child in (node.yes, node.no))
        answer, share = rules.rule(node), node.yes_share
        if not rules.program.can_be_unknown(node):
            text[node.id] = f"IF({answer}=2,{yes},{no})"
            continue
        text[node.id] = (
            f"CHOOSE(1+{answer},0,{written_number(share)},1)*{yes}"
            f"+CHOOSE(1+{answer},1,{written_number(1 - share)},0)*{no}"
        )
    return text[0]


def _share(scores: list[str], k: int) -> str:
    total = "+".join(map(_in_brackets, scores))
    return f"IF({total}>0,{_in_brackets(scores[k])}/({total}),{written_number(1 / len(scores))})"


def _in_brackets(text: str) -> str:
    return f"({text})" if "(" in text else text

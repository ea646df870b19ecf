"""A model as a workbook: type cells, or paste them, and read label and probabilities beside them.

Its sheets are ``cases``, where people type; ``tree``, the nodes with their rules in words and all
numbers; ``classes`` and ``levels``, the texts; and ``work``, whose formulas go from cells to
answers, one step a cell. A row there belongs to the row of ``cases`` with the same number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bsnsing.data.table import Table, read_prediction_table
from bsnsing.export.code.program import (
    ColumnCell,
    PairCell,
    Program,
    check_levels_are_doubles,
    power_literals,
)
from bsnsing.export.explanations import rows_of
from bsnsing.export.form import ModelForm, NodeForm, TreeForm, model_form
from bsnsing.export.spreadsheet_rules import (
    Rules,
    column_letters,
    in_days,
    in_milliseconds,
    written_number,
)
from bsnsing.export.xlsx_file import Dated, Formula, Sheet, write_workbook
from bsnsing.tree.text import show_class
from bsnsing.tree.tree import Tree

_MOST_COLUMNS = 16384  # of a sheet
_ROW = "\0"  # stands for the number of the row
_UNSEEN = "a level never seen"


def export_xlsx(model: Any, *, X: Any = None, n_rows: int = 20) -> bytes:
    """Write a model as a workbook, in which Excel or LibreOffice works out cases that are typed in.

    The sheet ``cases`` has a column for each column that some rule asks about, and beside them the
    label and the probability of each class: what ``predict`` and ``predict_proba`` give, to the
    last bit. A blank cell is missing, and so is a text of no characters; a row without any cell
    stays blank. More rows are had by copying the formulas of a row down, in ``cases`` and in
    ``work``.

    Dates, times of day and durations are those of spreadsheets, from March 1900 on, and are
    compared to the millisecond; moments that had a time zone at fit are in UTC.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    X : table, default=None
        Cases to fill in; levels that fit never saw are called so.
    n_rows : int, default=20
        Rows to make where there is no ``X``.

    Returns
    -------
    bytes
        The content of the file.

    Raises
    ------
    ValueError
        If the model is too large for a sheet, or has numbers or texts that no cell can hold.

    Examples
    --------
    >>> from bsnsing import BsnsingClassifier
    >>> model = BsnsingClassifier.plain().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> export_xlsx(model)[:2]
    b'PK'
    """
    form = model_form(model, "export_xlsx")
    if isinstance(model, Tree) and X is not None:
        raise TypeError("A Tree cannot read X. Give the fitted estimator that it belongs to.")
    program = Program(form)
    check_levels_are_doubles(program, "spreadsheets")
    table = None if X is None else read_prediction_table(model, X, form.columns)
    return write_workbook(_Book(program).sheets(table, n_rows))


class _Book(Rules):
    """The sheets of one model."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.form: ModelForm = program.form
        self.tree_sheet = Sheet("tree")
        self.class_sheet = Sheet("classes")
        self.level_sheet = Sheet("levels")
        self.input = {c.identifier: column_letters(i) for i, c in enumerate(program.columns)}
        self.names: list[str] = []  # of the columns of ``work``
        self.formulas: list[str] = []
        self.own: dict[str, str] = {}  # columns of ``work`` by identifier: codes, and pairs
        self._numbers: dict[float, str] = {}  # cells of ``tree`` that hold thresholds
        self._thresholds: list[float] = []

    def sheets(self, table: Table | None, n_rows: int) -> list[Sheet]:
        """Write all sheets."""
        for column in self.program.columns:
            if column.levels is not None:
                self.own[column.identifier] = self._code(column)
            elif column.moment_kind is not None:
                # Without N, which would make 0 of text: what is text and no date is an error.
                steps = in_milliseconds(self._raw(column.identifier))
                self.own[column.identifier] = self._add(f"milliseconds of {column.name}", steps)
        for pair in self.program.pairs:
            add = self._sum if pair.is_rounded else self._product
            self.own[pair.identifier] = add(pair)
        values = self._nodes()
        members = self._members(values)
        means = self._means(members)
        best = self._best(members, means)
        self._check_width()
        cases, n_cases = self._cases(table, n_rows, means, best)
        work = [
            [Formula(text.replace(_ROW, str(row))) for text in self.formulas]
            for row in range(2, n_cases + 2)
        ]
        own = [self.tree_sheet, self.class_sheet]
        own += [self.level_sheet] if self.level_sheet.rows else []
        return [cases, *own, Sheet("work", [self.names, *work])]

    def _add(self, name: str, formula: str) -> str:
        """Add a column to ``work``, and return how its cell in the same row is written."""
        self.names.append(name)
        self.formulas.append(formula)
        return f"{column_letters(len(self.names) - 1)}{_ROW}"

    # --- Cells ---

    def _raw(self, name: str) -> str:
        return f"cases!{self.input[name]}{_ROW}"

    def cell(self, name: str) -> str:
        """Write the number of a column or pair."""
        return self.own[name] if name in self.own else f"N({self._raw(name)})"

    def is_missing(self, name: str) -> str:
        """Write whether it is missing: a code of -1, a pair of text, or a blank cell."""
        if name in self.levels:
            return f"{self.own[name]}<0"
        if name in self.moments:
            return f"ISBLANK({self._raw(name)})"
        return f"ISTEXT({self.own[name]})" if name in self.own else f"ISBLANK({self._raw(name)})"

    def is_seen(self, name: str) -> str:
        """Write whether a level is known: its code is above 0."""
        return f"{self.own[name]}>0"

    def is_among(self, name: str, positions: Sequence[int]) -> str:
        """Write 1 where a level's code is one of some, else 0."""
        if not positions:
            return "0"
        codes = [str(position + 1) for position in positions]
        if len(codes) == 1:
            return f"({self.own[name]}={codes[0]})"
        return f"ISNUMBER(MATCH({self.own[name]},{{{';'.join(codes)}}},0))"

    def number(self, number: float) -> str:
        """Write the cell of ``tree`` that holds a threshold."""
        if number not in self._numbers:
            self._numbers[number] = f"tree!$A${2 + len(self._numbers)}"
            self._thresholds.append(number)
        return self._numbers[number]

    def _code(self, column: ColumnCell) -> str:
        """Add the place of a cell among the levels from 1 on; 0 is another, -1 a blank one."""
        levels = column.levels or ()
        texts = [(level, i) for i, level in enumerate(levels) if isinstance(level, str)]
        numbers = sorted((float(v), i) for i, v in enumerate(levels) if not isinstance(v, str))
        cell = self._raw(column.identifier)
        by_text = by_number = "0"
        if texts:
            name, place = self._listed(f"levels of {column.name}", texts)
            by_text = f"SUMPRODUCT(EXACT({cell},{name})*{place})"
        if numbers:
            name, place = self._listed(f"numbers of {column.name}", numbers)
            at = f"MATCH(N({cell}),{name},1)"
            found = f"DELTA(INDEX({name},{at}),N({cell}))*INDEX({place},{at})"
            by_number = f"IFERROR({found},0)"
        # Digits that are typed are a number: where levels are all text, they are taken for it.
        known = f"IF(ISTEXT({cell}),{by_text},{by_number})" if numbers else by_text
        return self._add(f"code of {column.name}", f"IF(ISBLANK({cell}),-1,{known})")

    def _listed(self, name: str, items: Sequence[tuple[Any, int]]) -> tuple[str, str]:
        """Put levels and their places into two columns of ``levels``, and return both ranges."""
        rows = self.level_sheet.rows
        width = len(rows[0]) if rows else 0
        cells = [(name[:1000], "place"), *((level, i + 1) for level, i in items)]
        while len(rows) < len(cells):
            rows.append([None] * width)
        for i, row in enumerate(rows):
            rows[i] = [*row, *(cells[i] if i < len(cells) else (None, None))]
        first, second = (
            f"levels!${letters}$2:${letters}${len(cells)}"
            for letters in (column_letters(width), column_letters(width + 1))
        )
        return first, second

    def _product(self, pair: PairCell) -> str:
        """Add the number of a pair; text where it is missing."""
        first, second = (self._raw(name) for name in (pair.first, pair.second))
        number = f'IFERROR(N({first}){pair.pair.sign}N({second}),"")'
        is_blank = f"OR(ISBLANK({first}),ISBLANK({second}))"
        return self._add(str(pair.pair)[:1000], f'IF({is_blank},"",{number})')

    def _sum(self, pair: PairCell) -> str:
        """Add the steps of rounding a sum: see :mod:`bsnsing.export.pair_cut`."""
        bounds, powers = (
            self._listed(word, [(float(power), i) for i, power in enumerate(table)])[0]
            for word, table in zip(("bounds", "powers"), power_literals(), strict=True)
        )
        name = str(pair.pair)[:1000]
        first, second = (self._raw(own) for own in (pair.first, pair.second))
        is_blank = f"OR(ISBLANK({first}),ISBLANK({second}))"
        part = self._add(f"part of {name}", f"{written_number(pair.pair.factor)}*N({second})")
        total = f'IFERROR(N({first}){pair.pair.sign}{part},"")'
        total = self._add(f"sum of {name}", f'IF({is_blank},"",{total})')
        size = self._add(f"size of {name}", f"MAX(ABS(N({first})),ABS({part}))")
        at = f"MATCH({size},{bounds},1)"
        n_less = f"IFERROR({at}-DELTA(INDEX({bounds},{at}),{size}),0)"
        place = self._add(f"place of {name}", f"300-{n_less}")
        up, down = (f"INDEX({powers},1+MAX({sign}{place},0))" for sign in ("", "-"))
        scaled = self._add(f"scaled {name}", f"IFERROR({total}*{up}/{down},0)")
        rest = f"({scaled}-INT({scaled}))"
        # To the even neighbour.
        more = f"IF(DELTA({rest},0.5),MOD(INT({scaled}),2),GESTEP({rest},0.5))"
        whole = self._add(f"whole {name}", f"INT({scaled})+{more}")
        rounded = f"{whole}/{up}*{down}"
        return self._add(name, f'IF(ISTEXT({total}),"",{rounded})')

    # --- Trees ---

    def _nodes(self) -> list[list[str]]:
        """Add the answers and values of all nodes; return what each tree gives, class by class."""
        found: list[list[str]] = []
        rows: list[list[Any]] = []
        width = max(len(tree.nodes[0].value) for tree in self.form.trees)
        for number, tree in enumerate(self.form.trees, start=1):
            title = f"tree {number} " if len(self.form.trees) > 1 else ""
            answers = {
                node.id: self._add(f"{title}#{node.id}", self.rule(node))
                for node in tree.nodes
                if not node.is_leaf
            }
            start = 2 + len(rows)
            values: dict[int, list[str]] = {}
            for node in reversed(tree.nodes):  # children come after their parents
                line = start + node.id
                values[node.id] = (
                    [f"tree!${column_letters(7 + k)}${line}" for k in range(len(node.value))]
                    if node.is_leaf
                    else self._mixed(node, values, answers[node.id], f"tree!$G${line}", title)
                )
            rows += list(self._tree_rows(tree, title, width))
            found.append(values[0])
        self._fill_tree_sheet(rows, width)
        return found

    def _mixed(
        self, node: NodeForm, values: dict[int, list[str]], answer: str, share: str, title: str
    ) -> list[str]:
        """Add what a node gives, class by class."""
        found = []
        can_be_unknown = self.program.can_be_unknown(node)
        for k, (yes, no) in enumerate(zip(values[node.yes], values[node.no], strict=True)):
            formula = f"IF({answer}=2,{yes},{no})"
            if can_be_unknown:
                formula = f"CHOOSE(1+{answer},{no},{no}+{share}*({yes}-{no}),{yes})"
            found.append(self._add(f"{title}#{node.id} p{k + 1}", formula))
        return found

    def _tree_rows(self, form: TreeForm, title: str, width: int) -> Iterator[list[Any]]:
        """Rows of ``tree`` from its second column on."""
        tree = form.tree
        for node in form.nodes:
            rule = tree.rules[node.id]
            text = show_class(tree, int(tree.labels[node.id])) if rule is None else f"{rule} ?"
            own = [None if node.is_leaf else child for child in (node.yes, node.no)]
            shares = [*node.value, *[None] * (width - len(node.value))]
            number = node.id if not title else f"{title}#{node.id}"
            yield [number, text[:1000], *own, form.title or None, node.yes_share, *shares]

    def _fill_tree_sheet(self, rows: list[list[Any]], width: int) -> None:
        head = ["threshold", "node", "rule or label", "yes", "no", "tree", "share of yes"]
        lines = max(len(rows), len(self._thresholds))
        thresholds = [*self._thresholds, *[None] * (lines - len(self._thresholds))]
        nodes = [*rows, *[[]] * (lines - len(rows))]
        self.tree_sheet.rows = [
            [*head, *(f"p{k + 1}" for k in range(width))],
            *([number, *own] for number, own in zip(thresholds, nodes, strict=True)),
        ]

    # --- The model ---

    def _members(self, values: list[list[str]]) -> list[list[str]]:
        """Return what each member gives, class by class."""
        members, number = [], 0
        for m, member in enumerate(self.form.members, start=1):
            own = values[number : number + len(member)]
            number += len(member)
            if len(member) == 1:
                members.append(own[0])
                continue
            scores = [tree[1] for tree in own]  # of one tree per class
            total = self._add(f"member {m} total", "+".join(scores))
            equal = written_number(1 / len(scores))
            members.append(
                [
                    self._add(f"member {m} p{k + 1}", f"IF({total}>0,{score}/{total},{equal})")
                    for k, score in enumerate(scores)
                ]
            )
        return members

    def _means(self, members: list[list[str]]) -> list[str]:
        if len(members) == 1:
            return members[0]
        return [
            self._add(f"mean p{k + 1}", f"({'+'.join(own)})/{len(members)}")
            for k, own in enumerate(zip(*members, strict=True))
        ]

    def _best(self, members: list[list[str]], means: list[str]) -> str:
        """Add the place of the class that the model decides for."""
        labels = [v if isinstance(v, bool | int | float) else str(v) for v in self.form.classes]
        costs: Sequence[Sequence[float]] = self.form.costs or [[] for _ in labels]
        self.class_sheet.rows = [["class", *(labels if self.form.costs else ())]]
        self.class_sheet.rows += [[label, *row] for label, row in zip(labels, costs, strict=True)]
        scores = self._scores(means, "")
        if self.form.voting == "hard":
            votes = [
                self._greatest(self._scores(own, f"member {m} "), f"vote {m}")
                for m, own in enumerate(members, start=1)
            ]
            unit = 2.0 if self.form.costs is None else 2 * max(map(max, self.form.costs))
            scores = [
                self._add(
                    f"votes for {k}",
                    f"{'+'.join(f'({vote}={k})' for vote in votes)}+{score}/{written_number(unit)}",
                )
                for k, score in enumerate(scores, start=1)
            ]
        return self._greatest(scores, "best")

    def _scores(self, shares: list[str], title: str) -> list[str]:
        """Return what is to be greatest: probabilities, or less what each class would cost."""
        if self.form.costs is None:
            return shares
        n_classes = len(shares)
        return [
            self._add(
                f"{title}less cost of {j + 1}",
                "-("
                + "+".join(
                    f"{shares[i]}*classes!${column_letters(1 + j)}${2 + i}"
                    for i in range(n_classes)
                )
                + ")",
            )
            for j in range(n_classes)
        ]

    def _greatest(self, scores: list[str], name: str) -> str:
        """Add the place of the first of the greatest numbers."""
        best = "1"
        for k in range(2, len(scores) + 1):
            before = scores[0] if k == 2 else f"MAX({','.join(scores[: k - 1])})"
            formula = f"IF(GESTEP({before},{scores[k - 1]}),{best},{k})"
            best = self._add(f"{name} of {k}", formula)
        return best

    def _check_width(self) -> None:
        if len(self.names) > _MOST_COLUMNS:
            n_leaves = sum(tree.tree.n_leaves for tree in self.form.trees)
            raise ValueError(
                f"A model of {n_leaves} leaves takes {len(self.names)} columns of formulas, and "
                f"sheets have {_MOST_COLUMNS}. Use a smaller model (max_leaf_nodes), or export "
                "code or SQL."
            )

    # --- Cases ---

    def _cases(
        self, table: Table | None, n_rows: int, means: list[str], best: str
    ) -> tuple[Sheet, int]:
        columns = self.program.columns
        n_classes = len(self.form.classes)
        classes = [f"p_{label}"[:1000] for label in self.form.classes]
        head = [*map(_titled, columns), "label", *classes]
        outputs = [f"INDEX(classes!$A$2:$A${n_classes + 1},{_from_cases(best)})"]
        outputs += [_from_cases(mean) for mean in means]
        rows: list[list[Any]] = []
        if table is None:
            last = column_letters(max(len(columns) - 1, 0))
            is_empty = f"COUNTA($A{_ROW}:${last}{_ROW})=0"
            outputs = [f'IF({is_empty},"",{text})' if columns else text for text in outputs]
            rows = [[_shown(column, "", None) for column in columns] for _ in range(n_rows)]
        else:
            infos = {column.name: column for column in self.form.columns}
            for cells in rows_of(self.form, table):
                rows.append(
                    [
                        _shown(column, infos[column.name].kind, cells[column.name])
                        for column in columns
                    ]
                )
        filled = [
            [*row, *(Formula(text.replace(_ROW, str(number))) for text in outputs)]
            for number, row in enumerate(rows, start=2)
        ]
        return Sheet("cases", [head, *filled]), len(filled)


def _from_cases(cell: str) -> str:
    """Write a cell of ``work`` as other sheets see it."""
    return cell if "!" in cell or not cell[0].isalpha() else f"work!{cell}"


def _titled(column: ColumnCell) -> str:
    return f"{column.name} (UTC)" if column.moment_kind == "zoned" else column.name


def _shown(column: ColumnCell, kind: str, cell: float | None) -> Any:
    if column.moment_kind is not None:
        is_moment = column.moment_kind in ("moment", "zoned")
        days = None if cell is None else in_days(cell, is_moment=is_moment)
        return Dated(days, "moment" if is_moment else column.moment_kind)
    if cell is None:
        return None
    if column.levels is not None:
        return column.levels[int(cell)] if cell < len(column.levels) else _UNSEEN
    return bool(cell) if kind == "boolean" else cell

"""A model as one SQL statement."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bsnsing.export.form import ModelForm, model_form
from bsnsing.export.own_names import free_prefix
from bsnsing.export.sql_cells import Cells
from bsnsing.export.sql_dialects import DIALECTS, Dialect, dialect_of
from bsnsing.export.sql_mixing import ColumnMixing, Mixing, fits_columns
from bsnsing.export.sql_parts import asked_parts
from bsnsing.export.sql_paths import PathMixing
from bsnsing.export.sql_scores import Scores
from bsnsing.export.sql_trees import Trees

# Names of the query's own tables.
_OWN_TABLES = (
    r"cells|rules|leaves|branches|stopped|walk|scored|summed|shares|averaged|votes|expected"
    r"|(pairs|found|climb|height|whole|mixed|means|scored)\d*"
)


def export_sql(
    model: Any,
    *,
    table: str | Sequence[str] = "cases",
    key: str | Sequence[str] | None = None,
    dialect: str = "sqlite",
    names: Mapping[str, str] | None = None,
    unknown: str = "mix",
    prefix: str = "",
    date_parts: str | Sequence[str] = (),
) -> str:
    """Write a model as one SQL query, which gives each case its leaf, label and probabilities.

    The query cleans the cells that are asked about, writes each rule once, finds the leaf of each
    case and joins the table of leaves. It equals ``predict_proba`` to the last bit, and answers
    missing cells (NULL, NaN) and levels that fit never saw as ``predict`` does.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    table : str or sequence of str, default="cases"
        Name of the table or view, or its parts, such as ("schema", "table").
    key : str or sequence of str, default=None
        Columns of the table that the result keeps, such as its key. None keeps all columns that
        the model was fitted with. With ``unknown="mix"`` and a large model it must tell cases apart
        in BigQuery, Snowflake, Spark and plain ANSI, whose queries may number cases more than once.
    dialect : {"sqlite", "duckdb", "postgresql", "bigquery", "snowflake", "spark", "ansi"}
        Whose SQL to write.
    names : mapping of str to str, default=None
        What columns of the model are called in the table, where they are called otherwise.
    unknown : {"mix", "stop"}, default="mix"
        What a case gets whose cells leave a rule unknown: the mean of both ways, as from
        ``predict_proba``, or NULL, which makes a shorter query. Where no case has missing or
        unseen cells beyond those of fit, it makes no difference.
    prefix : str, default=""
        Beginning of the names of the result's own columns.
    date_parts : str or sequence of str, default=()
        Columns of dates whose parts the query works out, as :func:`bsnsing.date_parts` makes them:
        with "visit", the table need not have ``visit month``.

    Returns
    -------
    str
        A query, with columns ``leaf`` (the leaf's number, or the node whose rule is unknown; with
        several trees ``leaf_1``, ``leaf_2``, ...), ``label``, and ``p_`` and the label for each
        class. It can be a view: ``CREATE VIEW scored AS`` and the query.

    Raises
    ------
    ValueError
        If the table cannot have such columns in this dialect, levels are the same as text, or an
        option is not known.

    Notes
    -----
    For cases that go both ways, models of up to 1,000 nodes times classes have a column for each
    of them. Beyond, recursive queries go through the nodes that such cases come to. They take as
    many rounds as the tree has levels, which some databases limit (Spark to 100, BigQuery to 500),
    and are made for databases that keep what common table expressions have found, as SQLite,
    DuckDB and PostgreSQL do; elsewhere ``unknown="stop"`` is the better choice for such models.

    Columns of dates, moments, times of day and durations are those of the database: DATE or
    TIMESTAMP, TIMESTAMP WITH TIME ZONE where the model knows a time zone, TIME, and INTERVAL.
    Cells that have a zone where the model has none, or the other way round, are converted as the
    session's time zone says. SQLite has no such types: moments and times are text that it reads
    (such as 2021-03-01, 2021-03-01 14:30:00.5 or 2021-03-01T14:30+01:00, and UTC where there is no
    offset), whole numbers of seconds since 1970, or Julian days as REAL; durations are seconds. All
    are compared to the microsecond, Julian days to the millisecond. Snowflake has no type for
    durations, and Spark none for times of day.

    Queries are run against SQLite, DuckDB and PostgreSQL in the tests of this package; what is
    written for the others follows their documentation. Sums and differences of columns need
    SQLite's mathematical functions, which all builds but the barest have.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BsnsingClassifier.plain(max_leaf_nodes=2).fit(X, y)
    >>> print(export_sql(model, table="flowers", key="id", unknown="stop"))
    WITH
    -- Cells that rules ask about, and NULL for what fit has not seen
    cells AS (
      SELECT c."id",
        CAST(c."petal length (cm)" AS REAL) AS "_c_petal length (cm)"
      FROM "flowers" AS c
    ),
    -- Each rule: true, false, or NULL where it is unknown
    rules AS (
      SELECT *,
        "_c_petal length (cm)" > 2.45e0 AS "_r0"
      FROM cells
    ),
    -- The leaf of each case, or the first node whose rule is unknown
    found AS (
      SELECT *,
        CASE "_r0"
          WHEN TRUE THEN 1
          WHEN FALSE THEN 2
          ELSE 0 END AS "_n1"
      FROM rules
    ),
    leaves(node, p1, p2, p3) AS (
      VALUES
        (1, CAST(0e0 AS REAL), CAST(0.5e0 AS REAL), CAST(0.5e0 AS REAL)),
        (2, 1e0, 0e0, 0e0)
    ),
    scored AS (
      SELECT f.*,
        l1.p1 AS "_p1",
        l1.p2 AS "_p2",
        l1.p3 AS "_p3"
      FROM found AS f
      LEFT JOIN leaves AS l1 ON l1.node = f."_n1"
    )
    SELECT "id",
      "_n1" AS "leaf",
      CASE MAX("_p1", "_p2", "_p3")
        WHEN "_p1" THEN 0
        WHEN "_p2" THEN 1
        WHEN "_p3" THEN 2 END AS "label",
      "_p1" AS "p_0",
      "_p2" AS "p_1",
      "_p3" AS "p_2"
    FROM scored
    """
    form = model_form(model, "export_sql")
    if unknown not in ("mix", "stop"):
        raise ValueError(f"unknown={unknown!r} is not known. Use 'mix' or 'stop'.")
    own = dialect_of(dialect)
    _check_table(table)
    called = {} if names is None else dict(names)
    parts = asked_parts(form, date_parts)
    sources = [parts[c.name].source if c.name in parts else c for c in form.asked_columns]
    asked = list(dict.fromkeys(called.get(c.name, c.name) for c in sources))
    keys = _kept_columns(form, key, called, parts)
    _check_columns(form, called, [*keys, *asked], own)
    cells = Cells(form, own, called, free_prefix([*keys, *asked]), parts)
    mixes = unknown == "mix" and any(tree.may_be_unknown for tree in form.trees)
    statement = _Statement(form, cells, Trees(form, cells, mixes), table, keys, prefix, mixes)
    return statement.text()


@dataclass(frozen=True)
class _Statement:
    form: ModelForm
    cells: Cells
    trees: Trees
    table: str | Sequence[str]
    keys: list[str]
    prefix: str
    mixes: bool

    @property
    def dialect(self) -> Dialect:
        return self.cells.dialect

    @cached_property
    def mixing(self) -> Mixing | None:
        if not self.mixes:
            return None
        kind = ColumnMixing if fits_columns(self.trees) else PathMixing
        return kind(self.trees, self.keys)

    @cached_property
    def scores(self) -> Scores:
        return Scores(self.trees, self.mixing, self.keys)

    def text(self) -> str:
        parts = [*self._row_steps(), self.trees.leaf_table()]
        if self.mixing is not None:
            parts += self.mixing.steps()
        parts += self.scores.steps()
        start = "WITH RECURSIVE" if isinstance(self.mixing, PathMixing) else "WITH"
        return f"{start}\n" + ",\n".join(parts) + "\n" + self._result()

    # --- From the table to leaves ---

    def _row_steps(self) -> list[str]:
        """Write the steps that add columns to the cases, down to their leaves."""
        table = [self.table] if isinstance(self.table, str) else self.table
        quoted = ".".join(self.dialect.quote(name) for name in table)
        kept = [f"c.{self.dialect.quote(name)}" for name in self.keys]
        columns = ",\n    ".join([", ".join(kept), *self.cells.cleaned()])
        comment = "-- Cells that rules ask about, and NULL for what fit has not seen\n"
        parts = [f"{comment}cells AS (\n  SELECT {columns}\n  FROM {quoted} AS c\n)"]
        before = "cells"

        def add(name: str, lines: list[str], comment: str = "", is_kept: bool = False) -> None:
            nonlocal before
            kind = self.dialect.materialized if is_kept else ""
            inner = ",\n    ".join(lines)
            note = f"-- {comment}\n" if comment else ""
            parts.append(f"{note}{name} AS {kind}(\n  SELECT *,\n    {inner}\n  FROM {before}\n)")
            before = name

        for place, lines in enumerate(self.cells.pair_steps(), start=1):
            comment = "Numbers made of two columns" if place == 1 else ""
            add(f"pairs{place}", lines, comment, place > 1)
        rules = self.trees.rule_columns() if self.trees.has_rule_columns else []
        if rules:
            add("rules", rules, "Each rule: true, false, or NULL where it is unknown")
        steps = self.trees.leaf_steps()
        for place, lines in enumerate(steps, start=1):
            is_last = place == len(steps)
            comment = "The leaf of each case, or the first node whose rule is unknown"
            name = "found" if is_last else f"found{place}"
            add(name, lines, comment if place == 1 else "", not is_last or self.mixes)
        return parts

    # --- The result ---

    def _result(self) -> str:
        places = range(1, len(self.form.classes) + 1)
        lines = []
        for number in range(1, len(self.form.trees) + 1):
            word = "leaf" if self.form.is_single else f"leaf_{number}"
            lines.append((self.trees.end_column(number), word))
        lines.append((self.scores.label, "label"))
        for place, label in zip(places, self.form.classes, strict=True):
            lines.append((self.trees.own(f"p{place}"), self._probability_name(label, place)))
        names = [f"{self.prefix}{word}" for _, word in lines]
        self._check_result(names)
        kept = ", ".join(self.dialect.quote(name) for name in self.keys)
        columns = ",\n  ".join(
            f"{what} AS {self.dialect.quote(name)}"
            for (what, _), name in zip(lines, names, strict=True)
        )
        return f"SELECT {kept},\n  {columns}\nFROM {self.scores.result}"

    def _probability_name(self, label: Any, place: int) -> str:
        name = f"p_{label}"
        most = self.dialect.most_bytes or 10**9
        is_short = len(f"{self.prefix}{name}".encode()) <= most
        return name if is_short and "\0" not in name else f"p_{place}"

    def _check_result(self, names: list[str]) -> None:
        taken: set[str] = set()
        for name in [*self.keys, *names]:
            known = name.lower() if self.dialect.ignores_case else name
            if known in taken:
                raise ValueError(
                    f"The result would have two columns named {name!r}. "
                    "Say which columns to keep with key=..., or set a prefix."
                )
            taken.add(known)


def _kept_columns(
    form: ModelForm,
    key: str | Sequence[str] | None,
    names: Mapping[str, str],
    parts: Collection[str],
) -> list[str]:
    if isinstance(key, str):
        return [key]
    if key is None:
        kept = (column.name for column in form.columns if column.name not in parts)
        return [names.get(name, name) for name in kept]
    if not key:
        raise ValueError("key names no column, so that cases could not be told apart. Name one.")
    return list(key)


def _check_table(table: str | Sequence[str]) -> None:
    is_own = isinstance(table, str) and re.fullmatch(_OWN_TABLES, table.lower())
    if is_own:
        raise ValueError(
            f"table={table!r} is a name that the query uses itself. Give the schema as well, as in "
            f"('main', {table!r}), or make a view of another name."
        )


def _check_columns(
    form: ModelForm, names: Mapping[str, str], used: Sequence[str], dialect: Dialect
) -> None:
    """Refuse columns that no table of this dialect can have."""
    strange = set(names) - {column.name for column in form.columns}
    if strange:
        raise ValueError(
            f"names renames {sorted(strange)[0]!r:.60}, which is no column of the model. "
            f"Its first columns are {', '.join(repr(c.name) for c in form.columns[:10])}."
        )
    taken: dict[str, str] = {}
    for name in dict.fromkeys(used):
        known = name.lower() if dialect.ignores_case else name
        if known in taken:
            raise ValueError(
                f"{dialect.name} takes the columns {taken[known]!r:.60} and {name!r:.60} for one, "
                "as it ignores case. Say what they are called there, with names={...}."
            )
        taken[known] = name


__all__ = ["DIALECTS", "export_sql"]

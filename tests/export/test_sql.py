"""The SQL of a model, run in SQLite, DuckDB and a PostgreSQL server, says what the model says."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sqlglot
from export.models import DEEP, LARGE, SMALL_NAMES, Model, fitted, trial, trial_rows
from export.moment_models import MOMENT_NAMES
from export.pair_limits import pair_limits, question_of_no_level
from export.sql_databases import Database, open_database

from bsnsing import BsnsingClassifier, ColumnPair, Question, date_parts, export_sql
from bsnsing.export.form import TreeForm, model_form
from bsnsing.export.sql_dialects import DIALECTS
from bsnsing.export.sql_moments import _sqlite_text

DATABASES = ("sqlite", "duckdb", "postgresql")


@pytest.fixture(scope="module", params=DATABASES)
def database(request: Any) -> Iterator[Database]:
    with open_database(request.param) as opened:
        yield opened


def names_in(database: Database, model: Model) -> dict[str, str]:
    """Other names for columns that the database cannot have."""
    names = {}
    for column in model.trees_[0].columns:
        if column.name == "Age" and database.dialect.ignores_case:
            names[column.name] = "Age in years"
        if len(column.name.encode()) > (database.dialect.most_bytes or 10**9):
            names[column.name] = "long"
    return names


def run(database: Database, model: Model, rows: pd.DataFrame, **options: Any) -> dict[str, Any]:
    """Run the model's query on these rows and return its columns, in the order of the rows."""
    names = names_in(database, model)
    database.load(rows, model.trees_[0].columns, names)
    query = export_sql(model, key="id", dialect=database.dialect.name, names=names, **options)
    found = database.run(f"{query} ORDER BY {database.dialect.quote('id')}")
    n_classes, n_trees = len(model.classes_), len(model.trees_)
    cells = list(zip(*found, strict=True))
    assert cells[0] == tuple(range(len(rows)))
    return {
        "leaves": np.array(cells[1 : 1 + n_trees]).T,
        "labels": list(cells[1 + n_trees]),
        "probabilities": np.array(cells[-n_classes:], dtype=float).T,
    }


def assert_same(database: Database, model: Model, rows: pd.DataFrame) -> None:
    found = run(database, model, rows)
    np.testing.assert_array_equal(found["probabilities"], model.predict_proba(rows))
    assert found["labels"] == model.predict(rows).tolist()
    members = getattr(model, "estimators_", [model])
    ends = np.column_stack([member.apply(rows) for member in members])
    np.testing.assert_array_equal(found["leaves"], ends)


@pytest.mark.parametrize("name", [*SMALL_NAMES, *MOMENT_NAMES])
def test_query_equals_predict_proba(database: Database, name: str) -> None:
    assert_same(database, fitted(name), trial_rows(name, 400))


@pytest.mark.parametrize("name", [LARGE, DEEP])
def test_query_of_a_large_tree_equals_predict_proba(database: Database, name: str) -> None:
    rows = trial_rows(name, 60)
    nothing = pd.DataFrame({column: [np.nan] for column in rows.columns})
    assert_same(database, fitted(name), pd.concat([rows, nothing], ignore_index=True))


def test_cases_that_meet_an_unknown_can_be_left_open(database: Database) -> None:
    model = fitted(LARGE)
    rows = trial_rows(LARGE, 300)
    found = run(database, model, rows, unknown="stop")
    is_whole = model.unknown_at(rows) < 0
    assert is_whole.any()
    expected = model.predict_proba(rows)
    expected[~is_whole] = np.nan
    np.testing.assert_array_equal(found["probabilities"], expected)
    np.testing.assert_array_equal(found["leaves"][:, 0], model.apply(rows))
    assert [label is None for label in found["labels"]] == (~is_whole).tolist()


def test_a_question_about_no_level_of_fit_is_answered_no(database: Database) -> None:
    assert_same(database, *question_of_no_level())


def test_pairs_next_to_their_limits(database: Database) -> None:
    assert_same(database, *pair_limits())


def test_view_of_the_query_has_the_columns_it_promises(database: Database) -> None:
    model = fitted("missing")
    rows = trial_rows("missing", 50)
    database.load(rows, model.trees_[0].columns, {})
    query = export_sql(model, dialect=database.dialect.name, prefix="bs_")
    database.run("DROP VIEW IF EXISTS scored_cases")
    database.run(f"CREATE VIEW scored_cases AS {query}")
    found = database.run('SELECT "dose", "bs_leaf", "bs_label", "bs_p_no" FROM scored_cases')
    database.run("DROP VIEW scored_cases")
    assert sorted(row[2:] for row in found) == sorted(
        zip(model.predict(rows).tolist(), model.predict_proba(rows)[:, 0].tolist(), strict=True)
    )


BREAKING = (
    '"; DROP TABLE cases; --',
    "'; DROP TABLE cases; --",
    "`",
    "]",
    "$$",
    "\\'; --",
    "/* */",
    "a\nb",
    "{0} %s ?",
)


def breaking_table() -> tuple[pd.DataFrame, Any]:
    """Columns, levels and labels that would end a name or a text, if they could."""
    random = np.random.RandomState(0)
    table = pd.DataFrame({name: random.rand(200) for name in BREAKING})
    table["levels"] = random.choice(BREAKING, 200)
    place = table["levels"].map({name: i for i, name in enumerate(BREAKING)})
    score = place + table[list(BREAKING)].sum(axis=1)
    return table, pd.qcut(score, len(BREAKING), labels=list(BREAKING)).astype(object).to_numpy()


def test_no_name_level_or_label_breaks_out(database: Database) -> None:
    table, labels = breaking_table()
    model = BsnsingClassifier.plain(min_samples_leaf=2).fit(table, labels)
    rows = pd.concat([table, table.iloc[:20].assign(levels="unseen")], ignore_index=True)
    assert_same(database, model, rows)
    assert len(database.run("SELECT * FROM cases")) == len(rows)


def test_own_columns_of_the_query_do_not_meet_those_of_the_table(database: Database) -> None:
    random = np.random.RandomState(0)
    table = pd.DataFrame(random.rand(200, 4), columns=["_r0", "_n1", "_p1", "__x"])
    model = BsnsingClassifier.plain(min_samples_leaf=5).fit(table, table.sum(axis=1) > 2)
    assert_same(database, model, table)


# What the query calls its own columns, but for the beginning, and its tables' columns.
OWN_WORDS = (
    ("p1", "p2", "n1"),
    ("r0", "r1", "c2", "1"),
    ("case", "v1", "sum1", "total1", "m1_1"),
    ("node", "column2", "c_column1", "é", "column1"),
)


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("names", OWN_WORDS, ids="-".join)
def test_columns_may_be_called_as_the_query_calls_its_own(
    database: Database, names: tuple[str, ...], multiclass: str
) -> None:
    random = np.random.RandomState(0)
    table = pd.DataFrame(random.rand(300, len(names)), columns=list(names))
    labels = pd.qcut(table.sum(axis=1), 3, labels=False).to_numpy()
    model = BsnsingClassifier.plain(min_samples_leaf=3, multiclass=multiclass).fit(table, labels)
    asked = {name for tree in model_form(model).trees for name in _names_of(tree)}
    assert asked == set(names)
    assert_same(database, model, table.mask(random.rand(*table.shape) < 0.2))


def _names_of(tree: TreeForm) -> list[str]:
    return [column.name for column in tree.asked_columns]


def test_sums_of_columns_where_there_is_a_tree_per_class(database: Database) -> None:
    random = np.random.RandomState(0)
    table = pd.DataFrame(random.rand(200, 2), columns=["a", "b"])
    labels = pd.qcut(table.sum(axis=1), 3, labels=False).to_numpy()
    pair = ColumnPair("a", "+", "b")
    limits = np.quantile(table.sum(axis=1), [0.3, 0.35, 0.6, 0.7])
    model = BsnsingClassifier.plain(
        extra_questions=[Question(pair, ">", float(limit)) for limit in limits],
        own_questions=False,
        multiclass="ovr",
    ).fit(table, labels)
    found = run(database, model, table, unknown="stop")
    np.testing.assert_array_equal(found["probabilities"], model.predict_proba(table))


@pytest.mark.parametrize("unknown", ["mix", "stop"])
def test_models_of_more_trees_than_a_join_takes(database: Database, unknown: str) -> None:
    """SQLite joins 64 tables at most."""
    table = pd.DataFrame({"x": np.repeat(np.arange(70.0), 4)})
    labels = table["x"].astype(int).to_numpy()
    model = BsnsingClassifier.plain(multiclass="ovr", min_samples_leaf=2, max_leaf_nodes=3)
    model.fit(table, labels)
    assert len(model.trees_) == 70
    rows = table if unknown == "stop" else pd.concat([table[::9], pd.DataFrame({"x": [np.nan]})])
    found = run(database, model, rows.reset_index(drop=True), unknown=unknown)
    np.testing.assert_array_equal(found["probabilities"], model.predict_proba(rows))


# sqlglot, a parser of many dialects, takes its time.
PARSED = ("leaf", "missing", "levels", "numbers", "odd names", "pairs", "xor", "cost")
PARSED += ("one tree per class", "cost, voting")
# What it calls those that have no database here.
OTHERS = {"bigquery": "bigquery", "snowflake": "snowflake", "spark": "spark", "ansi": None}


def with_values(tree: Any) -> Any:
    """Write BigQuery's arrays of structs as VALUES: sqlglot forgets the names of their fields."""
    exp = sqlglot.exp
    for unnest in list(tree.find_all(exp.Unnest)):
        first, *rest = unnest.expressions[0].expressions
        names = [field.alias_or_name for field in first.expressions]
        cells = [
            field.this if isinstance(field, exp.Alias) else field.expression
            for field in first.expressions
        ]
        rows = [exp.Tuple(expressions=cells), *rest]
        columns = [exp.to_identifier(name) for name in names]
        alias = exp.TableAlias(this=exp.to_identifier("made"), columns=columns)
        unnest.replace(exp.Values(expressions=rows, alias=alias))
    return tree


@pytest.mark.parametrize("name", PARSED)
@pytest.mark.parametrize("dialect", OTHERS)
def test_queries_of_other_databases_are_parsed_and_mean_the_same(dialect: str, name: str) -> None:
    """They are run by DuckDB, into whose dialect sqlglot translates what it has read."""
    model, rows = fitted(name), trial_rows(name, 200)
    long = [c.name for c in model.trees_[0].columns if len(c.name) > 60]
    names = {"Age": "years", "%s {0} ${x} #1": "odd"} if name == "odd names" else {}
    names |= dict.fromkeys(long, "long")
    query = export_sql(model, key="id", dialect=dialect, names=names)
    (tree,) = sqlglot.parse(query, read=OTHERS[dialect])
    with open_database("duckdb") as database:
        database.load(rows, model.trees_[0].columns, names)
        found = sorted(database.run(with_values(tree).sql(dialect="duckdb")))
    n_classes = len(model.classes_)
    np.testing.assert_array_equal(
        np.array([row[-n_classes:] for row in found], dtype=float), model.predict_proba(rows)
    )
    assert [row[-n_classes - 1] for row in found] == model.predict(rows).tolist()


# Columns of moments that each of them has a type for.
HELD = {"bigquery": ["visit", "seen", "arrival", "wait"], "snowflake": ["visit", "seen", "arrival"]}
HELD |= {"spark": ["visit", "seen", "wait"], "ansi": ["visit", "seen", "arrival", "wait"]}
# What duckdb has for durations that are written with one sign, or with two.
SPAN = re.compile(r"INTERVAL '(-?)(\d+) -?([\d:.]+)' DAY(\(9\))? TO SECOND(\(6\))?")


@pytest.mark.parametrize("dialect", OTHERS)
def test_moments_of_other_databases_are_parsed_and_mean_the_same(dialect: str) -> None:
    trial_table, labels = trial("moments").table, trial("moments").labels
    model = BsnsingClassifier.plain(max_rules=3, min_samples_leaf=4)
    model.fit(trial_table[HELD[dialect]], labels)
    rows = trial_rows("moments")[HELD[dialect]]
    assert {c.name for c in model_form(model).asked_columns} == set(HELD[dialect])
    written = export_sql(model, key="id", dialect=dialect)
    query = SPAN.sub(r"CAST('\1\2 days \1\3' AS INTERVAL)", written)
    (tree,) = sqlglot.parse(query, read=OTHERS[dialect])
    with open_database("duckdb") as database:
        database.load(rows, model.trees_[0].columns, {})
        translated = with_values(tree).sql(dialect="duckdb")
        found = sorted(database.run(translated))
    np.testing.assert_array_equal(
        np.array([row[-3:] for row in found], dtype=float), model.predict_proba(rows)
    )


def test_kinds_that_a_database_has_no_type_for_are_refused() -> None:
    model = fitted("moments in words")
    with pytest.raises(ValueError, match="'wait' in snowflake, which has no type for durations"):
        export_sql(model, dialect="snowflake")
    with pytest.raises(ValueError, match="'arrival' in spark, which has no type for times of day"):
        export_sql(model, dialect="spark")


def test_days_are_moments_too(database: Database) -> None:
    days = pd.Series([dt.date(2021, 1, 1) + dt.timedelta(i) for i in range(20)], dtype=object)
    model = BsnsingClassifier.plain().fit(pd.DataFrame({"day": days}), np.arange(20) > 7)
    database.run("DROP TABLE IF EXISTS cases")
    database.run("CREATE TABLE cases (id INTEGER, day DATE)")
    for place, day in enumerate(days):
        database.run(f"INSERT INTO cases VALUES ({place}, '{day}')")
    query = export_sql(model, key="id", dialect=database.dialect.name)
    found = database.run(f"{query} ORDER BY id")
    assert [row[2] for row in found] == model.predict(pd.DataFrame({"day": days})).tolist()


PARTS = ("year", "month", "day", "weekday", "hour", "minute")
# One part that is told wrongly is enough for another answer.
ASKED_PARTS = """\
visit year > 2020 xor visit month > 6 ?
  yes: visit day > 15 xor visit weekday > 5 ?
    yes: visit hour > 11 xor visit minute > 29 ?
      yes:
      no:
    no: visit hour > 22 xor visit minute > 58 ?
      yes:
      no:
  no: visit day > 28 xor visit weekday > 6 ?
    yes: visit hour > 0 xor visit minute > 0 ?
      yes:
      no:
    no: visit year > 1969 xor visit month > 11 ?
      yes:
      no:
"""


@cache
def parts_model(zone: str | None) -> tuple[BsnsingClassifier, pd.DataFrame]:
    """A model that asks about all parts of dates, and moments at the ends of these parts."""
    ends = ["2020-12-31 23:59:59.999999", "2021-01-01", "2021-03-28 01:59:59.999999", "2020-02-29"]
    ends += ["2021-03-28 03:00", "2021-10-31 23:30", "1969-12-31 22:59:59.9996", "2021-02-28 23:30"]
    days = pd.date_range("2019-12-25 00:15:30.25", periods=500, freq="31h", unit="us")
    moments = pd.Series([*days, *map(pd.Timestamp, ends)], name="visit", dtype="M8[us]")
    if zone is not None:
        moments = moments.dt.tz_localize("UTC").dt.tz_convert(zone)
    moments[len(moments)] = pd.NaT
    table = date_parts(moments.to_frame(), "visit", PARTS)
    labels = np.random.RandomState(0).randint(0, 2, len(table))
    return BsnsingClassifier.from_text(ASKED_PARTS, table, labels), table


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "Asia/Kolkata"])
def test_queries_work_out_parts_of_dates(database: Database, zone: str | None) -> None:
    model, table = parts_model(zone)
    asked = {column.name for column in model_form(model).asked_columns}
    assert asked == {f"visit {part}" for part in PARTS}
    if database.dialect.name == "sqlite" and zone not in (None, "UTC"):
        with pytest.raises(ValueError, match=rf"cannot tell the .* of the time zone '{zone}'"):
            export_sql(model, date_parts="visit")
        return
    columns = tuple(c for c in model.tree_.columns if c.name == "visit")
    rows = pd.DataFrame(
        {"visit": [None if pd.isna(c) else c for c in table["visit"]]}, dtype=object
    )
    database.load(rows, columns, {})
    options = {"key": "id", "dialect": database.dialect.name, "date_parts": ["visit"]}
    found = database.run(f"{export_sql(model, **options)} ORDER BY {database.dialect.quote('id')}")
    np.testing.assert_array_equal(
        np.array([row[-2:] for row in found], dtype=float), model.predict_proba(table)
    )
    whole = export_sql(model, **options | {"key": None})  # which keeps the date alone
    assert database.run(f"SELECT COUNT(*) FROM ({whole}) AS q") == [(len(table),)]


def test_parts_of_dates_in_other_databases() -> None:
    model, _ = parts_model(None)
    for dialect in ("bigquery", "snowflake", "spark"):
        query = export_sql(model, dialect=dialect, date_parts="visit")
        (tree,) = sqlglot.parse(query, read=dialect)
        assert len(list(tree.find_all(sqlglot.exp.Extract))) == len(PARTS)
    assert "MOD(EXTRACT(DAYOFWEEK FROM" in export_sql(model, dialect="bigquery", date_parts="visit")
    zoned, _ = parts_model("Europe/Berlin")
    there = "CONVERT_TIMEZONE('Europe/Berlin', CAST(c.\"visit\" AS TIMESTAMP_TZ))"
    assert f"EXTRACT(HOUR FROM {there})" in export_sql(
        zoned, dialect="snowflake", date_parts="visit"
    )
    with pytest.raises(ValueError, match=r"spark cannot tell the .* of the time zone"):
        export_sql(zoned, dialect="spark", date_parts="visit")
    with pytest.raises(ValueError, match="ansi cannot tell the weekday of dates, which column"):
        export_sql(model, dialect="ansi", date_parts="visit")
    with pytest.raises(ValueError, match="'visit month', which is no column of dates"):
        export_sql(model, date_parts="visit month")


# What SQLite reads as a moment, and the microseconds of the second that it means.
READ_BY_SQLITE = (
    ("2021-03-01", 0),
    ("2021-03-01 00:00", 0),
    ("2021-03-01T00:00:00", 0),
    ("2021-03-01 00:00:00.000001", 1),
    ("2021-03-01 00:00:00.5", 500_000),
    ("2021-03-01T00:00:00.999999", 999_999),
    ("2021-03-01T00:00:00.999999999", 999_999),
    ("2021-03-01 01:00:00.9999+01:00", 999_900),
    ("2021-02-28T23:00:00.000007-01:00", 7),
    ("2021-03-01T00:00:00Z", 0),
    ("2021-03-01 00:00:00.25Z", 250_000),
    (1614556800, 0),
    (2459274.5, 0),
)


@pytest.mark.parametrize(("cell", "micros"), READ_BY_SQLITE)
def test_all_that_sqlite_reads_as_a_moment(cell: Any, micros: int) -> None:
    second = dt.datetime(2021, 3, 1, tzinfo=dt.timezone.utc)
    written = _sqlite_text("%Y-%m-%d %H:%M:").format("c.x")
    with open_database("sqlite") as database:
        database.run("CREATE TABLE cases (x)")
        database.insert([(cell,)])
        ((found,),) = database.run(f"SELECT {written} FROM cases AS c")
    moment = dt.datetime.fromisoformat(found).replace(tzinfo=dt.timezone.utc)
    assert moment == second + dt.timedelta(microseconds=micros)


@pytest.mark.parametrize("dialect", OTHERS)
def test_every_name_and_text_is_read_back_as_it_is(dialect: str) -> None:
    """No name, level or label ends before its end in the eyes of a parser of the dialect."""
    table, labels = breaking_table()
    model = BsnsingClassifier.plain(min_samples_leaf=2).fit(table, labels)
    query = export_sql(model, table=BREAKING[0], dialect=dialect)
    (tree,) = sqlglot.parse(query, read=OTHERS[dialect])
    texts = {literal.this for literal in tree.find_all(sqlglot.exp.Literal) if literal.is_string}
    assert set(BREAKING) <= texts
    assert set(BREAKING) <= {column.name for column in tree.find_all(sqlglot.exp.Column)}
    assert BREAKING[0] in {table.name for table in tree.find_all(sqlglot.exp.Table)}


def test_sqlite_reads_every_double_as_it_is() -> None:
    """Some doubles of few digits are read as their neighbours by SQLite up to 3.42."""
    random = np.random.RandomState(0)
    numbers = [0.1140907392877182, 0.737930343507955, 0.1365789130909804, 0.1, 1e22, 5e-324, -2.5]
    numbers += [
        float(f"{x:.15g}") for x in random.rand(20000) * 10.0 ** random.randint(-3, 4, 20000)
    ]
    with open_database("sqlite") as database:
        written = [database.dialect.number(number) for number in numbers]
        for place in range(0, len(numbers), 400):
            group = slice(place, place + 400)
            ((*found,),) = database.run(f"SELECT {', '.join(written[group])}")
            assert found == numbers[group]
    # It is seldom needed, and all others stay short.
    plain = {DIALECTS["duckdb"].number(number) for number in numbers}
    changed = [text for text in written if text not in plain]
    assert 3 <= len(changed) < 20


def test_numbers_and_text_as_each_dialect_reads_them() -> None:
    written = {name: (d.number(0.1), d.literal("a'b\\c")) for name, d in DIALECTS.items()}
    assert written == {
        "sqlite": ("0.1e0", "'a''b\\c'"),
        "duckdb": ("0.1e0", "'a''b\\c'"),
        "postgresql": ("0.1e0", "E'a''b\\\\c'"),
        "bigquery": ("0.1e0", "'a\\'b\\\\c'"),
        "snowflake": ("'0.1e0'::DOUBLE", "'a''b\\\\c'"),
        "spark": ("0.1e0D", "'a\\'b\\\\c'"),
        "ansi": ("0.1e0", "'a''b\\c'"),
    }


def test_whole_numbers_are_cut_between_whole_numbers() -> None:
    table = pd.DataFrame({"children": [0.0, 1, 2, 3] * 5})
    model = BsnsingClassifier.plain().fit(table, table["children"] > 1)
    assert '"_c_children" >= 2e0 AS "_r0"' in export_sql(model, key="id")


def test_cases_of_large_models_are_numbered_alike_each_time() -> None:
    written = {name: export_sql(fitted(DEEP), key=["a", "b"], dialect=name) for name in DIALECTS}
    for name in OTHERS:  # which may make a table twice
        order = ", ".join(map(DIALECTS[name].quote, ["a", "b"]))
        assert f"ROW_NUMBER() OVER (ORDER BY {order})" in written[name]
    for name in DATABASES:
        assert "ROW_NUMBER() OVER ()" in written[name]


def test_what_bigquery_needs() -> None:
    written = export_sql(fitted("pairs"), key="id", dialect="bigquery")
    # NaN is not equal to itself there, and a double that overflows stops it.
    assert "IF(IS_NAN(CAST(c.`debt` AS FLOAT64)), NULL, CAST(c.`debt` AS FLOAT64))" in written
    assert "'NaN'" not in written
    assert "LN(ABS(" in written


def test_only_large_models_need_recursive_queries() -> None:
    for name in ("60 leaves", "12 classes", "ensemble", "one tree per class"):
        assert "RECURSIVE" not in export_sql(fitted(name), key="id")
    assert "RECURSIVE" in export_sql(fitted(DEEP), key="id")
    assert "RECURSIVE" not in export_sql(fitted(DEEP), key="id", unknown="stop")


def test_each_rule_and_number_is_written_once() -> None:
    query = export_sql(fitted("60 leaves"), key="id")
    lines = [line.strip().rstrip(",") for line in query.split("\n")]
    rules = [line for line in lines if ' AS "_r' in line]
    assert len(rules) == fitted("60 leaves").get_n_leaves() - 1
    assert len(set(rules)) == len(rules)
    assert sum(line.startswith("WHEN") and " > " in line for line in lines) == 0


def test_columns_that_a_database_cannot_have_are_refused() -> None:
    model = fitted("odd names")
    with pytest.raises(ValueError, match="takes the columns 'Age' and 'age' for one"):
        export_sql(model)
    with pytest.raises(ValueError, match="longer than the 63 bytes"):
        export_sql(model, dialect="postgresql")
    with pytest.raises(ValueError, match="NUL"):
        export_sql(fitted("plain"), key="a\0b")
    with pytest.raises(ValueError, match=r"has '\$\{', which spark takes for a variable"):
        export_sql(fitted("plain"), key="${x}", dialect="spark")
    assert DIALECTS["spark"].literal("a${b}") == "'a\\u0024{b}'"


def test_options_that_make_no_sense_are_refused() -> None:
    model = fitted("plain")
    with pytest.raises(ValueError, match="dialect='oracle' is not known"):
        export_sql(model, dialect="oracle")
    with pytest.raises(ValueError, match="unknown='no' is not known"):
        export_sql(model, unknown="no")
    with pytest.raises(ValueError, match="uses itself"):
        export_sql(model, table="Leaves")
    with pytest.raises(ValueError, match="no column of the model"):
        export_sql(model, names={"nothing": "x"})
    with pytest.raises(ValueError, match="two columns named 'label'"):
        export_sql(model, key=["id", "label"])
    with pytest.raises(ValueError, match="key names no column"):
        export_sql(model, key=[])
    assert 'FROM "main"."leaves" AS c' in export_sql(model, key="id", table=("main", "leaves"))

"""Databases that the tests run SQL in: what loads rows and what runs a query in each of them."""

from __future__ import annotations

import datetime
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.scales import Scale
from bsnsing.export.sql_dialects import DIALECTS, Dialect


class Database:
    """A database with one table, called cases."""

    def __init__(self, dialect: str, connection: Any) -> None:
        self.dialect: Dialect = DIALECTS[dialect]
        self.connection = connection

    def load(self, rows: pd.DataFrame, columns: tuple[ColumnInfo, ...], names: dict) -> None:
        """Make the table of these rows anew, with their positions as id."""
        kinds = {column.name: column for column in columns}
        declared = [f"{self.dialect.quote('id')} INTEGER"]
        cells: list[list[Any]] = [list(range(len(rows)))]
        for name in rows.columns:
            kind = self._type(kinds[name])
            declared.append(f"{self.dialect.quote(names.get(name, name))} {kind}")
            cells.append(self._cells(rows[name], kinds[name]))
        self.run("DROP TABLE IF EXISTS cases")
        self.run(f"CREATE TABLE cases ({', '.join(declared)})")
        self.insert(list(zip(*cells, strict=True)))

    def insert(self, rows: list[tuple[Any, ...]]) -> None:
        """Add rows to the table."""
        marks = ", ".join("?" * len(rows[0]))
        self.connection.executemany(f"INSERT INTO cases VALUES ({marks})", rows)

    def run(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return its rows."""
        return list(self.connection.execute(query).fetchall())

    def _type(self, column: ColumnInfo) -> str:
        if column.scale is not None:
            return self._moment_type(column.scale)
        if column.kind == "numeric":
            return self.dialect.double
        if column.kind == "boolean":
            return "BOOLEAN"
        if any(isinstance(level, str) for level in column.levels):
            return self.dialect.string
        has_fractions = any(isinstance(level, float) for level in column.levels)
        return self.dialect.double if has_fractions else "BIGINT"

    def _moment_type(self, scale: Scale) -> str:
        if scale.kind == "moment":
            return "TIMESTAMP" if scale.zone is None else "TIMESTAMPTZ"
        return "TIME" if scale.kind == "time" else "INTERVAL"

    def _cells(self, cells: pd.Series, column: ColumnInfo) -> list[Any]:
        """Plain cells; where the database knows NaN, every other missing number is one."""
        plain = [
            None if missing else cell for cell, missing in zip(cells, cells.isna(), strict=True)
        ]
        if self._type(column) != self.dialect.double:
            plain = [cell.item() if isinstance(cell, np.generic) else cell for cell in plain]
            if self._type(column) == "BIGINT":  # True and False among them
                plain = [None if cell is None else int(cell) for cell in plain]
            return plain
        other = float("nan") if self.dialect.has_nan else None
        return [
            (other if place % 2 else None) if cell is None else float(cell)
            for place, cell in enumerate(plain)
        ]


class SQLite(Database):
    """SQLite, which has no types for moments: they are text, and durations seconds."""

    def _moment_type(self, scale: Scale) -> str:
        return "REAL" if scale.kind == "duration" else "TEXT"

    def _cells(self, cells: pd.Series, column: ColumnInfo) -> list[Any]:
        if column.scale is None:
            return super()._cells(cells, column)
        write = datetime.timedelta.total_seconds if column.scale.kind == "duration" else str
        return [None if cell is None else write(cell) for cell in cells]


class DuckDB(Database):
    """DuckDB, which inserts row by row too slowly."""

    def insert(self, rows: list[tuple[Any, ...]]) -> None:
        import pyarrow as pa

        types = [row[1] for row in self.run("DESCRIBE cases")]
        known = {"INTEGER": pa.int32(), "BIGINT": pa.int64(), "DOUBLE": pa.float64()}
        known |= {"VARCHAR": pa.string(), "BOOLEAN": pa.bool_(), "TIME": pa.time64("us")}
        known |= {"TIMESTAMP": pa.timestamp("us"), "INTERVAL": pa.duration("us")}
        known |= {"TIMESTAMP WITH TIME ZONE": pa.timestamp("us", "UTC")}
        columns = [
            pa.array(cells, type=known[kind])
            for cells, kind in zip(zip(*rows, strict=True), types, strict=True)
        ]
        given = pa.table(columns, names=[f"c{i}" for i in range(len(columns))])  # noqa: F841
        self.connection.execute("INSERT INTO cases SELECT * FROM given")


class PostgreSQL(Database):
    """A PostgreSQL server."""

    def insert(self, rows: list[tuple[Any, ...]]) -> None:
        with self.connection.cursor().copy("COPY cases FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def run(self, query: str) -> list[tuple[Any, ...]]:
        cursor = self.connection.execute(query.encode())
        return list(cursor.fetchall()) if cursor.description else []


@contextmanager
def open_database(dialect: str) -> Iterator[Database]:
    """Open an empty database; skip the test where it is not installed."""
    if dialect == "sqlite":
        yield SQLite(dialect, sqlite3.connect(":memory:"))
    elif dialect == "duckdb":
        yield DuckDB(dialect, duckdb.connect(":memory:"))
    else:
        # Short, for the path of a socket, and open to the user that the server runs as.
        with tempfile.TemporaryDirectory(prefix="bsnsing-") as name:
            Path(name).chmod(0o755)
            with _server(Path(name)) as connection:
                yield PostgreSQL(dialect, connection)


@contextmanager
def _server(folder: Path) -> Iterator[Any]:
    """Start a server of its own on a socket in the folder, and stop it."""
    psycopg = pytest.importorskip("psycopg")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = programs[-1] if programs else shutil.which("initdb")
    if not found:
        pytest.skip("PostgreSQL is not installed (Debian's postgresql)")
    bin_folder = Path(found).parent
    as_user: list[str] = []
    if os.getuid() == 0:  # the server refuses to run as root
        if (
            not shutil.which("runuser")
            or subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode
        ):
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    data = folder / "data"
    start = [*as_user, str(bin_folder / "initdb"), "-D", str(data), "-A", "trust", "-U", "tester"]
    subprocess.run([*start, "-E", "UTF8", "--locale=C.UTF-8"], check=True, capture_output=True)
    settings = f"-k {folder} -h '' -c fsync=off -c jit=off"
    control = [*as_user, str(bin_folder / "pg_ctl"), "-D", str(data), "-w"]
    log = ["-l", str(folder / "log")]
    subprocess.run([*control, *log, "-o", settings, "start"], check=True, capture_output=True)
    try:
        with psycopg.connect(
            host=str(folder), user="tester", dbname="postgres", autocommit=True
        ) as connection:
            yield connection
    finally:
        subprocess.run([*control, "-m", "fast", "stop"], check=True, capture_output=True)

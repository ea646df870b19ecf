"""A Dask cluster of processes for the tests of a session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from in_parts import kept_apart

from bsnsing.engine.workers import Room


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="needs bsnsing[dask]")
    pytest.importorskip("dask.dataframe", reason="needs bsnsing[dask]")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(processes=True, **options) as made:
        yield made


@pytest.fixture(scope="session")
def client(cluster: Any) -> Iterator[Any]:
    import distributed

    with distributed.Client(cluster) as made:
        yield made


@pytest.fixture
def apart() -> Iterator[None]:
    """Rows stay on their workers, as if they were many; nodes of few are gathered."""
    room = Room(n_calls=2)  # also while a worker is gone
    with kept_apart(few_rows=100), patch("bsnsing.engine.dask.Cluster.room", lambda self: room):
        yield

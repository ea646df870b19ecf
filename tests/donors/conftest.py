"""What the tests of donors share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Small tables gain nothing by threads, and several runtimes of them wait for each other."""
    with threadpool_limits(1, user_api="openmp"):
        yield

"""Tables to learn from, and what others have measured on them."""

from __future__ import annotations

from functools import lru_cache

from benchmarks.datasets import keel, more_tables, published, r_tables
from benchmarks.datasets.dataset import Dataset

_ELSEWHERE = {module.SUITE: module.load for module in (keel, more_tables, r_tables)}


@lru_cache(maxsize=128)
def load(suite: str, name: str) -> Dataset:
    """One set, of whatever suite."""
    return _ELSEWHERE[suite](name) if suite in _ELSEWHERE else published.load(suite, name)

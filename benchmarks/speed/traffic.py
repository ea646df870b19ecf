"""What a fit on a Dask cluster sends: tasks and bytes, phase by phase."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from bsnsing.engine.dask import Cluster


@dataclass
class Call:
    """One request of the client."""

    name: str
    begun: float
    n_tasks: int
    n_sent: int
    n_fetched: int = 0


@dataclass
class Notes:
    """Requests in order, and what workers fetched from each other: when, and how many bytes."""

    calls: list[Call] = field(default_factory=list)
    between: list[tuple[float, int]] = field(default_factory=list)


@contextmanager
def noted(client: Any) -> Iterator[Notes]:
    """Note the requests and transfers of fits."""
    notes, begin = Notes(), time.time()
    submit, fetch = Cluster._with_messages, Cluster.fetch
    n_mapped = Cluster._map

    def with_messages(self: Cluster, function: Any, messages: dict[str, Any]) -> Any:
        n_sent = len(pickle.dumps(messages, protocol=5)) if messages else 0
        notes.calls.append(Call(function.__name__, time.time(), 1, n_sent))
        return submit(self, function, messages)

    def mapped(self: Cluster, named: Any, task: Any, *arguments: Any) -> Any:
        if notes.calls:
            notes.calls[-1].n_tasks += len(arguments[0])
        return n_mapped(self, named, task, *arguments)

    def fetched(self: Cluster, handle: Any) -> Any:
        result = fetch(self, handle)
        if notes.calls:
            notes.calls[-1].n_fetched += len(pickle.dumps(result, protocol=5))
        return result

    with (
        patch.object(Cluster, "_with_messages", with_messages),
        patch.object(Cluster, "_map", mapped),
        patch.object(Cluster, "fetch", fetched),
    ):
        yield notes
    for log in client.run(_incoming).values():
        notes.between += [(start, n_bytes) for start, n_bytes in log if start >= begin]


def _incoming(dask_worker: Any) -> list[tuple[float, int]]:
    """What a worker fetched from others; it remembers some ten thousand transfers."""
    return [(own["start"], own["total"]) for own in dask_worker.transfer_incoming_log]


def phases(notes: Notes) -> list[dict[str, Any]]:
    """Sums for the bins, each level that all workers count, and the rest."""
    found: list[dict[str, Any]] = []
    begins = list[float]()
    level, is_split = 0, True

    def begin(name: str, when: float) -> None:
        found.append({"name": name, "tasks": 0, "sent": 0, "between": 0, "fetched": 0})
        begins.append(when)

    begin("bins", 0.0)
    for call in notes.calls:
        if call.name == "histograms" and is_split:
            begin(f"level {level}", call.begun)
            level, is_split = level + 1, False
        elif call.name in ("take_nodes", "take_all") and found[-1]["name"] != "rest":
            begin("rest", call.begun)
        is_split = is_split or call.name == "split"
        own = found[-1]
        own["tasks"] += call.n_tasks
        own["sent"] += call.n_sent
        own["fetched"] += call.n_fetched
    for when, n_bytes in notes.between:
        place = sum(begun <= when for begun in begins) - 1
        found[max(0, place)]["between"] += n_bytes
    return found

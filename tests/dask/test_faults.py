"""What goes wrong on a cluster changes nothing in the tree, or ends in a clear error."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from in_parts import SlowToSend, becomes_free, search_for_long
from numpy.typing import NDArray
from same_trees import assert_same

from bsnsing import BsnsingClassifier
from bsnsing.distill.config import DistillConfig
from bsnsing.engine.dask import Cluster

distributed = pytest.importorskip("distributed", reason="needs bsnsing[dask]")
da = pytest.importorskip("dask.array", reason="needs bsnsing[dask]")

from bsnsing.dask import ClusterLost, DaskBsnsingClassifier  # noqa: E402

pytestmark = pytest.mark.usefixtures("apart")


def table(n: int = 3000) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4)).round(3)
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.5)) | (rng.random(n) < 0.1)
    return X, y.astype(int)


def in_parts(X: NDArray[Any], y: NDArray[Any], n_parts: int = 4) -> tuple[Any, Any]:
    n_rows = -(-len(y) // n_parts)
    return da.from_array(X, chunks=(n_rows, -1)), da.from_array(y, chunks=n_rows)


def at_stage(
    patch: pytest.MonkeyPatch, wanted: str, fault: Callable[[Cluster, list[Any]], None]
) -> list[str]:
    """Let something go wrong when stages are asked for the first time; return the stages."""
    each, call, stages = Cluster.each, Cluster.call, list[str]()

    def note(cluster: Cluster, name: str, handles: list[Any]) -> None:
        is_first = name not in stages
        stages.append(name)
        if is_first and name in wanted.split():
            fault(cluster, handles)

    def faulty_each(self: Cluster, function: Any, *parts: Any, **messages: Any) -> Any:
        handles = each(self, function, *parts, **messages)
        note(self, function.__name__, handles)
        return handles

    def faulty_call(self: Cluster, function: Any, *arguments: Any, **messages: Any) -> Any:
        handle = call(self, function, *arguments, **messages)
        note(self, function.__name__, [handle])
        return handle

    patch.setattr(Cluster, "each", faulty_each)
    patch.setattr(Cluster, "call", faulty_call)
    return stages


def kill_a_worker(cluster: Cluster, handles: list[Any]) -> None:
    """Kill the process that has the first of some results, without a word."""
    client = cluster._client
    client.wait_for_workers(2)
    distributed.wait(handles)
    (holder, *_) = client.who_has(handles[:1])[handles[0].key]
    pids = client.run(os.getpid)
    os.kill(pids[holder], signal.SIGKILL)


@pytest.fixture(scope="module")
def expected() -> BsnsingClassifier:
    return BsnsingClassifier.plain(max_depth=3).fit(*table())


@pytest.mark.parametrize("killed_at", ["facts_of pair_counts", "deal_numbers split", "encode_part"])
def test_a_worker_killed_in_any_stage_changes_nothing(
    client: Any, monkeypatch: pytest.MonkeyPatch, expected: BsnsingClassifier, killed_at: str
) -> None:
    before = client.run(os.getpid)
    stages = at_stage(monkeypatch, killed_at, kill_a_worker)
    found = DaskBsnsingClassifier.plain(client=client, max_depth=3).fit(*in_parts(*table()))
    assert set(killed_at.split()) <= set(stages)
    assert_same(found.tree_, expected.tree_)
    client.wait_for_workers(2)
    assert client.run(os.getpid) != before


class FewTaught(DaskBsnsingClassifier):
    """Teaches a sample of tables that others teach whole."""

    _distill_config = replace(DistillConfig(), most_taught=300, n_trees=6)


class FewTaughtHere(BsnsingClassifier):
    """The same on one machine."""

    _distill_config = FewTaught._distill_config


@pytest.mark.parametrize("killed_at", ["row_keys tell", "learn grow_nodes"])
def test_a_worker_killed_while_a_teacher_teaches_changes_nothing(
    client: Any, monkeypatch: pytest.MonkeyPatch, killed_at: str
) -> None:
    X, y = table(900)
    stages = at_stage(monkeypatch, killed_at, kill_a_worker)
    found = FewTaught(client=client).fit(*in_parts(X, y))
    assert set(killed_at.split()) <= set(stages)
    assert_same(found.tree_, FewTaughtHere().fit(X, y).tree_)
    client.wait_for_workers(2)


def test_a_slow_worker_changes_nothing(client: Any, expected: BsnsingClassifier) -> None:
    client.wait_for_workers(2)
    slow = next(iter(client.run(os.getpid)))
    sleeper = client.submit(time.sleep, 2, workers=[slow], pure=False)
    found = DaskBsnsingClassifier.plain(client=client, max_depth=3).fit(*in_parts(*table()))
    assert_same(found.tree_, expected.tree_)
    sleeper.cancel()


def test_a_worker_added_changes_nothing(
    client: Any, cluster: Any, monkeypatch: pytest.MonkeyPatch, expected: BsnsingClassifier
) -> None:
    def add_a_worker(own: Cluster, handles: list[Any]) -> None:
        cluster.scale(3)
        client.wait_for_workers(3)

    at_stage(monkeypatch, "histograms", add_a_worker)
    found = DaskBsnsingClassifier.plain(client=client, max_depth=3).fit(*in_parts(*table()))
    assert_same(found.tree_, expected.tree_)
    cluster.scale(2)


def test_a_part_that_raises_is_an_error_and_leaves_the_model(client: Any) -> None:
    import dask

    X, y = table(300)
    model = DaskBsnsingClassifier.plain(client=client).fit(*in_parts(X, y))
    tree = model.tree_

    @dask.delayed
    def broken(error: type[Exception]) -> Any:
        raise error("the file is damaged")

    for error in (RuntimeError, TimeoutError):
        with pytest.raises(error, match="the file is damaged"):
            model.fit([dask.delayed(X), broken(error)], [dask.delayed(y), dask.delayed(y)])
    assert model.tree_ is tree
    assert becomes_free(client)


def test_ctrl_c_frees_the_cluster(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(cluster: Cluster, handles: list[Any]) -> None:
        raise KeyboardInterrupt

    at_stage(monkeypatch, "pair_counts", interrupt)
    model = DaskBsnsingClassifier.plain(client=client)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*in_parts(*table()))
    assert not hasattr(model, "tree_")
    assert becomes_free(client)


def test_long_work_stops_once_nobody_waits_for_it(client: Any) -> None:
    def n_running(dask_worker: Any) -> int:
        return int(dask_worker.state.executing_count)

    def becomes(n: int) -> bool:
        for _ in range(600):
            if sum(client.run(n_running).values()) == n:
                return True
            time.sleep(0.05)
        return False

    cluster = Cluster(client)
    handle = cluster.call(search_for_long, 600.0)
    assert becomes(1)
    cluster.free()
    assert becomes(0)
    assert handle.status == "cancelled"


def test_workers_hold_codes_and_no_rows_while_a_tree_grows(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {"read_part", "bsnsing-read-part", "bsnsing-cases-of", "bsnsing-deal-numbers"}
    held = set[str]()

    def look(cluster: Cluster, handles: list[Any]) -> None:
        distributed.wait(handles)
        for _ in range(600):  # to free something takes messages
            keys = [key for own in client.has_what().values() for key in own]
            held.clear()
            held.update(distributed.utils.key_split(key) for key in keys)
            if not held & rows:
                break
            time.sleep(0.05)

    at_stage(monkeypatch, "split", look)
    X, y = in_parts(*table())
    DaskBsnsingClassifier.plain(client=client, max_depth=2).fit(X, y)
    assert {"bsnsing-encode-part", "bsnsing-split"} <= held
    assert not held & rows


def test_what_does_not_fit_in_memory_is_spilled(expected: BsnsingClassifier) -> None:
    import dask

    settings = {"distributed.worker.memory.target": 1e-6, "distributed.worker.memory.spill": False}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, memory_limit="2GB", dashboard_address=":0"
        ) as small,
        distributed.Client(small) as own,
        pytest.MonkeyPatch.context() as patch,
    ):
        on_disk = []

        def n_spilled(dask_worker: Any) -> int:
            return len(dask_worker.data.disk)

        def look(cluster: Cluster, handles: list[Any]) -> None:
            distributed.wait(handles)
            on_disk.extend(own.run(n_spilled).values())

        at_stage(patch, "encode_part", look)
        found = DaskBsnsingClassifier.plain(client=own, max_depth=3).fit(*in_parts(*table()))
        assert on_disk[0] > 0
    assert_same(found.tree_, expected.tree_)


@pytest.fixture
def scheduler() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A scheduler and a worker, each a process of its own."""
    code = "from distributed.cli.dask_scheduler import main; main()"
    arguments = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    address = ""
    while "Scheduler at:" not in address:
        address = process.stderr.readline()
    address = address.split()[-1]
    code = "from distributed.cli.dask_worker import main; main()"
    arguments = [address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    worker = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stderr=subprocess.DEVNULL, text=True
    )
    yield process, address
    for own in (process, worker):
        own.kill()
        own.wait()
    process.stderr.close()


def test_a_lost_scheduler_is_a_clear_error(scheduler: Any) -> None:
    process, address = scheduler
    with (
        distributed.Client(address) as own,
        pytest.MonkeyPatch.context() as patch,
    ):
        own.wait_for_workers(1)
        at_stage(patch, "encode_part", lambda cluster, handles: process.kill())
        with pytest.raises(ClusterLost, match="scheduler of the Dask cluster cannot be reached"):
            DaskBsnsingClassifier.plain(client=own).fit(*in_parts(*table()))


def test_a_lost_scheduler_answers_no_question(scheduler: Any) -> None:
    process, address = scheduler
    with distributed.Client(address) as own:
        own.wait_for_workers(1)
        cluster = Cluster(own)
        handles = cluster.each(np.sum, [[1], [2]])
        assert [cluster.fetch(handle) for handle in handles] == [1, 2]
        process.kill()
        begin = time.monotonic()
        while own.status == "running" and time.monotonic() - begin < 10:
            time.sleep(0.05)
        for ask in (cluster._workers, lambda: cluster._settle(handles)):
            with pytest.raises(ClusterLost, match="cannot be reached any more"):
                ask()
        assert time.monotonic() - begin < 28  # the client itself would wait for half a minute


def test_a_result_may_take_longer_to_arrive_than_between_two_looks(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bsnsing.engine.dask._LOOK", 0.05)
    cluster = Cluster(client)
    assert isinstance(cluster.fetch(cluster.call(SlowToSend)), SlowToSend)


def test_a_cluster_without_workers_is_waited_for_with_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bsnsing.engine.dask._PATIENCE", 1.0)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as none,
        distributed.Client(none) as own,
    ):
        cluster = Cluster(own)
        handle = cluster.call(abs, -1)
        scaling = threading.Timer(1.5, none.scale, [1])
        scaling.start()
        with pytest.warns(UserWarning, match="has no workers, and the fit waits for some"):
            assert cluster.fetch(handle) == 1
        scaling.join()


def test_messages_may_hold_what_was_defined_in_a_notebook(client: Any) -> None:
    class Own:
        """Known to nobody else."""

        name = "x" * 50_000  # too long to travel with each task

    cluster = Cluster(client)
    assert cluster.fetch(cluster.call(_name_of, thing=Own())) == Own.name


def _name_of(*, thing: Any) -> str:
    return str(thing.name)

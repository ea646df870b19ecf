"""Cluster: parts on the workers of a Dask cluster. It moves data and calls, no more.

Every call is a pure task: what a lost worker held is computed again by Dask from what is left.
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from concurrent.futures import Future as Answer
from functools import partial
from itertools import groupby
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from bsnsing import _core
from bsnsing.engine.workers import Handles, Room

if TYPE_CHECKING:
    from distributed import Client, Future

Result = TypeVar("Result")

# Results that one task merges: of one worker, which need not travel, and of several.
_FAN_IN_HERE, _FAN_IN = 32, 8
# Messages of more bytes travel to a worker once, not with each task.
_LARGE_MESSAGE = 20_000
# Of a worker's memory, what the rows of one call take at best, and at most.
_SHARE, _MOST = 0.125, 0.5
# Seconds between two looks at whether the scheduler is still there, and those that it may take to
# come back.
_LOOK, _PATIENCE = 1.0, 5.0


class ClusterLost(ConnectionError):
    """The scheduler of a cluster cannot be reached any more."""


class Cluster:
    """Calls functions on parts that are futures of a client.

    Parameters
    ----------
    client : distributed.Client
        The way to the cluster.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._futures: WeakSet[Future] = WeakSet()
        self._near: list[str] = []  # of each part, a worker that had it

    def room(self) -> Room:
        """Return how many threads there are, and what each may take of its worker's memory."""
        workers = self._workers().values()
        limits = [own["memory_limit"] / own["nthreads"] for own in workers if own["memory_limit"]]
        least = min(limits, default=float("inf"))
        n_calls = max(1, sum(own["nthreads"] for own in workers))
        share = _SHARE if n_calls > 1 else _MOST  # of which a single call has all
        return Room(n_calls, share * least, most_bytes=_MOST * least)

    def each(self, function: Callable[..., Any], *parts: Handles, **messages: Any) -> Handles:
        """Call the function for each part; results stay on the workers."""
        task, further = self._with_messages(function, messages)
        shared = [[own] * len(parts[0]) for own in further]
        return self._map(function, task, *parts, *shared)

    def reduced(
        self,
        function: Callable[..., Result],
        merge: Callable[[Sequence[Result]], Result],
        *parts: Handles,
        **messages: Any,
    ) -> Future:
        """Call the function for each part, and merge the results in a tree of tasks."""
        futures = self.each(function, *parts, **messages)
        groups = list(self._neighbours(futures))
        while len(futures) > 1:
            futures = self._map(merge, merge, groups)
            groups = [futures[i : i + _FAN_IN] for i in range(0, len(futures), _FAN_IN)]
        return futures[0]

    def merged(
        self,
        function: Callable[..., Result],
        merge: Callable[[Sequence[Result]], Result],
        *parts: Handles,
        **messages: Any,
    ) -> Result:
        """Call the function for each part, merge the results and fetch them."""
        result: Result = self.fetch(self.reduced(function, merge, *parts, **messages))
        if len(self._near) != len(parts[0]):
            self._settle(parts[0])
        return result

    def call(self, function: Callable[..., Any], *arguments: Any, **messages: Any) -> Future:
        """Call a function once, on some worker; it stops if nobody waits for it any more."""
        task, further = self._with_messages(function, messages)
        return self._submit(function, partial(_while_wanted, task), *arguments, *further)

    def adopt(self, futures: Handles) -> Handles:
        """Watch over futures that were made elsewhere; they are freed with the others."""
        self._futures.update(futures)
        return futures

    def _settle(self, parts: Handles) -> None:
        """Note which worker has each part, so that results of neighbours are merged first."""
        holders = self._ask(partial(self._client.who_has, parts))
        self._near = [next(iter(holders.get(part.key, ())), "") for part in parts]

    def fetch(self, handle: Future) -> Any:
        """Wait for a result; an error if the scheduler is gone."""
        return self._ask(handle.result, handle)

    def _ask(self, question: Callable[[], Result], task: Future | None = None) -> Result:
        """Ask the scheduler something, or wait for a task; an error, in seconds, if it is gone.

        The question waits in a thread of its own. A timeout of the client's would cancel what is
        under way: a result that takes longer to arrive would be sent for again and again.
        """
        answer = Answer[Result]()

        def ask() -> None:
            try:
                answer.set_result(question())
            except BaseException as error:
                answer.set_exception(error)

        Thread(target=ask, name="bsnsing-ask", daemon=True).start()
        waited = silent = 0.0
        while not wait([answer], timeout=_LOOK).done:
            waited, silent = waited + _LOOK, 0.0 if self._is_connected() else silent + _LOOK
            if silent >= _PATIENCE:
                raise ClusterLost(_LOST)
            if task is not None and waited % _PATIENCE == 0 and not self._workers():
                warnings.warn(_IDLE, stacklevel=2)
        try:
            return answer.result()
        except (CancelledError, OSError) as error:
            is_tasks_own = task is not None and task.status == "error"
            is_taken_back = isinstance(error, CancelledError) and self._is_connected()
            if is_tasks_own or is_taken_back:
                raise
            raise ClusterLost(_LOST) from error

    def _workers(self) -> dict[str, Any]:
        """What the scheduler knows of each worker."""
        try:
            known = self._ask(partial(self._client.scheduler_info, n_workers=-1))
        except TypeError:  # of Dask before 2025.4, which tells of all workers
            known = self._ask(self._client.scheduler_info)
        if "workers" not in known or not self._is_connected():  # what the client remembers
            raise ClusterLost(_LOST)
        workers: dict[str, Any] = known["workers"]
        return workers

    def free(self) -> None:
        """Take back all that was asked for: what waits is not begun any more.

        Not by ``Client.cancel``, at which a scheduler may stumble over tasks that others need.
        """
        for future in list(self._futures):
            future.release()
        self._futures.clear()

    def _with_messages(
        self, function: Callable[..., Any], messages: dict[str, Any]
    ) -> tuple[Callable[..., Any], list[Future]]:
        """What to call, and on what beside the parts: large messages are a task of their own."""
        from distributed.protocol.pickle import dumps  # also of what was defined in a notebook

        if not messages:
            return function, []
        packed = dumps(messages)
        if len(packed) <= _LARGE_MESSAGE:
            return partial(function, **messages), []
        return partial(_told, function), [self._submit(message, message, packed)]

    def _submit(self, named: Callable[..., Any], task: Any, *arguments: Any) -> Future:
        self._check()
        future = self._client.submit(task, *arguments, key=new_key(named), pure=False)
        self._futures.add(future)
        return future

    def _map(self, named: Callable[..., Any], task: Any, *arguments: Handles) -> Handles:
        self._check()
        key = new_key(named)
        keys = [f"{key}-{i}" for i in range(len(arguments[0]))]
        return self.adopt(self._client.map(task, *arguments, key=keys, pure=False))

    def _neighbours(self, futures: Handles) -> Iterator[Handles]:
        """Groups of results to be merged first: those of one worker, if that is known."""
        near = self._near if len(self._near) == len(futures) else [""] * len(futures)
        order = sorted(range(len(futures)), key=near.__getitem__)
        for holder, group in groupby(order, key=near.__getitem__):
            own, size = list(group), _FAN_IN_HERE if holder else _FAN_IN
            for i in range(0, len(own), size):
                yield [futures[place] for place in own[i : i + size]]

    def _check(self) -> None:
        if self._client.status == "closed":
            raise ClusterLost(_LOST)

    def _is_connected(self) -> bool:
        return bool(self._client.status == "running")


def message(packed: bytes) -> dict[str, Any]:
    """What is told to many tasks."""
    from distributed.protocol.pickle import loads

    told: dict[str, Any] = loads(packed)
    return told


def _told(function: Callable[..., Any], *arguments: Any) -> Any:
    *own, messages = arguments
    return function(*own, **messages)


class Unwanted(RuntimeError):
    """Work was given up, as nobody waits for it any more."""


def _while_wanted(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function in a task, and stop its native code once the task is cancelled."""
    from distributed import get_worker

    worker, sign, done = get_worker(), _core.StopSign(), Event()
    key = worker.get_current_task()

    def watch() -> None:
        while not done.wait(_LOOK / 4):
            task = worker.state.tasks.get(key)
            if task is None or task.state not in ("executing", "long-running"):
                sign.stop()
                return

    Thread(target=watch, name="bsnsing-watch", daemon=True).start()
    try:
        with sign:
            return function(*arguments)
    except KeyboardInterrupt:  # which would end the worker
        raise Unwanted("The fit was stopped.") from None
    finally:
        done.set()


def new_key(function: Callable[..., Any]) -> str:
    """A key that speaks on the dashboard, and that no other call has."""
    own = function.func if isinstance(function, partial) else function
    return f"bsnsing-{own.__name__.replace('_', '-').strip('-')}-{uuid.uuid4().hex}"


_IDLE = (
    "The Dask cluster has no workers, and the fit waits for some. Start workers, or press Ctrl-C."
)
_LOST = (
    "The scheduler of the Dask cluster cannot be reached any more. "
    "Start a cluster, make a client of it and fit again."
)

"""NodeDonors: learners of other packages, fitted to the cases of each node that is searched."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine, EngineOptions
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.origins import Origins
from bsnsing.questions.donors.learners import DonorError
from bsnsing.questions.elsewhere import encode_questions
from bsnsing.questions.question import Question
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found
from bsnsing.solvers.base import Solver


class NodeDonors:
    """Gives the nodes of an engine what learners lend that were fitted to their cases."""

    def __init__(
        self,
        options: GrowOptions,
        engine_options: EngineOptions,
        cases: Cases,
        n_classes: int,
        origins: Origins,
    ) -> None:
        self._learners = [
            (learner, learner.design(cases.table, n_classes, options.max_levels))
            for learner in options.learners
        ]
        self._seed = options.donor_seed
        self._engine_options = engine_options
        self._cases = cases
        self._origins = origins
        self._done: set[int] = set()
        self._failed: set[str] = set()

    def give(self, engine: Engine, nodes: Sequence[int]) -> None:
        """Fit the learners to the cases of each node, unless that was done before."""
        new = [node for node in nodes if node not in self._done]
        for node, rows in zip(new, engine.rows_of(new) if new else (), strict=True):
            self._done.add(node)
            lent = encode_questions(self._lent(rows), self._cases.table.info)
            allowed = [self._engine_options.may_ask(question) for question in lent.coded]
            engine.give(node, [q for q, is_one in zip(lent.coded, allowed, strict=True) if is_one])
            names = [name for name, is_one in zip(lent.origins, allowed, strict=True) if is_one]
            self._origins.add(node, names)

    def _lent(self, rows: NDArray[np.int64]) -> list[Question]:
        here = self._cases.take(rows)
        if len(np.unique(here.labels)) < 2:
            return []
        counts = here.weights.counts
        weights = None if counts is None else counts / here.weights.unit
        lent = list[Question]()
        for learner, design in self._learners:
            try:
                lender = learner.lend(design, rows, here.labels, weights, self._seed)
            except DonorError as error:
                if len(rows) == self._cases.table.n_rows:
                    raise
                if learner.name not in self._failed:
                    self._failed.add(learner.name)
                    warnings.warn(f"{error} It lends nothing there.", stacklevel=2)
                continue
            lent += lender.on(here.table)
        # Pairs of columns are known to engines from the start only.
        return [question for question in dict.fromkeys(lent) if isinstance(question.column, str)]


@dataclass(frozen=True, slots=True)
class DonorSolver:
    """A solver whose nodes get what donors lend before it chooses."""

    solver: Solver
    donors: NodeDonors
    deadline: Deadline

    def choose(
        self,
        engine: Engine,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found | None]:
        """Return the rule for each node."""
        if time_limit > 0:
            with self.deadline.paused():  # the limit is for searches
                self.donors.give(engine, nodes)
        return self.solver.choose(engine, nodes, time_limit, limits)

"""Learner: a model that is not fitted yet, and lends what it learns from the training table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bsnsing.data.table import Table
from bsnsing.questions.donors.base import Donor
from bsnsing.questions.donors.designs import Design, make_design
from bsnsing.questions.donors.place import Lender


class Learner(NamedTuple):
    """A model that is not fitted, and its adapter."""

    donor: Donor
    model: Any

    @property
    def name(self) -> str:
        """What its questions give as their origin."""
        return self.donor.name(self.model)

    def design(self, table: Table, n_classes: int, max_levels: int) -> Design:
        """Return a table as the learner takes it."""
        donor = self.donor
        return make_design(
            table,
            donor.form_for(self.model),
            max_levels=max_levels,
            most_levels=donor.most_levels(n_classes),
            fills=not donor.takes_missing(self.model),
        )

    def lend(
        self,
        design: Design,
        rows: NDArray[np.intp] | None,
        labels: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        seed: int,
    ) -> Lender:
        """Fit a copy to some rows, or all, and return its cuts.

        ``labels`` and ``weights`` are of these rows. A copy without a ``random_state`` gets the
        seed, so that the same rows give the same cuts.
        """
        copy = clone(self.model, safe=False)
        _give_seed(copy, seed)
        # Some ask for labels 0, 1, ... of which each occurs.
        present = np.unique(labels, return_inverse=True)[1]
        try:
            fitted = self.donor.fit(copy, design.take(rows), present, weights)
        except ImportError:
            raise
        except Exception as error:
            raise DonorError(
                f"The {self.name} in extra_questions could not be fitted to {len(labels)} rows: "
                f"{error}"
            ) from error
        cuts = [own for cut in self.donor.cuts(fitted) for own in design.back(cut)]
        return Lender(self.name, cuts)


class DonorError(ValueError):
    """A learner of another package failed; the message has its own."""


def _give_seed(learner: Any, seed: int) -> None:
    """Give learners, and those inside them, a seed where they have none."""
    if not hasattr(learner, "get_params") or not hasattr(learner, "set_params"):
        return
    unset = {
        name: seed
        for name, value in learner.get_params(deep=True).items()
        if value is None and name.rsplit("__", 1)[-1] == "random_state"
    }
    if unset:
        learner.set_params(**unset)

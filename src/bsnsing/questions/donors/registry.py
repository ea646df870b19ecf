"""The registry of donors: which adapter reads which model, tried in this order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from sklearn.exceptions import NotFittedError

from bsnsing.questions.donors.base import Donor
from bsnsing.questions.donors.cuts import Cut
from bsnsing.questions.donors.place import Lender


def find_donor(model: Any) -> Donor | None:
    """Return the adapter of a model, fitted or not; None if there is none."""
    return next((donor for donor in donors() if donor.takes(model)), None)


def donor_of(model: Any) -> Donor:
    """Return the adapter of a model, or raise."""
    donor = find_donor(model)
    if donor is None:
        raise TypeError(
            f"A {type(model).__name__} lends no cuts: bsnsing knows trees and ensembles of "
            "scikit-learn, LightGBM, XGBoost, CatBoost, imodels, pystreed and its own, pipelines "
            "that end in one, and rpart, ctree, C50 and tree of R."
        )
    return donor


def cuts_of(model: Any) -> Iterator[Cut]:
    """Return the cuts of a fitted model, about positions among its columns, or about names."""
    donor = donor_of(model)
    if not donor.is_fitted(model):
        raise NotFittedError(
            f"The {donor.name(model)} is not fitted, so that there is nothing to take from it. "
            "Fit it first, or give it to extra_questions as it is: it is then fitted to the "
            "training table."
        )
    return donor.cuts(model)


def lender_of(model: Any) -> Lender:
    """Return what a fitted model lends, about columns by name: x0, x1, ... where it knows none."""
    donor = donor_of(model)
    cuts = list(cuts_of(model))
    names = donor.columns(model) or []
    named = [
        replace(cut, column=names[cut.column] if names else f"x{cut.column}")
        if isinstance(cut.column, int)
        else cut
        for cut in cuts
    ]
    return Lender(donor.name(model), named, donor.respells_for(model))


@cache
def donors() -> tuple[Donor, ...]:
    """Return all adapters; they are imported when the first model is given."""
    from bsnsing.questions.donors.catboost import CatBoostDonor
    from bsnsing.questions.donors.imodels import ImodelsDonor
    from bsnsing.questions.donors.lightgbm import LightGBMDonor
    from bsnsing.questions.donors.ours import OwnDonor
    from bsnsing.questions.donors.pipelines import PipelineDonor
    from bsnsing.questions.donors.pystreed import PystreedDonor
    from bsnsing.questions.donors.r_c50 import C50Donor
    from bsnsing.questions.donors.r_ctree import CtreeDonor
    from bsnsing.questions.donors.r_rpart import RpartDonor
    from bsnsing.questions.donors.r_tree import RTreeDonor
    from bsnsing.questions.donors.sklearn_hist import HistDonor
    from bsnsing.questions.donors.sklearn_trees import EnsembleDonor, TreeDonor
    from bsnsing.questions.donors.wrappers import WrapperDonor
    from bsnsing.questions.donors.xgboost import XGBoostDonor

    # Own kinds of models first: some look like scikit-learn's from outside.
    return (
        OwnDonor(),
        RpartDonor(),
        CtreeDonor(),
        C50Donor(),
        RTreeDonor(),
        LightGBMDonor(),
        XGBoostDonor(),
        CatBoostDonor(),
        ImodelsDonor(cuts_of),
        PystreedDonor(),
        PipelineDonor(cuts_of, donor_of),
        WrapperDonor(donor_of),
        HistDonor(),
        TreeDonor(),
        EnsembleDonor(cuts_of),
    )

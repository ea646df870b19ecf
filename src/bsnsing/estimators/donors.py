"""extra_questions: what users give, with files of saved models read and learners fitted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from bsnsing.data.cases import Cases
from bsnsing.grow.progress import is_wanted, report
from bsnsing.questions.elsewhere import NO_EXTRA, Extra
from bsnsing.questions.grammar import ParseError, parse_questions
from bsnsing.questions.question import Question

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier
    from bsnsing.questions.donors.learners import Learner


def questions_of(model: Any) -> list[Question]:
    """Return the questions that a fitted model asks, each once.

    Parameters
    ----------
    model : fitted model, Tree, path, Question or str, or a collection of these
        A question, perhaps in words: see :func:`bsnsing.parse_question`. A tree or an ensemble of
        trees, of this package (or the file of a saved model), scikit-learn, LightGBM, XGBoost,
        CatBoost, imodels, pystreed or, through rpy2, R; or a pipeline of scikit-learn that ends in
        one. Splits are taken in both directions. Columns without names are called x0, x1, ...

    Returns
    -------
    list of Question
        For ``extra_questions``, for instance. Each has its ``origin``.

    Raises
    ------
    NotFittedError
        If a model is not fitted.
    TypeError
        If something else is given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> stump = DecisionTreeClassifier(max_depth=1).fit(X[["petal length (cm)"]], y)
    >>> question = questions_of(stump)[0]
    >>> question.text(), question.origin
    ('petal length (cm) > 2.45', 'DecisionTreeClassifier')
    """
    extra = read_extra_questions(model)
    if extra.learners:
        name = extra.learners[0].name
        raise NotFittedError(
            f"The {name} is not fitted, so that it asks nothing yet. Fit it first, or give it to "
            "extra_questions as it is: fit then fits it to the training table."
        )
    return extra.questions()


def read_extra_questions(extra: Any) -> Extra:
    """Read the parameter, and the files that it names."""
    if extra is None:
        return NO_EXTRA
    # On request: few trees have extra questions, and few imports should wait for their donors.
    from bsnsing.questions.donors.extra import read_extra

    return read_extra(_with_files(extra))


def _with_files(extra: Any) -> Any:
    """Put what saved models lend in the place of their paths."""
    if isinstance(extra, list | tuple | set | frozenset):
        return [_with_files(item) for item in extra]
    if isinstance(extra, os.PathLike) or (isinstance(extra, str) and _is_path(extra)):
        from bsnsing.estimators.store import load
        from bsnsing.questions.donors.place import Lender
        from bsnsing.questions.donors.registry import lender_of

        path = os.fspath(extra)
        lender = lender_of(load(path))
        return Lender(os.path.basename(str(path)), lender.cuts)
    return extra


def _is_path(text: str) -> bool:
    """Whether a text names a file of JSON, and is no question."""
    if not text.endswith(".json"):
        return False
    try:
        parse_questions(text)
    except ParseError:
        return True
    return False


class Lent(NamedTuple):
    """What learners lend that were fitted once, and those that are fitted at each node."""

    questions: tuple[Question, ...] = ()
    learners: tuple[Learner, ...] = ()
    seed: int = 0


NOTHING_LENT = Lent()


def ask_learners(model: BsnsingClassifier, extra: Extra, cases: Cases, n_classes: int) -> Lent:
    """Fit the learners of ``extra_questions`` to all cases, unless nodes are to do so."""
    if not extra.learners or len(np.unique(cases.labels)) < 2:
        return NOTHING_LENT
    seed = int(check_random_state(model.random_state).randint(np.iinfo(np.int32).max))
    if model.donors_per_node:
        return Lent((), extra.learners, seed)
    counts = cases.weights.counts
    weights = None if counts is None else counts / cases.weights.unit
    lent = list[Question]()
    for learner in extra.learners:
        design = learner.design(cases.table, n_classes, model.max_levels)
        lender = learner.lend(design, None, cases.labels, weights, seed)
        questions = lender.on(cases.table)
        report(is_wanted(model.verbose), "%s lends %d questions", lender.name, len(questions))
        lent += questions
    return Lent(tuple(dict.fromkeys(lent)), (), seed)

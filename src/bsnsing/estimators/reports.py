"""Reports: what can be read of a fitted model, as methods of the estimators."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import ArrayLike

from bsnsing.data.table import read_prediction_table
from bsnsing.tree.model import check_tree_model
from bsnsing.tree.rounding import round_thresholds

if TYPE_CHECKING:
    from bsnsing.export.explanations import Explanations
    from bsnsing.export.summary_page import Summary, TreeSummaries

# What print(model) shows at most.
_MOST_LINES = 100

_Model = TypeVar("_Model", bound="Reports")


class Reports:
    """Methods that the estimators share; most are functions of the package too.

    These are imported when they are called: who only fits and predicts does not wait for them.
    """

    def __str__(self) -> str:
        if not hasattr(self, "trees_"):
            return repr(self)
        from bsnsing.export.text import first_lines

        return first_lines(self, _MOST_LINES, "export_text(model) writes them all")

    def summary(
        self,
        X: Any = None,
        y: ArrayLike | str | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        event: Any = None,
        by: Any = None,
    ) -> Summary | TreeSummaries:
        """Return the tree and how well it does, class by class: see :func:`bsnsing.summary`."""
        from bsnsing.export.summaries import summary

        return summary(self, X, y, sample_weight=sample_weight, event=event, by=by)

    def explain(
        self, X: Any, *, fixed: Collection[str] = (), event: Any = None, flip: bool = True
    ) -> Explanations:
        """Say why cases get their labels, and what would flip them: see :func:`bsnsing.explain`."""
        from bsnsing.export.explanations import explain

        return explain(self, X, fixed=fixed, event=event, flip=flip)

    def nodes_frame(self, **options: Any) -> Any:
        """Return the nodes as a data frame, a row for each: see :func:`bsnsing.nodes_frame`."""
        from bsnsing.export.nodes import nodes_frame

        return nodes_frame(self, **options)

    def rules_frame(self, **options: Any) -> Any:
        """Return the leaves as a data frame, a row for each: see :func:`bsnsing.rules_frame`."""
        from bsnsing.export.rules import rules_frame

        return rules_frame(self, **options)

    def round_thresholds(self: _Model, X: Any) -> _Model:
        """Return a copy whose thresholds have as few digits as still separate the rows of X.

        Give the table of fit: ``income > 2588.1916`` becomes ``income > 2590`` where no row lies
        between. Rows of X get the same predictions. Others may not, where a cell lies between the
        two numbers. Counts and proofs are those of the model as fitted.

        Parameters
        ----------
        X : array, sparse matrix or dataframe of shape (n_rows, n_columns)
            The table.

        Returns
        -------
        estimator of the same class
            For printing, exports and predictions.

        Examples
        --------
        >>> import numpy as np
        >>> from bsnsing import BsnsingClassifier
        >>> X = np.array([[1.23456], [2.34567], [3.45678], [7.65432]])
        >>> model = BsnsingClassifier.plain(min_samples_leaf=1).fit(X, [0, 0, 0, 1])
        >>> model.tree_.rule(0).text(), model.round_thresholds(X).tree_.rule(0).text()
        ('x0 > 5.55555', 'x0 > 6')
        """
        check_tree_model(self, "round_thresholds")
        model: Any = copy(self)
        if hasattr(self, "estimators_"):
            model.estimators_ = [member.round_thresholds(X) for member in self.estimators_]
        elif hasattr(self, "best_estimator_"):
            model.best_estimator_ = self.best_estimator_.round_thresholds(X)
        else:
            table = read_prediction_table(model, X, model.trees_[0].columns)
            model._keep([round_thresholds(tree, table) for tree in model.trees_])
        rounded: _Model = model
        return rounded

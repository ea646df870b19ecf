"""BsnsingClassifier: parameters, fit, predict; calls the stages in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bsnsing._auto import (
    FEWEST_SEGMENTS,
    has_many_labels,
    leaf_size,
    most_thresholds,
    price_per_leaf,
)
from bsnsing._extra import questions_of
from bsnsing._labels import read_labels
from bsnsing._pairs import ColumnPair
from bsnsing._params import TREE_PARAMETERS, check_parameters, effective_n_threads
from bsnsing._predict import find_leaves, passed_nodes
from bsnsing._prune import (
    PruningPath,
    best_subtree,
    leaf_impurity,
    prune_by_cost,
    pruning_path,
)
from bsnsing._table import Table, read_prediction_table, read_training_table
from bsnsing._teacher import Lesson, prepare_lesson
from bsnsing._tree import Tree
from bsnsing._tree_grower import TreeGrower
from bsnsing._weights import CaseWeights, read_relative_weights
from bsnsing.export.text import export_text

_PLAIN: dict[str, Any] = {
    "max_rules": 2,
    "column_pairs": None,
    "min_samples_leaf": "sqrt",
    "criterion": "gini",
    "ccp_alpha": 0.0,
    "shrinkage": 0.0,
    "teacher": None,
    "n_segments": FEWEST_SEGMENTS,
}

# What print(model) shows at most.
_MOST_LINES = 100


class BsnsingClassifier(ClassifierMixin, BaseEstimator):
    """A decision tree in which every split is the best Boolean rule of its size.

    Each inner node asks a rule of at most ``max_rules`` yes/no questions, such as
    ``age > 35 or bmi > 30``. The rule is proven to minimise ``criterion`` over the node's whole
    pool of questions, unless ``time_limit`` cut the search short, which ``tree_.optimal`` tells.
    The tree does not depend on the order of the rows nor on ``n_jobs``.

    By default the tree learns from a forest: see ``teacher``. :meth:`plain` grows it on the
    labels as they are, and :meth:`paper` has the settings of the paper.

    What a setting costs or brings is said below in points (hundredths) of accuracy and AUC on new
    cases, against the defaults: means over 63 published tables below 5,000 rows, measured by
    ``python -m benchmarks.defaults``, which writes ``benchmarks/DEFAULTS.md``.

    Parameters
    ----------
    max_rules : "auto" or int, default="auto"
        Most questions in a rule, 1 to 10. "auto" is 2, and 3 where that pays: a tree with rules
        of 3 takes the place of one with rules of 2 if its Gini impurity and the price of its
        leaves (``ccp_alpha``, and at least what "auto" is there) are lower by the price of two
        leaves. It is tried where all rules of 3 are quickly searched, and richer rules only with
        a teacher, the "enum" solver and the node's own questions, and without ``constraints``.
        1: -0.9 and -0.6; 2: -0.1 and -0.1.
    column_pairs : "auto" or None, default="auto"
        Whether rules may ask about two numeric columns together, as in ``debt / income > 0.4``.
        "auto" tries sums, differences, products and ratios of the four columns that matter most
        to a teacher with ``feature_importances_``, if that takes no seconds, and keeps them where
        they pay, as above; the teacher is then shown them too, and heard again if it errs less.
        In sums and differences one column is multiplied by 1, 2, 5, 10, ... where the other's
        values spread more widely. ``tree_.pairs`` are those asked about. None: -0.4 and -0.3.
    min_samples_leaf : "auto", "sqrt", int or float, default="auto"
        Cases that each child needs: the square root of the number of all cases (sum of whole
        weights), a number, or a fraction of all. "auto" is 2 with a teacher or, if the leaves of
        its forest need more rows, so many (see ``teacher``); without one the fourth root of up to
        50,000 cases and the square root of more. With a teacher, splits with too few cases on one
        side are left out after growth, not during the search. 1: 0.0 and -0.1; 5: -0.4 and -0.2;
        "sqrt": -1.9 and -1.2, at 5 leaves instead of 8.5 in the median.
    criterion : {"gini", "gini_squared", "entropy", "misclassification", "error"}, default="entropy"
        What a split minimises; see :func:`best_rule`. "error" is for two classes. "gini": -0.3
        and -0.5; "gini_squared": -1.1 and -0.4.
    operators : sequence of {"or", "and", "xor"}, default=("or", "and")
        How a rule may join questions. With "and", questions may also enter negated. ("or",) alone
        changes nothing beyond noise.
    max_depth : int, default=None
        Greatest depth of a node.
    max_leaf_nodes : int, default=None
        Grow, then keep the best subtree of at most this many leaves. 8: -1.4 and -1.0.
    ccp_alpha : "auto" or float, default="auto"
        Price of a leaf: of all subtrees the one is kept whose Gini impurity plus this much for
        each leaf is least (exactly, over all subtrees). As in scikit-learn, impurity is per case.
        "auto" is 0 without a teacher, and with one 0.8 cases (0.8 over their number) for two
        classes, for k classes of one tree 2/k as much. It falls with the noise below 0.1, to half
        as much, where the noise is the mean squared distance of a label from what the teacher
        says of its row. Let u be the share of the labels' impurity that the noise is. In tables
        of more than 2000 cases the price is multiplied by 4 u for each doubling of 2000, where
        that is more. And where u is above 0.7, but not 1, it falls by 2 (u - 0.7) of itself.
        0: -0.3 and +1.1, at 34 leaves instead of 8.5 in the median.
    shrinkage : "auto" or float, default="auto"
        Cases that a parent's class shares count for in those of its children, from the root
        down; greater than 0, no probability is 0 or 1. "auto" is 1 with a teacher, else 10.
        Below the root, what the teacher says of all rows in a node, made-up ones too, counts as
        twice as many further cases; 0 leaves each node its own cases, as the teacher softened
        them. With a teacher, 10: -0.1 and 0.0. Without one, 0 instead of 10: -0.7 and -2.7.
    teacher : "forest", classifier or None, default="forest"
        Whom the tree learns from. A forest is fitted first: 50 random and 50 extremely random
        trees, or from 1600 rows on fewer, down to 25 of each. In these a leaf needs 1, 2, 4, 8
        or 16 rows to speak for itself, whichever predicts rows best that trees were not grown on;
        with fewer, the nearest node above that has enough speaks for it. Each row then counts
        half as its label and half as what those trees say of it that have not seen it, and up to
        three times as many rows (12,000 in all, or up to 24,000 where there is little noise) are
        put together from cells of real ones and get what the forest says. Splits and pruning use
        all these cases, and probabilities mostly those of real rows; ``tree_.counts`` and
        ``min_samples_leaf`` count real rows by their labels. Any
        classifier with ``predict_proba`` may teach; it gets categories as 0/1 columns, and its
        words on real rows come from 5-fold cross-validation.
        Where columns are so many that each search would take seconds, rules ask about those that
        the forest finds most important only (with ``constraints`` or ``extra_questions``, about
        all). None takes labels as they are, which is much faster, and "forest" does the same with
        more than 50,000 rows or 5 million cells, where a forest takes minutes and labels abound:
        see ``is_taught_``. None: -1.9 and -1.0, in a twentieth of the time.
    stop_prob : float, default=0.9999
        A node in which one class has a greater share is not split.
    distinct_children : bool, default=False
        Only split into children with different majority classes.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one tree for all of them, or one per class, of which the one
        with the greatest score wins.
    solver : str, default="enum"
        Who chooses the rule of a node: "enum" is exact, "greedy" adds one question at a time.
        "highs", "cpsat", "scip", "cbc", "gurobi", "cplex" and "lpsolve" solve a mixed-integer
        program ("gini_squared" or "error", two classes); "hybrid" does so at small nodes and uses
        "enum" at large ones. ``bsnsing.solvers.available()`` says which can be used here.
    greedy_level : float, default=0.9
        The greedy solver adds a question if the reduction it leaves, times this, exceeds the
        reduction without it.
    hybrid_cap : float, default=40000
        The hybrid solver takes a node for small if the product of its positive and negative cases
        is at most this.
    solver_options : dict, default=None
        How mixed-integer solvers work: see :class:`bsnsing.solvers.MipOptions`.
    constraints : RuleConstraints or dict, default=None
        Columns that no rule may ask about or every rule must, what questions cost, and other
        limits on the questions of each rule; every solver keeps them exactly.
    time_limit : float, default=180
        Seconds per split (not per tree), after which the best rule so far is taken. None is no
        limit.
    max_bins : int, default=255
        A numeric column with more distinct values is cut into so many bins of about equal numbers
        of cases before the tree is grown, and thresholds lie between bins. None keeps all values.
    n_segments : "auto" or int, default="auto"
        Most thresholds per numeric column and node: in each direction or, with "and", in both
        together, since a negated question looks the other way. "auto" is 8, and with fewer than
        16 numeric columns more: 128 in all. 20 changes nothing beyond noise.
    max_levels : int, default=30
        Most level questions per categorical column and node; more levels are grouped.
    max_values_as_levels : int, default=10
        Numeric columns with at most so many values are also asked for equality.
    bin_size : int, default=5
        Levels with fewer cases are rare, and also asked for as one group.
    extra_questions : Question, tree, fitted estimator, or a collection of these, default=None
        Further questions for every pool: given by hand, or taken from trees of this package and
        of scikit-learn. `clone` (and so cross-validation) takes the fit from estimators: give
        ``questions_of(estimator)`` there.
    own_questions : bool, default=True
        Whether to ask the node's own questions too.
    categorical_features : "from_dtype", None, or names, positions or mask, default="from_dtype"
        Which columns are categorical. By dtype these are text and category columns.
    class_weight : "balanced", dict or None, default=None
        What a case of each class counts in the criterion and in probabilities. Limits such as
        ``min_samples_leaf`` count cases.
    random_state : int, RandomState or None, default=0
        What the teacher's randomness is drawn from; without a teacher there is none.
    n_jobs : int, default=None
        Threads; None is 1 and -1 is all.
    verbose : bool, default=False
        Whether mixed-integer solvers print their logs.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_classes_ : int
        Number of classes.
    tree_ : Tree
        The tree: rules, counts, children, objective and proof of each node. Not there with
        ``multiclass="ovr"`` and more than two classes.
    trees_ : list of Tree
        The tree, or one per class.
    min_samples_leaf_ : int
        Cases that each child needed.
    is_taught_ : bool
        Whether a teacher had a say.
    ccp_alpha_ : float
        Price of a leaf.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they have names.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the total reduction of Gini impurity.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y)
    >>> print(model)
    petal length (cm) > 2.45 ?
      yes: petal length (cm) > 4.95 or petal width (cm) > 1.65 ?
             yes: 2   (50 of 53)
             no:  1   (47 of 47)
      no:  0   (50 of 50)
    """

    def __init__(
        self,
        *,
        max_rules: int | str = "auto",
        column_pairs: str | None = "auto",
        min_samples_leaf: str | float = "auto",
        criterion: str = "entropy",
        operators: Sequence[str] = ("or", "and"),
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        ccp_alpha: float | str = "auto",
        shrinkage: float | str = "auto",
        teacher: Any = "forest",
        stop_prob: float = 0.9999,
        distinct_children: bool = False,
        multiclass: str = "native",
        solver: str = "enum",
        greedy_level: float = 0.9,
        hybrid_cap: float = 40000,
        solver_options: Any = None,
        constraints: Any = None,
        time_limit: float | None = 180.0,
        max_bins: int | None = 255,
        n_segments: int | str = "auto",
        max_levels: int = 30,
        max_values_as_levels: int = 10,
        bin_size: int = 5,
        extra_questions: Any = None,
        own_questions: bool = True,
        categorical_features: Any = "from_dtype",
        class_weight: dict[Any, float] | str | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.max_rules = max_rules
        self.column_pairs = column_pairs
        self.min_samples_leaf = min_samples_leaf
        self.criterion = criterion
        self.operators = operators
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.ccp_alpha = ccp_alpha
        self.shrinkage = shrinkage
        self.teacher = teacher
        self.stop_prob = stop_prob
        self.distinct_children = distinct_children
        self.multiclass = multiclass
        self.solver = solver
        self.greedy_level = greedy_level
        self.hybrid_cap = hybrid_cap
        self.solver_options = solver_options
        self.constraints = constraints
        self.time_limit = time_limit
        self.max_bins = max_bins
        self.n_segments = n_segments
        self.max_levels = max_levels
        self.max_values_as_levels = max_values_as_levels
        self.bin_size = bin_size
        self.extra_questions = extra_questions
        self.own_questions = own_questions
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def paper(cls, **changes: Any) -> BsnsingClassifier:
        """Return a classifier with the settings of the paper, but for ``changes``."""
        settings: dict[str, Any] = {
            "criterion": "gini_squared",
            "operators": ("or",),
            "multiclass": "ovr",
            "max_bins": None,
            "n_segments": 20,
        }
        return cls(**(_PLAIN | settings | changes))

    @classmethod
    def plain(cls, **changes: Any) -> BsnsingClassifier:
        """Return a classifier that takes labels as they are, but for ``changes``.

        No teacher, shares as counted, no pruning, and leaves of at least the square root of all
        cases: the quickest fit, in which every number can be checked by hand.
        """
        return cls(**(_PLAIN | changes))

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> BsnsingClassifier:
        """Grow the tree.

        Parameters
        ----------
        X : array, sparse matrix or dataframe of shape (n_rows, n_columns)
            The table. Columns may be numeric, boolean, categorical or text, with missing cells.
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Integers count as repeated rows. Other weights are relative: they are scaled so that
            their mean is one.

        Returns
        -------
        BsnsingClassifier
            The fitted classifier.
        """
        # Not get_params, which looks up the signature anew: a tenth of a small fit.
        parameters = {name: getattr(self, name) for name in TREE_PARAMETERS}
        check_parameters(type(self).__name__, TREE_PARAMETERS, parameters)
        table = read_training_table(self, X, self.categorical_features)
        self.classes_, codes = read_labels(y, table.n_rows)
        self.n_classes_ = len(self.classes_)
        self._check_criterion()
        table, codes, weights = self._drop_weightless(table, codes, sample_weight)
        totals = weights.class_totals(codes, self.n_classes_) / weights.unit
        n_cases = float(totals.sum())
        extra = [] if self.extra_questions is None else questions_of(self.extra_questions)

        def teach(pairs: Sequence[ColumnPair] = ()) -> Lesson | None:
            return self._prepare_lesson(table, codes, weights, n_cases, pairs)

        lesson = teach()
        self.is_taught_ = lesson is not None
        self.min_samples_leaf_ = leaf_size(
            self.min_samples_leaf, n_cases, None if lesson is None else lesson.leaf_rows
        )
        self.ccp_alpha_ = self._price_per_leaf(n_cases, lesson)
        grower = TreeGrower(
            self, lesson, self.min_samples_leaf_, self.ccp_alpha_, n_cases, extra, teach
        )
        self.trees_ = self._grow_trees(grower, table, codes, weights, self._weight_classes(totals))
        if len(self.trees_) == 1:
            self.tree_ = self.trees_[0]
        elif hasattr(self, "tree_"):
            del self.tree_  # from an earlier fit
        return self

    def prune(
        self, *, max_leaf_nodes: int | None = None, ccp_alpha: float | None = None
    ) -> BsnsingClassifier:
        """Cut the fitted tree back in place: to a number of leaves, by a price per leaf, or both.

        What is left is the best subtree of that size (exactly), or at that price, in Gini
        impurity of the cases that the tree was learnt from. With one tree per class, each is
        cut back.

        Parameters
        ----------
        max_leaf_nodes : int, default=None
            Most leaves to keep.
        ccp_alpha : float, default=None
            Price per leaf, as in ``cost_complexity_pruning_path``.

        Returns
        -------
        BsnsingClassifier
            The classifier itself.
        """
        check_is_fitted(self)
        wanted = {"max_leaf_nodes": max_leaf_nodes, "ccp_alpha": ccp_alpha or 0.0}
        checks = {name: TREE_PARAMETERS[name] for name in wanted}
        check_parameters(f"{type(self).__name__}.prune", checks, wanted)
        trees = [prune_by_cost(tree, ccp_alpha or 0.0) for tree in self.trees_]
        if max_leaf_nodes is not None:
            trees = [best_subtree(tree, max_leaf_nodes) for tree in trees]
        self.trees_ = trees
        if len(trees) == 1:
            self.tree_ = trees[0]
        return self

    def pruning_path(self) -> PruningPath:
        """Return the prices per leaf at which the best subtree of the fitted tree changes.

        Returns
        -------
        PruningPath
            ``ccp_alphas``, and the ``impurities`` and ``n_leaves`` of the subtree that is best
            from that price on: from the whole tree to the root alone.
        """
        check_is_fitted(self)
        if len(self.trees_) > 1:
            raise ValueError(
                f"There are {len(self.trees_)} trees, one per class, and each has its own path. "
                "Use multiclass='native' for one tree."
            )
        return pruning_path(self.trees_[0])

    def cost_complexity_pruning_path(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> PruningPath:
        """Grow the tree without pruning, and return its :meth:`pruning_path`; as scikit-learn's."""
        whole: BsnsingClassifier = clone(self).set_params(ccp_alpha=0.0, max_leaf_nodes=None)
        return whole.fit(X, y, sample_weight=sample_weight).pruning_path()

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row."""
        check_is_fitted(self)
        if len(self.trees_) == 1:  # decided once per leaf, not once per row
            best = self.trees_[0].probabilities.argmax(axis=1)[self._find_leaves(X)[0]]
        else:
            best = self._scores(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``."""
        scores = self._scores(X)
        if len(self.trees_) == 1:
            return scores
        sums = scores.sum(axis=1, keepdims=True)
        uniform = np.full_like(scores, 1 / self.n_classes_)
        np.divide(scores, sums, out=uniform, where=sums > 0)
        return uniform

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each row ends in; with one tree per class, one column per tree."""
        leaves = self._find_leaves(X)
        return leaves[0] if len(leaves) == 1 else np.column_stack(leaves)

    def decision_path(self, X: Any) -> csr_matrix | tuple[csr_matrix, NDArray[np.int64]]:
        """Return which nodes each row passes, as a sparse indicator matrix.

        With one tree per class, the matrices of all trees side by side, and the column at which
        each tree's nodes begin.
        """
        check_is_fitted(self)
        paths = [
            passed_nodes(tree, leaves)
            for tree, leaves in zip(self.trees_, self._find_leaves(X), strict=True)
        ]
        if len(paths) == 1:
            return paths[0]
        starts = np.cumsum([0] + [path.shape[1] for path in paths])
        return csr_matrix(hstack(paths)), starts

    def get_depth(self) -> int:
        """Return the depth of the deepest leaf."""
        check_is_fitted(self)
        return max(tree.max_depth for tree in self.trees_)

    def get_n_leaves(self) -> int:
        """Return the number of leaves, of all trees together."""
        check_is_fitted(self)
        return sum(tree.n_leaves for tree in self.trees_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the total reduction of Gini impurity.

        A rule's reduction counts for its questions in equal parts, and for both columns of a pair.
        """
        check_is_fitted(self)
        sums = np.sum([_reductions(tree, self.n_features_in_) for tree in self.trees_], axis=0)
        total = sums.sum()
        shares: NDArray[np.float64] = sums / total if total > 0 else sums
        return shares

    def __str__(self) -> str:
        if not hasattr(self, "trees_"):
            return repr(self)
        lines = export_text(self).split("\n")
        if len(lines) > _MOST_LINES:
            n_more = len(lines) - _MOST_LINES
            lines[_MOST_LINES:] = [
                f"... and {n_more} more lines; export_text(model) writes them all"
            ]
        return "\n".join(lines)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        return tags

    def _check_criterion(self) -> None:
        if self.criterion == "error" and self.n_classes_ > 2 and self.multiclass == "native":
            raise ValueError(
                f"criterion='error' is defined for two classes, and y has {self.n_classes_}. "
                "Use multiclass='ovr' or another criterion."
            )

    def _drop_weightless(
        self, table: Table, codes: NDArray[np.int32], sample_weight: ArrayLike | None
    ) -> tuple[Table, NDArray[np.int32], CaseWeights]:
        """Leave rows of weight zero out altogether, as if they had not been given."""
        weights = read_relative_weights(sample_weight, table.n_rows)
        if weights.counts is None or (weights.counts > 0).all():
            return table, codes, weights
        kept = np.flatnonzero(weights.counts)
        return table.take(kept), codes[kept], CaseWeights(weights.counts[kept], weights.unit)

    def _weight_classes(self, totals: NDArray[np.float64]) -> NDArray[np.float64] | None:
        if self.class_weight is None:
            return None
        if self.class_weight == "balanced":
            present = np.maximum(totals, 1e-300)
            balanced: NDArray[np.float64] = totals.sum() / (np.count_nonzero(totals) * present)
            return np.where(totals > 0, balanced, 1.0)
        given = cast(dict[Any, float], self.class_weight)
        labels = self.classes_.tolist()
        unknown = [label for label in given if label not in labels]
        if unknown:
            raise ValueError(
                f"class_weight names the label {unknown[0]!r}, which is not in y. "
                f"The labels are {labels[:10]}."
            )
        weights = np.array([given.get(label, 1.0) for label in labels], dtype=np.float64)
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
            raise ValueError(
                f"class_weight must give non-negative, finite weights. Got {self.class_weight!r}."
            )
        return weights

    def _price_per_leaf(self, n_cases: float, lesson: Lesson | None) -> float:
        if self.ccp_alpha != "auto":
            return float(self.ccp_alpha)
        if lesson is None:
            return 0.0
        n_classes = lesson.n_classes if self.multiclass == "native" else 2  # of each tree
        return price_per_leaf(n_cases, n_classes, lesson.noise, lesson.unexplained)

    def _prepare_lesson(
        self,
        table: Table,
        codes: NDArray[np.int32],
        weights: CaseWeights,
        n_cases: float,
        pairs: Sequence[ColumnPair],
    ) -> Lesson | None:
        """What a teacher makes of the rows; None where there is no teacher, or nothing to teach."""
        if self.teacher is None or len(np.unique(codes)) < 2:
            return None
        if isinstance(self.teacher, str) and has_many_labels(table, n_cases):
            return None
        return prepare_lesson(
            self.teacher,
            table,
            codes,
            self.n_classes_,
            weights,
            most_thresholds(self.n_segments, table),
            check_random_state(self.random_state),
            effective_n_threads(self.n_jobs),
            pairs,
        )

    def _grow_trees(
        self,
        grower: TreeGrower,
        table: Table,
        codes: NDArray[np.int32],
        weights: CaseWeights,
        class_weight: NDArray[np.float64] | None,
    ) -> list[Tree]:
        if self.multiclass == "native" or self.n_classes_ <= 2:
            return [grower.grow(Lesson(table, codes, weights), self.classes_, class_weight)]
        trees = []
        totals = weights.class_totals(codes, self.n_classes_)
        for position, label in enumerate(self.classes_.tolist()):
            is_class = (codes == position).astype(np.int32)
            names = np.array([f"not {label}", label], dtype=object)
            own_weight = None
            if class_weight is not None:
                # The rest counts what its cases do on average.
                others = np.arange(self.n_classes_) != position
                rest = (class_weight * totals)[others].sum() / max(totals[others].sum(), 1.0)
                own_weight = np.array([rest, class_weight[position]])
            own_lesson = grower.lesson
            if own_lesson is not None:
                taught = (own_lesson.codes == position).astype(np.int32)
                own_lesson = replace(own_lesson, codes=taught, n_classes=2)
            own_grower = replace(grower, lesson=own_lesson, teach=None)
            trees.append(own_grower.grow(Lesson(table, is_class, weights), names, own_weight))
        return trees

    def _find_leaves(self, X: Any) -> list[NDArray[np.int64]]:
        check_is_fitted(self)
        table = read_prediction_table(self, X, self.trees_[0].columns)
        n_threads = effective_n_threads(self.n_jobs)
        return [find_leaves(tree, table, n_threads) for tree in self.trees_]

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of one tree, or each class's score from its own."""
        leaves = self._find_leaves(X)
        if len(self.trees_) == 1:
            shares: NDArray[np.float64] = self.trees_[0].probabilities[leaves[0]]
            return shares
        return np.column_stack(
            [tree.probabilities[leaf, 1] for tree, leaf in zip(self.trees_, leaves, strict=True)]
        )


def _reductions(tree: Tree, n_columns: int) -> NDArray[np.float64]:
    """Reduction of Gini impurity that each column brings to a tree."""
    sums = np.zeros(n_columns)
    impurity = leaf_impurity(tree)
    for node in np.flatnonzero(~tree.is_leaf):
        children = tree.children_left[node], tree.children_right[node]
        reduction = impurity[node] - impurity[children[0]] - impurity[children[1]]
        span = range(tree.first_question[node], tree.first_question[node + 1])
        for question in span:
            columns = tree.columns_of(question)
            np.add.at(sums, columns, max(0.0, reduction) / len(span) / len(columns))
    return sums

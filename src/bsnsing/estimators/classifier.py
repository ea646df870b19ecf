"""BsnsingClassifier: parameters, fit, predict; calls the stages in order."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.cases import Cases
from bsnsing.data.frames import take_labels
from bsnsing.data.labels import read_labels
from bsnsing.data.row_names import message_about
from bsnsing.data.table import CategoricalFeatures, read_training_table
from bsnsing.data.weights import read_relative_weights
from bsnsing.distill.config import DistillConfig
from bsnsing.engine.base import EngineMaker
from bsnsing.engine.native import NativeEngine
from bsnsing.estimators.costs import read_costs
from bsnsing.estimators.drawn import DrawnModel
from bsnsing.estimators.edit import EditableTree, copy_of
from bsnsing.estimators.grown import MANY_CLASSES, Growth
from bsnsing.estimators.growth import grow_trees
from bsnsing.estimators.knowledge import (
    check_columns,
    check_first_rule,
    ordered,
    read_first_rules,
)
from bsnsing.estimators.parameters import TREE_PARAMETERS
from bsnsing.estimators.predictions import Predictions
from bsnsing.estimators.reports import Reports
from bsnsing.estimators.storable import StorableModel
from bsnsing.estimators.stored import Sort
from bsnsing.estimators.working_copy import take_over, working_copy
from bsnsing.grow.first import held_by
from bsnsing.rules.constraints import RuleConstraints
from bsnsing.rules.criteria import check_n_classes
from bsnsing.rules.options import FEWEST_SEGMENTS
from bsnsing.rules.parameters import (
    Parameters,
    any_of,
    check_parameters,
    is_instance_of,
    is_none,
)
from bsnsing.solvers.mip_options import MipOptions
from bsnsing.tree.importances import impurity_reductions
from bsnsing.tree.prune import PruningPath, prune, pruning_path
from bsnsing.tree.rule import Rule
from bsnsing.tree.tree import Tree
from bsnsing.tree.written import set_text_reader

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


class BsnsingClassifier(
    Predictions, Reports, EditableTree, DrawnModel, StorableModel, ClassifierMixin, BaseEstimator
):
    """A decision tree of Boolean rules, each the best of its size for what it was grown on.

    Each inner node asks a rule of at most ``max_rules`` yes/no questions, such as
    ``age > 35 or bmi > 30``. The rule is proven to minimise ``criterion`` over the node's whole
    pool of questions, unless ``tree_.optimal`` says that it is not. It does so for what the tree
    was grown on: without a teacher the cases themselves, with one (the default) its training set
    of soft labels and synthetic rows. There, ``tree_.own_objective`` is what each rule is worth on
    the node's own cases, and ``tree_.best_own_objective`` what the best rule of its size is.

    The tree does not depend on the order of the rows nor on ``n_jobs``. With a teacher that has a
    fixed ``random_state``, as by default, it depends on nothing but what the table tells: neither
    on the order nor on the names of rows, columns, levels and labels, nor on the units of numbers.
    Columns that are the same in every row, or tell rows apart just as another column does, change
    nothing; of several that do the first is asked about (but all are kept with ``constraints``,
    ``extra_questions`` or groups of ``column_pairs``). With ``column_pairs=None`` only the order of
    a column's values counts. Given order decides where nothing else does: between columns, levels
    or labels that could change places without a change of the table.

    Cells may be missing. Where a column had missing cells at fit, the tree has learnt what they
    say; where it had none, and from a level never seen, the answer is unknown. A case whose rule
    stays unknown goes both ways, and gets the mean of the probabilities it finds there, each way
    counting by the training cases that went it: see :meth:`predict_proba` and :meth:`unknown_at`.

    By default the tree learns from a forest: see ``teacher``. :meth:`plain` grows it on the
    labels as they are, and :meth:`paper` has the settings of the paper.

    "Measured" says what a setting does to accuracy and AUC on new cases, in points (hundredths)
    against the defaults: means over 63 published tables below 5,000 rows. ``python -m
    benchmarks.quality.defaults`` measures it and writes ``benchmarks/results/DEFAULTS.md``.

    Parameters
    ----------
    max_rules : "auto" or int, default="auto"
        Most questions in a rule, 1 to 10. Lower it for rules that are read at a glance.
        "auto" is 2, and 3 where that pays: where it lowers (impurity + penalty of all leaves) by
        four times the penalty of a leaf (``ccp_alpha``, and at least what "auto" is there). It
        tries 3 only with a teacher, the "enum" solver, the node's own questions and no
        ``constraints``, and where a search of all rules of 3 is quick.
        Measured: 1, -0.7 and -0.7; 2, -0.1 and 0.0.
    column_pairs : "auto", None or groups of columns, default="auto"
        Whether rules may ask about two numeric columns together, as in ``debt / income > 0.4``.
        Set it to None where products and ratios of your columns mean nothing. Give lists of the
        names of columns that share a unit, such as ``[["debt", "income"], ["width", "height"]]``,
        where sums and differences within a list mean something too.
        "auto" tries products and ratios of the four numeric columns that matter most to a teacher
        with ``feature_importances_`` (of more than two values each); these do not depend on units.
        Lists add sums and differences of the four columns of each that matter most. Pairs are kept
        where they pay, as above, and tried only where a search of all rules with them is quick.
        ``tree_.pairs`` are those asked about.
        Measured: None, -0.3 and -0.2.
    min_samples_leaf : "auto", "sqrt", int or float, default="auto"
        Cases that each child needs. Raise it where a rule must rest on many cases.
        "sqrt" is the square root of all cases n, an int a number, a float a fraction of n. "auto"
        is, with a teacher, the rows that a leaf of its forest needs to speak for itself (r, see
        ``teacher``; 2 with a teacher of yours); without one n^(1/4) up to 50,000 cases and n^(1/2)
        beyond. With a teacher, a search counts what its training set weighs, synthetic rows too;
        splits with too few real cases on one side are then left out after growth, and the side
        that takes such a split's place is proven anew, and often no longer optimal.
        Measured: 1, 0.0 and +0.1; 5, -0.4 and -0.1; "sqrt", -1.8 and -1.0 at 6 leaves instead
        of 9 in the median.
    criterion : {"gini", "gini_squared", "entropy", "misclassification", "error"}, default="entropy"
        What a split minimises; see :func:`best_rule` for the formulas. "gini_squared" and "error"
        are the paper's and those of mixed-integer solvers; "error" is for two classes.
        Measured: "gini", -0.1 and -0.3; "gini_squared", -1.0 and -0.8.
    operators : sequence of {"or", "and", "xor"}, default=("or", "and")
        How a rule may join questions. With "and", questions may also enter negated. Use ("or",)
        where readers know OR-rules only.
        Measured: ("or",), no change beyond noise.
    max_depth : int, default=None
        Greatest depth of a node; None is no limit. Set it where a path must be short.
        Measured: 3, -2.5 and -1.9.
    max_leaf_nodes : int, default=None
        Most leaves: the tree is grown, then cut back to the best subtree of that size. Set it
        where the whole tree must fit a page.
        Measured: 8, -1.4 and -0.9.
    ccp_alpha : "auto" or float, default="auto"
        Complexity penalty: of all subtrees the one is kept whose impurity plus this much for each
        leaf is least (exactly, over all subtrees); both are per case, as in scikit-learn. Raise it
        for a smaller tree. With a teacher impurity is half the deviance, in nats: n times the
        entropy of the classes of a leaf's n cases, or minus the logarithm of the likelihood of
        their soft labels. Without one it is Gini impurity. "auto" is 0 without a teacher. With
        one, and with n cases::

            ccp_alpha = (1 + log(1 + n / 2000) / 2) / n

        a nat for each leaf, as in Akaike's criterion, and half the logarithm of the cases more
        where there are many, as in Schwarz's. With ``class_weight`` w_j of n_j cases it is n
        sum(n_j w_j^2) / sum(n_j w_j)^2 times as much.
        Measured: 0, -0.1 and +0.6, at 40 leaves instead of 9 in the median.
    shrinkage : "auto" or float, default="auto"
        Cases m that a parent's probabilities count for in those of its children, from the root
        down: p = (cases of the class + m * parent's p) / (cases + m). Greater than 0, no
        probability is 0 or 1; raise it where leaves are small and probabilities matter. "auto" is
        1 with a teacher, else 10. With a teacher, cases count by labels and soft labels (see
        ``teacher``), and the soft labels of all rows in a node below the root, synthetic ones too,
        as m further cases.
        Measured: 10 with a teacher, 0.0 and 0.0; 0 instead of 10 without one, -0.7 and -2.7.
    teacher : "forest", classifier or None, default="forest"
        Whom the tree learns from. None takes labels as they are: much faster, every number can be
        checked by hand, and noise is taken at its word. A classifier of yours teaches if it has
        ``predict_proba``; it gets categories as 0/1 columns, missing numbers as NaN, and weights if
        it takes them.
        "forest" fits 50 random and 50 extremely random trees, each to a draw of as many rows as
        there are, and at most 20,000. A leaf of theirs with fewer than r rows gives the
        probabilities of the nearest node above with r; r is the one of 2, 4, 8, 16 (up to the
        square root of all rows) with the best out-of-bag Brier score. Another classifier's
        probabilities come from 5-fold cross-validation, unless it has ``oob_score=True``. A factor
        for each class then scales all of a teacher's probabilities, so that those of the real rows
        sum to the cases of each class. A real row has the soft label (label + out-of-bag
        probabilities) / 2, and counts as six synthetic ones. As many synthetic
        rows (12,000 rows in all at most) are put together from cells of real ones and get the
        teacher's probabilities. Searches see soft labels in eighths of a case; pruning sees them
        unrounded. Probabilities come mostly from the real rows of a node: labels count
        q / (q + 200), soft labels the rest, where q are the soft cases outside its most frequent
        class. A factor for each class at last makes those of all leaves sum to its cases.
        ``tree_.counts`` and ``min_samples_leaf`` count real rows by their labels. In wide tables,
        where each search would take long, rules ask about the columns that matter most to the
        forest only (about all with ``constraints`` or ``extra_questions``).
        Beyond 100 classes, a table whose rows times classes exceed ten million has no teacher.
        Measured: None, -1.0 and -1.3, in a fraction of the time.
    stop_prob : float, default=0.9999
        A node in which one class has a greater share is not split. Lower it to stop earlier.
        Measured: 0.95, -0.1 and -1.3.
    distinct_children : bool, default=False
        Only split into children with different majority classes, so that every split changes the
        answer. Probabilities then tell less.
        Measured: -0.7 and -4.2, at 6 leaves instead of 9 in the median.
    multiclass : {"native", "ovr"}, default="native"
        With more than two classes: one tree for all of them, or one per class, of which the one
        with the greatest score wins. One tree is easier to read.
        Measured: "ovr", no change beyond noise.
    solver : str, default="enum"
        Who chooses the rule of a node: "enum" is exact, "greedy" adds one question at a time.
        "highs", "cpsat", "scip", "cbc", "gurobi", "cplex" and "lpsolve" solve a mixed-integer
        program ("gini_squared" or "error", two classes), to check "enum" by something
        independent; "hybrid" does so at small nodes and uses "enum" at large ones.
        ``bsnsing.solvers.available()`` says which can be used here.
        Measured: "greedy", -0.7 and -0.4.
    greedy_level : float, default=0.9
        The greedy solver adds a question if the reduction it leaves, times this, exceeds the
        reduction without it.
    hybrid_cap : float, default=40000
        The hybrid solver takes a node for small if the product of its positive and negative cases
        is at most this.
    solver_options : dict, default=None
        How mixed-integer solvers work: see :class:`bsnsing.solvers.MipOptions`.
    constraints : RuleConstraints or dict, default=None
        Columns that no rule may ask about or every rule must, columns that no rule may mix, what
        questions cost, and other limits on the questions of each rule; every solver keeps them
        exactly.
    monotonic_cst : dict or sequence, default=None
        Columns along which the probability of a class may only rise (1) or only fall (-1), by name
        or, as in scikit-learn, one entry for each column. With two classes it is about the second
        one. ``{"dose": {"cured": 1}}`` names the class, which it must with more classes, and the
        same for all columns. As the column grows and all other cells stay, ``predict_proba`` keeps
        the order exactly, whatever is unknown. Rules that break it are not feasible: searches
        compare the shares of the class on both sides of a rule, and pass their middle down as a
        bound. Where shrinkage, small leaves or a teacher would still turn probabilities round,
        these meet in that middle. Needs columns with an order, and the "enum" or "greedy" solver.
    max_columns : int, default=None
        Most columns that the whole tree asks about. Each rule is the best that keeps to what is
        left of them: levels are grown from the root on, in each the nodes with most cases first.
        Pruning may then leave fewer.
    column_costs : dict, default=None
        What it costs to ask about a column, by name, for each case and in the unit of
        ``criterion`` per case: a rule is chosen, and worth asking, by its impurity plus the costs
        of its columns for all cases of the node. What has been asked above is paid for. For
        "gini", "entropy" and "misclassification".
    first_rules : sequence of Rule or str, default=None
        Rules of the first levels, such as ``["age > 60"]``: the root asks the first one, all nodes
        below it the second, and so on. Pruning leaves them in place. A node below the root asks
        the best rule instead where its cases are of one class, or the given one leaves too few of
        them on one side. Their questions may be asked further down too. ``tree_.bound`` is what
        the best rule of the node could do.
    time_limit : float, default=180
        Seconds for growing, not counting the teacher. The open nodes of a level share half of what
        is left, since levels below need time too. A search that its share cuts short gives the
        best rule so far, marked as not proven; when time is up, open nodes stay leaves, marked
        likewise. The root is always searched. None is no limit. In :class:`BsnsingClassifierCV`
        and :class:`BsnsingEnsemble` each tree has the limit of its own.
    max_bins : int, default=255
        A numeric column with more distinct values is cut into this many bins of about equal
        numbers of cases before the tree is grown, and thresholds lie between bins. None keeps
        all values, which is slower in large tables.
        Measured: None, no change beyond noise.
    n_segments : "auto" or int, default="auto"
        Most thresholds per numeric column and node: in each direction or, with "and", in both
        together, since a negated question looks the other way. "auto" is max(8, 128 / numeric
        columns). Raise it where thresholds must be met exactly.
        Measured: 20, no change beyond noise.
    max_levels : int, default=30
        Most level questions per categorical column and node; more levels are grouped by their
        class shares. Raise it where single levels must be told apart.
        With a teacher, a column of more levels is put in order once, by the class shares of its
        levels in the whole table, as up to this many groups of about equal cases, and rules ask
        for the groups up to one, or from one on. A level has a say from k cases on, and
        all others are one group. k is the one of 2, 4, 8, ..., 4096 by which (cases of the level +
        k * shares of all) / (their number + k) predicts each case best from the others of its
        level, by the Brier score; if the shares of all are better, no level has a say.
        Measured: 10, no change beyond noise.
    max_values_as_levels : int, default=10
        Numeric columns with at most this many values are also asked for equality. Set it to 0
        where numbers are amounts, never codes.
        Measured: 0, no change beyond noise.
    bin_size : int, default=5
        Levels with fewer cases are rare, and also asked for as one group. Raise it where rare
        levels mean the same.
        Measured: 20, no change beyond noise.
    decimals : "auto", int or None, default="auto"
        Digits of thresholds. "auto" takes, in trees with a teacher, the shortest number that
        separates the training rows as the midpoint between two of them does, and lies in the
        middle half of the way between them; in others it leaves the midpoint. An int keeps that
        many decimals, and more where it takes them to separate the rows; of -3, thresholds are
        thousands where they can be. In all trees a column of whole numbers is cut between whole
        numbers, ``children >= 2``, and dates and durations at full days, hours, minutes or
        seconds: what is shown is what decides, also of cells between them. None leaves all
        midpoints. Questions of users and donors, and pairs of columns, stay as they are, and with
        "auto" other numbers of tables of which the forest learns a sample only (over 200,000 rows).
    extra_questions : question, model, path, name, or a collection of these, default=None
        Further questions for every pool: given by hand (objects, or words such as
        ``"bmi >= 30"``), or lent by other models, whose every cut is taken in both directions.
        Donors are trees and ensembles of scikit-learn (histogram boosting too), LightGBM, XGBoost,
        CatBoost, imodels, pystreed and this package, files of saved models, pipelines of
        scikit-learn whose steps can be followed back to the columns, and R's "rpart", "ctree",
        "C50" and "tree", by name, as :class:`RLearner` or fitted through rpy2. What is not fitted
        is fitted to the training table: numbers as they are and, but for learners that know
        categories, levels as 0/1 columns. Cuts with the same answers for all rows are one. Of each
        donor the 100 cuts are taken that it uses most often; of equals those that gained it more,
        then the first. ``tree_.rules[i].questions[j].origin`` tells where a question came from.
        `clone` (and so cross-validation) takes the fit from estimators, which are then fitted
        anew: give ``questions_of(estimator)`` to keep what they learnt.
    own_questions : bool, default=True
        Whether to ask the node's own questions too. Set it to False to choose among yours alone.
    donors_per_node : bool, default=False
        Whether the unfitted models of ``extra_questions`` are fitted to the cases of each node that
        is searched, as the paper does, rather than once to all.
    categorical_features : "from_dtype", None, names, positions, mask or dict, default="from_dtype"
        Which columns are categorical. By dtype these are text and category columns; name those
        whose numbers are codes. Levels that have an order are cut along it, as in ``grade >= C``:
        ordered categories of pandas and Arrow, Enum of polars, and those whose order is named, as
        in ``{"grade": ["A", "B", "C"], "town": None}`` (None is no order). Named in a list, such a
        column has none.
    class_weight : "balanced", dict or None, default=None
        What a case of each class counts in the criterion and in probabilities. Limits such as
        ``min_samples_leaf`` count cases. Use it where errors cost unlike amounts, and mind that
        probabilities are then those of the weighted cases.
        Measured: "balanced", -2.7 and -0.1.
    cost : dict, default=None
        What errors cost, by pairs of labels: ``cost={("ill", "healthy"): 10}`` says that to call
        an ill one healthy costs 10; errors that are not named cost 1. ``predict`` then gives the
        cheapest decision, that of the least expected cost by ``predict_proba``, and so do all
        exports that give labels; others refuse. Probabilities stay probabilities. Splits and
        pruning count each case by what the errors about its class cost together (Breiman's altered
        priors). With two classes that leaves the best rules by "gini_squared" and "error" as they
        are, since these weigh classes alike; stopping, pruning and labels know costs there too.
    random_state : int, RandomState or None, default=0
        What the teacher's randomness is drawn from; without a teacher there is none.
    n_jobs : int, default=None
        Threads; None is 1 and -1 is all. The tree is the same for any number.
    device : str, default="cpu"
        Who counts: "cpu", "cuda" or, of several graphics cards, "cuda:1" and so on. The tree is
        the same. Experimental: not yet measured on a card. "cuda" needs CuPy
        (``bsnsing[cuda12]`` or ``bsnsing[cuda13]``) and an NVIDIA card. The forest stays on the
        CPU, and so do tables of less than 200,000 rows, those that a forest learns a sample of,
        and ``fit_files``.
    verbose : int or bool, default=False
        1 (or True) reports progress to the logger "bsnsing" at level INFO: what the teacher does,
        then for each level its open nodes, their cases, the leaves so far and the share of cases
        that a tree of these nodes gets wrong.
        ``logging.basicConfig(level="INFO")`` shows it; at level DEBUG all models report. From 2 on,
        mixed-integer solvers also print their own logs.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_classes_ : int
        Number of classes.
    tree_ : Tree
        The tree: rules, counts, probabilities, children, objective and proof of each node, for
        what it was grown on and for the node's own cases (see :class:`Tree`). Not there with
        ``multiclass="ovr"`` and more than two classes.
    trees_ : list of Tree
        The tree, or one per class.
    min_samples_leaf_ : int
        Cases that each child needed.
    is_taught_ : bool
        Whether a teacher had a say.
    left_out_ : list of str
        Names of the columns in which nearly every row has a level of its own, so that no rule asks
        about their levels: see :meth:`fit`.
    ccp_alpha_ : float
        Complexity penalty of a leaf.
    costs_ : ndarray of shape (n_classes, n_classes) or None
        What it costs to say the class of a column of a case of the class of a row; None without
        ``cost``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they have names.
    label_name_ : str or None
        Name of the column that the labels came from, where ``y`` was a name.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the total reduction of impurity (see ``ccp_alpha``).

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

    trees_: list[Tree]
    tree_: Tree

    # For subclasses: the numbers behind the teacher, and who counts.
    _distill_config: ClassVar[DistillConfig] = DistillConfig()
    _make_engine: ClassVar[EngineMaker] = NativeEngine

    costs_: NDArray[np.float64] | None = None

    _stored_as: ClassVar[str] = "BsnsingClassifier"
    _stored_parameters: ClassVar[Parameters] = TREE_PARAMETERS
    _kept: ClassVar[dict[str, Sort]] = {
        "is_taught_": "flag",
        "left_out_": "names",
        "min_samples_leaf_": "count",
        "ccp_alpha_": "size",
        "trees_": "trees",
    }

    def __init__(
        self,
        *,
        max_rules: int | str = "auto",
        column_pairs: str | Sequence[Sequence[str]] | None = "auto",
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
        solver_options: MipOptions | Mapping[str, Any] | None = None,
        constraints: RuleConstraints | Mapping[str, Any] | None = None,
        monotonic_cst: Mapping[str, Any] | Sequence[int] | None = None,
        max_columns: int | None = None,
        column_costs: Mapping[str, float] | None = None,
        first_rules: Sequence[Rule | str] | None = None,
        time_limit: float | None = 180.0,
        max_bins: int | None = 255,
        n_segments: int | str = "auto",
        max_levels: int = 30,
        max_values_as_levels: int = 10,
        bin_size: int = 5,
        decimals: int | str | None = "auto",
        extra_questions: Any = None,
        own_questions: bool = True,
        donors_per_node: bool = False,
        categorical_features: CategoricalFeatures = "from_dtype",
        class_weight: dict[Any, float] | str | None = None,
        cost: Mapping[tuple[Any, Any], float] | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        device: str = "cpu",
        verbose: int | bool = False,
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
        self.monotonic_cst = monotonic_cst
        self.max_columns = max_columns
        self.column_costs = column_costs
        self.first_rules = first_rules
        self.time_limit = time_limit
        self.max_bins = max_bins
        self.n_segments = n_segments
        self.max_levels = max_levels
        self.max_values_as_levels = max_values_as_levels
        self.bin_size = bin_size
        self.decimals = decimals
        self.extra_questions = extra_questions
        self.own_questions = own_questions
        self.donors_per_node = donors_per_node
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.cost = cost
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
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

        A fit that fails or is stopped leaves the classifier as it was.

        Text and category columns that name rows are left out, and one warning names them: columns
        of more than ``max_levels`` levels in which more than nine of ten rows, copies aside, are
        the only one of their level. Whether a cell is missing there is still asked. To ask more,
        give ``extra_questions`` about the column, or raise ``max_levels``.

        Parameters
        ----------
        X : array, sparse matrix or dataframe of shape (n_rows, n_columns)
            The table. Columns may be numeric, boolean, categorical or text, dates, times and
            durations, with missing cells. Dates are cut into earlier and later ones, as in ``visit
            before 2021-03-01``; for months, weekdays and hours see :func:`date_parts`.
        y : array-like of shape (n_rows,), or str
            Class labels, or the name of the column of the dataframe X that holds them. That
            column is taken out of X; ``predict`` ignores it.
        sample_weight : array-like of shape (n_rows,), default=None
            Integers count as repeated rows; a teacher learns from copies of these rows up to
            12,000 in all, and from weights beyond. Other weights are relative: they are scaled so
            that their mean is one.

        Returns
        -------
        BsnsingClassifier
            The fitted classifier.
        """
        fresh = working_copy(self)._fit(X, y, sample_weight)
        self._warn_of(fresh)
        return take_over(self, fresh)

    def fit_files(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        target: str,
        sample_weight: str | None = None,
        *,
        memory_limit: int | str | None = None,
        progress: bool = False,
    ) -> BsnsingClassifier:
        """Grow the tree from Parquet files that may be larger than memory.

        The tree is the one that :meth:`fit` grows on all rows at once, bit for bit.

        Parameters
        ----------
        paths : str, path, or several of them
            Files, or patterns such as ``"part-*.parquet"``. All have the same columns.
        target : str
            Name of the column of class labels.
        sample_weight : str, default=None
            Name of the column of weights.
        memory_limit : int or str, default=None
            Bytes, or a text such as ``"4GB"``, that the fit may take beside what Python and its
            libraries take without it; None is half of the machine's memory. Rows are read and
            worked on some at a time, and gathered where they fit. What is not at work lies in the
            folder for temporary files, at most about 12 bytes for each cell. Counts are not
            limited: they grow with bins, levels and classes, and with the number of rows only if
            ``max_bins`` is None, weights are fractions, or text has as many levels as rows.
        progress : bool, default=False
            Whether to show a progress bar on standard error; needs ``rich`` (``bsnsing[cli]``).

        Returns
        -------
        BsnsingClassifier
            The fitted classifier.
        """
        # On request: who fits tables in memory does not wait for what reads files.
        from bsnsing.estimators.bar import progress_bar
        from bsnsing.estimators.files import fit_parquet

        fresh = working_copy(self)
        fresh.label_name_ = target
        with progress_bar() if progress else nullcontext():
            fit_parquet(fresh, paths, target, sample_weight, memory_limit)
        self._warn_of(fresh)
        return take_over(self, fresh)

    def prune(
        self, *, max_leaf_nodes: int | None = None, ccp_alpha: float | None = None
    ) -> BsnsingClassifier:
        """Return the classifier with its tree cut back, by a number of leaves, a penalty, or both.

        What is left is the best subtree of that size (exactly), or at that penalty, in impurity
        of the cases that the tree was learnt from: see ``ccp_alpha``. With one tree per class, each
        is cut back.

        Parameters
        ----------
        max_leaf_nodes : int, default=None
            Most leaves to keep.
        ccp_alpha : float, default=None
            Complexity penalty per leaf, as in ``cost_complexity_pruning_path``.

        Returns
        -------
        BsnsingClassifier
            A new classifier; this one stays as it is.
        """
        check_is_fitted(self)
        wanted = {"max_leaf_nodes": max_leaf_nodes, "ccp_alpha": ccp_alpha or 0.0}
        checks = {name: TREE_PARAMETERS[name] for name in wanted}
        check_parameters(f"{type(self).__name__}.prune", checks, wanted)
        smaller = copy_of(self)
        smaller._keep([prune(tree, ccp_alpha or 0.0, max_leaf_nodes) for tree in self.trees_])
        return smaller

    def pruning_path(self) -> PruningPath:
        """Return the complexity penalties at which the best subtree of the fitted tree changes.

        Returns
        -------
        PruningPath
            ``ccp_alphas``, and the ``impurities`` and ``n_leaves`` of the subtree that is best
            from that penalty on: from the whole tree to the root alone.
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
        """Share of each column in the total reduction of impurity (see ``ccp_alpha``).

        A rule's reduction counts for its questions in equal parts, and for both columns of a pair.
        """
        check_is_fitted(self)
        sums = np.sum([impurity_reductions(tree) for tree in self.trees_], axis=0)
        total = sums.sum()
        shares: NDArray[np.float64] = sums / total if total > 0 else sums
        return shares

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        return tags

    def _warn_of(self, fresh: BsnsingClassifier) -> None:
        """Warn of what a fit has found, in the name of who called it."""
        if fresh.left_out_:
            warnings.warn(message_about(fresh.left_out_), stacklevel=3)
        if fresh.n_classes_ > MANY_CLASSES and self.teacher is not None and not fresh.is_taught_:
            warnings.warn(
                f"y has {fresh.n_classes_} classes, too many for a teacher of its rows, so "
                "that the tree is grown on the labels as they are. Merge rare labels, or set "
                "teacher=None.",
                stacklevel=3,
            )

    def _keep(self, trees: list[Tree]) -> None:
        if len(trees) == 1:
            self.__dict__.update(trees_=trees, tree_=trees[0])  # both or neither
            return
        self.trees_ = trees
        if hasattr(self, "tree_"):
            del self.tree_  # from an earlier fit

    def _restore(self) -> None:
        self.n_classes_ = len(self.classes_)
        self._keep(self.trees_)
        labels, trees = self.classes_.tolist(), self.trees_
        if any(len(tree.columns) != self.n_features_in_ for tree in trees):
            raise ValueError("The trees are about tables of different widths.")
        if len(trees) == 1:
            told = trees[0].classes.tolist()
        else:  # each tells its own class, which comes last
            told = [tree.classes.tolist()[-1] for tree in trees if len(tree.classes) == 2]
        if told != labels:
            raise ValueError("The trees' classes are not those of the model.")
        self.costs_ = trees[0].costs if len(trees) == 1 else read_costs(self.cost, self.classes_)

    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> BsnsingClassifier:
        """Grow and prune without a warning, which is for who fits several to give once."""
        return self._take(self._grow(X, y, sample_weight))

    def _grow(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Growth:
        """Grow the trees, unpruned; proofs are to be completed for what is kept of them."""
        # Not get_params, which looks up the signature anew: a tenth of a small fit.
        parameters = {name: getattr(self, name) for name in TREE_PARAMETERS}
        check_parameters(type(self).__name__, TREE_PARAMETERS, parameters)
        X, y, self.label_name_ = take_labels(X, y)
        table = read_training_table(self, X, self.categorical_features)
        classes, labels = read_labels(y, table.n_rows)
        self._set_classes(classes)
        weights = read_relative_weights(sample_weight, table.n_rows)
        return self._grow_cases(Cases(table, labels, weights).with_weight())

    def _set_classes(self, classes: NDArray[Any]) -> None:
        self.classes_, self.n_classes_ = classes, len(classes)
        self.costs_ = read_costs(self.cost, self.classes_)
        if self.multiclass == "native":
            advice = "Use multiclass='ovr' or another criterion."
            check_n_classes(self.criterion, self.n_classes_, advice)

    def _grow_cases(self, cases: Cases) -> Growth:
        """Grow the trees of cases whose classes are known."""
        return self._note(grow_trees(self, cases, self.classes_))

    def _note(self, growth: Growth) -> Growth:
        """Note how trees grew."""
        self.is_taught_ = growth.is_taught
        self.left_out_ = list(growth.left_out)
        self.min_samples_leaf_ = int(growth.options.search.min_samples_leaf)
        self.ccp_alpha_ = growth.options.ccp_alpha
        return growth

    def _take(self, growth: Growth) -> BsnsingClassifier:
        """Prune trees, and complete the proofs of what is kept of them."""
        held = held_by(read_first_rules(self.first_rules))
        kept = [
            prune(ordered(self, own.tree), self.ccp_alpha_, self.max_leaf_nodes, held)
            for own in growth.trees
        ]
        check_first_rule(self, kept)
        if self.first_rules:
            for tree in kept:
                check_columns(self, tree)
        self._keep(growth.complete(kept))
        return self


set_text_reader(BsnsingClassifier.from_text)  # for Tree.from_text

# For the estimators that are made of this one.
ESTIMATOR_PARAMETER: Parameters = {
    "estimator": (
        any_of(is_none, is_instance_of(BsnsingClassifier)),
        "None or a BsnsingClassifier",
    )
}

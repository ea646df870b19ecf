"""A model as trees of scikit-learn, for SHAP, dtreeviz and what else takes those."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bsnsing.export.form import ModelForm, NodeForm, TreeForm, model_form
from bsnsing.export.sklearn_codes import (
    UNKNOWN,
    UNSEEN,
    YES,
    CellCodes,
    SubjectCodes,
    subject_codes,
)
from bsnsing.tree.tree import Tree

if TYPE_CHECKING:  # imported in functions, as it takes long
    from sklearn.pipeline import Pipeline
    from sklearn.tree import DecisionTreeClassifier

# Cases of all leaves together that no row reached, as a share of all: SHAP divides by the cases of
# nodes.
_FEW_CASES = 1e-9


def to_sklearn(
    model: Any,
    X: Any = None,
    *,
    sample_weight: ArrayLike | None = None,
    unknown: str = "error",
    max_nodes: int = 100_000,
) -> Pipeline:
    """Return an equivalent pipeline of scikit-learn: codes of the cells, then a tree over them.

    Each rule is unrolled into splits on one column. Trees of scikit-learn round numbers to
    float32, so the first step, a :class:`CellCodes`, turns each column into small integers: how
    many thresholds a number, date, time or duration has passed. Probabilities are then the same to
    the last bit, and what SHAP says is about the columns of the table, and about the pairs that
    rules ask about.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    X : table, default=None
        Rows, such as those of fit, by which the cases of the unrolled nodes are counted: SHAP
        weighs ways by them. Without it the cases of each leaf are divided equally among the
        places where unrolling puts it.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of these rows.
    unknown : {"error", "mix", "larger"}, default="error"
        What becomes of cells whose answer is unknown: missing ones in a column that had none at
        fit, and levels that fit never saw. "error" refuses them, and the tree stays small. "mix"
        gives the mean of both ways, as the model does, to the last bit: where a rule is unknown,
        the "no" side is unrolled below each leaf of the "yes" side, which takes many nodes.
        "larger" sends rows whose rule stays unknown the way that more cases went, and is exact for
        all others.
    max_nodes : int, default=100000
        Most nodes to unroll to: each "or" may double what is below it.

    Returns
    -------
    Pipeline
        With steps "codes" and "tree". The latter is a DecisionTreeClassifier; of an ensemble a
        RandomForestClassifier of such trees; with one tree per class a :class:`TreePerClass`.
        Where members vote, or errors cost, it is of a class of its own, whose labels are the
        model's.

    Raises
    ------
    ValueError
        If there were more than ``max_nodes`` nodes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import export_text
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y)
    >>> same = to_sklearn(model, X)
    >>> bool((same.predict_proba(X) == model.predict_proba(X)).all())
    True
    >>> print(export_text(same["tree"], feature_names=same["codes"].get_feature_names_out()))
    |--- petal length (cm) <= 0.50
    |   |--- class: 0
    |--- petal length (cm) >  0.50
    |   |--- petal length (cm) <= 1.50
    |   |   |--- petal width (cm) <= 0.50
    |   |   |   |--- class: 1
    |   |   |--- petal width (cm) >  0.50
    |   |   |   |--- class: 2
    |   |--- petal length (cm) >  1.50
    |   |   |--- class: 2
    <BLANKLINE>
    """
    from sklearn.pipeline import Pipeline

    if unknown not in ("error", "mix", "larger"):
        raise ValueError(f"unknown must be 'error', 'mix' or 'larger'. Got {unknown!r}.")
    form = model_form(model, "to_sklearn")
    codes = subject_codes(form)
    encoder = CellCodes(
        form.columns,
        codes,
        has_names=hasattr(model, "feature_names_in_"),
        label_name=getattr(model, "label_name_", None),
        unknown=unknown,
    ).fit()
    coded = None if X is None else encoder.transform(X)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    members = []
    for member in form.members:
        trees = []
        for tree in member:
            flat = _Unrolling(tree, codes, unknown, max_nodes)
            trees.append(_sklearn_tree(flat, len(codes), coded, weights))
        members.append(trees)
    classes = model.classes if isinstance(model, Tree) else model.classes_
    return Pipeline([("codes", encoder), ("tree", _assembled(form, classes, members))])


def _assembled(
    form: ModelForm, classes: NDArray[Any], members: list[list[DecisionTreeClassifier]]
) -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    from bsnsing.export.sklearn_labels import DecidingForest, DecidingTree, TreePerClass

    trees = [tree for member in members for tree in member]
    is_plain = form.costs is None and form.voting == "soft"
    if any(len(member) > 1 for member in members):
        model: Any = TreePerClass()
        model.members_ = members
    elif len(trees) > 1:
        kind = RandomForestClassifier if is_plain else DecidingForest
        model = kind(n_estimators=len(trees), bootstrap=False)
        model.estimators_ = trees
        model.estimator_ = DecisionTreeClassifier()
        model.n_outputs_, model.n_classes_ = 1, len(classes)
    else:
        (model,) = trees
        if not is_plain:
            model = DecidingTree.of(model)
    if not is_plain or isinstance(model, TreePerClass):
        model.costs_ = None if form.costs is None else np.array(form.costs)
        model.voting_ = form.voting
    model.classes_ = classes
    model.n_features_in_ = trees[0].n_features_in_
    return model


# --- Unrolling ---


@dataclass(eq=False)
class _Work:
    """A node still to be made: where in the tree and in its rule it stands, and what is known."""

    place: int
    node: int
    n_answered: int = 0
    n_unknown: int = 0
    n_yes: int = 0
    ranges: dict[int, tuple[int, int]] = field(default_factory=dict)  # of codes, by feature
    # Rules above that are unknown, and what came of their "yes" side where that is known.
    opened: tuple[tuple[int, NDArray[np.float64] | None], ...] = ()


class _Unrolling:
    """A tree whose every node asks about one code; the left child is ``code <= threshold``."""

    def __init__(
        self, form: TreeForm, codes: list[SubjectCodes], unknown: str, max_nodes: int
    ) -> None:
        self.form = form
        self.codes = codes
        self.position = {own.subject: i for i, own in enumerate(codes)}
        self.takes_all = unknown != "error"
        self.mixes = unknown == "mix"
        self.left: list[int] = [-1]
        self.right: list[int] = [-1]
        self.feature: list[int] = [-2]
        self.threshold: list[float] = [-2.0]
        self.source: list[int] = [0]  # the node of the tree; -1 where it is a mean of several
        self.value: list[NDArray[np.float64] | None] = [None]  # of leaves
        waiting = [_Work(0, 0)]
        while waiting:
            work = waiting.pop()
            waiting += self._advance(work)
            if len(self.left) > max_nodes:
                more = " or leave unknown cells to unknown='error'," if self.mixes else ""
                raise ValueError(
                    f"Unrolled to one column per split, the tree has more than {max_nodes} nodes. "
                    f"Prune it, fit with max_rules=1,{more} or raise max_nodes."
                )

    def _advance(self, work: _Work) -> list[_Work]:
        """Go down until a split or a leaf."""
        while True:
            node = self.form.nodes[work.node]
            if node.is_leaf:
                if self._ends(work, np.array(node.value)):
                    return []
                continue
            holds = self._holds(node, work)
            if holds is not None:
                self._go_on(work, node.yes if holds else node.no)
                continue
            if work.n_answered == len(node.questions):  # and unknown: "yes" first
                work.opened = (*work.opened, (work.node, None))
                self._go_on(work, node.yes)
                continue
            asked = node.questions[work.n_answered]
            feature = self.position[asked.question.column]
            own = self.codes[feature]
            low, high = work.ranges.get(feature, self._whole(own))
            answers = own.answers[asked][low - UNSEEN : high - UNSEEN + 1]
            changes = np.flatnonzero(np.diff(answers))
            if len(changes):
                cut = low + int(changes[len(changes) // 2])
                return self._split(work, feature, low, cut, high)
            work.n_answered += 1
            answer = int(answers[0])
            if answer == UNKNOWN:
                work.n_unknown += 1
            elif (answer == YES) != asked.negated:
                work.n_yes += 1

    @staticmethod
    def _go_on(work: _Work, node: int) -> None:
        work.node = node
        work.n_answered, work.n_unknown, work.n_yes = 0, 0, 0

    def _ends(self, work: _Work, value: NDArray[np.float64]) -> bool:
        """Whether a leaf is the end; if not, go on with the "no" side of the last open rule."""
        self.source[work.place] = work.node if not work.opened else -1
        while work.opened:
            above, yes = work.opened[-1]
            work.opened = work.opened[:-1]
            node = self.form.nodes[above]
            if yes is None:
                work.opened += ((above, value),)
                self._go_on(work, node.no)
                return False
            value = value + node.yes_share * (yes - value)
        self.value[work.place] = value
        return True

    def _whole(self, own: SubjectCodes) -> tuple[int, int]:
        lowest = UNSEEN if own.edges is None else UNSEEN + 1
        return (lowest if self.takes_all else own.lowest), own.n_codes - 1

    def _holds(self, node: NodeForm, work: _Work) -> bool | None:
        """Whether the rule holds by the answers so far; None if more are needed, or unknown."""
        if node.operator == "or" and work.n_yes:
            return True
        if node.operator == "and" and work.n_yes + work.n_unknown < work.n_answered:
            return False
        if work.n_answered < len(node.questions):
            return None
        if work.n_unknown:
            return None if self.mixes else node.yes_share >= 0.5
        return work.n_yes % 2 == 1 if node.operator == "xor" else node.operator == "and"

    def _split(self, work: _Work, feature: int, low: int, cut: int, high: int) -> list[_Work]:
        place = work.place
        self.feature[place], self.threshold[place] = feature, cut + 0.5
        children = []
        for ends, side in (((low, cut), self.left), ((cut + 1, high), self.right)):
            side[place] = len(self.left)
            for column, value in (
                (self.left, -1),
                (self.right, -1),
                (self.feature, -2),
                (self.threshold, -2.0),
                (self.source, -1),
                (self.value, None),
            ):
                column.append(value)  # type: ignore[arg-type]
            children.append(
                _Work(
                    side[place],
                    work.node,
                    work.n_answered,
                    work.n_unknown,
                    work.n_yes,
                    work.ranges | {feature: ends},
                    work.opened,
                )
            )
        return children


# --- From lists to a tree of scikit-learn ---


def _sklearn_tree(
    flat: _Unrolling,
    n_features: int,
    coded: NDArray[np.float32] | None,
    weights: NDArray[np.float64] | None,
) -> DecisionTreeClassifier:
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.tree._tree import NODE_DTYPE

    n_classes = len(flat.form.nodes[0].value)
    nodes = np.zeros(len(flat.left), dtype=NODE_DTYPE)
    nodes["left_child"], nodes["right_child"] = flat.left, flat.right
    nodes["feature"], nodes["threshold"] = flat.feature, flat.threshold
    nothing = np.zeros(n_classes)
    values = np.array([nothing if own is None else own for own in flat.value])
    model = DecisionTreeClassifier()
    model.classes_ = np.arange(n_classes)
    model.n_classes_, model.n_outputs_ = n_classes, 1
    model.n_features_in_ = model.max_features_ = n_features
    depth = _depths(flat)
    if coded is not None:
        _set_tree(model, nodes, values, depth)
        n_rows = np.bincount(model.tree_.apply(coded), minlength=len(nodes)).astype(float)
        n_cases = np.bincount(model.tree_.apply(coded), weights, minlength=len(nodes)).astype(float)
    else:
        n_cases = _shared_cases(flat)
        n_rows = np.rint(n_cases)
    is_leaf = nodes["left_child"] < 0
    few = _FEW_CASES * max(float(n_cases.sum()), 1.0) / is_leaf.sum()
    n_cases[is_leaf] = np.maximum(n_cases[is_leaf], few)
    for i in np.flatnonzero(~is_leaf)[::-1]:  # children come after their parents
        pair = [flat.left[i], flat.right[i]]
        n_rows[i], n_cases[i] = n_rows[pair].sum(), n_cases[pair].sum()
        values[i] = n_cases[pair] @ values[pair] / n_cases[i]
    nodes["n_node_samples"], nodes["weighted_n_node_samples"] = n_rows, n_cases
    nodes["impurity"] = 1 - (values**2).sum(axis=1)
    _set_tree(model, nodes, values, depth)
    return model


def _set_tree(
    model: DecisionTreeClassifier,
    nodes: NDArray[Any],
    values: NDArray[np.float64],
    depth: int,
) -> None:
    from sklearn.tree._tree import Tree as SklearnTree

    tree = SklearnTree(model.n_features_in_, np.array([model.n_classes_], dtype=np.intp), 1)
    tree.__setstate__(
        {
            "max_depth": depth,
            "node_count": len(nodes),
            "nodes": nodes.copy(),
            "values": np.ascontiguousarray(values[:, None, :]),
        }
    )
    model.tree_ = tree


def _depths(flat: _Unrolling) -> int:
    depth = np.zeros(len(flat.left), dtype=np.int64)
    for i, (left, right) in enumerate(zip(flat.left, flat.right, strict=True)):
        if left >= 0:
            depth[[left, right]] = depth[i] + 1
    return int(depth.max())


def _shared_cases(flat: _Unrolling) -> NDArray[np.float64]:
    """The cases of each leaf of the tree, divided equally among the leaves made of it."""
    tree = flat.form.tree
    source = np.array(flat.source)
    is_own = source >= 0  # of one leaf; means of several had no cases
    n_copies = np.bincount(source[is_own], minlength=tree.n_nodes)
    cases = np.add.accumulate(tree.counts * tree.class_weight, axis=1)[:, -1]
    return np.where(is_own, cases[source] / np.maximum(n_copies[source], 1), 0.0)

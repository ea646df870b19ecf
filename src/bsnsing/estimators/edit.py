"""Trees that an expert wrote or changed, on the cases of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.cases import Cases
from bsnsing.data.frames import take_labels
from bsnsing.data.labels import read_labels
from bsnsing.data.table import read_training_table
from bsnsing.data.weights import read_class_weight, read_relative_weights
from bsnsing.estimators.costs import read_costs
from bsnsing.estimators.donors import ask_learners, read_extra_questions
from bsnsing.estimators.knowledge import check_columns, ordered, read_knowledge
from bsnsing.estimators.options import read_options
from bsnsing.grow.options import GrowOptions
from bsnsing.rules.parameters import Parameters, any_of, check_parameters, is_int_between, is_none
from bsnsing.tree.prune import keep_nodes
from bsnsing.tree.rule import Rule
from bsnsing.tree.text import show_class
from bsnsing.tree.tree import Tree

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier
    from bsnsing.grow.rank import Alternative
    from bsnsing.tree.sketch import Sketch


_ALTERNATIVES: Parameters = {
    "k": (is_int_between(1), "an int of at least 1"),
    "max_rules": (any_of(is_none, is_int_between(1, 10)), "None or an int from 1 to 10"),
}


class EditableTree:
    """What experts do with the tree of a :class:`bsnsing.BsnsingClassifier`.

    Each method returns a new classifier and leaves its own as it is. Rules that are given stay as
    they are: the cases say what they are worth, beside the best rule of that size at each node. A
    teacher has no say in such a tree.

    What reads and judges given rules is imported when a method is called: who only fits and
    predicts does not wait for it.
    """

    @classmethod
    def from_text(
        cls,
        text: str,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        **parameters: Any,
    ) -> BsnsingClassifier:
        """Return the tree that a text describes, with the counts and proofs of these cases.

        Parameters
        ----------
        text : str
            A tree as ``export_text`` writes it: a line for each rule, ending in a question mark,
            and below it what "yes:" and "no:" lead to. Labels of leaves may be left out; those that
            are written must be classes, and the cases decide which one is predicted.
        X, y, sample_weight
            The cases, as for ``fit``.
        **parameters
            Of the classifier, such as ``criterion``, by which rules are compared.

        Returns
        -------
        BsnsingClassifier
            A fitted classifier, with ``teacher=None``.

        Raises
        ------
        ParseError, ValueError
            If the text is no tree; the message names the line and the place.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bsnsing import BsnsingClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> tree = '''
        ... petal length (cm) >= 3 ?
        ...   yes: petal width (cm) > 1.7 or petal length (cm) > 5 ?
        ...     yes: 2
        ...     no: 1
        ...   no: 0
        ... '''
        >>> print(BsnsingClassifier.from_text(tree, X, y, shrinkage=0, criterion="gini"))
        petal length (cm) >= 3 ?
          yes: petal width (cm) > 1.7 or petal length (cm) > 5 ?   [7.68; the best rule has 5.66038]
                 yes: 2   (48 of 50)
                 no:  1   (48 of 50)
          no:  0   (50 of 50)
        """
        from bsnsing.tree.sketch import parse_tree

        model = cast("BsnsingClassifier", cls(**({"teacher": None} | parameters)))
        return fit_sketch(model, parse_tree(text), X, y, sample_weight)

    def cut(self, node: int) -> BsnsingClassifier:
        """Return the classifier with a node as a leaf; nothing else changes.

        Parameters
        ----------
        node : int
            Number of the node: ``export_text(model, show_numbers=True)`` shows them.
        """
        model, tree = self._own_tree()
        node = check_node(tree, node)
        is_leaf, optimal = tree.is_leaf.copy(), tree.optimal.copy()
        is_leaf[node] = True
        optimal[node] = True  # no search was cut short there: it is meant to be a leaf
        changed = copy_of(model)
        changed._keep([keep_nodes(replace(tree, optimal=optimal), is_leaf)])
        return changed

    def swap(
        self,
        node: int,
        rule: Rule | str,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> BsnsingClassifier:
        """Return the classifier with another rule at a node; the rules below it stay.

        Parameters
        ----------
        node : int
            Number of an inner node.
        rule : Rule or str
            The rule, perhaps in words: ``"age > 35 or bmi >= 30"``.
        X, y, sample_weight
            The cases that the classifier was fitted to, or others to judge the tree by.
        """
        from bsnsing.tree.sketch import sketch_of

        model, tree = self._own_tree()
        given = Rule.parse(rule) if isinstance(rule, str) else rule
        sketch = sketch_of(tree).with_rule(check_node(tree, node), given)
        return fit_sketch(_untaught(model), sketch, X, y, sample_weight)

    def regrow(
        self, node: int, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> BsnsingClassifier:
        """Return the classifier with what it would grow from a node on, by its own settings.

        Parameters
        ----------
        node : int
            Number of the node, which may be a leaf.
        X, y, sample_weight
            The cases. Those that come to the node are what the new rules are grown on, by a
            teacher of its own if the classifier has one.
        """
        from bsnsing.tree.sketch import sketch_of

        model, tree = self._own_tree()
        node = check_node(tree, node)
        table, labels, _ = take_labels(X, y)
        rows = rows_at(tree, model.apply(table), node)
        if len(rows) == 0:
            raise ValueError(f"No row of X comes to node {node}, so nothing can grow from there.")
        weights = None if sample_weight is None else np.asarray(sample_weight)[rows]
        grown = _unfitted(model)
        if node > 0:  # first rules are those of the whole tree
            grown.set_params(first_rules=None)
        grown.fit(_safe_indexing(table, rows), _safe_indexing(labels, rows), weights)
        sketch = sketch_of(tree).with_subtree(node, sketch_of(grown.tree_))
        return fit_sketch(_untaught(model), sketch, X, y, sample_weight)

    def alternatives(
        self,
        node: int,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        k: int = 10,
        max_rules: int | None = None,
    ) -> list[Alternative]:
        """Return the best rules of a node, in order, with what each would lose: exactly.

        Parameters
        ----------
        node : int
            Number of the node, which may be a leaf.
        X, y, sample_weight
            The cases. The rules are judged by those that come to the node, by the classifier's
            ``criterion``, over the questions that these cases give rise to. They keep the
            classifier's constraints, given the rules above the node and the columns of all others;
            class weights, costs of errors and costs of columns count as in a fit.
        k : int, default=10
            How many rules.
        max_rules : int, default=None
            Most questions in a rule; None is as many as the node's own rule has, and two at a leaf.

        Returns
        -------
        list of Alternative
            Best first; ``str()`` of one tells it in a line. Rules of which a question changes no
            answer are passed over. The node's own rule is among them, whatever it loses. Give the
            ``rule`` of one to :meth:`swap` to take it.
        """
        from bsnsing.grow.rank import rank_at

        model, tree = self._own_tree()
        node = check_node(tree, node)
        given = {"k": k, "max_rules": max_rules}
        check_parameters(f"{type(self).__name__}.alternatives", _ALTERNATIVES, given)
        own = tree.rules[node]
        size = max_rules
        if size is None:
            size = 2 if own is None else len(own.questions)
        table, labels, _ = take_labels(X, y)
        rows = rows_at(tree, model.apply(table), node)
        copy = _untaught(model)
        cases, options = _read(copy, table, labels, sample_weight)
        search = replace(options.search, max_rules=size)
        return rank_at(
            tree,
            node,
            rows,
            cases,
            replace(options, search=search),
            k,
            cuts_units=model.decimals is not None,
        )

    def _own_tree(self) -> tuple[BsnsingClassifier, Tree]:
        model = cast("BsnsingClassifier", self)
        check_is_fitted(model)
        if len(model.trees_) > 1:
            raise ValueError(
                f"There are {len(model.trees_)} trees, one per class. Use multiclass='native' for "
                "one tree that can be changed."
            )
        return model, model.trees_[0]


def _untaught(model: BsnsingClassifier) -> BsnsingClassifier:
    copy: BsnsingClassifier = _unfitted(model).set_params(teacher=None)
    return copy


def _unfitted(model: BsnsingClassifier) -> BsnsingClassifier:
    """Return a copy with the same settings; models that lend questions stay fitted."""
    copy: BsnsingClassifier = clone(model)
    copy.extra_questions = model.extra_questions
    return copy


def copy_of(model: BsnsingClassifier) -> BsnsingClassifier:
    """Return a fitted copy, whose trees can be changed for others."""
    copy = _unfitted(model)
    copy.__dict__.update({k: v for k, v in vars(model).items() if k.endswith("_")})
    return copy


def fit_sketch(
    model: BsnsingClassifier,
    sketch: Sketch,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
) -> BsnsingClassifier:
    """Fit an estimator to cases by given rules; they stay as they are."""
    from bsnsing.grow.given import tree_from_sketch

    X, y, model.label_name_ = take_labels(X, y)
    cases, options = _read(model, X, y, sample_weight)
    tree = tree_from_sketch(sketch, cases, model.classes_, options)
    _check_labels(sketch, tree)
    model.is_taught_ = False
    model.left_out_ = []
    model.min_samples_leaf_ = int(options.search.min_samples_leaf)
    model.ccp_alpha_ = 0.0
    check_columns(model, tree)
    model._keep([ordered(model, tree)])
    return model


def _read(
    model: BsnsingClassifier, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Cases, GrowOptions]:
    """Read the cases, and what the parameters of a model without a teacher say of them."""
    table = read_training_table(model, X, model.categorical_features)
    model.classes_, labels = read_labels(y, table.n_rows)
    model.n_classes_ = len(model.classes_)
    weights = read_relative_weights(sample_weight, table.n_rows)
    cases = Cases(table, labels, weights).with_weight()
    totals = cases.class_totals(model.n_classes_)
    class_weight = read_class_weight(model.class_weight, model.classes_, totals)
    extra = read_extra_questions(model.extra_questions)
    lent = ask_learners(model, extra, cases, model.n_classes_)
    questions = tuple(dict.fromkeys([*extra.on(table), *lent.questions]))
    model.costs_ = read_costs(model.cost, model.classes_)
    options = read_options(
        model,
        None,
        float(totals.sum()),
        class_weight=class_weight,
        costs=model.costs_,
        questions=questions,
        lent=lent,
        knowledge=read_knowledge(model, table.info, model.classes_, label_order=model.classes_),
    )
    return cases, options


def _check_labels(sketch: Sketch, tree: Tree) -> None:
    """Refuse labels that no case has: they are read over easily."""
    known = [show_class(tree, position) for position in range(len(tree.classes))]
    plain = [str(label) for label in tree.classes.tolist()]
    for label in sketch.labels:
        if label is not None and label not in known and label not in plain:
            raise ValueError(
                f"A leaf is labelled {label!r}, which is no class of y. The classes are "
                f"{', '.join(known[:10])}{', ...' if len(known) > 10 else ''}."
            )


def rows_at(tree: Tree, ends: NDArray[np.int64], node: int) -> NDArray[np.intp]:
    """Rows that pass a node, given where they end."""
    is_below = np.zeros(tree.n_nodes, dtype=bool)
    is_below[node] = True
    for v in range(node, tree.n_nodes):  # children come after their parents
        if is_below[v] and tree.children_left[v] >= 0:
            is_below[[tree.children_left[v], tree.children_right[v]]] = True
    return np.flatnonzero(is_below[ends])


def check_node(tree: Tree, node: Any) -> int:
    """Return a node's number, or raise if the tree does not have it."""
    is_whole = isinstance(node, int | np.integer) and not isinstance(node, bool)
    if not is_whole or not 0 <= node < tree.n_nodes:
        raise ValueError(
            f"node must be a number from 0 to {tree.n_nodes - 1}, as export_text shows with "
            f"show_numbers=True. Got {node!r}."
        )
    return int(node)

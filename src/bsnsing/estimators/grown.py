"""Growth: unpruned trees and how they grew; what of the parameters all ways to grow share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.table import Table
from bsnsing.data.weights import design_effect, read_class_weight
from bsnsing.distill.options import Grown
from bsnsing.estimators.costs import one_class_costs, read_costs
from bsnsing.estimators.donors import NOTHING_LENT, Lent
from bsnsing.estimators.knowledge import read_first_rules, read_knowledge
from bsnsing.estimators.options import read_options
from bsnsing.estimators.unasked import Unasked
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.progress import report
from bsnsing.questions.question import Question
from bsnsing.rules.constraints import check_constraints
from bsnsing.rules.deadline import Deadline
from bsnsing.tree.rounding import round_thresholds
from bsnsing.tree.totals import with_true_totals
from bsnsing.tree.tree import Tree
from bsnsing.tree.ungroup import ungroup

if TYPE_CHECKING:
    from bsnsing.distill.canonical import CanonicalForm
    from bsnsing.distill.proof import TaughtProof
    from bsnsing.estimators.classifier import BsnsingClassifier

# Up to MANY_CLASSES any number of rows is taught; beyond, where rows x classes are at most as many
# as the second number.
MANY_CLASSES = 100
_MOST_SOFT_LABELS = 10_000_000


class Rounds(Protocol):
    """Rounds the thresholds of trees."""

    def of(self, tree: Tree) -> Tree:
        """Return the tree with short thresholds."""
        ...


class Rounding(NamedTuple):
    """How the thresholds of trees are rounded, and the rows that must stay on their sides."""

    table: Table
    decimals: int | None
    keeps_digits: bool = False

    def of(self, tree: Tree) -> Tree:
        """Return the tree with short thresholds in the questions of its own."""
        return round_thresholds(
            tree, self.table, self.decimals, own_only=True, keeps_digits=self.keeps_digits
        )


@dataclass(frozen=True, slots=True)
class Growth:
    """Unpruned trees, each with the cases it was learnt from, and the options they grew by."""

    trees: list[Grown]
    options: GrowOptions
    is_taught: bool
    seconds_left: float  # for the proofs
    form: CanonicalForm | None = None  # of the cases that taught trees were grown on
    left_out: tuple[str, ...] = ()  # columns that name rows
    rounding: Rounds | None = None  # of thresholds, at last

    def complete(self, kept: list[Tree]) -> list[Tree]:
        """Complete proofs and probabilities of the trees, of which some nodes were kept."""
        deadline, completed = Deadline(self.seconds_left), list[Tree]()
        for grown, tree in zip(self.trees, kept, strict=True):
            seconds = deadline.left() / (len(kept) - len(completed))
            completed.append(self._completed(tree, grown.proof, seconds))
        return completed if self.rounding is None else list(map(self.rounding.of, completed))

    def _completed(self, tree: Tree, proof: TaughtProof | None, seconds: float) -> Tree:
        if proof is None or self.form is None:
            return tree
        kept = proof.complete(self.form.translate(tree), seconds)
        # Of more than two classes, what is monotone might not stay so.
        if self.options.knowledge is None or len(tree.classes) == 2:
            kept = with_true_totals(kept)
        return self.form.restore(kept)

    def restored(self, form: CanonicalForm) -> Growth:
        """Return trees that were grown on a canonical form as those of the given cases."""
        trees = [
            Grown(form.restore(tree), form.restore_evidence(evidence), proof)
            for tree, evidence, proof in self.trees
        ]
        if len(trees) > 1:  # one per class
            trees = [trees[position] for position in np.argsort(form.classes)]
        return replace(self, trees=trees, form=form)

    def ungrouped(self, rest: Unasked, table: Table) -> Growth:
        """Return trees that were grown on what is left of a table as those of all of it."""
        regrouping, form = rest.regrouping, self.form
        return replace(
            self,
            trees=[own._replace(tree=ungroup(own.tree, regrouping)) for own in self.trees],
            form=None if form is None else form.inside(table, regrouping.kept),
            left_out=tuple(rest.row_names),
        )


def is_teachable(n_rows: int, n_classes: int) -> bool:
    """Whether soft labels fit into memory: a number for each row and class, in dozens of arrays."""
    return n_classes <= MANY_CLASSES or n_rows * n_classes <= _MOST_SOFT_LABELS


def is_taught_by(model: BsnsingClassifier, n_rows: int, n_labels: int, n_classes: int) -> bool:
    """Whether a teacher has a say in trees of these rows, of whose classes ``n_labels`` occur."""
    return model.teacher is not None and n_labels > 1 and is_teachable(n_rows, n_classes)


def is_large(model: BsnsingClassifier, n_rows: int) -> bool:
    """Whether the forest learns a sample of the rows; a teacher of the user's learns all."""
    return isinstance(model.teacher, str) and n_rows > model._distill_config.most_taught


def with_first_rules(
    model: BsnsingClassifier, questions: Sequence[Question]
) -> tuple[Question, ...]:
    """Return the questions that were given, those of the first rules among them."""
    first = read_first_rules(model.first_rules)
    asked_first = (question for rule in first for question in rule.questions)
    return tuple(dict.fromkeys([*questions, *asked_first]))


def names_columns(model: BsnsingClassifier) -> bool:
    """Whether a parameter is about columns, so that all of them are needed."""
    has_groups = isinstance(model.column_pairs, list | tuple)
    given = (
        model.extra_questions,
        check_constraints(model.constraints),
        model.monotonic_cst,
        model.max_columns,
        model.column_costs,
        model.first_rules,
    )
    return has_groups or any(_says_something(own) for own in given)


def _says_something(given: Any) -> bool:
    """Whether a parameter was given, and is not empty: an empty list says what None does."""
    if isinstance(given, list | tuple | set | frozenset):
        return any(_says_something(item) for item in given)
    return given is not None and not (isinstance(given, Mapping) and not given)


def tree_options(
    model: BsnsingClassifier,
    info: Sequence[ColumnInfo],
    classes: NDArray[Any],
    totals: NDArray[np.float64],
    questions: tuple[Question, ...],
    *,
    leaf_rows: int | None = None,
    places: NDArray[np.intp] | None = None,
    lent: Lent = NOTHING_LENT,
) -> GrowOptions:
    """Return how trees of a table grow, of whose classes there are ``totals`` cases.

    ``leaf_rows`` are those that a leaf of the teacher's forest needs, and ``places`` those of the
    columns in the given table, where they are in another order. ``lent`` has the learners that are
    fitted at each node.
    """
    class_weight = read_class_weight(model.class_weight, classes, totals)
    costs = read_costs(model.cost, classes)
    _check_decisions(model, costs)
    options = read_options(
        model,
        leaf_rows,
        float(totals.sum()),
        class_weight=class_weight,
        costs=costs,
        questions=questions,
        lent=lent,
        knowledge=read_knowledge(model, info, classes, label_order=model.classes_),
        first_rules=read_first_rules(model.first_rules),
    )
    if places is not None and options.constraints is not None:
        options = replace(options, places=places)
    if options.split_weight is not None and model.ccp_alpha == "auto":
        # Impurity saved by chance grows with the variance of the weighted cases.
        penalty = options.ccp_alpha * design_effect(totals, options.split_weight)
        options = replace(options, ccp_alpha=penalty)
    return options


def one_per_class(
    classes: NDArray[Any], totals: NDArray[np.float64], options: GrowOptions
) -> Iterator[tuple[NDArray[Any], GrowOptions]]:
    """Yield the classes and options of trees that each tell one class from the rest."""
    for position, label in enumerate(classes.tolist()):
        report(options.reports_progress, "tree of class %r", label)
        class_weight, own_weight = options.class_weight, None
        if class_weight is not None:
            # The rest counts what its cases do on average.
            others = np.arange(len(classes)) != position
            rest = (class_weight * totals)[others].sum() / max(totals[others].sum(), 1.0)
            own_weight = np.array([rest, class_weight[position]])
        costs = options.costs
        own_costs = None if costs is None else one_class_costs(costs, position, totals)
        own = _part(options, len(classes) - position)
        names = np.array([f"not {label}", label], dtype=object)
        yield names, replace(own, class_weight=own_weight, costs=own_costs)


def _part(options: GrowOptions, n_trees: int) -> GrowOptions:
    """Return the options of the next tree: its part of the time that is left for all of them."""
    return replace(options, deadline=Deadline(options.deadline.left() / n_trees))


def _check_decisions(model: BsnsingClassifier, costs: NDArray[np.float64] | None) -> None:
    """Refuse children of different majority classes where labels are no majority."""
    is_single = model.multiclass == "native" or model.n_classes_ <= 2
    if costs is not None and len(costs) > 2 and is_single and model.distinct_children:
        raise ValueError(
            f"distinct_children=True with cost is for two classes, and y has {len(costs)}: the "
            "cheapest of several decisions is no majority. Set one of them aside, or use "
            "multiclass='ovr'."
        )

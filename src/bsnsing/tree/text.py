"""A tree as lines of text: each rule as a question, each leaf with its class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bsnsing.data.show import show_column, show_level, show_name
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import OWN, USER
from bsnsing.tree.children import check_children
from bsnsing.tree.decide import is_outvoted

if TYPE_CHECKING:
    from bsnsing.tree.rule import Rule
    from bsnsing.tree.tree import Node, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOptions:
    """What the text of a tree shows; see :func:`bsnsing.export_text`."""

    max_depth: int | None = None
    show_proof: bool = False
    show_probabilities: bool = False
    event: int | None = None  # position of the class
    full_levels: bool = False
    show_missing: bool = False
    show_numbers: bool = False
    show_origins: bool = False


_AS_PRINTED = TextOptions()


# Levels after which indentation begins anew: the text of a deep tree stays linear in its size.
_LEVELS_INDENTED = 25
_INDENT = " " * 7  # what a level takes: two spaces and "yes: "


def tree_lines(tree: Tree, options: TextOptions = _AS_PRINTED) -> Iterator[str]:
    """One line per node, and before them what the splits of a taught tree are best for.

    Lines are made as they are asked for. Without recursion, as trees can be deeper than the stack
    of Python.
    """
    check_children(tree.children_left, tree.children_right)
    if tree.is_taught and tree.n_nodes > 1:
        yield about_proofs(tree)
    waiting = [("", 0)]
    while waiting:
        answer, i = waiting.pop()
        node = tree.node(i)
        prefix = _indentation(node.depth) + answer
        number = f"#{i} " if options.show_numbers else ""
        is_cut_off = options.max_depth is not None and node.depth >= options.max_depth
        if node.rule is None or is_cut_off:
            yield prefix + number + _leaf_text(tree, node, options)
            continue
        yield (
            f"{prefix}{number}{node.rule.text(full_levels=options.full_levels)} ?"
            f"{proof_text(tree, node, options.show_proof)}"
            f"{missing_text(node.rule) if options.show_missing else ''}"
            f"{origins_text(node.rule, options.full_levels) if options.show_origins else ''}"
        )
        waiting.append(("no:  ", node.right))
        waiting.append(("yes: ", node.left))


def n_tree_lines(tree: Tree) -> int:
    """Return how many lines the whole text of a tree has."""
    return tree.n_nodes + (tree.is_taught and tree.n_nodes > 1)


def _indentation(depth: int) -> str:
    """Two spaces below the answer above; deep down, behind the depth where they begin anew."""
    if depth == 0:
        return ""
    first, below = divmod(depth - 1, _LEVELS_INDENTED)
    mark = f"[depth {first * _LEVELS_INDENTED + 1}]" if first else ""
    return f"{mark}  {_INDENT * below}"


def show_class(tree: Tree, position: int) -> str:
    """Write the label of a class."""
    label = tree.classes[position]
    value = label.item() if hasattr(label, "item") else label
    return show_name(value) if isinstance(value, str) else show_level(value)


def show_probability(probability: float) -> str:
    """In per cent; only what is certain is shown as such."""
    return ">99%" if 0.995 <= probability < 1 else f"{probability:.0%}"


def show_small_probability(probability: float) -> str:
    """In per cent, with a digit more below ten, where a rare event is told from a rarer one."""
    if 0 < probability < 0.0005:
        return "<0.1%"
    return f"{probability:.1%}" if 0 < probability < 0.0995 else show_probability(probability)


def _leaf_text(tree: Tree, node: Node, options: TextOptions) -> str:
    best = int(tree.labels[node.id])
    probability = show_probability(tree.value[node.id, best])
    cases = f"{show_count(node.counts[best])} of {show_count(node.counts.sum())}"
    if (tree.class_weight != tree.class_weight[0]).any():
        cases += f", weighted {probability}"
    if best != tree.value[node.id].argmax():
        cases += "; the cheapest decision"
    if is_outvoted(node.counts * tree.class_weight, best, tree.costs):
        # Few cases are outweighed by what the forest says of them, or by those of the nodes above.
        cases += "; the teacher's label" if tree.is_taught else "; the label of the nodes above"
    chance = f" {probability}" if tree.is_taught else ""
    ending = " ..." if not node.is_leaf else "" if node.optimal else "   [not proven]"
    shares = _shares_text(tree, node, options)
    return f"{show_class(tree, best)}{chance}   ({cases}){shares}{ending}"


def _shares_text(tree: Tree, node: Node, options: TextOptions) -> str:
    """Probabilities of the event, or of all classes, if they are to be shown."""
    if options.event is not None:
        shown = [options.event]
    elif options.show_probabilities:
        shown = list(range(len(tree.classes)))
    else:
        return ""
    shares = (
        f"{show_class(tree, k)} {show_small_probability(float(tree.value[node.id, k]))}"
        for k in shown
    )
    return f"   [{', '.join(shares)}]"


def about_proofs(tree: Tree) -> str:
    """How many splits are proven best for the training set, and for the cases shown."""
    inner = ~tree.is_leaf
    rows = f", {tree.n_synthetic} synthetic rows" if tree.n_synthetic else ""
    return (
        f"Splits proven best: {tree.optimal[inner].sum()} of {inner.sum()} for the teacher's "
        f"training set (soft labels{rows}), {tree.own_optimal.sum()} for the cases counted below."
    )


def proof_text(tree: Tree, node: Node, show_proof: bool) -> str:
    """What is proven of a split, where it is to be shown or less than that it is the best."""
    if tree.is_taught:
        return _taught_proof_text(tree, node, show_proof)
    if node.best_own_objective < node.objective and not node.optimal:  # it was given
        best = "the best rule has" if node.best_own_proven else "a better rule has"
        return f"   [{node.objective:.6g}; {best} {node.best_own_objective:.6g}]"
    if not node.optimal:
        return f"   [best found: {node.objective:.6g}, proven at least {node.bound:.6g}]"
    if not show_proof:
        return ""
    return f"   [optimal: {node.objective:.6g}, of {_n_rules(tree, node):,.0f} rules]"


def _taught_proof_text(tree: Tree, node: Node, show_proof: bool) -> str:
    """The proof for the training set and, on request, what the rule is on the node's own cases."""
    if node.optimal and not show_proof:
        return ""
    if node.optimal:
        proof = f"optimal of {_n_rules(tree, node):,.0f} rules"
    else:
        proof = f"proven at least {node.bound:.6g}"
    text = f"training set: {node.objective:.6g}, {proof}"
    if show_proof:
        best = f"best {'' if node.best_own_proven else 'found '}{node.best_own_objective:.6g}"
        own = "optimal" if tree.own_optimal[node.id] else best
        text += f"; own cases: {node.own_objective:.6g}, {own}"
    return f"   [{text}]"


def _n_rules(tree: Tree, node: Node) -> float:
    return float(tree.n_counted[node.id] + tree.n_excluded[node.id])


def missing_text(rule: Rule) -> str:
    """Where cases go whose cell is missing, of each column that had missing cells at fit."""
    words = {True: "yes", False: "no", None: "by the rest"}
    parts = [
        f"missing {subject if isinstance(subject, ColumnPair) else show_column(subject)}: "
        f"{words[answer]}"
        for subject, answer in rule.answers_to_missing().items()
    ]
    return f"   [{'; '.join(parts)}]" if parts else ""


def origins_text(rule: Rule, full_levels: bool = False) -> str:
    """Where the questions of a rule came from that the tree did not ask of itself."""
    parts = lent_questions(rule, full_levels)
    return f"   [{'; '.join(parts)}]" if parts else ""


def lent_questions(rule: Rule, full_levels: bool = False) -> list[str]:
    """The questions of a rule that the tree did not ask of itself, each with its origin."""
    missing = rule.has_missing or (False,) * len(rule.questions)
    return [
        f"{question.text(negated=negated, has_missing=has_missing, full_levels=full_levels)} "
        f"from {show_origin(question.origin)}"
        for question, negated, has_missing in zip(
            rule.questions, rule.negated, missing, strict=True
        )
        if question.origin not in (None, OWN)
    ]


def show_origin(origin: str | None) -> str:
    """Write where a question came from."""
    if origin in (None, OWN):
        return "the tree itself"
    return "the user" if origin == USER else show_name(str(origin))


def show_count(count: float) -> str:
    """Write a number of cases, which weights may make a fraction."""
    return f"{count:.0f}" if count == round(count) else f"{count:.1f}"

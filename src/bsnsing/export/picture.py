"""What a picture of a tree says: the words of each node that it draws."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

import numpy as np

from bsnsing.data.show import plainer_beside, plainly, show_name
from bsnsing.export.case import nodes_of_case
from bsnsing.export.direction import in_line
from bsnsing.export.form import TreeForm, renamed, titled_trees
from bsnsing.export.palette import ClassColour, class_colours, rest_colour
from bsnsing.export.picture_options import PictureOptions
from bsnsing.export.text import places_of
from bsnsing.export.text_width import ELLIPSIS
from bsnsing.questions.question import TESTS
from bsnsing.tree.decide import is_outvoted
from bsnsing.tree.model import check_tree_model
from bsnsing.tree.text import (
    lent_questions,
    missing_text,
    proof_text,
    show_class,
    show_count,
    show_origin,
    show_probability,
    show_small_probability,
)
from bsnsing.tree.tree import Tree

_LONGEST_NAME = 90  # of a column, level or class; longer ones are cut short in their middle
# Classes that a node lists at most, and that its title does.
_MOST_CLASSES = 5


@dataclass(frozen=True, slots=True)
class NodeWords:
    """What one drawn node says."""

    node: int
    kind: Literal["rule", "leaf", "collapsed"]
    best: int  # position of its most probable class
    questions: tuple[str, ...]  # of a rule, one text each, with the word that joins them
    label: str  # of what is drawn as a leaf, with its probability; else ""
    details: tuple[str, ...]
    notes: tuple[str, ...]
    number: str  # of the node; "" where it is not shown
    title: str  # all of it in words, for who does not see the picture
    cases: float
    shares: tuple[float, ...]  # probability of each class
    probability: float  # of the event, or of the most probable class
    depth: int
    yes: int = -1  # position among the drawn nodes
    no: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class TreePicture:
    """One tree of a model, as words: what every kind of picture is drawn from."""

    number: int  # among the trees of the model
    title: str
    tree: Tree
    nodes: tuple[NodeWords, ...]  # children after parents
    colours: tuple[ClassColour, ...]  # by position among the tree's classes
    labels: tuple[str, ...]
    lit: frozenset[int]  # nodes on the highlighted path
    event: int | None  # position of the class whose probability is told; None for the best
    options: PictureOptions


def tree_pictures(
    model: Any, caller: str, options: PictureOptions, *, most: int | None = None
) -> list[TreePicture]:
    """Return what to draw of each tree of a fitted model, or of a Tree; of the first ``most``."""
    check_tree_model(model, caller)
    titled = list(islice(titled_trees(model), most))
    if options.path is not None and len(titled) > 1:
        raise ValueError(
            f"path={list(options.path)!r} is of one tree, but the model has {len(titled)}. Draw "
            "one of model.trees_, or light up a case."
        )
    classes = (titled[0][1].classes if isinstance(model, Tree) else model.classes_).tolist()
    colours = class_colours(classes, options.palette)
    events = places_of(options.event, [tree for _, tree in titled])
    pictures = []
    for number, ((title, tree), event) in enumerate(zip(titled, events, strict=True)):
        lit = _lit_nodes(tree, options)
        tree = _shortened(_rounded(renamed(tree, options.feature_names), options.digits))
        heading = ": ".join(filter(None, [options.title and show_name(options.title), title]))
        pictures.append(
            TreePicture(
                number=number,
                title=heading,
                tree=tree,
                nodes=_words_of(tree, event, options),
                colours=tuple(colours.get(c, rest_colour()) for c in tree.classes.tolist()),
                labels=tuple(_labels_of(tree)),
                lit=lit,
                event=event,
                options=options,
            )
        )
    return pictures


def _shortened(tree: Tree) -> Tree:
    """Return the tree with names and levels that a picture has room for."""
    shorter = dict(zip(*_short_texts([column.name for column in tree.columns]), strict=True))
    columns = tuple(
        replace(
            column,
            name=shorter[column.name],
            levels=tuple(_short_texts(column.levels)[1]),
        )
        for column in tree.columns
    )
    if columns == tree.columns:
        return tree
    pairs = (replace(p, first=shorter[p.first], second=shorter[p.second]) for p in tree.pairs)
    return replace(tree, columns=columns, pairs=tuple(pairs))


def _short_texts(texts: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return texts, and the same cut short in their middle; as they are where two would be one."""
    short = [_short(text) if isinstance(text, str) else text for text in texts]
    return list(texts), short if len(set(short)) == len(short) else list(texts)


def _short(text: str) -> str:
    if len(text) <= _LONGEST_NAME:
        return text
    return f"{text[: _LONGEST_NAME // 2]}{ELLIPSIS}{text[-_LONGEST_NAME // 3 :]}"


def _labels_of(tree: Tree) -> list[str]:
    return [_short(show_class(tree, k)) for k in range(len(tree.classes))]


def _rounded(tree: Tree, digits: int | None) -> Tree:
    """Return the tree with thresholds of ``digits`` digits; single values stay as they are."""
    if digits is None:
        return tree
    tests = [TESTS[test] for test in tree.question_test]
    values = np.array(
        [
            _rounded_threshold(value, test, digits) if test in ("<", ">") else value
            for value, test in zip(tree.question_value.tolist(), tests, strict=True)
        ]
    )
    # The greatest numbers would be rounded to infinity.
    return replace(tree, question_value=np.where(np.isinf(values), tree.question_value, values))


def _rounded_threshold(value: float, test: str, digits: int) -> float:
    """Round a threshold; ``x >= 30`` stays a question with the number itself."""
    towards = math.inf if test == ">" else -math.inf
    beside = plainer_beside(value, towards)
    rounded = float(f"{value if beside is None else beside:.{digits}g}")
    return rounded if beside is None else math.nextafter(rounded, -towards)


def _lit_nodes(tree: Tree, options: PictureOptions) -> frozenset[int]:
    if options.path is not None:
        unknown = [node for node in options.path if not 0 <= node < tree.n_nodes]
        if unknown:
            raise ValueError(
                f"The path has a node {unknown[0]}, but the tree's nodes are 0 to "
                f"{tree.n_nodes - 1}. Take them from model.apply or model.decision_path."
            )
        return frozenset(int(node) for node in options.path)
    return frozenset() if options.case is None else nodes_of_case(TreeForm("", tree), options.case)


def drawn_nodes(tree: Tree, max_depth: int | None, max_leaves: int | None) -> list[int]:
    """Return the nodes to draw, in order: those of most cases are opened first."""
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    if max_depth is not None:
        depth = tree.depth.tolist()
        left = [child if own < max_depth else -1 for child, own in zip(left, depth, strict=True)]
    most = tree.n_leaves if max_leaves is None else max_leaves
    return sorted(largest_first(tree.counts.sum(axis=1).tolist(), left, right, most))


def largest_first(
    cases: Sequence[float], left: Sequence[int], right: Sequence[int], most: int, root: int = 0
) -> list[int]:
    """Return nodes at and below a root, opened in the order of their cases up to ``most`` ends."""
    drawn, n_ends = [root], 1
    waiting = [(-cases[root], root)]
    while waiting and n_ends < most:
        _, node = heapq.heappop(waiting)
        if left[node] < 0:
            continue
        n_ends += 1
        for child in (left[node], right[node]):
            drawn.append(child)
            heapq.heappush(waiting, (-cases[child], child))
    return drawn


def leaves_below(tree: Tree) -> list[int]:
    """Return the number of leaves at or below each node."""
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    below = [1] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if left[node] >= 0:
            below[node] = below[left[node]] + below[right[node]]
    return below


def _words_of(tree: Tree, event: int | None, options: PictureOptions) -> tuple[NodeWords, ...]:
    drawn = drawn_nodes(tree, options.max_depth, options.max_leaves)
    place = {node: i for i, node in enumerate(drawn)}
    speaker = _Speaker(tree, event, options, leaves_below(tree))
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    return tuple(
        speaker.words(node, place.get(left[node], -1), place.get(right[node], -1)) for node in drawn
    )


class _Speaker:
    """Puts the nodes of one tree into words."""

    def __init__(
        self, tree: Tree, event: int | None, options: PictureOptions, below: list[int]
    ) -> None:
        self.tree, self.event, self.options, self.below = tree, event, options, below
        self.counts = tree.counts.tolist()
        self.values = tree.value.tolist()
        self.best = tree.labels.tolist()
        self.all_cases = float(tree.counts[0].sum())
        self.is_weighted = bool((tree.class_weight != tree.class_weight[0]).any())
        self.labels = _labels_of(tree)

    def words(self, node: int, yes: int, no: int) -> NodeWords:
        value = self.values[node]
        best = self.best[node]
        is_rule = yes >= 0
        is_leaf = self.tree.children_left[node] < 0
        told = best if self.event is None else self.event
        write = show_probability if self.event is None else show_small_probability
        questions = self._questions(node) if is_rule else ()
        label = "" if is_rule else f"{self.labels[told]} {write(value[told])}"
        details = self._details(node, best, is_rule)
        notes = self._notes(node, best, is_rule, is_leaf)
        return NodeWords(
            node=node,
            kind="rule" if is_rule else "leaf" if is_leaf else "collapsed",
            best=best,
            questions=questions,
            label=label,
            details=tuple(details),
            notes=tuple(notes),
            number=f"#{node}" if self.options.show_numbers else "",
            title=self._title(node, " ".join(questions) or label, notes),
            cases=sum(self.counts[node]),
            shares=tuple(value),
            probability=value[told],
            depth=int(self.tree.depth[node]),
            yes=yes,
            no=no,
        )

    def _questions(self, node: int) -> tuple[str, ...]:
        rule = self.tree.rules[node]
        assert rule is not None
        texts = list(map(plainly, rule.texts(full_levels=self.options.full_levels)))
        return (texts[0], *(f"{rule.operator} {text}" for text in texts[1:]))

    def _details(self, node: int, best: int, is_rule: bool) -> list[str]:
        counts, value, shown = self.counts[node], self.values[node], self.options.shown
        n_cases = sum(counts)
        details = []
        if self.event is not None and is_rule:
            details.append(f"{self.labels[self.event]} {show_small_probability(value[self.event])}")
        if "counts" in shown:
            cases = show_count(n_cases)
            is_share = not is_rule and self.event is None
            details.append(f"{show_count(counts[best])} of {cases}" if is_share else _cases(cases))
        if "classes" in shown:
            details += self._listed(counts, show_count)
        if "shares" in shown:
            share = n_cases / self.all_cases if self.all_cases > 0 else 0.0
            details.append(f"{show_small_probability(share)} of cases")
        if "probabilities" in shown and self.event is None:
            details += self._listed(value, show_small_probability)
        return details

    def _listed(self, numbers: list[float], write: Any) -> list[str]:
        """One line for each class, and at most a few."""
        order = list(range(len(numbers)))
        if len(order) > _MOST_CLASSES:
            order = sorted(order, key=lambda k: -numbers[k])[: _MOST_CLASSES - 1]
        lines = [f"{self.labels[k]} {write(numbers[k])}" for k in order]
        n_left = len(numbers) - len(order)
        return [*lines, f"{n_left} more classes"] if n_left else lines

    def _notes(self, node: int, best: int, is_rule: bool, is_leaf: bool) -> list[str]:
        tree, notes = self.tree, []
        if not is_rule and not is_leaf:
            notes.append(f"{self.below[node]} leaves below")
        if not is_rule:
            if self.values[node][best] < max(self.values[node]):
                notes.append("cheapest decision")
            if is_outvoted(tree.counts[node] * tree.class_weight, best, tree.costs):
                notes.append("teacher's label" if tree.is_taught else "label from above")
        if self.options.show_missing and is_rule:
            rule = tree.rules[node]
            assert rule is not None
            notes += filter(None, [missing_text(rule).strip().strip("[]")])
        if self.options.show_origins and is_rule:
            notes += map(plainly, self._origins(node))
        if is_rule and self.options.show_proof:
            notes.append(proof_text(tree, tree.node(node), True).strip().strip("[]"))
        elif not tree.optimal[node] and (is_rule or is_leaf):
            notes.append("not proven best" if is_rule else "not proven")
        return notes

    def _origins(self, node: int) -> list[str]:
        rule = self.tree.rules[node]
        assert rule is not None
        lent = lent_questions(rule, self.options.full_levels)
        is_clear = len(rule.questions) == 1 and lent
        return [f"from {show_origin(rule.questions[0].origin)}"] if is_clear else lent

    def _title(self, node: int, says: str, notes: list[str]) -> str:
        numbers = self.values[node]
        order = sorted(range(len(numbers)), key=lambda k: -numbers[k])[:_MOST_CLASSES]
        shares = ", ".join(f"{self.labels[k]} {show_small_probability(numbers[k])}" for k in order)
        cases = _cases(show_count(sum(self.counts[node])))
        parts = [f"Node {node}: {says}", f"{cases}: {shares}", *notes]
        return in_line(". ".join(parts))


def _cases(count: str) -> str:
    return f"{count} case" if count == "1" else f"{count} cases"

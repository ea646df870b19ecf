"""Sketch: the rules of a tree without any case, as an expert writes or changes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bsnsing.questions.grammar import ParseError, parse_rule_at
from bsnsing.tree.rule import Rule
from bsnsing.tree.tree import Tree

_TAG = re.compile(r"((?:\[depth \d+\])?\s*)(yes|no):\s*", re.IGNORECASE)
_NUMBER = re.compile(r"\s*#\d+\s+")
# Nothing behind a rule's question mark, or notes from "[" to "]".
_NOTES = re.compile(r"\s*(?:\[.*\]\s*)?")
# What export_text writes behind the label of a leaf.
_AFTER_LABEL = re.compile(r"(?<!\s)\s+>?\d+%\s*$")
_BEFORE_NOTES = re.compile(r"(?<!\s)\s{2,}[(\[]")


@dataclass(frozen=True, slots=True)
class Sketch:
    """Rules and where they lead; node 0 is the root, and children come after their parents."""

    rules: tuple[Rule | None, ...]  # None at a leaf
    yes: tuple[int, ...]  # -1 at a leaf
    no: tuple[int, ...]
    labels: tuple[str | None, ...]  # written at a leaf

    def with_rule(self, node: int, rule: Rule) -> Sketch:
        """Return the sketch with another rule at an inner node."""
        if self.rules[node] is None:
            raise ValueError(f"Node {node} is a leaf, which has no rule to change.")
        rules = (*self.rules[:node], rule, *self.rules[node + 1 :])
        return replace(self, rules=rules)

    def with_subtree(self, node: int, other: Sketch) -> Sketch:
        """Return the sketch with another one in the place of a node and all below it."""
        parts: list[tuple[Rule | None, int, str | None]] = []  # rule, depth, label; yes first
        replaced: int | None = None  # depth of the node while what is below it goes by
        for own, depth in self._in_order():
            if replaced is not None and depth > replaced:
                continue
            replaced = depth if own == node else None
            if own == node:
                parts += [
                    (other.rules[i], depth + below, other.labels[i])
                    for i, below in other._in_order()
                ]
            else:
                parts.append((self.rules[own], depth, self.labels[own]))
        return _from_preorder(parts)

    def _in_order(self) -> Iterator[tuple[int, int]]:
        """Nodes and their depths, each before what is below it, yes before no."""
        waiting = [(0, 0)]
        while waiting:
            node, depth = waiting.pop()
            yield node, depth
            if self.rules[node] is not None:
                waiting += [(self.no[node], depth + 1), (self.yes[node], depth + 1)]


LEAF = Sketch((None,), (-1,), (-1,), (None,))


def sketch_of(tree: Tree) -> Sketch:
    """Return the rules of a tree."""
    return Sketch(
        tree.rules,
        tuple(tree.children_left.tolist()),
        tuple(tree.children_right.tolist()),
        (None,) * tree.n_nodes,
    )


def parse_tree(text: str) -> Sketch:
    """Read a tree in the form that ``export_text`` writes: a line for each rule and each leaf.

    A rule ends in a question mark, and is followed by what its "yes:" and its "no:" lead to. What a
    leaf says behind its label, and node numbers and proofs in brackets, are not read.

    Raises
    ------
    ParseError
        If a line is no rule; the message points at the place.
    ValueError
        If a branch is missing or stands at the wrong place.
    """
    parts: list[tuple[Rule | None, int, str | None]] = []
    open_tags: list[_OpenRule] = []  # rules on the way, and which branch comes next
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("Splits proven best:"):
            continue
        start = _read_tag(line, number, open_tags, is_first=not parts)
        rule, label = _read_node(line, start, number)
        parts.append((rule, len(open_tags), label))
        if rule is not None:
            open_tags.append(_OpenRule(number))
        while rule is None and open_tags and open_tags[-1].next_tag == "no":
            if not open_tags[-1].is_last:
                break
            open_tags.pop()
    if not parts:
        raise ValueError("There is no tree in an empty text. Write a rule or a leaf per line.")
    if open_tags:
        last = open_tags[-1]
        raise ValueError(f"The rule in line {last.line} has no '{last.next_tag}:' branch.")
    return _from_preorder(parts)


@dataclass(slots=True)
class _OpenRule:
    """A rule whose branches are still to come."""

    line: int
    next_tag: str = "yes"
    column: int | None = None  # where its tags stand
    is_last: bool = False  # whether its last branch has begun


def _read_tag(line: str, number: int, open_tags: Sequence[_OpenRule], *, is_first: bool) -> int:
    """Read "yes:" or "no:", check that it is what comes next, and return where the rest begins."""
    found = _TAG.match(line)
    if is_first:
        return 0 if found is None else found.end()
    if not open_tags:
        raise ValueError(f"Line {number} belongs to no rule: the tree is complete before it.")
    rule = open_tags[-1]
    tag = None if found is None else found.group(2).lower()
    if found is None or tag != rule.next_tag:
        raise ValueError(
            f"Line {number} must begin with '{rule.next_tag}:', the next branch of the rule in "
            f"line {rule.line}."
        )
    column = len(found.group(1))
    if rule.column not in (None, column):
        raise ValueError(
            f"'no:' in line {number} must stand below the 'yes:' of the rule in line {rule.line}."
        )
    rule.column, rule.is_last, rule.next_tag = column, tag == "no", "no"
    return found.end()


def _read_node(line: str, start: int, number: int) -> tuple[Rule | None, str | None]:
    """The rule of a line, or the label of a leaf."""
    numbered = _NUMBER.match(line, start)
    start = start if numbered is None else numbered.end()
    try:
        parsed, end = parse_rule_at(line, start)
    except ParseError as error:
        if _is_rule_end(line, _question_mark_of(line, start)):
            message = str(error).split("\n", 1)[0]
            raise ParseError(f"Line {number}: {message}", line, error.place) from error
        return None, _label(line[start:])
    if not _is_rule_end(line, end):
        return None, _label(line[start:])
    return Rule(
        tuple(literal.question for literal in parsed.literals),
        tuple(literal.negated for literal in parsed.literals),
        parsed.operator,
    ), None


def _is_rule_end(line: str, place: int) -> bool:
    """Whether a question mark stands here, with nothing but notes behind it."""
    while place < len(line) and line[place].isspace():
        place += 1
    return line.startswith("?", place) and bool(_NOTES.fullmatch(line, place + 1))


def _question_mark_of(line: str, start: int) -> int:
    """Return where the question mark of a line would be: the last, or one before notes."""
    bare = line.rstrip()
    if not bare.endswith("]"):
        return bare.rfind("?", start) if bare.endswith("?") else len(line)
    before = re.compile(r"\?\s*\[").search(line, start)
    return len(line) if before is None else before.start()


def _label(text: str) -> str | None:
    """The label of a leaf; None where it says nothing."""
    label = _AFTER_LABEL.sub("", _BEFORE_NOTES.split(text.strip(), maxsplit=1)[0]).strip()
    if label.startswith('"'):
        try:
            label = str(json.loads(label))
        except json.JSONDecodeError:
            return label
    return None if label in ("", "...", "leaf") else label


def _from_preorder(parts: Sequence[tuple[Rule | None, int, str | None]]) -> Sketch:
    """Nodes in order, yes before no, with their depths -> a sketch."""
    yes, no = [-1] * len(parts), [-1] * len(parts)
    path: list[int] = []
    for node, (_, depth, _) in enumerate(parts):
        del path[depth:]
        if path:
            branches = yes if yes[path[-1]] < 0 else no
            branches[path[-1]] = node
        path.append(node)
    return Sketch(
        tuple(rule for rule, _, _ in parts),
        tuple(yes),
        tuple(no),
        tuple(label for _, _, label in parts),
    )

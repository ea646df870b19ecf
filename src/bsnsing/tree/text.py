"""A tree as lines of text: each rule as a question, each leaf with its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bsnsing.data.show import show_level, show_name

if TYPE_CHECKING:
    from bsnsing.tree.tree import Node, Tree


def tree_lines(tree: Tree, max_depth: int | None = None, show_proof: bool = False) -> list[str]:
    """One line per node; without recursion, as trees can be deeper than the stack of Python."""
    lines = []
    waiting = [("", 0)]
    while waiting:
        prefix, i = waiting.pop()
        node = tree.node(i)
        if node.is_leaf or (max_depth is not None and node.depth >= max_depth):
            lines.append(prefix + _leaf_text(tree, node))
            continue
        lines.append(f"{prefix}{node.rule} ?{_proof_text(tree, node, show_proof)}")
        inside = " " * len(prefix) + "  "
        waiting.append((f"{inside}no:  ", node.right))
        waiting.append((f"{inside}yes: ", node.left))
    return lines


def show_class(tree: Tree, position: int) -> str:
    """Write the label of a class."""
    label = tree.classes[position]
    value = label.item() if hasattr(label, "item") else label
    return show_name(value) if isinstance(value, str) else show_level(value)


def show_probability(probability: float) -> str:
    """In per cent; only what is certain is shown as such."""
    return ">99%" if 0.995 <= probability < 1 else f"{probability:.0%}"


def _leaf_text(tree: Tree, node: Node) -> str:
    best = int(tree.value[node.id].argmax())
    probability = show_probability(tree.value[node.id, best])
    cases = f"{_show_count(node.counts[best])} of {_show_count(node.counts.sum())}"
    if (tree.class_weight != tree.class_weight[0]).any():
        cases += f", weighted {probability}"
    chance = f" {probability}" if tree.is_taught else ""
    ending = " ..." if not node.is_leaf else "" if node.optimal else "   [not proven]"
    return f"{show_class(tree, best)}{chance}   ({cases}){ending}"


def _proof_text(tree: Tree, node: Node, show_proof: bool) -> str:
    if not node.optimal:
        return f"   [best found: {node.objective:.6g}, proven at least {node.bound:.6g}]"
    if not show_proof:
        return ""
    n_rules = tree.n_counted[node.id] + tree.n_excluded[node.id]
    return f"   [optimal: {node.objective:.6g}, of {n_rules:,.0f} rules]"


def _show_count(count: float) -> str:
    return f"{count:.0f}" if count == round(count) else f"{count:.1f}"

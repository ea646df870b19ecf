"""A tree as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bsnsing.tree.model import check_tree_model
from bsnsing.tree.text import show_class, tree_lines
from bsnsing.tree.tree import Tree


def export_text(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    max_depth: int | None = None,
    show_proof: bool = False,
) -> str:
    """Write a tree as indented text: each rule as a question, each leaf with its class.

    Leaves tell how many of their cases are of the class and, where a teacher had a say in it, how
    probable the class is. A split that a limit cut short is
    marked, with the bound that was proven.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it. Where there are several trees, each has a title.
    feature_names : sequence of str, default=None
        Names to write for the columns, instead of those the model was fitted with.
    max_depth : int, default=None
        Cut the text (not the tree) off below this depth.
    show_proof : bool, default=False
        Write every split's objective, and how many rules it was proven against.

    Returns
    -------
    str
        One line per node.

    Raises
    ------
    TypeError
        If the model is of another kind.
    NotFittedError
        If the model is not fitted.
    """
    check_tree_model(model, "export_text")
    parts = []
    for title, tree in _titled_trees(model):
        lines = tree_lines(_renamed(tree, feature_names), max_depth, show_proof)
        parts.append("\n".join([f"[{title}]", *lines] if title else lines))
    return "\n\n".join(parts)


def _titled_trees(model: Any) -> Iterator[tuple[str, Tree]]:
    if isinstance(model, Tree):
        yield "", model
        return
    members = getattr(model, "estimators_", [model])  # an ensemble's, which each have trees
    for number, member in enumerate(members, start=1):
        of_ensemble = f"tree {number} of {len(members)}" if len(members) > 1 else ""
        for tree in member.trees_:
            # One-versus-rest: each tree tells its own class, which comes last.
            of_class = f"{show_class(tree, 1)} or not" if len(member.trees_) > 1 else ""
            yield ": ".join(filter(None, [of_ensemble, of_class])), tree


def _renamed(tree: Tree, feature_names: Sequence[str] | None) -> Tree:
    if feature_names is None:
        return tree
    if len(feature_names) != len(tree.columns):
        raise ValueError(
            f"feature_names must name the {len(tree.columns)} columns of the tree. "
            f"Got {len(feature_names)} names."
        )
    name = {c.name: str(new) for c, new in zip(tree.columns, feature_names, strict=True)}
    return replace(
        tree,
        columns=tuple(replace(c, name=name[c.name]) for c in tree.columns),
        pairs=tuple(replace(p, first=name[p.first], second=name[p.second]) for p in tree.pairs),
    )

"""A tree as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bsnsing.tree.model import check_tree_model
from bsnsing.tree.text import TextOptions, show_class, tree_lines
from bsnsing.tree.tree import Tree


def export_text(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    max_depth: int | None = None,
    show_proof: bool = False,
    show_probabilities: bool = False,
    event: Any = None,
    full_levels: bool = False,
    show_missing: bool = False,
    show_numbers: bool = False,
) -> str:
    """Write a tree as indented text: each rule as a question, each leaf with its class.

    Leaves tell how many of their cases are of the class and, where a teacher had a say in it, how
    probable the class is. There, a first line says for how many splits it is proven that no rule
    is better: for the teacher's training set, which the tree was grown on, and for the cases that
    the leaves count. A split that is not proven optimal for what the tree was grown on is marked,
    with the bound that was proven.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it. Where there are several trees, each has a title.
    feature_names : sequence of str, default=None
        Names to write for the columns, instead of those the model was fitted with.
    max_depth : int, default=None
        Cut the text (not the tree) off below this depth.
    show_proof : bool, default=False
        Write every split's objective, and how many rules it was proven against. Where a teacher
        had a say, both are those of its training set, and are followed by the rule's objective on
        the node's own cases, beside that of the best rule of its size there.
    show_probabilities : bool, default=False
        Write the probabilities of all classes at each leaf.
    event : class label, default=None
        Write the probability of this class at each leaf, and of no other. With one tree per
        class, at the leaves of its own tree.
    full_levels : bool, default=False
        List all levels of a group, instead of the first few and their number.
    show_missing : bool, default=False
        Write which way missing cells go, at each rule about a column that had some at fit: to
        "yes", to "no", or "by the rest" where the rule's other columns decide.
    show_numbers : bool, default=False
        Write the number of each node, as in ``model.apply`` and ``tree.node``.

    Returns
    -------
    str
        One line per node, after one about the proofs where a teacher had a say.

    Raises
    ------
    TypeError
        If the model is of another kind.
    NotFittedError
        If the model is not fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y)
    >>> print(export_text(model, event=2, show_numbers=True))
    #0 petal length (cm) > 2.45 ?
      yes: #1 petal length (cm) > 4.95 or petal width (cm) > 1.65 ?
             yes: #3 2   (50 of 53)   [2 94%]
             no:  #4 1   (47 of 47)   [2 0%]
      no:  #2 0   (50 of 50)   [2 0%]
    """
    check_tree_model(model, "export_text")
    options = TextOptions(
        max_depth=max_depth,
        show_proof=show_proof,
        show_probabilities=show_probabilities,
        full_levels=full_levels,
        show_missing=show_missing,
        show_numbers=show_numbers,
    )
    titled = list(_titled_trees(model))
    places = _places_of(event, [tree for _, tree in titled])
    parts = []
    for (title, tree), place in zip(titled, places, strict=True):
        lines = tree_lines(_renamed(tree, feature_names), replace(options, event=place))
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


def _places_of(event: Any, trees: Sequence[Tree]) -> list[int | None]:
    """Position of a class among the classes of each tree; None where a tree has it not."""
    if event is None:
        return [None] * len(trees)
    labels = [tree.classes.tolist() for tree in trees]
    if not any(event in own for own in labels):
        known = list(dict.fromkeys(label for own in labels for label in own))
        raise ValueError(
            f"event={event!r} is no class of the model. Its classes are "
            f"{', '.join(map(repr, known[:10]))}{', ...' if len(known) > 10 else ''}."
        )
    return [own.index(event) if event in own else None for own in labels]


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

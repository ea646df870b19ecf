"""A tree as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from bsnsing.export.event import place_of_event
from bsnsing.export.form import renamed, titled_trees
from bsnsing.tree.model import check_tree_model
from bsnsing.tree.text import TextOptions, n_tree_lines, tree_lines
from bsnsing.tree.tree import Tree

_AS_PRINTED = TextOptions()


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
    show_origins: bool = False,
) -> str:
    """Write a tree as indented text: each rule as a question, each leaf with its class.

    Leaves tell how many of their cases are of the class and, where a teacher had a say in it, how
    probable the class is. There, a first line says for how many splits it is proven that no rule
    is better: for the teacher's training set, which the tree was grown on, and for the cases that
    the leaves count. A split that is not proven optimal for what the tree was grown on is marked,
    with the bound that was proven. Below depth 25, 50, ... indentation begins anew, behind a mark
    such as ``[depth 26]``.

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
    show_origins : bool, default=False
        Write where questions came from that were given by hand or lent by another model: see
        ``extra_questions``.

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
        show_origins=show_origins,
    )
    return "\n".join(_model_lines(model, options, event, feature_names))


def first_lines(model: Any, n_lines: int, more: str, options: TextOptions = _AS_PRINTED) -> str:
    """Return the first lines of a model's text; ``more`` tells who is cut short how to get all."""
    lines = list(islice(_model_lines(model, options), n_lines))
    trees = list(titled_trees(model))
    # A title above each tree that has one, and a blank line between two.
    n_all = sum(n_tree_lines(tree) + bool(title) for title, tree in trees) + len(trees) - 1
    if n_all > n_lines:
        lines.append(f"... and {n_all - n_lines} more lines; {more}")
    return "\n".join(lines)


def _model_lines(
    model: Any,
    options: TextOptions,
    event: Any = None,
    feature_names: Sequence[str] | None = None,
) -> Iterator[str]:
    titled = list(titled_trees(model))
    places = places_of(event, [tree for _, tree in titled])
    for number, ((title, tree), place) in enumerate(zip(titled, places, strict=True)):
        if number > 0:
            yield ""
        if title:
            yield f"[{title}]"
        yield from tree_lines(renamed(tree, feature_names), replace(options, event=place))


def places_of(event: Any, trees: Sequence[Tree]) -> list[int | None]:
    """Position of a class among the classes of each tree; None where a tree has it not."""
    if event is None:
        return [None] * len(trees)
    labels = [tree.classes.tolist() for tree in trees]
    if not any(event in own for own in labels):
        place_of_event(event, list(dict.fromkeys(label for own in labels for label in own)))
    return [own.index(event) if event in own else None for own in labels]

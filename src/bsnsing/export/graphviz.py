"""A tree in the DOT language, for who has Graphviz and tools made for it."""

from __future__ import annotations

from typing import Any

from bsnsing.export.direction import in_line
from bsnsing.export.picture import NodeWords, TreePicture, tree_pictures
from bsnsing.export.picture_options import PictureOptions, read_options, tells_options
from bsnsing.export.text_width import wrap

_WIDTH, _SIZE = 220.0, 12.0  # that text wraps at
_WIDEST = 8.0  # of an edge, in points


@tells_options(PictureOptions)
def export_graphviz(model: Any, **options: Any) -> str:
    r"""Write a tree in the DOT language of Graphviz.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it. Several trees are clusters of one graph.
    **options
        What the picture shows, by keyword:

    Returns
    -------
    str
        The text of a ``.dot`` file, which ``dot -Tsvg`` draws. No Graphviz is needed to write it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> text = export_graphviz(BsnsingClassifier.plain(max_leaf_nodes=2).fit(X, y))
    >>> print(text.splitlines()[6][:34])
    t0n2 [label="0 100%\n50 of 50", sh
    """
    read = read_options("export_graphviz", options)
    pictures = tree_pictures(model, "export_graphviz", read)
    lines = [
        "digraph tree {",
        'graph [ordering=out, charset="UTF-8", fontname="Helvetica", nodesep=0.2];',
        'node [fontname="Helvetica", fontsize=11, margin="0.12,0.06"];',
        'edge [fontname="Helvetica", fontsize=10, color="#8A96A3", arrowhead=none];',
    ]
    for picture in pictures:
        lines += _tree_lines(picture, in_cluster=len(pictures) > 1)
    return "\n".join([*lines, "}"]) + "\n"


def _tree_lines(picture: TreePicture, *, in_cluster: bool) -> list[str]:
    lines = []
    title = _quoted([in_line(picture.title)])
    if in_cluster:
        lines = [f"subgraph cluster_{picture.number} {{", f"label={title};"]
    elif picture.title:
        lines = [f'label={title}; labelloc="t";']
    if picture.options.leaves == "bottom":
        ends = "; ".join(_name(picture, words) for words in picture.nodes if words.yes < 0)
        lines.append(f"{{rank=same; {ends};}}")
    lines += [_node_line(picture, words) for words in picture.nodes]
    all_cases = picture.nodes[0].cases or 1.0
    for words in picture.nodes:
        if words.yes < 0:
            continue
        for child, answer in ((words.yes, "yes"), (words.no, "no")):
            to = picture.nodes[child]
            is_lit = words.node in picture.lit and to.node in picture.lit
            width = max(0.6, _WIDEST * to.cases / all_cases)
            lines.append(
                f'{_name(picture, words)} -> {_name(picture, to)} [label=" {answer}", '
                f"penwidth={width:.2f}{', color=black' if is_lit else ''}];"
            )
    return [*lines, "}"] if in_cluster else lines


def _node_line(picture: TreePicture, words: NodeWords) -> str:
    texts = [words.number, *words.questions, words.label, *words.details, *words.notes]
    lines = [line for text in texts if text for line in wrap(text, _WIDTH, _SIZE)]
    colour = picture.colours[words.best]
    is_rule = words.yes >= 0
    fill, line = ("#F6F8FA", "#AAB4BF") if is_rule else (colour.fill, colour.strong)
    if words.node in picture.lit:
        line = "#000000"
    return (
        f"{_name(picture, words)} [label={_quoted(lines)}, shape=box, "
        f'style="filled{"" if is_rule else ",rounded"}", fillcolor="{fill}", color="{line}", '
        f"penwidth={2.5 if words.node in picture.lit else 1}, "
        f"{'peripheries=2, ' if words.kind == 'collapsed' else ''}"
        f"tooltip={_quoted([words.title])}];"
    )


def _name(picture: TreePicture, words: NodeWords) -> str:
    return f"t{picture.number}n{words.node}"


def _quoted(lines: list[str]) -> str:
    """Write text that Graphviz shows as it is: it knows escapes, and entities of HTML."""
    escaped = (
        line.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines
    )
    return '"' + r"\n".join(escaped) + '"'

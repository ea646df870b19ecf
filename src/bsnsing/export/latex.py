r"""A tree as a LaTeX document, in the manner of the paper's figures; and as the PDF made of it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bsnsing.export.latex_lines import Lines
from bsnsing.export.latex_text import latex_text, letter_commands, printed
from bsnsing.export.palette import colour_of
from bsnsing.export.picture import NodeWords, TreePicture, tree_pictures
from bsnsing.export.picture_options import PictureOptions, read_options, tells_options
from bsnsing.export.text_width import text_width
from bsnsing.export.tidy import tidy_positions
from bsnsing.tree.text import show_count, show_small_probability

# Paper in points of TeX's "bp" (1/72 inch), upright.
PAPERS = {"a4": (595.0, 842.0), "a3": (842.0, 1191.0), "letter": (612.0, 792.0)}
_FONTS = {"sans": r"\sfdefault", "serif": r"\rmdefault", "mono": r"\ttdefault"}
_RADIUS = 10.0
_GAP, _ROW_GAP, _MARGIN = 10.0, 30.0, 24.0
# Widths that text wraps at, in font sizes: the first in which a rule has few lines, or the last.
_RULE_WIDTHS, _FEW_LINES, _LABEL_WIDTH = (17.0, 22.0, 31.0), 5, 10.0
_WIDEST = 5.0  # of an edge
_FOOT_GAP, _FOOT_SIZE = 12.0, 0.85  # of the line below the tree; the size in font sizes
_LARGEST = 14_000.0  # TeX knows no page beyond 16,383 points
_SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class LatexOptions:
    """The look of the document.

    Attributes
    ----------
    labels : mapping, default=None
        What to print for class labels, instead of themselves.
    rule_colour : str, default="#0033A0"
        Colour of the rules, as ``"#rrggbb"``.
    font : {"sans", "serif", "mono"}, default="sans"
        The typeface.
    font_size : float, default=9
        In points.
    paper : {"fit", "a4", "a3", "letter"}, default="fit"
        The page: as large as the tree, or a sheet to which the tree is shrunk.
    landscape : bool or None, default=None
        Whether the sheet lies on its side; None where the tree is wider than high.
    """

    labels: Mapping[Any, str] | None = None
    rule_colour: str = "#0033A0"
    font: str = "sans"
    font_size: float = 9.0
    paper: str = "fit"
    landscape: bool | None = None

    def __post_init__(self) -> None:
        """Refuse what is none of the choices."""
        for name, choices in (("font", tuple(_FONTS)), ("paper", ("fit", *PAPERS))):
            if getattr(self, name) not in choices:
                raise ValueError(f"'{name}' must be one of {choices}. Got {getattr(self, name)!r}.")
        if not 3 <= self.font_size <= 40:
            raise ValueError(f"'font_size' must be 3 to 40 points. Got {self.font_size!r}.")


@tells_options(PictureOptions, LatexOptions)
def export_latex(model: Any, **options: Any) -> str:
    """Write a tree as a LaTeX document that draws it with TikZ, as the paper draws its trees.

    Nodes are circles with their numbers; the rule is at the left of a node, the probability at its
    right: of the event, or of the second of two classes, else of the node's label; a line at
    the foot says of which. Leaves are coloured by class, with the label and the number of cases
    below. Yes is to the left.

    It compiles with the Debian packages texlive-latex-base and texlive-pictures. Several trees are
    a page each. Letters that pdflatex has not are printed as their codes there, and as they are by
    XeLaTeX and LuaLaTeX, where a font of the system has them.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    **options
        What the picture shows and how it looks, by keyword:

    Returns
    -------
    str
        The document.
    """
    looks = {f.name: options.pop(f.name) for f in fields(LatexOptions) if f.name in options}
    look = LatexOptions(**looks)
    pictures = tree_pictures(model, "export_latex", read_options("export_latex", options))
    placed = [_place(picture, look) for picture in pictures]
    pages = [_page(picture, own, look) for picture, own in zip(pictures, placed, strict=True)]
    parts = [
        r"\documentclass{article}",
        r"\usepackage{textcomp}",
        r"\usepackage{tikz}",
        rf"\renewcommand{{\familydefault}}{{{_FONTS[look.font]}}}",
        r"\pagestyle{empty}\setlength{\parindent}{0pt}\setlength{\topskip}{0pt}",
        r"\setlength{\parskip}{0pt}\setlength{\maxdepth}{0pt}",
        r"\hoffset=-1in\voffset=-1in\oddsidemargin=0pt\topmargin=0pt\headheight=0pt\headsep=0pt",
        rf"\definecolor{{rule}}{{HTML}}{{{colour_of(look.rule_colour).strong[1:]}}}",
        r"\ifdefined\pdfpagewidth\else\let\pdfpagewidth\pagewidth\let\pdfpageheight\pageheight\fi",
        *filter(None, [letter_commands("".join(pages))]),
        r"\begin{document}",
        *pages,
        r"\end{document}",
    ]
    return "\n".join(parts) + "\n"


@tells_options(PictureOptions, LatexOptions)
def export_pdf(model: Any, **options: Any) -> bytes:
    """Make the PDF of :func:`export_latex`, with pdflatex.

    Where names have letters that pdflatex lacks, XeLaTeX makes it if it is installed.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    **options
        What the picture shows and how it looks, by keyword:

    Returns
    -------
    bytes
        The content of the file.

    Raises
    ------
    RuntimeError
        If there is no pdflatex, or it fails.
    """
    text = export_latex(model, **options)
    # XeLaTeX prints letters that pdflatex has not, where its fonts do.
    wanted = ("xelatex", "pdflatex") if r"\letter" in text else ("pdflatex",)
    programs = [program for program in map(shutil.which, wanted) if program is not None]
    if not programs:
        raise RuntimeError(
            "A PDF needs pdflatex, which is not installed. Install TeX (on Debian: apt install "
            "texlive-latex-base texlive-pictures), or write a .tex or .svg file instead."
        )
    reason = ""
    for program in programs:
        made, reason = _compiled(program, text)
        if made is not None:
            return made
    raise RuntimeError(f"pdflatex failed: {reason}. Compile what export_latex returns to see more.")


def _compiled(program: str, text: str) -> tuple[bytes | None, str]:
    """Return the PDF that a program makes of a document, or None and why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tree.tex").write_text(text, encoding="ascii")
        command = [program, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error"]
        done = subprocess.run(
            [*command, "tree.tex"], cwd=folder, capture_output=True, timeout=_SECONDS, check=False
        )
        made = Path(folder, "tree.pdf")
        if done.returncode == 0 and made.exists():
            return made.read_bytes(), ""
    log = done.stdout.decode("utf-8", "replace")
    return None, next((line for line in log.splitlines() if line.startswith("!")), log[-300:])


# --- Placing: the same engine as all pictures, with the paper's nodes ---


@dataclass(frozen=True, slots=True)
class _Circle:
    """A node as the paper draws it, before and after it is placed."""

    rule: Lines  # at the left
    chance: str  # at the right
    label: Lines  # below, bold
    foot: Lines  # below these
    left: float  # what it needs to either side of its middle
    right: float
    above: float
    below: float


@dataclass(frozen=True, slots=True)
class _Placed:
    circles: tuple[_Circle, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]  # of the circles' middles, downwards
    tops: tuple[float, ...]  # of the rows, and where one more would be
    foot: Lines  # below the tree
    width: float
    height: float


def _place(picture: TreePicture, look: LatexOptions) -> _Placed:
    nodes = picture.nodes
    circles = tuple(_circle(picture, words, look) for words in nodes)
    deepest = max(words.depth for words in nodes)
    at_bottom = picture.options.leaves == "bottom"
    rows = [deepest if at_bottom and words.yes < 0 else words.depth for words in nodes]
    x = tidy_positions(
        [words.yes for words in nodes],
        [words.no for words in nodes],
        [circle.left for circle in circles],
        [circle.right for circle in circles],
        gap=_GAP,
        hanging_rows=[row - words.depth for row, words in zip(rows, nodes, strict=True)],
        stem=_RADIUS,
    )
    above, below = [0.0] * (deepest + 1), [0.0] * (deepest + 1)
    for circle, row in zip(circles, rows, strict=True):
        above[row] = max(above[row], circle.above)
        below[row] = max(below[row], circle.below)
    tops = [2.2 * look.font_size if picture.title else 0.0]
    for up, down in zip(above, below, strict=True):
        tops.append(tops[-1] + up + down + _ROW_GAP)
    width = max(at + circle.right for at, circle in zip(x, circles, strict=True))
    if picture.title:
        width = max(width, _title(picture).width(look.font_size * 1.3, bold=True))
    y = tuple(tops[row] + above[row] for row in rows)
    small = _FOOT_SIZE * look.font_size
    foot = Lines.of([_says_which(picture, look)], max(width, 12 * small), small)
    width = max(width, foot.width(small))
    height = tops[-1] - _ROW_GAP + _FOOT_GAP + 1.2 * small * len(foot)
    return _Placed(circles, tuple(x), y, tuple(tops), foot, width, height)


def _title(picture: TreePicture) -> Lines:
    return Lines((picture.title,), (printed(picture.title),))


def _says_which(picture: TreePicture, look: LatexOptions) -> str:
    """Say what the numbers at the right of nodes are."""
    if picture.event is not None:
        return f"At the right of each node: probability of {_label(picture, picture.event, look)}."
    if len(picture.labels) == 2:
        return f"At the right of each node: probability of {_label(picture, 1, look)}."
    return "At the right of each node: probability of the label it would give."


def _circle(picture: TreePicture, words: NodeWords, look: LatexOptions) -> _Circle:
    size = look.font_size
    texts = [*words.questions, *(words.notes if words.yes >= 0 else ())]
    rule = Lines()
    for width in _RULE_WIDTHS:
        rule = Lines.of(texts, width * size, size)
        if len(rule) <= _FEW_LINES:
            break
    chance = show_small_probability(_told(picture, words))
    label, foot = Lines(), Lines()
    if words.yes < 0:
        room = _LABEL_WIDTH * size
        label = Lines.of([_label(picture, words.best, look)], room, size, bold=True)
        foot = Lines.of(_foot_details(words), room, size)
    half = max(label.width(size, bold=True), foot.width(size)) / 2
    left = max(_RADIUS + (rule.width(size) + 6.0 if rule else 0.0), half)
    right = max(_RADIUS + 5.0 + text_width(chance, size), half)
    above = max(_RADIUS, len(rule) * size * 0.6)
    below = max(above, _RADIUS + (len(label) + len(foot)) * size * 1.2 + 4.0)
    return _Circle(rule, chance, label, foot, left, right, above, below)


def _foot_details(words: NodeWords) -> list[str]:
    counts = f"n = {show_count(words.cases)}"
    return [counts, *words.details[1:], *words.notes]


def _told(picture: TreePicture, words: NodeWords) -> float:
    """The probability at the right: the paper's, of the positive class, where there are two."""
    is_usual = picture.event is None
    return words.shares[1] if len(words.shares) == 2 and is_usual else words.probability


def _label(picture: TreePicture, best: int, look: LatexOptions) -> str:
    own = picture.tree.classes.tolist()[best]
    return str(look.labels[own]) if look.labels and own in look.labels else picture.labels[best]


# --- Writing ---


def _page(picture: TreePicture, placed: _Placed, look: LatexOptions) -> str:
    scale, width, height = _fit(placed, look)
    # Scaled here and not by TikZ, since TeX knows no length beyond 16,383 points.
    at = [(x * scale, y * scale) for x, y in zip(placed.x, placed.y, strict=True)]
    tops = [top * scale for top in placed.tops]
    lines = [
        rf"\pdfpagewidth={width:.2f}bp\pdfpageheight={height:.2f}bp",
        rf"\textwidth={width:.2f}bp\hsize=\textwidth\linewidth=\textwidth\columnwidth=\textwidth",
        rf"\textheight={height:.2f}bp\vsize=\textheight\makeatletter\global\@colht\textheight"
        r"\global\@colroom\textheight\makeatother",
        *(
            rf"\definecolor{{class{k}}}{{HTML}}{{{colour.fill[1:]}}}"
            rf"\definecolor{{strong{k}}}{{HTML}}{{{colour.strong[1:]}}}"
            for k, colour in enumerate(picture.colours)
        ),
        rf"\fontsize{{{look.font_size:g}}}{{{look.font_size * 1.2:g}}}\selectfont",
        r"\vspace*{\fill}\centerline{\begin{tikzpicture}"
        rf"[x=1bp, y=-1bp, every node/.append style={{scale={scale:.4f}}}, inner sep=0pt, "
        rf"split/.style={{circle, draw, fill=white, minimum size={2 * _RADIUS}bp}}]",
        rf"\path (0,0) rectangle ({placed.width * scale:.1f},{placed.height * scale:.1f});",
    ]
    if picture.title:
        title = rf"{{\bfseries {_title(picture).latex()}}}"
        lines.append(rf"\node[anchor=north west, font=\large] at (0,0) {title};")
    lines += _edges(picture, at, tops, scale)
    for i, words in enumerate(picture.nodes):
        lines += _node(picture, words, placed.circles[i], at[i], scale)
    size = _FOOT_SIZE * look.font_size
    foot = placed.foot.latex()
    lines.append(
        rf"\node[anchor=south west, align=left, text=black!70] at (0,{placed.height * scale:.1f}) "
        rf"{{\fontsize{{{size:.1f}}}{{{1.2 * size:.1f}}}\selectfont {foot}}};"
    )
    return "\n".join([*lines, r"\end{tikzpicture}}\vspace*{\fill}", r"\clearpage"])


def _fit(placed: _Placed, look: LatexOptions) -> tuple[float, float, float]:
    """The scale of the picture, and the page's width and height."""
    wide, high = placed.width + 2 * _MARGIN, placed.height + 2 * _MARGIN
    if look.paper == "fit":
        scale = min(1.0, _LARGEST / max(wide, high))
        return scale, wide * scale, high * scale
    width, height = PAPERS[look.paper]
    lies = placed.width > placed.height if look.landscape is None else look.landscape
    width, height = (height, width) if lies else (width, height)
    return min(1.0, width / wide, height / high), width, height


def _edges(
    picture: TreePicture, at: list[tuple[float, float]], tops: list[float], scale: float
) -> list[str]:
    lines = []
    all_cases = picture.nodes[0].cases or 1.0
    for i, words in enumerate(picture.nodes):
        if words.yes < 0:
            continue
        for child in (words.yes, words.no):
            to = picture.nodes[child]
            is_lit = words.node in picture.lit and to.node in picture.lit
            width = scale * max(0.4, _WIDEST * to.cases / all_cases)
            (x0, y0), (x1, y1) = at[i], at[child]
            # Down, over between the rows and down again: not through the rules beside the nodes.
            land = tops[words.depth + 1]
            turn = land - _ROW_GAP * scale
            half = (turn + land) / 2
            lines.append(
                rf"\draw[line width={width:.3f}bp, {'black' if is_lit else 'black!35'}] "
                rf"({x0:.1f},{y0:.1f}) -- ({x0:.1f},{turn:.1f}) .. controls ({x0:.1f},{half:.1f}) "
                rf"and ({x1:.1f},{half:.1f}) .. ({x1:.1f},{land:.1f}) -- ({x1:.1f},{y1:.1f});"
                rf"\node[fill=white, inner sep=1bp, text=black!70, font=\scriptsize] at "
                rf"({(x0 + x1) / 2:.1f},{half:.1f}) {{{'yes' if child == words.yes else 'no'}}};"
            )
    return lines


def _node(
    picture: TreePicture, words: NodeWords, own: _Circle, at: tuple[float, float], scale: float
) -> list[str]:
    x, y = at
    beside, below = (_RADIUS + 4.0) * scale, y + (_RADIUS + 3.0) * scale
    style = "split" if words.yes >= 0 else f"split, fill=class{words.best}, draw=strong{words.best}"
    if words.kind == "collapsed":
        style += ", double"
    if words.node in picture.lit:
        style += ", line width=1.6bp, draw=black"
    number = str(words.node)
    small = min(1.0, 2.5 / len(number))  # long numbers stay inside, too
    size = 0.9 * _RADIUS * small
    lines = [
        rf"\node[{style}] at ({x:.1f},{y:.1f}) "
        rf"{{\fontsize{{{size:.1f}}}{{{size:.1f}}}\selectfont {number}}};"
    ]
    if own.rule:
        lines.append(
            rf"\node[anchor=east, align=right, text=rule] at ({x - beside:.1f},{y:.1f}) "
            rf"{{{own.rule.latex()}}};"
        )
    lines.append(rf"\node[anchor=west] at ({x + beside:.1f},{y:.1f}) {{{latex_text(own.chance)}}};")
    if own.foot:
        text = own.label.latex(r"\textbf") + r"\\" + own.foot.latex()
        lines.append(rf"\node[anchor=north, align=center] at ({x:.1f},{below:.1f}) {{{text}}};")
    return lines

"""The boxes of a picture before they are placed: text wrapped into lines, and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bsnsing.export.picture import NodeWords
from bsnsing.export.text_width import cuts_words, shorten, text_width, wrap

# Font sizes, and from baseline to baseline as a multiple of them.
TEXT, SMALL, HEADING = 12.0, 10.5, 15.0
LEADING = 1.28
PADDING = 8.0
# Height of the bar of class shares, and what is below it.
BAR_HEIGHT, BAR_FOOT = 5.0, 5.0
# Widths that text wraps at: the first in which a node has few lines and whole words, or the last.
_RULE_WIDTHS = (216.0, 270.0, 380.0)
_LEAF_WIDTHS = (124.0, 150.0, 220.0)
_FEW_LINES, _MOST_LINES = 6, 16
# With many leaves the picture is wide, and narrower nodes are worth another line.
_MANY_LEAVES, _NARROWER = 20, 0.72
_LEAST_WIDTH = 52.0

Role = Literal["rule", "label", "detail", "note", "answer", "title", "legend", "caption"]


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text; ``x`` is its middle, or its start where ``anchor`` says so."""

    text: str
    x: float
    y: float  # of the baseline
    size: float
    role: Role
    width: float
    anchor: Literal["start", "middle"] = "middle"

    @property
    def bold(self) -> bool:
        """Whether the line is printed bold."""
        return self.role in _BOLD_ROLES

    @property
    def left(self) -> float:
        """Where the line begins."""
        return self.x if self.anchor == "start" else self.x - self.width / 2


_BOLD_ROLES = ("label", "title")


@dataclass(frozen=True, slots=True)
class SizedBox:
    """The lines of a node before it is placed; x and y are from the box's top middle."""

    lines: tuple[TextLine, ...]
    width: float
    height: float


def size_boxes(nodes: Sequence[NodeWords]) -> list[SizedBox]:
    """Wrap and measure what each node of a tree says."""
    n_ends = sum(words.yes < 0 for words in nodes)
    squeeze = _NARROWER if n_ends > _MANY_LEAVES else 1.0
    return [_size(words, squeeze) for words in nodes]


def _size(words: NodeWords, squeeze: float) -> SizedBox:
    widths = _RULE_WIDTHS if words.kind == "rule" else _LEAF_WIDTHS
    for width in widths:
        lines = _wrapped(words, width * squeeze)
        if len(lines) <= _FEW_LINES and not _cuts_words(words, width * squeeze):
            break
    placed, y = [], PADDING
    for text, role in lines:
        size = TEXT if role in ("rule", "label") else SMALL
        y += size * LEADING
        wide = text_width(text, size, bold=role in _BOLD_ROLES)
        placed.append(TextLine(text, 0.0, y - size * (LEADING - 0.95), size, role, wide))
    broad = max(_LEAST_WIDTH, max(line.width for line in placed) + 2 * PADDING)
    return SizedBox(tuple(placed), broad, y + PADDING + BAR_HEIGHT + 2.0)


def _cuts_words(words: NodeWords, width: float) -> bool:
    return cuts_words(words.label, width, TEXT, bold=True) or any(
        cuts_words(question, width, TEXT) for question in words.questions
    )


def _wrapped(words: NodeWords, width: float) -> list[tuple[str, Role]]:
    lines: list[tuple[str, Role]] = []
    for question in words.questions:
        lines += [(line, "rule") for line in wrap(question, width, TEXT)]
    if len(lines) > _MOST_LINES:
        kept = shorten([text for text, _ in lines], _MOST_LINES, width, TEXT)
        lines = [(text, "rule") for text in kept]
    if words.label:
        wrapped = wrap(words.label, width, TEXT, bold=True)
        lines += [(line, "label") for line in _ends_kept(wrapped)]
    for detail in words.details:
        lines += [(line, "detail") for line in _ends_kept(wrap(detail, width, SMALL))]
    for note in words.notes:
        lines += [(line, "note") for line in wrap(note, width, SMALL)]
    return [(words.number, "note"), *lines] if words.number else lines


def _ends_kept(lines: list[str], most: int = 4) -> list[str]:
    """Leave out the middle of a long label: its number comes last."""
    return lines if len(lines) <= most else [*lines[: most - 2], "\u2026", lines[-1]]

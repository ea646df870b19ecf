"""Colours of classes: told apart by colour-blind people, and the same in every picture."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

# What users may give: colours as "#rrggbb", by label or in the order of classes.
Palette: TypeAlias = "Mapping[Any, str] | Sequence[str]"

# Okabe and Ito's colours, in an order that keeps the first ones far apart in lightness too.
_BASE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442")
_REST = "#8A8F98"  # of what is no class of the model, such as "not setosa"
_INK = "#16202A"
_PAPER = "#FFFFFF"
# How much of the class colour is in the ground of a leaf: text on it stays dark on light.
_TINT = 0.24
# A turn of hue that never comes back to where it was.
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class ClassColour:
    """One class's colour: ``strong`` for lines, bars and points, ``fill`` under ``ink`` text."""

    strong: str
    fill: str
    ink: str = _INK


def class_colours(labels: Sequence[Any], palette: Palette | None = None) -> dict[Any, ClassColour]:
    """Return the colour of each label, in the order of a model's classes.

    Parameters
    ----------
    labels : sequence of class labels
        All classes of the model: a class keeps its colour whichever part is drawn.
    palette : mapping or sequence of str, default=None
        Colours as ``"#rrggbb"``, by label or in the order of the labels. A label that a mapping
        leaves out keeps its own colour.

    Examples
    --------
    >>> class_colours(["benign", "malignant"])["malignant"].strong
    '#D55E00'
    """
    own = [base_colour(i) for i in range(len(labels))]
    if isinstance(palette, Mapping):
        unknown = [label for label in palette if label not in labels]
        if unknown:
            raise ValueError(
                f"The palette has a colour for {unknown[0]!r}, which is no class of the model. "
                f"Its classes are {', '.join(map(repr, list(labels)[:10]))}."
            )
        own = [palette.get(label, colour) for label, colour in zip(labels, own, strict=True)]
    elif palette is not None:
        given = [palette] if isinstance(palette, str) else list(palette)
        if len(given) < len(labels):
            raise ValueError(
                f"The palette must have a colour for each of {len(labels)} classes. "
                f"Got {len(given)}."
            )
        own = given[: len(labels)]
    return {label: colour_of(colour) for label, colour in zip(labels, own, strict=True)}


def colour_of(colour: str) -> ClassColour:
    """Return a colour with the ground and the ink that go with it."""
    if not isinstance(colour, str) or not re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        raise ValueError(f"Colours are written as '#rrggbb'. Got {colour!r}.")
    return ClassColour(colour.upper(), mix(colour, _PAPER, _TINT))


def rest_colour() -> ClassColour:
    """Return the grey of what is no class of the model."""
    return colour_of(_REST)


def base_colour(i: int) -> str:
    """Return the colour of the i-th class, without end.

    After the seven come darker and lighter shades of them, then hues by the golden ratio. Labels
    are always written beside: nobody tells thirty colours apart.
    """
    n = len(_BASE)
    if i < n:
        return _BASE[i]
    if i < 2 * n:
        return mix(_BASE[i - n], "#000000", 0.6)
    if i < 3 * n:
        return mix(_BASE[i - 2 * n], _PAPER, 0.55)
    hue = (i * _GOLDEN) % 1.0
    lightness = (0.35, 0.5, 0.65)[i % 3]
    return _hex(*(channel * 255 for channel in colorsys.hls_to_rgb(hue, lightness, 0.6)))


def mix(colour: str, other: str, share: float) -> str:
    """Return ``share`` of one colour and the rest of another."""
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return _hex(*(share * a + (1 - share) * b for a, b in pairs))


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours as WCAG has it: 1 to 21, and 4.5 is asked of text."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    def linear(channel: float) -> float:
        part = channel / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = map(linear, _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _hex(red: float, green: float, blue: float) -> str:
    return f"#{round(red):02X}{round(green):02X}{round(blue):02X}"

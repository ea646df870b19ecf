"""Colours of classes: told apart with any kind of colour vision, readable under text."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bsnsing.export.palette import base_colour, class_colours, contrast, mix, rest_colour

# How linear RGB looks without one kind of cones, after Viénot, Brettel and Mollon (1999), and of
# tritanopia after Machado and others (2009).
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deuteranopia": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    "tritanopia": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}


def lab(colour: str, blindness: str) -> np.ndarray:
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(BLINDNESS[blindness]) @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ seen / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_seven_classes_are_told_apart_by_colour_blind_people(blindness: str) -> None:
    """A difference of 10 in CIE Lab is seen at a glance."""
    seen = [lab(base_colour(i), blindness) for i in range(7)]
    distance = {(i, j): np.linalg.norm(seen[i] - seen[j]) for i, j in combinations(range(7), 2)}
    assert min(distance.values()) > 15
    assert distance[0, 1] > 90  # two classes are the most frequent case


def test_text_on_every_ground_has_the_contrast_that_wcag_asks_for() -> None:
    for colour in [*class_colours(range(60)).values(), rest_colour()]:
        assert contrast(colour.ink, colour.fill) > 7  # level AAA


def test_many_classes_have_different_colours() -> None:
    assert len({colour.strong for colour in class_colours(range(60)).values()}) == 60


def test_a_class_keeps_its_colour_whatever_the_others_are_given() -> None:
    own = class_colours(["a", "b", "c"])
    given = class_colours(["a", "b", "c"], {"b": "#123456"})
    assert given["b"].strong == "#123456"
    assert (given["a"], given["c"]) == (own["a"], own["c"])
    assert class_colours(["a", "b"], ["#abcdef", "#123456"])["a"].strong == "#ABCDEF"


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)
    assert mix("#000000", "#FFFFFF", 0.5) == "#808080"

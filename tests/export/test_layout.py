"""Where things are in pictures of trees: nothing overlaps, nothing sticks out, at any size."""

from __future__ import annotations

import inspect
import itertools
import re
from collections import defaultdict
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_trees import HOSTILE, made_tree

from bsnsing import BsnsingClassifier, parse_question
from bsnsing.export import export_graphviz, export_latex, export_svg, plot_tree
from bsnsing.export.direction import MARK, in_line
from bsnsing.export.latex import LatexOptions, export_pdf
from bsnsing.export.layout import Box, Layout, place_tree
from bsnsing.export.picture import tree_pictures
from bsnsing.export.picture_options import PictureOptions, read_options
from bsnsing.export.png import export_png
from bsnsing.export.text_width import text_width, wrap
from bsnsing.export.tidy import tidy_positions
from bsnsing.tree.tree import Tree


def placed(tree: Any, **options: Any) -> Layout:
    (picture,) = tree_pictures(tree, "test", PictureOptions(**options))
    return place_tree(picture)


def overlap(a: Box, b: Box) -> bool:
    return (
        a.x < b.x + b.width
        and b.x < a.x + a.width
        and a.y < b.y + b.height
        and b.y < a.y + a.height
    )


def check(layout: Layout) -> None:
    rows: dict[float, list[Box]] = defaultdict(list)
    for box in layout.boxes:
        rows[box.y].append(box)
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= layout.width
        assert box.y + box.height <= layout.height
        for line in box.lines:
            assert box.x <= line.left
            assert line.left + line.width <= box.x + box.width
            assert box.y < line.y - 0.7 * line.size
            assert line.y < box.bar[1]
    for row in rows.values():  # boxes of different rows: see below
        row.sort(key=lambda box: box.x)
        assert not any(overlap(a, b) for a, b in itertools.pairwise(row))
    ends = sorted(
        (min(b.y for b in row), max(b.y + b.height for b in row)) for row in rows.values()
    )
    assert all(a[1] < b[0] for a, b in itertools.pairwise(ends))
    for line in (*layout.texts, *(swatch.text for swatch in layout.legend)):
        assert line.left >= 0
        assert line.left + line.width <= layout.width
        assert line.y <= layout.height
    check_edges(layout)


def check_edges(layout: Layout) -> None:
    """Edges cross no box: they go over between rows, and pass rows where no box is."""
    of = {box.node: box for box in layout.boxes}
    for link in layout.links:
        parent, child = of[link.parent], of[link.child]
        assert link.y0 == parent.y + parent.height
        assert link.y0 <= link.turn < link.land <= link.y1 == child.y
        others = [b for b in layout.boxes if b.x < link.x1 < b.x + b.width and b is not child]
        assert not any(link.land < b.y + b.height and b.y < link.y1 for b in others)
    answers = sorted((link.answer.y, link.answer.left, link.answer.width) for link in layout.links)
    for (y, left, width), (next_y, next_left, _) in itertools.pairwise(answers):
        assert y != next_y or left + width <= next_left


NAMES = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FFF), min_size=0, max_size=120
) | st.sampled_from(HOSTILE)


@settings(max_examples=60, deadline=None)
@given(
    n_leaves=st.integers(3, 60),
    seed=st.integers(0, 10**6),
    shape=st.sampled_from(["random", "chain", "even"]),
    names=st.lists(NAMES, min_size=1, max_size=4, unique=True),
    levels=st.lists(NAMES, min_size=1, max_size=30, unique=True),
    classes=st.lists(NAMES, min_size=2, max_size=30, unique=True),
    leaves=st.sampled_from(["depth", "bottom"]),
    shows=st.lists(st.sampled_from(["counts", "classes", "shares", "probabilities"]), unique=True),
    flags=st.sets(
        st.sampled_from(
            [
                *("full_levels", "show_missing", "show_numbers", "show_origins"),
                *("show_proof", "show_probabilities"),
            ]
        )
    ),
)
def test_nothing_overlaps_in_trees_of_3_to_60_leaves(
    n_leaves: int,
    seed: int,
    shape: str,
    names: list[str],
    levels: list[str],
    classes: list[str],
    leaves: str,
    shows: list[str],
    flags: set[str],
) -> None:
    tree = made_tree(n_leaves, seed=seed, names=names, levels=levels, classes=classes, shape=shape)
    layout = placed(tree, leaves=leaves, shows=shows, title=names[0], **dict.fromkeys(flags, True))
    assert len(layout.boxes) == tree.n_nodes
    assert len(layout.links) == tree.n_nodes - 1
    check(layout)


def test_yes_is_to_the_left_and_edges_are_as_wide_as_their_share_of_cases() -> None:
    layout = placed(made_tree(20, seed=3))
    of = {box.node: box for box in layout.boxes}
    tree = made_tree(20, seed=3)
    share = tree.counts.sum(axis=1) / tree.counts[0].sum()
    for yes, no in zip(layout.links[::2], layout.links[1::2], strict=True):
        assert (yes.is_yes, no.is_yes) == (True, False)
        assert of[yes.child].x < of[no.child].x
        # They leave side by side in the middle of the box.
        middle = of[yes.parent].x + of[yes.parent].width / 2
        assert no.x0 - yes.x0 == pytest.approx((yes.width + no.width) / 2)
        assert yes.x0 - yes.width / 2 + no.x0 + no.width / 2 == pytest.approx(2 * middle)
        assert yes.answer.text == "yes"
    widest = max(layout.links, key=lambda link: link.width)
    for link in layout.links:
        assert link.width == pytest.approx(
            max(1.0, widest.width * share[link.child] / share[widest.child])
        )


def test_beyond_sixty_leaves_subtrees_are_one_node_that_tells_its_size() -> None:
    tree = made_tree(300, seed=1)
    layout = placed(tree)
    check(layout)
    ends = [box for box in layout.boxes if box.kind != "rule"]
    assert len(ends) == 60
    collapsed = [box for box in ends if box.kind == "collapsed"]
    told = sum(
        int(line.text.split()[0])
        for box in collapsed
        for line in box.lines
        if line.text.endswith("leaves below")
    )
    assert told + len(ends) - len(collapsed) == 300
    # The largest subtrees are open: each collapsed one has no more cases than any open one.
    cases = tree.counts.sum(axis=1)
    inner = [box.node for box in layout.boxes if box.kind == "rule"]
    assert cases[[box.node for box in collapsed]].max() <= cases[inner].min()


def test_a_tree_is_cut_at_a_depth() -> None:
    layout = placed(made_tree(60, seed=2, shape="even"), max_depth=3)
    check(layout)
    assert len(layout.boxes) == 15
    assert {box.kind for box in layout.boxes if tree_depth(layout, box) == 3} == {"collapsed"}


def tree_depth(layout: Layout, box: Box) -> int:
    return sorted({other.y for other in layout.boxes}).index(box.y)


@pytest.mark.parametrize("shape", ["chain", "random"])
def test_large_and_deep_trees_are_placed_without_recursion(shape: str) -> None:
    tree = made_tree(5000, shape=shape, most_questions=1)
    assert len(placed(tree).boxes) == 119
    whole = placed(tree, max_leaves=None)
    assert len(whole.boxes) == 9999


def test_a_single_leaf_is_a_picture_too() -> None:
    layout = placed(made_tree(1))
    check(layout)
    assert [box.kind for box in layout.boxes] == ["leaf"]


def test_tidy_is_as_narrow_as_can_be_for_a_node_with_two_leaves() -> None:
    x = tidy_positions([1, -1, -1], [2, -1, -1], [30, 20, 10], [30, 20, 10], gap=6)
    assert x[2] - x[1] == 20 + 10 + 6
    assert x[0] == (x[1] + x[2]) / 2
    assert min(x[0] - 30, x[1] - 20) == 0


@given(text=st.text(max_size=200), width=st.floats(1, 400))
def test_wrapped_lines_lose_no_letter_and_fit(text: str, width: float) -> None:
    lines = wrap(text, width, 12.0)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(text_width(line, 12.0) <= width or len(line) <= 1 for line in lines)


def test_text_is_never_wider_than_measured() -> None:
    """By the fonts that Matplotlib brings, of which DejaVu Sans is the widest of the usual ones."""
    ft2font = pytest.importorskip("matplotlib.ft2font")
    from matplotlib import font_manager

    for weight, bold in (("normal", False), ("bold", True)):
        font = ft2font.FT2Font(
            font_manager.findfont(font_manager.FontProperties(family="DejaVu Sans", weight=weight))
        )
        font.set_size(100, 72)
        for text in ("worst concave points > 0.155", "Malignant 96%", "or (a_b) in {x, y}"):
            font.set_text(text)
            assert font.get_width_height()[0] / 64 <= text_width(text, 100, bold=bold) * 1.01


def test_the_way_of_a_case_is_lit_and_both_ways_where_it_is_unknown() -> None:
    random = np.random.RandomState(0)
    X = random.rand(200, 2)
    y = (X[:, 0] > 0.5) & (X[:, 1] > 0.3)
    model = BsnsingClassifier.plain(max_rules=1).fit(X, y)
    for row in X[:20]:
        lit = {box.node for box in placed(model, case=row).boxes if box.is_lit}
        assert lit == set(model.decision_path([row]).indices)
    unknown = placed(model, case=[np.nan, np.nan])
    assert all(box.is_lit for box in unknown.boxes)
    assert all(link.is_lit for link in unknown.links)
    by_name = placed(model, case={"x0": X[0, 0], "x1": X[0, 1]})
    assert [b.is_lit for b in by_name.boxes] == [b.is_lit for b in placed(model, case=X[0]).boxes]


def test_a_path_is_lit_by_numbers() -> None:
    tree = made_tree(5)
    assert [box.node for box in placed(tree, path=[0, 2]).boxes if box.is_lit] == [0, 2]
    with pytest.raises(ValueError, match="a node 99, but the tree's nodes are 0 to 8"):
        placed(tree, path=[99])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shows": "colours"}, "'shows' is made of"),
        ({"leaves": "top"}, "'leaves' must be"),
        ({"max_depth": -1}, "'max_depth' must be"),
        ({"max_leaves": 0}, "'max_leaves' must be"),
        ({"event": "perhaps"}, "is no class of the model"),
        ({"palette": ["#000000"]}, "a colour for each of 2"),
        ({"palette": {"perhaps": "#000000"}}, "which is no class"),
        ({"palette": ["red", "blue"]}, "'#rrggbb'"),
        ({"case": {"age": 3}}, "no cell for column"),
        ({"feature_names": ["a"]}, "must name the 3 columns"),
    ],
)
def test_wrong_options_are_refused_with_what_to_do(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        placed(made_tree(20), **options)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(TypeError, match=r"export_svg has no option 'depth'\. Its options are"):
        read_options("export_svg", {"depth": 3})


def words(tree: Tree, **options: Any) -> list[str]:
    return [line.text for box in placed(tree, **options).boxes for line in box.lines]


def test_nodes_show_what_is_asked_for() -> None:
    tree = made_tree(2, seed=4, names=["age", "city"], classes=["no", "yes"])
    n_no, n_yes = tree.counts[1].astype(int)
    n_all = int(tree.counts[0].sum())
    assert f"{max(n_no, n_yes)} of {n_no + n_yes}" in words(tree)
    assert f"{n_all} cases" in words(tree)
    assert f"no {n_no}" in words(tree, shows="classes")
    assert "100% of cases" in words(tree, shows="shares")
    assert any(line.startswith("yes ") and line.endswith("%") for line in words(tree, event="yes"))
    assert not any(line.startswith("no ") for line in words(tree, event="yes", shows=[]))
    assert "#2" in words(tree, show_numbers=True)
    assert words(tree, show_probabilities=True) == words(tree, shows=["counts", "probabilities"])


def test_thresholds_are_rounded_on_request_and_the_tree_is_not() -> None:
    tree = made_tree(8, names=["age", "city"], most_questions=1)
    exact = tree.question_value.copy()
    for line, rounded in zip(words(tree), words(tree, digits=2), strict=True):
        if match := re.search(r"age [<>]=? (\S+)", line):
            assert rounded.startswith(f"age {line.split()[1]} ")
            shown = float(rounded.split()[-1])
            assert shown == float(f"{float(match[1]):.2g}")
        else:
            assert rounded == line
    np.testing.assert_array_equal(tree.question_value, exact)
    assert any("age" in line for line in words(tree))


@pytest.mark.parametrize(("test", "shown"), [(">=", "x0 >= 1200"), ("<=", "x0 <= 1200")])
def test_whole_numbers_stay_on_their_side_when_rounded(test: str, shown: str) -> None:
    X = np.arange(1200.0, 1270)[:, None]
    asked = parse_question(f"x0 {test} 1234")
    model = BsnsingClassifier.plain(extra_questions=asked, own_questions=False, operators=("or",))
    assert shown in words(model.fit(X, asked.answer(X[:, 0])).tree_, digits=2)


@pytest.mark.parametrize(
    "function", [export_svg, export_latex, export_pdf, export_graphviz, export_png, plot_tree]
)
def test_help_tells_every_option(function: Any) -> None:
    told = inspect.getdoc(function)
    assert told is not None
    kinds = [PictureOptions, LatexOptions] if "latex" in function.__module__ else [PictureOptions]
    options = [field.name for kind in kinds for field in fields(kind)]
    parameters = told.split("**options")[1].split("\n\nReturns\n")[0]
    assert re.findall(r"^(\w+) : ", parameters, re.MULTILINE) == options


def test_words_stay_whole_where_a_wider_box_can_hold_them() -> None:
    label = "transferred to rehabilitation unit"
    layout = placed(made_tree(30, classes=("home", label)))
    words = [word for box in layout.boxes for line in box.lines for word in line.text.split()]
    assert words.count("rehabilitation") == words.count("transferred") > 0
    check(layout)


def test_the_legend_says_how_many_classes_it_leaves_out() -> None:
    layout = placed(made_tree(20, classes=[f"class {k}" for k in range(30)]))
    assert 0 < len(layout.legend) <= 12
    assert [line.text for line in layout.texts] == [f"and {30 - len(layout.legend)} more"]
    check(layout)
    assert not placed(made_tree(20, classes=list("abcdef"))).texts


def test_the_legend_has_long_names_in_full() -> None:
    label = "transferred to another rehabilitation unit"
    assert label in [
        swatch.text.text for swatch in placed(made_tree(5, classes=("a", label))).legend
    ]


def test_names_from_right_to_left_are_marked_in_every_line() -> None:
    name, label = "\u05d2\u05d9\u05dc \u05d0", "\u0622\u062e\u0631"
    layout = placed(made_tree(5, names=[name, "city"], classes=["no", label]))
    lines = [line.text for box in layout.boxes for line in box.lines]
    about = [line for line in lines if name in line]
    assert about
    assert all(f"{MARK}{name}{MARK} " in line for line in about)
    assert any(line.startswith(f"{MARK}{label}{MARK} ") and line.endswith("%") for line in lines)
    check(layout)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("age > 3 or city == Bonn", "age > 3 or city == Bonn"),
        ("\u05d0 > 3", "[\u05d0] > 3"),
        ("\u05d0\u05d1 \u05d2 == \u05d3", "[\u05d0\u05d1 \u05d2] == [\u05d3]"),
        ("\u05d0 2 > 3", "[\u05d0 2] > 3"),  # the number is part of the name
        ("\u05d0 93%", "[\u05d0] 93%"),
        ("\u05d0 93.5\u00a0%", "[\u05d0] 93.5\u00a0%"),
        ("in {\u05d0, \u05d1}", "in {[\u05d0], [\u05d1]}"),
        ("caf\u00e9 > 3", "caf\u00e9 > 3"),
    ],
)
def test_marks_are_around_names_alone(text: str, marked: str) -> None:
    assert in_line(text) == re.sub(r"[][]", MARK, marked)

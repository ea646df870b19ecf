"""Trees of any size and shape, made without data: what every export must cope with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bsnsing.data.columns import ColumnInfo
from bsnsing.tree.tree import Tree, starts_of

# What a careless or ill-meaning user may call a column, a level or a class.
HOSTILE = (
    "<script>alert(1)</script>",
    "\"double\" and 'single' & <b>",
    "tab\tnew\nline\x00null\x1bescape",
    "\u202egnp.exe\u2066\u200b",  # bidi marks, and a space that is none
    "\\input{/etc/passwd}",
    "100%_of $x^2$ ~ {a} #1 & \\",
    "--><!-- ]]> <?php",
    "\\N \\G \\l",  # escapes of Graphviz
    "😀 日本語 Ελληνικά Zażółć ﬁ ẞ",
    "עברית عربى",
    "a" * 300,
    "",
    " ",
)


def made_tree(
    n_leaves: int,
    *,
    seed: int = 0,
    names: Sequence[str] = ("age", "income", "city"),
    levels: Sequence[str] = ("Bonn", "Kiel", "Ulm"),
    classes: Sequence[Any] = ("no", "yes"),
    shape: str = "random",
    most_questions: int = 3,
) -> Tree:
    """Make a tree of ``n_leaves`` leaves; "chain" is as deep as can be, "even" as flat as can be.

    The last of the columns is categorical.
    """
    random = np.random.RandomState(seed)
    left, right, depth = [-1], [-1], [0]
    counts = [random.randint(1, 200, len(classes)).astype(float)]
    open_nodes = [0]
    while len(open_nodes) < n_leaves:
        place = {"random": random.randint(len(open_nodes)), "chain": -1, "even": 0}[shape]
        node = open_nodes.pop(place)
        left[node], right[node] = len(left), len(left) + 1
        yes = np.floor(counts[node] * random.rand(len(classes)))
        for own in (yes, counts[node] - yes):
            open_nodes.append(len(left))
            left.append(-1)
            right.append(-1)
            depth.append(depth[node] + 1)
            counts.append(own)
    cases = np.array(counts)
    is_inner = np.array(left) >= 0
    n_nodes = len(left)
    n_asked = np.where(is_inner, random.randint(1, most_questions + 1, n_nodes), 0)
    n_questions = int(n_asked.sum())
    column = random.randint(0, len(names), n_questions)
    is_level = column == len(names) - 1
    n_levels = np.where(is_level, random.randint(1, len(levels) + 1, n_questions), 0)
    ratio = (cases + 0.5) / (cases + 0.5).sum(axis=1, keepdims=True)
    size = cases.sum(axis=1)
    columns = [ColumnInfo(name, "numeric") for name in names[:-1]]
    columns.append(ColumnInfo(names[-1], "categorical", tuple(levels)))
    nowhere = np.where(is_inner, 1.0, np.nan)
    return Tree(
        columns=tuple(columns),
        pairs=(),
        has_missing=tuple(i % 2 == 1 for i in range(len(names))),
        classes=np.array(classes, dtype=object),
        class_weight=np.ones(len(classes)),
        is_taught=False,
        n_synthetic=0,
        children_left=np.array(left, dtype=np.int32),
        children_right=np.array(right, dtype=np.int32),
        depth=np.array(depth, dtype=np.int32),
        counts=cases,
        value=ratio,
        impurity=size * (1 - (ratio**2).sum(axis=1)),
        weighted_cases=size,
        operator=np.where(is_inner, random.randint(0, 3, n_nodes), 0).astype(np.uint8),
        objective=nowhere,
        bound=nowhere,
        optimal=random.rand(n_nodes) < 0.9,
        own_objective=nowhere,
        best_own_objective=nowhere,
        best_own_proven=is_inner,
        n_counted=np.where(is_inner, 10.0, 0.0),
        n_excluded=np.zeros(n_nodes),
        first_question=starts_of(n_asked),
        question_column=column.astype(np.int32),
        question_test=np.where(is_level, 3, random.randint(0, 2, n_questions)).astype(np.uint8),
        question_value=np.where(is_level, 0.0, random.lognormal(3, 4, n_questions)),
        question_negated=(random.rand(n_questions) < 0.3).astype(np.uint8),
        first_level=starts_of(n_levels),
        levels=np.concatenate(
            [np.sort(random.permutation(len(levels))[:n]) for n in n_levels] or [np.array([])]
        ).astype(np.int32),
    )

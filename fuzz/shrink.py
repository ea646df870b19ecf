"""A failing case made small: parts are taken away one by one, as long as it fails likewise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

Case = dict[str, Any]


def shrink(case: Case, fails: Callable[[Case], bool], most: int = 400) -> Case:
    """Return a smaller case that still fails; at most so many cases are tried."""
    n_tried = 0
    is_smaller = True
    while is_smaller and n_tried < most:
        is_smaller = False
        for smaller in _smaller(case):
            n_tried += 1
            if n_tried > most:
                break
            if fails(smaller):
                case, is_smaller = smaller, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    if "columns" in case:
        yield from _smaller_table(case)
    elif "answers" in case:
        yield from _smaller_pool(case)
    elif "changes" in case:
        for part in _parts(len(case["changes"])):
            yield case | {"changes": [case["changes"][i] for i in part]}
    else:
        text = case["text"]
        for part in _parts(len(text)):
            yield case | {"text": "".join(text[i] for i in part)}


def _smaller_table(case: Case) -> Iterator[Case]:
    rows = list(range(case["n_rows"])) if case["rows"] is None else case["rows"]
    for part in _parts(len(rows)):
        if part:
            yield case | {"rows": [rows[i] for i in part]}
    for place in range(len(case["columns"])):
        if len(case["columns"]) > 1:
            yield case | {"columns": case["columns"][:place] + case["columns"][place + 1 :]}
    for place, column in enumerate(case["columns"]):
        for name, plain in (("missing", 0.0), ("name", f"c{place}"), ("variant", 0)):
            if column[name] != plain:
                changed = deepcopy(case["columns"])
                changed[place][name] = plain
                yield case | {"columns": changed}
    for name in case["parameters"]:
        kept = {key: value for key, value in case["parameters"].items() if key != name}
        yield case | {"parameters": kept}
    for name in case["oracles"]:
        if len(case["oracles"]) > 1:
            yield case | {"oracles": [other for other in case["oracles"] if other != name]}
    for name, plain in (("estimator", "plain"), ("weights", "none"), ("variant", 0)):
        if case[name] != plain:
            yield case | {name: plain}
    for name, plain in (("kind", "whole"), ("n_classes", 2), ("noise", 0.0)):
        if case["labels"][name] != plain:
            yield case | {"labels": case["labels"] | {name: plain}}


def _smaller_pool(case: Case) -> Iterator[Case]:
    for part in _parts(len(case["y"])):
        if part:
            changed = case | {name: [case[name][i] for i in part] for name in ("answers", "y")}
            if case["weights"] is not None:
                changed["weights"] = [case["weights"][i] for i in part]
            yield changed
    n_questions = len(case["answers"][0])
    for place in range(n_questions):
        if n_questions > 1:
            answers = [row[:place] + row[place + 1 :] for row in case["answers"]]
            yield case | {"answers": answers}
    if case["weights"] is not None:
        yield case | {"weights": None}
    options = case["options"]
    for name, plain in (("max_rules", 1), ("min_samples_leaf", 1), ("distinct_children", False)):
        if options[name] != plain:
            yield case | {"options": options | {name: plain}}


def _parts(n: int) -> Iterator[list[int]]:
    """All but a half, a quarter, and so on, of n things."""
    size = (n + 1) // 2
    while size >= 1:
        for start in range(0, n, size):
            yield [i for i in range(n) if not start <= i < start + size]
        size //= 2

"""Files that are no models, or were made to harm, give one clear error and nothing else."""

from __future__ import annotations

import copy
import json
import math
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from export.models import fitted, trial_rows
from hypothesis import given, settings
from hypothesis import strategies as st

import bsnsing
from bsnsing import BsnsingClassifier, ModelFileError

PLAIN = BsnsingClassifier.plain
SOURCES = ("leaf", "missing", "levels", "pairs", "one tree per class", "voting")


def document(name: str) -> Any:
    return json.loads(fitted(name).to_json())


def refused(changed: Any, match: str) -> None:
    text = changed if isinstance(changed, str | bytes) else json.dumps(changed)
    with pytest.raises(ModelFileError, match=match) as caught:
        bsnsing.from_json(text)
    assert len(str(caught.value)) < 600


def first_tree(own: Any) -> Any:
    return own["model"]["fitted"]["trees_"][0]


def node(own: Any, i: int = 0) -> Any:
    return first_tree(own)["nodes"][i]


def leaf(own: Any) -> Any:
    return next(n for n in first_tree(own)["nodes"] if "questions" not in n)


CHANGES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "later version": (
        r"of format 3, and bsnsing .* reads formats up to 2\. Upgrade bsnsing",
        lambda own: own.update(format_version=3),
    ),
    "no version": ("format_version must be 1", lambda own: own.pop("format_version")),
    "version as text": ("format_version must be 1", lambda own: own.update(format_version="1")),
    "version as flag": ("format_version must be 1", lambda own: own.update(format_version=True)),
    "another format": ("no model of bsnsing", lambda own: own.update(format="onnx")),
    "missing field": (
        r"trees_\[0\].nodes\[0\] lacks the field 'yes'",
        lambda own: node(own).pop("yes"),
    ),
    "unknown field": ("unknown field 'colour'", lambda own: node(own).update(colour="red")),
    "cycle": ("children of node 1", lambda own: node(own, 1).update(yes=0)),
    "itself": ("children of node 0", lambda own: node(own).update(no=0)),
    "two parents": ("node .* has 2 parents", lambda own: node(own, 1).update(yes=2)),
    "one child twice": ("children of node 0", lambda own: node(own).update(no=node(own)["yes"])),
    "child that is not there": ("children of node 0", lambda own: node(own).update(no=10**6)),
    "child beyond integers": (r"no must be an integer", lambda own: node(own).update(no=10**12)),
    "unreachable": (
        "has 0 parents",
        lambda own: first_tree(own)["nodes"].append(
            leaf(own) | {"id": len(first_tree(own)["nodes"])}
        ),
    ),
    "number of another node": (r"id must be 1", lambda own: node(own, 1).update(id=0)),
    "shares": ("do not sum to 1", lambda own: leaf(own).update(probabilities=[0.5, 0.6])),
    "negative share": ("at least 0", lambda own: leaf(own).update(probabilities=[1.5, -0.5])),
    "share that is none": ("a number", lambda own: leaf(own).update(probabilities=[1, "NaN"])),
    "shares of three": ("2 entries", lambda own: leaf(own).update(probabilities=[1, 0, 0])),
    "counts": ("counts", lambda own: leaf(own).update(counts=[-1, 1])),
    "count as flag": ("a number", lambda own: leaf(own).update(counts=[True, 1])),
    "operator": ("operator must be one of 'or'", lambda own: node(own).update(operator="nand")),
    "no question": ("rule|questions", lambda own: node(own).update(questions=[], rule="")),
    "unknown column": (
        "no column of the model",
        lambda own: node(own)["questions"][0].update(column="nowhere"),
    ),
    "test": ("test must be one of", lambda own: node(own)["questions"][0].update(test="!=")),
    "unseen level": (
        "has no 'nowhere'",
        lambda own: node(own)["questions"][0].update(value="nowhere"),
    ),
    "level of another type": ("has no", lambda own: node(own)["questions"][0].update(value=1)),
    "order of levels": (
        "must be",
        lambda own: node(own)["questions"][0].update(test=">", value=1),
    ),
    "value of missing": ("with a value", lambda own: node(own)["questions"][0].pop("value")),
    "column twice": ("same name", lambda own: own["columns"].append(own["columns"][0])),
    "kind": ("kind must be one of", lambda own: own["columns"][0].update(kind="date")),
    "levels of numbers": ("with levels", lambda own: own["columns"][0].update(levels=[1])),
    "level twice": ("each once", lambda own: own["columns"][1].update(levels=["a", "a"])),
    "levels in disorder": (
        "ascending",
        lambda own: own["columns"][1].update(levels=own["columns"][1]["levels"][::-1]),
    ),
    "numbers after text": (
        "numbers and then text",
        lambda own: own["columns"][1]["levels"].append(1),
    ),
    "classes": ("classes are not", lambda own: _classes(own).update(values=["no", "maybe"])),
    "class twice": ("each once", lambda own: _classes(own).update(values=["no", "no"])),
    "class of another type": ("dtype 'int8'", lambda own: _classes(own).update(dtype="int8")),
    "no such dtype": ("must be", lambda own: _classes(own).update(dtype="V8", values=[1, 2])),
    "wide text": ("a width", lambda own: _classes(own).update(dtype="str99999999")),
    "missing_in": ("'nowhere' is none", lambda own: first_tree(own).update(missing_in=["nowhere"])),
    "unknown parameter": (
        "unknown field 'colour'",
        lambda own: own["model"]["parameters"].update(colour=1),
    ),
    "value of a parameter": (
        "'max_rules' parameter .* from 1 to 10",
        lambda own: own["model"]["parameters"].update(max_rules=11),
    ),
    "endless range": (
        "at most 1000 steps",
        lambda own: own["model"]["parameters"].update(operators={"$range": [0, 2**31 - 1, 1]}),
    ),
    "unknown sort of value": (
        r"one field of \$float",
        lambda own: own["model"]["parameters"].update(teacher={"$pickle": "gASV"}),
    ),
    "unknown type": ("type must be one of", lambda own: own["model"].update(type="os.system")),
    "no tree": ("not empty", lambda own: own["model"]["fitted"].update(trees_=[])),
    "no node": ("a list of nodes", lambda own: first_tree(own).update(nodes=[])),
    "list for an object": ("an object", lambda own: own.update(model=[])),
    "text for a list": ("a list", lambda own: own.update(columns="age")),
    "rule": ("reads 'site == a', but", lambda own: node(own).update(rule="site == a")),
}


def _classes(own: Any) -> Any:
    return own["model"]["fitted"]["classes_"]


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_gives_one_clear_error(name: str) -> None:
    match, change = CHANGES[name]
    own = document("missing")
    change(own)
    refused(own, match)


@pytest.mark.parametrize("value", ["Infinity", "-Infinity", "NaN", "low"])
def test_thresholds_are_finite_numbers(value: str) -> None:
    own = document("numbers")
    del node(own)["rule"]
    node(own)["questions"][0]["value"] = value
    refused(own, r"questions\[0\].value must be a number")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("null", "no model of bsnsing"),
        ("[]", "no model of bsnsing"),
        ('{"format": "bsnsing", "format": "bsnsing"}', "'format' occurs twice"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": -Infinity}', "-Infinity is not JSON"),
        ('{"a": ' + "9" * 5000 + "}", "5000 digits"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"\x80\x04\x95", "not UTF-8"),  # a pickle
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_model_is_said_to_be_none(text: str | bytes, match: str) -> None:
    refused(text, match)


def test_byte_order_marks_are_read_over() -> None:
    text = fitted("leaf").to_json().encode("utf-8-sig")
    assert bsnsing.from_json(text).get_n_leaves() == 1


def test_estimators_inside_estimators_end_somewhere() -> None:
    own = document("leaf")
    deep: Any = "forest"
    for _ in range(11):
        deep = {"$estimator": {"type": "BsnsingClassifier", "parameters": {"teacher": deep}}}
    own["model"]["parameters"]["teacher"] = deep
    refused(own, "inside fewer others")


def test_a_gigabyte_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with open(path, "wb") as file:
        file.write(b"[" * 1000)
        file.truncate(2**30)  # takes no room on the disk
    tracemalloc.start()
    with pytest.raises(ModelFileError, match=r"more than 67,108,864 bytes.*max_bytes"):
        bsnsing.load(path)
    assert tracemalloc.get_traced_memory()[1] < 2**28
    tracemalloc.stop()
    with pytest.raises(ModelFileError, match="more than 100 bytes"):
        bsnsing.from_json("[" * 101, max_bytes=100)


def test_the_limit_can_be_lifted(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    fitted("leaf").save(path)
    assert bsnsing.load(path, max_bytes=None).get_n_leaves() == 1
    assert bsnsing.load(path, max_bytes=os.path.getsize(path)).get_n_leaves() == 1
    with pytest.raises(ModelFileError, match="the limit"):
        bsnsing.load(path, max_bytes=os.path.getsize(path) - 1)


def test_integers_that_a_set_takes_for_near_to_equal_are_refused() -> None:
    own = document("missing")
    # All have the same hash, so that a set of them would take hours.
    own["columns"][1]["levels"] = [i * (2**61 - 1) for i in range(1, 300_000)]
    refused(own, "each once")


def test_millions_of_entries_end_at_the_first_bad_one() -> None:
    own = document("leaf")
    own["columns"] = [0] * 2_000_000
    refused(own, r"columns\[0\] must be an object")


def spots(own: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value of a document."""
    yield path
    if isinstance(own, dict | list):
        for key, value in own.items() if isinstance(own, dict) else enumerate(own):
            yield from spots(value, (*path, key))


STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([2**31, -(2**63), 10**300, 1e308, -1e-320, 0.5, -0.0]),
    st.sampled_from(["", "or", "NaN", "Infinity", "x0", "yes", "$tuple", "\ud800", "bsnsing"]),
    st.sampled_from([[], {}, [[]], {"$tuple": []}, {"$float": "NaN"}, [None], {"a": 1}, [0.5]]),
)


@settings(max_examples=300)
@given(data=st.data(), name=st.sampled_from(SOURCES))
def test_any_change_gives_a_model_that_predicts_or_one_error(data: Any, name: str) -> None:
    own = document_of(name)
    ways = WAYS[name]
    for _ in range(data.draw(st.integers(1, 3))):
        change(own, ways, data)
    model = read_or_refuse(json.dumps(own))
    if model is None:
        return
    rows = trial_rows(name, most=40)
    is_same_table = model.trees_[0].columns == fitted(name).trees_[0].columns
    if hasattr(model, "feature_names_in_") and is_same_table:
        shares = model.predict_proba(rows)
        assert np.isfinite(shares).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-6)
    bsnsing.from_json(model.to_json())


def read_or_refuse(text: str | bytes) -> Any:
    """The model, or None where an error of the right kind, and no other, says what is wrong."""
    try:
        return bsnsing.from_json(text)
    except ModelFileError as error:
        message = str(error)
    assert 0 < len(message) < 1000
    return None


TEXTS = {name: fitted(name).to_json() for name in SOURCES}
WAYS = {name: [way for way in spots(json.loads(TEXTS[name])) if way] for name in SOURCES}


def document_of(name: str) -> Any:
    return json.loads(TEXTS[name])


def test_a_pair_of_columns_is_compared_with_no_text() -> None:
    own = document("pairs")
    question = own["model"]["parameters"]["extra_questions"][0]["$Question"]
    question["value"] = "bsnsing"
    refused(own, "must be a number, as those of pairs of columns are. Got 'bsnsing'")


def change(own: Any, ways: list[tuple[Any, ...]], data: Any) -> None:
    """Remove, replace or swap a value somewhere."""
    way = data.draw(st.sampled_from(ways))
    parent = _at(own, way[:-1])
    if not _has(parent, way[-1]):
        return  # an earlier change has taken it away
    sort = data.draw(st.sampled_from(["remove", "replace", "swap", "nudge"]))
    if sort == "remove":
        del parent[way[-1]]
    elif sort == "replace":
        parent[way[-1]] = copy.deepcopy(data.draw(STRANGE))
    elif sort == "nudge" and type(parent[way[-1]]) in (int, float):
        parent[way[-1]] += data.draw(st.sampled_from([1, -1, 0.25]))
    else:
        other = data.draw(st.sampled_from(ways))
        its = _at(own, other[:-1])
        if _has(its, other[-1]):
            parent[way[-1]] = copy.deepcopy(its[other[-1]])


def _at(own: Any, way: tuple[Any, ...]) -> Any:
    for key in way:
        if not _has(own, key):
            return None
        own = own[key]
    return own


def _has(own: Any, key: Any) -> bool:
    if isinstance(own, dict):
        return key in own
    return isinstance(own, list) and isinstance(key, int) and key < len(own)


@settings(max_examples=200)
@given(data=st.data())
def test_any_damage_to_the_bytes_gives_a_model_or_one_error(data: Any) -> None:
    text = bytearray(TEXTS["missing"].encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        if data.draw(st.booleans()):
            text[place] = data.draw(st.integers(0, 255))
        else:
            del text[place : place + data.draw(st.integers(1, 200))]
    read_or_refuse(bytes(text))


def test_numbers_are_the_shortest_that_come_back() -> None:
    own = document("numbers")
    values = [q["value"] for n in first_tree(own)["nodes"] for q in n.get("questions", [])]
    assert all(math.isfinite(value) for value in values)
    text = fitted("numbers").to_json()
    assert all(f'"value": {value!r}' in text for value in values)

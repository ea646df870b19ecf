"""R's C5.0, of the package C50."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from bsnsing.questions.donors.cuts import Cut, LevelCut, single_cut, written
from bsnsing.questions.donors.r import R, RDonor, fitted_object, level, r_session, subject

# A field of a line, such as att="age"; quotes inside are written \".
_FIELD = re.compile(r'(\w+)=((?:"(?:[^"\\]|\\.)*",?)+)')
_VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LEVELS, _THRESHOLD, _GROUPS = "1", "2", "3"
_DIRECT = ("trials", "rules")  # arguments of the function itself


class C50Donor(RDonor):
    """Its trees are text: a line for each node, and for each level or group of them a branch."""

    learner: ClassVar[str] = "C50"
    r_class: ClassVar[str] = "C5.0"

    def arguments(self, r: R, settings: dict[str, Any]) -> dict[str, Any]:
        """Settings are those of its controls, but for a few."""
        direct = {name: own for name, own in settings.items() if name in _DIRECT}
        rest = {name: own for name, own in settings.items() if name not in _DIRECT}
        return direct | ({"control": r.call("C50", "C5.0Control", **rest)} if rest else {})

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The splits of all trees: ``x <= t`` in 32 bits, single levels, or groups of them."""
        fit, is_ours = fitted_object(model)
        with r_session() as r:
            text = str(r.part(fit, "tree")[0])
            values = levels_in(str(r.part(fit, "names")[0]))
        yield from cuts_in(text, values, is_ours=is_ours)


def cuts_in(text: str, levels: dict[str, list[str]], *, is_ours: bool) -> Iterator[Cut]:
    """Read the cuts of trees in the text of C5.0; ``levels`` are those of each column."""
    for line in text.splitlines():
        fields = [(name, _VALUE.findall(value)) for name, value in _FIELD.findall(line)]
        said = dict(fields)
        kind = said.get("type", [""])[0]
        if kind not in (_LEVELS, _THRESHOLD, _GROUPS) or "att" not in said:
            continue
        name = _unescaped(said["att"][0])
        column = subject(name, is_ours=is_ours)
        gain = sum(float(own) for own in said.get("freq", ["0"])[0].split(","))  # cases
        if kind == _THRESHOLD and "cut" in said:
            value = float(np.float32(float(said["cut"][0])))
            yield single_cut(column, value, is_closed=True, gain=gain, plain=written(value))
        elif kind == _LEVELS:  # a branch for each level
            for own in levels.get(name, []):
                yield LevelCut(
                    column=column, levels=frozenset([level(own, is_ours=is_ours)]), gain=gain
                )
        elif kind == _GROUPS:
            for group in (own for field, own in fields if field == "elts"):
                known = [_unescaped(one) for one in group if one != "N/A"]
                if known:
                    codes = frozenset(level(one, is_ours=is_ours) for one in known)
                    yield LevelCut(column=column, levels=codes, gain=gain)


def levels_in(names: str) -> dict[str, list[str]]:
    """Read the levels of each column from the text in which C5.0 is told of them."""
    levels = {}
    for line in names.splitlines():
        found = re.match(r"((?:[^:\\|]|\\.)+):\s*(.*)\.\s*$", line)
        if found and found.group(2) != "continuous":
            listed = re.findall(r"(?:[^,\\]|\\.)+", found.group(2))
            levels[_unescaped(found.group(1))] = [_unescaped(own.strip()) for own in listed]
    return levels


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)

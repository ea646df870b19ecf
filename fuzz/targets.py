"""The targets: how a case is drawn from its seed, and how it is checked."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.calls import check_call, draw_call
from fuzz.oracles import check_plan
from fuzz.plan import draw_plan
from fuzz.pools import check_pool, draw_pool
from fuzz.shrink import shrink
from fuzz.texts import check_text, draw_text

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Target:
    """One thing that is fuzzed."""

    draw: Callable[[int], dict[str, Any]]
    check: Callable[[dict[str, Any]], str]


TARGETS = {
    "tables": Target(draw_plan, check_plan),
    "pools": Target(draw_pool, check_pool),
    "texts": Target(draw_text, check_text),
    "calls": Target(draw_call, check_call),
}


def signature(error: BaseException) -> str:
    """What tells one fault from another: the kind of error and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "bsnsing" in f.filename] or frames
    place = f"{Path(own[-1].filename).name}:{own[-1].name}"
    text = str(error) if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__} {place} {''.join(c for c in text if not c.isdigit())[:80]}"


def failure(target: Target, case: dict[str, Any]) -> BaseException | None:
    """The error that a case raises, if it does."""
    try:
        target.check(case)
    except Exception as error:
        return error
    return None


def shrunk(name: str, case: dict[str, Any], error: BaseException) -> dict[str, Any]:
    """The smallest case found that fails in the same way."""
    target, wanted = TARGETS[name], signature(error)

    def fails(smaller: dict[str, Any]) -> bool:
        found = failure(target, smaller)
        return found is not None and signature(found) == wanted

    return shrink(case, fails)


def write_case(name: str, case: dict[str, Any], error: str, folder: Path = CASES) -> Path:
    """Keep a case as a file, for the test that repeats all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{case['seed']}.json"
    kept = {"target": name, "error": error, "case": case}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return path


def read_case(path: Path) -> tuple[str, dict[str, Any]]:
    """The target and the case of a file."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return kept["target"], kept["case"]

"""The published schema of model files."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what ``model.save`` writes.

    Examples
    --------
    >>> json_schema()["properties"]["format_version"]
    {'enum': [1, 2]}
    """
    file = resources.files("bsnsing.export").joinpath("model.schema.json")
    schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return schema

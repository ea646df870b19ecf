"""Saved models."""

from __future__ import annotations

import os
import sys
from typing import Any

from bsnsing.cli.errors import Refusal
from bsnsing.cli.files import MODEL_SUFFIX, PIPE, write_file
from bsnsing.estimators.store import from_json, load
from bsnsing.export.json_read import ModelFileError
from bsnsing.export.registry import format_of
from bsnsing.tree.tree import Tree


def save_model(model: Any, path: str) -> None:
    """Write a model as JSON, whole or not at all."""
    write_file(path, format_of(f"model{MODEL_SUFFIX}").load()(model))


def load_model(path: str) -> Any:
    """Read a saved model, from a pipe too."""
    if path == PIPE:
        return from_json(sys.stdin.buffer.read())
    if os.path.isdir(path):
        raise Refusal(f"{path!r} is a folder.", "name a saved model in it.")
    try:
        return load(path)
    except ModelFileError as error:
        raise Refusal(f"{path!r} is no saved model: {error}") from error


def load_estimator(path: str) -> Any:
    """Read a saved model that predicts; a tree alone does not."""
    model = load_model(path)
    if isinstance(model, Tree):
        raise Refusal(
            f"{path!r} holds a tree alone, which does not predict.", "save the model that has it."
        )
    return model


def size_of(model: Any) -> str:
    """Say how large a model is."""
    trees = [model] if isinstance(model, Tree) else model.trees_
    counts = {
        "tree": len(trees),
        "leaf": sum(tree.n_leaves for tree in trees),
        "question": sum(tree.n_questions for tree in trees),
    }
    plurals = {"tree": "trees", "leaf": "leaves", "question": "questions"}
    return ", ".join(
        f"{count} {name if count == 1 else plurals[name]}"
        for name, count in counts.items()
        if name != "tree" or count > 1
    )

"""Progress of a fit, for those who asked for it: lines to the logger "bsnsing"."""

from __future__ import annotations

import logging

from bsnsing.grow.builder import TreeBuilder

_LOGGER = logging.getLogger("bsnsing")


def report(is_wanted: bool, message: str, *values: object) -> None:
    """Log a line at level INFO, if lines are wanted."""
    if is_wanted:
        _LOGGER.info(message, *values)


def report_level(builder: TreeBuilder, level: int, open_nodes: list[int], unit: float) -> None:
    """Log how far a tree has grown: the nodes about to be searched, and the leaves so far."""
    n_cases = sum(sum(builder.counts[node]) for node in open_nodes) / unit
    n_leaves = len(builder.left) - sum(builder.is_split) - len(open_nodes)
    _LOGGER.info(
        "level %d: %d open nodes of %.0f cases, %d leaves so far",
        level,
        len(open_nodes),
        n_cases,
        n_leaves,
    )

"""Progress of a fit, for those who asked for it: lines to the logger "bsnsing"."""

from __future__ import annotations

import logging

from bsnsing.grow.builder import TreeBuilder

_LOGGER = logging.getLogger("bsnsing")


def is_wanted(verbose: int | bool) -> bool:
    """Whether lines are wanted: by the model, or by who has set the logger to level DEBUG."""
    return bool(verbose) or _LOGGER.isEnabledFor(logging.DEBUG)


def report(is_wanted: bool, message: str, *values: object) -> None:
    """Log a line at level INFO, if lines are wanted."""
    if is_wanted:
        _LOGGER.info(message, *values)


# What the work on parts is called, where its name says too little.
_STAGES = {
    "read_part": "reading",
    "facts_of": "looking for classes and kinds of columns",
    "levels_of": "looking for levels",
    "sums_of": "counting rows",
    "outline_part": "looking for values",
    "deal_numbers": "counting values",
    "pick_values": "looking for the ends of bins",
    "encode_part": "encoding",
    "learn": "the forest learns",
    "tell": "the forest tells",
    "grow_nodes": "growing",
    "fit_cases": "fitting",
}


def report_part(is_wanted: bool, stage: str, n_done: int, n_all: int) -> None:
    """Log how many parts some work is done on."""
    if is_wanted:
        _LOGGER.info(
            "%s: %d of %d parts",
            _STAGES.get(stage, stage.replace("_", " ")),
            n_done,
            n_all,
            extra={"stage": stage, "share": n_done / max(1, n_all)},
        )


def report_finished(
    is_wanted: bool, builder: TreeBuilder, shares: list[float], done: list[int], unit: float
) -> None:
    """Log how many of the nodes that are grown elsewhere, given their shares of cases, are done."""
    if is_wanted:
        n_cases = sum(builder.counts[0]) / unit
        left = (sum(shares) - sum(shares[i] for i in done)) * n_cases
        _LOGGER.info(
            "%d of %d nodes are grown to the end, each in one place; %.0f cases left",
            len(done),
            len(shares),
            left,
            extra={"stage": "levels", "share": 1 - left / n_cases},
        )


def report_level(builder: TreeBuilder, level: int, open_nodes: list[int], unit: float) -> None:
    """Log how far a tree has grown: the nodes about to be searched, and what there is so far."""
    n_cases = sum(sum(builder.counts[node]) for node in open_nodes) / unit
    n_all = sum(builder.counts[0]) / unit
    n_leaves = len(builder.left) - sum(builder.is_split) - len(open_nodes)
    _LOGGER.info(
        "level %d: %d open nodes of %.0f cases, %d leaves so far; best so far: %.1f%% errors",
        level,
        len(open_nodes),
        n_cases,
        n_leaves,
        100 * _n_errors(builder) / unit / n_all,
        extra={"stage": "levels", "share": 1 - n_cases / n_all},
    )


def _n_errors(builder: TreeBuilder) -> float:
    """Cases that would not be of their node's most frequent class if the tree ended here."""
    ends = zip(builder.counts, builder.is_split, strict=True)
    return sum(sum(counts) - max(counts) for counts, is_split in ends if not is_split)

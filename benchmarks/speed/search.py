"""How fast is the exact rule search, and a whole tree? Run: python -m benchmarks.speed.search.

One core; contestants take turns within one run; medians. Rule search at the root: the whole
table of a DL8.5 set, raw 0/1 columns, criterion gini_squared, one case per child suffices.
With --cpu, times are CPU times, for a machine that is busy with other things too.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.datasets import published, recorded
from benchmarks.lib import learners, report
from benchmarks.lib.timing import Turn, median_seconds, take_turns
from bsnsing import BsnsingClassifier, best_rule

MAIN_SETS = ("anneal", "mushroom", "pendigits", "splice-1")
QUICK_TREES = ("anneal", "hypothyroid", "kr-vs-kp", "mushroom", "vote", "yeast")

# Milliseconds of the prototype that the design notes quote, for max_rules 2, 3 and 4.
PROTOTYPE = {
    "anneal": (0.06, 0.8, 5.9),
    "mushroom": (0.17, 1.7, 13),
    "pendigits": (0.6, 10, 19),
    "splice-1": (0.8, 23, 370),
}


class MatrixProductSearch:
    """All pairs by NumPy: one matrix product per class counts |a and b|, then the least value."""

    def __init__(self, answers: np.ndarray, y: np.ndarray) -> None:
        self.positives = answers[y == 1].astype(np.float32)
        self.negatives = answers[y == 0].astype(np.float32)

    def search(self) -> int:
        """Least TP * FP + FN * TN over single questions (the diagonal) and pairs."""
        tp, fp = self._union(self.positives), self._union(self.negatives)
        n_positives, n_negatives = len(self.positives), len(self.negatives)
        value = tp * fp + (n_positives - tp) * (n_negatives - fp)
        covered = tp + fp
        value[(covered < 1) | (covered > n_positives + n_negatives - 1)] = np.inf
        return int(value.flat[value.argmin()])

    @staticmethod
    def _union(rows: np.ndarray) -> np.ndarray:
        both = rows.T @ rows
        single = both.diagonal()
        return (single[:, None] + single[None, :] - both).astype(np.float64)


def matrix_product_call(answers: np.ndarray, y: np.ndarray) -> int:
    return MatrixProductSearch(answers, y).search()


def pair_words(y: np.ndarray, n_questions: int) -> int:
    """64-bit words that must be and-ed and counted for all pairs, each class in its own words."""
    words = sum(-(-int(n) // 64) for n in np.bincount(y))
    return words * n_questions * (n_questions - 1) // 2


@dataclass
class SearchRow:
    """Measured and recorded seconds of one search; None where there are none."""

    set: str
    n_rows: int
    n_questions: int
    max_rules: int
    search: float
    call: float
    product_search: float | None
    product_call: float | None
    paper_code: float | None
    prototype: float | None
    gigawords: float  # counted per second, if the search is that of pairs
    n_counted: float
    n_excluded: float


def median_search_seconds(turns: list[Turn], cpu: bool) -> float:
    """Of the search inside best_rule, which only tells its wall time.

    Where it took most of the call, the interruptions of the call were its own; where it did not,
    they came elsewhere.
    """
    times = []
    for turn in turns:
        seconds = turn.result.seconds
        was_interrupted = cpu and seconds > turn.seconds / 2
        times.append(seconds * turn.share if was_interrupted else seconds)
    return statistics.median(times)


def measure_search(name: str, max_rules: int, n_rounds: int, cpu: bool) -> SearchRow:
    """One row of the search table; raises if two contestants find different objectives."""
    answers, y = published.load_answers(name)
    contestants = {"best_rule": partial(best_rule, answers, y, max_rules=max_rules)}
    if max_rules == 2:
        contestants["product_search"] = MatrixProductSearch(answers, y).search
        contestants["product_call"] = partial(matrix_product_call, answers, y)
    turns = take_turns(contestants, n_rounds)
    check_agreement(name, max_rules, turns)

    def seconds_of(contestant: str) -> float | None:
        return median_seconds(turns[contestant], cpu=cpu) if contestant in turns else None

    split = turns["best_rule"][0].result
    search_seconds = median_search_seconds(turns["best_rule"], cpu)
    return SearchRow(
        set=name,
        n_rows=len(y),
        n_questions=answers.shape[1],
        max_rules=max_rules,
        search=search_seconds,
        call=median_seconds(turns["best_rule"], cpu=cpu),
        product_search=seconds_of("product_search"),
        product_call=seconds_of("product_call"),
        paper_code=recorded.cpu_seconds(recorded.ROOT_SEARCH).get((name, max_rules)),
        prototype=PROTOTYPE[name][max_rules - 2] / 1000 if name in PROTOTYPE else None,
        gigawords=pair_words(y, answers.shape[1]) / search_seconds / 1e9,
        n_counted=split.n_counted,
        n_excluded=split.n_excluded,
    )


def check_agreement(name: str, max_rules: int, turns: dict[str, list[Turn]]) -> None:
    found = {
        key: {getattr(turn.result, "objective", turn.result) for turn in of_one}
        for key, of_one in turns.items()
    }
    if (name, max_rules) in recorded.optima():
        found["recorded optimum"] = {recorded.optima()[name, max_rules]}
    if len(set.union(*found.values())) > 1:
        raise AssertionError(f"{name}, max_rules={max_rules}: the objectives differ: {found}")


SEARCH_HEAD = (
    "set|size|max_rules|search|whole call|NumPy search|NumPy call|paper's C code|prototype"
)
SEARCH_HEAD += "|NumPy / ours|C / ours|counted|excluded"
SEARCH_NOTE = """
search: packed bits to proven rule; whole call: best_rule from the 0/1 matrix. NumPy: float32 matrix
products over prepared matrices, and from the 0/1 matrix. Paper's C code and prototype: recorded,
not run here. Ratios compare searches. All objectives agree, and with the proven optima where these
are on file."""


def print_search_table(rows: list[SearchRow]) -> None:
    table = []
    for row in rows:
        times = (row.search, row.call, row.product_search, row.product_call)
        cells = [row.set, f"{row.n_rows} x {row.n_questions}", row.max_rules]
        cells += map(report.milliseconds, (*times, row.paper_code, row.prototype))
        cells += [
            f"{t / row.search:.3g}" if t else "-" for t in (row.product_search, row.paper_code)
        ]
        cells += [f"{row.n_counted:.3g}", f"{row.n_excluded:.3g}"]
        table.append(cells)
    print("\n## Rule search at the root (milliseconds)\n")
    print(report.markdown(SEARCH_HEAD.split("|"), table))
    print(SEARCH_NOTE)


COUNT_NOTE = """
64-bit words and-ed and counted over the whole search time, scans included; cycles at {clock} MHz.
Simple bounds: one 512-bit popcount per cycle counts 8 words, one scalar popcount 1 word."""


def print_count_table(rows: list[SearchRow]) -> None:
    clock = report.cpu_megahertz()
    table = []
    for row in rows:
        if row.max_rules == 2:
            per_cycle = f"{row.gigawords * 1000 / clock:.1f}" if clock else "-"
            table.append([row.set, f"{row.gigawords:.1f}", per_cycle])
    print("\n## Counting rate of the pair stage (max_rules 2)\n")
    print(report.markdown(["set", "Gwords/s", "words per cycle"], table))
    print(COUNT_NOTE.format(clock=f"{clock:.0f}" if clock else "?"))


def measure_tree(name: str, n_rounds: int, cpu: bool) -> list[object]:
    """Fit times of the two kinds of our tree and of scikit-learn's, same smallest leaf."""
    answers, y = published.load_answers(name)
    table = answers.astype(np.float32)  # what scikit-learn works on
    leaf = learners.leaf_size(len(y))
    trees = {
        "paper": BsnsingClassifier.paper(min_samples_leaf=leaf),
        "plain": learners.exact_tree(leaf),
        "sklearn": learners.greedy_tree(leaf),
    }
    turns = take_turns({key: partial(tree.fit, table, y) for key, tree in trees.items()}, n_rounds)
    seconds = {key: median_seconds(turns[key], cpu=cpu) for key in trees}
    row: list[object] = [name, f"{len(y)} x {table.shape[1]}", leaf]
    row += [report.milliseconds(seconds[key]) for key in trees]
    row += [f"{seconds['sklearn'] / seconds[key]:.2f}" for key in ("paper", "plain")]
    return row + [tree.get_n_leaves() for tree in trees.values()]


TREE_HEAD = "set|size|min leaf|paper()|plain()|scikit-learn|sk / paper|sk / plain"
TREE_HEAD += "|leaves paper()|leaves plain()|leaves sk"
TREE_NOTE = """
One float32 matrix for all; min_samples_leaf is the square root of the rows. scikit-learn asks
single questions; ours search rules of two: ORs in paper(), in plain() ANDs and negations too."""


def print_tree_table(rows: list[list[object]]) -> None:
    print("\n## Whole trees (milliseconds to fit)\n")
    print(report.markdown(TREE_HEAD.split("|"), rows))
    print(TREE_NOTE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer sets; under half a minute")
    parser.add_argument("--all", action="store_true", help="rule search on all DL8.5 sets")
    parser.add_argument("--rounds", type=int, default=7, help="measured rounds (default 7)")
    parser.add_argument("--cpu", action="store_true", help="CPU times, for a busy machine")
    parser.add_argument("--no-trees", action="store_true", help="leave the whole trees out")
    args = parser.parse_args()

    every = published.dl85_names()
    main_sets = [name for name in MAIN_SETS if name in every] or every
    search_sets = every if args.all else main_sets[:2] if args.quick else main_sets
    tree_sets = [n for n in QUICK_TREES if n in every] or every[:2] if args.quick else every
    n_rounds = max(5, args.rounds)

    print("# Rule search and whole trees\n\n" + report.machine())
    kind = "CPU times" if args.cpu else "times"
    print(f"\nOne core, median {kind} of {n_rounds} or more alternating rounds after a warm-up.")
    started, used = time.perf_counter(), time.process_time()
    with threadpool_limits(1):
        jobs = [(name, size) for name in search_sets for size in (2, 3, 4)]
        rows = [
            measure_search(*job, n_rounds, args.cpu) for job in report.tracked(jobs, "rule search")
        ]
        print_search_table(rows)
        print_count_table(rows)
        if not args.no_trees:
            trees = report.tracked(tree_sets, "whole trees")
            print_tree_table([measure_tree(name, n_rounds, args.cpu) for name in trees])
    share = (time.process_time() - used) / (time.perf_counter() - started)
    print(f"\nThe run had {min(share, 1):.0%} of a core.")
    if share < 0.9 and not args.cpu:
        print("The machine was busy, so times above a millisecond are too long; try --cpu.")


if __name__ == "__main__":
    main()

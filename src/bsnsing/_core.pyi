"""
Native engine of bsnsing: counting, rule search, tree growth, prediction, forests.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class StopSign:
    """Stops the native work of threads: `with sign:` in each, stop() in one."""

    def __init__(self) -> None: ...

    def stop(self) -> None: ...

    @property
    def is_stopped(self) -> bool: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...

    def __getstate__(self) -> bool: ...

    def __setstate__(self, arg: bool, /) -> None: ...

def end_with_python() -> None:
    """Raises SystemExit, which ends a thread silently, once Python ends."""

class AskOptions:
    """Which questions are worth asking."""

    def __init__(self, *, n_segments: int, max_levels: int, max_values_as_levels: int, bin_size: float) -> None: ...

class SearchOptions:
    """What rules are searched for, and how."""

    def __init__(self, *, max_rules: int, criterion: str, operators: Sequence[str], min_samples_leaf: float, distinct_children: bool, time_limit: float, n_threads: int, greedy_level: float | None = None) -> None: ...

class ColumnLimits:
    """Limits on the columns that a rule asks about."""

    def __init__(self, *, forbidden: Sequence[int] = [], linear: Sequence[tuple[Sequence[float], float, float]] = [], one_per_column: bool = False, apart: Sequence[tuple[int, int]] = [], group_of: Sequence[int] = [], monotone: Sequence[int] = [], ordered_class: int = 0) -> None: ...

class NodeLimits:
    """What is known of the rules of one node."""

    def __init__(self, *, low: float = 0.0, high: float = 1.0, max_new: int | None = None, used: Sequence[int] = [], prices: Sequence[float] = [], closed: Sequence[int] = []) -> None: ...

class QuestionLimits:
    """Limits on the questions of a rule."""

    def __init__(self, *, linear: Sequence[tuple[Sequence[float], float, float]] = [], column_of: Sequence[int] = []) -> None: ...

class Cases:
    """The class and weight of each row."""

    def __init__(self, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, unit: float = 1.0, class_weights: Sequence[float] | None = None) -> None: ...

class ColumnSchema:
    """What the codes of columns stand for."""

    @property
    def n_columns(self) -> int: ...

    def kind(self, column: int) -> str:
        """'numeric', 'boolean' or 'categorical'."""

    def n_codes(self, column: int) -> int:
        """Codes of values; the next one means missing."""

    def has_missing(self, column: int) -> bool: ...

    def values(self, column: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """By code, the value or the greatest value of a bin."""

    def lowest(self, column: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """By code, the least value of a bin; empty if nothing is binned."""

    def __getstate__(self) -> list[tuple[int, int, bool, list[float], list[float]]]: ...

    def __setstate__(self, arg: Sequence[tuple[int, int, bool, Sequence[float], Sequence[float]]], /) -> None: ...

class ColumnList:
    """Columns of a table, encoded for the engine."""

    def __init__(self) -> None: ...

    def add_numbers(self, numbers: Sequence[NDArray[numpy.generic]], max_bins: int, weights: NDArray[numpy.int64] | None, n_threads: int) -> None: ...

    def add_levels(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_levels: int) -> None: ...

    def add_codes(self, schema: ColumnSchema, codes: Sequence[NDArray[numpy.unsignedinteger[Any]]]) -> None: ...

    def has_missing(self) -> list[bool]: ...

    @property
    def n_columns(self) -> int: ...

    def codes(self, column: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The code of each row; n_codes means missing."""

    def schema(self) -> ColumnSchema:
        """What the codes stand for, without the rows."""

def outline_columns(numbers: Sequence[NDArray[numpy.generic]], weights: NDArray[numpy.int64] | None, n_sampled: int, n_threads: int) -> list[tuple[tuple[NDArray[numpy.float64], NDArray[numpy.int64]] | None, NDArray[numpy.float64], bool]]:
    """
    Per column: all values with their cases if they are few, else None; then a sample if they are many, and whether some are missing if they are few.
    """

def deal_columns(numbers: Sequence[NDArray[numpy.generic]], bounds: Sequence[NDArray[numpy.float64]], weights: NDArray[numpy.int64] | None, n_threads: int) -> list[tuple[NDArray[numpy.uint16], NDArray[numpy.int64], float, float, bool]]:
    """
    Per column: the bucket of each row, the cases of each bucket, the least and the greatest number, and whether some are missing. Bucket b has what lies above bound b - 1 and not above bound b.
    """

def values_in(numbers: Sequence[NDArray[numpy.generic]], dealt: Sequence[tuple[NDArray[numpy.uint16], NDArray[numpy.float64], NDArray[numpy.uint8]]], weights: NDArray[numpy.int64] | None, n_threads: int) -> list[tuple[NDArray[numpy.float64], NDArray[numpy.int64]]]:
    """Per column, the values in its open buckets, with their cases."""

def encode_from(numbers: Sequence[NDArray[numpy.generic]], begins: Sequence[NDArray[numpy.float64]], n_threads: int) -> list[NDArray[numpy.unsignedinteger[Any]]]:
    """
    Per column, the code of each number, in the fewest bytes that hold them. Codes begin with the given numbers; one more than the last means missing.
    """

def join_codes(pieces: Sequence[NDArray[numpy.unsignedinteger[Any]]]) -> NDArray[numpy.unsignedinteger[Any]]:
    """Codes of a column in several parts, one part behind the other."""

def encode_dealt(numbers: Sequence[NDArray[numpy.generic]], dealt: Sequence[tuple[NDArray[numpy.uint16], NDArray[numpy.float64], NDArray[numpy.uint8]]], begins: Sequence[NDArray[numpy.float64]], n_threads: int) -> list[NDArray[numpy.unsignedinteger[Any]]]:
    """
    The same of columns that were dealt; in buckets that are not open no code begins.
    """

class Engine:
    """Counts, searches and parts the rows of a table."""

    def __init__(self, columns: ColumnList, cases: Cases, *, ask: AskOptions, search: SearchOptions, limits: ColumnLimits | None = None, own_questions: bool = True, extra_questions: Sequence[tuple[int, int, float, Sequence[int]]] = []) -> None: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def n_classes(self) -> int: ...

    def class_totals(self, node: int) -> list[float]: ...

    def ask(self, nodes: Sequence[int], target: int | None = None) -> list[list[tuple[int, int, float, list[int]]]]:
        """Questions worth asking of each node."""

    def answers(self, node: int, questions: Sequence[tuple[int, int, float, Sequence[int]]]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """Answers of a node's rows, each once, and the numbers of these rows."""

    def histograms(self, nodes: Sequence[int]) -> list[list[Annotated[NDArray[numpy.int64], dict(shape=(None, None))]]]:
        """Per node and column, cases by class and code."""

    def pair_counts(self, nodes: Sequence[int], questions: Sequence[Sequence[tuple[int, int, float, Sequence[int]]]]) -> list[Annotated[NDArray[numpy.int64], dict(shape=(None, None, None))]]:
        """Per node, cases by class that answer yes to both of two questions."""

    def rule_counts(self, nodes: Sequence[int], rules: Sequence[Sequence[tuple[Sequence[tuple[int, int, float, Sequence[int]]], Sequence[bool], int]]]) -> list[Annotated[NDArray[numpy.int64], dict(shape=(None, None))]]:
        """Per node, cases by rule and class that answer yes."""

    def best_rules(self, nodes: Sequence[int], time_limit: float = float('inf'), limits: Sequence[NodeLimits] = []) -> list[tuple[bool, list[tuple[int, int, float, list[int]]], list[bool], int, list[float], float, float, bool, float, float, float, list[int]]]:
        """
        Account of the best rule of each node, asked and searched in one go. The limit, in seconds, is for all nodes together.
        """

    def give(self, node: int, questions: Sequence[tuple[int, int, float, Sequence[int]]]) -> None:
        """Gives a node further questions, behind those that all nodes are given."""

    def evaluate(self, node: int, rule: tuple[Sequence[tuple[int, int, float, Sequence[int]]], Sequence[bool], int]) -> tuple[bool, list[tuple[int, int, float, list[int]]], list[bool], int, list[float], float, float, bool, float, float, float, list[int]] | None:
        """
        Account of a rule chosen elsewhere for a node; None if it breaks a limit.
        """

    def split(self, nodes: Sequence[int], rules: Sequence[tuple[Sequence[tuple[int, int, float, Sequence[int]]], Sequence[bool], int]]) -> list[tuple[int, int]]:
        """Parts each node by its rule; the new nodes, yes and no."""

    def rows_of(self, nodes: Sequence[int]) -> list[Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """Rows of each node, each once, ascending."""

    def cells(self, node: int) -> tuple[NDArray[numpy.uint32], list[NDArray[numpy.unsignedinteger[Any]]]]:
        """
        Rows of a node, once for each power of two in their weights, and its codes, column by column: views of what never changes.
        """

    def branch(self) -> Engine:
        """
        An engine of the same nodes; neither sees what is done to those of the other.
        """

    def close(self, nodes: Sequence[int]) -> None:
        """Frees what is kept of nodes that stay leaves."""

class Chooser:
    """Chooses questions and rules from counts, without rows."""

    def __init__(self, schema: ColumnSchema, *, n_classes: int, unit: float = 1.0, class_weights: Sequence[float] | None = None, ask: AskOptions, search: SearchOptions, limits: ColumnLimits | None = None, own_questions: bool = True, extra_questions: Sequence[tuple[int, int, float, Sequence[int]]] = []) -> None: ...

    def ask(self, histograms: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], target: int | None = None) -> list[tuple[int, int, float, list[int]]]:
        """Questions worth asking of a node with these cases."""

    def evaluate(self, totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], histograms: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], rule: tuple[Sequence[tuple[int, int, float, Sequence[int]]], Sequence[bool], int], left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[bool, list[tuple[int, int, float, list[int]]], list[bool], int, list[float], float, float, bool, float, float, float, list[int]] | None:
        """Account of a rule that sends `left` to yes; None if it breaks a limit."""

    def search(self, totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], histograms: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], questions: Sequence[tuple[int, int, float, Sequence[int]]], pair_counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], time_limit: float = float('inf'), limits: NodeLimits | None = None, n_given: int = 0) -> RuleSearch:
        """
        Searches for a node's best rule over the questions whose pairs were counted. The last `n_given` were given for this node alone.
        """

class RuleSearch:
    """A search for a rule that asks for counts it needs."""

    def wanted(self) -> list[tuple[list[tuple[int, int, float, list[int]]], list[bool], int]]:
        """Rules whose cases are needed next; none when all is settled."""

    def take(self, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Takes the cases, by wanted rule and class, that answer yes."""

    def found(self) -> tuple[bool, list[tuple[int, int, float, list[int]]], list[bool], int, list[float], float, float, bool, float, float, float, list[int]]:
        """Account of the best rule so far."""

def best_rule(answers: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], cases: Cases, *, search: SearchOptions, limits: QuestionLimits | None = None) -> tuple[list[int], list[bool], str, list[float], float, float, bool, float, float, float]:
    """Best rule over a 0/1 matrix: the fields of a Split."""

def ranked_rules(answers: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], cases: Cases, *, search: SearchOptions, limits: QuestionLimits | None = None, n_best: int) -> tuple[list[tuple[list[int], list[bool], str, list[float]]], bool]:
    """
    The n_best best rules over a 0/1 matrix, best first, as (questions, negated, operator, left); and whether the search was not cut short.
    """

def criteria() -> list[tuple[str, int, bool, bool]]:
    """
    (name, unit_power, is_exact, two_classes_only) of each criterion a rule can be judged by.
    """

def available_kernels() -> list[str]:
    """Names of the kernels this CPU can run, best first."""

def active_kernels() -> str:
    """Name of the kernels in use."""

def use_kernels(name: str) -> None:
    """Choose the kernels for this process by name."""

class FlatTree:
    """A fitted tree as flat arrays, checked once."""

    def __init__(self, *, yes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], no: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], operators: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first_literal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], literal_columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tests: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first_level: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_levels: Sequence[int], has_missing: Sequence[bool]) -> None: ...

    def find_leaves(self, columns: list[Any], *, n_rows: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        Leaf of each row, or the node whose rule its cells leave unknown; rows of such nodes.
        """

    def mix_leaves(self, columns: list[Any], *, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], yes_share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Values of the leaves that rows reach from their starts; of both ways' the mean.
        """

class Bins:
    """Where the bins of each column end; at most 255 to a column."""

    def __init__(self, numbers: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, n_threads: int) -> None: ...

    def codes(self, numbers: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, n_threads: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
        """Codes of rows, column after column; 255 is missing."""

    def __getstate__(self) -> list[list[float]]: ...

    def __setstate__(self, arg: Sequence[Sequence[float]], /) -> None: ...

class Forest:
    """Random and extremely random trees, grown to the end."""

    @property
    def n_trees(self) -> int: ...

    def out_of_bag(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, leaf_rows: Sequence[int], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]:
        """
        Mean shares by the trees that did not draw a row, for each size of leaves.
        """

    def cut_back(self, leaf_rows: int) -> None:
        """From here on leaves have at least `leaf_rows` rows."""

    def predict(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Mean shares by all trees."""

    def importances(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def tree(self, number: int) -> tuple[list[int], list[int], list[int], list[int], list[int], list[float], list[bool]]:
        """
        (column, last, shift, left, n_rows, shares, is_drawn) of a tree's nodes and rows.
        """

    def __getstate__(self) -> tuple[int, int, list[Any]]: ...

    def __setstate__(self, arg: tuple[int, int, Sequence[tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]]], /) -> None: ...

def grow_forest(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, n_classes: int, n_best_trees: int, n_best_columns: int, n_random_trees: int, n_random_columns: int, n_draws: int, seed: int, n_threads: int) -> Forest: ...

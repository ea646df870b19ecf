"""A model as ONNX: inputs, trees, labels and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bsnsing.data.columns import Level
from bsnsing.data.scales import Scale
from bsnsing.export.code.language import MOMENT_WORDS, plain_label
from bsnsing.export.code.program import Program, check_levels_are_doubles
from bsnsing.export.form import ModelForm, TreeForm, model_form
from bsnsing.export.onnx.features import Inputs, add_features, is_text, with_groups
from bsnsing.export.onnx.graph import ML_DOMAIN, ML_OPSET, OPSET, Graph, load_onnx
from bsnsing.export.onnx.mixing import add_mixing, add_open_rows
from bsnsing.export.onnx.walk import add_walk


def export_onnx(model: Any, *, input_name: str | None = None, missing_text: str = "") -> bytes:
    """Write a model as ONNX, which gives the same probabilities to the last bit.

    Thresholds and probabilities are doubles. Complete rows go through the TreeEnsemble operator
    (ai.onnx.ml 5); rows whose cells may leave a rule unknown are worked out by plain operators.
    onnxruntime 1.20 or newer runs it.

    There is an input of shape (n_rows, 1) for each column that some rule asks about, under the
    column's name: of strings where levels are text, else of doubles (also of Booleans and of
    levels that are numbers). A missing number is NaN. ONNX has no missing string: ``missing_text``
    stands for it. A model of numbers that was fitted without names of columns has one input "X"
    of all columns.

    Moments, times of day and durations are int64: microseconds, of moments since 1970 (in UTC
    where the model knows a time zone). The least int64 is missing. NumPy makes them by
    ``cells.astype("M8[us]").astype("int64")``, of durations with "m8[us]". In one input of doubles
    they are doubles, and NaN is missing. The metadata of the file name the unit of each column.

    There are two outputs: "label", in the type of the labels (int64, string, double or bool), and
    "probabilities" of shape (n_rows, n_classes); where a column has such a name, "_" is appended.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    input_name : str, default=None
        Take all columns of the table as one input of doubles under this name.
    missing_text : str, default=""
        What says that text is missing; in a column that has it as a level, it is that level.

    Returns
    -------
    bytes
        The model, for ``onnxruntime.InferenceSession`` or ``onnx.load_from_string``.

    Raises
    ------
    ImportError
        If onnx is not installed.
    ValueError
        If one input is wanted, and a column is text, or a column has no name.

    Examples
    --------
    >>> import numpy as np
    >>> import onnxruntime
    >>> from bsnsing import BsnsingClassifier
    >>> model = BsnsingClassifier.plain().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> session = onnxruntime.InferenceSession(export_onnx(model))
    >>> label, probabilities = session.run(None, {"X": np.array([[1.5], [np.nan]])})
    >>> label.tolist(), probabilities.tolist()
    ([0, 0], [[1.0, 0.0], [0.5, 0.5]])
    """
    onnx = load_onnx("export_onnx")
    form = model_form(model, "export_onnx")
    program = Program(form)
    check_levels_are_doubles(program, "ONNX")
    names = {column.name for column in form.columns} | {input_name or "X"}
    graph = Graph(onnx, names)
    infos, inputs = _inputs(graph, program, input_name)
    label, probabilities = add_model(graph, program, inputs, missing_text)
    outputs = [graph.free_output(name) for name in ("label", "probabilities")]
    for value, name in zip((label, probabilities), outputs, strict=True):
        graph.rename(value, name)
    proto = graph.proto("bsnsing", infos, _output_infos(graph, form, outputs))
    whole = onnx.helper.make_model(
        proto,
        opset_imports=[
            onnx.helper.make_opsetid("", OPSET),
            onnx.helper.make_opsetid(ML_DOMAIN, ML_OPSET),
        ],
        producer_name="bsnsing",
        ir_version=9,
    )
    units = {
        f"unit of {c.name}": MOMENT_WORDS[c.moment_kind] for c in program.columns if c.moment_kind
    }
    onnx.helper.set_model_props(whole, units)
    written: bytes = whole.SerializeToString()
    return written


def add_model(graph: Graph, program: Program, inputs: Inputs, missing_text: str) -> tuple[str, str]:
    """Add a model, and return the names of labels, of shape (n_rows,), and of probabilities."""
    form = program.form
    build: Callable[[TreeForm], str]
    if program.columns:
        build = _tree_builder(graph, program, inputs, missing_text)
    members = []
    for trees in form.members:
        values = [
            _add_leaf(graph, tree, inputs.n_rows_of) if tree.nodes[0].is_leaf else build(tree)
            for tree in trees
        ]
        members.append(values[0] if len(values) == 1 else _scores(graph, values))
    mean = members[0]
    for member in members[1:]:
        mean = graph.add("Add", mean, member)
    if len(members) > 1:
        mean = graph.add("Div", mean, graph.constant(float(len(members))))
    if form.voting == "hard":
        score = graph.add("Add", _votes(graph, form, members), _between_equals(graph, form, mean))
        best = graph.add("ArgMax", score, axis=1, keepdims=0)
    else:
        best = _decided(graph, form, mean, keepdims=0)
    labels, dtype = _labels(form)
    return graph.add("Gather", graph.constant(labels, dtype), best), mean


def _inputs(graph: Graph, program: Program, input_name: str | None) -> tuple[list[Any], Inputs]:
    """The descriptions of the inputs, and where each column comes from."""
    columns = program.form.columns
    is_unnamed = [c.name for c in columns] == [f"x{i}" for i in range(len(columns))]
    texts = [column.name for column in program.columns if is_text(column.levels)]
    if input_name is None and is_unnamed and not texts:
        input_name = "X"
    if input_name is None:
        # A model of leaves alone has a column too: it says how many rows there are.
        asked = {c.name: _type_of(c.levels, c.scale) for c in program.columns}
        first = columns[0]
        asked = asked or {first.name: _type_of(first.levels or None, first.scale)}
        if "" in asked:
            raise ValueError(
                "Inputs of ONNX have names, and a column has none. Name it, or choose input_name."
            )
        infos = [graph.value_info(name, kind, [None, 1]) for name, kind in asked.items()]
        values = {
            name: graph.from_microseconds(name) if kind == "INT64" else name
            for name, kind in asked.items()
        }
        return infos, Inputs(values, None, next(iter(asked)))
    if texts:
        raise ValueError(
            f"Column {texts[0]!r} is text, so that the columns cannot be one input of numbers. "
            "Leave input_name out."
        )
    info = graph.value_info(input_name, "DOUBLE", [None, len(columns)])
    return [info], Inputs({}, input_name, input_name)


def _type_of(levels: tuple[Level, ...] | None, scale: Scale | None) -> str:
    """The type of a column that comes alone."""
    if scale is not None:
        return "INT64"
    return "STRING" if is_text(levels) else "DOUBLE"


def _tree_builder(
    graph: Graph, program: Program, inputs: Inputs, missing_text: str
) -> Callable[[TreeForm], str]:
    """Add what all trees read, and return what adds a tree that asks."""
    features = add_features(graph, program, inputs, missing_text)
    asked = with_groups(graph, program, features)
    rows = some = ""
    if program.n_open:
        rows, some = add_open_rows(graph, program, features)

    def build(tree: TreeForm) -> str:
        leaf = graph.add("Squeeze", add_walk(graph, program, tree, asked), graph.whole(1))
        values = graph.constant([node.value for node in tree.nodes])
        known = graph.add("Gather", values, leaf, axis=0)
        if not any(program.can_be_unknown(node) for node in tree.nodes):
            return known
        return add_mixing(graph, program, tree, known, rows, replace(features, value=some))

    return build


def _add_leaf(graph: Graph, tree: TreeForm, n_rows_of: str) -> str:
    """A tree of one leaf: as many times its value as there are rows."""
    shape = graph.add("Shape", n_rows_of)
    n_rows = graph.add("Slice", shape, graph.whole(0), graph.whole(1))
    shape = graph.add("Concat", n_rows, graph.whole(1), axis=0)
    return graph.add("Expand", graph.constant([tree.nodes[0].value]), shape)


def _scores(graph: Graph, values: Sequence[str]) -> str:
    """One tree per class: the probability that each has for its own class, divided by the sum."""
    own = [graph.gather(value, [1], 1) for value in values]
    total = own[0]
    for score in own[1:]:
        total = graph.add("Add", total, score)
    shares = graph.add("Div", graph.add("Concat", *own, axis=1), total)
    is_some = graph.add("Greater", total, graph.constant(0.0))
    return graph.add("Where", is_some, shares, graph.constant(1 / len(values)))


def _expected(graph: Graph, costs: Sequence[Sequence[float]], shares: str) -> str:
    """What each class is expected to cost if it is said; added up in the order of classes."""
    total = ""
    for i, row in enumerate(costs):
        own = graph.add("Mul", graph.gather(shares, [i], 1), graph.constant([row]))
        total = graph.add("Add", total, own) if total else own
    return total


def _decided(graph: Graph, form: ModelForm, shares: str, *, keepdims: int) -> str:
    """The position of the class that each row decides for; of equals the first."""
    if form.costs is None:
        return graph.add("ArgMax", shares, axis=1, keepdims=keepdims)
    expected = _expected(graph, form.costs, shares)
    return graph.add("ArgMin", expected, axis=1, keepdims=keepdims)


def _between_equals(graph: Graph, form: ModelForm, mean: str) -> str:
    """What decides where votes do not: less than one vote."""
    if form.costs is None:
        return graph.add("Div", mean, graph.constant(2.0))
    dearest = max(map(max, form.costs))
    return graph.add("Div", _expected(graph, form.costs, mean), graph.constant(-2 * dearest))


def _votes(graph: Graph, form: ModelForm, members: Sequence[str]) -> str:
    """How many members are for each class."""
    positions = graph.constant([np.arange(len(form.classes))], np.int64)
    votes = ""
    for member in members:
        best = _decided(graph, form, member, keepdims=1)
        vote = graph.cast(graph.add("Equal", best, positions), "DOUBLE")
        votes = graph.add("Add", votes, vote) if votes else vote
    return votes


def _labels(form: ModelForm) -> tuple[list[Any], Any]:
    labels = [plain_label(label) for label in form.classes]
    for kind, dtype in ((bool, np.bool_), (int, np.int64), (float, np.float64)):
        if all(type(label) is kind for label in labels):
            return labels, dtype
    return [str(label) for label in labels], object


def label_kind(form: ModelForm) -> str:
    """The type of labels."""
    kinds = {np.bool_: "BOOL", np.int64: "INT64", np.float64: "DOUBLE", object: "STRING"}
    return kinds[_labels(form)[1]]


def _output_infos(graph: Graph, form: ModelForm, names: Sequence[str]) -> list[Any]:
    return [
        graph.value_info(names[0], label_kind(form), [None]),
        graph.value_info(names[1], "DOUBLE", [None, len(form.classes)]),
    ]

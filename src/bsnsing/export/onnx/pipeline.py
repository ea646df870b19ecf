"""The converter that skl2onnx asks for our estimators in a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bsnsing.export.code.program import Program, check_levels_are_doubles
from bsnsing.export.form import model_form
from bsnsing.export.onnx.features import Inputs, is_text
from bsnsing.export.onnx.graph import ML_DOMAIN, OLD_ML_OPSET, OPSET, Graph, load_onnx
from bsnsing.export.onnx.model import add_model, label_kind

# What skl2onnx lets users say of a classifier.
_OPTIONS: dict[str, list[Any]] = {
    "zipmap": [True, False, "columns"],
    "nocl": [True, False],
    "output_class_labels": [False, True],
}


def register_converters(*estimators: type) -> None:
    """Tell skl2onnx how to convert these estimators, so that pipelines with them convert.

    Trees are of the operators of ai.onnx.ml 3, the last that skl2onnx knows, with double
    thresholds. Probabilities are worked out in doubles, and come as floats where the pipeline's
    input has floats: give it doubles (``DoubleTensorType``) for the bits of ``predict_proba``.
    Dates, times and durations are microseconds, as in :func:`bsnsing.export_onnx`: of
    ``Int64TensorType``, where the least number is missing, or doubles with NaN.

    Parameters
    ----------
    *estimators : type
        Classes of estimators.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.
    """
    load_onnx("register_onnx")
    try:
        import skl2onnx
    except ImportError as error:
        raise ImportError(
            "register_onnx needs skl2onnx, which is not installed. Run `pip install bsnsing[onnx]`."
        ) from error
    for estimator in estimators:
        skl2onnx.update_registered_converter(
            estimator,
            f"Bsnsing{estimator.__name__}",
            _set_shapes,
            _convert,
            overwrite=True,
            options=_OPTIONS,
        )


def _set_shapes(operator: Any) -> None:
    """Say what comes out: skl2onnx asks before it converts."""
    from skl2onnx.common.data_types import (
        BooleanTensorType,
        DoubleTensorType,
        FloatTensorType,
        Int64TensorType,
        StringTensorType,
    )

    form = model_form(operator.raw_operator, "register_onnx")
    n_rows = operator.inputs[0].get_first_dimension()
    labels: dict[str, Callable[..., Any]] = {
        "BOOL": BooleanTensorType,
        "INT64": Int64TensorType,
        "DOUBLE": DoubleTensorType,
        "STRING": StringTensorType,
    }
    operator.outputs[0].type = labels[label_kind(form)]([n_rows])
    is_float = any(isinstance(value.type, FloatTensorType) for value in operator.inputs)
    numbers = FloatTensorType if is_float else DoubleTensorType
    operator.outputs[1].type = numbers([n_rows, len(form.classes)])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    from skl2onnx.common.data_types import FloatTensorType

    _check_opset(container)
    program = Program(model_form(operator.raw_operator, "register_onnx"))
    check_levels_are_doubles(program, "ONNX")
    taken = {value.full_name for value in (*operator.inputs, *operator.outputs)}
    prefix = scope.get_unique_variable_name("bsnsing")
    graph = Graph(load_onnx("register_onnx"), taken, ml_opset=OLD_ML_OPSET, prefix=prefix)
    inputs = _columns(graph, program, operator.inputs)
    label, probabilities = add_model(graph, program, inputs, "")
    if isinstance(operator.outputs[1].type, FloatTensorType):
        probabilities = graph.cast(probabilities, "FLOAT")
    for value, output in ((label, operator.outputs[0]), (probabilities, operator.outputs[1])):
        graph.rename(value, output.full_name)
    container.nodes.extend(graph.nodes)
    container.initializers.extend(graph.constants)
    container.node_domain_version_pair_sets |= {("", OPSET), (ML_DOMAIN, OLD_ML_OPSET)}


def _columns(graph: Graph, program: Program, inputs: Any) -> Inputs:
    """The value of each column, whether it comes alone or with others."""
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType, StringTensorType

    names = [column.name for column in program.form.columns]
    texts = {column.name for column in program.columns if is_text(column.levels)}
    moments = {column.name for column in program.columns if column.moment_kind}
    found: dict[str, str] = {}
    place = 0
    for value in inputs:
        width = value.type.shape[1] if len(value.type.shape) > 1 else 1
        if not isinstance(width, int):
            raise ValueError(
                "The number of columns of a pipeline's input is not known. Give it, as in "
                "DoubleTensorType([None, 4])."
            )
        matrix = value.full_name
        is_string = isinstance(value.type, StringTensorType)
        holds_moments = moments & set(names[place : place + width])
        if holds_moments and isinstance(value.type, Int64TensorType):
            matrix = graph.from_microseconds(matrix)
        elif not is_string and not isinstance(value.type, DoubleTensorType):
            matrix = graph.cast(matrix, "DOUBLE")
        if width == len(names) and width > 1 and not texts:
            return Inputs({}, matrix, matrix)
        for offset in range(width):
            name = names[place + offset]
            if (name in texts) != is_string and name in {c.name for c in program.columns}:
                raise ValueError(
                    f"Column {name!r} held {'text' if name in texts else 'numbers'} at fit, and "
                    "the pipeline's input says otherwise. Give its true type in initial_types."
                )
            found[name] = matrix if width == 1 else graph.gather(matrix, [offset], 1)
        place += width
    if place != len(names):
        raise ValueError(
            f"The pipeline's input has {place} columns, and the model was fitted on {len(names)}."
        )
    return Inputs(found, None, inputs[0].full_name)


def _check_opset(container: Any) -> None:
    main = container.target_opset_any_domain("")
    own = container.target_opset_any_domain(ML_DOMAIN)
    if main < OPSET or own < OLD_ML_OPSET:
        raise ValueError(
            f"Trees need the operators of opset {OPSET} and of {ML_DOMAIN} {OLD_ML_OPSET}, and the "
            f"targets are {main} and {own}. "
            f"Say target_opset={{'': {OPSET}, '{ML_DOMAIN}': {OLD_ML_OPSET}}}."
        )

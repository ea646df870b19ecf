"""Graph: nodes and constants of ONNX, gathered under names that no column has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

OPSET = 18
ML_DOMAIN = "ai.onnx.ml"
# TreeEnsemble, and what came before it: all that skl2onnx knows yet.
ML_OPSET, OLD_ML_OPSET = 5, 3
_NO_TIME = np.iinfo(np.int64).min


def load_onnx(caller: str) -> Any:
    """Import the library, or say how to get it."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            f"{caller} needs onnx, which is not installed. Run `pip install bsnsing[onnx]`."
        ) from error
    return onnx


class Graph:
    """Nodes in the order in which they are added; values are known by their names.

    A graph inside another, as branches and loops have, knows the values of the outer one.
    """

    def __init__(
        self,
        onnx: Any,
        taken: Iterable[str],
        *,
        ml_opset: int = ML_OPSET,
        prefix: str = "",
        outer: Graph | None = None,
    ) -> None:
        self.onnx = onnx
        self.ml_opset = ml_opset
        self.prefix = prefix
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._outer = outer
        # Shared with the outer graph, where names must differ too.
        self._taken: set[str] = outer._taken if outer is not None else set(taken)
        self._known: dict[Any, str] = {}

    def inner(self) -> Graph:
        """A graph inside this one."""
        return Graph(self.onnx, (), ml_opset=self.ml_opset, prefix=self.prefix, outer=self)

    def name(self, hint: str) -> str:
        """A name that is no other's."""
        number, name = len(self._taken), f"{self.prefix}{hint}"
        while name in self._taken:
            name = f"{self.prefix}{hint}_{number}"
            number += 1
        self._taken.add(name)
        return name

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node of one output, and return the output's name."""
        (output,) = self.add_many(operator, inputs, 1, domain=domain, **attributes)
        return output

    def add_many(
        self, operator: str, inputs: Sequence[str], n: int, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add a node of several outputs, and return their names."""
        outputs = [self.name(operator.lower()) for _ in range(n)]
        make = self.onnx.helper.make_node
        self.nodes.append(make(operator, list(inputs), outputs, domain=domain, **attributes))
        return outputs

    def constant(self, values: ArrayLike, dtype: Any = np.float64) -> str:
        """A constant tensor; equal ones are kept once."""
        array = np.asarray(values, dtype=dtype)
        key = (array.dtype.str, array.shape, array.tobytes() if dtype is not object else None)
        if dtype is not object and (known := self._find(key)) is not None:
            return known
        name = self.name("constant")
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        if dtype is not object:
            self._known[key] = name
        return name

    def _find(self, key: Any) -> str | None:
        if key in self._known:
            return self._known[key]
        return None if self._outer is None else self._outer._find(key)

    def whole(self, number: int) -> str:
        """A constant of one integer, as axes and shapes are given."""
        return self.constant([number], np.int64)

    def rename(self, value: str, wanted: str) -> None:
        """Give a value the name of an output."""
        self._taken.add(wanted)
        self.nodes.append(self.onnx.helper.make_node("Identity", [value], [wanted]))

    def free_output(self, wanted: str) -> str:
        """A name for an output, with "_" behind it while another value has it."""
        while wanted in self._taken:
            wanted += "_"
        return wanted

    # --- Short for what is often needed ---

    def cast(self, value: str, dtype: str) -> str:
        """Change the type, such as to "DOUBLE"."""
        return self.add("Cast", value, to=getattr(self.onnx.TensorProto, dtype))

    def gather(self, value: str, positions: NDArray[np.int64] | Sequence[int], axis: int) -> str:
        """Take these positions along an axis."""
        return self.add("Gather", value, self.constant(positions, np.int64), axis=axis)

    def from_microseconds(self, value: str) -> str:
        """Make doubles of whole microseconds; the least whole number is NaN, as NumPy has NaT."""
        is_missing = self.add("Equal", value, self.constant(_NO_TIME, np.int64))
        return self.add("Where", is_missing, self.constant(np.nan), self.cast(value, "DOUBLE"))

    def any_of(self, values: Sequence[str]) -> str:
        """Whether one of several is true, cell by cell."""
        found = values[0]
        for value in values[1:]:
            found = self.add("Or", found, value)
        return found

    def is_finite(self, value: str) -> str:
        """Whether numbers are neither infinite nor NaN."""
        strange = self.any_of([self.add("IsNaN", value), self.add("IsInf", value)])
        return self.add("Not", strange)

    def proto(self, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """The graph as ONNX has it."""
        return self.onnx.helper.make_graph(
            self.nodes, name, list(inputs), list(outputs), initializer=self.constants
        )

    def value_info(self, name: str, dtype: str, shape: Sequence[Any] | None) -> Any:
        """The description of an input or output."""
        kind = getattr(self.onnx.TensorProto, dtype)
        return self.onnx.helper.make_tensor_value_info(name, kind, shape)

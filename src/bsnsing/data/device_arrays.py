"""as_numpy(): arrays that lie on a graphics card, brought to the host."""

from __future__ import annotations

from typing import Any


def as_numpy(array: Any) -> Any:
    """Return an array of CuPy's or PyTorch's that lies on a card as one of NumPy's; all else as is.

    Raises
    ------
    TypeError
        If it lies on a card, and neither library's way to the host is there.
    """
    if not hasattr(array, "__cuda_array_interface__"):
        return array
    if hasattr(array, "detach"):  # a tensor of PyTorch's
        return array.detach().cpu().numpy()
    if hasattr(array, "get"):  # an array of CuPy's
        return array.get()
    raise TypeError(
        f"An array of type {type(array).__name__} lies on a graphics card. Give an array of CuPy's "
        "or PyTorch's (cupy.asarray takes most), or one of NumPy's."
    )

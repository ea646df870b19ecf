"""StorableModel: the methods of the estimators that write and read files of models."""

from __future__ import annotations

import os
from typing import TypeVar

from bsnsing.estimators.stored import MAX_BYTES, StoredModel

_Own = TypeVar("_Own", bound="StorableModel")


class StorableModel(StoredModel):
    """Base of the estimators that can be saved and loaded.

    What writes and reads files is imported when a method is called: who only fits and predicts
    does not wait for it.
    """

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the fitted model to a file of JSON, which :meth:`load` reads.

        The file can be read by people, and appears whole or not at all. Loaded models predict the
        same to the last bit, and have the same parameters, names, importances and proofs. What a
        parameter holds that is of another package, such as a teacher of your own, is not stored: a
        warning says so, and the loaded model has a :class:`bsnsing.NotStored` in its place.

        Parameters
        ----------
        path : path
            Where to write.
        overwrite : bool, default=False
            Whether a file that is there may be replaced.

        Raises
        ------
        FileExistsError
            If the file is there and may not be replaced.
        TypeError
            If the class labels are neither text nor numbers.
        """
        from bsnsing.estimators.store import to_json
        from bsnsing.export.files import write_whole

        write_whole(path, to_json(self, stacklevel=3), overwrite=overwrite)

    def to_json(self) -> str:
        """Return what :meth:`save` writes."""
        from bsnsing.estimators.store import to_json

        return to_json(self, stacklevel=3)

    @classmethod
    def load(
        cls: type[_Own], path: str | os.PathLike[str], *, max_bytes: int | None = MAX_BYTES
    ) -> _Own:
        """Read a model of this kind that :meth:`save` wrote; see :func:`bsnsing.load`."""
        from bsnsing.estimators.store import read_as
        from bsnsing.export.json_read import read_bytes

        return read_as(cls, read_bytes(path, max_bytes))

    @classmethod
    def from_json(cls: type[_Own], text: str | bytes, *, max_bytes: int | None = MAX_BYTES) -> _Own:
        """Read a model of this kind from what :meth:`to_json` returned."""
        from bsnsing.estimators.store import read_as
        from bsnsing.export.json_read import check_size

        check_size(text, max_bytes)
        return read_as(cls, text)

"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write, under a temporary name beside it until all of it is written.

    A link stays one, and the file that it points to is replaced. The new file has the permissions
    of the old one. What is no regular file, such as a pipe, is written to as it is.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with open(target, "wb") as file:
            yield file
        return
    # A part of the name, so that a long one does not become too long.
    start = os.fsencode(target.name)[:40].decode("ascii", "ignore")
    try:
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{start}.")
    except OSError as error:
        error.filename = os.fspath(path)  # what was asked for, not the name beside it
        raise
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.chmod(temporary, _permissions(target))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def write_whole(
    path: str | os.PathLike[str], content: str | bytes, *, overwrite: bool = False
) -> None:
    """Write a file whole; FileExistsError if it is there and may not be replaced."""
    if Path(path).exists() and not overwrite:
        raise FileExistsError(
            f"{str(path)!r} is there already. Choose another name, or say overwrite=True."
        )
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def _permissions(target: Path) -> int:
    """Those of the file that is replaced, or of a new one; temporary ones are their owner's."""
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask

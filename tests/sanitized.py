"""Runs pytest with the extension that ``make sanitize-python`` built, instead of the installed one.

``python tests/sanitized.py build/python-sanitize tests/reference ...``, with the library of the
address sanitizer loaded first.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


def use_extension(folder: Path) -> Path:
    """Let ``bsnsing._core`` be the one extension in the folder, and the package the one here."""
    (path,) = folder.glob("_core*.so")
    # An editable installation answers imports before the path is asked.
    sys.meta_path = [own for own in sys.meta_path if "Editable" not in type(own).__name__]
    sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
    spec = importlib.util.spec_from_file_location("bsnsing._core", path)
    assert spec is not None
    assert spec.loader is not None
    # The package asks for it while it is imported itself, so it must be there first.
    module = importlib.util.module_from_spec(spec)
    sys.modules["bsnsing._core"] = module
    spec.loader.exec_module(module)
    return path


if __name__ == "__main__":
    path = use_extension(Path(sys.argv[1]).resolve())
    from bsnsing import _core

    assert _core.__file__ == str(path), f"{_core.__file__} is not sanitized"
    # Leaks are not looked for: Python keeps what it has until it ends.
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]]))

"""``python -m bsnsing.show_versions``: what a bug report should say about the machine."""

from __future__ import annotations

import os
import platform
import re
import sys
import sysconfig
from importlib import metadata

from bsnsing import _core
from bsnsing.data.release import __version__

# Extras for those who work on the package, of no interest to others.
_OURS = frozenset({"test", "dev", "bench", "peers", "docs"})


def versions() -> dict[str, dict[str, str]]:
    """Tell what bsnsing runs on; nothing about the user or the data.

    Returns
    -------
    dict of str to dict of str to str
        ``"system"`` (bsnsing, Python, operating system and processor), ``"dependencies"`` and
        ``"extras"``, each by name. A package that is not there is ``"not installed"``.
    """
    needed, optional = _packages()
    return {
        "system": _system(),
        "dependencies": {name: _installed(name) for name in needed},
        "extras": {name: _installed(name) for name in optional},
    }


def _system() -> dict[str, str]:
    may_lack_lock = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    build = "free-threaded" if may_lack_lock else "with interpreter lock"
    return {
        "bsnsing": __version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()}, {build})",
        "platform": platform.platform(),
        "processor": f"{platform.machine()}, {os.cpu_count()} cores",
        "kernels": f"{_core.active_kernels()} (of {', '.join(_core.available_kernels())})",
        "extension": os.path.basename(str(_core.__file__)),
    }


def _packages() -> tuple[list[str], list[str]]:
    """Names of what is always installed, and of what extras bring, from the package's metadata."""
    needed, optional = set(), set()
    for requirement in metadata.requires("bsnsing") or ():
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()
        extra = re.search(r"""extra\s*==\s*['"]([^'"]+)['"]""", requirement)
        if extra is None:
            needed.add(name)
        elif extra[1] not in _OURS and name != "bsnsing":
            optional.add(name)
    return sorted(needed), sorted(optional - needed)


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def main() -> None:
    """Print the versions, to be pasted into a report."""
    for title, entries in versions().items():
        sys.stdout.write(f"{title}:\n")
        for name, value in entries.items():
            sys.stdout.write(f"  {name}: {value}\n")


if __name__ == "__main__":
    main()

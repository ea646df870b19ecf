"""The command ``bsnsing``: one module per subcommand, one registry, one way to read tables."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

_NEEDED = ("click", "pyarrow", "rich")


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    args : sequence of str, default=None
        Arguments; None takes those of the process.

    Returns
    -------
    int
        0 for success, 1 for work that failed, 2 for wrong usage, 130 for an interruption.
    """
    for name in _NEEDED:
        if importlib.util.find_spec(name) is None:
            print(
                f"bsnsing: error: The command line needs {name}, which is not installed. "
                "Hint: run `pip install bsnsing[cli]`.",
                file=sys.stderr,
            )
            return 1
    from bsnsing.cli.app import run

    return run(args)

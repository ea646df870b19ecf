"""``python -m bsnsing.solvers``: which solvers can be used here, and why not the others."""

from __future__ import annotations

from bsnsing.solvers import available


def main() -> None:
    """Print one line per solver."""
    for name, status in available().items():
        if status.is_usable:
            print(f"{name:8} usable")
        else:
            print(f"{name:8} not usable: {status.reason}. {status.advice}")


if __name__ == "__main__":
    main()

"""``python -m fuzz.guided``: atheris looks for texts that break the readers of rules and models.

What it has seen is kept in a folder, to begin with rules and whole models; texts that reach new
code join it. Options of libFuzzer, such as ``-max_total_time=60``, may follow the folder.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from types import FunctionType

import atheris

from fuzz.texts import check_text, draw_text, models

_N_RULES = 200


def check(data: bytes) -> None:
    """Read a text; the first byte says by which reader."""
    reader = "model" if data[:1] >= b"\x80" else "rule"
    text = data[1:].decode("utf-8", errors="replace")
    check_text({"seed": 0, "reader": reader, "text": text})


def begin(folder: Path) -> None:
    """Write what to begin with into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, text in enumerate(models()):
        (folder / f"model-{place}").write_bytes(b"\x80" + text.encode())
    for seed in range(_N_RULES):
        case = draw_text(seed)
        if case["reader"] == "rule":
            text = case["text"].encode("utf-8", errors="replace")
            (folder / f"rule-{seed}").write_bytes(b"\x00" + text)


def watch() -> None:
    """Have atheris see which lines of ours are run.

    Its own way, at import, does not see packages that were installed in place.
    """
    for own in gc.get_objects():
        if isinstance(own, FunctionType) and (own.__module__ or "").startswith("bsnsing"):
            atheris.instrument_func(own)


def main() -> None:
    """Fuzz until libFuzzer ends."""
    folder, *options = sys.argv[1:]
    begin(Path(folder))
    check(b"\x80" + models()[0].encode())  # imports what it needs
    watch()
    atheris.Setup([sys.argv[0], *options, folder], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

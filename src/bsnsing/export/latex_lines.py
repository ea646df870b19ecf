"""Lines of text in a LaTeX document, for programs that print all letters and for pdflatex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bsnsing.export.latex_text import either, latex_text, printed
from bsnsing.export.text_width import text_width, wrap


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of text: with all letters, and as pdflatex prints them, with codes for some."""

    letters: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()

    @classmethod
    def of(cls, texts: Sequence[str], width: float, size: float, *, bold: bool = False) -> Lines:
        """Wrap texts, one after the other."""
        both = [
            tuple(line for text in own for line in wrap(text, width, size, bold=bold))
            for own in (texts, [printed(text) for text in texts])
        ]
        return cls(*both)

    def __len__(self) -> int:
        return max(len(self.letters), len(self.codes))

    def width(self, size: float, *, bold: bool = False) -> float:
        """Return the width of the longest line."""
        lines = (*self.letters, *self.codes)
        return max((text_width(line, size, bold=bold) for line in lines), default=0.0)

    def latex(self, command: str = "") -> str:
        """Write the lines, each as the argument of a command where one is given."""
        written = [
            r"\\".join(
                f"{command}{{{latex_text(line)}}}" if command else latex_text(line)
                for line in lines
            )
            for lines in (self.letters, self.codes)
        ]
        return either(*written)

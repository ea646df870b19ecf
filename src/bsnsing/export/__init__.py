"""One module per format; each reads a Tree, never the estimator."""

from bsnsing.export.text import export_text

__all__ = ["export_text"]

"""bsnsing grows decision trees in which every split is the best Boolean rule of its size."""

from bsnsing._search import Split, best_rule

__all__ = ["Split", "best_rule"]
__version__ = "0.1.0"

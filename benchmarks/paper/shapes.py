"""Shapes in the plane, cut by the paper's splits, by single questions, and by our default."""

from __future__ import annotations

import matplotlib

from benchmarks import datasets
from benchmarks.lib import report
from benchmarks.lib.paths import FIGURES, RESULTS
from bsnsing import BsnsingClassifier, plot_partition

SHAPES = ("spirals", "circ", "diam", "grid", "obli", "sh88")
MODELS = {
    "one question per split": lambda: BsnsingClassifier.paper(max_rules=1),
    "the paper's splits": BsnsingClassifier.paper,
    "our default": BsnsingClassifier,
}
PICTURE = "paper_shapes.png"


def run(n_splits: int) -> None:
    """The tree of the first split's training cases; its accuracy on the test cases."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        len(SHAPES), len(MODELS), figsize=(10.5, 3.2 * len(SHAPES)), layout="constrained"
    )
    rows = []
    for name, line in zip(SHAPES, axes, strict=True):
        data = datasets.load("binary", name)
        train, test = datasets.published.paper_split(data, 0)
        row: list[object] = [name]
        for (title, make), ax in zip(MODELS.items(), line, strict=True):
            model = make().fit(data.X.iloc[train], data.y[train])
            accuracy = model.score(data.X.iloc[test], data.y[test])
            plot_partition(model, data.X.iloc[train], data.y[train], ax=ax)
            ax.set_title(
                f"{name}: {title}\n{model.get_n_leaves()} leaves, {accuracy:.3f} on new cases"
            )
            row += [model.get_n_leaves(), f"{accuracy:.3f}"]
        rows.append(row)
    path = RESULTS / FIGURES / PICTURE
    figure.savefig(path, dpi=80)
    head = ["shape"]
    for title in MODELS:
        head += [f"{title}: leaves", "accuracy"]
    print(report.markdown(head, rows))
    print(f"\n![Shapes and the regions of three trees each](../{FIGURES}/{PICTURE})")

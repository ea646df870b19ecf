"""The BreastCancer tree of the paper's appendix, a smaller one of distinct children, both ROCs."""

from __future__ import annotations

import matplotlib

from benchmarks import datasets
from benchmarks.lib.paths import FIGURES, RESULTS
from bsnsing import BsnsingClassifier, export_svg, plot_roc, summary

PAPER = """The paper's sample of 489 training cases was drawn by R's generator; ours is the first of
the 20 splits on file. The paper prints 167 malignant and 322 benign cases at its root."""


def run(n_splits: int) -> None:
    """One split of 489 and 210 cases."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    data = datasets.load("binary", "BreastCancer")
    train, test = datasets.published.paper_split(data, 0)
    X, y, X_test, y_test = data.X.iloc[train], data.y[train], data.X.iloc[test], data.y[test]
    models = {
        "large": BsnsingClassifier.paper().fit(X, y),
        "distinct children": BsnsingClassifier.paper(distinct_children=True).fit(X, y),
    }
    print(PAPER)
    for name, model in models.items():
        picture = f"paper_breast_{name.split()[0]}.svg"
        (RESULTS / FIGURES / picture).write_text(export_svg(model), encoding="utf-8")
        print(f"\n## The {name} tree\n\n![The tree](../{FIGURES}/{picture})\n")
        print(f"On the {len(test)} test cases:\n\n```text\n{summary(model, X_test, y_test)}\n```")
    ax = plot_roc(models, X_test, y_test, event="malignant")
    ax.figure.savefig(RESULTS / FIGURES / "paper_breast_roc.svg")
    plt.close(ax.figure)
    print(f"\n## ROC curves of both\n\n![ROC curves](../{FIGURES}/paper_breast_roc.svg)")

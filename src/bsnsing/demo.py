"""The main job on data that comes with scikit-learn: ``python -m bsnsing.demo``.

With the names of files, such as ``picture.svg``, the tree is written to these.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.model_selection import train_test_split

from bsnsing import BsnsingClassifier, export_text
from bsnsing.export import FORMATS, export
from bsnsing.export.registry import format_of

# What is written where nothing else is asked for: the page for readers, and the picture.
_WRITTEN = (".html", ".svg")


def main(files: Sequence[str] | None = None) -> None:
    """Fit a tree to the Wisconsin breast cancer data and show what it is worth on new cases."""
    data = load_breast_cancer()
    names = data.target_names[data.target]
    X_train, X_test, y_train, y_test = train_test_split(
        data.data, names, test_size=0.3, random_state=0, stratify=names
    )
    model = BsnsingClassifier()
    start = time.perf_counter()
    model.fit(X_train, y_train)
    seconds = time.perf_counter() - start

    tree = model.tree_
    print(
        f"Wisconsin breast cancer: {len(X_train)} cases to learn from, {len(X_test)} to test on\n"
    )
    print(export_text(model, feature_names=data.feature_names))
    n_rules = tree.n_counted.sum() + tree.n_excluded.sum()
    print(
        f"\n{tree.n_leaves} leaves, {tree.n_questions} questions; "
        f"{n_rules:,.0f} rules counted or excluded in {1000 * seconds:.1f} ms"
    )
    print("\nOn the test cases (rows: actual, columns: predicted)")
    print(_confusion_table(y_test, model.predict(X_test), model.classes_))
    is_second = y_test == model.classes_[1]
    auc = roc_auc_score(is_second, model.predict_proba(X_test)[:, 1])
    print(f"\naccuracy {model.score(X_test, y_test):.3f}   AUC {auc:.3f}\n")
    for path in _own_files() if files is None else [Path(file) for file in files]:
        path.parent.mkdir(parents=True, exist_ok=True)
        options = _names_for(path, data.feature_names)
        if path.suffix == ".html":
            options |= {"title": "Wisconsin breast cancer", "X": X_test, "y": y_test}
        export(model, path, overwrite=True, **options)
        print(f"The tree as {format_of(path).name} is in {path}")


def _names_for(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """The option that names columns, where the format takes it: arrays have no names."""
    taken = inspect.signature(format_of(path).load()).parameters.values()
    takes_names = any(own.name == "feature_names" or own.kind is own.VAR_KEYWORD for own in taken)
    return {"feature_names": names} if takes_names else {}


def _own_files() -> list[Path]:
    """In the folder of what is built, where there is one, else in this one."""
    folder = Path("build", "demo") if Path("build").is_dir() else Path()
    known = [own.suffix for own in FORMATS]
    return [folder / f"bsnsing-demo{suffix}" for suffix in _WRITTEN if suffix in known]


def _confusion_table(actual: NDArray[Any], predicted: NDArray[Any], labels: NDArray[Any]) -> str:
    """Write a confusion matrix with its labels."""
    counts = confusion_matrix(actual, predicted, labels=labels)
    width = max(len(str(label)) for label in labels) + 2
    rows = ["".join(f"{cell:>{width}}" for cell in ["", *labels])]
    for label, row in zip(labels, counts, strict=True):
        rows.append("".join(f"{cell:>{width}}" for cell in [label, *row]))
    return "\n".join(rows)


if __name__ == "__main__":
    main(sys.argv[1:] or None)

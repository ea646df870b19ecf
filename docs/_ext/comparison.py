"""What trees of other packages can do: tried where they are installed, recorded or cited elsewhere.

``python docs/_ext/comparison.py --record`` tries all that is installed and puts it on file.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

RECORD = Path(__file__).with_name("comparison.json")
Outcomes = dict[str, bool]

# What is tried, in the order of the table.
FEATURES = {
    "or": "an OR of two columns in one split",
    "numbers": "numbers as they are",
    "text": "text columns as they are",
    "missing": "missing cells at fit",
    "missing_later": "missing cells only later",
    "unseen": "levels that fit never saw",
    "classes": "more than two classes",
    "labels": "labels that are text",
    "weights": "weights of rows",
    "costs": "a cost for each pair of labels",
    "monotone": "probabilities that only rise with a column",
    "regression": "regression",
}
# Where nothing was tried: what the documentation says, and where.
CITED = {
    "C5.0": {
        "source": "https://search.r-project.org/CRAN/refmans/C50/html/C5.0.html",
        "or": "no; rule sets (`rules=TRUE`) may overlap",
        "numbers": "yes",
        "text": "yes",
        "missing": "yes",
        "missing_later": "yes",
        "unseen": "not documented",
        "classes": "yes",
        "labels": "yes",
        "weights": "yes",
        "costs": "yes, but then no probabilities",
        "monotone": "no",
        "regression": "no",
    },
}


def _table() -> tuple[pd.DataFrame, Any]:
    random = np.random.RandomState(0)
    table = pd.DataFrame({"a": random.rand(200), "b": random.rand(200)})
    return table, (table["a"] > 0.5).astype(int).to_numpy()


def try_python(make: Callable[..., Any], **makers: Any) -> Outcomes:
    """Try each feature on an estimator with fit and predict."""
    X, y = _table()
    text = X.assign(c=np.where(y == 1, "u", "v"))
    holes, either = X.mask(X > 0.9), ((X["a"] > 0.5) | (X["b"] > 0.5)).astype(int).to_numpy()

    def good(model: Any, X: Any, y: Any) -> bool:
        return bool(np.mean(np.asarray(model.predict(X)) == y) > 0.95)

    def unseen() -> bool:
        model = make().fit(text[["c"]], y)
        return good(model, text[["c"]], y) and len(model.predict(text[["c"]].assign(c="w"))) == len(
            y
        )

    many = np.digitize(X["a"], [0.3, 0.6])
    bits = pd.DataFrame({"low": X["a"] < 0.3, "high": X["a"] >= 0.6}).astype(int)
    named = np.where(bits["low"], "p", "q")
    tries: dict[str, Callable[[], bool]] = {
        "or": lambda: good(makers.get("shallow", make)().fit(X, either), X, either),
        "numbers": lambda: good(make().fit(X, y), X, y),
        "text": lambda: good(make().fit(text[["c"]], y), text[["c"]], y),
        "missing": lambda: len(make().fit(holes, y).predict(holes)) == len(y),
        "missing_later": lambda: len(make().fit(X, y).predict(holes)) == len(y),
        "unseen": unseen,
        "classes": lambda: good(make().fit(bits, many), bits, many),
        "labels": lambda: good(make().fit(bits, named), bits, named),
        "weights": lambda: make().fit(X, y, sample_weight=np.ones(len(y))) is not None,
        "costs": lambda: makers["costs"](X, y),
        "monotone": lambda: makers["monotone"](X, y),
        "regression": lambda: makers["regression"](X, y),
    }
    outcomes = {}
    for name, attempt in tries.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outcomes[name] = bool(attempt())
        except Exception:  # whatever a package raises means that it cannot
            outcomes[name] = False
    return outcomes


def try_bsnsing() -> Outcomes:
    from bsnsing import BsnsingClassifier

    def costs(X: Any, y: Any) -> bool:
        model = BsnsingClassifier(cost={(1, 0): 20}).fit(X, y)
        return hasattr(model, "predict_proba")

    def monotone(X: Any, y: Any) -> bool:
        return BsnsingClassifier(monotonic_cst={"a": 1}).fit(X, y) is not None

    def shallow() -> Any:
        return BsnsingClassifier.plain(max_depth=1, min_samples_leaf=1, max_bins=None)

    return try_python(BsnsingClassifier, costs=costs, monotone=monotone, shallow=shallow)


def try_sklearn() -> Outcomes:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    def monotone(X: Any, y: Any) -> bool:
        return DecisionTreeClassifier(monotonic_cst=[1, 0]).fit(X, y) is not None

    return try_python(
        DecisionTreeClassifier,
        shallow=lambda: DecisionTreeClassifier(max_depth=1),
        monotone=monotone,
        regression=lambda X, y: DecisionTreeRegressor().fit(X, y) is not None,
    )


def try_streed() -> Outcomes:
    from pystreed import STreeDClassifier, STreeDCostSensitiveClassifier, STreeDRegressor

    return try_python(
        lambda: STreeDClassifier(max_depth=2),
        shallow=lambda: STreeDClassifier(max_depth=1),
        costs=lambda X, y: STreeDCostSensitiveClassifier is not None,
        regression=lambda X, y: STreeDRegressor(max_depth=2).fit(X, y) is not None,
    )


def try_gosdt() -> Outcomes:
    from gosdt import GOSDTClassifier

    def make(depth: int = 3) -> Any:
        return GOSDTClassifier(regularization=0.02, depth_budget=depth, time_limit=20)

    X, y = _table()
    try:
        make().fit(X > 0.5, y).predict(X > 0.5)
    except Exception as error:  # as release 1.0.4 does beside scikit-learn 1.6 and later
        raise ImportError("GOSDT does not work here") from error

    def costs(X: Any, y: Any) -> bool:
        matrix = np.array([[0.0, 0.1], [0.2, 0.0]])
        return make().fit(X > 0.5, y, cost_matrix=matrix) is not None

    return try_python(make, shallow=lambda: make(2), costs=costs)


_R = """
suppressMessages(library(rpart))
set.seed(0)
n <- 200
d <- data.frame(a = runif(n), b = runif(n)); y <- factor(d$a > .5)
say <- function(name, value) cat(name, isTRUE(tryCatch(value(), error = function(e) FALSE)), "\\n")
good <- function(model, d, y) mean(predict(model, d, type = "class") == y) > .95
fit <- function(d, y, ...) rpart(y ~ ., cbind(d, y = y), method = "class", ...)
text <- cbind(d, c = ifelse(y == "TRUE", "u", "v"))
holes <- d; holes$a[holes$a > .9] <- NA
either <- factor(d$a > .5 | d$b > .5)
many <- factor(cut(d$a, c(-1, .3, .6, 2), labels = FALSE))
say("or", function() good(fit(d, either, maxdepth = 1), d, either))
say("numbers", function() good(fit(d, y), d, y))
say("text", function() good(fit(text["c"], y), text["c"], y))
say("missing", function() length(predict(fit(holes, y), holes)) > 0)
say("missing_later", function() length(predict(fit(d, y), holes)) > 0)
new <- data.frame(c = rep("w", n))
say("unseen", function() length(predict(fit(text["c"], y), new)) > 0)
say("classes", function() good(fit(d, many), d, many))
say("labels", function() good(fit(d, y), d, y))
say("weights", function() length(fit(d, y, weights = rep(1, n))) > 0)
say("costs", function() length(fit(d, y, parms = list(loss = matrix(c(0, 20, 1, 0), 2)))) > 0)
say("regression", function() length(rpart(a ~ b, d, method = "anova")) > 0)
cat("version", as.character(packageVersion("rpart")), "\\n")
"""


def try_rpart() -> Outcomes:
    """Try rpart in R; ImportError where there is none."""
    program = shutil.which("Rscript")
    if program is None:
        raise ImportError("no R")
    done = subprocess.run([program, "-e", _R], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImportError("no rpart")
    said = dict(line.split() for line in done.stdout.splitlines())
    RPART_VERSION.append(said.pop("version"))
    return {name: said.get(name) == "TRUE" for name in FEATURES}


RPART_VERSION: list[str] = []
TRIED: dict[str, tuple[Callable[[], Outcomes], Callable[[], str]]] = {
    "bsnsing": (try_bsnsing, lambda: version("bsnsing")),
    "scikit-learn": (try_sklearn, lambda: version("scikit-learn")),
    "rpart": (try_rpart, lambda: RPART_VERSION[-1]),
    "STreeD": (try_streed, lambda: version("pystreed")),
    "GOSDT": (try_gosdt, lambda: version("gosdt")),
}


def try_all() -> dict[str, dict[str, Any]]:
    """What is on file, with what is installed here tried anew."""
    found = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    for name, (attempt, its_version) in TRIED.items():
        try:
            found[name] = {"outcomes": attempt(), "version": its_version(), "where": "this build"}
        except ImportError:
            continue
    return found


def comparison_table(found: dict[str, dict[str, Any]]) -> str:
    """The table as Markdown, and below it where each column comes from."""
    names = [*TRIED, *CITED]
    lines = ["| | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for feature, words in FEATURES.items():
        cells = ["yes" if found[own]["outcomes"][feature] else "no" for own in TRIED]
        cells += [own[feature] for own in CITED.values()]
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    lines.append("")
    for name in TRIED:
        lines.append(f"- **{name}** {found[name]['version']}: tried, in {found[name]['where']}.")
    for name, own in CITED.items():
        lines.append(f"- **{name}**: cited from [its manual]({own['source']}).")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    everything = try_all()
    if "--record" in sys.argv:
        for own in everything.values():
            own["where"] = "a run that is on file"
        RECORD.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
    print(comparison_table(everything) if everything.keys() >= TRIED.keys() else list(everything))

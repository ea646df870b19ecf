"""bsnsing grows decision trees of Boolean rules, each the best of its size.

Folders in the order of the data; each imports only those named before it:

data, questions     a user's table as typed columns; yes/no questions about them
tree, rules         rules and trees as frozen data; what a rule is judged by, and its proof
engine, solvers     what counts the rows of nodes; what chooses each node's rule from the counts
grow, distill       a tree from cases, level by level; a tree from a teacher's soft labels
estimators          the scikit-learn classifiers, which call all of these in turn
export, cli         models in other forms, made of trees alone; the command ``bsnsing``
"""

import importlib
from typing import TYPE_CHECKING, Any

from bsnsing import export as _export
from bsnsing.data.release import __version__ as __version__
from bsnsing.tree.drawing import set_drawing

if TYPE_CHECKING:
    from bsnsing.data.date_parts import date_parts
    from bsnsing.data.version import InconsistentVersionWarning
    from bsnsing.engine.ask import Pool, ask_questions
    from bsnsing.estimators.classifier import BsnsingClassifier
    from bsnsing.estimators.cv import BsnsingClassifierCV
    from bsnsing.estimators.donors import questions_of
    from bsnsing.estimators.ensemble import BsnsingEnsemble
    from bsnsing.estimators.onnx import register_onnx
    from bsnsing.estimators.store import export_json, from_json, load
    from bsnsing.estimators.threshold import DecisionThreshold, decision_threshold
    from bsnsing.estimators.values import NotStored
    from bsnsing.export import (
        explain,
        export_c,
        export_graphviz,
        export_html,
        export_java,
        export_javascript,
        export_latex,
        export_onnx,
        export_pmml,
        export_python,
        export_r,
        export_rules,
        export_spreadsheet,
        export_sql,
        export_svg,
        export_text,
        export_xlsx,
        nodes_frame,
        plot_calibration,
        plot_confusion,
        plot_importances,
        plot_partition,
        plot_pruning_path,
        plot_roc,
        plot_tree,
        rules_frame,
        summary,
        to_sklearn,
    )
    from bsnsing.export.json_read import ModelFileError
    from bsnsing.export.json_schema import json_schema
    from bsnsing.grow.rank import Alternative
    from bsnsing.questions.donors.r import RLearner
    from bsnsing.questions.grammar import ParseError, parse_question
    from bsnsing.questions.pair import ColumnPair
    from bsnsing.questions.question import Question
    from bsnsing.rules.constraints import RuleConstraints
    from bsnsing.rules.split import Split
    from bsnsing.solvers.best_rule import best_rule
    from bsnsing.tree.rule import Rule
    from bsnsing.tree.tree import Node, Tree

# Where names come from that are no export; the same as above, for those that run.
_HOME = {
    "Alternative": "grow.rank",
    "BsnsingClassifier": "estimators.classifier",
    "BsnsingClassifierCV": "estimators.cv",
    "BsnsingEnsemble": "estimators.ensemble",
    "ColumnPair": "questions.pair",
    "DecisionThreshold": "estimators.threshold",
    "InconsistentVersionWarning": "data.version",
    "ModelFileError": "export.json_read",
    "Node": "tree.tree",
    "NotStored": "estimators.values",
    "ParseError": "questions.grammar",
    "Pool": "engine.ask",
    "Question": "questions.question",
    "RLearner": "questions.donors.r",
    "Rule": "tree.rule",
    "RuleConstraints": "rules.constraints",
    "Split": "rules.split",
    "Tree": "tree.tree",
    "ask_questions": "engine.ask",
    "best_rule": "solvers.best_rule",
    "date_parts": "data.date_parts",
    "decision_threshold": "estimators.threshold",
    "export_json": "estimators.store",
    "from_json": "estimators.store",
    "json_schema": "export.json_schema",
    "load": "estimators.store",
    "parse_question": "questions.grammar",
    "questions_of": "estimators.donors",
    "register_onnx": "estimators.onnx",
}
# Folders that are read as attributes too: ``bsnsing.solvers.available()``.
_FOLDERS = ("data", "distill", "engine", "estimators", "grow", "questions", "rules", "solvers")

__all__ = [
    "Alternative",
    "BsnsingClassifier",
    "BsnsingClassifierCV",
    "BsnsingEnsemble",
    "ColumnPair",
    "DecisionThreshold",
    "InconsistentVersionWarning",
    "ModelFileError",
    "Node",
    "NotStored",
    "ParseError",
    "Pool",
    "Question",
    "RLearner",
    "Rule",
    "RuleConstraints",
    "Split",
    "Tree",
    "ask_questions",
    "best_rule",
    "date_parts",
    "decision_threshold",
    "explain",
    "export_c",
    "export_graphviz",
    "export_html",
    "export_java",
    "export_javascript",
    "export_json",
    "export_latex",
    "export_onnx",
    "export_pmml",
    "export_python",
    "export_r",
    "export_rules",
    "export_spreadsheet",
    "export_sql",
    "export_svg",
    "export_text",
    "export_xlsx",
    "from_json",
    "json_schema",
    "load",
    "nodes_frame",
    "parse_question",
    "plot_calibration",
    "plot_confusion",
    "plot_importances",
    "plot_partition",
    "plot_pruning_path",
    "plot_roc",
    "plot_tree",
    "questions_of",
    "register_onnx",
    "rules_frame",
    "summary",
    "to_sklearn",
]


def __getattr__(name: str) -> Any:
    """Import a name on its first use: the command line and its Tab key then start at once."""
    if name in _HOME:
        value = getattr(importlib.import_module(f"bsnsing.{_HOME[name]}"), name)
    elif name in _export.__all__ and name in __all__:
        value = getattr(_export, name)
    elif name in _FOLDERS:
        value = importlib.import_module(f"bsnsing.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _draw(tree: Any) -> str:
    from bsnsing.export.notebook import tree_html

    return tree_html(tree)


set_drawing(_draw)

"""bsnsing grows decision trees of Boolean rules, each the best of its size.

Folders in the order of the data; each imports only those named before it:

data, questions     a user's table as typed columns; yes/no questions about them
tree, rules         rules and trees as frozen data; what a rule is judged by, and its proof
engine, solvers     what counts the rows of nodes; what chooses each node's rule from the counts
grow, distill       a tree from cases, level by level; a tree from a teacher's soft labels
estimators          the scikit-learn classifiers, which call all of these in turn
export              trees as text; reads tree and data alone
"""

from bsnsing.engine.ask import Pool, ask_questions
from bsnsing.estimators.classifier import BsnsingClassifier
from bsnsing.estimators.cv import BsnsingClassifierCV
from bsnsing.estimators.ensemble import BsnsingEnsemble
from bsnsing.export import export_text
from bsnsing.questions.elsewhere import questions_of
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question
from bsnsing.rules.constraints import RuleConstraints
from bsnsing.rules.split import Split
from bsnsing.solvers.best_rule import best_rule
from bsnsing.tree.rule import Rule
from bsnsing.tree.tree import Node, Tree

__all__ = [
    "BsnsingClassifier",
    "BsnsingClassifierCV",
    "BsnsingEnsemble",
    "ColumnPair",
    "Node",
    "Pool",
    "Question",
    "Rule",
    "RuleConstraints",
    "Split",
    "Tree",
    "ask_questions",
    "best_rule",
    "export_text",
    "questions_of",
]
__version__ = "0.1.0"

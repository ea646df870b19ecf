"""bsnsing grows decision trees in which every split is the best Boolean rule of its size.

The stages, in the order of the data:

_table      array or dataframe -> typed columns
_pairs      numbers made of two columns
_questions  one yes/no question about one column, or about such a number
_ask        the questions worth asking of a table
_extra      questions from elsewhere
_engine     columns as codes, questions as bit columns (native)
_search     the best rule over a pool, with its proof
constraints limits on the questions of a rule
solvers     who chooses the rule: the native search, or a mixed-integer solver
_grow       open nodes, level by level
_forest     the teacher by default
_teacher    what a teacher makes of the rows, for a tree to learn from
_floor      impurity that no split of such a lesson can save
_language   how much rules may say
_prune      the best subtree of a given size, or for a price per leaf
_shrink     class shares drawn towards those above and what a lesson shows
_tree       rules and nodes: frozen data
_predict    rows -> leaves
_tree_grower one tree: grown, counted, pruned
_estimator  BsnsingClassifier: calls the stages
_cv         BsnsingClassifierCV: size chosen by cross-validation
_ensemble   BsnsingEnsemble: a few trees that vote
"""

from bsnsing._ask import Pool, ask_questions
from bsnsing._cv import BsnsingClassifierCV
from bsnsing._ensemble import BsnsingEnsemble
from bsnsing._estimator import BsnsingClassifier
from bsnsing._extra import questions_of
from bsnsing._pairs import ColumnPair
from bsnsing._questions import Question
from bsnsing._search import Split, best_rule
from bsnsing._tree import Node, Rule, Tree
from bsnsing.constraints import RuleConstraints
from bsnsing.export import export_text

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

"""Write the help of parameters, learners and the like from the tables that have them.

``python -m bsnsing.cli.write_help``, or ``make stubs``.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path

from bsnsing.cli.contestants import CONTESTANTS
from bsnsing.cli.parameter_options import HELP_FILE
from bsnsing.cli.parameters import (
    LEARNERS,
    documented,
    parameter_helps,
    plain_words,
    shown_value,
)
from bsnsing.solvers.best_rule import best_rule
from bsnsing.solvers.parameters import BEST_RULE_PARAMETERS


def described() -> str:
    """Return the content of the file."""
    helps = {
        "parameters": parameter_helps(),
        "rule": _rule_helps(),
        "learners": {name: learner.help for name, learner in LEARNERS.items()},
        "contestants": {name: own.help for name, own in CONTESTANTS.items()},
    }
    return json.dumps(helps, indent=1, ensure_ascii=False) + "\n"


def _rule_helps() -> dict[str, str]:
    sentences = {**documented(best_rule), "operators": "How a rule may join questions."}
    defaults = inspect.signature(best_rule).parameters
    return {
        name: f"{sentences[name]} Takes {plain_words(words)}.  "
        f"[default: {shown_value(defaults[name].default)}]"
        for name, (_, words) in BEST_RULE_PARAMETERS.items()
    }


if __name__ == "__main__":
    (Path(__file__).parent / HELP_FILE).write_text(described(), encoding="utf-8")

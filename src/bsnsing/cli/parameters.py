"""Options for the estimators' parameters, from the tables that check them."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import click

from bsnsing.cli.errors import Refusal
from bsnsing.estimators.classifier import BsnsingClassifier
from bsnsing.estimators.cv import BsnsingClassifierCV
from bsnsing.estimators.ensemble import BsnsingEnsemble
from bsnsing.estimators.parameters import CV_PARAMETERS, ENSEMBLE_PARAMETERS, TREE_PARAMETERS
from bsnsing.rules.parameters import Parameters, any_of, is_dict, is_list_of, is_none


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


# What the tables leave to the stages that read it, as far as a command line can say it.
_FURTHER: Parameters = {
    "solver_options": (any_of(is_none, is_dict), "an object of JSON"),
    "constraints": (any_of(is_none, is_dict), "an object of JSON"),
    "extra_questions": (
        is_list_of(_is_text),
        "saved models, whose questions are taken, or rpart, ctree, C50 or tree of R",
    ),
    "categorical_features": (is_list_of(_is_text), "names of columns, with commas between them"),
}

TREE_OPTIONS: Parameters = TREE_PARAMETERS | _FURTHER

# Where a command line can say less than Python, or needs other words.
_WORDS = {
    "teacher": "none or forest",
    "class_weight": "none, balanced, or as in yes=5,no=1",
    "column_pairs": 'auto, none, or lists as in [["debt", "income"]]',
    "random_state": "none or an int of at least 0",
    "cv": "an int of at least 2",
    "scoring": "neg_log_loss, accuracy, roc_auc or another scorer of scikit-learn",
    "settings": "none or a list of objects of JSON",
    "max_rules": "auto or an int from 1 to 10; with --learner cv some of them, as in 1,2,3",
}
_SENTENCES = {
    "verbose": "1 prints progress as lines, 2 the logs of mixed-integer solvers too.",
    "extra_questions": "Questions of other models to ask too.",
    "categorical_features": "Columns whose numbers are codes, as --type COLUMN=category says too.",
    "solver_options": "How mixed-integer solvers work.",
}


@dataclass(frozen=True, slots=True)
class Learner:
    """One estimator that can be fitted, with the table of its own parameters."""

    make: type[Any]
    parameters: Parameters
    help: str


LEARNERS = {
    "tree": Learner(BsnsingClassifier, TREE_OPTIONS, "one tree"),
    "cv": Learner(BsnsingClassifierCV, CV_PARAMETERS, "one tree, its size by cross-validation"),
    "ensemble": Learner(BsnsingEnsemble, ENSEMBLE_PARAMETERS, "a few trees that vote"),
}


def parameter_helps() -> dict[str, str]:
    """Return the help of every parameter of every learner."""
    return {name: _help(name, learners) for name, learners in _by_name().items()}


def _by_name() -> dict[str, list[str]]:
    """Learners that have a parameter, by its name; the tree's parameters come first."""
    found: dict[str, list[str]] = {}
    for key, learner in LEARNERS.items():
        for name in learner.parameters:
            found.setdefault(name, []).append(key)
    order = list(inspect.signature(BsnsingClassifier).parameters)
    places = {name: order.index(name) if name in order else len(order) for name in found}
    return dict(sorted(found.items(), key=lambda item: places[item[0]]))


def _help(name: str, learners: list[str]) -> str:
    learner = LEARNERS[learners[0]]
    default = inspect.signature(learner.make).parameters[name].default
    sentence = _SENTENCES.get(name) or documented(learner.make)[name]
    if learners[0] != "tree":
        sentence = f"With --learner {learners[0]}: {sentence[0].lower()}{sentence[1:]}"
    words = plain_words(_WORDS.get(name, learner.parameters[name][1]))
    return f"{sentence} Takes {words}.  [default: {shown_value(default)}]"


def plain_words(words: str) -> str:
    """Write what a parameter takes as it is given on the command line."""
    for python, plain in (("None", "none"), ("True", "true"), ("False", "false"), ("'", "")):
        words = words.replace(python, plain)
    return words


def documented(owner: Any) -> Mapping[str, str]:
    """Return the first sentence that a docstring says of each parameter."""
    text = inspect.cleandoc(owner.__doc__ or "")
    section = re.split(r"\n\w+\n---", text.split("Parameters\n----------\n")[1])[0]
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\w)", section):
        head, _, body = entry.partition("\n")
        words = re.sub(r" \([^()]*\)", "", " ".join(body.split()).replace("``", ""))
        first = re.split(r"\.(?: |$)|; |(?<!classes): ", words)[0]
        found |= {name: f"{first}." for name in head.split(" :")[0].split(", ")}
    return found


def shown_value(value: Any) -> str:
    """Write a value as it is given on the command line."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return ",".join(map(shown_value, value))
    return format(value, "g") if isinstance(value, float) else str(value)


# --- From text to values ---


def read_value(name: str, text: str, parameters: Parameters) -> Any:
    """Return the first reading of the text that the table's check accepts."""
    check, words = parameters[name]
    for value in readings(text):
        if check(value):
            return value
    option = f"--{name.replace('_', '-')}"
    raise click.UsageError(
        f"{option} must be {words}. Got {text!r} instead.", click.get_current_context(silent=True)
    )


def readings(text: str) -> Iterator[Any]:
    """What a text can mean: a literal of JSON, a word, a list, pairs of names and numbers."""
    word = text.strip().lower()
    if word == "none":
        yield None
    if word in ("true", "yes", "on"):
        yield True
    if word in ("false", "no", "off"):
        yield False
    literal = _literal(text)
    if literal is not None:
        yield literal
    yield text
    parts = [part.strip() for part in text.split(",")]
    yield [part if (value := _literal(part)) is None else value for part in parts]
    yield parts
    pairs = [part.rpartition("=") for part in parts]
    if all(equals for _, equals, _ in pairs):
        yield {key: _literal(value) for key, _, value in pairs}


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
    except RecursionError as error:
        raise click.UsageError(
            f"The value {text[:20]!r}... has lists in lists, deeper than can be read.",
            click.get_current_context(silent=True),
        ) from error


# --- From values to estimators ---


def make_estimator(learner: str, preset: str, given: Mapping[str, str]) -> Any:
    """Make the estimator that the options describe.

    A parameter of the learner's own goes to it; others go to the tree that it is made of.
    """
    chosen = LEARNERS[learner]
    own, tree = {}, {}
    for name, text in given.items():
        if name in chosen.parameters:
            own[name] = read_value(name, text, chosen.parameters)
        elif name in TREE_OPTIONS:
            tree[name] = read_value(name, text, TREE_OPTIONS)
        else:
            wanted = next(key for key, known in LEARNERS.items() if name in known.parameters)
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for --learner {wanted}.",
                click.get_current_context(silent=True),
            )
    if learner == "tree":
        return _preset_of_tree(preset)(**_with_questions(own))
    if learner == "ensemble" and preset == "paper":
        changes = {"estimator": BsnsingClassifier.paper(**_with_questions(tree))} if tree else {}
        return BsnsingEnsemble.paper(**(changes | own))
    if tree or preset != "default":
        if learner == "ensemble" and preset == "default":
            base = BsnsingEnsemble().default_estimator()
            own["estimator"] = base.set_params(**_with_questions(tree))
        else:
            own["estimator"] = _preset_of_tree(preset)(**_with_questions(tree))
    return chosen.make(**own)


def _preset_of_tree(preset: str) -> Callable[..., BsnsingClassifier]:
    if preset == "default":
        return BsnsingClassifier
    made: Callable[..., BsnsingClassifier] = getattr(BsnsingClassifier, preset)
    return made


def _with_questions(parameters: dict[str, Any]) -> dict[str, Any]:
    """Read the models whose questions are to be asked too."""
    paths = parameters.get("extra_questions")
    if paths is None:
        return parameters
    from bsnsing.cli.models import load_model
    from bsnsing.estimators.donors import questions_of
    from bsnsing.questions.donors.r import R_LEARNERS

    learners = [path for path in paths if path in R_LEARNERS]
    saved = [path for path in paths if path not in R_LEARNERS]
    questions = [question for path in saved for question in questions_of(load_model(path))]
    if not questions and not learners:
        raise Refusal("--extra-questions: the models ask nothing.", "give others.")
    return parameters | {"extra_questions": [*questions, *learners]}

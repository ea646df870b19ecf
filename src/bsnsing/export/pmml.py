"""A model as PMML 4.4.

Each tree is a TreeModel whose nodes are compound predicates: "or", "and" and "xor" are native
there, and so is their three-valued logic. What no TreeModel can say is what a case gets whose rule
stays unknown: the mean of both ways. So a TreeModel ends there, at an inner node, and for such
cases the same tree is written once more as derived fields, from the leaves up, in which 0, 0.5 and
1 stand for no, unknown and yes: "or" is the greatest of them, "and" the least.

Evaluators divide probabilities by their sum, which moves their last bit. The result's own fields
are therefore made of the confidences of score distributions, which are left as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bsnsing.export.form import ModelForm, TreeForm, model_form
from bsnsing.export.levels import check_doubles_tell_apart
from bsnsing.export.pmml_elements import apply, constant, derived, field_ref
from bsnsing.export.pmml_fields import Fields
from bsnsing.export.xml_text import Element, element, write_document

_NAMESPACE = "http://www.dmg.org/PMML-4_4"


def export_pmml(model: Any, *, target: str = "label") -> str:
    """Write a model as PMML 4.4, the language that models travel in between programs.

    The result has, for each case, the field ``target``, and ``probability(...)`` of each class: the
    same numbers that ``predict_proba`` gives, to the last bit, also where cells are missing or
    hold levels that fit never saw. With one tree there is ``leaf``, the number of the leaf. Where a
    column has the name of such a field, "_" is appended to the field's.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    target : str, default="label"
        Name of the field that holds the predicted label.

    Returns
    -------
    str
        The document.

    Raises
    ------
    ValueError
        If a name is empty, holds characters that XML cannot write, or is that of ``target``, or
        levels are the same as text.

    Notes
    -----
    Dates and moments are of type dateTime (2021-03-01T00:00:00), times of day of type time. PMML
    has no time zones: moments that had one at fit are to be given in UTC. It has no durations
    either: they are seconds. All are compared to the microsecond.

    For cases whose rule stays unknown, evaluators call themselves once per level of the tree: some
    hundreds of levels take more than Java's usual stack (``java -Xss64m`` is enough for 1,500).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BsnsingClassifier.plain(max_leaf_nodes=2).fit(X, y)
    >>> text = export_pmml(model)
    >>> '<SimplePredicate field="petal length (cm)" operator="greaterThan" value="2.45"/>' in text
    True
    """
    form = model_form(model, "export_pmml")
    fields = Fields(form, target)
    labels = [_label(label) for label in form.classes]
    _check_names(form, target, labels)
    chain = _chain(form, fields, target, labels)
    root = element(
        "PMML",
        {"xmlns": _NAMESPACE, "version": "4.4"},
        element("Header", {}, element("Application", {"name": "bsnsing"})),
        element("DataDictionary", {}, *fields.dictionary()),
        element("TransformationDictionary", {}, *fields.cleaned(), *_mixtures(form, fields)),
        chain,
    )
    return write_document(root)


def _label(label: Any) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    return repr(label) if isinstance(label, float) else str(label)


def _free_name(form: ModelForm, name: str, target: str) -> str:
    """Return the name, with as many "_" after it as no column asked about has."""
    taken = {target, *(column.name for column in form.asked_columns)}
    while name in taken:
        name += "_"
    return name


def _check_names(form: ModelForm, target: str, labels: list[str]) -> None:
    if "" in {column.name for column in form.asked_columns}:
        raise ValueError("Fields of PMML have names, and a column has none. Name it.")
    for column in form.asked_columns:
        check_doubles_tell_apart(column.name, column.levels, "PMML")
    if target in {column.name for column in form.asked_columns}:
        raise ValueError(
            f"The column {target!r} has the name of a field of the result. "
            "Choose another target=..., or rename the column."
        )
    if len(set(labels)) < len(labels):
        raise ValueError("Two classes are the same as text. Give them labels that differ.")


# --- Trees ---


def _chain(form: ModelForm, fields: Fields, target: str, labels: list[str]) -> Element:
    """Write the trees one after the other, and last what makes the result of them."""
    segments = []
    for number, tree in enumerate(form.trees, start=1):
        segments.append(
            element("Segment", {"id": str(number)}, element("True"), _tree(fields, tree, number))
        )
    result = _result(form, fields, labels)
    segments.append(element("Segment", {"id": "result"}, element("True"), result))
    label_field = element(
        "OutputField",
        {
            "name": target,
            "optype": "categorical",
            "dataType": "string",
            "feature": "transformedValue",
        },
        field_ref(fields.own("label")),
    )
    outputs = [label_field]
    for place, label in enumerate(labels, start=1):
        outputs.append(
            element(
                "OutputField",
                {
                    "name": _free_name(form, f"probability({label})", target),
                    "optype": "continuous",
                    "dataType": "double",
                    "feature": "transformedValue",
                },
                field_ref(fields.own(f"p{place}")),
            )
        )
    if form.is_single:
        outputs.append(
            element(
                "OutputField",
                {
                    "name": _free_name(form, "leaf", target),
                    "optype": "categorical",
                    "dataType": "string",
                    "feature": "transformedValue",
                },
                field_ref(fields.own("leaf1")),
            )
        )
    return element(
        "MiningModel",
        {"functionName": "regression", "algorithmName": "bsnsing"},
        _schema(fields),
        element("Output", {}, *outputs),
        element("Segmentation", {"multipleModelMethod": "modelChain"}, *segments),
    )


def _schema(fields: Fields, *more: str) -> Element:
    return element(
        "MiningSchema",
        {},
        *fields.mining_fields(),
        *(element("MiningField", {"name": name}) for name in more),
    )


def _tree(fields: Fields, tree: TreeForm, number: int) -> Element:
    """Write one tree; where a rule is unknown it ends there."""
    labels = [_label(label) for label in tree.tree.classes.tolist()]
    outputs = [
        element(
            "OutputField",
            {
                "name": fields.own(f"c{number}_{place}"),
                "optype": "continuous",
                "dataType": "double",
                "feature": "confidence",
                "value": label,
                "isFinalResult": "false",
            },
        )
        for place, label in enumerate(labels, start=1)
    ]
    outputs.append(
        element(
            "OutputField",
            {
                "name": fields.own(f"leaf{number}"),
                "optype": "categorical",
                "dataType": "string",
                "feature": "entityId",
                "isFinalResult": "false",
            },
        )
    )
    return element(
        "TreeModel",
        {
            "modelName": tree.title or "tree",
            "functionName": "classification",
            "missingValueStrategy": "lastPrediction",
            "splitCharacteristic": "binarySplit",
        },
        _schema(fields),
        element("Output", {}, *outputs),
        _nodes(fields, tree, labels),
    )


def _nodes(fields: Fields, tree: TreeForm, labels: list[str]) -> Element:
    counts = tree.tree.counts.tolist()
    made: dict[int, Element] = {}
    predicates: dict[int, Element] = {0: element("True")}
    for node in tree.nodes:
        if not node.is_leaf:
            predicates[node.yes] = fields.predicate(node, holds=True)
            predicates[node.no] = fields.predicate(node, holds=False)
    for node in reversed(tree.nodes):  # children come after their parents
        best = int(tree.tree.labels[node.id])
        children = [
            element(
                "ScoreDistribution",
                {
                    "value": label,
                    "recordCount": repr(count),
                    "confidence": repr(value),
                    "probability": repr(value),
                },
            )
            for label, count, value in zip(labels, counts[node.id], node.value, strict=True)
        ]
        children += [] if node.is_leaf else [made.pop(node.yes), made.pop(node.no)]
        attributes = {"id": str(node.id), "score": labels[best]}
        made[node.id] = element("Node", attributes, predicates[node.id], *children)
    return made[0]


# --- What cases get whose rules are unknown ---


def _mixtures(form: ModelForm, fields: Fields) -> Iterator[Element]:
    """Write each tree as derived fields, from the leaves up."""
    for number, tree in enumerate(form.trees, start=1):
        if not tree.may_be_unknown:
            continue
        places = range(1, len(tree.nodes[0].value) + 1)
        for node in reversed(tree.nodes):
            if node.is_leaf:
                continue
            rule = fields.own(f"r{number}_{node.id}")
            yield derived(rule, fields.certainty(node))
            for place in places:
                yes, no = (
                    constant(tree.nodes[child].value[place - 1])
                    if tree.nodes[child].is_leaf
                    else field_ref(fields.own(f"v{number}_{child}_{place}"))
                    for child in (node.yes, node.no)
                )
                difference = apply("-", yes, no)
                mean = apply("+", no, apply("*", constant(node.yes_share), difference))
                if_no = apply("if", apply("equal", field_ref(rule), constant(0.0)), no, mean)
                value = apply("if", apply("equal", field_ref(rule), constant(1.0)), yes, if_no)
                yield derived(fields.own(f"v{number}_{node.id}_{place}"), value)


def _result(form: ModelForm, fields: Fields, labels: list[str]) -> Element:
    """Write the mean over members, and the label, as outputs of a model that predicts nothing."""
    outputs: list[Element] = []

    def add(name: str, expression: Element, *, is_text: bool = False) -> Element:
        attributes = {
            "name": fields.own(name),
            "optype": "categorical" if is_text else "continuous",
            "dataType": "string" if is_text else "double",
            "feature": "transformedValue",
            "isFinalResult": "false",
        }
        outputs.append(element("OutputField", attributes, expression))
        return ref(name)

    def ref(name: str) -> Element:
        return field_ref(fields.own(name))

    def tree_value(number: int, place: int, places: Sequence[int]) -> Element:
        tree = form.trees[number - 1]
        own = ref(f"c{number}_{place}")
        if not tree.may_be_unknown:
            return own
        if place == places[0]:
            inner = [constant(str(n.id), "string") for n in tree.nodes if not n.is_leaf]
            is_open = apply("isIn", ref(f"leaf{number}"), *inner)
            add(f"open{number}", apply("if", is_open, constant(1.0), constant(0.0)))
        is_open = apply("equal", ref(f"open{number}"), constant(1.0))
        mixed = ref(f"v{number}_0_{place}")
        return add(f"t{number}_{place}", apply("if", is_open, mixed, own))

    def saved(shares: list[Element], name: str) -> list[Element]:
        """Less what each class is expected to cost if it is said."""
        costs = []
        for j in range(len(labels)):
            total = constant(0.0)
            for own, row in zip(shares, form.costs or (), strict=True):
                total = apply("-", total, apply("*", own, constant(row[j])))
            costs.append(add(f"{name}_{j + 1}", total))
        return costs

    places = range(1, len(labels) + 1)
    members: list[list[Element]] = []
    number = 0
    for member in form.members:
        if len(member) == 1:
            number += 1
            members.append([tree_value(number, k, places) for k in places])
            continue
        raw = [tree_value(number + k, 2, (2,)) for k in range(1, len(member) + 1)]
        number += len(member)
        total = add(f"sum{number}", _left("+", raw))
        uniform = constant(1 / len(labels))
        is_any = apply("greaterThan", total, constant(0.0))
        members.append(
            [
                add(f"m{number}_{k}", apply("if", is_any, apply("/", own, total), uniform))
                for k, own in enumerate(raw, start=1)
            ]
        )
    means = []
    for k in range(len(labels)):
        total = _left("+", [member[k] for member in members])
        if len(members) > 1:
            total = apply("/", total, constant(float(len(members))))
        means.append(add(f"p{k + 1}", total))
    scores = means if form.costs is None else saved(means, "saved")
    if form.voting == "hard":
        votes = []
        for m, own in enumerate(members, start=1):
            by = own if form.costs is None else saved(own, f"saved{m}")
            votes.append(add(f"vote{m}", _best(by, None)))
        unit = 2.0 if form.costs is None else 2 * max(map(max, form.costs))
        scores = [
            add(f"w{k}", apply("+", _n_votes(votes, k), apply("/", own, constant(unit))))
            for k, own in enumerate(scores, start=1)
        ]
    add("label", _best(scores, labels), is_text=True)
    needed = []
    for tree_number, tree in enumerate(form.trees, start=1):
        words = [f"c{tree_number}_{k}" for k in range(1, len(tree.nodes[0].value) + 1)]
        needed += [fields.own(word) for word in (*words, f"leaf{tree_number}")]
    schema = [element("MiningField", {"name": name}) for name in needed]
    return element(
        "RegressionModel",
        {"functionName": "regression"},
        element("MiningSchema", {}, *schema),
        element("Output", {}, *outputs),
        element("RegressionTable", {"intercept": "0"}),
    )


def _n_votes(votes: list[Element], k: int) -> Element:
    """Write how many votes are for a class."""
    one, none, place = constant(1.0), constant(0.0), constant(float(k))
    return _left("+", [apply("if", apply("equal", vote, place), one, none) for vote in votes])


def _left(sign: str, terms: list[Element]) -> Element:
    total = terms[0]
    for term in terms[1:]:
        total = apply(sign, total, term)
    return total


def _best(scores: list[Element], labels: list[str] | None) -> Element:
    """Write which score is greatest, of equals the first: its label, or its place."""
    words = [constant(label, "string") for label in labels or ()] or [
        constant(float(k)) for k in range(1, len(scores) + 1)
    ]
    greatest = apply("max", *scores) if len(scores) > 1 else scores[0]
    found = words[-1]
    for score, word in list(zip(scores, words, strict=True))[-2::-1]:
        found = apply("if", apply("equal", score, greatest), word, found)
    return found

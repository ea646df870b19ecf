"""Small parts of PMML: references, constants, calculations and comparisons."""

from __future__ import annotations

from bsnsing.export.xml_text import Element, element

# What a comparison becomes where it is negated.
NEGATED = {"greaterThan": "lessOrEqual", "lessThan": "greaterOrEqual", "equal": "notEqual"}
NEGATED |= {"isMissing": "isNotMissing", "lessOrEqual": "greaterThan"}
NEGATED |= {"greaterOrEqual": "lessThan"}


def field_ref(name: str) -> Element:
    """Refer to a field."""
    return element("FieldRef", {"field": name})


def constant(value: float | str, kind: str = "double") -> Element:
    """Write a constant."""
    return element(
        "Constant", {"dataType": kind}, text=value if isinstance(value, str) else repr(value)
    )


def apply(function: str, *arguments: Element) -> Element:
    """Write a calculation."""
    return element("Apply", {"function": function}, *arguments)


def derived(
    name: str, expression: Element, *, kind: str = "double", optype: str = "continuous"
) -> Element:
    """Write a field that is worked out."""
    return element("DerivedField", {"name": name, "optype": optype, "dataType": kind}, expression)


def simple(field: str, operator: str, value: str | None = None) -> Element:
    """Write one comparison."""
    attributes = {"field": field, "operator": operator}
    return element("SimplePredicate", attributes | ({} if value is None else {"value": value}))


def compound(operator: str, *parts: Element) -> Element:
    """Write comparisons joined by an operator."""
    if len(parts) == 1:
        return parts[0]
    return element("CompoundPredicate", {"booleanOperator": operator}, *parts)


def never(name: str, negated: bool, value: str) -> Element:
    """Write what no known cell answers yes to, and a missing one leaves unknown."""
    parts = simple(name, "equal", value), simple(name, "notEqual", value)
    return compound("or" if negated else "and", *parts)

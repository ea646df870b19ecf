"""RuleConstraints under its public address."""

from bsnsing.rules.constraints import RuleConstraints

__all__ = ["RuleConstraints"]

"""Models that lend their cuts: one small adapter per kind of model, and one registry."""

"""Settings for all tests. The benchmark data and their skip marker are in ``shared_data``."""

from __future__ import annotations

from hypothesis import settings

# A slow machine is not a failure, and a found counterexample should be seen again by everyone.
settings.register_profile("bsnsing", deadline=None, derandomize=True)
settings.load_profile("bsnsing")

"""Settings for all tests. The benchmark data and their skip marker are in ``shared_data``."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# scikit-learn's checks skip their array API part unless SciPy was told before its import.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# A slow machine is not a failure, and a found counterexample should be seen again by everyone.
settings.register_profile("bsnsing", deadline=None, derandomize=True)
settings.load_profile("bsnsing")

# Shells start what runs in the background with Ctrl-C ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

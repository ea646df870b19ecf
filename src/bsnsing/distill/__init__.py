"""A tree that learns from a teacher: soft labels, synthetic rows, and how rich its rules may be."""

"""One tree from cases: open nodes level by level, until none is worth splitting."""

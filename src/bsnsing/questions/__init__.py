"""Yes/no questions about a table: what they are, how they are written, where they come from."""

"""How well trees predict: one protocol, and what it says of learners, other sets and settings."""

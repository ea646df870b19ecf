"""Counting on a graphics card: what lies there, the calls it takes, and the engine made of them."""

"""The paper's experiments, published figures beside ours: one module per table of it."""

"""Rules, nodes and trees as frozen data; probabilities, pruning, and rows to leaves."""

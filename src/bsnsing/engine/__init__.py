"""What counts, searches and parts the rows of nodes; engines give the same numbers."""

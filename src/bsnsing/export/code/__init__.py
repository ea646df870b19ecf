"""Models as code without dependencies: one program, one writer per language."""

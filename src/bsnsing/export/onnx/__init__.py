"""Models as ONNX: doubles throughout, complete rows by TreeEnsemble, the others by operators."""

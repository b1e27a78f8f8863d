"""How much of the original's story does a synthetic file tell? Utility and replicated results."""

"""How much of the original's story does a copy tell? Utility and replicated results."""

"""How do files become tables, and tables files? Readers and writers, each kind in one module."""

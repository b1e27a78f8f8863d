"""Which unveil this is; the same as in pyproject.toml (tested)."""

__version__ = "0.1.0"

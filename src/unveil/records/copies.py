"""Which of the copies a figure is of."""

from typing import Literal

Copy = int | Literal["mean", "pooled"]
"""Which copy a figure is of: 1 to m, their mean, or all of them pooled into one file."""

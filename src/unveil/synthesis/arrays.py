"""How do the arrays of one thing stand inside those of another? Under its name and a point."""

from collections.abc import Mapping
from typing import Any


def prefixed(name: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays under a name: "cuts.left"."""
    return {f"{name}.{key}": value for key, value in arrays.items()}


def under(name: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays that stand under a name, without it."""
    start = f"{name}."
    return {key.removeprefix(start): v for key, v in arrays.items() if key.startswith(start)}

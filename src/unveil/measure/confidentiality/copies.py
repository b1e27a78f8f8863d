"""Whose copies are they? Those of one way of making them, or of several methods by name."""

from collections.abc import Mapping
from typing import Any

from unveil.errors import ReadError, SettingsError
from unveil.measure.opening import sides_of

UNNAMED = ""
"""What the only method is called where none is named."""


def sides_by_method(
    included: Any, left_out: Any, synthetic: Any
) -> tuple[dict[str, Any], dict[str, range]]:
    """Every side by its name, and by method the places of its copies among them."""
    groups = {"included": included, "left out": left_out}
    if not isinstance(synthetic, Mapping):
        sides = sides_of(synthetic, **groups)
        return sides, {UNNAMED: range(len(groups), len(sides))}
    if not synthetic:
        raise ReadError("No synthetic copy is given. Name at least one file or frame.")
    sides, copies = dict(groups), {}
    for name, given in synthetic.items():
        if not isinstance(name, str) or not name or not name.isprintable():
            raise SettingsError(
                "A method has no name that can be shown. Give each method a text as its name."
            )
        own = list(given) if isinstance(given, list | tuple) else [given]
        if not own:
            raise ReadError(f"Method {name!r} has no copy. Name at least one file or frame.")
        copies[name] = range(len(sides), len(sides) + len(own))
        sides |= {f"synthetic {name} {place}": copy for place, copy in enumerate(own, start=1)}
    return sides, copies

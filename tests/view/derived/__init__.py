"""Every number of every sentence of the report, worked out again from the records as JSON.

A module for each section, with `DERIVED`: by key of the catalogue a function of the results
(`{"contents": ..., "parts": {name: record}}`, see `report_cases.as_json`) and of what the sentence
is of (`data-of`). It gives the numbers as they must stand in the text, and names that hold digits,
as strings. It is written from the definitions, with the standard library, and calls no report code.
Numbers that a template itself has ("1 is perfect") need not be given.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

Derive = Callable[[dict[str, Any], str], list[str]]


def every() -> dict[str, Derive]:
    """The functions of all sections, by key; no key has two."""
    found: dict[str, Derive] = {}
    for module in sorted(one.name for one in iter_modules(__path__)):
        own: dict[str, Derive] = getattr(import_module(f"{__name__}.{module}"), "DERIVED", {})
        assert not found.keys() & own.keys(), f"{module}: {sorted(found.keys() & own.keys())}"
        found |= own
    return found

"""Where the figures of others are; their files stand beside the project, not in it."""

import os
from collections.abc import Mapping
from math import isclose
from pathlib import Path

import pytest

FOLDER = "shared/reference"

FIGURES = {
    "synthpop/golden.json": ("synthpop", 7_561),
    "synthpop/adult.csv": ("Raab's tables", 226),
    "measures/cases.json": ("small tables", 11_370),
    "suda/SEMANTICS.md": ("SUDA", 82_701),
    "sdcmicro/README.md": ("sdcMicro", 27_677),
    "anonymeter/expected.json": ("Anonymeter", 59),
}
"""Whose figures the tests hold against a file, and how many."""

Figures = Mapping[tuple[str, ...], float | None]


def find_reference(name: str) -> Path | None:
    """A file of the folder UNVEIL_REFERENCE, else of one beside the project, if it is there."""
    named = os.environ.get("UNVEIL_REFERENCE")
    parents = [parent / FOLDER for parent in Path(__file__).resolve().parents]
    folders = [Path(named)] if named else parents
    return next((folder / name for folder in folders if (folder / name).exists()), None)


def reference(name: str) -> Path:
    """The path of a file; without it, the test that asks for it is skipped, or the module."""
    path = find_reference(name)
    if path is not None:
        return path
    if os.environ.get("UNVEIL_REFERENCE"):
        pytest.fail(f"There is no {name} in the folder UNVEIL_REFERENCE.", pytrace=False)
    pytest.skip(f"{FOLDER}/{name} is not beside the project", allow_module_level=True)


def differing(
    measured: Figures, published: Figures, rel: float = 1e-9, digits: int | None = None
) -> dict[tuple[str, ...], tuple[float | None, float | None]]:
    """The figures that are not as published, both; as printed, where only so many digits are."""
    margin = 1e-12 if digits is None else 0.5 * 10.0**-digits + 1e-9

    def is_same(figure: float | None, value: float | None) -> bool:
        if figure is None or value is None:
            return figure is value
        return isclose(figure, value, rel_tol=rel if digits is None else 0, abs_tol=margin)

    pairs = {place: (measured.get(place), value) for place, value in published.items()}
    return {place: pair for place, pair in pairs.items() if not is_same(*pair)}

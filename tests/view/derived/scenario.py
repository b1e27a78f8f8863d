"""The numbers about scenarios and exclusions."""

from typing import Any


def _exclusions(results: dict[str, Any], *, in_run: bool) -> list[str]:
    given = results["contents"]["exclusions"]
    return [f"{sum(one['in_run'] is in_run for one in given):,}"]


def _same(results: dict[str, Any], of: str) -> list[str]:
    first, other = of.split("|")
    keys = [
        one["keys"] for one in results["contents"]["scenarios"] if one["name"] in (first, other)
    ]
    assert keys[0] == keys[1]
    return [other]


def _none(results: dict[str, Any], of: str) -> list[str]:
    return []


DERIVED = {
    "scenario.none": _none,
    "scenario.excluded": lambda results, of: _exclusions(results, in_run=True),
    "scenario.added": lambda results, of: _exclusions(results, in_run=False),
    "scenario.same": _same,
    "scenario.nothing excluded": _none,
    "records.written": _none,
    "records.none": _none,
    "methods.limits": _none,
}

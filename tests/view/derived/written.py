"""How numbers stand in sentences, written down again: nothing here knows the code of the report."""

import re
from typing import Any

Results = dict[str, Any]


def part_of(results: Results, of: str) -> Any:
    """The record of the part that a sentence is of."""
    return results["parts"][of.split("|", maxsplit=1)[0]]


def subject(of: str, place: int = 1) -> str:
    """What else it is of: `part|subject|copy`."""
    return of.split("|")[place]


def nth(of: str) -> int:
    """Which of its kind it is, from 0."""
    return int(of.rsplit("|", maxsplit=1)[-1])


def whole(n: int) -> str:
    """A count, with commas at the thousands."""
    return f"{n:,}"


def some(n: int, word: str) -> str:
    """A count as it stands before its noun: one is written "1" too."""
    assert word
    return whole(n)


def percent(value: float) -> str:
    """One decimal; a positive share is never 0.0, and short of everybody never 100.0."""
    if value == 0:
        return "0 %"
    if 0 < value < 0.05:
        return "less than 0.1 %"
    if 99.95 <= value < 100:
        return "more than 99.9 %"
    return f"{value:.1f} %"


def two(value: float) -> str:
    """Two decimals, with commas at the thousands."""
    return f"{value:,.2f}"


def digits_in(text: str | None) -> list[str]:
    """Every number of a text that a record holds word for word."""
    return re.findall(r"\d[\d,.]*\d|\d", text or "")


def name(text: str) -> str:
    """A name of the data as it is shown: made visible and cut at sixty letters."""
    return text if len(text) <= 60 else text[:59] + "…"


TOGETHER = (
    {"disclosure"},
    {"exclusion_table"},
    {"suda", "match_risk"},
    {"cap", "tcap"},
    {"gtcap"},
    {"excess", "singling_out", "linkability", "inference", "membership"},
    {"utility", "tables", "compare", "projection", "structure"},
    {"findings"},
    {"sap"},
    {"protection"},
)
"""Measures of one section: one cause is told once for all of them."""


def reason_of(results: Results, of: str) -> list[str]:
    """Numbers in the name of a part that was not measured, and in the reason why."""
    part = next(one for one in results["contents"]["run"]["parts"] if one["name"] == of)
    assert part["file"] is None
    named = [part["target"] or "", part["scenario"] or ""]
    (group,) = (one for one in TOGETHER if part["kind"] in one)
    alike = [
        one
        for one in results["contents"]["run"]["parts"]
        if one["kind"] in group and one["file"] is None and one["reason"] == part["reason"]
    ]
    more = [whole(len(alike) - 1)] if len(alike) > 1 else []
    return [*(named if any(named) else [name(of)]), *digits_in(part["reason"]), *more]


DERIVED = {"not measured": reason_of}


def nothing(results: Results, of: str) -> list[str]:
    """A sentence without a number."""
    return []

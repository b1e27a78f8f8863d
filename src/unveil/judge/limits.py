"""Is any figure above the limit its custodian set?

A limit holds for every target, every copy, and all copies pooled; means hide the worst copy and are
not judged. Where people have several rows, the larger of the figures by row and by person is held
against it. A figure that could not be measured is never quietly within: the gate stays shut, and
the verdict says why.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from unveil.errors import SettingsError
from unveil.judge.measures import ATTRIBUTE, GATE, IDENTITY, unknown_measure
from unveil.records.disclosure import AttributeRow, Disclosure, IdentityRow
from unveil.records.limits import Verdict

_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)", re.ASCII)
LIMITABLE = IDENTITY + ATTRIBUTE
"""Percentages that grow with risk; the others have no limit that means anything."""
ALL_LIMITS = LIMITABLE + GATE
"""All that one release can be held against: figures of a scenario, and checks of its files."""


def parse_limits(texts: Iterable[str]) -> dict[str, float]:
    """Limits as people type them: ``DiSCO=10``."""
    limits: dict[str, float] = {}
    for text in texts:
        measure, equals, number = (part.strip() for part in text.partition("="))
        if not equals or not measure:
            raise SettingsError(f"{text!r} is not a limit. Write it as DiSCO=10.")
        if measure in limits:
            raise SettingsError(f"{measure} is given two limits. Give it one.")
        if not _NUMBER.fullmatch(number):
            raise SettingsError(
                f"The limit of {measure} is {number!r}, which is not a number. Write it as"
                f" {measure}=10."
            )
        limits[measure] = float(number)
    _refuse_senseless(limits, ALL_LIMITS)
    return limits


def read_pairs(given: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Limits as Python gives them: one number each, or two for review and limit."""
    pairs = {}
    for measure, value in given.items():
        pair = tuple(value) if isinstance(value, list | tuple) else (value, value)
        if len(pair) != 2 or not all(isinstance(one, int | float) for one in pair):
            raise SettingsError(
                f"The limit of {measure} must be a number, or two: {measure}=10, or (5, 10)."
            )
        for one in pair:
            _refuse_senseless({measure: float(one)}, ALL_LIMITS)
        if pair[0] > pair[1]:
            raise SettingsError(
                f"The limit of {measure} is {pair}: review starts above the limit. Write the lower"
                " number first."
            )
        pairs[measure] = (float(pair[0]), float(pair[1]))
    return pairs


def judged(record: Disclosure, limits: Mapping[str, float]) -> tuple[Verdict, ...]:
    """A verdict for each figure that has a limit."""
    _refuse_senseless(limits, LIMITABLE)
    for measure in limits:
        if measure in ATTRIBUTE and not record.targets:
            raise SettingsError(
                f"The limit of {measure} cannot be held against anything: no target is measured."
                " Name a target, or take the limit off."
            )
    return tuple(
        verdict
        for measure, limit in limits.items()
        for verdict in _verdicts(record, measure, limit)
    )


def _refuse_senseless(limits: Mapping[str, float], known: Sequence[str]) -> None:
    for measure, limit in limits.items():
        if measure not in known:
            raise SettingsError(unknown_measure(measure, known))
        if not math.isfinite(limit) or not 0 <= limit <= 100:
            raise SettingsError(
                f"The limit of {measure} is {limit:.15g}. It is a percentage of people: write a"
                " number from 0 to 100."
            )


def _verdicts(record: Disclosure, measure: str, limit: float) -> Iterator[Verdict]:
    rows: tuple[IdentityRow | AttributeRow, ...] = (
        record.identity if measure in IDENTITY else record.attribute
    )
    for row in rows:
        if row.copy == "mean":
            continue
        target = row.target if isinstance(row, AttributeRow) else None
        value = record.highest(row, measure, target)
        yield Verdict(
            measure=measure,
            target=target,
            copy=row.copy,
            value=value,
            limit=limit,
            status="not measured" if value is None else "above" if value > limit else "within",
        )


def is_shut(verdicts: Iterable[Verdict]) -> bool:
    """Whether some figure is above its limit, or could not be held against it."""
    return any(verdict.status != "within" for verdict in verdicts)

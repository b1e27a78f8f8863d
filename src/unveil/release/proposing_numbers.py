"""Which numbers stand for no answer, and which are near one another? Proposals with reasons."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from unveil.count.no_answers import find_likely_codes
from unveil.measure.attribution.gtcap_opening import MANY_LEVELS
from unveil.measure.attribution.windows import LARGEST
from unveil.protection.recoding.apart import apart_of, occurring, ordinary
from unveil.read.table import Table
from unveil.records.proposal import ProposedCodes, ProposedRadius

USUAL_RADIUS = "about a tenth of the distance between the quartiles"

Floats = np.ndarray[Any, np.dtype[np.float64]]


def proposed_codes(table: Table, given: Mapping[str, Any]) -> Iterator[ProposedCodes]:
    """Codes that are declared missing, or that look so; nothing for columns given already."""
    for name, dtype in table.frame.schema.items():
        if name in given or not dtype.is_numeric() or _is_coded(table, name):
            continue
        declared = occurring([table.frame[name]], apart_of(table.variables.get(name)))
        if declared:
            reason = "declared missing in the file"
            yield ProposedCodes(column=name, codes=declared, reason=reason)
        elif codes := _likely_codes(table, name):
            reason = "negative among numbers from 0 on: no answer, it seems"
            yield ProposedCodes(column=name, codes=codes, reason=reason)


def _likely_codes(table: Table, name: str) -> tuple[float, ...]:
    numbers = ordinary(table.frame[name], apart_of(None))
    return find_likely_codes(*np.unique(numbers, return_counts=True))


def proposed_radii(
    table: Table, columns: Iterable[str], codes: Mapping[str, Any]
) -> Iterator[ProposedRadius]:
    """A radius for each column of many different numbers.

    Notes
    -----
    A tenth of the distance between the quartiles, rounded to 1, 2 or 5 times a power of ten; of
    whole numbers at least 1. The paper on GTCAP leaves the radius to the custodian; this one is
    ours: about 5 % of people are then near in that column. Codes with names are near only where
    they are equal.
    """
    for name in columns:
        column = table.frame[name] if name in table.frame.columns else None
        if column is None or not column.dtype.is_numeric():
            continue
        apart = apart_of(table.variables.get(name)).also(_numbers(codes.get(name, ())))
        numbers = ordinary(column, apart)
        if column.n_unique() <= MANY_LEVELS or not len(numbers):
            continue
        if _is_coded(table, name):
            reason = "codes with names: only equal ones are near"
            yield ProposedRadius(column=name, radius=0.0, reason=reason)
        else:
            radius, reason = _radius(numbers)
            yield ProposedRadius(column=name, radius=radius, reason=reason)


def _radius(numbers: Floats) -> tuple[float, str]:
    low, high = np.quantile(numbers, (0.25, 0.75))
    reason = USUAL_RADIUS
    spread = float(high - low)
    if not spread:
        spread, reason = float(np.std(numbers)), "about a tenth of the standard deviation"
    is_whole = bool((numbers == np.round(numbers)).all())
    found = _rounded(spread / 10)
    if not 1 / LARGEST <= found <= LARGEST:
        return 0.0, "only equal numbers are near"
    return (max(found, 1.0), reason) if is_whole else (found, reason)


def _rounded(value: float) -> float:
    """The nearest of 1, 2 or 5 times a power of ten; 0 where there is nothing to round."""
    if not value > 0 or not math.isfinite(value):
        return 0.0
    power = math.floor(math.log10(value))
    steps = [float(f"{digit}e{power + up}") for up in (0, 1) for digit in (1, 2, 5)]
    return min(steps, key=lambda step: abs(math.log(step / value)))


def _is_coded(table: Table, name: str) -> bool:
    """Whether numbers stand for names: declared nominal or ordinal, or nearly all labelled."""
    variable = table.variables.get(name)
    if variable is None or not variable.levels:
        return False
    missing = set(variable.missing)
    named = [level for level in variable.levels if level.code not in missing]
    is_category = variable.measure in ("nominal", "ordinal")
    return bool(named) and (is_category or len(named) >= table.frame[name].n_unique() // 2)


def _numbers(given: Any) -> list[float]:
    several = given if isinstance(given, list | tuple) else [given]
    return [float(one) for one in several]

"""Which rules between columns does the original obey without exception, and not by accident?"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from unveil.arrays import Floats
from unveil.measure.structure.relations import column_numbers, find_relations

MOST_RULES = 12
_FEWEST = 50
_TELLING = 0.05
"""So many rows would break an order if the two columns had nothing to do with each other."""
_WORD = re.compile(r"[^\W\d][\w.$#@]*")
_DIGITS = re.compile(r"\d+")


def propose_rules(
    frame: pl.DataFrame,
    columns: Sequence[str],
    special_codes: Mapping[str, Sequence[float]] | None = None,
) -> tuple[str, ...]:
    """Orders and sums that every row of the original obeys: discharged >= admitted."""
    codes = special_codes or {}
    numbers = {name: column_numbers(frame[name], codes.get(name, ())) for name in columns}
    amounts = {name: x for name, x in numbers.items() if np.isfinite(x).sum() >= _FEWEST}
    found = [*_sums(frame, amounts, codes), *_orders(frame, amounts)]
    return tuple(found[:MOST_RULES])


def _sums(
    frame: pl.DataFrame, amounts: Mapping[str, Floats], codes: Mapping[str, Sequence[float]]
) -> Iterator[str]:
    """Columns that are the sum or difference of others, to the last digit; each set once."""
    told: set[frozenset[str]] = set()
    for name in reversed([*amounts]):  # what is computed mostly stands behind what it is from
        if frame.schema[name].is_temporal():
            continue
        for one in find_relations(frame, name, [*amounts], codes):
            set_of = frozenset((name, *one.sources))
            plain = one.kind == "linear" and len(one.sources) > 1 and one.constant == 0
            if not plain or set_of in told or not {*one.weights} <= {1.0, -1.0}:
                continue
            missed = np.abs(column_numbers(one.values(frame)) - amounts[name])
            if np.nanmax(missed) <= 1e-6 and not _mixes_dates(frame, one.sources, one.weights):
                told.add(set_of)
                ordered = sorted(
                    zip(one.weights, one.sources, strict=True), key=lambda term: -term[0]
                )
                terms = " ".join(
                    f"{'+' if weight > 0 else '-'} {_quote(source)}" for weight, source in ordered
                )
                yield f"{_quote(name)} = {terms.removeprefix('+ ')}"


def _mixes_dates(frame: pl.DataFrame, sources: Sequence[str], weights: Sequence[float]) -> bool:
    """Whether dates are added up: only the difference of two is a number."""
    dates = [
        w for name, w in zip(sources, weights, strict=True) if frame.schema[name].is_temporal()
    ]
    return bool(dates) and sorted(dates) != [-1.0, 1.0]


def _orders(frame: pl.DataFrame, amounts: Mapping[str, Floats]) -> Iterator[str]:
    """Pairs of dates, or of columns with the same name but for a number, that are in order."""
    for one, two in combinations(amounts, 2):
        if frame.schema[one] != frame.schema[two] or not _are_alike(frame, one, two):
            continue
        for low, high in ((one, two), (two, one)):
            a, b = amounts[low], amounts[high]
            both = np.isfinite(a) & np.isfinite(b)
            if both.sum() < _FEWEST or not (a[both] <= b[both]).all() or (a == b)[both].all():
                continue
            apart = np.roll(b[both], int(both.sum()) // 2)
            if (a[both] > apart).mean() >= _TELLING:
                yield f"{_quote(high)} >= {_quote(low)}"


def _are_alike(frame: pl.DataFrame, one: str, two: str) -> bool:
    if frame.schema[one].is_temporal():
        return True
    stems = {_DIGITS.sub("", name.lower()) for name in (one, two)}
    return len(stems) == 1


def _quote(name: str) -> str:
    return name if _WORD.fullmatch(name) else f"`{name}`"

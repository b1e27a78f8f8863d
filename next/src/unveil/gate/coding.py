"""Does a column say the same things in the same way in both files?

If it does not, every figure of equal values is too low. What is not comparable is asked.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from unveil.counts.cells import Floats
from unveil.gate.columns import MISSING, Compared
from unveil.gate.rows import Urgency
from unveil.study import ORIGINAL

FEWEST = 20  # people, and records, from whom to tell
LEAST = 0.02  # of records that must be concerned
RESPELT = 0.002
HEAP = 0.1  # of records on one value
APART = {"review": 0.2, "decide": 0.4}  # distance of two distributions
FEW_LEVELS = 60
STEPS = (2, 3, 4, 5, 6, 7, 10, 12, 15, 20, 25, 30, 50, 60, 100, 250, 500, 1000, 5000, 10000)


class Difference(NamedTuple):
    """One way in which a column is coded differently."""

    status: Urgency
    share: float
    expected: float
    sentence: str


def find_differences(column: Compared, file: int, is_asked: bool) -> Iterator[Difference]:
    """Everything that speaks against the same coding.

    Keys and targets must be written alike too; other numbers are read, however they are written.
    """
    name, ours, theirs = column.name, column.readings[ORIGINAL], column.readings[file]
    n, m = len(column.codes[ORIGINAL]), len(column.codes[file])
    if min(n, m) < FEWEST or not column.counts(ORIGINAL)[1:].any():
        return
    missing = column.counts(file)[MISSING] / m
    if not column.counts(ORIGINAL)[MISSING] and missing >= LEAST:
        yield Difference(
            "decide", missing, 0,
            f"{name} is missing in {100 * missing:.1f} % of records and for nobody.",
        )  # fmt: skip
    if (ours.kind, ours.form) != (theirs.kind, theirs.form) and column.counts(file)[1:].any():
        said = f"{name} is a {ours.kind} {ours.form}".rstrip()
        other = f"a {theirs.kind} {theirs.form}".rstrip()
        yield Difference(
            "decide", 1, 0, f"{said} in the original and {other} in the synthetic data."
        )
    elif (respelt := column.respelt[file]) >= max(10, RESPELT * m) and (
        is_asked or column.numbers is None
    ):
        yield Difference(
            "decide", respelt / m, 0,
            f"{name}: {respelt:,} of {m:,} records write a value otherwise than the original"
            " (an accent, a capital, 1.0 for 1).",
        )  # fmt: skip
    yield from (_levels if column.numbers is None else _numbers)(column, file)


def _levels(column: Compared, file: int) -> Iterator[Difference]:
    """Values of nobody, values that never occur, other shares."""
    name, ours, theirs = column.name, column.counts(ORIGINAL), column.counts(file)
    n, m = ours.sum(), theirs.sum()
    new, once = theirs[1:][ours[1:] == 0].sum() / m, (ours[1:] == 1).sum() / n
    never = ours[theirs == 0].sum() / n
    n_levels = (ours > 0).sum()
    if new - once >= LEAST and new * m >= 10:
        yield Difference(
            "decide", new, once,
            f"{name}: {100 * new:.1f} % of records have a value that nobody has;"
            f" {100 * once:.1f} % would be expected. Is it coded differently?",
        )  # fmt: skip
    elif never >= HEAP and n_levels <= FEW_LEVELS:
        yield Difference(
            "review", never, 0,
            f"{name}: {100 * never:.1f} % of people have a value that the synthetic data never"
            " show.",
        )  # fmt: skip
    p, q = ours / n, theirs / m
    by_chance = 0.4 * np.sqrt(p * (1 - p) * (1 / n + 1 / m)).sum()
    distance = float(np.abs(p - q).sum() / 2 - by_chance)
    if distance >= APART["review"] and new < LEAST and n_levels <= FEW_LEVELS:
        yield Difference(
            "decide" if distance >= APART["decide"] else "review", distance, 0,
            f"{name}: the shares of its values differ by {100 * distance:.0f} %. Other people, or"
            " another coding?",
        )  # fmt: skip


def _numbers(column: Compared, file: int) -> Iterator[Difference]:
    """Unit, heaps, days, steps."""
    name = column.name
    ours, theirs = column.values(ORIGINAL), column.values(file)
    if min(len(ours), len(theirs)) < FEWEST:
        return
    if _are_record_numbers(ours) and _are_record_numbers(theirs):
        return
    by_chance = 1.6 * np.sqrt(1 / len(ours) + 1 / len(theirs))
    distance = _distance(ours, theirs) - by_chance
    if distance >= APART["review"]:
        factor = _size(theirs) / (_size(ours) or 1)
        is_unit = _distance(ours * factor, theirs) - by_chance < distance / 3
        guess = "another unit" if is_unit else "other people, another unit or another coding"
        yield Difference(
            "decide" if is_unit or distance >= APART["decide"] else "review", distance, 0,
            f"{name}: the distributions are {100 * distance:.0f} % apart. Is it {guess}?",
        )  # fmt: skip
        if is_unit:
            return
    values, counts = np.unique(theirs, return_counts=True)
    heap, here = values[counts.argmax()], counts.max() / len(theirs)
    there = float(np.mean(ours == heap))
    if here - there >= HEAP and there < here / 2:
        yield Difference(
            "decide", here, there,
            f"{name}: {100 * here:.0f} % of records have one value that {100 * there:.0f} % of"
            " people have. Cut off or filled in?",
        )  # fmt: skip
    yield from _steps(column, ours, theirs)


def _steps(column: Compared, ours: Floats, theirs: Floats) -> Iterator[Difference]:
    """Dates on the first of a month, numbers in coarser or finer steps."""
    if column.readings[ORIGINAL].kind == "date":
        first = [_on_first_of_month(values) for values in (ours, theirs)]
        if first[1] >= 0.98 and first[0] < 0.5:
            yield Difference(
                "decide", first[1], first[0],
                f"{column.name} is the first of a month in the synthetic data, and a day in the"
                " original.",
            )  # fmt: skip
    values, counts = np.unique(ours, return_counts=True)
    usual = values[counts.argmax()]
    ours, theirs = ours[ours != usual], theirs[theirs != usual]
    if min(len(ours), len(theirs)) < 50 or min(len(np.unique(ours)), len(np.unique(theirs))) < 3:
        return
    mine, other = _written_in(ours), _written_in(theirs)
    if other > mine and (share := _on_lattice(ours, other)) < 0.8:
        yield Difference(
            "decide", _on_lattice(theirs, other), share,
            f"{column.name} is in steps of {other:g} in the synthetic data; in the original"
            f" {100 * share:.0f} % of values are. Recode the original likewise (unveil.recode).",
        )  # fmt: skip
    elif mine > 0 and other < mine and (share := _on_lattice(theirs, mine)) < 0.8:
        yield Difference(
            "review", share, 1,
            f"{column.name} is in steps of {mine:g} in the original; in the synthetic data"
            f" {100 * share:.0f} % of values are.",
        )  # fmt: skip


def _are_record_numbers(values: Floats) -> bool:
    return len(np.unique(values)) >= 0.99 * len(values) and bool((values == np.round(values)).all())


def _size(values: Floats) -> float:
    return float(np.median(np.abs(values[values != 0]))) if (values != 0).any() else 0.0


def _distance(ours: Floats, theirs: Floats) -> float:
    """Kolmogorov's distance of two distributions."""
    values = np.unique(np.concatenate([ours, theirs]))
    below = [
        np.searchsorted(np.sort(part), values, side="right") / len(part) for part in (ours, theirs)
    ]
    return float(np.abs(below[0] - below[1]).max())


def _on_first_of_month(days: Floats) -> float:
    dates = np.floor(days).astype("datetime64[D]")
    return float(np.mean(dates == dates.astype("datetime64[M]")))


def _on_lattice(values: Floats, step: float) -> float:
    """The share of values that are multiples of a step, but for dust of 32 bits."""
    steps = values / step
    return float(np.mean(np.abs(steps - np.round(steps)) < 1e-6 + 2e-7 * np.abs(steps)))


def _written_in(values: Floats) -> float:
    """The coarsest step of which nearly all are multiples; 0 if it is too fine to be one."""
    top = int(np.ceil(np.log10(np.median(np.abs(values)) + 1e-12)))
    powers = (10.0**power for power in range(top, top - 5, -1))
    unit = next((step for step in powers if _on_lattice(values, step) >= 0.98), 0.0)
    wider = (unit * times for times in (1, *STEPS))
    return max((step for step in wider if unit and _on_lattice(values, step) >= 0.98), default=0.0)

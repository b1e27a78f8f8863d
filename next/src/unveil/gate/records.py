"""How many real people's records are in the file, beside what two different people share?

A synthetic record is treated as a new person: what it has in common with people is compared with
what each of these has in common with the others, or with what a control sample has.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.errors import InputError
from unveil.gate.columns import Compared, codes_of
from unveil.results import ALONE, COMPLETE, NEARLY, PeopleFigure
from unveil.study import ORIGINAL, Side, Study

KNOWN = 0.02  # of a control sample, that may be people of the original
Z = 1.96  # standard errors in half of a 95 % interval
PAIRS = {COMPLETE: 2.0, ALONE: 1.5, NEARLY: 2.0}
"""Variance of each person met: twins come in pairs, those of nobody else are met alone."""


class Alike(NamedTuple):
    """Of each person: how many records are equal, and how many in all columns but one at most."""

    complete: Ints
    nearly: Ints


class Met(NamedTuple):
    """Who is met by a record, and the chance of it if the records were other people's."""

    hit: Mask
    chance: Floats


def mark_values(files: Sequence[Sequence[Ints]]) -> list[Ints]:
    """A random number for each value of each column, file by file: sums of them tell records apart.

    Sums wrap at 64 bits; two of a million records coincide by chance once in 10 million files.
    """
    random, marked = np.random.default_rng(7), []
    for columns in zip(*files, strict=True):
        levels = max(int(codes.max(initial=0)) for codes in columns) + 1
        marks = random.integers(1, 2**63, levels, dtype=np.uint64)
        marked.append([marks[codes] for codes in columns])
    return [np.stack(file, axis=1) for file in zip(*marked, strict=True)]


def count_equal(people: Ints, records: Ints) -> Ints:
    """Of each person: how many records have the same number."""
    values, place = np.unique(people, return_inverse=True)
    at = np.searchsorted(values, records).clip(0, len(values) - 1)
    return np.bincount(at[values[at] == records], minlength=len(values))[place]


def count_alike(people: Ints, records: Ints, persons: tuple[Ints, Ints] | None = None) -> Alike:
    """Records that are equal to each person's, of the same person only where these are given."""
    whole, others = people.sum(1), records.sum(1)
    if persons is not None:
        tags = np.random.default_rng(8).integers(1, 2**63, persons[0].max() + 1, dtype=np.uint64)
        whole, others = whole + tags[persons[0]], others + tags[persons[1]]
    complete = count_equal(whole, others)
    columns = range(people.shape[1])
    but_one = (count_equal(whole - people[:, c], others - records[:, c]) for c in columns)
    return Alike(complete, complete + sum(but_one) - len(columns) * complete)


def chance_to_meet(others: Ints, n: int, m: int) -> Floats:
    """That m of n people drawn at random have at least one of so many among them.

    More records than people meet in proportion, which is an upper bound.
    """
    from scipy.special import gammaln

    if m >= n:
        return np.where(others > 0, m / n, 0.0)

    def ways(k: Ints) -> Floats:
        return np.asarray(gammaln(k + 1.0) - gammaln(np.maximum(k - m, 0) + 1.0))

    none = np.exp(ways(n - others) - ways(np.array(n)))
    return np.where(n - others < m, 1.0, 1 - none)


def real_records(
    side: Side, people: Ints, records: Ints, control: Ints | None, person: Ints, searched: int
) -> Iterator[PeopleFigure]:
    """People whose record is in the file: whole, like nobody else's, or in all columns but one."""
    n_people = int(person.max(initial=-1)) + 1
    met = meetings(people, records, person)
    strangers = None if control is None else hits_of_strangers(control, people, records)
    cells = people.sum(1)
    for what, (hit, chance) in met.items():
        once = Met(by_person(person, hit) > 0, by_person(person, chance))
        gap: Floats = once.hit - once.chance
        expected = min(float(once.chance.sum()), n_people)
        variance = PAIRS[what] * float(np.abs(gap).sum())
        if n_people == len(people) and what != ALONE:
            variance = max(variance, _together(what, people, cells, gap))
        if strangers is not None:
            expected, variance = beside_control(once.hit, strangers[what])
        yield PeopleFigure(
            version=side.version, copy=side.copy, kind="records", what=what, by="",
            people=int(once.hit.sum()), of=n_people, expected=expected,
            beyond=int(once.hit.sum()) - expected, margin=Z * float(np.sqrt(variance)),
            reach=n_people - expected, searched=searched,
        )  # fmt: skip


def measure_records(study: Study, columns: Sequence[Compared]) -> Iterator[PeopleFigure]:
    """The rows of each file, and of several together."""
    sides, person = list(study.sides()), study.people()[0]
    whole = records_compared(study, columns)
    files = mark_values([codes_of(whole, file) for file in range(len(study.files))])
    control = files[study.control_number] if study.has_control else None
    if control is not None:
        _check_strangers(files[ORIGINAL], control)
    for side in sides:
        records = np.concatenate([files[number] for number in side.files])
        yield from real_records(side, files[ORIGINAL], records, control, person, len(sides))


def _check_strangers(people: Ints, control: Ints) -> None:
    """Refuse a control sample of people of the original: nothing would be beyond their rate."""
    hit, chance = meetings(people, control, np.arange(len(people)))[COMPLETE]
    n_same, expected = hit.sum(), chance.sum()
    if n_same - expected > KNOWN * len(control) and n_same - expected > 3 * n_same**0.5:
        raise InputError(
            f"{n_same:,} people of the original have their record in the control sample too;"
            f" {expected:,.0f} would by chance. A control sample holds other people (unveil split)."
        )


def records_compared(study: Study, columns: Sequence[Compared]) -> list[Compared]:
    """Without identifiers and numbers of records: made anew they would hide all else."""
    declared = {name for name, column in study.columns.items() if column.role == "identifier"}
    kept = [c for c in columns if c.name not in declared and not c.is_numbering]
    return kept or list(columns)


def column_that_differs(study: Study, columns: Sequence[Compared], side: Side) -> str:
    """Of records that are a person's but for one column: the column, if it is mostly the same."""
    whole = records_compared(study, columns)
    people, *parts = mark_values([codes_of(whole, file) for file in (ORIGINAL, *side.files)])
    records = np.concatenate(parts)
    totals = people.sum(1), records.sum(1)
    is_complete = count_equal(*totals) > 0
    found = [
        int((~is_complete & (count_equal(*(t - f[:, c] for t, f in zip(
            totals, (people, records), strict=True))) > 0)).sum())
        for c in range(len(whole))
    ]  # fmt: skip
    most = int(np.argmax(found))
    return whole[most].name if 2 * found[most] > sum(found) else ""


def meetings(people: Ints, records: Ints, person: Ints) -> dict[str, Met]:
    """Each row of people beside records, and beside the rows of other people."""
    found, twins = count_alike(people, records), count_alike(people, people)
    own = count_alike(people, people, (person, person))
    complete, nearly = twins.complete - own.complete, twins.nearly - own.nearly
    n, m = len(people) - 1, len(records)
    is_pair = (complete == 1) & (nearly == 1)  # of people whom no third is like
    return {
        COMPLETE: Met(found.complete > 0, chance_to_meet(complete, n, m)),
        ALONE: Met((found.complete > 0) & (nearly == 0), is_pair * m / max(n, 1)),
        NEARLY: Met(found.nearly > 0, chance_to_meet(nearly, n, m)),
    }


def hits_of_strangers(control: Ints, people: Ints, records: Ints) -> dict[str, Mask]:
    """Who of a control sample is met."""
    met, twins = count_alike(control, records), count_alike(control, people)
    is_met = met.complete > 0
    return {COMPLETE: is_met, ALONE: is_met & (twins.nearly == 0), NEARLY: met.nearly > 0}


def beside_control(hit: Mask, strangers: Mask) -> tuple[float, float]:
    """How many would be met at the rate of the control sample, and the variance of the difference.

    Of few strangers a rate of 0 is not certain: two are added, one of them met.
    """
    n, m = len(hit), len(strangers)
    cautious = (strangers.sum() + 1) / (m + 2)
    variance = n * hit.mean() * (1 - hit.mean()) + n**2 * cautious * (1 - cautious) / m
    return float(n * strangers.mean()), float(variance)


def claims_beside_control(
    hit: Mask, claimed: Mask, strangers: Mask, strangers_claimed: Mask
) -> tuple[float, float]:
    """The greater of two: the control's rate, and as many of the claims right as of the control.

    Exact values that reappear bring more claims about the people used; only if more of these are
    right do they tell more.
    """
    told = hit[claimed]
    yardsticks = [beside_control(hit, strangers)]
    if len(told) and strangers_claimed.any():
        yardsticks.append(beside_control(told, strangers[strangers_claimed]))
    return max(yardsticks, key=lambda pair: pair[0] + Z * pair[1] ** 0.5)


def by_person(person: Ints, values: Ints | Floats) -> Floats:
    """Of each person the highest of their records."""
    highest = np.zeros(int(person.max(initial=-1)) + 1)
    np.maximum.at(highest, person, values)
    return highest


def _together(what: str, people: Ints, cells: Ints, gap: Floats) -> float:
    """The variance of people who are equal, or equal but for a column, and so are met together."""
    complete = _sums(cells, gap)
    columns = range(people.shape[1]) if what == NEARLY else range(0)
    nearly = sum((_sums(cells - people[:, c], gap) - complete for c in columns), np.zeros(len(gap)))
    return float((gap * (complete + nearly)).sum())


def _sums(cells: Ints, values: Floats) -> Floats:
    """Of each person the sum of values over everyone in the same cell."""
    _, place = np.unique(cells, return_inverse=True)
    return np.bincount(place, values).astype(np.float64)[place]

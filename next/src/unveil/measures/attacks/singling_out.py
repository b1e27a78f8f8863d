"""`unveil.singling_out`: do values that single out a synthetic record single out a person?

Giomi et al. (2023): the intruder combines values of a synthetic record that no other has, and
guesses that exactly one person has them. In groups of different size the chances differ, so people
used and not used are compared in samples of one size, by the exact chance over all such samples.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Annotated, NamedTuple

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.arguments import Seed
from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import Mask
from unveil.measures.attacks.people import (
    Level,
    compared,
    levels_of,
    notes_on,
    real_files,
    records_of,
)
from unveil.measures.attacks.rows import Attacks, Outcome, attack_row
from unveil.models.nearest import log_choose
from unveil.progress import steps
from unveil.study import Side, Study, measure

TRIES = 200  # combinations tried for each guess that is asked for, at most
ALIKE = 2  # guesses about the same people vary 1.0 to 1.4 times as much as independent ones


@dataclass(frozen=True, eq=False)
class Places:
    """Records as places of their levels in the order of each column, one row for a column.

    Amounts come first, in their order; missing values, special codes and categories after them.
    """

    of: Ints
    n_amounts: Ints  # of each column
    person: Ints

    @cached_property
    def order(self) -> Ints:
        """The records in the order of each column."""
        return np.argsort(self.of, axis=1, kind="stable")

    @cached_property
    def has_several(self) -> bool:
        """Whether somebody has several records."""
        return len(np.unique(self.person)) < len(self.person)

    def n_people(self, predicates: "Predicates") -> Ints:
        """How many people satisfy each predicate, by any of their records.

        They are looked for among the records of its rarest condition, then of the next.
        """
        columns, low, high, negated = predicates
        first, last = np.zeros_like(columns), np.full_like(columns, self.of.shape[1])
        for column, order in enumerate(self.order):
            at, ranked = (columns == column) & ~negated, self.of[column, order]
            first[at] = np.searchsorted(ranked, low[at], "left")
            last[at] = np.searchsorted(ranked, high[at], "right")
        counts = np.zeros(len(columns), np.int64)
        for place, by_rarity in enumerate((last - first).argsort(axis=1)):
            at = place, by_rarity[0]
            records = self.order[columns[at], first[at] : last[at]]
            for at in ((place, condition) for condition in by_rarity):
                places = self.of[columns[at]][records]
                records = records[((places >= low[at]) & (places <= high[at])) != negated[at]]
            counts[place] = len(np.unique(self.person[records]) if self.has_several else records)
        return counts


class Predicates(NamedTuple):
    """Conditions on columns, predicates x columns: a place from low to high, or not."""

    columns: Ints
    low: Ints
    high: Ints
    negated: Mask

    def choose(self, which: Ints) -> "Predicates":
        return Predicates(*(part[which] for part in self))


@measure
def singling_out(
    study: Study, *, largest: Annotated[int, Meta(ge=1)] = 3,
    guesses: Annotated[int, Meta(ge=1, le=100_000)] = 500, level: Level = 0.95, seed: Seed = None,
) -> Attacks:  # fmt: skip
    """Single out people by values that single out a synthetic record.

    Parameters
    ----------
    study
        The files; keys and targets are combined.
    largest
        How many columns are combined, beside single ones; all if there are no more.
    guesses
        How many guesses are made at most.
    level
        Of the intervals.
    seed
        The start of the random numbers.
    """
    rows, n_columns = [], len(compared(study))
    for side in steps("singling out", list(study.sides())):
        for width in dict.fromkeys((1, min(largest, n_columns))):
            outcome = _outcome(study, side, width, guesses, np.random.default_rng(seed))
            attack = f"singling out by {width} column{'s' * (width > 1)}"
            rows.append(attack_row(
                side, attack, outcome, asked=guesses, level=level, is_known=study.fraction == 1,
                alike=ALIKE,
            ))  # fmt: skip
    return Attacks(attacks=tuple(rows), notes=tuple(notes_on(study)))


def _outcome(
    study: Study, side: Side, width: int, guesses: int, random: np.random.Generator
) -> Outcome:
    records = records_of(study, side)
    synthetic = _places(study, records, np.arange(len(records)), is_distinct=True)
    if width == 1:
        tried = _single_columns(synthetic)
        tried = tried.choose(random.permutation(len(tried.columns)))
    else:
        tried = _outwards(synthetic, width, guesses, random)
    single = _first_single(synthetic, tried, guesses)
    blind = _blind(synthetic, width, guesses, random)
    groups = []
    for number in real_files(study):
        person, n = study.people(number)
        rows = np.arange(len(person)) + study.rows[number].start
        groups.append((_places(study, rows, person), n))
    m = min(n for _, n in groups)
    main, *control = (_chance_of_one(places.n_people(single), n, m) for places, n in groups)
    places, n = groups[0]
    return Outcome(main, _chance_of_one(places.n_people(blind), n, m), *control)


def _places(study: Study, rows: Ints, person: Ints, *, is_distinct: bool = False) -> Places:
    """Some records of the study; of those that are equal in all columns one, if so asked."""
    levels = [study.once(levels_of, name) for name in compared(study)]
    places = np.stack([of.place[of.column.codes[rows]] for of in levels])
    n_amounts = np.array([of.is_amount.sum() for of in levels])
    if is_distinct:
        places, example = np.unique(places, axis=1, return_index=True)
        person = person[example]
    return Places(places, n_amounts, person)


def _single_columns(records: Places) -> Predicates:
    """Every value of every column; of amounts also those up to the lowest, and from the highest."""
    conditions = []  # column, low, high
    for column, places in enumerate(records.of):
        values, last = np.unique(places), records.n_amounts[column] - 1
        conditions += [(column, value, value) for value in values]
        if len(amounts := values[values <= last]):
            conditions += [(column, 0, amounts[0]), (column, amounts[-1], last)]
    column, low, high = np.array(conditions).T[..., None]
    return Predicates(column, low, high, np.zeros(column.shape, bool))


def _outwards(records: Places, width: int, guesses: int, random: np.random.Generator) -> Predicates:
    """What random records have in random columns: amounts and all further from the median."""
    n_columns, n = records.of.shape
    n_tries = TRIES * guesses
    if comb(n_columns, width) * n <= n_tries:
        sets = np.array(list(combinations(range(n_columns), width)))
        pair = random.permutation(len(sets) * n)
        columns, record = sets[pair % len(sets)], pair // len(sets)
    else:
        columns = np.sort(np.argsort(random.random((n_tries, n_columns)))[:, :width])
        pairs = np.column_stack([columns, random.integers(n, size=n_tries)])
        pairs = pl.from_numpy(pairs).unique(maintain_order=True).to_numpy()
        columns, record = pairs[:, :-1], pairs[:, -1]
    place = records.of[columns, record[:, None]]
    is_amount = place < records.n_amounts[columns]
    is_high = place > _medians(records)[columns]
    low = np.where(is_amount & ~is_high, 0, place)
    high = np.where(is_amount & is_high, records.n_amounts[columns] - 1, place)
    return Predicates(columns, low, high, np.zeros(columns.shape, bool))


def _first_single(records: Places, tried: Predicates, guesses: int) -> Predicates:
    """The first predicates that one record satisfies.

    Most are satisfied by many: two of every sixteenth record tell, in half of the time.
    """
    few = Places(records.of[:, ::16], records.n_amounts, records.person[::16])
    found = np.zeros(0, np.int64)
    for start in range(0, len(tried.columns), 4 * guesses):
        some = np.arange(start, min(start + 4 * guesses, len(tried.columns)))
        some = some[few.n_people(tried.choose(some)) < 2]
        found = np.append(found, some[records.n_people(tried.choose(some)) == 1])
        if len(found) >= guesses:
            break
    return tried.choose(found[:guesses])


def _medians(records: Places) -> Ints:
    """The place of the lower median of the amounts of each column; -1 where there are none."""
    amounts = (np.sort(of[of < n]) for of, n in zip(records.of, records.n_amounts, strict=True))
    return np.array([of[(len(of) - 1) // 2] if len(of) else -1 for of in amounts])


def _blind(records: Places, width: int, guesses: int, random: np.random.Generator) -> Predicates:
    """Any values that occur in any columns, equal or not; amounts also above or below."""
    n_columns = len(records.of)
    columns = np.argsort(random.random((guesses, n_columns)), axis=1)[:, :width]
    values = [np.unique(places) for places in records.of]
    n_values = np.array([len(of) for of in values])
    which = (random.random(columns.shape) * n_values[columns]).astype(int)
    place = np.concatenate(values)[which + (np.cumsum(n_values) - n_values)[columns]]
    last = records.n_amounts[columns] - 1
    operator = (random.random(columns.shape) * np.where(place <= last, 6, 2)).astype(int)
    up_to, from_on = np.isin(operator, (2, 3)), operator >= 4
    low = np.where(up_to, 0, place + (operator == 5))  # equal, not, up to, below, from on, above
    high = np.where(from_on, last, place - (operator == 3))
    return Predicates(columns, low, high, operator == 1)


def _chance_of_one(n_people: Ints, n: int, m: int) -> Floats:
    """That exactly one of c people is among m of n: c C(n - c, m - 1) / C(n, m)."""
    logs = log_choose(n - n_people, m - 1) - log_choose(np.array(n), m)
    return np.asarray(n_people * np.exp(logs))

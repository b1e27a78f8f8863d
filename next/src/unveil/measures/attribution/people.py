"""Whose attribution is scored, and means in which each of them counts once.

A mean is taken over cells, each with the records in it, or over the records of people who have
several. Either way it is summed without rounding, so no order of records or levels changes it.
"""

from dataclasses import dataclass
from math import fsum

import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import CellProfile, Mask, PersonProfile
from unveil.results import Figure
from unveil.results.words import percent
from unveil.study import ALONE, Study

Group = str
"""Everyone; people alone with their keys in the original; those with the highest SUDA scores."""


def ratios(part: Ints, whole: Ints) -> Floats:
    """part / whole, undefined (NaN) where there is no whole."""
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)


def percent_of(share: Figure) -> str:
    """A share as sentences have it."""
    return percent(None if share is None else 100 * share)


@dataclass(frozen=True, eq=False)
class Scored:
    """The records that are scored, by their cells; whose they are, where people have several."""

    n: Ints  # records of each cell
    cell: Ints  # of each record
    person: Ints | None = None

    @classmethod
    def of(cls, p: CellProfile, records: Mask, person: Ints | None = None) -> "Scored":
        cell = p.cells.of_people[records]
        whose = None if person is None else person[records]
        return cls(np.bincount(cell, minlength=len(p.t)), cell, whose)

    @classmethod
    def there(cls, p: CellProfile, group: Group) -> "Scored":
        """By the cells that an engine counted: everyone, or people alone with their keys."""
        return cls(p.n_d * (p.d_q == 1) if group == "uniques" else p.n_d, p.n_d[:0])

    def count(self, where: Mask) -> int:
        """How many have a record in some cells."""
        if self.person is None:
            return int(self.n[where].sum())
        return len(np.unique(self.person[where[self.cell]]))

    def mean(self, shares: Floats) -> Figure:
        """The mean of what is true of cells, over those for whom it is defined."""
        if self.person is not None:
            return mean_of_people(shares[self.cell], self.person)
        return mean_of_cells(shares, self.n)


def mean_of_cells(shares: Floats, n: Ints) -> Figure:
    """The mean over n records of each cell, where it is defined: cells alike add up first."""
    is_defined = (n > 0) & ~np.isnan(shares)
    different, place = np.unique(shares[is_defined], return_inverse=True)
    records = np.bincount(place, n[is_defined])
    total = fsum((records * different).tolist())
    return total / float(records.sum()) if len(different) else None


def mean_of_people(values: Floats, person: Ints) -> Figure:
    """The mean over people of the mean over their records, as far as these have a value."""
    is_defined = ~np.isnan(values)
    values, person = values[is_defined], person[is_defined]
    records = np.bincount(person)
    n = int(np.count_nonzero(records))
    return fsum((values / records[person]).tolist()) / n if n else None


def means_of_people(values: Floats, person: Ints) -> Floats:
    """The mean of each person's records, as far as these have a value."""
    is_defined = ~np.isnan(values)
    values, person = values[is_defined], person[is_defined]
    records = np.bincount(person)
    return sums_of(person, values) / records[records > 0]


def sums_of(group: Ints, values: Floats) -> Floats:
    """The sum of each group, in an order that is always the same."""
    order = np.lexsort((values, group))
    return np.add.reduceat(values[order], np.flatnonzero(np.diff(group[order], prepend=-1)))


def uniques(study: Study, *, of_people: bool) -> Mask:
    """Whether nobody else in the original has a record's keys (footnote 3 of Taub et al.)."""
    keys = study.profile(None, ALONE)
    if of_people:
        keys = PersonProfile.by_person(keys, study.people()[0], study.owners(ALONE))
    is_unique: Mask = keys.of_people(keys.d_q == 1)
    return is_unique


def special_uniques(study: Study) -> Mask:
    """The uniques in the top tenth of the SUDA scores, ties included (Taub et al., section 3.3)."""
    from unveil.measures.uniques.search import find_uniques

    found = find_uniques(study, missing_is_level=True)  # as cells count it
    is_special: Mask = found.special[found.combinations.q]
    return is_special


def records_of(study: Study, group: Group, *, of_people: bool) -> Mask:
    """The original's records of a group; of people, those that no other person is like."""
    if group == "full":
        return np.ones(len(study.original), bool)
    return uniques(study, of_people=of_people) if group == "uniques" else special_uniques(study)

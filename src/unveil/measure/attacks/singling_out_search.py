"""Which predicates of several columns single out a record of the synthetic file?

A predicate that singles out in synthetic data is satisfied by one record, and it was made from it.
So a record and a set of columns stand for one predicate, and two of them never for the same. Where
there are few such pairs they are tried in a random order, each once, until all are tried; otherwise
pairs are drawn at random, and one found before is not kept again. Both find predicates in the order
in which drawing at random would.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb

import numpy as np

from unveil.arrays import Floats, Ints
from unveil.errors import AlignError
from unveil.measure.attacks.predicates import (
    N_OPERATORS,
    Attribute,
    Book,
    DistinctRecords,
    DrawnRecords,
    PeopleRecords,
    Predicates,
    attribute_of,
    comparison_predicates,
    join_predicates,
)
from unveil.measure.attacks.prepare import CONTROL, ORIGINAL, SYNTHETIC, AttackData
from unveil.measure.attacks.rates import Outcomes
from unveil.study.scenario import Progress

# How likely does a predicate single out in a sample of a data set, averaged over all samples?


NOTHING = 745.0
"""e to the power of -745 is the smallest float above 0."""


def expected_singles(by_repeats: Iterable[tuple[int, Ints]], n: int, m: int) -> Floats:
    """The probability that m of n rows, drawn without replacement, hold one distinct record of it.

    Parameters
    ----------
    by_repeats
        For each number of times that records are there, how many distinct records of that kind
        satisfy each predicate.

    Notes
    -----
    With C satisfying rows that are distinct records of c_g rows each, exactly one record is left
    where some of its rows are drawn and none of the others:

        P = sum over g of [C(n - C + c_g, m) - C(n - C, m)] / C(n, m)

    Without repeated rows this is C * C(n - C, m - 1) / C(n, m), the hypergeometric probability of
    1; with m = n it is 1 for one distinct record and 0 else. So two data sets of different size are
    compared at the number of rows of the smaller without drawing from the larger: the expectation
    over all draws is exact. Samples are of rows, for records that repeat are met again in a larger
    file, and distinct records are no sample of anything.
    """
    kinds = list(by_repeats)
    satisfying = np.sum([times * n_records for times, n_records in kinds], axis=0)
    logs = _logs_of_none(n, m)
    total = np.zeros(len(satisfying))
    for times, n_records in kinds:
        mine = np.flatnonzero(n_records)
        without_others = logs[np.minimum(satisfying[mine] - times, len(logs) - 1)]
        without_any = logs[np.minimum(satisfying[mine], len(logs) - 1)]
        is_possible = np.isfinite(without_others)
        mine, before = mine[is_possible], without_others[is_possible]
        some = -np.expm1(without_any[is_possible] - before)
        total[mine] += n_records[mine] * np.exp(before) * some
    return total


def _logs_of_none(n: int, m: int) -> Floats:
    """For j from 0: the log of C(n - j, m) / C(n, m), that none of j rows is among m; then -inf."""
    longest = min(n - m, int(NOTHING * n / m) + 1)
    i = np.arange(longest, dtype=np.float64)
    return np.concatenate(([0.0], np.cumsum(np.log1p(-m / (n - i))), [-np.inf]))


# Who is singled out, and at which size? The distinct records of original, copy and control.


SIDES = {ORIGINAL: "original", SYNTHETIC: "synthetic dataset", CONTROL: "control sample"}


@dataclass(frozen=True)
class PredicateSides:
    """The distinct records of each side, and what predicates are made from."""

    book: Book
    original: DistinctRecords
    copy: DistinctRecords
    control: DistinctRecords | None

    @classmethod
    def of(cls, data: AttackData, categorical: Sequence[str] = ()) -> "PredicateSides":
        """The sides of what was opened, or a refusal of one that is too small."""
        attributes = tuple(
            attribute_of(column, has_order=column.name not in categorical)
            for column in data.columns
        )
        sides = [ORIGINAL, SYNTHETIC, *([CONTROL] if data.has_control else [])]
        original, copy, *control = (_distinct(data, attributes, side) for side in sides)
        return cls(Book.of(attributes, copy.codes), original, copy, control[0] if control else None)

    @property
    def m(self) -> int:
        """At how many records, equals included, or people original and control are compared."""
        return min(self._sizes)

    @property
    def _sizes(self) -> list[int]:
        return [side.n_rows for side in (self.original, self.control) if side is not None]

    def successes(self, side: DistinctRecords, predicates: Predicates) -> Floats:
        """The probability that each predicate singles out among m records, or people, of a side."""
        if side.n_rows == self.m:
            singles: Floats = (side.n_satisfying(predicates) == 1).astype(np.float64)
            return singles
        return expected_singles(side.n_by_repeats(predicates), side.n_rows, self.m)

    def outcomes(
        self, predicates: Predicates, naive: Floats, made_from: Ints | None = None
    ) -> Outcomes:
        """What became of the predicates on both sides, and of which synthetic record each is."""
        control = None if self.control is None else self.successes(self.control, predicates)
        main = self.successes(self.original, predicates)
        hits = []
        if made_from is not None:
            hits = [
                _hits(side, predicates, success)
                for side, success in ((self.original, main), (self.control, control))
                if side is not None and success is not None
            ]
        return Outcomes(
            main, naive, control, paired=True, clusters=made_from, other_clusters=tuple(hits)
        )

    def warn_crowding(self, n_predicates: int) -> tuple[str, ...]:
        """What to say where there are more predicates than records for them to single out."""
        sides = (self.original, self.control)
        n_single = min(side.n_single for side in sides if side is not None)
        if n_predicates <= n_single:
            return ()
        whom = "people" if self.counts_people else "distinct records"
        return (
            f"{n_predicates:,} predicates were tried on {n_single:,} {whom}, so that"
            " several single out the same one; the intervals may be too narrow.",
        )

    @property
    def counts_people(self) -> bool:
        """Whether people are singled out, not records."""
        return isinstance(self.original, PeopleRecords)

    @property
    def size(self) -> str:
        """What is said of the equal size, where there is anything to say."""
        whom = "people" if self.counts_people else "records"
        return f", expected at {self.m:,} {whom} each" if len(set(self._sizes)) > 1 else ""


def _distinct(data: AttackData, attributes: Sequence[Attribute], side: int) -> DistinctRecords:
    """The distinct records of a side in the order of the first of equals, and how often each is.

    With people on this side, the distinct records of each of them.
    """
    rows, people = data.slice_of(side), data.people.get(side)
    ids = data.row_ids[rows]
    if people is not None:
        ids = people.astype(np.int64) * (int(ids.max()) + 1) + ids
    _, first, times = np.unique(ids, return_index=True, return_counts=True)
    order = np.argsort(first)
    n_single = len(first) if people is None else int(people.max()) + 1
    if n_single < 2:
        whom = "distinct record in the compared columns" if people is None else "person"
        raise AlignError(
            f"The {SIDES[side]} has 1 {whom}, which every predicate that it satisfies singles out."
            " Give a file of at least 2."
        )
    codes = np.stack([each.codes(rows.start + first[order]) for each in attributes])
    if people is None:
        return DistinctRecords(tuple(attributes), codes, times[order])
    of_record = people[first[order]].astype(np.int64)
    return PeopleRecords(tuple(attributes), codes, times[order], of_record)


def _hits(side: DistinctRecords, predicates: Predicates, success: Floats) -> Ints:
    """For each predicate whom of a side it may single out; else a number of its own."""
    own = side.n_single + 1 + np.arange(len(predicates))
    return np.where(success > 0, side.first_satisfying(predicates), own)


def naive_success(attacked: PredicateSides) -> float:
    """The probability that an uninformed predicate of one column singles out in the original.

    Notes
    -----
    Column, value of synthetic data and operator are each uniform, so that the expectation is a mean
    of means and nothing has to be drawn.
    """
    of_columns = []
    for column, levels in enumerate(attacked.book.occurring):
        n_ordered = attacked.book.attributes[column].n_ordered
        n_operators = np.where(levels < n_ordered, N_OPERATORS, 2)
        code = np.repeat(levels, n_operators)
        ends = np.cumsum(n_operators)
        operator = np.arange(ends[-1]) - np.repeat(ends - n_operators, n_operators)
        of_column = np.full(len(code), column)
        fields = (of_column, code, operator, np.full(len(code), n_ordered))
        predicates = comparison_predicates(*(field[:, np.newaxis] for field in fields))
        success = attacked.successes(attacked.original, predicates)
        of_columns.append((success / np.repeat(n_operators, n_operators)).sum() / len(levels))
    return float(np.mean(of_columns))


BATCH = 2**10
LARGEST_BATCH = 2**14
"""Predicates are tried in batches that double until they are this large."""
MOST_LISTED = 2**22
"""Up to so many pairs of a record and a set of columns are put in a random order as a whole."""

Pairs = tuple[Ints, Ints]  # records, and their sets of columns in ascending order


@dataclass(frozen=True)
class FoundPredicates:
    """Predicates that single out a synthetic record, how many were tried, whether that was all."""

    predicates: Predicates
    rows: Ints  # the record of the synthetic file that each singles out
    n_tried: int
    is_all: bool


def search_predicates(
    book: Book,
    copy: DistinctRecords,
    *,
    n_columns: int,
    n: int,
    attempts: int,
    rng: np.random.Generator,
    progress: Progress,
) -> FoundPredicates:
    """Try predicates until n are found, so many attempts are made, or there are no more."""
    n_pairs = book.n_records * comb(len(book.attributes), n_columns)
    tried = DrawnRecords.of(copy, rng)
    parts: list[Predicates] = []
    rows: list[Ints] = []
    left = n
    seen: set[tuple[int, ...]] = set()
    n_tried = 0
    for drawn_rows, columns in _batches(book, n_columns, attempts, rng):
        progress("looking for predicates that single out", len(seen), n)
        predicates = book.make_predicates(drawn_rows, columns)
        new = _new(tried.singling_out(predicates).nonzero()[0], drawn_rows, columns, seen)
        parts.append(predicates[new[:left]])
        rows.append(drawn_rows[new[:left]])
        n_tried += len(drawn_rows)
        left -= len(parts[-1])
        if not left:
            break
    is_all = n_pairs <= min(MOST_LISTED, n_tried)
    return FoundPredicates(join_predicates(parts, n_columns), np.concatenate(rows), n_tried, is_all)


def _new(places: Ints, rows: Ints, columns: Ints, seen: set[tuple[int, ...]]) -> Ints:
    """The places whose pair was not found before; they are from now on."""
    kept = []
    for place in places.tolist():
        pair = (int(rows[place]), *columns[place].tolist())
        if pair not in seen:
            seen.add(pair)
            kept.append(place)
    return np.array(kept, np.int64)


def _batches(
    book: Book, n_columns: int, attempts: int, rng: np.random.Generator
) -> Iterator[Pairs]:
    """Pairs of a record and columns, some at a time, at most so many."""
    n_attributes = len(book.attributes)
    n_sets = comb(n_attributes, n_columns)
    if book.n_records * n_sets > MOST_LISTED:
        yield from _draw_batches(book, n_columns, attempts, rng)
        return
    listed = chain.from_iterable(combinations(range(n_attributes), n_columns))
    sets = np.fromiter(listed, np.int64, n_sets * n_columns).reshape(n_sets, n_columns)
    order = rng.permutation(book.n_records * n_sets)[:attempts]
    for batch in _parts(len(order)):
        rows, of_set = np.divmod(order[batch], n_sets)
        yield rows, sets[of_set]


def _parts(total: int) -> Iterator[slice]:
    """Few at first, for that may be enough; then more at a time, which takes less for each."""
    start, size = 0, BATCH
    while start < total:
        yield slice(start, min(start + size, total))
        start, size = start + size, min(2 * size, LARGEST_BATCH)


def _draw_batches(
    book: Book, n_columns: int, attempts: int, rng: np.random.Generator
) -> Iterator[Pairs]:
    for batch in _parts(attempts):
        size = batch.stop - batch.start
        yield rng.integers(book.n_records, size=size), column_sets(book, n_columns, size, rng)


def column_sets(book: Book, n_columns: int, size: int, rng: np.random.Generator) -> Ints:
    """Sets of so many columns, each as likely as any other, in ascending order."""
    drawn = rng.random((size, len(book.attributes)))
    return np.sort(np.argsort(drawn, axis=1)[:, :n_columns], axis=1)

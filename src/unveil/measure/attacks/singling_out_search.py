"""Which predicates of several columns single out a record of the copy?

A predicate that singles out in the copy is satisfied by one record, and it was made from it. So a
record and a set of columns stand for one predicate, and two of them never for the same. Where there
are few such pairs they are tried in a random order, each once, until all are tried; otherwise pairs
are drawn at random, and one found before is not kept again. Both find predicates in the order in
which drawing at random would.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb

import numpy as np

from unveil.count.scenario import Progress
from unveil.measure.attacks.evaluating import Side, Tried
from unveil.measure.attacks.predicates import Book, Predicates, Whole, joined

BATCH = 2**10
LARGEST_BATCH = 2**14
"""Predicates are tried in batches that double until they are this large."""
MOST_LISTED = 2**22
"""Up to so many pairs of a record and a set of columns are put in a random order as a whole."""

Pairs = tuple[Whole, Whole]  # records, and their sets of columns in ascending order


@dataclass(frozen=True)
class Found:
    """Predicates that single out in the copy, how many were tried, and whether that was all."""

    predicates: Predicates
    rows: Whole  # the record of the copy that each singles out
    n_tried: int
    is_all: bool


def searched(
    book: Book,
    copy: Side,
    *,
    n_columns: int,
    n: int,
    attempts: int,
    rng: np.random.Generator,
    progress: Progress,
) -> Found:
    """Try predicates until n are found, so many attempts are made, or there are no more."""
    n_pairs = book.n_records * comb(len(book.attributes), n_columns)
    tried = Tried.of(copy, rng)
    parts: list[Predicates] = []
    rows: list[Whole] = []
    left = n
    seen: set[tuple[int, ...]] = set()
    n_tried = 0
    for drawn_rows, columns in _batches(book, n_columns, attempts, rng):
        progress("looking for predicates that single out", len(seen), n)
        predicates = book.of_records(drawn_rows, columns)
        new = _new(tried.singling_out(predicates).nonzero()[0], drawn_rows, columns, seen)
        parts.append(predicates[new[:left]])
        rows.append(drawn_rows[new[:left]])
        n_tried += len(drawn_rows)
        left -= len(parts[-1])
        if not left:
            break
    is_all = n_pairs <= min(MOST_LISTED, n_tried)
    return Found(joined(parts, n_columns), np.concatenate(rows), n_tried, is_all)


def _new(places: Whole, rows: Whole, columns: Whole, seen: set[tuple[int, ...]]) -> Whole:
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
        yield from _drawn(book, n_columns, attempts, rng)
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


def _drawn(book: Book, n_columns: int, attempts: int, rng: np.random.Generator) -> Iterator[Pairs]:
    for batch in _parts(attempts):
        size = batch.stop - batch.start
        yield rng.integers(book.n_records, size=size), column_sets(book, n_columns, size, rng)


def column_sets(book: Book, n_columns: int, size: int, rng: np.random.Generator) -> Whole:
    """Sets of so many columns, each as likely as any other, in ascending order."""
    drawn = rng.random((size, len(book.attributes)))
    return np.sort(np.argsort(drawn, axis=1)[:, :n_columns], axis=1)

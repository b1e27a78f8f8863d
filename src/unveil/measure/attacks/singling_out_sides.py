"""Who is singled out, and at which size? The distinct records of original, copy and control."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.errors import AlignError
from unveil.measure.attacks.evaluating import Side
from unveil.measure.attacks.opening import CONTROL, ORIGINAL, SYNTHETIC, Opened
from unveil.measure.attacks.predicates import (
    N_OPERATORS,
    Attribute,
    Book,
    Predicates,
    Whole,
    attribute_of,
    compared,
)
from unveil.measure.attacks.rates import Outcomes
from unveil.measure.attacks.singling_out_expected import Floats, expected_singles

SIDES = {ORIGINAL: "original", SYNTHETIC: "synthetic copy", CONTROL: "control data"}


@dataclass(frozen=True)
class Attacked:
    """The distinct records of each side, and what predicates are made from."""

    book: Book
    original: Side
    copy: Side
    control: Side | None

    @classmethod
    def of(cls, data: Opened, categorical: Sequence[str] = ()) -> "Attacked":
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
        """At how many records, equals included, original and control are compared."""
        return min(self._sizes)

    @property
    def _sizes(self) -> list[int]:
        return [side.n_rows for side in (self.original, self.control) if side is not None]

    def successes(self, side: Side, predicates: Predicates) -> Floats:
        """The probability that each predicate singles out among m records of a side."""
        if side.n_rows == self.m:
            singles: Floats = (side.n_satisfying(predicates) == 1).astype(np.float64)
            return singles
        return expected_singles(side.n_by_repeats(predicates), side.n_rows, self.m)

    def outcomes(
        self, predicates: Predicates, naive: Floats, made_from: Whole | None = None
    ) -> Outcomes:
        """What became of the predicates on both sides, and of which record of the copy each is."""
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

    def crowded(self, n_predicates: int) -> tuple[str, ...]:
        """What to say where there are more predicates than records for them to single out."""
        sides = (self.original, self.control)
        n_records = min(side.n_records for side in sides if side is not None)
        if n_predicates <= n_records:
            return ()
        return (
            f"{n_predicates:,} predicates were tried on {n_records:,} distinct records, so that"
            " several single out the same one; the intervals may be too narrow.",
        )

    @property
    def size(self) -> str:
        """What is said of the equal size, where there is anything to say."""
        return f", expected at {self.m:,} records each" if len(set(self._sizes)) > 1 else ""


def _distinct(data: Opened, attributes: Sequence[Attribute], side: int) -> Side:
    """The distinct records of a side in the order of the first of equals, and how often each is."""
    rows = data.slice_of(side)
    _, first, times = np.unique(data.row_ids[rows], return_index=True, return_counts=True)
    order = np.argsort(first)
    first = rows.start + first[order]
    if len(first) < 2:
        raise AlignError(
            f"The {SIDES[side]} has 1 distinct record in the compared columns, which every"
            " predicate that it satisfies singles out. Give a file of at least 2."
        )
    codes = np.stack([each.codes(first) for each in attributes])
    return Side(tuple(attributes), codes, times[order])


def _hits(side: Side, predicates: Predicates, success: Floats) -> Whole:
    """For each predicate the record of a side that it may single out; else a number of its own."""
    own = side.n_records + 1 + np.arange(len(predicates))
    return np.where(success > 0, side.first_satisfying(predicates), own)


def naive_success(attacked: Attacked) -> float:
    """The probability that an uninformed predicate of one column singles out in the original.

    Notes
    -----
    Column, value of the copy and operator are each uniform, so that the expectation is a mean of
    means and nothing has to be drawn.
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
        predicates = compared(*(field[:, np.newaxis] for field in fields))
        success = attacked.successes(attacked.original, predicates)
        of_columns.append((success / np.repeat(n_operators, n_operators)).sum() / len(levels))
    return float(np.mean(of_columns))

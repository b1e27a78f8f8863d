"""How does one column of a copy differ: its kind, label, range, missing codes, level, format?"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from unveil.measure.codebook.found import (
    Entries,
    entries_of,
    found_in,
    is_countable,
    whole_percent,
)
from unveil.measure.codebook.wording import codes, difference, few, one
from unveil.read.meanings import folded
from unveil.read.table import mid_sentence
from unveil.read.undeclared import NOUNS, kind_of
from unveil.records.codebook import Code, MissingRange, Variable
from unveil.records.codebook_differences import Difference
from unveil.records.described import Found


@dataclass(frozen=True)
class Pair:
    """A column of the original and its partner in the copy, declared and as they are."""

    original: Variable
    synthetic: Variable
    here: pl.Series
    there: pl.Series
    same_program: bool  # whether both files are of one program, so that formats can be compared
    lost: frozenset[str]  # what the copy declares of no column, which is told once
    place: str

    @property
    def name(self) -> str:
        """The column, as the original calls it."""
        return self.original.name

    @property
    def copy(self) -> str:
        """The copy inside a sentence."""
        return mid_sentence(self.place)

    @cached_property
    def ours(self) -> Entries | None:
        """The entries of the original; None where they cannot be counted."""
        return _counted(self.here, self.original)

    @cached_property
    def theirs(self) -> Entries | None:
        """The entries of the copy, seen through what the original declares."""
        return _counted(self.there, self.original)

    @cached_property
    def found_here(self) -> Found:
        """What the original has."""
        return found_in(self.here, self.original, self.ours)

    @cached_property
    def found_there(self) -> Found:
        """What the copy has, seen through what the original declares."""
        return found_in(self.there, self.original, self.theirs)


def _counted(column: pl.Series, variable: Variable) -> Entries | None:
    return entries_of(column, variable) if is_countable(column.dtype) else None


def column_differences(pair: Pair) -> Iterator[Difference]:
    """All that can differ in one column, its categories aside."""
    yield from _kind(pair)
    yield from _missing(pair)
    yield from _range(pair)
    yield from _label(pair)
    yield from _declared(pair, "measure", "measurement level")
    if pair.same_program:
        yield from _declared(pair, "format", "format")


def _kind(pair: Pair) -> Iterator[Difference]:
    here, there = kind_of(pair.here.dtype), kind_of(pair.there.dtype)
    if here == there or "unknown" in (here, there) or holds_labels(pair):
        return
    yield difference(
        "kind",
        pair.name,
        (NOUNS[here], NOUNS[there]),
        f"Column {one(pair.name)} holds {NOUNS[here]} in the original and {NOUNS[there]} in"
        f" {pair.copy}.",
        f"Write it as {NOUNS[here]} in the copy, or say which entries mean missing (--missing).",
    )


def holds_labels(pair: Pair) -> bool:
    """Whether one side has the codes of the original and the other their labels."""
    return pair.found_here.holds is not None and pair.found_here.holds != pair.found_there.holds


def _missing(pair: Pair) -> Iterator[Difference]:
    here, there = pair.original.missing, pair.synthetic.missing
    if "missing" not in pair.lost and set(here) != set(there):
        yield difference(
            "missing",
            pair.name,
            (codes(here) or None, codes(there) or None),
            f"Column {one(pair.name)}: {_told(here)} in the original and {_told(there)} in"
            f" {pair.copy}.",
            "Declare the same missing codes in the copy.",
        )
    gaps, others = pair.original.missing_ranges, pair.synthetic.missing_ranges
    if "missing_ranges" not in pair.lost and set(gaps) != set(others):
        yield difference(
            "missing",
            pair.name,
            (_gaps(gaps), _gaps(others)),
            f"Column {one(pair.name)}: numbers {_gaps(gaps) or 'in no range'} stand for no answer"
            f" in the original, and {_gaps(others) or 'in no range'} in {pair.copy}.",
            "Declare the same range of missing numbers in the copy.",
        )


def _told(missing: tuple[Code, ...]) -> str:
    return f"{codes(missing)} stand for no answer" if missing else "no code stands for no answer"


def _gaps(gaps: tuple[MissingRange, ...]) -> str | None:
    def end(number: float | None, open_end: str) -> str:
        return open_end if number is None else f"{number:g}"

    told = few(f"{end(gap.lo, 'the lowest')} to {end(gap.hi, 'the highest')}" for gap in gaps)
    return told or None


def _range(pair: Pair) -> Iterator[Difference]:
    """A copy that goes beyond its original: by a percentage, for an end is one person's value."""
    here, there = pair.found_here, pair.found_there
    if here.kind != there.kind or here.low is None or not (pair.ours and pair.theirs):
        return
    percent = whole_percent(_n_beyond(pair.ours, pair.theirs), pair.theirs.n)
    if not percent:
        return
    share = {1: "1 % or less", 99: "99 % or more"}.get(percent, f"{percent} %")
    yield difference(
        "range",
        pair.name,
        (_ends(here), _ends(there)),
        f"Column {one(pair.name)}: {share} of the records of {pair.copy} lie beyond everything in"
        " the original.",
        "Check that such values are possible; cut them off at the range of the original if not.",
    )


def _n_beyond(ours: Entries, theirs: Entries) -> int:
    known, value = ours.present["value"], pl.col("value")
    beyond = theirs.present.filter((value < known.min()) | (value > known.max()))
    return int(beyond["n"].sum())


def _ends(found: Found) -> str | None:
    return None if found.low is None else f"about {found.low} to {found.high}"


def _label(pair: Pair) -> Iterator[Difference]:
    here, there = pair.original.label, pair.synthetic.label
    if "label" in pair.lost or folded(here or "") == folded(there or ""):
        return
    what = f"labelled {one(there)}" if there else "without a label"
    was = one(here) if here else "unlabelled"
    yield difference(
        "label",
        pair.name,
        (here, there),
        f"Column {one(pair.name)} is {what} in {pair.copy}; in the original it is {was}.",
        "Give it the label of the original.",
    )


def _declared(pair: Pair, field: str, what: str) -> Iterator[Difference]:
    here, there = getattr(pair.original, field), getattr(pair.synthetic, field)
    if field in pair.lost or here == there:
        return
    yield difference(
        "measure" if field == "measure" else "format",
        pair.name,
        (here, there),
        f"Column {one(pair.name)} has {_or_none(here, what)} in the original and"
        f" {_or_none(there, what)} in {pair.copy}.",
        f"Give it the {what} of the original.",
    )


def _or_none(said: str | None, what: str) -> str:
    return f"the {what} {one(said)}" if said else f"no {what}"

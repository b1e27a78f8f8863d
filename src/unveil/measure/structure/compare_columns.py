"""How does one column of a synthetic file differ: its kind, codes, labels, range and format?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from unveil.errors import list_names
from unveil.io.code_meanings import NOUNS, fold_label, kind_of
from unveil.io.numbers import level_text
from unveil.io.table import Table, mid_sentence
from unveil.measure.structure.describe import (
    Entries,
    describe_contents,
    entries_of,
    has_categories,
    is_countable,
    valid_levels,
    whole_percent,
)
from unveil.records.codebook import (
    FEWEST_PEOPLE,
    MOST_LISTED,
    Code,
    Codebook,
    ColumnContents,
    Difference,
    DifferenceKind,
    MissingRange,
    Variable,
)

# How is a difference of structure told: names on one line, codes with labels, few of many?


MOST_NAMED = 6


@dataclass(frozen=True)
class DescribedTable:
    """A table and what is declared about it."""

    table: Table
    codebook: Codebook

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.codebook.variables}

    def variable(self, name: str) -> Variable:
        """What is declared about a column of the table."""
        return self._by_name[name]

    @property
    def place(self) -> str:
        """What a sentence calls the table, at its start."""
        return self.table.place

    @property
    def mid_place(self) -> str:
        """What a sentence calls the table, inside."""
        return mid_sentence(self.table.place)


def difference(
    kind: DifferenceKind,
    variable: str | None,
    sides: tuple[str | None, str | None],
    sentence: str,
    remedy: str,
) -> Difference:
    """One difference; `sides` is what the original and what the synthetic file has."""
    return Difference(
        kind=kind,
        variable=variable,
        original=sides[0],
        synthetic=sides[1],
        sentence=sentence,
        remedy=remedy,
    )


def quote_name(name: str) -> str:
    """A name or label in a sentence: in quotes, on one line, not longer than it need be."""
    return f"'{list_names([name])}'"


def few(names: Iterable[str]) -> str:
    """Some names, and how many more there are."""
    return list_names(names, MOST_NAMED)


def codes(found: Iterable[Code]) -> str:
    """Codes in a sentence."""
    return few(level_text(code) or "''" for code in found)


def format_codes(pairs: Iterable[tuple[Code, str]]) -> str:
    """Codes with their labels in a sentence: 1 = Male."""
    return few(
        (level_text(code) or "''") if label == code else f"{level_text(code)} = {label}"
        for code, label in pairs
    )


# How does a synthetic column differ: its kind, label, range, missing codes, level, format?


@dataclass(frozen=True)
class ColumnPair:
    """A column of the original and its partner in the synthetic file, declared and as they are."""

    original: Variable
    synthetic: Variable
    here: pl.Series
    there: pl.Series
    same_program: bool  # whether both files are of one program, so that formats can be compared
    lost: frozenset[str]  # what the synthetic file declares of no column, which is told once
    place: str

    @property
    def name(self) -> str:
        """The column, as the original calls it."""
        return self.original.name

    @property
    def copy(self) -> str:
        """The synthetic file inside a sentence."""
        return mid_sentence(self.place)

    @cached_property
    def ours(self) -> Entries | None:
        """The entries of the original; None where they cannot be counted."""
        return _count_entries(self.here, self.original)

    @cached_property
    def theirs(self) -> Entries | None:
        """The entries of the synthetic file, seen through what the original declares."""
        return _count_entries(self.there, self.original)

    @cached_property
    def original_contents(self) -> ColumnContents:
        """What the original has."""
        return describe_contents(self.here, self.original, self.ours)

    @cached_property
    def copy_contents(self) -> ColumnContents:
        """What the synthetic file has, seen through what the original declares."""
        return describe_contents(self.there, self.original, self.theirs)


def _count_entries(column: pl.Series, variable: Variable) -> Entries | None:
    return entries_of(column, variable) if is_countable(column.dtype) else None


def column_differences(pair: ColumnPair) -> Iterator[Difference]:
    """All that can differ in one column, its categories aside."""
    yield from _kind(pair)
    yield from _missing(pair)
    yield from _range(pair)
    yield from _label(pair)
    yield from _declared_range(pair, "measure", "measurement level")
    if pair.same_program:
        yield from _declared_range(pair, "format", "format")


def _kind(pair: ColumnPair) -> Iterator[Difference]:
    here, there = kind_of(pair.here.dtype), kind_of(pair.there.dtype)
    if here == there or "unknown" in (here, there) or holds_labels(pair):
        return
    yield difference(
        "kind",
        pair.name,
        (NOUNS[here], NOUNS[there]),
        f"Column {quote_name(pair.name)} holds {NOUNS[here]} in the original and {NOUNS[there]} in"
        f" {pair.copy}.",
        f"Write it as {NOUNS[here]} in the synthetic data, or declare which entries mean missing"
        " (--missing).",
    )


def holds_labels(pair: ColumnPair) -> bool:
    """Whether one side has the codes of the original and the other their labels."""
    return (
        pair.original_contents.holds is not None
        and pair.original_contents.holds != pair.copy_contents.holds
    )


def _missing(pair: ColumnPair) -> Iterator[Difference]:
    here, there = pair.original.missing, pair.synthetic.missing
    if "missing" not in pair.lost and set(here) != set(there):
        yield difference(
            "missing",
            pair.name,
            (codes(here) or None, codes(there) or None),
            f"Column {quote_name(pair.name)}: {_missing_sentence(here)} in the original and "
            f"{_missing_sentence(there)} in"
            f" {pair.copy}.",
            "Declare the same missing codes in the synthetic data.",
        )
    gaps, others = pair.original.missing_ranges, pair.synthetic.missing_ranges
    if "missing_ranges" not in pair.lost and set(gaps) != set(others):
        yield difference(
            "missing",
            pair.name,
            (_gaps(gaps), _gaps(others)),
            f"Column {quote_name(pair.name)}: numbers {_gaps(gaps) or 'in no range'} mean missing"
            f" in the original, and {_gaps(others) or 'in no range'} in {pair.copy}.",
            "Declare the same range of missing numbers in the synthetic data.",
        )


def _missing_sentence(missing: tuple[Code, ...]) -> str:
    return f"{codes(missing)} mean missing" if missing else "no code means missing"


def _gaps(gaps: tuple[MissingRange, ...]) -> str | None:
    def end(number: float | None, open_end: str) -> str:
        return open_end if number is None else f"{number:g}"

    told = few(f"{end(gap.lo, 'the lowest')} to {end(gap.hi, 'the highest')}" for gap in gaps)
    return told or None


def _range(pair: ColumnPair) -> Iterator[Difference]:
    """Synthetic data beyond the original's range: by a percentage, an end is one person's value."""
    here, there = pair.original_contents, pair.copy_contents
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
        f"Column {quote_name(pair.name)}: {share} of the records of {pair.copy} lie beyond"
        " everything in the original.",
        "Check that such values are possible; cut them off at the range of the original if not.",
    )


def _n_beyond(ours: Entries, theirs: Entries) -> int:
    known, value = ours.present["value"], pl.col("value")
    beyond = theirs.present.filter((value < known.min()) | (value > known.max()))
    return int(beyond["n"].sum())


def _ends(found: ColumnContents) -> str | None:
    return None if found.low is None else f"about {found.low} to {found.high}"


def _label(pair: ColumnPair) -> Iterator[Difference]:
    here, there = pair.original.label, pair.synthetic.label
    if "label" in pair.lost or fold_label(here or "") == fold_label(there or ""):
        return
    what = f"labelled {quote_name(there)}" if there else "without a label"
    was = quote_name(here) if here else "unlabelled"
    yield difference(
        "label",
        pair.name,
        (here, there),
        f"Column {quote_name(pair.name)} is {what} in {pair.copy}; in the original it is {was}.",
        "Give it the label of the original.",
    )


def _declared_range(pair: ColumnPair, field: str, what: str) -> Iterator[Difference]:
    here, there = getattr(pair.original, field), getattr(pair.synthetic, field)
    if field in pair.lost or here == there:
        return
    yield difference(
        "measure" if field == "measure" else "format",
        pair.name,
        (here, there),
        f"Column {quote_name(pair.name)} has {_or_none(here, what)} in the original and"
        f" {_or_none(there, what)} in {pair.copy}.",
        f"Give it the {what} of the original.",
    )


def _or_none(said: str | None, what: str) -> str:
    return f"the {what} {quote_name(said)}" if said else f"no {what}"


# How do the categories of one column differ: codes, what they stand for, and which occur?


Labels = dict[Code, str]


def category_differences(pair: ColumnPair) -> Iterator[Difference]:
    """Differences of declared codes, then of what occurs."""
    if "levels" not in pair.lost:
        yield from _compare_declared(pair)
    if valid_levels(pair.original):
        yield from _compare_values(pair)
    else:
        yield from _compare_undeclared(pair)


def _labels(variable: Variable) -> Labels:
    return {level.code: level.label for level in variable.levels}


def _compare_declared(pair: ColumnPair) -> Iterator[Difference]:
    here, there = _labels(pair.original), _labels(pair.synthetic)
    shared = [code for code in here if code in there]
    other = [code for code in shared if fold_label(here[code]) != fold_label(there[code])]
    if other and _same_labels(here, there):
        yield _recoding_difference(pair, here, there, other, other)
        return
    yield from _contradictions(pair, here, there, other)
    yield from _only_in_one(pair, here, there)
    respelt = [code for code in shared if here[code] != there[code] and code not in other]
    if respelt:
        yield difference(
            "category label",
            pair.name,
            _both(respelt, here, there),
            f"Column {quote_name(pair.name)}: labels of codes are written otherwise in"
            f" {pair.copy}, in capitals or blanks: {_format_codes_of(respelt, there)}.",
            "Write the labels as in the original.",
        )


def _same_labels(here: Labels, there: Labels) -> bool:
    """Whether both have the same labels, each of one code alone."""
    ours, theirs = (sorted(map(fold_label, labels.values())) for labels in (here, there))
    return ours == theirs and len(set(ours)) == len(ours)


def _format_codes_of(some: list[Code], labels: Labels) -> str:
    return format_codes((code, labels[code]) for code in some)


def _both(some: list[Code], here: Labels, there: Labels) -> tuple[str, str]:
    return _format_codes_of(some, here), _format_codes_of(some, there)


def _recoding_difference(
    pair: ColumnPair, here: Labels, there: Labels, was: list[Code], now: list[Code]
) -> Difference:
    told = _format_codes_of(was, here), _format_codes_of(now, there)
    return difference(
        "recoded",
        pair.name,
        told,
        f"Column {quote_name(pair.name)} has the same labels under other codes: {told[0]} in the"
        f" original, {told[1]} in {pair.copy}.",
        "Recode the synthetic data to the codes of the original, or its figures concern other"
        " answers.",
    )


def _contradictions(
    pair: ColumnPair, here: Labels, there: Labels, other: list[Code]
) -> Iterator[Difference]:
    if other:
        yield difference(
            "contradiction",
            pair.name,
            _both(other, here, there),
            f"Column {quote_name(pair.name)} gives codes another meaning: "
            f"{_format_codes_of(other, here)} in the"
            f" original, {_format_codes_of(other, there)} in {pair.copy}.",
            "Find out which labels are right. If the codes mean the same, write the labels of the"
            " original into the synthetic data; if not, recode it.",
        )


def _only_in_one(pair: ColumnPair, here: Labels, there: Labels) -> Iterator[Difference]:
    ours = [code for code in here if code not in there]
    theirs = [code for code in there if code not in here]
    moved = {fold_label(here[code]): code for code in ours}
    pairs = [
        (moved[fold_label(there[code])], code)
        for code in theirs
        if fold_label(there[code]) in moved
    ]
    if pairs:
        was, now = [a for a, _ in pairs], [b for _, b in pairs]
        yield _recoding_difference(pair, here, there, was, now)
        ours = [code for code in ours if code not in was]
        theirs = [code for code in theirs if code not in now]
    if ours or theirs:
        told = [
            *([f"{_format_codes_of(ours, here)} only in the original"] if ours else []),
            *([f"{_format_codes_of(theirs, there)} only in {pair.copy}"] if theirs else []),
        ]
        yield difference(
            "category",
            pair.name,
            (_format_codes_of(ours, here) or None, _format_codes_of(theirs, there) or None),
            f"Column {quote_name(pair.name)} declares other codes: {', and '.join(told)}.",
            "Declare the codes of the original in the synthetic data, those that no one has"
            " among them.",
        )


def _compare_values(pair: ColumnPair) -> Iterator[Difference]:
    """What the synthetic file has, seen through the codes of the original."""
    here, there = pair.original_contents, pair.copy_contents
    if None not in (here.holds, there.holds) and here.holds != there.holds:
        yield difference(
            "written as",
            pair.name,
            (here.holds, there.holds),
            f"Column {quote_name(pair.name)} holds {here.holds} in the original and {there.holds}"
            f" in {pair.copy}.",
            f"Write the {here.holds} in the synthetic data; unveil convert and --like the"
            " original do so.",
        )
    if there.n_outside and not here.n_outside:
        listed = f": {codes(there.occurring)}" if there.occurring else ""
        yield difference(
            "category",
            pair.name,
            (None, codes(there.occurring) or None),
            f"Column {quote_name(pair.name)}: {pair.copy} has values that are no {there.holds} of"
            f" the original{listed}{_rest(there.n_rare, listed)}.",
            "Recode them, or declare what they stand for.",
        )


def _compare_undeclared(pair: ColumnPair) -> Iterator[Difference]:
    """Where no one declared codes: categories that occur on one side only."""
    here, there = pair.original_contents, pair.copy_contents
    if here.kind != there.kind or not _is_told_by_categories(pair, here):
        return
    if pair.ours is None or pair.theirs is None:
        return
    ours, theirs = pair.ours.present, pair.theirs.present
    for kind, mine, other in (("original", ours, theirs), ("synthetic", theirs, ours)):
        alone = mine.filter(~mine["value"].is_in(other["value"].to_list()))
        if alone.height:
            yield _alone(pair, kind, alone)


def _is_told_by_categories(pair: ColumnPair, here: ColumnContents) -> bool:
    """Free text differs from record to record: nothing is said of its values."""
    is_categories = has_categories(pair.original, pair.here.dtype, 0)
    return is_categories and (here.n_distinct or 0) <= MOST_LISTED


def _alone(pair: ColumnPair, kind: str, alone: pl.DataFrame) -> Difference:
    told = alone.filter(pl.col("n") >= FEWEST_PEOPLE).sort("value")["value"].to_list()
    listed = f": {codes(told)}" if told else ""
    where = "the original" if kind == "original" else pair.copy
    return difference(
        "category",
        pair.name,
        (codes(told) or None, None) if kind == "original" else (None, codes(told) or None),
        f"Column {quote_name(pair.name)} has categories that occur only in {where}"
        f"{listed}{_rest(alone.height - len(told), listed)}.",
        "Check how the synthetic data were made: categories may be lost or misspelt.",
    )


def _rest(n_rare: int, listed: str) -> str:
    """How many are counted but not told."""
    if not n_rare:
        return ""
    more = " more" if listed else ""
    joint = " and" if listed else ":"
    return f"{joint} {n_rare:,}{more} that fewer than {FEWEST_PEOPLE} records have"

"""How do synthetic data differ from their original: columns, kinds, codes, ranges, what is missing?

Synthetic data that differ in structure break the scripts of those who try them first, and
risks measured between the two may be those of other columns.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, get_args

import msgspec

from unveil.io.dictionary import parse_dictionary
from unveil.io.table import Table
from unveil.measure.result import RowsResult
from unveil.measure.structure.compare_columns import (
    ColumnPair,
    DescribedTable,
    category_differences,
    column_differences,
    difference,
    few,
    quote_name,
)
from unveil.measure.structure.describe import declare_columns
from unveil.records.codebook import (
    Codebook,
    CodebookDifferences,
    Difference,
    DifferenceKind,
    Variable,
)
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import open_files
from unveil.study.take_study import takes_study

# Which column of synthetic data is which of the original: by name, by capitals aside, or misspelt?


MOST_COMPARED = 200
"""Columns without a partner on either side beyond which no one looks for misspelt names."""

_ALIKE = 0.8


@dataclass(frozen=True)
class ColumnPairs:
    """Columns that belong together, by their name in the original, and those left alone."""

    by_name: dict[str, str]  # the synthetic file's name of each column of the original
    only_original: tuple[str, ...]
    only_synthetic: tuple[str, ...]

    @property
    def renames(self) -> dict[str, str]:
        """The columns that the synthetic file spells otherwise."""
        return {ours: theirs for ours, theirs in self.by_name.items() if ours != theirs}


def pair_columns(original: Sequence[str], synthetic: Sequence[str]) -> ColumnPairs:
    """Each column with its partner: the same name, the same but for capitals, or a likely slip."""
    shared = set(original) & set(synthetic)
    theirs = [name for name in synthetic if name not in shared]
    by_name = {name: name for name in original if name in shared}
    alone = [name for name in original if name not in by_name]
    _by_capitals(alone, theirs, by_name)
    if len(alone) <= MOST_COMPARED and len(theirs) <= MOST_COMPARED:
        _by_likeness(alone, theirs, by_name)
    in_order = {name: by_name[name] for name in original if name in by_name}
    return ColumnPairs(in_order, tuple(alone), tuple(theirs))


def _by_capitals(alone: list[str], theirs: list[str], by_name: dict[str, str]) -> None:
    for name in tuple(alone):
        same = [other for other in theirs if other.strip().casefold() == name.strip().casefold()]
        if len(same) == 1:
            _take(name, same[0], alone, theirs, by_name)


def _by_likeness(alone: list[str], theirs: list[str], by_name: dict[str, str]) -> None:
    """Only where each is the other's nearest: q1 and q2 are neighbours, not misspelt."""
    for name in tuple(alone):
        close = get_close_matches(name, theirs, n=1, cutoff=_ALIKE)
        if close and get_close_matches(close[0], alone, n=1, cutoff=_ALIKE) == [name]:
            _take(name, close[0], alone, theirs, by_name)


def _take(
    name: str, other: str, alone: list[str], theirs: list[str], by_name: dict[str, str]
) -> None:
    by_name[name] = other
    alone.remove(name)
    theirs.remove(other)


CONVERT = (
    "Write the synthetic data with unveil convert and --like the original, which gives it"
    " all of these."
)
_WORST_FIRST = get_args(DifferenceKind)


class StructureResult(RowsResult[CodebookDifferences]):
    """How a synthetic file is built otherwise; printing it never shows a record of the data."""

    @property
    def is_alike(self) -> bool:
        """Whether nothing differs."""
        return not self.record.rows


@takes_study
def compare_structure(
    original: Any,
    synthetic: Any,
    *,
    dictionary: Any = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> StructureResult:
    """Compare the structure of synthetic data with the original's, column by column.

    Parameters
    ----------
    original, synthetic
        A path or a frame each; one copy.
    dictionary
        What the columns of both mean, where the files do not say so: a path or a codebook.
    missing_values
        Entries that mean missing, as in every other call.
    progress
        Called with what is being done, how many steps are done, and how many there are.

    Notes
    -----
    No value that fewer than five people have is told, and no end of a range: synthetic
    data beyond the range of the original is told by a whole percentage of its records.
    """
    progress = progress or no_progress
    known = None if dictionary is None else parse_dictionary(dictionary)
    sides = {"original": original, "synthetic": synthetic}
    here, there = open_files(sides, None, missing_values, progress)
    pairs = pair_columns(here.frame.columns, there.frame.columns)
    ours, theirs = _side(here, known), _side(there, _rename_dictionary(known, pairs))
    found = [
        *_names(pairs, ours, theirs),
        *_order(pairs, theirs),
        *_undeclared_differences(pairs, ours, theirs),
        *_in_columns(pairs, ours, theirs, progress),
    ]
    return StructureResult(_record(found, ours, theirs))


def _side(table: Table, dictionary: Codebook | None) -> DescribedTable:
    return DescribedTable(table, declare_columns(table, dictionary).codebook)


def _rename_dictionary(dictionary: Codebook | None, pairs: ColumnPairs) -> Codebook | None:
    """The dictionary under the names of the synthetic file."""
    if dictionary is None:
        return None
    variables = tuple(
        msgspec.structs.replace(known, name=pairs.by_name.get(known.name, known.name))
        for known in dictionary.variables
    )
    return msgspec.structs.replace(dictionary, variables=variables)


def _record(
    found: Sequence[Difference], ours: DescribedTable, theirs: DescribedTable
) -> CodebookDifferences:
    told = {row.variable for row in found}
    names = ours.table.frame.columns
    return CodebookDifferences(
        files=(ours.table.source, theirs.table.source),
        n_variables_original=len(names),
        n_variables_synthetic=theirs.table.frame.width,
        n_alike=sum(name not in told for name in names),
        rows=tuple(sorted(found, key=lambda row: _WORST_FIRST.index(row.kind))),
        coercions=(*ours.table.notes, *theirs.table.notes),
    )


def _names(
    pairs: ColumnPairs, ours: DescribedTable, theirs: DescribedTable
) -> Iterator[Difference]:
    for name in pairs.only_original:
        yield difference(
            "only original",
            name,
            (name, None),
            f"{theirs.place} has no column {quote_name(name)}.",
            "Add it to the synthetic data, or state in its notes that it was excluded.",
        )
    for name in pairs.only_synthetic:
        yield difference(
            "only synthetic",
            name,
            (None, name),
            f"{theirs.place} has a column {quote_name(name)} that the original lacks.",
            "Remove it from the synthetic data, unless it is your own marker.",
        )
    for name, other in pairs.renames.items():
        is_case = name.strip().casefold() == other.strip().casefold()
        how = "in other capitals or blanks" if is_case else "which looks misspelt"
        yield difference(
            "name",
            name,
            (name, other),
            f"Column {quote_name(name)} is called {quote_name(other)} in {theirs.mid_place}, "
            f"{how}.",
            f"Rename it to {quote_name(name)} in the synthetic data.",
        )


def _order(pairs: ColumnPairs, theirs: DescribedTable) -> Iterator[Difference]:
    """The columns that both have, where the synthetic file has them in another order."""
    ours = {other: name for name, other in pairs.by_name.items()}
    here = list(pairs.by_name)
    there = [name for name in theirs.table.frame.columns if name in ours]
    moved = [place for place, name in enumerate(there) if ours[name] != here[place]]
    if not moved:
        return
    place = moved[0]
    yield difference(
        "order",
        None,
        (few(here), few(there)),
        f"{theirs.place} has its columns in another order, from the {_ordinal(place + 1)} that"
        f" both have: {quote_name(there[place])} instead of {quote_name(here[place])}.",
        "Put the columns in the order of the original.",
    )


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10)
    return f"{number:,}{ending or 'th'}"


FACETS = {
    "label": "labels of columns",
    "levels": "codes with labels",
    "missing": "missing codes",
    "missing_ranges": "ranges of missing numbers",
    "measure": "measurement levels",
    "format": "formats",
}
"""What a file may declare about its columns, by the field of its codebook."""

_ALL = frozenset(FACETS)


def _undeclared_differences(
    pairs: ColumnPairs, ours: DescribedTable, theirs: DescribedTable
) -> Iterator[Difference]:
    """What the original declares and synthetic data nowhere do: told once, not by column."""
    lost = _list_lost_facets(pairs, ours, theirs)
    if not lost:
        return
    n_columns = sum(any(getattr(v, facet) for facet in lost) for v in ours.codebook.variables)
    what = " and ".join(
        part for part in (", ".join(FACETS[f] for f in lost[:-1]), FACETS[lost[-1]]) if part
    )
    yield difference(
        "undeclared",
        None,
        (what, None),
        f"{theirs.place} declares no {what.replace(' and ', ' or ')}; the original does, for"
        f" {n_columns:,} of its {len(ours.codebook.variables):,} columns.",
        CONVERT,
    )


def _list_lost_facets(
    pairs: ColumnPairs, ours: DescribedTable, theirs: DescribedTable
) -> list[str]:
    here = [ours.variable(name) for name in pairs.by_name]
    there = [theirs.variable(name) for name in pairs.by_name.values()]
    return [facet for facet in FACETS if _any(here, facet) and not _any(there, facet)]


def _any(variables: Iterable[Variable], facet: str) -> bool:
    return any(getattr(variable, facet) for variable in variables)


def _is_bare(variable: Variable) -> bool:
    """Whether nothing is declared: of a column by another name, no dictionary could say a thing."""
    return not any(getattr(variable, facet) for facet in FACETS)


def _in_columns(
    pairs: ColumnPairs, ours: DescribedTable, theirs: DescribedTable, progress: Progress
) -> Iterator[Difference]:
    lost = frozenset(_list_lost_facets(pairs, ours, theirs))
    for done, (name, other) in enumerate(pairs.by_name.items()):
        progress(f"comparing {name}", done, len(pairs.by_name))
        pair = ColumnPair(
            original=ours.variable(name),
            synthetic=theirs.variable(other),
            here=ours.table.frame[name],
            there=theirs.table.frame[other],
            same_program=ours.codebook.format == theirs.codebook.format,
            lost=_ALL if name != other and _is_bare(theirs.variable(other)) else lost,
            place=theirs.place,
        )
        yield from column_differences(pair)
        yield from category_differences(pair)

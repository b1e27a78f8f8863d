"""How is a copy built otherwise than its original: columns, kinds, codes, ranges, what is missing?

A copy that differs in structure breaks the scripts of those who try them on it first, and risks
measured between the two may be those of other columns.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, get_args

import msgspec

from unveil.count.scenario import Progress, silent
from unveil.measure.codebook.categories import category_differences
from unveil.measure.codebook.columns import Pair, column_differences
from unveil.measure.codebook.declared import declared
from unveil.measure.codebook.pairing import Pairs, paired
from unveil.measure.codebook.wording import Side, difference, few, one
from unveil.measure.opening import read_all
from unveil.measure.tabular import RowsResult
from unveil.read.dictionary import dictionary_given
from unveil.read.table import Table
from unveil.records.codebook import Codebook, Variable
from unveil.records.codebook_differences import CodebookDifferences, Difference, DifferenceKind

CONVERT = "Write the copy with unveil convert and --like the original, which gives it all of these."
_WORST_FIRST = get_args(DifferenceKind)


class StructureResult(RowsResult[CodebookDifferences]):
    """How a copy is built otherwise; printing it never shows a record of the data."""

    @property
    def is_alike(self) -> bool:
        """Whether nothing differs."""
        return not self.record.rows


def compare_structure(
    original: Any,
    synthetic: Any,
    *,
    dictionary: Any = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> StructureResult:
    """Compare the structure of a copy with its original's, column by column.

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
    No value that fewer than five people have is told, and no end of a range: a copy beyond the
    range of its original is told by a whole percentage of its records.
    """
    progress = progress or silent
    known = None if dictionary is None else dictionary_given(dictionary)
    sides = {"original": original, "synthetic": synthetic}
    here, there = read_all(sides, None, missing_values, None, progress)
    pairs = paired(here.frame.columns, there.frame.columns)
    ours, theirs = _side(here, known), _side(there, _renamed(known, pairs))
    found = [
        *_names(pairs, ours, theirs),
        *_order(pairs, theirs),
        *_undeclared(pairs, ours, theirs),
        *_in_columns(pairs, ours, theirs, progress),
    ]
    return StructureResult(_record(found, ours, theirs))


def _side(table: Table, dictionary: Codebook | None) -> Side:
    return Side(table, declared(table, dictionary).codebook)


def _renamed(dictionary: Codebook | None, pairs: Pairs) -> Codebook | None:
    """The dictionary under the names of the copy."""
    if dictionary is None:
        return None
    variables = tuple(
        msgspec.structs.replace(known, name=pairs.by_name.get(known.name, known.name))
        for known in dictionary.variables
    )
    return msgspec.structs.replace(dictionary, variables=variables)


def _record(found: Sequence[Difference], ours: Side, theirs: Side) -> CodebookDifferences:
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


def _names(pairs: Pairs, ours: Side, theirs: Side) -> Iterator[Difference]:
    for name in pairs.only_original:
        yield difference(
            "only original",
            name,
            (name, None),
            f"{theirs.place} has no column {one(name)}.",
            "Add it to the copy, or say in its notes that it was left out.",
        )
    for name in pairs.only_synthetic:
        yield difference(
            "only synthetic",
            name,
            (None, name),
            f"{theirs.place} has a column {one(name)} that the original lacks.",
            "Take it out of the copy, unless it is a marker of yours.",
        )
    for name, other in pairs.renamed.items():
        is_case = name.strip().casefold() == other.strip().casefold()
        how = "in other capitals or blanks" if is_case else "which looks misspelt"
        yield difference(
            "name",
            name,
            (name, other),
            f"Column {one(name)} is called {one(other)} in {theirs.mid_place}, {how}.",
            f"Rename it to {one(name)} in the copy.",
        )


def _order(pairs: Pairs, theirs: Side) -> Iterator[Difference]:
    """The columns that both have, where the copy has them in another order."""
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
        f" both have: {one(there[place])} instead of {one(here[place])}.",
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


def _undeclared(pairs: Pairs, ours: Side, theirs: Side) -> Iterator[Difference]:
    """What the original declares and the copy nowhere does: told once, not for each column."""
    lost = _lost(pairs, ours, theirs)
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


def _lost(pairs: Pairs, ours: Side, theirs: Side) -> list[str]:
    here = [ours.variable(name) for name in pairs.by_name]
    there = [theirs.variable(name) for name in pairs.by_name.values()]
    return [facet for facet in FACETS if _any(here, facet) and not _any(there, facet)]


def _any(variables: Iterable[Variable], facet: str) -> bool:
    return any(getattr(variable, facet) for variable in variables)


def _is_bare(variable: Variable) -> bool:
    """Whether nothing is declared: of a column by another name, no dictionary could say a thing."""
    return not any(getattr(variable, facet) for facet in FACETS)


def _in_columns(pairs: Pairs, ours: Side, theirs: Side, progress: Progress) -> Iterator[Difference]:
    lost = frozenset(_lost(pairs, ours, theirs))
    for done, (name, other) in enumerate(pairs.by_name.items()):
        progress(f"comparing {name}", done, len(pairs.by_name))
        pair = Pair(
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

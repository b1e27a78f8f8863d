"""Would a person be found in a copy whose rows stand for the rows of the original?

Partially synthetic copies keep the rows and replace some of the values. An intruder who knows a
person's keys looks for the rows that match; whether one of them is the person's own row is known,
for it stands at the same place. Reiter and Mitra (2009), as Taub et al. (2018), section 2, put them
beside CAP.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from unveil.count.meeting import refuse_disjoint
from unveil.count.scenario import Progress, encode_all
from unveil.errors import AlignError
from unveil.measure.attribution.tolerance import exact, near, parse_tolerance
from unveil.measure.opening import read_all, refuse_other_columns, sides_of
from unveil.measure.risk.aligned_matching import Lookup, Matches, in_all_copies, in_copy
from unveil.measure.tabular import RowsResult
from unveil.read.align import align
from unveil.read.banding import Bands, parse_bands
from unveil.read.bands import band
from unveil.read.roles import Roles, declared
from unveil.read.table import Table, mid_sentence
from unveil.records.aligned_match import AlignedMatch, AlignedMatchRow, KeyTolerance

CopyName = int | Literal["pooled"]


@dataclass(frozen=True, repr=False)
class AlignedMatchResult(RowsResult[AlignedMatch]):
    """The match rates of each copy; printing it never shows a record of the data."""

    _found: Mapping[CopyName, Matches] = field(repr=False, compare=False)

    def matches(self) -> pl.DataFrame:
        """Of each record and copy the number of candidates, and if it is among them: confidential.

        Columns: copy, row (from 0, in the order of the original), n_candidates, is_among.
        """
        return pl.concat(
            pl.DataFrame(
                {
                    "copy": [str(copy)] * len(found.n),
                    "row": np.arange(len(found.n)),
                    "n_candidates": found.n,
                    "is_among": found.is_among,
                }
            )
            for copy, found in self._found.items()
        )


def aligned_match_risk(
    original: Any,
    synthetic: Any,
    *,
    keys: tuple[str, ...],
    tolerance: Mapping[str, Any] | None,
    bands: Mapping[str, Any] | None,
    special_codes: Mapping[str, Any] | None,
    missing_values: str | Sequence[str],
    progress: Progress,
) -> AlignedMatchResult:
    """Look every original record up in every copy by its keys; see `unveil.match_risk`."""
    declared(keys, ())
    radii = parse_tolerance(tolerance, keys, "key")
    cut = parse_bands(bands, special_codes)
    refuse_other_columns(cut, Roles(keys, ()))
    sides = sides_of(synthetic, original=original)
    tables = read_all(sides, keys, missing_values, None, progress)
    _refuse_other_lengths(tables)
    aligned, banded = band(align(tables, keys), _without(cut, radii))
    columns = encode_all(aligned, keys, progress)
    refuse_disjoint([column for column in columns if not radii.get(column.name)], tables)
    nears = [
        near(
            column,
            radii[column.name],
            (*column.special_codes, *cut.special_codes.get(column.name, ())),
        )
        if column.name in radii
        else exact(column)
        for column in columns
    ]
    lookup = Lookup(columns, tuple(nears))
    found = _looked_up(lookup, progress)
    record = AlignedMatch(
        files=tuple(table.source for table in tables),
        keys=keys,
        tolerances=tuple(
            KeyTolerance(key=key, tolerance=radii[key]) for key in keys if key in radii
        ),
        n_records=lookup.n_records,
        n_copies=lookup.n_copies,
        rows=tuple(match_row(copy, matches) for copy, matches in found.items()),
        bands=banded,
        coercions=aligned.coercions,
    )
    return AlignedMatchResult(record, found)


def _without(cut: Bands, radii: Mapping[str, float]) -> Bands:
    """The bands, but for special codes of keys that may be off: these are put to use there."""
    banded = {banding.column for banding in cut.bandings}
    codes = cut.special_codes.items()
    kept = {key: of_key for key, of_key in codes if key in banded or key not in radii}
    return Bands(cut.bandings, kept)


def _refuse_other_lengths(tables: Sequence[Table]) -> None:
    """Rows that stand for each other are as many on every side."""
    n = tables[0].frame.height
    faults = [
        f"{table.place} has {table.frame.height:,} records and"
        f" {mid_sentence(tables[0].place)} {n:,}. Rows can be matched to rows only in a"
        " copy that has the rows of the original, in their order; for other copies see"
        " unveil.disclosure."
        for table in tables[1:]
        if table.frame.height != n
    ]
    if faults:
        raise AlignError("\n".join(faults))


def _looked_up(lookup: Lookup, progress: Progress) -> dict[CopyName, Matches]:
    found: dict[CopyName, Matches] = {}
    for copy in range(1, lookup.n_copies + 1):
        progress(f"looking people up in copy {copy}", copy - 1, lookup.n_copies)
        found[copy] = in_copy(lookup, copy)
    if lookup.n_copies > 1:
        found["pooled"] = in_all_copies(lookup)
    return found


def match_row(copy: CopyName, found: Matches) -> AlignedMatchRow:
    """The rates of one copy.

    Notes
    -----
    With c_i candidates for record i and I_i = 1 where its own row is among them: expected match
    risk sum(I_i / c_i); true matches are those with c_i I_i = 1, false matches those with
    c_i (1 - I_i) = 1. The true match rate is over all records; the false match rate over the
    records with one candidate, and undefined where there are none. A record without candidates
    counts as not found.

    References
    ----------
    Reiter and Mitra (2009), section 2.2. The perceived match rate is the share of records with one
    candidate: what the intruder, who cannot see which matches are true, believes to have found.
    """
    n = len(found.n)
    is_unique = found.n == 1
    n_unique, n_true = int(is_unique.sum()), int((is_unique & found.is_among).sum())
    expected = float((found.is_among / np.maximum(found.n, 1)).sum())
    return AlignedMatchRow(
        copy=copy,
        n_matched=int((found.n > 0).sum()),
        n_unique=n_unique,
        n_true=n_true,
        n_false=n_unique - n_true,
        expected_match_risk=expected,
        expected_match_rate=expected / n,
        perceived_match_rate=n_unique / n,
        true_match_rate=n_true / n,
        false_match_rate=(n_unique - n_true) / n_unique if n_unique else None,
    )

"""`unveil.gcap`: when nobody has a person's keys, guess from those who come nearest.

GCAP, the generalised CAP after Hittmeir, Mayer and Ekelhart (2020), as public implementations have
it. The paper itself was not at hand, so this is our definition: a person is scored against the
copies' records that differ from theirs in the fewest keys, all ties included.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.count.shares import Shares
from unveil.measure.attribution.classes import Classes
from unveil.measure.attribution.nearest import Nearest, nearest
from unveil.measure.attribution.opening import Attribution, open_copies
from unveil.measure.attribution.scores import total
from unveil.measure.tabular import RowsResult
from unveil.records.cap import KeySet
from unveil.records.tcap import Gcap, GcapRow


@dataclass(frozen=True, repr=False)
class GcapResult(RowsResult[Gcap]):
    """Correct attribution from the nearest keys; printing it shows no record of the data."""

    _classes: Classes = field(repr=False, compare=False)
    _nearest: Nearest = field(repr=False, compare=False)

    def scores(self) -> pl.DataFrame:
        """The score of each original record, all copies pooled: confidential.

        Returns
        -------
        polars.DataFrame
            `row` in the original (from 0), `distance` (keys in which its nearest records differ),
            `nearest` (how many these are), `gcap`.
        """
        at, found = self._classes.own_of_row, self._nearest
        return pl.DataFrame(
            {
                "row": np.arange(len(at)),
                "distance": found.distance[at],
                "nearest": found.nearest[at],
                "gcap": (found.agreeing / found.nearest)[at],
            }
        )


def gcap(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    target: str | Iterable[str],
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> GcapResult:
    """Measure how often a guess among the records with the nearest keys would be right.

    Parameters
    ----------
    original, synthetic, keys, target
        As in `unveil.cap`.
    bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.

    Returns
    -------
    GcapResult
        `gcap` of all copies pooled; `.rows` has it for m = 1 to M copies; `.scores()` record by
        record.

    Notes
    -----
    For each original record: the share of its target among the copies' records at the smallest
    number of differing keys, every such record counted once. Equal to CAP for a person who has a
    match; never undefined. Missing is a level: missing differs from any value by one key.
    """
    progress = progress or silent
    attribution = open_copies(
        original,
        synthetic,
        keys=keys,
        target=target,
        bands=bands,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    (key_set,), (method,) = attribution.key_sets, attribution.methods
    searched = list(gcap_rows(attribution, key_set, method.name, progress))
    rows = tuple(row for row, _ in searched)
    record = Gcap(
        files=attribution.opening.files,
        keys=key_set.keys,
        target=attribution.target,
        n_original=attribution.opening.scenario.sides.rows[0],
        n_synthetic=method.n_synthetic,
        n_match=rows[-1].n_match,
        mean_distance=rows[-1].mean_distance,
        gcap=rows[-1].gcap,
        rows=rows,
        bands=attribution.opening.bands,
        coercions=attribution.opening.notes,
    )
    return GcapResult(record, attribution.classes(key_set), searched[-1][1])


def gcap_rows(
    attribution: Attribution, key_set: KeySet, method: str, progress: Progress = silent
) -> Iterator[tuple[GcapRow, Nearest]]:
    """GCAP with copies 1 to m of a method pooled, for every m, and the search behind it."""
    classes, copies = attribution.classes(key_set), attribution.copies[method]
    s_tq = np.zeros(classes.cells.counts.shape[1], np.int64)
    for m, copy in enumerate(copies, start=1):
        progress(f"searching the nearest keys of {method}", m - 1, len(copies))
        s_tq = s_tq + classes.cells.counts[copy]
        found = nearest(classes, s_tq)
        n, d_tq = classes.n_original, classes.d_tq  # n > 0: a file without records is refused
        row = GcapRow(
            method=method,
            keys=key_set.keys,
            target=attribution.target,
            m=m,
            n=n,
            n_match=int(d_tq[found.distance == 0].sum()),
            mean_distance=int((d_tq * found.distance).sum()) / n,
            gcap=total(Shares.of(d_tq * found.agreeing, found.nearest)) / n,
        )
        yield row, found

"""`unveil.tcap`: where the copy is sure, is it right? Three measures called TCAP, each by its name.

WEAP and TCAP as in the note of Taub and Elliot (their TCAP looks from the copy's records at the
original), Raab's TCAP (2024, equation 13) and the TCAP of Chen et al. (2019) as described by
Chapelle and Falissard (the CAP of people alone with their keys). None of them is DiSCO.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unveil.arguments import number_within
from unveil.arrays import Floats, Ints
from unveil.count.cells import cells_of_rows
from unveil.count.packing import Shares
from unveil.measure.cap.classes import KeyClasses, Pool
from unveil.measure.cap.prepare import Attribution, open_copies
from unveil.measure.cap.scores import cap_synthetic, mean, uniques
from unveil.measure.result import RowsResult
from unveil.records.cap import KeySet, Tcap, TcapNotMeasured, TcapRow
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

NOTHING_SURE = "no synthetic record reaches tau for its target"
NO_SURE_KEYS = "no key combination of the original reaches tau in the synthetic files"
NOBODY_FOUND = "no original record has keys that the synthetic files have"
NOBODY_ALONE = "no original record is unique on its keys"


@dataclass(frozen=True, repr=False)
class TcapResult(RowsResult[Tcap]):
    """The three measures called TCAP; printing it never shows a record of the data."""

    _classes: KeyClasses = field(repr=False, compare=False)

    @property
    def weap(self) -> Floats:
        """WEAP of each record of the copies, one after the other, all copies pooled."""
        return weap(self._classes)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, WEAP record by record included."""
        return {**self.record.to_dict(), "weap": self.weap.tolist()}


def weap(classes: KeyClasses) -> Floats:
    """How sure the pooled copies are of each of their own records.

    Notes
    -----
    WEAP_s,j: the share of T_j among the copies' records with the keys K_j; never undefined, for
    the record itself is one of them.

    References
    ----------
    Taub and Elliot, TCAP note (WEAP: within equivalence class attribution probability).
    """
    s_q, s_tq = (of.counts[1:].sum(axis=0, dtype=np.int64) for of in (classes.keys, classes.cells))
    copies = slice(classes.n_original, classes.keys.sides.n_rows)
    cells = cells_of_rows(classes.keys, classes.cells, classes.joint.column, copies)
    shares: Floats = s_tq[cells] / s_q[classes.keys.q[copies]]
    return shares


@takes_study
def tcap(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    target: str | Iterable[str],
    tau: float = 1.0,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> TcapResult:
    """Measure how often the copies are right where they are sure.

    Parameters
    ----------
    original, synthetic, keys, target
        As in `unveil.cap`.
    tau
        Threshold: records of the copies with WEAP of at least tau are looked at, above 0 and up to
        1. With 1 all records with the same keys have the same target.
    bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.

    Returns
    -------
    TcapResult
        Of all copies pooled: `weap`, `n_selected`, `n_undefined`, `tcap` and `tcap_zero` (Taub and
        Elliot, out of the copies' records), `tcap_raab` (a percentage of original records),
        `tcap_uniques`; `.rows` has them for m = 1 to M copies.
    """
    progress = progress or no_progress
    threshold = parse_tau(tau)
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
    rows = tuple(tcap_rows(attribution, key_set, method.name, threshold))
    last = rows[-1]
    record = Tcap(
        files=attribution.opening.files,
        keys=key_set.keys,
        target=attribution.target,
        tau=threshold,
        n_original=attribution.opening.scenario.sides.rows[0],
        n_synthetic=method.n_synthetic,
        n_selected=last.n_selected,
        n_undefined=last.n_undefined,
        tcap=last.tcap,
        tcap_zero=last.tcap_zero,
        tcap_raab=last.tcap_raab,
        tcap_uniques=last.tcap_uniques,
        n_uniques=last.n_uniques,
        rows=rows,
        bands=attribution.opening.bands,
        coercions=attribution.opening.notes,
        not_measured=tuple(
            TcapNotMeasured(m=row.m, field=name, reason=reason)
            for row in rows
            for name, reason in reasons(row)
        ),
    )
    return TcapResult(record, attribution.classes(key_set))


def parse_tau(given: Any) -> float:
    """A threshold above 0 and up to 1."""
    return number_within("tau", given, "(0, 1]")


def tcap_rows(
    attribution: Attribution, key_set: KeySet, method: str, tau: float
) -> Iterator[TcapRow]:
    """The three measures with copies 1 to m of a method pooled, for every m."""
    classes, copies = attribution.classes(key_set), attribution.copies[method]
    s_q = np.zeros(classes.keys.n_q, np.int64)
    s_tq = np.zeros(classes.cells.counts.shape[1], np.int64)
    alone = uniques(classes)
    for copy, pool in zip(copies, classes.pools(copies), strict=True):
        s_q, s_tq = s_q + classes.keys.counts[copy], s_tq + classes.cells.counts[copy]
        yield TcapRow(
            method=method,
            keys=key_set.keys,
            target=attribution.target,
            m=pool.m,
            n_synthetic=int(s_tq.sum()),
            **_taub(classes, s_tq, s_q, tau),
            tcap_raab=_raab(classes, pool),
            tcap_uniques=cap_synthetic(pool, alone, int(alone.sum())),
            n_uniques=int(alone.sum()),
        )


def reasons(row: TcapRow) -> Iterator[tuple[str, str]]:
    """The fields that are None, and why."""
    of_field = {
        "tcap": NO_SURE_KEYS if row.n_selected else NOTHING_SURE,
        "tcap_zero": NOTHING_SURE,
        "tcap_raab": NOBODY_FOUND,
        "tcap_uniques": NOBODY_ALONE,
    }
    yield from ((name, why) for name, why in of_field.items() if getattr(row, name) is None)


def _taub(classes: KeyClasses, s_tq: Ints, s_q: Ints, tau: float) -> dict[str, Any]:
    """TCAP of Taub and Elliot: out of the copies' records.

    Notes
    -----
    Of the records with WEAP >= tau: the mean over j of #{i in original: K_i = K_j, T_i = T_j} /
    #{i in original: K_i = K_j}; undefined where the original does not have the keys. Undefined as a
    whole where nothing is selected, or nothing defined.
    """
    q = classes.cells.q
    d_tq, d_q = classes.cells.counts[0].astype(np.int64), classes.keys.counts[0][q].astype(np.int64)
    # A quotient is compared, not a product: 3 of 30 are 0.1 in floating point too.
    selected = np.where(s_tq / np.maximum(s_q[q], 1) >= tau, s_tq, 0)
    n_selected, n_undefined = int(selected.sum()), int(selected[d_q == 0].sum())
    scores = Shares.of(selected * d_tq, d_q)
    return {
        "n_selected": n_selected,
        "n_undefined": n_undefined,
        "tcap": mean(scores, n_selected - n_undefined),
        "tcap_zero": mean(scores, n_selected),
    }


def _raab(classes: KeyClasses, pool: Pool) -> float | None:
    """Raab's TCAP, in percent: of original records found, those the copies settle rightly."""
    found = int(classes.d_tq[pool.matching > 0].sum())
    return 100 * int(classes.d_tq[pool.right].sum()) / found if found else None

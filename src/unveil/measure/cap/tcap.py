"""`unveil.tcap`: where synthetic data are certain, are they correct? Four measures called TCAP.

WEAP and TCAP as in the note of Taub and Elliot (their TCAP looks from the synthetic records at the
original), Raab's TCAP (2024, equation 13), the TCAP of Chen et al. (2019) as described by Chapelle
and Falissard (the CAP of people alone with their keys), and DiSCO / DiS, the TCAP of Little et al.
(2025, not read: as the vignette of synthpop 1.9-3 prints it). None of them is DiSCO.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import parse_number_within
from unveil.arrays import Floats, Ints
from unveil.count.cells import cells_of_rows
from unveil.count.packing import Shares
from unveil.measure.cap.classes import KeyClasses, Pool
from unveil.measure.cap.prepare import Attribution, open_copies
from unveil.measure.cap.scores import cap_baseline, cap_synthetic, mean, uniques
from unveil.measure.result import RowsResult
from unveil.records.cap import KeySet, Tcap, TcapNotMeasured, TcapRow
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study

NOTHING_SURE = "no synthetic record reaches tau for its target"
NO_SURE_KEYS = "no key combination of the original reaches tau in the synthetic files"
NOBODY_FOUND = "no original record has keys that the synthetic files have"
NOBODY_ALONE = "no original record is unique on its keys"
NOTHING_DETERMINED = "the synthetic files show a single target for no original record"
FIGURES = (
    *("n_selected", "n_undefined", "tcap", "tcap_zero", "tcap_baseline", "tcap_raab"),
    *("tcap_raab_baseline", "tcap_uniques", "tcap_uniques_baseline", "n_uniques"),
    *("correct_if_determined", "correct_if_determined_baseline", "n_determined"),
)


@dataclass(frozen=True, repr=False)
class TcapResult(RowsResult[Tcap]):
    """The four measures called TCAP; printing it never shows a record of the data."""

    _classes: KeyClasses = field(repr=False, compare=False)

    @property
    def weap(self) -> Floats:
        """WEAP of each record of the copies, one after the other, all copies pooled."""
        return weap(self._classes)

    def scores(self) -> pl.DataFrame:
        """What the pooled copies state of each original record: confidential, never in a view.

        Returns
        -------
        polars.DataFrame
            `row` in the original (from 0), `unique` (alone with its keys), `matches` (records of
            the copies with its keys), `determined` (they show a single target), `correct` (it is
            theirs), `baseline` (the share of people with the target that is shown; null where none
            is determined). Raab's TCAP is the share of `correct` among those with matches,
            `correct_if_determined` that among `determined`.
        """
        classes = self._classes
        *_, pool = classes.pools(range(1, len(classes.keys.sides.rows)))
        at = classes.own_of_row
        shares = np.where(pool.settled, _shown_shares(classes, pool), np.nan)
        return pl.DataFrame(
            {
                "row": np.arange(classes.n_original),
                "unique": classes.d_q[at] == 1,
                "matches": pool.matching[at],
                "determined": pool.settled[at],
                "correct": pool.right[at],
                "baseline": pl.Series(shares[at], nan_to_null=True),
            }
        )

    def synthetic_scores(self) -> pl.DataFrame:
        """WEAP and TCAP of each record of the copies, one after the other: confidential.

        Returns
        -------
        polars.DataFrame
            `row` in the stacked copies (from 0), `weap`, `tcap` (the share of its target among the
            original records with its keys; null where there are none) and `baseline` (that among
            all original records). The TCAP of Taub and Elliot is the mean of `tcap` over records
            with WEAP of at least tau.
        """
        classes = self._classes
        copies = slice(classes.n_original, classes.keys.sides.n_rows)
        cells = cells_of_rows(classes.keys, classes.cells, classes.joint.column, copies)
        d_tq, d_q = classes.cells.counts[0][cells], classes.keys.counts[0][classes.keys.q[copies]]
        with np.errstate(invalid="ignore"):
            scores = pl.Series(d_tq / d_q, nan_to_null=True)
        shares = classes.target_shares[classes.cells.t[cells]]
        rows = np.arange(len(cells))
        return pl.DataFrame({"row": rows, "weap": self.weap, "tcap": scores, "baseline": shares})

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
        `tcap_uniques`, `correct_if_determined` (Little et al., DiSCO / DiS), each with a
        `_baseline`; `.rows` has them for m = 1 to M copies, `.scores()` original record by record,
        `.synthetic_scores()` synthetic record by record.
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
        **{name: getattr(last, name) for name in FIGURES},
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
    return parse_number_within("tau", given, "(0, 1]")


def tcap_rows(
    attribution: Attribution, key_set: KeySet, method: str, tau: float
) -> Iterator[TcapRow]:
    """The four measures with copies 1 to m of a method pooled, for every m."""
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
            **_of_people(classes, pool),
            tcap_uniques=cap_synthetic(pool, alone, int(alone.sum())),
            tcap_uniques_baseline=cap_baseline(classes.target_shares[classes.t], alone),
            n_uniques=int(alone.sum()),
        )


def reasons(row: TcapRow) -> Iterator[tuple[str, str]]:
    """The fields that are None, and why."""
    of_field = {
        "tcap": NO_SURE_KEYS if row.n_selected else NOTHING_SURE,
        "tcap_zero": NOTHING_SURE,
        "tcap_raab": NOBODY_FOUND,
        "tcap_uniques": NOBODY_ALONE,
        "correct_if_determined": NOTHING_DETERMINED,
    }
    for name, why in of_field.items():
        for field_name in (name, f"{name}_baseline"):
            if getattr(row, field_name, "") is None:
                yield field_name, why


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
    is_defined = np.where(d_q > 0, selected, 0)
    return {
        "n_selected": n_selected,
        "n_undefined": n_undefined,
        "tcap": mean(scores, n_selected - n_undefined),
        "tcap_zero": mean(scores, n_selected),
        "tcap_baseline": cap_baseline(classes.target_shares[classes.cells.t], is_defined),
    }


def _of_people(classes: KeyClasses, pool: Pool) -> dict[str, Any]:
    """Raab's TCAP and Little's, in percent: out of those matched, and of those determined.

    Notes
    -----
    TCAP_raab = 100 sum(d_tq | ps_tq = 1) / N_d_both (Raab 2024, equation 13), correct_if_determined
    the same over sum(d_q | some ps_tq = 1), which is 100 DiSCO / DiS. Hence correct_if_determined
    >= TCAP_raab >= DiSCO. Baseline: the same targets stated of people taken at random.
    """
    matched = int(classes.d_tq[pool.matching > 0].sum())
    determined = int(classes.d_tq[pool.settled].sum())
    correct = int(classes.d_tq[pool.right].sum())
    shares = _shown_shares(classes, pool)[pool.settled]
    at_random = math.fsum(classes.d_tq[pool.settled] * shares)
    return {
        "tcap_raab": 100 * correct / matched if matched else None,
        "tcap_raab_baseline": 100 * at_random / matched if matched else None,
        "correct_if_determined": 100 * correct / determined if determined else None,
        "correct_if_determined_baseline": 100 * at_random / determined if determined else None,
        "n_determined": determined,
    }


def _shown_shares(classes: KeyClasses, pool: Pool) -> Floats:
    """For each cell of the original, the share of people with the target that its keys show.

    Only where the pool determines one.
    """
    shown = np.zeros(classes.keys.n_q, np.int64)
    seen = np.flatnonzero(pool.seen)
    shown[classes.cells.q_of(seen)] = classes.cells.t[seen]
    shares: Floats = classes.target_shares[shown[classes.q]]
    return shares

"""`unveil.differential_confidentiality`: is anybody recognised because their record was used?

Taub et al. (2018), section 4.3: split the people, make the copies from one part, and score both
parts against the same copies. A small t is no evidence that there is no difference; so beside the
paper's test stand the difference with an interval, and whether the interval lies inside a margin.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl

from unveil.count.scenario import Progress, silent
from unveil.errors import RolesError
from unveil.measure.confidentiality.bootstrap import interval
from unveil.measure.confidentiality.scores import (
    FIRST_COPY,
    INCLUDED,
    LEFT_OUT,
    Scored,
    scored_by_m,
)
from unveil.measure.confidentiality.settings import settings_asked
from unveil.measure.confidentiality.welch import difference, group_of, welch
from unveil.measure.opening import Opening, opened, sides_of
from unveil.measure.tabular import RowsResult
from unveil.read.roles import names
from unveil.records.confidentiality import (
    ConfidentialityRow,
    DifferentialConfidentiality,
    Nonmatch,
    NotMeasuredAt,
)

FEW = "a group has fewer than two scores"
CONSTANT = "the scores vary in neither group"
FEW_CLASSES = "a group has people in fewer than two key combinations"
NOBODY_FOUND = "nobody of this group has keys that occur in the copies"


class ConfidentialityResult(RowsResult[DifferentialConfidentiality]):
    """Included against left out by m; printing it never shows a record of the data."""

    def frame(self) -> pl.DataFrame:
        """One row for each m, unrounded; the interval as two columns, its low end and its high."""
        counts = ("m", "n_included", "n_left_out", "n_match_included", "n_match_left_out")
        rows = [row.flat() for row in self.record.rows]
        kinds = {name: pl.Int64() if name in counts else pl.Float64() for name in rows[0]}
        return pl.DataFrame(rows, schema={**kinds, "equivalent": pl.Boolean()})


def differential_confidentiality(
    included: Any,
    left_out: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    target: str | Iterable[str],
    nonmatch: Nonmatch = "zero",
    margin: float | None = None,
    confidence: float = 0.95,
    n_bootstrap: int = 2000,
    seed: int | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> ConfidentialityResult:
    """Compare how often people are recognised whose records were used, and whose were not.

    Parameters
    ----------
    included
        The records that the copies were made from, in any of the forms of `unveil.disclosure`.
    left_out
        Records of the same kind that were not used; `unveil.split` makes both.
    synthetic
        One copy, or a list of copies, which are pooled one after the other: m = 1, 2, ...
    keys, missing_values, progress
        As in `unveil.disclosure`.
    target
        What would be guessed: one column, or several taken jointly.
    nonmatch
        What a person counts whose keys are in no copy: "zero", as in the paper's Table 4, or
        "undefined", which leaves them out.
    margin
        The difference, as a share, below which it would not matter, such as 0.02: two points.
    confidence, n_bootstrap, seed
        Of the bootstrap interval. Without a seed one is drawn; the record holds it.

    Returns
    -------
    ConfidentialityResult
        `.rows`, one for each m: n_included, n_left_out, n_match_included, n_match_left_out,
        mean_included, mean_left_out, difference, t, df, p, interval, equivalent.

    Notes
    -----
    A person's score is CAP_s: the share of the synthetic rows with their keys that have their
    target. `equivalent` is True only where the whole interval lies inside (-margin, margin); an
    interval of 95 % makes that a test at 2.5 % on each side. Fewer than two scores in a group: only
    the means and their difference. Scores that vary in neither group: no t, df, p nor interval.

    References
    ----------
    Taub et al. (2018), section 4.3 and Table 4. Errata: footnote 7 gives the degrees of freedom of
    another test (see `welch`); equation 6 conditions on the wrong key (see `scores`).
    """
    progress = progress or silent
    settings = settings_asked(nonmatch, margin, confidence, n_bootstrap, seed)
    target_names = names(target, "Target")
    if not target_names:
        raise RolesError("No target is given. Name the column that an intruder would guess.")
    opening = opened(
        sides_of(synthetic, **{"included": included, "left out": left_out}),
        keys=keys,
        targets=target_names,
        missing_values=missing_values,
        progress=progress,
    )
    return ConfidentialityResult(_record(opening, settings, progress))


def _record(
    opening: Opening, settings: dict[str, Any], progress: Progress
) -> DifferentialConfidentiality:
    scenario = opening.scenario
    n_copies = len(scenario.sides.rows) - FIRST_COPY
    rows, lacking = [], []
    for m, scored in enumerate(scored_by_m(scenario), start=1):
        progress(f"comparing with {m} pooled", m - 1, n_copies)
        row = _row(m, scored, settings)
        rows.append(row)
        lacking += list(_lacking(row, scored, settings))
    return DifferentialConfidentiality(
        files=opening.files,
        keys=scenario.key_names,
        target=scenario.target_names,
        **settings,
        n_included=scenario.sides.rows[INCLUDED],
        n_left_out=scenario.sides.rows[LEFT_OUT],
        n_synthetic=scenario.sides.rows[FIRST_COPY:],
        rows=tuple(rows),
        coercions=opening.notes,
        not_measured=tuple(lacking),
    )


def _row(m: int, every: Scored, settings: dict[str, Any]) -> ConfidentialityRow:
    scored = every if settings["nonmatch"] == "zero" else every.without_nonmatches()
    a, b = (group_of(scored.people.score, n) for n in scored.people.n)
    test = welch(a, b)
    ends = None
    if test is not None:
        ends = interval(
            scored.classes,
            confidence=settings["confidence"],
            n_bootstrap=settings["n_bootstrap"],
            seed=settings["seed"],
            m=m,
        )
    n_match = every.people.n_match
    return ConfidentialityRow(
        m=m,
        n_included=a.n,
        n_left_out=b.n,
        n_match_included=n_match[INCLUDED],
        n_match_left_out=n_match[LEFT_OUT],
        mean_included=a.mean,
        mean_left_out=b.mean,
        difference=difference(a, b),
        t=None if test is None else test.t,
        df=None if test is None else test.df,
        p=None if test is None else test.p,
        interval=ends,
        equivalent=_is_inside(ends, settings["margin"]),
    )


def _is_inside(ends: tuple[float, float] | None, margin: float | None) -> bool | None:
    """Whether the interval lies inside the margin, its ends outside; None without one of them."""
    if ends is None or margin is None:
        return None
    low, high = ends
    return -margin < low and high < margin


def _lacking(
    row: ConfidentialityRow, scored: Scored, settings: dict[str, Any]
) -> Iterator[NotMeasuredAt]:
    """The fields of a row that could not be measured, each with its reason."""
    reasons: dict[str, str] = {}
    for group in ("included", "left_out"):
        if getattr(row, f"mean_{group}") is None:
            reasons[f"mean_{group}"] = reasons["difference"] = NOBODY_FOUND
    why = FEW if min(row.n_included, row.n_left_out) < 2 else CONSTANT
    reasons |= dict.fromkeys(("t", "df", "p", "interval"), why) if row.t is None else {}
    if row.interval is None and row.t is not None:
        reasons["interval"] = FEW_CLASSES
    if row.interval is None and settings["margin"] is not None:
        reasons["equivalent"] = reasons["interval"]
    for field, reason in reasons.items():
        yield NotMeasuredAt(m=row.m, field=field, reason=reason)

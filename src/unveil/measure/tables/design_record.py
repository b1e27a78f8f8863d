"""Curves of many tables and schemes, as the record that leaves the measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from unveil.measure.tables.batch import Floats
from unveil.measure.tables.design_tables import Named
from unveil.measure.tables.grid import Counts
from unveil.measure.tables.rounding import hellinger
from unveil.measure.tables.schemes import Published, parse_scheme
from unveil.records.design import BandRow, RoundingComparison, SchemeRow, SchemeSummary

EDGES = np.arange(1, 10) / 10


@dataclass(frozen=True)
class Settings:
    """What is asked of every table and scheme."""

    n_max: int
    threshold: float
    total: bool
    draws: int
    seed: int


@dataclass(frozen=True)
class Drawn:
    """One table under one draw of a scheme."""

    lower: Floats
    upper: Floats
    published: Sequence[Published]  # of the cells
    complete: bool


def comparison(
    named: Named,
    drawn: Mapping[str, Sequence[Sequence[Drawn]]],
    settings: Settings,
    *,
    margins: tuple[str, ...],
    notes: tuple[str, ...],
) -> RoundingComparison:
    """All rows, bands and summaries; `drawn` has for each scheme and table its draws."""
    rows: list[SchemeRow] = []
    bands: list[BandRow] = []
    summaries: list[SchemeSummary] = []
    for scheme, of_tables in drawn.items():
        made = [
            _row(name, counts, scheme, draws, settings.threshold)
            for (name, (_, counts)), draws in zip(named.items(), of_tables, strict=True)
        ]
        rows += made
        bands += _bands(scheme, made)
        summaries.append(_summary(scheme, made))
    return RoundingComparison(
        schemes=tuple(drawn),
        margins=margins,
        total=settings.total,
        n_max=settings.n_max,
        threshold=settings.threshold,
        draws=settings.draws,
        seed=settings.seed if any(parse_scheme(one).draws for one in drawn) else None,
        n_tables=len(named),
        summaries=tuple(summaries),
        rows=tuple(rows),
        bands=tuple(bands),
        notes=notes,
    )


def _row(
    name: str, counts: Counts, scheme: str, draws: Sequence[Drawn], threshold: float
) -> SchemeRow:
    lower = np.mean([one.lower for one in draws], axis=0)
    upper = np.mean([one.upper for one in draws], axis=0)
    middle = [(one.lower + one.upper) / 2 for one in draws]
    true = counts.tolist()
    losses = [_loss(true, one.published) for one in draws]
    return SchemeRow(
        table=name,
        scheme=scheme,
        N=int(counts.sum()),
        n_cells=len(true),
        n_draws=len(draws),
        first_risk=_first(np.any([one.lower > 0 for one in draws], axis=0)),
        passes=_first(lower > threshold),
        lower=tuple(lower.tolist()),
        upper=tuple(upper.tolist()),
        spread=tuple(np.std(middle, axis=0).tolist()),
        complete=all(one.complete for one in draws),
        mean_absolute=_mean([absolute for absolute, _, _ in losses]),
        hellinger=_mean([distance for _, distance, _ in losses]),
        n_suppressed=sum(suppressed for _, _, suppressed in losses) / len(draws),
    )


def _loss(
    true: Sequence[int], published: Sequence[Published]
) -> tuple[float | None, float | None, int]:
    """Mean absolute and Hellinger distance of the published cells, and how many are not."""
    cells = [(c, p) for c, p in zip(true, published, strict=True) if isinstance(p, int)]
    absolute = sum(abs(c - p) for c, p in cells) / len(cells) if cells else None
    distance = hellinger([c for c, _ in cells], [p for _, p in cells])
    return absolute, distance, len(true) - len(cells)


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean of those that are measured; None where none is."""
    measured = [value for value in values if value is not None]
    return fsum(measured) / len(measured) if measured else None


def _first(holds: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> int | None:
    places = np.flatnonzero(holds)
    return int(places[0]) if len(places) else None


def _bands(scheme: str, rows: Sequence[SchemeRow]) -> list[BandRow]:
    """The paper's Table 3: exactly 0, ten bands closed on the left, exactly 1."""
    lower, upper = (
        _band(np.array([getattr(r, side) for r in rows])) for side in ("lower", "upper")
    )
    made = []
    for n in range(lower.shape[1]):
        tally = np.bincount(lower[:, n], minlength=12).tolist()
        made.append(
            BandRow(
                scheme=scheme,
                n=n,
                zero=tally[0],
                bands=tuple(tally[1:11]),
                one=tally[11],
                n_open=int((lower[:, n] != upper[:, n]).sum()),
            )
        )
    return made


def _band(values: Floats) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    inner = 1 + np.searchsorted(EDGES, values, side="right")
    return np.where(values <= 0, 0, np.where(values >= 1, 11, inner)).astype(np.int64)


def _summary(scheme: str, rows: Sequence[SchemeRow]) -> SchemeSummary:
    leaving = [row.first_risk for row in rows if row.first_risk is not None]
    passing = [row.passes for row in rows if row.passes is not None]
    return SchemeSummary(
        scheme=scheme,
        n_tables=len(rows),
        first_risk=min(leaving, default=None),
        passes=min(passing, default=None),
        n_passing=len(passing),
        mean_sap=tuple(np.mean([row.lower for row in rows], axis=0).tolist()),
        mean_absolute=_mean([row.mean_absolute for row in rows]),
        hellinger=_mean([row.hellinger for row in rows]),
    )

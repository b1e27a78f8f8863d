"""`unveil.compare_schemes`: which scheme? The risk that each leaves, and what is lost.

Smith and Elliot (2008), section 2.4 and Table 3.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta

from unveil.arguments import Form, Part, SecretSeed, Texts, as_names
from unveil.counts.cells import Floats
from unveil.errors import InputError
from unveil.progress import steps
from unveil.results import Chart, Count, Figure, Heading, Note, Number, Result, Row, Share
from unveil.tables.call import as_tables, on_tables
from unveil.tables.published import PublishedTable
from unveil.tables.samples import Risk
from unveil.tables.sap import known_people
from unveil.tables.schemes import parse_scheme

Tables = Annotated[Any, Form("a published table, or several", "FILE", list)]
BANDS = ("0", *(f"{low / 10:.1f} to {low / 10 + 0.1:.1f}" for low in range(10)), "1")


class SchemeRow(Row, frozen=True):
    """One scheme over all tables: means over its draws, then over tables."""

    scheme: str
    tables: Annotated[int, Count("tables compared")]
    first_above: Annotated[
        int | None, Count("fewest people known with which SAP is above the threshold in a table")
    ]
    above: Annotated[int, Count("tables in which it is above then")]
    all_above: Annotated[int | None, Count("the same in every table")]
    passing: Annotated[int, Count("tables not above it when the most people are known")]
    SAP: Annotated[float, Share("mean over tables, with the most people known")]
    change: Annotated[Figure, Number("mean difference of a published cell from its count")]
    hellinger: Annotated[Figure, Share("distance between shares of counts and published values")]
    suppressed: Annotated[float, Number("mean number of hidden cells of a table")]


class RiskRow(Row, frozen=True):
    """How many tables have a SAP in a band (Table 3 of the paper)."""

    scheme: str
    people: Annotated[int, Count("people known, drawn at random")]
    band: str
    tables: Annotated[int, Count("tables with SAP in the band, its left edge included")]


class SchemeComparison(Result, frozen=True, kw_only=True):
    """Schemes side by side."""

    title: ClassVar[str] = "Comparison of schemes"
    drawings: ClassVar[dict[str, Chart]] = {
        "schemes": Chart(
            spec="schemes", table="schemes", title="Risk and loss by scheme",
            columns={"label": "scheme", "x": "change", "y": "SAP", "hidden": "suppressed"},
        )
    }  # fmt: skip

    schemes: Annotated[
        tuple[SchemeRow, ...],
        Heading(
            "Risk and loss by scheme",
            (
                "scheme",
                "tables",
                "first_above",
                "all_above",
                "passing",
                "SAP",
                "change",
                "suppressed",
            ),
            True,
        ),
    ]
    risk: Annotated[tuple[RiskRow, ...], Heading("Tables by SAP")]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(f"{row.scheme}: {self._risk(row)}" for row in self.schemes)

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences

    def _risk(self, row: SchemeRow) -> str:
        threshold, most = self.settings["threshold"], max(r.people for r in self.risk)
        if row.first_above is None:
            return f"SAP is at most {threshold:g} with up to {known_people(most)}."
        above = f"SAP is above {threshold:g}"
        if row.tables == 1:
            return f"{above} from {known_people(row.first_above)} on."
        every = (
            f"in all from {row.all_above:,}" if row.all_above is not None
            else f"not in all with {most:,}"
        )  # fmt: skip
        return (
            f"{above} in {row.above:,} of {row.tables:,} tables with"
            f" {known_people(row.first_above)}, {every}."
        )


@on_tables
def compare_schemes(
    tables: Tables, schemes: Texts, *, threshold: Part = 0.05,
    draws: Annotated[int, Meta(ge=1, le=1000)] = 20,
    people: Annotated[int, Meta(ge=1, le=1000)] = 24, seed: SecretSeed = None,
) -> SchemeComparison:  # fmt: skip
    """Compare the risk that schemes leave in the same tables, and what is lost.

    Parameters
    ----------
    tables
        One published table or several: their counts, and which margins are published.
    schemes
        What is compared: conventional:3, conventional:5, random:3.
    threshold
        The SAP that is still accepted.
    draws
        How often schemes that draw are drawn for each table.
    people
        The most people who are known.
    seed
        Of the draws. Keep it secret.
    """
    measured = as_tables(tables)
    if not measured or len(measured) < len(tables if isinstance(tables, list | tuple) else [1]):
        raise InputError("'tables' takes a PublishedTable, or a list of them.")
    if not (names := as_names(schemes)):
        raise InputError("'schemes' names what is compared: conventional:3, random:3.")
    for scheme in names:
        parse_scheme(scheme)
    assert isinstance(seed, int)
    rows, bands, loose = [], list[RiskRow](), 0
    for scheme in steps("schemes", names):
        parsed = parse_scheme(scheme)
        curves, losses = [], []
        for number, table in enumerate(measured):
            drawn = [
                table.republish(scheme, seed=(seed + 7919 * (number * draws + k)) % 2**32)
                for k in range(draws if parsed.is_drawn else 1)
            ]
            risks_of, exact = zip(*(_curve(one, people) for one in drawn), strict=True)
            curves.append(np.mean(risks_of, axis=0))
            loose += exact.count(False)
            losses += [_loss(one) for one in drawn]
        risks = np.array(curves)
        above = (risks > threshold).sum(axis=0)
        first = _first(above > 0)
        change, hellinger, hidden = np.array(losses, np.float64).T
        rows.append(SchemeRow(
            scheme=str(parsed), tables=len(measured), first_above=first,
            above=0 if first is None else int(above[first]),
            all_above=_first(above == len(measured)), passing=int(len(measured) - above[people]),
            SAP=float(risks[:, people].mean()), change=_mean(change), hellinger=_mean(hellinger),
            suppressed=float(hidden.mean()),
        ))  # fmt: skip
        bands += _band_rows(str(parsed), risks)
    late = f"Of {loose:,} drawn tables SAP is an upper bound: its search ended."
    notes = (Note(about="SAP", sentence=late),) if loose else ()
    return SchemeComparison(schemes=tuple(rows), risk=tuple(bands), notes=notes)


def _curve(table: PublishedTable, people: int) -> tuple[Floats, bool]:
    """SAP(0) to SAP(people), of more people than there are of all; and whether it is exact.

    Never below the truth.
    """
    risk = Risk(table.system, table.events(len(table.dims), {}), None, people)
    bounds = risk.curve()
    curve = [float(value) for value in bounds.upper]
    return np.array([*curve, *curve[-1:] * (people + 1 - len(curve))]), bounds.is_exact


def _loss(table: PublishedTable) -> tuple[float, float, float]:
    """The mean change of published cells, the Hellinger distance of their shares, those hidden."""
    counts, values = table.counts, table.parts[table.dims].shown
    assert counts is not None
    is_shown = ~np.isnan(values)
    c, v = counts[is_shown], values[is_shown]
    if not c.sum() or not v.sum():
        return (float(np.abs(v - c).mean()) if len(c) else np.nan), np.nan, float((~is_shown).sum())
    p, q = c / c.sum(), v / v.sum()
    hellinger = np.sqrt(max(0.0, 1 - float(np.sqrt(p * q).sum())))
    return float(np.abs(v - c).mean()), float(hellinger), float((~is_shown).sum())


def _mean(values: Floats) -> Figure:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _first(is_so: Sequence[bool]) -> int | None:
    places = np.flatnonzero(is_so)
    return int(places[0]) if len(places) else None


def _band_rows(scheme: str, risks: Floats) -> Iterator[RiskRow]:
    band = np.floor(risks * 10 + 1e-9).astype(np.int64) + 1
    band = np.where(risks == 0, 0, np.where(risks == 1, len(BANDS) - 1, np.minimum(band, 10)))
    for people, of_people in enumerate(band.T):
        for name, tables in zip(BANDS, np.bincount(of_people, minlength=len(BANDS)), strict=True):
            yield RiskRow(scheme=scheme, people=people, band=name, tables=int(tables))

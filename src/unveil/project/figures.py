"""Which figures of a run can a limit be held against? One row for each, out of the records."""

import json
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from unveil.assessment.alerts import highest_tied_percent, real_percent
from unveil.assessment.assess_release import value_share
from unveil.assessment.limits import adds_of
from unveil.records.alerts import GateEvidence
from unveil.records.attacks import Attacks, Membership
from unveil.records.base import Record
from unveil.records.cap import Gtcap
from unveil.records.count_tables import Sap
from unveil.records.disclosure import AttributeRow, Disclosure, Excess, IdentityRow
from unveil.records.judgement import FigureRow
from unveil.records.protection import Protection
from unveil.records.publication_plan import PublicationPlan
from unveil.records.recognition import Recognition
from unveil.records.run import Kind, RunPart
from unveil.records.uniques import MatchRisk, Suda
from unveil.records.utility import PairTables, Utility

IDENTITY = ("UiO", "UiS", "UiOiS", "repU")
ATTRIBUTE = ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO", "CAPd", "CAPs", "DCAP", "TCAP")
_BESIDE = {"DiSCO": "Dorig", "DiSDiO": "Dorig", "DCAP": "CAPd", "UiOiS": "UiO", "repU": "UiO"}
"""What the original alone gives away, beside what the copy does."""

Row = dict[str, Any]


def list_figures(part: RunPart, record: Record, copy: int | None = None) -> tuple[FigureRow, ...]:
    """The figures in the record of a part; `copy` is the one that an attack was made on.

    Means over copies are no figures here: what one copy gives away is not undone by another.
    """
    rows = _KINDS.get(part.kind, _no_rows)(record, copy)
    if isinstance(record, Disclosure):
        rows = chain(rows, _sensitive(part, record))
    where: Row = {"part": part.name, "scenario": part.scenario, "target": part.target}
    return tuple(FigureRow(**{**where, **row}) for row in rows)


def _no_rows(record: Any, copy: int | None) -> Iterator[Row]:
    yield from ()


def _gate(record: GateEvidence, copy: int | None) -> Iterator[Row]:
    for row in record.whole:
        share = real_percent(row)
        yield {"measure": "real_records", "copy": row.copy, "value": share}
        yield {"measure": "tied", "copy": row.copy, "value": highest_tied_percent(record, row.copy)}


def _sensitive(part: RunPart, record: Disclosure) -> Iterator[Row]:
    """Of each sensitive value the share of people disclosed with it, correctly or wrongly."""
    declared = json.loads(part.settings).get("sensitive", {})
    for row in record.by_value:
        if row.level is not None and row.level in declared.get(row.target, ()):
            value = value_share(row, record.n_original)
            where = {"target": row.target, "subject": row.level, "copy": row.copy}
            yield {"measure": "sensitive", **where, "value": value}


def _disclosure(record: Disclosure, copy: int | None) -> Iterator[Row]:
    for row in record.identity:
        for measure in IDENTITY if row.copy != "mean" else ():
            yield _beside(record, row, measure, None)
    for one in record.attribute:
        for measure in ATTRIBUTE if one.copy != "mean" else ():
            yield _beside(record, one, measure, one.target)
        if one.copy != "mean":
            low, high = adds_of(record, one.target, one.copy)
            where = {"target": one.target, "copy": one.copy}
            yield {"measure": "adds", **where, "value": low, "high": high}


def _beside(
    record: Disclosure, row: IdentityRow | AttributeRow, measure: str, target: str | None
) -> Row:
    other = _BESIDE.get(measure)
    return {
        "copy": row.copy,
        **({} if target is None else {"target": target}),
        "measure": measure,
        "value": record.highest(row, measure, target),
        "companion": None if other is None else record.highest(row, other, target),
    }


def _gtcap(record: Gtcap, copy: int | None) -> Iterator[Row]:
    for row in record.copies:
        if row.copy != "mean":
            yield {"measure": "GTCAP", "copy": row.copy, "value": row.mean}


def _suda(record: Suda, copy: int | None) -> Iterator[Row]:
    of_people = 0.0 if record.people is None else record.people.percent
    yield {"measure": "unique", "value": max(100 * record.n_uniques / record.n_records, of_people)}


def _match_risk(record: MatchRisk, copy: int | None) -> Iterator[Row]:
    of_people = None if record.people is None else record.people.global_risk
    yield {"measure": "match_risk", "value": max(record.global_risk, of_people or 0.0)}


def _excess(record: Excess, copy: int | None) -> Iterator[Row]:
    for row in record.rows:
        if row.copy != "mean":
            value = row.R_after if record.exclude else row.R
            where = {"target": row.target, "subject": row.measure, "copy": row.copy}
            yield {"measure": "R", **where, "value": value}


def _attacks(record: Attacks, copy: int | None) -> Iterator[Row]:
    for row in record.rows if record.n_control is not None else ():  # without, there is no R
        if row.group is None:
            where = {"target": row.target, "subject": row.attack, "copy": copy}
            yield {"measure": "R", **where, "value": row.R}


def _membership(record: Membership, copy: int | None) -> Iterator[Row]:
    yield {"measure": "membership", "copy": copy, "value": record.headline.advantage}


def _recognition(record: Recognition, copy: int | None) -> Iterator[Row]:
    yield {"measure": "AUC", "value": record.auc_mean}
    yield {"measure": "recognised", "value": record.percent_recognised}
    yield {"measure": "epsilon", "value": record.epsilon}


def _utility(record: Utility, copy: int | None) -> Iterator[Row]:
    for row in record.rows:
        yield {"measure": "S_pMSE", "copy": row.copy, "value": row.S_pMSE}
        yield {"measure": "pMSE", "copy": row.copy, "value": row.pMSE}


def _tables(record: PairTables, copy: int | None) -> Iterator[Row]:
    for row in record.rows:
        pair = " x ".join(row.variables)
        yield {"measure": "S_pMSE", "subject": pair, "copy": row.copy, "value": row.S_pMSE}


def _sap(record: Sap, copy: int | None) -> Iterator[Row]:
    for n, upper in zip(record.n, record.upper, strict=True):
        yield {"measure": "SAP", "subject": f"n = {n}", "value": upper}


def _plan(record: PublicationPlan, copy: int | None) -> Iterator[Row]:
    """What is not settled may be disclosed: it counts. No figure where not all was looked at."""
    n_recovered = record.n_recovered + record.n_open
    for measure, n in (("recovered", n_recovered), ("near", n_recovered + record.n_near)):
        yield {"measure": measure, "value": n if record.complete else None}


def _protection(record: Protection, copy: int | None) -> Iterator[Row]:
    for reason in record.reasons:
        worst = None if reason.ecap is None else reason.ecap.worst
        yield {"measure": "ECAP", "subject": reason.column, "value": worst}


_KINDS: dict[Kind, Callable[[Any, int | None], Iterator[Row]]] = {
    "gate": _gate,
    "disclosure": _disclosure,
    "gtcap": _gtcap,
    "suda": _suda,
    "match_risk": _match_risk,
    "excess": _excess,
    "singling_out": _attacks,
    "linkability": _attacks,
    "inference": _attacks,
    "membership": _membership,
    "recognition": _recognition,
    "utility": _utility,
    "tables": _tables,
    "sap": _sap,
    "plan": _plan,
    "protection": _protection,
}

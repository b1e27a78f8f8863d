"""What do all checks of a release come to? One list of alerts, and an exit code.

The same list is shown by `disclosure`, `run`, `decide`, the report, JSON and Python. An alert that
a named person accepted for these very files stays on the list and no longer counts; what no one may
accept for an open audience always does.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Literal, cast

from msgspec.structs import replace

from unveil.assessment.alerts import Limits, exit_code, gate_alerts, once_each, percent
from unveil.assessment.key_set_alerts import key_set_alerts, list_unexamined
from unveil.errors import SettingsError, hint_at, list_names, quote_text
from unveil.records.alerts import Acceptance, Alert, Assessment, GateEvidence, NotTested
from unveil.records.disclosure import AttributeRow, Disclosure, GroupRow, ValueRow
from unveil.records.judgement import Audience, LimitCheck
from unveil.records.limits import MEASURES, Verdict
from unveil.records.person import PersonColumn

FEWEST = 50
"""People from whom a share can be told."""
HARDLY_MATCHED = 1.0
"""Percent of people whose keys occur in the synthetic data, below which nothing was compared."""
CLEARLY, SIGMAS = 0.75, 4.0
"""A guess is worse than at the baseline below so much of them, by so many standard errors."""
_COMPARE = "Compare how both files code these columns, or record that they code them alike."
SENSITIVE = (1.0, 5.0)
"""Percent of the people with a sensitive value, and of the others: review, block."""


def check_of(verdict: Verdict) -> LimitCheck:
    """A verdict on one scenario, as a figure beside its limit."""
    limit = float(verdict.limit)
    return LimitCheck(
        measure=verdict.measure,
        part="disclosure",
        target=verdict.target,
        copy=verdict.copy,
        value=None if verdict.value is None else float(verdict.value),
        review=limit,
        limit=limit,
        status=verdict.status,
    )


def assess_release(
    evidence: GateEvidence,
    *,
    disclosures: Sequence[tuple[str | None, Disclosure]] = (),
    breaches: Sequence[LimitCheck] = (),
    limits: Limits | None = None,
    sensitive: Mapping[str, Sequence[str]] | None = None,
    acceptances: Sequence[Acceptance] = (),
    files_sha256: str | None = None,
    audience: Audience | None = None,
    more: Sequence[Alert] = (),
    not_tested: Sequence[NotTested] = (),
    is_gate: bool = True,
) -> Assessment:
    """All alerts of a release, those that were accepted marked so.

    Parameters
    ----------
    evidence
        What the checks of the files counted.
    disclosures, breaches
        The scenarios that were measured, by name, and their figures above a limit.
    limits
        Limits of the custodian, review and limit; `real_records`, `tied` and `sensitive` replace
        ours, that of DiSCO is held against groups.
    sensitive
        Values that were declared sensitive, by target.
    acceptances, files_sha256, audience
        What people accepted, the files it has to be for, and who gets the data.
    more, not_tested
        What a project adds: columns without a role, parts that failed.
    is_gate
        Whether a limit was set; without one there is no verdict.
    """
    limits = limits or {}
    records = [record for _, record in disclosures]
    told = {(one.measure, one.target, one.scenario) for one in breaches}
    found = once_each(
        (
            *gate_alerts(evidence, limits),
            *_sensitive_alerts(records, sensitive or {}, limits),
            *_group_alerts(records, limits),
            *_person_alerts(evidence.undeclared),
            *_unlike_alerts(records),
            *more,
            *(
                alert
                for name, record in disclosures
                for alert in key_set_alerts(record, limits, told, name)
            ),
            *limit_alerts(breaches),
        )
    )
    alerts = tuple(_apply_acceptance(one, acceptances, files_sha256, audience) for one in found)
    code = exit_code(alerts) if is_gate else 0
    return Assessment(
        evidence=evidence,
        alerts=alerts,
        not_tested=(
            *evidence.not_tested,
            *not_tested,
            *dict.fromkeys(one for record in records for one in list_unexamined(record, limits)),
        ),
        files_sha256=files_sha256,
        is_gate=is_gate,
        exit_code=cast(Literal[0, 3, 4], code),
    )


def limit_alerts(breaches: Iterable[LimitCheck]) -> Iterator[Alert]:
    """One alert for each measure and target above its limit: the worst copy and scenario."""
    worst: dict[str, LimitCheck] = {}
    counts: dict[str, int] = {}
    for one in breaches:
        name = f"limit:{one.measure}" + (f":{one.target}" if one.target is not None else "")
        if one.scenario is not None:
            name += f"@{one.scenario}"
        known, counts[name] = worst.get(name), counts.get(name, 0) + 1
        if known is None or (one.value or 0) > (known.value or 0):
            worst[name] = one
    for name, one in worst.items():
        several = f" {counts[name]:,} such figures in all." if counts[name] > 1 else ""
        yield Alert(
            id=name,
            kind="limit",
            columns=() if one.target is None else (one.target,),
            figure=one.value,
            expected=one.companion,
            status="block",
            sentence=_limit_sentence(one) + several,
            action="Protect the data further, or accept this figure by name and with a reason.",
        )


def _limit_sentence(one: LimitCheck) -> str:
    of = one.target if one.target is not None else one.subject
    which = f" ({one.subject})" if one.measure == "R" and one.target is not None else ""
    what = one.measure + which if of is None else f"{one.measure}{which} of {of}"
    where = f" ({one.scenario})" if one.scenario is not None else ""
    if one.value is None:
        why = "" if one.reason is None else f": {one.reason.rstrip('.')}"
        return f"{what}{where} could not be measured{why}. Its limit counts as exceeded."
    is_percent = MEASURES[one.measure].unit == "percent"
    shown = percent(one.value) if is_percent else f"{one.value:.3g}"
    copy = ""
    if one.copy == "pooled":
        copy = " with all synthetic files pooled"
    elif isinstance(one.copy, int) and one.copy > 1:
        copy = f" in synthetic file {one.copy}"
    unit = " %" if is_percent else ""
    return f"{what}{where} is {shown}{copy}, above the limit of {one.limit or 0:g}{unit}."


def _sensitive_alerts(
    disclosures: Sequence[Disclosure], sensitive: Mapping[str, Sequence[str]], limits: Limits
) -> Iterator[Alert]:
    _, limit = limits.get("sensitive", SENSITIVE)  # whatever is disclosed is to be reviewed
    worst: dict[tuple[str, str], tuple[float, ValueRow, int]] = {}
    for record in disclosures:
        for row in record.by_value:
            if row.level is None or row.level not in sensitive.get(row.target, ()):
                continue
            figure = value_share(row, record.n_original)
            key = (row.target, row.level)
            if key not in worst or figure > worst[key][0]:
                worst[key] = figure, row, record.n_original
    for (target, level), (figure, row, n_original) in worst.items():
        if not row.n_correct and not row.n_wrong:
            continue
        yield Alert(
            id=f"sensitive:{target}={level}",
            kind="sensitive_value",
            columns=(target,),
            level=level,
            figure=figure,
            expected=0.0,
            status="block" if figure > limit else "review",
            sentence=(
                f"{target} = {level}: {row.n_correct:,} of {row.n_people:,} people with this value"
                f" ({percent(_share(row.n_correct, row.n_people))}) would be disclosed correctly,"
                f" and {row.n_wrong:,} of {n_original - row.n_people:,} others would be shown with"
                " it wrongly."
            ),
            action="Coarsen the keys, or protect this variable; a wrong value can harm, too.",
        )


def _group_alerts(disclosures: Sequence[Disclosure], limits: Limits) -> Iterator[Alert]:
    """Groups above the limit of DiSCO that all others do not predict: of each, the worst target."""
    if "DiSCO" not in limits:
        return
    worst: dict[tuple[str, str], GroupRow] = {}
    for record in disclosures:
        for row in record.by_group:
            group = (row.key, row.level or "missing")
            known = worst.get(group)
            if row.percent > limits["DiSCO"][1] and (known is None or row.p < known.p):
                worst[group] = row
    for (key, level), row in worst.items():
        yield Alert(
            id=f"group:{key}={level}",
            kind="group",
            columns=(key, row.target),
            level=level,
            figure=row.percent,
            expected=row.expected,
            status="decide",
            sentence=(
                f"{key} = {level}: {row.target} would be disclosed correctly for"
                f" {row.n_correct:,} of {row.n_people:,} people (DiSCO {percent(row.percent)},"
                f" above the limit of {limits['DiSCO'][1]:g} %);"
                f" {percent(row.expected)} would be expected."
            ),
            action="Check how the records of this group were made, or protect it further.",
        )


def _person_alerts(person: PersonColumn | None) -> Iterator[Alert]:
    """That rows were counted, where a column that repeats says whose they are."""
    if person is None:
        return
    yield Alert(
        id=f"person:{person.column}",
        kind="person",
        columns=(person.column,),
        status="decide",
        sentence=f"{person.column} {person.counts}. Figures count rows, not people.",
        action=(
            f"Declare whose row it is: --person {person.column}, or person = "
            f'"{person.column}" under [roles] in project.toml. If every row is a person, declare'
            " none."
        ),
    )


def _unlike_alerts(disclosures: Sequence[Disclosure]) -> Iterator[Alert]:
    """Figures that say less than no data would: keys or a target may be coded differently."""
    for record in disclosures:
        rows = [row for row in record.attribute if isinstance(row.copy, int) and row.iS is not None]
        found = [row.iS or 0.0 for row in rows]
        if found and record.n_original >= FEWEST and max(found) < HARDLY_MATCHED:
            yield Alert(
                id=f"unmatched:{'+'.join(record.keys)}",
                kind="coding",
                columns=record.keys[:3],
                figure=max(found),
                status="decide",
                sentence=(
                    f"The keys of {percent(max(found))} of people occur in the synthetic data (iS),"
                    " so hardly anything was measured. Are the keys coded alike?"
                ),
                action=_COMPARE,
            )
            continue
        yield from (_worse_than_guessing(row) for row in rows if _is_worse(row, record))


def _is_worse(row: AttributeRow, record: Disclosure) -> bool:
    """Whether matched people are guessed clearly worse than at the baseline (DCAP, baseCAPd)."""
    if row.DCAP is None or row.baseCAPd is None or not row.iS or record.exclude:
        return False
    n_matched = record.n_original * row.iS / 100
    guess, base = row.DCAP / row.iS, row.baseCAPd / 100
    error = (base * (1 - base) / n_matched) ** 0.5
    return n_matched >= FEWEST and guess < CLEARLY * base and base - guess > SIGMAS * error


def _worse_than_guessing(row: AttributeRow) -> Alert:
    guess = 100 * (row.DCAP or 0.0) / (row.iS or 100.0)
    return Alert(
        id=f"worse-than-guessing:{row.target}",
        kind="coding",
        columns=(row.target,),
        figure=guess,
        expected=row.baseCAPd,
        status="decide",
        sentence=(
            f"A guess of {row.target} among matching synthetic records is correct for"
            f" {percent(guess)} of matched people; at the baseline it would be for"
            f" {percent(row.baseCAPd or 0.0)} (baseCAPd). Is {row.target} coded alike?"
        ),
        action=_COMPARE,
    )


def value_share(row: ValueRow, n_original: int) -> float:
    """Percent of the people with a value disclosed correctly, or of others shown with it."""
    return max(_share(row.n_correct, row.n_people), _share(row.n_wrong, n_original - row.n_people))


def _share(n: float, of: float) -> float:
    return 100 * n / of if of else 0.0


def _apply_acceptance(
    alert: Alert,
    acceptances: Sequence[Acceptance],
    files_sha256: str | None,
    audience: Audience | None,
) -> Alert:
    """The alert with its acceptance; or with why one that was given does not count."""
    mine = [one for one in acceptances if one.alert == alert.id]
    bound = [one for one in mine if one.files_sha256 and one.files_sha256 == files_sha256]
    if bound and not is_barred(alert, audience):
        return replace(alert, accepted=bound[-1])
    if bound:
        return replace(alert, void=unacceptable_reason(alert))
    return replace(alert, void=other_files_reason(mine[-1])) if mine else alert


def other_files_reason(one: Acceptance) -> str:
    """Why an acceptance does not count that was given for other files."""
    return f"{one.by} accepted {one.alert} for other files: this does not apply to these files."


def unacceptable_reason(alert: Alert) -> str:
    """Why no one can accept an alert."""
    return (
        f"{alert.id} cannot be accepted: for an open audience no one can accept identifiers or real"
        " records."
    )


def check_acceptances(
    ids: Iterable[str], alerts: Sequence[Alert], audience: Audience | None
) -> None:
    """Refuse to accept what is no alert, or what no one may accept."""
    known = {one.id: one for one in alerts}
    for id_ in ids:
        if id_ not in known:
            still = [one.id for one in alerts if one.accepted is None]
            there = f"Open are: {list_names(still, most=20)}." if still else "No alert is open."
            raise SettingsError(
                f"There is no alert {quote_text(id_)}.{hint_at(id_, still)} {there}"
            )
        if is_barred(known[id_], audience):
            raise SettingsError(unacceptable_reason(known[id_]))


def is_barred(alert: Alert, audience: Audience | None) -> bool:
    """Whether no one may accept it: identifiers and real records, for an open audience."""
    is_grave = alert.status == "block" and alert.kind in ("identifier", "real_records")
    return is_grave and audience == "open"


def files_hash(digests: Iterable[str]) -> str:
    """One SHA-256 for all files of a release, from theirs in the order original, synthetic, ..."""
    return sha256("\n".join(digests).encode()).hexdigest()

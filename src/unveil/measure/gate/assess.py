"""`unveil.assess`: is there anything in these files that stands against their release?

Limits on figures are half of an answer: this looks at what is being released. The checks and their
thresholds are in docs/gate.md.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import polars as pl

from unveil.arguments import quote_value
from unveil.assessment.alerts import Limits
from unveil.assessment.assess_release import Breach, assess_release, check_acceptances, files_hash
from unveil.assessment.key_set_alerts import LIMITED
from unveil.assessment.limits import LIMITABLE, check_limits, is_limit_exceeded, read_pairs
from unveil.assessment.summarise import summarise_disclosure
from unveil.errors import SettingsError, list_names, nearest
from unveil.io.table import Table
from unveil.measure.disclosure.disclosure import check_settings, disclosure
from unveil.measure.disclosure.result import DisclosureResult
from unveil.measure.gate.evidence import (
    NOT_COUNTED,
    SAMPLE_THEM,
    DeclaredRoles,
    Files,
    gather_counted,
    gather_evidence,
)
from unveil.measure.gate.recoded_columns import ScenarioKeys
from unveil.records.alerts import Acceptance, Alert, Assessment
from unveil.records.disclosure import Disclosure
from unveil.records.judgement import Audience
from unveil.records.limits import Verdict
from unveil.records.summary import Summary
from unveil.study.people import NONE
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import Study
from unveil.study.take_study import takes_study
from unveil.view.show import Result


@dataclass(frozen=True, repr=False)
class AssessResult(Result):
    """The alerts of a release, and what was not tested; printing it shows no record of the data."""

    record: Assessment
    disclosure: DisclosureResult | None = None
    _limits: Mapping[str, float] = field(default_factory=dict, repr=False)

    def summary(self) -> Summary:
        """One page: verdict, people at risk, what was not tested, what is to be decided.

        Raises
        ------
        SettingsError
            If no keys were given, so that no scenario was measured.
        """
        if self.disclosure is None:
            raise SettingsError("A summary needs a scenario: name what an intruder knows, keys=.")
        found = self.disclosure
        verdicts = check_limits(found.record, self._limits)
        return summarise_disclosure(
            found.record, assessment=self.record, verdicts=verdicts, sensitive=found.sensitive
        )


@takes_study
def assess(
    original: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str] | None = None,
    targets: str | Iterable[str] | None = None,
    control: Any = None,
    identifiers: str | Iterable[str] = (),
    person: str | None = None,
    sensitive: Mapping[str, Sequence[str]] | None = None,
    limits: Mapping[str, Any] | None = None,
    accept: Mapping[str, tuple[str, str]] | None = None,
    audience: Audience | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
    **settings: Any,
) -> AssessResult:
    """Look for real records, identifiers and exact values in synthetic data before their release.

    Parameters
    ----------
    original, synthetic
        As in `unveil.disclosure`.
    keys, targets
        A scenario, which is measured too and held against the limits; none where keys are None.
    control
        People of the same population whose records were not used: what reappears of theirs is what
        honest data would show.
    identifiers
        Columns that must not be released with real values, beyond those that are recognised.
    person
        The column that says whose row it is, as in `unveil.disclosure`; it is an identifier too.
        Where None is given and one is found, an alert says that rows were counted.
    sensitive
        Values of targets to be looked at one by one: ``{"hiv_test": ["positive"]}``.
    limits
        Percent of people, by measure: ``{"DiSCO": 5, "real_records": 5, "tied": 5}``; two numbers
        are review and limit.
    accept
        Alerts that a named person accepts for these files: ``{"near-copies": ("why", "who")}``.
    audience
        closed, registered or open. For an open audience no one can accept identifiers or real
        records.
    missing_values, progress, settings
        As in `unveil.disclosure`.

    Returns
    -------
    AssessResult
        `.alerts`, each with id, status (block, decide, review), figure, what is expected, sentence
        and action; `.not_tested`; `.exit_code`; `.evidence`; `.disclosure`.

    Notes
    -----
    Link, then look: synthetic records are linked to people by some columns, and what they show in
    another is compared with what a neighbour or a twin would have shown. See docs/gate.md.
    """
    progress = progress or no_progress
    wanted = read_pairs(limits or {})
    if keys is not None:
        check_settings(keys=keys, targets=targets, **settings)
    else:
        _check_idle({"targets": targets, "sensitive": sensitive, **settings}, wanted)
    if audience not in (None, *get_args(Audience)):
        raise SettingsError(
            f"audience is {quote_value(audience)}. Give closed, registered or open."
        )
    opened = Study.open(
        original, synthetic, control, missing_values=missing_values, progress=progress
    )
    found = None
    if keys is not None:
        found = disclosure(
            opened.original,
            opened.synthetic,
            keys=keys,
            targets=targets,
            sensitive=sensitive,
            person=person,
            missing_values=missing_values,
            progress=progress,
            **settings,
        ).with_expected(progress, has_parts=True)
    for name in sensitive or {}:
        if found is not None and name not in found.record.targets:
            raise SettingsError(
                f"{quote_value(name)} has sensitive values but is no target."
                f"{nearest(name, found.record.targets)} Name it among the targets."
            )
    digest = hash_study(opened)
    if found is not None and any(name in wanted for name in LIMITED):
        found = found.with_key_sets(progress)
    record = assess_files(
        Files(opened.files),
        None if found is None else found.record,
        limits=wanted,
        sensitive=sensitive,
        identifiers=names(identifiers, "Identifiers"),
        person=person,
        accept=_acceptances(accept or {}, digest),
        files_sha256=digest,
        audience=audience,
        progress=progress,
    )
    check_acceptances(accept or {}, record.alerts, audience)
    figures = {name: pair[1] for name, pair in wanted.items() if name in LIMITABLE}
    return AssessResult(record, found, figures)


def hash_study(study: Study) -> str:
    """One hash for all files: of their bytes, or of the content of frames."""
    return files_hash(map(_digest, study.paths, study.tables))


def assess_files(
    files: Files,
    record: Disclosure | None,
    *,
    limits: Limits,
    sensitive: Mapping[str, Sequence[str]] | None = None,
    identifiers: Sequence[str] = (),
    person: str | None = None,
    accept: Sequence[Acceptance] = (),
    files_sha256: str | None = None,
    audience: Audience | None = None,
    in_full: bool = True,
    is_gate: bool = True,
    progress: Progress = no_progress,
) -> Assessment:
    """Files that are read, and a scenario that is measured, held against limits."""
    if person not in (None, NONE) and person not in identifiers:
        identifiers = (*identifiers, person)  # whose row it is points at people
    files.original.check_columns(identifiers)
    compared = () if record is None else (*record.keys, *record.targets)
    scenarios = () if record is None else (ScenarioKeys(record.keys, record.targets),)
    roles = DeclaredRoles(
        identifiers=tuple(identifiers), compared=compared, scenarios=scenarios, person=person
    )
    evidence = gather_evidence(files, roles, in_full=in_full, progress=progress)
    figures = {name: pair[1] for name, pair in limits.items() if name in LIMITABLE}
    verdicts = check_limits(record, figures) if record is not None else ()
    return assess_release(
        evidence,
        disclosures=() if record is None else ((None, record),),
        breaches=[breach_of(one) for one in verdicts if is_limit_exceeded([one])],
        limits=limits,
        sensitive=sensitive,
        acceptances=accept,
        files_sha256=files_sha256,
        audience=audience,
        is_gate=is_gate,
    )


def assess_counted(
    result: DisclosureResult,
    *,
    limits: Limits,
    sensitive: Mapping[str, Sequence[str]] | None = None,
    audience: Audience | None = None,
    is_gate: bool = True,
) -> Assessment:
    """A scenario whose records an engine keeps, held against limits.

    It never passes: a release that copies people in what is no key and no target would, too.
    """
    record = result.record
    unchecked = Alert(
        id="records-not-compared",
        kind="unchecked",
        columns=(),
        status="decide",
        sentence=NOT_COUNTED,
        action=SAMPLE_THEM,
    )
    figures = {name: pair[1] for name, pair in limits.items() if name in LIMITABLE}
    verdicts = check_limits(record, figures)
    return assess_release(
        gather_counted(result),
        disclosures=((None, record),),
        breaches=[breach_of(one) for one in verdicts if is_limit_exceeded([one])],
        limits=limits,
        sensitive=sensitive,
        audience=audience,
        more=[unchecked],
        is_gate=is_gate,
    )


def breach_of(verdict: Verdict) -> Breach:
    """A verdict above its limit as what an alert is made of."""
    return Breach(verdict.measure, verdict.target, verdict.copy, verdict.value, verdict.limit)


def _check_idle(given: Mapping[str, Any], limits: Limits) -> None:
    """Refuse what has no effect without keys: it would look as if it had been held against."""
    idle = [name for name, value in given.items() if value]
    idle += [f"the limit of {name}" for name in limits if name not in ("real_records", "tied")]
    if idle:
        raise SettingsError(
            f"{list_names(idle)} cannot be assessed without keys. Name what an intruder knows: "
            "keys=."
        )


def _acceptances(given: Mapping[str, tuple[str, str]], digest: str) -> list[Acceptance]:
    made = []
    for alert, pair in given.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(pair):
            raise SettingsError(
                f'accept[{alert!r}] must be a reason and a name: ("why", "name, role").'
            )
        made.append(Acceptance(alert=alert, reason=pair[0], by=pair[1], files_sha256=digest))
    return made


def _digest(path: Path | None, table: Table) -> str:
    if path is not None and path.is_file():
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    frame = table.frame
    plain = [name for name in frame.columns if not _is_unread(frame[name].dtype)]
    return hashlib.sha256(frame[plain].write_csv().encode()).hexdigest()


def _is_unread(dtype: pl.DataType) -> bool:
    """Whether no measure compares values of this type: lists, records, objects."""
    return dtype.is_nested() or dtype in (pl.Binary, pl.Object)

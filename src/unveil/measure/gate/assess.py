"""`unveil.assess`: is there anything in these files that stands against their release?

Limits on figures are half of an answer: this looks at what is being released. The checks and their
thresholds are in docs/gate.md.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any, get_args

import polars as pl

from unveil.arguments import quote_value
from unveil.assessment.alerts import NOT_COUNTED, Limits, records_not_compared
from unveil.assessment.assess_release import assess_release, check_acceptances, check_of, files_hash
from unveil.assessment.key_set_alerts import LIMITED
from unveil.assessment.limits import LIMITABLE, check_limits, is_limit_exceeded, read_pairs
from unveil.assessment.summarise import summarise_disclosure
from unveil.errors import EngineError, SettingsError, hint_at, list_names
from unveil.io.table import Table
from unveil.measure.disclosure.disclosure import check_settings, disclosure
from unveil.measure.disclosure.result import DisclosureResult
from unveil.measure.gate.evidence import (
    SLOW,
    DeclaredRoles,
    Files,
    gather_evidence,
)
from unveil.measure.gate.recoded_columns import ScenarioKeys
from unveil.records.alerts import Acceptance, Alert, Assessment, GateEvidence, NotTested
from unveil.records.disclosure import Disclosure
from unveil.records.judgement import Audience
from unveil.records.summary import Summary
from unveil.study.choose_engine import choose_engine
from unveil.study.engine import EngineName, current_engine, use_engine
from unveil.study.open_scenario import open_in_engine
from unveil.study.people import NONE
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import Study, sides_of
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
    if engine_of(original, synthetic) != "memory":
        if control is not None:
            raise EngineError("A control sample needs the records in memory. Omit it.")
        scenario = {} if keys is None else {**settings, "keys": keys, "targets": targets}
        result, counted = assess_in_engine(
            original,
            synthetic,
            limits=wanted,
            settings={
                **scenario,
                "sensitive": sensitive,
                "person": person,
                "missing_values": missing_values,
            },
            identifiers=names(identifiers, "Identifiers"),
            acceptances=lambda digest: _acceptances(accept or {}, digest or ""),
            audience=audience,
            progress=progress,
        )
        check_acceptances(accept or {}, counted.alerts, audience)
        return AssessResult(counted, result, _figures(wanted))
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
                f"{hint_at(name, found.record.targets)} Name it among the targets."
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
    return AssessResult(record, found, _figures(wanted))


def _figures(limits: Limits) -> dict[str, float]:
    """The limits that are held against figures."""
    return {name: pair[1] for name, pair in limits.items() if name in LIMITABLE}


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
    roles = _declared(files.original, record, identifiers, person)
    return _assess_evidence(
        gather_evidence(files, roles, in_full=in_full, progress=progress),
        record,
        limits=limits,
        sensitive=sensitive,
        acceptances=accept,
        files_sha256=files_sha256,
        audience=audience,
        is_gate=is_gate,
    )


def _declared(
    original: Table, record: Disclosure | None, identifiers: Sequence[str], person: str | None
) -> DeclaredRoles:
    if person not in (None, NONE) and person not in identifiers:
        identifiers = (*identifiers, person)  # whose row it is points at people
    original.check_columns(identifiers)
    compared = () if record is None else (*record.keys, *record.targets)
    scenarios = () if record is None else (_scenario_of(record),)
    return DeclaredRoles(
        identifiers=tuple(identifiers), compared=compared, scenarios=scenarios, person=person
    )


def _scenario_of(record: Disclosure) -> ScenarioKeys:
    """Keys and targets, with their bands as they were cut."""
    cut = [one for one in record.bands if one.breaks]
    bands = {one.column: list(one.breaks) for one in cut}
    codes = {one.column: list(map(float, one.special_codes)) for one in cut if one.special_codes}
    return ScenarioKeys(
        record.keys, record.targets, {"bands": bands, "special_codes": codes} if bands else {}
    )


def _assess_evidence(
    evidence: GateEvidence, record: Disclosure | None, *, limits: Limits, **said: Any
) -> Assessment:
    """Evidence, and figures of a scenario, against limits."""
    verdicts = check_limits(record, _figures(limits)) if record is not None else ()
    return assess_release(
        evidence,
        disclosures=() if record is None else ((None, record),),
        breaches=[check_of(one) for one in verdicts if is_limit_exceeded([one])],
        limits=limits,
        **said,
    )


# Releases whose records an engine keeps.


def engine_of(original: Any, synthetic: Any) -> EngineName:
    """Where the records of these files are counted."""
    sides = sides_of(synthetic, original=original)
    return choose_engine([*sides.values()], current_engine(), by_counts=True)


def assess_in_engine(
    original: Any,
    synthetic: Any,
    *,
    limits: Limits,
    settings: Mapping[str, Any],
    identifiers: Sequence[str] = (),
    acceptances: Callable[[str | None], Sequence[Acceptance]] = lambda _: (),
    audience: Audience | None = None,
    is_gate: bool = True,
    progress: Progress = no_progress,
) -> tuple[DisclosureResult | None, Assessment]:
    """Measure, and hold against limits, a release whose records an engine keeps.

    `settings` are those of `unveil.disclosure`; without keys no scenario is measured. A check that
    could not be made stops the release: one that copies people would pass, too.
    """
    engine, now = engine_of(original, synthetic), current_engine()
    sides = sides_of(synthetic, original=original)
    missing, person = settings.get("missing_values", ()), settings.get("person")
    found, more, not_tested = None, [], []
    with use_engine(engine, memory=now.memory, spill=now.spill, address=now.address):
        if settings.get("keys") is not None:
            found = disclosure(original, synthetic, **settings, progress=progress)
            with suppress(EngineError):  # told among what was not tested
                found = found.with_expected(progress)
        record = None if found is None else found.record
        from unveil.measure.gate.engine_evidence import (
            bring_whole,
            gather_in_engine,
        )  # with its libraries

        try:
            files = open_in_engine(engine, sides, None, missing, ())
            roles = _declared(files[0], record, identifiers, person)
            brought = bring_whole(files)
            evidence = gather_in_engine(files, brought, roles, progress)
        except EngineError as fault:
            brought, evidence = None, _no_evidence(sides, record)
            not_tested.append(NotTested(what="check", sentence=f"{NOT_COUNTED} {fault}"))
        if not set(SLOW) <= set(evidence.checks):
            more.append(records_not_compared())
        if found is not None and any(name in limits for name in LIMITED):
            if brought is not None:
                whole = disclosure(brought.original, brought.synthetic, **settings)
                searched = whole.with_key_sets(progress).record.key_sets
                found = found.with_record(key_sets=searched)
            else:
                more += _count_key_sets((original, synthetic), found.record, limits, settings)
                keys = found.record.keys
                if (most := _most_keys(len(keys))) < len(keys) - 1:
                    text = f"Only sets of at most {most} of the keys were held against limits."
                    not_tested.append(NotTested(what="check", columns=keys[:3], sentence=text))
    digest = _hash_paths([*sides.values()])
    made = _assess_evidence(
        evidence,
        None if found is None else found.record,
        limits=limits,
        sensitive=settings.get("sensitive"),
        acceptances=acceptances(digest),
        files_sha256=digest,
        audience=audience,
        more=more,
        not_tested=not_tested,
        is_gate=is_gate,
    )
    return found, made


MOST_SETS = 16
"""Sets of keys that are counted by an engine, each by itself."""


def _no_evidence(sides: Mapping[str, Any], record: Disclosure | None) -> GateEvidence:
    """Nothing was looked at but the scenario."""
    return GateEvidence(
        files=() if record is None else record.files,
        n_original=0 if record is None else record.n_original,
        n_synthetic=(0,) * (len(sides) - 1) if record is None else record.n_synthetic,
        compared=() if record is None else (*record.keys, *record.targets),
        checks=(),
    )


def _most_keys(n_keys: int) -> int:
    """The size up to which all sets of so many keys, but for the whole, are counted."""
    sizes = range(1, n_keys)
    n_sets = [sum(comb(n_keys, one) for one in range(1, most + 1)) for most in sizes]
    return sum(n <= MOST_SETS for n in n_sets)


def _count_key_sets(
    files: tuple[Any, Any], record: Disclosure, limits: Limits, settings: Mapping[str, Any]
) -> Iterator[Alert]:
    """Limits against sets of the keys, each counted by itself; nothing is said about chance."""
    keys, targets = record.keys, record.targets
    figures: dict[str, float] = {name: limits[name][1] for name in LIMITED if name in limits}
    for size in range(1, _most_keys(len(keys)) + 1):
        for some in combinations(keys, size):
            asked: dict[str, Any] = {
                name: {one: way for one, way in given.items() if one in (*some, *targets)}
                for name in ("bands", "special_codes")
                if isinstance(given := settings.get(name), Mapping)
            }
            asked["missing_values"] = settings.get("missing_values", ())
            counted = disclosure(*files, keys=some, targets=targets, **asked).record
            for one in check_limits(counted, figures):
                if is_limit_exceeded([one]):
                    what = one.measure if one.target is None else f"{one.measure} of {one.target}"
                    name = f"keysets:{one.measure}" + (f":{one.target}" if one.target else "")
                    yield Alert(
                        id=name,
                        kind="key_sets",
                        columns=() if one.target is None else (one.target,),
                        figure=one.value,
                        status="decide",
                        sentence=(
                            f"{what}: an intruder who uses only {list_names(some)} reaches"
                            f" {one.value:.1f} %, above {one.limit:g} %. Whether chance would"
                            " show it was not tested."
                        ),
                        action="Look at the sets of keys; recode the keys that are named.",
                    )


def _hash_paths(sources: Sequence[Any]) -> str | None:
    """One hash for all files; None where some are no files."""
    paths = [Path(os.fsdecode(one)) for one in sources if isinstance(one, str | os.PathLike)]
    if len(paths) < len(sources) or not all(one.is_file() for one in paths):
        return None
    return files_hash(map(_digest_file, paths))


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
        return _digest_file(path)
    frame = table.frame
    plain = [name for name in frame.columns if not _is_unread(frame[name].dtype)]
    return hashlib.sha256(frame[plain].write_csv().encode()).hexdigest()


def _digest_file(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_unread(dtype: pl.DataType) -> bool:
    """Whether no measure compares values of this type: lists, records, objects."""
    return dtype.is_nested() or dtype in (pl.Binary, pl.Object)

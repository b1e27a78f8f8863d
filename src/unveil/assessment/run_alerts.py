"""What stands against the release of a run? The alerts of its files, its limits and its roles.

The gate's evidence and the figures of the run go through `assess_release`, as everywhere. A project
adds columns that no one gave a role, and what it knows was not tested.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from unveil.assessment.alerts import (
    format_names,
    gate_alerts,
    records_not_compared,
    unchecked_alert,
)
from unveil.assessment.assess_release import assess_release, files_hash, other_files_reason
from unveil.assessment.key_set_alerts import LIMITED
from unveil.errors import list_names
from unveil.records.alerts import Acceptance, Alert, Assessment, GateEvidence, NotTested
from unveil.records.disclosure import Disclosure
from unveil.records.judgement import Audience, Limit, LimitCheck
from unveil.records.limits import GATE
from unveil.records.protection import GivenBack
from unveil.records.run import Run

MOST_ALONE = 3
"""So many columns without a role have an alert each; more of them have one together."""
BY_ROW = ("exclusion_table", "cap", "tcap", "gtcap", "sap")
"""Measures of risk that know no people with several rows."""
_HASHED = ("original", "synthetic", "control")


@dataclass(frozen=True)
class GateStatements:
    """What the gate counted, and what else the project knows of what is being released."""

    evidence: GateEvidence | None = None  # None: the gate was not measured
    with_role: frozenset[str] = frozenset()  # columns with a role, or in a scenario
    ignored: frozenset[str] = frozenset()  # of these, those that are left alone by role
    identifiers: frozenset[str] = frozenset()  # and those that must not be released
    needs_fraction: bool = False  # a match risk was measured without a sampling fraction
    given_back: tuple[GivenBack, ...] = ()  # columns that a step protected and others undo
    n_close_after: int = 0  # rows, or people, too close to an original again after the filter


def digest_of(run: Run) -> str:
    """One hash for the files of a run: original, synthetic data, control sample."""
    return files_hash(file.sha256 for role in _HASHED for file in run.files if file.role == role)


def run_alerts(
    run: Run,
    gate: GateStatements,
    figures: Sequence[LimitCheck],
    disclosures: Sequence[tuple[str, Disclosure]],
    *,
    limits: Mapping[str, Limit],
    sensitive: Mapping[str, Sequence[str]],
    acceptances: Sequence[Acceptance],
    audience: Audience | None,
) -> Assessment:
    """All alerts of a run, and what was not tested; `limits` are those in force."""
    evidence = gate.evidence or GateEvidence(
        files=(), n_original=run.n_original or 0, n_synthetic=(), compared=(), checks=()
    )
    pairs = {name: (one.review, one.limit) for name, one in limits.items()}
    return assess_release(
        evidence,
        disclosures=disclosures,
        breaches=[*filter(_is_breach, figures)],
        limits=pairs,
        sensitive=sensitive,
        acceptances=acceptances,
        files_sha256=digest_of(run),
        audience=audience,
        more=(
            *_without_role(evidence, gate, pairs),
            *_unknown_identifiers(evidence, gate),
            *_given_back(gate.given_back),
            *_undone_filter(gate.n_close_after),
            *_recovered_counts(run, pairs),
            *_recognised_people(run, pairs),
            *_uncounted(run, gate.evidence, disclosures, pairs),
        ),
        not_tested=tuple(_list_not_tested(run, gate)),
    )


def void_of(
    acceptances: Sequence[Acceptance], alerts: Sequence[Alert], digest: str
) -> tuple[str, ...]:
    """What people accepted and what does not count, in sentences."""
    told = [one.void for one in alerts if one.void is not None]
    known = {one.id for one in alerts}
    for one in acceptances:
        if one.files_sha256 != digest:
            told.append(other_files_reason(one))
        elif one.alert not in known:
            told.append(f"There is no alert {one.alert}: what {one.by} accepted has no effect.")
    return tuple(dict.fromkeys(told))


def _is_breach(one: LimitCheck) -> bool:
    """Whether a figure does not meet its limit; what the gate's checks tell is told there."""
    return one.status == "not measured" or (one.status == "above" and one.measure not in GATE)


def _without_role(
    evidence: GateEvidence, gate: GateStatements, limits: Mapping[str, tuple[float, float]]
) -> Iterator[Alert]:
    """Columns of the synthetic data that no one gave a role, unless an alert asks already."""
    theirs = (row.column for row in evidence.copied)
    asked = {
        one.columns[0]
        for one in gate_alerts(evidence, limits)
        if one.kind in ("extra_column", "identifier") and one.status != "review"
    }
    alone = [
        name
        for name in dict.fromkeys((*evidence.compared, *theirs))
        if name not in gate.with_role and name not in asked
    ]
    if len(alone) > MOST_ALONE:
        yield _role_alert("roles", alone)
    else:
        for name in alone:
            yield _role_alert(f"roles:{name}", [name])


def _role_alert(id_: str, columns: Sequence[str]) -> Alert:
    several = len(columns) > 1
    return Alert(
        id=id_,
        kind="roles",
        columns=tuple(columns[:MOST_ALONE]),
        status="decide",
        sentence=(
            f"{format_names(columns)} {'have' if several else 'has'} no role: it is not stated"
            f" whether {'they identify' if several else 'it identifies'} people, or what an"
            f" intruder could learn by {'them' if several else 'it'}."
        ),
        action=(
            f"Add {'them' if several else 'it'} under [roles] in project.toml: identifier, key,"
            " target, weight or ignore."
        ),
    )


def _unknown_identifiers(evidence: GateEvidence, gate: GateStatements) -> Iterator[Alert]:
    """Identifiers by role that the original does not have: no one can tell if they are real."""
    for name in dict.fromkeys(row.column for row in evidence.copied):
        if name in gate.identifiers and name not in evidence.compared:
            yield Alert(
                id=f"identifier:{name}",
                kind="identifier",
                columns=(name,),
                status="decide",
                sentence=(
                    f"{name} has the role identifier and is only in the synthetic data, so it is"
                    " unknown whether its values are real."
                ),
                action=(
                    "Remove the column from the synthetic data, or state why its values are new."
                ),
            )


def _given_back(found: Sequence[GivenBack]) -> Iterator[Alert]:
    """Protected columns that published ones give back; dropping may only have spared a column."""
    for one in found:
        concerned = format_names(one.sources or (one.column,))
        yield Alert(
            id=f"given-back:{one.column}",
            kind="given_back",
            columns=(one.column, *one.sources)[:MOST_ALONE],
            figure=100 * one.share,
            expected=100 * one.expected,
            status="review" if one.by == "drop" or one.kind == "rounding" else "block",
            sentence=one.sentence,
            action=f"Change the steps of protect that concern {concerned}.",
        )


def _undone_filter(n_close: int) -> Iterator[Alert]:
    """Rows that steps after the distance filter brought back to originals."""
    if n_close:
        yield Alert(
            id="undone:distance_filter",
            kind="given_back",
            columns=(),
            figure=n_close,
            status="review",
            sentence=(
                f"Steps after the distance filter brought {n_close:,} synthetic"
                f" {'record' if n_close == 1 else 'records'} so close to an original again that it"
                " would refuse them."
            ),
            action="Set repair = true for the filter and protect again, or choose less noise.",
        )


def _recovered_counts(run: Run, limits: Mapping[str, object]) -> Iterator[Alert]:
    """Counts that a publication plan discloses, where no limit on them would say so."""
    found = [one for one in run.figures if one.measure == "recovered" and one.value != 0]
    for one in found if "recovered" not in limits else ():
        of = "count" if one.value == 1 else "counts"
        n = of if one.value is None else f"{one.value:,.0f} {of}"
        yield Alert(
            id="plan:recovered",
            kind="plan",
            columns=(),
            status="decide",
            sentence=f"The tables of the publication plan disclose {n} together, or may do so.",
            action="Look at them with unveil plan, and accept a limit: recovered=0,0.",
        )


def _recognised_people(run: Run, limits: Mapping[str, object]) -> Iterator[Alert]:
    """What recognition found, where no limit on it would say so."""
    found = {one.measure: one.value for one in run.figures if one.measure in RECOGNITION}
    auc = found.get("AUC")
    if auc is None or any(name in limits for name in RECOGNITION):
        return
    recognised = found.get("recognised")
    also = "" if recognised is None else f"; {recognised:.0f} % are recognised, by chance 1 %"
    yield Alert(
        id="recognition",
        kind="recognition",
        columns=(),
        status="review",
        sentence=(
            "No limit covers recognition of single people: a release made with a person tested is"
            f" told from one without in {100 * auc:.0f} % of pairs, a guess in 50 %{also}."
        ),
        action="Accept a limit on AUC, recognised or epsilon.",
    )


def _uncounted(
    run: Run,
    evidence: GateEvidence | None,
    disclosures: Sequence[tuple[str, Disclosure]],
    limits: Mapping[str, object],
) -> Iterator[Alert]:
    """What an engine did not count and might disclose: it lets nothing pass by itself."""
    if run.engine == "memory":
        return
    if evidence is not None and "near-copies" not in evidence.checks:
        yield records_not_compared()
    several = [name for name, one in disclosures if len(one.keys) > 1 and not one.key_sets]
    if several and any(name in limits for name in LIMITED):
        yield unchecked_alert(
            "key-sets-not-counted",
            "An intruder who uses only some of the keys was not held against the limits:"
            f" {format_names(several)}.",
            "Run unveil keysets on random samples of the files that memory holds.",
        )


RECOGNITION = ("AUC", "recognised", "epsilon")
NO_RECOGNITION = (
    "Membership of single people: whether an intruder who can rerun the synthesiser recognises them"
    " was not tested. Ask for it with [recognition] in project.toml."
)


def _list_not_tested(run: Run, gate: GateStatements) -> Iterator[NotTested]:
    yield from _unmeasured_parts(run)
    if run.n_synthetic and not any(part.kind == "recognition" for part in run.parts):
        yield NotTested(what="recognition", sentence=NO_RECOGNITION)
    if gate.evidence is not None:
        yield from _note_row_counts(run, gate.evidence)
        ignored = tuple(name for name in gate.evidence.compared if name in gate.ignored)
        if ignored:
            yield NotTested(
                what="columns",
                columns=ignored,
                sentence="ignored by role: what an intruder could learn of them was not measured.",
            )
    if gate.needs_fraction:
        yield NotTested(
            what="sampling",
            sentence=(
                "The sampling fraction is unknown, so no probability of a correct match (DIS) is"
                " quoted. Declare it with sampling_fraction under [data] in project.toml."
            ),
        )


def _note_row_counts(run: Run, evidence: GateEvidence) -> Iterator[NotTested]:
    """Measures that count rows although people are declared, where people have several rows."""
    kinds = dict.fromkeys(part.kind for part in run.parts if part.kind in BY_ROW)
    if kinds and any(one.what == "person" for one in evidence.not_tested):
        yield NotTested(what="part", sentence=f"Counted rows, not people: {list_names(kinds)}.")


def _unmeasured_parts(run: Run) -> Iterator[NotTested]:
    """The parts that are not measured, those of one kind together, with the first reason."""
    failed = [part for part in run.parts if part.state == "not measured"]
    for kind in dict.fromkeys(part.kind for part in failed):
        mine = [part for part in failed if part.kind == kind]
        why = (mine[0].reason or "no reason is known").split("\n")[0].rstrip(".")
        names = format_names([part.name for part in mine])
        yield NotTested(what="part", sentence=f"Not measured: {names}. {why}.")

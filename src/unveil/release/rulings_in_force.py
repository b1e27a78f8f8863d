"""Which rulings decide what is left out? One on a pair goes before one on all pairs."""

from collections.abc import Iterator, Sequence

from unveil.protection.plan import Fault
from unveil.protection.plan_lines import Lines
from unveil.records.exclusions import Exclusion
from unveil.release.finding_names import FindingName, finding_of
from unveil.release.model import ExcludeEntry, ProjectFile, RulingEntry


def ruled(project: ProjectFile, scenario: str, *, accept: bool) -> list[FindingName]:
    """What was ruled common knowledge in a scenario, or to be kept."""
    found = [finding_of(one.finding) for one in project.rulings if one.accept is accept]
    return [one for one in found if one.scenario == scenario]


def kept_pairs(project: ProjectFile, scenario: str) -> list[str]:
    """Pairs that are kept although all pairs of their target are common knowledge."""
    whole = [one.target for one in ruled(project, scenario, accept=True) if one.is_whole_target]
    kept = ruled(project, scenario, accept=False)
    return [
        one.exclusion.text
        for one in kept
        if one.exclusion is not None and one.exclusion.rule == "pair" and one.target in whole
    ]


def contradicted(
    exclusion: Exclusion, scenario: str | None, rulings: Sequence[RulingEntry]
) -> Iterator[int]:
    """The places of rulings that keep what an exclusion would leave out."""
    for place, one in enumerate(rulings):
        name = finding_of(one.finding)
        is_here = scenario in (None, name.scenario)
        if not one.accept and is_here and name.exclusion == exclusion:
            yield place


def contradictions(
    excludes: Sequence[ExcludeEntry], rulings: Sequence[RulingEntry], text: str
) -> Iterator[Fault]:
    """Each `[[exclude]]` that leaves out what a `[[ruling]]` keeps, with the lines of both."""
    lines = Lines(text)
    for place, entry in enumerate(excludes):
        for number in contradicted(entry.exclusion, entry.scenario, rulings):
            finding = finding_of(rulings[number].finding)
            yield Fault(
                ("exclude", place),
                f"{entry.exclusion.text!r} is left out here, and kept as a risk in scenario"
                f" {finding.scenario!r} by the [[ruling]] of line {lines.of('ruling', number)}."
                " Take one of the two out.",
            )


def overruled(project: ProjectFile, scenario: str) -> Iterator[str]:
    """Pairs that somebody kept, and whose whole level is left out: told, because it wins."""
    named = [one.exclusion for one in ruled(project, scenario, accept=True) if one.exclusion]
    named += [one.exclusion for one in project.excludes if one.scenario in (None, scenario)]
    levels = {(one.target, one.level) for one in named if one.rule == "level"}
    for one in ruled(project, scenario, accept=False):
        pair = one.exclusion
        if pair is not None and pair.rule == "pair" and (pair.target, pair.level) in levels:
            yield (
                f"A pair of {one.target!r} was ruled to be kept in scenario {scenario!r}, but its"
                " whole level is left out as common knowledge, and the pair with it."
            )

"""Which rulings are in force, and which flag does each of them name?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unveil.errors import SettingsError, quote_text
from unveil.project.model import ExcludeEntry, ProjectFile, RulingEntry
from unveil.project.toml import Lines
from unveil.protection.plan import FileError
from unveil.records.exclusions import Exclusion
from unveil.study.exclusion_rules import parse_exclusions

# Which flag does a ruling name? "SCENARIO/EXCLUSION", or "SCENARIO/TARGET two-way".


TWO_WAY = " two-way"
_FORMS = "Write scenario/target=level, or scenario/target=level@key=level."


@dataclass(frozen=True)
class FlagName:
    """The name of a flag, taken apart."""

    scenario: str
    target: str
    exclusion: Exclusion | None  # None: all pairs of the target

    @property
    def is_whole_target(self) -> bool:
        """Whether it stands for all pairs of one target."""
        return self.exclusion is None


def parse_flag_name(text: str) -> FlagName:
    """The parts of a name, or a refusal; whether the scenario is there is not looked at."""
    scenario, slash, rest = text.partition("/")
    if not slash or not scenario.strip() or not rest.strip():
        raise SettingsError(f"the flag {quote_text(text)} cannot be read. {_FORMS}")
    try:
        (exclusion,) = parse_exclusions(rest)
    except SettingsError:
        if rest.endswith(TWO_WAY) and rest != TWO_WAY:
            return FlagName(scenario, _bare(rest.removesuffix(TWO_WAY)), None)
        raise SettingsError(f"the flag {quote_text(text)} cannot be read. {_FORMS}") from None
    if exclusion.rule not in ("level", "pair") or exclusion.target is None:
        raise SettingsError(
            f"the flag {quote_text(text)} is a rule, not a flag. {_FORMS} A rule belongs in"
            " [[exclude]]."
        )
    return FlagName(scenario, exclusion.target, exclusion)


def _bare(target: str) -> str:
    """A target without the quotes that its name may need."""
    if len(target) > 1 and target[0] == target[-1] == '"':
        return target[1:-1].replace('""', '"')
    return target


# Which rulings decide what is excluded? One on a pair goes before one on all pairs.


def list_rulings(project: ProjectFile, scenario: str, *, accept: bool) -> list[FlagName]:
    """What was ruled common knowledge in a scenario, or to be kept."""
    found = [parse_flag_name(one.finding) for one in project.rulings if one.accept is accept]
    return [one for one in found if one.scenario == scenario]


def list_kept_pairs(project: ProjectFile, scenario: str) -> list[str]:
    """Pairs that are kept although all pairs of their target are common knowledge."""
    whole = [
        one.target for one in list_rulings(project, scenario, accept=True) if one.is_whole_target
    ]
    kept = list_rulings(project, scenario, accept=False)
    return [
        one.exclusion.text
        for one in kept
        if one.exclusion is not None and one.exclusion.rule == "pair" and one.target in whole
    ]


def contradicted_rulings(
    exclusion: Exclusion, scenario: str | None, rulings: Sequence[RulingEntry]
) -> Iterator[int]:
    """The places of rulings that keep what an exclusion would exclude."""
    for place, one in enumerate(rulings):
        name = parse_flag_name(one.finding)
        is_here = scenario in (None, name.scenario)
        if not one.accept and is_here and name.exclusion == exclusion:
            yield place


def contradictions(
    excludes: Sequence[ExcludeEntry], rulings: Sequence[RulingEntry], text: str
) -> Iterator[FileError]:
    """Each `[[exclude]]` that excludes what a `[[ruling]]` keeps, with the lines of both."""
    lines = Lines(text)
    for place, entry in enumerate(excludes):
        for number in contradicted_rulings(entry.exclusion, entry.scenario, rulings):
            flag = parse_flag_name(rulings[number].finding)
            yield FileError(
                ("exclude", place),
                f"{entry.exclusion.text!r} is excluded here and kept as a residual risk in"
                f" scenario {flag.scenario!r} by the [[ruling]] of line"
                f" {lines.of('ruling', number)}. Remove one of the two.",
            )


def overruled_notes(project: ProjectFile, scenario: str) -> Iterator[str]:
    """Pairs that a person kept, and whose whole level is excluded: told, because it wins."""
    named = [one.exclusion for one in list_rulings(project, scenario, accept=True) if one.exclusion]
    named += [one.exclusion for one in project.excludes if one.scenario in (None, scenario)]
    levels = {(one.target, one.level) for one in named if one.rule == "level"}
    for one in list_rulings(project, scenario, accept=False):
        pair = one.exclusion
        if pair is not None and pair.rule == "pair" and (pair.target, pair.level) in levels:
            yield (
                f"A pair of {one.target!r} was ruled to be kept in scenario {scenario!r}, but its"
                " whole level is excluded as common knowledge, and the pair with it."
            )

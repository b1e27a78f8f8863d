"""Which finding does a ruling name? "SCENARIO/EXCLUSION", or "SCENARIO/TARGET two-way"."""

from dataclasses import dataclass

from unveil.errors import SettingsError, quoted
from unveil.read.exclusions import parse_exclusions
from unveil.records.exclusions import Exclusion

TWO_WAY = " two-way"
_FORMS = "Write scenario/target=level, or scenario/target=level@key=level."


@dataclass(frozen=True)
class FindingName:
    """The name of a finding, taken apart."""

    scenario: str
    target: str
    exclusion: Exclusion | None  # None: all pairs of the target

    @property
    def is_whole_target(self) -> bool:
        """Whether it stands for all pairs of one target."""
        return self.exclusion is None


def finding_of(text: str) -> FindingName:
    """The parts of a name, or a refusal; whether the scenario is there is not looked at."""
    scenario, slash, rest = text.partition("/")
    if not slash or not scenario.strip() or not rest.strip():
        raise SettingsError(f"the finding {quoted(text)} cannot be read. {_FORMS}")
    try:
        (exclusion,) = parse_exclusions(rest)
    except SettingsError:
        if rest.endswith(TWO_WAY) and rest != TWO_WAY:
            return FindingName(scenario, _bare(rest.removesuffix(TWO_WAY)), None)
        raise SettingsError(f"the finding {quoted(text)} cannot be read. {_FORMS}") from None
    if exclusion.rule not in ("level", "pair") or exclusion.target is None:
        raise SettingsError(
            f"the finding {quoted(text)} is a rule, not a finding. {_FORMS} A rule stands in"
            " [[exclude]]."
        )
    return FindingName(scenario, exclusion.target, exclusion)


def _bare(target: str) -> str:
    """A target without the quotes that its name may need."""
    if len(target) > 1 and target[0] == target[-1] == '"':
        return target[1:-1].replace('""', '"')
    return target

"""A scenario of a project counted from its files now, as a run would count it."""

from unveil.errors import SettingsError, listed, nearest
from unveil.measure.result import DisclosureResult
from unveil.release.measuring import Measuring
from unveil.release.model import ProjectFile
from unveil.release.planning import disclosure_settings
from unveil.release.sources import Inputs, hashed


def inputs_of(project: ProjectFile) -> Inputs:
    """The files of a project, each to be read once."""
    return Inputs(project, hashed(project))


def disclosure_of(
    project: ProjectFile, scenario: str, inputs: Inputs | None = None
) -> DisclosureResult:
    """Disclosure of one scenario under the exclusions in force; nothing is stored."""
    held = inputs or inputs_of(project)
    known = {one.name: one for one in project.scenarios}
    if scenario not in known:
        raise SettingsError(
            f"There is no scenario {scenario!r}.{nearest(scenario, [*known])} The scenarios are:"
            f" {listed(known)}."
        )
    return Measuring(held).disclosure(disclosure_settings(project, held, known[scenario]))

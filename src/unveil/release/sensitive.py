"""Which values of which targets did a project declare sensitive, as the data write them?

`[roles.sensitive] hiv_test = ["positive"]`. A value that nobody has, or a column that is no target,
would be counted nowhere: both are refused with their line.
"""

from collections.abc import Iterator

from unveil.count.codes import Column
from unveil.count.levels import code_of, label
from unveil.count.scenario import silent
from unveil.errors import InputError, RolesError
from unveil.measure.opening import opened, sides_of
from unveil.protection.plan import Fault
from unveil.protection.plan_faults import told_in_order
from unveil.protection.plan_lines import Lines
from unveil.read.banding import parse_bands
from unveil.read.given import shown
from unveil.release.model import Scenario
from unveil.release.planned import Planner


def sensitive_of(planner: Planner, scenario: Scenario) -> dict[str, list[str]]:
    """The sensitive levels of the targets of a scenario, as `by_value` writes them."""
    found = {}
    for target, texts in planner.project.roles.sensitive.items():
        column = _column(planner, scenario, target)
        if column is not None:
            codes = [code_of(column, text) for text in texts]
            levels = [label(column, code) for code in codes if code is not None]
            found[target] = [level for level in levels if level is not None]
    return {target: levels for target, levels in found.items() if levels}


def refuse_sensitive_faults(planner: Planner) -> None:
    """Refuse sensitive columns that are no target, and values that no file has."""
    faults = [*_faults(planner)] if planner.inputs.synthetic else []
    if faults:
        project = planner.project
        told = told_in_order(project.path.name, Lines(project.text), faults)
        raise RolesError("\n".join(told))


def _faults(planner: Planner) -> Iterator[Fault]:
    scenarios = planner.project.scenarios
    for target, texts in planner.project.roles.sensitive.items():
        path = ("roles", "sensitive", target)
        mine = [one for one in scenarios if target in planner.targets(one)]
        if not mine:
            yield Fault(
                path,
                f"{shown(target)} is a target of no scenario, so its values are not looked at. Name"
                " it among the targets of a [[scenario]].",
                RolesError,
            )
        for scenario in mine:
            column = _column(planner, scenario, target)
            for text in texts:
                if column is not None and code_of(column, text) is None:
                    yield Fault(
                        path,
                        f"nobody has the value {shown(text)} of {shown(target)}. Write a value as"
                        " the files have it.",
                        RolesError,
                    )


def _column(planner: Planner, scenario: Scenario, target: str) -> Column | None:
    """A target as the scenario compares it; None where it is none, or cannot be compared."""
    if target not in planner.targets(scenario):
        return None
    asked = planner.reading(scenario, [target])
    inputs = planner.inputs
    try:
        opening = opened(
            sides_of(inputs.copies, original=inputs.original),
            keys=[target],
            targets=(),
            missing_values=asked["missing_values"],
            bands=parse_bands(asked["bands"], asked["special_codes"]),
            progress=silent,
        )
    except InputError:  # told where the scenario is measured
        return None
    return opening.scenario.key_columns[0]

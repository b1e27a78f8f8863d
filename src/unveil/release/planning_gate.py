"""What does a project tell the gate of its columns? One part of a run, before all others."""

from unveil.release.planned import Planned, Planner


def gate_part(planner: Planner) -> Planned:
    """The checks of what is being released, with the roles that people gave."""
    roles, scenarios = planner.project.roles, planner.project.scenarios
    named = [name for one in scenarios for name in (*one.keys, *planner.targets(one))]
    weight = () if roles.weight is None else (roles.weight,)
    settings = {
        "identifiers": [name for name in roles.identifier if name in planner.inputs.columns],
        "compared": list(dict.fromkeys(named)),
        "others": [*weight, *roles.ignore],
        **planner.person,
        **planner.data,
    }
    return planner.part("gate", settings, planner.files("control"))

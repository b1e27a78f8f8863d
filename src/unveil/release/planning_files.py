"""Parts of a run that are about files as a whole: likeness, findings, tables, protection."""

from collections.abc import Iterator
from typing import Any

from unveil.records.run import Kind
from unveil.release.planned import Planned, Planner

_LIKENESS: tuple[Kind, ...] = ("utility", "tables", "compare", "projection")


def parts_of_files(planner: Planner) -> Iterator[Planned]:
    """The parts that belong to no scenario."""
    yield from _attacks(planner)
    yield from _likeness(planner)
    if planner.project.findings:
        settings = {
            "findings": [dict(one) for one in planner.project.findings],
            "special_codes": planner.codes(planner.inputs.columns),
            **planner.data,
        }
        yield planner.part("findings", settings, planner.files())
    yield from _tables(planner)
    yield from _protections(planner)


def _attacks(planner: Planner) -> Iterator[Planned]:
    """Attacks that know no keys, where some scenario asks for them.

    Singling out has a baseline of its own and needs no control sample; membership does.
    """
    control = planner.inputs.control
    known = planner.inputs.columns if control is None else control.whole.frame.columns
    common = [name for name in planner.inputs.shared if name in known]
    columns = [name for name in common if name not in planner.left_out]
    reading = {**planner.data, **planner.person}
    asked = {"columns": columns, "special_codes": planner.codes(columns), **reading}
    more: dict[Kind, dict[str, Any]] = {
        "singling_out": {"n_cols": max(min(3, len(columns)), 1)},
        **({"membership": {"n": planner.n_attacked}} if planner.has_control else {}),
    }
    wanted = [scenario.measures for scenario in planner.project.scenarios]
    for copy in planner.copies:
        files = planner.files("control", copy=copy)
        for kind, settings in more.items():
            if any(measures is None or kind in measures for measures in wanted):
                yield planner.part(kind, {**asked, **settings}, files, copy=copy)


def _likeness(planner: Planner) -> Iterator[Planned]:
    for copy in planner.copies:
        yield planner.part("structure", planner.data, planner.files(copy=copy), copy=copy)
    compared = [name for name in planner.inputs.shared if name not in planner.left_out]
    columns = compared if planner.left_out else None
    asked = {"columns": columns, "special_codes": planner.codes(compared), **planner.data}
    for kind in _LIKENESS:
        yield planner.part(kind, asked, planner.files())


def _tables(planner: Planner) -> Iterator[Planned]:
    seen: set[str] = set()
    for number, table in enumerate(planner.project.tables, start=1):
        label = str(table.get("name", number))
        label = f"{label} ({number})" if label in seen else label
        seen.add(label)
        settings = {name: value for name, value in table.items() if name != "name"}
        files = planner.inputs.of_roles("original", "labels")
        if "file" in table:
            every = planner.inputs.of_roles("table")
            files = tuple(file for file in every if file.path == str(table["file"]))
        else:
            settings |= planner.data
        yield planner.part("sap", settings, files, label=label)


def _protections(planner: Planner) -> Iterator[Planned]:
    for number, file in enumerate(planner.inputs.of_roles("protection"), start=1):
        label = None if number == 1 else str(number)
        settings = {"rows": list(planner.inputs.n_synthetic)}
        yield planner.part("protection", settings, (file,), label=label)

"""Do the files have the columns that a project file names? All that they lack is told at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from unveil.errors import RolesError
from unveil.measure.roles.person import NONE
from unveil.measure.utility.findings_asked import asked_of
from unveil.protection.plan import Fault
from unveil.protection.plan_faults import told_in_order
from unveil.protection.plan_lines import Lines
from unveil.read.given import is_list
from unveil.read.roles import absent
from unveil.records.exclusions import Exclusion
from unveil.release.fields import Path
from unveil.release.finding_names import finding_of
from unveil.release.model import ProjectFile, Scenario

Columns = Mapping[str, Sequence[str]]
"""The columns of each file, by what a sentence calls it; the original is the first."""


def refuse_data_faults(project: ProjectFile, columns: Columns) -> None:
    """Refuse a project whose files lack columns that it names.

    Parameters
    ----------
    columns
        By the name that a sentence has for a file (`Table.place`), its columns. The first is the
        original. Keys and named targets must be in every file; all else in the original.
    """
    found = [*_faults(project, columns)]
    if found:
        told = told_in_order(project.path.name, Lines(project.text), found)
        raise RolesError("\n".join(told))


def _faults(project: ProjectFile, columns: Columns) -> Iterator[Fault]:
    place, known = next(iter(columns.items()))
    original = {place: known}
    for path, names in _named_in_data(project):
        yield from _absent(path, names, original)
    others = {name for theirs in columns.values() for name in theirs}
    for role in ("identifier", "ignore"):  # may be said of what the synthetic data alone have
        named = [one for one in getattr(project.roles, role) if one != project.roles.person]
        absent_ones = [one for one in named if one not in others]
        yield from _absent(("roles", role), absent_ones, original)
    for number, scenario in enumerate(project.scenarios):
        yield from _of_scenario(("scenario", number), scenario, columns, original)
    for path, exclusion in _exclusions(project):
        names = [*([exclusion.target] if exclusion.target else []), *exclusion.keys]
        yield from _absent(path, names, original)
    for path, names in _named_in_results(project):
        yield from _absent(path, names, original)


def _named_in_data(project: ProjectFile) -> Iterator[tuple[Path, Iterable[str]]]:
    for name in ("special_codes", "types"):
        for column in getattr(project.data, name):
            yield ("data", name, column), [column]
    for role in ("key", "target"):
        yield ("roles", role), getattr(project.roles, role)
    for column in project.roles.sensitive:
        yield ("roles", "sensitive", column), [column]
    for role in ("weight", "person"):
        name = getattr(project.roles, role)
        if name is not None and (role, name) != ("person", NONE):
            yield ("roles", role), [name]


def _of_scenario(
    path: Path, scenario: Scenario, columns: Columns, original: Columns
) -> Iterator[Fault]:
    yield from _absent((*path, "keys"), scenario.keys, columns)
    yield from _absent((*path, "targets"), scenario.targets or (), columns)
    named = {*scenario.keys, *(scenario.targets or ())}
    for setting in ("bands", "radii"):
        for column in getattr(scenario, setting):
            if column not in named:  # what is named is told already
                yield from _absent((*path, setting, column), [column], original)


def _exclusions(project: ProjectFile) -> Iterator[tuple[Path, Exclusion]]:
    for number, entry in enumerate(project.excludes):
        yield ("exclude", number), entry.exclusion
    for number, ruling in enumerate(project.rulings):
        found = finding_of(ruling.finding)
        whole = Exclusion(rule="level", target=found.target, level="")
        yield ("ruling", number, "finding"), found.exclusion or whole


def _named_in_results(project: ProjectFile) -> Iterator[tuple[Path, Iterable[str]]]:
    for number, asked in enumerate(asked_of(project.findings) if project.findings else ()):
        formula = asked.formula
        outcome = None if formula is None else formula.outcome
        yield (
            ("finding", number),
            [
                *asked.columns,
                *([outcome] if isinstance(outcome, str) else []),
                *(() if formula is None else formula.names),
            ],
        )
    for number, table in enumerate(project.tables):
        dims = table.get("dims")
        if "file" not in table and is_list(dims):
            yield ("table", number, "dims"), dims or ()


def _absent(path: Path, names: Iterable[str], columns: Columns) -> Iterator[Fault]:
    for name in names:
        for place, known in columns.items():
            if name not in known:
                yield Fault(path, absent(place, name, known), RolesError)

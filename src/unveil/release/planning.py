"""What is to be measured? Everything that a project declares, as parts with their settings.

Settings are the arguments of the Python call of the same name, but for files and seed, so that a
part can be measured again by hand and gives the same record.
"""

from collections.abc import Iterator
from typing import Any

from unveil.errors import SettingsError
from unveil.records.run import Kind
from unveil.release.model import ProjectFile, PublishedEntry, Scenario
from unveil.release.planned import Planned, Planner
from unveil.release.planning_files import parts_of_files
from unveil.release.planning_gate import gate_part
from unveil.release.rulings_in_force import kept_pairs, overruled, ruled
from unveil.release.sensitive import sensitive_of
from unveil.release.sources import Inputs

CAP_SCENARIOS = ("full", "uniques", "special")
MOST_KEYS_FOR_SPECIAL = 16  # beyond, special uniques are not searched for in full
_WITHOUT_COPIES: tuple[Kind, ...] = ("suda", "match_risk", "sap")


def planned(project: ProjectFile, inputs: Inputs) -> tuple[tuple[Planned, ...], tuple[str, ...]]:
    """Every part in the order in which it is measured, and what is to be said of the plan."""
    planner = Planner(project, inputs)
    parts = [gate_part(planner)] if inputs.synthetic else []
    parts += [part for one in project.scenarios for part in _of_scenario(planner, one)]
    parts += parts_of_files(planner)
    said = [*_unused_tables(planner, parts), *planner.warnings]
    said += dict.fromkeys(one for by in project.scenarios for one in overruled(project, by.name))
    if not inputs.synthetic:
        parts = [part for part in parts if part.kind in _WITHOUT_COPIES]
        said.insert(0, "The project names no synthetic copy yet: only the original was measured.")
    if not parts:
        raise SettingsError(
            f"{project.path.name} declares nothing that can be measured. Name a synthetic copy"
            " under [data], and a [[scenario]] with its keys."
        )
    return tuple(parts), tuple(said)


def disclosure_settings(project: ProjectFile, inputs: Inputs, scenario: Scenario) -> dict[str, Any]:
    """The settings of disclosure in one scenario, exclusions in force among them."""
    planner = Planner(project, inputs)
    whole = _whole(planner, scenario)
    return {**whole, **planner.person, **exclusions_of(project, scenario.name)}


def exclusions_of(project: ProjectFile, scenario: str) -> dict[str, list[str]]:
    """Exclusions in force, and targets whose flagged pairs are common knowledge but for some."""
    texts = [
        entry.exclusion.text for entry in project.excludes if entry.scenario in (None, scenario)
    ]
    mine = ruled(project, scenario, accept=True)
    texts += [one.exclusion.text for one in mine if one.exclusion is not None]
    pairs = [one.target for one in mine if one.is_whole_target]
    found = {"exclude": list(dict.fromkeys(texts)), "exclude_pairs_of": list(dict.fromkeys(pairs))}
    kept = kept_pairs(project, scenario)
    return {**found, "keep_pairs": kept} if kept else found


def _whole(planner: Planner, scenario: Scenario) -> dict[str, Any]:
    keys, targets = list(scenario.keys), list(planner.targets(scenario))
    return {"keys": keys, "targets": targets, **planner.reading(scenario, (*keys, *targets))}


def _of_scenario(planner: Planner, scenario: Scenario) -> Iterator[Planned]:
    """The parts of one scenario, as far as it asks for them."""
    for part in _all_of_scenario(planner, scenario):
        if scenario.measures is None or part.kind in scenario.measures:
            yield part


def _all_of_scenario(planner: Planner, scenario: Scenario) -> Iterator[Planned]:
    name, whole = scenario.name, _whole(planner, scenario)
    excluded = {**exclusions_of(planner.project, name), **planner.person}
    targets = whole["targets"]
    sensitive = sensitive_of(planner, scenario)
    declared = {"sensitive": sensitive} if sensitive else {}
    yield planner.part("disclosure", {**whole, **excluded, **declared}, planner.files(), name)
    if targets:
        yield planner.part("exclusion_table", whole, planner.files(), name)
    for target in targets:
        yield from _of_target(planner, scenario, target)
    yield from _of_original(planner, scenario)
    if not planner.has_control:
        return
    if targets:
        yield planner.part("excess", {**whole, **excluded}, planner.files("control"), name)
    for copy in planner.copies:
        yield from _attacks(planner, scenario, targets, copy)


def _of_target(planner: Planner, scenario: Scenario, target: str) -> Iterator[Planned]:
    columns, name = (*scenario.keys, target), scenario.name
    asked = {
        "keys": list(scenario.keys),
        "target": target,
        **planner.reading(scenario, columns),
    }
    yield _cap(planner, scenario, target, asked)
    yield planner.part("tcap", asked, planner.files(), name, target)
    radii = planner.numeric(scenario.radii, columns)
    # Nearness takes the place of bands.
    bands = {column: cut for column, cut in asked["bands"].items() if column not in radii}
    near = {**asked, "bands": bands, "radii": radii}
    yield planner.part("gtcap", near, planner.files(), name, target)


def _cap(planner: Planner, scenario: Scenario, target: str, asked: dict[str, Any]) -> Planned:
    files, baseline = planner.files(), _baseline(planner, scenario, target)
    if baseline is not None:
        published = planner.inputs.of_roles("published")
        files += tuple(file for file in published if file.path == baseline.table)
    has_special = len(scenario.keys) <= MOST_KEYS_FOR_SPECIAL
    settings = {
        **asked,
        "scenarios": list(CAP_SCENARIOS if has_special else CAP_SCENARIOS[:2]),
        "baseline": None if baseline is None else baseline.table,
    }
    return planner.part("cap", settings, files, scenario.name, target)


def _baseline(planner: Planner, scenario: Scenario, target: str) -> PublishedEntry | None:
    """A published table that tells of the target: by as many keys as there is one for."""
    fitting = [
        (len(columns), entry)
        for entry, columns in planner.published
        if _fits(entry, columns, scenario.keys, target)
    ]
    return max(fitting, key=lambda one: one[0])[1] if fitting else None


def _fits(
    entry: PublishedEntry, columns: tuple[str, ...], keys: tuple[str, ...], target: str
) -> bool:
    others = [name for name in columns if name not in (*keys, target)]
    is_counted = len(others) == 1 and entry.count in (None, *others)
    return target in columns and is_counted


def _of_original(planner: Planner, scenario: Scenario) -> Iterator[Planned]:
    keys, files = list(scenario.keys), planner.inputs.of_roles("original", "labels")
    asked = {"keys": keys, **planner.reading(scenario, keys), **planner.person}
    fraction = planner.project.data.sampling_fraction
    known = {} if fraction is None else {"dis_fraction": fraction}
    yield planner.part("suda", {**asked, **known}, files, scenario.name)
    weights = {"weights": planner.project.roles.weight}
    yield planner.part("match_risk", {**asked, **weights}, files, scenario.name)


def _attacks(
    planner: Planner, scenario: Scenario, targets: list[str], copy: int
) -> Iterator[Planned]:
    files, keys = planner.files("control", copy=copy), list(scenario.keys)
    shared = {**planner.data, **planner.person, "n": planner.n_attacked}
    if targets:
        codes = planner.codes((*keys, *targets))
        asked = {"keys": keys, "secrets": targets, "special_codes": codes, **shared}
        yield planner.part("inference", asked, files, scenario.name, copy=copy)
    middle = (len(keys) + 1) // 2
    halves = {"columns": [keys[:middle], keys[middle:]], "special_codes": planner.codes(keys)}
    refused = None
    if len(keys) < 2:
        refused = "Linkability needs two keys or more: some for each of two files."
    linked = {**halves, **shared}
    yield planner.part("linkability", linked, files, scenario.name, copy=copy, refused=refused)


def _unused_tables(planner: Planner, parts: list[Planned]) -> Iterator[str]:
    used = {part.settings["baseline"] for part in parts if part.kind == "cap"}
    for entry, _ in planner.published:
        if entry.table not in used:
            yield (
                f"The published table {entry.table!r} was used for no target: it needs the columns"
                " of a target, any of its keys, and one column of counts or shares."
            )

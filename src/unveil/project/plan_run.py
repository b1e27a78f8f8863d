"""What is to be measured? Everything that a project declares, as parts with their settings.

Settings are the arguments of the Python call of the same name, but for files and seed, so that a
part can be measured again by hand and gives the same record.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from unveil.arguments import quote_value
from unveil.count.codes import CodedColumn, code_of, label
from unveil.errors import InputError, RolesError, SettingsError
from unveil.project.model import ProjectFile, PublishedEntry, ScenarioEntry
from unveil.project.release_procedure import procedure_of
from unveil.project.rulings_in_force import list_kept_pairs, list_rulings, overruled_notes
from unveil.project.sources import Inputs, list_plan_files
from unveil.protection.plan import FileError
from unveil.records.run import FileRole, InputFile, Kind
from unveil.study.band_spec import parse_bands
from unveil.study.open_scenario import open_scenario
from unveil.study.scenario import no_progress
from unveil.study.study import sides_of

# One part of a run before it is measured, and what all of them are planned with.


MOST_ATTACKED = 2_000
"""So many people are attacked at most: a rate is then known to about two percent."""
CHANCE: tuple[Kind, ...] = (
    *("singling_out", "linkability", "inference", "membership", "recognition", "utility", "sap"),
    "plan",
)


@dataclass(frozen=True)
class PlannedPart:
    """One part to be measured."""

    name: str
    kind: Kind
    settings: Mapping[str, Any]
    files: tuple[InputFile, ...]
    scenario: str | None = None
    target: str | None = None
    copy: int | None = None
    refused: str | None = None  # why it cannot be measured, where that is known beforehand

    @property
    def has_chance(self) -> bool:
        """Whether the figures depend on a seed."""
        return self.kind in CHANCE


@dataclass
class Planner:
    """A project and its files, and what was noticed while planning."""

    project: ProjectFile
    inputs: Inputs
    noticed: dict[str, None] = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was noticed, once each."""
        return tuple(self.noticed)

    @property
    def data(self) -> dict[str, Any]:
        """How files are read, in every call."""
        return {"missing_values": list(self.project.data.missing_values)}

    @property
    def copies(self) -> range:
        """The numbers of the copies."""
        return range(1, len(self.project.data.synthetic) + 1)

    @property
    def has_control(self) -> bool:
        """Whether there are people who were not used, and a copy to attack them with."""
        return self.project.data.control is not None and bool(self.project.data.synthetic)

    @property
    def n_attacked(self) -> int | None:
        """How many people are attacked: all, unless they are very many."""
        return None if self.inputs.n_original <= MOST_ATTACKED else MOST_ATTACKED

    @cached_property
    def omitted_columns(self) -> tuple[str, ...]:
        """Columns that are nobody's target and no part of how alike the files are."""
        roles = self.project.roles
        weight = () if roles.weight is None else (roles.weight,)
        named = (*roles.identifier, *roles.ignore, *weight)
        return tuple(name for name in self.inputs.columns if name in named)

    @property
    def person(self) -> dict[str, str]:
        """Whose row it is, in every call that counts people; nothing where it is not declared."""
        person = self.project.roles.person
        return {} if person is None else {"person": person}

    @property
    def sequence(self) -> dict[str, str]:
        """By which column the rows of a person follow: attacks know all rows of a person."""
        time = self.project.roles.time
        return self.person if time is None else {**self.person, "time": time}

    @property
    def weights(self) -> dict[str, str]:
        """The column of sampling weights; nothing where it is not declared."""
        weight = self.project.roles.weight
        return {} if weight is None else {"weights": weight}

    def tolerance(self, scenario: ScenarioEntry) -> dict[str, dict[str, float]]:
        """How far numbers of the targets may be apart and still agree; nothing without any."""
        found = self.numeric(scenario.tolerance or {}, self.targets(scenario))
        return {"tolerance": found} if found else {}

    @cached_property
    def published_tables(self) -> list[tuple[PublishedEntry, tuple[str, ...]]]:
        """Published tables with their columns."""
        return [(entry, self.inputs.columns_of(entry.table)) for entry in self.project.published]

    def codes(self, columns: Iterable[str]) -> dict[str, Any]:
        """The special codes of these columns."""
        return self.numeric(self.project.data.special_codes, columns)

    def numeric(self, given: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Any]:
        """Settings of numbers, by column; those that a recoding put into bands are none now."""
        is_banded = self.inputs.recoded_files.is_banded
        return {name: given[name] for name in columns if name in given and not is_banded(name)}

    def reading(self, scenario: ScenarioEntry, columns: Iterable[str]) -> dict[str, Any]:
        """Bands, special codes and missing values of these columns."""
        names = list(columns)
        bands = self.numeric(scenario.bands, names)
        return {"bands": bands, "special_codes": self.codes(names), **self.data}

    def targets(self, scenario: ScenarioEntry) -> tuple[str, ...]:
        """What an intruder might learn: as declared, or every other column that it may be."""
        if scenario.targets is not None:
            return scenario.targets
        declared = self.project.roles.target or self.inputs.columns
        wanted = [name for name in declared if name not in (*scenario.keys, *self.omitted_columns)]
        shared = tuple(name for name in wanted if name in self.inputs.shared_columns)
        if len(shared) < len(wanted):
            self.noticed[
                f"Scenario {scenario.name!r}: {len(wanted) - len(shared):,} of {len(wanted):,}"
                " targets are not in every synthetic file and were excluded. unveil codebook shows"
                " how their structure differs."
            ] = None
        return shared

    def files(self, *more: FileRole, copy: int | None = None) -> tuple[InputFile, ...]:
        """Original and copies (or one of them), and files of other roles."""
        return self.inputs.select_files("original", "synthetic", "labels", *more, copy=copy)

    def part(
        self,
        kind: Kind,
        settings: Mapping[str, Any],
        files: tuple[InputFile, ...],
        scenario: str | None = None,
        target: str | None = None,
        *,
        copy: int | None = None,
        label: str | None = None,
        refused: str | None = None,
    ) -> PlannedPart:
        """One part under a name of its own."""
        of_copy = f"copy {copy}" if copy is not None and len(self.copies) > 1 else None
        words = (kind, scenario, target, label, of_copy)
        name = " ".join(word for word in words if word is not None)
        return PlannedPart(name, kind, settings, files, scenario, target, copy, refused)


# Parts of a run that are about files as a whole: likeness, findings, tables, protection.


_LIKENESS: tuple[Kind, ...] = ("utility", "tables", "compare", "projection")


def parts_of_files(planner: Planner) -> Iterator[PlannedPart]:
    """The parts that belong to no scenario."""
    yield from _keyless_attacks(planner)
    yield from _recognition(planner)
    yield from _likeness(planner)
    if planner.project.findings:
        settings = {
            "findings": [dict(one) for one in planner.project.findings],
            "special_codes": planner.codes(planner.inputs.columns),
            **planner.data,
        }
        yield planner.part("findings", settings, planner.files())
    yield from _tables(planner)
    yield from _publication(planner)
    yield from _protections(planner)


def _keyless_attacks(planner: Planner) -> Iterator[PlannedPart]:
    """Attacks that know no keys, where some scenario asks for them.

    Singling out has a baseline of its own and needs no control sample; membership does.
    """
    control = planner.inputs.control
    known = planner.inputs.columns if control is None else control.whole.frame.columns
    common = [name for name in planner.inputs.shared_columns if name in known]
    columns = [name for name in common if name not in planner.omitted_columns]
    reading = {**planner.data, **planner.person}
    asked = {"columns": columns, "special_codes": planner.codes(columns), **reading}
    more: dict[Kind, dict[str, Any]] = {
        "singling_out": {"n_cols": max(min(3, len(columns)), 1)},
        **(
            {"membership": {"n": planner.n_attacked, **planner.sequence}}
            if planner.has_control
            else {}
        ),
    }
    wanted = [scenario.measures for scenario in planner.project.scenarios]
    for copy in planner.copies:
        files = planner.files("control", copy=copy)
        for kind, settings in more.items():
            if any(measures is None or kind in measures for measures in wanted):
                yield planner.part(kind, {**asked, **settings}, files, copy=copy)


def plan_recognition(project: ProjectFile, inputs: Inputs) -> PlannedPart:
    """The part that tests membership of single people, or why there is none."""
    found = [*_recognition(Planner(project, inputs))]
    if not found:
        raise SettingsError(
            f"{project.path.name} does not ask for recognition of single people. Add a table"
            " [recognition] to it, and name the synthetic files."
        )
    return found[0]


def _recognition(planner: Planner) -> Iterator[PlannedPart]:
    """Membership of single people, where the project asks for it."""
    project = planner.project
    if project.recognition is None or not project.data.synthetic:
        return
    settings, refused = dict(project.recognition), None
    try:
        settings["procedure"] = procedure_of(project)
    except InputError as fault:
        refused = str(fault)
    without = [name for name in planner.omitted_columns if name not in project.roles.identifier]
    settings |= {"without": without, "special_codes": planner.codes(planner.inputs.columns)}
    yield planner.part("recognition", settings, planner.files("control"), refused=refused)


def _likeness(planner: Planner) -> Iterator[PlannedPart]:
    for copy in planner.copies:
        yield planner.part("structure", planner.data, planner.files(copy=copy), copy=copy)
    compared = [
        name for name in planner.inputs.shared_columns if name not in planner.omitted_columns
    ]
    columns = compared if planner.omitted_columns else None
    asked = {"columns": columns, "special_codes": planner.codes(compared), **planner.data}
    sample = planner.project.data.utility_sample
    sampled = {} if sample is None else {"sample": None if sample == "all" else sample}
    for kind in _LIKENESS:
        more = sampled if kind == "utility" else {}
        yield planner.part(kind, {**asked, **more}, planner.files())


def _tables(planner: Planner) -> Iterator[PlannedPart]:
    seen: set[str] = set()
    for number, table in enumerate(planner.project.tables, start=1):
        label = str(table.get("name", number))
        label = f"{label} ({number})" if label in seen else label
        seen.add(label)
        settings = {name: value for name, value in table.items() if name != "name"}
        files = planner.inputs.select_files("original", "labels")
        if "file" in table:
            every = planner.inputs.select_files("table")
            files = tuple(file for file in every if file.path == str(table["file"]))
        else:
            settings |= planner.data
        yield planner.part("sap", settings, files, label=label)


def _publication(planner: Planner) -> Iterator[PlannedPart]:
    asked = planner.project.publication
    if asked is not None:
        named = {file.path for file in list_plan_files(planner.project)}
        every = planner.inputs.select_files("table")
        files = tuple(file for file in every if file.path in named)
        yield planner.part("plan", asked, files)


def _protections(planner: Planner) -> Iterator[PlannedPart]:
    for number, file in enumerate(planner.inputs.select_files("protection"), start=1):
        label = None if number == 1 else str(number)
        settings = {"copies": [list(copy) for copy in planner.inputs.copy_marks]}
        yield planner.part("protection", settings, (file,), label=label)


# What does a project tell the gate of its columns? One part of a run, before all others.


def gate_part(planner: Planner) -> PlannedPart:
    """The checks of what is being released, with the roles that people gave."""
    roles, scenarios = planner.project.roles, planner.project.scenarios
    named = [name for one in scenarios for name in (*one.keys, *planner.targets(one))]
    weight = () if roles.weight is None else (roles.weight,)
    settings = {
        "identifiers": [name for name in roles.identifier if name in planner.inputs.columns],
        "compared": list(dict.fromkeys(named)),
        "others": [*weight, *roles.ignore],
        "scenarios": [_scenario_of_gate(planner, one) for one in scenarios],
        **planner.person,
        **planner.data,
    }
    return planner.part("gate", settings, planner.files("control"))


def _scenario_of_gate(planner: Planner, scenario: ScenarioEntry) -> dict[str, Any]:
    """What is measured again where another coding of a column is proposed."""
    keys, targets = scenario.keys, planner.targets(scenario)
    reading = planner.reading(scenario, (*keys, *targets))
    settings = {name: reading[name] for name in ("bands", "special_codes") if reading[name]}
    return {"keys": list(keys), "targets": list(targets), "settings": settings}


# Which values of which targets did a project declare sensitive, as the data write them?
#
# `[roles.sensitive] hiv_test = ["positive"]`. A value that nobody has, or a column that is no
# target, would be counted nowhere: both are refused with their line.


def sensitive_of(planner: Planner, scenario: ScenarioEntry) -> dict[str, list[str]]:
    """The sensitive levels of the targets of a scenario, as `by_value` writes them."""
    found = {}
    for target, texts in planner.project.roles.sensitive.items():
        column = _column(planner, scenario, target)
        if column is not None:
            codes = [code_of(column, text) for text in texts]
            levels = [label(column, code) for code in codes if code is not None]
            found[target] = [level for level in levels if level is not None]
    return {target: levels for target, levels in found.items() if levels}


def check_sensitive_faults(planner: Planner) -> None:
    """Refuse sensitive columns that are no target, and values that no file has."""
    faults = [*_faults(planner)] if planner.inputs.synthetic else []
    if faults:
        raise RolesError(planner.project.locate(faults))


def _faults(planner: Planner) -> Iterator[FileError]:
    scenarios = planner.project.scenarios
    for target, texts in planner.project.roles.sensitive.items():
        path = ("roles", "sensitive", target)
        mine = [one for one in scenarios if target in planner.targets(one)]
        if not mine:
            yield FileError(
                path,
                f"{quote_value(target)} is not a target of any scenario, so its values are not"
                " assessed. Name it among the targets of a [[scenario]].",
                RolesError,
            )
        for scenario in mine:
            column = _column(planner, scenario, target)
            for text in texts:
                if column is not None and code_of(column, text) is None:
                    yield FileError(
                        path,
                        f"no one has the value {quote_value(text)} of {quote_value(target)}. Write"
                        " a value as in the files.",
                        RolesError,
                    )


def _column(planner: Planner, scenario: ScenarioEntry, target: str) -> CodedColumn | None:
    """A target as the scenario compares it; None where it is none, or cannot be compared."""
    if target not in planner.targets(scenario):
        return None
    asked = planner.reading(scenario, [target])
    inputs = planner.inputs
    try:
        opening = open_scenario(
            sides_of(inputs.copies, original=inputs.original),
            keys=[target],
            targets=(),
            missing_values=asked["missing_values"],
            bands=parse_bands(asked["bands"], asked["special_codes"]),
            progress=no_progress,
        )
    except InputError:  # told where the scenario is measured
        return None
    return opening.scenario.key_columns[0]


CAP_SCENARIOS = ("full", "uniques", "special")
MOST_KEYS_FOR_SPECIAL = 16  # beyond, special uniques are not searched for in full
_WITHOUT_COPIES: tuple[Kind, ...] = ("suda", "match_risk", "sap", "plan")


def plan_parts(
    project: ProjectFile, inputs: Inputs
) -> tuple[tuple[PlannedPart, ...], tuple[str, ...]]:
    """Every part in the order in which it is measured, and what is to be said of the plan."""
    planner = Planner(project, inputs)
    parts = [gate_part(planner)] if inputs.synthetic else []
    parts += [part for one in project.scenarios for part in _plan_scenario(planner, one)]
    parts += parts_of_files(planner)
    said = [*_unused_tables(planner, parts), *planner.warnings]
    said += dict.fromkeys(
        one for by in project.scenarios for one in overruled_notes(project, by.name)
    )
    if not inputs.synthetic:
        parts = [part for part in parts if part.kind in _WITHOUT_COPIES]
        said.insert(0, "The project names no synthetic file yet: only the original was measured.")
    if not parts:
        raise SettingsError(
            f"{project.path.name} declares nothing that can be measured. Name a synthetic file"
            " under [data], and a [[scenario]] with its keys."
        )
    return tuple(parts), tuple(said)


def disclosure_settings(
    project: ProjectFile, inputs: Inputs, scenario: ScenarioEntry
) -> dict[str, Any]:
    """The settings of disclosure in one scenario, exclusions in force among them."""
    planner = Planner(project, inputs)
    return {
        **_whole(planner, scenario),
        **planner.person,
        **planner.weights,
        **planner.tolerance(scenario),
        **exclusions_of(project, scenario.name),
    }


def exclusions_of(project: ProjectFile, scenario: str) -> dict[str, list[str]]:
    """Exclusions in force, and targets whose flagged pairs are common knowledge but for some."""
    texts = [
        entry.exclusion.text for entry in project.excludes if entry.scenario in (None, scenario)
    ]
    mine = list_rulings(project, scenario, accept=True)
    texts += [one.exclusion.text for one in mine if one.exclusion is not None]
    pairs = [one.target for one in mine if one.is_whole_target]
    found = {"exclude": list(dict.fromkeys(texts)), "exclude_pairs_of": list(dict.fromkeys(pairs))}
    kept = list_kept_pairs(project, scenario)
    return {**found, "keep_pairs": kept} if kept else found


def _whole(planner: Planner, scenario: ScenarioEntry) -> dict[str, Any]:
    keys, targets = list(scenario.keys), list(planner.targets(scenario))
    return {"keys": keys, "targets": targets, **planner.reading(scenario, (*keys, *targets))}


def _plan_scenario(planner: Planner, scenario: ScenarioEntry) -> Iterator[PlannedPart]:
    """The parts of one scenario, as far as it asks for them."""
    for part in _all_of_scenario(planner, scenario):
        if scenario.measures is None or part.kind in scenario.measures:
            yield part


def _all_of_scenario(planner: Planner, scenario: ScenarioEntry) -> Iterator[PlannedPart]:
    name, whole = scenario.name, _whole(planner, scenario)
    excluded = {**exclusions_of(planner.project, name), **planner.person}
    targets = whole["targets"]
    sensitive = sensitive_of(planner, scenario)
    declared = {
        **planner.weights,
        **planner.tolerance(scenario),
        **({"sensitive": sensitive} if sensitive else {}),
    }
    yield planner.part("disclosure", {**whole, **excluded, **declared}, planner.files(), name)
    if targets:
        yield planner.part("exclusion_table", whole, planner.files(), name)
    for target in targets:
        yield from _plan_target(planner, scenario, target)
    yield from _plan_original(planner, scenario)
    if not planner.has_control:
        return
    if targets:
        yield planner.part("excess", {**whole, **excluded}, planner.files("control"), name)
    for copy in planner.copies:
        yield from _scenario_attacks(planner, scenario, targets, copy)


def _plan_target(planner: Planner, scenario: ScenarioEntry, target: str) -> Iterator[PlannedPart]:
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


def _cap(
    planner: Planner, scenario: ScenarioEntry, target: str, asked: dict[str, Any]
) -> PlannedPart:
    files, baseline = planner.files(), _baseline(planner, scenario, target)
    if baseline is not None:
        published = planner.inputs.select_files("published")
        files += tuple(file for file in published if file.path == baseline.table)
    has_special = len(scenario.keys) <= MOST_KEYS_FOR_SPECIAL
    settings = {
        **asked,
        "scenarios": list(CAP_SCENARIOS if has_special else CAP_SCENARIOS[:2]),
        "baseline": None if baseline is None else baseline.table,
        **planner.weights,
    }
    return planner.part("cap", settings, files, scenario.name, target)


def _baseline(planner: Planner, scenario: ScenarioEntry, target: str) -> PublishedEntry | None:
    """A published table that tells of the target: by as many keys as there is one for."""
    fitting = [
        (len(columns), entry)
        for entry, columns in planner.published_tables
        if _fits(entry, columns, scenario.keys, target)
    ]
    return max(fitting, key=lambda one: one[0])[1] if fitting else None


def _fits(
    entry: PublishedEntry, columns: tuple[str, ...], keys: tuple[str, ...], target: str
) -> bool:
    others = [name for name in columns if name not in (*keys, target)]
    is_counted = len(others) == 1 and entry.count in (None, *others)
    return target in columns and is_counted


def _plan_original(planner: Planner, scenario: ScenarioEntry) -> Iterator[PlannedPart]:
    keys, files = list(scenario.keys), planner.inputs.select_files("original", "labels")
    asked = {"keys": keys, **planner.reading(scenario, keys), **planner.person}
    fraction = planner.project.data.sampling_fraction
    known = {} if fraction is None else {"dis_fraction": fraction}
    yield planner.part("suda", {**asked, **known}, files, scenario.name)
    weights = {"weights": planner.project.roles.weight}
    yield planner.part("match_risk", {**asked, **weights}, files, scenario.name)


def _scenario_attacks(
    planner: Planner, scenario: ScenarioEntry, targets: list[str], copy: int
) -> Iterator[PlannedPart]:
    files, keys = planner.files("control", copy=copy), list(scenario.keys)
    shared = {**planner.data, **planner.sequence, "n": planner.n_attacked}
    if targets:
        codes = planner.codes((*keys, *targets))
        asked = {"keys": keys, "secrets": targets, "special_codes": codes, **shared}
        yield planner.part("inference", asked, files, scenario.name, copy=copy)
    middle = (len(keys) + 1) // 2
    halves = {"columns": [keys[:middle], keys[middle:]], "special_codes": planner.codes(keys)}
    refused = None
    if len(keys) < 2:
        refused = "Linkability needs at least two keys: some for each of two files."
    linked = {**halves, **shared}
    yield planner.part("linkability", linked, files, scenario.name, copy=copy, refused=refused)


def _unused_tables(planner: Planner, parts: list[PlannedPart]) -> Iterator[str]:
    used = {part.settings["baseline"] for part in parts if part.kind == "cap"}
    for entry, _ in planner.published_tables:
        if entry.table not in used:
            yield (
                f"The published table {entry.table!r} was not used for any target: it needs the"
                " columns of a target, any of its keys, and one column of counts or shares."
            )

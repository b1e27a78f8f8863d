"""How is a part measured? By the call of the same name, on files that are already read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import msgspec

from unveil.errors import EngineError, InputError, RolesError, SettingsError
from unveil.measure.disclosure.figures import CheckSettings
from unveil.measure.disclosure.live import LiveFigures
from unveil.measure.disclosure.record import MeasuredScenario, measure_scenario
from unveil.measure.disclosure.result import DisclosureResult
from unveil.measure.disclosure.tolerance import Tolerances
from unveil.project.model import ProjectFile, check_scenario
from unveil.project.plan_run import PlannedPart, disclosure_settings
from unveil.project.sources import Inputs, hash_files
from unveil.records.base import Record
from unveil.records.disclosure import Checks
from unveil.records.exclusions import Exclusion
from unveil.records.run import Kind
from unveil.study.band_spec import parse_bands
from unveil.study.choose_engine import NEEDS_ROWS
from unveil.study.excluded import resolve_exclusions
from unveil.study.exclusion_rules import parse_exclusions
from unveil.study.open_scenario import open_scenario
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import Study, sides_of

BY_COUNTS: tuple[Kind, ...] = (
    *("gate", "disclosure", "exclusion_table", "cap", "tcap", "match_risk", "tables"),
    *("sap", "plan", "protection"),
)
"""Parts that an engine can count, or that are about other files."""
NO_KEY_SETS = "Sets of the keys were not searched: that needs the records in memory."
METHOD = "synthetic"
"""What the copies of a project are called where methods have names."""
_RELEASE = (
    *("total_label", "layout", "blank", "count", "sample", "weights", "record_keys", "bands"),
    "special_codes",
    *("missing_values", "rounding", "total", "margins", "published", "structural", "constraints"),
    "nested",
)
"""What is said of a table of counts before anything is asked about it."""


@dataclass(frozen=True)
class PartOutcome:
    """The record of a part, and what was set aside to measure it."""

    record: Record
    notes: tuple[str, ...] = ()


@dataclass
class Measuring:
    """The files of a run, and what one part may use of another."""

    inputs: Inputs
    progress: Progress = no_progress
    notes: list[str] = field(default_factory=list)
    kept: dict[str, MeasuredScenario] = field(default_factory=dict)
    live: dict[str, LiveFigures] = field(default_factory=dict)

    def outcome(self, part: PlannedPart, seed: int | None) -> PartOutcome:
        """The record of one part; what its measure refuses is an `InputError`."""
        if part.refused is not None:
            raise SettingsError(part.refused)
        if self.inputs.engine != "memory" and part.kind not in BY_COUNTS:
            raise EngineError(NEEDS_ROWS)
        self.notes = []
        asked = {**({} if seed is None else {"seed": seed}), **part.settings}
        found: Record = _KINDS[part.kind](self, part, asked).record
        return PartOutcome(found, tuple(self.notes))

    def recognise(self, part: PlannedPart, seed: int) -> Any:
        """Membership of single people, with what is about each of them."""
        from unveil.project.recognition import recognise_project

        if part.refused is not None:
            raise SettingsError(part.refused)
        return recognise_project(self.inputs, {"seed": seed, **part.settings}, self.progress)

    def disclosure(self, settings: Mapping[str, Any]) -> DisclosureResult:
        """Disclosure under the exclusions that fit; the others are noted."""
        counted = self.count_scenario(settings)
        return DisclosureResult.of(counted, self.fitting(counted, settings))

    def full_disclosure(self, settings: Mapping[str, Any]) -> DisclosureResult:
        """The same, with what is expected and what explains it, and on every set of the keys."""
        found = self.disclosure(settings)
        if self.inputs.engine != "memory":
            return self._counted_disclosure(found, settings)
        return found.with_expected(self.progress, has_parts=True).with_key_sets(self.progress)

    def _counted_disclosure(
        self, found: DisclosureResult, settings: Mapping[str, Any]
    ) -> DisclosureResult:
        """As much of it as an engine can count; sets of the keys, of records that memory holds."""
        try:
            found = found.with_expected(self.progress, has_parts=True)
        except EngineError as fault:
            self.notes.append(f"What is expected was not computed: {fault}")
        if self.brought is None:
            self.notes.append(NO_KEY_SETS)
            return found
        here = Measuring(self.inputs, self.progress)
        files = sides_of(self.brought.synthetic, original=self.brought.original)
        searched = DisclosureResult.of(here._count(settings, files), found._exclusions.rules)
        return found.with_record(key_sets=searched.with_key_sets(self.progress).record.key_sets)

    @cached_property
    def brought(self) -> Study | None:
        """The files in memory, where an engine keeps them and memory holds them."""
        from unveil.measure.gate.engine_evidence import bring_whole

        return bring_whole(self.inputs.study.files)

    def count_scenario(self, settings: Mapping[str, Any]) -> MeasuredScenario:
        """A scenario counted once, as `unveil.disclosure` counts it, with nothing excluded."""
        known = _name_count(settings)
        if known not in self.kept:
            self.kept[known] = self._count(settings)
        return self.kept[known]

    def live_figures(self, settings: Mapping[str, Any]) -> LiveFigures:
        """The same counts, ready to say at once what is left without something."""
        known = _name_count(settings)
        if known not in self.live:
            self.live[known] = LiveFigures(self.count_scenario(settings).opening.scenario)
        return self.live[known]

    def forget_count(self, settings: Mapping[str, Any]) -> None:
        """Give up the counts of a scenario."""
        self.kept.pop(_name_count(settings), None)

    def _count(
        self, settings: Mapping[str, Any], files: Mapping[str, Any] | None = None
    ) -> MeasuredScenario:
        banding = parse_bands(settings["bands"], settings["special_codes"])
        opening = open_scenario(
            files or sides_of(self.inputs.copies, original=self.inputs.original),
            keys=settings["keys"],
            targets=settings["targets"],
            missing_values=settings["missing_values"],
            bands=banding,
            person=settings.get("person"),
            weights=settings.get("weights"),
            progress=self.progress,
        )
        near = Tolerances.of(
            settings.get("tolerance"), opening.scenario.target_names, banding.special_codes
        )
        return measure_scenario(
            opening.with_tolerance(near.radii),
            CheckSettings(Checks(), None),
            self.progress,
            settings.get("sensitive"),
            near,
        )

    def fitting(
        self, counted: MeasuredScenario, settings: Mapping[str, Any]
    ) -> tuple[Exclusion, ...]:
        """The exclusions that the data know; of ruled pairs, those that are flagged."""
        kept = [text for text in settings["exclude"] if self._fits(counted, text)]
        pairs = []
        if settings["exclude_pairs_of"]:
            pairs = [
                flag.exclusion
                for flag in counted.record()[0].flags
                if flag.kind == "two_way" and flag.target in settings["exclude_pairs_of"]
            ]
            pairs = [pair for pair in pairs if pair not in settings.get("keep_pairs", ())]
        return parse_exclusions([*kept, *pairs])

    def _fits(self, counted: MeasuredScenario, text: str) -> bool:
        try:
            resolve_exclusions(parse_exclusions(text), counted.opening.scenario)
        except RolesError:
            why = "a column of it is no key or target here"
        except InputError:
            why = "no one has such a level"
        else:
            return True
        self.notes.append(f"The exclusion {text!r} was set aside: {why}.")
        return False


_SCENARIO = ("keys", "targets", "bands", "special_codes", "missing_values")
_BESIDE = ("person", "sensitive", "weights", "tolerance")


def _name_count(settings: Mapping[str, Any]) -> str:
    return repr([settings.get(name) for name in (*_SCENARIO, *_BESIDE)])


def _disclosure(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    return at.full_disclosure(asked)


def _gate(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    from unveil.measure.gate.evidence import DeclaredRoles, Files, gather_evidence
    from unveil.measure.gate.recoded_columns import ScenarioKeys

    roles = DeclaredRoles(
        identifiers=tuple(asked["identifiers"]),
        compared=tuple(asked["compared"]),
        others=tuple(asked["others"]),
        scenarios=tuple(
            ScenarioKeys(tuple(one["keys"]), tuple(one["targets"]), one["settings"])
            for one in asked["scenarios"]
        ),
        person=asked.get("person"),
    )
    files = at.inputs.study.files
    if at.inputs.engine == "memory":
        found = gather_evidence(Files(files), roles, progress=at.progress)
    else:
        from unveil.measure.gate.engine_evidence import gather_in_engine

        found = gather_in_engine(files, at.brought, roles, at.progress)
        if at.inputs.project.data.control is not None:
            at.notes.append("The control sample was not used: it needs the records in memory.")
    asked_already = {row.column for row in found.codings}
    more = [row for row in at.inputs.recoded_files.unfollowed if row.column not in asked_already]
    return _Found(msgspec.structs.replace(found, codings=(*found.codings, *more)))


def _cap(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    keys, baseline = asked.pop("keys"), asked.pop("baseline")
    if at.inputs.engine != "memory":
        asked["scenarios"] = ["full"]
        at.notes.append("CAP of unique records was not computed: it needs the records in memory.")
    return _call("cap")(
        at.inputs.original,
        {METHOD: at.inputs.copies},
        key_sets=[keys],
        baseline=None if baseline is None else at.inputs.project.folder / baseline,
        **asked,
        progress=at.progress,
    )


def _excess(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    exclude: tuple[Exclusion, ...] = ()
    if asked["exclude"] or asked["exclude_pairs_of"]:
        exclude = at.fitting(at.count_scenario(asked), asked)
    return _call("excess")(
        at.inputs.original,
        at.inputs.control,
        at.inputs.copies,
        **{name: asked[name] for name in _SCENARIO},
        exclude=exclude,
        person=asked.get("person"),
        progress=at.progress,
    )


def _findings(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    listed = asked.pop("findings")
    pair = (at.inputs.original, at.inputs.copies)
    return _call("findings")(*pair, listed, **asked, progress=at.progress)


def _sap(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    from unveil.measure.tables.published_table import PublishedTable

    file, dims = asked.pop("file", None), asked.pop("dims", None)
    made = {name: asked.pop(name) for name in _RELEASE if name in asked}
    made["seed"] = asked["seed"]
    if "constraints" in made and "rounding" not in made:
        made["table"] = False  # only what the constraints say is published
    if file is None:
        release = PublishedTable.from_microdata(at.inputs.collected_file, dims, **made)
    else:
        release = PublishedTable.from_file(at.inputs.project.folder / file, dims=dims, **made)
    return _call("sap")(release, **asked, progress=at.progress)


def _plan(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    from unveil.measure.tables.plan.plan import Plan

    plan = Plan.from_file(at.inputs.project.folder / asked.pop("plan"), seed=asked.pop("seed"))
    return plan.disclosed(**{"seconds": PLAN_SECONDS, **asked}, progress=at.progress)


PLAN_SECONDS = 300.0


@dataclass(frozen=True)
class _Found:
    """A record by itself."""

    record: Record


def _protection(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    (file,) = part.files
    found = at.inputs.protection(file.path)
    if found is None:
        raise SettingsError(f"The file {file.path!r} is not a record of unveil protect.")
    if not any(found.is_of(*copy) for copy in asked["copies"]):
        raise SettingsError(
            f"The record {file.path!r} describes data with {found.protection.n_s3:,} records,"
            " which are not among the synthetic data of the project. Protect again, or remove the"
            " record."
        )
    return _Found(found.protection)


def _measure_pair(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    pair = (at.inputs.original, at.inputs.copies)
    return _call(part.kind)(*pair, **asked, progress=at.progress)


def _measure_original(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    return _call(part.kind)(at.inputs.original, **asked, progress=at.progress)


def _measure_copy(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    assert part.copy is not None
    copy = at.inputs.synthetic[part.copy - 1]
    return _call(part.kind)(at.inputs.original, copy, **asked, progress=at.progress)


def _attack(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    return _measure_copy(at, part, {**asked, "control": at.inputs.control})


def _recognition(at: Measuring, part: PlannedPart, asked: dict[str, Any]) -> Any:
    return at.recognise(part, asked["seed"])


_HOMES: dict[Kind, str] = {
    "exclusion_table": "disclosure.exclusion_table.exclusion_table",
    "cap": "cap.cap_table.cap_table",
    "tcap": "cap.tcap.tcap",
    "gtcap": "cap.gtcap.gtcap",
    "suda": "uniques.suda.suda",
    "match_risk": "uniques.match_risk.match_risk",
    "excess": "disclosure.excess.excess",
    "singling_out": "attacks.singling_out.singling_out",
    "linkability": "attacks.linkability.linkability",
    "inference": "attacks.inference.inference",
    "membership": "attacks.membership.membership",
    "structure": "structure.compare_structure.compare_structure",
    "utility": "utility.utility.utility",
    "tables": "utility.pair_tables.pair_tables",
    "compare": "utility.compare.compare",
    "projection": "utility.projection.projection",
    "findings": "utility.replicate.replicate",
    "sap": "tables.sap.sap",
}
"""The public function behind each kind; its room is entered when it is first needed."""


def _call(kind: Kind) -> Callable[..., Any]:
    home, _, name = _HOMES[kind].rpartition(".")
    function: Callable[..., Any] = getattr(import_module(f"unveil.measure.{home}"), name)
    return function


_KINDS: dict[Kind, Callable[[Measuring, PlannedPart, dict[str, Any]], Any]] = {
    "gate": _gate,
    "disclosure": _disclosure,
    "exclusion_table": _measure_pair,
    "cap": _cap,
    "tcap": _measure_pair,
    "gtcap": _measure_pair,
    "suda": _measure_original,
    "match_risk": _measure_original,
    "excess": _excess,
    "singling_out": _attack,
    "linkability": _attack,
    "inference": _attack,
    "membership": _attack,
    "recognition": _recognition,
    "structure": _measure_copy,
    "utility": _measure_pair,
    "tables": _measure_pair,
    "compare": _measure_pair,
    "projection": _measure_pair,
    "findings": _findings,
    "sap": _sap,
    "plan": _plan,
    "protection": _protection,
}


# A scenario of a project counted from its files now, as a run would count it.


def inputs_of(project: ProjectFile) -> Inputs:
    """The files of a project, each to be read once."""
    return Inputs(project, hash_files(project))


def disclosure_of(
    project: ProjectFile, scenario: str, inputs: Inputs | None = None
) -> DisclosureResult:
    """Disclosure of one scenario under the exclusions in force; nothing is stored."""
    held = inputs or inputs_of(project)
    known = {one.name: one for one in project.scenarios}
    settings = disclosure_settings(project, held, known[check_scenario(scenario, [*known])])
    return Measuring(held).full_disclosure(settings)

"""How is a part measured? By the call of the same name, on files that are already read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from unveil.count.exclusions import fitted
from unveil.count.scenario import Progress, silent
from unveil.errors import InputError, RolesError, SettingsError
from unveil.measure.figures import Checking
from unveil.measure.opening import opened, sides_of
from unveil.measure.record import Plain, plain
from unveil.measure.result import DisclosureResult
from unveil.read.banding import parse_bands
from unveil.read.exclusions import parse_exclusions
from unveil.read.files import read_table
from unveil.records.base import Record
from unveil.records.checks import Checks
from unveil.records.exclusions import Exclusion
from unveil.records.run import Kind
from unveil.release.planned import Planned
from unveil.release.sources import Inputs

METHOD = "synthetic"
"""What the copies of a project are called where methods have names."""
_RELEASE = (
    *("total_label", "layout", "count", "sample", "weights", "bands", "special_codes"),
    *("missing_values", "rounding", "total", "margins", "published", "structural", "constraints"),
)
"""What is said of a table of counts before anything is asked about it."""


@dataclass(frozen=True)
class Outcome:
    """The record of a part, and what was set aside to measure it."""

    record: Record
    notes: tuple[str, ...] = ()


@dataclass
class Measuring:
    """The files of a run, and what one part may use of another."""

    inputs: Inputs
    progress: Progress = silent
    notes: list[str] = field(default_factory=list)

    def outcome(self, part: Planned, seed: int | None) -> Outcome:
        """The record of one part; what its measure refuses is an `InputError`."""
        if part.refused is not None:
            raise SettingsError(part.refused)
        self.notes = []
        asked = {**({} if seed is None else {"seed": seed}), **part.settings}
        found: Record = _KINDS[part.kind](self, part, asked).record
        return Outcome(found, tuple(self.notes))

    def disclosure(self, settings: Mapping[str, Any]) -> DisclosureResult:
        """Disclosure under the exclusions that fit; the others are noted."""
        counted = self.counted(settings)
        return DisclosureResult.of(counted, self.fitting(counted, settings))

    def counted(self, settings: Mapping[str, Any]) -> Plain:
        """A scenario counted as `unveil.disclosure` counts it, with nothing excluded."""
        opening = opened(
            sides_of(self.inputs.copies, original=self.inputs.original),
            keys=settings["keys"],
            targets=settings["targets"],
            missing_values=settings["missing_values"],
            bands=parse_bands(settings["bands"], settings["special_codes"]),
            person=settings.get("person"),
            progress=self.progress,
        )
        checking = Checking(Checks(), None)
        return plain(opening, checking, self.progress, settings.get("sensitive"))

    def fitting(self, counted: Plain, settings: Mapping[str, Any]) -> tuple[Exclusion, ...]:
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

    def _fits(self, counted: Plain, text: str) -> bool:
        try:
            fitted(parse_exclusions(text), counted.opening.scenario)
        except RolesError:
            why = "a column of it is no key or target here"
        except InputError:
            why = "nobody has such a level"
        else:
            return True
        self.notes.append(f"The exclusion {text!r} was set aside: {why}.")
        return False


_SCENARIO = ("keys", "targets", "bands", "special_codes", "missing_values")


def _disclosure(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    return at.disclosure(asked)


def _gate(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    from unveil.measure.gate.evidence import Files, Roles, gather_evidence

    missing = tuple(asked["missing_values"])
    tables = {
        side: read_table(held, side=side, missing_values=missing)
        for side, held in at.inputs.by_side().items()
    }
    synthetic = [table for side, table in tables.items() if side.startswith("synthetic")]
    files = Files(tables["original"], tuple(synthetic), tables.get("control"))
    roles = Roles(
        identifiers=tuple(asked["identifiers"]),
        compared=tuple(asked["compared"]),
        others=tuple(asked["others"]),
        person=asked.get("person"),
    )
    return _Found(gather_evidence(files, roles, progress=at.progress))


def _cap(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    keys, baseline = asked.pop("keys"), asked.pop("baseline")
    return _call("cap")(
        at.inputs.original,
        {METHOD: at.inputs.copies},
        key_sets=[keys],
        baseline=None if baseline is None else at.inputs.project.folder / baseline,
        **asked,
        progress=at.progress,
    )


def _excess(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    exclude: tuple[Exclusion, ...] = ()
    if asked["exclude"] or asked["exclude_pairs_of"]:
        exclude = at.fitting(at.counted(asked), asked)
    return _call("excess")(
        at.inputs.original,
        at.inputs.control,
        at.inputs.copies,
        **{name: asked[name] for name in _SCENARIO},
        exclude=exclude,
        person=asked.get("person"),
        progress=at.progress,
    )


def _findings(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    listed = asked.pop("findings")
    pair = (at.inputs.original, at.inputs.copies)
    return _call("findings")(*pair, listed, **asked, progress=at.progress)


def _sap(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    from unveil.measure.tables.release import Release

    file, dims = asked.pop("file", None), asked.pop("dims", None)
    made = {name: asked.pop(name) for name in _RELEASE if name in asked}
    made["seed"] = asked["seed"]
    if "constraints" in made and "rounding" not in made:
        made["table"] = False  # only what the constraints say is published
    if file is None:
        release = Release.from_microdata(at.inputs.collected, dims, **made)
    else:
        release = Release.from_file(at.inputs.project.folder / file, dims=dims, **made)
    return _call("sap")(release, **asked, progress=at.progress)


@dataclass(frozen=True)
class _Found:
    """A record by itself."""

    record: Record


def _protection(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    (file,) = part.files
    found = at.inputs.protection(file.path)
    if found is None:
        raise SettingsError(f"The file {file.path!r} is no record of unveil protect.")
    if found.n_s3 not in asked["rows"]:
        raise SettingsError(
            f"The record {file.path!r} is of a copy with {found.n_s3:,} records, which no copy of"
            " the project has. Protect again, or take the record away."
        )
    return _Found(found)


def _of_pair(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    pair = (at.inputs.original, at.inputs.copies)
    return _call(part.kind)(*pair, **asked, progress=at.progress)


def _of_original(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    return _call(part.kind)(at.inputs.original, **asked, progress=at.progress)


def _of_copy(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    assert part.copy is not None
    copy = at.inputs.synthetic[part.copy - 1]
    return _call(part.kind)(at.inputs.original, copy, **asked, progress=at.progress)


def _attack(at: Measuring, part: Planned, asked: dict[str, Any]) -> Any:
    return _of_copy(at, part, {**asked, "control": at.inputs.control})


_HOMES: dict[Kind, str] = {
    "exclusion_table": "exclusion_table.exclusion_table",
    "cap": "attribution.cap_table.cap_table",
    "tcap": "attribution.tcap.tcap",
    "gtcap": "attribution.gtcap.gtcap",
    "suda": "uniques.suda.suda",
    "match_risk": "risk.match_risk.match_risk",
    "excess": "excess.excess",
    "singling_out": "attacks.singling_out.singling_out",
    "linkability": "attacks.linkability.linkability",
    "inference": "attacks.inference.inference",
    "membership": "attacks.membership.membership",
    "structure": "codebook.compare.compare_structure",
    "utility": "utility.utility.utility",
    "tables": "utility.tables.tables",
    "compare": "utility.compare.compare",
    "projection": "utility.projection.projection",
    "findings": "utility.findings.findings",
    "sap": "tables.sap.sap",
}
"""The public function behind each kind; its room is entered when it is first needed."""


def _call(kind: Kind) -> Callable[..., Any]:
    home, _, name = _HOMES[kind].rpartition(".")
    function: Callable[..., Any] = getattr(import_module(f"unveil.measure.{home}"), name)
    return function


_KINDS: dict[Kind, Callable[[Measuring, Planned, dict[str, Any]], Any]] = {
    "gate": _gate,
    "disclosure": _disclosure,
    "exclusion_table": _of_pair,
    "cap": _cap,
    "tcap": _of_pair,
    "gtcap": _of_pair,
    "suda": _of_original,
    "match_risk": _of_original,
    "excess": _excess,
    "singling_out": _attack,
    "linkability": _attack,
    "inference": _attack,
    "membership": _attack,
    "structure": _of_copy,
    "utility": _of_pair,
    "tables": _of_pair,
    "compare": _of_pair,
    "projection": _of_pair,
    "findings": _findings,
    "sap": _sap,
    "protection": _protection,
}

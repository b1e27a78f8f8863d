"""What might a project of these data say? Roles, scenarios, limits and codings, with reasons.

Nothing is asked and nothing is decided; `unveil init` writes what is proposed here.
"""

import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from unveil.arguments import absent_sentence, check_faults, parse_choice, quote_value
from unveil.assessment.context import QUESTIONS
from unveil.assessment.limits import preset
from unveil.atomic import write_all_or_none, write_new
from unveil.errors import ReadError, RolesError, SettingsError, WriteError, list_names, quote_text
from unveil.io.sources import hold, read_table
from unveil.io.table import Table
from unveil.measure.roles.person import find_time
from unveil.measure.roles.suggest import suggest
from unveil.measure.structure.propose_rules import propose_rules
from unveil.measure.structure.relations import codes_as_text, find_named_codes
from unveil.project.fingerprint import project_sha256
from unveil.project.log import append
from unveil.project.model import ProjectFile, ScenarioEntry
from unveil.project.people import LONGEST, check_name, text_fault
from unveil.project.proposals import (
    TEMPLATES,
    USUAL_RADIUS,
    drop_repeated,
    ignore_unshared,
    keep_shared_columns,
    propose_codes,
    propose_radii,
    propose_scenario,
    propose_smooth,
)
from unveil.project.read_files import file_fault
from unveil.project.read_project import NAME, project_from
from unveil.project.toml import key_text, setting_lines, value_text, whole_number
from unveil.protection.leaf_sizes import parse_audience
from unveil.protection.recoding.suggest_coding import suggest_coding
from unveil.records.recoding import Suggestions, as_mapping
from unveil.records.suggestion import ProjectProposal, ProposedScenario, Suggestion
from unveil.study.band_spec import parse_bands
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import Study
from unveil.view.suggestion_toml import escape_comment, roles_lines, toml_string

# How does a new project file read? Every proposal with its reason, as comments.


WIDTH = 98
_HEAD = (
    "A project of unveil: what is compared, what an intruder may know, and which limits hold.",
    "Everything here is a proposal: check it, change it, then: unveil run",
)
_FACTORS = (
    "Raab's five factors: the risk depends on them, and no program can know them. Answer each with"
    ' your name, such as: unveil answer release_context "..." --by "Name, role"'
)
_LIMITS = (
    "Each limit is [review above, limit]. Proposed, not yet accepted. To accept them: unveil"
    ' limits --accept --by "Name, role"'
)
_RADII = f"GTCAP treats numbers within this radius as near: {USUAL_RADIUS}"
_EXCLUDE = (
    "What is common knowledge is excluded, with name and reason. Try it with unveil whatif; it is"
    " written as:"
)
_CODINGS = (
    "Recodings that might help before synthesis. To use one, remove the first # of each of its"
    " lines; then: unveil protect"
)
_RULES = (
    "Every row of the original obeys these rules, and so will every synthetic row. Take out what"
    " is an accident."
)
_SMOOTH = (
    "Numbers that point at people are drawn from a smooth density, not beyond the fifth smallest"
    " and largest value and on the grid of the column. Take out what must stay exact."
)
_LOW_FIDELITY = (
    "Low-fidelity data: each column is drawn by itself, for code to be written with. Four checks"
    " come before the public pack (unveil pack --public release.zip), each passed or open with its"
    " evidence:",
    "- labelling: name, label and a column of every data file say FAKE",
    "- disclosure: a named person released these very files, and no alert stands against it",
    "- structure: the codebook has every column, no column follows another, differences are listed",
    "- documentation: class of method, noise, licence and contact are stated",
)
PRESETS = ("low-fidelity",)
_MARK = "# "


def project_text(
    proposal: ProjectProposal,
    *,
    synthetic: Sequence[str],
    control: str | None,
    missing_values: Sequence[str],
    special_codes: Mapping[str, Sequence[float]],
    by: str | None,
    preset_name: str | None,
) -> str:
    """The whole text of a new project file."""
    sections = (
        [*_comment(*_HEAD), "schema = 1", f"title = {toml_string(proposal.title)}"],
        [*_data(proposal, synthetic, control, missing_values, special_codes)],
        [*_context(proposal, by)],
        [*roles_lines(proposal.roles), *_time(proposal)],
        *([*_scenario(proposal, one)] for one in proposal.scenarios),
        [*_limits(proposal, control)],
        [*_exclude()],
        [*_synthesis(proposal)] if preset_name is None else [*_low_fidelity()],
        [*_codings(proposal)],
    )
    return "\n".join("\n".join(lines) + "\n" for lines in sections if lines)


def _time(proposal: ProjectProposal) -> Iterator[str]:
    if proposal.time is not None:
        yield f"time = {toml_string(proposal.time)} # rows of a person follow one another by it"


def _comment(*sentences: str) -> Iterator[str]:
    """Sentences as comments, each of several lines where it is long."""
    for sentence in sentences:
        inner = "  " if sentence.startswith("- ") else ""
        width = WIDTH - len(_MARK)
        for line in textwrap.wrap(escape_comment(sentence), width, subsequent_indent=inner):
            yield _MARK + line


def _data(
    proposal: ProjectProposal,
    synthetic: Sequence[str],
    control: str | None,
    missing_values: Sequence[str],
    given: Mapping[str, Sequence[float]],
) -> Iterator[str]:
    yield "[data]"
    yield f"original = {toml_string(proposal.original)}"
    yield f"synthetic = {value_text(list(synthetic))} # the synthetic files to assess"
    if control is None:
        yield '# control = "control.csv" # control sample: people not used for the synthesis'
    else:
        yield (
            f"control = {toml_string(control)} # control sample: people not used for the synthesis"
        )
    if missing_values:
        yield f"missing_values = {value_text(list(missing_values))}"
    if given or proposal.special_codes:
        yield ""
        yield "[data.special_codes] # numbers that mean missing; each stays a level of its own"
    for name, codes in given.items():
        yield f"{key_text(name)} = {_codes(codes)}"
    for one in proposal.special_codes:
        yield f"{key_text(one.column)} = {_codes(one.codes)} # {escape_comment(one.reason)}"


def _context(proposal: ProjectProposal, by: str | None) -> Iterator[str]:
    """Questions stand above, so that answers are put in below them."""
    yield from _comment(_FACTORS, *(f"- {name}: {one.question}" for name, one in QUESTIONS.items()))
    yield "[context]"
    yield (f"audience = {toml_string(proposal.audience)} # closed, registered or open")
    yield "four_eyes = false # true: the person who decides has not run, ruled or excluded"
    yield '# analyst = "Name, role"' if by is None else f"analyst = {toml_string(by)}"


def _scenario(proposal: ProjectProposal, scenario: ProposedScenario) -> Iterator[str]:
    note = TEMPLATES[scenario.template].note
    mark = "" if scenario.keys else _MARK
    yield from _comment(scenario.sentence, *([] if note is None else [note]))
    if not scenario.keys:
        yield "# No keys are proposed: name what an intruder knows, and remove the marks."
    yield f"{mark}[[scenario]]"
    yield f"{mark}name = {toml_string(scenario.name)}"
    yield f"{mark}template = {toml_string(scenario.template)}"
    yield f"{mark}keys = {value_text(scenario.keys)}"
    if scenario.n_unique is not None:
        yield (
            f"# {scenario.n_unique:,} of {proposal.n_records:,} {_unit(proposal)} are unique on"
            " these keys."
        )
    yield from (mark + line for line in _targets(scenario))
    if scenario.measures is not None:
        yield f"{mark}measures = {value_text(scenario.measures)} # the rest: at the same keys above"
    yield from _radii(proposal, scenario)


def _targets(scenario: ProposedScenario) -> Iterator[str]:
    """The targets in a line, or in several where they are many."""
    if scenario.targets is None:
        yield 'targets = "all" # each target of [roles] that is not a key here'
        return
    line = f"targets = {value_text(scenario.targets)}"
    if len(line) <= WIDTH:
        yield line
        return
    yield "targets = ["
    row = ""
    for one in map(toml_string, scenario.targets):
        if row and len(row) + len(one) > WIDTH - 7:
            yield row
            row = ""
        row = f"{row} {one}," if row else f"    {one},"
    yield row
    yield "]"


def _radii(proposal: ProjectProposal, scenario: ProposedScenario) -> Iterator[str]:
    named = scenario.targets if scenario.targets is not None else proposal.roles.targets
    columns = {*scenario.keys, *named}
    radii = [one for one in proposal.radii if one.column in columns]
    if not radii or not scenario.keys or scenario.measures is not None:
        return
    yield ""
    yield f"[scenario.radii] # {_RADII}"
    for one in radii:
        reason = "" if one.reason == USUAL_RADIUS else f" # {one.reason}"
        yield f"{key_text(one.column)} = {value_text(whole_number(one.radius))}{reason}"


def _limits(proposal: ProjectProposal, control: str | None) -> Iterator[str]:
    declared = [*(["control"] if control else []), *(["radii"] if proposal.radii else [])]
    yield from _comment(_LIMITS)
    yield "[limits]"
    for limit in preset(proposal.audience, declared=declared):
        pair = value_text([whole_number(limit.review), whole_number(limit.limit)])
        yield f"{limit.measure} = {pair} # {escape_comment(limit.origin)}"


def _exclude() -> Iterator[str]:
    yield from _comment(_EXCLUDE)
    example = {"target": "...", "level": "...", "reason": "...", "by": "Name, role"}
    yield "# [[exclude]]"
    yield from (_MARK + line for line in setting_lines(example))


def _synthesis(proposal: ProjectProposal) -> Iterator[str]:
    if not proposal.rules and not proposal.smooth:
        return
    yield "[synthesis]"
    if proposal.rules:
        yield from _comment(_RULES)
        yield "rules = ["
        yield from (f"    {toml_string(rule)}," for rule in proposal.rules)
        yield "]"
    if proposal.smooth:
        yield from _comment(_SMOOTH)
        yield "smooth = ["
        for one in proposal.smooth:
            yield f"    {toml_string(one.column)}, # {escape_comment(one.reason)}"
        yield "]"


def _low_fidelity() -> Iterator[str]:
    yield "[synthesis]"
    yield 'method = "sample" # each column by itself: no relation between columns is kept'
    yield ""
    yield from _comment(*_LOW_FIDELITY)
    yield "[pack]"
    yield 'fidelity = "low"'
    yield 'marker = "FAKE"'
    yield '# licence = "CC BY 4.0"'
    yield '# contact = "Data service, data@office.example"'


def _codings(proposal: ProjectProposal) -> Iterator[str]:
    rows = proposal.codings.rows
    if not rows:
        return
    yield from _comment(_CODINGS)
    for row in rows:
        yield "#"
        yield from ("#" + line for line in _comment(row.reason))
        yield "# [[protect.step]]"
        yield from (_MARK + line for line in setting_lines(as_mapping(row.step)))


def _codes(codes: Sequence[float]) -> str:
    return value_text([whole_number(code) for code in codes])


def _unit(proposal: ProjectProposal) -> str:
    return "people" if proposal.roles.person is None else "rows"


Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def write_project(
    data: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None, **settings: Any
) -> tuple[Path, ProjectProposal]:
    """Write the project file that `propose` makes; one that is there is never written over."""
    place = Path() if folder is None else Path(os.fsdecode(folder))
    path = place / NAME
    if os.path.lexists(path):
        raise WriteError(
            f"There is a project already: {quote_text(str(path))}. Nothing was written. Change it"
            " in an editor, or name another folder with --folder."
        )
    text, record = propose(data, folder=place, **settings)
    with write_all_or_none() as files:
        files.extend(write_new(place, {NAME: text.encode("utf-8")}))
        _log(project_from(path, text, needs_files=False), settings.get("by"))
    return path, msgspec.structs.replace(record, file=str(path))


def _log(project: ProjectFile, by: str | None) -> None:
    names_of = " ".join(scenario.name for scenario in project.scenarios)
    sha256 = project_sha256(project)
    append(project.folder, event="init", by=by, subject=names_of or None, project_sha256=sha256)


def propose(
    data: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    keys: str | Iterable[str] | None = None,
    synthetic: Paths = (),
    control: str | os.PathLike[str] | None = None,
    audience: str = "registered",
    templates: str | Iterable[str] = ("neighbour",),
    owner: str | Iterable[str] = (),
    title: str | None = None,
    by: str | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    preset: str | None = None,
    progress: Progress | None = None,
) -> tuple[str, ProjectProposal]:
    """The text of a project file, and everything it proposes.

    Parameters
    ----------
    data
        The file of the original.
    folder
        Where the project will be: paths start there. The working folder where None.
    keys
        What an intruder knows, where you know it; proposed where None.
    synthetic, control
        Files of copies, and of people who were not used to make them.
    audience
        "closed", "registered" or "open": its limits are proposed.
    templates
        Scenarios: neighbour, colleague, co-owner (needs `owner`) and prosecutor.
    owner
        The columns that one data owner holds.
    title, by
        What the project is called, and who runs it ("Name, role").
    special_codes, missing_values, progress
        As in `unveil.suggest`.
    preset
        "low-fidelity": columns are drawn by themselves, and four checks come before the pack.
    """
    chosen_preset = None if preset is None else parse_choice("preset", preset, PRESETS)
    told = progress or no_progress
    who = None if by is None else check_name(by)
    if title is not None and (wrong := text_fault(title, LONGEST)) is not None:
        raise SettingsError(f"The title is {quote_value(title)}, {wrong}. Write it in one line.")
    place = Path() if folder is None else Path(os.fsdecode(folder))
    chosen = _templates(templates, owner)
    for_whom = parse_audience(audience) or "registered"
    missing = (missing_values,) if isinstance(missing_values, str) else tuple(missing_values)
    copies = [synthetic] if isinstance(synthetic, str | os.PathLike) else list(synthetic)
    others = [*copies, *([] if control is None else [control])]
    _check_no_files([data, *others])
    held = hold(Path(os.fsdecode(data)), side="data", missing_values=missing)
    source, lacking = keep_shared_columns(held, others, missing)
    table = read_table(source, side="data", missing_values=missing)
    opened = Study([table], missing).original
    given = parse_bands(None, special_codes).special_codes
    codes = tuple(propose_codes(table, given))
    apart = {**given, **{one.column: list(one.codes) for one in codes}}
    asked: dict[str, Any] = {"special_codes": apart, "missing_values": missing}
    roles = ignore_unshared(suggest(opened, keys=keys, **asked, progress=told).record, lacking)
    own = _owner_columns(table, owner, roles)
    scenarios = drop_repeated([propose_scenario(name, roles, own) for name in chosen])
    told("looking for recodings", 0, 1)
    first = scenarios[0].keys or None
    columns = dict.fromkeys([*roles.keys, *roles.targets, *own])
    named = find_named_codes(table.frame, table.variables)
    rules = propose_rules(codes_as_text(table.frame, named), [*columns], apart)
    whose = roles.person if chosen_preset is None else None
    record = ProjectProposal(
        file=None,
        original=_relative(data, place),
        title=title or _title(data),
        audience=for_whom,
        n_records=roles.n_records,
        scenarios=tuple(_propose_scenario(one, roles, table) for one in scenarios),
        radii=tuple(propose_radii(table, columns, apart)),
        special_codes=codes,
        roles=roles,
        codings=_without_person(suggest_coding(opened, keys=first, **asked).record, roles),
        rules=rules,
        smooth=tuple(propose_smooth(table, roles, rules, apart)),
        time=None if whose is None else find_time(table, whose.column),
    )
    text = project_text(
        record,
        synthetic=[_relative(one, place) for one in copies],
        control=None if control is None else _relative(control, place),
        missing_values=missing,
        special_codes=given,
        by=who,
        preset_name=chosen_preset,
    )
    project_from(place / NAME, text, needs_files=False)
    return text, record


def _without_person(found: Suggestions, roles: Suggestion) -> Suggestions:
    """Recodings of all columns but the one that says whose row it is."""
    whose = None if roles.person is None else roles.person.column
    return msgspec.structs.replace(
        found, rows=tuple(row for row in found.rows if row.step.column != whose)
    )


def _templates(given: str | Iterable[str], owner: str | Iterable[str]) -> tuple[str, ...]:
    several = [given] if isinstance(given, str) else list(given)
    chosen = tuple(
        dict.fromkeys(parse_choice("template", one, tuple(TEMPLATES)) for one in several)
    )
    if not chosen:
        raise SettingsError(f"No template is given. Choose of: {', '.join(TEMPLATES)}.")
    if owner and "co-owner" not in chosen:
        return (*chosen, "co-owner")
    return chosen


def _owner_columns(table: Table, owner: str | Iterable[str], roles: Suggestion) -> tuple[str, ...]:
    """The columns of an owner, all of which must be there and hold single values."""
    found = names(owner, "Owner columns")
    known = table.frame.columns
    faults = [absent_sentence(table.place, name, known) for name in found if name not in known]
    faults += [
        f"Column {name!r} has no simple values, so no one can be matched by it. Remove it from the"
        " owner's columns."
        for name in found
        if name in known and roles.row_of(name).n_distinct is None
    ]
    check_faults(faults, RolesError)
    return found


def _propose_scenario(scenario: ScenarioEntry, roles: Suggestion, table: Table) -> ProposedScenario:
    return ProposedScenario(
        name=scenario.name,
        template=scenario.name,
        keys=scenario.keys,
        targets=scenario.targets,
        n_unique=_n_unique(scenario, roles, table),
        sentence=TEMPLATES[scenario.name].sentence,
        measures=scenario.measures,
    )


def _n_unique(scenario: ScenarioEntry, roles: Suggestion, table: Table) -> int | None:
    """People who are alone with the keys of a scenario."""
    if not scenario.keys:
        return None
    if set(scenario.keys) == set(roles.keys):
        return roles.n_unique
    return int(table.frame[list(scenario.keys)].is_unique().sum())


def _check_no_files(files: Sequence[Any]) -> None:
    """Refuse what is no file; a frame has no place in a project."""
    for one in files:
        if not isinstance(one, str | os.PathLike):
            raise SettingsError(
                f"A project needs files; given is {quote_value(one)}. Write the data to a file"
                " first: unveil.write_file."
            )
    absent_ones = [one for one in map(os.fsdecode, files[1:]) if file_fault(Path(), one)]
    if absent_ones:
        raise ReadError(
            f"There is no file {list_names(map(repr, absent_ones))}. Check the name and the folder."
        )


def _relative(path: str | os.PathLike[str], folder: Path) -> str:
    """A path as the project file names it: from its folder, or whole where it is given whole."""
    given = Path(os.fsdecode(path))
    home = Path(os.path.realpath(folder))
    place = Path(os.path.realpath(given.parent)) / given.name
    if place.is_relative_to(home):
        return place.relative_to(home).as_posix()
    if given.is_absolute() or place.drive != home.drive:
        return place.as_posix()
    return Path(os.path.relpath(place, home)).as_posix()


def _title(data: str | os.PathLike[str]) -> str:
    name = Path(os.fsdecode(data)).name.partition(".")[0]
    return "".join(one for one in name if one.isprintable())[:LONGEST].strip() or "project"

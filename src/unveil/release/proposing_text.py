"""How does a new project file read? Every proposal with its reason, as comments."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from unveil.judge.factors import QUESTIONS
from unveil.judge.presets import preset
from unveil.measure.roles.toml import on_one_line, quoted, roles_lines
from unveil.records.proposal import ProjectProposal, ProposedScenario
from unveil.records.recoding import as_mapping
from unveil.release.editing_text import key_text, setting_lines, value_text
from unveil.release.proposing_numbers import USUAL_RADIUS
from unveil.release.templates import TEMPLATES

WIDTH = 98
_HEAD = (
    "A project of unveil: what is compared, what an intruder may know, and which limits hold.",
    "All of it is proposed, nothing is decided: read it, change it, then: unveil run",
)
_FACTORS = (
    "Raab's five factors: how great a risk is depends on them, and no program can tell. Answer each"
    ' by name, such as: unveil answer release_context "..." --by "Name, role"'
)
_LIMITS = (
    "Each limit is [look at it from here on, too high from here on]. Proposed, not accepted yet;"
    ' whoever accepts them says so with: unveil limits --accept --by "Name, role"'
)
_RADII = f"GTCAP takes numbers so far apart as near: {USUAL_RADIUS}"
_EXCLUDE = (
    "What is no real risk, because anybody knows it, is left out by name and reason. Try it out"
    " with unveil whatif; it is written as:"
)
_CODINGS = (
    "Codings that might help before a copy is made. To use one, take the first mark of each of its"
    " lines away; then: unveil protect project.toml --out protected"
)
_MARK = "# "


def project_text(
    proposal: ProjectProposal,
    *,
    synthetic: Sequence[str],
    control: str | None,
    missing_values: Sequence[str],
    special_codes: Mapping[str, Sequence[float]],
    by: str | None,
) -> str:
    """The whole text of a new project file."""
    sections = (
        [*_comment(*_HEAD), "schema = 1", f"title = {quoted(proposal.title)}"],
        [*_data(proposal, synthetic, control, missing_values, special_codes)],
        [*_context(proposal, by)],
        [*roles_lines(proposal.roles)],
        *([*_scenario(proposal, one)] for one in proposal.scenarios),
        [*_limits(proposal, control)],
        [*_exclude()],
        [*_codings(proposal)],
    )
    return "\n".join("\n".join(lines) + "\n" for lines in sections if lines)


def _comment(*sentences: str) -> Iterator[str]:
    """Sentences as comments, each of several lines where it is long."""
    for sentence in sentences:
        inner = "  " if sentence.startswith("- ") else ""
        width = WIDTH - len(_MARK)
        for line in textwrap.wrap(on_one_line(sentence), width, subsequent_indent=inner):
            yield _MARK + line


def _data(
    proposal: ProjectProposal,
    synthetic: Sequence[str],
    control: str | None,
    missing_values: Sequence[str],
    given: Mapping[str, Sequence[float]],
) -> Iterator[str]:
    yield "[data]"
    yield f"original = {quoted(proposal.original)}"
    yield f"synthetic = {value_text(list(synthetic))} # the copies to be judged"
    if control is None:
        yield '# control = "left_out.csv" # people who were not used to make the copy: for attacks'
    else:
        yield f"control = {quoted(control)} # people who were not used to make the copy"
    if missing_values:
        yield f"missing_values = {value_text(list(missing_values))}"
    if given or proposal.special_codes:
        yield ""
        yield "[data.special_codes] # numbers that mean no answer; each stays a level of its own"
    for name, codes in given.items():
        yield f"{key_text(name)} = {_codes(codes)}"
    for one in proposal.special_codes:
        yield f"{key_text(one.column)} = {_codes(one.codes)} # {on_one_line(one.reason)}"


def _context(proposal: ProjectProposal, by: str | None) -> Iterator[str]:
    """Questions stand above, so that answers are put in below them."""
    yield from _comment(_FACTORS, *(f"- {name}: {one.question}" for name, one in QUESTIONS.items()))
    yield "[context]"
    yield f"audience = {quoted(proposal.audience)} # closed, registered or open: who gets the copy"
    yield "four_eyes = false # true: whoever decides has not run, ruled or excluded"
    yield '# analyst = "Name, role"' if by is None else f"analyst = {quoted(by)}"


def _scenario(proposal: ProjectProposal, scenario: ProposedScenario) -> Iterator[str]:
    note = TEMPLATES[scenario.template].note
    mark = "" if scenario.keys else _MARK
    yield from _comment(scenario.sentence, *([] if note is None else [note]))
    if not scenario.keys:
        yield "# No keys are proposed: name what an intruder knows, and take the marks away."
    yield f"{mark}[[scenario]]"
    yield f"{mark}name = {quoted(scenario.name)}"
    yield f"{mark}template = {quoted(scenario.template)}"
    yield f"{mark}keys = {value_text(scenario.keys)}"
    if scenario.n_unique is not None:
        yield (
            f"# {scenario.n_unique:,} of {proposal.n_records:,} {_unit(proposal)} are alone with"
            " these keys."
        )
    yield from (mark + line for line in _targets(scenario))
    if scenario.measures is not None:
        yield f"{mark}measures = {value_text(scenario.measures)} # the rest: at the same keys above"
    yield from _radii(proposal, scenario)


def _targets(scenario: ProposedScenario) -> Iterator[str]:
    """The targets in a line, or in several where they are many."""
    if scenario.targets is None:
        yield 'targets = "all" # each target of [roles] that is no key here'
        return
    line = f"targets = {value_text(scenario.targets)}"
    if len(line) <= WIDTH:
        yield line
        return
    yield "targets = ["
    row = ""
    for one in map(quoted, scenario.targets):
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
        yield f"{key_text(one.column)} = {value_text(_whole(one.radius))}{reason}"


def _limits(proposal: ProjectProposal, control: str | None) -> Iterator[str]:
    declared = [*(["control"] if control else []), *(["radii"] if proposal.radii else [])]
    yield from _comment(_LIMITS)
    yield "[limits]"
    for limit in preset(proposal.audience, declared=declared):
        pair = value_text([_whole(limit.review), _whole(limit.limit)])
        yield f"{limit.measure} = {pair} # {on_one_line(limit.origin)}"


def _exclude() -> Iterator[str]:
    yield from _comment(_EXCLUDE)
    example = {"target": "...", "level": "...", "reason": "...", "by": "Name, role"}
    yield "# [[exclude]]"
    yield from (_MARK + line for line in setting_lines(example))


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
    return value_text([_whole(code) for code in codes])


def _whole(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def _unit(proposal: ProjectProposal) -> str:
    return "people" if proposal.roles.person is None else "rows"

"""What is outstanding before a release can be decided, and with which command?"""

import re
import shlex
from collections.abc import Collection, Iterator, Sequence

from unveil.assessment.context import QUESTIONS, can_rule_together
from unveil.assessment.flag_rulings import together_id
from unveil.records.judgement import Audience, FactorName, FlagRuling, Limit, Outstanding
from unveil.records.limits import MEASURES, LimitedMeasure
from unveil.records.run import Kind, Run

BY = '--by "Name, role"'
_NEEDED = {
    "control": 'Declare a control sample, [data] control = "FILE" in project.toml',
    "protection": "Protect the synthetic data inside the project, unveil protect",
    "table": "Declare a table, [[table]] in project.toml",
    "plan": 'Declare a publication plan, [publication] plan = "plan.toml" in project.toml',
    "sensitive": 'Declare sensitive values, [roles.sensitive] COLUMN = ["LEVEL"] in project.toml',
    "radii": "Give a scenario radii = { COLUMN = NUMBER } in project.toml",
}
_NO_COPY = 'Name a synthetic file, [data] synthetic = ["FILE"] in project.toml'
_NO_SCENARIO = "Declare a scenario, [[scenario]] with name and keys in project.toml"
_NOT_ASKED = "Let a scenario measure it: measures = [{}] in a [[scenario]], or no such line"
_OF_ORIGINAL: tuple[Kind, ...] = ("suda", "match_risk", "sap", "plan")
_SAFE = re.compile(r"[^\"$`\\!]+")


def list_outstanding(
    run: Run,
    findings: Sequence[FlagRuling],
    *,
    audience: Audience | None,
    limits: Sequence[Limit],
    accepted_by: str | None,
    not_in_force: str | None = None,
    answered: Collection[FactorName],
    four_eyes: bool,
) -> tuple[Outstanding, ...]:
    """Everything at once, in the order in which one would see to it."""
    return (
        *_limits(audience, limits, accepted_by, not_in_force),
        *_gate(run),
        *_only(run),
        *_disclosure(run),
        *_measures(run, limits),
        *(_outstanding_flag(flag, audience) for flag in findings if flag.state == "open"),
        *_context(audience, answered),
        *_four_eyes(run, four_eyes=four_eyes),
    )


def shell_quote(text: str) -> str:
    """A text as one argument on a command line; what cannot be printed as bash and zsh read it."""
    if not text.isprintable():
        return f"$'{''.join(map(_escape, text))}'"
    return f'"{text}"' if _SAFE.fullmatch(text) else shlex.quote(text)


def shell_word(text: str) -> str:
    """The same without quotes where none are needed."""
    return text if re.fullmatch(r"[A-Za-z0-9_./:@,-]+", text) else shell_quote(text)


def _escape(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\U{code:08x}"


def rule_command(id_: str, choice: str = "--common-knowledge") -> str:
    """The command that rules on a flag, or on all that one ruling covers."""
    return f'unveil rule {shell_quote(id_)} {choice} --reason "..." {BY}'


def rule_together_command(flag: FlagRuling) -> str:
    """The command that rules on all pairs of the target of a flag."""
    return rule_command(together_id(flag.scenario, flag.target))


def _limits(
    audience: Audience | None,
    limits: Sequence[Limit],
    accepted_by: str | None,
    not_in_force: str | None,
) -> Iterator[Outstanding]:
    if not limits:
        yield Outstanding(
            kind="limits",
            sentence="No limits are set, so nothing can be within or above them.",
            fix=f"unveil limits --preset {audience or 'open'} --accept {BY}",
        )
    elif accepted_by is None:
        yield Outstanding(
            kind="limits",
            sentence=(
                f"{_capital(not_in_force or 'no one has accepted the limits by name')}, so they are"
                " not in force."
            ),
            fix=f"unveil limits --accept {BY}",
        )


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _gate(run: Run) -> Iterator[Outstanding]:
    """Synthetic data that no one looked through for real records let nothing pass."""
    tried = [part for part in run.parts if part.kind == "gate"]
    if run.n_synthetic and all(part.state == "not measured" for part in tried):
        fix = f"Correct this and run again: {tried[0].reason}" if tried else "unveil run --again"
        yield Outstanding(
            kind="measure",
            sentence=(
                "The synthetic data were not searched for real records, identifiers and exact"
                " values (gate)."
            ),
            fix=fix,
        )


def _only(run: Run) -> Iterator[Outstanding]:
    """A run that was asked for some parts only leaves the others open."""
    if run.only:
        yield Outstanding(
            kind="measure",
            sentence=f"The run measured only {', '.join(run.only)}; all else is open.",
            fix="unveil run",
        )


def _disclosure(run: Run) -> Iterator[Outstanding]:
    """A copy of which no one knows what it discloses is not judged, whatever else is measured."""
    tried = [part for part in run.parts if part.kind == "disclosure"]
    refused = [part for part in tried if part.state == "not measured"]
    if not run.n_synthetic or len(tried) > len(refused):
        return
    if refused:
        fix = f"Correct this and run again: {refused[0].reason or 'unveil run says why.'}"
    else:
        fix = f"{_how_to_measure(run, ('disclosure',))}, and run again: unveil run"
    yield Outstanding(
        kind="measure",
        sentence="No scenario measured disclosure.",
        fix=fix,
    )


def _how_to_measure(run: Run, kinds: Sequence[Kind]) -> str:
    """What to do so that a run has a part of these kinds."""
    if not run.n_synthetic and not set(kinds) <= set(_OF_ORIGINAL):
        return _NO_COPY
    if all(part.scenario is None for part in run.parts):
        return _NO_SCENARIO
    return _NOT_ASKED.format(", ".join(f'"{kind}"' for kind in kinds))


def _measures(run: Run, limits: Sequence[Limit]) -> Iterator[Outstanding]:
    measured = {row.measure for row in run.figures}
    tried = {part.kind for part in run.parts if part.state == "not measured"}
    for limit in limits:
        measure = MEASURES[limit.measure]
        if measure.name not in measured and not tried.intersection(measure.kinds):
            yield Outstanding(
                kind="measure",
                sentence=f"A limit is set on {measure.name}, which the run does not have.",
                fix=(
                    f"{_describe_need(run, measure)}, and run again; or remove the limit: unveil"
                    f" limits --set {measure.name}=off --accept {BY}"
                ),
            )


def _describe_need(run: Run, measure: LimitedMeasure) -> str:
    return _how_to_measure(run, measure.kinds) if measure.needs is None else _NEEDED[measure.needs]


def _outstanding_flag(flag: FlagRuling, audience: Audience | None) -> Outstanding:
    also = ""
    if flag.kind == "two_way" and can_rule_together(audience):
        together = together_id(flag.scenario, flag.target)
        also = f"; all pairs of this target at once: {shell_quote(together)}"
    return Outstanding(
        kind="finding",
        sentence=f"Open flag {flag.id}: {flag.sentence}",
        fix=f"{rule_command(flag.id)} (or --keep){also}",
    )


def _context(audience: Audience | None, answered: Collection[FactorName]) -> Iterator[Outstanding]:
    if audience is None:
        yield Outstanding(
            kind="context",
            sentence="The audience of the release is not stated.",
            fix='Write audience = "closed", "registered" or "open" under [context] in project.toml',
        )
    for factor, asked in QUESTIONS.items():
        if factor not in answered:
            yield Outstanding(
                kind="context",
                sentence=f"Not answered: {asked.question}",
                fix=f'unveil answer {factor} "..." {BY}',
            )


def _four_eyes(run: Run, *, four_eyes: bool) -> Iterator[Outstanding]:
    if four_eyes and run.by is None:
        yield Outstanding(
            kind="four_eyes",
            sentence=(
                "A second person must decide (four_eyes), but the analyst who ran it is not named."
            ),
            fix=f"unveil run --again {BY}",
        )

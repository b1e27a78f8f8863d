"""What the calls of a project return: runs, explanations, decisions, its history and packs."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

import polars as pl

from unveil.gate import rows as gate
from unveil.measures.disclosure.exclusions import EffectRow
from unveil.measures.disclosure.flags import Flag
from unveil.measures.disclosure.formulas import AttributeRow, IdentityRow
from unveil.measures.disclosure.values import ValueRow
from unveil.project.settings import Statement
from unveil.results import (
    Check,
    Count,
    Figure,
    Heading,
    Number,
    PeopleFigure,
    Percent,
    Result,
    Row,
    Verdict,
)

SHOWN = ("scenario", "what", "by", "people", "expected", "beyond", "margin", "limit", "status")


class FigureRow(PeopleFigure, frozen=True, kw_only=True):
    scenario: str


class AlertRow(gate.AlertRow, frozen=True, kw_only=True):
    scenario: str


class TargetRow(AttributeRow, frozen=True, kw_only=True):
    scenario: str


class WhoRow(IdentityRow, frozen=True, kw_only=True):
    scenario: str


class NotTestedRow(gate.NotTestedRow, frozen=True, kw_only=True):
    scenario: str


class CheckRow(Check, frozen=True, kw_only=True):
    """A figure that is not of people, beside its limit."""

    scenario: str


class OutstandingRow(Row, frozen=True):
    """What a person must state before a release."""

    number: Annotated[int, Count("place among them")]
    about: str
    sentence: str
    choices: tuple[str, ...]
    command: str


class PartRow(Row, frozen=True):
    """One measure in one scenario."""

    measure: str
    scenario: str
    target: str
    state: str
    reason: str
    seconds: Annotated[float, Number("that it took; 0: it was there")]


class Run(Result, frozen=True, kw_only=True):
    """All figures of a project, and where it stands."""

    title: ClassVar[str] = "Run"

    figures: Annotated[tuple[FigureRow, ...], Heading("Figures", SHOWN, True)]
    alerts: Annotated[tuple[AlertRow, ...], Heading("Alerts", ("status", "id", "sentence"))] = ()
    attribute: Annotated[tuple[TargetRow, ...], Heading("Values shown")] = ()
    identity: Annotated[tuple[WhoRow, ...], Heading("Uniques")] = ()
    not_tested: Annotated[tuple[NotTestedRow, ...], Heading("Not tested")] = ()
    checks: Annotated[tuple[CheckRow, ...], Heading("Other limits")] = ()
    outstanding: Annotated[
        tuple[OutstandingRow, ...],
        Heading("To be stated before a release", ("number", "about", "sentence", "choices")),
    ] = ()
    parts: Annotated[tuple[PartRow, ...], Heading("Parts")] = ()

    @property
    def verdict(self) -> Verdict:
        return Verdict(self.exit_code, self.status, self.headline)

    @property
    def exit_code(self) -> int:
        return int(self.settings["exit_code"])

    @property
    def status(self) -> Any:
        return self.settings["status"]

    @property
    def headline(self) -> str:
        return str(self.settings["headline"])

    @property
    def sentences(self) -> tuple[str, ...]:
        return (*self.head, *(row.sentence for row in self.outstanding))

    @property
    def head(self) -> tuple[str, ...]:
        return tuple(self.settings["head"])

    @property
    def foot(self) -> tuple[str, ...]:
        return tuple(self.settings["foot"])

    @property
    def step(self) -> str:
        return str(self.settings["next"])


class StepRow(Row, frozen=True):
    """How a figure of one target comes about."""

    scenario: str
    figure: str
    value: Annotated[Figure, Number("the figure")]
    sentence: str


class Explanation(Result, frozen=True, kw_only=True):
    """One target: its values, what may be common knowledge, and what an exclusion would do."""

    title: ClassVar[str] = "Explanation"

    steps: Annotated[tuple[StepRow, ...], Heading("Step by step", ("figure", "value"))]
    values: Annotated[
        tuple[ValueRow, ...],
        Heading("Values", ("level", "people", "correct", "wrong"), True),
    ] = ()
    flags: Annotated[
        tuple[Flag, ...],
        Heading(
            "May be common knowledge", ("id", "correct", "people", "people_all", "share_all"), True
        ),
    ] = ()
    effect: Annotated[
        tuple[EffectRow, ...],
        Heading("Effect of the exclusions", ("figure", "before", "after"), True),
    ] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(row.sentence for row in self.steps)

    @property
    def head(self) -> tuple[str, ...]:
        return self.sentences

    @property
    def step(self) -> str:
        """To see what an exclusion would do, before it is signed; then to sign it."""
        import shlex

        scenario, exclude = self.settings["scenario"], self.settings["exclude"]
        target = shlex.quote(str(self.settings["targets"][0]))
        if exclude:
            word = shlex.quote(f"{scenario}/{exclude[0]}=common knowledge")
            return f'unveil sign {word} --reason "WHY" --by "NAME, ROLE"'
        rules = [flag.rule for flag in self.flags if not flag.rule.startswith("cannot")]
        more = f"--exclude {shlex.quote(rules[0])}" if rules else "--show all"
        return f"unveil explain {target} --scenario {shlex.quote(scenario)} {more}"

    def records(self) -> pl.DataFrame:
        """The people who are shown a value; confidential, and logged in a project."""
        from unveil.measures.disclosure.disclosure import disclosure

        vars(self)["_told"]()
        exclude = self.settings["exclude"]
        return disclosure(self.study, exclude=exclude, expected=False).records()


class Decision(Result, frozen=True, kw_only=True):
    """A release or a refusal, by a named person, and what it rests on."""

    title: ClassVar[str] = "Decision"

    statements: Annotated[
        tuple[Statement, ...], Heading("Statements", ("about", "answer", "reason"), True)
    ] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        return (str(self.settings["sentence"]),)

    @property
    def head(self) -> tuple[str, ...]:
        return self.sentences

    @property
    def step(self) -> str:
        return "unveil pack release.zip" if self.settings["answer"] == "release" else "unveil run"


class RunRow(Row, frozen=True):
    """One run, in short."""

    run: Annotated[int, Count("its number")]
    on: str
    by: str
    repU: Annotated[Figure, Percent("unique in both files, the highest", "Raab 2024 (5)")]
    DiSCO: Annotated[Figure, Percent("of the target with the highest", "Raab 2024 (11)")]
    worst_target: str
    S_pMSE: Annotated[Figure, Number("of the whole file, the highest")]
    status: str
    changed: str


class ActRow(Row, frozen=True):
    """What somebody did."""

    on: str
    by: str
    act: str
    about: str
    answer: str


IN_SHORT = ("run", "on", "repU", "DiSCO", "S_pMSE", "status", "changed")


class History(Result, frozen=True, kw_only=True):
    """What was measured and done, as the log has it."""

    title: ClassVar[str] = "History"

    runs: Annotated[tuple[RunRow, ...], Heading("Runs", IN_SHORT, True)] = ()
    acts: Annotated[tuple[ActRow, ...], Heading("Acts", ("on", "by", "act", "about"), True)] = ()

    @property
    def fault(self) -> str:
        return str(self.settings.get("fault", ""))

    @property
    def sentences(self) -> tuple[str, ...]:
        return (self.fault or f"All lines of the log fit. Its last: {self.settings['head']}.",)

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences

    @property
    def step(self) -> str:
        return "unveil run"

    @property
    def exit_code(self) -> int:
        return 3 if self.fault else 0


class MemberRow(Row, frozen=True):
    """One file of a pack."""

    name: str
    what: str
    bytes: Annotated[int, Count("size")]
    sha256: str


class TestRow(Row, frozen=True):
    """One question to a pack, and what was found."""

    test: str
    passed: bool
    evidence: str


class Pack(Result, frozen=True, kw_only=True):
    """What is in a pack, and whether it is as it should be."""

    title: ClassVar[str] = "Release pack"

    members: Annotated[
        tuple[MemberRow, ...], Heading("What leaves", ("name", "what", "bytes"), True)
    ]
    tests: Annotated[
        tuple[TestRow, ...], Heading("Checks", ("test", "passed", "evidence"), True)
    ] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        return tuple(f"{row.test}: {row.evidence}" for row in self.tests if not row.passed)

    @property
    def exit_code(self) -> int:
        return 3 if self.faults else 0

    @property
    def sentences(self) -> tuple[str, ...]:
        if self.faults:
            return tuple(f"{fault}." for fault in self.faults)
        total = sum(row.bytes for row in self.members)
        return (f"{len(self.members)} files, {total:,} bytes. {len(self.tests)} checks passed.",)

    @property
    def foot(self) -> tuple[str, ...]:
        return self.sentences

    @property
    def step(self) -> str:
        return str(self.settings["next"])


def in_scenario(rows: Iterable[Row], kind: type[Row], scenario: str) -> tuple[Any, ...]:
    """Rows of a result, with the scenario they are of."""
    return tuple(kind(**{n: row[n] for n in row.units()}, scenario=scenario) for row in rows)

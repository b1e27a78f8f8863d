"""`unveil.assess`: are real people in this release, and what would it tell of them?

What is told beyond what other people's records tell anyway is held against limits.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from unveil.arguments import Form, Seed, Texts
from unveil.errors import InputError
from unveil.gate.alerts import Gate, of_figures, of_files, rows_per_person, with_cause
from unveil.gate.columns import compared_columns
from unveil.gate.keys import measure_keys
from unveil.gate.links import measure_links
from unveil.gate.records import measure_records
from unveil.gate.rows import AlertRow, NotTestedRow
from unveil.gate.sentences import closing, headline_of, not_tested, opening
from unveil.measures.disclosure.formulas import AttributeRow, IdentityRow
from unveil.results import (
    OF_PEOPLE,
    PROPOSED,
    Audience,
    Check,
    Heading,
    PeopleFigure,
    Result,
    Verdict,
    exit_code,
    exit_code_of,
    limit_figures,
    parse_limits,
)
from unveil.results.result import Onward
from unveil.study import Unlike, measure

Limits = Annotated[
    Mapping[str, float],
    Form("a mapping of figures to numbers", "FIGURE=VALUE", parse_limits, ("--limit",)),
]
"""Limits by the names of their figures: {"beyond": 2, "DiSCO@health": 10}."""

SHOWN = ("what", "by", "people", "of", "expected", "beyond", "margin", "limit", "status")
STATUSES = {4: "decide", 3: "blocked"}


class Assessment(Result, frozen=True, kw_only=True):
    """What stands against a release, and what was not tested."""

    title: ClassVar[str] = "Assessment of a release"

    figures: Annotated[tuple[PeopleFigure, ...], Heading("Figures of people", SHOWN, True)]
    alerts: Annotated[
        tuple[AlertRow, ...], Heading("Alerts", ("status", "id", "sentence", "remedy"), True)
    ]
    attribute: Annotated[tuple[AttributeRow, ...], Heading("Values shown")]
    identity: Annotated[tuple[IdentityRow, ...], Heading("Uniques")]
    not_tested: Annotated[tuple[NotTestedRow, ...], Heading("Not tested")]

    @classmethod
    def limited(cls) -> set[str]:
        return super().limited() | {*OF_PEOPLE}

    @property
    def yours(self) -> dict[str, float]:
        """The limits that somebody chose; others are proposed for the audience."""
        return dict(self.settings["limits"])

    @property
    def checks(self) -> tuple[Check, ...]:
        """Limits of a policy, on figures of the papers, whatever is expected."""
        return self.check(_policy(self.yours))

    @property
    def exit_code(self) -> int:
        """0 within; 3 above a limit of your own, or blocked; 4 where a person must decide."""
        by_urgency = {"block": 3, "decide": 4, "review": 0}
        codes = {by_urgency[alert.status] for alert in self.alerts}
        codes |= {exit_code_of(self.figures, self.yours), exit_code(self.checks)}
        return 3 if 3 in codes else max(codes)

    @property
    def status(self) -> str:
        """In one word: blocked, decide, review or within."""
        return STATUSES.get(self.exit_code, "review" if self.alerts else "within")

    @property
    def headline(self) -> str:
        """One line for a log."""
        return headline_of(self)

    @property
    def verdict(self) -> Verdict:
        return Verdict(self.exit_code, self.status, self.headline)  # type: ignore[arg-type]

    @property
    def head(self) -> tuple[str, ...]:
        return opening(self)

    @property
    def sentences(self) -> tuple[str, ...]:
        return (
            *self.head,
            *(alert.sentence for alert in self.alerts),
            *(f"Not tested: {row.sentence}" for row in self.not_tested),
        )

    @property
    def foot(self) -> tuple[str, ...]:
        return tuple(": ".join(line) for line in closing(self))

    @property
    def next(self) -> str:
        return "alerts" if self.alerts else "figures"

    @property
    def onward(self) -> Onward:
        """Without a project, one is begun with the same files and what was said of them."""
        drops = ("--exclude", "--limit", "--seed", "--show", "--out", "--json")
        return Onward("", "init", drops=drops, adds=("--by", "Name, role"))


@measure
def assess(
    study: Unlike,
    *,
    exclude: Texts = (),
    limits: Limits = {},  # noqa: B006
    audience: Audience = "open",
    seed: Seed = None,
) -> Assessment:
    """Assess a release: real people in it, and what it tells beyond others' records.

    Parameters
    ----------
    study
        The files; keys and targets, where an intruder is assumed to know something.
    exclude
        What is common knowledge and is not counted, as in `disclosure`.
    limits
        The most that figures may be; those that are not given are proposed for the audience.
    audience
        Who will have the data: closed, registered or open.
    seed
        The start of the random numbers.
    """
    assert seed is not None
    _check_limits(limits)
    _, people = study.people()
    if not (columns := compared_columns(study)):
        raise InputError("The files have no column in common. Give their columns the same names.")
    keys = measure_keys(study, exclude, seed)
    figures = [
        *measure_records(study, columns), *keys.uniques, *measure_links(study, columns),
        *keys.figures, *keys.sensitive,
    ]  # fmt: skip
    limited = limit_figures(figures, PROPOSED[audience] | {**limits}, people)
    gate = Gate(study, columns, seed)
    alerts = [
        *(alert for side in study.sides() for alert in of_figures(study, limited, columns, side)),
        *(alert for side in study.sides() if side.copy != "pooled" for alert in gate.alerts(side)),
        *of_files(study), *rows_per_person(study, columns),
    ]  # fmt: skip
    assessment = Assessment(
        figures=limited,
        alerts=tuple(with_cause(alerts)),
        attribute=keys.attribute,
        identity=keys.identity,
        not_tested=tuple(not_tested(study, limited)),
        notes=keys.notes,
    )
    assessment.check(_policy(limits))  # refuses rows that are not there
    return assessment


def _policy(limits: Mapping[str, float]) -> dict[str, float]:
    """Limits of figures of the papers, and of single rows."""
    return {address: limit for address, limit in limits.items() if address not in OF_PEOPLE}


def _check_limits(limits: Mapping[str, float]) -> None:
    """Refuse limits on what is not measured here, before the work begins."""
    nothing: dict[str, Any] = dict.fromkeys(Assessment.headings(), ())
    empty = Assessment(**nothing)
    for address, limit in limits.items():
        empty.check({address.partition("@")[0]: limit})

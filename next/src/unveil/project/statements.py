"""What persons must state before a release, and whether what they stated still holds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from unveil.gate.sentences import ABOVE, measured, untold_kinds
from unveil.project.rows import AlertRow, CheckRow, FigureRow
from unveil.project.settings import QUESTIONS, Settings, Signed
from unveil.project.store import short_hash
from unveil.results import grouped
from unveil.results.limits import SEVERITY
from unveil.results.words import join_names

ACCEPTED, COMMON, RESIDUAL = "accepted", "common knowledge", "residual risk"
ALERTS = ("block", "decide")
WORST_FIRST = (*ALERTS, *SEVERITY)
CANNOT_TELL = "cannot-tell"


class Need(NamedTuple):
    """Something to be stated; `holds_for` is what the statement is of, as it is now."""

    about: str
    sentence: str
    choices: tuple[str, ...]
    holds_for: str
    is_of_figure: bool = False

    @property
    def is_blocking(self) -> bool:
        return self.holds_for.startswith(("above limit", "not measured", "block"))

    def is_met_by(self, statement: Signed | None) -> bool:
        """Whether it was stated, of the same or of something worse."""
        if statement is None:
            return False
        before, now = statement.holds_for, self.holds_for
        if before == now:
            return True
        if not self.is_of_figure:
            return False
        (status, beyond), (status_now, beyond_now) = (text.rsplit(" ", 1) for text in (before, now))
        is_no_worse = WORST_FIRST.index(status_now) >= WORST_FIRST.index(status)
        return is_no_worse and float(beyond_now) <= float(beyond)


def about_of(row: FigureRow | CheckRow) -> str:
    """The name by which a statement is about a figure."""
    if isinstance(row, CheckRow):
        return "/".join(filter(None, (row.scenario, f"{row.figure}@{row.subject}".rstrip("@"))))
    where = "sensitive" if row.kind == "sensitive" else row.scenario or row.kind
    return f"{where}/{row.what}" if row.kind != "links" else f"{where}/{row.what} by {row.by}"


def alert_of(row: FigureRow, stops: Mapping[str, AlertRow]) -> str:
    """The alert that says the same of a figure, and is stated in its place; else nothing."""
    about = {"records": "real-records", "links": f"own-value:{row.what}"}.get(row.kind, "")
    return about if about in stops else ""


def _now(alert: AlertRow) -> str:
    return f"{alert.status} {alert.beyond or 0:.6g}"


def needs(
    settings: Settings, limits: dict[str, float], files: dict[str, str],
    figures: Sequence[FigureRow], checks: Sequence[CheckRow], alerts: Sequence[AlertRow],
) -> Iterator[Need]:  # fmt: skip
    """Everything that persons must state before a release, whether it was stated or not."""
    if limits:
        yield Need("limits", "The limits are not accepted.", (ACCEPTED,), short_hash(limits))
    intruders = [(s.keys, s.targets) for s in settings.scenarios.values()]
    said_of = {
        "release_context": settings.context.audience,
        "other_sources": intruders,
        "intruder_knowledge": intruders,
        "method_released": [settings.synthesis, settings.protect, settings.pack.method],
    }
    for about, question in QUESTIONS.items():
        yield Need(about, question, ("a sentence",), short_hash(said_of.get(about)))
    stops = {alert.id: alert for alert in reversed(alerts) if alert.status in ALERTS}
    at_fault = [row for row in figures if row.status in ABOVE]
    for rows in grouped(at_fault, lambda row: alert_of(row, stops) or about_of(row)):
        worst = min(rows, key=lambda row: (SEVERITY.index(row.status), -(row.beyond or 0)))
        choices = (COMMON, RESIDUAL) if worst.kind == "sensitive" else (ACCEPTED,)
        now = f"{worst.status} {worst.beyond or 0:.6g}"
        alert = stops.pop(alert_of(worst, stops), None)
        if alert is None:
            about, sentence = about_of(worst), f"{measured(worst)}: {worst.status}."
        else:
            about, sentence = alert.id, alert.sentence
            now = _now(alert) if alert.status == "block" else now
        yield Need(about, sentence, choices, now, True)
    if untold := untold_kinds(figures):
        sentence = f"There are too few {settings.data.unit} to tell {join_names(untold)}."
        yield Need(CANNOT_TELL, sentence, (ACCEPTED,), short_hash([limits, files]))
    for alert in stops.values():
        yield Need(alert.id, alert.sentence, (ACCEPTED,), _now(alert), True)
    for check in checks:
        if check.status in ABOVE:
            value = "not measured" if check.value is None else f"{check.value:,.4g}"
            sentence = f"{about_of(check)} is {value}, and its limit is {check.limit:g}."
            now = f"{check.status} {check.value or 0:.6g}"
            yield Need(about_of(check), sentence, (ACCEPTED,), now, True)


def valid(needed: Iterable[Need], statements: Iterable[Signed]) -> dict[str, Signed]:
    """The statements that hold, by what they are about."""
    latest = {statement.about: statement for statement in statements}
    return {
        need.about: latest[need.about] for need in needed if need.is_met_by(latest.get(need.about))
    }

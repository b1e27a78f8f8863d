"""How do alerts read: on a terminal, in a notebook, on the report's first page?

One list, the gravest first. Of many alike the first are shown and the others counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from unveil.records.alerts import Alert, AlertStatus, Assessment, NotTested
from unveil.records.view import as_html, as_text
from unveil.report.words import and_list, counted, name, visible

WORDS: dict[AlertStatus, str] = {
    "block": "Block",
    "decide": "Decide",
    "review": "Review",
}
_ASKS: dict[AlertStatus, str] = {
    "block": "against a release",
    "decide": "for a person to decide",
    "review": "to review",
}
GLYPHS: dict[AlertStatus, str] = {"block": "■", "decide": "◆", "review": "▲"}
NO_VERDICT = "No limit set: this is not a verdict"
MOST_ALIKE = 3
"""So many alerts of one kind and status are shown."""


@dataclass(frozen=True)
class AlertText:
    """One alert as it is read."""

    status: AlertStatus
    head: str
    sentence: str
    action: str
    accepted: str | None


def alert_texts(
    alerts: Sequence[Alert], *, most: int | None = MOST_ALIKE
) -> Iterator[AlertText | str]:
    """Every alert in words; of many alike some, and a line that counts the others."""
    kinds = dict.fromkeys((one.status, one.kind, one.accepted is None) for one in alerts)
    for kind in kinds:
        alike = [one for one in alerts if (one.status, one.kind, one.accepted is None) == kind]
        for one in alike[:most]:
            yield alert_text(one)
        if most is not None and len(alike) > most:
            others = and_list(dict.fromkeys(name for one in alike[most:] for name in one.columns))
            about = f" about {others}" if others else ""
            yield f"... and {len(alike) - most:,} more of this kind{about}"


def alert_text(alert: Alert) -> AlertText:
    """One alert in words."""
    accepted = None
    if alert.accepted is not None:
        on = f" on {alert.accepted.on}" if alert.accepted.on else ""
        accepted = visible(
            f"Accepted by {alert.accepted.by}{on} for these files: {alert.accepted.reason}"
        )
    return AlertText(
        alert.status,
        f"{GLYPHS[alert.status]} {WORDS[alert.status]}  {visible(alert.id)}",
        visible(alert.sentence),
        alert.action,
        accepted,
    )


def not_tested_text(one: NotTested) -> str:
    """What was not tested, in a sentence."""
    if not one.columns:
        return one.sentence
    if one.what == "person":
        return f"{and_list(one.columns)} {one.sentence}"
    shown = list(one.columns[:8])
    left = len(one.columns) - len(shown)
    names = f"{', '.join(map(name, shown))} and {left} more" if left else and_list(shown)
    return f"{names} {'is' if len(one.columns) == 1 else 'are'} {one.sentence}"


def summary(alerts: Sequence[Alert]) -> str:
    """How many alerts there are, by what they ask for."""
    open_ = [one.status for one in alerts if one.accepted is None]
    n_accepted = len(alerts) - len(open_)
    said = [
        f"{counted(open_.count(status), 'alert')} {_ASKS[status]}"
        for status in WORDS
        if open_.count(status)
    ]
    if n_accepted:
        said.append(f"{n_accepted:,} accepted")
    return f"{'; '.join(said)}." if said else "No alert."


@as_text.register
def _(record: Assessment) -> str:
    told = [summary(record.alerts)]
    for one in alert_texts(record.alerts):
        told.append(one if isinstance(one, str) else f"{one.head}: {one.sentence}")
    told += [f"Not tested: {not_tested_text(one)}" for one in record.not_tested]
    return "\n".join(told if record.is_gate else [*told, NO_VERDICT])


@as_html.register
def _(record: Assessment) -> str:
    rows = "".join(f"<li>{escape(line)}</li>" for line in as_text(record).split("\n"))
    return f"<ul>{rows}</ul>"

"""How do alerts read: on a terminal, in a notebook, on the report's first page?

One list, the gravest first. Of many alike the first are shown and the others counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from unveil.records.alerts import Alert, AlertStatus, Assessment, NotTested
from unveil.view.format import and_list, format_count, truncate, visible
from unveil.view.show import as_html, as_text

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
    void: str | None = None  # why what a person accepted does not count


def alert_texts(
    alerts: Sequence[Alert], *, most: int | None = MOST_ALIKE
) -> Iterator[AlertText | str]:
    """Every alert in words; of many alike some, and a line that counts the others."""
    for alike in _alike(alerts):
        yield from map(alert_text, alike[:most])
        if most is not None and len(alike) > most:
            yield _more(alike[most:])


def _alike(alerts: Sequence[Alert]) -> Iterator[list[Alert]]:
    """The alerts of one kind and status together, those accepted apart; the gravest first."""
    kinds = dict.fromkeys((one.status, one.kind, one.accepted is None) for one in alerts)
    for kind in kinds:
        yield [one for one in alerts if (one.status, one.kind, one.accepted is None) == kind]


def _more(alerts: Sequence[Alert]) -> str:
    others = and_list(dict.fromkeys(name for one in alerts for name in one.columns))
    about = f" about {others}" if others else ""
    return f"... and {len(alerts):,} more of this kind{about}"


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
        None if alert.void is None else visible(alert.void),
    )


def is_open(alert: Alert) -> bool:
    """Whether an alert stands against a release, or asks a person to decide."""
    return alert.accepted is None and alert.status != "review"


def alerts_html(alerts: Sequence[Alert], not_tested: Sequence[NotTested]) -> str:
    """The alerts as a list, the gravest first, then what was not tested; every name is escaped.

    Of many alike the first are shown, and the others unfold.
    """
    rows = "".join(_rows(alike) for alike in _alike(alerts))
    left = "".join(f"<li>{escape(visible(not_tested_text(one)))}</li>" for one in not_tested)
    told = f'<ul class="alerts" aria-label="Alerts">{rows}</ul>' if rows else ""
    if left:
        told += f'<div class="untested"><p><strong>Not tested</strong></p><ul>{left}</ul></div>'
    return told


def _rows(alike: Sequence[Alert]) -> str:
    told = "".join(map(_row, alike[:MOST_ALIKE]))
    if len(alike) > MOST_ALIKE:
        rest = alike[MOST_ALIKE:]
        inner = "".join(map(_row, rest))
        told += (
            f"<li><details><summary>{escape(_more(rest))}</summary>"
            f'<ul class="alerts">{inner}</ul></details></li>'
        )
    return told


def _row(alert: Alert) -> str:
    one = alert_text(alert)
    told = [one.sentence, *([] if one.void is None else [one.void]), one.accepted or one.action]
    kind = "accepted" if one.accepted else one.status
    body = "".join(f"<p>{escape(text)}</p>" for text in told)
    return (
        f'<li class="alert a-{kind}" data-alert="{escape(visible(alert.id))}">'
        f"<p><strong>{escape(one.head)}</strong></p>{body}</li>"
    )


def not_tested_text(one: NotTested) -> str:
    """What was not tested, in a sentence."""
    if not one.columns:
        return one.sentence
    if one.what == "person":
        return f"{and_list(one.columns)} {one.sentence}"
    shown = list(one.columns[:8])
    left = len(one.columns) - len(shown)
    names = f"{', '.join(map(truncate, shown))} and {left} more" if left else and_list(shown)
    return f"{names} {'is' if len(one.columns) == 1 else 'are'} {one.sentence}"


def summary(alerts: Sequence[Alert]) -> str:
    """How many alerts there are, by what they ask for."""
    open_ = [one.status for one in alerts if one.accepted is None]
    n_accepted = len(alerts) - len(open_)
    said = [
        f"{format_count(open_.count(status), 'alert')} {_ASKS[status]}"
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

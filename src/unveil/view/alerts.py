"""How do alerts read, wherever they are shown? One list, the gravest first.

Of many alike the first are shown; the others are counted, and unfold.
"""

from collections.abc import Iterator, Sequence

from unveil.records.alerts import Alert, AlertStatus, Assessment, NotTested
from unveil.view.blocks import AlertBox, Block, Folded, Heading, Items, Sentence
from unveil.view.format import and_list, format_count, truncate, visible
from unveil.view.show import as_blocks, as_text

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


def alert_blocks(
    alerts: Sequence[Alert], not_tested: Sequence[NotTested] = ()
) -> Iterator[AlertBox | Folded | Heading | Items]:
    """Every alert, the gravest first; then what was not tested, which is always shown."""
    for alike in _alike(alerts):
        boxes = tuple(map(alert_box, alike))
        yield from boxes[:MOST_ALIKE]
        if len(boxes) > MOST_ALIKE:
            more = _more(alike[MOST_ALIKE:])
            yield Folded(more, boxes[MOST_ALIKE:], is_counted=True)
    if not_tested:
        yield Heading("Not tested", 4)
        yield Items(tuple(map(not_tested_text, not_tested)))


def _alike(alerts: Sequence[Alert]) -> Iterator[list[Alert]]:
    """The alerts of one kind and status together, those accepted apart; the gravest first."""
    kinds = dict.fromkeys((one.status, one.kind, one.accepted is None) for one in alerts)
    for kind in kinds:
        yield [one for one in alerts if (one.status, one.kind, one.accepted is None) == kind]


def _more(alerts: Sequence[Alert]) -> str:
    others = and_list(dict.fromkeys(name for one in alerts for name in one.columns))
    about = f" about {others}" if others else ""
    return f"... and {len(alerts):,} more of this kind{about}"


def alert_box(alert: Alert) -> AlertBox:
    """One alert: what it is, why an acceptance does not count, and what to do or who accepted."""
    action = alert.action
    if alert.accepted is not None:
        on = f" on {alert.accepted.on}" if alert.accepted.on else ""
        action = f"Accepted by {alert.accepted.by}{on} for these files: {alert.accepted.reason}"
    return AlertBox(
        alert.status if alert.accepted is None else "accepted",
        f"{GLYPHS[alert.status]} {WORDS[alert.status]}  {visible(alert.id)}",
        tuple(visible(text) for text in (alert.sentence, alert.void, action) if text),
        alert.id,
    )


def is_open(alert: Alert) -> bool:
    """Whether an alert stands against a release, or asks a person to decide."""
    return alert.accepted is None and alert.status != "review"


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


def alert_lines(alerts: Sequence[Alert], not_tested: Sequence[NotTested] = ()) -> Iterator[str]:
    """The same as lines of text, without what to do."""
    for one in alert_blocks(alerts):
        if isinstance(one, AlertBox):
            yield f"{one.head}: {one.lines[0]}"
        elif isinstance(one, Folded):
            yield one.summary
    yield from (f"Not tested: {visible(not_tested_text(one))}" for one in not_tested)


@as_text.register
def _(record: Assessment) -> str:
    verdict = [] if record.is_gate else [NO_VERDICT]
    told = alert_lines(record.alerts, record.not_tested)
    return "\n".join([summary(record.alerts), *told, *verdict])


@as_blocks.register
def _(record: Assessment) -> Iterator[Block]:
    yield Heading(summary(record.alerts))
    yield from alert_blocks(record.alerts, record.not_tested)
    if not record.is_gate:
        yield Sentence(NO_VERDICT)

"""How do alerts look on a terminal? What blocks in red, what a person decides in yellow, first."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from unveil.records.alerts import Alert, AlertStatus, NotTested
from unveil.view.alerts import AlertText, alert_texts, not_tested_text
from unveil.view.format import lines

_STYLES: dict[AlertStatus, str] = {"block": "bold red", "decide": "bold yellow"}


def alert_panels(
    alerts: Sequence[Alert], not_tested: Sequence[NotTested]
) -> Iterator[RenderableType]:
    """Every alert, the gravest first; then what was not tested, which is always shown."""
    for one in alert_texts(alerts):
        yield Padding(Text(one, "dim"), (0, 0, 0, 1)) if isinstance(one, str) else _alert(one)
    if alerts:
        yield Text()
    if not_tested:
        yield Text("Not tested", style="bold underline")
        for left in not_tested:
            yield Padding(Text(lines(not_tested_text(left))), (0, 0, 0, 1))
        yield Text()


def _alert(one: AlertText) -> RenderableType:
    """A panel for what stands against a release; plain lines for a review or what is accepted."""
    void = [] if one.void is None else [Text(one.void)]
    said = [Text(one.sentence), *void, Text(one.accepted or one.action, "dim")]
    if one.accepted is not None or one.status not in _STYLES:
        return Padding(Group(Text(one.head, "bold"), *(Padding(s, (0, 2)) for s in said)), (0, 1))
    return Panel(
        Group(*said), title=Text(one.head), title_align="left", border_style=_STYLES[one.status]
    )

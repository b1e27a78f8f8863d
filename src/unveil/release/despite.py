"""Why is something released although alerts stand against it? One reason for each, by its id."""

from collections.abc import Iterator, Mapping, Sequence

from unveil.errors import SettingsError, listed, quoted
from unveil.judge.assess import barred, is_barred, refuse_acceptances
from unveil.judge.missing import typed
from unveil.records.alerts import Alert
from unveil.records.judgement import Judgement
from unveil.release.people import reason_given

Despite = Mapping[str, str] | Sequence[str]
"""Reasons by the id of an alert, or texts such as "near-copies=why"."""

MOST_ALERTS = 5
"""So many alerts are told in full; the others by their ids."""


def read_despite(given: Despite, judgement: Judgement) -> dict[str, str]:
    """A reason for each alert that is named; one that is not there, or not open, is refused."""
    known = [one.id for one in judgement.alerts]
    pairs = given.items() if isinstance(given, Mapping) else [_pair(one, known) for one in given]
    found: dict[str, str] = {}
    for alert, reason in pairs:
        if alert in found:
            raise SettingsError(f"--despite names {alert} twice. Give it one reason.")
        found[alert] = reason_given(reason, "--despite", f"Say why it is released despite {alert}")
    still = [one.id for one in judgement.alerts if _is_open(one)]
    for alert in found:
        if alert in known and alert not in still:
            raise SettingsError(
                f"--despite is not needed for {alert}: it does not stand against a release, or was"
                " accepted. Leave it out."
            )
    refuse_acceptances(found, judgement.alerts, None)
    return found


def _pair(text: str, known: Sequence[str]) -> tuple[str, str]:
    """The id and the reason in a text; an id may have an equals sign in it."""
    mine = [id_ for id_ in known if text.startswith(f"{id_}=")]
    if mine:
        id_ = max(mine, key=len)
        return id_, text[len(id_) + 1 :]
    alert, equals, reason = text.partition("=")
    if not equals or not alert:
        raise SettingsError(
            f"--despite {quoted(text)} names no alert. Write its id, =, and why:"
            ' --despite "near-copies=...".'
        )
    return alert, reason


def _is_open(one: Alert) -> bool:
    return one.accepted is None and one.status != "review"


def standing_alerts(judgement: Judgement, despite: Mapping[str, str]) -> list[Alert]:
    """The alerts that stand against a release: without a reason, or with one that nobody can give.

    What nobody can accept for an open audience stands whatever is said of it.
    """
    return [
        one
        for one in judgement.alerts
        if _is_open(one) and (one.id not in despite or is_barred(one, judgement.audience))
    ]


def told_against(alerts: Sequence[Alert], judgement: Judgement) -> Iterator[str]:
    """Each alert, and what can be done about it; of many the last by their ids."""
    for one in alerts[:MOST_ALERTS]:
        never = f" {barred(one)}" if is_barred(one, judgement.audience) else ""
        yield f"{one.id}: {one.sentence}{never}"
    if left := alerts[MOST_ALERTS:]:
        yield f"{len(left):,} more alerts: {listed((one.id for one in left), most=40)}."
    if any(not is_barred(one, judgement.audience) for one in alerts):
        yield (
            "Lower the risk; or say of each alert why it is released all the same:"
            f" --despite {typed(alerts[0].id + '=...')}."
        )

"""What can be said about a release on the command line: identifiers, control, acceptances."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import click

from unveil.assessment.assess_release import check_acceptances
from unveil.cli.options import names_option, option, together
from unveil.errors import SettingsError, quote_text
from unveil.records.alerts import Acceptance, Assessment
from unveil.records.judgement import Audience

Command = Callable[..., Any]


@dataclass(frozen=True)
class GateOptions:
    """All that was said about the release."""

    identifiers: tuple[str, ...] = ()
    sensitive: dict[str, list[str]] = field(default_factory=dict)
    control: str | None = None
    audience: Audience | None = None
    accept: dict[str, str] = field(default_factory=dict)  # why each alert is accepted
    by: str | None = None
    is_full: bool = False

    def acceptances(self, digest: str | None) -> list[Acceptance]:
        """What is accepted, bound to the files."""
        on = datetime.now(UTC).strftime("%Y-%m-%d")
        return [
            Acceptance(alert=alert, reason=reason, by=self.by or "", on=on, files_sha256=digest)
            for alert, reason in self.accept.items()
        ]

    def refuse_unknown(self, assessment: Assessment) -> None:
        """Refuse to accept what is not there, or what nobody may accept."""
        check_acceptances([*self.accept], assessment.alerts, self.audience)


def gate_options(command: Command) -> Command:
    """--identifier, --sensitive, --control, --audience, --accept, --reason, --by, --assess."""

    def gather_options(**given: Any) -> Any:
        gate = GateOptions(
            identifiers=given.pop("identifier"),
            sensitive=_sensitive(given.pop("sensitive")),
            control=given.pop("control"),
            audience=given.pop("audience"),
            accept=_check_by(pair_reasons(given.pop("accept"), given.pop("reason")), given["by"]),
            by=given.pop("by"),
            is_full=given.pop("is_full"),
        )
        return command(**given, gate=gate)

    gather_options.__doc__, gather_options.__name__ = command.__doc__, command.__name__
    if hasattr(command, "__click_params__"):
        gather_options.__click_params__ = command.__click_params__  # type: ignore[attr-defined]
    return together(*_OPTIONS)(gather_options)


_OPTIONS = (
    option("--assess is_full", "Run all checks of the files, even without --limit.", is_flag=True),
    names_option("--identifier", "Identifiers, in addition to those recognised."),
    option(
        "--sensitive",
        "A sensitive value, reported separately: hiv_test=positive. May be repeated.",
        "COLUMN=VALUE",
        multiple=True,
    ),
    option("--control", "Control sample: people whose records were not used.", "FILE"),
    option(
        "--audience",
        "Audience of the release.",
        type=click.Choice(["closed", "registered", "open"]),
    ),
    option(
        "--accept",
        "Accept an alert for these files, with --reason and --by. May be repeated.",
        "ID",
        multiple=True,
    ),
    option("--reason", "The reason; one for each --accept.", "TEXT", multiple=True),
    option("--by", 'Who accepts: "Name, role".', "NAME"),
)


def _sensitive(given: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in given:
        column, equals, level = text.partition("=")
        if not column or not equals or not level:
            raise SettingsError(
                f"--sensitive {quote_text(text)} cannot be read. Write a column, =, and a value:"
                " hiv_test=positive."
            )
        found.setdefault(column, []).append(level)
    return found


def pair_reasons(alerts: tuple[str, ...], reasons: tuple[str, ...]) -> dict[str, str]:
    """A reason for each alert that is accepted."""
    said = [reason for reason in reasons if reason.strip()]
    if not len(set(alerts)) == len(alerts) == len(said) == len(reasons):
        raise SettingsError(
            f"Give one --reason for each --accept (alerts: {len(alerts)}, reasons: {len(said)})."
        )
    return dict(zip(alerts, reasons, strict=True))


def _check_by(alerts: dict[str, str], by: str | None) -> dict[str, str]:
    if alerts and not (by or "").strip():
        raise SettingsError('A name is required to accept an alert: --by "Name, role".')
    if by and not alerts:
        raise SettingsError("--by names who accepts an alert. Give the alert: --accept ID.")
    return alerts

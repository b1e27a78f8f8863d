"""Figures of people, limits, and the one place that gives a figure its status.

``{"beyond": 2}`` binds every figure of people, in percent of people beyond what is expected;
``{"DiSCO@health": 10}`` binds one row of a table.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Annotated, Any, Literal

import msgspec

from unveil.errors import InputError, check_name
from unveil.results.result import Copy, Result, Row, Table
from unveil.results.units import Count, Figure, Number, People, Unit

Status = Literal[
    "not measured",
    "above limit",
    "to be decided",
    "cannot reach the limit",
    "cannot tell",
    "within limit",
    "no limit",
]
CHANCE_ABOVE = 1 / 10_000  # that chance alone puts the worst of all figures above its limit
CHANCE_DECIDE = 1 / 100  # or among those to be decided


class PeopleFigure(Row, frozen=True):
    """What would be found of people beside what is expected anyway: one shape for all of it."""

    version: str
    copy: Copy
    kind: str
    what: str
    by: str
    people: Annotated[Figure, Count("people")]
    of: Annotated[Figure, Count("people who were asked about")]
    shares: Annotated[Figure, People("by the shares alone")] = None
    expected: Annotated[Figure, People("by other people's records", "", "from others")] = None
    beyond: Annotated[Figure, People("people less expected")] = None
    margin: Annotated[Figure, People("half of the 95 % interval of beyond")] = None
    reach: Annotated[Figure, People("beyond of an exact copy of the original")] = None
    limit: Annotated[Figure, People("most people beyond")] = None
    status: Status = "no limit"
    symbol: str = ""

    @property
    def may_block(self) -> bool:
        """Exceptions are not calibrated: they may ask for a decision, never block."""
        return self.symbol != "exceptions"

    def beside_limit(self, limit: float, searched: int) -> "PeopleFigure":
        """The same with its limit and status; `searched` figures might have been the worst."""
        return msgspec.structs.replace(self, limit=limit, status=status_of(self, limit, searched))


def status_of(figure: PeopleFigure, limit: float, searched: int = 1) -> Status:
    """The first that holds, as measured on files that disclose and files that do not."""
    beyond, margin = figure.beyond, figure.margin
    if figure.of == 0:
        return "within limit"
    if beyond is None or margin is None:
        return "not measured"
    if figure.may_block and beyond - _margins(CHANCE_ABOVE / searched) * margin > limit:
        return "above limit"
    if beyond > limit and beyond > _margins(CHANCE_DECIDE / searched) * margin:
        return "to be decided"
    if figure.reach is not None and figure.reach <= limit:
        return "cannot reach the limit"
    return "cannot tell" if margin > limit else "within limit"


def _margins(chance: float) -> float:
    """How many margins are passed with this chance."""
    return NormalDist().inv_cdf(1 - chance) / NormalDist().inv_cdf(0.975)


class Check(Row, frozen=True):
    """One figure beside its limit; of several copies the worst."""

    figure: str
    version: str
    copy: Copy
    subject: str
    value: Annotated[Figure, Number()]
    limit: Annotated[float, Number()]
    status: Status
    of: Annotated[Figure, Count("people, where value and limit are people beyond expected")] = None


def check_limits(result: Result, limits: Mapping[str, float]) -> tuple[Check, ...]:
    """Hold the figures of a result against limits: a figure, or figure@subject, with a number."""
    if not isinstance(limits, Mapping):
        raise InputError("Limits are a mapping of figures to numbers: {'DiSCO': 10}.")
    return tuple(
        check for address, limit in limits.items() for check in _checks(result, address, limit)
    )


def _checks(result: Result, address: str, limit: float) -> Iterator[Check]:
    name, _, subject = str(address).partition("@")
    check_name(name, sorted(result.limited()), "No limit can be set on")
    table = None if name == "beyond" else _table_with(result, name)
    highest = table.units[name].highest if table else 100
    is_number = not isinstance(limit, bool) and hasattr(limit, "__float__")
    if not is_number or not 0 <= float(limit) <= highest:
        raise InputError(
            f"The limit of {name} takes a number from 0 to {highest:g}, not {limit!r}."
        )
    checks = _of_rows(table, name, limit) if table else _of_people(result, limit)
    subjects = dict.fromkeys(check.subject for check in checks)
    if subject and not any(subjects):
        raise InputError(f"{name} has one row: limit it without '@{subject}'.")
    if subject:
        check_name(subject, subjects, f"{name} has no row for")
    yield from (check for check in checks if subject in ("", check.subject))


def _of_people(result: Result, percent: float) -> list[Check]:
    """Every figure of people beside one limit, in percent of them; exceptions where they ask."""
    checks = []
    for figures in grouped(result.figures, lambda figure: (figure.version, figure.copy)):
        searched = result.searched or len({figure.what for figure in figures})
        for figure in figures:
            limit = percent * (figure.of or 0) / 100
            figure = figure.beside_limit(limit, searched)
            if figure.may_block or figure.status == "to be decided":
                checks.append(Check(
                    figure="beyond" if figure.may_block else figure.symbol,
                    version=figure.version, copy=figure.copy, subject=figure.what,
                    value=figure.beyond, limit=limit, of=figure.of, status=figure.status,
                ))  # fmt: skip
    return [_worst(of_subject) for of_subject in grouped(checks, lambda check: (
        check.figure, check.version, check.subject))]  # fmt: skip


def _of_rows(table: Table, name: str, limit: float) -> list[Check]:
    unit = table.units[name]
    checks = [
        Check(
            figure=name, version=row["version"], copy=row["copy"], subject=row.subject,
            value=row[name], limit=limit, status=_status_of_value(row[name], limit, unit),
        )
        for row in table.rows
        if row["copy"] != "sd"
    ]  # fmt: skip
    return [_worst(of_subject) for of_subject in grouped(checks, lambda check: (
        check.version, check.subject))]  # fmt: skip


def _status_of_value(value: Figure, limit: float, unit: Unit) -> Status:
    if value is None:
        return "within limit" if unit.undefined else "not measured"  # nobody is concerned
    return "above limit" if value > limit else "within limit"


SEVERITY: tuple[Status, ...] = (
    "above limit", "not measured", "to be decided", "cannot tell", "within limit",
    "cannot reach the limit", "no limit",
)  # fmt: skip


def _worst(checks: Sequence[Check]) -> Check:
    return min(
        checks,
        key=lambda check: (
            SEVERITY.index(check.status), -math.inf if check.value is None else -check.value
        ),
    )  # fmt: skip


def grouped(rows: Iterable[Any], about: Any) -> list[list[Any]]:
    """Rows that are about the same, together."""
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(about(row), []).append(row)
    return list(groups.values())


def _table_with(result: Result, name: str) -> Table:
    """The first table that has the figure."""
    tables = result.all_tables()
    return next(t for t in tables if name in t.units and t.units[name].limited)


def exit_code(checks: Sequence[Check]) -> int:
    """0 within; 3 above a limit of your own, or not measured; 4 where a person must decide."""
    statuses = {check.status for check in checks}
    if statuses & {"above limit", "not measured"}:
        return 3
    of_people = {check.status for check in checks if check.figure == "beyond"}
    return 4 if "to be decided" in statuses or of_people == {"cannot tell"} else 0


def parse_limits(texts: Iterable[str]) -> dict[str, float]:
    """Limits written as texts: ``DiSCO@health=5``."""
    limits = {}
    for text in texts:
        address, _, number = text.rpartition("=")
        if address in limits:
            raise InputError(f"There are two limits of {address}. Give one.")
        try:
            limits[address] = float(number)
        except ValueError:
            raise InputError(f"The limit {text!r} is no FIGURE=NUMBER, as DiSCO=10.") from None
    return limits

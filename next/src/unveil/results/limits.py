"""Figures of people, limits, and the one place that gives a figure its status.

``{"beyond": 2}`` binds every figure of people, in percent of people beyond what is expected;
``{"DiSCO@health": 10}`` binds one row of a table.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Annotated, Any, Literal, NamedTuple

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
TOLD_OF_RECORDS = 0.02  # of people: a wider margin tells nothing of real records
COMPLETE, NEARLY = "equal in all variables", "different in at most one"
ALONE = "equal in all variables, nobody else alike"

Audience = Literal["closed", "registered", "open"]
PROPOSED: dict[Audience, dict[str, float]] = {
    "closed": {"beyond": 3, "real_records": 0.5, "GTCAP": 0.5, "R": 0.2, "SAP": 0.1,
               "recovered": 0, "ECAP": 0.2},
    "registered": {"beyond": 2, "real_records": 0.1, "GTCAP": 0.3, "R": 0.1, "SAP": 0.05,
                   "recovered": 0, "ECAP": 0.2},
    "open": {"beyond": 1, "real_records": 0, "GTCAP": 0.2, "R": 0.05, "SAP": 0.01,
             "recovered": 0, "ECAP": 0.1},
}  # fmt: skip
"""Limits to start from; only that of ECAP is published (Chapelle and Falissard)."""
MOST_REAL = 100  # complete records, whatever the percentage


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
    searched: Annotated[int, Count("figures of which it is the worst")] = 1

    @property
    def may_block(self) -> bool:
        """Exceptions are not calibrated: they may ask for a decision, never block."""
        return self.symbol != "exceptions"

    @property
    def surely_beyond(self) -> float:
        """What is beyond expected and beyond chance, also if it is the worst of many."""
        return (self.beyond or 0) - _margins(CHANCE_ABOVE / self.searched) * (self.margin or 0)

    @property
    def limited_by(self) -> str:
        """The name of the limit that binds it."""
        if self.kind == "records":
            return "beyond" if self.what == NEARLY else "real_records"
        return "sensitive" if self.kind == "sensitive" else "beyond"

    def beside_limit(self, limit: Figure) -> "PeopleFigure":
        """The same with its limit and status."""
        return msgspec.structs.replace(self, limit=limit, status=status_of(self, limit))


def limit_figures(
    figures: Iterable[PeopleFigure], limits: Mapping[str, float], people: int
) -> tuple[PeopleFigure, ...]:
    """Figures beside limits in percent: of all people, or of those who have a sensitive value."""

    def limit_of(figure: PeopleFigure) -> Figure:
        percent = limits.get(figure.limited_by)
        if percent is None or (figure.kind == "uniques" and figure.expected is None):
            return None
        if figure.limited_by == "sensitive":
            return percent * (figure.of or 0) / 100
        most = MOST_REAL if figure.limited_by == "real_records" else math.inf
        return min(percent * people / 100, most)

    return tuple(figure.beside_limit(limit_of(figure)) for figure in figures)


def status_of(figure: PeopleFigure, limit: Figure) -> Status:
    """The first that holds, as measured on files that disclose and files that do not."""
    beyond, margin, searched = figure.beyond, figure.margin, figure.searched
    if figure.of == 0:
        return "within limit"
    if limit is None and figure.kind != "sensitive":
        return "no limit"
    if beyond is None or margin is None:
        return "not measured"
    if limit is None:  # of a sensitive value, which a person decides
        return "to be decided" if beyond > _margins(CHANCE_ABOVE) * margin else "no limit"
    if figure.may_block and figure.surely_beyond > limit:
        return "above limit"
    if beyond > limit and beyond > _margins(CHANCE_DECIDE / searched) * margin:
        return "to be decided"
    if figure.reach is not None and figure.reach <= limit:
        return "cannot reach the limit"
    if figure.kind == "records" and (blind := _blind_to_copies(figure, limit)):
        return blind
    tells = TOLD_OF_RECORDS * (figure.of or 0) if figure.kind == "records" else limit
    return "cannot tell" if margin > tells else "within limit"


def _blind_to_copies(figure: PeopleFigure, limit: float) -> Status | None:
    """Why not even an exact copy would be told from chance: all have twins, or people are few."""
    reach, of = max(figure.reach or 0, 0), figure.of or 0
    by_chance = _margins(CHANCE_DECIDE) * 1.96 * math.sqrt(2 * reach)  # of people met in pairs
    if reach - by_chance > limit:
        return None
    return "cannot reach the limit" if reach <= TOLD_OF_RECORDS * of else "cannot tell"


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


OF_PEOPLE = ("beyond", "real_records", "sensitive")
"""Limits of figures of people; any other is on the column that it names."""


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
    table = None if name in OF_PEOPLE else _table_with(result, name)
    highest = table.units[name].highest if table else 100
    is_number = not isinstance(limit, bool) and hasattr(limit, "__float__")
    if not is_number or not 0 <= float(limit) <= highest:
        raise InputError(
            f"The limit of {name} takes a number from 0 to {highest:g}, not {limit!r}."
        )
    checks = _of_rows(table, name, limit) if table else _of_people(result, name, limit)
    subjects = dict.fromkeys(check.subject for check in checks)
    if subject and not any(subjects):
        raise InputError(f"{name} has one row: limit it without '@{subject}'.")
    if subject:
        check_name(subject, subjects, f"{name} has no row for")
    yield from (check for check in checks if subject in ("", check.subject))


def _of_people(result: Result, name: str, percent: float) -> list[Check]:
    """Every figure of people that a limit binds, in percent; exceptions where they ask."""
    checks = []
    bound = [figure for figure in result.figures if figure.limited_by == name]
    for figures in grouped(bound, lambda figure: (figure.version, figure.copy)):
        searched = result.searched or len({figure.what for figure in figures})
        counted = (msgspec.structs.replace(f, searched=max(f.searched, searched)) for f in figures)
        for figure in limit_figures(counted, {name: percent}, int(figures[0].of or 0)):
            if figure.may_block or figure.status == "to be decided":
                checks.append(Check(
                    figure=name if figure.may_block else figure.symbol,
                    version=figure.version, copy=figure.copy, subject=figure.what,
                    value=figure.beyond, limit=figure.limit or 0, of=figure.of,
                    status=figure.status,
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


class Verdict(NamedTuple):
    """What a script reads of an assessment, and a log keeps."""

    exit_code: int
    status: Literal["blocked", "decide", "review", "within"]
    headline: str


def exit_code_of(figures: Sequence[PeopleFigure], yours: Collection[str]) -> int:
    """3 where a limit of your own is exceeded or without a figure; 4 where a person must decide.

    A kind of figures was not measured where none of it could be told; `yours` are the names of the
    limits that somebody chose, others are proposed.
    """
    blocks = {"above limit", "not measured"}
    if any(figure.status in blocks and figure.limited_by in yours for figure in figures):
        return 3
    told = [figure for figure in figures if figure.kind in ("records", "keys", "links")]
    kinds = ({figure.status for figure in of_kind} for of_kind in grouped(told, kind_of))
    untold = any(statuses <= {"cannot tell", "not measured"} for statuses in kinds)
    asks = {"above limit", "to be decided"} & {figure.status for figure in figures}
    return 4 if asks or untold else 0


def kind_of(figure: PeopleFigure) -> str:
    return figure.kind


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

"""Attacks as rows that people read: what was attacked, how often it succeeded, what R says."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from unveil.records.attacks import AttackName, AttackRow, Attacks, Interval
from unveil.view.format import format_count, lines, ratio, truncate

Reading = Literal["above 0", "holds 0", "below 0", "no R", "no control"]

TITLES: dict[AttackName, str] = {
    "singling_out_univariate": "singling out by one column",
    "singling_out_multivariate": "singling out by several columns",
    "linkability": "linkability",
    "inference": "inference",
}
MARKS: dict[Reading, str] = {
    "above 0": "↑",
    "holds 0": "≈",
    "below 0": "↓",
    "no R": "-",
    "no control": "-",
}
HEADS = ("attack", "guesses", "main %", "naive %", "control %", "R", "interval")
LEGEND = "R: ↑ its interval lies above 0, ≈ includes 0, ↓ lies below 0."
RATES = (
    "Rates are centres of Wilson's intervals, a little nearer to 50 % than successes by guesses: no"
    " success in 1,000 guesses is 0.2 %."
)
WILSON = "Wilson's"
WHICH = "Intervals are by bootstrap; {} where fewer than 30 descriptions were tried."
_FIGURE = re.compile(r"\d[\d,.]*")
_MOST_NAMED = 4


@dataclass(frozen=True)
class AttackDisplayRow:
    """One row of a record, with what it is called."""

    row: AttackRow
    k: int | None

    @property
    def kind(self) -> str:
        """The attack, with its number of neighbours where there is a choice."""
        title = TITLES[self.row.attack]
        return f"{title}, k = {self.k}" if self.row.attack == "linkability" else title

    @property
    def label(self) -> str:
        """The attack and its secret, by itself."""
        return self.kind if self.row.target is None else f"{self.kind}: {self.secret}"

    @property
    def secret(self) -> str:
        """What is guessed, and of whom."""
        of = "" if self.row.group is None else f" = {truncate(self.row.group)}"
        return f"{truncate(self.row.target or '')}{of}"

    @property
    def interval(self) -> Interval | None:
        """That of the bootstrap, or of the delta method where there is too little to draw from."""
        return self.row.interval

    @property
    def reading(self) -> Reading:
        """Where the interval of R lies."""
        if self.row.control_successes is None:
            return "no control"
        if self.row.R is None or self.interval is None:
            return "no R"
        low, high = self.interval
        return "above 0" if low > 0 else "below 0" if high < 0 else "holds 0"


def attack_rows(records: Sequence[Attacks]) -> list[AttackDisplayRow]:
    """All rows, attack by attack as they were made; within one the highest risk first.

    The groups of a secret follow it.
    """
    return [shown for record in records for shown in _in_order(record)]


def _in_order(record: Attacks) -> list[AttackDisplayRow]:
    risks = {(row.attack, row.target): row.risk for row in record.rows if row.group is None}
    kinds = list(TITLES)

    def place(row: AttackRow) -> tuple[int, float, str, bool, float]:
        return (
            kinds.index(row.attack),
            -_or_least(risks[row.attack, row.target]),
            row.target or "",
            row.group is not None,
            -_or_least(row.risk),
        )

    return [AttackDisplayRow(row, record.k) for row in sorted(record.rows, key=place)]


def _or_least(risk: float | None) -> float:
    return -1e9 if risk is None else risk


def cells(shown: AttackDisplayRow) -> tuple[str, ...]:
    """What stands under HEADS, but for the first."""
    row = shown.row
    return (
        f"{row.n_found:,}",
        *(rate(value) for value in (row.main, row.naive, row.control)),
        f"{MARKS[shown.reading]} {ratio(row.R)}" if row.R is not None else "-",
        ends(shown),
    )


def rate(value: float | None) -> str:
    """A rate in percent, with one decimal and without its sign; never a positive 0.0."""
    if value is None:
        return "-"
    shown = f"{100 * value:.1f}"
    return "<0.1" if shown == "0.0" and value else shown


def ends(shown: AttackDisplayRow) -> str:
    """The interval of R; of the main rate, in percent, without a control."""
    if shown.interval is None:
        return "-"
    if shown.row.control_successes is None:
        return " to ".join(rate(end) for end in shown.interval)
    return " to ".join(ratio(end) for end in shown.interval)


def legend(records: Sequence[Attacks]) -> str:
    """How to read the table."""
    if has_control(records):
        return f"{LEGEND} {WHICH.format('by the delta method')} {RATES}"
    return f"{WHICH.format(WILSON)} {RATES}"


def has_control(records: Sequence[Attacks]) -> bool:
    """Whether there is an R to be shown."""
    return any(record.n_control is not None for record in records)


def warnings(records: Sequence[Attacks]) -> list[str]:
    """Each warning once, with the rows it is about; of those alike but for figures the first."""
    about: dict[str, dict[str, str]] = {}
    for shown in attack_rows(records):
        for warning in shown.row.warnings:
            about.setdefault(_FIGURE.sub("#", warning), {})[shown.label] = lines(warning)
    return [*_data_warnings(records), *map(_about, about.values())]


def _data_warnings(records: Sequence[Attacks]) -> list[str]:
    """Those about the data, each once: by most columns, where fewest records are alike."""
    by_kind: dict[str, str] = {}
    for record in sorted(records, key=lambda record: record.n_shared_with_control or 0):
        for warning in record.warnings:
            by_kind.setdefault(_FIGURE.sub("#", warning), lines(warning))
    return list(by_kind.values())


def _about(warnings: dict[str, str]) -> str:
    """One warning about several rows; where they differ in figures, those of the first."""
    of_first = " (Figures of the first.)" if len(set(warnings.values())) > 1 else ""
    return f"{_join_labels(warnings)}: {next(iter(warnings.values()))}{of_first}"


def _join_labels(labels: Iterable[str]) -> str:
    named = list(labels)
    more = len(named) - _MOST_NAMED
    tail = f" and {format_count(more, 'more row')}" if more > 0 else ""
    return _first_up("; ".join(named[:_MOST_NAMED]) + tail)


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]

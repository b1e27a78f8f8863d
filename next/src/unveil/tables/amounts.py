"""`unveil.amounts`: tables of sums, such as turnover: what must be hidden, and what is left open.

All tables are one system, as counts are (`network`); rules, unions and insiders stand in
`contributions`, and `suppression` chooses what else is hidden.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from unveil.arguments import Form, Texts, as_names, split_names
from unveil.counts.cells import Floats, Ints
from unveil.errors import InputError
from unveil.results import Count, Figure, Heading, Note, Result, Row, Text
from unveil.results.units import Truth
from unveil.results.words import count, join_names
from unveil.study import ORIGINAL, Records, Study, measure
from unveil.tables.contributions import Contributions, Rule, SumSuppression, amounts_of
from unveil.tables.network import Network
from unveil.tables.plan_file import PlanFile, TableOfPlan, network_of_records
from unveil.tables.ranges import tighten
from unveil.tables.suppression import place_of, refuse_both
from unveil.tables.system import Truths

LARGEST = 2.0**20  # sums are scaled to about this, for the solver
LEAST = Rule()


def _parse_rule(texts: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in split_names(texts)]
    return {name.strip(): number for name, _, number in pairs}


def _parse_tables(texts: Sequence[str]) -> Any:
    """A plan, or the columns of one table."""
    return texts[0] if texts[0].lower().endswith(".toml") else [split_names(texts)]


RuleOf = Annotated[
    Rule, Form("least, p, or n and k with their numbers", "NAME=NUMBER", _parse_rule)
]
TablesOf = Annotated[
    Any, Form("the columns of each table, or the path of a plan", "NAMES", _parse_tables)
]


class SumRow(Row, frozen=True):
    """One sum of one table, or one that no table shows and that is not protected."""

    table: str
    levels: tuple[str, ...]
    value: Annotated[Figure, Count("the sum as it can be published; empty where it is hidden")]
    hidden: Annotated[bool, Truth("whether it is hidden")]
    lower: Annotated[float, Count("the least that it can be, by all that is published")]
    upper: Annotated[Figure, Count("the most; empty: no bound")]
    contributors: Annotated[int, Count("units that give to it")]
    unsafe: Annotated[bool, Truth("whether the rule says so", "Handbook on SDC 4.2")]
    protection: Annotated[
        float, Count("how far above the sum readers must be left", "Handbook on SDC 4.2")
    ]
    safe: Annotated[bool, Truth("not unsafe, or left open as far as the rule asks")]


class InsiderRow(Row, frozen=True):
    """A unit that could estimate what another gave more closely than the rule allows."""

    unit: Annotated[str, Text("its place among those who give to the sum")]
    table: str
    levels: tuple[str, ...]
    most: Annotated[float, Count("the most that all others can have given, by what it knows")]
    largest: Annotated[float, Count("the largest of their contributions")]


class Amounts(Result, frozen=True, kw_only=True):
    """Sums that are hidden, and what readers and contributors can tell of them."""

    title: ClassVar[str] = "What tables of sums disclose"

    cells: Annotated[
        tuple[SumRow, ...],
        Heading("Sums", ("levels", "value", "lower", "upper", "unsafe", "safe"), True),
    ]
    insiders: Annotated[tuple[InsiderRow, ...], Heading("Who could estimate another's amount")]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(self._sentences())

    @property
    def head(self) -> tuple[str, ...]:
        return self.sentences

    def _sentences(self) -> Iterator[str]:
        rows = {row.levels: row for row in self.cells if row.table}.values()
        unsafe = [row for row in rows if row.unsafe]
        if not unsafe:
            others = sum(row.hidden for row in rows)
            hidden = f" Hidden: {count(others)} that are secret or protect these." if others else ""
            yield f"None of the {count(len(rows))} sums is unsafe by the rule.{hidden}"
        else:
            verb = "is" if len(unsafe) == 1 else "are"
            n_hidden = sum(row.hidden for row in unsafe)
            others = sum(row.hidden for row in rows) - n_hidden
            yield (
                f"{count(len(unsafe))} of {count(len(rows))} sums {verb} unsafe by the rule."
                f" Hidden: {count(n_hidden)} of these, and {count(others)} more to protect them."
            )
        left = {row.levels for row in self.cells if not row.safe}
        if left:
            yield (
                f"{count(len(left))} can be estimated more closely than the rule allows. Publish"
                " fewer tables or margins, keep fewer values, or merge levels."
            )
        elif any(row.hidden for row in rows):
            yield "Readers can estimate none of the hidden sums more closely than the rule allows."
        if self.insiders:
            sums = {row.levels for row in self.insiders}
            yield (
                f"Contributors who know their own amounts could estimate another's too closely in"
                f" {count(len(sums))} {'sums' if len(sums) > 1 else 'sum'}."
            )


@measure
def amounts(
    study: Records,
    of: str,
    tables: TablesOf,
    *,
    unit: str = "",
    rule: RuleOf = LEAST,
    keep: Texts = (),
    hide: Texts | None = (),
) -> Amounts:
    """Find which sums of an amount must be hidden, and hide others until they are protected.

    Parameters
    ----------
    study
        The records of those who contribute.
    of
        The column of amounts that are summed: turnover.
    tables
        The columns of each table, with all its sums; or a file that names them: plan.toml.
    unit
        The column of who contributes, a holding for example; by default the person column.
    rule
        When a sum is unsafe: least=3 (units), p=10 (percent), n=2 and k=85 (percent).
    keep
        Sums that stay, because they are published already: region=Ash,industry=05.
    hide
        Sums that are secret for another reason. None: nothing is hidden, unsafe ones are listed.
    """
    planned, about = _read_tables(study, tables)
    values, digits, n_missing = _read_amounts(study, of)
    network = network_of_records(study, planned, about, amounts=values)
    assert network.system.truth is not None
    scale = 2.0 ** math.ceil(math.log2(max(values.sum(), 1) / LARGEST))  # divides exactly
    bounds = network.system.lower / scale, network.system.upper / scale
    system = replace(network.system.within(*bounds), truth=network.system.truth / scale)
    contributions = Contributions.to(network, _units(study, unit), values / scale)
    kept, secret = _named(network, keep, "keep"), _named(network, hide, "hide")
    refuse_both(kept, secret)
    may_hide = network.is_published & (network.system.truth > 0) & ~kept
    engine = SumSuppression(system, contributions, rule, secret, may_hide)
    is_unsafe = engine.judgement.is_unsafe
    hidden = np.zeros(system.size, bool)
    if hide is not None:
        hidden = engine.pattern((is_unsafe & may_hide) | secret)
    notes = [Note(about="amounts", sentence=(
        "Units who pool what they know, and what is known from elsewhere, are not covered. Keep the"
        " rule and the intervals confidential."
    ))]  # fmt: skip
    if n_missing:
        sentence = f"{n_missing:,} records have no amount and give nothing."
        notes.append(Note(about="amounts", sentence=sentence))
    if hide is not None and (unions := engine.unsafe_unions(hidden)):
        sentence = f"{len(unions):,} sums of hidden values are known, and unsafe by the rule."
        notes.append(Note(about="amounts", sentence=sentence))
    report = _Report(network, engine, hidden, scale, digits)
    insiders = report.insiders() if hide is not None else ()
    cells = sorted(report.cells(), key=lambda row: not row.hidden)
    return Amounts(cells=tuple(cells), insiders=tuple(insiders), notes=tuple(notes))


def _read_amounts(study: Study, of: str) -> tuple[Floats, int, int]:
    """The amount of each record without its decimals, their number, and records that have none."""
    study.check_column(of)
    column = study.unbanded(of)
    if column.kind != "number":
        raise InputError(f"{of!r} (of) is no number. Name a column of amounts.")
    if study.weights is not None:
        raise InputError("Sums of weighted records are not covered. Leave the weights out.")
    levels = column.numbers.copy()
    levels[np.isin(levels, study.special(of, column))] = np.nan
    numbers = levels[column.codes[study.rows[ORIGINAL]]]
    values, digits = amounts_of(np.nan_to_num(numbers), of)
    return values, digits, int(np.isnan(numbers).sum())


def _units(study: Study, name: str) -> Ints:
    """Who gives each record; one without a name is a unit by itself."""
    if not name:
        return study.people()[0]
    study.check_column(name)
    column = study.unbanded(name)
    units = column.codes[study.rows[ORIGINAL]].astype(np.int64)
    is_missing = column.has_missing & (units == column.n_levels - 1)
    return np.where(is_missing, column.n_levels + np.arange(len(units)), units)


def _read_tables(study: Study, tables: Any) -> tuple[Sequence[TableOfPlan], Mapping[str, Any]]:
    """The tables of a plan, or those that are named, and what is said of their columns."""
    if isinstance(tables, str | Path):
        plan = PlanFile.read(Path(tables))
        if any(table.file or table.publish != "exact" for table in plan.tables):
            raise InputError(
                "Sums are published as they are or hidden. Leave 'publish' and 'file' out of the"
                " plan ('tables'), and name what stays as it is (keep)."
            )
        return plan.tables, plan.columns
    is_list = isinstance(tables, list | tuple) and len(tables) > 0
    if not is_list or not all(isinstance(dims, str | list | tuple) and dims for dims in tables):
        raise InputError("'tables' takes the columns of each table: [('region', 'industry')].")
    named = {" by ".join(map(str, as_names(dims))): as_names(dims) for dims in tables}
    for name in (name for dims in named.values() for name in dims):
        study.column(name)
    return [TableOfPlan(name, dims, margins="all") for name, dims in named.items()], {}


def _named(network: Network, texts: Any, setting: str) -> Truths:
    """The sums that texts name by their levels, in every table that has these."""
    named = np.zeros(network.system.size, bool)
    for text in () if texts is None else as_names(texts):
        fault = InputError(f"{text!r} ({setting}) is no sum that a table has.")
        places = []
        for number, planned in enumerate(network.tables):
            try:
                part, place = place_of(planned.table, text, setting)
            except InputError as wrong:
                fault = wrong
                continue
            if part in planned.table.parts:
                places.append(network.figures_of(number, part)[place])
        if not places:
            raise fault
        named[places] = True
    return named


class _Report:
    """Sums as they are told, in the unit of the records."""

    def __init__(
        self, network: Network, engine: SumSuppression, hidden: Truths, scale: float, digits: int
    ) -> None:
        self.network, self.engine, self.hidden = network, engine, hidden
        self.scale, self.digits = scale / 10.0**digits, digits
        self.is_left = np.zeros(network.system.size, bool)
        self.is_left[engine.needs.figures[~engine.is_met(hidden)]] = True
        self.pieces = np.flatnonzero(self.is_left & ~network.is_published)
        shown = np.flatnonzero(network.is_published)
        ranges = tighten(engine.shown(hidden), np.append(shown, self.pieces))
        self.lower, self.upper = np.zeros((2, network.system.size))
        self.lower[ranges.figures], self.upper[ranges.figures] = ranges.lower, ranges.upper
        self.shown_by = list[tuple[str, int]]()
        for number, planned in enumerate(network.tables):
            for part in planned.table.parts:
                figures = network.figures_of(number, part)
                self.shown_by += [(planned.name, figure) for figure in figures.tolist()]

    def amount(self, value: float) -> float:
        return round(float(value) * self.scale, self.digits + 6)

    def levels(self, figure: int) -> tuple[str, ...]:
        return self.network.label(figure) or ("total",)

    def cells(self) -> Iterator[SumRow]:
        judged, truth = self.engine.judgement, self.engine.truth
        for table, figure in (*self.shown_by, *(("", int(piece)) for piece in self.pieces)):
            is_hidden = bool(self.hidden[figure]) or not table
            upper = self.upper[figure]
            yield SumRow(
                table=table, levels=self.levels(figure), hidden=is_hidden,
                value=None if is_hidden else self.amount(truth[figure]),
                lower=self.amount(self.lower[figure]),
                upper=None if np.isinf(upper) else self.amount(upper),
                contributors=int(judged.units[figure]), unsafe=bool(judged.is_unsafe[figure]),
                protection=self.amount(judged.protection[figure]),
                safe=not self.is_left[figure],
            )  # fmt: skip

    def insiders(self) -> Iterator[InsiderRow]:
        tables = self.network.tables_showing(np.arange(self.network.system.size).tolist())
        own = self.engine.contributions
        for insider in self.engine.insiders(self.hidden):
            entries = slice(*own.start[insider.figure : insider.figure + 2])
            is_other = own.unit[entries] != insider.unit
            rank = 0 if is_other.all() else int(is_other.argmin()) + 1
            yield InsiderRow(
                unit=f"number {rank}" if rank else "gives nothing to it",
                table=join_names(tables[insider.figure]) if tables[insider.figure] else "",
                levels=self.levels(insider.figure), most=self.amount(insider.most),
                largest=self.amount(own.value[entries][is_other][0]),
            )  # fmt: skip

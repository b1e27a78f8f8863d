"""`unveil.plan`: what do all tables of a publication disclose together?

All tables are one system (`network`); what can be worked out is told with a set of tables that does
it, and of which none can be left out (`certificates`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta

from unveil.arguments import Form, last_text
from unveil.counts.cells import Ints
from unveil.errors import InputError
from unveil.results import Count, Figure, Heading, Note, Number, Result, Row
from unveil.results.words import are, count
from unveil.tables.bounds import Seconds
from unveil.tables.call import on_tables
from unveil.tables.certificates import Worlds
from unveil.tables.network import Dimension, Network, Planned
from unveil.tables.published import PublishedTable
from unveil.tables.ranges import known_nearby
from unveil.tables.suppression import protect_network
from unveil.tables.system import System, Truths, propagate

PlanOf = Annotated[Any, Form("published tables by name, or the path of a plan", "PLAN", last_text)]
TOLD = 3  # recovered counts that have a sentence


class RecoveredRow(Row, frozen=True):
    """A count that the tables together tell, and that none of them publishes as it is."""

    tables: tuple[str, ...]
    levels: tuple[str, ...]
    lower: Annotated[float, Number("fewest people, by all tables")]
    upper: Annotated[float, Number("most people, by all tables")]
    published: Annotated[Figure, Number("what is published in its place; empty: nothing")]
    people: Annotated[int, Count("people who are counted")]
    smallest_set: tuple[str, ...]


class PlannedRow(Row, frozen=True):
    """One table of the plan."""

    table: str
    values: Annotated[int, Count("values that it publishes, hidden ones among them")]
    suppressed: Annotated[int, Count("values that it hides")]
    small: Annotated[int, Count("small counts that it publishes as they are")]
    recovered: Annotated[int, Count("counts told by sets of tables with this one", limited=True)]
    alone: Annotated[int, Count("of these, counts told by this table alone")]
    left: Annotated[int, Count("counts that are told without this table too")]


class PublicationPlan(Result, frozen=True, kw_only=True):
    """What the tables of a publication disclose together."""

    title: ClassVar[str] = "What the tables disclose together"

    recovered: Annotated[
        tuple[RecoveredRow, ...],
        Heading("Counts that can be worked out", ("smallest_set", "levels", "people", "published"),
                True),
    ]  # fmt: skip
    planned: Annotated[tuple[PlannedRow, ...], Heading("The tables of the plan")]

    @property
    def next(self) -> str:
        return "planned"

    @property
    def sentences(self) -> tuple[str, ...]:
        n, tables = len(self.recovered), len(self.planned)
        values = sum(row.values for row in self.planned)
        unit = self.settings["unit"]
        small, below = sum(row.small for row in self.planned), self.settings["below"]
        head = (
            f"{count(tables)} tables publish {count(values)} values, {count(small)} counts from 1"
            f" to {below - 1} among them as they are."
        )
        if not n:
            return (head, "No hidden, rounded or small count was found that they tell together.")
        by_one = sum(len(row.smallest_set) == 1 for row in self.recovered)
        together = (
            f"{count(n)} count{'s'[: n != 1]} that no table publishes {are(n)} told by all of them:"
            f" {count(by_one)} by one table alone."
        )
        told = [
            f"{_join(row.smallest_set)} show{'s'[: len(row.smallest_set) == 1]} that"
            f" {row.people:,} {unit} {are(row.people)} {', '.join(row.levels) or 'in all'}."
            for row in self.recovered if row.smallest_set
        ]  # fmt: skip
        return (head, together, *told[:TOLD])

    @property
    def head(self) -> tuple[str, ...]:
        return self.sentences

    def suppressed(self, *, below: int = 5) -> dict[str, PublishedTable]:
        """The tables with further values hidden, until no small count is told by all of them.

        Parameters
        ----------
        below
            Counts from 1 to one less are hidden; readers are taken to know it.
        """
        network = network_of(self.study)
        return protect_network(network, below)


def _join(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return f"Table {names[0]} alone"
    return f"Tables {', '.join(names[:-1])} and {names[-1]} together"


@on_tables
def plan(
    tables: PlanOf, *, below: Annotated[int, Meta(ge=1)] = 5, seconds: Seconds = 300
) -> PublicationPlan:
    """Find what the tables of a publication disclose together, and which of them do it.

    Parameters
    ----------
    tables
        Published tables of the same people by name, or a file that names them: plan.toml.
    below
        Counts smaller than this must not be told, where no table publishes them.
    seconds
        The time that may be spent on what single sums do not tell.
    """
    network = network_of(tables)
    closed = propagate(network.system)
    targets = network.targets(below, closed.lower)
    is_told = closed.lower[targets] == closed.upper[targets]
    told, is_open = targets[is_told], targets[~is_told & ~np.isinf(closed.upper[targets])]
    further, n_asked = known_nearby(closed, is_open, seconds=seconds)
    sets = Worlds(closed, network.stated(closed), len(network.tables))
    own, left = _sets_and_left(sets, told, len(network.tables))
    rows = _recovered_rows(network, closed, told, own, further)
    notes = [Note(about="plan", sentence=(
        "What single sums leave open was asked of the figures around it: for"
        f" {n_asked:,} of {len(is_open):,} counts. A count that was not found is not proven to be"
        " protected."
    ))]  # fmt: skip
    if further:
        sentence = f"{len(further):,} counts are told by several sums at once: no set is named."
        notes.append(Note(about="plan", sentence=sentence))
    planned = tuple(_planned_rows(network, own, left, below))
    study = network.study
    about = {} if study is None else {"unit": study.unit, "tables": len(planned)}
    return PublicationPlan(
        recovered=rows, planned=planned, notes=tuple(notes), settings=about,
        files=() if study is None else study.files_used(),
    )  # fmt: skip


def _sets_and_left(sets: Worlds, told: Ints, n_tables: int) -> tuple[Truths, Ints]:
    """Figures by tables: a set that tells each; and what is told without each table."""
    if not len(told):
        return np.zeros((0, n_tables), bool), np.zeros(n_tables, np.int64)
    without_one = ~np.eye(n_tables, dtype=bool)
    return sets.irreducible(told), sets.give_away(told, without_one).sum(axis=0)


def _recovered_rows(
    network: Network, closed: System, told: Ints, own: Truths, further: Mapping[int, float]
) -> tuple[RecoveredRow, ...]:
    names = [planned.name for planned in network.tables]
    showing = network.tables_showing([*told.tolist(), *further])
    sets = [tuple(names[i] for i in np.flatnonzero(members)) for members in own]
    values = [*closed.lower[told].tolist(), *further.values()]
    rows = [
        RecoveredRow(
            tables=showing[figure], levels=network.label(figure), lower=value, upper=value,
            published=None if np.isnan(network.shown[figure]) else float(network.shown[figure]),
            people=int(value), smallest_set=of_figure,
        )
        for figure, value, of_figure in zip(
            [*told.tolist(), *further], values, [*sets, *[()] * len(further)], strict=True
        )
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: (row.people == 0, len(row.smallest_set), row.people)))


def _planned_rows(network: Network, own: Truths, left: Ints, below: int) -> Iterator[PlannedRow]:
    is_alone = own.sum(axis=1) == 1
    for number, planned in enumerate(network.tables):
        values = planned.table.parts.values()
        small = sum(
            int(((v.lower == v.upper) & (v.lower > 0) & (v.lower < below)).sum()) for v in values
        )
        yield PlannedRow(
            table=planned.name, values=sum(len(v.shown) for v in values),
            suppressed=sum(int((np.isnan(v.shown) & ~v.is_pair).sum()) for v in values),
            small=small,
            recovered=int(own[:, number].sum()), alone=int((own[:, number] & is_alone).sum()),
            left=int(left[number]),
        )  # fmt: skip


def network_of(tables: Any) -> Network:
    """The system of published tables by name, or of those that a plan file names."""
    if isinstance(tables, str | Path):
        from unveil.tables.plan_file import read_plan

        return read_plan(Path(tables))
    if not isinstance(tables, Mapping) or not tables:
        raise InputError("'tables' takes published tables by name, or the path of a plan (.toml).")
    columns: dict[str, Dimension] = {}
    planned = []
    for name, table in tables.items():
        if not isinstance(table, PublishedTable):
            raise InputError(f"{name!r} ('tables') is no PublishedTable.")
        blocks = {}
        for dim, levels in zip(table.dims, table.levels, strict=True):
            column = columns.setdefault(dim, Dimension(dim, levels))
            if set(column.atoms) != set(levels):
                raise InputError(
                    f"{name!r} ('tables') has other levels of {dim!r} than the tables before it."
                    " Name bands and filters in a plan file, plan.toml."
                )
            blocks[dim] = np.array([levels.index(atom) for atom in column.atoms])
        planned.append(Planned(str(name), blocks, table))
    _refuse_other_people(planned)
    return Network([*columns.values()], planned)


def _refuse_other_people(planned: list[Planned]) -> None:
    """Tables of one population count as many people."""
    totals = Counter(p.table.people for p in planned if p.table.counts is not None)
    if len(totals) > 1:
        raise InputError(
            "The tables ('tables') count different numbers of people, and are not of the same. Name"
            " their filters in a plan file, plan.toml."
        )

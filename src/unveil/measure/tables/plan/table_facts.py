"""What does each table of a plan say: of which boxes, between which counts, by which table?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np

from unveil.arguments import is_list, quote_value
from unveil.arrays import Ints, Mask
from unveil.errors import InputError, InternalError, SettingsError, hint_at, list_names
from unveil.measure.one_table import OneTable, open_table
from unveil.measure.tables.grid import TABLE, Grid, PartRows, check_names, find_spellings
from unveil.measure.tables.parts import plan as plan_parts
from unveil.measure.tables.parts import publish
from unveil.measure.tables.plan.boxes import Boxes, count_people
from unveil.measure.tables.plan.closure import NO_LIMIT, BoxBounds
from unveil.measure.tables.plan.columns import (
    Members,
    PlanColumn,
    Run,
    find_links,
    order_columns,
)
from unveil.measure.tables.plan.file_links import find_file_links
from unveil.measure.tables.plan.plan_file import PlanSettings, TableSettings
from unveil.measure.tables.ptable import Ptable, draw_keys, keys_in
from unveil.measure.tables.read_published import LabelledValues, read_values
from unveil.measure.tables.schemes import Published, Scheme, trivial_bounds
from unveil.seeding import stream, tree_seed
from unveil.study.scenario import no_progress

LARGEST = 10**9
"""The largest count of a plan: bounds are added up along lines in whole numbers of 64 bits."""
MOST_SUMMED = 8
"""Dimensions of a table whose unpublished margins are looked at too."""
POPULATION = ""
"""The column that keeps tables of different people apart: no table sums over it."""


@dataclass(frozen=True)
class PlanFacts:
    """Every published value: its box, its table, and between which counts it leaves the truth."""

    boxes: Boxes
    """Those that some table names, each once."""
    box: Ints
    table: Ints
    lower: Ints
    upper: Ints
    hidden: Mask
    """Whether the value was suppressed."""
    published: Mask
    """False of sums that a table does not publish, but whose cells it does."""
    also: Ints
    """Of what only two tables say together: the other one; else -1."""

    def said_by(self, tables: Mask) -> Ints:
        """The facts that some tables state, by themselves or together."""
        # The last place of the mask, for -1, stands for no other table.
        known = np.append(tables, True)
        return np.flatnonzero(known[self.table] & known[self.also])

    def teach(self, bounds: BoxBounds, rows: Ints | slice) -> None:
        """Tell bounds what some facts say."""
        of = (self.box, self.table, self.also, self.lower, self.upper)
        bounds.learn(*(one[rows] for one in of))


@dataclass(frozen=True)
class PlanData:
    """A plan whose files are read: columns in order, facts by table, people by level."""

    columns: tuple[PlanColumn, ...]
    facts: PlanFacts
    n_people: int | None
    notes: tuple[str, ...]
    filters: Ints
    """Tables by columns by 2: whom each counts."""
    questions: tuple[str, ...]
    """What the plan leaves open: until it is said, no limit can be shown to hold."""
    keyed: tuple[KeyedValues, ...] = ()
    """Values by cell keys, of each box once."""

    def join(self, boxes: Boxes) -> PlanFacts:
        """The facts of all boxes: with what cell keys say of boxes without another.

        Two that have different values do not hold the same people.
        """
        facts = self.facts
        box, other = boxes.less.T
        for one in self.keyed:
            number = boxes.find(one.ends)
            value, table = np.full((2, boxes.n), -1, np.int64)
            value[number], table[number] = one.values, one.tables
            some = np.flatnonzero(
                (value[box] >= 0) & (value[other] >= 0) & (value[box] != value[other])
            )
            none = np.zeros(len(some), bool)
            facts = PlanFacts(
                boxes,
                np.append(facts.box, boxes.n_plain + some),
                np.append(facts.table, table[box[some]]),
                np.append(facts.lower, np.ones(len(some), np.int64)),
                np.append(facts.upper, np.full(len(some), NO_LIMIT)),
                np.append(facts.hidden, none),
                np.append(facts.published, none),
                np.append(facts.also, table[other[some]]),
            )
        return replace(facts, boxes=boxes)

    def name_box(self, ends: Ints) -> tuple[tuple[str, str], ...]:
        """The columns that a box cuts, each with the name of its run of levels."""
        return tuple(
            (column.name or "population", column.name_run((int(a), int(b))))
            for column, (a, b) in zip(self.columns, ends.tolist(), strict=True)
            if (a, b) != column.whole
        )

    def count(self, boxes: Boxes) -> Ints | None:
        """True counts of boxes; None without microdata."""
        codes = [column.codes for column in self.columns]
        if self.n_people is None:
            return None
        return count_people(boxes, [c for c in codes if c is not None], self.n_people)


def open_plan(settings: PlanSettings) -> PlanData:
    """Read the data and the tables, and put everything that is published into boxes."""
    files = {
        table.name: read_values(
            table.file, dims=table.by, value=table.value, hidden=settings.hidden
        )
        for table in settings.tables
        if table.file is not None
    }
    people = _read_people(settings)
    n_people = None if people is None else people.n_records
    keys = None
    if people is not None:
        name = settings.record_keys
        keys = draw_keys(people.n_records, settings.seed) if name is None else keys_in(people, name)
    coded = {} if people is None else {column.name: column for column in people.keys}
    ordered, groups = order_columns(settings, coded, files)
    populations = tuple(dict.fromkeys(table.population for table in settings.tables))
    own = np.zeros(n_people or 0, np.int64)
    columns = {POPULATION: PlanColumn(POPULATION, populations or ("",), own)}
    notes = () if people is None else tuple(note.sentence for note in people.notes)
    levels = {name: column.levels for name, column in ordered.items()}
    questions = (
        *find_links(settings, coded),
        *find_file_links(settings, files),
        *find_spellings(levels),
    )
    return _Reader(settings, columns | ordered, groups, n_people, keys).open(
        files, notes, questions
    )


def _read_people(settings: PlanSettings) -> OneTable | None:
    """The columns that some table uses, or that group others."""
    if settings.data is None or not settings.tables:
        return None
    read = {
        settings.base(name): None
        for table in settings.tables
        for name in (*table.by, *table.where, *table.bands)
    }
    read |= {name: None for name, one in settings.groups.items() if one.groups is None}
    return open_table(
        settings.data,
        keys=tuple(read),
        others=() if settings.record_keys is None else (settings.record_keys,),
        bands=None,
        special_codes=None,
        missing_values=settings.missing_values,
        progress=no_progress,
    )


# The tables, value by value.


@dataclass(frozen=True)
class _Dim:
    """A dimension of a table: its levels, the run of each, and the run of all of them."""

    column: int
    levels: tuple[str, ...]
    runs: tuple[Run, ...]
    all: Run
    is_covered: bool
    """Whether the levels make up all of them."""


@dataclass(frozen=True)
class _Shape:
    """A table of the plan: its cells, its dimensions, its filter, and its number."""

    grid: Grid
    dims: Sequence[_Dim]
    base: Ints
    """From where to where in each column it counts people."""
    number: int

    def ends(self, part: str) -> Ints:
        """The boxes of a part, in the order of its values."""
        kept = self.grid.dims_of(part)
        runs = [
            dim.runs if name in kept else (dim.all,)
            for name, dim in zip(self.grid.dims, self.dims, strict=True)
        ]
        chosen = np.array([*product(*runs)], np.int64).reshape(-1, len(self.dims), 2)
        ends = np.broadcast_to(self.base, (len(chosen), *self.base.shape)).copy()
        for i, dim in enumerate(self.dims):
            ends[:, dim.column] = chosen[:, i]
        return ends

    def check_covered(self, part: str) -> None:
        """Refuse sums over a dimension whose levels are not all of its column."""
        for name, dim in zip(self.grid.dims, self.dims, strict=True):
            if name not in self.grid.dims_of(part) and not dim.is_covered:
                raise SettingsError(
                    f"It has sums over {name!r}, but its levels are not all of that column. Say"
                    " with where which levels it counts."
                )

    def sum_cells(self, parts: PartFacts) -> Iterator[tuple[Ints, Ints, Ints, Mask]]:
        """What the cells say of margins that are not published."""
        if len(self.dims) > MOST_SUMMED:
            return
        grid = self.grid
        _, lower, upper, _ = parts[TABLE]
        is_open = (upper >= NO_LIMIT).astype(np.int64)
        summed = [name for name, dim in zip(grid.dims, self.dims, strict=True) if dim.is_covered]
        for size in range(1, len(summed) + 1):
            for some in combinations(summed, size):
                part = grid.part([name for name in grid.dims if name not in some])
                if part not in parts:
                    ends = self.ends(part)
                    top = grid.sum_part(np.where(is_open, 0, upper), part)
                    top[grid.sum_part(is_open, part) > 0] = NO_LIMIT
                    yield ends, grid.sum_part(lower, part), top, np.zeros(len(ends), bool)

    def join(self, parts: PartFacts, sizes: tuple[int, ...]) -> PlanFacts:
        """The values of all parts, those that are published first."""
        both = [*parts.values(), *self.sum_cells(parts)]
        ends, lower, upper, hidden = (np.concatenate(one) for one in zip(*both, strict=True))
        n_published = sum(len(one[0]) for one in parts.values())
        table = np.full(len(ends), self.number, np.int64)
        rows = np.arange(len(ends))
        alone = np.full(len(ends), -1, np.int64)
        return PlanFacts(
            Boxes(ends, sizes), rows, table, lower, upper, hidden, rows < n_published, alone
        )


class _Reader:
    """Tables of a plan as facts, one after another."""

    def __init__(
        self,
        settings: PlanSettings,
        columns: Mapping[str, PlanColumn],
        groups: Mapping[str, Members],
        n_people: int | None,
        keys: Ints | None,
    ) -> None:
        self._settings, self._columns, self._groups = settings, columns, groups
        self._keys, self._keyed = keys, list[KeyedValues]()
        self._unruled: dict[str, None] = {}
        self._place = {name: i for i, name in enumerate(columns)}
        self._sizes = tuple(len(column.levels) for column in columns.values())
        self._n_people = n_people

    def open(
        self,
        files: Mapping[str, LabelledValues],
        notes: Sequence[str],
        questions: Iterable[str],
    ) -> PlanData:
        """The facts of all tables."""
        found = [
            self._table(table, files.get(table.name), i)
            for i, table in enumerate(self._settings.tables)
        ]
        names = [table.name for table in self._settings.tables]
        keyed = tuple(_by_ptable(self._keyed))
        found += [_differences(one, self._sizes, names) for one in keyed]
        columns = tuple(self._columns.values())
        none = np.zeros(0, np.int64)
        ends = np.concatenate(
            [one.boxes.ends for one in found] or [np.zeros((0, len(columns), 2), np.int64)]
        )
        named = Boxes(np.zeros((0, len(columns), 2), np.int64), self._sizes).add(ends)
        facts = PlanFacts(
            named,
            named.find(ends),
            np.concatenate([none, *(one.table for one in found)]),
            np.concatenate([none, *(one.lower for one in found)]),
            np.concatenate([none, *(one.upper for one in found)]),
            np.concatenate([none > 0, *(one.hidden for one in found)]),
            np.concatenate([none > 0, *(one.published for one in found)]),
            np.concatenate([none, *(one.also for one in found)]),
        )
        bases = [self._filtered(one, quote_value(one.name)) for one in self._settings.tables]
        filters = np.array(bases, np.int64).reshape(-1, len(columns), 2)
        return PlanData(
            columns,
            facts,
            self._n_people,
            tuple(notes),
            filters,
            (*questions, *self._list_questions()),
            keyed,
        )

    def _list_questions(self) -> Iterator[str]:
        if self._unruled:
            yield (
                f"No rule is stated for the suppressed values of {list_names(self._unruled, 4)}: a"
                ' reader who knows it may work out more. State it: publish = "suppress:5".'
            )
        many = [table.name for table in self._settings.tables if len(table.by) > MOST_SUMMED]
        if many:
            yield (
                f"Sums that {list_names(many, 4)} leaves unpublished were not looked at: it has"
                f" more than {MOST_SUMMED} dimensions."
            )

    def _table(self, table: TableSettings, values: LabelledValues | None, number: int) -> PlanFacts:
        where = f"Table {quote_value(table.name)}"
        try:
            check_names(table.by)
            base = self._filtered(table, where)
            dims = [self._dim(table, name, base, values, i) for i, name in enumerate(table.by)]
            bases = [dim.column for dim in dims]
            if len(set(bases)) < len(bases):
                raise SettingsError("It counts by a column and by groups of the same column.")
            grid = Grid(
                table.by, tuple(dim.levels for dim in dims), of_people=self._n_people is not None
            )
            shape = _Shape(grid, dims, base, number)
            if values is None:
                return self._publish(table, shape)
            return self._read(table, shape, values)
        except InputError as fault:
            if str(fault).startswith(where):
                raise
            raise type(fault)(f"{where}: {fault}") from None

    def _filtered(self, table: TableSettings, where: str) -> Ints:
        """From where to where in each column the table counts people."""
        ends = np.array([column.whole for column in self._columns.values()], np.int64)
        population = self._columns[POPULATION].levels.index(table.population)
        ends[0] = population, population + 1
        for name, given in table.where.items():
            run = self._run(name, given, where)
            k = self._place[self._settings.base(name)]
            ends[k] = max(ends[k, 0], run[0]), min(ends[k, 1], run[1])
            if ends[k, 0] >= ends[k, 1]:
                raise SettingsError(f"{where}: its filters leave no level of {name!r}.")
        return ends

    def _run(self, name: str, given: Any, where: str) -> Run:
        column = self._columns[self._settings.base(name)]
        if name not in self._groups:
            return column.run_of(given, where)
        groups = self._groups[name]
        wanted = [str(one) for one in given] if is_list(given) else [str(given)]
        for one in wanted:
            if one not in groups:
                hint = hint_at(one, [*groups])
                raise SettingsError(
                    f"{where} names {quote_value(one)}, which column {name!r} does not have.{hint}"
                )
        return column.run_of([level for one in wanted for level in groups[one]], where)

    def _dim(
        self, table: TableSettings, name: str, base: Ints, values: LabelledValues | None, place: int
    ) -> _Dim:
        where = f"Table {quote_value(table.name)}"
        k = self._place[self._settings.base(name)]
        column = self._columns[self._settings.base(name)]
        within = int(base[k, 0]), int(base[k, 1])
        if values is not None:
            labels = [one for one in dict.fromkeys(row[place] for row in values.labels) if one]
            runs = [self._run(name, label, where) for label in labels]
        else:
            labels, runs = self._levels(table, name, column)
        kept = [
            (label, (max(run[0], within[0]), min(run[1], within[1])))
            for label, run in zip(labels, runs, strict=True)
            if max(run[0], within[0]) < min(run[1], within[1])
        ]
        in_order = sorted(run for _, run in kept)
        for (_, stop), (start, _) in pairwise(in_order):
            if start < stop:
                raise SettingsError(f"{where}: levels of {name!r} overlap. Split the table.")
        n_levels = sum(stop - start for start, stop in in_order)
        return _Dim(
            k,
            tuple(label for label, _ in kept),
            tuple(run for _, run in kept),
            within,
            n_levels == within[1] - within[0],
        )

    def _levels(
        self, table: TableSettings, name: str, column: PlanColumn
    ) -> tuple[list[str], list[Run]]:
        """The levels that a table of the data prints: groups, bands, or every level."""
        if name in self._groups:
            groups = self._groups[name]
            return [*groups], [column.run_of([*one], name) for one in groups.values()]
        breaks = table.bands.get(name)
        if breaks is None or column.starts is None:
            runs = [(i, i + 1) for i in range(len(column.levels))]
        else:
            places = {0, len(column.starts)}
            places |= {column.starts.index(one) for one in breaks if one in column.starts}
            ends = sorted(places)
            runs = [*pairwise(ends)]
            if len(column.levels) > len(column.starts):
                runs.append((len(column.starts), len(column.levels)))
        return [column.name_run(run) for run in runs], runs

    def _publish(self, table: TableSettings, shape: _Shape) -> PlanFacts:
        """What is published of the data: cells and margins, each by its scheme."""
        grid = shape.grid
        asked = plan_parts(
            grid, table.publish, table=True, total=table.total, margins=table.margins
        )
        if TABLE not in asked:
            raise SettingsError("Its cells are not published: name a table with fewer columns.")
        counts = self._count(shape.ends(TABLE))
        if counts is None:
            raise InternalError("A table is made of people who were not read.")
        seed = tree_seed(stream(self._settings.seed, "plan", table.name))
        has_keys = any(scheme.kind == "cellkey" for scheme in asked.values())
        keys = self._count(shape.ends(TABLE), self._keys) if has_keys else None
        values = publish(grid, counts, asked, {}, seed=seed, keys=keys)
        parts = {}
        for part, scheme in asked.items():
            shape.check_covered(part)
            sums = grid.sum_part(counts, part)
            known = _intervals(values[part], scheme, truth=sums, secondary=table.secondary)
            parts[part] = (shape.ends(part), *known)
            self._keep_keyed(scheme, parts[part][0], values[part], shape.number)
        return shape.join(parts, self._sizes)

    def _read(self, table: TableSettings, shape: _Shape, values: LabelledValues) -> PlanFacts:
        """The values of a file, row by row; suppressed ones by the table's scheme."""
        grid = shape.grid
        rows = PartRows(grid, _rows_of(values, shape.dims), "Its file")
        cells = len(rows.of(TABLE)[0])
        if cells < grid.n_cells:
            raise InputError(
                f"Its file has no row for {grid.n_cells - cells:,} of {grid.n_cells:,} cells. Give"
                " every cell; an empty value is a suppressed one."
            )
        parts = {}
        for part in rows.parts:
            shape.check_covered(part)
            # A file may have only some values of a margin, in any order.
            of_part, place = rows.of(part)
            order = np.argsort(place)
            ends = shape.ends(part)[place[order]]
            truth, scheme = self._count(ends), _scheme_of(grid, part, table)
            own = [values.values[row] for row in of_part[order]]
            known = _intervals(own, scheme, truth=truth, secondary=table.secondary)
            if truth is not None:
                _check_truth(truth, known)
            parts[part] = (ends, *known)
            if known[2].any() and scheme.kind != "suppress":
                self._unruled[table.name] = None
            self._keep_keyed(scheme, ends, own, shape.number)
        return shape.join(parts, self._sizes)

    def _keep_keyed(
        self, scheme: Scheme, ends: Ints, values: Sequence[Published], table: int
    ) -> None:
        """Values by cell keys are kept, for the same people have the same in every table."""
        if scheme.kind == "cellkey":
            shown = np.array([isinstance(value, int) for value in values], bool)
            kept = np.array([value for value in values if isinstance(value, int)], np.int64)
            tables = np.full(len(kept), table)
            self._keyed.append(KeyedValues(scheme.ptable, ends[shown], kept, tables))

    def _count(self, ends: Ints, keys: Ints | None = None) -> Ints | None:
        if self._n_people is None:
            return None
        codes = [column.codes for column in self._columns.values()]
        known = [one for one in codes if one is not None]
        return count_people(Boxes(ends, self._sizes), known, self._n_people, keys)


@dataclass(frozen=True)
class KeyedValues:
    """Values that were published by cell keys: boxes, values and tables."""

    ptable: Ptable
    ends: Ints
    values: Ints
    tables: Ints


def _by_ptable(keyed: Sequence[KeyedValues]) -> Iterator[KeyedValues]:
    """The values of one table of probabilities together, however it is written down."""
    for ptable in dict.fromkeys(one.ptable for one in keyed):
        same = [one for one in keyed if one.ptable == ptable]
        yield KeyedValues(
            ptable,
            np.concatenate([one.ends for one in same]),
            np.concatenate([one.values for one in same]),
            np.concatenate([one.tables for one in same]),
        )


def _differences(keyed: KeyedValues, sizes: tuple[int, ...], names: Sequence[str]) -> PlanFacts:
    """Somebody is in the difference of two boxes, one within the other, with other values.

    The same people have the same value. Of boxes that begin (or end) together only neighbours are
    compared: if the values of two others differ, those of some neighbours between them do.
    """
    boxes = Boxes(np.zeros((0, *keyed.ends.shape[1:]), np.int64), sizes).add(keyed.ends)
    which = boxes.find(keyed.ends)
    first = np.zeros(boxes.n, np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]
    other = np.flatnonzero(keyed.values != keyed.values[first[which]])
    if len(other):
        pair = names[keyed.tables[first[which[other[0]]]]], names[keyed.tables[other[0]]]
        raise InputError(
            f"Tables {pair[0]!r} and {pair[1]!r} publish different values of the same people,"
            " which cell keys never do. Correct them, or give them different populations."
        )
    values, tables = keyed.values[first], keyed.tables[first]
    ends, one, two = [boxes.ends[:0]], [first[:0]], [first[:0]]
    for k in range(len(sizes)):
        for side in (0, 1):
            line, _ = boxes.lines(k)
            fixed, free = boxes.ends[:, k, side], boxes.ends[:, k, 1 - side]
            order = np.lexsort((free, fixed, line))
            a, b = order[:-1], order[1:]
            near = (line[a] == line[b]) & (fixed[a] == fixed[b]) & (values[a] != values[b])
            a, b = a[near], b[near]
            piece = boxes.ends[a].copy()
            piece[:, k, 0] = free[a]
            piece[:, k, 1] = free[b]
            ends, one, two = [*ends, piece], [*one, tables[a]], [*two, tables[b]]
    made = np.concatenate(ends)
    rows, none = np.arange(len(made)), np.zeros(len(made), bool)
    lower, upper = np.ones(len(made), np.int64), np.full(len(made), NO_LIMIT)
    by, also = np.concatenate(one), np.concatenate(two)
    return PlanFacts(Boxes(made, sizes), rows, by, lower, upper, none, none, also)


PartFacts = Mapping[str, tuple[Ints, Ints, Ints, Mask]]
"""Of each part: boxes, lower and upper limits, and what is suppressed."""
Intervals = tuple[Ints, Ints, Mask]


def _rows_of(values: LabelledValues, dims: Sequence[_Dim]) -> Ints:
    """Rows by dimensions: the place of the level, -1 for a sum."""
    places: list[dict[str | None, int]] = [
        {None: -1} | {level: i for i, level in enumerate(dim.levels)} for dim in dims
    ]
    try:
        rows = [
            tuple(place[one] for one, place in zip(row, places, strict=True))
            for row in values.labels
        ]
    except KeyError:
        raise SettingsError("Its file has a level that its own filters exclude.") from None
    if len(set(rows)) < len(rows):
        raise InputError("Its file has more than one row for one cell or sum. Give each once.")
    return np.array(rows, np.int64).reshape(-1, len(dims))


def _scheme_of(grid: Grid, part: str, table: TableSettings) -> Scheme:
    kept = grid.dims_of(part)
    margins = [kept] if 0 < len(kept) < len(grid.dims) else None
    asked = plan_parts(grid, table.publish, table=True, total=not kept, margins=margins)
    if part not in asked:
        raise SettingsError(
            f"Its file has values of the part {part!r}, which 'publish' says are not published."
            f" Published are: {list_names(asked)}."
        )
    return asked[part]


def _intervals(
    values: Sequence[Published], scheme: Scheme, *, truth: Ints | None, secondary: bool
) -> Intervals:
    """Between which counts each value leaves the truth, and which are suppressed.

    A reader is taken to know the rule: a suppressed small count is from 1 to k - 1, and one that
    was suppressed to protect others is k or more; the reader may know which is which.
    """
    known: dict[Any, tuple[int, int | None]] = {}
    lower, upper = np.zeros(len(values), np.int64), np.full(len(values), NO_LIMIT)
    hidden = np.array([value is None for value in values], bool)
    for i, value in enumerate(values):
        if value is not None:
            if value not in known:
                known[value] = trivial_bounds(value, scheme)
            lower[i], top = known[value]
            upper[i] = NO_LIMIT if top is None else top
    if scheme.kind == "suppress" and not scheme.unknown and hidden.any():
        k = scheme.size
        small = hidden if truth is None else hidden & (truth < k)
        zeros = scheme.zeros or (truth is not None and bool((truth[hidden] == 0).any()))
        lower[small] = 0 if zeros else 1
        if truth is not None or not secondary:
            upper[small] = k - 1
        lower[hidden & ~small] = k
    if max(lower.max(initial=0), upper[upper < NO_LIMIT].max(initial=0)) > LARGEST:
        raise InputError(f"Some count is above {LARGEST:,}, the most that a plan takes.")
    return lower, upper, hidden


def _check_truth(truth: Ints, known: Intervals) -> None:
    n_wrong = int(((truth < known[0]) | (truth > known[1])).sum())
    if n_wrong:
        raise InputError(
            f"{n_wrong:,} of {len(truth):,} published values contradict the data: the true count"
            " is not what its scheme would publish so. Correct the file, the scheme or the filters."
        )

"""A plan as a file: `[data]`, `[columns]` and `[[table]]`, as in a project."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.errors import InputError, check_name
from unveil.study import ORIGINAL, Study
from unveil.tables.network import Dimension, Network, Planned, range_name
from unveil.tables.published import PublishedTable, without_gap

CONDITION = re.compile(r"\s*(.+?)\s*(>=|<=|!=|=|<|>)\s*(.+?)\s*$")
CUTS = (">=", "<=", "<", ">")
OF_STUDY = ("missing", "codebook", "fraction", "unit")


class TableOfPlan(msgspec.Struct, forbid_unknown_fields=True):
    """One `[[table]]`, or a table that is named by its columns."""

    name: str
    dims: tuple[str, ...] = ()
    file: str = ""
    where: str = ""
    columns: dict[str, dict[str, Any]] = {}
    publish: Any = "exact"
    margins: Any = ()
    seed: int | None = None

    def bands(self, columns: Mapping[str, Any], name: str) -> Any:
        """The bands of a column: of this table, or of the plan."""
        about = self.columns.get(name, columns.get(name, {}))
        return about.get("bands") if isinstance(about, Mapping) else None

    def conditions(self) -> Iterator[tuple[str, str, str]]:
        """Column, sign and value: age >= 16 and sex = m."""
        for text in re.split(r"\s+and\s+", self.where) if self.where else ():
            parts = CONDITION.fullmatch(text)
            if not parts:
                raise InputError(
                    f"{self.where!r} (where, table {self.name!r}) is no condition. Write age >= 16"
                    " and sex = m."
                )
            yield parts[1], parts[2], parts[3].strip("'\"")


class PlanFile(NamedTuple):
    """What a plan says: its records, its tables, and what is true of its columns."""

    path: Path
    data: Mapping[str, Any]
    columns: Mapping[str, Any]
    tables: Sequence[TableOfPlan]

    @classmethod
    def read(cls, path: Path) -> "PlanFile":
        document = _document(path)
        try:
            tables = msgspec.convert(document.get("table", []), list[TableOfPlan], strict=False)
        except msgspec.ValidationError as fault:
            raise InputError(f"{str(path)!r}, [[table]]: {fault}.") from None
        if not tables or len({table.name for table in tables}) < len(tables):
            raise InputError(f"{str(path)!r} needs [[table]] entries, each with a name of its own.")
        return cls(path, document.get("data", {}), document.get("columns", {}), tables)

    def study(self) -> Study:
        """The records, with all that is said of columns but their bands, which tables part."""
        data = self.data
        if not isinstance(data, Mapping) or not isinstance(data.get("original"), str):
            raise InputError(
                f"{str(self.path)!r} names no records: write original = FILE under [data]."
            )
        roles = {
            name: {key: value for key, value in about.items() if key != "bands"}
            if isinstance(about, Mapping) else about
            for name, about in self.columns.items()
        }  # fmt: skip
        settings = {name: data[name] for name in OF_STUDY if name in data}
        return Study(self.path.parent / data["original"], columns=roles, **settings)


def read_plan(path: Path) -> Network:
    """The tables of a plan, counted from its records."""
    plan = PlanFile.read(path)
    return network_of_records(plan.study(), plan.tables, plan.columns, path.parent)


def network_of_records(
    study: Study, tables: Sequence[TableOfPlan], about: Mapping[str, Any] = {},
    folder: Path = Path(), amounts: Floats | None = None,
) -> Network:  # fmt: skip
    """Tables of people, or of the amount of each record, as one system."""
    people = _People(study, tables, about, amounts)
    planned = [people.plan(table, folder) for table in tables]
    network = Network([*people.columns.values()], planned, amounts)
    network.study = study
    return network


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        raise InputError(f"There is no plan {str(path)!r} ('tables') that can be read.") from None
    except tomllib.TOMLDecodeError as fault:
        raise InputError(f"{str(path)!r} is no TOML: {fault}.") from None


class _People:
    """The records of a plan: each column with the finest distinctions of all tables."""

    def __init__(
        self, study: Study, tables: Sequence[TableOfPlan], about: Mapping[str, Any],
        amounts: Floats | None,
    ) -> None:  # fmt: skip
        self.study, self.tables, self.about, self.amounts = study, tables, about, amounts
        names = dict.fromkeys(
            name for t in tables for name in (*t.dims, *(c[0] for c in t.conditions()))
        )
        columns = [self._column(name) for name in names]
        codes = np.stack([study.people()[0], *(c.codes for c in columns)])  # type: ignore[list-item]
        if amounts is None:  # who has several records is counted once wherever they differ
            codes = np.unique(codes, axis=1)
        self.columns = {
            column.name: Dimension(column.name, column.atoms, column.edges, own)
            for column, own in zip(columns, codes[1:], strict=True)
        }

    def _column(self, name: str) -> Dimension:
        self.study.check_column(name)
        column, rows = self.study.column(name), self.study.rows[ORIGINAL]
        cuts = set(self._cuts(name))
        if not cuts:
            occurring, codes = np.unique(column.codes[rows], return_inverse=True)
            return Dimension(name, _names([column.texts[i] for i in occurring]), (), codes)
        if column.kind != "number":
            raise InputError(f"{name!r} has bands or limits in the plan, and is no number.")
        numbers: Floats = column.numbers[column.codes[rows]]
        known = numbers[~np.isnan(numbers)]
        least = min([*cuts, float(known.min(initial=np.inf))])  # readers know where it begins
        edges = tuple(sorted(cuts | {least}))
        codes = np.searchsorted(edges, numbers, side="right") - 1
        atoms = [range_name(a, b) for a, b in zip(edges, (*edges[1:], np.inf), strict=True)]
        if len(known) < len(numbers):
            codes[np.isnan(numbers)] = len(edges)
            atoms.append("(missing)")
        return Dimension(name, tuple(atoms), edges, codes)

    def _cuts(self, name: str) -> Iterator[float]:
        """Where bands and conditions part a number; limits are of whole numbers."""
        for table in self.tables:
            bands = table.bands(self.about, name)
            if isinstance(bands, list):
                yield from map(float, bands)
            elif bands is not None and not isinstance(bands, Mapping):
                raise InputError(f"The bands of {name!r} in a plan are breaks, or named groups.")
            for column, sign, value in table.conditions():
                if column == name and sign in CUTS:
                    if not re.fullmatch(r"-?\d+(\.\d+)?", value):
                        raise InputError(f"{table.where!r} (where) has no number after {sign}.")
                    yield float(value) + (sign in (">", "<="))

    def plan(self, table: TableOfPlan, folder: Path) -> Planned:
        blocks: dict[str, Ints] = {}
        levels: dict[str, list[str]] = {}
        if table.file and not table.dims:
            raise InputError(f"Table {table.name!r} has a file. Name its columns (dims).")
        for name in table.dims:
            blocks[name], levels[name] = self._blocks(self.columns[name], table)
        for name, sign, value in table.conditions():
            column = self.columns[name]
            own = blocks.get(name, np.zeros(len(column.atoms), np.int64))
            own = np.where(_passes(column, sign, value), own, -1)
            kept = np.unique(own[own >= 0])
            if not len(kept):
                raise InputError(f"{table.where!r} (where, table {table.name!r}) keeps nobody.")
            number = {block: i for i, block in enumerate(kept.tolist())}
            blocks[name] = np.array([number.get(block, -1) for block in own.tolist()])
            if name in levels:
                levels[name] = [levels[name][block] for block in kept]
        counts = self._count(table.dims, blocks)
        named = [levels[name] for name in table.dims]
        settings: dict[str, Any] = {"publish": table.publish, "seed": table.seed}
        if table.file:
            settings |= _published(folder / table.file, table, named)
        else:
            settings["margins"] = table.margins
        made = PublishedTable(counts, dims=table.dims, levels=named, **settings)
        made.unit = self.study.unit
        return Planned(table.name, blocks, made)

    def _blocks(self, column: Dimension, table: TableOfPlan) -> tuple[Ints, list[str]]:
        """The block of each atom in a table, and the names of the blocks."""
        bands, n = table.bands(self.about, column.name), len(column.atoms)
        if isinstance(bands, Mapping):
            names = [*bands]
            place = {str(level): i for i, own in enumerate(bands.values()) for level in own}
            for atom in column.atoms:
                if atom not in place:
                    names.append(atom)
                    place[atom] = len(names) - 1
            _, own = np.unique([place[atom] for atom in column.atoms], return_inverse=True)
            return own, [names[i] for i in sorted({place[atom] for atom in column.atoms})]
        if not isinstance(bands, list):
            return np.arange(n), [*column.atoms]
        breaks = sorted({float(b) for b in bands} | {column.edges[0]})
        own = np.searchsorted(breaks, column.edges, side="right") - 1
        ends = (*breaks[1:], np.inf)
        names = [range_name(a, b) for a, b in zip(breaks, ends, strict=True)]
        more = n - len(column.edges)
        own = np.append(own, len(breaks) + np.arange(more))
        return own, [*names, *column.atoms[n - more :]]

    def _count(self, dims: Sequence[str], blocks: Mapping[str, Ints]) -> Floats:
        codes = {name: own[self.columns[name].codes] for name, own in blocks.items()}
        inside = np.logical_and.reduce([own >= 0 for own in codes.values()])
        shape = [int(blocks[name].max()) + 1 for name in dims]
        cell = np.ravel_multi_index([codes[name][inside] for name in dims], shape)
        amounts = None if self.amounts is None else self.amounts[inside]
        return np.bincount(cell, amounts, int(np.prod(shape))).reshape(shape).astype(np.float64)


def _names(texts: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(without_gap(texts))


def _passes(column: Dimension, sign: str, value: str) -> Any:
    """Which atoms pass a condition."""
    if sign in CUTS:
        cut, edges = float(value) + (sign in (">", "<=")), np.array(column.edges)
        passes = edges >= cut if sign in (">=", ">") else edges < cut
        return np.append(passes, np.zeros(len(column.atoms) - len(edges), bool))
    check_name(
        value, column.atoms if value in column.atoms else (), f"{column.name!r} has no level"
    )
    is_level = np.array([atom == value for atom in column.atoms])
    return is_level if sign == "=" else ~is_level


def _published(path: Path, table: TableOfPlan, levels: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The values of a file, in the order of the levels of the plan."""
    source = PublishedTable.read(path, table.dims)
    published = {}
    for part, values in source.parts.items():
        own = [ranks for dim, ranks in zip(table.dims, levels, strict=True) if dim in part]
        places = {key: i for i, key in enumerate(source.levels_of(part))}
        keys = [
            tuple(r[i] for r, i in zip(own, at, strict=True)) for at in np.ndindex(*map(len, own))
        ]
        if keys and set(keys) != set(places):
            raise InputError(f"The file of table {table.name!r} has other levels than the records.")
        shown = [values.shown[places[key]] for key in keys]
        published[source.part_name(part)] = [None if np.isnan(v) else float(v) for v in shown]
    return {"published": published}

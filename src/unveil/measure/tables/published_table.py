"""What was released about a table of counts: its cells, its true counts, and what was published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import is_list, parse_true_or_false, quote_value
from unveil.errors import InputError, SettingsError, hint_at, list_names
from unveil.measure.tables.crosstab import Crosstab
from unveil.measure.tables.grid import (
    LARGEST_COUNT,
    MOST_DIMS,
    TABLE,
    Counts,
    Grid,
    as_count,
    as_reusable,
    find_spellings,
    parse_table,
)
from unveil.measure.tables.parts import (
    Fact,
    Plan,
    System,
    Values,
    choose_draw_seed,
    parse_published,
    plan,
    publish,
)
from unveil.measure.tables.ptable import RecordKeys
from unveil.measure.tables.schemes import (
    Bounds,
    Published,
    Scheme,
    bounds_of_values,
    trivial_bounds,
)

# What is said of a table besides what is published: other sums, and impossible cells.


def parse_constraints(grid: Grid, given: Any) -> Iterator[Fact]:
    """What a user says is known besides, each as a fact."""
    if given is None:
        return
    if not is_list(given):
        raise SettingsError(
            'constraints must be a list, such as [{"cells": [0, 3], "lo": 2, "hi": 4}]; given is'
            f" {quote_value(given)}."
        )
    for number, one in enumerate(given, 1):
        yield _constraint(grid, one, f"Constraint {number:,}")


def _constraint(grid: Grid, given: Any, where: str) -> Fact:
    if not isinstance(given, Mapping):
        raise SettingsError(f'{where} is no mapping such as {{"cells": [0, 3], "lo": 2, "hi": 4}}.')
    for key in given:
        if key not in ("cells", "lo", "hi"):
            hint = hint_at(str(key), ("cells", "lo", "hi"))
            raise SettingsError(f"{where} has an entry {key!r}.{hint} It has cells, lo and hi.")
    asked: Any = as_reusable(given.get("cells", ()))
    if not is_list(asked) or not len(asked):
        raise SettingsError(f"{where} names no cells. Give a list of them.")
    cells = [grid.cell(one, where) for one in asked]
    if len(set(cells)) < len(cells):
        raise SettingsError(f"{where} names a cell twice. Name each once.")
    lo, hi = _bound(given.get("lo", 0), where), _bound(given.get("hi"), where)
    if lo is None or (hi is not None and hi < lo):
        raise SettingsError(f"{where} has no lo that is at most its hi.")
    return Fact(tuple(sorted(cells)), lo, hi, f"the sum of {where.lower()}")


def _bound(given: Any, where: str) -> int | None:
    if given is None:
        return None
    found = as_count(given)
    if found is None or not 0 <= found <= LARGEST_COUNT:
        raise SettingsError(
            f"{where} has a bound that is {quote_value(given)}. Bounds are whole numbers from 0 to"
            f" {LARGEST_COUNT:,}; hi may be None."
        )
    return found


def parse_structural_cells(grid: Grid, given: Any, counts: Counts) -> frozenset[int]:
    """The impossible cells, given by number, by levels or as a mask; none may have a count."""
    if given is None:
        return frozenset()
    if not is_list(given) and not isinstance(given, set | frozenset):
        raise SettingsError(
            "structural must be a list of impossible cells, or a mask of the table's shape; given"
            f" is {quote_value(given)}."
        )
    given = as_reusable(given)
    mask = _mask(given, grid)
    cells = (
        {grid.cell(one, "structural") for one in given}
        if mask is None
        else set(np.flatnonzero(mask).tolist())
    )
    for cell in sorted(cells):
        if counts[cell]:
            raise InputError(
                f"People are counted in {grid.what(cell)}, which is declared impossible"
                " (structural). Remove it from the structural cells, or correct its count."
            )
    return frozenset(cells)


def parse_nested(grid: Grid, given: Any) -> tuple[tuple[str, str], ...]:
    """Pairs of dimensions, the first within the second."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise SettingsError(
            f'nested is {quote_value(given)}. Write {{"ward": "region"}} for wards within regions.'
        )
    for name in (one for pair in given.items() for one in pair):
        if name not in grid.dims:
            raise SettingsError(
                f"nested names {quote_value(name)}, which is not a dimension of the"
                f" table.{hint_at(str(name), grid.dims)} Its dimensions are:"
                f" {list_names(grid.dims)}."
            )
    return tuple(given.items())


def find_nested_cells(
    grid: Grid, nested: Iterable[tuple[str, str]], counts: Counts
) -> frozenset[int]:
    """The combinations that a hierarchy rules out; a level without people may be anywhere."""
    found: set[int] = set()
    places = np.unravel_index(np.arange(grid.n_cells), grid.shape)
    for inner, outer in nested:
        i, j = grid.dims.index(inner), grid.dims.index(outer)
        lives = np.zeros((grid.shape[i], grid.shape[j]), dtype=bool)
        np.logical_or.at(lives, (places[i], places[j]), counts > 0)
        several = np.flatnonzero(lives.sum(axis=1) > 1)
        if len(several) or i == j:
            raise InputError(
                f"{inner!r} is not nested in {outer!r}: {len(several):,} of its levels have people"
                f" in several levels of {outer!r}. Correct the counts, or omit the hierarchy."
            )
        elsewhere = lives.any(axis=1, keepdims=True) & ~lives
        found |= set(np.flatnonzero(elsewhere[places[i], places[j]]).tolist())
    return frozenset(found)


def _mask(given: Any, grid: Grid) -> Any:
    """Truth values in the table's shape, or flat; None where they are not truth values."""
    if isinstance(given, set | frozenset) or not len(given) or not _is_truth(given):
        return None
    try:
        mask = np.array(given, dtype=bool)
    except ValueError:  # lists of unequal length
        mask = np.zeros(0, dtype=bool)
    if mask.shape not in (grid.shape, (grid.n_cells,)):
        sizes = " x ".join(f"{size:,}" for size in grid.shape)
        raise SettingsError(
            f"The mask of structural cells does not have the table's shape, {sizes}."
        )
    return mask.reshape(-1)


def _is_truth(given: Any, depth: int = 0) -> bool:
    """Whether everything in these lists of lists is True or False."""
    if isinstance(given, np.ndarray):
        return bool(given.dtype == bool)
    if is_list(given) and depth <= MOST_DIMS:
        return all(_is_truth(one, depth + 1) for one in given)
    return isinstance(given, bool | np.bool_)


OF_SAMPLE = (
    "The counts are of a sample: every figure assumes that the intruder knows who is in the sample."
)
OWN_COLUMNS = ("part", "scheme", "published", "lower", "upper")
NO_TABLE = "The cells of the table are not published, only what is named beside it."


@dataclass(frozen=True)
class PublishedTable:
    """A table of true counts, and what was published of it.

    Made by `from_counts`, `from_microdata` or `from_file`. What it holds is confidential: it
    contains the true counts.
    """

    dims: tuple[str, ...]
    """Names of the dimensions, in the order of the cells."""
    levels: tuple[tuple[str, ...], ...]
    """Levels of each dimension, as text, in the order of the cells."""
    system: System
    """The true counts and everything known about them."""
    schemes: tuple[tuple[str, str], ...]
    """What was published how: ("table", "conventional:5"), ("sex", "exact"), ("total", "exact")."""
    notes: tuple[str, ...] = ()
    of_sample: bool = False
    """True where the counts are of a sample."""
    published: tuple[tuple[str, tuple[Published, ...]], ...] = ()
    """The published values of each part, flat: numbers, pairs for intervals, None if suppressed."""
    seed: int | None = None
    """Of the draws; None where nothing was drawn."""
    of_people: bool = False
    """True where people's records were counted: no message quotes their levels."""
    record_keys: RecordKeys | None = field(default=None, repr=False, compare=False)
    """Of people's records: whose key is in which cell."""
    crosstab: Crosstab | None = field(default=None, repr=False, compare=False)
    """The sheet that the counts were read from, where it was a cross-table."""

    nested: tuple[tuple[str, str], ...] = ()
    """Hierarchies: dimensions whose levels each lie within one level of another."""

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        *,
        dims: str | Iterable[str] | None = None,
        levels: Any = None,
        rounding: str | Mapping[str, str] | None = None,
        table: bool = True,
        total: bool = False,
        margins: Any = None,
        published: Any = None,
        constraints: Iterable[Mapping[str, Any]] | None = None,
        structural: Any = None,
        nested: Mapping[str, str] | None = None,
        seed: int | None = None,
    ) -> PublishedTable:
        """A release of a table of counts that is written down in Python.

        Parameters
        ----------
        counts
            True counts: a list, lists of equal length, an array, or a mapping from cells (a tuple
            of levels) to counts, where a combination that is not there has nobody in it.
        dims, levels
            Names of the dimensions, and of the levels of each. Without them dimensions are dim1,
            dim2, ... and levels 0, 1, ...
        rounding
            A scheme for everything that is published, such as "conventional:5"; or a mapping from
            parts to schemes: {"table": "random:3", "sex": "exact", "total": "none"}. A mapping
            lists all that is published; "margins" stands for those in `margins`.
        table, total, margins
            Whether the cells, the total, and which margins are published: "all", or a list of
            lists of dimensions.
        published
            The values that were published, where chance took part in them: of the table, or a
            mapping from parts to values. None is a suppressed value, a pair an interval.
        constraints
            Anything else that is known: {"cells": [0, 3], "lo": 2, "hi": 4}; hi None is no bound.
        structural
            Impossible cells: their numbers, their levels, or a mask of the table's shape.
        nested
            Hierarchies: {"ward": "region"} says that every ward is in one region, so that its
            combinations with other regions are impossible.
        seed
            Of the draws. Without one, one is drawn; `seed` holds it.
        """
        grid, found = parse_table(counts, dims, levels)
        return make_release(
            grid,
            found,
            rounding=rounding,
            table=table,
            total=total,
            margins=margins,
            published=published,
            constraints=constraints,
            structural=structural,
            nested=nested,
            seed=seed,
        )

    @classmethod
    def from_microdata(
        cls,
        data: Any,
        dims: str | Iterable[str],
        *,
        weights: str | None = None,
        sample: bool = False,
        bands: Mapping[str, Any] | None = None,
        special_codes: Mapping[str, Any] | None = None,
        missing_values: str | Sequence[str] = (),
        record_keys: str | None = None,
        **asked: Any,
    ) -> PublishedTable:
        """A release of the table that people's records make.

        Parameters
        ----------
        data
            A frame, or the path of a file, in any of the forms of `unveil.disclosure`.
        dims
            The columns that make the table. Missing is a level; combinations that nobody has are
            cells too.
        weights
            A column of whole numbers: for how many people each record stands.
        sample
            Whether the records are a sample of the people. A note then says what that assumes.
        bands, special_codes, missing_values
            As in `unveil.disclosure`.
        record_keys
            Of cell keys: the column of each person's secret key, a number from 0 to below 1.
            Without it keys are drawn by the seed, in the order of the records.
        **asked
            What is published, as in `from_counts`: rounding, table, total, margins, published,
            constraints, structural, nested, seed.
        """
        from unveil.measure.tables.from_records import count_cells

        grid, counts, keys, notes = count_cells(
            data,
            dims,
            weights=weights,
            bands=bands,
            special_codes=special_codes,
            missing_values=missing_values,
            record_keys=record_keys,
        )
        is_sample = parse_true_or_false("sample", sample)
        told = (*notes, OF_SAMPLE) if is_sample else notes
        wanted = check_names(asked)
        return make_release(
            grid, counts, notes=told, of_sample=is_sample, record_keys=keys, **wanted
        )

    @classmethod
    def from_file(
        cls,
        path: Any,
        *,
        dims: str | Iterable[str] | None = None,
        count: str | None = None,
        layout: str | None = None,
        total_label: str | Sequence[str] = ("Total", "All"),
        sample: bool = False,
        blank: str | None = None,
        **asked: Any,
    ) -> PublishedTable:
        """A release of a table of counts that stands in a file.

        Parameters
        ----------
        path
            A CSV, TSV, Parquet or Excel file, or a frame. Long: columns of levels and one of
            counts. Wide: levels of the rows in the first column, those of the columns in the
            header. Crosstab: a sheet as an office lays it out, with titles, up to three rows of
            headers, several columns of labels, totals, notes, and counts such as 1 200.
        dims
            Long: the columns that make the table, all but the counts without it. Wide and
            crosstab: names for the columns of labels, then for the rows of headers.
        count
            Long: the column of counts; without it one called count, n, freq or the like.
        layout
            "long", "wide" or "crosstab"; found out from the file without it.
        total_label
            How the file calls sums over all levels of a dimension. They must add up, and are not
            cells.
        sample
            Whether the counts are of a sample of the people.
        blank
            Crosstab: "zero" where empty cells are 0.
        **asked
            What is published, as in `from_counts`; `published` may name a column of a long file.
        """
        from unveil.measure.tables.read_counts import table_in

        wanted = check_names(asked)
        found = table_in(
            path,
            dims=dims,
            count=count,
            layout=layout,
            total_label=total_label,
            published=wanted.get("published"),
            blank=blank,
        )
        if found.published is not None:
            settings = {name: wanted.get(name, default) for name, default in DEFAULTS.items()}
            asked_for = plan(found.grid, **settings)
            wanted["published"] = {p: v for p, v in found.published.items() if p in asked_for}
        is_sample = parse_true_or_false("sample", sample)
        told = (*found.notes, OF_SAMPLE) if is_sample else found.notes
        made = make_release(found.grid, found.counts, notes=told, of_sample=is_sample, **wanted)
        return replace(made, crosstab=found.crosstab)

    @property
    def grid(self) -> Grid:
        """The cells and their names."""
        return Grid(self.dims, self.levels, self.of_people)

    @property
    def N(self) -> int:
        """People in the table."""
        return self.system.N

    def bounds_of(self, part: str) -> list[Bounds]:
        """What each value of a part says by itself, to a reader who knows the rules."""
        truth = self.grid.sum_part(np.array(self.system.counts), part).tolist()
        values, schemes = dict(self.published), dict(self.schemes)
        return bounds_of_values(values[part], schemes[part], truth)

    def frame(self) -> pl.DataFrame:
        """What is published, one row per value: its part, levels, value and trivial bounds."""
        return pl.DataFrame(list(self._rows()), infer_schema_length=None)

    def _rows(self) -> Iterable[dict[str, Any]]:
        grid, schemes = self.grid, dict(self.schemes)
        columns = [f"{dim}_" if dim in OWN_COLUMNS else dim for dim in self.dims]
        for part, values in self.published:
            dims = grid.dims_of(part)
            rows = zip(grid.labels(part), values, self.bounds_of(part), strict=True)
            for label, value, (lower, upper) in rows:
                named = dict(zip(dims, label, strict=True))
                yield {
                    "part": part,
                    "scheme": schemes[part],
                    **{c: named.get(dim) for c, dim in zip(columns, self.dims, strict=True)},
                    "published": value if isinstance(value, int) else None,
                    "lower": lower,
                    "upper": upper,
                }

    def __repr__(self) -> str:
        sizes = " x ".join(f"{size:,}" for size in self.system.shape)
        shown_as = ", ".join(f"{part} {scheme}" for part, scheme in self.schemes)
        return (
            f"Release of {list_names(self.dims)} ({sizes} cells): {shown_as or 'nothing published'}"
        )


DEFAULTS: dict[str, Any] = {"rounding": None, "table": True, "total": False, "margins": None}
ASKED = (*DEFAULTS, "published", "constraints", "structural", "nested", "seed")


def check_names(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked for by name; an unknown name is refused with the nearest."""
    for name in asked:
        if name not in ASKED:
            raise SettingsError(
                f"A release has no setting {name!r}.{hint_at(name, ASKED)} Its settings are:"
                f" {list_names(ASKED)}."
            )
    return dict(asked)


def make_release(
    grid: Grid,
    counts: Counts,
    *,
    rounding: Any = None,
    table: bool = True,
    total: bool = False,
    margins: Any = None,
    published: Any = None,
    constraints: Any = None,
    structural: Any = None,
    nested: Any = None,
    seed: Any = None,
    notes: tuple[str, ...] = (),
    of_sample: bool = False,
    record_keys: RecordKeys | None = None,
) -> PublishedTable:
    """The release of these counts, or a sentence on what is wrong with what was asked."""
    asked = plan(grid, rounding, table=table, total=total, margins=margins)
    given = parse_published(grid, published, asked)
    within = parse_nested(grid, nested)
    impossible = parse_structural_cells(grid, structural, counts) | find_nested_cells(
        grid, within, counts
    )
    drawn = choose_draw_seed(asked, given, seed)
    has_keys = record_keys is not None and any(one.kind == "cellkey" for one in asked.values())
    keys = record_keys.sums(drawn) if record_keys is not None and has_keys else None
    values = publish(grid, counts, asked, given, seed=drawn, impossible=impossible, keys=keys)
    facts = [
        *_facts(grid, counts, asked, values),
        *_difference_facts(grid, asked, values),
        *parse_constraints(grid, constraints),
    ]
    system = System(tuple(counts.tolist()), tuple(facts), impossible, grid.shape)
    alike = find_spellings(dict(zip(grid.dims, grid.levels, strict=True)))
    notes = tuple(dict.fromkeys((*notes, *alike)))
    return PublishedTable(
        grid.dims,
        grid.levels,
        system,
        tuple((part, scheme.text) for part, scheme in asked.items()),
        notes if TABLE in asked else (*notes, NO_TABLE),
        of_sample,
        tuple(values.items()),
        drawn,
        grid.of_people,
        record_keys,
        nested=within,
    )


def _facts(grid: Grid, counts: Counts, asked: Plan, values: Values) -> Iterable[Fact]:
    """What each published value says by itself."""
    for part, scheme in asked.items():
        cells, whats = grid.members(part).tolist(), grid.whats(part)
        for value, what in zip(values[part], whats, strict=True):
            _check_value(value, scheme, what)
        known = bounds_of_values(values[part], scheme, grid.sum_part(counts, part).tolist())
        for members, (lo, hi), what in zip(cells, known, whats, strict=True):
            if lo or hi is not None:
                yield Fact(tuple(members), lo, hi, what)


def _difference_facts(grid: Grid, asked: Plan, values: Values) -> Iterable[Fact]:
    """What cell keys say by being consistent: a sum and a part of it with another value differ.

    The same people have the same value, so that somebody is in the difference. That is news only
    where the rest of the sum may hold no one.
    """
    keyed = [part for part, scheme in asked.items() if scheme.kind == "cellkey"]
    for whole, part in permutations(keyed, 2):
        kept = set(grid.dims_of(whole))
        if not kept < set(grid.dims_of(part)) or asked[whole].ptable != asked[part].ptable:
            continue
        inner = {tuple(one): i for i, one in enumerate(grid.members(part).tolist())}
        place = np.zeros(grid.n_cells, np.int64)
        for cells, i in inner.items():
            place[[*cells]] = i
        least = np.array([trivial_bounds(v, asked[part])[0] for v in values[part]])
        for n, cells in enumerate(grid.members(whole).tolist()):
            parts = np.unique(place[cells])
            n_sure = int(least[parts].sum())
            for i in parts.tolist():
                if n_sure == least[i] and values[part][i] != values[whole][n]:
                    rest = tuple(cell for cell in cells if place[cell] != i)
                    if rest:
                        yield Fact(rest, 1, None, f"the rest of {grid.whats(whole)[n]}")


def _check_value(value: Published, scheme: Scheme, what: str) -> None:
    try:
        trivial_bounds(value, scheme)
    except SettingsError as fault:
        raise SettingsError(f"{fault} See {what}.") from None

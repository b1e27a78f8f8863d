"""`unveil.compare_rounding`: which way to publish counts gives least away, and what does it cost?

Smith and Elliot (2008), section 2.4: SAP of many tables under a rounding scheme, in bands.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import fsum
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import is_list, parse_true_or_false, parse_whole_number, quote_value
from unveil.arrays import Floats
from unveil.errors import InputError, RolesError, SettingsError, hint_at, list_names
from unveil.measure.result import RowsResult
from unveil.measure.tables.grid import (
    TABLE,
    TOTAL,
    Counts,
    Grid,
    parse_table,
)
from unveil.measure.tables.parts import publish_counts, stream
from unveil.measure.tables.published_table import (
    PublishedTable,
    find_nested_cells,
    make_release,
    parse_nested,
    parse_structural_cells,
)
from unveil.measure.tables.round_table import hellinger
from unveil.measure.tables.sap import LARGEST_N, parse_effort, parse_threshold
from unveil.measure.tables.sap_batch import UNBOUNDED, TableBatch, compute_curves
from unveil.measure.tables.sap_curve import Effort, SapQuestion, compute_curve
from unveil.measure.tables.schemes import Published, Scheme, parse_scheme, trivial_bounds
from unveil.records.count_tables import BandRow, RoundingComparison, SchemeRow, SchemeSummary
from unveil.seeding import choose_seed
from unveil.study.scenario import Progress, no_progress

# Which tables are compared: one, a list, by name, in a folder, or one for each area?


NamedTables = dict[str, tuple[Grid, Counts]]
SUFFIXES = (".csv", ".tsv", ".parquet", ".xlsx")
ONE = "table"


def parse_tables(given: Any, *, area: str | None, dims: Any, count: str | None) -> NamedTables:
    """The tables by name, in their order.

    A list of numbers, lists of them, and an array are one table; a list of nested lists, of arrays,
    of releases or of files is many, and so is a mapping from names to tables. A frame or a file is
    one, or with `area` many.
    """
    if area is not None:
        return _by_area(given, area, dims, count)
    if isinstance(given, str | Path) and Path(given).is_dir():
        return _in_folder(Path(given), dims, count)
    if isinstance(given, Mapping) and given and not all(map(_is_number, given.values())):
        return {str(name): _one(table, dims, count) for name, table in given.items()}
    if isinstance(given, list | tuple) and given and not all(map(_is_row, given)):
        return {f"{ONE} {place}": _one(one, dims, count) for place, one in enumerate(given, 1)}
    return {ONE: _one(given, dims, count)}


def populated_tables(named: NamedTables, n_max: Any) -> tuple[NamedTables, tuple[str, ...]]:
    """The tables that count somebody, and a note on the others: nobody of them becomes known."""
    empty = [name for name, (_, counts) in named.items() if not counts.any()]
    if not empty or n_max == 0:
        return named, ()
    if len(empty) == len(named):
        raise InputError("No one is counted in any table, so that no one can become known.")
    note = (
        f"No one is counted in {len(empty):,} of the tables, which are excluded: "
        f"{list_names(empty)}."
    )
    return {name: table for name, table in named.items() if name not in set(empty)}, (note,)


def _is_number(one: Any) -> bool:
    return one is None or isinstance(one, Number | np.number)


def _is_row(one: Any) -> bool:
    """Whether this is a number, or a plain list of them: part of one table."""
    return _is_number(one) or (isinstance(one, list | tuple) and all(map(_is_number, one)))


def _one(given: Any, dims: Any, count: str | None) -> tuple[Grid, Counts]:
    if isinstance(given, PublishedTable):
        return given.grid, np.array(given.system.counts, np.int64)
    if isinstance(given, str | Path) or _is_frame(given):
        return _from_file(given, dims, count)
    if not is_list(given) and not isinstance(given, Mapping):
        raise SettingsError(
            f"A table to compare is {quote_value(given)}. Give counts, a release, a frame or a "
            "file."
        )
    return parse_table(given, dims, None)


def _is_frame(given: Any) -> bool:
    return hasattr(given, "columns") and not isinstance(given, np.ndarray)


def _from_file(given: Any, dims: Any, count: str | None) -> tuple[Grid, Counts]:
    found = PublishedTable.from_file(given, dims=dims, count=count)
    return found.grid, np.array(found.system.counts, np.int64)


def _in_folder(folder: Path, dims: Any, count: str | None) -> NamedTables:
    files = sorted(one for one in folder.iterdir() if one.suffix.lower() in SUFFIXES)
    if not files:
        raise InputError(
            f"The folder {folder.name!r} has no table in it. Files of tables end in:"
            f" {list_names(SUFFIXES)}."
        )
    names = [one.stem for one in files]
    told = names if len(set(names)) == len(names) else [one.name for one in files]
    return {name: _from_file(str(one), dims, count) for name, one in zip(told, files, strict=True)}


def _by_area(given: Any, area: str, dims: Any, count: str | None) -> NamedTables:
    """One table for each level of a column; all of them have the levels of all."""
    from unveil.measure.tables.read_counts import table_in
    from unveil.study.roles import names

    asked = None if dims is None else (area, *(d for d in names(dims, "Dimensions") if d != area))
    found = table_in(
        given, dims=asked, count=count, layout="long", total_label=("Total", "All"), published=None
    )
    grid = found.grid
    if area not in grid.dims:
        raise RolesError(
            f"There is no column of areas {area!r}.{hint_at(area, grid.dims)} The columns of"
            f" levels are: {list_names(grid.dims)}."
        )
    if len(grid.dims) == 1:
        raise RolesError(
            f"Beside the areas {area!r} no column of levels is left to make tables of."
        )
    place = grid.dims.index(area)
    rest = [dim for dim in range(len(grid.dims)) if dim != place]
    inner = Grid(tuple(grid.dims[d] for d in rest), tuple(grid.levels[d] for d in rest))
    counts = np.moveaxis(found.counts.reshape(grid.shape), place, 0)
    return {
        name: (inner, counts[number].reshape(-1)) for number, name in enumerate(grid.levels[place])
    }


# Curves of many tables and schemes, as the record that leaves the measure.


EDGES = np.arange(1, 10) / 10


@dataclass(frozen=True)
class RoundingSettings:
    """What is asked of every table and scheme."""

    n_max: int
    threshold: float
    total: bool
    draws: int
    seed: int


@dataclass(frozen=True)
class SchemeDraw:
    """One table under one draw of a scheme."""

    lower: Floats
    upper: Floats
    published: Sequence[Published]  # of the cells
    complete: bool


def comparison(
    named: NamedTables,
    drawn: Mapping[str, Sequence[Sequence[SchemeDraw]]],
    settings: RoundingSettings,
    *,
    margins: tuple[str, ...],
    notes: tuple[str, ...],
) -> RoundingComparison:
    """All rows, bands and summaries; `drawn` has for each scheme and table its draws."""
    rows: list[SchemeRow] = []
    bands: list[BandRow] = []
    summaries: list[SchemeSummary] = []
    for scheme, of_tables in drawn.items():
        made = [
            _row(name, counts, scheme, draws, settings.threshold)
            for (name, (_, counts)), draws in zip(named.items(), of_tables, strict=True)
        ]
        rows += made
        bands += _bands(scheme, made)
        summaries.append(_summary(scheme, made))
    return RoundingComparison(
        schemes=tuple(drawn),
        margins=margins,
        total=settings.total,
        n_max=settings.n_max,
        threshold=settings.threshold,
        draws=settings.draws,
        seed=settings.seed if any(parse_scheme(one).draws for one in drawn) else None,
        n_tables=len(named),
        summaries=tuple(summaries),
        rows=tuple(rows),
        bands=tuple(bands),
        notes=notes,
    )


def _row(
    name: str, counts: Counts, scheme: str, draws: Sequence[SchemeDraw], threshold: float
) -> SchemeRow:
    lower = np.mean([one.lower for one in draws], axis=0)
    upper = np.mean([one.upper for one in draws], axis=0)
    middle = [(one.lower + one.upper) / 2 for one in draws]
    true = counts.tolist()
    losses = [_loss(true, one.published) for one in draws]
    return SchemeRow(
        table=name,
        scheme=scheme,
        N=int(counts.sum()),
        n_cells=len(true),
        n_draws=len(draws),
        first_risk=_first(np.any([one.lower > 0 for one in draws], axis=0)),
        passes=_first(lower > threshold),
        lower=tuple(lower.tolist()),
        upper=tuple(upper.tolist()),
        spread=tuple(np.std(middle, axis=0).tolist()),
        complete=all(one.complete for one in draws),
        mean_absolute=_mean([absolute for absolute, _, _ in losses]),
        hellinger=_mean([distance for _, distance, _ in losses]),
        n_suppressed=sum(suppressed for _, _, suppressed in losses) / len(draws),
    )


def _loss(
    true: Sequence[int], published: Sequence[Published]
) -> tuple[float | None, float | None, int]:
    """Mean absolute and Hellinger distance of the published cells, and how many are not."""
    cells = [(c, p) for c, p in zip(true, published, strict=True) if isinstance(p, int)]
    absolute = sum(abs(c - p) for c, p in cells) / len(cells) if cells else None
    distance = hellinger([c for c, _ in cells], [p for _, p in cells])
    return absolute, distance, len(true) - len(cells)


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean of those that are measured; None where none is."""
    measured = [value for value in values if value is not None]
    return fsum(measured) / len(measured) if measured else None


def _first(holds: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> int | None:
    places = np.flatnonzero(holds)
    return int(places[0]) if len(places) else None


def _bands(scheme: str, rows: Sequence[SchemeRow]) -> list[BandRow]:
    """The paper's Table 3: exactly 0, ten bands closed on the left, exactly 1."""
    lower, upper = (
        _band(np.array([getattr(r, side) for r in rows])) for side in ("lower", "upper")
    )
    made = []
    for n in range(lower.shape[1]):
        tally = np.bincount(lower[:, n], minlength=12).tolist()
        made.append(
            BandRow(
                scheme=scheme,
                n=n,
                zero=tally[0],
                bands=tuple(tally[1:11]),
                one=tally[11],
                n_open=int((lower[:, n] != upper[:, n]).sum()),
            )
        )
    return made


def _band(values: Floats) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    inner = 1 + np.searchsorted(EDGES, values, side="right")
    return np.where(values <= 0, 0, np.where(values >= 1, 11, inner)).astype(np.int64)


def _summary(scheme: str, rows: Sequence[SchemeRow]) -> SchemeSummary:
    leaving = [row.first_risk for row in rows if row.first_risk is not None]
    passing = [row.passes for row in rows if row.passes is not None]
    return SchemeSummary(
        scheme=scheme,
        n_tables=len(rows),
        first_risk=min(leaving, default=None),
        passes=min(passing, default=None),
        n_passing=len(passing),
        mean_sap=tuple(np.mean([row.lower for row in rows], axis=0).tolist()),
        mean_absolute=_mean([row.mean_absolute for row in rows]),
        hellinger=_mean([row.hellinger for row in rows]),
    )


MOST_DRAWS = 10_000
EXACT = "exact"


@dataclass(frozen=True, repr=False)
class SchemeComparison(RowsResult[RoundingComparison]):
    """Schemes side by side: a row per table and scheme, bands, and curves."""

    def bands(self) -> pl.DataFrame:
        """How many tables have a SAP in each band, as the paper's Table 3: one row per n."""
        names = [f"{low / 10:.1f}-{(low + 1) / 10:.1f}" for low in range(10)]
        return pl.DataFrame(
            [
                {"scheme": row.scheme, "n": row.n, "=0": row.zero}
                | dict(zip(names, row.bands, strict=True))
                | {"=1": row.one, "open": row.n_open}
                for row in self.record.bands
            ]
        )

    def curves(self) -> pl.DataFrame:
        """SAP by table, scheme and n, in long form."""
        return (
            self.frame()
            .select("table", "scheme", "lower", "upper", "spread")
            .with_columns(n=pl.lit(list(range(self.record.n_max + 1))))
            .explode("n", "lower", "upper", "spread")
        )


def compare_rounding(
    tables: Any,
    schemes: str | Iterable[str],
    *,
    n_max: int = 24,
    threshold: float = 0.05,
    total: bool = False,
    margins: Any = None,
    structural: Any = None,
    nested: Mapping[str, str] | None = None,
    area: str | None = None,
    dims: str | Iterable[str] | None = None,
    count: str | None = None,
    draws: int = 20,
    seed: int | None = None,
    nodes: int = 20_000,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> SchemeComparison:
    """Compare rounding schemes on one table or on many, before anything is published.

    Parameters
    ----------
    tables
        One table of counts (a list, a list of lists, an array, a mapping from cells to counts, a
        release, a frame or file); or many: a list of nested lists, arrays, releases or files, a
        mapping from names to tables, or a folder of files. Of more than two dimensions a single
        table is an array.
    schemes
        One or several of the schemes of `unveil.round_table`.
    n_max, threshold
        The largest number of known people, and the SAP that is not to be passed.
    total, margins, structural, nested
        What else is published, under the same scheme, and which cells are impossible: as in
        `unveil.PublishedTable.from_counts`, for every table.
    area, dims, count
        Of a frame or file in long form: the column with one table for each of its levels, those
        that make the tables, and that of the counts.
    draws, seed
        How often a scheme that draws is drawn for every table; its figures are means over draws.
    nodes, seconds
        As in `unveil.sap`, for each curve.

    Returns
    -------
    Comparison
        `.rows`, one per table and scheme: SAP for every n, the smallest n at which it leaves 0 and
        at which it passes the threshold, mean absolute and Hellinger distance of what is published
        from the truth; `.bands()`, the paper's Table 3; `.curves()`.

    References
    ----------
    Smith and Elliot (2008), section 2.4. Bands are closed on the left: 0.1 is in 0.1-0.2. n beyond
    the people of a table is all of them, as in the printed table.
    """
    chosen = _schemes(schemes)
    every_table = parse_tables(tables, area=area, dims=dims, count=count)
    named, notes = populated_tables(every_table, n_max)
    settings = RoundingSettings(
        n_max=parse_whole_number("n_max", n_max, least=0, most=LARGEST_N),
        threshold=parse_threshold(threshold),
        total=parse_true_or_false(TOTAL, total),
        draws=parse_whole_number("draws", draws, most=MOST_DRAWS),
        seed=choose_seed(seed),
    )
    publish = dict(total=settings.total, margins=margins, structural=structural, nested=nested)
    effort = Effort(*parse_effort(nodes, seconds), settings.seed, no_progress)
    report = progress or no_progress
    drawn: dict[str, list[list[SchemeDraw]]] = {}
    for place, scheme in enumerate(chosen):
        report(f"measuring {scheme.text}", place, len(chosen))
        times = settings.draws if scheme.draws else 1
        every = [
            _draw(named, scheme, draw, settings=settings, publish=publish, effort=effort)
            for draw in range(times)
        ]
        drawn[scheme.text] = [list(of_table) for of_table in zip(*every, strict=True)]
    asked = next(iter(named.values()))[0].margins(margins)
    parts = tuple(",".join(one) for one in asked)
    notes = (*notes, *_unchanged(drawn, named))
    return SchemeComparison(comparison(named, drawn, settings, margins=parts, notes=notes))


def _unchanged(drawn: Mapping[str, list[list[SchemeDraw]]], named: NamedTables) -> Iterable[str]:
    """A note for each scheme that publishes every count as it is."""
    true = [tuple(counts.tolist()) for _, counts in named.values()]
    for scheme, of_tables in drawn.items():
        pairs = zip(true, of_tables, strict=True)
        if scheme != EXACT and all(tuple(d.published) == one for one, ds in pairs for d in ds):
            yield f"{scheme} changes nothing here: every count is published as it is."


def _schemes(given: Any) -> tuple[Scheme, ...]:
    texts = list(given) if is_list(given) else [given]
    if not texts:
        raise SettingsError("No rounding scheme is given. Write one, such as conventional:5.")
    return tuple(dict.fromkeys(parse_scheme(one) for one in texts))


def _draw(
    named: NamedTables,
    scheme: Scheme,
    draw: int,
    *,
    settings: RoundingSettings,
    publish: dict[str, Any],
    effort: Effort,
) -> list[SchemeDraw]:
    """One draw of a scheme on every table."""
    # A stream for each draw and table, whatever other tables stand beside it.
    seeds = [_seed(settings.seed, draw, place) for place in range(len(named))]
    found: list[SchemeDraw | None] = [None] * len(named)
    if publish["margins"] is None and scheme.kind not in ("controlled", "interval"):
        found = _together(named, scheme, seeds, settings, publish)
    for place, (grid, counts) in enumerate(named.values()):
        if found[place] is None:
            release = make_release(grid, counts, rounding=scheme.text, **publish, seed=seeds[place])
            question = SapQuestion(release.system)
            one = compute_curve(question, settings.n_max, effort)
            values = dict(release.published)[TABLE]
            found[place] = SchemeDraw(
                np.array(one.lower), np.array(one.upper), values, one.complete
            )
    return [one for one in found if one is not None]


def _seed(seed: int, draw: int, place: int) -> int:
    return int(np.random.SeedSequence([seed, draw, place]).generate_state(1, np.uint64)[0] >> 11)


def _together(
    named: NamedTables,
    scheme: Scheme,
    seeds: Sequence[int],
    settings: RoundingSettings,
    publish: Mapping[str, Any],
) -> list[SchemeDraw | None]:
    """Tables of equally many cells in one go; None where whole numbers would grow too large."""
    places: dict[int, list[int]] = {}
    every = list(named.values())
    for place, (_, counts) in enumerate(every):
        places.setdefault(len(counts), []).append(place)
    found: list[SchemeDraw | None] = [None] * len(every)
    for alike in places.values():
        counts = np.stack([every[place][1] for place in alike])
        chosen = [seeds[place] for place in alike]
        published = _publish_rows(counts, scheme, chosen, TABLE)
        lo, hi = _bounds(published, scheme, counts.shape)
        possible = np.ones(counts.shape, dtype=bool)
        for row, place in enumerate(alike):
            possible[row, sorted(_impossible(every[place][0], publish, counts[row]))] = False
        total_hi = None
        if settings.total:
            sums = counts.sum(axis=1, keepdims=True)
            totals = _publish_rows(sums, scheme, chosen, TOTAL)
            total_hi = _bounds(totals, scheme, sums.shape)[1][:, 0]
        values, sure = compute_curves(
            TableBatch(counts, lo, hi, total_hi, possible), settings.n_max
        )
        width = counts.shape[1]
        for row, place in enumerate(alike):
            if sure[row]:
                cells = published[row * width : (row + 1) * width]
                found[place] = SchemeDraw(values[row], values[row], cells, complete=True)
    return found


def _impossible(grid: Grid, publish: Mapping[str, Any], counts: Counts) -> frozenset[int]:
    within = find_nested_cells(grid, parse_nested(grid, publish["nested"]), counts)
    structural = publish["structural"]
    return (
        within if structural is None else within | parse_structural_cells(grid, structural, counts)
    )


def _publish_rows(
    counts: Counts, scheme: Scheme, seeds: Sequence[int], part: str
) -> tuple[Published, ...]:
    """What is published of every row, one after the other."""
    if not scheme.draws:
        return publish_counts(counts.reshape(-1), scheme, stream(0, part))
    rows = zip(counts, seeds, strict=True)
    return tuple(
        one for row, seed in rows for one in publish_counts(row, scheme, stream(seed, part))
    )


def _bounds(
    published: Sequence[Published], scheme: Scheme, shape: tuple[int, ...]
) -> tuple[Counts, Counts]:
    @cache
    def of(value: Published) -> tuple[int, int]:
        lo, hi = trivial_bounds(value, scheme)
        return lo, UNBOUNDED if hi is None else hi

    found = np.array([of(value) for value in published], np.int64).reshape(*shape, 2)
    return found[..., 0], found[..., 1]

"""Which table does `unveil table` measure, and what is published of it?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unveil.errors import RolesError, SettingsError, nearest
from unveil.measure.tables.depth import under
from unveil.measure.tables.design_tables import tables_given
from unveil.measure.tables.grid import Grid
from unveil.measure.tables.levels_named import key_levels
from unveil.measure.tables.published_file import published_in
from unveil.measure.tables.release import NO_TABLE, OF_SAMPLE, Release, made
from unveil.measure.tables.schemes import NOT_PUBLISHED

TOTAL_LABELS = ("Total", "All")


@dataclass(frozen=True)
class Source:
    """Where the counts come from."""

    file: str
    microdata: bool
    dims: tuple[str, ...]
    count: str | None
    layout: str | None
    total_labels: tuple[str, ...]
    weights: str | None
    sample: bool
    reading: Mapping[str, Any]

    @property
    def labels(self) -> tuple[str, ...]:
        """How sums are called."""
        return self.total_labels or TOTAL_LABELS

    def counted(self, beside: str | None = None) -> Release:
        """The counts, as a release; `beside` is a column of published values, no dimension."""
        if self.microdata:
            return self._from_people(beside)
        self.refuse_settings_of_people()
        return Release.from_file(
            self.file,
            dims=self.dims or None,
            count=self.count,
            layout=self.layout,
            total_label=self.labels,
            sample=self.sample,
            published=beside,
            rounding=None if beside is None else NOT_PUBLISHED,
        )

    def refuse_settings_of_people(self) -> None:
        """Refuse what would have no effect on counts."""
        if self.weights is not None or any(self.reading.values()):
            raise SettingsError(
                "--weights, --bands, --special-codes and --missing are about people's records."
                " Say --microdata where FILE holds them."
            )

    def _from_people(self, beside: str | None) -> Release:
        if beside is not None:
            raise SettingsError(
                f"There is no file {beside!r} of published values. A column of them stands beside"
                " counts only, not in people's records."
            )
        if not self.dims:
            raise RolesError("Say which columns make the table: --dims sex,age.")
        if self.count is not None or self.layout is not None or self.total_labels:
            raise SettingsError(
                "--count, --layout and --total-label are about files of counts. Leave them out"
                " with --microdata."
            )
        return Release.from_microdata(
            self.file, self.dims, weights=self.weights, sample=self.sample, **self.reading
        )


@dataclass(frozen=True)
class Publication:
    """What is published of the counts."""

    rounding: Mapping[str | None, str]
    total: bool
    margins: tuple[str, ...]
    published: str | None
    structural: tuple[str, ...]
    seed: int | None

    def of(self, source: Source) -> Release:
        """The release, or a sentence on what is wrong with what was asked."""
        is_file = self.published is None or Path(self.published).is_file()
        counts = source.counted(None if is_file else self.published)
        grid = counts.grid
        return made(
            grid,
            np.array(counts.system.counts, np.int64),
            rounding=rounding_asked(self.rounding, total=self.total),
            total=self.total,
            margins=margins_asked(self.margins, grid),
            published=self._published(source, grid),
            structural=structural_cells(self.structural, grid),
            seed=self.seed,
            notes=tuple(note for note in counts.notes if note != NO_TABLE),
            of_sample=counts.of_sample,
        )

    def _published(self, source: Source, grid: Grid) -> dict[str, Any] | None:
        """The values of a file, or of a column beside the counts; those of parts asked for."""
        if self.published is None:
            return None
        if Path(self.published).is_file():
            found = published_in(self.published, grid, total_label=source.labels)
        else:
            found = published_in(
                source.file, grid, value=self.published, layout="long", total_label=source.labels
            )
        asked = margins_asked(self.margins, grid)
        parts = {"table", *(grid.part(one) for one in grid.margins(asked))}
        parts |= {"total"} if self.total else set()
        return {part: values for part, values in found.items() if part in parts}


def rounding_asked(given: Mapping[str | None, str], *, total: bool) -> Any:
    """One scheme for all, or one for each part where some part has its own."""
    everything = given.get(None)
    parts = {key.replace("+", ","): text for key, text in given.items() if key is not None}
    if not parts:
        return everything
    default = "exact" if everything is None else everything
    asked = {"table": default, "margins": default}
    if total:
        asked["total"] = default
    return asked | parts


def margins_asked(given: Sequence[str], grid: Grid) -> Any:
    """All margins, or each by its dimensions; those of one are joined by +."""
    if not given:
        return None
    if tuple(given) == ("all",) and "all" not in grid.dims:
        return "all"
    return [(one,) if one in grid.dims else tuple(_parts(one, grid)) for one in given]


def _parts(text: str, grid: Grid) -> Sequence[str]:
    names = [one.strip() for one in text.split("+")]
    for one in names:
        if one not in grid.dims:
            raise RolesError(
                f"--margins names {one!r}, which is no dimension of the table."
                f"{nearest(one, grid.dims)} Its dimensions are: {', '.join(grid.dims)}."
            )
    return names


def structural_cells(given: Sequence[str], grid: Grid) -> list[int] | None:
    """The cells of those who have the levels, or a cell by its number."""
    if not given:
        return None
    cells: set[int] = set()
    for text in given:
        if text.strip().isdecimal():
            cells.add(grid.cell(int(text), "--structural"))
        else:
            levels = key_levels(text, grid, where="--structural")
            cells.update(under(grid.shape, levels).reshape(-1).tolist())
    return sorted(cells)


def tables_to_compare(source: Source, area: str | None) -> dict[str, Release]:
    """One table, those of a folder, or one for each area, by name."""
    is_folder = Path(source.file).is_dir()
    if not is_folder and area is None:
        return {"table": source.counted()}
    if source.microdata or source.layout is not None or source.total_labels:
        raise SettingsError(
            "--microdata, --layout and --total-label are about one table. Leave them out with"
            f" {'a folder' if is_folder else '--area'}."
        )
    if is_folder and area is not None:
        raise SettingsError(
            "--area is about one file, and FILE is a folder. Leave one of them out."
        )
    source.refuse_settings_of_people()
    found = tables_given(source.file, area=area, dims=source.dims or None, count=source.count)
    notes = (OF_SAMPLE,) if source.sample else ()
    return {
        name: made(grid, counts, notes=notes, of_sample=source.sample)
        for name, (grid, counts) in found.items()
    }


def shared_grid(tables: Mapping[str, Release], what: str) -> Grid:
    """The cells that all tables have, where something is said of cells."""
    grids = {table.grid for table in tables.values()}
    if len(grids) > 1:
        raise SettingsError(f"{what} cannot be used: the tables do not all have the same cells.")
    return grids.pop()

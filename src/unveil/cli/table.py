"""`unveil table`: disclosure risk of a table of counts (SAP, bounds)."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from unveil.assessment.limits import (
    check_area_limits,
    check_sap_limits,
    is_sap_limit_exceeded,
    parse_sap_limits,
)
from unveil.cli.options import ABOVE_LIMIT, reading_options
from unveil.cli.progress import Report, progress_bar
from unveil.cli.table_documents import (
    TableFigures,
    check_files,
    comparison_csv,
    is_workbook,
    release_csv,
    release_json,
    write_documents,
)
from unveil.cli.table_options import (
    check_numbers,
    design_options,
    document_options,
    question_options,
    release_options,
    source_options,
)
from unveil.errors import ReadError, RolesError, SettingsError, hint_at
from unveil.measure.tables.audit import audit as measure_audit
from unveil.measure.tables.bounds import bounds as measure_bounds
from unveil.measure.tables.compare_rounding import compare_rounding, parse_tables
from unveil.measure.tables.grid import Grid, parse_given_levels
from unveil.measure.tables.neighbour_sap import (
    NeighbourSapResult,
    area_families,
    choose_area,
    neighbour_sap,
)
from unveil.measure.tables.protect_table import ProtectedTableResult, protect_table
from unveil.measure.tables.publish import level_notes, published_csv, published_workbook
from unveil.measure.tables.published_table import NO_TABLE, OF_SAMPLE, PublishedTable, make_release
from unveil.measure.tables.read_published import read_published
from unveil.measure.tables.sap import N_MAX, parse_threshold
from unveil.measure.tables.sap import sap as measure_sap
from unveil.measure.tables.sap_depth import BY_DEPTH, under
from unveil.measure.tables.schemes import NOT_PUBLISHED
from unveil.records.count_tables import RoundingComparison
from unveil.view.blocks import Block, Sentence
from unveil.view.charts.chart import Chart
from unveil.view.count_tables import (
    audit_blocks,
    bounds_blocks,
    protected_blocks,
    recomputed_sentence,
)
from unveil.view.format import lines
from unveil.view.neighbour_sap import area_verdict_blocks, neighbour_blocks
from unveil.view.output import print_output
from unveil.view.render_documents import json_document
from unveil.view.render_rich import render_rich
from unveil.view.rounding import comparison_blocks, comparison_chart
from unveil.view.sap import WORDS, sap_blocks, sap_chart

# Which table does `unveil table` measure, and what is published of it?


TOTAL_LABELS = ("Total", "All")


@dataclass(frozen=True)
class CountsSource:
    """Where the counts come from."""

    file: str
    microdata: bool
    dims: tuple[str, ...]
    count: str | None
    layout: str | None
    total_labels: tuple[str, ...]
    weights: str | None
    record_keys: str | None
    sample: bool
    blank: str | None
    reading: Mapping[str, Any]

    @property
    def labels(self) -> tuple[str, ...]:
        """How sums are called."""
        return self.total_labels or TOTAL_LABELS

    def load_counts(self, beside: str | None = None) -> PublishedTable:
        """The counts, as a release; `beside` is a column of published values, no dimension."""
        if self.microdata:
            return self._from_people(beside)
        self.refuse_settings_of_people()
        return PublishedTable.from_file(
            self.file,
            dims=self.dims or None,
            count=self.count,
            layout=self.layout,
            total_label=self.labels,
            sample=self.sample,
            blank=self.blank,
            published=beside,
            rounding=None if beside is None else NOT_PUBLISHED,
        )

    def refuse_settings_of_people(self) -> None:
        """Refuse what would have no effect on counts."""
        if self.weights or self.record_keys or any(self.reading.values()):
            raise SettingsError(
                "--weights, --record-keys, --bands, --special-codes and --missing are for people's"
                " records. Add --microdata if FILE contains them."
            )

    def _from_people(self, beside: str | None) -> PublishedTable:
        if beside is not None:
            raise SettingsError(
                f"There is no file {beside!r} of published values. Only a file of counts can have"
                " a column of them, not people's records."
            )
        if not self.dims:
            raise RolesError("Name the columns of the table: --dims sex,age.")
        if self.count or self.layout or self.total_labels or self.blank:
            raise SettingsError(
                "--count, --layout, --total-label and --blank are for files of counts. Omit them"
                " with --microdata."
            )
        return PublishedTable.from_microdata(
            self.file,
            self.dims,
            weights=self.weights,
            record_keys=self.record_keys,
            sample=self.sample,
            **self.reading,
        )


@dataclass(frozen=True)
class Publication:
    """What is published of the counts."""

    rounding: Mapping[str | None, str]
    total: bool
    margins: tuple[str, ...]
    published: str | None
    structural: tuple[str, ...]
    nested: Mapping[str, str] | None
    seed: int | None

    def of(self, source: CountsSource) -> PublishedTable:
        """The release, or a sentence on what is wrong with what was asked."""
        is_file = self.published is None or Path(self.published).is_file()
        counts = source.load_counts(None if is_file else self.published)
        grid = counts.grid
        made = make_release(
            grid,
            np.array(counts.system.counts, np.int64),
            rounding=parse_rounding(self.rounding, total=self.total),
            total=self.total,
            margins=parse_margins(self.margins, grid),
            published=self._read_values(source, grid),
            structural=parse_structural_options(self.structural, grid),
            nested=self.nested,
            seed=self.seed,
            notes=tuple(note for note in counts.notes if note != NO_TABLE),
            of_sample=counts.of_sample,
            record_keys=counts.record_keys,
        )
        return replace(made, crosstab=counts.crosstab)

    def _read_values(self, source: CountsSource, grid: Grid) -> dict[str, Any] | None:
        """The values of a file, or of a column beside the counts; those of parts asked for."""
        if self.published is None:
            return None
        if Path(self.published).is_file():
            found = read_published(self.published, grid, total_label=source.labels)
        else:
            found = read_published(
                source.file, grid, value=self.published, layout="long", total_label=source.labels
            )
        asked = parse_margins(self.margins, grid)
        parts = {"table", *(grid.part(one) for one in grid.margins(asked))}
        parts |= {"total"} if self.total else set()
        return {part: values for part, values in found.items() if part in parts}


def parse_rounding(given: Mapping[str | None, str], *, total: bool) -> Any:
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


def parse_margins(given: Sequence[str], grid: Grid) -> Any:
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
                f"--margins names {one!r}, which is not a dimension of the"
                f" table.{hint_at(one, grid.dims)} Its dimensions are: {', '.join(grid.dims)}."
            )
    return names


def parse_structural_options(given: Sequence[str], grid: Grid) -> list[int] | None:
    """The cells of those who have the levels, or a cell by its number."""
    if not given:
        return None
    cells: set[int] = set()
    for text in given:
        if text.strip().isdecimal():
            cells.add(grid.cell(int(text), "--structural"))
        else:
            levels = parse_given_levels(text, grid, where="--structural")
            cells.update(under(grid.shape, levels).reshape(-1).tolist())
    return sorted(cells)


def tables_to_compare(source: CountsSource, area: str | None) -> dict[str, PublishedTable]:
    """One table, those of a folder, or one for each area, by name."""
    is_folder = Path(source.file).is_dir()
    if not is_folder and area is None:
        return {"table": source.load_counts()}
    if source.microdata or source.layout is not None or source.total_labels:
        raise SettingsError(
            "--microdata, --layout and --total-label are for one table. Omit them with"
            f" {'a folder' if is_folder else '--area'}."
        )
    if is_folder and area is not None:
        raise SettingsError("--area is for one file, and FILE is a folder. Omit one of them.")
    source.refuse_settings_of_people()
    found = parse_tables(source.file, area=area, dims=source.dims or None, count=source.count)
    notes = (OF_SAMPLE,) if source.sample else ()
    return {
        name: make_release(grid, counts, notes=notes, of_sample=source.sample)
        for name, (grid, counts) in found.items()
    }


def shared_grid(tables: Mapping[str, PublishedTable], what: str) -> Grid:
    """The cells that all tables have, where something is said of cells."""
    grids = {table.grid for table in tables.values()}
    if len(grids) > 1:
        raise SettingsError(f"{what} cannot be used: the tables do not all have the same cells.")
    return grids.pop()


Gathered = TypeVar("Gathered", CountsSource, Publication, "TableOutput")
NO_AREA = "none"
SECONDS = 60.0  # on a terminal, where somebody waits
N_COMPARED, DRAWS = 24, 20
ONE_RELEASE = (
    "rounding",
    "secondary",
    "nested",
    "published",
    "known",
    "given",
    "depth",
    "bounds",
    "limits",
    "out",
)


@dataclass(frozen=True)
class TableOutput:
    """How the figures are put out."""

    words: bool
    as_json: bool
    as_csv: bool
    out: Path | None
    chart: Path | None


@click.command()
@click.argument("file", required=False)
@source_options
@release_options
@question_options
@design_options
@reading_options
@document_options
def table(*, file: str | None, compare: tuple[str, ...], **asked: Any) -> int:
    """Measure the disclosure risk of a table of counts once it is published.

    FILE holds the true counts: long, with a column for each dimension and one of counts, or wide,
    with the levels of the rows in the first column and those of the columns in the header, or a
    cross-table of a workbook as an office lays it out. Totals in it are recognised. Say
    with --round, --total and --margins what will be published: without --round that is the counts
    as they are.

    SAP(n) is the probability that an intruder who knows n of the people, drawn at random, can be
    certain that some combination applies to none of the others (Smith and Elliot 2008).

    \b
    Examples:
      unveil table counts.csv --round conventional:5 --total --margins all
      unveil table counts.csv -r random:3 --limit 4=0.05 --out publish.csv
      unveil table people.csv --microdata --dims sex,age -r suppress:5 --audit 10
      unveil table counts.csv --compare conventional:5,random:3 --area region
      unveil table book.xlsx#T1 -r conventional:5 --margins all --total --out publish.xlsx

    Exit codes: 0 within limits, 1 internal error, 2 wrong use or bad input, 3 a limit is
    exceeded.
    """
    if not file:
        raise ReadError("Name the file of counts: unveil table counts.csv --round conventional:5.")
    reading = {name: asked[name] for name in ("bands", "special_codes", "missing_values")}
    source = _gather(CountsSource, asked, file=file, reading=reading)
    shown = _gather(TableOutput, asked)
    check_files(out=shown.out, chart=shown.chart)
    parse_threshold(asked["threshold"])
    check_numbers(asked["sap_max_n"], asked["audit"])
    if asked["seconds"] is None and sys.stdout.isatty():
        asked["seconds"] = SECONDS
    return (
        _compare_schemes(source, compare, shown, **asked)
        if compare
        else _measure_table(source, shown, **asked)
    )


def _gather(kind: type[Gathered], asked: Mapping[str, Any], **more: Any) -> Gathered:
    """Those of the options that a record has as fields, and what else it needs."""
    named = {one.name: asked[one.name] for one in fields(kind) if one.name in asked}
    return kind(**named, **more)


def _measure_table(source: CountsSource, shown: TableOutput, **asked: Any) -> int:
    """One release: its curve, and its bounds and its audit where they are asked for."""
    if asked["draws"] is not None:
        raise SettingsError("--draws is used only with --compare. Omit it.")
    limits = parse_sap_limits(asked["limits"])
    if asked["secondary"] is not None and asked["published"] is not None:
        raise SettingsError(
            "--secondary chooses which values to suppress, and --published says which were. Omit"
            " one of them."
        )
    if shown.as_csv and asked["bounds"] and asked["audit"] is not None:
        raise SettingsError("--csv prints one table: that of --bounds or of --audit. Choose one.")
    publication = _gather(Publication, asked)
    with progress_bar() as bar:
        release = publication.of(source)
        protected = _protect(release, asked, bar)
        release = release if protected is None else protected.release
        document = None
        if shown.out is not None:
            write = published_workbook if is_workbook(shown.out) else published_csv
            document = write(release, source.labels)
        notes = () if shown.out is None else tuple(level_notes(release))
        figures = _figures(release, protected, limits, asked, bar)
    threshold = asked["threshold"]
    if shown.as_json:
        printed: Any = release_json(figures, threshold)
    elif shown.as_csv:
        printed = release_csv(figures)
    else:
        printed = render_rich(_release_blocks(release, figures, threshold, has_words=shown.words))
    picture = None if shown.chart is None else sap_chart(figures.found.record, threshold)
    _write(shown, document, picture, notes)
    print_output(printed)
    in_areas = is_sap_limit_exceeded(figures.area_verdicts)
    is_above = in_areas or is_sap_limit_exceeded(figures.verdicts)
    return ABOVE_LIMIT if is_above or recomputed_sentence(figures.recomputed) else 0


def _release_blocks(
    release: PublishedTable, figures: TableFigures, threshold: float, *, has_words: bool
) -> Iterator[Block]:
    """One release on the custodian's own screen, the only place that shows true counts."""
    record = figures.found.record
    beside: list[Block] = []
    if figures.protected is not None:
        beside += protected_blocks(figures.protected.record, has_rows=True)
    if figures.areas is not None:
        beside += neighbour_blocks(figures.areas.record, is_chosen=figures.is_area_chosen)
    if figures.of_cells is not None:
        beside += bounds_blocks(figures.of_cells.record, release.system.counts)
    if figures.hidden is not None:
        beside += audit_blocks(figures.hidden.record, has_rows=True)
    yield from sap_blocks(
        record,
        threshold=threshold,
        words=len(record.n) if has_words else WORDS,
        # What a sample assumes is said in a sentence of its own already.
        notes=[note for note in record.notes if note != OF_SAMPLE],
        verdicts=figures.verdicts,
        beside=beside,
    )
    yield from area_verdict_blocks(figures.area_verdicts)
    if text := recomputed_sentence(figures.recomputed):
        yield Sentence(text, "stop")


def _protect(
    release: PublishedTable, asked: Mapping[str, Any], bar: Report
) -> ProtectedTableResult | None:
    """Which further values to suppress, where that is asked."""
    if asked["secondary"] is None:
        return None
    seconds = SECONDS if asked["seconds"] is None else asked["seconds"]
    return protect_table(release, **asked["secondary"], seconds=seconds, progress=bar)


def _figures(
    release: PublishedTable,
    protected: ProtectedTableResult | None,
    limits: dict[int, float],
    asked: Mapping[str, Any],
    bar: Report,
) -> TableFigures:
    found = measure_sap(
        release,
        known=asked["known"] or None,
        given=asked["given"],
        depth=asked["depth"],
        n_max=_last(asked["sap_max_n"], limits, release),
        seed=asked["seed"],
        nodes=asked["nodes"],
        seconds=asked["seconds"],
        progress=bar,
    )
    verdicts = check_sap_limits(found.record, limits)
    of_cells = hidden = None
    if asked["bounds"]:
        of_cells = measure_bounds(release, seconds=asked["seconds"], progress=bar)
    if asked["audit"] is not None:
        hidden = measure_audit(
            release, percent=asked["audit"], seconds=asked["seconds"], progress=bar
        )
    areas = _areas(release, limits, asked, bar)
    recomputed = None if hidden is None or not limits else hidden.record
    is_hidden = any(value is None for _, own in release.published for value in own)
    if limits and hidden is None and is_hidden:
        # SAP is about zeros: a count that is worked out exactly needs no one who is known.
        recomputed = measure_audit(release, seconds=asked["seconds"], progress=bar).record
    return TableFigures(
        found,
        of_cells,
        hidden,
        verdicts,
        areas,
        () if areas is None else check_area_limits(areas.record, limits),
        is_area_chosen=asked["area"] is not None,
        protected=protected,
        recomputed=recomputed,
    )


def _areas(
    release: PublishedTable, limits: dict[int, float], asked: Mapping[str, Any], bar: Report
) -> NeighbourSapResult | None:
    """SAP within each area: of the dimension asked for, or of the one with the most levels.

    Where nothing asks for it, it is measured only if that takes no search.
    """
    grid, area = release.grid, asked["area"]
    if area == NO_AREA and area not in grid.dims:
        return None
    if area is None:
        dim = choose_area(grid)
        given = () if asked["given"] is None else parse_given_levels(asked["given"], grid)
        if dim is None or any(dim == one for one, _ in given) or not release.N:
            return None
        if not limits and area_families(release.system, dim) is None:
            return None
        area = grid.dims[dim]
    return neighbour_sap(
        release,
        area,
        known=asked["known"] or None,
        depth=None if asked["depth"] == BY_DEPTH else asked["depth"],
        given=asked["given"],
        n_max=max(limits, default=asked["sap_max_n"]),
        at=max(limits, default=None),
        nodes=asked["nodes"],
        seconds=asked["seconds"],
        progress=bar,
    )


def _last(asked: int | None, limits: dict[int, float], release: PublishedTable) -> int | None:
    """The largest n: that asked for, or far enough for every limit."""
    if asked is not None or not limits:
        return asked
    return max(*limits, min(release.N, N_MAX))


def _compare_schemes(
    source: CountsSource, schemes: tuple[str, ...], shown: TableOutput, **asked: Any
) -> int:
    """Schemes side by side, on one table or on many."""
    for name in (*ONE_RELEASE, "audit"):
        given = asked[name]
        if given is not None and given is not False and given not in ([], (), {}):
            option = {"rounding": "round", "limits": "limit"}.get(name, name)
            raise SettingsError(
                f"--{option} is for one published table, and --compare for several. Omit one of"
                " them."
            )
    with progress_bar() as bar:
        tables = tables_to_compare(source, asked["area"])
        record = _comparison(tables, schemes, asked, bar)
    if shown.as_json:
        printed: Any = json_document(record)
    elif shown.as_csv:
        printed = comparison_csv(record)
    else:
        read = (note for one in tables.values() for note in one.notes)
        notes = tuple(dict.fromkeys((*read, *record.notes)))
        printed = render_rich(comparison_blocks(record, notes))
    _write(shown, None, None if shown.chart is None else comparison_chart(record))
    print_output(printed)
    return 0


def _comparison(
    tables: dict[str, PublishedTable],
    schemes: tuple[str, ...],
    asked: Mapping[str, Any],
    bar: Report,
) -> RoundingComparison:
    first = next(iter(tables.values()))
    structural = None
    if asked["structural"]:
        structural = parse_structural_options(
            asked["structural"], shared_grid(tables, "--structural")
        )
    return compare_rounding(
        tables if len(tables) > 1 else first,
        list(schemes),
        n_max=N_COMPARED if asked["sap_max_n"] is None else asked["sap_max_n"],
        threshold=asked["threshold"],
        total=asked["total"],
        margins=parse_margins(asked["margins"], first.grid),
        structural=structural,
        nested=asked["nested"],
        draws=DRAWS if asked["draws"] is None else asked["draws"],
        seed=asked["seed"],
        nodes=asked["nodes"],
        seconds=asked["seconds"],
        progress=bar,
    ).record


def _write(
    shown: TableOutput, document: bytes | None, picture: Chart | None, notes: Iterable[str] = ()
) -> None:
    """Write what was asked for, all of it or nothing, once nothing else can go wrong."""
    for sentence in (*write_documents(shown.out, document, shown.chart, picture), *notes):
        click.echo(f"unveil: {lines(sentence)}", err=True)

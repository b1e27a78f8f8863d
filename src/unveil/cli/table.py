"""`unveil table`: what does a published table of counts give away to whoever knows n people?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from unveil.cli.options import reading_options
from unveil.cli.progress import Report, progress_bar
from unveil.cli.shown import put_out, refuse_both
from unveil.cli.table_documents import (
    Figures,
    comparison_csv,
    level_notes,
    refuse_files,
    release_csv,
    release_json,
    to_publish,
    write_documents,
)
from unveil.cli.table_options import (
    design_options,
    document_options,
    question_options,
    refuse_numbers,
    release_options,
    source_options,
)
from unveil.cli.table_screen import comparison_screen, release_screen
from unveil.cli.table_source import (
    Publication,
    Source,
    margins_asked,
    shared_grid,
    structural_cells,
    tables_to_compare,
)
from unveil.errors import ReadError, SettingsError
from unveil.judge.sap_limits import is_shut, parse_sap_limits, sap_judged
from unveil.measure.tables.audit import audit as measure_audit
from unveil.measure.tables.bounds import bounds as measure_bounds
from unveil.measure.tables.design import compare_rounding
from unveil.measure.tables.release import Release
from unveil.measure.tables.sap import sap as measure_sap
from unveil.measure.tables.sap_settings import N_MAX, checked_threshold
from unveil.records.design import RoundingComparison
from unveil.report.design import comparison_chart
from unveil.report.documents import json_document
from unveil.report.sap import sap_chart
from unveil.report.words import lines

ABOVE_LIMIT = 3
N_COMPARED, DRAWS = 24, 20
ONE_RELEASE = ("rounding", "published", "known", "given", "depth", "bounds", "limits", "out")


@dataclass(frozen=True)
class Shown:
    """How the figures are put out."""

    words: int
    as_json: bool
    as_csv: bool
    out: Path | None
    chart: Path | None


@click.command(short_help="What a published table of counts gives away, by how many are known.")
@click.argument("file", required=False)
@source_options
@release_options
@question_options
@design_options
@reading_options
@document_options
def table(
    *,
    file: str | None,
    compare: tuple[str, ...],
    microdata: bool,
    dims: tuple[str, ...],
    count: str | None,
    layout: str | None,
    total_labels: tuple[str, ...],
    weights: str | None,
    sample: bool,
    bands: Any,
    special_codes: Any,
    missing_values: Any,
    words: int,
    as_json: bool,
    as_csv: bool,
    out: Path | None,
    chart: Path | None,
    **asked: Any,
) -> int:
    """Measure what a table of counts gives away once it is published.

    FILE holds the true counts: long, with a column for each dimension and one of counts, or wide,
    with the levels of the rows in the first column and those of the columns in the header. Totals
    in it are recognised. Say with --round, --total and --margins what will be published: without
    --round that is the counts as they are.

    You are told SAP(n): how likely it is that somebody who knows n of the people, drawn at random,
    can be certain that nobody else has some combination (Smith and Elliot 2008). 0 is no risk, 1 is
    certainty.

    \b
    Examples:
      unveil table counts.csv --round conventional:5 --total --margins all
      unveil table counts.csv -r random:3 --limit 4=0.05 --out publish.csv
      unveil table people.csv --microdata --dims sex,age -r suppress:5 --audit 10
      unveil table counts.csv --compare conventional:5,random:3 --area region

    Exit codes: 0 within limits, 1 a fault of unveil, 2 wrong use or bad input, 3 a limit is
    exceeded.
    """
    refuse_both(as_json=as_json, as_csv=as_csv)
    if not file:
        raise ReadError("Name the file of counts: unveil table counts.csv --round conventional:5.")
    reading = dict(bands=bands, special_codes=special_codes, missing_values=missing_values)
    source = Source(file, microdata, dims, count, layout, total_labels, weights, sample, reading)
    shown = Shown(words, as_json, as_csv, out, chart)
    refuse_files(out=out, chart=chart)
    checked_threshold(asked["threshold"])
    refuse_numbers(asked["sap_max_n"], asked["audit"])
    return (
        _compared(source, compare, shown, **asked) if compare else _measured(source, shown, **asked)
    )


def _measured(source: Source, shown: Shown, **asked: Any) -> int:
    """One release: its curve, and its bounds and its audit where they are asked for."""
    for name in ("area", "draws"):
        if asked[name] is not None:
            raise SettingsError(f"--{name} is of use with --compare only. Leave it out.")
    limits = parse_sap_limits(asked["limits"])
    if shown.as_csv and asked["bounds"] and asked["audit"] is not None:
        raise SettingsError("--csv prints one table: that of --bounds or of --audit. Choose one.")
    of_release = ("rounding", "total", "margins", "published", "structural", "seed")
    publication = Publication(**{name: asked[name] for name in of_release})
    with progress_bar(Console(stderr=True)) as bar:
        release = publication.of(source)
        document = None if shown.out is None else to_publish(release, source.labels)
        notes = () if shown.out is None else tuple(level_notes(release))
        figures = _figures(release, limits, asked, bar)
    threshold = asked["threshold"]
    if shown.as_json:
        printed: Any = release_json(figures, threshold)
    elif shown.as_csv:
        printed = release_csv(figures)
    else:
        width = Console().width
        printed = release_screen(
            release, figures, threshold=threshold, words=shown.words, width=width
        )
    picture = None if shown.chart is None else sap_chart(figures.found.record, threshold)
    _write(shown, document, picture, notes)
    put_out(printed, Console())
    return ABOVE_LIMIT if is_shut(figures.verdicts) else 0


def _figures(
    release: Release, limits: dict[int, float], asked: Mapping[str, Any], bar: Report
) -> Figures:
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
    verdicts = sap_judged(found.record, limits)
    of_cells = hidden = None
    if asked["bounds"]:
        of_cells = measure_bounds(release, seconds=asked["seconds"], progress=bar)
    if asked["audit"] is not None:
        hidden = measure_audit(
            release, percent=asked["audit"], seconds=asked["seconds"], progress=bar
        )
    return Figures(found, of_cells, hidden, verdicts)


def _last(asked: int | None, limits: dict[int, float], release: Release) -> int | None:
    """The largest n: that asked for, or far enough for every limit."""
    if asked is not None or not limits:
        return asked
    return max(*limits, min(release.N, N_MAX))


def _compared(source: Source, schemes: tuple[str, ...], shown: Shown, **asked: Any) -> int:
    """Schemes side by side, on one table or on many."""
    beside = {**asked, "out": shown.out}
    for name in (*ONE_RELEASE, "audit"):
        given = beside[name]
        if given is not None and given is not False and given not in ([], (), {}):
            option = {"rounding": "round", "limits": "limit"}.get(name, name)
            raise SettingsError(
                f"--{option} is about one release, and --compare about several. Leave one of them"
                " out."
            )
    with progress_bar(Console(stderr=True)) as bar:
        tables = tables_to_compare(source, asked["area"])
        record = _comparison(tables, schemes, asked, bar)
    if shown.as_json:
        printed: Any = json_document(record)
    elif shown.as_csv:
        printed = comparison_csv(record)
    else:
        notes = tuple(dict.fromkeys(note for one in tables.values() for note in one.notes))
        printed = comparison_screen(record, notes=notes, width=Console().width)
    _write(shown, None, None if shown.chart is None else comparison_chart(record))
    put_out(printed, Console())
    return 0


def _comparison(
    tables: dict[str, Release], schemes: tuple[str, ...], asked: Mapping[str, Any], bar: Report
) -> RoundingComparison:
    first = next(iter(tables.values()))
    structural = None
    if asked["structural"]:
        structural = structural_cells(asked["structural"], shared_grid(tables, "--structural"))
    return compare_rounding(
        tables if len(tables) > 1 else first,
        list(schemes),
        n_max=N_COMPARED if asked["sap_max_n"] is None else asked["sap_max_n"],
        threshold=asked["threshold"],
        total=asked["total"],
        margins=margins_asked(asked["margins"], first.grid),
        structural=structural,
        draws=DRAWS if asked["draws"] is None else asked["draws"],
        seed=asked["seed"],
        nodes=asked["nodes"],
        seconds=asked["seconds"],
        progress=bar,
    ).record


def _write(
    shown: Shown, document: bytes | None, picture: str | None, notes: Iterable[str] = ()
) -> None:
    """Write what was asked for, all of it or nothing, once nothing else can go wrong."""
    for sentence in (*write_documents(shown.out, document, shown.chart, picture), *notes):
        click.echo(f"unveil: {lines(sentence)}", err=True)

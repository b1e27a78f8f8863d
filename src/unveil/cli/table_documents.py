"""What `unveil table` puts out for other programs: figures, and the table that may be published."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unveil.atomic import write_all_or_none, write_private
from unveil.cli.output_files import check_targets
from unveil.errors import SettingsError, WriteError
from unveil.measure.tables.audit import AuditResult
from unveil.measure.tables.bounds import BoundsResult
from unveil.measure.tables.crosstab import write_crosstab, write_workbook
from unveil.measure.tables.neighbour_sap import NeighbourSapResult
from unveil.measure.tables.protect_table import ProtectedTableResult
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap import SapResult
from unveil.measure.tables.schemes import Published, parse_scheme, trivial_bounds
from unveil.records.alerts import Alert
from unveil.records.count_tables import NeighbourSap, RoundingComparison
from unveil.records.limits import AreaVerdict, SapVerdict
from unveil.view.charts.chart import Chart
from unveil.view.format import format_count, visible
from unveil.view.neighbour_sap import area_verdict_sentence
from unveil.view.render_documents import csv_document, guard_text, json_text
from unveil.view.sap import verdict_sentence

VALUE = "published"
ACTION = "Publish less: round to a larger base, suppress, merge areas, or omit margins."


@dataclass(frozen=True)
class TableFigures:
    """All that was measured of one release."""

    found: SapResult
    of_cells: BoundsResult | None
    hidden: AuditResult | None
    verdicts: tuple[SapVerdict, ...]
    areas: NeighbourSapResult | None
    area_verdicts: tuple[AreaVerdict, ...]
    is_area_chosen: bool
    protected: ProtectedTableResult | None = None


def check_files(*, out: Path | None, chart: Path | None) -> None:
    """Refuse, before anything is measured, files that could not be written in the end."""
    if out is not None and out.suffix.lower() not in (".csv", ".xlsx"):
        raise WriteError(f"--out writes a file that ends in .csv or .xlsx, not {out.name!r}.")
    check_targets({"--out": out, "--chart": chart})


def published_csv(release: PublishedTable, sums: Sequence[str]) -> bytes:
    """The published values alone, a row each; sums by their name, suppressed ones empty.

    Of people's records a level is left out where nothing but 0 is published of it: its rows would
    only disclose that the level occurs.
    """
    return (csv_document(_published_rows(release, sums)) + "\n").encode()


def is_workbook(path: Path) -> bool:
    """Whether a file to write is an Excel workbook."""
    return path.suffix.lower() == ".xlsx"


def published_workbook(release: PublishedTable, sums: Sequence[str]) -> bytes:
    """The published values alone, in the shape of the cross-table they were read from, or long."""
    rows = _published_rows(release, sums)
    table = release.crosstab
    if table is None:
        return write_workbook([[*rows[0]], *([*row.values()] for row in rows)])
    *_, value = rows[0]
    folded = {label.casefold() for label in (*sums, _sum_label(release, sums))}
    shown = {
        tuple(None if one.casefold() in folded else one for one in list(row.values())[:-1]): (
            HIDDEN if row[value] == "" else row[value]
        )
        for row in rows
    }
    found = {
        place: shown.get(tuple(None if one.casefold() in folded else one for one in label))
        for place, label in zip(table.places, table.labels, strict=True)
    }
    return write_crosstab(table, {place: one for place, one in found.items() if one is not None})


HIDDEN = "c"
"""What stands for a suppressed value in a workbook, where an empty cell would say nothing."""


def _published_rows(release: PublishedTable, sums: Sequence[str]) -> list[dict[str, Any]]:
    schemes = dict(release.schemes)
    if schemes.get("table") == "exact":
        raise SettingsError(
            "--out would write the true counts: the table is published exactly. Choose a scheme"
            " with --round."
        )
    return list(_rows(release, schemes, _sum_label(release, sums)))


def level_notes(release: PublishedTable) -> Iterator[str]:
    """What the levels of people's records give away in the table to publish, a sentence each."""
    counts = np.array(release.system.counts, np.int64)
    for dim, zeros in zip(release.dims, _zero_levels(release), strict=True):
        if zeros:
            yield (
                f"{format_count(len(zeros), 'level')} of {visible(dim)!r}"
                f" {'is' if len(zeros) == 1 else 'are'} omitted: all published values are 0, and"
                " the rows would only disclose that the level occurs."
            )
        levels = release.levels[release.dims.index(dim)]
        n_people = release.grid.sum_part(counts, dim if len(release.dims) > 1 else "table")
        alone = [one for one, n in zip(levels, n_people, strict=True) if n == 1]
        left = [one for one in alone if one not in zeros] if release.of_people else []
        if left:
            theirs = "belongs to one person" if len(left) == 1 else "belong to one person each"
            yield (
                f"{format_count(len(left), 'level')} of {visible(dim)!r} {theirs}: a row in the "
                "table"
                " discloses that the level occurs. Merge rare levels before you publish."
            )


def _zero_levels(release: PublishedTable) -> list[set[str]]:
    """By dimension, the levels of people's records of which nothing but 0 is published."""
    found = [set(levels) if release.of_people else set[str]() for levels in release.levels]
    for part, values in release.published:
        places = [release.dims.index(dim) for dim in release.grid.dims_of(part)]
        for label, value in zip(release.grid.labels(part), values, strict=True):
            if value != 0:
                for place, level in zip(places, label, strict=True):
                    found[place].discard(level)
    # A table in which everything is 0 is published as it is.
    pairs = zip(found, release.levels, strict=True)
    return [set() if len(one) == len(levels) else one for one, levels in pairs]


def _sum_label(release: PublishedTable, sums: Sequence[str]) -> str:
    label = sums[0]
    while any(label.casefold() == level.casefold() for one in release.levels for level in one):
        label = f"({label})"
    return label


def _rows(
    release: PublishedTable, schemes: Mapping[str, str], label: str
) -> Iterator[dict[str, Any]]:
    grid = release.grid
    left_out = dict(zip(grid.dims, _zero_levels(release), strict=True))
    value = VALUE
    while value in grid.dims:
        value += "_"
    for part, values in release.published:
        dims = grid.dims_of(part)
        members = grid.members(part).tolist()
        for levels, one, cells in zip(grid.labels(part), values, members, strict=True):
            named = dict(zip(dims, levels, strict=True))
            if release.nested and release.system.structural.issuperset(cells):
                continue  # combinations that the hierarchy rules out
            if any(level in left_out[dim] for dim, level in named.items()):
                continue
            row = {str(guard_text(dim)): named.get(dim, label) for dim in grid.dims}
            yield {**row, value: _format_published(one, schemes[part])}


def _format_published(value: Published, scheme: str) -> int | str:
    """A value as it is printed: a number, an interval, or nothing where it is suppressed."""
    if isinstance(value, int):
        return value
    chosen = parse_scheme(scheme)
    if value is None and not chosen.interval:
        return ""
    low, high = trivial_bounds(value, chosen)
    return f"{low} or more" if high is None else f"{low} to {high}"


def release_json(figures: TableFigures, threshold: float) -> str:
    """The curve as one document, with what else was asked for."""
    document = figures.found.to_dict()
    document |= {"threshold": threshold, "passes": figures.found.passes(threshold)}
    if figures.of_cells is not None:
        document["bounds"] = figures.of_cells.to_dict()
    if figures.hidden is not None:
        document["audit"] = figures.hidden.to_dict()
    if figures.protected is not None:
        document["secondary"] = figures.protected.to_dict()
    if figures.areas is not None:
        document["areas"] = figures.areas.to_dict()
    if figures.verdicts:
        document["limits"] = [verdict.to_dict() for verdict in figures.verdicts]
        if figures.area_verdicts:
            document["area_limits"] = [verdict.to_dict() for verdict in figures.area_verdicts]
        document["alerts"] = [alert.to_dict() for alert in _alerts(figures)]
    return json_text(document)


def _alerts(figures: TableFigures) -> Iterator[Alert]:
    """What stands against publishing: each limit that is not kept, in the table and in areas."""
    record = figures.found.record
    for verdict in figures.verdicts:
        if verdict.status != "within":
            yield Alert(
                id=f"limit:SAP({verdict.n})",
                kind="limit",
                columns=record.dims[:3],
                figure=verdict.upper,
                expected=verdict.limit,
                status="block",
                sentence=verdict_sentence(record, verdict),
                action=ACTION,
            )
    for one in figures.area_verdicts:
        if one.status != "within":
            yield Alert(
                id=f"group:{one.area}={one.level}",
                kind="group",
                columns=(one.area,),
                level=one.level,
                figure=one.upper,
                expected=one.limit,
                status="block",
                sentence=area_verdict_sentence(one),
                action=ACTION,
            )


def release_csv(figures: TableFigures) -> str:
    """The bounds, the audit or the areas where one is asked for, else the curve."""
    other = figures.hidden if figures.of_cells is None else figures.of_cells
    if other is None and figures.is_area_chosen and figures.areas is not None:
        return csv_document(list(_area_rows(figures.areas.record)))
    frame = figures.found.frame() if other is None else other.frame()
    return csv_document(
        [
            {str(guard_text(field)): value for field, value in row.items()}
            for row in frame.to_dicts()
        ]
    )


def _area_rows(record: NeighbourSap) -> Iterator[dict[str, Any]]:
    for row in record.rows:
        for n in record.n:
            bounds = {"exact": row.exact[n], "lower": row.lower[n], "upper": row.upper[n]}
            yield {"area": guard_text(row.area), "people": row.people, "n": n, **bounds}


def comparison_csv(record: RoundingComparison) -> str:
    """SAP by table, scheme and n, with what each scheme costs."""
    beside = ("n_draws", "complete", "mean_absolute", "hellinger", "n_suppressed")
    return csv_document(
        [
            {
                "table": row.table,
                "scheme": row.scheme,
                "n": n,
                "lower": row.lower[n],
                "upper": row.upper[n],
                "spread": row.spread[n],
                **{field: getattr(row, field) for field in beside},
            }
            for row in record.rows
            for n in range(record.n_max + 1)
        ]
    )


def write_documents(
    out: Path | None, document: bytes | None, chart: Path | None, picture: Chart | None
) -> list[str]:
    """Write all files or none, and say what was written."""
    wanted, said = [], []
    if out is not None and document is not None:
        wanted.append((out, document, 0o666))
        n_rows = document.count(b"\n") - 1
        n = "The table" if is_workbook(out) else format_count(n_rows, "published value")
        said.append(f"{n} written to {visible(str(out))}; true counts are not in it.")
    if chart is not None and picture is not None:
        wanted.append((chart, picture.encode(chart), 0o600))
        said.append(
            f"The curve was written to {visible(str(chart))}; it is drawn from true counts:"
            " confidential."
        )
    with write_all_or_none() as written:
        for path, content, mode in wanted:
            write_private(path, content, mode=mode)
            written.append(path)
    return said

"""What `unveil table` puts out for other programs: figures, and the table that may be published."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.atomic import write_all_or_none, write_private
from unveil.cli.output_files import check_targets
from unveil.errors import WriteError
from unveil.measure.tables.audit import AuditResult
from unveil.measure.tables.bounds import BoundsResult
from unveil.measure.tables.neighbour_sap import NeighbourSapResult
from unveil.measure.tables.protect_table import ProtectedTableResult
from unveil.measure.tables.sap import SapResult
from unveil.records.alerts import Alert
from unveil.records.count_tables import Audit, NeighbourSap, RoundingComparison
from unveil.records.limits import AreaVerdict, SapVerdict
from unveil.view.charts.chart import Chart
from unveil.view.count_tables import recomputed_sentence
from unveil.view.format import format_count, visible
from unveil.view.neighbour_sap import area_verdict_sentence
from unveil.view.render_documents import csv_document, guard_text, json_text
from unveil.view.sap import verdict_sentence

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
    recomputed: Audit | None = None
    """Of suppressed values, where a limit is to hold."""


def check_files(*, out: Path | None, chart: Path | None) -> None:
    """Refuse, before anything is measured, files that could not be written in the end."""
    if out is not None and out.suffix.lower() not in (".csv", ".xlsx"):
        raise WriteError(f"--out writes a file that ends in .csv or .xlsx, not {out.name!r}.")
    check_targets({"--out": out, "--chart": chart})


def is_workbook(path: Path) -> bool:
    """Whether a file to write is an Excel workbook."""
    return path.suffix.lower() == ".xlsx"


def release_json(figures: TableFigures, threshold: float) -> str:
    """The curve as one document, with what else was asked for."""
    document = figures.found.to_dict()
    document |= {"threshold": threshold, "passes": figures.found.passes(threshold)}
    if figures.of_cells is not None:
        document["bounds"] = figures.of_cells.to_dict()
    if figures.hidden is not None:
        document["audit"] = figures.hidden.to_dict()
    elif figures.recomputed is not None:
        document["audit"] = figures.recomputed.to_dict()
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
    if text := recomputed_sentence(figures.recomputed):
        yield Alert(
            id="table:recomputed",
            kind="limit",
            columns=record.dims[:3],
            status="block",
            sentence=text.removeprefix("■ "),
            action="Suppress further counts (--secondary), or publish fewer sums.",
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

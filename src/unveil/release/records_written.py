"""The records at risk of a run as a file and as a page, for the report to stand beside."""

import polars as pl

from unveil.errors import ReadError
from unveil.records.dossier import Dossier
from unveil.release.at_risk import Listed, at_risk, records_csv, records_path
from unveil.release.inputs import inputs_of
from unveil.release.model import ProjectFile
from unveil.report.records_page import RecordsBlock, records_page
from unveil.write.guarding import steerless

MOST_SHOWN = 2_000
"""Rows of one target on the page; the CSV file has all."""

_MARKUP = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"}


def records_documents(project: ProjectFile, dossier: Dossier) -> dict[str, bytes]:
    """The two files by name; refused where they would not be those of the run."""
    number = dossier.run.number
    if not dossier.judgement.is_current:
        raise ReadError(
            f"The records at risk of run {number} cannot be listed:"
            f" {' '.join(dossier.judgement.stale)} Measure again: unveil run."
        )
    found = list(at_risk(inputs_of(project), dossier.run))
    page = records_page(dossier.title, number, [_block(one) for one in found])
    file = records_path(project.folder, number)
    return {file.with_suffix(".html").name: page.encode(), file.name: records_csv(found)}


def _block(one: Listed) -> RecordsBlock:
    """The first rows as cells of a table, with no markup of their own."""
    shown = steerless(one.records.head(MOST_SHOWN))
    columns = ["row", *(f"k{n}" for n in range(len(one.keys))), "value", "says", "copy", "why"]
    cells = shown.select(
        pl.col(column).cast(pl.String).fill_null("(missing)").alias(column) for column in columns
    ).with_columns(pl.all().str.replace_many(_MARKUP))
    rows = cells.select(
        pl.concat_str(
            pl.lit("<tr><td>"), pl.concat_str(pl.all(), separator="</td><td>"), pl.lit("</td></tr>")
        )
    ).to_series()
    return RecordsBlock(
        scenario=one.scenario,
        target=one.target,
        heads=("row", *one.keys, "value", "copy says", "copy", "why"),
        rows="".join(rows.to_list()),
        n_shown=shown.height,
        n_all=one.records.height,
    )

"""Who is at risk, and why? The records behind DiSCO, listed and written for their owner alone.

`unveil run --records`, `unveil report --records` and `unveil report --only-records` write the same
file of a run.
"""

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from unveil.atomic import replace_file
from unveil.errors import EngineError, ReadError, WriteError
from unveil.io.write_csv import guard_cells, replace_control_characters
from unveil.measure.disclosure.result import DisclosureResult
from unveil.project.assess_stored_run import list_changes
from unveil.project.fingerprint import file_sha256, project_sha256
from unveil.project.log import append
from unveil.project.measure_parts import Measuring, inputs_of
from unveil.project.model import ProjectFile
from unveil.project.people import check_name
from unveil.project.seeds import CONFIDENTIAL, confidential_folder
from unveil.project.sources import Inputs
from unveil.project.store import load_run
from unveil.records.report import ReportContents
from unveil.records.run import Run
from unveil.study.choose_engine import NEEDS_ROWS
from unveil.view.pages.records_at_risk import RecordsAtRisk, records_page
from unveil.view.render_documents import guard_text

HEADS = ("row", "copy", "value", "copy_says", "why")


@dataclass(frozen=True)
class ListedRecords:
    """The records of one target at risk, their columns by place: k0 to kn, value, says, why."""

    scenario: str
    target: str
    keys: tuple[str, ...]
    records: pl.DataFrame


def records_path(folder: Path, number: int) -> Path:
    """Where the records at risk of a run are kept."""
    return folder / CONFIDENTIAL / f"records_at_risk_{number:04d}.csv"


def write_records(inputs: Inputs, run: Run) -> Path:
    """Write the records behind DiSCO of every scenario and target, where they are not there yet."""
    folder = inputs.project.folder
    path = records_path(folder, run.number)
    if path.exists():
        return path
    content = records_csv(list_records_at_risk(inputs, run))
    confidential_folder(folder)
    try:
        replace_file(path, content, mode=0o600)
    except OSError as fault:
        raise WriteError(
            f"Records at risk cannot be written to {path.name!r}: {fault.strerror}. The run itself"
            " is kept."
        ) from None
    return path


def open_records(project: ProjectFile, *, by: str | None) -> Path:
    """The records at risk of the last run, for a named person: who looked is in the log."""
    who, run = check_name(by), load_run(project.folder)
    _check_current(run.number, list_changes(project, run))
    path = write_records(inputs_of(project), run)
    append(
        project.folder,
        event="records",
        by=who,
        subject=str(run.number),
        project_sha256=project_sha256(project),
        file_sha256=file_sha256(path)[1],
    )
    return path


def _check_current(number: int, stale: Sequence[str]) -> None:
    if stale:
        raise ReadError(
            f"The records at risk of run {number} cannot be listed: {' '.join(stale)} Measure"
            " again: unveil run."
        )


def read_records(path: Path, scenario: str, target: str, most: int) -> RecordsAtRisk:
    """The first records of one target, as they were written; the most exposed first."""
    kept = pl.scan_csv(path, infer_schema=False)
    about = (pl.col("scenario") == guard_text(scenario)) & (pl.col("target") == guard_text(target))
    found = kept.filter(about).drop("scenario", "target").collect()
    shown = found.select(one for one in found.columns if found[one].null_count() < found.height)
    heads = tuple(one.removeprefix("key ").replace("copy_says", "shown") for one in shown.columns)
    rows = shown.head(most).select(pl.all().fill_null("(missing)")).rows()
    return RecordsAtRisk(scenario, target, heads, rows, found.height)


def list_records_at_risk(inputs: Inputs, run: Run) -> Iterator[ListedRecords]:
    """Every scenario counted again, as the run counted it, target after target."""
    if inputs.engine != "memory":
        raise EngineError(NEEDS_ROWS)
    measuring = Measuring(inputs)
    for part in run.list_parts("disclosure"):
        counted = measuring.disclosure(json.loads(part.settings))
        for target in counted.record.targets:
            records = _records(counted, target)
            yield ListedRecords(part.scenario or "", target, counted.record.keys, records)


def records_csv(found: Iterable[ListedRecords]) -> bytes:
    """One row for each finding, harmless to open; the most exposed of a target first."""
    frames = [_for_csv(one) for one in found]
    document = io.BytesIO()
    empty = pl.DataFrame({head: [] for head in ("scenario", "target", *HEADS)})
    (pl.concat(frames, how="diagonal") if frames else empty).write_csv(document)
    return document.getvalue()


def _records(counted: DisclosureResult, target: str) -> pl.DataFrame:
    """Records of one target by place, whatever its columns are called; the most exposed first."""
    found: pl.DataFrame = counted.records_at_risk(target, as_text=True)
    n_keys = len(counted.record.keys)
    place = [f"k{n}" for n in range(n_keys)]
    names = ["row", "copy", *place, "value", "says", "d_tq", "s_tq", "d_q", "s_q", "measures"]
    return found.rename(dict(zip(found.columns, [*names, "why"], strict=True))).sort("d_q", "row")


def _for_csv(one: ListedRecords) -> pl.DataFrame:
    return guard_cells(one.records).select(
        pl.lit(guard_text(one.scenario)).alias("scenario"),
        pl.lit(guard_text(one.target)).alias("target"),
        "row",
        pl.col("copy").cast(pl.String),
        "value",
        pl.col("says").alias("copy_says"),
        "why",
        *(pl.col(f"k{n}").alias(f"key {guard_text(key)}") for n, key in enumerate(one.keys)),
    )


# The records at risk of a run as a file and as a page, for the report to stand beside.


MOST_SHOWN = 2_000
"""Rows of one target on the page; the CSV file has all."""


def records_documents(project: ProjectFile, contents: ReportContents) -> dict[str, bytes]:
    """The two files by name; refused where they would not be those of the run."""
    number = contents.run.number
    _check_current(number, contents.judgement.stale)
    found = list(list_records_at_risk(inputs_of(project), contents.run))
    page = records_page(contents.title, number, [_at_risk(one) for one in found])
    file = records_path(project.folder, number)
    return {file.with_suffix(".html").name: page.encode(), file.name: records_csv(found)}


def _at_risk(one: ListedRecords) -> RecordsAtRisk:
    """The first rows as text."""
    shown = replace_control_characters(one.records.head(MOST_SHOWN))
    columns = ["row", *(f"k{n}" for n in range(len(one.keys))), "value", "says", "copy", "why"]
    cells = shown.select(
        pl.col(column).cast(pl.String).fill_null("(missing)").alias(column) for column in columns
    )
    return RecordsAtRisk(
        scenario=one.scenario,
        target=one.target,
        heads=("row", *one.keys, "value", "synthetic data show", "copy", "why"),
        rows=cells.rows(),
        n_all=one.records.height,
    )

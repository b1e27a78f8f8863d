"""Who is at risk, and why? The records behind DiSCO, listed and written for their owner alone.

`unveil run --records` and `unveil report --records` write the same file of a run.
"""

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from unveil.errors import WriteError
from unveil.measure.result import DisclosureResult
from unveil.records.run import Run
from unveil.release.measuring import Measuring
from unveil.release.seeds import CONFIDENTIAL, confidential_folder
from unveil.release.sources import Inputs
from unveil.report.documents import guarded
from unveil.write.guarding import harmless
from unveil.writing import replace_file

HEADS = ("row", "copy", "value", "copy_says", "why")


@dataclass(frozen=True)
class Listed:
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
    content = records_csv(at_risk(inputs, run))
    confidential_folder(folder)
    try:
        replace_file(path, content, mode=0o600)
    except OSError as fault:
        raise WriteError(
            f"Records at risk cannot be written to {path.name!r}: {fault.strerror}. The run itself"
            " is kept."
        ) from None
    return path


def at_risk(inputs: Inputs, run: Run) -> Iterator[Listed]:
    """Every scenario counted again, as the run counted it, target after target."""
    measuring = Measuring(inputs)
    for part in run.of_kind("disclosure"):
        counted = measuring.disclosure(json.loads(part.settings))
        for target in counted.record.targets:
            records = _records(counted, target)
            yield Listed(part.scenario or "", target, counted.record.keys, records)


def records_csv(found: Iterable[Listed]) -> bytes:
    """One row for each finding, harmless to open; the most exposed of a target first."""
    frames = [_for_csv(one) for one in found]
    document = io.BytesIO()
    empty = pl.DataFrame({head: [] for head in ("scenario", "target", *HEADS)})
    (pl.concat(frames, how="diagonal") if frames else empty).write_csv(document)
    return document.getvalue()


def _records(counted: DisclosureResult, target: str) -> pl.DataFrame:
    """Records of one target by place, whatever its columns are called; the most exposed first."""
    found = counted.records_at_risk(target, as_text=True)
    n_keys = len(counted.record.keys)
    place = [f"k{n}" for n in range(n_keys)]
    names = ["row", "copy", *place, "value", "says", "d_tq", "s_tq", "d_q", "s_q", "measures"]
    return found.rename(dict(zip(found.columns, [*names, "why"], strict=True))).sort("d_q", "row")


def _for_csv(one: Listed) -> pl.DataFrame:
    return harmless(one.records).select(
        pl.lit(guarded(one.scenario)).alias("scenario"),
        pl.lit(guarded(one.target)).alias("target"),
        "row",
        pl.col("copy").cast(pl.String),
        "value",
        pl.col("says").alias("copy_says"),
        "why",
        *(pl.col(f"k{n}").alias(f"key {guarded(key)}") for n, key in enumerate(one.keys)),
    )

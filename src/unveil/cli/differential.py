"""`unveil differential-confidentiality` and `unveil split`: training data against control."""

import io
import os
from pathlib import Path
from typing import Any

import click
import polars as pl
import polars.selectors as cs

from unveil.atomic import write_new
from unveil.cli.options import (
    check_lacking,
    file_option,
    group_by_method,
    json_option,
    keys_option,
    method_option,
    names_option,
    option,
    output_options,
    person_option,
    reading_options,
    target_option,
)
from unveil.cli.output_files import CommandResult, prints_result
from unveil.errors import ReadError, RolesError, SettingsError
from unveil.io.table import Labelled
from unveil.io.write_file import WriteSettings, write_files
from unveil.measure.cap.differential import differential_confidentiality as measure_confidentiality
from unveil.measure.cap.split import SplitResult
from unveil.measure.cap.split import split as split_file
from unveil.view import differential as view
from unveil.view.format import visible
from unveil.view.output import print_output
from unveil.view.render_documents import json_document


@click.command("differential-confidentiality")
@click.argument("included", required=False)
@click.argument("left_out", required=False)
@click.argument("synthetic", nargs=-1)
@keys_option
@target_option
@method_option
@option(
    "--nonmatch",
    "How a person without a match counts: zero or undefined.",
    "RULE",
    default="zero",
)
@option(
    "--margin",
    "The margin: the largest difference that does not matter; 0.02 is two points.",
    "SHARE",
    type=float,
)
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="SHARE")
@option(
    "--bootstrap n_bootstrap",
    "Number of bootstrap samples of key combinations for the interval.",
    "N",
    type=int,
    default=2000,
)
@option("--seed", "Seed of the bootstrap. Default: drawn from the system.", "N", type=int)
@reading_options
@prints_result(output_options)
def differential_confidentiality(
    *,
    included: str | None,
    left_out: str | None,
    synthetic: tuple[str, ...],
    keys: tuple[str, ...],
    target: tuple[str, ...],
    methods: dict[str, list[str]],
    **settings: Any,
) -> CommandResult:
    """Compare how often guesses from SYNTHETIC are correct about INCLUDED and about LEFT_OUT.

    INCLUDED holds the training records, LEFT_OUT a control sample (unveil split makes both).
    Several copies are pooled one after the other.

    \b
    Example:
      unveil differential-confidentiality in.csv out.csv synthetic.csv -k sex,age -t job
      unveil differential-confidentiality in.csv out.csv copy1.csv copy2.csv -k sex,age -t job \\
        --margin 0.02 --seed 1
      unveil differential-confidentiality in.csv out.csv --method CART=c1.csv,c2.csv \\
        --method parametric=p1.csv,p2.csv -k sex,age -t job --bands age=5
    """
    check_lacking(
        "differential-confidentiality train.csv control.csv synthetic.csv --target job",
        keys,
        included,
        left_out,
        synthetic or methods,
        names="the training file, the control file and at least one synthetic file",
    )
    if not target:
        raise RolesError("Name the target variable: --target job.")
    copies = group_by_method(synthetic, methods) if methods else list(synthetic)
    record = measure_confidentiality(
        included, left_out, copies, keys=keys, target=target, **settings
    ).record
    return CommandResult(record, record.rows)


@click.command()
@click.argument("file", required=False)
@option("--share", "Share of people in the training sample.", type=float, default=0.5)
@option("--seed", "The same seed makes the same parts again.", "N", type=int)
@names_option("--strata", "Stratify by these columns: sex,region.")
@person_option
@file_option("--out", "The folder to write to.", "FOLDER")
@json_option
def split(
    *,
    file: str | None,
    share: float,
    seed: int | None,
    strata: tuple[str, ...],
    person: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Split FILE at random into two, and write both parts into a folder.

    Synthesise from the first part. Then unveil differential-confidentiality and unveil excess
    measure what is disclosed about people because their own record was used. Parts have the format
    of FILE where it is SPSS, Stata, Parquet or CSV, labels and all, and are CSV otherwise; nothing
    that is there is overwritten. Where FILE has several rows for a person, all of them go to one
    part, and the share is of people.

    \b
    Example:
      unveil split survey.csv --share 0.5 --seed 1 --out halves
    """
    if file is None or out is None or not str(out).strip("."):
        raise ReadError(
            "Name the file and the folder for its parts: unveil split survey.csv --seed 1 --out"
            " halves."
        )
    if seed is None:
        raise SettingsError("Give a seed, so that the same parts can be made again: --seed 1.")
    made = split_file(file, share, seed=seed, strata=strata or None, person=person)
    written = _write_parts(made, Path(file), out)
    if as_json:
        print_output(json_document(made.record))
        return
    lines = [
        view.split_sentence(made.record),
        *(visible(note.sentence) for note in made.record.coercions if note.kind == "person"),
        f"CONFIDENTIAL: {view.SPLIT_SEED}",
        *(f"  {visible(os.fspath(path))}" for path in written),
    ]
    print_output("\n".join(lines))


_KEPT = {ending: ending for ending in (".sav", ".zsav", ".dta", ".parquet")} | {".pq": ".parquet"}
"""The endings of files whose parts have the same; all others become text."""


def _write_parts(made: SplitResult, file: Path, out: Path) -> tuple[Path, ...]:
    """Both parts in a folder, with what is declared about the file, or neither."""
    ending = _KEPT.get(file.suffix.lower(), ".csv")
    stem = file.name.removesuffix(".gz").rpartition(".")[0]
    parts = {
        f"{stem}_{part}{ending}": frame
        for part, frame in (("included", made.included), ("left_out", made.left_out))
    }
    if made.codebook is None:
        documents = {name: _document(frame, ending) for name, frame in parts.items()}
        return write_new(out, documents, mode=0o600)
    jobs = [(Labelled(frame, made.codebook), out / name) for name, frame in parts.items()]
    written = write_files(jobs, WriteSettings(made.codebook, fake=False))
    return tuple(Path(one.path) for one in written)


def _document(frame: pl.DataFrame, ending: str) -> bytes:
    """A part as it is written: Parquet, or text that reads back as the same values."""
    document = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(document)
        return document.getvalue()
    zoned = cs.datetime(time_zone="*").dt.to_string("iso:strict")  # with a colon in the zone
    # A missing value alone on its line must not look like a blank line, which is passed over.
    empty = '""' if frame.width == 1 else None
    frame.with_columns(zoned).write_csv(document, null_value=empty)
    return document.getvalue()

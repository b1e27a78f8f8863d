"""`unveil codebook`: what is in a file, and how a copy is built otherwise than its original."""

from pathlib import Path
from typing import Any

import click

from unveil.atomic import write_private
from unveil.cli.options import csv_option, file_option, json_option, missing_option, option
from unveil.cli.output_files import check_targets
from unveil.cli.progress import progress_bar
from unveil.errors import ReadError, SettingsError
from unveil.measure.structure.compare_structure import compare_structure
from unveil.measure.structure.describe import codebook as codebook_of
from unveil.records.codebook import CodebookDifferences, DescribedFile
from unveil.view.codebook import codebook_page
from unveil.view.codebook_csv import codebook_csv
from unveil.view.format import lines
from unveil.view.output import print_output
from unveil.view.render_documents import csv_document, json_document
from unveil.view.show import as_blocks

A_DIFFERENCE = 3


@click.command()
@click.argument("file", required=False)
@click.argument("other", required=False)
@file_option(
    "--dictionary",
    "What the columns mean: a REDCap dictionary, a list of codes, or a codebook of unveil.",
)
@missing_option
@option("--declared-only", "Show declarations only, nothing from the records.", is_flag=True)
@option("--strict", "End with code 3 if the structure differs.", is_flag=True)
@json_option
@csv_option("One row per column and code as CSV.")
@file_option("--html", "Write a self-contained page.")
@file_option("--out", "Write the JSON or CSV document to this file, not to the screen.")
def codebook(
    *,
    file: str | None,
    other: str | None,
    dictionary: Path | None,
    missing_values: tuple[str, ...],
    declared_only: bool,
    strict: bool,
    as_json: bool,
    as_csv: bool,
    html: Path | None,
    out: Path | None,
) -> int:
    """Describe FILE; or compare the structure of synthetic data, OTHER, with the original, FILE.

    \b
    Example:
      unveil codebook survey.sav
      unveil codebook survey.csv --dictionary survey_dictionary.csv --html codebook.html
      unveil codebook survey.sav synthetic.csv --strict
    """
    form = _form(as_json=as_json, as_csv=as_csv, out=out)
    _check(file, other, declared_only=declared_only, strict=strict)
    check_targets({"--html": html, "--out": out})
    asked: dict[str, Any] = {"dictionary": dictionary, "missing_values": missing_values}
    record: DescribedFile | CodebookDifferences
    with progress_bar() as bar:
        if other is None:
            record = codebook_of(file, declared_only=declared_only, **asked, progress=bar).record
        else:
            record = compare_structure(file, other, **asked, progress=bar).record
    document = _document(record, form)
    for path, content in ((html, codebook_page(record) if html else ""), (out, document or "")):
        if path is not None:
            write_private(path, f"{content.rstrip()}\n".encode())
            click.echo(f"unveil: written to {lines(str(path))}.", err=True)
    if out is None and (html is None or document is not None):
        print_output(as_blocks(record) if document is None else document)
    is_other = isinstance(record, CodebookDifferences) and bool(record.rows)
    return A_DIFFERENCE if strict and is_other else 0


def _form(*, as_json: bool, as_csv: bool, out: Path | None) -> str | None:
    """The document asked for, by its option or by the ending of the file it goes to."""
    if as_json or as_csv or out is None:
        return "json" if as_json else "csv" if as_csv else None
    ending = out.suffix.lower()
    if ending not in (".json", ".csv"):
        raise SettingsError(
            f"--out writes a JSON or CSV document. Name a file that ends in .json or .csv, not"
            f" {out.name!r}; --html writes a page."
        )
    return ending[1:]


def _check(file: str | None, other: str | None, *, declared_only: bool, strict: bool) -> None:
    if not file:
        raise ReadError("Name the file: unveil codebook survey.sav.")
    if other is None and strict:
        raise SettingsError(
            "--strict is for two files: unveil codebook ORIGINAL SYNTHETIC --strict."
        )
    if other is not None and declared_only:
        raise SettingsError(
            "--declared-only is for one file; two files are compared by their records too. Drop it,"
            " or describe one file after the other."
        )


def _document(record: DescribedFile | CodebookDifferences, form: str | None) -> str | None:
    if form == "json":
        return json_document(record)
    if form is None:
        return None
    if isinstance(record, DescribedFile):
        return codebook_csv(record)
    return csv_document([row.to_dict() for row in record.rows])

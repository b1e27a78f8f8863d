"""`unveil convert`: synthetic data as SPSS, Stata and other files, marked FAKE."""

from collections.abc import Iterator
from pathlib import Path

import click

from unveil.cli.options import json_option, option
from unveil.errors import ReadError, WriteError
from unveil.io.write_file import ENDINGS, WriteSettings, codebook_like, target_of, write_files
from unveil.records.synthesis import Ending, WrittenFile
from unveil.view.blocks import sentences
from unveil.view.format import format_count
from unveil.view.output import print_output
from unveil.view.render_documents import json_text


@click.command()
@click.argument("copies", nargs=-1, metavar="COPY...")
@option("--like", "Take labels, codes, formats and missing codes from this file.", "ORIGINAL")
@option("--format ending", "The format to write.", type=click.Choice(ENDINGS))
@option(
    "--out",
    "The folder to write to; created if missing.",
    "FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
)
@option("--marker", "Add a column that says FAKE in every row.", "COLUMN")
@option("--bom", "Start CSV files with a byte order mark, so that Excel reads UTF-8.", is_flag=True)
@json_option
def convert(
    *,
    copies: tuple[str, ...],
    like: str | None,
    ending: Ending | None,
    out: Path | None,
    marker: str | None,
    bom: bool,
    as_json: bool,
) -> None:
    """Write each COPY in another format, with the original's declarations, marked as fake.

    Texts that are labels of the original become its codes. Each file name begins with FAKE_, and
    the file label says that it holds no real people. All files are written, or none; nothing is
    overwritten.

    \b
    Example:
      unveil convert fake.csv --like survey.sav --format sav --out release
    """
    if not copies:
        raise ReadError(
            "Name at least one synthetic file: unveil convert fake.csv --like survey.sav --format"
            " sav --out release."
        )
    if ending is None or out is None:
        raise WriteError(
            "Name the format and the folder: --format sav --out release. The formats are:"
            f" {', '.join(ENDINGS)}."
        )
    targets = [target_of(out / f"{_stem(copy)}.{ending}", fake=True) for copy in copies]
    codebook = None if like is None else codebook_like(like)
    asked = WriteSettings(codebook, marker=marker, bom=bom)
    written = write_files(list(zip(copies, targets, strict=True)), asked)
    print_output(_document(written) if as_json else sentences(_sentences(written)))


def _stem(copy: str) -> str:
    """The name of a file without its ending, and without .gz after it."""
    path = Path(copy)
    return Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem


def _document(written: list[WrittenFile]) -> str:
    rows = [one.to_dict() for one in written]
    return json_text({"written": rows})


def _sentences(written: list[WrittenFile]) -> Iterator[str]:
    for one in written:
        size = f"{format_count(one.n_rows, 'row')}, {format_count(one.n_columns, 'column')}"
        beside = "".join(f", with {path}" for path in one.beside)
        yield f"Written: {one.path} ({size}){beside}"
        yield from one.notes
    yield "Every file is marked FAKE, in its name and in its label."

"""`unveil convert`: copies as files of SPSS, Stata and others, like the original, marked FAKE."""

from pathlib import Path

import click
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from unveil.cli.options import json_option, option
from unveil.errors import ReadError, WriteError
from unveil.io.write_file import ENDINGS, WriteSettings, codebook_like, target_of, write_files
from unveil.records.synthesis import Ending, WrittenFile
from unveil.view.format import format_count, visible
from unveil.view.output import print_output
from unveil.view.render_documents import json_text


@click.command(short_help="Write copies as SPSS, Stata, Parquet or CSV files, marked as fake.")
@click.argument("copies", nargs=-1, metavar="COPY...")
@option("--like", "Take labels, codes, formats and missing codes from this file.", "ORIGINAL")
@option("--format ending", "What kind of files to write.", type=click.Choice(ENDINGS))
@option(
    "--out",
    "The folder to write to; it is made if need be.",
    "FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
)
@option("--marker", "Add a column that says FAKE in every row.", "COLUMN")
@option("--bom", "Begin CSV files with a mark, so that Excel reads UTF-8.", is_flag=True)
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
    """Write each COPY as a file of another format, declared like the original and marked as fake.

    Texts that are labels of the original become its codes. Each file's name begins with FAKE_, and
    its label says that no real people are in it. All files are written, or none; nothing is
    overwritten.

    \b
    Example:
      unveil convert copy.csv --like survey.sav --format sav --out release
    """
    if not copies:
        raise ReadError(
            "Name at least one copy: unveil convert copy.csv --like survey.sav --format sav --out"
            " release."
        )
    if ending is None or out is None:
        raise WriteError(
            "Say what to write and where to: --format sav --out release. The formats are:"
            f" {', '.join(ENDINGS)}."
        )
    targets = [target_of(out / f"{_stem(copy)}.{ending}", fake=True) for copy in copies]
    codebook = None if like is None else codebook_like(like)
    asked = WriteSettings(codebook, marker=marker, bom=bom)
    written = write_files(list(zip(copies, targets, strict=True)), asked)
    print_output(_document(written) if as_json else _screen(written))


def _stem(copy: str) -> str:
    """The name of a file without its ending, and without .gz after it."""
    path = Path(copy)
    return Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem


def _document(written: list[WrittenFile]) -> str:
    rows = [one.to_dict() for one in written]
    return json_text({"written": rows})


def _screen(written: list[WrittenFile]) -> Group:
    lines: list[RenderableType] = []
    for one in written:
        size = f"{format_count(one.n_rows, 'row')}, {format_count(one.n_columns, 'column')}"
        lines.append(Text(f"Written: {visible(one.path)} ({size})"))
        beside = [f"with {visible(path)}" for path in one.beside]
        told = [*beside, *map(visible, one.notes)]
        lines += [Padding(Text(sentence), (0, 0, 0, 2)) for sentence in told]
    lines.append(Text("Every file says that it is FAKE: in its name and in its label."))
    return Group(*lines)

"""`unveil.write_file`: synthetic data as SPSS, Stata, Parquet or CSV, declared as the original is.

Labels, codes, formats, measurement level, display width and missing codes are those of the
original's codebook. Synthetic data say that they are fake in name, in their label and in its notes.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

import polars as pl

from unveil.atomic import FilePlacement, is_full
from unveil.errors import SettingsError, UnveilError, WriteError, quote_text
from unveil.io.code_meanings import codebook_of, variable_of
from unveil.io.dictionary import parse_dictionary
from unveil.io.outgoing import OutgoingTable, mark_copy, marked_path
from unveil.io.sources import read_table
from unveil.io.table import Table, place_of
from unveil.io.write_checks import fit_column
from unveil.io.write_csv import codebook_beside, csv_faults, write_csv
from unveil.io.write_parquet import parquet_faults, sink_parquet, write_parquet
from unveil.io.write_spss import spss_faults, write_spss
from unveil.io.write_stata import stata_faults, write_stata
from unveil.records.codebook import Codebook
from unveil.records.synthesis import Ending, WrittenFile

ENDINGS: tuple[Ending, ...] = get_args(Ending)
_PROGRAMS = {
    "sav": "SPSS",
    "zsav": "SPSS",
    "dta": "Stata",
    "parquet": "Parquet",
    "csv": "a text file",
}
_FAULTS = {
    "sav": spss_faults,
    "zsav": spss_faults,
    "dta": stata_faults,
    "parquet": parquet_faults,
    "csv": csv_faults,
}


@dataclass(frozen=True)
class WriteSettings:
    """How copies are to be written."""

    codebook: Codebook | None = None
    fake: bool = True
    marker: str | None = None
    bom: bool = False
    partly: bool = False

    def __post_init__(self) -> None:
        if self.marker is not None and not self.fake:
            raise SettingsError("A marker column says FAKE: omit it, or write with fake=True.")
        if self.marker is not None and not self.marker.strip():
            raise SettingsError("The marker column has no name. Give it one, such as FAKE.")


def write_file(
    data: Any,
    path: str | os.PathLike[str],
    *,
    like: Any = None,
    codebook: Any = None,
    fake: bool = True,
    marker: str | None = None,
    overwrite: bool = False,
    bom: bool = False,
    partly: bool = False,
) -> WrittenFile:
    """Write a table to a file with the labels, codes, formats and missing codes of another.

    The ending of `path` says the format: .sav, .zsav, .dta, .parquet or .csv (with its codebook
    beside it). `like` is the original, as a path or frame, or `codebook` what is declared of it;
    without both, what is declared of `data` itself counts. A fake file gets a name that begins with
    FAKE_, a label and a note that say so, and with `marker` a column of that name; where only some
    columns were replaced, `partly` makes them say that its rows are of real people.

    Raises
    ------
    WriteError
        If the format cannot hold a name or a value, or the file is there already.
    """
    asked = WriteSettings(
        _codebook(like, codebook), fake=fake, marker=marker, bom=bom, partly=partly
    )
    target = target_of(path, fake=fake)
    (made,) = write_files([(data, target)], asked, overwrite=overwrite)
    return made


def write_files(
    jobs: Sequence[tuple[Any, Path]], asked: WriteSettings, *, overwrite: bool = False
) -> list[WrittenFile]:
    """Write every table to its path, or none of them."""
    with FilePlacement(overwrite=overwrite) as placing:
        placing.claim(*(path for _, target in jobs for path in _all_paths(target)))
        made = [_stage_table(data, target, asked, placing) for data, target in jobs]
        placing.publish()
    return made


def write_batches(
    frames: Iterator[pl.DataFrame], target: Path, asked: WriteSettings
) -> WrittenFile:
    """Write tables that follow one another as one Parquet file, one of them in memory at a time."""
    if _ending_of(target) != "parquet":
        raise WriteError(
            f"The file {quote_text(target.name)} cannot be written in batches. Name one that ends"
            " in .parquet."
        )
    place = place_of("synthetic" if asked.fake else "data")
    with FilePlacement() as placing, _translate_faults(place, target):
        placing.claim(target)
        outgoing = (
            _prepare_checked(Table("synthetic", place, frame), target, asked) for frame in frames
        )
        n_rows, n_columns, notes = sink_parquet(outgoing, placing.start(target))
        placing.publish()
    return WrittenFile(
        path=str(target),
        format="parquet",
        n_rows=n_rows,
        n_columns=n_columns,
        fake=asked.fake,
        notes=notes,
    )


def _prepare_checked(table: Table, target: Path, asked: WriteSettings) -> OutgoingTable:
    """A table as its format holds it, or a refusal."""
    ending = _ending_of(target)
    outgoing = _prepare_outgoing(table, target, asked)
    _check(_FAULTS[ending](outgoing), outgoing.place, ending)
    return outgoing


def target_of(path: str | os.PathLike[str], *, fake: bool) -> Path:
    """Where a file goes: a path with an ending that can be written, and FAKE_ in its name."""
    target = Path(os.fsdecode(path))
    if target.suffix.lower().removeprefix(".") not in ENDINGS:
        ending = f"the ending {target.suffix!r}" if target.suffix else "no ending"
        raise WriteError(
            f"The file {quote_text(str(target))} has {ending}. unveil writes files that end in"
            f" {', '.join(f'.{one}' for one in ENDINGS[:-1])} or .{ENDINGS[-1]}."
        )
    return marked_path(target) if fake else target


def codebook_like(original: Any) -> Codebook:
    """What is declared about the original; where nothing is, its columns' names and kinds."""
    return codebook_of(read_table(original, side="original"))


def _codebook(like: Any, codebook: Any) -> Codebook | None:
    if like is not None and codebook is not None:
        raise SettingsError("Give like or codebook, not both: each says how the file is declared.")
    if codebook is not None:
        return parse_dictionary(codebook, what="codebook")
    return None if like is None else codebook_like(like)


def _all_paths(target: Path) -> tuple[Path, ...]:
    return (target, codebook_beside(target)) if _ending_of(target) == "csv" else (target,)


def _ending_of(target: Path) -> Ending:
    return cast(Ending, target.suffix.lower().removeprefix("."))


def _stage_table(
    data: Any, target: Path, asked: WriteSettings, placing: FilePlacement
) -> WrittenFile:
    """One table written beside its place."""
    table = read_table(data, side="synthetic" if asked.fake else "data")
    ending = _ending_of(target)
    with _translate_faults(table.place, target):
        outgoing = _prepare_checked(table, target, asked)
        paths = [placing.start(path) for path in _all_paths(target)]
        notes = _write_format(outgoing, paths, ending, bom=asked.bom)
    return WrittenFile(
        path=str(target),
        beside=tuple(str(path) for path in _all_paths(target)[1:]),
        format=ending,
        n_rows=outgoing.frame.height,
        n_columns=outgoing.frame.width,
        fake=asked.fake,
        notes=notes,
    )


def _prepare_outgoing(table: Table, target: Path, asked: WriteSettings) -> OutgoingTable:
    """The table coded as its codebook says, with the codebook of the columns that it has."""
    codebook = asked.codebook or codebook_of(table)
    columns, faults = [], []
    known = {variable.name: variable for variable in codebook.variables}
    for column in table.frame.get_columns():
        variable = known.get(column.name) or variable_of(column)
        try:
            columns.append(fit_column(column.alias(""), variable).alias(column.name))
        except WriteError as fault:
            faults.append(str(fault))
    _check(faults, table.place, _ending_of(target))
    frame = pl.DataFrame({column.name: column for column in columns})
    made = OutgoingTable(table.place, frame, codebook)
    if asked.fake:
        made = mark_copy(made, marker=asked.marker, partly=asked.partly)
    return replace(made, codebook=_select_codebook(made, target))


def _select_codebook(outgoing: OutgoingTable, target: Path) -> Codebook:
    # The name of the new file: that of the original is no one's business.
    codebook = outgoing.codebook
    return Codebook(
        source=target.name,
        format=codebook.format,
        file_label=codebook.file_label,
        notes=codebook.notes,
        encoding="utf-8",
        variables=tuple(variable for _, variable in outgoing.columns()),
    )


def _check(faults: Sequence[str], place: str, ending: Ending) -> None:
    if not faults:
        return
    if len(faults) == 1:
        raise WriteError(f"{place} cannot be written as {_PROGRAMS[ending]}. {faults[0]}")
    reasons = "\n".join(f"- {fault}" for fault in faults)
    raise WriteError(
        f"{place} cannot be written as {_PROGRAMS[ending]}, for {len(faults)} reasons:\n{reasons}"
    )


def _write_format(
    outgoing: OutgoingTable, paths: Sequence[Path], ending: Ending, *, bom: bool
) -> tuple[str, ...]:
    if ending == "csv":
        return write_csv(outgoing, *paths, bom=bom)
    if ending == "parquet":
        return write_parquet(outgoing, *paths)
    if ending == "dta":
        return write_stata(outgoing, *paths)
    return write_spss(outgoing, *paths, compressed=ending == "zsav")


@contextmanager
def _translate_faults(place: str, target: Path) -> Iterator[None]:
    """Whatever another library says becomes a sentence of ours: its words may quote data."""
    ending = _ending_of(target)
    try:
        yield
    except UnveilError:
        raise
    except ImportError:
        raise WriteError(
            "Files of SPSS and Stata need the package pyreadstat, which is not installed. Install"
            " it, or write Parquet or CSV."
        ) from None
    except OSError as fault:
        if is_full(target.parent, fault):
            raise WriteError(_full(place, target)) from None
        raise WriteError(
            f"{place} cannot be written: {fault.strerror or 'the disk refused'}. Check the disk and"
            " the folder."
        ) from None
    except (Exception, pl.exceptions.PanicException):
        if is_full(target.parent):  # which no library says
            raise WriteError(_full(place, target)) from None
        raise WriteError(
            f"{place} could not be written as {_PROGRAMS[ending]}: the library that writes it"
            f" refused. Nothing was written. Check the disk, or write {_others(ending)} instead."
        ) from None


def _full(place: str, target: Path) -> str:
    return (
        f"{place} cannot be written: the disk of the folder {quote_text(str(target.parent))} is "
        "full."
        " Nothing was written. Make room, or name a folder on another disk."
    )


def _others(ending: Ending) -> str:
    return "another format" if ending in ("parquet", "csv") else "Parquet or CSV"

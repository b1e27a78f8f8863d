"""What does a file of SPSS, Stata or SAS hold: codes as codes, and what is declared about them?

Codes that stand for missing values stay codes, so that "refused" and "not applicable" stay apart;
Stata's and SAS's letters become the numbers of `numbers`. Dates and times are read by their format.
Portable SPSS files (.por) are the exception: their parser makes declared missing codes empty.
"""

import codecs
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from unveil.errors import ReadError
from unveil.io.numbers import LETTERS, TAGS, is_letter, letters_in
from unveil.io.parsers import damaged_sentence
from unveil.io.stat_codebook import (
    StatColumn,
    catalogue_beside,
    codebook_of,
    count_members,
    letters_of,
    read_declared_rows,
)
from unveil.io.stat_dates import DateFormat, convert_dates, stamp_of
from unveil.io.table import BESIDE, choose
from unveil.io.wire import ParsedFile, ReadRequest
from unveil.records.codebook import Codebook
from unveil.records.disclosure import Coercion

# What pyreadstat gives for one column, as a series: numbers, letters of missing values, text.


_NUMBER_OF: dict[Any, float] = {
    spelt: TAGS[f".{letter}"] for letter in LETTERS for spelt in (letter, letter.upper())
}


def series_of(values: list[Any], kind: str) -> pl.Series:
    """A column as the file has it."""
    if kind == "string":
        return pl.Series(values, dtype=pl.String)
    if str in set(map(type, values)):
        return pl.Series(list(map(_NUMBER_OF.get, values, values)), dtype=pl.Float64)
    if kind.startswith("int"):
        return pl.Series(values, dtype=pl.Int64)
    return pl.Series(values, dtype=pl.Float32 if kind == "float" else pl.Float64)


def join_parts(parts: Sequence[pl.Series]) -> pl.Series:
    """The parts of a column, one behind the other."""
    is_mixed = len({part.dtype for part in parts}) > 1  # letters in some of the parts only
    if len(parts) == 1:
        return parts[0]
    return pl.concat([part.cast(pl.Float64) for part in parts] if is_mixed else parts)


# Which text do bytes stand for that are not in the encoding their file declares?
#
# Such files were mostly put together from several: each text is read as UTF-8, and only the bytes
# that cannot be UTF-8 as Windows-1252, or as Latin-1 where that gives them no meaning.


_NAME = "unveil-mixed"


def _byte_by_byte(fault: UnicodeError) -> tuple[str, int]:
    assert isinstance(fault, UnicodeDecodeError)
    byte = fault.object[fault.start : fault.start + 1]
    try:
        return byte.decode("cp1252"), fault.start + 1
    except UnicodeDecodeError:
        return byte.decode("latin-1"), fault.start + 1


codecs.register_error(_NAME, _byte_by_byte)


def repair_text(text: str) -> str:
    """The text, given with one character for each of its bytes."""
    return text.encode("latin-1", "ignore").decode("utf-8", _NAME)


def repair_column(column: pl.Series) -> pl.Series:
    """A column of such texts; each that occurs is looked at once."""
    texts = column.drop_nulls().unique()
    high = texts.filter(texts.str.contains(r"[\x{80}-\x{ff}]"))
    if high.is_empty():
        return column
    # All in one go, a byte that no text has between them.
    whole = repair_text("\0".join(high.str.replace_all("\0", "").to_list()))
    return column.replace(high, pl.Series(whole.split("\0"), dtype=pl.String))


PROGRAMS = {"spss": "spss", "portable": "spss", "stata": "stata", "sas": "sas", "transport": "sas"}

_KEEPS_MISSING = ("spss", "stata", "sas")
_KNOWS_ENCODINGS = ("spss", "stata", "sas", "transport")
_CAN_SEEK = ("spss", "stata", "sas")
_CELLS_AT_A_TIME = 10_000_000
_FEW_ROWS = 1000
_EVERY_BYTE = "ISO-8859-1"  # the one encoding in which each byte is a character


def parse(question: ReadRequest) -> ParsedFile:
    """What the file holds; only the columns asked for, in that order, where they are given."""
    from pyreadstat import ReadstatError

    try:
        return _Source(question, encoding=None).parse()
    except (UnicodeDecodeError, ReadstatError):
        if question.kind not in _KNOWS_ENCODINGS:
            raise
    return _Source(question, encoding=_EVERY_BYTE).parse()


class _Source:
    """One file, read in the encoding it declares, or byte by byte where that is wrong."""

    def __init__(self, question: ReadRequest, *, encoding: str | None) -> None:
        self.question = question
        self.program = PROGRAMS[question.kind]
        self.encoding = encoding
        self.notes: list[Coercion] = []
        if encoding:
            self.note(
                None,
                "encoding",
                "The file is not written in the encoding it declares; what is not UTF-8 was read "
                "as Windows-1252.",
            )

    def note(self, column: str | None, kind: str, sentence: str) -> None:
        side = self.question.side
        self.notes.append(Coercion(side=side, column=column, kind=kind, sentence=sentence))

    def text(self, found: str) -> str:
        return repair_text(found) if self.encoding else found

    def parse(self) -> ParsedFile:
        place = self.question.place
        found, meta = self.beginning()
        names = [self.text(name) for name in meta.column_names]
        wanted = choose(names, self.question.columns, place)
        in_file = dict(zip(names, meta.column_names, strict=True))
        asked = [in_file[name] for name in wanted]
        columns = self.columns(meta, asked, found)
        if not len(columns[in_file[wanted[0]]]):
            raise ReadError(f"{place} has columns but no rows. Check that its export was finished.")
        made = {}
        for name in wanted:
            stamp = stamp_of(self.program, meta.original_variable_types.get(in_file[name]))
            made[name] = self.convert_column(name, columns[in_file[name]], stamp)
        if self.question.kind == "portable" and any(c.null_count() for c in made.values()):
            sentence = "Codes declared as missing are read as empty from a portable SPSS file;"
            self.note(None, "missing", f"{sentence} save it as .sav to keep them apart.")
        if self.question.kind == "transport" and (n := count_members(self.question.path)) > 1:
            self.note(None, BESIDE, f"It has {n:,} tables, of which the first was read.")
        return ParsedFile(pl.DataFrame(made), self.codebook(meta, in_file, made), tuple(self.notes))

    def read(self, **settings: Any) -> tuple[dict[str, list[Any]], Any]:
        import pyreadstat

        kind = self.question.kind
        readers: dict[str, Any] = {
            "spss": pyreadstat.read_sav,
            "portable": pyreadstat.read_por,
            "stata": pyreadstat.read_dta,
            "sas": pyreadstat.read_sas7bdat,
            "transport": pyreadstat.read_xport,
        }
        if kind in _KEEPS_MISSING:
            settings["user_missing"] = True
        if self.encoding:
            settings["encoding"] = self.encoding
        found: tuple[dict[str, list[Any]], Any] = readers[kind](
            self.question.path, output_format="dict", disable_datetime_conversion=True, **settings
        )
        return found

    def beginning(self) -> tuple[dict[str, list[Any]] | None, Any]:
        """What the file declares; with it the records, where they are few."""
        # In a file of many columns, what is declared takes as long to read as the records.
        if self.question.columns is None and self.question.kind in _CAN_SEEK:
            found, meta = self.read(row_limit=_FEW_ROWS)
            if all(len(column) < _FEW_ROWS for column in found.values()):
                return found, meta
        return None, self.read(metadataonly=True)[1]

    def columns(
        self, meta: Any, asked: Sequence[str], found: dict[str, list[Any]] | None
    ) -> dict[str, pl.Series]:
        """The columns asked for, some records at a time where the format lets us go on."""
        n_rows, types = self.n_rows(meta), meta.readstat_variable_types
        can_go_on = self.question.kind in _CAN_SEEK and n_rows > 0
        at_once = max(_CELLS_AT_A_TIME // len(asked), 10_000) if can_go_on else 0
        # Names are looked up one by one in a list, which takes long where all are asked for.
        some = {} if self.question.columns is None else {"usecols": asked}
        parts: list[dict[str, pl.Series]] = []
        n_read = 0
        while True:
            if found is None:
                found, _ = self.read(row_offset=n_read, row_limit=at_once, **some)
            parts.append({name: series_of(found[name], types[name]) for name in asked})
            n_found, found = len(found[asked[0]]), None
            n_read += n_found
            if not can_go_on or not n_found or n_read >= n_rows:
                break
        if n_rows not in (0, n_read):
            raise ReadError(damaged_sentence(self.question.kind, self.question.place))
        whole = {name: join_parts([part[name] for part in parts]) for name in asked}
        return self.with_letters(whole, meta.column_names, n_read)

    def n_rows(self, meta: Any) -> int:
        """How many records the file says it has; 0 where it does not say."""
        if self.question.kind == "transport":
            return read_declared_rows(self.question.path) or 0
        return max(meta.number_rows or 0, 0)

    def with_letters(
        self, columns: dict[str, pl.Series], all_names: Sequence[str], n_rows: int
    ) -> dict[str, pl.Series]:
        """The columns of a transport file, whose parser knows no letters, with theirs."""
        if self.question.kind != "transport":
            return columns
        for place, letter, rows in letters_of(self.question.path, n_rows):
            name = all_names[place]
            if name in columns:
                columns[name] = columns[name].scatter(rows, TAGS[f".{letter}"])
        return columns

    def convert_column(self, name: str, column: pl.Series, stamp: DateFormat | None) -> pl.Series:
        """A column in its type: text mended, numbers that are dates as dates."""
        if column.dtype == pl.String:
            return repair_column(column) if self.encoding else column
        if stamp is None:
            return column
        letters = is_letter(column)
        if letters.any():
            self.note(
                name,
                "missing",
                f"Column {name!r} holds dates or times, and among them letters of missing values "
                "(.a to .z), which were taken as missing.",
            )
        found = convert_dates(column.set(letters, None), stamp)
        if found.column is None:
            is_time = stamp.kind == "time"
            years = "of thousands of years" if is_time else "beyond the years 1 to 9999"
            self.note(
                name,
                "date",
                f"Column {name!r} has the format of {'times' if is_time else 'dates'} but numbers "
                f"{years}; it was left as numbers.",
            )
            return column
        if found.is_cut:
            sentence = "but also holds times of day; these were dropped."
            self.note(name, "date", f"Column {name!r} has the format of dates {sentence}")
        return found.column

    def codebook(
        self, meta: Any, in_file: Mapping[str, str], made: Mapping[str, pl.Series]
    ) -> Codebook:
        sets = meta.value_labels or {}
        beside = catalogue_beside(self.question) if self.question.kind == "sas" else None
        if beside is not None:
            sets = {**sets, **beside.sets}
            self.note(
                None,
                "dictionary",
                f"Labels of codes were taken from the catalogue {beside.name!r} beside the file.",
            )
        columns = [
            StatColumn(
                name=name,
                spelt=spelt,
                dtype=made[name].dtype,
                letters=letters_in(made[name]),
            )
            for name, spelt in in_file.items()
            if name in made
        ]
        return codebook_of(
            meta,
            sets=sets,
            columns=columns,
            source=self.question.name,
            program=self.program,
            text=self.text,
        )

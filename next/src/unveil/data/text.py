"""Files of text: how one is written is found from it, and noted where it is not plain.

A column has the type that all its entries have. No message of a library reaches a user, for it
might quote an entry.
"""

import codecs
import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec import structs
from numpy.typing import NDArray

from unveil.data.codebook import Data
from unveil.data.columns import is_number
from unveil.data.reading import Reading
from unveil.errors import InputError
from unveil.results.words import join_names

Bytes = NDArray[np.uint8]

FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
BOMB, TIMES = 1 << 30, 100  # bytes that a packed file may become, or times its own
PIECE = 1 << 18  # bytes that stay near the processor; the names are among the first
SAMPLE = 1000  # records that mostly tell which types a column has not

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
NAMED = {"tab": "\t", "space": " "}
QUOTED = re.compile(r'(?:^|(?<=[,;\t|]))"(?:[^"]|"")*"', re.MULTILINE)
BLANK, ZERO, QUOTE, LINE = b' 0"\n'
EDGE = np.full(2, LINE, np.uint8)
CODE = r"^0\d"
EXACT = 2**53  # decimals are not all exact from here on
TOO_LONG = r"^[+-]?\d{19,}$"
FOUR_DIGITS = -354_285  # the day, counted from 1970, on which years begin to have them
BOM = b"\xef\xbb\xbf"
COMMAS = "decimal commas"
SAY_COMMAS = "If they are decimal commas: -c :decimal=,"
SAY_DATES = "Say -c ':dates=day first', or month first."
NO_THOUSANDS = r"^[+-]?(?:0?,|\d{4,},|\d+,(?:\d{1,2}|\d{4,})$|[\d.]+\.\d{3},\d)"
"""A comma that parts decimals."""
USUAL = ["NA", "N/A", "n/a", "#N/A", "NULL", "NaN", "nan", "None", "."]
"""What programs write in the place of a missing number."""
NAMELESS = "\x01"  # with which the names of columns without one begin here
TRUTHS = pl.Enum(["false", "False", "FALSE", "true", "True", "TRUE"])
CLOCKS = ("", "T%H:%M", "T%H:%M:%S%.f", " %H:%M", " %H:%M:%S%.f")
FORMS = {f"%Y-%m-%d{clock}": "" for clock in CLOCKS} | {
    "%d.%m.%Y": "day.month.year",
    "%d/%m/%Y": "day/month/year",
    "%m/%d/%Y": "month/day/year",
}


def read_text(path: Path, reading: Reading, missing: Sequence[str]) -> Data:
    """A file of columns, each in the type that all its entries have."""
    with naming(path):
        raw = _open(path)
        is_utf16 = raw[:2].tobytes() in (b"\xff\xfe", b"\xfe\xff")
        likely = ["utf-16"] if is_utf16 else ["utf-8", "windows-1252", "latin-1"]
        for encoding in [reading.encoding] if reading.encoding else likely:
            with suppress(LookupError, UnicodeError, *FAULTS):
                return _read_as(encoding, path, raw, reading, missing)
        raise InputError(
            f"cannot be read as a table in {encoding}. Is it damaged, or a quotation mark astray?"
        )


def _read_as(
    encoding: str, path: Path, raw: Bytes, reading: Reading, missing: Sequence[str]
) -> Data:
    if encoding != "utf-8":
        raw = np.frombuffer(raw.tobytes().decode(encoding).encode(), np.uint8)
    if not raw.all():
        raise InputError("has NUL bytes, which no text has. Export it again as UTF-8.")
    raw = raw[3 * (raw[:3].tobytes() == BOM) :]
    mark, names, above = _find_names(raw, reading.delimiter)
    check_names(names)
    if above:
        raw = np.frombuffer(raw.tobytes().split(b"\n", above)[-1], np.uint8)
    read = partial(
        pl.read_csv, path if isinstance(raw, np.memmap) else raw.tobytes(), separator=mark,
        null_values=missing or None, infer_schema=False, glob=False,
    )  # fmt: skip
    columns, notes = _read_columns(read, raw, mark, names, above, reading)
    if COMMAS in notes and any(map(_has_points, columns, notes)):
        said = structs.replace(reading, decimal=",")
        other, _ = _read_columns(read, raw, mark, names, above, said)
        columns, notes = _with_thousands(columns, notes, other)
    frame, unnamed = without_nameless(pl.DataFrame(columns))
    how = [DELIMITERS.get(mark, f"delimiter {mark}")] * (mark != ",")
    how += [COMMAS] * (COMMAS in notes) + [f"encoding {encoding}"] * (encoding != "utf-8")
    sentences = [f"Read with {join_names(how)}."] if how else []
    sentences += [f"The names are in line {above + 1}; the lines above were left out."] * (
        above > 0
    )
    sentences += [*unnamed, *(note for note in notes if note not in ("", COMMAS))]
    is_empty = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    if n_empty := int(is_empty.sum()) if frame.width > 1 else 0:
        sentences.append(f"{n_empty:,} line(s) without any entry were left out.")
        frame = frame.filter(~is_empty)
    return Data(frame, {}, tuple(sentences))


Typed = tuple[Sequence[pl.Series], Sequence[str]]
"""Columns, and what is to be said of each."""


def _has_points(column: pl.Series, note: str) -> bool:
    """Whether its decimals were read with points."""
    return column.dtype.is_float() and not note


def _with_thousands(columns: Sequence[pl.Series], notes: Sequence[str], other: Any) -> Typed:
    """In a file of decimal commas, 1.200 is over a thousand where all its dots part thousands."""
    chosen, said = list(columns), list(notes)
    for place, (column, parted) in enumerate(zip(columns, other, strict=True)):
        if _has_points(column, notes[place]) and parted.dtype.is_numeric():
            chosen[place] = parted
            said[place] = f"{column.name} was read with dots that part thousands."
    return chosen, said


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """A fault in here says in which file it is, and not what a library says of it."""
    try:
        yield
    except InputError as fault:
        raise InputError(f"{str(path)!r} {fault}") from None
    except (PermissionError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic of Rust is no Exception
        raise InputError(
            f"{str(path)!r} cannot be read as a table. Is it damaged, or locked?"
        ) from None


def check_names(names: Sequence[str]) -> None:
    """Refuse a line that is no list of names."""
    for place, name in enumerate(names, 1):
        is_plain = name.isprintable() or name.startswith(NAMELESS)
        if not is_plain or is_number(name.replace(",", ".")):
            fault = "a number" if is_plain else "nothing readable"
            raise InputError(f"has {fault} for the name of column {place:,}. Give each one a name.")
        if name in names[: place - 1]:
            both = f"columns {names.index(name) + 1:,} and {place:,}"
            raise InputError(f"has the same name for {both}. Give each a name of its own.")


def tidy_names(names: Sequence[str]) -> list[str]:
    """On one line; those of columns without a name as `without_nameless` knows them."""
    return [" ".join(name.split()) or f"{NAMELESS}{n}" for n, name in enumerate(names)]


def without_nameless(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Columns without a name go, if they have no entries or number the records; and a note."""
    notes = []
    for place, column in enumerate(frame, 1):
        if not column.name.startswith(NAMELESS) or column.null_count() == len(column):
            continue
        is_whole = column.dtype.is_integer() and not column.null_count()
        if not is_whole or column[0] not in (0, 1) or not (column.diff()[1:] == 1).all():
            raise InputError(
                f"has nothing readable for the name of column {place:,}. Give each one a name."
            )
        notes.append(f"Column {place:,} has no name and numbers the records; it was left out.")
    return frame.select(n for n in frame.columns if not n.startswith(NAMELESS)), notes


def _open(path: Path) -> Bytes:
    """The file, unpacked; mapped if it can be read as it stands."""
    if not (size := path.stat().st_size):
        raise InputError("is empty. Check that its export was finished.")
    if path.suffix.lower() != ".gz":
        return np.memmap(path, np.uint8, "r")
    limit = max(BOMB, TIMES * size)
    with gzip.open(path) as file:
        raw = file.read(limit + 1)
    if len(raw) > limit:
        raise InputError(f"is over {TIMES} times as large when unpacked. Unpack it yourself.")
    return np.frombuffer(raw, np.uint8)


def _find_names(raw: Bytes, delimiter: str) -> tuple[str, list[str], int]:
    """The delimiter that parts most lines alike, the names, and how many lines are above them."""
    head = codecs.getincrementaldecoder("utf-8")().decode(raw[:PIECE].tobytes())
    said = re.match(r"sep=(.)\r?\n", head)
    delimiter = delimiter or (said[1] if said else "")
    lines = QUOTED.sub(lambda quoted: "x" + "\v" * quoted[0].count("\n"), head).split("\n")
    sample = [line for line in lines if line.strip(" \r") and not line.startswith("sep=")]
    if not sample:
        raise InputError("is empty. Check that its export was finished.")
    ranks = []
    for mark in [NAMED.get(delimiter, delimiter)] if delimiter else DELIMITERS:
        counts = Counter(line.count(mark) for line in sample)
        n, usual = max((n, usual) for usual, n in counts.items())
        is_clear = usual > 0 and mark != ","  # commas stand in texts too
        ranks.append((n * (usual > 0), is_clear, usual, mark))
    *_, usual, mark = max(ranks, key=lambda rank: rank[:3])
    # A line with one field less than usual is no title, but names of which one is lacking.
    least = usual - (usual > 1)
    wide = [line for line in sample if line.count(mark) >= least]
    filled = (line for line in wide if 2 * sum(map(bool, map(str.strip, line.split(mark)))) > usual)
    place = lines.index(next(filled, wide[0]))
    above = place + "".join(lines[:place]).count("\v")
    names = next(csv.reader(io.StringIO(head.split("\n", above)[-1]), delimiter=mark))
    return mark, tidy_names(names), above


def _read_columns(
    read: Callable[..., pl.DataFrame],
    raw: Bytes,
    mark: str,
    names: list[str],
    above: int,
    reading: Reading,
) -> Typed:
    """Columns in their types; numbers are read as such where that loses nothing: it is cheaper."""
    try:
        head = [type_column(column, reading) for column in read(n_rows=SAMPLE)]
        commas = {note for x, note in head if x.dtype.is_float()} == {COMMAS}
        types = [
            x.dtype if x.dtype.is_numeric() and (commas or not note) else pl.String
            for x, note in head
        ]
        try:
            frame = read(schema_overrides=types, decimal_comma=commas)
        except FAULTS:
            frame = read()
        has_gaps = frame[:, -1].null_count() > 0
        n_marks, n_lines, n_odd = _count(raw, ord(mark), has_gaps)
        for column in frame:
            if column.dtype != pl.String:
                n_odd += not column.is_between(-EXACT, EXACT).all()
            elif n_odd:
                zeros = column.filter(column.str.starts_with("0"))
                n_odd -= int(zeros.str.contains(CODE).sum())
        is_lost = n_odd or (commas and not _are_points_of_texts(raw, names, frame))
        frame = read() if is_lost else frame
        frame.columns = names
    except FAULTS:
        _find_records(raw, mark, len(names), above)
        raise
    # Polars fills short lines, and loses lines to a quotation mark astray, in silence.
    is_short = has_gaps and n_marks != (len(names) - 1) * (len(frame) + 1)
    if is_short or n_lines != len(frame) + 1:
        records = _find_records(raw, mark, len(names), above)
        if len(records) != len(frame) or (is_short and all(records)):
            raise pl.exceptions.ShapeError
        frame = frame.filter(records)
    if frame.is_empty():
        raise InputError("has names but no records. Check that its export was finished.")
    typed = [
        (column, COMMAS) if column.dtype.is_float() and commas else type_column(column, reading)
        for column in frame
    ]
    columns, notes = zip(*typed, strict=True)
    return columns, notes


def _are_points_of_texts(raw: Bytes, names: Sequence[str], frame: pl.DataFrame) -> bool:
    """Whether no number has one, which polars reads like a comma."""
    n = sum(raw[start : start + PIECE].tobytes().count(b".") for start in range(0, len(raw), PIECE))
    texts = (
        column.str.count_matches(".", literal=True) for column in frame.select(pl.col(pl.String))
    )
    return (
        n == sum(int(counts.sum()) for counts in texts) + "".join(names).count(".") if n else True
    )


def _count(raw: Bytes, mark: int, is_exact: bool) -> tuple[int, int, int]:
    """Delimiters, if exact those outside quotes; lines; fields that begin with a blank or as 01."""
    n_marks, n_lines, n_odd, is_open = 0, int(raw[-1] != LINE), 0, np.False_
    for start in range(0, len(raw), PIECE):
        part = np.append(raw[start : start + PIECE + 2], EDGE)[: PIECE + 2]
        first, second, third = part[:-2], part[1:-1], part[2:]
        is_mark, is_line, is_quote = first == mark, first == LINE, first == QUOTE
        is_odd = (second == BLANK) | (second == ZERO) & (third - ZERO < 10)
        n_odd += int(np.count_nonzero(is_odd & (is_mark | is_line | is_quote)))
        n_lines += int(np.count_nonzero(is_line))
        if is_exact and (is_open or is_quote.any()):
            is_quoted = np.not_equal.accumulate(is_quote) ^ is_open
            is_mark &= ~is_quoted
            is_open = is_quoted[-1]
        n_marks += int(np.count_nonzero(is_mark))
    return n_marks, n_lines, n_odd


def _find_records(raw: Bytes, mark: str, width: int, above: int) -> list[bool]:
    """Which lines below the names are not blank; one that is longer or shorter is refused."""
    text = io.StringIO(raw.tobytes().decode(), newline="\n")
    reader, line, records = csv.reader(text, delimiter=mark, strict=True), above + 1, []
    with suppress(csv.Error):
        for fields in reader:
            if fields and len(fields) != width:
                raise InputError(
                    f"is damaged: line {line:,} has {len(fields):,} field(s), the header {width:,}."
                    " Look there for a delimiter too many or too few, or text that needs quotes."
                )
            records.append(bool(fields))
            line = above + reader.line_num + 1
        return records[1:]
    raise InputError(f"has a quotation mark astray in line {line:,} or below. Close or double it.")


def type_column(texts: pl.Series, reading: Reading = Reading()) -> tuple[pl.Series, str]:  # noqa: B008
    """The column in the first type that all its entries have, and what is to be said of it."""
    if texts.dtype != pl.String:
        return texts, ""
    if (is_empty := texts == "").any():
        texts = texts.set(is_empty, None)
    if texts.null_count() == len(texts):
        return texts, ""
    decimal = reading.decimal
    for mark in decimal or ".,":
        if (numbers := _fit(texts, _as_numbers, mark, mark == decimal)) is not None:
            if mark in (".", decimal) or texts.str.contains(NO_THOUSANDS).any():
                return numbers, COMMAS if mark == "," else ""
            return texts, f"{texts.name} stayed text: its commas may part thousands. {SAY_COMMAS}"
    if (truths := _fit(texts, _as_truths)) is not None:
        return truths, ""
    sample = texts[:SAMPLE]
    if marks := sample.filter(sample.is_in(USUAL)).unique().sort().to_list():
        known = texts.filter(~texts.is_in(marks).fill_null(True))
        if len(known) and _fit(known, _as_numbers, ".", False) is not None:
            name, say = texts.name, " ".join(f"--missing {mark}" for mark in marks)
            why = f"{join_names(marks)} among numbers. If they are missing: {say}"
            return texts, f"{name} stayed text: {why}"
    if not next((text for text in texts[:SAMPLE] if text), "0").strip()[:1].isdigit():
        return texts, ""  # no date, which costs more to try
    other = {"day first": "%m/%d/%Y", "month first": "%d/%m/%Y"}.get(reading.dates)
    dates = {form: _fit(texts, _as_times, form) for form in FORMS if form != other}
    likely = {FORMS[form]: times for form, times in dates.items() if times is not None}
    for words, times in likely.items():
        if not all(times.equals(other) for other in likely.values()):
            may = " or ".join(likely)
            return texts, f"{texts.name} stayed text: its dates may be {may}. {SAY_DATES}"
        return times, f"{texts.name} holds dates as {words}." if words else ""
    return texts, ""


def _fit(texts: pl.Series, read: Callable[..., pl.Series], *how: Any) -> pl.Series | None:
    """All entries as they are read, or None if one cannot be, which the first mostly tell."""
    values = texts
    for part in (texts[:SAMPLE], texts):
        values = read(part, *how)
        if values.null_count() > part.null_count():
            return None
    return values


def _as_numbers(texts: pl.Series, mark: str, is_said: bool) -> pl.Series:
    """Numbers; none are codes such as 007, words such as inf, and what has too many digits.

    The other mark parts thousands where an entry has both, or where it is said which is decimal.
    """
    texts, other = texts.str.strip_chars(), "." if mark == "," else ","
    if (is_said and mark == ",") or texts.str.contains(rf"\{other}\d{{3}}\{mark}\d").any():
        parted = texts.str.contains(rf"^[+-]?\d{{1,3}}(\{other}\d{{3}})+(\{mark}\d+)?$")
        whole = texts.str.replace_all(other, "", literal=True)
        texts = whole.zip_with(parted.fill_null(False), texts)
    if mark == ",":
        texts = texts.str.replace_many([",", "."], [".", ","])
    numbers = texts.cast(pl.Int64, strict=False)
    if numbers.null_count() > texts.null_count():
        numbers = texts.cast(pl.Float64, strict=False)
    is_lost = ~numbers.is_finite() | texts.str.contains(TOO_LONG) | texts.str.contains(CODE)
    return texts.clear(len(texts)) if is_lost.any() else numbers


def _as_truths(texts: pl.Series) -> pl.Series:
    return texts.cast(TRUTHS, strict=False).to_physical() > 2


def _as_times(texts: pl.Series, form: str) -> pl.Series:
    dtype = pl.Datetime("us") if "%H" in form else pl.Date
    times = texts.str.strptime(dtype, form, strict=False)
    is_short = (times.dt.epoch("d") < FOUR_DIGITS).any()
    return times.clear(len(times)) if is_short else times

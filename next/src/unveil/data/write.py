"""Files to take home: CSV, Parquet, SPSS and Stata, with labels and codes as another file has them.

Codes stay codes. What a program cannot hold of a codebook is left out; what it cannot hold of the
data is refused.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from string import ascii_lowercase
from typing import Annotated, Any, NamedTuple

import msgspec
import polars as pl

from unveil.arguments import File, Form, checked, last_text
from unveil.data.codebook import CODEBOOK, Codebook, Data, Variable, codebook_table
from unveil.data.columns import is_number, kind_of, plain, stack, write_level
from unveil.data.files import guard, replacing
from unveil.data.labelled import moment_of
from unveil.data.read import read
from unveil.errors import InputError, list_names

FAKE, PREFIX, SYNTHETIC = "FAKE", "FAKE_", "These data are synthetic"


@checked
def write(
    data: Data | File,
    path: Annotated[Any, Form("a path", "FILE", last_text)],
    *,
    like: File | None = None,
    fake: bool = True,
) -> Path:
    """Write synthetic data as a file, with the labels and codes of the original.

    Beside a CSV, labels stand in a table of their own: release.csv and release_codebook.csv.

    Parameters
    ----------
    data
        What is written: a file, or a data frame.
    path
        Where: a name that ends with .csv, .parquet, .sav (SPSS) or .dta (Stata).
    like
        A file whose labels, codes, missing codes and formats are taken, such as the original. Stata
        holds labels of whole numbers only, and of codes for missing answers only its letters.
    fake
        The name starts with FAKE_, and the last column, FAKE, marks each record as synthetic.
    """
    if not isinstance(path, str | Path):
        raise InputError(f"'path' takes a path, not {type(path).__name__!r}.")
    path = Path(path)
    if fake and not path.name.startswith(PREFIX):
        path = path.with_name(PREFIX + path.name)
    where, ending = repr(str(path)), path.suffix.lower()
    if ending not in WRITERS or not path.parent.is_dir():
        raise InputError(f"{where} ends with none of {' '.join(WRITERS)}, or is in no folder.")
    sources = [Path(file) for file in (data, like) if isinstance(file, str | Path)]
    if path.resolve() in [source.resolve() for source in sources]:
        raise InputError(f"{where} is read here, and would be replaced. Choose another name.")
    source = read(data)
    frame, codebook = pl.DataFrame([plain(column) for column in source.frame]), source.codebook
    if like is not None:
        pattern = read(like)
        frame, codebook = _like(pattern, frame), {**codebook, **pattern.codebook}
    if fake:
        if set(frame[FAKE] if FAKE in frame.columns else ()) - {1, "1"}:
            raise InputError(f"The data have a column {FAKE!r} that is not 1. Rename it.")
        frame = frame.drop(FAKE, strict=False).with_columns(pl.lit(1, pl.Int64).alias(FAKE))
        codebook = {**codebook, FAKE: Variable(SYNTHETIC, {"1": SYNTHETIC})}
    known = {n: codebook[n] for n in frame.columns if codebook.get(n, Variable()) != Variable()}
    known.pop(FAKE, None)
    beside = path.with_name(f"{path.stem}_{CODEBOOK}.csv")
    if ending == ".csv" and beside.exists() and not known:
        raise InputError(
            f"{str(beside)!r} is there, and would be read with {where}. Move it, or choose another"
            " name."
        )
    writer, holds = WRITERS[ending]
    with replacing(path) as new:
        if not _is_written(writer, frame, codebook, new):
            odd = [n for n in frame.columns if not _is_written(writer, frame[[n]], codebook, new)]
            if not _is_written(writer, pl.DataFrame({"a": [1]}), {}, new):
                raise InputError(f"{where} cannot be written. Is the disk full?")
            raise InputError(
                f"{where} cannot hold {list_names(odd)}. It takes {holds}. Change these columns, or"
                " write another kind of file."
            )
    if ending == ".csv" and known:
        with replacing(beside) as new:
            _write_csv(codebook_table(known), {}, new)
    return path


Writer = Callable[[pl.DataFrame, Codebook, Path], None]


def _is_written(writer: Writer, frame: pl.DataFrame, codebook: Codebook, path: Path) -> bool:
    try:
        writer(frame, codebook, path)
    except (InputError, OSError):
        raise
    except Exception:  # of any writer; their texts may hold values
        return False
    return True


def _like(pattern: Data, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns in the codes and types that a file has for them, as far as that loses nothing."""
    recoded = []
    for name in [name for name in frame.columns if name in pattern.frame.columns]:
        labels = pattern.codebook.get(name, Variable()).labels
        recoded.append(_recoded(frame[name], plain(pattern.frame[name]), labels))
    return frame.with_columns(recoded)


def _recoded(column: pl.Series, known: pl.Series, labels: Mapping[str, str]) -> pl.Series:
    """As a study compares them: labels are codes where the other file has codes."""
    name, dtype = column.name, known.dtype
    if kind_of(known) == "nothing":
        return column
    if dtype == pl.String != column.dtype:
        column = column.map_elements(write_level, return_dtype=pl.String)
    both = stack(name, {"'like'": known, "the data": column}, None, (), labels)
    values = both[len(known) :]
    if values.dtype == pl.String != dtype:
        raise InputError(
            f"Column {name!r} has entries that are no codes or labels of the file in 'like'."
            " Correct them, or write without 'like'."
        )
    typed = values.cast(dtype, strict=False)
    return typed if typed.cast(values.dtype).equals(values) else values


def _write_csv(frame: pl.DataFrame, _: Codebook, path: Path) -> None:
    guarded = [
        column.replace({text: guard(text) for text in column.unique().drop_nulls()})
        for column in frame.select(pl.col(pl.String))
    ]
    frame.with_columns(guarded).rename(guard).write_csv(path)


def _write_parquet(frame: pl.DataFrame, codebook: Codebook, path: Path) -> None:
    known = {name: codebook[name] for name in frame.columns if name in codebook}
    frame.write_parquet(path, metadata={CODEBOOK: msgspec.json.encode(known).decode()})


FORMATS = {
    "SPSS": r"(F|COMMA|DOT|DOLLAR|PCT|E|N|WKDAY|MONTH|\w*(DATE|TIME|YR)|YMDHMS)\d+(\.\d+)?",
    "Stata": r"%(?!.*\ds$).+",
}
KINDS: dict[Any, str] = {pl.Date: "date", pl.Datetime: "moment", pl.Time: "time"}
"""What formats call the values of a type; numbers have an empty name."""

LETTER = r"\.[a-z]"  # of Stata's missing answers
LONGEST = 32_767  # bytes of a text in SPSS
EXACT = 2**53  # whole numbers up to which a decimal has every digit
LONG = 2**31 - 27  # Stata has labels of whole numbers below


class Stored(NamedTuple):
    """A column as a program has it."""

    values: pl.Series
    labels: Mapping[Any, str] = {}
    missing: Sequence[Any] = ()
    format: str = ""


def _for_spss(column: pl.Series, variable: Variable) -> Stored:
    values, form = _stored(column), variable.format
    if values.dtype.is_temporal():
        return Stored(values, format=_format(values, form, "SPSS"))
    is_text = values.dtype == pl.String
    missing = [
        {"lo": low, "hi": high} for low, high in variable.missing if isinstance(low, str) == is_text
    ]
    if not is_text:
        labels, usual = _numbered(variable.labels), "F8.0" if column.dtype.is_integer() else ""
        return Stored(values, _cut(labels, 120), missing, _format(values, form, "SPSS") or usual)
    if (width := re.fullmatch(r"A(\d{1,5})", form)) and len(values):
        blanks = " " * (int(width[1]) - len(values[0].encode()))  # which are no part of a text
        values = values.scatter(0, values[0] + blanks)
    if (values.str.len_bytes() > LONGEST).any():
        raise ValueError
    return Stored(values, _cut(variable.labels, 120), missing)


def _for_stata(column: pl.Series, variable: Variable) -> Stored:
    values = _stored(column)
    has_letters = any(re.fullmatch(LETTER, str(low)) for low, _ in variable.missing)
    if has_letters and not values.dtype.is_temporal():
        values = _tagged(values)
    form = _format(values, variable.format, "Stata")
    if values.dtype == pl.String or values.dtype.is_temporal():
        return Stored(values, format=form)
    labels = {
        code: label
        for code, label in _numbered(variable.labels).items()
        if code.is_integer() and abs(code) < LONG
    }
    if values.dtype != pl.Object:
        return Stored(values, labels, format=form)
    letters = {c[1:]: text for c, text in variable.labels.items() if re.fullmatch(LETTER, c)}
    return Stored(values, labels | letters, ascii_lowercase, form)


def _stored(column: pl.Series) -> pl.Series:
    """Text, decimals, dates or times: all that the programs have."""
    dtype = column.dtype
    if dtype == pl.String:
        return column.fill_null("")
    if dtype == pl.Datetime:
        return column.dt.replace_time_zone(None)
    if dtype.is_integer() and (column.cast(pl.Float64).abs() >= EXACT).any():
        raise ValueError
    if dtype in (pl.Float32, pl.Decimal):  # 0.1 as people wrote it, not the nearest single
        column = column.cast(pl.String)
    return column if dtype.is_temporal() else column.cast(pl.Float64)


def _format(values: pl.Series, form: str, program: str) -> str:
    """The format, if it is one of the program, and of such values."""
    kind = KINDS.get(values.dtype.base_type(), "")
    return form if re.fullmatch(FORMATS[program], form) and moment_of(form, program) == kind else ""


def _tagged(values: pl.Series) -> pl.Series:
    """Numbers and letters as pyreadstat takes them; unchanged where there is other text."""
    numbers, texts = values.cast(pl.Float64, strict=False), values.cast(pl.String)
    is_letter = texts.str.contains(f"^{LETTER}$")
    if not (numbers.is_not_null() | is_letter | (texts == "")).all():
        return values
    entries = zip(texts, is_letter, numbers, strict=True)
    tagged = [text[1:] if tag else number for text, tag, number in entries]
    return pl.Series(values.name, tagged, pl.Object)


def _numbered(labels: Mapping[str, str]) -> dict[float, str]:
    return {float(code): label for code, label in labels.items() if is_number(code)}


def _cut(labels: Mapping[Any, str], n_bytes: int) -> dict[Any, str]:
    """Labels that are no longer than a program takes them."""
    return {of: text.encode()[:n_bytes].decode(errors="ignore") for of, text in labels.items()}


def _write_labelled(program: str, frame: pl.DataFrame, codebook: Codebook, path: Path) -> None:
    import pyreadstat

    is_spss = program == "SPSS"
    if is_spss and len({name.casefold() for name in frame.columns}) < frame.width:
        raise InputError("Two names differ in capitals only, which SPSS ignores. Rename a column.")
    variables = {name: codebook.get(name, Variable()) for name in frame.columns}
    store = _for_spss if is_spss else _for_stata
    columns = {name: store(frame[name], variable) for name, variable in variables.items()}
    labels = {name: variable.label for name, variable in variables.items()}
    missing = {name: list(column.missing) for name, column in columns.items() if column.missing}
    settings: dict[str, Any] = {
        "file_label": SYNTHETIC if FAKE in columns else "",
        "column_labels": _cut(labels, 256 if is_spss else 80),
        "variable_value_labels": {name: column.labels for name, column in columns.items()},
        "variable_format": {
            name: column.format for name, column in columns.items() if column.format
        },
    }
    stored = pl.DataFrame([column.values for column in columns.values()])
    if is_spss:
        measures = {name: variable.measure or "unknown" for name, variable in variables.items()}
        settings |= {"missing_ranges": missing, "variable_measure": measures}
        pyreadstat.write_sav(stored, path, row_compress=True, **settings)
    else:
        pyreadstat.write_dta(stored, path, version=14, missing_user_values=missing, **settings)


NAMES = "names that begin with a letter and have letters, digits and _"
WRITERS: dict[str, tuple[Writer, str]] = {
    ".csv": (_write_csv, "text, numbers, dates, times and truth values"),
    ".parquet": (_write_parquet, "what a data frame can hold"),
    ".sav": (
        partial(_write_labelled, "SPSS"),
        f"{NAMES}, up to 64 bytes, texts up to {LONGEST:,} bytes, whole numbers up to 15 digits and"
        " three missing codes, or a range and one",
    ),
    ".dta": (
        partial(_write_labelled, "Stata"),
        f"{NAMES}, up to 32, and whole numbers up to 15 digits",
    ),
}
"""How each kind of file is written, and what it takes."""

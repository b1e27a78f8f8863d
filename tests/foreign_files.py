"""Small files of every kind that unveil reads, made on the spot."""

import gzip
from pathlib import Path

import polars as pl
import pyreadstat
import xlsxwriter

CANARY = "HIVpositive1847"

FRAME = pl.DataFrame(
    {
        "SEX": [1.0, 2.0, 9.0, None],
        "AGE": [31.0, 42.5, -9.0, 60.0],
        "ILL": [CANARY, "no", "no", ""],
    }
)


def write_sav(frame, path, **settings):
    pyreadstat.write_sav(frame, str(path), **settings)


def write_zsav(frame, path, **settings):
    pyreadstat.write_sav(frame, str(path), compress=True, **settings)


def write_dta(frame, path, **settings):
    pyreadstat.write_dta(frame, str(path), **settings)


def write_xpt(frame, path, **settings):
    pyreadstat.write_xport(frame, str(path), **settings)


def write_por(frame, path, **settings):
    pyreadstat.write_por(frame, str(path), **settings)


def write_xlsx(frame, path, sheet="Sheet1"):
    book = xlsxwriter.Workbook(str(path))
    page = book.add_worksheet(sheet)
    page.write_row(0, 0, frame.columns)
    for place, row in enumerate(frame.iter_rows(), 1):
        page.write_row(place, 0, row)
    book.close()


def write_gz(frame, path):
    Path(path).write_bytes(gzip.compress(frame.write_csv().encode(), mtime=0))


def write_parquet(frame, path):
    frame.write_parquet(path)


WRITERS = {
    ".sav": write_sav,
    ".zsav": write_zsav,
    ".por": write_por,
    ".dta": write_dta,
    ".xpt": write_xpt,
    ".xlsx": write_xlsx,
    ".parquet": write_parquet,
    ".csv.gz": write_gz,
}

NAMES = {
    ".sav": "an SPSS file",
    ".zsav": "an SPSS file",
    ".por": "a portable SPSS file",
    ".dta": "a Stata file",
    ".sas7bdat": "a SAS file",
    ".xpt": "a SAS transport file",
    ".xlsx": "an Excel workbook",
    ".parquet": "a Parquet file",
    ".csv.gz": "a gzip file",
}


def make(folder, ending, frame=FRAME, stem="f"):
    """A good file of the kind that goes by this ending."""
    path = Path(folder) / f"{stem}{ending}"
    WRITERS[ending](frame, path)
    return path


def mutant(content, dice):
    """The bytes with a few changed, a part gone, doubled or zeroed."""
    bytes_ = bytearray(content)
    for _ in range(dice.choice([1, 1, 2, 4, 16])):
        start = dice.randrange(len(bytes_))
        length = dice.choice([1, 2, 4, 8, 64])
        match dice.randrange(5):
            case 0:
                bytes_[start] ^= 1 << dice.randrange(8)
            case 1:
                bytes_[start : start + length] = dice.randbytes(length)
            case 2:
                bytes_[start : start + length] = bytes(length)
            case 3:
                bytes_[start : start + 4] = dice.choice([b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f"])
            case _:
                del bytes_[start : start + length]
        bytes_ = bytes_ or bytearray(content)
    return bytes(bytes_)

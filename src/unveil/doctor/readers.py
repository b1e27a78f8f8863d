"""Which files can really be read here? A tiny one of each kind is made and read back."""

import gzip
import zipfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from unveil.errors import UnveilError
from unveil.read.files import read_table
from unveil.records.examination import ReaderTried
from unveil.write.copies import write_file

_NUMBERS, _TEXTS = [1, 2], ["x", "y"]
_LINES = b"a,b\n1,x\n2,y\n"


def readers() -> tuple[ReaderTried, ...]:
    """Every ending that unveil reads, and whether reading works."""
    try:
        with TemporaryDirectory() as folder:
            tried = [_tried(ending, make, Path(folder)) for ending, make in _MAKERS.items()]
    except OSError:
        why = "there is no folder for temporary files to try it in"
        tried = [ReaderTried(ending=one, status="not tried", why=why) for one in _MAKERS]
    return (*tried, *_not_made())


def _not_made() -> tuple[ReaderTried, ...]:
    """Endings that nothing here can write; what reads them is there, or is not."""
    return (
        _there("sas7bdat", ["pyreadstat"], "unveil"),
        _there("rds", ["pyreadr", "pandas"], '"unveil[rds]"'),
    )


def _there(ending: str, packages: Sequence[str], install: str) -> ReaderTried:
    lacking = [package for package in packages if find_spec(package) is None]
    if lacking:
        why = f"needs {lacking[0]}: pip install {install}"
        return ReaderTried(ending=ending, status="not installed", why=why)
    why = "no writer makes a file to try it with"
    return ReaderTried(ending=ending, status="not tried", why=why)


def _tried(ending: str, make: Callable[[Path], None], folder: Path) -> ReaderTried:
    path = folder / f"try.{ending}"
    try:
        make(path)
        frame = read_table(path, side="data").frame
        # Some programs keep names in capitals and all numbers as floats.
        numbers, texts = (frame.to_series(place).to_list() for place in (0, 1))
    except ImportError:
        return ReaderTried(ending=ending, status="not installed", why="its package is missing")
    except UnveilError as fault:
        return ReaderTried(ending=ending, status="fails", why=type(fault).__name__)
    except (Exception, pl.exceptions.PanicException) as fault:
        return ReaderTried(ending=ending, status="fails", why=type(fault).__name__)
    if numbers != _NUMBERS or texts != _TEXTS:
        return ReaderTried(ending=ending, status="fails", why="what was read is not what was made")
    return ReaderTried(ending=ending, status="works")


def _frame() -> pl.DataFrame:
    return pl.DataFrame({"a": _NUMBERS, "b": _TEXTS})


def _text(path: Path) -> None:
    path.write_bytes(_LINES)


def _tabs(path: Path) -> None:
    path.write_bytes(_LINES.replace(b",", b"\t"))


def _gzipped(path: Path) -> None:
    path.write_bytes(gzip.compress(_LINES))


def _ours(path: Path) -> None:
    write_file(_frame(), path, fake=False)


def _portable(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_por(_frame(), path)


def _transport(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_xport(_frame(), path)


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_TEXT_CELL = '<c t="inlineStr"><is><t>{}</t></is></c>'
_ROWS = "".join(
    f"<row>{cells}</row>"
    for cells in (
        _TEXT_CELL.format("a") + _TEXT_CELL.format("b"),
        *(
            f"<c><v>{n}</v></c>{_TEXT_CELL.format(t)}"
            for n, t in zip(_NUMBERS, _TEXTS, strict=True)
        ),
    )
)
_WORKBOOK = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/sheet1.xml" ContentType="{_SHEET_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
    f' Type="{_RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets>'
    '<sheet name="try" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_RELATED}/worksheet" Target="sheet1.xml"/></Relationships>',
    "xl/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{_ROWS}</sheetData></worksheet>',
}
"""The smallest workbook there is: Excel's names of types, never followed."""


def _workbook(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in _WORKBOOK.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')


_MAKERS: dict[str, Callable[[Path], None]] = {
    "csv": _text,
    "tsv": _tabs,
    "txt": _text,
    "csv.gz": _gzipped,
    "parquet": _ours,
    "sav": _ours,
    "zsav": _ours,
    "por": _portable,
    "dta": _ours,
    "xpt": _transport,
    "xlsx": _workbook,
}

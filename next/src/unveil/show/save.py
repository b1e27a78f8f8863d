"""Results as a file of the kind that its ending says."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

import polars as pl

from unveil.errors import InputError, check_name
from unveil.results import Result, to_json


def save(results: Sequence[Result], path: Path, names: Sequence[str] = ()) -> Path:
    """Everything as .json or .html, a table as .csv, a chart as .svg, .png or .pdf."""
    replace_file(path, _content(results, path.suffix.lower(), names))
    return path


def _content(results: Sequence[Result], ending: str, names: Sequence[str]) -> bytes:
    match ending:
        case ".json":
            return to_json(results).encode()
        case ".html":
            from unveil.show.page import page

            return page(results).encode()
        case ".csv":
            by_name = {name: result for result in reversed(results) for name in result.tables}
            name = _chosen(names, by_name, results[0].tables, "table")
            return write_csv(by_name[name].frame(name)).encode()
        case ".svg" | ".png" | ".pdf":
            from unveil.show.chart import draw

            by_name = {name: result for result in reversed(results) for name in result.charts}
            name = _chosen(names, by_name, results[0].charts, "chart")
            return draw(by_name[name], name, ending[1:])
        case _:
            raise InputError(f"Nothing is written as {ending!r}: .json .csv .html .svg .png .pdf.")


def _chosen(names: Sequence[str], known: dict[str, Result], first: Sequence[str], what: str) -> str:
    """The first name that is known; where none is asked for, the first there is."""
    chosen = [name for name in names if name in known] or list(names[:1] or first[:1])
    check_name(chosen[0] if chosen else "", known, f"There is no {what}")
    return chosen[0]


def write_csv(frame: pl.DataFrame) -> str:
    """A table as CSV: names joined by commas, and no text that a spreadsheet would execute."""
    texts = [
        pl.col(name).list.join(",") if dtype == pl.List(pl.String) else pl.col(name)
        for name, dtype in frame.schema.items()
        if dtype in (pl.List(pl.String), pl.String)
    ]
    guarded = [column.map_elements(guard, return_dtype=pl.String) for column in texts]
    return frame.with_columns(guarded).write_csv()


def guard(text: str) -> str:
    """Text that a spreadsheet would take for a formula, with an apostrophe; numbers stay."""
    is_number = re.fullmatch(r"[+-]?\d+(\.\d+)?", text)
    return "'" + text if text[:1] in "=+-@\t\r" and text and not is_number else text


def replace_file(path: Path, content: bytes) -> None:
    """Written whole or not at all."""
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, path)
    except OSError as fault:
        raise InputError(
            f"{str(path)!r} cannot be written ({type(fault).__name__}). Is there a folder with room"
            " in it?"
        ) from None

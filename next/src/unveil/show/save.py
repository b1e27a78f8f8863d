"""Results as a file of the kind that its ending says."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from unveil.data.files import guard, replace_file
from unveil.errors import InputError, check_name
from unveil.results import Result, to_json

PICTURES = (".svg", ".png", ".pdf")
ENDINGS = (".json", ".csv", ".html", *PICTURES)


def save(results: Sequence[Result], path: Path, names: Sequence[str] = ()) -> Path:
    """Everything as .json or .html, a table as .csv, a chart as .svg, .png or .pdf."""
    check_writable(path)
    known = {name for result in results for name in (*result.tables, *result.charts, result.name)}
    for name in names:
        check_name(name, [*sorted(known), "words", "all"], "There is no table or chart")
    replace_file(path, _content(results, path.suffix.lower(), names))
    return path


def check_writable(path: Path) -> None:
    """Refuse endings and folders that cannot be."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"Nothing is written as {str(path)!r}: it ends with {' '.join(ENDINGS)}.")
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{str(path)!r} is a folder, or in none that is there. Name a file.")


def _content(results: Sequence[Result], ending: str, names: Sequence[str]) -> bytes:
    if ending == ".json":
        return to_json(results).encode()
    if ending == ".html":
        from unveil.show.page import page

        return page(results).encode()
    if ending in PICTURES:
        from unveil.show.chart import draw

        result, name = _chosen(results, "charts", names)
        return draw(result, name, ending[1:])
    result, name = _chosen(results, "tables", names)
    return write_csv(result.frame(name)).encode()


def _chosen(results: Sequence[Result], kind: str, names: Sequence[str]) -> tuple[Result, str]:
    """The first table or chart that is asked for, or that there is."""
    known = {name: result for result in reversed(results) for name in getattr(result, kind)}
    first = getattr(results[0], kind)[:1]
    name = next((name for name in (*names, *first) if name in known), "")
    check_name(name, known, "There is no chart or table")
    return known[name], name


def write_csv(frame: pl.DataFrame) -> str:
    """A table as CSV: names joined by commas, and no text that a spreadsheet would execute."""
    texts = [
        pl.col(name).list.join(",") if dtype == pl.List(pl.String) else pl.col(name)
        for name, dtype in frame.schema.items()
        if dtype in (pl.List(pl.String), pl.String)
    ]
    guarded = [column.map_elements(guard, return_dtype=pl.String) for column in texts]
    return frame.with_columns(guarded).write_csv()

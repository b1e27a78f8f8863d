"""Charts: Vega-Lite files in `show/charts`, filled from a table and drawn by vl-convert.

A file names the columns it draws as ``label``, ``before``, ...; a string ``$before`` in it becomes
the title of the column that a result puts there. Where ``usermeta`` says how many panels a sheet of
paper has room for, of a label or of a row each, a page draws them in several pictures.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from unveil.errors import check_name, printable
from unveil.results import Result


def vega_lite(result: Result, name: str = "") -> dict[str, Any]:
    """The specification of one chart with its data; by default of the first."""
    name = name or next(iter(result.charts), "")
    check_name(name, result.charts, f"{type(result).__name__} has no chart")
    chart = result.drawings[name]
    folder = files("unveil.show") / "charts"
    spec = json.loads((folder / f"{chart.spec}.json").read_text("utf-8"))
    if not chart.table:
        points = result.points(name).rename(
            {column: part for part, column in chart.columns.items()}
        )
        values = [{part: _datum(v) for part, v in row.items()} for row in points.to_dicts()]
        return {**spec, "title": {"text": chart.title}, "data": {"values": values}}
    table = result.table(chart.table)
    titles = {f"${part}": table.units[column].title for part, column in chart.columns.items()}
    label = chart.columns["label"]
    marked = {row[label] for row in result.table(chart.marks).rows} if chart.marks else set()
    rows = [
        row
        for row in (table.rows if "m" in chart.columns.values() else table.first_rows)
        if row["unit"] in ("", "records") or "unit" in chart.columns.values()
    ]
    has_versions = len({row["version"] for row in rows}) > 1
    values = []
    for row in rows:
        datum = {part: _datum(row[column]) for part, column in chart.columns.items()}
        groups = (printable(row["version"]) if has_versions else "", datum.get("group", ""))
        mark = "*" if row[label] in marked else ""
        values.append({**datum, "group": ", ".join(filter(None, groups)), "mark": mark})
    title = {"text": chart.title, "subtitle": f"* {chart.meaning_of_marks}" if marked else ""}
    return {**_fill(spec, titles), "title": title, "data": {"values": values}}


def _datum(value: Any) -> Any:
    """A number, or a text without what would end the renderer."""
    if isinstance(value, tuple):
        value = ", ".join(value)
    if isinstance(value, str):
        return printable(value)
    return "(missing)" if value is None else value


def _fill(part: Any, titles: dict[str, str]) -> Any:
    """The parts of a file with titles in the place of names; data are put there later."""
    if isinstance(part, dict):
        return {name: _fill(value, titles) for name, value in part.items()}
    if isinstance(part, list):
        return [_fill(value, titles) for value in part]
    if not isinstance(part, str):
        return part
    for name, title in titles.items():
        part = part.replace(name, title)
    return part


def draw(result: Result, name: str, form: str) -> bytes:
    """A chart as svg, png or pdf."""
    return _drawn(vega_lite(result, name), form)


def draw_parts(result: Result, name: str) -> Iterator[str]:
    """A chart as pictures in svg, none of them with more panels than can be read on paper."""
    spec = vega_lite(result, name)
    values = spec["data"]["values"]
    room = spec.get("usermeta", {"panels": len(values) or 1, "of": "row"})
    panels = [datum["label"] if room["of"] == "label" else row for row, datum in enumerate(values)]
    names = list(dict.fromkeys(panels))
    for start in range(0, len(names), room["panels"]):
        shown = names[start : start + room["panels"]]
        part = [datum for panel, datum in zip(panels, values, strict=True) if panel in shown]
        yield _drawn({**spec, "data": {"values": part}}, "svg").decode()


def _drawn(spec: dict[str, Any], form: str) -> bytes:
    import vl_convert

    options = {"scale": 2} if form == "png" else {}
    picture = getattr(vl_convert, f"vegalite_to_{form}")(spec, **options)
    return picture.encode() if isinstance(picture, str) else bytes(picture)

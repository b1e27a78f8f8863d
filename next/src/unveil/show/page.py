"""Results as a self-contained page, and as the fragment that a notebook shows."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from unveil.results import Result
from unveil.results.words import whose
from unveil.show.bar import bars_of
from unveil.show.chart import draw_parts


class PeopleRows(NamedTuple):
    """The rows of a result that gives a verdict, as on the page to sign."""

    blocks: Sequence[Any]
    bar_of: Callable[[Any], Any]


@cache
def template(name: str) -> Template:
    """A template of this folder: every text is escaped, and a missing one is a fault."""
    loader = PackageLoader("unveil.show", ".")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, undefined=StrictUndefined
    )
    environment.filters["whose"] = whose
    return environment.get_template(name)


@cache
def style() -> Markup:
    """What every face looks like."""
    return Markup((files("unveil.show") / "style.css").read_text("utf-8"))


def page(results: Sequence[Result]) -> str:
    """The whole page, styles and charts within it."""
    charts = {
        result.name: [
            Markup(picture)
            for name, chart in result.drawings.items()
            if chart.table
            for picture in draw_parts(result, name)
        ]
        for result in results
    }
    return _render(results, charts, is_page=True)


def fragment(results: Sequence[Result]) -> str:
    """Sentences and tables alone; of a verdict the rows of people."""
    return _render(results, {}, is_page=False)


def _render(results: Sequence[Result], charts: dict[str, list[Markup]], is_page: bool) -> str:
    rows = {result.name: _rows_of(result) for result in results if result.verdict}
    return template("page.html").render(
        results=results, charts=charts, is_page=is_page, rows=rows, style=style()
    )


def _rows_of(result: Any) -> PeopleRows:
    from unveil.project.rows import FigureRow, in_scenario
    from unveil.project.view import blocks_of

    figures = result.figures
    if figures and not isinstance(figures[0], FigureRow):
        figures = in_scenario(figures, FigureRow, "")
    blocks = tuple(blocks_of(figures, result.settings["unit"]))
    return PeopleRows(blocks, bars_of(line for block in blocks for line in block.lines))

"""Results as a self-contained page, and as the fragment that a notebook shows."""

from collections.abc import Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from unveil.results import Result
from unveil.show.chart import draw_parts


@cache
def _template() -> Template:
    loader = PackageLoader("unveil.show", ".")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template("page.html")


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
    return _template().render(results=results, charts=charts, is_page=True)


def fragment(results: Sequence[Result]) -> str:
    """Sentences and tables alone."""
    return _template().render(results=results, charts={}, is_page=False)

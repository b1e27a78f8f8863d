"""Blocks as HTML: no script, no outside resource, every text escaped by the templates.

jinja2 is imported here alone, when the first record is drawn as HTML.
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.view.blocks import STATUS_OF_GLYPH, Block
from unveil.view.format import lines

if TYPE_CHECKING:
    from jinja2 import Environment

NOTEBOOK_STYLE = (
    "<style>.unveil{font-family:system-ui,sans-serif;max-width:60em}"
    ".unveil table{border-collapse:collapse;margin:.5em 0}"
    ".unveil th,.unveil td{padding:.2em .8em;text-align:right;border-bottom:1px solid #ccc}"
    ".unveil .text,.unveil .status{text-align:left}"
    ".unveil caption{text-align:left;font-weight:bold}.unveil td{white-space:nowrap}"
    ".unveil .stop{border:2px solid #b3261e;padding:.5em;font-weight:bold}"
    ".unveil .main{font-weight:bold}.unveil .dim{color:#666}"
    ".unveil .hidden{position:absolute;clip-path:inset(50%)}"
    ".unveil .alert{border-left:4px solid #888;padding:.1em .8em;margin:.5em 0}"
    ".unveil .alert p{margin:.2em 0}"
    ".unveil .a-block{border-color:#b3261e}.unveil .a-decide{border-color:#b26a00}</style>"
)


def render_notebook(blocks: Iterable[Block]) -> str:
    """The blocks as a fragment that brings its own style."""
    return f'{NOTEBOOK_STYLE}<div class="unveil">{render_html(blocks)}</div>'


def render_html(
    blocks: Iterable[Block], *, is_page: bool = False, terms: Callable[[str], Any] | None = None
) -> str:
    """The blocks one after the other; `terms` links words of a report's sentences."""
    from markupsafe import Markup

    template = environment(is_page).get_template("blocks.html")
    return Markup(template.render(blocks=list(blocks), link_terms=terms))


@cache
def environment(is_page: bool) -> "Environment":
    """The templates of this folder, with autoescape; on a page a number stays beside its %."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
    from markupsafe import Markup, escape

    whole = _unbroken if is_page else _harmless
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=whole,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    @pass_context
    def link(context: Any, text: str) -> Any:
        found = context.get("link_terms")
        return [(text, "")] if found is None else found(whole(text))

    made.filters["kind"] = lambda block: type(block).__name__
    made.filters["status"] = lambda cell: STATUS_OF_GLYPH.get(cell[:1], "none").replace(" ", "-")
    made.filters["picture"] = lambda chart: Markup(chart.svg())
    made.filters["terms"] = link
    made.filters["command"] = lambda text: Markup(escape(lines(text)))  # to copy, letter by letter
    return made


def _harmless(value: Any) -> Any:
    """Text with what steers a page made visible; what is HTML already has `__html__`."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return lines(value)
    return value


def _unbroken(value: Any) -> Any:
    is_text = isinstance(value, str) and not hasattr(value, "__html__")
    return lines(value).replace(" %", "\u00a0%") if is_text else value

"""A whole document: blocks, or the sections of a report, in a frame that needs nothing else."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from unveil.view.blocks import Block, Figure, Sentence
from unveil.view.render_html import environment

BAND = "CONFIDENTIAL: drawn from the original data. Not for release."


def render_page(
    title: str, blocks: Iterable[Block], *, heading: str = "", is_confidential: bool = True
) -> str:
    """Blocks as a page of their own; what is drawn from the original carries the band."""
    return render_document(
        "page.html",
        title=title,
        heading=heading or title,
        band=BAND if is_confidential else "",
        blocks=list(blocks),
        link_terms=None,
    )


def illustrate(
    blocks: Iterable[Block], charts: Mapping[str, Callable[[Sentence], Figure]]
) -> Iterator[Block]:
    """The same blocks, with a chart below each sentence whose key has one."""
    for block in blocks:
        if isinstance(block, Sentence) and block.key in charts:
            yield charts[block.key](block)
        else:
            yield block


def render_document(template: str, **values: Any) -> str:
    """A template of this folder, filled."""
    return environment(is_page=True).get_template(template).render(**values) + "\n"

"""The report of a run: one self-contained page to sign, then annexes for an auditor.

The same contents and the same `made` give the same bytes; the moment at which the page was made
stands in one place, its end.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from unveil.records.report import Parts, ReportContents
from unveil.view.alerts import alert_blocks
from unveil.view.blocks import Block, Heading, Items
from unveil.view.format import truncate
from unveil.view.glossary import ALWAYS, TermLinks, terms_in, texts_of, topics_of
from unveil.view.render_html import render_html
from unveil.view.render_page import BAND, render_document
from unveil.view.sections import (
    attribute,
    cap,
    checks,
    context,
    filter,
    gtcap,
    identity,
    leakage,
    methods,
    noise,
    replication,
    tables,
    uniques,
    utility,
)
from unveil.view.sections.shared import format_time
from unveil.view.summary import gap_sentences, page_title, summary_blocks

Draw = Callable[[ReportContents, Parts], Iterator[Block]]


class Annex(NamedTuple):
    """Sections of the report under one title."""

    title: str
    draw: tuple[Draw, ...]


def _alerts(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Every alert about the files with what it asks for; page 1 has the gravest."""
    del parts
    yield from alert_blocks(contents.judgement.alerts)
    if gaps := tuple(gap_sentences(contents.summary.not_tested)):
        yield Heading("What was not tested", 3)
        yield Items(gaps)


ANNEXES = (
    Annex("Attribute disclosure by variable", (attribute.blocks,)),
    Annex("Alerts, flags and rulings", (_alerts, checks.blocks)),
    Annex("Uniqueness", (identity.blocks, uniques.blocks)),
    Annex("CAP, TCAP, GTCAP, excess risk and attacks", (cap.blocks, gtcap.blocks, leakage.blocks)),
    Annex("Utility", (utility.blocks, replication.blocks)),
    Annex("Context, files, settings, limits and history", (context.blocks,)),
)
MORE = (
    Annex("Published tables", (tables.blocks,)),
    Annex("Protection: distance filter and noise", (filter.blocks, noise.blocks)),
)
"""After the methods, and only if the project has them."""
METHODS = "Methods and glossary"
NOTHING = "Not measured in this run."
PAPER = (
    "Not printed: detail that unfolds on the screen (single targets, further scenarios and copies,"
    " the figures of each chart as a table, formulas and sources). Open this report in a browser."
)


def custodian_page(contents: ReportContents, parts: Parts, *, made: str) -> str:
    """The whole page; `made` is the moment of making it, in UTC."""
    first = [
        replace(one, level=2) if isinstance(one, Heading) else one
        for one in summary_blocks(contents.summary)
    ]
    shown = [(one.title, _draw(one, contents, parts)) for one in ANNEXES]
    shown += [(one.title, drawn) for one in MORE if (drawn := _draw(one, contents, parts))]
    used = terms_in(texts_of(chain(first, *(blocks for _, blocks in shown))))
    used |= methods.ALL_TCAPS if used & methods.ALL_TCAPS else set()
    shown.insert(len(ANNEXES), (METHODS, list(methods.blocks(used))))
    annexes = [
        {"letter": chr(ord("A") + place), "title": title, "body": _html(blocks)}
        for place, (title, blocks) in enumerate(shown)
    ]
    return render_document(
        "report.html",
        title=f"{truncate(contents.title)}: run {contents.run.number:,}",
        band=BAND,
        contents=contents,
        heading=page_title(contents.summary),
        first=_html(first),
        annexes=annexes,
        methods=METHODS,
        glossary=topics_of(used | ALWAYS),
        nothing=NOTHING,
        paper=PAPER,
        made=made,
        made_text=format_time(made),
    )


def _draw(annex: Annex, contents: ReportContents, parts: Parts) -> list[Block]:
    return [block for draw in annex.draw for block in draw(contents, parts)]


def _html(blocks: list[Block]) -> str:
    """Blocks with their terms linked, each where it first occurs."""
    return render_html(blocks, is_page=True, terms=TermLinks())

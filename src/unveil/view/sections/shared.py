"""What do sections share? A picture under its sentence, and what to say where nothing is there."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from unveil.records.report import ReportContents
from unveil.records.run import Kind, RunPart
from unveil.view.charts.chart import Chart
from unveil.view.format import lines, truncate
from unveil.view.html_page import figure, figures
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase

BOX = 912
"""Pixels from side to side of a picture's box on a desk."""
LARGEST = 1.4
_SIZE = re.compile(r'width="([0-9.]+)" height="([0-9.]+)" viewBox=')
MOST_ACROSS = 6
"""Columns of figures that a sheet of paper has room for beside their names."""


NAMES: dict[Kind, str] = {
    "disclosure": "What could be found and learnt",
    "exclusion_table": "What would be left",
    "cap": "CAP",
    "tcap": "TCAP",
    "gtcap": "GTCAP",
    "suda": "Who is alone, and by which keys (SUDA)",
    "match_risk": "Match risk",
    "excess": "People who were used beside people who were not",
    "singling_out": "Singling out",
    "linkability": "Linkability",
    "inference": "Inference",
    "membership": "Membership",
}
"""Measures of a scenario as they are called in a sentence."""


def render_figure(
    sentence: Phrase,
    chart: Chart,
    *,
    caption: str,
    heads: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    is_narrow: bool = False,
) -> str:
    """A picture with the sentence it supports, its caption, and its figures as a table.

    A narrow table stands in two columns on paper.
    """
    shown = figure(sentence, _enlarged(chart.svg()), caption=caption, heads=heads, rows=rows)
    return shown.replace('"scroll figures"', '"scroll figures narrow"') if is_narrow else shown


def _enlarged(picture: str) -> str:
    """A picture as wide as its box, but for small ones: letters would outgrow those around."""

    def grown(found: re.Match[str]) -> str:
        wide, high = float(found[1]), float(found[2])
        by = max(1.0, min(LARGEST, BOX / wide))
        return f'width="{wide * by:.0f}" height="{high * by:.0f}" viewBox='

    return _SIZE.sub(grown, picture, count=1)


def screen_only(content: str) -> str:
    """What paper does without."""
    return f'<div class="screen">{content}</div>'


def paper_only(content: str) -> str:
    """What paper has in its place."""
    return f'<div class="paper">{content}</div>'


def render_transposed(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table of many heads and few rows on its side: it has to fit on a sheet of paper.

    Of many rows several tables, one below the other.
    """
    tables = []
    for start in range(0, len(rows), MOST_ACROSS):
        across = rows[start : start + MOST_ACROSS]
        first, *others = zip(heads, *across, strict=True)
        tables.append(figures("", first, others))
    return "".join(tables)


def number_sentences(subject: str, part: str, keyed: Iterable[tuple[str, str]]) -> Iterator[Phrase]:
    """Sentences of a subject, each told apart by which of its kind it is, from 0."""
    so_far: Counter[str] = Counter()
    for key, text in keyed:
        yield Phrase(f"{subject}/{key}", f"{part}|{so_far[key]}", text)
        so_far[key] += 1


def render_warnings(section: str, part: str, warnings: Sequence[str]) -> Iterator[str]:
    """What was noticed while it was measured."""
    for place, warning in enumerate(warnings):
        told = fill_sentence(f"{section}.warning", f"{part}|{place}", warning=lines(warning))
        yield told.html("look")


def render_heading(text: str) -> str:
    """What a part of a section is about."""
    return f"<h3>{escape(truncate(text))}</h3>"


def unmeasured_sentences(
    contents: ReportContents, section: str, kinds: Sequence[Kind]
) -> list[Phrase]:
    """Why parts that were asked for have no figures."""
    return [
        fill_sentence(
            f"{section}.not measured",
            part.name,
            what=_named(part),
            reason=lines(part.reason or "no reason was given."),
        )
        for part in contents.run.parts
        if part.kind in kinds and part.file is None
    ]


def _named(part: RunPart) -> str:
    """What was asked for as people call it, and of what."""
    if (called := NAMES.get(part.kind)) is None:
        shown = truncate(part.name)
        return shown[:1].upper() + shown[1:]
    of = f" of {truncate(part.target)}" if part.target is not None else ""
    return f"{called}{of}" + (f" ({truncate(part.scenario)})" if part.scenario is not None else "")


def contents_status(contents: ReportContents, parts: Sequence[str]) -> str:
    """A word for the table of contents: how figures of these parts stand against their limits."""
    statuses = [one.status for one in contents.judgement.figures if one.part in parts]
    for status, word in (("above", "above limit"), ("review", "to review")):
        if n := statuses.count(status):  # type: ignore[arg-type]
            return f"{n:,} {word}"
    return ""

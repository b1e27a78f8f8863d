"""What do sections share? A picture under its sentence, and what to say where nothing is there."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from unveil.records.dossier import Dossier
from unveil.records.run import Kind, Part
from unveil.report.catalogue import said
from unveil.report.charts.chart import Chart
from unveil.report.page import figure, figures
from unveil.report.sections.section import Said
from unveil.report.words import lines, name

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


def pictured(
    sentence: Said,
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


def on_screen(content: str) -> str:
    """What paper does without."""
    return f'<div class="screen">{content}</div>'


def on_paper(content: str) -> str:
    """What paper has in its place."""
    return f'<div class="paper">{content}</div>'


def turned(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table of many heads and few rows on its side: it has to fit on a sheet of paper.

    Of many rows several tables, one below the other.
    """
    tables = []
    for start in range(0, len(rows), MOST_ACROSS):
        across = rows[start : start + MOST_ACROSS]
        first, *others = zip(heads, *across, strict=True)
        tables.append(figures("", first, others))
    return "".join(tables)


def numbered(subject: str, part: str, keyed: Iterable[tuple[str, str]]) -> Iterator[Said]:
    """Sentences of a subject, each told apart by which of its kind it is, from 0."""
    so_far: Counter[str] = Counter()
    for key, text in keyed:
        yield Said(f"{subject}/{key}", f"{part}|{so_far[key]}", text)
        so_far[key] += 1


def warned(section: str, part: str, warnings: Sequence[str]) -> Iterator[str]:
    """What was noticed while it was measured."""
    for place, warning in enumerate(warnings):
        told = said(f"{section}.warning", f"{part}|{place}", warning=lines(warning))
        yield told.html("look")


def heading(text: str) -> str:
    """What a part of a section is about."""
    return f"<h3>{escape(name(text))}</h3>"


def unmeasured(dossier: Dossier, section: str, kinds: Sequence[Kind]) -> list[Said]:
    """Why parts that were asked for have no figures."""
    return [
        said(
            f"{section}.not measured",
            part.name,
            what=_named(part),
            reason=lines(part.reason or "no reason was given."),
        )
        for part in dossier.run.parts
        if part.kind in kinds and part.file is None
    ]


def _named(part: Part) -> str:
    """What was asked for as people call it, and of what."""
    if (called := NAMES.get(part.kind)) is None:
        shown = name(part.name)
        return shown[:1].upper() + shown[1:]
    of = f" of {name(part.target)}" if part.target is not None else ""
    return f"{called}{of}" + (f" ({name(part.scenario)})" if part.scenario is not None else "")


def standing(dossier: Dossier, parts: Sequence[str]) -> str:
    """A word for the table of contents: how figures of these parts stand against their limits."""
    statuses = [one.status for one in dossier.judgement.figures if one.part in parts]
    for status, word in (("above", "above limit"), ("review", "to review")):
        if n := statuses.count(status):  # type: ignore[arg-type]
            return f"{n:,} {word}"
    return ""

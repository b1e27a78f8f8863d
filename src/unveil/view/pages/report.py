"""The report of a run: one sealed page that a custodian can sign and an auditor can read.

Sections are put together in the order of an approver's questions. The same contents and the same
`made` give the same bytes; the moment at which the page was made stands in one place, its end.
"""

import re
from collections.abc import Sequence
from html import escape

from unveil.records.report import Parts, ReportContents
from unveil.view.accessible import accessible
from unveil.view.format import truncate, visible
from unveil.view.glossary import link_terms
from unveil.view.html_page import page
from unveil.view.html_pieces import text, when
from unveil.view.report_style import BAND, REPORT_STYLE
from unveil.view.sections import (
    attribute,
    cap,
    checks,
    context,
    filter,
    findings,
    gtcap,
    history,
    identity,
    leakage,
    methods,
    noise,
    records,
    scenario,
    tables,
    target,
    uniques,
    utility,
    verdict,
)
from unveil.view.sections.section import Section

ORDER = (
    context.section,
    scenario.section,
    identity.section,
    attribute.section,
    target.section,
    checks.section,
    cap.section,
    leakage.section,
    gtcap.section,
    uniques.section,
    filter.section,
    noise.section,
    utility.section,
    findings.section,
    tables.section,
    records.section,
    history.section,
)
"""The sections after the verdict and before the methods, which explain what is in them."""
_PERCENT = re.compile(r">[^<]*\d %[^<]*<")
_SPLIT = re.compile(r"(?<=\d) %")


def custodian_page(contents: ReportContents, parts: Parts, *, made: str) -> str:
    """The whole page; `made` is the moment of making it, in UTC."""
    shown = [one for one in (made_of(contents, parts) for made_of in ORDER) if one is not None]
    first = verdict.section(contents, parts)
    shown.append(methods.section([*shown, *([first] if first else [])]))
    body = [
        '<p class="kicker">Disclosure and utility assessment, run '
        f"{contents.run.number:,}</p><h1>{text(contents.title)}</h1>",
        _titled(first) if first else "",
        _contents(shown),
        *(_numbered(place, one) for place, one in enumerate(shown, start=1)),
    ]
    whole = page(
        f"{truncate(contents.title)}: run {contents.run.number:,}",
        body,
        style=REPORT_STYLE,
        band=f'<header><p class="band">{escape(BAND)}</p></header>',
    )
    return whole.replace("</main></body>", f"</main>{_end(contents, made)}</body>", 1)


def _shown(one: Section) -> str:
    """The body with its terms linked, for every reader; a number stays beside its sign."""
    return _PERCENT.sub(
        lambda text: _SPLIT.sub("\u00a0%", text[0]), accessible(link_terms(one.body))
    )


def _titled(one: Section) -> str:
    body = _shown(one)
    return (
        f'<section aria-labelledby="{one.id}"><h2 id="{one.id}" class="kicker">'
        f"{escape(one.title)}</h2>{body}</section>"
    )


def _numbered(place: int, one: Section) -> str:
    body = _shown(one)
    return (
        f'<section class="part" aria-labelledby="{one.id}"><h2 id="{one.id}">{place}. '
        f"{escape(one.title)}</h2>{body}</section>\n"
    )


def _contents(shown: Sequence[Section]) -> str:
    lines = "".join(
        f'<li><a href="#{one.id}">{escape(one.title)}</a>{_note(one)}</li>' for one in shown
    )
    return (
        '<nav class="contents" aria-labelledby="contents"><h2 id="contents">Contents</h2>'
        f"<ol>{lines}</ol></nav>\n"
    )


def _note(one: Section) -> str:
    return f' <span class="note">{escape(visible(one.note))}</span>' if one.note else ""


def _end(contents: ReportContents, made: str) -> str:
    return (
        f"<footer><p>Made by unveil {text(contents.version)} at "
        f'<time datetime="{escape(made)}">{text(when(made))}</time>. Figures are those of run '
        f"{contents.run.number:,}; results.json has SHA-256 {text(contents.results_sha256)}.</p>"
        "</footer>"
    )

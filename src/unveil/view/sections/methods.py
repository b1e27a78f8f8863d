"""What stands behind the figures: letters, denominators, conventions, errata, and every term."""

from collections.abc import Sequence

from unveil.view.glossary import glossary, terms_in
from unveil.view.html_page import render_details
from unveil.view.html_pieces import text, text_table
from unveil.view.method_notes import CONVENTIONS, DENOMINATORS, ERRATA, LETTERS, TCAPS
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Section

ALWAYS = {"key", "target", "unique", "exclusion"}
"""Terms that a reader of any report needs."""
THREE_TCAPS = {"tcap-raab", "tcap-taub", "tcap-uniques"}
"""None is told without the others."""


def section(others: Sequence[Section]) -> Section:
    """Method notes, and the glossary to which the terms in the sentences of the others lead."""
    limits = fill_sentence("methods.limits").html("lead")
    used = terms_in([limits, *(one.body for one in others)])
    used |= THREE_TCAPS if used & THREE_TCAPS else set()
    body = [
        limits,
        "<h3>Letters</h3>",
        f"<p>{text(LETTERS)}</p>",
        "<h3>Out of whom</h3>",
        text_table("Denominators", ("a figure out of", "is"), DENOMINATORS, kinds=("text", "text")),
        "<h3>Three measures called TCAP</h3>",
        "<p>None of the three is DiSCO, which is out of all original records.</p>",
        text_table("The three TCAPs", ("whose", "counts", "out of"), TCAPS, kinds=("text",) * 3),
        "<h3>Conventions</h3>",
        f"<ul>{''.join(f'<li>{text(one)}</li>' for one in CONVENTIONS)}</ul>",
        render_details("Where print and computation differ", _errata()),
        "<h3>Glossary</h3>",
        glossary(used | ALWAYS),
    ]
    return Section("methods", "Methods and glossary", "".join(body))


def _errata() -> str:
    heads = ("where", "printed", "computed here")
    return text_table("Errata", heads, ERRATA, kinds=("text",) * 3)

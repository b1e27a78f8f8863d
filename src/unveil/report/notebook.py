"""The disclosure record in a notebook and a console: headline, tables, sentences; aggregates only.

Notebooks store what they show, so nothing here is about one person. No script, no outside
resource; every name from the data is escaped.
"""

from html import escape

from unveil.records.disclosure import AttributeRow, Disclosure
from unveil.records.view import as_html, as_text
from unveil.report import sentences
from unveil.report.words import and_list, n_of, name, percent, percent_or_dash

STYLE = (
    "<style>.unveil{font-family:system-ui,sans-serif;max-width:60em}"
    ".unveil table{border-collapse:collapse;margin:.5em 0}"
    ".unveil th,.unveil td{padding:.2em .8em;text-align:right;border-bottom:1px solid #ccc}"
    ".unveil th:first-child,.unveil td:first-child{text-align:left}"
    ".unveil .stop{border:2px solid #b3261e;padding:.5em;font-weight:bold}</style>"
)


@as_text.register
def _(record: Disclosure) -> str:
    row = record.identity_of(record.headline_copy)
    head = f"Disclosure from {and_list(record.keys)}: repU {percent_or_dash(row.repU)}"
    if not record.targets:
        return head
    worst = record.attribute_of(record.targets[0], record.headline_copy)
    return f"{head}; highest DiSCO {percent_or_dash(worst.DiSCO)} ({name(worst.target)})"


@as_html.register
def _(record: Disclosure) -> str:
    alarms = [f'<p class="stop">{escape(alarm)}</p>' for alarm in sentences.alarms(record)]
    parts = [
        *alarms,
        f"<p>{escape(sentences.sizes(record))} {escape(sentences.scenario(record))}</p>",
        _identity(record),
        _attribute(record),
        _worst_in_words(record),
    ]
    return f'{STYLE}<div class="unveil">{"".join(parts)}</div>'


def _identity(record: Disclosure) -> str:
    row = record.identity_of(record.headline_copy)
    items = sentences.identity(record, row).items()
    said = "".join(f"<li><b>{escape(s)}</b> {escape(text)}</li>" for s, text in items)
    return f"<ul>{said}</ul>"


def _attribute(record: Disclosure) -> str:
    if not record.targets:
        return ""
    heads = ("target", "original (Dorig)", "synthetic (DiSCO)", "people", "protection", "removed")
    body = "".join(
        _cells("td", _attribute_texts(record, record.attribute_of(target, record.headline_copy)))
        for target in record.targets
    )
    return f"<table><thead>{_cells('th', heads)}</thead><tbody>{body}</tbody></table>"


def _attribute_texts(record: Disclosure, row: AttributeRow) -> tuple[str, ...]:
    found = "-" if row.DiSCO is None else n_of(row.DiSCO, record.n_original)
    points = "-" if row.protection is None else f"{row.protection:.1f} points"
    return (
        name(row.target),
        percent_or_dash(row.Dorig),
        percent_or_dash(row.DiSCO),
        found,
        points,
        "-" if row.removed is None else percent(row.removed),
    )


def _cells(tag: str, texts: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(text)}</{tag}>' for text in texts)}</tr>"


def _worst_in_words(record: Disclosure) -> str:
    if not record.targets:
        return ""
    worst = record.attribute_of(record.targets[0], record.headline_copy)
    return f"<p>{escape(' '.join(sentences.attribute(record, worst).values()))}</p>"

"""A codebook as one page: no script, no outside resource, readable on paper and on a telephone."""

from collections.abc import Iterator, Sequence
from html import escape

from unveil.records.codebook import CodebookDifferences, ColumnContents, DescribedFile, Variable
from unveil.view.codebook import difference_cells, differences_headline
from unveil.view.codebook_sentences import (
    KINDS,
    NO_DATA,
    RULES,
    code,
    columns,
    findings,
    headline,
    list_values,
    missing,
    missing_codes,
    range_of,
    remarks,
    values,
)
from unveil.view.format import format_count, truncate, visible
from unveil.view.html import notes, paragraph
from unveil.view.html_page import page


def codebook_page(record: DescribedFile) -> str:
    """The codebook of a file: what it holds at a glance, then every column."""
    body = [
        f"<h1>{escape(headline(record))}</h1>",
        paragraph(_file_label(record)),
        f'<p class="dim">{escape(NO_DATA if record.declared_only else RULES)}</p>',
        _to_look_at(record),
        "<h2>At a glance</h2>",
        _glance(record),
        "<h2>Columns</h2>",
        *(
            _section(place, variable, found)
            for place, (variable, found) in enumerate(columns(record), start=1)
        ),
        notes(record.coercions),
    ]
    return page(f"Codebook of {truncate(record.codebook.source)}", body)


def differences_page(record: CodebookDifferences) -> str:
    """The differences of structure between a copy and its original."""
    rows = "".join(
        f'<tr><th scope="row">{escape(where)}</th><td>{escape(sentence)}</td>'
        f"<td>{escape(remedy)}</td></tr>"
        for where, sentence, remedy in map(difference_cells, record.rows)
    )
    heads = _heads(("column", "difference", "what to do"))
    table = (
        f'<div class="scroll"><table><thead>{heads}</thead><tbody>{rows}</tbody></table></div>'
        if rows
        else ""
    )
    body = [f"<h1>{escape(differences_headline(record))}</h1>", table, notes(record.coercions)]
    return page("Differences of structure", body)


def _file_label(record: DescribedFile) -> str | None:
    said = [record.codebook.file_label or "", *record.codebook.notes]
    return " ".join(visible(text) for text in said if text) or None


def _to_look_at(record: DescribedFile) -> str:
    places = {variable.name: place for place, variable in enumerate(record.codebook.variables, 1)}
    items = [
        f"<p>{_link(places[where], where) + ': ' if where else ''}{escape(sentence)}</p>"
        for where, sentence in findings(record)
    ]
    return f'<h2>What to look at</h2><div class="look">{"".join(items)}</div>' if items else ""


def _link(place: int, text: str) -> str:
    return f'<a href="#column-{place}">{escape(truncate(text))}</a>'


def _glance(record: DescribedFile) -> str:
    rows = "".join(
        f'<tr><th scope="row" class="text">{_link(place, variable.name)}'
        f"{_small(variable.label)}</th>"
        f'<td class="wide">{KINDS[variable.kind]}</td>'
        f"<td>{escape(values(variable, found))}</td>"
        f'<td class="number">{missing(found)}</td></tr>'
        for place, (variable, found) in enumerate(columns(record), start=1)
    )
    heads = (
        '<tr><th scope="col">column</th>'
        '<th scope="col" class="wide">kind</th><th scope="col">holds</th>'
        '<th scope="col" class="number">missing</th></tr>'
    )
    return f'<div class="scroll"><table><thead>{heads}</thead><tbody>{rows}</tbody></table></div>'


def _small(label: str | None) -> str:
    return f'<span class="dim">{escape(truncate(label))}</span>' if label else ""


def _section(place: int, variable: Variable, found: ColumnContents | None) -> str:
    label = f"<p>{escape(visible(variable.label))}</p>" if variable.label else ""
    facts = "".join(
        f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in _facts(variable, found)
    )
    said = "".join(f"<p>{escape(one)}</p>" for one in remarks(variable, found)) if found else ""
    look = f'<div class="look">{said}</div>' if said else ""
    return (
        f'<section class="column" id="column-{place}"><h3>{escape(visible(variable.name))}</h3>'
        f"{label}<dl>{facts}</dl>{_codes(variable, found)}"
        f"{look}</section>"
    )


def _facts(variable: Variable, found: ColumnContents | None) -> Iterator[tuple[str, str]]:
    yield "kind", KINDS[variable.kind]
    if variable.measure:
        yield "measurement level", variable.measure
    if variable.format:
        yield "format", visible(variable.format)
    if told := missing_codes(variable):
        yield "missing codes", ", ".join(told)
    if found is None:
        return
    yield "missing", missing(found)
    if found.missing_code_percent:
        yield "of these with a code", _percent(found.missing_code_percent)
    if found.n_distinct is not None:
        yield "distinct values", f"{found.n_distinct:,}"
    if told_range := range_of(found):
        yield "range, without its ends", told_range
    if found.n_outside is None and (told_values := list_values(found)):
        yield "categories", told_values


def _percent(whole: int) -> str:
    return {1: "1 % or less", 99: "99 % or more"}.get(whole, f"{whole} %")


def _codes(variable: Variable, found: ColumnContents | None) -> str:
    if not variable.levels:
        return ""
    lost, unused = set(variable.missing), set(found.unused if found else ())
    rows = [
        (
            code(level.code),
            visible(level.label),
            _remark(is_missing=level.code in lost, is_unused=level.code in unused),
        )
        for level in variable.levels
    ]
    n_heads = 3 if any(remark for *_, remark in rows) else 2
    body = "".join(
        "<tr>"
        + "".join(f'<td class="text">{escape(text)}</td>' for text in row[:n_heads])
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{format_count(len(rows), 'declared code')}</caption>"
        f"<thead>{_heads(('code', 'label', 'remark')[:n_heads])}</thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _remark(*, is_missing: bool, is_unused: bool) -> str:
    said = {"stands for no answer": is_missing, "nobody has it": is_unused}
    return ", ".join(words for words, is_true in said.items() if is_true)


def _heads(names: Sequence[str]) -> str:
    cells = "".join(f'<th scope="col">{one}</th>' for one in names)
    return f"<tr>{cells}</tr>"

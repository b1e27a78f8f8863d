"""A codebook, and the differences of two: sentences and blocks, filled from records only."""

from collections.abc import Iterator, Sequence

from unveil.records.codebook import (
    FEWEST_PEOPLE,
    FEWEST_VALUES,
    MOST_LISTED,
    Code,
    CodebookDifferences,
    ColumnContents,
    DescribedFile,
    Difference,
    Variable,
)
from unveil.view import blocks
from unveil.view.blocks import Block, Facts, Heading, Items, Sentence, TableBlock, notes, table
from unveil.view.format import and_list, format_count, lines, truncate, visible
from unveil.view.render_page import render_page
from unveil.view.show import as_blocks, as_text

KINDS = {
    "number": "number",
    "text": "text",
    "date": "date",
    "moment": "date and time",
    "time": "time",
    "truth": "true or false",
    "unknown": "not known",
}
MOST_CODES = 6
MOST_VALUES = 12
"""Codes or categories of one column in the table of all columns; documents and pages have more."""
MOST_ROWS = 200
"""Columns in that table; documents and pages have all."""
HEADS = ("column", "label", "kind", "missing", "values")
DIFFERENCE_HEADS = ("column", "difference", "what to do")
CODE_HEADS = ("code", "label", "remark")
STRUCTURE = "Structure of the synthetic data compared with the original"


RULES = (
    f"No value of a single person is shown: undeclared values only where at least {FEWEST_PEOPLE}"
    f" people have them, ranges without their ends and of at least {FEWEST_VALUES} values, missing"
    " entries in whole percent."
)
NO_DATA = "Declarations only: nothing from the records is shown."


def headline(record: DescribedFile) -> str:
    """The file, and how much of it is described."""
    variables = record.codebook.variables
    n_coded = sum(bool(variable.levels) for variable in variables)
    coded = f"{n_coded:,}" if n_coded else "none"
    return (
        f"Codebook of {truncate(record.codebook.source)}: "
        f"{format_count(record.n_records, 'record')},"
        f" {format_count(len(variables), 'column')}, {coded} of them with declared codes"
    )


def missing(found: ColumnContents | None) -> str:
    """How much of a column is missing, in whole percent."""
    return "" if found is None else _percent(found.missing_percent)


def _percent(whole: int) -> str:
    return {1: "1 % or less", 99: "99 % or more"}.get(whole, f"{whole} %")


def code(value: Code) -> str:
    """A code as it is shown: whole numbers without a point."""
    if isinstance(value, str):
        return visible(value)
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else str(value)


def range_of(found: ColumnContents | None) -> str:
    """The range of numbers or dates, without its ends; nothing where none is shown."""
    if found is None or found.low is None or found.high is None:
        return ""
    return f"{_end(found.low)} to {_end(found.high)}"


def _end(value: Code) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) and abs(value) >= 10_000 else code(value)


def values(variable: Variable, found: ColumnContents | None) -> str:
    """What a column holds, in a few words for a table."""
    if found is not None and found.low is not None:
        return range_of(found)
    if variable.levels:
        return _codes(variable)
    if found is None:
        return ""
    listed = list_values(found, MOST_VALUES) if found.n_outside is None else ""
    return listed or ("" if not found.n_distinct else format_count(found.n_distinct, "value"))


def _codes(variable: Variable) -> str:
    lost = set(variable.missing)
    shown = [
        f"{code(level.code)}{f' {truncate(level.label)}' if level.label != level.code else ''}"
        f"{' (missing)' if level.code in lost else ''}"
        for level in variable.levels[:MOST_VALUES]
    ]
    more = len(variable.levels) - MOST_VALUES
    return f"{', '.join(shown)}{f' and {more:,} more' if more > 0 else ''}"


def missing_codes(variable: Variable) -> list[str]:
    """What stands for missing values: codes with their labels, and ranges."""
    told = []
    for one in variable.missing:
        label = variable.label_of(one)
        told.append(f"{code(one)} {truncate(label)}" if label else code(one))
    for gap in variable.missing_ranges:
        low = "the lowest" if gap.lo is None else f"{gap.lo:g}"
        told.append(f"{low} to {'the highest' if gap.hi is None else f'{gap.hi:g}'}")
    return told


def columns(record: DescribedFile) -> Iterator[tuple[Variable, ColumnContents | None]]:
    """Each column as it is declared, and what its records have; None where they are not shown."""
    found = {one.name: one for one in record.found}
    for variable in record.codebook.variables:
        yield variable, found.get(variable.name)


def file_remarks(record: DescribedFile) -> Iterator[tuple[str, str]]:
    """What a custodian should review, column by column; of the file as a whole under ''."""
    for variable, found in columns(record):
        for sentence in remarks(variable, found) if found else ():
            yield variable.name, sentence
    if record.not_in_file:
        shown = _few([truncate(one) for one in record.not_in_file])
        yield "", f"Declared, but not in the file: {shown}."


def remarks(variable: Variable, found: ColumnContents) -> Iterator[str]:
    """What does not fit what is declared about one column."""
    is_text_for_codes = found.holds == "labels"
    if found.missing_percent == 100:
        yield "All entries are missing."
    elif _is_other_kind(variable, found) and not is_text_for_codes:
        yield f"Declared as {KINDS[variable.kind]}, but the file holds {KINDS[found.kind]}."
    if is_text_for_codes:
        yield "The entries are labels, not codes."
    if found.likely_missing:
        codes = and_list([code(one) for one in found.likely_missing])
        is_one = len(found.likely_missing) == 1
        yield (
            f"{codes} {'looks like a code' if is_one else 'look like codes'} for missing values,"
            f" but {'is' if is_one else 'are'} not declared; the range excludes"
            f" {'it' if is_one else 'them'}."
        )
    if found.n_outside:
        verb = "record has" if found.n_outside == 1 else "records have"
        yield (
            f"{found.n_outside:,} {verb} a value outside the declared"
            f" {found.holds}{_list_values(found)}{_rest(found)}."
        )
    if found.unused and found.missing_percent < 100:
        first = [_label_code(one, variable) for one in found.unused[:MOST_CODES]]
        yield f"Declared, but not used: {_few(first, len(found.unused))}."


def list_values(found: ColumnContents, most: int = MOST_LISTED) -> str:
    """Categories of a column without declared codes, the first of them, or nothing."""
    shown = [truncate(code(one)) for one in found.occurring[:most]]
    told = ", ".join(shown)
    n_more = found.n_unlisted + len(found.occurring) - len(shown)
    told += f" and {n_more:,} more" if n_more else ""
    if not found.n_rare:
        return told
    rare = f"{found.n_rare:,} that fewer than {FEWEST_PEOPLE} people have"
    return f"{told}; and {rare}" if told else rare


def _is_other_kind(variable: Variable, found: ColumnContents) -> bool:
    return "unknown" not in (variable.kind, found.kind) and variable.kind != found.kind


def _list_values(found: ColumnContents) -> str:
    shown = _few([truncate(code(one)) for one in found.occurring])
    return f": {shown}" if shown else ""


def _rest(found: ColumnContents) -> str:
    if not found.n_rare:
        return ""
    joint = "; " if found.occurring else ": "
    return (
        f"{joint}{format_count(found.n_rare, 'value')} that fewer than {FEWEST_PEOPLE} people have"
    )


def _label_code(one: Code, variable: Variable) -> str:
    label = variable.label_of(one)
    return f"{code(one)} {truncate(label)}" if label and label != one else truncate(code(one))


def _few(shown: Sequence[str], n: int | None = None) -> str:
    """The first of some names, and how many more there are."""
    more = (len(shown) if n is None else n) - MOST_CODES
    if more <= 0:
        return and_list(shown)
    return f"{', '.join(shown[:MOST_CODES])} and {more:,} more"


def overview_cells(variable: Variable, found: ColumnContents | None) -> tuple[str, ...]:
    """One column of the file under HEADS."""
    label = truncate(variable.label or "")
    kind = KINDS[variable.kind]
    return truncate(variable.name), label, kind, missing(found), values(variable, found)


def _overview(record: DescribedFile) -> TableBlock:
    """All columns, without what is empty for all of them."""
    rows = [overview_cells(*column) for column in columns(record)]
    kept = [place for place in range(len(HEADS)) if not place or any(row[place] for row in rows)]
    left = len(rows) - MOST_ROWS
    return table(
        "Columns",
        [HEADS[place] for place in kept],
        [[row[place] for place in kept] for row in rows[:MOST_ROWS]],
        text=("label", "kind", "values"),
        footnote=f"... and {format_count(left, 'more column')}" if left > 0 else "",
    )


def _column(variable: Variable, found: ColumnContents | None) -> Iterator[Block]:
    """One column in full."""
    yield Heading(visible(variable.name), 3)
    yield from blocks.sentences([variable.label])
    yield Facts(tuple(_facts(variable, found)))
    lost, unused = set(variable.missing), set(found.unused if found else ())
    rows = [
        (code(one.code), visible(one.label), _remark(one.code in lost, one.code in unused))
        for one in variable.levels
    ]
    n_heads = 3 if any(remark for *_, remark in rows) else 2
    caption = format_count(len(rows), "declared code")
    yield table(caption, CODE_HEADS[:n_heads], [row[:n_heads] for row in rows], text=CODE_HEADS)
    yield from blocks.sentences(remarks(variable, found) if found else (), "look")


def _facts(variable: Variable, found: ColumnContents | None) -> Iterator[tuple[str, str]]:
    yield "kind", KINDS[variable.kind]
    yield "measurement level", variable.measure or ""
    yield "format", visible(variable.format or "")
    yield "missing codes", ", ".join(missing_codes(variable))
    if found is None:
        return
    yield "missing", missing(found)
    coded = found.missing_code_percent
    yield "of these with a code", _percent(coded) if coded else ""
    yield "distinct values", "" if found.n_distinct is None else f"{found.n_distinct:,}"
    yield "range, without its ends", range_of(found)
    yield "categories", list_values(found) if found.n_outside is None else ""


def _remark(is_missing: bool, is_unused: bool) -> str:
    marks = {"missing value": is_missing, "not used": is_unused}
    return ", ".join(words for words, is_true in marks.items() if is_true)


def differences_keyed(record: CodebookDifferences) -> tuple[str, str]:
    """How many differences there are, in a sentence with the name of its template."""
    original, synthetic = (truncate(file) for file in record.files)
    if not record.rows:
        return "built alike", f"{synthetic} has the structure of {original}: no differences."
    return "built otherwise", (
        f"{synthetic} differs in structure from {original}:"
        f" {format_count(len(record.rows), 'difference')}; {record.n_alike:,} of"
        f" {format_count(record.n_variables_original, 'column')} alike."
    )


def difference_cells(row: Difference) -> tuple[str, str, str]:
    """One difference under DIFFERENCE_HEADS."""
    where = "the file" if row.variable is None else truncate(row.variable)
    return where, lines(row.sentence), lines(row.remedy)


as_text.register(DescribedFile, headline)


@as_blocks.register
def _(record: DescribedFile) -> Iterator[Block]:
    yield Heading(headline(record))
    yield from codebook_blocks(record)


def codebook_blocks(record: DescribedFile, *, has_columns: bool = False) -> Iterator[Block]:
    """What a file holds at a glance and what to review; on a page every column in full too."""
    yield from blocks.sentences([record.codebook.file_label, *record.codebook.notes])
    yield Sentence(NO_DATA if record.declared_only else RULES, "dim")
    yield _overview(record)
    remarked = [f"{truncate(at)}: {text}" if at else text for at, text in file_remarks(record)]
    if remarked:
        yield Heading("To review", 2 if has_columns else 4)
        yield Items(tuple(remarked), mark="▲")
    if has_columns:
        yield Heading("Columns in full", 2)
        for column in columns(record):
            yield from _column(*column)
    yield from notes(record.coercions)


@as_text.register
def _(record: CodebookDifferences) -> str:
    return differences_keyed(record)[1]


@as_blocks.register
def _(record: CodebookDifferences) -> Iterator[Block]:
    yield Heading(STRUCTURE)
    yield from difference_blocks(record)


def difference_blocks(record: CodebookDifferences) -> Iterator[Block]:
    """The differences of two files, without the title."""
    yield Sentence(as_text(record), "lead")
    rows = map(difference_cells, record.rows)
    yield table("", DIFFERENCE_HEADS, rows, text=DIFFERENCE_HEADS)
    yield from notes(record.coercions)


def codebook_page(record: DescribedFile | CodebookDifferences) -> str:
    """The whole page; nothing in it is of a single person."""
    if isinstance(record, CodebookDifferences):
        return render_page(STRUCTURE, difference_blocks(record), is_confidential=False)
    title = f"Codebook of {truncate(record.codebook.source)}"
    found = codebook_blocks(record, has_columns=True)
    return render_page(title, found, heading=headline(record), is_confidential=False)

"""A codebook in sentences a custodian can repeat: one catalogue, filled from records only."""

from collections.abc import Iterator, Sequence

from unveil.records.codebook import (
    FEWEST_PEOPLE,
    FEWEST_VALUES,
    MOST_LISTED,
    Code,
    ColumnContents,
    DescribedFile,
    Variable,
)
from unveil.view.format import and_list, format_count, truncate, visible

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

TEMPLATES = {
    "outside": "{n} a value that is none of the declared {holds}{listed}{rest}.",
    "labels": "Entries are the labels, not the codes.",
    "likely missing": (
        "{codes} {look} for no answer, and nobody declared {them}: the range is without {them}."
    ),
    "unused": "Declared, but nobody has it: {codes}.",
    "kind": "Declared as {said}, but the file holds {kind}.",
    "not in file": "Declared, but not in the file: {names}.",
    "one of nothing": "Nothing but missing entries.",
    "built alike": "{copy} is built like {original}: no difference of structure was found.",
    "built otherwise": "{copy} is built otherwise than {original}: {n}; {alike} of {columns} alike",
}
RULES = (
    f"Nothing here is one person's: values that nobody declared are shown only where at least"
    f" {FEWEST_PEOPLE} people have them, ranges leave out their ends and need"
    f" {FEWEST_VALUES} values, and missing entries are in whole percent."
)
NO_DATA = "Only what is declared is told; the records were left out."


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
    if found is None:
        return ""
    ends = {1: "1 % or less", 99: "99 % or more"}
    return ends.get(found.missing_percent, f"{found.missing_percent} %")


def code(value: Code) -> str:
    """A code as it is shown: whole numbers without a point."""
    if isinstance(value, str):
        return visible(value)
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else str(value)


def range_of(found: ColumnContents | None) -> str:
    """The range of numbers or dates, without its ends; nothing where none is told."""
    if found is None or found.low is None or found.high is None:
        return ""
    return f"{_end(found.low)} to {_end(found.high)}"


def _end(value: Code) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) and abs(value) >= 10_000 else code(value)


def values(variable: Variable, found: ColumnContents | None) -> str:
    """What a column holds, in a few words for a table."""
    n_codes = sum(level.code not in variable.missing for level in variable.levels)
    if found is not None and found.low is not None:
        return range_of(found)
    if n_codes:
        return format_count(n_codes, "code")
    if found is None or found.n_distinct is None:
        return ""
    return format_count(found.n_distinct, "value")


def missing_codes(variable: Variable) -> list[str]:
    """What stands for no answer: codes with their labels, and ranges."""
    told = []
    for one in variable.missing:
        label = variable.label_of(one)
        told.append(f"{code(one)} {truncate(label)}" if label else code(one))
    for gap in variable.missing_ranges:
        low = "the lowest" if gap.lo is None else f"{gap.lo:g}"
        told.append(f"{low} to {'the highest' if gap.hi is None else f'{gap.hi:g}'}")
    return told


def columns(record: DescribedFile) -> Iterator[tuple[Variable, ColumnContents | None]]:
    """Each column as it is declared, and what its records have; None where they were left out."""
    found = {one.name: one for one in record.found}
    for variable in record.codebook.variables:
        yield variable, found.get(variable.name)


def findings(record: DescribedFile) -> Iterator[tuple[str, str]]:
    """What a custodian should look at, column by column; of the file as a whole under ''."""
    for variable, found in columns(record):
        for sentence in remarks(variable, found) if found else ():
            yield variable.name, sentence
    if record.not_in_file:
        shown = _few([truncate(one) for one in record.not_in_file])
        yield "", TEMPLATES["not in file"].format(names=shown)


def remarks(variable: Variable, found: ColumnContents) -> Iterator[str]:
    """What does not fit what is declared about one column."""
    is_text_for_codes = found.holds == "labels"
    if found.missing_percent == 100:
        yield TEMPLATES["one of nothing"]
    elif _is_other_kind(variable, found) and not is_text_for_codes:
        yield TEMPLATES["kind"].format(said=KINDS[variable.kind], kind=KINDS[found.kind])
    if is_text_for_codes:
        yield TEMPLATES["labels"]
    if found.likely_missing:
        codes = and_list([code(one) for one in found.likely_missing])
        is_one = len(found.likely_missing) == 1
        yield TEMPLATES["likely missing"].format(
            codes=codes,
            look="looks like a code" if is_one else "look like codes",
            them="it" if is_one else "them",
        )
    if found.n_outside:
        verb = "record has" if found.n_outside == 1 else "records have"
        yield TEMPLATES["outside"].format(
            n=f"{found.n_outside:,} {verb}",
            holds=found.holds,
            listed=_listed(found),
            rest=_rest(found),
        )
    if found.unused and found.missing_percent < 100:
        first = [_labelled(one, variable) for one in found.unused[:MOST_CODES]]
        yield TEMPLATES["unused"].format(codes=_few(first, len(found.unused)))


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


def _listed(found: ColumnContents) -> str:
    shown = _few([truncate(code(one)) for one in found.occurring])
    return f": {shown}" if shown else ""


def _rest(found: ColumnContents) -> str:
    if not found.n_rare:
        return ""
    joint = "; " if found.occurring else ": "
    return (
        f"{joint}{format_count(found.n_rare, 'value')} that fewer than {FEWEST_PEOPLE} people have"
    )


def _labelled(one: Code, variable: Variable) -> str:
    label = variable.label_of(one)
    return f"{code(one)} {truncate(label)}" if label and label != one else truncate(code(one))


def _few(shown: Sequence[str], n: int | None = None) -> str:
    """The first of some names, and how many more there are."""
    more = (len(shown) if n is None else n) - MOST_CODES
    if more <= 0:
        return and_list(shown)
    return f"{', '.join(shown[:MOST_CODES])} and {more:,} more"

"""CAP in sentences a custodian can repeat, and as blocks."""

from collections.abc import Iterator

from unveil.records.cap import Cap, CapRow, GcapRow, Head, TcapRow, heads, lines
from unveil.view import tcap
from unveil.view.blocks import Block, Heading, TableBlock, notes, say, sentences, table
from unveil.view.cap_trend import FIT_HEADS, fit_cells, trend_sentences
from unveil.view.cap_words import (
    SCENARIOS,
    cap_standing,
    key_set_name,
    label_of,
    method_phrase,
    share,
)
from unveil.view.format import and_list, format_count, format_share, people, truncate
from unveil.view.show import as_blocks, as_text

WHO = {
    "full": "Everyone",
    "uniques": "People unique on the keys in the original",
    "special": "Special uniques",
    "mask": "People in the mask",
}
RULES = {"zero": "non-matches as zero", "undefined": "non-matches as undefined"}

STANDINGS = {
    "at the baseline": (
        "at the baseline: the target is nearly independent of the keys in the synthetic data."
        " Little is disclosed, but utility may be low."
    ),
    "no more": "at the baseline: no more is disclosed than is known already.",
    "below the baseline": (
        "below the baseline: the synthetic data mislead, and utility may be low."
    ),
    "below what is known": (
        "below the baseline: an intruder who trusts the synthetic data is correct less often than"
        " by prior knowledge."
    ),
    "below, as the original": (
        "below the baseline, but no lower than with the original: the keys mislead, not the"
        " synthetic data."
    ),
    "as the original": ("as high as with the original: the synthetic data hardly protect them."),
    "between": "{part} of the way from baseline to original.",
}
"""Where a CAP among those with a match stands."""
ELSEWHERE = {"at the baseline": "no more", "below the baseline": "below what is known"}
"""What is said in place of words on utility, which are for everyone against the marginal alone."""


def sizes(record: Cap) -> str:
    """How much data there is."""
    methods = [
        f"{format_count(len(method.n_synthetic), 'copy', 'copies')}{method_phrase(method.name)}"
        for method in record.methods
    ]
    return f"{format_count(record.n_original, 'record')} in the original; {', '.join(methods)}."


def assumptions(record: Cap) -> Iterator[str]:
    """What is assumed about the intruder."""
    for key_set in record.key_sets:
        prefix = f"{truncate(key_set.name)}: " if len(record.key_sets) > 1 else ""
        yield (
            f"{prefix}Assumed intruder: knows {and_list(key_set.keys)}, draws one of the synthetic"
            f" records with the same keys, and takes its {and_list(record.targets)} for the"
            " person's."
        )
    yield f"Baseline: {_baseline(record)}."
    for one in record.tolerance:
        differ = f"they differ by no more than {one.radius:g}"
        yield f"Values of {truncate(one.target)} agree if {differ}."


def _baseline(record: Cap) -> str:
    if record.baseline == "marginal":
        return "a guess from the distribution of the target in the original"
    return f"given: {truncate(record.baseline)}"


def cap_sentences(
    row: CapRow, *, is_marginal: bool = True, with_settled: bool = False
) -> Iterator[tuple[str, str]]:
    """What one row says, each sentence by its name.

    That a CAP at the baseline, or below it, may be a utility problem is said of everyone, against
    the marginal alone (Taub et al. 2018, footnote 5): another baseline may know more than that.
    """
    copies = f"{'one copy' if row.m == 1 else f'{row.m} copies'}{method_phrase(row.method)}"
    who = f"{WHO[row.scenario]}, {copies if row.m == 1 else f'{copies} pooled'}"
    if not row.n:
        yield "nobody", f"{WHO[row.scenario]}: there are none."
        return
    if not row.n_match:
        yield "no match", f"{who}: no one is matched, so nothing can be guessed."
        return
    n, right = people(row.n), format_share(row.cap_synthetic_zero)
    beside = f"baseline {format_share(row.cap_baseline)}, original {format_share(row.cap_original)}"
    said = f"{who}: a guess is correct for {right} of {n}"
    if row.n_match == row.n:
        yield "guess all", f"{said}, all with a match; {beside}."
    else:
        yield (
            "guess",
            f"{said} (no match counts as wrong); {beside}. Of the {people(row.n_match)} with a"
            f" match ({format_share(row.match_rate)}) it is correct for"
            f" {format_share(row.cap_synthetic_undefined)}; baseline"
            f" {format_share(row.cap_baseline_matched)}, original"
            f" {format_share(row.cap_original_matched)}.",
        )
    if (stands := cap_standing(row)) is not None:
        kind, part = stands
        of_utility = is_marginal and row.scenario == "full"
        name = kind if of_utility else ELSEWHERE.get(kind, kind)
        where = STANDINGS[name].format(part=format_share(part))
        yield name, f"Among those with a match this is {where}"
    if with_settled:
        yield (
            "settled",
            f"For {row.n_settled:,} of {n} all matching records agree with each other, and for"
            f" {row.n_right:,} of these also with the true value.",
        )


def all_cap_sentences(record: Cap) -> Iterator[str]:
    """Every method with all its copies, in each scenario, then what their number does.

    With several key sets it is said of the first; the table has all.
    """
    is_marginal, has_tolerance = record.baseline == "marginal", bool(record.tolerance)
    keys = record.key_sets[0].keys
    for scenario in record.scenarios:
        for method in record.methods:
            row = record.rows_of(method.name, keys, scenario)[-1]
            said = cap_sentences(row, is_marginal=is_marginal, with_settled=has_tolerance)
            yield " ".join(text for _, text in said)
    yield from (text for _, text in trend_sentences(record))


def head_text(record: Cap, head: Head) -> str:
    """What stands above a column, without the rule for non-matches."""
    several = len(record.key_sets) > 1
    return f"{SCENARIOS[head.scenario]}{f', {truncate(head.key_set.name)}' if several else ''}"


def layout(record: Cap, columns: list[Head]) -> list[tuple[str, ...]]:
    """The rows of the paper's table: original, baseline, then each method by m."""
    return [
        (
            label_of(line.label, line.m),
            *(share(cell) for cell in line.cells),
        )
        for line in lines(record, columns)
    ]


def _headline(record: Cap) -> str:
    parts = []
    for method in record.methods:
        row = record.rows_of(method.name, record.key_sets[0].keys, record.scenarios[0])[-1]
        zero, undefined = share(row.cap_synthetic_zero), share(row.cap_synthetic_undefined)
        parts.append(f"{truncate(method.name)} {zero} (of those matched {undefined})")
    row = record.rows[0]
    return (
        f"CAP of {and_list(record.targets)} from {and_list(row.keys)}, {SCENARIOS[row.scenario]}:"
        f" {', '.join(parts)}; baseline {share(row.cap_baseline)}, original"
        f" {share(row.cap_original)}"
    )


@as_text.register
def _(record: Cap) -> str:
    return _headline(record)


@as_blocks.register
def _(record: Cap) -> Iterator[Block]:
    yield Heading("Correct attribution probability (CAP)")
    yield from sentences([sizes(record), *assumptions(record)], "lead")
    yield from _cap_tables(record)
    yield _weighted_table(record)
    fits = [fit_cells(record, fit) for fit in record.on_m if fit.n_points > 2]
    yield table("CAP on the number of copies m", FIT_HEADS, fits, text=FIT_HEADS[:3])
    yield Heading(f"In words{_first_key_set(record)}", 4)
    yield from sentences(all_cap_sentences(record))
    yield from _tcap_blocks(record)
    last = {(row.method, row.keys): row for row in record.gcap}
    if last:
        rows = [(_label(record, row), share(row.gcap)) for row in last.values()]
        yield table("GCAP: guess from the nearest keys", ("", "GCAP"), rows)
        yield from sentences(tcap.gcap_sentence(row) for row in last.values())
    yield from notes(record.coercions)


def _first_key_set(record: Cap) -> str:
    return f", {truncate(record.key_sets[0].name)}" if len(record.key_sets) > 1 else ""


def _cap_tables(record: Cap) -> Iterator[Block]:
    """The paper's table, a part for each way to count non-matches; a part has no equal heads."""
    for rule, text in RULES.items():
        columns = [head for head in heads(record) if head.rule == rule]
        named = tuple(head_text(record, head) for head in columns)
        caption = f"CAP with m copies pooled, {text}"
        yield table(caption, ("", *named), layout(record, columns))


def _weighted_table(record: Cap) -> TableBlock:
    """The means with sampling weights beside those without, all copies of each method pooled."""
    last = {(row.method, row.keys, row.scenario): row for row in record.rows}
    rows = []
    for of in record.weighted:
        plain = last[of.method, of.keys, of.scenario]
        if of.m == plain.m:
            who = f"{_label(record, plain)}, {SCENARIOS[of.scenario]}"
            pairs = (
                *(plain.cap_synthetic_zero, of.cap_synthetic_zero),
                *(plain.cap_synthetic_undefined, of.cap_synthetic_undefined),
            )
            rows.append((who, *map(share, pairs), share(of.cap_baseline), share(of.cap_original)))
    heads = ("", "CAP", "weighted CAP", "of matched", "weighted of matched")
    return table(
        f"With {truncate(record.weights or '')} as weights: the same people, each with their"
        " weight",
        (*heads, "weighted baseline", "weighted original"),
        rows,
    )


def _tcap_blocks(record: Cap) -> Iterator[Block]:
    """The four measures called TCAP, all copies of each method pooled."""
    last = {(row.method, row.keys): row for row in record.tcap}
    if not last or record.tau is None:
        return
    rows = [line for row in last.values() for line in tcap.tcap_cells(_label(record, row), row)]
    yield table(tcap.TCAP_TITLE, tcap.TCAP_HEADS, rows)
    yield from say(tcap.tcap_sentences(next(iter(last.values())), record.tau))


def _label(record: Cap, row: TcapRow | GcapRow | CapRow) -> str:
    label = label_of(row.method, row.m)
    if len(record.key_sets) < 2:
        return label
    return f"{label}, {truncate(key_set_name(record, row.keys))}"

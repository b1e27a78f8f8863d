"""CAP in sentences a custodian can repeat, and as blocks.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.cap import Cap, CapRow, GcapRow, Head, TcapRow, heads, lines
from unveil.view import tcap
from unveil.view.blocks import Block, Heading, TableBlock, notes, sentences, table
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

TEMPLATES = {
    "sizes": "{original} in the original; {methods}.",
    "assumed": (
        "Assumed intruder: knows {keys}, draws one of the synthetic records with the same keys, and"
        " takes its {target} for the person's."
    ),
    "tolerance": "Values of {target} agree if they differ by no more than {radius}.",
    "guess": (
        "{who}, {copies}: a guess is correct for {zero} of {n} (no match counts as wrong); baseline"
        " {base}, original {original}. Of the {found} with a match ({rate}) it is correct for"
        " {undefined}; baseline {base_matched}, original {original_matched}."
    ),
    "guess all": (
        "{who}, {copies}: a guess is correct for {zero} of {n}, all with a match; baseline {base},"
        " original {original}."
    ),
    "no match": "{who}, {copies}: no one is matched, so nothing can be guessed.",
    "nobody": "{who}: there are none.",
    "at the baseline": (
        "Among those with a match this is at the baseline: the target is nearly independent of the"
        " keys in the synthetic data. Little is disclosed, but utility may be low."
    ),
    "no more": (
        "Among those with a match this is at the baseline: no more is disclosed than is known"
        " already."
    ),
    "below the baseline": (
        "Among those with a match this is below the baseline: the synthetic data mislead, and"
        " utility may be low."
    ),
    "below what is known": (
        "Among those with a match this is below the baseline: an intruder who trusts the synthetic"
        " data is correct less often than by prior knowledge."
    ),
    "below, as the original": (
        "Among those with a match this is below the baseline, but no lower than with the original:"
        " the keys mislead, not the synthetic data."
    ),
    "as the original": (
        "Among those with a match this is as high as with the original: the synthetic data hardly"
        " protect them."
    ),
    "between": "Among those with a match this is {part} of the way from baseline to original.",
    "settled": (
        "For {settled} of {n} all matching records agree with each other, and for {right} of these"
        " also with the true value."
    ),
}

WHO = {
    "full": "Everyone",
    "uniques": "People unique on the keys in the original",
    "special": "Special uniques",
    "mask": "People in the mask",
}
RULES = {"zero": "non-matches as zero", "undefined": "non-matches as undefined"}

# What is said in place of words on utility, which are for everyone against the marginal alone.
ELSEWHERE = {"at the baseline": "no more", "below the baseline": "below what is known"}


def sizes(record: Cap) -> str:
    """How much data there is."""
    methods = [
        f"{format_count(len(method.n_synthetic), 'copy', 'copies')}{method_phrase(method.name)}"
        for method in record.methods
    ]
    return TEMPLATES["sizes"].format(
        original=format_count(record.n_original, "record"), methods=", ".join(methods)
    )


def assumptions(record: Cap) -> Iterator[str]:
    """What is assumed about the intruder."""
    for key_set in record.key_sets:
        said = {"keys": and_list(key_set.keys), "target": and_list(record.targets)}
        prefix = f"{truncate(key_set.name)}: " if len(record.key_sets) > 1 else ""
        yield prefix + TEMPLATES["assumed"].format(**said)
    yield f"Baseline: {_baseline(record)}."
    for one in record.tolerance:
        yield TEMPLATES["tolerance"].format(target=truncate(one.target), radius=f"{one.radius:g}")


def _baseline(record: Cap) -> str:
    if record.baseline == "marginal":
        return "a guess from the distribution of the target in the original"
    return f"given: {truncate(record.baseline)}"


def cap_sentences(
    row: CapRow, *, is_marginal: bool = True, with_settled: bool = False
) -> Iterator[str]:
    """What one row says, and where it stands between baseline and original."""
    for _, text in cap_keyed(row, is_marginal=is_marginal, with_settled=with_settled):
        yield text


def cap_keyed(
    row: CapRow, *, is_marginal: bool = True, with_settled: bool = False
) -> Iterator[tuple[str, str]]:
    """What one row says, each sentence by its name.

    That a CAP at the baseline, or below it, may be a utility problem is said of everyone, against
    the marginal alone (Taub et al. 2018, footnote 5): another baseline may know more than that.
    """
    who = WHO[row.scenario]
    copies = f"{'one copy' if row.m == 1 else f'{row.m} copies'}{method_phrase(row.method)}"
    pool = copies if row.m == 1 else f"{copies} pooled"
    said = {"who": who, "copies": pool}
    if not row.n:
        yield "nobody", TEMPLATES["nobody"].format(**said)
        return
    if not row.n_match:
        yield "no match", TEMPLATES["no match"].format(**said)
        return
    guess = "guess" if row.n_match < row.n else "guess all"
    yield (
        guess,
        TEMPLATES[guess].format(
            **said,
            zero=format_share(row.cap_synthetic_zero),
            undefined=format_share(row.cap_synthetic_undefined),
            n=people(row.n),
            found=people(row.n_match),
            rate=format_share(row.match_rate),
            base=format_share(row.cap_baseline),
            original=format_share(row.cap_original),
            base_matched=format_share(row.cap_baseline_matched),
            original_matched=format_share(row.cap_original_matched),
        ),
    )
    if (stands := cap_standing(row)) is not None:
        kind, part = stands
        of_utility = is_marginal and row.scenario == "full"
        template = kind if of_utility else ELSEWHERE.get(kind, kind)
        yield template, TEMPLATES[template].format(part=format_share(part))
    if with_settled:
        settled, right = f"{row.n_settled:,}", f"{row.n_right:,}"
        yield "settled", TEMPLATES["settled"].format(settled=settled, right=right, n=people(row.n))


def all_cap_sentences(record: Cap) -> Iterator[str]:
    """Every method with all its copies, in each scenario, then what their number does.

    With several key sets it is said of the first; the table has all.
    """
    is_marginal, has_tolerance = record.baseline == "marginal", bool(record.tolerance)
    keys = record.key_sets[0].keys
    for scenario in record.scenarios:
        for method in record.methods:
            row = record.rows_of(method.name, keys, scenario)[-1]
            yield " ".join(cap_sentences(row, is_marginal=is_marginal, with_settled=has_tolerance))
    yield from trend_sentences(record)


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
    yield from sentences(tcap.tcap_sentences(next(iter(last.values())), record.tau))


def _label(record: Cap, row: TcapRow | GcapRow | CapRow) -> str:
    label = label_of(row.method, row.m)
    if len(record.key_sets) < 2:
        return label
    return f"{label}, {truncate(key_set_name(record, row.keys))}"

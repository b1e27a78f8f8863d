"""CAP in sentences a custodian can repeat, and as it is shown in a notebook.

One catalogue of templates, filled from records only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.cap import Cap, CapRow, Head, heads, lines
from unveil.view.cap_trend import FIT_HEADS, fit_cells, trend_sentences
from unveil.view.cap_words import (
    SCENARIOS,
    cap_standing,
    format_share,
    label_of,
    method_phrase,
    share,
)
from unveil.view.format import and_list, format_count, people, truncate
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "title": "How often would a guess among matching records be right?",
    "sizes": "{original} in the original; {methods}.",
    "assumed": (
        "We assume an intruder who knows {keys} of a person, draws one of the synthetic records"
        " with the same values, and takes its {target} for the person's."
    ),
    "baseline": "The baseline is {baseline}.",
    "tolerance": "Values of {target} agree where they differ by no more than {radius}.",
    "guess": (
        "{who}, with {copies}: guesses are right for {zero} of {n}, who count as guessed"
        " wrongly where nothing matches;"
        " by what is known already for {base}, with the original for {original}. Among those"
        " with a match ({found}, {rate}) they are right for {undefined}; by what is known already"
        " for {base_matched}, with the original for {original_matched}."
    ),
    "guess all": (
        "{who}, with {copies}: guesses are right for {zero} of {n}, all of them with a match; by"
        " what is known already for {base}, with the original for {original}."
    ),
    "no match": (
        "{who}, with {copies}: nobody's keys occur in the synthetic data, so nothing could be"
        " guessed."
    ),
    "nobody": "{who}: there are none.",
    "at the baseline": (
        "Among those with a match this is at the baseline: in the copies the target is as good as"
        " independent of the keys. Little is given away, but it may be a utility problem."
    ),
    "no more": (
        "Among those with a match this is at the baseline: no more is given away about them than is"
        " known already."
    ),
    "below the baseline": (
        "Among those with a match this is below the baseline, worse than guessing by frequencies:"
        " the copies mislead, which may be a utility problem."
    ),
    "below what is known": (
        "Among those with a match this is below the baseline: whoever trusts the copies about them"
        " is right less often than by what is known already."
    ),
    "below, as the original": (
        "Among those with a match this is below the baseline, but no worse than with the original:"
        " it is their keys that mislead, not the copies."
    ),
    "as the original": (
        "Among those with a match this is as good as with the original: the copies hardly protect"
        " them."
    ),
    "between": "Among those with a match this is {part} of the way from baseline to original.",
    "settled": (
        "For {settled} of {n} all matching records agree with each other, and for {right} of these"
        " also with the truth."
    ),
}

WHO = {
    "full": "Everyone",
    "uniques": "People alone with their keys in the original",
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
    yield TEMPLATES["baseline"].format(baseline=_baseline(record))
    for one in record.tolerance:
        yield TEMPLATES["tolerance"].format(target=truncate(one.target), radius=f"{one.radius:g}")


def _baseline(record: Cap) -> str:
    if record.baseline == "marginal":
        return "the shares of the target in the original"
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
        told = TEMPLATES["settled"].format(settled=settled, right=right, n=people(row.n))
        yield "settled", told


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
    """What stands above a column, the rule for non-matches left out."""
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


@as_html.register
def _(record: Cap) -> str:
    columns = heads(record)
    texts = tuple(f"{RULES[head.rule]}, {head_text(record, head)}" for head in columns)
    fits = [fit_cells(record, fit) for fit in record.on_m if fit.n_points > 2]
    return titled_view(
        _headline(record),
        paragraph(sizes(record)),
        *map(paragraph, assumptions(record)),
        grid("CAP with m copies pooled", ("", *texts), layout(record, columns)),
        grid("CAP on the number of copies", FIT_HEADS, fits),
        *map(paragraph, all_cap_sentences(record)),
        notes(record.coercions),
    )

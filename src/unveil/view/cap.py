"""CAP, four measures called TCAP, and GCAP: in sentences a custodian can repeat, and as blocks."""

from collections.abc import Callable, Iterator
from typing import Literal

from unveil.records.cap import (
    BASELINE,
    ORIGINAL,
    Cap,
    CapRow,
    Gcap,
    GcapRow,
    Head,
    OnM,
    Tcap,
    TcapRow,
    heads,
    lines,
)
from unveil.view.blocks import Block, Heading, Sentence, TableBlock, notes, say, sentences, table
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import bars_panel, figure_row
from unveil.view.charts.marks import describe_rows, percent_axis, stroke
from unveil.view.format import (
    and_list,
    format_count,
    format_share,
    people,
    percent,
    percent_or_dash,
    truncate,
)
from unveil.view.show import as_blocks, as_text

SCENARIOS = {
    "full": "full set",
    "uniques": "statistical uniques",
    "special": "special uniques",
    "mask": "mask",
}
UNNAMED = "synthetic"
"""What the only method is called where none was named."""

# One point in a hundred: so near to the baseline, or to the original, counts as there.
AT_AN_END = 0.01
DIGITS = 12  # 0.2 and 0.19 differ by a point, whatever becomes of the last binary digit

Standing = Literal[
    "below the baseline", "below, as the original", "at the baseline", "as the original", "between"
]


def share(value: float | None) -> str:
    """A share from 0 to 1 with three digits, as in the paper; never a positive 0 or a false 1."""
    if value is None:
        return "-"
    if value in (0, 1):
        return f"{value:.0f}"
    if value < 0.0001:
        return "<0.0001"
    shown = f"{value:.3f}" if value >= 0.1 else f"{value:.3g}"
    return ">0.999" if shown == "1.000" and value < 1 else shown


def method_phrase(method: str) -> str:
    """Whose copies; nothing where no method was named."""
    return "" if method == UNNAMED else f" of {truncate(method)}"


def label_of(label: str, m: int | None) -> str:
    """What stands before a row."""
    if m is None:
        return {ORIGINAL: "Original", BASELINE: "Baseline"}[label]
    return f"m = {m}" if label == UNNAMED else f"{truncate(label)} m = {m}"


def key_set_name(record: Cap, keys: tuple[str, ...]) -> str:
    """What a set of keys is called."""
    return next(one.name for one in record.key_sets if one.keys == keys)


def cap_standing(row: CapRow) -> tuple[Standing, float] | None:
    """Where the CAP among those matched stands, and what part of the way it is from the baseline.

    Baseline and original are those of the same people. Within a point of the baseline is at it; not
    below the original by more than that is as the original.
    """
    low, high = row.cap_baseline_matched, row.cap_original_matched
    cap = row.cap_synthetic_undefined
    if low is None or high is None or cap is None:
        return None
    above, lacking = round(cap - low, DIGITS), round(high - cap, DIGITS)
    if above < -AT_AN_END:
        return "below the baseline" if lacking > AT_AN_END else "below, as the original", 0.0
    if above <= AT_AN_END:
        return "at the baseline", 0.0
    if lacking <= AT_AN_END:
        return "as the original", 1.0
    return "between", (cap - low) / (high - low)


# What the number of copies does to the CAP: a sentence chosen from slopes and matches

FIT_HEADS = ("method", "scenario", "non-matches", "intercept", "m", "p of m")
SIGNIFICANT = 0.05


def trend_sentences(record: Cap) -> Iterator[tuple[str, str]]:
    """What the number of copies does, in the first scenario and by the first set of keys."""
    scenario, keys = record.scenarios[0], record.key_sets[0].keys
    n_copies = [len(method.n_synthetic) for method in record.methods]
    if max(n_copies) < 2:
        return
    if max(n_copies) < 3:
        yield "m few", "Fewer than three copies: the effect of their number cannot be estimated."
        return
    for method, n in zip(record.methods, n_copies, strict=True):
        if n >= 3:
            zero = record.fit(method.name, keys, scenario, "zero")
            undefined = record.fit(method.name, keys, scenario, "undefined")
            first, *_, last = record.rows_of(method.name, keys, scenario)
            yield trend_sentence(zero, undefined, (first.n_match, last.n_match))
    yield "m guide", "Pools of m copies are nested, not independent: take p as a guide."


# By whether people find a match with all copies who have none with one, and by both slopes.
KINDS = {
    (True, "rises", "flat"): "m matches",
    (True, "rises", "rises"): "m both",
    (True, "rises", "falls"): "m thinner",
    (True, "flat", "flat"): "m none",
    (False, "rises", "rises"): "m surer",
    (False, "falls", "falls"): "m vaguer",
    (False, "flat", "flat"): "m none",
}


def trend_sentence(zero: OnM, undefined: OnM, n_match: tuple[int, int]) -> tuple[str, str]:
    """One method: the sentence that fits both slopes, and the matches with one and all copies."""
    one, every = n_match
    kind = KINDS.get((every > one, direction(zero), direction(undefined)), "m other")
    signed = kind == "m other"
    by_zero = f"{_slope(zero, signed=signed)} where non-matches count as zero"
    by_zero += f" ({p_value(zero.p_slope)})"
    p = f"({p_value(undefined.p_slope)})"
    among = f"by {_slope(undefined, signed=signed)} among those with a match {p}"
    said = {
        "m matches": (
            f"each further copy raises the CAP by {by_zero}, because more people are matched. Among"
            f" those matched, the number of copies makes no visible difference {p}."
        ),
        "m both": (
            f"each further copy raises the CAP by {by_zero}, and {among}: more people are matched,"
            " and more is disclosed about them."
        ),
        "m surer": (
            f"each further copy raises the CAP by {by_zero}, and {among}: no one else is matched,"
            " but more is disclosed about those matched."
        ),
        "m vaguer": (
            f"each further copy lowers the CAP by {by_zero}, and {among}: no one else is matched,"
            " and less is disclosed about those matched."
        ),
        "m thinner": (
            f"each further copy raises the CAP by {by_zero}, because more people are matched, but"
            f" lowers it {among}."
        ),
        "m none": (
            "the number of copies makes no visible difference, neither where non-matches count as"
            f" zero ({p_value(zero.p_slope)}) nor among those with a match {p}."
        ),
        "m other": f"with each further copy the CAP changes by {by_zero}, and {among}.",
    }[kind]
    about = f"{SCENARIOS[zero.scenario]}, keys {and_list(zero.keys)}"
    named = zero.method != UNNAMED
    about = f"{truncate(zero.method)}, {about}" if named else about[0].upper() + about[1:]
    return kind, f"{about}: {said}"


def direction(fit: OnM) -> Literal["rises", "falls", "flat", "unknown"]:
    """Which way the CAP goes with m, if it shows; a perfect line needs no test."""
    if fit.slope is None or fit.df == 0:
        return "unknown"
    shows = fit.slope != 0 if fit.p_slope is None else fit.p_slope < SIGNIFICANT
    if not shows:
        return "flat"
    return "rises" if fit.slope > 0 else "falls"


def _slope(fit: OnM, *, signed: bool) -> str:
    """A slope with three digits; what the words around it do not say, its sign does."""
    if fit.slope is None:
        return "-"
    return f"{fit.slope if signed else abs(fit.slope):.3g}"


def p_value(p: float | None) -> str:
    """A p in a sentence."""
    if p is None:
        return "p not defined"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def fit_cells(record: Cap, fit: OnM) -> tuple[str, ...]:
    """One regression under FIT_HEADS; with several key sets the scenario names its own."""
    several = len(record.key_sets) > 1
    where = f", {truncate(key_set_name(record, fit.keys))}" if several else ""
    slope = _slope(fit, signed=True)
    intercept = "-" if fit.intercept is None else f"{fit.intercept:.3f}"
    p = "-" if fit.p_slope is None else p_value(fit.p_slope).removeprefix("p ").removeprefix("= ")
    return (
        truncate(fit.method),
        f"{SCENARIOS[fit.scenario]}{where}",
        fit.nonmatch,
        intercept,
        slope,
        p,
    )


# TCAP, four measures by four names, and GCAP

TCAP_TITLE = "Four measures called TCAP"
TCAP_HEADS = ("", "Taub, Elliot", "undefined as 0", "Raab", "uniques only", "if determined")
AT_RANDOM = "at random"


def tcap_sentences(row: TcapRow, tau: float) -> Iterator[tuple[str, str]]:
    """Each of the four by its name."""
    sure = "" if tau == 1 else f" in at least {format_share(tau)} of the records with the same keys"
    taub, target = "Taub and Elliot's TCAP", _target(row)
    if not row.n_selected:
        yield "tcap none", f"{taub}: no synthetic record shows a single value{sure}."
    elif row.tcap is None:
        yield (
            "tcap no keys",
            f"{taub}: {row.n_selected:,} of the synthetic records show a single value{sure}, but no"
            " one in the original has their keys.",
        )
    else:
        yield (
            "tcap",
            f"{taub}: {row.n_selected:,} of {row.n_synthetic:,} synthetic records show a single"
            f" value of {target}{sure}; {row.n_undefined:,} have keys that no one in the original"
            f" has. The others are correct in {format_share(row.tcap)} of cases, at random in"
            f" {format_share(row.tcap_baseline)}.",
        )
    if row.tcap_raab is None:
        yield "tcap raab none", "Raab's TCAP: no one is matched in the synthetic data."
    else:
        share_, base = percent(row.tcap_raab), percent_or_dash(row.tcap_raab_baseline)
        matched = f"{share_} of the people matched, at random {base}"
        yield "tcap raab", f"Raab's TCAP: {target} is correctly disclosed for {matched}."
    if row.tcap_uniques is None:
        yield "tcap uniques none", "TCAP of Chen and of Chapelle: no one is unique on the keys."
    else:
        text = (
            "TCAP of Chen and of Chapelle: a random guess is correct in"
            f" {format_share(row.tcap_uniques)} of cases for {people(row.n_uniques)} unique on the"
            f" keys in the original, baseline {format_share(row.tcap_uniques_baseline)}; no match"
            " counts as wrong."
        )
        yield "tcap uniques", text
    if row.correct_if_determined is None:
        yield "tcap determined none", "TCAP of Little et al.: no one has a single value."
    else:
        text = (
            f"TCAP of Little et al.: of {people(row.n_determined)} with a single value of"
            f" {_target(row)}, it is correct for {percent(row.correct_if_determined)}; at random"
            f" {percent_or_dash(row.correct_if_determined_baseline)}."
        )
        yield "tcap determined", text


def _target(row: Tcap | TcapRow | GcapRow) -> str:
    return and_list((row.target,) if isinstance(row.target, str) else row.target)


def tcap_figures(row: TcapRow) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """The measures under TCAP_HEADS as shares, and the baseline of each."""
    defined = 1 - row.n_undefined / row.n_selected if row.n_selected else None
    zero = None if row.tcap_baseline is None or defined is None else row.tcap_baseline * defined
    figures = (row.tcap, row.tcap_zero, _share(row.tcap_raab), row.tcap_uniques)
    baselines = (row.tcap_baseline, zero, _share(row.tcap_raab_baseline), row.tcap_uniques_baseline)
    determined = (row.correct_if_determined, row.correct_if_determined_baseline)
    return (*figures, _share(determined[0])), (*baselines, _share(determined[1]))


def _share(percentage: float | None) -> float | None:
    return None if percentage is None else percentage / 100


def tcap_cells(
    label: str, row: TcapRow, shown: Callable[[float | None], str] = share
) -> Iterator[tuple[str, ...]]:
    """Two lines under TCAP_HEADS: the measures, and how often the same is correct at random."""
    figures, baselines = tcap_figures(row)
    yield label, *map(shown, figures)
    yield AT_RANDOM, *map(shown, baselines)


TCAPS = {
    "where a synthetic record is certain (Taub)": 0,
    "matched, and determined correctly (Raab)": 2,
    "unique on their keys (Chapelle)": 3,
    "correct where determined (Little)": 4,
}
"""The measures called TCAP, and where each stands under TCAP_HEADS."""


def tcap_chart(record: Tcap) -> Chart:
    """The four measures called TCAP, all copies pooled, each with its baseline as a stroke."""
    both = tcap_figures(record.rows[-1])
    rows = []
    for name, place in TCAPS.items():
        value, base = (None if (y := one[place]) is None else 100 * y for one in both)
        told = f"{percent_or_dash(value)}, at random {percent_or_dash(base)}"
        rows.append({**figure_row(name, value, told), "baseline": base})
    ends = [row[field] for row in rows for field in ("value", "baseline")]
    x = percent_axis("percent, each of its own people", ends)
    return Chart(
        bars_panel(rows, x, more=[stroke(x, "baseline")]),
        title=f"The four TCAP measures of {_target(record)}, and at random",
        description=describe_rows(rows),
    )


def gcap_sentence(row: GcapRow) -> str:
    """What one row says."""
    whom = f"{format_share(row.gcap)} of {people(row.n)}"
    if row.n_match == row.n:
        return f"GCAP: everyone has a match, so it equals the CAP: correct for {whom}."
    distance = row.mean_distance * row.n / (row.n - row.n_match)
    keys = "1 key" if f"{distance:.2f}" == "1.00" else f"{distance:.2f} keys"
    return (
        f"GCAP: a draw among the records with the nearest keys is correct for {whom}."
        f" {row.n_match:,} have a match; for the others the nearest records differ in {keys} on"
        " average."
    )


@as_text.register
def _(record: Tcap) -> str:
    raab, little = map(percent_or_dash, (record.tcap_raab, record.correct_if_determined))
    return (
        f"TCAP of {_target(record.rows[0])} from {and_list(record.keys)}: Taub and Elliot"
        f" {share(record.tcap)} (tau {record.tau:g}), Raab {raab}, uniques only"
        f" {share(record.tcap_uniques)}, if determined {little}"
    )


@as_blocks.register
def _(record: Tcap) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from say(tcap_sentences(record.rows[-1], record.tau))
    rows = [line for row in record.rows for line in tcap_cells(label_of(row.method, row.m), row)]
    yield table(TCAP_TITLE, TCAP_HEADS, rows)
    yield from notes(record.coercions)


@as_text.register
def _(record: Gcap) -> str:
    return f"GCAP of {_target(record.rows[0])} from {and_list(record.keys)}: {share(record.gcap)}"


@as_blocks.register
def _(record: Gcap) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield Sentence(gcap_sentence(record.rows[-1]))
    rows = [(label_of(row.method, row.m), share(row.gcap)) for row in record.rows]
    yield table("GCAP with m copies pooled", ("", "GCAP"), rows)
    yield from notes(record.coercions)


# CAP

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
        yield from sentences(gcap_sentence(row) for row in last.values())
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
    rows = [line for row in last.values() for line in tcap_cells(_label(record, row), row)]
    yield table(TCAP_TITLE, TCAP_HEADS, rows)
    yield from say(tcap_sentences(next(iter(last.values())), record.tau))


def _label(record: Cap, row: TcapRow | GcapRow | CapRow) -> str:
    label = label_of(row.method, row.m)
    if len(record.key_sets) < 2:
        return label
    return f"{label}, {truncate(key_set_name(record, row.keys))}"

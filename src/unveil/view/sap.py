"""SAP in sentences a custodian can repeat, and as blocks."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import prod

from unveil.records.count_tables import Sap, SapChance, SapLesson, SapTaught
from unveil.records.limits import SapVerdict
from unveil.view.blocks import Block, Heading, Items, Sentence, limit_line, sentences, table
from unveil.view.charts.chart import Chart
from unveil.view.charts.lines import StepLine, numbers_shown, sap_curve
from unveil.view.format import (
    agree,
    and_list,
    between,
    format_count,
    is_open,
    people,
    probability,
    probability_figure,
    truncate,
)
from unveil.view.show import as_blocks, as_text

THRESHOLD = 0.05
WORDS = 3
BAR = 24
SCALE = "0" + "\u00a0" * (BAR - 2) + "1"
CURVE = "Subtraction attribution probability (SAP) by number of people known (n)"
BOUNDS_NOTE = "SAP: certain bounds. Simulated: with 95 % confidence."


def sap_sentences(
    record: Sap, *, threshold: float = THRESHOLD, words: int = WORDS
) -> Iterator[tuple[str, str]]:
    """What the curve says, by the name of the figure."""
    if record.first_risk == 0:
        yield (
            "starts",
            f"The published table contains a zero {_combination(record)}, so attribution is"
            " possible without knowing anyone: SAP = 1 for all n.",
        )
    else:
        yield "starts", _starts(record.lower, record.upper)
        yield "passes", _passes(record.lower, record.upper, threshold)
        for n in numbers_in_words(record, threshold, words):
            yield "sap", sap_sentence(record, n)
    if record.exposed and record.first_risk != 0:
        fixed = dict(record.given)
        levels = zip(record.dims, record.n_levels, strict=True)
        m = prod(n for dim, n in levels if dim not in fixed)
        k = len(record.exposed)
        said = f"{k:,} of {m:,} cells are known to be empty once all their own members are known."
        every = (
            "Every count is published exactly, so a group that knows all its members can rule"
            " everyone else out."
        )
        yield "exposed", every if k == m else said
    if record.of_sample:
        yield "sample", "This assumes that the intruder knows who is in the sample."
    if record.known:
        yield "known", f"Assumed known from the start: {_list_known(record)}."
    for one in record.by_depth:
        said = _starts(one.lower, one.upper)
        d = format_count(one.depth, "variable")
        yield "depth", f"With at most {d}: {said[0].lower() + said[1:]}"
    yield from _stopped_sentences(record)
    if record.taught is None:
        text = "Which zeros the published table discloses by itself could not be found in time."
        yield "taught", text
    elif record.taught.n_recovered:
        yield "taught", _taught(record.taught)
    if any(record.all_known):
        everyone = people(record.N)
        text = f"Beyond {everyone} everyone is known: larger n have the figures of {everyone}."
        yield "everybody", text


def _stopped_sentences(record: Sap) -> Iterator[tuple[str, str]]:
    """What is said of a search that ended early."""
    if not record.complete:
        boxes = format_count(record.n_nodes or 0, "box", "boxes")
        when = "early" if record.n_nodes is None else f"after {boxes}"
        text = f"The search stopped {when}: SAP lies between the certified bounds shown."
        yield "certified", text
        if record.n_unseen:
            yield (
                "unseen",
                f"Not settled: {record.n_unseen:,} of {len(record.cell_bounds):,} cells were not"
                " looked at before time ran out. Give the search more time with --seconds.",
            )
        if (widest := _widest(record)) is not None:
            yield "simulated", _simulation_sentence(widest)


def sap_sentence(record: Sap, n: int) -> str:
    """The figure of one number of known people, in words."""
    low, high = bounds_at(record, n)
    some = "a" if low == high == 0 else "some"
    who = "an intruder who knows"
    of = f"{f'{n:,}' if n else 'none'} of the {format_count(record.N, 'member')}{_whose(record)}"
    empty = f"be certain that {some} {_combination(record)} applies to none of the others."
    if low == high and low in (0, 1):
        return f"An intruder who knows any {of} can {'never ' if low == 0 else ''}{empty}"
    if is_open(low, high):
        return f"Not settled: whether {who} {of} can {empty}"
    span = between(low, high)
    p = f"probability {probability(high)}" if span is None else f"a probability {span}"
    return f"An intruder who knows {of} can, with {p}, {empty}"


def bounds_at(record: Sap, n: int) -> tuple[float | Fraction, float | Fraction]:
    """What is known of SAP(n): one fraction twice, or two bounds."""
    exact = record.exact[n]
    if exact is None:
        return record.lower[n], record.upper[n]
    return Fraction(exact), Fraction(exact)


def _starts(lower: Sequence[float], upper: Sequence[float]) -> str:
    first = next((n for n, low in enumerate(lower) if low > 0), None)
    last = people(len(lower) - 1)
    if first is None and upper[-1] > 0:
        return f"Whether there is a risk with up to {last} known could not be determined."
    if first is None:
        return f"There is no risk up to {last} known: SAP is 0."
    if first == 0 or upper[first - 1] > 0:
        return f"The risk starts at {people(first)} known at the latest."
    return f"The risk starts at {people(first)} known; below that SAP is 0."


def _passes(lower: Sequence[float], upper: Sequence[float], threshold: float) -> str:
    surely = next((n for n, low in enumerate(lower) if low > threshold), None)
    perhaps = next((n for n, high in enumerate(upper) if high > threshold), None)
    t, last = f"{threshold:g}", people(len(lower) - 1)
    if perhaps is None:
        return f"SAP does not exceed {t} with up to {last} known."
    if surely is None:
        earliest = f"SAP may exceed {t} from {people(perhaps)} known"
        return f"{earliest}; its lower bound does not up to {len(lower) - 1:,}."
    if surely == perhaps:
        return f"SAP exceeds {t} from {people(surely)} known."
    latest = f"{people(surely)} known at the latest"
    return f"SAP exceeds {t} from {latest}, from {perhaps:,} at the earliest."


def numbers_in_words(record: Sap, threshold: float, words: int) -> list[int]:
    """The n to speak of: where the risk starts, where it passes, the last, where it is even."""
    left = [n for n in record.n if n < record.N] or [record.n[-1]]
    if record.upper[-1] == 0:  # the same sentence for every n
        return left[-1:][:words]
    passes, even = (
        next((n for n in record.n if record.lower[n] > p), None) for p in (threshold, 0.5)
    )
    wanted = [n for n in (record.first_risk, passes, left[-1], even) if n in left]
    ordered = dict.fromkeys([*wanted, *left[1:], *left])
    return sorted(list(ordered)[:words])


def _combination(record: Sap) -> str:
    if record.depth is not None:
        return f"combination of at most {format_count(record.depth, 'variable')}"
    return "combination" if len(record.dims) > 1 else "category"


def _whose(record: Sap) -> str:
    if not record.given:
        return ""
    return f" with {and_list(f'{dim}={level}' for dim, level in record.given)}"


def _list_known(record: Sap) -> str:
    return and_list(f"{people(n)} with {who}" for who, n in record.known)


def _widest(record: Sap) -> SapChance | None:
    """The draws beside the bounds that are furthest apart, where they say more than these."""
    useful = [one for one in record.monte_carlo if one.tighter]
    return max(useful, key=lambda one: record.upper[one.n] - record.lower[one.n], default=None)


def _simulation_sentence(one: SapChance) -> str:
    span = between(one.lower, one.upper) or f"about {probability(one.upper)}"
    return (
        f"Simulated with {one.n_draws:,} draws, SAP with {people(one.n)} known is"
        f" {probability(one.estimate)}: {span} with 95 % confidence."
    )


def _taught(taught: SapTaught) -> str:
    settled = people(taught.n_people_settled)
    counts = (
        (taught.settles, "determines", f"the remaining variable for {settled}"),
        (taught.rules_out_level, "rules", "out a level"),
        (taught.combination_only, "rules", "out a combination only"),
    )
    kinds = [f"{k:,} {agree(k, verb, verb[:-1])} {what}" for k, verb, what in counts if k]
    some = " and ".join([", ".join(kinds[:-1]), kinds[-1]]) if len(kinds) > 1 else "".join(kinds)
    n = format_count(taught.n_recovered, "empty cell")
    said = f"Published zeros disclose, without knowing anyone: {n}. {some}."
    return f"{said} Example: {lesson(taught.lessons[0])}." if taught.lessons else said


LESSONS = {
    "settles": "{cell} is empty, which determines {variables} for those with the other levels",
    "rules_out_level": "{cell} is empty, which rules out that level of {variables}",
    "combination_only": "{cell} is empty",
}


def lesson(one: SapLesson) -> str:
    """What one recovered zero discloses."""
    return LESSONS[one.kind].format(cell=truncate(one.cell), variables=and_list(one.variables))


def verdict_sentence(record: Sap, verdict: SapVerdict) -> str:
    """What a limit said."""
    low, high = bounds_at(record, verdict.n)
    span = between(low, high) or probability(high)
    said, limit = f"SAP with {people(verdict.n)} known is {span}", f"{verdict.limit:g}"
    if verdict.status == "not settled":
        return (
            f"{said}: whether it is within your limit of {limit} could not be determined, so the"
            " limit counts as exceeded."
        )
    return f"{said}, {verdict.status} your limit of {limit}."


def published_phrase(schemes: Sequence[tuple[str, str]]) -> str:
    """What is published and how, part by part; those alike together."""
    if not schemes:
        return "nothing"
    by_scheme: dict[str, list[str]] = {}
    for part, scheme in schemes:
        by_scheme.setdefault(scheme, []).append(" by ".join(part.split(",")))
    return "; ".join(f"{and_list(parts)} ({scheme})" for scheme, parts in by_scheme.items())


def lines_of(record: Sap) -> list[StepLine]:
    """The curve to draw; one for each depth where these were asked for."""
    if not record.by_depth:
        return [StepLine("SAP", record.lower, record.upper)]
    return [
        StepLine(f"at most {format_count(one.depth, 'variable')}", one.lower, one.upper)
        for one in record.by_depth
    ]


def curve_rows(
    record: Sap, threshold: float = THRESHOLD
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heads and rows of the curve, with the simulation beside bounds that do not agree."""
    passes = [n for n in record.n if record.lower[n] > threshold][:1]
    first = [] if record.first_risk is None else [record.first_risk - 1, record.first_risk]
    shown = numbers_shown(record.n[-1], [*first, *passes])
    drawn = {one.n: one for one in record.monte_carlo}
    depths = record.by_depth
    heads = ("n", "SAP", *(("simulated",) if drawn else ()), *(f"depth {d.depth}" for d in depths))
    rows = []
    for n in shown:
        beside = [_format_simulation(drawn.get(n))] if drawn else []
        at_depth = [probability_figure(one.lower[n], one.upper[n]) for one in depths]
        rows.append((f"{n:,}", probability_figure(*bounds_at(record, n)), *beside, *at_depth))
    return heads, rows


def _format_simulation(one: SapChance | None) -> str:
    return "" if one is None else probability_figure(one.lower, one.upper)


def sap_chart(record: Sap, threshold: float | None = None) -> Chart:
    """The curve as a picture that names no count of the table."""
    return sap_curve(lines_of(record), threshold=threshold)


@as_text.register
def _(record: Sap) -> str:
    n = record.n[-1]
    if record.first_risk is None:
        start = "no risk" if record.upper[-1] == 0 else "no certain risk"
        return f"SAP of {and_list(record.dims)}: {start} up to {n:,} known people"
    span = probability_figure(*bounds_at(record, n))
    return (
        f"SAP of {and_list(record.dims)}: risk from {record.first_risk:,} known on; {span} with"
        f" {n:,} of {record.N:,} known"
    )


def sap_blocks(
    record: Sap,
    *,
    threshold: float = THRESHOLD,
    words: int = WORDS,
    notes: Sequence[str] | None = None,
    verdicts: Sequence[SapVerdict] = (),
    beside: Iterable[Block] = (),
) -> Iterator[Block]:
    """One published table, the sentences first; `beside` is what else was asked of it."""
    sizes = " x ".join(f"{size:,}" for size in record.n_levels)
    yield Heading("Disclosure risk of the table")
    yield Sentence(
        f"{and_list(record.dims)} ({sizes} cells), {people(record.N)}. Published:"
        f" {published_phrase(record.schemes)}.",
        "lead",
    )
    told = sap_sentences(record, threshold=threshold, words=words)
    yield from sentences(text for _, text in told)
    heads, rows = curve_rows(record, threshold)
    yield table(
        CURVE,
        (*heads, SCALE),
        [(*row, _bar(record, row)) for row in rows],
        text=(SCALE,),
        spare=(SCALE, *heads[2:]),
        footnote=BOUNDS_NOTE if "simulated" in heads else "",
    )
    yield from beside
    yield from reading_notes(record.notes if notes is None else notes)
    for verdict in verdicts:
        text = verdict_sentence(record, verdict)
        yield limit_line(text, is_within=verdict.status == "within")


def _bar(record: Sap, row: tuple[str, ...]) -> str:
    """What is certain as full blocks, up to the upper bound as light ones."""
    n = int(row[0].replace(",", ""))
    low, high = (round(value * BAR) for value in (record.lower[n], record.upper[n]))
    return "█" * low + "░" * (high - low)


def reading_notes(notes: Sequence[str]) -> Iterator[Block]:
    """How a table was read."""
    if notes:
        yield Heading("How the table was read", 4)
        yield Items(tuple(notes))


@as_blocks.register
def _(record: Sap) -> Iterator[Block]:
    yield from sap_blocks(record)

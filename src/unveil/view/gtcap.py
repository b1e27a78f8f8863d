"""GTCAP in sentences, blocks and as a histogram: about all statistical uniques, never about one."""

from collections.abc import Iterator, Sequence

from unveil.records.cap import Gtcap, GtcapBin, GtcapCopy, UniqueRule
from unveil.view.blocks import Block, Figure, Heading, Sentence, notes, say, table
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    DASHED,
    INK,
    SYNTHETIC,
    Align,
    Row,
    Spec,
    bar,
    describe_rows,
    number,
    panel,
    pixel,
    pixels,
    rule,
    write,
)
from unveil.view.format import (
    and_list,
    copy_name,
    fill,
    format_copies,
    format_count,
    format_share,
    people,
    percent,
    ratio,
    truncate,
)
from unveil.view.show import as_blocks, as_text

SWINGS = (
    "The two differ because for some people the original is hardly better than the baseline, which"
    " makes their scores very large or very negative. Use the second figure."
)
RULES: dict[UniqueRule, str] = {
    "all_keys": "no one else in the original is near them in every key",
    "key": "no one else in the original has any weight for them",
    "joint": "no one else in the original is near them in every key and target",
    "equal": "no one else in the original has the same keys",
}
HEADS = (
    *("copy", "GTCAP mean", "ratio of means"),
    *("synthetic", "baseline", "original", "none near"),
)
HISTOGRAM = "Normalised scores: 0 = baseline, 1 = original"
CAPTION = (
    "Statistical uniques by score, with the mean of all. The first and the last bar have no end."
)
BAR = 40  # letters of the longest bar on a terminal
SWING = 0.25
"""Mean and ratio of means farther apart than this are explained."""


def sizes(record: Gtcap) -> str:
    """How much data there is, and what is assumed of the intruder."""
    near = "No column has a radius: all must be the same."
    if record.radii:
        radii = and_list(f"{truncate(row.column)} {row.radius:.15g}" for row in record.radii)
        near = f"Near means closer than {radii}; all other columns must be the same."
    return (
        f"{people(record.n_original)} in the original, {format_copies(record.n_synthetic)}. An"
        " intruder knows"
        f" {and_list(record.keys)} and wants {and_list(record.target)}. {near}"
    )


def gtcap_sentences(record: Gtcap) -> Iterator[tuple[str, str]]:
    """What the figures say, the most important first, each sentence by its name."""
    if not record.n_unique:
        text = "No one is a statistical unique under this rule, so nothing could be measured."
        yield "none", text
        return
    said = fill(
        "{k} of {N} people ({p}) {k:is a statistical unique|are statistical uniques}: {rule}.",
        k=f"{record.n_unique:,}",
        N=f"{record.n_original:,}",
        p=percent(100 * record.n_unique / record.n_original),
        rule=RULES[record.unique_rule],
    )
    yield "uniques", said
    if record.mean is None:
        yield (
            "no scale",
            "The original discloses no more about any of them than the baseline, so there is no"
            " scale.",
        )
    else:
        of = "0 = baseline, a guess from the marginal distribution; 1 = original"
        yield "scale", f"GTCAP {ratio(record.mean)} ({of})."
    yield _means(record)
    apart = (record.mean or 0.0) - (record.ratio_of_means or 0.0)
    if None not in (record.mean, record.ratio_of_means) and abs(apart) > SWING:
        yield "swing", SWINGS
    if record.n_unmatched:
        yield (
            "unmatched",
            f"{record.n_unmatched:,} of them have no record near them in the synthetic data, which"
            " counts as 0.",
        )
    if record.n_dropped and record.mean is not None:
        yield (
            "dropped",
            f"{record.n_dropped:,} of them are not in the mean: the original discloses no more"
            " about them than the baseline.",
        )
    n_numeric = sum(row.column in record.keys for row in record.radii)
    if record.coefficient == "mean" and n_numeric > 1:
        yield (
            "dilution",
            f"A record that is near in only one of the {n_numeric} numeric keys still counts, with"
            f" 1/{n_numeric} of its proximity, and draws all scores towards the baseline. The"
            " coefficients product and minimum count only records near in every key.",
        )


def _means(record: Gtcap) -> tuple[str, str]:
    row = record.find_copy(record.headline_copy)
    said = (
        "A draw among the records near such a person, by weight, is correct in"
        f" {format_share(row.mean_synthetic)} of cases with the synthetic data,"
        f" {format_share(row.mean_original)} with the original and"
        f" {format_share(row.mean_baseline)} at the baseline"
    )
    if row.ratio_of_means is None:
        return "means without scale", f"{said}."
    return "means", f"{said}: {ratio(row.ratio_of_means)} on that scale."


def cells(row: GtcapCopy) -> tuple[str, ...]:
    """One copy under HEADS."""
    means = (row.mean_synthetic, row.mean_baseline, row.mean_original)
    return (
        copy_name(row.copy),
        ratio(row.mean),
        ratio(row.ratio_of_means),
        *(format_share(value) for value in means),
        f"{row.n_unmatched:,}" if isinstance(row.n_unmatched, int) else f"{row.n_unmatched:,.1f}",
    )


def ends(row: GtcapBin) -> str:
    """From where to where a bar of the histogram goes."""
    if row.low is None:
        return f"below {row.high:g}"
    return f"{row.low:g} and more" if row.high is None else f"{row.low:g} to {row.high:g}"


# The histogram

_WIDE, _HIGH = 480, 150


def gtcap_chart(record: Gtcap) -> Chart:
    """The normalised scores of the statistical uniques, with their mean.

    Of the record's bins the two that have no end are drawn as wide as their neighbours.
    """
    bins = record.histogram
    rows: list[Row] = [{"name": ends(one), "n": one.n, "told": f"{one.n:,}"} for one in bins]
    mean = "no mean" if record.mean is None else f"mean {ratio(record.mean)}"
    x: Spec = {
        "field": "name",
        "type": "nominal",
        "sort": [row["name"] for row in rows],
        "title": "0 = baseline, 1 = original",
        "axis": {"labelAngle": -45},
        "scale": {"paddingInner": 0.08, "paddingOuter": 0.04},
    }
    most = max((row["n"] for row in rows), default=0)
    axis = {"tickCount": 4, "tickMinStep": 1, "format": ",d"}
    y = number("n", "statistical uniques", scale={"domain": [0, max(1, most)]}, axis=axis)
    some = [row for row in rows if row["n"]]
    layers = [
        bar(x, y, rows, color=SYNTHETIC),
        *_mean(record.mean, bins),
        # Twice: a white edge below keeps the figure legible where the line of the mean crosses it.
        write("told", x, y, "center", rows=some, dy=-7, fontSize=11, stroke="white", strokeWidth=4),
        write("told", x, y, "center", rows=some, dy=-7, fontSize=11),
    ]
    return Chart(
        panel(layers, _WIDE, _HIGH),
        title=f"GTCAP of {and_list(record.target)} from {and_list(record.keys)}",
        description=f"{format_count(record.n_unique, 'statistical unique')}, {mean}."
        f" {describe_rows(some)}",
    )


def _mean(mean: float | None, bins: Sequence[GtcapBin]) -> list[Spec]:
    """An upright line at the mean, with its name above the bars."""
    if mean is None:
        return []
    middle = _WIDE * place_of(mean, bins) / len(bins)
    rows = [{"at": middle, "text": f"mean {ratio(mean)}"}]
    align: Align = "left" if middle < _WIDE - 80 else "right"
    shift = 5 if align == "left" else -5
    return [
        rule(rows, INK, DASHED, x=pixels("at"), y=pixel(-24), y2=pixel(_HIGH)),
        write("text", pixels("at"), pixel(-20), align, rows=rows, dx=shift, fontWeight="bold"),
    ]


def place_of(value: float, bins: Sequence[GtcapBin]) -> float:
    """Where a score stands among the bars, each one wide; in the middle of one without an end."""
    for place, row in enumerate(bins):
        if row.high is not None and value >= row.high:
            continue
        if row.low is None or row.high is None:
            return place + 0.5
        return place + (value - row.low) / (row.high - row.low)
    return float(len(bins))


# All of it


@as_text.register
def _(record: Gtcap) -> str:
    return (
        f"GTCAP of {and_list(record.target)} from {and_list(record.keys)}: mean"
        f" {ratio(record.mean)}, ratio of means {ratio(record.ratio_of_means)}"
        f" ({format_count(record.n_unique, 'statistical unique')})"
    )


@as_blocks.register
def _(record: Gtcap) -> Iterator[Block]:
    yield Heading("Attribute disclosure for statistical uniques (GTCAP)")
    yield Sentence(sizes(record), "lead")
    yield from say(gtcap_sentences(record))
    if record.n_unique:
        rows = map(cells, record.copies)
        yield table("Over all statistical uniques", HEADS, rows, spare=HEADS[3:])
        if record.mean is not None:
            most = max(1, *(row.n for row in record.histogram))
            bars = [
                (ends(row), f"{row.n:,}", "█" * -(-row.n * BAR // most)) for row in record.histogram
            ]
            yield table(HISTOGRAM, ("score", "statistical uniques", ""), bars, text=("",))
    yield from notes(record.coercions)


def gtcap_detail(record: Gtcap, of: str) -> Iterator[Block]:
    """One target of a report: where it stands, the histogram, and all else in words."""
    said = dict(gtcap_sentences(record))
    lead = next(key for key in ("scale", "no scale", "none") if key in said)
    sentence = Sentence(said.pop(lead), "lead", f"gtcap/{lead}", of)
    if record.n_unique and record.mean is not None:
        rows = [(ends(row), f"{row.n:,}") for row in record.histogram]
        shown = table("", ("score", "statistical uniques"), rows)
        yield Figure(sentence, gtcap_chart(record), CAPTION, shown)
    else:
        yield sentence
    yield from say((("sizes", sizes(record)), *said.items()), "gtcap", of)

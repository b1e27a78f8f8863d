"""GTCAP in sentences and blocks: about all statistical uniques, never about one.

One catalogue of templates, filled from the record only: no number is typed by hand anywhere.
"""

from collections.abc import Iterator

from unveil.records.cap import Gtcap, GtcapBin, GtcapCopy, UniqueRule
from unveil.view import blocks
from unveil.view.blocks import Bars, Block, Heading, Sentence, notes, table
from unveil.view.format import (
    and_list,
    copy_name,
    fill,
    format_count,
    format_share,
    people,
    percent,
    ratio,
    truncate,
)
from unveil.view.show import as_blocks, as_text

TEMPLATES = {
    "sizes": "{original} in the original, {copies}. An intruder knows {keys} and wants {target}.",
    "near": "Near means closer than {radii}; all other columns must be the same.",
    "all the same": "No column has a radius: all must be the same.",
    "scale": ("GTCAP {g} (0 = baseline, a guess from the marginal distribution; 1 = original)."),
    "means": (
        "A draw among the records near such a person, by weight, is correct in {s} of cases with"
        " the synthetic data, {o} with the original and {b} at the baseline: {r} on that scale."
    ),
    "means without scale": (
        "A draw among the records near such a person, by weight, is correct in {s} of cases with"
        " the synthetic data, {o} with the original and {b} at the baseline."
    ),
    "unmatched": "{u} of them have no record near them in the synthetic data, which counts as 0.",
    "dropped": (
        "{d} of them are not in the mean: the original discloses no more about them than the"
        " baseline."
    ),
    "swing": (
        "The two differ because for some people the original is hardly better than the baseline,"
        " which makes their scores very large or very negative. Use the second figure."
    ),
    "dilution": (
        "A record that is near in only one of the {p} numeric keys still counts, with 1/{p} of its"
        " proximity, and draws all scores towards the baseline. The coefficients product and"
        " minimum count only records near in every key."
    ),
    "none": "No one is a statistical unique under this rule, so nothing could be measured.",
    "no scale": (
        "The original discloses no more about any of them than the baseline, so there is no scale."
    ),
}

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
SWING = 0.25
"""Mean and ratio of means farther apart than this are explained."""


def sizes(record: Gtcap) -> str:
    """How much data there is, and what is assumed of the intruder."""
    m = len(record.n_synthetic)
    copies = f"{format_count(record.n_synthetic[0], 'record')} in the synthetic data"
    if m > 1:
        copies = f"{m} copies of {and_list(f'{n:,}' for n in record.n_synthetic)} records"
    said = fill(
        TEMPLATES["sizes"],
        original=people(record.n_original),
        copies=copies,
        keys=and_list(record.keys),
        target=and_list(record.target),
    )
    radii = and_list(f"{truncate(row.column)} {row.radius:.15g}" for row in record.radii)
    near = fill(TEMPLATES["near"], radii=radii) if record.radii else TEMPLATES["all the same"]
    return f"{said} {near}"


def sentences(record: Gtcap) -> Iterator[str]:
    """What the figures say, the most important first."""
    for _, text in keyed_sentences(record):
        yield text


def keyed_sentences(record: Gtcap) -> Iterator[tuple[str, str]]:
    """The same, each sentence by its name."""
    if not record.n_unique:
        yield "none", TEMPLATES["none"]
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
        yield "no scale", TEMPLATES["no scale"]
    else:
        yield "scale", fill(TEMPLATES["scale"], g=ratio(record.mean))
    yield _means(record)
    if _swings(record):
        yield "swing", TEMPLATES["swing"]
    if record.n_unmatched:
        yield "unmatched", fill(TEMPLATES["unmatched"], u=f"{record.n_unmatched:,}")
    if record.n_dropped and record.mean is not None:
        yield "dropped", fill(TEMPLATES["dropped"], d=f"{record.n_dropped:,}")
    if record.coefficient == "mean" and (p := _n_numeric_keys(record)) > 1:
        yield "dilution", fill(TEMPLATES["dilution"], p=p)


def _means(record: Gtcap) -> tuple[str, str]:
    row = record.find_copy(record.headline_copy)
    shares = {
        letter: format_share(value)
        for letter, value in zip(
            "sob", (row.mean_synthetic, row.mean_original, row.mean_baseline), strict=True
        )
    }
    if row.ratio_of_means is None:
        return "means without scale", fill(TEMPLATES["means without scale"], **shares)
    return "means", fill(TEMPLATES["means"], **shares, r=ratio(row.ratio_of_means))


def _swings(record: Gtcap) -> bool:
    if record.mean is None or record.ratio_of_means is None:
        return False
    return abs(record.mean - record.ratio_of_means) > SWING


def _n_numeric_keys(record: Gtcap) -> int:
    return sum(row.column in record.keys for row in record.radii)


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
    yield from blocks.sentences(sentences(record))
    if record.n_unique:
        rows = map(cells, record.copies)
        yield table("Over all statistical uniques", HEADS, rows, spare=HEADS[3:])
        if record.mean is not None:
            bars = tuple((ends(row), row.n) for row in record.histogram)
            yield Bars(HISTOGRAM, ("from, to", "statistical uniques"), bars)
    yield from notes(record.coercions)

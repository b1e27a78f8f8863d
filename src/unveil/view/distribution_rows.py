"""One column of original and copies as a table: the figures that its bars show."""

from collections.abc import Iterator
from dataclasses import replace

from unveil.records.comparison import Distribution, Histogram
from unveil.view.charts.distributions import Bar, bar_of, bars_of, format_value, joined_bins, totals
from unveil.view.format import percent

HEADS = ("answer", "original", "synthetic")


def distribution_rows(found: Distribution) -> list[tuple[str, ...]]:
    """Answers under HEADS, in percent of records; few people are "under" a share."""
    return [(bar.label, f"{bar.told} %", percent(bar.synthetic)) for bar in shares(found)]


def shares(found: Distribution) -> list[Bar]:
    """Every band and every answer on both sides."""
    bands = [] if found.histogram is None else list(_bins(found, found.histogram))
    return [*bands, *bars_of(found)]


def _bins(found: Distribution, histogram: Histogram) -> Iterator[Bar]:
    for first, after in joined_bins(histogram.n_original[1:-1]):
        here = sum(histogram.n_original[first + 1 : after + 1])
        there = sum(sum(one[first + 1 : after + 1]) for one in histogram.n_synthetic)
        label = _span(found, histogram, first, after)
        yield replace(bar_of(label, (here, there), totals(found)), label=label)


def _span(found: Distribution, histogram: Histogram, first: int, after: int) -> str:
    """From the first value of a bin to the last of whole numbers, else to before the next."""
    low, high = histogram.edges[first], histogram.edges[after]
    if not histogram.is_whole:
        return f"{format_value(found, low)} to {format_value(found, high)}"
    lowest, highest = format_value(found, low + 0.5), format_value(found, high - 0.5)
    return lowest if lowest == highest else f"{lowest} to {highest}"

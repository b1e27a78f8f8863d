"""TCAP, four measures by four names, and GCAP: in sentences, and as blocks."""

from collections.abc import Callable, Iterator

from unveil.records.cap import Gcap, GcapRow, Tcap, TcapRow
from unveil.view.blocks import Block, Heading, Sentence, notes, say, table
from unveil.view.cap_words import label_of, share
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import bars_panel, figure_row
from unveil.view.charts.marks import describe_rows, percent_axis, stroke
from unveil.view.format import and_list, format_share, people, percent, percent_or_dash
from unveil.view.show import as_blocks, as_text

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

"""What was tried, in sentences and in a notebook: risk beside utility, setting by setting."""

from collections.abc import Iterator

from unveil.records.exploration import Exploration, ExplorationRow
from unveil.view.format import and_list, format_count, percent_figure, ratio, truncate, visible
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text
from unveil.view.utility import figure, without_empty

TEMPLATES = {
    "sizes": "{settings} {file}, {copies} each; an intruder is taken to know {keys}.",
    "frontier": (
        "No other setting has both less risk ({risk}) and better utility ({utility}) than: {names}."
    ),
    "none": "No setting has both figures, so there is no frontier.",
    "ends": (
        "The least risk has {safe} ({risk} {safe_risk}, {utility} {safe_utility}); the best utility"
        " has {good} ({good_risk}, {good_utility})."
    ),
    "one": "{safe} has the least risk and the best utility ({risk} {safe_risk}, {utility} {u}).",
    "spread": (
        "Means differ by chance too: where settings lie nearer to one another than copies of one"
        " setting do (sd), their order may be another with other copies."
    ),
    "leaves": (
        "As the leaves of trees shrink from at least {high} to {low}, repU goes from {repU[0]} to"
        " {repU[1]} %, DiSCO from {DiSCO[0]} to {DiSCO[1]} %{R}, the median S_pMSE from {S[0]} to"
        " {S[1]}."
    ),
    "R": ", R from {0} to {1}",
    "original": (
        "Of the people in the original {UiO} % are alone with their keys, and Dorig is {D} %: what"
        " repU and DiSCO can be held against."
    ),
    "held": (
        "R is of copies made of {train} of the people; the other {control} were held back to tell"
        " what is general knowledge."
    ),
    "refused": "{name} could not be tried: {reason}",
}
HEADS = (
    "setting",
    "repU",
    "DiSCO",
    "sd",
    "highest",
    "R",
    "pMSE",
    "S_pMSE",
    "sd",
    "worst pair",
    "its columns",
    "frontier",
)
TABLE = "Risk and utility, means over copies; the columns of the worst pair are of copy 1"
RISKS = {
    "DiSCO": "DiSCO, mean over targets, percent of people",
    "DiSCO_max": "DiSCO of the riskiest target, percent of people",
    "repU": "repU, percent of people",
    "R": "R, share given away because their record was used",
}
UTILITIES = {
    "S_pMSE": "S_pMSE, median over pairs of columns",
    "S_pMSE_max": "S_pMSE of the worst pair of columns",
    "pMSE": "pMSE of a tree",
}


def value(row: ExplorationRow, field: str) -> str:
    """One figure as people read it."""
    found: float | None = getattr(row, field)
    if found is None:
        return "-"
    if field == "pMSE":
        return f"{found:.5f}"
    if field == "R":
        return ratio(found)
    return figure(found) if field.startswith("S_") else percent_figure(found)


def exploration_sentences(record: Exploration) -> Iterator[tuple[str, str]]:
    """What was found, the most important first, by the name of what is said."""
    yield "sizes", _sizes(record)
    yield from _frontier(record)
    yield from _leaves(record)
    yield (
        "original",
        TEMPLATES["original"].format(
            UiO=percent_figure(record.UiO), D=percent_figure(record.Dorig)
        ),
    )
    if record.n_train is not None:
        held = {"train": f"{record.n_train:,}", "control": f"{record.n_control:,}"}
        yield "held", TEMPLATES["held"].format(**held)
    for row in record.rows:
        if row.reason is not None:
            told = TEMPLATES["refused"].format(name=visible(row.name), reason=visible(row.reason))
            yield "refused", told
        for warning in row.warnings:
            yield "warning", f"{visible(row.name)}: {visible(warning)}"


def _sizes(record: Exploration) -> str:
    return TEMPLATES["sizes"].format(
        settings=format_count(len(record.rows), "way to copy", "ways to copy"),
        file=f"the {format_count(record.n_original, 'record')} of {visible(record.file)}",
        copies=format_count(record.n_copies, "copy", "copies"),
        keys=and_list(record.keys),
    )


def _frontier(record: Exploration) -> Iterator[tuple[str, str]]:
    if not record.frontier:
        yield "frontier", TEMPLATES["none"]
        return
    axes = {"risk": record.risk, "utility": record.utility}
    named = "; ".join(visible(one) for one in record.frontier)
    safe, good = (record.row_of(record.frontier[place]) for place in (0, -1))
    said = {"safe": visible(safe.name), "safe_risk": value(safe, record.risk), **axes}
    if safe is good:
        yield "ends", TEMPLATES["one"].format(**said, u=value(safe, record.utility))
        return
    yield "frontier", TEMPLATES["frontier"].format(names=named, **axes)
    yield (
        "ends",
        TEMPLATES["ends"].format(
            **said,
            safe_utility=value(safe, record.utility),
            good=visible(good.name),
            good_risk=value(good, record.risk),
            good_utility=value(good, record.utility),
        ),
    )
    if record.n_copies > 1:
        yield "spread", TEMPLATES["spread"]


def rows_by_leaf(record: Exploration) -> list[ExplorationRow]:
    """Trees without filter and noise, the smallest leaves first."""
    rows = [
        row
        for row in record.rows
        if row.method == "cart" and row.reason is None and not (row.is_filtered or row.is_noised)
    ]
    return sorted(rows, key=lambda row: row.min_leaf or 0)


def _leaves(record: Exploration) -> Iterator[tuple[str, str]]:
    rows = rows_by_leaf(record)
    if len(rows) < 2 or rows[0].min_leaf == rows[-1].min_leaf:
        return
    ends = (rows[-1], rows[0])
    said = {field: [value(row, field) for row in ends] for field in ("repU", "DiSCO")}
    told = "" if ends[0].R is None else TEMPLATES["R"].format(*(value(row, "R") for row in ends))
    low, high = rows[0].min_leaf, format_count(rows[-1].min_leaf or 0, "record")
    standard = [value(row, "S_pMSE") for row in ends]
    yield "leaves", TEMPLATES["leaves"].format(low=low, high=high, **said, R=told, S=standard)


def cells(record: Exploration, row: ExplorationRow) -> tuple[str, ...]:
    """One setting under HEADS."""
    return (
        truncate(row.name),
        value(row, "repU"),
        value(row, "DiSCO"),
        percent_figure(row.DiSCO_sd),
        value(row, "DiSCO_max"),
        value(row, "R"),
        value(row, "pMSE"),
        value(row, "S_pMSE"),
        figure(row.S_pMSE_sd),
        value(row, "S_pMSE_max"),
        " : ".join(map(truncate, row.worst_pair)) or "-",
        "yes" if row.name in record.frontier else "",
    )


def table(record: Exploration) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Every setting, without the columns that no setting has a figure in."""
    return without_empty(HEADS, [cells(record, row) for row in record.rows])


@as_text.register
def _(record: Exploration) -> str:
    shown = format_count(len(record.rows), "setting")
    best = "; ".join(visible(one) for one in record.frontier)
    return f"Exploration of {shown}, {record.risk} against {record.utility}: frontier {best}"


@as_html.register
def _(record: Exploration) -> str:
    return titled_view(
        as_text(record),
        *(paragraph(sentence) for _, sentence in exploration_sentences(record)),
        grid(TABLE, *table(record)),
        notes(record.coercions),
    )

"""Synthesis settings compared: risk beside utility, setting by setting."""

from collections.abc import Iterator

from unveil.records.exploration import Exploration, ExplorationRow
from unveil.view.blocks import Block, Heading, Kind, Sentence, TableBlock, notes, table
from unveil.view.format import (
    and_list,
    fill,
    format_count,
    n_of,
    percent_figure,
    ratio,
    truncate,
    visible,
)
from unveil.view.show import as_blocks, as_text
from unveil.view.utility import figure, without_empty

TITLE = "Risk and utility of synthesis settings"
TEMPLATES = {
    "sizes": "{settings} for the {file}{copies}. Assumed intruder: knows {keys}.",
    "frontier": (
        "No other setting has both less risk ({risk}) and better utility ({utility}) than: {names}."
    ),
    "none": "No setting has both figures, so there is no frontier.",
    "ends": (
        "Least risk: {least} ({risk} {least_risk}, {utility} {least_utility}). Best utility: {good}"
        " ({good_risk}, {good_utility})."
    ),
    "one": "{least} has the least risk and the best utility ({risk} {least_risk}, {utility} {u}).",
    "spread": (
        "Means vary by chance: settings that differ by less than copies of one setting do (sd) may"
        " rank differently with other copies."
    ),
    "leaves": (
        "As the minimum leaf of trees falls from {high} to {low}, repU goes from {repU[0]} to"
        " {repU[1]} %, DiSCO from {DiSCO[0]} to {DiSCO[1]} %{R}, the median S_pMSE from {S[0]} to"
        " {S[1]}."
    ),
    "R": ", R of DiSCO from {0} to {1}",
    "floor": (
        "Independent columns, which keep no relation at all, still have DiSCO {DiSCO} % and repU"
        " {repU} %: a floor, not what people's records disclose."
    ),
    "recognition": (
        "AUC: of two releases, one made with a person and one without, how often the correct one is"
        " picked (0.50 = a guess). recognised: percent of people tested, 1 by chance. epsilon: at"
        " least. Compare a filter with as few rows and no filter."
    ),
    "held": "R of DiSCO: {train} training records against a control sample of {control} people.",
    "refused": "{name} could not be computed: {reason}",
}
HEADS = (
    *("setting", "repU", "DiSCO", "DiSCO sd", "highest DiSCO", "R", "pMSE", "S_pMSE", "S_pMSE sd"),
    *("worst pair", "its columns", "AUC", "recognised", "epsilon", "frontier"),
)
SPARE = ("its columns", "highest DiSCO", "pMSE", "S_pMSE sd", "DiSCO sd", "worst pair")
TABLE = "Lower is better in every column; means over copies"
FRONTIER = "● frontier: no other setting has both less risk and better utility"
RISKS = {
    "DiSCO": "DiSCO, mean over targets, percent of people",
    "DiSCO_max": "DiSCO of the riskiest target, percent of people",
    "repU": "repU, percent of people",
    "R": "R of DiSCO, excess disclosure of training records",
    "AUC": "AUC, recognition of single people as members",
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
    if field in ("R", "AUC", "epsilon"):
        return ratio(found)
    return figure(found) if field.startswith("S_") else percent_figure(found)


def exploration_sentences(record: Exploration) -> Iterator[tuple[str, str]]:
    """What was found, the most important first, by the name of what is said."""
    yield "sizes", _sizes(record)
    yield from _frontier(record)
    yield from _leaves(record)
    yield (
        "original",
        fill(
            (
                "For comparison: in the original {k} of {N} people ({UiO} %) {k:is|are} unique on"
                " the keys, and Dorig is {D} %."
            ),
            k="-" if record.UiO is None else n_of(record.UiO, record.n_original),
            N=f"{record.n_original:,}",
            UiO=percent_figure(record.UiO),
            D=percent_figure(record.Dorig),
        ),
    )
    floor = record.floor
    if floor is not None and floor.reason is None:
        shown = {field: value(floor, field) for field in ("DiSCO", "repU")}
        yield "floor", TEMPLATES["floor"].format(**shown)
    if record.n_train is not None:
        held = {"train": f"{record.n_train:,}", "control": f"{record.n_control:,}"}
        yield "held", fill(TEMPLATES["held"], **held)
    if any(row.AUC is not None for row in record.rows):
        yield "recognition", TEMPLATES["recognition"]
    for row in record.rows:
        if row.reason is not None:
            refused = {"name": visible(row.name), "reason": visible(row.reason)}
            yield "refused", fill(TEMPLATES["refused"], **refused)
        for warning in row.warnings:
            yield "warning", f"{visible(row.name)}: {visible(warning)}"


def _sizes(record: Exploration) -> str:
    foreign = [row for row in record.rows if row.method == "file"]
    n_own, copies = len(record.rows) - len(foreign), format_count(record.n_copies, "copy", "copies")
    measured = [format_count(n_own, "setting")] if n_own else []
    if foreign:
        n_files = format_count(sum(row.n_copies for row in foreign), "file")
        measured.append(f"{n_files} of {format_count(len(foreign), 'other method')}")
    each = "each" if not foreign else "of each setting"
    return fill(
        TEMPLATES["sizes"],
        settings=" and ".join(measured),
        file=f"{format_count(record.n_original, 'record')} of {visible(record.file)}",
        copies=f", {copies} {each}" if n_own else "",
        keys=and_list(record.keys),
    )


def _frontier(record: Exploration) -> Iterator[tuple[str, str]]:
    if not record.frontier:
        yield "frontier", TEMPLATES["none"]
        return
    axes = {"risk": record.risk, "utility": record.utility}
    named = "; ".join(visible(one) for one in record.frontier)
    least, good = (record.row_of(record.frontier[place]) for place in (0, -1))
    filled = {"least": visible(least.name), "least_risk": value(least, record.risk), **axes}
    if least is good:
        yield "ends", fill(TEMPLATES["one"], **filled, u=value(least, record.utility))
        return
    yield "frontier", fill(TEMPLATES["frontier"], names=named, **axes)
    yield (
        "ends",
        fill(
            TEMPLATES["ends"],
            **filled,
            least_utility=value(least, record.utility),
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
    yield "leaves", fill(TEMPLATES["leaves"], low=low, high=high, **said, R=told, S=standard)


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
        " by ".join(map(truncate, row.worst_pair)) or "-",
        value(row, "AUC"),
        value(row, "recognised"),
        value(row, "epsilon"),
        "●" if row.name in record.frontier else "",
    )


def settings_table(record: Exploration) -> TableBlock:
    """Every setting, without the columns that no setting has a figure in."""
    heads, rows = without_empty(HEADS, [cells(record, row) for row in record.rows])
    footnote = FRONTIER if record.frontier else ""
    return table(TABLE, heads, rows, text=("its columns",), spare=SPARE, footnote=footnote)


@as_text.register
def _(record: Exploration) -> str:
    shown = format_count(len(record.rows), "setting")
    best = "; ".join(visible(one) for one in record.frontier)
    return f"Exploration of {shown}, {record.risk} against {record.utility}: frontier {best}"


@as_blocks.register
def _(record: Exploration) -> Iterator[Block]:
    yield Heading(TITLE)
    yield from exploration_blocks(record)


def exploration_blocks(record: Exploration) -> Iterator[Block]:
    """What to choose from, then every setting; without the title."""
    (_, first), *others = exploration_sentences(record)
    yield Sentence(first, "lead")
    yield settings_table(record)
    for key, text in others:
        kind: Kind = "look" if key in ("refused", "warning") else "plain"
        yield Sentence(text, kind, key=f"exploration/{key}")
    yield from notes(record.coercions)

"""Synthesis settings compared: risk beside utility, setting by setting."""

from collections.abc import Iterator, Sequence

from unveil.records.exploration import Exploration, ExplorationRow, frontier
from unveil.records.report import HistoryRow
from unveil.view.blocks import Block, Figure, Heading, Kind, Sentence, TableBlock, notes, table
from unveil.view.charts.chart import Chart
from unveil.view.charts.marks import (
    BASELINE,
    DIM,
    INK,
    ORIGINAL,
    REVIEW,
    SYNTHETIC,
    Row,
    Spec,
    crosses,
    draw,
    line,
    look,
    number,
    panel,
    rule,
    write,
)
from unveil.view.format import (
    agree,
    and_list,
    format_count,
    n_of,
    percent,
    percent_figure,
    ratio,
    truncate,
    visible,
)
from unveil.view.render_page import illustrate, render_page
from unveil.view.show import as_blocks, as_text
from unveil.view.utility import figure, without_empty

TITLE = "Risk and utility of synthesis settings"
RECOGNITION = (
    "AUC: of two releases, one made with a person and one without, how often the correct one is"
    " picked (0.50 = a guess). recognised: percent of people tested, 1 by chance. epsilon: at"
    " least. Compare a filter with as few rows and no filter."
)
SPREAD = (
    "Means vary by chance: settings that differ by less than copies of one setting do (sd) may rank"
    " differently with other copies."
)
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
    k = "-" if record.UiO is None else n_of(record.UiO, record.n_original)
    yield (
        "original",
        f"For comparison: in the original {k} of {record.n_original:,} people"
        f" ({percent_figure(record.UiO)} %) {agree(k)} unique on the keys, and Dorig is"
        f" {percent_figure(record.Dorig)} %.",
    )
    floor = record.floor
    if floor is not None and floor.reason is None:
        yield (
            "floor",
            "Independent columns, which keep no relation at all, still have DiSCO"
            f" {value(floor, 'DiSCO')} % and repU {value(floor, 'repU')} %: a floor, not what"
            " people's records disclose.",
        )
    if record.n_train is not None:
        control = f"a control sample of {record.n_control:,} people"
        yield "held", f"R of DiSCO: {record.n_train:,} training records against {control}."
    if any(row.AUC is not None for row in record.rows):
        yield "recognition", RECOGNITION
    for row in record.rows:
        if row.reason is not None:
            yield "refused", f"{visible(row.name)} could not be computed: {visible(row.reason)}"
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
    file = f"{format_count(record.n_original, 'record')} of {visible(record.file)}"
    each = f", {copies} {each}" if n_own else ""
    keys = and_list(record.keys)
    return f"{' and '.join(measured)} for the {file}{each}. Assumed intruder: knows {keys}."


def _frontier(record: Exploration) -> Iterator[tuple[str, str]]:
    if not record.frontier:
        yield "frontier", "No setting has both figures, so there is no frontier."
        return
    risk, utility = record.risk, record.utility
    named = "; ".join(visible(one) for one in record.frontier)
    least, good = (record.row_of(record.frontier[place]) for place in (0, -1))
    first = f"{risk} {value(least, risk)}, {utility} {value(least, utility)}"
    if least is good:
        both = "has the least risk and the best utility"
        yield "ends", f"{visible(least.name)} {both} ({first})."
        return
    yield (
        "frontier",
        f"No other setting has both less risk ({risk}) and better utility ({utility}) than:"
        f" {named}.",
    )
    best = f"{visible(good.name)} ({value(good, risk)}, {value(good, utility)})"
    yield "ends", f"Least risk: {visible(least.name)} ({first}). Best utility: {best}."
    if record.n_copies > 1:
        yield "spread", SPREAD


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
    uniques, disco, risk, standard = (
        "from {} to {}".format(*(value(row, field) for row in ends))
        for field in ("repU", "DiSCO", "R", "S_pMSE")
    )
    told = "" if ends[0].R is None else f", R of DiSCO {risk}"
    high = format_count(rows[-1].min_leaf or 0, "record")
    yield (
        "leaves",
        f"As the minimum leaf of trees falls from {high} to {rows[0].min_leaf}, repU goes {uniques}"
        f" %, DiSCO {disco} %{told}, the median S_pMSE {standard}.",
    )


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


def exploration_page(record: Exploration) -> str:
    """The whole page: the same, with the map below what it shows."""
    copies = ", the mean of its copies; thin lines are one standard deviation over copies"
    caption = (
        f"Each point is a setting{copies if record.n_copies > 1 else ''}. The grey line joins the"
        " settings that no other betters."
    )
    key = "exploration/ends" if record.frontier else "exploration/frontier"
    charts = {key: lambda text: Figure(text, risk_utility(record), caption)}
    return render_page(TITLE, illustrate(exploration_blocks(record), charts))


# The risk-utility map

METHODS = {
    "cart": "circle",
    "parametric": "square",
    "sample": "diamond",
    "catall": "triangle-up",
    "ipf": "triangle-down",
    "by column": "cross",
    "file": "triangle-right",
}
TREATED = {
    "untreated": SYNTHETIC,
    "filtered": REVIEW,
    "noise": ORIGINAL,
    "filtered, noise": INK,
}
MOST_NAMED = 30
_WIDTH, _HEIGHT, _CLOSE, _LETTER = 480, 340, 12, 6.5
_SHIFTS = (-8, 13, -21, 26, -34, 39)


def risk_utility(record: Exploration) -> Chart:
    """Risk to the right, lost utility upwards: the best settings are at the lower left."""
    axes = (record.risk, record.utility)
    known = [row for row in record.rows if None not in [getattr(row, axis) for axis in axes]]
    best = frontier(record.rows, *axes)
    points, edge = ([_setting(record, row) for row in rows] for rows in (known, best))
    floor = None if record.floor is None else getattr(record.floor, record.risk)
    ends = [*points, *([] if floor is None else [{"left": floor, "right": floor}])]
    x = _axis("risk", RISKS[record.risk], ends, ("left", "right"), room=0.2)
    lower = f"{UTILITIES[record.utility]} (lower is better)"
    y = _axis("utility", lower, points, ("down", "up"))
    looks = {
        "shape": _present("method", METHODS, points, "method"),
        "color": _present("treated", TREATED, points, "protection"),
    }
    layers = [
        line(x, y, edge, {"order": number("risk")}, color=BASELINE),
        *crosses(points, x, y, {}, color=BASELINE),
        draw("point", points, {"x": x, "y": y, **looks}, filled=True, size=90, opacity=1),
        *(_names(points, x, y) if len(points) <= MOST_NAMED else ()),
        *(() if floor is None else _floor(floor, x)),
    ]
    told = "; ".join(
        f"{row.name}: {record.risk} {value(row, record.risk)}, {record.utility}"
        f" {value(row, record.utility)}{' (frontier)' if row in best else ''}"
        for row in known
    )
    if floor is not None and record.floor is not None:
        told = f"{told}; independent columns: {record.risk} {value(record.floor, record.risk)}"
    # Legends are measured in another font than they are shown in.
    padding = {"left": 5, "top": 5, "bottom": 5, "right": 40}
    return Chart(
        {**panel(layers, _WIDTH, _HEIGHT), "padding": padding},
        title="Risk and utility of each setting: lower left is better",
        description=f"Points with the line of those that no other betters. {told}.",
    )


def run_map(history: Sequence[HistoryRow], floor: float | None = None) -> Chart:
    """Runs by highest DiSCO and worst S_pMSE, joined in their order; equal ones named together."""
    found = [
        (row.run, row.DiSCO, row.S_pMSE)
        for row in history
        if row.DiSCO is not None and row.S_pMSE is not None
    ]
    numbers: dict[tuple[float, float], list[int]] = {}
    for run, risk, utility in found:
        numbers.setdefault((risk, utility), []).append(run)
    points: list[Row] = [
        {"name": f"run {', '.join(map(str, runs))}", "risk": risk, "utility": utility}
        for (risk, utility), runs in numbers.items()
    ]
    way: list[Row] = [{"risk": risk, "utility": utility, "run": n} for n, risk, utility in found]
    ends = [*points, *([] if floor is None else [{"risk": floor}])]
    x = _axis("risk", RISKS["DiSCO_max"], ends, ("risk",), room=0.2)
    y = _axis("utility", f"{UTILITIES['S_pMSE_max']} (lower is better)", points, ("utility",))
    layers = [
        line(x, y, way, {"order": number("run")}, color=BASELINE),
        draw("point", points, {"x": x, "y": y}, filled=True, size=90, opacity=1, color=SYNTHETIC),
        *(_names(points, x, y) if len(points) <= MOST_NAMED else ()),
        *(() if floor is None else _floor(floor, x)),
    ]
    told = "; ".join(
        f"{one['name']}: DiSCO {percent(one['risk'])}, S_pMSE {one['utility']:.1f}"
        for one in points
    )
    return Chart(
        panel(layers, _WIDTH, _HEIGHT),
        title="Risk and utility of each run: lower left is better",
        description=f"Points joined in the order of the runs. {told}.",
    )


def _floor(risk: float, x: Spec) -> list[Spec]:
    """A line where columns drawn independently are, which is no risk of people."""
    rows: list[Row] = [{"risk": risk, "name": "independent columns"}]
    return [
        rule(rows, BASELINE, (4, 3), x=x),
        write("name", x, {"value": _HEIGHT - 8}, rows=rows, dx=5, colour=DIM),
    ]


def _setting(record: Exploration, row: ExplorationRow) -> Row:
    risk, utility = getattr(row, record.risk), getattr(row, record.utility)
    wide, high = (getattr(row, f"{axis}_sd") or 0.0 for axis in (record.risk, record.utility))
    treated = (("filtered", row.is_filtered), ("noise", row.is_noised))
    return {
        "name": truncate(row.name),
        "method": row.method if row.method in METHODS else "by column",
        "treated": ", ".join(word for word, is_so in treated if is_so) or "untreated",
        "risk": risk,
        "utility": utility,
        "left": risk - wide,
        "right": risk + wide,
        "down": utility - high,
        "up": utility + high,
    }


def _axis(
    field: str, title: str, points: Sequence[Row], ends: tuple[str, ...], room: float = 0.0
) -> Spec:
    """Room around the points, so that names are not cut off."""
    found = [point[end] for point in points for end in ends] or [0.0, 1.0]
    lowest, highest = min(found), max(found)
    margin = 0.06 * (highest - lowest) or 0.5
    domain = [lowest - margin, highest + margin + room * (highest - lowest)]
    return number(field, title, scale={"domain": domain, "zero": False, "nice": False})


def _present(field: str, looks: dict[str, str], points: Sequence[Row], title: str) -> Spec:
    """The looks of what is there, in a legend where there are several."""
    there = {point[field] for point in points}
    chosen = {word: one for word, one in looks.items() if word in there}
    key = {"orient": "right", "title": title} if len(chosen) > 1 else None
    return look(field, chosen, key)


def _names(points: Sequence[Row], x: Spec, y: Spec) -> list[Spec]:
    """Names beside the points, moved up or down where others or other points are in the way."""
    spots = {id(point): _spot(point, x, y) for point in points}
    by_shift: dict[int, list[Row]] = {}
    taken: list[tuple[float, float, float]] = []
    for point in sorted(points, key=lambda one: -one["utility"]):
        across, down = spots[id(point)]
        others = [(*spots[id(one)], 0.0) for one in points if one is not point]
        width = _LETTER * len(point["name"])
        inside = [shift for shift in _SHIFTS if 0 < down + shift < _HEIGHT - _CLOSE / 2]
        free = (s for s in inside if not _covers((across, down + s, width), taken + others))
        shift = next(free, _SHIFTS[0])
        taken.append((across, down + shift, width))
        by_shift.setdefault(shift, []).append(point)
    return [
        write("name", x, y, rows=some, dx=9, dy=shift, baseline="alphabetic")
        for shift, some in by_shift.items()
    ]


def _spot(point: Row, x: Spec, y: Spec) -> tuple[float, float]:
    """Where a point is in the picture, from its upper left corner."""
    (low_x, high_x), (low_y, high_y) = x["scale"]["domain"], y["scale"]["domain"]
    across = (point["risk"] - low_x) / (high_x - low_x) * _WIDTH
    return across, (high_y - point["utility"]) / (high_y - low_y) * _HEIGHT


def _covers(text: tuple[float, float, float], others: list[tuple[float, float, float]]) -> bool:
    """Whether a name would be written over others, or over points (of no width)."""
    x, y, width = text
    return any(
        x - 12 < other_x + other_width and other_x < x + width + 12 and abs(y - other_y) < _CLOSE
        for other_x, other_y, other_width in others
    )

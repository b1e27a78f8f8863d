"""Simulated attacks in sentences a custodian can repeat, as charts, as blocks and as a page.

Risks are drawn as in Figures 15 to 17 of Chapelle and Falissard (2023), but with R as it is: not
clipped at 0.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from unveil.records.attacks import AttackName, AttackRow, AttackRun, Attacks, CopyAttacks, Interval
from unveil.records.disclosure import Coercion
from unveil.view.blocks import (
    Block,
    Figure,
    Folded,
    Heading,
    Items,
    Sentence,
    notes,
    sentences,
    table,
)
from unveil.view.charts import marks
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import DotPair, pairs_chart
from unveil.view.charts.marks import MOST_ROWS, Row, Spec, at, draw, look, within_row
from unveil.view.format import and_list, format_count, lines, people, percent, ratio, truncate
from unveil.view.membership import membership_blocks
from unveil.view.render_page import render_page
from unveil.view.show import as_blocks, as_text

Reading = Literal["above 0", "holds 0", "below 0", "no R", "no control"]

TITLES: dict[AttackName, str] = {
    "singling_out_univariate": "singling out by one column",
    "singling_out_multivariate": "singling out by several columns",
    "linkability": "linkability",
    "inference": "inference",
}
MARKS: dict[Reading, str] = {
    "above 0": "↑",
    "holds 0": "≈",
    "below 0": "↓",
    "no R": "-",
    "no control": "-",
}
HEADS = ("attack", "guesses", "main %", "naive %", "control %", "R", "interval")
LEGEND = "R: ↑ its interval lies above 0, ≈ includes 0, ↓ lies below 0."
RATES = (
    "Rates are centres of Wilson's intervals, a little nearer to 50 % than successes by guesses: no"
    " success in 1,000 guesses is 0.2 %."
)
WILSON = "Wilson's"
WHICH = "Intervals are by bootstrap; {} where fewer than 30 descriptions were tried."
_FIGURE = re.compile(r"\d[\d,.]*")
_MOST_NAMED = 4


@dataclass(frozen=True)
class AttackDisplayRow:
    """One row of a record, with what it is called."""

    row: AttackRow
    k: int | None

    @property
    def kind(self) -> str:
        """The attack, with its number of neighbours where there is a choice."""
        title = TITLES[self.row.attack]
        return f"{title}, k = {self.k}" if self.row.attack == "linkability" else title

    @property
    def label(self) -> str:
        """The attack and its secret, by itself."""
        return self.kind if self.row.target is None else f"{self.kind}: {self.secret}"

    @property
    def secret(self) -> str:
        """What is guessed, and of whom."""
        of = "" if self.row.group is None else f" = {truncate(self.row.group)}"
        return f"{truncate(self.row.target or '')}{of}"

    @property
    def interval(self) -> Interval | None:
        """That of the bootstrap, or of the delta method where there is too little to draw from."""
        return self.row.interval

    @property
    def reading(self) -> Reading:
        """Where the interval of R lies."""
        if self.row.control_successes is None:
            return "no control"
        if self.row.R is None or self.interval is None:
            return "no R"
        low, high = self.interval
        return "above 0" if low > 0 else "below 0" if high < 0 else "holds 0"


def attack_rows(records: Sequence[Attacks]) -> list[AttackDisplayRow]:
    """All rows, attack by attack as they were made; within one the highest risk first.

    The groups of a secret follow it.
    """
    return [shown for record in records for shown in _in_order(record)]


def _in_order(record: Attacks) -> list[AttackDisplayRow]:
    risks = {(row.attack, row.target): row.risk for row in record.rows if row.group is None}
    kinds = list(TITLES)

    def place(row: AttackRow) -> tuple[int, float, str, bool, float]:
        return (
            kinds.index(row.attack),
            -_or_least(risks[row.attack, row.target]),
            row.target or "",
            row.group is not None,
            -_or_least(row.risk),
        )

    return [AttackDisplayRow(row, record.k) for row in sorted(record.rows, key=place)]


def _or_least(risk: float | None) -> float:
    return -1e9 if risk is None else risk


def cells(shown: AttackDisplayRow) -> tuple[str, ...]:
    """What stands under HEADS, but for the first."""
    row = shown.row
    return (
        f"{row.n_found:,}",
        *(rate(value) for value in (row.main, row.naive, row.control)),
        f"{MARKS[shown.reading]} {ratio(row.R)}" if row.R is not None else "-",
        ends(shown),
    )


def rate(value: float | None) -> str:
    """A rate in percent, with one decimal and without its sign; never a positive 0.0."""
    if value is None:
        return "-"
    shown = f"{100 * value:.1f}"
    return "<0.1" if shown == "0.0" and value else shown


def ends(shown: AttackDisplayRow) -> str:
    """The interval of R; of the main rate, in percent, without a control."""
    if shown.interval is None:
        return "-"
    if shown.row.control_successes is None:
        return " to ".join(rate(end) for end in shown.interval)
    return " to ".join(ratio(end) for end in shown.interval)


def legend(records: Sequence[Attacks]) -> str:
    """How to read the table."""
    if has_control(records):
        return f"{LEGEND} {WHICH.format('by the delta method')} {RATES}"
    return f"{WHICH.format(WILSON)} {RATES}"


def has_control(records: Sequence[Attacks]) -> bool:
    """Whether there is an R to be shown."""
    return any(record.n_control is not None for record in records)


def warnings(records: Sequence[Attacks]) -> list[str]:
    """Each warning once, with the rows it is about; of those alike but for figures the first."""
    about: dict[str, dict[str, str]] = {}
    for shown in attack_rows(records):
        for warning in shown.row.warnings:
            about.setdefault(_FIGURE.sub("#", warning), {})[shown.label] = lines(warning)
    return [*_data_warnings(records), *map(_about, about.values())]


def _data_warnings(records: Sequence[Attacks]) -> list[str]:
    """Those about the data, each once: by most columns, where fewest records are alike."""
    by_kind: dict[str, str] = {}
    for record in sorted(records, key=lambda record: record.n_shared_with_control or 0):
        for warning in record.warnings:
            by_kind.setdefault(_FIGURE.sub("#", warning), lines(warning))
    return list(by_kind.values())


def _about(warnings: dict[str, str]) -> str:
    """One warning about several rows; where they differ in figures, those of the first."""
    of_first = " (Figures of the first.)" if len(set(warnings.values())) > 1 else ""
    return f"{_join_labels(warnings)}: {next(iter(warnings.values()))}{of_first}"


def _join_labels(labels: Iterable[str]) -> str:
    named = list(labels)
    more = len(named) - _MOST_NAMED
    tail = f" and {format_count(more, 'more row')}" if more > 0 else ""
    return _first_up("; ".join(named[:_MOST_NAMED]) + tail)


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


TITLE = "Simulated attacks"
MEANING = (
    "R (excess risk): of those not disclosed by general knowledge, the share that the synthetic"
    " data disclose; 0 is no more than general knowledge, 1 is everyone. Success on the control"
    " sample counts as general knowledge."
)
NO_CONTROL = (
    "Without a control sample there is no R: general knowledge cannot be separated from what the"
    " synthetic data add. Only the rate of the attack is given."
)
LIMITS = (
    "Limits: these are simple attacks; an intruder may know more or have better ones. A low rate"
    " does not show that nothing can be disclosed, and a few disclosed people hardly change it."
)
MANY = 10
"""Of fewer expected successes a decimal is given, or 0.4 and 1.4 would be the same."""
MOST_IN_WORDS = 8
"""Rows of each attack that a report tells in words."""


# Words


def sizes(record: Attacks) -> str:
    """How many people and records there are."""
    whom = format_count(record.n_original, "person", "people")
    if record.person is not None:
        whom = f"{record.n_original:,} rows of {people(record.person.n_people)}"
    parts = [
        f"{whom} in the original",
        f"{format_count(record.n_synthetic, 'record')} in the synthetic data",
    ]
    if record.n_control is not None:
        rows = "" if record.person is None else " rows"
        parts.insert(1, f"{record.n_control:,}{rows} in the control sample")
    return f"{', '.join(parts)}. Intervals at {record.level:.4g}; seed {record.seed}."


def row_sentences(shown: AttackDisplayRow) -> Iterator[tuple[str, str]]:
    """How often the attack succeeded, and what its R says, each sentence by its name."""
    row = shown.row
    if not row.n_found:
        return
    kind = "singling_out" if row.attack.startswith("singling_out") else row.attack
    yield kind, _success(shown, kind)
    if shown.reading == "no R":
        yield "no R", "R of this attack could not be computed."
    elif row.R is not None and shown.interval is not None:
        yield _risk_sentence(shown, row.R, *shown.interval)


def _success(shown: AttackDisplayRow, kind: str) -> str:
    row = shown.row
    main, naive = format_expected(row.main_successes), format_expected(row.naive_successes)
    control = _control_phrase(row, is_predicate=kind == "singling_out")
    if kind == "singling_out":
        return (
            f"Of {format_count(row.n_found, 'description')} that fit exactly one synthetic record,"
            f" {main} fit exactly one person of the original{control}; of as many random"
            f" descriptions, {naive}."
        )
    if kind == "linkability":
        nearest = "nearest record" if shown.k == 1 else f"{shown.k or 0:,} nearest records"
        return (
            f"An intruder who knows {and_list(row.keys)} from one file and"
            f" {and_list(row.other_keys)} from another, and uses the {nearest}, would link {main}"
            f" of {row.n_found:,} people{control}; at random, {naive}."
        )
    who = "" if row.group is None else f" who have {truncate(row.group)}"
    return (
        f"Taking {truncate(row.target or '')} from the nearest synthetic record is correct for"
        f" {main} of {row.n_found:,} people{who}{control}; from any synthetic record, for {naive}."
    )


def _control_phrase(row: AttackRow, *, is_predicate: bool) -> str:
    if row.control_successes is None or row.n_control is None:
        return ""
    control = format_expected(row.control_successes)
    if is_predicate:
        return f", and {control} exactly one of the control sample"
    return f", and {control} of {row.n_control:,} in the control sample"


def _risk_sentence(
    shown: AttackDisplayRow, risk: float, low: float, high: float
) -> tuple[str, str]:
    if shown.reading == "above 0":
        share = f"{percent(100 * risk)} (between {percent(100 * low)} and {percent(100 * high)})"
        whom, why = "people whose two parts are not linked by general knowledge", "their own"
        kind, do = "above", "are disclosed"
        if shown.row.attack == "inference":
            secret = truncate(shown.row.target or "")
            whom = f"people whose {secret} is not disclosed by general knowledge"
        elif shown.row.attack != "linkability":
            whom = "descriptions that single out no one in the control sample"
            kind, do, why = "above_predicates", "do so", "these people's own"
        said = f"Excess risk R of this attack: of the {whom}, {share} {do}"
        return kind, f"{said} because {why} records were used."
    shown_risk = ratio(risk).replace("<", "below ").replace(">", "above ")
    said = f"R of this attack is {shown_risk} and its interval, {ends(shown)},"
    if shown.reading == "holds 0":
        return "holds", (
            f"{said} includes 0: all of this may be general knowledge. An R of up to"
            f" {max(high, 0.01):.2f} is not ruled out."
        )
    return "below", (
        f"{said} lies below 0: the attack succeeds more often on the control sample. That is"
        " chance, or the two groups differ; it does not mean that no one is at risk."
    )


def format_expected(successes: float) -> str:
    """How many succeed; "about" where it is an expectation over ties or samples."""
    whole = round(successes)
    if abs(successes - whole) < 1e-6:
        return f"{whole:,}"
    if successes < MANY:
        shown = f"{successes:.1f}"
        return "fewer than 0.1" if shown == "0.0" else f"about {shown}"
    return f"about {whole:,}"


def _without_groups(records: Sequence[Attacks]) -> list[AttackDisplayRow]:
    """One row for each attack and secret; groups of a secret are in the table alone."""
    return [shown for shown in attack_rows(records) if shown.row.group is None]


def attack_sentences(records: Sequence[Attacks]) -> list[tuple[str, str]]:
    """Rows in words, by what they are called."""
    rows = _without_groups(records)
    found = [(one.label, " ".join(text for _, text in row_sentences(one))) for one in rows]
    return [(label, text) for label, text in found if text]


def headline(records: Sequence[Attacks]) -> str:
    """The highest risk of all, in a line."""
    rows = [shown for shown in _without_groups(records) if shown.row.risk is not None]
    if not rows:
        return "Simulated attacks: nothing could be measured"
    worst = max(rows, key=lambda shown: shown.row.risk or 0)
    row = worst.row
    if row.R is None:
        base = "" if row.naive is None else f", {percent(100 * row.naive)} by an uninformed guess"
        most = f"{percent(100 * (row.main or 0))}{base}"
        return f"Simulated attacks, no control: highest rate {most} ({worst.label})"
    return f"Simulated attacks: highest R {ratio(row.R)}, {ends(worst)} ({worst.label})"


# Charts

READINGS: dict[Reading, tuple[str, str, str]] = {
    "above 0": ("interval above 0", marks.BAD, "square"),
    "holds 0": ("interval includes 0", marks.ORIGINAL, "circle"),
    "below 0": ("interval below 0", marks.SYNTHETIC, "triangle-down"),
    "no control": ("rate of the attack", marks.INK, "diamond"),
}
"""The words, the colour and the shape of each reading of an interval."""
_BASELINE = "grey stroke: baseline of uninformed guesses"
_EXCESS, _NONE = "Excess success of simulated attacks", "Nothing could be measured."


def attack_rates(copies: Sequence[CopyAttacks]) -> Chart:
    """R with its interval for every attack and secret; without a control the main rate."""
    panels = [(copy, rows) for copy in copies if (rows := _measured_rows(copy))]
    if not panels:
        return Chart(marks.nothing(_NONE), title=_EXCESS, description=_NONE)
    everything = [shown for _, rows in panels for shown in rows]
    n_cut = sum(max(len(rows) - MOST_ROWS, 0) for _, rows in panels)
    cut = f" {format_count(n_cut, 'row')} with lower risks not drawn." if n_cut else ""
    drawn = [
        marks.row_panel(
            [_rate_row(shown) for shown in rows[:MOST_ROWS]],
            _rate_marks(everything),
            title=truncate(copy.file) if len(panels) > 1 else None,
        )
        for copy, rows in panels
    ]
    return Chart(
        {"vconcat": drawn, "spacing": 24},
        title=_EXCESS,
        description=(
            "One row for every attack and secret: a mark for the risk with a line over its"
            f" interval, and a {_BASELINE.replace(':', ' for the')}. Groups are not drawn.{cut}"
        ),
    )


def _measured_rows(copy: CopyAttacks) -> list[AttackDisplayRow]:
    """Rows with a risk and an interval; attack by attack, the highest risk first."""
    rows = _without_groups(copy.attacks)
    return [s for s in rows if s.row.risk is not None and s.interval is not None]


def _rate_marks(rows: Sequence[AttackDisplayRow]) -> list[Spec]:
    """Marks that mean the same in every panel, on an axis with room for all of them and 0."""
    reach = [end for shown in rows for end in (*(shown.interval or ()), shown.row.naive or 0)]
    with_control = any(shown.row.R is not None for shown in rows)
    name = "R (0: no more than in the control sample)" if with_control else "share that succeeds"
    scale = {"domain": [min(0.0, *reach), max(0.1, *reach)], "nice": True}
    x = marks.number("value", [name, _BASELINE], scale=scale, axis=marks.TICKS)
    there = {shown.reading for shown in rows}
    looks = [one for reading, one in READINGS.items() if reading in there]
    top = marks.legend(labelLimit=300, columnPadding=40)
    colour = look("reading", {words: colour for words, colour, _ in looks}, top)
    shape = look("reading", {words: shape for words, _, shape in looks}, top)
    line = {"x": at(x, "low"), "x2": {"field": "high"}, "y": within_row(), "color": colour}
    mark = {"x": x, "y": within_row(), "color": colour, "shape": shape}
    return [
        marks.rule([{"value": 0}], marks.INK, marks.DASHED, x=x),
        marks.stroke(x, "naive"),
        draw("rule", None, line, strokeWidth=2),
        draw("point", None, mark, filled=True, size=80, opacity=1),
    ]


def _rate_row(shown: AttackDisplayRow) -> Row:
    low, high = shown.interval or (None, None)
    return {
        "name": shown.label,
        "value": shown.row.risk,
        "low": low,
        "high": high,
        "naive": shown.row.naive,
        "reading": READINGS[shown.reading][0],
    }


def attack_pairs_chart(records: Sequence[Attacks]) -> Chart:
    """The rate of each attack on training records and on the control, with Wilson's intervals."""
    pairs = list(map(_attack_pair, _without_groups(records)))
    return pairs_chart(pairs, "Success of simulated attacks", "percent of attacks", "R, interval")


def _attack_pair(shown: AttackDisplayRow) -> DotPair:
    row = shown.row
    main, control, naive = (
        None if share is None else 100 * share for share in (row.main, row.control, row.naive)
    )
    risk = "-"
    if row.R is not None:
        risk = f"{MARKS[shown.reading]} {ratio(row.R)}, {ends(shown)}"
    of_main, of_control = map(_percents, (row.main_interval, row.control_interval))
    return DotPair(shown.label, main, control, risk, of_main, of_control, naive)


def _percents(interval: Interval | None) -> Interval | None:
    return None if interval is None else (100 * interval[0], 100 * interval[1])


# Blocks


def table_rows(records: Sequence[Attacks]) -> list[tuple[str, ...]]:
    """The table of all rows, under HEADS."""
    return [(shown.label, *cells(shown)) for shown in attack_rows(records)]


def _reading_notes(records: Sequence[Attacks]) -> list[Coercion]:
    """How the files were read, each note once."""
    return list(dict.fromkeys(note for record in records for note in record.coercions))


@as_text.register
def _(record: Attacks) -> str:
    return headline([record])


def attack_blocks(
    records: Sequence[Attacks], chart: Figure | None = None, *, has_words: bool = False
) -> Iterator[Block]:
    """What was tried, one table, and each attack in words; with a chart where there is one."""
    is_controlled = has_control(records)
    yield from sentences([sizes(records[0]), MEANING if is_controlled else NO_CONTROL], "lead")
    if chart is not None:
        yield chart
    shown = HEADS if is_controlled else (*HEADS[:4], HEADS[6])
    rows = [
        tuple(cell for head, cell in zip(HEADS, row, strict=True) if head in shown)
        for row in table_rows(records)
    ]
    caption = "Attacks, the highest risk first in each"
    spare = (HEADS[1], HEADS[3])
    yield table(caption, shown, rows, main=("R",), spare=spare, footnote=legend(records))
    yield from sentences((f"▲ {text}" for text in warnings(records)), "look")
    words = tuple(Sentence(f"{label}: {text}") for label, text in attack_sentences(records))
    if words and has_words:
        yield Heading("In words", 4)
        yield from words
    elif words:
        yield Folded(f"{format_count(len(words), 'attack')} in words", words)


@as_blocks.register
def _(record: Attacks) -> Iterator[Block]:
    yield Heading(as_text(record))
    yield from attack_blocks([record])
    yield Sentence(LIMITS)
    yield from notes(record.coercions)


def run_blocks(
    run: AttackRun, *, has_charts: bool = False, has_words: bool = False
) -> Iterator[Block]:
    """Every copy with its attacks."""
    if run.notes:
        yield Items(run.notes)
    for copy in run.copies:
        if len(run.copies) > 1:
            yield Heading(f"Copy {copy.copy}: {truncate(copy.file)}", 2)
        if copy.attacks:
            chart = _rates_figure(copy) if has_charts else None
            yield from attack_blocks(copy.attacks, chart, has_words=has_words)
        if copy.membership is not None:
            yield Heading("Membership: can training records be recognised?", 2)
            yield from membership_blocks(copy.membership)
        of_members = copy.membership.coercions if copy.membership else ()
        yield from notes(list(dict.fromkeys([*_reading_notes(copy.attacks), *of_members])))
    yield Sentence(LIMITS)


def _rates_figure(copy: CopyAttacks) -> Figure:
    rest = "the line its confidence interval, the light stroke the rate of uninformed guesses."
    caption = f"The mark is the rate of the attack, {rest}"
    if has_control(copy.attacks):
        caption = (
            f"The mark is R, {rest} Left of the dashed line the control sample is hit more often"
            " than training records."
        )
    lead = Sentence(f"{headline(copy.attacks)}.", "lead")
    return Figure(lead, attack_rates([copy]), caption)


def attacks_page(run: AttackRun) -> str:
    """The whole page."""
    return render_page(TITLE, run_blocks(run, has_charts=True))


def attacks_detail(named: Sequence[tuple[str, Attacks]]) -> Iterator[Block]:
    """The attacks on one copy in a report, each record with the name of its part."""
    first, records = named[0][0], [record for _, record in named]
    key, text = ("meaning", MEANING) if has_control(records) else ("no control", NO_CONTROL)
    caption = (
        "Blue square: attacks on training records. Grey ring: on the control sample. Lines: Wilson"
        " intervals. Light stroke: baseline. R with its interval is at the right."
    )
    if key == "no control":
        caption = (
            "Blue square: success rate of the attack, with its Wilson interval. Light stroke:"
            " baseline."
        )
    sentence = Sentence(text, "lead", f"attacks/{key}", first)
    rows = table("", HEADS, table_rows(records))
    yield Figure(sentence, attack_pairs_chart(records), caption, rows)
    yield Sentence(legend(records))
    if told := warnings(records):
        yield Items(tuple(map(lines, told)), "▲")
    if words := tuple(_in_words(named)):
        yield Folded("Attacks in words", words)


def _in_words(named: Sequence[tuple[str, Attacks]]) -> Iterator[Block]:
    """The highest rows of each attack."""
    for part, record in named:
        for shown in _without_groups([record])[:MOST_IN_WORDS]:
            if said := list(row_sentences(shown)):
                text = " ".join(text for _, text in said)
                of = f"{part}|{shown.row.attack}|{shown.row.target or ''}"
                yield Sentence(text, key=f"attacks/{said[0][0]}", of=of)

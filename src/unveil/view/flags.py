"""Flags, exclusions and excess in sentences a custodian can repeat, and as blocks."""

import math
from collections.abc import Iterable, Iterator, Sequence

from unveil.records.disclosure import (
    Disclosure,
    Excess,
    ExcessPart,
    ExcessRow,
    ExclusionTable,
    ExclusionTableRow,
    Flag,
    SmallCells,
)
from unveil.records.exclusions import Effect
from unveil.records.limits import Verdict
from unveil.view.blocks import (
    Block,
    Figure,
    Folded,
    Heading,
    Sentence,
    TableBlock,
    notes,
    sentences,
    table,
)
from unveil.view.charts.chart import Chart
from unveil.view.charts.forms import DotPair, pairs_chart
from unveil.view.charts.marks import truncate_name
from unveil.view.format import (
    MISSING,
    agree,
    and_list,
    format_copies,
    format_count,
    format_rule,
    n_of,
    people,
    percent,
    percent_figure,
    percent_or_dash,
    ratio,
    truncate,
)
from unveil.view.show import as_blocks, as_text

OUTCOMES = {
    "iS": "are matched in the synthetic data",
    "DiS": "have a single value shown, correct or not",
    "DiSCO": "are correctly disclosed",
    "DiSDiO": "are correctly disclosed, and the original determines the value too",
    "DCAP": "would be guessed correctly",
    "TCAP": "are correctly disclosed",
}


def level(text: str | None, label: str | None = None) -> str:
    """A level as it is shown; the missing level has no text of its own."""
    return MISSING if text is None else truncate(label or text)


def flag_sentence(flag: Flag) -> str:
    """A flag in words."""
    where = ""
    if flag.by is not None:
        where = f"Within {truncate(flag.by)} = {level(flag.segment, flag.segment_label)}: "
    target, value = truncate(flag.target), level(flag.level, flag.level_label)
    if flag.kind == "one_way":
        return (
            f"{where}{flag.n:,} of the {flag.n_disclosive:,} people correctly disclosed on {target}"
            f" ({percent(flag.percent)}) {agree(flag.n, 'has', 'have')} the value {value}, as do"
            f" {flag.n_level:,} of {flag.n_all:,} people ({percent(flag.percent_all or 0.0)}). If"
            " this is common knowledge, exclude it."
        )
    key = f"{truncate(flag.key or '')} = {level(flag.key_level, flag.key_level_label)}"
    return (
        f"{where}{format_count(flag.n, 'correct disclosure')} of {target}"
        f" {agree(flag.n, 'concerns', 'concern')} {key}, where {flag.n_level:,} of {flag.n_all:,}"
        f" people ({percent(flag.percent)}) {agree(flag.n_level, 'has', 'have')} {target} ="
        f" {value}. If an intruder would know this without the data, exclude it."
    )


def visible_flags(record: Disclosure) -> list[Flag]:
    """Each flag once: of several copies the one in which it has the most records."""
    found: dict[tuple[str | None, ...], Flag] = {}
    for flag in record.flags:
        if flag.copy == "pooled":
            continue
        about = (flag.target, flag.kind, flag.level, flag.key, flag.key_level, flag.segment)
        if about not in found or flag.n > found[about].n:
            found[about] = flag
    # One-way flags say more about a target than any of its pairs, so they come first.
    order = {target: place for place, target in enumerate(record.targets)}
    return sorted(found.values(), key=lambda f: (order[f.target], f.kind, -f.n))


def flags_by_target(record: Disclosure) -> dict[str, list[Flag]]:
    """The flags of each target that has any."""
    found: dict[str, list[Flag]] = {}
    for flag in visible_flags(record):
        found.setdefault(flag.target, []).append(flag)
    return found


def small_cells(record: Disclosure) -> list[str]:
    """For each target the pairs that only the least number of people in a cell keeps unflagged."""
    least, above = record.checks.two_way
    shown: dict[str, SmallCells] = {}
    for row in record.small_cells:
        known = shown.get(row.target)
        if row.copy != "pooled" and (known is None or row.n > known.n):
            shown[row.target] = row
    return [
        f"{truncate(row.target)}: {format_count(row.n_pairs, 'more pair')} of a value with a key"
        f" level {agree(row.n_pairs, 'holds', 'hold')} more than {above:g} % of people, too, in"
        f" cells that at most {least:g} people share ({format_count(row.n, 'correct disclosure')})."
        f" List them with --two-way 0,{above:g}."
        for row in shown.values()
    ]


def short_flags(flags: Iterable[Flag]) -> str:
    """The flags of one target in a few letters, for a table."""
    one_way = [flag for flag in flags if flag.kind == "one_way"]
    n_pairs = sum(flag.kind == "two_way" for flag in flags)
    parts = []
    if one_way:
        named = (
            level(one_way[0].level, one_way[0].level_label)
            if len(one_way) == 1
            else f"{len(one_way)}"
        )
        parts.append(f"1-way: {named}")
    if n_pairs:
        parts.append(f"2-way: {n_pairs}")
    return "  ".join(parts)


def exclusions(record: Disclosure, *, most: int | None = None) -> str | None:
    """What is excluded, the first rules of very many; None where nothing is."""
    if not record.exclude:
        return None
    shown = record.exclude[:most]
    more = len(record.exclude) - len(shown)
    rules = "; ".join(truncate(text) for text in shown)
    return f"Excluded from the measures: {f'{rules} and {more:,} more' if more else rules}."


def effects(record: Disclosure) -> list[Effect]:
    """What the exclusions did to DiSCO of each target, in the figures of the headline."""
    return [
        effect
        for effect in record.effects
        if effect.measure == "DiSCO"
        and effect.copy == record.headline_copy
        and effect.target is not None
    ]


def without_exclusions(record: Disclosure, verdicts: Sequence[Verdict]) -> list[str]:
    """For each limit that holds by exclusions alone, the worst figure without them."""
    before = {(e.target, e.copy, e.measure): e.all for e in record.effects}
    worst: dict[str, tuple[float, Verdict]] = {}
    for verdict in verdicts:
        value = before.get((verdict.target, verdict.copy, verdict.measure))
        held = verdict.status == "within" and value is not None and value > verdict.limit
        if held and value is not None and value > worst.get(verdict.measure, (0.0, verdict))[0]:
            worst[verdict.measure] = (value, verdict)
    return [
        (
            f"{measure}{f' of {truncate(verdict.target)}' if verdict.target else ''} meets its"
            f" limit of {verdict.limit:g} % only because of the exclusions: without them it is"
            f" {percent(value)}."
        )
        for measure, (value, verdict) in worst.items()
    ]


def effect_sentence(record: Disclosure, effect: Effect) -> str:
    """What the exclusions did to one figure."""
    target = truncate(effect.target or "")
    if effect.all is None or effect.after is None or effect.all == effect.after:
        return f"The exclusions do not change {effect.measure} of {target}."
    return (
        f"The exclusions reduce {effect.measure} of {target} from"
        f" {n_of(effect.all, record.n_original)} of {record.n_original:,} people"
        f" ({percent(effect.all)}) to {n_of(effect.after, record.n_original)}"
        f" ({percent(effect.after)})."
    )


def excess_sizes(record: Excess) -> str:
    """How much data there is, and what is assumed of the intruder."""
    return (
        f"{people(record.n_train)} in the training data, {people(record.n_control)} in the control"
        f" sample, {format_copies(record.n_synthetic)}. Assumed intruder: knows"
        f" {and_list(record.keys)}."
    )


def headline_excess(record: Excess) -> list[ExcessRow]:
    """The rows that stand for all copies."""
    return [row for row in record.rows if row.copy == record.headline_copy]


SPLIT_PARTS = ("R", "matched", "determined", "correct")
EXCESS_CAPTION = (
    "Blue square: training records. Grey ring: control sample, about whom the synthetic data can"
    " hold only what is true in general."
)
EXCESS_HEADS = ("training", "control", "R", "training after", "control after", "R after", "R excl.")


def excess_cells(record: Excess, row: ExcessRow) -> list[str]:
    """The figures of one row as they are shown, under EXCESS_HEADS; the last four if they exist."""
    cells = [percent_or_dash(row.train), percent_or_dash(row.control), ratio(row.R)]
    if not record.exclude:
        return cells
    after = [percent_or_dash(row.train_after), percent_or_dash(row.control_after)]
    return [*cells, *after, ratio(row.R_after), ratio(row.R_exclusion)]


def excess_sentence(record: Excess, row: ExcessRow) -> str:
    """One row of the comparison in words."""
    if row.train is None or row.control is None or row.R is None:
        return "Not measurable."
    a, b = _who(row, row.train, record.n_train), _who(row, row.control, record.n_control)
    said = f"{a} in the training data {OUTCOMES[row.measure]}, against {b} in the control sample"
    if row.R > 0:
        said += (
            f". Excess risk {percent(100 * row.R)} (R of {row.measure}): of those not disclosed by"
            " general knowledge, the share disclosed only where their record was among those used."
        )
    else:
        said += ": no excess risk."
    # TCAP is a share of those matched, whose number is not given here.
    if row.measure != "TCAP" and _may_be_chance(record, row.train, row.control):
        said = f"{said} A difference this small may be chance."
    said += _split_sentence(record, row)
    if row.train_after is None or row.control_after is None or not row.R_exclusion:
        return said
    after = (
        f"After exclusions ({'; '.join(truncate(format_rule(text)) for text in record.exclude)}):"
        f" {percent(row.train_after)} against {percent(row.control_after)}."
    )
    return f"{said} {after}"


def _who(row: ExcessRow, value: float, n: int) -> str:
    if row.measure == "TCAP":
        return f"{percent(value)} of the people matched"
    return f"{n_of(value, n)} of {n:,} people ({percent(value)})"


def _may_be_chance(record: Excess, train: float, control: float) -> bool:
    """Whether two shares differ by less than twice the standard error of their difference."""
    n_train, n_control = record.n_train, record.n_control
    p = (train * n_train + control * n_control) / (100 * (n_train + n_control))
    error = 100 * math.sqrt(p * (1 - p) * (1 / n_train + 1 / n_control))
    return 0 < abs(train - control) < 2 * error


PART_HEADS = ("target", "R of", "R", "matched", "determined", "correct (95 %)")
FAMILY_HEADS = ("target", "nothing", "most common value", "nearest record")


def _find_parts(record: Excess, row: ExcessRow) -> dict[str, ExcessPart]:
    about = (row.target, row.measure, row.copy)
    return {one.part: one for one in record.parts if (one.target, one.measure, one.copy) == about}


def _with_interval(one: ExcessPart | None) -> str:
    return "-" if one is None else f"{ratio(one.R)} ({ratio(one.low)} to {ratio(one.high)})"


def _split_cells(of: dict[str, ExcessPart]) -> list[str]:
    """R and its parts; what is more often correct with its interval, for it is what counts."""
    first = [of.get(name) for name in SPLIT_PARTS[:-1]]
    shown = [ratio(None if one is None else one.R) for one in first]
    return [*shown, _with_interval(of.get(SPLIT_PARTS[-1]))]


def excess_part_blocks(record: Excess) -> Iterator[Block]:
    """What R is made of, and R by what is guessed about people who are not matched."""
    found = [(row, _find_parts(record, row)) for row in headline_excess(record)]
    split = [
        (truncate(row.target), row.measure, *_split_cells(of)) for row, of in found if "R" in of
    ]
    if split:
        yield table("What R is made of", PART_HEADS, split, text=("R of",))
    family = []
    for row, of in found:
        if "most_common" in of:
            nearest = of.get("nearest") or _find_nearest(record, row.target)
            cells = (of.get("R"), of["most_common"], nearest)
            family.append((truncate(row.target), *map(_with_interval, cells)))
    if family:
        yield table(
            "R of DCAP by what is guessed about people not matched (95 %)", FAMILY_HEADS, family
        )


def _find_nearest(record: Excess, target: str) -> ExcessPart | None:
    """The file with the highest R of the nearest record, which knows no mean over files."""
    found = [one for one in record.parts if (one.target, one.part) == (target, "nearest")]
    return max(found, key=lambda one: one.R, default=None)


def _split_sentence(record: Excess, row: ExcessRow) -> str:
    of = _find_parts(record, row)
    if "R" not in of:
        return ""
    matched, determined, correct = (_with_interval(of.get(name)) for name in SPLIT_PARTS[1:])
    shown = f" {determined} because the match shows a single value more often,"
    return (
        f" R of {row.measure} {ratio(of['R'].R)}: {matched} because people whose records were used"
        f" are matched more often,{shown if 'determined' in of else ''} {correct} because what is"
        " shown about them is more often correct."
    )


def _excess_table(caption: str, record: Excess, rows: Sequence[ExcessRow]) -> TableBlock:
    heads = ("target", "measure", *EXCESS_HEADS[: None if record.exclude else 3])
    cells = [(truncate(row.target), row.measure, *excess_cells(record, row)) for row in rows]
    return table(caption, heads, cells, text=("measure",))


def excess_blocks(record: Excess, *, has_words: bool = False) -> Iterator[Block]:
    """Training data against control sample; in words where asked for, the largest R first."""
    yield Heading("Excess disclosure of training records over the control sample")
    yield Sentence(excess_sizes(record), "lead")
    yield _excess_table("Training data against control sample", record, headline_excess(record))
    yield from excess_part_blocks(record)
    ranked = sorted(headline_excess(record), key=lambda row: -(row.R or 0))
    words = tuple(
        Sentence(
            f"{truncate(row.target)}: {excess_sentence(record, row)}",
            figure=ratio(row.R),
            symbol=row.measure,
        )
        for row in ranked
    )
    if has_words:
        yield Heading("In words, the largest R first", 4)
        yield from words
    else:
        yield Folded("In words", words)
    yield from notes(record.coercions)


def excess_chart(record: Excess) -> Chart:
    """Training records against the control sample for every target, the widest gap first."""
    several = len(record.measures) > 1
    pairs = [
        DotPair(
            f"{truncate_name(row.target)}{f', {row.measure}' if several else ''}",
            row.train,
            row.control,
            ratio(row.R),
        )
        for row in _widest_first(record)
    ]
    title = f"Training records and control sample, by {and_list(record.keys)}"
    return pairs_chart(pairs, title, "percent of people", "R")


def _widest_first(record: Excess) -> list[ExcessRow]:
    return sorted(headline_excess(record), key=lambda row: -(-9.0 if row.R is None else row.R))


def excess_detail(record: Excess, of: str) -> Iterator[Block]:
    """The same in a report: the widest gap and all targets; chart and words unfold."""
    rows = _widest_first(record)
    yield widest(of, rows)
    yield _excess_table("", record, rows)
    drawn = Figure(Sentence(""), excess_chart(record), EXCESS_CAPTION)
    yield Folded("Training records and control sample as a chart", (drawn,))
    if parts := tuple(excess_part_blocks(record)):
        yield Folded("What R is made of", parts)
    yield Sentence(excess_sizes(record), key="checks/excess sizes", of=of)
    words = tuple(
        Sentence(
            f"{truncate(row.target)}: {excess_sentence(record, row)}",
            key="checks/excess",
            of=f"{of}|{row.target}|{row.measure}",
        )
        for row in rows
        if row.R is not None
    )
    if words:
        yield Folded("Excess disclosure in words", words)


def widest(part: str, rows: Sequence[ExcessRow]) -> Sentence:
    """The target with the widest gap, in points."""
    known = [
        (row.train - row.control, row)
        for row in rows
        if row.train is not None and row.control is not None
    ]
    if not known:
        text = "Training and control sample could not both be measured for any target."
        return Sentence(text, "lead", "leakage.nothing", part)
    gap, row = max(known, key=lambda pair: pair[0])
    shares = f"{percent(row.train or 0.0)} against {percent(row.control or 0.0)}"
    of = f"{part}|{row.target}|{row.measure}"
    if gap <= 0:
        text = (
            "Training records are not disclosed more often than the control sample; widest gap:"
            f" {truncate(row.target)}, {shares}."
        )
        return Sentence(text, "lead", "leakage.none", of)
    text = (
        f"Training records are disclosed more often than the control sample, most for"
        f" {truncate(row.target)}: {shares} ({points(gap)} points)."
    )
    return Sentence(text, "lead", "leakage.more", of)


def points(gap: float) -> str:
    """A difference of percentages; never a positive 0."""
    shown = f"{gap:.1f}"
    return "less than 0.1" if shown == "0.0" else shown


@as_text.register
def _(record: Excess) -> str:
    highest = max(headline_excess(record), key=lambda row: row.R or 0, default=None)
    if highest is None:
        return "Excess over control: no target is measured"
    return (
        f"Excess over control from {and_list(record.keys)}: highest R {ratio(highest.R)}"
        f" ({highest.measure} of {truncate(highest.target)}: training"
        f" {percent_or_dash(highest.train)}, control {percent_or_dash(highest.control)})"
    )


@as_blocks.register
def _(record: Excess) -> Iterator[Block]:
    return excess_blocks(record)


def table_sentences(record: ExclusionTable) -> list[str]:
    """What the figures of the table are."""
    verb, how, of = "disclosed", "correctly by", "by"
    if record.measure == "DCAP":
        verb, how, of = "guessed correctly", "from", "from"
    said = (
        f"Percentages of people {verb}: {of} the original ({record.measure_original}), {how} the"
        f" synthetic data ({record.measure})."
    )
    m = len(record.n_synthetic)
    means = f"Figures of the synthetic data are means over {m} copies."
    return [said, means] if m > 1 else [said]


def cells_of(record: ExclusionTable, target: str) -> Sequence[ExclusionTableRow]:
    """The cells of one target, from column to column."""
    return [row for row in record.rows if row.target == target]


@as_text.register
def _(record: ExclusionTable) -> str:
    titles = " | ".join(column.title for column in record.columns)
    said = [f"{record.measure} ({record.measure_original}) under: {titles}"]
    for target in record.targets:
        cells = (
            f"{percent_figure(row.synthetic)} ({percent_figure(row.original)})"
            for row in cells_of(record, target)
        )
        said.append(" ".join([truncate(target), *cells]))
    return "\n".join(said)


@as_blocks.register
def _(record: ExclusionTable) -> Iterator[Block]:
    yield Heading("Attribute disclosure under the usual exclusions")
    yield from sentences(table_sentences(record), "lead")
    yield _side(record, "synthetic", f"Synthetic data ({record.measure}), percent of people")
    yield _side(record, "original", f"Original ({record.measure_original}), percent of people")
    columns = [
        (str(column.column), column.title, "; ".join(map(truncate, column.exclude)) or "-")
        for column in record.columns
    ]
    yield table("Columns", ("column", "title", "excluded"), columns, text=("title", "excluded"))
    yield from notes(record.coercions)


def _side(record: ExclusionTable, side: str, caption: str) -> TableBlock:
    heads = ("target", *(str(column.column) for column in record.columns))
    rows = [
        (
            truncate(target),
            *(percent_figure(getattr(row, side)) for row in cells_of(record, target)),
        )
        for target in record.targets
    ]
    return table(caption, heads, rows)

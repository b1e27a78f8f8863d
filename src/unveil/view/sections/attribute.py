"""Annex A: which values would be disclosed, how often correctly, beside the original's."""

from collections.abc import Iterator, Sequence

from unveil.records.disclosure import AttributeRow, Disclosure
from unveil.records.judgement import LimitCheck, Status
from unveil.records.report import Parts, ReportContents
from unveil.view import disclosure
from unveil.view.blocks import Block, Figure, Folded, Sentence, ShareBar, TableBlock, table
from unveil.view.charts.dots import target_chart
from unveil.view.claims import ADDED_HEADS, FOOTNOTE, added_cells, part_blocks
from unveil.view.flags import effect_sentence, effects
from unveil.view.format import (
    copy_name,
    format_count,
    n_of,
    percent,
    percent_or_dash,
    rounded_percent,
    truncate,
)
from unveil.view.sections.shared import (
    are,
    by_scenario,
    figures_of_part,
    fold,
    worst_first,
)
from unveil.view.status import format_status, worst

HEADS = ("target", "original (Dorig)", "disclosed correctly (DiSCO)")
WRONG = ("disclosed wrongly (people)", "correct when shown", "status")
SEVERAL = ("lowest to highest (%)", "pooled")
GUESS_HEADS = ("target", "baseline (baseCAPd)", "synthetic data (DCAP)", "original (CAPd)")
STEPS = ("iS", "DiS", "DiSCO", "DiSDiO", "Dorig", "removed", "baseCAPd", "DCAP", "CAPd")
GROUPS = {
    "max_denom": "largest group",
    "mean_denom": "mean group",
    "max_denom_syn": "largest group, synthetic",
    "mean_denom_syn": "mean group, synthetic",
}
NOTE = (
    "Bar: disclosed correctly (filled), wrongly (hatched: a single value is shown, but not the true"
    " one); dot: original; line: limit. Percentages are of the people in the original."
)
CAPTION = (
    "Bars: from match to disclosure, as percentages of the people in the original. Square:"
    " synthetic data. Ring: original. Triangle: baseline, for guesses only."
)


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """All targets of each scenario in a table; every target by itself unfolds."""

    def draw(scenario: str | None) -> Iterator[Block]:
        for part, record in parts.about("disclosure", scenario):
            yield from _scenario(contents, part, record)

    yield from by_scenario(
        contents, parts, "", ["disclosure"], draw, overview=_overview(contents, parts)
    )


def _overview(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """All targets of all scenarios, the highest DiSCO first."""
    rows, bars, has_copies, has_added = [], [], False, False
    for part in contents.run.list_parts("disclosure"):
        record: Disclosure = parts[part.name]
        judged = figures_of_part(contents, part.name, ["DiSCO"])
        has_copies = has_copies or len(record.n_synthetic) > 1
        has_added = has_added or bool(record.claims)
        for target in record.targets:
            value = record.attribute_of(target, record.headline_copy).DiSCO
            rows.append((value, part.scenario, cells(record, target, judged)))
            bars.append(_bar(record, target, judged))
    heads = (*HEADS, *(ADDED_HEADS if has_added else ()), *(SEVERAL if has_copies else ()), *WRONG)
    note = f"{NOTE} {FOOTNOTE}" if has_added else NOTE
    yield from worst_first("", heads, rows, note, bars, main=HEADS[2:3], spare=WRONG[1:2])


def statuses_of(record: Disclosure, judged: Sequence[LimitCheck]) -> dict[str, Status]:
    """The worst status of each target over copies and pool."""
    return {
        target: worst(one.status for one in judged if one.target == target)
        for target in record.targets
    }


def _scenario(contents: ReportContents, part: str, record: Disclosure) -> Iterator[Block]:
    if not record.targets:
        yield Sentence("No target was measured in this scenario.", key="attribute.no targets")
        return
    judged = figures_of_part(contents, part, ["DiSCO"])
    order = _sort_targets(record, "DiSCO")
    first = record.attribute_of(order[0], record.headline_copy)
    said = disclosure.attribute(record, first)
    yield _standing(part, record, judged)
    if "DiSCO" in said:
        of = f"{part}|{first.target}|{first.copy}"
        yield Sentence(said["DiSCO"], key="disclosure/DiSCO", of=of)
        yield Sentence(said["iS, DiS"], key="disclosure/iS, DiS", of=of)
    if means := disclosure.means(record):
        yield Sentence(means, key="disclosure/means", of=part)
    if by_person := disclosure.people_sentence(record):
        yield Sentence(by_person, key="disclosure/by person", of=part)
    for place, one in enumerate(part_blocks(record)):
        yield Folded("All that one ruling covers, by what explains it", (one,)) if place else one
    yield from _guess_blocks(part, record)
    for target in order:
        value = percent_or_dash(record.attribute_of(target, record.headline_copy).DiSCO)
        detail = tuple(_target(part, record, target))
        yield Folded(f"{truncate(target)}: from match to disclosure (DiSCO {value})", detail)


def _standing(part: str, record: Disclosure, judged: Sequence[LimitCheck]) -> Sentence:
    """How many targets stand where, against the limits."""
    n = format_count(len(record.targets), "target")
    limited = [one for one in judged if one.limit is not None]
    if not limited:
        return Sentence(f"No limit is set for DiSCO ({n}).", "lead", "attribute.no limit", part)
    count = list(statuses_of(record, judged).values()).count
    review, limit = limited[0].review or 0.0, limited[0].limit or 0.0
    return Sentence(
        f"Of {n}, {are(count('above'))} above the limit of {limit:g} % for DiSCO,"
        f" {are(count('review'))} in review (above {review:g} %) and {are(count('within'))} within"
        " the limit.",
        "lead",
        "attribute.status",
        part,
    )


def _sort_targets(record: Disclosure, measure: str) -> list[str]:
    """The targets by one measure, the highest first."""
    rows = [record.attribute_of(target, record.headline_copy) for target in record.targets]
    rows.sort(key=lambda row: -(-1.0 if (value := getattr(row, measure)) is None else value))
    return [row.target for row in rows]


def cells(record: Disclosure, target: str, judged: Sequence[LimitCheck]) -> tuple[str, ...]:
    """One target under HEADS, what is added if it was computed, SEVERAL of copies, and WRONG."""
    row = record.attribute_of(target, record.headline_copy)
    n, status = record.n_original, worst(one.status for one in judged if one.target == target)
    spread: tuple[str, ...] = ()
    if len(record.n_synthetic) > 1:
        spread = (
            _range(record, target),
            percent_or_dash(record.attribute_of(target, "pooled").DiSCO),
        )
    correct = "-" if row.DiSCO is None else f"{_people(row.DiSCO, n)} ({percent(row.DiSCO)})"
    known = row.DiSCO is not None and row.DiS is not None
    wrong = _people((row.DiS or 0.0) - (row.DiSCO or 0.0), n) if known else "-"
    when_shown = percent(100 * (row.DiSCO or 0.0) / row.DiS) if known and row.DiS else "-"
    figures = percent_or_dash(row.Dorig), correct.replace(" ", "\u00a0")
    added = tuple(one.replace(" ", "\u00a0") for one in added_cells(record).get(target, ()))
    shown = (*figures, *added, *spread, wrong, when_shown)
    return (truncate(target), *shown, format_status(status))


def _people(share: float, n: int) -> str:
    """How many people a share is, in a table: a mean over copies never rounds one away."""
    shown = n_of(share, n).removeprefix("about ")
    return "<1" if shown == "0" and share * n > 1e-4 else shown


def _bar(record: Disclosure, target: str, judged: Sequence[LimitCheck]) -> ShareBar:
    row = record.attribute_of(target, record.headline_copy)
    limit = next((one.limit for one in judged if one.limit is not None), None)
    correct = row.DiSCO or 0.0
    return ShareBar(correct, (row.DiS or correct) - correct, row.Dorig, limit)


def _range(record: Disclosure, target: str) -> str:
    for one in record.spread:
        if (one.target, one.measure) == (target, "DiSCO"):
            return f"{rounded_percent(one.lowest)}\u00a0to\u00a0{rounded_percent(one.highest)}"
    return "-"


def _guess_blocks(part: str, record: Disclosure) -> Iterator[Block]:
    """DCAP beside its baseline and CAPd: one sentence, and the table unfolds."""
    order = _sort_targets(record, "DCAP")
    rows = [record.attribute_of(target, record.headline_copy) for target in order]
    known = [row for row in rows if row.DCAP is not None and row.baseCAPd is not None]
    if not known:
        return
    gains = [(row.DCAP or 0.0) - (row.baseCAPd or 0.0) for row in known]
    most = known[gains.index(max(gains))]
    text = (
        f"A random guess among matching synthetic records (DCAP) is correct more often than the"
        f" baseline for {sum(gain > 0 for gain in gains):,} of {format_count(len(known), 'target')}"
    )
    if max(gains) > 0:
        text += (
            f"; most for {truncate(most.target)}: {percent(most.DCAP or 0.0)} of people, baseline"
            f" {percent(most.baseCAPd or 0.0)}, original {percent_or_dash(most.CAPd)}"
        )
    if record.exclude:
        text += ". The baseline includes everyone; the other two apply the exclusions"
    yield Sentence(f"{text}.", key="attribute.guess", of=part)
    cells_ = [
        (truncate(row.target), *map(percent_or_dash, (row.baseCAPd, row.DCAP, row.CAPd)))
        for row in rows
    ]
    yield from fold("Guesses (DCAP) of every target", [table("", GUESS_HEADS, cells_)])


def _target(part: str, record: Disclosure, target: str) -> Iterator[Block]:
    copy = record.headline_copy
    row = record.attribute_of(target, copy)
    of = f"{part}|{target}|{copy}"
    said = disclosure.attribute(record, row)
    if not said:
        yield from _undefined_sentences(part, record, row)
        return
    for key in ("DiSCO", "removed", "DCAP"):
        if key in said:
            yield Sentence(said[key], key=f"disclosure/{key}", of=of)
    lead = Sentence(said["iS, DiS"], "lead", "disclosure/iS, DiS", of)
    yield Figure(lead, target_chart(record, target), CAPTION, steps_table(record, target))
    yield from _groups(of, row)
    yield from _several(part, record, target)
    for effect in effects(record):
        if effect.target == target:
            yield Sentence(effect_sentence(record, effect), key="checks/effect", of=of)


def _groups(of: str, row: AttributeRow) -> Iterator[Block]:
    """How many people share keys and value behind DiSCO."""
    if row.mean_denom is None or not row.DiSCO:
        return
    if row.max_denom == 1:
        yield Sentence("Every correct disclosure concerns one person.", key="target.one", of=of)
        return
    yield Sentence(
        f"Correct disclosures concern groups of {row.mean_denom:.1f} people on average (largest"
        f" {_group(row.max_denom, 1)}).",
        key="target.groups",
        of=of,
    )


def _several(part: str, record: Disclosure, target: str) -> Iterator[Block]:
    if len(record.n_synthetic) < 2:
        return
    if (text := disclosure.spread_sentence(record, target, "DiSCO")) is not None:
        yield Sentence(text, key="disclosure/mean", of=f"{part}|{target}|DiSCO")
    pooled = record.attribute_of(target, "pooled").DiSCO
    if pooled is not None:
        yield Sentence(
            f"With all {len(record.n_synthetic)} copies pooled, it would be correctly disclosed for"
            f" {n_of(pooled, record.n_original)} of {record.n_original:,} people"
            f" ({percent(pooled)}).",
            key="target.pooled",
            of=f"{part}|{target}",
        )


def _undefined_sentences(part: str, record: Disclosure, row: AttributeRow) -> Iterator[Block]:
    for one in record.not_measured:
        if (one.target, one.copy) == (row.target, row.copy) and one.field in ("DiSCO", "Dorig"):
            text = f"{one.field} of {truncate(row.target)} could not be measured: {one.reason}."
            of = f"{part}|{row.target}|{one.field}"
            yield Sentence(text, "look", "target.undefined", of)


def steps_table(record: Disclosure, target: str) -> TableBlock:
    """Every measure of one target, a column for each copy."""
    rows = [row for row in record.attribute if row.target == target]
    figures = [(step, *(percent_or_dash(getattr(row, step)) for row in rows)) for step in STEPS]
    groups = [(name, *(_group(getattr(row, one)) for row in rows)) for one, name in GROUPS.items()]
    return table("", ("measure", *(copy_name(row.copy) for row in rows)), [*figures, *groups])


def _group(size: float | None, digits: int = 2) -> str:
    """A number of people in a group: whole, or with decimals where it is a mean."""
    if size is None:
        return "-"
    return f"{size:,.0f}" if size == int(size) else f"{size:,.{digits}f}"

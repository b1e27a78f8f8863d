"""Annex D: how often a guess among matching records is correct (CAP), and the four TCAPs.

CAP of Taub et al. with non-matches as 0 and as undefined, for everyone, for uniques and for special
uniques.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unveil.records.cap import Cap, CapRow, Tcap
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Kind
from unveil.view.blocks import Block, Figure, Sentence, table
from unveil.view.cap import (
    SCENARIOS,
    TCAP_HEADS,
    cap_sentences,
    tcap_cells,
    tcap_sentences,
    trend_sentences,
)
from unveil.view.charts.lines import cap_lines_chart
from unveil.view.format import and_list, format_share, truncate
from unveil.view.sections.shared import (
    MOST_GUESSED,
    by_scenario,
    fold,
    scenarios_of,
    worst_first,
)

KINDS: tuple[Kind, ...] = ("cap", "tcap")
FIGURE_HEADS = (
    *("people", "matched", "baseline"),
    *("CAP, non-match as 0", "CAP of matched", "original"),
)
HEADS = ("who", "copies", *FIGURE_HEADS)
TABLE = "CAP and TCAP of every target, highest first"
GROUPS = {"uniques": "statistical uniques", "special": "special uniques"}
NOTE = (
    "CAP: correct random guesses among matching records; the uniques count non-matches as 0. TCAP:"
    " four measures of that name; in brackets the same at random."
)
CAPTION = (
    "One panel for each group of people. Solid blue: people without a match count as wrong"
    " guesses. Dashed blue: they do not count. Grey: original, and baseline (dotted)."
)


@dataclass(frozen=True)
class TargetRecords:
    """What was measured of one target, each record with the name of its part."""

    target: str
    caps: tuple[tuple[str, Cap], ...]
    tcaps: tuple[tuple[str, Tcap], ...]

    @property
    def risk(self) -> float:
        """By which targets are ordered: the first CAP, non-matches as 0, with all copies.

        It is that of everyone, where everyone was asked for.
        """
        found = [row.cap_synthetic_zero for _, cap in self.caps for row in _last(cap)]
        return next((value for value in found if value is not None), -1.0)

    @property
    def m(self) -> int:
        """How many copies there are."""
        return max((row.m for _, cap in self.caps for row in cap.rows), default=1)


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """CAP and TCAP of each scenario."""

    def draw(scenario: str | None) -> Iterator[Block]:
        yield from _scenario(targets_of(parts, scenario))

    title = "Correct attribution probability (CAP, TCAP)"
    yield from by_scenario(contents, parts, title, KINDS, draw, overview=_overview(contents, parts))


def targets_of(parts: Parts, scenario: str | None) -> list[TargetRecords]:
    """The targets of one scenario, the riskiest first."""
    caps, tcaps = parts.about("cap", scenario), parts.about("tcap", scenario)
    names = dict.fromkeys(_name(record) for _, record in (*caps, *tcaps))
    found = [
        TargetRecords(
            one,
            tuple(pair for pair in caps if _name(pair[1]) == one),
            tuple(pair for pair in tcaps if _name(pair[1]) == one),
        )
        for one in names
    ]
    return sorted(found, key=lambda one: -one.risk)


def _name(record: Cap | Tcap) -> str:
    return and_list((record.target,) if isinstance(record.target, str) else record.target)


def _overview(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """One row for each target of each scenario: CAP for everyone and for uniques, and TCAP."""
    rows = []
    for scenario in scenarios_of(contents, KINDS):
        for one in targets_of(parts, scenario):
            tcaps = list(tcap_rows([one]))
            pairs = zip(*(line[1:] for line in tcaps[:2]), strict=True)
            none = ("-",) * len(TCAP_HEADS[1:])
            tcap = tuple(_beside(*pair) for pair in pairs) if tcaps else none
            rows.append((one.risk, scenario, (one.target, *_cap_cells(one), *tcap)))
    heads = ("target", *FIGURE_HEADS[2:], *GROUPS.values(), *(f"TCAP {x}" for x in TCAP_HEADS[1:]))
    yield from worst_first(TABLE, heads, rows, NOTE, most=MOST_GUESSED)


def _beside(share: str, baseline: str) -> str:
    """A share and what it would be at random, if either is known."""
    return "-" if share == baseline == "-" else f"{share} ({baseline})"


def _cap_cells(one: TargetRecords) -> tuple[str, ...]:
    """CAP of everyone, then of each smaller group with non-matches as 0; a dash where not asked."""
    last = {row.scenario: row for _, cap in one.caps for row in _last(cap)}
    own = figure_cells(last["full"])[2:] if "full" in last else ("-",) * len(FIGURE_HEADS[2:])
    groups = (last[name].cap_synthetic_zero if name in last else None for name in GROUPS)
    return *own, *map(format_share, groups)


def _scenario(targets: Sequence[TargetRecords]) -> Iterator[Block]:
    rows = [row for one in targets for row in last_rows(one)]
    groups = table("", ("target", "who", *FIGURE_HEADS), rows, text=["who"])
    yield from fold("CAP of every group of people", [groups] if rows else [])
    for place, one in enumerate(targets):
        drawn = list(_lines(one)) if one.m > 1 and one.caps else []
        yield from drawn[:1] if not place else []
        detail = [*drawn[1:], *_words(one)] if not place else [*drawn, *_words(one)]
        yield from fold(f"{truncate(one.target)} in words (CAP {_risk(one)})", detail)


def _risk(one: TargetRecords) -> str:
    return format_share(one.risk if one.risk >= 0 else None)


def _words(one: TargetRecords) -> Iterator[Block]:
    """CAP and TCAP of one target in sentences; its tables have the same figures."""
    for part, cap in one.caps:
        for row in _last(cap):
            yield _guess_sentence(part, cap, row)
    for part, tcap in one.tcaps:
        for key, text in tcap_sentences(tcap.rows[-1], tcap.tau):
            yield Sentence(text, key=f"targeted/{key}", of=part)


def _lines(one: TargetRecords) -> Iterator[Block]:
    """CAP by the number of copies, under what the fitted slopes say of it."""
    part, first = one.caps[0]
    said = [Sentence(text, key=f"on m/{key}", of=part) for key, text in trend_sentences(first)]
    rows = [cells(row) for _, cap in one.caps for row in cap.rows]
    chart = cap_lines_chart([cap for _, cap in one.caps])
    yield Figure(said[0], chart, CAPTION, table("", HEADS, rows))
    yield from said[1:]


def _last(cap: Cap) -> list[CapRow]:
    """The rows with all copies pooled, by the first set of keys."""
    keys, method = cap.key_sets[0].keys, cap.methods[0].name
    rows = (cap.rows_of(method, keys, scenario) for scenario in cap.scenarios)
    return [found[-1] for found in rows if found]


def _guess_sentence(part: str, cap: Cap, row: CapRow) -> Sentence:
    is_marginal, of = cap.baseline == "marginal", f"{part}|{row.scenario}|{row.m}"
    said = list(cap_sentences(row, is_marginal=is_marginal, with_settled=bool(cap.tolerance)))
    # What follows the first sentence speaks of the same people, and stands in one paragraph.
    return Sentence(" ".join(text for _, text in said), key=f"attribution/{said[0][0]}", of=of)


def last_rows(one: TargetRecords) -> list[tuple[str, ...]]:
    """One target in the table of all: a row for each group of people."""
    return [
        (one.target, SCENARIOS[row.scenario], *figure_cells(row))
        for _, cap in one.caps
        for row in _last(cap)
    ]


def cells(row: CapRow) -> tuple[str, ...]:
    """One row under HEADS."""
    return SCENARIOS[row.scenario], f"{row.m}", *figure_cells(row)


def figure_cells(row: CapRow) -> tuple[str, ...]:
    """One row under FIGURE_HEADS, in percent as in the sentences."""
    figures_ = (
        row.cap_baseline,
        row.cap_synthetic_zero,
        row.cap_synthetic_undefined,
        row.cap_original,
    )
    return f"{row.n:,}", f"{row.n_match:,}", *map(format_share, figures_)


def tcap_rows(targets: Sequence[TargetRecords]) -> Iterator[tuple[str, ...]]:
    """The four measures called TCAP, with all copies pooled, in percent."""
    for one in targets:
        for _, tcap in one.tcaps:
            yield from tcap_cells(one.target, tcap.rows[-1], format_share)

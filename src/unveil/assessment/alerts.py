"""What stands against a release? Alerts, drawn from what the checks counted.

A limit that the custodian set replaces ours. Ours were measured on honest synthetic files and on
files with real records in them (docs/gate.md): a flat share of records that reappear is the wrong
yardstick, for an honest file of few columns returns many by chance.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from unveil.records.alerts import (
    Alert,
    AlertStatus,
    CodingRow,
    CopiedColumn,
    GateEvidence,
    NearCopies,
    OwnValue,
    SingleHolder,
    TiedGroup,
    WholeRecords,
)
from unveil.records.base import Copy

SIGNIFICANT = 6.0
TIED = (5.0, 10.0)
"""Percent of people tied: review, block."""
REAL = (5.0, 20.0)
"""Percent of people with a unique record that reappears: review; block where people are tied."""
REAL_ALWAYS = 50.0
COPIED = 0.8
"""Share of own values, in whichever column, from which records that reappear are copies."""
POOLED_TIED = 20.0
NEAR = (10.0, 20.0)
"""Percentage points of people with a near-copy beyond the yardstick: review, block."""
HALF = 0.5
SINGLE = (0.25, 0.25)
"""Share of single holders' values that reappear beyond chance: review, block."""
FEWEST_HELD = 20
CONTROL = (2.0, 5.0)
"""Percentage points above the control sample, lower limit of the difference: review, block."""
LEAST_PEOPLE = 10
GROUP_P = 0.001
GROUP_GAIN = 0.3
POOLED_GAIN = 0.6
GROUP_TIED = 10.0
GROUP_SHARE = 0.1
REAL_VALUES = 0.05
"""Share of records with a real value from which an identifier counts as present."""
MOST_NAMED = 3

Limits = Mapping[str, tuple[float, float]]
NOT_COUNTED = (
    "Identifiers, values of single people, near-copies, people tied to their own values, groups and"
    " other codings were not looked for."
)


def unchecked_alert(name: str, sentence: str, action: str) -> Alert:
    """What was not looked at and might disclose: a person has to decide."""
    return Alert(
        id=name, kind="unchecked", columns=(), status="decide", sentence=sentence, action=action
    )


def records_not_compared() -> Alert:
    """Records that were counted elsewhere and not compared."""
    action = "Run unveil assess on random samples of both files that memory holds as well."
    return unchecked_alert("records-not-compared", NOT_COUNTED, action)


def gate_alerts(evidence: GateEvidence, limits: Limits | None = None) -> tuple[Alert, ...]:
    """Every alert, the gravest first; of several copies one alert for the worst."""
    limits = limits or {}
    own = [*_own(evidence, limits)]
    found = [
        *_real(evidence, limits),
        *own,
        *_near(evidence),
        *_single(evidence),
        *_coarse(evidence, own),
        *_columns(evidence),
        *_beside(evidence),
        *_groups(evidence),
        *_codings(evidence),
    ]
    return once_each(found)


def sort_by_gravity(alerts: Iterable[Alert]) -> tuple[Alert, ...]:
    """What blocks first, then what a person decides, then what is to be reviewed."""
    order = {"block": 0, "decide": 1, "review": 2}
    return tuple(sorted(alerts, key=lambda one: order[one.status]))


def once_each(alerts: Iterable[Alert]) -> tuple[Alert, ...]:
    """One alert for each id, that of the worst copy; the gravest first."""
    found: dict[str, Alert] = {}
    for one in sort_by_gravity(alerts):
        known = found.get(one.id)
        is_worse = known is None or (
            one.status == known.status and (one.figure or 0) > (known.figure or 0)
        )
        if is_worse:
            found[one.id] = one
    return tuple(found.values())


def exit_code(alerts: Iterable[Alert]) -> int:
    """3 for what blocks, 4 for what only a person can answer, 0 for the rest."""
    open_ = {one.status for one in alerts if one.accepted is None}
    return 3 if "block" in open_ else 4 if "decide" in open_ else 0


def percent(value: float) -> str:
    """A percentage with one decimal, never rounded to none or to all."""
    shown = f"{value:.1f}"
    if value > 0 and shown == "0.0":
        return "less than 0.1 %"
    if value < 100 and shown == "100.0":
        return "more than 99.9 %"
    return f"{shown} %" if value else "0 %"


def format_names(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """At most so many names, and how many more there are."""
    shown = list(names[:most])
    left = len(names) - len(shown)
    if left:
        return f"{', '.join(shown)} and {left} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _where(copy: Copy, evidence: GateEvidence) -> str:
    if len(evidence.n_synthetic) == 1:
        return "the synthetic data"
    return "all synthetic files together" if copy == "pooled" else f"synthetic file {copy}"


def _tied_percent(one: OwnValue, n_people: int) -> float:
    """Percent of people tied: beyond the control sample where there is one."""
    tied = one.tied if one.excess is None else one.excess
    return 100 * max(tied, 0.0) / max(n_people, 1)


def highest_tied_percent(evidence: GateEvidence, copy: Copy) -> float:
    """Percent of people tied by the worst column, where chance does not explain it."""
    found = [one for one in evidence.own if one.copy == copy and one.z >= SIGNIFICANT]
    return max((_tied_percent(one, evidence.n_original) for one in found), default=0.0)


def _unit(evidence: GateEvidence) -> str:
    """Whom checks by row count: people, unless these have several."""
    return "people" if evidence.person is None else "rows"


def _count(n: float, evidence: GateEvidence) -> str:
    return f"{n:,.0f} {_unit(evidence)}"


def _n_people(evidence: GateEvidence) -> int:
    return evidence.n_original if evidence.person is None else evidence.person.n_people


def _real(evidence: GateEvidence, limits: Limits) -> Iterator[Alert]:
    for row in evidence.whole:
        share = real_percent(row)
        status = _real_status(row, share, highest_tied_percent(evidence, row.copy), limits)
        if status is None:
            continue
        n, n_people, rows = row.n_reappearing, row.n_people, ""
        if row.people is not None:
            n, n_people = row.people.n_reappearing, row.people.n_people
            rows = f"; {row.people.n_rows:,} rows"
        expected = 100 * row.expected / max(row.n_people, 1)
        beside = f" {percent(expected)}{' of rows' if rows else ''} would by chance."
        if row.control_share is not None:
            expected = 100 * row.control_share
            beside = f" Of the control sample: {percent(expected)}."
        if row.least_own is not None and _is_copied(row):
            beside += (
                " They are copies: of people found by all columns but one, at least"
                f" {percent(100 * row.least_own)} have their own value there, whichever column"
                " that is."
            )
        yield Alert(
            id="real-records" if row.copy != "pooled" else "real-records:pooled",
            kind="real_records",
            columns=(),
            figure=share,
            expected=expected,
            status=status,
            sentence=(
                f"{n:,} of {n_people:,} people ({percent(share)}{rows}) have a unique"
                f" record that reappears in {_where(row.copy, evidence)}, equal in all"
                f" {row.n_columns} compared columns.{beside}"
            ),
            action=(
                "Check whether original records were written into the synthetic data by mistake."
                if status == "review"
                else "Do not release. Check whether the original was written by mistake."
            ),
        )


def real_percent(row: WholeRecords) -> float:
    """Percent of people with a unique record that reappears."""
    if row.people is None:
        return 100 * row.n_reappearing / max(row.n_people, 1)
    return 100 * row.people.n_reappearing / max(row.people.n_people, 1)


def _real_status(
    row: WholeRecords, share: float, tied: float, limits: Limits
) -> AlertStatus | None:
    if "real_records" in limits:
        review, limit = limits["real_records"]
        return "block" if share > limit else "review" if share > review else None
    share = 100 * row.n_reappearing / max(row.n_people, 1)  # ours were measured by row
    if _is_copied(row):
        return "block"
    if row.excess is not None:
        beyond = 100 * row.excess
        return "block" if beyond >= CONTROL[1] else "review" if beyond >= CONTROL[0] else None
    if row.copy == "pooled":
        is_blocked = share > REAL[1] and tied >= POOLED_TIED
        return "block" if is_blocked or (share > REAL_ALWAYS and tied >= TIED[1]) else None
    return _real_status_by_share(row, share, tied)


def _real_status_by_share(row: WholeRecords, share: float, tied: float) -> AlertStatus | None:
    if (share > REAL_ALWAYS and tied >= TIED[0]) or (share > REAL[1] and tied >= TIED[1]):
        return "block"
    beyond = row.n_reappearing - row.expected
    # Few people cannot be said to be tied; that so many reappear beyond chance says enough.
    if share > REAL_ALWAYS and beyond > REAL[1] / 100 * row.n_people:
        return "block"
    is_many = beyond > REAL[0] / 100 * row.n_people and beyond >= LEAST_PEOPLE
    return "review" if is_many else None


def _is_copied(row: WholeRecords) -> bool:
    """Whether the records that reappear are copies, few as they may be: equal in every column."""
    beyond = row.n_reappearing - row.expected
    return row.least_own is not None and row.least_own >= COPIED and beyond >= LEAST_PEOPLE


def _own(evidence: GateEvidence, limits: Limits) -> Iterator[Alert]:
    for one in evidence.own:
        share = _tied_percent(one, evidence.n_original)
        ours = TIED if one.excess is None else CONTROL
        review, bound = limits.get("tied", ours)
        is_pooled = one.copy == "pooled"
        bound = max(bound, POOLED_TIED) if is_pooled and "tied" not in limits else bound
        if one.z < SIGNIFICANT or share < review or (is_pooled and share < bound):
            continue
        yield Alert(
            id=f"own-value:{one.column}",
            kind="own_value",
            columns=(one.column,),
            figure=share,
            expected=0.0,
            status="block" if share >= bound else "review",
            sentence=_own_sentence(one, evidence, share),
            action="Synthesise with larger groups, or coarsen or remove what links these people.",
        )


def _own_sentence(one: OwnValue, evidence: GateEvidence, share: float) -> str:
    beside = (
        f"{percent(100 * one.yardstick)} would be expected if the records belonged to people like"
        " them"
        if one.control_own is None
        else f"of the control sample linked alike, {percent(100 * one.control_own)}"
    )
    return (
        f"Of {_count(one.links, evidence)} linked by {format_names(one.linked_by)},"
        f" {percent(100 * one.own)} are shown with their own {one.column}"
        f" in {_where(one.copy, evidence)}; {beside}."
        f" {round(share * evidence.n_original / 100):,} of {_count(evidence.n_original, evidence)}"
        f" ({percent(share)}) are affected."
    )


def _near(evidence: GateEvidence) -> Iterator[Alert]:
    for row in evidence.near:
        gain = 100 * (row.share - row.expected)
        if gain >= NEAR[0]:
            yield _near_alert(row, evidence, "block" if gain >= NEAR[1] else "review")


def _near_alert(row: NearCopies, evidence: GateEvidence, status: AlertStatus) -> Alert:
    n = round(row.share * evidence.n_original)
    ranks = " (by ranks within each file, so in any unit)" if row.within_files else ""
    return Alert(
        id="near-copies" if row.copy != "pooled" else "near-copies:pooled",
        kind="near_copies",
        columns=row.columns[:MOST_NAMED],
        figure=100 * row.share,
        expected=100 * row.expected,
        status=status,
        sentence=(
            f"{n:,} of {_count(evidence.n_original, evidence)} ({percent(100 * row.share)}) have a"
            " record in"
            f" {_where(row.copy, evidence)} that is nearer than {row.ratio:g} times the nearest"
            f" other person, by {format_names(row.columns)}{ranks}; {percent(100 * row.expected)}"
            " would be expected from other people."
        ),
        action=(
            "Do not release. Check for original numbers with a trace of noise or in another unit."
        ),
    )


def _single(evidence: GateEvidence) -> Iterator[Alert]:
    identifying = {(one.copy, one.column) for one in evidence.copied}
    for row in (one for one in evidence.single if one.within is None):
        is_most = row.n_held >= max(FEWEST_HELD, HALF * _n_people(evidence))
        if not is_most or row.is_running or (row.copy, row.column) in identifying:
            continue
        share = row.n_reappearing / row.n_held
        if share - row.expected >= SINGLE[0]:
            is_most_back = share > HALF and share - row.expected >= SINGLE[1]
            yield _single_alert(row, evidence, "block" if is_most_back else "review")


def _single_alert(row: SingleHolder, evidence: GateEvidence, status: AlertStatus) -> Alert:
    if row.computed_from:
        return _computed_alert(row, evidence, status)
    return Alert(
        id=f"single-holder:{row.column}",
        kind="single_holder",
        columns=(row.column,),
        figure=100 * row.n_reappearing / row.n_held,
        expected=100 * row.expected,
        status=status,
        sentence=(
            f"{row.n_held:,} of {_n_people(evidence):,} people have a value of {row.column} that"
            f" no one else has, and {row.n_reappearing:,} of these values"
            f" ({percent(100 * row.n_reappearing / row.n_held)}) reappear in"
            f" {_where(row.copy, evidence)}; {percent(100 * row.expected)} would by chance."
        ),
        action="Round it, add noise, or remove it.",
    )


def _computed_alert(row: SingleHolder, evidence: GateEvidence, status: AlertStatus) -> Alert:
    sources = format_names(row.computed_from)
    back = 100 * row.n_reappearing / row.n_held
    return Alert(
        id=f"given-back:{row.column}",
        kind="given_back",
        columns=(row.column, *row.computed_from)[:3],
        figure=back,
        expected=100 * row.expected,
        status=status,
        sentence=(
            f"{row.column} differs from the original's, but {sources} give it back: of"
            f" {row.n_held:,} values that only one person has, {row.n_reappearing:,}"
            f" ({percent(back)}) reappear in {_where(row.copy, evidence)} when {row.column} is"
            f" computed from them; {percent(100 * row.expected)} would by chance."
        ),
        action=f"Protect {sources} too, or compute them from the protected {row.column}.",
    )


def _coarse(evidence: GateEvidence, own: Sequence[Alert]) -> Iterator[Alert]:
    """Changed numbers that people's own values of other columns give, though none exactly."""
    shown = {name: alert for alert in own for name in alert.columns}
    for row in evidence.single:
        if row.within is None or row.column in shown:
            continue
        alerts = sort_by_gravity(shown[name] for name in row.computed_from if name in shown)
        if not alerts:
            continue
        alert = alerts[0]
        sources = format_names(row.computed_from)
        gives = "gives" if len(row.computed_from) == 1 else "give"
        yield Alert(
            id=f"given-back:{row.column}",
            kind="given_back",
            columns=(row.column, *row.computed_from)[:3],
            figure=alert.figure,
            expected=alert.expected,
            status=alert.status,
            sentence=(
                f"{row.column} differs from the original's, but {sources} {gives} it back to within"
                f" {row.within:.3g} in half of the records, and it is published {row.moved:.3g}"
                f" away from that; people are shown with their own {alert.columns[0]} in"
                f" {_where(row.copy, evidence)}."
            ),
            action=f"Protect {sources} too, or compute them from the protected {row.column}.",
        )


def _columns(evidence: GateEvidence) -> Iterator[Alert]:
    for row in evidence.copied:
        is_shared = row.reason in ("identifier", "free text") and row.column in evidence.compared
        alert = _identifier(row, evidence) if is_shared else _extra(row, evidence)
        if alert is not None:
            yield alert


def _identifier(row: CopiedColumn, evidence: GateEvidence) -> Alert | None:
    share = row.n_real / max(row.n_records, 1)
    if row.is_running and not row.is_declared:
        return None
    if share - row.expected <= REAL_VALUES or row.n_real < LEAST_PEOPLE:
        status: AlertStatus | None = "review" if row.is_declared and row.n_records else None
    else:
        status = "block"
    if status is None:
        return None
    what = "free text" if row.reason == "free text" else "an identifier"
    return Alert(
        id=f"identifier:{row.column}",
        kind="identifier",
        columns=(row.column,),
        figure=100 * share,
        expected=100 * row.expected,
        status=status,
        sentence=(
            f"{row.column} is {what} ({row.detail.rstrip('.')}), and {row.n_real:,} of"
            f" {row.n_records:,} records of {_where(row.copy, evidence)} hold a real value of it."
        ),
        action="Remove the column from the synthetic data, or renumber the records.",
    )


def _extra(row: CopiedColumn, evidence: GateEvidence) -> Alert | None:
    if row.reason == "nothing new" or row.is_running:
        return None
    is_real = row.like is not None and row.n_real > 0 and _is_held(row.like, evidence)
    sentence = f"{row.column} is only in {_where(row.copy, evidence)}, and {row.detail.rstrip('.')}"
    if row.reason in ("identifier", "new text", "unknown"):
        sentence = f"{row.column} is only in {_where(row.copy, evidence)}: {row.detail.rstrip('.')}"
    if row.reason == "repeats":
        sentence += f" ({row.n_real:,} of {row.n_records:,} records)"
    return Alert(
        id=f"extra-column:{row.column}",
        kind="extra_column",
        columns=(row.column,) if row.like is None else (row.column, row.like),
        figure=100 * row.n_real / max(row.n_records, 1) if row.like else None,
        expected=0.0 if row.like else None,
        status=_extra_status(row, is_real=is_real),
        sentence=f"{sentence}.",
        action="Give this column a role, or remove it from the synthetic data.",
    )


def _extra_status(row: CopiedColumn, *, is_real: bool) -> AlertStatus:
    if row.reason in ("identifier", "unknown"):
        return "review"
    return "block" if is_real and row.reason == "repeats" else "decide"


def _is_held(like: str, evidence: GateEvidence) -> bool:
    """Whether most people have a value of that column that no one else has."""
    many = HALF * _n_people(evidence)
    return any(row.column == like and row.n_held > many for row in evidence.single)


def _beside(evidence: GateEvidence) -> Iterator[Alert]:
    """One alert for each file that holds more than its table."""
    for copy in dict.fromkeys(one.copy for one in evidence.beside):
        rows = [one for one in evidence.beside if one.copy == copy]
        said = " ".join(one.detail for one in rows[:MOST_NAMED])
        more = f" And {len(rows) - MOST_NAMED:,} more." if len(rows) > MOST_NAMED else ""
        start = f"The file of {_where(copy, evidence)} holds more than the table that was compared."
        yield Alert(
            id=f"beside-table:{copy}",
            kind="beside",
            columns=(),
            status="decide" if any(one.is_much for one in rows) else "review",
            sentence=f"{start} {said}{more}",
            action="Write the table alone to a new file, or look at what else this one holds.",
        )


def _groups(evidence: GateEvidence) -> Iterator[Alert]:
    for row in evidence.groups:
        own = row.own
        gain = POOLED_GAIN if row.copy == "pooled" else GROUP_GAIN
        is_clear = (
            row.p < GROUP_P / max(row.n_tested, 1)
            and own.own - max(own.yardstick, row.expected) >= gain
            and own.tied >= max(GROUP_TIED, GROUP_SHARE * row.n_people)
        )
        if is_clear:
            yield _group_alert(row, evidence)


def _group_alert(row: TiedGroup, evidence: GateEvidence) -> Alert:
    own = row.own
    return Alert(
        id=f"group:{row.column}={row.level}",
        kind="group",
        columns=(row.column,) if row.beside is None else (row.column, row.beside),
        level=row.level,
        figure=100 * own.own,
        expected=100 * row.expected,
        status="decide",
        sentence=(
            f"{row.column} = {row.level}: of {own.links:,.0f} linked {_unit(evidence)} among"
            f" {row.n_people:,}, {percent(100 * own.own)} are shown with their own {own.column} in"
            f" {_where(row.copy, evidence)}; {percent(100 * row.expected)} would be expected."
        ),
        action="Check how the records of this group were made.",
    )


_CODING = "Give the column the same coding in both files, or record that both agree."
_COARSER = f"If it was recoded on purpose, declare it ([[protect.step]] or --recode). {_CODING}"


def _codings(evidence: GateEvidence) -> Iterator[Alert]:
    for row in evidence.codings:
        yield Alert(
            id=f"coding:{row.column}",
            kind="coding",
            columns=(row.column,),
            figure=100 * row.share,
            expected=100 * row.expected,
            status="decide" if row.is_measured else "block",
            sentence=_coding_sentence(row, evidence),
            action=_COARSER if row.coding == "coarser" else _CODING,
        )


def _coding_sentence(row: CodingRow, evidence: GateEvidence) -> str:
    where, said, figures = _where(row.copy, evidence), row.sentence, ""
    start = f"{row.column} seems to be coded differently in {where}:"
    if not row.is_measured:
        start = f"{row.column} has no value in common with the original in {where}: not measured."
        said = said[:1].upper() + said[1:]
    if row.target is not None and row.DiSCO_mapped is not None:
        without = "nothing can be matched" if row.DiSCO is None else percent(row.DiSCO)
        mapped = f"With this mapping DiSCO of {row.target} is {percent(row.DiSCO_mapped)}"
        figures = f" {mapped}, without it {without}."
    return f"{start} {said}.{figures} Which coding is correct?"

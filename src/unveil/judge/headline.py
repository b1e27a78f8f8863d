"""What does a judgement come to, in one sentence? Never that something is safe."""

from collections.abc import Sequence

from unveil.errors import listed
from unveil.judge.measures import MEASURES
from unveil.records.alerts import Alert, AlertStatus
from unveil.records.judgement import Judged, Missing
from unveil.records.run import Run

NO_COPY = "The project names no copy: only the original and tables are judged, and no copy."
_ALERTS: dict[AlertStatus, str] = {
    "block": "Against a release",
    "decide": "For a person to decide",
    "review": "To review",
}
STALE = "Files or settings have changed since: measure again before a decision, unveil run."


def headline_of(
    run: Run,
    figures: Sequence[Judged],
    missing: Sequence[Missing],
    alerts: Sequence[Alert] = (),
    *,
    accepted_by: str | None,
    not_in_force: str | None = None,
    is_current: bool = True,
) -> str:
    """The gravest alert about the files, and the verdict against the limits of a named person."""
    if accepted_by is None:
        why = not_in_force or "nobody has accepted limits"
        verdict, is_passed = f"No verdict on run {run.number}: {why}.", True
    else:
        verdict, is_passed = _verdict(figures, accepted_by)
    open_ = [one for one in alerts if one.accepted is None]
    accepted = [one.id for one in alerts if one.accepted is not None]
    if accepted:
        verdict = f"{verdict} Accepted by name: {listed(accepted, most=3)}."
        is_passed = is_passed or all(one.kind != "limit" for one in open_)
    is_stopped = any(one.status != "review" for one in open_)
    said = [
        *_gravest(open_),
        verdict,
        *([] if run.n_synthetic else [NO_COPY]),
        *([] if is_current else [STALE]),
        *([_open(missing)] if is_passed and (missing or (is_current and not is_stopped)) else []),
    ]
    return " ".join(said)


def _gravest(alerts: Sequence[Alert]) -> list[str]:
    """The gravest alert but for figures above a limit, and how many more there are."""
    found = [one for one in alerts if one.kind != "limit"]
    if not found:
        return []
    more = f" and {_counted(len(found) - 1, 'more alert')}" if len(found) > 1 else ""
    return [f"{_ALERTS[found[0].status]}: {found[0].sentence.rstrip('.')} ({found[0].id}){more}."]


def _verdict(figures: Sequence[Judged], accepted_by: str) -> tuple[str, bool]:
    """What the limits say, and whether they let the run pass."""
    limited = [row for row in figures if row.limit is not None]
    above = [row for row in limited if row.status == "above"]
    unknown = [row for row in limited if row.status == "not measured"]
    where = f"the limits that {accepted_by} accepted"
    if above:
        return (
            f"{_counted(len(above), 'figure')} of {len(limited)} with a limit"
            f" {'is' if len(above) == 1 else 'are'} above {where}; the farthest is"
            f" {_named(_farthest(above), several=_is_of_several(figures))}."
        ), False
    if unknown:
        return (
            f"{_counted(len(unknown), 'figure')} of {len(limited)} with a limit could not be"
            f" measured, so {'it counts' if len(unknown) == 1 else 'they count'} as above {where};"
            f" the first is {unknown[0].measure} of {unknown[0].part}:"
            f" {(unknown[0].reason or 'no reason is known').rstrip('.')}."
        ), False
    n_review = sum(row.status == "review" for row in limited)
    review = f", {n_review} of them to be reviewed" if n_review else ""
    return f"None of {_counted(len(limited), 'figure')} is above {where}{review}.", True


def shown_value(measure: str, value: float) -> str:
    """A figure with its unit."""
    if MEASURES[measure].unit == "percent":
        return f"{value:.1f} %" if value >= 0.1 or not value else "less than 0.1 %"
    return f"{value:.2f}" if value >= 0.01 or value <= 0 else "less than 0.01"


def _open(missing: Sequence[Missing]) -> str:
    if not missing:
        return "Nothing is left to be said before a decision."
    n_findings = sum(one.kind == "finding" for one in missing)
    others = len(missing) - n_findings
    parts = [
        *([f"{_counted(n_findings, 'finding')} to rule on"] if n_findings else []),
        *([_counted(others, "other thing" if n_findings else "thing")] if others else []),
    ]
    return f"Still to be said before a decision: {' and '.join(parts)}."


def _farthest(rows: Sequence[Judged]) -> Judged:
    def beyond(row: Judged) -> float:
        value, limit = row.value or 0.0, row.limit or 0.0
        return value / limit if limit else float("inf")

    return max(rows, key=lambda row: (beyond(row), row.value or 0.0))


def _is_of_several(figures: Sequence[Judged]) -> bool:
    """Whether there are several copies, so that a figure has to say which it is of."""
    return any(row.copy not in (None, 1) for row in figures)


def _named(row: Judged, *, several: bool) -> str:
    of = f" of {row.target}" if row.target else f" of {row.subject}" if row.subject else ""
    scenario = f" ({row.scenario})" if row.scenario else ""
    value = shown_value(row.measure, row.value or 0.0)
    where = ""
    if several and row.copy is not None:
        where = " in all copies pooled" if row.copy == "pooled" else f" in copy {row.copy}"
    return f"{row.measure}{of}{scenario}: {value}{where} (limit {row.limit or 0:g})"


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"

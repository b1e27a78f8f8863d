"""What do limits say about a measure? Its figures gathered over copies, and written as people read.

A limit holds in every copy; the worst of them stands for all. Means over copies are not judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from unveil.records.judgement import Judgement, LimitCheck, Status
from unveil.view.format import percent, ratio, truncate
from unveil.view.status import GLYPHS

_SEVERITY: tuple[Status, ...] = tuple(GLYPHS)
_SHARES = ("GTCAP", "R", "ECAP", "SAP", "membership", "AUC", "match_risk", "pMSE")
_RATIOS = ("S_pMSE", "epsilon")


@dataclass(frozen=True)
class MeasureFigures:
    """The figures of one measure, one for each thing it is of: the worst over its copies."""

    measure: str
    worst_of_each: tuple[LimitCheck, ...]

    @property
    def limited(self) -> list[LimitCheck]:
        """Those that a limit is set on."""
        return [one for one in self.worst_of_each if one.status != "no limit"]

    @property
    def above(self) -> list[LimitCheck]:
        """Those above their limit."""
        return [one for one in self.worst_of_each if one.status == "above"]


def group_figures(judgement: Judgement) -> list[MeasureFigures]:
    """All figures by measure, in the order in which they were measured."""
    by_measure: dict[str, dict[tuple[str | None, ...], LimitCheck]] = {}
    for one in judgement.figures:
        if one.copy == "mean":
            continue
        things = by_measure.setdefault(one.measure, {})
        # A table has a figure for every number of people known, and is one thing.
        subject = None if one.measure == "SAP" else one.subject
        what = (one.part, one.scenario, one.target, subject)
        things[what] = min(things.get(what, one), one, key=_order)
    return [
        MeasureFigures(measure, tuple(things.values())) for measure, things in by_measure.items()
    ]


def worst(figures: Sequence[LimitCheck]) -> LimitCheck | None:
    """The figure with the worst status; of several, the highest."""
    return min(figures, key=_order, default=None)


def _order(one: LimitCheck) -> tuple[int, float]:
    return _SEVERITY.index(one.status), -(one.value if one.value is not None else 0.0)


def figure_text(measure: str, value: float | None) -> str:
    """A figure of a measure as people read it: a percentage, a share, or so many times chance."""
    if value is None:
        return "not measured"
    return ratio(value) if measure in (*_SHARES, *_RATIOS) else percent(value)


def limit_text(measure: str, value: float) -> str:
    """A limit as its custodian typed it."""
    sign = "" if measure in (*_SHARES, *_RATIOS) else " %"
    return f"{value:.15g}{sign}"


def describe_thing(one: LimitCheck, *, scenarios: int) -> str:
    """What a figure is of: a target, a pair of columns; the scenario where there are several."""
    parts = [truncate(text) for text in (one.target, one.subject) if text is not None]
    if one.scenario is not None and scenarios > 1:
        parts.append(f"({truncate(one.scenario)})" if parts else truncate(one.scenario))
    return " ".join(parts)

"""Is any figure above the limit its custodian set?

A limit holds for every target, every copy, and all copies pooled; means hide the worst copy and are
not judged. Where people have several rows, the larger of the figures by row and by person is held
against it. A figure that could not be measured is never quietly within: the gate stays shut, and
the verdict says why.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from unveil.errors import SettingsError, quote_text
from unveil.records.base import Copy
from unveil.records.count_tables import AreaSap, NeighbourSap, Sap
from unveil.records.disclosure import AttributeRow, Disclosure, IdentityRow
from unveil.records.judgement import Audience, Limit
from unveil.records.limits import (
    ATTRIBUTE,
    GATE,
    IDENTITY,
    MEASURES,
    AreaVerdict,
    SapVerdict,
    Status,
    Verdict,
    measure_named,
    unknown_measure,
)

# Which limits could one start from, and where do they come from?
#
# Two have a published origin. All others are proposals of ours, which tighten from closed to open,
# and say so: no one has published a value, and it is the custodian who decides.


OURS = "no published value: your decision"
OWN = "set for this project"
ORIGINS = {
    "ECAP": "Chapelle and Falissard: at most 0.2, better 0.1",
    "S_pMSE": "synthpop's vignette on utility: all pairs below 10, better below 3",
}
"""Where the published values come from."""

_PUBLISHED = {"ECAP": (0.1, 0.2), "S_pMSE": (3.0, 10.0)}
_VALUES: dict[Audience, dict[str, tuple[float, float]]] = {
    "closed": {
        "repU": (10, 20),
        "DiSCO": (10, 20),
        "GTCAP": (0.3, 0.5),
        "R": (0.1, 0.2),
        "membership": (0.1, 0.2),
        "SAP": (0.05, 0.1),
        "recovered": (0, 0),
    },
    "registered": {
        "repU": (5, 10),
        "DiSCO": (5, 10),
        "GTCAP": (0.2, 0.3),
        "R": (0.05, 0.1),
        "membership": (0.05, 0.1),
        "SAP": (0.01, 0.05),
        "recovered": (0, 0),
    },
    "open": {
        "repU": (1, 5),
        "DiSCO": (1, 5),
        "GTCAP": (0.1, 0.2),
        "R": (0.02, 0.05),
        "membership": (0.02, 0.05),
        "SAP": (0, 0.01),
        "recovered": (0, 0),
    },
}


def preset(
    audience: Audience | None, *, declared: Collection[str] | None = ()
) -> tuple[Limit, ...]:
    """The limits one could start from; without an audience those of the strictest.

    Parameters
    ----------
    audience
        closed, registered or open.
    declared
        What the project has beyond original and copies ("control", "protection", "table",
        "plan", "radii"): limits that need something else are excluded, because they would stay
        unanswered. None gives all.
    """
    values = _PUBLISHED | _VALUES[audience or "open"]
    return tuple(
        _limit(name, values[name], ORIGINS.get(name, OURS))
        for name in MEASURES
        if name in values and _is_within_reach(name, declared)
    )


def limits_of(values: Mapping[str, tuple[float, float]]) -> tuple[Limit, ...]:
    """The limits of a project, each with the origin of its values: published, ours, or its own."""
    proposed = {
        (limit.measure, limit.review, limit.limit): limit
        for audience in _VALUES
        for limit in preset(audience, declared=None)
    }
    return tuple(
        proposed.get((name, *pair)) or _limit(name, pair, f"{OWN}; {ORIGINS.get(name, OURS)}")
        for name, pair in values.items()
    )


def _limit(name: str, pair: tuple[float, float], origin: str) -> Limit:
    return Limit(
        measure=name,
        review=float(pair[0]),
        limit=float(pair[1]),
        unit=measure_named(name).unit,
        origin=origin,
    )


def _is_within_reach(name: str, declared: Collection[str] | None) -> bool:
    needs = MEASURES[name].needs
    return declared is None or needs is None or needs in declared


# Is the chance of a disclosure above what its custodian allows, for n known people?
#
# A figure known between two bounds is within its limit only where the upper one is.


_LIMIT = re.compile(r"\s*(\d{1,6})\s*=\s*(\d+\.?\d*|\.\d+)\s*", re.ASCII)


def parse_sap_limits(texts: Iterable[str]) -> dict[int, float]:
    """Limits as people type them: ``4=0.05``, SAP with 4 known people at most 0.05."""
    limits: dict[int, float] = {}
    for text in texts:
        found = _LIMIT.fullmatch(text)
        if found is None:
            raise SettingsError(
                f"{quote_text(text)} is not a limit. Write a number of known people, =, and a"
                " probability: 4=0.05."
            )
        n, limit = int(found[1]), float(found[2])
        if n in limits:
            raise SettingsError(f"SAP with {n:,} known people is given two limits. Give it one.")
        if not 0 <= limit <= 1:
            raise SettingsError(
                f"The limit of SAP with {n:,} known people is {limit:.15g}. It is a probability:"
                " write a number from 0 to 1."
            )
        limits[n] = limit
    return limits


def check_sap_limits(record: Sap, limits: Mapping[int, float]) -> tuple[SapVerdict, ...]:
    """A verdict for each n that has a limit."""
    return tuple(_verdict(record, n, limit) for n, limit in limits.items())


def _verdict(record: Sap, n: int, limit: float) -> SapVerdict:
    if n > record.n[-1]:
        raise SettingsError(
            f"A limit is set on SAP with {n:,} known people, but it is measured up to"
            f" {record.n[-1]:,}. Measure further, or set the limit on fewer."
        )
    status = _sap_status(record, n, limit)
    return SapVerdict(n=n, lower=record.lower[n], upper=record.upper[n], limit=limit, status=status)


def _sap_status(curve: Sap | AreaSap, n: int, limit: float) -> Status:
    exact = curve.exact[n]
    low, high = (
        (curve.lower[n], curve.upper[n]) if exact is None else (Fraction(exact), Fraction(exact))
    )
    # A limit is meant as it is typed: 0.1 is one tenth, not the nearest float.
    most = Fraction(repr(limit))
    return "above" if low > most else "within" if high <= most else "not settled"


def check_area_limits(record: NeighbourSap, limits: Mapping[int, float]) -> tuple[AreaVerdict, ...]:
    """A verdict over all areas for each n that has a limit: the worst area decides."""
    return tuple(_area_verdict(record, n, limit) for n, limit in limits.items())


def _area_verdict(record: NeighbourSap, n: int, limit: float) -> AreaVerdict:
    found = [_sap_status(row, n, limit) for row in record.rows]
    worst = next(row for row in record.rows if row.area == record.worst[n])
    n_above, n_open = found.count("above"), found.count("not settled")
    return AreaVerdict(
        area=record.area,
        n=n,
        limit=limit,
        status="above" if n_above else "not settled" if n_open else "within",
        n_areas=record.n_areas,
        n_above=n_above,
        n_open=n_open,
        level=worst.area,
        people=worst.people,
        lower=worst.lower[n],
        upper=worst.upper[n],
    )


def is_sap_limit_exceeded(verdicts: Iterable[SapVerdict | AreaVerdict]) -> bool:
    """Whether some figure is above its limit, or could not be shown to be within."""
    return any(verdict.status != "within" for verdict in verdicts)


_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)", re.ASCII)
LIMITABLE = (*IDENTITY, *ATTRIBUTE, "adds")
"""Percentages that grow with risk; the others have no limit that means anything."""
ALL_LIMITS = LIMITABLE + GATE
"""All that one release can be held against: figures of a scenario, and checks of its files."""


def parse_limits(texts: Iterable[str]) -> dict[str, float]:
    """Limits as people type them: ``DiSCO=10``."""
    limits: dict[str, float] = {}
    for text in texts:
        measure, equals, number = (part.strip() for part in text.partition("="))
        if not equals or not measure:
            raise SettingsError(f"{text!r} is not a limit. Write it as DiSCO=10.")
        if measure in limits:
            raise SettingsError(f"{measure} is given two limits. Give it one.")
        if not _NUMBER.fullmatch(number):
            raise SettingsError(
                f"The limit of {measure} is {number!r}, which is not a number. Write it as"
                f" {measure}=10."
            )
        limits[measure] = float(number)
    _check_senseless(limits, ALL_LIMITS)
    return limits


def read_pairs(given: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Limits as Python gives them: one number each, or two for review and limit."""
    pairs = {}
    for measure, value in given.items():
        pair = tuple(value) if isinstance(value, list | tuple) else (value, value)
        if len(pair) != 2 or not all(isinstance(one, int | float) for one in pair):
            raise SettingsError(
                f"The limit of {measure} must be a number, or two: {measure}=10, or (5, 10)."
            )
        for one in pair:
            _check_senseless({measure: float(one)}, ALL_LIMITS)
        if pair[0] > pair[1]:
            raise SettingsError(
                f"The limit of {measure} is {pair}: review starts above the limit. Write the lower"
                " number first."
            )
        pairs[measure] = (float(pair[0]), float(pair[1]))
    return pairs


def check_limits(record: Disclosure, limits: Mapping[str, float]) -> tuple[Verdict, ...]:
    """A verdict for each figure that has a limit."""
    _check_senseless(limits, LIMITABLE)
    for measure in limits:
        if measure not in IDENTITY and not record.targets:
            raise SettingsError(
                f"The limit of {measure} applies to nothing: no target is measured. Name a target,"
                " or remove the limit."
            )
    return tuple(
        verdict
        for measure, limit in limits.items()
        for verdict in _verdicts(record, measure, limit)
    )


def _check_senseless(limits: Mapping[str, float], known: Sequence[str]) -> None:
    for measure, limit in limits.items():
        if measure not in known:
            raise SettingsError(unknown_measure(measure, known))
        if not math.isfinite(limit) or not 0 <= limit <= 100:
            raise SettingsError(
                f"The limit of {measure} is {limit:.15g}. It is a percentage of people: write a"
                " number from 0 to 100."
            )


def adds_of(record: Disclosure, target: str, copy: Copy) -> tuple[float | None, float | None]:
    """Both ends of the interval of `adds` in percent, the lower at least 0; None: not computed."""
    claim = record.find_claim(target, copy)
    return (None, None) if claim is None else (max(claim.percent("low"), 0), claim.percent("high"))


def _verdicts(record: Disclosure, measure: str, limit: float) -> Iterator[Verdict]:
    rows: tuple[IdentityRow | AttributeRow, ...] = (
        record.identity if measure in IDENTITY else record.attribute
    )
    for row in rows:
        if row.copy == "mean":
            continue
        target = row.target if isinstance(row, AttributeRow) else None
        value, high = (
            adds_of(record, target or "", row.copy)
            if measure == "adds"
            else (record.highest(row, measure, target), None)
        )
        yield Verdict(
            measure=measure,
            target=target,
            copy=row.copy,
            value=value,
            limit=limit,
            status=limit_status(value, limit, limit, high),
        )


def limit_status(
    value: float | None, review: float, limit: float, high: float | None = None
) -> Literal["within", "review", "above", "not measured"]:
    """What a limit says of one figure; of one with an interval, by both its ends.

    Of an interval, `value` is the lower end: above a limit is what surely is, and where only the
    upper end is above it, it is for review.
    """
    if value is None:
        return "not measured"
    if value > limit:
        return "above"
    return "review" if value > review or (high is not None and high > limit) else "within"


def is_limit_exceeded(verdicts: Iterable[Verdict]) -> bool:
    """Whether some figure is above its limit, or could not be held against it."""
    return any(verdict.status in ("above", "not measured") for verdict in verdicts)

"""Which limits could one start from, and where do they come from?

Two have a published origin. All others are proposals of ours, which tighten from closed to open,
and say so: nobody has published a value, and it is the custodian who decides.
"""

from collections.abc import Collection, Mapping

from unveil.judge.measures import MEASURES, measure_named
from unveil.records.judgement import Audience, Limit

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
    },
    "registered": {
        "repU": (5, 10),
        "DiSCO": (5, 10),
        "GTCAP": (0.2, 0.3),
        "R": (0.05, 0.1),
        "membership": (0.05, 0.1),
        "SAP": (0.01, 0.05),
    },
    "open": {
        "repU": (1, 5),
        "DiSCO": (1, 5),
        "GTCAP": (0.1, 0.2),
        "R": (0.02, 0.05),
        "membership": (0.02, 0.05),
        "SAP": (0, 0.01),
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
        "radii"): limits that need something else are left out, because they would stay unanswered.
        None gives all.
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

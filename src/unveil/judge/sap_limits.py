"""Is the chance of a disclosure above what its custodian allows, for n known people?

A figure known between two bounds is within its limit only where the upper one is.
"""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

from unveil.errors import SettingsError, quoted
from unveil.records.sap import Sap
from unveil.records.sap_limits import SapVerdict, Status

_LIMIT = re.compile(r"\s*(\d{1,6})\s*=\s*(\d+\.?\d*|\.\d+)\s*", re.ASCII)


def parse_sap_limits(texts: Iterable[str]) -> dict[int, float]:
    """Limits as people type them: ``4=0.05``, SAP with 4 known people at most 0.05."""
    limits: dict[int, float] = {}
    for text in texts:
        found = _LIMIT.fullmatch(text)
        if found is None:
            raise SettingsError(
                f"{quoted(text)} is not a limit. Write a number of known people, =, and a"
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


def sap_judged(record: Sap, limits: Mapping[int, float]) -> tuple[SapVerdict, ...]:
    """A verdict for each n that has a limit."""
    return tuple(_verdict(record, n, limit) for n, limit in limits.items())


def _verdict(record: Sap, n: int, limit: float) -> SapVerdict:
    if n > record.n[-1]:
        raise SettingsError(
            f"A limit is set on SAP with {n:,} known people, but it is measured up to"
            f" {record.n[-1]:,}. Measure further, or set the limit on fewer."
        )
    lower, upper = record.lower[n], record.upper[n]
    exact = record.exact[n]
    low, high = (lower, upper) if exact is None else (Fraction(exact), Fraction(exact))
    # A limit is meant as it is typed: 0.1 is one tenth, not the nearest float.
    most = Fraction(repr(limit))
    status: Status = "above" if low > most else "within" if high <= most else "not settled"
    return SapVerdict(n=n, lower=lower, upper=upper, limit=limit, status=status)


def is_shut(verdicts: Iterable[SapVerdict]) -> bool:
    """Whether some figure is above its limit, or could not be shown to be within."""
    return any(verdict.status != "within" for verdict in verdicts)

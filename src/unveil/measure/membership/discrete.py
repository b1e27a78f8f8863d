"""`unveil.ecap_discrete`: the same claim about whole numbers, which people share.

Noise with a standard deviation of 0.1 on whole numbers is undone by rounding, and a value is shared
by all who have it: Equation 1 of Chapelle and Falissard holds with p = k(0), the chance that noise
of whole numbers leaves a value as it is, and b = sum over v of pmf(v) k(x - v), the chance that
anybody else comes to lie there. Without noise p = 1 and b = pmf(x). The paper has no such form.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.errors import SettingsError
from unveil.measure.membership.given import sizes
from unveil.measure.membership.probability import claims, lowest
from unveil.read.given import number_in, numbers_in, shown
from unveil.records.ecap import DiscreteEcap, LevelEcap
from unveil.records.view import as_html, as_text


@dataclass(frozen=True)
class DiscreteResult:
    """ECAP of each level; confidential."""

    record: DiscreteEcap
    _names: tuple[Any, ...]

    @property
    def ecap(self) -> dict[Any, float | None]:
        """ECAP by level, the levels as they were given; None where it is undefined."""
        return {name: row.ecap for name, row in zip(self._names, self.record.levels, strict=True)}

    @property
    def limit(self) -> float:
        """What no noise can go below."""
        return self.record.limit

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, `ecap` by level."""
        return {**self.record.to_dict(), "ecap": {str(k): v for k, v in self.ecap.items()}}

    def to_json(self, *, indent: int = 2) -> str:
        """The record as one JSON document."""
        return self.record.to_json(indent=indent)

    def __repr__(self) -> str:
        return as_text(self.record)

    def _repr_html_(self) -> str:
        return as_html(self.record)


def ecap_discrete(
    pmf: Mapping[Any, float], N: int, n: int, noise_pmf: Mapping[Any, float] | None = None
) -> DiscreteResult:
    """With which probability a claim that somebody with a whole number was in the data is right.

    Parameters
    ----------
    pmf
        What share of the population has each whole number.
    N, n
        How many people are in the population, and in the sample.
    noise_pmf
        With which probability each whole number is added; without it there is no noise.

    Returns
    -------
    DiscreteResult
        `.ecap` by level, None where neither the person nor anybody else can come to lie there;
        `.limit`, which no noise can go below.
    """
    population, sample = sizes(N, n)
    levels = _masses(pmf, "pmf")
    noise = {0: 1.0} if noise_pmf is None else _masses(noise_pmf, "noise_pmf")
    p = noise.get(0, 0.0)
    b = [min(sum(levels.get(x - step, 0.0) * k for step, k in noise.items()), 1.0) for x in levels]
    found = claims(np.full(len(b), p), np.array(b), population, sample)
    rows = [
        LevelEcap(level=x, p=p, b=of_others, ecap=None if np.isnan(e) else float(e))
        for x, of_others, e in zip(levels, b, found, strict=True)
    ]
    known = [row.ecap for row in rows if row.ecap is not None]
    record = DiscreteEcap(
        N=population,
        n=sample,
        limit=lowest(population, sample),
        worst=max(known, default=None),
        levels=tuple(rows),
    )
    return DiscreteResult(record, tuple(pmf))


def _masses(given: Any, what: str) -> dict[int, float]:
    if not isinstance(given, Mapping) or not given:
        raise SettingsError(f"{what} must be a mapping of whole numbers to probabilities.")
    found: dict[int, float] = {}
    for name, share in given.items():
        level, mass = _whole(name, what), number_in(share)
        if mass is None or not 0 <= mass <= 1:
            raise SettingsError(
                f"{what} gives {level} the probability {shown(share)}. It must be from 0 to 1."
            )
        if level in found:
            raise SettingsError(f"{what} has {level} twice. Give it once.")
        found[level] = mass
    total = sum(found.values())
    if abs(total - 1) > 1e-6:
        raise SettingsError(f"The probabilities of {what} add up to {total:.9g}, not to 1.")
    return found


def _whole(name: Any, what: str) -> int:
    number = number_in(name)
    if (
        isinstance(name, str)
        and len(read := numbers_in(name)) == 1
        and not isinstance(read[0], str)
    ):
        number = read[0]
    if number is None or not np.isfinite(number) or number != int(number):
        raise SettingsError(f"{what} has the level {shown(name)}, which is not a whole number.")
    return int(number)

"""`unveil.ecap`: how sure could an attacker be that a person with a value was in the data?

Chapelle and Falissard, *Open-CESP*, section 4: the probability that x_a was sampled, given that a
released value lies nearer to x_a than to its neighbours in the population.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from unveil.arguments import parse_choice
from unveil.arrays import Floats
from unveil.measure.ecap.arguments import (
    SampleSettings,
    parse_ecap_threshold,
    parse_noise_amount,
    parse_numbers,
)
from unveil.measure.ecap.caveats import (
    Codes,
    code_warning,
    codes_within,
    heaped_warning,
    undefined_warning,
)
from unveil.measure.ecap.discrete import IntegerPlaces
from unveil.measure.ecap.gaps import (
    AttackerKnowledge,
    Continuous,
    Distinct,
    Values,
    check_alone,
    check_impossible,
)
from unveil.measure.ecap.noise_kinds import NOISES
from unveil.measure.ecap.populations import is_of_the_values, parse_population
from unveil.records.noise import Ecap
from unveil.view.show import Result


@dataclass(frozen=True)
class EcapValues:
    """Values, each distinct one once, in their setting."""

    distinct: Distinct
    values: Values

    @property
    def discrete(self) -> bool:
        """Whether they are taken as whole numbers."""
        return isinstance(self.values, IntegerPlaces)

    @property
    def fields(self) -> dict[str, Any]:
        """What records say of the values and of what an attacker is taken to know."""
        setting, distinct = self.values.setting, self.distinct
        return {
            "population": setting.population.text,
            "N": setting.N,
            "n": setting.n,
            "noise": setting.noise,
            "discrete": self.discrete,
            "sampling": setting.sampling,
            "limit": setting.limit,
            "n_values": len(distinct.codes),
            "n_missing": distinct.n_missing,
            "n_distinct": len(distinct.x),
        }


def prepare_values(
    values: Any,
    population: Any,
    N: Any,
    n: Any,
    noise: Any,
    *,
    discrete: bool,
    sampling: Any = "equation 1",
) -> EcapValues:
    """What the user gave, checked, with the neighbours of every distinct value."""
    numbers = parse_numbers(values)
    drawn = SampleSettings(N, n, sampling)
    kind = parse_choice("noise", noise, NOISES)
    people = parse_population(population, numbers)
    distinct = Distinct.of(numbers)
    check_impossible(distinct, people, whole=discrete)
    if is_of_the_values(population):
        check_alone(distinct, people)
    setting = AttackerKnowledge(people, drawn.N, drawn.n, kind, drawn.sampling)
    return EcapValues(distinct, (IntegerPlaces if discrete else Continuous).of(distinct.x, setting))


@dataclass(frozen=True, repr=False)
class EcapResult(Result):
    """ECAP of every value, in their order, beside the record of them all: confidential."""

    record: Ecap
    _ecap: Floats
    _below: Floats
    _above: Floats

    @property
    def ecap(self) -> list[float | None]:
        """ECAP of every value; None where it is missing or undefined (p = b = 0)."""
        return _plain(self._ecap)

    @property
    def below(self) -> list[float | None]:
        """The expected neighbour below every value; None where no one else is there."""
        return _plain(self._below)

    @property
    def above(self) -> list[float | None]:
        """The expected neighbour above every value."""
        return _plain(self._above)

    def frame(self) -> pl.DataFrame:
        """One row per value, in their order: confidential."""
        columns = {"ecap": self._ecap, "below": self._below, "above": self._above}
        return pl.DataFrame(columns).fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries and lists, those of single values among it: confidential."""
        of_values = {"ecap": self.ecap, "below": self.below, "above": self.above}
        return {**self.record.to_dict(), **of_values}


def ecap(
    values: Any,
    *,
    population: Any,
    N: int,
    n: int,
    sigma: float,
    noise: str = "normal",
    discrete: bool = False,
    threshold: float | None = None,
    sampling: str = "equation 1",
) -> EcapResult:
    """The probability that a person with a released value was in the data, to an attacker.

    Parameters
    ----------
    values
        Numbers that would be released, None where one is missing.
    population
        Where they come from: "normal(34, 8)", "lognormal(mu, sigma)", "t(df, loc, scale)",
        "gamma(shape, scale)", or a mapping such as {"name": "normal", "mean": 34, "sd": 8} or
        {"name": "empirical", "values": [...]}: values of the population, smoothed. "empirical"
        alone smooths the values themselves, and refuses where one would vouch for itself.
    N, n
        How many people are in the population, and how many of them in the data.
    sigma
        The standard deviation of the noise; 0 is none.
    noise
        "normal", "laplace" or "uniform".
    discrete
        Take values, population and noise as rounded to whole numbers: see `ecap_discrete`.
    threshold
        An ECAP to be tolerated: tells how many values lie above, and which coding would help.
    sampling
        "equation 1" draws people with replacement, as the paper does; "without replacement", as
        nearly every study does: the chance of being in the data is n/N, and nothing goes below it.
        They differ where n is not small beside N.

    Returns
    -------
    EcapResult
        `.ecap`, `.below`, `.above` of every value, `.limit`, `.worst`, `.warnings`.

    References
    ----------
    Chapelle and Falissard, *Open-CESP*, Equation 1.
    """
    asked = prepare_values(values, population, N, n, noise, discrete=discrete, sampling=sampling)
    return measure_ecap(
        asked,
        parse_noise_amount(sigma),
        None if threshold is None else parse_ecap_threshold(threshold),
    )


def measure_ecap(asked: EcapValues, sigma: float, threshold: float | None) -> EcapResult:
    """ECAP of opened values under one amount of noise."""
    values, distinct = asked.values, asked.distinct
    found = values.ecap(sigma)
    codes = Codes(None, None)
    if threshold is not None and threshold > values.setting.limit:
        codes = codes_within(values, found, sigma, threshold)
    record = _record(asked, found, sigma, threshold, codes)
    near = values if isinstance(values, Continuous) else None
    nothing = np.full_like(found, np.nan)
    return EcapResult(
        record,
        distinct.expand(found),
        distinct.expand(nothing if near is None else near.below),
        distinct.expand(nothing if near is None else near.above),
    )


def _record(
    asked: EcapValues, found: Floats, sigma: float, threshold: float | None, codes: Codes
) -> Ecap:
    setting, distinct = asked.values.setting, asked.distinct
    undefined = np.isnan(found)
    worst = None if undefined.all() else int(np.nanargmax(found))
    n_above = None
    if threshold is not None:
        n_above = int(distinct.counts[np.nan_to_num(found) > threshold].sum())
    n_undefined = int(distinct.counts[undefined].sum())
    return Ecap(
        **asked.fields,
        sigma=sigma,
        n_undefined=n_undefined,
        worst=None if worst is None else float(found[worst]),
        worst_place=None if worst is None else int((distinct.codes == worst).argmax()),
        threshold=threshold,
        n_above=n_above,
        top_code=codes.top,
        bottom_code=codes.bottom,
        warnings=(
            *undefined_warning(n_undefined),
            *code_warning(n_above, codes, threshold),
            *heaped_warning(distinct, setting.noise, sigma, discrete=asked.discrete),
        ),
    )


def _plain(found: Floats) -> list[float | None]:
    column: list[float | None] = pl.Series(found).fill_nan(None).to_list()
    return column

"""ECAP, and the least noise that keeps it low (Chapelle and Falissard 2023, section 4)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.arguments import Form, checked, last_text
from unveil.counts.cells import Floats
from unveil.errors import InputError
from unveil.making.claims import Claims, Population, Shares, ecap_of, open_population
from unveil.results import Chart, Figure, Heading, Note, Number, Result, Row, Share, Text

VISIBLE = 0.05  # noise beyond this share of the population's spread shows in the data
PRECISION = 1e-10  # of the logarithm of sigma
CURVE = tuple(np.geomspace(0.25, 4, 9).tolist())
OTHERS = (("N", 0.5), ("N", 2.0), ("spread", 0.8), ("spread", 1.25))

Values = Annotated[Any, Form("a list of numbers", "FILE", last_text)]
Distribution = Annotated[
    str | Mapping[Any, Any], Form("normal(34, 8), or another distribution", "TEXT", last_text)
]
Kind = Annotated[
    Literal["normal", "laplace"] | Mapping[Any, float],
    Form("'normal' or 'laplace'", "TEXT", last_text),
]
People = Annotated[int, Meta(ge=2)]
Sampled = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0)]
Amounts = Annotated[
    Amount | Mapping[str, Amount], Form("a number from 0 on, or one by column", "NUMBER", last_text)
]
Threshold = Annotated[float, Meta(gt=0, lt=1)]

TITLE = "Probability that someone with the value was sampled, given a released value next to it"


class EcapRow(Row, frozen=True):
    """What can be claimed of one value."""

    column: str
    value: Annotated[Figure, Number("a value that somebody has")]
    level: Annotated[str, Text("of several columns, the values that somebody has together")]
    p: Annotated[float, Share("that its own released value lies next to it")]
    b: Annotated[float, Share("that another's released value does")]
    ECAP: Annotated[
        Figure,
        Share("that somebody with the value is in the data, given a released value next to it",
              "Chapelle 2023 (1)", undefined="no released value that could lie there",
              limited=True),
    ]  # fmt: skip


class Told(Result, frozen=True, kw_only=True):
    """What is said first."""

    @property
    def head(self) -> tuple[str, ...]:
        return self.sentences


class Ecap(Told, frozen=True, kw_only=True):
    """ECAP of each value under some noise: confidential."""

    title: ClassVar[str] = "ECAP"
    drawings: ClassVar[Mapping[str, Chart]] = {
        "ecap": Chart("curve", "values", TITLE, {"label": "value", "x": "value", "y": "ECAP"})
    }

    values: Annotated[tuple[EcapRow, ...], Heading("ECAP of values", (), True)]

    @property
    def sentences(self) -> tuple[str, ...]:
        asked = self.settings
        worst = max((row.ECAP for row in self.values if row.ECAP is not None), default=None)
        if worst is None:
            return ("No released value could lie next to any of these values.",)
        return (
            "With this noise the strongest claim about any value is correct with probability at"
            f" most {worst:.3f}, assuming {asked['n']:,} of {asked['N']:,} people were sampled.",
        )


class ChoiceRow(Row, frozen=True):
    """The least noise."""

    threshold: Annotated[float, Share("highest ECAP that is tolerated")]
    sigma: Annotated[Figure, Number("the least noise", undefined="no noise that is enough")]
    sigma_to_publish: Annotated[
        Figure,
        Number("the next of 1, 2, 5, 10, ...: the least would give the worst value away",
               undefined="no noise that is enough"),
    ]  # fmt: skip
    worst: Annotated[
        Figure, Number("the value that needs most noise", undefined="no noise that is needed")
    ]
    limit: Annotated[float, Share("what no noise goes below: the probability to be in the data")]
    top_code: Annotated[Figure, Number("all above it need much more noise than the others")]
    bottom_code: Annotated[Figure, Number("all below it need much more noise than the others")]
    sigma_coded: Annotated[Figure, Number("the least noise of the others")]


class CurveRow(Row, frozen=True):
    """ECAP of the worst value by the amount of noise."""

    sigma: Annotated[float, Number("noise")]
    ECAP: Annotated[Figure, Share("the highest of all values")]
    quotient: Annotated[Figure, Number("change of ECAP by change of sigma, from the row before")]


class PopulationRow(Row, frozen=True):
    """The least noise if the population were another."""

    what: str
    factor: Annotated[float, Number("by which it is multiplied")]
    N: Annotated[int, Number("people of the population")]
    population: str
    sigma: Annotated[Figure, Number("the least noise", undefined="no noise that is enough")]


class NoiseChoice(Told, frozen=True, kw_only=True):
    """The least noise, and the curve it is read from: confidential but for the amount."""

    title: ClassVar[str] = "Amount of noise"
    drawings: ClassVar[Mapping[str, Chart]] = {
        "ecap_curve": Chart("curve", "curve", "Highest ECAP by the amount of noise",
                            {"label": "sigma", "x": "sigma", "y": "ECAP"})
    }  # fmt: skip

    choice: Annotated[tuple[ChoiceRow, ...], Heading("The least noise", (), True)]
    curve: Annotated[tuple[CurveRow, ...], Heading("Highest ECAP by noise")]
    populations: Annotated[tuple[PopulationRow, ...], Heading("If the population were another")]

    @property
    def sentences(self) -> tuple[str, ...]:
        row, asked = self.choice[0], self.settings
        base = f"assuming {asked['n']:,} of {asked['N']:,} people were sampled"
        if row.sigma is None or row.sigma_to_publish is None:
            if row.threshold <= row.limit:
                return (
                    f"No noise brings ECAP to {row.threshold:g}: everyone is in the data with"
                    f" probability {row.limit:.3g}, {base}.",
                )
            return (f"No amount of noise that was tried brings ECAP to {row.threshold:g}.",)
        if row.sigma == 0:
            return (f"No noise is needed: ECAP is at most {row.threshold:g} without it, {base}.",)
        about = (
            f"With noise of standard deviation {row.sigma_to_publish:g} the strongest claim about"
            f" any value is correct with probability at most {row.threshold:g}, {base}. Publish"
            " kind and amount of the noise, never ECAP.",
        )
        codes = [
            f"{word} {code:g}"
            for word, code in (("top-code at", row.top_code), ("bottom-code at", row.bottom_code))
            if code is not None
        ]
        if codes and row.sigma_coded is not None:
            return (
                *about,
                f"Values in the tails ask for this much. To need {row.sigma_coded:.3g} only,"
                f" {' and '.join(codes)}.",
            )
        return about


def read_values(values: Any) -> Floats:
    """As numbers, missing ones not."""
    try:
        return pl.Series(values, strict=False).cast(pl.Float64).fill_null(np.nan).to_numpy()
    except Exception:  # whatever polars says, it may quote a value
        raise InputError("'values' takes a list of numbers.") from None


def open_claims(
    values: Any, population: Any, N: int, n: int, noise: Any, discrete: bool, replacement: bool
) -> Claims:
    """Distinct values with what is known of their population."""
    numbers = read_values(values)
    x = np.unique(numbers[~np.isnan(numbers)])
    if not len(x) or not np.isfinite(x).all():
        raise InputError("'values' takes a list of numbers, and has none or infinite ones.")
    if n > N:
        raise InputError(f"'n' people in the data, {n:,}, are more than the 'N' there are, {N:,}.")
    D = open_population(population)
    is_by_shares = isinstance(D, Shares) or not isinstance(noise, str)
    if is_by_shares and not discrete:
        raise InputError(
            "'population' and 'noise' by probabilities are of whole numbers: say discrete."
        )
    if discrete and (x % 1 != 0).any():
        raise InputError("'discrete' is for whole numbers, and 'values' has others.")
    if isinstance(D, Population) and not discrete and not ((D.cdf(x) > 0) & (D.sf(x) > 0)).all():
        raise InputError(
            "Some of the 'values' lie where this 'population' has nobody. Give one that reaches"
            " them, or top-code."
        )
    return Claims(x, D, N, n, replacement, discrete, noise)


def _asked(claims: Claims, population: Any, **settings: Any) -> dict[str, Any]:
    asked = {
        "population": population if isinstance(population, str) else "shares",
        "N": claims.N, "n": claims.n, "discrete": claims.is_whole,
        "replacement": claims.replacement,
        "noise": claims.kind if isinstance(claims.kind, str) else "steps",
    }  # fmt: skip
    return asked | settings


@checked
def ecap(
    values: Values,
    *,
    population: Distribution,
    N: People,
    n: Sampled,
    sigma: Amounts = 0,
    noise: Kind = "normal",
    discrete: bool = False,
    replacement: bool = True,
) -> Ecap:
    """How sure can an intruder be that a person with a value is in the data?

    Parameters
    ----------
    values
        Numbers that people have; by column, where an intruder knows several of each person.
    population
        Who else there is: normal(34, 8), lognormal(mu, sigma), t(df, loc, scale), gamma(shape,
        scale), another of scipy with its numbers in order, or whole numbers with probabilities; by
        column as the values.
    N
        People of the population.
    n
        People in the data.
    sigma
        The standard deviation of the noise, or one by column.
    noise
        normal or laplace, or whole steps with probabilities.
    discrete
        Whether values, population and noise are whole numbers.
    replacement
        Whether people were sampled with replacement, as in Equation 1.
    """
    about: Any = (N, n, noise, discrete, replacement)
    if isinstance(values, Mapping):
        return _ecap_together(values, population, sigma, about)
    claims = open_claims(values, population, *about)
    if isinstance(sigma, Mapping):
        raise InputError("'sigma' by column is for 'values' by column.")
    p, b = claims.chances(sigma)
    result = Ecap(
        values=tuple(_ecap_rows(claims, p, b, values=claims.x)),
        settings=_asked(claims, population, sigma=sigma),
    )
    return msgspec.structs.replace(result, notes=_notes(claims, sigma))


def _ecap_rows(
    claims: Claims, p: Floats, b: Floats, column: str = "", values: Floats | None = None,
    levels: Sequence[str] = (),
) -> Iterator[EcapRow]:  # fmt: skip
    figures = ecap_of(p, b, claims.N, claims.n, replacement=claims.replacement)
    for place, figure in enumerate(figures.tolist()):
        yield EcapRow(
            column=column, value=None if values is None else float(values[place]),
            level=levels[place] if levels else "", p=float(p[place]), b=float(b[place]),
            ECAP=None if np.isnan(figure) else figure,
        )  # fmt: skip


def _ecap_together(
    values: Mapping[str, Any], population: Any, sigma: Any, about: tuple[Any, ...]
) -> Ecap:
    """Columns that are independent: each released value lies next to a person's own, or not."""
    if not isinstance(population, Mapping) or {*population} != {*values}:
        raise InputError("'population' names one for each column of 'values'.")
    sigmas = sigma if isinstance(sigma, Mapping) else dict.fromkeys(values, sigma)
    if {*sigmas} != {*values}:
        raise InputError("'sigma' names one for each column of 'values'.")
    if len({len(column) for column in values.values()}) != 1:
        raise InputError("The columns of 'values' differ in length. Give one value a person.")
    numbers = np.stack([read_values(column) for column in values.values()], axis=1)
    known = np.unique(numbers[~np.isnan(numbers).any(axis=1)], axis=0)
    p, b = np.ones(len(known)), np.ones(len(known))
    for place, name in enumerate(values):
        claims = open_claims(known[:, place], population[name], *about)
        own, other = claims.chances(sigmas[name])
        of_value = np.searchsorted(claims.x, known[:, place])
        p, b = p * own[of_value], b * other[of_value]
    levels = [", ".join(f"{value:g}" for value in row) for row in known]
    note = "The columns are taken as independent of each other in the population."
    return Ecap(
        values=tuple(_ecap_rows(claims, p, b, ", ".join(values), levels=levels)),
        settings=_asked(claims, "by column", sigma=sigma),
        notes=(Note(about="values", sentence=note),),
    )


def _notes(claims: Claims, sigma: float) -> tuple[Note, ...]:
    """Where the continuous model is wrong."""
    is_heaped = not claims.is_whole and sigma > 0 and (claims.x % 1 == 0).all()
    sentence = (
        "All values are whole numbers, which several people have. If they are whole in the"
        " population too, say discrete."
    )
    return (Note(about="values", sentence=sentence),) if is_heaped else ()


@checked
def choose_noise(
    values: Values,
    *,
    population: Distribution,
    N: People,
    n: Sampled,
    threshold: Threshold = 0.1,
    noise: Literal["normal", "laplace"] = "normal",
    discrete: bool = False,
    replacement: bool = True,
) -> NoiseChoice:
    """Find the least noise with which no value has an ECAP above a threshold.

    Parameters
    ----------
    values
        Numbers that people have.
    population
        Who else there is: normal(34, 8), lognormal(mu, sigma), t(df, loc, scale), gamma(shape,
        scale), another of scipy with its numbers in order, or whole numbers with probabilities.
    N
        People of the population.
    n
        People in the data.
    threshold
        The highest ECAP that is tolerated; the paper takes 0.1.
    noise
        normal or laplace.
    discrete
        Whether values, population and noise are whole numbers.
    replacement
        Whether people were sampled with replacement, as in Equation 1.
    """
    if isinstance(values, Mapping):
        raise InputError(
            "'values' of choose_noise is one column: choose for each of them, ask ecap of all"
            " together, and take more noise if that is above the threshold."
        )
    claims = open_claims(values, population, N, n, noise, discrete, replacement)
    sigma = least_noise(claims, threshold)
    publish = None if sigma is None else round_up_enough(claims, sigma, threshold)
    top = bottom = coded = worst = None
    curve: list[CurveRow] = []
    if sigma:
        worst = float(claims.x[np.nanargmax(claims.ecap(sigma))])
        top, bottom, coded = _codes(claims, sigma, threshold)
        curve = _curve(claims, [sigma * factor for factor in CURVE])
    row = ChoiceRow(
        threshold=threshold, sigma=sigma, sigma_to_publish=publish, worst=worst,
        limit=claims.limit, top_code=top, bottom_code=bottom, sigma_coded=coded,
    )  # fmt: skip
    result = NoiseChoice(
        choice=(row,), curve=tuple(curve),
        populations=tuple(_in_other_populations(claims, threshold, population)) if sigma else (),
        settings=_asked(claims, population, threshold=threshold),
    )  # fmt: skip
    return msgspec.structs.replace(result, notes=_notes(claims, publish or 0))


def highest(claims: Claims, sigma: float) -> float:
    figures = claims.ecap(sigma)
    return float(np.nanmax(figures)) if not np.isnan(figures).all() else 0.0


def least_noise(claims: Claims, threshold: float) -> float | None:
    """By bisection of the logarithm of sigma; None where none is enough."""
    if threshold <= claims.limit:
        return None
    if highest(claims, 0) <= threshold:
        return 0.0
    spread = claims.population.spread
    low, high = np.log(spread * 1e-9), np.log(spread * 1e3)
    if highest(claims, np.exp(high)) > threshold:
        return None
    while high - low > PRECISION:
        middle = (low + high) / 2
        low, high = (
            (low, middle) if highest(claims, np.exp(middle)) <= threshold else (middle, high)
        )
    return float(np.exp(high))


def round_up(sigma: float) -> float:
    """1, 2 or 5 times a power of ten, not less than sigma."""
    if sigma == 0:
        return 0.0
    power = int(np.floor(np.log10(sigma)))
    rungs = [float(f"{rung}e{power + up}") for up in (0, 1) for rung in (1, 2, 5)]
    return next(rung for rung in rungs if rung >= sigma)


def round_up_enough(claims: Claims, sigma: float, threshold: float) -> float:
    """The first of these at which no value is above: that ECAP falls throughout is not proved."""
    rung = round_up(sigma)
    while rung < claims.population.spread * 1e3 and highest(claims, rung) > threshold:
        rung = round_up(rung * 1.01)
    return rung


def _codes(claims: Claims, sigma: float, threshold: float) -> tuple[Figure, Figure, Figure]:
    """Where to cut tails that ask for noise that shows, and the noise of what is between."""
    little = VISIBLE * claims.population.spread
    is_tail = np.nan_to_num(claims.ecap(little)) > threshold
    if sigma <= little or is_tail.all():
        return None, None, None
    body = claims.x[~is_tail]
    top = float(body.max()) if is_tail[-1] else None
    bottom = float(body.min()) if is_tail[0] else None
    if top is None and bottom is None:
        return None, None, None
    ends = (-np.inf if bottom is None else bottom), (np.inf if top is None else top)
    between = claims.x[(claims.x >= ends[0]) & (claims.x <= ends[1])]
    return top, bottom, least_noise(claims.of(between), threshold)


def _curve(claims: Claims, sigmas: list[float]) -> list[CurveRow]:
    rows: list[CurveRow] = []
    for sigma in sigmas:
        figure = highest(claims, sigma)
        quotient = None
        if rows:
            quotient = (figure - (rows[-1].ECAP or 0)) / (sigma - rows[-1].sigma)
        rows.append(CurveRow(sigma=sigma, ECAP=figure, quotient=quotient))
    return rows


def _in_other_populations(claims: Claims, threshold: float, name: Any) -> list[PopulationRow]:
    """What is assumed of the population decides the noise (Figures 6 and 7)."""
    rows = []
    for what, factor in OTHERS:
        N, D = claims.N, claims.population
        if what == "N":
            N = round(N * factor)
        elif isinstance(D, Population):
            D = Population(D.D, factor)
        if claims.n > N or N < 2 or (what == "spread" and D is claims.population):
            continue
        other = replace(claims, population=D, N=N)
        rows.append(PopulationRow(
            what=what, factor=factor, N=N, sigma=least_noise(other, threshold),
            population=str(name) if isinstance(name, str) else "shares",
        ))  # fmt: skip
    return rows

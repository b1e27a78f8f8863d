"""The embedded example: what an artificial survey of 5,000 people looks like.

Nobody in it exists. Regions, levels and the shares in `weights` were made up for this project;
no data set was used or imitated. What it holds on purpose, for the checks to find:

- one level dominates a target: about 88 % of the people have no long-term condition;
- a key level settles a target: at 16 and 17 nobody has married, nobody is asked for an income and
  nobody has more than basic schooling, and from 75 nearly everybody is retired;
- missing values in several variables, and the special code -8 (refused) in income.

Levels are drawn with whole-number weights and uniform numbers alone: no logarithm, no exponential
and no library distribution, so every machine draws the same people.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.examples.weights import (
    AGES,
    BAND_STARTS,
    CONDITION_BY_AGE,
    CONDITION_BY_SEX,
    EDUCATION_BY_AGE,
    EDUCATION_BY_SETTLEMENT,
    EMPLOYMENT_BY_AGE,
    EMPLOYMENT_BY_SEX,
    HEALTH_BY_AGE,
    HEALTH_BY_CONDITION,
    HOUSEHOLD_BY_AGE,
    HOUSEHOLD_BY_MARITAL,
    INCOME_BY_EMPLOYMENT,
    INCOME_PERCENT_BY_EDUCATION,
    INCOME_PERCENT_BY_SEX,
    INCOME_SHAPE,
    MARITAL_BY_AGE,
    MARITAL_BY_SEX,
    MISSING_PERCENT,
    NO_INCOME_PERCENT,
    REFUSED_PERCENT,
    REGION,
    SATISFACTION_BY_HEALTH,
    SETTLEMENT_BY_REGION,
)

Codes = NDArray[np.int64]
People = dict[str, Codes]

SEED = 20_260_801
N_PEOPLE = 5_000
REFUSED = -8
MISSING = -1  # only while drawing: a frame has null instead

DTYPES: dict[str, type[pl.DataType]] = {
    "sex": pl.Int8,
    "age": pl.Int8,
    "region": pl.Int8,
    "settlement": pl.Int8,
    "education": pl.Int8,
    "marital": pl.Int8,
    "employment": pl.Int8,
    "household": pl.Int8,
    "income": pl.Int32,
    "health": pl.Int8,
    "condition": pl.Int8,
    "satisfaction": pl.Int8,
}


def survey_people(seed: int = SEED, n_people: int = N_PEOPLE) -> pl.DataFrame:
    """The survey as codes, one row a person; the same seed gives the same people."""
    rng = np.random.Generator(np.random.PCG64(seed))
    people = _home(rng, n_people)
    people |= _life(rng, people)
    people |= _income(rng, people)
    people |= _health(rng, people)
    for name, percent in MISSING_PERCENT.items():
        people[name] = np.where(rng.random(n_people) * 100 < percent, MISSING, people[name])
    return as_frame(people)


def age_band(age: Codes) -> Codes:
    """The row of the tables by age, from 0 (16 and 17) to 7 (75 and over)."""
    return np.searchsorted(BAND_STARTS, age, side="right").astype(np.int64)


def as_frame(people: People) -> pl.DataFrame:
    """Drawn codes as a frame of small integers, with null for what is missing."""
    codes = (pl.Series(name, people[name]) for name in DTYPES)
    return pl.DataFrame(codes).select(
        pl.when(pl.col(name) != MISSING).then(pl.col(name)).cast(dtype).alias(name)
        for name, dtype in DTYPES.items()
    )


def draw(rng: np.random.Generator, weights: Codes) -> Codes:
    """For each row of weights one column number, in proportion to the weights."""
    reached = weights.cumsum(axis=1)
    point = rng.random(len(weights)) * reached[:, -1]
    column: Codes = (point[:, None] >= reached).sum(axis=1)
    return column


def _home(rng: np.random.Generator, n_people: int) -> People:
    sex = draw(rng, np.repeat([[48, 52]], n_people, axis=0))
    age = AGES[draw(rng, _age_weights()[sex])]
    region = draw(rng, np.repeat(REGION, n_people, axis=0))
    settlement = draw(rng, SETTLEMENT_BY_REGION[region])
    return {"sex": sex + 1, "age": age, "region": region + 1, "settlement": settlement + 1}


def _age_weights() -> Codes:
    # Fewer young than middle-aged people, then a slope that is steeper for men.
    level = np.where(AGES < 30, 80, np.where(AGES < 50, 95, 105))
    years_past = np.maximum(AGES - 64, 0)
    return np.stack([np.maximum(level - slope * years_past, 2) for slope in (4, 3)])


def _life(rng: np.random.Generator, people: People) -> People:
    band, sex, settlement = age_band(people["age"]), people["sex"] - 1, people["settlement"] - 1
    education = draw(rng, EDUCATION_BY_AGE[band] * EDUCATION_BY_SETTLEMENT[settlement])
    marital = draw(rng, MARITAL_BY_AGE[band] * MARITAL_BY_SEX[sex])
    employment = draw(rng, EMPLOYMENT_BY_AGE[band] * EMPLOYMENT_BY_SEX[sex])
    household = draw(rng, HOUSEHOLD_BY_MARITAL[marital] * HOUSEHOLD_BY_AGE[band])
    return {
        "education": education + 1,
        "marital": marital + 1,
        "employment": employment + 1,
        "household": household + 1,
    }


def _income(rng: np.random.Generator, people: People) -> People:
    activity = people["employment"] - 1
    amount = _typical_income(people) * _income_percent(rng, len(activity)) // 100_000
    income = (amount + 25) // 50 * 50
    income[rng.random(len(income)) * 100 < NO_INCOME_PERCENT[activity]] = 0
    income[rng.random(len(income)) * 100 < REFUSED_PERCENT[activity]] = REFUSED
    return {"income": np.where(people["age"] < 18, MISSING, income)}


def _typical_income(people: People) -> Codes:
    by_activity = INCOME_BY_EMPLOYMENT[people["employment"] - 1]
    by_education = INCOME_PERCENT_BY_EDUCATION[people["education"] - 1]
    by_sex = INCOME_PERCENT_BY_SEX[people["sex"] - 1]
    typical: Codes = by_activity * by_education * by_sex // 10_000
    return typical


def _income_percent(rng: np.random.Generator, n_people: int) -> Codes:
    # Percent of the typical income, in thousandths: a straight line between the tenths.
    place = (rng.random(n_people) * 10_000).astype(np.int64)
    tenth, part = place // 1_000, place % 1_000
    rise = INCOME_SHAPE[tenth + 1] - INCOME_SHAPE[tenth]
    percent: Codes = INCOME_SHAPE[tenth] * 1_000 + rise * part
    return percent


def _health(rng: np.random.Generator, people: People) -> People:
    band = age_band(people["age"])
    condition = draw(rng, CONDITION_BY_AGE[band] * CONDITION_BY_SEX[people["sex"] - 1])
    health = draw(rng, HEALTH_BY_AGE[band] * HEALTH_BY_CONDITION[condition])
    satisfaction = draw(rng, SATISFACTION_BY_HEALTH[health])
    return {"health": health + 1, "condition": condition + 1, "satisfaction": satisfaction}

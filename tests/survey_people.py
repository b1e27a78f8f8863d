"""Where do the stored frames of the example come from? An artificial survey of 5,000 people.

No one in it exists. Regions, levels and the shares in `weights` were made up for this project;
no data set was used or imitated. What it holds on purpose, for the checks to find:

- one level dominates a target: about 88 % of the people have no long-term condition;
- a key level settles a target: at 16 and 17 no one has married, no one is asked for an income and
  no one has more than basic schooling, and from 75 nearly everyone is retired;
- missing values in several variables, and the special code -8 (refused) in income.

Levels are drawn with whole-number weights and uniform numbers alone: no logarithm, no exponential
and no library distribution, so every machine draws the same people. `python tests/survey_people.py`
makes the stored files again; their codebook, `survey_labels.json`, is written by hand.
"""

from importlib.resources import as_file, files
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from unveil.atomic import replace_file
from unveil.examples import ORIGINAL, SYNTHETIC
from unveil.examples.make import MISSING, Codes, People, age_band, codes_to_frame, synthesise

# How often is what, among the people of the artificial survey? Every number here is made up.
#
# Weights are whole numbers; only their proportions within a row count. The columns of a table
# follow the codes in `survey_labels.json`, and so do its rows, unless they are age bands. Where a
# variable has two tables, the weights are multiplied.


AGES = np.arange(16, 96)

REGION = np.array([[6, 5, 9, 7, 18, 14, 11, 8, 9, 6, 5, 2]])
SETTLEMENT_BY_REGION = np.array(
    [
        [40, 25, 20, 15, 0],
        [60, 22, 12, 6, 0],
        [45, 25, 15, 15, 0],
        [52, 26, 16, 6, 0],
        [2, 3, 5, 10, 80],
        [25, 30, 30, 15, 0],
        [30, 20, 20, 30, 0],
        [42, 22, 16, 20, 0],
        [20, 20, 20, 15, 25],
        [55, 25, 20, 0, 0],
        [35, 30, 20, 15, 0],
        [70, 30, 0, 0, 0],
    ]
)
EDUCATION_BY_AGE = np.array(
    [
        [1, 0, 0, 0, 0],
        [20, 14, 50, 10, 6],
        [7, 24, 24, 15, 30],
        [8, 29, 23, 14, 26],
        [10, 34, 23, 13, 20],
        [15, 38, 22, 11, 14],
        [26, 36, 19, 9, 10],
        [44, 29, 14, 6, 7],
    ]
)
EDUCATION_BY_SETTLEMENT = np.array(
    [[5, 6, 4, 3, 2], [4, 5, 4, 4, 3], [4, 5, 4, 4, 4], [3, 4, 4, 5, 6], [2, 3, 4, 5, 9]]
)
MARITAL_BY_AGE = np.array(
    [
        [1, 0, 0, 0, 0],
        [82, 14, 4, 0, 0],
        [36, 28, 33, 3, 0],
        [17, 17, 57, 8, 1],
        [11, 11, 62, 14, 2],
        [8, 6, 64, 16, 6],
        [5, 3, 62, 12, 18],
        [4, 1, 43, 6, 46],
    ]
)
MARITAL_BY_SEX = np.array([[5, 4, 5, 4, 2], [4, 4, 4, 5, 6]])
EMPLOYMENT_BY_AGE = np.array(
    [
        [5, 0, 2, 93, 0, 0, 0],
        [38, 3, 9, 45, 0, 4, 1],
        [69, 9, 8, 4, 0, 8, 2],
        [70, 13, 6, 1, 0, 7, 3],
        [68, 14, 6, 0, 1, 6, 5],
        [50, 12, 6, 0, 18, 6, 8],
        [5, 4, 0, 0, 88, 2, 1],
        [0, 1, 0, 0, 98, 1, 0],
    ]
)
EMPLOYMENT_BY_SEX = np.array([[6, 8, 6, 5, 5, 1, 6], [5, 4, 5, 5, 5, 6, 5]])
HOUSEHOLD_BY_MARITAL = np.array(
    [
        [34, 16, 22, 18, 7, 3],
        [0, 50, 25, 18, 5, 2],
        [0, 38, 22, 26, 10, 4],
        [55, 24, 13, 6, 2, 0],
        [70, 16, 7, 4, 2, 1],
    ]
)
HOUSEHOLD_BY_AGE = np.array(
    [
        [0, 8, 28, 40, 17, 7],
        [16, 22, 26, 24, 8, 4],
        [18, 24, 26, 22, 7, 3],
        [10, 12, 24, 36, 13, 5],
        [14, 22, 26, 26, 9, 3],
        [20, 48, 19, 9, 3, 1],
        [26, 62, 8, 3, 1, 0],
        [40, 52, 5, 2, 1, 0],
    ]
)
CONDITION_BY_AGE = np.array(
    [
        [972, 1, 3, 10, 10, 4],
        [964, 2, 3, 9, 17, 5],
        [954, 3, 5, 9, 20, 9],
        [938, 9, 11, 9, 20, 13],
        [913, 23, 20, 12, 17, 15],
        [876, 44, 31, 18, 13, 18],
        [838, 70, 39, 23, 9, 21],
        [795, 102, 43, 26, 7, 27],
    ]
)
CONDITION_BY_SEX = np.array([[20, 23, 22, 20, 17, 18], [20, 18, 18, 20, 24, 22]])
HEALTH_BY_AGE = np.array(
    [
        [58, 36, 5, 1, 0],
        [50, 41, 7, 2, 0],
        [38, 48, 11, 2, 1],
        [28, 51, 16, 4, 1],
        [18, 49, 25, 6, 2],
        [11, 42, 34, 10, 3],
        [6, 35, 42, 14, 3],
        [3, 24, 46, 21, 6],
    ]
)
HEALTH_BY_CONDITION = np.array(
    [
        [6, 6, 4, 2, 1],
        [1, 2, 5, 8, 9],
        [1, 3, 6, 6, 5],
        [1, 3, 6, 7, 6],
        [1, 3, 6, 7, 5],
        [1, 3, 5, 7, 8],
    ]
)
SATISFACTION_BY_HEALTH = np.array(
    [
        [0, 0, 1, 1, 2, 5, 7, 18, 31, 21, 14],
        [0, 1, 1, 2, 4, 10, 13, 24, 27, 12, 6],
        [1, 1, 2, 5, 8, 18, 17, 22, 17, 6, 3],
        [3, 3, 6, 10, 12, 22, 15, 14, 9, 3, 3],
        [9, 7, 11, 13, 14, 20, 9, 8, 5, 2, 2],
    ]
)

# Percent of the group's median, at every tenth of the people: skewed to the right.
INCOME_SHAPE = np.array([35, 56, 68, 79, 89, 100, 113, 130, 155, 200, 480])
INCOME_BY_EMPLOYMENT = np.array([1850, 1900, 700, 450, 1300, 550, 850])
INCOME_PERCENT_BY_EDUCATION = np.array([78, 94, 100, 116, 150])
INCOME_PERCENT_BY_SEX = np.array([106, 92])
NO_INCOME_PERCENT = np.array([0, 2, 12, 45, 0, 30, 3])
REFUSED_PERCENT = np.array([11, 22, 7, 5, 12, 11, 7])
MISSING_PERCENT = {
    "education": 1,
    "household": 1,
    "income": 8,
    "health": 1,
    "condition": 2,
    "satisfaction": 3,
}


SEED = 20_260_801
N_PEOPLE = 5_000
REFUSED = -8


def survey_people(seed: int = SEED, n_people: int = N_PEOPLE) -> pl.DataFrame:
    """The survey as codes, one row a person; the same seed gives the same people."""
    rng = np.random.Generator(np.random.PCG64(seed))
    people = _home(rng, n_people)
    people |= _life(rng, people)
    people |= _income(rng, people)
    people |= _health(rng, people)
    for name, percent in MISSING_PERCENT.items():
        people[name] = np.where(rng.random(n_people) * 100 < percent, MISSING, people[name])
    return codes_to_frame(people)


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


def make_frames() -> dict[str, pl.DataFrame]:
    """Both frames as codes, made from their seeds in memory, under their file names."""
    original = survey_people()
    return {ORIGINAL: original, SYNTHETIC: synthesise(original)}


def write_stored(folder: Path | None = None) -> tuple[Path, ...]:
    """Write both frames over the stored ones, or into another existing folder.

    Notes
    -----
    With the same polars the files are the same byte for byte; another version of polars may pack
    the same frames differently.
    """
    if folder is None:
        with as_file(files("unveil.examples")) as package:
            return write_stored(package)
    return tuple(replace_file(folder / name, _pack(f)) for name, f in make_frames().items())


def _pack(frame: pl.DataFrame) -> bytes:
    packed = BytesIO()
    frame.write_parquet(packed, compression="zstd", compression_level=19, statistics=False)
    return packed.getvalue()


if __name__ == "__main__":
    write_stored()

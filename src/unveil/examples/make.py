"""The synthetic file of the example, drawn by simple means: one answer after the other."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

Codes = NDArray[np.int64]
People = dict[str, Codes]

MISSING = -1  # only while drawing: a frame has null instead
# Ages 16-17, 18-24, 25-34, 35-44, 45-54, 55-64, 65-74, 75 and over.
BAND_STARTS = np.array([18, 25, 35, 45, 55, 65, 75])

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


def age_band(age: Codes) -> Codes:
    """The row of the tables by age, from 0 (16 and 17) to 7 (75 and over)."""
    return np.searchsorted(BAND_STARTS, age, side="right").astype(np.int64)


def codes_to_frame(people: People) -> pl.DataFrame:
    """Drawn codes as a frame of small integers, with null for what is missing."""
    codes = (pl.Series(name, people[name]) for name in DTYPES)
    return pl.DataFrame(codes).select(
        pl.when(pl.col(name) != MISSING).then(pl.col(name)).cast(dtype).alias(name)
        for name, dtype in DTYPES.items()
    )


# One synthetic file by simple means: what if each answer came from a person a little alike?
#
# The variables are drawn one after the other. For each new person a donor is drawn among the
# original people in the same cell of a few variables already drawn (age and income in bands), and
# only that one answer is taken. A cell with too few donors is made coarser by excluding its last
# variable. The next answer comes from another donor, so a whole person recurs only by chance; what
# the synthetic file discloses all the same is for unveil to find.


SEED = 20_260_802
MIN_DONORS = 10

# Each variable, in the order of drawing, and the variables that make its cells.
PLAN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("sex", ()),
    ("age", ("sex",)),
    ("region", ("age", "sex")),
    ("settlement", ("region", "age")),
    ("education", ("age", "settlement", "sex")),
    ("marital", ("age", "sex", "education")),
    ("employment", ("age", "sex", "education")),
    ("household", ("marital", "age", "settlement")),
    ("income", ("age", "employment", "education", "sex")),
    ("condition", ("age", "sex", "employment")),
    ("health", ("condition", "age", "sex")),
    ("satisfaction", ("health", "age", "income")),
)
INCOME_BAND_STARTS = np.array([MISSING, 0, 600, 1_200, 1_800, 2_600])


def synthesise(original: pl.DataFrame, seed: int = SEED) -> pl.DataFrame:
    """One copy of the coded survey, with as many people; the same seed gives the same copy."""
    rng = np.random.Generator(np.random.PCG64(seed))
    known = {name: original[name].fill_null(MISSING).cast(pl.Int64).to_numpy() for name, _ in PLAN}
    drawn: People = {}
    for name, given in PLAN:
        luck = rng.random(original.height)
        drawn[name] = known[name][_donors(known, drawn, given, luck)]
    return codes_to_frame(drawn)


def _donors(known: People, drawn: People, given: tuple[str, ...], luck: np.ndarray) -> Codes:
    """The row of a donor for each new person, from the finest cell that has enough donors."""
    donor = np.full(len(luck), MISSING, dtype=np.int64)
    for n_given in range(len(given), -1, -1):
        old, new = _cells(known, drawn, given[:n_given], len(luck))
        n_donors = np.bincount(old, minlength=new.max() + 1)
        enough = MIN_DONORS if n_given else 1
        rows = np.flatnonzero((donor == MISSING) & (n_donors[new] >= enough))
        first = np.cumsum(n_donors) - n_donors
        by_cell = np.argsort(old, kind="stable")
        cell = new[rows]
        donor[rows] = by_cell[first[cell] + (luck[rows] * n_donors[cell]).astype(np.int64)]
    return donor


def _cells(known: People, drawn: People, given: tuple[str, ...], n: int) -> tuple[Codes, Codes]:
    """The cell numbers of the original people and of the new ones."""
    cell = np.zeros(2 * n, dtype=np.int64)
    for name in given:
        level = _coarse(name, np.concatenate([known[name], drawn[name]]))
        cell = np.unique(cell * (level.max() + 1) + level, return_inverse=True)[1]
    return cell[:n], cell[n:]


def _coarse(name: str, codes: Codes) -> Codes:
    if name == "age":
        return age_band(codes)
    if name == "income":
        return np.searchsorted(INCOME_BAND_STARTS, codes, side="right").astype(np.int64)
    return codes - MISSING  # from 0, where the missing are

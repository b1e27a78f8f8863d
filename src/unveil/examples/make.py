"""Where do the stored frames come from? They are made again here, from their seeds.

A maintainer who changes the survey calls, in Python, ``make.write_stored()`` and keeps the new
files. The codebook, `survey_labels.json`, is written by hand and is not touched.
"""

from importlib.resources import as_file, files
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from unveil.atomic import replace_file
from unveil.examples.codebook import ORIGINAL, SYNTHETIC
from unveil.examples.people import MISSING, Codes, People, age_band, codes_to_frame, survey_people

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

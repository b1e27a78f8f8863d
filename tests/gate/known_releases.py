"""Releases that disclose, written with knowledge of the detector: each dodges one of its rules.

Each has an honest twin: the same done to other people of the same population.
"""

from collections.abc import Callable

import numpy as np
import polars as pl

Make = Callable[[pl.DataFrame], pl.DataFrame | list[pl.DataFrame]]


def clinic(n: int, seed: int) -> pl.DataFrame:
    """Patients of a clinic: illness depends on age, cost on both."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(18, 95, n), rng.integers(0, 2, n)
    place = np.minimum((rng.random(n) * 5 * (age / 95)).astype(int), 4)
    return pl.DataFrame(
        {
            "sex": sex,
            "age": age,
            "district": [f"d{one}" for one in rng.integers(0, 30, n)],
            "illness": np.array(["none", "asthma", "diabetes", "cancer", "HIV"])[place],
            "weight": np.round(rng.normal(70 + 5 * sex, 12, n), 1),
            "height": rng.integers(150, 200, n),
            "cost": np.round(np.exp(rng.normal(7 + age / 100, 0.6, n)), 2),
            "visits": rng.poisson(2, n),
            "ward": rng.integers(0, 12, n),
        }
    )


def answers(n: int, seed: int) -> pl.DataFrame:
    """Ten questions of three answers each, which hang together."""
    rng = np.random.default_rng(seed)
    lean = rng.normal(size=n)
    return pl.DataFrame(
        {
            f"q{i}": np.clip(np.round(0.7 * lean + rng.normal(size=n)), -1, 1).astype(int)
            for i in range(10)
        }
    )


def _mixed(frame: pl.DataFrame, seed: int = 3) -> pl.DataFrame:
    return frame[np.random.default_rng(seed).permutation(frame.height).tolist()]


def _six_times(frame: pl.DataFrame) -> pl.DataFrame:
    return _mixed(pl.concat([frame] * 6))


def _six_times_two_redrawn(frame: pl.DataFrame) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    wide = _six_times(frame)
    return wide.with_columns(
        pl.Series("ward", rng.integers(0, 12, wide.height)),
        pl.Series("visits", rng.poisson(2, wide.height)),
    )


def _halves_of_two(frame: pl.DataFrame) -> pl.DataFrame:
    order = np.random.default_rng(9).permutation(frame.height).tolist()
    return frame.with_columns(
        frame[c].gather(order) for c in ("district", "weight", "cost", "ward")
    )


def _one_cell_of_each(frame: pl.DataFrame) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    cells = frame.to_numpy().copy()
    cells[np.arange(len(cells)), rng.integers(0, cells.shape[1], len(cells))] = rng.integers(
        -1, 2, len(cells)
    )
    return pl.DataFrame(cells, schema=frame.columns)


def _ten_parts(frame: pl.DataFrame) -> list[pl.DataFrame]:
    parts = [frame[200 * i : 200 * (i + 1)] for i in range(10)]
    return [_mixed(pl.concat([one, clinic(1800, 20 + i)])) for i, one in enumerate(parts)]


def _a_little_more(frame: pl.DataFrame) -> pl.DataFrame:
    c = pl.col
    return _mixed(
        frame.with_columns(
            (c("cost") * 1.01).round(2),
            (c("weight") * 1.01).round(1),
            c("age") + 1,
            c("height") + 1,
        )
    )


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    fresh = np.random.default_rng(8).normal(72, 12, frame.height)
    return _mixed(frame.with_columns(pl.Series("weight", np.round(fresh, 1))))


CASES: dict[str, tuple[Callable[[int, int], pl.DataFrame], Make]] = {
    "each record six times": (clinic, _six_times),
    "each record six times, two columns redrawn": (clinic, _six_times_two_redrawn),
    "real records among twenty times as many": (
        clinic,
        lambda frame: _mixed(pl.concat([frame, clinic(40_000, 7)])),
    ),
    "each record made of two people": (clinic, _halves_of_two),
    "one cell of each record redrawn": (answers, _one_cell_of_each),
    "answers, six times": (answers, _six_times),
    "ten files, each a tenth real": (clinic, _ten_parts),
    "every number a little more": (clinic, _a_little_more),
    "one number drawn anew": (clinic, _numbered),
}
"""The population, and what is done to its records before they are released."""


def release(name: str, *, honest: bool) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """The original and the synthetic files of a case, or of its honest twin."""
    population, make = CASES[name]
    original = population(2000, 1)
    made = make(population(2000, 2) if honest else original)
    return original, made if isinstance(made, list) else [made]

"""Past the size of one piece, against the plain counts of a data frame library."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.count.packing import CHUNK


def people(n: int, seed: int, n_levels: tuple[int, int, int]) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {name: rng.integers(0, most, n) for name, most in zip("abt", n_levels, strict=True)}
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_levels", [(1200, 900, 3), (40_000, 40_000, 300_000), (2, 3, 70_000)])
def test_more_records_than_one_piece_holds(n_levels):
    original = people(CHUNK + 1_000, 1, n_levels)
    synthetic = people(CHUNK + 77, 2, n_levels)
    row = unveil.disclosure(original, synthetic, keys=["a", "b"], targets="t").attribute[0]

    def counted(frame: pl.DataFrame, name: str) -> pl.DataFrame:
        return frame.group_by("a", "b", "t").agg(pl.len().cast(pl.Int64).alias(name))

    cells = (
        counted(original, "d")
        .join(counted(synthetic, "s"), on=["a", "b", "t"], how="full", coalesce=True)
        .fill_null(0)
        .with_columns(s_q=pl.col("s").sum().over("a", "b"))
    )
    settled = cells.filter((pl.col("s") == pl.col("s_q")) & (pl.col("s_q") > 0))
    guesses = cells.filter(pl.col("s_q") > 0).select(pl.col("d") * pl.col("s") / pl.col("s_q"))
    assert row.n_cells == cells.height
    assert row.DiSCO == pytest.approx(100 * settled["d"].sum() / original.height)
    assert pytest.approx(100 * guesses.to_series().sum() / original.height) == row.DCAP

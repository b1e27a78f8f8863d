import numpy as np
import polars as pl
import scipy

from unveil.synthesis.split_columns import join_column, split
from unveil.synthesis.strata import Strata

FRAME = pl.DataFrame({"a": ["x", "y", "x", "y", None, "x"], "b": [1, 1, 1, 1, 1, 2], "c": range(6)})
PARTS = {name: split(FRAME[name]) for name in FRAME.columns}


def test_each_combination_is_a_stratum_and_missing_is_a_value():
    strata = Strata.of(FRAME, ("a", "b"), PARTS)
    assert sorted(strata.sizes.tolist()) == [1, 1, 2, 2]
    groups = {tuple(rows.tolist()) for rows in strata.rows(strata.of_rows)}
    assert groups == {(0, 2), (1, 3), (4,), (5,)}
    told = list(zip(*(join_column(part).to_list() for part in strata.parts), strict=True))
    assert [told[of] for of in strata.of_rows] == FRAME.select("a", "b").rows()


def test_strata_are_drawn_as_often_as_they_have_rows():
    strata = Strata.of(FRAME, ("a", "b"), PARTS)
    counts = np.bincount(strata.draw(60_000, seed=1, copy=1), minlength=4)
    assert scipy.stats.chisquare(counts, strata.sizes * 10_000).pvalue > 0.001


def test_without_strata_there_is_one_with_every_row():
    strata = Strata.of(FRAME, (), PARTS)
    assert strata.sizes.tolist() == [6]
    assert [rows.tolist() for rows in strata.rows(strata.draw(3, seed=1, copy=1))] == [[0, 1, 2]]

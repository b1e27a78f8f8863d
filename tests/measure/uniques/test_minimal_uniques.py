"""The search in several passes, in numbers too wide for an array, and what it leaves out."""

import numpy as np
import polars as pl
import pytest

from unveil.count.key_sets import count_sets
from unveil.measure.uniques import minimal_uniques
from unveil.measure.uniques.suda import suda


def data(n: int, n_levels: int, seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({f"k{key}": rng.integers(0, n_levels, n) for key in range(4)})


def everything(frame: pl.DataFrame) -> tuple:
    result = suda(frame, keys=frame.columns)
    return result.frame().rows(), result.msus().rows(), result.record


def test_several_passes_find_what_one_does(monkeypatch):
    frame = data(3000, 12)
    one = everything(frame)
    assert one[2].n_uniques > 2 * 1024
    monkeypatch.setattr(minimal_uniques, "ROOM", 1)  # so that every pass takes 1,024 of the uniques
    assert everything(frame) == one


@pytest.mark.parametrize("n_levels", [2, 40, 100_000])
def test_few_and_many_levels_are_found_alike(n_levels):
    frame = data(400, n_levels)
    _, msus, _ = everything(frame)
    rows = [tuple(row) for row in frame.rows()]
    for row, size, keys in msus[:200]:
        places = [int(key[1:]) for key in keys]
        same = [other for other in rows if all(other[at] == rows[row][at] for at in places)]
        assert (len(same), len(keys)) == (1, size)
    for place in range(4):
        column = [row[place] for row in rows]
        alone = {row for row in range(len(rows)) if column.count(column[row]) == 1}
        assert alone == {row for row, _, keys in msus if keys == [f"k{place}"]}


def test_what_several_share_is_kept_once():
    frame = pl.DataFrame({"a": ["x"] * 5 + ["y"], "b": ["p"] * 4 + ["q", "q"]})
    result = suda(frame, keys=["a", "b"])
    assert result.msus().rows() == [(4, 2, ["a", "b"]), (5, 1, ["a"])]


def test_the_number_of_sets():
    assert count_sets(16, 16) == 2**16 - 1
    assert count_sets(5, 2) == 5 + 10
    assert count_sets(3, 9) == 7
    assert count_sets(3, 0) == 0

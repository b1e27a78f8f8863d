import numpy as np
import polars as pl

from unveil.synthesis.plan import order_by_dependency
from unveil.synthesis.split_columns import split


def order(**columns):
    parts = {name: split(pl.Series(name, values)) for name, values in columns.items()}
    return order_by_dependency(parts, tuple(parts), seed=1)


def test_few_columns_stay_as_they_are():
    assert order(b=[1, 2], a=[2, 1]) == ("b", "a")


def test_what_tells_of_most_others_comes_first_and_noise_last():
    rng = np.random.default_rng(1)
    hub = rng.integers(0, 9, 3_000)
    found = order(
        noise=rng.integers(0, 9, 3_000),
        low=hub // 3,
        hub=[f"{value}" for value in hub],
        odd=hub % 2,
        empty=[None] * 3_000,
    )
    assert found[0] == "hub"
    assert set(found[1:3]) == {"low", "odd"}
    assert set(found[3:]) == {"noise", "empty"}


def test_missing_values_that_go_together_are_a_dependency():
    rng = np.random.default_rng(2)
    gap = rng.random(2_000) < 0.5
    one, two = rng.normal(size=2_000), rng.normal(size=2_000)
    found = order(
        alone=rng.normal(size=2_000),
        one=pl.Series(np.where(gap, np.nan, one)).fill_nan(None),
        two=pl.Series(np.where(gap, np.nan, two)).fill_nan(None),
    )
    assert set(found[:2]) == {"one", "two"}

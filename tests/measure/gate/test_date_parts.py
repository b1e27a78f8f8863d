"""A date that three new columns spell is found where it is people's own, and only there."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from unveil.io.sources import read_table
from unveil.measure.gate.copied_columns import find_extra_columns
from unveil.study.study import Study

N = 400
BORN = "date of birth"


def dates(seed: int) -> list[date]:
    days = np.random.default_rng(seed).integers(0, 30_000, N)
    return [date(1930, 1, 1) + timedelta(days=int(one)) for one in days]


def spelt(given: list[date], *, as_text: bool = False) -> dict[str, list]:
    parts = {
        "yr": [one.year for one in given],
        "mon": [one.month for one in given],
        "dy": [one.day for one in given],
    }
    return {name: [f"{v:02}" for v in one] if as_text else one for name, one in parts.items()}


def reasons(more: dict[str, list]) -> dict[str, tuple[str, int]]:
    original = read_table(pl.DataFrame({BORN: dates(1), "x": ["a", "b"] * 200}), side="original")
    synthetic = pl.DataFrame({BORN: dates(2), "x": ["a", "b"] * 200, **more})
    files = Study([original, read_table(synthetic, side="synthetic")]).files
    return {one.column: (one.reason, one.n_real) for one in find_extra_columns(files, 1)}


@pytest.mark.parametrize("as_text", [False, True])
def test_a_date_in_three_columns_is_told(as_text):
    mine = dates(1)
    shuffled = [mine[place] for place in np.random.default_rng(3).permutation(N)]
    n_alone = sum(mine.count(one) == 1 for one in mine)
    assert reasons(spelt(shuffled, as_text=as_text)) == {
        name: ("recodes", n_alone) for name in ("yr", "mon", "dy")
    }


WAYS = {
    "two digits of the year": lambda one: {"yr": one.year % 100, "mon": one.month, "dy": one.day},
    "day of the year": lambda one: {"yr": one.year, "doy": one.timetuple().tm_yday},
    "month and day": lambda one: {"yr": one.year, "md": 100 * one.month + one.day},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("seed", "reason"), [(1, "recodes"), (4, "unknown")])
def test_other_ways_to_spell_a_date_are_told_where_it_is_of_people(way, seed, reason):
    rows = [WAYS[way](one) for one in dates(seed)]
    found = reasons({name: [row[name] for row in rows] for name in rows[0]})
    assert {one for one, _ in found.values()} == {reason}


def test_dates_of_no_one_are_not():
    found = reasons(spelt(dates(4)))
    assert {reason for reason, _ in found.values()} == {"unknown"}


def test_days_that_no_month_has_are_no_dates():
    parts = spelt(dates(4)) | {"dy": [31] * N, "mon": [2] * N}
    assert "recodes" not in {reason for reason, _ in reasons(parts).values()}


def test_half_of_the_dates_are_enough_and_few_are_not():
    mine, fresh = dates(1), dates(4)
    for n, is_told in ((300, True), (20, False)):
        found = reasons(spelt(mine[:n] + fresh[n:]))
        assert ("recodes" in {reason for reason, _ in found.values()}) is is_told

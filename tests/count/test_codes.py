from datetime import date, datetime, time, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.count.codes import encode

LEVELS = {
    "text": (["b", "a", "ä", "", "A" * 50], pl.String),
    "whole": ([3, -1, 10**6, 0], pl.Int64),
    "near": ([-(2**40), 1 - 2**40, 300 - 2**40], pl.Int64),
    "around nothing": ([-300, -1, 255, 256], pl.Int32),
    "wide": ([3, -(2**63), 2**63 - 1, 0], pl.Int64),
    "decimal": ([0.5, -2.25, 1e300, float("inf")], pl.Float64),
    "truth": ([True, False], pl.Boolean),
    "date": ([date(2020, 2, 29), date(1900, 1, 1)], pl.Date),
    "moment": ([datetime(2020, 1, 1, 12), datetime(2020, 1, 1, 11)], pl.Datetime("us")),
    "time": ([time(1, 2), time(0, 0, 1)], pl.Time),
    "span": ([timedelta(days=2), timedelta(seconds=-3)], pl.Duration("us")),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEVELS)
@given(data=st.data())
def test_codes_decode_to_what_was_encoded_and_keep_the_order_of_levels(kind, data):
    values, dtype = LEVELS[kind]
    side = st.lists(st.sampled_from([*values, None]), max_size=12)
    sides = [data.draw(side) for _ in range(data.draw(st.integers(1, 3)))]
    column = encode("x", [pl.Series("x", values, dtype=dtype) for values in sides])
    stacked = [value for values in sides for value in values]
    levels = column.levels.to_list()
    assert [levels[code] for code in column.codes.tolist()] == stacked
    known = [level for level in levels if level is not None]
    assert known == sorted({value for value in stacked if value is not None})
    assert column.has_missing == (None in stacked)
    assert levels == known + [None] * column.has_missing
    assert column.counts.tolist() == [[s.count(level) for level in levels] for s in sides]


def test_codes_take_no_more_room_than_they_need():
    column = encode("x", [pl.Series(range(300)), pl.Series([None], dtype=pl.Int64)])
    assert column.codes.dtype == np.uint16
    assert column.n_levels == 301


@pytest.mark.parametrize("bits", [None, 0])
@pytest.mark.parametrize("rare", ["b", None, ""])
def test_a_text_between_the_places_that_are_sampled_has_its_own_level(monkeypatch, bits, rare):
    if bits is not None:  # all texts in one slot: only the comparison with the level parts them
        monkeypatch.setattr("unveil.count.codes._HASH_BITS", [(bits, np.uint64(0))])
    values = ["a"] * 9_000
    values[4_501] = rare
    column = encode("x", [pl.Series(values[:5_000]), pl.Series(values[5_000:])])
    assert column.levels.gather(column.codes.astype(np.uint32)).to_list() == values
    assert column.n_levels == 2


@pytest.mark.parametrize("places", [(0,), (2, 0), (1, 2), (0, 1, 2)])
def test_a_column_on_some_sides_has_the_levels_that_occur_there(places):
    sides = [["a", "b"], ["b", None, "c"], ["c", "c"]]
    chosen = encode("x", [pl.Series(side) for side in sides]).select(places)
    wanted = [value for place in places for value in sides[place]]
    levels = [*chosen.levels, None]
    assert [levels[code] for code in chosen.codes] == wanted
    assert set(chosen.levels) == set(wanted)


def test_decimals_are_coded_in_their_order():
    column = encode("x", [pl.Series(["1.5", "-0.5", None, "1.5"]).cast(pl.Decimal(6, 1))])
    assert column.codes.tolist() == [1, 0, 2, 1]

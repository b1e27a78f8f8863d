"""Columns keep their type and their digits, wherever they can hold what is put into them."""

from decimal import Decimal

import polars as pl
import pytest

from unveil.protection.recoding.recode import recode

AMOUNTS = pl.Series([Decimal("1.25"), Decimal("9.99"), Decimal("5.10")], dtype=pl.Decimal(10, 2))


def done(side, **step):
    return recode(pl.DataFrame({"x": side}), [{"column": "x", **step}])


def test_a_quantile_of_whole_numbers_is_whole_in_a_column_of_decimals_too():
    result = done([1.0, 2.0, 4.0, 9.0], do="top_code", quantile=0.9)
    assert result.data["x"].to_list() == [1, 2, 4, 7]  # the quantile is 7.5
    low = done([1.0, 2.0, 4.0, 9.0], do="bottom_code", quantile=0.1)
    assert low.data["x"].to_list() == [2, 2, 4, 9]  # 1.3


def test_decimals_that_nothing_was_to_change_keep_all_their_digits():
    long = [Decimal("12345678901234567890.12"), Decimal("99999999901234567890.12")]
    side = pl.Series(long, dtype=pl.Decimal(38, 2))
    made = done(side, do="top_code", at=3 * 10**19).data["x"]
    assert made.to_list() == [long[0], Decimal("30000000000000000000.00")]


def test_a_limit_finer_than_the_column_is_held_on_the_side_of_the_others():
    top = done(AMOUNTS, do="top_code", at=5.555)
    assert top.data["x"].to_list()[1] == Decimal("5.55")
    assert top.rows[0].sentence == "Column 'x': 1 record above 5.555 was set to 5.55."
    low = done(AMOUNTS, do="bottom_code", at=5.555)
    assert low.data["x"].to_list() == [Decimal("5.56"), Decimal("9.99"), Decimal("5.56")]


def test_multiples_finer_than_the_column_make_it_one_of_floats():
    assert done(AMOUNTS, do="round", to=0.5).data["x"].dtype == pl.Decimal(10, 2)
    fine = done(AMOUNTS, do="round", to=0.375).data["x"]
    assert fine.to_list() == [1.125, 10.125, 5.25]


def test_levels_of_decimals_are_named_as_people_write_them():
    for level in (5.1, "5.1", "5.10"):
        assert done(AMOUNTS, do="merge", levels=[level], into="x").data["x"].to_list() == [
            "1.25",
            "9.99",
            "x",
        ]
    number = done(AMOUNTS, do="merge", levels=[1.25], into=9.99).data["x"]
    assert (number.dtype, number.to_list()[0]) == (pl.Decimal(10, 2), Decimal("9.99"))


@pytest.mark.parametrize(
    ("step", "wanted"),
    [
        ({"do": "bottom_code", "at": 1e300}, [1e300, 1e300]),
        ({"do": "top_code", "at": -1e300}, [-1e300, -1e300]),
        ({"do": "merge", "levels": [1], "into": 1e300}, [1e300, 2]),
        ({"do": "merge", "levels": [1], "into": 10**30}, [1e30, 2]),
        ({"do": "merge", "levels": [1], "into": ".a"}, [".a", "2"]),
    ],
)
def test_what_a_whole_number_cannot_hold_widens_the_column(step, wanted):
    assert done([1, 2], **step).data["x"].to_list() == wanted


def test_a_column_without_a_name_stays_without_one():
    frame = pl.DataFrame({"": [1, 2, 3], "x": [1, 2, 90]})
    steps = [{"do": "top_code", "column": "x", "at": 3}, {"do": "top_code", "column": "", "at": 2}]
    assert recode(frame, steps).data.to_dict(as_series=False) == {"": [1, 2, 2], "x": [1, 2, 3]}


def test_infinite_numbers_are_levels_that_can_be_merged_again():
    frame = pl.DataFrame({"x": [1.0, 1.0, float("inf"), -2.5]})
    result = recode(frame, [{"do": "merge_rare", "column": "x", "below": 2, "into": "far"}])
    assert result.data["x"].to_list() == ["1", "1", "far", "far"]
    assert recode(frame, result.fixed_steps()).data.equals(result.data)

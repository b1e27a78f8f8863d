"""The search: what single precision cannot tell apart, double precision must."""

from datetime import date, datetime, time, timedelta

import numpy as np
import polars as pl
import pytest

from unveil.count.codes import encode
from unveil.errors import AlignError
from unveil.io.code_meanings import Meaning
from unveil.models.neighbours.distances import Gower, GowerAxis, axes_of
from unveil.models.neighbours.search import find

PERSONS, COPY = 40, 400


def axes(columns):
    sides = [slice(0, PERSONS), slice(PERSONS, PERSONS + COPY)]
    return axes_of(
        encode(name, [pl.Series(values)[side] for side in sides])
        for name, values in columns.items()
    )


def brute(places, is_category, k):
    """The rows within the k-th smallest distance of each person, by double precision alone."""
    apart = np.zeros((PERSONS, COPY))
    for values, category in zip(places, is_category, strict=True):
        differences = np.abs(values[:PERSONS, None] - values[None, PERSONS:])
        apart += (differences > 0) if category else differences / np.ptp(values)
    kth = np.sort(apart, axis=1)[:, k - 1]
    return apart <= kth[:, None] + 1e-12


def mask(found):
    made = np.zeros((PERSONS, COPY), bool)
    made[found.row, found.other] = True
    return made


def columns_of(n_numbers, n_categories, seed, digits=None):
    rng = np.random.default_rng(seed)
    n = PERSONS + COPY
    numbers = [rng.normal(size=n) for _ in range(n_numbers)]
    if digits is not None:
        numbers = [np.round(values, digits) for values in numbers]
    return [*numbers, *(rng.integers(0, 3, n) for _ in range(n_categories))]


@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize(("n_numbers", "n_categories", "digits"), [(3, 2, 0), (20, 20, None)])
def test_leaving_a_column_out_is_searching_without_it(k, n_numbers, n_categories, digits):
    values = columns_of(n_numbers, n_categories, 1, digits)
    is_category = [False] * n_numbers + [True] * n_categories
    named = {
        f"c{i}": [str(v) for v in values[i]] if is_category[i] else values[i]
        for i in range(len(values))
    }
    persons, copy = np.arange(PERSONS), slice(PERSONS, PERSONS + COPY)
    without = [None, 0, n_numbers]
    for left_out, found in zip(
        without, find(axes(named), persons, copy, k=k, without=without), strict=True
    ):
        kept = [i for i in range(len(values)) if i != left_out]
        expected = brute([values[i] for i in kept], [is_category[i] for i in kept], k)
        assert (mask(found) == expected).all()
        assert (found.sum_by_row(~found.is_tied) < k).all()


def test_what_single_precision_takes_for_a_tie_is_none():
    # All but one record of the copy are 1e-9 of the range further away than that one.
    values = np.r_[np.full(PERSONS, 0.25), np.full(COPY, 0.5 + 1e-9)]
    values[PERSONS + 7] = 0.5
    values[-1] = 1.25
    (found,) = find(axes({"x": values}), np.arange(PERSONS), slice(PERSONS, PERSONS + COPY))
    assert (found.other == 7).all()
    assert len(found.other) == PERSONS


def test_sums_that_are_equal_but_for_their_last_digit_are_ties():
    # 0.1 + 0.2 and 0.15 + 0.15 of the range, in either order.
    one = [0.0] * PERSONS + [1.0] * COPY
    two = [0.0] * PERSONS + [1.0] * COPY
    for row, (a, b) in enumerate([(0.1, 0.2), (0.2, 0.1), (0.15, 0.15), (0.3, 0.0)]):
        one[PERSONS + row], two[PERSONS + row] = a, b
    (found,) = find(axes({"a": one, "b": two}), np.arange(PERSONS), slice(PERSONS, PERSONS + COPY))
    assert found.other[:4].tolist() == [0, 1, 2, 3]
    assert len(found.other) == 4 * PERSONS


def between(values, *, special_codes=(), categorical=()):
    """The distances of the first value to each of the others."""
    column = encode("v", [pl.Series(values)], special_codes=special_codes)
    n = len(values) - 1
    distance = Gower(axes_of([column], categorical), slice(0, n + 1))
    return distance.measure(np.zeros(n, np.int64), np.arange(1, n + 1)).tolist()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 5, 10, None], [0.5, 1, 1]),
        ([None, 5, None, 10], [1, 0, 1]),
        ([7, 7, None], [0, 1]),  # one number throughout has no range
        (["a", "a", "b", None], [0, 1, 1]),
        ([True, False, True], [1, 0]),
        ([-1e308, 1e308, 0.0], [1, 0.5]),
        ([date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 5)], [0.25, 1]),
        ([datetime(2020, 1, 1), datetime(2020, 1, 1, 12), datetime(2020, 1, 2)], [0.5, 1]),
        ([time(8), time(9), time(12)], [0.25, 1]),
        ([timedelta(1), timedelta(2), timedelta(5)], [0.25, 1]),
    ],
)
def test_how_far_values_of_a_column_lie_apart(values, expected):
    assert between(values) == pytest.approx(expected)


def test_special_codes_stand_apart_and_do_not_widen_the_range():
    assert between([0, 10, -99, 5], special_codes=(-99,)) == [1, 1, 0.5]
    assert between([-99, 10, -99, None, -88], special_codes=(-99, -88)) == [1, 0, 1, 1]


def test_numbers_named_as_categorical_are_alike_or_not():
    assert between([1, 2, 1, 100], categorical=("v",)) == [1, 0, 1]


def test_codes_that_all_have_a_label_are_categories():
    labels = {"1": Meaning("yes", "1"), "2": Meaning("no", "2")}
    assert not encode("v", [pl.Series([1, 2, None])], labels).is_scaled
    assert encode("v", [pl.Series([1, 2, 3])], labels).is_scaled
    assert not encode("v", [pl.Series([1, 2, 3])], labels, (3.0,)).is_scaled


def test_infinite_numbers_have_no_range():
    with pytest.raises(AlignError) as caught:
        between([1.0, float("inf")])
    assert str(caught.value) == (
        "Column 'v' holds infinite numbers, so it has no range. Recode them, or treat the column as"
        " categorical."
    )
    assert between([1.0, float("inf")], categorical=("v",)) == [1]


def test_an_axis_of_categories_has_no_places():
    assert not GowerAxis("v", np.zeros(1, np.uint8), 1).is_number

"""The mean and the spread of numbers are those of exact fractions, whatever their size."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unveil.count.centring import centre

LARGEST = sys.float_info.max
SMALLEST = Fraction(5e-324)
NUMBERS = st.lists(st.floats(-1, 1), min_size=2, max_size=30)


@example([0.0, 5e-324], 0.0, 1.0)
@given(NUMBERS, st.sampled_from([0.0, 1.0, 1e9, -1e12]), st.sampled_from([1.0, 1e-300, 1e290]))
def test_the_centre_is_exact(drawn, shift, scale):
    x = (np.array(drawn) + shift) * scale
    counts = np.arange(len(x)) % 3 + 1
    for found, held in ((centre(x), x), (centre(x, counts), np.repeat(x, counts))):
        exact = [Fraction(one) for one in held.tolist()]
        mean = sum(exact) / len(exact)
        unit = Fraction(found.unit)
        farthest = float(max(abs(one - mean) for one in exact) * unit)
        about = [float((Fraction(one) - mean) * unit) for one in x.tolist()]
        placed = Fraction(found.middle) + Fraction(found.rest)
        # Between two floats of the smallest kind lies no mean.
        assert abs(Fraction(found.mean) - placed / unit) <= max(abs(mean) / 2**52, SMALLEST)
        assert placed == pytest.approx(mean * unit, rel=1e-15, abs=1e-15 * farthest)
        assert found.deviations(x) == pytest.approx(about, rel=0, abs=4e-16 * farthest)
        squares = float(sum((one - mean) ** 2 for one in exact) * unit**2)
        assert found.squares == pytest.approx(squares, rel=1e-13)


def test_equal_numbers_have_no_spread_at_all():
    for one in (0.1, -1e-320, 0.0, LARGEST):
        found = centre(np.full(7, one))
        assert (found.mean, found.sd(ddof=1)) == (one, 0.0)
        assert not found.standardise(np.full(3, one)).any()
        assert found.is_zero is (one == 0)


def test_no_square_is_too_large_and_a_spread_that_no_float_holds_is_infinite():
    ends = np.array([-LARGEST, LARGEST])
    assert centre(ends).mean == 0
    assert centre(ends).sd(ddof=0) == pytest.approx(LARGEST)
    assert centre(ends).sd(ddof=1) == math.inf
    assert centre(ends).standardise(ends).tolist() == [-1.0, 1.0]
    least = np.array([0.0, 2**-1070])
    assert centre(least).sd(ddof=0) == 2**-1071

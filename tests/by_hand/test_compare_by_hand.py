"""A comparison that lets a difference pass would make every other test worthless."""

import math
from fractions import Fraction

import pytest

from oracles.compare import assert_agrees


def test_equal_figures_agree():
    expected = {"DiSCO": Fraction(50, 3), "n_cells": 8, "TCAP": None, "kind": "some"}
    assert_agrees(
        {"DiSCO": 50 / 3, "n_cells": 8, "TCAP": None, "kind": "some", "more": 1}, expected
    )


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        ({"DiSCO": 16.6666667}, {"DiSCO": Fraction(50, 3)}),
        ({"DiSCO": math.nan}, {"DiSCO": Fraction(50, 3)}),
        ({"DiSCO": math.nan}, {"DiSCO": None}),
        ({"DiSCO": 0.0}, {"DiSCO": None}),
        ({"DiSCO": None}, {"DiSCO": Fraction(0)}),
        ({"DiSCO": "0"}, {"DiSCO": Fraction(0)}),
        ({"kind": "all"}, {"kind": "some"}),
        ({}, {"DiSCO": Fraction(0)}),
        ({"DiSCO": False}, {"DiSCO": Fraction(0)}),
    ],
)
def test_different_figures_do_not_agree(measured, expected):
    with pytest.raises(AssertionError, match=r"DiSCO|kind"):
        assert_agrees(measured, expected)

import math

import pytest

from oracles.values import canonical


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0.0, -0.0), (None, math.nan), ("", None)])
def test_these_cells_are_the_same(one, other):
    assert canonical(one) == canonical(other)
    assert hash(canonical(one)) == hash(canonical(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "A"),
        ("a", "a "),
        (" ", ""),
        ("NA", None),
        ("Missing", None),
        ("nan", math.nan),
        ("1", "01"),
        (0, None),
        (False, 0),
        (True, 1),
        (2**53, 2**53 + 1),
        (2**53 + 1, 2.0**53),
        (-8, 8),
        (math.inf, -math.inf),
    ],
)
def test_these_cells_are_not_the_same(one, other):
    assert canonical(one) != canonical(other)


def test_digits_against_numbers_are_numbers():
    text = ["1", "1.0", "2.50", "0.1", "-8", "9007199254740993", "", None]
    numbers = [1, 1.0, 2.5, 0.1, -8.0, 2**53 + 1, math.nan, None]
    assert [canonical(t, as_number=True) for t in text] == [canonical(n) for n in numbers]


def test_digits_against_digits_are_text():
    assert len({canonical("1"), canonical("1.0"), canonical("01")}) == 3

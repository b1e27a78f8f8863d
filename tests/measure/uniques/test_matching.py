"""Pairs that match: all of them, each once, whole for each combination, in pieces of any size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.measure.uniques.frequencies import Combinations

MISSING = 2


@st.composite
def distinct_rows(draw):
    n_keys = draw(st.integers(1, 5))
    row = st.tuples(*[st.integers(0, MISSING)] * n_keys)
    return draw(st.lists(row, min_size=1, max_size=25, unique=True))


def combos(rows) -> Combinations:
    codes = np.array(rows, np.uint8).T
    missing = tuple(MISSING if (key == MISSING).any() else None for key in codes)
    return Combinations(tuple(codes), (MISSING + 1,) * len(codes), missing)


@examples(100)
@given(distinct_rows(), st.sampled_from([1, 2, 7, 1000]))
def test_every_match_once_and_all_of_one_together(rows, most):
    found, seen = [], set()
    for one, other in combos(rows).matches(most):
        assert not seen & set(one.tolist())
        seen |= set(one.tolist())
        found += zip(one.tolist(), other.tolist(), strict=True)
    wanted = {
        (i, j)
        for i, a in enumerate(rows)
        for j, b in enumerate(rows)
        if all(x == y or MISSING in (x, y) for x, y in zip(a, b, strict=True))
    }
    assert len(found) == len(wanted)
    assert set(found) == wanted


@pytest.mark.parametrize("most", [10, 1000])
def test_pieces_stay_about_as_small_as_asked(most):
    rng = np.random.default_rng(1)
    rows = np.unique(rng.integers(0, 3, (300, 6)), axis=0)
    made = combos([tuple(row) for row in rows])
    most_of_one = max(np.bincount(one).max() for one, _ in made.matches())
    assert all(len(one) <= max(most, most_of_one) * 3 for one, _ in made.matches(most))

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.count import packing
from unveil.count.packing import Sides
from unveil.errors import InternalError

numbers = st.lists(st.integers(0, 30), max_size=60)


@given(numbers, st.sampled_from((31, 10**9, 2**60)))
def test_numbering_keeps_order_and_equality_however_wide_the_range(given_numbers, space):
    ids, n = packing.number(np.array(given_numbers, np.int64), space)
    place = {value: i for i, value in enumerate(sorted(set(given_numbers)))}
    assert n == len(place)
    assert ids.tolist() == [place[value] for value in given_numbers]


def tallied(stacked, space, sides):
    pieces = list(packing.tally(lambda rows: stacked[rows], space, sides))
    if not pieces:
        return np.zeros(0, np.int64), np.zeros((len(sides.rows), 0), np.int32)
    return (np.concatenate(part, axis=-1) for part in zip(*pieces, strict=True))


@given(numbers, numbers, numbers, st.sampled_from((31, 2**59)))
def test_dense_and_sorted_tallies_are_the_plain_counts(a, b, c, space):
    stacked = np.array([*a, *b, *c], np.int64)
    sides = Sides((len(a), len(b), len(c)))
    occurs, counts = tallied(stacked, space, sides)
    expected = [Counter(side) for side in (a, b, c)]
    assert occurs.tolist() == sorted(set(stacked.tolist()))
    assert counts.tolist() == [[side[value] for value in occurs.tolist()] for side in expected]


@given(st.integers(1, 12), st.data())
def test_packing_tells_all_combinations_apart_in_their_order(n_columns, data):
    row = st.lists(st.integers(0, 2), min_size=n_columns, max_size=n_columns)
    rows = data.draw(st.lists(row, min_size=1, max_size=20))
    base = data.draw(st.sampled_from((3, 300, 10**6)))  # 10**6 overflows from the fourth column on
    columns = np.array(rows).T
    packed, space = packing.pack([(column, base) for column in columns], len(rows))
    assert space <= packing.PACKED
    assert packed.max() < space
    ordered = sorted(set(map(tuple, rows)))
    ids, n = packing.number(packed, space)
    assert n == len(ordered)
    assert ids.tolist() == [ordered.index(tuple(row)) for row in rows]


def test_forty_keys_of_three_hundred_levels_do_not_overflow():
    rng = np.random.default_rng(7)
    n = 2_000
    columns = rng.integers(0, 300, (40, n))
    columns[:, n // 2 :] = columns[:, : n // 2]  # each combination twice
    packed, space = packing.pack([(column, 300) for column in columns], n)
    ids, n_ids = packing.number(packed, space)
    assert 300**40 > 2**62 >= space
    assert n_ids == n // 2
    assert (ids[n // 2 :] == ids[: n // 2]).all()


def test_a_tally_that_could_overflow_is_a_fault_of_ours_not_a_wrong_number():
    with pytest.raises(InternalError, match="overflow"):
        list(packing.tally(lambda rows: np.zeros(1, np.int64), 2**62, Sides((1, 0))))


@pytest.mark.parametrize("space", [50, 2**50])
def test_the_size_of_the_pieces_changes_nothing(monkeypatch, space):
    rng = np.random.default_rng(1)
    stacked = rng.integers(0, 50, 1_000)
    sides = Sides((400, 350, 250))
    digits = [(stacked, 50), (stacked[::-1].copy(), 50)]
    whole = [packing.pack(digits, 1_000)[0], *tallied(stacked, space, sides)]
    monkeypatch.setattr(packing, "CHUNK", 7)
    pieces = [packing.pack(digits, 1_000)[0], *tallied(stacked, space, sides)]
    for one, other in zip(whole, pieces, strict=True):
        assert (one == other).all()

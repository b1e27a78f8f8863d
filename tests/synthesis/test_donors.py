import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.seeding import stream
from unveil.synthesis.cart import Donors, LeafSmoothing


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), min_size=1), st.integers(0, 9))
@examples(60)
def test_every_value_drawn_stands_in_its_own_leaf(rows, seed):
    leaves = np.array([leaf for leaf, _ in rows], dtype=np.int32)
    values = np.array([value for _, value in rows])
    donors = Donors.of(values, leaves, 5)
    drawn = donors.values[donors.places(np.repeat(leaves, 5), stream(seed))]
    for leaf, value in zip(np.repeat(leaves, 5), drawn, strict=True):
        assert (int(leaf), int(value)) in rows


def test_the_width_of_the_kernel_is_silvermans():
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    donors = Donors.of(values, np.zeros(8, dtype=np.int32), 1)
    # Quartiles by order: the third and the seventh value.
    expected = 0.9 * min(values.std(ddof=1), (7 - 3) / 1.34) * 8 ** (-0.2)
    assert LeafSmoothing.of(donors).width[0] == pytest.approx(expected, rel=1e-12)


def test_a_leaf_of_equal_values_is_not_smoothed():
    values = np.array([4.0, 4.0, 4.0, 1.0, 9.0])
    leaves = np.array([0, 0, 0, 1, 1], dtype=np.int32)
    smoothing = LeafSmoothing.of(Donors.of(values, leaves, 2))
    assert smoothing.width[0] == 0
    drawn = smoothing.around(np.full(50, 4.0), np.zeros(50, dtype=np.int32), stream(1))
    assert set(drawn.tolist()) == {4.0}


def test_a_kernel_at_the_edge_is_cut_off_there_and_not_piled_up():
    values = np.linspace(0, 1, 400) ** 3 + 0.123456789
    everyone = np.zeros(400, dtype=np.int32)
    smoothing = LeafSmoothing.of(Donors.of(values, everyone, 1))
    drawn = smoothing.around(np.repeat(values[:1], 4_000), np.zeros(4_000, np.int32), stream(2))
    assert drawn.min() >= values.min()
    assert (drawn == values.min()).mean() < 0.01

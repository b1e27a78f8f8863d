"""Windows, sums and pairs: exact at the edge of a radius, whatever the offset of the numbers."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import gtcap as oracle
from profiles import examples
from unveil.count.codes import encode
from unveil.errors import AlignError
from unveil.measure.cap.gtcap import gtcap
from unveil.models.neighbours.radius import Buckets, axis_of, columns_of, sum_near, sweep, sweep_all


def axis(values, radius, special_codes=()):
    return axis_of(encode("x", [pl.Series(values, dtype=None)]), radius, special_codes)


def together(n):
    return Buckets(np.zeros(n, np.int32), 1)


def sums(values, radius):
    """Of all values, for each: how many are near, and the sum of their proximities."""
    made, everyone = axis(values, radius), np.arange(len(values))
    (near,) = sum_near(made, together(len(values)), [slice(0, len(values))], everyone)
    return near


def exact(values, radius):
    """The same in fractions."""
    r = Fraction(radius)
    found = []
    for a in values:
        near = [1 - abs(Fraction(a) - Fraction(b)) / r for b in values]
        found.append(sum(p for p in near if p > 0))
    return found


def assert_exact(values, radius):
    near = sums(values, radius)
    for ours, theirs in zip(near.weight.tolist(), exact(values, radius), strict=True):
        assert abs(Fraction(ours) - theirs) <= Fraction(1, 10**12) * theirs


OFFSETS = st.sampled_from([0.0, -3.5, 1e6, 1e9, -1e9])


@examples(60)
@given(
    st.lists(st.integers(0, 40_000).map(lambda n: n / 1024), min_size=1, max_size=30),
    OFFSETS,
    st.sampled_from([0.3, 1.0, 2.5, 7.0, 1e-3, 1e5]),
)
def test_sums_keep_twelve_digits_whatever_the_offset(values, offset, radius):
    assert_exact([offset + value for value in values], radius)


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_one_neighbour_at_the_edge_among_many_beyond_it(offset):
    # The weight of 0.000001 is what remains of running sums over thousands of records.
    crowd = np.random.default_rng(1).uniform(6, 900, 5_000)
    values = offset + np.concatenate([[0.0, 4.999995], crowd])
    near = sums(values, 5.0)
    assert near.n[0] == 2
    distance = Fraction(values[1]) - Fraction(values[0])
    expected = 2 - distance / 5
    assert abs(Fraction(near.weight[0]) - expected) <= Fraction(1, 10**15)


def test_scores_at_the_edge_of_the_radius_are_those_of_pairs_written_out(monkeypatch):
    monkeypatch.setattr(oracle, "written", Fraction)  # what the floats are, not what they stand for
    rng = np.random.default_rng(5)
    steps = np.array([0, 1e-9, 1e-6, 1e-3, 0.4, 0.5 - 1e-6, 0.5, 0.5 + 1e-6, 0.7])
    rows = {
        side: [
            ("m", 1e9 + float(rng.choice(steps)) + float(rng.integers(0, 9)) / 2, "pq"[n % 2])
            for n in range(60)
        ]
        for side in ("original", "synthetic")
    }
    frames = [
        pl.DataFrame(rows[side], schema=["sex", "x", "t"], orient="row")
        for side in ("original", "synthetic")
    ]
    result = gtcap(*frames, keys=["sex", "x"], target="t", radii={"x": 0.5}, unique_rule="equal")
    expected = oracle.gtcap(*rows.values(), oracle.Roles([0, 1], [2], {1: 0.5}), "equal")
    assert result.unique.tolist() == expected["unique"]
    assert result.n_unique > 10
    for ours, theirs in zip(result.frame().iter_rows(), expected["rows"], strict=True):
        assert ours[:4] == pytest.approx(theirs[:4], rel=1e-9, abs=1e-9)


def test_the_order_of_records_does_not_change_a_single_bit():
    rng = np.random.default_rng(2)
    values = rng.normal(1e5, 30, 400)
    mixed = rng.permutation(400)
    assert (sums(values, 3.3).weight[mixed] == sums(values[mixed], 3.3).weight).all()


@examples(60)
@given(
    st.lists(st.integers(-60, 60).map(lambda n: n / 10), min_size=1, max_size=25),
    st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 12.0]),
)
def test_near_is_what_the_decimals_say(values, radius):
    made = axis(values, radius)
    near = [
        [oracle.proximity(a, b, radius) > 0 for b in sorted(set(values))]
        for a in sorted(set(values))
    ]
    levels = np.arange(made.n_levels)
    ours = (levels >= made.first[:, None]) & (levels < made.past[:, None])
    assert ours.tolist() == near


def test_a_distance_that_is_the_radius_but_for_the_last_digits_is_the_radius():
    for last_digits in (0, 1e-15):
        assert sums([0.0, 5.0 - last_digits], 5.0).n.tolist() == [1, 1]
    near = sums([0.0, 5.0 - 1e-14], 5.0)
    assert near.n.tolist() == [2, 2]
    assert near.weight[0] > 1
    assert sums([1e9, 1e9 + 1e-7], 1e-7).n.tolist() == [1, 1]  # below what floats can tell there


def test_levels_that_are_no_numbers_are_near_themselves_alone():
    values = [1.0, None, -8.0, 2.0, float("inf"), None, float("-inf"), -8.0]
    made = axis(values, 100.0, special_codes=[-8])
    (near,) = sum_near(made, together(8), [slice(0, 8)], np.arange(8))
    assert near.n.tolist() == [2, 2, 2, 2, 1, 2, 1, 2]
    assert near.weight[[1, 2, 4, 6]].tolist() == [2, 2, 1, 1]
    for distance in np.diff(np.sort(made.values[made.n_numbers :])):
        assert distance >= 100


def test_whole_numbers_beyond_floats_are_compared_exactly():
    far = 2**60
    assert sums([far, far + 1, far + 3], 2).weight.tolist() == [1.5, 1.5, 1]


@pytest.mark.parametrize("values", [[-(2**60), 2**60], [0.0, 1e250]])
def test_numbers_too_far_apart_are_refused(values):
    with pytest.raises(AlignError) as refusal:
        axis(values, 1.0)
    assert str(refusal.value).startswith(
        "Column 'x' has numbers too large, or too far apart, to be compared by a radius."
    )


@examples(30)
@given(st.data(), st.integers(1, 60), st.integers(1, 9))
def test_blocks_hold_every_pair_once(data, n, size):
    values = data.draw(st.lists(st.integers(0, 20), min_size=n, max_size=n))
    buckets = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    made = axis(values, 3)
    swept = sweep(made, Buckets(np.array(buckets, np.int32), 3), slice(0, n), np.arange(n))
    pairs = []
    for block in swept.blocks(size):
        assert len(block.data) == block.lengths.sum() <= size
        own = np.repeat(swept.asked[block.asked], block.lengths)
        pairs += zip(own.tolist(), swept.data[block.data].tolist(), strict=True)
    expected = [
        (i, j)
        for i in range(n)
        for j in range(n)
        if abs(values[i] - values[j]) < 3 and buckets[i] == buckets[j]
    ]
    assert sorted(pairs) == expected
    assert swept.n_pairs == len(expected)


def test_cells_leave_no_near_pair_out_and_spare_the_others():
    rng = np.random.default_rng(3)
    n = 1_000
    axes = [axis(rng.uniform(0, 100, n), 2.0), axis(rng.uniform(0, 100, n), 3.0)]
    swept = sweep_all(axes, together(n), slice(0, n), np.arange(n))
    assert swept.n_cells == 1  # windows of 40 are short
    n = 20_000
    axes = [axis(rng.uniform(0, 100, n), 2.0), axis(rng.uniform(0, 100, n), 3.0)]
    asked = np.arange(0, n, 100)
    swept = sweep_all(axes, together(n), slice(0, n), asked)
    assert swept.n_cells == 3
    found = np.zeros(len(swept.asked))
    on_axes = [swept.on(a) for a in axes]
    for block in swept.blocks():
        near = on_axes[0].is_near(block) & on_axes[1].is_near(block)
        found[block.asked] += block.sums(near.astype(float))
    own = [a.values[a.codes] for a in axes]
    expected = [
        ((np.abs(own[0] - own[0][i]) < 2) & (np.abs(own[1] - own[1][i]) < 3)).sum() for i in asked
    ]
    assert swept.sum_by_record(found).tolist() == expected
    assert swept.n_pairs < 0.15 * sweep(axes[0], together(n), slice(0, n), asked).n_pairs


def test_folding_leaves_fewer_axes():
    values = {"x": [1.0, None, 3.0], "y": [1.0, 2.0, 3.0], "z": [1.0, 1.5, 9.0]}
    axes = [
        axis_of(encode(name, [pl.Series(given)]), radius)
        for (name, given), radius in zip(values.items(), (5.0, 1.0, 2.0), strict=True)
    ]
    folded = columns_of(3, [], axes).fold()
    # On y nobody is near another: it parts records, as the missing x does.
    assert [axis.name for axis in folded.axes] == ["x", "z"]
    assert folded.buckets.n == 3


@pytest.mark.parametrize("radius", [1e-100, 1e100])
def test_numbers_and_radii_of_any_size_that_is_taken(radius):
    rows = [("m", value, str(place % 2)) for place, value in enumerate([-1e99, 0.0, 1e-99, 1e99])]
    frame = pl.DataFrame([*rows, ("m", None, "0")], schema=["sex", "x", "t"], orient="row")
    for kind in ("mean", "product"):
        radii = {"x": radius, "y": 1.0}
        result = gtcap(
            *[frame.with_columns(y=pl.lit(0.5))] * 2,
            keys=["sex", "x", "y"],
            target="t",
            radii=radii,
            coefficient=kind,
            unique_rule="equal",
        )
        assert all(row.original == row.synthetic for row in result.rows)
        assert result.n_unique == 5

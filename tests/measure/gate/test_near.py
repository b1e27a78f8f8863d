"""Are near-copies those of all pairs of distances, and is the yardstick that of other people?"""

from random import Random

import numpy as np
import pytest

from measure.gate.test_links import columns
from oracles import gate
from unveil.measure.gate.near_copies import RATIOS, choose_alone, choose_numbers, find_near_copies


def people(rng: Random, n: int = 60) -> list[gate.Row]:
    """Ties, skew, and numbers that go together; some are missing."""
    pays = [round(rng.lognormvariate(8, 1), 2) for _ in range(n)]
    missing = [pay if rng.random() < 0.9 else None for pay in pays]
    return [(rng.randrange(18, 80), missing[k], round(pays[k] * rng.random())) for k in range(n)]


def jittered(rng: Random, file: list[gate.Row], size: float) -> list[gate.Row]:
    return [tuple(c and c * rng.uniform(1 - size, 1 + size) for c in row) for row in file]


def found(original, synthetic) -> list[tuple[float, float]]:
    coded = choose_numbers(columns([f"c{k}" for k in range(len(original[0]))], original, synthetic))
    return [(one.share, one.expected) for one in find_near_copies(coded, [1], 1)]


@pytest.mark.parametrize("seed", range(6))
def test_numbers_in_other_units_are_compared_by_their_ranks_within_each_file(seed):
    rng = Random(seed)
    original = people(rng)
    synthetic = [
        (a + 3, b and 1.2 * b + 7, 30 - 2 * c) for a, b, c in jittered(rng, original, 0.001)
    ]
    # The third number is turned round, so nothing is near in all; without it everyone is.
    for width, least in ((3, 0.0), (2, 0.5)):
        files = [[row[:width] for row in file] for file in (original, synthetic)]
        points = [
            [
                tuple(float(gate.rank(*p)) for p in zip(zip(*file, strict=True), row, strict=True))
                for row in file
            ]
            for file in files
        ]
        shares = [share for share, _ in found(*files)][len(RATIOS) :]
        assert shares == pytest.approx([gate.near_share(*points, ratio) for ratio in RATIOS])
        assert shares[-1] >= least


@pytest.mark.parametrize("seed", range(12))
def test_shares_are_those_of_all_pairs_of_distances(seed):
    rng = Random(seed)
    original = [*people(rng), *people(rng, 2) * 2]  # two people have a twin
    synthetic = [*jittered(rng, rng.sample(original, 30), 0.02), *people(rng, rng.randrange(40))]
    synthetic.append(original[-1])  # a record on a person who has a twin is not nearer
    held = list(zip(*original, strict=True))
    points = [
        [tuple(float(gate.rank(*pair)) for pair in zip(held, row, strict=True)) for row in file]
        for file in (original, synthetic)
    ]
    shares = [share for share, _ in found(original, synthetic)][: len(RATIOS)]
    assert shares == pytest.approx([gate.near_share(*points, ratio) for ratio in RATIOS])
    assert shares[-1] > 0


def test_near_by_hand():
    """10 and 20 have a record at 0.04 and 0.15 of the way to the next person, 40 and 60 at 0."""
    original = [(10 * k, 10 * k) for k in range(1, 31)]
    synthetic = [(10.4, 10.4), (21.5, 21.5), (35, 35), (40, 40), (60, 60)]
    assert [share for share, _ in found(original, synthetic)][:3] == [2 / 30, 3 / 30, 4 / 30]


def test_the_four_finest_numbers_count_and_one_alone_says_nothing():
    original = [tuple(row % k for k in (10, 22, 30, 25, 40, 23, 60)) for row in range(60)]
    coded = columns([f"c{k}" for k in range(7)], original, original)
    assert [one.name for one in choose_numbers(coded)] == ["c6", "c4", "c2", "c3"]
    assert choose_numbers(coded[:2]) == []


@pytest.mark.slow
@pytest.mark.parametrize("n_records", [60, 240, 900])
def test_other_people_are_as_near_as_the_yardstick_says(n_records):
    """The more records, the nearer the nearest; within two points, a fifth of what is reviewed."""
    rng = Random(n_records)
    files = [(people(rng, 300), people(rng, n_records)) for _ in range(25)]
    gains = np.array([found(*pair) for pair in files]) @ [1, -1]
    assert np.abs(gains.mean(axis=0)).max() < 0.02


def test_a_trace_of_noise_is_far_beyond_the_yardstick_in_any_unit_and_order():
    rng = Random(0)
    original = people(rng, 200)
    synthetic = jittered(rng, original, 1e-5)
    shares, expected = zip(*found(original, synthetic), strict=True)
    assert min(shares) > 0.5
    assert max(expected) < 0.2
    units = [[tuple(c and 1000 * c for c in row) for row in file] for file in (original, synthetic)]
    assert found(*units) == found(original, synthetic[::-1]) == found(original, synthetic)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("size", [200, 1000, 4000])
def test_of_one_number_drawn_anew_the_expected_share_is_near(seed, size):
    """A hair of noise stands out; a number drawn anew does not, however many records there are."""
    rng = Random(seed)
    original = [(rng.lognormvariate(8, 1), "a") for _ in range(500)]
    fresh = [(rng.lognormvariate(8, 1), "a") for _ in range(size)]
    hair = [(pay * rng.uniform(1 - 1e-6, 1 + 1e-6), "a") for pay, _ in original]
    shares = []
    for synthetic in (fresh, hair):
        coded = choose_alone(columns(["pay", "x"], original, synthetic))
        shares.append([(one.share, one.expected) for one in find_near_copies(coded, [1], 1)])
    assert all(abs(share - expected) < 0.1 for share, expected in shares[0])
    assert shares[1][0][0] > 0.9
    assert shares[1][0][1] < 0.1

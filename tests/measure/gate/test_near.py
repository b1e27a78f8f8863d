"""Are near-copies those of all pairs of distances, and is the yardstick that of other people?"""

from random import Random

import numpy as np
import pytest

from measure.gate.test_links import columns
from oracles import gate
from unveil.measure.gate.near import RATIOS, near_copies, numbers_of

NAMES = ["age", "pay", "rent"]


def people(rng: Random, n: int = 60) -> list[gate.Row]:
    """Ties, skew, and numbers that go together; some are missing."""
    found = []
    for _ in range(n):
        age, pay = rng.randrange(18, 80), round(rng.lognormvariate(8, 1), 2)
        found.append((age, pay if rng.random() < 0.9 else None, round(pay * rng.random())))
    return found


def jittered(rng: Random, file: list[gate.Row], size: float) -> list[gate.Row]:
    return [tuple(c and c * rng.uniform(1 - size, 1 + size) for c in row) for row in file]


def found(original, *synthetic) -> list[tuple[float, float]]:
    coded = numbers_of(columns(NAMES, original, *synthetic))
    near = near_copies(coded, range(1, len(synthetic) + 1), 1)
    return [(one.share, one.expected) for one in near]


@pytest.mark.parametrize("seed", range(12))
def test_shares_are_those_of_all_pairs_of_distances(seed):
    rng = Random(seed)
    original = [*people(rng), *people(rng, 2) * 2]  # two people have a twin
    synthetic = [*jittered(rng, rng.sample(original, 30), 0.02), *people(rng, rng.randrange(40))]
    points = [
        [
            tuple(
                float(gate.rank([other[place] for other in original], row[place]))
                for place in range(len(NAMES))
            )
            for row in file
        ]
        for file in (original, synthetic)
    ]
    shares = [share for share, _ in found(original, synthetic)]
    assert shares == pytest.approx([float(gate.near_share(*points, ratio)) for ratio in RATIOS])
    assert shares[-1] > 0


def test_a_record_near_by_hand():
    """10 and 20 have a record at 0.04 and 0.15 of the way to the next person, 40 and 60 at 0."""
    original = [(10 * k, 10 * k) for k in range(1, 31)]
    synthetic = [(10.4, 10.4), (21.5, 21.5), (35, 35), (40, 40), (60, 60)]
    coded = numbers_of(columns(["a", "b"], original, synthetic))
    shares = [one.share for one in near_copies(coded, [1], 1)]
    assert shares == [2 / 30, 3 / 30, 4 / 30]


def test_fewer_than_two_fine_numbers_say_nothing_and_the_four_finest_count():
    names = [f"c{k}" for k in range(7)]
    levels = [10, 22, 30, 25, 40, 23, 60]
    original = [tuple(row % k for k in levels) for row in range(60)]
    coded = columns(names, original, original)
    assert [one.name for one in numbers_of(coded)] == ["c6", "c4", "c2", "c3"]
    assert numbers_of(coded[:2]) == []


@pytest.mark.parametrize("n_records", [60, 240, 900])
def test_other_people_are_as_near_as_the_yardstick_says(n_records):
    """The more records, the nearer the nearest: in files of any size the difference is nought."""
    rng = Random(n_records)
    gains = []
    for _ in range(25):
        original, synthetic = people(rng, 300), people(rng, n_records)
        gains.append([share - expected for share, expected in found(original, synthetic)])
    errors = np.std(gains, axis=0, ddof=1) / np.sqrt(len(gains))
    assert (np.abs(np.mean(gains, axis=0)) <= 3 * errors).all()


def test_a_trace_of_noise_is_far_beyond_the_yardstick_in_any_unit():
    rng = Random(0)
    original = people(rng, 200)
    synthetic = jittered(rng, original, 1e-5)
    shares, expected = zip(*found(original, synthetic), strict=True)
    assert min(shares) > 0.5
    assert max(expected) < 0.2
    turned = [
        [tuple(c and 1000 * c + 7 for c in row) for row in file] for file in (original, synthetic)
    ]
    assert found(*turned)[1:] == found(original, synthetic)[1:]
    assert found(original, synthetic[::-1]) == found(original, synthetic)


def test_pooled_files_are_nearer_than_each():
    rng = Random(2)
    original, one, other = people(rng), people(rng), people(rng)
    pooled = found(original, one, other)
    for single in (one, other):
        assert all(p[0] >= s[0] for p, s in zip(pooled, found(original, single), strict=True))

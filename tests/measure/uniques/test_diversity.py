"""Three readings of l-diversity by hand, and in many pieces."""

import numpy as np
import polars as pl
import pytest

from unveil.measure.uniques import frequencies
from unveil.measure.uniques.frequencies import diversities
from unveil.measure.uniques.match_risk import match_risk


def of_one(counts: list[int], c: float = 2.0) -> tuple[float, float, float]:
    n = np.array(counts, float)
    made = diversities(np.zeros(len(n), np.int64), n, 1, c)
    return float(made.distinct[0]), float(made.entropy[0]), float(made.recursive[0])


@pytest.mark.parametrize(
    ("counts", "distinct", "recursive"),
    [
        ([4], 1, 1),  # 4 < 2 * 4
        ([4, 1], 2, 1),  # 4 < 2 * 5, but not below 2 * 1
        ([4, 3], 2, 2),  # 4 < 2 * 3
        ([1, 3, 4], 3, 2),  # 4 < 2 * (3 + 1), but not below 2 * 1
        ([2, 2, 2], 3, 3),
    ],
)
def test_distinct_and_recursive_by_hand(counts, distinct, recursive):
    assert of_one(counts)[0::2] == (distinct, recursive)


def test_a_small_c_may_leave_no_l_at_all():
    assert of_one([4, 1], c=0.5)[2] == 0
    assert of_one([4, 1], c=1.0)[2] == 1


def test_entropy_by_hand():
    assert of_one([3, 3, 3, 3])[1] == pytest.approx(4)
    assert of_one([7])[1] == 1
    # Shares 1/2, 1/4, 1/4: entropy 1.5 bits.
    assert of_one([2, 1, 1])[1] == pytest.approx(2**1.5)


def test_counting_in_pieces_changes_nothing(monkeypatch):
    rng = np.random.default_rng(4)
    data = pl.DataFrame(
        {
            f"k{key}": [None if rng.random() < 0.2 else int(rng.integers(3)) for _ in range(200)]
            for key in range(4)
        }
    ).with_columns(s=pl.Series(rng.integers(0, 5, 200)))
    keys = ["k0", "k1", "k2", "k3"]
    once = match_risk(data, keys=keys, sensitive="s").frame()
    monkeypatch.setattr(frequencies, "MOST_PAIRS", 1)
    assert match_risk(data, keys=keys, sensitive="s").frame().equals(once)

"""DIS by hand, at its edges, and in the form in which U does not cancel."""

import numpy as np
import pytest

from unveil.measure.uniques.suda_scores import dis_file, dis_records


def test_the_file_by_hand():
    # 10 alone, 4 in pairs, one in five sampled: 2 / (2 + 3.2).
    assert dis_file(10, 4, 0.2) == pytest.approx(2 / 5.2)


@pytest.mark.parametrize(
    ("alone", "paired", "fraction", "dis"),
    [(0, 0, 0.1, None), (0, 4, 0.1, 0.0), (3, 0, 0.1, 1.0), (3, 4, 1.0, 1.0), (0, 4, 1.0, 0.0)],
)
def test_the_file_at_its_edges(alone, paired, fraction, dis):
    assert dis_file(alone, paired, fraction) == dis


def test_the_records_by_hand():
    # Four keys: Q = 1.2. Scores 1 and 6: A = 1 + 6 ** -1.2.
    A = 1 + 6**-1.2
    expected = [1 / (1 + 2 * 0.9 / (0.1 * score**1.2 * A)) for score in (1, 6)]
    assert dis_records(np.array([1.0, 6.0]), 4, 2, 0.1).tolist() == pytest.approx(expected)


def test_the_unit_of_the_scores_does_not_matter():
    scores = np.array([1.0, 2.0, 30.0])
    once = dis_records(scores, 6, 10, 0.05)
    assert dis_records(scores * 1e150, 6, 10, 0.05) == pytest.approx(once)


def test_without_pairs_or_with_the_whole_population_a_match_is_right():
    scores = np.array([1.0, 5.0])
    assert dis_records(scores, 3, 0, 0.1).tolist() == [1.0, 1.0]
    assert dis_records(scores, 3, 8, 1.0).tolist() == [1.0, 1.0]


def test_with_up_to_27_keys_dis_rises_with_the_score_and_beyond_there_is_none():
    scores = np.array([1.0, 2.0, 600.0, 1e20])
    for n_keys in range(1, 28):
        assert (np.diff(dis_records(scores, n_keys, 10, 0.05)) > 0).all()
    for n_keys in (28, 29, 60, 100):
        assert dis_records(scores, n_keys, 10, 0.05) is None


def test_nobody_with_a_score():
    assert dis_records(np.zeros(0), 3, 8, 0.1).tolist() == []

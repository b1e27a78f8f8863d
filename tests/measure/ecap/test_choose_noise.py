"""The least noise that is enough, its curve, and how far it can be relied on."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil.view.ecap  # noqa: F401  (teaches the record to show itself)
from profiles import examples
from unveil.errors import SettingsError
from unveil.measure.ecap.choose_noise import choose_noise, round_up
from unveil.measure.ecap.ecap import ecap
from unveil.view.charts.lines import ecap_curve

HEIGHTS = {"population": "normal(170, 12)", "N": 1500, "n": 25}
AGES = {"population": "normal(34, 8)", "N": 60_000, "n": 600}


@pytest.mark.slow
@examples(8)
@given(
    st.lists(st.floats(135, 205), min_size=1, max_size=12),
    st.sampled_from(["normal", "laplace", "uniform"]),
    st.floats(0.05, 0.5),
)
def test_it_is_enough_and_a_little_less_is_not(values, noise, threshold):
    sigma = choose_noise(values, **HEIGHTS, threshold=threshold, noise=noise).sigma
    assert ecap(values, **HEIGHTS, sigma=sigma, noise=noise).worst <= threshold
    assert ecap(values, **HEIGHTS, sigma=0.999 * sigma, noise=noise).worst > threshold


@pytest.mark.slow
def test_figure_5_is_met_at_the_noise_of_the_reference():
    for threshold, sigma in ((0.2, 0.06213), (0.1, 0.12568)):
        found = choose_noise([178], **HEIGHTS, threshold=threshold).sigma
        assert found == pytest.approx(sigma, abs=5e-6)


@pytest.mark.slow
def test_the_curve_falls_and_its_quotients_are_those_of_its_points():
    result = choose_noise([178, 200], **HEIGHTS)
    rows = result.curve
    assert (rows[0]["sigma"], rows[0]["ecap"], rows[0]["quotient"]) == (0.0, 1.0, None)
    for before, row in pairwise(rows):
        assert row["ecap"] <= before["ecap"]
        slope = (row["ecap"] - before["ecap"]) / (row["sigma"] - before["sigma"])
        assert row["quotient"] == pytest.approx(slope)
        worst = ecap([178, 200], **HEIGHTS, sigma=row["sigma"]).worst
        assert row["ecap"] == pytest.approx(worst, abs=1e-12)
    assert result.frame().height == len(rows)


@pytest.mark.slow
def test_fewer_people_and_a_narrower_population_need_more_noise():
    rows = choose_noise([178], **HEIGHTS).sensitivity
    assert [(row["what"], row["factor"]) for row in rows] == [
        (what, factor) for what in ("N", "spread") for factor in (0.25, 0.5, 2.0, 4.0)
    ]
    for row in rows:
        if row["sigma"] is not None:
            other = {"population": row["population"], "N": row["N"], "n": 25}
            assert choose_noise([178], **other).sigma == pytest.approx(row["sigma"], rel=1e-6)
    sigmas = [row["sigma"] for row in rows[1:4]]
    assert sigmas == sorted(sigmas, reverse=True)
    assert rows[4]["population"] == "normal(170, 3)"


def test_a_population_that_cannot_be_has_a_reason_for_its_empty_place():
    rows = choose_noise([178], population="normal(170, 12)", N=60, n=20, threshold=0.4).sensitivity
    assert rows[0]["sigma"] is None
    assert rows[0]["reason"] == "the population would be smaller than the sample"
    assert rows[1]["reason"].startswith("no noise goes below 0.49")


@pytest.mark.slow
def test_tail_values_are_named_by_place_and_the_coding_that_spares_them_is_enough():
    values = [*np.linspace(20, 50, 200), 63.0, 64.0, 63.0]
    result = choose_noise(values, **AGES)
    record = result.record
    assert (record.n_tail, record.tail_places) == (3, (200, 201, 202))
    assert record.sigma_without_tail < result.sigma / 10
    (warning,) = result.warnings
    assert warning.startswith("3 of 203 values lie so far out that a noise of ")
    assert "Top-code at 50 and" not in warning
    assert record.bottom_code is None
    coded = np.minimum(values, record.top_code)
    assert choose_noise(coded, **AGES).sigma <= record.sigma_without_tail * (1 + 1e-6)


def test_whole_numbers_that_many_share_need_no_noise():
    result = choose_noise([30, 34, 40], **AGES, discrete=True)
    assert (result.sigma, result.sigma_to_use) == (0.0, 0.0)
    assert result.curve[0]["ecap"] <= 0.1


def test_whole_numbers_in_the_tail_need_noise_that_survives_rounding():
    result = choose_noise([34, 64], **AGES, discrete=True)
    assert ecap([34, 64], **AGES, discrete=True, sigma=result.sigma).worst <= 0.1
    assert ecap([34, 64], **AGES, discrete=True, sigma=0.99 * result.sigma).worst > 0.1
    assert result.record.top_code == 61


def test_a_threshold_at_or_below_the_limit_cannot_be_attained():
    limit = ecap([178], **HEIGHTS, sigma=1).limit
    for threshold in (limit, 0.01):
        result = choose_noise([178], **HEIGHTS, threshold=threshold)
        assert result.sigma is None
        assert result.curve == []
    assert result.warnings == (
        "A threshold of 0.01 cannot be attained by any noise: whatever is released, anybody of the"
        " population was sampled with probability 0.01653. Give a threshold above that.",
    )
    assert "none is enough" in repr(result)


@pytest.mark.slow
def test_missing_values_do_not_count():
    with_them = choose_noise([178, None, 200], **HEIGHTS)
    assert with_them.sigma == choose_noise([178, 200], **HEIGHTS).sigma
    assert with_them.record.n_missing == 1


@given(st.floats(1e-8, 1e6))
def test_what_is_used_is_1_2_or_5_of_its_power_and_not_less(sigma):
    used = round_up(sigma)
    assert sigma <= used < 2.5 * sigma * (1 + 1e-9)
    assert f"{used:e}".split("e")[0] in ("1.000000", "2.000000", "5.000000")
    assert round_up(used) == used


@pytest.mark.slow
def test_the_picture_says_that_it_is_confidential_and_is_the_same_each_time():
    record = choose_noise([178, 200], **HEIGHTS).record
    picture = ecap_curve(record).svg()
    assert picture == ecap_curve(record).svg()
    assert "ECAP values must not be published" in picture
    assert "<script" not in picture


def test_the_notebook_view_has_sentence_curve_and_sensitivity():
    shown = choose_noise([178], **HEIGHTS)._repr_html_()
    for text in ("would be correct with probability at most", "quotient", "4 times"):
        assert text in shown


def test_a_threshold_that_means_nothing_is_refused():
    with pytest.raises(
        SettingsError,
        match=r"The threshold is 0\. It must be a number between 0 and 1, the highest ECAP",
    ):
        choose_noise([178], **HEIGHTS, threshold=0)

"""Columns side by side on files small enough to do by hand, and the laws they obey."""

from datetime import date
from math import sqrt

import numpy as np
import polars as pl
import pytest

from unveil.examples import labelled_survey, survey, survey_synthetic
from unveil.measure.utility.compare import compare
from unveil.measure.utility.distributions import bin_edges

ORIGINAL = pl.DataFrame(
    {"sex": ["f", "f", "m", None], "age": [20, 30, 30, 40], "pay": [1.0, -8.0, 3.0, None]}
)
COPY = pl.DataFrame(
    {"sex": ["f", "m", "m", "x"], "age": [20, 20, 30, 41], "pay": [1.0, 3.0, -8.0, -8.0]}
)


def row_of(result, column, copy=1):
    return next(row for row in result.rows if row.column == column and row.copy == copy)


def related(result, a, b, measure):
    return next(
        row
        for row in result.record.associations
        if {row.a, row.b} == {a, b} and row.measure == measure
    )


def test_distances_by_hand():
    result = compare(ORIGINAL, COPY, special_codes={"pay": [-8]})
    sex = row_of(result, "sex")
    # f 1/2 and 1/4, m 1/4 and 1/2, x 0 and 1/4, missing 1/4 and 0.
    assert sex.total_variation == pytest.approx(0.5)
    gap = 2 * (sqrt(1 / 2) - sqrt(1 / 4)) ** 2 + 2 / 4
    assert sex.hellinger == pytest.approx(sqrt(gap / 2))
    assert (sex.wasserstein, sex.wasserstein_sd) == (None, None)
    assert sex.missing_difference == -25.0
    age = row_of(result, "age")
    # In order: 20-20, 20-30, 30-30, 40-41.
    assert age.wasserstein == pytest.approx(11 / 4)
    assert age.wasserstein_sd == pytest.approx(11 / 4 / sqrt(200 / 3))
    pay = row_of(result, "pay")
    assert pay.wasserstein == 0.0  # 1 and 3 on both sides: -8 is no number
    assert pay.missing_difference == 0.0
    assert pay.total_variation == pytest.approx(1 / 4)  # one missing against one more -8


def test_levels_are_counted_with_percentages_and_codes_stand_apart():
    record = compare(ORIGINAL, COPY, special_codes={"pay": [-8]}).record
    sex = record.distribution_of("sex")
    assert [(one.level, one.kind, one.n_original, one.n_synthetic) for one in sex.levels] == [
        ("f", "level", 2, (1,)),
        ("m", "level", 1, (2,)),
        ("x", "level", 0, (1,)),
        (None, "missing", 1, (0,)),
    ]
    assert [one.percent_original for one in sex.levels] == [50.0, 25.0, 0.0, 25.0]
    pay = record.distribution_of("pay")
    assert [(one.level, one.kind, one.n_original) for one in pay.levels] == [
        ("-8", "special", 1),
        (None, "missing", 1),
    ]
    assert (pay.mean_original, pay.mean_synthetic) == (2.0, (2.0,))


def test_whole_numbers_get_a_bin_each_and_both_sides_share_them():
    histogram = compare(ORIGINAL, COPY).record.distribution_of("age").histogram
    assert histogram.edges[0] == 19.5
    assert histogram.edges[-1] == 41.5
    assert sum(histogram.n_original) == sum(histogram.n_synthetic[0]) == 4
    assert histogram.n_original[1] == 1
    assert histogram.n_synthetic[0][1] == 2


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_bins_hold_every_number_but_the_outermost(scale):
    values = np.sort(np.random.default_rng(1).normal(size=2_000)) * scale
    edges, is_whole = bin_edges(values, np.ones(2_000, np.int64))
    assert not is_whole
    assert (np.diff(edges) > 0).all()
    inside = (values >= edges[0]) & (values < edges[-1])
    assert 1 - 2 * 0.005 <= inside.mean() <= 1
    assert 8 <= len(edges) - 1 <= 40


def test_bins_of_one_value_and_of_huge_values():
    for value in (0.0, 3.5, -1e300, 1e-300):
        edges, _ = bin_edges(np.array([value]), np.array([7]))
        assert edges[0] <= value < edges[-1]
    edges, _ = bin_edges(np.array([-1.7e308, 1.7e308]), np.array([1, 1]))
    assert np.isfinite(edges).all()


def test_identical_files_differ_in_nothing():
    data = survey()
    record = compare(data, data, special_codes={"income": [-8]}).record
    for row in record.rows:
        assert (row.hellinger, row.total_variation, row.missing_difference) == (0.0, 0.0, 0.0)
        assert row.wasserstein in (None, 0.0)
    assert all(row.difference == 0.0 for row in record.associations)
    assert record.most_changed.difference == 0.0
    for one in record.distributions:
        if one.density is not None:
            assert one.density.original == one.density.synthetic[0]


def test_the_order_of_rows_does_not_matter():
    data, copy = survey(), survey_synthetic()
    once = compare(data, copy).record
    again = compare(data.sample(fraction=1, shuffle=True, seed=1), copy.reverse()).record
    assert [row.to_dict() for row in once.rows] == [row.to_dict() for row in again.rows]
    for one, other in zip(once.associations, again.associations, strict=True):
        assert one.difference == pytest.approx(other.difference, abs=1e-12)


def test_a_shuffled_column_is_the_most_changed_association():
    data = survey()
    for column in ("employment", "age"):
        shuffled = data.with_columns(pl.col(column).shuffle(seed=3))
        record = compare(data, shuffled, special_codes={"income": [-8]}).record
        assert column in (record.most_changed.a, record.most_changed.b)
        largest = max(record.changes, key=lambda one: one.mean_difference)
        assert largest.column == column
        assert all(row.total_variation < 1e-12 for row in record.rows)


def test_associations_by_hand():
    data = pl.DataFrame(
        {"x": [1, 2, 3, 4], "y": [1, 4, 9, 16], "g": ["a", "a", "b", "b"], "h": list("pqpq")}
    )
    result = compare(data, data)
    assert related(result, "x", "y", "spearman").original == pytest.approx(1)
    assert related(result, "x", "y", "pearson").original == pytest.approx(25 / sqrt(5 * 129))
    assert related(result, "g", "h", "cramer_v").original == 0.0
    # Means 1.5 and 3.5 about 2.5: 4 of 5.
    assert related(result, "x", "g", "correlation_ratio").original == pytest.approx(sqrt(4 / 5))


def test_missing_numbers_take_no_part_in_a_pair():
    data = pl.DataFrame({"x": [1, 2, 3, 100, None], "y": [1.0, 3.0, 2.0, None, 50.0]})
    result = compare(data, data)
    assert related(result, "x", "y", "pearson").original == pytest.approx(0.5)
    assert related(result, "x", "y", "spearman").original == pytest.approx(0.5)


def test_several_copies_have_a_mean_and_the_mean_names_what_changed_most():
    data, copy = survey(), survey_synthetic()
    result = compare(data, [copy, data])
    for column in ("age", "sex"):
        one, two, mean = (row_of(result, column, which) for which in (1, 2, "mean"))
        assert two.hellinger == 0.0
        assert mean.hellinger == pytest.approx(one.hellinger / 2)
    assert result.record.most_changed.copy == "mean"
    assert result.record.n_synthetic == (5_000, 5_000)


def test_numbers_whose_values_all_have_labels_are_categories():
    record = compare(labelled_survey(), labelled_survey()).record
    assert "sex" not in record.numbers
    assert "age" in record.numbers
    levels = record.distribution_of("sex").levels
    assert all("(" in one.level for one in levels)


def test_numbers_can_be_called_categories():
    record = compare(ORIGINAL, COPY, categories="age").record
    assert record.numbers == ("pay",)
    assert record.distribution_of("age").histogram is None


def test_dates_are_compared_in_days():
    data = pl.DataFrame({"day": [date(2020, 1, 1), date(2020, 3, 1)], "x": [1, 2]})
    later = data.with_columns(pl.col("day") + pl.duration(days=10))
    row = row_of(compare(data, later), "day")
    assert (row.kind, row.wasserstein) == ("date", pytest.approx(10.0))
    as_moments = data.with_columns(pl.col("day").cast(pl.Datetime("us")))
    assert row_of(compare(as_moments, later), "day").wasserstein == pytest.approx(10.0)


def test_hexagons_hold_everybody_and_the_cloud_is_thinned():
    data, copy = survey(), survey_synthetic()
    result = compare(data, copy, special_codes={"income": [-8]})
    found = result.pair("age", "income")
    both = data.filter(pl.col("age").is_not_null() & (pl.col("income") != -8)).height
    assert sum(found.n_original) + found.n_outside_original == both
    assert found.n_outside_original < 0.02 * both
    assert len(list(result.pairs())) == 6
    cloud = result.cloud("age", "income")
    assert (cloud.n_original, len(cloud.x)) == (both, 2_000)
    assert -8 not in cloud.y
    every = {(one.a, one.b): one for one in result.clouds()}
    assert [*every] == [(one.a, one.b) for one in result.pairs()]
    assert every["age", "income"] == cloud


def test_a_hexagon_holds_the_points_nearest_to_its_centre():
    rng = np.random.default_rng(4)
    data = pl.DataFrame({"x": rng.random(300), "y": rng.random(300)})
    found = compare(data, data).pair("x", "y")
    width = (found.range_a[1] - found.range_a[0]) / found.n_across
    for x, y in data.iter_rows():
        gaps = [sqrt((x - a) ** 2 + (y - b) ** 2) for a, b in zip(found.x, found.y, strict=True)]
        # A hexagon reaches 1 / sqrt(3) of its width from its centre.
        assert min(gaps) <= width / sqrt(3) + 1e-9
    assert sum(found.n_original) + found.n_outside_original == 300


def test_the_record_goes_through_json_and_the_frame_has_a_row_a_column():
    result = compare(ORIGINAL, COPY)
    assert type(result.record).from_json(result.to_json()) == result.record
    assert result.frame()["column"].to_list() == ["sex", "age", "pay"]
    assert result.associations().height == 2 * 1 + 2

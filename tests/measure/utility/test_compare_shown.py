"""Charts and views: valid pictures, every name made harmless, no figure typed by hand."""

from datetime import date, timedelta
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import unveil.view.comparison as words
from unveil.examples import survey, survey_synthetic
from unveil.measure.utility.compare import compare
from unveil.measure.utility.projection import projection
from unveil.measure.utility.tstr import tstr
from unveil.records.comparison import AssociationRow
from unveil.view.charts.distributions import Bar, bar_of, distribution, histogram_panel, joined_bins
from unveil.view.charts.grids import associations
from unveil.view.comparison import distances
from unveil.view.projection import projection_chart, projection_sentences
from unveil.view.tstr import tstr_sentences

HOSTILE = "<script>alert(1)</script>&\"'\x1b[31m\u202e{{x}}\\"
CODES = {"income": [-8]}


@pytest.fixture(scope="module")
def result():
    return compare(survey(), survey_synthetic(), special_codes=CODES)


def is_a_picture(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert "<script" not in svg
    assert "http" not in svg.replace("http://www.w3.org/", "")
    assert "NaN" not in svg
    return root


def texts(root: ElementTree.Element) -> str:
    return " ".join(root.itertext())


@pytest.mark.slow
def test_distributions_are_pictures_with_bars_for_what_is_no_number(result):
    for column in ("sex", "age", "household"):
        root = is_a_picture(distribution(result.record.distribution_of(column)).svg())
        assert column in texts(root)
    income = texts(is_a_picture(distribution(result.record.distribution_of("income")).svg()))
    assert "-8" in income
    assert "missing" in income


@pytest.mark.slow
def test_distances_and_associations_are_pictures(result):
    assert "income" in texts(is_a_picture(distances(result.record).svg()))
    assert "education" in texts(is_a_picture(associations(result.record).svg()))


@pytest.mark.slow
def test_a_projection_is_a_picture_with_its_marks():
    kept = np.arange(5_000) % 5 > 0
    found = projection(survey(), survey_synthetic(), kept=kept, special_codes=CODES)
    told = texts(is_a_picture(projection_chart(found.record, found.cloud()).svg()))
    for word in ("original", "retained", "filtered", "axis 1 (", "axis 2 (", "2,000 of them are"):
        assert word in told


@pytest.mark.slow
def test_hostile_names_and_levels_are_made_harmless():
    rng = np.random.default_rng(1)
    data = pl.DataFrame(
        {HOSTILE: [HOSTILE, "b", "c"] * 40, "x" + HOSTILE: rng.normal(size=120), "y": range(120)}
    )
    found = compare(data, data)
    placed = projection(data, data)
    guessed = tstr(data, data, outcome=HOSTILE, seed=1)
    pictures = [
        *(distribution(one).svg() for one in found.record.distributions),
        distances(found.record).svg(),
        associations(found.record).svg(),
        projection_chart(placed.record, placed.cloud()).svg(),
    ]
    for svg in pictures:
        is_a_picture(svg)
        assert "\x1b" not in svg
        assert "\u202e" not in svg
    for view in (found, placed, guessed):
        for shown in (repr(view), view._repr_html_()):
            assert "\x1b" not in shown
            assert "\u202e" not in shown
        assert "<script" not in view._repr_html_()


def test_rare_levels_are_merged_in_the_picture():
    data = pl.DataFrame({"g": ["common"] * 50 + ["rare one"] * 9 + ["rare two"] * 4})
    svg = distribution(compare(data, data).record.distributions[0]).svg()
    told = texts(is_a_picture(svg))
    assert "rare" not in told
    assert "other (2 levels)" in told
    assert "other (2 levels): 20.6 and 20.6" in svg  # 13 of 63: enough to be told


def few_missing(n_rare, n_missing):
    levels = [*["common"] * 900, *["rare one"] * n_rare, *[None] * n_missing]
    return pl.DataFrame({"g": levels, "x": [*range(30)] * 30 + [None] * (n_rare + n_missing)})


def test_shares_of_fewer_than_ten_people_are_told_as_under_what_ten_would_have():
    record = compare(few_missing(7, 9), few_missing(20, 30)).record
    svg = distribution(record.distribution_of("g")).svg()
    is_a_picture(svg)
    assert "rare one" not in svg
    assert "missing, original under 1.1 %: under 1.1 and 3.2" in svg
    assert "other (1 level), original under 1.1 %: under 1.1 and 2.1" in svg
    assert [level.n_original for level in record.distribution_of("g").levels] == [900, 7, 9]


def test_the_picture_is_the_same_whether_one_or_nine_have_a_level():
    # A picture that differs would tell them apart; what is seen of the others may not be known.
    few = (bar_of("g", (n, 40), (5_000, 5_000)) for n in (1, 5, 9))
    assert set(few) == {Bar("g, original under 0.2 %", None, 0.8, "under 0.2")}
    assert bar_of("g", (10, 0), (5_000, 0)) == Bar("g", 0.2, 0.0, "0.2")
    assert bar_of("g", (0, 10), (5_000, 5_000)) == Bar("g", 0.0, 0.2, "0.0")
    assert bar_of("g", (3, 0), (3, 3)).told == "under 100.0"
    assert bar_of("g", (3, 0), (4_321, 3)).told == "under 0.3"  # 10 of 4,321 are 0.23


@pytest.mark.parametrize(
    ("counts", "bins"),
    [
        ([10, 20, 0, 12], [(0, 1), (1, 2), (2, 3), (3, 4)]),
        ([4, 3, 3, 50], [(0, 3), (3, 4)]),
        ([50, 0, 0, 9], [(0, 4)]),
        ([50, 4, 0, 6, 0], [(0, 1), (1, 4), (4, 5)]),
        ([0, 5, 0], [(0, 3)]),
        ([0, 0], [(0, 1), (1, 2)]),
        ([], []),
    ],
)
def test_bins_are_joined_until_they_hold_ten_people_or_nobody(counts, bins):
    assert list(joined_bins(counts)) == bins


@given(st.lists(st.integers(0, 25), max_size=40))
def test_joined_bins_cover_all_bins_and_none_tells_of_few(counts):
    bins = list(joined_bins(counts))
    assert [place for low, high in bins for place in range(low, high)] == [*range(len(counts))]
    held = [sum(counts[low:high]) for low, high in bins]
    assert all(n == 0 or n >= 10 for n in held) or sum(counts) < 10


def test_the_highest_bar_of_a_histogram_stays_below_the_top():
    data = pl.DataFrame({"x": [0] * 60 + list(range(1, 21)) * 2})
    found = compare(data, data).record.distributions[0]
    panel = histogram_panel(found, found.histogram)
    top = panel["layer"][0]["encoding"]["y"]["scale"]["domain"][1]
    highest = max(bar["value"] for layer in panel["layer"] for bar in layer["data"]["values"])
    assert highest * 1.05 < top < highest * 1.1


def test_points_of_few_missing_are_not_told_and_none_is_minus_nought(result):
    record = compare(few_missing(7, 9), few_missing(20, 30)).record
    cells = {row[0]: row[-1] for row in words.ranked_distances(record)}
    assert cells == {"g": "few", "x": "+3.5"}  # 16 of 916, 50 of 950
    shown = [cell for row in words.ranked_distances(result.record) for cell in row]
    assert "-0.0" not in shown
    assert "0.0" in shown  # household


def test_a_small_difference_has_no_sign():
    row = AssociationRow(
        a="a", b="b", measure="pearson", copy=1, original=0.5, synthetic=0.5, difference=-1e-5
    )
    assert words.association_cells(row)[-1] == "0.000"
    assert words.association_cells(replace(row, difference=0.0))[-1] == "0"
    assert words.association_cells(replace(row, difference=-0.25))[-1] == "-0.250"
    assert words.figure(-1e-5) == ">-0.001"


def test_a_copy_that_does_better_than_its_original_is_not_said_to_keep_more_than_all():
    trial = tstr(survey(), survey_synthetic(), outcome="sex", seed=1).record
    said = {
        share: dict(tstr_sentences(replace(trial, share_kept=share)))["kept"]
        for share in (0.9, 1.09, -0.1)
    }
    gain = "Of the original's gain over the constant guess, the synthetic data keep"
    assert said[0.9] == f"{gain} 90.0 %."
    assert said[1.09] == f"{gain} all; 109.0 % is due to chance or to the way of testing."
    assert said[-0.1] == (
        "The model trained on the synthetic data does worse than the constant guess."
    )
    assert "would do best" not in dict(tstr_sentences(trial))["limits"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "column",
    [
        pl.Series("x", [1.5]),
        pl.Series("x", [1.0] * 9),
        pl.Series("x", [None, None], dtype=pl.Float64),
        pl.Series("x", [date(2020, 1, 1) + timedelta(days=9 * k) for k in range(90)]),
        pl.Series("x", ["a"]),
        pl.Series("x", [1e300, -1e300, 5.0]),
        pl.Series("x", list(range(500))),
        pl.Series("x", [True, False, None]),
    ],
    ids=["one", "constant", "nothing", "dates", "one level", "huge", "whole", "truth"],
)
def test_odd_columns_are_pictures_too(column):
    data = pl.DataFrame({"x": column})
    record = compare(data, data).record
    is_a_picture(distribution(record.distributions[0]).svg())
    is_a_picture(distances(record).svg())
    is_a_picture(associations(record).svg())


def test_the_sentences_tell_the_figures_of_the_record(result):
    said = dict(words.comparison_sentences(result.record))
    worst = words.most_different(result.record)
    assert worst.column in said["column"]
    assert f"{100 * worst.total_variation:.1f} %" in said["column"]
    row = result.record.most_changed
    assert said["association"] == (
        f"The association of {row.a} and {row.b} changed most: correlation ratio"
        f" {row.original:.3f} in the original, {row.synthetic:.3f} in the synthetic data."
    )
    assert words.CONFIDENTIAL in result._repr_html_()


def test_identical_files_are_said_to_be_the_same():
    data = survey()
    said = dict(words.comparison_sentences(compare(data, data).record))
    assert said["column"] == (
        "Every column has the same distribution in the original and in the synthetic data."
    )
    assert said["association"] == "No association changed."


def test_a_projection_says_how_little_it_explains_and_a_trial_what_it_cannot_show():
    data, copy = survey(), survey_synthetic()
    found = projection(data, copy, special_codes=CODES).record
    said = dict(projection_sentences(found))
    both = sum(one.explained for one in found.components)
    assert f"{100 * both:.1f} %" in said["explained"]
    assert "That is little" in said["explained"]
    trial = tstr(data, copy, outcome="sex", seed=1).record
    told = dict(tstr_sentences(trial))
    auc = trial.row_of("synthetic", 1).AUC
    assert told["headline"].startswith(f"AUC for sex of real people: {auc:.2f} with")
    assert "nothing about disclosure risk" in told["limits"]

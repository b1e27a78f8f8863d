"""Charts and views: valid pictures, every name made harmless, no figure typed by hand."""

from datetime import date, timedelta
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import unveil.report.comparison as words
from unveil.examples import survey, survey_synthetic
from unveil.measure.utility.compare import compare
from unveil.measure.utility.projection import projection
from unveil.measure.utility.tstr import tstr
from unveil.report.charts.associations import associations_chart
from unveil.report.charts.distributions import distances_chart, distribution_chart
from unveil.report.charts.projection import projection_chart
from unveil.report.charts.scatter import hexbin_chart, scatter_chart
from unveil.report.projection import projection_sentences
from unveil.report.tstr import tstr_sentences

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


def test_distributions_are_pictures_with_bars_for_what_is_no_number(result):
    for column in ("sex", "age", "household"):
        root = is_a_picture(distribution_chart(result.record.distribution_of(column)))
        assert column in texts(root)
    income = texts(is_a_picture(distribution_chart(result.record.distribution_of("income"))))
    assert "-8" in income
    assert "missing" in income


def test_distances_associations_hexagons_and_points_are_pictures(result):
    assert "income" in texts(is_a_picture(distances_chart(result.record)))
    assert "education" in texts(is_a_picture(associations_chart(result.record)))
    assert "fewer than 5" in texts(is_a_picture(hexbin_chart(result.pair("age", "income"))))
    assert "2,000 of them are drawn" in texts(
        is_a_picture(scatter_chart(result.cloud("age", "income")))
    )


def test_a_projection_is_a_picture_with_its_marks():
    kept = np.arange(5_000) % 5 > 0
    found = projection(survey(), survey_synthetic(), kept=kept, special_codes=CODES)
    told = texts(is_a_picture(projection_chart(found.record, found.cloud())))
    for word in ("original", "retained", "filtered", "axis 1 (", "axis 2 ("):
        assert word in told


def test_hostile_names_and_levels_are_made_harmless():
    rng = np.random.default_rng(1)
    data = pl.DataFrame(
        {HOSTILE: [HOSTILE, "b", "c"] * 40, "x" + HOSTILE: rng.normal(size=120), "y": range(120)}
    )
    found = compare(data, data)
    number = "x" + HOSTILE
    placed = projection(data, data)
    guessed = tstr(data, data, outcome=HOSTILE, seed=1)
    pictures = [
        *(distribution_chart(one) for one in found.record.distributions),
        distances_chart(found.record),
        associations_chart(found.record),
        hexbin_chart(found.pair(number, "y")),
        scatter_chart(found.cloud(number, "y")),
        projection_chart(placed.record, placed.cloud()),
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
    data = pl.DataFrame({"g": ["common"] * 50 + ["rare one"] * 3 + ["rare two"] * 4})
    svg = distribution_chart(compare(data, data).record.distributions[0])
    told = texts(is_a_picture(svg))
    assert "rare" not in told
    assert "other (2 levels)" in told


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
    is_a_picture(distribution_chart(record.distributions[0]))
    is_a_picture(distances_chart(record))
    is_a_picture(associations_chart(record))


def test_the_sentences_tell_the_figures_of_the_record(result):
    said = dict(words.comparison_sentences(result.record))
    worst = words.most_different(result.record)
    assert worst.column in said["column"]
    assert f"{100 * worst.total_variation:.1f} %" in said["column"]
    row = result.record.most_changed
    assert said["association"] == (
        f"The association that changed most is that of {row.a} and {row.b}: correlation ratio"
        f" {row.original:.3f} in the original, {row.synthetic:.3f} in the copy."
    )
    assert words.CONFIDENTIAL in result._repr_html_()


def test_identical_files_are_said_to_be_the_same():
    data = survey()
    said = dict(words.comparison_sentences(compare(data, data).record))
    assert said["column"] == "Every column has the same shares in the original and in the copy."
    assert said["association"] == "No association has changed."


def test_a_projection_says_how_little_it_explains_and_a_trial_what_it_cannot_show():
    data, copy = survey(), survey_synthetic()
    found = projection(data, copy, special_codes=CODES).record
    said = dict(projection_sentences(found))
    both = sum(one.explained for one in found.components)
    assert f"{100 * both:.1f} %" in said["explained"]
    assert "That is little" in said["explained"]
    trial = tstr(data, copy, outcome="sex", seed=1).record
    told = dict(tstr_sentences(trial))
    assert f"AUC {trial.row_of('synthetic', 1).AUC:.2f}" in told["headline"]
    assert "nothing of risk" in told["limits"]

"""Distributions, associations and axes beside their definitions, and what they say."""

import re

import numpy as np
import polars as pl
import pytest

import unveil
from oracles import comparison, nipals
from utility.frames import people, study, worse


def known(values):
    return [value for value in values if value not in (None, -8)]


@pytest.fixture(scope="module")
def files():
    return people(1, 200), worse(people(2, 260))


@pytest.fixture(scope="module")
def result(files):
    return unveil.compare(study(*files))


def test_columns_are_as_defined(files, result):
    for row in result.columns:
        original, synthetic = (file[row.column].to_list() for file in files)
        missing = [values.count(None) / len(values) for values in (original, synthetic)]
        assert row.missing_difference == pytest.approx(missing[1] - missing[0])
        if row.kind == "category":
            expected = comparison.total_variation(original, synthetic)
            assert row.total_variation == pytest.approx(expected)
            continue
        numbers = [known(values) for values in (original, synthetic)]
        assert row.wasserstein == pytest.approx(comparison.wasserstein(*numbers))
        means = [np.mean(values) for values in numbers] + [np.std(values) for values in numbers]
        ours = row.original_mean, row.synthetic_mean, row.original_sd, row.synthetic_sd
        assert ours == pytest.approx(means)


def test_levels_are_percentages_of_each_file(files, result):
    rows = result.frame("levels")
    for name in files[0].columns:
        of_column = rows.filter(pl.col("column") == name)
        assert of_column.select("original", "synthetic").sum().row(0) == pytest.approx((100, 100))
    for level in ("village", "town", None):
        row = rows.filter((pl.col("column") == "place") & pl.col("level").eq_missing(level))
        shares = [100 * file["place"].to_list().count(level) / len(file) for file in files]
        assert row.select("original", "synthetic").row(0) == pytest.approx(shares)
        assert row["ratio"].item() == pytest.approx(shares[1] / shares[0])
    assert "-8" in rows.filter(pl.col("column") == "income")["level"]


def test_associations_are_as_defined(files, result):
    numbers = {"age", "income"}
    for row in result.associations:
        for file, ours in zip(files, (row.original, row.synthetic), strict=True):
            a, b = (row.b, row.a) if row.a not in numbers else (row.a, row.b)
            pairs = [
                (x, y)
                for x, y in zip(file[a], file[b], strict=True)
                if not any(n in numbers and v in (None, -8) for n, v in ((a, x), (b, y)))
            ]
            measures = (comparison.cramer_v, comparison.correlation_ratio, comparison.pearson)
            expected = measures[len(numbers & {a, b})](*zip(*pairs, strict=True))
            assert ours == pytest.approx(expected, rel=1e-9), (a, b)


def test_axes_of_numbers_are_those_of_nipals():
    chance = np.random.default_rng(1)
    base = chance.normal(size=(120, 3)) @ np.array([[3, 1, 0], [0, 1, 1], [0, 0, 0.3]])
    frame = pl.DataFrame({f"n{place}": column.round(3) for place, column in enumerate(base.T)})
    result = unveil.compare(study(frame, frame, columns={}))
    rows = nipals.standardised([frame[name].to_list() for name in frame.columns])
    for axis in (0, 1):
        loadings, scores, _ = nipals.component(rows, 5_000)
        explained = sum(score**2 for score in scores) / len(rows) / 3
        assert result.axes[axis].explained == pytest.approx(explained, rel=1e-6)
        ours = [(row.PC1, row.PC2)[axis] for row in result.components]
        r = [weight * (3 * explained) ** 0.5 for weight in loadings]
        assert [abs(value) for value in ours] == pytest.approx(
            [abs(value) for value in r], rel=1e-6
        )
        rows = nipals.deflated(rows, loadings, scores)


def test_pictures_are_of_records_on_request(files, result, tmp_path):
    points = result.points("scatter")
    assert set(points["pair"]) == {"income by age"}
    drawn = set(points.filter(pl.col("file") == "original").select("x", "y").rows())
    assert drawn <= set(files[0].select("age", "income").cast(pl.Float64).rows())
    assert result.points("projection")["file"].value_counts().height == 2
    for chart in result.charts:
        assert result.save(tmp_path / f"{chart}.svg", chart).stat().st_size > 1_000
    loaded = unveil.Result.load(result.save(tmp_path / "result.json"))
    assert "income by age" not in (tmp_path / "result.json").read_text()
    assert loaded.save(tmp_path / "page.html").exists()
    with pytest.raises(unveil.InputError, match="without its files"):
        loaded.chart("scatter")
    with pytest.raises(unveil.InputError, match="scatter"):
        result.points("no such chart")


def test_one_value_and_no_value():
    frame = pl.DataFrame(
        {"job": ["a"] * 20, "pay": [3] * 20, "age": [None] * 20, "sex": ["f", "m"] * 10}
    )
    result = unveil.compare(study(frame, frame, columns={"age": {"kind": "number"}}))
    figures = {row.subject: row.original for row in result.associations}
    assert figures == dict.fromkeys(figures, None)
    assert {row.column: row.original_mean for row in result.columns}["age"] is None
    assert any("one value in a column" in note.sentence for note in result.notes)
    assert [row.column for row in result.components if row.PC1] == ["sex"]


def test_a_column_of_very_many_levels_shows_the_commonest():
    frame = pl.DataFrame({"job": [f"job {row % 40}" for row in range(400)] + ["usual"] * 50})
    rows = unveil.compare(study(frame, frame, columns={})).frame("levels")
    assert (len(rows), rows["level"][0], rows["level"][-1]) == (13, "usual", "all other levels")
    assert rows["original"].sum() == pytest.approx(100)
    many = pl.DataFrame({"pid": [f"p {row}" for row in range(2_001)]})
    with pytest.raises(unveil.InputError, match="2,001 terms"):
        unveil.utility(study(many, many, columns={}), model="logit")


def test_sentences_hold_their_figures(files, result):
    worst = max(result.columns, key=lambda row: row.total_variation)
    assert f"{worst.column} differs most" in result.sentences[0]
    percent = float(re.search(r"([\d.]+) %", result.sentences[0])[1])
    assert percent == pytest.approx(100 * worst.total_variation, abs=0.05)
    assert "age by income" in result.sentences[1]
    figures = [
        comparison.pearson(
            *zip(
                *[(x, y) for x, y in f.select("age", "income").rows() if y not in (None, -8)],
                strict=True,
            )
        )
        for f in files
    ]
    assert (
        f"Pearson's r {figures[0]:.2f} in the original and {figures[1]:.2f}" in result.sentences[1]
    )
    same = unveil.compare(study(files[0], files[0].sample(fraction=1, shuffle=True, seed=1)))
    assert same.sentences[0] == "No column has other shares of its levels and groups."

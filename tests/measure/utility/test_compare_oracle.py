"""Every distance and association equals its definition, record by record."""

import statistics
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import comparison as oracle
from profiles import examples
from unveil.measure.utility.compare import compare
from unveil.models.density import bandwidth, density, quantile

NUMBERS = st.one_of(
    st.none(), st.sampled_from([-8, 0, 1, 2, 5]), st.floats(-100, 100, width=32), st.integers(-9, 9)
)
LETTERS = st.one_of(st.none(), st.sampled_from("abc"))
RECORD = st.tuples(LETTERS, LETTERS, NUMBERS, NUMBERS)
FILE = st.lists(RECORD, min_size=1, max_size=25)
SCHEMA = {"g": pl.String, "h": pl.String, "x": pl.Float64, "y": pl.Float64}
CODE = -8


def frame(rows) -> pl.DataFrame:
    return pl.DataFrame([list(row) for row in rows], SCHEMA, orient="row")


def agrees(measured, expected) -> bool:
    if expected is None or measured is None:
        return measured is expected
    return measured == pytest.approx(expected, abs=1e-12)


def number(value):
    return None if value is None or value == CODE else float(value)


@examples(60)
@given(FILE, FILE)
def test_distances_are_those_of_the_definitions(original, synthetic):
    record = compare(frame(original), frame(synthetic), special_codes={"x": [CODE]}).record
    rows = {row.column: row for row in record.rows}
    here, there = ([row[0] for row in side] for side in (original, synthetic))
    assert rows["g"].hellinger == pytest.approx(oracle.hellinger(here, there), abs=1e-9)
    assert rows["g"].total_variation == pytest.approx(oracle.total_variation(here, there), abs=1e-9)
    held = [[number(row[2]) for row in side] for side in (original, synthetic)]
    values = [[one for one in side if one is not None] for side in held]
    expected = oracle.wasserstein(*values) if all(values) else None
    assert agrees(rows["x"].wasserstein, expected)
    binned = [binned_levels(record, side) for side in (original, synthetic)]
    assert rows["x"].hellinger == pytest.approx(oracle.hellinger(*binned), abs=1e-9)
    assert rows["x"].total_variation == pytest.approx(oracle.total_variation(*binned), abs=1e-9)


def binned_levels(record, side):
    """What each record's x counts as: missing, the code, or the number of edges at or below it."""
    histogram = record.distribution_of("x").histogram
    edges = () if histogram is None else histogram.edges
    held = (row[2] for row in side)
    return [
        "missing" if x is None else "code" if x == CODE else sum(edge <= x for edge in edges)
        for x in held
    ]


@examples(60)
@given(FILE)
def test_associations_are_those_of_the_definitions(rows):
    record = compare(frame(rows), frame(rows), special_codes={"x": [CODE], "y": [CODE]}).record
    found = {(row.a, row.b, row.measure): row.original for row in record.associations}
    g, h = [row[0] for row in rows], [row[1] for row in rows]
    assert agrees(found["g", "h", "cramer_v"], oracle.cramer_v(g, h))
    x = [number(row[2]) for row in rows]
    pairs = [(number(a), number(b)) for *_, a, b in rows]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    one, other = [a for a, _ in both], [b for _, b in both]
    # A column with nothing in it is no number, and has no correlation at all.
    assert agrees(found.get(("x", "y", "pearson")), oracle.pearson(one, other))
    assert agrees(found.get(("x", "y", "spearman")), oracle.spearman(one, other))
    held = [(a, group) for a, group in zip(x, g, strict=True) if a is not None]
    expected = oracle.correlation_ratio([a for a, _ in held], [b for _, b in held])
    assert agrees(found.get(("x", "g", "correlation_ratio")), expected)


@examples(40)
@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=40).filter(lambda x: len(set(x)) > 1),
    st.floats(-60, 60),
    st.floats(0.1, 20),
)
def test_densities_are_those_of_the_definition(values, at, width):
    distinct, counts = np.unique(np.array(values, float), return_counts=True)
    made = density(distinct, counts, np.array([at, at + 1]), width)
    assert made[0] == pytest.approx(oracle.density(values, at, width), abs=1e-12)
    assert quantile(distinct, counts, 0.25) == pytest.approx(np.quantile(values, 0.25))
    spread = np.std(values, ddof=1)
    middle = np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.34
    rule = 0.9 * (min(spread, middle) if middle > 0 else spread) * len(values) ** -0.2
    assert bandwidth(distinct, counts) == pytest.approx(rule)


def test_densities_of_many_values_are_nearly_exact():
    values = np.sort(np.random.default_rng(2).gamma(2, 500, 20_000))
    ones = np.ones(20_000, np.int64)
    width = bandwidth(values, ones)
    at = np.linspace(0, 4_000, 9)
    made = density(values, ones, at, width)
    exact = [oracle.density(values.tolist(), one, width) for one in at]
    assert made == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("shift", [0.0, 1e9, -1e12])
@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e150])
def test_associations_survive_a_large_common_part_and_large_values(scale, shift):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=400), rng.normal(size=400)
    group = (x + rng.normal(size=400) > 0).astype(int)
    data = pl.DataFrame(
        {"x": (x + shift) * scale, "y": (x + y + shift) * scale, "g": group.astype(str)}
    )
    gaps = data.with_columns(pl.when(pl.int_range(400) % 7 > 0).then("y").alias("y"))
    for held in (data, gaps):
        record = compare(held, held).record
        found = {(row.a, row.b, row.measure): row.original for row in record.associations}
        both = held.drop_nulls()
        one, other = both["x"].to_list(), both["y"].to_list()
        expected = oracle.pearson(one, other)
        assert found["x", "y", "pearson"] == pytest.approx(expected, abs=1e-13)
        assert found["x", "y", "spearman"] == pytest.approx(oracle.spearman(one, other), abs=1e-13)
        ratio = oracle.correlation_ratio(other, both["g"].to_list())
        assert found["y", "g", "correlation_ratio"] == pytest.approx(ratio, abs=1e-13)
        drawn = record.distribution_of("y")
        about = oracle.deviations(other)
        variance = sum(value**2 for value in about) / (len(other) - 1)
        assert Fraction(drawn.sd_original) ** 2 == pytest.approx(variance, rel=1e-13)
        near = 1e-15 * drawn.sd_original
        assert drawn.mean_original == pytest.approx(statistics.mean(other), rel=1e-15, abs=near)


def test_a_pair_that_is_constant_where_both_are_known_has_no_correlation():
    data = pl.DataFrame(
        {"x": [0.1, 0.1, 0.1, 5.0, 7.0], "y": [1.0, 2.0, 4.0, None, None], "z": [1, 2, 3, 4, 5]}
    )
    record = compare(data, data).record
    found = {
        (row.a, row.b): row.original for row in record.associations if row.measure == "pearson"
    }
    assert found["x", "y"] is None
    assert found["x", "z"] is not None
    reasons = {one.target: one.reason for one in record.not_measured if one.field == "pearson"}
    assert reasons == {
        "x and y": (
            "in the original and the copy: one of the two is constant, or fewer than two records"
            " have both"
        )
    }

"""The two axes equal a dense decomposition, and textbook NIPALS where values are missing."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles import nipals as oracle
from profiles import examples
from unveil.examples import survey, survey_synthetic
from unveil.measure.utility.projection import projection
from unveil.models.nipals import fix_sign
from unveil.view.projection import projection_sentences

TEXT = {"g": pl.String, "x": pl.Float64, "y": pl.Float64}


def dense(data: pl.DataFrame) -> np.ndarray:
    """Numbers standardised; dummies centred and scaled to variance 1 for a column together."""
    parts = []
    for column in data:
        if column.dtype == pl.String:
            levels = column.unique().sort()
            dummies = np.stack([(column == level).to_numpy() for level in levels], axis=1) * 1.0
            dummies -= dummies.mean(axis=0)
            parts.append(dummies / np.sqrt(dummies.var(axis=0).sum()))
        else:
            values = column.cast(pl.Float64).to_numpy()
            parts.append(((values - values.mean()) / values.std())[:, None])
    return np.concatenate(parts, axis=1)


def mixed(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    x = rng.normal(size=n)
    g = np.where(x + rng.normal(size=n) > 0.3, "a", np.where(rng.random(n) < 0.5, "b", "c"))
    return pl.DataFrame({"x": x, "y": x + rng.normal(size=n), "z": rng.integers(0, 9, n), "g": g})


def test_nothing_missing_is_a_dense_decomposition():
    data = mixed()
    matrix = dense(data)
    u, s, v = np.linalg.svd(matrix, full_matrices=False)
    result = projection(data, data)
    loadings = np.array([[one.PC1, one.PC2] for one in result.record.loadings])
    for axis in (0, 1):
        turned = fix_sign(v[axis])
        assert loadings[:, axis] == pytest.approx(turned, abs=1e-8)
        side = 1 if turned @ v[axis] > 0 else -1
        assert result.places[0][:, axis] == pytest.approx(side * u[:, axis] * s[axis], abs=1e-8)
        explained = result.record.components[axis].explained
        assert explained == pytest.approx(s[axis] ** 2 / (s**2).sum(), abs=1e-10)
    assert result.places[1] == pytest.approx(result.places[0], abs=0)
    assert all(one.converged for one in result.record.components)


def test_a_copy_is_placed_by_the_original_s_scale_and_axes():
    data = mixed()
    copy = pl.DataFrame({"x": [10.0], "y": [data["y"].mean()], "z": [2], "g": ["new"]})
    result = projection(data, copy)
    loadings = np.array([[one.PC1, one.PC2] for one in result.record.loadings])
    shares = np.array([(data["g"] == level).mean() for level in "abc"])
    scale = np.sqrt((shares * (1 - shares)).sum())
    record = np.concatenate(
        [
            [(10 - data["x"].mean()) / data["x"].to_numpy().std(), 0.0],
            [(2 - data["z"].mean()) / data["z"].to_numpy().std()],
            -shares / scale,
        ]
    )
    assert result.places[1][0] == pytest.approx(record @ loadings, abs=1e-9)


NUMBER = st.one_of(st.none(), st.integers(-9, 9))
ROWS = st.lists(st.lists(NUMBER, min_size=3, max_size=3), min_size=6, max_size=15)
# Every column varies and every two columns share records: else no common axis is determined.
WHOLE = st.permutations([[-9, 4, 0], [7, -2, 5], [3, 9, -8]])
# The other columns follow the first, so that one axis explains clearly more than the next.
FOLLOWS = st.integers(3, 9)


@examples(25)
@given(ROWS, WHOLE, FOLLOWS)
def test_with_gaps_it_is_nipals_as_in_a_textbook(rows, whole, follows):
    rows = [
        [a] + [x if None in (a, x) else follows * a + x for x in others]
        for a, *others in whole + rows
    ]
    columns = [[row[k] for row in rows] for k in range(3)]
    data = pl.DataFrame([pl.Series(f"c{k}", column) for k, column in enumerate(columns)])
    result = projection(data, data)
    first, second = result.record.components
    # Where axes explain nearly the same, another start may end in another axis.
    assume(first.converged and first.explained > 1.3 * second.explained)
    table = oracle.standardised(columns)
    p, t, moved = oracle.component(table)
    assume(moved < 1e-12)
    loadings = [one.PC1 for one in result.record.loadings]
    same = np.abs(np.array(loadings) @ np.array(p))
    assume(same > 0.99)
    assert same == pytest.approx(1, abs=1e-8)
    side = 1 if np.array(loadings) @ np.array(p) > 0 else -1
    placed = [any(x is not None for x in row) for row in rows]
    found = result.frame().filter(pl.col("side") == "original")["PC1"].to_list()
    for one, score, has_place in zip(found, t, placed, strict=True):
        assert (one is None) == (not has_place)
        if has_place:
            assert one == pytest.approx(side * score, abs=1e-6)


def test_the_second_axis_with_gaps_is_that_of_what_the_first_leaves():
    rng = np.random.default_rng(8)
    x = rng.normal(size=(40, 4)) @ np.diag([3, 2, 1, 0.5]) @ rng.normal(size=(4, 4))
    held = np.where(rng.random(x.shape) < 0.15, np.nan, x)
    columns = [[None if np.isnan(v) else float(v) for v in column] for column in held.T]
    data = pl.DataFrame([pl.Series(f"c{k}", column) for k, column in enumerate(columns)])
    result = projection(data, data)
    table = oracle.standardised(columns)
    p1, t1, _ = oracle.component(table)
    p2, _, _ = oracle.component(oracle.deflated(table, p1, t1))
    loadings = np.array([[one.PC1, one.PC2] for one in result.record.loadings])
    assert abs(loadings[:, 0] @ p1) == pytest.approx(1, abs=1e-9)
    assert abs(loadings[:, 1] @ p2) == pytest.approx(1, abs=1e-9)
    squares = sum(v * v for row in table for v in row if v is not None)
    rest = oracle.deflated(table, p1, t1)
    left = sum(v * v for row in rest for v in row if v is not None)
    assert result.record.components[0].explained == pytest.approx(1 - left / squares, abs=1e-9)
    assert result.record.n_missing == int(np.isnan(held).sum())


def test_axes_that_explain_nearly_the_same_are_found_and_told():
    angles = np.arange(12) * np.pi / 6
    circle = pl.DataFrame({"x": np.cos(angles), "y": np.sin(angles)})
    record = projection(circle, circle).record
    assert sum(one.explained for one in record.components) == pytest.approx(1)
    assert record.warnings == (
        "The first and the second axis explain nearly the same, so they may turn into each other: a"
        " slightly different original would give other axes.",
    )


def test_two_numbers_by_hand():
    data = pl.DataFrame({"x": [-1.0, 1.0, -1.0, 1.0], "y": [-1.0, 1.0, -1.0, 1.0]})
    result = projection(data, data)
    half = 1 / np.sqrt(2)
    first = [one.PC1 for one in result.record.loadings]
    assert first == pytest.approx([half, half])
    assert result.places[0][:, 0] == pytest.approx(np.array([-1, 1, -1, 1]) * np.sqrt(2))
    assert [one.explained for one in result.record.components] == pytest.approx([1, 0])


def test_the_largest_loading_is_positive_and_the_first_of_equals_decides():
    assert fix_sign(np.array([0.1, -0.9])).tolist() == [-0.1, 0.9]
    assert fix_sign(np.array([-0.5, 0.5])).tolist() == [0.5, -0.5]


def test_marks_part_retained_from_filtered_units_and_no_record_is_in_the_record():
    data, copy = survey(), survey_synthetic()
    kept = np.arange(5_000) % 5 > 0
    result = projection(data, [copy, copy], kept=[kept, None], special_codes={"income": [-8]})
    groups = [(row.side, row.copy, row.mark, row.n) for row in result.record.rows]
    assert groups == [
        ("original", None, None, 5_000),
        ("synthetic", 1, None, 5_000),
        ("synthetic", 1, "retained", 4_000),
        ("synthetic", 1, "filtered", 1_000),
        ("synthetic", 2, None, 5_000),
    ]
    frame = result.frame()
    assert frame.columns == ["side", "copy", "row", "PC1", "PC2", "kept"]
    assert frame.filter(pl.col("copy") == 1)["kept"].to_list() == kept.tolist()
    assert len(result.to_json()) < 20_000
    cloud = result.cloud()
    assert len(cloud.x) == 2_000
    assert {"original", "retained", "filtered", "synthetic"} == set(cloud.side)


def test_a_record_of_gaps_alone_has_no_place():
    data = mixed(50)
    blank = pl.DataFrame({"x": [None], "y": [None], "z": [None], "g": [None]}, data.schema)
    result = projection(data, pl.concat([data, blank]))
    assert result.record.rows[1].n_unplaced == 1
    assert result.frame()["PC1"].null_count() == 1


@pytest.mark.slow
def test_the_same_files_give_the_same_bytes():
    data, copy = survey(), survey_synthetic()
    once, again = (projection(data, copy, special_codes={"income": [-8]}) for _ in range(2))
    assert once.to_json() == again.to_json()


def gappy(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(8)
    x = rng.normal(size=n)
    data = pl.DataFrame({"x": x, "y": x + rng.normal(size=n), "z": x + rng.normal(size=n)})
    return data.with_columns(z=pl.when(pl.int_range(n) % 9 > 0).then("z"))


def test_the_axes_of_a_large_file_with_gaps_are_found_from_some_records_and_all_are_placed(
    monkeypatch,
):
    data = gappy(4_000)
    whole = projection(data, data).record
    monkeypatch.setattr("unveil.measure.utility.projection.MOST_FITTED", 2_000)
    result = projection(data, data)
    record = result.record
    assert (whole.n_fitted, record.n_fitted) == (4_000, 2_000)
    assert result.frame()["PC1"].null_count() == 0
    assert result.frame().height == 8_000
    for one, other in zip(record.loadings, whole.loadings, strict=True):
        assert pytest.approx(one.PC1, abs=0.03) == other.PC1  # three standard errors
    assert projection(data, data).to_json() == result.to_json()
    told = dict(projection_sentences(record))["some"]
    assert told.startswith("The components were fitted to 2,000 of its records")
    assert "some" not in dict(projection_sentences(whole))


def test_without_gaps_all_records_of_a_large_file_find_the_axes(monkeypatch):
    monkeypatch.setattr("unveil.measure.utility.projection.MOST_FITTED", 100)
    data = gappy(500).select("x", "y")
    assert projection(data, data).record.n_fitted == 500

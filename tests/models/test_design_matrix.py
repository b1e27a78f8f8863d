import numpy as np
import polars as pl

from unveil.models.design import DummyCoding, Predictors, TreeCoding
from unveil.synthesis.split_columns import split


def predictors(special=(), **columns):
    parts = tuple(split(pl.Series(n, v), special=special) for n, v in columns.items())
    return Predictors(parts, len(parts[0]))


def test_trees_see_places_of_numbers_and_states_below_them():
    given = predictors(x=[30, None, 10, -8, 20], special=[-8])
    matrix = TreeCoding.fit(given, np.arange(5.0)).matrix(given)
    assert matrix[:, 0].tolist() == [2.0, -1.0, 0.0, -2.0, 1.0]
    assert matrix.dtype == np.float32


def test_numbers_too_near_for_32_bits_stay_apart():
    given = predictors(x=[2**53 - 1, 2**53 - 2, 2**53 - 3])
    matrix = TreeCoding.fit(given, np.arange(3.0)).matrix(given)
    assert matrix[:, 0].tolist() == [2.0, 1.0, 0.0]


def test_dummies_are_standardised_numbers_their_states_and_all_levels_but_the_first():
    given = predictors(x=[1.0, None, 3.0, -8.0] * 5, y=["b", "a", None, "b"] * 5, special=[-8])
    coding = DummyCoding.fit(given)
    assert coding.matrix(given)[:4].toarray().tolist() == [
        [-1.0, 0.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 1.0, 1.0, 0.0],
    ]
    again = DummyCoding.from_arrays(coding.to_arrays())
    assert (again.matrix(given) != coding.matrix(given)).nnz == 0


def test_some_of_the_rows_have_the_matrix_of_those_rows():
    given = predictors(x=[4, 5, 6, 7], y=["a", "b", "a", "b"])
    some = given.among(np.array([3, 1])).among(np.array([1]))
    assert some.n_rows == 1
    tree, dummy = TreeCoding.fit(given, np.arange(4.0)), DummyCoding.fit(given)
    assert np.array_equal(tree.matrix(some), tree.matrix(given)[[1]])
    assert (dummy.matrix(some) != dummy.matrix(given)[[1]]).nnz == 0


def test_a_constant_predictor_has_no_dummy_and_no_predictors_are_no_columns():
    given = predictors(x=[7, 7], y=[None, None])
    assert DummyCoding.fit(given).matrix(given).shape == (2, 0)
    assert DummyCoding.fit(Predictors((), 3)).matrix(Predictors((), 3)).shape == (3, 0)
    assert TreeCoding.fit(Predictors((), 3), np.arange(3.0)).matrix(Predictors((), 3)).shape == (
        3,
        0,
    )


def test_classes_beyond_the_largest_table_are_taken_together(monkeypatch):
    monkeypatch.setattr("unveil.models.design._LARGEST_TABLE", 12)
    given = predictors(x=[*"aabbccdd"] * 3)
    classes = np.array([0, 0, 1, 1, 0, 2, 1, 3] * 3, dtype=np.int32)
    a, b, c, d = TreeCoding.fit(given, classes, 4).orders[0].tolist()
    # Kept are classes 0 and 1, the most frequent; 2 and 3 are one.
    assert a < c < d < b or b < d < c < a

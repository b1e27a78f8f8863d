import numpy as np
import polars as pl
import pytest
import scipy

from unveil.models.design import Predictors, TreeCoding
from unveil.models.tree import LEAF, TreeCuts
from unveil.seeding import stream
from unveil.synthesis.cart import CartModel, fit_cart
from unveil.synthesis.methods import Options, Target
from unveil.synthesis.split_columns import split

N_DRAWN = 60_000


def predictors(**columns):
    parts = tuple(split(pl.Series(name, values)) for name, values in columns.items())
    return Predictors(parts, len(parts[0]))


def category(values):
    part = split(pl.Series("t", values))
    return Target("t", "category", part.values, part.column.n_levels)


def number(values):
    return Target("t", "number", np.asarray(values))


def repeated(given, times):
    return given.among(np.repeat(np.arange(given.n_rows), times))


def test_numbers_of_a_leaf_are_drawn_each_as_often():
    # Below 3 the values 1, 1, 2, 5 stand; from 3 on 100, 101, 102, 103.
    given = predictors(x=[0, 1, 2, 2, 3, 4, 5, 6])
    target = number([1, 1, 2, 5, 100, 101, 102, 103])
    model = fit_cart(target, given, Options(min_leaf=4, min_split=5), stream(1))
    assert int(model.cuts.is_leaf.sum()) == 2
    drawn = model.sample(repeated(given, N_DRAWN // 8), stream(2)).reshape(8, -1)
    low, counts = np.unique(drawn[:4], return_counts=True)
    assert low.tolist() == [1, 2, 5]
    assert scipy.stats.chisquare(counts, np.array([2, 1, 1]) / 4 * counts.sum()).pvalue > 0.001
    high, counts = np.unique(drawn[4:], return_counts=True)
    assert high.tolist() == [100, 101, 102, 103]
    assert scipy.stats.chisquare(counts).pvalue > 0.001


def test_classes_are_drawn_in_the_proportions_of_their_leaf():
    given = predictors(x=["a"] * 5 + ["b"] * 5 + ["c"] * 5)
    target = category([*"uuuuv", *"uuuuw", *"vvwww"])
    model = fit_cart(target, given, Options(min_leaf=5, min_split=10), stream(1))
    drawn = model.sample(repeated(given, N_DRAWN // 15), stream(3)).reshape(15, -1)
    leaves = model.cuts.leaves_of(model.coding.matrix(given))
    assert leaves[:5].tolist() != leaves[10:].tolist()
    for leaf in np.unique(leaves):
        inside = leaves == leaf
        expected = np.bincount(target.values[inside], minlength=3) / inside.sum()
        counts = np.bincount(drawn[inside].ravel(), minlength=3)
        assert (counts[expected == 0] == 0).all()
        there = expected > 0
        assert scipy.stats.chisquare(counts[there], expected[there] * counts.sum()).pvalue > 0.001


def test_no_leaf_has_fewer_rows_than_min_leaf_and_no_small_node_is_cut():
    rng = np.random.default_rng(5)
    given = predictors(x=rng.normal(size=400), y=rng.integers(0, 9, 400))
    model = fit_cart(number(rng.normal(size=400)), given, Options(min_leaf=7), stream(1))
    sizes = model.donors.size[model.cuts.is_leaf]
    assert sizes.min() >= 7
    assert sizes.sum() == 400
    assert sizes.max() >= 14  # nodes below 3 x 7 rows stay whole


def test_complexity_1_would_cut_nothing_and_a_large_one_cuts_only_what_tells_much():
    given = predictors(x=[0] * 10 + [1] * 10, y=[0, 1] * 10)
    target = number(np.array([0.0] * 10 + [10.0] * 10) + np.array([0, 0.1] * 10))
    model = fit_cart(target, given, Options(min_leaf=1, complexity=0.5), stream(1))
    assert model.cuts.feature[model.cuts.left != LEAF].tolist() == [0]
    finer = fit_cart(target, given, Options(min_leaf=1, min_split=2, complexity=0), stream(1))
    assert int(finer.cuts.is_leaf.sum()) == 4


def test_leaves_too_alike_are_given_up_with_the_cut_above_them():
    given = predictors(x=list(range(20)))
    target = number([5.0] * 10 + [float(value) for value in range(10)])
    plain = fit_cart(target, given, Options(min_leaf=5, min_split=6), stream(1))
    spread = fit_cart(target, given, Options(min_leaf=5, min_split=6, min_spread=0.3), stream(1))
    assert int(plain.cuts.is_leaf.sum()) > 1

    def smallest(model):
        leaves = model.cuts.leaves_of(model.coding.matrix(given))
        return min(target.values[leaves == leaf].var() for leaf in np.unique(leaves))

    assert smallest(plain) < 0.3 * target.values.var() <= smallest(spread)


def test_a_leaf_with_one_class_alone_is_given_up():
    given = predictors(x=[0] * 10 + [1] * 10)
    target = category([*"aaaaaaaaaa", *"aaaaabbbbb"])
    assert int(fit_cart(target, given, Options(min_leaf=5), stream(1)).cuts.is_leaf.sum()) == 2
    model = fit_cart(target, given, Options(min_leaf=5, min_spread=0.1), stream(1))
    drawn = model.sample(repeated(given, 1000), stream(2))
    assert drawn[:1000].any()  # rows with x = 0 may now get b


def test_cutting_off_goes_upwards_until_every_leaf_is_fine():
    nodes = np.array
    cuts = TreeCuts(
        nodes([0, 0, -2, -2, -2], dtype=np.int32), nodes([5.0, 2.0, 0, 0, 0]),
        nodes([1, 2, -1, -1, -1], dtype=np.int32), nodes([4, 3, -1, -1, -1], dtype=np.int32),
    )  # fmt: skip
    matrix = nodes([[1.0], [3.0], [9.0]], dtype=np.float32)
    assert cuts.leaves_of(matrix).tolist() == [2, 3, 4]
    fails = nodes([False, False, True, False, False])
    assert cuts.without(fails).leaves_of(matrix).tolist() == [1, 1, 4]
    fails = nodes([False, True, True, False, False])
    assert cuts.without(fails).leaves_of(matrix).tolist() == [0, 0, 0]
    fails = nodes([True] * 5)
    assert cuts.without(fails).leaves_of(matrix).tolist() == [0, 0, 0]


def test_our_descent_ends_where_scikit_learn_ends():
    from sklearn.tree import DecisionTreeRegressor

    rng = np.random.default_rng(3)
    matrix = rng.integers(0, 30, (500, 4)).astype(np.float32)
    grown = DecisionTreeRegressor(min_samples_leaf=3, random_state=0).fit(
        matrix, rng.normal(size=500)
    )
    tree = grown.tree_
    cuts = TreeCuts(tree.feature, tree.threshold, tree.children_left, tree.children_right)
    other = rng.normal(15, 10, (500, 4)).astype(np.float32)
    assert cuts.leaves_of(other).tolist() == grown.apply(other).tolist()


def test_smoothed_values_are_new_but_stay_in_the_range_and_its_decimals():
    rng = np.random.default_rng(8)
    values = rng.gamma(2, 100, 600).round(1)
    given = predictors(x=rng.integers(0, 4, 600))
    model = fit_cart(number(values), given, Options(smoothing="density"), stream(1))
    drawn = model.sample(repeated(given, 20), stream(2))
    assert drawn.min() >= values.min()
    assert drawn.max() <= values.max()
    assert np.array_equal(drawn.round(1), drawn)
    assert not np.isin(drawn, values).all()
    assert abs(drawn.mean() - values.mean()) < 4 * values.std() / np.sqrt(600)


def test_smoothed_whole_numbers_stay_whole():
    given = predictors(x=[0, 1] * 20)
    model = fit_cart(number(np.arange(40)), given, Options(smoothing="density"), stream(1))
    drawn = model.sample(given, stream(2))
    assert drawn.dtype == np.int64
    assert 0 <= drawn.min() <= drawn.max() <= 39


def test_levels_are_ordered_by_the_mean_of_a_number():
    given = predictors(x=["a", "b", "c"] * 5)
    coding = TreeCoding.fit(given, np.array([5.0, 1.0, 3.0] * 5))
    assert coding.orders[0].tolist() == [2.0, 0.0, 1.0]


def test_levels_with_the_same_classes_stand_side_by_side():
    # a and c hold classes 0 and 1, b and d class 2: one cut must part the two pairs.
    given = predictors(x=[*"aabbccdd"] * 3)
    coding = TreeCoding.fit(given, np.array([0, 1, 2, 2, 0, 1, 2, 2] * 3, dtype=np.int32), 3)
    a, b, c, d = coding.orders[0].tolist()
    assert max(a, c) < min(b, d) or max(b, d) < min(a, c)


def test_a_level_that_was_not_there_when_fitted_stands_in_the_middle():
    part = split(pl.Series("x", ["a", "b", "c"] * 5))
    given = Predictors((part,), 15, np.array([0, 2, 3, 5, 6, 8, 9, 11, 12, 14]))
    coding = TreeCoding.fit(given, np.array([0.0, 10.0] * 5))
    assert coding.orders[0].tolist() == [0.0, 1.0, 2.0]


def test_hundreds_of_levels_that_another_column_settles_are_all_parted():
    rng = np.random.default_rng(300)
    levels = [f"{code:03}" for code in rng.integers(0, 300, 6_000)]
    given = predictors(x=levels, y=rng.integers(0, 3, 6_000))
    target = category(levels)
    drawn = fit_cart(target, given, Options(min_leaf=5), stream(1)).sample(given, stream(2))
    assert np.array_equal(drawn, target.values)


def test_thousands_of_levels_are_cut_by_groups_but_drawn_as_they_are():
    rng = np.random.default_rng(2)
    levels = rng.integers(0, 2_000, 4_000)
    given = predictors(x=levels)
    target = category([f"{code:04}" for code in levels])
    drawn = fit_cart(target, given, Options(), stream(1)).sample(given, stream(2))
    assert set(drawn.tolist()) <= set(target.values.tolist())
    assert np.abs(drawn - target.values).mean() < 20  # levels beside one another are in one group


@pytest.mark.parametrize("options", [Options(), Options(smoothing="density", min_spread=0.1)])
def test_a_model_written_as_arrays_draws_the_same(options):
    rng = np.random.default_rng(1)
    given = predictors(x=rng.integers(0, 9, 200), y=[f"{v}" for v in rng.integers(0, 5, 200)])
    model = fit_cart(number(rng.normal(size=200)), given, options, stream(1))
    arrays = model.to_arrays()
    plain = (np.ndarray, str, int, float, bool, type(None))
    assert all(isinstance(value, plain) for value in arrays.values())
    again = CartModel.from_arrays(arrays)
    assert again.sample(given, stream(2)).tolist() == model.sample(given, stream(2)).tolist()

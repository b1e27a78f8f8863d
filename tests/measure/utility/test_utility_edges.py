"""Telling a copy from the original at the edge: ties, ranks, sizes of numbers and of files."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from oracles import utility as oracle
from unveil.errors import InputError, SettingsError
from unveil.measure.utility.compare import compare
from unveil.measure.utility.pair_tables import pair_tables
from unveil.measure.utility.projection import projection
from unveil.measure.utility.propensity import mean_of_pairs
from unveil.measure.utility.utility import utility
from unveil.records.utility import UtilityRow
from unveil.view.pair_tables import pair_sentences
from unveil.view.utility import utility_sentences


def files(*counts: tuple[str, int, int]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Original and copy of one column, by level: how many there are of each."""
    original = [level for level, n, _ in counts for _ in range(n)]
    copy = [level for level, _, n in counts for _ in range(n)]
    return pl.DataFrame({"g": original}), pl.DataFrame({"g": copy})


def test_of_equal_cuts_of_a_category_the_one_with_the_highest_shares_apart_wins() -> None:
    # Shares of the copy 1/4, 2/4, 3/4 in equal numbers: a | b c and a b | c are equally good. rpart
    # starts from c, so c is split off; then a and b are not worth another cut.
    original, copy = files(("a", 9, 3), ("b", 6, 6), ("c", 3, 9))
    labels = [0] * 18 + [1] * 18
    data = [(level,) for level in [*original["g"], *copy["g"]]]
    leaves = oracle.tree(data, labels, ["category"])
    (row,) = utility(original, copy, n_permutations=0).rows
    expected = oracle.pmse(oracle.propensities(leaves, labels), labels)
    assert row.pMSE == pytest.approx(float(expected), abs=1e-15)
    assert [{data[place][0] for place in rows} for rows in leaves] == [{"a", "b"}, {"c"}]


@pytest.mark.parametrize("seed", range(25))
def test_levels_of_one_share_are_cut_as_rpart_orders_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(25, 60))
    data = list(zip(rng.integers(0, 9, 2 * n).tolist(), rng.integers(0, 3, 2 * n), strict=True))
    labels = [0] * n + [1] * n
    frame = pl.DataFrame(data, schema=["g", "h"], orient="row").cast(pl.String)
    (row,) = utility(frame[:n], frame[n:], n_permutations=0).rows
    leaves = oracle.tree(data, labels, ["category", "category"])
    assert row.n_leaves == len(leaves)
    expected = oracle.pmse(oracle.propensities(leaves, labels), labels)
    assert row.pMSE == pytest.approx(float(expected), rel=1e-12, abs=1e-15)


def test_a_tree_that_tells_every_record_apart_says_so() -> None:
    apart = pl.DataFrame({"n": range(30)}), pl.DataFrame({"n": range(50, 80)})
    found = utility(*apart, seed=1, n_permutations=2)
    assert found.rows[0].is_separated
    assert any(
        "separates all records" in said
        for said in dict(utility_sentences(found.record, found.rows[0])).values()
    )
    near = pl.DataFrame({"n": range(30)}), pl.DataFrame({"n": range(20, 50)})
    assert not utility(*near, n_permutations=0).rows[0].is_separated


@pytest.mark.parametrize("n_copies", [0, 1, 3, 8, 70])
def test_columns_that_say_nothing_new_take_no_place_from_those_behind_them(n_copies: int) -> None:
    data = pl.DataFrame({"a": [0, 1, 2, 3, 4, 5, 1], "e": [1, 0, 0, 1, 0, 1, 2]})
    data = data.with_columns(f=pl.Series([0, 0, 1, 1, 0, 3, 5]))
    again = {f"a{k}": pl.col("a") * (k + 2) for k in range(n_copies)}
    wide = data.select("a", **again).with_columns(data["e"], data["f"])
    (row,) = utility(wide[:6], wide[6:], model="logit").rows
    (alone,) = utility(data[:6], data[6:], model="logit").rows
    assert row.df == alone.df == 3
    assert row.pMSE == pytest.approx(alone.pMSE, abs=1e-9)


@pytest.mark.slow
def test_more_parameters_than_records_leave_as_many_as_the_matrix_has_ranks() -> None:
    rng = np.random.default_rng(5)
    data = pl.DataFrame({k: rng.choice(list("abcd"), 120).tolist() for k in "pqrstu"})
    (row,) = utility(data[:60], data[60:], model="logit", interactions=True).rows
    by_column = [[(data[k] == level).to_numpy() * 1.0 for level in "bcd"] for k in "pqrstu"]
    single = [one for ones in by_column for one in ones]
    products = [
        one * two
        for i, ones in enumerate(by_column)
        for others in by_column[i + 1 :]
        for one in ones
        for two in others
    ]
    matrix = np.column_stack([np.ones(120), *single, *products])
    assert matrix.shape[1] > 120
    assert row.df == np.linalg.matrix_rank(matrix) - 1


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e200, 1e300])
def test_numbers_of_any_size_tell_as_much(scale: float) -> None:
    rng = np.random.default_rng(2)
    sides = [pl.DataFrame({"x": rng.normal(shift, 1, 200).round(2)}) for shift in (0, 0.4)]
    (near,) = utility(*sides, model="logit").rows
    (far,) = utility(*(one * scale for one in sides), model="logit").rows
    assert far.df == near.df == 1
    assert far.pMSE == pytest.approx(near.pMSE, rel=1e-7)


LARGE = pl.DataFrame({"id": [2**60 + k for k in range(40)], "g": ["a", "b"] * 20})


@pytest.mark.parametrize("measure", [utility, pair_tables, compare, projection])
def test_whole_numbers_that_decimals_cannot_tell_apart_are_refused(measure: Any) -> None:
    with pytest.raises(InputError) as refusal:
        measure(LARGE, LARGE)
    assert str(refusal.value) == (
        "Column 'id' holds whole numbers beyond 9,007,199,254,740,992 that differ by less than"
        " decimals can hold. Name it in categories, omit it, or subtract what all of them have"
        " in common."
    )
    assert refusal.value.exit_code == 2


def test_large_whole_numbers_are_categories_or_numbers_that_are_far_apart() -> None:
    by_level = pair_tables(LARGE, LARGE, ways=1, categories="id").rows[0]
    assert by_level.df == 39
    apart = LARGE.with_columns(id=(pl.col("id") - 2**60) * 2**40 + 2**60)
    assert pair_tables(apart, apart, ways=1).rows[0].df == 4


def drawn(seed: int, n: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"x": rng.normal(size=n).round(1), "g": rng.choice(list("abc"), n)})


@pytest.mark.parametrize("model", ["cart", "logit"])
def test_every_figure_by_pairs_is_twice_it_over_its_mean_between_copies(model: str) -> None:
    original, *copies = (drawn(seed, 200) for seed in range(4))
    found = utility(original, copies, model=model, seed=1, n_permutations=0)
    between = [
        utility(copies[a], copies[b], model=model, n_permutations=0).rows[0]
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    for row in found.rows:
        for figure in ("pMSE", "SPECKS", "PO50", "U"):
            mean = sum(getattr(one, figure) for one in between) / 3
            assert getattr(row, f"S_{figure}_pairs") == pytest.approx(
                2 * getattr(row, figure) / mean
            )


def test_figures_by_pairs_need_copies_that_differ() -> None:
    assert mean_of_pairs(0.5, []) is None
    assert mean_of_pairs(0.5, [0.0, 0.0]) is None
    (row,) = utility(drawn(1, 60), drawn(2, 60), n_permutations=0).rows
    assert (row.S_SPECKS_pairs, row.S_PO50_pairs, row.S_U_pairs) == (None, None, None)


def said(n_synthetic: int, model: str = "cart") -> tuple[UtilityRow, str]:
    found = utility(drawn(1, 200), drawn(2, n_synthetic), model=model, seed=1, n_permutations=4)
    return found.rows[0], " ".join(dict(utility_sentences(found.record, found.rows[0])).values())


def test_that_1_is_not_the_scale_of_a_tree_of_files_of_other_sizes_is_said() -> None:
    assert "S_pMSE of a tree has the scale of 1 only for files of equal size" in said(600)[1]
    assert "differ in size" not in said(200)[1]
    assert "differ in size" not in said(600, "logit")[1]


@pytest.mark.slow
def test_a_second_sample_three_times_as_large_has_mean_4_in_tables_and_it_is_said() -> None:
    rng = np.random.default_rng(6)
    found = []
    for _ in range(200):
        sides = [pl.DataFrame({"g": rng.choice(list("abcd"), n)}) for n in (100, 300)]
        found.append(pair_tables(*sides, ways=1).rows[0].S_pMSE)
    mean, error = np.mean(found), np.std(found, ddof=1) / np.sqrt(200)
    assert abs(mean - 4) < 3 * error
    record = pair_tables(*sides, ways=1).record
    assert "4.00 for a second sample" in " ".join(dict(pair_sentences(record, 1)).values())


def test_of_large_files_a_stated_sample_is_compared_with_its_error() -> None:
    rng = np.random.default_rng(5)
    original = pl.DataFrame({"x": rng.integers(0, 9, 4_000), "y": rng.integers(0, 3, 4_000)})
    copy = pl.DataFrame({"x": rng.integers(0, 6, 3_000), "y": rng.integers(0, 3, 3_000)})
    whole = utility(original, copy, n_permutations=3, seed=1).record
    same = utility(original, copy, n_permutations=3, seed=1, sample=4_000).record
    exact = utility(original, copy, n_permutations=3, seed=1, sample=None).record
    assert whole == same == exact
    assert (whole.sample, whole.rows[0].pMSE_error) == (None, None)
    part = utility(original, copy, n_permutations=3, seed=1, sample=1_000).record
    assert part == utility(original, copy, n_permutations=3, seed=1, sample=1_000).record
    assert (part.sample, part.n_original, part.n_synthetic) == (1_000, 4_000, (3_000,))
    assert part.rows[0].pMSE_error > 0
    assert part.rows[0].pMSE != whole.rows[0].pMSE
    said = " ".join(dict(utility_sentences(part, part.rows[0])).values())
    assert "The model compared 1,000 records of the largest file" in said
    assert f"varies by {part.rows[0].pMSE_error:.6f}" in said
    with pytest.raises(SettingsError, match=r"sample is 0\. It must be a whole number from 1"):
        utility(original, copy, sample=0)


def test_a_sample_of_all_but_a_few_hardly_varies_and_a_logistic_model_takes_one_too() -> None:
    rng = np.random.default_rng(6)
    pair = [pl.DataFrame({"x": rng.integers(0, 9, 3_000)}) for _ in range(2)]
    small, large = (
        utility(*pair, model="logit", seed=2, sample=n).record.rows[0].pMSE_error
        for n in (300, 2_990)
    )
    assert 0 < large < small


@pytest.mark.slow
def test_the_error_of_a_sample_is_how_much_samples_drawn_elsewhere_vary() -> None:
    rng = np.random.default_rng(7)
    original = pl.DataFrame({"x": rng.integers(0, 9, 4_000), "y": rng.integers(0, 3, 4_000)})
    copy = pl.DataFrame({"x": rng.integers(0, 8, 2_000), "y": rng.integers(0, 3, 2_000)})

    def drawn(frame: pl.DataFrame, n: int) -> pl.DataFrame:
        return frame[rng.choice(frame.height, n, replace=False)]

    elsewhere = [
        utility(drawn(original, 800), drawn(copy, 400), model="logit").record.rows[0].pMSE
        for _ in range(80)
    ]
    errors = [
        utility(original, copy, model="logit", seed=seed, sample=800).record.rows[0].pMSE_error
        for seed in range(30)
    ]
    # Each is the deviation of 5 figures: their root mean square estimates the same spread.
    ratio = np.sqrt(np.mean(np.square(errors))) / np.std(elsewhere, ddof=1)
    assert 0.75 < ratio < 1.33

"""Smoothed numbers keep their order, their range and their codes; how many stay is told."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil.view.recoding  # noqa: F401  (teaches records to show themselves)
from profiles import examples
from unveil.errors import InputError
from unveil.io.table import Labelled
from unveil.protection.smooth import smooth
from unveil.records.codebook import Codebook, MissingRange, Variable
from unveil.records.protection import Smoothing

numbers = st.lists(
    st.one_of(st.none(), st.integers(-500, 500).map(lambda one: one / 8)), min_size=1, max_size=40
)


@examples(60)
@given(numbers)
def test_order_range_and_gaps_stay(values):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Float64)})
    made = smooth(frame, "x", special_codes={"x": [-8]}).data["x"].to_list()
    plain = [(old, new) for old, new in zip(values, made, strict=True) if old not in (None, -8)]
    assert [one for one, old in zip(made, values, strict=True) if old is None] == [None] * (
        values.count(None)
    )
    assert all(new == -8 for old, new in zip(values, made, strict=True) if old == -8)
    in_order = [new for _, new in sorted(plain)]
    assert in_order == sorted(in_order)
    assert len({(old, new) for old, new in plain}) == len({old for old, _ in plain})
    if plain:
        assert min(new for _, new in plain) >= min(old for old, _ in plain)
        assert max(new for _, new in plain) <= max(old for old, _ in plain)


def test_a_straight_line_is_smooth_already():
    frame = pl.DataFrame({"x": [0.5 * i for i in range(40)]})
    result = smooth(frame, ["x"])
    assert result.data["x"].to_list() == pytest.approx(frame["x"].to_list(), abs=1e-6)


def test_heaped_amounts_move_and_the_distribution_stays():
    rng = np.random.default_rng(5)
    amounts = np.round(rng.lognormal(7, 0.8, 4000), -2) + 0.5
    result = smooth(pl.DataFrame({"x": amounts}), "x")
    (row,) = result.rows
    assert row.n_changed > 3000
    assert row.mean_after == pytest.approx(row.mean_before, rel=0.01)
    assert row.sd_after == pytest.approx(row.sd_before, rel=0.05)
    assert 0 < row.mean_shift < 0.1 * row.sd_before
    assert Smoothing.from_json(result.to_json()) == result.record
    assert repr(result).splitlines() == [
        "1 column was smoothed over sorted values and put back by rank.",
        "x: 4,000 of 4,000 numbers changed; 0 are the same to six digits.",
    ]
    assert "<table>" in result._repr_html_()


@pytest.mark.slow
def test_whole_numbers_stay_whole_and_the_result_is_the_same_every_time():
    values = np.random.default_rng(1).integers(0, 3000, 5000) // 7 * 7
    frame = pl.DataFrame({"x": values.astype(np.int32)})
    once, again = smooth(frame, "x").data["x"], smooth(frame, "x").data["x"]
    assert once.dtype == pl.Int32
    assert once.to_list() == again.to_list()


@pytest.mark.slow
def test_a_unit_of_measurement_does_not_change_what_is_done():
    values = np.random.default_rng(2).lognormal(3, 1, 300)
    small, large = (smooth(pl.DataFrame({"x": values * by}), "x") for by in (1e-6, 1e6))
    assert (large.data["x"] / 1e12).to_list() == pytest.approx(small.data["x"].to_list(), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("shift", [2.0**20, 2.0**40])
def test_a_large_common_part_does_not_change_what_is_done(shift):
    drawn = np.random.default_rng(1).gamma(2, 5, 300).round(3)
    amounts = (drawn + shift) - shift
    plain, moved = (smooth(pl.DataFrame({"x": amounts + by}), "x").data["x"] for by in (0, shift))
    assert (moved - shift).to_list() == pytest.approx(plain.to_list(), abs=np.spacing(shift))


def test_a_spline_that_would_fall_does_not():
    values = [*map(float, range(10)), 1000.5]
    made = smooth(pl.DataFrame({"x": values}), "x").data["x"].to_list()
    assert made == sorted(made)


def test_clumps_that_a_spline_flattens_are_told():
    clumps = [float(i) + 0.5 for i in range(8)] + [500.5 + i for i in range(8)]
    result = smooth(pl.DataFrame({"x": clumps}), "x")
    assert result.rows[0].mean_shift > 0.1 * result.rows[0].sd_before
    assert repr(result).splitlines()[2] == (
        "x: Its numbers moved by more than a tenth of their standard deviation on average: they lie"
        " in clumps or few, which a spline flattens. Look at them, or round instead."
    )
    assert "which a spline flattens" in result._repr_html_()


def test_too_few_different_numbers_are_left_alone():
    frame = pl.DataFrame({"x": [1, 2, 3, 4] * 20})
    result = smooth(frame, "x")
    assert result.data.equals(frame)
    assert result.rows[0].note == "It has fewer than 5 different numbers, and was left as it is."
    assert "was left as it is" in result._repr_html_()


def test_declared_codes_are_untouched_and_labels_stay():
    values = [float(i) ** 1.5 for i in range(30)] + [-9.0]
    variable = Variable(name="x", kind="number", missing=(-9,))
    book = Codebook(source="a.sav", format="spss", variables=(variable,))
    result = smooth(Labelled(pl.DataFrame({"x": values}), book), "x")
    assert result.data.frame["x"][-1] == -9
    assert result.data.codebook == book
    assert result.rows[0].n_values == 30


def test_numbers_that_stay_are_counted_to_six_digits():
    frame = pl.DataFrame({"x": [1.1 * i for i in range(1, 101)]})
    result = smooth(frame, "x")  # a straight line: equal but for the last bits
    assert result.rows[0].n_changed == 0
    assert repr(result).endswith("x: 0 of 100 numbers changed; 100 are the same to six digits.")


def test_nothing_becomes_a_number_that_stands_for_no_answer():
    drawn = np.random.default_rng(0).uniform(80, 105, 60)
    values = np.round(np.concatenate([drawn, [99.0] * 5]))
    given = smooth(pl.DataFrame({"x": values}), "x", special_codes={"x": [97, 99, 101]}).data["x"]
    special = np.isin(values, [97, 99, 101]).sum()
    assert np.isin(given.to_numpy(), [97, 99, 101]).sum() == special
    gap = Variable(name="x", kind="number", missing_ranges=(MissingRange(lo=99, hi=None),))
    book = Codebook(source="a.sav", format="spss", variables=(gap,))
    made = smooth(Labelled(pl.DataFrame({"x": values}), book), "x").data.frame["x"]
    assert (made >= 99).sum() == (values >= 99).sum()


def test_the_mean_of_very_few_people_is_not_shown():
    frame = pl.DataFrame({"x": [-8, -8, -8, 123457]})
    result = smooth(frame, "x", special_codes={"x": [-8]})
    assert "12345" not in result.to_json()
    assert (result.rows[0].mean_before, result.rows[0].sd_after) == (None, None)


def test_a_column_without_a_name_stays_without_one():
    frame = pl.DataFrame({"": [1, 2, 3, 4, 5, 60], "x": [1, 2, 90, 4, 5, 6]})
    assert smooth(frame, ["", "x"]).data.columns == ["", "x"]


FRAME = pl.DataFrame({"x": [1.5, 2.5], "t": ["a", "b"], "huge": [1.0, 1e200], "long": [1, 2**60]})
COLUMNS = "Its columns are: x, t, huge, long."


@pytest.mark.parametrize(
    ("columns", "codes", "sentence"),
    [
        ("t", None, "Column 't' holds text, not numbers, and cannot be smoothed. Omit it."),
        ("xx", None, f"The dataset has no column 'xx'. Did you mean 'x'? {COLUMNS}"),
        (
            "huge",
            None,
            "The dataset: column 'huge' holds numbers beyond 1e+150. If they are codes, name"
            " them in special_codes.",
        ),
        (
            "long",
            None,
            "The dataset: column 'long' holds whole numbers beyond 9,007,199,254,740,992, too"
            " large to be reckoned with exactly. Drop it, if it is an identifier.",
        ),
        ([], None, "No columns to smooth are given. Name columns of numbers."),
        (["x", "x"], None, "Column 'x' is given twice among the columns to smooth. Name it once."),
        ("x", {"y": 1}, f"The dataset has no column 'y'. {COLUMNS}"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(columns, codes, sentence):
    with pytest.raises(InputError) as refused:
        smooth(FRAME, columns, special_codes=codes)
    assert str(refused.value) == sentence
    assert refused.value.exit_code == 2

"""Noise on a copy: what it changes, what it leaves, and what the public is told."""

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil.view.noise  # noqa: F401  (teaches the record to show itself)
from profiles import examples
from unveil.errors import RolesError, SettingsError
from unveil.io.table import Labelled
from unveil.protection.noise import add_noise
from unveil.records.codebook import Codebook, MissingRange, Variable
from unveil.view.charts.distributions import before_and_after
from unveil.view.noise import noise_sentences

PEOPLE = pl.DataFrame(
    {
        "age": [20, 30, None, 40, -8],
        "sex": ["m", "f", "m", "f", "m"],
        "height": [170.5, 180.25, float("nan"), 165.0, 190.0],
        "dur": [1, 2, 3, 4, 5],
    }
)


def many(n=20_000):
    return pl.DataFrame({"x": np.linspace(-5, 5, n)})


@pytest.mark.parametrize("kind", ["normal", "laplace", "uniform"])
def test_the_noise_has_the_mean_and_the_spread_that_the_statement_says(kind):
    frame = many()
    result = add_noise(frame, columns={"x": {"sigma": 0.5, "noise": kind}}, seed=3)
    moved = (result.data["x"] - frame["x"]).to_numpy()
    assert abs(moved.mean()) < 4 * 0.5 / np.sqrt(len(moved))
    assert moved.std() == pytest.approx(0.5, rel=0.03)
    assert abs(np.corrcoef(moved, frame["x"].to_numpy())[0, 1]) < 0.03
    tail = {"normal": 2.7 / 1e3, "laplace": np.exp(-3 * np.sqrt(2)), "uniform": 0.0}[kind]
    assert (np.abs(moved) > 1.5).mean() == pytest.approx(tail, abs=2e-3)
    displaced = result.record.columns[0].displacement
    assert displaced.sd == pytest.approx(moved.std(), rel=1e-9)
    assert displaced.largest == pytest.approx(np.abs(moved).max(), rel=1e-9)


def test_what_is_missing_and_codes_for_no_answer_are_kept():
    asked = {"age": {"sigma": 3, "special_codes": [-8]}, "height": 1}
    result = add_noise(PEOPLE, columns=asked, seed=1)
    assert result.data["age"].to_list()[2] is None
    assert result.data["age"].to_list()[4] == -8
    assert result.data["height"].to_list()[2] is None
    age = result.record.columns[0]
    assert (age.n_values, age.n_missing, age.n_codes, age.n_changed) == (3, 1, 1, 3)
    assert result.data.columns == PEOPLE.columns
    assert result.data["sex"].equals(PEOPLE["sex"])


def test_codes_and_ranges_declared_in_the_file_are_kept_with_its_codebook():
    codebook = Codebook(
        source="people.sav",
        format="spss",
        variables=(
            Variable(name="age", missing=(-8,)),
            Variable(name="dur", missing_ranges=(MissingRange(lo=4, hi=None),)),
        ),
    )
    given = Labelled(PEOPLE, codebook)
    result = add_noise(given, columns={"age": 3, "dur": 3}, seed=1)
    assert isinstance(result.data, Labelled)
    assert result.data.codebook == codebook
    assert result.data.frame["age"].to_list()[4] == -8
    assert result.data.frame["dur"].to_list()[3:] == [4, 5]
    assert result.data.frame["dur"].to_list()[:3] != [1, 2, 3]


def test_rounding_and_clipping_back_to_plausible_values():
    asked = {"age": {"sigma": 20, "round": 0, "special_codes": [-8]}}
    result = add_noise(PEOPLE, columns=asked, plausible={"age": [16, 40]}, seed=2)
    ages = result.data["age"]
    assert ages.dtype == pl.Int64
    known = ages.drop_nulls().filter(ages.drop_nulls() != -8)
    assert known.is_between(16, 40).all()
    row = result.record.columns[0]
    assert (row.lowest, row.highest, row.decimals) == (16, 40, 0)
    assert row.n_clipped > 0


@examples(15)
@given(st.lists(st.none() | st.integers(-1000, 1000), min_size=1, max_size=20), st.integers(0, 99))
def test_the_same_seed_gives_the_same_noise_and_rows_keep_their_places(values, seed):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Int64)})
    once, again = (add_noise(frame, columns={"x": 0.5}, seed=seed).data["x"] for _ in range(2))
    assert once.equals(again)
    assert [one is None for one in once] == [one is None for one in values]


def test_what_is_missing_does_not_shift_the_noise_of_others():
    full = add_noise(pl.DataFrame({"x": [1.0, 2.0, 3.0]}), columns={"x": 1}, seed=4).data["x"]
    gap = add_noise(pl.DataFrame({"x": [1.0, None, 3.0]}), columns={"x": 1}, seed=4).data["x"]
    assert (gap[0], gap[2]) == (full[0], full[2])


def test_without_a_seed_the_noise_differs():
    once, again = (add_noise(many(10), columns={"x": 1}).data["x"] for _ in range(2))
    assert not once.equals(again)


def test_the_distribution_before_and_after_adds_up():
    row = add_noise(many(1000), columns={"x": 1}, seed=1).record.columns[0]
    assert sum(one.n_before for one in row.bins) == sum(one.n_after for one in row.bins) == 1000
    assert row.before.median == pytest.approx(0, abs=1e-9)
    assert row.after.sd == pytest.approx(np.sqrt(row.before.sd**2 + 1), rel=0.03)
    assert "<svg" in before_and_after(row).svg()


def test_the_statement_is_exactly_this():
    result = add_noise(
        PEOPLE,
        columns={
            "age": {"sigma": 1.7, "round": 0, "clip": [16, 99], "special_codes": [-8]},
            "height": {"sigma": 0.3, "noise": "laplace", "round": 1},
        },
        seed=987654321,
        not_needed={"dur": "cannot be collected elsewhere"},
    )
    assert result.statement == (
        "Noise statement\n"
        "\n"
        "Random noise with mean 0 was added to the following columns, to each value by itself."
        " Missing values and codes for missing values were left as they are. Noise that would"
        " have turned a value into such a code was drawn again.\n"
        "\n"
        "- age: normal noise with standard deviation 1.7, then rounded to whole numbers, then"
        " values below 16 or above 99 set to these.\n"
        "- height: Laplace noise with standard deviation 0.3, then rounded to 1 decimal.\n"
        "\n"
        "No noise was added to dur.\n"
    )


def test_neither_statement_nor_record_holds_ecap_threshold_or_seed():
    result = add_noise(PEOPLE, columns={"height": 0.3}, seed=987654321)
    for text in (result.statement, result.to_json(), repr(result), result._repr_html_()):
        assert "987654321" not in text
        assert not re.search(r"ecap|threshold|seed", text, re.IGNORECASE)


def test_columns_nobody_spoke_of_are_named():
    result = add_noise(PEOPLE, columns={"age": 1}, not_needed={"dur": "known to no one."})
    assert result.record.undeclared == ("height",)
    told = list(noise_sentences(result.record))
    assert "dur needs no noise: known to no one." in told
    assert told[-1].startswith("No noise setting for height.")


def test_noise_that_rounding_undoes_is_warned_of():
    result = add_noise(pl.DataFrame({"n": [1, 2, 3]}), columns={"n": {"sigma": 0.01, "round": 0}})
    assert result.record.warnings == ("Column 'n': rounding has undone the noise.",)
    assert result.data["n"].to_list() == [1, 2, 3]


def test_one_seed_and_two_amounts_do_not_cancel_out():
    frame = many(50)
    half, whole = (add_noise(frame, columns={"x": s}, seed=9).data["x"] for s in (0.5, 1.0))
    assert (2 * half - whole - frame["x"]).abs().median() > 0.1
    kinds = [
        add_noise(frame, columns={"x": {"sigma": 1, "noise": kind}}, seed=9).data["x"]
        for kind in ("normal", "uniform", "laplace")
    ]
    moved = [(one - frame["x"]).to_numpy() for one in kinds]
    assert all(abs(np.corrcoef(moved[0], other)[0, 1]) < 0.5 for other in moved[1:])


def test_noise_turns_no_number_into_a_code_for_no_answer():
    codebook = Codebook(
        source="p.sav",
        format="spss",
        variables=(Variable(name="age", missing_ranges=(MissingRange(lo=97, hi=99),)),),
    )
    given = Labelled(pl.DataFrame({"age": [96] * 1000 + [98]}), codebook)
    asked = {"age": {"sigma": 1, "round": 0, "special_codes": [95]}}
    result = add_noise(given, columns=asked, seed=1)
    ages, row = result.data.frame["age"], result.record.columns[0]
    assert not ages[:1000].is_in([95, 97, 98, 99]).any()
    assert ages[1000] == 98
    assert (ages[:1000] == 96).any()
    assert row.n_codes == 1
    assert 300 < row.n_redrawn < 900
    assert any(
        "would have become codes for missing values" in one
        for one in noise_sentences(result.record)
    )
    assert (
        "Noise that would have turned a value into such a code was drawn again." in result.statement
    )


def test_where_rounding_leads_to_a_code_whatever_the_noise_it_is_refused():
    asked = {"x": {"sigma": 0.001, "round": 0, "special_codes": [97]}}
    with pytest.raises(SettingsError) as fault:
        add_noise(pl.DataFrame({"x": [50.0, 96.9]}), columns=asked)
    assert str(fault.value) == (
        "Rounding or clipping turns numbers of 'x' into codes for missing values whatever the"
        " noise. Round to more decimals, or clip to values that are not codes."
    )


def test_a_sigma_of_zero_is_listed_under_no_noise():
    asked = {"age": {"sigma": 0, "round": 0}, "height": 1, "dur": 0}
    said = add_noise(PEOPLE, columns=asked, seed=1).statement
    head, rest = said.split("No noise was added to age and dur.")
    assert "age" not in head
    assert "- height: normal noise with standard deviation 1." in head
    assert rest == "\n\nChanged without noise:\n\n- age: rounded to whole numbers.\n"
    alone = add_noise(PEOPLE, columns={"dur": 0}).statement
    assert alone == "Noise statement\n\nNo noise was added to dur.\n"


@pytest.mark.parametrize(
    ("clip", "ends", "told"),
    [
        ([2, None], (2, None), "then values below 2 set to it."),
        ([None, 4], (None, 4), "then values above 4 set to it."),
        ([0, float("inf")], (0, None), "then values below 0 set to it."),
        ((-float("inf"), 4.5), (None, 4.5), "then values above 4.5 set to it."),
    ],
)
def test_one_side_may_be_open(clip, ends, told):
    result = add_noise(PEOPLE, columns={"dur": {"sigma": 3, "clip": clip}}, seed=3)
    row = result.record.columns[0]
    assert (row.lowest, row.highest) == ends
    assert told in result.statement
    low, high = (-np.inf if ends[0] is None else ends[0]), (np.inf if ends[1] is None else ends[1])
    assert result.data["dur"].is_between(low, high).all()


def test_ends_taken_from_the_data_are_warned_of_without_naming_them():
    frame = pl.DataFrame({"age": [19.5, 40.0, 87.25]})
    for clip, which in (([19.5, 99], "lowest"), ([0, 87.25], "highest")):
        warnings = add_noise(frame, columns={"age": {"sigma": 1e-6, "clip": clip}}).record.warnings
        told = [one for one in warnings if f"the {which} plausible value is also that of" in one]
        assert len(told) == 1
        assert "87" not in told[0]
    assert add_noise(frame, columns={"age": {"sigma": 1, "clip": [0, 120]}}).record.warnings == ()


def test_numbers_in_the_statement_have_no_exponent():
    frame = pl.DataFrame({"x": [1e6, 2e6]})
    asked = {"x": {"sigma": 1_234_567, "clip": [-1e7, 1e-7]}}
    said = add_noise(frame, columns=asked).statement
    assert "standard deviation 1234567, then values below -10000000 or above 0.0000001 set" in said


def test_rounding_of_decimals_is_not_taken_for_noise():
    frame = pl.DataFrame({"x": np.linspace(20.03, 80.07, 1000)})
    (said,) = add_noise(frame, columns={"x": {"sigma": 0.1, "round": 0}}, seed=1).record.warnings
    assert re.fullmatch(
        r"Column 'x': rounding has undone the noise of 9\d\d of 1,000 values\. For whole numbers"
        r" choose the noise with discrete=True\.",
        said,
    )
    large = add_noise(frame, columns={"x": {"sigma": 3, "round": 0}}, seed=1)
    assert large.record.warnings == ()


def test_whole_numbers_that_a_float_cannot_hold_are_refused():
    with pytest.raises(RolesError, match=r"column 'x' holds a whole number beyond 9,007,199"):
        add_noise(pl.DataFrame({"x": [2**60, 1]}), columns={"x": 1})


def test_a_hostile_name_is_made_visible_in_the_statement():
    frame = pl.DataFrame({"a\x1b[2J\n- b: no noise": [1.0, 2.0]})
    result = add_noise(frame, columns={frame.columns[0]: 1})
    assert "\x1b" not in result.statement
    assert result.statement.count("\n- ") == 1


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        (
            {"columns": {"sex": 1}},
            RolesError,
            "The dataset: column 'sex' holds no numbers, so that noise cannot be added to it."
            " Name a column of numbers, or recode the column instead.",
        ),
        (
            {"columns": {"agee": 1}},
            RolesError,
            "The dataset has no column 'agee'. Did you mean 'age'? Its columns are: age, sex,"
            " height, dur.",
        ),
        (
            {"columns": {"age": {"sigma": -0.1}}},
            SettingsError,
            "sigma is -0.1. It must be a number from 0 to 1e+100, the"
            " standard deviation of the noise.",
        ),
        (
            {"columns": {}},
            SettingsError,
            'State which columns get how much noise, such as columns={"age": {"sigma": 0.1}}.',
        ),
        (
            {"columns": {"age": {"noise": "normal"}}},
            SettingsError,
            "The noise of 'age' has no sigma. State how much.",
        ),
        (
            {"columns": {"age": {"sigma": 1, "rounds": 0}}},
            SettingsError,
            "The noise of 'age' has no setting 'rounds'. Did you mean 'round'? The settings are:"
            " sigma, noise, round, clip, keep_variance, special_codes.",
        ),
        (
            {"columns": {"age": {"sigma": 1, "round": -1}}},
            SettingsError,
            "round of 'age' is -1. It must be a whole number from 0 to 15, a number of decimals.",
        ),
        (
            {"columns": {"age": {"sigma": 1, "clip": [9, 1]}}},
            SettingsError,
            "The plausible values of 'age' cannot be read. Give the lowest and the highest, such as"
            " [16, 99], or None for one of them.",
        ),
        (
            {"columns": {"age": 1}, "plausible": {"dur": [1, 9]}},
            SettingsError,
            "plausible names 'dur', which gets no noise.",
        ),
        (
            {"columns": {"age": 1}, "not_needed": {"dur": ""}},
            SettingsError,
            "Column 'dur' is declared to need no noise, but not why. Give a reason:"
            ' not_needed={"dur": "cannot be collected elsewhere"}.',
        ),
        (
            {"columns": {"age": 1}, "not_needed": {"age": "why"}},
            SettingsError,
            "Column 'age' gets noise and is declared to need none. Choose one.",
        ),
        (
            {"columns": {"age": 1}, "seed": -1},
            SettingsError,
            "The seed is -1. It must be a whole number from 0 to 9,223,372,036,854,775,807.",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(asked, kind, said):
    with pytest.raises(kind) as fault:
        add_noise(PEOPLE, **asked)
    assert str(fault.value) == said

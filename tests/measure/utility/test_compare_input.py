"""What cannot be compared is said in a sentence; what is odd is measured as far as it goes."""

import polars as pl
import pytest

from unveil.errors import InputError, RolesError, SettingsError
from unveil.measure.utility.compare import compare
from unveil.measure.utility.projection import projection
from unveil.measure.utility.tstr import tstr

DATA = pl.DataFrame(
    {
        "sex": ["f", "m"] * 10,
        "age": list(range(20)),
        "same": [1] * 20,
        "none": pl.Series([None] * 20, dtype=pl.Float64),
        "ill": ["yes"] * 5 + ["no"] * 15,
    }
)
OTHER = pl.DataFrame({"a": [1], "b": [2]})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (
            lambda: compare(DATA, OTHER),
            RolesError,
            "The files have no column in common, so nothing can be compared. Columns of the"
            " original: sex, age, same, none, ill.",
        ),
        (
            lambda: compare(pl.DataFrame({"a": [1]}), pl.DataFrame({"17": [1]})),
            RolesError,
            "The files have no column in common, so nothing can be compared. A first line looks"
            " like a record: put a line with the names above it.",
        ),
        (
            lambda: compare(DATA, DATA, columns=["aeg"]),
            RolesError,
            "The original has no column 'aeg'. Did you mean 'age'? Its columns are: sex, age, same,"
            " none, ill.\nThe same is true of every other file.",
        ),
        (
            lambda: compare(DATA, DATA, columns=[]),
            RolesError,
            "No columns are given. Name some, or omit columns for all of them.",
        ),
        (
            lambda: compare(DATA, DATA, special_codes={"agee": [1]}),
            RolesError,
            "special_codes names 'agee', which is not compared. Did you mean 'age'? Compared"
            " columns are: sex, age, same, none, ill.",
        ),
        (
            lambda: compare(DATA, DATA, categories=["ages"]),
            RolesError,
            "categories names 'ages', which is not compared. Did you mean 'age'? Compared columns"
            " are: sex, age, same, none, ill.",
        ),
        (
            lambda: compare(DATA, DATA).pair("age", "sex"),
            RolesError,
            "Column 'sex' holds no numbers. Choose two columns that do.",
        ),
        (
            lambda: compare(DATA, DATA).cloud("age", "age"),
            RolesError,
            "Column 'age' is given twice. Choose two columns.",
        ),
        (
            lambda: compare(DATA, DATA).pair("age", "agee"),
            RolesError,
            "'agee' is not among the compared columns. Did you mean 'age'? They are: sex, age,"
            " same, none, ill.",
        ),
        (
            lambda: projection(DATA, DATA, columns=["same", "age"]),
            SettingsError,
            "The original has too few columns that vary for a picture with two axes. Give it at"
            " least two numbers, or a category of three levels.",
        ),
        (
            lambda: projection(DATA.head(1), DATA),
            SettingsError,
            "The original has too few columns that vary for a picture with two axes. Give it at"
            " least two numbers, or a category of three levels.",
        ),
        (
            lambda: projection(DATA, DATA, kept=[True]),
            SettingsError,
            "kept of copy 1 has 1 truth values, but the synthetic data have 20 records. Give one"
            " for each.",
        ),
        (
            lambda: projection(DATA, DATA, kept=[1] * 20),
            SettingsError,
            "kept of copy 1 must be a list of truth values, one for each of its records.",
        ),
        (
            lambda: projection(DATA, [DATA, DATA], kept=[True] * 20),
            SettingsError,
            "kept must be a list of truth values for each of the 2 copies, None for those without.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome="il"),
            RolesError,
            "The outcome 'il' is not a column of every file. Did you mean 'ill'? Columns of every"
            " file are: sex, age, same, none, ill.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome=["ill"]),
            RolesError,
            "The outcome must be the name of one column, as text; given is list.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome="same"),
            SettingsError,
            "The outcome 'same' has one value only in the original, so there is nothing to predict."
            " Choose another.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome="none"),
            SettingsError,
            "The outcome 'none' has no value in the original, so there is nothing to predict."
            " Choose another.",
        ),
        (
            lambda: tstr(DATA.head(1), DATA, outcome="ill"),
            SettingsError,
            "The outcome 'ill' has one value only in the original, so there is nothing to predict."
            " Choose another.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome="ill", predictors=["ill"]),
            RolesError,
            "The outcome 'ill' cannot predict itself. Remove it from the predictors.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome="ill", predictors=[]),
            RolesError,
            "No predictors are given. Name some, or omit them for all columns.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome="ill", model="forest"),
            SettingsError,
            "model is 'forest'. It must be one of: logistic, tree.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome="ill", kind="regression"),
            SettingsError,
            "The outcome 'ill' holds categories, so no regression can predict it. Use"
            ' kind="classification".',
        ),
        (
            lambda: tstr(DATA, DATA, outcome="ill", folds=1),
            SettingsError,
            "folds is 1. It must be a whole number from 2 to 100.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome="ill", folds=11),
            SettingsError,
            "The original has 20 records with the outcome, too few for 11 folds. Ask for fewer"
            " folds, or give a control.",
        ),
        (
            lambda: tstr(DATA, DATA.with_columns(ill=pl.lit(None)), outcome="ill"),
            SettingsError,
            "The synthetic dataset has no record whose outcome is known. Give another file.",
        ),
        (
            lambda: tstr(DATA.select("ill"), DATA.select("ill"), outcome="ill"),
            RolesError,
            "No column besides the outcome is in every file, so nothing predicts it.",
        ),
        (
            lambda: tstr(DATA, DATA, outcome="ill", seed=-1),
            SettingsError,
            "The seed is -1. It must be a whole number from 0 to 9,223,372,036,854,775,807.",
        ),
    ],
)
def test_the_sentence_says_what_is_wrong_and_what_to_do(call, kind, sentence):
    with pytest.raises(InputError) as fault:
        call()
    assert str(fault.value) == sentence
    assert type(fault.value) is kind
    assert fault.value.exit_code == 2


def test_a_file_of_one_row_is_compared_as_far_as_it_goes():
    record = compare(DATA.head(1), DATA).record
    rows = {row.column: row for row in record.rows}
    assert rows["sex"].total_variation == pytest.approx(0.5)
    assert rows["age"].wasserstein == pytest.approx(9.5)
    assert rows["age"].wasserstein_sd is None
    assert all(row.original is None for row in record.associations)
    assert record.most_changed is None
    reasons = {one.reason for one in record.not_measured if one.field == "wasserstein_sd"}
    assert reasons == {"the original's numbers are all the same, or only one"}


def test_a_constant_column_differs_in_nothing_and_goes_with_nothing():
    record = compare(DATA, DATA).record
    row = next(row for row in record.rows if row.column == "same")
    assert (row.total_variation, row.wasserstein, row.wasserstein_sd) == (0.0, 0.0, None)
    of_it = [one for one in record.associations if "same" in (one.a, one.b)]
    assert of_it
    assert all(one.difference is None for one in of_it)


def test_a_column_of_nothing_has_no_numbers_but_a_share_of_missing():
    record = compare(DATA, DATA.with_columns(none=pl.lit(1.5))).record
    row = next(row for row in record.rows if row.column == "none")
    assert (row.wasserstein, row.total_variation, row.missing_difference) == (None, 1.0, -100.0)
    both = compare(DATA, DATA).record
    row = next(row for row in both.rows if row.column == "none")
    assert row.total_variation == 0.0


def test_infinite_numbers_and_numbers_near_the_end_of_the_scale_are_no_trouble():
    data = pl.DataFrame({"x": [float("inf"), -1.7e308, 1.7e308, 0.0], "y": [1, 2, 3, 4]})
    record = compare(data, data).record
    levels = record.distribution_of("x").levels
    assert [one.level for one in levels] == ["inf"]
    assert record.to_json()


def test_the_odd_columns_are_dropped_from_a_projection_with_a_reason():
    record = projection(DATA, DATA).record
    assert {one.column: one.reason for one in record.dropped_columns} == {
        "same": "it has one value only in the original",
        "none": "it has no value in the original",
    }

"""From a labelled file to a labelled copy, in every format: what is declared, and what is held."""

import math
from datetime import date, timedelta

import numpy as np
import polars as pl
import pyreadstat
import pytest
from click.testing import CliRunner

import unveil
from unveil.cli.synthesise import synthesise
from unveil.io.numbers import TAGS

N = 600
EPOCH = date(1582, 10, 14)
LABEL = "FAKE: synthetic data, no real people"


def people(seed=1):
    """Codes with and without a level of measurement, missing codes, dates, whole numbers."""
    rng = np.random.default_rng(seed)
    age = rng.integers(16, 90, N)
    born = [date(2024, 1, 1) - timedelta(days=int(years) * 365) for years in age]
    income = np.where(age < 20, -8.0, np.round(age * 20 + rng.normal(0, 200, N)))
    income[rng.random(N) < 0.1] = 99999.0
    income[rng.random(N) < 0.05] = math.nan
    return pl.DataFrame(
        {
            "sex": rng.choice([1.0, 2.0, 9.0], N, p=[0.5, 0.45, 0.05]),
            "health": np.clip(np.round(age / 20 + rng.normal(0, 0.7, N)), 1, 5),
            "age": age.astype(float),
            "income": pl.Series(income).fill_nan(None),
            "region": rng.choice(["n", "s", "xx"], N, p=[0.6, 0.35, 0.05]),
            "born": [float((day - EPOCH).days * 86400) for day in born],
        }
    )


def spss_file(path):
    pyreadstat.write_sav(
        people(),
        path,
        file_label="A survey",
        column_labels={"sex": "Sex of the person", "income": "Income, by month"},
        variable_value_labels={
            "sex": {1: "Male", 2: "Female", 9: "Refused"},
            "health": {1: "very good", 2: "good", 3: "fair", 4: "bad", 5: "very bad"},
            "income": {-8: "No income", 99999: "Refused"},
            "region": {"n": "North", "s": "Süd"},
        },
        missing_ranges={
            "sex": [9],
            "income": [{"lo": -math.inf, "hi": -8}, 99999],
            "region": ["xx"],
        },
        variable_measure={"health": "ordinal"},
        variable_display_width={"sex": 5},
        variable_format={"sex": "F1.0", "age": "F3.0", "income": "COMMA10.2", "born": "EDATE10"},
    )
    return path


def stata_file(path):
    rng = np.random.default_rng(2)
    pay = np.round(rng.normal(2_000, 300, N), 2).astype(object)
    pay[rng.random(N) < 0.1], pay[rng.random(N) < 0.1], pay[rng.random(N) < 0.1] = "a", "b", None
    ill = rng.choice(np.array([1, 2, "a"], dtype=object), N, p=[0.3, 0.6, 0.1])
    frame = pl.DataFrame(
        [
            pl.Series("ill", ill, dtype=pl.Object),
            pl.Series("pay", pay, dtype=pl.Object),
            pl.Series("n", rng.integers(0, 9, N), dtype=pl.Int32),
            pl.Series("born", 90.0 * rng.integers(-100, 100, N)),
        ]
    )
    pyreadstat.write_dta(
        frame,
        path,
        version=14,
        column_labels={"pay": "Pay in a month"},
        variable_value_labels={"ill": {1: "Yes", 2: "No", "a": "Refused"}},
        missing_user_values={"ill": ["a"], "pay": ["a", "b"]},
        variable_format={"born": "%tdD_m_Y"},
    )
    return path


def copied(original, folder, *asked):
    arguments = [str(original), "--out", str(folder), "--seed", "1", *asked]
    done = CliRunner().invoke(synthesise, arguments)
    assert done.exception is None, done.exception
    return unveil.read_file(folder / f"FAKE_{original.name}"), unveil.read_file(original)


def rates(frame, column, values):
    return [(frame[column] == value).sum() / len(frame) for value in values]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["sav", "zsav", "parquet", "csv"])
@pytest.mark.parametrize("method", ["cart", "parametric"])
def test_an_spss_survey_has_a_copy_declared_like_it(ending, method, tmp_path):
    path = spss_file(tmp_path / "in.sav")
    if ending != "sav":
        unveil.write_file(path, tmp_path / f"in.{ending}", fake=False)
    copy, original = copied(tmp_path / f"in.{ending}", tmp_path / "out", "--method", method)
    assert copy.codebook.variables == original.codebook.variables
    assert copy.codebook.file_label == LABEL
    assert copy.frame.schema == original.frame.schema
    assert original.frame.schema["born"] == pl.Date
    for name in copy.frame.columns:
        assert set(copy.frame[name]) <= set(original.frame[name]), name
    assert copy.codebook.variable("income").missing_ranges[0].hi == -8
    assert copy.codebook.variable("born").format == "EDATE10"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cart", "parametric"])
def test_missing_codes_of_spss_are_states_of_their_own(method, tmp_path):
    path = spss_file(tmp_path / "in.sav")
    copy, original = copied(path, tmp_path / "out", "--method", method)
    expected = rates(original.frame, "income", [-8, 99999])
    assert rates(copy.frame, "income", [-8, 99999]) == pytest.approx(expected, abs=0.05)
    expected = original.frame["income"].null_count() / N
    assert copy.frame["income"].null_count() / N == pytest.approx(expected, abs=0.04)
    columns = {column.name: column for column in unveil.synthesise(path).record.columns}
    assert (columns["income"].kind, columns["income"].n_states) == ("number", 4)
    # Labels on all codes, and no level of measurement: a category all the same.
    assert original.codebook.variable("sex").measure is None
    assert columns["sex"].kind == "category"
    assert columns["health"].kind == "ordered"
    assert columns["age"].kind == "number"


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["dta", "parquet", "csv"])
@pytest.mark.parametrize("method", ["cart", "parametric"])
def test_letters_of_stata_are_states_and_come_back(ending, method, tmp_path):
    path = stata_file(tmp_path / "in.dta")
    if ending != "dta":
        unveil.write_file(path, tmp_path / f"in.{ending}", fake=False)
    copy, original = copied(tmp_path / f"in.{ending}", tmp_path / "out", "--method", method)
    assert copy.codebook.variables == original.codebook.variables
    assert copy.frame.schema == original.frame.schema
    is_text = original.frame.schema["pay"] == pl.String  # as letters among numbers are in CSV
    assert is_text == (ending == "csv")
    letters = [".a", ".b"] if is_text else [TAGS[".a"], TAGS[".b"]]
    expected = rates(original.frame, "pay", letters)
    assert min(expected) > 0.05
    assert rates(copy.frame, "pay", letters) == pytest.approx(expected, abs=0.05)
    for name in copy.frame.columns:
        assert set(copy.frame[name]) <= set(original.frame[name]), name
    columns = unveil.synthesise(tmp_path / f"in.{ending}", method=method).record.columns
    assert [column.kind for column in columns] == ["category", "number", "number", "number"]
    assert columns[1].n_states == 4
    assert set(copy.frame["ill"]) == set(original.frame["ill"])
    assert copy.frame["pay"].null_count() > 0


def test_smooth_numbers_keep_their_missing_codes_apart(tmp_path):
    path = spss_file(tmp_path / "in.sav")
    copy, original = copied(path, tmp_path / "out", "--smoothing", "density")
    amounts = copy.frame.filter(pl.col("income").is_between(-8, 99999, closed="none"))["income"]
    assert len(set(amounts) - set(original.frame["income"])) > 50
    assert (amounts == amounts.round()).all()
    assert copy.frame["income"].is_between(-8, 99999).sum() == copy.frame["income"].count()
    assert (copy.frame["income"] == -8).sum() > 0


def test_categories_keep_their_order_in_parquet(tmp_path):
    order = pl.Enum(["low", "middle", "high", "never met"])
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "level": pl.Series(rng.choice(["high", "low", "middle"], 200), dtype=order),
            "when": pl.Series(10**13 * rng.integers(0, 100, 200)).cast(pl.Datetime("us")),
            "small": pl.Series(rng.integers(-5, 5, 200), dtype=pl.Int8),
            "truth": rng.random(200) < 0.5,
        }
    )
    frame.write_parquet(tmp_path / "in.parquet")
    copy, _ = copied(tmp_path / "in.parquet", tmp_path / "out")
    assert copy.frame.schema == frame.schema
    assert copy.frame["level"].dtype.categories.to_list() == [*order.categories]


def test_a_rule_names_codes_by_label_and_holds_in_the_file(tmp_path):
    path = spss_file(tmp_path / "in.sav")
    rule = "if sex = Refused then health = 'very bad'"
    copy, _ = copied(path, tmp_path / "out", "--rule", rule)
    assert set(copy.frame.filter(pl.col("sex") == 9)["health"]) == {5.0}


def test_a_loaded_model_writes_the_same_file(tmp_path):
    path = spss_file(tmp_path / "in.sav")
    made = unveil.synthesise(path, seed=4)
    made.save(tmp_path / "CONFIDENTIAL.model")
    again = unveil.Synthesiser.load(tmp_path / "CONFIDENTIAL.model")
    files = []
    for name, synthesiser in (("one", made), ("two", again)):
        target = tmp_path / name / "in.sav"
        unveil.write_file(synthesiser.sample()[0], target, codebook=synthesiser.codebook)
        files.append((tmp_path / name / "FAKE_in.sav").read_bytes())
    assert files[0] == files[1]

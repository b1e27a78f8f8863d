"""Bad input to GTCAP: the exact sentence for each."""

import polars as pl
import pytest

from unveil.errors import AlignError, ReadError, RolesError, SettingsError
from unveil.measure.cap.gtcap import gtcap

FRAME = pl.DataFrame(
    {"sex": ["m", "f"], "age": [30, 40], "time": [True, False], "ill": ["yes", "no"]}
)
EMPTY = pl.DataFrame(
    {"sex": ["m", "f"], "age": [None, None], "ill": ["yes", "no"]},
    schema_overrides={"age": pl.Int64},
)
NEAR = (
    " Write how far apart two values may be and still count as near: a number above 0, or 0 for"
    " equal values only."
)
GIVEN = {"keys": ["sex", "age"], "target": "ill", "radii": {"age": 5}}

BAD = {
    "unknown key": (
        {"keys": ["sex", "aeg"]},
        RolesError,
        "The original has no column 'aeg'. Did you mean 'age'? Its columns are: sex, age, time,"
        " ill.\nThe same is true of every other file.",
    ),
    "unknown target": (
        {"target": "hiv"},
        RolesError,
        "The original has no column 'hiv'. Its columns are: sex, age, time, ill."
        "\nThe same is true of every other file.",
    ),
    "no keys": (
        {"keys": []},
        RolesError,
        "No keys are given. Name the columns an intruder would know.",
    ),
    "no target": (
        {"target": []},
        RolesError,
        "No target is given. Name the column an intruder would learn.",
    ),
    "target of nothing": (
        {"target": None},
        RolesError,
        "No target is given. Name the column an intruder would learn.",
    ),
    "key and target": (
        {"target": "sex"},
        RolesError,
        "'sex' cannot be key and target of the same scenario: what the intruder knows already"
        " cannot be disclosed. Remove it from one of the two.",
    ),
    "radius of a misspelt column": (
        {"radii": {"aeg": 5}},
        RolesError,
        "A radius is given for 'aeg', which is neither key nor target. Did you mean 'age'? Keys and"
        " targets are: sex, age, ill.",
    ),
    "radius missing": (
        {"radii": {"age": None}},
        SettingsError,
        f"The radius of column 'age' is None, which is not a number.{NEAR}",
    ),
    "radius negative": (
        {"radii": {"age": -1}},
        SettingsError,
        f"The radius of column 'age' is -1, below 0.{NEAR}",
    ),
    "radius NaN": (
        {"radii": {"age": float("nan")}},
        SettingsError,
        f"The radius of column 'age' is nan, which is not a finite number.{NEAR}",
    ),
    "radius infinite": (
        {"radii": {"age": float("inf")}},
        SettingsError,
        f"The radius of column 'age' is inf, which is not a finite number.{NEAR}",
    ),
    "radius too small": (
        {"radii": {"age": 1e-250}},
        SettingsError,
        f"The radius of column 'age' is 1e-250, beyond what can be computed.{NEAR}",
    ),
    "radius of words": (
        {"radii": {"age": "wide"}},
        SettingsError,
        f"The radius of column 'age' is 'wide', which is not a number.{NEAR}",
    ),
    "radius with a decimal comma": (
        {"radii": {"age": "2,5"}},
        SettingsError,
        f"The radius of column 'age' is '2,5', which is not a number.{NEAR}",
    ),
    "radius a truth value": (
        {"radii": {"age": True}},
        SettingsError,
        f"The radius of column 'age' is True, which is not a number.{NEAR}",
    ),
    "two faults at once": (
        {"radii": {"age": -1, 7: 2}},
        SettingsError,
        f"The radius of column 'age' is -1, below 0.{NEAR}\nA column in radii is 7, which is not"
        " text. Name the columns, as in {'age': 5}.",
    ),
    "radii without columns": (
        {"radii": 5},
        SettingsError,
        "radii is 5. Name the columns, as in {'age': 5}.",
    ),
    "radius of text": (
        {"radii": {"sex": 1}},
        AlignError,
        "Column 'sex' holds text, not numbers, and cannot have a radius. Omit it: the column is"
        " then compared level by level.",
    ),
    "radius of truth values": (
        {"keys": "time", "radii": {"time": 1}},
        AlignError,
        "Column 'time' holds truth values, not numbers, and cannot have a radius. Omit it: the"
        " column is then compared level by level.",
    ),
    "bands and a radius": (
        {"bands": {"age": 2}},
        SettingsError,
        "Column 'age' has bands and a radius. Give one of the two.",
    ),
    "bands of another column": (
        {"bands": {"time": 2}},
        RolesError,
        "Bands or special codes are given for 'time', which is neither key nor target. Keys and"
        " targets are: sex, age, ill.",
    ),
    "unknown rule": (
        {"unique_rule": "all_key"},
        SettingsError,
        "unique_rule is 'all_key'. Did you mean 'all_keys'? It must be one of: all_keys, key,"
        " joint, equal.",
    ),
    "unknown coefficient": (
        {"coefficient": None},
        SettingsError,
        "coefficient is None. It must be one of: mean, product, minimum.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(case):
    given, error, sentence = BAD[case]
    with pytest.raises(error) as refusal:
        gtcap(FRAME, FRAME, **{**GIVEN, **given})
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("pair", "place"), [((EMPTY, FRAME), "original"), ((FRAME, EMPTY), "copy")]
)
def test_a_numeric_key_that_one_side_does_not_have_is_refused(pair, place):
    with pytest.raises(AlignError) as refusal:
        gtcap(*pair, **GIVEN)
    whose = "the original" if place == "original" else "the synthetic dataset"
    assert str(refusal.value).startswith(
        f"Key 'age' is empty throughout {whose}. Nothing would match"
    )


def test_a_numeric_key_that_neither_side_has_matches_everywhere():
    result = gtcap(EMPTY, EMPTY, **GIVEN)
    assert (result.n_unique, result.mean) == (2, 1.0)


def test_a_categorical_key_without_a_common_level_is_refused():
    other = FRAME.with_columns(sex=pl.Series(["1", "2"]))
    with pytest.raises(AlignError) as refusal:
        gtcap(FRAME, other, **GIVEN)
    assert str(refusal.value).startswith("Key 'sex' has no level in common between the original")


def test_no_copy_is_refused():
    with pytest.raises(ReadError, match="No synthetic data are given"):
        gtcap(FRAME, [], **GIVEN)


def test_text_radii_are_read():
    assert (
        gtcap(FRAME, FRAME, **{**GIVEN, "radii": {"age": " 11.5 "}}).record.radii[0].radius == 11.5
    )


def test_no_value_of_the_data_is_in_a_refusal():
    secret = pl.DataFrame({"sex": ["m", "f"], "age": ["HIV positive", "31"], "ill": ["yes", "no"]})
    for pair in ((secret, secret), (FRAME, secret)):
        with pytest.raises(AlignError) as refusal:
            gtcap(*pair, **GIVEN)
        assert "HIV" not in str(refusal.value)

"""Bad input to inference and linkability: the exact sentence for each."""

import polars as pl
import pytest

from unveil.errors import AlignError, InputError, ReadError, RolesError, SettingsError
from unveil.measure.attacks.inference import inference
from unveil.measure.attacks.linkability import linkability

FRAME = pl.DataFrame(
    {"age": [30, 40, 50], "sex": ["m", "f", "f"], "ill": ["yes", "no", "no"], "one": [1, 1, 1]}
)
COLUMNS = "age, sex, ill, one"

INFERENCE = {
    "secret among the keys": (
        {"keys": ["age", "sex"], "secrets": "sex"},
        RolesError,
        "'sex' cannot be key and secret: what the intruder knows already cannot be inferred."
        " Remove it from one of the two.",
    ),
    "no keys": (
        {"keys": []},
        RolesError,
        "No keys are given. Name the columns the intruder would know, or omit keys.",
    ),
    "no secrets": (
        {"secrets": []},
        RolesError,
        "No secrets are given. Name the columns the intruder would learn, or omit secrets.",
    ),
    "a key twice": (
        {"keys": ["age", "age"]},
        RolesError,
        "Column 'age' is given twice among the keys. Name it once.",
    ),
    "every column is a key": (
        {"keys": COLUMNS.split(", ")},
        RolesError,
        "Every column is a key, so there is nothing to infer. Name fewer keys.",
    ),
    "unknown secret": (
        {"secrets": "il"},
        RolesError,
        f"None of the files has a column 'il'. Did you mean 'ill'? The columns of the original are:"
        f" {COLUMNS}.",
    ),
    "unknown secret of named keys": (
        {"secrets": "il", "keys": "age"},
        RolesError,
        f"The original has no column 'il'. Did you mean 'ill'? Its columns are: {COLUMNS}."
        "\nThe same is true of every other file.",
    ),
    "no range": (
        {"secrets": "ill", "keys": "one"},
        RolesError,
        "What the intruder knows (one) has one value throughout and no range, so no record is"
        " nearer than another. Name other columns.",
    ),
    "control without the columns": (
        {"control": FRAME.drop("sex"), "secrets": "sex"},
        RolesError,
        "The control sample has no column 'sex'. Its columns are: age, ill, one.",
    ),
    "empty control": (
        {"control": FRAME[:0]},
        ReadError,
        "The control sample has columns but no rows. Check how the frame was made.",
    ),
    "empty copy": (
        {"synthetic": FRAME[:0]},
        ReadError,
        "The synthetic dataset has columns but no rows. Check how the frame was made.",
    ),
    "empty original": (
        {"original": FRAME[:0]},
        ReadError,
        "The original has columns but no rows. Check how the frame was made.",
    ),
    "one column": (
        {"original": FRAME.select("age"), "synthetic": FRAME.select("age")},
        RolesError,
        "There is no other column from which 'age' could be inferred. Give files with two columns"
        " or more.",
    ),
    "nothing in common": (
        {"original": FRAME.select("age"), "synthetic": FRAME.select("sex")},
        RolesError,
        "The files have no column in common, so there is nothing to compare. Give the columns the"
        " same names in every file.",
    ),
    "two copies": (
        {"synthetic": [FRAME, FRAME]},
        SettingsError,
        "2 copies are given, but an attack uses one file at a time. Name one file or frame.",
    ),
    "no copy": (
        {"synthetic": []},
        SettingsError,
        "0 copies are given, but an attack uses one file at a time. Name one file or frame.",
    ),
    "negative tolerance": (
        {"tolerance": -0.1},
        SettingsError,
        "tolerance is -0.1. It must be a number from 0 on, a share of the truth such as 0.05.",
    ),
    "absolute is a number": (
        {"absolute": 5},
        SettingsError,
        "absolute is 5. Name the columns, as in {'income': 50}.",
    ),
    "absolute is text": (
        {"absolute": {"age": "5"}},
        SettingsError,
        "The absolute tolerance of 'age' is '5'. It must be a number from 0 on.",
    ),
    "absolute of an unknown column": (
        {"absolute": {"aeg": 5}},
        RolesError,
        f"absolute names 'aeg', which is not compared. Did you mean 'age'? The columns are:"
        f" {COLUMNS}.",
    ),
    "absolute of texts": (
        {"absolute": {"sex": 5}},
        SettingsError,
        "A tolerance needs numbers, and 'sex' has none. Omit its tolerance.",
    ),
    "unknown categorical": (
        {"categorical": "aeg"},
        RolesError,
        f"categorical names 'aeg', which is not compared. Did you mean 'age'? The columns are:"
        f" {COLUMNS}.",
    ),
    "special codes of an unknown column": (
        {"special_codes": {"aeg": [-9]}},
        RolesError,
        f"Special codes are given for 'aeg', which is not compared. Did you mean 'age'? The columns"
        f" are: {COLUMNS}.",
    ),
    "special codes of texts": (
        {"special_codes": {"sex": [-9]}},
        AlignError,
        "Special codes are given for column 'sex', which holds no numbers. Omit them.",
    ),
    "nobody": ({"n": 0}, SettingsError, "n is 0. It must be a whole number from 1 on."),
    "half a person": ({"n": 2.5}, SettingsError, "n is 2.5. It must be a whole number from 1 on."),
    "level in percent": (
        {"level": 95},
        SettingsError,
        "level is 95. It must be a number between 0 and 1, such as 0.95.",
    ),
    "level of nothing": (
        {"level": float("nan")},
        SettingsError,
        "level is nan. It must be a number between 0 and 1, such as 0.95.",
    ),
    "negative seed": (
        {"seed": -1},
        SettingsError,
        "The seed is -1. It must be a whole number from 0 to 9,223,372,036,854,775,807.",
    ),
}

TWO_SETS = (
    " Give two, one for each file that is to be linked, such as (['age', 'sex'], ['income'])."
)

LINKABILITY = {
    "overlapping sets": (
        {"columns": (["age", "sex"], ["sex", "ill"])},
        RolesError,
        "'sex' cannot be in both sets of columns: the two files could be linked by it without the"
        " synthetic data. Remove it from one of the two.",
    ),
    "one set": ({"columns": ["age"]}, RolesError, f"The number of sets of columns is 1.{TWO_SETS}"),
    "a text": ({"columns": "age"}, RolesError, f"columns is 'age'.{TWO_SETS}"),
    "an empty set": (
        {"columns": (["age"], [])},
        RolesError,
        "One of the two sets of columns is empty. Name at least one column in each.",
    ),
    "unknown column": (
        {"columns": (["aeg"], ["sex"])},
        RolesError,
        f"The original has no column 'aeg'. Did you mean 'age'? Its columns are: {COLUMNS}."
        "\nThe same is true of every other file.",
    ),
    "k larger than the synthetic data": (
        {"k": 4},
        SettingsError,
        "k is 4, but the synthetic data have 3 records. Give a smaller k.",
    ),
    "no neighbour": ({"k": 0}, SettingsError, "k is 0. It must be a whole number from 1 on."),
    "no range": (
        {"columns": ("one", "sex")},
        RolesError,
        "What the intruder knows (one) has one value throughout and no range, so no record is"
        " nearer than another. Name other columns.",
    ),
    "control without the columns": (
        {"control": FRAME.drop("sex")},
        RolesError,
        "The control sample has no column 'sex'. Its columns are: age, ill, one.",
    ),
}


def refused(call, given):
    with pytest.raises(InputError) as caught:
        call(given.pop("original", FRAME), given.pop("synthetic", FRAME), **given)
    assert caught.value.exit_code == 2
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize("case", INFERENCE)
def test_inference_refuses(case):
    given, kind, sentence = INFERENCE[case]
    assert refused(inference, {**given}) == (kind, sentence)


@pytest.mark.parametrize("case", LINKABILITY)
def test_linkability_refuses(case):
    given, kind, sentence = LINKABILITY[case]
    assert refused(linkability, {"columns": ("age", "sex"), **given}) == (kind, sentence)


def test_no_message_and_no_view_has_a_value_of_the_data():
    secret = pl.DataFrame({"age": [30.0, float("inf")], "sex": ["Zaphod", "Trillian"]})
    with pytest.raises(AlignError) as caught:
        inference(secret, secret, secrets="sex")
    assert "Zaphod" not in str(caught.value)
    found = inference(FRAME, FRAME, secrets="ill", groups=False, seed=1)
    assert "yes" not in repr(found)

"""What cannot be measured as asked is refused in one sentence that says what to do."""

import polars as pl
import pytest

from measure.small import ORIGINAL, SYNTHETIC, people
from unveil.errors import AlignError, ReadError, RolesError, SettingsError
from unveil.io.table import mid_sentence, place_of
from unveil.measure.cap.differential import differential_confidentiality

WHOLE = "It must be a whole number"
SHARE = "It must be a number between 0 and 1, such as 0.02 for two points."
CONFIDENCE = "It must be a number from 0.5 to below 1, such as 0.95."
RULES = "It must be one of: zero, undefined."


def measured(included=None, left_out=None, synthetic=None, **asked):
    asked = {"keys": ["k1", "k2"], "target": "t", **asked}
    everyone = people(ORIGINAL)
    return differential_confidentiality(
        everyone if included is None else included,
        everyone if left_out is None else left_out,
        people(SYNTHETIC) if synthetic is None else synthetic,
        **asked,
    )


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"margin": 0}, f"The margin is 0. {SHARE}"),
        ({"margin": -0.1}, f"The margin is -0.1. {SHARE}"),
        ({"margin": 2}, f"The margin is 2. {SHARE}"),
        ({"margin": float("nan")}, f"The margin is nan. {SHARE}"),
        ({"margin": "wide"}, f"The margin is 'wide'. {SHARE}"),
        ({"margin": True}, f"The margin is True. {SHARE}"),
        ({"confidence": 95}, f"The confidence is 95. {CONFIDENCE}"),
        ({"confidence": 0.05}, f"The confidence is 0.05. {CONFIDENCE}"),
        ({"confidence": None}, f"The confidence is None. {CONFIDENCE}"),
        ({"n_bootstrap": 10}, f"n_bootstrap is 10. {WHOLE} from 100 to 1,000,000."),
        ({"n_bootstrap": 1e9}, f"n_bootstrap is 1000000000. {WHOLE} from 100 to 1,000,000."),
        ({"n_bootstrap": 200.5}, f"n_bootstrap is 200.5. {WHOLE} from 100 to 1,000,000."),
        ({"n_bootstrap": float("inf")}, f"n_bootstrap is inf. {WHOLE} from 100 to 1,000,000."),
        ({"seed": "one"}, f"The seed is 'one'. {WHOLE} from 0 to 9,223,372,036,854,775,807."),
        ({"seed": -1}, f"The seed is -1. {WHOLE} from 0 to 9,223,372,036,854,775,807."),
        (
            {"nonmatch": "undefind"},
            f"The rule for people without a match is 'undefind'. Did you mean 'undefined'? {RULES}",
        ),
        ({"nonmatch": None}, f"The rule for people without a match is None. {RULES}"),
        ({"nonmatch": ["zero"]}, f"The rule for people without a match is of type list. {RULES}"),
        ({"missing_values": [1]}, 'missing_values must be texts, such as ["NA", "-9"].'),
    ],
)
def test_a_setting_that_means_nothing(asked, sentence):
    with pytest.raises(SettingsError) as refused:
        measured(**asked)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"target": []}, "No target is given. Name the column that an intruder would guess."),
        ({"keys": []}, "No keys are given. Name the columns an intruder would know."),
        ({"target": 3}, "Target must be column names, as text; given is int."),
        (
            {"target": ["t", "t"]},
            "Column 't' is given twice among the target. Name it once.",
        ),
        (
            {"target": "k1"},
            "'k1' cannot be key and target of the same scenario: what the intruder knows already"
            " cannot be disclosed. Remove it from one of the two.",
        ),
    ],
)
def test_roles_that_do_not_fit(asked, sentence):
    with pytest.raises(RolesError) as refused:
        measured(**asked)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(("part", "side"), [("included", "included"), ("left_out", "left out")])
def test_a_column_that_one_part_lacks_is_named_with_the_part(part, side):
    with pytest.raises(RolesError) as refused:
        measured(**{part: people(ORIGINAL).drop("t")})
    assert str(refused.value) == (f"{place_of(side)} has no column 't'. Its columns are: k1, k2.")


def test_no_copy_is_refused():
    with pytest.raises(ReadError) as refused:
        measured(synthetic=[])
    assert str(refused.value) == "No synthetic data are given. Name at least one file or frame."


def test_an_empty_part_is_refused():
    with pytest.raises(ReadError) as refused:
        measured(left_out=people(ORIGINAL).clear())
    assert str(refused.value) == (
        f"{place_of('left out')} has columns but no rows. Check how the frame was made."
    )


def test_keys_that_cannot_meet_are_refused():
    numbers = people(SYNTHETIC).with_columns(k1=pl.lit(1))
    with pytest.raises(AlignError) as refused:
        measured(synthetic=numbers)
    assert mid_sentence(place_of("included")) in str(refused.value)
    assert "the risk would look like zero" in str(refused.value)


def test_a_text_that_means_missing_is_missing():
    marked = people([row.replace("p", "?") for row in ORIGINAL])
    copy = people(["axp", "byq"]).with_columns(t=pl.Series([None, "q"], dtype=pl.String))
    asked = {"seed": 1, "n_bootstrap": 100}
    row = measured(marked, marked, copy, missing_values="?", **asked).rows[0]
    # a x with a missing t is one of the two people of a x; b y q are both right.
    assert row.mean_included == pytest.approx(3 / 6)

"""What the user is told of columns that give persons away, or are not what they seem."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from unveil.errors import SettingsError
from unveil.synthesis.synthesise import synthesise

RNG = np.random.default_rng(1)


def test_numbers_that_most_people_have_to_themselves_are_told_of_unless_they_are_smoothed():
    bills = [*RNG.normal(size=30).round(6), *[9.5] * 10]
    frame = pl.DataFrame({"x": [1, 2] * 20, "bill": bills, "fee": [1.5, 2.5] * 20})
    made = synthesise(frame, seed=1)
    assert set(made.copies[0]["bill"]) <= set(bills)
    assert made.record.notes == (
        "Most people have a number that no one else has in bill (30 of 40). The synthetic data"
        " repeat such numbers exactly. Smooth them (smooth; --smooth NAMES), or round the column"
        " first (recoding step round).",
    )
    smooth = synthesise(frame, smoothing="density", seed=1)
    assert len(set(smooth.copies[0]["bill"]) & set(bills)) < 10
    assert smooth.record.notes == ()


def test_levels_that_one_person_alone_has_are_told_by_their_number_and_not_by_name():
    frame = pl.DataFrame(
        {
            "job": ["clerk"] * 18 + ["nurse"] * 20 + ["pilot", "astronaut"],
            "town": ["north", "south"] * 20,
            "area": [None, *["p", "q", "r"] * 13],
            "kept": ["u"] + ["v"] * 39,
        }
    )
    made = synthesise(frame, keep="kept", seed=1)
    assert made.record.warnings[0] == (
        "Levels held by one person only: job (2), kept (1). Where the synthetic data hold"
        " such a level, they disclose that it occurs in the original. Merge rare levels first"
        " (merge_rare)."
    )


def test_special_codes_of_a_date_are_told_to_be_idle():
    frame = pl.DataFrame({"x": [1, 2] * 20, "born": [dt.date(1950, 1, n) for n in (1, 2)] * 20})
    assert synthesise(frame, special_codes={"born": [-8]}, seed=1).record.notes == (
        "The special codes of 'born' are not used: the column holds dates or times, not numbers.",
    )


def test_a_column_with_fewer_plain_values_than_a_leaf_is_told_of():
    frame = pl.DataFrame({"x": [1, 2] * 50, "rare": [77, *[None] * 99]})
    told = synthesise(frame, seed=1).record.columns[1].notes
    assert told == (
        "rare has fewer than 10 plain values to draw from (min_leaf): every plain value of the"
        " synthetic data is one of these.",
    )
    assert synthesise(frame, min_leaf=1, seed=1).record.columns[1].notes == ()


def test_the_least_spread_is_not_asked_of_what_is_missing():
    # Who is below 50 has no income: leaves of one state alone, which no spread may give up.
    age = RNG.integers(20, 80, 1_000)
    income = np.where(age < 50, np.nan, RNG.normal(size=1_000))
    frame = pl.DataFrame({"age": age, "income": pl.Series(income).fill_nan(None)})
    copy = synthesise(frame, min_spread=0.3, seed=1).copies[0]
    assert copy["income"].is_null().to_list() == (copy["age"] < 50).to_list()


@pytest.mark.parametrize(("n_people", "hint"), [(4, ""), (5, " Did you mean 'widowed'?")])
def test_a_level_is_quoted_only_where_five_people_have_it(n_people, hint):
    status = ["single"] * (60 - n_people) + ["widowed"] * n_people
    frame = pl.DataFrame({"age": [1, 2] * 30, "status": status})
    with pytest.raises(SettingsError) as caught:
        synthesise(frame, rules=["if age = 1 then status = widwed"])
    assert f"no one has 'status' = 'widwed'.{hint} Write" in str(caught.value)

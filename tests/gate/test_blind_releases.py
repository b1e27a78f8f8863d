"""Do the releases written for the gate disclose what they claim, and their twins not?"""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from gate.blind_releases import (
    CASES,
    GENERATORS,
    POPULATIONS,
    honest_files,
    share_back,
    share_learnt,
)

PEOPLE = pl.DataFrame({"town": ["x", "x", "y"], "year": [1, 2, 1], "pay": [10.0, 20.0, 30.0]})
COPY = pl.DataFrame(
    {"town": ["x", "x", "y", "y"], "year": [1, 2, 1, 1], "pay": [10.0, 20.1, 30.0, 31.0]}
)
KNOWN = "town year > pay"


def test_a_value_is_learnt_where_all_records_that_fit_tell_it():
    # x1 is told, x2 is off by 0.5 %, and of y1 there are two values.
    assert share_learnt(PEOPLE, [COPY], KNOWN) == 1 / 3
    assert share_learnt(PEOPLE, [COPY], KNOWN, near=0.01) == 2 / 3
    assert share_learnt(PEOPLE, [COPY[:1], COPY[2:3]], KNOWN) == 2 / 3
    assert share_learnt(PEOPLE, [COPY], KNOWN, people=[0]) == 1


def test_a_missing_value_tells_nothing():
    blank = PEOPLE.with_columns(pay=pl.lit(None, pl.Float64))
    assert share_learnt(PEOPLE, [blank], KNOWN) == 0
    assert share_learnt(blank, [blank], KNOWN) == 0


def test_a_record_may_fit_in_part():
    # It agrees with x1 and x2 in the town, with y1 in nothing.
    record = pl.DataFrame({"town": ["x"], "year": [9], "pay": [10.0]})
    assert share_learnt(PEOPLE, [record], KNOWN) == 0
    assert share_learnt(PEOPLE, [record], KNOWN, need=1) == 1 / 3
    assert share_learnt(PEOPLE, [record], KNOWN, need=2) == 0
    better = pl.DataFrame({"town": ["x"], "year": [2], "pay": [20.0]})
    assert share_learnt(PEOPLE, [record, better], KNOWN, need=1, people=[1]) == 1


def test_a_value_is_back_only_if_it_is_one_persons_own():
    people = pl.DataFrame({"pay": [10, 20, 20, 40]})
    assert share_back(people, [pl.DataFrame({"old": [10, 20]})], "pay", "old") == 1 / 4
    yearly = [pl.DataFrame({"old": [120]}), pl.DataFrame({"old": [480]})]
    assert share_back(people, yearly, "pay", "old") == 0
    assert share_back(people, yearly, "pay", "old", lambda pay: pay * 12) == 2 / 4


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_release_discloses_what_it_claims_and_its_twin_does_not(name):
    leaky, twin = CASES[name][1]()
    assert (leaky.expected, twin.expected) == ("disclosing", "honest")
    assert leaky.claim >= 0.2
    assert leaky.truth >= leaky.claim
    assert twin.truth <= 0.1 * leaky.claim
    assert leaky.should in {"stop", "review"}
    assert twin.should == "silent"
    assert twin.original is leaky.original
    assert {*leaky.keys, *leaky.targets} <= set(leaky.synthetic[0].columns)
    for one, other in zip(leaky.synthetic, twin.synthetic, strict=True):
        assert (one.columns, one.height) == (other.columns, other.height)
        assert not one.equals(other)


def test_there_are_many_releases_of_many_kinds():
    assert len(CASES) >= 16
    assert len({mechanism for mechanism, _ in CASES.values()}) >= 8


QUICK = ["half_the_file_is_real", "third_of_each_row_blank", "only_sex_is_swapped", "note > note"]


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_release_is_the_same_each_time(name):
    for one, other in zip(CASES[name][1](), CASES[name][1](), strict=True):
        assert one.truth == other.truth
        for first, second in zip(one.synthetic, other.synthetic, strict=True):
            assert_frame_equal(first, second)


def test_there_are_five_generators_for_eight_data_sets():
    assert (len(GENERATORS), len(POPULATIONS)) == (5, 8)


@pytest.mark.slow
@pytest.mark.parametrize("generator", ["fresh draw", "cells", "copula", "cart"])
def test_honest_files_repeat_no_more_than_chance_does(generator):
    files = honest_files([generator])
    assert len(files) == len(POPULATIONS)
    for file in files:
        assert 300 <= file.original.height <= 6000
        assert 5 <= file.original.width <= 14
        assert set(file.synthetic[0].columns) == set(file.original.columns)
        assert file.truth <= 0.005
        for column in file.original:  # of amounts that are nearly all different, few come back
            if column.dtype == pl.Float64 and column.n_unique() > 0.95 * len(column):
                name = column.name
                assert share_back(file.original, file.synthetic, name, name) < 0.2

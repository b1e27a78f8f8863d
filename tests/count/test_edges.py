"""Edges of counting that random data seldom meet, each against what is written out by hand."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.count.cells import Cells
from unveil.count.codes import CodedColumn
from unveil.count.exclude_cells import DenominatorLimit, ExcludedCells, excluded_cells
from unveil.count.kinds import is_wide, kind_of_codes, unit_of
from unveil.count.no_answers import find_likely_codes
from unveil.count.packing import Sides
from unveil.count.profile import Profile
from unveil.errors import SettingsError
from unveil.measure.cap.baseline import parse_prior
from unveil.measure.cap.classes import runs_within
from unveil.measure.cap.scores import parse_scenarios


def coded(values: list, levels: list) -> CodedColumn:
    places = [levels.index(value) for value in values]
    return CodedColumn("x", Sides((len(values),)), np.array(places, np.uint8), pl.Series(levels))


def test_numbers_at_the_radius_agree_on_both_sides():
    first, past = runs_within(np.array([0.0, 1.0, 2.0]), 1.0)
    assert (first.tolist(), past.tolist()) == ([0, 0, 1], [2, 3, 3])


@pytest.mark.parametrize(
    ("levels", "is_single"),
    [
        ([0.5, float(np.float32(0.1))], True),  # a half is the same in both precisions
        ([0.5, 0.25], False),
        ([0.5, 0.1], False),
        (["0.1"], False),
    ],
)
def test_one_decimal_of_single_precision_is_enough(levels, is_single):
    assert coded([levels[0]], levels).is_single is is_single


@pytest.mark.parametrize("levels", [["a", "b"], ["a", "b", None]])
def test_a_side_without_the_column_misses_every_value(levels):
    spread = coded(["a", "b"], levels).spread_sides([1], [3, 2])
    assert spread.levels.to_list() == ["a", "b", None]
    assert [spread.levels[int(code)] for code in spread.codes] == [None] * 3 + ["a", "b"]


def test_keys_that_only_one_file_has_settle_nothing_in_the_other():
    # cells: in both files; only in the original; only in the copy
    d, s = np.array([2, 1, 0]), np.array([2, 0, 1])
    ones = np.ones(3, np.int64)
    profile = Profile(d, s, d, s, (d > 0) * ones, (s > 0) * ones, ones, np.array([3]))
    assert profile.pd_is_1.tolist() == [True, True, False]
    assert profile.ps_is_1.tolist() == [True, False, True]


def test_a_tuple_is_one_value_of_a_single_target():
    rows = parse_prior({("a",): 1.0}, ["t"]).rows
    assert rows != (("a",),)
    assert parse_prior({("a", "b"): 1.0}, ["t", "u"]).rows == (("a", "b"),)


@pytest.mark.parametrize(
    ("numbers", "counts", "codes"),
    [
        ([-9, 0, 50], [3, 1, 4], (-9.0,)),  # one person with 0 says nothing about the code
        ([-9, 1, 50], [1, 3, 4], ()),  # what one person has is an amount
        ([-3.7, 1, 50], [3, 3, 4], ()),
        ([-2, -1, 0, 1, 2], [3] * 5, ()),  # a scale around 0
    ],
)
def test_usual_codes_below_0_are_found(numbers, counts, codes):
    assert find_likely_codes(np.array(numbers, float), np.array(counts)) == codes


def test_a_label_of_one_record_makes_a_category():
    assert kind_of_codes(None, np.array([True, False]), np.array([1, 0])) == "category"
    assert kind_of_codes(None, np.array([True, False]), np.array([0, 1])) == "number"


def test_a_day_of_moments_and_a_second_of_spans():
    assert unit_of(pl.Datetime("ms")) == 86_400_000
    assert unit_of(pl.Duration("ms")) == 1000


@pytest.mark.parametrize(
    ("dtype", "number", "wide"),
    [(pl.UInt64, 2**63, True), (pl.UInt64, 2**63 - 1, False), (pl.Int64, 2**63 - 1, False)],
)
def test_numbers_beyond_64_bits_with_a_sign_are_wide(dtype, number, wide):
    assert is_wide(pl.Series([number, None], dtype=dtype)) is wide


@pytest.mark.parametrize("name", ["nothing", 1, None])
def test_a_scenario_that_there_is_not_is_refused(name):
    with pytest.raises(SettingsError, match="There is no scenario"):
        parse_scenarios([name], None)


def test_one_synthetic_file_is_not_pooled():
    frame = pl.DataFrame({"k": [1.0, 2.0, 9.0, 20.0], "t": ["a", "b", "a", "b"]})
    for n in (1, 2):
        found = unveil.gtcap(frame, [frame] * n, keys="k", target="t", radii={"k": 1})
        assert ("pooled" in {one.copy for one in found.record.copies}) is (n > 1)


@pytest.mark.parametrize(("largest", "name"), [(4.0, "2 to 3"), (1e20, "2 to under 4")])
def test_whole_numbers_name_a_band_unless_one_is_too_long_to_be_written(largest, name):
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, largest], "t": ["a", "b", "a", "b"]})
    found = unveil.disclosure(frame, frame, keys="x", targets="t", bands={"x": [2, 4]})
    assert found.record.bands[0].levels == ("under 2", name, "4 or more")


def test_a_limit_acts_on_the_counts_of_the_file_that_it_names():
    cells = Cells(np.array([0, 1, 2]), np.array([0, 1], np.uint8), np.array([[1, 3], [3, 1]]))
    for side, in_original in (("original", [False, True]), ("synthetic", [True, False])):
        struck = ExcludedCells((), (DenominatorLimit(1, side, 2),))
        gone = [one.tolist() for one in excluded_cells(cells, struck)]
        assert gone == [in_original, [True, False]]

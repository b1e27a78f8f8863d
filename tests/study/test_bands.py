"""Numbers are cut into the same bands in every file, nobody is lost, and no extreme is printed."""

import json
import math
from bisect import bisect_right
from collections import Counter
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.count.codes import encode
from unveil.errors import AlignError, SettingsError
from unveil.io.table import Table, place_of
from unveil.records.disclosure import BandedColumn
from unveil.study.band_spec import Banding, Bands, parse_bands
from unveil.study.bands import band as cut_columns
from unveil.study.study import Study

SYNTHPOP = Path(__file__).parents[2] / "../shared/reference/synthpop"
INF = float("inf")
NAN = float("nan")


class Sides(NamedTuple):
    """Columns by their sides, and what was noted."""

    columns: dict[str, list[pl.Series]]
    coercions: tuple = ()


def as_aligned(*sides, dtype=None) -> Sides:
    return Sides({"x": [pl.Series(side, dtype=dtype, strict=False) for side in sides]})


def band(aligned: Sides, bands: Bands):
    """Columns in bands as `unveil.study.bands` cuts them: levels and codes put together again."""
    coded = [
        encode(name, [s.fill_nan(None) if s.dtype.is_float() else s for s in sides])
        for name, sides in aligned.columns.items()
    ]
    made, records, notes = cut_columns(coded, bands)
    columns = {
        one.name: aligned.columns[one.name]
        if one is before
        else [one.levels.gather(one.codes[rows]) for rows in one.sides.slices]
        for one, before in zip(made, coded, strict=True)
    }
    return Sides(columns, notes), records


def cut(setting, *sides, codes=None, dtype=None):
    """The sides in bands as lists of labels, the record, and the sentences of the notes."""
    special_codes = None if codes is None else {"x": codes}
    made, (record,) = band(
        as_aligned(*sides, dtype=dtype), parse_bands({"x": setting}, special_codes)
    )
    for note in made.coercions:
        assert (note.side, note.column, note.kind) == ("all files", "x", "bands")
    sentences = [note.sentence for note in made.coercions]
    return [side.to_list() for side in made.columns["x"]], record, sentences


def fault(bands=None, special_codes=None) -> str:
    with pytest.raises(SettingsError) as caught:
        parse_bands(bands, special_codes)
    return str(caught.value)


# Settings ------------------------------------------------------------------------------------

QUANTILE_5 = Banding("x", "quantile", 5)
EQUAL_5 = Banding("x", "equal", 5)
BREAKS = Banding("x", "breaks", None, (0.0, 18.0, 65.0))

WRITTEN = {
    "an amount": (5, QUANTILE_5),
    "an amount of numpy": (np.int32(5), QUANTILE_5),
    "an amount as a decimal": (5.0, QUANTILE_5),
    "an amount as text": (" 5 ", QUANTILE_5),
    "a style in text": ("equal:5", EQUAL_5),
    "a style in text with spaces": ("quantile : 5", QUANTILE_5),
    "a style in settings": ({"style": "equal", "n": 5}, EQUAL_5),
    "no style in settings": ({"n": 5}, QUANTILE_5),
    "settings that are None": ({"n": 5, "style": None, "breaks": None, "labels": None}, QUANTILE_5),
    "breaks in a list": ([0, 18, 65], BREAKS),
    "breaks in a tuple": ((0, 18, 65), BREAKS),
    "breaks in an array": (np.array([0, 18, 65]), BREAKS),
    "breaks of other kinds of numbers": ([Decimal(0), Fraction(18), np.float32(65)], BREAKS),
    "breaks as text": ("0, 18,65", BREAKS),
    "breaks as text with a style": ("breaks:0,18,65", BREAKS),
    "breaks in settings": ({"breaks": [0, 18, 65]}, BREAKS),
    "breaks in settings with a style": ({"style": "breaks", "breaks": [0, 18, 65]}, BREAKS),
    "one break": ([18], Banding("x", "breaks", None, (18.0,))),
    "one break as text": ("breaks:18", Banding("x", "breaks", None, (18.0,))),
    "decimals and negatives": (
        "-1.5,-.5,+2,3e1",
        Banding("x", "breaks", None, (-1.5, -0.5, 2, 30)),
    ),
    "labels": (
        {"breaks": [0, 18, 65], "labels": ["a=b, c", 'the "old"@home']},
        Banding("x", "breaks", None, (0, 18, 65), ("a=b, c", 'the "old"@home')),
    ),
}


@pytest.mark.parametrize(("setting", "meant"), WRITTEN.values(), ids=WRITTEN.keys())
def test_bands_can_be_written_in_many_ways(setting, meant):
    assert parse_bands({"x": setting}, None) == Bands((meant,), {})


@pytest.mark.parametrize(
    ("setting", "meant"),
    [
        (-8, (-8.0,)),
        ([-8, -9.5], (-8.0, -9.5)),
        ("-8, -9.5", (-8.0, -9.5)),
        ("-8", (-8.0,)),
        ([-8, -8.0], (-8.0,)),
        (np.array([-8]), (-8.0,)),
        ([], ()),
    ],
)
def test_special_codes_can_be_written_in_many_ways(setting, meant):
    assert parse_bands(None, {"x": setting}).special_codes == {"x": meant}


def test_nothing_asked_is_nothing_done():
    assert parse_bands(None, None) == parse_bands({}, {}) == Bands((), {})
    aligned = as_aligned([1, 2], [3])
    made, records = band(aligned, parse_bands(None, None))
    assert (made, records) == (aligned, ())


def test_special_codes_without_bands_do_nothing_and_say_so():
    aligned = as_aligned([1, 2], [3])
    same, records = band(aligned, parse_bands(None, {"x": 3}))
    assert (same.columns, records) == (aligned.columns, ())
    assert [note.sentence for note in same.coercions] == [
        "Column 'x': no bands are asked for, so its special codes change nothing."
    ]


def test_the_columns_are_those_named_in_either_once():
    bands = parse_bands({"age": 5, "income": 3}, {"income": -8, "hours": 99})
    assert bands.columns == ("age", "income", "hours")


HOW_MANY = "Write a whole number from 2 to 10,000."
STYLES = "The styles are: quantile, equal, breaks."

FAULTS = {
    "one band": (1, f"The number of bands of column 'x' is 1. {HOW_MANY}"),
    "fewer than none": ("-3", f"The number of bands of column 'x' is -3. {HOW_MANY}"),
    "too many": (10_001, f"The number of bands of column 'x' is 10001. {HOW_MANY}"),
    "half a band": (
        2.5,
        f"The number of bands of column 'x' is 2.5, which is not a whole number. {HOW_MANY}",
    ),
    "truth": (
        True,
        f"The number of bands of column 'x' is True, which is not a whole number. {HOW_MANY}",
    ),
    "no number": (
        "many",
        f"The number of bands of column 'x' is 'many', which is not a whole number. {HOW_MANY}",
    ),
    "a style alone": (
        "equal",
        f"The number of bands of column 'x' is 'equal', which is not a whole number. {HOW_MANY}",
    ),
    "beyond all numbers": (
        10**5000,
        f"The number of bands of column 'x' is inf, which is not a whole number. {HOW_MANY}",
    ),
    "an object": (
        object(),
        "The number of bands of column 'x' is of type object, which is not a whole number."
        f" {HOW_MANY}",
    ),
    "nothing at all": (
        None,
        "Column 'x' has neither a number of bands nor breaks. Give one of the two.",
    ),
    "empty text": (
        "",
        f"The number of bands of column 'x' is '', which is not a whole number. {HOW_MANY}",
    ),
    "a mistyped style": (
        "equl:5",
        "The style of the bands of column 'x' is 'equl', which is unknown. Did you mean 'equal'?"
        f" {STYLES}",
    ),
    "a style of another program": (
        {"style": "jenks", "n": 5},
        f"The style of the bands of column 'x' is 'jenks', which is unknown. {STYLES}",
    ),
    "a style that is no text": (
        {"style": 7, "n": 5},
        f"The style of the bands of column 'x' is 7, which is unknown. {STYLES}",
    ),
    "a mistyped setting": (
        {"n": 5, "lables": ["a"]},
        "Column 'x' has no setting 'lables' for bands. Did you mean 'labels'? The settings are:"
        " style, n, breaks, labels.",
    ),
    "a setting that is no text": (
        {"n": 5, 3: 4},
        "Column 'x' has no setting 3 for bands. The settings are: style, n, breaks, labels.",
    ),
    "an amount and breaks": (
        {"n": 5, "breaks": [1, 2]},
        "Column 'x' has both a number of bands and breaks. Give one of the two.",
    ),
    "equal widths and breaks": (
        {"style": "equal", "breaks": [1, 2]},
        "Column 'x' has breaks, but the style 'equal' finds its own. Omit the style, or give the"
        " number of bands instead.",
    ),
    "quantiles and breaks": (
        "quantile:1,2",
        "Column 'x' has breaks, but the style 'quantile' finds its own. Omit the style, or give"
        " the number of bands instead.",
    ),
    "no breaks": (
        {"style": "breaks"},
        "Column 'x' has the style 'breaks' but no breaks. List them, as in [0, 18, 65].",
    ),
    "an amount of breaks": (
        {"style": "breaks", "n": 5},
        "Column 'x' has the style 'breaks' but no breaks. List them, as in [0, 18, 65].",
    ),
    "neither": (
        {"style": "equal"},
        "Column 'x' has neither a number of bands nor breaks. Give one of the two.",
    ),
    "an empty list": ([], "The list of breaks of column 'x' is empty. Give one or more."),
    "breaks downwards": (
        [0, 65, 18],
        "The breaks of column 'x' do not increase: 18 comes after 65. Give them from low to high.",
    ),
    "a break twice": (
        [0.5, 18, 0.5],
        "The breaks of column 'x' hold 0.5 more than once. Give each once.",
    ),
    "breaks that only differ beyond a float": (
        [2**53, 2**53 + 1],
        "The breaks of column 'x' hold 9007199254740992 more than once. Give each once.",
    ),
    "a break that is text": (
        "0,old",
        "A break of column 'x' is 'old', which is not a number. Write numbers such as 0, 18, 65.",
    ),
    "a break that is empty": (
        "0,18,",
        "A break of column 'x' is '', which is not a number. Write numbers such as 0, 18, 65.",
    ),
    "a break that is nothing": (
        [0, None],
        "A break of column 'x' is None, which is not a number. Write numbers such as 0, 18, 65.",
    ),
    "a break that is NaN": (
        [0, NAN],
        "A break of column 'x' is nan, which is not a finite number. Write numbers such as 0, 18,"
        " 65.",
    ),
    "a break that is infinite": (
        [0, INF],
        "A break of column 'x' is inf, which is not a finite number. Write numbers such as 0, 18,"
        " 65.",
    ),
    "a break beyond floats": (
        "0,1e999",
        "A break of column 'x' is inf, which is not a finite number. Write numbers such as 0, 18,"
        " 65.",
    ),
    "breaks without an order": (
        {"breaks": {0, 18}},
        "A break of column 'x' is of type set, which is not a number. Write numbers such as 0, 18,"
        " 65.",
    ),
    "labels without breaks": (
        {"n": 2, "labels": ["a", "b"]},
        "Column 'x' has labels but no breaks. Give the breaks, or omit the labels.",
    ),
    "too few labels": (
        {"breaks": [0, 18, 65], "labels": ["a"]},
        "Column 'x' has 1 label for 2 bands between its breaks. Give each of these bands one"
        " label.",
    ),
    "labels of one break": (
        {"breaks": [18], "labels": ["a", "b"]},
        "Column 'x' has 2 labels for 0 bands between its breaks. Give each of these bands one"
        " label.",
    ),
    "a label twice": (
        {"breaks": [0, 18, 65], "labels": ["a", "a"]},
        "The labels of column 'x' hold 'a' more than once. Give each once.",
    ),
    "an empty label": (
        {"breaks": [0, 18, 65], "labels": ["a", " "]},
        "A label of column 'x' is empty. Give each band a name.",
    ),
    "a label that is no text": (
        {"breaks": [0, 18, 65], "labels": ["a", 1]},
        "The labels of column 'x' are not a list of texts. Write them as ['child', 'adult'].",
    ),
    "labels that are one text": (
        {"breaks": [0, 18, 65], "labels": "ab"},
        "The labels of column 'x' are not a list of texts. Write them as ['child', 'adult'].",
    ),
    "a label that values beyond the breaks have": (
        {"breaks": [0, 18], "labels": ["under 0"]},
        "The label 'under 0' of column 'x' is also what a special code or the values beyond the"
        " breaks are called. Choose another label.",
    ),
}


@pytest.mark.parametrize(("setting", "sentence"), FAULTS.values(), ids=FAULTS.keys())
def test_bands_that_mean_nothing_are_refused(setting, sentence):
    assert fault({"x": setting}) == sentence


CODE_FAULTS = {
    "text": ("-8,x", "'x', which is not a number"),
    "empty text": ("", "'', which is not a number"),
    "truth": (True, "True, which is not a number"),
    "nothing": (None, "None, which is not a number"),
    "NaN": ([-8, NAN], "nan, which is not a finite number"),
    "infinity": (-INF, "-inf, which is not a finite number"),
    "a mapping": ({-8: "refused"}, "of type dict, which is not a number"),
}


@pytest.mark.parametrize(("setting", "what"), CODE_FAULTS.values(), ids=CODE_FAULTS.keys())
def test_special_codes_that_mean_nothing_are_refused(setting, what):
    sentence = f"A special code of column 'x' is {what}. Write numbers such as -8, -9."
    assert fault(None, {"x": setting}) == sentence


def test_a_label_that_is_also_a_special_code_is_refused():
    assert fault({"x": {"breaks": [0, 9], "labels": ["-8"]}}, {"x": "-8"}) == (
        "The label '-8' of column 'x' is also what a special code or the values beyond the breaks"
        " are called. Choose another label."
    )


def test_settings_that_name_no_columns_are_refused():
    assert fault(5, [-8]).split("\n") == [
        "bands is 5. Name the columns, as in {'age': 5}.",
        "special_codes is of type list. Name the columns, as in {'income': [-8, -9]}.",
    ]
    assert fault({3: 5}, {None: -8}).split("\n") == [
        "A column in bands is 3, which is not text. Name the columns, as in {'age': 5}.",
        "A column in special_codes is None, which is not text. Name the columns, as in"
        " {'income': [-8, -9]}.",
    ]


def test_all_faults_are_shown_together():
    bands = {"a": 1, "b": {"n": 0, "breaks": [2, 1], "lables": []}, "c": 5}
    assert [line.partition(".")[0] for line in fault(bands, {"d": "x"}).split("\n")] == [
        "The number of bands of column 'a' is 1",
        "Column 'b' has no setting 'lables' for bands",
        "The number of bands of column 'b' is 0",
        "The breaks of column 'b' do not increase: 1 comes after 2",
        "Column 'b' has both a number of bands and breaks",
        "A special code of column 'd' is 'x', which is not a number",
    ]


# By hand -------------------------------------------------------------------------------------


def test_quantile_bands_by_hand():
    # Pooled: 1 2 3 4 5 6 7 8 9. Type 7 at thirds: 3.67, 6.33.
    sides, record, notes = cut(3, [1, 2, 3, 4, None], [5, 6, 7, 8, 9])
    assert sides == [
        ["under 4", "under 4", "under 4", "4 to 6", None],
        ["4 to 6", "4 to 6", "7 or more", "7 or more", "7 or more"],
    ]
    assert record.breaks == pytest.approx((11 / 3, 19 / 3))
    assert record == BandedColumn(
        column="x",
        style="quantile",
        n=3,
        breaks=record.breaks,
        levels=("under 4", "4 to 6", "7 or more"),
        special_codes=(),
    )
    assert notes == ["Column 'x': compared in 3 bands."]


def test_bands_of_equal_width_by_hand():
    sides, record, notes = cut("equal:4", [0, 1, 2], [3, 8])
    assert sides == [["under 2", "under 2", "2 to 3"], ["2 to 3", "6 or more"]]
    assert record.breaks == (2.0, 4.0, 6.0)
    assert record.levels == ("under 2", "2 to 3", "6 or more")
    assert notes == [
        "Column 'x': compared in 3 bands instead of 4, because no value lies in the others."
    ]


def test_breaks_by_hand():
    sides, record, notes = cut([0, 18, 65], [-1, 0, 17, 18], [64, 65, 66, None])
    assert sides == [
        ["under 0", "0 to 17", "0 to 17", "18 to 64"],
        ["18 to 64", "65 or more", "65 or more", None],
    ]
    assert record.levels == ("under 0", "0 to 17", "18 to 64", "65 or more")
    assert (record.style, record.n, record.breaks) == ("breaks", None, (0.0, 18.0, 65.0))
    assert notes == ["Column 'x': compared in 4 bands."]


def test_one_break_makes_two_bands():
    sides, record, _ = cut([18], [17, 18, 19])
    assert sides == [["under 18", "18 or more", "18 or more"]]
    assert record.levels == ("under 18", "18 or more")


def test_labels_name_the_bands_between_the_breaks():
    setting = {"breaks": [0, 18, 65, 120], "labels": ["child", "adult", "old"]}
    sides, record, _ = cut(setting, [5, 18, 120, 121], [64, -1])
    assert sides == [["child", "adult", "120 or more", "120 or more"], ["adult", "under 0"]]
    assert record.levels == ("under 0", "child", "adult", "120 or more")


def test_decimals_are_named_by_their_limits():
    sides, record, _ = cut("equal:3", [0.5, 1.2], [1.5, 3.5])
    assert sides == [["under 1.5", "under 1.5"], ["1.5 to under 2.5", "2.5 or more"]]
    assert record.breaks == (1.5, 2.5)
    _, record, _ = cut([0.5, 1, 2.5], [0.1, 0.5, 2.5, 2.6])
    assert record.levels == ("under 0.5", "0.5 to under 1", "2.5 or more")


def test_a_band_of_one_whole_number_is_called_by_it():
    sides, _, _ = cut([16, 17, 20], [16, 17, 20])
    assert sides == [["16", "17 to 19", "20 or more"]]
    assert cut([0.5, 1.5, 3.5], [1, 3])[0] == [["1", "2 to 3"]]
    assert cut("equal:3", [15, 16, 18])[0] == [["under 16", "16", "17 or more"]]


def test_bands_of_whole_numbers_between_breaks_that_are_not_whole():
    sides, record, _ = cut("equal:3", [13, 27, 28, 41, 42, 56])
    assert record.breaks == pytest.approx((27 + 1 / 3, 41 + 2 / 3))
    assert sides == [["under 28", "under 28", "28 to 41", "28 to 41", "42 or more", "42 or more"]]
    assert cut("equal:4", [-1, 0])[0] == [["under 0", "0 or more"]]


def test_special_codes_are_levels_of_their_own_after_the_bands():
    sides, record, notes = cut(2, [1, 2, -8, -9], [3, 4, -8], codes=[-8, -9, -7.5])
    assert sides == [["under 3", "under 3", "-8", "-9"], ["3 or more", "3 or more", "-8"]]
    assert record.breaks == (2.5,)
    assert record.levels == ("under 3", "3 or more")
    assert record.special_codes == ("-8", "-9")
    assert notes == [
        "Column 'x': compared in 2 bands.",
        "Column 'x': the special code -7.5 occurs in none of the files.",
    ]


def test_a_special_code_between_the_breaks_is_kept_apart_too():
    sides, record, _ = cut([0, 50, 100], [10, 99, 60, 0.25], codes=[99, 0.25])
    assert sides == [["0 to 49", "99", "50 to 99", "0.25"]]
    assert record.special_codes == ("99", "0.25")


def test_the_columns_are_ordered_categories():
    aligned = as_aligned([9, 1, None, -8], [1, 20, 7, 7])
    made, _ = band(aligned, parse_bands({"x": [5, 8, 10]}, {"x": -8}))
    levels = ["under 5", "5 to 7", "8 to 9", "10 or more", "-8"]
    assert [side.dtype for side in made.columns["x"]] == [pl.Enum(levels)] * 2
    assert made.columns["x"][0].to_physical().to_list() == [2, 0, None, 4]


def test_other_columns_and_earlier_notes_stay():
    tables = [
        Table(side, place_of(side), pl.DataFrame({"y": ["a", ""], "x": [1.0, NAN]}))
        for side in ("original", "synthetic")
    ]
    files = Study(tables).files
    plain = files.encode(["y", "x"])
    made = files.encode(["y", "x"], parse_bands({"x": [1]}, None))
    assert [one.name for one in made.columns] == ["y", "x"]
    assert made.columns[0] is plain.columns[0]
    assert made.coercions[:-1] == plain.coercions
    assert made.coercions[-1].sentence == "Column 'x': compared in 1 band."


def test_quantiles_stand_at_their_exact_place():
    # R's seq(0, 1, 1/5)[4] is 0.6000000000000001, so that its break of 1:11 lies just above 7.
    sides, record, _ = cut(5, range(1, 12))
    assert record.breaks == (3.0, 5.0, 7.0, 9.0)
    assert record.levels == ("under 3", "3 to 4", "5 to 6", "7 to 8", "9 or more")
    assert sides[0][6] == "7 to 8"


@pytest.mark.parametrize("setting", [2, 3, "equal:2", "equal:5"])
@pytest.mark.parametrize("shift", [0, 0.25])
def test_the_lowest_and_highest_value_are_not_printed(setting, shift):
    values = [-777 + shift, *(i + shift for i in range(50)), 888 + shift]
    _, record, notes = cut(setting, values)
    printed = f"{record} {notes}"
    assert str(values[0]) not in printed
    assert str(values[-1]) not in printed
    assert (record.levels[0][:6], record.levels[-1][-8:]) == ("under ", " or more")


# Ties, and what is not ordinary --------------------------------------------------------------


def test_ties_leave_fewer_bands_and_this_is_said():
    values = [1] * 4 + [2, 3, 4, 5, 6]
    _, record, notes = cut(4, values)
    assert record.breaks == (2.0, 4.0)
    assert notes == ["Column 'x': compared in 3 bands instead of 4, because many values are equal."]


def test_too_many_ties_turn_quantiles_into_equal_widths():
    sides, record, notes = cut(4, [0] * 90, [1, 2, 3, 4])
    assert (record.style, record.n, record.breaks) == ("equal", 4, (1.0, 2.0, 3.0))
    assert sides[1] == ["1", "2", "3 or more", "3 or more"]
    assert notes == [
        "Column 'x': compared in 4 bands of equal width, because too many values are equal for 4"
        " bands of equally many records."
    ]


def test_two_quantile_bands_are_enough_where_two_were_asked():
    assert cut(2, [1, 2, 3, 4])[1].style == "quantile"
    assert cut(2, [0, 0, 0, 1])[1].style == "equal"
    assert cut(3, [1, 2, 3, 4])[1].style == "quantile"
    assert cut(3, [0, 0, 1, 1])[1].style == "equal"


@pytest.mark.parametrize("value", [7, 2.5, -1e300])
@pytest.mark.parametrize("setting", [5, "equal:5"])
def test_equal_values_are_one_band(setting, value):
    sides, record, notes = cut(setting, [value, None], [value])
    assert sides == [["all values", None], ["all values"]]
    assert (record.breaks, record.levels) == ((), ("all values",))
    assert record.style == ("quantile" if setting == 5 else "equal")
    assert notes == ["Column 'x': compared in 1 band instead of 5, because all values are equal."]


@pytest.mark.parametrize("codes", [None, -8])
def test_a_column_without_numbers_stays_as_it_is(codes):
    aligned = as_aligned([codes, None], [codes], dtype=pl.Int64)
    made, records = band(aligned, parse_bands({"x": 5}, None if codes is None else {"x": codes}))
    assert made.columns["x"] is aligned.columns["x"]
    assert records == ()
    assert [note.sentence for note in made.coercions] == [
        "Column 'x': not cut into bands, because it holds no numbers besides special codes."
    ]


@pytest.mark.parametrize("dtype", [pl.String, pl.Null, pl.Date])
def test_a_column_of_nothing_has_no_kind_to_refuse(dtype):
    made, records = band(as_aligned([None], [], dtype=dtype), parse_bands({"x": 5}, None))
    assert (made.columns["x"][0].dtype, records) == (dtype, ())


def test_infinite_numbers_lie_in_the_outer_bands():
    sides, record, _ = cut("equal:2", [-INF, 0.0, 1.0], [2.0, INF])
    assert sides == [["under 1", "under 1", "1 or more"], ["1 or more", "1 or more"]]
    assert record.breaks == (1.0,)
    assert cut(3, [5.0, INF])[0] == [["all values", "all values"]]
    assert cut([1], [INF, 0.5])[0] == [["1 or more", "under 1"]]
    largest = float(np.finfo(float).max)
    assert cut([0.5, 1, largest], [largest, INF, -INF])[0] == [
        ["1.7976931e+308 or more", "1.7976931e+308 or more", "under 0.5"]
    ]


WIDTHS = [pl.Int8, pl.UInt64, pl.Int128, pl.Float32, pl.Float64, pl.Decimal(10, 2)]


@pytest.mark.parametrize("dtype", WIDTHS, ids=str)
def test_numbers_of_every_width_can_be_cut(dtype):
    sides, _, _ = cut("equal:2", [1, 2, None], [4, 5], dtype=dtype)
    assert sides == [["under 3", "under 3", None], ["3 or more", "3 or more"]]


def test_huge_numbers_are_cut_without_fuss():
    for too_large in (2**53 + 1, -(2**63), 2**63 - 1):
        with pytest.raises(AlignError, match="too large to be cut exactly"):
            cut("equal:2", [too_large, 1])
    assert cut("equal:2", [-(2**53), 2**53])[0] == [["under 0", "0 or more"]]
    widest = [-1.7e308, 0.5, 1.7e308]
    for setting in ("equal:10", 2):
        sides, record, _ = cut(setting, widest)
        assert all(math.isfinite(limit) for limit in record.breaks)
        assert None not in sides[0]
    sides, record, _ = cut("equal:3", [5e-324, 1e-323])
    assert None not in sides[0]
    assert cut([0.5, 1e300], [1.0, 0.25], dtype=pl.Float32)[0][0][1] == "under 0.5"


def test_limits_too_close_for_eight_digits_are_told_apart():
    _, record, _ = cut([0.1, 0.100000000001, 1], [0.1, 0.5])
    assert record.levels == ("0.1 to under 0.100000000001", "0.100000000001 to under 1")
    _, record, _ = cut([1 / 3, 2 / 3], [0.5])
    assert record.levels == ("0.33333333 to under 0.66666667",)
    assert cut([123456789012, 123456789012.5], [0.5])[1].levels == ("under 123456789012",)


def test_breaks_and_codes_hold_in_single_precision_too():
    sides, record, _ = cut([0, 0.7, 1], [0.1, 0.6, 0.7, 0.9], codes=0.9, dtype=pl.Float32)
    assert sides == [["0 to under 0.7", "0 to under 0.7", "0.7 to under 1", "0.9"]]
    assert record.breaks == (0.0, 0.7, 1.0)


OTHER_KINDS = {
    "text": ["a", None],
    "truth values": [True, False],
    "dates": [date(2020, 1, 1)],
    "dates with time": [datetime(2020, 1, 1)],
    "times of day": [time(1)],
    "durations": [timedelta(1)],
}


@pytest.mark.parametrize(("kind", "values"), OTHER_KINDS.items(), ids=OTHER_KINDS.keys())
def test_what_is_not_numbers_is_refused(kind, values):
    with pytest.raises(AlignError) as caught:
        band(as_aligned(values, values), parse_bands({"x": 5}, None))
    assert str(caught.value) == (
        f"Column 'x' holds {kind}, not numbers, and cannot be cut into bands. Remove it from the"
        " bands."
    )


def test_every_column_that_is_not_numbers_is_named():
    columns = {name: (pl.Series(["a"]),) for name in "xy"}
    with pytest.raises(AlignError) as caught:
        band(Sides(columns), parse_bands({"x": 5, "y": [1]}, None))
    assert [line[:10] for line in str(caught.value).split("\n")] == ["Column 'x'", "Column 'y'"]


# The story, value by value -------------------------------------------------------------------

WHOLE = st.integers(-20, 20)
DECIMALS = st.integers(-2000, 2000).map(lambda number: number / 100)
ANY_FLOAT = st.floats(allow_nan=False, width=64)
NEIGHBOURS = (0.3, math.nextafter(0.3, 1), math.nextafter(0.3, 0))
SPECIAL = (-8, 3)


def sides_of(numbers):
    side = st.lists(st.none() | numbers, max_size=25)
    return st.lists(side, min_size=1, max_size=3)


def breaks_of(numbers):
    return st.lists(numbers, min_size=1, max_size=6, unique=True).map(sorted)


def settings_of(numbers):
    amounts = st.integers(2, 12)
    return amounts | amounts.map("equal:{}".format) | breaks_of(numbers)


CASES = st.one_of(
    st.tuples(settings_of(numbers), sides_of(numbers)) for numbers in (WHOLE, DECIMALS)
)


def inner_quantiles(numbers, n):
    """R's type 7 without rounding: 1 + (N - 1) p, between its two neighbours; but no extreme."""
    ordered = sorted(map(Fraction, numbers))
    made = []
    for i in range(n + 1):
        index = Fraction((len(ordered) - 1) * i, n)
        low = ordered[math.floor(index)]
        high = ordered[math.ceil(index)]
        made.append(low + (index - math.floor(index)) * (high - low))
    return sorted({float(limit) for limit in made if ordered[0] < limit < ordered[-1]})


def slot(value, breaks):
    """The place among the breaks: every band holds its lower limit."""
    return bisect_right(breaks, value)


def encloses(label, value, *, is_whole):
    """Whether a label says that it holds the value; limits are shown in 8 digits."""

    def up_to(low, high):
        return low <= high or math.isclose(low, high, rel_tol=1e-7, abs_tol=1e-12)

    if label == "all values":
        return True
    if label.startswith("under "):
        limit = float(label.removeprefix("under "))
        return value < limit if is_whole else up_to(value, limit)
    if label.startswith("over "):
        limit = float(label.removeprefix("over "))
        return value > limit if is_whole else up_to(limit, value)
    if label.endswith(" or more"):
        return up_to(float(label.removesuffix(" or more")), value)
    low, _, high = label.replace(" to under ", " to ").partition(" to ")
    if is_whole:
        return int(low) <= value <= int(high or low)
    return up_to(float(low), value) and up_to(value, float(high or low))


@given(CASES, st.sampled_from([None, SPECIAL]))
def test_every_value_is_in_the_band_that_encloses_it(case, codes):
    setting, sides = case
    kept = [v for side in sides for v in side if v is not None and v not in (codes or ())]
    aligned = as_aligned(*sides, dtype=pl.Float64)
    made, records = band(aligned, parse_bands({"x": setting}, codes and {"x": codes}))
    if not kept:
        assert (made.columns["x"], records) == (aligned.columns["x"], ())
        return
    (record,) = records
    is_whole = all(value == int(value) for value in kept)
    levels_of_slots = {}
    for side, labels in zip(sides, made.columns["x"], strict=True):
        assert len(side) == len(labels)
        for value, label in zip(side, labels, strict=True):
            if value is None:
                assert label is None
            elif value in (codes or ()):
                assert label == str(int(value))
                assert label in record.special_codes
            else:
                assert encloses(label, value, is_whole=is_whole)
                place = slot(value, record.breaks)
                assert levels_of_slots.setdefault(place, label) == label
    # One label for each place that a value has, in the order of the places.
    assert [levels_of_slots[place] for place in sorted(levels_of_slots)] == [*record.levels]
    assert made.columns["x"][0].dtype.categories.to_list() == [
        *record.levels,
        *record.special_codes,
    ]


@given(settings_of(ANY_FLOAT.filter(math.isfinite)), sides_of(ANY_FLOAT))
def test_nobody_is_lost_whatever_the_numbers(setting, sides):
    aligned = as_aligned(*sides, dtype=pl.Float64)
    made, _ = band(aligned, parse_bands({"x": setting}, None))
    for before, after in zip(aligned.columns["x"], made.columns["x"], strict=True):
        assert before.is_null().to_list() == after.is_null().to_list()


@given(
    st.integers(2, 12).flatmap(lambda n: st.sampled_from([n, f"equal:{n}"])),
    st.lists(ANY_FLOAT.filter(math.isfinite) | st.sampled_from(NEIGHBOURS), min_size=1),
)
def test_every_break_that_is_found_parts_the_values(setting, numbers):
    # Rounding must not put a break beyond the lowest value, which would make that one a break.
    _, record, _ = cut(setting, numbers, dtype=pl.Float64)
    assert all(min(numbers) < limit < max(numbers) for limit in record.breaks)


@given(st.lists(DECIMALS, min_size=2, max_size=40), st.integers(2, 12))
def test_quantiles_are_those_of_type_7(numbers, n):
    _, record, _ = cut(n, numbers, dtype=pl.Float64)
    exact = inner_quantiles(numbers, n)
    if record.style == "quantile":
        for limit in exact:
            assert any(math.isclose(limit, b, rel_tol=1e-9, abs_tol=1e-9) for b in record.breaks)
        for b in record.breaks:
            assert any(math.isclose(limit, b, rel_tol=1e-9, abs_tol=1e-9) for limit in exact)
    else:
        assert len(exact) + 1 < min(n, 3)


@given(CASES, st.randoms(use_true_random=False))
def test_how_records_are_spread_over_the_files_does_not_matter(case, random):
    setting, sides = case
    together = [value for side in sides for value in side]
    random.shuffle(together)
    bands = parse_bands({"x": setting}, None)
    apart = band(as_aligned(*sides, dtype=pl.Float64), bands)[1]
    assert band(as_aligned(together, dtype=pl.Float64), bands)[1] == apart


# Published figures ---------------------------------------------------------------------------

ORIGINAL, FIVE = "sd2011_ods.csv", [f"s5_{i}.csv" for i in range(1, 6)]

PUBLISHED = {
    "s1.income.ng5": ("income", 5, ["s1.csv"], 5),
    "s1.income.ng20": ("income", 20, ["s1.csv"], 18),
    "s5.income.ng20": ("income", 20, FIVE, 18),
    "s5.depress.ng5.ngkeys10": ("depress", 5, FIVE, 4),
}


def published(copies, column, n):
    if not SYNTHPOP.exists():
        pytest.skip("bands are not held against synthpop's: ../shared/reference is not here")
    files = [ORIGINAL, *copies]
    tables = [Table(name, name, pl.read_csv(SYNTHPOP / name, columns=[column])) for name in files]
    aligned = Sides({column: [*Study(tables).files.align_one(column).sides]})
    codes = {"income": -8} if column == "income" else None
    made, (record,) = band(aligned, parse_bands({column: n}, codes))
    pooled = [v for side in aligned.columns[column] for v in side if v not in (None, -8)]
    return made.columns[column][0].to_list(), record, pooled


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_targets_are_cut_as_synthpop_cuts_them(name):
    column, n, copies, n_bands = PUBLISHED[name]
    levels, record, pooled = published(copies, column, n)
    golden = json.loads((SYNTHPOP / "golden.json").read_text(encoding="utf-8"))
    (case,) = (case for case in golden["cases"] if case["id"] == name)
    # 100 sum_t (d_t / N_d)^2 tells the sizes of all bands of the original from any others.
    base = 100 * sum((count / len(levels)) ** 2 for count in Counter(levels).values())
    assert base == pytest.approx(case["syntheses"][0]["allCAPs"]["baseCAPd"], abs=1e-9)
    assert len(record.levels) == n_bands
    assert record.special_codes == (("-8",) if column == "income" else ())
    assert record.breaks == pytest.approx(inner_quantiles(pooled, n), rel=1e-12)


def test_keys_are_cut_as_synthpop_cuts_them():
    levels, _, _ = published(["s1.csv"], "age", 5)
    golden = json.loads((SYNTHPOP / "golden.json").read_text(encoding="utf-8"))
    printed = {
        pair["target_key_levs"].partition("|")[2]: pair["key_total"]
        for case in golden["cases"]
        if case["options"] == {"ngroups_keys": [0, 5, 0, 0]}
        for pair in case["syntheses"][0]["check_2way"] or ()
        if pair["key"] == "age"
    }
    ours = Counter(levels)
    assert ours == {"under 28": 949, "28 to 41": 1035, "42 to 53": 960, "54 to 63": 1013} | {
        "64 or more": 1043
    }
    assert printed == {
        "[16,28)": ours["under 28"],
        "[28,42)": ours["28 to 41"],
        "[42,54)": ours["42 to 53"],
        "[54,64)": ours["54 to 63"],
        "[64,97]": ours["64 or more"],
    }

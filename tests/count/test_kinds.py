"""What the values of a column are: by their type, by what is declared, and by what is labelled."""

from datetime import date, datetime, time, timedelta

import numpy as np
import polars as pl
import pytest

from unveil.count.codes import encode
from unveil.count.kinds import (
    are_sentences,
    is_near_unique,
    kind_of_codes,
    kind_of_series,
    means_no_answer,
    numbers_of,
)
from unveil.io.code_meanings import Meaning
from unveil.records.codebook import Level, MissingRange, Variable

NUMBERS = pl.Series([-9.0, 1.0, 1.0, 2.0, 30.0, None])


def labelled(*codes, **more) -> Variable:
    return Variable(name="x", levels=tuple(Level(code=one, label="l") for one in codes), **more)


@pytest.mark.parametrize(
    ("lo", "hi", "wanted"),
    [
        (None, 1, [True, True, True, False, False, False]),
        (2, None, [False, False, False, True, True, False]),
        (1, 2, [False, True, True, True, False, False]),
        (3, 4, [False] * 6),
    ],
)
def test_a_range_that_means_no_answer_has_both_its_ends(lo, hi, wanted):
    spans = (MissingRange(lo=lo, hi=hi),)
    assert means_no_answer(NUMBERS, Variable(name="x", missing_ranges=spans)).to_list() == wanted


def test_codes_that_mean_no_answer_may_stand_beside_a_range():
    both = Variable(name="x", missing=(-9, "text"), missing_ranges=(MissingRange(lo=30, hi=99),))
    assert means_no_answer(NUMBERS, both).to_list() == [True, False, False, False, True, False]


@pytest.mark.parametrize(
    ("series", "variable", "kind"),
    [
        (pl.Series([1, 2]), None, "number"),
        (pl.Series([1, 2]), Variable(name="x"), "number"),
        (pl.Series([1, 2]), labelled(1, 2), "category"),
        (pl.Series([1, 2]), labelled(1, 2, measure="ordinal"), "ordered"),
        (pl.Series([1, 2]), labelled(1, 2, measure="scale"), "number"),
        (pl.Series([1, 2]), labelled("1", "2"), "number"),  # labels of letters are of no number
        (pl.Series([1, 2]), labelled("a", 1, 2), "category"),
        (pl.Series([1, 2, 3]), labelled(1), "number"),
        (pl.Series([1, -9, -9]), labelled(1, -9, missing=(-9,)), "category"),
        (pl.Series([5, -9, -9]), labelled(-9, missing=(-9,)), "number"),
        (pl.Series([2**63 + 1], dtype=pl.UInt64), None, "category"),
        (pl.Series(["a"]), Variable(name="x", measure="ordinal"), "ordered"),
        (pl.Series(["a"]), Variable(name="x", measure="nominal"), "category"),
        (pl.Series([date(2020, 1, 1)]), labelled(1), "date"),
        (pl.Series([time(1)]), labelled(1), "number"),
    ],
)
def test_the_kind_of_a_column(series, variable, kind):
    assert kind_of_series(series, variable) == kind


@pytest.mark.parametrize(
    ("is_labelled", "counts", "kind"),
    [
        ([True, False], [95, 5], "category"),  # at both edges: 95 %, and one of two
        ([True, False], [94, 6], "number"),
        ([True, False, False], [98, 1, 1], "number"),
        ([True, True, False], [0, 98, 2], "category"),  # a label that no one has is no label
        ([True, False], [0, 98], "number"),
    ],
)
def test_nearly_all_answers_of_a_code_have_a_label(is_labelled, counts, kind):
    assert kind_of_codes(None, np.array(is_labelled), np.array(counts)) == kind


def test_moments_are_days_and_spans_are_seconds():
    moments = pl.Series([datetime(1970, 1, 2, 12), None], dtype=pl.Datetime("us"))
    assert numbers_of(moments)[0] == 1.5
    assert numbers_of(moments.cast(pl.Datetime("ms")))[0] == 1.5
    assert numbers_of(pl.Series([date(1970, 1, 3)])).tolist() == [2]
    assert numbers_of(pl.Series([time(0, 1)])).tolist() == [60]
    assert numbers_of(pl.Series([timedelta(minutes=2)])).tolist() == [120]
    assert np.isnan(numbers_of(pl.Series(["1"]))).all()


@pytest.mark.parametrize(
    ("n_distinct", "n_held", "is_near"),
    [(18, 20, True), (17, 20, False), (19, 19, False), (90, 100, True), (89, 100, False)],
)
def test_nine_of_ten_with_a_value_of_their_own_point_at_people(n_distinct, n_held, is_near):
    assert is_near_unique(n_distinct, n_held) is is_near


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ([*map(str, range(18)), "0", "1"], "identifier"),
        ([*map(str, range(17)), "0", "1", "2"], "category"),
        ([*map(str, range(18)), "0", None], "category"),  # of 19 people
        ([*map(str, range(18)), "0", "1", None], "identifier"),
    ],
)
def test_texts_point_at_people_by_those_who_have_one(texts, kind):
    assert encode("x", [pl.Series(texts)]).kind == kind


def test_texts_of_four_words_on_average_are_sentences():
    assert are_sentences(pl.Series(["a b c", "a b c d e"]))
    assert not are_sentences(pl.Series(["a b c", "a b c d", None]))
    assert not are_sentences(pl.Series([None], dtype=pl.String))
    assert not are_sentences(pl.Series([4]))


def test_missing_values_are_no_codes_without_a_label():
    values = pl.Series([1] * 19 + [2, None])  # half of two codes have a label
    assert encode("x", [values], {"1": Meaning("l", "1")}).kind == "category"


def test_a_special_code_is_found_among_numbers_of_half_the_digits():
    numbers = encode("x", [pl.Series([0.1, 1.5], dtype=pl.Float32)])
    assert numbers.is_number([0.1]).tolist() == [False, True]


def test_labels_count_by_the_records_of_the_original_unless_it_has_none():
    none, labels = pl.Series([], dtype=pl.Int64), dict.fromkeys(("1", "2"), Meaning("l", "1"))
    for original, copy, kind in (
        (pl.Series([1] * 19 + [3]), pl.Series([3] * 50 + [4, 5, 6]), "category"),
        (none, pl.Series([1, 2, 2]), "category"),
        (none, pl.Series([7, 8, 8]), "number"),
    ):
        assert encode("x", [original, copy], labels).kind == kind

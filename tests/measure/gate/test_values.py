"""Which cells say the same, and where does a number stand among the original's?"""

import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.gate.test_links import columns, rows
from oracles import gate
from unveil.measure.gate.values import fold_text, read_numbers


def fold(text: str) -> str:
    return fold_text(pl.Series([text]))[0]


def n_codes(*cells: object) -> int:
    (column,) = columns(["x"], [(cell,) for cell in cells], [(cells[0],)])
    return len({*column.select_side(0).tolist()})


def agree(mine: list, theirs: list) -> list[bool]:
    both = rows(["x"], [(one,) for one in mine], [(one,) for one in theirs])
    return both.agrees("x", both.people["x"], both.records["x"]).tolist()


@given(st.text(st.characters(max_codepoint=0x2FF, exclude_categories=["Cs"])))
def test_folded_text_stays_as_it_is(text):
    once = fold(text)
    assert fold(once) == fold(f"  {text} ") == once


@pytest.mark.parametrize(
    "spellings",
    [
        ("Opole", "OPOLE", " opole", "\u043epole", "o\u0301pole", "\uff2fpole", "op\u200bole"),
        ("St. Gallen", "st gallen", "St\u00a0-\u00a0Gallen", "st_gallen"),
    ],
)
def test_spellings_that_a_reader_calls_the_same(spellings):
    assert {fold(one) for one in spellings} == {fold(spellings[0])}
    assert n_codes(*spellings, "other") == 2


@pytest.mark.parametrize("word", ["\u039d\u0391\u0399", "STRA\u1e9eE", "\u0500"])
def test_capitals_are_no_difference_in_any_alphabet(word):
    assert fold(word) == fold(word.lower())


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1", " 2.50 ", "-3e2"], [1, 2.5, -300]),
        (["1,5", "2,25", "-3,0"], [1.5, 2.25, -3]),
        (["1.234,5", "2.000,25"], [1234.5, 2000.25]),
        (["5 kg", "7.5 kg"], [5, 7.5]),
        (["€ 5", "€ 1'200.5"], [5, 1200.5]),
        (["1970-01-02", "1971-01-01"], [1, 365]),
        (["a1", "b2"], None),
        (["5 kg", "7 cm"], None),
    ],
)
def test_text_that_is_numbers_or_days(texts, numbers):
    read = read_numbers(pl.Series(texts))
    assert (None if read is None else read[0].tolist()) == numbers


def test_numbers_are_equal_to_eleven_digits_and_missing_is_a_value():
    assert n_codes(0.1 + 0.2, 0.3, 0.30000000001, None, float("nan")) == 3
    assert n_codes(12345678901.0, 12345678901.3, 12345678902.0) == 2
    assert n_codes(10**14, 10**14 + 1) == 2  # whole numbers are compared in full
    assert n_codes(dt.date(2024, 2, 29), dt.date(2024, 2, 29), dt.date(2024, 3, 1)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_ranks_are_on_straight_lines_between_mid_ranks(seed):
    names, original, synthetic = gate.invent(seed)
    synthetic = [tuple(c + 0.4 if isinstance(c, float) else c for c in row) for row in synthetic]
    for place, column in enumerate(columns(names, original, synthetic)):
        if column.is_number:
            held = [row[place] for row in original]
            cells = [row[place] for row in original + synthetic]
            ranks = [float(gate.rank(held, cell)) for cell in cells]
            assert column.ranks[column.codes] == pytest.approx(ranks)


def test_ranks_and_agreement_by_hand():
    (column,) = columns(["x"], [(1,), (1,), (5,), (9,)], [(3,), (6,), (-2,), (99,), (None,)])
    assert column.ranks[column.select_side(1)].tolist() == [0.4375, 0.6875, 0.25, 0.875, -1]
    # A step of ten is a hundredth of the ranks, so that two are two in a thousand.
    original = [*range(0, 1000, 10)]
    assert agree(original, [x + 1.9 for x in original])[:-1] == [True] * 99
    assert agree(original, [x + 2.1 for x in original])[:-1] == [False] * 99
    assert agree([1, None], [None, None]) == [False, True]


def test_what_is_no_number_is_not_missing():
    numbers = [f"{k}" for k in range(30)]
    assert agree([*numbers, "n/a"], [*numbers, None])[-1] is False

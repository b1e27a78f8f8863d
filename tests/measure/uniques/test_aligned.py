"""Matching rows to rows by hand, against the definition, and where it is refused."""

from importlib import import_module

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import aligned_match as oracle
from profiles import examples
from unveil.errors import AlignError, InputError, RolesError, SettingsError
from unveil.measure.uniques import aligned_match
from unveil.measure.uniques.aligned_match import AlignedMatchResult
from unveil.measure.uniques.match_risk import match_risk

SCHEMA = {"a": pl.Int64, "b": pl.Int64, "c": pl.String}
KEYS = list(SCHEMA)


def frame(records):
    return pl.DataFrame(records, SCHEMA, orient="row")


def keys(*words):
    return pl.DataFrame([list(word) for word in words], ["k1", "k2"], orient="row")


ORIGINAL = keys("ax", "ay", "bx", "bx", "cy")
COPY = keys("ax", "bx", "bx", "ay", "cx")


def test_the_worked_example_by_hand():
    result = match_risk(ORIGINAL, COPY, keys=["k1", "k2"])
    assert isinstance(result, AlignedMatchResult)
    # ax: its own row alone. ay: row 4 alone, which is another. bx: rows 2 and 3, the third person's
    # own among them, the fourth's not. cy: nobody.
    assert result.matches()["n_candidates"].to_list() == [1, 1, 2, 2, 0]
    assert result.matches()["is_among"].to_list() == [True, False, True, False, False]
    (row,) = result.rows
    assert (row.n_matched, row.n_unique, row.n_true, row.n_false) == (4, 2, 1, 1)
    assert row.expected_match_risk == 1.5
    assert row.expected_match_rate == 0.3
    assert (row.perceived_match_rate, row.true_match_rate, row.false_match_rate) == (0.4, 0.2, 0.5)


def test_an_intruder_with_several_copies_takes_the_likeliest_row():
    original = keys("ax", "bx", "cx")
    first, second = keys("ax", "ax", "cx"), keys("ax", "bx", "ax")
    result = match_risk(original, [first, second], keys=["k1", "k2"])
    pooled = result.record.headline
    # ax: row 1 in both, rows 2 and 3 once each, so row 1. bx: row 2. cx: row 3.
    assert [row.copy for row in result.rows] == [1, 2, "pooled"]
    assert (pooled.n_true, pooled.expected_match_risk) == (3, 3)
    assert [row.n_true for row in result.rows[:2]] == [1, 1]


def test_what_is_shown_has_no_record_of_the_data():
    data = pl.DataFrame({"name": ["a secret name", "another"]})
    result = match_risk(data, data, keys="name")
    drawn = import_module("unveil.view.match_risk")
    assert [name for name, _ in drawn.aligned_sentences(result.record)] == [
        "perceived",
        "true",
        "expected",
    ]
    assert repr(result) == (
        "Rows matched by name: about 2.0 of 2 expected to match correctly (100.0 %)"
    )
    assert "secret" not in repr(result) + result.to_json() + result._repr_html_()


def test_hostile_names_are_made_harmless():
    data = pl.DataFrame({"<b>\x1b": ["p", "q"]})
    result = match_risk(data, data, keys="<b>\x1b")
    import_module("unveil.view.match_risk")
    assert "\x1b" not in repr(result) + result._repr_html_()
    assert "<b>" not in result._repr_html_()


def test_the_sentences_say_what_was_found():
    drawn = import_module("unveil.view.match_risk")
    told = dict(drawn.aligned_sentences(match_risk(ORIGINAL, COPY, keys=["k1", "k2"]).record))
    assert told == {
        "perceived": "2 of 5 people (40.0 %) have a single most likely row, for an intruder who"
        " knows k1 and k2 and has the synthetic data.",
        "true": "For 1 person (20.0 % of all) it is their own row; 50.0 % of these matches are"
        " wrong.",
        "expected": "A random choice among the most likely rows would be correct for about 1.5 of"
        " 5 people (30.0 %).",
    }


def test_the_data_themselves_are_all_found():
    data = pl.DataFrame({"id": range(50)})
    (row,) = match_risk(data, data, keys="id").rows
    assert (row.true_match_rate, row.false_match_rate) == (1, 0)
    assert row.expected_match_risk == 50


def test_numbers_may_be_off_by_a_tolerance():
    original = pl.DataFrame({"age": [0.1, 0.4, 0.7]})
    copy = pl.DataFrame({"age": [0.4, 0.7, 0.1]})
    (row,) = match_risk(original, copy, keys="age", tolerance={"age": 0.3}).rows
    assert (row.n_unique, row.n_matched) == (0, 3)
    # 0.1 has 0.1 and 0.4 (its own), 0.4 all three (its own 0.7), 0.7 has 0.4 and 0.7.
    assert row.expected_match_risk == pytest.approx(1 / 2 + 1 / 3)


def test_special_codes_have_no_neighbours():
    original = pl.DataFrame({"age": [-9, -8, 30]})
    copy = pl.DataFrame({"age": [-8, -9, 31]})
    asked = {"keys": "age", "tolerance": {"age": 1}}
    (told,) = match_risk(original, copy, special_codes={"age": [-9, -8]}, **asked).rows
    (untold,) = match_risk(original, copy, **asked).rows
    assert (told.n_unique, told.n_true) == (3, 1)
    assert untold.n_unique == 1
    assert (
        "change nothing"
        not in match_risk(original, copy, special_codes={"age": [-9]}, **asked).to_json()
    )


NUMBERS = st.one_of(st.none(), st.integers(0, 4))
TEXTS = st.one_of(st.none(), st.sampled_from(["p", "q"]))
ROWS = st.tuples(NUMBERS, NUMBERS, TEXTS)


@st.composite
def files(draw):
    n, m = draw(st.integers(0, 7)), draw(st.integers(1, 3))
    # One row in common: keys without any level in common are refused.
    return [[(0, 0, "p"), *draw(st.lists(ROWS, min_size=n, max_size=n))] for _ in range(m + 1)]


@examples(150)
@given(files(), st.sampled_from([(None, None), (1, None), (2, 1), (0, 3)]), st.booleans())
def test_everything_is_as_defined(given_files, tolerances, in_small_pieces):
    original, *copies = given_files
    off = {key: radius for key, radius in zip("ab", tolerances, strict=True) if radius is not None}
    with pytest.MonkeyPatch.context() as patch:
        if in_small_pieces:
            patch.setattr(aligned_match, "MOST_PAIRS", 3)
        result = match_risk(
            frame(original), [frame(copy) for copy in copies], keys=KEYS, tolerance=off
        )
    wanted = [oracle.rates(original, [copy], (*tolerances, None)) for copy in copies]
    if len(copies) > 1:
        wanted.append(oracle.rates(original, copies, (*tolerances, None)))
    assert len(result.rows) == len(wanted)
    for row, figures in zip(result.rows, wanted, strict=True):
        for name, value in figures.items():
            found = getattr(row, name)
            assert found == (None if value is None else pytest.approx(float(value))), name
        assert row.n_true <= row.expected_match_risk + 1e-9 <= row.n_matched + 1e-8


def test_a_large_file_is_matched_in_bounded_pieces():
    rng = np.random.default_rng(1)
    n = 20_000
    data = pl.DataFrame({"a": rng.integers(0, 300, n), "b": rng.integers(0, 300, n)})
    moved = data.with_columns(pl.all() + pl.Series(rng.integers(-1, 2, n)))
    asked = {"keys": ["a", "b"], "tolerance": {"a": 1, "b": 1}}
    (row,) = match_risk(data, moved, **asked).rows
    assert row.n_matched == n
    # Nine cells of 300 x 300 hold two people on average.
    assert 0.3 < row.expected_match_rate < 0.6
    # Nobody moved farther than the tolerance, so whoever is found alone is found rightly.
    assert row.n_false == 0


BAD = {
    "another length": (
        {"synthetic": COPY[:4]},
        AlignError,
        "The synthetic dataset has 4 records and the original 5. Rows can be matched to rows"
        " only in synthetic data that have the rows of the original, in their order; for other"
        " copies see unveil.disclosure.",
    ),
    "no copy": (
        {"synthetic": []},
        InputError,
        "No synthetic data are given. Name at least one file or frame.",
    ),
    "weights": (
        {"weights": "w"},
        SettingsError,
        "weights is 'w', which has no meaning where synthetic rows are matched to rows of the"
        " data. Omit it, or give only the data.",
    ),
    "a wildcard": (
        {"missing": "wildcard"},
        SettingsError,
        "missing is 'wildcard'. Where synthetic rows are matched to rows of the data, a missing"
        " key is a level: omit it, or give 'category'.",
    ),
    "a tolerance without its key": (
        {"tolerance": {"k3": 1}},
        RolesError,
        "A tolerance is given for 'k3', which is not a key. The keys are: k1, k2.",
    ),
    "a negative tolerance": (
        {"tolerance": {"k1": -1}},
        SettingsError,
        "The tolerance of 'k1' is -1. It must be a number from 0 on.",
    ),
    "a tolerance of text": (
        {"tolerance": {"k1": 1}},
        SettingsError,
        "A tolerance needs numbers, and 'k1' has none. Omit its tolerance.",
    ),
    "no tolerance by name": (
        {"tolerance": 2},
        SettingsError,
        "tolerance is 2. Give a radius for each numeric key, as in {'age': 2}.",
    ),
    "a tolerance without a copy": (
        {"synthetic": None, "tolerance": {"k1": 1}},
        SettingsError,
        "A tolerance is given, but no synthetic data. It states by how much synthetic keys may be"
        " off: give the synthetic data after the data, or omit the tolerance.",
    ),
    "a key that is not there": (
        {"keys": "k3"},
        RolesError,
        "The original has no column 'k3'. Its columns are: k1, k2.\nThe same is true of every other"
        " file.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_a_sentence(case):
    given, kind, sentence = BAD[case]
    with pytest.raises(kind) as fault:
        match_risk(ORIGINAL, **{"synthetic": COPY, "keys": ["k1", "k2"], **given})
    assert str(fault.value) == sentence
    assert fault.value.exit_code == 2

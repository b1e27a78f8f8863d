"""Membership and closest records by hand, against the definition, and where they are refused."""

from fractions import Fraction
from importlib import import_module
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import membership as oracle
from oracles import recognition as of_ranks
from profiles import examples
from unveil.errors import AlignError, InputError, ReadError, RolesError, SettingsError
from unveil.measure.attacks.membership import N_DRAWS, membership

SCHEMA = {"a": pl.Int64, "b": pl.String, "c": pl.String}
ORDERED = (True, False, False)


def frame(records):
    return pl.DataFrame(records, SCHEMA, orient="row")


def letters(*words):
    return pl.DataFrame([list(word) for word in words], ["x", "y", "z"], orient="row")


def test_the_worked_example_by_hand():
    original = letters("aaa", "abb", "bbb", "cca")
    control = letters("aab", "bba", "ccc", "acb")
    copy = letters("aaa", "bbb", "bca")
    result = membership(original, copy, control=control, seed=1)
    # Distances to the copy. Original: 0, 1 (bbb), 0, 1 (bca). Control: 1, 1, 2, 2.
    by_threshold = {row.threshold: row for row in result.rows}
    assert list(by_threshold) == [0, 1, 2, 3]
    exact = by_threshold[0]
    assert (exact.recall, exact.false_positive_rate, exact.precision) == (0.5, 0, 1)
    assert pytest.approx(2 / 3) == exact.F1
    assert exact.advantage == 0.5
    one = by_threshold[1]
    assert (one.recall, one.false_positive_rate) == (1, 0.5)
    assert one.precision == pytest.approx(2 / 3)
    assert pytest.approx(0.8) == one.F1
    assert one.relative_F1 == pytest.approx((0.8 - 2 / 3) / (1 - 2 / 3))
    assert by_threshold[2].relative_F1 == pytest.approx(0)
    record = result.record
    assert record.naive_F1 == pytest.approx(2 / 3)
    assert (record.headline.threshold, record.threshold) == (1, None)
    closest = {row.pair: row for row in record.closest}
    # aaa 0 (aaa), then 2 (abb, cca); bbb 0, then 1 (abb); bca 1 (cca), then 2 (aaa, bbb).
    to_original = closest["synthetic to original"]
    assert (to_original.dcr_median, to_original.share_exact) == (0, pytest.approx(2 / 3))
    assert to_original.dcr_mean == pytest.approx(1 / 3)
    assert to_original.nndr_median == 0
    # aaa 1 (aab), then 2; bbb 1 (bba), then 2; bca 1 (bba), then 2 (ccc).
    to_control = closest["synthetic to control"]
    assert (to_control.dcr_median, to_control.share_exact) == (1, 0)
    assert to_control.nndr_median == 0.5
    # Original 0, 1, 0, 1 against control 1, 1, 2, 2: each 0 wins 4, each 1 wins 2 and ties 2.
    assert record.people_auc == 14 / 16
    assert record.recall_at_1 is None


def long_letters(*words):
    """A person for each word, a row for each three letters; the last row first."""
    rows = [(who, at, *word[at : at + 3]) for who, word in enumerate(words) for at in (3, 0)]
    return pl.DataFrame(rows, ["who", "at", "x", "y", "z"], orient="row")


def test_people_with_all_their_rows_are_as_far_apart_as_their_rows_side_by_side():
    sides = ("aaabab", "abbcca", "bbbaac"), ("aabbbb", "bbaacc", "cccaba"), ("aaabab", "bbbccc")
    wide = [pl.DataFrame([list(word) for word in words], orient="row") for words in sides]
    asked = {"columns": ["x", "y", "z"], "person": "who", "seed": 1}
    original, control, copy = (long_letters(*words) for words in sides)
    beside = membership(wide[0], wide[2], control=wide[1], seed=1).record
    alone = membership(original, copy, control=control, **asked).record
    found = membership(original, copy, control=control, time="at", **asked).record
    # Six letters: 0, 3, 3 apart from the closest; of the control 2, 4, 5. Row by row it is less.
    assert (found.people_auc, found.rows) == (beside.people_auc, beside.rows)
    assert found.people_auc > alone.people_auc
    assert found.closest == beside.closest


NUMBERS = st.one_of(st.none(), st.integers(-3, 3))
TEXTS = st.one_of(st.none(), st.sampled_from(["p", "q", "r"]))
RECORDS = st.lists(st.tuples(NUMBERS, TEXTS, TEXTS), min_size=2, max_size=6)


@pytest.mark.slow
@examples(80)
@given(
    RECORDS,
    RECORDS,
    RECORDS,
    st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(4, 5)]),
    st.sampled_from([None, Fraction(1, 2), Fraction(5, 3)]),
)
def test_everything_is_as_defined(original, copy, control, prevalence, threshold):
    pooled = original + copy + control
    if all(len({record[column] for record in pooled}) == 1 for column in range(3)):
        return
    result = membership(
        frame(original),
        frame(copy),
        control=frame(control),
        columns=list(SCHEMA),
        prevalence=float(prevalence),
        threshold=None if threshold is None else float(threshold),
        seed=1,
    )
    spans = oracle.ranges(pooled, ORDERED)
    members, others = (
        [oracle.two_closest(record, copy, ORDERED, spans)[0] for record in side]
        for side in (original, control)
    )
    for row in (*result.rows, result.record.headline):
        # A distance such as 1/3 is not what a float says: the nearest fraction is.
        near = Fraction(row.threshold).limit_denominator(1_000)
        wanted = oracle.scores(members, others, near, prevalence)
        for name, value in wanted.items():
            found = getattr(row, name)
            assert found == (None if value is None else pytest.approx(float(value))), name
    if threshold is None:
        best = max(
            oracle.scores(members, others, each, prevalence)["F1"] for each in members + others
        )
        assert pytest.approx(float(best)) == result.record.headline.F1
        assert result.record.headline.relative_F1 >= -1e-12


@pytest.mark.slow
@examples(60)
@given(RECORDS, RECORDS, RECORDS)
def test_closest_records_are_as_defined(original, copy, control):
    size = min(len(original), len(control))
    original, control = original[:size], control[:size]
    pooled = original + copy + control
    if all(len({record[column] for record in pooled}) == 1 for column in range(3)):
        return
    record = membership(
        frame(original), frame(copy), control=frame(control), columns=list(SCHEMA), seed=1
    ).record
    spans = oracle.ranges(pooled, ORDERED)
    pairs = {
        "synthetic to original": (copy, original),
        "synthetic to control": (copy, control),
        "control to original": (control, original),
    }
    for row in record.closest:
        some, reference = pairs[row.pair]
        two = [oracle.two_closest(each, reference, ORDERED, spans) for each in some]
        first = [float(apart[0]) for apart in two]
        ratios = [float(oracle.ratio(apart)) for apart in two]
        assert (row.n, row.n_reference, row.n_draws) == (len(some), size, 1)
        assert row.share_exact == pytest.approx(first.count(0) / len(first))
        assert row.dcr_mean == pytest.approx(sum(first) / len(first))
        assert row.dcr_median == pytest.approx(np.median(first))
        assert row.dcr_5 == pytest.approx(np.quantile(first, 0.05))
        assert row.nndr_median == pytest.approx(np.median(ratios))
        assert row.nndr_5 == pytest.approx(np.quantile(ratios, 0.05))
    nearest = [
        [oracle.two_closest(each, copy, ORDERED, spans)[0] for each in side]
        for side in (original, control)
    ]
    near = [[-apart for apart in side] for side in nearest]
    assert record.people_auc == pytest.approx(float(of_ranks.auc(*near)))


def people(seed, n, n_columns=4):
    rng = np.random.default_rng(seed)
    names = [f"x{place}" for place in range(n_columns)]
    return pl.DataFrame({name: rng.integers(0, 6, n).astype(str) for name in names})


def test_references_of_different_size_are_cut_to_one():
    original, copy, control = people(1, 300), people(2, 200), people(3, 100)
    rows = membership(original, copy, control=control, seed=4).record.closest
    drawn = {row.pair: (row.n_reference, row.n_draws) for row in rows}
    assert drawn == {
        "synthetic to original": (100, N_DRAWS),
        "synthetic to control": (100, 1),
        "control to original": (100, N_DRAWS),
    }
    whole = membership(original, copy, control=control, seed=4).record
    originals = set(original.rows())
    assert whole.n_exact == sum(row in originals for row in copy.rows())
    assert whole.share_exact == whole.n_exact / 200
    # The copy owes nothing to either side: it is as close to both.
    assert abs(rows[0].dcr_mean - rows[1].dcr_mean) < 0.1


@pytest.mark.slow
def test_independent_data_show_nothing_and_a_copy_shows_itself():
    covered = 0
    for seed in range(60):
        data = [people([seed, side], 120) for side in range(3)]
        row = membership(data[0], data[1], control=data[2], threshold=1, seed=seed).rows[1]
        nothing = row.advantage == 0
        covered += row.interval[0] <= expected_relative(row) <= row.interval[1] or nothing
        if seed == 0:
            itself = membership(data[0], data[0], control=data[2], threshold=0, seed=1).record
            assert itself.headline.recall == 1
            assert itself.headline.relative_F1 > 0.8
            assert itself.closest[0].share_exact == 1
    assert 52 <= covered <= 60


def expected_relative(row):
    """The relative F1 where members and others are called members equally often."""
    share = (row.recall + row.false_positive_rate) / 2
    f1 = 2 * share / (1 + 2 * share)
    return (f1 - 2 / 3) / (1 / 3)


def test_the_prevalence_sets_what_is_naive():
    data = [people(seed, 50) for seed in range(3)]
    record = membership(data[0], data[1], control=data[2], prevalence=0.1, seed=1).record
    assert record.naive_F1 == pytest.approx(0.2 / 1.1)
    far = record.rows[-1]
    assert (far.recall, far.false_positive_rate, far.precision) == (1, 1, pytest.approx(0.1))
    assert far.relative_F1 == pytest.approx(0)


def test_codes_differ_or_do_not():
    data = [pl.DataFrame({"x": codes}) for codes in ([1, 2, 9], [1, 3, 9], [4, 5, 6])]
    asked = {"control": data[2], "threshold": 0.5, "seed": 1}
    near = membership(data[0], data[1], **asked).record.headline
    assert (near.recall, near.false_positive_rate) == (1, 1)
    alike = membership(data[0], data[1], categorical="x", **asked).record.headline
    assert (alike.recall, alike.false_positive_rate) == (pytest.approx(2 / 3), 0)


def test_samples_and_seeds():
    data = [people(seed, 80) for seed in range(3)]
    first, again, other = (
        membership(data[0], data[1], control=data[2], n=30, seed=seed) for seed in (5, 5, 6)
    )
    assert first.to_json() == again.to_json() != other.to_json()
    assert (first.record.n_attacked_original, first.record.n_attacked_control) == (30, 30)


def test_shared_records_are_counted():
    data = people(1, 60)
    record = membership(data, people(2, 60), control=data[:10], threshold=1, seed=1).record
    assert record.n_shared_with_control >= 10
    assert record.warnings[0].startswith(
        f"{record.n_shared_with_control:,} control records are equal to an original record"
    )


DATA = pl.DataFrame({"x": [1, 2, 3], "y": ["p", "q", "q"]})
BAD = {
    "no control": (
        {"control": None},
        ReadError,
        "No control is given. Whether members come closer to the synthetic data than others"
        " shows only against people of the same kind who were not used: give them as control; see"
        " unveil.split.",
    ),
    "a control of one record": (
        {"control": DATA[:1]},
        AlignError,
        "The control sample has 1 record, too few for distances. Give a file of at least 2.",
    ),
    "prevalence": (
        {"prevalence": 1},
        SettingsError,
        "prevalence is 1. It must be a number between 0 and 1.",
    ),
    "threshold": (
        {"threshold": -1},
        SettingsError,
        "threshold is -1. It must be a number from 0 on, a distance.",
    ),
    "n": ({"n": 1}, SettingsError, "n is 1. It must be a whole number from 2 on."),
    "a column that is not there": (
        {"columns": ["x", "z"]},
        RolesError,
        "The original has no column 'z'. Its columns are: x, y.\nThe same is true of every other"
        " file.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_a_sentence(case):
    given, kind, sentence = BAD[case]
    with pytest.raises(InputError) as fault:
        membership(DATA, DATA, **{"control": DATA, "seed": 1, **given})
    assert type(fault.value) is kind
    assert str(fault.value) == sentence
    assert fault.value.exit_code == 2


def test_the_frame_has_the_rows():
    result = membership(DATA, DATA, control=DATA, seed=1)
    assert result.frame().height == len(result.rows)
    assert [one.pair for one in result.record.closest] == [
        f"{one} to {other}"
        for one, other in product(("synthetic", "control"), ("original", "control"))
        if (one, other) != ("control", "control")
    ]


def test_the_sentences_say_what_was_found():
    drawn = import_module("unveil.view.membership")
    original = letters("aaa", "abb", "bbb", "cca")
    control = letters("aab", "bba", "ccc", "acb")
    copy = letters("aaa", "bbb", "bca")
    result = membership(original, copy, control=control, threshold=1, seed=1)
    told = dict(drawn.membership_sentences(result.record))
    assert list(told) == ["attack", "F1", "exact", "people", "limits", "distance"]
    assert told["attack"] == (
        "An attacker who takes everyone with a synthetic record within a distance of 1 for a member"
        " is correct about 100.0 % of training records, and wrong about 50.0 % of the control"
        " sample."
    )
    assert told["exact"] == (
        "2 of 3 synthetic records (66.7 %) are equal to an original record in every compared"
        " column. Compared with 4 records each, 66.7 % are equal to an original and 0 % to a"
        " control record."
    )
    assert repr(result) == (
        "Membership by nearest records: relative F1 0.40 within a distance of 1; AUC of"
        " training against control records 0.88"
    )
    page = result._repr_html_()
    assert "<script" not in page
    assert "Distance to the closest record" in page


def test_what_is_equal_is_told_by_values_not_by_a_distance_too_small_to_see():
    original, copy = pl.DataFrame({"a": [1e300, 1.0, 2.0]}), pl.DataFrame({"a": [3.0, 4.0, 2.0]})
    control = pl.DataFrame({"a": [6.0, 7.0, -1e300]})
    record = membership(original, copy, control=control, seed=1).record
    assert [row.share_exact for row in record.closest] == [pytest.approx(1 / 3), 0, 0]
    assert record.n_exact == 1


def test_a_small_control_does_not_blunt_what_shows_that_a_few_were_copied():
    original = people(1, 2_000, 8)
    fresh, copied = people(2, 1_000, 8), pl.concat([people(2, 800, 8), original[:200]])
    for n in (1_500, 150):
        asked = {"control": people(3, n, 8), "seed": 1}
        record = membership(original, copied, **asked).record
        assert record.recall_at_1 == pytest.approx(0.1, abs=0.015)
        assert record.people_auc_interval[0] > 0.5
        null = membership(original, fresh, **asked).record
        assert null.people_auc_interval[0] < 0.5 < null.people_auc_interval[1]
        assert null.recall_at_1 < 0.03
    assert membership(original, fresh, control=people(3, 99, 8), seed=1).record.recall_at_1 is None

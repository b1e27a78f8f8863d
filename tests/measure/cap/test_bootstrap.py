"""The interval: whole key combinations are drawn, and the draws are those of the definition."""

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.small import people
from oracles import confidentiality as oracle
from profiles import examples
from unveil.measure.cap import differential_scores
from unveil.measure.cap.differential import differential_confidentiality
from unveil.measure.cap.differential_scores import ScoreClasses, differences, interval
from unveil.records.differential import FEW_TO_DRAW, NO_WIDTH

INCLUDED = ["axp", "axp", "axq", "ayp", "bxq", "byq", "byp"]
LEFT_OUT = ["axq", "ayq", "ayp", "bxq", "bxp", "byq"]
COPY = ["axp", "axp", "axq", "ayp", "ayq", "bxq", "bxq", "bxp"]


# In 24 key combinations, as many as it takes to conclude something from an interval.
MANY_KEYS = [a + b for a in "abcdefgh" for b in "xyz"]
MANY = {
    "included": [key + t for key in MANY_KEYS for t in "pq"] + ["axp", "bxp"],
    "left_out": [key + t for key in MANY_KEYS for t in "pqr"],
    "copy": [key + t for key in MANY_KEYS for t in "ppq"[: 1 + ord(key[0]) % 3]],
}


def file(rows: list[str]) -> list[tuple]:
    return [(tuple(row[:2]), row[2]) for row in rows]


def measured(**asked):
    asked = {"seed": 1, **asked}
    return differential_confidentiality(
        people(INCLUDED), people(LEFT_OUT), people(COPY), keys=["k1", "k2"], target="t", **asked
    )


def measured_many(n_keys: int = 24, **asked):
    """The groups in so many key combinations, the last of them cut off."""
    kept = set(MANY_KEYS[:n_keys])
    files = [people([row for row in rows if row[:2] in kept]) for rows in MANY.values()]
    asked = {"seed": 1, "keys": ["k1", "k2"], "target": "t", **asked}
    return differential_confidentiality(*files, **asked)


def classes_of(files: list[list[tuple]], rule: str) -> tuple[list, ScoreClasses]:
    """The key combinations one by one, as the oracle sees them, and as unveil holds them."""
    included, left_out, pool = files
    known = oracle.classes(included, left_out, pool, rule)
    groups = [[[row for row in part if row[0] == key] for key in known] for part in files[:2]]
    s_q = np.array([sum(key == other for other, _ in pool) for key in known])
    right = [
        [sum(pool.count(person) for person in in_class) for in_class in group] for group in groups
    ]
    n = np.array([[len(in_class) for in_class in group] for group in groups])
    return known, ScoreClasses(n, np.array(right), s_q, np.ones(len(known), np.int64))


rows = st.lists(
    st.tuples(st.tuples(st.sampled_from("abcd")), st.sampled_from("pqr")), min_size=1, max_size=9
)


@examples(120)
@given(st.tuples(rows, rows, rows), st.sampled_from(oracle.RULES), st.data())
def test_a_draw_is_everyone_in_the_key_combinations_drawn(files, rule, data):
    known, classes = classes_of(list(files), rule)
    if not known:
        return
    drawn = data.draw(
        st.lists(st.sampled_from(range(len(known))), min_size=len(known), max_size=len(known))
    )
    weights = np.bincount(drawn, minlength=len(known))[np.newaxis]
    keys = [known[place] for place in drawn]
    expected = oracle.difference_of_draw(*files, keys, rule)
    found = differences(classes, weights)
    assert found.tolist() == ([] if expected is None else [pytest.approx(float(expected))])


@pytest.mark.parametrize("rule", oracle.RULES)
def test_the_interval_has_the_ends_of_all_possible_draws(rule):
    # All 4^4 (or 3^3) draws of the key combinations, with their probabilities.
    possible = oracle.bootstrap(file(INCLUDED), file(LEFT_OUT), file(COPY), rule)
    values = [float(value) for value in possible]
    at_most = [float(p) for p in accumulate(possible.values(), initial=Fraction(0))]
    low, high = measured(nonmatch=rule, n_bootstrap=20_000, confidence=0.8).rows[0].interval
    for end, tail in ((low, 0.1), (high, 0.9)):
        below = at_most[sum(value < end - 1e-9 for value in values)]
        up_to = at_most[sum(value < end + 1e-9 for value in values)]
        assert below - 0.02 <= tail <= up_to + 0.02


@pytest.mark.parametrize("at_once", [1, 9, 10**6])
def test_as_many_draws_are_made_as_are_asked_for(monkeypatch, at_once):
    monkeypatch.setattr(differential_scores, "DRAWN_AT_ONCE", at_once)
    w = np.array([2, 3, 1])
    made = [*differential_scores._weights(w, 10, np.random.default_rng(1))]
    assert np.concatenate(made).shape == (10, 3)
    assert (np.concatenate(made).sum(axis=1) == 6).all()


def test_the_same_seed_gives_the_same_bytes():
    assert measured(seed=7).to_json() == measured(seed=7).to_json()


def test_a_seed_from_the_system_is_in_the_record_and_gives_the_same_again():
    drawn = measured(seed=None)
    assert drawn.record.seed != measured(seed=None).record.seed
    assert measured(seed=drawn.record.seed).to_json() == drawn.to_json()


def test_how_many_are_drawn_at_once_changes_nothing(monkeypatch):
    whole = measured().to_json()
    monkeypatch.setattr(differential_scores, "DRAWN_AT_ONCE", 1)
    assert measured().to_json() == whole


def drawn_interval(seed: int, m: int) -> tuple[float, float]:
    """Of a hundred key combinations, no two alike, so that no two draws give the same."""
    place = np.arange(1, 101)
    many = ScoreClasses(
        np.stack([place % 7 + 1, place % 5 + 1]),
        np.stack([place % 11, place % 13]),
        place + 13,
        place % 3 + 1,
    )
    return interval(many, confidence=0.9, n_bootstrap=200, seed=seed, m=m)


def test_each_seed_and_each_m_has_a_stream_of_its_own():
    ends = [drawn_interval(seed, m) for seed in (1, 2, 3) for m in (1, 2, 3)]
    assert len(set(ends)) == 9
    assert drawn_interval(2, 3) == ends[5]


def test_a_higher_confidence_makes_a_wider_interval():
    narrow, wide = (measured(confidence=c).rows[0].interval for c in (0.5, 0.99))
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


@pytest.mark.parametrize(("margin", "is_inside"), [(0.99, True), (0.001, False), (None, None)])
def test_equivalent_only_where_the_whole_interval_lies_inside_the_margin(margin, is_inside):
    assert measured_many(margin=margin).rows[0].equivalent is is_inside


def test_an_interval_that_ends_on_the_margin_is_not_inside():
    low, high = measured_many().rows[0].interval
    margin = max(-low, high)
    assert measured_many(margin=margin).rows[0].equivalent is False
    assert measured_many(margin=margin + 1e-9).rows[0].equivalent is True


@pytest.mark.parametrize("margin", [0.0001, 0.99])
def test_nothing_is_equivalent_where_the_interval_has_no_width(margin):
    # Two key combinations, both groups with the same mean in each: every draw gives 0.
    group = ["axp", "axq", "byp", "byq"]
    result = differential_confidentiality(
        people(group),
        people(group),
        people(["axp", "axp", "byp", "byq"]),
        keys=["k1", "k2"],
        target="t",
        margin=margin,
        seed=1,
    )
    (row,), (lacking,) = result.rows, result.record.not_measured
    assert (row.interval, row.equivalent) == ((0.0, 0.0), None)
    assert (lacking.m, lacking.field, lacking.reason) == (1, "equivalent", NO_WIDTH)


def test_no_width_is_no_width_with_many_key_combinations_too():
    rows = MANY["included"]
    result = differential_confidentiality(
        people(rows),
        people(rows[::-1]),
        people(MANY["copy"]),
        keys=["k1", "k2"],
        target="t",
        margin=0.5,
        seed=1,
    )
    assert (result.rows[0].n_keys_included, result.rows[0].n_keys_left_out) == (24, 24)
    assert result.rows[0].equivalent is None
    assert [one.reason for one in result.record.not_measured] == [NO_WIDTH]


@pytest.mark.parametrize(("n_keys", "equivalent"), [(19, None), (20, True)])
@pytest.mark.parametrize("rule", oracle.RULES)
def test_with_fewer_than_20_key_combinations_nothing_is_concluded(n_keys, equivalent, rule):
    result = measured_many(n_keys, margin=0.99, nonmatch=rule)
    assert result.rows[0].interval is not None
    assert result.rows[0].equivalent is equivalent
    reasons = [(one.field, one.reason) for one in result.record.not_measured]
    assert reasons == ([] if equivalent else [("equivalent", FEW_TO_DRAW)])


@pytest.mark.parametrize("few", ["included", "left_out"])
def test_both_groups_need_20_key_combinations(few):
    kept = set(MANY_KEYS[:19])
    files = {name: people(rows) for name, rows in MANY.items()}
    files[few] = people([row for row in MANY[few] if row[:2] in kept])
    row = differential_confidentiality(
        *files.values(), keys=["k1", "k2"], target="t", margin=0.99, seed=1
    ).rows[0]
    assert (getattr(row, f"n_keys_{few}"), row.equivalent) == (19, None)


def test_where_a_non_match_is_undefined_key_combinations_in_no_copy_do_not_count():
    files = [people(rows) for rows in MANY.values()]
    files[2] = people([row for row in MANY["copy"] if row[:2] in MANY_KEYS[:19]])
    asked = {"keys": ["k1", "k2"], "target": "t", "margin": 0.99, "seed": 1}
    zero, undefined = (
        differential_confidentiality(*files, nonmatch=rule, **asked).rows[0]
        for rule in oracle.RULES
    )
    assert (zero.n_keys_included, zero.equivalent) == (24, True)
    assert (undefined.n_keys_included, undefined.equivalent) == (19, None)


def test_too_few_of_one_outside_the_margin_is_not_said_either():
    assert measured(margin=0.001).rows[0].equivalent is None

"""Edges of what is reported beside the measures: how many people are enough, and who is counted."""

from math import log, sqrt

import numpy as np
import polars as pl
import pytest

import unveil
from measure.small import people
from unveil.count.cells import Cells
from unveil.measure.disclosure import key_sets
from unveil.measure.disclosure.claim_rules import best_of_copies
from unveil.measure.disclosure.excess_parts import ExcessScores, split_product
from unveil.measure.disclosure.key_sets import expected_replicated


@pytest.mark.parametrize(("n", "n_pairs"), [(9, 0), (10, 1), (11, 1)])
def test_ten_people_are_enough_for_a_pair_of_small_cells(n, n_pairs):
    """Every cell has one person: only the least number of people keeps a flag from being raised."""
    level = ["a"] * n + ["b"] * 30
    people = pl.DataFrame(
        {
            "k": level,
            "who": [f"p{i}" for i in range(len(level))],
            "t": ["x"] * n + [f"y{i % 5}" for i in range(30)],
        }
    )
    found = unveil.disclosure(people, people, keys=["k", "who"], targets="t").small_cells
    assert sum(one.n_pairs for one in found) == n_pairs
    assert sum(one.n for one in found) == n * n_pairs


@pytest.mark.parametrize(("n", "groups"), [(9, []), (10, ["a"]), (11, ["a"])])
def test_ten_people_disclosed_correctly_are_enough_for_a_group(n, groups):
    """All values differ: none can be guessed. The copy has those of n people of "a", 1 of "b"."""
    ids = [f"p{i}" for i in range(200)]
    people = pl.DataFrame({"k": ["a", "b"] * 100, "who": ids, "t": [f"v{i}" for i in ids]})
    known = {*ids[0 : 2 * n : 2], ids[1]}
    others = [
        value if who in known else f"not {who}" for who, value in zip(ids, people["t"], strict=True)
    ]
    copy = people.with_columns(t=pl.Series(others))
    found = unveil.disclosure(people, copy, keys=["k", "who"], targets="t").by_group
    assert [one.level for one in found if one.key == "k"] == groups


def replicated(c: list[int], n_people: int, n_records: int) -> tuple[float, float]:
    """From the words: c[i] combinations have i + 1 holders."""
    chance = [n * (i + 1) / 2 ** (i + 1) for i, n in enumerate(c)]
    absent, once = chance[0] / sum(chance), chance[1] / sum(chance)
    even = min(once / (-absent * log(absent)), 1.0)
    x = absent ** (2 * n_records / n_people)
    share = even * -x * log(x)
    expected = c[0] * share
    return expected, max(sqrt(expected * (1 - share) + expected**2 / c[1]), 1.0)


@pytest.mark.parametrize("c", [[60, 20], [60, 20, 5], [400, 30, 0, 7]])
@pytest.mark.parametrize("n_records", [50, 100])
def test_uniques_expected_again_are_those_of_two_halves(c, n_records):
    d_g = np.repeat(np.arange(1, len(c) + 1), c)
    n_people = int(d_g.sum())
    n_unique, *found = expected_replicated(d_g, n_people, n_records)
    assert n_unique == c[0]
    assert found == pytest.approx(replicated(c, n_people, n_records), rel=1e-12)
    assert found[1] > 1


@pytest.mark.parametrize(("quickly", "at_most"), [(0, 1), (20 * 2 * 2 * 3, 2)])
def test_only_single_keys_are_searched_where_sets_would_take_long(monkeypatch, quickly, at_most):
    half = pl.DataFrame({"a": ["x", "y"], "b": ["u", "v"], "t": ["p", "q"]})
    frame = pl.concat([half] * 10)
    monkeypatch.setattr(key_sets, "QUICKLY", quickly)
    found = unveil.disclosure(frame, frame, keys=["a", "b"], targets="t").with_key_sets()
    assert {one.at_most for one in found.record.key_sets} == {at_most}


STAYS = pl.DataFrame(
    {
        "who": [1, 1, 2, 3, 3, 4],
        "k": ["a", "b", "c", "d", "e", "f"],
        "t": ["flu", "well", "well", "cold", "well", "flu"],
    }
)


def test_each_copy_is_compared_with_its_own_people():
    """Two copies of as many rows: each has the figures by person that it has alone."""
    copies = [
        STAYS.with_columns(k=pl.Series(["a", "b", "c", "x", "y", "z"])),
        STAYS.with_columns(
            who=pl.Series([9, 8, 8, 8, 7, 7]), k=pl.Series(["d", "d", "e", "f", "f", "c"])
        ),
    ]
    asked = {"keys": ["k"], "targets": "t", "person": "who"}
    both = unveil.disclosure(STAYS, copies, **asked).people.rows
    for number, copy in enumerate(copies, 1):
        alone = unveil.disclosure(STAYS, copy, **asked).people.rows
        expected = {(one.measure, one.target): one.n_people for one in alone}
        found = {(one.measure, one.target): one.n_people for one in both if one.copy == number}
        assert found == expected


def test_people_with_a_sensitive_value_who_are_shown_the_first_level():
    """The copy shows "cold" to everybody: all who have flu are shown another value."""
    copy = STAYS.with_columns(t=pl.lit("cold"))
    asked = {"keys": ["k"], "targets": "t", "person": "who", "sensitive": {"t": ["flu", "well"]}}
    rows = {
        one.level: one for one in unveil.disclosure(STAYS, copy, **asked).single_values.sensitive
    }
    assert {
        name: (one.n_people, one.n_correct, one.n_wrong, one.n_other) for name, one in rows.items()
    } == {
        "flu": (2, 0, 0, 2),
        "well": (3, 0, 0, 3),
    }


def test_one_key_has_no_sets_of_keys():
    found = unveil.disclosure(STAYS, STAYS, keys="k", targets="t").with_key_sets()
    assert found.record.key_sets == ()


@pytest.mark.parametrize("one_way", [[50], [50, 90, 1], [50, float("nan")], "50"])
def test_a_check_has_two_thresholds(one_way):
    with pytest.raises(unveil.SettingsError, match="must be two numbers"):
        unveil.disclosure(STAYS, STAYS, keys="k", targets="t", one_way=one_way)


def test_as_many_files_as_serve_best_are_the_fewest_that_do():
    """Two key combinations of two values; people have the first value of each."""
    starts, d_tq = np.array([0, 2, 4]), np.array([1, 0, 3, 0])
    nothing, one, more = np.zeros(4, int), np.array([1, 0, 0, 0]), np.array([0, 0, 1, 0])
    for copies, best, n_files in (
        ([nothing], [0, 0, 0, 0], 1),
        ([one, nothing], [1, 0, 0, 0], 1),  # one person: a file more brings no more
        ([one, more], [1, 0, 1, 0], 2),
        ([more, np.array([0, 0, 0, 1])], [0, 0, 1, 0], 1),  # the second file is put aside
    ):
        found, m = best_of_copies(copies, starts, d_tq, 1.0)
        assert (found.tolist(), m) == (best, n_files)


def test_a_factor_that_one_side_lacks_has_no_part():
    assert split_product([0.5, 0.4], [0.2, 0.3]) == pytest.approx([0.3 * 0.35, 0.1 * 0.35])
    assert split_product([0.5, None], [0.2, 0.3]) == pytest.approx([0.3 * 0.3, 0])
    assert split_product([0.5, 0.4], [0.2, None]) == pytest.approx([0.3 * 0.4, 0])
    assert split_product([0.5, None], [0.2, None]) == [0, 0]


@pytest.mark.parametrize("gone", [0, 1])
def test_without_people_on_a_side_nothing_is_split(gone):
    counts = np.array([[1, 2], [2, 1], [1, 1]])
    counts[gone] = 0
    cells = Cells(np.array([0, 1, 2]), np.array([0, 1]), counts)
    assert list(ExcessScores(cells).parts("t")) == []


def test_a_control_that_is_told_rightly_throughout_is_not_split():
    """One key combination of one value: the copy is right about all of the control sample."""
    cells = Cells(np.array([0, 1]), np.array([0]), np.array([[2], [2], [1]]))
    assert list(ExcessScores(cells).parts("t")) == []


@pytest.mark.parametrize("measure", ["disclosure", "claims", "cap", "gcap", "tcap", "gtcap"])
def test_a_record_says_how_many_people_and_records_there_are(measure):
    original, copy = people(["axp", "axq", "byp"]), people(["axp", "byq", "byp", "axp", "axq"])
    about = {"targets" if measure in ("disclosure", "claims") else "target": "t"}
    record = getattr(unveil, measure)(original, copy, keys=["k1", "k2"], **about).record
    assert record.n_original == 3
    if measure == "claims":
        again = unveil.claims(
            original, copy, keys=["k1", "k2"], targets="t", control=people(["axp", "byp"])
        )
        assert (record.n_control, again.record.n_control, again.record.n_original) == (None, 2, 3)
    if measure == "disclosure":
        assert (record.attribute[0].n_cells, record.recurrence[0].percent) == (4, 100)


def test_one_person_is_all_people():
    """Denominators of at least 1 are those of the one person."""
    one = people(["axp"])
    record = unveil.disclosure(one, one, keys=["k1", "k2"], targets="t", expected=True).record
    assert record.recurrence[0].percent == 100
    assert [(row.claimed, row.correct, row.at_random) for row in record.claims] == [(1, 1, 1)]


@pytest.mark.parametrize(("n", "kind"), [(9, "rare"), (10, "value")])
def test_ten_people_are_enough_for_a_value_to_be_named(n, kind):
    frame = pl.DataFrame({"k": ["a"] * n + ["b"] * 20, "t": ["p"] * n + ["q"] * 20})
    record = unveil.disclosure(frame, frame, keys="k", targets="t").record
    assert {row.kind for row in record.by_value if row.n_people == n} == {kind}


@pytest.mark.parametrize(("n", "is_told"), [(9, False), (10, True)])
def test_ten_people_are_enough_for_the_most_common_value_to_be_named(n, is_told):
    frame = pl.DataFrame({"k": list(range(n)), "t": ["p"] * n})
    record = unveil.disclosure(frame, frame, keys="k", targets="t").record
    (row,) = record.single_values.targets
    assert (row.n_level, row.level is not None, row.is_tied) == (n, is_told, False)
    assert row.kind == ("value" if is_told else "rare")


def test_people_found_by_one_record_that_an_exclusion_leaves_count_for_tcap():
    """Of 2 + 1 people who are left and found, the 2 whose keys have one record are determined."""
    original = pl.DataFrame({"k": list("aabbbb"), "t": list("ppqrrr")})
    synthetic = pl.DataFrame({"k": list("abbb"), "t": list("pqqs")})
    found = unveil.disclosure(original, synthetic, keys="k", targets="t", exclude=["t=r"]).record
    assert found.attribute[0].TCAP_renormalised == pytest.approx(100 * 2 / 3)


@pytest.mark.parametrize("n_others", [0, 20])
def test_what_a_limit_strikes_out_of_the_original_stays_in_the_synthetic_data(n_others):
    """Three people with p are struck out; the records with p are not, for each is one of its keys.

    Few or many other keys, which no limit touches: sums are made in another way.
    """
    others = [f"c{number}" for number in range(n_others)]
    original = pl.DataFrame({"k": [*"aaabbbb", *others], "t": [*"pppqppp", *"p" * n_others]})
    synthetic = pl.DataFrame({"k": [*"abb", *others], "t": [*"ppq", *"p" * n_others]})
    exclude = ["max-denominator=2"]
    row = unveil.disclosure(
        original, synthetic, keys="k", targets="t", exclude=exclude
    ).record.attribute[0]
    assert row.CAPd_renormalised == pytest.approx(100 * (1 + n_others) / (7 + n_others))
    assert row.CAPs_renormalised == pytest.approx(100 * (1 + 2 / 2 + n_others) / (3 + n_others))
    assert row.DCAP_renormalised == pytest.approx(100 * (1 / 2 + n_others) / (7 + n_others))

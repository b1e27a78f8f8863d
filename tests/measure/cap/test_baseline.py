"""What the intruder knows already: by hand, and against sums over the table."""

import polars as pl
import pytest

from measure.small import ORIGINAL, SYNTHETIC, people
from unveil.errors import InputError
from unveil.measure.cap.cap import cap
from unveil.measure.cap.cap_table import cap_table

KEYS = ["k1", "k2"]


def measured(baseline, target="t", **given):
    return cap(
        people(ORIGINAL), people(SYNTHETIC), keys=KEYS, target=target, baseline=baseline, **given
    )


def figure(baseline, **given) -> float:
    return measured(baseline, **given).rows[0].cap_baseline


def table(rows: list[tuple], *names: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list(names), orient="row")


def test_the_marginal_of_the_original_is_the_default():
    assert figure(None) == figure("marginal") == pytest.approx(5 / 9)


@pytest.mark.parametrize("number", [0, 0.2, 1, 1.0])
def test_a_number(number):
    result = measured(number)
    assert result.rows[0].cap_baseline == pytest.approx(number)
    assert result.record.baseline == f"{number:g}"


def test_a_published_marginal_in_shares_or_counts():
    # Two of six have p, four have q: (2 * 0.25 + 4 * 0.75) / 6.
    assert figure({"p": 0.25, "q": 0.75}) == pytest.approx(3.5 / 6)
    assert figure({"p": 10, "q": 30}) == pytest.approx(3.5 / 6)
    assert figure({"p": 1, "q": 2, "other": 1}) == pytest.approx((2 / 4 + 4 * 2 / 4) / 6)
    assert measured({"p": 1, "q": 2}).record.baseline == "published marginal"


def test_rounded_shares_are_brought_to_one():
    assert figure({"p": 0.333, "q": 0.333, "r": 0.333}) == pytest.approx(1 / 3)


def test_a_marginal_of_numbers_truth_values_and_missing():
    original = pl.DataFrame({"k": ["a", "a", "a"], "t": [1.0, 2.5, None]})
    copy = pl.DataFrame({"k": ["a"], "t": [1.0]})
    found = cap(original, copy, keys="k", target="t", baseline={1: 5, 2.5: 3, None: 2})
    assert found.rows[0].cap_baseline == pytest.approx((0.5 + 0.3 + 0.2) / 3)
    flags = pl.DataFrame({"k": ["a", "a"], "t": [True, False]})
    found = cap(flags, flags, keys="k", target="t", baseline={True: 0.9, False: 0.1})
    assert found.rows[0].cap_baseline == pytest.approx(0.5)


def test_a_marginal_of_a_joint_target_has_tuples():
    frame = pl.DataFrame({"k": ["a", "a"], "t": ["p", "q"], "u": ["x", "y"]})
    shares = {("p", "x"): 0.5, ("q", "x"): 0.25, ("q", "y"): 0.25}
    found = cap(frame, frame, keys="k", target=["t", "u"], baseline=shares)
    assert found.rows[0].cap_baseline == pytest.approx((0.5 + 0.25) / 2)


def test_a_table_given_some_of_the_keys():
    # Under a: p 3 of 4, q 1 of 4; under b: q always. People: a p, a q, a p, b q, b q, b q.
    known = table([("a", "p", 3), ("a", "q", 1), ("b", "q", 7)], "k1", "t", "count")
    expected = (0.75 + 0.25 + 0.75 + 1 + 1 + 1) / 6
    result = measured(known)
    assert result.rows[0].cap_baseline == pytest.approx(expected)
    assert result.record.baseline == "table by k1"
    assert result.record.coercions == ()
    shares = table([("a", "p", 0.75), ("a", "q", 0.25), ("b", "q", 1.0)], "k1", "t", "share")
    assert figure(shares) == pytest.approx(expected)


def test_a_table_in_a_file_and_rows_that_stand_twice(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("k1,t,count\na,p,2\na,p,1\na,q,1\nb,q,7\n")
    assert figure(path) == figure(str(path)) == pytest.approx(4.75 / 6)


def test_whom_the_table_says_nothing_about_has_a_baseline_of_zero():
    result = measured(table([("a", "p", 3)], "k1", "t", "count"))
    assert result.rows[0].cap_baseline == pytest.approx(2 / 6)
    (note,) = result.record.coercions
    assert (note.side, note.kind) == ("baseline", "baseline")
    assert note.sentence == (
        "The table has no count above 0 for 4 of 6 original records: their baseline is 0."
    )


def test_the_scores_have_the_baseline_given():
    scores = measured({"p": 0.25, "q": 0.75}).scores()
    assert scores["cap_baseline"].to_list() == [0.25, 0.75, 0.25, 0.75, 0.75, 0.75]


def test_the_marginal_is_the_table_of_the_original_itself():
    known = people(ORIGINAL).group_by("t").len()
    assert figure(known) == pytest.approx(figure(None))
    by_keys = people(ORIGINAL).group_by("k1", "k2", "t").len()
    result = measured(by_keys)
    assert result.rows[0].cap_baseline == pytest.approx(result.rows[0].cap_original)


BAD = {
    "below": (-0.1, "The baseline is -0.1. Give a share from 0 to 1."),
    "above": (1.5, "The baseline is 1.5. Give a share from 0 to 1."),
    "a list": (
        [0.2],
        "The baseline is of type list. Give a share from 0 to 1, {value: share}, or a table with"
        " the target and a column of counts or shares.",
    ),
    "no sum": (
        {"p": 0.2, "q": 0.2},
        "The shares of the baseline do not add up to 1. Give every value of the target its share,"
        " or give counts.",
    ),
    "nothing": ({"p": 0}, "The counts of the baseline are all 0. Give those above 0."),
    "empty": ({}, "The counts of the baseline are all 0. Give those above 0."),
    "negative": (
        {"p": -1, "q": 2},
        "A count or share of the baseline is negative or not a number. Give numbers of at least 0.",
    ),
    "words": (
        {"p": "many"},
        "A count or share of the baseline is negative or not a number. Give numbers of at least 0.",
    ),
    "strangers": (
        {"yes": 1, "no": 1},
        "The baseline has no value of 't' that the data have. Write the values as in the files.",
    ),
    "no numbers": (
        table([("a", "p")], "k1", "t"),
        "A table as a baseline has the columns of the target, any of the keys, and one column of"
        " counts or shares. Its columns are: k1, t; the target is: t; the keys are: k1, k2.",
    ),
    "no names": (
        table([("a", "p", 7)], "a", "p", "12"),
        "A table as a baseline has the columns of the target, any of the keys, and one column of"
        " counts or shares. Its first line looks like a record, not like names of columns; the"
        " target is: t; the keys are: k1, k2.",
    ),
    "class sums": (
        table([("a", "p", 0.5), ("b", "q", 0.5)], "k1", "t", "share"),
        "The shares of the baseline do not add up to 1 for each combination of the keys in it. Give"
        " every value of the target its share, or give counts.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_baselines_are_refused(case):
    given, sentence = BAD[case]
    with pytest.raises(InputError) as refused:
        measured(given)
    assert str(refused.value) == sentence


def test_a_tuple_too_short_for_a_joint_target_is_refused():
    frame = pl.DataFrame({"k": ["a"], "t": ["p"], "u": ["x"]})
    with pytest.raises(InputError) as refused:
        cap(frame, frame, keys="k", target=["t", "u"], baseline={"p": 1})
    assert str(refused.value) == (
        "A value in the baseline has 1 of 2 parts. Write t, u as a tuple, in this order."
    )


def test_a_table_by_a_key_that_not_every_key_set_has_is_refused():
    with pytest.raises(InputError) as refused:
        cap_table(
            people(ORIGINAL),
            {"one": people(SYNTHETIC)},
            key_sets=[["k1"], ["k1", "k2"]],
            target="t",
            baseline=table([("x", "p", 1)], "k2", "t", "count"),
        )
    assert str(refused.value) == (
        "The baseline is a table by k2, which an intruder with the keys k1 does not know. Remove"
        " it from the table."
    )


def test_a_table_with_a_tolerance_is_refused():
    frame = pl.DataFrame({"k": ["a"], "x": [1]})
    with pytest.raises(InputError) as refused:
        cap(frame, frame, keys="k", target="x", tolerance={"x": 1}, baseline={1: 1})
    assert str(refused.value) == (
        "A table as a baseline has no tolerance. Give the baseline as a number, or omit it."
    )

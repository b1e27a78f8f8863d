"""Groups that are disclosed while the average is low: against plain loops."""

from fractions import Fraction
from math import comb

import polars as pl
import pytest

import unveil


def people(n_rest, in_small):
    """Two large districts where nothing is settled, and a small one as it is given."""
    rest = [("north" if i % 2 else "south", i % 40, "ab"[i // 40 % 2]) for i in range(n_rest)]
    return [*rest, *(("small", 100 + i, value) for i, value in enumerate(in_small))]


def frame(rows):
    return pl.DataFrame(rows, schema=["district", "age", "t"], orient="row")


def disclosed(original, synthetic):
    """People of each district whose keys point to one value, and it is theirs."""
    shown = {}
    for district, age, value in synthetic:
        shown.setdefault((district, age), set()).add(value)
    found = {}
    for district, age, value in original:
        found[district] = found.get(district, 0) + (shown.get((district, age)) == {value})
    return found


def test_a_small_group_that_was_copied_stands_out():
    original = people(800, "abcd" * 8)
    record = unveil.disclosure(
        frame(original), frame(original), keys=["district", "age"], targets="t"
    ).record
    (row,) = [row for row in record.by_group if row.key == "district"]
    counted = disclosed(original, original)
    assert (row.level, row.n_people, row.n_correct) == ("small", 32, counted["small"])
    rest = sum(n for name, n in counted.items() if name != "small") / 800
    assert row.expected == pytest.approx(100 * max(rest, 8 / 32))
    assert row.percent == 100


@pytest.mark.parametrize("n_right", range(9, 24))
def test_a_group_stands_out_where_the_binomial_tail_is_below_one_in_a_thousand(n_right):
    original = people(800, "abcd" * 8)
    copy = [*original[: 800 + n_right], *((*row[:2], "z") for row in original[800 + n_right :])]
    record = unveil.disclosure(
        frame(original), frame(copy), keys=["district", "age"], targets="t"
    ).record
    rest = Fraction(sum(disclosed(original, copy).values()) - n_right, 800)
    p0 = max(rest, Fraction(8, 32))
    p = sum(comb(32, k) * p0**k * (1 - p0) ** (32 - k) for k in range(n_right, 33))
    found = [row for row in record.by_group if row.key == "district"]
    assert bool(found) == (n_right >= 10 and p < Fraction(1, 3000))  # of three districts
    assert [row.p for row in found] == [pytest.approx(float(p)) for _ in found]


@pytest.mark.parametrize(
    ("n_small", "value"),
    [(32, "a"), (9, "abc")],
    ids=["all of it have one value, which anybody may know", "fewer than twenty people"],
)
def test_a_group_is_left_alone(n_small, value):
    original = frame(people(800, [value[i % len(value)] for i in range(n_small)]))
    record = unveil.disclosure(original, original, keys=["district", "age"], targets="t").record
    assert record.by_group == ()


def test_what_is_excluded_is_not_counted():
    original = frame(people(800, "abcd" * 8))
    record = unveil.disclosure(
        original, original, keys=["district", "age"], targets="t", exclude=["t=a", "t=b", "t=c"]
    ).record
    assert record.by_group == ()


def test_the_group_is_an_alert_that_a_person_decides():
    original = frame(people(800, "abcd" * 8))
    settings = {"keys": ["district", "age"], "targets": "t", "limits": {"DiSCO": 50}}
    made = unveil.assess(original, original, **settings)
    (alert,) = [one for one in made.alerts if one.id == "group:district=small"]
    assert (alert.status, alert.kind, alert.level) == ("decide", "group", "small")

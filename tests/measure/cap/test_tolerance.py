"""Targets of numbers that need not be told to the last digit."""

from fractions import Fraction
from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import taub
from oracles.compare import assert_agrees
from profiles import examples
from unveil.count.codes import encode
from unveil.measure.cap import classes
from unveil.measure.cap.cap import cap
from unveil.measure.cap.classes import near


def frame(rows: list[tuple]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"k": pl.String, "x": pl.Float64}, orient="row")


def measured(original, *copies, r, **given) -> dict:
    result = cap(
        frame(original),
        [frame(copy) for copy in copies],
        keys="k",
        target="x",
        tolerance={"x": r},
        **given,
    )
    return result.rows[-1].to_dict()


def test_by_hand():
    # a: the copy says 10, 14 and 30; two of them lie within 5 of 12. They span 20: not settled.
    # b: it says 50 and 54, which agree; the truth, 58, lies within 5 of 54 alone.
    found = measured(
        [("a", 12), ("b", 58)], [("a", 10), ("a", 14), ("a", 30), ("b", 50), ("b", 54)], r=5
    )
    assert found["cap_synthetic_zero"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert (found["n_settled"], found["n_right"]) == (1, 0)


def test_settled_and_right_where_the_truth_lies_within_the_radius_of_each_value():
    found = measured([("a", 54)], [("a", 50), ("a", 54)], r=5)
    assert (found["n_settled"], found["n_right"], found["cap_synthetic_zero"]) == (1, 1, 1.0)


def test_all_near_the_truth_is_not_settled_where_the_copy_spans_more_than_the_radius():
    found = measured([("a", 10)], [("a", 6), ("a", 14)], r=5)
    assert (found["cap_synthetic_zero"], found["n_settled"], found["n_right"]) == (1.0, 0, 0)


def test_the_original_and_the_baseline_have_the_same_tolerance():
    # 10 and 12 agree, 20 with neither: two of three for the first two, one of three for the last.
    found = measured([("a", 10), ("a", 12), ("b", 20)], [("a", 11)], r=2)
    assert found["cap_original"] == 1.0
    assert found["cap_baseline"] == pytest.approx((2 + 2 + 1) / 9)


def test_a_radius_of_zero_is_equality():
    rows = [("a", 1.0), ("a", 2.0), ("b", 1.0)]
    copy = [("a", 1.0), ("b", 3.0)]
    plain = cap(frame(rows), frame(copy), keys="k", target="x").rows[0]
    assert measured(rows, copy, r=0) == plain.to_dict()


def test_the_last_binary_digit_does_not_decide():
    assert measured([("a", 0.3)], [("a", 0.1)], r=0.2)["cap_synthetic_zero"] == 1.0
    assert measured([("a", 0.1)], [("a", 0.3)], r=0.2)["cap_synthetic_zero"] == 1.0


NUMBERS_OF = {
    "far beyond 2^53": ([2**60, 2**60 + 50, 2**60 + 51], pl.Int64),
    "both ends": ([-(2**63), -(2**63) + 1, 0, 2**63 - 50, 2**63 - 1], pl.Int64),
    "unsigned": ([0, 2**63 + 1, 2**64 - 51, 2**64 - 1], pl.UInt64),
    "small": ([-8, 0, 1, 50, 51, None], pl.Int8),
    "decimals": ([0.25, 0.5, 1.75, 10.5, 60, None], pl.Float64),
}


@pytest.mark.parametrize("radius", [0, 0.5, 1, 49.5, 50, 2.0**60, 1e300])
@pytest.mark.parametrize("case", NUMBERS_OF)
def test_numbers_are_compared_without_loss(case, radius):
    values, dtype = NUMBERS_OF[case]
    column = encode("x", [pl.Series(values, dtype=dtype)])
    found = near(column, radius)
    levels = column.levels.to_list()
    for one, place in zip(levels, found.place, strict=True):
        run = range(found.low[place], found.past[place])
        expected = [
            other
            for other in levels
            if one == other or (None not in (one, other) and abs(one - other) <= radius)
        ]
        assert [
            other for other, at in zip(levels, found.place, strict=True) if at in run
        ] == expected


def test_large_whole_numbers_that_differ_do_not_agree_at_tolerance_0():
    original = pl.DataFrame({"k": ["a"], "x": [2**60]})
    copy = pl.DataFrame({"k": ["a"], "x": [2**60 + 50]})
    for radius, expected in ((0, 0.0), (49, 0.0), (50, 1.0)):
        result = cap(original, copy, keys="k", target="x", tolerance={"x": radius})
        assert result.rows[0].cap_synthetic_zero == expected


def test_missing_agrees_with_missing_alone():
    found = measured([("a", None), ("b", 0)], [("a", None), ("a", 0), ("b", None)], r=100)
    assert found["cap_synthetic_zero"] == 0.25
    assert (found["n_settled"], found["n_right"]) == (1, 0)


def test_a_special_code_agrees_with_itself_alone():
    rows, copy = [("a", -8), ("b", 10)], [("a", -8), ("a", 0), ("b", -8)]
    assert measured(rows, copy, r=50)["cap_synthetic_zero"] == 1.0
    found = measured(rows, copy, r=50, special_codes={"x": [-8]})
    assert found["cap_synthetic_zero"] == 0.25


def test_special_codes_of_a_tolerance_are_not_said_to_change_nothing():
    result = cap(
        frame([("a", 1)]),
        frame([("a", 1)]),
        keys="k",
        target="x",
        tolerance={"x": 1},
        special_codes={"x": [-8]},
    )
    assert [note.kind for note in result.record.coercions] == []


NUMBERS = (None, -8, 0, Fraction(1, 2), 1, 2, Fraction(5, 2), 4, 7)


def drawn(chance: Random, n: int, n_targets: int) -> list[tuple]:
    return [
        (
            chance.choice("ab"),
            *(chance.choice(NUMBERS) for _ in range(n_targets)),
            chance.choice("pq"),
        )
        for _ in range(n)
    ]


def as_frame(rows: list[tuple], n_targets: int) -> pl.DataFrame:
    columns = list(zip(*rows, strict=True))
    numbers = {
        f"x{i}": pl.Series(
            [None if v is None else float(v) for v in columns[1 + i]], dtype=pl.Float64
        )
        for i in range(n_targets)
    }
    return pl.DataFrame({"k": columns[0], **numbers, "t": columns[-1]})


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [classes.CHUNK, 3])
@examples(60)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.lists(st.sampled_from([0, Fraction(1, 2), 1, 3]), min_size=3, max_size=3),
    st.tuples(st.booleans(), st.booleans()),
)
def test_every_figure_equals_its_story(chunk, seed, n_targets, radii, asked):
    has_codes, has_text = asked
    chance = Random(seed)
    files = [drawn(chance, chance.randint(1, 9), n_targets) for _ in range(chance.randint(2, 4))]
    for file in files:
        file.append(("a", *[0] * n_targets, "p"))
    names = [f"x{i}" for i in range(n_targets)]
    radius = dict(zip(names, radii, strict=False))
    if n_targets > 1 and chance.random() < 0.5:
        radius.pop("x0")  # an exact number beside those with a tolerance
    codes = {name: [-8] for name in radius} if has_codes else None
    used = [*names, *(["t"] if has_text else [])]
    before = classes.CHUNK
    classes.CHUNK = chunk
    try:
        result = cap(
            as_frame(files[0], n_targets),
            [as_frame(file, n_targets) for file in files[1:]],
            keys="k",
            target=used,
            tolerance={name: float(r) for name, r in radius.items()},
            special_codes=codes,
        )
    finally:
        classes.CHUNK = before
    stop = 1 + len(used)
    original, *copies = ([((row[0],), row[1:stop]) for row in _cut(file, used)] for file in files)
    places = {used.index(name): Fraction(r) for name, r in radius.items()}
    agree = taub.within(places, {place: [-8] for place in places} if has_codes else None)
    for found, pool in zip(result.rows, taub.pools(copies), strict=True):
        expected = taub.cap(original, pool, agree=agree)
        assert_agrees(found.to_dict(), expected, f"m = {found.m}")


def _cut(file: list[tuple], used: list[str]) -> list[tuple]:
    """The rows without the text target where it is not used."""
    return file if used[-1] == "t" else [row[:-1] for row in file]

"""Columns that only the synthetic data have: what they repeat, recode or tell together."""

import zlib
from datetime import date, timedelta
from random import Random
from uuid import UUID

import numpy as np
import polars as pl
import pytest

from unveil.io.sources import read_table
from unveil.io.table import Table
from unveil.measure.gate.extra_columns import find_extra_columns
from unveil.records.alerts import CopiedColumn
from unveil.study.study import Study


def table(side: str, **data) -> Table:
    return Table(side, f"The {side}", pl.DataFrame(data))


def extra(original: pl.DataFrame, synthetic: pl.DataFrame) -> dict[str, CopiedColumn]:
    tables = (
        table(side, **frame.to_dict())
        for side, frame in (("original", original), ("synthetic", synthetic))
    )
    return {one.column: one for one in find_extra_columns(Study([*tables]).files, 1)}


PAY = [round(1000 + 37.31 * k + k * k % 17, 2) for k in range(60)]


@pytest.mark.parametrize(
    ("values", "reason", "detail"),
    [
        (PAY, "repeats", "its values are those of pay"),
        ([1000 * one for one in PAY], "recodes", "its values are those of pay times 1000"),
        ([one / 12 for one in PAY], "recodes", "its values are those of pay times 0.0833333"),
        ([f"ID-{k:03}x" for k in range(60)], "recodes", "letters put around them"),
        (["red", "green"] * 30, "new text", "can be compared with it"),
        ([k * k % 61 + 0.5 for k in range(60)], "unknown", "can be compared with it"),
    ],
)
def test_columns_that_only_the_synthetic_data_have(values, reason, detail):
    original = table("original", pay=PAY, key=[f"{k:03}x" for k in range(60)])
    (found,) = find_extra_columns(Study([original, table("synthetic", more=values)]).files, 1)
    assert (found.column, found.reason) == ("more", reason)
    assert found.detail.endswith(detail)
    assert found.n_real == (60 if reason == "repeats" else 0)


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (lambda k, pay: f"R-{k}", "identifier"),
        (lambda k, pay: str(UUID(int=Random(k).getrandbits(128))), "identifier"),
        (lambda k, pay: f"{k * 7919 % 100_003:08}Q", "identifier"),
        (lambda k, pay: f"{{'n': {k}, 'pay': {pay}}}", "new text"),
        (lambda k, pay: f"{k}-{pay:.0f}-{'abc'[k % 3]}", "new text"),
        (lambda k, pay: f"person {k:03} has {pay:07.2f}", "new text"),
    ],
)
def test_new_texts_of_one_record_each_are_record_numbers_or_for_a_person_to_explain(write, reason):
    """Real records written out in a column of their own end in no silent note."""
    original = table("original", pay=PAY * 5, key=["a", "b", "c"] * 100)
    values = [write(k, pay) for k, pay in enumerate(PAY * 5)]
    (found,) = find_extra_columns(Study([original, table("synthetic", more=values)]).files, 1)
    assert found.reason == reason


@pytest.mark.parametrize(
    ("name", "make", "like"),
    [
        ("index", lambda f: f["weight"] / f["height"] ** 2, "weight"),
        ("share", lambda f: f["weight"] / f["height"], "weight"),
        ("product", lambda f: f["weight"] * f["height"], "height"),
        ("units", lambda f: f["weight"].floor(), "weight"),
        ("check", lambda f: pl.Series([zlib.crc32(one.encode()) for one in f["id"]]), "id"),
    ],
)
def test_numbers_computed_from_peoples_numbers_are_for_a_person_to_explain(name, make, like):
    """Not so where they are computed from the synthetic records."""
    dice = Random(4)

    def people():
        return pl.DataFrame(
            {
                "id": [f"{dice.randrange(10**10):010d}" for _ in range(200)],
                "height": [round(dice.gauss(1.7, 0.1), 4) for _ in range(200)],
                "weight": [round(dice.uniform(40, 9000), 2) for _ in range(200)],
            }
        )

    original, synthetic = people(), people()
    alone = synthetic.drop("id")
    real = alone.with_columns(make(original.sample(fraction=1, shuffle=True, seed=2)).alias(name))
    known = table("original", **original.to_dict())
    (found,) = find_extra_columns(Study([known, table("synthetic", **real.to_dict())]).files, 1)
    assert (found.reason, found.like) == ("recodes", like)
    honest = alone.with_columns(make(synthetic).alias(name))
    (found,) = find_extra_columns(Study([known, table("synthetic", **honest.to_dict())]).files, 1)
    assert found.reason != "recodes"


N = 400
BORN = "date of birth"


def dates(seed: int) -> list[date]:
    days = np.random.default_rng(seed).integers(0, 30_000, N)
    return [date(1930, 1, 1) + timedelta(days=int(one)) for one in days]


def spelt(given: list[date], *, as_text: bool = False) -> dict[str, list]:
    parts = {
        "yr": [one.year for one in given],
        "mon": [one.month for one in given],
        "dy": [one.day for one in given],
    }
    return {name: [f"{v:02}" for v in one] if as_text else one for name, one in parts.items()}


def reasons(more: dict[str, list]) -> dict[str, tuple[str, int]]:
    original = read_table(pl.DataFrame({BORN: dates(1), "x": ["a", "b"] * 200}), side="original")
    synthetic = pl.DataFrame({BORN: dates(2), "x": ["a", "b"] * 200, **more})
    files = Study([original, read_table(synthetic, side="synthetic")]).files
    return {one.column: (one.reason, one.n_real) for one in find_extra_columns(files, 1)}


@pytest.mark.parametrize("as_text", [False, True])
def test_a_date_in_three_columns_is_told(as_text):
    mine = dates(1)
    shuffled = [mine[place] for place in np.random.default_rng(3).permutation(N)]
    n_alone = sum(mine.count(one) == 1 for one in mine)
    assert reasons(spelt(shuffled, as_text=as_text)) == {
        name: ("recodes", n_alone) for name in ("yr", "mon", "dy")
    }


WAYS = {
    "two digits of the year": lambda one: {"yr": one.year % 100, "mon": one.month, "dy": one.day},
    "day of the year": lambda one: {"yr": one.year, "doy": one.timetuple().tm_yday},
    "month and day": lambda one: {"yr": one.year, "md": 100 * one.month + one.day},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("seed", "reason"), [(1, "recodes"), (4, "unknown")])
def test_other_ways_to_spell_a_date_are_told_where_it_is_of_people(way, seed, reason):
    rows = [WAYS[way](one) for one in dates(seed)]
    found = reasons({name: [row[name] for row in rows] for name in rows[0]})
    assert {one for one, _ in found.values()} == {reason}


def test_dates_of_no_one_are_not():
    found = reasons(spelt(dates(4)))
    assert {reason for reason, _ in found.values()} == {"unknown"}


def test_days_that_no_month_has_are_no_dates():
    parts = spelt(dates(4)) | {"dy": [31] * N, "mon": [2] * N}
    assert "recodes" not in {reason for reason, _ in reasons(parts).values()}


def test_half_of_the_dates_are_enough_and_few_are_not():
    mine, fresh = dates(1), dates(4)
    for n, is_told in ((300, True), (20, False)):
        found = reasons(spelt(mine[:n] + fresh[n:]))
        assert ("recodes" in {reason for reason, _ in found.values()}) is is_told


def amounts(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "income": rng.integers(10_000, 900_000, N),
            "paid": (rng.integers(1_000_000, 90_000_000, N) / 100).round(2),
            "number": rng.permutation(np.arange(100_000, 999_999))[:N],
            "seen": dates(seed),
        }
    )


INCOME, PAID = pl.col("income"), pl.col("paid")
SPLIT = {
    "the rest": {"income": INCOME // 1000 * 1000, "x": INCOME % 1000},
    "rounded up": {"income": (INCOME // 1000 + 1) * 1000, "x": 1000 - INCOME % 1000},
    "digits": {"income": INCOME // 1000, "x": INCOME % 1000},
    "the rest leads": {"income": INCOME % 1000, "x": INCOME // 1000},
    "two new columns": {"income": INCOME * 0 + 7, "x": INCOME // 100, "y": INCOME % 100},
    "cents": {"paid": PAID.floor(), "x": ((PAID - PAID.floor()) * 100).round()},
}


@pytest.mark.parametrize("way", SPLIT)
def test_an_amount_in_two_columns_is_told_where_it_is_of_people(way):
    parts = [expression.alias(name) for name, expression in SPLIT[way].items()]
    for seed, told in ((1, "recodes"), (2, None)):
        shown = amounts(seed).with_columns(*parts).drop("number")
        shown = shown.with_columns(seen=pl.Series(dates(3)))
        found = extra(amounts(1), shown.sample(fraction=1, shuffle=True, seed=5))
        hidden = [name for name in SPLIT[way] if len(name) == 1]
        assert {found[name].reason == "recodes" for name in hidden} == {told == "recodes"}
        if told:
            assert {found[name].like for name in hidden} == {"paid" if way == "cents" else "income"}


def test_the_rest_of_an_amount_under_the_name_of_another_column_is_told():
    for seed, told in ((1, {"income + number": ("recodes", "income")}), (2, {})):
        shown = amounts(seed).with_columns(income=INCOME // 1000 * 1000, number=INCOME % 1000)
        found = extra(amounts(1), shown.drop("paid", "seen"))
        assert {name: (one.reason, one.like) for name, one in found.items()} == told


def test_sums_that_fall_on_numbers_in_equal_steps_tell_nothing():
    rng = np.random.default_rng(8)
    original = pl.DataFrame({"badge": np.arange(0, 3 * N, 3), "age": rng.integers(18, 90, N)})
    shown = original.with_columns(badge=pl.col("badge") + 1, more=pl.Series(rng.integers(0, 9, N)))
    assert {one.reason for one in extra(original, shown).values()} == {"unknown"}


def finer(numbers: pl.Series) -> dict[str, pl.Series]:
    """Honest columns with six digits of a number that the original's columns have no room for."""
    shown = amounts(2)
    midnight = shown["seen"].cast(pl.Datetime("us"))
    return {
        "income": shown["income"] + numbers / 10**6,
        "paid": (shown["paid"] + numbers / 10**8).round(8),
        "seen": midnight + pl.Series(numbers * 10**3).cast(pl.Duration("us")),
    }


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("income", "income from decimal 1 on"),
        ("paid", "paid from decimal 3 on"),
        ("seen", "the time of day of seen"),
    ],
)
def test_numbers_of_people_in_further_digits_are_told(name, shown):
    rest = amounts(2).drop("number")
    for seed, told in ((1, {shown: ("repeats", "number")}), (3, {})):
        numbers = amounts(seed)["number"].sample(fraction=1, shuffle=True, seed=5)
        dusty = finer(numbers)[name]
        if name == "paid":  # as an addition leaves it, not rounded
            dusty = amounts(2)["paid"] + numbers / 10**8
        for shown_as in (finer(numbers)[name], dusty):
            found = extra(amounts(1), rest.with_columns(shown_as.alias(name)))
            assert {key: (one.reason, one.like) for key, one in found.items()} == told


@pytest.mark.parametrize("name", ["income", "paid", "seen"])
def test_finer_columns_of_honest_data_are_none(name):
    """Amounts that were drawn unrounded, and times of day that were drawn."""
    rng = np.random.default_rng(6)
    drawn = rng.integers(0, 60, N) * 1000 if name == "seen" else rng.integers(0, 10**6, N)
    shown = amounts(2).drop("number").with_columns(finer(pl.Series(drawn))[name].alias(name))
    assert extra(amounts(1), shown) == {}
    unrounded = amounts(2).with_columns(INCOME * rng.random(N), PAID * rng.random(N))
    assert extra(amounts(1), unrounded) == {}

"""Rows in the order of the original are noticed; files that are sorted alike are not."""

import random
from itertools import permutations
from statistics import mean, pvariance

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.io.sources import read_table
from unveil.measure.gate import row_order
from unveil.measure.gate.columns import link_column
from unveil.measure.gate.row_order import GAIN, agree_by_row
from unveil.study.study import Study

N = 300
FURTHER = (*range(1, 13), 24, 30, 31, 52, 60, 100)


def people(seed):
    dice = random.Random(seed)
    return pl.DataFrame(
        {
            "sex": dice.choices(["woman", "man"], k=N),
            "town": dice.choices(["Opole", "Lublin", "Tychy", "Gdynia"], [4, 3, 2, 1], k=N),
            "age": dice.choices(range(18, 90), k=N),
            "cost": [round(dice.lognormvariate(7, 1), 2) for _ in range(N)],
        }
    )


ORIGINAL, OTHERS = people(1), people(2)


def kappa(mine, theirs):
    chance = sum(mine.count(one) * theirs.count(one) for one in set(mine)) / len(mine) ** 2
    return (mean(a == b for a, b in zip(mine, theirs, strict=True)) - chance) / (1 - chance)


def correlation(mine, theirs):
    a, b = mean(mine), mean(theirs)
    cross = sum((x - a) * (y - b) for x, y in zip(mine, theirs, strict=True))
    spread = sum((x - a) ** 2 for x in mine) * sum((y - b) ** 2 for y in theirs)
    return cross / spread**0.5


def mid_ranks(values, among):
    """The share of those that are lower, and half of those that are equal."""
    return [sum((one < x) + (one == x) / 2 for one in among) / len(among) for x in values]


@pytest.mark.parametrize("name", ["sex", "town", "age"])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_agreement_is_counted_row_by_row_and_further_on(name, share):
    """Against kappa and the correlation of ranks, counted by the definition."""
    dice = random.Random(name)
    pairs = zip(ORIGINAL[name], dice.sample(ORIGINAL[name].to_list(), N), strict=True)
    made = [one if dice.random() < share else other for one, other in pairs]
    sides = [
        read_table(frame, side=side)
        for side, frame in (("original", ORIGINAL), ("synthetic", pl.DataFrame({name: made})))
    ]
    same, elsewhere, n = agree_by_row(link_column(name, Study(sides).files), 1)
    mine, measure = ORIGINAL[name].to_list(), kappa
    if name == "age":
        mine, made, measure = mid_ranks(mine, mine), mid_ranks(made, mine), correlation
    moved = [mine[-k:] + mine[:-k] for one in FURTHER for k in (one, -one)]
    assert n == N
    assert same == pytest.approx(measure(mine, made), abs=1e-12)
    # Where the same rows hardly agree, no others are looked at.
    most = max(measure(one, made) for one in moved) if same > GAIN else 0.0
    assert elsewhere == pytest.approx(most, abs=1e-12)


def test_matches_of_a_shuffled_order_have_the_mean_and_variance_of_all_orders(monkeypatch):
    for name in ("_FEWEST_KNOWN", "_FEWEST_MATCHES"):
        monkeypatch.setattr(row_order, name, 0)
    first, second = np.array([0, 0, 1, 1, 2, 3]), np.array([0, 0, 0, 1, 2, 2])
    counts = [int((first == order).sum()) for order in permutations(second)]
    for order in (second, np.array([0, 1, 0, 2, 0, 2]), np.array([2, 0, 0, 2, 1, 0])):
        n = int((first == order).sum())
        z = row_order.matches_z(first, order)
        assert z == pytest.approx((n - mean(counts)) / pvariance(counts) ** 0.5)


def noisy(frame):
    dice = random.Random(5)
    return frame.with_columns(
        cost=pl.Series([round(x * dice.lognormvariate(0, 0.5), 2) for x in frame["cost"]]),
        sex=OTHERS["sex"],
        town=OTHERS["town"],
        age=OTHERS["age"],
    )


@pytest.mark.parametrize(
    ("original", "synthetic", "is_seen"),
    [
        (ORIGINAL, OTHERS, False),
        (ORIGINAL, noisy(ORIGINAL), True),
        (ORIGINAL, noisy(ORIGINAL).sample(fraction=1, shuffle=True, seed=1), False),
        (ORIGINAL, OTHERS.with_columns(ORIGINAL["town"]), True),
        (ORIGINAL.sort("cost"), OTHERS.sort("cost"), False),
        (ORIGINAL.sort("town", "age"), OTHERS.sort("town", "age"), False),
        (
            ORIGINAL.with_columns(wave=pl.int_range(N) % 3),
            OTHERS.with_columns(wave=pl.int_range(N) % 3),
            False,
        ),
    ],
)
def test_the_order_of_the_original_is_for_a_person_to_explain(original, synthetic, is_seen):
    alerts = unveil.assess(original, synthetic).alerts
    said = [one.sentence for one in alerts if one.kind == "beside" and one.status == "decide"]
    assert len(said) == is_seen
    assert all("the order of the original's" in one for one in said)

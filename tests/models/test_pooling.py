"""Does a level that one person has tie that person to their value in another column?"""

import datetime as dt
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest

from unveil.models.design import DummyCoding, Predictors, TreeCoding, pool_levels
from unveil.synthesis.split_columns import split
from unveil.synthesis.synthesise import synthesise

FIRST = ["admitted", "sex", "age", "district", "diagnosis", "cost"]


def clinic(n=2_500):
    """Invented patients; the day of admission is kept as text, and tells nothing."""
    rng = np.random.default_rng(1)
    age = rng.integers(18, 95, n)
    days = [dt.date(2012, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 3_200, n)]
    odds = np.array([8, 4, 3, 2, 2, 1, 1, 1]) * np.exp(
        np.linspace(-1, 1.5, 8) * ((age - 56) / 22)[:, None]
    )
    upto = np.cumsum(odds, axis=1) / odds.sum(axis=1)[:, None]
    diagnosis = (rng.random(n)[:, None] > upto).sum(axis=1)
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": age,
            "district": rng.choice([f"d{code:02}" for code in range(20)], n),
            "admitted": [day.isoformat() for day in days],
            "diagnosis": [f"g{code}" for code in diagnosis],
            "cost": np.exp(6 + 0.3 * diagnosis + rng.normal(0, 0.5, n)).round(-1),
        }
    )


def own_and_neighbour(original, copies):
    """Shares of the records linked by the day that show a person's, and a neighbour's, diagnosis.

    Of people who alone have their day, with one to five records of that day in a copy; and four
    standard errors of the difference of two such shares that are a quarter by chance.
    """
    people = original.sort("admitted", maintain_order=True)
    days, values = people["admitted"].cast(pl.String).to_list(), people["diagnosis"].to_list()
    counts, own, neighbour = Counter(days), [], []
    for copy in copies:
        linked = defaultdict(list)
        for day, value in copy.select(pl.col("admitted").cast(pl.String), "diagnosis").rows():
            linked[day].append(value)
        for place in range(1, len(days) - 1):
            shown = linked[days[place]]
            if counts[days[place]] == 1 and 1 <= len(shown) <= 5:
                own.append(shown.count(values[place]) / len(shown))
                beside = (shown.count(values[place - 1]), shown.count(values[place + 1]))
                neighbour.append(sum(beside) / 2 / len(shown))
    return np.mean(own), np.mean(neighbour), 4 * np.sqrt(2 * 0.25 * 0.75 / len(own))


# Before rare levels were pooled: 99.8 % own and 20 % a neighbour's by trees, 79 % and 18 % by
# regressions (of 1,000 people: a regression has no room for the levels of 2,500).
@pytest.mark.slow
@pytest.mark.parametrize(("method", "n"), [("cart", 2_500), ("parametric", 1_000)])
def test_a_day_kept_as_text_tells_no_more_of_its_person_than_of_a_neighbour(method, n):
    # Drawn first, a day comes with nothing of its person but what the models tie to it.
    original = clinic(n)
    made = synthesise(original, order=FIRST, method=method, copies=3, seed=1)
    assert all(column.method != "cart" for column in made.record.columns) == (method != "cart")
    own, neighbour, near = own_and_neighbour(original, made.copies)
    assert abs(own - neighbour) < near < 0.08


def test_a_day_kept_as_text_tells_no_more_of_its_person_than_a_date_does():
    original = clinic()
    as_text = synthesise(original, copies=3, seed=1)
    dated = original.with_columns(pl.col("admitted").str.to_date())
    as_date = synthesise(dated, copies=3, seed=1)
    (text, _, near), (date, _, _) = (
        own_and_neighbour(original, made.copies) for made in (as_text, as_date)
    )
    assert abs(text - date) < near < 0.08
    assert as_date.record.notes == ()
    (note,) = as_text.record.notes
    n_levels = original["admitted"].n_unique()
    n_rare = original["admitted"].value_counts().filter(pl.col("count") < 5).height
    assert note == (
        f"{n_rare:,} of the {n_levels:,} levels of 'admitted' have fewer than 5 records. Where the"
        " column predicts others, these levels are pooled with their neighbours in order, 20"
        " records or more where there are as many, so that no model ties people to their values by"
        " a level of their own. Dates and numbers kept as text predict better as dates and numbers."
    )


@pytest.mark.parametrize(
    ("sizes", "pools"),
    [
        ([5, 9, 70], [0, 1, 2]),
        ([1, 9, 70], [0, 1, 2]),  # a rare level by itself has nobody to be pooled with
        ([1, 9, 2, 0], [0, 1, 0, 0]),
        ([4] * 9, [0] * 9),  # what is left of a pool joins the last
        ([4, 4, 50, 4, 4, 4, 4, 4, 4, 4, 4], [0, 0, 1, 0, 0, 0, 2, 2, 2, 2, 2]),
        ([], []),
    ],
)
def test_rare_levels_are_pooled_in_order_until_a_pool_is_full(sizes, pools):
    assert pool_levels(np.array(sizes, dtype=np.int64)).tolist() == pools


def test_levels_of_a_pool_are_one_to_trees_and_to_regressions():
    values = [*"aabb", *["c"] * 6, *["d"] * 6]
    given = Predictors((split(pl.Series("x", values)),), len(values))
    a, b, c, d = TreeCoding.fit(given, np.arange(16.0)).orders[0].tolist()
    assert (a == b, len({a, c, d})) == (True, 3)
    coding = DummyCoding.fit(given)
    again = DummyCoding.from_arrays(coding.to_arrays())
    assert again.matrix(given).toarray().tolist() == [[0, 0]] * 4 + [[1, 0]] * 6 + [[0, 1]] * 6

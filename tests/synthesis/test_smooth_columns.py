"""Amounts that are one person's own: smoothed within the tails, on the grid, heaps as they are."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

from unveil.errors import InputError
from unveil.project.propose import propose
from unveil.synthesis.synthesise import synthesise


def people(n=1000, seed=1):
    rng = np.random.default_rng(seed)
    cost = np.exp(rng.normal(7, 1, n)).round(2)
    cost[:150] = 0.0
    cost[150:180] = -8.0
    cost[-1] = 1e6  # far from all others
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(18, 90, n),
            "year": rng.integers(1900, 2020, n) + np.arange(n) % 1,
            "cost": cost,
            "income": (np.exp(rng.normal(8, 0.6, n)) * 10).round().astype(int) * 20,
        }
    )


FRAME = people()
PLAIN = [c for c in FRAME["cost"].to_list() if c != -8]


@pytest.mark.parametrize("method", ["cart", "parametric", {"cost": "sample"}])
def test_smoothed_amounts_stay_within_the_tails_on_the_grid_and_beside_heaps(method):
    made = synthesise(
        FRAME, method=method, smooth=["cost", "income"], special_codes={"cost": [-8]}, seed=1
    )
    copy = made.copies[0]
    assert made.record.smooth == ("cost", "income")
    drawn = [c for c in copy["cost"].to_list() if c != -8]
    assert sorted(PLAIN)[4] <= min(drawn)
    assert max(drawn) <= sorted(PLAIN)[-5]
    assert all(round(c, 2) == c for c in drawn)
    assert all(i % 20 == 0 for i in copy["income"].to_list())
    assert copy.schema == FRAME.schema
    assert 100 < Counter(drawn)[0.0] < 200  # 150 of 970
    assert 15 < Counter(copy["cost"].to_list())[-8.0] < 50  # 30 of 1,000
    own = {c for c, n in Counter(PLAIN).items() if n == 1}
    assert sum(c in own for c in drawn) < 0.03 * len(drawn)
    assert not any("cost" in note for note in made.record.notes)


def test_without_smooth_nothing_changes_and_the_column_is_reported():
    made = synthesise(FRAME, special_codes={"cost": [-8]}, seed=1)
    assert {*made.copies[0]["cost"]} <= {*FRAME["cost"]}
    assert any("no one else has in cost" in note for note in made.record.notes)
    alone = synthesise(FRAME, smooth="cost", special_codes={"cost": [-8]}, seed=1).copies[0]
    assert {*alone["income"]} <= {*FRAME["income"]}


def test_five_rows_of_one_person_are_no_heap():
    rows = pl.concat([FRAME.head(40).with_columns(cost=pl.lit(777.77)), FRAME.tail(700)])
    rows = rows.with_columns(who=pl.Series([0] * 40 + [*range(1, 701)]))
    copy = synthesise(rows, person="who", smooth="cost", special_codes={"cost": [-8]}, seed=1)
    assert 777.77 in rows["cost"].to_list()
    assert Counter(copy.copies[0]["cost"].to_list())[777.77] <= 1


@pytest.mark.parametrize("smooth", ["sex", "age,income", ["nothing"]])
def test_what_cannot_be_smoothed_is_refused(smooth):
    with pytest.raises(InputError, match=r"sex|column"):
        synthesise(FRAME, smooth=smooth, seed=1)


def test_a_model_file_draws_the_same_smoothed_amounts(tmp_path):
    made = synthesise(FRAME, smooth="cost", special_codes={"cost": [-8]}, seed=1)
    kept = type(made).load(made.save(tmp_path / "CONFIDENTIAL_x.model"))
    assert kept.sample()[0].equals(made.copies[0])


def test_init_proposes_amounts_alone_and_says_why(tmp_path):
    frame = FRAME.with_columns(total=pl.col("cost") + pl.col("income"))
    frame.write_csv(tmp_path / "people.csv")
    text, record = propose(tmp_path / "people.csv", folder=tmp_path)
    assert [one.column for one in record.smooth] == ["cost", "income"]
    n = sum(1 for n in Counter(PLAIN).values() if n == 1)
    assert f'"cost", # {n} of {len(PLAIN)} people hold a value that no one else has' in text
    assert "year" not in [one.column for one in record.smooth]

"""No row of a copy stands where its person does, unless a column is kept."""

import numpy as np
import polars as pl
import pytest

from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Synthesiser

N = 600
RNG = np.random.default_rng(1)
FRAME = pl.DataFrame(
    {
        "age": RNG.integers(16, 90, N),
        "reg": RNG.choice(list("abcdefgh"), N),
        "inc": RNG.integers(0, 9, N),
    }
)
ASKED = {"order": ["inc"], "predictors": {"inc": ["age"]}, "strata": "reg", "seed": 1}


def agreement(copy, name):
    return float((copy[name] == FRAME[name]).mean())


def test_strata_beside_columns_that_only_predict_are_not_those_of_the_same_row():
    copy = synthesise(FRAME, **ASKED).copies[0]
    assert copy.columns == ["reg", "inc"]
    assert agreement(copy, "reg") < 0.25  # one in eight by chance
    assert sorted(copy["reg"]) == sorted(FRAME["reg"])


def test_what_is_drawn_does_not_follow_the_original_row_for_row():
    frame = FRAME.with_columns(born=2020 - pl.col("age"))
    copy = synthesise(
        frame, order=["born"], predictors={"born": ["age"]}, min_leaf=1, seed=1
    ).copies[0]
    assert float((copy["born"] == frame["born"]).mean()) < 0.1
    assert sorted(copy["born"]) == sorted(frame["born"])  # the age settles it


@pytest.mark.parametrize("rows", [1, 250, 1_500])
def test_copies_of_any_size_are_drawn_and_every_row_is_used_as_often(rows):
    frame = FRAME.with_columns(id=pl.Series(range(N)))
    made = synthesise(frame, order=["inc"], predictors={"inc": ["id"]}, seed=1)
    assert made.sample(1, rows=min(rows, N))[0].height == min(rows, N)
    used = np.bincount(made.models.strata.shuffle(rows, 1, 1), minlength=N)
    assert used.sum() == rows
    assert np.ptp(used) <= 1


def test_each_copy_is_mixed_in_its_own_way_and_the_same_for_the_same_seed():
    made = synthesise(FRAME, copies=2, **ASKED)
    one, two = made.copies
    assert not one["reg"].equals(two["reg"])
    assert made.sample(2)[1].equals(two)


def test_a_model_file_draws_the_same_mixed_rows(tmp_path):
    made = synthesise(FRAME, **ASKED)
    again = Synthesiser.load(made.save(tmp_path / "CONFIDENTIAL_x.model"))
    assert again.sample()[0].equals(made.copies[0])


def test_strata_beside_kept_columns_are_told_to_be_the_originals():
    made = synthesise(FRAME, keep="age", strata="reg", seed=1)
    assert agreement(made.copies[0], "reg") == 1
    assert made.record.notes[-1] == ("The strata (reg) are the original's too, row for row.")
    assert not any("strata" in note for note in synthesise(FRAME, **ASKED).record.notes)

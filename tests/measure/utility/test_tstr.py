"""Train on synthetic, test on real: scores by definition, models that know and that do not."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import comparison as oracle
from profiles import examples
from unveil.measure.utility.tstr import tstr
from unveil.measure.utility.tstr_models import FLOOR, class_scores, number_scores

CHANCES = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.integers(0, 4), min_size=3, max_size=3)),
    min_size=1,
    max_size=20,
)


def people(n: int, seed: int, *, says: bool = True) -> pl.DataFrame:
    """x settles the outcomes but for some noise; where it does not say, they are drawn alone."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    behind = x if says else rng.normal(size=n)
    y = 3 * behind + rng.normal(size=n)
    return pl.DataFrame(
        {
            "x": x,
            "g": np.where(rng.random(n) < 0.5, "a", "b"),
            "y": y,
            "ill": np.where(y > 0, "yes", "no"),
            "three": np.where(y > 1, "high", np.where(y < -1, "low", "mid")),
        }
    )


@examples(60)
@given(CHANCES)
def test_scores_of_classes_are_those_of_the_definitions(rows):
    truth = [one for one, _ in rows]
    chances = [[(k + 1e-3) / (sum(parts) + 3e-3) for k in parts] for _, parts in rows]
    found = class_scores(np.array(truth), np.array(chances))
    guessed = [max(range(3), key=lambda k, row=row: row[k]) for row in chances]
    assert found["accuracy"] == pytest.approx(np.mean(np.equal(truth, guessed)))
    assert found["balanced_accuracy"] == pytest.approx(oracle.balanced_accuracy(truth, guessed))
    assert found["log_loss"] == pytest.approx(oracle.log_loss(truth, chances, FLOOR))
    parts = [oracle.auc([t == k for t in truth], [row[k] for row in chances]) for k in range(3)]
    known = [part for part in parts if part is not None]
    expected = sum(known) / len(known) if known else None
    assert found["AUC"] == (None if expected is None else pytest.approx(expected))


@examples(40)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=20))
def test_scores_of_numbers_are_those_of_the_definitions(rows):
    truth, predicted = [a for a, _ in rows], [b for _, b in rows]
    found = number_scores(np.array(truth, float), np.array(predicted, float))
    expected = oracle.r_squared(truth, predicted)
    assert found["R2"] == (None if expected is None else pytest.approx(expected))
    errors = [a - b for a, b in rows]
    assert found["RMSE"] == pytest.approx(np.sqrt(np.mean(np.square(errors))))
    assert found["MAE"] == pytest.approx(np.mean(np.abs(errors)))


def test_scores_by_hand():
    truth = np.array([0, 0, 1, 1])
    chances = np.array([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.2, 0.8]])
    found = class_scores(truth, chances)
    assert found["accuracy"] == 0.75
    assert found["balanced_accuracy"] == 0.75
    assert found["AUC"] == 3.5 / 4  # one tie among the four pairs
    assert found["log_loss"] == pytest.approx(-np.log([0.9, 0.4, 0.6, 0.8]).mean())
    impossible = class_scores(np.array([1]), np.array([[1.0, 0.0]]))
    assert impossible["log_loss"] == pytest.approx(-np.log(1e-6))


@pytest.mark.parametrize("model", ["logistic", "tree"])
@pytest.mark.parametrize("outcome", ["ill", "three"])
def test_a_copy_that_says_the_same_predicts_as_well_and_noise_as_a_guess(model, outcome):
    predictors = ["x", "g"]
    good, bad = people(800, 2), people(800, 3, says=False)
    result = tstr(
        people(800, 1),
        [good, bad],
        outcome=outcome,
        predictors=predictors,
        control=people(800, 4),
        model=model,
        seed=1,
    )
    one, two = (result.record.row_of("synthetic", copy) for copy in (1, 2))
    real, guess = result.record.row_of("original"), result.record.row_of("constant")
    assert real.AUC > 0.85
    assert pytest.approx(real.AUC, abs=0.06) == one.AUC
    # Of noise a logistic model keeps some direction, and AUC knows nothing else: chances do.
    assert two.log_loss > guess.log_loss - 0.02
    assert two.accuracy < real.accuracy - 0.2
    assert guess.AUC == 0.5
    assert guess.balanced_accuracy == pytest.approx(1 / (2 if outcome == "ill" else 3))
    assert result.record.n_control == 800
    assert (one.R2, one.headline_sd) == (None, None)


@pytest.mark.parametrize("model", ["linear", "tree"])
def test_numbers_are_predicted_by_regression(model):
    result = tstr(
        people(600, 1),
        people(600, 2),
        outcome="y",
        predictors=["x", "g"],
        model=model,
        seed=1,
    )
    assert result.record.kind == "regression"
    real, guess = result.record.row_of("original"), result.record.row_of("constant")
    assert pytest.approx(0.9, abs=0.05) == real.R2
    assert pytest.approx(real.R2, abs=0.05) == result.record.row_of("synthetic", 1).R2
    assert pytest.approx(0, abs=0.02) == guess.R2
    assert result.record.share_kept == pytest.approx(1, abs=0.05)


def test_a_linear_model_on_a_line_is_perfect():
    x = list(range(20))
    data = pl.DataFrame({"x": x, "y": [3 * one + 2 for one in x]})
    record = tstr(data, data, outcome="y", seed=1).record
    for row in (record.row_of("synthetic", 1), record.row_of("original")):
        assert pytest.approx(1, abs=1e-9) == row.R2
        assert pytest.approx(0, abs=1e-5) == row.RMSE
    assert record.row_of("original").n_trained == 16


def test_the_guess_is_the_commonest_class_and_the_shares_of_the_original():
    data = pl.DataFrame({"x": [0, 1] * 10, "ill": ["no"] * 15 + ["yes"] * 5})
    control = pl.DataFrame({"x": [0, 1], "ill": ["no", "yes"]})
    guess = tstr(data, data, outcome="ill", control=control, seed=1).record.row_of("constant")
    assert guess.accuracy == 0.5
    assert guess.log_loss == pytest.approx(-(np.log(0.75) + np.log(0.25)) / 2)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_folds():
    calls = [
        tstr(people(300, 1), people(300, 2), outcome="ill", model="tree", seed=seed).to_json()
        for seed in (1, 1, 2)
    ]
    assert calls[0] == calls[1]
    assert calls[0] != calls[2]


def test_a_copy_with_a_single_class_is_measured_and_told():
    data = people(200, 1)
    alone = data.with_columns(ill=pl.lit("yes"))
    record = tstr(data, alone, outcome="ill", predictors=["x"], seed=1).record
    row = record.row_of("synthetic", 1)
    assert row.AUC == 0.5
    assert row.accuracy == pytest.approx((data["ill"] == "yes").mean(), abs=1e-9)
    assert (
        "Copy 1 has one class of the outcome only, so its model gives everyone that class."
        in record.warnings
    )
    lacking = data.filter(pl.col("three") != "mid")
    told = tstr(data, lacking, outcome="three", predictors=["x"], seed=1).record.warnings
    assert (
        "Copy 1 lacks 1 class of the outcome that the original has; its model treats them as"
        " impossible." in told
    )


def test_testing_the_people_the_copies_were_made_from_is_told():
    data = people(100, 1)
    told = tstr(data, data, outcome="ill", seed=1).record.warnings
    assert told[0] == (
        "The test people are those the synthetic files were made from, which favours the files."
        " Give a control that was held out before synthesis for a fair test."
    )
    fair = tstr(data, data, outcome="ill", control=people(100, 2), seed=1).record.warnings
    assert fair == ()


def test_records_without_the_outcome_are_left_out_and_counted():
    data = people(100, 1)
    gaps = data.with_columns(
        ill=pl.when(pl.int_range(100) < 10).then(None).otherwise(pl.col("ill"))
    )
    record = tstr(gaps, data, outcome="ill", seed=1).record
    assert record.n_left_out == (10, 0)
    assert record.rows[0].n_tested == 90


def test_an_outcome_nothing_predicts_is_told():
    rng = np.random.default_rng(1)
    data = pl.DataFrame({"x": [1.0] * 100 + [2.0], "ill": rng.choice(["a", "b"], 101)})
    record = tstr(data, data, outcome="ill", seed=1).record
    assert record.share_kept is None
    assert record.warnings[-1] == (
        "Even a model made on the original does no better than a guess, so this outcome cannot"
        " distinguish good synthetic data from bad."
    )
    constant = data.with_columns(x=pl.lit(1.0))
    told = tstr(constant, constant, outcome="ill", seed=1).record
    assert told.share_kept is None
    assert told.warnings[-1].startswith("Even a model made on the original")


def test_the_frame_has_a_row_for_each_way_to_train_and_the_record_goes_through_json():
    result = tstr(people(100, 1), [people(100, 2), people(100, 3)], outcome="ill", seed=1)
    assert result.frame()["trained_on"].to_list() == ["synthetic"] * 3 + ["original", "constant"]
    assert result.frame()["copy"].to_list() == ["1", "2", "mean", None, None]
    assert type(result.record).from_json(result.to_json()) == result.record

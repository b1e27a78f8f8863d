"""Rules between columns: no synthetic row breaks them, whatever a later step does."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.errors import InputError
from unveil.synthesis.synthesiser import Synthesiser

N = 600


@pytest.fixture(scope="module")
def stays() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    admitted = 19_000 + rng.integers(0, 400, N)
    first = rng.integers(20, 80, N)
    return pl.DataFrame({
        "ward": rng.choice(["a", "b"], N),
        "admitted": admitted,
        "discharged": admitted + rng.poisson(4, N),
        "age_0": first,
        "age_1": first + rng.integers(0, 6, N),
    }).with_columns(pl.col("admitted", "discharged").cast(pl.Int32).cast(pl.Date))  # fmt: skip


RULES = ["discharged >= admitted", "age_1 >= age_0", "age_1 - age_0 <= 5"]


def _n_broken(frame: pl.DataFrame) -> int:
    """By plain comparison of lists."""
    rows = frame.select("admitted", "discharged", "age_0", "age_1").rows()
    return sum(1 for a, d, x, y in rows if d < a or not 0 <= y - x <= 5)


def test_without_rules_some_rows_break_them_and_with_them_none(stays: pl.DataFrame) -> None:
    free = unveil.synthesise(stays, seed=3, copies=2)
    ruled = unveil.synthesise(stays, seed=3, copies=2, rules=RULES)
    assert all(_n_broken(copy) > 0 for copy in free.copies)
    assert [_n_broken(copy) for copy in ruled.copies] == [0, 0]
    assert [copy.height for copy in ruled.copies] == [N, N]
    assert ruled.record.rules == tuple(RULES)


def test_the_same_seed_gives_the_same_rows_and_a_model_file_keeps_the_rules(
    stays: pl.DataFrame, tmp_path: object
) -> None:
    made = unveil.synthesise(stays, seed=3, rules=RULES)
    again = unveil.synthesise(stays, seed=3, rules=RULES)
    assert made.copies[0].equals(again.copies[0])
    path = made.save(f"{tmp_path}/CONFIDENTIAL_stays.model")
    assert Synthesiser.load(path).sample()[0].equals(made.copies[0])


def test_a_rule_that_computes_a_column_is_a_formula(stays: pl.DataFrame) -> None:
    made = unveil.synthesise(stays, seed=3, rules=[*RULES, "los = discharged - admitted"])
    (copy,) = made.copies
    days = (copy["discharged"] - copy["admitted"]).dt.total_days()
    assert copy["los"].to_list() == days.to_list()


def test_rules_hold_again_after_noise_and_rows_that_cannot_keep_them_are_counted(
    stays: pl.DataFrame,
) -> None:
    steps = [{"do": "synthesise"}, {"do": "add_noise", "column": "age_1", "sigma": 4, "round": 0}]
    made = unveil.protect(stays, steps=steps, synthesis={"rules": RULES}, seed=1)
    assert _n_broken(made.s3) == 0
    sentence = made.record.steps[-1].sentence
    assert "set so that the rules hold again" in sentence
    n_out = made.s2.height - made.s3.height
    assert n_out > 0
    assert f"{n_out:,} rows taken out that broke a rule." in sentence


def test_a_value_that_a_rule_settles_is_settled_again_after_noise() -> None:
    rng = np.random.default_rng(2)
    age = rng.integers(5, 60, N)
    frame = pl.DataFrame({"age": age, "wage": np.where(age < 16, 0.0, rng.gamma(3, 500, N))})
    steps = [{"do": "synthesise"}, {"do": "add_noise", "column": "wage", "sigma": 50}]
    rules = ["if age < 16 then wage = 0"]
    made = unveil.protect(frame, steps=steps, synthesis={"rules": rules}, seed=1).s3
    assert made.filter(pl.col("age") < 16)["wage"].to_list() == [0.0] * (made["age"] < 16).sum()


def test_a_missing_value_breaks_nothing_and_the_original_may(stays: pl.DataFrame) -> None:
    holed = stays.with_columns(
        pl.when(pl.int_range(N) < 60).then(None).otherwise(pl.col("discharged")).alias("discharged")
    )
    made = unveil.synthesise(holed, seed=3, rules=["discharged >= admitted"])
    assert made.copies[0]["discharged"].null_count() > 0
    early = stays.with_columns(
        pl.when(pl.int_range(N) < 3)
        .then(dt.date(2000, 1, 1))
        .otherwise(pl.col("discharged"))
        .alias("discharged")
    )
    record = unveil.synthesise(early, seed=3, rules=["discharged >= admitted"]).record
    assert any("is broken by 3 of 600 rows of the original" in one for one in record.notes)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("discharged >= admited", "admited"),
        ("discharged >", "cannot be read"),
        ("age_0 > 200", "No row of the original keeps the rule"),
        ("ward >= admitted", "The rule 'ward >= admitted'"),
        ("1 < 2", "names no column"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused(stays: pl.DataFrame, rule: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        unveil.synthesise(stays, rules=[rule])
    assert words in str(caught.value)

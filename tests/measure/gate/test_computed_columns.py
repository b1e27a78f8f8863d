"""A column with noise that others give back is an alert; recomputed ones, and honest ones, not."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.records.alerts import Alert

N = 800


def _people(rng: np.random.Generator) -> pl.DataFrame:
    height = rng.normal(170, 10, N).round(1)
    weight = (75 + 0.6 * (height - 170) + rng.normal(0, 12, N)).round(3)
    return pl.DataFrame({
        "sex": rng.choice(["f", "m"], N),
        "height": height,
        "weight": weight,
        "bmi": weight / (height / 100) ** 2,
    })  # fmt: skip


@pytest.fixture(scope="module")
def original() -> pl.DataFrame:
    return _people(np.random.default_rng(0))


def _alerts(original: pl.DataFrame, synthetic: pl.DataFrame) -> list[Alert]:
    return [one for one in unveil.assess(original, synthetic).alerts if one.kind == "given_back"]


def test_weight_comes_back_from_the_body_mass_index(original: pl.DataFrame) -> None:
    rng = np.random.default_rng(1)
    real = original.sample(N, with_replacement=True, seed=1)
    noisy = (real["weight"] + rng.normal(0, 8, N)).round(3)
    (alert,) = _alerts(original, real.with_columns(weight=noisy))
    assert alert.id == "given-back:weight"
    assert set(alert.columns) == {"weight", "bmi", "height"}
    assert alert.status == "block"
    held = original["weight"].value_counts().filter(pl.col("count") == 1)["weight"]
    back = {*real["weight"].to_list()}  # what the noise was to hide, by plain sets
    assert alert.figure == pytest.approx(100 * sum(one in back for one in held) / len(held))


@pytest.mark.parametrize("decimals", [2, 1, 0])
def test_real_rows_with_a_coarse_index_are_blocked_by_whose_they_are(
    original: pl.DataFrame, decimals: int
) -> None:
    """Weight is not named, but the rows are people's: other columns mixed among them or not."""
    rng = np.random.default_rng(3)
    coarse = original.with_columns(pl.col("bmi").round(decimals))
    real = coarse.sample(N, with_replacement=True, seed=1)
    noisy = real.with_columns(weight=(real["weight"] + rng.normal(0, 8, N)).round(3))
    for released in (noisy, noisy.with_columns(pl.col("sex").shuffle(seed=1))):
        found = unveil.assess(coarse, released).alerts
        assert "own-value:bmi" in [one.id for one in found if one.status == "block"]


def test_a_recomputed_index_and_other_people_are_no_alert(original: pl.DataFrame) -> None:
    rng = np.random.default_rng(2)
    real = original.sample(N, with_replacement=True, seed=1)
    noisy = real.with_columns(weight=(real["weight"] + rng.normal(0, 8, N)).round(3))
    again = noisy.with_columns(bmi=pl.col("weight") / (pl.col("height") / 100) ** 2)
    assert _alerts(original, again) == []
    assert _alerts(original, _people(rng)) == []

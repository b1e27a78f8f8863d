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


def _alerts(
    original: pl.DataFrame, synthetic: pl.DataFrame, kind: str = "given_back"
) -> list[Alert]:
    return [one for one in unveil.assess(original, synthetic).alerts if one.kind == kind]


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
    """The rows are people's, other columns mixed among them or not, and weight is named."""
    rng = np.random.default_rng(3)
    coarse = original.with_columns(pl.col("bmi").round(decimals))
    real = coarse.sample(N, with_replacement=True, seed=1)
    noisy = real.with_columns(weight=(real["weight"] + rng.normal(0, 8, N)).round(3))
    for released in (noisy, noisy.with_columns(pl.col("sex").shuffle(seed=1))):
        found = unveil.assess(coarse, released).alerts
        assert "own-value:bmi" in [one.id for one in found if one.status == "block"]
        (alert,) = [one for one in found if one.kind == "given_back"]
        assert (alert.id, alert.status) == ("given-back:weight", "block")
        assert set(alert.columns) == {"weight", "bmi", "height"}


COARSE = {
    "rounded": lambda weight: (weight / 5).round() * 5,
    "banded": lambda weight: (weight // 5).cast(pl.Int64).cast(pl.String) + " x 5 kg",
}


@pytest.mark.parametrize("way", COARSE)
def test_a_coarse_form_of_a_column_with_noise_is_named_beside_it(
    original: pl.DataFrame, way: str
) -> None:
    rng = np.random.default_rng(4)
    coarse = original.drop("bmi").with_columns(coarse=COARSE[way](original["weight"]))
    real = coarse.sample(N, with_replacement=True, seed=1)
    noisy = real.with_columns(weight=(real["weight"] + rng.normal(0, 8, N)).round(3))
    (alert,) = _alerts(coarse, noisy)
    assert (alert.id, alert.columns) == ("given-back:weight", ("weight", "coarse"))
    assert alert.status == "block"
    within = (coarse["weight"] - coarse["weight"].median()).abs()
    assert float(alert.sentence.split("within ")[1].split()[0]) < within.median() / 4
    again = noisy.with_columns(coarse=COARSE[way](noisy["weight"]))
    assert _alerts(coarse, again) == []
    assert _alerts(coarse, coarse.with_columns(pl.all().shuffle(seed=2))) == []


@pytest.mark.parametrize("step", [1.0, 5.0])
def test_a_rounded_column_under_another_name_is_named_with_the_one_it_rounds(
    original: pl.DataFrame, step: float
) -> None:
    rng = np.random.default_rng(5)
    plain = original.drop("bmi")
    real = plain.sample(N, with_replacement=True, seed=1)
    noisy = real.with_columns(weight=(real["weight"] + rng.normal(0, 8, N)).round(3))
    renamed = noisy.with_columns(mass=(real["weight"] / step).round() * step)
    found = {one.id: one for one in unveil.assess(plain, renamed).alerts}
    alert = found["extra-column:mass"]
    assert (alert.columns, alert.status) == (("mass", "weight"), "decide")
    assert f"those of weight rounded to {step:g}" in alert.sentence
    other = noisy.with_columns(mass=pl.Series(rng.normal(20, 5, N)).round())
    (alert,) = (one for one in unveil.assess(plain, other).alerts if one.columns[0] == "mass")
    assert (alert.columns, alert.status) == (("mass",), "review")  # like none, and so not compared


def test_a_new_column_of_text_is_for_a_person_to_explain_unless_it_can_say_nothing_new(
    original: pl.DataFrame,
) -> None:
    others = _people(np.random.default_rng(6))
    words = others["weight"].round().cast(pl.String) + " kg, seen at the clinic"
    quiet = others.with_columns(
        synthetic=pl.lit("yes"), half=pl.col("weight") / 2, number=pl.int_range(1, pl.len() + 1)
    )
    assert _alerts(original, quiet, "extra_column") == []
    (alert,) = _alerts(original, others.with_columns(note=words), "extra_column")
    assert (alert.id, alert.status) == ("extra-column:note", "decide")
    assert "no column of the original can be compared with it" in alert.sentence


def test_a_recomputed_index_and_other_people_are_no_alert(original: pl.DataFrame) -> None:
    rng = np.random.default_rng(2)
    real = original.sample(N, with_replacement=True, seed=1)
    noisy = real.with_columns(weight=(real["weight"] + rng.normal(0, 8, N)).round(3))
    again = noisy.with_columns(bmi=pl.col("weight") / (pl.col("height") / 100) ** 2)
    assert _alerts(original, again) == []
    assert _alerts(original, _people(rng)) == []

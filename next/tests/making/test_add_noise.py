"""Noise: its amount, its bounds, what may be published, and how it is compared afterwards."""

from math import sqrt
from random import Random
from statistics import fmean, pvariance, stdev

import polars as pl
import pytest

import unveil


def frame(seed, n=2_000):
    chance = Random(seed)
    return pl.DataFrame({
        "age": [chance.randint(18, 80) for _ in range(n)],
        "income": [chance.choice([-8, None, *range(500, 3000, 10)]) for _ in range(n)],
        "sex": chance.choices("fm", k=n),
    })  # fmt: skip


def noisy(amounts, **about):
    study = unveil.Study(
        frame(1), {"A": [frame(2), frame(3)]}, keys=("sex", "age"),
        columns={"income": {"special": (-8,)}}, **about,
    )  # fmt: skip
    return unveil.add_noise(study, amounts, seed=7)


def is_amount(values):
    return [x is not None and x != -8 for x in values]


def pairs(result, name, copy=1):
    before, after = frame(copy + 1)[name], result.study.synthetic["A", copy][name]
    return [(x, y) for x, y, known in zip(before, after, is_amount(before), strict=True) if known]


@pytest.mark.parametrize("noise", ["normal", "laplace"])
def test_noise_has_the_standard_deviation_asked_for(noise):
    result = noisy({"income": {"sigma": 100, "noise": noise}})
    added = [after - before for before, after in pairs(result, "income")]
    assert stdev(added) == pytest.approx(100, rel=0.1)
    assert abs(fmean(added)) < 4 * 100 / sqrt(len(added))
    kurtosis = fmean([(x / 100) ** 4 for x in added])
    assert (kurtosis > 4.2) == (noise == "laplace")  # 3 of normal, 6 of laplace


def test_missing_values_and_codes_stay_and_nothing_becomes_a_code():
    result = noisy({"income": {"sigma": 2000, "round": 0}})
    before, after = frame(2)["income"], result.study.synthetic["A", 1]["income"]
    for x, y, known in zip(before, after, is_amount(before), strict=True):
        assert (y == x) if not known else (y != -8)
    assert after.dtype == pl.Int64
    assert result.study.original.equals(frame(1))


def test_bounds_hold_and_the_variance_is_kept_if_asked_for():
    result = noisy({"income": {"sigma": 1500, "low": 0, "high": 4000}})
    values = [after for _, after in pairs(result, "income")]
    assert (min(values), max(values)) == (0, 4000)
    kept = pairs(noisy({"income": {"sigma": 1500, "keep_variance": True}}), "income")
    before, after = (pvariance(values) for values in zip(*kept, strict=True))
    assert after == pytest.approx(before, rel=0.1)


def test_the_table_says_what_was_done_to_each_copy():
    result = noisy({"income": {"sigma": 100, "low": 0}, "age": 2})
    assert [(r.version, r.copy, r.column) for r in result.columns] == [
        ("A", copy, name) for copy in (1, 2) for name in ("income", "age")]  # fmt: skip
    for row in result.columns:
        before, after = zip(*pairs(result, row.column, row.copy), strict=True)
        assert row.changed == sum(x != y for x, y in zip(before, after, strict=True))
        figures = (row.before_mean, row.after_mean, row.before_sd, row.after_sd)
        expected = (fmean(before), fmean(after), stdev(before), stdev(after))
        assert figures == pytest.approx(expected, rel=1e-9)


def test_shifts_are_shares_of_records_in_the_same_bands():
    result = noisy({"age": 5})
    before, after = frame(2)["age"], result.study.synthetic["A", 1]["age"]
    rows = [row for row in result.shifts if row.copy == 1]
    assert sum(row.before for row in rows) == pytest.approx(100)
    highest = next(row for row in rows if row.level.endswith(" or more"))
    limit = float(highest.level.removesuffix(" or more"))
    for values, share in ((before, highest.before), (after, highest.after)):
        assert share == pytest.approx(100 * fmean(value >= limit for value in values))


def test_kind_and_amount_may_be_published_and_nothing_else():
    amounts = {"income": {"sigma": 100, "round": 0, "low": 0}, "age": 2}
    assert noisy(amounts).statement == (
        "income has normal noise with standard deviation 100, rounded to units, at least 0."
        " age has normal noise with standard deviation 2."
    )


def test_a_key_with_noise_is_compared_in_bands_and_a_target_within_a_tolerance():
    """8 times 2 is rounded up to 20, 2 times 100 is 200: compared exactly, neither would match."""
    result = noisy({"age": 2, "income": 100})
    columns = result.study.columns
    assert columns["age"].bands == (39.5, 59.5)
    assert columns["income"].tolerance == 200
    assert columns["income"].special == (-8,)
    assert [note.about for note in result.notes] == ["age", "income"]
    risk = unveil.disclosure(result.study, expected=False)
    assert all(row.matched > 1_900 for row in risk.identity if row.copy in (1, 2))
    assert {row.unit for row in risk.attribute if row.target == "income"} == {"records", "near"}


def test_a_copy_with_little_noise_on_a_key_still_counts_as_a_copy():
    original = frame(1, 100)
    study = unveil.Study(original, original, keys=("sex", "age"), targets="income")
    (plain,) = unveil.disclosure(study, expected=False).identity
    for sigma in (0.01, 0.1):
        made = unveil.add_noise(study, {"age": sigma}, seed=1).study
        (with_noise,) = unveil.disclosure(made, expected=False).identity
        assert with_noise.matched == plain.matched == 100
        assert with_noise.repU == plain.repU > 0


def test_declared_bands_and_tolerances_stay():
    about = {"age": {"bands": (30, 60)}, "income": {"tolerance": 50}}
    study = unveil.Study(frame(1), frame(2), keys=("sex", "age"), columns=about)
    columns = unveil.add_noise(study, {"age": 2, "income": 10}, seed=1).study.columns
    assert columns["age"].bands == (30, 60)
    assert columns["income"].tolerance == 50


@pytest.mark.parametrize(
    ("amounts", "word"),
    [
        ({}, "names no column"),
        ({"aeg": 1}, "age"),
        ({"sex": 1}, "no numbers"),
        ({"age": 0}, "sigma"),
        ({"age": {"sigma": 1, "rund": 0}}, "rund"),
        ({"age": {"sigma": 1, "low": 5, "high": 1}}, "low"),
        ({"age": {"noise": "normal"}}, "sigma"),
    ],
)
def test_a_wrong_amount_is_refused_with_its_column(amounts, word):
    with pytest.raises(unveil.InputError, match="amounts") as refusal:
        noisy(amounts)
    assert word in str(refusal.value)

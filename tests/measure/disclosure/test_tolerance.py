"""Numbers near enough: by hand, by the oracle on random files, and by laws."""

from fractions import Fraction
from random import Random

import polars as pl
import pytest

import unveil
from oracles import survey
from unveil.errors import RolesError, SettingsError

COUNTED = ("Dorig", "DiS", "DiSCO")


def frame(rows) -> pl.DataFrame:
    return pl.DataFrame(
        [(*key, value) for key, value in rows],
        schema={"k": pl.String, "l": pl.String, "x": pl.Float64},
        orient="row",
    )


def near(original, *copies, r, **given):
    files = [frame(rows) for rows in (original, *copies)]
    asked = {"keys": ["k", "l"], "targets": "x", "tolerance": {"x": r}, **given}
    return unveil.disclosure(files[0], files[1:], **asked).record


def rows_of(rng: Random, n: int) -> list:
    values = [0, 1, 2, 3, 5, 8, -9, None]
    return [
        (("ab"[rng.randrange(2)], "xyz"[rng.randrange(3)]), rng.choice(values)) for _ in range(n)
    ]


def test_by_hand():
    # a: 10 and 14 agree within 5, and both with 12; with 6 only the first. b: 50 and 60 do not.
    original = [(("a", "x"), 12), (("a", "x"), 6), (("b", "x"), 50)]
    copy = [(("a", "x"), 10), (("a", "x"), 14), (("b", "x"), 50), (("b", "x"), 60)]
    record = near(original, copy, r=5)
    (row,) = record.tolerance
    assert (row.n_determined, row.n_correct, row.radius) == (2, 1, 5)
    assert (row.DiS, row.DiSCO) == (pytest.approx(200 / 3), pytest.approx(100 / 3))
    # Of 12, 6 and 50 only 12 is within 5 of both 10 and 14: said of two people, 1/3 each.
    assert row.at_random == pytest.approx(2 / 3)
    assert pytest.approx(100 * (1 + 0.5 + 0.5) / 3) == row.DCAP
    assert (record.attribute[0].DiS, record.attribute[0].DiSCO) == (0, 0)
    # A limit is held against the larger figure.
    assert record.highest(record.attribute[0], "DiSCO", "x") == row.DiSCO


@pytest.mark.parametrize("seed", range(40))
def test_the_oracle_agrees(seed):
    rng = Random(seed)
    original, copy = rows_of(rng, rng.randint(1, 25)), rows_of(rng, rng.randint(1, 25))
    original, copy = [*original, (("c", "x"), 4)], [*copy, (("c", "x"), 4)]
    r, apart = rng.choice([0, 1, 2.5, 100]), rng.choice([(), (-9,)])
    codes = {"special_codes": {"x": list(apart)}} if apart else {}
    (row,) = near(original, copy, r=r, **codes).tolerance
    wanted = survey.counted(original, copy, Fraction(r), apart)
    n = len(original)
    assert (row.n_determined, row.n_correct) == (sum(wanted["DiS"]), sum(wanted["DiSCO"]))
    for measure in COUNTED:
        assert getattr(row, measure) == pytest.approx(100 * sum(wanted[measure]) / n)
    for measure, file in (("DCAP", copy), ("CAPd", original)):
        guessed = sum(survey.guesses(original, file, Fraction(r), apart))
        assert getattr(row, measure) == pytest.approx(float(100 * guessed / n))
    chance = survey.at_random(original, copy, Fraction(r), apart)
    assert row.at_random == pytest.approx(float(chance))


@pytest.mark.parametrize("seed", range(5))
def test_nothing_falls_as_the_tolerance_grows_and_none_is_what_there_was(seed):
    rng = Random(seed)
    original = [*rows_of(rng, 60), (("c", "x"), 4)]
    copies = [[*rows_of(rng, 50), (("c", "x"), 4)] for _ in range(2)]
    rules = {"exclude": ["x=8", "missing-targets"]} if seed % 2 else {}
    before: dict = {}
    for r in (0, 0.5, 1, 3, 1e6):
        record = near(original, *copies, r=r, **rules)
        assert {row.copy for row in record.tolerance} == {1, 2, "mean", "pooled"}
        for row in record.tolerance:
            plain = record.attribute_of("x", row.copy)
            for measure in ("Dorig", "DiS", "DiSCO", "CAPd", "DCAP"):
                value = getattr(row, measure)
                assert value >= before.get((row.copy, measure), getattr(plain, measure)) - 1e-9
                if r == 0:
                    assert value == pytest.approx(getattr(plain, measure))
                before[row.copy, measure] = value
            assert row.DiSCO <= row.DiS <= plain.iS + 1e-9


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"tolerance": {"y": 1}}, RolesError, "'y', which is not a target"),
        ({"tolerance": {"x": -1}}, SettingsError, "tolerance of 'x'"),
        ({"tolerance": {"x": "much"}}, SettingsError, "tolerance of 'x'"),
        ({"tolerance": 5}, SettingsError, "a radius for each numeric target"),
        ({"bands": {"x": 2}}, SettingsError, "A tolerance needs numbers, and 'x' is cut"),
        ({"tolerance": {"l": 1}, "keys": ["k"], "targets": "l"}, SettingsError, "'l' has none"),
    ],
)
def test_bad_tolerances_are_refused_in_a_sentence(settings, error, says):
    rows = [(("a", "x"), 1), (("a", "y"), 2), (("b", "x"), 3)]
    with pytest.raises(error, match=says):
        near(rows, rows, r=1, **settings)

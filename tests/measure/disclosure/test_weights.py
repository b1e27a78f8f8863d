"""Survey weights beside plain counts: sums of the weights of the same records."""

from random import Random

import polars as pl
import pytest

import unveil
from oracles import survey, taub
from unveil.errors import RolesError, SettingsError

SCHEMA = {"k": pl.String, "l": pl.String, "t": pl.String}


def draw(rng: Random, n: int) -> list:
    return [
        (("abc"[rng.randrange(3)], "xy"[rng.randrange(2)]), "pqr"[rng.randrange(3)])
        for _ in range(n)
    ]


def frame(rows, weights=None) -> pl.DataFrame:
    made = pl.DataFrame([(*key, t) for key, t in rows], schema=SCHEMA, orient="row")
    return made if weights is None else made.with_columns(w=pl.Series(weights))


def files(seed):
    rng = Random(seed)
    same = [(("a", "x"), "p")]
    original, copy = (
        [*same, *draw(rng, rng.randint(1, 30))],
        [*same, *draw(rng, rng.randint(1, 30))],
    )
    weights = [rng.choice([0, 0.5, 1, 2, 3.25]) for _ in original[1:]]
    return original, copy, [1.5, *weights]


@pytest.mark.parametrize("seed", range(25))
def test_disclosure_agrees_with_the_oracle(seed):
    original, copy, weights = files(seed)
    found = unveil.disclosure(frame(original, weights), frame(copy), keys=["k", "l"], weights="w")
    assert found.record.targets == ("t",)  # the weights are compared with nothing
    total = sum(weights)
    assert (found.record.weighted.column, found.record.weighted.total) == ("w", total)
    for measure, is_counted in survey.counted(original, copy).items():
        target = None if measure in ("UiO", "UiOiS", "repU") else "t"
        row = found.record.find_weighted(measure, target, 1)
        weight = sum(w for w, counts in zip(weights, is_counted, strict=True) if counts)
        assert (row.weight, row.percent) == pytest.approx((weight, 100 * weight / total))


def test_exclusions_and_several_files():
    original, copy, weights = files(1)
    _, other, _ = files(2)
    rules = ["t=p@k=a"]
    found = unveil.disclosure(
        frame(original, weights),
        [frame(copy), frame(other)],
        keys=["k", "l"],
        weights="w",
        exclude=rules,
    ).record
    for place, rows in ((1, copy), (2, other), ("pooled", copy + other)):
        is_counted = survey.counted(original, rows)["DiSCO"]
        weight = sum(
            w
            for w, counts, (key, t) in zip(weights, is_counted, original, strict=True)
            if counts and (t, key[0]) != ("p", "a")
        )
        assert found.find_weighted("DiSCO", "t", place).weight == pytest.approx(weight)
    mean = found.find_weighted("DiSCO", "t", "mean").weight
    assert mean == pytest.approx(
        sum(found.find_weighted("DiSCO", "t", m).weight for m in (1, 2)) / 2
    )


@pytest.mark.parametrize("weight", [1, 7.5])
def test_one_weight_for_all_changes_nothing(weight):
    original, copy, _ = files(3)
    asked = {"keys": ["k", "l"], "weights": "w"}
    weighted = frame(original, [float(weight)] * len(original))
    record = unveil.disclosure(weighted, frame(copy), **asked).record
    for row in record.weighted.rows:
        of = record.identity[0] if row.target is None else record.attribute_of(row.target, 1)
        assert row.percent == pytest.approx(getattr(of, row.measure))
    cap = unveil.cap_table(
        weighted,
        {"one": frame(copy)},
        target="t",
        key_sets=[["k", "l"], ["k"]],
        scenarios=["full", "uniques", "special", "mask"],
        mask=[place % 3 == 0 for place in range(len(original))],
        weights="w",
    ).record
    assert len({row.n for row in cap.rows}) > 2
    for plain, row in zip(cap.rows, cap.weighted, strict=True):
        assert row.weight == pytest.approx(weight * plain.n)
        assert row.weight_correct == pytest.approx(weight * plain.n_right)
        for name in ("match_rate", "cap_original", "cap_baseline", "cap_synthetic_zero"):
            assert getattr(row, name) == pytest.approx(getattr(plain, name))


@pytest.mark.parametrize("seed", range(15))
def test_cap_agrees_with_the_oracle(seed):
    original, copy, weights = files(seed)
    record = unveil.cap(
        frame(original, weights), frame(copy), keys=["k", "l"], target="t", weights="w"
    ).record
    (row,) = record.weighted
    total = scored = matched = own = known = 0.0
    for (key, t), w in zip(original, weights, strict=True):
        score = taub.score(t, taub.matches(key, copy))
        total += w
        scored += w * float(score or 0)
        matched += w * (score is not None)
        own += w * float(taub.score(t, taub.matches(key, original)))
        known += w * sum(other == t for _, other in original) / len(original)
    assert record.weights == "w"
    assert (row.weight, row.weight_matched) == pytest.approx((total, matched))
    assert row.cap_synthetic_zero == pytest.approx(scored / total)
    assert row.cap_synthetic_undefined == pytest.approx(scored / matched)
    assert (row.cap_original, row.cap_baseline) == pytest.approx((own / total, known / total))


@pytest.mark.parametrize(
    ("weights", "named", "error", "says"),
    [
        ([1.0, -1.0], "w", SettingsError, "negative or infinite for 1 of 2 records"),
        ([1.0, None], "w", SettingsError, "missing for 1 of 2 records"),
        (["one", "two"], "w", SettingsError, "are not numbers"),
        ([float("inf"), 1.0], "w", SettingsError, "negative or infinite"),
        ([0.0, 0.0], "w", SettingsError, "are all 0"),
        ([1.0, 1.0], "v", RolesError, "no column 'v'"),
        ([1.0, 1.0], "k", RolesError, "'k' has the weights, so it cannot be a key"),
        ([1.0, 1.0], 3, RolesError, "the name of one column"),
    ],
)
@pytest.mark.parametrize("measure", ["disclosure", "cap"])
def test_bad_weights_are_refused_in_a_sentence(measure, weights, named, error, says):
    rows = [(("a", "x"), "p"), (("b", "x"), "q")]
    asked = {"targets": "t"} if measure == "disclosure" else {"target": "t"}
    with pytest.raises(error, match=says):
        getattr(unveil, measure)(
            frame(rows, weights), frame(rows), keys=["k", "l"], weights=named, **asked
        )

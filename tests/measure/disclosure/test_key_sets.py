"""Every set of the keys: by hand, by the oracle on random files, and by laws."""

from collections import Counter
from itertools import combinations
from math import comb
from random import Random

import numpy as np
import polars as pl
import pytest

import unveil
from measure.small import ORIGINAL, SYNTHETIC, people
from oracles.key_sets import count
from oracles.key_sets import expected_replicated as oracle_replicated
from unveil.count import key_sets as count_key_sets
from unveil.errors import RolesError, SettingsError
from unveil.measure.disclosure.key_sets import expected_replicated


def sets_of(original, copy, keys=("k1", "k2"), **settings):
    return unveil.key_sets(original, copy, keys=list(keys), targets="t", **settings).record


def by_set(record) -> dict:
    return {row.keys: row for row in record.rows}


def test_the_worked_example():
    record = sets_of(people(ORIGINAL), people(SYNTHETIC))
    rows = by_set(record)
    # a: p p q and b: q p determine nothing; x: p p p is said of a x p, a x q and b x q.
    assert (rows["k1",].DiS, rows["k1",].DiSCO) == (0, 0)
    assert (rows["k2",].DiS, rows["k2",].DiSCO) == (50, pytest.approx(100 / 6))
    assert (rows["k1", "k2"].DiS, rows["k1", "k2"].DiSCO) == (50, pytest.approx(100 / 6))
    assert rows["k1", "k2"].repU == pytest.approx(100 / 6)  # a y
    (worst,) = [one for one in record.find_figures("worst") if one.measure == "DiSCO"]
    assert (worst.keys, worst.correct) == (("k2",), 1)  # of equals the one with fewest keys
    (all_,) = record.ceilings
    assert (all_.most_support.claimed, all_.most_support.correct, all_.ceiling) == (4, 1, 1)


def test_a_key_more_may_lower_the_risk_but_not_the_worst():
    original = pl.DataFrame({"A": ["1"], "B": ["7"], "t": ["p"]})
    copy = pl.DataFrame({"A": ["1", "1"], "B": ["5", "7x"], "t": ["p", "p"]})
    copy = pl.concat([copy, pl.DataFrame({"A": ["2"], "B": ["7"], "t": ["q"]})])
    record = sets_of(original, copy, ("A", "B"))
    rows = by_set(record)
    assert (rows["A",].DiSCO, rows["A", "B"].DiSCO) == (100, 0)
    (all_,) = record.ceilings
    assert (all_.most_support.claimed, all_.most_support.at_random) == (1, 1)


def draw(rng, n, levels):
    return [tuple("abcdef"[rng.randrange(k)] for k in levels) for _ in range(n)]


@pytest.mark.parametrize("seed", range(30))
def test_every_set_agrees_with_the_oracle(seed, monkeypatch):
    rng = Random(seed)
    if seed % 2:  # in parts, some of them of one class alone
        monkeypatch.setattr(count_key_sets, "PART", rng.choice([1, 3, 8]))
    n_keys, n_targets = rng.randint(1, 5), rng.randint(1, 4)
    levels = [rng.randint(1, 6) for _ in range(n_keys)] + [rng.randint(1, 4)] * n_targets
    original, copy = draw(rng, rng.randint(1, 30), levels), draw(rng, rng.randint(1, 40), levels)
    keys, targets = [f"k{i}" for i in range(n_keys)], [f"t{i}" for i in range(n_targets)]
    # A value of its own, so that every column has a level in common.
    original, copy = [*original, ("z",) * len(levels)], [*copy, ("z",) * len(levels)]
    frames = [pl.DataFrame(one, schema=[*keys, *targets], orient="row") for one in (original, copy)]
    at_most = rng.randint(1, n_keys) if seed % 3 == 0 else n_keys
    told = []
    record = unveil.key_sets(
        *frames, keys=keys, targets=targets, at_most=at_most, progress=lambda *one: told.append(one)
    ).record
    files = [[(row[:n_keys], row[n_keys:]) for row in one] for one in (original, copy)]
    wanted = count(*files, n_keys, n_targets, at_most)
    n, n_sets = len(original), sum(comb(n_keys, size) for size in range(1, at_most + 1))
    assert len(record.rows) == n_sets * n_targets
    assert max(done for _, done, of in told if of == n_sets) == n_sets
    for row in record.rows:
        figures = wanted["sets"][tuple(keys.index(key) for key in row.keys)]
        target = targets.index(row.target)
        assert [row.matched, row.repU, row.DiS, row.DiSCO] == pytest.approx(
            [
                100 * figures[name] / n
                for name in ("matched", "replicated", ("determined", target), ("correct", target))
            ]
        )
    for place, all_ in enumerate(record.ceilings):
        assert all_.ceiling == sum(target == place for _, target in wanted["ever_correct"])
        assert all_.ceiling_wrong == sum(target == place for _, target in wanted["ever_wrong"])
        said = {who: v for (who, target), v in wanted["claims"].items() if target == place}
        stated = {who: value for who, value in said.items() if value is not None}
        assert all_.contradicted == len(said) - len(stated)
        assert all_.most_support.claimed == len(stated)
        n_with = Counter(target[place] for _, target in files[0])
        at_random = sum(n_with[value] for value in stated.values()) / n
        assert all_.most_support.at_random == pytest.approx(at_random)
        assert all_.most_support.correct == sum(
            files[0][who][1][place] == value for who, value in stated.items()
        )
    check_figures(record)


def test_many_targets_share_words_without_spilling(monkeypatch):
    """Fields of several widths, full words, and more records than one word can count."""
    monkeypatch.setattr(count_key_sets, "PART", 50)
    rng = Random(3)
    sizes = [2, 4, 5, 9, 16, 17] * 6
    levels = [3, 4, *sizes]

    def rows(n):
        return [tuple(str(rng.randrange(k)) for k in levels) for _ in range(n)]

    original, copy = rows(150), rows(30)
    keys, targets = ["k0", "k1"], [f"t{i}" for i in range(len(sizes))]
    frames = [pl.DataFrame(one, schema=[*keys, *targets], orient="row") for one in (original, copy)]
    record = unveil.key_sets(*frames, keys=keys, targets=targets).record
    files = [[(row[:2], row[2:]) for row in one] for one in (original, copy)]
    wanted = count(*files, 2, len(sizes))["sets"]
    for row in record.rows:
        figures = wanted[tuple(keys.index(key) for key in row.keys)]
        about = targets.index(row.target)
        assert round(row.DiS * 1.5) == figures["determined", about]
        assert round(row.DiSCO * 1.5) == figures["correct", about]


def check_figures(record):
    """Each figure is of the worst of its sets, and of the set that it names."""
    rows = {(row.keys, row.target): row for row in record.rows}
    for one in record.figures:
        if not one.keys:
            continue
        target = one.target or record.targets[0]
        assert one.percent("correct") == pytest.approx(getattr(rows[one.keys, target], one.measure))
        rivals = [
            getattr(row, one.measure)
            for (keys, name), row in rows.items()
            if name == target
            and (one.kind != "size" or len(keys) == len(one.keys))
            and (one.kind != "all_keys" or keys == record.keys)
            and one.without not in keys
        ]
        assert one.percent("correct") == pytest.approx(max(rivals))
        assert one.low_of_all <= one.low <= one.adds <= one.high


def survey(seed, n=400):
    rng = np.random.default_rng(seed)
    made = {
        "a": rng.integers(0, 5, n),
        "b": rng.integers(0, 3, n),
        "c": rng.integers(0, 9, n),
        "d": rng.integers(0, 4, n),
    }
    made["t"] = (made["a"] + rng.integers(0, 2, n)) % 4
    return pl.DataFrame(made).with_columns(pl.all().cast(pl.String))


KEYS = ("a", "b", "c", "d")


@pytest.mark.parametrize("seed", range(3))
def test_what_a_key_more_never_lowers(seed):
    original, copy = survey(seed), survey(seed + 10)
    smaller, larger = (sets_of(original, copy, keys) for keys in (KEYS[:3], KEYS))
    for one, other in zip(smaller.ceilings, larger.ceilings, strict=True):
        assert one.ceiling <= other.ceiling
        assert (
            one.most_support.claimed + one.contradicted
            <= other.most_support.claimed + other.contradicted
        )
        assert other.most_support.correct <= other.ceiling
    worst = [
        {one.measure: one.correct for one in record.find_figures("worst")}
        for record in (smaller, larger)
    ]
    everything = {one.measure: one.correct for one in larger.find_figures("all_keys")}
    for measure in ("DiSCO", "repU"):
        assert worst[0][measure] <= worst[1][measure]
        assert everything[measure] <= worst[1][measure]
    assert worst[1]["DiSCO"] <= larger.ceilings[0].ceiling
    rows = by_set(larger)
    for keys in rows:
        for part in combinations(keys, len(keys) - 1):
            assert not part or rows[keys].matched <= rows[part].matched


def test_what_does_not_matter_changes_nothing():
    original, copy = survey(1), survey(2)
    plain = sets_of(original, copy, KEYS)
    shuffled = sets_of(original.reverse(), copy.sample(fraction=1, shuffle=True, seed=1), KEYS)
    assert (shuffled.rows, shuffled.figures) == (plain.rows, plain.figures)
    turned = by_set(sets_of(original, copy, KEYS[::-1]))
    assert {frozenset(keys): row.DiSCO for keys, row in turned.items()} == {
        frozenset(keys): row.DiSCO for keys, row in by_set(plain).items()
    }
    more = [one.with_columns(e=pl.lit("x"), a2=pl.col("a")) for one in (original, copy)]
    with_more = sets_of(*more, (*KEYS, "e", "a2"))
    for before, after in zip(
        plain.find_figures("worst"), with_more.find_figures("worst"), strict=True
    ):
        assert before.correct == after.correct


def test_synthetic_data_that_are_the_people_give_away_what_the_original_does():
    original = survey(3)
    for keys, row in by_set(sets_of(original, original, KEYS)).items():
        found = unveil.disclosure(original, original, keys=list(keys), targets="t").attribute[0]
        assert pytest.approx(found.Dorig) == row.DiSCO


def test_exclusions_are_those_of_disclosure():
    original, copy = survey(4), survey(5)
    rules = ["t=1@a=1", "t=2"]
    for keys, row in by_set(sets_of(original, copy, KEYS, exclude=rules)).items():
        if "a" in keys:
            found = unveil.disclosure(
                original, copy, keys=list(keys), targets="t", exclude=rules
            ).attribute[0]
            assert (row.DiS, row.DiSCO) == pytest.approx((found.DiS, found.DiSCO))


@pytest.mark.parametrize("rules", [[], ["t=0"]])
def test_the_claims_on_a_set_are_those_of_its_keys(rules):
    """Expected is what all keys let expect: with all of them the same as in `unveil.claims`."""
    original, copy = survey(1, 200), survey(2, 90)
    record = sets_of(original, copy, KEYS, exclude=rules)
    told = {one.kind for one in record.figures if one.measure == "DiSCO"}
    assert told == {"all_keys", "worst", "size", "without"}
    by_size = [one for one in record.find_figures("size") if one.measure == "DiSCO"]
    assert [len(one.keys) for one in by_size] == [1, 2, 3, 4]
    for one in record.figures:
        if one.measure != "DiSCO":
            continue
        claims = unveil.claims(original, copy, keys=list(one.keys), targets="t", exclude=rules)
        row = claims.record.row_of("t", 1)
        names = ["claimed", "correct"]
        names += ["expected", "adds", "low", "high"] if one.kind == "all_keys" else []
        assert [getattr(one, name) for name in names] == pytest.approx(
            [getattr(row, name) for name in names]
        )
        assert one.adds == pytest.approx(one.correct - one.expected)
        assert one.high - one.adds == pytest.approx(one.adds - one.low)


def test_sets_of_few_keys():
    record = sets_of(survey(1), survey(2), KEYS, at_most=2)
    assert (record.n_sets, record.complete, len(record.rows)) == (10, False, 10)
    assert record.find_figures("all_keys") == ()


def test_several_files_are_counted_one_by_one_and_pooled():
    record = unveil.key_sets(survey(1), [survey(2), survey(3)], keys=["a", "c"], targets="t").record
    measured = unveil.disclosure(survey(1), [survey(2), survey(3)], keys=["a", "c"], targets="t")
    for row in record.rows:
        if row.keys == ("a", "c"):
            (found,) = [one for one in measured.attribute if one.copy == row.copy]
            assert pytest.approx(found.DiSCO) == row.DiSCO


def test_a_limit_stops_what_is_beyond_chance_and_asks_to_review_the_rest():
    # Three of four keys determine t in the copy as in the original; all four match hardly anybody.
    rng = np.random.default_rng(1)
    n = 1500
    made = {name: rng.integers(0, 12, n) for name in "abcd"}
    original = pl.DataFrame({**made, "t": rng.integers(0, 8, n)}).cast(pl.String)
    copied = original.with_columns(d=pl.Series(rng.integers(0, 12, n)).cast(pl.String))
    record = sets_of(original, copied, KEYS, limits={"DiSCO": 20})
    (verdict,) = record.verdicts
    assert (verdict.status, verdict.figure.keys, record.exit_code) == (
        *("above", ("a", "b", "c"), 3),
    )
    assert by_set(record)[KEYS].DiSCO < 20
    fresh = original.with_columns(t=pl.Series(rng.integers(0, 8, n)).cast(pl.String))
    record = sets_of(original, fresh, KEYS, limits={"DiSCO": 3})
    (verdict,) = record.verdicts
    assert (verdict.status, record.exit_code) == ("review", 0)
    (verdict,) = sets_of(original, fresh, KEYS, limits={"DiSCO": 90}).verdicts
    assert verdict.status == "within"


@pytest.mark.parametrize("seed", range(20))
def test_expected_replicated_uniques_agree_with_the_oracle(seed):
    rng = Random(seed)
    n_levels = rng.randint(2, 12)
    keys = [int(n_levels * rng.random() ** rng.choice([1, 2])) for _ in range(rng.randint(1, 40))]
    n_records = rng.randint(1, 60)
    n_unique, expected, error = expected_replicated(
        np.bincount(keys, minlength=n_levels), len(keys), n_records
    )
    assert (n_unique, expected) == pytest.approx(oracle_replicated(keys, n_records))
    assert error >= 1
    if expected:
        # By hand: binomial in the share that is met, and Poisson in the pairs that were counted.
        pairs = sum(keys.count(key) == 2 for key in set(keys))
        variance = expected * (1 - expected / n_unique) + expected**2 / pairs
        assert error**2 == pytest.approx(max(variance, 1.0))


def test_expected_replicated_uniques_of_independent_samples():
    # Two samples of one population with very unequal combinations: repU lies in its interval.
    rng = np.random.default_rng(7)
    weights = rng.gamma(0.3, size=4000)
    weights /= weights.sum()
    held = 0
    for _ in range(60):
        d, s = rng.multinomial(2000, weights), rng.multinomial(3000, weights)
        n_unique, expected, error = expected_replicated(d, 2000, 3000)
        assert n_unique == (d == 1).sum()
        held += abs(((d == 1) & (s == 1)).sum() - expected) <= 1.96 * error
    assert held >= 48


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"exclude": "max-denominator=1"}, SettingsError),
        ({"limits": {"TCAP": 10}}, SettingsError),
        ({"limits": {"DiSCO": 100.5}}, SettingsError),
        ({"limits": {"DiSCO": -0.5}}, SettingsError),
        ({"at_most": 0}, SettingsError),
    ],
)
def test_wrong_settings_are_refused_in_a_sentence(settings, error):
    with pytest.raises(error):
        sets_of(survey(1), survey(2), KEYS, **settings)


@pytest.mark.parametrize("limit", [0, 100])
def test_a_limit_may_be_all_or_nothing(limit):
    (verdict,) = sets_of(survey(1, 40), survey(2, 40), KEYS[:2], limits={"DiSCO": limit}).verdicts
    assert (verdict.status == "within") == (limit == 100)


def test_too_many_keys_are_refused():
    wide = pl.DataFrame({f"k{i}": ["a"] for i in range(21)} | {"t": ["p"]})
    with pytest.raises(RolesError, match="at most 20"):
        sets_of(wide, wide, [f"k{i}" for i in range(21)])

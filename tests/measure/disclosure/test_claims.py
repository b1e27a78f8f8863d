"""Claims and what the synthetic data add: hand examples, laws, and the oracle on random files."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import polars as pl
import pytest

import unveil
from measure.small import ORIGINAL, SYNTHETIC, people
from oracles import claims as oracle
from unveil.errors import RolesError, SettingsError
from unveil.measure.disclosure import claim_parts, pattern
from unveil.measure.disclosure.claim_rules import best_of_copies, single_value, some_file
from unveil.measure.disclosure.pattern import KeyedCells, publish, rake
from unveil.seeding import stream

SECOND = ["bxq", "axq"]
CONTROL = ["axq", "byp", "bxq", "cxq"]
# Young and old, north and south; the copy has one record of each.
FOURTEEN = (
    [("young", "N", "single")] * 3
    + [("young", "S", "single")] * 3
    + [("old", "N", "married")] * 3
    + [("old", "N", "single")]
    + [("old", "S", "married")] * 2
    + [("old", "S", "single")] * 2
)
FOUR = [
    ("young", "N", "single"),
    ("young", "S", "single"),
    ("old", "N", "married"),
    ("old", "S", "single"),
]


def rows(original, *copies, **settings) -> dict:
    frames = [people(copy) for copy in copies]
    found = unveil.claims(people(original), frames, keys=["k1", "k2"], targets="t", **settings)
    return {(row.copy, row.rule, row.certainty): row for row in found.rows}


def frame(given) -> pl.DataFrame:
    return pl.DataFrame(given, schema=["age", "region", "t"], orient="row")


def fourteen(**settings):
    return unveil.claims(
        frame(FOURTEEN), frame(FOUR), keys=["age", "region"], targets="t", **settings
    ).record


def test_the_single_value_by_hand():
    row = rows(ORIGINAL, SYNTHETIC)[1, "single_value", None]
    assert (row.n, row.claimed, row.correct) == (6, 3, 1)
    # p is said of two people and q of one; two of six have p, four have q.
    assert row.at_random == pytest.approx(2 / 6 + 2 / 6 + 4 / 6)
    assert row.correct_if_determined == pytest.approx(100 / 3)
    assert row.percent("correct") == pytest.approx(100 / 6)
    assert (row.expected, row.adds) == (0, 1)  # no value has ten people, so nothing is taught


def test_several_files_by_hand():
    found = rows(ORIGINAL, SYNTHETIC, SECOND)
    assert [found[copy, "single_value", None].correct for copy in (1, 2, "mean", "pooled")] == [
        *(1, 2, 1.5, 1)
    ]
    some = found["pooled", "some_file", None]
    assert (some.claimed, some.correct) == (4, 3)  # both files state something about a x
    modal = found["pooled", "most_common", None]
    assert (modal.claimed, modal.correct) == (6, 3)
    agreed = found["pooled", "agreed", None]
    assert (agreed.claimed, agreed.correct) == (2, 1)


def test_near_certain_by_hand():
    # Together a x has p p q, a y q, b x q, b y q p: at 0.6 all but the last are claimed.
    from unveil.measure.disclosure.claim_rules import near_certain

    s_tq, starts = np.array([2, 1, 1, 1, 1, 1]), np.array([0, 2, 3, 4, 6])
    assert near_certain(s_tq, starts, 0.6).tolist() == [1, 0, 1, 1, 0, 0]
    assert near_certain(s_tq, starts, 0.8).tolist() == [0, 0, 1, 1, 0, 0]


def test_parts_by_hand():
    record = fourteen(at_least=5)
    (row,), (claim,) = record.parts, [one for one in record.rows if one.rule == "single_value"]
    assert (claim.claimed, claim.correct) == (14, 11)
    assert (row.correct, row.marginal, row.one_key, row.two_keys) == (11, 0, 6, 0)
    assert row.rest + row.pattern == 5
    (group,) = [one for one in record.groups if one.part == "one_key"]
    assert (group.level, group.keys, group.key_levels, group.n) == (
        *("single", ("age",), (("young",),), 6),
    )
    assert group.exclusions == ("t=single@age=young",)
    assert row.own_record is row.population_inference is None  # without a control sample


@pytest.mark.parametrize("seed", range(3))
def test_groups_hold_everyone_whose_value_is_explained(monkeypatch, seed):
    monkeypatch.setattr(claim_parts, "SMALL_GROUP", 0)
    is_taught = pl.when(pl.col("a") < "2").then(pl.col("a"))  # by one key
    files = [survey(seed + 10 * i).with_columns(t=is_taught.otherwise("t")) for i in range(3)]
    original, copies, asked = files[0], files[1:], {"keys": KEYS, "targets": "t"}
    record = unveil.claims(original, copies, **asked).record
    parts = ("marginal", "one_key", "two_keys", "pattern")
    for row in record.parts:
        for part in parts:
            found = [one.n for one in record.groups if (one.copy, one.part) == (row.copy, part)]
            assert sum(found) == getattr(row, part)
            assert found == sorted(found, reverse=True)
    assert {one.copy for one in record.groups} == {1, 2, "pooled"}
    full = unveil.disclosure(original, copies, **asked).with_expected(has_parts=True).record
    assert {one.copy for one in full.groups} == {"pooled"}


def test_declared_tables_by_hand():
    record = fourteen(at_least=5, certainty=0.7, public=["age+t", "region+t"])
    (row,) = record.parts
    assert (row.declared, row.one_key, row.rest) == (9, 0, 2)
    # By themselves, raked: three of four married in the north, half in the south.
    cells = {("young", "N"): 0, ("young", "S"): 1, ("old", "N"): 2, ("old", "S"): 3}
    q = np.array([cells[one[:2]] for one in FOURTEEN])
    t = np.array([one[2] == "single" for one in FOURTEEN]).astype(np.int64)
    codes = (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    raked = rake(KeyedCells(codes, q, t, np.ones(14, np.int64), 2), [(0,), (1,)])
    P = raked.share(*np.ix_(range(4), range(2)))
    assert P[:, 0] == pytest.approx([0, 0, 0.75, 0.5], abs=1e-4)
    claimed = [P[0, 1] * 3, P[1, 1] * 3, P[2, 0] * 4, P[3, 1] * 4]
    assert sum(claimed) == pytest.approx(11, abs=0.01)


def test_the_control_sample_tells_own_records_from_population_inference():
    train = ["axp"] * 30 + ["axq"] * 10 + ["byq"] * 30 + ["byp"] * 10
    copy = ["axp", "byq"]
    control = ["axp"] * 10 + ["axq"] * 10 + ["byq"] * 10 + ["byp"] * 10
    found = unveil.claims(
        people(train), people(copy), people(control), keys=["k1", "k2"], targets="t"
    ).record
    (row,) = found.parts
    # Nothing explains 80 claims, of which 60 are correct; of 40 about others, 20.
    assert (row.correct, row.rest) == (60, 60)
    assert row.population_inference == pytest.approx(60 * 0.5 / 0.75)
    assert row.own_record == pytest.approx(20)
    error = (0.25 / (40 * 0.75**2) + 0.25 * 0.25 / (0.75**3 * 80)) ** 0.5
    assert row.own_record_high - row.own_record == pytest.approx(1.959964 * 60 * error)


def test_exclusions_count_in_no_figure_and_make_a_part():
    found = fourteen(at_least=5, exclude=["t=single@age=young"])
    claim = found.row_of("t", 1)
    assert (claim.claimed, claim.correct) == (8, 5)
    (row,) = found.parts
    assert (row.correct, row.excluded, row.one_key) == (11, 6, 0)
    assert row.rest + row.pattern == 5


def test_an_excluded_value_is_no_guess_either():
    # Single is said of six young people and married of three old ones who are left; single, said of
    # the old in the south, is excluded. Nine of fourteen are single.
    claim = fourteen(at_least=5, exclude=["t=single@age=old"]).row_of("t", 1)
    assert claim.at_random == pytest.approx(6 * 9 / 14 + 3 * 5 / 14)


def as_rows(given) -> list:
    return [((*one[:-1],), one[-1]) for one in given]


def folds_of(file, seed, name, n_folds) -> list[int]:
    """The fold of each person, drawn cell by cell in the order of the cells."""
    cells = sorted(set(file))
    n = np.array([file.count(cell) for cell in cells])
    drawn = stream(seed, "folds", name).multinomial(n, np.full(n_folds, 1 / n_folds))
    left = {
        cell: np.repeat(np.arange(n_folds), k).tolist()
        for cell, k in zip(cells, drawn, strict=True)
    }
    return [left[row].pop() for row in file]


@pytest.mark.parametrize("seed", range(12))
def test_every_rule_agrees_with_the_oracle(seed, monkeypatch):
    # As many rounds as the oracle: without an early end both come to the same digits.
    monkeypatch.setattr(pattern, "ROUNDS", 25)
    monkeypatch.setattr(pattern, "CLOSE", 0.0)
    rng = Random(seed)
    n_keys, n_files = rng.randint(1, 3), rng.randint(1, 3)
    levels = [rng.randint(1, 3) for _ in range(n_keys)] + [rng.randint(1, 4)]

    def draw(n):
        return [tuple("abcd"[rng.randrange(k)] for k in levels) for _ in range(n)]

    original, copies = draw(rng.randint(5, 40)), [draw(rng.randint(1, 30)) for _ in range(n_files)]
    names = [f"k{i}" for i in range(n_keys)]
    frames = [pl.DataFrame(one, schema=[*names, "t"], orient="row") for one in (original, *copies)]
    at_least = rng.choice([1, 3, 6])
    record = unveil.claims(frames[0], frames[1:], keys=names, targets="t", at_least=at_least).record
    file, files = as_rows(original), [as_rows(copy) for copy in copies]
    pooled = [row for one in files for row in one]
    expected = oracle.expected_of(file, folds_of(file, 1, "t", 5), 25, at_least)

    def near(source, tau):
        return lambda key: oracle.near(oracle.matching(source, key), tau)

    for row in record.rows:
        tau = Fraction(str(row.certainty)) if row.certainty else Fraction(1)
        source = files[row.copy - 1] if isinstance(row.copy, int) else pooled
        rule = {
            "single_value": near(source, Fraction(1)),
            "near_certain": near(source, tau),
            "most_common": lambda key, file=source: oracle.modal(oracle.matching(file, key)),
            "agreed": lambda key: oracle.agreed(files, key),
            "some_file": lambda key: oracle.some_file(files, key),
            "best_of_copies": None,
        }[row.rule]
        if row.rule == "best_of_copies":
            rule = oracle.best_of_copies(file, files, tau)
        elif row.copy == "mean":
            rule = lambda key: oracle.mean_of_sets(files, 1, key, Fraction(1))  # noqa: E731
        wanted = oracle.score(file, rule, expected)
        assert {name: getattr(row, name) for name in wanted} == pytest.approx(wanted, abs=1e-6)
    check_parts(record, file, files, expected, at_least)


def check_parts(record, file, files, expected, at_least):
    row = record.parts[0]
    wanted = {"marginal": 0, "one_key": 0, "two_keys": 0, "pattern": 0, "rest": 0}
    for key, target in file:
        (value, *_) = [*oracle.near(oracle.matching(files[0], key), Fraction(1)), None]
        if value == target:
            part = oracle.explain(file, key, value, 0.8, at_least)[0]
            by_pattern = oracle.taught_by_pattern(file, expected, key, value) >= 0.8 - 1e-9
            wanted[part or ("pattern" if by_pattern else "rest")] += 1
    assert {name: getattr(row, name) for name in wanted} == wanted


def test_pattern_and_rest_are_told_apart_as_the_oracle_does(monkeypatch):
    """Of two keys that each say 60 to 75 %, both together may say more than 80 %, or may not."""
    monkeypatch.setattr(pattern, "ROUNDS", 25)
    monkeypatch.setattr(pattern, "CLOSE", 0.0)
    found = {"pattern": 0, "rest": 0}
    for seed in range(10):
        rng = Random(seed)
        keys = [tuple(rng.choice("ab") for _ in range(4)) for _ in range(90)]
        file = [(key, "y" if rng.random() < 0.1 + 0.2 * key.count("a") else "n") for key in keys]
        copy = [(key, "y" if key.count("a") > 1 else "n") for key in set(keys)]
        frames = [
            pl.DataFrame([(*key, t) for key, t in one], schema=[*"kmno", "t"], orient="row")
            for one in (file, copy)
        ]
        record = unveil.claims(*frames, keys=[*"kmno"], targets="t", at_least=5).record
        expected = oracle.expected_of(file, folds_of(file, 1, "t", 5), 25, 5)
        check_parts(record, file, [copy], expected, 5)
        found = {name: n + getattr(record.parts[0], name) for name, n in found.items()}
    assert min(found.values()) > 50


# Laws


def survey(seed, n=300):
    rng = np.random.default_rng(seed)
    made = {"a": rng.integers(0, 4, n), "b": rng.integers(0, 3, n), "c": rng.integers(0, 6, n)}
    made["t"] = (made["a"] + rng.integers(0, 3, n)) % 4
    return pl.DataFrame(made).with_columns(pl.all().cast(pl.String))


KEYS = ["a", "b", "c"]


@pytest.mark.parametrize("seed", range(4))
def test_laws(seed):
    original, copy, other = survey(seed), survey(seed + 10), survey(seed + 20)
    found = unveil.claims(original, [copy, other], keys=KEYS, targets="t").record
    measured = unveil.disclosure(original, [copy, other], keys=KEYS, targets="t")
    for row in found.rows:
        assert 0 <= row.correct <= row.claimed <= row.n
        assert -1e-9 <= row.expected <= row.claimed + 1e-9
        assert row.low <= row.adds <= row.high
        assert row.correct - row.expected == pytest.approx(row.adds)
    by = {(row.copy, row.rule, row.certainty): row for row in found.rows}
    for figures in measured.attribute:
        row = by[figures.copy, "single_value", None]
        assert row.percent("claimed") == pytest.approx(figures.DiS)
        assert row.percent("correct") == pytest.approx(figures.DiSCO)
    for copy_ in (1, 2, "pooled"):
        steps = [by[copy_, "single_value", None]]
        steps += [by[copy_, "near_certain", tau] for tau in (0.95, 0.9, 0.8)]
        assert [row.claimed for row in steps] == sorted(row.claimed for row in steps)
        assert [row.correct for row in steps] == sorted(row.correct for row in steps)
    some = by["pooled", "some_file", None].correct
    assert by["pooled", "single_value", None].correct <= some
    assert by["pooled", "single_value", None].correct <= by["pooled", "agreed", None].correct
    for tau in (0.95, 0.9, 0.8):
        best = by["pooled", "best_of_copies", tau].correct
        assert best >= by["pooled", "near_certain", tau].correct
        assert best >= by[1, "near_certain", tau].correct  # it may put the second file aside
    for row in found.parts:
        parts = ("excluded", "declared", "marginal", "one_key", "two_keys", "pattern", "rest")
        assert sum(getattr(row, part) for part in parts) == row.correct


@pytest.mark.parametrize("seed", range(6))
def test_more_files_never_lower_the_best_of_copies_or_some_file(seed):
    rng = Random(seed)

    def draw(n):
        return [rng.choice("ab") + rng.choice("xyz") + rng.choice("pqr") for _ in range(n)]

    original, files = draw(30), [draw(rng.randint(4, 12)) for _ in range(8)]
    keys = {row[:2] for file in (original, *files) for row in file}
    cells = sorted(key + value for key in keys for value in "pqr")
    starts = np.arange(0, len(cells) + 1, 3)
    d_tq, *s_tq = (np.array([file.count(cell) for cell in cells]) for file in (original, *files))
    for tau in (0.5, 0.8, 1.0):
        best = [best_of_copies(s_tq[:m], starts, d_tq, tau)[0] @ d_tq for m in range(1, 9)]
        assert best == sorted(best)
    some = [some_file([single_value(s, starts) for s in s_tq[:m]]) @ d_tq for m in range(1, 9)]
    assert some == sorted(some)


@pytest.mark.parametrize("seed", range(3))
def test_a_higher_certainty_moves_values_only_to_later_parts(seed):
    original, copy = survey(seed), survey(seed + 10)
    before = None
    for certainty in (0.6, 0.75, 0.9, 1.0):
        (row,) = unveil.claims(
            original, copy, keys=KEYS, targets="t", certainty=certainty
        ).record.parts
        parts = np.cumsum([row.marginal, row.one_key, row.two_keys, row.pattern])
        assert before is None or (parts <= before).all()
        before = parts


def test_the_order_of_rows_and_names_of_levels_change_no_count():
    original, copy = survey(1), survey(2)
    plain = unveil.claims(original, copy, keys=KEYS, targets="t").rows
    shuffled = unveil.claims(
        original.sample(fraction=1, shuffle=True, seed=3), copy.reverse(), keys=KEYS, targets="t"
    ).rows
    assert shuffled == plain
    renamed = [
        one.with_columns(pl.col("t").replace({"0": "z", "1": "y"})) for one in (original, copy)
    ]
    for row, other in zip(unveil.claims(*renamed, keys=KEYS, targets="t").rows, plain, strict=True):
        assert (row.claimed, row.correct) == (other.claimed, other.correct)
        assert row.at_random == pytest.approx(other.at_random)


def test_raked_tables_are_those_wanted(monkeypatch):
    monkeypatch.setattr(pattern, "ROUNDS", 500)
    monkeypatch.setattr(pattern, "CLOSE", 1e-12)
    rng = np.random.default_rng(5)
    codes = tuple(np.array(one) for one in np.indices((3, 4)).reshape(2, -1))
    q, t = rng.integers(0, 12, 200), rng.integers(0, 3, 200)
    cells = KeyedCells(codes, q, t, np.ones(200, np.int64), 3)
    P = rake(cells, [(0,), (1,)]).share(*np.ix_(range(12), range(3)))
    assert P.sum(axis=1) == pytest.approx(1)
    assert P.min() >= 0
    for key in codes:
        for level in range(key.max() + 1):
            raked = (cells.d_q[key == level, None] * P[key == level]).sum(axis=0)
            assert raked == pytest.approx(np.bincount(t[key[q] == level], minlength=3))


@pytest.mark.parametrize("at_a_time", [1, 7, 2**15])
@pytest.mark.parametrize("dense", [0, 16, 2**16])
@pytest.mark.parametrize(
    "margins", [[(0,), (1,), (2,)], [(1,), (0,)], [(0, 1), (1, 2)], [(2,), (0, 1)], [()]]
)
def test_raking_on_any_tables_is_that_of_the_oracle(monkeypatch, margins, dense, at_a_time):
    monkeypatch.setattr(pattern, "CHUNK", at_a_time)
    monkeypatch.setattr(pattern, "IN_CACHE", at_a_time)
    monkeypatch.setattr(pattern, "DENSE", dense)
    monkeypatch.setattr(pattern, "ALWAYS_DENSE", dense)
    monkeypatch.setattr(pattern, "CLOSE", 0)
    rng = np.random.default_rng(len(margins))
    codes = tuple(np.array(one) for one in np.indices((3, 2, 4)).reshape(3, -1))
    keys = [tuple(map(int, key)) for key in zip(*codes, strict=True)]
    q, t = rng.integers(0, 20, 60), rng.integers(0, 3, 60) % rng.integers(1, 4, 60)
    # And keys that contradict each other: to some combinations no value is left.
    is_told = (codes[0][q] == codes[1][q]) | (codes[0][q] == 2)
    by_keys = np.where(codes[0][q] == 2, 1 + t % 2, codes[0][q])
    for who, what in ((q, t), (q[is_told], by_keys[is_told])):
        raked = rake(KeyedCells(codes, who, what, np.ones(len(who), np.int64), 3), margins)
        told = [(keys[one], int(value)) for one, value in zip(who, what, strict=True)]
        P = oracle.rake(keys, told, margins, pattern.ROUNDS)
        wanted = np.array([[P[key].get(value, 0) for value in range(3)] for key in keys])
        found = raked.share(*np.ix_(range(24), range(3)))
        assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("n_alone", [1, 2, 4])
def test_values_beyond_the_room_share_a_column_by_how_many_people_have_them(monkeypatch, n_alone):
    rng = np.random.default_rng(n_alone)
    codes = tuple(np.array(one) for one in np.indices((3, 3)).reshape(2, -1))
    q = np.append(rng.integers(0, 7, 89), 7)
    t = rng.permutation(np.repeat(range(5), (34, 26, 17, 12, 1)))
    cells, margins = KeyedCells(codes, q, t, np.ones(90, np.int64), 5), [(0,), (1,)]
    is_wanted = np.arange(9) == 8  # which nobody has
    monkeypatch.setattr(pattern, "ROOM", 9 * (n_alone + 1))
    P = publish(cells, margins, is_wanted).share(*np.ix_(range(9), range(5)))
    lumped = replace(cells, t=np.minimum(t, n_alone), n_levels=n_alone + 1)
    wanted = rake(lumped, margins).share(*np.ix_(range(9), range(n_alone + 1)))
    assert P[:, :n_alone] == pytest.approx(wanted[:, :n_alone])
    of_column = cells.d_t[n_alone:] / cells.d_t[n_alone:].sum()
    assert P[:, n_alone:] == pytest.approx(np.outer(wanted[:, n_alone], of_column))
    found = publish(cells, margins).share(*np.ix_(range(9), range(5)))
    assert found[:8] == pytest.approx(P[:8])
    assert not found[8].any()


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"public": "age+"}, SettingsError),
        ({"public": "age+nothing"}, RolesError),
        ({"certainty": 0.4}, SettingsError),
        ({"at_least": 0}, SettingsError),
    ],
)
def test_wrong_settings_are_refused_in_a_sentence(settings, error):
    with pytest.raises(error):
        fourteen(**settings)


def test_records_of_nobody_claim_nothing():
    found = rows(ORIGINAL, ["zzp", "axp"])
    assert found[1, "single_value", None].claimed == 2


def plain_of(original, copies):
    return unveil.disclosure(original, copies, keys=KEYS, targets="t")


def test_disclosure_says_what_is_expected_where_it_is_asked():
    original, copies = survey(1), [survey(2), survey(3)]
    asked = unveil.disclosure(original, copies, keys=KEYS, targets="t", expected=True)
    scored = unveil.claims(original, copies, keys=KEYS, targets="t").rows
    assert asked.record.claims == tuple(row for row in scored if row.rule == "single_value")
    explained = unveil.claims(original, copies, keys=KEYS, targets="t").record
    full = plain_of(original, copies).with_expected(has_parts=True).record
    assert (full.claims, full.parts) == (asked.record.claims, explained.parts)
    assert full.groups == tuple(one for one in explained.groups if one.copy == "pooled")
    for row in full.parts:  # the parts add up to DiSCO
        found = full.attribute_of("t", row.copy).DiSCO
        assert 100 * row.correct / original.height == pytest.approx(found)
    assert [row.copy for row in asked.record.claims] == [1, 2, "mean", "pooled"]
    plain = unveil.disclosure(original, copies, keys=KEYS, targets="t")
    assert plain.record.claims == ()
    assert plain.record.find_claim("t", "mean") is None
    assert asked.whatif("t=1").record.claims == ()  # a what-if counts nothing again
    excluded = unveil.disclosure(
        original, copies, keys=KEYS, targets="t", exclude="t=1", expected=True
    )
    for row in excluded.attribute:
        claim = excluded.record.find_claim("t", row.copy)
        assert claim is not None
        assert claim.percent("correct") == pytest.approx(row.DiSCO)
        assert claim.percent("claimed") == pytest.approx(row.DiS)

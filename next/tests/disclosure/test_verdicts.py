"""Releases that disclose end with 3 or 4, honest ones with 0 or, of too few people, with 4."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.results import exit_code

N = 2_000


def people(seed, *, keys=(20, 10, 8), values=5, n=N):
    """A target that depends on two of the keys."""
    random = np.random.default_rng(seed)
    codes = {f"key {place}": random.integers(0, size, n) for place, size in enumerate(keys)}
    pattern = sum(list(codes.values())[:2]) % values
    own = np.where(random.random(n) < 0.7, pattern, random.integers(0, values, n))
    return pl.DataFrame(codes | {"target": [f"value {value}" for value in own]})


def status(original, synthetic, limit=3, **settings):
    columns = settings.pop("columns", {})
    keys = [name for name in original.columns if name.startswith("key")]
    study = unveil.Study(original, synthetic, keys=keys, targets="target", columns=columns)
    checks = unveil.disclosure(study, seed=1, **settings).check({"beyond": limit})
    return exit_code(checks)


def shuffled(frame):
    return frame.with_columns(pl.col("target").shuffle(seed=1))


@pytest.mark.parametrize("seed", range(3))
def test_people_who_are_somebody_else_are_within(seed):
    assert status(people(seed), people(seed + 50)) == 0
    assert status(people(seed), shuffled(people(seed))) == 0
    assert status(people(seed), people(seed + 50, n=3 * N)) == 0


@pytest.mark.parametrize("seed", range(3))
def test_copies_are_above(seed):
    original = people(seed)
    assert status(original, original) == 3
    assert status(original, pl.concat([original] * 3)) == 3
    half = pl.concat([original[: N // 2], people(seed + 50)[N // 2 :]])
    assert status(original, half, limit=1) == 3
    assert status(original, {"good": people(seed + 50), "bad": original}) == 3
    assert status(original, [people(seed + 50), original]) == 3


@pytest.mark.parametrize("seed", range(3))
def test_a_copy_is_above_where_few_people_share_their_keys(seed):
    """The few who do say nothing of all the others: in the self-test, they look like strangers."""
    random = np.random.default_rng(seed)
    place, value = np.arange(N), random.integers(0, 2, N)
    place[1:100:2], value[1:100:2] = place[0:100:2], value[0:100:2]  # 5 % have a twin
    keys = {"key 1": place // 50, "key 2": place % 50}
    original = pl.DataFrame(keys | {"target": [f"value {v}" for v in value]})
    assert status(original, original) == 3


def numbers(seed):
    random = np.random.default_rng(seed)
    keys = {"key 1": random.integers(0, 60, N), "key 2": random.integers(0, 40, N)}
    return pl.DataFrame(keys | {"target": np.round(random.normal(30_000, 8_000, N))})


@pytest.mark.parametrize("exclude", [(), ("missing-targets",)])
def test_numbers_that_were_moved_a_little_are_above_and_those_of_strangers_are_not(exclude):
    columns = {"target": unveil.Column(tolerance=4_000)}
    original, moved = numbers(1), numbers(1).with_columns(pl.col("target") + 1)
    assert status(original, moved, columns=columns, exclude=exclude) == 3
    assert status(original, shuffled(original), columns=columns, exclude=exclude, limit=5) == 0
    assert status(original, numbers(2), columns=columns, exclude=exclude, limit=5) == 0


def test_a_key_that_was_shuffled_does_not_hide_a_copy_from_sets_of_keys():
    original = people(1, keys=(300, 100, 50))
    hidden = original.with_columns(pl.col("key 2").shuffle(seed=1))
    assert status(original, hidden) != 3
    keys = ["key 0", "key 1", "key 2"]
    study = unveil.Study(original, hidden, keys=keys, targets="target")
    assert exit_code(unveil.key_sets(study, seed=1).check({"beyond": 1})) == 3


def test_a_control_sample_that_discloses_everyone_leaves_no_one_for_R():
    same = people(1).with_columns(target=pl.lit("value"))
    keys = ["key 0", "key 1", "key 2"]
    study = unveil.Study(same, same, control=same, keys=keys, targets="target")
    assert exit_code(unveil.excess(study, figures="DiSCO").check({"R": 0.1})) == 0

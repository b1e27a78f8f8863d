"""Recognition of releases whose best attack is known, and its figures beside enumerations."""

from fractions import Fraction
from math import log
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from msgspec import structs

import unveil
from attacks.test_verdicts import people, study
from oracles import recognition as oracle
from unveil.measures.attacks import recognition as measured
from unveil.models.intervals import auc

FILES = people(300, 1), people(200, 2)


def recognise(synthesiser, worlds=200, tested=25, **settings):
    files = study(FILES[0], None, FILES[1])
    result = unveil.recognition(files, synthesiser, worlds=worlds, people=tested, **settings)
    return result.recognition[0], result


def resample(data, seed):
    return data.frame.sample(fraction=1, with_replacement=True, seed=seed)


def ignore(data, seed):
    return people(len(data.frame), seed)


def plant(data, seed):
    """A release of strangers, and of whoever is 1 year old if they are in."""
    strangers = ignore(data, seed).cast(data.frame.schema).select(data.frame.columns)
    return pl.concat([strangers, data.frame.filter(pl.col("age") == 1)])[-len(data.frame) :]


def test_a_release_that_ignores_the_data_shows_nobody():
    row, result = recognise(ignore)
    assert pytest.approx(0.5, abs=0.03) == row.AUC
    assert (row.shown, row.epsilon) == (0, 0)
    assert row.hit_rate < 0.05
    assert "show of 0 of 25 people" in result.sentences[0]


def test_records_drawn_with_replacement_are_recognised_as_well_as_can_be():
    row, result = recognise(resample)
    assert pytest.approx(oracle.resampling_auc(300), abs=0.03) == row.AUC
    assert row.self_test == pytest.approx(0.5, abs=0.03)
    assert row.false_alarms < 0.03
    for figure in (f"{row.AUC:.3f}", f"{row.self_test:.3f}", f"{100 * row.hit_rate:.1f} %"):
        assert figure in result.sentences[0]


def test_a_copy_is_recognised_always_and_epsilon_is_as_high_as_worlds_allow():
    row, _ = recognise(lambda data, seed: data.frame)
    assert (row.AUC, row.shown, row.hit_rate) == (1, 25, 1)
    most = log(0.001 ** (1 / 50) / (1 - 0.001 ** (1 / 50)))  # 50 worlds with, 50 without
    assert row.epsilon == pytest.approx(most)


def test_one_planted_record_is_found_among_all_tested():
    original = people(21, 3).with_columns(age=pl.Series([1, *range(30, 50)]))
    files = study(original, None, FILES[1])
    result = unveil.recognition(files, plant, worlds=200, people=21)
    assert result.recognition[0].shown == 1
    assert result.recognition[0].self_test == pytest.approx(0.5, abs=0.03)


def test_the_synthesiser_of_this_package_can_be_asked():
    def synthesise(data, seed):
        made = unveil.synthesise(unveil.Study(data), leaf=(5, 10), seed=seed)
        return made.study.synthetic["", 1]

    row, _ = recognise(synthesise, worlds=20, tested=5)
    assert (row.people, row.worlds) == (5, 20)
    assert row.self_test == pytest.approx(0.5, abs=0.25)


def test_people_with_a_double_are_counted():
    original = pl.concat([FILES[0], FILES[0][:30]])
    files = study(original, None, FILES[1])
    row = unveil.recognition(files, resample, worlds=20, people=100, seed=3).recognition[0]
    assert 5 <= row.doubles <= 35


def test_where_the_self_test_fails_nothing_else_is_shown():
    coins = np.tile(np.arange(40)[:, None] < 20, 6)
    scores = coins * np.arange(1.0, 41)[:, None]  # phantoms too
    pool = SimpleNamespace(k=3, n_doubles=0)
    row = measured._row(scores, coins, pool, 80, 0.95)
    assert (row.self_test, row.AUC, row.shown, row.epsilon) == (1, None, None, None)
    _, result = recognise(resample, worlds=20)
    failed = structs.replace(result, recognition=(row,))
    assert failed.sentences == (
        "Nothing is measured: people in no world have an AUC of 1.000, and 0.5 is expected.",
    )


def test_a_synthesiser_is_given_all_columns_and_fourteen_are_looked_at():
    def wide(n, seed):
        random = np.random.default_rng(seed)
        return pl.DataFrame({f"column {k}": random.integers(k + 2, size=n) for k in range(17)})

    def check(data, seed):
        assert data.frame.columns == wide(1, 1).columns
        return data.frame

    files = unveil.Study(wide(30, 1), control=wide(20, 2), keys="column 0")
    result = unveil.recognition(files, check, worlds=20, people=3)
    assert result.recognition[0].AUC == 1


def test_fewer_are_tested_than_asked_where_the_control_sample_is_small():
    files = study(FILES[0], None, FILES[1][:9])
    result = unveil.recognition(files, resample, worlds=20)
    assert result.recognition[0].people == 4
    assert "4 are tested, not 100" in result.notes[-1].sentence
    with pytest.raises(unveil.InputError, match="too few people"):
        unveil.recognition(study(FILES[0], None, FILES[1][:1]), resample)
    with pytest.raises(unveil.InputError, match="control sample"):
        unveil.recognition(study(FILES[0], None, None), resample)


def test_counts_are_those_of_every_set_of_columns():
    """Agreement of 123 with 123, 124, 153 and 623: as in the design, by hand."""
    rows = [(1, 2, 3), (1, 2, 4), (1, 5, 3), (6, 2, 3)]
    agrees = np.array([[row[j] == (1, 2, 3)[j] for row in rows] for j in range(3)])
    by_hand = [3, 3, 2, 3, 2, 2, 1, 1, 4, 4]  # sets by their bits, then 3, 2 and 1 columns or more
    assert measured._counts(agrees).tolist() == by_hand
    largest = oracle.counts((1, 2, 3), rows, lambda j, ours, theirs: ours == theirs)
    assert sorted(by_hand) == sorted(largest)


def test_figures_are_those_of_the_definitions():
    random = np.random.default_rng(1)
    scores = random.integers(0, 6, size=(40, 3)).astype(float) - 1
    sides = [(scores[:20, k].tolist(), scores[20:, k].tolist()) for k in range(3)]
    for ours, others in sides:
        value, error = auc(np.array(ours), np.array(others))
        assert value == pytest.approx(float(oracle.auc(ours, others)))
        exact = [[Fraction(score) for score in side] for side in (ours, others)]
        assert error**2 == pytest.approx(float(oracle.auc_variance(*exact)))
    bounds = [
        oracle.epsilon_bound(
            sum(s > 2 for s in ours), 20, sum(s > 2 for s in others), 20, 0.05 / 3
        )
        for ours, others in sides
    ]  # fmt: skip
    pairs = [tuple(map(np.array, side)) for side in sides]
    assert measured._epsilon(pairs, 0.95) == pytest.approx(max(bounds), abs=1e-9)
    ours, others = ([s for side in sides for s in side[place]] for place in (0, 1))
    hits, alarms = measured._called(pairs + pairs, 3)
    assert hits == float(oracle.hit_rate(ours, others, Fraction(1, 100)))
    assert alarms == sum(s > max(others) for s in ours + others) / 120

"""GCAP: by hand, against comparing every pair, and whichever way the nearest are searched."""

import math

import polars as pl
import pytest
from hypothesis import HealthCheck, given

from measure.small import ORIGINAL, SYNTHETIC, people
from oracles import taub
from oracles.compare import assert_agrees
from profiles import examples
from scenarios import scenarios
from unveil.measure.cap import gcap as nearest
from unveil.measure.cap.cap import cap
from unveil.measure.cap.gcap import gcap

unhurried = [HealthCheck.too_slow, HealthCheck.data_too_large]
COUNTED, COMPARED = 0.0, math.inf
"""What counting costs: nothing, so that no pairs are compared; or so much that all are."""


@pytest.fixture(params=[COUNTED, COMPARED], ids=["counted", "compared"])
def search(request, monkeypatch):
    monkeypatch.setattr(nearest, "COUNTING", request.param)


def measured(original, *copies):
    frames = [people(copy) for copy in copies]
    return gcap(people(original), frames, keys=["k1", "k2"], target="t")


def test_by_hand(search):
    # All but b x as CAP: 1, 0, 0, ½, ½. b x is one key away from a x p twice, b y q, b y p and
    # c x p: one q of five.
    found = measured(ORIGINAL, SYNTHETIC)
    assert found.record.gcap == pytest.approx(11 / 30)
    assert (found.record.n_match, found.record.mean_distance) == (5, pytest.approx(1 / 6))
    scores = found.scores()
    assert scores["gcap"].to_list() == pytest.approx([1, 0, 0, 0.2, 0.5, 0.5])
    assert scores["distance"].to_list() == [0, 0, 0, 1, 0, 0]
    assert scores["nearest"].to_list() == [2, 2, 1, 5, 2, 2]


def test_as_far_as_all_keys(search):
    found = measured(["axp", "byq"], ["axq", "azp"])  # b y has nothing in common with either
    assert found.scores()["distance"].to_list() == [0, 2]
    assert found.record.gcap == pytest.approx((0 + 0.5) / 2)


def test_with_a_match_for_everyone_it_is_the_cap():
    files = people(ORIGINAL), people([*SYNTHETIC, "bxq"])
    asked = {"keys": ["k1", "k2"], "target": "t"}
    row = cap(*files, **asked).rows[0]
    assert (
        gcap(*files, **asked).record.gcap == row.cap_synthetic_zero == row.cap_synthetic_undefined
    )


def test_copies_are_pooled(search):
    rows = measured(ORIGINAL, SYNTHETIC, ["bxq"]).rows
    assert [row.m for row in rows] == [1, 2]
    assert rows[1].gcap == pytest.approx((1 + 0 + 0 + 1 + 0.5 + 0.5) / 6)


def test_missing_differs_from_any_value_by_one_key(search):
    original = pl.DataFrame({"k1": [None, "a"], "k2": ["x", "y"], "t": ["p", "q"]})
    copy = pl.DataFrame({"k1": ["a", None], "k2": ["x", "z"], "t": ["p", "q"]})
    scores = gcap(original, copy, keys=["k1", "k2"], target="t").scores()
    assert scores["gcap"].to_list() == [0.5, 0.0]
    assert scores["distance"].to_list() == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("block", [nearest.PAIRS, 7])
@examples(60, suppress_health_check=unhurried)
@given(scenarios(max_levels=3, plain=True))
def test_every_figure_equals_its_story(block, scenario):
    target = scenario.targets[0]
    original, *copies = scenario.files(target)
    before = nearest.PAIRS, nearest.COUNTING
    for cost in (COUNTED, COMPARED):
        nearest.PAIRS, nearest.COUNTING = block, cost
        try:
            rows = gcap(
                scenario.original, list(scenario.copies), keys=scenario.keys, target=target
            ).rows
        finally:
            nearest.PAIRS, nearest.COUNTING = before
        for found, pool in zip(rows, taub.pools(copies), strict=True):
            score, distance = _story(original, pool)
            expected = {"gcap": score, "mean_distance": distance}
            assert_agrees(found.to_dict(), expected, f"m = {found.m}")


def _story(original, pool):
    return taub.gcap(
        [(key, (value,)) for key, value in original], [(key, (value,)) for key, value in pool]
    )

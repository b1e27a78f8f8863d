"""Figures of people beside enumeration, plain loops, and other calls."""

from itertools import combinations
from random import Random

import numpy as np
import polars as pl
import pytest

import unveil
from gate.files import people
from oracles.links import link
from unveil.results import ALONE, COMPLETE, NEARLY

N = 1_000


def figure(result, what, kind="records"):
    rows = [f for f in result.figures if f.what == what and f.kind == kind]
    (row,) = [f for f in rows if f.symbol != "exceptions"]
    return row


def small(rows, seed, levels=(2, 2, 3)):
    chance = Random(seed)
    return [tuple(chance.randrange(k) for k in levels) for _ in range(rows)]


def as_frame(rows):
    return pl.DataFrame(rows, ["a", "b", "c"], orient="row")


def n_differing(one, other):
    return sum(a != b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("m", [3, 6, 7, 14])
def test_real_records_are_as_by_enumeration(seed, m):
    """Expected: over all ways in which m of the others could be the records."""
    originals, records = small(8, seed), small(m, seed + 50)
    result = unveil.assess(unveil.Study(as_frame(originals), as_frame(records)))
    for what, most in ((COMPLETE, 0), (NEARLY, 1)):
        row = figure(result, what)
        met = [any(n_differing(person, r) <= most for r in records) for person in originals]
        assert row.people == sum(met)
        expected = 0.0
        for place, person in enumerate(originals):
            others = originals[:place] + originals[place + 1 :]
            draws = list(combinations(others, min(m, len(others))))
            hits = [any(n_differing(person, r) <= most for r in draw) for draw in draws]
            expected += np.mean(hits) * max(1, m / len(others))
        expected = min(8, expected)
        assert row.expected == pytest.approx(expected)
        assert row.beyond == pytest.approx(sum(met) - expected)
        assert (row.of, row.reach) == (8, pytest.approx(8 - expected))


def test_who_is_like_nobody_else_counts_apart():
    """Two people are twins and a third is like them; two others are twins, and one is alone."""
    rows = [(0, 0, 0), (0, 0, 0), (0, 0, 1), (1, 1, 2), (1, 1, 2), (1, 0, 0)]
    alone = [*rows, (5, 5, 5)]
    row = figure(unveil.assess(unveil.Study(as_frame(alone), as_frame(alone))), ALONE)
    assert row.people == 1  # (5, 5, 5) alone; (1, 1, 2) have each other
    assert row.expected == pytest.approx(2 * 7 / 6)  # the pair of twins whom nobody is like


def test_the_margin_of_real_records_counts_people_met_together():
    """1.96 times the root of the larger: 2 a person met or not, or whole cells of equal people."""
    originals = as_frame([(0, 0, 0)] * 4 + [(1, 1, 2)])
    row = figure(unveil.assess(unveil.Study(originals, as_frame([(0, 0, 0)] * 4))), COMPLETE)
    assert (row.people, row.expected) == (4, pytest.approx(4))
    assert row.margin == pytest.approx(0, abs=1e-6)
    nobody = unveil.assess(unveil.Study(originals, as_frame([(1, 0, 1)] * 4)))
    assert figure(nobody, COMPLETE).margin == pytest.approx(1.96 * 16**0.5)  # all four, or none


@pytest.mark.parametrize("seed", range(3))
def test_links_are_as_by_plain_loops_and_by_disclosure(seed):
    chance = Random(seed)
    names = ["a", "b", "c", "d"]

    def draw(n):
        return [tuple(chance.randrange(k) for k in (3, 5, 4, 2)) for _ in range(n)]

    originals, records = draw(60), draw(59)
    records[:30] = originals[:30]
    study = unveil.Study(
        *(pl.DataFrame(rows, names, orient="row") for rows in (originals, records))
    )
    result = unveil.assess(study)
    sets = [by for size in (2, 3) for by in combinations(range(4), size)]
    for target, name in enumerate(names):
        row = figure(result, name, "links")
        by_loops = {by: link(originals, records, by, target) for by in sets if target not in by}
        best = max(by_loops.values(), key=lambda f: f[0] - f[1] - 2.5 * f[2])
        assert (row.people, row.expected, row.margin) == pytest.approx(best)
        keys = row.by.split(", ")
        shown = unveil.disclosure(study.replace(keys=keys, targets=name), expected=False)
        assert row.people == shown.attribute[0].correct


def test_key_rows_are_those_of_disclosure():
    study = unveil.Study(people(N, 1), people(N, 2), keys=("sex", "age"), targets=("illness",))
    assessed = figure(unveil.assess(study, seed=3), "illness", "keys")
    row = unveil.disclosure(study, seed=3).attribute[0]
    assert (assessed.people, assessed.expected, assessed.reach) == (
        row.correct, row.expected, row.reach,
    )  # fmt: skip
    assert assessed.symbol == "DiSCO"


def test_a_control_sample_gives_what_is_expected():
    """Half of the control sample stands in the data: so should half of the people."""
    original, control = people(N, 1), people(400, 2)
    synthetic = pl.concat([people(800, 3), control[:200]])
    study = unveil.Study(original, synthetic, control=control, keys=("sex", "age", "region"))
    result = unveil.assess(study)
    assert figure(result, COMPLETE).expected == pytest.approx(N / 2, abs=5)
    unique = figure(result, "unique in both files", "uniques")
    keys = ["sex", "age", "region"]

    def count(frame):
        return frame.group_by(keys).len()

    both = control.join(count(synthetic), on=keys).filter(pl.col("len") == 1)
    strangers = both.join(original.select(keys).unique(), on=keys, how="anti")
    assert unique.expected == pytest.approx(N * len(strangers) / len(control))


def test_people_with_several_rows_are_met_once_and_not_by_their_own_rows():
    """Each has the same record twice: one's own other row is no twin."""
    twice = pl.concat([people(N, 1).with_row_index("pid")] * 2)
    study = unveil.Study(twice, people(N, 2), columns={"pid": "person"})
    row = figure(unveil.assess(study), COMPLETE)
    assert (row.of, row.people, row.expected) == (N, 0, 0)
    copied = unveil.assess(study.replace(synthetic=twice.drop("pid")))
    assert figure(copied, COMPLETE).people == N


def test_sensitive_values_stand_beside_the_shares_alone():
    frame = people(N, 1)
    columns = {"illness": {"sensitive": ("heart",)}}
    study = unveil.Study(frame, frame, keys=("sex", "age", "region", "visits"), columns=columns)
    row = figure(unveil.assess(study), "illness=heart", "sensitive")
    share = (frame["illness"] == "heart").mean()
    shown = unveil.disclosure(study, expected=False).sensitive[0]
    assert row.expected == pytest.approx((shown.correct + shown.falsely_shown) * share)
    assert (row.people, row.of, row.status) == (shown.correct, shown.of, "to be decided")
    limited = unveil.assess(study, limits={"sensitive": 10})
    assert figure(limited, "illness=heart", "sensitive").status == "above limit"


def test_without_sensitive_values_and_keys_that_is_said():
    result = unveil.assess(unveil.Study(people(N, 1), people(N, 2)))
    assert {"keys", "being in the data", "sensitive values"} <= {r.what for r in result.not_tested}

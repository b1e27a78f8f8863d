"""Bounds of boxes by lines and by HiGHS, against every whole table of 12 cells and 7 people."""

import random

import numpy as np
import polars as pl
import pytest

from oracles.plan import EveryTable
from unveil.measure.tables.plan.closure import NO_LIMIT
from unveil.measure.tables.plan.local_programme import LocalProgramme
from unveil.measure.tables.plan.plan import Plan
from unveil.measure.tables.plan.worlds import Worlds

SCHEMES = ("exact", "suppress:3", "suppress:4", "conventional:3", "random:3", "noise:1:zeros")
LEVELS = {"age": (1, 2, 3), "sex": ("f", "m"), "area": ("A", "B")}
COLUMNS = {
    "age": {"range": [1, 3]},
    "sex": {"levels": ["f", "m"]},
    "area": {"levels": ["A", "B"]},
}
EVERY = EveryTable(7, (3, 2, 2))


def random_table(rng, number):
    table = {"name": f"T{number}", "by": [], "where": {}, "publish": rng.choice(SCHEMES)}
    start = rng.choice((1, 1, 2))
    if rng.random() < 0.7:
        table["by"].append("age")
        cuts = [cut for cut in (2, 3) if cut > start and rng.random() < 0.6]
        table["bands"] = {"age": [start, *cuts]}
    if start > 1:
        table["where"]["age"] = f">= {start}"
    if rng.random() < 0.6:
        table["by"].append("sex")
    elif rng.random() < 0.3:
        table["where"]["sex"] = "m"
    if rng.random() < 0.6 or not table["by"]:
        table["by"].append("area")
    margins = rng.choice((None, "same", "exact"))
    if margins is not None:
        table["margins"] = "all"
    if margins == "exact":
        table["publish"] = {"table": table["publish"], "margins": "exact", "total": "exact"}
    return table


def random_plan(seed):
    """Some tables of seven people; one more says nothing but how many there are."""
    rng = random.Random(seed)
    people = {name: [rng.choice(of) for _ in range(7)] for name, of in LEVELS.items()}
    everyone = {"name": "N", "by": ["sex"], "publish": {"table": "noise:7", "total": "exact"}}
    tables = [random_table(rng, number) for number in range(rng.randint(2, 4))]
    used = {
        name for table in (*tables, everyone) for name in (*table["by"], *table.get("where", ()))
    }
    columns = {name: one for name, one in COLUMNS.items() if name in used}
    return Plan.from_tables(
        [*tables, everyone], data=pl.DataFrame(people), columns=columns, seed=seed
    )


def as_oracle_box(plan, ends):
    """A box of the plan by the places of the oracle's columns."""
    box = {"age": (0, 3), "sex": (0, 2), "area": (0, 2)}
    for column, (a, b) in zip(plan.opened.columns, ends.tolist(), strict=True):
        if column.name == "age":
            starts = [max(start, 1) - 1 for start in column.starts]
            box["age"] = starts[a], [*starts, 3][b]
        elif column.name:
            box[column.name] = a, b
    return tuple(box.values())


def oracle_bounds(plan, fitting, box):
    """The fewest and the most people in a box of the plan, over the tables that fit."""
    without = plan.boxes.without(box)
    other = None if without is None else as_oracle_box(plan, without)
    return EVERY.bounds(fitting, as_oracle_box(plan, plan.boxes.ends[box]), other)


def limit(upper):
    return None if upper >= NO_LIMIT else int(upper)


def facts_of(plan):
    facts = plan.facts
    rows = np.flatnonzero(facts.published)
    return [
        (as_oracle_box(plan, facts.boxes.ends[facts.box[i]]), facts.lower[i], limit(facts.upper[i]))
        for i in rows
    ]


def check(seeds):
    """How many boxes there are, and how many of their bounds by lines are not the tightest."""
    n_boxes = n_loose = 0
    for seed in seeds:
        plan = random_plan(seed)
        bounds, is_done = plan.close()
        assert is_done
        fitting = EVERY.fitting(facts_of(plan))
        programme = None
        for box, ends in enumerate(plan.boxes.ends):
            low, high = oracle_bounds(plan, fitting, box)
            lower, upper = int(bounds.lower[box]), int(bounds.upper[box])
            assert lower <= low, (seed, plan.name_box(box))
            assert high <= upper, (seed, plan.name_box(box))
            assert low <= plan.truth[box] <= high
            n_boxes += 1
            is_loose = (lower, upper) != (low, high)
            n_loose += is_loose
            if is_loose or (box + seed) % 50 == 0:
                programme = programme or LocalProgramme.of(plan.opened, range(len(plan.names)))
                without = plan.boxes.without(box)
                found = programme.settle(ends, lower, upper, width=7, until=None, without=without)
                assert (found.lower, found.upper, found.is_tightest) == (low, high, True)
    return n_boxes, n_loose


def test_bounds_by_lines_hold_and_highs_finds_the_tightest():
    n_boxes, n_loose = check(range(150))
    assert n_boxes > 3000
    assert n_loose < n_boxes / 100


@pytest.mark.slow
def test_bounds_hold_in_thousands_of_plans():
    n_boxes, n_loose = check(range(150, 3150))
    assert n_boxes > 60_000
    assert 0 < n_loose < n_boxes / 500


def test_some_tables_never_say_more_than_all_and_their_order_changes_nothing():
    for seed in range(40):
        plan = random_plan(seed)
        bounds, _ = plan.close()
        for without in range(len(plan.names)):
            fewer, _ = plan.close(np.arange(len(plan.names)) != without)
            assert (fewer.lower <= bounds.lower).all()
            assert (fewer.upper >= bounds.upper).all()


def test_each_bound_is_proved_by_its_own_tables():
    for seed in range(40):
        plan = random_plan(seed)
        bounds, _ = plan.close()
        masks = {tuple(one) for one in np.concatenate([bounds.above_by, bounds.below_by]).tolist()}
        for mask in masks:
            tables = np.array([bool(mask[0] >> t & 1) for t in range(len(plan.names))])
            alone, _ = plan.close(tables)
            for by, own, found in (
                (bounds.above_by, bounds.upper, alone.upper),
                (bounds.below_by, bounds.lower, alone.lower),
            ):
                same = (by == np.array(mask, np.uint64)).all(axis=1)
                assert (own[same] == found[same]).all()


def test_a_box_is_the_sum_of_its_pieces():
    for seed in range(20):
        plan = random_plan(seed)
        bounds, _ = plan.close()
        plain = plan.boxes.ends[: plan.boxes.n_plain].tolist()
        places = {tuple(map(tuple, ends)): i for i, ends in enumerate(plain)}
        for box, ends in enumerate(plain):
            for column, (a, b) in enumerate(ends):
                for middle in range(a + 1, b):
                    parts = [
                        places.get(
                            tuple(tuple(run if k == column else one) for k, one in enumerate(ends))
                        )
                        for run in ((a, middle), (middle, b))
                    ]
                    if None not in parts:
                        assert bounds.lower[box] >= bounds.lower[parts].sum()
                        assert bounds.upper[box] <= bounds.upper[parts].sum()


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 120), marks=pytest.mark.slow)])
def test_every_set_of_tables_bounds_boxes_as_its_own_lines_do(seeds):
    """Worlds, which know only what the whole plan proves, against closing each set by itself."""
    n_given = n_lost = 0
    for seed in seeds:
        plan, width = random_plan(seed), seed % 3
        whole, _ = plan.close()
        n_tables = len(plan.names)
        sets = np.arange(1 << n_tables, dtype=np.uint64)[:, None]
        boxes = np.flatnonzero(whole.spare() <= width)
        given = Worlds(plan.facts, plan.batches, whole, width).close(sets, boxes)
        for number, row in enumerate(given):
            alone, _ = plan.close(np.array([bool(number >> t & 1) for t in range(n_tables)]))
            same = (alone.lower == whole.lower) & (alone.upper == whole.upper)
            assert (row == same[boxes]).all(), (seed, number)
        n_given, n_lost = n_given + int(given.sum()), n_lost + int((~given).sum())
    assert min(n_given, n_lost) > 100 * len(seeds)

"""Small tables beside every table of whole numbers that has the same published values."""

import os
import random
from fractions import Fraction
from itertools import product
from math import prod

import pytest

import unveil
from oracles import published as oracle
from oracles import sap as by_definition

MANY = 1000 if os.environ.get("UNVEIL_TESTS") == "all" else 40
SCHEMES = (
    *("exact", "conventional:3", "conventional:4", "random:3", "controlled:3", "up:3", "down:3"),
    *("noise:1", "noise:1:zeros", "suppress:3", "suppress:3:zeros"),
)
SHAPES = ((2, 2), (2, 3), (4,), (2, 2, 2), (5,), (3, 2))


def random_table(seed):
    """A table, its counts, and what is published of it as (cells, least, most)."""
    chance = random.Random(seed)
    shape = chance.choice(SHAPES)
    counts = [min(4, int(chance.expovariate(0.8))) for _ in range(prod(shape))]
    counts[0] += not any(counts)
    dims = tuple("abc"[: len(shape)])
    parts = oracle.parts_of(shape)
    names = {kept: tuple(dims[axis] for axis in kept) for kept in parts}
    publish = {names[kept]: chance.choice(SCHEMES) for kept in parts if kept == parts[0]}
    publish |= {names[kept]: chance.choice(SCHEMES) for kept in parts if chance.random() < 0.5}
    together = "controlled:3" in publish.values()
    publish = dict.fromkeys(publish, "controlled:3") if together else publish
    zeros = [i for i, count in enumerate(counts) if not count]
    levels = list(product(*map(range, shape)))
    said = [", ".join(f"{d}={i}" for d, i in zip(dims, levels[z], strict=True)) for z in zeros[:1]]
    structural = said if chance.random() < 0.3 else []
    table = unveil.PublishedTable(
        nested(counts, shape), dims=dims, publish=publish, structural=structural, seed=seed
    )
    impossible = zeros[:1] if structural else []
    return table, counts, facts_of(table, shape, names, publish, impossible), impossible


def nested(flat, shape):
    if len(shape) == 1:
        return flat
    step = len(flat) // shape[0]
    return [nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def facts_of(table, shape, names, publish, impossible):
    """From the values that may be published, and the rule."""
    frame = table.frame()
    for kept, name in names.items():
        if name not in publish:
            continue
        rest = [dim for dim in table.dims if dim not in name]
        rows = [
            row for row in frame.iter_rows(named=True)
            if all(row[dim] == "total" for dim in rest) and "total" not in [row[d] for d in name]
        ]  # fmt: skip
        for cells, row in zip(oracle.groups(shape, kept), rows, strict=True):
            is_known = set(cells) <= set(impossible)
            yield cells, *((0, 0) if is_known else oracle.interval(row["published"], publish[name]))


@pytest.mark.parametrize("seed", range(MANY))
def test_bounds_and_sap_are_those_of_every_table_that_fits(seed):
    table, counts, facts, impossible = random_table(seed)
    facts = list(facts)
    most = [min(high for cells, _, high in facts if i in cells) for i in range(len(counts))]
    if prod(limit + 1 for limit in most) > 60_000:
        pytest.skip("too many tables")
    ranges = [range(1 if i in impossible else most[i] + 1) for i in range(len(counts))]
    fitting = [t for t in product(*ranges) if by_definition.fits(t, facts)]
    bounds = [row for row in unveil.bounds(table).values if row.part == "table"]
    for i, row in enumerate(bounds):
        every = [t[i] for t in fitting]
        assert (row.tightest_lower, row.tightest_upper) == (min(every), max(every))
    depths = range(1, len(table.dims) + 1)
    events = {d: by_definition.margin_cells(table.shape, d, structural=impossible) for d in depths}
    result = unveil.sap(table)
    for depth, own in events.items():
        by_hand = by_definition.sap(counts, facts, structural=impossible, events=own)
        measured = [row.SAP for row in result.depths if row.depth == depth]
        assert measured == [float(risk) for risk in by_hand]
    assert [row.SAP for row in result.curve] == measured
    zeros = [i for i in range(len(counts)) if i not in impossible and bounds[i].tightest_upper == 0]
    kinds = by_definition.kinds(table.shape, zeros, impossible)
    lessons = [(row.levels, row.kind) for row in result.lessons]
    settled = {levels for levels, kind in lessons if kind == "settles a variable"}
    ruled = {levels for levels, kind in lessons if kind == "rules out a level"} - settled
    rest = {levels for levels, _ in lessons} - settled - ruled
    assert [len(settled), len(ruled), len(rest)] == list(kinds.values())


@pytest.mark.parametrize("seed", range(MANY // 2))
def test_given_and_known_people_are_as_by_definition(seed):
    table, counts, facts, impossible = random_table(seed + 10_000)
    facts = list(facts)
    most = [min(high for cells, _, high in facts if i in cells) for i in range(len(counts))]
    inside = [i for i, place in enumerate(product(*map(range, table.shape))) if place[0] == 0]
    pool = [count if i in inside else 0 for i, count in enumerate(counts)]
    if prod(limit + 1 for limit in most) > 20_000 or not sum(pool):
        pytest.skip("too many tables, or nobody")
    if len(table.dims) > 1:
        events = [(i,) for i in inside if i not in impossible]
        by_hand = by_definition.sap(
            counts, facts, structural=impossible, events=events, chance=pool
        )
        measured = unveil.sap(table, given="a=0")
        assert [row.SAP for row in measured.curve] == [float(risk) for risk in by_hand]
    # One person is known in full, and one in part, by the first variable.
    cell = max(inside, key=lambda i: counts[i])
    levels = list(product(*map(range, table.shape)))[cell]
    known = [", ".join(f"{d}={i}" for d, i in zip(table.dims, levels, strict=True))]
    is_part = len(table.dims) > 1 and sum(pool) > 1
    if is_part:
        known.append("1 a=0")
    left = [count - (i == cell) for i, count in enumerate(counts)]
    if not sum(left):
        return
    fitting = [
        tuple(n - (i == cell) for i, n in enumerate(t))
        for t in by_definition.feasible(counts, facts, impossible)
        if t[cell] and (not is_part or sum(t[i] for i in inside) > 1)
    ]
    raising = by_definition.raised(left, fitting)
    risky, ways = [0] * (sum(left) + 1), [0] * (sum(left) + 1)
    for sample in by_definition.samples(left):
        weight = prod(by_definition.comb(c, s) for c, s in zip(left, sample, strict=True))
        ways[sum(sample)] += weight
        zeros = by_definition.recovered(left, raising, sample, impossible)
        risky[sum(sample)] += weight * bool(zeros)
    by_hand = [Fraction(r, w) for r, w in zip(risky, ways, strict=True)]
    measured = unveil.sap(table, known=known)
    assert [row.SAP for row in measured.curve] == [float(risk) for risk in by_hand]

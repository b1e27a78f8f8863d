"""Who is linked, and what do her records show? Held to plain loops, to examples and to laws."""

from itertools import chain, combinations
from random import Random

import numpy as np
import polars as pl
import pytest

from oracles import gate
from unveil.measure.gate.columns import LinkColumn, link_column
from unveil.measure.gate.links import Links, Rows
from unveil.read.table import Table

SEEDS = range(20)


def columns(names: list[str], *files: list[gate.Row]) -> list[LinkColumn]:
    """Files of tuples, coded together; the original is first."""
    frames = [
        pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None) for rows in files
    ]
    tables = [Table("data", f"File {k}", frame) for k, frame in enumerate(frames)]
    return [link_column(name, tables) for name in names]


def rows(names: list[str], *files: list[gate.Row]) -> Rows:
    return Rows.of(columns(names, *files), [0], range(1, len(files)))


def sets(names: list[str]) -> list[tuple[int, ...]]:
    """Every set of linking columns that leaves a column to look at."""
    places = range(len(names))
    return list(chain.from_iterable(combinations(places, k) for k in range(1, len(names))))


def shares(links: Links, column: str) -> tuple[float, float]:
    own, theirs = links.shown(column)
    return tuple(float((links.weight * one).sum() / links.total) for one in (own, theirs))


def figures(names, original, synthetic, by) -> dict:
    """All that links by some columns show, by the name of the column looked at."""
    links = rows(names, original, synthetic).links(by)
    if not len(links.person):
        return {}
    return {x: np.round([links.total, *shares(links, x)], 9).tolist() for x in {*names} - {*by}}


def whole(names, original, *synthetic) -> tuple[int, int]:
    is_unique, is_back = rows(names, original, *synthetic).reappearing(names)
    return int(is_unique.sum()), int(is_back.sum())


@pytest.mark.parametrize("seed", SEEDS)
def test_links_own_values_and_neighbours_are_those_of_plain_loops(seed):
    names, original, synthetic = gate.invent(seed)
    found = rows(names, original, synthetic)
    assert whole(names, original, synthetic) == gate.whole(original, synthetic)
    for by in sets(names):
        links = found.links([names[place] for place in by])
        triples = zip(links.person.tolist(), links.record.tolist(), links.weight, strict=True)
        expected = gate.links(original, synthetic, by)
        assert sorted(triples) == [(i, k, float(weight)) for i, k, weight in expected]
        for x in {*range(len(names))} - {*by} if expected else ():
            look = gate.look(original, synthetic, by, x, names=names)
            assert shares(links, names[x]) == pytest.approx((look.own, look.neighbour), abs=1e-12)


def with_twins(seed: int, size: int) -> tuple[list[str], list[gate.Row], list[gate.Row]]:
    """Sixty people in cells of `size` and alone; records of those who are alone, half of them own.

    `rule` is fixed by the cell, so that twins agree, and so do records.
    """
    rng = Random(seed)
    n_cells = 40 // size
    cells = [*range(60 - n_cells * size), *(100 + k // size for k in range(n_cells * size))]
    rng.shuffle(cells)
    original = [(f"g{c * 7 % 211}", f"r{c * c % 13}", rng.choice("pqrs")) for c in cells]
    alone = [row for row, cell in zip(original, cells, strict=True) if cell < 100] * 2
    synthetic = [row if rng.random() < 0.6 else (*row[:2], rng.choice("pqrs")) for row in alone]
    return ["cell", "rule", "x"], original, synthetic


def assert_looks(seed: int, size: int) -> None:
    names, original, synthetic = with_twins(seed, size)
    for x in (1, 2):
        look = rows(names, original, synthetic).links(["cell"]).look(names[x])
        expected = gate.look(original, synthetic, [0], x, names=names)
        assert look.links == pytest.approx(float(expected.links))
        has_twins = expected.z > 3 and expected.n_twins >= gate.ENOUGH
        assert (look.twin is not None) == has_twins
        if has_twins:
            assert look.twin == pytest.approx(float(expected.twin))
            assert look.tied == pytest.approx(float(expected.tied), abs=1e-9)
        is_rule = has_twins and expected.twin > expected.neighbour
        assert look.z == pytest.approx(expected.twin_z if is_rule else expected.z)


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_in_pairs_and_z_are_those_of_plain_loops(seed):
    assert_looks(seed, 1)  # nobody has a twin
    assert_looks(seed, 2)


@pytest.mark.xfail(reason="twins are side by side as the file has them", strict=True)
def test_twins_in_larger_cells_are_all_pairs():
    for seed in SEEDS:
        assert_looks(seed, 4)


def test_own_value_by_hand():
    original = [(30, "flu"), (31, "none"), (32, "asthma"), (33, "none")]
    synthetic = [(32, "asthma"), (30, "flu"), (31, "none"), (34, "none")]
    assert figures(["age", "ill"], original, synthetic, ["age"]) == {"ill": [3, 1, 0]}
    # The own value of 31 is none, and those of her neighbours flu and asthma: one record of two.
    twice = [(31, "none"), (31, "flu"), (30, "none")]
    assert figures(["age", "ill"], original, twice, ["age"]) == {"ill": [2, 0.25, 0.625]}


def test_whole_records_by_hand():
    original = [("x", 1), ("x", 1), ("y", 2), ("z", 3)]
    assert whole(["a", "b"], original, [("x", 1), ("y", 2), ("q", 3)]) == (2, 1)


@pytest.mark.parametrize(
    ("n_same", "n_records", "n_linked"),
    [(0, 9, 0), (1, 9, 1), (5, 9, 1), (6, 9, 0), (10, 11, 1), (11, 20, 0)],
)
def test_a_person_is_linked_to_at_most_five_records_per_file(n_same, n_records, n_linked):
    original = [(k, k) for k in range(10)]
    synthetic = [(3, 1)] * n_same + [(99, 1)] * (n_records - n_same)
    links = rows(["k", "x"], original, synthetic).links(["k"])
    assert (links.total, len(links.person)) == (pytest.approx(n_linked), n_linked * n_same)


@pytest.mark.parametrize("seed", SEEDS[:10])
def test_order_and_names_change_nothing(seed):
    names, original, synthetic = gate.invent(seed)
    rng = Random(seed)
    by = [names[place] for place in rng.choice(sets(names))]
    found = figures(names, original, synthetic, by)
    mixed = rng.sample(synthetic, len(synthetic))
    assert figures(names, original, mixed, by) == found
    turn = [names[::-1], *([row[::-1] for row in file] for file in (original, synthetic))]
    assert figures(*turn, by[::-1]) == found
    longer = [
        [tuple(f"q{c.casefold()}" if isinstance(c, str) else c for c in row) for row in file]
        for file in (original, synthetic)
    ]
    assert figures(names, *longer, by) == found
    # Any other order of people or levels moves neighbours, and them alone.
    named = [
        [tuple(c.casefold()[::-1] if isinstance(c, str) else c for c in row) for row in file]
        for file in (rng.sample(original, len(original)), synthetic)
    ]
    again = figures(names, *named, by)
    assert {x: again[x][:2] for x in again} == {x: found[x][:2] for x in found}
    assert whole(names, *named) == whole(names, original, synthetic)


@pytest.mark.parametrize("seed", SEEDS[:10])
def test_a_copy_shows_everybody_her_own_values(seed):
    names, original, _ = gate.invent(seed)
    n_unique, n_back = whole(names, original, original)
    assert n_unique == n_back == gate.whole(original, original)[0]
    found = rows(names, original, original)
    for by in sets(names):
        links = found.links([names[place] for place in by])
        assert all(links.shown(names[x])[0].all() for x in {*range(len(names))} - {*by})


@pytest.mark.parametrize("seed", SEEDS[:10])
def test_more_records_never_return_fewer_people(seed):
    names, original, synthetic = gate.invent(seed)
    half = len(synthetic) // 2 + 1
    parts = [synthetic[:half], synthetic[half - 1 :]]
    pooled = whole(names, original, *parts)
    assert pooled == whole(names, original, synthetic)
    assert all(whole(names, original, part)[1] <= pooled[1] for part in parts)


@pytest.mark.xfail(reason="columns are in order of their levels in all files", strict=True)
def test_another_file_changes_nothing_of_the_first():
    """Which people are neighbours is a matter of the original."""
    for seed in SEEDS:
        rng = Random(seed)
        original = [(rng.randrange(12), rng.randrange(11), rng.randrange(3)) for _ in range(60)]
        other = [(a, b + 40 * k, x) for k, (a, b, x) in enumerate(original)]
        coded = columns(["a", "b", "x"], original, original, other)
        beside, alone = (Rows.of(coded, [0], [1]), rows(["a", "b", "x"], original, original))
        assert shares(beside.links(["a", "b"]), "x") == shares(alone.links(["a", "b"]), "x")

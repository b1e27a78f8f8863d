"""Who is linked, and what do her records show? Held to plain loops, to examples and to laws."""

from itertools import chain, combinations
from random import Random

import polars as pl
import pytest

from oracles import gate
from unveil.io.table import Table
from unveil.measure.gate.columns import LinkColumn, link_column
from unveil.measure.gate.links import LinkRows, Links
from unveil.study.study import Study

SEEDS = range(20)


def columns(names: list[str], *files: list[gate.Row]) -> list[LinkColumn]:
    """Files of tuples, coded together; the original is first."""
    frames = [pl.DataFrame(file, names, orient="row", infer_schema_length=None) for file in files]
    tables = [Table("data", f"File {k}", frame) for k, frame in enumerate(frames)]
    return [link_column(name, Study(tables).files) for name in names]


def rows(names: list[str], *files: list[gate.Row]) -> LinkRows:
    return LinkRows.of(columns(names, *files), [0], range(1, len(files)))


def sets(names: list[str]) -> list[tuple[int, ...]]:
    """Every set of linking columns that leaves a column to look at."""
    places = range(len(names))
    return list(chain.from_iterable(combinations(places, k) for k in range(1, len(names))))


def shares(links: Links, column: str) -> list[float]:
    """People linked, own value, neighbour's."""
    weighed = [
        float((links.weight * one).sum() / links.total) for one in links.compare_values(column)
    ]
    return [round(one, 9) for one in (links.total, *weighed)]


def figures(names, original, synthetic, by) -> dict[str, list[float]]:
    links = rows(names, original, synthetic).links(by)
    return {x: shares(links, x) for x in {*names} - {*by}} if len(links.person) else {}


def whole(names, *files) -> tuple[int, int]:
    is_unique, is_back = rows(names, *files).reappearing(names)
    return int(is_unique.sum()), int(is_back.sum())


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("least_packed", [0, 2**16])  # packed combinations, and sums
def test_links_own_values_and_neighbours_are_those_of_plain_loops(seed, least_packed, monkeypatch):
    monkeypatch.setattr("unveil.measure.gate.links._MANY", least_packed)
    names, *files = gate.invent(seed)
    assert whole(names, *files) == gate.whole(*files)
    found = rows(names, *files)
    for by in sets(names):
        links = found.links([names[place] for place in by])
        triples = zip(links.person.tolist(), links.record.tolist(), links.weight, strict=True)
        expected = gate.links(files, by)
        assert sorted(triples) == [(i, k, float(weight)) for i, k, weight in expected]
        for x in {*range(len(names))} - {*by} if expected else ():
            assert shares(links, names[x]) == pytest.approx(gate.look(files, by, x, names)[:3])


def assert_looks(seed: int, size: int) -> None:
    """Twenty people alone and forty in cells; the cell fixes a rule, on which twins agree."""
    rng = Random(seed)
    cells = [*range(20), *(100 + k // size for k in range(40))]
    rng.shuffle(cells)
    original = [(f"g{c * 7 % 211}", f"r{c * c % 13}", rng.choice("pqrs")) for c in cells]
    alone = [row for row, cell in zip(original, cells, strict=True) if cell < 100] * 2
    synthetic = [row if rng.random() < 0.6 else (*row[:2], rng.choice("pqrs")) for row in alone]
    names = ["cell", "rule", "x"]
    for x in (1, 2):
        look = rows(names, original, synthetic).links(["cell"]).look(names[x])
        plain = gate.look((original, synthetic), [0], x, names)
        has_twins = plain.z > 3 and plain.n_twins >= gate.ENOUGH
        assert (look.twin is not None) == has_twins
        if has_twins:
            assert (look.twin, look.tied_people) == pytest.approx(
                (plain.twin, plain.tied), abs=1e-9
            )
        is_rule = has_twins and plain.twin > plain.neighbour
        assert look.z == pytest.approx(plain.twin_z if is_rule else plain.z)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_twins_in_pairs_and_z_are_those_of_plain_loops(seed):
    assert_looks(seed, 1)  # nobody has a twin
    assert_looks(seed, 2)


@pytest.mark.slow
def test_twins_in_larger_cells_are_all_pairs():
    for seed in SEEDS:
        assert_looks(seed, 4)


def test_own_value_and_whole_records_by_hand():
    original = [(30, "flu"), (31, "none"), (32, "asthma"), (33, "none")]
    synthetic = [(32, "asthma"), (30, "flu"), (31, "none"), (34, "none")]
    assert figures(["age", "ill"], original, synthetic, ["age"]) == {"ill": [3, 1, 0]}
    # 31 has two records of half a weight: one shows none, her own, and one flu, a neighbour's.
    twice = [(31, "none"), (31, "flu"), (30, "none")]
    assert figures(["age", "ill"], original, twice, ["age"]) == {"ill": [2, 0.25, 0.625]}
    original = [("x", 1), ("x", 1), ("y", 2), ("z", 3)]
    assert whole(["a", "b"], original, [("x", 1), ("y", 2), ("q", 3)]) == (2, 1)


@pytest.mark.parametrize(
    ("n_same", "n_records", "n_linked"),
    [(0, 9, 0), (1, 9, 1), (5, 9, 1), (6, 9, 0), (10, 11, 1), (11, 20, 0)],
)
def test_a_person_is_linked_to_at_most_five_records_per_file(n_same, n_records, n_linked):
    synthetic = [(3, 1)] * n_same + [(99, 1)] * (n_records - n_same)
    links = rows(["k", "x"], [(k, k) for k in range(10)], synthetic).links(["k"])
    assert (links.total, len(links.person)) == (pytest.approx(n_linked), n_linked * n_same)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS[:10])
def test_order_and_names_change_nothing(seed):
    names, *files = gate.invent(seed)
    rng = Random(seed)

    def turn(change):
        """Both files, with every text changed alike."""
        texts = [[[change(c) if isinstance(c, str) else c for c in r] for r in f] for f in files]
        return [[tuple(row) for row in file] for file in texts]

    by = [names[place] for place in rng.choice(sets(names))]
    found = figures(names, *files, by)
    assert figures(names, files[0], rng.sample(files[1], len(files[1])), by) == found
    turned = [[row[::-1] for row in file] for file in files]
    assert figures(names[::-1], *turned, by[::-1]) == found
    assert figures(names, *turn(lambda text: f"q{text.lower()}"), by) == found
    # Another order of people or of levels moves neighbours, and them alone.
    original, synthetic = turn(lambda text: text.lower()[::-1])
    again = figures(names, rng.sample(original, 60), synthetic, by)
    assert {x: again[x][:2] for x in again} == {x: found[x][:2] for x in found}
    assert whole(names, rng.sample(original, 60), synthetic) == whole(names, *files)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS[:10])
def test_a_copy_shows_own_values_and_more_records_never_return_fewer_people(seed):
    names, original, synthetic = gate.invent(seed)
    assert whole(names, original, original) == (gate.whole(original, original)[0],) * 2
    copy = rows(names, original, original)
    for by in sets(names):
        links = copy.links([names[place] for place in by])
        assert all(links.compare_values(names[x])[0].all() for x in {*range(len(names))} - {*by})
    parts = synthetic[: len(synthetic) // 2 + 1], synthetic[len(synthetic) // 2 :]
    pooled = whole(names, original, *parts)
    assert pooled == whole(names, original, synthetic)
    assert all(whole(names, original, part)[1] <= pooled[1] for part in parts)


def test_another_file_changes_nothing_of_the_first():
    """Which people are neighbours is a matter of the original."""
    for seed in SEEDS:
        rng = Random(seed)
        original = [(rng.randrange(12), rng.randrange(11), rng.randrange(3)) for _ in range(60)]
        other = [(a, b + 40 * k, x) for k, (a, b, x) in enumerate(original)]
        beside = LinkRows.of(columns(["a", "b", "x"], original, original, other), [0], [1])
        alone = rows(["a", "b", "x"], original, original)
        assert shares(beside.links(["a", "b"]), "x") == shares(alone.links(["a", "b"]), "x")

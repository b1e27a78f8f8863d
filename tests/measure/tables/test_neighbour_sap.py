"""SAP within each area: by hand, against going through all samples, and against `sap(given=)`."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from oracles import sap as oracle
from profiles import examples
from unveil import PublishedTable, neighbour_sap, sap
from unveil.errors import InputError, RolesError
from unveil.measure.tables.neighbour_sap import area_families
from unveil.records.count_tables import NeighbourSap

SCHEMES = ["exact", "conventional:3", "conventional:5", "up:3", "none"]


def fractions(row):
    return [Fraction(one) for one in row.exact]


def test_two_areas_by_hand():
    # Base 5: upper bounds 2, 2, 7 and 2, 7, 7, so that only the 2 and the 7 are exposed.
    found = neighbour_sap([[2, 1, 3], [0, 7, 5]], "dim1", rounding="conventional:5", n_max=7)
    first, second = sorted(found.rows, key=lambda row: row.area)
    assert fractions(first) == [0, 0, *map(Fraction, ("1/15", "1/5", "2/5", "2/3", "1", "1"))]
    assert fractions(second) == [*[0] * 7, Fraction(1, 792)]
    assert (found.record.worst[2], found.record.N) == ("0", 18)
    assert found.record.mean_upper[2] == pytest.approx(1 / 45, abs=1e-15)


@st.composite
def releases(draw):
    """Small two-way tables, areas first, with any of their margins, and impossible cells."""
    shape = draw(st.sampled_from([(2, 2), (3, 2), (2, 3), (1, 3)]))
    counts = draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))[: shape[0] * shape[1]]
    if not any(counts):
        counts[0] = 1
    parts = ("table", "area", "b", "total")
    schemes = {part: draw(st.sampled_from(SCHEMES)) for part in parts}
    empty = [cell for cell, n in enumerate(counts) if n == 0]
    structural = draw(st.sets(st.sampled_from(empty))) if empty else set()
    table = np.array(counts).reshape(shape).tolist()
    return PublishedTable.from_counts(
        table, dims=["area", "b"], rounding=schemes, structural=sorted(structural)
    )


@examples(60)
@given(releases())
def test_every_area_equals_going_through_all_samples(release):
    system = release.system
    facts = [(fact.cells, fact.lo, fact.hi) for fact in system.facts]
    rows = np.arange(len(system.counts)).reshape(system.shape)
    found = {row.area: row for row in neighbour_sap(release, "area", n_max=3).rows}
    for area, cells in enumerate(rows.tolist()):
        chance = [n if cell in cells else 0 for cell, n in enumerate(system.counts)]
        if not any(chance):
            assert str(area) not in found
            continue
        events = [(cell,) for cell in cells if cell not in system.structural]
        expected = oracle.sap(
            system.counts, facts, structural=system.structural, events=events, chance=chance
        )
        beyond = [expected[-1]] * 4
        assert fractions(found[str(area)]) == [*expected, *beyond][:4]


@examples(40)
@given(st.integers(0, 10**6))
def test_every_area_equals_the_given_level(seed):
    random = np.random.default_rng(seed)
    counts = random.poisson(2.0, (4, 2, 2))
    counts[0, 0, 0] += 1
    parts = ["table", "area", "b,c", "b", "total"]
    schemes = {part: SCHEMES[i] for part, i in zip(parts, random.integers(0, 5, 5), strict=True)}
    release = PublishedTable.from_counts(counts, dims=["area", "b", "c"], rounding=schemes)
    assert area_families(release.system, 0) is not None
    found = neighbour_sap(release, "area", n_max=4)
    for row in found.rows:
        assert row.exact == sap(release, given={"area": row.area}, n_max=4).record.exact
        assert list(row.lower) == sorted(row.lower)
    for n in found.record.n:
        assert found.record.mean_upper[n] <= max(row.upper[n] for row in found.rows) + 1e-15


def test_sums_within_an_area_are_searched():
    counts = [[[1, 2], [0, 3]], [[2, 0], [1, 1]]]
    release = PublishedTable.from_counts(
        counts, dims=["area", "b", "c"], rounding="conventional:3", margins="all", total=True
    )
    assert area_families(release.system, 0) is None
    for row in neighbour_sap(release, "area", n_max=3).rows:
        assert row.exact == sap(release, given={"area": row.area}, n_max=3).record.exact
    deep = neighbour_sap(release, "area", n_max=3, depth=1, known=["area=0,b=0,c=0"])
    for row in deep.rows:
        beside = sap(release, given={"area": row.area}, n_max=3, depth=1, known=["area=0,b=0,c=0"])
        assert row.exact == beside.record.exact


def test_one_ward_of_sixty_is_a_risk_where_the_table_is_not():
    random = np.random.default_rng(4)
    shares = random.dirichlet(np.ones(8) * 1.5)
    counts = np.array([random.multinomial(n, shares) for n in random.integers(12, 120, 60)])
    release = PublishedTable.from_counts(
        counts, dims=["ward", "job"], rounding="conventional:5", margins="all", total=True
    )
    found = neighbour_sap(release)
    assert found.record.area == "ward"
    assert (found.rows[0].area, found.rows[0].people) == ("44", 24)
    assert found.rows[0].upper[5] == pytest.approx(0.072, abs=5e-4)
    assert sap(release, n_max=5, seconds=20).upper[5] < 6e-5
    assert NeighbourSap.from_json(found.to_json()) == found.record


@pytest.mark.slow
def test_five_thousand_areas_have_their_figures():
    random = np.random.default_rng(5)
    counts = random.poisson(9.0, (5_000, 8))
    release = PublishedTable.from_counts(
        counts, dims=["area", "b"], rounding="conventional:5", margins="all", total=True
    )
    found = neighbour_sap(release, n_max=8)
    assert len(found.rows) == 5_000
    assert found.record.complete
    for row in found.rows[::1_250]:  # the search takes seconds for each
        beside = PublishedTable.from_counts(
            [counts[int(row.area)]], dims=["area", "b"], rounding="conventional:5"
        )
        assert row.upper[8] <= sap(beside, n_max=8).upper[8]


@pytest.mark.parametrize(
    ("area", "error", "sentence"),
    [
        ("wrd", RolesError, "The table has no dimension 'wrd' of areas. Did you mean 'ward'?"),
        ("one", RolesError, "The table has one dimension"),
        ("given", RolesError, "'ward' is given a level"),
        ("empty", InputError, "No one is left in the table"),
    ],
)
def test_what_cannot_be_asked(area, error, sentence):
    counts = [[1, 2], [3, 4]]
    asked = {
        "wrd": lambda: neighbour_sap(counts, "wrd", dims=["ward", "b"]),
        "one": lambda: neighbour_sap([1, 2]),
        "given": lambda: neighbour_sap(counts, "ward", dims=["ward", "b"], given="ward=0"),
        "empty": lambda: neighbour_sap([[0, 0], [0, 0]]),
    }
    with pytest.raises(error, match=sentence):
        asked[area]()
    assert unveil.neighbour_sap is neighbour_sap

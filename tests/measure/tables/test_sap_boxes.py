"""Box splitting against every sample of small systems, and its certified bounds when stopped."""

import re
from fractions import Fraction
from itertools import pairwise
from operator import sub
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles.tables as twin
from measure.tables.systems import (
    PAPER,
    networks,
    others,
    paper_facts,
    rounded,
    system,
    three_way_sets,
    two_way_sets,
)
from profiles import examples
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap_boxes import split
from unveil.measure.tables.sap_events import SamplePolynomials


def fractions(text):
    return tuple(Fraction(part) for part in text.split(", "))


def test_figure_1_of_the_paper_gives_its_zeros_away_at_once():
    found = split(system(PAPER, paper_facts()), 13)
    assert found.lower == found.upper == (Fraction(1),) * 14
    assert found.complete
    assert found.network


def test_figure_1_with_an_impossible_column():
    found = split(system(PAPER, paper_facts(), structural=(2, 5, 8)), 13)
    assert (
        found.lower
        == found.upper
        == fractions(
            "0, 1/13, 2/13, 67/286, 46/143, 49/117, 226/429, 85/132, 983/1287, 125/143, 137/143,"
            " 1, 1, 1"
        )
    )


def test_figure_1_by_its_cells_alone():
    found = split(system(PAPER, paper_facts(margins=False)), 13)
    assert (
        found.lower
        == found.upper
        == fractions(
            "0, 1/13, 2/13, 3/13, 17/55, 503/1287, 205/429, 245/429, 862/1287, 551/715, 124/143,"
            " 37/39, 1, 1"
        )
    )


def test_a_system_in_which_more_than_full_cells_matters():
    facts = [((0, 1), 2, 2), ((0, 2), 2, 2), ((1, 2, 3), 4, 4)]
    found = split(system([1, 1, 1, 2], facts), 5)
    assert found.lower == found.upper == fractions("0, 0, 3/5, 9/10, 1, 1")
    assert not found.network


@pytest.mark.parametrize("made", [networks(), others()], ids=["networks", "others"])
@examples(40)
@given(data=st.data())
def test_split_equals_all_samples(made, data):
    counts, facts, impossible = data.draw(made)
    chance = [data.draw(st.integers(0, count)) for count in counts]
    possible = sorted(set(range(len(counts))) - impossible)
    events = data.draw(
        st.none() | st.lists(st.sets(st.sampled_from(possible), min_size=1), max_size=3)
        if possible
        else st.none()
    )
    expected = tuple(twin.sap(counts, facts, impossible, events=events, chance=chance))
    found = split(
        system(counts, facts, impossible),
        sum(chance),
        events=None if events is None else [tuple(event) for event in events],
        chance=chance,
    )
    assert found.lower == found.upper == expected
    assert found.complete


@pytest.mark.parametrize("made", [networks(), others()], ids=["networks", "others"])
@examples(25)
@given(data=st.data())
def test_bounds_hold_at_every_stop_and_sap_never_falls(made, data):
    counts, facts, impossible = data.draw(made)
    given_system = system(counts, facts, impossible)
    exact = split(given_system, sum(counts)).lower
    assert all(one <= other for one, other in pairwise(exact))
    for nodes in (0, 1, 2, 4, 8):
        stopped = split(given_system, sum(counts), nodes=nodes)
        assert stopped.n_nodes <= nodes
        triples = zip(stopped.lower, exact, stopped.upper, strict=True)
        assert all(low <= true <= high for low, true, high in triples)
        assert stopped.complete == (stopped.lower == stopped.upper)


def test_fewer_people_asked_for_are_the_beginning_of_all():
    whole = split(system(PAPER, paper_facts(), structural=(2, 5, 8)), 13)
    part = split(system(PAPER, paper_facts(), structural=(2, 5, 8)), 5)
    beyond = split(system(PAPER, paper_facts(), structural=(2, 5, 8)), 15)
    assert part.lower == whole.lower[:6]
    assert beyond.lower == (*whole.lower, 1, 1)


def test_an_event_of_impossible_cells_alone_is_no_disclosure():
    facts = [((0,), 0, 0), ((1,), 2, 2)]
    made = system([0, 2], facts, structural=(0,))
    assert split(made, 1, events=[(0,)]).upper == (0, 0)
    assert split(made, 2, events=[(0, 1)]).lower == (0, 0, 1)  # beside a possible one it counts


def six_by_eight(seed, *, cells=True):
    """Counts of max(1, Poisson(3)) by inversion, rounded to base 5 with margins and total."""
    random, counts = Random(seed), []
    for _ in range(48):
        chance, count, drawn = 0.049787068367863944, 0, random.random()
        while drawn > chance:
            drawn -= chance
            count += 1
            chance *= 3 / count
        counts.append(max(1, count))
    sets = two_way_sets(6, 8) if cells else two_way_sets(6, 8)[48:]
    facts = [(one, *rounded(sum(counts[cell] for cell in one), 5)) for one in sets]
    return system(counts, facts, shape=(6, 8))


@pytest.mark.parametrize("seed", range(24))
def test_tables_of_six_by_eight_are_exact_within_few_nodes(seed):
    made = six_by_eight(seed)
    found = split(made, made.N, nodes=1_000)
    assert found.complete
    assert found.lower == found.upper


def three_way(counts):
    facts = [(cells, *(2 * [sum(counts[i] for i in cells)])) for cells in three_way_sets()]
    return facts, system(counts, facts, shape=(2, 2, 2))


def test_a_three_way_table_with_all_two_way_margins_is_exact_when_small():
    counts = [1, 2, 0, 1, 1, 1, 2, 1]
    facts, made = three_way(counts)
    found = split(made, made.N)
    assert found.complete
    assert not found.network
    assert list(found.lower) == twin.sap(counts, facts)


@pytest.mark.slow
def test_a_larger_three_way_table_is_certified_when_stopped():
    shape, random = (3, 3, 3), Random(5)
    counts = [random.randint(1, 4) for _ in range(27)]
    cells = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
    facts = []
    for axis in range(3):
        rest = [cell[:axis] + cell[axis + 1 :] for cell in cells]
        for group in sorted(set(rest)):
            members = tuple(i for i, one in enumerate(rest) if one == group)
            facts.append((members, *(2 * [sum(counts[i] for i in members)])))
    made = system(counts, facts, shape=shape)
    early, late = (split(made, made.N, nodes=nodes) for nodes in (5, 25))
    assert not early.complete
    assert early.lower[-1] == early.upper[-1] == 1  # everybody known is known
    for (low, high), (later_low, later_high) in zip(
        zip(early.lower, early.upper, strict=True),
        zip(late.lower, late.upper, strict=True),
        strict=True,
    ):
        assert low <= later_low <= later_high <= high
    gaps = [max(map(sub, one.upper, one.lower)) for one in (early, late)]
    assert gaps[1] < gaps[0]


def test_time_that_has_run_out_leaves_certified_bounds():
    _, made = three_way([1, 2, 0, 1, 1, 1, 2, 1])
    found = split(made, made.N, seconds=1e-9)
    assert not found.complete
    assert (set(found.lower), set(found.upper)) == ({0}, {1})


def test_progress_is_told():
    told = []
    split(six_by_eight(0), 10, progress=lambda *what: told.append(what))
    assert told[0] == ("splitting the samples", 0, 20_000)


@pytest.mark.slow
def test_what_is_certain_so_far_is_told():
    counts = np.random.default_rng(2).poisson(2, (3, 3, 3))
    release = PublishedTable.from_counts(counts, rounding="conventional:5", margins="all")
    told = []
    upper = split(release.system, 12, progress=lambda what, *_: told.append(what)).upper
    said = [re.search(r"SAP\((\d+)\) at most (\S+) so far$", what) for what in told]
    known = [(int(one[1]), float(one[2])) for one in said if one]
    assert len(known) > 1
    assert all(0 < n <= 12 and upper[n] <= most < 1 for n, most in known)


def test_weights_are_the_coefficients_of_a_product():
    # (1 + 3x + 3x^2) (2x + x^2) x^2: two of three at most, one or two of two, both of two.
    weights = SamplePolynomials(7, 7)
    packed = weights.product([(3, 0, 2), (2, 1, 2), (2, 2, 2)])
    assert [weights.at(packed, n) for n in range(8)] == [0, 0, 0, 2, 7, 9, 3, 0]
    assert weights.product([(3, 3, 3), (4, 4, 4)]) > 0
    assert SamplePolynomials(7, 6).product([(7, 7, 7)]) == 0


def test_memory_that_is_used_up_ends_the_work_with_certified_bounds(monkeypatch):
    made = six_by_eight(4, cells=False)
    monkeypatch.setattr("unveil.measure.tables.sap_boxes.MOST_BYTES", 60_000)
    stopped = split(made, made.N)
    assert not stopped.complete
    assert stopped.n_nodes < 20_000
    longer = split(made, made.N, nodes=stopped.n_nodes + 1_000)
    for n in range(made.N + 1):
        assert stopped.lower[n] <= longer.upper[n]
        assert longer.lower[n] <= stopped.upper[n]


def test_products_that_are_forgotten_are_made_again(monkeypatch):
    made = system(PAPER, paper_facts(), structural=(2, 5, 8))
    kept = split(made, 13)
    monkeypatch.setattr("unveil.measure.tables.sap_events.MOST_BYTES", 0)
    assert split(made, 13) == kept

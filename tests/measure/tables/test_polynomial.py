from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import sap as oracle
from profiles import examples
from unveil.measure.tables.parts import Fact, System
from unveil.measure.tables.sap_batch import family, separate, smallest
from unveil.measure.tables.sap_curve import SapQuestion, compute_curve
from unveil.measure.tables.sap_exact import (
    exact_curve,
    overlapping_signed_sums,
    signed_sums,
    stable_curve,
)

small = st.lists(st.integers(0, 3), min_size=1, max_size=4)


def system(counts, facts, structural=()):
    made = tuple(Fact(cells, lo, hi, "a fact") for cells, lo, hi in facts)
    return System(tuple(counts), made, frozenset(structural), (len(counts),))


def inclusion_exclusion(exposed, N, n):
    """The printed sum over all sets of exposed cells, its denominator mended."""
    total = Fraction(0)
    for size in range(1, len(exposed) + 1):
        for chosen in combinations(exposed, size):
            held = sum(chosen)
            if held <= n:
                total += (-1) ** (size - 1) * Fraction(comb(N - held, n - held), comb(N, n))
    return total


def test_the_worked_example_of_the_paper():
    found = exact_curve(signed_sums([2, 1, 3], 6), 6, 6)
    printed = (0, Fraction(1, 6), Fraction(6, 15), Fraction(14, 20), 1, 1, 1)
    assert found == printed


def test_a_cell_of_nobody_gives_itself_away_at_once():
    assert exact_curve(signed_sums([0, 5], 3), 5, 3) == (1, 1, 1, 1)


def test_beyond_everybody_the_figure_is_that_of_everybody():
    found = exact_curve(signed_sums([2], 9), 5, 9)
    assert len(found) == 10
    assert set(found[5:]) == {1}


@given(st.lists(st.integers(0, 5), max_size=7), st.integers(0, 8), st.integers(0, 12))
def test_the_polynomial_is_the_printed_sum(exposed, others, n_max):
    N = sum(exposed) + others
    found = exact_curve(signed_sums(exposed, n_max), N, n_max)
    for n in range(n_max + 1):
        assert found[n] == inclusion_exclusion(exposed, N, min(n, N))


@given(st.lists(st.integers(0, 9), max_size=9), st.integers(0, 40), st.integers(0, 30))
def test_the_stable_way_agrees_within_its_error(exposed, others, n_max):
    N = sum(exposed) + others
    exact = exact_curve(signed_sums(exposed, n_max), N, n_max)
    found = stable_curve(exposed, N, n_max)
    assert len(found.lower) == n_max + 1
    assert (found.upper - found.lower).max() < 1e-12
    for one, low, high in zip(exact, found.lower.tolist(), found.upper.tolist(), strict=True):
        assert Fraction(low) <= one <= Fraction(high)
        assert (one == 0) == (high == 0) == (low == 0)


@pytest.mark.parametrize("mean", [3, 40, 120])
def test_the_stable_way_holds_for_hundreds_of_cells_and_for_large_counts(mean):
    rng = np.random.default_rng(mean)
    counts = rng.poisson(mean, 400).clip(1).tolist()
    exact = exact_curve(signed_sums(counts, 150), sum(counts), 150)
    assert _holds(stable_curve(counts, sum(counts), 150), exact) < 1e-10


def _holds(found, exact):
    """The largest distance of the bounds, once each exact figure is found between them."""
    for one, low, high in zip(exact, found.lower.tolist(), found.upper.tolist(), strict=True):
        # What is above 0, but below every float, is shown as the smallest of them.
        assert low == 5e-324 or Fraction(low) <= one
        assert one <= Fraction(high)
    return (found.upper - found.lower).max()


@pytest.mark.slow
@pytest.mark.parametrize("others", [0, 700, 10**6, 10**15])
def test_the_stable_way_holds_for_very_large_counts_whoever_else_is_there(others):
    counts = [510, 530, 600, 3, 40]
    N = sum(counts) + others
    exact = exact_curve(signed_sums(counts, 700), N, 700)
    assert _holds(stable_curve(counts, N, 700), exact) < 1e-11


@pytest.mark.slow
def test_the_stable_way_out_of_time_still_bounds_the_curve():
    counts = [3, 40, 200, 600] * 5
    exact = exact_curve(signed_sums(counts, 1_000), sum(counts), 1_000)
    found = stable_curve(counts, sum(counts), 1_000, until=0.0)
    assert _holds(found, exact) > 1e-3
    assert found.upper[3] < 1e-6


@given(st.lists(st.frozensets(st.integers(0, 5), max_size=4), max_size=6), st.data())
def test_overlapping_sets_are_told_apart(sets, data):
    counts = data.draw(st.lists(st.integers(1, 3), min_size=6, max_size=6))
    family_of = smallest(set(sets))
    N = sum(counts)
    g = overlapping_signed_sums(family_of, counts, N)
    signed = [0] * (N + 1)
    for size in range(len(family_of) + 1):
        for chosen in combinations(family_of, size):
            cells = frozenset().union(*chosen)
            signed[sum(counts[cell] for cell in cells)] += (-1) ** size
    assert list(g) == signed


def test_the_smallest_sets_hold_no_other():
    sets = [frozenset(one) for one in ((1, 2), (1, 2, 3), (4,), (4, 5), (6, 7))]
    assert set(smallest(sets)) == {frozenset(one) for one in ((1, 2), (4,), (6, 7))}
    assert smallest([frozenset(), frozenset([1])]) == (frozenset(),)


def bounds_of(draw, count):
    lo = draw(st.integers(0, count))
    hi = draw(st.one_of(st.none(), st.integers(count, count + 2)))
    return lo, hi


@st.composite
def separate_releases(draw):
    """Cells with bounds, and bounds on the sums of groups that do not overlap."""
    counts = draw(small)
    structural = {cell for cell, n in enumerate(counts) if n == 0 and draw(st.booleans())}
    cells = [((cell,), *bounds_of(draw, n)) for cell, n in enumerate(counts)]
    cut = draw(st.integers(0, len(counts)))
    groups = [tuple(range(cut)), tuple(range(cut, len(counts)))]
    facts = cells + [
        (group, *bounds_of(draw, sum(counts[cell] for cell in group)))
        for group in groups
        if group and draw(st.booleans())
    ]
    return counts, facts, structural


@given(separate_releases())
@examples(60)
def test_bounds_on_cells_and_groups_equal_going_through_all_samples(release):
    counts, facts, structural = release
    made = system(counts, facts, structural)
    assert separate(made) is not None
    expected = oracle.sap(counts, facts, structural=structural)
    found = compute_curve(SapQuestion(made), sum(counts))
    assert found.method == "polynomial"
    assert list(found.exact) == expected


@given(separate_releases(), st.data())
@examples(40)
def test_events_and_chances_equal_going_through_all_samples(release, data):
    counts, facts, structural = release
    possible = [cell for cell in range(len(counts)) if cell not in structural]
    if not possible:
        return
    one = st.lists(st.sampled_from(possible), min_size=1, unique=True).map(sorted).map(tuple)
    events = tuple(data.draw(st.lists(one, min_size=1, max_size=4)))
    chance = tuple(n if data.draw(st.booleans()) else 0 for n in counts)
    expected = oracle.sap(counts, facts, structural=structural, events=events, chance=chance)
    found = compute_curve(
        SapQuestion(system(counts, facts, structural), events, chance), sum(chance)
    )
    assert list(found.exact) == expected


@given(separate_releases())
@settings(deadline=None)
def test_knowing_more_people_never_lowers_it(release):
    counts, facts, structural = release
    found = compute_curve(SapQuestion(system(counts, facts, structural)), sum(counts)).exact
    assert list(found) == sorted(found)


def test_with_everything_at_its_lower_bound_the_table_is_exact():
    # The printed algorithm of section 2.3.2 gives 1 for every n here.
    facts = [((0,), 2, 4), ((1,), 2, 4), ((0, 1), 2, 4)]
    found = compute_curve(SapQuestion(system([2, 2], facts)), 4)
    assert found.exact == (0, 0, Fraction(1, 3), 1, 1)


def test_unperturbed_cells_and_all_movable_ones_are_both_ways_in():
    # Lemma 1 overlooks that cell 1 and 2, both full, leave cell 0 no room either.
    facts = [((0,), 3, 3), ((1,), 0, 4), ((2,), 0, 4), ((0, 1, 2), 0, 5)]
    made = system([3, 1, 1], facts)
    assert set(family(made, separate(made))) == {frozenset([0]), frozenset([1, 2])}
    assert list(compute_curve(SapQuestion(made), 5).exact) == oracle.sap([3, 1, 1], facts)


def test_groups_that_overlap_have_no_list():
    facts = [((0, 1), 3, 3), ((1, 2), 3, 3)]
    assert separate(system([1, 2, 1], facts)) is None


def test_a_sum_that_the_cells_say_already_is_no_group():
    facts = [((0,), 1, 2), ((1,), 1, 2), ((2,), 1, 2), ((0, 1), 2, 4), ((1, 2), 2, 4)]
    assert separate(system([1, 2, 1], facts)) is not None


def test_very_large_curves_are_in_floating_point_and_say_how_surely():
    rng = np.random.default_rng(1)
    counts = rng.poisson(6, 400).clip(1).tolist()
    facts = [((cell,), n, n) for cell, n in enumerate(counts)]
    found = compute_curve(SapQuestion(system(counts, facts)), 2_300)
    assert found.method == "floating"
    assert found.exact[0] == 0
    assert set(found.exact[1:]) == {None}
    exact = exact_curve(signed_sums(counts, 60), sum(counts), 60)
    for n, one in enumerate(exact):
        assert found.lower[n] <= one <= found.upper[n]
    assert max(np.subtract(found.upper, found.lower)) < 1e-10


@given(st.lists(st.integers(1, 6), min_size=1, max_size=9), st.integers(0, 20))
def test_bounds_of_cells_one_by_one_hold(exposed, others):
    N = sum(exposed) + others
    exact = exact_curve(signed_sums(exposed, N), N, N)
    _holds(stable_curve(exposed, N, N, until=0.0), exact)

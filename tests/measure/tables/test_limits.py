"""Large counts, tiny chances and little time: what is said stays true, and ends when asked to."""

import time
from fractions import Fraction
from math import comb

import numpy as np
import pytest

import unveil
from measure.tables.systems import is_recovered, system, two_way_sets
from unveil.errors import SettingsError
from unveil.measure.tables import sap_depth as depth_module
from unveil.measure.tables.audit import search_exposed_cells
from unveil.measure.tables.bounds import find_tightest
from unveil.measure.tables.flow import Network
from unveil.measure.tables.parts import System
from unveil.measure.tables.sap_batch import TableBatch, compute_curves
from unveil.measure.tables.sap_boxes import split
from unveil.measure.tables.sap_curve import Effort, SapQuestion, compute_curve
from unveil.measure.tables.sap_events import Risk, oracle_of
from unveil.measure.tables.sap_sampling import _draw_cells, estimate
from unveil.view.sap import sap_sentences

MARGINS = dict(rounding="conventional:5", margins="all", total=True)
CUBE = np.array([[[3, 5, 8], [2, 7, 1]], [[3, 7, 2], [6, 4, 4]]])
PAIRS = [["dim1", "dim2"], ["dim1", "dim3"], ["dim2", "dim3"]]


@pytest.mark.parametrize(("counts", "n_max"), [([10**6, 5], 100), ([600, 600], 600)])
def test_schemes_are_compared_however_many_samples_there_are(counts, n_max):
    found = unveil.compare_rounding(counts, "exact", n_max=n_max).rows[0]
    assert found.first_risk == min(counts)


def test_many_tables_at_once_have_the_figures_of_each_alone():
    random = np.random.default_rng(15)
    counts = random.poisson(18, (40, 3)) + 1
    tables = TableBatch(counts, counts * 0, counts, None, np.ones(counts.shape, bool))
    found, sure = compute_curves(tables, 60)
    large = [row for row in range(40) if sure[row] and comb(int(counts[row].sum()), 24) > 2**53]
    assert large
    for row in np.flatnonzero(sure).tolist():
        alone = unveil.sap(counts[row].tolist(), n_max=60).record.lower
        assert tuple(found[row].tolist()) == alone


def test_a_chance_below_every_float_is_still_a_risk():
    found = unveil.sap([200, 90_000], n_max=210)
    assert Fraction(found.record.exact[200]) == Fraction(1, comb(90_200, 200))
    assert found.record.first_risk == 200
    assert found.record.lower[199:201] == (0.0, 5e-324)
    said = dict(sap_sentences(found.record))
    assert said["starts"] == "The risk starts at 200 people known; below that SAP is 0."


@pytest.mark.parametrize(
    ("counts", "first"), [([10**15, 600], 600), ([10**6, 600], 600), ([5, 10**9], 5)]
)
def test_a_floating_curve_starts_where_it_does_and_is_certified(counts, first):
    found = unveil.sap(counts, n_max=5_000).record
    assert found.method == "floating"
    assert found.first_risk == first
    assert found.upper[first - 1] == 0
    assert max(up - low for low, up in zip(found.lower, found.upper, strict=True)) < 1e-11
    assert found.complete


@pytest.mark.slow
def test_a_floating_curve_that_time_ends_is_not_complete_and_says_so():
    found = unveil.sap([20] * 2_000, n_max=20_000, seconds=0.3).record
    assert found.method == "floating"
    assert not found.complete
    assert found.first_risk == 20
    assert 0 < found.lower[-1] < found.upper[-1] < 0.1
    said = dict(sap_sentences(found))
    assert said["certified"].startswith("The search stopped early:")


@pytest.mark.slow
@pytest.mark.parametrize("more", [1_000, 10**9, 10**10, 10**14])
def test_bounds_of_programmes_do_not_depend_on_multiples_of_the_base(more):
    every = dict.fromkeys(("table", *(",".join(pair) for pair in PAIRS)), "conventional:5")
    found = unveil.bounds(CUBE + more, rounding=every | {"total": "exact"})
    assert (found.cells[1].lower - more, found.cells[1].upper - more) == (3, 6)
    assert found.complete


def test_counts_beyond_the_solver_are_not_said_to_be_bounded_tightly():
    release = unveil.PublishedTable.from_counts(
        np.full((2, 2, 2), 10**13), rounding={",".join(pair): "exact" for pair in PAIRS}
    )
    found = unveil.bounds(release)
    assert not found.complete
    assert all(row.lower <= 10**13 <= row.upper for row in found.cells)
    assert found.record.notes[-1] == (
        "Counts this large are beyond the solver: some bounds hold, but may be looser than the"
        " tightest."
    )


def test_flows_hold_limits_of_any_length():
    facts = [((0, 1), 0, 10**30), ((0, 2), 0, 10**30), ((0,), 0, None)]
    found = find_tightest(system([1, 2, 3, 4], facts))
    assert found.upper == (10**30, 10**30, 10**30, None)
    assert found.lower == (0, 0, 0, 0)
    assert found.complete


def test_depths_with_too_many_margins_are_refused():
    with pytest.raises(SettingsError) as failure:
        unveil.sap(np.ones((2,) * 14, int), depth=7, n_max=5)
    assert str(failure.value) == (
        "Depth 7 of 14 variables is 3,432 margins of 16,384 cells each, together more than"
        " 2,000,000. Ask for another depth, or for a table of fewer variables."
    )
    assert comb(14, 7) * 2**14 > depth_module.MOST_IN_EVENTS


def test_levels_end_at_the_number_of_people_asked_about():
    release = unveil.PublishedTable.from_counts(
        np.full((2, 2, 2), 10**8), table=False, margins=PAIRS
    )
    risk = Risk(release.system, n_max=5)
    assert [piece.n for piece in risk.pieces] == [5] * 8
    assert split(release.system, 5).upper[5] == 0


def test_levels_that_end_early_change_no_figure():
    made = system([1, 1, 1, 2], [((0, 1), 2, 2), ((0, 2), 2, 2), ((1, 2, 3), 4, 4)])
    whole = split(made, made.N)
    for n_max in range(made.N):
        assert split(made, n_max).lower == whole.lower[: n_max + 1]


def test_people_are_drawn_by_number_where_there_are_many():
    counts = [3, 2, 4 * 10**8, 5 * 10**8]
    made = system(counts, [((cell,), n, n) for cell, n in enumerate(counts)])
    before = time.monotonic()
    found = estimate(made, 4, draws=50, seed=1)
    assert time.monotonic() - before < 5
    assert [one.n_risky for one in found] == [0] * 5


@pytest.mark.slow
def test_people_drawn_by_number_come_from_each_cell_as_often_as_they_should():
    counts = [29_999, 1]
    made = system(counts, [((1,), 1, 1)])
    found = estimate(made, 100, draws=300, seed=2, confidence=0.9999, events=[(1,)])
    for one in found:
        assert one.lower <= one.n / 30_000 <= one.upper


def test_the_first_people_of_an_order_are_spread_over_the_cells():
    drawn = [_draw_cells([30_000, 10_000], 400, np.random.default_rng(seed)) for seed in range(20)]
    of_the_second = sum(int((one == 1).sum()) for one in drawn)
    # 8,000 draws of which a quarter is expected: four standard deviations are 155.
    assert abs(of_the_second - 2_000) < 155
    assert all(len(one) == 400 for one in drawn)


def test_exposed_cells_of_a_network_are_those_its_oracle_recovers_one_by_one():
    random = np.random.default_rng(6)
    for _ in range(60):
        counts = random.integers(0, 3, 12).tolist()
        facts = []
        for cells in two_way_sets(3, 4):
            total = sum(counts[cell] for cell in cells)
            below, above = random.integers(0, 2, 2).tolist()
            if random.random() < 0.8:
                facts.append((cells, max(0, total - below), total + above))
        made = system(counts, facts)
        oracle = oracle_of(made)
        assert isinstance(oracle, Network)
        alone = [[n if cell == one else 0 for cell, n in enumerate(counts)] for one in range(12)]
        assert search_exposed_cells(made, oracle=oracle) == tuple(
            cell for cell in range(12) if is_recovered(oracle, counts, alone[cell], cell)
        )


def test_the_exposed_cells_of_a_large_table_are_found_at_once():
    counts = np.maximum(1, np.random.default_rng(1).poisson(3, (60, 60)))
    release = unveil.PublishedTable.from_counts(counts, **MARGINS)
    before = time.monotonic()
    assert search_exposed_cells(release.system)
    assert time.monotonic() - before < 4


@pytest.mark.parametrize("shape", [(40, 40), (4, 4, 3)])
def test_seconds_are_one_limit_for_everything(shape):
    counts = np.maximum(1, np.random.default_rng(3).poisson(3, shape))
    before = time.monotonic()
    # So short that no machine is done by then.
    found = unveil.sap(counts, **MARGINS, depth="all", n_max=10, seconds=0.1)
    assert time.monotonic() - before < 2.1
    assert not found.record.complete


def test_an_effort_keeps_its_time_once_it_runs():
    effort = Effort(seconds=100.0).start()
    assert effort.start() is effort
    assert effort.until is not None
    assert 95 < (effort.remaining or 0) <= 100
    assert 45 < (effort.part(0.5).remaining or 0) <= 50
    assert Effort().part(0.5).remaining is None


def test_samples_too_large_to_be_counted_are_refused():
    with pytest.raises(SettingsError) as failure:
        unveil.sap(np.full((3, 3), 10**5), **MARGINS, n_max=10_000)
    assert str(failure.value) == (
        "Samples of up to 10,000 of so many people are too large to be split into boxes, which"
        " this release needs. Ask for at most 850 known people."
    )
    assert unveil.sap(np.full((3, 3), 10**5), **MARGINS, n_max=850, nodes=1, seconds=1).record


def test_cells_that_hardly_matter_do_not_take_time():
    before = time.monotonic()
    found = compute_curve(SapQuestion(_exact([1_000] * 1_000)), 100_000)
    assert time.monotonic() - before < 10
    assert found.complete
    assert found.upper[-1] < 1e-300


def _exact(counts) -> System:
    return system(counts, [((cell,), n, n) for cell, n in enumerate(counts)])

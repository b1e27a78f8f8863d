"""The tightest bounds: the paper's figures, all small tables, and bounds that hold when stopped."""

import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles.tables as twin
from measure.tables.systems import PAPER, networks, others, paper_facts, system, three_way_sets
from profiles import examples
from unveil.errors import InputError, SettingsError
from unveil.measure.tables.bounds import bounds, find_tightest, propagate_bounds
from unveil.measure.tables.flow import Flow, network_of
from unveil.measure.tables.integer_programme import Programme
from unveil.measure.tables.parts import sums_of
from unveil.measure.tables.published_table import PublishedTable
from unveil.records.count_tables import Bounds

TABLE = [[1, 3, 0], [4, 0, 0], [3, 2, 0]]


def paper(**asked):
    return bounds(TABLE, rounding="conventional:3", margins="all", total=True, **asked)


def test_figures_5_and_6_of_the_paper():
    found = paper()
    assert [row.lower for row in found.cells] == [0, 2, 0, 3, 0, 0, 3, 2, 0]
    assert [row.upper for row in found.cells] == [1, 3, 0, 4, 1, 0, 4, 3, 0]
    assert [row.cell for row in found.cells if row.recovered] == [2, 5, 8]
    record = found.record
    assert (record.n_cells, record.n_recovered, record.n_determined) == (9, 3, 3)
    assert (record.solver, record.complete, record.n_unbounded) == ("network", True, 0)


def test_an_impossible_cell_is_no_recovered_zero():
    found = paper(structural=[2, 5, 8])
    assert [row.structural for row in found.cells] == [False, False, True] * 3
    assert not any(row.recovered for row in found.cells)
    assert found.record.n_determined == 0


def test_the_trivial_bounds_of_the_cells_alone_are_the_tightest():
    found = bounds(TABLE, rounding="conventional:3")
    assert [row.lower for row in found.cells] == [0, 2, 0, 2, 0, 0, 2, 2, 0]
    assert [row.upper for row in found.cells] == [1, 4, 1, 4, 1, 1, 4, 4, 1]
    assert found.record.n_solves == 0


def test_what_nothing_limits_has_no_upper_bound():
    found = bounds([[3, 1], [2, 5]], rounding={"table": "suppress:4:unknown", "dim1": "exact"})
    tops = [row.upper for row in found.cells]
    # Cells 1 and 2 are hidden beside published ones, and their rows give them away.
    assert tops == [4, 4, 2, 5]
    alone = bounds([3, 5], constraints=[{"cells": [0], "lo": 2, "hi": None}])
    assert [(row.lower, row.upper) for row in alone.cells] == [(2, None), (0, None)]
    assert alone.record.n_unbounded == 2


def test_a_release_stands_for_its_counts():
    release = PublishedTable.from_counts(
        TABLE, rounding="conventional:3", margins="all", total=True
    )
    assert bounds(release).record == paper().record


def test_the_record_survives_json_and_the_frame_names_levels():
    found = paper(dims=["row", "cell"], levels=[["a", "b", "c"], ["D", "E", "F"]])
    assert Bounds.from_json(found.to_json()) == found.record
    assert json.loads(found.to_json())["cells"][3]["levels"] == ["b", "D"]
    frame = found.frame()
    # The name of a figure gives way to that of a dimension.
    assert frame.columns[:3] == ["row", "cell", "cell_"]
    assert frame.row(3, named=True)["lower"] == 3
    assert found.to_dict()["complete"] is True


def test_the_bounds_of_a_release_without_an_upper_limit_make_a_frame():
    frame = bounds([1, 2, 300], constraints=[{"cells": [2], "lo": 1, "hi": 400}]).frame()
    assert frame["upper"].to_list() == [None, None, 400]


@pytest.mark.parametrize("made", [networks(), others()], ids=["networks", "others"])
@examples(40)
@given(data=st.data())
def test_bounds_are_those_of_all_tables(made, data):
    counts, facts, impossible = data.draw(made)
    found = find_tightest(system(counts, facts, impossible))
    assert found.complete
    assert (list(found.lower), list(found.upper)) == twin.bounds(counts, facts, impossible)


@examples(40)
@given(networks() | others())
def test_sums_taken_one_by_one_hold_and_meet_their_counts(made):
    counts, facts, impossible = made
    lower, upper = propagate_bounds(sums_of(system(counts, facts, impossible)))
    tight = twin.bounds(counts, facts, impossible)
    for cell in range(len(counts)):
        assert lower[cell] <= tight[0][cell] <= counts[cell]
        assert (upper[cell] is None) == (tight[1][cell] is None)
        assert upper[cell] is None or upper[cell] >= tight[1][cell]


def test_flows_and_programmes_agree_on_a_larger_table(monkeypatch):
    counts = np.random.default_rng(6).poisson(2, (5, 6))
    release = PublishedTable.from_counts(
        counts, rounding={"table": "random:3", "margins": "exact"}, margins="all", seed=4
    )
    by_flow = find_tightest(release.system)
    monkeypatch.setattr("unveil.measure.tables.bounds.MOST_NODES", 0)
    by_programme = find_tightest(release.system)
    assert by_flow.lower == by_programme.lower
    assert by_flow.upper == by_programme.upper
    assert by_flow.complete
    assert by_programme.complete


def test_every_table_a_flow_finds_fits():
    made = system(PAPER, paper_facts())
    flow, programme = Flow(network_of(made)), Programme(made)
    lower, upper = propagate_bounds(sums_of(made))
    for cell in range(9):
        for up, outer in ((True, upper[cell]), (False, lower[cell])):
            table = flow.extreme(cell, up=up, outer=outer).table
            assert programme.above(cell, table[cell] - 1, table) == table


def test_one_table_settles_many_cells():
    made = system(PAPER, paper_facts())
    lower, upper = propagate_bounds(sums_of(made))
    open_ends = sum(map(int.__ne__, lower, PAPER)) + sum(map(int.__ne__, upper, PAPER))
    assert find_tightest(made).n_solves < open_ends


def stopped_after(solves, monkeypatch):
    """Time that runs out after so many questions."""
    asked = iter(range(10**6))
    start = time.monotonic()
    monkeypatch.setattr(
        "unveil.measure.tables.bounds.time.monotonic",
        lambda: start if next(asked) <= solves else start + 100,
    )


@pytest.mark.parametrize("solves", range(6))
def test_a_stopped_search_has_outer_bounds_that_hold(solves, monkeypatch):
    exact = find_tightest(system(PAPER, paper_facts()))
    stopped_after(solves, monkeypatch)
    found = find_tightest(system(PAPER, paper_facts()), seconds=50)
    assert not found.complete
    for cell, count in enumerate(PAPER):
        assert found.lower[cell] <= exact.lower[cell] <= count
        assert found.upper[cell] >= exact.upper[cell] >= count
        if found.settled[cell]:
            assert found.lower[cell] == exact.lower[cell]
            assert found.upper[cell] == exact.upper[cell]


def test_a_stopped_record_says_so():
    found = paper(seconds=1e-9)
    assert not found.complete
    assert found.record.notes == (
        "Time ran out: some bounds hold, but may be looser than the tightest.",
    )


def test_three_way_margins_are_programmes():
    counts = [1, 2, 0, 1, 1, 1, 2, 1]
    facts = [(cells, *(2 * [sum(counts[i] for i in cells)])) for cells in three_way_sets()]
    found = find_tightest(system(counts, facts))
    assert (list(found.lower), list(found.upper)) == twin.bounds(counts, facts)
    assert not found.network


def test_progress_counts_the_cells():
    told = []
    paper(progress=lambda *what: told.append(what))
    assert told == [("bounding the cells", 0, 9)]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"seconds": 0}, "seconds is 0. It must be a number above 0."),
        ({"seconds": "soon"}, "seconds is 'soon'. It must be a number above 0."),
        (
            {"margins": "all", "total": True},
            "A published table states itself what is published; omit margins, total, or give the"
            " counts instead.",
        ),
    ],
)
def test_bad_input_is_refused(asked, sentence):
    release = PublishedTable.from_counts(TABLE, rounding="conventional:3")
    with pytest.raises(SettingsError) as fault:
        bounds(release, **asked)
    assert str(fault.value) == sentence
    assert fault.value.exit_code == 2


def test_a_release_that_the_counts_contradict_is_refused():
    with pytest.raises(InputError, match="does not hold in the true table"):
        bounds([3, 5], constraints=[{"cells": [0, 1], "lo": 9, "hi": 12}])

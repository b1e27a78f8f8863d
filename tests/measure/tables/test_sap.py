import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import sap as oracle
from profiles import examples
from unveil.errors import InputError
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap import sap
from unveil.records.count_tables import Sap

TRIANGLE = [
    {"cells": [0, 1], "lo": 2, "hi": 2},
    {"cells": [0, 2], "lo": 2, "hi": 2},
    {"cells": [1, 2, 3], "lo": 4, "hi": 4},
]


@st.composite
def releases(draw):
    """A small table with bounds on any sums, all of them true."""
    counts = draw(st.lists(st.integers(0, 3), min_size=2, max_size=4))
    cells = st.lists(st.sampled_from(range(len(counts))), min_size=1, unique=True).map(sorted)
    facts = []
    for group in draw(st.lists(cells, min_size=1, max_size=5)):
        n = sum(counts[cell] for cell in group)
        hi = draw(st.sampled_from([None, n, n, n + 1]))
        facts.append((tuple(group), draw(st.integers(0, n)), hi))
    structural = {cell for cell, n in enumerate(counts) if n == 0 and draw(st.booleans())}
    return counts, facts, structural


def constraints(facts):
    return [{"cells": list(cells), "lo": lo, "hi": hi} for cells, lo, hi in facts]


@given(releases())
@examples(60)
def test_any_release_equals_going_through_all_samples(release):
    counts, facts, structural = release
    if sum(counts) == 0:
        return
    found = sap(counts, constraints=constraints(facts), structural=sorted(structural))
    assert list(found.fractions) == oracle.sap(counts, facts, structural=structural)
    assert found.record.complete
    assert list(found.lower) == sorted(found.lower)


@given(releases())
@examples(30)
def test_exposed_cells_are_recovered_when_their_people_are_known(release):
    counts, facts, structural = release
    if sum(counts) == 0:
        return
    record = sap(counts, constraints=constraints(facts), structural=sorted(structural)).record
    raising = oracle.raised(counts, oracle.feasible(counts, facts, structural))
    for cell in range(len(counts)):
        alone = [n if c == cell else 0 for c, n in enumerate(counts)]
        recovered = oracle.recovered(counts, raising, alone, structural)
        assert (cell in record.exposed) == (cell in recovered)


def test_which_cells_are_full_is_not_everything():
    found = sap([1, 1, 1, 2], constraints=TRIANGLE)
    assert found.fractions == (0, 0, Fraction(3, 5), Fraction(9, 10), 1, 1)
    assert found.record.method == "boxes"


def poisson_table(seed):
    return np.maximum(1, np.random.default_rng(seed).poisson(3, (4, 5)))


@pytest.mark.slow
def test_bounds_hold_the_exact_curve_wherever_it_stops():
    released = dict(rounding="conventional:5", margins="all", total=True, seed=1)
    whole = sap(poisson_table(2), nodes=10**6, **released)
    assert whole.record.complete
    for nodes in (1, 2, 5, 20, 100):
        part = sap(poisson_table(2), nodes=nodes, **released)
        for n, exact in enumerate(whole.fractions):
            if part.fractions[n] is not None:
                assert part.fractions[n] == exact
            else:
                assert part.lower[n] <= exact <= part.upper[n]
                assert part.lower[n] < part.upper[n]


def test_stopped_at_once_the_exposed_cells_are_a_floor():
    released = dict(rounding="conventional:5", margins="all", total=True, seed=1)
    counts = poisson_table(2)
    part = sap(counts, nodes=1, **released)
    exposed = {cell for cell in part.record.exposed}
    floor = sap(
        counts.reshape(-1),
        constraints=[{"cells": [cell], "hi": int(counts.flat[cell])} for cell in sorted(exposed)],
    )
    assert not part.record.complete
    assert floor.lower[10] > 0
    for low, one in zip(part.lower, floor.fractions, strict=True):
        assert low >= float(one) - 2**-52


@pytest.mark.slow
def test_monte_carlo_agrees_with_the_exact_curve():
    released = dict(rounding="conventional:5", margins="all", total=True)
    whole = sap(poisson_table(2), nodes=10**6, **released)
    drawn = sap(poisson_table(2), nodes=1, seed=3, **released).record
    assert not drawn.complete
    assert drawn.seed == 3
    assert len(drawn.monte_carlo) == len(drawn.n)
    outside = [
        one.n for one in drawn.monte_carlo if not one.lower <= whole.fractions[one.n] <= one.upper
    ]
    assert len(outside) <= len(drawn.n) // 10
    assert any(one.tighter for one in drawn.monte_carlo)
    again = sap(poisson_table(2), nodes=1, seed=3, **released).record
    assert again == drawn


def test_beyond_everybody_the_figure_is_that_of_everybody_and_says_so():
    record = sap([2, 3], rounding="conventional:3", n_max=8).record
    assert record.N == 5
    assert record.all_known == (False,) * 6 + (True,) * 3
    assert set(record.exact[5:]) == {record.exact[5]}


def test_a_zero_that_the_release_shows_is_a_risk_to_begin_with():
    assert set(sap([0, 4]).fractions) == {1}
    assert sap([0, 4], structural=[0]).fractions[0] == 0


def test_a_table_of_nobody_has_an_answer_for_nobody_only():
    assert sap([0, 0], n_max=0).fractions == (1,)
    assert sap([0, 0], rounding="conventional:3", n_max=0).fractions == (0,)
    for n_max in (None, 1):
        with pytest.raises(InputError) as caught:
            sap([0, 0], n_max=n_max)
        assert str(caught.value) == (
            "No one is left in the table, so that no one can become known. Use n_max=0."
        )


def test_without_n_max_at_most_a_hundred_people_are_known():
    assert sap([60, 70]).record.n[-1] == 100
    assert sap([6, 7]).record.n[-1] == 13


def test_constraints_alone_publish_no_cell():
    record = sap([1, 1, 1, 2], constraints=TRIANGLE).record
    assert record.cell_bounds == ((0, None),) * 4
    assert record.notes


def test_a_release_and_its_counts_give_the_same():
    asked = dict(rounding="conventional:3", total=True)
    assert sap(PublishedTable.from_counts([2, 2], **asked)).record == sap([2, 2], **asked).record


def test_the_record_survives_json_and_the_frame_has_a_row_per_n():
    found = sap([[2, 1], [1, 3]], rounding="conventional:3", depth="all", given="dim1=0")
    assert Sap.from_json(found.to_json()) == found.record
    assert json.loads(found.to_json())["exact"] == list(found.record.exact)
    assert found.frame().columns == ["n", "exact", "lower", "upper", "all_known"]
    assert found.frame().height == len(found.record.n)
    assert found.passes(0.5) == next(n for n, one in enumerate(found.fractions) if one > 0.5)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"n_max": -1}, "n_max is -1. It must be a whole number from 0 to 100,000: how many people"
         " an intruder may know."),
        ({"n_max": 1.5}, "n_max is 1.5. It must be a whole number from 0 to 100,000: how many"
         " people an intruder may know."),
        ({"n_max": "ten"}, "n_max is 'ten'. It must be a whole number from 0 to 100,000: how many"
         " people an intruder may know."),
        ({"nodes": 0}, "nodes is 0. It must be a whole number from 1 on."),
        ({"seconds": 0}, "seconds is 0. It must be a number above 0."),
        ({"seconds": float("nan")}, "seconds is nan. It must be a number above 0."),
    ],
)  # fmt: skip
def test_settings_that_mean_nothing(asked, sentence):
    with pytest.raises(InputError) as caught:
        sap([1, 2], **asked)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2


def test_a_release_takes_no_second_word_on_what_is_published():
    with pytest.raises(InputError) as caught:
        sap(PublishedTable.from_counts([1, 2]), rounding="conventional:3", total=True)
    assert str(caught.value) == (
        "A published table states itself what is published; omit rounding, total, or give the"
        " counts instead."
    )


@pytest.mark.parametrize("threshold", [-0.1, 1.1, "high", float("nan")])
def test_a_threshold_is_a_probability(threshold):
    with pytest.raises(InputError, match="must be a number from 0 to 1"):
        sap([1, 2]).passes(threshold)

"""The upper bound by witnesses: by hand, and never below SAP, which another program counts."""

import time
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from measure.tables.systems import networks, others, system
from oracles import sap as oracle
from profiles import examples
from unveil import PublishedTable, sap
from unveil.measure.tables.sap_events import ProgrammeOracle, oracle_of
from unveil.measure.tables.sap_witness import bound_by_witnesses
from unveil.view.sap import sap_sentences

SUMS = [((0, 1), 5), ((1, 2), 5), ((1, 3), 5), ((2, 3, 4), 3)]
"""Of z, q, x, y, a = 0, 5, 0, 0, 3: one more in z takes two from a."""


def test_by_hand_where_the_exact_table_with_its_zeros_masked_is_no_bound():
    facts = [(cells, total, total) for cells, total in SUMS]
    asked = system([0, 5, 0, 0, 3], facts)
    oracle_here = oracle_of(asked)
    assert isinstance(oracle_here, ProgrammeOracle)
    found = bound_by_witnesses(asked, oracle_here, 4)
    assert found == (0, 0, Fraction(9, 28), Fraction(7, 8), 1)
    constraints = [{"cells": cells, "lo": total, "hi": total} for cells, total in SUMS]
    exact = sap([0, 5, 0, 0, 3], constraints=constraints, n_max=4).fractions
    assert exact == (0, 0, Fraction(3, 28), Fraction(2, 7), Fraction(1, 2))
    masked = sap([0, 5, 0, 0, 3], structural=[0, 2, 3], n_max=4).fractions
    assert masked == (0, 0, 0, Fraction(1, 56), Fraction(1, 14))


@examples(60)
@given(st.one_of(networks(), others()), st.data())
def test_no_bound_is_below_what_all_samples_say(case, data):
    counts, facts, structural = case
    asked = system(counts, facts, structural)
    kept = data.draw(st.sets(st.sampled_from(range(len(counts)))))
    chance = [n if cell in kept else 0 for cell, n in enumerate(counts)]
    possible = [cell for cell in range(len(counts)) if cell not in structural]
    events = [(cell,) for cell in possible]
    if data.draw(st.booleans()) and len(possible) > 1:
        events = [tuple(possible[:2]), *events[2:]]
    expected = oracle.sap(counts, facts, structural=structural, events=events, chance=chance)
    until = data.draw(st.sampled_from([None, time.monotonic() - 1]))
    found = bound_by_witnesses(
        asked, oracle_of(asked), sum(chance), events=events, chance=chance, until=until
    )
    assert all(upper >= true for upper, true in zip(found, expected, strict=True))


def three_way():
    random = np.random.default_rng(4)
    counts = random.negative_binomial(2, 2 / (2 + 6), (8, 2, 5))
    rounding = dict.fromkeys(("ward,sex", "ward,age", "sex,age"), "conventional:3")
    return PublishedTable.from_counts(counts, dims=["ward", "sex", "age"], rounding=rounding)


def test_a_search_that_stops_at_once_has_a_bound_that_says_something():
    record = sap(three_way(), n_max=4, nodes=1).record
    assert not record.complete
    assert record.exact[:2] == ("0/1", "0/1")
    assert record.upper[4] < 1e-6
    assert record.n_unseen == 0


def test_without_any_time_it_says_how_many_cells_were_not_looked_at():
    record = sap(three_way(), n_max=4, seconds=1e-6).record
    assert record.n_unseen == 80
    told = dict(sap_sentences(record))
    assert told["unseen"].startswith("Not settled: 80 of 80 cells were not looked at")
    assert told["sap"].startswith("Not settled: whether an intruder who knows")
    assert not any("between 0 and 1" in text for text in told.values())

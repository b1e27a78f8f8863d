"""When is a system a network, and what can be raised in it?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles.tables as twin
from measure.tables.systems import (
    PAPER,
    is_recovered,
    networks,
    others,
    paper_facts,
    system,
    three_way_sets,
    two_way_sets,
)
from profiles import examples
from unveil.measure.tables.flow import network_of, split_families
from unveil.measure.tables.sap_events import ProgrammeOracle, oracle_of


def test_rows_and_columns_are_two_families():
    sides = split_families(two_way_sets(3, 4)[12:])
    assert sides is not None
    assert len(set(sides[:3])) == 1
    assert set(sides[3:7]) == {1 - sides[0]}


def test_a_nested_hierarchy_is_one_family():
    assert split_families([(0, 1), (2, 3), (0, 1, 2, 3), (4, 5), tuple(range(6))]) == [0] * 5


def test_three_way_margins_are_no_two_families():
    assert split_families(three_way_sets()) is None
    counts = [1] * 8
    facts = [(cells, 2, 2) for cells in three_way_sets()]
    assert network_of(system(counts, facts)) is None
    assert isinstance(oracle_of(system(counts, facts)), ProgrammeOracle)


def test_sums_that_say_nothing_do_not_stand_in_the_way():
    facts = [*((cells, 0, None) for cells in three_way_sets()), ((0, 1), 2, 2)]
    assert network_of(system([1] * 8, facts)) is not None


def test_a_cell_at_its_limit_cannot_be_raised():
    network = network_of(system([2, 1], [((0,), 0, 2), ((1,), 0, 2)]))
    assert network.find_recovered(0b11, (0, 1)) == 0b01


def test_a_full_row_blocks_a_cell_whose_row_total_is_at_its_limit():
    # The row of two cells has at most 3: raising the first takes somebody from the second.
    network = network_of(system([2, 1], [((0, 1), 0, 3)]))
    assert network.find_recovered(0b11, (0, 1)) == 0b11
    assert network.find_recovered(0b01, (0, 1)) == 0


def test_the_blocking_cells_are_enough_by_themselves():
    network = network_of(system(PAPER, paper_facts(), structural=(2, 5, 8)))
    everyone = (1 << 9) - 1
    for cell in (0, 1, 3, 4, 6, 7):
        blocking = network.blocking(cell, everyone)
        assert blocking >> cell & 1
        assert network.find_recovered(blocking, (cell,)) == 1 << cell


@pytest.mark.parametrize("made", [networks(), others()], ids=["networks", "others"])
@examples(40)
@given(data=st.data())
def test_a_full_cell_is_recovered_iff_no_table_raises_it(made, data):
    counts, facts, impossible = data.draw(made)
    known = [data.draw(st.integers(0, count)) for count in counts]
    oracle = oracle_of(system(counts, facts, impossible))
    fitting = twin.tables(counts, facts, impossible)
    above = [t for t in fitting if all(map(int.__ge__, t, known))]
    for cell, count in enumerate(counts):
        full = [*known]
        full[cell] = count
        raised = any(t[cell] > count and t[cell] >= full[cell] for t in above)
        expected = raised or twin.unlimited(cell, facts, impossible)
        assert is_recovered(oracle, counts, full, cell) != expected

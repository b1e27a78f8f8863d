"""Integer programmes: what they find is checked in whole numbers, and time is kept."""

import time

import pytest

from measure.tables.systems import system
from unveil.measure.tables.integer_programme import OutOfTime, Programme, _outwards
from unveil.measure.tables.sap_events import ProgrammeOracle

# Raising cell 1 takes two from cell 3: A.5's example of a system that is no network.
COUNTS = [1, 1, 1, 2]
FACTS = [((0, 1), 2, 2), ((0, 2), 2, 2), ((1, 2, 3), 4, 4)]
NOBODY = [0, 0, 0, 0]


def test_the_extremes_of_cells_and_of_sums():
    programme = Programme(system(COUNTS, FACTS))
    assert programme.extreme((3,), up=True, outer=4).value == 4
    assert programme.extreme((3,), up=False, outer=0).value == 0
    assert programme.extreme((1, 2), up=True, outer=4).value == 4
    assert programme.extreme((0, 3), up=False, outer=0).table == (0, 2, 2, 0)


def test_known_people_stay_where_they_are():
    programme = Programme(system(COUNTS, FACTS))
    assert programme.above(1, 1, [0, 0, 0, 0]) == (0, 2, 2, 0)
    assert programme.above(1, 1, [0, 0, 0, 1]) is None


def test_the_same_full_cells_are_safe_or_risky_by_who_else_is_known():
    oracle = ProgrammeOracle(system(COUNTS, FACTS))
    assert not oracle.can_recover_all([0, 1, 0, 0], (1,))
    assert oracle.can_recover_all([0, 1, 0, 1], (1,))


def test_a_table_once_found_answers_for_every_smaller_sample(monkeypatch):
    oracle = ProgrammeOracle(system(COUNTS, FACTS))
    assert oracle.can_increase(1, [0, 1, 1, 0])
    monkeypatch.setattr(Programme, "above", None)  # would fail if it were called
    assert oracle.can_increase(1, [0, 1, 0, 0])
    assert oracle.can_increase(2, [0, 0, 1, 0])


def test_a_cell_that_nothing_limits_is_raised_without_asking(monkeypatch):
    monkeypatch.setattr(Programme, "above", None)
    assert ProgrammeOracle(system([1, 1], [((0, 1), 1, None)])).can_increase(0, [1, 1])


def test_no_time_is_no_answer():
    programme = Programme(system(COUNTS, FACTS))
    with pytest.raises(OutOfTime):
        programme.above(1, 1, NOBODY, until=time.monotonic() - 1)
    with pytest.raises(OutOfTime):
        programme.extreme((1,), up=True, outer=4, until=time.monotonic() - 1)


class Stopped:
    def __init__(self, bound):
        self.mip_dual_bound = bound


@pytest.mark.parametrize(
    ("bound", "up", "value"),
    [(-6.4, True, 6), (-6.9999999, True, 7), (2.3, False, 3), (2.0000001, False, 2)],
)
def test_a_stopped_bound_is_rounded_outwards_within_the_solvers_tolerance(bound, up, value):
    assert _outwards(Stopped(bound), 9 if up else 0, up=up) == value


def test_a_stopped_bound_never_loosens_what_is_known_already():
    assert _outwards(Stopped(-12.0), 9, up=True) == 9
    assert _outwards(Stopped(float("inf")), 9, up=True) == 9
    assert _outwards(Stopped(-1.0), 0, up=False) == 0
    assert _outwards(Stopped(None), 0, up=False) == 0

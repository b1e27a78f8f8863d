"""The settings that no other betters: by hand, beside a slow twin, and laws."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from oracles.frontier import best
from unveil.project.explore.candidates import refused_row
from unveil.project.explore.settings import parse_settings
from unveil.records.exploration import frontier

(SETTING,) = parse_settings(
    {"method": "cart"}, methods=(), min_leaf=(), filter_=False, add_noise=None
)
EMPTY = refused_row(SETTING, "nothing")
FIGURES = st.one_of(st.none(), st.integers(0, 6).map(float))


def rows(points):
    return [
        msgspec.structs.replace(EMPTY, name=str(place), DiSCO=x, S_pMSE=y)
        for place, (x, y) in enumerate(points)
    ]


def names(points):
    return [row.name for row in frontier(rows(points), "DiSCO", "S_pMSE")]


def test_the_frontier_by_hand():
    # 1 betters 2 (less risk, same utility) and 3; 0 and 4 have the least of one of the two.
    points = [(1.0, 5.0), (2.0, 3.0), (3.0, 3.0), (4.0, 4.0), (5.0, 1.0)]
    assert names(points) == ["0", "1", "4"]


def test_settings_with_the_same_figures_stand_together():
    assert names([(1.0, 1.0), (1.0, 1.0), (1.0, 2.0)]) == ["0", "1"]


def test_settings_without_figures_are_left_out():
    assert names([(None, 1.0), (1.0, None), (2.0, 2.0)]) == ["2"]
    assert names([(None, None)]) == []


@given(st.lists(st.tuples(FIGURES, FIGURES), max_size=12))
def test_the_frontier_equals_its_slow_twin(points):
    known = [place for place, point in enumerate(points) if None not in point]
    wanted = {str(known[place]) for place in best([points[place] for place in known])}
    found = names(points)
    assert set(found) == wanted
    assert len(found) == len(wanted)


@given(st.lists(st.tuples(FIGURES, FIGURES), max_size=12))
def test_along_the_frontier_risk_rises_and_lost_utility_falls(points):
    found = frontier(rows(points), "DiSCO", "S_pMSE")
    assert [row.DiSCO for row in found] == sorted(row.DiSCO for row in found)
    assert [row.S_pMSE for row in found] == sorted((row.S_pMSE for row in found), reverse=True)

"""`run.plot`: the charts of a run and of its parts."""

import pytest

from unveil.errors import RolesError
from unveil.project.run_result import RunPlots
from unveil.view.charts.chart import Chart
from unveil.view.charts.dots import lollipop_chart
from view import report_cases


@pytest.fixture(scope="module")
def plot():
    contents, parts = report_cases.copies()
    return RunPlots(parts, contents.judgement)


@pytest.mark.slow
def test_all_targets_are_drawn_against_the_limits_in_force(plot):
    contents, parts = report_cases.copies()
    judged = [one for one in contents.judgement.figures if one.scenario == "neighbour"]
    drawn = plot.lollipop()
    assert drawn == lollipop_chart(parts["disclosure neighbour"], judged=judged)
    assert drawn != lollipop_chart(parts["disclosure neighbour"])
    assert drawn == plot.lollipop("neighbour")


@pytest.mark.slow
def test_every_part_with_charts_has_them_by_its_name(plot):
    assert isinstance(plot["gtcap neighbour marital"].histogram(), Chart)
    assert repr(plot["tables"]) == "Charts: pair_map"
    assert repr(plot).startswith("Charts of run 2: lollipop, and of disclosure neighbour,")


BAD = {
    "a scenario": (
        lambda plot: plot.lollipop("neighbor"),
        "There is no scenario 'neighbor'. Did you mean 'neighbour'? The scenarios are: neighbour.",
    ),
    "a part": (
        lambda plot: plot["table"],
        "Run 2 has no charts of 'table'. Did you mean 'tables'? Parts with charts:",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_mistyped_name_is_told_its_neighbour(plot, what):
    call, expected = BAD[what]
    with pytest.raises(RolesError) as caught:
        call(plot)
    assert str(caught.value).startswith(expected)


def test_a_run_without_figures_says_so():
    contents, parts = report_cases.empty()
    with pytest.raises(RolesError, match="no figures of disclosure to draw"):
        RunPlots(parts, contents.judgement).lollipop()

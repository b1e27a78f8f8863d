"""Runs side by side: settings that differ, figures beside each other."""

from pathlib import Path

import pytest

from project.run_projects import LIMITS, SCENARIO, people, project
from unveil.errors import SettingsError
from unveil.project.history import compare_runs
from unveil.project.run import run_project

EXCLUDE = '\n[[exclude]]\ntarget = "work"\nlevel = "no"\nreason = "known"\nby = "Ann"\n'


@pytest.mark.slow
def test_equal_runs_differ_in_nothing(tmp_path: Path) -> None:
    made = project(tmp_path)
    run_project(made)
    run_project(made, again=True)
    found = compare_runs(made, [1, 2])
    assert found.settings == ()
    assert {row.change for row in (*found.risk, *found.utility)} == {0.0}


@pytest.mark.slow
def test_an_exclusion_is_the_setting_that_differs(tmp_path: Path) -> None:
    first = run_project(project(tmp_path))
    made = project(tmp_path, SCENARIO, EXCLUDE)
    second = run_project(made)
    found = compare_runs(made, [1, 2])
    assert [(one.part, one.setting, one.values) for one in found.settings] == [
        ("disclosure neighbour", "exclusions", ("none", "work=no"))
    ]
    (row,) = [row for row in found.risk if (row.measure, row.target) == ("DiSCO", "work")]
    values = [
        next(f.value for f in run.figures if (f.measure, f.target) == ("DiSCO", "work"))
        for run in (first, second)
    ]
    assert row.values == tuple(values)
    assert row.change == pytest.approx(values[1] - values[0])
    assert row.change < 0


@pytest.mark.slow
def test_a_changed_file_is_told_by_its_content(tmp_path: Path) -> None:
    made = project(tmp_path)
    first = run_project(made)
    people(5).write_csv(tmp_path / "copy.csv")
    second = run_project(made)
    (change,) = compare_runs(made, [1, 2]).settings
    assert change.setting == "synthetic file copy.csv"
    assert change.values == (first.files[1].sha256[:12], second.files[1].sha256[:12])


@pytest.mark.slow
def test_what_one_run_did_not_measure_has_no_change(tmp_path: Path) -> None:
    run_project(project(tmp_path))
    made = project(tmp_path, SCENARIO, '\n[roles]\nignore = ["work"]\n')
    run_project(made)
    found = compare_runs(made, [1, 2])
    (row,) = [row for row in found.risk if (row.measure, row.target) == ("DiSCO", "work")]
    assert row.values[1] is None
    assert row.change is None
    settings = {(one.part, one.setting): one.values for one in found.settings}
    assert settings["disclosure neighbour", "targets"] == ("work, town, income", "town, income")
    assert not any(part and "neighbour work" in part for part, _ in settings)


@pytest.mark.slow
def test_statuses_are_against_the_limits_now_in_force(tmp_path: Path) -> None:
    made = project(tmp_path)
    run_project(made)
    run_project(made, again=True)
    row = next(row for row in compare_runs(made, [1, 2]).risk if row.measure == "DiSCO")
    assert row.statuses == ("no limit", "no limit")
    judged = project(tmp_path, SCENARIO, LIMITS)
    for row in compare_runs(judged, [1, 2]).risk:
        if row.measure == "DiSCO":
            value = row.values[0]
            assert value is not None
            expected = "within" if value <= 5 else "review" if value <= 10 else "above"
            assert row.statuses == (expected, expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ([1], "Give at least two run numbers, such as unveil compare 1 2."),
        ([], "Give at least two run numbers, such as unveil compare 1 2."),
        ([1, 1], "Give at least two run numbers, such as unveil compare 1 2."),
        ([1, 2, 2], "Run 2 is named twice. Name each run once."),
        ([1, 3], "There is no run 3. The runs are: 1."),
    ],
)
def test_numbers_that_mean_nothing_are_refused(
    tmp_path: Path, numbers: list[int], sentence: str
) -> None:
    made = project(tmp_path)
    run_project(made)
    with pytest.raises(SettingsError) as told:
        compare_runs(made, numbers)
    assert str(told.value) == sentence

"""All that a report shows: the run, what people said, what was decided, how it came about."""

import dataclasses

import pytest

from unveil.examples import survey
from unveil.project.history import _worst, changes
from unveil.project.project import Project
from unveil.project.write_report import _in_run, gather_report
from unveil.records.judgement import FigureRow
from unveil.records.report import ExclusionText, ReportContents
from unveil.records.run import RunComparison, SettingChange

KEYS = ["sex", "age", "settlement"]
ANALYST, OWNER = "A. Nalyst, survey team", "O. Wner, data holder"
CONDITION = "condition=no condition"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    """Two runs: another copy, a ruling, an exclusion, an answer and a decision between them."""
    folder = tmp_path_factory.mktemp("contents")
    columns = [*KEYS, "marital", "condition"]
    survey().head(800).select(columns).write_csv(folder / "survey.csv")
    p = Project.create(folder / "survey.csv", folder=folder, keys=KEYS, by=ANALYST)
    p.synthesise(seed=1)
    p.run(seed=7)
    p.decide(release=False, by=OWNER, note="not yet")
    p.rule(f"neighbour/{CONDITION}", accept=True, reason="nine in ten", by=ANALYST)
    p.whatif("marital=widowed", keep=True, reason="seen by all", by=ANALYST)
    p.answer("release_context", "to registered users", by=OWNER)
    p.synthesise(seed=2, min_leaf=30)
    p.run(records=True)
    return p


@pytest.fixture(scope="module")
def contents(project) -> ReportContents:
    return gather_report(project.file)[0]


@pytest.mark.slow
def test_it_is_about_the_last_run_and_its_records(project, contents):
    _, parts = gather_report(project.file)
    assert contents.run == project.result(2).record
    assert contents.judgement == project.judgement()
    assert parts["disclosure neighbour"] == project.result().parts["disclosure neighbour"]
    assert gather_report(project.file, 1)[0].run.number == 1


@pytest.mark.slow
def test_every_question_stands_there_with_its_answer(contents):
    said = {factor.name: factor.answer for factor in contents.factors}
    assert len(said) == 5
    assert said.pop("release_context") == "to registered users"
    assert set(said.values()) == {None}
    assert all(factor.question.endswith("?") for factor in contents.factors)


def test_scenarios_are_told_as_they_were_measured(contents):
    (scenario,) = contents.scenarios
    assert (scenario.name, scenario.template) == ("neighbour", "neighbour")
    assert set(scenario.keys) == set(KEYS)
    assert set(scenario.targets) == {"marital", "condition"}
    assert scenario.sentence == (
        "Assumed intruder: knows sex, age and settlement, has the synthetic data and treats them"
        " as real."
    )


def test_exclusions_stand_there_with_their_reasons_and_where_they_come_from(contents):
    told = [(one.rule, one.reason, one.by, one.from_ruling) for one in contents.exclusions]
    assert told == [
        ("marital=widowed", "seen by all", ANALYST, False),
        (CONDITION, "nine in ten", ANALYST, True),
    ]


def test_an_exclusion_that_came_after_a_run_is_marked_as_added_since(project, contents):
    earlier = gather_report(project.file, 1)[0].exclusions
    assert [(one.rule, one.in_run) for one in earlier] == [
        ("marital=widowed", False),
        (CONDITION, False),
    ]
    assert all(one.in_run for one in contents.exclusions)


def test_an_exclusion_that_the_project_has_no_more_still_stands_in_its_run(project):
    file = dataclasses.replace(project.file, excludes=(), rulings=project.file.rulings)
    ruling, gone = gather_report(file)[0].exclusions
    assert (ruling.rule, ruling.from_ruling, ruling.in_run) == (CONDITION, True, True)
    assert (gone.rule, gone.scenario, gone.in_run) == ("marital=widowed", "neighbour", True)
    assert gone.reason == "no longer in the project, so no reason is on record"


def test_one_exclusion_for_all_scenarios_is_told_for_each_where_they_differ():
    rule = ExclusionText(scenario=None, rule="a=1", reason="r", by="b", on=None, from_ruling=False)
    told = list(_in_run(rule, {"neighbour": ("a=1",), "colleague": ()}))
    assert [(one.scenario, one.in_run) for one in told] == [
        ("neighbour", True),
        ("colleague", False),
    ]


def test_the_history_has_a_line_for_each_run(project, contents):
    first, second = contents.history
    assert (first.run, first.changed, first.decision) == (1, (), f"refused by {OWNER}")
    assert (second.run, second.decision) == (2, None)
    rows = project.result(1).parts["disclosure neighbour"].attribute
    worst = max(rows, key=lambda row: row.DiSCO)
    assert (first.DiSCO, first.worst_target) == (worst.DiSCO, worst.target)
    pairs = project.result(1).parts["tables"].rows
    assert first.S_pMSE == max(row.S_pMSE for row in pairs if row.S_pMSE is not None)
    whole = project.result(1).parts["utility"].rows
    assert first.pMSE == max(row.pMSE for row in whole)


def test_the_history_says_what_had_changed(contents):
    changed = contents.history[1].changed
    assert "synthetic file copies/0001/FAKE_survey.csv is gone" in changed
    assert "synthetic file copies/0002/FAKE_survey.csv is new" in changed
    assert changed[0] == f"now excluded: marital=widowed; {CONDITION}"
    assert not any("exclusions" in one for one in changed)


def test_what_is_left_out_beside_the_run_before_stands_in_the_history(contents):
    first, second = contents.history
    assert (first.left_out, first.counted_again, first.same_files) == ((), (), False)
    assert (second.left_out, second.counted_again) == (("marital=widowed", CONDITION), ())
    assert not second.same_files


def test_the_decision_about_the_run_is_the_last_one(project):
    decided = gather_report(project.file, 1)[0].decision
    assert decided is not None
    assert (decided.run, decided.note) == (1, "not yet")
    assert gather_report(project.file, 2)[0].decision is None


def test_records_at_risk_are_named_where_they_were_written(project, contents):
    assert contents.records_file == "confidential/records_at_risk_0002.csv"
    assert (project.folder / contents.records_file).is_file()
    assert gather_report(project.file, 1)[0].records_file is None


def test_it_can_be_written_down_and_read_again(contents):
    assert ReportContents.from_json(contents.to_json()) == contents


def comparison(*settings: SettingChange) -> RunComparison:
    return RunComparison(runs=(1, 2), started=("", ""), settings=settings, risk=(), utility=())


@pytest.mark.parametrize(
    ("part", "setting", "values", "words"),
    [
        (
            None,
            "original file a.csv",
            ("0123456789ab", "ba9876543210"),
            "original file a.csv is another",
        ),
        (None, "seed", ("0123456789ab", "ba9876543210"), "seed is another"),
        (None, "unveil", ("0.1", "0.2"), "unveil was 0.1, now 0.2"),
        ("suda colleague", "measured", (None, "yes"), "suda colleague is new"),
        ("suda colleague", "measured", ("yes", None), "suda colleague is gone"),
        (
            "gtcap n income",
            "radii",
            ("none", "x" * 70),
            f"gtcap n income: radii was none, now {'x' * 59}…",
        ),
    ],
)
def test_changes_are_told_in_words(part, setting, values, words):
    assert changes(comparison(SettingChange(part=part, setting=setting, values=values))) == (words,)


def test_many_changes_are_counted():
    made = [SettingChange(part=None, setting=f"s{n}", values=("1", "2")) for n in range(12)]
    told = changes(comparison(*made))
    assert len(told) == 9
    assert told[-1] == "and 4 more"


def test_the_worst_figure_is_no_mean_and_not_what_was_not_measured():
    rows = [
        FigureRow(measure="repU", part="p", copy=copy, value=value)
        for copy, value in ((1, 3.0), (2, None), ("pooled", 5.0), ("mean", 9.0))
    ]
    found = _worst(rows, "repU")
    assert found is not None
    assert found.value == 5.0
    assert _worst(rows, "DiSCO") is None

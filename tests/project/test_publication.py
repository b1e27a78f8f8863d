"""A publication plan as part of a project: measured with every run, held against limits."""

import json

import msgspec
import pytest

import unveil
from project.run_projects import HEAD, LIMITS, people, project
from unveil.errors import InputError, SettingsError
from unveil.project.figures import list_figures
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.store import load_parts

PLAN = """
data = "people.csv"
threshold = 5

[[table]]
name = "Towns"
by = ["town", "sex"]
publish = "suppress:5"
margins = "all"

[[table]]
name = "Women"
by = ["town"]
where = { sex = "f" }
"""
SECTION = '\n[publication]\nplan = "tables/plan.toml"\nseconds = 60\n'


def made(folder, plan=PLAN, section=SECTION):
    (folder / "tables").mkdir()
    text = plan.replace('"people.csv"', '"../people.csv"')
    (folder / "tables" / "plan.toml").write_text(text, encoding="utf-8")
    return project(folder, "", section, head=HEAD)


def test_a_run_measures_the_plan_as_one_would_by_hand(tmp_path):
    opened = made(tmp_path)
    run = run_project(opened, seed=1)
    record = load_parts(tmp_path, run)["plan"]
    by_hand = unveil.Plan.from_file(tmp_path / "tables" / "plan.toml").disclosed(seconds=60).record
    assert json.loads(record.to_json()) == json.loads(by_hand.to_json())
    found = {row.measure: row.value for row in run.figures if row.part == "plan"}
    assert found["recovered"] == record.n_recovered + record.n_open
    assert found["near"] == record.n_recovered + record.n_near + record.n_open
    assert {one.path for one in run.files if one.role == "table"} >= {"tables/plan.toml"}


def test_what_is_not_settled_counts(tmp_path):
    run = run_project(made(tmp_path), seed=1)
    record = load_parts(tmp_path, run)["plan"]
    part = run.part("plan")
    rows = list_figures(part, msgspec.structs.replace(record, n_open=3))
    assert {row.measure: row.value for row in rows}["recovered"] == record.n_recovered + 3
    rows = list_figures(part, msgspec.structs.replace(record, complete=False))
    assert {row.value for row in rows} == {None}


def test_the_plan_is_measured_again_when_it_changes_only(tmp_path):
    opened = made(tmp_path)
    run_project(opened, seed=1)
    people(7).write_csv(tmp_path / "copy.csv")
    again = run_project(opened, seed=1)
    assert again.part("plan").state == "reused"
    file = tmp_path / "tables" / "plan.toml"
    file.write_text(file.read_text().replace("suppress:5", "suppress:3"), encoding="utf-8")
    assert run_project(opened, seed=1).part("plan").state == "measured"


def test_a_plan_that_cannot_be_read_is_not_measured_and_said_why(tmp_path):
    run = run_project(made(tmp_path, PLAN.replace('"town", "sex"', '"twn", "sex"')), seed=1)
    part = run.part("plan")
    assert part.state == "not measured"
    assert "twn" in part.reason


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ("\n[publication]\nseconds = 3\n", "[publication] has no plan. Name the file: plan ="),
        ('\n[publication]\nplan = "p.toml"\nwidth = -1\n', "width is -1. It must be a whole"),
        ('\n[publication]\npaln = "p.toml"\n', "paln"),
    ],
)
def test_a_section_that_means_nothing_is_refused(tmp_path, section, sentence):
    with pytest.raises(SettingsError, match=r"project\.toml") as refused:
        made(tmp_path, section=section)
    assert sentence in str(refused.value)


def test_counts_that_a_plan_discloses_are_decided_on_where_no_limit_covers_them(tmp_path):
    older = PLAN.replace('sex = "f"', 'age = ">= 21"')  # the difference are people of 20
    made(tmp_path, older, SECTION + LIMITS)
    done = unveil.Project(tmp_path).run(seed=1)
    (alert,) = [one for one in done.summary.alerts if one.kind == "plan"]
    n = sum(row.value for row in done.record.figures if row.measure == "recovered")
    assert n > 0
    assert (alert.id, alert.status) == ("plan:recovered", "decide")
    assert f"disclose {n:,.0f} counts together" in alert.sentence
    assert done.exit_code != 0


def test_a_table_of_a_project_may_have_a_hierarchy(tmp_path):
    counts = "region,ward,n\nN,W1,4\nN,W2,8\nS,W1,0\nS,W2,0\n"
    section = '\n[[table]]\nname = "wards"\nfile = "wards.csv"\nn_max = 1\n'
    found = []
    for place, nested in enumerate(("", 'nested = { ward = "region" }\n')):
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / "wards.csv").write_text(counts, encoding="utf-8")
        run = run_project(project(folder, "", section + nested, head=HEAD), seed=1)
        found.append(load_parts(folder, run)["sap wards"].taught.n_recovered)
    assert found == [2, 0]
    (folder / "project.toml").write_text(HEAD + section + 'nested = ["ward"]\n')
    with pytest.raises(InputError, match="names pairs of dimensions"):
        read_project(folder)

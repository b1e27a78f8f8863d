"""`unveil set`: settings changed by a named person, all of them or none."""

import shutil

import pytest

from cli.project_commands import typed
from project_cases import ran
from unveil import Project
from unveil.project.verify import verify_project

BY = ("--by", "A. Jones, analyst")


def text_of(folder):
    return (folder / "project.toml").read_text()


def test_several_settings_are_one_edit_and_one_line_of_the_log(tmp_path):
    folder = ran(tmp_path)
    before = Project.open(folder)
    n_lines, scenario = len(before.log()), before.file.scenarios[0]
    keys = list(scenario.keys[:1])
    said = (f"scenario.{scenario.name}.keys={keys!r}".replace("'", '"'), "context.audience=open")
    code, shown, _ = typed(folder, "set", *said, "data.sampling_fraction=0.01", *BY)
    after = Project.open(folder)
    assert (code, "3 settings recorded by A. Jones, analyst." in shown) == (0, True)
    assert after.file.scenarios[0].keys == tuple(keys)
    assert (after.file.context.audience, after.file.data.sampling_fraction) == ("open", 0.01)
    assert len(after.log()) == n_lines + 1
    last = after.log()[-1]
    assert (last.event, last.by) == ("settings", "A. Jones, analyst")
    assert last.subject == f"scenario.{scenario.name}.keys context.audience data.sampling_fraction"
    assert not verify_project(folder).faults


def test_comments_beside_names_stay_and_an_entry_can_be_added_or_taken_out(tmp_path):
    folder = ran(tmp_path)
    place = folder / "project.toml"
    lines = '\n[roles]\nignore = [\n    "p", # first\n    "q", # second\n]\n'
    place.write_text(
        text_of(folder).replace("\n[roles]\n", lines)
        if "[roles]" in text_of(folder)
        else text_of(folder) + lines
    )
    typed(folder, "set", 'roles.ignore=["q", "r"]', *BY)
    assert '"q", # second' in text_of(folder)
    assert "# first" not in text_of(folder)
    typed(folder, "set", 'protect.step+={do = "synthesise"}', "roles.ignore=", *BY)
    file = Project.open(folder).file
    assert (file.roles.ignore, [dict(one) for one in file.steps]) == ((), [{"do": "synthesise"}])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("limits.DiSCO=[1, 2]", "unveil limits --help"),
        ("context.other_sources=x", "unveil answer --help"),
        ("ruling+={}", "unveil rule --help"),
        ("roles.kye=age", "Did you mean 'key'?"),
        ("scenario.neighbor.keys=1", "There is no scenario 'neighbor'."),
        ("nothing", "is not a setting"),
        ("a b=1", "is not the name of a setting"),
    ],
)
def test_what_cannot_be_set_is_refused_and_nothing_is_written(tmp_path, said, told):
    folder = ran(tmp_path)
    was = text_of(folder)
    code, _, fault = typed(folder, "set", "context.audience=open", said, *BY)
    assert (code, told in fault, text_of(folder) == was) == (2, True, True)


def test_a_name_is_required(tmp_path):
    assert typed(ran(tmp_path), "set", "context.audience=open")[0] == 2
    assert typed(ran(tmp_path / "other"), "set", *BY)[0] == 2


def test_who_looked_at_records_at_risk_is_in_the_log(tmp_path):
    folder = ran(tmp_path)
    code, _, told = typed(folder, "report", "--only-records", *BY, takes_option=False)
    last = Project.open(folder).log()[-1]
    assert (code, last.event, last.by, last.subject) == (0, "records", BY[1], "1")
    kept = folder / "confidential" / "records_at_risk_0001.csv"
    assert (kept.is_file(), "CONFIDENTIAL" in told) == (True, True)
    assert not verify_project(folder).faults
    assert typed(folder, "report", *BY, takes_option=False)[0] == 2
    shutil.copy(folder / "original.csv", folder / "kept.csv")
    with (folder / "original.csv").open("a") as file:
        file.write((folder / "kept.csv").read_text().splitlines()[-1] + "\n")
    code, _, fault = typed(folder, "report", "--only-records", *BY, takes_option=False)
    assert (code, "cannot be listed" in fault) == (2, True)
    assert len(Project.open(folder).log()) == last.n


def test_every_value_that_is_shown_is_explained_with_how_often_it_is_correct(tmp_path):
    folder = ran(tmp_path)
    record = Project.open(folder).result().parts.of("disclosure")[0][1]
    target = record.targets[0]
    shown = typed(folder, "explain", target, "--values")[1]
    for row in record.by_value:
        n = row.n_correct + row.n_wrong
        if row.target == target and row.copy == 1 and n and row.kind == "value":
            cells = next(
                one.split() for one in shown.splitlines() if one.split()[:1] == [row.level]
            )
            assert cells[1:3] == [f"{n:,}", f"{row.n_correct:,}"]
            break
    else:
        pytest.fail("no value is shown")

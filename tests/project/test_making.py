"""Copies made inside a project: by its settings, entered in its file, logged, all or nothing."""

import json
import os
import stat

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import unveil
from unveil.cli.protect import protect
from unveil.cli.synthesise import synthesise
from unveil.errors import InputError, RolesError, SettingsError, WriteError
from unveil.project import make_copies
from unveil.project.log import read_log
from unveil.project.make_copies import protect_copy, synthesise_project
from unveil.project.read_project import read_project
from unveil.project.sources import list_files
from unveil.records.protection import ConfidentialProtection
from unveil.records.synthesis import ConfidentialSynthesis

PROJECT = """# what we know
title = "people"

[data]
original = "people.csv"   # as it came
missing_values = ["NA"]
special_codes = {income = [-8]}

[context]
analyst = "A. Nalyst, survey team"

[roles]
identifier = ["id"]

[[scenario]]
name = "neighbour"
keys = ["sex", "age"]
targets = "all"

[synthesis]
min_leaf = 20
order = ["age", "sex", "income", "work"]
"""
STEPS = """
[[protect.step]]
do = "top_code"
column = "age"
at = 75

[[protect.step]]
do = "synthesise"
"""


def people() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "id": [f"P{number:04d}" for number in range(150)],
            "sex": rng.choice(["f", "m"], 150),
            "age": rng.integers(16, 90, 150),
            "work": rng.choice(["yes", "no", "NA"], 150),
            "income": rng.choice([-8, 1000, 1500, 2000], 150),
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    people().write_csv(tmp_path / "people.csv")
    (tmp_path / "project.toml").write_text(PROJECT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_copies_are_made_by_the_settings_of_the_project_and_entered_there(folder):
    made = synthesise_project(read_project(), seed=3)
    plain = unveil.synthesise(
        people().drop("id"),
        min_leaf=20,
        order=["age", "sex", "income", "work"],
        special_codes={"income": [-8]},
        missing_values=["NA"],
        seed=3,
    )
    assert made.result.copies[0].equals(plain.copies[0])
    assert [os.path.relpath(path) for path in made.copies] == ["copies/0001/FAKE_people.csv"]
    assert read_project().data.synthetic == ("copies/0001/FAKE_people.csv",)
    assert "id" not in pl.read_csv("copies/0001/FAKE_people.csv").columns


def test_every_other_line_of_the_project_file_stays(folder):
    synthesise_project(read_project(), seed=3)
    text = (folder / "project.toml").read_text(encoding="utf-8")
    added = [line for line in text.splitlines() if line not in PROJECT.splitlines()]
    assert added == ['synthetic = ["copies/0001/FAKE_people.csv"]']
    assert [line for line in text.splitlines() if line not in added] == PROJECT.splitlines()


def test_the_seed_is_kept_where_only_its_owner_reads_it(folder):
    made = synthesise_project(read_project())
    kept = folder / "confidential/synthesis_0001.json"
    record = ConfidentialSynthesis.from_json(kept.read_bytes())
    assert record.seed == made.result.seed
    assert record.copies == ("copies/0001/FAKE_people.csv",)
    assert record.synthesis == made.record
    assert mode(kept) == 0o600
    assert mode(kept.parent) == 0o700


def test_the_event_is_logged_with_the_analyst_and_no_name_of_a_file(folder):
    synthesise_project(read_project(), seed=3)
    lines = read_log(folder)
    assert [(line.event, line.by) for line in lines] == [("synthesise", "A. Nalyst, survey team")]
    assert "FAKE" not in (folder / "log.jsonl").read_text(encoding="utf-8")


def test_what_is_made_next_gets_a_folder_of_its_own_and_takes_the_place(folder):
    synthesise_project(read_project(), seed=3)
    synthesise_project(read_project(), seed=4, copies=2)
    assert read_project().data.synthetic == (
        "copies/0002/FAKE_people_1.csv",
        "copies/0002/FAKE_people_2.csv",
    )
    assert (folder / "copies/0001/FAKE_people.csv").exists()
    assert [line.event for line in read_log(folder)] == ["synthesise", "synthesise"]


def test_what_is_given_wins_over_the_project(folder):
    made = synthesise_project(read_project(), seed=3, min_leaf=30, order=["age", "work"])
    assert made.record.min_leaf == 30
    assert made.result.copies[0].columns == ["age", "work"]


def test_an_identifier_is_in_the_copy_only_by_an_instruction(folder):
    with pytest.raises(RolesError) as caught:
        synthesise_project(read_project(), seed=3, order=["id", "age"])
    assert str(caught.value) == (
        "order names 'id', which has the role identifier and is excluded. Remove it there, or"
        " state what to do with it: renumber or real_values."
    )
    assert files(folder) == ["people.csv", "project.toml"]
    numbered = synthesise_project(read_project(), seed=3, order=["age"], renumber="id")
    assert numbered.result.copies[0]["id"][:2].to_list() == ["FAKE_1", "FAKE_2"]
    given = {"order": ["id", "age"], "real_values": {"id": "invented"}}
    made = synthesise_project(read_project(), seed=3, **given)
    assert set(made.result.copies[0]["id"]) <= set(people()["id"])
    assert made.warnings[0].startswith("The synthetic data repeat real values of 'id'")


def test_a_column_that_points_at_people_is_refused_whatever_its_role(folder):
    text = PROJECT.replace('identifier = ["id"]', 'target = ["id"]').partition("order = ")[0]
    (folder / "project.toml").write_text(text, encoding="utf-8")
    with pytest.raises(RolesError, match="Column 'id': 150 different values among 150 records"):
        synthesise_project(read_project(), seed=3)
    (folder / "project.toml").write_text(text + 'drop = ["id"]\n', encoding="utf-8")
    assert "id" not in synthesise_project(read_project(), seed=3).result.copies[0].columns


def test_a_copy_that_is_gone_does_not_keep_others_from_being_made(folder):
    synthesise_project(read_project(), seed=3)
    (folder / "copies/0001/FAKE_people.csv").unlink()
    done = CliRunner().invoke(synthesise, ["--seed", "1"], catch_exceptions=False)
    assert done.exit_code == 0
    assert read_project().data.synthetic == ("copies/0002/FAKE_people.csv",)


def test_copies_elsewhere_are_named_from_the_folder_of_the_project_on(folder):
    inside = folder / "project"
    inside.mkdir()
    text = PROJECT.replace("people.csv", "../people.csv")
    (inside / "project.toml").write_text(text, encoding="utf-8")
    synthesise_project(read_project(inside), seed=3, out=folder / "elsewhere")
    assert read_project(inside).data.synthetic == ("../elsewhere/FAKE_people.csv",)


def test_edits_made_while_copies_are_drawn_are_kept(folder, monkeypatch):
    def edited_meanwhile(*given, **asked):
        text = (folder / "project.toml").read_text(encoding="utf-8")
        (folder / "project.toml").write_text(text + "# mine\n", encoding="utf-8")
        return unveil.synthesise(*given, **asked)

    monkeypatch.setattr(make_copies, "synthesise", edited_meanwhile)
    synthesise_project(read_project(), seed=3)
    text = (folder / "project.toml").read_text(encoding="utf-8")
    assert text.endswith("# mine\n")
    assert "FAKE_people" in text


def test_a_project_file_broken_meanwhile_leaves_the_copies_and_says_what_to_enter(
    folder, monkeypatch
):
    def broken_meanwhile(*given, **asked):
        (folder / "project.toml").write_text("[data", encoding="utf-8")
        return unveil.synthesise(*given, **asked)

    project = read_project()
    monkeypatch.setattr(make_copies, "synthesise", broken_meanwhile)
    with pytest.raises(InputError) as caught:
        synthesise_project(project, seed=3)
    assert str(caught.value).splitlines()[0] == (
        "The synthetic files are written, but could not be entered in project.toml. Enter them"
        " yourself, under [data]: synthetic = ['copies/0001/FAKE_people.csv']."
    )
    assert (folder / "copies/0001/FAKE_people.csv").exists()
    assert (folder / "project.toml").read_text(encoding="utf-8") == "[data"


def test_where_the_seed_cannot_be_kept_nothing_is_left(folder, monkeypatch):
    def full(*given, **asked):
        raise WriteError("The disk is full.")

    monkeypatch.setattr(make_copies, "write_new", full)
    with pytest.raises(WriteError, match="The disk is full"):
        synthesise_project(read_project(), seed=3)
    assert files(folder) == ["people.csv", "project.toml"]
    assert (folder / "project.toml").read_text(encoding="utf-8") == PROJECT


@pytest.mark.parametrize(
    ("given", "kind", "sentence"),
    [
        (
            {"order": ["age", "sxe"]},
            RolesError,
            "The original (people.csv) has no column 'sxe'. Did you mean 'sex'? Its columns are:"
            " id, sex, age, work, income.",
        ),
        ({"copies": 0}, SettingsError, "copies is 0. It must be a whole number from 1 to 10,000."),
        ({"seed": -1}, SettingsError, None),
    ],
)
def test_bad_settings_are_refused_as_the_plain_call_refuses_them(folder, given, kind, sentence):
    with pytest.raises(kind) as caught:
        synthesise_project(read_project(), **given)
    assert sentence is None or sentence in str(caught.value)
    assert files(folder) == ["people.csv", "project.toml"]


def test_the_command_takes_the_project_of_the_working_folder(folder):
    done = CliRunner().invoke(synthesise, ["--seed", "3", "--json"], catch_exceptions=False)
    document = json.loads(done.stdout)
    assert document["min_leaf"] == 20
    assert document["project"] == "project.toml"
    assert document["written"] == [
        "copies/0001/FAKE_people.csv",
        "copies/0001/FAKE_people.codebook.json",
        "confidential/synthesis_0001.json",
    ]
    assert read_project().data.synthetic == ("copies/0001/FAKE_people.csv",)


def test_the_command_says_what_was_entered_and_what_comes_next(folder):
    done = CliRunner().invoke(synthesise, ["project.toml", "--min-leaf", "25"])
    assert "Entered in project.toml, under [data] synthetic." in done.stdout
    assert "unveil run" in done.stdout
    kept = (folder / "confidential/synthesis_0001.json").read_bytes()
    assert ConfidentialSynthesis.from_json(kept).synthesis.min_leaf == 25
    assert str(ConfidentialSynthesis.from_json(kept).seed) not in done.stdout


def test_a_file_that_is_named_is_synthesised_without_the_project(folder):
    asked = ["people.csv", "--out", "apart", "--seed", "3", "--drop", "id"]
    CliRunner().invoke(synthesise, asked)
    assert (folder / "apart/FAKE_people.csv").exists()
    assert read_project().data.synthetic == ()
    assert not (folder / "log.jsonl").exists()


def test_a_protected_copy_is_entered_and_logged(folder):
    (folder / "project.toml").write_text(PROJECT + STEPS, encoding="utf-8")
    made = protect_copy(read_project(), seed=3)
    assert read_project().data.synthetic == ("protected/FAKE_people.csv",)
    assert [line.event for line in read_log(folder)] == ["protect"]
    kept = (folder / "confidential/protected/protection.json").read_bytes()
    assert ConfidentialProtection.from_json(kept).protection == made.record
    named = [one.path for one in list_files(read_project()) if one.role == "protection"]
    assert named == ["confidential/protected/protection.json"]


def test_a_protected_copy_has_no_identifiers(folder):
    (folder / "project.toml").write_text(PROJECT.partition("[synthesis]")[0] + STEPS, "utf-8")
    made = protect_copy(read_project(), seed=3)
    assert pl.read_csv("protected/FAKE_people.csv").columns == ["sex", "age", "work", "income"]
    assert "id is excluded: the project calls it an identifier." in made.warnings


def test_an_identifier_that_predicts_is_not_in_the_protected_copy(folder):
    more = '[synthesis]\npredictors = {income = ["id"]}\n'
    text = PROJECT.partition("[synthesis]")[0] + more + STEPS
    (folder / "project.toml").write_text(text, encoding="utf-8")
    assert "id" not in protect_copy(read_project(), seed=3).result.s3.columns


def test_an_identifier_that_a_step_drops_is_left_to_the_step(folder):
    text = PROJECT.partition("[synthesis]")[0] + '[[protect.step]]\ndo = "drop"\ncolumn = "id"\n'
    (folder / "project.toml").write_text(text + STEPS, "utf-8")
    made = protect_copy(read_project(), seed=3)
    assert "id" not in made.result.s3.columns
    assert not any("calls it an identifier" in one for one in made.warnings)


def test_protect_takes_the_project_of_the_working_folder(folder):
    (folder / "project.toml").write_text(PROJECT + STEPS, encoding="utf-8")
    done = CliRunner().invoke(protect, ["--seed", "3"], catch_exceptions=False)
    assert "Entered in project.toml, under [data] synthetic." in done.stdout
    assert read_project().data.synthetic == ("protected/FAKE_people.csv",)


def test_printing_copies_shows_no_row(folder):
    made = synthesise_project(read_project(), seed=3)
    assert repr(made) == "Synthesiser of 4 columns and 150 rows: 1 copy of 150 rows"
    assert "P0001" not in made._repr_html_()

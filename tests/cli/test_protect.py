"""`unveil protect`: what it prints, what it writes, and that it writes all or nothing."""

import json
import stat

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from unveil.cli.protect import protect
from unveil.errors import UnveilError, WriteError
from unveil.examples import labelled_survey
from unveil.io.sources import read_table
from unveil.io.write_file import write_file
from unveil.records.protection import ConfidentialProtection, Protection

PROJECT = """
[data]
original = "people.csv"

[roles]
key = ["sex", "age"]
target = ["work"]

[[protect.step]]
do = "top_code"
column = "age"
at = 75

[[protect.step]]
do = "synthesise"

[[protect.step]]
do = "distance_filter"
columns = ["age", "height"]

[[protect.step]]
do = "add_noise"
column = "height"
population = "normal(170, 9)"
N = 60000
threshold = 0.137
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(5)
    frame = {
        "sex": rng.choice(["f", "m"], 150),
        "age": rng.normal(45, 17, 150).round(1),
        "height": rng.normal(170, 9, 150).round(2),
        "work": rng.choice(["yes", "no"], 150),
    }
    pl.DataFrame(frame).write_csv(tmp_path / "people.csv")
    (tmp_path / "project.toml").write_text(PROJECT, encoding="utf-8")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(protect, [str(one) for one in arguments], env={"COLUMNS": "100"})


def done(*arguments):
    made = run(*arguments)
    if made.exception is not None:
        raise made.exception
    return made


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.slow
def test_the_copy_the_statement_and_the_confidential_record_are_written(folder):
    made = done(folder / "project.toml", "--seed", 987654321)
    out = folder / "protected"
    assert files(out) == [
        *("FAKE_people.codebook.json", "FAKE_people.csv", "noise_statement.txt"),
    ]
    assert pl.read_csv(out / "FAKE_people.csv").height == 150
    assert "height: normal noise" in (out / "noise_statement.txt").read_text(encoding="utf-8")
    assert not any("987654321" in path.read_text(encoding="utf-8") for path in out.iterdir())
    apart = folder / "confidential" / "protected"
    record = ConfidentialProtection.from_json((apart / "protection.json").read_bytes())
    assert record.seeds.seed == 987654321
    assert record.protection.files == ("people.csv",)
    flat = " ".join(made.stdout.split())
    assert (
        "150 rows of synthetic data were made from 150 records of people.csv, in 4 steps." in flat
    )
    for words in ("1. top_code", "3. distance_filter", "Rounds of the filter", "highest ECAP is"):
        assert words in flat
    assert "The noise statement may be published. Everything else shown here is" in flat
    assert "987654321" not in made.stdout
    assert f"must not be released are in {apart}." in flat.replace("- ", "-")


@pytest.mark.slow
def test_only_its_owner_may_read_what_is_confidential(folder):
    done(folder / "project.toml", "--keep-stages", "--out", folder / "out")
    inside = folder / "confidential" / "out"
    assert mode(inside) == mode(inside.parent) == 0o700
    assert {mode(path) for path in inside.iterdir()} == {0o600}
    assert [name for name in files(inside) if name.endswith(".csv")] == [
        "FAKE_people_S1_synthesis_only.csv",
        "FAKE_people_S2_before_noise.csv",
    ]


@pytest.mark.slow
def test_one_json_document_is_printed_without_seeds(folder):
    made = done(folder / "project.toml", "--seed", 987654321, "--sweep", "10,33", "--json")
    found = json.loads(made.stdout)
    assert "987654321" not in made.stdout
    assert [row["min_leaf"] for row in found["sweep"]] == [10, 33]
    assert len(found.pop("written")) == 4
    assert Protection.from_json(json.dumps(found)).n_s3 == 150


@pytest.mark.slow
def test_the_sweep_is_shown_as_a_table(folder):
    flat = " ".join(done(folder / "project.toml", "--sweep", "10,33").stdout.split())
    assert "Sizes of leaves" in flat
    assert "33 (used) 100" in flat
    assert "Keys: sex and age." in flat


@pytest.mark.slow
def test_the_same_seed_writes_the_same_copy(folder):
    for out in ("a", "b"):
        done(folder / "project.toml", "--seed", 4, "--out", folder / out)
    first, second = (folder / out / "FAKE_people.csv" for out in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet", "sav", "dta"])
def test_the_copy_keeps_the_labels_of_the_original_in_every_format(tmp_path, ending):
    write_file(labelled_survey(), tmp_path / "survey.sav", fake=False)
    text = '[data]\noriginal = "survey.sav"\n[synthesis]\nrows = 60\n[[protect.step]]\n'
    text += 'do = "synthesise"\n[[protect.step]]\ndo = "add_noise"\ncolumn = "income"\nsigma = 9\n'
    (tmp_path / "project.toml").write_text(text, encoding="utf-8")
    done(tmp_path / "project.toml", "--format", ending, "--seed", 1)
    copy = read_table(tmp_path / "protected" / f"FAKE_survey.{ending}", side="synthetic")
    was = read_table(tmp_path / "survey.sav", side="original")
    assert copy.frame.height == 60
    assert copy.variables["region"].levels == was.variables["region"].levels
    assert copy.variables["region"].label == was.variables["region"].label


def test_nothing_is_written_where_a_later_step_fails(folder):
    text = PROJECT.replace("N = 60000", "N = 160")
    (folder / "project.toml").write_text(text, encoding="utf-8")
    before = files(folder)
    made = run(folder / "project.toml")
    assert isinstance(made.exception, UnveilError)
    assert made.exception.exit_code == 2
    assert files(folder) == before
    assert not (folder / "protected").exists()


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["write_files", "write_new"])
def test_nothing_is_left_where_a_file_cannot_be_written(folder, monkeypatch, broken):
    import unveil.project.make_copies as room

    real, calls = getattr(room, broken), []

    def failing(*arguments, **settings):
        calls.append(1)
        if len(calls) == (1 if broken == "write_files" else 2):
            raise WriteError("The disk is full.")
        return real(*arguments, **settings)

    monkeypatch.setattr(room, broken, failing)
    before = files(folder)
    assert str(run(folder / "project.toml").exception) == "The disk is full."
    assert files(folder) == before
    assert not (folder / "protected").exists()


def test_a_folder_that_holds_such_files_is_refused_before_anything_is_done(folder):
    inside = folder / "confidential" / "protected"
    inside.mkdir(parents=True)
    (inside / "protection.json").write_text("mine", encoding="utf-8")
    made = run(folder / "project.toml")
    assert str(made.exception) == (
        f"The folder '{inside}' already holds protection.json. Nothing was written. Name"
        " another folder, or move the old files away first."
    )
    assert (inside / "protection.json").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["people.csv/out", f"{'n' * 300}/out"])
def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_done(folder, monkeypatch, name):
    monkeypatch.setattr("unveil.project.make_copies.protect_project", None)
    before = files(folder)
    made = run(folder / "project.toml", "--out", folder / name)
    assert isinstance(made.exception, WriteError)
    assert " cannot be made: " in str(made.exception)
    assert files(folder) == before


@pytest.mark.slow
def test_a_sweep_that_cannot_be_done_is_refused_before_anything_is_fitted(folder, monkeypatch):
    monkeypatch.setattr("unveil.protection.steps.synthesise", None)
    made = run(folder / "project.toml", "--sweep", "5,151")
    assert str(made.exception) == (
        "A leaf of the sweep is 151, but the original has 150 rows. Give smaller sizes."
    )


@pytest.mark.slow
def test_folders_above_are_not_left_where_a_file_cannot_be_written(folder, monkeypatch):
    def failing(*arguments, **settings):
        raise WriteError("The disk is full.")

    monkeypatch.setattr("unveil.project.make_copies.write_new", failing)
    made = run(folder / "project.toml", "--out", folder / "a" / "b" / "c")
    assert str(made.exception) == "The disk is full."
    assert not (folder / "a").exists()
    assert not (folder / "confidential").exists()


@pytest.mark.parametrize("name", [".", "..", "confidential"])
def test_nothing_is_made_for_release_where_confidential_files_are(folder, monkeypatch, name):
    monkeypatch.setattr("unveil.project.make_copies.protect_project", None)
    made = run(folder / "project.toml", "--out", folder / name)
    assert isinstance(made.exception, WriteError)
    assert "needs a folder of its own. Name another: --out protected" in str(made.exception)


@pytest.mark.slow
def test_a_confidential_folder_that_others_may_look_into_is_told_of(folder):
    inside = folder / "confidential" / "protected"
    inside.mkdir(parents=True)
    inside.chmod(0o755)
    made = done(folder / "project.toml")
    assert "Others than its owner may look into the folder" in made.stderr
    assert mode(inside) == 0o755
    assert mode(inside / "protection.json") == 0o600


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["people.csv"],
            "'people.csv' is not a project file: it does not end in .toml. Make a project of it:"
            " unveil init people.csv.",
        ),
        (
            ["project.toml", "--sweep", "a"],
            "A leaf of the sweep is 'a'. It must be a whole number from 1 on.",
        ),
        (["project.toml", "--seed", "-1"], "--seed is -1. It must be a whole number from 0 on."),
        (
            ["project.toml", "--rows", "0"],
            "rows is 0. It must be a whole number from 1 to 100,000,000.",
        ),
        (
            ["project.toml", "--out", "people.csv"],
            "'people.csv' is a file, not a folder. Name a folder.",
        ),
    ],
)
def test_wrong_use_is_answered_with_a_sentence(folder, monkeypatch, arguments, sentence):
    monkeypatch.chdir(folder)
    made = run(*arguments)
    assert str(made.exception) == sentence
    assert made.exception.exit_code == 2


def test_where_there_is_no_project_one_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = run()
    assert str(made.exception) == (
        "There is no project.toml here. Make one: unveil init survey.csv; or name the folder of"
        " your project."
    )


@pytest.mark.parametrize("named", [["."], ["--project", "."], ["--project", "project.toml"]])
def test_the_project_is_named_as_in_the_other_commands(folder, monkeypatch, named):
    monkeypatch.chdir(folder)
    made = run(*named, "--seed", "-1")
    assert str(made.exception) == "--seed is -1. It must be a whole number from 0 on."
    twice = run("project.toml", "--project", ".")
    assert str(twice.exception).startswith("The project is named twice.")


def test_names_that_steer_a_terminal_are_made_visible(tmp_path):
    name = "h\x1b[31mt"
    frame = {name: np.random.default_rng(1).normal(170, 9, 80), "b": ["x", "y"] * 40}
    pl.DataFrame(frame).write_parquet(tmp_path / "people.parquet")
    text = '[data]\noriginal = "people.parquet"\n[[protect.step]]\ndo = "add_noise"\n'
    text += 'column = "h\\u001b[31mt"\nsigma = 1\n'
    (tmp_path / "project.toml").write_text(text, encoding="utf-8")
    made = done(tmp_path / "project.toml", "--format", "parquet")
    assert "\x1b" not in made.stdout
    assert "\x1b" not in (tmp_path / "protected" / "noise_statement.txt").read_text()

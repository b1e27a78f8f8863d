"""`unveil codebook`: what it prints, what it writes, what it refuses, and how it ends."""

import csv
import json
import os

import pytest
from click.testing import CliRunner

import unveil
from unveil.cli.codebook import codebook
from unveil.io.dictionary import read_dictionary

LIST = """variable,code,label,variable label,missing
sex,1,Male,Sex,
sex,2,Female,,
sex,-9,Refused,,yes
age,,,Age in years,
"""


@pytest.fixture
def folder(tmp_path):
    rows = [f"{1 + i % 2},{20 + i % 60},N" for i in range(100)]
    lines = ["sex,age,place", *rows, "-9,30,canary"]
    (tmp_path / "people.csv").write_text("\n".join(lines), encoding="utf-8")
    copy = ["sex,place,Age", *(f"{1 + i % 2},N,{20 + i % 60}" for i in range(100))]
    (tmp_path / "copy.csv").write_text("\n".join(copy), encoding="utf-8")
    (tmp_path / "list.csv").write_text(LIST, encoding="utf-8")
    return tmp_path


def run(folder, *arguments, code=0):
    given = [
        str(folder / one) if str(one).endswith((".csv", ".json", ".html")) else one
        for one in arguments
    ]
    done = CliRunner().invoke(codebook, given, env={"COLUMNS": "100"}, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    assert done.return_value == code
    return done


def test_the_screen_says_what_is_declared_and_what_is_there(folder):
    shown = run(folder, "people.csv", "--dictionary", "list.csv").stdout
    assert "Codebook of people.csv: 101 records, 3 columns, 1 of them with declared codes" in shown
    assert "1 Male, 2 Female, -9 Refused (missing)" in shown
    assert "22 to 75" in shown  # the fifth from below and from above
    assert "canary" not in shown


def test_without_the_records_only_what_is_declared_is_told(folder):
    shown = run(folder, "people.csv", "--dictionary", "list.csv", "--declared-only").stdout
    assert "nothing from the records is shown" in shown
    assert " %" not in shown


def test_the_documents_are_those_of_the_library_and_can_be_read_back(folder):
    done = run(folder, "people.csv", "--dictionary", "list.csv", "--json")
    result = unveil.codebook(folder / "people.csv", dictionary=folder / "list.csv")
    assert json.loads(done.stdout) == json.loads(result.to_json())
    for name in ("out.json", "out.csv"):
        done = run(folder, "people.csv", "--dictionary", "list.csv", "--out", name)
        assert done.stdout == ""
        assert f"written to {folder / name}." in done.stderr
        assert read_dictionary(folder / name).variables == result.variables
        assert "canary" not in (folder / name).read_text(encoding="utf-8")
        if os.name == "posix":
            assert (folder / name).stat().st_mode & 0o777 == 0o600


def test_csv_has_a_row_for_each_column_and_code(folder):
    done = run(folder, "people.csv", "--dictionary", "list.csv", "--csv")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [(row["row"], row["variable"], row["code"]) for row in rows] == [
        ("variable", "sex", ""),
        ("code", "sex", "1"),
        ("code", "sex", "2"),
        ("code", "sex", "-9"),
        ("variable", "age", ""),
        ("variable", "place", ""),
        ("found", "place", "N"),
    ]


def test_a_page_is_written_whole_and_nothing_is_printed(folder):
    done = run(folder, "people.csv", "--html", "page.html")
    assert done.stdout == ""
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")
    assert sorted(path.name for path in folder.iterdir()) == [
        *("copy.csv", "list.csv", "page.html", "people.csv")
    ]


def test_two_files_are_compared(folder):
    shown = run(folder, "people.csv", "copy.csv").stdout
    assert "copy.csv differs in structure from people.csv: 3 differences" in shown
    assert "Column 'age' is called" in shown
    assert "canary" not in shown
    rows = json.loads(run(folder, "people.csv", "copy.csv", "--json").stdout)["rows"]
    assert [row["kind"] for row in rows] == ["name", "category", "order"]
    assert run(folder, "people.csv", "copy.csv", "--csv").stdout.startswith(
        "kind,variable,original"
    )
    run(folder, "people.csv", "copy.csv", "--html", "page.html")
    assert "Structure of the synthetic data" in (folder / "page.html").read_text(encoding="utf-8")


def test_a_gate_ends_with_3_where_there_is_a_difference(folder):
    run(folder, "people.csv", "copy.csv", "--strict", code=3)
    run(folder, "people.csv", "people.csv", "--strict", code=0)
    run(folder, "people.csv", "copy.csv", code=0)


BAD = [
    ((), "Name the file: unveil codebook survey.sav."),
    (
        ("people.csv", "--json", "--csv"),
        "--json and --csv cannot be printed together. Choose one.",
    ),
    (
        ("people.csv", "--strict"),
        "--strict is for two files: unveil codebook ORIGINAL SYNTHETIC --strict.",
    ),
    (
        ("people.csv", "copy.csv", "--declared-only"),
        "--declared-only is for one file; two files are compared by their records too. Drop it, or"
        " describe one file after the other.",
    ),
    (
        ("people.csv", "--out", "x.txt"),
        "--out writes a JSON or CSV document. Name a file that ends in .json or .csv, not 'x.txt';"
        " --html writes a page.",
    ),
    (
        ("people.csv", "--out", "x.csv", "--html", "x.csv"),
        "--html and --out name the same file. Give each its own.",
    ),
    (
        ("people.csv", "--html", "list.csv"),
        "The file 'FOLDER/list.csv' is there already. Nothing was written. Name another file, or"
        " move the old one away first.",
    ),
    (
        ("people.csv", "--html", "no/page.html"),
        "There is no folder 'FOLDER/no' to write to. Make it first, or name another.",
    ),
    (
        ("people.csv", "--dictionary", "gone.csv"),
        "The dictionary (gone.csv) was not found: there is no file 'FOLDER/gone.csv'. Check the"
        " name and the folder.",
    ),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=lambda one: str(one)[-40:])
def test_bad_input_is_a_sentence_and_nothing_is_written(arguments, sentence, folder):
    before = sorted(folder.iterdir())
    with pytest.raises(unveil.InputError) as caught:
        run(folder, *arguments)
    assert str(caught.value) == sentence.replace("FOLDER", str(folder))
    assert caught.value.exit_code == 2
    assert sorted(folder.iterdir()) == before


@pytest.mark.slow
def test_a_labelled_file_shows_its_own_codebook(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    import polars as pl

    path = tmp_path / "people.sav"
    pyreadstat.write_sav(
        pl.DataFrame({"sex": [1.0, 2.0, -9.0] * 20, "age": [float(i) for i in range(60)]}),
        str(path),
        column_labels={"sex": "Sex", "age": "Age"},
        variable_value_labels={"sex": {1: "Male", 2: "Female", -9: "Refused"}},
        missing_ranges={"sex": [-9], "age": [{"lo": 50, "hi": 99}]},
        variable_measure={"sex": "nominal", "age": "scale"},
    )
    document = json.loads(run(tmp_path, str(path), "--json").stdout)
    sex, age = document["codebook"]["variables"]
    assert (sex["label"], sex["measure"], sex["missing"]) == ("Sex", "nominal", [-9])
    assert age["missing_ranges"] == [{"lo": 50.0, "hi": 99.0}]
    found_sex, found_age = document["found"]
    assert (found_sex["missing_percent"], found_sex["n_outside"], found_sex["unused"]) == (
        33,
        0,
        [],
    )
    assert (found_age["missing_code_percent"], found_age["low"], found_age["high"]) == (17, 4, 45)

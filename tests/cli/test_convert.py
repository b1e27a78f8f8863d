"""`unveil convert`: what it writes, what it says, and how it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyreadstat
import pytest

from unveil.cli import main

CANARY = "CANARY-HIV-positive-77"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An original in SPSS, and copies of it in CSV: one with codes, one with labels."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    original = pl.DataFrame(
        {"sex": [1.0, 2.0, 9.0], "region": ["n   ", "s", "n"], "born": [0.0, 86400.0, 172800.0]}
    )
    pyreadstat.write_sav(
        original,
        "survey.sav",
        column_labels={"sex": "Sex of the person"},
        variable_value_labels={
            "sex": {1: "Male", 2: "Female", 9: "Refused"},
            "region": {"n": "North", "s": "South"},
        },
        missing_ranges={"sex": [9]},
        variable_measure={"sex": "nominal"},
        variable_format={"sex": "F1.0", "region": "A4", "born": "EDATE10"},
    )
    Path("codes.csv").write_text("sex,region,born\n2,s,2000-01-31\n1,n,\n9,n,1999-12-31\n")
    Path("labels.csv").write_text(
        "sex,region,born\nFemale,South,2000-01-31\nMale,North,\nRefused,North,1999-12-31\n"
    )
    Path("bad.csv").write_text(f"sex,region,born\nMale,n,2000-01-31\n{CANARY},n,2000-01-31\n")
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["convert", *arguments])
    said = capsys.readouterr()
    return ended.value.code, said.out, said.err


LIKE = ("--like", "survey.sav")


@pytest.mark.parametrize("ending", ["sav", "zsav"])
def test_copies_with_codes_and_with_labels_become_the_same_spss_file(ending, folder, capsys):
    code, said, _ = run(
        capsys, "codes.csv", "labels.csv", *LIKE, "--format", ending, "--out", "release"
    )
    assert code == 0
    assert said.splitlines() == [
        "",
        f" Written: {Path('release', f'FAKE_codes.{ending}')} (3 rows, 3 columns)",
        f" Written: {Path('release', f'FAKE_labels.{ending}')} (3 rows, 3 columns)",
        " Every file is marked FAKE, in its name and in its label.",
    ]
    codes, labels = (folder / "release" / f"FAKE_{name}.{ending}" for name in ("codes", "labels"))
    assert codes.read_bytes() == labels.read_bytes()
    frame, meta = pyreadstat.read_sav(codes, user_missing=True, output_format="polars")
    assert frame["sex"].to_list() == [2, 1, 9]
    assert frame["region"].to_list() == ["s", "n", "n"]
    assert meta.column_names_to_labels["sex"] == "Sex of the person"
    assert meta.variable_value_labels["sex"] == {1: "Male", 2: "Female", 9: "Refused"}
    assert meta.missing_ranges == {"sex": [{"lo": 9, "hi": 9}]}
    assert meta.variable_measure["sex"] == "nominal"
    assert meta.original_variable_types == {"sex": "F1.0", "region": "A4", "born": "EDATE10"}
    assert meta.file_label == "FAKE: synthetic data, no real people"


def test_stata_tells_what_it_has_no_room_for(folder, capsys):
    code, said, _ = run(capsys, "labels.csv", *LIKE, "--format", "dta", "--out", "release")
    assert code == 0
    words = " ".join(said.split())
    assert (
        "Missing codes of 'sex' are not in the file: Stata has letters instead, and takes the codes"
        " for values like any others."
    ) in words
    assert (
        "Some labels of 'region' are not in the file: Stata labels whole numbers and letters only."
    ) in words
    frame, meta = pyreadstat.read_dta("release/FAKE_labels.dta", output_format="polars")
    assert frame["sex"].to_list() == [2, 1, 9]
    assert frame.schema["sex"] == pl.Int64
    assert meta.variable_value_labels == {"sex": {1: "Male", 2: "Female", 9: "Refused"}}
    assert meta.original_variable_types["born"] == "%td"


def test_csv_for_excel_begins_with_a_mark_and_has_its_codebook_beside_it(folder, capsys):
    _, said, _ = run(
        capsys, "labels.csv", *LIKE, "--format", "csv", "--out", "r", "--bom", "--marker", "mark"
    )
    text = Path("r/FAKE_labels.csv").read_bytes()
    assert text == (
        b"\xef\xbb\xbfmark,sex,region,born\nFAKE,2,s,2000-01-31\nFAKE,1,n,\nFAKE,9,n,1999-12-31\n"
    )
    assert f"with {Path('r', 'FAKE_labels.codebook.json')}" in " ".join(said.split())
    book = json.loads(Path("r/FAKE_labels.codebook.json").read_text())
    assert book["file_label"].startswith("FAKE: ")
    assert [one["name"] for one in book["variables"]] == ["mark", "sex", "region", "born"]


def test_json_is_one_document(folder, capsys):
    code, said, _ = run(capsys, "codes.csv", "--format", "parquet", "--out", "r", "--json")
    assert code == 0
    (row,) = json.loads(said)["written"]
    assert (row["format"], row["n_rows"], row["n_columns"], row["fake"]) == ("parquet", 3, 3, True)


NAME_ONE = (
    "Name at least one synthetic file: unveil convert fake.csv --like survey.sav --format sav --out"
    " release."
)
SAY_WHAT = (
    "Name the format and the folder: --format sav --out release. The formats are: sav, zsav, dta,"
    " parquet, csv."
)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), NAME_ONE),
        (("codes.csv",), SAY_WHAT),
        (("codes.csv", "--format", "sav"), SAY_WHAT),
        (
            ("absent.csv", "--format", "sav", "--out", "r"),
            "The synthetic dataset (absent.csv) was not found: there is no file 'absent.csv'. Check"
            " the name and the folder.",
        ),
        (
            ("codes.csv", "bad.csv", *LIKE, "--format", "sav", "--out", "r"),
            "The synthetic dataset (bad.csv) cannot be written as SPSS. Column 'sex' holds"
            " numbers in the original but text in the synthetic data, and 1 of its 2 different"
            " texts are neither numbers nor labels of the original. Give it the original's codes"
            " or labels first.",
        ),
        (
            ("codes.csv", "./codes.csv", "--format", "sav", "--out", "r"),
            "Two files would be called FAKE_codes.sav. Nothing was written. Give the files"
            " different names, or write them one at a time.",
        ),
        (
            ("codes.csv", "--format", "sav", "--out", "r", "--marker", "sex"),
            "The synthetic dataset (codes.csv) has a column 'sex' already. Choose another name"
            " for the marker column.",
        ),
        (
            ("codes.csv", "--format", "sav", "--out", "r", "--marker", "a b"),
            "The synthetic dataset (codes.csv) cannot be written as SPSS. SPSS cannot hold the"
            " name of a column: 'a b' (holds a blank). Rename it first.",
        ),
    ],
)
def test_bad_input_is_a_sentence_and_nothing_is_written(arguments, sentence, folder, capsys):
    code, said, told = run(capsys, *arguments)
    assert (code, said) == (2, "")
    assert told == f"unveil: {sentence}\n"
    assert [path for path in Path("r").rglob("*") if path.is_file()] == []


def test_a_file_that_is_there_is_not_overwritten(folder, capsys):
    Path("FAKE_codes.sav").write_text("old")
    code, _, told = run(capsys, "codes.csv", "--format", "sav", "--out", ".")
    assert code == 2
    assert "already holds FAKE_codes.sav. Nothing was written." in told
    assert Path("FAKE_codes.sav").read_text() == "old"


@pytest.mark.slow
def test_no_value_is_shown_and_no_trace_in_a_process_of_its_own(folder):
    code = "from unveil.cli import main; main()"
    arguments = ["convert", "bad.csv", *LIKE, "--format", "dta", "--out", "r"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert CANARY not in done.stderr
    assert "Traceback" not in done.stderr

"""`unveil uniques`: what it prints, what it writes, and what it refuses."""

import csv
import json
import os

import pytest
from click.testing import CliRunner

import unveil
from unveil.cli.uniques import uniques

ROWS = ["axp", "axq", "ayp", "bxq", "byq", "byq"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    lines = ["k1,k2,t,w", *(",".join([*row, "10"]) for row in ROWS)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def run(*arguments):
    done = CliRunner().invoke(uniques, [str(one) for one in arguments], env={"COLUMNS": "100"})
    if done.exception is not None:
        raise done.exception
    return done


def test_the_screen_says_who_is_alone_and_who_would_be_found(file):
    shown = run(file, "--keys", "k1,k2,t", "--weights", "w").stdout
    assert "4 of 6 people (66.7 %) are unique on k1, k2 and t." in shown
    assert "Contribution of each key" in shown
    assert "k2 contributes to 80.0 % of minimal sample uniques" in shown
    assert "with w as the number of people that each record represents" in " ".join(shown.split())
    assert "l-diversity" not in shown


def test_the_document_has_the_fields_of_both_results(file):
    document = json.loads(run(file, "-k", "k1,k2", "--sensitive", "t", "--json").stdout)
    result = unveil.suda(file, keys=["k1", "k2"])
    risk = unveil.match_risk(file, keys=["k1", "k2"], sensitive="t")
    assert document.pop("match_risk") == json.loads(risk.to_json())
    assert document == json.loads(result.to_json())
    assert "records" not in document


def test_one_row_per_key_as_csv(file):
    rows = list(csv.DictReader(run(file, "-k", "k1,k2,t", "--csv").stdout.splitlines()))
    assert [(row["key"], row["n_msu"], row["percent"]) for row in rows] == [
        ("k1", "3", "60.0"),
        ("k2", "4", "80.0"),
        ("t", "3", "60.0"),
    ]


def test_settings_reach_the_measures(file):
    shown = run(
        *(file, "-k", "k1,k2,t", "--max-msu", 1, "--dis-fraction", 0.5, "--scores", "normalised"),
        *("--missing-rule", "category", "--alpha", 0.5, "--recursive-c", 3, "--json"),
    )
    document = json.loads(shown.stdout)
    names = ("max_msu", "dis_fraction", "scores", "missing")
    assert [document[name] for name in names] == [1, 0.5, "normalised", "category"]
    risk = document["match_risk"]
    assert (risk["missing"], risk["alpha"], risk["recursive_c"]) == ("category", 0.5, 3.0)


def test_who_is_alone_goes_to_a_private_file_and_nowhere_else(file, tmp_path):
    path = tmp_path / "alone.csv"
    done = run(file, "-k", "k1,k2,t", "--weights", "w", "--records", path, "--json")
    assert done.stderr.startswith("unveil: CONFIDENTIAL: 4 people unique on the keys written to")
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert [(row["row"], row["suda"], row["special"], row["alone_with"]) for row in rows] == [
        ("2", "2.0", "true", "k1, k2"),
        ("0", "1.0", "false", "k2, t"),
        ("1", "1.0", "false", "k1, t"),
        ("3", "1.0", "false", "k1, k2"),
    ]
    assert [rows[0][key] for key in ("k1", "k2", "t", "fk", "Fk")] == ["a", "y", "p", "1", "10.0"]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


def test_values_that_make_people_unique_go_to_a_private_file(file, tmp_path):
    path = tmp_path / "values.csv"
    done = run(file, "-k", "k1,k2,t", "--values", path)
    assert "CONFIDENTIAL: 6 values of keys written to" in done.stderr
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert [row["value"] for row in rows] == ["a", "b", "x", "y", "p", "q"]


def test_headings_and_values_in_the_file_are_harmless(tmp_path):
    source, path = tmp_path / "people.csv", tmp_path / "alone.csv"
    source.write_text("suda,row,=x\n=1+1,a,b\n2,a,c\n", encoding="utf-8")
    run(source, "-k", '"suda","row","=x"', "--records", path)
    head, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    assert head[:5] == ["row", "suda (key)", "row (key)", "'=x", "suda"]
    assert sorted(row[1] for row in rows) == ["'=1+1", "2"]


BAD = [
    ((), "Name the file: unveil uniques survey.csv --keys sex,age,region."),
    (("FILE",), "Name the key variables an intruder would know: --keys sex,age,region."),
    (
        ("FILE", "-k", "k1", "--json", "--csv"),
        "--json and --csv cannot be printed together. Choose one.",
    ),
    (
        ("FILE", "-k", "k1", "--dis-fraction", "2"),
        "dis_fraction is 2. It must be a number from 1e-12 to 1, the share of the population that"
        " is in the data, such as 0.01.",
    ),
    (
        ("FILE", "-k", "k1", "--records", "x.txt"),
        "Records at risk are written as CSV. Name a file that ends in .csv, not 'x.txt'.",
    ),
    (
        ("FILE", "-k", "k1", "--records", "x.csv", "--values", "x.csv"),
        "--records and --values name the same file. Give each its own.",
    ),
    (
        ("FILE", "-k", "k1", "--weights", "t"),
        "The weights in column 't' of the dataset (people.csv) are not numbers. Name the column of"
        " the sampling weights.",
    ),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=lambda one: str(one)[-40:])
def test_bad_input_is_a_sentence(arguments, sentence, file):
    with pytest.raises(unveil.InputError) as caught:
        run(*(file if one == "FILE" else one for one in arguments))
    assert str(caught.value) == sentence

"""`unveil cap` as a person at a terminal uses it."""

import csv
import io
import json

import polars as pl
import pytest
from click.testing import CliRunner

from measure.small import ORIGINAL, SYNTHETIC, people
from unveil.cli.cap import cap
from unveil.errors import UnveilError
from unveil.measure.cap.cap_table import cap_table


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(ORIGINAL).write_csv("original.csv")
    people(SYNTHETIC).write_csv("copy1.csv")
    people(["bxq", "axq"]).write_csv("copy2.csv")
    people(["ayp"]).write_csv("other, with a comma.csv")


def run(*arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(cap, arguments, catch_exceptions=True)
    if isinstance(result.exception, UnveilError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def document(*arguments: str) -> dict:
    return json.loads(run(*arguments, "--json"))


PLAIN = ("original.csv", "copy1.csv", "copy2.csv", "-k", "k1,k2", "-t", "t")


@pytest.mark.usefixtures("files")
class TestCap:
    def test_the_screen_has_the_paper_s_table_and_the_sentences(self):
        shown = run(*PLAIN)
        for rule in ("zero", "undefined"):
            table = shown[shown.index(f"CAP with m copies pooled, non-matches as {rule}") :]
            assert table.split("\n")[3].split() == ["Original", "0.833", "1"]
        assert " m = 2" in shown
        assert "Everyone, 2 copies pooled: a guess is correct for 50.0 % of 6 people" in shown
        assert "Four measures called TCAP" in shown
        assert "Raab's TCAP" in shown
        assert "GCAP" not in shown

    def test_the_document_is_the_record_of_the_library(self):
        found = document(*PLAIN)
        record = cap_table(
            "original.csv",
            {"synthetic": ["copy1.csv", "copy2.csv"]},
            key_sets=["k1", "k2"],
            target="t",
            tau=1.0,
        ).record
        assert found == json.loads(record.to_json())
        assert "weap" not in json.dumps(found)

    def test_csv_has_a_row_for_each_row(self):
        rows = list(csv.DictReader(io.StringIO(run(*PLAIN, "--csv"))))
        assert [(row["m"], row["scenario"]) for row in rows] == [
            ("1", "full"),
            ("2", "full"),
            ("1", "uniques"),
            ("2", "uniques"),
        ]
        assert rows[0]["keys"] == "k1, k2"

    def test_methods_and_key_sets(self):
        arguments = (
            *("original.csv", "--method", "CART=copy1.csv,copy2.csv"),
            *("--method", 'other="other, with a comma.csv"', "--key-set", "k1,k2"),
            *("--key-set", "k1", "-t", "t", "--scenario", "full", "--gcap"),
        )
        found = document(*arguments)
        assert [one["name"] for one in found["methods"]] == ["CART", "other"]
        assert [one["name"] for one in found["key_sets"]] == ["Key 2", "Key 1"]
        assert {row["scenario"] for row in found["rows"]} == {"full"}
        assert len(found["gcap"]) == len(found["tcap"]) == 3 * 2
        shown = run(*arguments)
        assert "CART m = 2, Key 1" in shown
        assert "In words, Key 2" in shown

    def test_special_uniques_and_a_column_of_the_original_as_a_mask(self):
        special = document(*PLAIN, "--scenario", "special")
        assert {row["scenario"] for row in special["rows"]} == {"special"}
        marked = people(ORIGINAL).with_columns(pl.Series("chosen", [1, 0, 0, 1, 0, 0]))
        marked.write_csv("marked.csv")
        found = document("marked.csv", *PLAIN[1:], "--mask", "chosen")
        assert [row["n"] for row in found["rows"] if row["scenario"] == "mask"] == [2, 2]
        everyone = people(ORIGINAL).with_columns(chosen=pl.lit(1))
        everyone.write_csv("everyone.csv")
        both = document("everyone.csv", *PLAIN[1:], "--scenario", "special", "--mask", "chosen")
        of_suda = [row for row in both["rows"] if row["scenario"] == "special"]
        assert of_suda == special["rows"]
        assert {row["n"] for row in both["rows"] if row["scenario"] == "mask"} == {6}

    def test_a_baseline_and_a_joint_target(self):
        found = document(
            "original.csv", "copy1.csv", "-k", "k1", "-t", "t,k2", "--baseline", "0.25"
        )
        assert found["target"] == ["t", "k2"]
        assert found["baseline"] == "0.25"
        assert found["rows"][0]["cap_baseline"] == 0.25

    def test_a_tolerance_leaves_out_what_knows_none(self):
        for name, values in (("n1.csv", "a,10\na,20\n"), ("n2.csv", "a,12\na,40\n")):
            with open(name, "w") as file:
                file.write("k,x\n" + values)
        found = document("n1.csv", "n2.csv", "-k", "k", "-t", "x", "--tolerance", "x=2")
        assert found["rows"][0]["cap_synthetic_zero"] == 0.25
        assert (found["tolerance"], found["tcap"]) == ([{"target": "x", "radius": 2.0}], [])


REFUSED = {
    "no files": (
        (),
        "Name the original file and at least one synthetic file: unveil cap survey.csv"
        " synthetic.csv --target income --keys sex,age,region.",
    ),
    "no keys": (
        ("original.csv", "copy1.csv"),
        "Name the key variables an intruder would know: --keys sex,age,region.",
    ),
    "no target": (
        ("original.csv", "copy1.csv", "-k", "k1"),
        "Name the target variable: --target income.",
    ),
    "a method without files": (
        (*PLAIN, "--method", "CART"),
        "--method 'CART' cannot be read. Write a name, =, and its files separated by commas:"
        " CART=copy1.csv,copy2.csv.",
    ),
    "a method twice": (
        (*PLAIN, "--method", "A=copy1.csv", "--method", "A=copy2.csv"),
        "--method is given twice for 'A'. Give all its files at once.",
    ),
    "tau": ((*PLAIN, "--tau", "0"), "tau is 0. It must be a number above 0 and at most 1."),
    "tolerance": (
        (*PLAIN, "--tolerance", "t=much"),
        "The tolerance of 't' is 'much'. It must be a number from 0 on.",
    ),
    "both documents": (
        (*PLAIN, "--json", "--csv"),
        "--json and --csv cannot be printed together. Choose one.",
    ),
}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("case", REFUSED)
def test_bad_input(case):
    arguments, sentence = REFUSED[case]
    with pytest.raises(UnveilError) as refused:
        run(*arguments)
    assert str(refused.value) == sentence
    assert refused.value.exit_code == 2

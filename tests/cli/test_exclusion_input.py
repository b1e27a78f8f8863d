"""Bad exclusions, bands, checks and files for records: the exact sentence each is answered with.

Every case plants a value in its data files that must never be shown again.
"""

import csv
import io
import json
import os
import re
import stat
import subprocess
import sys
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

import unveil
from unveil.cli import main

CANARY = "CANARY-HIV-positive-77"

ORIGINAL = (
    "sex,age,region,job,income\n"
    f"M,16,North,NO,100\nF,17,South,YES,200\nM,30,,{CANARY},-8\nF,45,North,,400\n"
)
SYNTHETIC = (
    "sex,age,region,job,income\n"
    "M,16,North,NO,100\nF,17,South,NO,200\nM,30,,YES,-8\nF,45,North,YES,400\n"
)
GOOD = {"o.csv": ORIGINAL, "s.csv": SYNTHETIC}

COMPARE = ("disclosure", "o.csv", "s.csv", "-k", "sex,age,region")
TABLE = ("exclusion-table", "o.csv", "s.csv", "-k", "sex,age,region")
FORMS = (
    "Write target=level, target=level@key=level, missing-targets, missing-keys,"
    " missing-keys=age,region, max-denominator=1 or max-denominator-syn=1."
)
IN_QUOTES = "Put a name or level that contains =, @ or a comma in double quotes."
AS_IT_STANDS = "Write the level as in the data."
TARGETS = "The targets are: job, income."
KEYS = "The keys are: sex, age, region."
ROLES = "Keys and targets are: sex, age, region, job, income."
FROM_2 = "Write a whole number from 2 to 10,000."
COLUMNS = "Its columns are: sex, age, region, job, income."


@dataclass(frozen=True)
class Case:
    name: str
    arguments: tuple[str, ...]
    sentence: str


def exclude(name: str, text: str, sentence: str) -> Case:
    return Case(f"exclude {name}", (*COMPARE, "--exclude", text), sentence)


def unreadable(text: str) -> Case:
    said = f"Exclusion {text!r} cannot be read. {FORMS} {IN_QUOTES}"
    return exclude(f"the unreadable {text}", text, said)


def nobody(name: str, text: str, column: str, level: str, hint: str = "") -> Case:
    said = f"Exclusion {text!r}: no one has {column!r} = {level!r}.{hint} {AS_IT_STANDS}"
    return exclude(name, text, said)


def no_rule(text: str, hint: str = "") -> Case:
    return exclude(f"no rule {text!r}", text, f"Exclusion {text!r} is not a rule.{hint} {FORMS}")


def bands(name: str, *texts: str, sentence: str) -> Case:
    given = tuple(part for text in texts for part in ("--bands", text))
    return Case(f"bands {name}", (*COMPARE, *given), sentence)


def option(given: str, text: str, sentence: str) -> Case:
    return Case(f"{given} {text!r}", (*COMPARE, given, text), sentence)


LEVELS = [
    nobody("a level in small letters", "job=no", "job", "no", " Did you mean 'NO'?"),
    nobody("a level with a slip", "job=YESS", "job", "YESS", " Did you mean 'YES'?"),
    nobody("a level like no other", "job=retired", "job", "retired"),
    nobody("a number nobody has", "income=7", "income", "7"),
    nobody("a number in words", "income=many", "income", "many"),
    nobody("an endless number", "income=1e999", "income", "1e999"),
    nobody(
        "a key level with a slip",
        "job=NO@region=Nort",
        "region",
        "Nort",
        " Did you mean 'North'?",
    ),
    nobody("a key level nobody has", "job=NO@age=99", "age", "99"),
    nobody("the text Missing, which is not missing", "job=Missing", "job", "Missing"),
    exclude(
        "a missing level of a column that has none",
        "income=",
        "Exclusion 'income=': 'income' has no missing values, so there is nothing to exclude."
        " Write the level after the =.",
    ),
    exclude(
        "a missing key level of a key that has none",
        "job=NO@age=",
        "Exclusion 'job=NO@age=': 'age' has no missing values, so there is nothing to exclude."
        " Write the level after the =.",
    ),
    exclude(
        "an unknown target",
        "jbo=NO",
        f"Exclusion 'jbo=NO': 'jbo' is not among the targets. Did you mean 'job'? {TARGETS}",
    ),
    exclude(
        "an unknown key",
        "job=NO@agee=16",
        f"Exclusion 'job=NO@agee=16': 'agee' is not among the keys. Did you mean 'age'? {KEYS}",
    ),
    exclude(
        "a target in a key's place",
        "job=NO@income=100",
        f"Exclusion 'job=NO@income=100': 'income' is not among the keys. It is a target. {KEYS}",
    ),
    exclude(
        "a target as key of a missing rule",
        "missing-keys=job",
        f"Exclusion 'missing-keys=job': 'job' is not among the keys. It is a target. {KEYS}",
    ),
    exclude(
        "a key given twice",
        "job=NO@age=16@age=17",
        "Exclusion 'job=NO@age=16@age=17' names a key twice. No one has two levels of it.",
    ),
    exclude(
        "no target",
        "=NO",
        f"Exclusion '=NO' has no name before an =. {FORMS}",
    ),
    exclude(
        "names for missing targets",
        "missing-targets=job",
        "Exclusion 'missing-targets=job' cannot be read: missing-targets acts on every target and"
        " takes no names. For one target write its name and an empty level, such as income=.",
    ),
    exclude(
        "a quotation mark not closed",
        'job="NO',
        "Exclusion 'job=\"NO' cannot be read: a name or level in double quotes must end with one,"
        " before =, @ or a comma.",
    ),
    exclude(
        "text after a quotation mark",
        'job="NO"x',
        "Exclusion 'job=\"NO\"x' cannot be read: a name or level in double quotes must end with"
        " one, before =, @ or a comma.",
    ),
    exclude(
        "an escape sequence",
        "job=\x1b[31mred",
        f"Exclusion 'job=\\x1b[31mred': no one has 'job' = '\\x1b[31mred'. {AS_IT_STANDS}",
    ),
    exclude(
        "a mark that turns the writing",
        "job=\u202eON",
        f"Exclusion 'job=\\u202eON': no one has 'job' = '\\u202eON'. {AS_IT_STANDS}",
    ),
    exclude(
        "a line end that would speak for unveil",
        "job=x\nunveil: All is well.",
        "Exclusion 'job=x\\nunveil: All is well.': no one has 'job' = 'x\\nunveil: All is well.'."
        f" {AS_IT_STANDS}",
    ),
    no_rule(""),
    no_rule("job"),
    no_rule("missing-target", " Did you mean 'missing-targets'?"),
    no_rule("Missing-Keys", " Did you mean 'missing-keys'?"),
    unreadable("job==NO"),
    unreadable("job=NO,YES"),
    unreadable("job@age=16"),
    unreadable("job=NO@"),
    unreadable("job=NO@age"),
    Case(
        "three exclusions, each wrong in its own way, are told together",
        (*COMPARE, "-x", "job=no", "-x", "jbo=NO", "-x", "job=NO@age=99"),
        "Exclusion 'job=no': no one has 'job' = 'no'. Did you mean 'NO'?"
        f" {AS_IT_STANDS}\n"
        f"Exclusion 'jbo=NO': 'jbo' is not among the targets. Did you mean 'job'? {TARGETS}\n"
        f"Exclusion 'job=NO@age=99': no one has 'age' = '99'. {AS_IT_STANDS}",
    ),
    Case("exclude without its value", (*COMPARE, "-x"), "Option '-x' requires an argument."),
    Case(
        "an exclusion that is wrong is told before a file that is not there",
        ("disclosure", "gone.csv", "s.csv", "-k", "sex", "-x", "job"),
        f"Exclusion 'job' is not a rule. {FORMS}",
    ),
]

BANDS = [
    bands(
        "of an unknown column",
        "agee=5",
        sentence="Bands or special codes are given for 'agee', which is neither key nor target."
        f" Did you mean 'age'? {ROLES}",
    ),
    bands(
        "of text",
        "job=5",
        sentence=(
            "Column 'job' holds text, not numbers, and cannot be cut into bands. Remove it from"
            " the bands."
        ),
    ),
    bands(
        "that are one",
        "age=1",
        sentence=f"The number of bands of column 'age' is 1. {FROM_2}",
    ),
    bands(
        "that are very many",
        "age=10001",
        sentence=f"The number of bands of column 'age' is 10001. {FROM_2}",
    ),
    bands(
        "that are not whole",
        "age=2.5",
        sentence="The number of bands of column 'age' is 2.5, which is not a whole number."
        f" {FROM_2}",
    ),
    bands(
        "in words",
        "age=five",
        sentence="The number of bands of column 'age' is 'five', which is not a whole number."
        f" {FROM_2}",
    ),
    bands(
        "of a misspelt style",
        "age=eqal:5",
        sentence="The style of the bands of column 'age' is 'eqal', which is unknown. Did you mean"
        " 'equal'? The styles are: quantile, equal, breaks.",
    ),
    bands(
        "with breaks for a style that finds its own",
        "age=equal:18,65",
        sentence=(
            "Column 'age' has breaks, but the style 'equal' finds its own. Omit the style, or give"
            " the number of bands instead."
        ),
    ),
    bands(
        "whose breaks fall",
        "age=65,18",
        sentence="The breaks of column 'age' do not increase: 18 comes after 65. Give them from low"
        " to high.",
    ),
    bands(
        "with a break given twice",
        "age=18,18",
        sentence="The breaks of column 'age' hold 18 more than once. Give each once.",
    ),
    bands(
        "with a break that is no number",
        "age=18,old",
        sentence="A break of column 'age' is 'old', which is not a number. Write numbers such as 0,"
        " 18, 65.",
    ),
    bands(
        "with an endless break",
        "age=18,inf",
        sentence="A break of column 'age' is 'inf', which is not a number. Write numbers such as 0,"
        " 18, 65.",
    ),
    bands(
        "with a comma too many",
        "age=18,65,",
        sentence="A break of column 'age' is '', which is not a number. Write numbers such as 0,"
        " 18, 65.",
    ),
    bands(
        "given twice",
        "age=5",
        "age=6",
        sentence="--bands is given twice for 'age'. Give it once.",
    ),
    bands(
        "wrong in two columns",
        "age=1",
        "income=9,1",
        sentence=f"The number of bands of column 'age' is 1. {FROM_2}\n"
        "The breaks of column 'income' do not increase: 1 comes after 9. Give them from low to"
        " high.",
    ),
    option(
        "--special-codes",
        "income=refused",
        "A special code of column 'income' is 'refused', which is not a number. Write numbers such"
        " as -8, -9.",
    ),
    option(
        "--special-codes",
        "incom=-8",
        "Bands or special codes are given for 'incom', which is neither key nor target. Did you"
        f" mean 'income'? {ROLES}",
    ),
]

CHECKS = [
    *(
        option(
            "--one-way",
            text,
            f"--one-way {text!r} cannot be read. Write two numbers, of records and of percent, with"
            " a comma between them: 50,90.",
        )
        for text in ("50", "50,90,1", "many,90", "", "50;90", "50 90")
    ),
    option(
        "--two-way",
        "4",
        "--two-way '4' cannot be read. Write two numbers, of records and of percent, with a comma"
        " between them: 4,80.",
    ),
    option(
        "--checks-by",
        "regoin",
        f"The original (o.csv) has no column 'regoin'. Did you mean 'region'? {COLUMNS}",
    ),
    Case(
        "--checks-by a column that only the copy has, targets named",
        (*COMPARE, "-t", "job", "--checks-by", "area"),
        f"The original (o.csv) has no column 'area'. {COLUMNS}",
    ),
]

RECORDS = [
    option(
        "--records",
        "there.csv",
        "The file 'there.csv' is there already. Nothing was written. Name another file, or move the"
        " old one away first.",
    ),
    option(
        "--records",
        "o.csv",
        "The file 'o.csv' is there already. Nothing was written. Name another file, or move the old"
        " one away first.",
    ),
    *(
        option(
            "--records",
            path,
            f"Records at risk are written as CSV. Name a file that ends in .csv, not {name!r}.",
        )
        for path, name in (
            ("people.xlsx", "people.xlsx"),
            ("people", "people"),
            ("-", "-"),
            ("/dev/full", "full"),
            ("/dev/stdout", "stdout"),
        )
    ),
    Case(
        "records are not measured for a file that cannot be written",
        ("disclosure", "gone.csv", "s.csv", "-k", "sex", "--records", "there.csv"),
        "The file 'there.csv' is there already. Nothing was written. Name another file, or move the"
        " old one away first.",
    ),
]

TABLES = [
    Case(
        "a table without files",
        ("exclusion-table",),
        "Name the original file and at least one synthetic file: unveil exclusion-table survey.csv"
        " synthetic.csv --keys sex,age,region.",
    ),
    Case(
        "a table without keys",
        ("exclusion-table", "o.csv", "s.csv"),
        "Name the key variables an intruder would know: --keys sex,age,region.",
    ),
    Case(
        "a table of a misspelt measure",
        (*TABLE, "-m", "disco"),
        "There is no table of 'disco'. Did you mean 'DiSCO'? The measures are: DiSCO, DiSDiO,"
        " DCAP.",
    ),
    Case(
        "a table of levels that are a rule",
        (*TABLE, "--level", "missing-targets"),
        "'missing-targets' is no target level. Write levels as target=level; the other columns"
        " of the table omit missing values and limit denominators by themselves.",
    ),
    Case(
        "a table of a level that nobody has",
        (*TABLE, "--level", "job=no"),
        f"Exclusion 'job=no': no one has 'job' = 'no'. Did you mean 'NO'? {AS_IT_STANDS}",
    ),
    Case(
        "a table of bands of text",
        (*TABLE, "--bands", "job=3"),
        "Column 'job' holds text, not numbers, and cannot be cut into bands. Remove it from the"
        " bands.",
    ),
    Case(
        "a table in two documents",
        (*TABLE, "--json", "--csv"),
        "--json and --csv cannot be printed together. Choose one.",
    ),
    Case(
        "a table with an exclusion",
        (*TABLE, "--exclude", "job=NO"),
        "No such option '--exclude'.",
    ),
]

CASES = LEVELS + BANDS + CHECKS + RECORDS + TABLES


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    for name, content in {**GOOD, "there.csv": ORIGINAL}.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        assert CANARY not in err
        return ended.value.code, out, err

    return run


def contents(folder: Path) -> dict[str, tuple[bytes | None, int]]:
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else None,
            path.stat().st_mtime_ns,
        )
        for path in folder.rglob("*")
    }


def test_the_table_has_many_cases_each_of_its_own_name():
    assert len({case.name for case in CASES}) == len(CASES) >= 70


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input_is_answered_with_its_sentence_and_nothing_else(case, run, tmp_path):
    before = contents(tmp_path)
    code, out, err = run(*case.arguments)
    assert err == f"unveil: {case.sentence}\n"
    assert (code, out) == (2, "")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_sentence_is_a_sentence(case):
    for line in case.sentence.split("\n"):
        assert line[0].isupper() or line[0] in "'-"
        assert line.endswith((".", "?"))
        assert not re.search(r"polars|numpy|msgspec|click|Error\b", line)


LIMITS = ("0", "-1", "1.5", "1e3", "one", "", "1,2", "+1", "\x1b[31m1", "9" * 30)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("rule", ["max-denominator", "max-denominator-syn"])
def test_a_limit_below_1_or_not_whole_is_refused(run, tmp_path, rule, limit):
    before = contents(tmp_path)
    code, out, err = run(*COMPARE, "-x", f"{rule}={limit}")
    assert (code, out) == (2, "")
    assert err.startswith("unveil: ")
    assert err.count("\n") == 1
    assert rule in err
    assert "whole number" in err
    assert contents(tmp_path) == before


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_of_the_table_below_1_or_not_whole_is_refused(run, limit):
    code, out, err = run(*TABLE, "--max-denominator", limit)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "whole number" in err


@pytest.mark.parametrize("text", ["-1,90", "50,-1", "50,101"])
@pytest.mark.parametrize("given", ["--one-way", "--two-way"])
def test_thresholds_that_mean_nothing_are_refused(run, given, text):
    code, out, err = run(*COMPARE, given, text)
    assert (code, out) == (2, "")
    assert err.startswith("unveil: The thresholds ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "text", ["nan,90", "inf,90", "50,nan", "1_0,90", "50", "50,90,1", "\u0665,\u0669"]
)
@pytest.mark.parametrize("given", ["--one-way", "--two-way"])
def test_thresholds_that_are_no_numbers_are_refused(run, given, text):
    code, out, err = run(*COMPARE, given, text)
    assert (code, out) == (2, "")
    assert err.startswith(f"unveil: {given} {text!r} cannot be read. Write two numbers,")
    assert err.count("\n") == 1


@pytest.mark.parametrize("text", ["age", "age=", "=5", "", "="])
@pytest.mark.parametrize("given", ["--bands", "--special-codes"])
def test_settings_of_no_column_are_refused(run, given, text):
    code, out, err = run(*COMPARE, given, text)
    assert (code, out) == (2, "")
    assert err.startswith(f"unveil: {given} {text!r} cannot be read.")
    assert err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["\x1b[31mx", "\u202ex", "[red]x", "{0}%s", "x\nunveil is well"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("-x", "{}"),
        ("-x", "{}=1"),
        ("-x", "job={}"),
        ("-x", "job=NO@{}=1"),
        ("-x", "job=NO@sex={}"),
        ("-x", "missing-keys={}"),
        ("-x", "max-denominator={}"),
        ("--bands", "{}"),
        ("--bands", "{}=5"),
        ("--bands", "age={}"),
        ("--bands", "age={}:5"),
        ("--bands", "age=1,{}"),
        ("--special-codes", "income={}"),
        ("--one-way", "{}"),
        ("--two-way", "4,{}"),
        ("--checks-by", "{}"),
        ("--records", "{}"),
        ("--records", "{}/x.csv"),
    ],
)
def test_what_was_typed_comes_back_harmless(run, arguments, typed):
    code, out, err = run(*COMPARE, *(part.replace("{}", typed) for part in arguments))
    assert (code, out) == (2, "")
    assert err.startswith("unveil: ")
    assert err.count("\n") == 1
    assert_harmless(err)


def assert_harmless(text):
    raw = {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
    assert not raw


# Levels and names that could be mistaken

LEVEL_TEXTS = (
    *("a=b", "c@d", 'e"f', "g,h", " i ", '"', "=", "Missing", "(missing)", "*", "^a.*$"),
    *("missing-targets", "<b>", "=1+1", "$HOME", "'; x '", "e\u0301", "x" * 300, "\u00a0", "-0"),
    *("\x1b[31mr", "\u202ex", "\x00", "line\nend", "\r"),
)


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVEL_TEXTS)
def test_any_level_can_be_written_in_quotation_marks(run, level):
    people = pl.DataFrame({"k": [level, level, "o"], "t": [level, level, "p"]})
    people.write_parquet("o.parquet")
    rule = f"t={quoted(level)}@k={quoted(level)}"
    code, out, _ = run("disclosure", "o.parquet", "o.parquet", "-k", "k", "-x", rule, "--json")
    assert code == 0
    assert out.isascii()
    hit, left = json.loads(out)["excluded"]
    assert (hit["original"], left["original"]) == (2, 1)
    again = unveil.disclosure(people, people, keys="k", exclude=hit["rule"])
    assert again.record.exclude == (hit["rule"],)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVEL_TEXTS)
@pytest.mark.parametrize(
    "more",
    [("--checks-by", "seg"), ("-x", "missing-targets", "-x", "t=o"), ("-x", "max-denominator=9")],
)
def test_no_screen_shows_a_level_that_steers_it(run, level, more):
    people = pl.DataFrame({"k": [level] * 60 + ["o"], "t": [level] * 60 + ["o"], "seg": level})
    people.write_parquet("o.parquet")
    code, out, _ = run("disclosure", "o.parquet", "o.parquet", "-k", "k", *more)
    assert code == 0
    assert_harmless(out)


NAMES = (
    *("*", "^a.*$", "row", "copy", "why", "d_q", "key", "target", "value", "measures", "level"),
    *("a=b", "a@b", "a,b", 'a"b', "<b>", "$HOME", "x" * 200, "copy_says", "row_", "n", "literal"),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_column_of_any_name_can_be_excluded_and_listed(run, name):
    people = pl.DataFrame({"k": ["a", "b", "b"], name: ["x", "y", "y"]})
    people.write_parquet("o.parquet")
    arguments = ("disclosure", "o.parquet", "o.parquet", "-k", "k", "-t", quoted(name))
    code, out, _ = run(*arguments, "-x", f"{quoted(name)}=x", "--json", "--records", "r.csv")
    assert code == 0
    assert [row["original"] for row in json.loads(out)["excluded"]] == [1, 2]
    listed = list(csv.DictReader(io.StringIO(Path("r.csv").read_text(), newline="")))
    assert [row["row"] for row in listed] == ["1", "2"]
    assert [row["value"] for row in listed] == ["y", "y"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("a=b",)])
def test_a_key_of_any_name_can_be_excluded_by_and_listed(run, name):
    people = pl.DataFrame({name: ["a", "b", "b"], "t": ["x", "y", "y"]})
    people.write_parquet("o.parquet")
    arguments = ("disclosure", "o.parquet", "o.parquet", "-k", quoted(name))
    code, out, _ = run(*arguments, "-x", f"t=x@{quoted(name)}=a", "--json", "--records", "r.csv")
    assert code == 0
    assert [row["original"] for row in json.loads(out)["excluded"]] == [1, 2]
    head, *rows = csv.reader(io.StringIO(Path("r.csv").read_text(), newline=""))
    assert len(set(head)) == len(head)
    assert [row[3] for row in rows] == ["b", "b"]


# Numbers, truth values and dates, by value

SAME = {
    "whole": ([1, 16, 30], ("16", "16.0", "016", "1.6e1", "+16")),
    "decimal": ([0.0, 1.5, 2.0], ("1.5", "1.50", "15e-1")),
    "zero": ([-0.0, 1.5, 2.0], ("0", "-0", "0.0", "0e5")),
    "truth": ([True, False, None], ("true", "True", "TRUE")),
    "text": (["1", "1.0", "01"], ("1",)),
}


@pytest.mark.parametrize(
    ("values", "text"),
    [(values, text) for values, texts in SAME.values() for text in texts],
)
def test_levels_are_matched_by_value_and_text_as_it_is(values, text):
    people = pl.DataFrame({"k": ["a", "b", "c"], "t": values})
    hit, left = unveil.disclosure(people, people, keys="k", exclude=f"t={text}").excluded
    assert (hit.original, left.original) == (1, 2)


def test_text_that_says_missing_is_not_missing():
    people = pl.DataFrame({"k": [*"abcd"], "t": ["Missing", None, "", "NA"]})
    result = unveil.disclosure(people, people, keys="k", exclude=["t=Missing", "missing-targets"])
    assert [row.original for row in result.excluded] == [1, 2, 1]
    result = unveil.disclosure(people, people, keys="k", exclude="t=", missing_values="NA")
    assert [row.original for row in result.excluded] == [3, 1]


# The Python face


ODD = {
    "a number": 5,
    "a list in a list": [["job=NO"]],
    "nothing in a list": [None],
    "an object": object(),
    "a table of nothing": {},
    "a table without a level": {"target": "job"},
    "a table without a target": {"level": "NO"},
    "an unknown field": {"target": "job", "levl": "NO"},
    "a field that is no text": {5: "NO"},
    "an unknown rule": {"rule": "missing-target"},
    "a rule of no text": {"rule": 5},
    "a rule in a list": {"rule": ["missing-targets"]},
    "a key without a level": {"target": "job", "level": "NO", "key": "age"},
    "a level without a key": {"target": "job", "level": "NO", "key_level": 16},
    "two keys and one level": {"target": "job", "level": "NO", "key": ["age", "sex"]},
    "a limit of 0": {"rule": "max-denominator", "limit": 0},
    "a limit that is true": {"rule": "max-denominator", "limit": True},
    "a limit that is not whole": {"rule": "max-denominator", "limit": 1.5},
    "no limit": {"rule": "max-denominator"},
    "a limit in a list": {"rule": "max-denominator", "limit": [1]},
    "a level that is not a number": {"target": "income", "level": float("nan")},
    "a level in a list": {"target": "job", "level": ["NO"]},
    "a record of an unknown rule": unveil.Exclusion(rule="nonsense"),
    "a record without a target": unveil.Exclusion(rule="level"),
    "a record with a limit of 0": unveil.Exclusion(rule="max-denominator", limit=0),
}


@pytest.fixture(scope="module")
def counted():
    original, synthetic = (pl.read_csv(text.encode()) for text in (ORIGINAL, SYNTHETIC))
    return unveil.disclosure(original, synthetic, keys=["sex", "age", "region"])


@pytest.mark.parametrize("given", ODD.values(), ids=list(ODD))
def test_an_odd_exclusion_is_refused_in_a_sentence(counted, given):
    with pytest.raises(unveil.InputError) as caught:
        counted.whatif(given)
    assert CANARY not in str(caught.value)
    assert str(caught.value)[0].isupper()
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "given",
    [
        "job=NO",
        ["job=NO"],
        ("job=NO", "job=NO"),
        {"job=NO"},
        iter(["job=NO"]),
        {"target": "job", "level": "NO"},
        unveil.Exclusion(rule="level", target="job", level="NO"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_an_exclusion_may_be_given_in_many_forms(counted, given):
    assert counted.whatif(given).record.exclude == ("job=NO",)


def test_no_exclusions_may_be_given_in_many_forms(counted):
    for given in (None, (), [], set(), iter(())):
        assert counted.whatif(given).record == counted.record


BANDS_REFUSED = {
    "a number alone": 5,
    "text": "age=5",
    "pairs": [("age", 5)],
    "a column that is no text": {5: 5},
    "no bands": {"age": None},
    "true": {"age": True},
    "a fraction": {"age": 2.5},
    "nothing": {"age": []},
    "falling": {"age": [65, 18]},
    "endless": {"age": [float("inf")]},
    "not a number": {"age": [float("nan")]},
    "text in a list": {"age": ["18"]},
    "a list in a list": {"age": [[18]]},
    "both": {"age": {"n": 5, "breaks": [18]}},
    "neither": {"age": {"style": "equal"}},
    "breaks for equal": {"age": {"style": "equal", "breaks": [18]}},
    "labels without breaks": {"age": {"n": 3, "labels": ["a", "b", "c"]}},
    "too few labels": {"age": {"breaks": [0, 18, 65], "labels": ["child"]}},
    "labels alike": {"age": {"breaks": [0, 18, 65], "labels": ["a", "a"]}},
    "an empty label": {"age": {"breaks": [0, 18, 65], "labels": ["a", " "]}},
    "labels in one text": {"age": {"breaks": [0, 18, 65], "labels": "ab"}},
    "an unknown setting": {"age": {"breaks": [0, 18], "lables": ["a"]}},
    "an unknown column": {"agee": 5},
    "text to be cut": {"job": 5},
}


@pytest.mark.parametrize("given", BANDS_REFUSED.values(), ids=list(BANDS_REFUSED))
def test_odd_bands_are_refused_in_a_sentence(given):
    original, synthetic = (pl.read_csv(text.encode()) for text in (ORIGINAL, SYNTHETIC))
    with pytest.raises(unveil.InputError) as caught:
        unveil.disclosure(original, synthetic, keys=["sex", "age"], bands=given)
    assert CANARY not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "given", [None, (), (50,), (50, 90, 1), "50,90", (50, "90"), (None, 90), 5, {50, 90}]
)
@pytest.mark.parametrize("name", ["one_way", "two_way"])
def test_odd_thresholds_are_refused_in_a_sentence(name, given):
    people = pl.DataFrame({"k": ["a"], "t": [CANARY]})
    with pytest.raises(unveil.SettingsError, match=f"^The thresholds {name} must be two numbers"):
        unveil.disclosure(people, people, keys="k", **{name: given})


@pytest.mark.parametrize("given", [5, True, ["t"], {"t"}, b"t"])
def test_checks_by_something_that_is_no_name_is_refused(given):
    people = pl.DataFrame({"k": ["a"], "t": [CANARY]})
    with pytest.raises(unveil.SettingsError, match=r"^checks_by must be the name of one column"):
        unveil.disclosure(people, people, keys="k", checks_by=given)


@pytest.mark.parametrize("copy", [0, 2, -1, "mean", "1", True, [1], float("nan")])
def test_records_of_a_copy_that_is_not_there_are_refused(counted, copy):
    with pytest.raises(unveil.SettingsError, match=r"^There is no copy .* to list records of"):
        counted.records_at_risk("job", copy=copy)


@pytest.mark.parametrize("target", ["jbo", None, 5, ["job"], "age", ""])
def test_records_of_what_is_no_target_are_refused(counted, target):
    with pytest.raises(unveil.RolesError, match="is not among the targets"):
        counted.records_at_risk(target)


@pytest.mark.parametrize("measure", ["disco", "UiO", "Dsyn", None, 5])
def test_records_of_another_measure_are_refused(counted, measure):
    with pytest.raises(unveil.SettingsError, match=r"^No records can be listed for"):
        counted.records_at_risk("job", measure=measure)


# What-ifs


RULES = (
    *("t=x", "t=", "t=y@k=a", "t=x@k=", "u=1", "u=2@j=3@k=b", "missing-targets", "missing-keys"),
    *("missing-keys=k", "max-denominator=1", "max-denominator=5", "max-denominator-syn=2"),
)


def people(seed, n):
    spread = range(seed, seed + n)
    return pl.DataFrame(
        {
            "k": [("a", "b", "c", None)[i * 3 % 7 % 4] for i in spread],
            "j": [i * 7 % 5 % 4 for i in spread],
            "t": [("x", "x", "x", "y", "z", None)[i * i * 3 % 11 % 6] for i in spread],
            "u": [float(i * 5 % 13 % 3) for i in spread],
        }
    )


@pytest.mark.slow
def test_what_ifs_in_any_order_equal_direct_calls_and_change_nothing():
    original, copies = people(1, 150), [people(40, 90), people(3, 33)]
    settings = {"keys": ["k", "j"], "one_way": (1, 40), "two_way": (0, 50), "checks_by": "k"}
    counted = unveil.disclosure(original, copies, **settings)
    before = counted.to_json()
    chain = counted
    for first, second in zip(RULES, RULES[5:] + RULES[:5], strict=True):
        direct = unveil.disclosure(original, copies, **settings, exclude=[first, second])
        chain = chain.whatif([first, second])
        assert chain.to_json() == direct.to_json() == counted.whatif([first, second]).to_json()
        for target in ("t", "u"):
            assert chain.records_at_risk(target).equals(direct.records_at_risk(target))
    assert counted.to_json() == chain.whatif().to_json() == before


@pytest.mark.parametrize("measure", ["Dorig", "iS", "DiS", "DiSCO", "DiSDiO"])
@pytest.mark.parametrize("exclude", [(), ("t=x", "missing-keys"), ("max-denominator=2", "u=1")])
def test_as_many_records_are_listed_as_the_figure_counts(measure, exclude):
    original, copies = people(1, 150), [people(40, 90), people(3, 33)]
    result = unveil.disclosure(original, copies, keys=["k", "j"], exclude=exclude)
    for row in result.attribute:
        if row.copy != "mean":
            listed = result.records_at_risk(row.target, copy=row.copy, measure=measure)
            assert getattr(row, measure) * original.height / 100 == pytest.approx(listed.height)
            assert listed["row"].is_sorted()
            rows = original[listed["row"].to_list()]
            assert rows.select("k", "j", row.target).equals(listed.select("k", "j", row.target))


@pytest.mark.slow
def test_the_command_line_says_what_python_says(run):
    rules = ("job=NO", "missing-targets", "job=YES@sex=F", "missing-keys=region")
    more = [part for rule in rules for part in ("-x", rule)]
    more += ["--bands", "age=0,20,60", "--special-codes", "age=30", "--one-way", "0,0"]
    code, out, err = run(*COMPARE, *more, "--two-way", "0,50", "--checks-by", "region", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert all(flag["sentence"] for flag in told["flags"])
    result = unveil.disclosure(
        "o.csv",
        "s.csv",
        keys=["sex", "age", "region"],
        exclude=rules,
        bands={"age": [0, 20, 60]},
        special_codes={"age": [30]},
        one_way=(0, 0),
        two_way=(0, 50),
        expected=True,
        checks_by="region",
    )
    for name in ("alerts", "not_tested", "assessment"):
        told.pop(name)
    assert told == json.loads(result.to_json())


def test_the_table_on_the_command_line_says_what_python_says(run):
    code, out, err = run(*TABLE, "--level", "job=NO", "-m", "DCAP", "--json")
    assert (code, err) == (0, "")
    table = unveil.exclusion_table(
        "o.csv", "s.csv", keys=["sex", "age", "region"], levels="job=NO", measure="DCAP"
    )
    assert json.loads(out) == json.loads(table.to_json())


# The file of records at risk


@pytest.mark.slow
def test_the_file_is_for_its_owner_alone_and_lists_the_right_rows(run, tmp_path):
    previous = os.umask(0)
    try:
        code, _, err = run(*COMPARE, "-t", "income,job", "--records", "r.csv")
    finally:
        os.umask(previous)
    assert code == 0
    assert err.startswith("unveil: CONFIDENTIAL: ")
    assert "r.csv" in err
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "r.csv").stat().st_mode) == 0o600
    listed = pl.read_csv("r.csv", infer_schema=False)
    assert listed.columns[:8] == [
        *("row", "target", "copy", "sex", "age", "region", "value", "copy_says"),
    ]
    original = pl.read_csv("o.csv", infer_schema=False)
    for row in listed.iter_rows(named=True):
        person = original.row(int(row["row"]), named=True)
        assert [person[key] or None for key in ("sex", "age", "region")] == [
            row[key] for key in ("sex", "age", "region")
        ]
        assert (person[row["target"]] or None) == row["value"] == row["copy_says"]
    assert listed.filter(target="income").height == 4
    assert listed.filter(target="job").height == 1
    assert {path.name for path in tmp_path.iterdir()} == {"o.csv", "s.csv", "there.csv", "r.csv"}


@pytest.mark.slow
def test_exclusions_leave_their_records_out_of_the_file(run):
    code, _, _ = run(*COMPARE, "-t", "job,income", "-x", "job=NO", "--records", "r.csv")
    assert code == 0
    assert pl.read_csv("r.csv")["target"].unique().to_list() == ["income"]


@pytest.mark.slow
def test_the_file_is_harmless_and_can_be_read_again(run):
    levels = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", "a\nb", "a,b"]
    levels += ['q"r', "\x1b[31m", "\u202ex", "\x00", "-5", "-1.5e3", "'x", "é", "", "x" * 9999]
    people = pl.DataFrame({"k": levels, "t": levels})
    people.write_parquet("o.parquet")
    code, _, _ = run("disclosure", "o.parquet", "o.parquet", "-k", "k", "--records", "r.csv")
    assert code == 0
    text = Path("r.csv").read_bytes().decode()
    assert_harmless(text)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [int(row["row"]) for row in rows] == list(range(len(levels)))
    for row, level in zip(rows, levels, strict=True):
        for field in ("k", "value", "copy_says"):
            is_number = re.fullmatch(r"-[\d.e]+", row[field])
            assert is_number or not row[field].startswith(("=", "+", "-", "@", "\t", "\r"))
            if level.isprintable() and not level.startswith(("=", "+", "-", "@")):
                assert row[field] == level
    assert pl.read_csv("r.csv", infer_schema=False).height == len(levels)


@pytest.mark.parametrize("name", ["folder.csv", "dangling.csv"])
def test_neither_folders_nor_links_are_written_over(run, tmp_path, name):
    if name == "folder.csv":
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).symlink_to(tmp_path / "elsewhere.csv")
    code, out, err = run(*COMPARE, "--records", name)
    assert (code, out) == (2, "")
    assert name in err
    assert not (tmp_path / "elsewhere.csv").exists()


def test_a_folder_that_is_not_there_is_told_before_anything_is_measured(run, tmp_path):
    code, out, err = run("disclosure", "gone.csv", "s.csv", "-k", "sex", "--records", "no/r.csv")
    assert (code, out) == (2, "")
    assert err.startswith("unveil: There is no folder 'no' to write to.")
    assert not (tmp_path / "no").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_a_disk_that_is_full_leaves_nothing_half_written(tmp_path):
    rows = "".join(f"{i},x{i}\n" for i in range(2000))
    (tmp_path / "o.csv").write_text("k,t\n" + rows)
    (tmp_path / "s.csv").write_text("k,t\n" + rows.replace("x1", "y1"))
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096));"
        "from unveil.cli import main;"
        "main(['disclosure', 'o.csv', 's.csv', '-k', 'k', '--records', 'r.csv', '--json'])"
    )
    ended = subprocess.run(
        [sys.executable, "-B", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("unveil: The file 'r.csv' cannot be written: ")
    assert ended.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.csv", "s.csv"]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere"
)
def test_a_folder_without_permission_is_told(run, tmp_path):
    (tmp_path / "shut").mkdir(mode=0o500)
    code, out, err = run(*COMPARE, "--records", "shut/r.csv")
    assert (code, out) == (2, "")
    assert err.startswith("unveil: The file 'shut/r.csv' cannot be written: ")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_a_document_is_the_same_with_and_without_the_file(run, form):
    _, without, _ = run(*COMPARE, form)
    code, out, err = run(*COMPARE, form, "--records", "r.csv")
    assert (code, out) == (0, without)
    assert err.count("\n") == 1

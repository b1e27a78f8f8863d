"""`unveil suggest`: what it prints, and what it refuses."""

import json
import random
import tomllib

import polars as pl
import pytest
from click.testing import CliRunner

from foreign_files import write_sav
from unveil.cli import main
from unveil.cli.commands import COMMANDS
from unveil.cli.suggest import escape_for_console, suggest
from unveil.examples import write_csv
from unveil.measure.roles.suggest import suggest as suggested

SECRET = "QQcanary"


@pytest.fixture
def file(tmp_path):
    write_csv(tmp_path)
    return str(tmp_path / "survey.csv")


def run(*arguments):
    done = CliRunner().invoke(suggest, [str(one) for one in arguments], env={"COLUMNS": "100"})
    if done.exception is not None:
        raise done.exception
    return done


def test_the_screen_shows_keys_sentence_and_a_reason_for_every_column(file):
    shown = run(file).stdout
    said = " ".join(shown.split())
    assert (
        "Proposed keys: age, region, settlement, sex. Unique on them: 1,963 of 5,000 people"
        " (39.3 %). Neighbours or colleagues usually know them."
    ) in said
    assert "once 5 % of people are unique, columns that fewer others know are not tried." in said
    assert "column role grade reason" in said
    assert "income target sensitive money in its name: sensitive" in said
    for name in pl.read_csv(file).columns:
        assert f"\n {name} " in shown


def test_the_document_is_the_record(file):
    assert json.loads(run(file, "--json").stdout) == json.loads(suggested(file).to_json())


def test_the_tables_are_those_of_python_and_are_toml(file):
    printed = run(file, "--toml").stdout
    assert printed == suggested(file).to_toml()
    assert tomllib.loads(printed)["roles"]["key"] == ["age", "region", "settlement", "sex"]


def test_settings_reach_the_proposal(file, tmp_path):
    document = json.loads(run(file, "--keys", "sex,age", "--json").stdout)
    assert (document["keys"], document["stop"]) == (["sex", "age"], "given")
    path = tmp_path / "n.csv"
    path.write_text("x\n" + "\n".join([*map(str, range(30)), *["-8"] * 9, "NA"]), encoding="utf-8")
    row = json.loads(run(path, "--special-codes", "x=-8", "--missing", "NA", "--json").stdout)
    assert (row["rows"][0]["role"], row["rows"][0]["n_distinct"]) == ("identifier", 30)


def test_labels_of_a_file_of_spss_are_read(tmp_path):
    draw = random.Random(1)
    frame = pl.DataFrame(
        {
            "v1": [float(draw.randrange(2)) for _ in range(300)],
            "v2": [float(draw.choice([-9, *range(18, 90)])) for _ in range(300)],
        }
    )
    path = tmp_path / "f.sav"
    labels = {"v1": "Płeć respondenta", "v2": "Âge en années"}
    write_sav(frame, path, column_labels=labels, missing_ranges={"v2": [-9]})
    document = json.loads(run(path, "--json").stdout)
    assert sorted(document["keys"]) == ["v1", "v2"]
    assert [row["source"] for row in document["rows"]] == ["label", "label"]
    assert document["rows"][1]["n_distinct"] == frame["v2"].n_unique() - 1


def test_hostile_names_neither_steer_the_terminal_nor_break_the_tables(tmp_path):
    names = ["\x1b[31mage", 'se"x\\', "[[scenario]]", "\u202eregion", "a\nb"]
    path = tmp_path / "f.parquet"
    pl.DataFrame({name: [1, 2] * 20 for name in names}).write_parquet(path)
    for option in ([], ["--json"], ["--toml"]):
        shown = run(path, *option).stdout
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    roles = tomllib.loads(run(path, "--toml").stdout)["roles"]
    assert sorted(name for role in roles.values() for name in role) == sorted(names)


def test_a_console_that_lacks_letters_gets_them_as_toml_writes_them():
    assert escape_for_console('"płeć é" 💥', "ascii") == '"p\\u0142e\\u0107 \\u00E9" \\U0001F4A5'
    assert escape_for_console('"płeć"', "utf-8") == '"płeć"'
    assert tomllib.loads(escape_for_console('x = "płeć é 💥"', "ascii")) == {"x": "płeć é 💥"}


def test_no_value_is_printed(tmp_path):
    path = tmp_path / "f.csv"
    rows = [f"{SECRET}{i % 2},{SECRET}{i},{SECRET}" for i in range(50)]
    path.write_text("\n".join(["sex,name,health", *rows]), encoding="utf-8")
    for option in ([], ["--json"], ["--toml"]):
        done = run(path, *option)
        assert SECRET not in done.stdout + done.stderr


BAD = [
    ((), "Name the file: unveil suggest survey.csv."),
    (("FILE", "--json", "--toml"), "--toml and --json cannot be printed together. Choose one."),
    (("FILE", "--keys", "age,,sex"), "--keys holds an empty name. Write the names with one comma"
     " between them, such as --keys sex,age,region."),
    (("FILE", "--keys", "agee"), "The dataset (survey.csv) has no column 'agee'. Did you mean"
     " 'age'?"
     " Its columns are: sex, age, region, settlement, education, marital, employment, household,"
     " income, health, condition, satisfaction."),
    (("FILE", "--special-codes", "sex=1"), "Special codes are given for 'sex', which holds no"
                                           " numbers. Remove it from the special codes; declare an"
                                           " entry that means missing with missing_values"
                                           " (--missing on the command line)."),
    (("FILE", "--special-codes", "income"), "--special-codes 'income' cannot be read. Write a"
                                            " column, =, and a value: COLUMN=CODES."),
    (("FILE", "--special-codes", "income=x"), "A special code of column 'income' is 'x', which is"
     " not a number. Write numbers such as -8, -9."),
    (("FILE", "--bands", "age=5"), "No such option '--bands'."),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=lambda one: str(one)[-40:])
def test_bad_input_is_a_sentence_and_ends_with_2(arguments, sentence, file, monkeypatch, capsys):
    monkeypatch.setitem(COMMANDS, "suggest", ("suggest", ""))
    with pytest.raises(SystemExit) as ended:
        main(["suggest", *(file if one == "FILE" else one for one in arguments)])
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"unveil: {sentence}\n")

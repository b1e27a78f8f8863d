"""`unveil attack` on files: what is run, shown, written and refused."""

import csv
import io
import json
import stat
import sys
from xml.dom import minidom

import polars as pl
import pytest

import unveil
from unveil.cli import main

CANARY = "HIVpositive1847"
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
QUICK = ("--n", "40", "--seed", "1")


def people(n, start):
    """Invented people: two categories and two numbers, one of them peculiar."""
    rows = range(start, start + n)
    return pl.DataFrame(
        {
            "sex": ["mf"[i * 7 % 3 % 2] for i in rows],
            "age": [18 + i * 37 % 70 for i in rows],
            "area": ["nesw"[i * 11 % 13 % 4] for i in rows],
            "income": [1000 + i * 271 % 900 for i in rows],
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("attacked")
    people(120, 0).write_csv(place / "original.csv")
    people(100, 500).write_csv(place / "control.csv")
    people(110, 1000).write_csv(place / "copy.csv")
    people(120, 0).reverse().write_csv(place / "same.csv")
    people(9, 0).select("age").write_csv(place / "one.csv")
    people(40, 0).select("age", "sex").write_csv(place / "two.csv")
    return place


def run(folder, *options, capsys, files=("original.csv", "copy.csv")):
    given = [*(folder / file for file in files), *options]
    with pytest.raises(SystemExit) as ended:
        main(["attack", *map(str, given)])
    return ended.value.code, *capsys.readouterr()


def document(folder, *options, capsys, files=("original.csv", "copy.csv")):
    code, out, err = run(folder, *options, "--json", capsys=capsys, files=files)
    assert (code, err) == (0, "")
    return json.loads(out)


def attacks_in(copy):
    return [row["attack"] for record in copy["attacks"] for row in record["rows"]]


ALL = ["singling_out_univariate", "singling_out_multivariate", "linkability", *["inference"] * 4]


@pytest.mark.slow
@pytest.mark.parametrize("asked", [["--all"], []])
def test_all_runs_every_attack_and_says_how_it_split_the_columns(folder, asked, capsys):
    control = ["--control", folder / "control.csv"]
    found = document(folder, *asked, *control, *QUICK, capsys=capsys)
    (copy,) = found["copies"]
    assert attacks_in(copy) == ALL
    assert copy["membership"]["n_control"] == 100
    assert found["control"] == "control.csv"
    assert found["notes"] == [
        "No column sets are named for linkability, so the columns were split in two halves: sex,"
        " age, and area, income. Name those of your scenario: --linkability A,B:C,D."
    ]


def test_without_a_control_membership_is_left_out_and_this_is_said(folder, capsys):
    found = document(folder, "--all", *QUICK, capsys=capsys)
    assert found["copies"][0]["membership"] is None
    assert found["control"] is None
    assert "Membership was not run: it needs a control sample, --control." in found["notes"]


def test_keys_are_split_before_columns_are(folder, capsys):
    found = document(folder, "--keys", "sex,age,area", *QUICK, capsys=capsys)
    (linked,) = (r for a in found["copies"][0]["attacks"] for r in a["rows"] if r["other_keys"])
    assert (linked["keys"], linked["other_keys"]) == (["sex", "age"], ["area"])


def test_files_of_one_or_two_columns_are_attacked_as_far_as_they_can_be(folder, capsys):
    found = document(folder, *QUICK, capsys=capsys, files=("one.csv", "one.csv"))
    assert attacks_in(found["copies"][0]) == ["singling_out_univariate"]
    assert found["notes"][:2] == [
        "Singling out by several columns and inference were not run: the files share only one"
        " column.",
        "Linkability was not run: it needs at least two columns.",
    ]
    found = document(folder, *QUICK, capsys=capsys, files=("two.csv", "two.csv"))
    assert attacks_in(found["copies"][0]) == [*ALL[:3], "inference", "inference"]


@pytest.mark.slow
def test_the_figures_are_those_of_the_calls(folder, capsys):
    files = [folder / name for name in ("original.csv", "copy.csv")]
    asked = {"control": folder / "control.csv", "seed": 3}
    found = document(
        folder,
        *("--control", folder / "control.csv", "--seed", "3", "--singling-out", "--n-cols", "2"),
        *("--linkability", "sex,age:area", "--k", "1,3", "--inference", "--secrets", "income"),
        *("--keys", "sex,age", "--absolute", "income=50", "--groups", "--membership"),
        capsys=capsys,
    )
    sets = (["sex", "age"], ["area"])
    guessed = {"secrets": ["income"], "keys": ["sex", "age"], "absolute": {"income": 50}}
    calls = [
        unveil.singling_out(*files, n_cols=2, **asked),
        unveil.linkability(*files, columns=sets, k=1, **asked),
        unveil.linkability(*files, columns=sets, k=3, **asked),
        unveil.inference(*files, **guessed, groups=True, **asked),
        unveil.membership(*files, **asked),
    ]
    (copy,) = found["copies"]
    wanted = [json.loads(call.to_json()) for call in calls]
    assert [*copy["attacks"], copy["membership"]] == wanted
    assert found["seed"] == 3


def test_the_same_seed_prints_the_same_bytes_and_a_drawn_one_is_recorded(folder, capsys):
    one, two = (run(folder, *QUICK, "--json", capsys=capsys)[1] for _ in range(2))
    assert one == two
    found = document(folder, "--n", "20", "--inference", capsys=capsys)
    assert found["seed"] == found["copies"][0]["attacks"][0]["seed"]


def test_several_copies_are_attacked_one_after_the_other(folder, capsys):
    files = ("original.csv", "copy.csv", "same.csv")
    asked = ("--inference", "--secrets", "income", "--control", folder / "control.csv")
    found = document(folder, *asked, *QUICK, capsys=capsys, files=files)
    assert [(copy["copy"], copy["file"]) for copy in found["copies"]] == [
        (1, "copy.csv"),
        (2, "same.csv"),
    ]
    risks = [copy["attacks"][0]["rows"][0]["R"] for copy in found["copies"]]
    assert risks[1] > 0.8 > risks[0]
    code, out, _ = run(folder, *asked, *QUICK, capsys=capsys, files=files)
    assert code == 0
    assert out.index("Copy 1: copy.csv") < out.index("Copy 2: same.csv")


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_fits_the_terminal(folder, width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    options = ["--control", folder / "control.csv", *QUICK, "--words"]
    code, out, err = run(folder, *options, capsys=capsys)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= width
    head = next(line for line in out.splitlines() if line.startswith(" attack "))
    assert ("guesses" in head) == (width == 120)
    assert "In words" in out
    assert "Membership: can training records be recognised?" in out


def test_an_exact_copy_is_told_in_words(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    options = ["--control", folder / "control.csv", "--inference", "--secrets", "income"]
    code, out, _ = run(
        folder,
        *options,
        "--seed",
        "1",
        "--words",
        capsys=capsys,
        files=("original.csv", "same.csv"),
    )
    assert code == 0
    assert "Taking income from the nearest synthetic record is correct for 100 of 100 people" in out
    assert "because their own records were used." in out


def test_codes_of_columns_that_an_attack_does_not_look_at_are_left_to_the_others(folder, capsys):
    codes = ["--special-codes", "income=-8", "--categorical", "age"]
    found = document(folder, "--all", "--keys", "sex,area", *codes, *QUICK, capsys=capsys)
    assert "linkability" in attacks_in(found["copies"][0])
    code, _, err = run(folder, "--linkability", "sex:area", *codes[:2], capsys=capsys)
    assert code == 2
    assert "Special codes are given for 'income', which is not compared." in err


def test_csv_has_one_row_for_each_attack(folder, capsys):
    control = ("--control", folder / "control.csv")
    code, out, err = run(folder, *control, *QUICK, "--csv", capsys=capsys)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [row["attack"] for row in rows] == ALL
    assert {"copy", "k", "R", "interval_low", "interval_delta_high"} <= set(rows[0])
    assert "membership is not among the rows: see --json." in err
    code, out, err = run(folder, *control, *QUICK, "--membership", "--csv", capsys=capsys)
    assert (code, err) == (0, "")
    assert "relative_F1" in out.splitlines()[0]


@pytest.mark.slow
def test_page_and_chart_are_written_whole_and_for_the_owner_alone(folder, tmp_path, capsys):
    page, chart = tmp_path / "page.html", tmp_path / "chart.svg"
    options = ["--control", folder / "control.csv", *QUICK, "--page", page, "--chart", chart]
    code, out, err = run(folder, *options, capsys=capsys)
    assert (code, out) == (0, "")
    assert err.count("written to") == 2
    text = page.read_text(encoding="utf-8")
    assert "CONFIDENTIAL" in text
    assert "Distance to the closest record" in text
    assert "<script" not in text
    minidom.parseString(chart.read_bytes())
    if sys.platform != "win32":
        assert {stat.S_IMODE(path.stat().st_mode) for path in (page, chart)} == {0o600}
    code, _, err = run(folder, *options, capsys=capsys)
    assert code == 2
    assert "is there already" in err


REFUSED = [
    (["--membership"], "--membership needs --control: a control sample"),
    (
        ["--linkability", "sex,age"],
        "--linkability 'sex,age' cannot be read. Write the columns of one file, a colon, and those"
        " of the other: --linkability sex,age:region,job.",
    ),
    (["--linkability", "sex,:age"], "--linkability holds an empty name."),
    (["--linkability", "sex:sex,age"], "'sex' cannot be in both sets of columns"),
    (["--linkability", "sex:aeg"], "has no column 'aeg'. Did you mean 'age'?"),
    (
        ["--linkability", "sex:age", "--k", "111"],
        "k is 111, but the synthetic data have 110 records.",
    ),
    (["--k", "1,x"], "--k '1,x' cannot be read. Write whole numbers of 1 or more"),
    (["--k", "0"], "--k '0' cannot be read."),
    (["--k", "1,,2"], "--k '1,,2' cannot be read."),
    (["--secrets", "sexx"], "None of the files has a column 'sexx'. Did you mean 'sex'?"),
    (["--secrets", "sex", "--keys", "sex,age"], "'sex' cannot be key and secret"),
    (["--singling-out", "--secrets", "sex"], "--secrets is about inference, which is not run."),
    (["--singling-out", "--groups"], "--groups is about inference, which is not run."),
    (["--inference", "--n-cols", "2"], "--n-cols is about singling out, which is not run."),
    (["--n-cols", "9"], "Predicates of 9 columns are asked for, but 4 columns are compared."),
    (["--n", "0"], "n is 0. It must be a whole number from 1 on."),
    (["--level", "1"], "level is 1. It must be a number between 0 and 1, such as 0.95."),
    (["--seed", "-1"], "The seed is -1. It must be a whole number"),
    (["--tolerance", "-1"], "tolerance is -1. It must be a number from 0 on, a share of the truth"),
    (["--absolute", "income=x"], "The absolute tolerance of 'income' is 'x'."),
    (["--absolute", "income=1,2"], "The absolute tolerance of 'income' is '1,2'."),
    (["--absolute", "incme=1"], "absolute names 'incme', which is not compared."),
    (["--categorical", "sexx"], "categorical names 'sexx', which is not compared."),
    (["--control", "none.csv"], "The control sample (none.csv) was not found"),
    (["--json", "--csv"], "--json and --csv cannot be printed together. Choose one."),
    (["--chart", "a", "--page", "a"], "--chart and --page name the same file."),
    (["--chart", "none/a.svg"], "There is no folder 'none' to write to."),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "sentence"), REFUSED, ids=[" ".join(options) for options, _ in REFUSED]
)
def test_what_cannot_be_done_is_refused_with_exit_code_2(folder, options, sentence, capsys):
    code, out, err = run(folder, *options, capsys=capsys)
    assert (code, out) == (2, "")
    assert sentence in " ".join(err.split())
    assert "Traceback" not in err


@pytest.mark.parametrize("files", [(), ("original.csv",)])
def test_without_its_files_the_command_says_what_it_needs(folder, files, capsys):
    code, _, err = run(folder, capsys=capsys, files=files)
    assert code == 2
    assert "Name the original file and at least one synthetic file: unveil attack" in err


def test_a_name_with_a_colon_or_a_comma_stands_in_quotes(tmp_path, capsys):
    pl.DataFrame({"a:b": [1, 2, 3], "c,d": [1, 2, 3], 'e"': [3, 1, 2]}).write_csv(
        tmp_path / "odd.csv"
    )
    sets = '"a:b","e""":"c,d"'
    found = document(
        tmp_path, "--linkability", sets, *QUICK, capsys=capsys, files=("odd.csv", "odd.csv")
    )
    row = found["copies"][0]["attacks"][0]["rows"][0]
    assert (row["keys"], row["other_keys"]) == (["a:b", 'e"'], ["c,d"])


@pytest.mark.slow
def test_hostile_names_and_levels_are_shown_as_text(tmp_path, capsys):
    frame = pl.DataFrame(
        {HOSTILE: [str(i % 3) + HOSTILE for i in range(40)], "=1+1": [i % 7 for i in range(40)]}
    )
    frame.write_csv(tmp_path / "a.csv")
    page, files = tmp_path / "p.html", ("a.csv", "a.csv")
    control = ("--control", tmp_path / "a.csv", "--groups", *QUICK)
    for more in ([], ["--csv"], ["--json"], ["--page", page]):
        code, out, err = run(tmp_path, *control, *more, capsys=capsys, files=files)
        assert code == 0
        assert not {"\x1b", "\u202e"} & set(out + err)
    assert "<script" not in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_no_message_and_no_document_quotes_a_value(tmp_path, capsys):
    frame = pl.DataFrame({"ill": [CANARY, *["no"] * 29], "age": list(range(30))})
    frame.write_csv(tmp_path / "a.csv")
    frame.with_columns(pl.lit(CANARY).alias("age")).write_csv(tmp_path / "text.csv")
    frame.head(1).write_csv(tmp_path / "single.csv")
    quick = ("--seed", "1")
    for files, options in (
        (("a.csv", "a.csv"), []),
        (("a.csv", "a.csv"), ["--control", tmp_path / "a.csv"]),
        (("a.csv", "a.csv"), ["--control", tmp_path / "a.csv", "--json"]),
        (("a.csv", "a.csv"), ["--csv"]),
        (("a.csv", "text.csv"), []),
        (("a.csv", "single.csv"), ["--control", tmp_path / "single.csv"]),
        (("a.csv", "a.csv"), ["--special-codes", "ill=1"]),
        (("a.csv", "a.csv"), ["--absolute", "ill=1"]),
    ):
        code, out, err = run(tmp_path, *options, *quick, capsys=capsys, files=files)
        assert code in (0, 2)
        assert CANARY not in out + err


def test_columns_left_out_are_in_no_attack(folder, tmp_path, capsys):
    for name in ("original", "copy", "control"):
        pl.read_csv(folder / f"{name}.csv").with_row_index("id").write_csv(tmp_path / f"{name}.csv")
    given = ["--control", tmp_path / "control.csv", "--without", "id", *QUICK]
    found = document(tmp_path, *given, capsys=capsys)
    (copy,) = found["copies"]
    assert attacks_in(copy) == ALL
    assert "id" not in copy["membership"]["columns"]
    for record in copy["attacks"]:
        for row in record["rows"]:
            assert "id" not in [*row["keys"], *row["other_keys"], row["target"]]


def test_a_column_asked_for_and_left_out_is_refused(folder, capsys):
    given = ["--inference", "--secrets", "age", "--without", "age"]
    code, out, err = run(folder, *given, capsys=capsys)
    assert (code, out) == (2, "")
    assert (
        "'age' cannot be both requested and excluded. Remove it from one of the two."
    ) in " ".join(err.split())

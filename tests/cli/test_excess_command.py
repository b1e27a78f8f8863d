"""`unveil excess`: what it prints, what it refuses, and that it says what Python says."""

import csv
import io
import json
import unicodedata
from dataclasses import dataclass

import polars as pl
import pytest

import unveil
from unveil.cli import main

CANARY = "CANARY-HIV-positive-77"

TRAIN = f"sex,age,job\nM,16,NO\nF,17,YES\nM,30,{CANARY}\nF,45,\nM,50,NO\n"
CONTROL = "sex,age,job\nM,16,NO\nF,17,NO\nM,30,YES\nM,99,RARE\n"
SYNTHETIC = "sex,age,job\nM,16,NO\nF,17,YES\nF,17,YES\nM,30,YES\nF,45,\nM,50,YES\n"
FILES = {"t.csv": TRAIN, "c.csv": CONTROL, "s.csv": SYNTHETIC}

EXCESS = ("excess", "t.csv", "c.csv", "s.csv", "-k", "sex,age")
NAME_THE_FILES = (
    "Name the training file, the control file and at least one synthetic file: unveil excess"
    " train.csv control.csv synthetic.csv --keys sex,age,region."
)
MEASURES = "The measures are: iS, DiS, DiSCO, DiSDiO, DCAP, TCAP."
NOBODY = (
    "Nothing would match, so the risk would appear as zero. Give the column the same coding in"
    " both files."
)


@dataclass(frozen=True)
class Case:
    name: str
    arguments: tuple[str, ...]
    sentence: str
    files: dict[str, str] | None = None


CASES = [
    Case("no files", ("excess",), NAME_THE_FILES),
    Case("no copy", ("excess", "t.csv", "c.csv", "-k", "sex"), NAME_THE_FILES),
    Case(
        "no keys",
        ("excess", "t.csv", "c.csv", "s.csv"),
        "Name the key variables an intruder would know: --keys sex,age,region.",
    ),
    Case(
        "a control that is not there",
        ("excess", "t.csv", "gone.csv", "s.csv", "-k", "sex"),
        "The control sample (gone.csv) was not found: there is no file 'gone.csv'. Check the"
        " name and the folder.",
    ),
    Case(
        "a train file that is not there",
        ("excess", "gone.csv", "c.csv", "s.csv", "-k", "sex"),
        "The training dataset (gone.csv) was not found: there is no file 'gone.csv'. Check the"
        " name and the folder.",
    ),
    Case(
        "a misspelt measure",
        (*EXCESS, "-m", "disco"),
        f"There is no excess of 'disco'. Did you mean 'DiSCO'? {MEASURES}",
    ),
    Case(
        "a measure of the original alone, which knows no control",
        (*EXCESS, "-m", "Dorig"),
        f"There is no excess of 'Dorig'. {MEASURES}",
    ),
    Case(
        "a measure of no name",
        (*EXCESS, "-m", ""),
        f"There is no excess of ''. {MEASURES}",
    ),
    Case(
        "a level in small letters",
        (*EXCESS, "-x", "job=no"),
        "Exclusion 'job=no': no one has 'job' = 'no'. Did you mean 'NO'? Write the level as in the"
        " data.",
    ),
    Case(
        "an unknown key of an exclusion",
        (*EXCESS, "-x", "job=NO@agee=16"),
        "Exclusion 'job=NO@agee=16': 'agee' is not among the keys. Did you mean 'age'? The keys"
        " are: sex, age.",
    ),
    Case(
        "bands of an unknown column",
        (*EXCESS, "--bands", "agee=5"),
        "Bands or special codes are given for 'agee', which is neither key nor target. Did you mean"
        " 'age'? Keys and targets are: sex, age, job.",
    ),
    Case(
        "two documents",
        (*EXCESS, "--json", "--csv"),
        "--json and --csv cannot be printed together. Choose one.",
    ),
    Case("a limit", (*EXCESS, "--limit", "DiSCO=5"), "No such option '--limit'."),
    Case(
        "a control without a key",
        EXCESS,
        "The control sample (c.csv) has no column 'age'. Did you mean 'AGE'? Its columns are: sex,"
        " AGE, job.",
        {"c.csv": CONTROL.replace("age", "AGE")},
    ),
    Case(
        "a control without a target that is named",
        (*EXCESS, "-t", "job"),
        "The control sample (c.csv) has no column 'job'. Its columns are: sex, age, work.",
        {"c.csv": CONTROL.replace("job", "work")},
    ),
    Case(
        "a control of other types",
        EXCESS,
        "Column 'age' holds numbers in the training dataset (t.csv) but text in the control"
        " sample (c.csv), where 4 of 4 entries are not numbers. Matching would find nothing and"
        " the risk would look like zero. Give the column the same coding in every file; where a"
        " text such as NA stands for missing, say so with missing_values (--missing on the"
        " command line).",
        {"c.csv": f"sex,age,job\nM,{CANARY},NO\nF,b,NO\nM,c,YES\nM,d,NO\n"},
    ),
    Case(
        "a control without a row",
        EXCESS,
        "The control sample (c.csv) has a header but no rows. Check that its export was finished.",
        {"c.csv": "sex,age,job\n"},
    ),
    Case(
        "a copy with no key level in common",
        EXCESS,
        "Key 'sex' has no level in common between the training dataset (t.csv) and the synthetic"
        f" dataset (s.csv). {NOBODY}\nKey 'sex' has no level in common between the control sample"
        f" (c.csv) and the synthetic dataset (s.csv). {NOBODY}",
        {"s.csv": SYNTHETIC.replace("M,", f"{CANARY},").replace("F,", "woman,")},
    ),
    Case(
        "a control with no key level in common",
        EXCESS,
        "Key 'sex' has no level in common between the training dataset (t.csv) and the control"
        f" sample (c.csv). {NOBODY}\nKey 'sex' has no level in common between the control sample"
        f" (c.csv) and the synthetic dataset (s.csv). {NOBODY}",
        {"c.csv": CONTROL.replace("M,", f"{CANARY},").replace("F,", "woman,")},
    ),
]


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        before = sorted(path.name for path in tmp_path.iterdir())
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capfd.readouterr()
        assert CANARY not in out + err
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        return ended.value.code, out, err

    return run


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input_is_answered_with_its_sentence_and_nothing_else(case, run, tmp_path):
    for name, content in (case.files or {}).items():
        (tmp_path / name).write_text(content)
    code, out, err = run(*case.arguments)
    assert err == f"unveil: {case.sentence}\n"
    assert (code, out) == (2, "")


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("-x", "job=NO"), ("-x", "missing-targets", "-x", "job=YES")])
@pytest.mark.parametrize("copies", [1, 2])
def test_the_command_line_says_what_python_says(run, more, copies):
    files = ("t.csv", "c.csv", *["s.csv"] * copies)
    arguments = ("-k", "sex,age", "-m", "DiSCO", "-m", "TCAP", *more)
    code, out, err = run("excess", *files, *arguments, "--json")
    assert (code, err) == (0, "")
    result = unveil.excess(
        "t.csv",
        "c.csv",
        ["s.csv"] * copies,
        keys=["sex", "age"],
        measure=["DiSCO", "TCAP"],
        exclude=[text for text in more if text != "-x"],
    )
    assert json.loads(out) == json.loads(result.to_json())


def test_the_figures_are_those_of_two_disclosures(run):
    code, out, _ = run(*EXCESS, "-x", "job=NO", "-m", "DiSCO", "-m", "DCAP", "-m", "iS", "--json")
    assert code == 0
    for exclude, suffix in (((), ""), ("job=NO", "_after")):
        for part in ("train", "control"):
            figures = unveil.disclosure(
                f"{part[0]}.csv", "s.csv", keys=["sex", "age"], exclude=exclude
            ).attribute[0]
            for row in json.loads(out)["rows"]:
                assert row[part + suffix] == pytest.approx(getattr(figures, row["measure"]))


def test_rows_as_csv_have_the_fields_of_the_record(run):
    code, out, err = run(*EXCESS, "-x", "job=NO", "--csv")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out, newline="")))
    assert [(row["target"], row["measure"]) for row in rows] == [("job", "DiSCO"), ("job", "DCAP")]
    assert list(rows[0]) == [
        *("target", "measure", "copy", "train", "control", "R"),
        *("train_after", "control_after", "R_after", "R_exclusion"),
    ]


def test_a_measure_named_twice_is_told_once(run):
    code, out, _ = run(*EXCESS, "-m", "iS", "-m", "iS", "--json")
    assert code == 0
    assert [row["measure"] for row in json.loads(out)["rows"]] == ["iS"]


def test_a_level_that_only_the_control_has_can_be_left_out(run):
    code, out, _ = run(*EXCESS, "-x", "job=RARE", "-m", "iS", "--json")
    assert code == 0
    (row,) = json.loads(out)["rows"]
    assert row["train_after"] == row["train"]
    assert row["control_after"] == row["control"]  # RARE is not found in the copy
    assert row["R_exclusion"] in (0, None)


def test_a_column_that_the_control_lacks_is_left_aside_and_told(run, tmp_path):
    head, *lines = TRAIN.split()
    wider = [f"{head},more", *(f"{line},1" for line in lines)]
    (tmp_path / "t.csv").write_text("\n".join(wider) + "\n")
    code, out, _ = run(*EXCESS, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["targets"] == ["job"]
    assert [note["column"] for note in told["coercions"] if note["kind"] == "not_compared"] == [
        "more"
    ]


@pytest.mark.parametrize("more", [(), ("-x", "job=NO"), ("--words",), ("-m", "TCAP")])
def test_the_screen_is_harmless_and_names_its_target(run, more):
    code, out, err = run(*EXCESS, *more)
    assert (code, err) == (0, "")
    assert "job" in out
    assert_harmless(out)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["<script>1</script>", "=cmd", "[red]x[/red]", "\x1b[31mr", "\u202ex", "a\nunveil: x", "*"],
)
@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)], ids=["screen", "json", "csv"])
def test_names_that_would_do_harm_do_none(run, name, form):
    people = pl.DataFrame({"k": ["a", "b", "c"], name: ["x", "y", name]})
    for path in ("t.parquet", "c.parquet", "s.parquet"):
        people.write_parquet(path)
    rule = '"{0}"="{0}"'.format(name.replace('"', '""'))
    code, out, err = run(
        "excess", "t.parquet", "c.parquet", "s.parquet", "-k", "k", "-x", rule, *form
    )
    assert (code, err) == (0, "")
    assert_harmless(out)
    if form == ("--json",):
        assert out.isascii()
        assert json.loads(out)["targets"] == [name]
    if form == ("--csv",):
        targets = {row["target"] for row in csv.DictReader(io.StringIO(out, newline=""))}
        assert not any(target.startswith(("=", "+", "-", "@")) for target in targets)


def assert_harmless(text):
    raw = {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
    assert not raw


# The Python face


def frames():
    return (pl.read_csv(text.encode()) for text in (TRAIN, CONTROL, SYNTHETIC))


@pytest.mark.parametrize("measure", [[], (), "all", ["DiSCO", 5], [None], "DiSCO,DCAP"])
def test_an_odd_measure_is_refused_in_a_sentence(measure):
    with pytest.raises(unveil.SettingsError, match=r"The measures are: iS, "):
        unveil.excess(*frames(), keys=["sex", "age"], measure=measure)


@pytest.mark.parametrize("control", [None, [], 5, "", {"sex": ["M"]}])
def test_an_odd_control_is_refused_in_a_sentence(control):
    train, _, synthetic = frames()
    with pytest.raises(unveil.InputError, match=r"^The control sample"):
        unveil.excess(train, control, synthetic, keys=["sex", "age"])


def test_progress_goes_from_reading_to_comparing():
    steps = []
    unveil.excess(*frames(), keys=["sex", "age"], progress=lambda *step: steps.append(step))
    assert [what for what, _, _ in steps][:3] == [
        "reading the train data",
        "reading the control data",
        "reading the synthetic data",
    ]
    assert steps[-1] == ("comparing job", 0, 1)
    assert all(0 <= done < total for _, done, total in steps)


def test_a_control_that_is_the_train_data_shows_no_excess():
    train, _, synthetic = frames()
    measures = ["iS", "DiS", "DiSCO", "DiSDiO", "DCAP", "TCAP"]
    result = unveil.excess(train, train, synthetic, keys=["sex", "age"], measure=measures)
    assert {row.R for row in result.rows} <= {0, None}
    assert [row.R is None for row in result.rows] == [row.train == 100 for row in result.rows]


def test_copies_of_other_sizes_have_their_mean_and_their_pool():
    train, control, synthetic = frames()
    copies = [synthetic, synthetic.head(2), synthetic.head(1)]
    result = unveil.excess(train, control, copies, keys=["sex", "age"])
    by_copy = {row.copy: row for row in result.rows}
    assert list(by_copy) == [1, 2, 3, "mean", "pooled"]
    for part in ("train", "control"):
        alone = [getattr(by_copy[copy], part) for copy in (1, 2, 3)]
        assert getattr(by_copy["mean"], part) == pytest.approx(sum(alone) / 3)
    assert result.frame()["copy"].to_list() == ["1", "2", "3", "mean", "pooled"]

"""What is said: points more often, an interval, and the paper's words only inside a margin."""

import html
import json

import polars as pl
import pytest
from click.testing import CliRunner

import unveil
from measure.small import ORIGINAL, SYNTHETIC, people
from unveil.cli import differential as commands
from unveil.cli import main
from unveil.errors import ReadError, RolesError, SettingsError, WriteError
from unveil.examples import labelled_survey
from unveil.io.sources import read_table
from unveil.measure.cap.differential import differential_confidentiality
from unveil.measure.cap.split import split
from unveil.view import differential as told
from unveil.view.render_documents import json_document

LEFT_OUT = ["axq", "byp", "bxq", "cxq"]
WORDS = "differentially confidential"

# The same in 24 key combinations, as many as it takes to conclude something from an interval.
MANY = [a + b + t for a in "abcdefgh" for b in "xyz" for t in "pq"]
MANY_COPY = [a + b + t for a in "abcdefgh" for b in "xyz" for t in "ppq"[: 1 + ord(a) % 3]]
OTHERS = [*MANY[::-1], "axp", "bxq", "czq"]


def measured(included=ORIGINAL, left_out=LEFT_OUT, *copies, **asked):
    frames = [people(copy) for copy in copies or (SYNTHETIC,)]
    asked = {"seed": 1, "target": "t", **asked}
    return differential_confidentiality(
        people(included), people(left_out), frames, keys=["k1", "k2"], **asked
    )


def everything_shown(result) -> str:
    record = result.record
    return "\n".join(
        [repr(result), result._repr_html_(), json_document(record), *told.sentences(record)]
    )


def test_the_difference_in_words():
    result = measured()
    low, high = (f"{100 * end:.1f}" for end in result.rows[0].interval)
    said = (
        "Guesses are correct 20.8 points more often about the training data: 33.3 %, against 12.5 %"
        f" about the control sample (95 % interval: {low} to {high} points)."
    )
    assert next(told.sentences(result.record)) == said
    assert repr(result) == f"Training against control, t from k1 and k2, m = 1: {said}"
    assert html.escape(said) in result._repr_html_()


def test_less_often_and_as_often():
    less = next(told.sentences(measured(LEFT_OUT, ORIGINAL).record))
    assert less.startswith("Guesses are correct 20.8 points less often about the training data:")
    same = next(told.sentences(measured(ORIGINAL, ORIGINAL[::-1]).record))
    assert same.startswith(
        "Guesses are correct as often about the training data as the control sample: 33.3 % (95 %"
        " interval: 0.0 to 0.0 points)."
    )


def test_who_is_matched_is_said():
    assert list(told.sentences(measured().record))[1] == (
        "83.3 % of the training data and 75.0 % of the control sample have keys that occur in the"
        " synthetic data."
    )
    pooled = measured(ORIGINAL, LEFT_OUT, SYNTHETIC, ["bxq"])
    assert "keys that occur in the 2 copies together" in "".join(told.sentences(pooled.record))


def test_without_a_margin_the_papers_words_never_appear():
    for result in (measured(), measured(ORIGINAL, ORIGINAL), measured(ORIGINAL, ORIGINAL * 9)):
        assert WORDS not in everything_shown(result).lower()
    assert told.NO_MARGIN in told.sentences(measured(MANY, OTHERS, MANY_COPY).record)


def test_outside_the_margin_the_papers_words_do_not_appear():
    result = measured(MANY, OTHERS, MANY_COPY, margin=0.001)
    assert result.rows[0].equivalent is False
    assert WORDS not in everything_shown(result).lower()
    assert (
        "The interval does not lie inside the margin of 0.1 points either way: a difference that"
        " matters is not ruled out."
    ) in told.sentences(result.record)


def test_inside_the_margin_they_do():
    result = measured(MANY, OTHERS, MANY_COPY, ["axp"], margin=0.125)
    assert (
        "The whole interval lies inside the margin of 12.5 points either way: within it, the 2"
        " copies together are differentially confidential for t given k1 and k2."
    ) in told.sentences(result.record)
    assert WORDS in result._repr_html_()
    assert ">inside</td>" in result._repr_html_()


def test_with_a_margin_but_no_interval_they_do_not():
    result = measured(["axp", "axp"], ["axp", "axp"], margin=0.9)
    assert result.rows[0].equivalent is None
    assert WORDS not in everything_shown(result).lower()
    assert next(told.sentences(result.record)).endswith(
        "No interval could be computed: the scores vary in neither group."
    )


DOUBTS = [
    ((ORIGINAL, ORIGINAL), "the interval has no width, so it does not show the uncertainty"),
    ((MANY, MANY, MANY_COPY), "the interval has no width, so it does not show the uncertainty"),
    (
        (ORIGINAL, LEFT_OUT),
        "a group has people in fewer than 20 key combinations, with which intervals are too narrow",
    ),
]


@pytest.mark.parametrize(("files", "reason"), DOUBTS)
@pytest.mark.parametrize("margin", [0.0001, 0.99])
def test_where_nothing_can_be_concluded_they_do_not_and_it_is_said_why(files, reason, margin):
    result = measured(*files, margin=margin)
    assert WORDS not in everything_shown(result).lower()
    said = (
        f"Whether the difference lies inside the margin of {100 * margin:g} points either way"
        f" cannot be determined: {reason}."
    )
    assert said in told.sentences(result.record)
    assert html.escape(said) in result._repr_html_()
    assert ">inside</td>" not in result._repr_html_()


@pytest.mark.parametrize(("files", "reason"), DOUBTS)
def test_nor_is_a_difference_then_said_to_be_beyond_chance(files, reason):
    said = list(told.sentences(measured(*files).record))
    assert f"Nothing can be concluded from the interval: {reason}." in said
    assert told.BEYOND_CHANCE not in said


def test_an_interval_that_leaves_out_0_is_said_to():
    included = [f"{a}{b}p" for a in "abcdefgh" for b in "xyz"]
    left_out = [row.replace("p", "q") for row in included] + ["axp"]
    result = measured(included, left_out, [*included, "axq"])
    assert told.BEYOND_CHANCE in told.sentences(result.record)


def test_what_could_not_be_measured_is_said_with_its_reason():
    result = measured(["axp", "byp"], ["ayp", "bxp"], ["axp", "byq"], nonmatch="undefined")
    assert next(told.sentences(result.record)) == (
        "The difference could not be measured: no one of this group has keys that occur in the"
        " synthetic files."
    )


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0875, "8.8 points"), (-0.0875, "8.8 points"), (0.0001, "less than 0.1 points")],
)
def test_points_never_round_a_difference_away(share, shown):
    assert told.points(share) == shown


def test_hostile_names_are_made_harmless():
    frame = people(ORIGINAL).rename({"k1": "<b>\x1b[31m", "t": "<script>"})
    result = differential_confidentiality(
        frame, frame, frame, keys=["<b>\x1b[31m", "k2"], target="<script>", seed=1
    )
    shown = result._repr_html_() + repr(result)
    assert "\x1b" not in shown
    assert "<script>" not in result._repr_html_()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    files = {"in": ORIGINAL, "out": LEFT_OUT, "s1": SYNTHETIC, "s2": ["bxq", "axq"]}
    for name, rows in files.items():
        people(rows).write_csv(tmp_path / f"{name}.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def run(command, *arguments) -> str:
    result = CliRunner().invoke(command, [str(one) for one in arguments], catch_exceptions=True)
    if result.exception:
        raise result.exception
    return result.output


FILES = ("in.csv", "out.csv", "s1.csv", "s2.csv", "--keys", "k1,k2", "--target", "t", "--seed", "1")


def test_the_command_prints_the_table_and_the_words(folder):
    out = run(commands.differential_confidentiality, *FILES, "--margin", "0.1")
    one_line = " ".join(out.split())
    assert "Differential confidentiality" in out
    assert "Guesses are correct 4.2 points more often about the training data" in one_line
    assert " 1 0.333 0.125 0.208 " in one_line
    assert (
        "Whether the difference lies inside the margin of 10 points either way cannot be"
        " determined: a group has people in fewer than 20 key combinations, with which intervals"
        " are too narrow."
    ) in one_line
    assert "outside" not in out
    assert "Seed of the bootstrap: 1" in out
    assert WORDS not in one_line.lower()
    assert max(len(line) for line in out.splitlines()) <= 80


def test_the_command_prints_the_json_document_of_python(folder):
    out = run(commands.differential_confidentiality, *FILES, "--json")
    files = [folder / name for name in FILES[:4]]
    result = differential_confidentiality(
        *files[:2], files[2:], keys=["k1", "k2"], target="t", seed=1
    )
    assert json.loads(out) == json.loads(result.to_json())


def test_the_command_prints_one_row_for_each_m_as_csv(folder):
    out = run(commands.differential_confidentiality, *FILES, "--csv")
    head, *lines = out.splitlines()
    assert head == (
        "method,m,n_included,n_left_out,n_match_included,n_match_left_out,n_keys_included,"
        "n_keys_left_out,mean_included,mean_left_out,difference,t,df,p,interval_low,interval_high,equivalent"
    )
    assert [line.split(",")[:2] for line in lines] == [["", "1"], ["", "2"]]


@pytest.mark.parametrize(
    ("arguments", "error", "start"),
    [
        ((), ReadError, "Name the training file, the control file and at least one"),
        (("in.csv", "out.csv"), ReadError, "Name the training file"),
        (FILES[:3], RolesError, "Name the key variables an intruder would know"),
        (FILES[:6], RolesError, "Name the target variable: --target job."),
        ((*FILES, "--json", "--csv"), SettingsError, "--json and --csv cannot be printed together"),
        ((*FILES, "--margin", "2"), SettingsError, "The margin is 2."),
    ],
)
def test_wrong_use_is_a_sentence(folder, arguments, error, start):
    with pytest.raises(error) as refused:
        run(commands.differential_confidentiality, *arguments)
    assert str(refused.value).startswith(start)


AWKWARD = pl.DataFrame(
    {
        "code": ["01", "02", "x,y", 'say "hi"', "two\nlines", None, " ", "é"],
        "whole": [1, 2, None, 4, 5, 6, 7, 2**60],
        "decimal": [0.1, 1e-9, 1e22, None, 2.5, -0.0, 3.0, 1 / 3],
        "truth": [True, False, None, True, True, False, True, True],
        "day": pl.Series(["2024-02-29"] * 7 + [None]).str.to_date(),
        "moment": pl.Series(["2024-02-29T10:11:12.5"] * 8).str.to_datetime(time_unit="us"),
        "^zoned$": pl.Series(["2024-02-29T10:11:12.5"] * 8)
        .str.to_datetime(time_unit="us")
        .dt.replace_time_zone("UTC"),
    }
)
ONE_COLUMN = pl.DataFrame({"alone": ["a", None, None, "b", None, None]})


@pytest.mark.parametrize("frame", [AWKWARD, ONE_COLUMN], ids=["many columns", "one column"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_parts_written_read_back_as_the_parts_made(tmp_path, frame, ending):
    source = tmp_path / f"people.{ending}"
    if ending == "csv":
        zoned = frame.select(pl.selectors.datetime(time_zone="*").dt.to_string("iso:strict"))
        frame.with_columns(zoned).write_csv(source, null_value='""')
    else:
        frame.write_parquet(source)
    out = run(commands.split, source, "--seed", 2, "--out", tmp_path / "new" / "halves")
    made = split(source, seed=2)
    assert told.split_sentence(made.record) in out
    for name, part in (("included", made.included), ("left_out", made.left_out)):
        path = tmp_path / "new" / "halves" / f"people_{name}.{ending}"
        read = read_table(path, side="original").frame
        assert read.schema == part.schema
        assert {c: read[c].to_list() for c in read.columns} == {
            c: part[c].to_list() for c in part.columns
        }


def test_the_command_says_how_the_file_was_split(folder):
    out = run(commands.split, "in.csv", "--seed", 1, "--out", "halves", "--strata", "k1")
    assert out.splitlines() == [
        "3 of 6 records are in the training sample and 3 in the control sample, drawn at random"
        " with seed 1, within 2 combinations of k1.",
        "CONFIDENTIAL: The parts and the seed are as confidential as the original: the seed shows"
        " who is in which.",
        "  halves/in_included.csv",
        "  halves/in_left_out.csv",
    ]


def test_nothing_is_written_over_what_is_there(folder):
    (folder / "halves").mkdir()
    (folder / "halves" / "in_left_out.csv").write_text("mine")
    with pytest.raises(WriteError, match=r"already holds in_left_out\.csv\. Nothing was written"):
        run(commands.split, "in.csv", "--seed", 1, "--out", "halves")
    assert [path.name for path in (folder / "halves").iterdir()] == ["in_left_out.csv"]
    assert (folder / "halves" / "in_left_out.csv").read_text() == "mine"


def test_split_prints_its_record_as_json(folder):
    out = run(commands.split, "in.csv", "--seed", 1, "--out", "halves", "--share", 0.8, "--json")
    assert json.loads(out) == json.loads(split(folder / "in.csv", 0.8, seed=1).to_json())


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (
            (),
            ReadError,
            "Name the file and the folder for its parts: unveil split survey.csv --seed 1 --out"
            " halves.",
        ),
        (
            ("in.csv", "--out", "halves"),
            SettingsError,
            "Give a seed, so that the same parts can be made again: --seed 1.",
        ),
        (
            ("in.csv", "--out", "halves", "--seed", "1", "--share", "1"),
            SettingsError,
            "The share is 1. It must be a number between 0 and 1, such as 0.5 for one half.",
        ),
    ],
)
def test_a_split_that_cannot_be_made_is_a_sentence(folder, arguments, error, sentence):
    with pytest.raises(error) as refused:
        run(commands.split, *arguments)
    assert str(refused.value) == sentence
    assert not (folder / "halves").exists()


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["sav", "dta", "csv"])
def test_the_parts_of_a_labelled_file_keep_its_labels(tmp_path, ending):
    whole = labelled_survey()
    file = tmp_path / f"survey.{ending}"
    unveil.write_file(whole, file, fake=False)
    with pytest.raises(SystemExit) as end:
        main(["split", str(file), "--seed", "1", "--out", str(tmp_path / "halves")])
    assert end.value.code == 0
    parts = [
        unveil.read_file(tmp_path / "halves" / f"survey_{part}.{ending}")
        for part in ("included", "left_out")
    ]
    assert sum(part.frame.height for part in parts) == whole.frame.height
    for part in parts:
        assert part.codebook.variable("sex").levels == whole.codebook.variable("sex").levels
        assert set(part.frame["sex"]) == {1, 2}
        assert part.codebook.file_label is None


def test_the_command_says_that_people_stay_together_and_can_be_told_that_rows_are_people(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"patient_id": [n // 3 for n in range(90)]}).write_csv("visits.csv")
    for out, more in (("found", ()), ("named", ("--person", "patient_id"))):
        said = run(commands.split, "visits.csv", "--seed", "1", "--out", out, *more)
        said = " ".join(said.split())
        assert (
            "15 of 30 people are in the training sample and 15 in the control sample, each" in said
        )
        assert ("'patient_id' repeats: 90 rows of 30 people" in said) == (not more)
    said = run(commands.split, "visits.csv", "--seed", "1", "--out", "rows", "--person", "none")
    assert "45 of 90 records are in the training sample" in said

"""`unveil noise`: what it prints, what it writes, and what it refuses."""

import json
import re
import stat

import polars as pl
import pytest
from click.testing import CliRunner

from unveil.cli import main
from unveil.cli.noise import noise
from unveil.errors import UnveilError

AGES = [*range(20, 58), 63, None]
PEOPLE = ["--population", "normal(34, 8)", "--N", "60000", "--n", "600"]
WAYS = (
    "Write one of: normal(mean, sd), lognormal(mu, sigma), t(df, loc, scale), gamma(shape, scale),"
    " or empirical."
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "FAKE_copy.csv"
    frame = {"age": AGES, "sex": ["m", "f"] * 20, "dur": [float(i) for i in range(40)]}
    pl.DataFrame(frame).write_csv(path)
    return path


def run(*arguments):
    return CliRunner().invoke(noise, [str(one) for one in arguments], env={"COLUMNS": "100"})


def done(*arguments):
    made = run(*arguments)
    if made.exception is not None:
        raise made.exception
    return made


@pytest.mark.slow
def test_the_screen_says_how_much_noise_is_enough_and_how_sure_a_claim_is(file):
    made = done(file, "--column", "age", *PEOPLE)
    flat = " ".join(made.stdout.split())
    assert "The smallest normal noise with no ECAP above 0.1" in flat
    assert "An intruder who knows the method and the noise would be correct with" in flat
    assert "1 of 39 values lies so far out" in flat
    assert "They are at place 38 (from 0)." in flat
    for head in ("sigma", "highest", "quotient", "4 times the people", "2 times the spread"):
        assert head in made.stdout
    assert made.stderr.startswith("unveil: CONFIDENTIAL: ECAP values, the threshold and the seed")


@pytest.mark.slow
def test_copy_and_statement_are_written_and_the_statement_tells_no_secret(file, tmp_path):
    out, statement = tmp_path / "noised.csv", tmp_path / "statement.txt"
    made = done(
        *(file, "--column", "age", *PEOPLE, "--out", out, "--statement", statement),
        *("--seed", 987654, "--round", 0, "--clip", "16,99", "--threshold", 0.137),
        *("--not-needed", "dur=cannot be collected elsewhere"),
    )
    copy = pl.read_csv(tmp_path / "FAKE_noised.csv")
    assert copy["age"].dtype == pl.Int64
    assert copy["age"].null_count() == 1
    assert copy["age"].to_list() != AGES
    assert copy["dur"].to_list() == [float(i) for i in range(40)]
    text = statement.read_text(encoding="utf-8")
    assert re.search(r"- age: normal noise with standard deviation [\d.]+, then rounded to", text)
    assert "No noise was added to dur." in text
    for secret in ("987654", "0.137", "collected elsewhere"):
        assert secret not in text
    assert not re.search(r"ecap|threshold|seed", text, re.IGNORECASE)
    assert "dur needs no noise: cannot be collected elsewhere." in made.stdout


@pytest.mark.slow
def test_the_published_amount_is_on_the_ladder(file, tmp_path):
    statement = tmp_path / "s.txt"
    done(file, "--column", "age", *PEOPLE, "--out", tmp_path / "o.csv", "--statement", statement)
    amount = re.search(r"deviation ([\d.]+)\.", statement.read_text())[1]
    assert f"{float(amount):e}"[:8] in ("1.000000", "2.000000", "5.000000")


def test_the_same_seed_writes_the_same_copy(file, tmp_path):
    for name in ("a.csv", "b.csv"):
        asked = ("--sigma", 0.5, "--seed", 5, "--out", tmp_path / name)
        done(file, "--column", "age", *PEOPLE, *asked)
    written = [(tmp_path / f"FAKE_{name}.csv").read_bytes() for name in "ab"]
    assert written[0] == written[1]


@pytest.mark.slow
def test_the_document_has_everything_but_the_seed(file, tmp_path):
    asked = ("--json", "--seed", 987654, "--out", tmp_path / "n.csv")
    made = done(file, "--column", "age", *PEOPLE, *asked)
    found = json.loads(made.stdout)
    assert found["column"] == "age"
    assert found["ecap"]["sigma"] == found["choice"]["sigma_to_use"] >= found["choice"]["sigma"]
    assert found["ecap"]["worst"] <= 0.1
    assert found["noise"]["columns"][0]["n_missing"] == 1
    assert "987654" not in made.stdout


def test_a_given_amount_is_measured_and_not_searched_for(file):
    made = done(file, "--column", "age", *PEOPLE, "--sigma", 0.1, "--noise", "laplace")
    flat = " ".join(made.stdout.split())
    assert "Laplace noise with a standard deviation of 0.1." in flat
    assert "above the threshold of 0.1 with this noise. Top-code at" in flat
    assert "quotient" not in flat


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (("--column", "age", *PEOPLE, "--sigma", "0.1"), 3),
        (("--column", "age", *PEOPLE, "--threshold", "0.3"), 0),
        (("--together", "age=0.1", "--together", "dur=0.1", *PEOPLE[2:]), 3),
    ],
)
def test_too_little_noise_is_a_limit_exceeded(file, asked, code):
    with pytest.raises(SystemExit) as ended:
        main(["noise", str(file), *map(str, asked)])
    assert ended.value.code == code


def test_whole_numbers_are_rounded_where_they_are_written(file, tmp_path):
    asked = ("--discrete", "--out", tmp_path / "n.csv", "--seed", 1)
    made = done(file, "--column", "age", *PEOPLE, *asked)
    assert "treated as whole numbers" in made.stdout
    assert pl.read_csv(tmp_path / "FAKE_n.csv")["age"].dtype == pl.Int64


@pytest.mark.slow
def test_special_codes_are_neither_measured_nor_changed(tmp_path):
    path = tmp_path / "FAKE_c.csv"
    path.write_text("age\n30\n-8\n40\n", encoding="utf-8")
    asked = ("--special-codes", "-8", "--out", tmp_path / "n.csv", "--json")
    made = json.loads(done(path, "--column", "age", *PEOPLE, *asked).stdout)
    assert made["choice"]["n_missing"] == 1
    assert pl.read_csv(tmp_path / "FAKE_n.csv")["age"][1] == -8


@pytest.mark.slow
def test_the_curve_is_a_private_picture(file, tmp_path):
    curve = tmp_path / "curve.svg"
    made = done(file, "--column", "age", *PEOPLE, "--curve", curve)
    assert curve.read_text(encoding="utf-8").startswith("<svg")
    assert stat.S_IMODE(curve.stat().st_mode) == 0o600
    assert "The curve shows ECAP values" in made.stderr


@pytest.mark.slow
def test_other_populations_and_before_and_after_are_private_pictures(file, tmp_path):
    pictures = tmp_path / "p.svg", tmp_path / "b.svg"
    asked = (
        "--populations",
        pictures[0],
        "--before-after",
        pictures[1],
        "--out",
        tmp_path / "o.csv",
    )
    made = done(file, "--column", "age", *PEOPLE, *asked, "--clip", "16,")
    for picture in pictures:
        text = picture.read_text(encoding="utf-8")
        assert text.startswith("<svg")
        assert text.count("CONFIDENTIAL") >= 2
        assert stat.S_IMODE(picture.stat().st_mode) == 0o600
    assert "0.25 times" in pictures[0].read_text(encoding="utf-8")
    assert "The picture of before and after shows the data" in made.stderr


@pytest.mark.slow
def test_no_warning_is_shown_twice(file):
    made = done(file, "--column", "age", *PEOPLE, "--threshold", 0.3)
    assert made.stdout.count("All values are whole numbers") <= 1


def test_a_file_that_is_not_marked_is_warned_of(file, tmp_path):
    plain = file.rename(tmp_path / "survey.csv")
    made = done(plain, "--column", "age", *PEOPLE, "--sigma", 1, "--out", tmp_path / "n.csv")
    assert "Noise does not make an original synthetic" in made.stderr


def test_where_one_file_cannot_be_written_none_is(file, tmp_path):
    made = run(
        *(file, "--column", "age", *PEOPLE, "--sigma", 1, "--out", tmp_path / "n.csv"),
        *("--statement", tmp_path / "nowhere" / "s.txt"),
    )
    assert isinstance(made.exception, UnveilError)
    assert [path.name for path in tmp_path.iterdir()] == ["FAKE_copy.csv"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--column", "sex", *PEOPLE],
            "The dataset (FAKE_copy.csv): column 'sex' holds no numbers, so that noise cannot be"
            " added to it. Name a column of numbers, or recode the column instead.",
        ),
        (
            ["--column", "agee", *PEOPLE],
            "The dataset (FAKE_copy.csv) has no column 'agee'. Did you mean 'age'? Its columns are:"
            " age, sex, dur.",
        ),
        (
            ["--column", "age", "--population", "norml(34, 8)", "--N", "60000", "--n", "600"],
            f"There is no population called 'norml'. Did you mean 'normal'? {WAYS}",
        ),
        (
            ["--column", "dur", "--population", "lognormal(0, 1)", "--N", "60000", "--n", "600"],
            "The population lognormal(0, 1) gives 1 of 40 values probability zero, the first at"
            " place 0 (from 0). Give a population in which they occur, one with heavier tails, or"
            " top-code them first.",
        ),
        (
            ["--column", "age", *PEOPLE, "--threshold", "0.005"],
            "A threshold of 0.005 cannot be attained by any noise: whatever is released, anybody of"
            " the population was sampled with probability 0.01. Give a threshold above that.",
        ),
        (
            ["--column", "age", "--population", "normal(34, 8)", "--N", "60", "--n", "600"],
            "N is 60 and n is 600. The population (N) cannot be smaller than the sample drawn from"
            " it (n).",
        ),
        (
            ["--column", "age", *PEOPLE, "--sigma", "-1"],
            "sigma is -1. It must be a number from 0 to 1e+100, the"
            " standard deviation of the noise.",
        ),
        (
            ["--column", "age", "--population", "normal(34, 8)"],
            "--N and --n must be given: unveil noise FAKE_copy.csv --column age --population"
            ' "normal(34, 8)" --N 60000 --n 600.',
        ),
        (
            ["--column", "age", *PEOPLE, "--statement", "s.txt"],
            "--statement describes noise that was added: give --out as well.",
        ),
        (
            ["--column", "age", *PEOPLE, "--seed", "1"],
            "--seed is for the data with noise: give --out as well.",
        ),
        (
            ["--column", "age", *PEOPLE, "--round", "0", "--clip", "1,9", "--not-needed", "dur=x"],
            "--round and --clip and --not-needed are for the data with noise: give --out as well.",
        ),
        (
            ["--column", "age", *PEOPLE, "--sigma", "1", "--populations", "p.svg"],
            "--populations is drawn when the amount of noise is searched for: omit --sigma.",
        ),
        (
            ["--column", "age", *PEOPLE, "--curve", "c.gif"],
            "A chart is written as SVG, PNG or PDF: 'c.gif' has to end in .svg, .png or .pdf.",
        ),
        (
            ["--column", "age", *PEOPLE, "--sigma", "1", "--curve", "c.svg"],
            "--curve is drawn when the amount of noise is searched for: omit --sigma.",
        ),
        (
            ["--column", "age", *PEOPLE, "--special-codes", "x"],
            "A special code is 'x', which is not a number. Write numbers such as -8,-9.",
        ),
        (
            ["--column", "age", *PEOPLE, "--out", "n.csv", "--clip", "99,16"],
            "The plausible values of 'age' cannot be read. Give the lowest and the highest, such as"
            " [16, 99], or None for one of them.",
        ),
    ],
)
def test_bad_input_is_a_sentence_and_exit_code_2(file, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    made = run(file, *arguments)
    assert isinstance(made.exception, UnveilError)
    assert made.exception.exit_code == 2
    assert str(made.exception) == said
    assert [path.name for path in tmp_path.iterdir()] == ["FAKE_copy.csv"]


def test_without_a_file_an_example_is_given():
    made = run()
    assert str(made.exception).startswith(
        "Name the synthetic file: unveil noise FAKE_copy.csv --column age"
    )


def test_columns_known_together_are_measured_as_records(file):
    made = done(file, "--together", "age=1", "--together", "dur=2", "--N", "60000", "--json")
    found = json.loads(made.stdout)
    assert [one["column"] for one in found["columns"]] == ["age", "dur"]
    assert found["worst"] > max(one["worst"] for one in found["columns"][1:])
    assert (found["n"], found["N"], found["is_listed"]) == (40, 60_000, False)
    screen = done(file, "--together", "age=1", "--together", "dur=2", "--N", "60000").stdout
    assert "An intruder who knows age and dur together" in screen


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--together", "age=1"], "--N must be given: the population size."),
        (
            ["--together", "age=1", "--N", "60", "--out", "FAKE_x.csv"],
            "--together measures and writes nothing: omit --out, or give one --column.",
        ),
        (
            ["--column", "age", *PEOPLE, "--person", "sex"],
            "--person is for records: give --together in the place of --column.",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(file, arguments, said):
    assert str(run(file, *arguments).exception) == said

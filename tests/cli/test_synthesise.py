"""`unveil synthesise`: what it writes, what it prints, and what it refuses."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import unveil
from unveil.cli import synthesise as command
from unveil.cli.synthesise import synthesise
from unveil.errors import InputError, WriteError
from unveil.examples import labelled_survey
from unveil.io import write_file
from unveil.io.outgoing import PARTLY_LABEL
from unveil.synthesis.synthesiser import load

CANARY = "CANARY-HIV-positive-77"
ONE_HAS_IT = (
    "Levels held by one person only: ill (1). Where the synthetic data hold such a level, they"
    " disclose that it occurs in the original. Merge rare levels first (merge_rare)."
)
RULE = "if age < 16 then marital = SINGLE"


def people(n=120):
    rng = np.random.default_rng(1)
    age = rng.integers(5, 90, n)
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["F", "M"], n),
            "marital": np.where(age < 16, "SINGLE", rng.choice(["SINGLE", "MARRIED"], n)),
            "income": np.where(age < 18, -8, age * 10),
            "ill": ["no"] * (n - 1) + [CANARY],
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    people().write_csv(tmp_path / "people.csv")
    (tmp_path / "made").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    done = CliRunner().invoke(synthesise, [str(one) for one in arguments], env={"COLUMNS": "100"})
    if done.exception is not None:
        raise done.exception
    return done


@pytest.mark.slow
def test_identifiers_are_refused_until_they_have_an_instruction(folder):
    people().with_columns(pl.Series("who", [f"P{n}" for n in range(120)])).write_csv("named.csv")
    asked = [sys.executable, "-m", "unveil", "synthesise", "named.csv", "--out", "new"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("unveil: Column 'who': 120 different values among 120 records: ")
    assert not (folder / "new").exists()
    for number, (more, first) in enumerate(
        [
            (["--drop", "who"], "age,sex,marital,income,ill"),
            (["--renumber", "who"], "age,sex,marital,income,ill,who"),
            (["--real-values", "who=beds, not people"], "age,sex,marital,income,ill,who"),
            (["--drop", "who", "--predictor-only", "sex"], "age,marital,income,ill"),
        ]
    ):
        done = run("named.csv", "--out", f"new{number}", *more)
        written = (folder / f"new{number}/FAKE_named.csv").read_text(encoding="utf-8")
        assert written.startswith(f"{first}\n")
        is_told = "Stated reason: beds, not people" in done.stderr
        assert is_told == (more[0] == "--real-values")
        assert bool(re.search(r",P\d+\n", written)) == is_told
        assert ("FAKE_120\n" in written) == (more[0] == "--renumber")


def document(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_first_copy_is_marked_as_fake_and_looks_like_the_original(folder):
    shown = run("people.csv", "--out", "copies", "--seed", 12345).stdout
    assert files(folder) == [
        "copies/FAKE_people.codebook.json",
        "copies/FAKE_people.csv",
        "people.csv",
    ]
    copy = pl.read_csv("copies/FAKE_people.csv")
    assert copy.schema == people().schema
    assert len(copy) == 120
    assert "1 copy of 120 rows was made from the 120 rows of people.csv." in shown
    assert "Order of synthesis: age, sex, marital, income and ill." in shown
    assert "Written: copies/FAKE_people.csv" in shown
    assert "The seed is yours and confidential" in shown
    assert "12345" not in shown


def test_the_same_seed_makes_the_same_copies_as_the_library(folder):
    run("people.csv", "--out", "copies", "--copies", 2, "--seed", 1, "--format", "parquet")
    made = unveil.synthesis.synthesise.synthesise("people.csv", copies=2, seed=1).copies
    for number, copy in enumerate(made, start=1):
        assert pl.read_parquet(f"copies/FAKE_people_{number}.parquet").equals(copy)


def test_several_copies_and_more_rows_are_warned_of(folder):
    done = run("people.csv", "--out", "copies", "-m", 3, "--rows", 200, "--json")
    found = json.loads(done.stdout)
    assert found["warnings"] == [
        "The synthetic data have 200 rows, more than the 120 of the original: tests and intervals"
        " computed from it claim more certainty than the data can give.",
        "3 copies disclose more than one: a guess that uses all of them is correct more often (CAP"
        " by m). Measure them together before you release them: unveil cap, unveil disclosure.",
        ONE_HAS_IT,
    ]
    assert done.stderr.splitlines() == [f"unveil: {one}" for one in found["warnings"]]
    assert found["written"][::2] == [f"copies/FAKE_people_{n}.csv" for n in (1, 2, 3)]
    assert found["model"] is None
    assert "seed" not in found


def test_every_option_reaches_the_library(folder):
    found = document(
        *("people.csv", "--out", "copies", "--order", "sex,age,marital,income", "--seed", 1),
        *("--method", "income=normrank", "--predictors", "income=age,sex", "--min-leaf", 7),
        *("--min-split", 30, "--complexity", 0.001, "--min-spread", 0.1, "--smoothing", "density"),
        *("--special-codes", "income=-8", "--spikes", "age=30", "--rule", RULE),
        *("--derive", "half = round(age / 2, 1)"),
    )
    names = ("min_leaf", "min_split", "complexity", "min_spread", "smoothing", "rules", "derived")
    assert [found[name] for name in names] == [
        7, 30, 0.001, 0.1, "density", [RULE], ["half = round(age / 2, 1)"],
    ]  # fmt: skip
    columns = {column["name"]: column for column in found["columns"]}
    assert (columns["income"]["method"], columns["income"]["n_states"]) == ("normrank", 3)
    assert columns["income"]["predictors"] == ["age", "sex"]
    assert (columns["age"]["n_states"], columns["ill"]["role"]) == (3, "left out")
    copy = pl.read_csv("copies/FAKE_people.csv")
    assert copy.columns == ["age", "sex", "marital", "income", "half"]
    assert (copy["half"] - copy["age"] / 2).abs().max() < 1e-9
    assert set(copy.filter(pl.col("age") < 16)["marital"]) <= {"SINGLE"}


def test_columns_are_kept_predict_only_and_make_strata(folder):
    found = document(
        *("people.csv", "--out", "copies", "--keep", "age", "--predictor-only", "marital"),
        *("--strata", "sex", "--seed", 1),
    )
    roles = {column["name"]: column["role"] for column in found["columns"]}
    assert roles == {
        "age": "kept",
        "sex": "stratum",
        "marital": "predictor only",
        "income": "synthesised",
        "ill": "synthesised",
    }
    predictors = {column["name"]: column["predictors"] for column in found["columns"]}
    assert predictors["ill"] == ["age", "marital", "income"]
    copy = pl.read_csv("copies/FAKE_people.csv")
    assert copy.columns == ["age", "sex", "income", "ill"]
    assert copy["age"].equals(people()["age"])


def test_one_method_for_all_and_others_by_column(folder):
    found = document(
        *("people.csv", "--out", "copies", "--method", "sample", "--method", "income=cart"),
        *("--seed", 1),
    )
    methods = {column["name"]: column["method"] for column in found["columns"]}
    assert methods == {
        "age": "sample", "sex": "sample", "marital": "sample", "income": "cart", "ill": "sample",
    }  # fmt: skip


def test_an_automatic_order_can_be_asked_for(folder):
    found = document("people.csv", "--out", "copies", "--order", "auto", "--seed", 1)
    assert sorted(found["order"]) == ["age", "ill", "income", "marital", "sex"]


def test_rules_that_the_original_breaks_are_told(folder):
    shown = run("people.csv", "--out", "copies", "--rule", "if age < 40 then marital = SINGLE")
    assert "Notes" in shown.stdout
    assert "is broken by" in shown.stdout


def test_the_model_draws_the_same_copies_again_and_is_confidential(folder):
    (folder / "safe").mkdir()
    path = folder / "safe" / "CONFIDENTIAL_people.model"
    shown = run("people.csv", "--out", "copies", "-m", 2, "--model", path, "--rule", RULE).stdout
    assert "CONFIDENTIAL: the model is in " in " ".join(shown.split())
    assert "The seed was drawn by the system and is stored only in the model file." in shown
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = load(path).sample(2)
    for number, copy in enumerate(again, start=1):
        assert pl.read_csv(f"copies/FAKE_people_{number}.csv").equals(copy)
    assert str(load(path).seed) not in shown


def test_copies_are_drawn_from_a_model_without_the_original(folder):
    (folder / "safe").mkdir()
    kept = "safe/CONFIDENTIAL_people.model"
    asked = ("-m", 2, "--seed", 7, "--rows", 200, "--derive", "half = age / 2")
    run("people.csv", "--out", "copies", "--model", kept, *asked)
    (folder / "people.csv").unlink()
    same = run("--from", kept, "--out", "same", "-m", 2, "--rows", 200)
    for number in (1, 2):
        made, again = (Path(f"{one}/FAKE_people_{number}.csv") for one in ("copies", "same"))
        assert again.read_bytes() == made.read_bytes()
    assert "Computed from other columns: half = age / 2." in same.stdout
    assert "The seed is that of the model" in same.stdout
    other = document("--from", kept, "--out", "other", "--seed", 8, "--format", "parquet")
    assert (other["n_copies"], other["n_rows"], other["warnings"]) == (1, 120, [ONE_HAS_IT])
    assert other["is_seeded"]
    assert other["written"] == ["other/FAKE_people.parquet"]
    drawn = load(kept).sample(1, seed=8)[0]
    assert pl.read_parquet("other/FAKE_people.parquet").equals(drawn)


def test_copies_drawn_from_a_model_are_warned_of_by_their_own_size(folder):
    (folder / "safe").mkdir()
    run("people.csv", "--out", "copies", "--model", "safe/CONFIDENTIAL.model")
    found = document("--from", "safe/CONFIDENTIAL.model", "--out", "more", "--rows", 130)
    assert found["warnings"] == [
        "The synthetic data have 130 rows, more than the 120 of the original: tests and intervals"
        " computed from it claim more certainty than the data can give.",
        ONE_HAS_IT,
    ]


def test_without_a_model_the_seed_of_the_system_is_gone(folder):
    shown = run("people.csv", "--out", "copies").stdout
    assert "not kept: these data cannot be drawn" in shown


@pytest.mark.slow
def test_labels_codes_and_formats_survive_in_spss(folder):
    survey = labelled_survey()
    small = unveil.Labelled(survey.frame.head(300), survey.codebook)
    unveil.write_file(small, "survey.sav", fake=False)
    run("survey.sav", "--out", "copies", "--rule", "if age < 40 then marital = widowed")
    assert os.listdir("copies") == ["FAKE_survey.sav"]
    copy = unveil.read_file("copies/FAKE_survey.sav")
    original = unveil.read_file("survey.sav")
    assert copy.frame.schema == original.frame.schema
    assert copy.codebook.variables == original.codebook.variables
    assert copy.codebook.file_label == "FAKE: synthetic data, no real people"
    assert set(copy.frame.filter(pl.col("age") < 40)["marital"]) == {5.0}


def test_copies_that_cannot_be_written_leave_no_model_behind(folder, monkeypatch):
    def fails(*given):
        raise WriteError("The disk is full.")

    monkeypatch.setattr(command, "write_copies", fails)
    with pytest.raises(WriteError, match="The disk is full"):
        run("people.csv", "--out", "copies", "--model", "CONFIDENTIAL.model")
    assert files(folder) == ["people.csv"]


@pytest.mark.parametrize("where", ["fit", "write_copies", "save"])
def test_work_that_is_interrupted_leaves_nothing_half_written(where, folder, monkeypatch):
    def stops(*given, **asked):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, where, stops)
    done = CliRunner().invoke(
        synthesise, ["people.csv", "--out", "copies", "--model", "CONFIDENTIAL.model"]
    )
    assert done.exit_code != 0
    assert files(folder) == ["people.csv"]


def test_an_interruption_between_two_copies_leaves_neither(folder, monkeypatch):
    staged, seen = write_file._stage_table, []

    def stops_at_the_second(data, target, *given):
        seen.append(target)
        if len(seen) == 2:
            raise KeyboardInterrupt
        return staged(data, target, *given)

    monkeypatch.setattr(write_file, "_stage_table", stops_at_the_second)
    done = CliRunner().invoke(synthesise, ["people.csv", "--out", "copies", "-m", "2"])
    assert done.exit_code != 0
    assert len(seen) == 2
    assert files(folder) == ["people.csv"]


COLUMNS = "Its columns are: age, sex, marital, income, ill."
PLACE = "The original (people.csv)"
NAME_THE_FILE = (
    "Name the file and the folder to write to: unveil synthesise survey.csv --out copies."
)
REFUSED = {
    "nothing": ((), NAME_THE_FILE),
    "no folder": (("people.csv",), NAME_THE_FILE),
    "no file": (
        ("absent.csv", "--out", "copies"),
        "The original (absent.csv) was not found: there is no file 'absent.csv'. Check the name and"
        " the folder.",
    ),
    "an unknown column in the order": (
        ("people.csv", "--out", "copies", "--order", "age,sxe"),
        f"{PLACE} has no column 'sxe'. Did you mean 'sex'? {COLUMNS}",
    ),
    "a column twice in the order": (
        ("people.csv", "--out", "copies", "--order", "age,age"),
        "Column 'age' is given twice among the columns in the order. Name it once.",
    ),
    "an unknown column in a rule": (
        ("people.csv", "--out", "copies", "--rule", "if aeg < 16 then marital = SINGLE"),
        "The rule 'if aeg < 16 then marital = SINGLE': The original (people.csv) has no column"
        f" 'aeg'. Did you mean 'age'? {COLUMNS}",
    ),
    "a rule that no row can meet": (
        ("people.csv", "--out", "copies", "--rule", "if age < 3 then marital = SINGLE"),
        "No row can meet the rule 'if age < 3 then marital = SINGLE': with the values that the"
        " original has, its condition is never true. Change the condition, or omit the rule.",
    ),
    "a level that nobody has": (
        ("people.csv", "--out", "copies", "--rule", "if ill = CANARY then sex = M"),
        "The rule 'if ill = CANARY then sex = M': no one has 'ill' = 'CANARY'. Write the level as"
        " in the data.",
    ),
    "a rule in the wrong order": (
        ("people.csv", "--out", "copies", "--order", "marital,age", "--rule", RULE),
        f"The rule {RULE!r} needs age before 'marital'. Change the order.",
    ),
    "a formula that cannot be read": (
        ("people.csv", "--out", "copies", "--derive", "half"),
        "--derive 'half' cannot be read. Write a column, =, and its formula: bmi=weight / (height"
        " / 100) ^ 2.",
    ),
    "two formulas": (
        ("people.csv", "--out", "copies", "--derive", "x=age", "--derive", "x = age"),
        "--derive is given twice for 'x'. Give it once.",
    ),
    "leaves that are too large": (
        ("people.csv", "--out", "copies", "--min-leaf", 121),
        "min_leaf is 121, but the original has 120 rows. Choose a smaller min_leaf.",
    ),
    "no copies": (
        ("people.csv", "--out", "copies", "--copies", 0),
        "copies is 0. It must be a whole number from 1 to 10,000.",
    ),
    "an unknown method": (
        ("people.csv", "--out", "copies", "--method", "carts"),
        "The method is 'carts'. Did you mean 'cart'? It must be one of: cart, parametric, sample.",
    ),
    "two methods": (
        ("people.csv", "--out", "copies", "--method", "cart", "--method", "sample"),
        "--method names 2 methods for all columns. Name one, and others by column: --method"
        " parametric --method income=cart.",
    ),
    "predictors without columns": (
        ("people.csv", "--out", "copies", "--predictors", "income"),
        "--predictors 'income' cannot be read. Write a column, =, and the columns that predict it:"
        " COLUMN=NAMES.",
    ),
    "a predictor that comes later": (
        ("people.csv", "--out", "copies", "--predictors", "age=income"),
        "Column 'income' is to predict 'age', but is not synthesised before it. Change the"
        " order, or omit it.",
    ),
    "an unknown column that only predicts": (
        ("people.csv", "--out", "copies", "--predictor-only", "incom"),
        f"{PLACE} has no column 'incom'. Did you mean 'income'? {COLUMNS}",
    ),
    "a column kept that only predicts": (
        ("people.csv", "--out", "copies", "--predictor-only", "age", "--keep", "age"),
        "Column 'age' cannot only predict and be in the synthetic data. Name it in one place.",
    ),
    "an automatic order and a column that only predicts": (
        ("people.csv", "--out", "copies", "--predictor-only", "age", "--order", "auto"),
        "--order auto cannot be combined with --predictor-only, or with one method for all columns"
        " and others by column. Name the columns in their order.",
    ),
    "a special code that is no number": (
        ("people.csv", "--out", "copies", "--special-codes", "income=none"),
        "A special code is 'none', which is not a number. Write numbers such as -8 or -9.",
    ),
    "a model by another name": (
        ("people.csv", "--out", "copies", "--model", "people.model"),
        "A model file holds values of the original, and its name must say so: 'people.model' needs"
        " CONFIDENTIAL in it and .model at its end, such as CONFIDENTIAL_survey.model.",
    ),
    "a model beside the copies": (
        ("people.csv", "--out", "made", "--model", "made/CONFIDENTIAL.model"),
        "The model would be in the folder of the synthetic data and might be released with them."
        " Keep it in another folder: it is as confidential as the original.",
    ),
    "a folder without a name": (
        ("people.csv", "--out", "."),
        "Name a separate folder to write to, such as --out copies.",
    ),
    "a model and no folder": (
        ("--from", "CONFIDENTIAL.model"),
        "Name the folder to write to: unveil synthesise --from CONFIDENTIAL_survey.model --out"
        " copies.",
    ),
    "a model and a file": (
        ("people.csv", "--from", "CONFIDENTIAL.model", "--out", "copies"),
        "Name a file to fit, or with --from a model to draw from, not both: a model needs no"
        " original.",
    ),
    "a model and a setting of the fit": (
        ("--from", "CONFIDENTIAL.model", "--out", "copies", "--min-leaf", 5),
        "--min-leaf cannot go with --from: the model is fitted already. Only --copies, --rows,"
        " --seed, --batch-rows, --out, --format and --json can.",
    ),
    "a model in the folder of the copies": (
        ("--from", "made/CONFIDENTIAL.model", "--out", "made"),
        "The model would be in the folder of the synthetic data and might be released with them."
        " Keep it in another folder: it is as confidential as the original.",
    ),
    "a model that is none": (
        ("--from", "people.csv", "--out", "copies"),
        "The model file (people.csv) is damaged, or is not a model file of unveil. Use a backup,"
        " or fit again.",
    ),
    "a folder that is a file": (
        ("people.csv", "--out", "people.csv"),
        "'people.csv' is a file, not a folder. Name a folder.",
    ),
    "kept columns and other rows": (
        ("people.csv", "--out", "copies", "--keep", "age", "--rows", 10),
        "rows is 10, but the original has 120, and columns that are kept match it row for row."
        " Omit rows.",
    ),
}


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_refused_with_a_sentence_and_nothing_is_written(arguments, sentence, folder):
    with pytest.raises(InputError) as caught:
        run(*arguments)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2
    assert CANARY not in str(caught.value)
    assert files(folder) == ["people.csv"]


def test_files_that_are_there_are_refused_before_anything_is_fitted(folder, monkeypatch):
    run("people.csv", "--out", "copies", "--seed", 1)
    before = (folder / "copies" / "FAKE_people.csv").read_bytes()
    monkeypatch.setattr(command, "fit", lambda *given, **asked: pytest.fail("was fitted"))
    with pytest.raises(WriteError) as caught:
        run("people.csv", "--out", "copies", "--seed", 2)
    assert str(caught.value) == (
        "The folder 'copies' already holds FAKE_people.csv. Nothing was written. Name another"
        " folder, or move the old files away first."
    )
    assert (folder / "copies" / "FAKE_people.csv").read_bytes() == before


def test_a_date_column_has_a_copy(folder):
    dates = people().with_columns(born=pl.date(2020, 1, 1) - pl.duration(days=pl.col("age") * 365))
    dates.select("age", "born").write_csv("dates.csv")
    run("dates.csv", "--out", "copies", "--seed", 1)
    copy = pl.read_csv("copies/FAKE_dates.csv", try_parse_dates=True)
    assert copy.schema["born"] == pl.Date
    assert set(copy["born"]) <= set(dates["born"])


def test_hostile_names_are_made_visible(folder):
    people().rename({"ill": "i\x1b[31ml"}).write_parquet("hostile.parquet")
    shown = run("hostile.parquet", "--out", "copies", "--seed", 1).stdout
    assert "\x1b[31m" not in shown
    assert "\\u001b" in shown


@pytest.mark.slow
def test_a_terminal_shows_each_column_and_the_time_left(folder):
    pty = pytest.importorskip("pty")
    people(3000).write_csv("many.csv")
    outer, inner = pty.openpty()
    started = [sys.executable, "-m", "unveil", "synthesise", "many.csv", "--out", "copies"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        started, stdout=subprocess.DEVNULL, stderr=inner, env=environment
    ) as process:
        os.close(inner)
        seen = b""
        while chunk := read_or_end(outer):
            seen += chunk
        os.close(outer)
    assert process.returncode == 0
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
    assert re.search(r"fitt\w+ .*\d/5 +(-:--|\d:\d\d):", shown)
    assert "1/1 0:00:00" in shown


def read_or_end(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_copies_with_kept_columns_say_that_their_rows_are_of_real_people(folder):
    run("people.csv", "--keep", "sex", "--format", "sav", "--out", "copies")
    (copy,) = (folder / "copies").glob("FAKE_*.sav")
    assert unveil.read_file(copy).codebook.file_label == PARTLY_LABEL


@pytest.mark.slow
def test_what_the_format_has_no_room_for_is_told(folder):
    unveil.write_file(labelled_survey(), "survey.sav", fake=False)
    done = run("survey.sav", "--rows", "50", "--format", "dta", "--out", "copies")
    assert "unveil: Missing codes of 'income' are not in the file: Stata has letters" in done.stderr


def test_too_little_memory_for_the_models_is_a_sentence(folder, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("unveil.synthesis.fit._fit_step", fail)
    with pytest.raises(InputError, match=r"^There is not enough memory to fit the models"):
        run("people.csv", "--out", "copies")
    assert not (folder / "copies").exists()

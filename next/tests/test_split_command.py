"""`unveil split`: both samples as files like the original, and a record, or nothing."""

import shlex
import sys

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import unveil
from every_call import people
from unveil.cli.main import main

CODED = people(1).with_columns(sex=(pl.col("sex") == "manly").cast(pl.Int64) + 1)
SEX = unveil.Variable("Sex", labels={"1": "woman", "2": "man"})


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(typed):
        monkeypatch.setattr(sys, "argv", shlex.split(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return run


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".sav", ".dta"])
def test_both_samples_are_like_the_original_and_hold_each_record_once(ending, run, tmp_path):
    original = unveil.write(unveil.Data(CODED, {"sex": SEX}), f"people{ending}", fake=False)
    code, printed, _ = run(f"unveil split {original} -c pid=person --seed 7 --out 'two parts'")
    assert (code, printed.splitlines()[-1]) == (
        0, f"Next: unveil describe 'two parts/training{ending}'"
    )  # fmt: skip
    folder = tmp_path / "two parts"
    training, control = (
        unveil.read(folder / f"{part}{ending}") for part in ("training", "control")
    )
    expected = unveil.split(unveil.Study(original, columns={"pid": "person"}), seed=7)
    assert_frame_equal(training.frame, expected.training)
    assert_frame_equal(control.frame, expected.control)
    assert not set(training.frame["pid"]) & set(control.frame["pid"])
    assert training.codebook["sex"].labels == SEX.labels
    assert unveil.Result.load(folder / "split.json") == expected


def test_nothing_is_replaced_and_nothing_half_written(run, tmp_path):
    people(1).write_csv("people.csv")
    (tmp_path / "control.csv").write_text("mine")
    for words in (
        "--out .",
        "--out no/such/folder",
        "--out people.csv",
        "--out a --share 0.001 --seed 1",
    ):
        code, printed, complaint = run(f"unveil split people.csv {words}")
        assert (code, printed, complaint.count("\n")) == (2, "", 1), words
    assert (tmp_path / "control.csv").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "control.csv"}

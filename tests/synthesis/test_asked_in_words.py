"""Options of the command that decide how copies are made, and how their files are marked."""

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import unveil
from unveil.cli.synthesise import synthesise
from unveil.errors import SettingsError
from unveil.io.outgoing import PARTLY_LABEL
from unveil.project import make_copies


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({name: rng.integers(0, 9, 100) for name in ("age", "region", "income")})
    frame.write_csv(tmp_path / "people.csv")
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    done = CliRunner().invoke(synthesise, ["people.csv", "--out", "copies", *arguments])
    if done.exception is not None:
        raise done.exception


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--keep", "--predictor-only"])
def test_only_copies_with_kept_columns_are_marked_as_partly_synthetic(option):
    run(option, "age", "--format", "sav")
    label = unveil.read_file("copies/FAKE_people.sav").codebook.file_label
    assert (label == PARTLY_LABEL) == (option == "--keep")


def test_copies_beside_columns_that_only_predict_have_any_number_of_rows():
    run("--predictor-only", "age", "--rows", "30")
    assert pl.read_csv("copies/FAKE_people.csv").shape == (30, 2)


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_method_is_refused(empty):
    with pytest.raises(SettingsError) as caught:
        run("--method", empty)
    assert str(caught.value) == ("--method is empty. Name a method, such as cart, or omit it.")


def test_more_copies_than_can_be_are_refused_before_any_is_named(monkeypatch):
    monkeypatch.setattr(make_copies, "target_of", lambda *_, **__: pytest.fail("a copy was named"))
    with pytest.raises(SettingsError) as caught:
        run("--copies", "100000000")
    assert str(caught.value) == "copies is 100000000. It must be a whole number from 1 to 10,000."

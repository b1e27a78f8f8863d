"""`[data.types]`: files of a run are read as the project says."""

from pathlib import Path

import polars as pl
import pytest

from project.run_projects import HEAD, SCENARIO, people, project
from unveil.errors import AlignError, InputError, ReadError
from unveil.project.history import compare_runs
from unveil.project.model import ProjectFile
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.sources import add_typing_advice
from unveil.project.store import load_parts


def with_words(folder: Path, types: str = "") -> ProjectFile:
    """A project whose copy has three ages that are words."""
    project(folder, SCENARIO, head=HEAD + types)
    ages = people(2)["age"].cast(pl.String).to_list()
    people(2).with_columns(age=pl.Series(["old", "old", "young", *ages[3:]])).write_csv(
        folder / "copy.csv"
    )
    return read_project(folder)


@pytest.mark.slow
def test_text_against_numbers_is_refused_with_the_line_that_says_what_a_column_is(tmp_path: Path):
    part = run_project(with_words(tmp_path)).part("disclosure neighbour")
    assert part.state == "not measured"
    assert part.reason is not None
    assert part.reason.endswith(
        ' Or declare the type of the column in project.toml: [data.types] age = "integer"'
    )


@pytest.mark.parametrize(("column", "key"), [("age", "age"), ("a b", '"a b"'), ("é", '"é"')])
def test_the_line_is_toml_whatever_the_column_is_called(column: str, key: str):
    assert add_typing_advice(AlignError("No.", {column: "text"})).endswith(
        f'[data.types] {key} = "text"'
    )
    assert add_typing_advice(InputError("No.")) == "No."


def test_entries_that_are_no_whole_numbers_are_refused_by_their_number(tmp_path: Path):
    with pytest.raises(
        ReadError, match=r"^Column 'age' of the synthetic dataset \(copy\.csv\) has 3"
    ):
        run_project(with_words(tmp_path, 'types = {age = "integer"}\n'))


@pytest.mark.slow
def test_a_column_read_as_text_is_measured_and_noted(tmp_path: Path):
    made = with_words(tmp_path, 'types = {age = "text"}\n')
    run = run_project(made)
    record = load_parts(tmp_path, run)["disclosure neighbour"]
    assert "Column 'age': numbers read as text, as the project declares." in [
        note.sentence for note in record.coercions
    ]
    assert not [one for one in run.warnings if "types" in one]


@pytest.mark.slow
def test_other_types_are_measured_anew_and_told_by_compare(tmp_path: Path):
    run_project(project(tmp_path))
    made = project(tmp_path, head=HEAD + 'types = {income = "text"}\n')
    second = run_project(made)
    assert {part.state for part in second.parts if part.file} == {"measured"}
    changes = [(one.setting, one.values) for one in compare_runs(made, [1, 2]).settings]
    assert ("types", ("none", '{"income": "text"}')) in changes

"""Fake data says so in memory and in its file, with the marks of every other fake file."""

import polars as pl
import pytest

import unveil.view.recoding  # noqa: F401  (teaches records to show themselves)
from unveil.errors import InputError
from unveil.io.outgoing import LABEL, NOTE, PARTLY_LABEL
from unveil.io.sources import read_table
from unveil.io.table import Labelled
from unveil.protection.label_as_fake import label_as_fake
from unveil.records.codebook import Codebook, Level, Variable
from unveil.records.protection import FakeMarks

FRAME = pl.DataFrame({"x": [1, 2], "t": ["a", "b"]})
BOOK = Codebook(
    source="secret_survey.sav",
    format="spss",
    file_label="Real people of Anytown",
    notes=("Made by somebody",),
    variables=(
        Variable(name="x", label="A number", kind="number", levels=(Level(code=1, label="one"),)),
    ),
)


def test_a_column_a_label_and_a_note_say_so():
    result = label_as_fake(FRAME)
    assert result.data.frame.columns == ["FAKE", "x", "t"]
    assert result.data.frame["FAKE"].to_list() == ["FAKE", "FAKE"]
    assert (result.data.codebook.file_label, result.data.codebook.notes) == (LABEL, (NOTE,))
    assert result.record.written is None
    assert repr(result) == "Marked as fake by its label and note, by the column FAKE."
    assert FakeMarks.from_json(result.to_json()) == result.record


def test_labels_of_columns_stay_and_the_file_of_real_people_is_forgotten():
    result = label_as_fake(Labelled(FRAME, BOOK), column="is_fake")
    assert result.data.codebook.variable("x") == BOOK.variables[0]
    text = result.data.codebook.to_json()
    for secret in ("Anytown", "somebody", "secret_survey"):
        assert secret not in text


def test_without_a_column_only_the_label_says_so():
    result = label_as_fake(FRAME, column=None)
    assert result.data.frame.equals(FRAME)
    assert result.record.marker is None
    assert "Marked as fake by its label and note." in result._repr_html_()


@pytest.mark.parametrize("ending", ["csv", "sav", "parquet"])
def test_a_file_says_so_in_its_name_too(ending, tmp_path):
    result = label_as_fake(Labelled(FRAME, BOOK), path=tmp_path / f"copy.{ending}")
    assert result.record.written.path == str(tmp_path / f"FAKE_copy.{ending}")
    table = read_table(tmp_path / f"FAKE_copy.{ending}", side="data")
    assert table.frame["FAKE"].to_list() == ["FAKE", "FAKE"]
    assert table.frame["x"].to_list() == [1, 2]


def test_a_copy_that_is_real_in_part_does_not_say_that_nobody_is():
    assert label_as_fake(FRAME, partly=True).record.label == PARTLY_LABEL


def test_marking_twice_is_marking_once():
    once = label_as_fake(FRAME)
    assert label_as_fake(once.data).data.frame.equals(once.data.frame)


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (
            "t",
            "The synthetic dataset has a column 't' already. Choose another name for the marker"
            " column.",
        ),
        (" ", "The marker column is empty. Give it a name, such as FAKE."),
        (3, "The marker column is 3. Give it a name, such as FAKE."),
    ],
)
def test_bad_input_is_refused_in_a_sentence(column, sentence, tmp_path):
    with pytest.raises(InputError) as refused:
        label_as_fake(FRAME, column=column, path=tmp_path / "copy.csv")
    assert str(refused.value) == sentence
    assert refused.value.exit_code == 2
    assert list(tmp_path.iterdir()) == []

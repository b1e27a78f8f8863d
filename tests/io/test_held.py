"""A file that was read once gives what reading it anew gives: columns, notes, labels, refusals."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.errors import InputError
from unveil.examples import survey_codes
from unveil.io.sources import hold, read_table
from unveil.io.table import Table
from unveil.io.write_file import write_file

TEXTS = {
    "plain.csv": "a,b,c\n1,x,NA\n2,y,3\n\n3,NA,4\n",
    "blanks.csv": " a ,,c\n1,2,-9\n2,-9,word\n3,4,word\n4,5,1\n5,6,2\n",
    "commas.csv": "a;b;c\n1,5;x;12,500\n2,5;y;13,500\n",
    "mixed.csv": "a;b;c\n1,5;1.5;x\n2,25;2.5;y\n",
    "almost.csv": "b,a,c\n1,2,1\n2,3,2\nword,word,word\n4,5,6\n",
}


def same(one: Table, other: Table) -> None:
    assert (one.side, one.place, one.source, one.notes) == (
        other.side,
        other.place,
        other.source,
        other.notes,
    )
    assert one.frame.equals(other.frame, null_equal=True)
    assert one.frame.schema == other.frame.schema
    assert one.variables == other.variables


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@given(data=st.data())
@examples(15)
def test_a_held_text_file_is_read_as_it_would_be_anew(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("held") / name
    path.write_text(TEXTS[name])
    missing = data.draw(st.sampled_from([(), ("NA",), ("-9", "word")]))
    names = read_table(path, side="data").frame.columns
    columns = data.draw(st.none() | st.lists(st.sampled_from(names), min_size=1, max_size=4))
    side = data.draw(st.sampled_from(["original", "synthetic 2", "control"]))
    held = hold(path, side="data", missing_values=missing)
    asked = data.draw(st.sampled_from([missing, (), ("NA",)]))
    same(
        read_table(held, side=side, columns=columns, missing_values=asked),
        read_table(path, side=side, columns=columns, missing_values=asked),
    )


@pytest.mark.parametrize("ending", ["sav", "dta", "parquet", "csv"])
@pytest.mark.parametrize("columns", [None, ["income", "sex"], ["age"]])
def test_labels_of_a_held_file_are_those_of_the_columns(
    tmp_path: Path, ending: str, columns: list[str] | None
) -> None:
    path = tmp_path / f"codes.{ending}"
    written = write_file(survey_codes().head(50), path, fake=False)
    assert written is not None
    held = hold(path, side="original")
    same(
        read_table(held, side="synthetic", columns=columns),
        read_table(path, side="synthetic", columns=columns),
    )


def test_a_column_that_is_not_there_is_refused_alike(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text(TEXTS["plain.csv"])
    said = []
    for source in (path, hold(path, side="data")):
        with pytest.raises(InputError) as told:
            read_table(source, side="original", columns=["aa", "b"])
        said.append(str(told.value))
    assert said[0] == said[1]
    assert said[0].startswith("The original (plain.csv) has no column 'aa'.")


def test_a_dictionary_is_used_where_the_file_declares_nothing(tmp_path: Path) -> None:
    pl.DataFrame({"sex": [1, 2], "x": [1, 2]}).write_csv(tmp_path / "data.csv")
    (tmp_path / "labels.csv").write_text("variable,label,code,meaning\nsex,Sex,1,m\nsex,,2,f\n")
    held = hold(tmp_path / "data.csv", side="original", dictionary=tmp_path / "labels.csv")
    assert [one.name for one in read_table(held, side="original").variables.values()] == ["sex"]
    assert read_table(held, side="original", columns=["x"]).variables == {}


def test_a_held_file_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text(TEXTS["plain.csv"])
    held = hold(path, side="data")
    path.unlink()
    assert read_table(held, side="original", columns=["c", "a"]).frame.columns == ["c", "a"]

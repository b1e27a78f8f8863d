"""Columns read as what a project says they are: by entry, failures counted, no entry told."""

from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest

from unveil.errors import ReadError
from unveil.io.sources import hold, read_table
from unveil.io.table import Table, place_of
from unveil.io.text_types import apply_types


def table(values: list[object], dtype: pl.DataType | None = None) -> Table:
    frame = pl.DataFrame({"a": pl.Series(values, dtype=dtype, strict=False)})
    return Table(side="synthetic", place=place_of("synthetic", "copy.csv"), frame=frame)


@pytest.mark.parametrize(
    ("kind", "given", "read"),
    [
        ("integer", ["1", " 2", "3.0", None], [1, 2, 3, None]),
        ("integer", ["9007199254740993"], [9007199254740993]),
        ("integer", [1.0, 2.0, float("nan")], [1, 2, None]),
        ("integer", ["", "4"], [None, 4]),
        ("number", ["1.5", "2e1", None], [1.5, 20.0, None]),
        ("number", [1, 2], [1, 2]),
        ("text", [1, 2], ["1", "2"]),
        ("text", [1.0, 2.5, None], ["1", "2.5", None]),
        ("text", [True, False], ["true", "false"]),
        ("text", [date(2026, 11, 16)], ["2026-11-16"]),
        ("date", ["2026-11-16", None], [date(2026, 11, 16), None]),
        ("date", [datetime(2026, 11, 16)], [date(2026, 11, 16)]),
    ],
)
def test_entries_are_read_as_what_the_column_is_said_to_hold(kind, given, read):
    assert apply_types(table(given), {"a": kind}).frame["a"].to_list() == read


@pytest.mark.parametrize(
    ("kind", "given", "entries"),
    [
        ("integer", ["1", "SECRET", "x", "2.5"], "3 entries that are not whole numbers"),
        ("integer", [1.0, 2.5], "1 entry that is not a whole number"),
        ("integer", [True], "1 entry that is not a whole number"),
        ("number", ["1", "SECRET"], "1 entry that is not a number"),
        ("number", ["1", "inf"], "1 entry that is not a number"),
        ("date", ["16.11.2026", "2026-11-16"], "1 entry that is not a date"),
        ("date", [datetime(2026, 11, 16, 12)], "1 entry that is not a date"),
        ("date", [20261116], "1 entry that is not a date"),
    ],
)
def test_entries_that_are_something_else_are_counted_and_never_told(kind, given, entries):
    with pytest.raises(ReadError) as told:
        apply_types(table(given), {"a": kind})
    assert str(told.value) == (
        f"Column 'a' of the synthetic dataset (copy.csv) has {entries}. [data.types] says {kind}:"
        " correct the file, name the missing codes under missing_values, or change the type."
    )
    assert told.value.__cause__ is None


def test_faults_of_all_columns_are_told_together():
    frame = pl.DataFrame({"a": ["x"], "b": ["y"]})
    with pytest.raises(ReadError) as told:
        apply_types(Table("original", "The original", frame), {"a": "number", "b": "date"})
    assert len(str(told.value).split("\n")) == 2


def test_what_was_done_is_noted_and_what_was_so_already_is_not():
    made = apply_types(table(["1"]), {"a": "integer", "other": "date"})
    assert [(note.side, note.column, note.kind) for note in made.notes] == [
        ("synthetic", "a", "type")
    ]
    assert made.notes[0].sentence == (
        "Column 'a': text read as whole numbers, as the project declares."
    )
    assert apply_types(table([1]), {"a": "integer"}).notes == ()


def test_a_column_with_nothing_but_missing_entries_agrees_with_any_type():
    for kind in ("integer", "number", "text", "date"):
        assert apply_types(table([None], pl.Null()), {"a": kind}).frame["a"].to_list() == [None]


def test_a_held_file_keeps_its_types_also_where_it_is_read_again(tmp_path: Path):
    (tmp_path / "a.csv").write_text("a;b\n1,5;x\n2,5;y\n")
    held = hold(tmp_path / "a.csv", side="original", types={"b": "text", "a": "text"})
    assert not held.can_serve(["a"], ())
    for columns in (["a"], ["a", "b"], None):
        found = read_table(held, side="original", columns=columns)
        assert found.frame["a"].to_list() == ["1.5", "2.5"]
        assert any(note.kind == "type" for note in found.notes)

from datetime import date, datetime, time

import polars as pl
import pytest
import xlsxwriter

from foreign_files import FRAME, make
from unveil.errors import ReadError, RolesError
from unveil.io.read_excel import count_errors, count_merged
from unveil.io.sources import read_table

WHERE = "The original (f.xlsx)"


@pytest.fixture
def book(tmp_path):
    """A workbook of sheets of rows; a cell may be (value, number format)."""

    def write(**sheets):
        made = xlsxwriter.Workbook(str(tmp_path / "f.xlsx"))
        for name, rows in sheets.items():
            page = made.add_worksheet(name)
            for i, row in enumerate(rows):
                for k, cell in enumerate(row):
                    if isinstance(cell, str) and cell.startswith("#"):
                        page.write_formula(i, k, "=NA()", None, cell)
                    elif isinstance(cell, tuple):
                        page.write_datetime(i, k, cell[0], made.add_format({"num_format": cell[1]}))
                    elif isinstance(cell, str):
                        page.write_string(i, k, cell)
                    else:
                        page.write(i, k, cell)
        made.close()
        return tmp_path / "f.xlsx"

    return write


def sentences(table):
    return [(note.kind, note.sentence) for note in table.notes]


def refusal(path, error=ReadError, **settings):
    with pytest.raises(error) as caught:
        read_table(path, side="original", **settings)
    return str(caught.value)


@pytest.mark.slow
def test_a_sheet_is_read_as_it_stands(tmp_path):
    table = read_table(make(tmp_path, ".xlsx"), side="original")
    assert table.frame["SEX"].to_list() == [1, 2, 9, None]
    assert table.frame["SEX"].dtype == pl.Int64
    assert table.frame["AGE"].to_list() == FRAME["AGE"].to_list()
    assert table.codebook.format == "excel"
    assert table.notes == ()


def test_cells_have_the_types_that_excel_shows(book):
    day, clock, both = "yyyy-mm-dd", "hh:mm:ss", "yyyy-mm-dd hh:mm:ss"
    path = book(
        S=[
            ["d", "t", "m", "b", "w"],
            [
                (date(2020, 2, 29), day),
                (time(10, 5), clock),
                (datetime(2020, 1, 1, 9), both),
                True,
                1,
            ],
            [None, (time(23, 59, 59), clock), (datetime(2020, 1, 2), both), False, 2],
        ]
    )
    frame = read_table(path, side="original").frame
    assert frame.to_dict(as_series=False) == {
        "d": [date(2020, 2, 29), None],
        "t": [time(10, 5), time(23, 59, 59)],
        "m": [datetime(2020, 1, 1, 9), datetime(2020, 1, 2)],
        "b": [True, False],
        "w": [1, 2],
    }


def test_numbers_that_stand_as_text_are_numbers_and_codes_with_zeros_are_text(book):
    path = book(S=[["a", "b", "c"], ["1", "01", 1], ["2", "02", "x"], ["3", "03", 2.5]])
    frame = read_table(path, side="original").frame
    assert frame.to_dict(as_series=False) == {
        "a": [1, 2, 3],
        "b": ["01", "02", "03"],
        "c": ["1", "x", "2.5"],
    }


def test_the_type_of_a_column_does_not_hang_on_its_first_rows(book):
    path = book(S=[["a"], *([n] for n in range(2000)), ["word"]])
    assert read_table(path, side="original").frame["a"].dtype == pl.String


def test_cells_with_an_error_are_missing_and_that_is_told(book):
    path = book(S=[["a", "t", "n"], [1, "x", 1], ["#N/A", "#DIV/0!", 2], [3, "z", 3]])
    table = read_table(path, side="original")
    assert table.frame["a"].to_list() == [1, None, 3]
    assert table.frame["t"].to_list() == ["x", None, "z"]
    assert sentences(table) == [
        (
            "missing",
            "The sheet has 2 cells with an error, such as #N/A; they are taken as missing.",
        )
    ]


def test_errors_are_counted_over_the_edges_of_pieces(book, monkeypatch):
    path = book(S=[["a"], *(["#N/A"] for _ in range(500))], T=[["b"], ["#N/A"]])
    for size in (61, 1000, 4096):
        monkeypatch.setattr("unveil.io.read_excel._PIECE", size)
        assert (count_errors(str(path), "S"), count_errors(str(path), "T")) == (500, 1)
    assert count_errors(str(path), "absent") == 0


def test_blank_rows_are_passed_over_and_blank_names_told(book):
    path = book(S=[["a", "", "c", ""], [1, "x", 2], [None, None, None], [3, "y", 4]])
    table = read_table(path, side="original")
    assert table.frame.to_dict(as_series=False) == {
        "a": [1, 3],
        "unnamed_2": ["x", "y"],
        "c": [2, 4],
    }
    assert sentences(table) == [
        ("unnamed_column", "A column without a name in the header is called 'unnamed_2'.")
    ]


def test_the_first_sheet_with_data_is_read_and_the_others_named(book):
    path = book(Empty=[], Data=[["a"], [1]], More=[["b"], [2]])
    table = read_table(path, side="original")
    assert table.frame.columns == ["a"]
    assert sentences(table) == [
        (
            "sheet",
            "The workbook has 3 sheets (Empty, Data, More); only 'Data' was read. To read another, "
            "name it behind the file, as in 'f.xlsx#Empty'.",
        )
    ]


def test_a_sheet_is_chosen_by_its_name(book):
    path = book(Data=[["a"], [1]], More=[["b"], [2]])
    table = read_table(path, side="original", sheet="More")
    assert table.frame.to_dict(as_series=False) == {"b": [2]}
    assert table.notes == ()
    assert refusal(path, RolesError, sheet="Mroe") == (
        f"{WHERE} has no sheet 'Mroe'. Did you mean 'More'? Its sheets are: Data, More."
    )


def with_sheets(path, **sheets):
    """A workbook of sheets with one column each, called like the sheet; some of them hidden."""
    made = xlsxwriter.Workbook(str(path))
    for name, is_hidden in sheets.items():
        page = made.add_worksheet(name)
        page.write_column(0, 0, [name, 1])
        if is_hidden:
            page.hide()
        else:
            page.activate()  # one that shows must be, or the first is not hidden
    made.close()
    return path


def test_a_hidden_sheet_is_read_only_when_asked_for(tmp_path):
    path = with_sheets(tmp_path / "f.xlsx", Old=True, Data=False)
    table = read_table(path, side="original")
    assert table.frame.columns == ["Data"]
    assert sentences(table) == [
        (
            "sheet",
            "The workbook has 2 sheets (Old [hidden], Data); only 'Data' was read. To read "
            "another, name it behind the file, as in 'f.xlsx#Old'.",
        )
    ]
    assert read_table(path, side="original", sheet="Old").frame.columns == ["Old"]


def test_a_sheet_is_named_behind_the_file(tmp_path):
    path = with_sheets(tmp_path / "f.XLSX", **{"Data": False, "2020 #1": False})
    table = read_table(f"{path}#2020 #1", side="original")
    assert table.frame.columns == ["2020 #1"]
    assert (table.place, table.source, table.notes) == ("The original (f.XLSX)", "f.XLSX", ())
    assert refusal(f"{path}#Dat", RolesError) == (
        "The original (f.XLSX) has no sheet 'Dat'. Did you mean 'Data'? Its sheets are: Data, "
        "2020 #1."
    )
    assert refusal(tmp_path / "g.xlsx#Data").startswith("The original (g.xlsx) was not found")


def test_a_file_with_such_a_name_goes_before_a_sheet(tmp_path):
    with_sheets(tmp_path / "f.xlsx", Data=False, More=False)
    with_sheets(tmp_path / "f.xlsx#More.xlsx", Other=False)
    assert read_table(tmp_path / "f.xlsx#More.xlsx", side="original").frame.columns == ["Other"]


def test_merged_cells_are_told(tmp_path, monkeypatch):
    made = xlsxwriter.Workbook(str(tmp_path / "f.xlsx"))
    page = made.add_worksheet("S")
    page.write_row(0, 0, ["a", "b"])
    page.write_column(1, 1, range(6))
    page.merge_range(1, 0, 3, 0, "north")
    page.merge_range(4, 0, 6, 0, "south")
    page.merge_range(0, 2, 0, 3, "in the header")
    made.close()
    table = read_table(tmp_path / "f.xlsx", side="original", columns=["a", "b"])
    assert table.frame["a"].to_list() == ["north", None, None, "south", None, None]
    assert sentences(table) == [
        (
            "merged",
            "The sheet has 2 groups of merged cells. Only the first cell of such a group has a "
            "value; the others are taken as missing. If the value is meant for all of them, "
            "unmerge the cells and fill them.",
        )
    ]
    monkeypatch.setattr("unveil.io.read_excel._PIECE", 61)
    assert count_merged(str(tmp_path / "f.xlsx"), "S") == 2


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            [["a", "b"]],
            "has a header but no rows. Check that its export was finished.",
        ),
        (
            [["The survey of 2020"], ["a", "b", "c"], [1, 2, 3]],
            "has a title or merged cells above the names of its columns. Delete the rows above the "
            "names, and give every column a name in one row.",
        ),
        (
            [["The survey of 2020"], [], ["a", "b"], [1, 2]],
            "has a title or merged cells above the names of its columns. Delete the rows above the "
            "names, and give every column a name in one row.",
        ),
        ([], "has nothing on its sheets. Check that it is the right one."),
    ],
)
def test_what_is_no_table_is_refused(book, rows, sentence):
    assert refusal(book(S=rows)) == f"{WHERE} {sentence}"


def test_two_columns_of_one_name_are_refused(book):
    assert refusal(book(S=[["a", "a"], [1, 2]]), RolesError) == (
        f"{WHERE} has more than one column 'a'. Give each column a name of its own."
    )


def test_a_name_with_a_number_behind_it_is_a_name(book):
    path = book(S=[["a", "a_1", " b "], [1, 2, 3]])
    assert read_table(path, side="original").frame.columns == ["a", "a_1", "b"]


def test_only_the_columns_asked_for_are_given(book):
    path = book(S=[["a", "b"], [1, "x"], [None, "y"]])
    frame = read_table(path, side="original", columns=["a"]).frame
    assert frame.to_dict(as_series=False) == {"a": [1, None]}

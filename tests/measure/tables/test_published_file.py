"""Published values from a file: matched to cells and sums by name, in any order and layout."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import InputError, ReadError
from unveil.measure.tables.grid import Grid
from unveil.measure.tables.read_published import read_published

GRID = Grid(("row", "column"), (("A", "B"), ("D", "E")))
ROWS = [
    *(("A", "D", "0"), ("A", "E", "3"), ("B", "D", ""), ("B", "E", "1 to 4")),
    *(("Total", "D", "5 or more"), ("total", "E", "6"), ("All", "All", "12")),
]


def frame(rows):
    return pl.DataFrame(rows, ["row", "column", "published"], orient="row")


def test_values_intervals_and_suppressed_ones_by_part():
    assert read_published(frame(ROWS), GRID) == {
        "table": [0, 3, None, (1, 4)],
        "column": [(5, None), 6],
        "total": 12,
    }


@given(st.permutations(ROWS))
def test_the_order_of_rows_does_not_matter(rows):
    assert read_published(frame(rows), GRID) == read_published(frame(ROWS), GRID)


def test_a_part_that_is_not_there_whole_is_left_aside():
    assert set(read_published(frame(ROWS[:5]), GRID)) == {"table"}


def test_a_wide_file_of_published_values():
    wide = pl.DataFrame({"row": ["B", "A", "Total"], "E": [3, 6, 9], "D": [None, 0, 3]})
    assert read_published(wide, GRID) == {"table": [0, 6, None, 3], "column": [3, 9]}


def test_the_column_of_values_can_be_named():
    both = pl.DataFrame(
        {
            "row": ["A", "A", "B", "B"],
            "column": ["D", "E"] * 2,
            "n": [1, 2, 3, 4],
            "p": [0, 3, 3, 3],
        }
    )
    assert read_published(both, GRID, value="p", layout="long") == {"table": [0, 3, 3, 3]}


@pytest.mark.parametrize(
    ("rows", "fault", "sentence"),
    [
        (
            ROWS[:3],
            InputError,
            "The dataset with the published values has no row for 1 of 4 cells. Give every cell; an"
            " empty value is a suppressed one.",
        ),
        (
            [*ROWS, ROWS[0]],
            InputError,
            "The dataset with the published values has more than one row for one cell or sum. Give"
            " each once.",
        ),
        (
            [*ROWS, ("A", "Z", "3")],
            InputError,
            "The dataset with the published values has a level of 'column' that the table does not"
            " have. Its levels must be those of the counts.",
        ),
        (
            [("A", "D", "-1"), ("A", "E", "1.5"), ("B", "D", "4 to"), *ROWS[3:]],
            ReadError,
            "The published values in column 'published' of the dataset cannot be read in 3 of 7"
            " rows. Write whole numbers, nothing where a value is suppressed, or intervals: 1 to"
            " 4, 5 or more.",
        ),
    ],
)
def test_what_cannot_be_matched_is_refused(rows, fault, sentence):
    with pytest.raises(fault) as told:
        read_published(frame(rows), GRID)
    assert str(told.value) == sentence

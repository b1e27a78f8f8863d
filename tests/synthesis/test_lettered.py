import polars as pl
import pytest

from unveil.io.numbers import TAGS
from unveil.io.table import Table
from unveil.records.codebook import Codebook, Variable
from unveil.synthesis.split_columns import read_lettered_numbers


def table(values, kind="number"):
    book = Codebook(source="a.csv", format="csv", variables=(Variable(name="x", kind=kind),))
    return Table("original", "The original", pl.DataFrame({"x": values}), codebook=book)


def test_numbers_with_letters_among_them_are_numbers():
    made = read_lettered_numbers(table(["1.5", ".a", None, "-2", ".z"])).frame["x"]
    assert made.to_list() == [1.5, TAGS[".a"], None, -2.0, TAGS[".z"]]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1.5", ".a"], "text"),
        (["1.5", ".a", "many"], "number"),
        (["1.5", ".a", "inf"], "number"),
        (["1.5", "2"], "number"),
        ([1.5, 2.0], "number"),
    ],
)
def test_all_else_stays_as_it_is(values, kind):
    given = table(values, kind)
    assert read_lettered_numbers(given) is given


def test_a_table_of_which_nothing_is_declared_stays_as_it_is():
    given = Table("original", "The original", pl.DataFrame({"x": ["1", ".a"]}))
    assert read_lettered_numbers(given) is given

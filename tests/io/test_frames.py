import re
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import narwhals.stable.v2 as nw
import polars as pl
import pytest

from unveil.errors import ReadError, RolesError
from unveil.io.read_frames import read_frame
from unveil.io.sources import read_table

NAN = float("nan")
CANARY = "HIVpositive1847"
FRAME = pl.DataFrame({"sex": ["M", "F", None], "age": [31, None, 40]})


def read(frame, columns=None):
    return read_frame(frame, side="original", columns=columns).frame


def refusal(frame, error=ReadError, columns=None):
    with pytest.raises(error) as caught:
        read(frame, columns)
    assert caught.value.__cause__ is None
    assert CANARY not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("wrap", [lambda f: f, pl.DataFrame.lazy, nw.from_native])
def test_polars_frames_are_taken_as_they_are(wrap):
    table = read_table(wrap(FRAME), side="synthetic")
    assert table.frame.equals(FRAME)
    assert table.place == "The synthetic dataset"
    assert table.notes == ()


def test_only_the_columns_asked_for_are_computed():
    lazy = FRAME.lazy().with_columns(bad=pl.col("sex").cast(pl.Int64))
    assert read(lazy, ["age", "sex"]).equals(FRAME.select("age", "sex"))


def test_a_query_that_fails_does_not_quote_the_data():
    lazy = pl.LazyFrame({"sex": [CANARY]}).with_columns(pl.col("sex").cast(pl.Int64))
    message = (
        "The original could not be turned into a table: the library behind the frame refused. "
        "Compute it there first, or save it as Parquet and give the path."
    )
    assert refusal(lazy) == message
    assert refusal(FRAME.lazy().select("sexx")) == message


def test_a_misspelt_column_names_its_neighbour():
    message = "The original has no column 'aeg'. Did you mean 'age'? Its columns are: sex, age."
    assert refusal(FRAME, RolesError, ["aeg"]) == message
    assert refusal(FRAME.lazy(), RolesError, ["aeg"]) == message


@pytest.mark.parametrize("frame", [FRAME.clear(), FRAME.clear().lazy()])
def test_no_rows_are_refused(frame):
    message = "The original has columns but no rows. Check how the frame was made."
    assert refusal(frame) == message


def test_no_columns_are_refused():
    message = "The original has no columns. Check that it is the file or frame you meant."
    assert refusal(pl.DataFrame()) == message


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        ([CANARY], "a list"),
        ({"a": [1]}, "a dict"),
        (None, "a NoneType"),
        (7, "an int"),
        (b"f.csv", "a bytes"),
        (pl.Series([1]), "a Series"),
        (pl.DataFrame, "a type"),
    ],
)
def test_what_is_no_frame_is_refused(thing, name):
    with pytest.raises(ReadError, match=f"^The original is given as {name}[.] unveil reads file"):
        read_table(thing, side="original")


def test_the_refusal_of_what_is_no_frame_says_what_is_read():
    assert refusal([1]) == (
        "The original is given as a list. unveil reads file paths and data frames: polars, pandas, "
        "pyarrow, DuckDB and all that narwhals knows."
    )


# pandas


@pytest.mark.frames
def test_pandas_columns_keep_their_values_and_types():
    import pandas as pd

    frame = pd.DataFrame(
        {
            "text": ["M", None, "F"],
            "whole": [1, 2, 3],
            "small": pd.array([1, 2, 3], dtype="uint8"),
            "decimal": [1.5, float("nan"), 2.0],
            "truth": [True, False, True],
            "nullable whole": pd.array([1, None, 3], dtype="Int64"),
            "nullable decimal": pd.array([1.5, None, 3], dtype="Float64"),
            "nullable truth": pd.array([True, None, False], dtype="boolean"),
            "nullable text": pd.array(["x", None, "y"], dtype="string"),
            "truth or none": [True, None, False],
            "moment": pd.to_datetime(["2024-01-02 03:04", None, "2024-01-03 00:00"]),
            "nothing": [None, None, None],
        },
        index=[5, 5, 6],
    )
    found = read(frame)
    assert found.to_dict(as_series=False) == {
        "text": ["M", None, "F"],
        "whole": [1, 2, 3],
        "small": [1, 2, 3],
        "decimal": [1.5, None, 2.0],
        "truth": [True, False, True],
        "nullable whole": [1, None, 3],
        "nullable decimal": [1.5, None, 3.0],
        "nullable truth": [True, None, False],
        "nullable text": ["x", None, "y"],
        "truth or none": [True, None, False],
        "moment": [datetime(2024, 1, 2, 3, 4), None, datetime(2024, 1, 3)],
        "nothing": [None, None, None],
    }
    families = [dtype.base_type() for dtype in found.dtypes]
    assert families == [
        *(pl.String, pl.Int64, pl.UInt8, pl.Float64, pl.Boolean, pl.Int64, pl.Float64),
        *(pl.Boolean, pl.String, pl.Boolean, pl.Datetime, pl.Null),
    ]


@pytest.mark.frames
@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([date(2024, 1, 2), None], pl.Date),
        ([datetime(2024, 1, 2), None], pl.Datetime("us")),
        ([time(1, 2), None], pl.Time),
        ([timedelta(days=1), None], pl.Duration("us")),
        ([Decimal("1.50"), None], pl.Decimal),
        ([1, 2.5, None], pl.Float64),
        ([1, None, 3], pl.Int64),
        (["x", NAN, "y"], pl.String),
        ([True, None], pl.Boolean),
    ],
)
def test_pandas_object_columns_of_one_type_are_read(values, dtype):
    import pandas as pd

    found = read(pd.DataFrame({"a": pd.Series(values, dtype=object)}))["a"]
    assert found.to_list() == [None if value is NAN else value for value in values]
    assert found.dtype == dtype


@pytest.mark.frames
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_pandas_moments_of_every_unit_and_zone_are_read(unit):
    import pandas as pd

    bare = pd.Series(pd.to_datetime(["2024-07-02 03:04", None])).astype(f"datetime64[{unit}]")
    zoned = bare.dt.tz_localize("Europe/Rome")
    found = read(pd.DataFrame({"bare": bare, "zoned": zoned, "span": bare - bare}))
    assert found.to_dict(as_series=False) == {
        "bare": [datetime(2024, 7, 2, 3, 4), None],
        "zoned": [datetime(2024, 7, 2, 1, 4, tzinfo=UTC), None],
        "span": [timedelta(0), None],
    }


@pytest.mark.frames
@pytest.mark.parametrize(
    ("categories", "values"),
    [
        (["x", "y"], ["y", None, "x"]),
        ([10, 20], [20, None, 10]),
        ([1.5, 2.5], [2.5, None, 1.5]),
        ([True, False], [False, None, True]),
    ],
)
def test_pandas_categories_are_what_they_stand_for(categories, values):
    import pandas as pd

    frame = pd.DataFrame({"a": pd.Categorical(values, categories=categories)})
    found = read(frame)["a"]
    assert found.to_list() == values
    assert found.dtype == pl.Series(values).dtype


@pytest.mark.frames
@pytest.mark.parametrize(
    "values",
    [
        [CANARY, 1],
        [CANARY, 1.5, None],
        [1, True],
        [date(2024, 1, 2), datetime(2024, 1, 2)],
        [CANARY, [1]],
    ],
)
def test_pandas_columns_of_several_types_are_refused(values):
    import pandas as pd

    expected = (
        "The original has a column 'diag' that holds values of more than one type, such as numbers "
        "among text. Turn it into one type first."
    )
    assert refusal(pd.DataFrame({"diag": pd.Series(values, dtype=object)})) == expected
    kept = pd.DataFrame({"diag": pd.Series(values, dtype=object), "a": 1})
    assert read(kept, ["a"])["a"].to_list() == [1] * len(values)


@pytest.mark.frames
def test_pandas_categories_of_several_types_are_refused():
    import pandas as pd

    frame = pd.DataFrame({"diag": pd.Categorical([CANARY, 1, CANARY])})
    assert "has a column 'diag' that holds values of more than one type" in refusal(frame)


@pytest.mark.frames
@pytest.mark.parametrize("values", [[[CANARY]], [{"a": CANARY}], [CANARY.encode()], [2**200]])
def test_pandas_columns_of_other_types_are_refused(values):
    import pandas as pd

    assert refusal(pd.DataFrame({"diag": values})) == (
        "The original has a column 'diag' of a type that unveil does not read. Turn it into "
        "numbers, text, truth values or dates first, or omit it."
    )


@pytest.mark.frames
def test_pandas_columns_without_a_name_in_text_are_refused():
    import pandas as pd

    message = (
        "The original has a column whose name is not text (column {}: {}). Give every column a "
        "name in text."
    )
    assert refusal(pd.DataFrame([[1, 2]]), RolesError) == message.format(1, "int")
    frame = pd.DataFrame([[1, 2]], columns=["a", ("b", "c")])
    assert refusal(frame, RolesError) == message.format(2, "tuple")


@pytest.mark.frames
def test_two_columns_of_one_name_are_refused():
    import pandas as pd
    import pyarrow as pa

    message = "The original has more than one column 'a'. Give each column a name of its own."
    assert refusal(pd.DataFrame([[1, 2]], columns=["a", "a"]), RolesError) == message
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert refusal(table, RolesError) == message


@pytest.mark.frames
def test_a_pandas_frame_without_rows_is_refused():
    import pandas as pd

    message = "The original has columns but no rows. Check how the frame was made."
    assert refusal(pd.DataFrame({"a": []})) == message
    assert refusal(pd.DataFrame({"a": []}, dtype="category")) == message


@pytest.mark.frames
def test_a_pandas_column_alone_is_refused():
    import pandas as pd

    assert refusal(pd.Series([CANARY])).startswith("The original is given as a Series. ")


@pytest.mark.frames
def test_pandas_is_read_where_pyarrow_is_not_installed():
    program = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd
from unveil.io.read_frames import read_frame
frame = pd.DataFrame({"a": ["x", None], "b": pd.Categorical(["u", "v"]), "c": [1, 2]})
print(read_frame(frame, side="original").frame.rows())
"""
    path = ":".join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[('x', 'u', 1), (None, 'v', 2)]\n"


# pyarrow and others


@pytest.mark.frames
def test_arrow_tables_are_read():
    import pyarrow as pa

    table = pa.table({"sex": pa.array(["M", "F", None]).dictionary_encode(), "age": [31, None, 40]})
    assert read(table).cast({"sex": pl.String}).equals(FRAME)
    assert read(table, ["age"]).equals(FRAME.select("age"))


@pytest.mark.frames
def test_arrow_tables_without_rows_are_refused():
    import pyarrow as pa

    assert re.match("The original has columns but no rows.", refusal(pa.table({"a": []})))


@pytest.mark.frames
def test_a_narwhals_frame_is_read_as_what_it_wraps():
    import pandas as pd

    frame = nw.from_native(pd.DataFrame({"a": pd.Series([CANARY, 1], dtype=object)}))
    assert "more than one type" in refusal(frame)


@pytest.mark.frames
@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_a_name_that_looks_like_a_pattern_is_a_name(library):
    import pandas as pd
    import pyarrow as pa

    frame = pd.DataFrame(
        {
            "a": [1, 2],
            "*": pd.Categorical(["x", "y"]),
            "^a.*$": pd.Categorical([5, 6]),
            "^b$": pd.to_datetime(["2020-01-01", "2021-01-01"]).tz_localize("UTC"),
            "^c$": ["x", None],
        }
    )
    given = frame if library == "pandas" else pa.Table.from_pandas(frame)
    table = read_frame(given, side="original", columns=["^a.*$", "*", "^b$", "^c$"])
    assert table.frame.columns == ["^a.*$", "*", "^b$", "^c$"]
    assert table.frame["^a.*$"].to_list() == [5, 6]
    assert table.frame["*"].to_list() == ["x", "y"]

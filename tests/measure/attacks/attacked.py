"""Small tables of mixed columns with ties, missing values and a special code, for hypothesis."""

import polars as pl
from hypothesis import strategies as st

NAMES = ["age", "job", "gain", "sex"]
TYPES = {"age": pl.Int64, "job": pl.String, "gain": pl.Float64, "sex": pl.String}
SPECIALS = [(), (), (-9,), ()]
"""What stands apart in each of these columns."""

records = st.tuples(
    st.sampled_from([0, 1, 2, 3, 7, None]),
    st.sampled_from(["a", "b", "c", None]),
    st.sampled_from([-4, -2, 0, 2, 4, -9, None]),
    st.sampled_from(["f", "m"]),
)


def tables(least: int, most: int):
    """A list of records."""
    return st.lists(records, min_size=least, max_size=most)


def frame(rows) -> pl.DataFrame:
    """The records as a frame."""
    columns = zip(*rows, strict=True)
    return pl.DataFrame(
        {
            name: pl.Series(
                [float(v) if name == "gain" and v is not None else v for v in values],
                dtype=TYPES[name],
            )
            for name, values in zip(NAMES, columns, strict=True)
        }
    )

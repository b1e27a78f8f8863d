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


def people(least: int, most: int):
    """A list of people, each with the records of one to three times."""
    return st.lists(st.lists(records, min_size=1, max_size=3), min_size=least, max_size=most)


def long_frame(persons) -> pl.DataFrame:
    """Their records, the last time first, with whose they are (`who`) and when (`wave`)."""
    rows = [(who, at, row) for who, own in enumerate(persons) for at, row in enumerate(own)][::-1]
    numbers = {"who": [row[0] for row in rows], "wave": [row[1] for row in rows]}
    return frame([row[2] for row in rows]).with_columns(
        **{n: pl.Series(v) for n, v in numbers.items()}
    )


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

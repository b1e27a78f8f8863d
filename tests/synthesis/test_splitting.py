import datetime as dt

import numpy as np
import polars as pl
import pytest

from unveil.errors import ReadError
from unveil.io.numbers import TAGS
from unveil.models.design import ColumnValues
from unveil.records.codebook import Level, MissingRange, Variable
from unveil.synthesis.split_columns import join_column, split

DAYS = [dt.date(2020, 1, 1), None, dt.date(1960, 2, 29)]
MOMENTS = [dt.datetime(2020, 1, 1, 12), None, dt.datetime(1960, 1, 1)]

COLUMNS = [
    pl.Series("x", [1, 2, None, -8, 3]),
    pl.Series("x", [1, None, -8], dtype=pl.Int8),
    pl.Series("x", [1.5, float("inf"), None, -8.0, float("-inf")]),
    pl.Series("x", [1.1, 2.2, 3.3], dtype=pl.Float32),
    pl.Series("x", [2**62 + 1, 2**62 + 3, 5]),
    pl.Series("x", [2**64 - 1, 2**64 - 2, 5], dtype=pl.UInt64),
    pl.Series("x", ["1.25", "3.50", None]).cast(pl.Decimal(10, 2)),
    pl.Series("x", ["b", None, "a"]),
    pl.Series("x", ["b", None, "a", "b"], dtype=pl.Categorical),
    pl.Series("x", ["b", None, "a", "b"], dtype=pl.Enum(["c", "b", "a"])),
    pl.Series("x", [True, False, None]),
    pl.Series("x", DAYS),
    pl.Series("x", MOMENTS).dt.cast_time_unit("ns").dt.replace_time_zone("Europe/Warsaw"),
    pl.Series("x", [dt.time(1, 2), dt.time(3, 4, 5)]),
    pl.Series("x", [dt.timedelta(1, 2), dt.timedelta(3, 4)]),
    pl.Series("x", [None, None]),
    pl.Series("x", [None, None], dtype=pl.Int8),
    pl.Series("x", [3, 3, 3], dtype=pl.UInt8),
    pl.Series("x", ["a", "a"]),
]


@pytest.mark.parametrize("series", COLUMNS, ids=lambda s: f"{s.dtype}")
def test_a_column_taken_apart_and_joined_is_the_same_column(series):
    back = join_column(split(series, special=[-8]))
    assert back.dtype == series.dtype
    assert back.name == "x"
    assert back.to_list() == series.to_list()


def test_states_are_missing_then_each_special_code_in_order():
    part = split(pl.Series("x", [7, None, -9, -8, 7]), special=[-8, -9, -7])
    assert part.state.tolist() == [0, 1, 2, 3, 0]
    assert part.column.special.to_list() == [-9, -8]
    assert part.column.n_states == 4
    assert part.column.knots.tolist() == [7.0]


def test_a_number_that_is_not_a_number_is_missing():
    part = split(pl.Series("x", [1.0, float("nan"), 2.0]))
    assert part.state.tolist() == [0, 1, 0]


def test_missing_is_the_last_level_of_a_category():
    part = split(pl.Series("x", ["b", None, "a"]))
    assert part.values.tolist() == [1, 2, 0]
    assert part.column.n_levels == 3
    assert part.state is None


def test_an_enum_is_ordered_by_its_categories_not_by_the_alphabet():
    part = split(pl.Series("x", ["a", "b"], dtype=pl.Enum(["c", "b", "a"])))
    assert part.column.kind == "ordered"
    assert part.values.tolist() == [1, 0]


def test_labelled_codes_that_are_declared_nominal_are_a_category():
    levels = (Level(code=1, label="north"), Level(code=2, label="south"))
    variable = Variable(name="x", measure="nominal", levels=levels)
    part = split(pl.Series("x", [2, 1, 2]), variable=variable)
    assert part.column.kind == "category"
    assert join_column(part).to_list() == [2, 1, 2]


def test_declared_missing_codes_and_ranges_are_states():
    span = MissingRange(lo=None, hi=-90.0)
    variable = Variable(name="x", missing=(-8, ".a"), missing_ranges=(span,))
    part = split(pl.Series("x", [5, -8, -99, -91, 6]), variable=variable)
    assert part.column.special.to_list() == [-99, -91, -8]
    assert part.state.tolist() == [0, 4, 2, 3, 0]


def test_places_lie_between_those_of_the_values_on_both_sides():
    column = split(pl.Series("x", [10.0, 20.0, 40.0, None])).column
    state = np.array([0, 0, 0, 0, 1], dtype=np.int16)
    part = ColumnValues(column, np.array([10.0, 15.0, 40.0, 99.0, 0.0]), state)
    assert part.ranks.tolist() == [0.0, 0.5, 2.0, 2.0, -1.0]


def test_a_column_of_lists_is_refused_by_name():
    with pytest.raises(ReadError) as caught:
        split(pl.Series("x", [[1], [2]]))
    assert str(caught.value) == (
        "Column 'x' holds List values, which cannot be synthesised. Omit the column, or turn it"
        " into text or numbers."
    )


def levels(*codes):
    return tuple(Level(code=code, label=f"label of {code}") for code in codes)


CODED = {
    "all values have labels": ([1, 2, 3, 2], levels(1, 2, 3), {}, "category"),
    "one of forty rows has none": ([1, 2] * 20 + [7], levels(1, 2), {}, "category"),
    "labels that nobody has": ([1, 2, 1, 2], levels(1, 2, 3, 4, 5), {}, "category"),
    "a missing code beside them": ([1, 2, 9, 1], levels(1, 2), {"missing": (9,)}, "category"),
    "a special code alone": ([900, 1200, -8, 1500], levels(-8), {"missing": (-8,)}, "number"),
    "a special code that is not declared": ([900, 1200, -8, 1500], levels(-8), {}, "number"),
    "the ends of a scale": ([*range(11)] * 3, levels(0, 10), {}, "number"),
    "nearly everybody has the labelled value": (
        [0] * 99 + [100, 250, 300], levels(0), {}, "number",
    ),
    "a letter alone": ([1.5, 2.5, TAGS[".a"]], levels(".a"), {"missing": (".a",)}, "number"),
    "declared a scale": ([1, 2, 3], levels(1, 2, 3), {"measure": "scale"}, "number"),
    "declared nominal": ([1, 2, 3], levels(1), {"measure": "nominal"}, "category"),
    "no labels": ([1, 2, 3], (), {"measure": "nominal"}, "number"),
}  # fmt: skip


@pytest.mark.parametrize(("values", "known", "more", "kind"), CODED.values(), ids=CODED.keys())
@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64])
def test_labels_tell_codes_from_amounts(values, known, more, kind, dtype):
    if dtype == pl.Int64 and any(value != int(value) or value > 1e300 for value in values):
        dtype = pl.Float64
    variable = Variable(name="x", levels=known, **more)
    part = split(pl.Series("x", [*values, None], dtype=dtype), variable=variable)
    assert part.column.kind == kind
    assert join_column(part).to_list() == [*values, None]


def test_a_number_that_is_not_a_number_is_a_missing_code():
    variable = Variable(name="x", levels=levels(1, 2))
    part = split(pl.Series("x", [1.0, float("nan"), 2.0]), variable=variable)
    assert (part.column.n_levels, part.values.tolist()) == (3, [0, 2, 1])

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pytest

from unveil.errors import SettingsError
from unveil.records.codebook import Level, Variable
from unveil.synthesis.rules import apply_rule, code_of
from unveil.synthesis.split_columns import join_column, split

UNKNOWN = (
    "The rule 'a rule' gives 'x' a value that the original does not have in that column. Check its"
    " spelling."
)
CODES = Variable(
    name="x", measure="nominal", levels=(Level(code=1, label="a"), Level(code=10, label="b"))
)


@dataclass(frozen=True)
class Says:
    value: Any
    text: str = "a rule"
    column: str = "x"
    needs: tuple[str, ...] = ()


def part_of(values, dtype=None, variable=None):
    return split(pl.Series("x", values, dtype=dtype), variable=variable)


@pytest.mark.parametrize("dtype", [pl.Int8, pl.Int64, pl.Float32, pl.Float64])
@pytest.mark.parametrize("value", [10, 10.0])
def test_codes_are_found_by_value_however_they_are_written(dtype, value):
    part = part_of([10, 1, 10], dtype, CODES)
    assert code_of(part.column, Says(value)) == 1


@pytest.mark.parametrize(
    ("values", "dtype", "value", "code"),
    [
        (["b", "a"], None, "b", 1),
        (["b", "a"], pl.Categorical, "a", 0),
        (["b", "a"], pl.Enum(["c", "b", "a"]), "b", 0),
        ([True, False], None, "true", 1),
        (["b", None], None, None, 1),
    ],
)
def test_levels_are_found_by_their_text(values, dtype, value, code):
    assert code_of(part_of(values, dtype).column, Says(value)) == code


@pytest.mark.parametrize(("values", "value"), [(["1", "2"], 1), (["a", "b"], "c"), ([1, 10], 2)])
def test_a_value_that_is_no_level_is_refused(values, value):
    variable = CODES if isinstance(values[0], int) else None
    with pytest.raises(SettingsError) as caught:
        code_of(part_of(values, variable=variable).column, Says(value))
    assert str(caught.value) == UNKNOWN


@pytest.mark.parametrize(
    ("values", "value"), [([7, 7], 7), ([7.0, 7.0], 7), (["a", "a"], "a"), ([None, None], None)]
)
def test_a_column_of_one_value_keeps_it_where_a_rule_gives_the_same(values, value):
    part = part_of(values)
    assert join_column(apply_rule(part, np.array([True, False]), Says(value))).to_list() == values


@pytest.mark.parametrize(
    ("values", "value"), [([7, 7], 8), ([7, 7], None), (["a", "a"], "b"), ([None, None], 1)]
)
def test_a_column_of_one_value_is_given_no_other(values, value):
    with pytest.raises(SettingsError) as caught:
        apply_rule(part_of(values), np.array([True, False]), Says(value))
    assert str(caught.value) == UNKNOWN


def test_a_rule_that_no_row_meets_changes_nothing():
    part = part_of([7, 7])
    assert apply_rule(part, np.array([False, False]), Says(8)) is part

"""What attacks refuse before they begin."""

import polars as pl
import pytest

import unveil
from unveil.errors import RolesError

PEOPLE = pl.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})


@pytest.mark.parametrize("attack", [unveil.singling_out, unveil.membership])
def test_no_columns_are_not_all_columns(attack):
    with pytest.raises(RolesError) as refused:
        attack(PEOPLE, PEOPLE, control=PEOPLE, columns=[])
    assert str(refused.value) == (
        "No columns are given. Name those to compare, or leave columns out."
    )

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
    assert str(refused.value) == ("No columns are given. Name those to compare, or omit columns.")


def test_rows_that_are_not_people_are_told_of_and_people_on_both_sides_are_counted():
    visits = pl.DataFrame({"patient_id": [n // 3 for n in range(120)], "day": range(120)})
    by_row = visits.gather_every(2), visits.gather_every(2, 1)
    by_person = visits.head(60), visits.tail(60)
    said = [
        note.sentence
        for used, control in (by_row, by_person)
        for note in unveil.membership(used, used, control=control).record.coercions
        if note.kind == "person"
    ]
    assert said == [
        "'patient_id' repeats: 60 rows of 40 people. Attacks count rows, not people. 40 of 40"
        " people of the control sample are in the original too, so it is not a control sample:"
        " split the file by person (unveil split).",
        "'patient_id' repeats: 60 rows of 20 people. Attacks count rows, not people.",
    ]

"""The proposed keys are those of the rule, told record by record in another hand."""

import random

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from oracles import suggestion as oracle
from profiles import examples
from unveil.measure.roles.suggest import suggest

# Two columns a topic, so that one may be a function of another, in the order of the file.
NAMES = {
    "marital": "often",
    "sex": "visible",
    "health": None,
    "age": "visible",
    "agegroup": "visible",
    "height": "sometimes",
    "region": "visible",
    "town": "visible",
    "country": "visible",
    "education": "often",
    "job": "often",
    "household": "often",
    "ethnicity": "often",
}


def people(draw: random.Random) -> list[tuple]:
    """Columns of few values; some are functions of one before, and some lack entries."""
    n_rows = draw.choice([20, 60, 200, 400])
    columns: list[list] = []
    for _ in NAMES:
        if columns and draw.random() < 0.3:
            width = draw.randint(1, 3)
            made = [None if value is None else value // width for value in draw.choice(columns)]
        else:
            n_levels = draw.choice([1, 2, 2, 3, 6, 12])
            made = [draw.randrange(n_levels) for _ in range(n_rows)]
        if draw.random() < 0.3:
            made = [None if draw.random() < 0.02 else value for value in made]
        columns.append(made)
    return list(zip(*columns, strict=True))


@examples(60)
@given(st.integers(0, 2**32))
def test_the_keys_are_those_of_the_rule(seed):
    rows = people(random.Random(seed))
    wanted, stop, stopped_at = oracle.keys(rows, list(NAMES.values()))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(NAMES, pl.Int64), orient="row")
    record = suggest(frame).record
    names = list(NAMES)
    assert [names.index(key) for key in record.keys] == wanted
    assert record.stop == stop
    assert record.stopped_at == (None if stopped_at is None else names[stopped_at])
    so_far = [wanted[: place + 1] for place in range(len(wanted))]
    assert [step.n_unique for step in record.steps] == [oracle.n_unique(rows, k) for k in so_far]
    for row in record.rows:
        column = names.index(row.column)
        if row.n_distinct is not None and row.n_distinct > 1:
            functions = [key for key in wanted if key != column]
            functions = [key for key in functions if oracle.is_function(rows, key, column)]
            assert [names.index(key) for key in row.function_of] == functions
        if row.role == "target":
            gained = oracle.n_unique(rows, [*wanted, column]) - oracle.n_unique(rows, wanted)
            assert row.n_gained == gained
        assert row.n_alone == oracle.n_unique(rows, [column])


def test_these_people_meet_more_than_one_way_to_stop():
    grades = list(NAMES.values())
    stops = {oracle.keys(people(random.Random(seed)), grades)[1] for seed in range(40)}
    assert stops >= {"enough", "small_gain", "no_more"}

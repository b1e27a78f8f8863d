"""What the intruder looks at: by hand, against one pass for each set, and its laws."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import recognition as oracle
from profiles import examples
from unveil.measure.attacks.agreement import MOST_TRIPLES, Agreement, ComparedColumn, list_triples


def categories(*names):
    return Agreement(tuple(ComparedColumn(name=name, span=None) for name in names))


def texts(*rows):
    return pl.DataFrame([list(row) for row in rows], ["a", "b", "c"], orient="row")


def test_the_worked_example_by_hand():
    rows = texts("123", "124", "153", "623")
    (found,) = categories("a", "b", "c").look(texts("123"), rows)
    # {1}, {2}, {3}, {12}, {13}, {23}, {123}; at least 1, 2, 3 columns; the nearest, and the mean
    assert found.tolist() == [3, 3, 3, 2, 2, 2, 1, 4, 4, 1, 0, 0.75]


VALUES = st.one_of(st.none(), st.sampled_from("pqr"))
NUMBERS = st.one_of(st.none(), st.integers(-8, 100))
ROWS = st.lists(st.tuples(VALUES, NUMBERS, VALUES, NUMBERS), min_size=1, max_size=70)
SCHEMA = {"a": pl.String, "b": pl.Int64, "c": pl.String, "d": pl.Int64}
MIXED = Agreement(
    (
        ComparedColumn(name="a", span=None),
        ComparedColumn(name="b", span=100.0, special_codes=(-8.0,)),
        ComparedColumn(name="c", span=None),
        ComparedColumn(name="d", span=50.0, low=0.0),
    )
)


def agree(column, mine, its):
    if column in (0, 2) or None in (mine, its) or (column == 1 and -8 in (mine, its)):
        return mine == its
    return abs(mine - its) <= (2 if column == 1 else 1)


@examples(60)
@given(ROWS, ROWS)
def test_counts_are_those_of_one_pass_for_each_set(people, rows):
    mine, its = (pl.DataFrame(one, SCHEMA, orient="row") for one in (people, rows))
    found = MIXED.look(mine, its)
    exact = [oracle.counts(person, rows, agree) for person in people]
    assert (found[:, :-2] == exact).all()
    shuffled = its[np.random.default_rng(1).permutation(len(rows))]
    assert MIXED.look(mine, shuffled) == pytest.approx(found)
    twice = MIXED.look(mine, pl.concat([its, its]))
    assert (twice[:, :-2] == 2 * found[:, :-2]).all()


def test_a_value_of_another_type_or_no_column_agrees_with_no_one():
    people = pl.DataFrame({"x": [1, 2], "y": ["01", "02"], "z": ["u", None]})
    columns = Agreement((ComparedColumn(name="x", span=1.0), *categories("y", "z").columns))
    read_back = pl.DataFrame({"x": ["1", "?"], "y": [1, 2], "z": ["u", "w"]})
    assert columns.look(people, read_back)[:, :3].tolist() == [[1, 1, 1], [0, 1, 0]]
    assert columns.look(people, read_back.drop("y"))[:, :3].tolist() == [[1, 0, 1], [0, 0, 0]]


def test_of_many_columns_as_many_triples_are_looked_at_every_time():
    assert len(list_triples(14)) == MOST_TRIPLES
    many = list_triples(50)
    assert len({tuple(one) for one in many.tolist()}) == MOST_TRIPLES
    assert (many == list_triples(50)).all()
    assert (np.diff(many, axis=1) > 0).all()

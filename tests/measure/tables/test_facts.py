"""A system that its own true counts violate is refused where it is built."""

import pytest

from unveil.errors import InputError
from unveil.measure.tables.parts import Fact, System

NONE = frozenset()


def system(counts, *facts, structural=NONE):
    return System(tuple(counts), facts, frozenset(structural), (len(counts),))


def test_the_people_of_a_table_are_the_sum_of_its_cells():
    assert system([2, 1, 3]).N == 6


@pytest.mark.parametrize(("lo", "hi"), [(3, 3), (0, None), (3, None), (0, 3), (2, 4)], ids=str)
def test_a_fact_that_holds_is_kept(lo, hi):
    fact = Fact((0, 1), lo, hi, "the sum of both")
    assert system([1, 2], fact).facts == (fact,)


BAD = {
    "no cells": (
        lambda: system([]),
        "The table has no cells. Give at least one count.",
    ),
    "negative": (
        lambda: system([1, -1]),
        "Cell 1 has a negative count. A table of counts holds whole numbers from 0.",
    ),
    "people in an impossible cell": (
        lambda: system([1, 0, 2], structural={2}),
        "Cell 2 is declared impossible (structural), but people are counted in it. Remove it from"
        " the structural cells or correct its count.",
    ),
    "too few": (
        lambda: system([1, 2], Fact((0, 1), 4, None, "the total")),
        "What is said of the total does not hold in the true table: its count is not at least 4."
        " Correct the bounds, the published value or the counts.",
    ),
    "too many": (
        lambda: system([1, 2], Fact((1,), 0, 1, "cell 1")),
        "What is said of cell 1 does not hold in the true table: its count is not from 0 to 1."
        " Correct the bounds, the published value or the counts.",
    ),
    "another": (
        lambda: system([1, 2], Fact((1,), 3, 3, "cell 1")),
        "What is said of cell 1 does not hold in the true table: its count is not 3."
        " Correct the bounds, the published value or the counts.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused(case):
    make, sentence = BAD[case]
    with pytest.raises(InputError) as refused:
        make()
    assert str(refused.value) == sentence
    assert refused.value.exit_code == 2

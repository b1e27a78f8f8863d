"""The tree beside rpart's, told record by record in exact fractions."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from oracles.utility import tree
from unveil.models.trees import Predictor, Predictors, leaves_of_tree


def records(seed, n=160):
    """Two numbers and two categories; the second class is commoner in some corners."""
    chance = Random(seed)
    data, labels = [], []
    for _ in range(n):
        row = (
            chance.randrange(8),
            chance.choice("abcde"),
            chance.randrange(30) // 3,
            chance.choice("xy"),
        )
        corner = (row[0] > 4) + (row[1] in "bd") - (row[2] == 3)
        data.append(row)
        labels.append(int(chance.random() < 0.3 + 0.2 * corner))
    return data, labels


KINDS = ("number", "category", "number", "category")


def leaves(data, labels):
    """Sizes and records of the second class, of every leaf."""
    columns = [
        Predictor(np.unique(column, return_inverse=True)[1], kind == "number")
        for column, kind in zip(zip(*data, strict=True), KINDS, strict=True)
    ]
    found = leaves_of_tree(Predictors.of(columns), np.array(labels, bool))
    return sorted(zip(*(part.tolist() for part in found), strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_leaves_are_those_of_rpart(seed):
    data, labels = records(seed)
    expected = tree(data, labels, KINDS, cp=Fraction(1, 1000))
    assert leaves(data, labels) == sorted(
        (len(rows), sum(labels[r] for r in rows)) for rows in expected
    )


def test_a_tree_by_hand():
    """Ten records each; those with x are mostly of the second class."""
    data = [(0, "a", 0, "x")] * 10 + [(0, "a", 0, "y")] * 10
    labels = [1] * 8 + [0] * 2 + [1] * 3 + [0] * 7
    assert leaves(data, labels) == [(10, 3), (10, 8)]


def test_files_that_are_alike_are_one_leaf():
    data, _ = records(1, 40)
    assert leaves(data * 2, [0] * 40 + [1] * 40) == [(80, 40)]


def test_columns_of_one_value_cut_nothing():
    assert leaves([(1, "a", 2, "b")] * 30, [0, 1] * 15) == [(30, 15)]


def test_columns_of_very_many_values_are_cut_alike():
    """Where nodes have fewer entries than there are levels, only those that occur are counted."""
    chance = Random(3)
    numbers = [(chance.random(), "a", 0, chance.choice("xy")) for _ in range(400)]
    labels = [int(row[0] > 0.6) ^ (chance.random() < 0.2) for row in numbers]
    expected = tree(numbers, labels, KINDS, cp=Fraction(1, 1000))
    assert leaves(numbers, labels) == sorted(
        (len(rows), sum(labels[r] for r in rows)) for rows in expected
    )

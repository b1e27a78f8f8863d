"""Whichever way is chosen to count, in whatever pieces: the counts are those of a dictionary."""

from collections import Counter, defaultdict
from itertools import pairwise
from random import Random

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.count import cells as cells_module
from unveil.count import exclude_cells, packing, profile
from unveil.count.cells import cells_of_rows, count_cells, count_keys, number_whole_rows
from unveil.count.codes import encode
from unveil.count.packing import count_people, is_among, narrowest, number, pack

WAYS = {
    "a table": {},
    "sorted": {"DENSE": 0, "is_dense": lambda space, n: False},
    "sorted, in pieces": {"DENSE": 0, "is_dense": lambda space, n: False, "CHUNK": 3},
    "a table, in pieces": {"CHUNK": 3, "IN_CACHE": 2},
    "numbered": {"DENSE": 0},
}


def choose(way: str, monkeypatch) -> None:
    for name, value in WAYS[way].items():
        for module in (packing, cells_module, profile):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)


def drawn(dice: Random, n_sides: int, n_columns: int) -> list[list[tuple]]:
    """Sides of rows, the last value their target; some combinations are of one record alone."""
    n_levels = [dice.choice([1, 2, 3, 9]) for _ in range(n_columns)]
    return [
        [tuple(dice.randrange(k) for k in n_levels) for _ in range(dice.randint(1, 14))]
        for _ in range(n_sides)
    ]


def coded(sides: list[list[tuple]], place: int):
    return encode(str(place), [pl.Series([row[place] for row in side]) for side in sides])


@pytest.mark.parametrize("way", WAYS)
def test_keys_and_cells_are_those_of_a_dictionary(way, monkeypatch):
    choose(way, monkeypatch)
    for seed in range(12):
        check_counts(drawn(Random(seed), 2 + seed % 2, 3 + seed % 3))


def check_counts(sides: list[list[tuple]]) -> None:
    *columns, target = [coded(sides, place) for place in range(len(sides[0][0]))]
    keys = count_keys(columns, columns[0].sides)
    stacked = [row for side in sides for row in side]
    rows_of = defaultdict(list)
    for at, row in enumerate(stacked):
        rows_of[row[:-1]].append(at)
    assert keys.n_q == len(rows_of)
    for at in rows_of.values():
        q = keys.q[at[0]]
        assert keys.q[at].tolist() == [q] * len(at)
        ends = np.cumsum([0, *map(len, sides)])
        wanted = [sum(a <= row < b for row in at) for a, b in pairwise(ends)]
        assert keys.counts[:, q].tolist() == wanted
        if q >= keys.n_shared:
            assert keys.lone_rows[q - keys.n_shared] == at[0]
            assert len(at) == 1
    assert set(keys.q[keys.shared_rows].tolist()) == set(range(keys.n_shared))
    cells = count_cells(keys, target)
    counters = [Counter(side) for side in sides]
    for q in range(keys.n_q):
        here = slice(int(cells.starts[q]), int(cells.starts[q + 1]))
        combination = next(key for key, at in rows_of.items() if keys.q[at[0]] == q)
        levels = [target.levels[code] for code in cells.t[here].tolist()]
        assert levels == sorted({row[-1] for row in stacked if row[:-1] == combination})
        wanted = [[one[*combination, level] for level in levels] for one in counters]
        assert cells.counts[:, here].tolist() == wanted
    assert cells.q_of(np.arange(len(cells.t))).tolist() == cells.q.tolist()
    of_rows = cells_of_rows(keys, cells, target, slice(None))
    assert cells.q[of_rows].tolist() == keys.q.tolist()
    assert cells.t[of_rows].tolist() == target.codes.tolist()
    for column in (*columns, target):
        assert column.counts.tolist() == [
            [Counter(row[int(column.name)] for row in side)[level] for level in column.levels]
            for side in sides
        ]
    if len(sides) == 2:
        numbers = number_whole_rows(keys, [target]).tolist()
        whole = [(row, at >= len(sides[0])) for at, row in enumerate(stacked)]
        assert len(set(numbers)) == len(set(whole)) == len(set(zip(numbers, whole, strict=True)))
        assert [one % 2 for one in numbers] == [is_copy for _, is_copy in whole]


@pytest.mark.parametrize("seed", range(4))
def test_exclusions_take_out_the_same_in_pieces(seed, monkeypatch):
    dice = Random(seed)
    frames = [
        pl.DataFrame(side, schema=["a", "b", "t"], orient="row") for side in drawn(dice, 2, 3)
    ]
    frames = [pl.concat([one, frames[0].head(1)]) for one in frames]
    level = str(frames[0]["t"][0])
    asked = dict(keys=["a", "b"], targets="t", exclude=[f"t={level}", "max-denominator=2"])
    plain = unveil.disclosure(*frames, **asked).record
    for chunk, few in ((1, 8), (2, 1), (10**6, 10**6)):
        monkeypatch.setattr(profile, "CHUNK", chunk)
        monkeypatch.setattr(exclude_cells, "FEW", few)
        again = unveil.disclosure(*frames, **asked).record
        for one, other in zip(plain.attribute, again.attribute, strict=True):
            assert one.to_dict() == pytest.approx(other.to_dict())
        assert again.excluded == plain.excluded


def test_numbers_are_packed_without_a_clash_and_in_order():
    dice = Random(1)
    for most in (130, 500, 2**62):
        digits = [(np.array([dice.randrange(4) for _ in range(30)]), 4) for _ in range(5)]
        packed, space = pack(digits, 30, most=most)
        rows = list(zip(*(digit.tolist() for digit, _ in digits), strict=True))
        assert len(set(zip(packed.tolist(), rows, strict=True))) == len(set(rows))
        assert len(set(packed.tolist())) == len(set(rows))
        assert packed.max() < space
        numbered, n = number(packed, space)
        assert n == len(set(rows))
        order = sorted(set(packed.tolist()))
        assert numbered.tolist() == [order.index(one) for one in packed.tolist()]


def test_the_narrowest_type_holds_the_last_number_of_its_range():
    assert [narrowest(2**32), narrowest(2**32 + 1)] == [np.uint32, np.int64]


def test_people_are_counted_once_for_each_code():
    codes, people = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 2])
    assert count_people(codes, people, 3).tolist() == [1, 3, 0]


def test_numbers_are_looked_up_among_others_in_order():
    assert is_among(np.array([1, 3, 9]), np.array([3, 4])).tolist() == [False, True, False]
    assert is_among(np.array([1]), np.array([], int)).tolist() == [False]

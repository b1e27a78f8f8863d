"""Are people tied to their own values found, and nobody where there is nothing to find?"""

from collections import Counter
from math import log2
from random import Random

import numpy as np
import pytest

from measure.gate.test_links import rows
from oracles import gate
from unveil.measure.gate.linked_people import TiedSearch, control_own, find_tied_groups

NAMES = ["age", "job", "pay", "town", "ill"]


def people(rng: Random) -> list[gate.Row]:
    """An age, a job, a fine pay, a town and an illness, each drawn by itself."""
    sizes = (40, 5, 9000)
    return [(*map(rng.randrange, sizes), *rng.choices("abcdefg", k=2)) for _ in range(300)]


def redrawn(rng: Random, file: list[gate.Row], x: int) -> list[gate.Row]:
    return [(*row[:x], rng.choice(file)[x], *row[x + 1 :]) for row in file]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_column_drawn_anew_is_not_tied(seed):
    """Over 25 draws, tied is nought within three standard errors, by every set of columns."""
    rng = Random(seed)
    original, x = people(rng), rng.choice((1, 3, 4))
    others = [name for name in NAMES if name != NAMES[x]]
    for by in (["pay"], ["age", "town" if x != 3 else "ill"], others):
        drawn = [rows(NAMES, original, redrawn(rng, original, x)).links(by) for _ in range(25)]
        tied = [(one.weight * np.subtract(*one.compare_values(NAMES[x]))).sum() for one in drawn]
        assert abs(np.mean(tied)) <= 3 * np.std(tied, ddof=1) / np.sqrt(len(tied))
        assert min(one.total for one in drawn) > 20


@pytest.mark.parametrize("x", range(len(NAMES)))
def test_real_records_are_found_whatever_column_was_drawn_anew(x):
    """Also if it is the finest, by which most people seem to be linked."""
    rng = Random(x)
    original = people(rng)
    search = TiedSearch(rows(NAMES, original, redrawn(rng, original, x)))
    found = [search.best(name) for name in NAMES if name != NAMES[x]]
    assert all(look is not None and NAMES[x] not in look.by for look in found)
    assert max(look.tied_people for look in found) > 0.4 * 300


ANSWERS = [f"q{k}" for k in range(24)]


def answers(rng: Random, n: int) -> list[gate.Row]:
    """Answers of yes or no, of which people of one kind say yes more often than the others."""
    return [
        tuple("ny"[rng.random() < 0.3 + 0.4 * kind] for _ in ANSWERS)
        for kind in (rng.random() < 0.5 for _ in range(n))
    ]


def shuffle_columns(rng: Random, file: list[gate.Row], some: range) -> list[gate.Row]:
    columns = [list(column) for column in zip(*file, strict=True)]
    for x in some:
        rng.shuffle(columns[x])
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("n_shuffled", [3, 6, 9])
def test_real_answers_are_found_whatever_part_was_shuffled(n_shuffled):
    """All others link nobody, and four answers of yes or no do not either."""
    rng = Random(n_shuffled)
    original = answers(rng, 800)
    synthetic = shuffle_columns(rng, original, range(n_shuffled))
    search = TiedSearch(rows(ANSWERS, original, synthetic))
    assert {*ANSWERS[n_shuffled:]} in search.alike
    assert search.best(ANSWERS[-1]).tied_people > 0.2 * 800
    rng.shuffle(synthetic)
    again = TiedSearch(rows(ANSWERS, original[::-1], synthetic))
    assert {*again.alike} == {*search.alike}


def test_columns_of_which_no_two_disagree_are_one_group():
    rng = Random(2)
    original = answers(rng, 50)
    assert TiedSearch(rows(ANSWERS, original, original)).alike == ()


def test_halves_of_two_people_are_two_groups():
    rng = Random(4)
    first, second = (rng.sample(original, 800) for original in [answers(rng, 800)] * 2)
    joined = [(*one[:12], *other[12:]) for one, other in zip(first, second, strict=True)]
    search = TiedSearch(rows(ANSWERS, first, joined))
    assert {frozenset(ANSWERS[:12]), frozenset(ANSWERS[12:])} <= {*search.alike}


def test_answers_of_others_are_not_tied():
    rng = Random(1)
    search = TiedSearch(rows(ANSWERS, answers(rng, 800), answers(rng, 800)))
    found = [search.best(name) for name in ANSWERS]
    assert max((one.tied_people for one in found if one), default=0) < 0.02 * 800


@pytest.mark.parametrize("most", [7, 10**6])
def test_the_nearest_record_agrees_in_what_tells_most(most):
    rng, names = Random(3), ["job", "town"]
    original, synthetic = (
        [(rng.choice("aaab"), rng.choice("pqr")) for _ in range(30)] for _ in range(2)
    )
    found = rows(names, original, synthetic)
    record, score = found.find_nearest(names, found.bits, most)
    held = [Counter(row[x] for row in original) for x in range(2)]

    def bits(mine: gate.Row, theirs: gate.Row) -> float:
        return sum(round(8 * log2(30 / held[x][mine[x]])) for x in range(2) if mine[x] == theirs[x])

    expected = [max(bits(mine, theirs) for theirs in synthetic) for mine in original]
    assert score.tolist() == expected
    assert [bits(*pair) for pair in zip(original, [synthetic[k] for k in record], strict=True)] == (
        expected
    )


@pytest.mark.parametrize("seed", range(6))
def test_groups_are_those_of_plain_loops(seed):
    """One group is copied, and of the other some values are drawn anew."""
    rng, names = Random(seed), ["age", "sex", "ill"]
    original = [(rng.randrange(70), "fm"[k % 2], rng.choice("pqqq")) for k in range(60)]
    synthetic = [row if row[1] == "f" else (*row[:2], rng.choice("pq")) for row in original]
    found = {
        (names.index(one.column), one.level): (one.p, one.expected)
        for one in find_tied_groups(TiedSearch(rows(names, original, synthetic)), {}, 1)
    }
    expected = gate.group_tails((original, synthetic), names)
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(pair) for key, pair in expected.items())


def test_an_overlap_of_two_keys_is_a_group_where_it_says_more_than_either():
    """The women of town a are copied; by sex or town alone, half of the group was drawn anew."""
    rng, names, keys = Random(5), ["age", "sex", "town", "ill"], ["age", "sex", "town"]
    original = [
        (rng.randrange(200), rng.choice("fm"), rng.choice("abc"), rng.choice("pqrst"))
        for _ in range(400)
    ]
    is_copied = [row[1:3] == ("f", "a") for row in original]
    synthetic = [
        row if here else (*row[:3], rng.choice("pqrst"))
        for row, here in zip(original, is_copied, strict=True)
    ]
    search = TiedSearch(rows(names, original, synthetic))
    found = {
        (one.column, one.beside, one.level): one for one in find_tied_groups(search, {}, 1, [keys])
    }
    pair = found["sex", "town", "f, town = a"]
    inside = [place for place, here in enumerate(is_copied) if here]
    tail = gate.group_tail((original, synthetic), [0, 1, 2], 3, names, inside)
    assert (pair.p, pair.expected) == pytest.approx(tail)
    assert pair.n_people == len(inside)
    assert pair.p == min(one.p for one in found.values()) < 1e-6


def test_copies_are_equal_in_whichever_column_comes_last():
    """Two people in a hundred are copied; beside them, a file that draws each column in turn."""
    rng = Random(7)
    original = [(rng.randrange(90), *(rng.randrange(900) for _ in range(4))) for _ in range(1000)]
    fresh = [(rng.randrange(90), *(rng.randrange(900) for _ in range(4))) for _ in range(980)]
    copied = rng.sample(original, 20)
    assert TiedSearch(rows(NAMES, original, [*copied, *fresh])).least_own() == 1
    assert TiedSearch(rows(NAMES, original, [*copied * 12, *fresh[:760]])).least_own() == 1
    # From the middle on, one person in two is left for another.
    drawn = [
        (*row[:3], *(rng.choice(original) if rng.random() < 0.5 else row)[3:]) for row in original
    ]
    drawn = [(*row[:4], (rng.choice(original) if rng.random() < 0.5 else row)[4]) for row in drawn]
    assert TiedSearch(rows(NAMES, original, drawn)).least_own() < 0.8
    assert TiedSearch(rows(NAMES, original, fresh)).least_own() is None


def test_a_control_sample_by_hand():
    """1, 2 and 3 are linked, and 4 of the control sample; 5 is in both, and so nobody's."""
    together = [(1, "a"), (2, "b"), (3, "c"), (5, "e"), (4, "d"), (5, "e")]
    synthetic = [(1, "a"), (2, "b"), (2, "q"), (3, "q"), (4, "d"), (5, "e")]
    found = control_own(rows(["k", "x"], together, synthetic), 4, "x", ["k"])
    assert found == pytest.approx((1.5 / 3, 3, 1, 1))

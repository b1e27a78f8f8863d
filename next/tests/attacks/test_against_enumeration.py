"""Every rate beside one in which all pairs, ties and samples are gone through."""

import os
from fractions import Fraction
from itertools import combinations

import pytest

import unveil
from attacks.small import NAMES, ORDERED, SPECIALS, World, per_person
from oracles import attacks, membership, recognition, singling_out
from oracles.compare import assert_agrees

WORLDS = range(500 if os.environ.get("UNVEIL_TESTS") == "all" else 25)
every_world = pytest.mark.parametrize("seed", WORLDS)


def wilson(successes, n, level=0.95):
    low, high = attacks.wilson(float(successes), n, level)
    return (low + high) / 2, low, high


def spans_of(world, copy):
    return attacks.ranges([world.original, world.control, copy], SPECIALS)


def assert_rates(row, main, naive, control):
    """Each a sum of chances, and of how many."""
    rates = {name: wilson(*of) for name, of in (("main", main), ("control", control))}
    figures = {
        f"{name}{end}": value
        for name, rate in rates.items()
        for end, value in zip(("", "_low", "_high"), rate, strict=True)
    }
    assert_agrees({name: row[name] for name in figures}, figures)
    if naive is not None:
        assert_agrees({"naive": row["naive"]}, {"naive": wilson(*naive)[0]})
    n = min(main[1], control[1])
    ours, others = (wilson(of[0] * Fraction(n, of[1]), n)[0] for of in (main, control))
    assert_agrees({"R": row["R"]}, {"R": (ours - others) / (1 - others)})
    assert 0 <= row["p"] <= 1


@every_world
def test_inference_is_what_nearest_records_say(seed):
    world = World(seed)
    targets = ["income", "region", ("age", "income")]
    for row in unveil.inference(world.study(keys="sex", targets=targets)).attacks:
        copy = world.copies[row.copy]
        parts = [NAMES.index(name) for name in row.target.split("+")]
        keys = [column for column in range(4) if column not in parts]
        about = {"spans": spans_of(world, copy), "specials": SPECIALS}
        sums = []
        for records, owners in world.groups():
            chances = [right(person, copy, keys, parts, **about) for person in records]
            blind = [right(person, copy, (), parts, **about) for person in records]
            sums.append((per_person(chances, owners), per_person(blind, owners)))
        (main, naive), (control, _) = sums
        assert_rates(row, main, naive, control)


def right(person, copy, keys, parts, *, spans, specials):
    """The share of the nearest records that are right in all parts."""
    found = attacks.distances(person, copy, keys, spans, specials)
    tied = [row for row, d in zip(copy, found, strict=True) if d == min(found)]
    share = Fraction(5, 100)
    hits = [
        all(attacks.is_right(row[p], person[p], share, specials[p]) for p in parts) for row in tied
    ]
    return Fraction(sum(hits), len(tied))


@every_world
@pytest.mark.parametrize("k", [1, 2, 3])
def test_linkability_is_the_share_of_all_ways_to_break_ties(seed, k):
    world = World(seed)
    parts = (("sex", "income"), ("region", "age"))
    for row in unveil.linkability(world.study(), parts=parts, neighbours=k).attacks:
        copy = world.copies[row.copy]
        columns = [[NAMES.index(name) for name in part] for part in parts]
        about = {"parts": columns, "k": k, "spans": spans_of(world, copy), "specials": SPECIALS}
        main, control = (
            per_person([attacks.linked(person, copy, **about) for person in records], owners)
            for records, owners in world.groups()
        )
        blind = attacks.linked_by_chance(len(copy), k) if len(copy) < 9 else None
        naive = None if blind is None else (blind * main[1], main[1])
        assert_rates(row, main, naive, control)


@every_world
def test_singling_out_is_that_of_all_samples_of_one_size(seed):
    world = World(seed, special=False)
    result = unveil.singling_out(world.study(), guesses=2_000, largest=2)
    for row in result.attacks:
        copy = world.copies[row.copy]
        is_single = "1 column" in row.attack
        predicates = (
            singling_out.univariate(copy, ORDERED)
            if is_single
            else singling_out.multivariate(copy, ORDERED, 2)
        )
        assert row.guesses == len(predicates)
        m = min(len(set(owners)) for owners in world.owners)
        main, control = (
            (singling_out.successes_by_person(predicates, records, owners, m), len(predicates))
            for records, owners in world.groups()
        )
        if predicates:
            assert_rates(row, main, None, control)
        else:
            assert row.main is None


def test_blind_predicates_succeed_as_often_as_all_of_them_on_average():
    world = World(3, special=False)
    m = min(len(set(owners)) for owners in world.owners)
    rows = unveil.singling_out(world.study(), guesses=100_000).attacks
    for row in rows[::2]:
        about = (world.copies[row.copy], world.original, ORDERED, m, world.owners[0])
        assert row.naive == pytest.approx(float(singling_out.naive(*about)), abs=0.006)


@every_world
def test_membership_is_counted_from_every_pair(seed):
    world = World(seed, special=False, several=False)
    for prevalence in (Fraction(1, 2), Fraction(1, 10)):
        result = unveil.membership(world.study(), prevalence=float(prevalence))
        for row in result.membership:
            copy = world.copies[row.copy]
            spans = membership.ranges([*world.original, *world.control, *copy], ORDERED)
            used, unused = (
                [membership.two_closest(p, copy, ORDERED, spans)[0] for p in records]
                for records in (world.original, world.control)
            )
            expected = membership.scores(used, unused, row.threshold, prevalence)
            near = [[-d for d in of] for of in (used, unused)]
            expected["AUC"] = recognition.auc(*near)
            error = float(recognition.auc_variance(*near)) ** 0.5
            expected["AUC_low"] = max(expected["AUC"] - 1.959963984540054 * error, 0)
            expected["advantage"] = expected["recall"] - expected["false_positive_rate"]
            assert_agrees({name: row[name] for name in expected}, expected, row.copy)


def test_the_chance_of_closest_people_is_that_of_all_orders():
    """Of n used and m not used in any order, h or more used before the k-th not used."""
    from unveil.measures.attacks.membership import chance_of_closest

    n, m, k = 5, 4, 2
    orders = list(combinations(range(n + m), m))  # the places of those not used
    for h in range(n + 1):
        found = sum(places[k - 1] - (k - 1) >= h for places in orders)
        assert chance_of_closest(h, n, m, k) == pytest.approx(found / len(orders))


def test_the_p_of_more_successes_is_that_of_all_ways_to_divide_them():
    """Of 9 people 5 succeed: 4 of the 5 used and 1 of the 4 not used, or about so many."""
    from unveil.models.intervals import chance_of_more

    hits = (1,) * 5 + (0,) * 4
    divisions = [sum(division) for division in combinations(hits, 4)]
    as_few = sum(of_control <= 1 for of_control in divisions) / len(divisions)
    assert chance_of_more((4, 5), (1, 4)) == pytest.approx(as_few)
    assert chance_of_more((4.6, 5), (0.4, 4)) == pytest.approx(as_few)
    assert chance_of_more((0, 5), (0, 4)) == 1

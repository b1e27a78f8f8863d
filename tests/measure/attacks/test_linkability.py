"""Linkability: by hand, against every way to break ties, laws, and independent data."""

from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from measure.attacks.attacked import NAMES, SPECIALS, frame, long_frame, people, tables
from oracles import attacks as oracle
from profiles import examples
from unveil.measure.attacks.linkability import chance_of_random_sets, linkability
from unveil.models.neighbours import search
from unveil.models.neighbours.distances import Gower

PARTS = (["age", "job"], ["gain", "sex"])
PIECEMEAL = ((1, 3), 1)
"""One person at a time, three of the copy at a time."""


def mixed(n, seed):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": rng.normal(size=n),
            "c": rng.choice(["a", "b", "c"], n),
            "y": rng.normal(size=n),
            "d": rng.choice(["p", "q"], n),
        }
    )


def linked(original, copy, **more):
    return linkability(original, copy, columns=(["x", "c"], ["y", "d"]), **{"seed": 1, **more})


def test_by_hand():
    # Known in the one file is the age, in the other the job. Person 1 (20, a): by age the first
    # record is nearest, by job the first and the second are: they meet in 1 of 2 ways. Person 2
    # (60, b): by age the fourth, by job the third: never.
    original = pl.DataFrame({"age": [20, 60], "job": ["a", "b"]})
    copy = pl.DataFrame({"age": [21, 30, 40, 50], "job": ["a", "a", "b", "c"]})
    found = linkability(original, copy, columns=("age", "job"), seed=1)
    row = found.rows[0]
    assert (row.main_successes, row.keys, row.other_keys) == (0.5, ("age",), ("job",))
    assert row.naive_successes == pytest.approx(2 / 4)
    assert found.record.k == 1


@pytest.mark.slow
@examples(60)
@given(tables(1, 4), tables(1, 7), tables(1, 4), st.integers(1, 4), st.booleans())
def test_it_equals_going_through_every_way_to_break_ties(original, copy, control, k, small):
    size = min(len(original), len(control))
    every = [original[:size], copy, control[:size]]
    assume(k <= len(copy))
    parts = [[NAMES.index(name) for name in part] for part in PARTS]
    for part in parts:
        assume(any(len({row[c] for table in every for row in table}) > 1 for c in part))
    tile, pairs = PIECEMEAL if small else (Gower.tile, search.PAIRS)
    with patch.object(Gower, "tile", tile), patch.object(search, "PAIRS", pairs):
        found = linkability(
            frame(every[0]),
            frame(copy),
            control=frame(every[2]),
            columns=PARTS,
            k=k,
            special_codes={"gain": [-9]},
            seed=1,
        ).rows[0]
    spans = oracle.ranges(every, SPECIALS)
    main, outside = (
        sum(
            oracle.linked(p, copy, parts=parts, k=k, spans=spans, specials=SPECIALS)
            for p in persons
        )
        for persons in (every[0], every[2])
    )
    assert found.main_successes == pytest.approx(float(main), abs=1e-9)
    assert found.control_successes == pytest.approx(float(outside), abs=1e-9)
    naive = size * float(oracle.linked_by_chance(len(copy), k))
    assert found.naive_successes == pytest.approx(naive)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 1), (5, 2), (5, 3), (7, 3), (6, 6)])
def test_random_sets_meet_as_often_as_counting_says(n, k):
    assert chance_of_random_sets(n, k) == pytest.approx(float(oracle.linked_by_chance(n, k)))


def test_an_exact_copy_with_unique_values_is_linked_perfectly():
    people = mixed(300, 1)
    copy = people.sample(fraction=1, shuffle=True, seed=2)
    assert linked(people, copy).rows[0].main_successes == pytest.approx(300)


def test_an_exact_copy_of_categories_is_linked_as_often_as_its_cells_are_small():
    # With k = 1, a person of cell (a, b): both draw from those with a, and with b; the two are the
    # same record with probability n_ab / (n_a n_b).
    rng = np.random.default_rng(1)
    people = pl.DataFrame({name: rng.choice(list("wxyz"), 500) for name in "abcdef"})
    found = linkability(people, people, columns=(["a", "b", "c"], ["d", "e", "f"]), seed=1)
    shares = people.select(
        pl.len().over(list("abcdef")) / (pl.len().over(list("abc")) * pl.len().over(list("def")))
    ).to_series()
    assert found.rows[0].main_successes == pytest.approx(shares.sum())


def test_more_neighbours_link_more():
    people, copy = mixed(80, 1), mixed(60, 2)
    found = [linked(people, copy, k=k).rows[0].main_successes for k in (1, 2, 5, 20, 60)]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(80)


def test_a_record_twice_in_the_copy_is_a_tie():
    people = mixed(40, 1)
    twice = pl.concat([people, people])
    # Both sides draw one of the same two.
    assert linked(people, twice).rows[0].main_successes == pytest.approx(20)


def test_who_is_attacked_depends_on_the_seed_alone():
    people, copy = mixed(80, 1), mixed(60, 2)
    first, again, other = (linked(people, copy, n=20, k=5, seed=s) for s in (3, 3, 4))
    assert first.record == again.record
    assert first.record != other.record
    assert first.rows[0].n_found == first.rows[0].n_requested == 20


def test_a_frame_has_the_ends_of_each_interval():
    people, copy = mixed(40, 1), mixed(40, 2)
    found = linked(people, copy, control=mixed(40, 3)).frame()
    assert {"interval_low", "interval_high", "interval_delta_low", "R"} <= set(found.columns)
    assert found["keys"].to_list() == ["x, c"]


@pytest.mark.slow
def test_independent_data_has_an_interval_that_covers_0_as_often_as_it_says():
    covered = 0
    for seed in range(200):
        people, copy, others = (mixed(120, 3 * seed + part) for part in range(3))
        low, high = linked(people, copy, control=others, k=8, seed=seed).rows[0].interval
        covered += low <= 0 <= high
    assert 181 <= covered <= 198


@pytest.mark.slow
@pytest.mark.parametrize("part", [2, 4])
def test_a_smaller_control_moves_the_mean_of_r_by_less_than_two_standard_errors(part):
    differences = []
    for seed in range(30):
        people, others = mixed(160, 2 * seed), mixed(160, 2 * seed + 1)
        copy = pl.concat([people[:30], mixed(160, 1000 + seed)])
        whole, cut = (
            linked(people, copy, control=c, k=5, seed=seed).rows[0].R
            for c in (others, others[: 160 // part])
        )
        differences.append(cut - whole)
    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert abs(np.mean(differences)) < 2 * error


@pytest.mark.slow
@examples(60)
@given(people(1, 4), people(2, 5), st.integers(1, 2))
def test_people_with_all_rows_equal_going_through_every_way_to_break_ties(original, copy, k):
    flat = [[row for person in side for row in person] for side in (original, copy)]
    parts = [[NAMES.index(name) for name in part] for part in PARTS]
    for part in parts:
        assume(any(len({row[c] for rows in flat for row in rows}) > 1 for c in part))
    found = linkability(
        long_frame(original),
        long_frame(copy),
        columns=PARTS,
        k=k,
        special_codes={"gain": [-9]},
        person="who",
        time="wave",
        seed=1,
    ).rows[0]
    asked = {"parts": parts, "k": k, "specials": SPECIALS, "spans": oracle.ranges(flat, SPECIALS)}
    by_rows = [
        sum(oracle.linked(row, flat[1], **asked) for row in person) / len(person)
        for person in original
    ]
    by_people = [oracle.linked_by_all_rows(person, copy, **asked) for person in original]
    best = max(sum(by_rows), sum(by_people))
    assert found.main_successes == pytest.approx(float(best), abs=1e-9)
    if sum(by_people) > sum(by_rows) + 1e-9:
        naive = len(original) * float(oracle.linked_by_chance(len(copy), k))
        assert found.naive_successes == pytest.approx(naive)

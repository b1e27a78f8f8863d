"""ECAP of whole records: every sample of small populations, an intruder, and the closed forms."""

from itertools import product
from math import sqrt
from random import Random

import polars as pl
import pytest

import unveil
from oracles.ecap import (
    NoisyColumn,
    claimed_by_intruder,
    enumerated_people,
    printed_form,
    record_chances,
    without_replacement_form,
)
from unveil.errors import RolesError, SettingsError

AGE = [30, 31, 31, 31, 40, None, None]
HEIGHT = [170.5, 160.0, 170.5, 181.2, None, 165.0, None]
TAIL = [0.1, 0.2, 0.2, 0.5, 40.0, 9_000.0, 2e6]


def both(data, columns, **asked):
    return unveil.ecap_records(pl.DataFrame(data), columns=columns, **asked).ecap


@pytest.mark.parametrize("sampling", ["without replacement", "equation 1"])
@pytest.mark.parametrize(
    ("noise", "sigmas"), [*product(["normal", "laplace", "uniform"], [(1, 6), (0, 4), (3, 0)])]
)
def test_it_is_what_every_sample_of_a_small_population_gives(noise, sigmas, sampling):
    """Two columns together, values that repeat and that are missing, whole numbers and not."""
    asked = {
        "age": {"sigma": sigmas[0], "noise": noise, "round": 0},
        "height": {"sigma": sigmas[1], "noise": noise},
    }
    columns = [NoisyColumn(AGE, sigmas[0], noise, step=1), NoisyColumn(HEIGHT, sigmas[1], noise)]
    people = [[row] for row in range(7)]
    replaced = sampling == "equation 1"
    for n in (1, 2, 5) if replaced else range(1, 8):
        found = both({"age": AGE, "height": HEIGHT}, asked, N=7, n=n, sampling=sampling)
        for row in range(7):
            chances = record_chances(columns, people, row)
            exact = enumerated_people(chances, row, n, replaced=replaced)
            assert found[row] == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_people_with_several_rows_are_sampled_and_claimed_as_people(n):
    who = ["a", "a", "b", "b", "b", "c", "d"]
    people = [[0, 1], [2, 3, 4], [5], [6]]
    asked = {"age": {"sigma": 1, "round": 0}, "x": 0.5}
    columns = [NoisyColumn(AGE, 1, step=1), NoisyColumn(TAIL, 0.5)]
    found = both({"who": who, "age": AGE, "x": TAIL}, asked, N=4, n=n, person="who")
    for row in range(7):
        own = next(i for i, rows in enumerate(people) if row in rows)
        exact = enumerated_people(record_chances(columns, people, row), own, n, replaced=False)
        assert found[row] == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize("sampling", ["without replacement", "equation 1"])
def test_a_sample_stands_for_the_rest_of_the_population(sampling):
    form = printed_form if sampling == "equation 1" else without_replacement_form
    N, n = 700, 40
    asked = {"age": {"sigma": 2, "round": 0}, "height": 3}
    columns = [NoisyColumn(AGE, 2, step=1), NoisyColumn(HEIGHT, 3, share=7 / N)]
    found = both({"age": AGE, "height": HEIGHT}, asked, N=N, n=n, sampling=sampling)
    for row in range(7):
        chances = record_chances(columns, [[one] for one in range(7)], row)
        p, b = chances.pop(row), sum(chances) / 6
        assert found[row] == pytest.approx(form(p, b, N, n), abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("step", [None, 1])
def test_an_intruder_is_right_as_often_as_it_says_where_the_variance_is_kept(step):
    """The higher of two: one reckons back to the value with noise, one looks where it was."""
    rng = Random(5)
    x = [float(round(rng.gauss(50, 10))) for _ in range(9)]
    y = [rng.gauss(0, 1) for _ in range(9)]
    how = {"sigma": 6, "keep_variance": True, "round": None if step is None else 0}
    found = both({"x": x, "y": y}, {"x": how, "y": 1.0}, N=9, n=4)
    columns = [NoisyColumn(x, 6, step=step, shrinks=True), NoisyColumn(y, 1.0)]
    people = [[row] for row in range(9)]
    for row in (0, x.index(max(x)), x.index(min(x))):
        sides = []
        for informed in (True, False):
            chances = record_chances(columns, people, row, informed=informed)
            sides.append(enumerated_people(chances, row, 4, replaced=False))
            right, claimed = claimed_by_intruder(
                columns, people, row, 4, rounds=20_000, seed=row, informed=informed
            )
            error = sqrt(sides[-1] * (1 - sides[-1]) / claimed)
            assert abs(right / claimed - sides[-1]) / error < 3.5
        assert found[row] == pytest.approx(max(sides), abs=1e-10)


def test_an_intruder_who_knows_two_columns_is_surer_than_by_one_alone():
    rng = Random(1)
    data = pl.DataFrame({name: [rng.gauss(0, 1) for _ in range(300)] for name in "xy"})
    record = unveil.ecap_records(data, columns={"x": 0.3, "y": 0.3}, N=30_000, threshold=0.2).record
    assert record.worst > max(one.worst for one in record.columns)
    enough = {name: 0.3 * record.factor for name in "xy"}
    assert unveil.ecap_records(data, columns=enough, N=30_000).worst <= 0.2
    less = {name: 0.3 * record.factor * 0.98 for name in "xy"}
    assert unveil.ecap_records(data, columns=less, N=30_000).worst > 0.2


def test_heavy_tails_and_a_small_population_by_an_intruder_drawn_without_replacement():
    """The distribution form: n of N people, others outside the neighbours, t and lognormal."""
    for name, someone in {
        "t(2, 0, 1)": lambda rng: rng.gauss(0, 1) / sqrt(rng.gammavariate(1, 2) / 2),
        "lognormal(0, 1.5)": lambda rng: rng.lognormvariate(0, 1.5),
    }.items():
        for x, sigma in ((1.0, 0.3), (6.0, 2.0)):
            N, n = 8, 5
            found = unveil.ecap(
                [x], population=name, N=N, n=n, sigma=sigma, sampling="without replacement"
            )
            near = found.below[0], found.above[0]
            rng, right, claimed = Random(7), 0, 0
            ends = (x + near[0]) / 2, (x + near[1]) / 2
            for _ in range(20_000):
                is_in = rng.random() < n / N
                values = [x] if is_in else []
                while len(values) < n:
                    other = someone(rng)
                    if not near[0] <= other <= near[1]:
                        values.append(other)
                if any(ends[0] <= one + rng.gauss(0, sigma) <= ends[1] for one in values):
                    claimed, right = claimed + 1, right + is_in
            expected = found.ecap[0]
            assert abs(right / claimed - expected) < 3.5 * sqrt(expected * (1 - expected) / claimed)


def test_a_large_file_in_sorted_blocks_is_the_same_as_pair_by_pair():
    rng = Random(2)
    x = [round(rng.gauss(0, 50), 1) if rng.random() < 0.9 else None for _ in range(400)]
    y = [float(rng.randrange(5)) for _ in range(400)]
    found = both({"x": x, "y": y}, {"x": 0.2, "y": {"sigma": 1, "round": 0}}, N=4_000)
    columns = [NoisyColumn(x, 0.2, share=0.1), NoisyColumn(y, 1, step=1)]
    for row in range(0, 400, 37):
        chances = record_chances(columns, [[one] for one in range(400)], row)
        p, b = chances.pop(row), sum(chances) / 399
        assert found[row] == pytest.approx(without_replacement_form(p, b, 4_000, 400), abs=1e-9)


def test_clipped_values_pile_up_where_they_hide_each_other():
    x = [1.0, 50.0, 98.0, 99.0, 120.0]
    plain, clipped = (
        both({"x": x}, {"x": {"sigma": 1, "clip": ends}}, N=5, n=2) for ends in (None, [None, 90])
    )
    assert clipped[4] < plain[4]
    assert clipped[4] == pytest.approx(clipped[3], abs=1e-6)  # all three are at 90


def test_variance_and_mean_are_kept_in_expectation():
    rng = Random(3)
    data = pl.DataFrame({"x": [rng.gauss(40, 10) for _ in range(20_000)]})
    how = {"x": {"sigma": 8, "keep_variance": True}}
    made = unveil.add_noise(data, columns=how, seed=1)
    assert made.data["x"].std(ddof=0) == pytest.approx(data["x"].std(ddof=0), rel=0.02)
    assert made.data["x"].mean() == pytest.approx(data["x"].mean(), abs=0.3)
    assert made.record.columns[0].keeps_variance
    assert "by the factor that keeps its variance" in made.statement
    grown = unveil.add_noise(data, columns={"x": 8}, seed=1).data["x"].std(ddof=0)
    assert grown == pytest.approx(sqrt(10**2 + 8**2), rel=0.02)


def test_what_cannot_be_measured_is_refused_or_said():
    data = pl.DataFrame({"x": [1.0, 2.0, None], "t": ["a", "b", "c"]})
    with pytest.raises(SettingsError, match="N is 2 and n is 3"):
        unveil.ecap_records(data, columns={"x": 1}, N=2)
    with pytest.raises(RolesError, match="holds no numbers"):
        unveil.ecap_records(data, columns={"t": 1}, N=9)
    with pytest.raises(SettingsError, match="keep_variance is 'yes'"):
        unveil.ecap_records(data, columns={"x": {"sigma": 1, "keep_variance": "yes"}}, N=9)
    alone = unveil.ecap_records(data, columns={"x": 1}, N=9, n=3, threshold=0.5)
    assert alone.ecap[2] == 1.0  # nobody else misses it
    assert alone.record.factor is None
    assert "No multiple of this noise was found" in alone.record.warnings[0]
    none = unveil.ecap_records(data, columns={"x": 1}, N=9, n=3, threshold=0.3)
    assert "cannot be attained by any noise" in none.record.warnings[0]

"""Rounding by hand, against all that a scheme may publish, and by its laws."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.rounding import controlled_roundings, outcomes
from profiles import examples
from unveil.errors import InputError, SettingsError
from unveil.measure.tables.round_table import hellinger, round_table
from unveil.records.count_tables import RoundedTable

TABLE = [[1, 3, 0], [4, 0, 0], [3, 2, 0]]
SCHEMES = ["conventional", "random", "controlled", "up", "down", "noise", "noise:zeros", "suppress"]

tables = st.integers(1, 3).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 9), min_size=m, max_size=m), min_size=1, max_size=3)
)


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("exact", [0, 1, 2, 3, 4, 5, 6]),
        ("conventional:3", [0, 0, 3, 3, 3, 6, 6]),
        ("conventional:4", [0, 0, 4, 4, 4, 4, 8]),
        ("up:3", [0, 3, 3, 3, 6, 6, 6]),
        ("down:3", [0, 0, 0, 3, 3, 3, 6]),
        ("suppress:3", [0, None, None, 3, 4, 5, 6]),
    ],
)
def test_schemes_without_chance_by_hand(scheme, expected):
    made = round_table([0, 1, 2, 3, 4, 5, 6], scheme)
    assert made.table == expected
    assert made.record.seed is None


def test_margins_and_total_are_rounded_from_their_own_sums_as_in_the_papers_figure_2():
    made = round_table(TABLE, "conventional:3", margins="all", total=True)
    assert made.table == [[0, 3, 0], [3, 0, 0], [3, 3, 0]]
    assert made.part("dim1") == [3, 3, 6]
    assert made.part("dim2") == [9, 6, 0]
    assert made.part("total") == 12
    assert made.record.additive is False


def test_the_bounds_are_those_of_the_papers_figures_3_and_4():
    rows = [row for row in round_table(TABLE, "conventional:3").rows if row.part == "table"]
    assert [row.lower for row in rows] == [0, 2, 0, 2, 0, 0, 2, 2, 0]
    assert [row.upper for row in rows] == [1, 4, 1, 4, 1, 1, 4, 4, 1]


@examples(60)
@given(tables, st.sampled_from(SCHEMES), st.integers(2, 6), st.integers(0, 5))
def test_every_published_value_is_one_the_scheme_allows(table, kind, size, seed):
    scheme, _, zeros = kind.partition(":")
    written = f"{scheme}:{size}:{zeros}" if zeros else f"{kind}:{size}"
    made = round_table(table, written, margins="all", total=True, seed=seed)
    counts = np.array(table)
    sums = {"table": counts, "dim1": counts.sum(1), "dim2": counts.sum(0), "total": counts.sum()}
    for part in made.record.parts:
        values = np.array(made.part(part), dtype=object).reshape(-1)
        for count, value in zip(sums[part].reshape(-1).tolist(), values, strict=True):
            assert value in outcomes(count, kind, size)


@examples(40)
@given(
    st.lists(st.lists(st.integers(0, 7), min_size=3, max_size=3), min_size=2, max_size=2),
    st.integers(2, 5),
    st.integers(0, 9),
)
def test_a_controlled_rounding_is_one_of_all_there_are_and_adds_up(table, base, seed):
    made = round_table(table, f"controlled:{base}", margins="all", total=True, seed=seed)
    flat = [value for row in made.table for value in row]
    assert flat in controlled_roundings(table, base)
    assert made.record.additive is True


def test_a_controlled_rounding_without_margins_is_the_random_one_of_the_same_seed():
    counts = list(range(60))
    for seed in range(5):
        free = round_table(counts, "controlled:7", seed=seed)
        assert free.table == round_table(counts, "random:7", seed=seed).table


def test_many_seeds_find_every_controlled_rounding_of_a_small_table():
    table = [[1, 2], [2, 1]]
    found = {
        tuple(
            v
            for row in round_table(table, "controlled:3", margins="all", seed=s).table
            for v in row
        )
        for s in range(200)
    }
    assert found == {tuple(one) for one in controlled_roundings(table, 3)}


@pytest.mark.slow
def test_random_rounding_is_right_on_average():
    made = np.array(round_table([1, 2, 4] * 4000, "random:3", seed=7).table).reshape(-1, 3)
    n, b = len(made), 3
    for count, mean in zip([1, 2, 4], made.mean(axis=0), strict=True):
        share = count % b / b
        assert abs(mean - count) < 4 * b * (share * (1 - share) / n) ** 0.5


@pytest.mark.slow
def test_controlled_rounding_of_a_two_way_table_is_right_on_average_margins_too():
    table, n = np.array([[1, 2, 0], [2, 2, 1]]), 2000
    draws = [round_table(table, "controlled:3", margins="all", seed=s) for s in range(n)]
    near = 4 * 3 * (0.25 / n) ** 0.5
    assert np.abs(np.mean([one.table for one in draws], axis=0) - table).max() < near
    assert np.abs(np.mean([one.part("dim1") for one in draws], axis=0) - table.sum(1)).max() < near
    assert np.abs(np.mean([one.part("dim2") for one in draws], axis=0) - table.sum(0)).max() < near


@examples(25)
@given(
    st.lists(st.integers(0, 9), min_size=8, max_size=8),
    st.sampled_from([[], [["a"]], [["a"], ["a", "b"]], [["a", "c"], ["b"]], "all"]),
    st.integers(2, 5),
)
def test_a_three_way_table_is_rounded_within_any_of_its_margins(flat, margins, base):
    table = np.array(flat).reshape(2, 2, 2)
    asked = {"dims": ["a", "b", "c"], "margins": margins, "total": True, "seed": 1}
    try:
        made = round_table(table, f"controlled:{base}", **asked)
    except InputError:
        assert margins == "all"
        return
    assert made.record.additive is True
    for count, value in zip(flat, np.array(made.table).reshape(-1).tolist(), strict=True):
        assert value in outcomes(count, "controlled", base)


@pytest.mark.slow
def test_noise_uses_every_value_as_often():
    made = np.array(round_table([50] * 5000, "noise:2", seed=3).table) - 50
    shares = np.bincount(made + 2, minlength=5) / 5000
    assert np.abs(shares - 0.2).max() < 4 * (0.2 * 0.8 / 5000) ** 0.5


def test_the_same_seed_makes_the_same_values_whatever_else_is_published():
    one = round_table(TABLE, "random:5", seed=4)
    more = round_table(TABLE, "random:5", margins="all", total=True, seed=4)
    assert one.table == more.table
    assert more.part("dim2") == round_table(TABLE, "random:5", margins=["dim2"], seed=4).part(
        "dim2"
    )
    assert any(
        a != b for a, b in pairwise(round_table(TABLE, "random:5", seed=s).table for s in range(9))
    )


def test_without_a_seed_one_is_drawn_and_held():
    made = round_table(TABLE, "random:5")
    assert made.record.seed is not None
    assert round_table(TABLE, "random:5", seed=made.record.seed).table == made.table


def test_impossible_cells_stay_empty_under_noise():
    for seed in range(5):
        made = round_table([0, 3, 0], "noise:4", structural=[0], seed=seed)
        assert made.table[0] == 0
        assert [row.structural for row in made.rows] == [True, False, False]


def test_the_record_holds_bounds_and_losses_but_no_true_count():
    made = round_table([1, 3, 8], "conventional:5", total=True)
    record = made.record
    assert [(row.part, row.cell, row.published, row.lower, row.upper) for row in made.rows] == [
        ("table", ("0",), 0, 0, 2),
        ("table", ("1",), 5, 3, 7),
        ("table", ("2",), 10, 8, 12),
        ("total", (None,), 10, 8, 12),
    ]
    assert (record.n_cells, record.n_changed, record.n_suppressed) == (3, 3, 0)
    assert record.mean_absolute == pytest.approx(5 / 3)
    assert record.additive is False
    assert RoundedTable.from_json(made.to_json()) == record
    assert made.frame().columns == ["part", "scheme", "cell", "published", "lower", "upper"]


def test_suppressed_cells_are_no_loss_but_counted():
    record = round_table([1, 2, 8], "suppress:5", total=True).record
    assert (record.n_suppressed, record.n_changed, record.mean_absolute) == (2, 0, 0)
    assert record.additive is None
    assert round_table([1, 2], "suppress:5").record.mean_absolute is None


def test_hellinger_distance_by_hand():
    assert hellinger([1, 1], [2, 2]) == 0
    assert hellinger([1, 0], [0, 1]) == 1
    assert hellinger([1, 1], [4, 0]) == pytest.approx((1 - 0.5**0.5) ** 0.5)
    assert hellinger([0], [1]) is None
    assert hellinger([], []) is None


# Causey, Cox and Ernst (1985) proved that three-way tables without a controlled rounding exist.
def without_rounding():
    rng = np.random.default_rng(0)
    for _ in range(400):
        table = rng.integers(0, 2, size=(3, 3, 3))
        try:
            round_table(table, "controlled:2", margins="all", total=True, seed=1)
        except InputError as refused:
            return str(refused)
    return None


def test_a_three_way_table_without_a_controlled_rounding_is_refused():
    assert without_rounding() == (
        "No controlled rounding adds up to all the margins asked for: tables of three and more"
        " dimensions may have none. Ask for fewer margins, or round with 'random'."
    )


def test_a_large_two_way_table_is_rounded_with_all_its_margins():
    table = np.random.default_rng(1).poisson(4, size=(40, 50))
    assert round_table(table, "controlled:5", margins="all", total=True, seed=2).record.additive


BAD = {
    "an unknown scheme": (
        ([1, 2], "randm:3"),
        {},
        SettingsError,
        "There is no rounding scheme 'randm:3'. Did you mean 'random'? The schemes are: exact,"
        " interval, conventional, random, controlled, up, down, noise, cellkey, suppress.",
    ),
    "base 1": (
        ([1, 2], "random:1"),
        {},
        SettingsError,
        "The base of the scheme 'random:1' must be a whole number from 2 to 1,000,000,000.",
    ),
    "negative": (
        ([1, -2], "random:3"),
        {},
        InputError,
        "The count of cell 1 is negative. A table of counts holds whole numbers from 0.",
    ),
    "an interval without values": (
        ([1, 2], "interval"),
        {},
        SettingsError,
        "The scheme 'interval' needs its intervals: give them in published.",
    ),
    "a seed that is none": (
        ([1, 2], "random:3"),
        {"seed": "x"},
        SettingsError,
        "The seed is 'x'. It must be a whole number from 0 to 9,223,372,036,854,775,807.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_its_sentence(case):
    given_, more, kind, sentence = BAD[case]
    with pytest.raises(kind) as refused:
        round_table(*given_, **more)
    assert str(refused.value) == sentence
    assert refused.value.exit_code == 2

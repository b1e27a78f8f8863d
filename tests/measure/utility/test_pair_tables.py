"""Tables of copies beside the original's: by hand, against the oracle, by laws, and by chance."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil.view.pair_tables  # noqa: F401  (teaches the record to show itself)
from oracles import pair_tables as oracle
from profiles import examples
from unveil.errors import InputError
from unveil.measure.utility import table_statistics as counting
from unveil.measure.utility.pair_tables import pair_tables
from unveil.study.bands import RankedValues, quantile_breaks
from unveil.view.charts.grids import pair_map

rows = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=25)
ZERO = ("VW", "FT", "JSD", "G", "pMSE", "S_pMSE", "SPECKS", "PO50", "MabsDD", "WMabsDD", "dBhatt")


def frame(records: list[tuple[str, ...]]) -> pl.DataFrame:
    names = [f"v{place}" for place in range(len(records[0]))]
    return pl.DataFrame(records, schema=names, orient="row")


def population(rng: np.random.Generator, n: int) -> pl.DataFrame:
    a = rng.integers(0, 3, n)
    b = np.where(rng.random(n) < 0.6, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.6, b, rng.integers(0, 3, n))
    text = np.array(["low", "middle", "high"])
    return pl.DataFrame({"a": text[a], "b": text[b], "c": text[c]})


def test_a_table_of_two_cells_by_hand() -> None:
    (row,) = pair_tables(
        frame([("a",)] * 2 + [("b",)] * 2), frame([("a",)] + [("b",)] * 3), ways=1
    ).rows
    # diff -1 and 1, expected 3/2 and 5/2.
    assert (row.df, row.dfG) == (1, 1)
    assert pytest.approx(2 / 3 + 2 / 5) == row.VW
    assert row.pMSE == pytest.approx(row.VW / 64)
    assert row.S_pMSE == row.VW
    assert row.MabsDD == pytest.approx(0.5)
    assert pytest.approx(0.25) == row.SPECKS
    assert pytest.approx(100 * 5 / 8 - 50) == row.PO50
    assert row.U == 3 * 2 + 0.5 * (1 * 2 + 3 * 2)
    assert pytest.approx(2 * (math.log(1 / 2) + 3 * math.log(3 / 2))) == row.G


def test_a_cell_is_taken_for_the_copys_where_its_share_is_above_that_of_the_file() -> None:
    # The copy has 2 of 8 records: one of five with a, which is less, and one of three with b.
    original = frame([("a",)] * 4 + [("b",)] * 2)
    (row,) = pair_tables(original, frame([("a",), ("b",)]), ways=1).rows
    assert row.PO50 == 100 * (4 + 1) / 8 - 50
    # In a file of the same shares no cell is above: all are taken for the original's.
    (alike,) = pair_tables(original, frame([("a",)] * 2 + [("b",)]), ways=1).rows
    assert pytest.approx(100 * 6 / 9 - 50) == alike.PO50


@examples(60)
@given(rows, rows)
def test_every_measure_equals_its_definition_cell_by_cell(
    original: list[tuple[str, str]], copy: list[tuple[str, str]]
) -> None:
    for ways, pick in ((1, lambda row: row[0]), (2, lambda row: row)):
        row = pair_tables(frame(original), frame(copy), ways=ways).rows[0]
        expected = oracle.measures([pick(one) for one in original], [pick(one) for one in copy])
        for figure, value in expected.items():
            got = getattr(row, figure)
            if value is None:
                assert got is None, figure
            else:
                assert got == pytest.approx(value, rel=1e-9, abs=1e-7), figure


@examples(60)
@given(
    st.lists(st.integers(-9, 9).map(lambda n: n / 4), min_size=1, max_size=40), st.integers(2, 7)
)
def test_numbers_are_cut_at_quantiles_of_type_7(values: list[float], n: int) -> None:
    levels, counts = np.unique(values, return_counts=True)
    expected = oracle.breaks([Fraction(value) for value in values], n)
    found = quantile_breaks(RankedValues(levels, counts), n)[1]
    assert found == pytest.approx([float(b) for b in expected])


@examples(25)
@given(rows, rows, st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_names_of_levels_matter(
    original: list[tuple[str, str]], copy: list[tuple[str, str]], random: Any
) -> None:
    other = {"a": "q", "b": "c", "c": "b", "x": "z", "y": "1", "z": "0"}
    shuffled = [(other[a], other[b]) for a, b in random.sample(copy, len(copy))]
    renamed = [(other[a], other[b]) for a, b in original]
    (first,) = pair_tables(frame(original), frame(copy)).rows
    (second,) = pair_tables(frame(renamed), frame(shuffled)).rows
    for figure, value in first.to_dict().items():
        if isinstance(value, float):
            assert getattr(second, figure) == pytest.approx(value, rel=1e-9, abs=1e-9), figure


@pytest.mark.parametrize("ways", [1, 2, 3])
def test_identical_files_differ_in_nothing(ways: int) -> None:
    people = population(np.random.default_rng(1), 200)
    for row in pair_tables(people, people, ways=ways).rows:
        assert {figure: getattr(row, figure) for figure in ZERO} == dict.fromkeys(ZERO, 0.0)


def test_a_table_of_three_variables_is_that_of_their_combination() -> None:
    rng = np.random.default_rng(2)
    original, copy = population(rng, 300), population(rng, 250)
    (three,) = pair_tables(original, copy, ways=3).rows
    joined = [
        side.select(pl.concat_str(pl.all(), separator="-").alias("abc"))
        for side in (original, copy)
    ]
    (one,) = pair_tables(*joined, ways=1).rows
    for figure, value in one.to_dict().items():
        if isinstance(value, int | float):
            assert getattr(three, figure) == pytest.approx(value), figure


def test_large_tables_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    original, copy = population(rng, 120), population(rng, 130)
    expected = pair_tables(original, copy, ways=3).record
    expected_pairs = pair_tables(original, copy).record
    monkeypatch.setattr(counting, "SPARSE", 0)
    monkeypatch.setattr(counting, "MOST_CELLS", 10)
    assert pair_tables(original, copy, ways=3).record == expected
    assert pair_tables(original, copy).record == expected_pairs


def test_a_resample_of_the_original_has_mean_1() -> None:
    rng = np.random.default_rng(4)
    original = population(rng, 1_000)
    copies = [original.sample(1_000, with_replacement=True, seed=seed) for seed in range(200)]
    means = mean_of_each_copy(pair_tables(original, copies, n_worst=0).rows, 200)
    assert abs(means.mean() - 1) < 3 * means.std(ddof=1) / math.sqrt(200)


@pytest.mark.slow
def test_two_independent_samples_have_mean_2() -> None:
    rng = np.random.default_rng(5)
    means = np.array(
        [
            np.mean(
                [row.S_pMSE for row in pair_tables(population(rng, 1_000), other, n_worst=0).rows]
            )
            for other in (population(rng, 1_000) for _ in range(200))
        ]
    )
    assert abs(means.mean() - 2) < 3 * means.std(ddof=1) / math.sqrt(200)


def mean_of_each_copy(found: Any, n: int) -> Any:
    return np.array([row.S_pMSE for row in found]).reshape(n, -1).mean(axis=1)


def test_a_shuffled_column_is_found() -> None:
    original = population(np.random.default_rng(6), 1_500)
    copy = original.with_columns(pl.col("b").shuffle(seed=1))
    found = pair_tables(original, copy)
    assert found.scores[0].variable == "b"
    assert set(found.worst[0].variables) in ({"a", "b"}, {"b", "c"})
    assert found.worst[-1].variables == ("a", "c")
    assert found.worst[-1].S_pMSE == 0
    assert all(row.S_pMSE == 0 for row in pair_tables(original, copy, ways=1).rows)


def test_the_cells_of_the_worst_table_are_the_farthest_apart_first() -> None:
    original = frame([("a", "x")] * 30 + [("b", "y")] * 30)
    copy = frame([("a", "x")] * 25 + [("a", "y")] * 5 + [("b", "y")] * 30)
    (worst,) = pair_tables(original, copy).worst
    assert worst.n_cells == 3
    first = worst.cells[0]
    assert (first.levels, first.n_original, first.n_synthetic) == (("a", "y"), 0, 5)
    assert first.expected == 0
    assert first.z == pytest.approx(5 / math.sqrt(2.5))


def test_missing_values_and_special_codes_are_groups_of_their_own() -> None:
    numbers = [*range(1, 41), -8, -8, None, None]
    people = pl.DataFrame({"income": numbers})
    (group,) = pair_tables(
        people, people, ways=1, groups=4, special_codes={"income": -8}
    ).record.groupings
    assert group.levels == ("under 11", "11 to 20", "21 to 30", "31 or more", "-8", None)


def test_numbers_called_categories_are_not_cut() -> None:
    people = pl.DataFrame({"code": list(range(12)) * 2})
    cut, uncut = (
        pair_tables(people, people, ways=1, categories=c).rows[0].df for c in ((), "code")
    )
    assert (cut, uncut) == (4, 11)


def test_a_constant_column_has_no_standardised_measure_and_says_why() -> None:
    people = pl.DataFrame({"same": ["x"] * 5, "other": list("aabbb")})
    found = pair_tables(people, people, ways=1)
    assert found.rows[0].S_pMSE is None
    assert found.rows[0].VW == 0
    assert [(one.target, one.reason) for one in found.record.not_measured] == [
        ("same", "the table has one cell only")
    ]
    assert found.scores[-1].S_pMSE is None


def test_a_file_of_one_row_is_compared() -> None:
    (row,) = pair_tables(frame([("a", "x")]), frame([("b", "x")])).rows
    assert (row.df, row.G, row.dfG, row.SPECKS) == (1, None, None, 1.0)


ONE = pl.DataFrame({"a": ["x", "y"], "b": [1, 2]})


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"ways": 4}, "ways is 4. It must be a whole number from 1 to 3."),
        ({"ways": True}, "ways is True. It must be a whole number from 1 to 3."),
        ({"ways": 3}, "A table of 3 variables cannot be made of 2 columns. Name more columns, or"),
        ({"groups": 1}, "groups is 1. It must be a whole number from 2 to 1,000."),
        ({"n_worst": -1}, "n_worst is -1. It must be a whole number from 0 to 1,000."),
        ({"columns": ["a", "c"]}, "The original has no column 'c'."),
        ({"columns": []}, "No columns are given."),
        ({"special_codes": {"z": 1}}, "special_codes names 'z', which is not compared."),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as refusal:
        pair_tables(ONE, ONE, **settings)
    assert str(refusal.value).startswith(sentence)
    assert refusal.value.exit_code == 2


def test_files_without_a_common_column_are_refused() -> None:
    with pytest.raises(InputError, match="The files have no column in common"):
        pair_tables(ONE, pl.DataFrame({"c": [1]}))


def test_a_view_shows_no_small_cell_and_no_live_markup() -> None:
    original = frame([("<b>", "x")] * 40 + [("rare", "y")] * 3)
    copy = frame([("<b>", "x")] * 20 + [("rare", "y")] * 23)
    page = pair_tables(original, copy)._repr_html_()
    assert "rare" not in page
    assert "&lt;b&gt;, x" in page
    assert "<b>" not in page


def test_the_map_of_pairs_names_the_worst_pair() -> None:
    original = population(np.random.default_rng(7), 800)
    copy = original.with_columns(pl.col("c").shuffle(seed=1))
    found = pair_tables(original, copy)
    picture = pair_map(found.record).svg()
    first, second = found.worst[0].variables
    assert f"{first} and {second} differ most" in picture
    assert picture == pair_map(found.record).svg()
    assert "<script" not in picture


def test_a_record_survives_json() -> None:
    found = pair_tables(ONE, ONE)
    assert type(found.record).from_json(found.to_json()) == found.record

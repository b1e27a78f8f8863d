import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.measure.tables.compare_rounding import (
    RoundingSettings,
    SchemeDraw,
    compare_rounding,
    comparison,
)
from unveil.measure.tables.grid import Grid
from unveil.measure.tables.parts import Fact, System
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap import sap
from unveil.measure.tables.sap_batch import UNBOUNDED, TableBatch, compute_curves
from unveil.measure.tables.sap_curve import SapQuestion, compute_curve

TABLES = list(np.random.default_rng(5).poisson(2, (20, 2, 3)))
FIGURE_1 = [[1, 3, 0], [4, 0, 0], [3, 2, 0]]


@st.composite
def many(draw):
    """Three tables of equal size with bounds of their cells, and of their totals or not."""
    n_cells, has_total = draw(st.integers(1, 5)), draw(st.booleans())
    shape = {"min_size": 3 * n_cells, "max_size": 3 * n_cells}
    counts = np.array(draw(st.lists(st.integers(0, 4), **shape))).reshape(3, n_cells)
    below = np.array(draw(st.lists(st.integers(0, 2), **shape))).reshape(3, n_cells)
    above = np.array(draw(st.lists(st.integers(-1, 1), **shape))).reshape(3, n_cells)
    hi = np.where(above < 0, UNBOUNDED, counts + above)
    possible = (counts > 0) | np.array(draw(st.lists(st.booleans(), **shape))).reshape(3, n_cells)
    total = counts.sum(axis=1) + np.array(draw(st.lists(st.integers(0, 1), min_size=3, max_size=3)))
    lo = np.maximum(counts - below, 0)
    return TableBatch(counts, lo, hi, total if has_total else None, possible)


@given(many(), st.integers(0, 12))
@settings(deadline=None)
def test_tables_together_are_as_each_by_itself(tables, n_max):
    found, sure = compute_curves(tables, n_max)
    assert sure.all()
    for row, counts in enumerate(tables.counts.tolist()):
        facts = []
        for cell in np.flatnonzero(tables.possible[row]).tolist():
            hi = int(tables.hi[row, cell])
            lo = int(tables.lo[row, cell])
            facts.append(Fact((cell,), lo, None if hi == UNBOUNDED else hi, "a cell"))
        if tables.total_hi is not None:
            every = tuple(range(len(counts)))
            facts.append(Fact(every, 0, int(tables.total_hi[row]), "the total"))
        structural = frozenset(np.flatnonzero(~tables.possible[row]).tolist())
        system = System(tuple(counts), tuple(facts), structural, (len(counts),))
        assert found[row].tolist() == list(compute_curve(SapQuestion(system), n_max).lower)


def test_a_table_too_large_for_whole_numbers_is_left_to_the_slow_way():
    counts = np.full((1, 30), 40)
    _, sure = compute_curves(TableBatch(counts, counts, counts, None, np.ones((1, 30), bool)), 60)
    assert not sure.any()
    (row,) = compare_rounding([np.full(30, 40)], "exact", n_max=60).rows
    assert row.lower == sap([40] * 30, n_max=60).lower


@pytest.mark.parametrize(
    "scheme", ["exact", "conventional:3", "conventional:5", "up:3", "suppress:3"]
)
@pytest.mark.parametrize("total", [False, True])
def test_every_row_is_the_curve_of_its_table(scheme, total):
    found = compare_rounding(TABLES, scheme, total=total, n_max=8)
    for row, table in zip(found.rows, TABLES, strict=True):
        alone = sap(table, rounding=scheme, total=total, n_max=8)
        assert row.lower == row.upper == alone.lower
        assert row.first_risk == alone.record.first_risk
        assert row.passes == alone.passes(0.05)
        assert row.n_draws == 1
        assert row.spread == (0.0,) * 9


def test_margins_are_published_under_the_same_scheme():
    (row,) = compare_rounding(FIGURE_1, "conventional:3", margins="all", total=True).rows
    assert set(row.lower) == {1.0}
    assert row.first_risk == row.passes == 0
    found = compare_rounding(
        FIGURE_1, "conventional:3", margins="all", total=True, structural=[2, 5, 8]
    )
    assert found.rows[0].first_risk == 1
    assert found.rows[0].lower[3] == pytest.approx(float(Fraction(67, 286)), abs=1e-15)
    assert found.record.margins == ("dim1", "dim2")


def test_the_loss_by_hand():
    (row,) = compare_rounding([4, 1, 3, 0], "conventional:3").rows
    # Published 3, 0, 3, 0: one is lost twice.
    assert row.mean_absolute == 2 / 4
    shared = (4 * 3) ** 0.5 + (3 * 3) ** 0.5
    assert row.hellinger == pytest.approx((1 - shared / (8 * 6) ** 0.5) ** 0.5)


def test_random_rounding_has_a_mean_and_a_spread_over_seeded_draws():
    asked = dict(n_max=6, draws=200, seed=4)
    (row,) = compare_rounding([2, 2], "random:3", **asked).rows
    assert row.n_draws == 200
    # A count of 2 is published as 0 one time in three, and then its bound is reached.
    either = 1 - Fraction(2, 3) ** 2
    assert row.lower[4] == pytest.approx(float(either), abs=4 * (0.25 / 200) ** 0.5)
    assert row.spread[4] == pytest.approx((row.lower[4] * (1 - row.lower[4])) ** 0.5)
    assert (
        compare_rounding([2, 2], "random:3", **asked).record
        == compare_rounding([2, 2], "random:3", **asked).record
    )
    assert compare_rounding([2, 2], "random:3", n_max=6, draws=200, seed=5).rows != (row,)


def test_a_draw_of_one_table_does_not_depend_on_its_neighbours():
    asked = dict(n_max=6, draws=10, seed=4)
    few = compare_rounding(TABLES[:2], "random:5", **asked).rows
    all_of_them = compare_rounding(TABLES, "random:5", **asked).rows
    assert few == all_of_them[:2]


def test_bands_count_every_table_once():
    found = compare_rounding(TABLES, ["conventional:5", "conventional:3"], total=True, n_max=10)
    for row in found.record.bands:
        assert row.zero + sum(row.bands) + row.one == len(TABLES)
        assert row.n_open == 0
    frame = found.bands()
    assert frame.shape == (22, 15)
    assert frame["=0"][0] == len(TABLES)


def test_a_band_holds_its_left_edge():
    # One of ten people, with a cell of one: SAP(1) is 1/10, the first of the second band.
    found = compare_rounding([1, 9], "exact", n_max=1).record.bands[1]
    assert found.bands == (0, 1, 0, 0, 0, 0, 0, 0, 0, 0)


def test_a_summary_is_over_all_tables():
    found = compare_rounding(TABLES, ["conventional:5", "exact"], n_max=10, threshold=0.2)
    assert [one.scheme for one in found.record.summaries] == ["conventional:5", "exact"]
    one = found.record.summaries[0]
    rows = [row for row in found.rows if row.scheme == "conventional:5"]
    assert one.passes == min(row.passes for row in rows if row.passes is not None)
    assert one.n_passing == sum(row.passes is not None for row in rows)
    assert one.mean_sap == pytest.approx(np.mean([row.lower for row in rows], axis=0))
    assert found.curves().height == 2 * len(TABLES) * 11
    assert json.loads(found.to_json())["n_tables"] == len(TABLES)


def test_tables_come_by_name_in_a_list_in_a_folder_or_by_area(tmp_path):
    named = {"north": TABLES[0], "south": TABLES[1]}
    rows = []
    for name, table in named.items():
        for i, j in np.ndindex(table.shape):
            rows.append({"region": name, "sex": f"s{i}", "age": f"a{j}", "n": int(table[i, j])})
    long = pl.DataFrame(rows)
    (tmp_path / "areas").mkdir()
    for name in named:
        one = long.filter(pl.col("region") == name).drop("region")
        one.write_csv(tmp_path / "areas" / f"{name}.csv")
    long.write_csv(tmp_path / "long.csv")
    expected = [row.lower for row in compare_rounding(named, "conventional:3").rows]
    listed = compare_rounding(list(named.values()), "conventional:3")
    folder = compare_rounding(str(tmp_path / "areas"), "conventional:3")
    in_file = compare_rounding(str(tmp_path / "long.csv"), "conventional:3", area="region")
    frame = compare_rounding(long, "conventional:3", area="region", dims=["sex", "age"], count="n")
    releases = [PublishedTable.from_counts(table) for table in named.values()]
    for found in (listed, folder, in_file, frame, compare_rounding(releases, "conventional:3")):
        assert [row.lower for row in found.rows] == expected
    for found in (folder, in_file, frame):
        assert [row.table for row in found.rows] == ["north", "south"]
    assert [row.table for row in listed.rows] == ["table 1", "table 2"]


def test_cells_that_a_hierarchy_rules_out_are_no_recovery():
    """A ward lies in one region: that nobody of W1 lives in S is no news."""
    counts = np.array([[[4, 3], [8, 5]], [[0, 0], [0, 0]]])
    tables = {"one": PublishedTable.from_counts(counts, dims=["region", "ward", "job"])}
    for margins in (None, "all"):  # by formula, and one by one
        rows = compare_rounding(
            tables, ["exact"], n_max=1, margins=margins, nested={"ward": "region"}
        ).rows
        assert rows[0].upper[0] == 0
        assert compare_rounding(tables, ["exact"], n_max=1, margins=margins).rows[0].lower[0] == 1


def test_lists_of_numbers_are_one_table_and_nested_lists_several():
    assert compare_rounding(FIGURE_1, "exact").record.n_tables == 1
    two = [FIGURE_1, [[4, 2], [3, 1]]]
    assert [row.N for row in compare_rounding(two, "exact").rows] == [13, 10]
    assert compare_rounding(dict(zip("ab", two, strict=True)), "exact").record.n_tables == 2
    assert compare_rounding({("a", "x"): 3, ("b", "y"): 2}, "exact").rows[0].n_cells == 4


def test_a_scheme_that_changes_nothing_is_said():
    found = compare_rounding([[5, 10], [0, 15]], ["exact", "conventional:5", "suppress:7"]).record
    assert found.notes == (
        "conventional:5 changes nothing here: every count is published as it is.",
    )


def test_tables_of_nobody_are_left_out_and_named():
    found = compare_rounding({"full": [1, 2], "empty": np.zeros(2, int)}, "exact").record
    assert found.n_tables == 1
    assert found.notes == ("No one is counted in 1 of the tables, which are excluded: empty.",)


@pytest.mark.parametrize(
    ("tables", "asked", "sentence"),
    [
        ([1, 2], {"n_max": -1}, "n_max is -1. It must be a whole number from 0 to 100,000."),
        ([1, 2], {"n_max": 2.5}, "n_max is 2.5. It must be a whole number from 0 to 100,000."),
        ([1, 2], {"draws": 0}, "draws is 0. It must be a whole number from 1 to 10,000."),
        ([1, 2], {"threshold": 2}, "The threshold is 2. It must be a number from 0 to 1, such"
         " as 0.05."),
        ([0, 0], {}, "No one is counted in any table, so that no one can become known."),
        ([1, 2], {"schemes": []}, "No rounding scheme is given. Write one, such as"
         " conventional:5."),
        (7, {}, "A table to compare is 7. Give counts, a release, a frame or a file."),
    ],
)  # fmt: skip
def test_what_cannot_be_compared(tables, asked, sentence):
    schemes = asked.pop("schemes", "exact")
    with pytest.raises(InputError) as caught:
        compare_rounding(tables, schemes, **asked)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2


def test_an_unknown_area_names_the_nearest():
    frame = pl.DataFrame({"region": ["a", "b"], "sex": ["m", "f"], "n": [1, 2]})
    with pytest.raises(InputError) as caught:
        compare_rounding(frame, "exact", area="regoin")
    assert str(caught.value) == (
        "There is no column of areas 'regoin'. Did you mean 'region'? The columns of levels are:"
        " region, sex."
    )


def test_an_empty_folder_says_what_it_should_hold(tmp_path):
    with pytest.raises(InputError, match=r"has no table in it. Files of tables end in: \.csv"):
        compare_rounding(str(tmp_path), "exact")


def test_a_risk_too_small_for_a_mean_over_draws_is_one():
    counts = np.array([1, 2])
    least = np.nextafter(0, 1)
    draws = [
        SchemeDraw(np.array([0, low]), np.array([0, low]), (1, 2), complete=True)
        for low in (least, 0, 0, 0)
    ]
    settings = RoundingSettings(n_max=1, threshold=0.05, total=False, draws=4, seed=1)
    named = {"table": (Grid(("cell",), (("0", "1"),)), counts)}
    record = comparison(named, {"random:3": [draws]}, settings, margins=(), notes=())
    assert record.rows[0].first_risk == 1

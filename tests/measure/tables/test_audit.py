"""Suppressed values that the rest of a release gives away."""

import pytest

from unveil.errors import SettingsError
from unveil.measure.tables.audit import audit
from unveil.records.count_tables import Audit

# Rows sum to 12, 14 and 13; columns to 14, 15 and 10.
TABLE = [[3, 5, 4], [6, 7, 1], [5, 3, 5]]


def test_a_single_suppressed_cell_of_a_row_is_recomputed():
    found = audit([[3, 5, 6], [6, 7, 8]], rounding={"table": "suppress:4", "dim1": "exact"})
    (row,) = found.rows
    assert (row.part, row.levels, row.lower, row.upper) == ("table", ("0", "0"), 3, 3)
    assert (row.exact, row.within, row.percent, row.tightest) == (True, True, 0.0, True)
    assert (found.record.n_suppressed, found.record.n_exact, found.record.n_within) == (1, 1, 1)
    assert found.complete


def test_four_corners_protect_each_other_and_one_cell_beside_them_is_given_away():
    # Hidden: 3 and 4 in the first row, 1 in the second, 3 in the third.
    found = audit(
        TABLE, rounding={"table": "suppress:5", "margins": "exact", "total": "exact"}, margins="all"
    )
    hidden = {row.levels: row for row in found.rows}
    assert set(hidden) == {("0", "0"), ("0", "2"), ("1", "2"), ("2", "1")}
    assert hidden["2", "1"].exact  # its row has no other
    assert hidden["1", "2"].exact
    assert hidden["0", "2"].exact  # its column has 1, which is given away, and 5
    assert hidden["0", "0"].exact
    assert found.record.n_exact == 4


def protected(percent, **limits):
    """Four corners of a square are hidden; their rows and columns have 10, 8, 9 and 9."""
    published = {"table": [[None, None, 8], [None, None, 6]]}
    counts = [[4, 6, 8], [5, 3, 6]]
    return audit(
        counts,
        percent=percent,
        rounding={"table": "exact", "margins": "exact", "total": "exact"},
        margins="all",
        published=published,
        **limits,
    )


def test_corners_of_a_square_can_be_moved_together():
    rows = protected(0).rows
    assert [(row.lower, row.upper) for row in rows] == [(1, 9), (1, 9), (0, 8), (0, 8)]
    assert not any(row.exact or row.within for row in rows)


@pytest.mark.parametrize(("percent", "n_within"), [(83, 0), (99, 1), (100, 2), (125, 3), (167, 4)])
def test_within_some_percent_is_measured_against_the_count(percent, n_within):
    # The largest errors are 5 of 4, 5 of 6, 5 of 5 and 5 of 3: 125, 83.3, 100 and 166.7 percent.
    found = protected(percent)
    assert [row.percent for row in found.rows] == pytest.approx([125, 500 / 6, 100, 500 / 3])
    assert found.record.n_within == n_within
    assert found.record.protection == percent


def test_a_suppressed_margin_is_bounded_as_the_sum_of_its_cells():
    found = audit(
        [[1, 9], [1, 1]], rounding={"table": "conventional:3", "dim1": "suppress:5:unknown"}
    )
    (row,) = found.rows
    assert (row.part, row.levels) == ("dim1", ("1", None))
    assert (row.lower, row.upper) == (0, 2)
    free = audit([[1, 9], [1, 1]], rounding={"dim1": "suppress:5:unknown"})
    assert [(row.lower, row.upper, row.percent) for row in free.rows] == [(0, None, None)]


def test_both_readers_of_the_rule_by_hand():
    counts = [[2, 3, 20], [3, 1, 30], [25, 26, 40]]
    margins = {"margins": "exact", "total": "exact"}

    def intervals(scheme):
        found = audit(counts, rounding={"table": scheme, **margins}, margins="all")
        return [(row.lower, row.upper) for row in found.rows], found.record.n_exact_unknown

    assert intervals("suppress:5:unknown") == ([(1, 5), (0, 4), (0, 4), (0, 4)], None)
    assert intervals("suppress:5") == ([(2, 4), (1, 3), (1, 3), (1, 3)], 0)
    assert intervals("suppress:5:interval")[0] == intervals("suppress:5")[0]
    assert intervals("suppress:5:zeros")[0] == [(1, 4), (1, 4), (1, 4), (0, 3)]


def test_one_who_knows_the_rule_recomputes_more():
    # Both counts of the first row are suppressed and add up to 8: each must be 4.
    counts = [[4, 4], [9, 9]]
    record = audit(counts, rounding={"table": "suppress:5", "dim1": "exact"}).record
    assert (record.n_suppressed, record.n_exact, record.n_exact_unknown) == (2, 2, 0)


def test_a_hidden_zero_is_near_nothing_but_itself():
    found = audit(
        [[0, 4], [3, 5]],
        percent=100,
        rounding={"table": "exact", "margins": "exact"},
        margins="all",
        published={"table": [[None, None], [None, None]]},
    )
    zero = found.rows[0]
    assert (zero.lower, zero.upper, zero.within, zero.percent) == (0, 3, False, None)


def test_nothing_suppressed_is_said():
    found = audit(TABLE, rounding="conventional:3")
    assert found.rows == ()
    assert found.record.notes == ("Nothing is suppressed.",)
    assert found.frame().is_empty()


def test_time_that_ran_out_is_not_safety():
    found = protected(10, seconds=1e-9)
    assert not found.complete
    assert not any(row.tightest for row in found.rows)
    assert audit([[1, 9], [1, 1]], rounding={"dim1": "suppress:5"}, seconds=1e-9).complete is False


def test_the_record_survives_json_and_makes_a_frame():
    found = protected(10)
    assert Audit.from_json(found.to_json()) == found.record
    assert found.frame().columns[:4] == ["dim1", "dim2", "part", "lower"]
    assert found.frame()["upper"].to_list() == [9, 9, 8, 8]


@pytest.mark.parametrize("percent", [-1, "ten", float("nan"), float("inf"), True])
def test_a_percentage_that_means_nothing_is_refused(percent):
    with pytest.raises(SettingsError, match=r"^percent is .* It must be a number from 0"):
        audit(TABLE, percent=percent)

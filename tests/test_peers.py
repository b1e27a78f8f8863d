"""The smallest cases in which another tool gives another figure: ours is the one counted by hand.

Each row of `PEERS` in `verified.py` names the test that shows it. The figures of synthpop 1.9-3,
Anonymeter 1.1.0 and SDMetrics 0.32.0 are what their own code gave on these data.
"""

import polars as pl
import pytest

import unveil


def people(keys: str, targets: list) -> pl.DataFrame:
    return pl.DataFrame({"k": list(keys), "t": targets})


def attribute_row(original: pl.DataFrame, copy: pl.DataFrame):
    return unveil.disclosure(original, copy, keys="k", targets="t").attribute[0]


def test_numbers_of_unequal_length_stay_in_their_place():
    """synthpop: DiSCO 0, its two tables are sorted in different ways."""
    row = attribute_row(people("abc", [2, 3, 10]), people("abc", [2, 10, 10]))
    assert row.DiSCO == pytest.approx(100 * 2 / 3)  # a and c; the claim about b is wrong


@pytest.mark.parametrize("reverse", [False, True])
def test_numbers_as_keys_match_whatever_the_width_of_others(reverse):
    """synthpop: none, " 5" of the one file is not "5" of the other."""
    original = pl.DataFrame({"sex": ["f", "m", "m"], "age": [5, 7, 10]})
    files = (original, original.head(2))
    found = unveil.remove_replicated_uniques(*(files[::-1] if reverse else files))
    assert found.rows[0].replicated == 2


@pytest.mark.parametrize("targets", [["p", "q", "p"], ["q", "p", "p"]])
def test_a_tie_counts_half_in_any_order_of_rows(targets):
    """Anonymeter: 2 of 2 in the one order, 1 of 2 in the other."""
    original, copy = people("ab", ["p", "p"]), people("aab", targets)
    assert unveil.inference(original, copy, keys="k", secrets="t").rows[0].main_successes == 1.5


def test_half_of_the_people_as_control_explain_all_of_it():
    """Anonymeter: the control's 2 of 4 become 1.45, and R 0.57."""
    original = pl.DataFrame({"x": list("abcd")})
    found = unveil.singling_out(original, original, control=original.head(2), mode="univariate")
    assert found.rows[0].R == 0


def test_a_copy_that_tells_the_shares_alone_adds_nothing():
    """SDMetrics: a score of 0.75, against two answers that are taken as equally common."""
    shares = people("aaaa", ["p", "p", "p", "q"])
    row = attribute_row(shares, shares)
    assert (row.DCAP, row.baseCAPd, row.DCAP_scaled, row.DiSCO) == (62.5, 62.5, 0, 0)


def test_uniques_have_a_dis_whatever_their_records_hash_to():
    """sdcMicro: 0/0, a missing DIS for both; its set s12 of the reference."""
    frame = pl.DataFrame({"a": [1, 2, 3, 3], "b": [3, 1, 2, 2], "c": [1, 1, 2, 2]})
    found = unveil.suda(frame, keys=["a", "b", "c"], dis_fraction=0.01)
    assert found.dis.tolist() == pytest.approx([0.01, 0.01, 0, 0])

"""Several copies: each alone, their mean with its spread, and all pooled."""

import pytest

from measure.small import ORIGINAL, SYNTHETIC, measured

SECOND = ["bxq", "axq"]


def test_pooled_copies_are_one_file():
    result = measured(ORIGINAL, SYNTHETIC, SECOND)
    together = measured(ORIGINAL, SYNTHETIC + SECOND)
    pooled, alone = result.pooled.attribute[0].to_dict(), together.attribute[0].to_dict()
    assert {**pooled, "copy": 1} == alone
    assert pooled["DCAP"] == pytest.approx(50)  # all six match, half the guesses are right


def test_the_mean_and_its_spread():
    result = measured(ORIGINAL, SYNTHETIC, SECOND)
    first, second = (result.find_copy(copy).attribute[0].DiSCO for copy in (1, 2))
    assert result.mean.attribute[0].DiSCO == pytest.approx((first + second) / 2)
    (spread,) = [row for row in result.record.spread if (row.target, row.measure) == ("t", "DiSCO")]
    assert (spread.n_copies, spread.lowest, spread.highest) == (2, first, second)
    assert spread.standard_deviation == pytest.approx(abs(first - second) / 2**0.5)


def test_one_copy_has_no_mean_row_and_is_its_own_mean_and_pool():
    result = measured(ORIGINAL, SYNTHETIC)
    assert [row.copy for row in result.attribute] == [1]
    assert result.mean == result.pooled == result.find_copy(1)
    assert result.record.spread == ()


def test_a_mean_of_something_undefined_is_undefined_and_says_why():
    result = measured(["axp", "byq"], ["axp"], ["ayp", "bxq"])
    assert result.mean.attribute[0].TCAP is None
    reasons = {
        (row.copy, row.field): row.reason for row in result.record.not_measured if row.target
    }
    assert reasons["mean", "TCAP"].startswith("not measured in every copy")
    assert reasons[2, "TCAP"] == "no original key combination is in the synthetic data"


def test_targets_stand_in_the_order_of_their_risk():
    import polars as pl

    import unveil

    frame = pl.DataFrame({"k": [1, 1, 2, 2], "open": list("abab"), "settled": list("aabb")})
    result = unveil.disclosure(frame, frame, keys="k")
    assert result.record.targets == ("settled", "open")
    assert [row.target for row in result.attribute] == ["settled", "open"]


def test_the_frame_is_wide_with_the_identity_figures_beside():
    frame = measured(ORIGINAL, SYNTHETIC, SECOND).frame()
    assert frame["copy"].to_list() == ["1", "2", "mean", "pooled"]
    assert {"target", "DiSCO", "repU"} <= set(frame.columns)
    assert frame.height == 4

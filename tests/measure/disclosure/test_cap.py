import pytest

from measure.small import ORIGINAL, SYNTHETIC, attribute, measured


def test_the_worked_example():
    figures = attribute(ORIGINAL, SYNTHETIC)
    # By frequencies: p has 2 of 6, q has 4 of 6. In the original only the two of a x are in doubt.
    # In the copy a x says p (right for one of two), a y says q (wrong), b y is open (half right,
    # twice), b x is not there.
    assert figures["baseCAPd"] == pytest.approx(100 * (4 + 16) / 36)
    assert figures["CAPd"] == pytest.approx(100 * 5 / 6)
    assert figures["CAPs"] == pytest.approx(100 * 5 / 6)
    assert figures["DCAP"] == pytest.approx(100 * 2 / 6)
    assert figures["DCAP_scaled"] == pytest.approx((100 / 3 - 500 / 9) / (100 - 500 / 9))


def test_the_worked_example_without_p():
    figures = measured(ORIGINAL, SYNTHETIC).whatif("t=p").attribute[0].to_dict()
    # Left of the original: q under a x, under b x, and twice under b y; of the copy: q under a y
    # and under b y. The intruder still sees the p beside them; with p struck out all are certain.
    sixths = {
        "CAPd": 0.5 + 1 + 2,
        "CAPd_renormalised": 1 + 1 + 2,
        "CAPs": 1 + 0.5,
        "CAPs_renormalised": 1 + 1,
        "DCAP": 0.5 + 0.5,
        "DCAP_renormalised": 1 + 1,
        "baseCAPd": (4 + 16) / 6,
    }
    assert {symbol: figures[symbol] for symbol in sixths} == pytest.approx(
        {symbol: 100 * right / 6 for symbol, right in sixths.items()}
    )
    assert figures["DCAP_scaled"] == pytest.approx((100 / 6 - 500 / 9) / (100 - 500 / 9))


@pytest.mark.parametrize("symbol", ["CAPd", "CAPs", "DCAP"])
def test_where_nothing_is_left_out_the_renormalised_figures_are_the_plain_ones(symbol):
    figures = attribute(ORIGINAL, SYNTHETIC)
    assert figures[f"{symbol}_renormalised"] == figures[symbol]


def test_a_person_who_is_not_in_the_copy_counts_as_a_wrong_guess():
    assert attribute(["axp", "bxp"], ["axp"])["DCAP"] == 50.0


def test_where_everyone_is_alike_there_is_no_scale():
    assert attribute(["axp", "bxp"], ["axp"])["DCAP_scaled"] is None

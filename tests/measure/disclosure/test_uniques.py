import pytest

from measure.small import ORIGINAL, SYNTHETIC, identity


def test_the_worked_example():
    # Alone in the original: a y and b x. In the copy: a y and c x. Of the two people only a y is
    # found in the copy, and is alone there too. Found at all: everyone but b x.
    assert identity(ORIGINAL, SYNTHETIC) == {
        "copy": 1,
        "UiO": pytest.approx(100 * 2 / 6),
        "UiS": pytest.approx(100 * 2 / 6),
        "UiOiS": pytest.approx(100 * 1 / 6),
        "repU": pytest.approx(100 * 1 / 6),
        "N_d_both": 5,
        "N_s_both": 5,
        "n_q_synthetic": 4,
        "n_q_both": 3,
    }


def test_the_copys_own_uniques_are_counted_over_the_copys_own_records():
    # Two of the copy's four records are alone; the original has two records, both alike.
    assert identity(["axp", "axp"], ["axp", "axq", "ayp", "bxp"])["UiS"] == 50.0


def test_alone_in_the_original_but_crowded_in_the_copy_is_found_and_not_replicated():
    figures = identity(["axp", "ayp"], ["axp", "axp", "ayp"])
    assert (figures["UiOiS"], figures["repU"]) == (100.0, 50.0)

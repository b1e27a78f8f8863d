"""The oracle itself, against tables small enough to do by hand."""

from fractions import Fraction

import pytest

from oracles import raab

# The worked example of the measures' specification: keys k1 k2, target t.
ORIGINAL = [
    (("a", "x"), "p"),
    (("a", "x"), "q"),
    (("a", "y"), "p"),
    (("b", "x"), "q"),
    (("b", "y"), "q"),
    (("b", "y"), "q"),
]
SYNTHETIC = [
    (("a", "x"), "p"),
    (("a", "x"), "p"),
    (("a", "y"), "q"),
    (("b", "y"), "q"),
    (("b", "y"), "p"),
    (("c", "x"), "p"),
]
SECOND_COPY = [(("b", "x"), "q"), (("a", "x"), "q")]


def test_identity_of_the_worked_example():
    # Alone in the original: ay, bx. Alone in the copy: ay, cx. Of ay and bx the copy has ay, once.
    assert raab.identity(ORIGINAL, SYNTHETIC) == {
        "UiO": Fraction(100 * 2, 6),
        "UiS": Fraction(100 * 2, 6),
        "UiOiS": Fraction(100 * 1, 6),
        "repU": Fraction(100 * 1, 6),
        "N_d_both": 5,
        "N_s_both": 5,
        "n_q_synthetic": 4,
        "n_q_both": 3,
    }


def test_attributes_of_the_worked_example():
    base, dcap, tcap = Fraction(500, 9), Fraction(100, 3), Fraction(20)
    assert raab.attribute(ORIGINAL, SYNTHETIC) == {
        "Dorig": Fraction(200, 3),  # ay, bx, by, by
        "Dsyn": Fraction(200, 3),  # ax, ax, ay, cx
        "iS": Fraction(250, 3),  # all but bx
        "DiS": Fraction(50),  # ax, ax, ay
        "DiSCO": Fraction(50, 3),  # the first ax; the second is q, and of ay the copy says q
        "DiSDiO": Fraction(0),  # ax was not settled in the original
        "max_denom": 1,
        "mean_denom": Fraction(1),
        "max_denom_syn": 2,
        "mean_denom_syn": Fraction(2),
        "baseCAPd": base,  # 2 of 6 are p, 4 of 6 are q
        "CAPd": Fraction(250, 3),
        "CAPs": Fraction(250, 3),
        "DCAP": dcap,
        "TCAP": tcap,
        "DCAP_scaled": (dcap - base) / (100 - base),
        "TCAP_scaled": (tcap - base) / (100 - base),
        "protection": Fraction(50),
        "removed": Fraction(75),
        "n_cells": 8,  # ax p, ax q, ay p, ay q, bx q, by p, by q, cx p
    }


def test_two_copies_pooled_are_one_file():
    figures = raab.over_copies(raab.attribute, ORIGINAL, [SYNTHETIC, SECOND_COPY])
    assert figures["pooled"] == raab.attribute(ORIGINAL, SYNTHETIC + SECOND_COPY)
    assert figures["pooled"]["DCAP"] == 50  # the specification: 1/2, all 6 match
    assert figures["pooled"]["iS"] == 100


def test_the_mean_over_copies_is_the_mean_of_each_figure():
    figures = raab.over_copies(raab.attribute, ORIGINAL, [SYNTHETIC, SECOND_COPY])
    assert list(figures) == [1, 2, "mean", "pooled"]
    assert figures["mean"]["iS"] == (Fraction(250, 3) + 50) / 2  # copy 2 has ax (two people) and bx
    assert figures["mean"]["n_cells"] == Fraction(8 + 5, 2)


def test_the_mean_of_a_figure_that_one_copy_lacks_does_not_exist():
    tells_nothing = [(("a", "x"), "p"), (("a", "x"), "q")]
    figures = raab.over_copies(raab.attribute, ORIGINAL, [SYNTHETIC, tells_nothing])
    assert figures[2]["mean_denom"] is None
    assert figures["mean"]["mean_denom"] is None
    assert figures["mean"]["max_denom"] == Fraction(1, 2)


def test_one_copy_has_neither_mean_nor_pool():
    assert list(raab.over_copies(raab.identity, ORIGINAL, [SYNTHETIC])) == [1]


def test_missing_equals_missing():
    original = [((None, 1), None), ((None, 1), None), ((None, 2), "ill")]
    synthetic = [((None, 1), None), ((None, 2), None)]
    figures = raab.attribute(original, synthetic)
    assert figures["DiSCO"] == Fraction(200, 3)  # "not known" is what the copy tells, rightly
    assert figures["DiS"] == 100
    assert (figures["max_denom"], figures["max_denom_syn"]) == (2, 1)


def test_the_keys_are_found_but_nothing_is_told():
    original = [(("a",), "p"), (("a",), "q")]
    figures = raab.attribute(original, original)
    assert figures["DiSCO"] == 0
    assert (figures["max_denom"], figures["mean_denom"]) == (0, None)
    assert (figures["Dorig"], figures["removed"]) == (0, None)
    assert figures["TCAP"] == 0


def test_nobody_is_found():
    figures = raab.attribute([(("a",), "p"), (("b",), "q")], [(("c",), "p")])
    assert figures["TCAP"] is None
    assert figures["TCAP_scaled"] is None
    assert figures["DCAP_scaled"] == -1  # worse than guessing by frequencies
    assert figures["removed"] == 100


def test_a_constant_target_leaves_nothing_to_scale():
    figures = raab.attribute([(("a",), "p"), (("b",), "p")], [(("a",), "p")])
    assert figures["baseCAPd"] == 100
    assert (figures["DCAP_scaled"], figures["TCAP_scaled"]) == (None, None)


def test_an_empty_original_has_no_percentages():
    copy = [(("a",), "p"), (("b",), "q")]
    figures = raab.identity([], copy) | raab.attribute([], copy)
    exists = {name for name, value in figures.items() if value is not None}
    of_the_copy = {"UiS", "Dsyn", "CAPs"}
    counts = {"N_d_both", "N_s_both", "n_q_synthetic", "n_q_both", "n_cells"}
    assert exists == of_the_copy | counts | {"max_denom", "max_denom_syn"}
    assert (figures["UiS"], figures["Dsyn"], figures["CAPs"]) == (100, 100, 100)


def test_an_empty_copy_tells_nothing():
    original = [(("a",), "p"), (("b",), "q")]
    figures = raab.identity(original, []) | raab.attribute(original, [])
    lacks = {name for name, value in figures.items() if value is None}
    no_cells = {"mean_denom", "mean_denom_syn"}
    assert lacks == {"UiS", "Dsyn", "CAPs", "TCAP", "TCAP_scaled"} | no_cells
    nothing = ("UiOiS", "repU", "iS", "DiS", "DiSCO", "DiSDiO", "DCAP")
    assert [figures[name] for name in nothing] == [0] * len(nothing)
    assert (figures["UiO"], figures["Dorig"]) == (100, 100)


def test_keys_are_counted_on_each_side_on_both_and_on_any():
    assert raab.key_counts(ORIGINAL, SYNTHETIC) == {
        "n_q_original": 4,
        "n_q_synthetic": 4,
        "n_q_both": 3,
        "n_q_union": 5,
    }


@pytest.mark.parametrize(
    ("original", "synthetic", "figures", "kind"),
    [
        ("aab", "cd", (0, 1, 0), "none"),
        ("aab", "a", (2, 1, 0), "some"),
        ("aab", "abc", (3, 1, 1), "some"),  # few are unique, so it may be chance
        ("abb", "abc", (3, 1, 1), "some"),
        ("abcc", "abcd", (4, 2, 2), "some"),  # half, not more
        ("abcdd", "abcde", (5, 3, 3), "all"),
        ("aaaa", "aab", (4, 0, 0), "some"),  # nobody is alone, so it may be chance
        ("aab", "aba", (3, 1, 1), "equal"),
        ("abcdefghijklmnopqrstu", "abcdefghijklmnopqrst", (20, 21, 20), "some"),
    ],
)
def test_rows_that_stand_whole_in_the_copy(original, synthetic, figures, kind):
    n, n_alone, n_alone_recurring = figures
    assert raab.recurrence(list(original), list(synthetic)) == {
        "n": n,
        "percent": Fraction(100 * n, len(original)),
        "n_alone": n_alone,
        "n_alone_recurring": n_alone_recurring,
        "kind": kind,
    }

"""What is said of CAP, TCAP and GCAP: each sentence in its place, each number from its record."""

import re

import pytest
from msgspec.structs import replace

from measure.small import ORIGINAL, SYNTHETIC, people
from unveil.measure.cap.cap import cap
from unveil.measure.cap.cap_table import cap_table
from unveil.measure.cap.gcap import gcap
from unveil.measure.cap.tcap import tcap
from unveil.records.cap import CapRow, OnM
from unveil.view import cap as attribution
from unveil.view import cap as targeted
from unveil.view.cap import cap_standing, direction, p_value, share, trend_sentence, trend_sentences

ROW = CapRow(
    method="CART",
    keys=("sex", "age"),
    target="job",
    m=5,
    scenario="full",
    n=1000,
    n_match=900,
    match_rate=0.9,
    cap_original=0.8,
    cap_baseline=0.2,
    cap_synthetic_zero=0.36,
    cap_synthetic_undefined=0.4,
    cap_original_matched=0.82,
    cap_baseline_matched=0.22,
    n_settled=100,
    n_right=40,
)
FIT = OnM(
    method="CART",
    keys=("sex", "age"),
    target="job",
    scenario="full",
    nonmatch="zero",
    n_points=10,
    intercept=0.3,
    slope=0.0117,
    se_intercept=0.01,
    se_slope=0.001,
    t_intercept=30.0,
    t_slope=11.7,
    p_intercept=0.0001,
    p_slope=0.0001,
    df=8,
)


def texts(keyed):
    return [text for _, text in keyed]


def said(**changed) -> str:
    return " ".join(texts(attribution.cap_sentences(replace(ROW, **changed))))


def test_a_row_in_words():
    assert said() == (
        "Everyone, 5 copies of CART pooled: a guess is correct for 36.0 % of 1,000 people (no match"
        " counts as wrong); baseline 20.0 %, original 80.0 %. Of the 900 people with a match"
        " (90.0 %) it is correct for 40.0 %; baseline 22.0 %, original 82.0 %. Among those with a"
        " match this is 30.0 % of the way from baseline to original."
    )


def test_where_everyone_has_a_match_each_figure_is_said_once():
    everyone = {"n_match": 1000, "match_rate": 1.0, "cap_synthetic_zero": 0.4}
    same = {"cap_original_matched": 0.8, "cap_baseline_matched": 0.2}
    assert said(**everyone, **same) == (
        "Everyone, 5 copies of CART pooled: a guess is correct for 40.0 % of 1,000 people, all with"
        " a match; baseline 20.0 %, original 80.0 %."
        " Among those with a match this is 33.3 % of the way from baseline to original."
    )


def test_a_copy_that_is_the_original_for_all_it_matches_is_told_as_the_original():
    # Those matched share their keys and can be guessed but now and then; the others stand alone.
    original = ["axp", "axp", "axq", *(f"b{i}{t}" for i, t in enumerate("rstuvwxyz"))]
    (copied,) = cap(people(original), people(original[:3]), keys=["k1", "k2"], target="t").rows
    assert copied.cap_original == pytest.approx((5 / 3 + 9) / 12)
    assert copied.cap_original_matched == copied.cap_synthetic_undefined == pytest.approx(5 / 9)
    assert cap_standing(copied) == ("as the original", 1.0)
    assert "the synthetic data hardly protect" in " ".join(texts(attribution.cap_sentences(copied)))


def test_at_the_baseline_it_may_be_a_utility_problem():
    sentence = "this is at the baseline: the target is nearly independent of the keys"
    for cap_undefined in (0.21, 0.22, 0.23):
        text = said(cap_synthetic_undefined=cap_undefined)
        assert sentence in text
        assert "utility may be low" in text
    assert "utility" not in said(cap_synthetic_undefined=0.24)


def test_below_the_baseline_the_copies_mislead():
    text = said(cap_synthetic_undefined=0.2)
    assert text.endswith(
        "Among those with a match this is below the baseline: the synthetic data mislead, and"
        " utility may be low."
    )
    assert "independent" not in text


def test_below_the_baseline_as_the_original_is():
    text = said(cap_synthetic_undefined=0.2, cap_original_matched=0.2)
    assert text.endswith("the keys mislead, not the synthetic data.")


@pytest.mark.parametrize(
    ("cap_undefined", "expected"),
    [
        (0.1, "below the baseline"),
        (0.209, "below the baseline"),
        (0.21, "at the baseline"),
        (0.23, "at the baseline"),
        (0.231, "between"),
        (0.81, "as the original"),
        (0.9, "as the original"),
    ],
)
def test_where_a_cap_stands(cap_undefined, expected):
    kind, _ = cap_standing(replace(ROW, cap_synthetic_undefined=cap_undefined))
    assert kind == expected


def test_utility_is_spoken_of_for_everyone_against_the_marginal_alone():
    for cap_undefined, words in (
        (0.22, "no more is disclosed than is known already"),
        (0.1, "is correct less often than by prior knowledge"),
    ):
        row = replace(ROW, cap_synthetic_undefined=cap_undefined)
        for sentences in (
            texts(attribution.cap_sentences(replace(row, scenario="special"))),
            texts(attribution.cap_sentences(row, is_marginal=False)),
        ):
            text = " ".join(sentences)
            assert "utility" not in text
            assert words in text


def test_as_good_as_the_original():
    assert "the synthetic data hardly protect" in said(cap_synthetic_undefined=0.815)


def test_nobody_and_no_match_have_their_own_sentences():
    nobody = replace(ROW, scenario="uniques", n=0, n_match=0)
    assert texts(attribution.cap_sentences(nobody)) == [
        "People unique on the keys in the original: there are none."
    ]
    unmatched = replace(ROW, n_match=0, m=1, method="synthetic")
    assert texts(attribution.cap_sentences(unmatched)) == [
        "Everyone, one copy: no one is matched, so nothing can be guessed."
    ]


@pytest.mark.parametrize(
    ("zero", "undefined", "words"),
    [
        (
            (0.01, 0.001),
            (0.0001, 0.6),
            "because more people are matched. Among those matched",
        ),
        ((0.01, 0.001), (0.002, 0.01), "more people are matched, and more is disclosed about them"),
        ((0.01, 0.001), (-0.002, 0.01), "but lowers it by 0.002 among those with a match"),
        ((0.01, 0.3), (-0.002, 0.4), "the number of copies makes no visible difference"),
        ((-0.01, 0.001), (-0.002, 0.01), "changes by -0.01 where non-matches count as zero"),
        ((0.01, 0.3), (0.002, 0.01), "with each further copy the CAP changes by 0.01"),
    ],
)
def test_the_sentence_about_m_is_chosen_from_the_slopes(zero, undefined, words):
    fits = [
        replace(FIT, nonmatch=rule, slope=slope, p_slope=p)
        for rule, (slope, p) in (("zero", zero), ("undefined", undefined))
    ]
    _, text = trend_sentence(*fits, (500, 900))
    assert words in text
    assert text.startswith("CART, full set, keys sex and age: ")


@pytest.mark.parametrize(
    ("slope", "p", "words"),
    [
        (0.01, 0.001, "no one else is matched, but more is disclosed about those matched"),
        (-0.01, 0.001, "each further copy lowers the CAP by 0.01"),
        (0.01, 0.3, "the number of copies makes no visible difference"),
    ],
)
def test_no_sentence_about_m_speaks_of_matches_that_are_not_there(slope, p, words):
    fits = [replace(FIT, nonmatch=r, slope=slope, p_slope=p) for r in ("zero", "undefined")]
    _, text = trend_sentence(*fits, (900, 900))
    assert words in text
    assert "more people" not in text
    odd = replace(fits[1], slope=-slope)
    assert "more people" not in trend_sentence(fits[0], odd, (900, 900))[1]


def test_the_sentence_about_m_is_of_the_rows_matched():
    # Everyone has a match with one copy; each further copy is right more often.
    original = [f"a{i}{t}" for i in "xyz" for t in "pq"]
    wrong, right = [f"a{i}r" for i in "xyz"] * 20, original
    copies = [wrong, right, right, right]
    record = cap(
        people(original), [people(copy) for copy in copies], keys=["k1", "k2"], target="t"
    ).record
    first, *_ = texts(trend_sentences(record))
    assert first.startswith("Full set, keys k1 and k2: each further copy raises the CAP by ")
    assert "no one else is matched" in first


def test_directions():
    assert direction(FIT) == "rises"
    assert direction(replace(FIT, slope=-0.1)) == "falls"
    assert direction(replace(FIT, p_slope=0.05)) == "flat"
    assert direction(replace(FIT, p_slope=None)) == "rises"  # all points on the line
    assert direction(replace(FIT, p_slope=None, slope=0.0)) == "flat"
    assert direction(replace(FIT, slope=None)) == "unknown"


def test_the_paper_s_own_case():
    result = cap_table(
        people(ORIGINAL),
        {"CART": [people(SYNTHETIC), people(["bxq"]), people(["bxq"])]},
        key_sets=["k1", "k2"],
        target="t",
    )
    text = " ".join(attribution.all_cap_sentences(result.record))
    assert "Pools of m copies are nested, not independent: take p as a guide." in text
    two = cap(people(ORIGINAL), [people(SYNTHETIC)] * 2, keys=["k1", "k2"], target="t").record
    assert "Fewer than three copies" in " ".join(attribution.all_cap_sentences(two))
    one = cap(people(ORIGINAL), people(SYNTHETIC), keys=["k1", "k2"], target="t").record
    assert "copies" not in " ".join(texts(trend_sentences(one)))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (0, "0"),
        (1, "1"),
        (0.33399, "0.334"),
        (0.07, "0.07"),
        (0.004264, "0.00426"),
        (0.00001, "<0.0001"),
        (0.9999, ">0.999"),
    ],
)
def test_shares_as_the_paper_prints_them(value, shown):
    assert share(value) == shown


def test_p_in_a_sentence():
    assert [p_value(p) for p in (None, 0.0004, 0.0123, 0.04999, 0.5)] == [
        "p not defined",
        "p < 0.001",
        "p = 0.012",
        "p = 0.050",
        "p = 0.50",
    ]


def test_the_four_tcaps_are_told_apart():
    result = tcap(people(ORIGINAL), people(SYNTHETIC), keys=["k1", "k2"], target="t")
    assert texts(targeted.tcap_sentences(result.rows[0], 1.0)) == [
        "Taub and Elliot's TCAP: 4 of 6 synthetic records show a single value of t; 1 have keys"
        " that no one in the original has. The others are correct in 33.3 % of cases, at"
        " random in 44.4 %.",
        "Raab's TCAP: t is correctly disclosed for 20.0 % of the people matched, at random 26.7 %.",
        "TCAP of Chen and of Chapelle: a random guess is correct in 0 % of cases for 2 people"
        " unique on the keys in the original, baseline 50.0 %; no match counts as wrong.",
        "TCAP of Little et al.: of 3 people with a single value of t, it is correct for 33.3 %; at"
        " random 44.4 %.",
    ]
    assert "DiSCO" not in repr(result) + result._repr_html_()
    none = tcap(people(["axp"]), people(["axp", "axq"]), keys=["k1", "k2"], target="t").rows[0]
    assert texts(targeted.tcap_sentences(none, 0.9))[0].startswith(
        "Taub and Elliot's TCAP: no synthetic"
    )


def test_gcap_in_words():
    found = gcap(people(ORIGINAL), people(SYNTHETIC), keys=["k1", "k2"], target="t")
    assert targeted.gcap_sentence(found.rows[0]) == (
        "GCAP: a draw among the records with the nearest keys is correct for 36.7 % of 6 people. 5"
        " have a match; for the others the nearest records differ in 1 key on average."
    )
    assert repr(found) == "GCAP of t from k1 and k2: 0.367"


def test_headline_and_notebook_view():
    result = cap(people(ORIGINAL), people(SYNTHETIC), keys=["k1", "k2"], target="t")
    assert repr(result) == (
        "CAP of t from k1 and k2, full set: synthetic 0.333 (of those matched 0.400); baseline"
        " 0.556, original 0.833"
    )
    html = result._repr_html_()
    assert ">0.333</td>" in html
    assert "<script" not in html


def test_hostile_names_are_made_harmless():
    evil = "<script>\x1b[31m{x}"
    frame = people(ORIGINAL).rename({"t": evil})
    copy = people(SYNTHETIC).rename({"t": evil})
    result = cap_table(frame, {"<script>": copy}, key_sets={evil: ["k1", "k2"]}, target=evil, tau=1)
    for shown in (
        repr(result),
        result._repr_html_(),
        *attribution.all_cap_sentences(result.record),
    ):
        assert "\x1b" not in shown
    assert not re.search(r"<script>", result._repr_html_())

"""Every number in every sentence about flags, exclusions and excess is derived again."""

import polars as pl
import pytest

import unveil
from unveil.examples import KEYS, TARGETS, survey, survey_synthetic
from unveil.view import flags
from unveil.view.format import percent_figure, ratio
from unveil.view.show import as_html, as_text
from view.test_disclosure import numbers, rounded


@pytest.fixture(scope="module")
def result():
    return unveil.disclosure(survey(), survey_synthetic(), keys=KEYS, targets=TARGETS)


@pytest.fixture(scope="module")
def without(result):
    return result.whatif(["condition=no condition", "missing-targets"])


def test_the_numbers_of_the_flags(result):
    assert {flag.kind for flag in result.flags} == {"one_way", "two_way"}
    for flag in result.flags:
        # A level may be a number, so the figures are looked for beside the names.
        said = flag.sentence.replace(f"{flag.key} = {flag.key_level}", "")
        counts = [f"{flag.n:,}", f"{flag.n_disclosive:,}", f"{flag.n_level:,}", f"{flag.n_all:,}"]
        if flag.kind == "one_way":
            shares = [rounded(flag.percent), rounded(flag.percent_all)]
            assert numbers(said) == [*counts[:2], shares[0], *counts[2:], shares[1]]
        else:
            assert numbers(said) == [counts[0], *counts[2:], rounded(flag.percent)]


def test_a_flag_within_a_segment_says_where():
    frame = pl.DataFrame({"k": ["a"] * 8, "area": ["x"] * 6 + [None] * 2, "t": ["yes"] * 8})
    result = unveil.disclosure(
        frame, frame, keys="k", targets="t", one_way=(1, 50), two_way=(9, 80), checks_by="area"
    )
    assert [flag.sentence for flag in result.flags] == [
        "Within area = x: 6 of the 6 people correctly disclosed on t (100.0 %) have the value yes,"
        " as do 6 of 6 people (100.0 %). If this is common knowledge, exclude it.",
        "Within area = (missing): 2 of the 2 people correctly disclosed on t (100.0 %) have the"
        " value yes, as do 2 of 2 people (100.0 %). If this is common knowledge, exclude it.",
    ]


def test_the_numbers_of_what_exclusions_changed(without):
    record = without.record
    changed = {effect.target: effect for effect in flags.effects(record)}
    assert set(changed) == set(record.targets)
    effect = changed["condition"]
    assert numbers(flags.effect_sentence(record, effect)) == [
        f"{round(effect.all * 50):,}",
        "5,000",
        rounded(effect.all),
        f"{round(effect.after * 50):,}",
        rounded(effect.after),
    ]


def test_what_is_excluded_is_said(result, without):
    assert flags.exclusions(result.record) is None
    assert flags.exclusions(without.record) == (
        "Excluded from the measures: condition=no condition; missing-targets."
    )
    assert "(exclusions in force)" in repr(without)
    assert "Effect of the exclusions" in without._repr_html_()


def test_several_copies_show_each_flag_once():
    copies = [survey_synthetic(), survey_synthetic()]
    record = unveil.disclosure(survey(), copies, keys=KEYS, targets="condition").record
    one_way = [flag for flag in flags.visible_flags(record) if flag.kind == "one_way"]
    assert len(one_way) == 1
    assert sum(flag.kind == "one_way" for flag in record.flags) == 3  # two copies, and pooled


def test_the_flags_of_a_target_in_a_few_letters(result):
    of_condition = [f for f in flags.visible_flags(result.record) if f.target == "condition"]
    n_pairs = sum(flag.kind == "two_way" for flag in of_condition)
    assert flags.short_flags(of_condition) == f"1-way: no condition  2-way: {n_pairs}"


@pytest.fixture(scope="module")
def excess():
    everyone = survey()
    return unveil.excess(
        everyone[:4000],
        everyone[4000:],
        survey_synthetic(),
        keys=KEYS,
        targets=["condition", "income"],
        measure=["DiSCO", "DCAP"],
        exclude="condition=no condition",
    )


def test_the_numbers_of_the_excess_sentences(excess):
    for row in excess.rows:
        said = flags.excess_sentence(excess.record, row)
        split = flags._split_sentence(excess.record, row)
        assert said.count(split) == 1
        of_row = [
            one
            for one in excess.record.parts
            if (one.target, one.measure, one.copy) == (row.target, row.measure, row.copy)
        ]
        named = ("R", "matched", "determined", "correct")
        assert all(ratio(one.R) in split for one in of_row if one.part in named)
        said = said.replace(split, "")
        expected = [
            *(f"{round(row.train * 40):,}", "4,000", rounded(row.train)),
            *(f"{round(row.control * 10):,}", "1,000", rounded(row.control)),
        ]
        if row.R > 0:
            expected.append(rounded(100 * (row.train - row.control) / (100 - row.control)))
        if row.target == "condition":
            expected += [rounded(row.train_after), rounded(row.control_after)]
        assert numbers(said) == expected


def test_the_views_of_excess_have_the_figures(excess):
    html = as_html(excess.record)
    row = excess.rows[0]
    assert [f">{rounded(value)} %</td>" in html for value in (row.train, row.control)] == [True] * 2
    assert "<script" not in html
    assert as_text(excess.record).startswith("Excess over control from sex, age, region and")
    assert excess.frame().height == len(excess.rows) == 4


def test_the_views_of_the_exclusion_table_have_the_figures():
    table = unveil.exclusion_table(survey(), survey_synthetic(), keys=KEYS, targets=TARGETS)
    html = as_html(table.record)
    for row in table.rows:
        shown = [f">{value:.2f}</td>" in html for value in (row.synthetic, row.original)]
        assert all(shown) or row.synthetic < 0.01
    assert "<script" not in html
    assert len(repr(table).splitlines()) == 1 + len(TARGETS)
    assert table.frame().columns == ["target", "column", "original", "synthetic", "n"]


def test_small_figures_are_never_rounded_away():
    assert [percent_figure(x) for x in (None, 0, 0.004, 0.005001, 12.345)] == [
        *("-", "0", "<0.01", "0.01", "12.35"),
    ]
    assert [ratio(x) for x in (None, 0, 0.004, -0.004, 0.26)] == [
        *("-", "0", "<0.01", ">-0.01", "0.26"),
    ]

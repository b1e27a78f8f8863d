"""Do sentences and pictures of tables of counts say what their records hold, and nothing else?"""

import re
from fractions import Fraction
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import unveil
from unveil.assessment.limits import check_sap_limits, parse_sap_limits
from unveil.records.count_tables import Sap, SapChance, SapDepth, SapTaught
from unveil.view.charts.lines import StepLine, curve_table, numbers_shown, sap_curve
from unveil.view.count_tables import audit_sentences, bounds_sentences, rounded_sentences
from unveil.view.format import between, probability, probability_figure
from unveil.view.rounding import comparison_chart, comparison_sentences, summary_cells
from unveil.view.sap import (
    bounds_at,
    curve_rows,
    numbers_in_words,
    published_phrase,
    sap_chart,
    sap_sentence,
    sap_sentences,
    verdict_sentence,
)

FIGURE_1 = [[1, 3, 0], [4, 0, 0], [3, 2, 0]]
NAMES = {"dims": ["row", "column"], "levels": [["A", "B", "C"], ["D", "E", "F"]]}
SVG = "{http://www.w3.org/2000/svg}"

shares = st.floats(0, 1)


def curve(lower, upper=None, **other):
    """A record with this curve and little else."""
    upper = lower if upper is None else upper
    settled = [low == high for low, high in zip(lower, upper, strict=True)]
    fields = dict(
        dims=("sex", "age"),
        n_levels=(2, 2),
        schemes=(("table", "conventional:5"),),
        of_sample=False,
        given=(),
        known=(),
        depth=None,
        N=40,
        n=tuple(range(len(lower))),
        exact=tuple(
            str(Fraction(low)) if s else None for low, s in zip(lower, settled, strict=True)
        ),
        lower=tuple(map(float, lower)),
        upper=tuple(map(float, upper)),
        all_known=(False,) * len(lower),
        first_risk=next((n for n, low in enumerate(lower) if low > 0), None),
        method="boxes",
        complete=all(settled),
        n_nodes=7,
        monte_carlo=(),
        seed=None,
        cell_bounds=((0, 2),) * 4,
        total_bounds=None,
        exposed=(),
        by_depth=(),
        taught=SapTaught(
            n_recovered=0,
            settles=0,
            rules_out_level=0,
            combination_only=0,
            by_variable=(),
            n_people_settled=0,
            lessons=(),
        ),
        notes=(),
    )
    return Sap(**(fields | other))


def said(record, **asked):
    return [sentence for _, sentence in sap_sentences(record, **asked)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (1, "1"),
        (0.0004, "less than 0.001"),
        (Fraction(1, 10**40), "less than 0.001"),
        (0.9999, "more than 0.999"),
        (1 - Fraction(1, 10**40), "more than 0.999"),
        (0.3217, "0.322"),
    ],
)
def test_a_probability_is_never_rounded_to_none_or_to_certainty(value, shown):
    assert probability(value) == shown


@pytest.mark.slow
@given(shares, shares)
def test_bounds_that_are_shown_hold(one, other):
    low, high = sorted((one, other))
    shown = probability_figure(low, high)
    assert "0.000" not in shown
    assert "1.000" not in shown
    if between(low, high) is None:
        return
    below, above = shown.split("-")
    assert (0.0 if below == ">0" else float(below)) <= low
    assert (1.0 if above == "<1" else float(above)) >= high
    if low > 0:
        assert below != "0"
    if high < 1:
        assert above != "1"


def test_the_paper_s_first_example_in_words():
    record = unveil.sap([2, 1, 3]).record
    assert said(record) == [
        "The risk starts at 1 person known; below that SAP is 0.",
        "SAP exceeds 0.05 from 1 person known.",
        "An intruder who knows 1 of the 6 members can, with probability 0.167, be certain that"
        " some category applies to none of the others.",
        "An intruder who knows 3 of the 6 members can, with probability 0.700, be certain that"
        " some category applies to none of the others.",
        "An intruder who knows any 5 of the 6 members can be certain that some category applies"
        " to none of the others.",
        "Every count is published exactly, so a group that knows all its members can rule"
        " everyone else out.",
    ]


def test_every_number_in_a_sentence_is_that_of_the_record():
    record = unveil.sap(FIGURE_1, **NAMES, rounding="conventional:3").record
    for n in range(1, 12):
        sentence = sap_sentence(record, n)
        known, members, chance = re.search(
            r"knows (\d+) of the (\d+) members can, with probability (\S+),", sentence
        ).groups()
        assert (int(known), int(members)) == (n, record.N)
        assert float(chance) == round(float(Fraction(record.exact[n])), 3)


def test_a_zero_the_release_itself_gives_away_is_said_first():
    record = unveil.sap(
        FIGURE_1, **NAMES, rounding="conventional:3", margins="all", total=True
    ).record
    sentences = said(record)
    assert sentences[0].startswith("The published table contains a zero combination")
    assert sentences[1] == (
        "Published zeros disclose, without knowing anyone: 3 empty cells. 3 rule out a level."
        " Example: row=A, column=F is empty, which rules out that level of column."
    )


def test_what_recovered_zeros_teach_in_the_paper_s_table_1():
    names = dict(dims=["county", "race"], levels=[["A", "B"], ["White", "Black", "Other"]])
    record = unveil.sap([[15, 20, 5], [0, 30, 0]], n_max=0, **names).record
    assert any("2 determine the remaining variable for" in one for one in said(record))


@pytest.mark.parametrize(
    ("lower", "upper", "starts", "passes"),
    [
        (
            (0, 0, 0.1),
            (0, 0, 0.1),
            "The risk starts at 2 people known; below that SAP is 0.",
            "SAP exceeds 0.05 from 2 people known.",
        ),
        (
            (0, 0, 0.1),
            (0, 0.06, 0.2),
            "The risk starts at 2 people known at the latest.",
            "SAP exceeds 0.05 from 2 people known at the latest, from 1 at the earliest.",
        ),
        (
            (0, 0, 0),
            (0, 0, 0.2),
            "Whether there is a risk with up to 2 people known could not be determined.",
            "SAP may exceed 0.05 from 2 people known; its lower bound does not up to 2.",
        ),
        (
            (0, 0, 0),
            (0, 0, 0),
            "There is no risk up to 2 people known: SAP is 0.",
            "SAP does not exceed 0.05 with up to 2 people known.",
        ),
    ],
)
def test_bounds_are_said_as_such(lower, upper, starts, passes):
    sentences = said(curve(lower, upper))
    assert sentences[:2] == [starts, passes]
    is_open = lower != upper
    assert is_open == any("certified bounds" in one for one in sentences)
    assert is_open == any("between" in one for one in sentences)


def test_bounds_in_a_sentence_are_rounded_outwards():
    record = curve((0, 0.0004, 0.1239), (0, 0.0004, 0.1231 + 0.1))
    assert "with a probability between 0.123 and 0.224, be certain" in sap_sentence(record, 2)
    assert "with probability less than 0.001, be certain" in sap_sentence(record, 1)


def test_simulation_is_told_where_it_says_more():
    chance = SapChance(
        n=1, n_draws=200, n_risky=20, estimate=0.1, lower=0.0623, upper=0.1502, tighter=True
    )
    record = curve((0, 0.01), (0, 0.9), monte_carlo=(chance,))
    assert (
        "Simulated with 200 draws, SAP with 1 person known is 0.100: between 0.062 and 0.151 with"
        " 95 % confidence." in said(record)
    )
    assert curve_rows(record) == (
        ("n", "SAP", "simulated"),
        [("0", "0", ""), ("1", "0.010-0.900", "0.062-0.151")],
    )


def test_conditions_of_the_question_are_said():
    depth = SapDepth(
        depth=1, exact=(None, None), lower=(0, 0), upper=(0, 0), method="boxes", complete=True
    )
    record = curve(
        (0, 0.5),
        of_sample=True,
        given=(("sex", "m"),),
        known=(("sex=f, age=2", 3),),
        depth=1,
        by_depth=(depth,),
        all_known=(False, True),
        exposed=None,
        taught=None,
    )
    sentences = said(record)
    assert any("of the 40 members with sex=m can" in one for one in sentences)
    assert any("some combination of at most 1 variable applies" in one for one in sentences)
    assert "This assumes that the intruder knows who is in the sample." in sentences
    assert "Assumed known from the start: 3 people with sex=f, age=2." in sentences
    assert "With at most 1 variable: there is no risk up to 1 person known: SAP is 0." in sentences
    assert any(one.startswith("Beyond 40 people everyone is known") for one in sentences)
    assert any("could not be found in time" in one for one in sentences)


def test_as_many_numbers_are_told_as_asked_for():
    record = unveil.sap([2, 5, 9, 4], rounding="conventional:5").record
    for words in range(6):
        told = numbers_in_words(record, 0.05, words)
        assert len(told) == len(set(told)) == words
    assert numbers_in_words(record, 0.05, 1) == [record.first_risk]


@pytest.mark.parametrize(
    ("limit", "status", "sentence"),
    [
        ("1=0.05", "within", "SAP with 1 person known is 0, within your limit of 0.05."),
        ("2=0.25", "within", "SAP with 2 people known is 0.250, within your limit of 0.25."),
        ("2=0.1", "above", "SAP with 2 people known is 0.250, above your limit of 0.1."),
        (
            "3=0.5",
            "not settled",
            "SAP with 3 people known is between 0.400 and 0.600: whether it is within your limit of"
            " 0.5 could not be determined, so the limit counts as exceeded.",
        ),
    ],
)
def test_limits_are_held_against_what_is_certain(limit, status, sentence):
    record = curve((0, 0, 0.25, 0.4), (0, 0, 0.25, 0.6))
    (verdict,) = check_sap_limits(record, parse_sap_limits([limit]))
    assert verdict.status == status
    assert verdict_sentence(record, verdict) == sentence


def test_a_limit_is_the_decimal_that_was_typed():
    record = curve((0, 0.1), exact=("0/1", "1/10"))
    (verdict,) = check_sap_limits(record, parse_sap_limits(["1=0.1"]))
    assert verdict.status == "within"


def test_what_is_published_is_said_part_by_part():
    schemes = (("table", "up:5"), ("sex,age", "up:5"), ("total", "exact"))
    assert published_phrase(schemes) == "table and sex by age (up:5); total (exact)"
    assert published_phrase(()) == "nothing"


def test_rounding_bounds_and_audit_in_words():
    rounded = unveil.round_table(FIGURE_1, "conventional:3", total=True).record
    assert [sentence for _, sentence in rounded_sentences(rounded)] == [
        "3 of 9 cells are published as another number than their count; the mean absolute change"
        " of a count is 0.33.",
        "Margins and total are the sums of the published values.",
    ]
    found = unveil.bounds(FIGURE_1, rounding="conventional:3", margins="all", total=True).record
    assert [sentence for _, sentence in bounds_sentences(found)] == [
        "Everything published together discloses the exact count of 3 of 9 possible cells.",
        "3 of them are empty: a reader knows this without knowing anyone.",
    ]
    hidden = unveil.audit([[5, 2], [7, 9]], rounding="suppress:5", margins="all", percent=5).record
    assert [sentence for _, sentence in audit_sentences(hidden)] == [
        "1 of 1 suppressed value can be recomputed exactly from the published values by a reader"
        " who knows the rule (suppress:5), and 1 by one who does not.",
        "1 of 1 suppressed value can be estimated within 5.0 % of the true count.",
    ]
    loose = unveil.bounds([3, 1], rounding="suppress:5:unknown").record
    assert [sentence for _, sentence in bounds_sentences(loose)] == [
        "No count is disclosed exactly by everything published together.",
        "2 cells have no upper bound, so they can never be shown to be empty.",
    ]


def test_schemes_are_said_with_their_risk_and_their_loss():
    schemes = ["conventional:3", "conventional:5", "suppress:3:unknown"]
    record = unveil.compare_rounding([[1, 3, 2], [4, 2, 6]], schemes, n_max=6).record
    assert [sentence for _, sentence in comparison_sentences(record)] == [
        "conventional:3: the risk starts at 1 person known, and SAP exceeds 0.05 from 1; the"
        " mean absolute change of a count is 0.67.",
        "conventional:5: the risk starts at 2 people known, and SAP exceeds 0.05 from 4; the"
        " mean absolute change of a count is 1.50.",
        "suppress:3:unknown: the risk starts at 3 people known, and SAP does not exceed 0.05 up to"
        " 6; the mean absolute change of a count is 0, and 3 of 6 cells are suppressed.",
        "Only suppress:3:unknown stays within 0.05 up to 6 people known, and suppresses cells.",
    ]


def open_comparison(lower, upper, *, n_tables=1):
    """One scheme whose curves are not exact: the same bounds for every table."""
    table = [[1, 3, 2], [4, 2, 6]]
    tables = table if n_tables == 1 else [np.array(table)] * n_tables
    record = unveil.compare_rounding(tables, "conventional:5", n_max=len(lower) - 1).record
    first = next((n for n, low in enumerate(lower) if low > 0), None)
    passes = next((n for n, low in enumerate(lower) if low > 0.05), None)
    found = {"first_risk": first, "passes": passes}
    rows = [
        replace(row, lower=tuple(lower), upper=tuple(upper), complete=False, **found)
        for row in record.rows
    ]
    summary = replace(
        record.summaries[0],
        mean_sap=tuple(lower),
        n_passing=0 if passes is None else n_tables,
        **found,
    )
    return replace(record, rows=tuple(rows), summaries=(summary,))


@pytest.mark.parametrize(
    ("lower", "upper", "said", "cells"),
    [
        ((0, 0, 0), (0, 1, 1), "no risk is shown up to 2 people known, nor that there is none, and"
         " whether SAP exceeds 0.05 up to 2 is not known", ("?", "?")),
        (
            (0, 0, 0.01),
            (0, 0.04, 0.04),
            "the risk starts at 2 people known at the latest, and SAP does not exceed 0.05 up to 2",
            ("≤2", "-"),
        ),
        ((0, 0, 0.1), (0, 0, 0.2), "the risk starts at 2 people known, and SAP exceeds 0.05 from 2",
         ("2", "2")),
        (
            (0, 0.01, 0.1),
            (0, 0.1, 0.2),
            "the risk starts at 1 person known, and SAP exceeds 0.05 from 2"
         " at the latest", ("1", "≤2")),
    ],
)  # fmt: skip
def test_a_comparison_that_is_not_exact_says_no_more_than_it_knows(lower, upper, said, cells):
    record = open_comparison(lower, upper)
    sentences = [sentence for _, sentence in comparison_sentences(record)]
    assert sentences == [
        f"conventional:5: {said}; the mean absolute change of a count is 1.50.",
        "Some curves are certified lower bounds only: SAP may be higher than is shown.",
    ]
    assert summary_cells(record, record.summaries[0])[1:3] == cells


def test_tables_that_pass_are_at_least_so_many_where_curves_are_not_exact():
    record = open_comparison((0, 0, 0.1), (0, 0, 0.2), n_tables=3)
    assert "(at least 3 of 3 tables)" in next(comparison_sentences(record))[1]


def test_nobody_known_and_nothing_given_away_is_no_risk():
    record = unveil.compare_rounding([3, 6], "conventional:3", n_max=0).record
    said = next(comparison_sentences(record))[1]
    assert said.startswith("conventional:3: no risk up to 0 people known, and SAP does not exceed")


def test_a_rounded_table_says_that_its_losses_are_confidential():
    rounded = unveil.round_table([[1, 2], [3, 4]], "random:3", seed=5)
    assert repr(rounded).endswith("(confidential)")
    assert "the seed are confidential: they can disclose the counts of a small table" in (
        rounded._repr_html_()
    )


def test_a_curve_between_bounds_starts_at_the_latest():
    drawn = sap_curve([StepLine("a", (0, 0, 0.5), (0, 0.1, 0.5))]).svg()
    assert "a: above 0 from 2 known people on at the latest, 0.500 at 2." in drawn
    assert "Confidential: drawn from true counts, and may end at the number of people." in drawn


@pytest.mark.parametrize(
    ("schemes", "n_max", "choice"),
    [
        (
            ("up:3", "conventional:3"),
            2,
            "Only up:3 stays within 0.05 up to 2 people known.",
        ),
        (
            ("exact", "conventional:5", "conventional:7"),
            2,
            "Of those that stay within 0.05 up to 2 people known, conventional:5 changes counts"
            " least.",
        ),
        (
            ("conventional:5", "conventional:3"),
            6,
            "conventional:5 stays within 0.05 for the most people known: up to 3 people.",
        ),
        (("exact", "conventional:3"), 6, "None stays within 0.05 once anyone is known."),
    ],
)
def test_the_scheme_that_stays_within_the_threshold_longest_is_named(schemes, n_max, choice):
    record = unveil.compare_rounding([[1, 3, 2], [4, 2, 6]], schemes, n_max=n_max).record
    assert list(comparison_sentences(record))[-1] == ("choice", choice)


@pytest.mark.parametrize(
    "result",
    [
        lambda: unveil.sap(FIGURE_1, **NAMES, rounding="conventional:3"),
        lambda: unveil.bounds(FIGURE_1, **NAMES, rounding="conventional:3"),
        lambda: unveil.audit(FIGURE_1, **NAMES, rounding="suppress:4", margins="all"),
        lambda: unveil.round_table(FIGURE_1, "conventional:3", **NAMES),
        lambda: unveil.compare_rounding(FIGURE_1, ["up:3", "conventional:3"]),
    ],
    ids=["sap", "bounds", "audit", "round_table", "compare_rounding"],
)
def test_results_show_themselves_in_a_line_and_in_a_notebook(result):
    made = result()
    assert len(repr(made)) < 200
    assert "\n" not in repr(made)
    shown = made._repr_html_()
    assert "<h3>" in shown
    assert "<script" not in shown
    assert "http" not in shown.replace("http://www.w3.org/2000/svg", "")


def test_labels_from_data_are_escaped_everywhere():
    hostile = "<img src=x onerror=alert(1)>\x1b[31m"
    names = {"dims": [hostile, "b"], "levels": [[hostile, "y"], ["u", "v"]]}
    counts = [[1, 0], [3, 2]]
    for made in (
        unveil.sap(counts, **names),
        unveil.bounds(counts, **names),
        unveil.round_table(counts, "up:3", **names),
        unveil.audit(counts, **names, rounding="suppress:3", margins="all"),
    ):
        for text in (repr(made), made._repr_html_()):
            assert "\x1b" not in text
        assert "<img" not in made._repr_html_()
    drawn = sap_curve([StepLine(hostile, (0, 1), (0, 1))], title=hostile).svg()
    assert "<img" not in drawn
    assert "\x1b" not in drawn
    assert ET.fromstring(drawn).find(f"{SVG}title").text.startswith("<img")


def test_the_chart_has_a_title_a_description_and_a_name_at_every_line():
    lines = [
        StepLine("conventional:3", (0, 0.25, 1), (0, 0.25, 1)),
        StepLine("random:3", (0, 0, 0.1), (0, 0.5, 0.9)),
        StepLine("up:5", (0, 0, 0), (0, 0, 0)),
    ]
    chart = sap_curve(lines, title="Risk", threshold=0.05)
    assert chart.description == (
        "conventional:3: above 0 from 1 known people on, 1 at 2. random:3: above 0 from 2 known"
        " people on at the latest, between 0.100 and 0.900 at 2. up:5: 0 up to 2 known people."
    )
    texts = [element.text for element in ET.fromstring(chart.svg()).iter(f"{SVG}text")]
    for label in ("conventional:3", "random:3 (bounds)", "up:5", "threshold 0.05"):
        assert label in texts
    steps = chart.spec["layer"][0]
    assert steps["mark"]["interpolate"] == "step"
    assert [row["high"] for row in steps["data"]["values"]] == [0, 0.25, 1, 0, 0.5, 0.9, 0, 0, 0]
    for channel in ("color", "strokeDash"):
        assert len(set(map(str, steps["encoding"][channel]["scale"]["range"]))) == 3


def test_the_figures_of_the_chart_stand_in_a_table():
    lines = [StepLine("a", (0, 0.5), (0, 0.5)), StepLine("b", (0, 0), (0, 0.0001))]
    assert curve_table(lines) == (
        ("n", "a", "b"),
        [("0", "0", "0"), ("1", "0.500", "0-0.001")],
    )
    assert len(numbers_shown(1000, [3, 17])) < 30
    assert {0, 3, 17, 1000} <= {*numbers_shown(1000, [3, 17])}


def test_no_chart_names_how_many_people_there_are():
    record = unveil.sap([217, 1, 3], rounding="conventional:5", n_max=4).record
    assert "221" not in sap_chart(record).svg()
    compared = unveil.compare_rounding([217, 1, 3], ["conventional:5"], n_max=4).record
    assert "221" not in comparison_chart(compared).svg()


def test_exact_figures_are_shown_from_their_fractions():
    record = curve((0, 0.0), exact=("0/1", f"1/{10**400}"))
    assert bounds_at(record, 1)[0] > 0
    assert curve_rows(record)[1][1] == ("1", "<0.001")

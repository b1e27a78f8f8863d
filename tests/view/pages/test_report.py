"""The report as a page: what stands where, against whose limits, and the same every time."""

import re
from functools import cache
from html import unescape
from itertools import pairwise

import pytest
from msgspec.structs import replace

from unveil.records.alerts import Acceptance
from unveil.records.judgement import Limit, LimitCheck
from unveil.records.report import ReportContents
from unveil.view.glossary import GLOSSARY, TERMS, glossary, link_terms, terms_in
from unveil.view.html_page import POLICY
from unveil.view.limits import figure_text, group_figures, worst
from unveil.view.pages.report import ORDER, custodian_page
from unveil.view.sections import context, history, records, scenario, tables, verdict
from view import report_cases

CARD = re.compile(r'<li class="c-(\w+)" data-card="(\w+)">(.*?)</li>')
CASES = ("example", "copies", "many", "empty")


def text(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


@cache
def cards(case: str) -> dict[str, str]:
    return {measure: text(body) for _, measure, body in CARD.findall(report_cases.undrawn(case))}


def changed(**fields) -> ReportContents:
    return replace(report_cases.example()[0], **fields)


def judged_as(**fields) -> ReportContents:
    return changed(judgement=replace(report_cases.example()[0].judgement, **fields))


def shown(module, contents: ReportContents) -> str:
    return text(module.section(contents, report_cases.example()[1]).body)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_page_is_sealed(case):
    page = report_cases.undrawn(case)
    assert page.count("<meta http-equiv") == 1
    assert f'content="{POLICY}"' in page
    assert "<script" not in page
    assert " style=" not in page


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_band_stands_first_and_says_that_it_must_not_leave(case):
    body = report_cases.undrawn(case).split("<body>")[1]
    assert text(body).startswith("CONFIDENTIAL: custodian copy. Not for release.")


@pytest.mark.parametrize("case", CASES)
def test_headings_are_in_order_and_there_is_one_of_the_first(case):
    levels = [int(level) for level in re.findall(r"<h([1-6])", report_cases.undrawn(case))]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_sections_follow_the_questions_of_an_approver():
    found = re.findall(
        r'<section class="part" aria-labelledby="(\w+)"', report_cases.undrawn("example")
    )
    assert found == [*(made.__module__.rpartition(".")[2] for made in ORDER), "methods"]


@pytest.mark.parametrize("case", CASES)
def test_the_table_of_contents_names_every_section_in_order(case):
    page = report_cases.undrawn(case)
    contents = re.search(r"<nav.*?</nav>", page, re.DOTALL)
    assert contents is not None
    assert re.findall(r'href="#(\w+)"', contents[0]) == re.findall(
        r'<section class="part" aria-labelledby="(\w+)"', page
    )


@pytest.mark.slow
def test_two_renders_are_the_same_to_the_byte():
    contents, parts = report_cases.copies()
    assert custodian_page(contents, parts, made=report_cases.MADE) == report_cases.rendered(
        "copies"
    )


def test_the_moment_of_making_stands_in_one_place():
    contents, parts = report_cases.empty()
    first = custodian_page(contents, parts, made="2031-01-02T03:04:05Z")
    other = custodian_page(contents, parts, made="2032-05-06T07:08:09Z")
    stamp = re.compile(r"<time [^>]*>[^<]*</time>")
    assert len(stamp.findall(first)) == 1
    assert first != other
    assert stamp.sub("", first) == stamp.sub("", other)


@pytest.mark.slow
def test_never_does_the_page_call_anything_safe():
    for case in CASES:
        assert not re.search(r"\bsafe\b", text(report_cases.undrawn(case)), re.IGNORECASE)


def test_the_card_of_identity_is_the_worst_repU_with_the_original_beside_it():
    rows = [
        row
        for _, record in report_cases.example()[1].of("disclosure")
        for row in record.identity
        if row.copy != "mean"
    ]
    one = max(rows, key=lambda row: row.repU)
    assert cards("example")["repU"].startswith(f"Identity (repU) {one.repU:.1f} % ● within")
    assert cards("example")["repU"].endswith(f"original {one.UiO:.1f} % limit 10 %")


def test_the_card_of_attributes_names_the_worst_target():
    rows = [
        row for _, record in report_cases.example()[1].of("disclosure") for row in record.attribute
    ]
    one = max(rows, key=lambda row: row.DiSCO)
    assert cards("example")["DiSCO"] == (
        f"Worst attribute (DiSCO) {one.DiSCO:.1f} % ■ above limit {one.target} (neighbour)"
        f" original {one.Dorig:.1f} % limit 10 %"
    )


def test_the_card_of_utility_is_the_worst_pair():
    (_, record), *_ = report_cases.example()[1].of("tables")
    one = max(record.rows, key=lambda row: row.S_pMSE)
    assert cards("example")["S_pMSE"] == (
        f"Utility (S_pMSE max) {one.S_pMSE:.2f} ▲ review {' x '.join(one.variables)} limit 10"
    )


def test_the_card_of_gtcap_is_the_highest_mean():
    highest = max(record.mean for _, record in report_cases.example()[1].of("gtcap"))
    assert cards("example")["GTCAP"].startswith(f"Mean GTCAP {highest:.2f} ")


def test_what_was_not_asked_for_has_a_card_that_says_so():
    assert cards("empty") == {
        "repU": "Identity (repU) - - not measured not asked for in this run",
        "DiSCO": "Worst attribute (DiSCO) - - not measured not asked for in this run",
        "GTCAP": "Mean GTCAP - - not measured not asked for in this run",
        "S_pMSE": "Utility (S_pMSE max) - - not measured not asked for in this run",
    }


def test_a_mean_over_copies_is_never_the_figure_of_a_card():
    figures = [one for one in report_cases.copies()[0].judgement.figures if one.measure == "DiSCO"]
    highest = max(one.value for one in figures if one.copy != "mean")
    assert cards("copies")["DiSCO"].startswith(f"Worst attribute (DiSCO) {highest:.1f} %")


def judged_figure(copy, value, status) -> LimitCheck:
    return LimitCheck(
        measure="DiSCO",
        part="disclosure neighbour",
        scenario="neighbour",
        target="marital",
        subject=None,
        copy=copy,
        value=value,
        companion=None,
        review=5,
        limit=10,
        status=status,
    )


def test_of_several_copies_the_worst_status_stands_for_a_target():
    given = [
        judged_figure(1, 4.0, "within"),
        judged_figure(2, None, "not measured"),
        judged_figure("mean", 90.0, "no limit"),
    ]
    judgement = replace(report_cases.example()[0].judgement, figures=tuple(given))
    (group,) = group_figures(judgement)
    assert [one.copy for one in group.worst_of_each] == [2]
    assert worst(given[:2]) == given[1]
    assert worst([]) is None


@pytest.mark.parametrize(
    ("measure", "value", "said"),
    [
        ("DiSCO", 0.01, "less than 0.1 %"),
        ("DiSCO", 0.0, "0 %"),
        ("GTCAP", -0.424, "-0.42"),
        ("S_pMSE", 8.9, "8.90"),
        ("repU", None, "not measured"),
    ],
)
def test_a_figure_is_written_in_its_unit(measure, value, said):
    assert figure_text(measure, value) == said


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"exit_code": 3}, "■ NOT READY FOR RELEASE"),
        ({"exit_code": 4, "accepted_by": None}, "○ NO LIMITS ACCEPTED YET"),
        ({"exit_code": 4}, "▲ NOT READY TO BE DECIDED"),
        ({"exit_code": 0, "is_current": False}, "▲ OUT OF DATE: MEASURE AGAIN"),
        ({"exit_code": 0, "n_review": 2}, "▲ WITHIN YOUR LIMITS, SOME TO REVIEW"),
        ({"exit_code": 0, "n_review": 0}, "● WITHIN YOUR LIMITS"),
    ],
)
def test_the_verdict_is_against_the_custodians_own_limits(fields, said):
    told = shown(verdict, judged_as(**fields, alerts=(), not_tested=()))
    assert told.startswith(f"{said}:")


def test_alerts_stand_before_the_verdict_and_one_that_is_accepted_is_not_within():
    contents = judged_as(exit_code=0, n_review=0)
    told = shown(verdict, contents)
    assert told.startswith("■ Block near-copies Many people have a record far nearer")
    assert "Accepted by G. Lead, governance on 2026-11-16 for these files: Ages were" in told
    order = [
        told.index(one) for one in ("Not tested remarks is in no", "▲ ALERTS ACCEPTED BY NAME:")
    ]
    assert order == sorted(order)
    assert told.count("◆ Decide group:district") == 4


def test_one_figure_above_is_told_with_its_value():
    one = replace(judged_figure(1, 12.34, "above"), measure="repU", target=None)
    told = shown(verdict, judged_as(figures=(one,)))
    assert "repU is 12.3 %, above the limit you set (10 %)." in told


def of_pairs(*values) -> list[LimitCheck]:
    """S_pMSE of pairs of columns, and last of the model over all of them."""
    made = [
        replace(judged_figure(1, value, "above" if value > 10 else "within"), measure="S_pMSE")
        for value in values
    ]
    *pairs, model = [replace(one, target=None, scenario=None) for one in made]
    told = [replace(one, part="tables", subject=f"a x {n}") for n, one in enumerate(pairs)]
    return [*told, replace(model, part="utility")]


def test_the_model_over_all_columns_is_not_counted_as_a_pair():
    told = shown(verdict, judged_as(figures=tuple(of_pairs(12.0, 3.0, 11.0, 20.0))))
    assert "2 of 3 pairs of columns exceed the limit you set on S_pMSE (10)." in told
    assert "S_pMSE of the model over all columns is 20.00, above the limit you set (10)." in told


def test_a_table_counts_once_however_many_people_are_looked_at():
    one = replace(judged_figure(None, 0.5, "above"), measure="SAP", target=None, scenario=None)
    figures = [replace(one, part="sap a", subject=f"n = {n}") for n in range(101)]
    figures += [replace(one, part="sap b", subject="n = 0", value=0.01, status="within")]
    contents = judged_as(figures=tuple(figures))
    assert "1 of 2 tables exceed the limit you set on SAP (10)." in shown(verdict, contents)
    assert tables.section(contents, report_cases.example()[1]).note == "1 above limit"


def test_a_card_shows_the_worst_that_was_measured_and_how_many_were_not():
    figures = [
        replace(judged_figure(1, value, status), measure="GTCAP", target=target)
        for target, value, status in (
            ("income", None, "not measured"),
            ("health", 0.1, "within"),
            ("marital", 0.15, "within"),
        )
    ]
    body = verdict.section(judged_as(figures=tuple(figures)), report_cases.example()[1]).body
    card = {measure: text(found) for _, measure, found in CARD.findall(body)}["GTCAP"]
    assert card == "Mean GTCAP 0.15 ● within marital (neighbour) limit 10 1 not measured"


def test_a_figure_that_could_not_be_measured_counts_as_above():
    told = shown(verdict, judged_as(figures=(judged_figure(1, None, "not measured"),)))
    assert "1 figure with a limit could not be measured." in told


def test_all_within_is_said_with_their_number():
    told = shown(verdict, judged_as(figures=(judged_figure(1, 1.0, "within"),), exit_code=0))
    assert "Every figure that you set a limit on (1) is within it." in told


def test_what_changed_since_the_run_is_told():
    told = shown(verdict, judged_as(stale=("The file 'a.csv' was changed since the run.",)))
    assert "The file 'a.csv' was changed since the run." in told


def test_what_is_missing_stands_with_the_command_that_mends_it():
    assert "One of the five factors is unanswered. unveil answer" in shown(
        verdict, report_cases.example()[0]
    )


def test_a_decision_is_shown_with_name_time_and_note():
    told = shown(verdict, report_cases.example()[0])
    assert (
        "Decided: no release. G. Lead, governance, 2026-11-16 11:00 UTC, on what run 2 shows. Note:"
        " Two targets are above the limit: another round."
    ) in told


def test_a_release_despite_a_limit_says_why():
    accepted = Acceptance(alert="limit:repU", reason="A court asks for it.", by="A. Judge")
    decision = replace(report_cases.example()[0].decision, release=True, despite=(accepted,))
    told = shown(verdict, changed(decision=decision))
    assert "Decided: release." in told
    assert "Despite limit:repU , because: A court asks for it." in told


def test_without_a_decision_the_page_says_so():
    assert "Nobody has decided about this run yet." in shown(verdict, changed(decision=None))


def test_the_context_names_files_hashes_versions_and_people():
    told = shown(context, report_cases.example()[0])
    run = report_cases.example()[0].run
    for file in run.files:
        assert f"{file.path} {file.n_bytes:,} {file.sha256}" in told
    for said in (run.python, "numpy 2.1.0, polars 1.32.0", run.project_sha256, run.log_head):
        assert said in told
    assert "Run 2 was made by A. Analyst, statistician, begun 2026-11-16 10:00 UTC" in told


def test_every_factor_is_shown_with_its_answer_or_that_there_is_none():
    told = shown(context, report_cases.example()[0])
    for question in report_cases.FACTORS.values():
        assert question in told
    assert told.count("not answered yet") == 1
    assert told.count("R. Reviewer, disclosure officer 2026-11-14") == 4


def test_every_limit_is_shown_with_where_it_comes_from():
    told = shown(context, report_cases.example()[0])
    assert "DiSCO 5 % 10 % no published value: your decision" in told
    assert "GTCAP 0.2 0.25 no published value: your decision" in told


def test_a_limit_is_shown_as_it_was_set():
    odd = Limit(measure="DiSCO", review=1 / 3, limit=12.5, unit="percent", origin="ours")
    assert "DiSCO 0.333333333333333 % 12.5 % ours" in shown(context, judged_as(limits=(odd,)))


def test_a_run_that_nobody_is_named_for_says_so():
    run = replace(report_cases.example()[0].run, by=None, n_resumed=3)
    told = shown(context, changed(run=run))
    assert "nobody is named." in told
    assert "3 of its parts had been measured by a run that was interrupted." in told


def test_parts_that_could_not_be_measured_are_listed_with_their_reason():
    told = text(context.section(*report_cases.empty()).body)
    assert "9 parts could not be measured" in told
    assert told.count("not measured: The control has no column 'region'.") == 9


def test_scenarios_show_keys_and_targets_and_exclusions_their_reason_and_name():
    body = scenario.section(*report_cases.example()).body
    for column in (*report_cases.KEYS, *report_cases.TARGETS):
        assert f"<li>{column}</li>" in body
    told = text(body)
    assert "We assume the intruder treats the file as real." in told
    assert (
        "missing-targets all A missing answer tells nothing about a person. R. Reviewer,"
        " disclosure officer 2026-11-14 a line of its own"
    ) in told


def test_many_targets_are_folded():
    assert (
        "<details><summary>All 60 targets</summary>" in scenario.section(*report_cases.many()).body
    )


def test_without_scenarios_and_exclusions_there_are_sentences():
    told = text(scenario.section(*report_cases.empty()).body)
    assert "No scenario was measured" in told
    assert "Nothing is left out" in told


def test_a_ruling_is_told_from_a_line_of_its_own():
    ruled = replace(report_cases.example()[0].exclusions[0], scenario="neighbour", from_ruling=True)
    told = shown(scenario, changed(exclusions=(ruled,)))
    assert "missing-targets neighbour" in told
    assert "a ruling on a finding" in told


def test_which_figures_exclusions_are_about_is_said_and_which_came_later():
    given = report_cases.example()[0].exclusions[0]
    later = replace(given, rule="income=", from_ruling=True, in_run=False)
    told = shown(scenario, changed(exclusions=(given, later)))
    assert "1 exclusion in force. DiSCO and its kin" in told
    assert "CAP, TCAP, GTCAP, uniques, match risk and simulated attacks count everybody" in told
    assert (
        "1 exclusion was added since this run was made: no figure here is without what it" in told
    )
    assert "income=(missing) all" in told
    assert "a ruling on a finding, ADDED SINCE: not in these figures" in told
    alone = shown(scenario, changed(exclusions=(later,)))
    assert "Nothing is left out" in alone


def test_a_very_long_reason_is_folded_behind_its_beginning():
    long = replace(report_cases.example()[0].exclusions[0], reason="because " * 500)
    body = scenario.section(changed(exclusions=(long,)), report_cases.example()[1]).body
    assert "… (all 4,000 letters)</summary>" in body
    assert body.count("because " * 500) == 1


def test_a_number_is_never_parted_from_its_percent_sign():
    body = re.sub(r"<style.*?</style>|<[^>]*>", "", report_cases.undrawn("example"))
    assert "\u00a0%" in body
    assert not re.search(r"\d %", body)


@pytest.mark.parametrize(
    ("file", "links"),
    [
        (None, []),
        ("records_at_risk_0002.csv", ["./records_at_risk_0002.csv"]),
        (
            "records_at_risk_0002.html",
            ["./records_at_risk_0002.html", "./records_at_risk_0002.csv"],
        ),
        ("confidential/records_at_risk_0002.csv", []),
        ("javascript:alert(1)", ["./javascript%3Aalert%281%29"]),
    ],
)
def test_records_at_risk_are_linked_where_they_lie_beside_the_report(file, links):
    body = records.section(changed(records_file=file), report_cases.example()[1]).body
    assert re.findall(r'href="([^"]*)"', body) == links
    assert file is None or file in text(body)


def rounds(*pairs) -> ReportContents:
    row = report_cases.example()[0].history[0]
    found = [
        replace(row, run=n, DiSCO=disco, S_pMSE=fit)
        for n, (disco, fit) in enumerate(pairs, start=1)
    ]
    run = replace(report_cases.example()[0].run, number=len(pairs))
    return changed(history=tuple(found), run=run)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([(10.0, 2.0)], "This is the only run so far"),
        (
            [(10.0, 2.0), (5.0, 2.4)],
            "From run 1 to run 2 the highest DiSCO fell from 10.0 % to 5.0 %. It cost 0.40 in"
            " S_pMSE of the worst pair, which rose from 2.00 to 2.40.",
        ),
        (
            [(5.0, 2.0), (10.0, 2.4)],
            "rose from 5.0 % to 10.0 %. S_pMSE of the worst pair rose from 2.00 to 2.40: the copy"
            " became less like the original.",
        ),
        (
            [(5.0, 2.0), (5.0, 1.0)],
            "stayed at 5.0 %. S_pMSE of the worst pair fell from 2.00 to 1.00: the copy became more"
            " like the original.",
        ),
        ([(5.0, 2.0), (5.01, 2.001)], "stayed at 5.0 %. S_pMSE of the worst pair stayed at 2.00."),
    ],
)
def test_the_last_round_is_told_in_words(pairs, said):
    assert said in shown(history, rounds(*pairs))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"left_out": ("income=",), "same_files": True},
            "What is left out is not the same in run 1 and run 2 (now left out: income=(missing));"
            " the files are the same. With that the highest DiSCO went from 10.0 % to 5.0 %",
        ),
        (
            {"left_out": tuple("abcd"), "counted_again": ("e",)},
            "(now left out: a; b; c and 1 more; no longer left out: e), and files changed too.",
        ),
    ],
)
def test_a_risk_that_fell_because_more_is_left_out_is_not_said_to_be_the_copys(fields, said):
    contents = rounds((10.0, 2.0), (5.0, 2.4))
    first, second = contents.history
    told = shown(history, replace(contents, history=(first, replace(second, **fields))))
    assert said in told
    assert "fell from 10.0" not in told
    assert "It cost" not in told


def test_a_round_without_figures_has_its_line_all_the_same():
    told = shown(history, rounds((None, None), (None, None)))
    assert "2 2026-11-15 " in told
    assert "fell" not in told


def test_a_report_of_an_earlier_run_says_that_later_ones_came():
    contents = rounds((1.0, 1.0), (2.0, 1.0), (3.0, 1.0))
    earlier = replace(contents, run=replace(contents.run, number=2))
    told = shown(history, earlier)
    assert "1 run came after this one." in told
    assert "From run 1 to run 2" in told


def test_every_term_has_a_sentence_an_anchor_of_its_own_and_where_it_measures_a_source():
    terms = [term for topic in GLOSSARY for term in topic.terms]
    assert len({term.anchor for term in terms}) == len(terms)
    assert all(term.sentence.endswith(".") for term in terms)
    assert [term.id for term in terms if term.out_of and not term.source] == []
    everything = glossary({term.id for term in terms})
    assert all(f'<dt id="{term.anchor}">' in everything for term in terms)


def test_the_glossary_has_the_terms_of_this_report_and_no_others():
    few, many = (
        set(re.findall(r'<dt id="term-([^"]+)">', report_cases.undrawn(case)))
        for case in ("empty", "example")
    )
    assert {"key", "target", "exclusion"} <= few < many
    assert {"ecap", "linkability", "specks", "po50", "wilson"} <= many - few
    assert terms_in(["<b>DiSCO</b> of linkability, <i title='repU'>Discos</i>, is"]) == {
        "disco",
        "linkability",
    }


def test_three_tcaps_are_told_apart():
    told = text(report_cases.undrawn("example"))
    for name in ("TCAP (Raab)", "TCAP (Taub and Elliot)", "TCAP (Chapelle and Falissard)"):
        assert name in told
        assert TERMS[name].out_of
    assert len({TERMS[name].out_of for name in TERMS if name.startswith("TCAP (")}) == 3


def test_a_term_in_a_sentence_leads_to_the_glossary_once_in_a_section():
    body = '<p data-says="a" data-of="DiSCO">DiSCO and repU and DiSCO</p><p>DiSCO</p>'
    assert link_terms(body) == (
        '<p data-says="a" data-of="DiSCO"><a class="term" href="#term-disco">DiSCO</a> and <a'
        ' class="term" href="#term-repu">repU</a> and DiSCO</p><p>DiSCO</p>'
    )


def test_initials_of_people_and_parts_of_words_are_no_terms():
    body = '<p data-says="a" data-of="">R. Reviewer, DiSCOs, my_DiSCO, &amp;R;</p>'
    assert link_terms(body) == body


@pytest.mark.slow
def test_sixty_targets_and_ten_copies_stay_under_three_megabytes():
    assert len(report_cases.rendered("many").encode()) < 3_000_000


def test_every_table_says_what_its_heads_are_of():
    page = report_cases.undrawn("example")
    assert "<th>" not in page
    assert '<th scope="col">' in page
    assert '<th scope="row">' in page

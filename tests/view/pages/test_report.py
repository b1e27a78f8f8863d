"""The report as a page: what stands where, against whose limits, and the same every time."""

import re
from html import unescape

import pytest
from msgspec.structs import replace

from unveil.records.alerts import Acceptance
from unveil.records.judgement import Limit
from unveil.records.report import ReportContents
from unveil.view.blocks import Sentence
from unveil.view.glossary import GLOSSARY, TERMS, TermLinks, terms_in, topics_of
from unveil.view.render_html import render_html
from unveil.view.sections import context
from view import report_cases

CASES = ("example", "copies", "many", "empty")
PART = re.compile(r'<section class="part" aria-labelledby="annex-(\w)"')


def text(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def changed(**fields) -> ReportContents:
    return replace(report_cases.example()[0], **fields)


def judged_as(**fields) -> ReportContents:
    return changed(judgement=replace(report_cases.example()[0].judgement, **fields))


def shown(module, contents: ReportContents) -> str:
    return text(render_html(module.blocks(contents, report_cases.example()[1])))


@pytest.mark.slow
def test_a_decision_is_shown_with_name_time_note_and_what_it_overrides():
    told = shown(context, report_cases.example()[0])
    assert "Decision: no release. G. Lead, governance, 2026-11-16 11:00 UTC, on run 2." in told
    assert "Note: Two targets are above the limit: another round." in told
    accepted = Acceptance(alert="limit:repU", reason="A court asks for it.", by="A. Judge")
    decision = replace(report_cases.example()[0].decision, release=True, despite=(accepted,))
    told = shown(context, changed(decision=decision))
    assert "Decision: release." in told
    assert "Despite limit:repU, because: A court asks for it." in told
    assert "No decision has been recorded" in shown(context, changed(decision=None))


def test_the_context_names_files_hashes_versions_and_people():
    told = shown(context, report_cases.example()[0])
    run = report_cases.example()[0].run
    for file in run.files:
        assert f"{file.path} {file.n_bytes:,} {file.sha256[:12]}" in told
        assert file.sha256 in told
    for said in (run.python, "numpy 2.1.0, polars 1.32.0", run.project_sha256, run.log_head):
        assert said in told
    assert "Run 2 was started 2026-11-16 10:00 UTC by A. Analyst, statistician" in told


def test_every_factor_and_limit_is_shown_with_its_answer_or_origin():
    told = shown(context, report_cases.example()[0])
    for question in report_cases.FACTORS.values():
        assert question in told
    assert told.count("not answered") == 1
    assert told.count("R. Reviewer, disclosure officer, 2026-11-14") >= 4
    assert "DiSCO 5 % 10 % no published value: your decision" in told
    odd = Limit(measure="DiSCO", review=1 / 3, limit=12.5, unit="percent", origin="ours")
    assert "DiSCO 0.333333333333333 % 12.5 % ours" in shown(context, judged_as(limits=(odd,)))


def test_a_run_without_a_name_and_parts_that_could_not_be_measured_are_told():
    run = replace(report_cases.example()[0].run, by=None, n_resumed=3)
    told = shown(context, changed(run=run))
    assert "no name given" in told
    assert "3 kept from an interrupted run" in told
    told = text(render_html(context.blocks(*report_cases.empty())))
    assert "9 could not be computed" in told
    assert told.count("not measured: The control has no column 'region'.") == 9
    assert "No scenario was measured" in told
    assert "Nothing is excluded" in told


def test_scenarios_show_keys_and_targets_and_exclusions_their_reason_and_name():
    told = shown(context, report_cases.example()[0])
    targets = report_cases.example()[0].scenarios[0].targets
    assert f"neighbour {', '.join(report_cases.KEYS)} {', '.join(targets)} (5)" in told
    assert (
        "missing-targets all A missing answer tells nothing about a person. R. Reviewer,"
        " disclosure officer, 2026-11-14 project file"
    ) in told
    many = text(render_html(context.blocks(*report_cases.many())))
    assert " and 35 more (60)" in many


def test_which_figures_exclusions_are_about_is_said_and_which_came_later():
    given = report_cases.example()[0].exclusions[0]
    later = replace(given, rule="income=", from_ruling=True, in_run=False)
    told = shown(context, changed(exclusions=(given, later)))
    assert "1 exclusion in force. Exclusions apply to DiSCO" in told
    assert "they do not apply to CAP, TCAP, GTCAP, SUDA, match risk or attacks" in told
    assert "1 exclusion added since this run: not applied to its figures." in told
    assert "income=(missing) all" in told
    assert "ruling on a flag, ADDED SINCE" in told
    assert "Nothing is excluded" in shown(context, changed(exclusions=(later,)))


def test_a_number_is_never_parted_from_its_percent_sign():
    body = re.sub(
        r"<(style|svg).*?</\1>|<[^>]*>", "", report_cases.undrawn("example"), flags=re.DOTALL
    )
    assert "\u00a0%" in body
    assert not re.search(r"\d %", body)


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("records_at_risk_0002.csv", ["records_at_risk_0002.csv (beside this report)"]),
        (
            "records_at_risk_0002.html",
            [
                "records_at_risk_0002.html (beside this report)",
                "records_at_risk_0002.csv (beside this report)",
            ],
        ),
        (
            "confidential/records_at_risk_0002.csv",
            ["confidential/records_at_risk_0002.csv (in the project)"],
        ),
    ],
)
def test_records_at_risk_are_named_and_not_shown(file, names):
    told = shown(context, changed(records_file=file))
    assert all(name in told for name in names)
    assert "unveil report --records" in shown(context, changed(records_file=None))


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
        ([(10.0, 2.0)], "This is the first run."),
        (
            [(10.0, 2.0), (5.0, 2.4)],
            "From run 1 to run 2 the highest DiSCO changed from 10.0 % to 5.0 %. S_pMSE of the"
            " worst pair changed from 2.00 to 2.40: a cost of 0.40 (lower is closer",
        ),
        ([(5.0, 2.0), (10.0, 2.4)], "S_pMSE of the worst pair changed from 2.00 to 2.40 (lower"),
        ([(5.0, 2.0), (5.01, 2.001)], "DiSCO stayed at 5.0 %. S_pMSE of the worst pair stayed at"),
    ],
)
def test_the_last_round_is_told_in_words(pairs, said):
    assert said in shown(context, rounds(*pairs))


def test_a_risk_that_fell_because_more_is_excluded_is_not_said_to_be_the_synthetic_datas():
    first, second = rounds((10.0, 2.0), (5.0, 2.4)).history
    contents = rounds((10.0, 2.0), (5.0, 2.4))
    same = replace(second, left_out=("income=",), same_files=True)
    told = shown(context, replace(contents, history=(first, same)))
    assert "the exclusions differ (now excluded: income=(missing)) and the files are the" in told
    assert "a cost of" not in told
    other = replace(second, left_out=tuple("abcd"), counted_again=("e",))
    told = shown(context, replace(contents, history=(first, other)))
    assert "(now excluded: a; b; c and 1 more; no longer excluded: e) and files changed" in told


def test_rounds_without_figures_or_after_this_one_have_their_line_all_the_same():
    assert "2 2026-11-15 " in shown(context, rounds((None, None), (None, None)))
    contents = rounds((1.0, 1.0), (2.0, 1.0), (3.0, 1.0))
    told = shown(context, replace(contents, run=replace(contents.run, number=2)))
    assert "1 run came after this one." in told
    assert "From run 1 to run 2" in told


def test_every_term_has_a_sentence_an_anchor_of_its_own_and_where_it_measures_a_source():
    terms = [term for topic in GLOSSARY for term in topic.terms]
    assert len({term.anchor for term in terms}) == len(terms)
    assert all(term.sentence.endswith(".") for term in terms)
    assert [term.id for term in terms if term.out_of and not term.source] == []
    assert topics_of({term.id for term in terms}) == list(GLOSSARY)


def test_the_glossary_has_the_terms_of_this_report_and_no_others():
    few, many = (
        set(re.findall(r'<dt id="term-([^"]+)">', report_cases.undrawn(case)))
        for case in ("empty", "example")
    )
    assert {"key", "target", "exclusion"} <= few < many
    assert {"ecap", "linkability", "specks", "po50", "wilson"} <= many - few
    assert terms_in(["DiSCO of linkability, Discos, is"]) == {"disco", "linkability"}


def test_four_tcaps_are_told_apart():
    told = text(report_cases.undrawn("example"))
    for name in ("Raab", "Taub and Elliot", "Chapelle and Falissard", "Little et al."):
        assert f"TCAP ({name})" in told
    assert len({TERMS[name].out_of for name in TERMS if name.startswith("TCAP (")}) == 4


def test_a_term_in_a_sentence_leads_to_the_glossary_once_in_a_section():
    sentences = [Sentence(text, key="x") for text in ("DiSCO and repU and DiSCO <b>", "DiSCO")]
    html = render_html(sentences, is_page=True, terms=TermLinks())
    assert html.replace(' data-says="x" data-of=""', "") == (
        '<p><a class="term" href="#term-disco">DiSCO</a> and <a class="term"'
        ' href="#term-repu">repU</a> and DiSCO &lt;b&gt;</p><p>DiSCO</p>'
    )
    text = "R. Reviewer, DiSCOs, my_DiSCO"
    assert TermLinks()(text) == [(text, "")]


@pytest.mark.slow
def test_sixty_targets_and_ten_copies_stay_under_three_megabytes():
    assert len(report_cases.rendered("many").encode()) < 3_000_000


def test_every_table_says_what_its_heads_are_of():
    page = report_cases.undrawn("example")
    assert "<th>" not in page
    assert '<th scope="col" class="' in page
    assert '<th scope="row" class="' in page

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
from unveil.view.glossary import GLOSSARY, TERMS, TermLinks, terms_in, topics_of
from unveil.view.limits import figure_text, group_figures, worst
from unveil.view.pages.report import ANNEXES, MORE, custodian_page
from unveil.view.render_html import render_html
from unveil.view.render_page import BAND
from unveil.view.sections import context, verdict
from view import report_cases
from view.section_blocks import table

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
@pytest.mark.parametrize("case", CASES)
def test_the_page_is_self_contained(case):
    page = report_cases.undrawn(case)
    assert page.count("<meta http-equiv") == 1
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'" in page
    assert "<script" not in page
    assert " style=" not in page


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_band_stands_first_and_says_that_it_must_not_leave(case):
    assert text(report_cases.undrawn(case).split("<body>")[1]).startswith(BAND)


@pytest.mark.parametrize("case", CASES)
def test_headings_are_in_order_and_there_is_one_of_the_first(case):
    levels = [int(level) for level in re.findall(r"<h([1-6])", report_cases.undrawn(case))]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_annexes_are_lettered_and_those_of_tables_and_protection_come_last_if_at_all():
    page = report_cases.undrawn("example")
    assert PART.findall(page) == list("ABCDEFGHI")
    titles = re.findall(r"<h2 id=\"annex-\w\">Annex \w&ensp;(.*?)</h2>", page)
    wanted = [*(one.title for one in ANNEXES), "Methods and glossary", *(one.title for one in MORE)]
    assert titles == wanted
    assert PART.findall(report_cases.undrawn("copies")) == list("ABCDEFG")


@pytest.mark.parametrize("case", CASES)
def test_the_table_of_contents_names_every_annex_in_order(case):
    page = report_cases.undrawn(case)
    contents = re.search(r"<nav.*?</nav>", page, re.DOTALL)
    assert contents is not None
    assert re.findall(r'href="#annex-(\w)"', contents[0]) == PART.findall(page)


@pytest.mark.slow
def test_two_renders_are_the_same_to_the_byte():
    contents, parts = report_cases.copies()
    again = custodian_page(contents, parts, made=report_cases.MADE)
    assert again == report_cases.rendered("copies")


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


@cache
def cards(case: str) -> dict[str, tuple[str, ...]]:
    pair = getattr(report_cases, case)()
    return {row[0].split("(")[-1].rstrip(")"): row for row in table("verdict", pair, "worst")}


def test_the_first_table_has_the_worst_figure_of_each_measure():
    parts = report_cases.example()[1]
    identity = [
        row for _, record in parts.of("disclosure") for row in record.identity if row.copy != "mean"
    ]
    one = max(identity, key=lambda row: row.repU)
    assert cards("example")["repU"][1:] == (
        f"{one.repU:.1f} %", cards("example")["repU"][2], f"{one.UiO:.1f} %", "10 %", "● within",
    )  # fmt: skip
    attribute = [row for _, record in parts.of("disclosure") for row in record.attribute]
    most = max(attribute, key=lambda row: row.DiSCO)
    assert cards("example")["DiSCO"][1:] == (
        f"{most.DiSCO:.1f} %", f"{most.target} (neighbour)", f"{most.Dorig:.1f} %", "10 %",
        "■ above limit",
    )  # fmt: skip
    (_, pairs), *_ = parts.of("tables")
    pair = max(pairs.rows, key=lambda row: row.S_pMSE)
    assert cards("example")["S_pMSE"][1:3] == (f"{pair.S_pMSE:.2f}", " x ".join(pair.variables))


def test_what_was_not_asked_for_is_said_to_be_so_and_a_mean_is_never_held_against_a_limit():
    assert {row[2] for row in cards("empty").values()} == {"not in this run"}
    figures = [one for one in report_cases.copies()[0].judgement.figures if one.measure == "DiSCO"]
    highest = max(one.value for one in figures if one.copy != "mean")
    assert cards("copies")["DiSCO"][1] == f"{highest:.1f} %"


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
        ({"exit_code": 4, "accepted_by": None}, "○ CANNOT BE ASSESSED YET"),
        ({"exit_code": 4}, "▲ DECISIONS OUTSTANDING"),
        ({"exit_code": 0, "is_current": False}, "▲ OUT OF DATE: RUN AGAIN"),
        ({"exit_code": 0, "n_review": 2}, "▲ WITHIN LIMITS, SOME FIGURES TO REVIEW"),
        ({"exit_code": 0, "n_review": 0}, "● WITHIN ACCEPTED LIMITS"),
    ],
)
def test_the_verdict_is_against_the_custodians_own_limits(fields, said):
    assert shown(verdict, judged_as(**fields, alerts=(), not_tested=())).startswith(said)


def test_alerts_stand_before_the_verdict_and_one_that_is_accepted_is_not_within():
    told = shown(verdict, judged_as(exit_code=0, n_review=0))
    assert told.startswith("■ Block near-copies Many people have a record far nearer")
    assert told.index("remarks is in no") < told.index("▲ ALERTS ACCEPTED BY NAME")
    assert told.count("◆ Decide group:district") == 4


def of_pairs(*values) -> list[LimitCheck]:
    """S_pMSE of pairs of columns, and last of the model over all of them."""
    made = [
        replace(judged_figure(1, value, "above" if value > 10 else "within"), measure="S_pMSE")
        for value in values
    ]
    *pairs, model = [replace(one, target=None, scenario=None) for one in made]
    told = [replace(one, part="tables", subject=f"a x {n}") for n, one in enumerate(pairs)]
    return [*told, replace(model, part="utility")]


def test_figures_above_are_told_by_what_they_are_of():
    one = replace(judged_figure(1, 12.34, "above"), measure="repU", target=None)
    told = shown(verdict, judged_as(figures=(one,)))
    assert "repU is 12.3 %, above the limit (10 %)." in told
    told = shown(verdict, judged_as(figures=tuple(of_pairs(12.0, 3.0, 11.0, 20.0))))
    assert "2 of 3 pairs of columns exceed the limit on S_pMSE (10)." in told
    assert "S_pMSE of the model over all columns is 20.00, above the limit (10)." in told
    sap = replace(judged_figure(None, 0.5, "above"), measure="SAP", target=None, scenario=None)
    figures = [replace(sap, part="sap a", subject=f"n = {n}") for n in range(101)]
    figures += [replace(sap, part="sap b", subject="n = 0", value=0.01, status="within")]
    told = shown(verdict, judged_as(figures=tuple(figures)))
    assert "1 of 2 tables exceed the limit on SAP (10)." in told


def test_what_is_not_measured_within_stale_or_outstanding_is_told():
    told = shown(verdict, judged_as(figures=(judged_figure(1, None, "not measured"),)))
    assert "1 figure with a limit could not be measured" in told
    told = shown(verdict, judged_as(figures=(judged_figure(1, 1.0, "within"),), exit_code=0))
    assert "All 1 figures with a limit are within it." in told
    told = shown(verdict, judged_as(stale=("The file 'a.csv' was changed since the run.",)))
    assert "The file 'a.csv' was changed since the run." in told
    assert "One of the five factors is unanswered. unveil answer" in told


def test_a_decision_is_shown_with_name_time_note_and_what_it_overrides():
    told = shown(verdict, report_cases.example()[0])
    assert "Decision: no release. G. Lead, governance, 2026-11-16 11:00 UTC, on run 2." in told
    assert "Note: Two targets are above the limit: another round." in told
    accepted = Acceptance(alert="limit:repU", reason="A court asks for it.", by="A. Judge")
    decision = replace(report_cases.example()[0].decision, release=True, despite=(accepted,))
    told = shown(verdict, changed(decision=decision))
    assert "Decision: release." in told
    assert "Despite limit:repU, because: A court asks for it." in told
    assert "No decision has been recorded" in shown(verdict, changed(decision=None))


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
    assert "without a name" in told
    assert "3 kept from an interrupted run" in told
    told = text(render_html(context.blocks(*report_cases.empty())))
    assert "9 could not be computed" in told
    assert told.count("not measured: The control has no column 'region'.") == 9
    assert "No scenario was measured" in told
    assert "Nothing is excluded" in told


def test_scenarios_show_keys_and_targets_and_exclusions_their_reason_and_name():
    told = shown(context, report_cases.example()[0])
    assert f"keys {', '.join(report_cases.KEYS)} " in told
    targets = report_cases.example()[0].scenarios[0].targets
    assert f"targets {', '.join(targets)} (5)" in told
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


def test_three_tcaps_are_told_apart():
    told = text(report_cases.undrawn("example"))
    for name in ("TCAP (Raab)", "TCAP (Taub and Elliot)", "TCAP (Chapelle and Falissard)"):
        assert name in told
    assert len({TERMS[name].out_of for name in TERMS if name.startswith("TCAP (")}) == 3


def test_a_term_in_a_sentence_leads_to_the_glossary_once_in_a_section():
    link = TermLinks()
    assert link("DiSCO and repU and DiSCO <b>") == (
        '<a class="term" href="#term-disco">DiSCO</a> and <a class="term"'
        ' href="#term-repu">repU</a> and DiSCO &lt;b&gt;'
    )
    assert link("DiSCO") == "DiSCO"
    assert TermLinks()("R. Reviewer, DiSCOs, my_DiSCO") == "R. Reviewer, DiSCOs, my_DiSCO"


@pytest.mark.slow
def test_sixty_targets_and_ten_copies_stay_under_three_megabytes():
    assert len(report_cases.rendered("many").encode()) < 3_000_000


def test_every_table_says_what_its_heads_are_of():
    page = report_cases.undrawn("example")
    assert "<th>" not in page
    assert '<th scope="col" class="' in page
    assert '<th scope="row" class="' in page

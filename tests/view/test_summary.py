"""Every number on the page to sign is worked out again from the record, without the view's code."""

import json
import re
from html import unescape
from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console

from unveil.records.alerts import Alert
from unveil.records.summary import SummaryDecision
from unveil.view.blocks import Sentence
from unveil.view.render_rich import render_rich
from unveil.view.run import fit_summary
from unveil.view.summary import screen_blocks, summary_page, verdict_sentence, words_blocks
from view.report_cases import copies, empty, example, hostile, many

CASES = {"example": example, "copies": copies, "many": many, "hostile": hostile, "empty": empty}


def of(case):
    contents, _ = CASES[case]()
    return contents.summary


def text_of(page):
    body = page.split("<main>")[1].split("</main>")[0]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).replace("\xa0", " ").split())


def percent(n, of):
    value = 100 * n / of
    shown = f"{value:.1f}"
    if value and shown == "0.0":
        return "less than 0.1 %"
    if shown == "100.0" and value < 100:
        return "more than 99.9 %"
    return f"{shown} %" if value else "0 %"


def numbers_in(value):
    """Every number that a record holds, as it may be written; also those inside its texts."""
    if isinstance(value, bool) or value is None:
        return set()
    if isinstance(value, int | float):
        return {f"{value:,}", f"{value:.1f}", f"{value:.2f}", f"{value:g}", f"{value:,.0f}"}
    if isinstance(value, str):
        return set(re.findall(r"\d[\d,.]*\d|\d", value))
    rows = value.values() if isinstance(value, dict) else value
    return set().union(*map(numbers_in, rows), {f"{len(value):,}"})


@pytest.mark.slow
@pytest.mark.parametrize("case", ["example", "copies", "many"])
def test_every_count_and_share_of_the_page_is_worked_out_again(case):
    record = json.loads(of(case).to_json())
    text = text_of(summary_page(of(case)))
    n = record["n_people"]
    known = record["identity"]
    for count in (known["unique"], known["replicated"]):
        assert f"{count:,} {percent(count, n)}" in text
    assert f"{known['reappearing']:,} original record" in text or not known["reappearing"]
    rows = [one for one in record["targets"] if one["status"] in ("above", "review")]
    rows = (rows or record["targets"])[:4]
    for one in rows:
        tie = " (tie)" if one["is_tied"] else ""
        cells = f"{one['correct']:,} ({percent(one['correct'], n)}) {one['not_most_common']:,}{tie}"
        assert f"{cells} - {one['wrong']:,}" in text
    if record["any_correct"] is not None:
        share = percent(record["any_correct"], n)
        assert f"{record['any_correct']:,} people ({share}) have at least one value" in text


@pytest.mark.slow
@pytest.mark.parametrize("case", ["example", "copies", "many"])
def test_the_page_has_no_number_that_the_record_does_not_have(case):
    record = json.loads(of(case).to_json())
    n = record["n_people"]
    allowed = numbers_in(record) | {"1", "2", "3", "4", "5", "0.1", "99.9"}
    counts = [
        *(record["identity"][name] for name in ("unique", "replicated")),
        *(one[name] for one in record["targets"] for name in ("correct",)),
        record["any_correct"] or 0,
    ]
    allowed |= {f"{100 * count / n:.1f}" for count in counts}
    n_targets, n_decisions = len(record["targets"]), len(record["decisions"])
    allowed |= {str(left) for left in range(max(n_targets, n_decisions, 8) + 1)}
    page = text_of(summary_page(of(case)))
    found = set(re.findall(r"(?<![\w.=@-])\d[\d,.]*\d|(?<![\w.=@-])\d", page))
    assert {one for one in found if one not in allowed} == set()


@pytest.mark.slow
@pytest.mark.parametrize("case", list(CASES))
def test_a_screen_has_at_most_forty_lines_of_eighty_columns(case):
    console = Console(width=80, file=StringIO())
    rendered = console.render_lines(render_rich(fit_summary(of(case), [], 80), width=80), pad=False)
    assert len(rendered) <= 40
    assert all(sum(len(part.text) for part in line) <= 80 for line in rendered)
    render_rich([*screen_blocks(of(case)), *words_blocks(of(case))], width=80)


@pytest.mark.slow
def test_what_comes_from_data_is_text_on_the_page():
    page = summary_page(of("hostile"))
    assert "<script" not in page
    assert "<img" not in page
    assert "onerror=alert" not in re.sub(r"&lt;.*?&gt;", "", page)
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_a_run_that_measured_nothing_says_so_and_is_not_assessed():
    text = text_of(summary_page(of("empty")))
    assert "Not measured." in text
    assert "No target was measured." in text


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ((48, 8, 7), "Outstanding: rulings on 3 variables (63 flags); limits not accepted."),
        ((1,), "Outstanding: rulings on v0 (1 flag); limits not accepted."),
        ((), "Outstanding: limits not accepted."),
    ],
)
def test_what_is_outstanding_counts_all_rulings_together(flags, said):
    rulings = [
        SummaryDecision(kind="target", n_flags=n, subject=f"v{place}", sentence="")
        for place, n in enumerate(flags)
    ]
    limits = SummaryDecision(kind="limits", subject="limits not accepted", sentence="")
    summary = of("empty")
    verdict = replace(summary.verdict, status="outstanding", reason=None, above=(), n_alerts=0)
    made = replace(summary, verdict=verdict, decisions=(*rulings, limits))
    assert verdict_sentence(made).startswith(said)
    first = next(one for one in screen_blocks(made) if isinstance(one, Sentence))
    assert first.text.startswith(f"▲ CANNOT BE ASSESSED YET. {said}")


def test_decisions_on_a_screen_are_broken_between_two_of_them_only():
    names = [f"a variable with a long name {place}" for place in range(7)]
    rulings = tuple(
        SummaryDecision(kind="target", n_flags=2, subject=one, sentence="") for one in names
    )
    *_, last = screen_blocks(replace(of("empty"), decisions=rulings))
    lines = last.text.split("\n")
    assert all(len(line) <= 78 for line in lines)
    assert "   ".join(lines) == "   ".join(
        f"{place} {one} (2 flags)" for place, one in enumerate(names, start=1)
    )


STOPPED = SummaryDecision(kind="alerts", subject="2 alerts", sentence="2 alerts.", choices=())


def test_alerts_to_review_are_counted_on_the_screen_and_on_the_page():
    alerts = tuple(
        Alert(id=one, kind="own_value", columns=(one,), status="review", sentence=one, action="-")
        for one in ("age", "ward")
    )
    summary = replace(of("empty"), alerts=alerts)
    summary = replace(summary, decisions=(STOPPED,))
    told = [one.text for one in screen_blocks(summary) if isinstance(one, Sentence)]
    assert told[-1] == "1 the alerts"
    assert any(one.endswith("2 alerts to review (--details).") for one in told)
    assert "2 alerts to review (annex B)." in text_of(summary_page(summary))


@pytest.mark.parametrize(
    ("correct", "said"),
    [
        ((3, 2, 1), "2 more variables: at most 2 people each."),
        ((3, 1), "1 more variable: at most 1 person."),
        ((3, 0), "1 more variable: no one."),
    ],
)
def test_variables_without_a_row_are_told_in_good_english(correct, said):
    row = of("example").targets[0]
    summary = replace(
        of("example"), targets=tuple(replace(row, correct=n, expected=None) for n in correct)
    )
    told = [one.text for one in screen_blocks(summary, most=1) if isinstance(one, Sentence)]
    assert any(one.startswith(said) for one in told)

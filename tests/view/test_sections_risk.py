"""The sections on risk: their tables against the records, and every case that says something else.

Numbers of sentences are worked out again by `derived`, here for the cases that no whole report has.
"""

import re
from html import unescape
from html.parser import HTMLParser
from importlib import import_module
from itertools import pairwise

import msgspec
import pytest

import unveil
from unveil.examples import survey
from unveil.records.disclosure import NotMeasured
from unveil.records.report import ExclusionText, Parts
from unveil.view.format import ratio
from unveil.view.report_sentences import all_templates as templates
from unveil.view.sections.identity import enough, people_of
from view import report_cases
from view.derived import every as derived
from view.derived.written import percent
from view.test_numbers import Sentences, literal, numbers

SECTIONS = ("identity", "attribute", "target", "checks", "cap", "leakage", "gtcap", "uniques")
HEADLINE = "disclosure neighbour"
COLLEAGUE = "disclosure colleague"


class Tables(HTMLParser):
    """Every table of a page: its caption, and its rows with their heads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[list[str]]]] = []
        self._cell: list[str] | None = None
        self._caption = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.found.append(("", []))
        elif tag == "tr":
            self.found[-1][1].append([])
        elif tag in ("td", "th"):
            self._cell = []
        elif tag == "caption":
            self._caption = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.found[-1][1][-1].append("".join(self._cell))
            self._cell = None
        elif tag == "caption":
            self._caption = False

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)
        elif self._caption:
            caption, rows = self.found[-1]
            self.found[-1] = (caption + data, rows)


_drawn = {}


def section(name, pair):
    """One section of a contents, drawn once; what it was drawn of is kept beside it."""
    key = (name, *map(id, pair))
    if key not in _drawn:
        _drawn[key] = import_module(f"unveil.view.sections.{name}").section(*pair), pair
    return _drawn[key][0]


def tables(name, pair):
    return Tables(section(name, pair).body).found


def said(name, pair):
    """The sentences of a section, each with its numbers worked out again."""
    results = report_cases.as_json(*pair)
    found = Sentences(section(name, pair).body).found
    for key, of, text in found:
        given = numbers(" ".join(derived()[key](results, of)))
        own, shown = literal(templates()[key]), numbers(text)
        assert not shown - own - given, (key, of, text)
        assert not given - shown, (key, of, text, given - shown)
    return {key: text for key, _, text in found}


def changed(pair, part, **fields):
    """The same with another record of one part."""
    contents, parts = pair
    records = {one.name: parts[one.name] for one in contents.run.parts if one.file is not None}
    records[part] = msgspec.structs.replace(records[part], **fields)
    return contents, Parts(contents.run, records)


def judged_as(pair, **fields):
    contents, parts = pair
    judgement = msgspec.structs.replace(contents.judgement, **fields)
    return msgspec.structs.replace(contents, judgement=judgement), parts


def rows_changed(rows, **fields):
    return tuple(msgspec.structs.replace(row, **fields) for row in rows)


# The tables, cell by cell.


def test_the_table_of_identity_is_the_record():
    record = report_cases.copies()[1][HEADLINE]
    ((_, (heads, *rows)),) = tables("identity", report_cases.copies())
    assert heads[0] == "copy"
    assert [row[0] for row in rows] == ["copy 1", "copy 2", "copy 3", "mean", "all pooled"]
    for cells, row in zip(rows, record.identity, strict=True):
        total = {"pooled": 1800}.get(row.copy, 600)
        expected = []
        for value, of in ((row.UiO, 600), (row.UiOiS, 600), (row.repU, 600), (row.UiS, total)):
            n = value * of / 100
            about = "" if abs(n - round(n)) < 1e-6 else "about "
            expected += [percent(value), f"{about}{round(n):,} of {of:,}"]
        assert cells[1:] == expected


@pytest.mark.slow
def test_the_table_of_all_targets_is_the_record_with_status_and_checks():
    record = report_cases.example()[1][HEADLINE]
    (_, (heads, *rows)), *_ = tables("attribute", report_cases.example())
    assert heads[:4] == ["target", "original (Dorig)", "copy (DiSCO)", "people"]
    assert [row[0] for row in rows] == list(record.targets)
    statuses = []
    for cells in rows:
        row = record.attribute_of(cells[0], 1)
        n = str(round(row.DiSCO * record.n_original / 100))
        assert cells[1:4] == [percent(row.Dorig), percent(row.DiSCO), n]
        assert cells[4] == percent(100 * (row.Dorig - row.DiSCO) / row.Dorig)
        above = row.DiSCO > 10
        statuses.append(above)
        assert cells[5] == ("■ above limit" if above else "● within")
        pairs = [flag for flag in record.flags if flag.target == row.target]
        n_two = sum(flag.kind == "two_way" for flag in pairs)
        assert cells[6].endswith(f"2-way: {n_two}") if n_two else cells[6] == "-"
    assert set(statuses) == {True, False}


def test_several_copies_have_their_range_and_the_pool_in_the_table():
    record = report_cases.copies()[1][HEADLINE]
    (_, (_, *rows)), *_ = tables("attribute", report_cases.copies())
    for cells in rows:
        values = [record.attribute_of(cells[0], copy).DiSCO for copy in (1, 2, 3)]
        pooled = record.attribute_of(cells[0], "pooled").DiSCO
        assert cells[2] == percent(sum(values) / 3)
        assert cells[4] == f"{percent(min(values))} to {percent(max(values))}"
        assert cells[5] == percent(pooled)


def test_guesses_stand_in_a_table_beside_their_baseline():
    record = report_cases.copies()[1][HEADLINE]
    _, (_, (_, *rows)) = tables("attribute", report_cases.copies())
    for target, *cells in rows:
        row = record.attribute_of(target, "mean")
        assert cells == [percent(value) for value in (row.baseCAPd, row.DCAP, row.CAPd)]


def test_each_target_has_a_table_of_its_steps_in_every_copy():
    record = report_cases.copies()[1][HEADLINE]
    found = tables("target", report_cases.copies())
    assert len(found) == len(record.targets)
    for target, (_, table) in zip(record.targets, found, strict=True):
        heads, *rows = zip(*table, strict=True)  # copies stand beside each other
        own = [row for row in record.attribute if row.target == target]
        for cells, row in zip(rows, own, strict=True):
            shown = dict(zip(heads, cells, strict=True))
            for symbol in ("iS", "DiS", "DiSCO", "DiSDiO", "Dorig", "baseCAPd", "DCAP", "CAPd"):
                assert shown[symbol] == percent(getattr(row, symbol))
            assert float(shown["largest group"]) == pytest.approx(row.max_denom, abs=0.005)
            assert float(shown["mean in copy"]) == pytest.approx(row.mean_denom_syn, abs=0.005)


def test_every_finding_stands_in_the_table_with_its_ruling_its_reason_and_its_name():
    contents, _ = report_cases.example()
    found = tables("checks", report_cases.example())
    rows = [row for caption, (_, *rows) in found if "findings" in caption.lower() for row in rows]
    assert len(rows) == len(contents.judgement.findings)
    by_name = {row[0]: row for row in rows}
    words = {"open": "○ open", "keep": "■ kept", "common knowledge": "● common knowledge"}
    for one in contents.judgement.findings:
        if [o.exclusion for o in contents.judgement.findings].count(one.exclusion) > 1:
            continue  # the same finding in the other scenario
        _, sentence, ruling, why, by = by_name[one.exclusion]
        assert sentence == one.sentence
        assert ruling.startswith(words[one.state])
        assert why == (one.reason or "-")
        assert by == (f"{one.by}, {one.on}" if one.by else "-")


def test_open_findings_come_first():
    (_, (_, *rows)), *_ = tables("checks", report_cases.example())
    assert {row[2] for row in rows} == {"○ open: to be ruled on"}


def test_the_grid_is_a_table_too():
    record = report_cases.example()[1]["exclusion_table neighbour"]
    (rows,) = (
        rows
        for _, (heads, *rows) in tables("checks", report_cases.example())
        if heads[0] == "target" and len(rows) == 5
    )
    cells = {(row.target, row.column): row for row in record.rows}
    for target, *shown in rows:
        for column, text in enumerate(shown):
            row = cells[target, column]
            copy, original = re.findall(r"[<\d.]+", text)
            for told, value in ((copy, row.synthetic), (original, row.original)):
                assert told == ("0" if not value else f"{value:.1f}")


def test_one_copy_has_a_table_of_cap_and_no_picture():
    body = section("cap", report_cases.example()).body
    assert "<svg" not in body
    record = report_cases.example()[1]["cap neighbour marital full"]
    (_, (heads, *rows)), *_ = Tables(body).found
    shown = next(row for row in rows if row[:2] == ["marital", "full set"])
    row = record.rows[0]
    assert heads[-1] == "original"
    assert heads[:4] == ["target", "who", "people", "with a match"]
    assert shown[2:4] == [f"{row.n:,}", f"{row.n_match:,}"]
    assert shown[4:] == [
        percent(100 * value)
        for value in (
            row.cap_baseline,
            row.cap_synthetic_zero,
            row.cap_synthetic_undefined,
            row.cap_original,
        )
    ]


def test_several_copies_have_a_picture_of_cap_by_m_and_every_m_in_its_table():
    body = section("cap", report_cases.copies()).body
    assert body.count("<svg") == 2
    by_m = [rows for _, (heads, *rows) in Tables(body).found if heads[0] == "who"]
    assert [row[1] for row in by_m[0]] == ["1", "2", "3"] * 3


@pytest.mark.slow
def test_the_table_of_attacks_has_every_row():
    parts = report_cases.example()[1]
    n_rows = sum(
        len(parts[f"{kind} neighbour"].rows)
        for kind in ("singling_out", "linkability", "inference")
    )
    found = [rows for _, (heads, *rows) in tables("leakage", report_cases.example())]
    assert n_rows in map(len, found)


def test_train_against_control_stands_in_a_table():
    record = report_cases.example()[1]["excess neighbour"]
    (_, (_, *rows)), *_ = tables("leakage", report_cases.example())
    found = {row.target: row for row in record.rows}
    for target, measure, train, control, _ in rows:
        row = found[target]
        assert (measure, train, control) == ("DiSCO", percent(row.train), percent(row.control))


def test_the_histogram_of_gtcap_is_a_table_too():
    _, record = max(report_cases.copies()[1].of("gtcap"), key=lambda pair: pair[1].mean)
    (_, (_, *rows)), *_ = tables("gtcap", report_cases.copies())
    assert [int(n) for _, n in rows] == [one.n for one in record.histogram]


def test_keys_and_sizes_of_uniques_are_the_record():
    record = report_cases.copies()[1]["suda neighbour"]
    (_, (_, *sizes)), (_, (_, *keys)), *_ = tables("uniques", report_cases.copies())
    assert [list(map(int, row)) for row in sizes] == [
        [row.size, row.n_msu, row.n_records] for row in record.sizes
    ]
    assert {row[0]: row[2] for row in keys} == {
        row.key: percent(row.percent) for row in record.contributions
    }


# What is said where there is nothing, little, or something else to say.


def test_where_nothing_was_measured_each_section_says_why():
    for name in SECTIONS:
        found = section(name, report_cases.empty())
        if name == "target":
            assert found is None
            continue
        assert set(said(name, report_cases.empty())) == {f"{name}.not measured"}
        assert "The control has no column &#x27;region&#x27;" in found.body


def test_what_nobody_asked_for_has_no_section():
    contents, _ = report_cases.empty()
    run = msgspec.structs.replace(contents.run, parts=())
    pair = msgspec.structs.replace(contents, run=run), Parts(run, {})
    assert [section(name, pair) for name in SECTIONS] == [None] * len(SECTIONS)


@pytest.mark.slow
def test_a_scenario_without_targets_says_so():
    pair = changed(report_cases.example(), COLLEAGUE, targets=(), attribute=(), flags=())
    assert "attribute.no targets" in said("attribute", pair)
    assert "colleague" not in re.sub(r'data-of="[^"]*"', "", section("target", pair).body)


@pytest.mark.slow
def test_without_limits_no_target_has_a_status():
    figures = rows_changed(
        report_cases.example()[0].judgement.figures, review=None, limit=None, status="no limit"
    )
    pair = judged_as(report_cases.example(), figures=figures)
    told = said("attribute", pair)
    assert told["attribute.no limit"].startswith("No limit is set for DiSCO")
    assert "all 5 targets are shown" in section("attribute", pair).body
    assert "all 2 targets are shown" in told["attribute.no limit"]
    assert "identity.status" not in said("identity", pair)
    assert section("attribute", pair).note == ""


def test_limits_are_counted_in_targets_and_the_contents_say_how_many_are_above():
    told = said("attribute", report_cases.copies())
    assert told["attribute.status"].startswith("Of 3 targets, 3 are above your limit of 10 %")
    assert section("attribute", report_cases.copies()).note == "3 above limit"


def test_nobody_alone_is_said_and_not_drawn_as_a_risk():
    rows = rows_changed(report_cases.example()[1][COLLEAGUE].identity, UiO=0.0, UiOiS=0.0, repU=0.0)
    pair = changed(report_cases.example(), COLLEAGUE, identity=rows)
    told = said("identity", pair)
    assert told["identity.nobody"].startswith("Nobody is alone with their sex, age and employment")


def test_people_out_of_a_hundred_are_never_rounded_to_nobody():
    rows = rows_changed(report_cases.example()[1][HEADLINE].identity, UiO=1.2, UiOiS=0.3, repU=0.0)
    pair = changed(report_cases.example(), HEADLINE, identity=rows)
    told, found = said("identity", pair), section("identity", pair).body
    assert "Of 1,000 people in your data, 12 are alone with their" in found
    assert "3 are also found in the copy, and none is alone there too." in found
    assert "disclosure/repU" in told
    assert people_of(0.001, enough(0.001)) == "fewer than 1 is"


@pytest.mark.slow
def test_without_findings_the_checks_say_from_where_on_they_would_have_found_some():
    pair = judged_as(report_cases.example(), findings=())
    told = said("checks", pair)["checks.none"]
    assert "more than 10 findings and 60 % of all" in told
    assert "more than 3 where more than 70 % of its people" in told
    assert section("checks", pair).note == ""


def test_very_many_findings_are_cut_and_counted():
    contents, _ = report_cases.copies()
    first = contents.judgement.findings[0]
    many = tuple(
        msgspec.structs.replace(first, id=f"neighbour/{n}", exclusion=f"health={n}")
        for n in range(203)
    )
    told = said("checks", judged_as(report_cases.copies(), findings=many))
    assert told["checks.more"] == "3 findings more stand in the record of the run."


def test_one_finding_is_spoken_of_in_the_singular():
    one = report_cases.copies()[0].judgement.findings[:1]
    told = said("checks", judged_as(report_cases.copies(), findings=one))["checks.summary"]
    assert told.startswith("Of 1 finding that may be common knowledge, 1 is still to be ruled on")


GRID = "exclusion_table neighbour"


def grid_with(synthetic, columns=None):
    """The grid of the copies with figures of one's own, by column."""
    table = report_cases.copies()[1][GRID]
    rows = tuple(
        msgspec.structs.replace(row, synthetic=synthetic[row.column]) for row in table.rows
    )
    return changed(report_cases.copies(), GRID, rows=rows, columns=columns or table.columns)


def test_what_accepting_would_change_is_said_of_the_target_that_falls_most():
    table = report_cases.copies()[1][GRID]
    told = said("checks", report_cases.copies())
    assert told["checks.accept"].startswith("If you accept that condition=no condition is common")
    extra = msgspec.structs.replace(
        table.columns[1], exclude=("condition=no condition", "condition=asthma")
    )
    columns = (table.columns[0], extra, *table.columns[2:])
    told = said("checks", changed(report_cases.copies(), GRID, columns=columns))
    assert "condition=no condition; condition=asthma" in told["checks.accept several"]


def test_where_only_missing_values_explain_anything_that_is_said():
    told = said("checks", grid_with([40.0, 40.0, 30.0, 10.0, 10.0]))
    assert "falls from 40.0 % to 30.0 %" in told["checks.grid missing"]


def test_where_nothing_explains_the_findings_that_is_said():
    assert "checks.grid same" in said("checks", grid_with([40.0, 40.0, 40.0, 10.0, 10.0]))


@pytest.mark.slow
def test_a_target_that_nobody_s_record_gives_away_has_its_own_sentence():
    row = report_cases.example()[1][HEADLINE].attribute
    rows = tuple(
        msgspec.structs.replace(one, DiSCO=0.0, removed=100.0, mean_denom=None, max_denom=0)
        if one.target == "income"
        else one
        for one in row
    )
    told = said("target", changed(report_cases.example(), HEADLINE, attribute=rows, effects=()))
    assert "No record could be attributed in this way: income of nobody" in told["target.nobody"]


@pytest.mark.slow
def test_a_target_that_could_not_be_measured_says_why():
    fields = {
        name: None
        for name in ("DiSCO", "Dorig", "DiS", "iS", "DiSDiO", "DCAP", "baseCAPd", "CAPd", "removed")
    }
    rows = rows_changed(report_cases.example()[1][COLLEAGUE].attribute, **fields)
    why = tuple(
        NotMeasured(target=row.target, copy=1, field="DiSCO", reason="all 3 cells are left out")
        for row in rows
    )
    pair = changed(report_cases.example(), COLLEAGUE, attribute=rows, not_measured=why)
    assert "attribute.nothing measured" in said("attribute", pair)
    told = said("target", pair)
    assert told["target.undefined"].endswith("could not be measured: all 3 cells are left out.")


@pytest.mark.slow
def test_a_copy_no_better_than_frequencies_is_said_to_be_none():
    rows = rows_changed(report_cases.example()[1][COLLEAGUE].attribute, DCAP=20.0, baseCAPd=30.0)
    told = said("attribute", changed(report_cases.example(), COLLEAGUE, attribute=rows))
    assert told["attribute.guess none"].startswith("For none of 2 targets is a guess")


@pytest.mark.slow
def test_groups_behind_a_finding_are_told_and_people_who_stand_alone_too():
    told = said("target", report_cases.copies())
    assert "people with the same keys and value: up to" in told["target.denominators"]
    rows = rows_changed(report_cases.copies()[1][HEADLINE].attribute, max_denom=1.0, mean_denom=1.0)
    alone = said("target", changed(report_cases.copies(), HEADLINE, attribute=rows))
    assert "nobody else has the same keys and value" in alone["target.alone"]


@pytest.mark.slow
def test_means_and_the_pool_are_told_apart_for_several_copies():
    told = said("target", report_cases.copies())
    assert told["disclosure/mean"].startswith("Figures are means over 3 copies; DiSCO ranges from")
    assert told["target.pooled"].startswith("Someone who pools all 3 copies would learn it")
    assert (
        "on average over 3 copies"
        in said("identity", report_cases.copies())["identity.funnel several"]
    )
    one_copy = {*said("identity", report_cases.example()), *said("target", report_cases.example())}
    assert not one_copy & {"target.pooled", "identity.pooled", "disclosure/mean"}


@pytest.mark.slow
def test_targets_beyond_the_three_worst_are_folded_on_paper_too():
    body = section("target", report_cases.many(12, 2)).body
    assert len(re.findall(r"<h3>", body)) == 3
    assert len(re.findall(r'<details class="aside"><summary>question_\d\d: DiSCO', body)) == 9
    assert body.count("<svg") == 12


def test_the_words_of_cap_are_folded_and_on_paper_only_those_of_the_worst_target_stand():
    body = section("cap", report_cases.copies()).body
    assert body.count("<details><summary>The same in words") == 1
    assert body.count('<details class="aside"><summary>The same in words') == 1
    outside = re.sub(r"<details.*?</details>", "", body)
    assert not re.findall(r'data-says="(?:attribution|targeted)/', outside)


def test_gtcap_of_every_target_stands_in_one_table():
    pair = report_cases.example()
    *_, (caption, (_, *rows)) = tables("gtcap", pair)
    assert caption == "GTCAP of every target, the highest first"
    records = [record for _, record in pair[1].about("gtcap", "colleague")]
    assert len(rows) == len(records)
    by_target = {record.target[0]: record for record in records}
    for target, n, mean, *_ in rows:
        assert n == f"{by_target[target].n_unique:,}"
        assert mean == ratio(by_target[target].mean)


@pytest.mark.slow
def test_a_scenario_with_the_figures_of_another_refers_to_it():
    contents, parts = report_cases.example()
    twin = msgspec.structs.replace(
        contents.run.part(HEADLINE), name="disclosure twin", scenario="t"
    )
    run = msgspec.structs.replace(contents.run, parts=(contents.run.part(HEADLINE), twin))
    first = contents.scenarios[0]
    both = (first, msgspec.structs.replace(first, name="t"))
    pair = (
        msgspec.structs.replace(contents, run=run, scenarios=both),
        Parts(run, {HEADLINE: parts[HEADLINE], twin.name: parts[HEADLINE]}),
    )
    for name in ("identity", "attribute", "target"):
        told = said(name, pair)
        assert told["scenario.same"] == "Keys and figures are those of neighbour: see there."
        assert section(name, pair).body.count("<h3>t</h3>") == 1


def test_parts_about_no_scenario_are_told_once_and_apart():
    contents, parts = report_cases.example()
    made = tuple(
        msgspec.structs.replace(one, scenario=None) if one.kind == "singling_out" else one
        for one in contents.run.parts
    )
    run = msgspec.structs.replace(contents.run, parts=made)
    records = {one.name: parts[one.name] for one in made}
    found = tables("leakage", (msgspec.structs.replace(contents, run=run), Parts(run, records)))
    labels = [row[0] for _, (heads, *rows) in found for row in rows if heads[0] == "attack"]
    assert len(labels) == len(set(labels)) > 4
    targets = [rows for _, (heads, *rows) in found if heads[0] == "target"]
    assert len(targets) == 1


def ruled_out(pair, rule, *, in_run=True, scenario="neighbour", part=HEADLINE):
    """The same after a ruling that something is common knowledge, which the run has or has not."""
    contents, parts = pair
    entry = ExclusionText(
        scenario=scenario, rule=rule, reason="known", by="R.", on=None, from_ruling=True,
        in_run=in_run,
    )  # fmt: skip
    contents = msgspec.structs.replace(contents, exclusions=(entry,))
    left = tuple(one for one in contents.judgement.findings if one.exclusion != rule)
    exclude = (*parts[part].exclude, rule) if in_run else parts[part].exclude
    return changed(judged_as((contents, parts), findings=left), part, exclude=exclude)


def test_a_ruling_that_a_run_follows_stays_in_the_table_and_is_not_asked_for_again():
    rule = "condition=no condition"
    before = len(
        [one for one in report_cases.copies()[0].judgement.findings if one.exclusion != rule]
    )
    pair = ruled_out(report_cases.copies(), rule)
    told = said("checks", pair)
    assert told["checks.summary"].startswith(f"Of {before + 1} finding")
    (_, (_, first, *_)), *_ = tables("checks", pair)
    assert (first[0], first[2:]) == (rule, ["● common knowledge, left out", "known", "R."])
    assert told["checks.accept"].startswith("If you accept that health=good is common knowledge")
    both = changed(pair, HEADLINE, exclude=(rule, "health=good"))
    told = said("checks", both)
    assert told["checks.accepted"].startswith(f"It was accepted that {rule} is common knowledge")
    assert "checks.accept" not in told


def test_a_ruling_that_came_after_the_run_is_not_among_its_findings():
    told = said("checks", ruled_out(report_cases.copies(), "condition=none at all", in_run=False))
    assert told["checks.accept"].startswith("If you accept that condition=no condition")


def test_a_missing_level_has_a_name_in_rules():
    table = report_cases.copies()[1][GRID]
    first = msgspec.structs.replace(table.columns[1], exclude=("condition=",))
    columns = (table.columns[0], first, *table.columns[2:])
    pair = changed(report_cases.copies(), GRID, columns=columns)
    assert "that condition=(missing) is common" in said("checks", pair)["checks.accept"]
    assert "<td>condition=(missing)</td>" in section("checks", pair).body


@pytest.mark.slow
def test_what_frequencies_count_is_said_where_something_is_left_out():
    told = said("attribute", report_cases.example())["attribute.baseline"]
    assert told.startswith("Frequencies alone are those of everybody")
    assert "target.baseline" in said("target", report_cases.example())
    assert "attribute.baseline" not in said("attribute", report_cases.copies())
    assert "target.baseline" not in said("target", report_cases.copies())


def test_a_copy_that_gives_away_more_has_no_share_that_it_removes():
    rows = rows_changed(report_cases.example()[1][COLLEAGUE].attribute, removed=-1450.0)
    pair = changed(report_cases.example(), COLLEAGUE, attribute=rows)
    body = section("attribute", pair).body
    assert "1450" not in body
    assert "none: it gives away more" in body


@pytest.mark.slow
def test_two_copies_are_too_few_to_speak_of_their_number():
    told = said("cap", report_cases.copies(2))
    assert "on m/m few" in told
    assert section("cap", report_cases.copies(2)).body.count("<svg") == 2


def test_people_used_who_are_given_away_less_than_others_are_no_leak():
    rows = tuple(
        msgspec.structs.replace(row, train=row.control - 1.0, R=-0.01)
        for row in report_cases.example()[1]["excess neighbour"].rows
        if row.control >= 1.0
    )
    pair = changed(report_cases.example(), "excess neighbour", rows=rows)
    told = said("leakage", pair)
    assert told["leakage.none"].startswith("People whose own record was used are not given away")
    assert "leakage.more" not in told


def test_the_widest_gap_is_said_in_points():
    row = max(
        report_cases.example()[1]["excess neighbour"].rows, key=lambda row: row.train - row.control
    )
    told = said("leakage", report_cases.example())["leakage.more"]
    assert f"most about {row.target}" in told
    assert told.endswith(f"which is {row.train - row.control:.1f} points.")


def copied_parts(n):
    """The example with its attacks on n copies, each under its own name."""
    contents, parts = report_cases.example()
    records = {one.name: parts[one.name] for one in contents.run.parts}
    made, kept = [], {}
    for one in contents.run.parts:
        kept[one.name] = records[one.name]
        if one.kind not in ("inference", "linkability"):
            made.append(one)
            continue
        for copy in range(1, n + 1):
            name = f"{one.name} copy {copy}"
            made.append(msgspec.structs.replace(one, name=name))
            rows = records[one.name].rows
            if copy == 2:
                rows = tuple(
                    msgspec.structs.replace(
                        row, main=0.9, R=(0.9 - row.control) / (1 - row.control), interval=(0.5, 1)
                    )
                    for row in rows
                )
            kept[name] = msgspec.structs.replace(records[one.name], rows=rows)
    made = [one for one in made if one.kind != "singling_out"]
    run = msgspec.structs.replace(contents.run, parts=tuple(made), n_synthetic=(900,) * n)
    return msgspec.structs.replace(contents, run=run), Parts(run, kept)


def test_of_several_copies_the_worst_attacked_is_shown_and_the_others_folded():
    pair = copied_parts(3)
    told = said("leakage", pair)
    assert told["leakage.copy"] == (
        "Shown are the attacks on copy 2, where R is highest of 3 copies."
    )
    body = section("leakage", pair).body
    assert re.findall(r"<summary>Attacks on copy (\d)", body) == ["1", "3"]
    assert "because their own records were used" in told["attacks/inference"]


def test_warnings_stand_in_the_words_of_the_records():
    parts = report_cases.example()[1]
    body = unescape(section("leakage", report_cases.example()).body)
    look = "".join(re.findall(r'<div class="look">(.*?)</div>', body))
    membership = parts["membership neighbour"].warnings
    rows = parts["inference neighbour"].rows
    assert membership
    assert any(row.warnings for row in rows)
    assert all(warning in look for warning in membership)
    # Of warnings alike but for their figures one is told, and of which rows.
    words = {re.sub(r"[\d,.]+", "#", warning) for row in rows for warning in row.warnings}
    assert all(word in re.sub(r"[\d,.]+", "#", look) for word in words)


def test_nobody_is_a_statistical_unique_and_nobody_is_alone():
    told = said("gtcap", report_cases.hostile())
    assert set(told) == {"gtcap/none", "gtcap/sizes"}
    assert "<svg" not in section("gtcap", report_cases.hostile()).body
    assert said("uniques", report_cases.hostile())["uniques/uniques"].startswith(
        "None of the people"
    )
    assert "<svg" not in section("uniques", report_cases.hostile()).body


def test_the_sentence_of_gtcap_stands_above_its_histogram():
    body = section("gtcap", report_cases.example()).body
    first = body.index('data-says="gtcap/scale"')
    assert first < body.index("<figure>") < body.index("The same figures as a table")


def test_a_sensitive_column_is_told_in_the_section_on_uniques():
    record = unveil.match_risk(
        survey().head(300), keys=["sex", "age", "region"], sensitive="health"
    ).record
    contents, parts = report_cases.example()
    records = {one.name: parts[one.name] for one in contents.run.parts}
    pair = contents, Parts(contents.run, {**records, "match_risk neighbour": record})
    assert (
        "only with records of one value of health" in said("uniques", pair)["match risk/diversity"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", ["example", "copies", "hostile"])
@pytest.mark.parametrize("name", SECTIONS)
def test_headings_go_down_one_level_at_a_time_and_tables_have_heads(name, case):
    found = section(name, getattr(report_cases, case)())
    if found is None:
        return
    levels = [2, *map(int, re.findall(r"<h(\d)>", found.body))]
    assert all(below <= above + 1 for above, below in pairwise(levels))
    assert found.id == name
    assert all(rows and rows[0] for _, rows in Tables(found.body).found)


def test_sections_are_the_same_twice():
    for name in ("identity", "attribute", "checks"):
        again = import_module(f"unveil.view.sections.{name}").section(*report_cases.copies())
        assert again == section(name, report_cases.copies())


def test_identity_that_could_not_be_measured_says_why():
    gone = {"UiO": None, "UiOiS": None, "repU": None, "UiS": None}
    rows = rows_changed(report_cases.example()[1][COLLEAGUE].identity, **gone)
    why = (NotMeasured(target=None, copy=1, field="UiO", reason="no record is left"),)
    pair = changed(report_cases.example(), COLLEAGUE, identity=rows, not_measured=why)
    told = said("identity", pair)["identity.undefined"]
    assert told == "Who is alone could not be measured: no record is left."


def test_where_no_target_has_both_sides_that_is_said():
    rows = rows_changed(report_cases.example()[1]["excess neighbour"].rows, control=None, R=None)
    pair = changed(report_cases.example(), "excess neighbour", rows=rows)
    assert "leakage.nothing" in said("leakage", pair)

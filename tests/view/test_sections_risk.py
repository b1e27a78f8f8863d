"""The sections on risk: their tables against the records, and every case that says something else.

Numbers of sentences are worked out again by `derived`, here for the cases that no whole report has.
"""

import re
from itertools import pairwise

import msgspec
import pytest

import unveil
from unveil.examples import survey
from unveil.records.disclosure import NotMeasured
from unveil.records.report import ExclusionText, Parts
from unveil.view.blocks import Figure, Heading, Items, TableBlock
from unveil.view.format import n_of, ratio
from unveil.view.sections.checks import value_of
from view import report_cases
from view.derived.written import percent
from view.section_blocks import (
    changed,
    draw,
    figures,
    flat,
    folds,
    judged_as,
    rows_changed,
    said,
    table,
    tables,
)

SECTIONS = ("identity", "attribute", "checks", "cap", "leakage", "gtcap", "uniques")
HEADLINE = "disclosure neighbour"
COLLEAGUE = "disclosure colleague"
GRID = "exclusion_table neighbour"


# The tables, cell by cell.


def test_the_table_of_identity_is_the_record():
    record = report_cases.copies()[1][HEADLINE]
    rows = table("identity", report_cases.copies(), "copy")
    assert [row[0] for row in rows] == ["copy 1", "copy 2", "copy 3", "mean", "all pooled"]
    for cells, row in zip(rows, record.identity, strict=True):
        expected = []
        for value in (row.UiO, row.UiOiS, row.repU):
            n = value * 6
            about = "" if abs(n - round(n)) < 1e-6 else "about "
            expected += [percent(value), f"{about}{round(n):,}"]
        assert list(cells[1:7]) == expected
        assert cells[7].startswith(percent(row.UiS))


@pytest.mark.slow
def test_the_table_of_all_targets_is_the_record_with_wrong_values_and_status():
    parts = report_cases.example()[1]
    records = {"neighbour": parts[HEADLINE], "colleague": parts[COLLEAGUE]}
    shown = tables("attribute", report_cases.example())[0]
    pairs = [(target, name) for name, record in records.items() for target in record.targets]
    assert sorted(row[:2] for row in shown.rows) == sorted(pairs)
    statuses, order = [], []
    for (target, name, *rest), bar in zip(shown.rows, shown.bars, strict=True):
        cells, record = (target, *rest), records[name]
        row = record.attribute_of(target, 1)
        order.append(row.DiSCO)
        n = record.n_original / 100
        correct, wrong = (round(value * n) for value in (row.DiSCO, row.DiS - row.DiSCO))
        both = f"{correct:,} ({percent(row.DiSCO)})".replace(" ", "\u00a0")
        assert cells[1:4] == (percent(row.Dorig), both, f"{wrong:,}")
        assert cells[4] == percent(100 * correct / (correct + wrong))
        status = "■ above limit" if row.DiSCO > 10 else "▲ review" if row.DiSCO > 5 else "● within"
        assert cells[5] == status
        assert (bar.correct, bar.dot, bar.limit) == (row.DiSCO, row.Dorig, 10)
        assert bar.correct + bar.wrong == pytest.approx(row.DiS)
        statuses.append(row.DiSCO > 10)
    assert set(statuses) == {True, False}
    assert order == sorted(order, reverse=True)


def test_several_copies_have_their_range_and_the_pool_in_the_table():
    record = report_cases.copies()[1][HEADLINE]
    for cells in table("attribute", report_cases.copies(), "pooled"):
        values = [record.attribute_of(cells[0], copy).DiSCO for copy in (1, 2, 3)]
        mean = sum(values) / 3
        n = n_of(mean, record.n_original).removeprefix("about ")
        assert cells[2] == f"{n} ({percent(mean)})".replace(" ", "\u00a0")
        assert cells[-5] == f"{min(values):.1f}\u00a0to\u00a0{max(values):.1f}"
        assert cells[-4] == percent(record.attribute_of(cells[0], "pooled").DiSCO)


def test_more_than_twenty_five_targets_are_folded():
    pair = report_cases.many()
    first, rest, *_ = tables("attribute", pair)
    assert (len(first.rows), len(rest.rows)) == (25, 35)
    assert first.footnote.startswith("... and 35 more with a lower figure.")
    assert "35 more rows" in folds("attribute", pair)
    assert sum(": from match to disclosure" in one for one in folds("attribute", pair)) == 60


def test_guesses_stand_in_a_table_beside_their_baseline():
    record = report_cases.copies()[1][HEADLINE]
    for target, *cells in table("attribute", report_cases.copies(), "baseline (baseCAPd)"):
        row = record.attribute_of(target, "mean")
        assert cells == [percent(value) for value in (row.baseCAPd, row.DCAP, row.CAPd)]


def test_each_target_has_a_table_of_its_steps_in_every_copy():
    record = report_cases.copies()[1][HEADLINE]
    pair = report_cases.copies()
    order = [row[0] for row in table("attribute", pair, "pooled")]
    for place, target in enumerate(order):
        heads, *rows = zip(*table("attribute", pair, "measure", place), strict=True)
        own = [row for row in record.attribute if row.target == target]
        for cells, row in zip(rows, own, strict=True):
            shown = dict(zip(heads, cells, strict=True))
            for symbol in ("iS", "DiS", "DiSCO", "DiSDiO", "Dorig", "baseCAPd", "DCAP", "CAPd"):
                assert shown[symbol] == percent(getattr(row, symbol))
            assert float(shown["largest group"]) == pytest.approx(row.max_denom, abs=0.005)
            assert float(shown["mean group, synthetic"]) == pytest.approx(
                row.mean_denom_syn, abs=0.005
            )


def test_flags_are_grouped_by_target_and_value_and_every_one_unfolds():
    contents, _ = report_cases.example()
    findings = contents.judgement.findings
    groups = {(one.target, one.exclusion.split("@")[0]) for one in findings}
    rows = table("checks", report_cases.example(), "why flagged")
    assert len(rows) == len(groups)
    assert sum(int(row[1]) for row in rows) == len(findings)
    findings = [one for one in findings if one.scenario == "neighbour"]
    every = table("checks", report_cases.example(), "flag")
    words = {"open": "○ outstanding", "keep": "■ residual", "common knowledge": "● common"}
    by_rule = {one.exclusion: one for one in findings}
    assert len(every) == len(findings)
    for rule, sentence, ruling, why, by in every:
        one = by_rule[rule]
        assert sentence == one.sentence
        assert ruling.startswith(words[one.state])
        assert why == (one.reason or "-")
        assert by == (f"{one.by}, {one.on}" if one.by else "-")
    assert every[0][2] == "○ outstanding"


def test_the_value_of_a_two_way_flag_is_that_before_its_key():
    assert value_of("marital=never@age=16") == "marital=never"
    assert value_of('"a@b"="c""@d"@age=16') == '"a@b"="c""@d"'


def test_the_grid_is_a_table_too():
    record = report_cases.example()[1][GRID]
    title = record.columns[0].title
    cells = {(row.target, row.column): row for row in record.rows}
    for target, *shown in table("checks", report_cases.example(), title):
        for column, text in enumerate(shown):
            row = cells[target, column]
            for told, value in zip(
                re.findall(r"[<\d.]+", text), (row.synthetic, row.original), strict=True
            ):
                assert told == ("0" if not value else f"{value:.1f}")


def test_cap_is_a_table_and_a_chart_where_there_are_several_copies():
    record = report_cases.example()[1]["cap neighbour marital full"]
    rows = table("cap", report_cases.example(), "matched")
    (shown,) = (row for row in rows if row[:2] == ("marital", "full set"))
    row = record.rows[0]
    assert shown[2:4] == (f"{row.n:,}", f"{row.n_match:,}")
    fields = ("cap_baseline", "cap_synthetic_zero", "cap_synthetic_undefined", "cap_original")
    assert shown[4:] == tuple(percent(100 * getattr(row, field)) for field in fields)
    assert figures("cap", report_cases.example()) == 0
    pair = report_cases.copies()
    assert figures("cap", pair) == 2
    assert figures("cap", pair, on_paper=True) == 1
    assert [row[1] for row in table("cap", pair, "copies")] == ["1", "2", "3"] * 3


def test_the_words_of_cap_are_folded():
    assert not any(
        key.startswith("attrib") for key in said("cap", report_cases.copies(), on_paper=True)
    )
    assert any(key.startswith("attrib") for key in said("cap", report_cases.copies()))


@pytest.mark.slow
def test_the_table_of_attacks_has_every_row():
    parts = report_cases.example()[1]
    n_rows = sum(
        len(parts[f"{kind} neighbour"].rows)
        for kind in ("singling_out", "linkability", "inference")
    )
    assert n_rows == len(table("leakage", report_cases.example(), "attack"))


def test_train_against_control_stands_in_a_table():
    record = report_cases.example()[1]["excess neighbour"]
    found = {row.target: row for row in record.rows}
    for target, measure, train, control, _ in table("leakage", report_cases.example(), "target"):
        row = found[target]
        assert (measure, train, control) == ("DiSCO", percent(row.train), percent(row.control))


def test_gtcap_of_every_target_stands_in_one_table_and_the_histogram_in_another():
    pair = report_cases.copies()
    records = {record.target[0]: record for _, record in pair[1].of("gtcap")}
    for target, n, mean, *_ in table("gtcap", pair, "target"):
        assert (n, mean) == (f"{records[target].n_unique:,}", ratio(records[target].mean))
    for target, n, _, mean, *_ in table("gtcap", pair, "copy"):
        assert n == f"{records[target].n_unique:,}"
        assert mean in {ratio(row.mean) for row in records[target].copies}
    highest = max(records.values(), key=lambda one: one.mean)
    shown = table("gtcap", pair, "score")
    assert [int(n) for _, n in shown] == [one.n for one in highest.histogram]


def test_keys_and_sizes_of_uniques_are_the_record():
    record = report_cases.copies()[1]["suda neighbour"]
    sizes = table("uniques", report_cases.copies(), "keys needed")
    assert [tuple(map(int, row)) for row in sizes] == [
        (row.size, row.n_msu, row.n_records) for row in record.sizes
    ]
    keys = table("uniques", report_cases.copies(), "key")
    assert {row[0]: row[2] for row in keys} == {
        row.key: percent(row.percent) for row in record.contributions
    }


# What is said where there is nothing, little, or something else to say.


def test_where_nothing_was_measured_each_section_says_why_once():
    for name in ("attribute", "cap", "leakage", "gtcap", "uniques"):
        told = said(name, report_cases.empty())
        assert set(told) == {"not measured"}
        assert "The control has no column 'region'" in told["not measured"]
    assert said("checks", report_cases.empty()) == {}


def test_what_nobody_asked_for_has_no_section():
    contents, _ = report_cases.empty()
    run = msgspec.structs.replace(contents.run, parts=())
    pair = msgspec.structs.replace(contents, run=run), Parts(run, {})
    assert [draw(name, pair) for name in SECTIONS] == [[]] * len(SECTIONS)


@pytest.mark.slow
def test_a_scenario_without_targets_says_so():
    pair = changed(report_cases.example(), COLLEAGUE, targets=(), attribute=(), flags=())
    assert "attribute.no targets" in said("attribute", pair)


@pytest.mark.slow
def test_without_limits_no_target_has_a_status():
    given = report_cases.example()[0].judgement.figures
    bare = rows_changed(given, review=None, limit=None, status="no limit")
    pair = judged_as(report_cases.example(), figures=bare)
    assert said("attribute", pair)["attribute.no limit"].startswith("No limit is set for DiSCO")
    assert "identity.status" not in said("identity", pair)


def test_limits_are_counted_in_targets():
    told = said("attribute", report_cases.copies())["attribute.status"]
    assert told.startswith(
        "Of 3 targets, 3 are above the limit of 10 % for DiSCO, none is in review"
    )


@pytest.mark.slow
def test_without_flags_the_checks_say_from_where_on_they_would_have_raised_some():
    told = said("checks", judged_as(report_cases.example(), findings=()))["checks.none"]
    assert "more than 10 correct disclosures and 60 % of all" in told
    assert "more than 3 where more than 70 % of its people" in told


def test_very_many_flags_are_cut_and_counted():
    first = report_cases.copies()[0].judgement.findings[0]
    many = tuple(
        msgspec.structs.replace(first, id=f"neighbour/{n}", exclusion=f"health={n}")
        for n in range(203)
    )
    pair = judged_as(report_cases.copies(), findings=many)
    assert said("checks", pair)["checks.summary"].startswith("203 flags on 203 values")
    (every,) = (one for one in tables("checks", pair) if "flag" in [c.head for c in one.columns])
    assert (len(every.rows), every.footnote) == (200, "... and 3 more in results.json")


def test_one_flag_is_spoken_of_in_the_singular():
    one = report_cases.copies()[0].judgement.findings[:1]
    told = said("checks", judged_as(report_cases.copies(), findings=one))["checks.summary"]
    assert told.startswith("1 flag on 1 value may be common knowledge: 1 is outstanding")


def grid_with(synthetic, columns=None):
    """The grid of the copies with figures of one's own, by column."""
    record = report_cases.copies()[1][GRID]
    rows = tuple(
        msgspec.structs.replace(row, synthetic=synthetic[row.column]) for row in record.rows
    )
    return changed(report_cases.copies(), GRID, rows=rows, columns=columns or record.columns)


def test_what_excluding_would_change_is_said_of_the_target_that_falls_most():
    record = report_cases.copies()[1][GRID]
    told = said("checks", report_cases.copies())["checks.accept"]
    assert told.startswith("Excluding condition=no condition as common knowledge would lower DiSCO")
    extra = msgspec.structs.replace(
        record.columns[1], exclude=("condition=no condition", "condition=")
    )
    columns = (record.columns[0], extra, *record.columns[2:])
    told = said("checks", changed(report_cases.copies(), GRID, columns=columns))["checks.accept"]
    assert "condition=no condition; condition=(missing)" in told


def test_where_only_missing_values_or_nothing_explains_anything_that_is_said():
    told = said("checks", grid_with([40.0, 40.0, 30.0, 10.0, 10.0]))
    assert "from 40.0 % to 30.0 %" in told["checks.grid missing"]
    assert "checks.grid same" in said("checks", grid_with([40.0, 40.0, 40.0, 10.0, 10.0]))


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
    told = said("attribute", pair)
    assert told["target.undefined"].endswith("could not be measured: all 3 cells are left out.")
    last = table("attribute", pair, "disclosed correctly (DiSCO)")[-1]
    assert last[1:6] == ("colleague", *("-",) * 4)


@pytest.mark.slow
def test_guesses_no_better_than_the_baseline_are_said_to_be_none():
    rows = rows_changed(report_cases.example()[1][COLLEAGUE].attribute, DCAP=20.0, baseCAPd=30.0)
    pair = changed(report_cases.example(), COLLEAGUE, attribute=rows)
    assert "for 0 of 2 targets." in said("attribute", pair)["attribute.guess"]
    told = said("attribute", report_cases.copies())["attribute.guess"]
    assert "exclusions" not in told


@pytest.mark.slow
def test_groups_behind_a_disclosure_are_told_and_single_people_too():
    told = said("attribute", report_cases.copies())
    assert "people on average (largest" in told["target.groups"]
    rows = rows_changed(report_cases.copies()[1][HEADLINE].attribute, max_denom=1.0, mean_denom=1.0)
    one = said("attribute", changed(report_cases.copies(), HEADLINE, attribute=rows))
    assert one["target.one"] == "Every correct disclosure concerns one person."


@pytest.mark.slow
def test_means_and_the_pool_are_told_apart_for_several_copies():
    told = said("attribute", report_cases.copies()) | said("identity", report_cases.copies())
    assert told["target.pooled"].startswith("With all 3 copies pooled, it would be correctly")
    assert told["identity.pooled"].startswith("With all 3 copies pooled, ")
    one_copy = {
        *said("identity", report_cases.example()),
        *said("attribute", report_cases.example()),
    }
    assert not one_copy & {"target.pooled", "identity.pooled", "disclosure/mean"}


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
    for name in ("identity", "attribute"):
        told = said(name, pair)
        assert told["scenario.same"] == "Keys and figures are those of neighbour: see there."
        headings = [one.text for one in draw(name, pair) if isinstance(one, Heading)]
        assert headings.count("t") == 1


def ruled_out(pair, rule, *, in_run=True):
    """The same after a ruling that something is common knowledge, which the run has or has not."""
    contents, parts = pair
    entry = ExclusionText(
        scenario="neighbour", rule=rule, reason="known", by="R.", on=None, from_ruling=True,
        in_run=in_run,
    )  # fmt: skip
    contents = msgspec.structs.replace(contents, exclusions=(entry,))
    left = tuple(one for one in contents.judgement.findings if one.exclusion != rule)
    exclude = (*parts[HEADLINE].exclude, rule) if in_run else parts[HEADLINE].exclude
    return changed(judged_as((contents, parts), findings=left), HEADLINE, exclude=exclude)


def test_a_ruling_that_a_run_follows_stays_in_the_table_and_is_not_asked_for_again():
    rule = "condition=no condition"
    pair = ruled_out(report_cases.copies(), rule)
    last = table("checks", pair, "why flagged")[-1]
    assert (last[0], last[3]) == (rule, '● common knowledge, excluded: "known", R.')
    told = said("checks", pair)
    assert told["checks.summary"].endswith(" 1 earlier ruling excludes more from this run.")
    assert told["checks.accept"].startswith("Excluding health=good as common knowledge would")
    labelled = changed(pair, HEADLINE, exclude=("condition=no condition (0)",))
    told = said("checks", labelled)  # a record has labels beside codes, a ruling the codes alone
    assert told["checks.accept"].startswith("Excluding health=good as common knowledge would")
    told = said("checks", changed(pair, HEADLINE, exclude=(rule, "health=good")))
    assert told["checks.accepted"].startswith(f"Excluding {rule} as common knowledge, as this run")
    assert "checks.accept" not in told


def test_a_ruling_that_came_after_the_run_is_not_among_its_flags():
    told = said("checks", ruled_out(report_cases.copies(), "condition=none at all", in_run=False))
    assert told["checks.accept"].startswith("Excluding condition=no condition")


@pytest.mark.slow
def test_two_copies_are_too_few_to_speak_of_their_number():
    assert "on m/m few" in said("cap", report_cases.copies(2))


def test_training_records_disclosed_less_than_the_control_are_no_leak():
    rows = tuple(
        msgspec.structs.replace(row, train=row.control - 1.0, R=-0.01)
        for row in report_cases.example()[1]["excess neighbour"].rows
        if row.control >= 1.0
    )
    told = said("leakage", changed(report_cases.example(), "excess neighbour", rows=rows))
    assert told["leakage.none"].startswith("Training records are not disclosed more often")
    assert "leakage.more" not in told
    gone = rows_changed(report_cases.example()[1]["excess neighbour"].rows, control=None, R=None)
    pair = changed(report_cases.example(), "excess neighbour", rows=gone)
    assert "leakage.nothing" in said("leakage", pair)


def test_the_widest_gap_is_said_in_points():
    row = max(
        report_cases.example()[1]["excess neighbour"].rows, key=lambda row: row.train - row.control
    )
    told = said("leakage", report_cases.example())["leakage.more"]
    assert f"most for {row.target}: " in told
    assert told.endswith(f"({row.train - row.control:.1f} points).")


def copied_parts(n):
    """The example with its attacks on n copies, each under its own name."""
    contents, parts = report_cases.example()
    made, kept = [], {}
    for one in contents.run.parts:
        kept[one.name] = parts[one.name]
        if one.kind not in ("inference", "linkability"):
            made.append(one)
            continue
        for copy in range(1, n + 1):
            name = f"{one.name} copy {copy}"
            made.append(msgspec.structs.replace(one, name=name))
            rows = parts[one.name].rows
            if copy == 2:
                rows = tuple(
                    msgspec.structs.replace(
                        row, main=0.9, R=(0.9 - row.control) / (1 - row.control), interval=(0.5, 1)
                    )
                    for row in rows
                )
            kept[name] = msgspec.structs.replace(parts[one.name], rows=rows)
    made = [one for one in made if one.kind != "singling_out"]
    run = msgspec.structs.replace(contents.run, parts=tuple(made), n_synthetic=(900,) * n)
    return msgspec.structs.replace(contents, run=run), Parts(run, kept)


def test_of_several_copies_the_worst_attacked_is_shown_and_the_others_folded():
    pair = copied_parts(3)
    told = said("leakage", pair)
    assert told["leakage.copy"] == "Attacks on copy 2, where R is highest of 3 copies."
    assert {"Attacks on copy 1", "Attacks on copy 3"} <= set(folds("leakage", pair))


def test_warnings_stand_in_the_words_of_the_records():
    parts = report_cases.example()[1]
    items = [one for one in flat(draw("leakage", report_cases.example())) if isinstance(one, Items)]
    look = " ".join(row for one in items for row in one.rows)
    membership = parts["membership neighbour"].warnings
    assert membership
    assert all(warning in look for warning in membership)
    # Of warnings alike but for their figures one is told, and of which rows.
    rows = parts["inference neighbour"].rows
    words = {re.sub(r"[\d,.]+", "#", warning) for row in rows for warning in row.warnings}
    assert words
    assert all(word in re.sub(r"[\d,.]+", "#", look) for word in words)


def test_without_uniques_there_is_no_chart_of_them():
    assert set(said("gtcap", report_cases.hostile())) == {"gtcap/none", "gtcap/sizes"}
    assert figures("gtcap", report_cases.hostile()) == 0
    assert "uniques/uniques" in said("uniques", report_cases.hostile())
    assert figures("uniques", report_cases.hostile()) == 0


def test_a_sensitive_column_is_told_in_the_section_on_uniques():
    record = unveil.match_risk(
        survey().head(300), keys=["sex", "age", "region"], sensitive="health"
    ).record
    contents, parts = report_cases.example()
    records = {one.name: parts[one.name] for one in contents.run.parts}
    pair = contents, Parts(contents.run, {**records, "match_risk neighbour": record})
    assert "health" in said("uniques", pair)["match risk/diversity"]


@pytest.mark.slow
@pytest.mark.parametrize("case", ["example", "copies", "hostile"])
@pytest.mark.parametrize("name", SECTIONS)
def test_headings_go_down_one_level_at_a_time_and_charts_have_sentences_and_tables(name, case):
    blocks = list(flat(draw(name, getattr(report_cases, case)())))
    levels = [2, *(one.level for one in blocks if isinstance(one, Heading))]
    assert all(below <= above + 1 for above, below in pairwise(levels))
    for place, one in enumerate(blocks):  # its own table, or one that stands before it
        if isinstance(one, Figure):
            tables = [
                one.table,
                *(block for block in blocks[:place] if isinstance(block, TableBlock)),
            ]
            assert any(table is not None and table.rows for table in tables)


def test_identity_that_could_not_be_measured_says_why():
    gone = {"UiO": None, "UiOiS": None, "repU": None, "UiS": None}
    rows = rows_changed(report_cases.example()[1][COLLEAGUE].identity, **gone)
    why = (NotMeasured(target=None, copy=1, field="UiO", reason="no record is left"),)
    pair = changed(report_cases.example(), COLLEAGUE, identity=rows, not_measured=why)
    told = said("identity", pair)["identity.undefined"]
    assert told == "Uniqueness could not be measured: no record is left."

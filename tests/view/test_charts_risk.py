"""What the pictures of risk say, as data; each is drawn once, and once with hostile names."""

from functools import cache
from html import unescape
from itertools import pairwise
from xml.dom import minidom

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from unveil.errors import SettingsError
from unveil.examples import KEYS, TARGETS, survey, survey_synthetic
from unveil.records.cap import GtcapBin
from unveil.view import attacks, flags, gtcap, membership, uniques
from unveil.view.charts import dots, lines, marks
from unveil.view.charts.chart import shrink_svg
from unveil.view.charts.marks import BAD, BASELINE, STATUS_COLOURS, SYNTHETIC, reach_of
from unveil.view.format import truncate, visible
from unveil.view.status import GLYPHS, WORDS, format_status, worst
from view import report_cases


def contents_of(case):
    return report_cases.many(60, 2) if case == "many" else getattr(report_cases, case)()


def record(case="example", kind="disclosure", place=0):
    return contents_of(case)[1].of(kind)[place][1]


def judged(case="example", part="disclosure neighbour"):
    contents, _ = contents_of(case)
    return [one for one in contents.judgement.figures if one.part == part]


def layers(spec):
    """Every layer of a picture, those of its panels too."""
    for part in (*spec.get("hconcat", ()), *spec.get("vconcat", ())):
        yield from layers(part)
    yield from spec.get("layer", ())


def texts(spec):
    """Every text that a picture's layers get as data."""
    for layer in layers(spec):
        for row in layer.get("data", {}).get("values", ()):
            yield from (value for value in row.values() if isinstance(value, str))
    for row in spec.get("data", {}).get("values", ()):
        yield from (value for value in row.values() if isinstance(value, str))


@pytest.mark.slow
def test_the_funnel_says_of_how_many_each_bar_is_and_draws_the_odd_one_hollow():
    found = record()
    row = found.identity_of(1)
    spec = dots.identity_chart(found).spec
    rows = spec["data"]["values"]
    assert [one["value"] for one in rows] == [row.UiO, row.UiOiS, row.repU, row.UiS]
    assert [one["told"].split(" of ")[-1] for one in rows] == [*["900 people"] * 3, "900 records"]
    sides = [one["side"] for one in rows]
    assert sides == ["original", "synthetic", "synthetic", "synthetic records"]
    fill = spec["layer"][0]["encoding"]["fill"]["scale"]
    assert dict(zip(fill["domain"], fill["range"], strict=True))["synthetic records"] == "white"


def test_a_mean_over_copies_of_other_sizes_is_of_no_number_of_records():
    found = msgspec.structs.replace(record("copies"), n_synthetic=(600, 600, 599))
    assert dots.identity_rows(found, "mean")[-1]["told"].endswith("% of synthetic records")
    assert dots.identity_rows(found, 3)[-1]["told"].endswith("of 599 records")
    assert dots.identity_rows(found, "pooled")[-1]["told"].endswith("of 1,799 records")


def test_the_steps_of_a_target_only_go_down():
    found = record()
    for target in found.targets:
        values = [bar["value"] for bar in dots.step_rows(found, target, 1)]
        assert values == sorted(values, reverse=True)


def test_targets_are_ordered_by_what_the_copy_gives_away():
    found = record()
    rows = dots.lollipop_chart(found).spec["data"]["values"]
    assert [row["synthetic"] for row in rows] == sorted(
        (r["synthetic"] for r in rows), reverse=True
    )
    first = found.attribute_of(rows[0]["name"], 1)
    assert (rows[0]["synthetic"], rows[0]["original"]) == (first.DiSCO, first.Dorig)


def test_limits_are_lines_with_names_above_the_plot_and_no_figure_stands_near_a_mark():
    spec = dots.lollipop_chart(record(), judged=judged()).spec
    assert {"review above 5 %", "limit 10 %"} <= set(texts(spec))
    rules = [one for one in spec["layer"] if one["mark"].get("color") == BAD]
    assert [one["data"]["values"] for one in rules] == [[{"value": 10}]]
    columns = [
        one["encoding"]["x"]["value"]
        for one in spec["layer"]
        if one["mark"]["type"] == "text" and "field" in one["encoding"]["y"]
    ]
    assert min(columns) < 0
    assert all(x < 0 or x > spec["width"] for x in columns)


def test_the_name_of_a_limit_never_runs_into_the_columns():
    high = [msgspec.structs.replace(one, review=98.0, limit=99.0) for one in judged()]
    spec = dots.lollipop_chart(record(), judged=high).spec
    (head,) = (
        one
        for one in spec["layer"]
        if one.get("data", {}).get("values", [{}])[0].get("text") == "limit 99 %"
    )
    assert head["mark"]["align"] == "right"
    assert head["encoding"]["x"]["value"] < spec["width"]


def test_without_limits_there_is_no_line_and_no_status():
    spec = dots.lollipop_chart(record()).spec
    assert not any(one["mark"].get("color") == BAD for one in spec["layer"])
    assert not any("status" in str(one["encoding"].get("text")) for one in spec["layer"])


def test_status_is_a_shape_and_a_word_beside_its_colour():
    rows = dots.lollipop_rows(record(), "DiSCO", judged())
    assert {row["status"] for row in rows} == {"above limit", "within"}
    for row in rows:
        status = next(one for one, word in WORDS.items() if word == row["status"])
        assert (row["glyph"], row["colour"]) == (GLYPHS[status], STATUS_COLOURS[status])
    assert len(set(GLYPHS.values())) == len(GLYPHS)
    assert format_status("review") == "▲ review"


@pytest.mark.slow
def test_the_worst_status_of_all_copies_stands_for_a_target():
    assert worst(["within", "above", "no limit"]) == "above"
    assert worst([]) == "no limit"
    rows = dots.lollipop_rows(record("many"), "DiSCO", judged("many"))
    mean_below = [row for row in rows if row["synthetic"] < 10 and row["status"] == "above limit"]
    assert mean_below
    assert all(row["highest"] > 10 or row["pooled"] > 10 for row in mean_below)


def test_what_the_checks_raised_stands_as_words_at_the_right():
    found = record()
    rows = dots.lollipop_rows(found, "DiSCO", ())
    for row in rows:
        kinds = {flag.kind for flag in found.flags if flag.target == row["name"]}
        words = {"one_way": "1-way", "two_way": "2-way"}
        assert row["checks"] == ", ".join(words[kind] for kind in sorted(kinds))


def test_guesses_have_a_baseline_and_what_is_learnt_for_certain_has_none():
    found = record()
    marks = [one["mark"]["type"] for one in dots.lollipop_chart(found).spec["layer"]]
    guesses = dots.lollipop_chart(found, measure="DCAP").spec
    assert "tick" not in marks
    (tick,) = (one for one in guesses["layer"] if one["mark"]["type"] == "tick")
    assert tick["mark"]["color"] == BASELINE
    assert guesses["data"]["values"][0]["baseline"] == found.attribute_of("condition", 1).baseCAPd


def test_several_copies_show_their_range_and_the_pool():
    found = record("copies")
    for row in dots.lollipop_rows(found, "DiSCO", ()):
        values = [found.attribute_of(row["name"], copy).DiSCO for copy in (1, 2, 3)]
        assert (row["lowest"], row["highest"]) == (min(values), max(values))
        assert row["pooled"] == found.attribute_of(row["name"], "pooled").DiSCO


@pytest.mark.slow
def test_many_targets_have_a_row_each_and_the_picture_grows():
    found = record("many")
    spec = dots.lollipop_chart(found, judged=judged("many"), targets=found.targets[:50]).spec
    assert [row["place"] for row in spec["data"]["values"]] == list(range(50))
    assert spec["height"]["step"] >= 12 * 1.5  # room for a line of text


def test_names_that_look_alike_stay_two_rows():
    found = record()
    long = "W" * 200
    alike = {"condition": long + "a", "marital": long + "b"}
    rows = tuple(
        msgspec.structs.replace(row, target=alike.get(row.target, row.target))
        for row in found.attribute
    )
    twin = msgspec.structs.replace(found, targets=tuple(alike.values()), attribute=rows, flags=())
    shown = dots.lollipop_chart(twin).spec["data"]["values"]
    assert shown[0]["name"] == shown[1]["name"]
    assert shown[0]["place"] != shown[1]["place"]


@pytest.mark.parametrize(
    ("values", "reach"), [([], 1), ([None, 0.4], 1), ([3.2], 5), ([20.0], 20), ([93], 100)]
)
def test_an_axis_ends_at_the_next_round_number(values, reach):
    assert reach_of(values) == reach


def test_the_ladder_has_two_rungs_for_what_is_certain_and_three_for_guesses():
    found = record()
    row = found.attribute_of("condition", 1)
    rungs = dots.rung_rows(found, "condition", 1)
    assert [(r["ladder"], r["of"], r["rung"]) for r in rungs] == [
        ("correct", "synthetic", row.DiSCO),
        ("correct", "original", row.Dorig),
        ("guessed", "baseline", row.baseCAPd),
        ("guessed", "synthetic", row.DCAP),
        ("guessed", "original", row.CAPd),
    ]


def test_both_halves_of_the_picture_of_a_target_are_in_order_under_their_heads():
    spec = dots.target_chart(record(), "condition").spec
    rows = spec["data"]["values"]
    kinds = ["head" if r["head"] else "bar" if "value" in r else "rung" for r in rows]
    assert kinds == ["head", *["bar"] * 4, "head", *["rung"] * 5]
    assert [row["place"] for row in rows] == list(range(11))


def test_the_grid_has_a_panel_for_each_set_of_exclusions_with_the_record_s_figures():
    table = record(kind="exclusion_table")
    spec = dots.exclusion_grid_chart(table).spec
    assert len(spec["hconcat"]) == len(table.columns) == 5
    for column, panel in zip(table.columns, spec["hconcat"], strict=True):
        assert " ".join(panel["title"]["text"]) == column.title
        found = {row.target: row for row in table.rows if row.column == column.column}
        for row in panel["data"]["values"]:
            cell = found[row["name"]]
            assert (row["synthetic"], row["original"]) == (cell.synthetic, cell.original)
    domains = {str(layer["encoding"]["x"].get("scale")) for layer in layers(spec)} - {"None"}
    assert len(domains) == 1  # one axis for all panels, or they could not be compared


def test_cap_by_m_has_four_lines_in_each_group_of_people():
    _, parts = report_cases.copies()
    caps = [one for _, one in parts.of("cap") if one.target == "health"]
    spec = lines.cap_lines_chart(caps).spec
    titles = [panel["title"]["text"] for panel in spec["hconcat"]]
    assert titles == ["full set", "statistical uniques", "special uniques"]
    for cap, panel in zip(caps, spec["hconcat"], strict=True):
        drawn = {
            (row["line"], row["m"]): row["value"] for row in panel["layer"][0]["data"]["values"]
        }
        for row in cap.rows:
            for name, (field, *_) in lines.LINES.items():
                assert drawn[name, row.m] == getattr(row, field)
    _, _, dashes, shapes = zip(*lines.LINES.values(), strict=True)
    assert len(set(shapes)) == 4  # told apart without a colour
    assert len(set(map(str, dashes))) == 3


@given(st.lists(st.floats(0, 200), min_size=1, max_size=4))
def test_names_at_the_ends_of_lines_never_meet_and_stay_in_the_room(heights):
    placed = marks.separate_labels([(at, str(n)) for n, at in enumerate(heights)], 14, 200)
    ats = [at for at, _ in placed]
    assert {text for _, text in placed} == {str(n) for n in range(len(heights))}
    assert all(after - before >= 14 - 1e-9 for before, after in pairwise(ats))
    assert max(ats) <= 200


def test_pairs_of_dots_carry_intervals_where_there_are_some_and_r_in_words():
    _, parts = report_cases.example()
    excess = parts["excess neighbour"]
    pairs = flags.excess_chart(excess).spec["data"]["values"]
    found = {row.target: row for row in excess.rows}
    assert [(p["training"], p["control"]) for p in pairs] == [
        (found[p["name"]].train, found[p["name"]].control) for p in pairs
    ]
    assert all(pair["training_low"] is None for pair in pairs)
    spec = attacks.attack_pairs_chart([parts["linkability neighbour"]]).spec
    (linked,) = spec["data"]["values"]
    (row,) = parts["linkability neighbour"].rows
    assert linked["training"] == 100 * row.main
    for side, interval in (("training", row.main_interval), ("control", row.control_interval)):
        drawn = (linked[f"{side}_low"], linked[f"{side}_high"])
        assert drawn == tuple(100 * end for end in interval)


def test_without_a_control_nobody_else_is_drawn():
    _, parts = report_cases.example()
    record_ = parts["inference neighbour"]
    gone = {"control": None, "control_successes": None, "control_interval": None, "R": None}
    rows = tuple(msgspec.structs.replace(r, n_control=None, **gone) for r in record_.rows)
    alone = msgspec.structs.replace(record_, rows=rows, n_control=None)
    spec = attacks.attack_pairs_chart([alone]).spec
    assert not any(one["mark"].get("shape") == "circle" for one in spec["layer"])


def test_membership_is_drawn_by_distance():
    member = report_cases.example()[1]["membership neighbour"]
    pairs = membership.membership_chart(member).spec["data"]["values"]
    assert [p["training"] for p in pairs] == [100 * row.recall for row in member.rows]
    assert [p["control"] for p in pairs] == [100 * row.false_positive_rate for row in member.rows]


def test_the_histogram_has_every_bar_and_the_mean_where_it_belongs():
    found = record(kind="gtcap")
    spec = gtcap.gtcap_chart(found).spec
    numbers = [one["n"] for one in spec["layer"][0]["data"]["values"]]
    assert numbers == [row.n for row in found.histogram]
    assert sum(numbers) == found.n_unique - found.n_dropped
    place = gtcap.place_of(found.mean, found.histogram)
    row = found.histogram[int(place)]
    assert (row.low or -9) <= found.mean < (row.high or 9)


BINS = (
    GtcapBin(low=None, high=0.0, n=1),
    GtcapBin(low=0.0, high=0.5, n=1),
    GtcapBin(low=0.5, high=None, n=1),
)


@pytest.mark.parametrize(
    ("value", "place"), [(-4.0, 0.5), (0.0, 1.0), (0.25, 1.5), (0.5, 2.5), (7.0, 2.5)]
)
def test_a_bar_without_an_end_holds_the_mean_in_its_middle(value, place):
    assert gtcap.place_of(value, BINS) == place


def test_uniques_are_shares_of_people_and_of_scores():
    found = record(kind="suda")
    sizes, keys = (one["data"]["values"] for one in uniques.uniques_chart(found).spec["vconcat"])
    assert [row["value"] for row in sizes] == [
        100 * row.n_records / found.n_records for row in found.sizes
    ]
    assert [row["value"] for row in keys] == sorted((r["value"] for r in keys), reverse=True)


@cache
def all_charts(case):
    contents, parts = getattr(report_cases, case)()
    found = {kind: parts.of(kind) for kind in ("disclosure", "exclusion_table", "cap", "gtcap")}
    part, disclosure = found["disclosure"][0]
    own = [one for one in contents.judgement.figures if one.part == part]
    target = disclosure.targets[0]
    made = [
        dots.identity_chart(disclosure),
        dots.steps_chart(disclosure, target),
        dots.lollipop_chart(disclosure, judged=own),
        dots.lollipop_chart(disclosure, measure="DCAP"),
        dots.ladder_chart(disclosure, target),
        dots.target_chart(disclosure, target),
        dots.exclusion_grid_chart(found["exclusion_table"][0][1]),
        lines.cap_lines_chart(found["cap"][0][1]),
        gtcap.gtcap_chart(found["gtcap"][0][1]),
        uniques.uniques_chart(parts.of("suda")[0][1]),
    ]
    for kind, chart in (
        ("excess", flags.excess_chart),
        ("inference", lambda one: attacks.attack_pairs_chart([one])),
        ("membership", membership.membership_chart),
    ):
        made += [chart(one) for _, one in parts.of(kind)]
    return [(chart, chart.svg()) for chart in made]


@pytest.mark.slow
@pytest.mark.parametrize("case", ["example", "hostile"])
def test_every_picture_is_one_image_with_text_and_nothing_that_acts(case):
    for chart, picture in all_charts(case):
        root = minidom.parseString(picture).documentElement
        assert root.getAttribute("role") == "img"
        tags = {node.tagName for node in root.getElementsByTagName("*")}
        assert tags <= {"title", "desc", "g", "path", "rect", "line", "text", "tspan"}
        assert visible(chart.title) in unescape(picture)
        assert "undefined" not in picture.replace("undefined</text>", "")
        assert "NaN" not in picture
        # On paper a picture is at most 612 pixels wide: its text of 12 pixels has 8 points.
        assert case == "hostile" or 0.75 * 12 * 612 / float(root.getAttribute("width")) >= 8


@pytest.mark.slow
def test_hostile_names_are_text_and_are_shown():
    picture = dict(
        (chart.title.split(" from ")[0], picture) for chart, picture in all_charts("hostile")
    )["Disclosed correctly"]
    for target in record("hostile").targets:
        # A name that is too long for its column ends in dots.
        assert visible(truncate(target))[:20] in unescape(picture)


def test_a_slimmed_picture_keeps_its_text_and_loses_only_what_holds_anyway():
    label = 'opacity="1" font-family="x" 1.23456 class="a"'
    text = f'<text font-family="A" opacity="1" x="0.123456">{label}</text>'
    hollow = '<path class="background" aria-hidden="true" d="M0,0h3v3h-3Z"/>'
    filled = '<path class="background" d="M0,0h3" fill="white"/>'
    made = shrink_svg(f'<svg class="marks" width="3">{hollow}{filled}{text}</svg>')
    assert made == (
        '<svg class="marks" width="3" font-family="A"><path d="M0,0h3" fill="white"/>'
        f'<text x="0.12">{label}</text></svg>'
    )


def test_two_fonts_stay_where_they_are():
    both = '<svg><text font-family="A">a</text><text font-family="B">b</text></svg>'
    assert shrink_svg(both) == both


@pytest.mark.slow
def test_synthetic_is_dark_blue_everywhere():
    marks = [
        one["mark"]
        for chart, _ in all_charts("example")
        for one in layers(chart.spec)
        if one["mark"].get("shape") == "square"
    ]
    assert marks
    assert {mark["color"] for mark in marks} == {SYNTHETIC}


def test_every_set_of_the_keys_stands_in_one_chart():
    rng = np.random.default_rng(1)
    made = {name: rng.integers(0, 6, 300) for name in "abc"}
    original = pl.DataFrame({**made, "t": rng.integers(0, 3, 300), "u": rng.integers(0, 9, 300)})
    found = unveil.key_sets(original, original, keys=list("abc"), targets=["t", "u"])
    for target, chart in ((None, found.plot.sets()), ("u", found.plot.sets("u"))):
        shown = (
            target
            or max(
                (one for one in found.record.find_figures("worst") if one.target),
                key=lambda one: one.correct,
            ).target
        )
        figures = [
            one for one in found.record.figures if one.target == shown and one.kind != "all_keys"
        ]
        rows = chart.spec["data"]["values"]
        assert [row["name"] for row in rows] == [
            *("worst", "1 key", "2 keys", "all 3 keys", "without a", "without b", "without c"),
        ]
        assert [row["correct"] for row in rows] == [one.percent("correct") for one in figures]
        assert [row["expected"] for row in rows] == [one.percent("expected") for one in figures]
        drawn = [
            row for one in chart.spec["layer"] for row in one.get("data", {}).get("values", ())
        ]
        assert sorted(row["tick"] for row in drawn if "tick" in row) == sorted(
            row.DiSCO for row in found.record.rows if row.target == shown
        )
    with pytest.raises(SettingsError, match="no target 'v'"):
        found.plot.sets("v")


def test_the_second_figure_of_raab_has_dcap_capd_and_the_flags():
    found = unveil.disclosure(survey(), survey_synthetic(), keys=KEYS, targets=TARGETS)
    rows = found.plot.guesses().spec["data"]["values"]
    by_dcap = sorted(found.attribute, key=lambda row: -row.DCAP)
    assert [row["name"] for row in rows] == [row.target for row in by_dcap]
    assert [row["synthetic"] for row in rows] == [row.DCAP for row in by_dcap]
    assert [row["original"] for row in rows] == [row.CAPd for row in by_dcap]
    assert {row["name"] for row in rows if row["checks"]} == {one.target for one in found.flags}

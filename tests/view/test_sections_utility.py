"""Sections on the filter, noise, utility, findings and tables: sentences, tables, empty cases."""

import re
import unicodedata
from functools import cache
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import msgspec
import polars as pl
import pytest

import unveil
from unveil.examples import survey
from unveil.records.judgement import Limit, LimitCheck
from unveil.records.report import Parts
from unveil.records.run import RunPart
from unveil.view.blocks import Sentence
from unveil.view.charts.distributions import distribution
from unveil.view.charts.grids import correlation_difference, pair_map, visible_columns
from unveil.view.charts.lines import StepLine, ecap_curve, noise_curve, sap_curve
from unveil.view.charts.marks import BAD, REVIEW
from unveil.view.distance_filter import refill_rounds
from unveil.view.projection import LOOKS, projected_groups
from unveil.view.render_html import render_html
from unveil.view.sections import filter as filter_section
from unveil.view.sections import noise, replication, tables, utility
from unveil.view.sections.utility import MOST_VARIABLES, visible_variables
from view import report_cases
from view.derived import filter as derived_filter
from view.derived import findings as derived_findings
from view.derived import noise as derived_noise
from view.derived import tables as derived_tables
from view.derived import utility as derived_utility
from view.derived.written import DERIVED as DERIVED_REASONS
from view.section_blocks import flat
from view.test_numbers import Sentences, literal, numbers

SECTIONS = {
    "filter": (filter_section, derived_filter.DERIVED),
    "noise": (noise, derived_noise.DERIVED),
    "utility": (utility, derived_utility.DERIVED),
    "findings": (replication, derived_findings.DERIVED),
    "tables": (tables, derived_tables.DERIVED),
}
KNOWN = DERIVED_REASONS | {
    key: derive for _, derived in SECTIONS.values() for key, derive in derived.items()
}


def changed(record, **fields):
    return msgspec.structs.replace(record, **fields)


def part(name, kind, *, reason=None):
    measured = reason is None
    return RunPart(
        name=name,
        kind=kind,
        settings="{}",
        fingerprint="0",
        state="measured" if measured else "not measured",
        reason=reason,
        file=f"parts/{kind}.json" if measured else None,
    )


def of_parts(records, reasons=(), limits=()):
    """A contents of these parts alone: name and kind to record, and why others have none."""
    base, _ = report_cases.empty()
    parts = [part(name, kind) for name, kind in records]
    parts += [part(name, kind, reason=reason) for name, kind, reason in reasons]
    run = changed(base.run, parts=tuple(parts))
    judgement = changed(base.judgement, limits=tuple(limits))
    contents = changed(base, run=run, judgement=judgement)
    return contents, Parts(run, {name: record for (name, _), record in records.items()})


_DRAWN = {}


def body(section, contents):
    """The section, drawn once."""
    made = _DRAWN.get((section, id(contents)))
    if made is None:
        found = list(SECTIONS[section][0].blocks(*contents))
        assert found
        made = _DRAWN[section, id(contents)] = (render_html(found), contents)
    return made[0]


def said(section, contents):
    return {key: text for key, _, text in Sentences(body(section, contents)).found}


@cache
def own():
    """One protected copy of few people, and everything about its use."""
    made = unveil.protect(
        small(),
        steps=[
            {"do": "synthesise"},
            {"do": "distance_filter", "columns": ["age", "sex"]},
            {
                "do": "add_noise",
                "column": "age",
                "population": "normal(45, 18)",
                "N": 60_000,
                "threshold": 0.1,
                "round": 0,
            },
            {"do": "add_noise", "column": "income", "not_needed": "asked here alone"},
        ],
        seed=1,
    )
    asked = [
        {"kind": "prevalence", "column": "health", "level": "good"},
        {"kind": "regression", "formula": "income ~ age + sex"},
    ]
    pair = (small(), made.data)
    found = {
        "protection": made,
        "projection": unveil.projection(*pair),
        "utility": unveil.utility(*pair, n_permutations=3, seed=1),
        "tables": unveil.pair_tables(*pair),
        "compare": unveil.compare(*pair),
        "structure": unveil.compare_structure(*pair),
        "findings": unveil.replicate(*pair, asked),
    }
    records = {(kind, kind): result.record for kind, result in found.items()}
    return of_parts({**records, ("sap one", "sap"): saps()["plain"]})


def protection():
    return own()[1]["protection"]


def protected(**fields):
    return of_parts({("protection", "protection"): changed(protection(), **fields)})


# Cases that the examples of the whole report have not


@cache
def small(start=0, rows=200):
    columns = ["sex", "age", "region", "marital", "health", "income"]
    return survey().slice(start, rows).select(columns)


def refill(**fields):
    """Rows drawn again; how many an unfiltered file would hold follows from the rounds."""
    made = changed(protection().refill, **fields)
    kept, drawn = (sum(getattr(one, what) for one in made.rounds) for what in ("kept", "drawn"))
    return changed(made, n_close_unfiltered=made.n_rows * (1 - kept / drawn))


def rounds(*drawn_and_kept):
    first = protection().refill.rounds[0]
    return tuple(
        changed(first, round=n, drawn=drawn, kept=kept, acceptance=kept / drawn)
        for n, (drawn, kept) in enumerate(drawn_and_kept, start=1)
    )


def noised(reasons=None, **fields):
    column = changed(protection().noise.columns[0], **fields)
    reasons = protection().reasons if reasons is None else reasons
    return protected(noise=changed(protection().noise, columns=(column,)), reasons=reasons)


def limited_noise():
    contents, parts = protected()
    one = LimitCheck(
        measure="ECAP",
        part="protection",
        scenario=None,
        target=None,
        subject="age",
        copy=None,
        value=protection().reasons[0].ecap.worst,
        companion=None,
        review=0.01,
        limit=0.02,
        status="above",
    )
    return changed(contents, judgement=changed(contents.judgement, figures=(one,))), parts


def still_above():
    first = protection().reasons[0]
    return (changed(first, ecap=changed(first.ecap, n_above=3, threshold=0.05, n_missing=4)),)


def several_copies():
    asked = [
        {"kind": "mean", "column": "income"},
        {"kind": "mean", "column": "age", "where": "age >= 200"},
    ]
    copies = [small(200), small(400)]
    return unveil.replicate(small(), copies, asked).record


def apart():
    copy = small().with_columns(pl.col("income") * 3 + 500)
    return unveil.replicate(small(), copy, [{"kind": "mean", "column": "income"}]).record


def nothing_found():
    asked = [{"kind": "mean", "column": "age", "where": "age >= 200"}]
    return unveil.replicate(small(), small(200), asked).record


def marked_projection():
    keep = pl.int_range(200, eager=True) % 3 > 0
    frame = small().with_columns(one=pl.lit("same"))
    copy = small(200).with_columns(one=pl.lit("same"))
    return unveil.projection(frame, copy, kept=keep).record


def wide_projection():
    record = marked_projection()
    rows = (changed(record.rows[0], n_unplaced=2), *record.rows[1:])
    return changed(record, n_fitted=150, rows=rows, warnings=("2 columns say the same.",))


@cache
def saps():
    table = [[4, 2, 0], [1, 3, 2]]
    asked = {"rounding": "conventional:3", "n_max": 6}
    found = {
        "plain": unveil.sap(table, **asked),
        "exact": unveil.sap(table, n_max=4),
        "all": unveil.sap(table, rounding="conventional:3", n_max=20),
        "depth": unveil.sap(table, depth="all", **asked),
        "full": unveil.sap([[9, 8], [7, 9]], rounding="conventional:3", n_max=3),
    }
    records = {name: one.record for name, one in found.items()}
    return {**records, "all": changed(records["all"], of_sample=True)}


def open_sap():
    """Bounds that do not meet, a simulation beside them, people known from the start."""
    record = saps()["plain"]
    low, high = list(record.lower), list(record.upper)
    low[4], high[4] = 0.1234, 0.5678
    exact = tuple(None if n == 4 else one for n, one in enumerate(record.exact))
    drawn = {"n": 4, "n_draws": 1000, "n_risky": 301, "estimate": 0.301, "tighter": True}
    simulated = {**drawn, "lower": 0.2727, "upper": 0.3305}
    return msgspec.convert(
        {
            **record.to_dict(),
            "lower": low,
            "upper": high,
            "exact": exact,
            "complete": False,
            "method": "boxes",
            "n_nodes": 1234,
            "monte_carlo": [simulated],
            "known": [("sex 1", 2)],
            "notes": ["The search ended after 3 seconds."],
        },
        type(record),
    )


def wide(rows=60, columns=34, shift=0):
    """Answers of few people to many questions, by a plain rule."""
    return pl.DataFrame(
        {
            f"q{n:02d}": [(row * (n + 3) + shift * row // 7) % (2 + n % 3) for row in range(rows)]
            for n in range(columns)
        }
    ).with_columns(pl.all().cast(pl.String))


@cache
def many_columns():
    copies = [wide(shift=1), wide(shift=2)]
    return of_parts(
        {
            ("tables", "tables"): unveil.pair_tables(wide(), copies).record,
            ("compare", "compare"): unveil.compare(wide(), copies).record,
            ("utility", "utility"): unveil.utility(
                wide(columns=4),
                [wide(columns=4, shift=1), wide(columns=4, shift=2)],
                n_permutations=2,
                seed=1,
            ).record,
        }
    )


CASES = {
    "one protected copy": own,
    "many columns and two copies": many_columns,
    "no filter and no noise": lambda: protected(refill=None, noise=None, reasons=()),
    "nobody too close": lambda: protected(refill=refill(rounds=rounds((900, 900)))),
    "one too close": lambda: protected(refill=refill(rounds=rounds((900, 899), (2, 2)))),
    "rows still wanting": lambda: protected(
        refill=refill(rounds=rounds((900, 600)), n_rows=600, is_finished=False)
    ),
    "the strict rule and a column left out": lambda: protected(
        refill=refill(
            rule="strict",
            dropped_columns=unveil.distance_filter(
                small().with_columns(one=pl.lit(7)), small(200).with_columns(one=pl.lit(7))
            ).record.dropped_columns,
        )
    ),
    "marked units": lambda: of_parts({("projection", "projection"): wide_projection()}),
    "noise that is clipped": lambda: noised(
        n_clipped=12, n_redrawn=3, n_missing=4, n_codes=5, n_changed=800, n_values=891
    ),
    "no noise that was needed": lambda: noised(
        reasons=(
            changed(
                protection().reasons[0],
                sigma=0.0,
                choice=changed(protection().reasons[0].choice, sigma=0.0, sigma_to_use=None),
            ),
        ),
        sigma=0.0,
        n_changed=0,
    ),
    "a limit on ECAP": limited_noise,
    "a column that nobody spoke of": lambda: protected(
        noise=changed(protection().noise, undeclared=("income", "year 2"))
    ),
    "noise without a population": lambda: noised(reasons=()),
    "values still above": lambda: noised(reasons=still_above()),
    "a logistic model": lambda: of_parts(
        {
            ("utility", "utility"): unveil.utility(
                small(), small(200, 150), model="logit", columns=["sex", "marital"]
            ).record
        }
    ),
    "a copy of other size": lambda: of_parts(
        {
            ("utility", "utility"): unveil.utility(
                small(), small(200, 100), n_permutations=3, seed=1
            ).record
        }
    ),
    "a copy that is the original": lambda: of_parts(
        {
            ("utility", "utility"): unveil.utility(
                small(), small(), n_permutations=2, seed=1
            ).record,
            ("compare", "compare"): unveil.compare(small(), small()).record,
            ("structure", "structure"): unveil.compare_structure(
                small(), small().rename({"health": "well"})
            ).record,
            ("structure 2", "structure"): unveil.compare_structure(small(), small()).record,
            ("structure 3", "structure"): unveil.compare_structure(small(), small()).record,
        }
    ),
    "a copy that is told apart": lambda: of_parts(
        {
            ("utility", "utility"): unveil.utility(
                small(), small().with_columns(pl.col("age") + 200), n_permutations=2, seed=1
            ).record
        }
    ),
    "tables of one cell": lambda: of_parts(
        {
            ("tables", "tables"): unveil.pair_tables(
                small().with_columns(a=pl.lit(1), b=pl.lit(2)),
                small(200).with_columns(a=pl.lit(1), b=pl.lit(2)),
                columns=["sex", "a", "b"],
            ).record,
            ("tables one", "tables"): unveil.pair_tables(
                pl.DataFrame({"a": [1, 1]}), pl.DataFrame({"a": [1, 1]}), ways=1
            ).record,
        }
    ),
    "several copies and figures lost": lambda: of_parts(
        {("findings", "findings"): several_copies()}
    ),
    "intervals apart": lambda: of_parts({("findings", "findings"): apart()}),
    "no finding measured": lambda: of_parts({("findings", "findings"): nothing_found()}),
    "several tables": lambda: of_parts(
        {(f"sap {name}", "sap"): record for name, record in saps().items()}
    ),
    "tables that need people to be known": lambda: of_parts(
        {(f"sap {name}", "sap"): saps()[name] for name in ("full", "plain", "depth")}
    ),
    "bounds that do not meet": lambda: of_parts({("sap open", "sap"): open_sap()}),
    "no risk": lambda: of_parts({("sap full", "sap"): saps()["full"]}),
    "a table that gives itself away": lambda: of_parts({("sap exact", "sap"): saps()["exact"]}),
    "a limit of its own": lambda: of_parts(
        {("sap plain", "sap"): saps()["plain"]},
        limits=[Limit(measure="SAP", review=0.1, limit=0.2, unit="share", origin="own")],
    ),
    "nothing measured": lambda: of_parts(
        {},
        reasons=[
            ("projection", "projection", "There are 0 columns."),
            ("protection", "protection", "The record is of 2 copies."),
            ("utility", "utility", "The copy has 0 rows."),
            ("findings", "findings", "No column 'x1'."),
            ("sap one", "sap", "The table has 17 dimensions."),
        ],
    ),
}


@cache
def case(name):
    return CASES[name]()


@cache
def sentences_of(name):
    blocks = [block for module, _ in SECTIONS.values() for block in module.blocks(*case(name))]
    return [
        (one.key, one.of, one.text) for one in flat(blocks) if isinstance(one, Sentence) and one.key
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_number_is_derived_from_the_records(name):
    results = report_cases.as_json(*case(name))
    found = sentences_of(name)
    assert found
    for key, of, text in found:
        given = numbers(" ".join(KNOWN[key](results, of)))
        shown = numbers(text)
        assert shown - literal(key) - given == set(), (key, of, text)
        assert given - shown == set(), (key, of, text)


@pytest.mark.slow
def test_every_sentence_of_these_sections_is_said_in_some_case():
    found = {key for name in CASES for key, _, _ in sentences_of(name)}
    # Said of a copy of which a figure cannot be standardised, or in which a model finds nothing;
    # and of tables that have no map.
    rare = {"utility page/not measured", "utility/no S", "utility/no tree", "utility/separated"}
    rare |= {"pair tables/worst"}
    assert sorted(KNOWN.keys() - found - rare) == []


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_that_nobody_asked_for_is_not_there(section):
    assert list(SECTIONS[section][0].blocks(*of_parts({}))) == []


@pytest.mark.parametrize("section", ["noise", "utility", "findings", "tables"])
def test_what_was_asked_for_and_not_measured_is_said_with_its_reason(section):
    told = said(section, case("nothing measured"))
    assert told["not measured"].startswith("Not measured: ")


# Tables, cell by cell


class Tables(HTMLParser):
    """The tables of a page: their heads, and their rows as text."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self._cell = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.found.append([])
        elif tag == "tr" and self.found:
            self.found[-1].append([])
        elif tag in ("td", "th"):
            self._cell = ""

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self.found[-1][-1].append(self._cell)
            self._cell = None


def table(section, contents, first_head, second_head=None):
    for rows in Tables(body(section, contents)).found:
        if rows[0][0] == first_head and second_head in (None, rows[0][1]):
            return rows[1:]
    raise AssertionError(f"no table of {first_head}")


def percent(value):
    return "0 %" if not value else f"{value:.1f} %" if value >= 0.05 else "less than 0.1 %"


def test_the_rounds_of_the_filter_are_those_of_the_record():
    rows = table("filter", own(), "round")
    assert rows == [
        [
            str(one.round),
            f"{one.drawn:,}",
            f"{one.drawn - one.kept:,}",
            f"{one.kept:,}",
            percent(100 * one.kept / one.drawn),
        ]
        for one in protection().refill.rounds
    ]


@pytest.mark.slow
def test_those_who_passed_and_were_not_needed_are_counted():
    record = protection().refill
    passed = sum(one.kept for one in record.rounds)
    told = said("filter", own())
    if passed > record.n_rows:
        assert f"{passed - record.n_rows:,} more than needed" in told["filter.replaced"]
    surplus = protected(refill=refill(rounds=rounds((900, 600), (90, 80)), n_rows=650))
    assert "680 were retained, 30 more than needed." in said("filter", surplus)["filter.replaced"]
    exact = protected(refill=refill(rounds=rounds((900, 650)), n_rows=650))
    assert "more than" not in said("filter", exact)["filter.replaced"]


def test_retained_and_filtered_people_are_projected_as_groups():
    first = protection().refill.rounds[0]
    told = said("filter", own())
    assert f"removed {first.drawn - first.kept:,} of copy 1" in told["projection/marks"]
    rows = {row[0]: row[1] for row in table("filter", own(), "file")}
    assert rows["copy 1, retained"] == f"{first.kept:,}"
    assert rows["copy 1, filtered"] == f"{first.drawn - first.kept:,}"


def test_without_a_protected_copy_there_is_no_section_on_the_filter():
    contents = of_parts({("projection", "projection"): own()[1]["projection"]})
    assert list(filter_section.blocks(*contents)) == []
    assert "No single record is drawn." in body("utility", contents)


@pytest.mark.slow
def test_the_groups_of_the_projection_are_those_of_the_record():
    record = own()[1]["projection"]
    rows = table("utility", own(), "file")
    assert [row[1] for row in rows] == [f"{row.n:,}" for row in record.rows]
    assert [row[2:] for row in rows] == [
        [f"{one:.3f}" for one in (row.mean_1, row.sd_1, row.mean_2, row.sd_2)]
        for row in record.rows
    ]


def test_the_shifts_are_sorted_by_their_size():
    rows = table("filter", own(), "column")
    by_name = {row.column: row.difference for row in protection().refill.shifts}
    sizes = [abs(by_name[row[0]]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    for row in rows:
        shown, difference = row[4], by_name[row[0]]
        tiny = "<+0.01" if difference > 0 else ">-0.01"
        hidden = difference and abs(difference) < 0.005
        assert shown == (tiny if hidden else f"{difference:+.2f}" if difference else "0")


def test_the_curve_of_noise_is_every_fourth_of_the_record():
    curve = protection().reasons[0].choice.curve[::4]
    rows = table("noise", own(), "sigma")
    assert [row[0] for row in rows] == [f"{one.sigma:.4g}" for one in curve]
    for row, one in zip(rows, curve, strict=True):
        assert one.ecap * (1 - 1e-6) <= float(row[1]) <= one.ecap + 1e-4  # rounded up


def test_the_ends_of_a_column_are_not_told():
    rows = table("noise", own(), "column")
    column = protection().noise.columns[0]
    expected = [
        ["age", when, *(f"{one:.4g}" for one in (found.mean, found.sd, found.median))]
        for when, found in (("before", column.before), ("after", column.after))
    ]
    assert rows == expected


@pytest.mark.slow
def test_the_worst_pairs_stand_first_with_their_figures():
    record = own()[1]["tables"]
    known = sorted((row for row in record.rows if row.S_pMSE), key=lambda row: -row.S_pMSE)
    rows = table("utility", own(), "table")
    assert len(rows) == len(known) == 15
    for row, one in zip(rows, known, strict=False):
        assert row[:4] == [" by ".join(one.variables), f"{one.S_pMSE:.2f}", str(one.df),
                           f"{one.pMSE:.6f}"]  # fmt: skip


def test_distances_of_columns_are_those_of_the_record():
    record = own()[1]["compare"]
    by_name = {row.column: row for row in record.rows}
    rows = table("utility", own(), "column", "kind")
    assert {row[0] for row in rows} == set(record.columns)
    for row in rows:
        assert row[3] == f"{by_name[row[0]].total_variation:.4f}"


def test_numbers_are_said_to_be_in_bands():
    told = [text for key, _, text in Sentences(body("utility", own())).found
            if key == "utility.column" and "in bands" in text]  # fmt: skip
    record = own()[1]["compare"]
    assert {text.split(":")[0] for text in told} == {
        one.column for one in record.distributions if one.histogram is not None
    }


def test_few_people_have_no_bar_and_no_other_bar_is_taken_for_theirs():
    record = own()[1]["compare"]
    found = record.distribution_of("sex")
    first = changed(found.levels[0], kind="missing", level=None, n_original=5, n_synthetic=(7,))
    spec = distribution(changed(found, levels=(first, *found.levels[1:]))).spec
    shown = [row for row in spec["data"]["values"] if row["name"].startswith("missing, original")]
    assert [(row["original"], row["synthetic"] > 0) for row in shown] == [(None, True)]


def test_bars_of_a_column_have_their_figures_as_a_table():
    record = own()[1]["compare"]
    found = record.distribution_of("sex")
    tables_ = [rows for rows in Tables(body("utility", own())).found
               if rows[0] == ["answer", "original", "synthetic"]]  # fmt: skip
    assert len(tables_) == len(record.columns)
    (shown,) = (rows[1:] for rows in tables_ if rows[1][0] == found.levels[0].level)
    total = sum(row.n_original for row in found.levels)
    synthetic = sum(sum(row.n_synthetic) for row in found.levels)
    assert shown == [
        [
            row.level,
            f"{100 * row.n_original / total:.1f} %",
            percent(100 * sum(row.n_synthetic) / synthetic),
        ]
        for row in found.levels
    ]


def test_shares_of_the_copy_add_up_to_everybody():
    drawn = [
        rows[1:]
        for rows in Tables(body("utility", own())).found
        if rows[0] == ["answer", "original", "synthetic"]
    ]
    assert len(drawn) == len(own()[1]["compare"].columns)
    for rows in drawn:
        shares = [float(cell.split()[-2]) for _, _, cell in rows if "less" not in cell]
        assert 99 <= sum(shares) <= 101


def test_no_share_of_few_people_is_told():
    record = own()[1]["compare"]
    n = record.n_original
    for rows in Tables(body("utility", own())).found:
        if rows[0] == ["answer", "original", "synthetic"]:
            for _, original, _ in rows[1:]:
                exact = not original.startswith("under")
                people = float(original.split()[-2]) / 100 * n
                assert not exact or people == 0 or people >= 9.5


def test_associations_are_those_that_changed_most():
    record = own()[1]["compare"]
    rows = table("utility", own(), "columns")
    known = [row for row in record.associations if row.difference is not None]
    largest = sorted((abs(row.difference) for row in known), reverse=True)[: len(rows)]
    assert [row[4] for row in rows] == [
        f"{one.difference:+.3f}"
        for one in sorted(known, key=lambda row: -abs(row.difference))[: len(rows)]
    ]
    assert [abs(float(row[4])) for row in rows] == pytest.approx(largest, abs=5e-4)


def test_every_table_has_its_line_and_its_start():
    rows = table("tables", case("several tables"), "table")
    starts = {name: record.first_risk for name, record in saps().items()}
    assert [row[0] for row in rows] == list(starts)
    assert [row[1] for row in rows] == [
        "not so far" if start is None else str(start) for start in starts.values()
    ]
    assert [row[5] for row in rows] == [f"{one.N:,}" for one in saps().values()]


def test_findings_have_their_intervals_in_a_table():
    record = own()[1]["findings"]
    rows = table("findings", own(), "result")
    first = next(row for row in record.rows if row.unit == "percent")
    assert rows[0][1:3] == [f"{first.original:.1f} %", f"{first.synthetic:.1f} %"]
    assert rows[0][-2] == f"{first.original_low:.1f} % to {first.original_high:.1f} %"


# What must not be shown, and what must be said


def test_no_place_of_a_single_value_stands_in_the_report():
    first = protection().reasons[0]
    choice = changed(first.choice, n_tail=2, tail_places=(4711, 4712), worst_place=4713)
    ecap = changed(first.ecap, worst_place=4713)
    page = body("noise", protected(reasons=(changed(first, choice=choice, ecap=ecap),)))
    assert not re.search("471[123]", page)


def test_noise_that_was_undone_is_said_before_any_claim():
    page = body("noise", noised(n_changed=0))
    assert page.index("protects no one") < page.index("would be correct with probability")
    assert "protects no one" not in body("noise", noised(n_changed=800))


def test_no_noise_is_not_said_to_be_undone():
    contents = case("no noise that was needed")
    told = said("noise", contents)
    assert told["noise.zero"] == "age: no noise."
    assert "noise.undone" not in told
    assert "noise.added" not in told
    assert "noise/moved" not in told
    assert "Vertical lines" not in body("noise", contents)
    assert "Vertical lines" in body("noise", own())


def test_the_worst_value_is_held_against_the_custodians_limit_on_ecap():
    told = said("noise", case("a limit on ECAP"))
    assert told["noise.status"] == ("ECAP of age, worst value: ■ above limit (limit 0.02).")
    assert "noise.status" not in said("noise", own())


def test_the_public_statement_stands_beside_what_is_confidential():
    page = unescape(body("noise", own()))
    assert "must not be published" in page
    quoted = page[page.index("Only this statement may be published") :]
    for line in filter(None, protection().statement.splitlines()):
        assert f"<li>{line.removeprefix('- ')}</li>" in quoted


def test_a_copy_that_nobody_measured_the_use_of_is_not_praised():
    assert "utility.nothing" in said("utility", case("nothing measured"))


def test_the_custodians_own_limit_of_sap_is_the_threshold():
    assert "SAP exceeds 0.2 from" in body("tables", case("a limit of its own"))
    assert "SAP exceeds 0.05 from" in body("tables", own())


# Pictures, as data


def curve(name, record):
    return StepLine(name, record.lower, record.upper)


def test_a_round_is_a_bar_of_what_was_kept_and_what_was_removed():
    record = protection().refill
    rows = refill_rounds(record).spec["data"]["values"]
    assert [(row["retained"], row["generated"]) for row in rows] == [
        (one.kept, one.drawn) for one in record.rounds
    ]


def test_groups_are_told_apart_without_colour():
    assert len({shape for _, shape, _ in LOOKS.values()}) == len(LOOKS)
    spec = projected_groups(marked_projection()).spec
    kinds = {row["kind"] for row in spec["layer"][-1]["data"]["values"]}
    assert kinds == {"original", "synthetic", "retained", "filtered"}


def test_a_group_is_drawn_as_centre_and_spread():
    record = own()[1]["projection"]
    centres = projected_groups(record).spec["layer"][-1]["data"]["values"]
    for row, drawn in zip(record.rows, centres, strict=True):
        assert (drawn["x"], drawn["y"]) == (row.mean_1, row.mean_2)
        assert drawn["right"] - drawn["left"] == pytest.approx(2 * row.sd_1)


def test_files_that_cannot_be_placed_are_said_to_be_so():
    record = own()[1]["projection"]
    nowhere = {"mean_1": None, "mean_2": None, "sd_1": None, "sd_2": None}
    chart = projected_groups(
        changed(record, rows=tuple(changed(row, **nowhere) for row in record.rows))
    )
    assert chart.description == "No record could be placed."
    assert chart.svg()


def test_the_square_stands_at_the_noise_that_was_added_and_its_worst_value():
    reason = protection().reasons[0]
    (square,) = (
        layer
        for layer in noise_curve(reason).spec["layer"]
        if isinstance(layer["mark"], dict) and layer["mark"].get("shape") == "square"
    )
    assert square["data"]["values"][0]["sigma"] == reason.sigma
    assert square["data"]["values"][0]["ecap"] == reason.ecap.worst
    assert noise_curve(changed(reason, choice=None)) is None


def test_the_name_of_the_worst_value_stands_over_its_point_and_on_no_line():
    reason = protection().reasons[0]
    for worst, threshold, limit in ((0.08, 0.1, 0.07996), (0.5, 0.1, 0.01), (0.99, 0.98, 0.2)):
        choice = changed(reason.choice, threshold=threshold, limit=limit)
        own = changed(reason, choice=choice, ecap=changed(reason.ecap, worst=worst))
        spec = noise_curve(own).spec
        place = spec["layer"][-1]["data"]["values"][0]["place"]
        lines = [spec["height"] * (1 - value) for value in (worst, threshold, limit)]
        assert all(abs(place - line) >= 5.9 for line in lines)
        assert 0 <= lines[0] - place <= 40 or place <= 12


def test_the_name_of_the_limit_is_not_struck_by_the_threshold():
    for limit, threshold in ((0.07996, 0.1), (0.01, 0.1), (0.04, 0.05), (0.3, 0.1)):
        choice = changed(protection().reasons[0].choice, threshold=threshold, limit=limit)
        (named,) = (
            layer["mark"] for layer in ecap_curve(choice).spec["layer"]
            if layer["mark"]["type"] == "text" and "limit" in layer["data"]["values"][0]["name"]
        )  # fmt: skip
        height = 300 * limit - named["dy"]
        assert height >= 5
        assert abs(height - 300 * threshold) >= 6


def test_colours_of_a_status_are_for_a_status():
    charts = [
        pair_map(own()[1]["tables"], 1),
        refill_rounds(protection().refill),
        sap_curve([curve(name, record) for name, record in saps().items()]),
        projected_groups(marked_projection()),
        correlation_difference(own()[1]["compare"]),
    ]
    for chart in charts:
        assert not re.search(rf"{BAD}|{REVIEW}|D55E00|orange|'red'", str(chart.spec))


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_colour_of_review_can_be_read_on_white():
    assert 1.05 / (luminance(REVIEW) + 0.05) >= 4.5
    assert 1.05 / (luminance(BAD) + 0.05) >= 4.5


def test_the_axis_of_sap_ends_where_no_line_changes_any_more():
    long = unveil.sap([[4, 2], [1, 3]], n_max=60).record
    spec = sap_curve([curve("long", long), curve("short", saps()["exact"])]).spec
    (axis,) = {str(layer["encoding"]["x"]["scale"]["domain"]) for layer in spec["layer"]
               if "scale" in layer["encoding"].get("x", {})
               and layer["encoding"]["x"]["scale"]}  # fmt: skip
    assert int(axis.strip("[]").split(",")[1]) < 60
    rows = spec["layer"][0]["data"]["values"]
    last = {row["label"]: row for row in rows}
    assert last["long"]["high"] == long.upper[-1]


def test_the_difference_of_associations_is_one_half_of_the_square():
    record = own()[1]["compare"]
    cells = correlation_difference(record).spec["data"]["values"]
    n = len(record.columns)
    pairs = {frozenset((cell["across"], cell["down"])) for cell in cells}
    assert len(cells) == len(pairs) <= n * (n - 1) / 2
    by_pair = {frozenset((row.a, row.b)): row for row in record.associations
               if row.measure != "spearman"}  # fmt: skip
    for cell in cells:
        row = by_pair[frozenset((cell["across"], cell["down"]))]
        assert cell["value"] == row.difference
        assert bool(cell["shown"]) is (abs(row.difference) >= 0.05)


def test_of_many_columns_those_that_differ_most_are_drawn():
    record = many_columns()[1]["tables"]
    worst = max((row for row in record.rows if row.S_pMSE), key=lambda row: row.S_pMSE)
    shown = visible_variables(record, worst.copy)
    assert MOST_VARIABLES <= len(shown) <= MOST_VARIABLES + 2
    assert set(worst.variables) <= set(shown)
    cells = pair_map(record, worst.copy, variables=shown).spec["data"]["values"]
    assert len(cells) == len(shown) * (len(shown) - 1) / 2
    assert len(visible_columns(many_columns()[1]["compare"])) == 30


def test_lines_of_sap_end_in_their_names_and_leave_zero_at_a_dot():
    curves = [curve(name, record) for name, record in saps().items()]
    spec = sap_curve(curves, threshold=0.05).spec
    names = spec["layer"][-1]["data"]["values"]
    assert {row["label"] for row in names} == {*saps(), "threshold 0.05"}
    heights = sorted(row["place"] for row in names)
    assert all(b - a >= 15.9 for a, b in pairwise(heights))
    dots = next(
        layer["data"]["values"] for layer in spec["layer"] if layer["mark"].get("type") == "point"
    )
    assert {dot["label"]: dot["n"] for dot in dots} == {
        name: record.first_risk for name, record in saps().items() if record.first_risk is not None
    }


def test_bounds_that_do_not_meet_are_shaded():
    marks = [layer["mark"]["type"] for layer in sap_curve([curve("a", open_sap())]).spec["layer"]]
    assert "area" in marks
    chart = sap_curve([curve("a", open_sap()), curve("a", open_sap())])
    assert ">a (bounds) (2)<" in chart.svg()


# Hostile names


@cache
def hostile():
    names = report_cases.HOSTILE[:6]
    frames = [
        pl.DataFrame(
            {
                name: [report_cases.HOSTILE[(row * (place + shift + 2)) % 5] for row in range(60)]
                for place, name in enumerate(names)
            }
        )
        for shift in (0, 1)
    ]
    table = unveil.sap([[3, 1], [2, 0]], dims=report_cases.HOSTILE[:2], n_max=3)
    finding = {"kind": "prevalence", "column": names[0], "level": report_cases.HOSTILE[2]}
    return of_parts(
        {
            ("projection", "projection"): unveil.projection(*frames).record,
            ("tables", "tables"): unveil.pair_tables(*frames).record,
            ("compare", "compare"): unveil.compare(*frames).record,
            ("findings", "findings"): unveil.replicate(*frames, [finding]).record,
            (f"sap {report_cases.HOSTILE[0]}", "sap"): table.record,
        },
        reasons=[(report_cases.HOSTILE[1], "utility", report_cases.HOSTILE[9])],
    )


@pytest.mark.slow
@pytest.mark.parametrize("section", ["utility", "findings", "tables"])
def test_hostile_names_stay_text(section):
    page = body(section, hostile())
    assert not re.search(r"<(script|img|iframe|link|style|object|embed)\b", page)
    steering = {unicodedata.category(one) for one in page if one != "\n"}
    assert not steering & {"Cc", "Cf", "Zl", "Zp"}
    given = [name for tag in Tags(page).found for name in tag]
    assert not [name for name in given if name.startswith("on")]


class Tags(HTMLParser):
    """The names of the attributes of every element."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append([name for name, _ in attrs])

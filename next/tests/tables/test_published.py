"""Published tables by hand: schemes, margins, files, and what is refused."""

import re

import numpy as np
import polars as pl
import pytest

import every_call
import unveil
from oracles import published as oracle
from unveil.tables.schemes import draw, intervals, parse_scheme

ALL_SCHEMES = (
    *("exact", "conventional:3", "conventional:4", "conventional:5", "random:3", "random:5"),
    *("up:3", "down:3", "noise:2", "noise:2:zeros", "suppress:4", "suppress:4:zeros"),
)


@pytest.mark.parametrize("text", ALL_SCHEMES)
def test_a_scheme_publishes_what_it_may_and_readers_know_what_is_behind(text):
    scheme, counts = parse_scheme(text), np.arange(20, dtype=float)
    seen = [set() for _ in counts]
    for seed in range(40):
        values = draw(counts, scheme, np.random.default_rng(seed))
        low, high = intervals(values, scheme, counts)
        for i, value in enumerate(values):
            shown = None if np.isnan(value) else int(value)
            seen[i].add(shown)
            assert (low[i], high[i]) == oracle.interval(shown, text)
    assert seen == [oracle.outcomes(i, text) for i in range(20)]


def test_random_rounding_is_fair():
    values = [
        draw(np.array([1.0]), parse_scheme("random:3"), np.random.default_rng(seed))[0]
        for seed in range(3000)
    ]
    assert abs(np.mean(values) - 1) < 0.08


@pytest.mark.parametrize("seed", range(12))
def test_controlled_rounding_adds_up_to_neighbouring_multiples(seed):
    counts = np.random.default_rng(seed).poisson(4, (3, 4))
    table = unveil.PublishedTable(counts, publish="controlled:3", margins="all", seed=seed)
    values = {part: value.shown for part, value in table.parts.items()}
    cells = values["dim1", "dim2"].reshape(3, 4)
    assert (cells.sum(axis=1) == values[("dim1",)]).all()
    assert (cells.sum(axis=0) == values[("dim2",)]).all()
    assert cells.sum() == values[()][0]
    assert (np.abs(cells - counts) < 3).all()
    assert not (cells % 3).any()


def test_what_is_drawn_depends_on_the_seed_and_the_part_alone():
    counts = np.arange(12).reshape(3, 4)
    alone = unveil.PublishedTable(counts, publish="random:3", seed=5)
    beside = unveil.PublishedTable(counts, publish="random:3", margins="all", seed=5)
    other = unveil.PublishedTable(counts, publish="random:3", seed=6)
    assert alone.frame()["published"].to_list() == beside.frame()["published"].to_list()[:12]
    assert not alone.frame().equals(other.frame())


def test_parts_are_named_and_none_is_not_published():
    counts = np.arange(8).reshape(2, 2, 2)
    table = unveil.PublishedTable(
        counts, dims=("sex", "age", "region"), margins=("sex", ("age", "region")),
        publish={"table": "none", "total": "conventional:5", "": "exact"},
    )  # fmt: skip
    assert repr(table) == (
        "Table of sex, age, region. Published: age,region exact; sex exact; total conventional:5."
    )
    rows = table.frame().filter(pl.col("sex") == "0")
    assert rows.select("age", "region", "published").rows() == [("total", "total", 6.0)]


def test_an_interval_is_a_pair_and_a_hidden_value_none():
    table = unveil.PublishedTable([7, 2, 1], published={"table": [(5, None), None, (0, 4)]})
    rows = unveil.bounds(table).values
    assert [(row.lower, row.upper) for row in rows] == [(5, None), (0, None), (0, 4)]
    assert [row.suppressed for row in rows] == [False, True, False]


def test_readers_who_see_only_what_is_published_have_bounds_and_no_sap():
    table = unveil.PublishedTable(
        None, levels=[["a", "b"]], publish={"": "suppress:5"},
        published={"table": [None, 7], "total": [10]},
    )  # fmt: skip
    row = unveil.bounds(table).values[0]
    assert (row.lower, row.upper, row.tightest_lower, row.tightest_upper) == (1, None, 3, 3)
    assert row.recovered
    with pytest.raises(unveil.InputError, match="true counts"):
        unveil.sap(table)


def test_wards_lie_in_one_region():
    counts = [[3, 0], [2, 0], [0, 4]]
    table = unveil.PublishedTable(
        counts, dims=("ward", "region"), nested={"ward": "region"},
        levels=[["w1", "w2", "w3"], ["n", "s"]],
    )  # fmt: skip
    rows = [row for row in unveil.bounds(table).values if row.structural]
    assert [row.levels for row in rows] == [("w1", "s"), ("w2", "s"), ("w3", "n")]
    assert unveil.sap(table).curve[0].SAP == 0
    with pytest.raises(unveil.InputError, match="nested"):
        unveil.PublishedTable(
            [[3, 1]], dims=("ward", "region"), nested={"ward": "region"}, levels=[["w"], ["n", "s"]]
        )


def test_a_study_is_counted_by_people_in_its_bands():
    frame = pl.DataFrame({
        "sex": ["m", "m", "f", "f", "f"], "age": [16, 16, 40, 70, None],
        "pid": ["a", "a", "b", "c", "d"],
    })  # fmt: skip
    columns = {"age": {"bands": (0, 18, 65)}, "pid": "person"}
    study = unveil.Study(frame, keys=("sex", "age"), columns=columns, fraction=0.5, unit="patients")
    table = unveil.PublishedTable.count(study, ("sex", "age"))
    assert table.people == 4
    assert table.levels[1][-1] == "(missing)"
    notes = [note.sentence for note in unveil.sap(table).notes]
    assert "The table counts a sample. SAP assumes it is known who is in it." in notes
    weighted = unveil.Study(frame.with_columns(w=pl.lit(2)), keys="sex", columns={"w": "weight"})
    assert unveil.PublishedTable.count(weighted, "sex").people == 10


# Files

SHEET = [
    ['"Table 3: people by region, sex and health"'] + [""] * 5,
    [""] * 6,
    ["", "Men", "", "Women", "", "Total"],
    ["Region", "good", "bad", "good", "bad", ""],
    ["Ash", "1 200", "3", '"1,150"', "7", "2360"],
    ["Birch", "410", "-", "402", "2", "814"],
    ["Total", "1610", "3", "1552", "9", "3174"],
    ["Source: invented."] + [""] * 5,
]


def write(path, rows, mark=","):
    path.write_text("\n".join(mark.join(row) for row in rows))
    return path


def changed(row, column, text):
    rows = [list(line) for line in SHEET]
    rows[row][column] = text
    return rows


def test_an_offices_sheet_is_read_and_its_totals_are_checked(tmp_path):
    path = write(tmp_path / "sheet.csv", SHEET)
    table = unveil.PublishedTable.read(path, ("region", "sex", "health"))
    assert table.counts.tolist() == [1200, 3, 1150, 7, 410, 0, 402, 2]
    assert table.levels == (("Ash", "Birch"), ("Men", "Women"), ("good", "bad"))
    assert "3 rows by 5 columns of counts" in table.notes[0].sentence
    assert "Totals were checked" in table.notes[0].sentence
    assert unveil.bounds(table).notes[0].sentence == table.notes[0].sentence


def test_values_that_an_office_has_hidden_are_hidden(tmp_path):
    path = write(tmp_path / "sheet.csv", changed(4, 2, "c"))
    table = unveil.PublishedTable.read(path, publish="suppress:5")
    row = unveil.bounds(table).values[1]
    assert (row.levels, row.suppressed, row.tightest_lower) == (("Ash", "Men", "bad"), True, 3)


SHEETS = {
    "a total that does not add up": changed(4, 5, "2361"),
    "a part of a person": changed(4, 2, "3.5"),
    "an empty cell": changed(4, 2, ""),
    "the same cell twice": changed(5, 0, "Ash"),
    "a total by another name": [["", "a", "b", "both"], ["x", "1", "2", "3"], ["y", "4", "5", "9"]],
    "no counts": [["a", "b"], ["c", "d"]],
}


@pytest.mark.parametrize("case", SHEETS)
def test_a_file_that_cannot_be_a_table_of_counts_is_refused(case, tmp_path):
    with pytest.raises(unveil.InputError):
        unveil.PublishedTable.read(write(tmp_path / "sheet.csv", SHEETS[case]))


LONG = [["row", "column", "count"], ["A", "D", "1"], ["A", "E", "3"], ["B", "D", "4"]]


def test_a_row_a_cell_and_counts_across_are_read_alike(tmp_path):
    long = unveil.PublishedTable.read(write(tmp_path / "long.csv", LONG, ";"))
    assert long.counts.tolist() == [1, 3, 4, 0]
    assert "1 cells that are not in it are 0" in long.notes[0].sentence
    frame = pl.DataFrame(LONG[1:], schema=LONG[0], orient="row")
    assert unveil.PublishedTable.read(frame).frame().equals(long.frame())
    wide = [["row", "D", "E"], ["A", "1", "3"], ["B", "4", "0"]]
    across = unveil.PublishedTable.read(write(tmp_path / "wide.csv", wide), ("row", "column"))
    assert across.frame().equals(long.frame())
    again = long.frame().rename({"published": "count"})
    assert unveil.PublishedTable.read(again).frame().equals(long.frame())


def test_published_values_stand_beside_the_counts(tmp_path):
    rows = [[*line, value] for line, value in zip(LONG, ["published", "0", "3", ""], strict=True)]
    rows += [["B", "E", "6", "5 or more"]]
    table = unveil.PublishedTable.read(write(tmp_path / "long.csv", rows), publish="conventional:3")
    values = unveil.bounds(table).values
    assert [(row.lower, row.upper) for row in values] == [(0, 1), (2, 4), (0, None), (5, None)]
    assert [row.suppressed for row in values] == [False, False, True, False]


# Refusals


@pytest.mark.parametrize("name", every_call.arguments(unveil.PublishedTable.__init__))
def test_a_wrong_argument_is_refused_in_a_sentence_that_names_it(name):
    hint = every_call.arguments(unveil.PublishedTable.__init__)[name]
    for value in every_call.wrong_values(name, hint):
        settings = {"counts": [[1, 2], [3, 4]], "dims": ("sex", "age")} | {name: value}
        with pytest.raises(unveil.InputError) as refused:
            unveil.PublishedTable(**settings)
        text = str(refused.value)
        assert text.isprintable()
        assert name in text or (value and str(value) in text), (value, text)


TABLES = {
    "half a person": ([0.5], {}),
    "fewer than nobody": ([-1], {}),
    "a gap": ([float("nan")], {}),
    "lists of other lengths": ([[1], [2, 3]], {}),
    "levels of another shape": ([1, 2], {"levels": [["a"]]}),
    "a level twice": ([1, 2], {"levels": [["a", "a"]]}),
    "people where nobody can be": ([1, 2], {"structural": "dim1=0"}),
    "a value that the scheme never publishes": (
        [1, 2], {"publish": "random:3", "published": {"table": [1, 3]}},
    ),
    "a value that is not of the count": (
        [1, 8], {"publish": "random:3", "published": {"table": [0, 3]}},
    ),
    "too few values": ([1, 2], {"published": {"table": [1]}}),
    "a pair the wrong way": ([1], {"published": {"table": [(3, 1)]}}),
    "too many cells": (np.zeros((400, 400)), {}),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_a_table_that_cannot_be_is_refused(case):
    counts, settings = TABLES[case]
    with pytest.raises(unveil.InputError) as refused:
        unveil.PublishedTable(counts, **settings)
    assert str(refused.value).isprintable()


def test_values_that_contradict_each_other_are_refused():
    published = {"table": [1, 2], "total": [5]}
    table = unveil.PublishedTable(None, levels=[["a", "b"]], published=published)
    with pytest.raises(unveil.InputError, match="contradict"):
        unveil.bounds(table)


@pytest.mark.parametrize(
    "settings",
    [{"known": "dim1=9"}, {"known": "9 dim1=0"}, {"known": "sex"}, {"given": "dim1=9"},
     {"given": ""}],
)  # fmt: skip
def test_people_who_are_not_there_are_not_known(settings):
    with pytest.raises(unveil.InputError):
        unveil.sap(unveil.PublishedTable([[1, 2], [3, 4]]), **settings)


# Sentences, each figure counted again


def numbers(sentence):
    return [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", sentence)]


@pytest.mark.parametrize("seed", range(20))
def test_the_sentences_of_bounds_say_what_the_values_are(seed):
    rng = np.random.default_rng(seed)
    scheme = ["conventional:3", "suppress:4", "random:3", "exact"][seed % 4]
    publish = {"table": scheme, "": "exact" if seed % 8 < 4 else scheme}
    counts = rng.poisson(1.5, (3, 3))
    table = unveil.PublishedTable(counts, publish=publish, margins="all", seed=seed)
    result = unveil.bounds(table)
    cells = [row for row in result.values if row.part == "table"]
    empty = [row for row in cells if row.tightest_upper == 0]
    shown = [row for row in cells if row.published == 0]
    text = " ".join(result.sentences)
    assert ("Readers can tell" in text) == bool(empty)
    if empty:
        assert numbers(result.sentences[0])[0] == len(empty)
    need_not = [row for row in shown if row.tightest_upper != 0]
    assert ("need not be empty" in text) == bool(need_not)
    few = sum(
        row.tightest_upper == row.tightest_lower and row.tightest_upper in (1, 2) for row in cells
    )
    sentence = next((s for s in result.sentences if "1 or 2 people" in s), None)
    assert (sentence is None) == (not few)
    assert sentence is None or numbers(sentence)[0] == few
    told = [row for row in result.values if row.tightest_lower == row.tightest_upper]
    assert all(row.recovered == (row in told and row.lower != row.upper) for row in result.values)
    for what, is_hidden in (("hidden", True), ("changed", False)):
        rows = [
            row for row in result.values
            if row.suppressed == is_hidden and (is_hidden or row.lower != row.upper)
        ]  # fmt: skip
        sentence = next((s for s in result.sentences if f"{what} values" in s), None)
        assert (sentence is None) == (not rows)
        if sentence:
            n = sum(row.recovered for row in rows)
            assert numbers(sentence) == ([n] if n else []) + [len(rows)]


def test_the_sentences_of_sap_for_nobody_one_and_many():
    certain = unveil.sap(unveil.PublishedTable([2, 2], publish="conventional:5"))
    assert certain.sentences[0].startswith("An intruder who knows any 1 of the 4 people can never")
    one = unveil.sap(unveil.PublishedTable([2, 1, 3]))
    assert one.sentences == (
        "An intruder who knows 1 of the 6 people, drawn at random, can with probability 0.167 be"
        " certain that some combination applies to none of the others.",
        "SAP is above 0.05 from 1 known person on.",
    )
    zero = unveil.sap(unveil.PublishedTable([0, 1, 3]))
    assert zero.sentences[0] == (
        "An empty cell can be told without knowing anyone: SAP is 1 for any number of people known."
    )
    never = unveil.sap(unveil.PublishedTable([3, 3], published={"table": [(0, None), (0, None)]}))
    assert never.sentences == (
        "Nobody can be certain that a cell is empty, whoever of the 6 people is known.",
    )


def test_the_sentence_of_schemes_counts_the_tables_of_which_it_speaks():
    rng = np.random.default_rng(3)
    tables = [unveil.PublishedTable(rng.poisson(3, 8)) for _ in range(12)]
    result = unveil.compare_schemes(tables, ["conventional:3", "conventional:5"], people=12)
    for row, sentence in zip(result.schemes, result.sentences, strict=True):
        curves = [
            [r.SAP for r in unveil.sap(t.republish(row.scheme), people=12).curve] for t in tables
        ]
        above = [sum(curve[n] > 0.05 for curve in curves) for n in range(13)]
        first = next(n for n in range(13) if above[n])
        every = next((n for n in range(13) if above[n] == 12), None)
        assert (row.first_above, row.above, row.all_above) == (first, above[first], every)
        assert row.passing == 12 - above[12]
        assert numbers(sentence)[1:5] == [0.05, above[first], 12, first]
    bands = result.frame("risk").group_by("scheme", "people").agg(pl.col("tables").sum())
    assert set(bands["tables"]) == {12}


def test_a_search_that_is_ended_gives_bounds_that_hold_and_says_so():
    rng = np.random.default_rng(1)
    table = unveil.PublishedTable(
        rng.poisson(3, (3, 3, 3)), publish="conventional:5", margins="all"
    )
    ended, whole = (unveil.sap(table, people=20, seconds=seconds, seed=1) for seconds in (1e-6, 60))
    for early, late in zip(ended.curve, whole.curve, strict=True):
        assert early.lower <= late.lower + 1e-12
        assert early.upper >= late.upper - 1e-12
        assert early.lower <= early.SAP <= early.upper
    if any(row.lower < row.upper for row in ended.curve):
        assert any("search ended" in note.sentence for note in ended.notes)
    loose = unveil.bounds(table, seconds=1e-9)
    tight = unveil.bounds(table)
    for early, late in zip(loose.values, tight.values, strict=True):
        assert early.tightest_lower <= late.tightest_lower <= late.tightest_upper
        assert early.tightest_upper is None or early.tightest_upper >= late.tightest_upper

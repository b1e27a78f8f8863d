"""Publication plans: worked examples, what is disclosed and by which tables, and bad input."""

import re

import numpy as np
import polars as pl
import pytest

import unveil
from measure.tables.test_plan_bounds import EVERY, facts_of, oracle_bounds, random_plan
from unveil.errors import InputError
from unveil.measure.tables.plan import plan as plan_module
from unveil.measure.tables.plan.boxes import with_pieces

# The worked example of three tables by hand: men in work are 23 from 16 on and 22 from 18 on.
PEOPLE = [
    *[(10, "m", "no")] * 9,
    *[(10, "f", "no")] * 8,
    *[(16, "m", "yes")] * 1,
    *[(17, "f", "yes")] * 3,
    *[(16, "m", "no")] * 6,
    *[(17, "f", "no")] * 7,
    *[(30, "m", "yes")] * 20,
    *[(30, "f", "yes")] * 17,
    *[(30, "m", "no")] * 6,
    *[(30, "f", "no")] * 9,
    *[(70, "m", "no")] * 7,
    *[(70, "f", "no")] * 8,
    *[(70, "m", "yes")] * 2,
]
DATA = pl.DataFrame(PEOPLE, schema=["age", "sex", "job"], orient="row")
A = {"name": "A", "by": ["sex", "job"], "where": {"age": ">= 16"}}
B = {"name": "B", "by": ["sex", "job"], "where": {"age": ">= 18"}}
C = {"name": "C", "by": ["age", "job"], "bands": {"age": [0, 16, 18]}, "publish": "suppress:5"}
FEW_AND_MANY = (range(2), pytest.param(range(2, 60), marks=pytest.mark.slow))
IN_WORK = "job = yes, age = 16 to 17"
MEN_IN_WORK = f"sex = m, {IN_WORK}"


def disclosed(tables, **settings):
    return unveil.Plan.from_tables(tables, data=DATA).disclosed(**settings).record


def name_of(plan, box):
    return plan.name_box(box), plan.name_without(box)


def named_in(row):
    return tuple(zip(row.columns, row.levels, strict=True)), row.without


def by_label(record):
    return {row.label: row for row in record.rows}


def test_the_worked_example():
    both = by_label(disclosed([A, C]))
    assert (both[IN_WORK].lower, both[IN_WORK].tables, both[IN_WORK].kind) == (
        4,
        ("A", "C"),
        "suppressed",
    )
    assert MEN_IN_WORK not in both  # 0 to 4
    both = by_label(disclosed([A, B]))
    assert (both[IN_WORK].lower, both[IN_WORK].tables) == (4, ("A", "B"))
    one = both[MEN_IN_WORK]
    assert (one.lower, one.upper, one.tables, one.kind) == (1, 1, ("A", "B"), "unpublished")
    assert one.smallest
    assert one.n_people == 1
    every = disclosed([A, B, C], limits={"recovered": 0})
    assert by_label(every)[MEN_IN_WORK].tables == ("A", "B")
    assert (every.leave_out, every.n_left, every.exit_code) == (("A",), 0, 3)
    assert {one.name: one.n_without for one in every.tables} == {"A": 3, "B": 2, "C": 0}


def file_of(rows, columns=("region", "count")):
    return pl.DataFrame(rows, schema=columns, orient="row")


def test_a_plan_of_published_files_alone():
    fine = file_of([("N", "*"), ("E", "*"), ("S", "20"), ("Total", "25")])
    north = {"North": ["N", "E"], "South": ["S"]}
    coarse = file_of([("North", 5), ("South", 20)], ("part", "count"))
    tables = [
        {"name": "fine", "by": ["region"], "file": fine, "publish": "suppress:5"},
        {"name": "coarse", "by": ["part"], "file": coarse},
        {"name": "north", "by": ["region"], "file": file_of([("N", 3)]), "where": {"region": "N"}},
    ]
    columns = {"part": {"of": "region", "groups": north}}
    found = unveil.Plan.from_tables(tables, columns=columns).disclosed(limits={"recovered": 0})
    rows = by_label(found.record)
    assert rows["region = N"].tables == ("north",)  # suppressed in one table, exact in another
    assert (rows["region = E"].lower, rows["region = E"].tables) == (2, ("coarse", "north"))
    assert found.record.exit_code == 3
    alone = unveil.Plan.from_tables(tables[:2], columns=columns).disclosed(
        limits={"recovered": 0, "near": 0}
    )
    assert [one.status for one in alone.record.verdicts] == ["within", "within"]
    assert alone.record.exit_code == 0


def test_numbers_in_files_are_ranges():
    adults = file_of([("16 or more", 40), ("under 16", 12)], ("age", "count"))
    older = file_of([("18+", 38)], ("age", "count"))
    tables = [
        {"name": "adults", "by": ["age"], "file": adults},
        {"name": "older", "by": ["age"], "file": older, "where": {"age": ">= 18"}},
    ]
    (row,) = unveil.Plan.from_tables(tables).disclosed().rows
    assert (row.label, row.lower, row.tables) == ("age = 16 to 17", 2, ("adults", "older"))


@pytest.mark.parametrize("seeds", FEW_AND_MANY)
def test_small_plans_are_settled_as_every_whole_table_says(seeds):
    n_rows = 0
    for seed in seeds:
        plan = random_plan(seed)
        record = plan.disclosed(threshold=4, width=1, limits={"recovered": 0}).record
        assert record.n_open == 0
        facts, fitting = plan.facts, EVERY.fitting(facts_of(plan))
        is_exact = np.zeros(plan.boxes.n, bool)
        is_exact[facts.box[facts.lower == facts.upper]] = True
        is_hidden = np.zeros(plan.boxes.n, bool)
        is_hidden[facts.box[facts.hidden]] = True
        is_named = np.zeros(plan.boxes.n, bool)
        is_named[facts.box[facts.published]] = True
        wanted = {}
        for box in range(plan.boxes.n):
            low, high = oracle_bounds(plan, fitting, box)
            is_small = (0 if is_named[box] else 1) <= plan.truth[box] < 4
            if high - low <= 1 and (is_hidden[box] or (is_small and not is_exact[box])):
                wanted[name_of(plan, box)] = low, high
        found = {named_in(row): (row.lower, row.upper) for row in record.rows}
        assert found == wanted, seed
        assert record.exit_code == (3 if record.n_recovered else 0)
        n_rows += len(found)
    assert n_rows > 5 * len(seeds)


@pytest.mark.parametrize("seeds", FEW_AND_MANY)
def test_without_any_of_its_tables_a_set_discloses_nothing(seeds):
    n_sets = 0
    for seed in seeds:
        plan = random_plan(seed)
        places = {name_of(plan, box): box for box in range(plan.boxes.n)}
        lines, _ = plan.close()
        for row in plan.disclosed(threshold=4).rows:
            box = places[named_in(row)]
            most = row.upper - row.lower
            if lines.spare(np.array([box]))[0] > most:
                continue  # by HiGHS
            kept = np.array([name in row.tables for name in plan.names])
            assert plan.close(kept)[0].spare(np.array([box]))[0] <= max(most, 0)
            for name in row.tables:
                fewer = kept & np.array([one != name for one in plan.names])
                assert plan.close(fewer)[0].spare(np.array([box]))[0] > (1 if most else 0)
                n_sets += 1
            assert row.irreducible
    assert n_sets > 5 * len(seeds)


@pytest.mark.parametrize("seeds", FEW_AND_MANY)
def test_leaving_tables_out_is_worked_out(seeds):
    for seed in seeds:
        plan = random_plan(seed)
        record = plan.disclosed(threshold=4).record
        bounds, _ = plan.close()
        kept = np.array([name not in record.leave_out for name in plan.names])
        fewer, _ = plan.close_without(bounds, ~kept)
        fresh, _ = plan.close(kept)
        assert (fewer.lower == fresh.lower).all()
        assert (fewer.upper == fresh.upper).all()
        if record.n_left == 0 and record.rows:
            places = {name_of(plan, box): box for box in range(plan.boxes.n)}
            for row in record.rows:
                box = places[named_in(row)]
                assert not row.recovered or fresh.spare(np.array([box]))[0] > 0


def test_a_plan_of_one_table_says_what_its_bounds_say():
    counts = {("a", "x"): 2, ("a", "y"): 3, ("a", "z"): 20, ("b", "x"): 3, ("b", "y"): 1}
    counts |= {("b", "z"): 30, ("c", "x"): 25, ("c", "y"): 26, ("c", "z"): 40}
    rows = [cell for cell, n in counts.items() for _ in range(n)]
    data = pl.DataFrame(rows, schema=["row", "column"], orient="row")
    table = {"name": "T", "by": ["row", "column"], "margins": "all"}
    table["publish"] = {"table": "suppress:5", "margins": "exact", "total": "exact"}
    plan = unveil.Plan.from_tables([table], data=data)
    lines, _ = plan.close()
    own = unveil.bounds(
        counts,
        dims=["row", "column"],
        rounding={"table": "suppress:5:interval", "margins": "exact"},
        margins="all",
        total=True,
    )
    places = {tuple(level for _, level in plan.name_box(i)): i for i in range(plan.boxes.n)}
    for cell in own.cells:
        box = places[tuple(cell.levels)]
        assert (lines.lower[box], lines.upper[box]) == (cell.lower, cell.upper)
    record = plan.disclosed(width=0).record
    assert (record.n_suppressed, record.n_recovered, record.n_open) == (4, 0, 0)


def test_columns_that_nobody_uses_and_merged_levels_change_nothing():
    more = DATA.with_columns(town=pl.Series(["u", "v"] * 51 + ["u"]))
    tables = [A, B, C]
    assert (
        unveil.Plan.from_tables(tables, data=more).disclosed().rows
        == unveil.Plan.from_tables(tables, data=DATA).disclosed().rows
    )


def test_no_tables_disclose_nothing():
    record = unveil.Plan.from_tables([]).disclosed(limits={"recovered": 0}).record
    assert (record.rows, record.n_boxes, record.exit_code) == ((), 0, 0)


# What must never be within limits.


def test_time_that_ran_out_is_no_pass():
    tables = [C]
    assert disclosed(tables, limits={"recovered": 0}).exit_code == 0
    record = disclosed(tables, limits={"recovered": 0}, seconds=1e-6)
    assert record.verdicts[0].status == "not settled"
    assert record.exit_code == 3


def test_pieces_that_were_not_looked_at_are_no_pass(monkeypatch):
    monkeypatch.setattr(plan_module, "with_pieces", lambda boxes: with_pieces(boxes, 1))
    record = disclosed([A, B], limits={"recovered": 0})
    assert not record.complete
    assert record.verdicts[0].status == "not settled"


def test_a_rule_that_tells_the_value_is_no_pass():
    record = disclosed([C | {"publish": "suppress:2"}, A], limits={"recovered": 0}, threshold=2)
    assert record.exit_code == 0  # no count of 1 is suppressed in C
    lone = pl.DataFrame({"g": ["a", "b", "b"]})
    plan = unveil.Plan.from_tables([{"by": ["g"], "publish": "suppress:2"}], data=lone)
    assert plan.disclosed(limits={"recovered": 0}).record.exit_code == 3


GIRL = (
    [("m", 30, "bad")] * 40
    + [("f", 10, "bad")]
    + [(s, a, "good") for s in "mf" for a in (10, 30)] * 9
)
GIRL = pl.DataFrame(GIRL, schema=["sex", "age", "health"], orient="row")
EVERYONE = {"name": "all", "by": ["health"]}
MEN = {"name": "men", "by": ["health"], "where": {"sex": "m", "age": ">= 16"}}


def test_a_filter_on_two_columns_is_differenced():
    record = unveil.Plan.from_tables([EVERYONE, MEN], data=GIRL).disclosed().record
    (row,) = record.rows
    assert (row.label, row.lower, row.upper, row.tables) == (
        "health = bad, without (sex = m, age = 16 or more)",
        1,
        1,
        ("all", "men"),
    )


def test_tables_that_make_up_a_column_are_added_up():
    women = {"name": "women", "by": ["health"], "where": {"sex": "f", "age": ">= 16"}}
    boys = {"name": "boys", "by": ["health"], "where": {"sex": "m", "age": "< 16"}}
    plan = unveil.Plan.from_tables([EVERYONE, MEN, women, boys], data=GIRL)
    row = by_label(plan.disclosed().record)["health = bad, sex = f, age = under 16"]
    assert (row.lower, row.upper) == (1, 1)
    assert row.tables == ("all", "men", "women", "boys")


def test_two_values_by_cell_keys_show_that_somebody_is_between():
    tables = [one | {"publish": "cellkey:3:2:2"} for one in (EVERYONE, MEN)]
    n_different = 0
    for seed in range(6):
        plan = unveil.Plan.from_tables(tables, data=GIRL, seed=seed)
        bounds, _ = plan.close()
        lacking = plan.boxes.n_plain
        place = [i for i in range(lacking, plan.boxes.n) if ("health", "bad") in plan.name_box(i)]
        n_different += bounds.lower[place].sum()
        assert (bounds.lower <= plan.truth).all()
    assert n_different > 0


AREAS = [("A", "N"), ("B", "N"), ("C", "S")] * 20 + [("A", "N")] * 2
AREAS = pl.DataFrame(AREAS, schema=["area", "part"], orient="row")


def test_columns_that_the_data_link_are_declared_or_kept_apart():
    tables = [
        {"name": "fine", "by": ["area"], "publish": "suppress:30"},
        {"name": "coarse", "by": ["part"]},
    ]
    for columns, status in (
        ({}, "not settled"),
        ({"part": {"of": "area"}}, "above"),
        ({"part": {"apart": True}}, "within"),
    ):
        plan = unveil.Plan.from_tables(tables, data=AREAS, columns=columns)
        record = plan.disclosed(limits={"recovered": 0}).record
        assert record.verdicts[0].status == status
        assert any("[columns.part] of = 'area'" in note for note in record.notes) == (not columns)


def test_age_and_year_tell_the_cohort():
    """Who is 18 in 2025, and who was born by 2009: the difference is aged 16 to 17."""
    people = [(age, year, "no") for age in range(10, 70) for year in (2024, 2025)] * 3
    people.append((16, 2025, "yes"))
    people = pl.DataFrame(people, schema=["age", "year", "ill"], orient="row")
    people = people.with_columns(born=pl.col("year") - pl.col("age"))
    tables = [
        {"name": "adults", "by": ["ill"], "where": {"age": ">= 18", "year": 2025}},
        {"name": "cohort", "by": ["ill"], "where": {"born": "<= 2009", "year": 2025}},
    ]
    for columns, status in (({}, "not settled"), ({"born": {"apart": True}}, "within")):
        plan = unveil.Plan.from_tables(tables, data=people, columns=columns)
        record = plan.disclosed(limits={"recovered": 0}).record
        assert record.verdicts[0].status == status
        assert any("together tell" in n for n in record.notes) == (not columns)


def test_levels_that_differ_in_spelling_only_are_no_pass():
    hidden = pl.DataFrame({"area": ["North ", "South"], "count": ["", "20"]})
    shown = pl.DataFrame({"area": ["north", "South"], "count": ["3", "20"]})
    tables = [
        {"name": "x", "by": ["area"], "file": hidden, "publish": "suppress:5"},
        {"name": "y", "by": ["area"], "file": shown},
    ]
    record = unveil.Plan.from_tables(tables).disclosed(limits={"recovered": 0}).record
    assert record.verdicts[0].status == "not settled"
    assert any("differ in their spelling only" in note for note in record.notes)


WARDS = pl.DataFrame({"ward": ["A", "B", "C", "D"], "count": ["", "20", "", "40"]})
DISTRICTS = pl.DataFrame({"district": ["North", "South"], "count": ["23", "44"]})
TOWN = pl.DataFrame({"ward": ["A", "B", "the town"], "count": ["", "20", "23"]})
OTHERS = pl.DataFrame({"ward": ["A", "B", "C"], "count": ["", "20", "33"]})
SEXES = pl.DataFrame({"sex": ["f", "m"], "count": ["37", "30"]})


@pytest.mark.parametrize(
    ("by", "files", "columns", "is_asked"),
    [
        (("ward", "district"), (WARDS, DISTRICTS), {}, True),
        (("ward", "district"), (WARDS, DISTRICTS), {"district": {"apart": True}}, False),
        (("ward", "sex"), (WARDS, SEXES), {}, False),
        (("ward",), (TOWN,), {}, True),
        (("ward",), (TOWN,), {"ward": {"levels": ["A", "B", "the town"]}}, False),
        (("ward",), (OTHERS,), {}, False),
    ],
)
def test_values_of_files_that_add_up_are_asked_about(by, files, columns, is_asked):
    """By hand: 3 and 20 are the North's 23, 4 and 40 the South's 44; 3 and 20 are the town."""
    tables = [
        {"name": name, "by": [name], "file": file, "publish": "suppress:5"}
        for name, file in zip(by, files, strict=True)
    ]
    plan = unveil.Plan.from_tables(tables, columns=columns)
    (verdict,) = plan.disclosed(limits={"recovered": 0}).record.verdicts
    assert verdict.status == ("not settled" if is_asked else "within")


def test_ranges_of_numbers_alone_are_filters():
    tables = [
        {"name": "a", "by": ["job"], "where": {"age": "16 to 30"}},
        {"name": "b", "by": ["job"], "where": {"age": "18 to 30"}},
    ]
    assert by_label(disclosed(tables))[IN_WORK].tables == ("a", "b")


def test_it_is_said_what_is_certain_so_far(monkeypatch):
    told = []
    plan = random_plan(7)
    monkeypatch.setattr(plan_module, "close_lines", lambda *_, **__: True)
    plan.disclosed(progress=lambda what, done, total: told.append(what))
    assert any(re.search(r"at most [\d,]+ recovered so far$", what) for what in told)


def test_groups_of_numbers_link_to_filters():
    people = DATA.with_columns(pl.when(pl.col("age") < 18).then(0).otherwise(1).alias("adult"))
    adults = {"name": "adults", "by": ["job"], "where": {"adult": 1}}
    columns = {"adult": {"of": "age"}}
    plan = unveil.Plan.from_tables([A, adults, C], data=people, columns=columns)
    assert by_label(plan.disclosed().record)[IN_WORK].tables == ("A", "C")  # from 18 on, as in C
    plan = unveil.Plan.from_tables([A, adults], data=people, columns=columns)
    (row,) = plan.disclosed().rows
    assert (row.label, row.tables) == ("job = yes, age = 16 to 29", ("A", "adults"))


def test_suppressed_values_without_a_rule_are_no_pass():
    rows = [("N", "*"), ("E", "*"), ("S", "20"), ("Total", "22")]
    table = {"name": "T", "by": ["region"], "file": file_of(rows)}
    for publish, status in (("exact", "not settled"), ("suppress:5", "above")):
        plan = unveil.Plan.from_tables([table | {"publish": publish}])
        assert plan.disclosed(limits={"recovered": 0}).record.verdicts[0].status == status


def test_small_counts_that_are_published_are_counted():
    assert disclosed([A, B]).n_small == 0
    assert disclosed([{"name": "T", "by": ["age", "sex", "job"]}], threshold=4).n_small == 3


# Bad input is one sentence.

OVERLAP = {"name": "T", "by": ["sex"], "where": {"job": ["yes", "no"]}}
REFUSED = [
    ([A | {"by": ["sexx"]}], {}, "no column 'sexx'"),
    ([A | {"where": {"age": ">= 16 or < 5"}}], {}, "Write >= 16"),
    ([A | {"where": {"job": "maybe"}}], {}, "'maybe'"),
    ([A | {"where": "age"}], {}, "joined by and"),
    ([A | {"weights": "w"}], {}, "weighted"),
    ([A | {"publish": "suppres:5"}], {}, "Did you mean 'suppress'"),
    ([A | {"publsh": "exact"}], {}, "Did you mean 'publish'"),
    ([A, A], {}, "Two tables of the plan are called 'A'"),
    ([A | {"by": []}], {}, "names no columns"),
    ([C | {"bands": {"age": [16, 0]}}], {}, "rising whole numbers"),
    ([A | {"file": "nowhere.csv"}], {}, "nowhere.csv"),
    ([C | {"by": ["sex"], "bands": {"sex": [1]}}], {}, "does not hold numbers"),
    (
        [A | {"by": ["kind", "sex"]}],
        {"kind": {"of": "job", "groups": {"x": ["yes", "nein"]}}},
        "level 'nein'",
    ),
    ([A | {"by": ["kind"]}], {"kind": {"of": "job", "groups": {"x": ["yes"]}}}, "in no group"),
    ([A], {"job": {"levels": ["yes"]}}, "are not all it has"),
    ([A], {"town": {"levels": ["u"]}}, "no table uses"),
    ([A, B | {"population": "another year"}], {}, "records are of one"),
]


@pytest.mark.parametrize(("tables", "columns", "sentence"), REFUSED)
def test_bad_plans_are_refused(tables, columns, sentence):
    with pytest.raises(InputError, match=r"^[^\n]+$") as refused:
        unveil.Plan.from_tables(tables, data=DATA, columns=columns).disclosed()
    assert sentence in str(refused.value)


def test_sets_that_cross_are_refused_unless_an_order_is_declared():
    data = pl.DataFrame({"area": ["A", "B", "C", "D"] * 5})
    tables = [
        {"name": f"T{i}", "by": ["area"], "where": {"area": some}}
        for i, some in enumerate((["A", "C"], ["C", "B"], ["B", "D"]))
    ]
    with pytest.raises(InputError, match="cross each other"):
        unveil.Plan.from_tables(tables, data=data)
    columns = {"area": {"levels": ["A", "C", "B", "D"]}}
    assert unveil.Plan.from_tables(tables, data=data, columns=columns).disclosed().rows == ()


def test_contradictions_name_both_tables():
    one = {"name": "first", "by": ["region"], "file": file_of([("N", 3), ("S", 4)])}
    other = {"name": "second", "by": ["region"], "file": file_of([("N", 3), ("S", 5)])}
    total = {
        "name": "third",
        "by": ["region"],
        "file": file_of([("N", ""), ("S", ""), ("Total", 8)]),
    }
    for tables, involved in (
        ([one, other], ("first", "second")),
        ([one, total], ("first", "third")),
    ):
        with pytest.raises(InputError, match="contradict each other") as refused:
            unveil.Plan.from_tables(tables).disclosed()
        assert all(repr(name) in str(refused.value) for name in involved)
    apart = [one, other | {"population": "another year"}]
    assert unveil.Plan.from_tables(apart).disclosed().rows == ()


def test_files_that_contradict_the_data_are_refused():
    wrong = pl.DataFrame({"sex": ["m", "f"], "count": [51, 53]})
    with pytest.raises(InputError, match=r"Table 'W': 1 of 2 published values contradict the data"):
        unveil.Plan.from_tables([{"name": "W", "by": ["sex"], "file": wrong}], data=DATA)

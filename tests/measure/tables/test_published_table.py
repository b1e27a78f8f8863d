"""Releases from counts and from microdata: facts by hand, and the exact sentence for bad input."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.errors import InputError, RolesError, SettingsError
from unveil.measure.tables.parts import Fact
from unveil.measure.tables.published_table import NO_TABLE, OF_SAMPLE, PublishedTable
from unveil.measure.tables.sap import sap

ROWS = [[1, 3], [0, 2]]
NAMED = {"dims": ["sex", "age"], "levels": [["m", "f"], ["young", "old"]]}
PEOPLE = pl.DataFrame(
    {
        "sex": ["m", "f", "f", None, "m"],
        "age": [30, 30, 40, 40, 30],
        "times": [1, 2, 3, 0, 5],
        "weight": [1.5, 2.0, 1.0, 1.0, 1.0],
    }
)


def test_levels_that_differ_in_spelling_only_are_remarked_once():
    named = {"dims": ["area"], "levels": [["Ash", " ash", "Elm"]]}
    release = PublishedTable.from_counts([3, 4, 5], **named)
    (note,) = release.notes
    assert note.startswith("Levels of column 'area' differ in their spelling only: 'Ash', ' ash'.")


def bounds(release):
    return {fact.what: (fact.lo, fact.hi) for fact in release.system.facts}


def test_an_exact_table_says_every_cell():
    release = PublishedTable.from_counts(ROWS, **NAMED)
    assert release.system.counts == (1, 3, 0, 2)
    assert release.system.shape == (2, 2)
    assert release.schemes == (("table", "exact"),)
    assert release.system.facts == (
        Fact((0,), 1, 1, "the cell sex=m, age=young"),
        Fact((1,), 3, 3, "the cell sex=m, age=old"),
        Fact((2,), 0, 0, "the cell sex=f, age=young"),
        Fact((3,), 2, 2, "the cell sex=f, age=old"),
    )


def test_margins_and_total_follow_the_table():
    release = PublishedTable.from_counts(
        ROWS, **NAMED, margins="all", total=True, rounding="down:2"
    )
    assert [part for part, _ in release.schemes] == ["table", "sex", "age", "total"]
    assert release.system.facts[4:] == (
        Fact((0, 1), 4, 5, "the total of sex=m"),
        Fact((2, 3), 2, 3, "the total of sex=f"),
        Fact((0, 2), 0, 1, "the total of age=young"),
        Fact((1, 3), 4, 5, "the total of age=old"),
        Fact((0, 1, 2, 3), 6, 7, "the total"),
    )


def test_a_mapping_lists_all_that_is_published():
    release = PublishedTable.from_counts(ROWS, **NAMED, rounding={"age": "exact", "total": "up:5"})
    assert release.schemes == (("age", "exact"), ("total", "up:5"))
    assert release.notes == (NO_TABLE,)
    assert bounds(release) == {
        "the total of age=young": (1, 1),
        "the total of age=old": (5, 5),
        "the total": (6, 10),
    }


def test_none_is_not_published_and_margins_stands_for_those_asked_for():
    rounding = {"table": "conventional:3", "margins": "up:2", "age": "none"}
    release = PublishedTable.from_counts(
        ROWS, **NAMED, rounding=rounding, margins="all", total=True
    )
    assert dict(release.schemes) == {"table": "conventional:3", "sex": "up:2", "total": "exact"}


def test_the_order_in_which_a_margin_is_written_does_not_matter():
    dims, counts = ["a", "b", "c"], np.arange(8).reshape(2, 2, 2)
    one = PublishedTable.from_counts(counts, dims=dims, margins=["c, a"])
    other = PublishedTable.from_counts(counts, dims=dims, margins=[["a", "c"]])
    assert one == other
    assert one.schemes[1] == ("a,c", "exact")
    assert one.system.facts[8] == Fact((0, 2), 2, 2, "the total of a=0, c=0")


def test_a_margin_by_all_dimensions_is_the_table():
    assert PublishedTable.from_counts(ROWS, **NAMED, rounding={"sex,age": "up:5"}).schemes == (
        ("table", "up:5"),
    )


def test_suppressed_cells_say_nothing_or_their_interval():
    others = {"cell 1": (0, 0), "cell 2": (7, 7)}

    def said(scheme):
        return bounds(PublishedTable.from_counts([1, 0, 7], rounding=scheme))

    assert said("suppress:5:unknown") == others
    assert said("suppress:5") == said("suppress:5:interval") == {"cell 0": (1, 4), **others}
    both = {"cell 0": (0, 4), "cell 1": (0, 4), "cell 2": (7, 7)}
    assert said("suppress:5:zeros") == both


def test_published_values_are_taken_instead_of_drawn_ones():
    release = PublishedTable.from_counts(
        [4, 8], rounding="random:5", total=True, published=[0, 10], seed=1
    )
    assert release.published[0] == ("table", (0, 10))
    assert bounds(release)["cell 0"] == (0, 4)
    both = PublishedTable.from_counts(
        [4, 8], rounding="random:5", total=True, published={"table": [5, 5], "total": 10}
    )
    assert both.seed is None
    assert bounds(both) == {"cell 0": (1, 9), "cell 1": (1, 9), "the total": (6, 14)}


def test_a_secondary_suppression_is_a_published_none():
    release = PublishedTable.from_counts(
        [1, 6, 9], rounding="suppress:5", published=[None, None, 9]
    )
    assert bounds(release) == {"cell 0": (1, 4), "cell 1": (5, None), "cell 2": (9, 9)}
    zero = PublishedTable.from_counts([1, 0, 9], rounding="suppress:5", published=[None, None, 9])
    assert bounds(zero) == {"cell 0": (0, 4), "cell 1": (0, 4), "cell 2": (9, 9)}


def test_intervals_are_published_as_pairs():
    release = PublishedTable.from_counts(
        [[1, 6], [9, 0]], rounding="interval", published=[[[0, 4], [5, 9]], [[5, None], None]]
    )
    assert [(fact.lo, fact.hi) for fact in release.system.facts] == [(0, 4), (5, 9), (5, None)]


def test_a_mapping_of_counts_keeps_its_order_and_fills_in_nobody():
    release = PublishedTable.from_counts({("m", "old"): 3, ("f", "young"): 2}, dims=["sex", "age"])
    assert release.levels == (("m", "f"), ("old", "young"))
    assert release.system.counts == (3, 0, 0, 2)
    assert PublishedTable.from_counts({"a": 1, "b": 2}).levels == (("a", "b"),)


@pytest.mark.parametrize(
    "given",
    [
        [1],
        [(0, 1)],
        [("m", "old")],
        [[False, True], [False, False]],
        {1},
        np.array([[False, True], [False, False]]),
        [False, True, False, False],
    ],
    ids=str,
)
def test_structural_cells_are_given_in_any_way(given):
    release = PublishedTable.from_counts([[1, 0], [0, 2]], **NAMED, structural=given)
    assert release.system.structural == {1}


def test_what_can_be_gone_through_once_is_enough():
    release = PublishedTable.from_counts(
        iter([4, 8]),
        levels=iter(["a", "b"]),
        rounding="random:5",
        published=iter([5, 10]),
        structural=iter([]),
        constraints=iter([{"cells": iter([0, 1]), "hi": 12}]),
    )
    assert bounds(release) == {
        "cell a": (1, 9),
        "cell b": (6, 14),
        "the sum of constraint 1": (0, 12),
    }


def test_constraints_are_facts_by_number_or_by_levels():
    release = PublishedTable.from_counts(
        ROWS,
        **NAMED,
        rounding={},
        constraints=[{"cells": [3, 0], "lo": 2, "hi": 4}, {"cells": [("m", "old")], "lo": 1}],
    )
    assert release.system.facts == (
        Fact((0, 3), 2, 4, "the sum of constraint 1"),
        Fact((1,), 1, None, "the sum of constraint 2"),
    )


def test_microdata_make_every_combination_a_cell_and_missing_a_level():
    release = PublishedTable.from_microdata(PEOPLE, ["sex", "age"], total=True)
    assert release.levels == (("f", "m", "(missing)"), ("30", "40"))
    assert release.system.counts == (1, 1, 2, 0, 0, 1)
    assert release.N == 5
    assert not release.of_sample


def test_whole_weights_count_people():
    release = PublishedTable.from_microdata(PEOPLE, "age", weights="times")
    assert release.system.counts == (8, 3)


def test_a_sample_is_marked():
    release = PublishedTable.from_microdata(PEOPLE, "age", sample=True)
    assert release.of_sample
    assert release.notes[-1] == OF_SAMPLE


def test_bands_put_levels_together():
    release = PublishedTable.from_microdata(PEOPLE, "age", bands={"age": [35]})
    assert release.system.counts == (3, 2)


@examples(40)
@given(
    st.lists(st.integers(0, 12), min_size=6, max_size=6),
    st.sampled_from(
        [
            "exact",
            "conventional:5",
            "random:3",
            "controlled:4",
            "noise:2",
            "noise:3:zeros",
            "suppress:4",
            "suppress:4:interval",
            "up:3",
            "down:6",
        ]
    ),
    st.integers(0, 9),
)
def test_what_is_published_never_contradicts_the_counts(flat, scheme, seed):
    counts = np.array(flat).reshape(2, 3)
    release = PublishedTable.from_counts(
        counts, rounding=scheme, margins="all", total=True, seed=seed
    )
    for fact in release.system.facts:
        true = sum(flat[cell] for cell in fact.cells)
        assert fact.lo <= true
        assert fact.hi is None or true <= fact.hi
        assert list(fact.cells) == sorted(set(fact.cells))


def test_a_release_prints_no_count():
    release = PublishedTable.from_counts([[12345, 3], [0, 2]], **NAMED, total=True)
    assert repr(release) == "Release of sex, age (2 x 2 cells): table exact, total exact"


def test_the_frame_has_what_is_published_and_its_bounds():
    frame = PublishedTable.from_counts(
        [3, 1], dims="part", rounding="suppress:3", total=True
    ).frame()
    assert frame.rows() == [
        ("table", "suppress:3", "0", 3, 3, 3),
        ("table", "suppress:3", "1", None, 1, 2),
        ("total", "suppress:3", None, 4, 4, 4),
    ]
    assert frame.columns == ["part", "scheme", "part_", "published", "lower", "upper"]


KINDS = (
    "The counts must be whole numbers in a list, in lists of equal length, in an array, or in a"
    " mapping from cells to counts"
)
NO_CELLS = "The table has no cells. Give at least one count."
BAD = {
    "negative": (
        [[1, -3], [0, 2]],
        NAMED,
        InputError,
        "The count of the cell sex=m, age=old is negative. A table of counts holds whole numbers"
        " from 0.",
    ),
    "fractional": (
        [1, 2.5],
        {},
        InputError,
        "The count of cell 1 is not a whole number. A table of counts holds whole numbers from 0.",
    ),
    "missing": (
        [1, None],
        {},
        InputError,
        "The count of cell 1 is missing. A table of counts holds whole numbers from 0.",
    ),
    "not a number": (
        [1, float("nan")],
        {},
        InputError,
        "The count of cell 1 is missing. A table of counts holds whole numbers from 0.",
    ),
    "truth": (
        [True, 2],
        {},
        InputError,
        "The count of cell 0 is not a whole number. A table of counts holds whole numbers from 0.",
    ),
    "text": (
        ["many", 2],
        {},
        InputError,
        "The count of cell 0 is not a whole number. A table of counts holds whole numbers from 0.",
    ),
    "huge": (
        [2**60],
        {},
        InputError,
        "The count of cell 0 is above 9,007,199,254,740,992. A table of counts holds whole numbers"
        " from 0.",
    ),
    "empty": ([], {}, InputError, NO_CELLS),
    "empty rows": ([[], []], {}, InputError, NO_CELLS),
    "empty mapping": ({}, {}, InputError, NO_CELLS),
    "a number": (3, {}, SettingsError, f"{KINDS}; given is 3."),
    "ragged": ([[1, 2], [3]], {}, SettingsError, f"{KINDS}; not all lists have the same length."),
    "uneven": ([1, [2]], {}, SettingsError, f"{KINDS}; one list is deeper than another."),
    "too many cells": (
        np.zeros((400, 300), int),
        {},
        InputError,
        "The table would have 120,000 cells (400 x 300), more than the 100,000 that are worked on"
        " at once. Take fewer dimensions, or put levels together.",
    ),
    "too many dimensions": (
        np.zeros((1,) * 17, int),
        {},
        InputError,
        "The table has 17 dimensions; at most 16 are worked on at once. Take fewer.",
    ),
    "too many margins": (
        np.zeros((2,) * 12, int),
        {"margins": "all"},
        SettingsError,
        "4,095 parts of 4,096 cells each are asked for, 16,773,120 cells in all; at most 5,000,000"
        " are worked on at once. Ask for fewer margins.",
    ),
    "too few names": (
        ROWS,
        {"dims": ["sex"]},
        RolesError,
        "The counts have 2 dimensions, but 1 names are given: sex.",
    ),
    "a name that means something": (
        [1],
        {"dims": "total"},
        RolesError,
        "A dimension cannot be called 'total': table, total, margins, nothing and names with a"
        " comma mean something else. Give it another name.",
    ),
    "too few levels": (
        [1, 2],
        {"levels": ["a"]},
        SettingsError,
        "Dimension 'cell' has 2 levels in the counts, but 1 are named.",
    ),
    "levels twice": (
        [1, 2],
        {"levels": ["a", "a"]},
        SettingsError,
        "A level of dimension 'cell' is given twice. Name each once.",
    ),
    "levels of no dimension": (
        [1, 2],
        {"dims": "sex", "levels": {"sexe": ["m", "f"]}},
        RolesError,
        "Levels are given for 'sexe', which is not a dimension of the table. Did you mean 'sex'?"
        " Its dimensions are: sex.",
    ),
    "unknown margin": (
        ROWS,
        {**NAMED, "margins": [["aeg"]]},
        RolesError,
        "A margin names 'aeg', which is not a dimension of the table. Did you mean 'age'? Its"
        " dimensions are: sex, age.",
    ),
    "margin by all": (
        ROWS,
        {**NAMED, "margins": [["sex", "age"]]},
        SettingsError,
        "A margin names all dimensions of the table: that is the table, which is asked for by its"
        " own name.",
    ),
    "unknown part": (
        ROWS,
        {**NAMED, "rounding": {"tabel": "exact"}},
        SettingsError,
        "The release has no part 'tabel'. Did you mean 'table'? Its parts are: table, total,"
        " margins, and any of the dimensions sex, age, joined by commas.",
    ),
    "part twice": (
        ROWS,
        {**NAMED, "rounding": {"table": "exact", "age,sex": "exact"}},
        SettingsError,
        "The rounding of the part 'table' is given twice. Give it once.",
    ),
    "unknown scheme": (
        [1],
        {"rounding": "contrled:3"},
        SettingsError,
        "There is no rounding scheme 'contrled:3'. Did you mean 'controlled'? The schemes are:"
        " exact, interval, conventional, random, controlled, up, down, noise, cellkey, suppress.",
    ),
    "base 1": (
        [1],
        {"rounding": {"table": "conventional:1"}},
        SettingsError,
        "The base of the scheme 'conventional:1' must be a whole number from 2 to 1,000,000,000.",
    ),
    "people in an impossible cell": (
        ROWS,
        {**NAMED, "structural": [("m", "old")]},
        InputError,
        "People are counted in the cell sex=m, age=old, which is declared impossible (structural)."
        " Remove it from the structural cells, or correct its count.",
    ),
    "mask of another shape": (
        ROWS,
        {"structural": [True, False]},
        SettingsError,
        "The mask of structural cells does not have the table's shape, 2 x 2.",
    ),
    "no such cell": (
        [1, 2],
        {"structural": [2]},
        SettingsError,
        "structural names cell 2, but the cells are numbered from 0 to 1.",
    ),
    "no such level": (
        ROWS,
        {**NAMED, "structural": [("m", "odl")]},
        SettingsError,
        "structural names a level that dimension 'age' does not have. Did you mean 'old'? Its"
        " levels are: young, old.",
    ),
    "published of another shape": (
        ROWS,
        {"published": [[1, 2, 3]], "rounding": "exact"},
        SettingsError,
        "The published values of the part 'table' do not have its shape, 2 x 2.",
    ),
    "published what is not": (
        ROWS,
        {"published": {"total": 6}},
        SettingsError,
        "Published values are given for the part 'total', which is not published. Ask for it, or"
        " omit them. Published are: table.",
    ),
    "published no multiple": (
        [4, 8],
        {"rounding": "random:5", "published": [5, 8]},
        SettingsError,
        "The published value 8 cannot be: the scheme 'random:5' never publishes anything but"
        " multiples of 5. See cell 1.",
    ),
    "published contradicts": (
        [4, 8],
        {"rounding": "random:5", "published": [10, 10]},
        InputError,
        "What is said of cell 0 does not hold in the true table: its count is not from 6 to 14."
        " Correct the bounds, the published value or the counts.",
    ),
    "published half": (
        [4, 8],
        {"rounding": "noise:5", "published": [4.5, 8]},
        SettingsError,
        "A published value of the part 'table' is 4.5. It must be a whole number, a pair for an"
        " interval, or None where it is suppressed.",
    ),
    "interval upside down": (
        [4, 8],
        {"rounding": "interval", "published": [[5, 3], [8, 8]]},
        SettingsError,
        "A published interval of the part 'table' is no pair of whole numbers from 0, the lowest"
        " count and then the highest, or None for no highest.",
    ),
    "a constraint that does not hold": (
        [1, 2],
        {"constraints": [{"cells": [0, 1], "lo": 4}]},
        InputError,
        "What is said of the sum of constraint 1 does not hold in the true table: its count is not"
        " at least 4. Correct the bounds, the published value or the counts.",
    ),
    "a constraint without cells": (
        [1, 2],
        {"constraints": [{"lo": 4}]},
        SettingsError,
        "Constraint 1 names no cells. Give a list of them.",
    ),
    "a constraint with another entry": (
        [1, 2],
        {"constraints": [{"cell": [0]}]},
        SettingsError,
        "Constraint 1 has an entry 'cell'. Did you mean 'cells'? It has cells, lo and hi.",
    ),
    "a constraint with a cell twice": (
        [1, 2],
        {"constraints": [{"cells": [0, 0]}]},
        SettingsError,
        "Constraint 1 names a cell twice. Name each once.",
    ),
    "a constraint upside down": (
        [1, 2],
        {"constraints": [{"cells": [0], "lo": 3, "hi": 2}]},
        SettingsError,
        "Constraint 1 has no lo that is at most its hi.",
    ),
    "controlled margins without a table": (
        ROWS,
        {**NAMED, "rounding": {"sex": "controlled:3", "age": "controlled:3"}},
        SettingsError,
        "Controlled rounding of margins that share no table needs the table itself, or a margin by"
        " all their dimensions, rounded with the same base. Add it, or round with 'random'.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_counts_are_refused_with_their_sentence(case):
    counts, asked, kind, sentence = BAD[case]
    with pytest.raises(InputError) as refused:
        PublishedTable.from_counts(counts, **asked)
    assert (type(refused.value), str(refused.value)) == (kind, sentence)
    assert refused.value.exit_code == 2


BAD_PEOPLE = {
    "unknown dimension": (
        (["sxe"], {}),
        RolesError,
        "The dataset has no column 'sxe'. Did you mean 'sex'? Its columns are: sex, age, times,"
        " weight.",
    ),
    "no dimension": (
        ([], {}),
        RolesError,
        "No dimensions are given. Name the columns that make the table.",
    ),
    "decimal weights": (
        (["sex"], {"weights": "weight"}),
        SettingsError,
        "The weights in column 'weight' of the dataset are not whole numbers from 0 for 1 of 5"
        " records. A table of counts needs whole people: sampling weights with decimals cannot be"
        " used.",
    ),
    "weights of text": (
        (["age"], {"weights": "sex"}),
        SettingsError,
        "The weights in column 'sex' of the dataset are missing for 1 of 5 records. Fill them in,"
        " or remove these records.",
    ),
    "weights that are a dimension": (
        (["age"], {"weights": "age"}),
        RolesError,
        "Column 'age' cannot be a dimension and weights at once. Remove it from one of the two.",
    ),
    "an unknown setting": (
        (["age"], {"roundng": "exact"}),
        SettingsError,
        "A release has no setting 'roundng'. Did you mean 'rounding'? Its settings are: rounding,"
        " table, total, margins, published, constraints, structural, nested, seed.",
    ),
}


@pytest.mark.parametrize("case", BAD_PEOPLE)
def test_bad_microdata_are_refused_with_their_sentence(case):
    (dims, asked), kind, sentence = BAD_PEOPLE[case]
    with pytest.raises(InputError) as refused:
        PublishedTable.from_microdata(PEOPLE, dims, **asked)
    assert (type(refused.value), str(refused.value)) == (kind, sentence)


def test_too_many_combinations_are_refused_with_their_number():
    people = pl.DataFrame({name: range(60) for name in "abc"})
    with pytest.raises(InputError, match=r"^The table would have 216,000 cells \(60 x 60 x 60\)"):
        PublishedTable.from_microdata(people, ["a", "b", "c"])


REGIONS = {
    "dims": ["region", "ward", "job"],
    "levels": [["N", "S"], ["W1", "W2", "W3"], ["a", "b"]],
}
NESTED = [[[4, 3], [0, 5], [0, 0]], [[0, 0], [0, 0], [6, 2]]]


def test_a_hierarchy_rules_out_what_cannot_be():
    plain = PublishedTable.from_counts(NESTED, **REGIONS)
    release = PublishedTable.from_counts(NESTED, **REGIONS, nested={"ward": "region"})
    assert release.system.structural == {4, 5, 6, 7, 8, 9}
    assert release.nested == (("ward", "region"),)
    assert sap(plain, n_max=0).record.taught.n_recovered == 7
    assert sap(release, n_max=0).record.taught.n_recovered == 1
    named = sap(NESTED, **REGIONS, nested={"ward": "region"}, n_max=0)
    assert named.record.taught.n_recovered == 1
    empty = [[[4, 3], [0, 0], [0, 0]], [[0, 0], [0, 0], [6, 2]]]
    free = PublishedTable.from_counts(empty, **REGIONS, nested={"ward": "region"})
    assert free.system.structural == {4, 5, 6, 7}  # W2 may be in either region


@pytest.mark.parametrize(
    ("nested", "error", "sentence"),
    [
        ({"ward": "reg"}, SettingsError, "nested names 'reg', which is not a dimension"),
        ("ward", SettingsError, "nested is 'ward'. Write"),
        ({"region": "ward"}, InputError, "'region' is not nested in 'ward': 1 of its levels"),
    ],
)
def test_what_is_no_hierarchy(nested, error, sentence):
    with pytest.raises(error, match=sentence):
        PublishedTable.from_counts(NESTED, **REGIONS, nested=nested)

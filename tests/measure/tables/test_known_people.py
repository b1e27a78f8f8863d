from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import sap as oracle
from profiles import examples
from unveil.errors import InputError, SettingsError
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap import sap

TABLE = PublishedTable.from_counts(
    [[2, 1], [1, 3]],
    dims=["sex", "age"],
    levels=[["m", "f"], ["young", "old"]],
    rounding="conventional:3",
    margins="all",
    total=True,
)


def facts_of(release):
    return [(fact.cells, fact.lo, fact.hi) for fact in release.system.facts]


def lowered(facts, taken):
    made = []
    for cells, lo, hi in facts:
        known = sum(taken[cell] for cell in cells)
        made.append((cells, max(0, lo - known), None if hi is None else hi - known))
    return made


@given(st.lists(st.integers(0, 2), min_size=4, max_size=4), st.data())
@examples(40)
def test_people_known_in_full_are_taken_out_first(counts, data):
    taken = [data.draw(st.integers(0, n)) for n in counts]
    left = [n - known for n, known in zip(counts, taken, strict=True)]
    if sum(left) == 0:
        return
    release = PublishedTable.from_counts(
        [counts[:2], counts[2:]], rounding="conventional:3", margins="all", total=True
    )
    found = sap(release, known=[(cell, n) for cell, n in enumerate(taken)])
    expected = oracle.sap(left, lowered(facts_of(release), taken))
    assert list(found.fractions) == expected
    assert sum(left) == found.record.N


def test_knowing_people_is_a_sample_that_holds_them():
    # SAP(n) is the mean over whom the first known person may be.
    whole = sap(TABLE).fractions
    counts, N = TABLE.system.counts, TABLE.N
    for n in range(N):
        mean = sum(
            Fraction(c, N) * sap(TABLE, known=[i]).fractions[n] for i, c in enumerate(counts)
        )
        assert mean == whole[n + 1]


@given(st.lists(st.integers(0, 2), min_size=4, max_size=4), st.data())
@examples(40)
def test_people_known_in_part_are_at_least_so_many(counts, data):
    row = data.draw(st.integers(0, 1))
    n = data.draw(st.integers(0, counts[2 * row] + counts[2 * row + 1]))
    if sum(counts) == 0:
        return
    release = PublishedTable.from_counts(
        [counts[:2], counts[2:]], rounding="conventional:3", total=True, margins="all"
    )
    found = sap(release, known=[({"dim1": str(row)}, n)])
    facts = [*facts_of(release), ((2 * row, 2 * row + 1), n, None), ((0, 1, 2, 3), n, None)]
    assert list(found.fractions) == oracle.sap(counts, facts)


def test_a_person_known_in_detail_counts_in_every_margin():
    counts = [[[1, 1], [1, 0]], [[1, 1], [0, 1]]]
    release = PublishedTable.from_counts(counts, rounding="conventional:3", margins="all")
    flat = [1, 1, 1, 0, 1, 1, 0, 1]
    found = sap(release, known=[{"dim1": 0, "dim2": 0}, {"dim1": 0}], n_max=4)
    facts = [*facts_of(release), ((0, 1), 1, None), ((0, 1, 2, 3), 2, None)]
    assert list(found.fractions) == oracle.sap(flat, facts)[:5]


def test_people_are_named_by_text_mapping_or_cell():
    asked = ["sex=m,age=old", {"age": "old", "sex": "m"}, 1]
    curves = {sap(TABLE, known=[one]).record.exact for one in asked}
    assert len(curves) == 1
    assert sap(TABLE, known=[("sex=f,age=old", 2)]).record.known == (("sex=f, age=old", 2),)


def test_nobody_known_is_the_plain_curve():
    assert sap(TABLE, known=[]).record.exact == sap(TABLE).record.exact
    assert sap(TABLE, known=[("sex=m", 0)]).record.exact == sap(TABLE).record.exact


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        (["sex=m,age=old", "sex=m,age=old"], "2 people are said to be known in sex=m, age=old, more"
         " than the table counts there. Correct the known people or the counts."),
        ([("sex=f", 5)], "5 people are said to be known in sex=f, more than the table counts there."
         " Correct the known people or the counts."),
        ([("sex=f,age=old", 3), ("sex=f", 1), ("age=young", 3)], "The people known in part do not"
         " all fit into the table: there are fewer people with the levels they share. Correct the"
         " known people or the counts."),
        (["sx=m"], "Known person 1 names 'sx', which is not a dimension of the table. Did you mean"
                   " 'sex'? Its dimensions are: sex, age."),
        (["sex=m", "age=odl"], "Known person 2 names a level that dimension 'age' does not have."
         " Did you mean 'old'? Its levels are: young, old."),
        ([("sex=m", -1)], "Known person 1 comes with the number -1. It must be a whole number from"
         " 0."),
        ([("sex=m", 0.5)], "Known person 1 comes with the number 0.5. It must be a whole number"
         " from 0."),
        ([9], "Known person 1 names cell 9, but the cells are numbered from 0 to 3."),
        ("sex=m", 'known must be a list of people, such as [{"sex": "m", "age": "2"}] or'
         " [(\"sex=m\", 3)] for three of them; given is 'sex=m'."),
    ],
)  # fmt: skip
def test_known_people_that_do_not_fit(known, sentence):
    with pytest.raises(InputError) as caught:
        sap(TABLE, known=known)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2


def test_when_everybody_is_known_nobody_is_left():
    with pytest.raises(InputError, match=r"No one is left in the table, so that no one"):
        sap([1, 1], known=[0, 1])
    assert sap([1, 1], known=[0, 1], n_max=0).fractions == (1,)


def halls_facts(people):
    """At least as many in every union of rows and columns as people are known in one of them."""
    margins = {"dim1": ((0, 1), (2, 3)), "dim2": ((0, 2), (1, 3))}
    within = [set(margins[dim][level]) for dim, level in people]
    for size in range(1, len(people) + 1):
        for chosen in combinations(within, size):
            yield tuple(sorted(set().union(*chosen))), size, None


@given(
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
    st.lists(st.tuples(st.sampled_from(["dim1", "dim2"]), st.integers(0, 1)), max_size=3),
    st.sampled_from(["conventional:3", "conventional:5"]),
)
@examples(60)
def test_people_known_in_part_all_find_a_place(counts, people, scheme):
    rounding = {"table": scheme, "total": "exact"}
    release = PublishedTable.from_counts([counts[:2], counts[2:]], rounding=rounding)
    facts = list(halls_facts(people))
    if not sum(counts) or any(sum(counts[c] for c in cells) < n for cells, n, _ in facts):
        return
    found = sap(release, known=[{dim: level} for dim, level in people])
    assert list(found.fractions) == oracle.sap(counts, [*facts_of(release), *facts])


def test_people_in_a_row_and_in_columns_are_more_than_those_of_each_margin():
    # Everybody of the table is known in part, and its three people must be in three places.
    release = PublishedTable.from_counts(
        [[1, 1], [0, 1]], rounding={"table": "conventional:5", "total": "exact"}
    )
    found = sap(release, known=[{"dim1": 1}, {"dim2": 1}, {"dim2": 0}])
    assert found.record.exact == ("0/1", "2/3", "1/1", "1/1")


def test_as_many_people_as_a_table_can_count_are_known():
    release = PublishedTable.from_counts([[3 * 10**9, 1], [2, 5]], rounding="conventional:5")
    known = [({"dim1": 0}, 2**31 + 5), ({"dim2": 0}, 2**29)]
    assert sap(release, known=known, n_max=2).record.exact[:2] == ("0/1", "0/1")
    for who, told in ((0, "dim1=0, dim2=0"), ({"dim1": 0}, "dim1=0")):
        with pytest.raises(InputError, match=f"people are said to be known in {told}, more than"):
            sap(release, known=[(who, 10**30)], n_max=2)


def test_too_many_kinds_of_people_known_in_part_are_refused():
    release = PublishedTable.from_counts([[2] * 12] * 12, rounding="conventional:5")
    known = [{dim: level} for dim in ("dim1", "dim2") for level in range(12)]
    with pytest.raises(
        SettingsError,
        match=r"^The 24 kinds of people known in part share cells in more ways than the 2,000 that"
        r" are worked on at once\. Name fewer kinds\.$",
    ):
        sap(release, known=known, n_max=2)

from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import sap as oracle
from unveil.measure.tables.parts import System
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap import sap
from unveil.measure.tables.sap_depth import list_lessons

RACE = ["White", "Black", "Other"]


def published(counts):
    return PublishedTable.from_counts(counts, dims=["county", "race"], levels=[["A", "B"], RACE])


def test_table_1_of_the_paper_settles_the_race_of_a_county():
    taught = sap(published([[15, 20, 5], [0, 30, 0]])).record.taught
    assert (taught.n_recovered, taught.settles) == (2, 2)
    assert taught.n_people_settled == 15 + 30 + 5  # B is Black; a White or Other person is in A
    assert taught.lessons[0].cell == "county=B, race=White"
    assert taught.lessons[0].variables == ("county", "race")
    assert [(one.settles, one.rules_out_level) for one in taught.by_variable] == [(2, 0), (2, 0)]


def test_table_2_of_the_paper_rules_out_a_race():
    taught = sap(published([[15, 20, 5], [0, 28, 2]])).record.taught
    (lesson,) = taught.lessons
    # Somebody White must be in county A; of somebody in B one race of three is ruled out.
    assert lesson.kind == "settles"
    assert lesson.variables == ("county",)
    assert [(one.settles, one.rules_out_level) for one in taught.by_variable] == [(1, 0), (0, 1)]
    assert taught.n_people_settled == 15


def test_a_zero_with_several_left_along_every_variable_rules_out_a_level():
    taught = sap([[1, 2, 3], [4, 0, 5], [6, 7, 8]]).record.taught
    assert (taught.settles, taught.rules_out_level, taught.combination_only) == (0, 1, 0)
    assert taught.lessons[0].variables == ("dim1", "dim2")
    assert taught.n_people_settled == 0


def test_a_zero_among_zeros_rules_out_a_combination_only():
    taught = sap([[0, 0, 0], [0, 2, 3], [0, 4, 5]]).record.taught
    assert taught.combination_only == 1
    assert taught.rules_out_level == 4
    assert taught.n_recovered == 5


def test_impossible_cells_are_known_to_be_empty_and_teach_nothing():
    taught = sap([[0, 0, 7], [1, 2, 3], [1, 1, 1]], structural=[0]).record.taught
    assert taught.n_recovered == taught.settles == 1
    assert taught.n_people_settled == 7


def test_a_zero_that_rounding_hides_teaches_nothing():
    assert sap([[0, 4], [5, 6]], rounding="conventional:3").record.taught.n_recovered == 0


def test_known_people_recover_zeros():
    taught = sap([[1, 4], [5, 6]], known=[0]).record.taught
    assert taught.n_recovered == taught.settles == 1
    assert taught.n_people_settled == 4 + 5


@given(st.data())
@settings(deadline=None)
def test_every_zero_is_of_the_kind_its_lines_say(data):
    shape = data.draw(st.sampled_from([(3,), (2, 3), (3, 3), (2, 2, 2)]))
    counts = data.draw(st.lists(st.integers(0, 2), min_size=prod(shape), max_size=prod(shape)))
    zeros = [cell for cell, n in enumerate(counts) if n == 0]
    structural = {cell for cell in zeros if data.draw(st.booleans())}
    recovered = [cell for cell in zeros if cell not in structural and data.draw(st.booleans())]
    system = System(tuple(counts), (), frozenset(structural), shape)
    found, _ = list_lessons(system, recovered)
    kinds = [lesson.kind for lesson in found]
    expected = oracle.kinds(shape, recovered, structural)
    assert {kind: kinds.count(kind) for kind in expected} == expected
    assert [lesson.cell for lesson in found] == recovered

"""Replicated uniques by hand, against their definition, and what is refused."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil.view.recoding  # noqa: F401  (teaches records to show themselves)
from oracles import recoding as oracle
from profiles import examples
from unveil.errors import InputError
from unveil.io.table import Labelled
from unveil.protection.replicated_uniques import remove_replicated_uniques
from unveil.records.codebook import Codebook, Variable
from unveil.records.protection import Removal

ORIGINAL = pl.DataFrame({"sex": list("mmff"), "town": ["A", "B", "A", "A"], "ill": list("yynn")})
COPY = pl.DataFrame({"sex": list("mmfmm"), "town": ["A", "B", "A", "C", "C"], "ill": list("nnyyy")})


def test_the_four_counts_by_hand():
    result = remove_replicated_uniques(ORIGINAL, COPY, keys=["sex", "town"])
    (row,) = result.rows
    # Alone in the original: m A, m B. In the copy: m A, m B, f A; all three keys are known.
    assert (row.uniques_original, row.uniques_synthetic) == (2, 3)
    assert (row.uniques_in_original, row.replicated) == (3, 2)
    assert (row.n_removed, row.n_left) == (2, 3)
    assert result.removed == ((1, 2),)
    assert result.data.rows() == [("f", "A", "y"), ("m", "C", "y"), ("m", "C", "y")]
    wide = remove_replicated_uniques(ORIGINAL, COPY, keys=["sex", "town"], uniques_of_original=True)
    assert wide.removed == ((1, 2, 3),)


def test_it_says_what_it_did():
    result = remove_replicated_uniques(ORIGINAL, COPY, keys=["sex", "town"])
    assert repr(result).splitlines() == [
        "Keys: sex and town.",
        "2 of 4 people (50.0 %) are unique on these keys in the original and in copy 1"
        " (replicated).",
        "Copy 1: 2 of 5 records were removed; 3 are left.",
    ]
    assert "Synthetic uniques in original" in result._repr_html_()
    assert Removal.from_json(result.to_json()) == result.record
    assert "removed" not in result.to_dict()  # which rows they were stays with the result


def test_without_keys_all_common_columns_count():
    result = remove_replicated_uniques(ORIGINAL, COPY.drop("ill"))
    assert result.record.keys == ("sex", "town")
    nobody = remove_replicated_uniques(ORIGINAL, COPY)
    assert nobody.record.keys == ("sex", "town", "ill")
    assert nobody.rows[0].replicated == 0


def test_what_is_declared_stays_with_the_copy():
    book = Codebook(source="c.sav", format="spss", variables=(Variable(name="sex", kind="text"),))
    result = remove_replicated_uniques(ORIGINAL, Labelled(COPY, book), keys="town")
    assert isinstance(result.data, Labelled)
    assert result.data.codebook.variables == book.variables


def test_a_copy_of_which_nothing_is_left_is_told():
    original = pl.DataFrame({"x": ["a", "b"]})
    result = remove_replicated_uniques(original, [original, original])
    assert [data.height for data in result.data] == [0, 0]
    assert result.record.warnings[1] == (
        "No record of copy 2 is left. Give fewer keys, or recode them before the synthetic data"
        " are made."
    )


cell = st.one_of(st.none(), st.sampled_from("ab"))
rows = st.lists(st.tuples(cell, cell, st.sampled_from("pqr")), min_size=1, max_size=12)


@examples(80)
@given(rows, st.lists(rows, min_size=1, max_size=3), st.booleans())
def test_it_equals_its_story(original, copies, wide):
    schema = dict.fromkeys(("x", "y", "z"), pl.String)
    # One record in common, so that no key is without a level in common.
    common = [("a", "a", "p"), ("b", "b", "q")]
    sides = [[*common, *side] for side in (original, *copies)]
    frames = [pl.DataFrame(side, schema, orient="row") for side in sides]
    result = remove_replicated_uniques(frames[0], frames[1:], uniques_of_original=wide)
    for place, side in enumerate(sides[1:]):
        told = oracle.replicated(sides[0], side)
        row = result.rows[place]
        assert row.uniques_original == len(oracle.replicated(side, sides[0])["unique"])
        assert row.uniques_synthetic == len(told["unique"])
        assert row.uniques_in_original == len(told["in original"])
        assert row.replicated == len(told["replicated"])
        gone = told["in original" if wide else "replicated"]
        assert list(result.removed[place]) == gone
        kept = [one for i, one in enumerate(side, 1) if i not in gone]
        assert result.copies[place].rows() == kept


@pytest.mark.parametrize(
    ("copy", "keys", "sentence"),
    [
        (
            COPY,
            ["sx"],
            "None of the files has a column 'sx'. Did you mean 'sex'? The columns of"
            " the original are: sex, town, ill.",
        ),
        (COPY, [], "No keys are given. Name the columns an intruder would know."),
        (
            pl.DataFrame({"other": [1]}),
            None,
            "The files have no column in common. Give them the same names.",
        ),
        (
            pl.DataFrame({"sex": ["1", "2"]}),
            None,
            "Key 'sex' has no level in common between the"
            " original and the synthetic dataset. Nothing would match, so the risk would appear as"
            " zero. Give the column the same coding in both files.\nAll columns were taken as"
            " keys. Name those that outsiders know in keys.",
        ),
        ([], None, "No synthetic data are given. Name at least one file or frame."),
    ],
)
def test_bad_input_is_refused_in_a_sentence(copy, keys, sentence):
    with pytest.raises(InputError) as refused:
        remove_replicated_uniques(ORIGINAL, copy, keys=keys)
    assert str(refused.value) == sentence
    assert refused.value.exit_code == 2


PEOPLE_ROWS = st.lists(
    st.tuples(st.sampled_from("PQRS"), st.sampled_from("mf"), st.sampled_from("ABC")), min_size=1
).map(lambda rows: [*rows, ("P", "m", "A")])


@examples(100)
@given(PEOPLE_ROWS, PEOPLE_ROWS, st.booleans())
def test_with_people_keys_are_unique_where_one_person_has_them(original, copy, wide):
    schema = ["who", "sex", "town"]
    made = pl.DataFrame(copy, schema, orient="row").drop("who")
    result = remove_replicated_uniques(
        pl.DataFrame(original, schema, orient="row"), made, person="who", uniques_of_original=wide
    )
    held = {}
    for who, *keys in original:
        held.setdefault(tuple(keys), set()).add(who)
    shown = [tuple(keys) for _, *keys in copy]
    gone = [
        place
        for place, keys in enumerate(shown, start=1)
        if shown.count(keys) == 1 and keys in held and (wide or len(held[keys]) == 1)
    ]
    assert result.removed == (tuple(gone),)
    (row,) = result.rows
    alone = set().union(*(people for people in held.values() if len(people) == 1))
    assert row.uniques_original == len(alone)
    assert result.record.person.n_people == len({who for who, *_ in original})

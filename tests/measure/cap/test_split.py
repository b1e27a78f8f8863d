"""A random split: nobody lost, nobody twice, the share held, the same again from the same seed."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import RolesError, SettingsError
from unveil.io.table import place_of
from unveil.measure.cap.split import _draw_included, split

PEOPLE = pl.DataFrame(
    {
        "id": range(30),
        "sex": ["m", "f", None] * 10,
        "town": ["a"] * 17 + ["b"] * 12 + ["c"],
        "^x$": [0.5] * 30,
    }
)


def test_the_halves_hold_everyone_once_in_the_order_of_the_original():
    included, left_out = split(PEOPLE, seed=1)
    assert included.schema == left_out.schema == PEOPLE.schema
    assert pl.concat([included, left_out]).sort("id").equals(PEOPLE)
    for part in (included, left_out):
        assert part["id"].is_sorted()
    assert (included.height, left_out.height) == (15, 15)


def test_the_first_part_has_the_share():
    made = split(PEOPLE, 0.8, seed=1)
    assert (made.included.height, made.left_out.height) == (24, 6)
    assert made.to_dict() == {
        "schema": 1,
        "version": made.record.version,
        "file": "a data frame",
        "share": 0.8,
        "seed": 1,
        "strata": made.to_dict()["strata"],
        "n_strata": 1,
        "n_original": 30,
        "n_included": 24,
        "n_left_out": 6,
        "person": None,
        "n_people_included": None,
        "n_people_left_out": None,
        "coercions": made.to_dict()["coercions"],
    }


def test_the_same_seed_makes_the_same_parts_and_another_seed_others():
    assert split(PEOPLE, seed=5).included.equals(split(PEOPLE, seed=5).included)
    assert not split(PEOPLE, seed=5).included.equals(split(PEOPLE, seed=6).included)


@pytest.mark.parametrize("strata", ["town", ["town", "sex"], ["sex"]])
def test_the_share_holds_in_every_stratum_to_less_than_one_record(strata):
    names = [strata] if isinstance(strata, str) else strata
    for seed in range(20):
        made = split(PEOPLE, 0.3, seed=seed, strata=strata)
        found = Counter(made.included.select(names).rows())
        everyone = Counter(PEOPLE.select(names).rows())
        assert all(abs(found[level] - 0.3 * n) < 1 for level, n in everyone.items())
        assert made.record.n_strata == len(everyone)
        assert made.included.height == 9


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=40),
    st.floats(0.05, 0.95),
    st.integers(0, 2**32),
)
def test_the_number_drawn_differs_from_the_share_by_less_than_one(strata, share, seed):
    levels, ids = np.unique(strata, return_inverse=True)
    is_in = _draw_included(ids.astype(np.int32), len(levels), share, np.random.default_rng(seed))
    for level in range(len(levels)):
        here = ids == level
        assert abs(is_in[here].sum() - share * here.sum()) < 1 + 1e-9
    assert abs(is_in.sum() - share * len(ids)) < 1 + 1e-9


def test_everyone_has_the_same_chance():
    # Strata of 1, 2 and 5 people, a share of 0.4, 4,000 draws: the standard error is 0.8 points.
    strata = np.array([0, 1, 1, 2, 2, 2, 2, 2], np.int32)
    draws = [_draw_included(strata, 3, 0.4, np.random.default_rng(seed)) for seed in range(4000)]
    assert np.abs(np.mean(draws, axis=0) - 0.4).max() < 0.032


def test_a_file_is_split_like_the_frame_it_holds(tmp_path):
    PEOPLE.write_csv(tmp_path / "people.csv")
    PEOPLE.write_parquet(tmp_path / "people.parquet")
    expected = split(PEOPLE, seed=3, strata="sex").included
    for name in ("people.csv", "people.parquet"):
        made = split(tmp_path / name, seed=3, strata="sex")
        assert made.included.equals(expected)
        assert made.record.file == name


VISITS = pl.DataFrame(
    {
        "patient_id": [f"P{n % 40}" for n in range(150)] + [None, None],
        "sex": ["m" if n % 40 < 11 else "f" for n in range(150)] + ["f", "m"],
        "day": range(152),
    }
)


@pytest.mark.parametrize("strata", [None, "sex"])
def test_a_person_is_in_one_part_with_all_rows_and_the_share_is_of_people(strata):
    for seed in range(10):
        made = split(VISITS, 0.25, seed=seed, strata=strata)
        included, left_out = (set(part["patient_id"].drop_nulls()) for part in made)
        assert not included & left_out
        assert len(included | left_out) == 40
        assert pl.concat(made).sort("day").equals(VISITS)
        record = made.record
        assert record.n_people_included + record.n_people_left_out == record.person.n_people == 42
        assert abs(record.n_people_included - 0.25 * 42) < 1
        if strata is not None:
            n_men = made.included.filter(pl.col("sex") == "m")
            n = n_men["patient_id"].drop_nulls().n_unique() + n_men["patient_id"].null_count()
            assert abs(n - 0.25 * 12) < 1


def test_a_person_column_that_nobody_named_is_told_of_and_one_that_is_named_is_not():
    found = split(VISITS, seed=1)
    assert [(note.kind, note.sentence) for note in found.record.coercions] == [
        (
            "person",
            "'patient_id' repeats: 152 rows of 42 people, so all rows of a person are in one part."
            " If every row is a person, give person none (--person none).",
        )
    ]
    named = split(VISITS, seed=1, person="patient_id")
    assert named.record.coercions == ()
    assert named.included.equals(found.included)


def test_rows_are_split_where_they_are_said_to_be_people_as_if_there_were_no_such_column():
    by_row = split(VISITS, seed=1, person="none")
    assert by_row.record.person is None
    renamed = split(VISITS.rename({"patient_id": "town"}), seed=1)
    assert by_row.included.equals(renamed.included.rename({"town": "patient_id"}))


def test_strata_within_which_a_person_is_twice_are_refused():
    with pytest.raises(RolesError) as refused:
        split(VISITS.with_columns(day=pl.col("day") // 80), seed=1, strata="day")
    assert str(refused.value) == (
        "40 of 42 people (column 'patient_id') have rows in several strata of day. Take strata that"
        " are the same in all rows of a person, or give person none (--person none) if every row is"
        " a person."
    )


def test_a_split_shows_how_it_was_made_and_nobody():
    said = repr(split(PEOPLE, seed=3))
    assert "id" not in said.split()
    assert "shape" not in said


PLACE = place_of("original")


@pytest.mark.parametrize(
    ("asked", "error", "sentence"),
    [
        (
            {"share": 0},
            SettingsError,
            "The share is 0. It must be a number between 0 and 1, such as 0.5 for one half.",
        ),
        (
            {"share": 1.0},
            SettingsError,
            "The share is 1. It must be a number between 0 and 1, such as 0.5 for one half.",
        ),
        (
            {"share": float("nan")},
            SettingsError,
            "The share is nan. It must be a number between 0 and 1, such as 0.5 for one half.",
        ),
        (
            {"share": "half"},
            SettingsError,
            "The share is 'half'. It must be a number between 0 and 1, such as 0.5 for one half.",
        ),
        (
            {"seed": None},
            SettingsError,
            "The seed is None. It must be a whole number from 0 to 9,223,372,036,854,775,807.",
        ),
        (
            {"seed": -1},
            SettingsError,
            "The seed is -1. It must be a whole number from 0 to 9,223,372,036,854,775,807.",
        ),
        (
            {"seed": 1.5},
            SettingsError,
            "The seed is 1.5. It must be a whole number from 0 to 9,223,372,036,854,775,807.",
        ),
        (
            {"seed": True},
            SettingsError,
            "The seed is True. It must be a whole number from 0 to 9,223,372,036,854,775,807.",
        ),
        (
            {"strata": ["sexx"]},
            RolesError,
            f"{PLACE} has no column 'sexx'. Did you mean 'sex'? Its columns are: id, sex, town,"
            " ^x$.",
        ),
        (
            {"strata": ["sex", "sex"]},
            RolesError,
            "Column 'sex' is given twice among the strata. Name it once.",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(asked, error, sentence):
    with pytest.raises(error) as refused:
        split(PEOPLE, **{"seed": 1, **asked})
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("n", "share", "whom"), [(2, 0.01, "included"), (2, 0.99, "left out"), (1, 1e-9, "included")]
)
def test_a_part_without_anybody_is_refused(n, share, whom):
    with pytest.raises(SettingsError) as refused:
        split(PEOPLE.head(n), share, seed=1)
    assert str(refused.value) == (
        f"{PLACE} is too small for a share of {share:g}: no one would be {whom}. Choose a share"
        " nearer to 0.5, or a larger file."
    )

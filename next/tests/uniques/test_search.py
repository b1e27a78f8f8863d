"""Minimal sample uniques beside an enumeration, on random files."""

from random import Random

import polars as pl
import pytest

import unveil
from oracles import uniques as oracle
from unveil.measures.uniques import search

LEVELS = (None, "a", "b", "c", "d", "e")


def draw(seed):
    """People with one record or several, some of which lack keys."""
    chance = Random(seed)
    n, n_keys = chance.randint(1, 40), chance.randint(1, 5)
    levels = LEVELS[chance.randint(0, 1) : chance.randint(3, 6)]
    n_people = n if seed % 2 else chance.randint(1, n)
    return [
        (place if seed % 2 else chance.randrange(n_people), tuple(chance.choices(levels, k=n_keys)))
        for place in range(n)
    ]


def study_of(records, **about):
    keys = [f"k{place}" for place in range(len(records[0][1]))]
    rows = [(f"p{person}", *row) for person, row in records]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(["pid", *keys], pl.String), orient="row")
    return unveil.Study(frame, keys=keys, columns={"pid": "person"}, **about)


@pytest.mark.parametrize("seed", range(80))
def test_scores_are_those_of_all_sets_one_by_one(seed, monkeypatch):
    if seed % 4 == 3:
        monkeypatch.setattr(search, "ROOM", 1)  # in several passes
        monkeypatch.setattr(search, "LEAST", 3)
    records = draw(seed)
    n_keys = len(records[0][1])
    msus = [oracle.minimal_sets(records, place, n_keys) for place in range(len(records))]
    scores = search.suda_scores(study_of(records)).tolist()
    assert scores == [oracle.score(sets, n_keys) for sets in msus]


@pytest.mark.parametrize("seed", range(0, 80, 5))
def test_a_missing_key_may_be_a_value_like_any_other(seed):
    records = draw(seed)
    named = [(person, tuple(value or "none" for value in row)) for person, row in records]
    scores = search.suda_scores(study_of(records), missing_is_level=True).tolist()
    assert scores == search.suda_scores(study_of(named)).tolist()

"""Coarser settings side by side: each is what its steps give by themselves, assessed."""

from datetime import date, timedelta
from random import Random

import polars as pl
import pytest

import unveil
from unveil.making.tries import TriedRow, best_of, said_of


def people(seed=1, n=250):
    chance = Random(seed)
    age = [chance.randint(18, 80) for _ in range(n)]
    return pl.DataFrame({
        "sex": chance.choices("fm", k=n), "age": age,
        "income": [round(30 * a + chance.gauss(1000, 300)) for a in age],
        "health": chance.choices(["good", "fair", "poor"], (6, 3, 1), k=n),
        "job": chance.choices(["clerk", "nurse", "smith", "monk"], (60, 30, 8, 2), k=n),
        "seen": [date(2025, 1, 1) + timedelta(chance.randint(0, 364)) for _ in range(n)],
    })  # fmt: skip


def study(*names):
    columns = {"income": {"tolerance": 100}} if "income" in names else {}
    return unveil.Study(people().select(names), keys=("sex", "age"), columns=columns)


STEPS = [{"do": "synthesise", "leaf": [2, 4]}]


@pytest.fixture(scope="module")
def protection():
    return unveil.protect(study("sex", "age", "income", "health"), STEPS, tries="income", seed=1)


def test_each_try_is_what_its_steps_give_assessed_beside_the_original_recoded_likewise(protection):
    assert [row.number for row in protection.tried] == [0, 1, 2, 3, 4, 5, 6]
    files = study("sex", "age", "income", "health")
    for row in (protection.tried[0], protection.tried[2], protection.tried[6]):
        steps = protection.steps_of(row.number) if row.number else STEPS
        made = unveil.protect(files, steps, seed=1).study
        result = unveil.assess(made)
        assert row.status == result.status
        complete = {f.people for f in result.figures if f.what == "equal in all variables"}
        assert complete == {row.complete}
        beyond = {
            (f"{f.what} by {f.by}", f.beyond) for f in result.figures if f.kind in ("keys", "links")
        }
        assert (row.worst, row.beyond) in beyond
        assert row.S_pMSE == unveil.utility(made).overall[0].S_pMSE


def test_settings_grow_coarser_in_words_and_in_steps(protection):
    files = study("sex", "age", "income", "health")
    settings = [row.setting for row in protection.tried]
    assert settings == [
        "as given", "income to 100", "income to 500", "income to 100, leaves of 33",
        "income to 500, leaves of 33", "income in 5 bands, leaves of 33",
        "income to 500, leaves of 33, distance filter",
    ]  # fmt: skip
    assert protection.steps_of(6) == [
        {"do": "round", "column": "income", "to": 500},
        {"do": "synthesise", "leaf": [33, 100]},
        {"do": "distance_filter"},
    ]
    assert STEPS == [{"do": "synthesise", "leaf": [2, 4]}]
    made = unveil.protect(files, protection.steps_of(6), seed=2).study
    assert all(income % 500 == 0 for income in made.original["income"])
    assert all(income % 500 == 0 for income in made.synthetic["", 1]["income"])


def test_levels_are_merged_and_dates_coarsened():
    result = unveil.protect(
        study("sex", "age", "job", "seen"), STEPS, tries=("job", "seen"), seed=1
    )
    assert result.steps_of(1)[:2] == [
        {"do": "merge_rare", "column": "job", "below": 2},
        {"do": "coarsen_date", "column": "seen", "to": "month"},
    ]
    assert result.tried[0].column == "job, seen"


def test_without_synthesis_leaves_are_not_tried():
    files = unveil.Study(people(1), people(2), keys=("sex", "age"))
    result = unveil.protect(files, [{"do": "drop", "columns": "seen"}], tries="income", seed=1)
    assert [row.setting for row in result.tried] == [
        "as given", "income to 100", "income to 500", "income to 500, distance filter",
    ]  # fmt: skip


def test_a_try_that_another_column_undoes_is_told_in_a_note():
    files = unveil.Study(
        people().select("sex", "age", "health").with_columns(born=2025 - pl.col("age")),
        keys=("sex", "age"), targets="health",
    )  # fmt: skip
    result = unveil.protect(files, STEPS, tries="age", seed=1)
    said = [note.sentence for note in result.notes if note.about == "tried"]
    assert said
    assert all("'born'" in sentence for sentence in said)
    undone = [row for row in result.tried if row.status == "not measured"]
    assert len(undone) == len(said)
    assert [row.number for row in result.tried] == [0, 1, 2, 3, 4, 5, 6]
    assert best_of(result.tried) not in undone


def row(number, status, complete, beyond, S_pMSE):
    return TriedRow(number=number, column="x", setting=f"s{number}", complete=complete,
                    worst="y by z", beyond=beyond, S_pMSE=S_pMSE, status=status)  # fmt: skip


@pytest.mark.parametrize(
    ("tried", "best"),
    [
        ([row(0, "blocked", 9, 90, 1), row(1, "within", 0, 5, 3), row(2, "within", 0, 9, 2)], 2),
        ([row(0, "blocked", 9, 90, 1), row(1, "decide", 2, 40, 1), row(2, "decide", 1, 60, 1)], 2),
        ([row(0, "decide", 9, 90, 1), row(1, "decide", 8, 95, 1)], None),
        ([row(0, "decide", 9, 90, 1), row(1, "blocked", 0, 5, 1)], None),
        ([row(0, "within", 0, 5, 2), row(1, "within", 0, 3, 1)], None),
    ],
)
def test_what_is_proposed_is_never_worse_than_what_was_given(tried, best):
    proposed = best_of(tried)
    assert (proposed and proposed.number) == best
    said = " ".join(said_of(tried))
    assert ("No setting tried is better" in said) == (best is None)
    if best is not None:
        assert f"Try {best} (s{best})" in said


def test_a_wrong_column_or_number_is_refused(protection):
    with pytest.raises(unveil.InputError, match="Did you mean 'income'"):
        unveil.protect(study("sex", "age", "income"), STEPS, tries="incom", seed=1)
    with pytest.raises(unveil.InputError, match="no try 7"):
        protection.steps_of(7)

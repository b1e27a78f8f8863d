"""Several rows for a person: leaves, cuts and rare levels of a synthesis count people."""

import random
from itertools import count

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import unveil
from oracles import people as oracle
from profiles import examples
from unveil.cli.commands import Commands
from unveil.errors import RolesError, SettingsError
from unveil.models.design import ColumnValues, Predictors, TreeCoding
from unveil.models.tree import LEAF, TreeCuts
from unveil.synthesis.cart import merge_leaves
from unveil.synthesis.methods import Options, Target
from unveil.synthesis.split_columns import split


def visits(n_people=60, seed=1, most=6):
    """Invented people with one to six visits; the first has thirty, with a cost of their own."""
    draw = random.Random(seed)
    rows = []
    for person in range(n_people):
        sex, age = draw.choice("fm"), draw.randint(20, 90)
        for _ in range(30 if not person else draw.randint(1, most)):
            cost = 99_999 if not person else age * 10 + draw.randint(0, 50)
            rows.append((f"P{person}", sex, age, draw.choice("abc"), cost))
    return pl.DataFrame(rows, ["who", "sex", "age", "ward", "cost"], orient="row")


def leaf_rows(made, column, frame):
    """The rows of the original in each leaf of a column's tree, walked in plain Python."""
    (step,) = (one for one in made.models.drawing.strata[0] if one.step.columns == (column,))
    parts = tuple(split(frame[name]) for name in step.step.predictors)
    matrix = step.value.coding.matrix(Predictors(parts, frame.height)).tolist()
    return oracle.leaf_rows(tree_of(step.value.cuts), matrix)


def tree_of(cuts, node=0):
    """Cuts as nested tuples: (column, threshold, left, right), None for a leaf."""
    if cuts.left[node] == LEAF:
        return None
    below = (tree_of(cuts, int(cuts.left[node])), tree_of(cuts, int(cuts.right[node])))
    return (int(cuts.feature[node]), float(cuts.threshold[node]), *below)


def cuts_of(tree):
    """Nested tuples as the arrays of a tree."""
    nodes, number = {}, count()

    def put(one):
        place = next(number)
        below = (LEAF, LEAF) if one is None else (put(one[2]), put(one[3]))
        nodes[place] = (0, 0.0, *below) if one is None else (one[0], one[1], *below)
        return place

    put(tree)
    fields = [np.array(field) for field in zip(*(nodes[k] for k in sorted(nodes)), strict=True)]
    return TreeCuts(*(field.astype(kind) for field, kind in zip(fields, "ifii", strict=True)))


@pytest.mark.parametrize("more", [{}, {"min_spread": 0.05}, {"min_split": 12}])
def test_every_leaf_holds_so_many_people(more):
    frame = visits()
    made = unveil.synthesise(frame, person="who", min_leaf=4, seed=1, **more)
    people = frame["who"].to_list()
    for column in ("age", "ward", "cost"):
        found = leaf_rows(made, column, frame)
        assert sum(map(len, found)) == frame.height
        assert min(len({people[row] for row in rows}) for rows in found) >= 4
    if "min_spread" in more:
        ages, found = frame["age"].to_numpy(), leaf_rows(made, "age", frame)
        assert len(found) > 1
        assert min(ages[rows].var() for rows in found) >= 0.05 * ages.var()
        return
    # By row the visits of one person fill a leaf, from which nobody else's cost is drawn.
    by_row = leaf_rows(unveil.synthesise(frame, drop="who", min_leaf=4, seed=1), "cost", frame)
    assert min(len({people[row] for row in rows}) for rows in by_row) == 1


TREES = st.recursive(
    st.none(),
    lambda below: st.tuples(st.integers(0, 1), st.integers(0, 4).map(float), below, below),
    max_leaves=8,
)
ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 6)), min_size=1)


@examples(200)
@given(TREES, ROWS, st.integers(1, 4), st.integers(2, 8))
def test_leaves_are_merged_as_defined(tree, rows, min_leaf, min_split):
    matrix, people = [row[:2] for row in rows], [row[2] for row in rows]
    options = Options(min_leaf=min_leaf, min_split=min_split)
    target = Target("t", "number", np.zeros(len(rows)))
    held = np.array(matrix, np.float32).reshape(-1, 2)
    made = merge_leaves(cuts_of(tree), held, np.array(people), target, options)
    wanted = oracle.merge_leaves(tree, matrix, people, (min_leaf, min_split))
    assert tree_of(made) == wanted
    found = oracle.leaf_rows(wanted, matrix)
    if len(set(people)) >= min_leaf:
        assert all(len({people[row] for row in some}) >= min_leaf for some in found)


def test_where_everyone_has_one_row_nothing_changes():
    frame = visits(300, most=1).filter(pl.col("who") != "P0")
    asked = {"min_leaf": 5, "seed": 3, "min_spread": 0.01}
    by_person = unveil.synthesise(frame, person="who", **asked)
    assert by_person.copies[0].equals(unveil.synthesise(frame, drop="who", **asked).copies[0])
    assert not [note for note in by_person.record.notes if "counted by" in note]


def test_rare_levels_are_those_of_few_people():
    """Ten visits of one person are one person's: such levels share a place in the tree."""
    levels = [f"{place:03}" for place in range(60)]
    frame = pl.DataFrame({"town": [one for one in levels for _ in range(10)]})
    part, values = split(frame["town"]), np.repeat(np.arange(60.0), 10)
    people = np.repeat(np.arange(60), 10)

    def places(whose):
        seen: tuple[ColumnValues, ...] = (part,)
        return len(set(TreeCoding.fit(Predictors(seen, 600, None, whose), values).orders[0]))

    assert places(None) == 60
    assert places(people) == 3  # pools of twenty people
    with_people = frame.with_columns(who=people, x=pl.Series(values))
    said = unveil.synthesise(with_people, person="who", seed=1).record
    assert any(
        "60 of the 60 levels of 'town' have fewer than 5 people" in one for one in said.notes
    )
    assert any("Levels held by one person only: town (60)" in one for one in said.warnings)


def test_the_column_is_left_out_or_numbered_anew_and_the_record_says_what_was_counted():
    frame = visits()
    made = unveil.synthesise(frame, person="who", seed=1)
    assert made.copies[0].columns == ["sex", "age", "ward", "cost"]
    assert made.record.person.to_dict() == {
        "column": "who",
        "n_rows": frame.height,
        "n_people": 60,
    }
    said = (
        f"'who' repeats: {frame.height} rows of 60 people. Leaves and rare levels were counted by"
    )
    assert any(note.startswith(f"{said} person.") for note in made.record.notes)
    new = unveil.synthesise(frame, person="who", renumber="who", seed=1)
    assert new.copies[0]["who"].n_unique() == frame.height
    assert not set(new.copies[0]["who"]) & set(frame["who"])
    rows = unveil.synthesise(frame, person="none", drop="who", seed=1).record
    assert rows.person is None
    assert not [note for note in rows.notes if "repeats" in note]


@pytest.mark.parametrize(
    "asked",
    [
        {"order": ["who", "age"]},
        {"keep": "who"},
        {"strata": "who"},
        {"predictors": {"age": ["who"]}},
        {"real_values": {"who": "they are new"}},
    ],
)
def test_nothing_is_synthesised_from_the_column(asked):
    with pytest.raises(
        RolesError, match=("'who' identifies the person of a row, so nothing is synthesised")
    ):
        unveil.synthesise(visits(), person="who", seed=1, **asked)


def test_leaves_larger_than_the_people_are_refused():
    with pytest.raises(SettingsError, match="min_leaf is 61, but the original has 60 people"):
        unveil.synthesise(visits(), person="who", min_leaf=61)
    with pytest.raises(RolesError, match="no column 'whom'"):
        unveil.synthesise(visits(), person="whom")


def test_the_command_takes_a_person(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = visits()
    frame.write_csv("visits.csv")
    arguments = ["synthesise", "visits.csv", "--person", "who", "--seed", "1", "--out", "made"]
    method = ["--method", "parametric", "--method", "cost=cart"]
    for place, more in (("made", []), ("again", method)):
        arguments[-1] = place
        done = CliRunner().invoke(Commands("unveil"), [*arguments, *more], standalone_mode=False)
        assert done.exception is None
        assert "counted by person" in " ".join(done.stdout.split())
    wanted = unveil.synthesise("visits.csv", person="who", seed=1).copies[0]
    assert pl.read_csv("made/FAKE_visits.csv").equals(wanted)
